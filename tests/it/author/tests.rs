//! Tests the two forms of tests of encodings, the place of failures, and the `test` command.

use std::path::Path;

use asp::{Program, Settings, to_text};
use author::tests::{Suite, TestOutcome, TestVerdict};
use base::diagnostic::{Code, Failure};
use base::document::Document;
use base::stop::CancelToken;

use crate::support::process::*;
use crate::support::{RunOutput, command, file, folder, run, run_output};

fn suite(text: &str) -> Result<Suite, Failure> {
    Suite::of(&Program { instance: vec![Document::in_memory("a.lp", text)], ..Program::default() })
}

fn outcomes(text: &str) -> Vec<(String, TestOutcome)> {
    let suite = suite(text).expect("tests");
    let run = |number: usize| suite.run(number, &Settings::default(), &CancelToken::new()).expect("a program");
    suite.tests().iter().enumerate().map(|(number, test)| (test.name.clone(), run(number))).collect()
}

/// Returns for each test its name and the cause of its failure: line and column, message, and
/// answer set.
fn verdicts(text: &str) -> Vec<String> {
    let line = |(name, outcome): (String, TestOutcome)| match outcome.verdict {
        TestVerdict::Passed => format!("{name}: ok"),
        TestVerdict::GaveUp(reason) => format!("{name}: {}", reason.words()),
        TestVerdict::Failed => {
            let start = outcome.place.start;
            let answer = outcome.answer.map_or(String::new(), |answer| {
                format!(" {{{}}}", answer.shown.into_iter().map(to_text).collect::<Vec<_>>().join(" "))
            });
            format!("{name}: {}:{}: {}{answer}", start.line, start.column, outcome.words)
        }
    };
    outcomes(text).into_iter().map(line).collect()
}

