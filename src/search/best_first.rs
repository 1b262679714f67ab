//! A*: the state with the least g + h first (Hart, Nilsson and Raphael, 1968).
//!
//! The frontier is a list of states for each value of g + h, last in, first out: among equals the deepest comes first.
//! The values themselves are in a B-tree, since costs may lie far apart. A state that is reached again at less cost
//! is put in once more and its old entry passed over, so that a heuristic need not be consistent, only admissible.
//!
//! Where estimates are dear, a state waits with what its parent's estimate leaves, and gets its own when it comes first.

use std::collections::BTreeMap;
use std::mem;
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
    /// The value at hand, and its states.
    value: Cost,
    level: Vec<(u32, Cost)>,
    /// Those of each other value, and lists that were used before: many are short.
    lists: BTreeMap<Cost, Vec<(u32, Cost)>>,
    spare: Vec<Vec<(u32, Cost)>>,
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
            let cost = cost + price;
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
                frontier.push(if weight == 1 { whole.max(value) } else { whole }, reached as u32, cost);
            }
            ControlFlow::Continue(())
        });
        if flow.is_break() {
            break Conclusion::GaveUp(stopped.unwrap_or_else(|| meter.broken_off()));
        }
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
        } else {
            let list = self.lists.entry(value).or_insert_with(|| self.spare.pop().unwrap_or_default());
            list.push((index, cost));
        }
    }

    /// The least value, a state, and the cost at which it was put in.
    fn pop(&mut self) -> Option<(Cost, u32, Cost)> {
        // With a weight the value may fall.
        if self.level.is_empty() || self.lists.first_key_value().is_some_and(|(&value, _)| value < self.value) {
            let (value, list) = self.lists.pop_first()?;
            let (before, level) = (mem::replace(&mut self.value, value), mem::replace(&mut self.level, list));
            match level.is_empty() {
                true => self.spare.push(level),
                false => drop(self.lists.insert(before, level)),
            }
        }
        self.level.pop().map(|(index, cost)| (self.value, index, cost))
    }
}
