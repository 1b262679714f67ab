//! Checks the promises of `generate rail`, recomputed from the text by the rules alone.

use std::collections::{BTreeMap, BTreeSet};

use base::words::count;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use crate::support::process::*;
use crate::support::{extent, folder, run, run_line, run_with_input};

/// The facts of an instance, read without the project's code.
#[derive(Debug, Default)]
pub struct PlainFacts {
    facts: Vec<(String, Vec<String>)>,
}

impl PlainFacts {
    pub fn read(text: &str) -> Self {
        let lines = text.lines().filter(|line| !line.starts_with('%'));
        let statements = lines.flat_map(|line| line.split(").")).filter(|statement| statement.contains('('));
        let fact = |statement: &str| {
            let (name, arguments) = statement.trim().split_once('(').expect("a fact with arguments");
            (name.to_owned(), arguments.split(',').map(|argument| argument.replace('"', "")).collect())
        };
        PlainFacts { facts: statements.map(fact).collect() }
    }

    pub fn rows<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a [String]> {
        self.facts.iter().filter(move |fact| fact.0 == name).map(|fact| &fact.1[..])
    }

    fn map(&self, name: &str) -> BTreeMap<String, String> {
        self.rows(name).map(|row| (row[row.len() - 2].clone(), row[row.len() - 1].clone())).collect()
    }
}

