//! What is wrong with what is set.
//!
//! A mistake that one can see breaks a rule: what is set makes the body of a constraint true, or contradicts the rules
//! themselves, and nothing that is set later mends it. The smallest such reason is told. Any other mistake is one because no solution has
//! it. Something set may be in none by itself, which is kept, so that each move asks about itself alone; or some
//! of it together. Why that is so is told where propagation finds it in few constraints; else it is a matter of
//! many steps.

use std::ops::ControlFlow;

use rustc_hash::FxHashSet;

use super::program::LogicGame;
use crate::diagnostic::{Diagnostic, Failure};
use crate::stop::Reason;
use crate::why::propagation::Propagation;

/// Broken constraints among which the one with the fewest culprits is told.
const MOST_BROKEN: usize = 40;
/// Constraints that are told of a mistake that breaks none of them alone.
const MOST_REASONS: usize = 5;
/// Literals that are told.
const MOST_TOLD: usize = 6;

/// What is to be said of what is set.
pub(super) enum Judged {
    /// Some solution has it.
    Right,
    Wrong {
        /// What cannot stay.
        literals: Vec<i32>,
        words: String,
    },
    Unknown(Reason),
}

impl LogicGame {
    pub(super) fn judge(&mut self, set: &[i32]) -> Result<Judged, Failure> {
        if let Some((literals, words)) = self.broken(set)? {
            return Ok(Judged::Wrong { literals, words: format!("A rule is broken: {words}.") });
        }
        let core = match self.complete(set)? {
            Completed::Solved => return Ok(Judged::Right),
            Completed::Unknown(reason) => return Ok(Judged::Unknown(reason)),
            Completed::Impossible(core) => core,
        };
        let mut wrong = Vec::new();
        for &literal in set {
            if !self.is_possible(literal)? {
                wrong.push(literal);
            }
        }
        let words = match &wrong[..] {
            [] => {
                wrong = self.fewer(core)?;
                format!("there is no solution with {}", self.listed(&wrong, " and "))
            }
            [one] => format!("{}: there is no solution with that", self.words[one]),
            several => format!("there is no solution with any of these: {}", self.listed(several, ", ")),
        };
        let is_alone = self.possible.get(&wrong[0]) == Some(&false);
        let reason = self.reason(if is_alone { &wrong[..1] } else { &wrong })?;
        let because = reason.map(|reason| format!(" Else {reason}.")).unwrap_or_default();
        Ok(Judged::Wrong { literals: wrong, words: format!("No rule is broken yet, but {words}.{because}") })
    }

    /// A rule that is broken, and what breaks it.
    fn broken(&mut self, set: &[i32]) -> Result<Option<(Vec<i32>, String)>, Failure> {
        if !self.propagation.assume(set) {
            let culprits = self.propagation.causes();
            self.propagation.undo();
            let culprits = minimal(&mut self.propagation, culprits, &[]);
            let words = format!("{} do not go together", self.listed(&culprits, " and "));
            return Ok(Some((culprits, words)));
        }
        let is_broken = |part: &usize| {
            self.switched.assumptions(*part).iter().any(|&literal| self.propagation.value(literal) == Some(false))
        };
        let broken: Vec<usize> = (0..self.switched.len()).filter(is_broken).take(MOST_BROKEN).collect();
        let behind = |&part: &usize| -> Vec<i32> {
            self.switched.assumptions(part).iter().flat_map(|&literal| self.propagation.causes_of(-literal)).collect()
        };
        let behind: Vec<Vec<i32>> = broken.iter().map(behind).collect();
        self.propagation.undo();
        let culprits = broken
            .into_iter()
            .zip(behind)
            .map(|(part, literals)| (minimal(&mut self.propagation, literals, self.switched.assumptions(part)), part));
        let Some((culprits, part)) = culprits.min_by_key(|(culprits, _)| culprits.len()) else { return Ok(None) };
        let told = self.switched.parts(&[part])?;
        Ok(Some((culprits, self.switched.broken(part, &told[0]))))
    }

