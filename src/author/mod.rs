//! Tools for encoding authors: unit tests, coverage, mutation testing, profiling, comparison.
//!
//! All of them treat programs as values, statement by statement, and run clingo on rewritten
//! programs. Reading, printing and writing files is left to the commands.
//!
//! | file | contents |
//! |---|---|
//! | `mutants.rs` | mutants of a program that survive its tests |
//! | `tests/` | the tests of a file: places, tested programs, and results |
//! | `coverage.rs` | rules and constraints that tests cover |
//! | `profile/` | grounding and solving times by statement |
//! | `compare.rs` | equivalence and running times of two encodings |

pub mod compare;
pub mod coverage;
pub mod mutants;
pub mod profile;
pub mod tests;
