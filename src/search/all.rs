//! All ways that cost no more than the best one.
//!
//! Once the least cost is known, a depth-first search within it meets every way there is, if it goes on after the first. A
//! state from which no goal was found with what was left is remembered, and not looked at again: without that, two
//! ways that come together double the work, and again where they part and meet once more. A state that leads to a goal is
//! followed for each way to it, since each is an answer.
//!
//! A trail may forbid to turn back, for no shortest way does; one that lets but one of several equal ways pass
//! (such as the automaton of the taquin) must be left out.

use std::ops::ControlFlow;

use super::{Conclusion, Cost, Limits, Meter, Searched, Space, Step, Store};
use crate::stop::Reason;

/// Whether the moves to a state are to be followed, or are another order of moves that were followed before.
pub type IsNew<'a, S> = &'a mut dyn FnMut(&[<S as Space>::Move], &<S as Space>::State) -> Result<bool, Reason>;

/// Takes a way and says whether to go on.
pub type Visit<'a, M> = &'a mut dyn FnMut(&[M]) -> ControlFlow<()>;

/// Shows every way that costs `cost`, the least. The outcome is `Impossible` where no other is left.
pub fn all<S: Space>(
    space: &S,
    cost: Cost,
    limits: &Limits,
    is_new: IsNew<'_, S>,
    visit: Visit<'_, S::Move>,
) -> Searched<S::Move> {
    let mut search = All { space, failed: Store::new(limits), meter: Meter::new(limits) };
    let outcome = match search.run(cost, is_new, visit) {
        ControlFlow::Continue(()) => Conclusion::Impossible,
        ControlFlow::Break(reason) => Conclusion::GaveUp(limits.stop.requested().unwrap_or(reason)),
    };
    let mut meter = search.meter;
    meter.end(cost);
    meter.work.stored = search.failed.states.len() as u64;
    Searched { outcome, lower_bound: cost, work: meter.work }
}

/// A state below which fewer nodes were looked at is not worth remembering.
const WORTH_REMEMBERING: u64 = 8;

struct All<'a, S: Space> {
    space: &'a S,
    /// States from which no goal was found, with what was left.
    failed: Store<S, Cost>,
    meter: Meter<'a>,
}

/// A state on the way. Ways may be longer than a stack is deep, so that these are kept in a list.
struct Open<S: Space> {
    state: S::State,
    left: Cost,
    /// Nodes that were expanded before it.
    before: u64,
    /// Whether a goal was found below it, or may have been found before by the same moves.
    found: bool,
    /// Its steps that were not followed yet are those of the list from here on, the next one last.
    steps: usize,
}

impl<S: Space> All<'_, S> {
    fn run(&mut self, cost: Cost, is_new: IsNew<'_, S>, visit: Visit<'_, S::Move>) -> ControlFlow<Reason> {
        let start = self.space.start();
        if self.space.is_goal(&start) {
            return visit(&[]).map_break(|()| Reason::Unproven);
        }
        let trail = self.space.no_trail(&start);
        let (mut way, mut steps) = (Vec::new(), Vec::new());
        let mut open: Vec<Open<S>> = self.opened(start, trail, cost, &mut steps)?.into_iter().collect();
        while let Some(last) = open.last_mut() {
            let next = if steps.len() > last.steps { steps.pop() } else { None };
            let Some(step) = next else {
                let Open { state, left, before, found, .. } = open.pop().expect("it is the last");
                if !found && self.meter.expanded - before >= WORTH_REMEMBERING && self.failed.reserve().is_ok() {
                    self.failed.states.insert(state, left);
                }
                way.pop();
                if let Some(last) = open.last_mut() {
                    last.found |= found;
                }
                continue;
            };
            self.meter.generated += 1;
            if u64::from(step.cost) + u64::from(step.estimate) > u64::from(last.left) {
                continue;
            }
            way.push(step.action);
            let is_followed_before = match is_new(&way, &step.state) {
                Ok(is_new) => !is_new,
                Err(reason) => return ControlFlow::Break(reason),
            };
            if is_followed_before {
                last.found = true;
            } else if self.space.is_goal(&step.state) {
                last.found = true;
                visit(&way).map_break(|()| Reason::Unproven)?;
            } else {
                let left = last.left - step.cost;
                if let Some(next) = self.opened(step.state, step.trail, left, &mut steps)? {
                    open.push(next);
                    continue;
                }
            }
            way.pop();
        }
        ControlFlow::Continue(())
    }

    /// A state, with its steps in the list; `None` if it is known to lead nowhere.
    fn opened(
        &mut self,
        state: S::State,
        trail: S::Trail,
        left: Cost,
        steps: &mut Vec<Step<S>>,
    ) -> ControlFlow<Reason, Option<Open<S>>> {
        if self.failed.states.get(&state).is_some_and(|&with| with >= left) {
            return ControlFlow::Continue(None);
        }
        self.meter.expand()?;
        let (before, first) = (self.meter.expanded, steps.len());
        let flow = self.space.successors(&state, trail, Some(left), |step| {
            steps.push(step);
            ControlFlow::Continue(())
        });
        flow.map_break(|()| Reason::Unproven)?;
        steps[first..].reverse();
        ControlFlow::Continue(Some(Open { state, left, before, found: false, steps: first }))
    }
}