/// The trip of a configuration: its outcome, its nodes, and the gates that it crosses.
type PlainTrip = (&'static str, Vec<String>, BTreeSet<String>);

fn trips(plain: &PlainFacts) -> Vec<PlainTrip> {
    let color = plain.map("color");
    let gate: BTreeMap<String, String> = plain.rows("gate").map(|row| (row[1].clone(), row[0].clone())).collect();
    let arcs: BTreeMap<(String, String), String> =
        plain.rows("rel").map(|row| ((row[0].clone(), row[1].clone()), row[2].clone())).collect();
    let ends: BTreeSet<String> = plain.rows("final_node").map(|row| row[0].clone()).collect();
    let targets: BTreeSet<String> = plain.rows("target").map(|row| row[0].clone()).collect();
    let colors: Vec<String> = color.values().cloned().collect::<BTreeSet<_>>().into_iter().collect();
    let gates: Vec<String> = gate.values().cloned().collect::<BTreeSet<_>>().into_iter().collect();
    let states: Vec<usize> = colors
        .iter()
        .map(|name| {
            let fork = color.iter().find(|(_, color)| *color == name).expect("a fork of the colour").0;
            arcs.keys().filter(|(node, _)| node == fork).count()
        })
        .collect();
    let choices: Vec<usize> = states.iter().copied().chain(gates.iter().map(|_| colors.len())).collect();
    let all: usize = choices.iter().product();
    let start = plain.rows("start").next().expect("a start")[0].clone();
    let mut found = Vec::new();
    for number in 0..all {
        let mut rest = number;
        let configuration: Vec<usize> = choices
            .iter()
            .map(|&choice| {
                let value = rest % choice;
                rest /= choice;
                value
            })
            .collect();
        let mut levers = configuration[..colors.len()].to_vec();
        let (mut here, mut nodes, mut visited, mut crossed) =
            (start.clone(), Vec::new(), BTreeSet::new(), BTreeSet::new());
        let outcome = loop {
            nodes.push(here.clone());
            if !visited.insert((here.clone(), levers.clone())) {
                break "cycle";
            }
            if ends.contains(&here) {
                break if targets.contains(&here) { "win" } else { "loss" };
            }
            let label = if let Some(gate) = gate.get(&here) {
                crossed.insert(gate.clone());
                let index = gates.iter().position(|other| other == gate).expect("a gate");
                let color = configuration[colors.len() + index];
                levers[color] = (levers[color] + 1) % states[color];
                1
            } else {
                let index = colors.iter().position(|other| *other == color[&here]).expect("a colour");
                levers[index] + 1
            };
            match arcs.get(&(here.clone(), label.to_string())) {
                Some(next) => here = next.clone(),
                None => break "stuck",
            }
        };
        found.push((outcome, nodes, crossed));
    }
    found
}

/// Generates a railway and checks it. `wins` is the range of the option, if it is given.
fn check_promises(options: &str, wins: Option<(usize, usize)>, min_steps: usize, through: usize, seed: u64) {
    let wins_option = wins.map_or(String::new(), |(least, most)| format!("--wins {least}..{most}"));
    let ran = run_line(&format!(
        "generate rail {options} {wins_option} --min-steps {min_steps} --through-gates {through} --seed {seed} --time-limit 900"
    ));
    assert_eq!(ran.code, 0, "{options} {wins_option} {min_steps} {through} {seed}: {}\n{}", ran.err, ran.out);
    let is_plan = options.contains("--plan ");
    let network = if is_plan { run_with_input("convert - --network -f asp", &ran.out).out } else { ran.out.clone() };
    let plain = PlainFacts::read(&network);
    let trips = trips(&plain);
    let (least, most) = wins.unwrap_or((1, (trips.len() / 16).max(1)));
    let wins: Vec<&PlainTrip> = trips.iter().filter(|trip| trip.0 == "win").collect();
    assert!((least..=most).contains(&wins.len()), "{} wins\n{}", wins.len(), ran.out);
    assert!(trips.iter().all(|trip| trip.0 == "win" || trip.0 == "loss"), "{}", ran.out);
    assert!(wins.iter().all(|win| win.1.len() >= min_steps && win.2.len() >= through), "{}", ran.out);
    let losses = trips.len() - wins.len();
    assert!(
        ran.out.contains(&format!(
            "Of {}, {}, {}",
            count(trips.len(), "configuration", "configurations"),
            count(wins.len(), "wins", "win"),
            count(losses, "loses", "lose")
        )),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("% Checked by the encoding and by the simulation"), "{}", ran.out);
    let visited: BTreeSet<&String> = trips.iter().flat_map(|trip| &trip.1).collect();
    if !options.contains("--unreachable") {
        let inner = plain.rows("color").map(|row| &row[0]).chain(plain.rows("gate").map(|row| &row[1]));
        assert!(inner.into_iter().all(|node| visited.contains(node)), "{}", ran.out);
    }
    if !options.contains("--false-forks") {
        for fork in plain.rows("color").map(|row| &row[0]) {
            let ends: Vec<&String> = plain.rows("rel").filter(|row| row[0] == *fork).map(|row| &row[2]).collect();
            assert_eq!(ends.iter().collect::<BTreeSet<_>>().len(), ends.len(), "{fork}\n{}", ran.out);
        }
    }
    if options.contains("--planar") && !is_plan {
        assert_no_crossing(&plain, plain.rows("rel").map(|row| [&row[0][..], &row[2]]));
    }
    if is_plan {
        let facts = run_with_input("convert - -f asp", &ran.out).out;
        let tracks: Vec<&str> = facts.lines().filter_map(|line| line.strip_prefix("track((")).collect();
        let thing = |end: &'_ str| end.find(',').expect("two parts");
        let joined = tracks.iter().map(|track| {
            let (one, other) = track.split_once("),(").expect("two ends");
            [&one[..thing(one)], &other[..thing(other)]]
        });
        let positions = facts.lines().filter(|line| line.starts_with("position(")).collect::<Vec<_>>().join("\n");
        // Three ends at each fork, two at each gate, one at each place.
        let forks = plain.rows("color").count();
        assert!(2 * tracks.len() > 3 * forks, "{facts}");
        assert_no_crossing(&PlainFacts::read(&positions), joined);
    }
}

/// Checks that no two straight lines between positions share more than an end.
fn assert_no_crossing<'a>(plain: &PlainFacts, joined: impl Iterator<Item = [&'a str; 2]>) {
    let number = |text: &String| text.parse::<i64>().expect("a number");
    let at: BTreeMap<&str, (i64, i64)> =
        plain.rows("position").map(|row| (&row[0][..], (number(&row[1]), number(&row[2])))).collect();
    let lines: BTreeSet<[(i64, i64); 2]> = joined
        .map(|ends| {
            let mut line = ends.map(|end| at[end]);
            line.sort_unstable();
            line
        })
        .collect();
    assert!(lines.len() > 1);
    let side =
        |[a, b]: [(i64, i64); 2], c: (i64, i64)| ((b.0 - a.0) * (c.1 - a.1) - (b.1 - a.1) * (c.0 - a.0)).signum();
    for one in &lines {
        for other in lines.iter().filter(|other| !other.contains(&one[0]) && !other.contains(&one[1])) {
            let are_collinear = side(*one, other[0]) == 0 && side(*one, other[1]) == 0;
            let are_disjoint = if are_collinear {
                one[0].max(other[0]) > one[1].min(other[1])
            } else {
                side(*one, other[0]) * side(*one, other[1]) > 0 || side(*other, one[0]) * side(*other, one[1]) > 0
            };
            assert!(are_disjoint, "{one:?} crosses {other:?}");
        }
    }
}

