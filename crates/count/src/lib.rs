//! Counts the answer sets of ground programs without enumerating them.
//!
//! A [`Formula`] consists of the completion of a program, which the crate `ground` makes for
//! certificates, and of clauses that exclude circular support. [`count`] counts its models by
//! deciding variables one after the other. What remains after a decision often falls apart into
//! components without common variables, whose counts are multiplied. The count of each component is
//! cached (Sang, Bacchus, Beame, Kautz and Pitassi, "Combining component caching and clause learning
//! for effective model counting", 2004; Thurley, "sharpSAT", 2006).
//!
//! | file | contents |
//! |---|---|
//! | `program.rs` | the formula of a ground program |
//! | `loops.rs` | the clauses that exclude circular support |
//! | `formula.rs` | formulas: clauses, and the role of each variable |
//! | `simplify.rs` | simpler formulas with as many models |
//! | `counter.rs` | the search: decisions, components, bounds at a stop |
//! | `sample.rs` | models drawn at random |
//! | `estimate.rs` | estimates of counts that were stopped |
//! | `propagation.rs` | unit propagation |
//! | `components.rs` | components of what a partial assignment leaves |
//! | `cache.rs` | the counts of components |
//! | `isomorphism.rs` | keys of components up to the numbers of their variables |
//! | `order.rs` | an order of decisions, from a tree decomposition |

#![forbid(unsafe_code)]

mod cache;
mod components;
mod counter;
mod estimate;
mod formula;
mod isomorphism;
mod loops;
mod order;
mod program;
mod propagation;
mod sample;
mod simplify;

pub use counter::{Count, CountLimits, CountStats, count};
pub use estimate::Estimate;
pub use formula::{Formula, Role};
pub use program::{CountMode, Projection, formula_of};
pub use sample::{Sampling, sample};
