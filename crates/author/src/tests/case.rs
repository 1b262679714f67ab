//! Tests as values: their statements, inputs and expectations.

use std::ops::Range;

use asp::{Statement, Symbol};
use base::diagnostic::Place;
use base::document::Document;

use super::annotation::Text;

/// The prefix of test parts.
pub const PREFIX: &str = "test_";
/// The predicate that must not hold in any answer set.
pub const CANNOT: &str = "cannot";
/// The predicate of asserted conditions.
pub const ASSERT: &str = "assert";

#[derive(Debug, Clone)]
pub struct Test {
    pub name: String,
    /// The place of the test's `#program` statement or comment.
    pub place: Place,
    /// By statement: true if the test's program contains it.
    pub(super) has: Vec<bool>,
    /// By statement: true if it belongs to the test's part and must be evaluated after all steps of
    /// an incremental program.
    pub(super) in_final_part: Vec<bool>,
    /// The byte range of the test's comment in the tested file, and the input facts in it.
    pub(super) input: Option<(Range<usize>, Vec<Text>)>,
    /// The rules that the expectations need.
    pub(super) additions: Vec<Document>,
    pub(super) expectations: Vec<Expectation>,
}

/// A condition, and in how many answer sets it must hold.
#[derive(Debug, Clone)]
pub struct Expectation {
    pub(super) quantifier: Quantifier,
    pub(super) condition: Condition,
    pub(super) place: Place,
    pub(super) text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantifier {
    All,
    AtLeast(u64),
    AtMost(u64),
    Exactly(u64),
}

#[derive(Debug, Clone)]
pub enum Condition {
    True,
    /// No rule derives `misses(K)`, where K is the index of the expectation.
    Met,
    /// The atom of the program holds.
    Atom(Symbol),
    /// The best answer set has this cost at this level.
    Cost {
        cost: i64,
        level: i32,
    },
}

/// Returns true if the statement derives `cannot`.
pub fn is_cannot(statement: &Statement) -> bool {
    derives(statement, CANNOT)
}

/// Returns true if the statement belongs to a test part and derives `assert`.
pub fn is_assert(statement: &Statement) -> bool {
    statement.part.name.starts_with(PREFIX) && derives(statement, ASSERT)
}

fn derives(statement: &Statement, name: &str) -> bool {
    statement.head.signature().is_some_and(|signature| signature.is_positive && signature.name == name)
}
