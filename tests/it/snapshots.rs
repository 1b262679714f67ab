//! Tests the output for every instance in text and JSON. Each file in `instances/` is tested.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use puzzle::Format;
use serde_json::{Value, json};

use crate::logic::types::PuzzleFile;
use crate::support::run;

#[test]
fn output_for_instances_matches_the_snapshots() {
    let files = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("instances")).expect("the instances");
    let mut paths: Vec<PathBuf> = files.map(|file| file.expect("a file").path()).collect();
    paths.retain(|path| path.is_file());
    paths.sort();
    assert!(!paths.is_empty(), "there are instances");
    // Reports every file whose output differs, not only the first one.
    paths.retain(|path| {
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_suffix(path.file_name().expect("a file has a name").to_string_lossy());
        catch_unwind(AssertUnwindSafe(|| settings.bind(|| assert_instance_matches_snapshots(path)))).is_err()
    });
    assert!(paths.is_empty(), "{paths:?}");
}

fn assert_instance_matches_snapshots(path: &Path) {
    let name =
        format!("instances/{}", path.file_name().and_then(|name| name.to_str()).expect("instances have plain names"));
    // The tests of pencil puzzle types cover these.
    if path.file_stem().is_some_and(|stem| Path::new("asp/puzzles").join(stem).with_extension("lp").exists()) {
        return;
    }
    // Games may have a huge number of solutions and long lists of states.
    let is_game = is_game(path);
    let all = if is_game { "1" } else { "0" };
    assert_text_matches_snapshot(&name, all);
    let json = run([name.as_str(), "-n", all, "-f", "json"]);
    let mut value = json.json();
    if is_game {
        for answer in value["answers"].as_array_mut().expect("a list") {
            answer["states"] = json!("…");
        }
    }
    if value["puzzle"] == "program" {
        value["answers"].as_array_mut().expect("a list of answers").sort_by_key(ToString::to_string);
    }
    insta::assert_json_snapshot!("json", value);
}

fn assert_text_matches_snapshot(name: &str, all: &str) {
    let text = run([name, "-n", all]);
    insta::assert_snapshot!("text", sorted_answers(&format!("exit code {}\n{}{}", text.code, text.err, text.out)));
}

/// Tests the board of a puzzle type: text through the command, JSON through the library. Returns
/// the JSON.
pub fn assert_board_matches_snapshot(puzzle: &PuzzleFile) -> Value {
    let printed = puzzle.printed(puzzle.job().all_answers(), Format::Json);
    let (json, _) = printed.unwrap_or_else(|failure| panic!("{}: {failure}", puzzle.name));
    let value: Value = serde_json::from_str(&json).unwrap_or_else(|error| panic!("{error}: {json}"));
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_suffix(format!("{}.txt", puzzle.name));
    settings.set_input_file(puzzle.instance());
    settings.bind(|| {
        assert_text_matches_snapshot(&puzzle.instance(), "0");
        insta::assert_json_snapshot!("json", value);
    });
    value
}

/// Returns true if the board belongs to a puzzle in `asp/games/`.
fn is_game(path: &Path) -> bool {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let name = text.lines().find_map(|line| line.strip_prefix("puzzle "));
    name.is_some_and(|name| {
        Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("asp/games/{}.lp", name.trim())).exists()
    })
}

/// Sorts the answers and removes their numbers, because their order differs between builds of clingo.
/// Drawn answers keep their order.
fn sorted_answers(text: &str) -> String {
    if !text.contains("\nAnswer 1\n") || text.contains('┌') {
        return text.to_owned();
    }
    let (mut answers, others): (Vec<&str>, Vec<&str>) =
        text.lines().filter(|line| !line.starts_with("Answer ")).partition(|line| line.starts_with("  "));
    answers.sort_unstable();
    [others, answers].concat().join("\n")
}
