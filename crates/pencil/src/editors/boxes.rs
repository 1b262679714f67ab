//! The standard boxes of a Sudoku.

use super::super::board::{Clue, ClueGrid, GridBoard};

/// Returns the standard boxes of a Sudoku: the number of the box of each cell, from 0.
pub fn standard_boxes(side: usize) -> ClueGrid {
    let height = (1..=side.isqrt()).rev().find(|height| side.is_multiple_of(*height)).unwrap_or(1);
    let area = |(row, column): (usize, usize)| (row - 1) / height * height + (column - 1) / (side / height);
    GridBoard::of_size(side, side).cells().map(|cell| (cell, Clue::Number(area(cell) as i32))).collect()
}
