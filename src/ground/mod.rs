//! Ground programs, the definition of their answer sets, and what propagation needs.
//!
//! Nothing here depends on clingo: an observer of grounding or a certificate supplies the program.
//!
//! | file | contents |
//! |---|---|
//! | `literal.rs` | literals, and tables by literal |
//! | `program.rs` | ground programs: rules, costs, externals, edges |
//! | `components.rs` | cycles of the positive dependency graph, and of edges |
//! | `checker.rs` | the check that an interpretation is an answer set |
//! | `completion.rs` | Clark's completion, as clauses |
//! | `propagator.rs` | propagation of clauses, sums and unfounded sets |
//! | `assumptions.rs` | propagation of assumptions, and their part in each conflict |
//! | `unfounded.rs` | detection of unfounded sets with source pointers |

mod assumptions;
mod checker;
mod completion;
mod components;
mod literal;
mod program;
mod propagator;
mod unfounded;

pub use assumptions::Assumptions;
pub use checker::{AnswerCheck, Flaw, check_answer, is_answer_set};
pub use completion::{Completion, ShownTerms};
pub use literal::{Literal, holds_in};
pub use program::{GroundProgram, GroundRule, Support, Truth};
pub use propagator::{Conflict, Propagator, Reason};
pub use unfounded::UnfoundedSet;