#[test]
fn generated_railways_keep_their_promises() {
    let options = prop::sample::subsequence(vec!["--false-forks", "--unreachable", "--planar"], 0..=3);
    let strategy = (
        8_usize..24,
        1_usize..3,
        1_usize..4,
        prop::bool::ANY,
        options,
        1_usize..4,
        0_usize..9,
        0_usize..2,
        0_u64..1000,
    );
    // Fixed seeds, because some requests take the generator long.
    let config = Config { cases: extent::sample_size(60) as u32, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    runner
        .run(&strategy, |(forks, gates, colors, three_ways, flags, least, min_steps, through, seed)| {
            let ways = if three_ways { "2..3" } else { "2" };
            let options =
                format!("--forks {forks} --gates {gates} --colors {colors} --ways {ways} {}", flags.join(" "));
            // Few forks on a plane cannot always have all properties.
            let (min_steps, through) = if flags.contains(&"--planar") { (0, 0) } else { (min_steps, through) };
            check_promises(
                &options,
                Some((if colors == 1 { 1 } else { least }, 12)),
                min_steps.min(forks / 3),
                through.min(colors - 1),
                seed,
            );
            Ok(())
        })
        .unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn plans_of_tracks_are_generated_and_keep_their_promises() {
    for (options, seed) in [
        ("--plan --forks 1 --gates 0 --colors 1", 1),
        ("--plan --forks 2 --gates 0 --colors 1", 1),
        ("--plan --forks 6 --gates 1 --colors 2", 1),
        ("--plan --planar --forks 6 --gates 1 --colors 2", 1),
        ("--plan --forks 7 --gates 2 --colors 3", 2),
        ("--plan --forks 10 --gates 0 --colors 2 --ways 3 --false-forks", 3),
        ("--plan --forks 12 --gates 2 --colors 3 --ways 2..3", 4),
        ("--plan --forks 22 --gates 2 --colors 3", 5),
    ] {
        check_promises(&format!("{options} "), None, 0, 0, seed);
    }
    for (line, expected) in [
        ("--plan --forks 1001", "--forks 1001: a plan has at most 1000"),
        ("--plan --ways 4", "--ways 4: a fork of a plan has at most 3 branches"),
    ] {
        let ran = run_line(&format!("generate rail {line}"));
        assert!(ran.code == 2 && ran.err.contains(expected), "{line}: {}", ran.err);
    }
    let ran = run_line("generate rail --plan --forks 1 --colors 1 --gates 60 --time-limit 0.3");
    assert_eq!(ran.code, 3, "{}", ran.err);
}

#[test]
fn a_seed_reproduces_its_railways() {
    let folder = folder();
    let name = folder.path().join("mine-{n}.lp");
    let ran = run(["generate", "rail", "--seed", "7", "--count", "3", "-o", name.to_str().expect("UTF-8")]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    for number in 1..=3 {
        let text = std::fs::read_to_string(folder.path().join(format!("mine-{number}.lp"))).expect("an instance");
        assert_eq!(text, run_line(&format!("generate rail --seed {}", 6 + number)).out);
        // The comments state the results of solving.
        let path = folder.path().join(format!("mine-{number}.lp"));
        let solved = run([path.to_str().expect("UTF-8"), "-n", "0", "-f", "json"]).json();
        let wins = solved["statistics"]["configurations"]["win"].as_str().expect("a number");
        assert!(text.contains(&format!("configurations, {wins} win")), "{text}");
        let rated = run(["rate", path.to_str().expect("UTF-8"), "-f", "json"]).json();
        let bits = rated["difficulty"]["bits"].as_f64().expect("a number");
        assert!(text.contains(&format!("Difficulty {bits:.1} bits")), "{bits} {text}");
    }
}

/// In the order of [`trips`] the colours of gates come last, and of these the first changes
/// fastest.
#[test]
fn gates_matter_and_the_number_of_winning_paths_is_as_requested() {
    for seed in 0..12 {
        let (gates, colors) = (1 + seed as usize % 3, 2 + seed as usize / 3 % 2);
        let options = format!("--gates {gates} --colors {colors} --gates-matter --winning-paths 2..4 --seed {seed}");
        let ran = run_line(&format!("generate rail --forks 18 {options}"));
        assert_eq!(ran.code, 0, "{options}: {}", ran.err);
        let trips = trips(&PlainFacts::read(&ran.out));
        let paths: BTreeSet<&Vec<String>> = trips.iter().filter(|trip| trip.0 == "win").map(|trip| &trip.1).collect();
        assert!((2..=4).contains(&paths.len()), "{options}: {paths:?}");
        let lever_states = trips.len() / colors.pow(gates as u32);
        for gate in 0..gates {
            let step = lever_states * colors.pow(gate as u32);
            let decides = |number: usize| {
                let without = number - number / step % colors * step;
                let crossed = trips[number].2.contains(&(gate + 1).to_string());
                crossed && trips[number].0 == "win" && (0..colors).any(|color| trips[without + color * step].0 != "win")
            };
            assert!((0..trips.len()).any(decides), "gate {} of {options}\n{}", gate + 1, ran.out);
        }
    }
}

#[test]
fn large_railways_keep_their_promises() {
    let ran = run_line("generate rail --forks 1000 --colors 8 --gates 6 --through-gates 2 --min-steps 20 --seed 2");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("Some trip visits every fork and every side of a gate."), "{}", &ran.out[..900]);
    let folder = folder();
    let path = crate::support::file(folder.path(), "large.lp", &ran.out);
    let solved = run([path.to_str().expect("UTF-8"), "-n", "0", "--outcome", "any", "-f", "json"]).json();
    let counts = &solved["statistics"]["configurations"];
    assert_eq!((&counts["cycle"], &counts["stuck"]), (&"0".into(), &"0".into()));
    let mut visited = BTreeSet::new();
    for answer in crate::support::answers(&solved) {
        let nodes: Vec<&str> = answer["trip"]
            .as_array()
            .expect("a trip")
            .iter()
            .map(|step| step["node"].as_str().expect("a name"))
            .collect();
        if answer["outcome"] == "win" {
            let gates: BTreeSet<&str> =
                nodes.iter().filter_map(|node| node.strip_prefix('p')).map(|side| &side[..side.len() - 1]).collect();
            assert!(nodes.len() >= 20 && gates.len() >= 2, "{nodes:?}");
        }
        visited.extend(nodes.into_iter().map(str::to_owned));
    }
    assert_eq!(visited.len(), 1000 + 12 + 2);
}

#[test]
fn a_difficulty_can_be_requested() {
    let ran = run_line("generate rail --difficulty 18..19");
    let line = ran.out.lines().find(|line| line.contains("Difficulty")).expect("a line");
    let bits: f64 = line.split_whitespace().nth(2).expect("a number").parse().expect("a number");
    assert!((18.0..=19.0).contains(&bits), "{line}");
    insta::assert_snapshot!(run_line("rate instances/deponia.lp").out);
}

#[test]
fn impossible_requests_are_named() {
    for (options, named) in [
        ("--through-gates 3", "--through-gates 3: impossible"),
        ("--colors 30", "--colors 30"),
        ("--forks 0", "--forks 0"),
        ("--forks 99999999999", "--forks"),
        ("--wins 5000..", "--wins: impossible"),
        ("--wins 5..2", "is empty"),
        ("--wins x", "--wins"),
        ("--min-steps 100000", "--min-steps 100000: impossible"),
        ("--ways 1", "--ways"),
        ("--ways 2.5", "--ways"),
        ("--gates 61", "--gates"),
        ("--wins 1 --winning-paths 2..3", "--winning-paths 2: cannot be met, at most 1"),
        ("--winning-paths 5000..", "--winning-paths 5000: cannot be met, at most 72"),
        ("--winning-paths 0", "--winning-paths: expected at least one"),
        ("--forks 2 --gates 0 --colors 1 --ways 4", "--ways 4: a fork can lead to 3 other nodes"),
        ("--all-reachable --unreachable", "cannot be used with"),
    ] {
        let ran = run_line(&format!("generate rail {options}"));
        assert_eq!(ran.code, 2, "{options}: {}", ran.out);
        assert!(ran.err.contains(named), "{options}: {}", ran.err);
    }
    // Unlikely properties are searched for until the time limit, and the message names those that
    // are missing.
    let ran = retry_with_longer_limits(|limit| {
        let ran =
            run_line(&format!("generate rail --forks 4 --gates 1 --colors 2 --min-steps 24 --time-limit {limit}"));
        ran.out.contains("% NOT AS REQUESTED: ").then_some(ran)
    });
    assert_eq!(ran.code, 3, "{}", ran.err);
    assert!(
        ran.err.contains("not as requested: ") && ran.out.contains("% NOT AS REQUESTED: "),
        "{}\n{}",
        ran.err,
        ran.out
    );
}

#[test]
fn by_default_at_least_one_and_at_most_a_sixteenth_of_the_configurations_win() {
    check_promises("--forks 5 --ways 2..3", None, 0, 1, 515_643);
    // Fixed seeds, because the generator takes long for some seeds.
    for seed in (0..200).step_by(200 / extent::sample_size(200)) {
        let flag = |bit: u64, name: &'static str| if seed >> bit & 1 == 1 { name } else { "" };
        let options = format!(
            "--forks {} --gates {} --colors {} --ways {} {} {}",
            6 + seed % 9,
            1 + seed / 3 % 2,
            2 + seed / 7 % 2,
            ["2", "2..3", "3"][seed as usize % 3],
            flag(3, "--false-forks"),
            flag(4, "--unreachable"),
        );
        check_promises(&options, None, [0, 4][seed as usize / 5 % 2], (seed / 11 % 2) as usize, seed);
    }
}

#[test]
fn each_part_of_a_difficulty_is_explained() {
    let folder = folder();
    let rate = |text: &str| {
        let path = crate::support::file(folder.path(), "rated.lp", text);
        run(["rate", path.to_str().expect("UTF-8"), "-f", "json"]).json()["difficulty"].clone()
    };
    // Every configuration wins.
    let all = rate(
        "start(a). target(t). color(a,red). rel(a,1,b). rel(a,2,c). color(b,red). rel(b,1,t). rel(b,2,c). color(c,blue). rel(c,1,t). rel(c,2,t).",
    );
    assert_eq!(all["bits"], 0.0);
    for part in ["luck", "variety", "decoys", "patience", "planning"] {
        assert_eq!(all["parts"][part]["bits"], 0.0, "{part}");
    }
    // One of two configurations wins; the other cycles, which shows in the fourth step.
    let cyclic = rate(
        "start(a). target(t). color(a,red). rel(a,1,t). rel(a,2,b). color(b,red). rel(b,1,t). rel(b,2,c). color(c,red). rel(c,1,t). rel(c,2,a).",
    );
    let because = |part: &str| cyclic["parts"][part]["because"].clone();
    assert_eq!(because("luck"), "1 in 2 configurations wins");
    assert_eq!(because("decoys"), "the longest losing trip visits 4 nodes");
    assert_eq!(because("patience"), "losing trips visit 4 nodes on average");
}

#[test]
fn the_rated_steps_of_losing_trips_are_those_of_solving() {
    use proptest::strategy::ValueTree;
    let mut runner = extent::runner(40);
    let folder = folder();
    let mut rated = 0;
    while rated < extent::sample_size(40) {
        let random = crate::rail::engines::networks().new_tree(&mut runner).expect("a network").current();
        let path = crate::support::file(folder.path(), "rated.lp", random.text());
        let path = path.to_str().expect("UTF-8");
        let difficulty = run(["rate", path, "-f", "json"]).json()["difficulty"].clone();
        let solved = run([path, "-n", "0", "--outcome", "any", "-f", "json"]).json();
        let (mut lost, mut steps, mut longest) = (0, 0, 0);
        for answer in crate::support::answers(&solved).iter().filter(|answer| answer["outcome"] != "win") {
            let number: u64 = answer["configurations"].as_str().expect("text").parse().expect("a number");
            let taken = answer["steps"].as_u64().expect("a number");
            (lost, steps, longest) = (lost + number, steps + number * taken, longest.max(taken));
        }
        if difficulty.is_null() || lost == 0 {
            continue;
        }
        rated += 1;
        let because = |part: &str| difficulty["parts"][part]["because"].as_str().expect("text").to_owned();
        assert_eq!(because("decoys"), format!("the longest losing trip visits {longest} nodes"), "{}", random.text());
        let mean = steps as f64 / lost as f64;
        let stated: f64 =
            because("patience").split_whitespace().nth(3).and_then(|text| text.parse().ok()).expect("a number");
        assert!((stated - mean).abs() <= 0.0501, "{stated} {mean}\n{}", random.text());
    }
}

#[test]
fn forks_with_fewer_than_two_branches_are_rejected() {
    for ways in ["..1", "1", "0..", "..10"] {
        let ran = run(["generate", "rail", "--ways", ways]);
        assert_eq!(ran.code, 2, "{}", ran.err);
        assert!(ran.err.contains("--ways: expected whole numbers from 2 to 9"), "{}", ran.err);
    }
}

#[test]
fn generating_large_networks_obeys_the_time_limit() {
    for more in ["--forks 100000", "--forks 100000 --planar", "--forks 60 --colors 60 --gates 20"] {
        let line = format!("generate rail --time-limit 0.2 --seed 3 {more}");
        let ran = run(line.split_whitespace());
        assert_eq!(ran.code, 3, "{more}: {}", ran.err);
        assert!(ran.err.contains("the time limit was reached"), "{more}: {}", ran.err);
    }
}

#[test]
fn the_comment_on_wins_agrees_in_number() {
    let text = run("generate rail --forks 2 --gates 1 --colors 2 --wins 1..8 --seed 1".split(' ')).out;
    assert!(text.contains("6 win, 2 lose, 0 cycle, 0 get stuck"), "{text}");
    let text = run("generate rail --forks 3 --gates 0 --colors 3 --wins 1 --seed 1".split(' ')).out;
    assert!(text.contains("1 wins, 4 lose, 3 cycle, 0 get stuck"), "{text}");
}
