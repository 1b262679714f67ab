//! Searches for shortest ways in one-player games; knows no puzzle.
//!
//! A one-player game is a set of states E, a start e₀, moves s : E → P(E), each with a cost, and goals F ⊆ E. It is given as
//! a [`Space`]. The searches are free functions over it with one signature, and differ in what they remember:
//!
//! | function | order | remembers | finds |
//! |---|---|---|---|
//! | [`bfs`] | layer by layer | every state | fewest moves |
//! | [`both_ways`] | layer by layer, from the goal too | every state | fewest moves |
//! | [`ids`] | depth first, bound after bound | the way | least cost |
//! | [`idastar`] | the same, cut by a heuristic | the way | least cost |
//! | [`astar`] | least g + h first | every state | least cost |
//! | [`quick`] | the same, with g + 2h and more | every state | some way, soon |
//! | [`backtracking`] | depth first, cut by the best way so far | the way | least cost |
//! | [`memo`] | the same, and no state twice at no less cost | every state | least cost |
//! | [`all`] | depth first, within the least cost | states that lead nowhere | every best way |
//!
//! [`whole`] looks at all states instead, and finds how far each is from a goal.
//!
//! A search has three outcomes ([`Conclusion`]): a way, the proof that there is none, or neither.

mod all;
mod best_first;
mod both_ways;
mod branch_and_bound;
mod breadth_first;
mod depth_first;
mod whole;

use std::hash::{BuildHasher, Hash, Hasher};
use std::ops::ControlFlow;
use std::time::Instant;

use indexmap::IndexMap;
use rustc_hash::FxHasher;
use serde_json::{Value, json};

use crate::stop::{Reason, Stop};

pub use all::{Visit, all};
pub use best_first::{astar, quick};
pub use both_ways::both_ways;
pub use branch_and_bound::{backtracking, memo};
pub use breadth_first::bfs;
pub use depth_first::{idastar, ids};
pub use whole::{Whole, distances, whole};

/// What moves cost, and ways: the sum of their moves.
pub type Cost = u32;

/// The estimate of a state from which no goal can be reached.
pub const UNREACHABLE: Cost = Cost::MAX;

/// A one-player game.
pub trait Space: Sync {
    /// Whether an estimate takes longer than a place in a queue, so that a best-first search had better wait with it.
    const ESTIMATES_LATE: bool = false;
    /// Whether many ways lead to a state that no trail cuts, so that a depth-first search had better remember some states.
    const MEETS_AGAIN: bool = false;
    /// Small, and `Copy` where it can be. Equal states have equal futures; what is derived from the rest (a heuristic kept
    /// up to date) takes no part in `Eq` and `Hash`.
    type State: Clone + Eq + Hash + Send + Sync;
    type Move: Copy + Send + Sync;
    /// What a search that remembers no states keeps of the way to a state, so that it does not turn back, or go round where
    /// another way is as short. `()` where nothing is kept.
    type Trail: Copy + Send + Sync;

    fn start(&self) -> Self::State;
    fn is_goal(&self, state: &Self::State) -> bool;
    /// The trail that cuts nothing.
    fn no_trail(&self, state: &Self::State) -> Self::Trail;
    /// Shows each move from a state that the trail leaves open, until `visit` breaks.
    ///
    /// The budget is what may still be spent. As soon as a space knows that the cost and the estimate of a step exceed it, it
    /// need not work out the rest of the estimate: any lower bound that shows it will do. Without a budget nobody looks
    /// at the estimates of the steps.
    fn successors(
        &self,
        state: &Self::State,
        trail: Self::Trail,
        budget: Option<Cost>,
        visit: impl FnMut(Step<Self>) -> ControlFlow<()>,
    ) -> ControlFlow<()>;
    /// An admissible heuristic: never more than the cost of the best way to a goal.
    fn estimate(&self, _state: &Self::State) -> Cost {
        0
    }
    /// Of successors with equal estimates a best-first search tries the one with the most first.
    fn promise(&self, _state: &Self::State) -> i64 {
        0
    }
    /// A bound for the moves of a way that costs so much: as many where each costs something.
    fn most_moves(&self, cost: Cost) -> u64 {
        cost.into()
    }
}

/// A move from a state, and where it leads.
pub struct Step<S: Space + ?Sized> {
    pub action: S::Move,
    /// 0 only where no state comes back.
    pub cost: Cost,
    /// Of the state; with a budget alone.
    pub estimate: Cost,
    pub state: S::State,
    pub trail: S::Trail,
}

