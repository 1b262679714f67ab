//! Tests of `--sample` and `--diverse`.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::support::{answers, file, folder, run, run_line, run_with_input};

const BOARD: &str = ". . . .\n. 1 . .\n. . 2 .\n. . . .\n";

/// Options and input with several answers: a tight program, one with circular support, sums, two
/// projections, optima, a disjunction, and a board. The last options list the same answers with
/// `-n 0`.
const CASES: [(&str, &str, &str); 8] = [
    ("-p program", "{ a(1..4) }. :- a(1), a(2). b :- a(X).", ""),
    ("-p program", "{ e(1,2); e(2,1); e(2,3); e(3,2); s(1..2) }. r(X) :- s(X). r(Y) :- r(X), e(X,Y). :- not r(3).", ""),
    ("-p program", "{ a(1..6) }. :- #sum { X : a(X) } > 8. :- #count { X : a(X) } < 2.", ""),
    ("-p program --project", "{ a(1..6) }. b(X/2) :- a(X). #show b/1.", ""),
    (
        "-p program --clingo=--project=project",
        "{ a(1..3); c(1..2) }. :- a(1), a(2). :- a(3), c(1). #project a/1. #show a/1.",
        "",
    ),
    ("-p program", "3 { a(1..6) }. #minimize { 1,X : a(X) }.", "--opt-mode=optN"),
    ("-p program", "a ; b ; c. d :- not e. e :- not d. { f } :- a.", ""),
    ("-p sudoku", BOARD, ""),
];

/// Returns the answers of a run, each as the set of its atoms.
fn atoms_of(report: &Value) -> Vec<BTreeSet<String>> {
    let text = |atom: &Value| atom.as_str().expect("a text").to_owned();
    let atoms = |answer: &Value| answer["atoms"].as_array().expect("a list").iter().map(text).collect();
    answers(report).iter().map(atoms).collect()
}

#[test]
fn samples_are_uniform_and_repeated_by_their_seed() {
    for (options, program, all_options) in CASES {
        let all = run_with_input(&format!("- {options} {all_options} -n 0 -f json"), program).json();
        let all: BTreeSet<BTreeSet<String>> = atoms_of(&all).into_iter().collect();
        let draws = all.len() * 20;
        let line = format!("- {options} -n {draws} --sample --seed 3 -f json");
        let sampled = run_with_input(&line, program);
        assert_eq!(sampled.code, 0, "{program}: {}", sampled.err);
        let report = sampled.json();
        let summary = &report["sample"];
        assert_eq!(summary["of"], all.len().to_string(), "{program}");
        assert_eq!((summary["drawn"].as_u64(), summary["seed"].as_u64()), (Some(draws as u64), Some(3)));
        let mut drawn: BTreeMap<BTreeSet<String>, usize> = BTreeMap::new();
        atoms_of(&report).into_iter().for_each(|answer| *drawn.entry(answer).or_default() += 1);
        assert_eq!(drawn.values().sum::<usize>(), draws, "{program}");
        assert!(drawn.keys().all(|answer| all.contains(answer)), "{program}");
        let squares: f64 = drawn.values().map(|&number| (number as f64).powi(2)).sum();
        let (expected, degrees) = (20.0, all.len() as f64 - 1.0);
        let deviation = (squares / expected - draws as f64 - degrees) / (2.0 * degrees).sqrt();
        assert!(deviation.abs() < 3.5, "{program}: {deviation} standard deviations");
        assert_eq!(atoms_of(&run_with_input(&line, program).json()), atoms_of(&report), "{program}");
        let other = run_with_input(&line.replace("--seed 3", "--seed 4"), program).json();
        assert_ne!(atoms_of(&other), atoms_of(&report), "{program}");
    }
}

#[test]
fn samples_of_programs_without_answers_are_empty() {
    let ran = run_with_input("- -p program -n 3 --sample", "{ a }. :- a. :- not a.");
    assert_eq!((&*ran.out, ran.code), ("There is no answer (proven).\n", 1), "{}", ran.err);
    let ran = run_with_input("- -p program -n 3 --diverse", "{ a }. :- a. :- not a. #minimize { 1 : a }.");
    assert_eq!((&*ran.out, ran.code), ("There is no answer (proven).\n", 1), "{}", ran.err);
}

