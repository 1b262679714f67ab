//! The engine `native` for logic programs: clingo grounds the program, and the search that checks
//! certificates solves it.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use asp::{
    AspifStatement, CallError, Model, Observer, ReasoningMode, SolveMode, SolveOutcome, SolveResult, StoredModel,
    Symbol,
};
use base::diagnostic::{Code, Diagnostic, Failure};
use base::stop::CancelToken;
use ground::{GroundProgram, Optimisation, holds_in};
use parking_lot::Mutex;
use prover::{EnumerationMode, shown_terms};
use rustc_hash::FxHashSet;
use serde_json::{Value, json};

use super::closing::Times;

/// A native search on an observed ground program.
pub struct NativeSearch {
    ground: Arc<Mutex<GroundProgram>>,
    shown: Arc<Mutex<ShownSymbols>>,
    solve_mode: SolveMode,
    /// Ignore `#minimize`.
    ignores_costs: bool,
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
        let control = solver.control();
        let setting = |key: &str| control.setting(key);
        let ignores_costs = setting("solve.opt_mode")? == "ignore";
        let models = setting("solve.models")?.parse().ok();
        let unsupported_feature = match solve_mode {
            SolveMode { mode: ReasoningMode::Brave | ReasoningMode::Cautious, .. } => {
                "what answers have in common (--enum-mode)"
            }
            SolveMode { is_bounded: true, .. } => "bounds of --opt-mode",
            SolveMode { is_altered: true, .. } => "options that leave answers out or let others in",
            _ => {
                let ground = control.observe()?;
                let shown = Arc::<Mutex<ShownSymbols>>::default();
                control.observe_by(shown.clone())?;
                return Ok(NativeSearch { ground, shown, solve_mode, ignores_costs, models });
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
        // Must precede `prepare`, which merges equivalent atoms.
        let named = named_literals(solver.control())?;
        solver.control().prepare()?;
        let mut ground = self.ground.lock().clone();
        let outputs = self.shown.lock().0.clone();
        if self.ignores_costs {
            ground.costs.clear();
        }
        if ground.projected.is_some() && self.solve_mode.is_projected {
            return Err(unsupported("#project").into());
        }
        let SolveMode { optimisation, is_projected, .. } = self.solve_mode;
        let minimises = optimisation != Optimisation::None && !ground.costs.is_empty();
        let priorities: Vec<i32> = ground.costs.keys().rev().copied().collect();
        let max_answers = self.models.unwrap_or(if minimises { 0 } else { 1 });
        let mut model = StoredModel::default();
        let mut result = SolveResult::default();
        let mut failed = None;
        let mut times = Times::default();
        let mut show = |atoms: &[u32], costs: Vec<i64>, is_optimal: bool| {
            if is_optimal && !model.is_optimal {
                model.number = 0;
            }
            if !result.satisfiable {
                times.first_model = began.elapsed().as_secs_f64();
            }
            result.satisfiable = true;
            let holding: FxHashSet<u32> = atoms.iter().copied().collect();
            let holds = |literal: &i32| holds_in(*literal, |atom| holding.contains(&atom));
            let mut seen = FxHashSet::default();
            let shown = outputs.iter().filter(|(_, condition)| condition.iter().all(holds));
            let shown = shown.map(|(symbol, _)| *symbol).filter(|symbol| seen.insert(asp::id_of(*symbol))).collect();
            let atoms = named.iter().filter(|(_, literal)| literal.as_ref().is_none_or(holds));
            let atoms = atoms.map(|(symbol, _)| *symbol).collect();
            let number = model.number + 1;
            model = StoredModel { shown, atoms, holding, costs, priorities: priorities.clone(), number, is_optimal };
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
        let enumeration = prover::enumerate_answers(&ground, &shown_terms(&ground), mode, is_stopped, &mut show);
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

/// The shown terms of a ground program as symbols, each with a condition under which it is shown.
#[derive(Default)]
struct ShownSymbols(Vec<(Symbol, Vec<i32>)>);

impl Observer for ShownSymbols {
    fn on_statement(&mut self, statement: AspifStatement<'_>) -> ControlFlow<()> {
        if let AspifStatement::Output(symbol, condition) = statement {
            self.0.push((symbol, condition.to_vec()));
        }
        ControlFlow::Continue(())
    }
}

/// Returns the named atoms with their literals; facts have `None`.
fn named_literals(control: &asp::Control) -> Result<Vec<(Symbol, Option<i32>)>, CallError> {
    let atoms = control.known_atoms()?.into_iter();
    Ok(atoms
        .filter_map(
            |(atom, is_fact)| if is_fact { Some((atom, None)) } else { Some((atom, Some(control.literal(atom)?))) },
        )
        .collect())
}
