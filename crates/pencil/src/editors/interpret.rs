//! The meaning of a drawing as a board of a puzzle.

use serde_json::Value;

use super::super::board::{Cell, Clue, GridBoard};
use super::super::fields::{Field, is_empty, not_supported};
use super::constraints::add_constraint;
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
        board.header.extend(self.lines.iter().cloned());
        self.add_constraints(&mut board, addresses)?;
        let mark = |(&(row, column), numbers): (&Cell, &Vec<usize>)| {
            (vec![row, column], number_literal((row, column), numbers))
        };
        board.player_marks = self.entries.iter().map(mark).collect();
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
                        add_constraint(board, &Field::new(&name, &Value::from(true)), words(&name)?)?;
                    }
                }
                None => add_constraint(board, &Field::new(name, value), words(name)?)?,
            }
        }
        Ok(())
    }
}

/// Returns a literal that holds if the cell has one of these numbers.
fn number_literal((row, column): Cell, numbers: &[usize]) -> String {
    let all = numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(";");
    match numbers {
        [_] => format!("number({row},{column},{all})"),
        _ => format!("1 {{ number({row},{column},({all})) }}"),
    }
}
