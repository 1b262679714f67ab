//! Correlates the difficulty of railways according to `asp-solve rate` with the effort to solve
//! them.
//!
//! `cargo bench --bench difficulty`; `-- --record` stores the figures. The effort is that of two
//! simulated players. Both remember their trips and do not repeat a configuration that is known to
//! give a losing trip. One *tries* any other configuration. The other *tinkers*: it changes one
//! lever or gate that the last trip used, and restarts with another configuration if no such change
//! is left. The effort is the number of trips until the first win, or the number of nodes passed,
//! each as a mean over many games. Spearman's rank correlation over railways of new seeds measures
//! how well each part of the rating, and their sum, orders the railways. Its standard error is
//! estimated from 1,000 bootstrap samples.

#[path = "figures/mod.rs"]
mod figures;

use std::process::Command;

use serde_json::{Map, Value, json};

const SEEDS: u64 = 7_000_000;
const RAILWAYS: u64 = 300;
const GAMES: usize = 200;
const PARTS: [&str; 5] = ["luck", "variety", "decoys", "patience", "planning"];

/// A trip. Its configuration has `*` for settings that the trip does not use.
struct Trip {
    signs: Vec<char>,
    wins: bool,
    steps: f64,
}

struct Railway {
    trips: Vec<Trip>,
    /// All configurations, each with the index of its trip.
    configurations: Vec<(usize, Vec<char>)>,
}

fn main() {
    for (name, size) in [
        ("of Deponia's size", (22..=22, 3..=3, 2..=2)),
        ("10 to 30 forks, 2 to 4 colours, 1 to 3 gates", (10..=30, 2..=4, 1..=3)),
    ] {
        let mut random = fastrand::Rng::with_seed(SEEDS);
        let mut columns: Vec<Vec<f64>> = vec![Vec::new(); PARTS.len() + 1 + 4];
        for number in 0..RAILWAYS {
            let (forks, colors, gates) =
                (random.usize(size.0.clone()), random.usize(size.1.clone()), random.usize(size.2.clone()));
            let generated = asp_solve(&[
                "generate",
                "rail",
                "--seed",
                &(SEEDS + number).to_string(),
                "--forks",
                &forks.to_string(),
                "--colors",
                &colors.to_string(),
                "--gates",
                &gates.to_string(),
            ]);
            let file = tempfile::NamedTempFile::with_suffix(".lp").expect("a temporary file");
            std::fs::write(file.path(), generated).expect("a file can be written");
            let path = file.path().to_str().expect("a name");
            let rating: Value = serde_json::from_str(&asp_solve(&["rate", path, "-f", "json"])).expect("JSON");
            let difficulty = &rating["difficulty"];
            let parts = PARTS.map(|part| difficulty["parts"][part]["bits"].as_f64().expect("a part"));
            let railway = Railway::of(path);
            let (tries, tinkers) = (railway.mean(&mut random, false), railway.mean(&mut random, true));
            let values =
                parts.into_iter().chain([difficulty["bits"].as_f64().expect("bits")]).chain(tries).chain(tinkers);
            for (column, value) in columns.iter_mut().zip(values) {
                column.push(value);
            }
        }
        for (part, of) in PARTS.into_iter().chain(["the sum"]).zip(&columns) {
            let mut row = Map::from_iter([("railways".to_owned(), json!(RAILWAYS))]);
            let efforts = ["who tries: trips", "who tries: nodes", "who tinkers: trips", "who tinkers: nodes"];
            for (effort, needed) in efforts.into_iter().zip(&columns[PARTS.len() + 1..]) {
                let (rho, error) = (spearman(of, needed), bootstrap(of, needed, &mut random));
                row.insert(effort.to_owned(), json!(format!("{rho:.2} ± {error:.2}")));
            }
            figures::record("difficulty", &format!("{name}: {part}"), row.into());
        }
    }
}

