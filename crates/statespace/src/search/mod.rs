//! Shortest paths in one-player games, independent of any puzzle.
//!
//! A one-player game is a set of states E, a start e₀, moves s : E → P(E) with costs, and goals F ⊆
//! E, given as a [`Space`]. The searches are free functions over it with one signature. They differ
//! in the data that they store:
//!
//! | function | order | stores | finds |
//! |---|---|---|---|
//! | [`bfs`] | layer by layer | every state | fewest moves |
//! | [`bidirectional_bfs`] | layer by layer, from the goal too | every state | fewest moves |
//! | [`ids`] | depth first, with increasing bounds | the path | least cost |
//! | [`idastar`] | like `ids`, pruned by a heuristic | the path | least cost |
//! | [`astar`] | least g + h first | every state | least cost |
//! | [`weighted_astar`] | like `astar`, with g + 2h, then larger weights | every state | a plan, quickly |
//! | [`backtracking`] | depth first, pruned by the best plan so far | the path | least cost |
//! | [`memo`] | like `backtracking`, each state once | every state | least cost |
//! | [`all_optimal_plans`] | depth first, within the minimum cost | dead ends | every optimal plan |
//!
//! A [`Ladder`] runs one search after the other, from the cheapest to the most expensive.
//! [`explore_all`] visits every state instead and computes its distance to the nearest goal.
//!
//! A search has three outcomes ([`Outcome`]): a plan, a proof that there is none, or neither.

mod all_plans;
mod best_first;
mod bidirectional;
mod branch_and_bound;
mod breadth_first;
mod depth_first;
mod ladder;
mod state_graph;

use std::hash::{BuildHasher, Hash, Hasher};
use std::ops::ControlFlow;
use std::time::Instant;

pub use all_plans::{PlanVisitor, all_optimal_plans};
use base::stop::{CancelToken, StopReason};
pub use best_first::{astar, weighted_astar};
pub use bidirectional::bidirectional_bfs;
pub use branch_and_bound::{backtracking, memo};
pub use breadth_first::bfs;
pub use depth_first::{idastar, ids};
use indexmap::IndexMap;
pub use ladder::Ladder;
use rustc_hash::FxHasher;
use serde_json::{Value, json};
pub use state_graph::{StateGraph, dijkstra, explore_all};

/// The cost of a move, or of a plan (the sum over its moves).
pub type Cost = u32;

/// The heuristic value of a state from which no goal can be reached.
pub const UNREACHABLE: Cost = Cost::MAX;

pub trait Space: Sync {
    /// True if the heuristic is so expensive that A* should evaluate it lazily (on expansion, not
    /// on generation).
    const LAZY_HEURISTIC: bool = false;
    /// True if several paths to a state remain after pruning, so that IDA* should use a
    /// transposition table.
    const USE_TRANSPOSITION_TABLE: bool = false;
    /// A state, which should be small, and `Copy` if possible. Equal states have the same
    /// successors. `Eq` and `Hash` ignore derived data, such as an incrementally updated heuristic.
    type State: Clone + Eq + Hash + Send + Sync;
    type Move: Copy + Send + Sync;
    /// The state of the move-pruning automaton, for searches that store no states. The automaton
    /// excludes moves that undo the last one, and paths with an equally short alternative. `()` if
    /// a space has no automaton.
    type Pruning: Copy + Send + Sync;

    fn start(&self) -> Self::State;
    fn is_goal(&self, state: &Self::State) -> bool;
    /// The automaton state that prunes nothing.
    fn initial_pruning(&self, state: &Self::State) -> Self::Pruning;
    /// Passes each move that `pruning` allows to `visit`, until it breaks.
    ///
    /// `budget` is the remaining cost. If the cost of a step and a lower bound of its heuristic
    /// value exceed the budget, the space may pass that lower bound instead of the heuristic value.
    /// Without a budget, `Step::estimate` is not used.
    fn successors(
        &self,
        state: &Self::State,
        pruning: Self::Pruning,
        budget: Option<Cost>,
        visit: impl FnMut(Step<Self>) -> ControlFlow<()>,
    ) -> ControlFlow<()>;
    /// An admissible heuristic: never more than the cost of an optimal plan.
    fn heuristic(&self, _state: &Self::State) -> Cost {
        0
    }
    /// Breaks ties in best-first search: among successors with equal f, the one with the highest
    /// value is expanded first.
    fn tie_break(&self, _state: &Self::State) -> i64 {
        0
    }
    /// An upper bound on the number of moves of a plan of this cost: `cost` itself if each move
    /// costs at least 1.
    fn max_moves(&self, cost: Cost) -> u64 {
        cost.into()
    }
}

