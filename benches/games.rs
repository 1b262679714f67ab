//! Times planning games, and clingo on the same programs, which it solves incrementally.
//!
//! `cargo bench --bench games`, or `-- klotski pegs` for some of the boards, `-- levels` for fifty
//! levels of Sokoban, or `-- pushes` for one with ten boxes; `-- --record` stores the figures. Whole commands are run one after the
//! other, each with one thread and a limit of 20 seconds. If clingo reaches the limit, its time is
//! not reported.
//!
//! `DOWNWARD="python3 fast-downward.py" cargo bench --bench games -- planner` compares with Fast
//! Downward: A* with the same heuristic on the same ground task in PDDL. For blind search, it
//! reports the expanded states per second, without preprocessing. For LM-cut, it reports the time
//! of the whole command and of the search alone. The time of asp-solve is that of the fastest of
//! three runs, and search times below a millisecond count as a millisecond.

#[path = "figures/mod.rs"]
mod figures;
#[path = "figures/pddl.rs"]
mod pddl;

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use figures::measure::run;
use serde_json::{Value, json};

/// The boards and their optimal costs.
const BOARDS: [(&str, u64); 17] = [
    ("klotski", 116),
    ("klotski-ambush", 158),
    ("pegs", 31),
    ("pegs-french", 35),
    ("pegs-triangle", 13),
    ("hanoi-4-8", 33),
    ("hanoi-4-10", 49),
    ("pocketcube", 11),
    ("rubik-8", 8),
    ("lightsout", 15),
    ("rushhour-60", 60),
    ("sokoban", 59),
    ("sliding", 31),
    ("knights", 16),
    ("frogs", 15),
    ("missionaries", 11),
    ("jugs", 6),
];

/// The boards for the comparison with a planner.
const PLANNED: [&str; 15] = [
    "klotski",
    "klotski-ambush",
    "klotski-daisy",
    "pegs-triangle",
    "hanoi-4-8",
    "hanoi-4-10",
    "pocketcube-easy",
    "lightsout-4",
    "lightsout",
    "rushhour",
    "rushhour-60",
    "sokoban",
    "sokoban-2",
    "sliding",
    "blocks",
];

/// Number of levels of Sokoban that are generated from each shipped board.
const LEVELS: usize = 25;

fn main() {
    let names = figures::arguments();
    let folder = tempfile::tempdir().expect("a temporary folder");
    if names.is_empty() || names.iter().any(|name| name == "levels") {
        levels(folder.path());
    }
    if names.iter().any(|name| name == "planner") {
        for name in &PLANNED {
            planner(name, folder.path());
        }
    }
    if names.is_empty() || names.iter().any(|name| name == "pushes") {
        pushes(folder.path());
    }
    for (name, optimum) in
        BOARDS.into_iter().filter(|(name, _)| names.is_empty() || names.iter().any(|argument| argument == name))
    {
        let board = format!("instances/{name}.txt");
        let solved = |engine: &[&str]| {
            let line = [&[board.as_str(), "-f", "json", "-t", "1", "--time-limit", "20"], engine].concat();
            let ran = run(folder.path(), &line, "");
            let value: Value = serde_json::from_str(&ran.output).expect("JSON");
            let answer = &value["answers"][0];
            assert!(ran.code != 0 || answer["length"] == optimum, "{name}: {}", ran.output);
            (ran.code == 0, ran, value["statistics"]["expanded"].as_u64())
        };
        let (is_solved, ran, expanded) = solved(&[]);
        assert!(is_solved, "{name}: {}", ran.errors);
        let (by_clingo, clingo, _) = solved(&["--engine", "asp"]);
        let ratio = if by_clingo { json!(clingo.seconds / ran.seconds) } else { json!("") };
        let clingo = if by_clingo { json!(clingo.seconds) } else { json!("> 20") };
        let values = json!({
            "moves": optimum, "seconds": ran.seconds, "MB": ran.megabytes, "nodes expanded": expanded, "clingo, s": clingo,
            "clingo ÷ asp-solve": ratio,
        });
        figures::record("one_player", name, values);
    }
}

