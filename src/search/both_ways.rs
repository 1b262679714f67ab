//! Breadth-first search from both ends at once (I. Pohl, Bi-directional Search, Machine Intelligence 6, 1971).
//!
//! Whole layers are expanded, of the smaller frontier first. All ways of fewer moves than the two depths together were met
//! before, so that the first state that both sides know lies on a shortest way.

use std::ops::ControlFlow;

use indexmap::map::Entry;

use super::{Conclusion, Cost, Limits, Meter, Plan, Searched, Space, Step, Store, moves_to};
use crate::stop::Reason;

enum End {
    /// At a state, by its number on either side.
    Met(usize, usize),
    Never,
    GaveUp(Reason),
}

/// Fewest moves; each is taken to cost 1. `back` begins at the goal, and its moves take back those of `space`.
pub fn both_ways<S: Space>(space: &S, back: &S, limits: &Limits) -> Searched<S::Move> {
    let mut meter = Meter::new(limits);
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
            end = Some(End::GaveUp(Reason::DepthLimit));
            break;
        }
        let forwards = waiting[0] <= waiting[1];
        let [one, other] = &mut sides;
        let ((side, store, head), (_, known, _)) = if forwards { (one, other) } else { (other, one) };
        let layer_end = store.states.len();
        while *head < layer_end && end.is_none() {
            if let ControlFlow::Break(reason) = meter.expand() {
                end = Some(End::GaveUp(reason));
                break;
            }
            let state = store.states.get_index(*head).expect("the head is below the length").0.clone();
            let trail = side.no_trail(&state);
            let flow = side.successors(&state, trail, None, |Step { action, state, .. }| {
                meter.generated += 1;
                if store.reserve().is_err() || store.states.len() == u32::MAX as usize {
                    end = Some(End::GaveUp(Reason::MemoryLimit));
                    return ControlFlow::Break(());
                }
                let meets = known.states.get_index_of(&state);
                let Entry::Vacant(vacant) = store.states.entry(state) else { return ControlFlow::Continue(()) };
                let index = vacant.index();
                vacant.insert(Some((*head as u32, action)));
                let Some(meets) = meets else { return ControlFlow::Continue(()) };
                end = Some(if forwards { End::Met(index, meets) } else { End::Met(meets, index) });
                ControlFlow::Break(())
            });
            if flow.is_break() && end.is_none() {
                end = Some(End::GaveUp(meter.broken_off()));
            }
            *head += 1;
        }
        meter.end(depth);
        if end.is_none() {
            depth += 1;
        }
    }
    let [(_, forth, _), (_, back, _)] = &sides;
    meter.work.stored = (forth.states.len() + back.states.len()) as u64;
    let (outcome, lower_bound) = match end.expect("the loop ends with one") {
        End::Met(here, there) => {
            let mut moves = moves_to::<S, _>(&forth.states, here, |&known| known);
            moves.extend(moves_to::<S, _>(&back.states, there, |&known| known).into_iter().rev());
            let cost = moves.len() as Cost;
            (Conclusion::Solved(Plan { moves, cost, optimal: true }), cost)
        }
        End::Never => (Conclusion::Impossible, super::UNREACHABLE),
        End::GaveUp(reason) => (Conclusion::GaveUp(reason), depth + 1),
    };
    Searched { outcome, lower_bound, work: meter.work }
}
