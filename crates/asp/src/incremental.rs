//! Incremental programs: the loop that `#include <incmode>.` runs in the clingo command, but not in
//! the library.
//!
//! The program has the parts `base`, `step(t)` and `check(t)`. Step 0 grounds `base` and
//! `check(0)`; each further step t grounds `step(t)` and `check(t)`. The external atom `query(t)`
//! is true in step t only, so that the constraints of `check(t)` apply to the last step only.
//! Constants control the loop: `imin` (the minimum number of steps), `imax` (the maximum number),
//! and `istop` (the result that ends the loop: "SAT", "UNSAT" or "UNKNOWN"). The result of the loop
//! is the result of its last step. If `imin` or `istop` makes the loop continue after a step with
//! answers, these are reported, too; they are answers of that step only.
//!
//! Tests and explanations need a single program. They use the program at the final step of the loop
//! ([`Program::at_final_step`]). It is grounded step by step as in the loop, so that no step
//! depends on later ones, without searches in between, and `query` is a fact of the final step:
//!
//! ```text
//! base check(0) | step(1) check(1) | … | step(k) check(k) __last       #program __last. query(k).
//! ```
//!
//! Other statements about all steps also belong to the part `__last`.

use std::ops::ControlFlow;

use base::diagnostic::{Code, Diagnostic, Failure};
use base::document::Document;
use base::stop::CancelToken;
use ground::Truth;

use super::atoms::Term;
use super::ffi::{self, GroundPart, Model, SolveResult};
use super::outcome::{LoopEnd, LoopSummary, SolveOutcome, UnsatSteps};
use super::program::{Program, as_parts, parts_of};
use super::settings::Settings;
use super::solver::Solver;

/// The limits of the loop, from the constants `imin`, `imax` and `istop`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepLimits {
    pub min_steps: u32,
    pub max_steps: Option<u32>,
    pub stop_result: StopResult,
}

/// The result of a step that ends the loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopResult {
    Satisfiable,
    Unsatisfiable,
    Unknown,
}

impl StepLimits {
    /// Reads the constants of a loaded program.
    pub fn of(solver: &mut Solver) -> Result<Self, Failure> {
        let mut value = |name: &str| -> Result<Option<Term>, Failure> {
            let value = solver.control().constant(name)?;
            Ok(value.map(Term::of))
        };
        let stop_result = match value("istop")?.as_ref().map(Term::text).as_deref() {
            None | Some("SAT") => StopResult::Satisfiable,
            Some("UNSAT") => StopResult::Unsatisfiable,
            Some("UNKNOWN") => StopResult::Unknown,
            Some(other) => {
                let text = format!("the constant istop is \"{other}\"; expected \"SAT\", \"UNSAT\" or \"UNKNOWN\"");
                return Err(Diagnostic::error(Code::Clingo, text).into());
            }
        };
        // As in clingo, a value that is not a number is no limit, and a negative number counts as
        // 0.
        let mut steps = |name| -> Result<Option<u32>, Failure> {
            Ok(value(name)?.and_then(|term| term.number()).map(|number| u32::try_from(number).unwrap_or(0)))
        };
        Ok(StepLimits { min_steps: steps("imin")?.unwrap_or(0), max_steps: steps("imax")?, stop_result })
    }

    /// Returns the reason why the loop ends after a step with this result; `None` if it continues.
    fn end(&self, step: u32, result: SolveResult) -> Option<LoopEnd> {
        let is_stop_result = match self.stop_result {
            StopResult::Satisfiable => result.satisfiable,
            StopResult::Unsatisfiable => result.unsatisfiable,
            StopResult::Unknown => !result.satisfiable && !result.unsatisfiable,
        };
        let steps = step + 1;
        if result.interrupted {
            Some(LoopEnd::Interrupted)
        } else if steps >= self.min_steps && is_stop_result {
            Some(LoopEnd::Reached)
        } else if self.max_steps.is_some_and(|limit| steps >= limit) {
            Some(LoopEnd::Limit)
        } else {
            None
        }
    }
}

