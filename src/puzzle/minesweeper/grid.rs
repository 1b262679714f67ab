//! The cells of a board, what is known of each, and their neighbours.

use super::adjacency::Adjacency;

/// Rows and columns, with a wall of one cell around them, so that every cell of the board has eight neighbours in memory.
///
/// A cell is a number: `(row + 1) · stride + column + 1`, rows and columns from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grid {
    pub rows: usize,
    pub columns: usize,
}

/// Cells around one; those that are missing are 0, which is wall.
pub type Around = [usize; 8];

/// What is known of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cell {
    /// So many mines around.
    Open(u8),
    Closed,
    /// Closed, and a mine: by a flag or a proof.
    Mine,
    /// Closed, and proven to be no mine.
    Safe,
    Wall,
}

impl Cell {
    #[inline]
    pub fn is_number(self) -> bool {
        matches!(self, Cell::Open(_))
    }

    /// Closed, with a flag or without.
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

    /// How long an array with an entry for each cell and the wall is.
    #[inline]
    pub fn extent(self) -> usize {
        (self.rows + 2) * self.stride()
    }

    /// Cells without the wall.
    #[inline]
    pub fn area(self) -> usize {
        self.rows * self.columns
    }

    #[inline]
    pub fn cell(self, row: usize, column: usize) -> usize {
        (row + 1) * self.stride() + column + 1
    }

    /// The cell at a row and a column, if there is one.
    #[inline]
    pub fn find(self, row: i64, column: i64) -> Option<usize> {
        let inside = |at: i64, len: usize| usize::try_from(at).ok().filter(|&at| at < len);
        Some(self.cell(inside(row, self.rows)?, inside(column, self.columns)?))
    }

    /// Row and column from 0.
    #[inline]
    pub fn place(self, cell: usize) -> [usize; 2] {
        [cell / self.stride() - 1, cell % self.stride() - 1]
    }

    /// Whether a cell of the array is on the board and not in the wall around it.
    #[inline]
    fn has(self, cell: usize) -> bool {
        let [row, column] = [cell / self.stride(), cell % self.stride()];
        (1..=self.rows).contains(&row) && (1..=self.columns).contains(&column)
    }

    /// Row and column of each cell.
    pub fn places(self, cells: &[usize]) -> Vec<[usize; 2]> {
        cells.iter().map(|&cell| self.place(cell)).collect()
    }

    /// All cells, row by row.
    #[inline]
    pub fn cells(self) -> impl DoubleEndedIterator<Item = usize> + Clone {
        (0..self.rows).flat_map(move |row| {
            let first = self.cell(row, 0);
            first..first + self.columns
        })
    }

    /// The cells up to so many rows and columns away from one, row by row, itself among them.
    pub fn square(self, cell: usize, reach: usize) -> impl Iterator<Item = usize> {
        let [row, column] = self.place(cell);
        let near = move |at: usize, len: usize| at.saturating_sub(reach)..(at + reach + 1).min(len);
        let row_of = move |row: usize| near(column, self.columns).map(move |column| self.cell(row, column));
        near(row, self.rows).flat_map(row_of)
    }

    /// The eight around, in ascending order; some may be wall.
    #[inline]
    pub fn around(self, cell: usize) -> Around {
        let stride = self.stride();
        let (above, below) = (cell - stride, cell + stride);
        [above - 1, above, above + 1, cell - 1, cell + 1, below - 1, below, below + 1]
    }
}

/// A board as one sees it, with what is already proven.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Position {
    pub grid: Grid,
    /// With the wall.
    pub cells: Vec<Cell>,
    /// Mines on the whole board, if that is known.
    pub mines: Option<usize>,
    /// Which cells a number counts.
    pub adjacency: Adjacency,
}

impl Position {
    /// All closed.
    pub fn closed(grid: Grid, mines: Option<usize>) -> Self {
        let mut cells = vec![Cell::Wall; grid.extent()];
        grid.cells().for_each(|cell| cells[cell] = Cell::Closed);
        Position { grid, cells, mines, adjacency: Adjacency::King }
    }

    /// The cells that a number there counts, some of them wall.
    #[inline]
    pub fn around(&self, cell: usize) -> Around {
        self.adjacency.counts(self.grid, cell)
    }

    /// The cells whose numbers count one, some of them wall.
    #[inline]
    pub fn counted_by(&self, cell: usize) -> Around {
        self.adjacency.counted_by(self.grid, cell)
    }

    /// Those of the cells around that are `kind`.
    #[inline]
    pub fn near(&self, cell: usize, kind: Cell) -> impl Iterator<Item = usize> {
        self.around(cell).into_iter().filter(move |&near| self.cells[near] == kind)
    }

    /// How many of those around are `kind`.
    #[inline]
    pub fn count_around(&self, cell: usize, kind: Cell) -> usize {
        let mut count = 0;
        for near in self.around(cell) {
            count += usize::from(self.cells[near] == kind);
        }
        count
    }

    /// The numbers that count a cell.
    #[inline]
    pub fn open_around(&self, cell: usize) -> impl Iterator<Item = usize> {
        self.counted_by(cell).into_iter().filter(|&near| self.cells[near].is_number())
    }

    /// The cells of which that is true, row by row.
    #[inline]
    pub fn cells_that(&self, is_one: impl Fn(Cell) -> bool + Clone) -> impl Iterator<Item = usize> + Clone {
        // One loop over the array, including the wall around the board, is faster than a loop over each row.
        let all = self.cells.iter().enumerate();
        all.filter(move |&(cell, &known)| is_one(known) && self.grid.has(cell)).map(|(cell, _)| cell)
    }

    /// All numbers, row by row.
    #[inline]
    pub fn numbers(&self) -> impl Iterator<Item = usize> + Clone {
        self.cells_that(Cell::is_number)
    }

    /// All cells that are `kind`, row by row.
    #[inline]
    pub fn all(&self, kind: Cell) -> impl Iterator<Item = usize> + Clone {
        self.cells_that(move |cell| cell == kind)
    }

    /// The cells, closed or with a flag, that these numbers see, ascending, each once.
    pub fn seen(&self, numbers: &[usize]) -> Vec<usize> {
        let mut seen: Vec<usize> = numbers.iter().flat_map(|&number| self.around(number)).collect();
        seen.retain(|&cell| self.cells[cell].is_covered());
        seen.sort_unstable();
        seen.dedup();
        seen
    }

    /// The mines that a number lacks; `None` if it cannot have them.
    #[inline]
    pub fn lacks(&self, number: usize) -> Option<u8> {
        let Cell::Open(value) = self.cells[number] else { return None };
        let lacks = value.checked_sub(self.count_around(number, Cell::Mine) as u8)?;
        (usize::from(lacks) <= self.count_around(number, Cell::Closed)).then_some(lacks)
    }

    /// The same board before any flag was put.
    pub fn without_flags(&self) -> Position {
        let mut bare = self.clone();
        bare.cells.iter_mut().filter(|cell| **cell == Cell::Mine).for_each(|cell| *cell = Cell::Closed);
        bare
    }

    /// Marks a closed cell as proven; the numbers around it, which may now say more, come into the queue.
    pub fn prove(&mut self, cell: usize, is_mine: bool, queue: &mut Vec<usize>) {
        self.cells[cell] = if is_mine { Cell::Mine } else { Cell::Safe };
        queue.extend(self.open_around(cell));
    }

    #[inline]
    pub fn count(&self, kind: Cell) -> usize {
        self.cells.iter().filter(|&&cell| cell == kind).count()
    }
}
