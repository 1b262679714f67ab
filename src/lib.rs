//! Solves, explains and makes puzzles with answer set programming.
//!
//! The command `asp-solve` is built on this library. [`solve`] takes a puzzle and an instance, in
//! the command's input format, and returns checked answers and what is proven:
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
//! Pencil puzzles are selected by name. This example generates a board, proves that it has one
//! solution and prints the first step. Then it asks which clues of another board contradict each
//! other:
//!
//! ```
//! use asp_solve::{Job, LogicPuzzle, Uniqueness, generate, hint, solve, why};
//!
//! let sudoku = LogicPuzzle::named("sudoku")?;
//! let made = generate(sudoku, "--size 4x4", 7)?;
//! let mut job = Job::of(&made);
//! job.asks_unique = true;
//! assert_eq!(solve(sudoku, job)?.unique(), Uniqueness::One);
//! println!("{}", hint(sudoku, made.as_str())?.text);
//! println!("{}", why(sudoku, "1 1 . .\n. . . .\n. . . .\n. . . .", None)?.text);
//! # Ok::<(), asp_solve::Failure>(())
//! ```
//!
//! A crate that depends on this one needs one more line in its `Cargo.toml`, because cargo applies
//! only the patches of the outermost package:
//!
//! ```toml
//! [dependencies]
//! asp-solve = { git = "…" }
//!
//! [patch.crates-io]
//! cmake = { git = "…" } # the same address; or, beside a path, the folder build/cmake
//! ```
//!
//! Without the patch the build needs the program cmake and links clingo 5.6.2, which has known
//! defects; [`clingo_version`] returns the version. clingo cannot be interrupted while it grounds.
//! To enforce a limit there, run the command as a child process.
//!
//! | puzzle | answer | proof |
//! |---|---|---|
//! | [`Minesweeper`] | the probability of each closed cell, certain cells with reasons, the best click | all layouts were counted |
//! | [`Taquin`] | a shortest solution | its length, or the parity that forbids one |
//! | [`Amphipod`] | a cheapest plan | its energy |
//! | [`Rail`] | a trip and the configurations that lead to it | the number of configurations of each outcome |
//! | [`Game`] | a shortest sequence of operations | its length |
//! | [`LogicPuzzle`] | a solution of a pencil puzzle, selected by name | the number of solutions |
//!
//! | task | function |
//! |---|---|
//! | solve, with proofs; find all solutions or decide uniqueness | [`solve`], [`Job`], [`RunResult`] |
//! | check an answer from another source | [`check`] |
//! | the next step and its reason | [`hint`] |
//! | why there is no answer, or why an atom holds | [`why()`] |
//! | generate an instance | [`generate`] |
//!
//! # The map of the crate
//!
//! ```text
//!   cli ── makes a Job ──> puzzle ── open, solve, check, sort, verify, report ──> output
//!                            ├── asp (clingo), search (native)
//!                            └── graph, drawing ──> picture ──> page
//! ```
//!
//! | module | contents |
//! |---|---|
//! | `cli` | the command: arguments, files, limits, exit codes; `play`, `generate`, `watch` and the puzzles' tools |
//! | `puzzle` | the trait of puzzles, the list of puzzles, and a folder for each |
//! | `asp` | the only module that calls clingo |
//! | `certificate` | proofs that there is no other answer, their checker, and a native solver |
//! | `author` | tools for authors: tests, profile, comparison of two encodings |
//! | `search` | shortest paths in one-player games, independent of any puzzle |
//! | `planning` | one-player games as planning tasks: packed states, and heuristics for any game |
//! | `job` | the request for a run |
//! | `report` | output formats and text style |
//! | `drawing` | drawings that a logic program derives as atoms |
//! | `graph` | graphs: layout, drawing, compression, Graphviz |
//! | `picture` | a picture as a value, and as SVG |
//! | `play` | boards in play, move by move |
//! | `page` | answers and playable boards as self-contained web pages |
//! | `studio` | requests and responses of the studio's page |
//! | `lsp` | the language server |
//! | `cache` | tables kept between runs |
//! | `document`, `diagnostic`, `stop`, `ending` | input texts, messages about them, cancellation tokens, the end of a run |
//! | `syntax` | the lexer of logic programs, and analyses of their tokens |
//! | `underlined` | source excerpts with underlined ranges |
//! | `words` | formatting of numbers, I/O errors and untrusted text |
//! | `sorting` | sorting, compiled once for all types |
//!
//! # The floors
//!
//! A module imports only modules of lower floors:
//!
//! ```text
//! cli
//! studio, lsp
//! puzzle, author
//! play
//! why
//! job
//! drawing, certificate
//! asp, graph, page, planning
//! document, ending, picture, search, cache, underlined, report
//! syntax, diagnostic, words, stop, sorting
//! ```
//!
//! In `puzzle`, the folders of two puzzles never import each other.
//!
//! # A run
//!
//! A run has these steps: **read** (texts become documents), **recognise** (select the puzzle),
//! **open** (a [`Job`] becomes a [`Run`](puzzle::Run), or an error with its place), **solve** (an
//! engine finds answers and a proof), **check** (each answer is replayed), **sort**, **verify**
//! (all other claims), **report** (text, JSON, a table, a picture, a page). `puzzle/pipeline.rs`
//! contains all steps from opening to verification.
//!
//! | term | meaning |
//! |---|---|
//! | document | an input text with its name |
//! | instance, encoding | the facts of one puzzle; the rules of all of them |
//! | rules | *built-in* (known to native engines and the replay, so verdicts are proven) or *custom* (defined by the encoding alone) |
//! | board | a parsed instance |
//! | job | the request: documents, typed options, rules, limits, the cancellation token |
//! | run | a parsed instance with the engine chosen for it |
//! | engine | a search for answers; each puzzle has its own engines |
//! | answer, proof | a solution; what is known besides solutions (counts, a bound, a cause) |
//! | verdict, search end | solved, impossible or gave up; the result that an engine reports |
//! | run result | the checked result of a run; `AnyRunResult` is the same without the puzzle's types |
//! | check, verify | replay an answer by the rules; check every other claim |
//! | outcome | how a trip of a railway ends |
//! | cancellation token, stop reason | the flag that every engine polls; why it was set |
//! | report | the receiver of answers, which finishes a run |
//!
//! Invariants:
//!
//! - no puzzle's name outside `puzzle/`;
//! - no call into clingo outside `asp/`, and no `unsafe` outside `asp/ffi.rs` and `asp/ffi/` except
//!   for the line of `cache.rs` that maps a file, and the command's `new` and `delete` for clingo's
//!   objects;
//! - no puzzle in `search/`, `graph/`, `drawing/` and `page/`;
//! - no reading of files, no environment and no printing outside `cli/` (clingo itself reads its
//!   input files, and `cache.rs` its tables; `minesweeper/window/` reads skins and screenshots,
//!   stores the screenshot of a misread board, talks to the X server of `$DISPLAY` and starts the
//!   program that it plays);
//! - no answer in a report that has not passed the puzzle's `check_answer`, and, with built-in
//!   rules, no verdict that has not passed its `verify_claims`; with custom rules nothing is called
//!   proven.

// Without the studio, some functions have no caller.
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
pub mod play;
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
pub use ending::{SearchEnd, Uniqueness, Verdict};
pub use job::{Job, Limits, Rules, Show};
pub use puzzle::amphipod::Amphipod;
pub use puzzle::game::Game;
pub use puzzle::logic::LogicPuzzle;
pub use puzzle::minesweeper::Minesweeper;
pub use puzzle::rail::Rail;
pub use puzzle::taquin::Taquin;
pub use puzzle::{RunResult, check, generate, hint, solve, why};
