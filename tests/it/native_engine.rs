//! Tests the engine `native` of logic programs against clingo.

use std::collections::BTreeSet;

use crate::support::{RunOutput, extent, run_line, run_with_input};

/// Returns the answers (only the optimal ones if there are any) with their costs, without their
/// order, and the verdict.
fn comparable_result(ran: &RunOutput) -> (BTreeSet<String>, serde_json::Value) {
    let json = ran.json();
    let describe = |answer: &serde_json::Value| {
        let mut atoms: Vec<String> =
            answer["atoms"].as_array().into_iter().flatten().map(ToString::to_string).collect();
        atoms.sort();
        format!("{atoms:?} {}", answer["costs"])
    };
    // Engines may find different answers before an optimum.
    let all = || json["answers"].as_array().into_iter().flatten();
    let has_optimum = all().any(|answer| answer["optimal"] == true);
    let answers = all().filter(|answer| !has_optimum || answer["optimal"] == true).map(describe).collect();
    // With two answers, a run may end before it is known whether there are more.
    let complete = (json["unique"] != false).then(|| json["complete"].clone());
    (answers, serde_json::json!([json["verdict"], complete, json["unique"]]))
}

#[test]
fn the_native_engine_agrees_with_clingo_on_programs() {
    for (options, text) in [
        ("-n 0", "1 { a; b; c } 2."),
        ("-n 0", "{ a(1..4) }. b(X) :- a(X), not a(X+1). #show b/1. #show x(N) : N = #count { X : a(X) }."),
        ("-n 0 --project", "{ a(1..4) }. b :- a(1). #show b/0."),
        ("-n 0", "a :- not b. b :- not a. c :- a. c :- b, c. f. #show. #show c : c. #show f/0."),
        ("-n 0", ":- not a. { b }."),
        ("--unique", "a :- not b. b :- not a. :- b."),
        ("--unique", "{ a }. b."),
        ("-n 0", "1 { p(X,Y) : Y = 1..3 } 1 :- X = 1..3. :- p(X,Y), p(X',Y), X < X'."),
        ("--opt-mode optN -n 0", "1 { a(1..4) }. #minimize { X,X : a(X) }. #maximize { 1@2,X : a(X), X < 3 }."),
        ("--opt-mode enum -n 0", "1 { a(1..3) }. #minimize { X,X : a(X) }."),
        ("--opt-mode ignore -n 0", "1 { a(1..3) }. #minimize { X,X : a(X) }."),
        ("-n 0", "a; b. a :- b. b :- a. { c } :- a. :~ c. [-3@1]"),
        ("-n 0", "#external e. [free] a :- e. #external f. [true] b :- f. #external g. h :- g."),
        ("-n 0", "{ e(1..3) }. #edge (N,(N\\3)+1) : e(N)."),
        ("-n 0", "x; y; z; b; c :- a. a :- b. a :- c. a; na."),
        ("-n 0 --check", "reach(1). reach(Y) :- reach(X), e(X,Y). { e(1,2;2,3;3,1;1,3) }. :- not reach(3)."),
        ("-n 0 -c k=2", "#const k = 1. k { a; b; c }."),
        ("-n 0", "{ a; b }. c :- #sum { -1 : a; 2 : b; 1 : c } >= 1. #show -p : a."),
    ] {
        let ran = |engine: &str| run_with_input(&format!("- {options} --engine {engine} -f json"), text);
        let asp = ran("asp");
        let native = ran("native");
        assert_eq!(
            comparable_result(&native),
            comparable_result(&asp),
            "{options} {text}\n{}{}",
            native.out,
            native.err
        );
        assert_eq!(native.code, asp.code, "{options} {text}");
    }
    let ran = |engine: &str| {
        run_with_input(&format!("- --engine {engine} -f json"), "1 { a(1..4) }. #minimize { X,X : a(X) }.")
    };
    let last = |ran: &RunOutput| {
        ran.json()["answers"].as_array().and_then(|answers| answers.last()).map(|last| last["costs"].clone())
    };
    assert_eq!(last(&ran("native")), last(&ran("asp")), "the optimum");
    let ran = run_with_input("- -n 2 --engine native", "{ a; b }.");
    assert!(ran.out.contains("2 answers; there may be more"), "{}", ran.out);
    let ran = run_with_input("- --engine native -f asp -n 0", "{ a }.");
    assert!(ran.code == 30 && ran.out.contains("Models       : 2\n"), "{} {}", ran.code, ran.out);
}

#[test]
fn the_native_engine_agrees_with_clingo_on_boards() {
    let mut boards = 0;
    for file in std::fs::read_dir("instances").expect("instances") {
        let path = file.expect("a file").path();
        let is_puzzle = std::fs::read_to_string(&path).is_ok_and(|text| text.starts_with("puzzle "));
        if !is_puzzle || !extent::includes(&path.file_stem().expect("a name").to_string_lossy()) {
            continue;
        }
        let ran =
            |engine: &str| run_line(&format!("{} --unique --engine {engine} -f json --certify=never", path.display()));
        let native = ran("native");
        // Other puzzles have their own native engine.
        if native.code == 2 {
            continue;
        }
        let asp = ran("asp");
        assert_eq!(comparable_result(&native), comparable_result(&asp), "{}\n{}", path.display(), native.err);
        boards += 1;
    }
    assert!(boards > if extent::is_complete() { 90 } else { 15 }, "{boards}");
}

#[test]
fn the_native_engine_rejects_unsupported_programs() {
    for (line, text, why) in [
        ("- --enum-mode brave", "{ a }.", "what answers have in common"),
        ("- --clingo=--opt-mode=opt,3", "{ a }. #minimize { 1 : a }.", "the engine native of program ignores it"),
        ("- -n 0", "#theory t { x { - : 1, unary }; &d/0 : x, any }. a :- &d { 1 }.", "theory atoms"),
        ("- -n 0 --project", "{ a; b }. #project a.", "#project"),
        ("- --threads 2", "{ a }.", "--threads: the engine native of program ignores it"),
        ("-", "#include <incmode>. #program step(t). { p(t) }. #program check(t). :- query(t).", "programs in steps"),
        ("instances/minesweeper.txt", "", "minesweeper has no engine native"),
    ] {
        let ran = run_with_input(&format!("{line} --engine native"), text);
        assert!(ran.code == 2 && ran.err.contains(why), "{line} {text}\n{}{}", ran.out, ran.err);
    }
}
