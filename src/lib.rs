//! Solves, explains and makes puzzles with answer set programming.
//!
//! The command `asp-solve` is one caller of this library; yours may be another. A puzzle and an instance, written as the
//! command reads it, give answers that were checked by the rules, and what is proven besides:
//!
//! ```
//! use asp_solve::{Minesweeper, solve};
//!
//! let solved = solve(Minesweeper, "mines 2\n1??\n???")?;
//! let (board, answer) = (solved.board(), &solved.answers()[0]);
//! let beside = board.cell(0, 1).expect("row 0, column 1 is on the board");
//! assert_eq!(answer.probabilities[beside], Some(1.0 / 3.0));
//! assert!(solved.text().starts_with("No cell is safe."));
//! # Ok::<(), asp_solve::Failure>(())
//! ```
//!
//! Pencil puzzles go by their names. This makes one, proves that it has one solution, and asks for the first step; then it asks
//! which clues of another board exclude each other:
//!
//! ```
//! use asp_solve::{Job, Logic, Uniqueness, generate, hint, solve, why};
//!
//! let sudoku = Logic::named("sudoku")?;
//! let made = generate(sudoku, "--size 4x4", 7)?;
//! let mut job = Job::of(&made);
//! job.asks_unique = true;
//! assert_eq!(solve(sudoku, job)?.unique(), Uniqueness::One);
//! println!("{}", hint(sudoku, made.as_str())?.text);
//! println!("{}", why(sudoku, "1 1 . .\n. . . .\n. . . .\n. . . .", None)?.text);
//! # Ok::<(), asp_solve::Failure>(())
//! ```
//!
//! A crate that depends on this one needs one more line in its `Cargo.toml`, because cargo applies only the patches of the
//! outermost package:
//!
//! ```toml
//! [dependencies]
//! asp-solve = { git = "…" }
//!
//! [patch.crates-io]
//! cmake = { git = "…" } # the same address; or, beside a path, the folder build/cmake
//! ```
//!
//! Without it the build needs the program cmake and links clingo 5.6.2, which has known defects; [`clingo_version`] reports it.
//! Nothing can stop clingo while it grounds. To enforce a limit there, run the command as a child process.
//!
//! | puzzle | an answer | what is proven |
//! |---|---|---|
//! | [`Minesweeper`] | the probability of each closed cell, what is certain and why, where to click | all layouts were counted |
//! | [`Taquin`] | a shortest solution | its length, or the parity that forbids one |
//! | [`Amphipod`] | a cheapest plan | its energy |
//! | [`Rail`] | a trip, and the configurations that have it | how many there are of each outcome |
//! | [`Game`] | a shortest way | its depth |
//! | [`Logic`] | a solution of a pencil puzzle, by its name | how many there are |
//!
//! | what | with |
//! |---|---|
//! | solve, with proofs; ask for all, or whether there is one | [`solve`], [`Job`], [`Solved`] |
//! | check an answer of one's own | [`check`] |
//! | the next step, and why | [`hint`] |
//! | why there is none, why an atom holds | [`why()`] |
//! | make an instance | [`generate`] |
//!
//! # The map of the crate
//!
//! ```text
//!   cli ── makes a Job ──> puzzle ── open, solve, check, sort, vouch, tell ──> output
//!                            ├── asp (clingo), search (native)
//!                            └── graph, drawing ──> picture ──> page
//! ```
//!
//! | module | what it is |
//! |---|---|
//! | `cli` | the command: arguments, files, limits, exit codes; `play`, `generate`, `watch` and the puzzles' tools |
//! | `puzzle` | the trait of puzzles, their list, and a folder for each |
//! | `asp` | the one place that knows clingo |
//! | `certificate` | proofs that there is no other answer, their checker, and a second solver |
//! | `author` | tools for authors: tests, profile, comparison of two encodings |
//! | `search` | shortest ways in one-player games, and no puzzle |
//! | `planning` | one-player games as planning tasks: states in few words, heuristics for any of them |
//! | `job` | everything a run is asked to do |
//! | `report` | the formats of the output, and how text is to look |
//! | `drawing` | drawings that a logic program derives as atoms |
//! | `graph` | graphs to look at: laid out, drawn, compressed, for Graphviz |
//! | `picture` | a picture as a value, and as SVG |
//! | `played` | boards that a person plays, one move after the other |
//! | `page` | answers, and boards to play, as a page for a browser, in one file |
//! | `studio` | requests and answers of the author's page |
//! | `lsp` | the language server: an editor's messages, and what is answered |
//! | `cache` | tables that are kept from one run to the next |
//! | `document`, `diagnostic`, `stop`, `ending` | a text that was read, a message about it, the cancellation token, how a run ended |
//! | `syntax` | where statements of a logic program begin and end, without clingo |
//! | `underlined` | lines of source, with places in them underlined |
//! | `words` | numbers, errors of the system, and texts of others, in sentences |
//!
//! # The floors
//!
//! A room imports rooms of the floors below it alone:
//!
//! ```text
//! cli
//! studio, lsp
//! puzzle, author
//! played
//! why
//! job
//! drawing, certificate
//! asp, graph, page, planning
//! document, ending, picture, search, cache, underlined, report
//! syntax, diagnostic, words, stop
//! ```
//!
//! In `puzzle`, no puzzle's folder imports that of another.
//!
//! # A run
//!
//! It goes one way: **read** (texts become documents), **recognise** (which puzzle), **open** (a [`Job`] becomes a board, or an
//! error with its place), **solve** (an engine finds answers and a proof), **check** (each answer is replayed), **sort**,
//! **vouch** (for all that is said besides), **tell** (text, JSON, a table, a picture, a page). `puzzle/pipeline.rs` has all
//! of it but the ends.
//!
//! | word | what it means, everywhere |
//! |---|---|
//! | document | a text that was read, with its name |
//! | instance, encoding | the facts of one puzzle; the rules of all of them |
//! | rules | *shipped* (known to the native engines and the replay, so that verdicts are proven) or *yours* (the encoding alone decides) |
//! | board | an instance after parsing |
//! | job | what is to be done: documents, typed options, rules, limits, the cancellation token |
//! | engine | who looks for answers: a type of each puzzle |
//! | answer, proof | what was found; what is known besides (counts, a bound, a cause) |
//! | verdict, ending | solved, impossible or gave up; what an engine says of it |
//! | solved, conclusion | what came of a run, checked and vouched for; the same without the puzzle's own types |
//! | check, vouch | replay an answer by the rules; vouch for what is said besides |
//! | outcome | how a trip of a railway ends |
//! | stop, reason | the cancellation token, and why it was set |
//! | report | where answers go, and who finishes a run |
//!
//! What does not exist here:
//!
//! - no puzzle's name outside `puzzle/`;
//! - no call into clingo outside `asp/`, and no `unsafe` outside `asp/ffi.rs` but for the one line of `cache.rs` that maps a file;
//! - no puzzle in `search/`, `graph/`, `drawing/` and `page/`;
//! - no reading of files, no environment and no printing outside `cli/` (clingo itself reads the files it is given,
//!   and `cache.rs` its tables; `minesweeper/window/` reads skins and screenshots, keeps the screenshot of a board that was
//!   misread, talks to the X server of `$DISPLAY` and starts the program whose window it wants);
//! - no answer of a puzzle in a report that its `check` has not passed, and no verdict that its `vouch` has not, by rules that
//!   ship; and nothing called proven by rules that do not.

