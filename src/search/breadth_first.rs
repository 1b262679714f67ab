//! Breadth-first search: all states at distance 0, then 1, then 2, ….
//!
//! The first goal that is met has the fewest moves. Every state is remembered once, in the order of its discovery, which
//! makes the table of states and the queue the same thing: the queue's head is an index into the table. When the queue
//! runs empty the space was exhausted. Memory, not time, is what ends it on large spaces.

use std::ops::ControlFlow;

use indexmap::map::Entry;

use super::{Conclusion, Cost, Limits, Meter, Plan, Searched, Space, Step, Store, moves_to};
use crate::stop::Reason;

/// Fewest moves; each is taken to cost 1.
pub fn bfs<S: Space>(space: &S, limits: &Limits) -> Searched<S::Move> {
    let mut meter = Meter::new(limits);
    let mut store: Store<S, Option<(u32, S::Move)>> = Store::new(limits);
    let start = space.start();
    if space.is_goal(&start) {
        let outcome = Conclusion::Solved(Plan { moves: Vec::new(), cost: 0, optimal: true });
        return Searched { outcome, lower_bound: 0, work: meter.work };
    }
    store.states.insert(start, None);
    let (mut head, mut depth) = (0, 0);
    let outcome = loop {
        let layer_end = store.states.len();
        if head == layer_end {
            break Conclusion::Impossible;
        }
        if limits.depth.is_some_and(|limit| depth >= limit) {
            break Conclusion::GaveUp(Reason::DepthLimit);
        }
        let mut end = None;
        while head < layer_end && end.is_none() {
            if let ControlFlow::Break(reason) = meter.expand() {
                end = Some(Conclusion::GaveUp(reason));
                break;
            }
            let state = store.states.get_index(head).expect("the head is below the length").0.clone();
            let trail = space.no_trail(&state);
            let flow = space.successors(&state, trail, None, |Step { action, state, .. }| {
                meter.generated += 1;
                if store.reserve().is_err() || store.states.len() == u32::MAX as usize {
                    end = Some(Conclusion::GaveUp(Reason::MemoryLimit));
                    return ControlFlow::Break(());
                }
                let is_goal = space.is_goal(&state);
                let Entry::Vacant(vacant) = store.states.entry(state) else { return ControlFlow::Continue(()) };
                let index = vacant.index();
                vacant.insert(Some((head as u32, action)));
                if !is_goal {
                    return ControlFlow::Continue(());
                }
                let moves = moves_to::<S, _>(&store.states, index, |&known| known);
                let cost = moves.len() as Cost;
                end = Some(Conclusion::Solved(Plan { moves, cost, optimal: true }));
                ControlFlow::Break(())
            });
            if flow.is_break() && end.is_none() {
                end = Some(Conclusion::GaveUp(meter.broken_off()));
            }
            head += 1;
        }
        meter.end(depth);
        match end {
            Some(outcome) => break outcome,
            None => depth += 1,
        }
    };
    meter.work.stored = store.states.len() as u64;
    let lower_bound = match &outcome {
        Conclusion::Solved(plan) => plan.cost,
        _ => depth + 1,
    };
    Searched { outcome, lower_bound, work: meter.work }
}
