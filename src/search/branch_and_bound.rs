//! The first two rungs of the ladder for games in which no state comes back: try everything; then, remember.
//!
//! [`backtracking`] follows every way to its end, unless it already costs as much as the best way so far. [`memo`] asks
//! of each state once what the rest of the way costs, and remembers the answer.

use std::ops::ControlFlow;

use super::{Conclusion, Cost, Limits, Meter, Plan, Searched, Space, Store, UNREACHABLE};
use crate::stop::Reason;

/// Least cost, remembering nothing but the way. For spaces without cycles; uses no heuristic.
pub fn backtracking<S: Space>(space: &S, limits: &Limits) -> Searched<S::Move> {
    let start = space.start();
    let mut search = Backtracking { space, meter: Meter::new(limits), way: Vec::new(), best: None };
    let flow = search.below(&start, space.no_trail(&start), 0);
    finished(flow, search.best, search.meter)
}

/// Least cost, asking each state once. For spaces without cycles; uses no heuristic.
pub fn memo<S: Space>(space: &S, limits: &Limits) -> Searched<S::Move> {
    let mut search = Memo { space, meter: Meter::new(limits), store: Store::new(limits) };
    let start = space.start();
    let flow = search.rest(&start);
    let best = match flow {
        ControlFlow::Break(_) | ControlFlow::Continue(UNREACHABLE) => None,
        ControlFlow::Continue(cost) => Some(Plan { moves: search.way(start), cost, optimal: true }),
    };
    search.meter.work.stored = search.store.states.len() as u64;
    finished(flow.map_continue(|_| ()), best, search.meter)
}

fn finished<M>(flow: ControlFlow<Reason>, best: Option<Plan<M>>, mut meter: Meter<'_>) -> Searched<M> {
    meter.end(best.as_ref().map_or(0, |best| best.cost));
    let outcome = match (flow, best) {
        (ControlFlow::Continue(()), Some(plan)) => Conclusion::Solved(plan),
        (ControlFlow::Continue(()), None) => Conclusion::Impossible,
        // The best so far is a way, but not proven to be the best.
        (ControlFlow::Break(_), Some(plan)) => Conclusion::Solved(Plan { optimal: plan.cost == 0, ..plan }),
        (ControlFlow::Break(reason), None) => Conclusion::GaveUp(reason),
    };
    let lower_bound = match &outcome {
        Conclusion::Solved(plan) if plan.optimal => plan.cost,
        Conclusion::Impossible => UNREACHABLE,
        _ => 0,
    };
    Searched { outcome, lower_bound, work: meter.work }
}

struct Backtracking<'a, S: Space> {
    space: &'a S,
    meter: Meter<'a>,
    way: Vec<S::Move>,
    best: Option<Plan<S::Move>>,
}

impl<S: Space> Backtracking<'_, S> {
    fn below(&mut self, state: &S::State, trail: S::Trail, cost: Cost) -> ControlFlow<Reason> {
        if self.space.is_goal(state) {
            self.best = Some(Plan { moves: self.way.clone(), cost, optimal: true });
            return ControlFlow::Continue(());
        }
        self.meter.expand()?;
        let mut stopped = None;
        let flow = self.space.successors(state, trail, None, |step| {
            self.meter.generated += 1;
            let cost = cost.saturating_add(step.cost);
            if self.best.as_ref().is_some_and(|best| cost >= best.cost) {
                return ControlFlow::Continue(());
            }
            self.way.push(step.action);
            let flow = self.below(&step.state, step.trail, cost);
            self.way.pop();
            flow.map_break(|reason| stopped = Some(reason))
        });
        flow.map_break(|()| stopped.unwrap_or_else(|| self.meter.broken_off()))
    }
}

struct Memo<'a, S: Space> {
    space: &'a S,
    meter: Meter<'a>,
    /// For each state, what the rest of the way costs.
    store: Store<S, Cost>,
}

impl<S: Space> Memo<'_, S> {
    fn rest(&mut self, state: &S::State) -> ControlFlow<Reason, Cost> {
        if let Some(&cost) = self.store.states.get(state) {
            return ControlFlow::Continue(cost);
        }
        let mut best = UNREACHABLE;
        if self.space.is_goal(state) {
            best = 0;
        } else {
            self.meter.expand()?;
            let mut stopped = None;
            let flow = self.space.successors(state, self.space.no_trail(state), None, |step| {
                self.meter.generated += 1;
                let rest = self.rest(&step.state).map_break(|reason| stopped = Some(reason))?;
                best = best.min(rest.saturating_add(step.cost));
                ControlFlow::Continue(())
            });
            if flow.is_break() {
                return ControlFlow::Break(stopped.unwrap_or_else(|| self.meter.broken_off()));
            }
        }
        if self.store.reserve().is_err() {
            return ControlFlow::Break(Reason::MemoryLimit);
        }
        self.store.states.insert(state.clone(), best);
        ControlFlow::Continue(best)
    }

    /// Follows what costs no more than it must.
    fn way(&self, mut state: S::State) -> Vec<S::Move> {
        let mut moves = Vec::new();
        while !self.space.is_goal(&state) {
            let rest = self.store.states[&state];
            let mut next = None;
            let _ = self.space.successors(&state, self.space.no_trail(&state), None, |step| {
                if self.store.states.get(&step.state).is_some_and(|&after| after.saturating_add(step.cost) == rest) {
                    next = Some(step);
                    return ControlFlow::Break(());
                }
                ControlFlow::Continue(())
            });
            let step = next.expect("some move costs what the rest of the way costs");
            moves.push(step.action);
            state = step.state;
        }
        moves
    }
}
