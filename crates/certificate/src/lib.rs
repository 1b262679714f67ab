//! Certificates: a proof in easily checked steps that a ground program has no answer sets other
//! than the listed ones.
//!
//! Everything here and in `ground` is trusted, and nothing else, to check a certificate:
//!
//! | file | contents | trusted |
//! |---|---|---|
//! | `verify.rs` | the proof checker | yes |
//! | `check.rs` | the check of a whole certificate: its answers, then its steps | yes |
//! | `claim.rs` | the claim, and its negation as clauses | yes |
//! | `ground/src/completion.rs` | the completion of a ground program, as clauses | yes |
//! | `ground/src/checker.rs` | the check that a listed answer is an answer set, and its costs | yes |
//! | `ground/src/program.rs`, `literal.rs` | ground programs: weights, bounds, costs | yes |
//! | `ground/src/hash.rs` | hash tables | yes |
//! | `text.rs` | certificates as text | if a certificate is read |
//! | `binding.rs` | the comparison with the ground program of files | if files are given |
//!
//! If files are given, the trusted base also includes clingo's parser and grounder, and the code
//! that reads a board and writes its facts. The search that writes the steps, `prover`, is not
//! trusted.

#![forbid(unsafe_code)]

mod binding;
mod check;
mod claim;
mod text;
mod verify;

pub use check::{Certificate, check_listed_answers, negated_claim};
pub use claim::{Claim, CostBound};
pub use text::{TITLE, read, write_head, write_steps};
pub use verify::{ProofStep, Verifier, verify};
