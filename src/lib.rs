//! Solves, explains and generates puzzles with answer set programming.
//!
//! The command `asp-solve` is built on this library. Each function takes a puzzle and an instance in
//! the command's input format, or a [`Job`] with options and limits.
//!
//! # Solve
//!
//! [`solve`] returns checked answers and what is proven:
//!
//! ```
//! use asp_solve::{Job, LogicPuzzle, Uniqueness, solve};
//!
//! let board = ". . 4 .\n. . . 1\n4 . 2 .\n. . . .";
//! let solved = solve(LogicPuzzle::named("sudoku")?, Job::of(board).unique())?;
//! assert_eq!(solved.unique(), Uniqueness::One);
//! assert!(solved.answers()[0].atoms().contains(&"number(1,4,2)".to_owned()));
//! println!("{}", solved.text());
//! # Ok::<(), asp_solve::Failure>(())
//! ```
//!
//! Pencil puzzles are selected by name with [`LogicPuzzle::named`]. The other puzzles have types and
//! answers of their own:
//!
//! ```
//! use asp_solve::{Minesweeper, solve};
//!
//! let solved = solve(Minesweeper, "mines 2\n1??\n???")?;
//! let neighbor = solved.board().cell(1, 2).expect("row 1, column 2 is on the board");
//! assert_eq!(solved.answers()[0].probabilities[neighbor], Some(1.0 / 3.0));
//! # Ok::<(), asp_solve::Failure>(())
//! ```
//!
//! | puzzle | answer | proof |
//! |---|---|---|
//! | [`LogicPuzzle`] | a solution of a pencil puzzle, or an answer of any logic program | the number of solutions |
//! | [`Minesweeper`] | the probability of each closed cell, certain cells with reasons, the best click | all layouts were counted |
//! | [`Taquin`] | a shortest solution | its length, or the parity that forbids one |
//! | [`Amphipod`] | a cheapest plan | its energy |
//! | [`Rail`] | a trip and the configurations that lead to it | the number of configurations of each outcome |
//! | [`Game`] | a shortest sequence of operations | its length |
//!
//! # Check an answer
//!
//! [`check`] replays an answer from any source by the puzzle's rules:
//!
//! ```
//! use asp_solve::{Code, Taquin, check, solve};
//!
//! let solved = solve(Taquin, "1 2 3\n4 5 6\n. 7 8")?;
//! let plan = &solved.answers()[0];
//! check(Taquin, "1 2 3\n4 5 6\n. 7 8", plan)?;
//! let failure = check(Taquin, "1 2 3\n4 5 6\n7 . 8", plan).unwrap_err();
//! assert_eq!(failure.code(), Some(Code::RejectedAnswer));
//! # Ok::<(), asp_solve::Failure>(())
//! ```
//!
//! # Count
//!
//! [`count()`] returns the exact number of solutions or answers, which may be far too many to enumerate:
//!
//! ```
//! use asp_solve::{LogicPuzzle, count};
//!
//! let counted = count(LogicPuzzle::program(), "{ a(1..62) }. 1 { b(1..3) } 1.")?;
//! assert_eq!(counted.exact().map(ToString::to_string).as_deref(), Some("13835058055282163712"));
//! # Ok::<(), asp_solve::Failure>(())
//! ```
//!
//! # Select answers
//!
//! [`Job::sample`] draws answers uniformly at random, and [`Job::diverse`] selects answers that differ
//! as much as possible; [`RunResult::selection`] returns what is known of the choice:
//!
//! ```
//! use asp_solve::{Job, LogicPuzzle, SelectionSummary, solve};
//!
//! let program = LogicPuzzle::program();
//! let drawn = solve(program.clone(), Job::of("{ a(1..62) }. 1 { b(1..3) } 1.").models(5).sample(1))?;
//! let Some(SelectionSummary::Sample(sample)) = drawn.selection() else { unreachable!() };
//! assert_eq!(sample.count.as_ref().map(ToString::to_string).as_deref(), Some("13835058055282163712"));
//! assert_eq!(drawn.answers().len(), 5);
//!
//! let selected = solve(program, Job::of("{ a(1..9) }.").models(2).diverse())?;
//! let Some(SelectionSummary::Diverse(diversity)) = selected.selection() else { unreachable!() };
//! assert_eq!((diversity.distance, diversity.at_most), (Some(9), Some(9)));
//! # Ok::<(), asp_solve::Failure>(())
//! ```
//!
//! # Hint
//!
//! [`hint`] returns the next step of a solution with its reason, and [`all_hints`] all steps:
//!
//! ```
//! use asp_solve::{LogicPuzzle, hint};
//!
//! let board = ". . 4 .\n. . . 1\n4 . 2 .\n. . . .";
//! let explanation = hint(LogicPuzzle::named("sudoku")?, board)?;
//! let step = &explanation.steps()[0];
//! assert_eq!(step.conclusions[0].to_string(), "number(1,4,2)");
//! assert_eq!(&*step.because[0].words, "box 2 would have no place left for 2");
//! # Ok::<(), asp_solve::Failure>(())
//! ```
//!
//! # Why
//!
//! [`why()`] finds a smallest cause why there is no solution, or why an atom holds. The verdict of an
//! [`Explanation`] is a field: [`Verdict::Solved`] says that a cause was found (or the step of a hint),
//! and [`Verdict::Impossible`] that there is none, for instance because the board has a solution.
//!
//! ```
//! use asp_solve::{LogicPuzzle, Verdict, why};
//!
//! let explanation = why(LogicPuzzle::named("sudoku")?, "1 1 . .\n. . . .\n. . . .\n. . . .", None)?;
//! let words: Vec<&str> = explanation.causes()[0].iter().map(|part| &*part.words).collect();
//! assert_eq!(words, ["row 1, column 1 shows 1", "row 1, column 2 shows 1"]);
//! assert_eq!(explanation.verdict, Verdict::Solved);
//! assert!(explanation.is_smallest());
//! # Ok::<(), asp_solve::Failure>(())
//! ```
//!
//! # Generate
//!
//! [`generate`] makes an instance; pencil puzzles have exactly one solution:
//!
//! ```
//! use asp_solve::{GenerateRequest, Job, LogicPuzzle, Uniqueness, generate, solve};
//!
//! let sudoku = LogicPuzzle::named("sudoku")?;
//! let board = generate(sudoku.clone(), GenerateRequest::with_seed(7).size(4, 4))?;
//! assert_eq!(solve(sudoku, Job::of(&board).unique())?.unique(), Uniqueness::One);
//! # Ok::<(), asp_solve::Failure>(())
//! ```
//!
//! # Run any logic program
//!
//! [`LogicPuzzle::program`] runs a logic program unchanged. All functions but `generate` accept it:
//!
//! ```
//! use asp_solve::{Job, LogicPuzzle, solve};
//!
//! let program = "1 { color(N, red; N, green) } 1 :- node(N). node(1..n).";
//! let job = Job::of(program).constant("n", 3).all_answers();
//! assert_eq!(solve(LogicPuzzle::program(), job)?.answers().len(), 8);
//! # Ok::<(), asp_solve::Failure>(())
//! ```
//!
//! # Iterate over answers
//!
//! [`solve_each`] passes on each answer as soon as it is found and checked, and stores none but the
//! first:
//!
//! ```
//! use std::ops::ControlFlow;
//!
//! use asp_solve::{Job, LogicPuzzle, solve_each};
//!
//! let mut number = 0;
//! let solved = solve_each(LogicPuzzle::program(), Job::of("{ a(1..20) }.").all_answers(), |_answer| {
//!     number += 1;
//!     if number == 1000 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
//! })?;
//! assert_eq!((number, solved.complete()), (1000, false));
//! # Ok::<(), asp_solve::Failure>(())
//! ```
//!
//! # Limits
//!
//! [`Job::time_limit()`] and [`Job::cancel_token`] end a run with the results so far. Its verdict is then
//! [`Verdict::GaveUp`] with the reason. A [`Canceller`](stop::Canceller) sets its token from any thread:
//!
//! ```
//! use std::thread;
//! use std::time::Duration;
//!
//! use asp_solve::stop::{Canceller, StopReason};
//! use asp_solve::{Job, LogicPuzzle, Verdict, solve};
//!
//! // No two of 12 pigeons share one of 11 holes, which is impossible, but hard to prove.
//! let pigeons = "1 { in(P,1..11) } 1 :- P = 1..12. :- in(P,H), in(Q,H), P < Q.";
//! let job = Job::of(pigeons).time_limit(Duration::from_millis(200));
//! assert_eq!(solve(LogicPuzzle::program(), job)?.verdict(), Verdict::GaveUp(StopReason::TimeLimit));
//!
//! let canceller = Canceller::new();
//! let job = Job::of(pigeons).time_limit(Duration::from_secs(60)).cancel_token(canceller.token());
//! let run = thread::spawn(|| solve(LogicPuzzle::program(), job).map(|solved| solved.verdict()));
//! thread::sleep(Duration::from_millis(200));
//! canceller.request(StopReason::Interrupted);
//! let verdict = run.join().expect("the thread does not panic")?;
//! assert_eq!(verdict, Verdict::GaveUp(StopReason::Interrupted));
//! # Ok::<(), asp_solve::Failure>(())
//! ```
//!
//! [`Job::limits`] bounds the memory, the nodes and the depth of the native engines ([`Limits`]); without
//! it, an engine that stores states takes what it needs. clingo's memory has no limit here, and clingo
//! cannot be interrupted while it grounds a program. To enforce limits there too, run the command as a
//! child process, with `--memory-limit`.
//!
//! # Errors
//!
//! All functions return a [`Failure`] for input that is wrong: a list of [`Diagnostic`]s
//! (`failure.0`), whose last error ended the work. [`Failure::code`] returns the [`Code`] of this error,
//! and `Display` prints a line for each message. No solution is no error, but [`Verdict::Impossible`]; a
//! limit that was reached is [`Verdict::GaveUp`]. Only [`generate`] fails without an instance.
//!
//! ```
//! use asp_solve::{Code, LogicPuzzle, Verdict, solve};
//!
//! let failure = solve(LogicPuzzle::program(), "a :- b").err().expect("the period is missing");
//! assert_eq!(failure.code(), Some(Code::MissingPeriod));
//! assert_eq!(failure.0[0].labels[0].start.line, 1);
//! assert!(failure.to_string().starts_with("instance:1:6: error: "));
//!
//! assert_eq!(solve(LogicPuzzle::program(), "a. :- a.")?.verdict(), Verdict::Impossible);
//! # Ok::<(), asp_solve::Failure>(())
//! ```
//!
//! # Depend on this crate
//!
//! A crate that depends on this one needs one more line in its `Cargo.toml`, because cargo applies
//! only the patches of the outermost package. With a clone of this repository beside the crate:
//!
//! ```toml
//! [dependencies]
//! asp-solve = { path = "../asp-solve" }
//!
//! [patch.crates-io]
//! cmake = { path = "../asp-solve/build/cmake" }
//! ```
//!
//! Without the patch the build needs the program cmake and links clingo 5.6.2, which has known
//! defects; [`clingo_version`] returns the version. `examples/library` is such a crate.

