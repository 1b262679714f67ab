//! Breadth-first search: all states at distance 0, then 1, then 2, ….
//!
//! The first goal found needs the fewest moves. Every state is stored once, in order of discovery,
//! so the table of states is also the queue, whose head is an index into the table. When the queue
//! is empty, the space is exhausted. On large spaces, memory is exhausted before time.

use std::ops::ControlFlow;

use indexmap::map::Entry;

use super::{Cost, Limits, NodeBudget, Outcome, Plan, SearchResult, Space, Step, Store, moves_to};
use crate::stop::StopReason;

/// Finds a plan with the fewest moves; every move counts as cost 1.
pub fn bfs<S: Space>(space: &S, limits: &Limits) -> SearchResult<S::Move> {
    let mut node_budget = NodeBudget::new(limits);
    let mut store: Store<S, Option<(u32, S::Move)>> = Store::new(limits);
    let start = space.start();
    if space.is_goal(&start) {
        let outcome = Outcome::Solved(Plan { moves: Vec::new(), cost: 0, optimal: true });
        return SearchResult { outcome, lower_bound: 0, stats: node_budget.stats };
    }
    store.states.insert(start, None);
    let (mut head, mut depth) = (0, 0);
    let outcome = loop {
        let layer_end = store.states.len();
        if head == layer_end {
            break Outcome::Impossible;
        }
        if limits.depth.is_some_and(|limit| depth >= limit) {
            break Outcome::GaveUp(StopReason::DepthLimit);
        }
        let mut end = None;
        while head < layer_end && end.is_none() {
            if let ControlFlow::Break(reason) = node_budget.expand() {
                end = Some(Outcome::GaveUp(reason));
                break;
            }
            let state = store.states.get_index(head).expect("the head is below the length").0.clone();
            let pruning = space.initial_pruning(&state);
            let flow = space.successors(&state, pruning, None, |Step { action, state, .. }| {
                node_budget.generated += 1;
                if store.reserve().is_err() || store.states.len() == u32::MAX as usize {
                    end = Some(Outcome::GaveUp(StopReason::MemoryLimit));
                    return ControlFlow::Break(());
                }
                let is_goal = space.is_goal(&state);
                let Entry::Vacant(vacant) = store.states.entry(state) else { return ControlFlow::Continue(()) };
                let index = vacant.index();
                vacant.insert(Some((head as u32, action)));
                if !is_goal {
                    return ControlFlow::Continue(());
                }
                let moves = moves_to::<S, _>(&store.states, index, |&parent| parent);
                let cost = moves.len() as Cost;
                end = Some(Outcome::Solved(Plan { moves, cost, optimal: true }));
                ControlFlow::Break(())
            });
            if flow.is_break() && end.is_none() {
                end = Some(Outcome::GaveUp(node_budget.interruption()));
            }
            head += 1;
        }
        node_budget.end(depth);
        match end {
            Some(outcome) => break outcome,
            None => depth += 1,
        }
    };
    node_budget.stats.stored = store.states.len() as u64;
    let lower_bound = match &outcome {
        Outcome::Solved(plan) => plan.cost,
        _ => depth + 1,
    };
    SearchResult { outcome, lower_bound, stats: node_budget.stats }
}
