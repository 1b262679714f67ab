//! Why cells are safe or mines: which stage finds each, and from which numbers it follows.
//!
//! The stages come in the order of the article: what is obvious, as long as anything is; then the smallest window that
//! decides something, after which the obvious comes again; and what is left takes the numbers of the whole board. The count
//! of stage 3 has told beforehand which cells are decided at all, so that windows are looked at around those alone.

use serde::Serialize;

use super::conflict::{self, Conflict};
use super::count::Budget;
use super::grid::{Cell, Position};
use super::obvious;
use super::pattern;
use crate::stop::Reason as Stopped;

/// Which stage finds a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// Single numbers are enough
    Obvious,
    /// Windows of 3×3 to 6×6 cells
    Pattern,
    /// The numbers of the whole board
    Csp,
    /// None: one must guess.
    #[value(skip)]
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
    /// The numbers from which it follows, together with the cells that were known before, and perhaps the total.
    pub because: Conflict,
    /// The side of the window that sees it, for a pattern.
    pub window: Option<usize>,
}

impl Reason {
    pub fn new((cell, is_mine): (usize, bool), stage: Stage, because: Conflict) -> Self {
        Reason { cell, is_mine, stage, because, window: None }
    }
}

/// The reasons of all decided cells (`true` for a mine), in the order in which one finds them.
pub fn reasons(position: &Position, decided: &[(usize, bool)], budget: &Budget) -> Result<Vec<Reason>, Stopped> {
    let mut search = Search::new(position, decided);
    search.nearby(budget)?;
    for (cell, is_mine) in std::mem::take(&mut search.open) {
        let conflict = conflict::reason(&search.work, cell, is_mine, None, budget)?;
        search.reasons.push(Reason::new((cell, is_mine), Stage::Csp, conflict));
    }
    Ok(search.reasons)
}

/// Reasons for cells that may be decided, as far as numbers nearby tell. With `reach` windows are not all: more and more
/// numbers around are asked, until the cells that they see are so many rows away. Whatever was found stays if the budget ends it.
pub fn some_reasons(position: &Position, maybe: &[(usize, bool)], reach: usize, budget: &Budget) -> Vec<Reason> {
    let mut search = Search::new(position, maybe);
    if search.nearby(budget).is_err() || reach == 0 {
        return search.reasons;
    }
    for (cell, is_mine) in std::mem::take(&mut search.open) {
        if let Ok(Some(conflict)) = conflict::near(&search.work, cell, is_mine, reach, budget) {
            // What follows from it is asked for itself: numbers that now say more are no news.
            search.work.cells[cell] = if is_mine { Cell::Mine } else { Cell::Safe };
            search.reasons.push(Reason::new((cell, is_mine), Stage::Csp, conflict));
        }
    }
    search.reasons
}

/// Cells whose reasons are looked for.
struct Search {
    work: Position,
    reasons: Vec<Reason>,
    open: Vec<(usize, bool)>,
}

impl Search {
    fn new(position: &Position, decided: &[(usize, bool)]) -> Self {
        Search { work: position.clone(), reasons: Vec::new(), open: decided.to_vec() }
    }

    /// What is obvious, and what windows say, until they say no more.
    fn nearby(&mut self, budget: &Budget) -> Result<(), Stopped> {
        let Search { work, reasons, open } = self;
        let mut queue: Vec<usize> = work.grid.cells().rev().collect();
        let mut patterns = pattern::Windows::default();
        loop {
            let known = reasons.len();
            let obvious = obvious::mark(work, &mut queue, |found| {
                let conflict = Conflict { clues: vec![found.number], needs_total: false };
                reasons.push(Reason::new((found.cell, found.is_mine), Stage::Obvious, conflict));
            });
            debug_assert!(obvious.is_ok(), "some layout fits");
            open.retain(|&(cell, _)| work.cells[cell] == Cell::Closed);
            if open.is_empty() {
                return Ok(());
            }
            if let Some(stopped) = budget.stop.requested() {
                return Err(stopped);
            }
            let cells: Vec<usize> = open.iter().map(|&(cell, _)| cell).collect();
            reasons[known..].iter().for_each(|reason: &Reason| patterns.changed(work, reason.cell));
            let Some((window, found)) = patterns.first(work, &cells, budget)? else { return Ok(()) };
            let before = work.clone();
            let among = window.numbers(&before);
            for (cell, is_mine) in found {
                if work.cells[cell] != Cell::Closed {
                    continue;
                }
                let conflict = conflict::reason(&before, cell, is_mine, Some(&among), budget)?;
                work.prove(cell, is_mine, &mut queue);
                patterns.changed(work, cell);
                let reason = Reason::new((cell, is_mine), Stage::Pattern, conflict);
                reasons.push(Reason { window: Some(window.size), ..reason });
            }
        }
    }
}
