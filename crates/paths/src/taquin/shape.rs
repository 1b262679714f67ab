//! The frame of a board, and boards packed into a word.
//!
//! A tile is represented by its goal cell, so that the goal is the identity and the distance of a
//! tile is that between two cells. The blank is represented by its goal cell as well,
//! [`Shape::home`].

use std::hash::Hash;

/// Rows, columns, and the goal of the blank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Shape {
    pub rows: usize,
    pub columns: usize,
    pub home: usize,
}

/// The direction in which the blank moves; the tile moves the other way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Direction {
    Up,
    Left,
    Right,
    Down,
}

impl Direction {
    /// All directions, in the order in which searches try them. With the blank's goal in the last
    /// corner, it is Korf's order on the board rotated by 180°.
    pub const ALL: [Direction; 4] = [Direction::Down, Direction::Right, Direction::Left, Direction::Up];

    /// Returns the letter of the tile's direction.
    pub fn letter_of_tile(self) -> char {
        match self {
            Direction::Up => 'D',
            Direction::Left => 'R',
            Direction::Right => 'L',
            Direction::Down => 'U',
        }
    }
}

impl Shape {
    pub fn cells(self) -> usize {
        self.rows * self.columns
    }

    /// Returns the cell next to `cell` in a direction, if it is inside the frame.
    pub fn neighbour(self, cell: usize, direction: Direction) -> Option<usize> {
        let (row, column) = (cell / self.columns, cell % self.columns);
        match direction {
            Direction::Up => (row > 0).then(|| cell - self.columns),
            Direction::Down => (row + 1 < self.rows).then(|| cell + self.columns),
            Direction::Left => (column > 0).then(|| cell - 1),
            Direction::Right => (column + 1 < self.columns).then(|| cell + 1),
        }
    }

    /// Returns the direction from a cell to an adjacent one.
    #[inline(always)]
    pub fn direction(self, from: usize, to: usize) -> Direction {
        // Test up and down first: in a single column, the next cell is the one below.
        if to == from + self.columns {
            Direction::Down
        } else if to + self.columns == from {
            Direction::Up
        } else if to == from + 1 {
            Direction::Right
        } else {
            Direction::Left
        }
    }

    /// Returns the Manhattan distance between two cells.
    pub fn distance(self, a: usize, b: usize) -> usize {
        (a / self.columns).abs_diff(b / self.columns) + (a % self.columns).abs_diff(b % self.columns)
    }
}

/// The contents of a board: the number on each cell, the goal cell of its tile or of the blank.
pub trait Cells: Clone + Eq + Hash + Send + Sync {
    fn pack(tiles: &[u16]) -> Self;
    fn get(&self, cell: usize) -> usize;
    /// Slides `tile` from the cell `from` to the blank on `to`. `blank` is the number that
    /// represents the blank.
    fn slide(&self, tile: usize, from: usize, to: usize, blank: usize) -> Self;
}

macro_rules! packed {
    ($word:ty, $bits:literal) => {
        impl Cells for $word {
            fn pack(tiles: &[u16]) -> Self {
                tiles.iter().rev().fold(0, |word, &tile| word << $bits | <$word>::from(tile))
            }

            #[inline(always)]
            fn get(&self, cell: usize) -> usize {
                (self >> (cell * $bits)) as usize & ((1 << $bits) - 1)
            }

            #[inline(always)]
            fn slide(&self, tile: usize, from: usize, to: usize, blank: usize) -> Self {
                let change = (tile ^ blank) as $word;
                self ^ (change << (from * $bits)) ^ (change << (to * $bits))
            }
        }
    };
}

// Up to 16 cells.
packed!(u64, 4);
// Up to 25 cells.
packed!(u128, 5);

impl Cells for Box<[u16]> {
    fn pack(tiles: &[u16]) -> Self {
        tiles.into()
    }

    fn get(&self, cell: usize) -> usize {
        usize::from(self[cell])
    }

    fn slide(&self, tile: usize, from: usize, to: usize, blank: usize) -> Self {
        let mut cells = self.clone();
        (cells[from], cells[to]) = (blank as u16, tile as u16);
        cells
    }
}
