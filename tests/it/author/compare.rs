//! Tests `compare` against brute force.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use asp::{Program, Settings, Solver, to_text};
use author::compare::{CompareLimits, ComparisonOutcome, Side, compare};
use base::diagnostic::Code;
use base::document::Document;
use base::stop::CancelToken;
use fastrand::Rng;
use prover::CertifyMode;

use crate::support::process::*;
use crate::support::{RunOutput, extent, file, folder, run, run_line};

const QUEENS: &str = "\
{ queen(R,C) : C = 1..n } = 1 :- R = 1..n.
:- queen(R,C), queen(S,C), R < S.
:- queen(R,C), queen(S,D), R < S, |R-S| = |C-D|.
#show queen/2.
";

fn limits() -> CompareLimits {
    CompareLimits::with_patience(Duration::from_secs(900))
}

/// Compares two texts on instances without measuring times.
fn run_compare(folder: &Path, one: &str, other: &str, rest: &[&str]) -> RunOutput {
    let files = [("a.lp", one), ("b.lp", other)].map(|(name, text)| file(folder, name, text));
    let mut arguments = vec!["compare", files[0].to_str().expect("a name"), files[1].to_str().expect("a name")];
    arguments.extend(rest);
    run(arguments)
}

#[test]
fn equivalent_encodings_are_the_same() {
    let folder = folder();
    let other = "1 { queen(1..n,C) } 1 :- C = 1..n. :- queen(R,C), queen(R,D), C != D. #show queen/2.\n\
                 :- queen(R,C), queen(R+K,C+K), K = 1..n. :- queen(R,C), queen(R+K,C-K), K = 1..n. help(1..3).";
    let ran = run_compare(folder.path(), QUEENS, other, &["-c", "n=6", "--runs", "3"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(ran.out.starts_with("the same: 4 answers\n"), "{}", ran.out);
    assert!(ran.out.contains("(3 runs of each, in turn)") || ran.out.contains("neither is faster"), "{}", ran.out);
    let value = run_compare(folder.path(), QUEENS, other, &["-c", "n=6", "--runs", "3", "-f", "json"]).json();
    assert_eq!(
        (&value["verdict"], &value["instances"][0]["predicates"]),
        (&"same".into(), &serde_json::json!(["queen/2"]))
    );
    assert_eq!(value["instances"][0]["sides"][1]["solving"].as_array().map(Vec::len), Some(3));
}

#[test]
fn the_first_difference_is_printed_with_the_constraint_that_excludes_it() {
    let folder = folder();
    let lax = QUEENS.replace(":- queen(R,C), queen(S,C), R < S.\n", "");
    let ran = run_compare(folder.path(), QUEENS, &lax, &["-c", "n=4", "--runs", "0"]);
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("b.lp that") && ran.out.contains("refuses:"), "{}", ran.out);
    assert!(ran.out.contains("a.lp:2: "), "{}", ran.out);
    let value = run_compare(folder.path(), QUEENS, &lax, &["-c", "n=4", "--runs", "0", "-f", "json"]).json();
    let difference = &value["instances"][0]["difference"];
    assert_eq!(difference["because"][0]["line"], 2, "{value:#}");
    assert_eq!(difference["atoms"].as_array().map(Vec::len), Some(4));
}

#[test]
fn atoms_that_a_side_never_derives_are_named() {
    let folder = folder();
    let ran = run_compare(folder.path(), "{ p(1..3) }.", "{ p(1..2) }.", &["--runs", "0"]);
    assert_eq!((ran.code, ran.out.contains("never derives p(3)")), (1, true), "{}{}", ran.out, ran.err);
}

#[test]
fn optima_are_compared_by_cost_and_then_by_answer() {
    let folder = folder();
    let compare_costs = |one: &str, other: &str| {
        let ran = run_compare(folder.path(), one, other, &["--runs", "0"]);
        (ran.code, ran.out.lines().next().unwrap_or_default().to_owned() + &ran.err)
    };
    let program = |weight: &str| format!("1 {{ p(1..3) }}. #minimize {{ {weight} : p(X) }}. #show p/1.");
    assert_eq!(compare_costs(&program("X"), &program("X*X")), (0, "the same: 1 answer at cost 1".to_owned()));
    let (code, words) = compare_costs(&program("X"), &program("X+1,X"));
    let (one, other) = words.split_once(", that of ").unwrap_or_default();
    assert!(code == 1 && one.ends_with("a.lp costs 1") && other.ends_with("b.lp 2"), "{words}");
    let (code, words) = compare_costs(&program("X"), "1 { p(1..3) }. #show p/1.");
    assert_eq!((code, words.contains("costs are ignored")), (0, true), "{words}");
}

#[test]
fn incomplete_searches_do_not_prove_equivalence() {
    let folder = folder();
    let ran = run_compare(
        folder.path(),
        "{ p(1..40) }.",
        // No value of q is right for two answers.
        "{ p(1..40); q(1..40) }. r(X) :- p(X), not q(X). r(X) :- q(X), not p(X). :- not r(1..40). #show p/1.",
        &["--runs", "0", "--each", "0.3"],
    );
    assert_eq!(ran.code, 3, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("no difference found, but the search was incomplete: at least "), "{}", ran.out);
    let ran = run_compare(
        folder.path(),
        "{ p(1..40) }.",
        "{ p(1..40) }. :- p(X), p(X+1).",
        &["--runs", "0", "--each", "0.3"],
    );
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
}

#[test]
fn programs_with_too_many_answers_to_count_are_compared_by_search() {
    let folder = folder();
    let hours = "week(1..2). day(1..6). hour(1..8). fullday(1..5). subject(s1). subject(s2).\n\
                 0 { lecture(W,D,H,S) : subject(S) } 1 :- week(W), day(D), hour(H), D > 5.\n";
    let one = format!("{hours}:- not 4 <= #count {{ H : lecture(W,D,H,_) }} <= 5, week(W), day(D), not fullday(D).");
    let other = format!(
        "{hours}:- #count {{ H : lecture(W,D,H,_) }} > 5, week(W), day(D), not fullday(D).\n\
         :- #count {{ H : lecture(W,D,H,_) }} < 4, week(W), day(D), not fullday(D)."
    );
    let ran = run_compare(folder.path(), &one, &other, &["--runs", "0", "--certify"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(ran.out.starts_with("the same: at least 5,000 answers; a search for"), "{}", ran.out);
    assert!(ran.out.contains("; certified in "), "{}", ran.out);
    // One of a billion answers.
    let free = "{ p(1..30) }.";
    let all_but_one = format!("{free} :- p(X) : X = 1..30, X \\ 3 > 0; not p(X) : X = 1..30, X \\ 3 = 0.");
    for texts in [[free, &all_but_one], [&all_but_one, free]] {
        let ran = run_compare(folder.path(), texts[0], texts[1], &["--runs", "0", "-f", "json"]);
        let instance = &ran.json()["instances"][0];
        assert_eq!((ran.code, &instance["by_search"]), (1, &true.into()), "{}", ran.out);
        assert_eq!(instance["difference"]["atoms"].as_array().map(Vec::len), Some(20), "{}", ran.out);
    }
    // Optima are searched, too.
    let costs = "#minimize { 1,X : p(X), X > 28; 1,-X : not p(X), X = 29..30 }.";
    let texts = [format!("{free} {costs}"), format!("{free} :- not p(1..14), p(15..28). {costs}")];
    let ran = run_compare(folder.path(), &texts[0], &texts[1], &["--runs", "0"]);
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
    let ran = run_compare(folder.path(), &texts[0], &texts[0], &["--runs", "0"]);
    assert!(ran.code == 0 && ran.out.starts_with("the same: at least 5,000 answers at cost 2; a"), "{}", ran.out);
}

/// Returns the answers of a program, by its shown atoms, and their costs.
fn answers_by_clingo(side: &Side, has_costs: bool) -> (BTreeSet<BTreeSet<String>>, Vec<i64>) {
    let mode = if has_costs { "--opt-mode=optN" } else { "--opt-mode=ignore" };
    let settings = Settings { models: Some(0), options: vec![mode.to_owned()], ..Settings::default() };
    let mut solver = Solver::with_program(&side.program, &settings, &CancelToken::new()).expect("a program");
    let mut found = BTreeSet::new();
    let mut cost = Vec::new();
    let collect = |model: &mut asp::Model<'_>| {
        if !has_costs || model.optimality_proven().expect("the optimality is known") {
            cost = model.costs().expect("numbers");
            let shown = model.shown(asp::Order::Sorted).expect("atoms");
            found.insert(shown.map(to_text).collect::<BTreeSet<_>>());
        }
        ControlFlow::Continue(())
    };
    solver.solve(&[], collect).expect("the search succeeds");
    (found, cost)
}

#[test]
fn searches_agree_with_brute_force_on_programs_with_hidden_atoms() {
    let mut random = extent::random();
    let mut met = [0, 0];
    for number in 0..extent::sample_size(1_000) {
        // The last four are hidden.
        let atoms = ["a", "b", "c", "d", "e", "f", "g"];
        let atom = |random: &mut Rng| *random.choice(&atoms).expect("atoms");
        let literal = |random: &mut Rng| {
            let sign = ["", "", "not "][random.usize(0..3)];
            format!("{sign}{}", atom(random))
        };
        let body = |random: &mut Rng| match random.u8(0..4) {
            0 => format!(
                "{} <= #sum {{ 1,x : {}; 2,y : {}; 1,z : {} }}",
                random.u8(1..4),
                literal(random),
                literal(random),
                literal(random)
            ),
            1 => literal(random),
            _ => format!("{}, {}", literal(random), literal(random)),
        };
        let line = |random: &mut Rng| match random.u8(0..8) {
            0 | 1 => format!("{{ {} }} :- {}.", atom(random), body(random)),
            2 => format!("{{ {}; {} }}.", atom(random), atom(random)),
            3 => format!(":- {}, {}.", literal(random), literal(random)),
            // Not `a; b :- c.`: clingo 5.8.3 gives wrong answers to one of 10,000 such programs.
            4 => {
                let [one, other, body] = [atom(random).to_owned(), atom(random).to_owned(), literal(random)];
                format!("{one} :- {body}, not {other}. {other} :- {body}, not {one}.")
            }
            _ => format!("{} :- {}.", atom(random), body(random)),
        };
        let costs = if number % 4 == 0 { "#minimize { 2 : a; 1,b : b; -1,d : d; 1,c : not c }." } else { "" };
        let common: Vec<String> = (0..6).map(|_| line(&mut random)).collect();
        let mut side = || {
            let own: Vec<String> = (0..3).map(|_| line(&mut random)).collect();
            let defined = "#defined a/0. #defined b/0. #defined c/0. #defined d/0. #defined e/0.";
            let shown = "{ a; b; c }. #show a/0. #show b/0. #show c/0. #defined f/0. #defined g/0.";
            let text = format!("{}\n{}\n{defined} {shown} {costs}", common.join("\n"), own.join("\n"));
            Side { name: text.clone(), program: Program::of([Document::in_memory("text", text)]) }
        };
        let sides = [side(), side()];
        let [one, other] = [0, 1].map(|side| answers_by_clingo(&sides[side], !costs.is_empty()));
        // At most one answer is counted.
        let limits = CompareLimits { max_counted: 1, ..limits() };
        let texts = || format!("{}\n\n{}\n{one:?}\n{other:?}", sides[0].name, sides[1].name);
        let comparison = compare(&sides, &Settings::default(), CertifyMode::Check, limits, &CancelToken::new())
            .unwrap_or_else(|error| panic!("{error:?}\n{}", texts()));
        match &comparison.outcome {
            ComparisonOutcome::Same => assert_eq!(one.0, other.0, "{}", texts()),
            ComparisonOutcome::Answer(difference) => {
                let atoms: BTreeSet<String> = difference.atoms.iter().copied().map(to_text).collect();
                let (own, others) = if difference.holder == 0 { (&one.0, &other.0) } else { (&other.0, &one.0) };
                assert!(own.contains(&atoms) && !others.contains(&atoms), "{atoms:?} {}", texts());
            }
            ComparisonOutcome::Costs(_) => assert!(one.1 != other.1, "{}", texts()),
            ComparisonOutcome::Unproven => panic!("{:?} {}", comparison.undecided, texts()),
        }
        met[usize::from(one.0 == other.0)] += 1;
    }
    extent::expect_counts([("different", met[0], 100), ("equal", met[1], 100)]);
}

#[test]
fn comparisons_of_random_programs_agree_with_brute_force() {
    let mut random = extent::random();
    let mut met = [0, 0];
    let mut dearer = 0;
    for number in 0..extent::sample_size(300) {
        let atoms = ["a", "-a", "b", "c", "d"];
        let shows = ["#show a/0. #show b/0. #show c/0.", "#show -a/0. #show q(1) : b. #show r(X) : c, X = 1..2.", ""];
        let has_costs = number % 3 == 0;
        let costs = if has_costs { "#minimize { 2 : a; 1,b : b; 1,c : c }." } else { "" };
        let show = shows[number / 3 % shows.len()].to_owned() + costs;
        let line = |random: &mut Rng| {
            let [one, other] = [(); 2].map(|()| *random.choice(&atoms).expect("atoms"));
            let sign = if random.bool() { "not " } else { "" };
            match random.u8(0..4) {
                0 => format!("{{ {one} }}."),
                1 => format!("{one} :- {sign}{other}."),
                2 => format!(":- {one}, {sign}{other}."),
                _ => format!("{{ {one}; {other} }} = 1."),
            }
        };
        let base: Vec<String> = (0..4).map(|_| line(&mut random)).collect();
        // Without `#show`, all derived atoms are shown; they are the same in both programs.
        let derived = "{ a; -a; b; c; d }. :- d.";
        let text = |more: String| format!("{derived}\n{}\n{more}\n{show}", base.join("\n"));
        let sides = [text(line(&mut random)), text(line(&mut random))].map(|text| Side {
            name: "side".to_owned(),
            program: Program { instance: vec![Document::in_memory("text", text)], ..Program::default() },
        });
        let answers = |side: &Side| answers_by_clingo(side, has_costs);
        let [(one, cost), (other, other_cost)] = [answers(&sides[0]), answers(&sides[1])];
        let comparison =
            compare(&sides, &Settings::default(), CertifyMode::No, limits(), &CancelToken::new()).expect("a verdict");
        match comparison.outcome {
            ComparisonOutcome::Same => assert_eq!(one, other),
            ComparisonOutcome::Answer(difference) => {
                let atoms: BTreeSet<String> = difference.atoms.into_iter().map(to_text).collect();
                let (own, others) = if difference.holder == 0 { (&one, &other) } else { (&other, &one) };
                assert!(own.contains(&atoms) && !others.contains(&atoms), "{atoms:?}");
            }
            ComparisonOutcome::Costs(_) => {
                dearer += 1;
                assert!(has_costs && cost != other_cost && !one.is_empty() && !other.is_empty());
            }
            ComparisonOutcome::Unproven => panic!("all answers fit into ten seconds"),
        }
        met[usize::from(one == other)] += 1;
        assert_eq!(comparison.found.map(|found| found.answers), [one.len(), other.len()]);
    }
    extent::expect_counts([("different", met[0], 40), ("equal", met[1], 40), ("dearer", dearer, 2)]);
}

#[test]
fn shown_terms_and_negated_atoms_are_compared() {
    let folder = folder();
    for (one, other, begins) in [
        (
            "n. { p(1..2) } = 1. #show n/0. #show q(X) : p(X).",
            "n. { p(1..2) }. #show n/0. #show q(X) : p(X).",
            "different",
        ),
        ("{ -a }. { b }.", "-a. { b }.", "different"),
        ("{ p(1..2) }. #show. #show q(X) : p(X).", "{ q(1..2) }. #show q/1.", "the same: 4 answers"),
        ("{ p(1..2) }. #show. #show X : p(X).", "{ r(1..2) }. #show. #show X : r(X), r(X).", "the same: 4 answers"),
        ("{ a }. #show t(1) : a.", "{ a }. #show t(1) : not a.", "different"),
        ("{ a; b }. #show a/0. #minimize { 1 : d }.", "#show a/0. { b }. a :- a. #minimize { 1 : d }.", "different"),
        (
            "{ a; c }. #show a/0. #minimize { 1 : a }.",
            "{ c }. a :- a. #show a/0. #minimize { 1 : a }.",
            "the same: 1 answer",
        ),
        ("{ a }. #minimize { 1 : a }.", "{ a }. :- not a. :- a. #minimize { 1 : a }.", "different"),
        ("{ a; b }. :- a, not b. #minimize { -1 : a }.", "{ a; b }. :- a. #minimize { -1 : a }.", "different"),
    ] {
        let ran = run_compare(folder.path(), one, other, &["--runs", "0"]);
        assert!(ran.out.starts_with(begins) && !ran.out.contains("costs ,"), "{one} {other}: {}{}", ran.out, ran.err);
    }
    let ran = run_compare(folder.path(), "{ a; b }.", "{ a }.", &["--runs", "0"]);
    assert!(ran.out.contains("not compared: b/0, which") && ran.out.contains("a.lp shows"), "{}", ran.out);
}

#[test]
fn encodings_are_compared_on_given_and_generated_boards() {
    let encoding = std::fs::read_to_string("asp/puzzles/sudoku.lp").expect("the encoding");
    let is_of_no_box = |line: &&str| !line.starts_with("house(box");
    let folder = folder();
    let lax = file(folder.path(), "lax.lp", encoding.lines().filter(is_of_no_box).collect::<Vec<_>>().join("\n"));
    let lax = lax.to_str().expect("a name");
    let shipped = "asp/puzzles/sudoku.lp";
    let ran = run(["compare", shipped, shipped, "instances/sudoku.txt", "-p", "sudoku", "--runs", "0"]);
    assert_eq!((ran.code, ran.out.as_str()), (0, "instances/sudoku.txt: the same: 1 answer\n"), "{}", ran.err);
    let arguments =
        ["compare", shipped, lax, "-p", "sudoku", "--runs", "0", "--generate", "sudoku --size 6x6", "--count", "2"];
    let ran = run(arguments);
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("generate sudoku --size 6x6 --seed 1: different: 1 answer of "), "{}", ran.out);
    assert!(ran.out.contains('┏') && ran.out.contains(&format!("{shipped}:")), "{}", ran.out);
}

#[test]
fn a_rejected_answer_of_a_side_is_a_defect() {
    let side = |name: &str, text: &str| {
        let document = Document::in_memory(name, text);
        Side { name: name.to_owned(), program: Program { instance: vec![document], ..Program::default() } }
    };
    let sides = [side("a", "{ c }. a :- b. b :- a. a :- c."), side("b", "{ c }. a :- c. b :- c.")];
    let compared = compare(&sides, &Settings::default(), CertifyMode::No, limits(), &CancelToken::new());
    assert!(compared.is_ok_and(|compared| matches!(compared.outcome, ComparisonOutcome::Same)));
    // With this option clingo enumerates supported models, which need not be answer sets.
    let supported_models = Settings { options: vec!["--supp-models".to_owned()], ..Settings::default() };
    let failure = compare(&sides, &supported_models, CertifyMode::No, limits(), &CancelToken::new())
        .err()
        .expect("the answer is rejected");
    assert_eq!(failure.code(), Some(Code::RejectedAnswer), "{failure}");
}

#[test]
fn equivalence_is_not_claimed_if_clingo_may_lose_answers() {
    let folder = folder();
    let one = "a; na. x; y; z; b; c :- a. a :- b. a :- c.";
    let ran = run_compare(folder.path(), one, one, &["--runs", "0"]);
    if asp::version() >= (5, 8, 2) {
        assert_eq!((ran.code, ran.out.as_str()), (0, "the same: 6 answers\n"), "{}", ran.err);
    } else {
        assert_eq!(ran.code, 3, "{}", ran.out);
        assert!(ran.err.contains("answers may be missing"), "{}", ran.err);
    }
}

#[test]
fn incomparable_encodings_are_rejected() {
    let folder = folder();
    let ran = run_compare(folder.path(), "p. #show p/0.", "q. #show q/0.", &[]);
    assert_eq!((ran.code, ran.err.contains("nothing can be compared")), (2, true), "{}", ran.err);
    let ran = run_compare(folder.path(), "p :- b(.", "q.", &[]);
    assert_eq!((ran.code, ran.err.contains("a.lp:1:8")), (2, true), "{}", ran.err);
    let ran = run_line("compare sudoku sudoku --generate minecraft");
    assert_eq!((ran.code, ran.err.contains("no such generator")), (2, true), "{}", ran.err);
    let ran = run(["compare", "sudoku", "sudoku", "--generate", "sudoku --no-such"]);
    assert_eq!((ran.code, ran.err.contains("unexpected argument '--no-such'")), (2, true), "{}", ran.err);
    let ran = run_line("compare nowhere.lp nothing.lp");
    assert_eq!((ran.code, ran.err.contains("nowhere.lp: no such file")), (2, true), "{}", ran.err);
}

#[test]
fn results_before_an_error_are_printed() {
    let folder = folder();
    let good = file(folder.path(), "good.lp", "p(1..2).\n");
    let wrong = file(folder.path(), "wrong.lp", "p(\n");
    let out = folder.path().join("out.json");
    let one = file(folder.path(), "one.lp", "q(X) :- p(X).\n#show q/1.\n");
    for (bad, expected) in [(&wrong, "wrong.lp:"), (&folder.path().join("missing.lp"), "missing.lp: no such file")] {
        let mut child = crate::support::command();
        child.arg("compare").args([&one, &one, &good, bad, &good]);
        let output = crate::support::run_output(child.finished());
        assert_eq!(output.code, 2, "{}", output.err);
        assert!(output.out.contains("good.lp: the same: 1 answer"), "{}", output.out);
        assert!(output.err.contains(expected), "{}", output.err);
        child.args(["-f", "json", "-o"]).arg(&out);
        assert_eq!(child.finished().status.code(), Some(2));
        let written: serde_json::Value =
            serde_json::from_slice(&std::fs::read(&out).expect("the file was written")).expect("JSON");
        assert_eq!((&written["verdict"], written["instances"].as_array().map(Vec::len)), (&"unknown".into(), Some(1)));
    }
}
