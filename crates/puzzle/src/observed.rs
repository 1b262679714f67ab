//! Ground programs that are solved by other solvers than clingo.

use std::ops::ControlFlow;
use std::sync::Arc;

use asp::{AspifStatement, CallError, Observer, StoredModel, Symbol};
use base::diagnostic::Failure;
use ground::{GroundProgram, holds_in};
use parking_lot::Mutex;
use rustc_hash::{FxHashMap, FxHashSet};

/// The program of a clingo solver, observed while it is grounded.
pub struct ObservedProgram {
    ground: Arc<Mutex<GroundProgram>>,
    shown: Arc<Mutex<ShownSymbols>>,
}

/// A ground program, and what its answers show.
pub struct GroundAnswers {
    pub ground: GroundProgram,
    outputs: Vec<(Symbol, Vec<i32>)>,
    /// The named atoms with their literals; facts have `None`.
    named: Vec<(Symbol, Option<i32>)>,
    /// The priorities of the costs, highest first.
    priorities: Vec<i32>,
}

impl ObservedProgram {
    /// Starts observing; call before grounding.
    pub fn observe(solver: &mut asp::Solver) -> Result<Self, Failure> {
        let control = solver.control();
        let ground = control.observe()?;
        let shown = Arc::<Mutex<ShownSymbols>>::default();
        control.observe_by(shown.clone())?;
        Ok(ObservedProgram { ground, shown })
    }

    /// Returns the program after grounding.
    pub fn finish(&self, solver: &mut asp::Solver) -> Result<GroundAnswers, Failure> {
        let ignores_costs = solver.control().setting("solve.opt_mode")? == "ignore";
        // Must precede `prepare`, which merges equivalent atoms.
        let named = named_literals(solver.control())?;
        solver.control().prepare()?;
        let mut ground = self.ground.lock().clone();
        if ignores_costs {
            ground.costs.clear();
        }
        let priorities = ground.costs.keys().rev().copied().collect();
        Ok(GroundAnswers { ground, outputs: self.shown.lock().0.clone(), named, priorities })
    }
}

impl GroundAnswers {
    /// Returns the terms that are shown under conditions, each with these conditions.
    pub fn conditional_terms(&self) -> Vec<(Symbol, Vec<Vec<i32>>)> {
        let mut places = FxHashMap::default();
        let mut terms: Vec<(Symbol, Vec<Vec<i32>>)> = Vec::new();
        for (term, condition) in &self.outputs {
            let place = *places.entry(asp::id_of(*term)).or_insert(terms.len());
            if place == terms.len() {
                terms.push((*term, Vec::new()));
            }
            terms[place].1.push(condition.clone());
        }
        terms.retain(|(_, conditions)| conditions.iter().all(|condition| !condition.is_empty()));
        terms
    }

    /// Returns the answer with these true atoms.
    pub fn model(&self, holding: FxHashSet<u32>, number: u64, is_optimal: bool) -> StoredModel {
        let holds = |literal: &i32| holds_in(*literal, |atom| holding.contains(&atom));
        let mut seen = FxHashSet::default();
        let shown = self.outputs.iter().filter(|(_, condition)| condition.iter().all(holds));
        let shown = shown.map(|(symbol, _)| *symbol).filter(|symbol| seen.insert(asp::id_of(*symbol))).collect();
        let atoms = self.named.iter().filter(|(_, literal)| literal.as_ref().is_none_or(holds));
        let atoms = atoms.map(|(symbol, _)| *symbol).collect();
        let costs = self.ground.costs_where(|atom| holding.contains(&atom));
        StoredModel { shown, atoms, holding, costs, priorities: self.priorities.clone(), number, is_optimal }
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
