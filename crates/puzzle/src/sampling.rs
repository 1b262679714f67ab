//! Answers of logic programs that are drawn at random.

use std::ops::ControlFlow;

use asp::{Model, SolveOutcome, SolveResult};
use base::diagnostic::Failure;
use count::sample;
use num_bigint::BigUint;

use super::counting::{CountedFormula, count_limits};
use super::observed::ObservedProgram;
use super::selection::SampleSummary;
use crate::job::Job;

/// Draws as many answers of a grounded program as the job requests, one by default, each with the
/// same probability.
///
/// # Errors
/// The answers cannot be counted.
pub fn draw_answers(
    program: &asp::Program,
    observed: &ObservedProgram,
    (solver, seed): (&mut asp::Solver, u64),
    job: &Job,
    on_model: &mut dyn FnMut(&mut Model<'_>) -> ControlFlow<()>,
) -> Result<(SolveOutcome, SampleSummary), Failure> {
    let mode = solver.solve_mode()?;
    let answers = observed.finish(solver)?;
    let settings = &job.engine.settings;
    let CountedFormula { formula, costs, unknown, .. } =
        CountedFormula::of(&answers.ground, mode, (program, settings), None, &job.stop)?;
    let mut summary = SampleSummary { count: None, drawn: 0, seed, stopped: None, is_of_optima: costs.is_some() };
    if let Some((_, reason)) = unknown {
        summary.stopped = Some(reason);
        let result = SolveResult { interrupted: true, ..SolveResult::default() };
        return Ok((SolveOutcome { result, ..SolveOutcome::default() }, summary));
    }
    let atoms: Vec<u32> = answers.ground.atoms().collect();
    let mut failed = None;
    let draws = job.question.models.unwrap_or(1);
    let limits = count_limits(&job.engine.limits, &job.stop);
    let sampling = sample(&formula, &limits, (draws, seed), &mut |values| {
        summary.drawn += 1;
        let holding = atoms.iter().copied().filter(|&atom| values[atom as usize]).collect();
        let model = answers.model(holding, summary.drawn, costs.is_some());
        match solver.show(&model, &mut *on_model) {
            Ok(flow) => flow,
            Err(failure) => {
                failed = Some(failure);
                ControlFlow::Break(())
            }
        }
    });
    if let Some(failure) = failed {
        return Err(failure);
    }
    summary.stopped = sampling.stopped;
    summary.count = sampling.count.exact().cloned();
    let has_none = summary.count.as_ref().is_some_and(|count| *count == BigUint::ZERO);
    let result = SolveResult {
        satisfiable: summary.drawn > 0,
        unsatisfiable: has_none,
        exhausted: has_none,
        interrupted: summary.stopped.is_some(),
    };
    Ok((SolveOutcome { result, ..SolveOutcome::default() }, summary))
}
