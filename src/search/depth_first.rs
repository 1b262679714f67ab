//! Depth-first search, bound after bound: IDS and IDA*.
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
//! That is IDA* (Korf, *Depth-first iterative-deepening*, 1985). With h = 0 it is IDS. The goal is
//! looked for when a state is generated, so that the last iteration ends at the first goal.
//!
//! As a rule only the path is remembered: a few hundred bytes, for a space of any size. The price is that a state is expanded
//! once for every way to it; [`Space::Trail`] is where a space says which ways need not be followed.
//!
//! Where ways meet often ([`Space::MEETS_AGAIN`]), a table of fixed size keeps states with what was left when an iteration
//! was last there (A. Reinefeld and T. Marsland, *Enhanced iterative-deepening search*, 1994): with no more left they lead
//! nowhere. Of the optimal way no state is cut, since what was there before at as little cost followed it too.
//!
//! A long iteration is shared out over the cores: the ways from the start are followed breadth first until there are
//! hundreds or thousands for each core, which takes the next one that nobody has. The bound is the same for all, so that
//! the first goal found ends an optimal path.

use std::hash::BuildHasher;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::{
    Conclusion, Cost, HashOfStates, LOOK_EVERY, Limits, Meter, Plan, Searched, Space, Step, UNREACHABLE, Work,
};
use crate::stop::Reason;

/// Depth first, with one bound after the other.
pub fn ids<S: Space>(space: &S, limits: &Limits) -> Searched<S::Move> {
    deepen::<S, false>(space, limits)
}

/// The same with the heuristic of the space.
pub fn idastar<S: Space>(space: &S, limits: &Limits) -> Searched<S::Move> {
    deepen::<S, true>(space, limits)
}

/// An iteration that follows one of at least so many nodes is shared out.
const WORTH_SHARING: u64 = 1 << 16;
/// Nodes of the iteration before, for each way to take: ways are found by one core alone, and differ a hundredfold in size.
const NODES_PER_WAY: u64 = 1 << 12;
/// Least and most ways for each core to take, one after the other.
const WAYS_PER_THREAD: [usize; 2] = [400, 10_000];
/// Moves of a way that fits any stack; a longer one gets a stack of its own.
const SHORT: u64 = 1 << 10;
/// Of a stack, for each move: several times what one takes.
const BYTES_OF_MOVE: u64 = 1 << 11;

/// Bytes of all tables where no limit is given.
const MEMORY: u64 = 256 << 20;

/// The places of a thread's table in an iteration, after one of so many nodes.
fn places<S: Space>(limits: &Limits, nodes: u64) -> usize {
    let bytes = limits.memory.unwrap_or(MEMORY) / (limits.threads as u64 + 1);
    let most = bytes / size_of::<Option<(S::State, Cost)>>() as u64;
    let wanted = (nodes * 4).clamp(1 << 10, 1 << 30).next_power_of_two();
    if !S::MEETS_AGAIN || most == 0 { 0 } else { wanted.min(1 << most.ilog2()) as usize }
}

/// `INFORMED`: with the heuristic.
fn deepen<S: Space, const INFORMED: bool>(space: &S, limits: &Limits) -> Searched<S::Move> {
    let (taken, start) = (AtomicU64::new(0), space.start());
    let first = if INFORMED { space.estimate(&start) } else { 0 };
    let is_solved = first != UNREACHABLE && space.is_goal(&start);
    let mut moves = Vec::new();
    let mut iterate = |bound: Cost, before: u64| {
        let mut dive = Dive::<S, INFORMED>::new(space, limits, &taken, None, before);
        let end = on_a_stack_for(space.most_moves(bound), &mut || {
            if limits.threads > 1 && before >= WORTH_SHARING {
                let [least, most] = WAYS_PER_THREAD.map(|ways| ways * limits.threads);
                share(&mut dive, &start, bound, ((before / NODES_PER_WAY) as usize).clamp(least, most))
            } else {
                dive.from(start.clone(), space.no_trail(&start), bound)
            }
        });
        taken.fetch_sub(dive.granted - dive.expanded, Ordering::Relaxed);
        moves = dive.moves;
        Iterated { end, expanded: dive.expanded, cut: dive.cut, excess: dive.excess }
    };
    let (ended, lower_bound, work) = bound_after_bound(first, is_solved, limits, &mut iterate);
    let outcome = match ended {
        Conclusion::Solved(Plan { cost, .. }) => {
            moves.reverse();
            Conclusion::Solved(Plan { moves, cost, optimal: true })
        }
        Conclusion::Impossible => Conclusion::Impossible,
        Conclusion::GaveUp(reason) => Conclusion::GaveUp(reason),
    };
    Searched { outcome, lower_bound, work }
}

