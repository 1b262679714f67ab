//! What there is to say of a board, and its check by the rules alone.

use num_bigint::BigUint;
use serde::Serialize;
use serde_json::{Value, json};

use super::board::Board;
use super::explain::{Reason, Stage};
use super::grid::{Cell, Position};

/// Everything that is known of the closed cells.
#[derive(Debug, Clone)]
pub struct Answer {
    /// By cell: the probability of a mine, where it is known.
    pub probabilities: Vec<Option<f64>>,
    /// Closed cells that are no mine, and closed cells that are one, in all layouts; ascending.
    pub safe: Vec<usize>,
    pub mines: Vec<usize>,
    /// Cells to open next.
    pub best: Vec<usize>,
    /// The chance to win from here, where the end of the game was searched through.
    pub chance: Option<f64>,
    pub found_by: Stage,
    /// Layouts that fit.
    pub configurations: Option<BigUint>,
    pub reasons: Vec<Reason>,
    /// An encoding of the person's own made other rules: numbers may mean anything.
    pub has_own_rules: bool,
}

impl Answer {
    /// Mines expected around a number, at the least and at the most.
    fn expected(&self, position: &Position, cells: impl Iterator<Item = usize>) -> (f64, f64) {
        let closed = cells.filter(|&cell| matches!(position.cells[cell], Cell::Closed | Cell::Mine));
        closed.fold((0.0, 0.0), |(low, high), cell| match self.probabilities[cell] {
            Some(probability) => (low + probability, high + probability),
            None => (low, high + 1.0),
        })
    }

    /// Expectations add up: around each number the probabilities must sum to it, and on the board to the total. What is
    /// said to be certain must have the probability 0 or 1, and each reason must hold by counting through its cells.
    pub fn check(&self, board: &Board) -> Result<(), String> {
        let position = &board.position;
        let grid = position.grid;
        for cell in grid.cells() {
            let is_closed = matches!(position.cells[cell], Cell::Closed | Cell::Mine);
            match self.probabilities[cell] {
                Some(_) if !is_closed => return Err(format!("{} is open, and has a probability", board.words(cell))),
                Some(probability) if !(0.0..=1.0).contains(&probability) => {
                    return Err(format!("{} has the probability {probability}", board.words(cell)));
                }
                _ => {}
            }
        }
        for (cells, certain) in [(&self.safe, 0.0), (&self.mines, 1.0)] {
            if let Some(&cell) = cells.iter().find(|&&cell| self.probabilities[cell] != Some(certain)) {
                return Err(format!("{} is said to be certain and is not", board.words(cell)));
            }
        }
        if self.has_own_rules {
            return Ok(());
        }
        let within = |wanted: usize, (low, high): (f64, f64), cells: usize| {
            let slack = 1e-12 * (cells as f64 + 8.0);
            low - slack <= wanted as f64 && wanted as f64 <= high + slack
        };
        for cell in grid.cells() {
            if let Cell::Open(number) = position.cells[cell] {
                let expected = self.expected(position, grid.around(cell).into_iter());
                if !within(number.into(), expected, 8) {
                    return Err(format!("around {} are {expected:?} mines instead of {number}", board.words(cell)));
                }
            }
        }
        if let Some(mines) = position.mines {
            let expected = self.expected(position, grid.cells());
            if !within(mines, expected, grid.area()) {
                return Err(format!("there are {expected:?} mines instead of {mines}"));
            }
        }
        self.check_reasons(board)
    }

    /// Replays the reasons one after the other: with the cells known until then, every way to lay mines around the numbers
    /// of a reason has to agree with what it says. Reasons about more cells than can be tried stay with the sums above.
    fn check_reasons(&self, board: &Board) -> Result<(), String> {
        const MOST_CELLS: usize = 12;
        let mut known = board.position.clone();
        for reason in &self.reasons {
            let grid = known.grid;
            let mut cells: Vec<usize> = reason.numbers.iter().flat_map(|&number| grid.around(number)).collect();
            cells.retain(|&cell| known.cells[cell] == Cell::Closed);
            cells.sort_unstable();
            cells.dedup();
            let subject = cells.iter().position(|&cell| cell == reason.cell);
            if !reason.needs_total && cells.len() <= MOST_CELLS {
                let fits = |layout: u32| {
                    reason.numbers.iter().all(|&number| {
                        let around = grid.around(number);
                        let marked = around.iter().filter(|&&near| known.cells[near] == Cell::Mine).count();
                        let laid = cells
                            .iter()
                            .enumerate()
                            .filter(|(bit, cell)| layout >> bit & 1 == 1 && around.contains(cell));
                        known.cells[number] == Cell::Open((marked + laid.count()) as u8)
                    })
                };
                let agrees = |layout: u32| subject.is_some_and(|bit| (layout >> bit & 1 == 1) == reason.is_mine);
                if let Some(layout) = (0..1 << cells.len()).find(|&layout| fits(layout) && !agrees(layout)) {
                    return Err(format!("the reason for {} allows the layout {layout:b}", board.words(reason.cell)));
                }
            }
            known.cells[reason.cell] = if reason.is_mine { Cell::Mine } else { Cell::Safe };
        }
        Ok(())
    }

