//! Neighbourhoods: which cells a number counts, computed once for each board.

use std::sync::Arc;

use puzzle::job::Rules;

use super::encodings::{HEXAGONS, KNIGHT, TORUS};
use super::grid::{Around, Grid};

/// The neighbourhood of a board: a built-in one, or a custom one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Topology {
    /// The eight cells that a chess king reaches.
    King,
    /// A king's neighbourhood on a torus: opposite edges of the board are joined.
    Torus(Torus),
    /// The eight cells that a chess knight reaches.
    Knight,
    /// The six neighbours of a hexagon. Rows with an odd number are shifted right by half a cell;
    /// `first_row` is the number of the first row.
    Hexagons { first_row: i32 },
    /// The neighbourhood of a custom encoding.
    Custom,
}

/// The part of the grid that forms a torus. Rows and columns without cells do not belong to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Torus {
    /// The first row and the first column that contain a cell, as offsets into the grid.
    pub first: [i64; 2],
    /// The number of rows and the number of columns that contain a cell.
    pub lens: [i64; 2],
}

/// The neighbourhood of each cell. `King`, the eight adjacent cells, is computed, which is faster
/// than a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Adjacency {
    King,
    Table(Arc<NeighborTable>),
}

#[derive(Debug, PartialEq, Eq)]
pub struct NeighborTable {
    topology: Topology,
    /// For each cell, the cells that a number on it counts.
    counts: Vec<[u32; 8]>,
    /// For each cell, the cells whose numbers count it.
    counted_by: Vec<[u32; 8]>,
}

impl Topology {
    /// Returns the topology of built-in rules, or `None` for custom rules.
    pub fn of(rules: &Rules, torus: Torus, first_row: i32) -> Option<Self> {
        match rules {
            Rules::BuiltIn(name) if *name == TORUS.name => Some(Topology::Torus(torus)),
            Rules::BuiltIn(name) if *name == KNIGHT.name => Some(Topology::Knight),
            Rules::BuiltIn(name) if *name == HEXAGONS.name => Some(Topology::Hexagons { first_row }),
            Rules::BuiltIn(_) => Some(Topology::King),
            Rules::Custom(_) => None,
        }
    }

    /// Returns true if the row is shifted right by half a cell.
    pub fn is_shifted(self, row: usize) -> bool {
        matches!(self, Topology::Hexagons { first_row } if (row as i64 + i64::from(first_row)) & 1 == 0)
    }

    /// Returns the cells that a number at `cell` counts, in ascending order without repetition.
    /// Some may be walls.
    fn neighbors(self, grid: Grid, cell: usize) -> Vec<usize> {
        let place = grid.place(cell);
        let from = place.map(|at| at as i64);
        let half = i64::from(self.is_shifted(place[0]));
        let reach = if self == Topology::Knight { 2 } else { 1_i64 };
        let shifts = (-reach..=reach).flat_map(|down| (-reach..=reach).map(move |right| [down, right]));
        let is_move = |&[down, right]: &[i64; 2]| match self {
            Topology::Knight => down * down + right * right == 5,
            Topology::Hexagons { .. } if down != 0 => (half - 1..=half).contains(&right),
            _ => [down, right] != [0, 0],
        };
        let to = |shift: [i64; 2], axis: usize| match self {
            Topology::Torus(torus) => torus.wrap(axis, from[axis], shift[axis]),
            _ => Some(from[axis] + shift[axis]),
        };
        let neighbors = shifts.filter(is_move).filter_map(|shift| grid.find(to(shift, 0)?, to(shift, 1)?));
        let mut cells: Vec<usize> = neighbors.collect();
        cells.sort_unstable();
        cells.dedup();
        cells
    }
}

impl Torus {
    /// Returns the torus of a board whose cells fill the grid.
    pub fn of_grid(grid: Grid) -> Self {
        Torus { first: [0, 0], lens: [grid.rows as i64, grid.columns as i64] }
    }

    /// Returns the row or column after a step, with the same arithmetic as `torus.lp`.
    fn wrap(self, axis: usize, from: i64, shift: i64) -> Option<i64> {
        let (first, len) = (self.first[axis], self.lens[axis]);
        Some(first + (from - first + shift + len).checked_rem(len)?)
    }
}

impl Adjacency {
    /// Returns `None` if more than eight numbers count a cell, as on a torus with empty rows.
    pub fn new(topology: Topology, grid: Grid) -> Option<Self> {
        if topology == Topology::King {
            return Some(Adjacency::King);
        }
        Self::from_lists(topology, grid, grid.cells().map(|cell| (cell, topology.neighbors(grid, cell))))
    }

    /// Builds a table from the cells that each number counts. Returns `None` if a number counts
    /// more than eight cells, or more than eight numbers count a cell: `Around`, `IndexList` and
    /// the keys of `count.rs` hold eight.
    pub fn from_lists(
        topology: Topology,
        grid: Grid,
        numbers: impl Iterator<Item = (usize, Vec<usize>)>,
    ) -> Option<Self> {
        let empty = vec![[0; 8]; grid.extent()];
        let mut counts = empty.clone();
        let mut counted_by = empty;
        let mut used = vec![0; grid.extent()];
        for (number, cells) in numbers {
            for (index, cell) in cells.into_iter().enumerate() {
                *counts[number].get_mut(index)? = cell as u32;
                *counted_by[cell].get_mut(used[cell])? = number as u32;
                used[cell] += 1;
            }
        }
        Some(Adjacency::Table(Arc::new(NeighborTable { topology, counts, counted_by })))
    }

    pub fn topology(&self) -> Topology {
        match self {
            Adjacency::King => Topology::King,
            Adjacency::Table(table) => table.topology,
        }
    }

    /// Returns the cells that a number at `cell` counts, in ascending order. Some may be walls.
    #[inline]
    pub fn counts(&self, grid: Grid, cell: usize) -> Around {
        match self {
            Adjacency::King => grid.around(cell),
            Adjacency::Table(table) => table.counts[cell].map(|cell| cell as usize),
        }
    }

    /// Returns the cells whose numbers count `cell`. Some may be walls.
    #[inline]
    pub fn counted_by(&self, grid: Grid, cell: usize) -> Around {
        match self {
            Adjacency::King => grid.around(cell),
            Adjacency::Table(table) => table.counted_by[cell].map(|cell| cell as usize),
        }
    }
}
