//! A game: the hidden mines, and the visible position.

use super::super::grid::{Cell, Grid};
use super::super::position::KnownPosition;

/// The guarantee for the first click.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Start {
    /// No mine
    #[default]
    Safe,
    /// No mine, and none around it
    Opening,
}

/// The size of a game, and the guarantee for the first click.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Setup {
    pub grid: Grid,
    pub mines: usize,
    pub start: Start,
}

/// The result of a click.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Click {
    Mine,
    Open,
    /// The last cell without a mine is open.
    Won,
}

#[derive(Clone)]
pub struct Game {
    is_mine: Vec<bool>,
    /// The number of closed cells without a mine.
    safe_left: usize,
    pub position: KnownPosition,
}

impl Setup {
    /// Returns the cells that the guarantee for the first click keeps free of mines.
    pub fn mine_free_cells(&self, first: usize) -> impl Iterator<Item = usize> + Clone {
        let around = if self.start == Start::Opening { self.grid.around(first) } else { [first; 8] };
        std::iter::once(first).chain(around)
    }

    /// Returns the largest number of cells that a first click keeps free of mines, which is that in
    /// the middle of the board.
    pub fn max_mine_free_cells(&self) -> usize {
        if self.start == Start::Opening { self.grid.rows.min(3) * self.grid.columns.min(3) } else { 1 }
    }

    /// Places the mines on the first cells of a random order, except on those that are kept free.
    /// Games of the same seed are therefore similar even if their first clicks differ.
    pub fn game(&self, random: &mut fastrand::Rng, first: usize) -> Game {
        let mut order: Vec<usize> = self.grid.cells().collect();
        random.shuffle(&mut order);
        let mut is_mine = vec![false; self.grid.extent()];
        let mine_free_cells = self.mine_free_cells(first);
        for cell in order.into_iter().filter(|cell| !mine_free_cells.clone().any(|free| free == *cell)).take(self.mines)
        {
            is_mine[cell] = true;
        }
        Game::new(self.grid, is_mine)
    }
}

impl Game {
    pub fn new(grid: Grid, is_mine: Vec<bool>) -> Self {
        let mines = is_mine.iter().filter(|&&is_mine| is_mine).count();
        Game { is_mine, safe_left: grid.area() - mines, position: KnownPosition::closed(grid, Some(mines)) }
    }

    /// Resumes a game with a position that the mines fit.
    pub fn resume(position: &KnownPosition, is_mine: Vec<bool>) -> Self {
        let is_closed_and_safe = |&cell: &usize| position.cells[cell] == Cell::Closed && !is_mine[cell];
        let safe_left = position.grid.cells().filter(is_closed_and_safe).count();
        Game { is_mine, safe_left, position: position.clone() }
    }

    pub fn is_mine(&self, cell: usize) -> bool {
        self.is_mine[cell]
    }

    /// Opens a closed cell, and recursively all cells around a 0; appends the cells that became
    /// open to `opened`.
    pub fn click(&mut self, cell: usize, opened: &mut Vec<usize>) -> Click {
        if self.is_mine[cell] {
            return Click::Mine;
        }
        let begin = opened.len();
        self.open(cell, opened);
        let mut next = begin;
        while let Some(&cell) = opened.get(next) {
            next += 1;
            if self.position.cells[cell] == Cell::Open(0) {
                for neighbor in self.position.around(cell) {
                    self.open(neighbor, opened);
                }
            }
        }
        if self.safe_left == 0 { Click::Won } else { Click::Open }
    }

    fn open(&mut self, cell: usize, opened: &mut Vec<usize>) {
        if matches!(self.position.cells[cell], Cell::Closed | Cell::Safe) {
            let around = self.position.around(cell).into_iter();
            self.position.cells[cell] = Cell::Open(around.filter(|&neighbor| self.is_mine[neighbor]).count() as u8);
            self.safe_left -= 1;
            opened.push(cell);
        }
    }
}
