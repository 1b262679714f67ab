//! What there is to say of a board, and its check by the rules alone.

use num_bigint::BigUint;
use serde::Serialize;
use serde_json::{Value, json};

use super::backtracking::{Finding, Nodes, Total, find};
use super::board::Board;
use super::conflict::Conflict;
use super::explain::{Reason, Stage};
use super::grid::{Cell, Position};
use super::probability::Likelihood;
use super::vouch;

/// Everything that is known of the closed cells.
#[derive(Debug, Clone)]
pub struct Answer {
    /// By cell: the probability of a mine, where it is known.
    pub probabilities: Vec<Option<f64>>,
    /// Closed cells that are no mine, and closed cells that are one, in all layouts; ascending.
    pub safe: Vec<usize>,
    pub mines: Vec<usize>,
    /// Cells to open next; ascending.
    pub best: Vec<usize>,
    /// The chance to win from here, where the end of the game was searched through.
    pub chance: Option<f64>,
    pub found_by: Stage,
    /// Layouts that fit.
    pub configurations: Option<BigUint>,
    pub reasons: Vec<Reason>,
    /// Those of `safe` and `mines` for which clingo alone stands.
    pub by_clingo: Vec<usize>,
}

impl Answer {
    /// Nothing is known.
    pub fn unknown(position: &Position) -> Self {
        Answer {
            probabilities: vec![None; position.grid.extent()],
            safe: Vec::new(),
            mines: Vec::new(),
            best: Vec::new(),
            chance: None,
            found_by: Stage::Guess,
            configurations: None,
            reasons: Vec::new(),
            by_clingo: Vec::new(),
        }
    }

    /// All probabilities are known.
    pub fn of(position: &Position, likelihood: &Likelihood) -> Self {
        let configurations = Some(likelihood.configurations.clone());
        let mut answer = Answer { configurations, ..Answer::unknown(position) };
        for cell in position.cells_that(Cell::is_covered) {
            match likelihood.of[cell] {
                certain @ (0.0 | 1.0) => answer.prove(cell, certain == 1.0),
                probability => answer.probabilities[cell] = Some(probability),
            }
        }
        answer
    }

    /// The safe cells and the mines without a flag, ascending; `true` for a mine.
    pub fn decided(&self, position: &Position) -> Vec<(usize, bool)> {
        let safe = self.safe.iter().map(|&cell| (cell, false));
        let mut decided: Vec<(usize, bool)> = safe.chain(self.mines.iter().map(|&cell| (cell, true))).collect();
        decided.retain(|&(cell, _)| position.cells[cell] == Cell::Closed);
        decided.sort_unstable();
        decided
    }

    /// Takes a cell that is a mine, or is safe, in all layouts.
    pub fn prove(&mut self, cell: usize, is_mine: bool) {
        self.probabilities[cell] = Some(if is_mine { 1.0 } else { 0.0 });
        if is_mine { &mut self.mines } else { &mut self.safe }.push(cell);
    }

    /// The cells to open next: all that are safe, or else the one of least risk. The easiest reason tells who found them.
    pub fn choose(&mut self) {
        if self.safe.is_empty() {
            self.best = self.safest().into_iter().collect();
        } else {
            self.best = self.safe.clone();
            let stages = self.reasons.iter().filter(|reason| !reason.is_mine).map(|reason| reason.stage);
            self.found_by = stages.min().unwrap_or(Stage::Csp);
        }
    }

    /// The cell that is least likely a mine, if any can be safe.
    pub fn safest(&self) -> Option<usize> {
        let risk = |&cell: &usize| self.probabilities[cell].unwrap_or(1.0);
        let known = (0..self.probabilities.len()).filter(|&cell| risk(&cell) < 1.0);
        known.min_by(|a, b| risk(a).total_cmp(&risk(b)))
    }

    /// Whether the mines expected in some cells, at the least and at the most, have so many between them. Each probability
    /// is the floating point number next to the exact one, and the sum is rounded as little, so that no more is forgiven than
    /// the last place of the sum.
    fn expects(&self, position: &Position, wanted: usize, cells: impl Iterator<Item = usize>) -> Result<(), String> {
        let closed = cells.filter(|&cell| position.cells[cell].is_covered());
        let (mut known, mut unknown) = (Sum::default(), 0.0);
        closed.for_each(|cell| match self.probabilities[cell] {
            Some(probability) => known.add(probability),
            None => unknown += 1.0,
        });
        let (low, high) = (known.rounded(), known.rounded() + unknown);
        let slack = 2.0 * f64::EPSILON * high;
        if low - slack <= wanted as f64 && wanted as f64 <= high + slack {
            return Ok(());
        }
        Err(if unknown == 0.0 {
            format!("{low} mines instead of {wanted}")
        } else {
            format!("{low} to {high} mines instead of {wanted}")
        })
    }

