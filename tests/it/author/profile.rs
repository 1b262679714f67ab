//! Tests that profiles count exactly, and report the growing rule if grounding does not end.

use std::sync::Arc;

use asp::{Program, Settings, Solver};
use author::profile::{ProfileRecorder, profile};
use base::document::Document;
use base::stop::CancelToken;
use fastrand::Rng;
use ground::GroundProgram;
use parking_lot::Mutex;
use serde_json::Value;

use crate::support::process::*;
use crate::support::{extent, file, folder, run, run_line, run_with_input};

fn program(text: &str) -> Program {
    Program { instance: vec![Document::in_memory("text", text)], ..Program::default() }
}

/// Returns the JSON of the statement on a line.
fn statement_on_line(value: &Value, line: usize) -> &Value {
    let statements = value["statements"].as_array().expect("statements");
    statements.iter().find(|statement| statement["line"] == line).unwrap_or_else(|| panic!("{line}: {value:#}"))
}

fn counts(value: &Value, line: usize) -> [u64; 3] {
    ["tried", "rules", "literals"].map(|key| statement_on_line(value, line)[key].as_u64().expect("a count"))
}

#[test]
fn instances_rules_and_literals_agree_with_a_count_by_hand() {
    let text = "\
edge(1..9,1..9).
path(X,X+1) :- X = 1..8, edge(X,X+1).
path(X,Z) :- path(X,Y), path(Y,Z).
{ in(X) : edge(X,X) } = 2.
:- in(X), in(Y), X < Y, not path(X,Y).
:- in(X), in(X+1).
out(X) :- edge(X,X), not in(X).
#minimize { X : in(X) }.
";
    let ran = run_with_input("profile - -f json", text);
    let value = ran.json();
    assert_eq!((ran.code, &value["verdict"]), (0, &"solved".into()), "{}", ran.err);
    assert_eq!(counts(&value, 1), [1, 81, 81]);
    assert_eq!(counts(&value, 2), [8, 8, 8]);
    // All pairs of nine nodes except the edges of the path, each found once per node between them.
    assert_eq!(counts(&value, 3), [84, 28, 28]);
    // All pairs have a path, so no constraint is left.
    assert_eq!(counts(&value, 5)[1..], [0, 0]);
    // The last node has no successor.
    assert_eq!(counts(&value, 6), [9, 8, 16]);
    assert_eq!(counts(&value, 7), [9, 9, 18]);
    assert_eq!(counts(&value, 8)[0], 9);
}

#[test]
fn each_ground_rule_of_random_programs_is_counted_once() {
    let mut random = extent::random();
    let atom = |random: &mut Rng| {
        let name = random.choice(["a", "b", "c", "d"]).expect("names");
        let term = random.choice(["X", "Y", "1", "X+1"]).expect("terms");
        format!("{name}({term})")
    };
    let mut checked = 0;
    for _ in 0..extent::sample_size(300) {
        let mut text = String::from("e(1..3). f(1). f(2).\n");
        for _ in 0..random.usize(2..8) {
            let [head, one, other] = [(); 3].map(|()| atom(&mut random));
            let sign = if random.bool() { "not " } else { "" };
            let domain = "e(X), e(Y), X < 3";
            text += &match random.u8(0..8) {
                0 => format!("{{ {head} }} :- {domain}.\n"),
                1 => format!("1 {{ {head} : e(Y); {one} : f(Y) }} 2 :- e(X), X < 3.\n"),
                2 => format!(":- {one}, {sign}{other}, {domain}.\n"),
                3 => format!("{head} :- 2 #count {{ X : {one}, e(X), e(Y); X+5 : {other}, f(X), f(Y) }}, {domain}.\n"),
                4 => format!("{head} :- {one} : f(X), f(Y); {domain}.\n"),
                5 => format!("{head} ; {one} :- {sign}{other}, {domain}.\n"),
                6 => format!("#minimize {{ X : {one}, {domain} }}.\n"),
                _ => format!("{head} :- {one}, {sign}{other}, {domain}.\n"),
            };
        }
        let program = program(&text);
        let settings = Settings { models: Some(1), ..Settings::default() };
        let mut solver = Solver::new(&settings, &CancelToken::new()).expect("a solver");
        let ground: Arc<Mutex<GroundProgram>> = solver.control().observe().expect("an observer");
        solver.load(&program).expect("a program");
        solver.ground(&[("base", &[])]).expect("the program grounds");
        let plain = ground.lock();
        let literals: usize = plain.rules.iter().map(|rule| rule.head.len() + rule.body.len()).sum();
        let record = ProfileRecorder::default();
        profile(&program, &settings, &CancelToken::new(), &record).expect("the program grounds");
        let profile = record.profile();
        let all = || profile.costs.iter().chain([&profile.rest]);
        let sums = (all().map(|cost| cost.rules).sum::<u64>(), all().map(|cost| cost.literals).sum::<u64>());
        assert_eq!(sums, (plain.rules.len() as u64, literals as u64), "{text}");
        checked += plain.rules.len();
    }
    extent::expect_counts([("rules", checked, 3000)]);
}

