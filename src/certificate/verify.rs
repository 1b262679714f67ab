//! The checker: whether steps lead from the clauses of a ground program to the empty clause.
//!
//! This file is trusted, and shares nothing with the search that writes the steps. Each step adds a clause that follows:
//!
//! - **learnt**: if all its literals are false, the clauses that are named become unit one after the other, in this order,
//!   and the last of them has no literal left (reverse unit propagation, as in LRAT);
//! - **unfounded**: the atoms of a set can only be founded by rules that do not need the set. If the first of them is
//!   true, the body of such a rule holds (Lin and Zhao, "ASSAT: computing answer sets of a logic program by SAT solvers", 2004);
//! - **cycle**: edges that form a cycle are not all there.

use super::completion::Completion;
use crate::asp::Ground;

/// One step. Clauses have numbers: those of the completion from 1, then each that a step adds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    Learnt {
        literals: Box<[i32]>,
        hints: Box<[u32]>,
    },
    /// Atoms, and literals that join the clause: where these are false, more rules do not help.
    Unfounded {
        atoms: Box<[u32]>,
        besides: Box<[i32]>,
    },
    /// Edges by their places in the program.
    Cycle {
        edges: Box<[u32]>,
    },
    /// The clauses are not needed any more.
    Delete {
        clauses: Box<[u32]>,
    },
}

pub struct Verifier<'a> {
    ground: &'a Ground,
    completion: &'a Completion,
    /// Those of steps; a clause that was deleted is none.
    added: Vec<Option<Box<[i32]>>>,
    /// By variable: whether it is true, as far as the step has come.
    values: Vec<Option<bool>>,
    /// By variable: in the set of atoms of the step.
    in_set: Vec<bool>,
}

/// Goes through the steps until the empty clause, and gives the number of steps that were needed.
///
/// # Errors
/// The step that is wrong, from 1, and why.
pub fn verify<'s>(
    ground: &Ground,
    completion: &Completion,
    steps: impl IntoIterator<Item = &'s Step>,
) -> Result<usize, String> {
    if completion.clauses.iter().any(|clause| clause.is_empty()) {
        return Ok(0);
    }
    let mut verifier = Verifier::new(ground, completion);
    for (number, step) in (1..).zip(steps) {
        match verifier.step(step) {
            Ok(true) => return Ok(number),
            Ok(false) => {}
            Err(why) => return Err(format!("step {number}: {why}")),
        }
    }
    Err("the steps do not lead to the empty clause".to_owned())
}

impl<'a> Verifier<'a> {
    pub fn new(ground: &'a Ground, completion: &'a Completion) -> Self {
        let size = completion.variables as usize + 1;
        Verifier { ground, completion, added: Vec::new(), values: vec![None; size], in_set: vec![false; size] }
    }

    /// Whether the step added the empty clause.
    fn step(&mut self, step: &Step) -> Result<bool, String> {
        let clause = match step {
            Step::Learnt { literals, hints } => {
                self.follows(literals, hints)?;
                Some(literals.clone())
            }
            Step::Unfounded { atoms, besides } => {
                Completion::normal(self.unfounded(atoms, besides)?, self.completion.always)
            }
            Step::Cycle { edges } => Completion::normal(self.cycle(edges)?, self.completion.always),
            Step::Delete { clauses } => {
                for &number in clauses {
                    self.delete(number)?;
                }
                return Ok(false);
            }
        };
        let is_empty = clause.as_ref().is_some_and(|clause| clause.is_empty());
        self.added.push(clause);
        Ok(is_empty)
    }

    fn clause(&self, number: u32) -> Result<&[i32], String> {
        let (number, given) = (number as usize, self.completion.clauses.len());
        let clause = match number.checked_sub(1) {
            Some(place) if place < given => Some(&self.completion.clauses[place]),
            Some(place) => self.added.get(place - given).and_then(Option::as_ref),
            None => None,
        };
        clause.map(|clause| &**clause).ok_or_else(|| format!("there is no clause {number}"))
    }

    fn delete(&mut self, number: u32) -> Result<(), String> {
        let place = (number as usize).checked_sub(self.completion.clauses.len() + 1);
        let clause = place.and_then(|place| self.added.get_mut(place));
        clause.and_then(Option::take).map(drop).ok_or_else(|| format!("there is no added clause {number}"))
    }

    fn variable(&self, literal: i32) -> Result<usize, String> {
        let variable = literal.unsigned_abs() as usize;
        (1..self.values.len())
            .contains(&variable)
            .then_some(variable)
            .ok_or_else(|| format!("there is no literal {literal}"))
    }

