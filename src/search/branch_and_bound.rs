//! The first two rungs of the ladder for games in which no state comes back: try everything; then, remember.
//!
//! [`backtracking`] follows every way to its end, unless it already costs as much as the best way so far. [`memo`] asks
//! of each state once what the rest of the way costs, and remembers the answer.

use std::ops::ControlFlow;
use std::time::Instant;

use super::{Conclusion, Cost, LOOK_EVERY, Limits, Plan, Searched, Space, Store, UNREACHABLE, Work, reason_to_stop};
use crate::stop::Reason;

/// Least cost, remembering nothing but the way. For spaces without cycles; uses no heuristic.
pub fn backtracking<S: Space>(space: &S, limits: &Limits) -> Searched<S::Move> {
    let began = Instant::now();
    let start = space.start();
    let mut search = Backtracking { space, limits, way: Vec::new(), best: None, expanded: 0, generated: 0 };
    let flow = search.below(&start, space.no_trail(&start), 0);
    let mut work = Work::default();
    let bound = search.best.as_ref().map_or(0, |best| best.cost);
    work.end(bound, search.expanded, search.generated, began);
    finished(flow, search.best, work)
}

/// Least cost, asking each state once. For spaces without cycles; uses no heuristic.
pub fn memo<S: Space>(space: &S, limits: &Limits) -> Searched<S::Move> {
    let began = Instant::now();
    let mut search = Memo { space, limits, store: Store::new(limits), expanded: 0, generated: 0 };
    let start = space.start();
    let flow = search.rest(&start);
    let mut work = Work { stored: search.store.states.len() as u64, ..Work::default() };
    let (flow, best) = match flow {
        ControlFlow::Break(reason) => (ControlFlow::Break(reason), None),
        ControlFlow::Continue(UNREACHABLE) => (ControlFlow::Continue(()), None),
        ControlFlow::Continue(cost) => {
            (ControlFlow::Continue(()), Some(Plan { moves: search.way(start), cost, optimal: true }))
        }
    };
    work.end(best.as_ref().map_or(0, |best| best.cost), search.expanded, search.generated, began);
    finished(flow, best, work)
}

fn finished<M>(flow: ControlFlow<Reason>, best: Option<Plan<M>>, work: Work) -> Searched<M> {
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
    Searched { outcome, lower_bound, work }
}

struct Backtracking<'a, S: Space> {
    space: &'a S,
    limits: &'a Limits,
    way: Vec<S::Move>,
    best: Option<Plan<S::Move>>,
    expanded: u64,
    generated: u64,
}

impl<S: Space> Backtracking<'_, S> {
    fn below(&mut self, state: &S::State, trail: S::Trail, cost: Cost) -> ControlFlow<Reason> {
        if self.space.is_goal(state) {
            self.best = Some(Plan { moves: self.way.clone(), cost, optimal: true });
            return ControlFlow::Continue(());
        }
        self.expanded += 1;
        if self.expanded & (LOOK_EVERY - 1) == 0
            && let Some(reason) = reason_to_stop(self.limits, self.expanded)
        {
            return ControlFlow::Break(reason);
        }
        let mut stopped = Reason::Unproven;
        let flow = self.space.successors(state, trail, None, |step| {
            self.generated += 1;
            let cost = cost + step.cost;
            if self.best.as_ref().is_some_and(|best| cost >= best.cost) {
                return ControlFlow::Continue(());
            }
            self.way.push(step.action);
            let flow = self.below(&step.state, step.trail, cost);
            self.way.pop();
            flow.map_break(|reason| stopped = reason)
        });
        flow.map_break(|()| self.limits.stop.requested().unwrap_or(stopped))
    }
}

struct Memo<'a, S: Space> {
    space: &'a S,
    limits: &'a Limits,
    /// For each state, what the rest of the way costs.
    store: Store<S, Cost>,
    expanded: u64,
    generated: u64,
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
            self.expanded += 1;
            if self.expanded & (LOOK_EVERY - 1) == 0
                && let Some(reason) = reason_to_stop(self.limits, self.expanded)
            {
                return ControlFlow::Break(reason);
            }
            let mut stopped = Reason::Unproven;
            let flow = self.space.successors(state, self.space.no_trail(state), None, |step| {
                self.generated += 1;
                let rest = self.rest(&step.state).map_break(|reason| stopped = reason)?;
                best = best.min(rest.saturating_add(step.cost));
                ControlFlow::Continue(())
            });
            if flow.is_break() {
                return ControlFlow::Break(self.limits.stop.requested().unwrap_or(stopped));
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