/// How an iteration ended, and its counters, as in [`Dive`].
struct Iterated {
    end: End,
    expanded: u64,
    cut: u64,
    excess: u64,
}

/// Calls `iterate` with one bound after the other, starting with `first`, and with the number of nodes of the previous
/// iteration. This part of the search does not depend on the space and is compiled once. A plan that it returns has a cost and
/// no moves; the lower bound comes second.
fn bound_after_bound(
    first: Cost,
    is_solved: bool,
    limits: &Limits,
    iterate: &mut dyn FnMut(Cost, u64) -> Iterated,
) -> (Conclusion<()>, Cost, Work) {
    let solved = |cost| Conclusion::Solved(Plan { moves: Vec::new(), cost, optimal: true });
    let (mut meter, mut bound) = (Meter::new(limits), first);
    let ended = loop {
        if bound == UNREACHABLE {
            break Conclusion::Impossible;
        }
        if is_solved {
            break solved(0);
        }
        if limits.depth.is_some_and(|depth| bound > depth) {
            break Conclusion::GaveUp(Reason::DepthLimit);
        }
        let before = meter.work.iterations.last().map_or(0, |last| last.expanded);
        let Iterated { end, expanded, cut, excess } = iterate(bound, before);
        meter.expanded += expanded;
        // Each node but the start was generated before it was expanded.
        meter.generated = (expanded + cut).saturating_sub(1);
        meter.end(bound);
        match end {
            End::Found(left) => break solved(bound - left),
            End::Stopped(reason) => break Conclusion::GaveUp(reason),
            End::Over => unreachable!("an iteration ends for a reason"),
            End::Exhausted => bound = Cost::try_from(excess.saturating_add(u64::from(bound))).unwrap_or(UNREACHABLE),
        }
    };
    let lower_bound = match &ended {
        Conclusion::Solved(plan) => plan.cost,
        _ => bound,
    };
    (ended, lower_bound, meter.work)
}

/// Runs `iterate` on a stack that is large enough for paths of `moves` moves.
fn on_a_stack_for(moves: u64, iterate: &mut (dyn FnMut() -> End + Send)) -> End {
    if moves <= SHORT {
        return iterate();
    }
    let join = |thread: thread::ScopedJoinHandle<'_, End>| thread.join().expect("a search does not panic");
    let ended = thread::scope(|scope| with_stack(moves).spawn_scoped(scope, iterate).map(join));
    ended.unwrap_or(End::Stopped(Reason::MemoryLimit))
}

/// Runs `work` on `threads` threads, including this one. Each stack is large enough for paths of `moves` moves.
fn on_threads(threads: usize, moves: u64, work: &(dyn Fn() + Sync)) {
    thread::scope(|scope| {
        // If a thread cannot be started, the others do its work.
        let others: Vec<_> = (1..threads).filter_map(|_| with_stack(moves).spawn_scoped(scope, work).ok()).collect();
        work();
        others.into_iter().for_each(|thread| thread.join().expect("a search does not panic"));
    });
}

