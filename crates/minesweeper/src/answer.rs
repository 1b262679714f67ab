//! The answer for a board, its check against the rules, and its description in words.

use num_bigint::BigUint;
use serde::Serialize;
use serde_json::{Value, json};

use super::backtracking::{LayoutOutcome, NodeBudget, TotalConstraint, find_layout};
use super::board::Board;
use super::conflict::Conflict;
use super::explain::{Reason, Stage};
use super::grid::Cell;
use super::position::KnownPosition;
use super::probability::{Likelihood, has_prior};
use super::recheck;

/// The results for the closed cells.
#[derive(Debug, Clone)]
pub struct Answer {
    /// For each cell, the probability of a mine, if known.
    pub probabilities: Vec<Option<f64>>,
    /// The covered cells that are safe in all layouts, ascending.
    pub safe: Vec<usize>,
    /// The covered cells that are mines in all layouts, ascending.
    pub mines: Vec<usize>,
    /// Recommended cells to open next; ascending.
    pub best: Vec<usize>,
    /// The probability of winning from this position, if the game tree was searched.
    pub chance: Option<f64>,
    pub found_by: Stage,
    /// Number of layouts.
    pub configurations: Option<BigUint>,
    /// The smallest and the largest number of mines that a layout has. `None` if the board states how
    /// many there are, or if the layouts were not counted.
    pub total: Option<[usize; 2]>,
    pub reasons: Vec<Reason>,
    /// Members of `safe` and `mines` that only clingo has proven.
    pub by_clingo: Vec<usize>,
}

impl Answer {
    /// Returns an answer without any results.
    pub fn unknown(position: &KnownPosition) -> Self {
        Answer {
            probabilities: vec![None; position.grid.extent()],
            safe: Vec::new(),
            mines: Vec::new(),
            best: Vec::new(),
            chance: None,
            found_by: Stage::Guess,
            configurations: None,
            total: None,
            reasons: Vec::new(),
            by_clingo: Vec::new(),
        }
    }

    /// Returns the answer for a position whose layouts have been counted.
    pub fn from_likelihood(position: &KnownPosition, likelihood: &Likelihood) -> Self {
        let configurations = Some(likelihood.configurations.clone());
        let total = position.mines.is_none().then_some(likelihood.mines);
        let mut answer = Answer { configurations, total, ..Answer::unknown(position) };
        for cell in position.cells_where(Cell::is_covered) {
            match likelihood.probabilities[cell] {
                certain @ (0.0 | 1.0) => answer.prove(cell, certain == 1.0),
                probability => answer.probabilities[cell] = Some(probability).filter(|known| !known.is_nan()),
            }
        }
        answer
    }

    /// Returns the number of mines, if the board does not state it but all layouts have the same.
    pub fn implied_total(&self) -> Option<usize> {
        self.total.filter(|[least, most]| least == most).map(|[mines, _]| mines)
    }

    /// Returns true if the layouts can be weighted: see [`has_prior`].
    pub fn has_prior(&self, position: &KnownPosition) -> bool {
        has_prior(position) || self.implied_total().is_some()
    }

    /// Returns the safe cells and the mines without a flag, ascending, each with `true` for a mine.
    pub fn decided(&self, position: &KnownPosition) -> Vec<(usize, bool)> {
        let safe = self.safe.iter().map(|&cell| (cell, false));
        let mut decided: Vec<(usize, bool)> = safe.chain(self.mines.iter().map(|&cell| (cell, true))).collect();
        decided.retain(|&(cell, _)| position.cells[cell] == Cell::Closed);
        decided.sort_unstable();
        decided
    }

    /// Records that a cell is a mine, or is safe, in all layouts.
    pub fn prove(&mut self, cell: usize, is_mine: bool) {
        self.probabilities[cell] = Some(if is_mine { 1.0 } else { 0.0 });
        if is_mine { &mut self.mines } else { &mut self.safe }.push(cell);
    }

    /// Chooses the cells to open next: all safe ones, or else the one of least risk. `found_by`
    /// becomes the easiest stage among the reasons.
    pub fn choose_best(&mut self) {
        if self.safe.is_empty() {
            self.best = self.safest().into_iter().collect();
        } else {
            self.best = self.safe.clone();
            let stages = self.reasons.iter().filter(|reason| !reason.is_mine).map(|reason| reason.stage);
            self.found_by = stages.min().unwrap_or(Stage::Csp);
        }
    }

    /// Returns the cell with the smallest probability of a mine, if this is below 1.
    pub fn safest(&self) -> Option<usize> {
        let risk = |&cell: &usize| self.probabilities[cell].unwrap_or(1.0);
        let candidates = (0..self.probabilities.len()).filter(|&cell| risk(&cell) < 1.0);
        candidates.min_by(|a, b| risk(a).total_cmp(&risk(b)))
    }

    /// Checks that the expected number of mines among `cells` is `expected`. Cells of unknown
    /// probability count for 0 to 1. Each probability is the float nearest to the exact one, and they
    /// are added as multiples of 2^-100, without rounding, so that the tolerance is a rounding error
    /// of the sum.
    fn check_expectation(
        &self,
        position: &KnownPosition,
        expected: usize,
        cells: impl Iterator<Item = usize>,
    ) -> Result<(), String> {
        let closed = cells.filter(|&cell| position.cells[cell].is_covered());
        let scale = 2.0_f64.powi(100);
        let mut known = 0_u128;
        let mut unknown = 0.0;
        for cell in closed {
            match self.probabilities[cell] {
                Some(probability) => known = known.saturating_add((probability * scale) as u128),
                None => unknown += 1.0,
            }
        }
        let low = known as f64 / scale;
        let high = low + unknown;
        let slack = 2.0 * f64::EPSILON * high;
        if low - slack <= expected as f64 && expected as f64 <= high + slack {
            return Ok(());
        }
        Err(if unknown == 0.0 {
            format!("{low} mines instead of {expected}")
        } else {
            format!("{low} to {high} mines instead of {expected}")
        })
    }

