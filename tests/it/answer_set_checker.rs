//! The checker of answer sets against clingo: on random programs it accepts what clingo finds, and nothing else.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::ops::ControlFlow;

use asp_solve::asp::{Program, Settings, Solver, is_answer_set};
use asp_solve::document::Document;
use asp_solve::stop::Stop;
use fastrand::Rng;

const ATOMS: [&str; 7] = ["a", "b", "c", "d", "e", "f", "g"];
/// More would be too many subsets.
const MOST_ATOMS: u32 = 16;

/// Choices, negation, cardinality and sums, all of them recursive at times, and a constraint.
fn program(random: &mut Rng) -> String {
    let mut text = String::new();
    for _ in 0..random.usize(4..11) {
        let literal = |random: &mut Rng| {
            let negation = if random.f64() < 0.35 { "not " } else { "" };
            format!("{negation}{}", random.choice(ATOMS).expect("there are atoms"))
        };
        let [one, other, third] = [(); 3].map(|()| literal(random));
        let atom = random.choice(ATOMS).expect("there are atoms");
        let second = random.choice(ATOMS).expect("there are atoms");
        let bound = random.u8(1..4);
        let rule = match random.u8(0..9) {
            0 | 1 => format!("{atom} :- {one}, {other}."),
            2 => format!("{atom} :- {one}."),
            3 => format!("{{ {atom}; {second} }} :- {one}."),
            4 => format!("{{ {atom} }}."),
            5 => format!("1 {{ {atom}; {second} }} {bound} :- {one}."),
            6 => format!("{atom} :- 2 {{ {one}; {other}; {third} }}."),
            7 => format!("{atom} :- #sum {{ 2,x : {one}; 1,y : {other}; 1,z : {third} }} >= {bound}."),
            _ => format!(":- {one}, {other}, {third}."),
        };
        let _ = writeln!(text, "{rule}");
    }
    text
}

#[test]
fn exactly_the_answer_sets_are_accepted() {
    let (mut programs, mut answer_sets, mut recursive) = (0, 0, 0);
    for seed in 0.. {
        if programs == 150 {
            break;
        }
        let text = program(&mut Rng::with_seed(seed));
        let settings = Settings { models: Some(0), ..Settings::default() };
        let mut solver = Solver::new(&settings, &Stop::new()).expect("clingo starts");
        let ground = solver.control().observe().expect("clingo can be observed");
        let program = Program { instance: vec![Document::in_memory("program", text.as_str())], ..Program::default() };
        solver.load(&program).expect("it is a program");
        solver.ground(&[("base", &[])]).expect("it grounds");
        let mut found: BTreeSet<u32> = BTreeSet::new();
        solver
            .solve(&[], |model| {
                let holds = |atom: &u32| model.holds(*atom as i32).expect("a literal");
                let rules = &ground.lock().expect("nobody else has it").rules;
                let atoms: BTreeSet<u32> = rules.iter().flat_map(|rule| rule.head.iter().copied()).collect();
                found.insert(atoms.iter().filter(|atom| holds(atom)).map(|atom| 1 << atom).sum());
                ControlFlow::Continue(())
            })
            .expect("it solves");
        let ground = ground.lock().expect("nobody else has it");
        let last = ground.rules.iter().flat_map(|rule| {
            rule.head.iter().copied().chain(rule.body.iter().map(|(literal, _)| literal.unsigned_abs()))
        });
        let last = last.max().unwrap_or(0);
        if last > MOST_ATOMS {
            continue;
        }
        programs += 1;
        answer_sets += found.len();
        let is_accepted = |set: u32| is_answer_set(&ground, |atom| set >> atom & 1 > 0).is_ok();
        // Atom 0 is none.
        let accepted: BTreeSet<u32> = (0..1_u32 << last).map(|set| set << 1).filter(|&set| is_accepted(set)).collect();
        assert_eq!(accepted, found, "seed {seed}\n{text}");
        for set in &found {
            for atom in 1..=last {
                let flipped = set ^ 1 << atom;
                assert!(found.contains(&flipped) || !is_accepted(flipped), "seed {seed}, atom {atom}\n{text}");
            }
        }
        recursive += usize::from(text.contains("2 {") || text.contains("#sum"));
    }
    assert!(answer_sets > 200 && recursive > 50, "{answer_sets} answer sets, {recursive} programs with bounds");
}
