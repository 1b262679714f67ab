//! A game: the hidden mines, and what the player sees.

use super::super::grid::{Cell, Grid, Position};

/// What the first click may meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Start {
    /// No mine
    #[default]
    Safe,
    /// No mine, and none around it
    Opening,
}

/// So many mines on such a grid, and what the first click may meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Setup {
    pub grid: Grid,
    pub mines: usize,
    pub start: Start,
}

/// What a click did.
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
    /// Cells without a mine that are closed.
    left: usize,
    pub position: Position,
}

impl Setup {
    /// Cells that have no mine because the first click is there.
    pub fn kept_free(&self, first: usize) -> impl Iterator<Item = usize> + Clone {
        let around = if self.start == Start::Opening { self.grid.around(first) } else { [first; 8] };
        std::iter::once(first).chain(around)
    }

    /// Cells that are kept free for a first click in the middle.
    pub fn most_kept_free(&self) -> usize {
        if self.start == Start::Opening { self.grid.rows.min(3) * self.grid.columns.min(3) } else { 1 }
    }

    /// Lays the mines: those cells that come first in a random order and are not kept free. So games of one seed are
    /// alike even if their first clicks are not.
    pub fn game(&self, random: &mut fastrand::Rng, first: usize) -> Game {
        let mut order: Vec<usize> = self.grid.cells().collect();
        random.shuffle(&mut order);
        let mut is_mine = vec![false; self.grid.extent()];
        let kept_free = self.kept_free(first);
        for cell in order.into_iter().filter(|cell| !kept_free.clone().any(|free| free == *cell)).take(self.mines) {
            is_mine[cell] = true;
        }
        Game::new(self.grid, is_mine)
    }
}

impl Game {
    pub fn new(grid: Grid, is_mine: Vec<bool>) -> Self {
        let mines = is_mine.iter().filter(|&&is_mine| is_mine).count();
        Game { is_mine, left: grid.area() - mines, position: Position::closed(grid, Some(mines)) }
    }

    /// A game that is begun: what its board shows fits the mines.
    pub fn begun(position: &Position, is_mine: Vec<bool>) -> Self {
        let is_left = |&cell: &usize| position.cells[cell] == Cell::Closed && !is_mine[cell];
        let left = position.grid.cells().filter(is_left).count();
        Game { is_mine, left, position: position.clone() }
    }

    pub fn is_mine(&self, cell: usize) -> bool {
        self.is_mine[cell]
    }

    /// Opens a closed cell, and from a 0 on all around it; appends what is open now to `opened`.
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
                for near in self.position.around(cell) {
                    self.open(near, opened);
                }
            }
        }
        if self.left == 0 { Click::Won } else { Click::Open }
    }

    fn open(&mut self, cell: usize, opened: &mut Vec<usize>) {
        if matches!(self.position.cells[cell], Cell::Closed | Cell::Safe) {
            let around = self.position.around(cell).into_iter();
            self.position.cells[cell] = Cell::Open(around.filter(|&near| self.is_mine[near]).count() as u8);
            self.left -= 1;
            opened.push(cell);
        }
    }
}
