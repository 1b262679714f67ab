//! Certificates: a proof in easily checked steps that a ground program has no answer sets other
//! than the listed ones.
//!
//! | file | contents | trusted |
//! |---|---|---|
//! | `../ground/completion.rs` | the completion of a ground program, as clauses | yes |
//! | `claim.rs` | the claim, and its negation as clauses | yes |
//! | `verify.rs` | the proof checker | yes |
//! | `check.rs` | the check of a whole certificate: its answers, then its steps | yes |
//! | `../ground/checker.rs`, `components.rs` | the check that a listed answer is an answer set, and its costs | yes |
//! | `../ground/program.rs` | ground programs: weights, bounds, costs | yes |
//! | `text.rs` | certificates as text | if a certificate is read |
//! | `binding.rs` | the comparison with the ground program of files | if files are given |
//! | `veripb.rs` | proofs for VeriPB | no |
//! | `refute.rs` | the CDCL solver that writes the steps | no |
//! | `../ground/propagator.rs` | propagation for the solver | no |
//! | `../ground/unfounded.rs` | detection of unfounded sets with source pointers | no |
//! | `certify.rs` | search and check for one claim | no |
//! | `answers.rs` | enumeration and optimisation with the same solver | no |
//!
//! If files are given, the trusted base also includes clingo's parser and grounder, and the code
//! that reads a board and writes its facts.

mod answers;
mod binding;
mod certify;
mod check;
mod claim;
mod refute;
mod text;
mod verify;
mod veripb;

pub use answers::{EnumerationEnd, EnumerationMode, enumerate_answers};
pub use certify::{CertifyMode, Contradiction, certify, projected_terms, shown_terms};
pub use check::{Certificate, check_listed_answers, negated_claim};
pub use claim::{Claim, CostBound};
pub use refute::{CdclOutcome, CdclSolver};
pub use text::{TITLE, read, write_head, write_steps};
pub use verify::{ProofStep, verify};
pub use veripb::{VeriPb, export};
