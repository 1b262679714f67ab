//! Search in ground programs: propagation with unfounded sets, answer sets, and proofs.
//!
//! Nothing here is trusted: the crate's own checkers verify each answer and each proof.
//!
//! | file | contents |
//! |---|---|
//! | `propagator.rs` | propagation of clauses, sums and unfounded sets |
//! | `unfounded.rs` | detection of unfounded sets with source pointers |
//! | `assumptions.rs` | propagation of assumptions, and their part in each conflict |
//! | `components.rs` | cycles of the positive dependency graph, and of edges |
//! | `refute.rs` | a CDCL solver that writes the steps of its proof |
//! | `answers.rs` | enumeration and optimisation with this solver |
//! | `certify.rs` | search and check for one claim |
//! | `certification.rs` | its result, for output |
//! | `veripb.rs` | proofs for VeriPB |

#![forbid(unsafe_code)]

mod answers;
mod assumptions;
mod certification;
mod certify;
mod components;
mod propagator;
mod refute;
mod unfounded;
mod veripb;

pub use answers::{EnumerationEnd, EnumerationMode, enumerate_answers};
pub use assumptions::Assumptions;
pub use certification::Certification;
pub use certify::{CertifyMode, Contradiction, certify, projected_terms, shown_terms};
pub use propagator::{Conflict, Propagator, Reason};
pub use refute::{CdclOutcome, CdclSolver};
pub use unfounded::UnfoundedSet;
pub use veripb::{VeriPb, export};
