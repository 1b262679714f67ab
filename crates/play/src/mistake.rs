//! Mistakes in the values that the player has set.
//!
//! A visible mistake breaks a rule: the values make the body of a constraint true or contradict the
//! rules, and no later move repairs this. The reason with the fewest values is reported. There are
//! three other kinds of mistakes: the board has no solution; a single value is in no solution (this
//! is cached, so that each move needs a query only for the new value); or several values are in no
//! common solution. A reason for these is reported only if propagation finds one with few
//! constraints; otherwise the explanation would take many steps.

use std::ops::ControlFlow;

use base::diagnostic::Failure;
use base::stop::{CancelToken, StopReason};
use explain::cause::{self, Oracle};
use explain::{RelaxedProgram, SolveOutcome};
use prover::Assumptions;
use rustc_hash::{FxHashMap, FxHashSet};

/// Maximum number of broken constraints among which the one with the fewest culprits is chosen.
const MAX_BROKEN: usize = 40;
/// Maximum number of constraints in the reason for a mistake that breaks no single constraint.
const MAX_REASONS: usize = 5;
/// Maximum number of literals in a sentence.
const MAX_LISTED: usize = 6;

/// The judgement on the values that the player has set.
pub(super) enum Judgement {
    /// They occur in a solution
    Right,
    Wrong {
        /// The wrong literals
        literals: Vec<i32>,
        words: String,
    },
    Unknown(StopReason),
}

/// A logic program in play, and what is known about the values that a player can set.
pub(super) struct Judge {
    pub program: RelaxedProgram,
    pub propagation: Assumptions,
    /// The assumptions that enforce all constraints
    pub enforced: Vec<i32>,
    /// Descriptions of literals
    pub words: FxHashMap<i32, String>,
    /// The positive literals of the atoms that can be set
    pub atoms: Vec<i32>,
    /// The known literals: true if a solution contains the literal, false if none does
    possible: FxHashMap<i32, bool>,
    /// The true atoms of the last solution found
    pub solution: Option<FxHashSet<i32>>,
}

impl Judge {
    pub(super) fn new(program: RelaxedProgram, propagation: Assumptions) -> Self {
        let enforced = (0..program.len()).flat_map(|part| program.assumptions(part)).copied().collect();
        Judge {
            program,
            propagation,
            enforced,
            words: FxHashMap::default(),
            atoms: Vec::new(),
            possible: FxHashMap::default(),
            solution: None,
        }
    }

    pub(super) fn judge(&mut self, set: &[i32], stop: &CancelToken) -> Result<Judgement, Failure> {
        if let Some((literals, words)) = self.broken_rule(set, stop)? {
            let what = if literals.is_empty() { "The board itself cannot be right" } else { "This cannot be right" };
            return Ok(Judgement::Wrong { literals, words: format!("{what}: {words}.") });
        }
        let core = match self.complete(set, stop)? {
            Completion::Solved => return Ok(Judgement::Right),
            Completion::Unknown(reason) => return Ok(Judgement::Unknown(reason)),
            Completion::Impossible(core) => core,
        };
        let is_hopeless = matches!(self.complete(&[], stop)?, Completion::Impossible(_));
        let mut wrong = Vec::new();
        for &literal in set.iter().filter(|_| !is_hopeless) {
            if !self.is_possible(literal, stop)? {
                wrong.push(literal);
            }
        }
        let words = match &wrong[..] {
            [] => {
                if !is_hopeless {
                    wrong = minimal(core, stop, |chosen| self.complete(chosen, stop))?;
                }
                if wrong.is_empty() {
                    "the board has no solution".to_owned()
                } else {
                    format!("there is no solution with {}", self.list_literals(&wrong, " and "))
                }
            }
            [one] => format!("{}: there is no solution with that", self.words[one]),
            several => format!("there is no solution with any of these: {}", self.list_literals(several, ", ")),
        };
        let single = wrong.first().filter(|first| self.possible.get(first) == Some(&false));
        let reason = self.reason(single.map_or(&wrong, std::slice::from_ref), stop)?;
        let explanation = reason.map(|reason| format!(" Otherwise {reason}.")).unwrap_or_default();
        Ok(Judgement::Wrong { literals: wrong, words: format!("No rule is broken yet, but {words}.{explanation}") })
    }

