//! The number of answers without each part: against enumeration of the program without it.

use std::collections::BTreeMap;

use asp::Settings;
use base::diagnostic::Code;
use base::stop::CancelToken;
use explain::{Blame, ExplainContext, ExplainQuery, QueryKind, explain};
use fastrand::Rng;
use serde_json::Value;

use super::atoms::{answers, program_of, random_program};
use crate::support::{extent, run, run_with_input};

/// Returns the kind of a line of a random program, and what is left without it.
fn relaxed(line: &str) -> (Blame, String) {
    match line.split_once(" 1") {
        _ if line.starts_with(":-") => (Blame::Constraints, String::new()),
        Some((choice, rest)) if line.starts_with("1 {") => {
            (Blame::Constraints, format!("{}{rest}", choice.trim_start_matches("1 ")))
        }
        _ if line.contains([':', ';', '{']) => (Blame::Rules, String::new()),
        _ => (Blame::Facts, String::new()),
    }
}

/// Returns what `why --count` reports: the number of answers, and by the text of each part the number
/// without it. `None` if answers of the program cannot be counted.
fn counted(lines: &[String], blamed: &Blame) -> Option<(String, BTreeMap<String, String>)> {
    let query = ExplainQuery { kind: QueryKind::Counts, blame: vec![blamed.clone()], ..ExplainQuery::default() };
    let (settings, stop) = (Settings::default(), CancelToken::new());
    let context =
        ExplainContext { documents: &[], included: &[], has_builtin_rules: true, settings: &settings, stop: &stop };
    let json = match explain(&program_of(lines).into(), &query, &context) {
        Ok(explanation) => explanation.json(),
        Err(failure) => {
            assert_eq!(failure.code(), Some(Code::Unsupported), "{failure}");
            return None;
        }
    };
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let parts = json["without"].as_array().expect("a list");
    Some((text(&json["count"]), parts.iter().map(|part| (text(&part["text"]), text(&part["count"]))).collect()))
}

#[test]
fn counts_of_random_programs_are_those_of_enumeration() {
    let mut random = Rng::with_seed(extent::random().u64(..));
    let (mut facts, mut others) = (0, 0);
    while facts < extent::sample_size(60) || others < extent::sample_size(200) {
        let mut lines = random_program(&mut random);
        // A statement that stands twice would still hold without one of the two.
        lines.sort();
        lines.dedup();
        for blamed in [Blame::Facts, Blame::Constraints, Blame::Rules] {
            let is_blamed = |line: &String| {
                // If rules are blamed, a choice with bounds is a rule.
                let is_choice = line.starts_with("1 {");
                relaxed(line).0 == blamed && !is_choice || is_choice && blamed != Blame::Facts
            };
            let Some((all, without)) = counted(&lines, &blamed) else { continue };
            assert_eq!(all, answers(&program_of(&lines)).len().to_string(), "{lines:?}");
            for (number, line) in lines.iter().enumerate().filter(|(_, line)| is_blamed(line)) {
                let left = if blamed == Blame::Rules { String::new() } else { relaxed(line).1 };
                let mut rest = lines.clone();
                rest[number] = left;
                let expected = answers(&program_of(&rest)).len().to_string();
                // A constraint whose body can never hold has no instance, and is no part.
                match without.get(line).or_else(|| without.get(line.trim_end_matches('.'))) {
                    Some(found) => assert_eq!(*found, expected, "{line} of {lines:?}"),
                    None => assert_eq!(all, expected, "{line} of {lines:?}"),
                }
                *(if blamed == Blame::Facts { &mut facts } else { &mut others }) += 1;
            }
        }
    }
}

#[test]
fn clues_of_a_board_come_in_the_order_of_what_they_exclude() {
    let board = "1 . . .\n. . 2 .\n. 3 . .\n. 4 . .";
    let ran = run_with_input("why - -p sudoku --count", board);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let (summary, lines) = ran.out.split_once('\n').expect("lines");
    assert!(summary.ends_with("without one of these 4 clues:"), "{summary}");
    let numbers: Vec<u64> = lines
        .lines()
        .map(|line| line.split_whitespace().next().expect("a number").parse().expect("a number"))
        .collect();
    assert!(numbers.len() == 4 && numbers.is_sorted_by(|one, other| one >= other), "{lines}");
    // Without the clue, the board has as many solutions as `count` says.
    let first = lines.lines().find(|line| line.contains("row 1, column 1 shows 1")).expect("the clue");
    let rest = run_with_input("count - -p sudoku", &board.replacen('1', ".", 1));
    assert_eq!(first.split_whitespace().next(), rest.out.split_whitespace().next(), "{first}");
}

#[test]
fn a_fact_of_several_predicates_is_left_out_by_each() {
    let text = "p(1;2,3). -p(4). { q(1..3) }. :- p(1), q(1). :- p(2,3), q(2). :- -p(4), q(3).";
    let ran = run_with_input("why - --count --blame facts -f json", text);
    let without: BTreeMap<String, String> = ran.json()["without"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|part| (part["text"].as_str().unwrap_or_default().to_owned(), part["count"].to_string()))
        .collect();
    assert_eq!(without, ["-p(4)", "p(1)", "p(2,3)"].map(|fact| (fact.to_owned(), "\"2\"".to_owned())).into());
}

#[test]
fn numbers_that_are_not_known_in_time_have_bounds() {
    let text = "#const n=9. 1 { a(R,C,V) : V=1..n } 1 :- R=1..n, C=1..n. :- a(R,C,V), a(R,D,V), C<D. :- a(R,C,V), a(S,C,V), R<S. p. :- not p.";
    let ran = run_with_input("why - --count --blame facts,constraints --time-limit 3 -f json", text);
    let json = ran.json();
    assert_eq!((ran.code, &json["verdict"], &json["count"]), (3, &"gave-up".into(), &Value::Null), "{}", ran.err);
    assert_ne!(json["at_least"], json["at_most"], "{json}");
    let parts = json["without"].as_array().expect("a list");
    assert_eq!(parts.len(), 5, "{json}");
    // Each count has its share of the time, also those after one that took all of its own.
    let last = parts.iter().find(|part| part["text"] == ":- not p.").expect("the last part");
    assert_ne!(last["at_most"], json["at_least"], "{json}");
    let without_fact = parts.iter().find(|part| part["text"] == "p").expect("the fact");
    assert_eq!(without_fact["count"], "0", "{json}");
}

#[test]
fn puzzles_without_parts_and_other_options_are_refused() {
    for (arguments, words) in [
        (vec!["why", "instances/deponia.lp", "--count"], "--count: rail tells its own reasons"),
        (vec!["why", "instances/queens.lp", "--count", "queen(1,1)"], "--count is not about an atom"),
        (vec!["why", "instances/queens.lp", "--count", "--fix"], "cannot be used with"),
        (vec!["why", "instances/queens.lp", "--count", "-f", "html"], "--format html"),
    ] {
        let ran = run(arguments);
        assert!(ran.code == 2 && ran.err.contains(words), "{} {}", ran.code, ran.err);
    }
}
