//! Breadth-first search: all states at distance 0, then 1, then 2, ….
//!
//! The first goal found needs the fewest moves. Every state is stored once, in order of discovery,
//! so the table of states is also the queue, and a layer is a range of its indices. When a layer
//! is empty, the space is exhausted. On large spaces, memory is exhausted before time.

use std::ops::{ControlFlow, Range};

use base::stop::StopReason;
use indexmap::map::Entry;

use super::{Cost, Limits, NodeBudget, Outcome, Plan, SearchResult, Space, Step, Store, moves_to};

/// The stored states, each with the state and the move from which it was discovered.
pub(super) type Tree<S> = Store<S, Option<(u32, <S as Space>::Move)>>;

/// The end of a search within a layer.
pub(super) enum LayerEnd<T> {
    /// The index of the state that was looked for, and the value of the test.
    Found(usize, T),
    GaveUp(StopReason),
}

/// Expands the states of a layer and stores the next one. Breaks at the first new state for which
/// `test` has a value, or at a limit.
#[inline]
pub(super) fn expand_layer<S: Space, T>(
    space: &S,
    tree: &mut Tree<S>,
    layer: Range<usize>,
    node_budget: &mut NodeBudget<'_>,
    mut test: impl FnMut(&S::State) -> Option<T>,
) -> ControlFlow<LayerEnd<T>> {
    for head in layer {
        if let ControlFlow::Break(reason) = node_budget.expand() {
            return ControlFlow::Break(LayerEnd::GaveUp(reason));
        }
        let state = tree.states.get_index(head).expect("the head is below the length").0.clone();
        let pruning = space.initial_pruning(&state);
        let mut end = None;
        let flow = space.successors(&state, pruning, None, |Step { action, state, .. }| {
            node_budget.generated += 1;
            if tree.reserve().is_err() || tree.states.len() == u32::MAX as usize {
                end = Some(LayerEnd::GaveUp(StopReason::MemoryLimit));
                return ControlFlow::Break(());
            }
            let Entry::Vacant(vacant) = tree.states.entry(state) else { return ControlFlow::Continue(()) };
            let (index, value) = (vacant.index(), test(vacant.key()));
            vacant.insert(Some((head as u32, action)));
            let Some(value) = value else { return ControlFlow::Continue(()) };
            end = Some(LayerEnd::Found(index, value));
            ControlFlow::Break(())
        });
        if flow.is_break() {
            return ControlFlow::Break(end.unwrap_or_else(|| LayerEnd::GaveUp(node_budget.interruption())));
        }
    }
    ControlFlow::Continue(())
}

/// Finds a plan with the fewest moves; every move counts as cost 1.
pub fn bfs<S: Space>(space: &S, limits: &Limits) -> SearchResult<S::Move> {
    let mut node_budget = NodeBudget::new(limits);
    let mut tree: Tree<S> = Store::new(limits);
    let start = space.start();
    if space.is_goal(&start) {
        let outcome = Outcome::Solved(Plan { moves: Vec::new(), cost: 0, optimal: true });
        return SearchResult { outcome, lower_bound: 0, stats: node_budget.stats };
    }
    tree.states.insert(start, None);
    let (mut layer, mut depth) = (0..1, 0);
    let outcome = loop {
        if layer.is_empty() {
            break Outcome::Impossible;
        }
        if limits.depth.is_some_and(|limit| depth >= limit) {
            break Outcome::GaveUp(StopReason::DepthLimit);
        }
        let next = layer.end;
        let flow = expand_layer(space, &mut tree, layer, &mut node_budget, |state| space.is_goal(state).then_some(()));
        node_budget.end(depth);
        match flow {
            ControlFlow::Continue(()) => (layer, depth) = (next..tree.states.len(), depth + 1),
            ControlFlow::Break(LayerEnd::GaveUp(reason)) => break Outcome::GaveUp(reason),
            ControlFlow::Break(LayerEnd::Found(index, ())) => {
                let moves = moves_to::<S, _>(&tree.states, index, |&parent| parent);
                let cost = moves.len() as Cost;
                break Outcome::Solved(Plan { moves, cost, optimal: true });
            }
        }
    };
    node_budget.stats.stored = tree.states.len() as u64;
    let lower_bound = match &outcome {
        Outcome::Solved(plan) => plan.cost,
        _ => depth + 1,
    };
    SearchResult { outcome, lower_bound, stats: node_budget.stats }
}
