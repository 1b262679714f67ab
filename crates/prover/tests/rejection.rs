//! Tests the search for an answer set that another program rejects against brute force.

#[path = "../../ground/tests/programs/mod.rs"]
mod programs;

use std::ops::ControlFlow;

use fastrand::Rng;
use ground::{GroundProgram, ShownTerms};
use programs::{answers, holds, random_program, seeds};
use prover::{EnumerationMode, RejectionProgram, TRUE, enumerate_answers, without_externals};

/// Returns the values of one side of the shared literals in an answer set.
fn values(literals: impl Iterator<Item = i32>, set: u32) -> Vec<bool> {
    literals.map(|literal| if literal.abs() == TRUE { literal > 0 } else { holds(set, literal) }).collect()
}

/// Returns the true atoms of an answer set, as a set.
fn first_answer(ground: &GroundProgram) -> Option<Vec<u32>> {
    let mut found = None;
    let outcome = enumerate_answers(
        ground,
        &ShownTerms::new(),
        EnumerationMode::default(),
        &mut |_| false,
        &mut |atoms, _, _| {
            found = Some(atoms.to_vec());
            ControlFlow::Break(())
        },
    );
    outcome.expect("the program is supported");
    found
}

/// Adds guesses until an answer of the holder is rejected or none is. Returns true if one is, and
/// the number of guesses.
fn search(
    holder: &GroundProgram,
    accepted: &[(Vec<bool>, u32)],
    shared: &[(i32, i32)],
    mut program: RejectionProgram,
) -> (bool, usize) {
    program.add_guess(|_| -TRUE);
    for guesses in 1.. {
        let ground =
            GroundProgram { rules: program.rules.clone(), edges: holder.edges.clone(), ..GroundProgram::default() };
        let Some(atoms) = first_answer(&ground) else { return (false, guesses) };
        let set = atoms.iter().filter(|&&atom| atom < 31).fold(0, |set, atom| set | 1 << atom);
        let values = values(shared.iter().map(|pair| pair.0), set);
        let Some((_, accepting)) = accepted.iter().find(|(others, _)| *others == values) else {
            return (true, guesses);
        };
        assert!(!program.guessed().is_empty(), "the other program accepts the answer {atoms:?}");
        program.add_guess(|atom| if holds(*accepting, atom as i32) { TRUE } else { -TRUE });
    }
    unreachable!("there are finitely many guesses")
}

fn against_brute_force(seeds: std::ops::Range<u64>) -> [usize; 4] {
    let [mut rejected, mut accepted, mut guessed, mut unsupported] = [0; 4];
    for seed in seeds {
        let random = &mut Rng::with_seed(seed);
        let [mut holder, mut other] = [random_program(random), random_program(random)];
        if random.bool() {
            // Similar programs.
            other.rules = holder.rules.clone();
            other.rules.truncate(other.rules.len() - random.usize(0..2));
        }
        let last = holder.last_atom().min(other.last_atom()) as i32;
        let mut shared: Vec<(i32, i32)> = (1..=last).filter(|_| random.bool()).map(|atom| (atom, atom)).collect();
        if random.u8(0..8) == 0 {
            shared.push((TRUE, 1));
            shared.push((1, if random.bool() { TRUE } else { -TRUE }));
        }
        let (Ok(of_holder), Ok(of_other)) = (without_externals(&holder), without_externals(&other)) else {
            unsupported += 1;
            continue;
        };
        (holder, other) = (of_holder, of_other);
        let program = match RejectionProgram::new(&holder, &other, &shared) {
            Ok(program) => program,
            Err(_) => {
                unsupported += 1;
                continue;
            }
        };
        let accepting: Vec<(Vec<bool>, u32)> =
            answers(&other).into_iter().map(|set| (values(shared.iter().map(|pair| pair.1), set), set)).collect();
        let is_accepted = |set: u32| {
            let values = values(shared.iter().map(|pair| pair.0), set);
            accepting.iter().any(|(others, _)| *others == values)
        };
        let expected = answers(&holder).into_iter().any(|set| !is_accepted(set));
        guessed += usize::from(!program.guessed().is_empty());
        let (found, _) = search(&holder, &accepting, &shared, program);
        assert_eq!(found, expected, "seed {seed}: {holder:?}\n{other:?}\n{shared:?}");
        *(if found { &mut rejected } else { &mut accepted }) += 1;
    }
    [rejected, accepted, guessed, unsupported]
}

#[test]
fn rejected_answers_are_found_if_and_only_if_there_are_any() {
    let counts = against_brute_force(seeds(1_500));
    let [rejected, accepted, guessed, unsupported] = counts;
    assert!(rejected > 150 && accepted > 250 && guessed > 250 && unsupported < 1_000, "{counts:?}");
}

mod campaign {
    use super::*;

    #[test]
    #[ignore = "takes a minute"]
    fn rejected_answers_are_found_for_many_programs() {
        println!("{:?}", against_brute_force(seeds(50_000)));
    }
}