/// What a search may use.
#[derive(Clone)]
pub struct Limits {
    /// Asks the search to end; looked at every few thousand nodes.
    pub stop: Stop,
    /// Nodes expanded, in all.
    pub nodes: Option<u64>,
    /// Cost of the ways that are looked at (their length, where every move costs 1).
    pub depth: Option<Cost>,
    /// Bytes for remembered states.
    pub memory: Option<u64>,
    /// Cores; the depth-first searches share out long iterations.
    pub threads: usize,
}

impl Limits {
    pub fn none() -> Self {
        Limits { stop: Stop::new(), nodes: None, depth: None, memory: None, threads: 1 }
    }

    /// With so many nodes at most.
    pub fn within(&self, nodes: u64) -> Limits {
        Limits { nodes: Some(self.nodes.map_or(nodes, |own| own.min(nodes))), ..self.clone() }
    }

    /// What is left of the nodes after some work.
    pub fn after(&self, work: &Work) -> Limits {
        Limits { nodes: self.nodes.map(|nodes| nodes.saturating_sub(work.expanded())), ..self.clone() }
    }
}

/// How a search ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Conclusion<M> {
    Solved(Plan<M>),
    /// No goal can be reached.
    Impossible,
    GaveUp(Reason),
}

/// A way from the start to a goal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan<M> {
    pub moves: Vec<M>,
    pub cost: Cost,
    /// No other way costs less: proven.
    pub optimal: bool,
}

/// What a search found, and what it took.
#[derive(Debug, Clone)]
pub struct Searched<M> {
    pub outcome: Conclusion<M>,
    /// No way costs less than this: proven.
    pub lower_bound: Cost,
    pub work: Work,
}

impl<M> Searched<M> {
    /// With the work and the bound of a search that was given up for this one.
    pub fn after(mut self, before: &mut Self) -> Self {
        self.work.iterations.splice(0..0, before.work.iterations.drain(..));
        self.work.stored = self.work.stored.max(before.work.stored);
        self.lower_bound = self.lower_bound.max(before.lower_bound);
        self
    }
}

/// What a search did.
#[derive(Debug, Clone, Default)]
pub struct Work {
    pub iterations: Vec<Iteration>,
    /// States remembered at the end.
    pub stored: u64,
    /// Largest memory of the process at the end of an iteration, in bytes.
    pub peak_memory: u64,
}

/// One layer of a breadth-first search, or one bound of an iterated one.
#[derive(Debug, Clone, Copy, Default)]
pub struct Iteration {
    /// The depth of the layer, or the greatest cost that was allowed.
    pub bound: Cost,
    /// Nodes whose moves were looked at.
    pub expanded: u64,
    /// Moves that were looked at.
    pub generated: u64,
    pub seconds: f64,
}

impl Work {
    pub fn expanded(&self) -> u64 {
        self.iterations.iter().map(|iteration| iteration.expanded).sum()
    }

    pub fn generated(&self) -> u64 {
        self.iterations.iter().map(|iteration| iteration.generated).sum()
    }

    pub fn seconds(&self) -> f64 {
        self.iterations.iter().map(|iteration| iteration.seconds).sum()
    }

    /// Totals, and a line for each iteration; of very many, the last ones.
    pub fn json(&self) -> Value {
        const TOLD: usize = 1000;
        let before = self.iterations.len().saturating_sub(TOLD);
        let rate = |nodes: u64, seconds: f64| if seconds > 0.0 { (nodes as f64 / seconds).round() as u64 } else { 0 };
        let line = |iteration: &Iteration| {
            json!({
                "bound": iteration.bound, "expanded": iteration.expanded, "generated": iteration.generated,
                "seconds": rounded(iteration.seconds), "nodes_per_second": rate(iteration.generated, iteration.seconds),
            })
        };
        let mut told = json!({
            "expanded": self.expanded(), "generated": self.generated(), "stored": self.stored,
            "search_seconds": rounded(self.seconds()), "nodes_per_second": rate(self.generated(), self.seconds()),
            "peak_memory_bytes": self.peak_memory.max(resident_bytes()),
            "iterations": self.iterations[before..].iter().map(line).collect::<Vec<_>>(),
        });
        if before > 0 {
            told["iterations_before"] = json!(before);
        }
        told
    }
}

/// Memory of this process, 0 where the system does not tell.
fn resident_bytes() -> u64 {
    memory_stats::memory_stats().map_or(0, |stats| stats.physical_mem as u64)
}

/// To a microsecond.
fn rounded(seconds: f64) -> f64 {
    (seconds * 1e6).round() / 1e6
}

/// How often a search looks at the wish to stop, in nodes.
const LOOK_EVERY: u64 = 1 << 12;

