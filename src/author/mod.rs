//! What an encoding's author has beside a solver: tests and what they tell, where the time goes, and whether two encodings are
//! the same.
//!
//! All of it looks at programs as values, statement by statement, and asks clingo about programs that it has rewritten; what
//! is read, printed and written is the command's affair.
//!
//! | file | what it holds |
//! |---|---|
//! | `mutants.rs` | which changes of a program no test notices |
//! | `tests/` | a file's tests: where they stand, which program each is about, and whether it passes |
//! | `coverage.rs` | which rules and constraints tests make use of |
//! | `profile/` | where grounding and solving go, statement by statement |
//! | `compare.rs` | whether two encodings say the same, and how long each takes |

pub mod compare;
pub mod coverage;
pub mod mutants;
pub mod profile;
pub mod tests;