#![forbid(unsafe_code)]
// Without the studio, some functions have no caller.
#![cfg_attr(not(feature = "studio"), allow(dead_code))]

pub mod builtin;
mod cli;
mod facade;

pub use asp::clingo_version;
pub use base::diagnostic::{Code, Diagnostic, Failure, Place, Position, Severity};
pub use base::ending::{SearchEnd, Uniqueness, Verdict};
pub use base::stop;
pub use cli::untyped;
#[doc(hidden)]
pub use cli::{leave, run, set_program};
pub use explain as why;
pub use explain::{AtomConclusion, Explanation, Part, PartKind, Step, Technique};
pub use facade::{
    Difficulty, GenerateRequest, all_hints, check, count, count_without, generate, generator, hint, solve, solve_each,
    why,
};
pub use games::game::Game;
pub use minesweeper::Minesweeper;
pub use paths::amphipod::{Amphipod, AmphipodOptions};
pub use paths::taquin::{Goal, Options as TaquinOptions, Size as TableSize, Taquin};
pub use pencil::LogicPuzzle;
pub use picture::graph::layout::Layout;
pub use picture::graph::power::Kind as PowerKind;
pub use play;
pub use prover::Certification;
pub use puzzle;
pub use puzzle::counting::AnswerCount;
pub use puzzle::job::{Job, Limits, Rules, Show};
pub use puzzle::{DiversitySummary, RunResult, SampleSummary, Selection, SelectionSummary};
pub use rail::{OutcomeFilter, Rail, RailOptions};
pub use statespace::search;
