//! Tools for authors of encodings: unit tests, coverage, mutation testing, profiling, comparison.
//!
//! All of them parse programs into statements, rewrite some of these, and run clingo on the results
//! (crate `asp`). Failures name constraints by the explanations of the crate `explain`; claims about
//! all answer sets can be certified (`prover`, `certificate`). The commands, not these tools, read and
//! write files and print reports.
//!
//! ```
//! use asp::{Program, Settings};
//! use author::tests::Suite;
//! use base::document::Document;
//! use base::stop::CancelToken;
//!
//! let text = "{ a; b } = 1. #program test_one_of_both(base). cannot(a, b) :- a, b.";
//! let suite = Suite::of(&Program::of([Document::in_memory("choice.lp", text)]))?;
//! assert!(suite.run(0, &Settings::default(), &CancelToken::new())?.passed());
//! # Ok::<(), base::diagnostic::Failure>(())
//! ```
//!
//! | module | contents |
//! |---|---|
//! | [`tests`] | the tests of a file: places, tested programs, and results |
//! | [`coverage`] | the rules and constraints that tests cover |
//! | [`mutants`] | mutants of a program that survive its tests |
//! | [`mod@profile`] | grounding and solving times by statement |
//! | [`mod@compare`] | equivalence and running times of two encodings |

#![forbid(unsafe_code)]

pub mod compare;
pub mod coverage;
pub mod mutants;
pub mod profile;
mod rejected;
pub mod tests;
