//! Tools for authors of encodings: unit tests, coverage, mutation testing, profiling, comparison.
//!
//! All of them rewrite programs statement by statement and run clingo on the results. The commands,
//! not these tools, read and write files and print reports.
//!
//! | file | contents |
//! |---|---|
//! | `mutants.rs` | mutants of a program that survive its tests |
//! | `tests/` | the tests of a file: places, tested programs, and results |
//! | `coverage.rs` | the rules and constraints that tests cover |
//! | `profile/` | grounding and solving times by statement |
//! | `compare.rs` | equivalence and running times of two encodings |

#![forbid(unsafe_code)]

pub mod compare;
pub mod coverage;
pub mod mutants;
pub mod profile;
pub mod tests;
