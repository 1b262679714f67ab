//! The grid of a board, and the state of its cells.

/// Maximum number of cells of a board, including holes between the facts.
pub const MAX_CELLS: usize = 10_000_000;

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
    pub fn contains(self, cell: usize) -> bool {
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
