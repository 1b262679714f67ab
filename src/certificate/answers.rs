//! The answer sets of a ground program, all or the best, by the search of this room: a solver that shares nothing with clasp.
//!
//! An answer that was found is forbidden by a clause, of the choices that led to it, or of what it shows where that tells answers
//! apart. Better and better ones are found under clauses that demand less than the last one costs.

use std::ops::ControlFlow;

use super::claim::{Bound, Shown};
use super::completion::Completion;
use super::refute::{Outcome, Search};
use crate::asp::{Ground, Optimisation};

/// What is looked for.
#[derive(Debug, Clone, Copy, Default)]
pub struct Asked {
    pub optimisation: Optimisation,
    /// Answers that show the same count as one.
    pub is_of_shown: bool,
}

/// How the search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Ended {
    /// There are no other answers, or no better ones.
    pub is_exhausted: bool,
    pub conflicts: u64,
}

/// Takes an answer: its true atoms, its costs, and whether it is known to be optimal.
type Take<'a> = dyn FnMut(&[u32], Vec<i64>, bool) -> ControlFlow<()> + 'a;

/// Calls `found` for each answer with its true atoms, its costs, and whether it is known to be optimal, until it breaks or
/// `stop` says so. Each answer satisfies the definition of an answer set.
///
/// # Errors
/// Why the program has no translation.
pub fn answers(
    ground: &Ground,
    shown: &Shown,
    asked: Asked,
    stop: &mut dyn FnMut(u64) -> bool,
    found: &mut Take<'_>,
) -> Result<Ended, String> {
    let costs_of = |atoms: &[u32]| ground.costs_where(|atom| atoms.binary_search(&atom).is_ok());
    let mut ended = Ended::default();
    let mut bound = None;
    if asked.optimisation != Optimisation::None && !ground.costs.is_empty() {
        let mut completion = Completion::of(ground, shown)?;
        let mut search = Search::for_answers(ground, &completion);
        loop {
            let outcome = search.run(stop);
            ended.conflicts = search.conflicts;
            match outcome {
                Outcome::GaveUp => return Ok(ended),
                Outcome::Refuted(_) => break,
                Outcome::Answer(atoms) => {
                    let costs = costs_of(&atoms);
                    if found(&atoms, costs.clone(), false).is_break() {
                        return Ok(ended);
                    }
                    let better = Bound { costs, is_strict: true };
                    better.demand(ground, &mut completion)?;
                    search.take(&completion);
                    bound = Some(Bound { is_strict: false, ..better });
                }
            }
        }
        if asked.optimisation == Optimisation::One || bound.is_none() {
            return Ok(Ended { is_exhausted: true, ..ended });
        }
    }
    let mut completion = Completion::of(ground, shown)?;
    let told_apart_by: Vec<i32> = match asked.is_of_shown {
        true => shown.values().map(|conditions| completion.any_of(conditions)).collect(),
        false => Vec::new(),
    };
    if let Some(bound) = &bound {
        bound.demand(ground, &mut completion)?;
    }
    let mut search = Search::for_answers(ground, &completion);
    let before = ended.conflicts;
    loop {
        let outcome = search.run(stop);
        ended.conflicts = before + search.conflicts;
        match outcome {
            Outcome::GaveUp => return Ok(ended),
            Outcome::Refuted(_) => return Ok(Ended { is_exhausted: true, ..ended }),
            Outcome::Answer(atoms) => {
                if found(&atoms, costs_of(&atoms), bound.is_some()).is_break() {
                    return Ok(ended);
                }
                match asked.is_of_shown {
                    true => search.forbid(&told_apart_by),
                    false => search.forbid_choices(),
                }
            }
        }
    }
}
