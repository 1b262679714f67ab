//! Programs in steps: what `#include <incmode>.` does in the clingo command, which the library leaves to its user.
//!
//! The program has the parts `base`, `step(t)` and `check(t)`. Step 0 grounds `base` and `check(0)`; each further step t
//! grounds `step(t)` and `check(t)`. The external atom `query(t)` is true in step t alone, so that `check(t)` can hold for
//! the last step only. Constants steer the loop: `imin` (least number of steps), `imax` (at most so many), `istop` (the
//! result that ends it: "SAT", "UNSAT" or "UNKNOWN"). The result of the loop is that of its last step. Answers of earlier
//! steps are found as well where `imin` or `istop` has the loop go on, and are answers of those steps alone.
//!
//! What is asked of one program (whether tests hold, why there is no answer) is asked of the program as it is in the step with
//! which the loop ends ([`Program::at_last_step`]). It is grounded step by step as in the loop, so that no step knows of what
//! comes later, with no search in between, and `query` is a fact of the last one:
//!
//! ```text
//! base check(0) | step(1) check(1) | … | step(k) check(k) __last       #program __last. query(k).
//! ```
//!
//! Whatever else is to be said of all steps together belongs to the part `__last`, too.

use std::ops::ControlFlow;

use super::Term;
use super::ffi::{self, Model, Part, SolveResult, Symbol, Truth};
use super::solver::{Program, Refuted, Settings, Solved, Solver};
use super::syntax;
use crate::diagnostic::{Diagnostic, Failure};
use crate::document::Document;
use crate::stop::Stop;

/// Whether a text asks for the loop.
pub fn is_incremental(document: &Document) -> bool {
    document.text.contains("incmode")
        && syntax::ranges(&document.text)
            .any(|range| syntax::words(&document.text[range]).eq(["#include", "<", "incmode", ">", "."]))
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

/// How the loop ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoopEnd {
    /// A step that is not before the least one had the result that ends the loop.
    Reached,
    /// There were as many steps as there may be.
    Limit,
    /// The search was stopped, or no more answers were wanted.
    Left,
}

/// How a loop ended, and how thoroughly its steps were searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepsEnd {
    pub end: LoopEnd,
    /// Every step was searched to its end.
    pub are_exhausted: bool,
}

