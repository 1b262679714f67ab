//! Linear conflicts: the Manhattan distance, plus two moves for each tile that must leave its line
//! to let others pass.
//!
//! Two tiles in their goal line (row or column), but in the wrong order, cannot pass each other:
//! one of them must leave the line and come back. Of all tiles of a line that belong there, all but
//! those of a longest ascending subsequence have to leave (Hansson, Mayer and Yung, 1992). Tiles
//! leave a row along columns and a column along rows, so the conflicts of rows and columns may be
//! added, and neither is part of the Manhattan distance.

use super::manhattan::{self, Manhattan};
use super::shape::{Cells, Shape};
use super::space::{Heuristic, Slide};
use crate::search::Cost;

/// Admissible and consistent.
pub struct LinearConflict {
    manhattan: Manhattan,
    shape: Shape,
}

/// The two parts of the sum.
#[derive(Clone, Copy)]
pub struct Memory {
    steps: Cost,
    conflicts: Cost,
}

impl LinearConflict {
    pub fn new(shape: Shape) -> Self {
        LinearConflict { manhattan: Manhattan::new(shape), shape }
    }

    /// Moves of the tiles that must leave the row.
    fn of_row(&self, row: usize, tile_on: impl Fn(usize) -> usize) -> Cost {
        let columns = self.shape.columns;
        let belongs = |tile: &usize| *tile != self.shape.home && tile / columns == row;
        self.of_line((row * columns..(row + 1) * columns).map(tile_on).filter(belongs))
    }

    fn of_column(&self, column: usize, tile_on: impl Fn(usize) -> usize) -> Cost {
        let columns = self.shape.columns;
        let belongs = |tile: &usize| *tile != self.shape.home && tile % columns == column;
        self.of_line((column..self.shape.cells()).step_by(columns).map(tile_on).filter(belongs))
    }

    /// Longest increasing subsequence by patience sorting: `ends[k]` is the least end of an
    /// ascending sequence of k + 1 tiles.
    fn of_line(&self, tiles: impl Iterator<Item = usize>) -> Cost {
        let mut ends = [usize::MAX; 32];
        let (mut longest, mut all) = (0, 0);
        for tile in tiles {
            let place = ends.partition_point(|&end| end < tile);
            // Lines longer than the array are rare, and counting nothing is admissible.
            let Some(end) = ends.get_mut(place) else { return 0 };
            *end = tile;
            longest = longest.max(place + 1);
            all += 1;
        }
        2 * (all - longest as Cost)
    }
}

impl Heuristic for LinearConflict {
    type Memory = Memory;

    fn first(&self, tiles: &[u16]) -> Memory {
        let tile_on = |cell: usize| usize::from(tiles[cell]);
        let rows: Cost = (0..self.shape.rows).map(|row| self.of_row(row, tile_on)).sum();
        let columns: Cost = (0..self.shape.columns).map(|column| self.of_column(column, tile_on)).sum();
        Memory { steps: manhattan::distance(self.shape, tiles), conflicts: rows + columns }
    }

    #[inline(always)]
    fn value(&self, memory: &Memory) -> Cost {
        memory.steps + memory.conflicts
    }

    #[inline(always)]
    fn after(&self, memory: &Memory, slide: Slide, cells: &impl Cells, _: Cost) -> (Memory, Cost) {
        let Slide { tile, from, to } = slide;
        let now = |cell: usize| cells.get(cell);
        let before = |cell: usize| match cell {
            _ if cell == from => tile,
            _ if cell == to => self.shape.home,
            _ => cells.get(cell),
        };
        let columns = self.shape.columns;
        let (mut fewer, mut more) = (0, 0);
        // A move along a column keeps the order within the column and changes two rows; a move
        // along a row changes two columns.
        for cell in [from, to] {
            if from.abs_diff(to) == columns && columns > 1 {
                fewer += self.of_row(cell / columns, before);
                more += self.of_row(cell / columns, now);
            } else {
                fewer += self.of_column(cell % columns, before);
                more += self.of_column(cell % columns, now);
            }
        }
        let memory = Memory {
            steps: memory.steps.wrapping_add(self.manhattan.change(slide)),
            conflicts: memory.conflicts + more - fewer,
        };
        (memory, memory.steps + memory.conflicts)
    }
}
