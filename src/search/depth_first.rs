//! Depth-first search to a bound, and its iterations: IDS and IDA*.
//!
//! ```text
//!   bound ← h(e₀)
//!   repeat
//!     next ← ∞
//!     dive(e₀, 0)                    a goal within the bound ends it all: the way to it is optimal
//!     if next = ∞: there is no way   no way was cut
//!     bound ← next
//!
//!   dive(e, p)
//!     for each move from e to x:
//!       if p + c + h(x) > bound:  next ← min(next, p + c + h(x))
//!       else if x ∈ F:            found
//!       else:                     dive(x, p + c)
//! ```
//!
//! That is IDA* (Korf, *Depth-first iterative-deepening*, 1985). With h = 0 it is IDS; a single iteration is DFS to a
//! depth. The goal is looked for when a state is generated, so that the last iteration ends at the first goal.
//!
//! Only the way is remembered: a few hundred bytes, whatever the size of the space. The price is that a state is expanded
//! once for every way to it; [`Space::Trail`] is where a space says which ways need not be followed.
//!
//! A long iteration is shared out over the cores: the ways from the start are followed breadth first until there are some
//! hundreds for each core, and each core takes the next one that nobody has. The bound is the same for all, so that
//! whoever finds a goal has found an optimal way.
//!
//! Tried and lost: beginning a long iteration with a breadth-first search that remembers its states, so that ways which come
//! together are followed once. On the hardest boards of the 15-puzzle it saved nothing: the bound leaves few detours, and
//! the trail cuts what comes together soon.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use super::{Conclusion, Cost, LOOK_EVERY, Limits, Plan, Searched, Space, Step, UNREACHABLE, Work, reason_to_stop};
use crate::stop::Reason;

/// Depth first to a bound: some way that costs at most `bound`.
pub fn dfs<S: Space>(space: &S, bound: Cost, limits: &Limits) -> Searched<S::Move> {
    let limits = Limits { depth: Some(bound), threads: 1, ..limits.clone() };
    let mut searched = deepen::<S, false>(space, bound, &limits);
    if let Conclusion::Solved(plan) = &mut searched.outcome {
        plan.optimal = plan.cost == 0;
        searched.lower_bound = 0;
    }
    searched
}

/// Depth first, with one bound after the other.
pub fn ids<S: Space>(space: &S, limits: &Limits) -> Searched<S::Move> {
    deepen::<S, false>(space, 0, limits)
}

/// The same with the heuristic of the space.
pub fn idastar<S: Space>(space: &S, limits: &Limits) -> Searched<S::Move> {
    deepen::<S, true>(space, 0, limits)
}

/// An iteration that follows one of at least so many nodes is shared out.
const WORTH_SHARING: u64 = 1 << 20;
/// Ways for each core to take, one after the other.
const WAYS_PER_THREAD: usize = 400;
/// Deeper than this the stack would not hold the way.
const DEEPEST: Cost = 1_000_000;
/// For the threads that an iteration is shared out to; the way is not longer than the bound.
const STACK_BYTES: usize = 512 << 20;