/// A thread that a way of so many moves fits; what is not used of its stack takes no memory.
fn with_stack(moves: u64) -> thread::Builder {
    let bytes = moves.max(SHORT).saturating_mul(BYTES_OF_MOVE);
    thread::Builder::new().stack_size(usize::try_from(bytes).unwrap_or(usize::MAX))
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
    excess: u64,
    expanded: u64,
    /// Nodes that it may expand before it looks around.
    granted: u64,
    /// Nodes generated and not expanded.
    cut: u64,
    /// The way to the goal, once it is found, the last move first.
    moves: Vec<S::Move>,
    limits: &'a Limits,
    /// Nodes that were granted, in all iterations and to all threads.
    taken: &'a AtomicU64,
    /// Set when another thread has found a goal.
    over: Option<&'a AtomicBool>,
    end: End,
    /// States, and the most that was left at them.
    table: Vec<Option<(S::State, Cost)>>,
}

impl<'a, S: Space, const INFORMED: bool> Dive<'a, S, INFORMED> {
    /// `before`: nodes of the iteration before.
    fn new(space: &'a S, limits: &'a Limits, taken: &'a AtomicU64, over: Option<&'a AtomicBool>, before: u64) -> Self {
        let (excess, moves, end) = (u64::MAX, Vec::new(), End::Exhausted);
        let table = vec![None; places::<S>(limits, before)];
        Dive { space, excess, expanded: 0, granted: 0, cut: 0, moves, limits, taken, over, end, table }
    }

    /// Whether the state was met with as much left.
    fn was_here(&mut self, state: &S::State, left: Cost) -> bool {
        if self.table.is_empty() {
            return false;
        }
        let place = HashOfStates.hash_one(state) as usize & (self.table.len() - 1);
        match &mut self.table[place] {
            Some((known, most)) if known == state => std::mem::replace(most, left.max(*most)) >= left,
            other => {
                *other = Some((state.clone(), left));
                false
            }
        }
    }

    /// Looks at all ways on from a state that cost no more than `left`.
    fn from(&mut self, state: S::State, trail: S::Trail, left: Cost) -> End {
        match (self.below(state, trail, left), self.end) {
            (ControlFlow::Continue(()), _) => End::Exhausted,
            (_, End::Exhausted) => self.broken_off(),
            (_, end) => end,
        }
    }

    /// Where the space itself broke off.
    fn broken_off(&self) -> End {
        End::Stopped(self.limits.stop.requested().unwrap_or(Reason::Unproven))
    }

    /// The same; breaks where the iteration ends, and `end` tells why. Written for few registers: nothing is quicker.
    fn below(&mut self, state: S::State, trail: S::Trail, left: Cost) -> ControlFlow<()> {
        if S::MEETS_AGAIN && self.was_here(&state, left) {
            self.cut += 1;
            return ControlFlow::Continue(());
        }
        self.expand()?;
        let space = self.space;
        space.successors(&state, trail, Some(left), |step| {
            let Some(left) = self.room(&step, left) else { return ControlFlow::Continue(()) };
            // The estimate of a goal is 0, since it is admissible.
            let flow = if (!INFORMED || step.estimate == 0) && space.is_goal(&step.state) {
                self.found(left)
            } else {
                self.below(step.state, step.trail, left)
            };
            if flow.is_break() {
                self.went(step.action);
            }
            flow
        })
    }

    #[inline(always)]
    fn expand(&mut self) -> ControlFlow<()> {
        if self.expanded == self.granted {
            self.look_around()?;
        }
        self.expanded += 1;
        ControlFlow::Continue(())
    }

    /// What is left after a step that the bound allows; one that it does not is cut.
    #[inline(always)]
    fn room(&mut self, step: &Step<S>, left: Cost) -> Option<Cost> {
        let estimate = if INFORMED { step.estimate } else { 0 };
        // Wider than either, so that the sum does not wrap.
        let least = u64::from(step.cost) + u64::from(estimate);
        if least > u64::from(left) {
            self.excess = self.excess.min(least - u64::from(left));
            self.cut += 1;
            return None;
        }
        Some(left - step.cost)
    }

    #[cold]
    fn found(&mut self, left: Cost) -> ControlFlow<()> {
        self.cut += 1;
        self.end = End::Found(left);
        ControlFlow::Break(())
    }

