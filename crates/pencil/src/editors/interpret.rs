//! The meaning of a drawing as a board of a puzzle.

use serde_json::Value;

use super::super::board::{Clue, GridBoard};
use super::super::fields::{Field, is_empty, not_supported};
use super::constraints::header_lines;
use super::editor_board::EditorBoard;

impl EditorBoard {
    /// Interprets the drawing as a board of a Sudoku. `addresses` are the `Address` lines of its
    /// variants.
    pub fn board(&self, addresses: &[&str]) -> Result<GridBoard, String> {
        let mut board = GridBoard::of_size(self.size.0, self.size.1);
        for (&cell, number) in &self.numbers {
            board.signs.extend(Clue::read(number)?.map(|clue| (cell, clue)));
        }
        if !self.areas.is_empty() {
            board.set_areas(&self.areas);
        }
        self.add_constraints(&mut board, addresses)?;
        Ok(board)
    }

    fn add_constraints(&self, board: &mut GridBoard, addresses: &[&str]) -> Result<(), String> {
        for (name, value) in self.constraints.iter().filter(|(_, value)| !is_empty(value)) {
            let words = |name: &str| {
                let mut known = addresses.iter().filter_map(|line| line.split_once(": "));
                let address = known.find(|(known, _)| *known == name).map(|(_, words)| words);
                address.ok_or_else(|| not_supported(name))
            };
            match value.as_array().and_then(|list| list.iter().map(Value::as_str).collect::<Option<Vec<_>>>()) {
                Some(values) => {
                    for value in values {
                        let name = format!("{name}={value}");
                        board.header.extend(header_lines(&Field::new(&name, &Value::from(true)), words(&name)?)?);
                    }
                }
                None => board.header.extend(header_lines(&Field::new(name, value), words(name)?)?),
            }
        }
        Ok(())
    }
}
