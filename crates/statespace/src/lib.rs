//! Shortest paths in state spaces: one-player games given as code or as data.
//!
//! A game given as code implements [`search::Space`] (a start, goals, moves with costs, optionally
//! a heuristic and an automaton that prunes moves). The searches are functions of a space and its
//! [`search::Limits`]. A game given as data is a [`planning::Task`] of actions with conditions and
//! effects, which becomes a space of packed states.
//!
//! ```text
//!   Space ──────────────────────> bfs, idastar, astar, …  ──> SearchResult: a plan, a proof, or neither
//!   Task ── SearchTask, Heuristic ──> PackedSpace ──┘
//! ```
//!
//! | module | contents |
//! |---|---|
//! | [`search`] | IDA*, A*, breadth-first and bidirectional search for any [`Space`](search::Space) |
//! | [`planning`] | tasks of actions with conditions and effects, and heuristics for them |
//! | [`cache`] | tables that are stored between runs |
//!
//! No puzzle is known here. A result is only as good as the space: heuristics are not checked to be
//! admissible, so callers that print "optimal" test their heuristics, and replay plans by rules that
//! share no code with the space. `README.md` has an example, and `examples/pancakes.rs` a game in
//! 60 lines.

#![forbid(unsafe_code)]

pub mod cache;
pub mod planning;
pub mod search;

/// The example of the page.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
