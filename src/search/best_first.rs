//! A*: the state with the least g + h first (Hart, Nilsson and Raphael, 1968).
//!
//! Among equals the last that was put in comes first: the deepest. A state that is reached again at less cost is put in once
//! more and its old entry passed over, so that a heuristic need not be consistent, only admissible.
//!
//! Where estimates are dear, a state waits with what its parent's estimate leaves, and gets its own when it comes first.

use std::collections::BinaryHeap;
use std::ops::ControlFlow;

use indexmap::map::Entry;

use super::{Conclusion, Cost, Limits, Meter, Plan, Searched, Space, Step, Store, UNREACHABLE, moves_to};
use crate::stop::Reason;

/// What is known of a state.
struct Known<M> {
    /// The least cost at which it was reached.
    cost: Cost,
    estimate: Cost,
    /// Whether the estimate is its own, not what its parent's leaves.
    is_estimated: bool,
    is_expanded: bool,
    came_by: Option<(u32, M)>,
}

/// Least cost.
pub fn astar<S: Space>(space: &S, limits: &Limits) -> Searched<S::Move> {
    weighted(space, 1, limits)
}

/// A good way at once: A* with the estimate taken more seriously than it should be, twice, then thrice, and so on until
/// a goal is found within some hundred thousand states. The lower bound is the estimate of the start.
pub fn quick<S: Space>(space: &S, limits: &Limits) -> Searched<S::Move> {
    const NODES: u64 = 200_000;
    let mut searched = weighted(space, 2, &limits.within(NODES));
    for (weight, most) in [(3, NODES), (5, NODES), (10, NODES), (30, NODES), (100, u64::MAX)] {
        let left = limits.after(&searched.work);
        if !matches!(searched.outcome, Conclusion::GaveUp(Reason::NodeLimit)) || left.nodes == Some(0) {
            break;
        }
        searched = weighted(space, weight, &left.within(most)).after(&mut searched);
    }
    searched
}

/// States that wait for their turn, each with the cost at which it was put in.
#[derive(Default)]
struct Frontier {
    /// The value at hand, and its states that were put in since it is.
    value: Cost,
    level: Vec<(u32, Cost)>,
    /// The others, behind the value, turned round, and a number that grows: the greatest comes first.
    heap: BinaryHeap<(u64, u32, Cost)>,
    puts: u32,
}

/// `weight`: how often the estimate counts. With 1 the first goal is the best.
fn weighted<S: Space>(space: &S, weight: Cost, limits: &Limits) -> Searched<S::Move> {
    let mut meter = Meter::new(limits);
    let mut store: Store<S, Known<S::Move>> = Store::new(limits);
    let mut frontier = Frontier::default();
    let start = space.start();
    let least = space.estimate(&start);
    if least != UNREACHABLE {
        frontier.push(least.saturating_mul(weight), 0, 0);
    }
    store
        .states
        .insert(start, Known { cost: 0, estimate: least, is_estimated: true, is_expanded: false, came_by: None });
    let (mut lower_bound, mut bound) = (least, least);
    let mut successors = Vec::new();
    let outcome = loop {
        let Some((value, index, cost)) = frontier.pop() else { break Conclusion::Impossible };
        let (state, known) = store.states.get_index_mut(index as usize).expect("the frontier holds known states");
        if known.cost != cost || known.is_expanded {
            continue;
        }
        if !std::mem::replace(&mut known.is_estimated, true) {
            known.estimate = known.estimate.max(space.estimate(state));
            let whole = cost.saturating_add(known.estimate.saturating_mul(weight));
            if whole > value {
                if known.estimate != UNREACHABLE {
                    frontier.push(whole, index, cost);
                }
                continue;
            }
        }
        if weight == 1 && value > bound {
            if meter.expanded > meter.before {
                meter.end(bound);
            }
            lower_bound = value;
        }
        bound = value;
        if limits.depth.is_some_and(|depth| lower_bound > depth) {
            break Conclusion::GaveUp(Reason::DepthLimit);
        }
        known.is_expanded = true;
        if space.is_goal(state) {
            let moves = moves_to::<S, _>(&store.states, index as usize, |known| known.came_by);
            break Conclusion::Solved(Plan { moves, cost, optimal: weight == 1 || cost == least });
        }
        if let ControlFlow::Break(reason) = meter.expand() {
            break Conclusion::GaveUp(reason);
        }
        let (state, rest) = (state.clone(), known.estimate);
        let trail = space.no_trail(&state);
        let mut stopped = None;
        let flow = space.successors(&state, trail, None, |step| {
            meter.generated += 1;
            let Step { action, cost: price, state, .. } = step;
            let Some(cost) = cost.checked_add(price).filter(|&cost| cost != UNREACHABLE) else {
                stopped = Some(Reason::Overflow);
                return ControlFlow::Break(());
            };
            if store.reserve().is_err() || store.states.len() == u32::MAX as usize {
                stopped = Some(Reason::MemoryLimit);
                return ControlFlow::Break(());
            }
            let came_by = Some((index, action));
            let (reached, estimate) = match store.states.entry(state) {
                Entry::Vacant(vacant) => {
                    let is_estimated = !S::ESTIMATES_LATE;
                    let estimate = if is_estimated { space.estimate(vacant.key()) } else { rest.saturating_sub(price) };
                    let reached = vacant.index();
                    vacant.insert(Known { cost, estimate, is_estimated, is_expanded: false, came_by });
                    (reached, estimate)
                }
                Entry::Occupied(mut occupied) => {
                    let known = occupied.get_mut();
                    if known.cost <= cost {
                        return ControlFlow::Continue(());
                    }
                    *known = Known { cost, is_expanded: false, came_by, ..*known };
                    (occupied.index(), occupied.get().estimate)
                }
            };
            if estimate != UNREACHABLE {
                let whole = cost.saturating_add(estimate.saturating_mul(weight));
                // An estimate that is not consistent may fall; the value at hand is the lowest there is.
                let whole = if weight == 1 { whole.max(value) } else { whole };
                let state = store.states.get_index(reached).expect("it was put in").0;
                successors.push((space.promise(state), whole, reached as u32, cost));
            }
            ControlFlow::Continue(())
        });
        if flow.is_break() {
            break Conclusion::GaveUp(stopped.unwrap_or_else(|| meter.broken_off()));
        }
        // The last one comes first.
        successors.sort_by_key(|successor| successor.0);
        successors.drain(..).for_each(|(_, whole, reached, cost)| frontier.push(whole, reached, cost));
    };
    meter.end(bound);
    meter.work.stored = store.states.len() as u64;
    if matches!(outcome, Conclusion::Impossible) {
        lower_bound = UNREACHABLE;
    }
    Searched { outcome, lower_bound, work: meter.work }
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

    /// The least value, a state, and the cost at which it was put in.
    fn pop(&mut self) -> Option<(Cost, u32, Cost)> {
        let value_of = |key: u64| !((key >> 32) as Cost);
        // With a weight the value may fall.
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
