//! Tests that the command ends with one of its exit codes and without a panic for any text.

use proptest::prelude::*;

use crate::support::{extent, file, folder, run};

const CODES: [i32; 4] = [0, 1, 2, 3];

fn assert_no_panic(name: &str, text: &str) {
    let folder = folder();
    let path = file(folder.path(), name, text);
    let ran = run([path.to_str().expect("UTF-8"), "-n", "5", "--time-limit", "2", "--memory-limit", "500"]);
    assert!(CODES.contains(&ran.code) && !ran.err.contains("panicked"), "exit code {}\n{}\n{text}", ran.code, ran.err);
}

/// Generates texts in every notation that are truncated, repeated or have changed characters.
fn mutated_texts() -> impl Strategy<Value = (String, String)> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/instances/");
    let names = [
        "three_gates.lp",
        "two_starts.lp",
        "cycle.lp",
        "mine.dot",
        "mine.json",
        "game_42.json",
        "taquin_goal_first.txt",
        "amphipod.txt",
        "amphipod_midway.txt",
        "minesweeper_guess.txt",
        "minesweeper_facts.lp",
    ];
    let texts: Vec<(String, String)> = names
        .iter()
        .map(|name| ((*name).to_owned(), std::fs::read_to_string(format!("{root}{name}")).expect("an instance")))
        .collect();
    let edit = (
        any::<prop::sample::Index>(),
        prop::sample::select(vec![
            "",
            "(",
            ")",
            ".",
            ",",
            "a",
            "1",
            "\"",
            "{",
            "}",
            "%",
            "é",
            "-1",
            ":-",
            "\n",
            "->",
            "[",
            "9999999999",
            "?",
            "F",
            "mines 3",
        ]),
        0_usize..12,
    );
    (prop::sample::select(texts), prop::collection::vec(edit, 1..6)).prop_map(|((name, text), edits)| {
        let mut characters: Vec<char> = text.chars().collect();
        for (index, insert, remove) in edits {
            let at = index.index(characters.len() + 1);
            let end = (at + remove).min(characters.len());
            characters.splice(at..end, insert.chars());
        }
        (name, characters.into_iter().collect())
    })
}

#[test]
fn mutated_instances_do_not_panic() {
    extent::check(300, &mutated_texts(), |(name, text)| assert_no_panic(&name, &text));
}

#[test]
fn arbitrary_text_does_not_panic() {
    extent::check(100, &"(?s).{0,200}", |text| {
        for name in ["text.lp", "text.json", "text.dot", "text.txt"] {
            assert_no_panic(name, &text);
        }
    });
}

#[test]
fn a_frame_around_an_empty_row_does_not_panic() {
    assert_no_panic("text.txt", "#\n-\n#\n");
}

#[test]
fn random_networks_do_not_panic() {
    extent::check(60, &crate::rail::engines::networks(), |random| assert_no_panic("network.lp", &random.text()));
}