/// A move and the state it leads to.
pub struct Step<S: Space + ?Sized> {
    pub action: S::Move,
    /// The cost of the move; 0 only if no state can recur.
    pub cost: Cost,
    /// Heuristic value of `state`; only set if the caller passed a budget.
    pub estimate: Cost,
    pub state: S::State,
    pub pruning: S::Pruning,
}

/// The resources of a search.
#[derive(Clone)]
pub struct Limits {
    /// Polled every few thousand nodes.
    pub stop: CancelToken,
    /// Maximum number of expanded nodes over all iterations.
    pub nodes: Option<u64>,
    /// Maximum cost of a plan (its length if every move costs 1).
    pub depth: Option<Cost>,
    /// Maximum bytes of stored states.
    pub memory: Option<u64>,
    /// The depth-first searches split long iterations among this many threads.
    pub threads: usize,
}

impl Limits {
    pub fn none() -> Self {
        Limits { stop: CancelToken::new(), nodes: None, depth: None, memory: None, threads: 1 }
    }

    /// Returns these limits with at most `nodes` nodes.
    pub fn within(&self, nodes: u64) -> Limits {
        Limits { nodes: Some(self.nodes.map_or(nodes, |limit| limit.min(nodes))), ..self.clone() }
    }

    /// Returns these limits less the nodes expanded in `stats`.
    pub fn remaining_after(&self, stats: &SearchStats) -> Limits {
        Limits { nodes: self.nodes.map(|nodes| nodes.saturating_sub(stats.expanded())), ..self.clone() }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome<M> {
    Solved(Plan<M>),
    /// Proven: no goal can be reached.
    Impossible,
    GaveUp(StopReason),
}

/// A path from the start to a goal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan<M> {
    pub moves: Vec<M>,
    pub cost: Cost,
    /// True if no plan is proven to cost less.
    pub optimal: bool,
}

#[derive(Debug, Clone)]
pub struct SearchResult<M> {
    pub outcome: Outcome<M>,
    /// Proven: no plan costs less than this.
    pub lower_bound: Cost,
    pub stats: SearchStats,
}

impl<M> SearchResult<M> {
    /// Adds the statistics and the bound of an earlier search that was abandoned for this one.
    fn with_earlier(mut self, before: &mut Self) -> Self {
        self.stats.iterations.splice(0..0, before.stats.iterations.drain(..));
        self.stats.stored = self.stats.stored.max(before.stats.stored);
        self.lower_bound = self.lower_bound.max(before.lower_bound);
        self
    }
}

/// Counters of a search.
#[derive(Debug, Clone, Default)]
pub struct SearchStats {
    pub iterations: Vec<Iteration>,
    /// States stored at the end.
    pub stored: u64,
    /// Largest resident memory of the process at the end of an iteration, in bytes.
    pub peak_memory: u64,
}

/// One layer of a breadth-first search, or one bound of an iterative deepening.
#[derive(Debug, Clone, Copy, Default)]
pub struct Iteration {
    /// The depth of the layer, or the cost bound.
    pub bound: Cost,
    /// Nodes whose successors were generated.
    pub expanded: u64,
    /// Successors generated.
    pub generated: u64,
    pub seconds: f64,
}

impl SearchStats {
    pub fn expanded(&self) -> u64 {
        self.iterations.iter().map(|iteration| iteration.expanded).sum()
    }

    pub fn generated(&self) -> u64 {
        self.iterations.iter().map(|iteration| iteration.generated).sum()
    }

    pub fn seconds(&self) -> f64 {
        self.iterations.iter().map(|iteration| iteration.seconds).sum()
    }

    /// Returns the totals and an entry for each of the last 1000 iterations.
    pub fn json(&self) -> Value {
        const MAX_ITERATIONS: usize = 1000;
        let before = self.iterations.len().saturating_sub(MAX_ITERATIONS);
        let rate = |nodes: u64, seconds: f64| if seconds > 0.0 { (nodes as f64 / seconds).round() as u64 } else { 0 };
        let line = |iteration: &Iteration| {
            json!({
                "bound": iteration.bound, "expanded": iteration.expanded, "generated": iteration.generated,
                "seconds": rounded(iteration.seconds), "nodes_per_second": rate(iteration.generated, iteration.seconds),
            })
        };
        let mut report = json!({
            "expanded": self.expanded(), "generated": self.generated(), "stored": self.stored,
            "search_seconds": rounded(self.seconds()), "nodes_per_second": rate(self.generated(), self.seconds()),
            "peak_memory_bytes": self.peak_memory.max(resident_bytes()),
            "iterations": self.iterations[before..].iter().map(line).collect::<Vec<_>>(),
        });
        if before > 0 {
            report["iterations_before"] = json!(before);
        }
        report
    }
}

/// Resident memory of this process in bytes; 0 if the system does not report it.
fn resident_bytes() -> u64 {
    memory_stats::memory_stats().map_or(0, |stats| stats.physical_mem as u64)
}

/// Rounds to a microsecond.
fn rounded(seconds: f64) -> f64 {
    (seconds * 1e6).round() / 1e6
}

/// Nodes between two polls of the cancellation token.
const POLL_INTERVAL: u64 = 1 << 12;

/// Counts the nodes of a search by iteration and enforces its limits. The node limit is exact.
struct NodeBudget<'a> {
    limits: &'a Limits,
    stats: SearchStats,
    /// Total number of nodes expanded.
    expanded: u64,
    /// Number of nodes expanded before this iteration.
    before: u64,
    /// The value of `expanded` at which the limits are polled next.
    next_poll: u64,
    /// Successors generated in this iteration.
    generated: u64,
    began: Instant,
}

