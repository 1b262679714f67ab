//! Tests the boards inside the program: `examples`, and `list` as text, as JSON and as a page.

use serde_json::Value;

use crate::support::process::*;
use crate::support::{command, file, folder, run_command_with_input, run_line, run_output};

/// The puzzles as `list` describes them in JSON.
fn listed() -> Vec<Value> {
    let all = run_line("list -f json").json();
    all.as_array().expect("an array").clone()
}

#[test]
fn the_command_of_each_puzzle_solves_its_board_in_an_empty_folder() {
    let empty = folder();
    let in_empty_folder = || {
        let mut command = command();
        command.current_dir(empty.path());
        command
    };
    let puzzles = listed();
    assert!(puzzles.len() > 140, "{}", puzzles.len());
    in_parallel(puzzles, |puzzle| {
        let name = puzzle["name"].as_str().expect("a name");
        let text = puzzle["example"]["command"].as_str().expect("a command");
        let (print, solve) = text.split_once(" | ").expect("a pipe");
        let words = |line: &str| -> String { line.strip_prefix("asp-solve ").expect("the program").to_owned() };
        let board = run_output(in_empty_folder().args(words(print).split(' ')).finished());
        assert_eq!((board.code, &*board.out, &*board.err), (0, puzzle["example"]["text"].as_str().expect("text"), ""));
        let solved = run_command_with_input(in_empty_folder(), &words(solve), &board.out);
        assert_eq!((solved.code, solved.err.as_str()), (0, ""), "{name}: {text}");
        assert!(!solved.out.is_empty(), "{name}: {text}");
    });
}

#[test]
fn list_shows_the_board_and_its_command() {
    let text = run_line("list tents").out;
    let end = "  board      tents.txt\n    puzzle tents\n    left , , 1, ,\n    top 3, , 2, ,\n    ...T.\n    T...T\n    \
        ..T..\n    T...T\n    .T...\n  example    asp-solve examples tents | asp-solve - --unique\n";
    assert!(text.ends_with(end), "{text}");
}

#[test]
fn list_describes_puzzles_in_json() {
    let alone = run_line("list akari -f json").json();
    assert_eq!(listed().iter().find(|puzzle| puzzle["name"] == "akari"), Some(&alone));
    assert_eq!(
        (&alone["title"], &alone["kind"], &alone["commands"][0]),
        (&"Akari".into(), &"pencil".into(), &"generate".into())
    );
    assert!(alone["description"].as_str().is_some_and(|rules| rules.starts_with("put bulbs into white cells")));
    let page = std::fs::read_to_string("docs/json.md").expect("the page");
    for key in
        alone.as_object().expect("an object").keys().chain(alone["example"].as_object().expect("an object").keys())
    {
        assert!(page.contains(&format!("`{key}`")), "{key} is not in docs/json.md");
    }
    // Where a picture is possible, it is so in pixels too.
    for puzzle in listed() {
        let has = |format: &str| puzzle["formats"].as_array().expect("names").iter().any(|known| known == format);
        assert_eq!(has("svg"), has("png"), "{puzzle}");
        let text = puzzle["example"]["text"].as_str().expect("a board");
        assert!(text.ends_with('\n') && !text.ends_with("\n\n"), "{}: {text:?}", puzzle["name"]);
    }
    let rail = run_line("list rail -f json").json();
    assert_eq!((&rail["title"], &rail["kind"]), (&"Mine railway".into(), &"native".into()));
    let ran = run_line("list -f svg");
    assert!(ran.code == 2 && ran.err.contains("possible values: text, json, html"), "{}", ran.err);
}

#[test]
fn the_gallery_shows_the_solved_board_of_each_puzzle() {
    let folder = folder();
    let path = folder.path().join("puzzles.html");
    let ran = run_line(&format!("list -f html -o {}", path.display()));
    assert_eq!((ran.code, ran.out.as_str()), (0, ""), "{}", ran.err);
    let page = std::fs::read_to_string(&path).expect("the page");
    let articles = page.matches("<article id=").count();
    assert_eq!((articles, page.matches("<figure><svg ").count()), (listed().len(), articles));
    assert!(page.contains("<a href=\"https://puzz.link/p?slither/"), "addresses of boards");
    // One puzzle alone has the same card.
    let alone = run_line("list akari -f html").out;
    assert_eq!(alone.matches("<article id=").count(), 1, "{alone}");
}

#[test]
fn all_boards_are_written_into_a_folder_but_not_over_changed_files() {
    let folder = folder();
    let changed = file(folder.path(), "tents.txt", "mine");
    let ran = run_line(&format!("examples --dir {}", folder.path().display()));
    assert!(ran.code == 0 && ran.out.contains("Kept tents.txt,"), "{}{}", ran.out, ran.err);
    assert_eq!(std::fs::read_to_string(changed).expect("a file"), "mine");
    for entry in std::fs::read_dir("instances").expect("the folder") {
        let path = entry.expect("a file").path();
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
        if name != "tents.txt" {
            let written = std::fs::read_to_string(folder.path().join(name)).expect(name);
            assert_eq!(written, std::fs::read_to_string(&path).expect("an instance"), "{name}");
        }
    }
    // Further boards are found by the name of their file, too.
    let killer = std::fs::read_to_string("instances/sudoku-killer.txt").expect("an instance");
    for name in ["sudoku-killer", "sudoku-killer.txt", "instances/sudoku-killer.txt"] {
        assert_eq!(run_line(&format!("examples {name}")).out, killer);
    }
}