#[test]
fn nothing_is_drawn_if_a_limit_ends_the_count() {
    let hard = ["tests/data/counting/latin_squares.lp", "-c", "n=9", "-n", "2", "--time-limit", "1"];
    let ran = run(hard.iter().copied().chain(["--sample"]));
    assert_eq!(ran.code, 3, "{}{}", ran.out, ran.err);
    assert!(ran.out.ends_with("The answers could not be counted, so that none was drawn.\n"), "{}", ran.out);
    let ran = run(hard.iter().copied().chain(["--sample", "-f", "json"]));
    let report = ran.json();
    assert_eq!((&report["verdict"], &report["sample"]["of"]), (&"gave-up".into(), &Value::Null), "{report}");
    assert!(answers(&report).is_empty());
}

#[test]
fn selected_answers_are_written_in_all_formats() {
    let program = "{ a(1..3) }.";
    for selection in ["--sample", "--diverse"] {
        let ran = run_with_input(&format!("- -p program -n 3 {selection} -f lines"), program);
        assert_eq!(ran.out.lines().count(), 3, "{selection}: {}", ran.err);
        let ran = run_with_input(&format!("- -p program -n 3 {selection} -f asp --check"), program);
        assert_eq!((ran.out.matches("Answer: ").count(), ran.code), (3, 10), "{selection}: {}{}", ran.out, ran.err);
        let ran = run_with_input(&format!("- -p program -n 3 {selection} -f clingo-json"), program);
        assert_eq!(ran.json()["Models"]["Number"], 3, "{selection}");
        let ran = run_with_input(&format!("- -p program -n 3 {selection} --check"), program);
        assert!(ran.out.contains("Answer 3\n") && ran.out.ends_with(" passed the check.\n"), "{}", ran.out);
        let optima = format!("{program} #minimize {{ 1 : a(1) }}.");
        let ran = run_with_input(&format!("- -p program -n 3 {selection} -f lines"), &optima);
        assert_eq!(ran.out.lines().count(), 3, "{selection}: {}", ran.err);
        let report = run_with_input(&format!("- -p program -n 3 {selection} -f json"), &optima).json();
        assert!(answers(&report).iter().all(|answer| answer["optimal"] == true), "{report}");
        let ran = run_with_input(&format!("- -p sudoku -n 2 {selection}"), BOARD);
        assert_eq!((ran.out.matches("\nSolution ").count(), ran.code), (2, 0), "{}{}", ran.out, ran.err);
        let ran = run_with_input(&format!("- -p sudoku -n 2 {selection} -f html"), BOARD);
        assert!(ran.out.starts_with("<!DOCTYPE html>") && ran.code == 0, "{}", ran.err);
        let lines = serde_json::json!({ "instance": format!("puzzle sudoku\n{BOARD}") }).to_string();
        let ran = run_with_input(&format!("- --batch -n 2 {selection}"), &lines);
        assert_eq!(answers(&ran.json()).len(), 2, "{}", ran.err);
        let folder = folder();
        let board = file(folder.path(), "board.txt", format!("puzzle sudoku\n{BOARD}"));
        let pictures = folder.path().join("p{n}.svg");
        let ran = run_line(&format!("{} -n 2 {selection} -o {}", board.display(), pictures.display()));
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert!(folder.path().join("p2.svg").exists() && !folder.path().join("p3.svg").exists());
    }
}

