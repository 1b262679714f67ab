//! Outcomes of searches.

use super::ffi::{SolveResult, Symbol};

/// The outcome of a search.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SolveOutcome {
    pub result: SolveResult,
    /// Assumptions that are jointly unsatisfiable, if they are the reason why there is no answer;
    /// not necessarily a minimal set.
    pub core: Vec<Symbol>,
    /// The refuted steps of an incremental program.
    pub unsat_steps: UnsatSteps,
    /// The end of the loop of an incremental program.
    pub steps: Option<LoopSummary>,
}

/// The initial steps of an incremental program that have been proven to have no answer. Only the
/// loop creates this value, since an interrupted step is not refuted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UnsatSteps(u32);

impl UnsatSteps {
    pub(super) fn with(self, step: u32, result: SolveResult) -> Self {
        if result.unsatisfiable && self.0 == step { UnsatSteps(step + 1) } else { self }
    }

    /// Returns the number of these steps.
    pub fn count(self) -> u32 {
        self.0
    }
}

/// The reason why the loop ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoopEnd {
    /// A step had the stop result, after the minimum number of steps.
    Reached,
    /// The loop ran the maximum number of steps.
    Limit,
    /// The search was cancelled, or the caller stopped it.
    Interrupted,
}

/// The end of a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoopSummary {
    pub end: LoopEnd,
    /// True if the search of every step was exhaustive.
    pub is_exhausted: bool,
}
