//! Costs of answers, in 64 bits.
//!
//! clasp compares sums of 64 bits, but libclingo truncates them to 32 bits in `clingo_model_cost`.
//! Sums that may exceed 32 bits are therefore computed again from the minimize statements of the
//! ground program. If a sum may exceed 64 bits, clasp itself may report a wrong optimum, so that
//! [`Costs::of_answer`] returns an error.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use super::ffi::CallError;
use super::observation::{AspifStatement, Observer};

/// The `#minimize` statements of a ground program.
#[derive(Debug, Default)]
pub struct Costs {
    levels: BTreeMap<i32, Level>,
}

/// The statements of one priority.
#[derive(Debug, Default)]
struct Level {
    literals: Vec<(i32, i32)>,
    /// Bounds of the sum over all interpretations.
    least: i128,
    most: i128,
}

impl Observer for Costs {
    fn on_statement(&mut self, statement: AspifStatement<'_>) -> ControlFlow<()> {
        if let AspifStatement::Minimize { priority, literals } = statement {
            let level = self.levels.entry(priority).or_default();
            level.literals.extend_from_slice(literals);
            for &(_, weight) in literals {
                level.least += i128::from(weight.min(0));
                level.most += i128::from(weight.max(0));
            }
        }
        ControlFlow::Continue(())
    }
}

impl Costs {
    /// Returns the priorities, highest first.
    pub fn priorities(&self) -> Vec<i32> {
        self.levels.keys().rev().copied().collect()
    }

    /// Returns the costs of an answer, highest priority first. `by_clingo` are the costs that
    /// clingo reports, empty without optimisation; `holds` returns true for the true literals.
    ///
    /// # Errors
    /// The costs may exceed 64 bits, or clingo's costs are not the computed ones modulo 2^32.
    pub fn of_answer(
        &self,
        by_clingo: Vec<i64>,
        holds: impl Fn(i32) -> Result<bool, CallError>,
    ) -> Result<Vec<i64>, CallError> {
        // clasp drops a priority whose costs are fixed.
        let is_whole = by_clingo.len() == self.levels.len();
        let are_small = self.levels.values().all(|level| level.is_within(i32::MIN.into(), i32::MAX.into()));
        if by_clingo.is_empty() || is_whole && are_small {
            return Ok(by_clingo);
        }
        let mut costs = Vec::with_capacity(self.levels.len());
        for (priority, level) in self.levels.iter().rev() {
            if !level.is_within(i64::MIN.into(), i64::MAX.into()) {
                return Err(wrong(format!("the costs of priority {priority} may have more than 64 bits")));
            }
            let mut cost = 0;
            for &(literal, weight) in &level.literals {
                if holds(literal)? {
                    cost += i64::from(weight);
                }
            }
            costs.push(cost);
        }
        let is_same = |(cost, narrow): (&i64, &i64)| *cost as i32 == *narrow as i32;
        if is_whole && !costs.iter().zip(&by_clingo).all(is_same) {
            return Err(wrong(format!("clingo reports the costs {by_clingo:?} for an answer that costs {costs:?}")));
        }
        Ok(costs)
    }
}

impl Level {
    fn is_within(&self, least: i128, most: i128) -> bool {
        least <= self.least && self.most <= most
    }
}

fn wrong(text: String) -> CallError {
    CallError { text, out_of_memory: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn costs(weights: &[i32], least: i128, most: i128) -> Costs {
        let literals = weights.iter().zip(1..).map(|(&weight, atom)| (atom, weight)).collect();
        Costs { levels: [(0, Level { literals, least, most })].into() }
    }

    #[test]
    fn sums_beyond_64_bits_are_rejected() {
        // The literals of such a sum do not fit into the memory of a test.
        let wide = costs(&[1], 0, i128::from(i64::MAX) + 1);
        assert!(wide.of_answer(vec![1], |_| Ok(true)).is_err());
        let just_fits = costs(&[1], 0, i64::MAX.into());
        assert_eq!(just_fits.of_answer(vec![1], |_| Ok(true)).expect("a cost"), [1]);
    }

    #[test]
    fn a_cost_that_differs_from_clingos_is_rejected() {
        let wide = costs(&[i32::MAX, i32::MAX, 1], 0, 1 << 33);
        assert_eq!(wide.of_answer(vec![-1], |_| Ok(true)).expect("a cost"), [i64::from(u32::MAX)]);
        assert!(wide.of_answer(vec![-2], |_| Ok(true)).is_err());
    }

    #[test]
    fn clingos_costs_are_used_if_they_fit() {
        let small = costs(&[1, 2], 0, 3);
        assert_eq!(small.of_answer(vec![7], |_| Ok(true)).expect("a cost"), [7]);
    }
}
