//! Searches that replace each other, from the cheapest to the most expensive.

use base::stop::StopReason;

use super::{Cost, Limits, Outcome, SearchResult, SearchStats};

/// Runs one search after the other with shared limits, until one of them ends for a reason that is
/// not in `continue_after`, or reaches the node limit of the ladder itself.
pub struct Ladder<'a, M> {
    limits: &'a Limits,
    continue_after: &'static [StopReason],
    /// The outcome of the last search, with the statistics and the bound of all of them.
    pub result: SearchResult<M>,
    is_open: bool,
}

impl<'a, M> Ladder<'a, M> {
    /// `lower_bound` is known before the first search.
    pub fn new(limits: &'a Limits, lower_bound: Cost, continue_after: &'static [StopReason]) -> Self {
        let outcome = Outcome::GaveUp(StopReason::NodeLimit);
        let result = SearchResult { outcome, lower_bound, stats: SearchStats::default() };
        Ladder { limits, continue_after, result, is_open: true }
    }

    /// Returns true if another search may find more.
    pub fn is_open(&self) -> bool {
        self.is_open
    }

    /// Runs the next search with at most `nodes` of the remaining nodes. Does nothing if the ladder
    /// has ended. Returns the number of nodes that the search expanded.
    pub fn stage(&mut self, nodes: u64, search: impl FnOnce(&Limits) -> SearchResult<M>) -> u64 {
        if !self.is_open {
            return 0;
        }
        let remaining = self.limits.remaining_after(&self.result.stats);
        let limits = remaining.within(nodes);
        let searched = search(&limits);
        let expanded = searched.stats.expanded();
        self.is_open = match searched.outcome {
            Outcome::GaveUp(StopReason::NodeLimit) if limits.nodes == remaining.nodes => false,
            Outcome::GaveUp(reason) => self.continue_after.contains(&reason),
            Outcome::Solved(_) | Outcome::Impossible => false,
        };
        self.result = searched.with_earlier(&mut self.result);
        expanded
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Iteration;

    fn ends_after(limits: &Limits, expanded: u64, outcome: Outcome<()>) -> SearchResult<()> {
        let expanded = expanded.min(limits.nodes.unwrap_or(u64::MAX));
        let iterations = vec![Iteration { expanded, ..Iteration::default() }];
        SearchResult { outcome, lower_bound: 3, stats: SearchStats { iterations, ..SearchStats::default() } }
    }

    #[test]
    fn a_stage_that_reaches_its_own_limit_is_followed_by_the_next_one() {
        let limits = Limits { nodes: Some(100), ..Limits::none() };
        let mut ladder = Ladder::new(&limits, 5, &[StopReason::NodeLimit]);
        let gives_up = || Outcome::GaveUp(StopReason::NodeLimit);
        assert_eq!(ladder.stage(30, |limits| ends_after(limits, u64::MAX, gives_up())), 30);
        assert!(ladder.is_open());
        // The rest of the ladder's own nodes: the last stage.
        assert_eq!(ladder.stage(u64::MAX, |limits| ends_after(limits, u64::MAX, gives_up())), 70);
        assert!(!ladder.is_open());
        assert_eq!(ladder.stage(u64::MAX, |_| unreachable!("the nodes are used up")), 0);
        assert_eq!((ladder.result.stats.expanded(), ladder.result.lower_bound), (100, 5));
    }

    #[test]
    fn a_stage_that_ends_for_another_reason_is_the_last_one() {
        let limits = Limits::none();
        for outcome in [Outcome::Impossible, Outcome::GaveUp(StopReason::MemoryLimit)] {
            let mut ladder = Ladder::new(&limits, 0, &[StopReason::NodeLimit]);
            ladder.stage(10, |limits| ends_after(limits, 1, outcome.clone()));
            assert!(!ladder.is_open());
            assert_eq!(ladder.result.outcome, outcome);
        }
    }
}
