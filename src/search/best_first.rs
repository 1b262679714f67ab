//! A*: the state with the least g + h first (Hart, Nilsson and Raphael, 1968).
//!
//! The frontier is a list of states for each value of g + h, last in, first out: among equals the deepest comes first.
//! The values themselves are in a B-tree, since costs may lie far apart. A state that is reached again at less cost
//! is put in once more and its old entry passed over, so that a heuristic need not be consistent, only admissible.
//!
//! Where estimates are dear, a state waits with what its parent's estimate leaves, and gets its own when it comes first.

use std::collections::{BTreeMap, btree_map};
use std::ops::ControlFlow;
use std::time::Instant;

use indexmap::map::Entry;

use super::{
    Conclusion, Cost, LOOK_EVERY, Limits, Plan, Searched, Space, Step, Store, UNREACHABLE, Work, moves_to,
    reason_to_stop,
};
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
    let mut work = Work::default();
    for weight in [2, 3, 5, 10, 30, 100] {
        let nodes =
            if weight == 100 { limits.nodes } else { Some(limits.nodes.unwrap_or(QUICK_NODES).min(QUICK_NODES)) };
        let searched = weighted(space, weight, &Limits { nodes, ..limits.clone() });
        work.iterations.extend(searched.work.iterations);
        work.stored = work.stored.max(searched.work.stored);
        if weight == 100 || !matches!(searched.outcome, Conclusion::GaveUp(Reason::NodeLimit)) {
            return Searched { work, ..searched };
        }
    }
    unreachable!("the last weight returns")
}

const QUICK_NODES: u64 = 200_000;

/// States that wait for their turn, each with the cost at which it was put in.
#[derive(Default)]
struct Frontier {
    /// The value at hand, and its states.
    value: Cost,
    level: Vec<(u32, Cost)>,
    /// For each other value, the entry that was put in last.
    lists: BTreeMap<Cost, u32>,
    /// All lists, and that of the entries that are free again: many are short, and a place of their own takes longer.
    entries: Vec<Waiting>,
    free: Option<u32>,
}

/// An entry of a list, and the next one.
struct Waiting {
    state: (u32, Cost),
    next: Option<u32>,
}

/// `weight`: how often the estimate counts. With 1 the first goal is the best.
fn weighted<S: Space>(space: &S, weight: Cost, limits: &Limits) -> Searched<S::Move> {
    let mut work = Work::default();
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
    let (mut lower_bound, mut total) = (least, 0);
    let (mut bound, mut began, mut expanded_before, mut generated) = (least, Instant::now(), 0, 0);
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
            if total > expanded_before {
                began = work.end(bound, total - expanded_before, generated, began);
                (expanded_before, generated) = (total, 0);
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
        total += 1;
        if total & (LOOK_EVERY - 1) == 0
            && let Some(reason) = reason_to_stop(limits, total)
        {
            break Conclusion::GaveUp(reason);
        }
        let (state, rest) = (state.clone(), known.estimate);
        let trail = space.no_trail(&state);
        let mut stopped = Reason::Unproven;
        let flow = space.successors(&state, trail, None, |step| {
            generated += 1;
            let Step { action, cost: price, state, .. } = step;
            let cost = cost + price;
            if store.reserve().is_err() || store.states.len().max(frontier.entries.len()) == u32::MAX as usize {
                stopped = Reason::MemoryLimit;
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
            break Conclusion::GaveUp(limits.stop.requested().unwrap_or(stopped));
        }
    };
    work.end(bound, total - expanded_before, generated, began);
    work.stored = store.states.len() as u64;
    if matches!(outcome, Conclusion::Impossible) {
        lower_bound = UNREACHABLE;
    }
    Searched { outcome, lower_bound, work }
}

impl Frontier {
    fn push(&mut self, value: Cost, index: u32, cost: Cost) {
        let state = (index, cost);
        if value == self.value {
            self.level.push(state);
            return;
        }
        let list = self.lists.entry(value);
        let next = match &list {
            btree_map::Entry::Vacant(_) => None,
            btree_map::Entry::Occupied(occupied) => Some(*occupied.get()),
        };
        let entry = Waiting { state, next };
        let at = match self.free {
            Some(at) => {
                self.free = std::mem::replace(&mut self.entries[at as usize], entry).next;
                at
            }
            None => {
                self.entries.push(entry);
                (self.entries.len() - 1) as u32
            }
        };
        list.insert_entry(at);
    }

    /// The least value, a state, and the cost at which it was put in.
    fn pop(&mut self) -> Option<(Cost, u32, Cost)> {
        if self.level.is_empty() {
            let (value, last) = self.lists.pop_first()?;
            self.value = value;
            let mut next = Some(last);
            while let Some(at) = next {
                let state;
                (state, next) = self.take(at);
                self.level.push(state);
            }
            self.level.reverse();
        } else if let Some((&value, &at)) = self.lists.first_key_value()
            && value < self.value
        {
            // With a weight the value may fall.
            let ((index, cost), next) = self.take(at);
            match next {
                Some(next) => drop(self.lists.insert(value, next)),
                None => drop(self.lists.pop_first()),
            }
            return Some((value, index, cost));
        }
        self.level.pop().map(|(index, cost)| (self.value, index, cost))
    }

    /// Frees an entry.
    fn take(&mut self, at: u32) -> ((u32, Cost), Option<u32>) {
        let entry = &mut self.entries[at as usize];
        (entry.state, std::mem::replace(&mut entry.next, self.free.replace(at)))
    }
}