#[test]
fn selections_that_make_no_sense_are_rejected() {
    let cases = [
        ("-n 0 --sample", "--sample: expected -n N with N of 1 or more, found 0"),
        ("-n 0 --diverse", "--diverse: expected -n N with N of 2 or more, found 0"),
        ("-n 1 --diverse", "--diverse: expected -n N with N of 2 or more, found 1"),
        ("--diverse", "--models <N>"),
        ("--seed 2", "--sample"),
        ("-n 2 --sample --diverse", "cannot be used with"),
        ("--sample --unique", "cannot be used with"),
        ("-n 2 --sample --certify", "cannot be used with"),
        ("-n 2 --diverse --proof p", "cannot be used with"),
        ("-n 2 --sample --enum-mode brave", "what answers have in common"),
        ("-n 2 --diverse --enum-mode brave", "what answers have in common"),
        ("-n 2 --sample --engine native", "the engine native of program ignores it"),
    ];
    for (options, message) in cases {
        let ran = run_with_input(&format!("- -p program {options}"), "{ a(1..3) }.");
        assert!(ran.code == 2 && ran.err.contains(message), "{options}: {}", ran.err);
    }
    let ran = run_with_input(
        "- -p program --sample",
        "#include <incmode>. #program step(t). a(t). #program check(t). :- query(t), t < 3.",
    );
    assert!(ran.code == 2 && ran.err.contains("--sample does not work for programs in steps"), "{}", ran.err);
    let ran = run_line("instances/taquin_exam.txt -n 2 --sample");
    assert!(ran.code == 2 && ran.err.contains("--sample: no engine of taquin reads it"), "{}", ran.err);
}

/// Returns the least distance of two of the answers.
fn least_distance(answers: &[&BTreeSet<String>]) -> usize {
    let pairs = answers.iter().enumerate().flat_map(|(at, one)| answers[at + 1..].iter().map(move |two| (one, two)));
    pairs.map(|(one, two)| one.symmetric_difference(two).count()).min().unwrap_or(usize::MAX)
}

/// Returns the greatest least distance of any `k` of the answers.
fn best_distance(all: &[BTreeSet<String>], k: usize) -> usize {
    fn extend<'a>(all: &'a [BTreeSet<String>], chosen: &mut Vec<&'a BTreeSet<String>>, k: usize) -> usize {
        if chosen.len() == k {
            return least_distance(chosen);
        }
        let mut best = 0;
        for (at, answer) in all.iter().enumerate() {
            chosen.push(answer);
            best = best.max(extend(&all[at + 1..], chosen, k));
            chosen.pop();
        }
        best
    }
    extend(all, &mut Vec::new(), k)
}

#[test]
fn diverse_answers_keep_their_bounds() {
    for (options, program, all_options) in CASES {
        let all = run_with_input(&format!("- {options} {all_options} -n 0 -f json"), program).json();
        let all: BTreeSet<BTreeSet<String>> = atoms_of(&all).into_iter().collect();
        let all: Vec<BTreeSet<String>> = all.into_iter().collect();
        for k in 2..=3 {
            let ran = run_with_input(&format!("- {options} -n {k} --diverse -f json"), program);
            assert_eq!(ran.code, 0, "{program}: {}", ran.err);
            let report = ran.json();
            let selected = atoms_of(&report);
            assert_eq!(selected.len(), k, "{program}");
            assert!(selected.iter().all(|answer| all.contains(answer)), "{program}");
            let number = |key: &str| report["diverse"][key].as_u64().expect("a number") as usize;
            let (distance, at_most) = (number("distance"), number("at_most"));
            assert_eq!(distance, least_distance(&selected.iter().collect::<Vec<_>>()), "{program}");
            let best = best_distance(&all, k);
            assert!(distance <= best && best <= at_most && best <= 2 * distance, "{program} {k}: {best} {report}");
        }
    }
}

#[test]
fn fewer_answers_than_requested_are_all_that_differ() {
    let program = "{ a(1..2) }. { b }. #show a/1.";
    let ran = run_with_input("- -p program -n 9 --diverse", program);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.ends_with("\n4 answers, and no others show something else (proven).\n"), "{}", ran.out);
    let ran = run_with_input("- -p program -n 4 --diverse", program);
    assert!(
        ran.out.ends_with("\n4 answers. Any two differ in 1 or more shown atoms. No 4 answers differ more (proven).\n"),
        "{}",
        ran.out
    );
    let ran = run_with_input("- -p program -n 2 --diverse", "a. { b }. #show a/0.");
    assert!(ran.out.ends_with("\n1 answer, and no other shows something else (proven).\n"), "{}", ran.out);
}
