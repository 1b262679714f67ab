//! Ground programs and the definition of their answer sets.
//!
//! Nothing here depends on clingo: an observer of grounding or a certificate supplies the program.
//!
//! | file | contents |
//! |---|---|
//! | `literal.rs` | literals, and tables by literal |
//! | `program.rs` | ground programs: rules, costs, externals, edges |
//! | `checker.rs` | the check that an interpretation is an answer set |
//! | `completion.rs` | Clark's completion, as clauses |
//! | `hash.rs` | fast hash tables |

#![forbid(unsafe_code)]

mod checker;
mod completion;
mod hash;
mod literal;
mod program;

pub use checker::{AnswerCheck, Flaw, check_answer, is_answer_set};
pub use completion::{Completion, ShownTerms, Sum};
pub use hash::{FastMap, FastSet};
pub use literal::{ByLiteral, Literal, holds_in};
pub use program::{GroundProgram, GroundRule, Optimisation, RulesByHead, Support, Truth};