#[test]
fn endless_grounding_is_stopped_and_the_growing_rule_is_named() {
    let folder = folder();
    let path = file(
        folder.path(),
        "grows.lp",
        "start(0).\nnumber(X) :- start(X).\n\nnumber(X+1) :- number(X).\nlast(1..3).\n",
    );
    let path = path.to_str().expect("a name");
    let has_grown = |text: &str| text.contains("the last: X=") || text.contains("\"last\"");
    let ran = retry_with_longer_limits(|limit| {
        let ran = run(["profile", path, "--time-limit", limit]);
        assert_eq!(ran.code, 3, "{}{}", ran.out, ran.err);
        has_grown(&ran.out).then_some(ran)
    });
    assert!(
        ran.out.starts_with("gave up: the time limit was reached; grounding had not finished after "),
        "{}",
        ran.out
    );
    let growing = ran.out.lines().nth(1).expect("a rule");
    assert!(growing.trim_start().starts_with(&format!("{path}:4  number(X+1) :- number(X).")), "{}", ran.out);
    assert!(ran.out.lines().nth(2).is_some_and(|line| line.contains(" a second; the last: X=")), "{}", ran.out);
    let value = retry_with_longer_limits(|limit| {
        let ran = run(["profile", path, "--time-limit", limit, "-f", "json"]);
        has_grown(&ran.out).then(|| ran.json())
    });
    let instances = value["growing"][0]["tried"].as_u64().expect("a count");
    // The instance with number n has the value n - 1.
    assert_eq!(value["growing"][0]["last"]["X"], (instances - 1).to_string());
    assert_eq!((&value["growing"][0]["line"], &value["verdict"]), (&4.into(), &"gave-up".into()));
}

#[test]
fn deep_terms_are_printed_and_unsatisfiable_programs_have_exit_code_1() {
    let ran = retry_with_longer_limits(|limit| {
        let ran = run_with_input(&format!("profile - --time-limit {limit}"), "m(a). m(f(X)) :- m(X).\n");
        ran.out.contains("f(f(f(").then_some(ran)
    });
    assert!(ran.code == 3 && ran.out.contains('…'), "{}{}", ran.out, ran.err);
    let deep = "m(a,1). m(f(X),N+1) :- m(X,N), N < 20000. :- m(X,20000).\n";
    for format in ["text", "json"] {
        assert_eq!(run_with_input(&format!("profile - -f {format}"), deep).code, 1);
    }
}

#[test]
fn a_body_without_instances_is_named_although_clingo_cannot_be_interrupted() {
    let text = "n(1..3000).\nok.\n:- n(X), n(Y), n(Z), n(W), X*Y+Z*W = -1.\n";
    let ran = retry_with_longer_limits(|limit| {
        let ran = run_with_input(&format!("profile - --time-limit {limit}"), text);
        assert_eq!(ran.code, 3, "{}{}", ran.out, ran.err);
        ran.out.contains("its body has found nothing").then_some(ran)
    });
    assert!(ran.out.contains("<stdin>:3  :- n(X)") && ran.out.contains("its body has found nothing"), "{}", ran.out);
}

#[test]
fn an_endless_search_is_stopped_by_the_limit() {
    let text = "\
{ at(P,H) : H = 1..13 } = 1 :- P = 1..14.
:- at(P,H), at(Q,H), P < Q.
";
    let value = retry_with_longer_limits(|limit| {
        let ran = run_with_input(&format!("profile - --time-limit {limit} -f json"), text);
        let value = ran.json();
        assert_eq!((ran.code, &value["verdict"]), (3, &"gave-up".into()), "{}", ran.err);
        (value["search"]["conflicts"].as_u64() > Some(100)).then_some(value)
    });
    assert_eq!(statement_on_line(&value, 2)["rules"], 13 * 14 * 13 / 2);
}

#[test]
fn boards_are_profiled_with_the_encoding_of_their_puzzle_line_by_line() {
    let ran = run_line("profile instances/sudoku.txt");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.starts_with("grounded in ") && ran.out.contains(" s: 1 answer; "), "{}", ran.out);
    let encoding = std::fs::read_to_string("asp/puzzles/sudoku.lp").expect("the encoding");
    let (number, line) = (1..).zip(encoding.lines()).find(|(_, line)| line.starts_with(":-")).expect("a constraint");
    let source_line = ran.out.lines().find(|line_of_output| line_of_output.ends_with(&format!(" {number} │ {line}")));
    let cells: Vec<&str> = source_line.unwrap_or_else(|| panic!("{}", ran.out)).split_whitespace().collect();
    assert!(cells[0].parse::<f64>().is_ok() && cells[1].replace(',', "").parse::<u64>().is_ok(), "{cells:?}");
}

#[test]
fn errors_refer_to_the_source_of_the_program() {
    let wrong = |text: &str| {
        let ran = run_with_input("profile -", text);
        assert_eq!(ran.code, 2, "{text}: {}", ran.out);
        ran.err
    };
    let unsafe_ = wrong("a(1).\nb(Y) :- a(X).\n");
    assert!(unsafe_.contains("<stdin>:2:1") && unsafe_.contains("unsafe") && !unsafe_.contains("__"), "{unsafe_}");
    assert!(wrong("a :- b(.\n").contains("<stdin>:1:8"));
    assert!(
        wrong("#include <incmode>.\n#program step(t).\nb(Y) :- a(t).\n#program check(t).\n:- query(0).")
            .contains("<stdin>:3:1")
    );
    assert!(wrong("asp 1 0 0\n1 0 1 1 0 0\n0\n").contains("a ground program (aspif)"));
    let ran = run_line("profile instances/sudoku.txt -f dot");
    assert_eq!((ran.code, ran.err.contains("[possible values: text, json]")), (2, true));
    // An undefined function has no value, with or without instrumentation.
    assert_eq!(run_with_input("profile - -f json", "a(@f(1)).\nb(1..2).\n").code, 0);
}
