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
//! | [`words`] | numbers, and errors of the system, in sentences |
//!
//! A run goes one way: **read** (texts become documents), **recognise** (which puzzle), **parse** (a board, or an error with its
//! place), **solve** (an engine finds answers and a proof), **check** (each answer is replayed, and all that is said besides
//! is vouched for), **tell** (text, JSON, a table, a picture, a page).
//!
//! | word | what it means, everywhere |
//! |---|---|
//! | document | a text that was read, with its name |
//! | instance, encoding | the facts of one puzzle; the rules of all of them |
//! | rules | *shipped* (known to the native engines and the replay, so that verdicts are proven) or *yours* (the encoding alone decides) |
//! | board | an instance after parsing |
//! | query, request | a run as a puzzle sees it; what of it is the same for all puzzles |
//! | engine | who looks for answers: a type of each puzzle |
//! | answer, proof | what was found; what is known besides (counts, a bound, a cause) |
//! | verdict, ending | solved, impossible or gave up; the verdict with its proof, the engine's statistics and warnings |
//! | known | all that is known when a run has ended: what is vouched for, and told |
//! | check, vouch | replay an answer by the rules; vouch for what is said besides |
//! | outcome | how a trip of a railway ends |
//! | stop, reason | the wish to stop, and why |
//! | report | where answers go, and who finishes a run |
//!
//! What does not exist here:
//!
//! - no puzzle's name outside `puzzle/`;
//! - no call into clingo outside `asp/`, and no `unsafe` outside `asp/ffi.rs` but for the one line of `cache.rs` that maps a file;
//! - no puzzle in `search/`, `graph/` and `page/`;
//! - no reading of files, no environment and no printing outside `cli/` (clingo itself reads the files it is given,
//!   `cache.rs` its tables, and `graph/layout.rs` runs Graphviz if somebody asks for its layout; `minesweeper/window/` reads
//!   skins and screenshots, keeps the screenshot of a board that was misread, talks to the X server of `$DISPLAY` and starts
//!   the program whose window it wants);
//! - no answer of a puzzle in a report that its `check` has not passed, and no verdict that its `vouch` has not, by rules that
//!   ship; and nothing called proven by rules that do not.

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
pub mod words;

pub use cli::run;
