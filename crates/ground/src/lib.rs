//! Ground programs and the definition of their answer sets.
//!
//! A [`GroundProgram`] is a value, as a grounder passes it to a solver: atoms are numbers, and there
//! are no variables. [`is_answer_set`] checks an interpretation against the definition, in linear
//! time for most programs and without a solver. [`Completion`] translates a program into clauses
//! that every answer set satisfies; the proofs of the crate `certificate` refute them.
//!
//! This crate is part of the base that certificates trust, so it has no dependencies and no unsafe
//! code. Nothing here depends on clingo: an observer of grounding or a certificate supplies the
//! program.
//!
//! | file | contents |
//! |---|---|
//! | `literal.rs` | literals, and tables by literal |
//! | `program.rs` | ground programs: rules, costs, externals, edges |
//! | `checker.rs` | the check that an interpretation is an answer set |
//! | `completion.rs` | Clark's completion, as clauses |
//! | `hash.rs` | fast hash tables |
//!
//! `README.md` has an example, and `examples/answer_sets.rs` enumerates answer sets by trying all
//! interpretations.

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

/// The example of the page.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
