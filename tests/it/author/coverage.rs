//! Tests the coverage of rules that are never grounded or never fire, and of constraints and bounds
//! that are never violated.

use asp::{Program, Settings};
use author::coverage::{Coverage, of_test};
use author::tests::Suite;
use base::document::Document;
use base::stop::CancelToken;

use crate::support::process::*;
use crate::support::{command, file, folder, run_output};

const TEXT: &str = "\
p(1..2).
{ q(X) : p(X) } = 1.
r(X) :- q(X), X > 2.
s :- q(1), q(2).
t :- q(1).
:- q(2).
:- t, not p(1).
:- q(1), u.
{ u }.
#program test_a(base).
cannot(\"2\") :- q(2).
#program test_b(base).
:- u.
cannot(\"u\") :- u.
";

fn coverage(text: &str) -> Coverage {
    let suite = Suite::of(&Program { instance: vec![Document::in_memory("a.lp", text)], ..Program::default() });
    let suite = suite.expect("tests");
    let mut coverage = Coverage::default();
    coverage.register(&suite);
    for test in 0..suite.tests().len() {
        let reached = of_test(&suite, test, &Settings::default(), &CancelToken::new()).expect("a program");
        coverage.add(&suite, &reached);
    }
    coverage
}

fn coverage_lines(text: &str) -> Vec<String> {
    let coverage = coverage(text);
    let files = coverage.files();
    files[0]
        .1
        .iter()
        .map(|item| format!("{}: {}", item.place.start.line, item.unused_reason().unwrap_or("used")))
        .collect()
}

#[test]
fn unused_rules_and_constraints_are_reported() {
    assert_eq!(
        coverage_lines(TEXT),
        [
            "2: used",
            "2: used",
            "3: never grounded",
            // It would only fire if a constraint and both bounds were violated.
            "4: never fires",
            "5: used",
            "6: used",
            "7: never grounded",
            "8: used",
            "9: used",
        ]
    );
    // Another constraint excludes everything that this one excludes.
    let twice = TEXT.replace(":- t, not p(1).", ":- q(1), q(2).");
    assert_eq!(coverage_lines(&twice)[6], "7: never violated");
    let none = TEXT
        .replace("#program test_a(base).", "#program test_a.")
        .replace("#program test_b(base).", "#program test_b.");
    assert!(!coverage_lines(&none).is_empty() && coverage_lines(&none).iter().all(|lack| lack.ends_with("in no test")));
}

#[test]
fn a_test_without_answer_sets_covers_constraints_that_alone_exclude_an_answer() {
    let text = "a. b :- a. c :- b, not d. :- c. :- e.\n%**@test(name=\"t\", assert={@noAnswerSet})**%";
    assert_eq!(coverage_lines(text), ["1: used", "1: used", "1: used", "1: never grounded"]);
}

#[test]
fn minimisation_does_not_reduce_coverage() {
    let text = "{ a }. b :- a. #minimize { 1 : a }.\n#program test_a(base).\ncannot(1) :- a.";
    assert_eq!(coverage_lines(text), ["1: used", "1: used"]);
}

#[test]
fn lcov_counts_the_tests_that_use_a_line() {
    let expected = "\
TN:\nSF:a.lp
BRDA:1,0,0,2\nBRDA:1,0,1,2\nBRDA:2,1,0,2\nBRDA:2,1,1,1\nBRDA:4,2,0,0\nBRDA:4,2,1,0
BRF:6\nBRH:4
DA:1,2\nDA:2,1\nDA:3,1\nDA:4,0
LF:4\nLH:3\nend_of_record\n";
    let text = "{ a; b }.\n:- a,\n   b.\nd :- c.\n\
                #program test_1(base).\n#program test_2(base).\n:- b.";
    assert_eq!(coverage(text).lcov(), expected);
}

const GAPS: &str = ": 2 of 3 rules, constraints and bounds are used by tests

rules.lp: 2 of 3
 --> rules.lp:3:1
  |
3 | :- c, a.
  | ^^^^^^^^ never grounded
";

const SOURCE: &str = "2 of 3
     1 | { a; b }.
     1 | :- a, b.
     0 | :- c, a.  % never grounded
       | #defined c/0.
";

#[test]
fn the_command_underlines_uncovered_statements() {
    let folder = folder();
    file(folder.path(), "rules.lp", "{ a; b }.\n:- a, b.\n:- c, a.\n#defined c/0.\n");
    file(folder.path(), "tests.lp", "#include \"rules.lp\".\n#program test_1(base).\ncannot(\"both\") :- a, b.\n");
    let run = |line: &str| {
        let mut command = command();
        run_output(command.current_dir(folder.path()).arg("test").args(line.split_whitespace()).finished())
    };
    let out = run("tests.lp --coverage --lcov a.info").out;
    assert_eq!(
        out.split_once(
            "
coverage"
        )
        .expect("coverage")
        .1,
        GAPS
    );
    let lcov = std::fs::read_to_string(folder.path().join("a.info")).expect("a file");
    assert!(lcov.contains("SF:rules.lp") && lcov.contains("DA:3,0"), "{lcov}");
    let out = run("tests.lp --coverage=source").out;
    assert_eq!(out.split_once("rules.lp: ").expect("coverage").1, SOURCE);
    let json = run("tests.lp --coverage -f json").json();
    assert_eq!((&json["coverage"][0]["used"], &json["coverage"][0]["of"]), (&2.into(), &3.into()));
}
