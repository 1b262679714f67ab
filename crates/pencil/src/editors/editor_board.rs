//! A drawing of an editor, before the header of a puzzle gives it a meaning.

use std::collections::BTreeMap;

use serde_json::Value;

use super::super::board::{Clue, ClueGrid, GridBoard, numbered};

/// A drawing whose items have not been interpreted yet.
#[derive(Debug, Default)]
pub struct EditorBoard {
    /// Possible names of the puzzle.
    pub names: Vec<String>,
    pub(super) size: (usize, usize),
    /// Items by row and column, counted from 1. Places outside the board are at its sides.
    pub(super) items: BTreeMap<(i64, i64), Vec<Item>>,
    /// Pairs of adjacent cells with a border between them.
    pub(super) borders: Vec<((i64, i64), (i64, i64))>,
    /// The area of each cell.
    pub(super) areas: ClueGrid,
    /// Further constraints of a Sudoku, as keys and values of f-puzzles.
    pub(super) constraints: Vec<(String, Value)>,
}

#[derive(Debug, Clone)]
pub(super) enum Item {
    /// A text, with true if it is in a circle or a square.
    Text(String, bool),
    /// Several numbers in one cell.
    Numbers(String),
    /// The number of a corner, and a text above or below a diagonal of the cell.
    Half(usize, String),
    Black,
    /// The name and the shape of a symbol.
    Symbol(String, i64),
}

impl EditorBoard {
    /// Sets the areas, unless they are the standard boxes.
    pub(super) fn with_areas(mut self, areas: ClueGrid) -> Self {
        self.areas = if numbered(&areas) == numbered(&standard_boxes(self.size.0)) { ClueGrid::new() } else { areas };
        self
    }

    pub(super) fn add_item(&mut self, place: (i64, i64), item: Item) {
        self.items.entry(place).or_default().push(item);
    }
}

/// Returns the standard boxes of a Sudoku: the number of the box of each cell, from 0.
pub fn standard_boxes(side: usize) -> ClueGrid {
    let height = (1..=side.isqrt()).rev().find(|height| side.is_multiple_of(*height)).unwrap_or(1);
    let area = |(row, column): (usize, usize)| (row - 1) / height * height + (column - 1) / (side / height);
    GridBoard::of_size(side, side).cells().map(|cell| (cell, Clue::Number(area(cell) as i32))).collect()
}
