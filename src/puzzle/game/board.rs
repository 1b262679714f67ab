//! A parsed game.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::expression::Expression;
use super::replay::PostfixMove;

/// A parsed game: all numbers are positive, and every move is an expression in n.
#[derive(Clone, PartialEq, Eq)]
pub struct Board {
    pub start: u64,
    pub moves: Arc<[Expression]>,
    /// The same moves, parsed independently for the replay.
    pub postfix_moves: Arc<[PostfixMove]>,
    /// In ascending order.
    pub goals: Arc<[u64]>,
}

/// Boards of one game differ only in `start`.
impl Hash for Board {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.start.hash(state);
    }
}