    /// Checks the answer by linearity of expectation: around each number the probabilities must sum
    /// to the number, and on the board to the total. Certain cells must have probability 0 or 1,
    /// and each reason must exclude the opposite.
    pub fn check(&self, board: &Board) -> Result<(), String> {
        let position = &board.position;
        let grid = position.grid;
        for cell in grid.cells() {
            match self.probabilities[cell] {
                Some(_) if !position.cells[cell].is_covered() => {
                    return Err(format!("{} is open, and has a probability", board.describe_cell(cell)));
                }
                Some(probability) if !(0.0..=1.0).contains(&probability) => {
                    return Err(format!("{} has the probability {probability}", board.describe_cell(cell)));
                }
                Some(probability) if probability.fract() != 0.0 && !self.has_prior(position) => {
                    let place = board.describe_cell(cell);
                    return Err(format!(
                        "{place} has the probability {probability}, but the number of mines is unknown"
                    ));
                }
                _ => {}
            }
        }
        for (cells, certain) in [(&self.safe, 0.0), (&self.mines, 1.0)] {
            if let Some(&cell) = cells.iter().find(|&&cell| self.probabilities[cell] != Some(certain)) {
                return Err(format!(
                    "{} is listed as certain, but its probability is not 0 or 1",
                    board.describe_cell(cell)
                ));
            }
        }
        // Under custom rules, numbers may have another meaning.
        if !board.is_plain {
            return Ok(());
        }
        for cell in position.numbers() {
            let Cell::Open(number) = position.cells[cell] else { continue };
            let expected = self.check_expectation(position, number.into(), position.around(cell).into_iter());
            expected.map_err(|error| format!("around {} are {error}", board.describe_cell(cell)))?;
        }
        if let Some(mines) = position.mines.or(self.implied_total()) {
            self.check_expectation(position, mines, grid.cells()).map_err(|error| format!("there are {error}"))?;
        }
        self.check_reasons(board)
    }

    /// Replays the reasons in order: given the cells known so far, the clues of a reason must have
    /// no layout with the opposite value. Reasons whose check exceeds the node budget are covered
    /// by the sums only.
    fn check_reasons(&self, board: &Board) -> Result<(), String> {
        const NODES: u64 = 20_000;
        let mut position = board.position.clone();
        let mut total = recheck::total(&position);
        for reason in &self.reasons {
            let total_needed = total.filter(|_| reason.cause.needs_total);
            let claim =
                recheck::constraints(&position, &reason.cause.clues, &[(reason.cell, !reason.is_mine)], total_needed);
            if let LayoutOutcome::Layout(layout) = find_layout(&claim, &mut NodeBudget::uninterruptible(NODES)) {
                let mines: Vec<String> = layout.iter().map(|&cell| board.describe_cell(cell)).collect();
                let mines = if mines.is_empty() { "without a mine".to_owned() } else { mines.join("; ") };
                return Err(format!("the reason for {} allows the layout {mines}", board.describe_cell(reason.cell)));
            }
            position.cells[reason.cell] = if reason.is_mine { Cell::Mine } else { Cell::Safe };
            total = total.map(|TotalConstraint { closed, mines }| TotalConstraint {
                closed: closed - 1,
                mines: mines - i64::from(reason.is_mine),
            });
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
                "why": describe_reason(board, reason), "numbers": places(&reason.cause.clues),
                "cells": places(&board.position.covered_around(&reason.cause.clues)),
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
        if let Some(total) = self.total {
            object["total"] = json!(total);
        }
        if !self.by_clingo.is_empty() {
            object["by_clingo"] = places(&self.by_clingo);
        }
        object["explain"] = self.reasons.iter().map(reason).collect();
        object
    }
}

/// Describes a clue: "the 2 at row 3, column 4" or "the flag at row 1, column 2".
pub fn describe_clue(board: &Board, cell: usize) -> String {
    match board.position.cells[cell] {
        Cell::Open(number) => format!("the {number} at {}", board.describe_cell(cell)),
        _ => format!("the flag at {}", board.describe_cell(cell)),
    }
}

/// Describes the clues of a conflict: "the 1 at row 1, column 2, the 2 at row 1, column 3 and the
/// total of 10 mines".
pub fn describe_conflict(board: &Board, conflict: &Conflict) -> String {
    let clues = conflict.clues.iter().map(|&cell| describe_clue(board, cell));
    let mut items: Vec<String> = clues.chain(conflict.needs_total.then(|| describe_total(board))).collect();
    match items.pop() {
        None => "nothing".to_owned(),
        Some(last) if items.is_empty() => last,
        Some(last) => format!("{} and {last}", items.join(", ")),
    }
}

pub fn describe_total(board: &Board) -> String {
    match board.position.mines {
        Some(1) => "the total of 1 mine".to_owned(),
        Some(mines) => format!("the total of {mines} mines"),
        None => "the total".to_owned(),
    }
}

/// Describes a reason as a clause.
pub fn describe_reason(board: &Board, reason: &Reason) -> String {
    let list = describe_conflict(board, &reason.cause);
    let number = reason.cause.clues.first().map(|&cell| board.position.cells[cell]);
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
