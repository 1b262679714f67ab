//! The state of writing a board as the body of a link.

use super::super::board::{Cell, Clue, ClueGrid, GridBoard};

/// The body of a link so far, and what no step has written yet.
pub(super) struct BodyWriter<'a> {
    pub board: &'a GridBoard,
    /// The numbers of rows and columns in the link.
    pub size: Cell,
    pub text: String,
    /// The text of optional steps that is inserted only if a later step writes something.
    pub pending: String,
    /// The signs of cells that no step has written yet.
    pub unwritten: ClueGrid,
    /// The number of other clues that no step has written yet.
    pub num_clues: usize,
    /// The signs that a later step writes in place of a placeholder.
    pub replacements: ClueGrid,
}

impl<'a> BodyWriter<'a> {
    pub fn of(board: &'a GridBoard) -> Self {
        BodyWriter {
            board,
            size: (board.rows, board.columns),
            text: String::new(),
            pending: String::new(),
            unwritten: board.signs.clone(),
            num_clues: board.around.iter().chain(board.grids.values()).map(ClueGrid::len).sum(),
            replacements: ClueGrid::new(),
        }
    }

    /// Replaces the signs that a later step writes by its placeholder.
    pub fn use_placeholder(&mut self, mark: &Clue, can_write: impl Fn(&Clue) -> bool) {
        for (cell, sign) in self.unwritten.iter_mut().filter(|(_, sign)| *sign != mark && can_write(sign)) {
            self.replacements.insert(*cell, std::mem::replace(sign, mark.clone()));
        }
    }

    /// Returns the values of the first header line of this name.
    pub fn header_line(&self, name: &str) -> Option<&'a [Clue]> {
        self.board.header.iter().find(|(other, _)| other == name).map(|(_, values)| &values[..])
    }
}
