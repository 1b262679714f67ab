//! The visible board: the state of its cells, and their neighbours.

use super::adjacency::Adjacency;
use super::grid::{Around, Cell, Grid};

/// The visible board, with the cells that are already proven.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownPosition {
    pub grid: Grid,
    /// The state of each cell, including the wall.
    pub cells: Vec<Cell>,
    /// The number of mines on the whole board, if known.
    pub mines: Option<usize>,
    /// The cells that each number counts.
    pub adjacency: Adjacency,
}

impl KnownPosition {
    /// Returns a position with all cells closed.
    pub fn closed(grid: Grid, mines: Option<usize>) -> Self {
        let mut cells = vec![Cell::Wall; grid.extent()];
        for cell in grid.cells() {
            cells[cell] = Cell::Closed;
        }
        KnownPosition { grid, cells, mines, adjacency: Adjacency::King }
    }

    /// Returns the cells that a number at `cell` counts. Some may be walls.
    #[inline]
    pub fn around(&self, cell: usize) -> Around {
        self.adjacency.counts(self.grid, cell)
    }

    /// Returns the cells whose numbers count `cell`. Some may be walls.
    #[inline]
    pub fn counted_by(&self, cell: usize) -> Around {
        self.adjacency.counted_by(self.grid, cell)
    }

    /// Returns the cells around `cell` of the given kind.
    #[inline]
    pub fn cells_around(&self, cell: usize, kind: Cell) -> impl Iterator<Item = usize> {
        self.around(cell).into_iter().filter(move |&neighbor| self.cells[neighbor] == kind)
    }

    /// Returns the number of cells around `cell` of the given kind.
    #[inline]
    pub fn count_around(&self, cell: usize, kind: Cell) -> usize {
        let mut count = 0;
        for neighbor in self.around(cell) {
            count += usize::from(self.cells[neighbor] == kind);
        }
        count
    }

    /// Returns the open numbers that count a cell.
    #[inline]
    pub fn open_around(&self, cell: usize) -> impl Iterator<Item = usize> {
        self.counted_by(cell).into_iter().filter(|&neighbor| self.cells[neighbor].is_number())
    }

    /// Returns the cells that satisfy a predicate, row by row.
    #[inline]
    pub fn cells_where(&self, predicate: impl Fn(Cell) -> bool + Clone) -> impl Iterator<Item = usize> + Clone {
        // One loop over the array with its wall is faster than a loop per row.
        let all = self.cells.iter().enumerate();
        all.filter(move |&(cell, &known)| predicate(known) && self.grid.contains(cell)).map(|(cell, _)| cell)
    }

    #[inline]
    pub fn numbers(&self) -> impl Iterator<Item = usize> + Clone {
        self.cells_where(Cell::is_number)
    }

    /// Returns all cells of a kind, row by row.
    #[inline]
    pub fn cells_of(&self, kind: Cell) -> impl Iterator<Item = usize> + Clone {
        self.cells_where(move |cell| cell == kind)
    }

    /// Returns the covered cells around some numbers, ascending, without repetition.
    pub fn covered_around(&self, numbers: &[usize]) -> Vec<usize> {
        let mut covered: Vec<usize> = numbers.iter().flat_map(|&number| self.around(number)).collect();
        covered.retain(|&cell| self.cells[cell].is_covered());
        covered.sort_unstable();
        covered.dedup();
        covered
    }

    /// Returns the number of mines that a number is still missing, or `None` if it cannot be
    /// satisfied.
    #[inline]
    pub fn missing_mines(&self, number: usize) -> Option<u8> {
        let Cell::Open(value) = self.cells[number] else { return None };
        let missing = value.checked_sub(self.count_around(number, Cell::Mine) as u8)?;
        (usize::from(missing) <= self.count_around(number, Cell::Closed)).then_some(missing)
    }

    /// Returns the position with all mines turned into closed cells.
    pub fn without_flags(&self) -> KnownPosition {
        let mut bare = self.clone();
        for cell in bare.cells.iter_mut().filter(|cell| **cell == Cell::Mine) {
            *cell = Cell::Closed;
        }
        bare
    }

    /// Marks a closed cell as proven. The numbers that count it are pushed to the queue, as they
    /// may now decide more.
    pub fn prove(&mut self, cell: usize, is_mine: bool, queue: &mut Vec<usize>) {
        self.cells[cell] = if is_mine { Cell::Mine } else { Cell::Safe };
        queue.extend(self.open_around(cell));
    }

    #[inline]
    pub fn count(&self, kind: Cell) -> usize {
        self.cells.iter().filter(|&&cell| cell == kind).count()
    }
}
