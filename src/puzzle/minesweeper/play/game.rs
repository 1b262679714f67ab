//! A game: the hidden mines, and what the player sees.

use super::super::grid::{Cell, Grid, KnownPosition};

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
    /// Closed cells without a mine.
    left: usize,
    pub position: KnownPosition,
}

impl Setup {
    /// Cells that are free of mines because of the first click.
    pub fn mine_free_cells(&self, first: usize) -> impl Iterator<Item = usize> + Clone {
        let around = if self.start == Start::Opening { self.grid.around(first) } else { [first; 8] };
        std::iter::once(first).chain(around)
    }

    /// Largest number of cells that a first click keeps free, in the middle of the board.
    pub fn max_mine_free_cells(&self) -> usize {
        if self.start == Start::Opening { self.grid.rows.min(3) * self.grid.columns.min(3) } else { 1 }
    }

    /// Places the mines on the first cells of a random order that are not kept free. Games of one
    /// seed are therefore similar even if their first clicks differ.
    pub fn game(&self, random: &mut fastrand::Rng, first: usize) -> Game {
        let mut order: Vec<usize> = self.grid.cells().collect();
        random.shuffle(&mut order);
        let mut is_mine = vec![false; self.grid.extent()];
        let mine_free_cells = self.mine_free_cells(first);
        for cell in order.into_iter().filter(|cell| !mine_free_cells.clone().any(|free| free == *cell)).take(self.mines) {
            is_mine[cell] = true;
        }
        Game::new(self.grid, is_mine)
    }
}

impl Game {
    pub fn new(grid: Grid, is_mine: Vec<bool>) -> Self {
        let mines = is_mine.iter().filter(|&&is_mine| is_mine).count();
        Game { is_mine, left: grid.area() - mines, position: KnownPosition::closed(grid, Some(mines)) }
    }

    /// Resumes a game whose board fits the mines.
    pub fn resume(position: &KnownPosition, is_mine: Vec<bool>) -> Self {
        let is_left = |&cell: &usize| position.cells[cell] == Cell::Closed && !is_mine[cell];
        let left = position.grid.cells().filter(is_left).count();
        Game { is_mine, left, position: position.clone() }
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