    fn follows(&mut self, literals: &[i32], hints: &[u32]) -> Result<(), String> {
        let mut assigned = Vec::with_capacity(literals.len() + hints.len());
        let refuted = self.propagate(literals, hints, &mut assigned);
        assigned.into_iter().for_each(|variable: usize| self.values[variable] = None);
        refuted
    }

    fn propagate(&mut self, literals: &[i32], hints: &[u32], assigned: &mut Vec<usize>) -> Result<(), String> {
        for &literal in literals {
            let variable = self.variable(literal)?;
            if self.values[variable].is_some() {
                return Err(format!("the clause has the variable {variable} twice"));
            }
            self.values[variable] = Some(literal < 0);
            assigned.push(variable);
        }
        for &hint in hints {
            let mut open = None;
            for &literal in self.clause(hint)? {
                match self.values[literal.unsigned_abs() as usize] {
                    Some(value) if value == (literal > 0) => return Err(format!("clause {hint} is satisfied")),
                    Some(_) => {}
                    None if open.is_some() => return Err(format!("clause {hint} is not unit")),
                    None => open = Some(literal),
                }
            }
            let Some(literal) = open else { return Ok(()) };
            let variable = self.variable(literal)?;
            self.values[variable] = Some(literal > 0);
            assigned.push(variable);
        }
        Err("the clauses that are named do not refute its opposite".to_owned())
    }

    pub fn unfounded(&mut self, atoms: &[u32], besides: &[i32]) -> Result<Vec<i32>, String> {
        let &first = atoms.first().ok_or("the set is empty")?;
        let (completion, ground) = (self.completion, self.ground);
        let of_atom = |atom: &u32| completion.supports.get(atom).ok_or_else(|| format!("{atom} is no atom"));
        for atom in atoms {
            of_atom(atom)?;
        }
        let mut variables = Vec::with_capacity(besides.len());
        for &literal in besides {
            variables.push(self.variable(literal)?);
        }
        variables.sort_unstable();
        if let Some(pair) = variables.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(format!("the variable {} is there twice", pair[0]));
        }
        // A literal besides is false where the clause says more than that.
        besides.iter().for_each(|&literal| self.values[literal.unsigned_abs() as usize] = Some(literal < 0));
        atoms.iter().for_each(|&atom| self.in_set[atom as usize] = true);
        let is_false = |literal: i32| self.values[literal.unsigned_abs() as usize] == Some(literal < 0);
        let in_set = |atom: u32| self.in_set[atom as usize];
        let mut clause: Vec<i32> = besides.iter().copied().chain([-(first as i32)]).collect();
        for atom in atoms {
            for support in of_atom(atom)? {
                let Some(rule) = support.rule.map(|rule| &ground.rules[rule]) else {
                    clause.push(support.literal);
                    continue;
                };
                // What the body weighs at the most without the set. No weight is negative.
                let most = rule.weight(|literal| !(is_false(literal) || literal > 0 && in_set(literal as u32)));
                let mut others = rule.head.iter().filter(|&other| other != atom && !rule.is_choice);
                // A disjunction founds nothing in the set where an atom outside of it is true.
                let is_of_others = others.clone().any(|&other| !in_set(other) && is_false(-(other as i32)));
                if most < rule.wanted() || is_of_others {
                    continue;
                }
                clause.push(if others.any(|&other| in_set(other)) { support.body } else { support.literal });
            }
        }
        atoms.iter().for_each(|&atom| self.in_set[atom as usize] = false);
        besides.iter().for_each(|&literal| self.values[literal.unsigned_abs() as usize] = None);
        Ok(clause)
    }

    pub fn cycle(&self, edges: &[u32]) -> Result<Vec<i32>, String> {
        let edge = |&edge: &u32| self.ground.edges.get(edge as usize).ok_or_else(|| format!("there is no edge {edge}"));
        let edges = edges.iter().map(edge).collect::<Result<Vec<_>, _>>()?;
        let (Some(first), Some(last)) = (edges.first(), edges.last()) else { return Err("no edge".to_owned()) };
        if last.1 != first.0 || edges.windows(2).any(|pair| pair[0].1 != pair[1].0) {
            return Err("the edges are no cycle".to_owned());
        }
        Ok(edges.iter().flat_map(|(.., condition)| condition.iter().map(|literal| -literal)).collect())
    }
}
