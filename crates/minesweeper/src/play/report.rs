//! Reports of many games, and their sums.
//!
//! A report lists its games, `"played": [{"seed": 1, "from": 0, "games": 1000}]`, so that reports
//! can be added without counting a game twice, and the sum of all parts of a run is the report of
//! the run, except for the times. A sum is itself a report.

use std::fmt::Write;

use base::diagnostic::{Code, Diagnostic, Failure};
use base::sorting;
use base::words::{count, thousands};
use puzzle::Format;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// Games, wins, and clicks by stage.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    pub games: u64,
    pub wins: u64,
    /// Clicks by stage: obvious, pattern, csp, guess.
    pub clicks: [u64; 4],
}

impl Tally {
    pub fn add(&mut self, other: &Tally) {
        self.games += other.games;
        self.wins += other.wins;
        for (sum, clicks) in self.clicks.iter_mut().zip(other.clicks) {
            *sum += clicks;
        }
    }
}

/// Consecutive games of a seed, numbered from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameRange {
    pub seed: u64,
    pub from: u64,
    pub games: u64,
}

/// Returns the Wilson interval of a rate, with 95 % confidence.
pub fn interval(wins: u64, games: u64) -> [f64; 2] {
    if games == 0 {
        return [0.0, 1.0];
    }
    const QUANTILE: f64 = 1.959_963_984_540_054;
    let (games, rate) = (games as f64, wins as f64 / games as f64);
    let square = QUANTILE * QUANTILE / games;
    let middle = (rate + square / 2.0) / (1.0 + square);
    let half = QUANTILE * (rate * (1.0 - rate) / games + square / games / 4.0).sqrt() / (1.0 + square);
    [(middle - half).max(0.0), (middle + half).min(1.0)]
}

fn per_game(sum: f64, tally: &Tally) -> f64 {
    if tally.games == 0 { 0.0 } else { sum / tally.games as f64 }
}

/// The stages, in the order of `Tally::clicks`. The strategy *best* skips the windows.
const STAGES: [&str; 4] = ["obvious", "pattern", "csp", "guess"];
const MISSING_IN_BEST: &str = "pattern";

/// Adds the counts to the description of the games.
pub fn json(mut game: Map<String, Value>, tally: &Tally, seconds: f64) -> Value {
    let is_best = game.get("strategy").is_some_and(|strategy| strategy == "best");
    let clicks = STAGES.into_iter().zip(tally.clicks).filter(|(stage, _)| !is_best || *stage != MISSING_IN_BEST);
    let clicks: Map<String, Value> = clicks.map(|(stage, clicks)| (stage.to_owned(), clicks.into())).collect();
    let counted = json!({
        "games": tally.games, "wins": tally.wins, "rate": per_game(tally.wins as f64, tally),
        "interval": interval(tally.wins, tally.games), "guesses": tally.clicks[3], "clicks": clicks,
        "seconds": seconds, "seconds_per_game": per_game(seconds, tally),
    });
    game.extend(counted.as_object().cloned().unwrap_or_default());
    Value::Object(game)
}

/// Renders a report. `has_times` is false for `--watch`, whose pauses would distort the times.
pub fn render(report: &Value, format: Format, has_times: bool) -> String {
    if format == Format::Json {
        return format!("{report:#}\n");
    }
    let number = |key: &str| report[key].as_f64().unwrap_or(0.0);
    let string = |key: &str| report[key].as_str().unwrap_or_default();
    let mut text = String::new();
    let [low, high] = [0, 1].map(|bound| 100.0 * report["interval"][bound].as_f64().unwrap_or(0.0));
    let _ = writeln!(
        text,
        "{} of {} won: {:.2} % (95 % confidence: {low:.2} to {high:.2}).",
        thousands(&report["wins"]),
        count(&report["games"], "game", "games"),
        100.0 * number("rate")
    );
    let time = if has_times { format!(" and {:.3} ms", 1000.0 * number("seconds_per_game")) } else { String::new() };
    let _ = writeln!(
        text,
        "{}×{}, {} mines, strategy {}, first click {}; {:.2} guesses{time} per game.",
        report["columns"],
        report["rows"],
        report["mines"],
        string("strategy"),
        string("start"),
        number("guesses") / number("games").max(1.0),
    );
    text
}

/// Keys that must agree between reports, and keys that are recomputed.
const SHARED_KEYS: [&str; 8] = ["schema", "puzzle", "strategy", "rows", "columns", "mines", "first", "start"];
const SUMMED_KEYS: [&str; 10] =
    ["games", "wins", "rate", "interval", "guesses", "clicks", "seconds", "seconds_per_game", "seed", "played"];

/// Maximum of a number in a report, so that sums of very many reports do not overflow.
const MAX_NUMBER: u64 = 1 << 48;

