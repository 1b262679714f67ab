//! The marks of a player, or of a solution, that are written to a file.

use std::collections::BTreeSet;

use super::super::board::GridBoard;
use super::template::{Bindings, PairSide, Template};

/// The source of marks that are written.
pub enum FileMarks<'a> {
    /// The marks of the player on the board.
    Player,
    /// The atoms of a solution.
    Solution(&'a BTreeSet<String>),
}

impl FileMarks<'_> {
    /// Returns the values of variables for which the literal is a mark at this place.
    pub(super) fn bind(&self, board: &GridBoard, literal: &Template, place: &[usize]) -> Option<Bindings> {
        match self {
            FileMarks::Player => literal.bind(board.player_marks.get(place)?, PairSide::Sign, place),
            FileMarks::Solution(atoms) => {
                let prefix = literal.prefix(place);
                let matching = atoms.range(prefix.clone()..).take_while(|atom| atom.starts_with(&prefix));
                matching.into_iter().find_map(|atom| literal.bind(atom, PairSide::Sign, place))
            }
        }
    }
}
