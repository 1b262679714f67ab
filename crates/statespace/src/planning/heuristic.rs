//! Heuristic functions on packed states.

use crate::search::{Cost, UNREACHABLE};

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

/// The greater of two lower bounds. Ties are broken by the second heuristic.
pub struct Maximum<'a>(pub Box<dyn HeuristicFn + 'a>, pub Box<dyn HeuristicFn + 'a>);

impl HeuristicFn for Maximum<'_> {
    fn estimate(&self, state: &[u64]) -> Cost {
        match self.0.estimate(state) {
            UNREACHABLE => UNREACHABLE,
            cost => cost.max(self.1.estimate(state)),
        }
    }

    fn tie_break(&self, state: &[u64]) -> i64 {
        self.1.tie_break(state)
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
