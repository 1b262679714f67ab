//! Enumerates the answer sets of a ground program, or finds the best ones, with the solver of
//! `refute.rs`, which shares no code with clasp.
//!
//! A blocking clause excludes each answer found: it consists of the negated decisions, or, with
//! projection, of the literals of the shown terms. Optimisation is branch and bound: after each
//! answer, clauses require lower costs.

use std::ops::ControlFlow;

use certificate::CostBound;
use ground::{Completion, GroundProgram, Optimisation, ShownTerms};

use super::refute::{CdclOutcome, CdclSolver};

/// The answers to enumerate.
#[derive(Debug, Clone, Copy, Default)]
pub struct EnumerationMode {
    pub optimisation: Optimisation,
    /// Counts answers that show the same terms as one.
    pub projects_to_shown: bool,
}

/// The end of an enumeration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EnumerationEnd {
    /// True if all answers were reported, or if the last one is optimal.
    pub is_exhausted: bool,
    pub conflicts: u64,
}

/// Receives the true atoms of an answer, its costs, and true if the answer is known to be optimal.
type AnswerCallback<'a> = dyn FnMut(&[u32], Vec<i64>, bool) -> ControlFlow<()> + 'a;

/// Calls `on_answer` for each answer until it breaks, or until `stop`, which receives the work done
/// so far, returns true. Each answer has been checked against the definition of an answer set.
///
/// # Errors
/// The reason why the program has no completion.
pub fn enumerate_answers(
    ground: &GroundProgram,
    shown: &ShownTerms,
    mode: EnumerationMode,
    stop: &mut dyn FnMut(u64) -> bool,
    on_answer: &mut AnswerCallback<'_>,
) -> Result<EnumerationEnd, String> {
    let costs_of = |atoms: &[u32]| ground.costs_where(|atom| atoms.binary_search(&atom).is_ok());
    let mut end = EnumerationEnd::default();
    let mut bound = None;
    if mode.optimisation != Optimisation::None && !ground.costs.is_empty() {
        let mut completion = Completion::of(ground, shown)?;
        let mut solver = CdclSolver::for_answers(ground, &completion);
        loop {
            let outcome = solver.run(stop);
            end.conflicts = solver.conflicts;
            match outcome {
                CdclOutcome::GaveUp => return Ok(end),
                CdclOutcome::Refuted(_) => break,
                CdclOutcome::Answer(atoms) => {
                    let costs = costs_of(&atoms);
                    if on_answer(&atoms, costs.clone(), false).is_break() {
                        return Ok(end);
                    }
                    let better = CostBound { costs, is_strict: true };
                    better.assert_bound(ground, &mut completion)?;
                    solver.add_clauses(&completion);
                    bound = Some(CostBound { is_strict: false, ..better });
                }
            }
        }
        if mode.optimisation == Optimisation::One || bound.is_none() {
            return Ok(EnumerationEnd { is_exhausted: true, ..end });
        }
    }
    let mut completion = Completion::of(ground, shown)?;
    let projection: Vec<i32> = if mode.projects_to_shown {
        shown.values().map(|conditions| completion.any_of(conditions)).collect()
    } else {
        Vec::new()
    };
    if let Some(bound) = &bound {
        bound.assert_bound(ground, &mut completion)?;
    }
    let mut solver = CdclSolver::for_answers(ground, &completion);
    let before = end.conflicts;
    loop {
        let outcome = solver.run(stop);
        end.conflicts = before + solver.conflicts;
        match outcome {
            CdclOutcome::GaveUp => return Ok(end),
            CdclOutcome::Refuted(_) => return Ok(EnumerationEnd { is_exhausted: true, ..end }),
            CdclOutcome::Answer(atoms) => {
                if on_answer(&atoms, costs_of(&atoms), bound.is_some()).is_break() {
                    return Ok(end);
                }
                if mode.projects_to_shown { solver.block_assignment(&projection) } else { solver.block_decisions() }
            }
        }
    }
}
