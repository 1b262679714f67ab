//! Bidirectional breadth-first search (I. Pohl, Bi-directional Search, Machine Intelligence 6,
//! 1971).
//!
//! The search always expands a whole layer of the smaller frontier. Every path shorter than the sum
//! of the two depths was found earlier, so the first state that is in both frontiers lies on a
//! shortest path.

use std::ops::ControlFlow;

use base::stop::StopReason;

use super::breadth_first::{LayerEnd, Tree, expand_layer};
use super::{Cost, Limits, NodeBudget, Outcome, Plan, SearchResult, Space, Store, UNREACHABLE, moves_to};

/// Finds a plan with the fewest moves; every move counts as cost 1. `back` starts at the goal, and
/// its moves undo those of `space`.
pub fn bidirectional_bfs<S: Space>(space: &S, back: &S, limits: &Limits) -> SearchResult<S::Move> {
    let mut node_budget = NodeBudget::new(limits);
    let [mut forward, mut backward] = [space, back].map(|side| {
        let mut tree: Tree<S> = Store::new(limits);
        tree.memory = limits.memory.map(|memory| memory / 2);
        tree.states.insert(side.start(), None);
        (side, tree, 0..1)
    });
    let mut depth: Cost = 0;
    // The indices of the common state forwards and backwards.
    let mut meeting = (space.start() == back.start()).then_some((0, 0));
    let outcome = loop {
        if let Some((forward_index, backward_index)) = meeting {
            let mut moves = moves_to::<S, _>(&forward.1.states, forward_index, |&parent| parent);
            moves.extend(moves_to::<S, _>(&backward.1.states, backward_index, |&parent| parent).into_iter().rev());
            let cost = moves.len() as Cost;
            break Outcome::Solved(Plan { moves, cost, optimal: true });
        }
        if forward.2.is_empty() || backward.2.is_empty() {
            break Outcome::Impossible;
        }
        if limits.depth.is_some_and(|limit| depth >= limit) {
            break Outcome::GaveUp(StopReason::DepthLimit);
        }
        let is_forwards = forward.2.len() <= backward.2.len();
        let ((side, tree, layer), (_, opposite, _)) =
            if is_forwards { (&mut forward, &mut backward) } else { (&mut backward, &mut forward) };
        let next = layer.end;
        let flow =
            expand_layer(*side, tree, layer.clone(), &mut node_budget, |state| opposite.states.get_index_of(state));
        node_budget.end(depth);
        match flow {
            ControlFlow::Continue(()) => (*layer, depth) = (next..tree.states.len(), depth + 1),
            ControlFlow::Break(LayerEnd::GaveUp(reason)) => break Outcome::GaveUp(reason),
            ControlFlow::Break(LayerEnd::Found(index, other)) => {
                meeting = Some(if is_forwards { (index, other) } else { (other, index) });
            }
        }
    };
    node_budget.stats.stored = (forward.1.states.len() + backward.1.states.len()) as u64;
    let lower_bound = match &outcome {
        Outcome::Solved(plan) => plan.cost,
        Outcome::Impossible => UNREACHABLE,
        Outcome::GaveUp(_) => depth + 1,
    };
    SearchResult { outcome, lower_bound, stats: node_budget.stats }
}
