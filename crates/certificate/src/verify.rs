//! The proof checker: checks that steps derive the empty clause from the completion of a ground
//! program.
//!
//! This file is trusted and shares no code with the search that writes the steps. Each step adds a
//! clause that follows from the program:
//!
//! - **Reverse unit propagation (RUP)**, with hints as in LRAT: under the negation of the clause,
//!   the hinted clauses become unit one after the other, and the last one is falsified.
//! - **Loop nogood**: the atoms of a set can only be founded through a rule whose body does not
//!   depend on the set. If the first atom is true, the body of such a rule holds (Lin and Zhao,
//!   "ASSAT: computing answer sets of a logic program by SAT solvers", 2004).
//! - **Cycle**: the conditions of edges that form a cycle do not all hold.

use std::borrow::Cow;

use ground::{Completion, GroundProgram};

/// A step of a proof. Clauses are numbered from 1: first the clauses of the completion, then each
/// clause that a step or a later claim adds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProofStep {
    Rup {
        clause: Box<[i32]>,
        hints: Box<[u32]>,
    },
    /// The clause of the first atom of a set. It also contains the literals of `context`; rules
    /// that support the set only if one of these is true need not be in the clause.
    LoopNogood {
        atoms: Box<[u32]>,
        context: Box<[i32]>,
    },
    /// Indices of edges in the program.
    Cycle {
        edges: Box<[u32]>,
    },
    /// The true atoms of an answer of the claim: something differs from it. Answers that are listed before all
    /// steps are none.
    Answer {
        atoms: Box<[u32]>,
    },
    /// Numbers of clauses that no further step refers to.
    Delete {
        clauses: Box<[u32]>,
    },
}

#[derive(Debug)]
pub struct Verifier<'a> {
    ground: Cow<'a, GroundProgram>,
    completion: Cow<'a, Completion>,
    /// The clauses that steps and later claims have added; `None` for tautologies and deleted clauses.
    added: Vec<Option<Box<[i32]>>>,
    /// The value of each variable during a step.
    values: Vec<Option<bool>>,
    /// By variable: true if it is an atom of the step's set.
    in_set: Vec<bool>,
}

/// Checks the steps up to the empty clause and returns the number of checked steps.
///
/// # Errors
/// The number of the wrong step, from 1, and the reason.
pub fn verify<'s>(
    ground: &GroundProgram,
    completion: &Completion,
    steps: impl IntoIterator<Item = &'s ProofStep>,
) -> Result<usize, String> {
    if completion.clauses.iter().any(|clause| clause.is_empty()) {
        return Ok(0);
    }
    let mut verifier = Verifier::new(Cow::Borrowed(ground), Cow::Borrowed(completion));
    for (number, step) in (1..).zip(steps) {
        match verifier.apply(step) {
            Ok(true) => return Ok(number),
            Ok(false) => {}
            Err(why) => return Err(format!("step {number}: {why}")),
        }
    }
    Err("the steps do not lead to the empty clause".to_owned())
}

impl<'a> Verifier<'a> {
    pub fn new(ground: Cow<'a, GroundProgram>, completion: Cow<'a, Completion>) -> Self {
        let size = completion.max_variable as usize + 1;
        Verifier { ground, completion, added: Vec::new(), values: vec![None; size], in_set: vec![false; size] }
    }

    pub fn ground(&self) -> &GroundProgram {
        &self.ground
    }

    pub fn completion(&self) -> &Completion {
        &self.completion
    }

    /// Returns the number of the next clause.
    pub fn next_clause(&self) -> usize {
        self.completion.clauses.len() + self.added.len() + 1
    }

    /// Returns the last clause that was added; `None` for a tautology, or if there is none.
    pub fn last_clause(&self) -> Option<&[i32]> {
        self.added.last()?.as_deref()
    }

    /// Adds a clause of a claim, without a check. A tautology is left out.
    pub fn add_claimed(&mut self, clause: Vec<i32>) {
        self.added.extend(Completion::normalize(clause, self.completion.true_var).map(Some));
    }

