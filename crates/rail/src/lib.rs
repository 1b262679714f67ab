//! The mine railway of the game Deponia, and similar railways.
//!
//! A trolley enters a mine at a start. Each fork has a colour, and the lever of this colour decides
//! which way the trolley leaves the fork. Before the trip, the player chooses the initial states of
//! the levers and the colour of each gate. When the trolley crosses a gate, the lever of the gate's
//! colour moves to its next state. The trip is therefore determined by these choices. It is won at
//! a target, lost at any other final node, stuck at a node without a way out, or a cycle if it
//! visits a node twice with all levers in the same states.
//!
//! ```
//! use puzzle::Run;
//! use puzzle::job::Job;
//! use rail::{Outcome, Rail};
//!
//! let job = Job::of("start(a). target(z). final_node(y). color(a, red). rel(a, 1, y). rel(a, 2, z).").all_answers();
//! let solved = Run::new(Rail, job)?.solve()?;
//! let [trip] = solved.answers() else { panic!("one trip wins") };
//! assert_eq!((trip.outcome, trip.nodes.len()), (Outcome::Win, 2));
//! assert_eq!(trip.configurations(solved.board().network()), 1_u8.into());
//! # Ok::<(), base::diagnostic::Failure>(())
//! ```
//!
//! | module | contents |
//! |---|---|
//! | `network/` | the network, its notations (facts, JSON, Graphviz, plans of tracks) and its validation |
//! | `trips/` | trips, outcomes and configurations, their counts, and the replay of trips |
//! | `board.rs` | an instance with the options of a run |
//! | `recognise.rs` | recognition of instances and encodings |
//! | `encodings.rs` | the built-in encodings |
//! | `program.rs` | the logic program of an instance |
//! | `engines/` | the searches for trips: clingo, simulation, backward search |
//! | `solve.rs` | running an engine and confirming its results |
//! | `output/` | trips as text, JSON, graphs and pictures |
//! | `tools/` | the commands `convert`, `expand`, `rate`, `repair` and `generate` |
//! | `play.rs` | interactive play |
//! | `puzzle_impl.rs` | the implementation of `Puzzle` |
//! | `why.rs` | explanations of why no trip wins, or why a given trip does not |

#![forbid(unsafe_code)]

mod board;
mod encodings;
mod engines;
mod network;
mod output;
mod play;
mod program;
mod puzzle_impl;
mod recognise;
mod solve;
mod tools;
mod trips;
mod why;

pub use board::{OutcomeFilter, RailBoard, RailOptions};
pub use network::{Color, Name, Network, Node, NodeId};
pub use trips::{GateRule, Outcome, Trip};

#[derive(Debug, Clone, Copy)]
pub struct Rail;
