//! A*: expands the state with the least f = g + h first (Hart, Nilsson and Raphael, 1968).
//!
//! Ties are broken in favour of the last state inserted, which is the deepest. A state that is
//! reached again at a lower cost is inserted again and its old entry is skipped, so the heuristic
//! must be admissible, but need not be consistent.
//!
//! With an expensive heuristic, a state is queued with its parent's h minus the cost of the move,
//! and evaluated when it is popped (lazy A*).

use std::collections::BinaryHeap;
use std::ops::ControlFlow;

use base::stop::StopReason;
use indexmap::map::Entry;

use super::{Cost, Ladder, Limits, NodeBudget, Outcome, Plan, SearchResult, Space, Step, Store, UNREACHABLE, moves_to};

struct NodeInfo<M> {
    /// The least cost at which the state was reached.
    cost: Cost,
    estimate: Cost,
    /// False if `estimate` is still derived from the parent's.
    is_estimated: bool,
    is_expanded: bool,
    parent: Option<(u32, M)>,
}

/// Finds a plan of least cost.
pub fn astar<S: Space>(space: &S, limits: &Limits) -> SearchResult<S::Move> {
    astar_with_weight(space, 1, limits)
}

/// Finds a good plan quickly: A* with h weighted by 2, then 3, and so on up to 100, until a goal is
/// found. Each weight but the last gets 200,000 nodes. The lower bound is the heuristic value of
/// the start.
pub fn weighted_astar<S: Space>(space: &S, limits: &Limits) -> SearchResult<S::Move> {
    const NODES: u64 = 200_000;
    let mut ladder = Ladder::new(limits, 0, &[StopReason::NodeLimit]);
    for (weight, nodes) in [(2, NODES), (3, NODES), (5, NODES), (10, NODES), (30, NODES), (100, u64::MAX)] {
        ladder.stage(nodes, |limits| astar_with_weight(space, weight, limits));
    }
    ladder.result
}

/// The open list: each entry is a state and the cost at which it was inserted.
#[derive(Default)]
struct Frontier {
    /// The current f-value, and the states inserted with it.
    value: Cost,
    level: Vec<(u32, Cost)>,
    /// The other states. The key is the inverted f-value followed by an insertion counter, so that
    /// the least f and, among equals, the latest entry comes first.
    heap: BinaryHeap<(u64, u32, Cost)>,
    puts: u32,
}

