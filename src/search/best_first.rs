//! A*: the state with the least g + h first (Hart, Nilsson and Raphael, 1968).
//!
//! The frontier is a list of states for each value of g + h, last in, first out: among equals the deepest comes first.
//! The values themselves are in a B-tree, since costs may lie far apart. A state that is reached again at less cost
//! is put in once more and its old entry passed over, so that a heuristic need not be consistent, only admissible.

use std::collections::BTreeMap;
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

/// `weight`: how often the estimate counts. With 1 the first goal is the best.
fn weighted<S: Space>(space: &S, weight: Cost, limits: &Limits) -> Searched<S::Move> {
    let mut work = Work::default();
    let mut store: Store<S, Known<S::Move>> = Store::new(limits);
    // For each g + h, the states and the g with which they were put in.
    let mut frontier: BTreeMap<Cost, Vec<(u32, Cost)>> = BTreeMap::new();
    let start = space.start();
    let least = space.estimate(&start);
    if least != UNREACHABLE {
        frontier.insert(least.saturating_mul(weight), vec![(0, 0)]);
    }
    store.states.insert(start, Known { cost: 0, estimate: least, is_expanded: false, came_by: None });
    let (mut lower_bound, mut total) = (least, 0);
    let (mut began, mut expanded_before, mut generated) = (Instant::now(), 0, 0);
    let outcome = loop {
        let Some((value, mut level)) = frontier.pop_first() else { break Conclusion::Impossible };
        if weight == 1 {
            lower_bound = lower_bound.max(value);
        }
        if limits.depth.is_some_and(|depth| lower_bound > depth) {
            break Conclusion::GaveUp(Reason::DepthLimit);
        }
        let mut end = None;
        while let Some((index, cost)) = level.pop() {
            let (state, known) = store.states.get_index_mut(index as usize).expect("the frontier holds known states");
            if known.cost != cost || std::mem::replace(&mut known.is_expanded, true) {
                continue;
            }
            if space.is_goal(state) {
                let moves = moves_to::<S, _>(&store.states, index as usize, |known| known.came_by);
                end = Some(Conclusion::Solved(Plan { moves, cost, optimal: weight == 1 || cost == least }));
                break;
            }
            total += 1;
            if total & (LOOK_EVERY - 1) == 0
                && let Some(reason) = reason_to_stop(limits, total)
            {
                end = Some(Conclusion::GaveUp(reason));
                break;
            }
            let state = state.clone();
            let trail = space.no_trail(&state);
            let flow = space.successors(&state, trail, None, |step| {
                generated += 1;
                let Step { action, cost: price, state, .. } = step;
                let cost = cost + price;
                if store.reserve().is_err() || store.states.len() == u32::MAX as usize {
                    end = Some(Conclusion::GaveUp(Reason::MemoryLimit));
                    return ControlFlow::Break(());
                }
                let (reached, estimate) = match store.states.entry(state) {
                    Entry::Vacant(vacant) => {
                        let (reached, estimate) = (vacant.index(), space.estimate(vacant.key()));
                        vacant.insert(Known { cost, estimate, is_expanded: false, came_by: Some((index, action)) });
                        (reached, estimate)
                    }
                    Entry::Occupied(mut occupied) => {
                        let known = occupied.get_mut();
                        if known.cost <= cost {
                            return ControlFlow::Continue(());
                        }
                        *known = Known { cost, is_expanded: false, came_by: Some((index, action)), ..*known };
                        (occupied.index(), occupied.get().estimate)
                    }
                };
                if estimate == UNREACHABLE {
                    return ControlFlow::Continue(());
                }
                let whole = cost.saturating_add(estimate.saturating_mul(weight));
                // An estimate that is not consistent may fall; the level at hand is the lowest there is.
                let whole = if weight == 1 { whole.max(value) } else { whole };
                let entry = (reached as u32, cost);
                if whole == value {
                    level.push(entry);
                } else {
                    frontier.entry(whole).or_default().push(entry);
                }
                ControlFlow::Continue(())
            });
            if end.is_some() {
                break;
            }
            if flow.is_break() {
                end = Some(Conclusion::GaveUp(limits.stop.requested().unwrap_or(Reason::Unproven)));
                break;
            }
            // With a weight the value may fall.
            if frontier.first_key_value().is_some_and(|(&least, _)| least < value) {
                break;
            }
        }
        frontier.extend(Some((value, level)).filter(|(_, level)| !level.is_empty()));
        if weight == 1 || end.is_some() {
            work.end(value, total - expanded_before, generated, began);
            (began, expanded_before, generated) = (Instant::now(), total, 0);
        }
        if let Some(outcome) = end {
            break outcome;
        }
    };
    work.stored = store.states.len() as u64;
    if matches!(outcome, Conclusion::Impossible) {
        lower_bound = UNREACHABLE;
    }
    Searched { outcome, lower_bound, work }
}
