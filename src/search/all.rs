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
use std::time::Instant;

use super::{Conclusion, Cost, LOOK_EVERY, Limits, Searched, Space, Store, Work, reason_to_stop};
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
    let began = Instant::now();
    let failed = Store::new(limits);
    let (way, stopped) = (Vec::new(), Reason::Unproven);
    let mut search = All { space, limits, is_new, visit, failed, way, stopped, expanded: 0, generated: 0 };
    let start = space.start();
    let flow = if space.is_goal(&start) {
        (search.visit)(&[]).map_continue(|()| true)
    } else {
        search.below(&start, space.no_trail(&start), cost)
    };
    let mut work = Work { stored: search.failed.states.len() as u64, ..Work::default() };
    work.end(cost, search.expanded, search.generated, began);
    let outcome = match flow {
        ControlFlow::Continue(_) => Conclusion::Impossible,
        ControlFlow::Break(()) => Conclusion::GaveUp(limits.stop.requested().unwrap_or(search.stopped)),
    };
    Searched { outcome, lower_bound: cost, work }
}

/// A state below which fewer nodes were looked at is not worth remembering.
const WORTH_REMEMBERING: u64 = 8;

struct All<'a, S: Space> {
    space: &'a S,
    limits: &'a Limits,
    is_new: IsNew<'a, S>,
    visit: Visit<'a, S::Move>,
    /// States from which no goal was found, with what was left.
    failed: Store<S, Cost>,
    way: Vec<S::Move>,
    stopped: Reason,
    expanded: u64,
    generated: u64,
}

impl<S: Space> All<'_, S> {
    /// Whether a goal was found, or may have been found before by the same moves.
    fn below(&mut self, state: &S::State, trail: S::Trail, left: Cost) -> ControlFlow<(), bool> {
        if self.failed.states.get(state).is_some_and(|&with| with >= left) {
            return ControlFlow::Continue(false);
        }
        self.expanded += 1;
        if self.expanded & (LOOK_EVERY - 1) == 0
            && let Some(reason) = reason_to_stop(self.limits, self.expanded)
        {
            self.stopped = reason;
            return ControlFlow::Break(());
        }
        let (before, space, mut found) = (self.expanded, self.space, false);
        space.successors(state, trail, Some(left), |step| {
            self.generated += 1;
            if u64::from(step.cost) + u64::from(step.estimate) > u64::from(left) {
                return ControlFlow::Continue(());
            }
            self.way.push(step.action);
            let flow = match (self.is_new)(&self.way, &step.state) {
                Err(reason) => {
                    self.stopped = reason;
                    ControlFlow::Break(())
                }
                Ok(false) => ControlFlow::Continue(true),
                Ok(true) if space.is_goal(&step.state) => (self.visit)(&self.way).map_continue(|()| true),
                Ok(true) => self.below(&step.state, step.trail, left - step.cost),
            };
            self.way.pop();
            found |= flow.map_break(|()| ())?;
            ControlFlow::Continue(())
        })?;
        if !found && self.expanded - before >= WORTH_REMEMBERING && self.failed.reserve().is_ok() {
            self.failed.states.insert(state.clone(), left);
        }
        ControlFlow::Continue(found)
    }
}