    /// Checks a step and adds its clause. Returns true if it is the empty clause.
    pub fn apply(&mut self, step: &ProofStep) -> Result<bool, String> {
        let clause = match step {
            ProofStep::Rup { clause, hints } => {
                self.check_rup(clause, hints)?;
                Some(clause.clone())
            }
            ProofStep::LoopNogood { atoms, context } => {
                Completion::normalize(self.loop_nogood(atoms, context)?, self.completion.true_var)
            }
            ProofStep::Cycle { edges } => Completion::normalize(self.cycle_clause(edges)?, self.completion.true_var),
            ProofStep::Answer { .. } => return Err("an answer is no step of this proof".to_owned()),
            ProofStep::Delete { clauses } => {
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
        let number = number as usize;
        let completion_count = self.completion.clauses.len();
        let clause = match number.checked_sub(1) {
            Some(place) if place < completion_count => Some(&self.completion.clauses[place]),
            Some(place) => self.added.get(place - completion_count).and_then(Option::as_ref),
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

    fn check_rup(&mut self, literals: &[i32], hints: &[u32]) -> Result<(), String> {
        let mut assigned = Vec::with_capacity(literals.len() + hints.len());
        let refuted = self.propagate(literals, hints, &mut assigned);
        for variable in assigned {
            self.values[variable] = None;
        }
        refuted
    }

    fn propagate(&mut self, literals: &[i32], hints: &[u32], assigned: &mut Vec<usize>) -> Result<(), String> {
        for &literal in literals {
            let variable = self.variable(literal)?;
            if self.values[variable].is_some() {
                return Err(format!("the clause contains the variable {variable} twice"));
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
        Err("the hinted clauses do not refute the negated clause".to_owned())
    }

    pub fn loop_nogood(&mut self, atoms: &[u32], context: &[i32]) -> Result<Vec<i32>, String> {
        let &first = atoms.first().ok_or("the set is empty")?;
        let completion = &*self.completion;
        let ground = &*self.ground;
        let of_atom = |atom: &u32| completion.supports.get(atom).ok_or_else(|| format!("there is no atom {atom}"));
        for atom in atoms {
            of_atom(atom)?;
        }
        let mut variables = Vec::with_capacity(context.len());
        for &literal in context {
            variables.push(self.variable(literal)?);
        }
        variables.sort_unstable();
        if let Some(pair) = variables.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(format!("the variable {} occurs twice", pair[0]));
        }
        // A true literal of the context satisfies the clause; assume that all are false.
        for &literal in context {
            self.values[literal.unsigned_abs() as usize] = Some(literal < 0);
        }
        for &atom in atoms {
            self.in_set[atom as usize] = true;
        }
        let is_false = |literal: i32| self.values[literal.unsigned_abs() as usize] == Some(literal < 0);
        let in_set = |atom: u32| self.in_set[atom as usize];
        let mut clause: Vec<i32> = context.iter().copied().chain([-(first as i32)]).collect();
        for atom in atoms {
            for support in of_atom(atom)? {
                let Some(rule) = support.rule.map(|rule| &ground.rules[rule]) else {
                    clause.push(support.literal);
                    continue;
                };
                // The maximum weight of the body without the set. No weight is negative.
                let most = rule.weight(|literal| !(is_false(literal) || literal > 0 && in_set(literal as u32)));
                let mut others = rule.head.iter().filter(|&other| other != atom && !rule.is_choice);
                // A disjunction with a true head atom outside of the set does not support the set.
                let has_true_outside_head = others.clone().any(|&other| !in_set(other) && is_false(-(other as i32)));
                if most < rule.required_weight() || has_true_outside_head {
                    continue;
                }
                clause.push(if others.any(|&other| in_set(other)) { support.body } else { support.literal });
            }
        }
        for &atom in atoms {
            self.in_set[atom as usize] = false;
        }
        for &literal in context {
            self.values[literal.unsigned_abs() as usize] = None;
        }
        Ok(clause)
    }

    pub fn cycle_clause(&self, edges: &[u32]) -> Result<Vec<i32>, String> {
        let edge = |&edge: &u32| self.ground.edges.get(edge as usize).ok_or_else(|| format!("there is no edge {edge}"));
        let edges = edges.iter().map(edge).collect::<Result<Vec<_>, _>>()?;
        let (Some(first), Some(last)) = (edges.first(), edges.last()) else {
            return Err("the cycle has no edges".to_owned());
        };
        if last.1 != first.0 || edges.windows(2).any(|pair| pair[0].1 != pair[1].0) {
            return Err("the edges do not form a cycle".to_owned());
        }
        Ok(edges.iter().flat_map(|(.., condition)| condition.iter().map(|literal| -literal)).collect())
    }
}
