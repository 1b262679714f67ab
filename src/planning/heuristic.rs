//! The heuristics, and their construction by name.

use clap::ValueEnum;

use super::pattern::PatternDatabases;
use super::potential::Potentials;
use super::relaxed::{DeleteRelaxation, RelaxedTask};
use super::space::SearchTask;
use crate::search::{Cost, UNREACHABLE};
use crate::stop::CancelToken;

/// A kind of lower bound on the cost to reach the goal. Each is admissible for every task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Heuristic {
    /// Always 0.
    Blind,
    /// h-max: the most expensive goal fact under delete relaxation.
    Hmax,
    /// LM-cut.
    Lmcut,
    /// Pattern databases.
    Patterns,
    /// Potentials.
    Potentials,
}

/// A heuristic function on packed states.
pub trait HeuristicFn: Sync {
    fn estimate(&self, state: &[u64]) -> Cost;

    /// Breaks ties between states of equal f: the highest value is expanded first.
    fn tie_break(&self, _state: &[u64]) -> i64 {
        0
    }
}

/// Adds costs. The sum saturates below [`UNREACHABLE`], because a sum of finite costs must not
/// equal it.
pub(super) fn add_costs(first: Cost, second: Cost) -> Cost {
    first.saturating_add(second).min(UNREACHABLE - 1)
}

pub(super) struct Blind;

impl HeuristicFn for Blind {
    fn estimate(&self, _: &[u64]) -> Cost {
        0
    }
}

impl Heuristic {
    /// Builds the heuristic function for a task.
    pub fn build<'a>(self, task: &'a SearchTask, stop: &CancelToken) -> Box<dyn HeuristicFn + 'a> {
        let fdr = task.fdr();
        let relaxed = |cuts| DeleteRelaxation { fdr, relaxed: RelaxedTask::of(fdr, cuts) };
        match self {
            Heuristic::Blind => Box::new(Blind),
            Heuristic::Hmax => Box::new(relaxed(false)),
            Heuristic::Lmcut => Box::new(relaxed(true)),
            Heuristic::Patterns => Box::new(PatternDatabases::of(fdr, &task.pattern_cache, stop)),
            Heuristic::Potentials => match Potentials::of(task, stop) {
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
    fn a_sum_of_finite_costs_is_never_unreachable() {
        assert_eq!(
            (add_costs(2, 3), add_costs(UNREACHABLE - 1, 1), add_costs(UNREACHABLE - 2, UNREACHABLE - 2)),
            (5, UNREACHABLE - 1, UNREACHABLE - 1)
        );
    }
}
