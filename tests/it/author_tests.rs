//! Tests of encodings: what the two forms say, what breaks an expectation, and where; and the command that runs them.

use asp_solve::asp::{Program, Settings, to_text};
use asp_solve::author::tests::{Outcome, Suite, Verdict};
use asp_solve::diagnostic::Failure;
use asp_solve::document::Document;
use asp_solve::stop::Stop;

fn suite(text: &str) -> Result<Suite, Failure> {
    Suite::of(&Program { instance: vec![Document::in_memory("a.lp", text)], ..Program::default() })
}

fn outcomes(text: &str) -> Vec<(String, Outcome)> {
    let suite = suite(text).expect("tests");
    let run = |number: usize| suite.run(number, &Settings::default(), &Stop::new()).expect("a program");
    suite.tests().iter().enumerate().map(|(number, test)| (test.name.clone(), run(number))).collect()
}

/// For each test its name, and what broke it: where (line and column), in words, and the answer set.
fn told(text: &str) -> Vec<String> {
    let line = |(name, outcome): (String, Outcome)| match outcome.verdict {
        Verdict::Passed => format!("{name}: ok"),
        Verdict::GaveUp(reason) => format!("{name}: {}", reason.words()),
        Verdict::Failed => {
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
fn a_part_passes_where_no_cannot_holds_and_fails_at_the_rule_that_fired() {
    assert_eq!(
        told(NODES),
        [
            "test_edge_leads_to_nodes: 9:1: cannot(\"node z\") in an answer set {node(x) node(y) edge(x,y)}",
            "base: 3:1: cannot(\"at least one edge\") in an answer set {}",
        ]
    );
    assert_eq!(told(&NODES.replace(":- not node(z)", ":- node(z)"))[0], "test_edge_leads_to_nodes: ok");
}

#[test]
fn comments_say_how_many_answer_sets_there_are() {
    let test = |assertion: &str| {
        let text = format!("{COLOURS}%**@test(name=\"t\", scope={{\"rules\",\"graph\"}}, assert={{{assertion}}})**%");
        told(&text).remove(0).replacen("t: ", "", 1)
    };
    for (assertion, expected) in [
        ("@trueInExactly(number=2, atoms=\"col(1,red).\")", "ok"),
        ("@trueInExactly(number=1, atoms=\"col(1,red). col(2,blue).\")", "ok"),
        (
            "@trueInExactly{ 'number' : 2, 'atoms' : 'col(1,red). col(2,blue).' }",
            "there is 1 answer set in which it holds, 2 were wanted",
        ),
        ("@trueInAtLeast(number=3, atoms=\"col(1,red).\")", "there are 2 answer sets in which it holds, 3 were wanted"),
        ("@trueInAtMost(number=1, atoms=\"col(1,red).\")", "there are more than 1 answer sets in which it holds"),
        ("@trueInAtLeast(number=1, atoms=\"col(1,purple).\")", "there is no answer set in which it holds"),
        ("@falseInExactly(number=4, atoms=\"col(1,red)\")", "ok"),
        ("@trueInAll(atoms=\"node(1..3)\"), @falseInAll(atoms='col(1,purple).')", "ok"),
        ("@trueInAll(atoms=\"col(1,red).\")", "this answer set breaks it {node(1) node(2) node(3) col(1,"),
        ("@constraintForAll(constraint=\":- #count { N : col(N,red) } > 1.\")", "ok"),
        ("@constraintInAtLeast(number=2, constraint=\":- not col(1,red).\")", "ok"),
        (
            "@constraintInExactly(number=3, constraint=\":- not col(1,red).\")",
            "there are 2 answer sets in which it holds, 3 were wanted",
        ),
        ("\"@noAnswerSet{}\"", "there is an answer set {node(1) node(2) node(3) col(1,"),
    ] {
        let told = test(assertion);
        assert!(told.contains(expected), "{assertion}: {told}");
        assert!(expected == "ok" || told.starts_with("15:"), "{assertion}: {told}");
    }
}
