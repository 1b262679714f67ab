//! Tests that the page about JSON lists every key.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde_json::Value;

use crate::support::{extent, file, folder, run};

/// Boards of other puzzles that are tried by default.
const BOARDS: [&str; 16] = [
    "amphipod",
    "counter",
    "cycle",
    "deponia",
    "deponia-plan",
    "game_42",
    "mine",
    "minesweeper",
    "minesweeper_contradictory",
    "minesweeper_guess",
    "no_solution",
    "pocketcube-easy",
    "queens",
    "taquin_near",
    "trap",
    "wolf",
];

/// Returns the keys of an object and of its answers.
fn keys(object: &Value) -> impl Iterator<Item = &String> {
    let answers = object["answers"].as_array().into_iter().flatten();
    [object].into_iter().chain(answers).filter_map(Value::as_object).flat_map(|object| object.keys())
}

#[test]
fn every_json_key_is_documented() {
    let page = std::fs::read_to_string("docs/json.md").expect("the page");
    let files = std::fs::read_dir("instances").expect("the folder").map(|entry| entry.expect("a file").path());
    let is_tried = |path: &PathBuf| {
        let stem = path.file_stem().expect("a name").to_string_lossy();
        extent::includes(&stem) || BOARDS.contains(&&*stem)
    };
    let mut instances: Vec<String> = files.filter(is_tried).map(|path| path.display().to_string()).collect();
    instances.sort();
    assert!(instances.len() >= BOARDS.len() + extent::TYPES.len(), "{instances:?}");
    let folder = folder();
    let write_file = |name: &str, text: &str| file(folder.path(), name, text).display().to_string();
    let none = write_file("none.lp", "p(1). p(2). :- p(X), p(X+1).");
    let optimum = write_file("optimum.lp", "1 { p(1..3) }. #minimize { X : p(X) }.");
    let shown = write_file("shown.lp", "p(1). q(X) :- p(X). %!x\n%!show_trace q(X).\n");
    let tested = write_file("tested.lp", "q(X) :- p(X).\n#program test_q(base).\np(1).\ncannot(1) :- not q(1).");
    let mut lines: Vec<Vec<&str>> = instances.iter().flat_map(|path| [vec![&**path], vec!["hint", path]]).collect();
    lines.extend([
        vec!["instances/sudoku.txt", "--unique"],
        vec![&optimum, "-n", "0"],
        vec!["why", &none],
        vec!["why", &none, "--fix"],
        vec!["why", &none, "-n", "0"],
        vec!["why", &optimum, "p(1)"],
        vec!["why", "instances/queens.lp", "queen(1,1)", "-c", "n=4"],
        vec!["why", "instances/deponia.lp", "211VV"],
        vec!["why", "instances/minesweeper.txt", "mine(1,4)"],
        vec!["why", &shown],
        vec!["why", "instances/taquin_impossible.txt"],
        vec!["why", "instances/minesweeper_contradictory.txt"],
        vec!["hint", "--steps", "instances/sudoku.txt"],
        vec!["rate", "instances/yinyang.txt"],
        vec!["rate", "instances/deponia.lp"],
        vec!["rate", "instances/wolf.txt"],
        vec!["compare", &optimum, &none, "--runs", "2"],
        vec!["count", &optimum],
        vec!["count", "instances/queens.lp", "-c", "n=12"],
        vec!["instances/queens.lp", "-n", "2", "--sample"],
        vec!["instances/queens.lp", "-n", "2", "--diverse"],
        vec!["test", &tested],
        vec!["test", &tested, "--coverage"],
        vec!["test", &tested, "--mutants"],
        vec!["profile", &tested],
        vec!["expand", "instances/deponia.lp"],
        vec!["play", "minesweeper", "--games", "3", "--seed", "1"],
    ]);
    let (mut unknown, mut known) = (BTreeSet::new(), BTreeSet::new());
    for mut line in lines {
        line.extend(["-f", "json", "--time-limit", "3"]);
        let ran = run(&line);
        // Some boards have no hints.
        if ran.code == 2 && line[0] == "hint" {
            continue;
        }
        assert!(ran.code != 2, "{line:?}: {}", ran.err);
        for key in keys(&ran.json()) {
            let is_named = page.contains(&format!("`{key}`"));
            if is_named { &mut known } else { &mut unknown }.insert(format!("{key} ({})", line[..2].join(" ")));
        }
    }
    assert!(unknown.is_empty(), "{unknown:#?}");
    assert!(known.len() > 60, "{known:?}");
}