/// A* with f = g + `weight` · h. With weight 1 the first goal is optimal. The loop over states is
/// one function, because it is hot and its steps share all of its state.
fn astar_with_weight<S: Space>(space: &S, weight: Cost, limits: &Limits) -> SearchResult<S::Move> {
    let mut node_budget = NodeBudget::new(limits);
    let mut store: Store<S, NodeInfo<S::Move>> = Store::new(limits);
    let mut frontier = Frontier::default();
    let start = space.start();
    let start_estimate = space.heuristic(&start);
    if start_estimate != UNREACHABLE {
        frontier.push(start_estimate.saturating_mul(weight), 0, 0);
    }
    store.states.insert(
        start,
        NodeInfo { cost: 0, estimate: start_estimate, is_estimated: true, is_expanded: false, parent: None },
    );
    let (mut lower_bound, mut bound) = (start_estimate, start_estimate);
    let mut successors = Vec::new();
    let outcome = loop {
        let Some((value, index, cost)) = frontier.pop() else { break Outcome::Impossible };
        let (state, node) = store.states.get_index_mut(index as usize).expect("the frontier holds known states");
        if node.cost != cost || node.is_expanded {
            continue;
        }
        if !std::mem::replace(&mut node.is_estimated, true) {
            node.estimate = node.estimate.max(space.heuristic(state));
            let f = cost.saturating_add(node.estimate.saturating_mul(weight));
            if f > value {
                if node.estimate != UNREACHABLE {
                    frontier.push(f, index, cost);
                }
                continue;
            }
        }
        if weight == 1 && value > bound {
            if node_budget.expanded > node_budget.before {
                node_budget.end(bound);
            }
            lower_bound = value;
        }
        bound = value;
        if limits.depth.is_some_and(|depth| lower_bound > depth) {
            break Outcome::GaveUp(StopReason::DepthLimit);
        }
        node.is_expanded = true;
        if space.is_goal(state) {
            let moves = moves_to::<S, _>(&store.states, index as usize, |node| node.parent);
            break Outcome::Solved(Plan { moves, cost, optimal: weight == 1 || cost == start_estimate });
        }
        if let ControlFlow::Break(reason) = node_budget.expand() {
            break Outcome::GaveUp(reason);
        }
        let (state, rest) = (state.clone(), node.estimate);
        let pruning = space.initial_pruning(&state);
        let mut stopped = None;
        let flow = space.successors(&state, pruning, None, |step| {
            node_budget.generated += 1;
            let Step { action, cost: step_cost, state, .. } = step;
            let Some(cost) = cost.checked_add(step_cost).filter(|&cost| cost != UNREACHABLE) else {
                stopped = Some(StopReason::Overflow);
                return ControlFlow::Break(());
            };
            if store.reserve().is_err() || store.states.len() == u32::MAX as usize {
                stopped = Some(StopReason::MemoryLimit);
                return ControlFlow::Break(());
            }
            let parent = Some((index, action));
            let (reached, estimate) = match store.states.entry(state) {
                Entry::Vacant(vacant) => {
                    let is_estimated = !S::LAZY_HEURISTIC;
                    let estimate =
                        if is_estimated { space.heuristic(vacant.key()) } else { rest.saturating_sub(step_cost) };
                    let reached = vacant.index();
                    vacant.insert(NodeInfo { cost, estimate, is_estimated, is_expanded: false, parent });
                    (reached, estimate)
                }
                Entry::Occupied(mut occupied) => {
                    let node = occupied.get_mut();
                    if node.cost <= cost {
                        return ControlFlow::Continue(());
                    }
                    *node = NodeInfo { cost, is_expanded: false, parent, ..*node };
                    (occupied.index(), occupied.get().estimate)
                }
            };
            if estimate != UNREACHABLE {
                let f = cost.saturating_add(estimate.saturating_mul(weight));
                // f may fall if the heuristic is inconsistent; `value` is then still a lower bound.
                let f = if weight == 1 { f.max(value) } else { f };
                let state = store.states.get_index(reached).expect("it was put in").0;
                successors.push((space.tie_break(state), f, reached as u32, cost));
            }
            ControlFlow::Continue(())
        });
        if flow.is_break() {
            break Outcome::GaveUp(stopped.unwrap_or_else(|| node_budget.interruption()));
        }
        // The entry pushed last is popped first.
        successors.sort_by_key(|successor| successor.0);
        successors.drain(..).for_each(|(_, f, reached, cost)| frontier.push(f, reached, cost));
    };
    node_budget.end(bound);
    node_budget.stats.stored = store.states.len() as u64;
    if matches!(outcome, Outcome::Impossible) {
        lower_bound = UNREACHABLE;
    }
    SearchResult { outcome, lower_bound, stats: node_budget.stats }
}

impl Frontier {
    fn push(&mut self, value: Cost, index: u32, cost: Cost) {
        if value == self.value {
            self.level.push((index, cost));
            return;
        }
        self.puts = self.puts.wrapping_add(1);
        self.heap.push((u64::from(!value) << 32 | u64::from(self.puts), index, cost));
    }

    /// Pops the least f-value, a state, and the cost at which it was inserted.
    fn pop(&mut self) -> Option<(Cost, u32, Cost)> {
        let value_of = |key: u64| !((key >> 32) as Cost);
        // With a weight above 1, f may fall.
        let falls = self.heap.peek().is_some_and(|&(key, ..)| value_of(key) < self.value);
        if !falls && let Some((index, cost)) = self.level.pop() {
            return Some((self.value, index, cost));
        }
        let (key, index, cost) = self.heap.pop()?;
        if self.level.is_empty() {
            self.value = value_of(key);
        }
        Some((value_of(key), index, cost))
    }
}