    /// Returns the literals that break a rule, and a description of the rule.
    fn broken_rule(&mut self, set: &[i32], stop: &CancelToken) -> Result<Option<(Vec<i32>, String)>, Failure> {
        if !self.propagation.assume(set) {
            let culprits = self.propagation.conflict_assumptions();
            self.propagation.undo();
            let culprits = needed_literals(&mut self.propagation, culprits, &[], stop)?;
            let words = if culprits.is_empty() {
                "its facts contradict each other".to_owned()
            } else {
                format!("{} contradict each other", self.list_literals(&culprits, " and "))
            };
            return Ok(Some((culprits, words)));
        }
        let is_broken = |part: &usize| {
            self.program.assumptions(*part).iter().any(|&literal| self.propagation.value(literal) == Some(false))
        };
        let broken: Vec<usize> = (0..self.program.len()).filter(is_broken).take(MAX_BROKEN).collect();
        let implying = |&part: &usize| -> Vec<i32> {
            self.program
                .assumptions(part)
                .iter()
                .flat_map(|&literal| self.propagation.assumptions_implying(-literal))
                .collect()
        };
        let implying: Vec<Vec<i32>> = broken.iter().map(implying).collect();
        self.propagation.undo();
        let mut culprits = Vec::new();
        for (part, literals) in broken.into_iter().zip(implying) {
            culprits
                .push((needed_literals(&mut self.propagation, literals, self.program.assumptions(part), stop)?, part));
        }
        let fewest = culprits.into_iter().min_by_key(|(culprits, _)| culprits.len());
        let Some((culprits, part)) = fewest else { return Ok(None) };
        let parts_with_text = self.program.parts(&[part])?;
        Ok(Some((culprits, self.program.violation_text(part, &parts_with_text[0]))))
    }

    /// Searches for a solution with all of these literals.
    fn complete(&mut self, literals: &[i32], stop: &CancelToken) -> Result<Completion, Failure> {
        let agrees = |solution: &FxHashSet<i32>| {
            literals.iter().all(|&literal| solution.contains(&literal.abs()) == (literal > 0))
        };
        if self.solution.as_ref().is_some_and(agrees) {
            return Ok(Completion::Solved);
        }
        // A request to stop interrupts only the current query, so later ones must check for it.
        if let Some(reason) = stop.requested() {
            return Ok(Completion::Unknown(reason));
        }
        let assumed: Vec<i32> = self.enforced.iter().chain(literals).copied().collect();
        let atoms = &self.atoms;
        let mut solution_atoms = None;
        let solved = self.program.solver().control().solve(&assumed, &mut |model| {
            let holds = |literal: &i32| model.holds(*literal).unwrap_or(false);
            solution_atoms = Some(atoms.iter().copied().filter(holds).collect::<FxHashSet<i32>>());
            ControlFlow::Break(())
        });
        let (result, core) = solved?;
        if let Some(solution_atoms) = solution_atoms {
            let true_literal = |&atom: &i32| if solution_atoms.contains(&atom) { atom } else { -atom };
            self.possible.extend(atoms.iter().map(|atom| (true_literal(atom), true)));
            self.solution = Some(solution_atoms);
            return Ok(Completion::Solved);
        }
        if result.unsatisfiable {
            Ok(Completion::Impossible(literals.iter().copied().filter(|literal| core.contains(literal)).collect()))
        } else {
            Ok(Completion::Unknown(StopReason::Unproven))
        }
    }

    /// Returns false if the literal is proven, before `stop` is set, to be in no solution.
    fn is_possible(&mut self, literal: i32, stop: &CancelToken) -> Result<bool, Failure> {
        if let Some(&is_possible) = self.possible.get(&literal) {
            return Ok(is_possible);
        }
        let is_possible = match self.complete(&[literal], stop)? {
            Completion::Solved => true,
            Completion::Impossible(_) => false,
            Completion::Unknown(_) => return Ok(true),
        };
        self.possible.insert(literal, is_possible);
        Ok(is_possible)
    }

