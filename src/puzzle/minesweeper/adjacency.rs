//! Which cells a number counts, as data: made once for a board, and read by whatever looks at the cells around one.

use std::sync::Arc;

use super::grid::{Around, Grid};
use super::{HEXAGONS, KNIGHT, TORUS};
use crate::job::Rules;

/// The neighbourhoods that ship, and any other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Where a king can go.
    King,
    /// Where a king can go who leaves the board on one side and comes in on the other.
    Torus(Torus),
    /// Where a knight can go.
    Knight,
    /// The six cells beside a hexagon. Every second row is half a cell further right: those with an odd number, where the
    /// first row has this one.
    Hexagons { first_row: i32 },
    /// What an encoding of one's own says.
    Own,
}

/// The first row and column in which there is a cell, counted from the corner of the grid, and how many of each there are.
/// A board with whole rows left out is as high as it has rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Torus {
    pub first: [i64; 2],
    pub lens: [i64; 2],
}

/// The neighbourhood of each cell. A king's is calculated, which is quicker than looking it up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Adjacency {
    King,
    Table(Arc<Table>),
}

#[derive(Debug, PartialEq, Eq)]
pub struct Table {
    shape: Shape,
    /// For each cell of the grid those that a number there counts, and those whose numbers count it.
    counts: Vec<[u32; 8]>,
    counted_by: Vec<[u32; 8]>,
}

impl Shape {
    /// That of rules that ship; `None` for rules of a person's own.
    pub fn of(rules: &Rules, torus: Torus, first_row: i32) -> Option<Self> {
        match rules {
            Rules::Shipped(name) if *name == TORUS.name => Some(Shape::Torus(torus)),
            Rules::Shipped(name) if *name == KNIGHT.name => Some(Shape::Knight),
            Rules::Shipped(name) if *name == HEXAGONS.name => Some(Shape::Hexagons { first_row }),
            Rules::Shipped(_) => Some(Shape::King),
            Rules::Yours(_) => None,
        }
    }

    /// Whether a row is half a cell further right.
    pub fn is_shifted(self, row: usize) -> bool {
        matches!(self, Shape::Hexagons { first_row } if (row as i64 + i64::from(first_row)) & 1 == 1)
    }

    /// The cells that a number there counts if they are closed, ascending, each once; some may be wall.
    fn neighbors(self, grid: Grid, cell: usize) -> Vec<usize> {
        let place = grid.place(cell);
        let from = place.map(|at| at as i64);
        let half = i64::from(self.is_shifted(place[0]));
        let reach = if self == Shape::Knight { 2 } else { 1_i64 };
        let shifts = (-reach..=reach).flat_map(|down| (-reach..=reach).map(move |right| [down, right]));
        let is_move = |&[down, right]: &[i64; 2]| match self {
            Shape::Knight => down * down + right * right == 5,
            Shape::Hexagons { .. } if down != 0 => (half - 1..=half).contains(&right),
            _ => [down, right] != [0, 0],
        };
        let to = |shift: [i64; 2], axis: usize| match self {
            Shape::Torus(torus) => torus.moved(axis, from[axis], shift[axis]),
            _ => Some(from[axis] + shift[axis]),
        };
        let found = shifts.filter(is_move).filter_map(|shift| grid.find(to(shift, 0)?, to(shift, 1)?));
        let mut cells: Vec<usize> = found.collect();
        cells.sort_unstable();
        cells.dedup();
        cells
    }
}

impl Torus {
    /// Of a board whose cells fill the grid.
    pub fn whole(grid: Grid) -> Self {
        Torus { first: [0, 0], lens: [grid.rows as i64, grid.columns as i64] }
    }

    /// The row or column after a step, word for word as the encoding calculates it.
    fn moved(self, axis: usize, from: i64, shift: i64) -> Option<i64> {
        let (first, len) = (self.first[axis], self.lens[axis]);
        Some(first + (from - first + shift + len).checked_rem(len)?)
    }
}

impl Adjacency {
    /// `None` where a cell is counted by more than eight numbers, which a torus with rows left out may have.
    pub fn new(shape: Shape, grid: Grid) -> Option<Self> {
        if shape == Shape::King {
            return Some(Adjacency::King);
        }
        Self::table(shape, grid, grid.cells().map(|cell| (cell, shape.neighbors(grid, cell))))
    }

    /// From the cells that each number counts. `None` where a number counts more than eight, or a cell is counted by more:
    /// lists and the states of a count have no room for that.
    pub fn table(shape: Shape, grid: Grid, numbers: impl Iterator<Item = (usize, Vec<usize>)>) -> Option<Self> {
        let none = vec![[0; 8]; grid.extent()];
        let (mut counts, mut counted_by, mut used) = (none.clone(), none, vec![0; grid.extent()]);
        for (number, cells) in numbers {
            for (index, cell) in cells.into_iter().enumerate() {
                *counts[number].get_mut(index)? = cell as u32;
                *counted_by[cell].get_mut(used[cell])? = number as u32;
                used[cell] += 1;
            }
        }
        Some(Adjacency::Table(Arc::new(Table { shape, counts, counted_by })))
    }

    pub fn shape(&self) -> Shape {
        match self {
            Adjacency::King => Shape::King,
            Adjacency::Table(table) => table.shape,
        }
    }

    /// The cells that a number there counts, in ascending order; some may be wall.
    #[inline]
    pub fn counts(&self, grid: Grid, cell: usize) -> Around {
        match self {
            Adjacency::King => grid.around(cell),
            Adjacency::Table(table) => table.counts[cell].map(|cell| cell as usize),
        }
    }

    /// The cells whose numbers count it.
    #[inline]
    pub fn counted_by(&self, grid: Grid, cell: usize) -> Around {
        match self {
            Adjacency::King => grid.around(cell),
            Adjacency::Table(table) => table.counted_by[cell].map(|cell| cell as usize),
        }
    }
}
