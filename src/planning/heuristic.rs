//! The heuristics by name.

use clap::ValueEnum;

use super::pattern::Patterns;
use super::potential::Potentials;
use super::relaxed::{ByRelaxation, Relaxed};
use super::space::Prepared;
use crate::search::{Cost, UNREACHABLE};
use crate::stop::Stop;

/// A lower bound of what it costs to reach the goal: each is admissible for any task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Heuristic {
    /// Nothing is known but the goal.
    Blind,
    /// The dearest fact that the goal needs, where what holds once holds for ever.
    Hmax,
    /// Landmark cut.
    Lmcut,
    /// Pattern databases.
    Patterns,
    /// Potentials.
    Potentials,
}

/// Estimates states.
pub trait Estimates: Sync {
    fn of(&self, state: &[u64]) -> Cost;

    /// Of states that are estimated alike the one with the most is tried first.
    fn promise(&self, _state: &[u64]) -> i64 {
        0
    }
}

/// A sum of costs. It stays below [`UNREACHABLE`], which no sum of finite costs is.
pub(super) fn plus(one: Cost, other: Cost) -> Cost {
    one.saturating_add(other).min(UNREACHABLE - 1)
}

pub(super) struct Blind;

impl Estimates for Blind {
    fn of(&self, _: &[u64]) -> Cost {
        0
    }
}

impl Heuristic {
    /// What estimates the states of a task.
    pub fn of<'a>(self, prepared: &'a Prepared, stop: &Stop) -> Box<dyn Estimates + 'a> {
        let packing = prepared.packing();
        let relaxed = |cuts| ByRelaxation { packing, relaxed: Relaxed::of(packing, cuts) };
        match self {
            Heuristic::Blind => Box::new(Blind),
            Heuristic::Hmax => Box::new(relaxed(false)),
            Heuristic::Lmcut => Box::new(relaxed(true)),
            Heuristic::Patterns => Box::new(Patterns::of(packing, &prepared.kept, stop)),
            Heuristic::Potentials => match Potentials::of(prepared, stop) {
                Some(potentials) => Box::new(potentials),
                None => Box::new(Blind),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_of_costs_is_never_taken_for_unreachable() {
        assert_eq!(
            (plus(2, 3), plus(UNREACHABLE - 1, 1), plus(UNREACHABLE - 2, UNREACHABLE - 2)),
            (5, UNREACHABLE - 1, UNREACHABLE - 1)
        );
    }
}