    /// Looks for a solution with all of these.
    fn complete(&mut self, literals: &[i32]) -> Result<Completed, Failure> {
        let agrees = |solution: &FxHashSet<i32>| {
            literals.iter().all(|&literal| solution.contains(&literal.abs()) == (literal > 0))
        };
        if self.solution.as_ref().is_some_and(agrees) {
            return Ok(Completed::Solved);
        }
        let assumed: Vec<i32> = self.enforced.iter().chain(literals).copied().collect();
        let atoms: Vec<i32> = self.sites.iter().flat_map(|site| &site.atoms).map(|(_, literal)| *literal).collect();
        let mut found = None;
        let solved = self.switched.solver().control().solve(&assumed, |model| {
            let holds = |literal: &i32| model.holds(*literal).unwrap_or(false);
            found = Some(atoms.iter().copied().filter(holds).collect::<FxHashSet<i32>>());
            ControlFlow::Break(())
        });
        let (result, core) = solved.map_err(|error| Diagnostic::error(error.text))?;
        if let Some(found) = found {
            let own = |&atom: &i32| if found.contains(&atom) { atom } else { -atom };
            self.possible.extend(atoms.iter().map(|atom| (own(atom), true)));
            self.solution = Some(found);
            return Ok(Completed::Solved);
        }
        match result.unsatisfiable {
            true => {
                Ok(Completed::Impossible(literals.iter().copied().filter(|literal| core.contains(literal)).collect()))
            }
            false => Ok(Completed::Unknown(Reason::Unproven)),
        }
    }

    /// Whether some solution has it, as far as that is known in time.
    fn is_possible(&mut self, literal: i32) -> Result<bool, Failure> {
        if let Some(&known) = self.possible.get(&literal) {
            return Ok(known);
        }
        let is_possible = match self.complete(&[literal])? {
            Completed::Solved => true,
            Completed::Impossible(_) => false,
            Completed::Unknown(_) => return Ok(true),
        };
        self.possible.insert(literal, is_possible);
        Ok(is_possible)
    }

    /// Leaves out of literals that are in no solution together whatever can be left out.
    fn fewer(&mut self, mut literals: Vec<i32>) -> Result<Vec<i32>, Failure> {
        let mut at = 0;
        while at < literals.len() {
            let others = [&literals[..at], &literals[at + 1..]].concat();
            match self.complete(&others)? {
                Completed::Impossible(core) => literals = core,
                _ => at += 1,
            }
        }
        Ok(literals)
    }

    /// What would be broken else, if propagation finds it in few constraints.
    fn reason(&mut self, literals: &[i32]) -> Result<Option<String>, Failure> {
        let assumed: Vec<i32> = literals.iter().chain(&self.enforced).copied().collect();
        let is_refuted = !self.propagation.assume(&assumed);
        let causes = if is_refuted { self.propagation.causes() } else { Vec::new() };
        self.propagation.undo();
        let switches: Vec<i32> = causes.into_iter().filter(|cause| !literals.contains(cause)).collect();
        let switches = minimal(&mut self.propagation, switches, literals);
        let is_one = |part: &usize| self.switched.assumptions(*part).iter().any(|literal| switches.contains(literal));
        let parts: Vec<usize> = (0..self.switched.len()).filter(is_one).collect();
        if parts.len() > MOST_REASONS {
            return Ok(None);
        }
        let told = self.switched.parts(&parts)?;
        let words: Vec<String> =
            parts.iter().zip(&told).map(|(&part, told)| self.switched.broken(part, told)).collect();
        Ok((!words.is_empty()).then(|| words.join(", or ")))
    }

    fn listed(&self, literals: &[i32], separator: &str) -> String {
        let words = literals.iter().take(MOST_TOLD).map(|literal| self.words.get(literal).map_or("?", String::as_str));
        let more = literals.len().saturating_sub(MOST_TOLD);
        let more = if more > 0 { format!("{separator}{more} more") } else { String::new() };
        words.collect::<Vec<_>>().join(separator) + &more
    }
}

enum Completed {
    Solved,
    /// And of the literals these suffice for that.
    Impossible(Vec<i32>),
    Unknown(Reason),
}

/// Literals that propagation refutes together with others, and no needless one among them.
fn minimal(propagation: &mut Propagation, mut literals: Vec<i32>, with: &[i32]) -> Vec<i32> {
    literals.sort_unstable();
    literals.dedup();
    let mut at = 0;
    while at < literals.len() {
        let others = literals.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, &literal)| literal);
        let assumed: Vec<i32> = others.chain(with.iter().copied()).collect();
        let is_refuted = !propagation.assume(&assumed);
        let causes = if is_refuted { propagation.causes() } else { Vec::new() };
        propagation.undo();
        match is_refuted {
            true => {
                let before = literals[at];
                literals.retain(|literal| *literal != before && causes.contains(literal));
                // Those before it are needed, and stay.
                at = at.min(literals.len());
            }
            false => at += 1,
        }
    }
    literals
}
