//! Bidirectional breadth-first search (I. Pohl, Bi-directional Search, Machine Intelligence 6,
//! 1971).
//!
//! The search always expands a whole layer of the smaller frontier. Every path shorter than the sum
//! of the two depths was found earlier, so the first state that is in both frontiers lies on a
//! shortest path.

use std::ops::ControlFlow;

use indexmap::map::Entry;

use super::{Cost, Limits, NodeBudget, Outcome, Plan, SearchResult, Space, Step, Store, moves_to};
use crate::stop::StopReason;

enum End {
    /// The frontiers have met: the indices of the common state forwards and backwards.
    Met(usize, usize),
    Never,
    GaveUp(StopReason),
}

/// Finds a plan with the fewest moves; every move counts as cost 1. `back` starts at the goal, and
/// its moves undo those of `space`.
pub fn bidirectional_bfs<S: Space>(space: &S, back: &S, limits: &Limits) -> SearchResult<S::Move> {
    let mut node_budget = NodeBudget::new(limits);
    let mut sides = [space, back].map(|side| {
        let mut store: Store<S, Option<(u32, S::Move)>> = Store::new(limits);
        store.memory = limits.memory.map(|memory| memory / 2);
        store.states.insert(side.start(), None);
        (side, store, 0_usize)
    });
    let mut depth: Cost = 0;
    let mut end = (space.start() == back.start()).then_some(End::Met(0, 0));
    while end.is_none() {
        let waiting: Vec<usize> = sides.iter().map(|(_, store, head)| store.states.len() - head).collect();
        if waiting.contains(&0) {
            end = Some(End::Never);
            break;
        }
        if limits.depth.is_some_and(|limit| depth >= limit) {
            end = Some(End::GaveUp(StopReason::DepthLimit));
            break;
        }
        let is_forwards = waiting[0] <= waiting[1];
        let [forward, backward] = &mut sides;
        let ((side, store, head), (_, opposite, _)) =
            if is_forwards { (forward, backward) } else { (backward, forward) };
        let layer_end = store.states.len();
        while *head < layer_end && end.is_none() {
            if let ControlFlow::Break(reason) = node_budget.expand() {
                end = Some(End::GaveUp(reason));
                break;
            }
            let state = store.states.get_index(*head).expect("the head is below the length").0.clone();
            let pruning = side.initial_pruning(&state);
            let flow = side.successors(&state, pruning, None, |Step { action, state, .. }| {
                node_budget.generated += 1;
                if store.reserve().is_err() || store.states.len() == u32::MAX as usize {
                    end = Some(End::GaveUp(StopReason::MemoryLimit));
                    return ControlFlow::Break(());
                }
                let opposite_index = opposite.states.get_index_of(&state);
                let Entry::Vacant(vacant) = store.states.entry(state) else { return ControlFlow::Continue(()) };
                let index = vacant.index();
                vacant.insert(Some((*head as u32, action)));
                let Some(opposite_index) = opposite_index else { return ControlFlow::Continue(()) };
                end = Some(if is_forwards { End::Met(index, opposite_index) } else { End::Met(opposite_index, index) });
                ControlFlow::Break(())
            });
            if flow.is_break() && end.is_none() {
                end = Some(End::GaveUp(node_budget.interruption()));
            }
            *head += 1;
        }
        node_budget.end(depth);
        if end.is_none() {
            depth += 1;
        }
    }
    let [(_, forth, _), (_, back, _)] = &sides;
    node_budget.stats.stored = (forth.states.len() + back.states.len()) as u64;
    let (outcome, lower_bound) = match end.expect("the loop ends with one") {
        End::Met(forward_index, backward_index) => {
            let mut moves = moves_to::<S, _>(&forth.states, forward_index, |&parent| parent);
            moves.extend(moves_to::<S, _>(&back.states, backward_index, |&parent| parent).into_iter().rev());
            let cost = moves.len() as Cost;
            (Outcome::Solved(Plan { moves, cost, optimal: true }), cost)
        }
        End::Never => (Outcome::Impossible, super::UNREACHABLE),
        End::GaveUp(reason) => (Outcome::GaveUp(reason), depth + 1),
    };
    SearchResult { outcome, lower_bound, stats: node_budget.stats }
}