impl Railway {
    fn of(path: &str) -> Self {
        let report = asp_solve(&[path, "-n", "0", "--outcome", "any", "--engine", "simulation", "-f", "json"]);
        let report: Value = serde_json::from_str(&report).expect("JSON");
        let trip = |answer: &Value| Trip {
            signs: answer["configuration"].as_str().expect("a configuration").chars().collect(),
            wins: answer["outcome"] == "win",
            steps: answer["steps"].as_f64().expect("a number"),
        };
        let trips: Vec<Trip> = report["answers"].as_array().expect("answers").iter().map(trip).collect();
        let mut all = vec![Vec::new()];
        for place in 0..trips[0].signs.len() {
            let mut signs: Vec<char> = trips.iter().map(|trip| trip.signs[place]).filter(|&sign| sign != '*').collect();
            signs.sort_unstable();
            signs.dedup();
            // If no trip uses a setting, only one value of it is enumerated.
            let signs = if signs.is_empty() { vec!['*'] } else { signs };
            let longer = |head: &Vec<char>| signs.iter().map(|&sign| [&head[..], &[sign]].concat()).collect::<Vec<_>>();
            all = all.iter().flat_map(longer).collect();
        }
        let trip_of = |signs: &Vec<char>| {
            let fits =
                |trip: &Trip| trip.signs.iter().zip(signs).all(|(pattern, sign)| *pattern == '*' || pattern == sign);
            trips.iter().position(fits).expect("every configuration has a trip")
        };
        let configurations = all.into_iter().map(|signs| (trip_of(&signs), signs)).collect();
        Railway { trips, configurations }
    }

    /// Returns the mean number of trips until the first win, and of nodes passed.
    fn mean(&self, random: &mut fastrand::Rng, tinkers: bool) -> [f64; 2] {
        let mut sums = [0.0; 2];
        for _ in 0..GAMES {
            let mut is_known = vec![false; self.trips.len()];
            let mut last: Option<&(usize, Vec<char>)> = None;
            loop {
                let open = self.configurations.iter().filter(|(trip, _)| !is_known[*trip]);
                let near: Vec<_> = match last {
                    Some((trip, signs)) if tinkers => {
                        let used = &self.trips[*trip].signs;
                        let differs = |other: &&(usize, Vec<char>)| {
                            let places = (0..signs.len()).filter(|&place| signs[place] != other.1[place]);
                            places.clone().count() == 1 && places.into_iter().all(|place| used[place] != '*')
                        };
                        open.clone().filter(differs).collect()
                    }
                    _ => Vec::new(),
                };
                let next = if near.is_empty() { random.choice(open.collect::<Vec<_>>()) } else { random.choice(near) };
                let next = next.expect("some configuration wins");
                let trip = &self.trips[next.0];
                is_known[next.0] = true;
                sums[0] += 1.0;
                sums[1] += trip.steps;
                if trip.wins {
                    break;
                }
                last = Some(next);
            }
        }
        sums.map(|sum| sum / GAMES as f64)
    }
}

fn asp_solve(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_asp-solve")).args(arguments).output().expect("the command starts");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// Returns Spearman's rank correlation, in which equal values have equal ranks.
fn spearman(one: &[f64], other: &[f64]) -> f64 {
    let ranks = |values: &[f64]| -> Vec<f64> {
        let rank = |value: &f64| {
            let less = values.iter().filter(|other| *other < value).count();
            let same = values.iter().filter(|other| *other == value).count();
            less as f64 + same as f64 / 2.0
        };
        values.iter().map(rank).collect()
    };
    let (one, other) = (ranks(one), ranks(other));
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (mean_one, mean_other) = (mean(&one), mean(&other));
    let sum = |of: &dyn Fn(f64, f64) -> f64| -> f64 {
        one.iter().zip(&other).map(|(a, b)| of(a - mean_one, b - mean_other)).sum()
    };
    sum(&|a, b| a * b) / (sum(&|a, _| a * a) * sum(&|_, b| b * b)).sqrt()
}

/// Returns the standard error of Spearman's rank correlation, from bootstrap samples.
fn bootstrap(one: &[f64], other: &[f64], random: &mut fastrand::Rng) -> f64 {
    let samples: Vec<f64> = (0..1000)
        .map(|_| {
            let drawn: Vec<usize> = (0..one.len()).map(|_| random.usize(..one.len())).collect();
            let pick = |values: &[f64]| drawn.iter().map(|&index| values[index]).collect::<Vec<_>>();
            spearman(&pick(one), &pick(other))
        })
        .filter(|rho| rho.is_finite())
        .collect();
    let mean = samples.iter().sum::<f64>() / samples.len() as f64;
    (samples.iter().map(|rho| (rho - mean).powi(2)).sum::<f64>() / samples.len() as f64).sqrt()
}