/// `INFORMED`: with the heuristic.
fn deepen<S: Space, const INFORMED: bool>(space: &S, least_bound: Cost, limits: &Limits) -> Searched<S::Move> {
    let mut work = Work::default();
    let start = space.start();
    let mut bound = if INFORMED { space.estimate(&start) } else { least_bound };
    let outcome = loop {
        if bound == UNREACHABLE {
            break Conclusion::Impossible;
        }
        if space.is_goal(&start) {
            break Conclusion::Solved(Plan { moves: Vec::new(), cost: 0, optimal: true });
        }
        if limits.depth.is_some_and(|depth| bound > depth) || bound > DEEPEST {
            break Conclusion::GaveUp(Reason::DepthLimit);
        }
        let began = Instant::now();
        let spent = work.expanded();
        let is_long = work.iterations.last().is_some_and(|last| last.expanded >= WORTH_SHARING);
        let mut dive = Dive::<S, INFORMED>::new(space, limits, spent, None);
        let end = if limits.threads > 1 && is_long {
            share(&mut dive, &start, bound)
        } else {
            match dive.below(start.clone(), space.no_trail(&start), bound) {
                ControlFlow::Break(end) => end,
                ControlFlow::Continue(()) => End::Exhausted,
            }
        };
        // Each node but the start was generated before it was expanded.
        work.end(bound, dive.expanded, dive.expanded + dive.cut - 1, began);
        match end {
            End::Found(left) => {
                let mut moves = dive.moves;
                moves.reverse();
                break Conclusion::Solved(Plan { moves, cost: bound - left, optimal: true });
            }
            End::Stopped(reason) => break Conclusion::GaveUp(reason),
            End::Over => unreachable!("an iteration ends for a reason"),
            End::Exhausted => {
                bound = Cost::try_from(dive.excess.saturating_add(i64::from(bound))).unwrap_or(UNREACHABLE)
            }
        }
    };
    let lower_bound = match &outcome {
        Conclusion::Solved(plan) => plan.cost,
        _ => bound,
    };
    Searched { outcome, lower_bound, work }
}

/// Why a dive ended.
#[derive(Clone, Copy)]
enum End {
    /// A way that costs so much less than the bound; its moves are in the dive, the last one first.
    Found(Cost),
    Stopped(Reason),
    /// There is no goal within the bound.
    Exhausted,
    /// Another thread has ended the iteration.
    Over,
}

/// One iteration.
struct Dive<'a, S: Space, const INFORMED: bool> {
    space: &'a S,
    /// By how much the least sum of cost and estimate exceeded the bound.
    excess: i64,
    expanded: u64,
    /// Nodes generated and not expanded.
    cut: u64,
    /// The way to the goal, once it is found, the last move first.
    moves: Vec<S::Move>,
    limits: &'a Limits,
    /// Nodes expanded in earlier iterations.
    spent: u64,
    /// Set when another thread has found a goal.
    over: Option<&'a AtomicBool>,
}

impl<'a, S: Space, const INFORMED: bool> Dive<'a, S, INFORMED> {
    fn new(space: &'a S, limits: &'a Limits, spent: u64, over: Option<&'a AtomicBool>) -> Self {
        let moves = Vec::new();
        Dive { space, excess: i64::MAX, expanded: 0, cut: 0, moves, limits, spent, over }
    }

    /// Looks at all ways on from a state that cost no more than `left`.
    fn below(&mut self, state: S::State, trail: S::Trail, left: Cost) -> ControlFlow<End> {
        self.expanded += 1;
        if self.expanded & (LOOK_EVERY - 1) == 0 {
            self.look_around()?;
        }
        let mut end = End::Exhausted;
        let flow = self.space.successors(&state, trail, Some(left), |step| match self.follow(step, left) {
            ControlFlow::Continue(()) => ControlFlow::Continue(()),
            ControlFlow::Break(why) => {
                end = why;
                ControlFlow::Break(())
            }
        });
        match (flow, end) {
            (ControlFlow::Continue(()), _) => ControlFlow::Continue(()),
            // The space itself broke off.
            (_, End::Exhausted) => {
                ControlFlow::Break(End::Stopped(self.limits.stop.requested().unwrap_or(Reason::Unproven)))
            }
            (_, end) => ControlFlow::Break(end),
        }
    }

    #[inline(always)]
    fn follow(&mut self, step: Step<S>, left: Cost) -> ControlFlow<End> {
        let estimate = if INFORMED { step.estimate } else { 0 };
        // Wider than either, so that neither wraps.
        let rest = i64::from(left) - i64::from(step.cost) - i64::from(estimate);
        if rest < 0 {
            self.excess = self.excess.min(-rest);
            self.cut += 1;
            return ControlFlow::Continue(());
        }
        let left = left - step.cost;
        let end = if self.space.is_goal(&step.state) {
            self.cut += 1;
            End::Found(left)
        } else {
            match self.below(step.state, step.trail, left) {
                ControlFlow::Continue(()) => return ControlFlow::Continue(()),
                ControlFlow::Break(end) => end,
            }
        };
        if let End::Found(_) = end {
            self.moves.push(step.action);
        }
        ControlFlow::Break(end)
    }