/// Counts what a search does, iteration after iteration, and keeps it within its limits: in nodes exactly.
struct Meter<'a> {
    limits: &'a Limits,
    work: Work,
    /// Nodes in all, those of iterations that ended, and those at which the limits are looked at next.
    expanded: u64,
    before: u64,
    look_at: u64,
    /// Moves of the iteration.
    generated: u64,
    began: Instant,
}

impl<'a> Meter<'a> {
    fn new(limits: &'a Limits) -> Self {
        let look_at = limits.nodes.unwrap_or(LOOK_EVERY).min(LOOK_EVERY);
        let work = Work::default();
        Meter { limits, work, expanded: 0, before: 0, look_at, generated: 0, began: Instant::now() }
    }

    /// Counts a node whose moves are to be looked at, unless a limit forbids it.
    #[inline(always)]
    fn expand(&mut self) -> ControlFlow<Reason> {
        if self.expanded == self.look_at {
            self.look_around()?;
        }
        self.expanded += 1;
        ControlFlow::Continue(())
    }

    #[cold]
    fn look_around(&mut self) -> ControlFlow<Reason> {
        let left = self.limits.nodes.map_or(LOOK_EVERY, |nodes| nodes - self.expanded);
        self.look_at += left.min(LOOK_EVERY);
        match self.limits.stop.requested() {
            Some(reason) => ControlFlow::Break(reason),
            None if left == 0 => ControlFlow::Break(Reason::NodeLimit),
            None => ControlFlow::Continue(()),
        }
    }

    /// Ends an iteration, and begins the next one.
    fn end(&mut self, bound: Cost) {
        let (now, expanded) = (Instant::now(), self.expanded - self.before);
        let seconds = (now - self.began).as_secs_f64();
        self.work.iterations.push(Iteration { bound, expanded, generated: self.generated, seconds });
        // Asking costs a system call, so that short iterations do not ask.
        if expanded > 1 << 13 {
            self.work.peak_memory = self.work.peak_memory.max(resident_bytes());
        }
        (self.before, self.generated, self.began) = (self.expanded, 0, now);
    }

    /// Why a space broke off its moves, where the search had no reason to.
    fn broken_off(&self) -> Reason {
        self.limits.stop.requested().unwrap_or(Reason::Unproven)
    }
}

/// The hash function of `rustc_hash`. Its `hash_one` is inlined; that of `FxBuildHasher` is a call for each state.
#[derive(Clone, Copy, Default)]
struct HashOfStates;

impl BuildHasher for HashOfStates {
    type Hasher = FxHasher;

    #[inline]
    fn build_hasher(&self) -> FxHasher {
        FxHasher::default()
    }

    #[inline]
    #[expect(clippy::manual_hash_one, reason = "this is hash_one itself")]
    fn hash_one<T: Hash>(&self, state: T) -> u64 {
        let mut hasher = self.build_hasher();
        state.hash(&mut hasher);
        hasher.finish()
    }
}

/// States that are remembered, each with what the search knows of it, in the order in which they were met.
struct Store<S: Space, Known> {
    states: IndexMap<S::State, Known, HashOfStates>,
    memory: Option<u64>,
}

/// There is no room for another state.
struct Full;

impl<S: Space, Known> Store<S, Known> {
    fn new(limits: &Limits) -> Self {
        Store { states: IndexMap::default(), memory: limits.memory }
    }

    /// Bytes of a table for so many states: the entries, and the hash table of their indices.
    fn bytes(states: usize) -> u64 {
        let entry = size_of::<S::State>() + size_of::<Known>() + size_of::<usize>();
        let buckets = (states * 8 / 7).next_power_of_two();
        (states * entry + buckets * (size_of::<usize>() + 1)) as u64
    }

    /// Makes room for another state. Growing needs the old table beside the new one.
    fn reserve(&mut self) -> Result<(), Full> {
        let (length, capacity) = (self.states.len(), self.states.capacity());
        if length < capacity {
            return Ok(());
        }
        let wanted = if capacity < 1 << 16 { capacity * 4 } else { capacity * 2 }.max(64);
        let fits = |states: usize| self.memory.is_none_or(|memory| Self::bytes(states) + Self::bytes(length) <= memory);
        if !fits(wanted) {
            return Err(Full);
        }
        self.states.try_reserve_exact(wanted - length).map_err(|_| Full)
    }
}

/// The moves to a state, by going back from each to the one it was reached from.
fn moves_to<S: Space, Known>(
    states: &IndexMap<S::State, Known, HashOfStates>,
    mut index: usize,
    came_by: impl Fn(&Known) -> Option<(u32, S::Move)>,
) -> Vec<S::Move> {
    let mut moves = Vec::new();
    while let Some((parent, action)) = came_by(&states[index]) {
        moves.push(action);
        index = parent as usize;
    }
    moves.reverse();
    moves
}
