//! Solves, explains and makes puzzles with answer set programming.
//!
//! ```text
//!   cli ── reads ──> puzzle ── recognises, parses, solves, checks ──> report ── text, JSON ──> output
//!    │                  │                                               ▲
//!    └── watches        ├── asp (clingo) ──> answer_sets ───────────────┘
//!                       ├── search (native)
//!                       └── graph ──> picture ──> page
//! ```
//!
//! | module | what it is |
//! |---|---|
//! | [`cli`] | the command: arguments, files, limits, exit codes; `play`, `generate`, `watch` and the puzzles' tools |
//! | [`puzzle`] | what a puzzle is, the list of all, and a folder for each |
//! | [`asp`] | the one place that knows clingo |
//! | [`search`] | shortest ways in one-player games, and no puzzle |
//! | [`report`] | where answers go, and who finishes a run |
//! | [`answer_sets`] | raw answer sets in every format |
//! | [`graph`] | graphs to look at: laid out, drawn, compressed, for Graphviz |
//! | [`picture`] | a picture as a value, and as SVG |
//! | [`page`] | answers as a page for a browser, in one file |
//! | [`cache`] | tables that are kept from one run to the next |
//! | [`document`], [`diagnostic`], [`stop`], [`ending`] | a text that was read, a message about it, the wish to stop, how a run ended |
//!
//! What does not exist here:
//!
//! - no puzzle's name outside `puzzle/`;
//! - no call into clingo outside `asp/`, and no `unsafe` outside `asp/ffi.rs`;
//! - no puzzle in `search/`, `graph/` and `page/`;
//! - no reading of files, no environment and no printing outside `cli/` (clingo itself reads the files it is given,
//!   `cache.rs` its tables, and `graph/layout.rs` runs Graphviz if somebody asks for its layout);
//! - no answer of a puzzle in a report that its `check` has not passed.

#![deny(unsafe_code)]

pub mod answer_sets;
pub mod asp;
pub mod cache;
pub mod cli;
pub mod diagnostic;
pub mod document;
pub mod ending;
pub mod graph;
pub mod page;
pub mod picture;
pub mod puzzle;
pub mod report;
pub mod search;
pub mod stop;

pub use cli::run;
