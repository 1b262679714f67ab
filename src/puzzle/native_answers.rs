//! The engine `native` of logic programs: clingo grounds, and the search that makes certificates solves.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use rustc_hash::FxHashSet;
use serde_json::{Value, json};

use super::closing::Times;
use crate::asp::{self, CallError, Ground, Known, Mode, Model, Optimisation, Question, SolveResult, Solved, Symbol};
use crate::certificate::{self, Asked, shown_of};
use crate::diagnostic::{Diagnostic, Failure};
use crate::stop::Stop;

/// A program whose grounding is observed.
pub struct Native {
    ground: Arc<Mutex<Ground>>,
    question: Question,
    /// `#minimize` means nothing.
    ignores_costs: bool,
    /// At most so many answers, 0 for all; none for one, or the optimum.
    models: Option<u64>,
}

/// The error of what this engine cannot do.
pub fn refused(what: &str) -> Diagnostic {
    Diagnostic::error(format!("the engine native cannot solve this: {what}")).help("--engine asp can")
}

impl Native {
    /// From now on; nothing may be grounded yet.
    ///
    /// # Errors
    /// The question is none for this engine.
    pub fn of(solver: &mut asp::Solver) -> Result<Native, Failure> {
        let question = solver.question()?;
        let control = solver.control();
        let setting = |key: &str| control.setting(key);
        let (ignores_costs, models) = (setting("solve.opt_mode")? == "ignore", setting("solve.models")?.parse().ok());
        let wrong = match question {
            Question { mode: Mode::Brave | Mode::Cautious, .. } => "what answers have in common (--enum-mode)",
            Question { is_bounded: true, .. } => "bounds of --opt-mode",
            Question { is_altered: true, .. } => "options that leave answers out or let others in",
            _ => {
                let ground = control.observe()?;
                return Ok(Native { ground, question, ignores_costs, models });
            }
        };
        Err(refused(wrong).into())
    }

    /// Solves what was grounded; gives the time, and what there is to say of the search.
    pub fn solve(
        &self,
        solver: &mut asp::Solver,
        stop: &Stop,
        found: &mut dyn FnMut(&mut Model<'_>) -> ControlFlow<()>,
    ) -> Result<(Solved, Times, Value), Failure> {
        let began = Instant::now();
        // Before the solver takes equal atoms for one.
        let named = named_literals(solver.control())?;
        solver.control().prepare()?;
        let mut ground = self.ground.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if self.ignores_costs {
            ground.costs.clear();
        }
        if ground.projected.is_some() && self.question.is_projected {
            return Err(refused("#project").into());
        }
        let Question { optimisation, is_projected, .. } = self.question;
        let minimises = optimisation != Optimisation::None && !ground.costs.is_empty();
        let most = self.models.unwrap_or(if minimises { 0 } else { 1 });
        let mut known = Known::default();
        let (mut result, mut failed, mut times) = (SolveResult::default(), None, Times::default());
        let mut show = |atoms: &[u32], costs: Vec<i64>, is_optimal: bool| {
            if is_optimal && !known.is_optimal {
                known.number = 0;
            }
            if !result.satisfiable {
                times.first_model = began.elapsed().as_secs_f64();
            }
            result.satisfiable = true;
            let holding: FxHashSet<u32> = atoms.iter().copied().collect();
            let holds = |literal: &i32| holding.contains(&literal.unsigned_abs()) == (*literal > 0);
            let mut seen = FxHashSet::default();
            let shown = ground.outputs.iter().filter(|(_, condition)| condition.iter().all(holds));
            let shown = shown.map(|(symbol, _)| *symbol).filter(|symbol| seen.insert(asp::id_of(*symbol))).collect();
            let atoms = named.iter().filter(|(_, literal)| literal.as_ref().is_none_or(holds));
            let atoms = atoms.map(|(symbol, _)| *symbol).collect();
            known = Known { shown, atoms, holding, costs, number: known.number + 1, is_optimal };
            let is_last = known.number == most && (is_optimal || optimisation != Optimisation::All || !minimises);
            match solver.show(&known, &mut *found) {
                Ok(ControlFlow::Continue(())) if !is_last => ControlFlow::Continue(()),
                Ok(_) => ControlFlow::Break(()),
                Err(failure) => {
                    failed = Some(failure);
                    ControlFlow::Break(())
                }
            }
        };
        let asked = Asked { optimisation, is_of_shown: is_projected };
        let is_stopped = &mut |_| stop.requested().is_some();
        let ended = certificate::answers(&ground, &shown_of(&ground), asked, is_stopped, &mut show);
        if let Some(failure) = failed {
            return Err(failure);
        }
        let ended = ended.map_err(|why| refused(&why))?;
        result.exhausted = ended.is_exhausted;
        result.unsatisfiable = ended.is_exhausted && !result.satisfiable;
        result.interrupted = stop.requested().is_some();
        times.solving = began.elapsed().as_secs_f64();
        let solved = Solved { result, ..Solved::default() };
        Ok((solved, times, json!({ "conflicts": ended.conflicts, "rules": ground.rules.len() })))
    }
}

/// The atoms that have a name, with their literals; none of those that are facts.
fn named_literals(control: &asp::Control) -> Result<Vec<(Symbol, Option<i32>)>, CallError> {
    let known = control.known_atoms()?.into_iter();
    Ok(known
        .filter_map(
            |(atom, is_fact)| if is_fact { Some((atom, None)) } else { Some((atom, Some(control.literal(atom)?))) },
        )
        .collect())
}
