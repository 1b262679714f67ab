//! The two simplest searches for games in which no state recurs.
//!
//! [`backtracking`] follows every path to its end unless it already costs as much as the best plan
//! so far. [`memo`] computes the cost to go of each state once and stores it.

use std::ops::ControlFlow;

use base::stop::StopReason;

use super::{Cost, Limits, NodeBudget, Outcome, Plan, SearchResult, Space, Store, UNREACHABLE};

/// Finds a plan of minimum cost, storing only the path. Requires a space without cycles; uses no
/// heuristic.
pub fn backtracking<S: Space>(space: &S, limits: &Limits) -> SearchResult<S::Move> {
    let start = space.start();
    let mut search = Backtracking { space, node_budget: NodeBudget::new(limits), path: Vec::new(), best: None };
    let flow = search.below(&start, space.initial_pruning(&start), 0);
    into_result(flow, search.best, search.node_budget)
}

/// Finds a plan of minimum cost, evaluating each state once. Requires a space without cycles; uses
/// no heuristic.
pub fn memo<S: Space>(space: &S, limits: &Limits) -> SearchResult<S::Move> {
    let mut search = Memo { space, node_budget: NodeBudget::new(limits), store: Store::new(limits) };
    let start = space.start();
    let flow = search.cost_to_go(&start);
    let best = match flow {
        ControlFlow::Break(_) | ControlFlow::Continue(UNREACHABLE) => None,
        ControlFlow::Continue(cost) => Some(Plan { moves: search.path(start), cost, optimal: true }),
    };
    search.node_budget.stats.stored = search.store.states.len() as u64;
    into_result(flow.map_continue(|_| ()), best, search.node_budget)
}

fn into_result<M>(
    flow: ControlFlow<StopReason>,
    best: Option<Plan<M>>,
    mut node_budget: NodeBudget<'_>,
) -> SearchResult<M> {
    node_budget.end(best.as_ref().map_or(0, |best| best.cost));
    let outcome = match (flow, best) {
        (ControlFlow::Continue(()), Some(plan)) => Outcome::Solved(plan),
        (ControlFlow::Continue(()), None) => Outcome::Impossible,
        // The best plan so far is valid but not proven optimal.
        (ControlFlow::Break(_), Some(plan)) => Outcome::Solved(Plan { optimal: plan.cost == 0, ..plan }),
        (ControlFlow::Break(reason), None) => Outcome::GaveUp(reason),
    };
    let lower_bound = match &outcome {
        Outcome::Solved(plan) if plan.optimal => plan.cost,
        Outcome::Impossible => UNREACHABLE,
        _ => 0,
    };
    SearchResult { outcome, lower_bound, stats: node_budget.stats }
}

struct Backtracking<'a, S: Space> {
    space: &'a S,
    node_budget: NodeBudget<'a>,
    path: Vec<S::Move>,
    best: Option<Plan<S::Move>>,
}

impl<S: Space> Backtracking<'_, S> {
    fn below(&mut self, state: &S::State, pruning: S::Pruning, cost: Cost) -> ControlFlow<StopReason> {
        if self.space.is_goal(state) {
            self.best = Some(Plan { moves: self.path.clone(), cost, optimal: true });
            return ControlFlow::Continue(());
        }
        self.node_budget.expand()?;
        let mut stopped = None;
        let flow = self.space.successors(state, pruning, None, |step| {
            self.node_budget.generated += 1;
            let cost = cost.saturating_add(step.cost);
            if self.best.as_ref().is_some_and(|best| cost >= best.cost) {
                return ControlFlow::Continue(());
            }
            self.path.push(step.action);
            let flow = self.below(&step.state, step.pruning, cost);
            self.path.pop();
            flow.map_break(|reason| stopped = Some(reason))
        });
        flow.map_break(|()| stopped.unwrap_or_else(|| self.node_budget.interruption()))
    }
}

struct Memo<'a, S: Space> {
    space: &'a S,
    node_budget: NodeBudget<'a>,
    /// The cost to go of each state.
    store: Store<S, Cost>,
}

impl<S: Space> Memo<'_, S> {
    fn cost_to_go(&mut self, state: &S::State) -> ControlFlow<StopReason, Cost> {
        if let Some(&cost) = self.store.states.get(state) {
            return ControlFlow::Continue(cost);
        }
        let mut best = UNREACHABLE;
        if self.space.is_goal(state) {
            best = 0;
        } else {
            self.node_budget.expand()?;
            let mut stopped = None;
            let flow = self.space.successors(state, self.space.initial_pruning(state), None, |step| {
                self.node_budget.generated += 1;
                let cost_to_go = self.cost_to_go(&step.state).map_break(|reason| stopped = Some(reason))?;
                best = best.min(cost_to_go.saturating_add(step.cost));
                ControlFlow::Continue(())
            });
            if flow.is_break() {
                return ControlFlow::Break(stopped.unwrap_or_else(|| self.node_budget.interruption()));
            }
        }
        if self.store.reserve().is_err() {
            return ControlFlow::Break(StopReason::MemoryLimit);
        }
        self.store.states.insert(state.clone(), best);
        ControlFlow::Continue(best)
    }

    /// Returns the moves of an optimal plan from `state`, by the stored costs to go.
    fn path(&self, mut state: S::State) -> Vec<S::Move> {
        let mut moves = Vec::new();
        while !self.space.is_goal(&state) {
            let cost_to_go = self.store.states[&state];
            let mut next = None;
            let _ = self.space.successors(&state, self.space.initial_pruning(&state), None, |step| {
                if self
                    .store
                    .states
                    .get(&step.state)
                    .is_some_and(|&after| after.saturating_add(step.cost) == cost_to_go)
                {
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
