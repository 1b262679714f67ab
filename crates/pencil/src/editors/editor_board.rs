//! A drawing of an editor, before the header of a puzzle gives it a meaning.

use std::collections::BTreeMap;

use serde_json::Value;

use super::super::board::{Cell, ClueGrid, numbered};
use super::boxes::standard_boxes;
use super::penpa::PenpaDrawing;

/// A drawing whose items have not been interpreted yet.
#[derive(Debug, Default)]
pub struct EditorBoard {
    /// Possible names of the puzzle.
    pub names: Vec<String>,
    pub(super) size: (usize, usize),
    pub(super) numbers: BTreeMap<Cell, String>,
    /// The area of each cell.
    pub(super) areas: ClueGrid,
    /// Further constraints of a Sudoku, as keys and values of f-puzzles.
    pub(super) constraints: Vec<(String, Value)>,
    /// A drawing of penpa-edit, which has everything that it draws.
    pub penpa: Option<PenpaDrawing>,
}

impl EditorBoard {
    pub(super) fn of_penpa(drawing: PenpaDrawing) -> Self {
        EditorBoard { names: drawing.names(), penpa: Some(drawing), ..EditorBoard::default() }
    }

    /// Sets the areas, unless they are the standard boxes.
    pub(super) fn with_areas(mut self, areas: ClueGrid) -> Self {
        self.areas = if numbered(&areas) == numbered(&standard_boxes(self.size.0)) { ClueGrid::new() } else { areas };
        self
    }
}
