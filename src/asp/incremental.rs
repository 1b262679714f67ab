//! Programs in steps: what `#include <incmode>.` does in the clingo command, which the library leaves to its user.
//!
//! The program has the parts `base`, `step(t)` and `check(t)`. Step 0 grounds `base` and `check(0)`; each further step t
//! grounds `step(t)` and `check(t)`. The external atom `query(t)` is true in step t alone, so that `check(t)` can hold for
//! the last step only. Constants steer the loop: `imin` (least number of steps), `imax` (at most so many), `istop` (the
//! result that ends it: "SAT", "UNSAT" or "UNKNOWN").

use std::ops::ControlFlow;

use super::ffi::{self, Model, SolveResult, Truth};
use super::solver::{Settings, Solved, Solver};
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
    /// Reads `-c imin=…`, `-c imax=…` and `-c istop="…"`, then `#const`s of the same names in the texts.
    pub fn from_constants(settings: &Settings, documents: &[Document]) -> Result<Self, Failure> {
        let value = |name: &str| -> Option<String> {
            let given = settings.constants.iter().rev().find(|(constant, _)| constant == name).map(|(_, value)| value.clone());
            given.or_else(|| documents.iter().find_map(|document| constant_in(&document.text, name)))
        };
        let number = |name: &str| -> Result<Option<u32>, Failure> {
            value(name).map_or(Ok(None), |text| match text.parse() {
                Ok(number) => Ok(Some(number)),
                Err(_) => Err(Diagnostic::error(format!("the constant {name} is {text}; a whole number of steps was wanted")).into()),
            })
        };
        let until = match value("istop").as_deref().map(|text| text.trim_matches('"')) {
            None | Some("SAT") => Until::Satisfiable,
            Some("UNSAT") => Until::Unsatisfiable,
            Some("UNKNOWN") => Until::Unknown,
            Some(other) => {
                let text = format!("the constant istop is \"{other}\"; \"SAT\", \"UNSAT\" or \"UNKNOWN\" was wanted");
                return Err(Diagnostic::error(text).into());
            }
        };
        Ok(Steps { least: number("imin")?.unwrap_or(0), most: number("imax")?, until })
    }

    fn is_last(&self, step: u32, result: SolveResult) -> bool {
        let wanted = match self.until {
            Until::Satisfiable => result.satisfiable,
            Until::Unsatisfiable => result.unsatisfiable,
            Until::Unknown => !result.satisfiable && !result.unsatisfiable,
        };
        result.interrupted || self.most.is_some_and(|most| step >= most) || (step >= self.least && wanted)
    }
}

/// The value of `#const name = value.` in a text.
fn constant_in(text: &str, name: &str) -> Option<String> {
    syntax::statements(text).into_iter().find_map(|statement| {
        let source = text[statement.range].strip_prefix("#const")?.trim_end_matches('.');
        let (left, right) = source.split_once('=')?;
        (left.trim() == name).then(|| right.trim().to_owned())
    })
}

/// Runs the loop on a solver whose texts are loaded and not yet grounded. `begin` is called before each step's search.
pub fn solve_steps<F>(solver: &mut Solver, steps: &Steps, stop: &Stop, mut begin: impl FnMut(u32), mut found: F) -> Result<(Solved, u32), Failure>
where
    F: FnMut(&mut Model<'_>) -> ControlFlow<()> + Send,
{
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
