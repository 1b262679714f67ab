//! Tests `test --mutants`, and that the tests of built-in encodings kill all mutants.

use std::path::Path;

use serde_json::Value;

use crate::support::process::*;
use crate::support::{RunOutput, extent, file, folder, run};

const PROGRAM: &str = "
1 { color(N,(r;g)) } 1 :- node(N).
:- edge(X,Y), color(X,C), color(Y,C).
loop(X) :- edge(X,Y), X = Y.

#program test_neighbours(base).
node(1..3). edge(1,2).
cannot(\"the same\") :- color(1,C), color(2,C).
cannot(\"no colour\",N) :- node(N), not color(N,_).
cannot(\"two\",N) :- color(N,C), color(N,D), C < D.
";

fn run_mutants(path: &Path, options: &str) -> RunOutput {
    let path = path.to_str().expect("a name");
    run(["test", "--mutants", path].into_iter().chain(options.split_whitespace()))
}

/// Runs mutants of `PROGRAM` after the given text.
fn mutants_of_program(text: &str, options: &str) -> RunOutput {
    let folder = folder();
    run_mutants(&file(folder.path(), "colours.lp", format!("{text}{PROGRAM}")), options)
}

fn mutant_names(list: &Value) -> Vec<&str> {
    list.as_array().expect("a list").iter().map(|mutant| mutant["name"].as_str().expect("a name")).collect()
}

const SURVIVORS: [&str; 3] =
    ["left out: loop(X) :- edge(X,Y); X = Y.", "loop(X) :- edge(X,Y); #true.", "loop(X) :- edge(X,Y); X != Y."];

#[test]
fn surviving_mutants_are_underlined_and_listed_in_json() {
    let report = mutants_of_program("", "");
    assert_eq!(report.code, 1, "{}{}", report.out, report.err);
    assert!(report.out.contains("no test notices that `X = Y` becomes `X != Y`"), "{}", report.out);
    assert!(report.out.contains("colours.lp:4:23\n"), "{}", report.out);
    assert!(report.out.contains("4 | loop(X) :- edge(X,Y), X = Y.\n  |                       ^^^^^"), "{}", report.out);
    let json = mutants_of_program("", "-f json").json();
    assert_eq!(mutant_names(&json["unnoticed"]), SURVIVORS);
    assert_eq!(json["mutants"].as_u64().zip(json["noticed"].as_u64()).map(|(all, noticed)| all - noticed), Some(3));
}

/// clingo's location of a negated aggregate starts at the aggregate and ends at the first `not`.
#[test]
fn negated_aggregates_are_underlined_from_not_to_the_last_bound() {
    for literal in ["not #count { Y : edge(X,Y); Z : edge(Z,X) } > 3", "not not 0 { edge(X,Y) : node(Y); node(X) }"] {
        let report = mutants_of_program(&format!("odd(X) :- node(X), {literal}, node(X)."), "");
        let underlined = format!("  | {:19}{}\n", "", "^".repeat(literal.len()));
        assert!(
            report.out.contains("colours.lp:1:20\n") && report.out.contains(&underlined),
            "{literal}: {}",
            report.out
        );
    }
}

#[test]
fn listed_mutants_pass_and_wrong_lists_fail() {
    let list = |names: &[&str]| format!("%!equivalent {{\"nobody asks\"}}\n% {}\n", names.join("\n% "));
    let passed = mutants_of_program(&list(&SURVIVORS), "");
    assert_eq!(passed.code, 0, "{}{}", passed.out, passed.err);
    assert!(passed.out.contains("3 listed, since they change nothing, 0 unnoticed"), "{}", passed.out);
    let noticed = mutants_of_program(&list(&["left out: :- edge(X,Y); color(X,C); color(Y,C)."]), "");
    assert_eq!(noticed.code, 1);
    assert!(noticed.out.contains("the test test_neighbours notices this mutant"), "{}", noticed.out);
    let unknown = mutants_of_program(&list(&["left out: nothing."]), "");
    assert_eq!(unknown.code, 2);
    assert!(unknown.err.contains("no mutant has this name") && unknown.err.contains(":2:3"), "{}", unknown.err);
}

#[test]
fn a_mutant_without_end_is_killed_by_the_limit() {
    let text = "count(0). count(N+1) :- count(N), N < 3.\n#program test_it(base).\ncannot :- not count(3). cannot :- count(4).";
    let folder = folder();
    let endless = file(folder.path(), "endless.lp", text);
    let report = retry_with_longer_limits(|limit| {
        let report = run_mutants(&endless, &format!("-f json --time-limit {limit} --memory-limit 500")).json();
        (report["endless"] == 1).then_some(report)
    });
    assert_eq!(mutant_names(&report["unnoticed"]).len(), 0, "{report}");
}

#[test]
fn mutants_are_not_tried_if_the_tests_fail() {
    let report = mutants_of_program("edge(3,3). node(3). cannot :- color(3,_).", "");
    assert_eq!(report.code, 1);
    assert!(report.out.contains("the test test_neighbours fails without any change"), "{}", report.out);
    assert!(report.out.contains("0 mutants"), "{}", report.out);
}

#[test]
fn included_files_are_mutated_and_companions_are_not() {
    let folder = folder();
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("asp/puzzles/norinori.lp");
    let text = format!(
        "#include \"{}\".\n#program test_nothing(base).\nrows(1). columns(2). area(1,1..2,1).\ncannot :- not draw(_).",
        shipped.display()
    );
    let report = run_mutants(&file(folder.path(), "norinori.lp", text), "-f json").json();
    let unnoticed = report["unnoticed"].as_array().expect("a list");
    assert!(!unnoticed.is_empty());
    assert!(unnoticed.iter().all(|mutant| mutant["file"].as_str().expect("a file").ends_with("puzzles/norinori.lp")));
}

/// For a game with `step.lp`, only rules of the game are mutated, and steps without an answer end.
#[test]
fn mutants_of_a_game_change_only_its_rules() {
    const GAME: &str = "init(at(1)). goal(at(3)).
move(go(N)) :- N = 1..2.
needs(go(N),at(N)) :- move(go(N)).
adds(go(N),at(N+1)) :- move(go(N)).
removes(go(N),at(N)) :- move(go(N)).
";
    const TESTS: &str = "#include \"walk.lp\".
#include \"games/step.lp\".
#const imax = 5.
#program test_two_moves(base,step,check).
cannot(\"two moves\") :- not occurs(go(2),2).
cannot(\"no others\") :- { occurs(_,_) } != 2.
cannot(\"nobody is at two places\") :- at_two.
at_two :- holds(at(N),T), holds(at(M),T), N < M.
";
    let folder = folder();
    file(folder.path(), "walk.lp", GAME);
    std::fs::create_dir(folder.path().join("games")).expect("a folder");
    let steps = std::fs::read_to_string("asp/games/step.lp").expect("a built-in file");
    file(folder.path(), "games/step.lp", steps);
    let ran = run_mutants(&file(folder.path(), "walk_test.lp", TESTS), "-f json");
    let value = ran.json();
    assert_eq!((&value["endless"], &value["failing"]), (&0.into(), &Value::Array(Vec::new())), "{value}");
    assert_eq!((&value["mutants"], &value["noticed"]), (&6.into(), &6.into()), "{value}");
}

#[test]
fn built_in_encodings_pass_their_tests() {
    let report = run(["test", "-q", "tests/asp"]);
    assert_eq!(report.code, 0, "{}{}", report.out, report.err);
}

/// Asserts that the tests in these files kill every mutant. All files together take a minute or
/// two.
fn assert_no_survivors(paths: &[&str]) {
    let report = run(["test", "--mutants"].iter().chain(paths));
    assert_eq!(report.code, 0, "{}{}", report.out, report.err);
}

#[test]
fn no_mutant_of_a_sample_of_built_in_encodings_survives() {
    let shared =
        ["apart", "around", "arrows", "blocks", "clues", "corners", "grid", "regions", "shading", "ship_parts"];
    let paths = shared.map(|name| format!("tests/asp/shared/{name}.lp"));
    let others = ["tests/asp/norinori.lp", "tests/asp/simpleloop.lp", "tests/asp/taquin"];
    let mut paths: Vec<&str> = paths.iter().map(String::as_str).chain(others).collect();
    extent::random().shuffle(&mut paths);
    paths.truncate(extent::sample_size(paths.len()));
    assert_no_survivors(&paths);
}

mod campaign {
    use super::*;

    #[test]
    #[ignore = "takes minutes"]
    fn no_mutant_of_built_in_encodings_survives() {
        assert_no_survivors(&["tests/asp"]);
    }
}
