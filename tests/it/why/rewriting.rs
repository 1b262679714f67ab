//! A relaxed program has the answers of the program if all parts are enforced, and possibly more
//! otherwise.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use asp::{Order, Program, Settings, Signature, Solver, to_text};
use base::document::Document;
use base::stop::CancelToken;
use explain::{Blame, RelaxedProgram};
use fastrand::Rng;

use crate::support::extent;

type Answers = BTreeSet<BTreeSet<String>>;

fn program(text: &str) -> Program {
    Program { instance: vec![Document::in_memory("text", text)], ..Program::default() }
}

/// The answer sets of a program.
fn answers(text: &str) -> Answers {
    let settings = Settings { models: Some(0), ..Settings::default() };
    let mut solver = Solver::with_program(&program(text), &settings, &CancelToken::new())
        .unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut answers = Answers::new();
    let solved = solver.solve(&[], |model| {
        answers.insert(model.shown(Order::Sorted).expect("memory").map(to_text).collect());
        ControlFlow::Continue(())
    });
    solved.expect("solving");
    answers
}

/// The answers of a relaxed program with some parts enforced, without the atoms of the rewriting.
fn answers_with(relaxed: &mut RelaxedProgram, parts: &[usize]) -> Answers {
    let assumed: Vec<i32> = parts.iter().flat_map(|&part| relaxed.assumptions(part).to_vec()).collect();
    let mut answers = Answers::new();
    let solved = relaxed.solver().control().solve(&assumed, &mut |model| {
        let atoms = model.atoms().expect("memory").map(to_text);
        answers.insert(atoms.filter(|atom| !atom.starts_with("__")).collect());
        ControlFlow::Continue(())
    });
    solved.expect("solving");
    answers
}

/// A random program with a few rules over a few atoms, which have all kinds of literals and heads.
fn random_program(random: &mut Rng) -> String {
    let atom = |random: &mut Rng| format!("{}({})", ["p", "q", "-p"][random.usize(..3)], random.usize(1..4));
    let mut text = "n(1..3). m(2;3).\n".to_owned();
    for _ in 0..random.usize(3..8) {
        let mut body = Vec::new();
        for _ in 0..random.usize(1..3) {
            let (one, other) = (atom(random), atom(random));
            body.push(match random.usize(..7) {
                0 => format!("not {one}"),
                1 => format!("not not {one}"),
                2 => format!("{{ {one}; {other} }} {} 1", ["=", ">", "<"][random.usize(..3)]),
                3 => "p(X), n(X)".to_owned(),
                4 => "q(X) : m(X)".to_owned(),
                5 => format!("#sum {{ X,Y : p(X), n(Y), X < Y }} > {}", random.usize(1..5)),
                _ => one,
            });
        }
        let body = body.join("; ");
        let (one, other) = (atom(random), atom(random));
        text += &match random.usize(..8) {
            0 => format!(":- {body}."),
            1 => format!("1 {{ {one}; q(X) : m(X) }} 2 :- {body}."),
            2 => format!("{{ {one}; {other} }}."),
            3 => format!("{one}."),
            4 => format!("#count {{ X : p(X) : n(X) }} = 1 :- {body}."),
            5 => "1 { q(X) : n(X), X > 1 } 2.".to_owned(),
            _ => format!("{one} :- {body}."),
        };
        text.push('\n');
    }
    text
}

#[test]
fn relaxing_keeps_all_answers_and_dropping_parts_adds_some() {
    let mut random = extent::random();
    let (mut satisfiable, mut unsatisfiable) = (0, 0);
    let blames = [
        vec![Blame::Facts],
        vec![Blame::Constraints],
        vec![Blame::Rules],
        vec![Blame::Facts, Blame::Constraints, Blame::Rules],
        vec![Blame::Predicate(Signature::new("p", 1))],
    ];
    for number in 0..extent::sample_size(150) {
        let text = random_program(&mut random);
        let expected = answers(&text);
        if expected.is_empty() {
            unsatisfiable += 1
        } else {
            satisfiable += 1
        }
        let blamed = &blames[number % blames.len()];
        let source = program(&text).into();
        let mut relaxed = RelaxedProgram::new(&source, blamed, &Settings::default(), &CancelToken::new())
            .unwrap_or_else(|error| panic!("{error}\n{text}"));
        let all: Vec<usize> = (0..relaxed.len()).collect();
        let found = answers_with(&mut relaxed, &all);
        assert_eq!(found, expected, "{blamed:?}\n{text}");
        for _ in 0..4 {
            let some: Vec<usize> = all.iter().copied().filter(|_| random.bool()).collect();
            let fewer: Vec<usize> = some.iter().copied().filter(|_| random.bool()).collect();
            let (some, fewer) = (answers_with(&mut relaxed, &some), answers_with(&mut relaxed, &fewer));
            assert!(fewer.is_superset(&some) && some.is_superset(&expected), "{blamed:?}\n{text}");
        }
    }
    extent::expect_counts([("satisfiable", satisfiable, 10), ("unsatisfiable", unsatisfiable, 4)]);
}