/// Measures fifty generated levels of Sokoban, each solved by a separate process.
fn levels(folder: &Path) {
    let mut seconds = Vec::new();
    let mut moves = 0;
    for (board, seed) in ["sokoban", "sokoban-2"].iter().flat_map(|board| (1..=LEVELS).map(move |seed| (board, seed))) {
        let board = format!("instances/{board}.txt");
        let generated = run(
            folder,
            &["generate", "sokoban", "--board", &board, "--moves", "20..200", "--seed", &seed.to_string()],
            "",
        );
        assert_eq!(generated.code, 0, "{board} {seed}: {}", generated.errors);
        let ran = run(folder, &["-", "-f", "json", "-t", "1"], &generated.output);
        let value: Value = serde_json::from_str(&ran.output).expect("JSON");
        assert_eq!(value["complete"], true, "{board} {seed}: {}", ran.output);
        moves += value["answers"][0]["length"].as_u64().expect("a length");
        seconds.push(ran.cpu_seconds);
    }
    seconds.sort_by(f64::total_cmp);
    let values = json!({
        "levels": seconds.len(), "moves in all": moves, "processor seconds in all": seconds.iter().sum::<f64>(),
        "slowest": seconds[seconds.len() - 1],
    });
    figures::record("one_player", "generated levels of Sokoban", values);
}

/// Solves a level with ten boxes in as few pushes as possible.
fn pushes(folder: &Path) {
    let line = ["tests/data/xsokoban-2.txt", "-c", "count=pushes", "-f", "json", "-t", "1", "--time-limit", "60"];
    let ran = run(folder, &line, "");
    let value: Value = serde_json::from_str(&ran.output).expect("JSON");
    assert_eq!((&value["answers"][0]["cost"], &value["complete"]), (&json!(131), &json!(true)), "{}", ran.output);
    let values = json!({
        "pushes": 131, "processor seconds": ran.cpu_seconds, "MB": ran.megabytes,
        "nodes expanded": value["statistics"]["expanded"],
    });
    figures::record("one_player", "XSokoban 2, pushes", values);
}

/// Solves a board with asp-solve and with Fast Downward, by blind search and with LM-cut.
fn planner(name: &str, folder: &Path) {
    let downward = std::env::var("DOWNWARD").expect("DOWNWARD says how Fast Downward is called");
    let board = format!("instances/{name}.txt");
    let files = pddl::write(&figures::path(&board), folder);
    let mut values = json!({});
    for heuristic in ["blind", "lmcut"] {
        let solved = |limit: &[&str]| {
            let line = [&*board, "-f", "json", "-t", "1", "--engine", "astar", "--heuristic", heuristic];
            let runs = [(); 3].map(|()| run(folder, &[&line, limit].concat(), ""));
            let value: Value = serde_json::from_str(&runs[0].output).expect("JSON");
            (runs.iter().map(|ran| ran.seconds).fold(f64::INFINITY, f64::min), value)
        };
        // The time before the search, for starting, grounding and packing states.
        let (before, _) = solved(&["--node-limit", "1"]);
        let (seconds, value) = solved(&["--time-limit", "60"]);
        let is_solved = value["complete"] == true;
        let mut words = downward.split_whitespace();
        let started = Instant::now();
        let output = Command::new(words.next().expect("a program"))
            .args(words)
            .args(["--overall-time-limit", "60s", "--plan-file", "plan"])
            .args(&files)
            .args(["--search", &format!("astar({heuristic}())")])
            .current_dir(folder)
            .output()
            .expect("Fast Downward starts");
        let whole = started.elapsed().as_secs_f64();
        let output = String::from_utf8_lossy(&output.stdout);
        let number = |before: &str| -> Option<f64> {
            let rest = output.split(before).nth(1)?;
            rest.split(|sign: char| !sign.is_ascii_digit() && sign != '.').next()?.parse().ok()
        };
        let length = number("Plan length: ");
        if let Some(length) = length.filter(|_| is_solved) {
            assert_eq!(value["answers"][0]["length"].as_f64(), Some(length), "{name}");
            values["moves"] = json!(length as u64);
        }
        let ours = is_solved.then_some((seconds, (seconds - before).max(1e-3)));
        let theirs = length.and_then(|_| Some((whole, number("Search time: ")?.max(1e-3))));
        let both = ours.zip(theirs);
        let shown = |value: Option<f64>| value.map_or(json!(""), |value| json!(value));
        if heuristic == "blind" {
            let rate = |expanded: Option<f64>, times: Option<(f64, f64)>| Some(expanded? / times?.1);
            let ours = rate(value["statistics"]["expanded"].as_f64(), ours);
            let theirs = rate(number("Expanded "), theirs);
            values["blind, states/s"] = shown(ours);
            values["Fast Downward, states/s"] = shown(theirs);
            values["ratio"] = shown(ours.zip(theirs).map(|(ours, theirs)| ours / theirs));
        } else {
            values["LM-cut, s"] = shown(ours.map(|(whole, _)| whole));
            values["Fast Downward, s"] = shown(theirs.map(|(whole, _)| whole));
            values["÷ asp-solve"] = shown(both.map(|(ours, theirs)| theirs.0 / ours.0));
            values["search alone"] = shown(both.map(|(ours, theirs)| theirs.1 / ours.1));
        }
    }
    figures::record("planners", name, values);
}