/// Adds reports, each given with the name of its file. Rejects invalid reports, and those that do
/// not belong together.
pub fn merge(reports: &[(String, Value)]) -> Result<Value, Failure> {
    let mut tally = Tally::default();
    let mut seconds = 0.0;
    let mut played = Vec::new();
    let (first_name, first) = &reports[0];
    for (name, report) in reports {
        let error_for = |key: &str, what: &str| {
            Failure::from(Diagnostic::error(Code::InvalidReport, format!("{name}: \"{key}\" {what}")))
        };
        if report.get("window").is_some() {
            let reason = "is present: games at a window have no seed, so that some could be counted twice";
            return Err(error_for("window", reason));
        }
        let keys = report.as_object().into_iter().flat_map(Map::keys);
        if let Some(key) =
            keys.into_iter().find(|key| !SHARED_KEYS.contains(&key.as_str()) && !SUMMED_KEYS.contains(&key.as_str()))
        {
            return Err(error_for(key, "is not a key of a report"));
        }
        for key in SHARED_KEYS {
            match (report.get(key), first.get(key)) {
                (None, _) => return Err(error_for(key, "is missing")),
                (Some(value), Some(expected)) if value != expected => {
                    return Err(error_for(key, &format!("is {value}, but {expected} in {first_name}")));
                }
                _ => {}
            }
        }
        let number = |key: &str| {
            let number = report.pointer(key).and_then(Value::as_u64).filter(|&number| number <= MAX_NUMBER);
            number.ok_or_else(|| error_for(&key[1..].replace('/', "."), "is missing or not a valid number"))
        };
        if report["schema"] != 1 {
            return Err(error_for("schema", &format!("is {}; reports of schema 1 can be added", report["schema"])));
        }
        for key in ["/rows", "/columns", "/mines"] {
            number(key)?;
        }
        let mut clicks = [0; 4];
        for (stage, clicks) in STAGES.into_iter().zip(&mut clicks) {
            if stage != MISSING_IN_BEST || report["strategy"] != "best" {
                *clicks = number(&format!("/clicks/{stage}"))?;
            }
        }
        let part = Tally { games: number("/games")?, wins: number("/wins")?, clicks };
        if part.wins > part.games {
            return Err(error_for("wins", "is more than \"games\""));
        }
        if number("/guesses")? != clicks[3] {
            return Err(error_for("guesses", "is not \"clicks.guess\""));
        }
        tally.add(&part);
        let report_seconds = report["seconds"].as_f64().filter(|&seconds| seconds >= 0.0);
        seconds += report_seconds.ok_or_else(|| error_for("seconds", "is missing or not a time"))?;
        let ranges = Vec::<GameRange>::deserialize(&report["played"]);
        let ranges = ranges.map_err(|error| error_for("played", &format!("is not a list of games: {error}")))?;
        let games = ranges.iter().map(|range| u128::from(range.games)).sum::<u128>();
        if games != u128::from(part.games) || ranges.iter().any(|range| range.from.checked_add(range.games).is_none()) {
            return Err(error_for("played", &format!("has {games} games, but \"games\" is {}", part.games)));
        }
        played.extend(ranges.into_iter().filter(|range| range.games > 0).map(|range| (range, name)));
    }
    let shared_keys = SHARED_KEYS.iter().filter(|&&key| key != "start");
    let game = shared_keys.filter_map(|&key| Some((key.to_owned(), first.get(key)?.clone()))).collect();
    let played = join_ranges(played)?;
    let is_one_seed = reports.iter().all(|(_, report)| report.get("seed") == first.get("seed"));
    let mut merged = json(game, &tally, seconds);
    merged["start"] = first["start"].clone();
    merged["seed"] = first.get("seed").filter(|_| is_one_seed).cloned().unwrap_or_default();
    merged["played"] = json!(played);
    Ok(merged)
}

/// Sorts the ranges and joins adjacent ones. Overlapping ranges are an error.
fn join_ranges(mut ranges: Vec<(GameRange, &String)>) -> Result<Vec<GameRange>, Failure> {
    sorting::sort(&mut ranges);
    let mut joined: Vec<(GameRange, &String)> = Vec::new();
    for (range, name) in ranges {
        match joined.last_mut() {
            Some((last, other)) if last.seed == range.seed && range.from <= last.from + last.games => {
                if range.from < last.from + last.games {
                    let GameRange { seed, from, .. } = range;
                    let what = format!("{name}: \"played\" has game {from} of seed {seed}, and so does {other}");
                    return Err(Diagnostic::error(Code::InvalidReport, what)
                        .help("a game must be counted only once")
                        .into());
                }
                (last.games, *other) = (last.games + range.games, name);
            }
            _ => joined.push((range, name)),
        }
    }
    Ok(joined.into_iter().map(|(range, _)| range).collect())
}