    /// On the way back from the end.
    #[cold]
    fn went(&mut self, action: S::Move) {
        self.moves.push(action);
    }

    #[cold]
    fn look_around(&mut self) -> ControlFlow<()> {
        if self.over.is_some_and(|over| over.load(Ordering::Relaxed)) {
            self.end = End::Over;
            return ControlFlow::Break(());
        }
        if let Some(reason) = self.limits.stop.requested().filter(|_| self.expanded > 0) {
            self.end = End::Stopped(reason);
            return ControlFlow::Break(());
        }
        let nodes = self.limits.nodes.unwrap_or(u64::MAX);
        let more = |taken: u64| Some(nodes.min(taken + LOOK_EVERY));
        let (Ok(taken) | Err(taken)) = self.taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
        self.granted += LOOK_EVERY.min(nodes - taken);
        if taken == nodes {
            self.end = End::Stopped(Reason::NodeLimit);
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

/// The beginning of a way.
struct Way<S: Space> {
    moves: Vec<S::Move>,
    state: S::State,
    trail: S::Trail,
    left: Cost,
}

/// One iteration, on all cores, in at least so many parts; leaves the sums in `whole`.
fn share<S: Space, const INFORMED: bool>(
    whole: &mut Dive<'_, S, INFORMED>,
    start: &S::State,
    bound: Cost,
    parts: usize,
) -> End {
    let space = whole.space;
    let mut ways: Vec<Way<S>> =
        vec![Way { moves: Vec::new(), state: start.clone(), trail: space.no_trail(start), left: bound }];
    while !ways.is_empty() && ways.len() < parts {
        let mut longer = Vec::new();
        for way in &ways {
            if whole.expand().is_break() {
                return whole.end;
            }
            let mut end = End::Exhausted;
            let flow = space.successors(&way.state, way.trail, Some(UNREACHABLE), |step| {
                let Some(left) = whole.room(&step, way.left) else { return ControlFlow::Continue(()) };
                let moves: Vec<S::Move> = way.moves.iter().copied().chain([step.action]).collect();
                if space.is_goal(&step.state) {
                    whole.moves = moves.into_iter().rev().collect();
                    end = End::Found(left);
                    return ControlFlow::Break(());
                }
                longer.push(Way { moves, state: step.state, trail: step.trail, left });
                ControlFlow::Continue(())
            });
            match (flow, end) {
                (ControlFlow::Continue(()), _) => {}
                (_, End::Exhausted) => return whole.broken_off(),
                (_, end) => return end,
            }
        }
        ways = longer;
    }
    let (next, over) = (AtomicUsize::new(0), AtomicBool::new(false));
    let (limits, taken, before) = (whole.limits, whole.taken, whole.table.len() as u64 / 4);
    let ended = Mutex::new(Vec::new());
    let dig = || {
        let mut dive = Dive::<S, INFORMED>::new(space, limits, taken, Some(&over), before);
        let end = loop {
            let Some(way) = ways.get(next.fetch_add(1, Ordering::Relaxed)) else { break End::Exhausted };
            let end = dive.from(way.state.clone(), way.trail, way.left);
            if !matches!(end, End::Exhausted) {
                over.store(true, Ordering::Relaxed);
                dive.moves.extend(way.moves.iter().rev());
                break end;
            }
            if over.load(Ordering::Relaxed) {
                break End::Over;
            }
        };
        ended.lock().unwrap_or_else(PoisonError::into_inner).push((end, dive));
    };
    on_threads(limits.threads, space.most_moves(bound), &dig);
    let mut end = End::Exhausted;
    for (its_end, dive) in ended.into_inner().unwrap_or_else(PoisonError::into_inner) {
        whole.excess = whole.excess.min(dive.excess);
        whole.expanded += dive.expanded;
        whole.granted += dive.granted;
        whole.cut += dive.cut;
        if !matches!((end, its_end), (End::Found(_), _) | (_, End::Exhausted | End::Over)) {
            end = its_end;
            whole.moves = dive.moves;
        }
    }
    end
}
