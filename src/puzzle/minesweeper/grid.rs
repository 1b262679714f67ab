//! The grid of a board, the state of its cells, and their neighbours.

use super::adjacency::Adjacency;

/// Rows and columns, with a wall of one cell around them, so that every cell of the board has eight
/// neighbours in memory.
///
/// A cell is an index: `(row + 1) · stride + column + 1`, with rows and columns from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grid {
    pub rows: usize,
    pub columns: usize,
}

/// The cells around a cell; missing ones are 0, which is a wall cell.
pub type Around = [usize; 8];

/// The state of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cell {
    /// Open, with the number of mines around it.
    Open(u8),
    Closed,
    /// Covered, and marked or proven as a mine.
    Mine,
    /// Covered and proven safe.
    Safe,
    Wall,
}

impl Cell {
    #[inline]
    pub fn is_number(self) -> bool {
        matches!(self, Cell::Open(_))
    }

    /// Returns true for closed cells and mines, but not for proven safe cells.
    #[inline]
    pub fn is_covered(self) -> bool {
        matches!(self, Cell::Closed | Cell::Mine)
    }
}

impl Grid {
    #[inline]
    pub fn stride(self) -> usize {
        self.columns + 2
    }

    /// Returns the length of an array over all cells and the wall.
    #[inline]
    pub fn extent(self) -> usize {
        (self.rows + 2) * self.stride()
    }

    /// Returns the number of cells without the wall.
    #[inline]
    pub fn area(self) -> usize {
        self.rows * self.columns
    }

    #[inline]
    pub fn cell(self, row: usize, column: usize) -> usize {
        (row + 1) * self.stride() + column + 1
    }

    /// Returns the cell at a row and a column, if both are on the board.
    #[inline]
    pub fn find(self, row: i64, column: i64) -> Option<usize> {
        let inside = |at: i64, len: usize| usize::try_from(at).ok().filter(|&at| at < len);
        Some(self.cell(inside(row, self.rows)?, inside(column, self.columns)?))
    }

    /// Returns the row and the column, from 0.
    #[inline]
    pub fn place(self, cell: usize) -> [usize; 2] {
        [cell / self.stride() - 1, cell % self.stride() - 1]
    }

    /// Returns true if the cell is on the board rather than in the wall.
    #[inline]
    fn contains(self, cell: usize) -> bool {
        let [row, column] = [cell / self.stride(), cell % self.stride()];
        (1..=self.rows).contains(&row) && (1..=self.columns).contains(&column)
    }

    pub fn places(self, cells: &[usize]) -> Vec<[usize; 2]> {
        cells.iter().map(|&cell| self.place(cell)).collect()
    }

    #[inline]
    pub fn cells(self) -> impl DoubleEndedIterator<Item = usize> + Clone {
        (0..self.rows).flat_map(move |row| {
            let first = self.cell(row, 0);
            first..first + self.columns
        })
    }

    /// Returns the cells that are at most `reach` rows and columns away from `cell`, row by row,
    /// including `cell`.
    pub fn square_around(self, cell: usize, reach: usize) -> impl Iterator<Item = usize> {
        let [row, column] = self.place(cell);
        let span = move |at: usize, len: usize| at.saturating_sub(reach)..(at + reach + 1).min(len);
        let row_of = move |row: usize| span(column, self.columns).map(move |column| self.cell(row, column));
        span(row, self.rows).flat_map(row_of)
    }

    /// Returns the eight cells around `cell`, in ascending order. Some may be walls.
    #[inline]
    pub fn around(self, cell: usize) -> Around {
        let stride = self.stride();
        let (above, below) = (cell - stride, cell + stride);
        [above - 1, above, above + 1, cell - 1, cell + 1, below - 1, below, below + 1]
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