    /// Describes the constraints that solutions with these literals would break, if propagation
    /// finds few of them.
    fn reason(&mut self, literals: &[i32], stop: &CancelToken) -> Result<Option<String>, Failure> {
        let assumed: Vec<i32> = literals.iter().chain(&self.enforced).copied().collect();
        let is_refuted = !self.propagation.assume(&assumed);
        let causes = if is_refuted { self.propagation.conflict_assumptions() } else { Vec::new() };
        self.propagation.undo();
        let switches: Vec<i32> = causes.into_iter().filter(|cause| !literals.contains(cause)).collect();
        let switches = needed_literals(&mut self.propagation, switches, literals, stop)?;
        let is_involved =
            |part: &usize| self.program.assumptions(*part).iter().any(|literal| switches.contains(literal));
        let parts: Vec<usize> = (0..self.program.len()).filter(is_involved).collect();
        if parts.len() > MAX_REASONS {
            return Ok(None);
        }
        let parts_with_text = self.program.parts(&parts)?;
        let words: Vec<String> = parts
            .iter()
            .zip(&parts_with_text)
            .map(|(&part, parts_with_text)| self.program.violation_text(part, parts_with_text))
            .collect();
        Ok((!words.is_empty()).then(|| words.join(", or ")))
    }

    fn list_literals(&self, literals: &[i32], separator: &str) -> String {
        let words = literals.iter().take(MAX_LISTED).map(|literal| self.words.get(literal).map_or("?", String::as_str));
        let more = literals.len().saturating_sub(MAX_LISTED);
        let more = if more > 0 { format!("{separator}{more} more") } else { String::new() };
        words.collect::<Vec<_>>().join(separator) + &more
    }
}

enum Completion {
    Solved,
    /// There is no solution; the literals of the core suffice for that
    Impossible(Vec<i32>),
    Unknown(StopReason),
}

/// Minimises a set of literals that propagation refutes together with the literals `with`.
fn needed_literals(
    propagation: &mut Assumptions,
    literals: Vec<i32>,
    with: &[i32],
    stop: &CancelToken,
) -> Result<Vec<i32>, Failure> {
    minimal(literals, stop, |chosen| {
        let is_refuted = !propagation.assume(&[chosen, with].concat());
        let causes = if is_refuted { propagation.conflict_assumptions() } else { Vec::new() };
        propagation.undo();
        Ok(if is_refuted { Completion::Impossible(causes) } else { Completion::Solved })
    })
}

/// Minimises a set of literals that are in no common solution. Returns all of them if `stop` is
/// set.
fn minimal(
    mut literals: Vec<i32>,
    stop: &CancelToken,
    query: impl FnMut(&[i32]) -> Result<Completion, Failure>,
) -> Result<Vec<i32>, Failure> {
    literals.sort_unstable();
    literals.dedup();
    let needed = cause::minimal_mus_or_all(&mut LiteralOracle { literals: &literals, query }, stop)?;
    Ok(needed.into_iter().map(|part| literals[part]).collect())
}

/// Oracle for minimisation, whose parts are literals.
struct LiteralOracle<'a, A> {
    literals: &'a [i32],
    query: A,
}

impl<A: FnMut(&[i32]) -> Result<Completion, Failure>> Oracle for LiteralOracle<'_, A> {
    fn len(&self) -> usize {
        self.literals.len()
    }

    fn solve(&mut self, parts: &[usize]) -> Result<SolveOutcome, Failure> {
        let chosen: Vec<i32> = parts.iter().map(|&part| self.literals[part]).collect();
        Ok(match (self.query)(&chosen)? {
            Completion::Solved => {
                SolveOutcome::Satisfiable((0..self.len()).map(|part| parts.contains(&part)).collect())
            }
            Completion::Impossible(core) => {
                let is_in_core = |part: &usize| core.contains(&self.literals[*part]);
                SolveOutcome::Unsatisfiable(parts.iter().copied().filter(is_in_core).collect())
            }
            Completion::Unknown(reason) => SolveOutcome::Unknown(reason),
        })
    }
}
