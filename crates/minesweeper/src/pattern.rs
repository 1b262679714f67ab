//! Stage 2: windows of 3×3 to 6×6 cells.
//!
//! The layouts of a window are those of the cells around its numbers that these numbers allow; the
//! rest of the board is ignored. A closed cell of the window that is a mine in all of these layouts
//! is a mine; one that is a mine in none is safe. The layouts are counted like those of a board.

use base::stop::StopReason;

use super::conflict::Excerpt;
use super::count::Budget;
use super::grid::{Cell, Grid};
use super::obvious;
use super::position::KnownPosition;
use super::probability::Analysis;

pub const SIZES: std::ops::RangeInclusive<usize> = 3..=6;

/// A cell that a window decides; true for a mine.
pub type DecidedCell = (usize, bool);

/// A square of cells: the row and column of its first cell, and its side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    pub row: usize,
    pub column: usize,
    pub size: usize,
}

impl Window {
    /// Returns all windows of a size that contain a cell.
    pub fn around(position: &KnownPosition, cell: usize, size: usize) -> impl Iterator<Item = Window> {
        let grid = position.grid;
        let [row, column] = grid.place(cell);
        let first = move |at: usize, len: usize| (at + 1).saturating_sub(size)..=at.min(len.saturating_sub(size));
        first(row, grid.rows)
            .flat_map(move |row| first(column, grid.columns).map(move |column| Window { row, column, size }))
    }

    fn cells(self, position: &KnownPosition) -> impl Iterator<Item = usize> {
        let grid = position.grid;
        let rows = self.row..(self.row + self.size).min(grid.rows);
        let columns = self.column..(self.column + self.size).min(grid.columns);
        rows.flat_map(move |row| columns.clone().map(move |column| grid.cell(row, column)))
    }

    /// Returns the numbers in the window that have closed cells around them.
    pub fn numbers(self, position: &KnownPosition) -> Vec<usize> {
        let is_constraint =
            |&cell: &usize| position.cells[cell].is_number() && position.count_around(cell, Cell::Closed) > 0;
        self.cells(position).filter(is_constraint).collect()
    }

    /// Returns the closed cells that the window decides.
    pub fn decided(self, position: &KnownPosition, budget: &Budget) -> Result<Vec<DecidedCell>, StopReason> {
        let numbers = self.numbers(position);
        // A single number decides no more than in stage 1.
        if numbers.len() < 2 {
            return Ok(Vec::new());
        }
        let excerpt = Excerpt::new(position, &numbers);
        let mut work = excerpt.position.clone();
        let mut decided = Vec::new();
        let inside: Vec<usize> = self.cells(position).collect();
        let mut record = |cell: usize, is_mine: bool| {
            let cell = excerpt.board_cell(cell);
            if inside.contains(&cell) {
                decided.push((cell, is_mine));
            }
        };
        if obvious::mark_all(&mut work, |deduction| record(deduction.cell, deduction.is_mine)).is_err() {
            return Ok(Vec::new());
        }
        if let Ok(analysis) = Analysis::<f64>::new(&work, budget, |_, _| 1.0)? {
            for (cell, is_mine) in analysis.decided() {
                record(cell, is_mine);
            }
        }
        // Marginals are meaningless if the run was cancelled meanwhile.
        budget.stop.requested().map_or(Ok(decided), Err)
    }
}

/// Returns the cells that windows decide, small windows first. At most `most` windows are tried, or
/// fewer if the budget ends.
pub fn decided_anywhere(position: &KnownPosition, most: usize, budget: &Budget) -> Vec<DecidedCell> {
    let Grid { rows, columns } = position.grid;
    let places = |size: usize, len: usize| 0..=len.saturating_sub(size);
    let row_of = |size, row| places(size, columns).map(move |column| Window { row, column, size });
    let all = SIZES.flat_map(|size| places(size, rows).flat_map(move |row| row_of(size, row)));
    all.take(most).map_while(|window| window.decided(position, budget).ok()).flatten().collect()
}

/// A repeated search for windows, while more and more cells become known.
///
/// A window only decides cells whose value is the same in all layouts, so it suffices to search
/// around cells that are known to be decided.
#[derive(Debug, Clone, Default)]
pub struct WindowSearch {
    /// For each cell, the largest size of windows that have failed since the last change nearby.
    failed_size: Vec<u8>,
}

impl WindowSearch {
    /// Returns the smallest window that decides one of `cells`, and all cells that it decides.
    pub fn smallest_deciding(
        &mut self,
        position: &KnownPosition,
        cells: &[usize],
        budget: &Budget,
    ) -> Result<Option<(Window, Vec<DecidedCell>)>, StopReason> {
        self.failed_size.resize(position.grid.extent(), 0);
        for size in SIZES {
            for &cell in cells {
                if usize::from(self.failed_size[cell]) >= size {
                    continue;
                }
                for window in Window::around(position, cell, size) {
                    let decided = window.decided(position, budget)?;
                    if !decided.is_empty() {
                        return Ok(Some((window, decided)));
                    }
                }
                self.failed_size[cell] = size as u8;
            }
        }
        Ok(None)
    }

    /// Records that a cell has become known: nearby windows may now decide more.
    pub fn invalidate_around(&mut self, position: &KnownPosition, cell: usize) {
        self.failed_size.resize(position.grid.extent(), 0);
        for neighbor in position.grid.square_around(cell, SIZES.end() + 1) {
            self.failed_size[neighbor] = 0;
        }
    }
}