// Without the studio, what only the studio calls has no caller.
#![cfg_attr(not(feature = "studio"), allow(dead_code))]

// For the tests and benchmarks of this package only.
#[doc(hidden)]
pub mod asp;
#[doc(hidden)]
pub mod author;
mod cache;
#[doc(hidden)]
pub mod certificate;
mod cli;
#[doc(hidden)]
pub mod diagnostic;
#[doc(hidden)]
pub mod document;
#[doc(hidden)]
pub mod drawing;
mod ending;
#[doc(hidden)]
pub mod graph;
mod job;
#[doc(hidden)]
pub mod lsp;
mod page;
#[doc(hidden)]
pub mod picture;
#[doc(hidden)]
#[doc(hidden)]
pub mod planning;
pub mod played;
pub mod puzzle;
#[doc(hidden)]
pub mod report;
pub mod search;
pub mod stop;
#[cfg(feature = "studio")]
mod studio;
#[doc(hidden)]
pub mod syntax;
mod underlined;
pub mod why;
#[doc(hidden)]
pub mod words;

pub use asp::clingo_version;
pub use cli::{leave, run};
pub use diagnostic::{Diagnostic, Failure};
pub use ending::{Uniqueness, Verdict};
pub use job::{Job, Limits, Rules, Show};
pub use puzzle::amphipod::Amphipod;
pub use puzzle::game::Game;
pub use puzzle::logic::Logic;
pub use puzzle::minesweeper::Minesweeper;
pub use puzzle::rail::Rail;
pub use puzzle::taquin::Taquin;
pub use puzzle::{Solved, check, generate, hint, solve, why};
