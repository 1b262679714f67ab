//! The engine `native` for logic programs: clingo grounds the program, and the search that checks
//! certificates solves it.

use std::ops::ControlFlow;
use std::time::Instant;

use asp::{Model, ReasoningMode, SolveMode, SolveOutcome, SolveResult, StoredModel};
use base::diagnostic::{Code, Diagnostic, Failure};
use base::stop::CancelToken;
use ground::Optimisation;
use prover::{EnumerationMode, shown_terms};
use serde_json::{Value, json};

use super::closing::Times;
use super::observed::ObservedProgram;

/// A native search on an observed ground program.
pub struct NativeSearch {
    program: ObservedProgram,
    solve_mode: SolveMode,
    /// Maximum number of answers, 0 for all; `None` for one answer or the optimum.
    models: Option<u64>,
}

/// The error for unsupported programs and options.
pub fn unsupported(what: &str) -> Diagnostic {
    Diagnostic::error(Code::Unsupported, format!("the engine native cannot solve this: {what}"))
        .help("--engine asp can")
}

impl NativeSearch {
    /// Starts observing; call before grounding.
    ///
    /// # Errors
    /// The engine does not support the reasoning mode.
    pub fn observe(solver: &mut asp::Solver) -> Result<NativeSearch, Failure> {
        let solve_mode = solver.solve_mode()?;
        let models = solver.control().setting("solve.models")?.parse().ok();
        let unsupported_feature = match solve_mode {
            SolveMode { mode: ReasoningMode::Brave | ReasoningMode::Cautious, .. } => {
                "what answers have in common (--enum-mode)"
            }
            SolveMode { is_bounded: true, .. } => "bounds of --opt-mode",
            SolveMode { is_altered: true, .. } => "options that leave answers out or let others in",
            _ => {
                let program = ObservedProgram::observe(solver)?;
                return Ok(NativeSearch { program, solve_mode, models });
            }
        };
        Err(unsupported(unsupported_feature).into())
    }

    /// Solves the ground program. Returns the result, the times and the statistics.
    pub fn solve(
        &self,
        solver: &mut asp::Solver,
        stop: &CancelToken,
        on_model: &mut dyn FnMut(&mut Model<'_>) -> ControlFlow<()>,
    ) -> Result<(SolveOutcome, Times, Value), Failure> {
        let began = Instant::now();
        let answers = self.program.finish(solver)?;
        let ground = &answers.ground;
        if ground.projected.is_some() && self.solve_mode.is_projected {
            return Err(unsupported("#project").into());
        }
        let SolveMode { optimisation, is_projected, .. } = self.solve_mode;
        let minimises = optimisation != Optimisation::None && !ground.costs.is_empty();
        let max_answers = self.models.unwrap_or(if minimises { 0 } else { 1 });
        let mut model = StoredModel::default();
        let mut result = SolveResult::default();
        let mut failed = None;
        let mut times = Times::default();
        let mut show = |atoms: &[u32], _: Vec<i64>, is_optimal: bool| {
            if is_optimal && !model.is_optimal {
                model.number = 0;
            }
            if !result.satisfiable {
                times.first_model = began.elapsed().as_secs_f64();
            }
            result.satisfiable = true;
            model = answers.model(atoms.iter().copied().collect(), model.number + 1, is_optimal);
            let is_last =
                model.number == max_answers && (is_optimal || optimisation != Optimisation::All || !minimises);
            match solver.show(&model, &mut *on_model) {
                Ok(ControlFlow::Continue(())) if !is_last => ControlFlow::Continue(()),
                Ok(_) => ControlFlow::Break(()),
                Err(failure) => {
                    failed = Some(failure);
                    ControlFlow::Break(())
                }
            }
        };
        let mode = EnumerationMode { optimisation, projects_to_shown: is_projected };
        let is_stopped = &mut |_| stop.requested().is_some();
        let enumeration = prover::enumerate_answers(ground, &shown_terms(ground), mode, is_stopped, &mut show);
        if let Some(failure) = failed {
            return Err(failure);
        }
        let enumeration = enumeration.map_err(|why| unsupported(&why))?;
        result.exhausted = enumeration.is_exhausted;
        result.unsatisfiable = enumeration.is_exhausted && !result.satisfiable;
        result.interrupted = stop.requested().is_some();
        times.solving = began.elapsed().as_secs_f64();
        let solved = SolveOutcome { result, ..SolveOutcome::default() };
        Ok((solved, times, json!({ "conflicts": enumeration.conflicts, "rules": ground.rules.len() })))
    }
}