impl<'a> NodeBudget<'a> {
    fn new(limits: &'a Limits) -> Self {
        let next_poll = limits.nodes.unwrap_or(POLL_INTERVAL).min(POLL_INTERVAL);
        let stats = SearchStats::default();
        NodeBudget { limits, stats, expanded: 0, before: 0, next_poll, generated: 0, began: Instant::now() }
    }

    /// Counts a node that is about to be expanded; breaks if a limit is reached.
    #[inline(always)]
    fn expand(&mut self) -> ControlFlow<StopReason> {
        if self.expanded == self.next_poll {
            self.poll_limits()?;
        }
        self.expanded += 1;
        ControlFlow::Continue(())
    }

    #[cold]
    fn poll_limits(&mut self) -> ControlFlow<StopReason> {
        let left = self.limits.nodes.map_or(POLL_INTERVAL, |nodes| nodes - self.expanded);
        self.next_poll += left.min(POLL_INTERVAL);
        match self.limits.stop.requested() {
            Some(reason) => ControlFlow::Break(reason),
            None if left == 0 => ControlFlow::Break(StopReason::NodeLimit),
            None => ControlFlow::Continue(()),
        }
    }

    /// Ends an iteration and starts the next one.
    fn end(&mut self, bound: Cost) {
        let (now, expanded) = (Instant::now(), self.expanded - self.before);
        let seconds = (now - self.began).as_secs_f64();
        self.stats.iterations.push(Iteration { bound, expanded, generated: self.generated, seconds });
        // Reading the memory is a system call, so short iterations skip it.
        if expanded > 1 << 13 {
            self.stats.peak_memory = self.stats.peak_memory.max(resident_bytes());
        }
        (self.before, self.generated, self.began) = (self.expanded, 0, now);
    }

    /// Returns the reason to report if the space interrupted the enumeration of successors.
    fn interruption(&self) -> StopReason {
        self.limits.stop.requested().unwrap_or(StopReason::Unproven)
    }
}

/// The hash function of `rustc_hash`. Its `hash_one` is inlined, while that of `FxBuildHasher`
/// costs a call for each state.
#[derive(Clone, Copy, Default)]
struct StateHasher;

impl BuildHasher for StateHasher {
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

/// The stored states, in order of discovery, each with data of the search.
struct Store<S: Space, Data> {
    states: IndexMap<S::State, Data, StateHasher>,
    memory: Option<u64>,
}

/// The error if the memory limit is reached.
struct Full;

impl<S: Space, Data> Store<S, Data> {
    fn new(limits: &Limits) -> Self {
        Store { states: IndexMap::default(), memory: limits.memory }
    }

    /// Size in bytes of a table of `states` states: the entries, and the hash table of their
    /// indices.
    fn bytes(states: usize) -> u64 {
        let entry = size_of::<S::State>() + size_of::<Data>() + size_of::<usize>();
        let buckets = (states * 8 / 7).next_power_of_two();
        (states * entry + buckets * (size_of::<usize>() + 1)) as u64
    }

    /// Makes room for another state. While the table grows, the old and the new table are both in
    /// memory.
    fn reserve(&mut self) -> Result<(), Full> {
        let (length, capacity) = (self.states.len(), self.states.capacity());
        if length < capacity {
            return Ok(());
        }
        let new_capacity = if capacity < 1 << 16 { capacity * 4 } else { capacity * 2 }.max(64);
        let fits = |states: usize| self.memory.is_none_or(|memory| Self::bytes(states) + Self::bytes(length) <= memory);
        if !fits(new_capacity) {
            return Err(Full);
        }
        self.states.try_reserve_exact(new_capacity - length).map_err(|_| Full)
    }
}

/// Reconstructs the moves to a state by following parents back to the start.
fn moves_to<S: Space, Data>(
    states: &IndexMap<S::State, Data, StateHasher>,
    mut index: usize,
    parent_of: impl Fn(&Data) -> Option<(u32, S::Move)>,
) -> Vec<S::Move> {
    let mut moves = Vec::new();
    while let Some((parent, action)) = parent_of(&states[index]) {
        moves.push(action);
        index = parent as usize;
    }
    moves.reverse();
    moves
}