    #[cold]
    fn look_around(&self) -> ControlFlow<End> {
        if self.over.is_some_and(|over| over.load(Ordering::Relaxed)) {
            return ControlFlow::Break(End::Over);
        }
        match reason_to_stop(self.limits, self.spent + self.expanded) {
            Some(reason) => ControlFlow::Break(End::Stopped(reason)),
            None => ControlFlow::Continue(()),
        }
    }
}

/// The beginning of a way.
struct Way<S: Space> {
    moves: Vec<S::Move>,
    state: S::State,
    trail: S::Trail,
    left: Cost,
}

/// One iteration, on all cores; leaves the sums in `whole`.
fn share<S: Space, const INFORMED: bool>(whole: &mut Dive<'_, S, INFORMED>, start: &S::State, bound: Cost) -> End {
    let space = whole.space;
    let mut ways: Vec<Way<S>> =
        vec![Way { moves: Vec::new(), state: start.clone(), trail: space.no_trail(start), left: bound }];
    while !ways.is_empty() && ways.len() < whole.limits.threads * WAYS_PER_THREAD {
        let mut longer = Vec::new();
        for way in &ways {
            whole.expanded += 1;
            let mut found = None;
            let flow = space.successors(&way.state, way.trail, Some(UNREACHABLE), |step| {
                let estimate = if INFORMED { step.estimate } else { 0 };
                let rest = i64::from(way.left) - i64::from(step.cost) - i64::from(estimate);
                if rest < 0 {
                    whole.excess = whole.excess.min(-rest);
                    whole.cut += 1;
                    return ControlFlow::Continue(());
                }
                let left = way.left - step.cost;
                let moves: Vec<S::Move> = way.moves.iter().copied().chain([step.action]).collect();
                if space.is_goal(&step.state) {
                    found = Some((moves, left));
                    return ControlFlow::Break(());
                }
                longer.push(Way { moves, state: step.state, trail: step.trail, left });
                ControlFlow::Continue(())
            });
            if let Some((mut moves, left)) = found {
                moves.reverse();
                whole.moves = moves;
                return End::Found(left);
            }
            if flow.is_break() {
                return End::Stopped(whole.limits.stop.requested().unwrap_or(Reason::Unproven));
            }
        }
        ways = longer;
    }
    let (taken, over) = (AtomicUsize::new(0), AtomicBool::new(false));
    let spent = whole.spent + whole.expanded;
    let limits = whole.limits;
    let dig = || {
        let mut dive = Dive::<S, INFORMED>::new(space, limits, spent, Some(&over));
        let end = loop {
            let Some(way) = ways.get(taken.fetch_add(1, Ordering::Relaxed)) else { break End::Exhausted };
            if let ControlFlow::Break(end) = dive.below(way.state.clone(), way.trail, way.left) {
                over.store(true, Ordering::Relaxed);
                if let End::Found(_) = end {
                    dive.moves.extend(way.moves.iter().rev());
                }
                break end;
            }
            if over.load(Ordering::Relaxed) {
                break End::Exhausted;
            }
        };
        (end, dive)
    };
    let mut end = End::Exhausted;
    thread::scope(|scope| {
        let spawn = |_| thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, dig);
        let threads: Vec<_> = (1..limits.threads).filter_map(|index| spawn(index).ok()).collect();
        let mut results = vec![dig()];
        results.extend(threads.into_iter().map(|thread| thread.join().expect("a search does not panic")));
        for (its_end, dive) in results {
            whole.excess = whole.excess.min(dive.excess);
            whole.expanded += dive.expanded;
            whole.cut += dive.cut;
            match (end, its_end) {
                (End::Found(_), _) | (_, End::Exhausted | End::Over) => {}
                _ => {
                    end = its_end;
                    whole.moves = dive.moves;
                }
            }
        }
    });
    end
}