impl Steps {
    /// Reads the constants from a program whose texts are loaded.
    pub fn of(solver: &mut Solver) -> Result<Self, Failure> {
        let mut value = |name: &str| -> Result<Option<Term>, Failure> {
            let value = solver.control().constant(name)?;
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

    /// How the loop ends after a step with this result, if it does.
    fn end(&self, step: u32, result: SolveResult) -> Option<LoopEnd> {
        let is_wanted = match self.until {
            Until::Satisfiable => result.satisfiable,
            Until::Unsatisfiable => result.unsatisfiable,
            Until::Unknown => !result.satisfiable && !result.unsatisfiable,
        };
        let steps = step + 1;
        if result.interrupted {
            Some(LoopEnd::Left)
        } else if steps >= self.least && is_wanted {
            Some(LoopEnd::Reached)
        } else if self.most.is_some_and(|most| steps >= most) {
            Some(LoopEnd::Limit)
        } else {
            None
        }
    }
}

/// The part of what is grounded in the last step, behind all others.
pub const LAST_PART: &str = "__last";
/// What stands in front of its rules.
pub const BEHIND_ALL: &str = "#program __last.";

/// A part that is to be grounded, and what its parameters are.
type OwnPart = (&'static str, Vec<Symbol>);

pub fn borrowed(parts: &[OwnPart]) -> Vec<Part<'_>> {
    parts.iter().map(|(name, values)| (*name, &values[..])).collect()
}

/// What the loop grounds in a step.
fn parts_of(step: u32) -> Vec<OwnPart> {
    let time = vec![ffi::number(step as i32)];
    match step {
        0 => vec![("base", Vec::new()), ("check", time)],
        _ => vec![("check", time.clone()), ("step", time)],
    }
}

impl Program {
    pub fn is_in_steps(&self) -> bool {
        self.last_step.is_some() || self.documents().any(is_incremental)
    }

    /// A program in steps as it is in the first step that has an answer (in the step with which the loop ends, where none
    /// has); any other as it is.
    ///
    /// # Errors
    /// What is wrong with the program, and that the loop was stopped.
    pub fn at_last_step(&self, settings: &Settings, stop: &Stop) -> Result<Program, Failure> {
        if self.last_step.is_some() || !self.is_in_steps() {
            return Ok(self.clone());
        }
        let (last, has_answer) = self.first_answer(settings, stop)?;
        if !has_answer && stop.requested().is_some() {
            return Err(Diagnostic::error(format!("stopped in step {last}, before there was an answer")).into());
        }
        Ok(Program { last_step: Some(last), ..self.clone() })
    }

    /// Runs the loop of a program in steps: with which step it ends, and whether there is an answer in that step.
    pub fn first_answer(&self, settings: &Settings, stop: &Stop) -> Result<(u32, bool), Failure> {
        let mut settings = Settings { models: Some(1), ..settings.clone() };
        settings.options.push("--opt-mode=ignore".to_owned());
        let mut solver = Solver::new(&settings, stop)?;
        solver.load(self)?;
        let steps = Steps::of(&mut solver)?;
        let (solved, count) = solve_steps(&mut solver, &steps, stop, |_| (), |_| ControlFlow::Continue(()))?;
        let Some(last) = count.checked_sub(1) else {
            return Err(Diagnostic::error("imax is 0: there is no step to look at").into());
        };
        Ok((last, solved.result.satisfiable))
    }

    /// What is grounded, one after the other: the part `base`, or for each step its parts.
    pub(super) fn groundings(&self) -> impl Iterator<Item = Vec<OwnPart>> {
        let last = self.last_step;
        (0..=last.unwrap_or(0)).map(move |step| {
            let mut parts = if last.is_some() { parts_of(step) } else { vec![("base", Vec::new())] };
            parts.extend((last == Some(step)).then_some((LAST_PART, Vec::new())));
            parts
        })
    }

    /// What stands in front of rules that are to be about all that is grounded.
    pub fn behind_all(&self) -> &'static str {
        if self.is_in_steps() { BEHIND_ALL } else { "" }
    }

    pub(super) fn last_query(&self) -> Option<Document> {
        let step = self.last_step?;
        let text = format!("#defined query/1. {BEHIND_ALL} query({step}).");
        Some(Document::in_memory("<incmode>", text))
    }
}

/// Runs the loop on a solver whose texts are loaded and not yet grounded. `begin` is called before each step's search.
pub fn solve_steps<F>(
    solver: &mut Solver,
    steps: &Steps,
    stop: &Stop,
    mut begin: impl FnMut(u32),
    found: F,
) -> Result<(Solved, u32), Failure>
where
    F: FnMut(&mut Model<'_>) -> ControlFlow<()> + Send,
{
    let ground = |solver: &mut Solver, step: u32, parts: &[Part<'_>]| {
        begin(step);
        solver.ground(parts)
    };
    solve_steps_by(solver, steps, stop, ground, found)
}

/// As `solve_steps`; the caller grounds the parts of each step.
pub fn solve_steps_by<F>(
    solver: &mut Solver,
    steps: &Steps,
    stop: &Stop,
    mut ground: impl FnMut(&mut Solver, u32, &[Part<'_>]) -> Result<(), Failure>,
    mut found: F,
) -> Result<(Solved, u32), Failure>
where
    F: FnMut(&mut Model<'_>) -> ControlFlow<()> + Send,
{
    if steps.most == Some(0) {
        let steps = Some(StepsEnd { end: LoopEnd::Limit, are_exhausted: true });
        return Ok((Solved { steps, ..Solved::default() }, 0));
    }
    solver.add(&Document::in_memory("<incmode>", "#program check(t). #external query(t)."))?;
    let mut step = 0;
    let mut broke = false;
    let mut refuted = Refuted::default();
    let mut are_exhausted = true;
    loop {
        i32::try_from(step).map_err(|_| Diagnostic::error("more than 2147483647 steps"))?;
        let query = |step: i32| ffi::function("query", &[ffi::number(step)]);
        if let Some(last) = query(step as i32 - 1).filter(|_| step > 0) {
            let released = solver.control().release_external(last);
            released?;
        }
        ground(solver, step, &borrowed(&parts_of(step)))?;
        if let Some(now) = query(step as i32) {
            let assigned = solver.control().assign_external(now, Truth::True);
            assigned?;
        }
        let solved = solver.solve(&[], |model| {
            let flow = found(model);
            broke |= flow.is_break();
            flow
        })?;
        refuted = refuted.with(step, solved.result);
        are_exhausted &= solved.result.exhausted;
        let end = match steps.end(step, solved.result) {
            None if broke || stop.requested().is_some() => Some(LoopEnd::Left),
            end => end,
        };
        if let Some(end) = end {
            let steps = Some(StepsEnd { end, are_exhausted });
            return Ok((Solved { refuted, steps, ..solved }, step + 1));
        }
        step += 1;
    }
}
