//! How long one-player games take that are a logic program each, and the same by clingo on the program in steps.
//!
//! `cargo bench --bench games`, or `-- klotski pegs` for some of the boards, `-- levels` for fifty levels of Sokoban; with `-- --record` for the figures. Whole commands, one
//! after the other, each with one thread. Both have 20 seconds; what clingo does not end in that time has no figure.

#[path = "figures/mod.rs"]
mod figures;

use std::path::Path;

use figures::measure::run;
use serde_json::{Value, json};

/// The boards, and their optima.
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

/// Levels of Sokoban made from each of the boards that ship.
const LEVELS: usize = 25;

fn main() {
    let names = figures::arguments();
    let folder = tempfile::tempdir().expect("a temporary folder");
    if names.is_empty() || names.iter().any(|one| one == "levels") {
        levels(folder.path());
    }
    for (name, optimum) in
        BOARDS.into_iter().filter(|(name, _)| names.is_empty() || names.iter().any(|one| one == name))
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

/// Fifty levels of Sokoban that the generator makes, each solved by a process.
fn levels(folder: &Path) {
    let (mut seconds, mut moves) = (Vec::new(), 0);
    for (board, seed) in ["sokoban", "sokoban-2"].iter().flat_map(|board| (1..=LEVELS).map(move |seed| (board, seed))) {
        let board = format!("instances/{board}.txt");
        let made = run(
            folder,
            &["generate", "sokoban", "--board", &board, "--moves", "20..200", "--seed", &seed.to_string()],
            "",
        );
        assert_eq!(made.code, 0, "{board} {seed}: {}", made.errors);
        let ran = run(folder, &["-", "-f", "json", "-t", "1"], &made.output);
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
