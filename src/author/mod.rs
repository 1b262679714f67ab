//! What an encoding's author has beside a solver: tests, and what they tell.
//!
//! All of it looks at programs as values, statement by statement, and asks clingo about programs that it has rewritten; what
//! is read, printed and written is the command's affair.
//!
//! | file | what it holds |
//! |---|---|
//! | `tests/` | a file's tests: where they stand, which program each is about, and whether it passes |

pub mod tests;