impl Program {
    /// Returns an incremental program at its first step that has an answer, or at the final step of
    /// the loop if no step has one. Returns any other program unchanged.
    ///
    /// # Errors
    /// The errors of the program, and cancellation of the loop before there was an answer.
    pub fn at_final_step(&self, settings: &Settings, stop: &CancelToken) -> Result<Program, Failure> {
        if self.last_step.is_some() || !self.is_incremental() {
            return Ok(self.clone());
        }
        let (last, has_answer) = self.find_final_step(settings, stop)?;
        if !has_answer && stop.requested().is_some() {
            return Err(Diagnostic::error(
                Code::Stopped,
                format!("stopped in step {last}, before there was an answer"),
            )
            .into());
        }
        Ok(Program { last_step: Some(last), ..self.clone() })
    }

    /// Runs the loop of an incremental program. Returns the final step, and true if it has an
    /// answer.
    pub fn find_final_step(&self, settings: &Settings, stop: &CancelToken) -> Result<(u32, bool), Failure> {
        let mut settings = Settings { models: Some(1), ..settings.clone() };
        settings.options.push("--opt-mode=ignore".to_owned());
        let mut solver = Solver::new(&settings, stop)?;
        solver.load(self)?;
        let steps = StepLimits::of(&mut solver)?;
        let (solved, count) = solve_steps(&mut solver, &steps, stop, |_| (), |_| ControlFlow::Continue(()))?;
        let Some(last) = count.checked_sub(1) else {
            return Err(Diagnostic::error(Code::Clingo, "imax is 0, so the program has no steps").into());
        };
        Ok((last, solved.result.satisfiable))
    }
}

/// Runs the loop on a solver whose texts are loaded but not grounded. Calls `begin` before each
/// step is grounded, and `on_model` for each answer. Returns the outcome and the number of steps.
pub fn solve_steps<F>(
    solver: &mut Solver,
    steps: &StepLimits,
    stop: &CancelToken,
    mut begin: impl FnMut(u32),
    on_model: F,
) -> Result<(SolveOutcome, u32), Failure>
where
    F: FnMut(&mut Model<'_>) -> ControlFlow<()> + Send,
{
    let ground = |solver: &mut Solver, step: u32, parts: &[GroundPart<'_>]| {
        begin(step);
        solver.ground(parts)
    };
    solve_steps_by(solver, steps, stop, ground, on_model)
}

/// Like [`solve_steps`], but `ground` grounds the parts of each step.
pub fn solve_steps_by<F>(
    solver: &mut Solver,
    steps: &StepLimits,
    stop: &CancelToken,
    mut ground: impl FnMut(&mut Solver, u32, &[GroundPart<'_>]) -> Result<(), Failure>,
    mut on_model: F,
) -> Result<(SolveOutcome, u32), Failure>
where
    F: FnMut(&mut Model<'_>) -> ControlFlow<()> + Send,
{
    if steps.max_steps == Some(0) {
        let steps = Some(LoopSummary { end: LoopEnd::Limit, is_exhausted: true });
        return Ok((SolveOutcome { steps, ..SolveOutcome::default() }, 0));
    }
    solver.add(&Document::in_memory("<incmode>", "#program check(t). #external query(t)."))?;
    let mut step = 0;
    let mut was_stopped = false;
    let mut unsat_steps = UnsatSteps::default();
    let mut is_exhausted = true;
    loop {
        i32::try_from(step).map_err(|_| Diagnostic::error(Code::Clingo, "more than 2147483647 steps"))?;
        let query = |step: i32| ffi::function("query", &[ffi::number(step)]);
        if let Some(last) = query(step as i32 - 1).filter(|_| step > 0) {
            let released = solver.control().release_external(last);
            released?;
        }
        ground(solver, step, &as_parts(&parts_of(step)))?;
        if let Some(now) = query(step as i32) {
            let assigned = solver.control().assign_external(now, Truth::True);
            assigned?;
        }
        let solved = solver.solve(&[], |model| {
            let flow = on_model(model);
            was_stopped |= flow.is_break();
            flow
        })?;
        unsat_steps = unsat_steps.with(step, solved.result);
        is_exhausted &= solved.result.exhausted;
        let end = match steps.end(step, solved.result) {
            None if was_stopped || stop.requested().is_some() => Some(LoopEnd::Interrupted),
            end => end,
        };
        if let Some(end) = end {
            let steps = Some(LoopSummary { end, is_exhausted });
            return Ok((SolveOutcome { unsat_steps, steps, ..solved }, step + 1));
        }
        step += 1;
    }
}
