//! What is wrong with what is set.
//!
//! A mistake that one can see breaks a rule: what is set makes the body of a constraint true, or contradicts the rules
//! themselves, and nothing that is set later mends it. The smallest such reason is told. Any other mistake is one because no
//! solution has it: the board has none at all; or something set is in none by itself, which is kept, so that each move asks
//! about itself alone; or some of it is in none together. Why that is so is told where propagation finds it in few
//! constraints; else it is a matter of many steps.

use std::ops::ControlFlow;

use rustc_hash::FxHashSet;

use super::program::LogicGame;
use crate::diagnostic::Failure;
use crate::stop::{Reason, Stop};
use crate::why::Outcome;
use crate::why::cause::{self, Oracle};
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
    pub(super) fn judge(&mut self, set: &[i32], stop: &Stop) -> Result<Judged, Failure> {
        if let Some((literals, words)) = self.broken(set, stop)? {
            let what = if literals.is_empty() { "The board itself breaks a rule" } else { "A rule is broken" };
            return Ok(Judged::Wrong { literals, words: format!("{what}: {words}.") });
        }
        let core = match self.complete(set, stop)? {
            Completed::Solved => return Ok(Judged::Right),
            Completed::Unknown(reason) => return Ok(Judged::Unknown(reason)),
            Completed::Impossible(core) => core,
        };
        let is_hopeless = matches!(self.complete(&[], stop)?, Completed::Impossible(_));
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
                match wrong.is_empty() {
                    true => "there is no solution, whatever is set".to_owned(),
                    false => format!("there is no solution with {}", self.listed(&wrong, " and ")),
                }
            }
            [one] => format!("{}: there is no solution with that", self.words[one]),
            several => format!("there is no solution with any of these: {}", self.listed(several, ", ")),
        };
        let alone = wrong.first().filter(|first| self.possible.get(first) == Some(&false));
        let reason = self.reason(alone.map_or(&wrong, std::slice::from_ref), stop)?;
        let because = reason.map(|reason| format!(" Otherwise {reason}.")).unwrap_or_default();
        Ok(Judged::Wrong { literals: wrong, words: format!("No rule is broken yet, but {words}.{because}") })
    }

    /// A rule that is broken, and what breaks it.
    fn broken(&mut self, set: &[i32], stop: &Stop) -> Result<Option<(Vec<i32>, String)>, Failure> {
        if !self.propagation.assume(set) {
            let culprits = self.propagation.causes();
            self.propagation.undo();
            let culprits = needed(&mut self.propagation, culprits, &[], stop)?;
            let words = match culprits.is_empty() {
                true => "its facts contradict each other".to_owned(),
                false => format!("{} do not go together", self.listed(&culprits, " and ")),
            };
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
        let mut culprits = Vec::new();
        for (part, literals) in broken.into_iter().zip(behind) {
            culprits.push((needed(&mut self.propagation, literals, self.switched.assumptions(part), stop)?, part));
        }
        let fewest = culprits.into_iter().min_by_key(|(culprits, _)| culprits.len());
        let Some((culprits, part)) = fewest else { return Ok(None) };
        let told = self.switched.parts(&[part])?;
        Ok(Some((culprits, self.switched.broken(part, &told[0]))))
    }

    /// Looks for a solution with all of these.
    fn complete(&mut self, literals: &[i32], stop: &Stop) -> Result<Completed, Failure> {
        let agrees = |solution: &FxHashSet<i32>| {
            literals.iter().all(|&literal| solution.contains(&literal.abs()) == (literal > 0))
        };
        if self.solution.as_ref().is_some_and(agrees) {
            return Ok(Completed::Solved);
        }
        // The request interrupts one question alone.
        if let Some(reason) = stop.requested() {
            return Ok(Completed::Unknown(reason));
        }
        let assumed: Vec<i32> = self.enforced.iter().chain(literals).copied().collect();
        let atoms: Vec<i32> = self.sites.iter().flat_map(|site| &site.atoms).map(|(_, literal)| *literal).collect();
        let mut found = None;
        let solved = self.switched.solver().control().solve(&assumed, &mut |model| {
            let holds = |literal: &i32| model.holds(*literal).unwrap_or(false);
            found = Some(atoms.iter().copied().filter(holds).collect::<FxHashSet<i32>>());
            ControlFlow::Break(())
        });
        let (result, core) = solved?;
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
    fn is_possible(&mut self, literal: i32, stop: &Stop) -> Result<bool, Failure> {
        if let Some(&known) = self.possible.get(&literal) {
            return Ok(known);
        }
        let is_possible = match self.complete(&[literal], stop)? {
            Completed::Solved => true,
            Completed::Impossible(_) => false,
            Completed::Unknown(_) => return Ok(true),
        };
        self.possible.insert(literal, is_possible);
        Ok(is_possible)
    }

    /// What would be broken else, if propagation finds it in few constraints.
    fn reason(&mut self, literals: &[i32], stop: &Stop) -> Result<Option<String>, Failure> {
        let assumed: Vec<i32> = literals.iter().chain(&self.enforced).copied().collect();
        let is_refuted = !self.propagation.assume(&assumed);
        let causes = if is_refuted { self.propagation.causes() } else { Vec::new() };
        self.propagation.undo();
        let switches: Vec<i32> = causes.into_iter().filter(|cause| !literals.contains(cause)).collect();
        let switches = needed(&mut self.propagation, switches, literals, stop)?;
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
fn needed(propagation: &mut Propagation, literals: Vec<i32>, with: &[i32], stop: &Stop) -> Result<Vec<i32>, Failure> {
    minimal(literals, stop, |chosen| {
        let is_refuted = !propagation.assume(&[chosen, with].concat());
        let causes = if is_refuted { propagation.causes() } else { Vec::new() };
        propagation.undo();
        Ok(if is_refuted { Completed::Impossible(causes) } else { Completed::Solved })
    })
}

/// Literals that are impossible together, without those that are not needed for that; all of them where that is not known in time.
fn minimal(
    mut literals: Vec<i32>,
    stop: &Stop,
    ask: impl FnMut(&[i32]) -> Result<Completed, Failure>,
) -> Result<Vec<i32>, Failure> {
    literals.sort_unstable();
    literals.dedup();
    let needed = cause::needed(&mut Among { literals: &literals, ask }, stop)?;
    Ok(needed.into_iter().map(|part| literals[part]).collect())
}

/// Literals as parts that may be left out.
struct Among<'a, A> {
    literals: &'a [i32],
    ask: A,
}

impl<A: FnMut(&[i32]) -> Result<Completed, Failure>> Oracle for Among<'_, A> {
    fn len(&self) -> usize {
        self.literals.len()
    }

    fn solve(&mut self, parts: &[usize]) -> Result<Outcome, Failure> {
        let chosen: Vec<i32> = parts.iter().map(|&part| self.literals[part]).collect();
        Ok(match (self.ask)(&chosen)? {
            Completed::Solved => Outcome::Satisfiable((0..self.len()).map(|part| parts.contains(&part)).collect()),
            Completed::Impossible(core) => {
                let is_in_core = |part: &usize| core.contains(&self.literals[*part]);
                Outcome::Unsatisfiable(parts.iter().copied().filter(is_in_core).collect())
            }
            Completed::Unknown(reason) => Outcome::Unknown(reason),
        })
    }
}
