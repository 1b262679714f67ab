//! A drawing of an editor, before the header of a puzzle gives it a meaning.

use std::collections::BTreeMap;

use serde_json::Value;

use super::super::board::{Cell, Clue, ClueGrid, numbered};
use super::super::fields::Field;
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
    /// Lines of the board's header.
    pub(super) lines: Vec<(String, Vec<Clue>)>,
    /// The numbers that a player has entered: one, or several between which the player has not
    /// chosen yet.
    pub(super) entries: BTreeMap<Cell, Vec<usize>>,
    /// Parts of the drawing that are not read and do not change the rules, for a warning.
    pub ignored: Vec<String>,
    /// A drawing of penpa-edit, which has everything that it draws.
    pub penpa: Option<PenpaDrawing>,
}

/// What a player has entered in the cells of a Sudoku.
#[derive(Default)]
pub(super) struct Entries {
    numbers: BTreeMap<Cell, Vec<usize>>,
    pub has_corner_marks: bool,
}

impl Entries {
    /// Adds the number of a cell, or the numbers between which the player has not chosen yet.
    pub fn add(&mut self, place: Cell, number: Option<usize>, candidates: Vec<usize>) {
        let numbers = number.map_or(candidates, |number| vec![number]);
        if !numbers.is_empty() {
            self.numbers.insert(place, numbers);
        }
    }
}

/// Reads a list of small digits.
pub(super) fn pencil_marks(marks: Option<Field<'_>>, side: usize) -> Result<Vec<usize>, String> {
    let Some(marks) = marks else { return Ok(Vec::new()) };
    let mut numbers: Vec<usize> =
        marks.list()?.iter().map(|mark| mark.natural_up_to(side)).collect::<Result<_, _>>()?;
    numbers.sort_unstable();
    numbers.dedup();
    Ok(numbers)
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

    /// Adds what a player has entered.
    pub(super) fn with_entries(mut self, entries: Entries) -> Self {
        self.entries = entries.numbers;
        if entries.has_corner_marks {
            self.ignored.push("the small digits in the corners of cells are ignored".to_owned());
        }
        self
    }
}
