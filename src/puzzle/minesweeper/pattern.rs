//! Stage 2: what a window of 3×3 to 6×6 cells says by itself.
//!
//! All layouts of the cells that the numbers inside a window see, as far as those numbers allow; nothing else is believed. A
//! closed cell of the window that is a mine in all of them is a mine, and one that is a mine in none is safe. The layouts
//! are counted as those of a whole board are.

use super::conflict::Part;
use super::count::Budget;
use super::grid::{Cell, Grid, Position};
use super::obvious;
use super::probability::Analysis;
use crate::stop::Reason;

/// Sides of windows.
pub const SIZES: std::ops::RangeInclusive<usize> = 3..=6;

/// A cell that a window decides, and whether it is a mine.
pub type Decided = (usize, bool);

/// A square of cells: row and column of its first, and its side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    pub row: usize,
    pub column: usize,
    pub size: usize,
}

impl Window {
    /// All windows of a size that have a cell in them.
    pub fn around(position: &Position, cell: usize, size: usize) -> impl Iterator<Item = Window> {
        let grid = position.grid;
        let [row, column] = grid.place(cell);
        let first = move |at: usize, len: usize| (at + 1).saturating_sub(size)..=at.min(len.saturating_sub(size));
        first(row, grid.rows)
            .flat_map(move |row| first(column, grid.columns).map(move |column| Window { row, column, size }))
    }

    /// Its cells on the board.
    fn cells(self, position: &Position) -> impl Iterator<Item = usize> {
        let grid = position.grid;
        let rows = self.row..(self.row + self.size).min(grid.rows);
        let columns = self.column..(self.column + self.size).min(grid.columns);
        rows.flat_map(move |row| columns.clone().map(move |column| grid.cell(row, column)))
    }

    /// The numbers in it that see closed cells.
    pub fn numbers(self, position: &Position) -> Vec<usize> {
        let says = |&cell: &usize| position.cells[cell].is_number() && position.count_around(cell, Cell::Closed) > 0;
        self.cells(position).filter(says).collect()
    }

    /// The closed cells that it decides.
    pub fn decided(self, position: &Position, budget: &Budget) -> Result<Vec<Decided>, Reason> {
        let numbers = self.numbers(position);
        // One number alone says no more than what is obvious.
        if numbers.len() < 2 {
            return Ok(Vec::new());
        }
        let part = Part::new(position, &numbers);
        let mut work = part.position.clone();
        let mut decided = Vec::new();
        let inside: Vec<usize> = self.cells(position).collect();
        let mut put = |cell: usize, is_mine: bool| {
            let cell = part.outside(cell);
            if inside.contains(&cell) {
                decided.push((cell, is_mine));
            }
        };
        if obvious::mark_all(&mut work, |found| put(found.cell, found.is_mine)).is_err() {
            return Ok(Vec::new());
        }
        if let Ok(analysis) = Analysis::<f64>::new(&work, budget, |_, _| 1.0)? {
            analysis.decided().into_iter().for_each(|(cell, is_mine)| put(cell, is_mine));
        }
        // What was counted under a token that is cancelled by now may be nonsense.
        budget.stop.requested().map_or(Ok(decided), Err)
    }
}

/// All that windows decide by themselves, the small ones first, of which at most so many are looked at, and fewer where a limit
/// ends it.
pub fn everywhere(position: &Position, most: usize, budget: &Budget) -> Vec<Decided> {
    let Grid { rows, columns } = position.grid;
    let places = |size: usize, len: usize| 0..=len.saturating_sub(size);
    let row_of = |size, row| places(size, columns).map(move |column| Window { row, column, size });
    let all = SIZES.flat_map(|size| places(size, rows).flat_map(move |row| row_of(size, row)));
    all.take(most).map_while(|window| window.decided(position, budget).ok()).flatten().collect()
}

/// Looks for windows again and again while more and more cells become known.
///
/// Windows decide nothing but what holds in all layouts, so that it is enough to look around cells that are known to be
/// decided somehow.
#[derive(Debug, Clone, Default)]
pub struct Windows {
    /// For each cell the largest size of windows that were tried in vain since anything changed nearby.
    tried: Vec<u8>,
}

impl Windows {
    /// The smallest window that decides one of these cells, and all that it decides.
    pub fn first(
        &mut self,
        position: &Position,
        cells: &[usize],
        budget: &Budget,
    ) -> Result<Option<(Window, Vec<Decided>)>, Reason> {
        self.tried.resize(position.grid.extent(), 0);
        for size in SIZES {
            for &cell in cells {
                if usize::from(self.tried[cell]) >= size {
                    continue;
                }
                for window in Window::around(position, cell, size) {
                    let decided = window.decided(position, budget)?;
                    if !decided.is_empty() {
                        return Ok(Some((window, decided)));
                    }
                }
                self.tried[cell] = size as u8;
            }
        }
        Ok(None)
    }

    /// A cell became known: windows that see a number next to it may now decide more.
    pub fn changed(&mut self, position: &Position, cell: usize) {
        self.tried.resize(position.grid.extent(), 0);
        position.grid.square(cell, SIZES.end() + 1).for_each(|near| self.tried[near] = 0);
    }
}
