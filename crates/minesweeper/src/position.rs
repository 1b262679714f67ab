//! The visible board: the state of its cells, and their neighbours.

use std::fmt;
use std::str::FromStr;

use super::adjacency::Adjacency;
use super::grid::{Around, Cell, Grid};

/// The share of mines among the closed cells of a board without a total: each cell is a mine with
/// this probability, independently of the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Density {
    /// Hundredths of a percent, from 1 to 9,999.
    hundredths: u16,
}

impl Density {
    const ALL: u16 = 10_000;

    /// Returns a density of hundredths of a percent, if it is above 0 and below 100 percent.
    pub fn new(hundredths: u16) -> Option<Density> {
        (1..Density::ALL).contains(&hundredths).then_some(Density { hundredths })
    }

    pub fn probability(self) -> f64 {
        f64::from(self.hundredths) / f64::from(Density::ALL)
    }

    /// Returns the ratio of the probability of a mine to that of a safe cell.
    pub fn odds(self) -> [u64; 2] {
        [self.hundredths.into(), (Density::ALL - self.hundredths).into()]
    }

    /// Returns the ratio of 1 to the probability of a safe cell.
    pub fn inverse_safety(self) -> [u64; 2] {
        [Density::ALL.into(), (Density::ALL - self.hundredths).into()]
    }
}

impl fmt::Display for Density {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}%", f64::from(self.hundredths) / 100.0)
    }
}

impl FromStr for Density {
    type Err = ();

    /// Parses, for example, "20%" or "20.6%".
    fn from_str(text: &str) -> Result<Density, ()> {
        let percent: f64 = text.strip_suffix('%').and_then(|percent| percent.trim().parse().ok()).ok_or(())?;
        // The conversion saturates.
        Density::new((percent * 100.0).round() as u16).ok_or(())
    }
}

/// The visible board, with the cells that are already proven.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownPosition {
    pub grid: Grid,
    /// The state of each cell, including the wall.
    pub cells: Vec<Cell>,
    /// The number of mines on the whole board, if known.
    pub mines: Option<usize>,
    /// The density of mines, if their number is unknown.
    pub density: Option<Density>,
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
        KnownPosition { grid, cells, mines, density: None, adjacency: Adjacency::King }
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
