//! Which cells a number counts, as the shipped encodings have it.

use super::grid::Grid;
use super::{KNIGHT, TORUS};
use crate::job::Rules;

/// Where a number looks for mines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Topology {
    /// Where a king can go.
    King,
    /// Where a king can go who leaves the board on one side and comes in on the other.
    Torus(Torus),
    /// Where a knight can go.
    Knight,
}

/// The first row and column in which there is a cell, counted from the corner of the grid, and how many of each there are.
/// A board with whole rows left out is as high as it has rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Torus {
    pub first: [i64; 2],
    pub lens: [i64; 2],
}

impl Topology {
    /// That of rules that ship; `None` for rules of a person's own.
    pub fn of(rules: &Rules, torus: Torus) -> Option<Self> {
        match rules {
            Rules::Shipped(name) if *name == TORUS.name => Some(Topology::Torus(torus)),
            Rules::Shipped(name) if *name == KNIGHT.name => Some(Topology::Knight),
            Rules::Shipped(_) => Some(Topology::King),
            Rules::Yours(_) => None,
        }
    }

    /// The cells that a number there counts if they are closed, ascending, each once; some may be wall.
    pub fn neighbors(self, grid: Grid, cell: usize) -> Vec<usize> {
        if self == Topology::King {
            return grid.around(cell).to_vec();
        }
        let from = grid.place(cell).map(|at| at as i64);
        let reach = if self == Topology::Knight { 2 } else { 1_i64 };
        let shifts = (-reach..=reach).flat_map(|down| (-reach..=reach).map(move |right| [down, right]));
        let is_move = |&[down, right]: &[i64; 2]| match self {
            Topology::Knight => down * down + right * right == 5,
            _ => [down, right] != [0, 0],
        };
        let mut cells: Vec<usize> = shifts
            .filter(is_move)
            .filter_map(|shift| {
                let to = |axis: usize| match self {
                    Topology::Torus(torus) => torus.moved(axis, from[axis], shift[axis]),
                    _ => Some(from[axis] + shift[axis]),
                };
                grid.find(to(0)?, to(1)?)
            })
            .collect();
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
