//! Programs in steps: what `#include <incmode>.` does in the clingo command, which the library leaves to its user.
//!
//! The program has the parts `base`, `step(t)` and `check(t)`. Step 0 grounds `base` and `check(0)`; each further step t
//! grounds `step(t)` and `check(t)`. The external atom `query(t)` is true in step t alone, so that `check(t)` can hold for
//! the last step only. Constants steer the loop: `imin` (least number of steps), `imax` (at most so many), `istop` (the
//! result that ends it: "SAT", "UNSAT" or "UNKNOWN").

use std::ops::ControlFlow;

use super::Term;
use super::ffi::{self, Model, SolveResult, Truth};
use super::solver::{Solved, Solver};
use super::syntax;
use crate::diagnostic::{Diagnostic, Failure};
use crate::document::Document;
use crate::stop::Stop;

/// Whether a text asks for the loop.
pub fn is_incremental(document: &Document) -> bool {
    document.text.contains("incmode")
        && syntax::statements(&document.text).iter().any(|statement| {
            let words: String = document.text[statement.range.clone()].split_whitespace().collect();
            words == "#include<incmode>."
        })
}

/// The constants `imin`, `imax` and `istop`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Steps {
    pub least: u32,
    pub most: Option<u32>,
    pub until: Until,
}

/// The result of a step that ends the loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Until {
    Satisfiable,
    Unsatisfiable,
    Unknown,
}

impl Steps {
    /// Reads the constants from a program whose texts are loaded.
    pub fn of(solver: &mut Solver) -> Result<Self, Failure> {
        let mut value = |name: &str| -> Result<Option<Term>, Failure> {
            let value = solver.control().constant(name).map_err(|error| Diagnostic::error(error.text))?;
            Ok(value.map(Term::of))
        };
        let until = match value("istop")?.as_ref().map(Term::text).as_deref() {
            None | Some("SAT") => Until::Satisfiable,
            Some("UNSAT") => Until::Unsatisfiable,
            Some("UNKNOWN") => Until::Unknown,
            Some(other) => {
                let text = format!("the constant istop is \"{other}\"; expected \"SAT\", \"UNSAT\" or \"UNKNOWN\"");
                return Err(Diagnostic::error(text).into());
            }
        };
        // As in clingo, a value that is no number does not limit the steps, and a negative one is none at all.
        let mut steps = |name| -> Result<Option<u32>, Failure> {
            Ok(value(name)?.and_then(|term| term.number()).map(|number| u32::try_from(number).unwrap_or(0)))
        };
        Ok(Steps { least: steps("imin")?.unwrap_or(0), most: steps("imax")?, until })
    }

    fn is_last(&self, step: u32, result: SolveResult) -> bool {
        let wanted = match self.until {
            Until::Satisfiable => result.satisfiable,
            Until::Unsatisfiable => result.unsatisfiable,
            Until::Unknown => !result.satisfiable && !result.unsatisfiable,
        };
        let steps = step + 1;
        result.interrupted || self.most.is_some_and(|most| steps >= most) || (steps >= self.least && wanted)
    }
}

/// Runs the loop on a solver whose texts are loaded and not yet grounded. `begin` is called before each step's search.
pub fn solve_steps<F>(
    solver: &mut Solver,
    steps: &Steps,
    stop: &Stop,
    mut begin: impl FnMut(u32),
    mut found: F,
) -> Result<(Solved, u32), Failure>
where
    F: FnMut(&mut Model<'_>) -> ControlFlow<()> + Send,
{
    if steps.most == Some(0) {
        return Ok((Solved::default(), 0));
    }
    solver.add(&Document::in_memory("<incmode>", "#program check(t). #external query(t)."))?;
    let mut step = 0;
    let mut broke = false;
    loop {
        begin(step);
        let time = [ffi::number(i32::try_from(step).map_err(|_| Diagnostic::error("more than 2147483647 steps"))?)];
        let query = |step: i32| ffi::function("query", &[ffi::number(step)]);
        if step == 0 {
            solver.ground(&[("base", &[]), ("check", &time)])?;
        } else {
            if let Some(last) = query(step as i32 - 1) {
                let released = solver.control().release_external(last);
                released.map_err(|error| Diagnostic::error(error.text))?;
            }
            solver.ground(&[("check", &time), ("step", &time)])?;
        }
        if let Some(now) = query(step as i32) {
            let assigned = solver.control().assign_external(now, Truth::True);
            assigned.map_err(|error| Diagnostic::error(error.text))?;
        }
        let solved = solver.solve(&[], |model| {
            let flow = found(model);
            broke |= flow.is_break();
            flow
        })?;
        if broke || stop.requested().is_some() || steps.is_last(step, solved.result) {
            return Ok((solved, step + 1));
        }
        step += 1;
    }
}