    /// Expectations add up: around each number the probabilities must sum to it, and on the board to the total. What is
    /// said to be certain must have the probability 0 or 1, and each reason must leave no layout for the contrary.
    pub fn check(&self, board: &Board) -> Result<(), String> {
        let position = &board.position;
        let grid = position.grid;
        for cell in grid.cells() {
            match self.probabilities[cell] {
                Some(_) if !position.cells[cell].is_covered() => {
                    return Err(format!("{} is open, and has a probability", board.words(cell)));
                }
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
        // Under rules of a person's own numbers may mean anything.
        if !board.is_plain {
            return Ok(());
        }
        for cell in position.numbers() {
            let Cell::Open(number) = position.cells[cell] else { continue };
            let expected = self.expects(position, number.into(), position.around(cell).into_iter());
            expected.map_err(|error| format!("around {} are {error}", board.words(cell)))?;
        }
        if let Some(mines) = position.mines {
            self.expects(position, mines, grid.cells()).map_err(|error| format!("there are {error}"))?;
        }
        self.check_reasons(board)
    }

    /// Replays the reasons one after the other: with the cells known until then, the numbers of a reason have no layout with
    /// the contrary of what it says. Reasons that take too long to look through stay with the sums above.
    fn check_reasons(&self, board: &Board) -> Result<(), String> {
        const NODES: u64 = 20_000;
        let mut known = board.position.clone();
        let mut total = vouch::total(&known);
        for reason in &self.reasons {
            let total_needed = total.filter(|_| reason.because.needs_total);
            let claim = vouch::claim(&known, &reason.because.clues, &[(reason.cell, !reason.is_mine)], total_needed);
            if let Finding::Layout(layout) = find(&claim, &mut Nodes::few(NODES)) {
                let mines: Vec<String> = layout.iter().map(|&cell| board.words(cell)).collect();
                let mines = if mines.is_empty() { "without a mine".to_owned() } else { mines.join("; ") };
                return Err(format!("the reason for {} allows the layout {mines}", board.words(reason.cell)));
            }
            known.cells[reason.cell] = if reason.is_mine { Cell::Mine } else { Cell::Safe };
            total = total
                .map(|Total { closed, mines }| Total { closed: closed - 1, mines: mines - i64::from(reason.is_mine) });
        }
        Ok(())
    }

    pub fn json(&self, board: &Board) -> impl Serialize {
        let grid = board.position.grid;
        let places = |cells: &[usize]| json!(grid.places(cells));
        let matrix = |of: &[Option<f64>]| -> Vec<Vec<Value>> {
            let row = |row: usize| (0..grid.columns).map(|column| json!(of[grid.cell(row, column)])).collect();
            (0..grid.rows).map(row).collect()
        };
        let reason = |reason: &Reason| {
            json!({
                "cell": grid.place(reason.cell), "mine": reason.is_mine, "found_by": reason.stage,
                "why": words(board, reason), "numbers": places(&reason.because.clues),
                "cells": places(&board.position.seen(&reason.because.clues)),
            })
        };
        let mut object = json!({
            "probabilities": matrix(&self.probabilities),
            "safe": places(&self.safe), "mines": places(&self.mines), "best": places(&self.best),
            "found_by": self.found_by,
        });
        if let Some(chance) = self.chance {
            object["chance"] = json!(chance);
        }
        if let Some(configurations) = &self.configurations {
            object["configurations"] = json!(configurations.to_string());
        }
        if !self.by_clingo.is_empty() {
            object["by_clingo"] = places(&self.by_clingo);
        }
        object["explain"] = self.reasons.iter().map(reason).collect();
        object
    }
}

/// A sum of floating point numbers with what was rounded off on the way (Neumaier's variant of Kahan's summation), so that it
/// is as exact as if it were rounded once.
#[derive(Default)]
struct Sum {
    sum: f64,
    rest: f64,
}

impl Sum {
    fn add(&mut self, number: f64) {
        let sum = self.sum + number;
        let (large, small) = if self.sum >= number { (self.sum, number) } else { (number, self.sum) };
        self.rest += large - sum + small;
        self.sum = sum;
    }

    fn rounded(&self) -> f64 {
        self.sum + self.rest
    }
}

/// "the 2 at row 3, column 4", "the flag at row 1, column 2".
pub fn clue_words(board: &Board, cell: usize) -> String {
    match board.position.cells[cell] {
        Cell::Open(number) => format!("the {number} at {}", board.words(cell)),
        _ => format!("the flag at {}", board.words(cell)),
    }
}

/// "the 1 at row 1, column 2, the 2 at row 1, column 3 and the total of 10 mines".
pub fn list_words(board: &Board, conflict: &Conflict) -> String {
    let clues = conflict.clues.iter().map(|&cell| clue_words(board, cell));
    let mut items: Vec<String> = clues.chain(conflict.needs_total.then(|| total_words(board))).collect();
    match items.pop() {
        None => "nothing".to_owned(),
        Some(last) if items.is_empty() => last,
        Some(last) => format!("{} and {last}", items.join(", ")),
    }
}

pub fn total_words(board: &Board) -> String {
    match board.position.mines {
        Some(1) => "the total of 1 mine".to_owned(),
        Some(mines) => format!("the total of {mines} mines"),
        None => "the total".to_owned(),
    }
}

/// Why, in words.
pub fn words(board: &Board, reason: &Reason) -> String {
    let list = list_words(board, &reason.because);
    let number = reason.because.clues.first().map(|&cell| board.position.cells[cell]);
    match (reason.stage, number) {
        (Stage::Obvious, Some(Cell::Open(0))) => format!("{list} has no mine around it"),
        (Stage::Obvious, Some(Cell::Open(number))) if reason.is_mine => match number {
            1 => format!("{list} has one closed cell left for its mine"),
            _ => format!("{list} needs a mine in every closed cell it has left"),
        },
        (Stage::Obvious, Some(Cell::Open(number))) => match number {
            1 => format!("{list} already has its mine"),
            2 => format!("{list} already has both its mines"),
            _ => format!("{list} already has all its {number} mines"),
        },
        _ => {
            let contrary = if reason.is_mine { "a safe cell" } else { "a mine" };
            format!("{contrary} here would contradict {list}")
        }
    }
}