const NODES: &str = "\
node(A) :- edge(A,_).
node(B) :- edge(_,B).
cannot(\"at least one edge\") :- not { edge(_,_) } > 0.

#program test_edge_leads_to_nodes(base).
edge(x,y).
cannot(\"node x\") :- not node(x).
cannot(\"node y\") :- not node(y).
cannot(\"node z\") :- not node(z).
";

const COLOURS: &str = "\
%** @start-block(name=\"graph\") **%
node(1..3).
edge(1,2). edge(1,3). edge(2,3).
%** @end-block **%

%** @rule(name=\"guess\", block=\"rules\") **%
{ col(X,(red;green;blue)) } = 1 :- node(X).

%** @rule(name=\"check\", block=\"rules\") **%
:- edge(X,Y), col(X,C), col(Y,C).

%** @rule(name=no_red) **%
:- col(_,red).

";

#[test]
fn a_part_passes_without_cannot_and_fails_at_the_rule_that_fired() {
    assert_eq!(
        verdicts(NODES),
        [
            "test_edge_leads_to_nodes: 9:1: cannot(\"node z\") in an answer set {node(x) node(y) edge(x,y)}",
            "base: 3:1: cannot(\"at least one edge\") in an answer set {}",
        ]
    );
    assert_eq!(verdicts(&NODES.replace(":- not node(z)", ":- node(z)"))[0], "test_edge_leads_to_nodes: ok");
}

#[test]
fn annotations_count_answer_sets() {
    let test = |assertion: &str| {
        let text = format!("{COLOURS}%**@test(name=\"t\", scope={{\"rules\",\"graph\"}}, assert={{{assertion}}})**%");
        verdicts(&text).remove(0).replacen("t: ", "", 1)
    };
    for (assertion, expected) in [
        ("@trueInExactly(number=2, atoms=\"col(1,red).\")", "ok"),
        ("@trueInExactly(number=1, atoms=\"col(1,red). col(2,blue).\")", "ok"),
        (
            "@trueInExactly{ 'number' : 2, 'atoms' : 'col(1,red). col(2,blue).' }",
            "there is 1 answer set in which it holds, expected 2",
        ),
        ("@trueInAtLeast(number=3, atoms=\"col(1,red).\")", "there are 2 answer sets in which it holds, expected 3"),
        ("@trueInAtMost(number=1, atoms=\"col(1,red).\")", "there are more than 1 answer set in which it holds"),
        ("@trueInAtLeast(number=1, atoms=\"col(1,purple).\")", "there is no answer set in which it holds"),
        ("@falseInExactly(number=4, atoms=\"col(1,red)\")", "ok"),
        ("@trueInAll(atoms=\"node(1..3)\"), @falseInAll(atoms='col(1,purple).')", "ok"),
        ("@trueInAll(atoms=\"col(1,red).\")", "this answer set breaks it {node(1) node(2) node(3) col(1,"),
        ("@constraintForAll(constraint=\":- #count { N : col(N,red) } > 1.\")", "ok"),
        ("@constraintInAtLeast(number=2, constraint=\":- not col(1,red).\")", "ok"),
        (
            "@constraintInExactly(number=3, constraint=\":- not col(1,red).\")",
            "there are 2 answer sets in which it holds, expected 3",
        ),
        ("\"@noAnswerSet{}\"", "there is an answer set {node(1) node(2) node(3) col(1,"),
    ] {
        let verdict = test(assertion);
        assert!(verdict.contains(expected), "{assertion}: {verdict}");
        assert!(expected == "ok" || verdict.starts_with("15:"), "{assertion}: {verdict}");
    }
}

#[test]
fn assertions_of_earlier_versions_hold_in_all_or_in_some_answer_sets() {
    let text = "\
{ p(1..2) } = 1.
#program test_all(base).
assert(@all(one)) :- p(_).
assert(@any(\"first\")) :- p(1).
assert(@models(2)).
#program test_some_only(base).
assert(@all(first)) :- p(1).
#program test_never(base).
assert(@any(third)) :- p(3).
#program test_each(base).
assert(@all(each(X))) :- p(X).
#program test_three(base).
assert(@models(3)).
";
    let expected = [
        "test_all: ok",
        "test_some_only: 7:1: this answer set breaks it {p(2)}",
        "test_never: 9:1: there is no answer set in which it holds",
        "test_each: 11:1: this answer set breaks it",
        "test_three: 13:1: there are 2 answer sets, expected 3",
    ];
    let results = verdicts(text);
    assert_eq!(results.len(), expected.len(), "{results:?}");
    for (result, expected) in results.iter().zip(expected) {
        assert!(result.starts_with(expected), "{result}\n{expected}");
    }
}

#[test]
fn a_test_without_answer_sets_fails() {
    let text = "a. :- a.\n#program test_a(base).\ncannot(\"b\") :- b.\n#program test_b(base).\nassert(@models(0)).\n\
                %**@test(name = \"c\", assert = {@trueInAll(atoms = \"b\")})**%";
    assert_eq!(verdicts(text), ["test_a: 2:1: there is no answer set", "test_b: ok", "c: 6:1: there is no answer set"]);
}

#[test]
fn upper_bounds_fail_without_an_answer_set() {
    for assertion in [
        "@trueInAtMost(number = 1, atoms = \"a.\")",
        "@falseInAtMost(number = 1, atoms = \"a.\")",
        "@trueInExactly(number = 0, atoms = \"a.\")",
        "@constraintInAtMost(number = 2, constraint = \":- a.\")",
        "@constraintInExactly(number = 0, constraint = \":- a.\")",
    ] {
        let text = format!("{{ a }}. :- a. :- not a.\n%**@test(name = \"t\", assert = {{ {assertion} }})**%\n");
        assert_eq!(verdicts(&text), ["t: 2:1: there is no answer set"], "{assertion}");
    }
}

#[test]
fn undefined_atoms_of_a_test_fail_unless_they_are_declared() {
    let part = |rules: &str| format!("node(1..2).\n#program test_nodes(base).\n{rules}\n");
    let undefined = |atom: &str| format!("test_nodes: 3:20: atom does not occur in any rule head: {atom}");
    assert_eq!(verdicts(&part("cannot(\"nodes\") :- nodes(X), X > 1.")), [undefined("nodes(X)")]);
    let declared = part("#defined nodes/1. cannot(\"nodes\") :- nodes(X), X > 1.");
    assert_eq!(verdicts(&declared), ["test_nodes: ok"]);
    let comment = |assertion: &str| format!("{{ a }}.\n%**@test(name = \"t\", assert = {{ {assertion} }})**%\n");
    let misspelt = verdicts(&comment("@falseInAll(atoms = \"aa.\")"));
    assert!(misspelt[0].contains("atom does not occur in any rule head: aa"), "{misspelt:?}");
    // An undefined atom does not kill a mutant without the rule.
    let suite = suite(&part("cannot(\"two\") :- node(3).")).expect("tests");
    let outcome = suite.with(0, "").run(0, &Settings::default(), &CancelToken::new()).expect("a program");
    assert!(outcome.passed());
}

#[test]
fn atoms_of_assertions_must_be_ground() {
    for (atoms, wrong) in
        [("a, b.", "a, b"), ("a;c.", "a;c"), ("#true.", "#true"), ("c(X).", "c(X)"), ("a. 3.", "3"), ("c(_).", "c(_)")]
    {
        let text =
            format!("{{ a; b; c(1) }}.\n%**@test(name = \"t\", assert = {{ @falseInAll(atoms = \"{atoms}\") }})**%\n");
        let failure = suite(&text).err().expect(wrong);
        assert_eq!(failure.code(), Some(Code::InvalidAnnotation), "{atoms}");
        assert_eq!(failure.0[0].message, format!("{wrong} is not a ground atom"), "{atoms}");
        let place = &failure.0[0].labels[0];
        assert_eq!(&text[place.range_in(&text)], wrong);
    }
    let text = "-a. b(1+1). b(3).\n%**@test(name = \"t\", assert = { @trueInAll(atoms = \"-a. b(2..3). not -c\") })**%\n-c :- not -a.";
    assert_eq!(verdicts(text), ["t: ok"]);
}

#[test]
fn answer_sets_are_not_counted_if_nothing_is_minimised() {
    let text = "{ p(1..40) }. #minimize { 1,X : q(X) }. #defined q/1.\n\
                %**@test(name = \"t\", assert = { @trueInAtLeast(number = 2, atoms = \"p(1).\") })**%\n";
    assert_eq!(verdicts(text), ["t: ok"]);
}

#[test]
fn assertions_apply_to_optimal_answer_sets_if_costs_are_minimised() {
    let text = "\
{ p(1..3) } = 2. #minimize { X@2,X : p(X); 1@-1 }. :~ p(3). [5@1]
#program test_best(base).
cannot(\"not the best\") :- p(3).
assert(@models(1)).
#program test_of_all(base).
cannot(\"the best\") :- p(1), p(2).
%**@test(name=\"cost\", assert={@bestModelCost(cost=3, level=2), @bestModelCost(cost=1, level=-1)})**%
%**@test(name=\"other\", assert={@bestModelCost(cost=4, level=2)})**%
%**@test(name=\"free\", assert={@bestModelCost(cost=0, level=1), @bestModelCost(cost=1, level=7)})**%
";
    assert_eq!(
        verdicts(text),
        [
            "test_best: ok",
            "test_of_all: 6:1: cannot(\"the best\") in an answer set {p(1) p(2)}",
            "cost: ok",
            "other: 8:32: the best answer set costs 3 at level 2 {p(1) p(2)}",
            "free: 9:64: nothing is minimised at level 7 {p(1) p(2)}",
        ]
    );
}

#[test]
fn a_test_ends_once_its_assertions_are_decided() {
    let text = "{ p(1..60) }.\n#program test_a(base).\ncannot(\"none\") :- q. #defined q/0.\n\
                %**@test(name=\"b\", assert={@trueInAtLeast(number=1000, atoms=\"p(1). p(2).\"), \
                @falseInAtLeast(number=3, atoms=\"p(1).\"), @constraintInAtLeast(number=5, constraint=':- p(1).')})**%";
    // The program has 2⁶⁰ answer sets.
    assert_eq!(verdicts(text), ["test_a: ok", "b: ok"]);
}

#[test]
fn a_rejected_answer_set_is_a_defect_and_decides_no_test() {
    const PROGRAM: &str = "{ c }. a :- b. b :- a. a :- c.\n";
    for test in [
        "#program test_a(base).\ncannot(a) :- a, not c.\n",
        "%**@test(name = \"a\", assert = { @trueInAtLeast(number = 1, atoms = \"a. not c\") })**%\n",
        "%**@test(name = \"a\", assert = { @trueInExactly(number = 1, atoms = \"a. not c\") })**%\n",
        "#program test_a(base).\n:~ not a. [2] :~ c. [1]\ncannot(a) :- a, not c.\n",
    ] {
        // With this option clingo enumerates supported models, which need not be answer sets.
        let supported_models = Settings { options: vec!["--supp-models".to_owned()], ..Settings::default() };
        let suite = suite(&(PROGRAM.to_owned() + test)).expect("tests");
        assert!(suite.run(0, &Settings::default(), &CancelToken::new()).is_ok(), "{test}");
        let failure = suite.run(0, &supported_models, &CancelToken::new()).expect_err("the answer is rejected");
        assert_eq!(failure.code(), Some(Code::RejectedAnswer), "{failure}");
    }
}

#[test]
fn a_count_of_zero_proves_nothing_if_clingo_may_lose_answer_sets() {
    // The program has six answer sets; clingo 5.6.2 finds four.
    let program = "a; na. x; y; z; b; c :- a. a :- b. a :- c. #defined e/0.\n";
    let test = |name: &str, assertion: &str| {
        format!(
            "%**@test(name = \"{name}\", assert = {{ @trueInExactly(number = {assertion}, atoms = \"not e\") }})**%\n"
        )
    };
    let at_least = "%**@test(name = \"some\", assert = { @trueInAtLeast(number = 3, atoms = \"not e\") })**%\n";
    let results = verdicts(&(program.to_owned() + &test("six", "6") + &test("four", "4") + at_least));
    if asp::version() >= (5, 8, 2) {
        assert_eq!((&*results[0], &*results[2]), ("six: ok", "some: ok"));
        assert!(results[1].contains("more than 4 answer sets"), "{results:?}");
    } else {
        let gave_up = |name: &str| format!("{name}: nothing could be proven");
        assert_eq!(results, [gave_up("six"), gave_up("four"), "some: ok".to_owned()]);
    }
}

#[test]
fn parts_see_the_parts_they_name_and_no_other_tests() {
    let text = "a.\n#program more.\nb.\n#program test_base(base).\nc. cannot(\"b\") :- b. #defined b/0.\n\
                #program test_more(more).\ncannot(\"a\") :- a. cannot(\"b\") :- not b. cannot(\"c\") :- c. #defined a/0. #defined c/0.\n\
                #program test_both(base, more).\ncannot(\"lacks\", X) :- X = 1, not a. cannot(\"b\") :- not b.";
    assert_eq!(verdicts(text), ["test_base: ok", "test_more: ok", "test_both: ok"]);
}

#[test]
fn a_mutant_replaces_the_text_of_a_statement() {
    let text = "p(1..3).\n{ q(X) : p(X) } = 1.\n:- q(1).\n#minimize { X,X : q(X); 2 : q(2) }.\n\
                #program test_a(base).\ncannot(\"1\") :- q(1).\ncannot(\"not 3\") :- not q(3).";
    let suite = suite(text).expect("tests");
    let passes = |suite: &Suite| suite.run(0, &Settings::default(), &CancelToken::new()).expect("a program").passed();
    assert_eq!(suite.under_test().len(), 5);
    assert!(passes(&suite));
    for (number, text) in [(2, ""), (0, "p(1..2)."), (1, "{ q(X) : p(X) }."), (3, ":~ q(3). [9]"), (4, "")] {
        assert!(!passes(&suite.with(number, text)), "{number}: {text}");
    }
    assert!(passes(&suite.with(2, ":- q(1), p(2).")));
    assert!(suite.with(2, ":- not q(X).").run(0, &Settings::default(), &CancelToken::new()).is_err(), "unsafe");
}

#[test]
fn errors_in_tests_have_their_place() {
    let annotation = |inside: &str| format!("a.\n%**@test({inside})**%");
    for (text, place, expected) in [
        (
            annotation("name=\"t\", scope={\"b\"}, assert={@noAnswerSet}"),
            (2, 28),
            "no rule or block has the name \"b\"",
        ),
        (annotation("name=\"t\", assert={@trueInSome(atoms=\"a\")}"), (2, 28), "@trueInSome is not an assertion"),
        (annotation("name=\"t\", assert={@trueInAtLeast(atoms=\"a\")}"), (2, 28), "`number` is missing"),
        (
            annotation("name=\"t\", assert={@trueInAll(number=1, atoms=\"a\")}"),
            (2, 28),
            "@trueInAll has no `number`; it has atoms, atom",
        ),
        (
            annotation("name=\"t\", assert={@trueInAtMost(number=x, atoms=\"a\")}"),
            (2, 49),
            "expected a number, found `x`",
        ),
        (annotation("name=\"t\", assert={@trueInAll(atoms=\"a. b(.\")}"), (2, 49), "b( is not a ground atom"),
        (annotation("name=\"t\""), (2, 4), "the test has no `assert`, which says what is expected"),
        (annotation("assert={@noAnswerSet}"), (2, 4), "`name` is missing"),
        (annotation("name=\"t\", assert={@noAnswerSet"), (2, 40), "expected `,` or `}`, found `)`"),
        (annotation("name=\"t, assert={}"), (2, 15), "unterminated string"),
        (
            annotation("name=\"t\", asserts={@noAnswerSet}"),
            (2, 4),
            "@test has no `asserts`; it has name, scope, programFiles, file, input, inputFiles, assert",
        ),
        (annotation("name=\"t\", assert={@trueInAll(atoms=\"\")}"), (2, 46), "expected an atom"),
        (
            annotation("name=\"t\", assert={@constraintForAll(constraint=\"a(1).\")}"),
            (2, 58),
            "expected a constraint, which begins with :-",
        ),
        (
            annotation("name=\"t\", assert={@trueInAtLeast(number=0, atoms=\"a\")}"),
            (2, 28),
            "trueInAtLeast 0 holds vacuously; expected a number from 1",
        ),
        (
            "#program test_a(base, foo).\n#program fooo.".to_owned(),
            (1, 1),
            "test_a: there is no part foo (did you mean fooo?)",
        ),
        ("a.\n#program test_a(base).\ncannt :- a.".to_owned(), (3, 1), "nothing reads cannt (did you mean cannot?)"),
        ("#program test_a.\n#program test_a.".to_owned(), (2, 1), "two tests have the name test_a"),
        ("#program test_a.\na(.".to_owned(), (2, 3), "syntax error, unexpected ., expecting ) or ;"),
    ] {
        let failure = suite(&text).err().unwrap_or_else(|| panic!("{text} is wrong"));
        let start = failure.0[0].labels[0].start;
        assert_eq!(((start.line, start.column), failure.0[0].message.as_str()), (place, expected), "{text}");
    }
    // clingo's message about an input has the place of the input.
    let text = annotation("name=\"t\", input=\"b(X).\", assert={@noAnswerSet}");
    let suite = suite(&text).expect("tests");
    let failure = suite.run(0, &Settings::default(), &CancelToken::new()).expect_err("an invalid input");
    let start = failure.0[0].labels[0].start;
    assert_eq!((start.line, start.column), (2, 27), "{text}: {failure}");
    assert_eq!(failure.0[0].labels[0].file, "a.lp");
}

#[test]
fn truncated_texts_do_not_panic() {
    let text = format!(
        "{COLOURS}%**@test(name='é', scope=[\"rules\"], input='a(\"ü\").', assert={{\"@trueInAll{{'atoms':'a. b.'}}\"}})**%"
    );
    for end in (0..=text.len()).filter(|&end| text.is_char_boundary(end)) {
        for tail in ["", ")**%", "\"**%"] {
            if let Ok(suite) = suite(&format!("{}{tail}", &text[..end])) {
                for test in 0..suite.tests().len() {
                    let _ = suite.run(test, &Settings::default(), &CancelToken::new());
                }
            }
        }
    }
    let deep = format!("%**@test(name={}a)**%", "[".repeat(100_000));
    assert!(suite(&deep).is_err());
}

/// Creates a folder with a program, its tests, and tests that include these.
fn suites() -> tempfile::TempDir {
    let folder = folder();
    file(
        folder.path(),
        "program/rules.lp",
        "% Rules: of a row.\n%\n% Goes with  shared/grid.lp\n\n{ on(R,C) } :- cell(R,C).\n:- on(R,C), on(R,C+1).\ndraw(fill(R,C,black)) :- on(R,C).\n#show on/2.\n",
    );
    let one = "#include \"../program/rules.lp\".\nrows(1). columns(2).\n#program test_good(base).\ncannot(\"both\") :- on(1,1), on(1,2).\n\
               #program test_bad(base).\ncannot(\"none\") :- not on(1,1), not on(1,2).\n";
    file(folder.path(), "tests/one.lp", one);
    file(
        folder.path(),
        "tests/deeper/two.lp",
        "#include \"../one.lp\".\n%**@test(name=\"three answers\", assert={@trueInExactly(number=1, atoms=\"on(1,1)\"), @constraintForAll(constraint=\":- on(1,1), on(1,2).\")})**%\n",
    );
    file(folder.path(), "tests/none.lp", "a(.");
    folder
}

fn test_in(folder: &Path, line: &str) -> RunOutput {
    let mut command = command();
    // Built-in encodings are read from the embedded copies.
    command.current_dir(folder);
    run_output(command.arg("test").args(line.split_whitespace()).finished())
}

const FAILING: &str = "
running 1 test of tests/deeper/two.lp
test three answers ... ok

running 2 tests of tests/one.lp
test test_good ... ok
test test_bad ... FAILED

failures:

---- test_bad of tests/one.lp ----
error: cannot(\"none\") in an answer set
 --> tests/one.lp:6:1
  |
6 | cannot(\"none\") :- not on(1,1), not on(1,2).
  | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
answer set: empty
why: asp-solve why tests/one.lp --test test_bad 'cannot(\"none\")'

test result: FAILED. 2 passed; 1 failed";

#[test]
fn files_of_a_folder_are_tested_separately_and_failures_show_the_answer_set() {
    let folder = suites();
    let ran = test_in(folder.path(), "tests -t 1");
    let out = ran.out.split("; finished").next().unwrap_or_default();
    assert_eq!(out, FAILING);
    assert_eq!((ran.code, ran.err.as_str()), (1, ""));
    // Included files with tests are also tested, but only once.
    let names = |line: &str| {
        let ran = test_in(folder.path(), line);
        let names = ran.json()["tests"]
            .as_array()
            .expect("tests")
            .iter()
            .map(|test| test["name"].as_str().expect("a name").to_owned())
            .collect::<Vec<_>>();
        (ran.code, names.join(", "))
    };
    assert_eq!(names("tests/deeper/two.lp tests -f json"), (1, "three answers, test_good, test_bad".to_owned()));
    assert_eq!(names("tests -f json -k good"), (0, "test_good".to_owned()));
}

#[test]
fn files_without_tests_are_the_program_of_files_with_tests() {
    let folder = crate::support::folder();
    crate::support::file(folder.path(), "colour.lp", "{ red(N) } :- node(N). :- red(1), red(2).");
    let tests =
        "#program test_two(base).\nnode(1..2).\ncannot(\"both\") :- red(1), red(2).\ncannot(\"two\") :- not red(2).\n";
    crate::support::file(folder.path(), "colour_tests.lp", tests);
    for line in ["colour.lp colour_tests.lp", "colour_tests.lp colour.lp"] {
        let ran = test_in(folder.path(), line);
        assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
        assert!(ran.out.contains("cannot(\"two\") in an answer set"), "{}", ran.out);
        assert!(ran.out.contains("why: asp-solve why colour_tests.lp colour.lp --test test_two"), "{}", ran.out);
    }
    let alone = test_in(folder.path(), "colour.lp");
    assert_eq!((alone.code, alone.err.contains("has no tests")), (2, true), "{}", alone.err);
    let mutants = test_in(folder.path(), "--mutants -q colour.lp colour_tests.lp");
    assert!(mutants.out.contains("fails without any change"), "{}{}", mutants.out, mutants.err);
}

#[test]
fn why_explains_the_program_of_a_test() {
    let folder = suites();
    let mut command = command();
    let line = ["why", "tests/one.lp", "--test", "test_bad", "cannot(\"none\")"];
    let ran = run_output(command.current_dir(folder.path()).args(line).finished());
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    assert!(ran.out.contains("tests/one.lp:6"), "{}", ran.out);
}

#[test]
fn json_and_junit_reports_agree() {
    let folder = suites();
    file(
        folder.path(),
        "slow.lp",
        "p(1..20). { q(X,Y) : p(Y) } = 1 :- p(X). :- q(X,Z), q(Y,Z), X < Y. :- q(20,20), q(19,19).\n#program test_slow(base).\ncannot(1) :- #sum { Y,X : q(X,Y) } != 210.",
    );
    let ran = retry_with_longer_limits(|limit| {
        let ran = test_in(folder.path(), &format!("tests slow.lp -f json --junit out.xml --time-limit {limit}"));
        (ran.json()["passed"] == 2 && ran.json()["failed"] == 1).then_some(ran)
    });
    let json = ran.json();
    assert_eq!((ran.code, &json["passed"], &json["failed"], &json["gave_up"]), (1, &2.into(), &1.into(), &1.into()));
    let failed =
        json["tests"].as_array().expect("tests").iter().find(|test| test["passed"] == false).expect("a failed test");
    assert_eq!(
        (&failed["name"], &failed["file"], &failed["line"], &failed["words"], &failed["answer"]),
        (
            &"test_bad".into(),
            &"tests/one.lp".into(),
            &5.into(),
            &"cannot(\"none\") in an answer set".into(),
            &serde_json::json!([])
        )
    );
    assert_eq!(test_in(folder.path(), "slow.lp --time-limit 0.2").code, 3);
    let xml = std::fs::read_to_string(folder.path().join("out.xml")).expect("a report");
    let document = roxmltree::Document::parse(&xml).expect("XML");
    let root = document.root_element();
    assert_eq!(
        (root.attribute("tests"), root.attribute("failures"), root.attribute("errors")),
        (Some("4"), Some("1"), Some("1"))
    );
    let cases: Vec<_> = root.descendants().filter(|node| node.has_tag_name("testcase")).collect();
    let failed =
        cases.iter().find(|case| case.children().any(|child| child.has_tag_name("failure"))).expect("a failure");
    assert_eq!((failed.attribute("name"), failed.attribute("line")), (Some("test_bad"), Some("5")));
    assert_eq!((failed.attribute("classname"), failed.attribute("file")), (Some("tests/one.lp"), Some("tests/one.lp")));
    assert!(failed.attribute("time").is_some_and(|seconds| seconds.parse::<f64>().is_ok()), "{xml}");
    let failure = failed.first_element_child().expect("a failure");
    assert_eq!(
        (failure.attribute("message"), failure.text()),
        (Some("cannot(\"none\") in an answer set"), Some("tests/one.lp:6"))
    );
}

#[test]
fn files_without_tests_and_missing_files_are_errors() {
    let folder = suites();
    for (line, expected) in [
        ("program/rules.lp", "error: program/rules.lp: has no tests"),
        ("program", "error: program: no file below has tests"),
        ("tests/none.lp", "error: syntax error, unexpected ."),
        ("missing.lp", "error: missing.lp: no such file"),
    ] {
        let ran = test_in(folder.path(), line);
        assert_eq!(ran.code, 2, "{line}");
        assert!(ran.err.starts_with(expected), "{line}: {}", ran.err);
    }
    file(folder.path(), "a.lp", "p.\n#include \"b.lp\".\n#program test_a(base).");
    let ran = test_in(folder.path(), "a.lp");
    assert!(ran.err.contains("b.lp: no such file") && ran.err.contains("a.lp:2:1"), "{}", ran.err);
    file(folder.path(), "b.lp", "q(X) :- p.");
    let ran = test_in(folder.path(), "a.lp");
    assert_eq!(ran.code, 2);
    assert!(ran.out.contains("test test_a ... ERROR") && ran.out.contains("b.lp:1:1"), "{}", ran.out);
}

#[test]
fn stock_clingo_ignores_tests() {
    let folder = suites();
    for text in [
        NODES.to_owned(),
        format!("{COLOURS}%**@test(name=\"t\", scope={{\"rules\"}}, input='a.', assert={{@noAnswerSet}})**%"),
    ] {
        let path = file(folder.path(), "clingo.lp", text);
        let ran = run([std::ffi::OsStr::new("clingo"), path.as_os_str()]);
        assert!([10, 20, 30].contains(&ran.code), "{}", ran.err);
    }
}

#[test]
fn failures_and_warnings_are_reported_for_continuous_integration() {
    let folder = folder();
    let failing = "a <- b. p(1..3).\n#program test_few(base).\ncannot(\"p, 100%\") :- p(3).\n";
    file(folder.path(), "work/a.lp", failing);
    file(folder.path(), "work/plain.lp", "{ b }. knows(ann,bob;eve). big(X*X) :- X = 65536.\n");
    file(folder.path(), "work/wrong.lp", "a :- b\nc :- d.\n");
    let ran = test_in(folder.path(), "work -f github");
    assert_eq!(ran.code, 2, "{}{}", ran.out, ran.err);
    let lines: Vec<&str> = ran.out.lines().collect();
    for expected in [
        "::error file=work/wrong.lp,line=1,endLine=1,col=6,endColumn=7,title=missing-period::syntax error",
        "::notice file=work/a.lp,line=1,endLine=1,col=1,endColumn=8,title=arrow::",
        "::notice file=work/plain.lp,line=1,endLine=1,col=8,endColumn=26,title=pool-arity::",
        "::warning file=work/plain.lp,line=1,endLine=1,col=32,endColumn=35,title=overflow::",
        "::error file=work/a.lp,line=3,endLine=3,col=1,",
    ] {
        assert!(lines.iter().any(|line| line.starts_with(expected)), "{expected}\n{}", ran.out);
    }
    assert!(ran.out.contains("100%25") && lines.iter().all(|line| line.starts_with("::")), "{}", ran.out);
    let ran = test_in(folder.path(), "work -f sarif -o report.sarif");
    assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{}", ran.err);
    let text = std::fs::read_to_string(folder.path().join("report.sarif")).expect("a report");
    let log: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().expect("rules");
    let results = run["results"].as_array().expect("results");
    assert_eq!((results.len(), run["tool"]["driver"]["name"].as_str()), (lines.len(), Some("asp-solve")), "{log:#}");
    for result in results {
        let rule = &rules[result["ruleIndex"].as_u64().expect("an index") as usize];
        assert_eq!(rule["id"], result["ruleId"], "{result:#}");
        assert!(["error", "warning", "note"].contains(&result["level"].as_str().expect("a level")), "{result:#}");
        assert!(result["message"]["text"].is_string(), "{result:#}");
        let location = &result["locations"][0]["physicalLocation"];
        assert!(location["artifactLocation"]["uri"].as_str().is_some_and(|uri| uri.starts_with("work/")), "{result:#}");
        assert!(location["region"]["startLine"].as_u64().is_some_and(|line| line > 0), "{result:#}");
    }
    // A file without tests is checked beside a folder or a file with tests.
    let ran = test_in(folder.path(), "work/plain.lp work/a.lp missing.lp -f github");
    assert_eq!(ran.code, 2, "{}{}", ran.out, ran.err);
    for expected in ["title=pool-arity", "title=arrow", "title=unreadable-file", "title=failed-test"] {
        assert!(ran.out.contains(expected), "{expected}: {}", ran.out);
    }
    // A file without errors and tests passes.
    file(folder.path(), "fine.lp", "{ a }.");
    let ran = test_in(folder.path(), "fine.lp -f github");
    assert_eq!((ran.code, ran.out.as_str()), (0, ""), "{}", ran.err);
    let ran = test_in(folder.path(), "fine.lp -f sarif");
    assert_eq!((ran.code, &ran.json()["runs"][0]["results"]), (0, &serde_json::json!([])), "{}", ran.err);
}
