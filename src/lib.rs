//! Solves, explains and makes puzzles with answer set programming.
//!
//! The command `asp-solve` is one caller of this library; yours may be another. [`solve`] takes a puzzle and an instance, in
//! the command's input format, and gives checked answers and what is proven:
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
//! Pencil puzzles are found by name. This example generates a board, proves that it has one solution and prints the first step.
//! Then it asks which clues of another board exclude each other:
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
//! clingo cannot be interrupted while it grounds. To enforce a limit there, run the command as a child process.
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
//! | task | function |
//! |---|---|
//! | solve, with proofs; ask for all, or whether there is one | [`solve`], [`Job`], [`Solved`] |
//! | check your own answer | [`check`] |
//! | the next step, and why | [`hint`] |
//! | why there is no answer, or why an atom holds | [`why()`] |
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
//! | `asp` | the only module that calls clingo |
//! | `certificate` | proofs that there is no other answer, their checker, and a second solver |
//! | `author` | tools for authors: tests, profile, comparison of two encodings |
//! | `search` | shortest paths in one-player games, independent of any puzzle |
//! | `planning` | one-player games as planning tasks: packed states, and heuristics for any game |
//! | `job` | everything that a caller asks of a run |
//! | `report` | output formats, and the style of text |
//! | `drawing` | drawings that a logic program derives as atoms |
//! | `graph` | graphs: layout, drawing, compression, Graphviz |
//! | `picture` | a picture as a value, and as SVG |
//! | `played` | boards that a person plays, move by move |
//! | `page` | answers and boards to play as a web page in one file |
//! | `studio` | requests and answers of the author's page |
//! | `lsp` | the language server |
//! | `cache` | tables kept between runs |
//! | `document`, `diagnostic`, `stop`, `ending` | an input text, a message about it, the cancellation token, how a run ended |
//! | `syntax` | the lexer of logic programs, and what their tokens alone tell |
//! | `underlined` | source lines with underlined places |
//! | `words` | numbers, system errors and foreign texts in sentences |
//! | `sorting` | sorting that is compiled once for all types |
//!
//! # The floors
//!
//! A module imports only modules of lower floors:
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
//! syntax, diagnostic, words, stop, sorting
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
//! | rules | *shipped* (known to native engines and the replay, so verdicts are proven) or *yours* (only the encoding decides) |
//! | board | an instance after parsing |
//! | job | the request: documents, typed options, rules, limits, the cancellation token |
//! | engine | a search for answers; each puzzle has its own type of engines |
//! | answer, proof | what was found; what else is known (counts, a bound, a cause) |
//! | verdict, ending | solved, impossible or gave up; how an engine reports it |
//! | solved, conclusion | the checked result of a run; the same without the puzzle's types |
//! | check, vouch | replay an answer by the rules; check everything else that is claimed |
//! | outcome | how a trip of a railway ends |
//! | stop, reason | the cancellation token, and why it was set |
//! | report | the receiver of answers, which finishes a run |
//!
//! What does not exist here:
//!
//! - no puzzle's name outside `puzzle/`;
//! - no call into clingo outside `asp/`, and no `unsafe` outside `asp/ffi.rs` and `asp/ffi/` but for the one line of `cache.rs` that maps a file, and
//!   the command's `new` and `delete` for clingo's objects;
//! - no puzzle in `search/`, `graph/`, `drawing/` and `page/`;
//! - no reading of files, no environment and no printing outside `cli/` (clingo itself reads the files it is given,
//!   and `cache.rs` its tables; `minesweeper/window/` reads skins and screenshots, keeps the screenshot of a board that was
//!   misread, talks to the X server of `$DISPLAY` and starts the program whose window it wants);
//! - no answer in a report that has not passed the puzzle's `check`, and, by shipped rules, no verdict that has not passed its
//!   `vouch`; by other rules, nothing is called proven.

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
mod sorting;
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
#[doc(hidden)]
pub use asp::note_failed_allocation;
pub use cli::{leave, run};
pub use diagnostic::{Diagnostic, Failure};
pub use ending::{Ending, Uniqueness, Verdict};
pub use job::{Job, Limits, Rules, Show};
pub use puzzle::amphipod::Amphipod;
pub use puzzle::game::Game;
pub use puzzle::logic::Logic;
pub use puzzle::minesweeper::Minesweeper;
pub use puzzle::rail::Rail;
pub use puzzle::taquin::Taquin;
pub use puzzle::{Solved, check, generate, hint, solve, why};