    pub fn json(&self, board: &Board) -> impl Serialize {
        let grid = board.position.grid;
        let place = |&cell: &usize| json!(grid.place(cell));
        let places = |cells: &[usize]| cells.iter().map(place).collect::<Vec<Value>>();
        let row = |row: usize| {
            let cells = (0..grid.columns).map(|column| json!(self.probabilities[grid.cell(row, column)]));
            Value::Array(cells.collect())
        };
        let reason = |reason: &Reason| {
            json!({
                "cell": place(&reason.cell), "mine": reason.is_mine, "found_by": reason.stage,
                "why": words(board, reason), "numbers": places(&reason.numbers), "cells": places(&seen(board, reason)),
            })
        };
        let mut object = json!({
            "probabilities": (0..grid.rows).map(row).collect::<Vec<_>>(),
            "safe": places(&self.safe), "mines": places(&self.mines), "best": places(&self.best),
            "found_by": self.found_by,
        });
        if let Some(chance) = self.chance {
            object["chance"] = json!(chance);
        }
        if let Some(configurations) = &self.configurations {
            object["configurations"] = json!(configurations.to_string());
        }
        object["explain"] = self.reasons.iter().map(reason).collect();
        object
    }
}

/// The closed cells around the numbers of a reason.
fn seen(board: &Board, reason: &Reason) -> Vec<usize> {
    let position = &board.position;
    let mut cells: Vec<usize> = reason.numbers.iter().flat_map(|&number| position.grid.around(number)).collect();
    cells.retain(|&cell| matches!(position.cells[cell], Cell::Closed | Cell::Mine));
    cells.sort_unstable();
    cells.dedup();
    cells
}

/// "the 2 at row 3, column 4".
pub fn number_words(board: &Board, cell: usize) -> String {
    match board.position.cells[cell] {
        Cell::Open(number) => format!("the {number} at {}", board.words(cell)),
        _ => board.words(cell),
    }
}

/// "the 1 at row 1, column 2, the 2 at row 1, column 3 and the total of 10 mines".
pub fn list_words(board: &Board, numbers: &[usize], with_total: bool) -> String {
    let mut items: Vec<String> = numbers.iter().map(|&cell| number_words(board, cell)).collect();
    if with_total {
        items.push(match board.position.mines {
            Some(1) => "the total of 1 mine".to_owned(),
            Some(mines) => format!("the total of {mines} mines"),
            None => "the total".to_owned(),
        });
    }
    match items.pop() {
        None => "nothing".to_owned(),
        Some(last) if items.is_empty() => last,
        Some(last) => format!("{} and {last}", items.join(", ")),
    }
}

/// Why, in words.
pub fn words(board: &Board, reason: &Reason) -> String {
    let list = list_words(board, &reason.numbers, reason.needs_total);
    let number = reason.numbers.first().map(|&cell| board.position.cells[cell]);
    match (reason.stage, number) {
        (Stage::Obvious, Some(Cell::Open(0))) => format!("{list} has no mine around it"),
        (Stage::Obvious, Some(Cell::Open(number))) if reason.is_mine => match number {
            1 => format!("{list} has one closed cell left for its mine"),
            _ => format!("{list} needs a mine in every cell that is left to it"),
        },
        (Stage::Obvious, Some(Cell::Open(number))) => match number {
            1 => format!("{list} already has its mine"),
            2 => format!("{list} already has both its mines"),
            _ => format!("{list} already has all its {number} mines"),
        },
        _ => {
            let verb = if reason.numbers.len() + usize::from(reason.needs_total) == 1 { "has" } else { "have" };
            format!("{list} {verb} no layout {} a mine here", if reason.is_mine { "without" } else { "with" })
        }
    }
}
