//! Search in ground programs: propagation with unfounded sets, answer sets, and proofs.
//!
//! The solver learns clauses from conflicts (CDCL) over the completion of a program, and adds the
//! nogoods of unfounded sets when they are needed. It finds answer sets ([`enumerate_answers`]),
//! writes proofs that there are no others ([`certify`]), and derives what follows from assumptions
//! ([`Assumptions`]). It shares no code with clasp: its purpose is a second opinion and a proof.
//!
//! Nothing here is trusted. Each answer passes the check of the crate `ground`, and each proof that
//! of the crate `certificate`, before it is reported.
//!
//! | file | contents |
//! |---|---|
//! | `propagator.rs` | propagation of clauses, sums and unfounded sets |
//! | `unfounded.rs` | detection of unfounded sets with source pointers |
//! | `assumptions.rs` | propagation of assumptions, and their part in each conflict |
//! | `components.rs` | cycles of the positive dependency graph, and of edges |
//! | `refute.rs` | a CDCL solver that writes the steps of its proof |
//! | `answers.rs` | enumeration and optimisation with this solver |
//! | `cubes.rs` | the search of a program, cut into cubes for many machines |
//! | `rejection.rs` | the answers of one program that another rejects, as the answers of a program |
//! | `certify.rs` | search and check for one claim |
//! | `session.rs` | search and proofs for cubes of one program, one after the other |
//! | `certification.rs` | its result, for output |
//! | `veripb.rs` | proofs for VeriPB |
//!
//! `examples/certify.rs` finds the answer sets of a program and prints their certificate.

#![forbid(unsafe_code)]

mod answers;
mod assumptions;
mod certification;
mod certify;
mod components;
mod cubes;
mod propagator;
mod refute;
mod rejection;
mod session;
mod unfounded;
mod veripb;

pub use answers::{EnumerationEnd, EnumerationMode, enumerate_answers};
pub use assumptions::Assumptions;
pub use certification::Certification;
pub use certify::{CertifyMode, Contradiction, certify, certify_completed, projected_terms, shown_terms};
pub use components::{cyclic_components, positive_components};
pub use cubes::split_cubes;
pub use propagator::{Conflict, Propagator, Reason};
pub use refute::{CdclOutcome, CdclSolver};
pub use rejection::{RejectionProgram, TRUE, without_externals};
pub use session::{ProofSession, SearchedCube};
pub use unfounded::UnfoundedSet;
pub use veripb::{VeriPb, export};
