//! Observation of ground programs during grounding.

use std::ops::ControlFlow;

use ground::{GroundProgram, GroundRule, Truth};

use super::ffi::Symbol;

/// A statement of a ground program, as in the aspif format.
#[derive(Debug, Clone, Copy)]
pub enum AspifStatement<'a> {
    /// A disjunction or a choice with a conjunctive body.
    Rule {
        is_choice: bool,
        head: &'a [u32],
        body: &'a [i32],
    },
    /// A disjunction or a choice whose body is a weight constraint: the weights of the true
    /// literals sum up to at least `bound`.
    WeightRule {
        is_choice: bool,
        head: &'a [u32],
        bound: i32,
        body: &'a [(i32, i32)],
    },
    Minimize {
        priority: i32,
        literals: &'a [(i32, i32)],
    },
    /// An external atom and its value; `None` if it was released, and is false from now on.
    External(u32, Option<Truth>),
    Edge {
        from: i32,
        to: i32,
        condition: &'a [i32],
    },
    /// A theory atom; 0 for a theory directive, which has no atom.
    TheoryAtom(u32),
    /// A term and the condition under which it is shown.
    Output(Symbol, &'a [i32]),
    /// Assumptions of the next search.
    Assume(&'a [i32]),
    /// Projection atoms.
    Project(&'a [u32]),
}

/// Receives each statement of the ground program during grounding. `Break` aborts grounding with an
/// error.
pub trait Observer: Send {
    fn on_statement(&mut self, statement: AspifStatement<'_>) -> ControlFlow<()>;
}

impl Observer for GroundProgram {
    fn on_statement(&mut self, statement: AspifStatement<'_>) -> ControlFlow<()> {
        match statement {
            AspifStatement::Rule { is_choice, head, body } => {
                let body = body.iter().map(|&literal| (literal, 1)).collect();
                self.rules.push(GroundRule { is_choice, head: head.to_vec(), body, bound: None });
            }
            AspifStatement::WeightRule { is_choice, head, bound, body } => {
                self.rules.push(GroundRule { is_choice, head: head.to_vec(), body: body.to_vec(), bound: Some(bound) });
            }
            AspifStatement::Minimize { priority, literals } => self.costs.entry(priority).or_default().extend(literals),
            AspifStatement::External(atom, Some(value)) => {
                if self.frozen.get(&atom) != Some(&false) {
                    self.externals.insert(atom, value);
                }
            }
            AspifStatement::External(atom, None) => {
                self.externals.insert(atom, Truth::False);
                self.frozen.insert(atom, false);
            }
            AspifStatement::Edge { from, to, condition } => self.edges.push((from, to, condition.to_vec())),
            AspifStatement::Output(symbol, condition) => self.outputs.push((format!("{symbol:?}"), condition.to_vec())),
            AspifStatement::Assume(literals) => self.assumed.extend_from_slice(literals),
            AspifStatement::Project(atoms) => self.projected.get_or_insert_default().extend_from_slice(atoms),
            AspifStatement::TheoryAtom(atom) => {
                self.has_theory = true;
                if atom != 0 {
                    self.externals.entry(atom).or_insert(Truth::Free);
                }
            }
        }
        ControlFlow::Continue(())
    }
}
