//! Why cells are safe or mines: which stage finds each, and from which numbers it follows.
//!
//! The stages come in the order of the article: what is obvious, as long as anything is; then the smallest window that
//! decides something, after which the obvious comes again; and what is left takes the numbers of the whole board. The count
//! of stage 3 has told beforehand which cells are decided at all, so that windows are looked at around those alone.

use serde::Serialize;

use super::conflict;
use super::count::Budget;
use super::grid::{Cell, Position};
use super::obvious;
use super::pattern::{self, Window};
use crate::stop::Reason as Stopped;

/// Which stage finds a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    Obvious,
    Pattern,
    Csp,
    /// None: one must guess.
    Guess,
}

impl Stage {
    pub fn name(self) -> &'static str {
        match self {
            Stage::Obvious => "obvious",
            Stage::Pattern => "pattern",
            Stage::Csp => "csp",
            Stage::Guess => "guess",
        }
    }
}

/// Why a cell is a mine, or safe. Reasons may build on cells of earlier ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    pub cell: usize,
    pub is_mine: bool,
    pub stage: Stage,
    /// The numbers from which it follows, together with the cells that were known before.
    pub numbers: Vec<usize>,
    /// The total of mines is needed as well.
    pub needs_total: bool,
    /// The side of the window that sees it, for a pattern.
    pub window: Option<usize>,
}

/// The reasons of all decided cells (`Some(true)` for a mine), in the order in which one finds them.
pub fn reasons(position: &Position, decided: &[(usize, bool)], budget: &Budget) -> Result<Vec<Reason>, Stopped> {
    let mut work = position.clone();
    let mut reasons = Vec::new();
    let mut queue: Vec<usize> = work.grid.cells().rev().collect();
    let mut open = decided.to_vec();
    let mut patterns = pattern::Windows::default();
    loop {
        let known = reasons.len();
        let obvious = obvious::mark(&mut work, &mut queue, |found| {
            let (numbers, stage) = (vec![found.number], Stage::Obvious);
            let (cell, is_mine) = (found.cell, found.is_mine);
            reasons.push(Reason { cell, is_mine, stage, numbers, needs_total: false, window: None });
        });
        debug_assert!(obvious.is_ok(), "some layout fits");
        open.retain(|&(cell, _)| work.cells[cell] == Cell::Closed);
        if open.is_empty() {
            return Ok(reasons);
        }
        if let Some(stopped) = budget.stop.requested() {
            return Err(stopped);
        }
        let cells: Vec<usize> = open.iter().map(|&(cell, _)| cell).collect();
        reasons[known..].iter().for_each(|reason: &Reason| patterns.changed(&work, reason.cell));
        let Some((window, found)) = patterns.first(&work, &cells) else { break };
        let before = work.clone();
        let among = window.numbers(&before);
        for pattern::Decided { cell, is_mine } in found {
            if work.cells[cell] != Cell::Closed {
                continue;
            }
            let conflict = conflict::reason(&before, cell, is_mine, Some(&among), budget)?;
            work.prove(cell, is_mine, &mut queue);
            patterns.changed(&work, cell);
            reasons.push(pattern_reason(cell, is_mine, conflict.numbers, window));
        }
    }
    for (cell, is_mine) in open {
        let conflict = conflict::reason(&work, cell, is_mine, None, budget)?;
        reasons.push(Reason {
            cell,
            is_mine,
            stage: Stage::Csp,
            numbers: conflict.numbers,
            needs_total: conflict.needs_total,
            window: None,
        });
    }
    Ok(reasons)
}

fn pattern_reason(cell: usize, is_mine: bool, numbers: Vec<usize>, window: Window) -> Reason {
    Reason { cell, is_mine, stage: Stage::Pattern, numbers, needs_total: false, window: Some(window.size) }
}
