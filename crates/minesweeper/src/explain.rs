//! Reasons: the clues that imply that a cell is safe or a mine, and the stage of reasoning that
//! finds them.
//!
//! The stages follow the article: single numbers as long as they decide any cell; then the smallest
//! window that decides a cell, after which single numbers are tried again; finally the whole board.
//! The count of stage 3 has already determined the certain cells, so windows are only tried around
//! these.

use base::stop::StopReason as Stopped;
use serde::Serialize;

use super::conflict::{self, Conflict};
use super::count::Budget;
use super::grid::Cell;
use super::obvious;
use super::pattern;
use super::position::KnownPosition;

/// The stage of reasoning that decides a cell.
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

/// The reason why a cell is a mine or safe. A reason may depend on the cells of earlier reasons.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    pub cell: usize,
    pub is_mine: bool,
    pub stage: Stage,
    /// The clues that imply the value of the cell, together with the cells of earlier reasons.
    pub cause: Conflict,
    /// The side of the window, for the stage `Pattern`.
    pub window: Option<usize>,
}

impl Reason {
    pub fn new((cell, is_mine): (usize, bool), stage: Stage, cause: Conflict) -> Self {
        Reason { cell, is_mine, stage, cause, window: None }
    }
}

/// Returns the reasons of all decided cells (`true` for a mine), in the order in which they are
/// found. If the budget ends, returns those found before, and why it ended.
pub fn reasons(
    position: &KnownPosition,
    decided: &[(usize, bool)],
    budget: &Budget,
) -> (Vec<Reason>, Result<(), Stopped>) {
    let mut search = ReasonSearch::new(position, decided);
    let result = search.apply_all_stages(budget);
    (search.reasons, result)
}

/// Returns reasons for some of `candidates` that consist of nearby numbers. If `reach` is positive,
/// growing sets of numbers up to `reach` rows and columns away are tried after the windows. If the
/// budget ends, the reasons found before are returned.
pub fn local_reasons(
    position: &KnownPosition,
    candidates: &[(usize, bool)],
    reach: usize,
    budget: &Budget,
) -> Vec<Reason> {
    let mut search = ReasonSearch::new(position, candidates);
    if search.apply_local_stages(budget).is_err() || reach == 0 {
        return search.reasons;
    }
    for (cell, is_mine) in std::mem::take(&mut search.undecided) {
        if let Ok(Some(conflict)) = conflict::nearby_reason(&search.work, cell, is_mine, reach, budget) {
            // No number is queued: cells that this one implies are tried as candidates.
            search.work.cells[cell] = if is_mine { Cell::Mine } else { Cell::Safe };
            search.reasons.push(Reason::new((cell, is_mine), Stage::Csp, conflict));
        }
    }
    search.reasons
}

/// A search for the reasons of some cells.
struct ReasonSearch {
    work: KnownPosition,
    reasons: Vec<Reason>,
    undecided: Vec<(usize, bool)>,
}

impl ReasonSearch {
    fn new(position: &KnownPosition, decided: &[(usize, bool)]) -> Self {
        ReasonSearch { work: position.clone(), reasons: Vec::new(), undecided: decided.to_vec() }
    }

    fn apply_all_stages(&mut self, budget: &Budget) -> Result<(), Stopped> {
        self.apply_local_stages(budget)?;
        for (cell, is_mine) in std::mem::take(&mut self.undecided) {
            let conflict = conflict::reason(&self.work, cell, is_mine, None, budget)?;
            self.reasons.push(Reason::new((cell, is_mine), Stage::Csp, conflict));
        }
        Ok(())
    }

    /// Applies single numbers and windows until neither decides a further cell.
    fn apply_local_stages(&mut self, budget: &Budget) -> Result<(), Stopped> {
        let ReasonSearch { work, reasons, undecided } = self;
        let mut queue: Vec<usize> = work.grid.cells().rev().collect();
        let mut patterns = pattern::WindowSearch::default();
        loop {
            let old_len = reasons.len();
            let obvious = obvious::mark(work, &mut queue, |deduction| {
                let conflict = Conflict { clues: vec![deduction.number], needs_total: false };
                reasons.push(Reason::new((deduction.cell, deduction.is_mine), Stage::Obvious, conflict));
            });
            debug_assert!(obvious.is_ok(), "some layout fits");
            undecided.retain(|&(cell, _)| work.cells[cell] == Cell::Closed);
            if undecided.is_empty() {
                return Ok(());
            }
            if let Some(stopped) = budget.stop.requested() {
                return Err(stopped);
            }
            let cells: Vec<usize> = undecided.iter().map(|&(cell, _)| cell).collect();
            for reason in &reasons[old_len..] {
                patterns.invalidate_around(work, reason.cell);
            }
            let Some((window, decided)) = patterns.smallest_deciding(work, &cells, budget)? else { return Ok(()) };
            let position_before = work.clone();
            let window_numbers = window.numbers(&position_before);
            for (cell, is_mine) in decided {
                if work.cells[cell] != Cell::Closed {
                    continue;
                }
                let conflict = conflict::reason(&position_before, cell, is_mine, Some(&window_numbers), budget)?;
                work.prove(cell, is_mine, &mut queue);
                patterns.invalidate_around(work, cell);
                let reason = Reason::new((cell, is_mine), Stage::Pattern, conflict);
                reasons.push(Reason { window: Some(window.size), ..reason });
            }
        }
    }
}
