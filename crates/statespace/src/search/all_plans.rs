//! All optimal plans.
//!
//! Once the minimum cost is known, a depth-first search bounded by it visits every optimal plan if
//! it continues after the first. A state from which no goal was found within the remaining cost is
//! stored and not searched again; otherwise, the work would double with each state that two paths
//! reach. A state that leads to a goal is searched once for every path to it, since each path
//! belongs to another plan.
//!
//! The pruning of a space may forbid undoing the last move, because no shortest path does so.
//! Pruning that keeps only one of several equally short paths (such as the automaton of the
//! 15-puzzle) must be disabled.

use std::ops::ControlFlow;

use base::stop::StopReason;

use super::{Cost, Limits, NodeBudget, Outcome, SearchResult, Space, Step, Store};

/// Receives a path and its last state, and decides whether to follow the path. Returns false if the
/// path only reorders the moves of a path that was followed before.
pub type PathFilter<'a, S> = &'a mut dyn FnMut(&[<S as Space>::Move], &<S as Space>::State) -> Result<bool, StopReason>;

/// Receives a plan and decides whether to continue.
pub type PlanVisitor<'a, M> = &'a mut dyn FnMut(&[M]) -> ControlFlow<()>;

/// Passes every plan of the minimum cost `cost` to `visit`. The outcome is `Impossible` when all
/// were visited.
pub fn all_optimal_plans<S: Space>(
    space: &S,
    cost: Cost,
    limits: &Limits,
    is_new: PathFilter<'_, S>,
    visit: PlanVisitor<'_, S::Move>,
) -> SearchResult<S::Move> {
    let mut search = PlanEnumerator { space, failed: Store::new(limits), node_budget: NodeBudget::new(limits) };
    let outcome = match search.run(cost, is_new, visit) {
        ControlFlow::Continue(()) => Outcome::Impossible,
        ControlFlow::Break(reason) => Outcome::GaveUp(limits.stop.requested().unwrap_or(reason)),
    };
    let mut node_budget = search.node_budget;
    node_budget.end(cost);
    node_budget.stats.stored = search.failed.states.len() as u64;
    SearchResult { outcome, lower_bound: cost, stats: node_budget.stats }
}

/// A dead end is stored only if at least this many nodes were expanded below it.
const MIN_NODES_TO_STORE: u64 = 8;

struct PlanEnumerator<'a, S: Space> {
    space: &'a S,
    /// States from which no goal was found, with the remaining cost of that attempt.
    failed: Store<S, Cost>,
    node_budget: NodeBudget<'a>,
}

/// A state on the current path. The stack is explicit because paths may be longer than a thread's
/// stack.
struct StackFrame<S: Space> {
    state: S::State,
    left: Cost,
    /// Nodes expanded before this state.
    before: u64,
    /// True if a goal was found below this state, or may have been found on a path that reorders
    /// the same moves.
    found: bool,
    /// Start of this state's unexplored steps in the shared list; the next one is last.
    steps: usize,
}

impl<S: Space> PlanEnumerator<'_, S> {
    fn run(
        &mut self,
        cost: Cost,
        is_new: PathFilter<'_, S>,
        visit: PlanVisitor<'_, S::Move>,
    ) -> ControlFlow<StopReason> {
        let start = self.space.start();
        if self.space.is_goal(&start) {
            return visit(&[]).map_break(|()| StopReason::Unproven);
        }
        let pruning = self.space.initial_pruning(&start);
        let (mut path, mut steps) = (Vec::new(), Vec::new());
        let mut open: Vec<StackFrame<S>> = self.open_state(start, pruning, cost, &mut steps)?.into_iter().collect();
        while let Some(last) = open.last_mut() {
            let next = if steps.len() > last.steps { steps.pop() } else { None };
            let Some(step) = next else {
                let StackFrame { state, left, before, found, .. } = open.pop().expect("it is the last");
                if !found && self.node_budget.expanded - before >= MIN_NODES_TO_STORE && self.failed.reserve().is_ok() {
                    self.failed.states.insert(state, left);
                }
                path.pop();
                if let Some(last) = open.last_mut() {
                    last.found |= found;
                }
                continue;
            };
            self.node_budget.generated += 1;
            if u64::from(step.cost) + u64::from(step.estimate) > u64::from(last.left) {
                continue;
            }
            path.push(step.action);
            let is_followed_before = match is_new(&path, &step.state) {
                Ok(is_new) => !is_new,
                Err(reason) => return ControlFlow::Break(reason),
            };
            if is_followed_before {
                last.found = true;
            } else if self.space.is_goal(&step.state) {
                last.found = true;
                visit(&path).map_break(|()| StopReason::Unproven)?;
            } else {
                let left = last.left - step.cost;
                if let Some(next) = self.open_state(step.state, step.pruning, left, &mut steps)? {
                    open.push(next);
                    continue;
                }
            }
            path.pop();
        }
        ControlFlow::Continue(())
    }

    /// Expands a state and appends its steps to the list; `None` if the state is a known dead end.
    fn open_state(
        &mut self,
        state: S::State,
        pruning: S::Pruning,
        left: Cost,
        steps: &mut Vec<Step<S>>,
    ) -> ControlFlow<StopReason, Option<StackFrame<S>>> {
        if self.failed.states.get(&state).is_some_and(|&with| with >= left) {
            return ControlFlow::Continue(None);
        }
        self.node_budget.expand()?;
        let (before, first) = (self.node_budget.expanded, steps.len());
        let flow = self.space.successors(&state, pruning, Some(left), |step| {
            steps.push(step);
            ControlFlow::Continue(())
        });
        flow.map_break(|()| StopReason::Unproven)?;
        steps[first..].reverse();
        ControlFlow::Continue(Some(StackFrame { state, left, before, found: false, steps: first }))
    }
}
