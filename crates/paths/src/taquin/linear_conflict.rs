//! Linear conflicts: the Manhattan distance, plus two moves for each tile that must leave its line
//! to let others pass.
//!
//! Two tiles in their goal line (row or column), but in the wrong order, cannot pass each other:
//! one of them must leave the line and come back. Of all tiles of a line that belong there, all but
//! those of a longest ascending subsequence have to leave (Hansson, Mayer and Yung, 1992). Tiles
//! leave a row along columns and a column along rows, so the conflicts of rows and columns may be
//! added, and the Manhattan distance includes neither.

use statespace::search::Cost;

use super::manhattan::{self, Manhattan};
use super::shape::{Cells, Shape};
use super::space::{Heuristic, Slide};

/// The Manhattan distance with linear conflicts, an admissible and consistent heuristic.
pub struct LinearConflict {
    manhattan: Manhattan,
    shape: Shape,
}

/// The two terms of the heuristic: the Manhattan distance and the extra moves for conflicts.
#[derive(Clone, Copy)]
pub struct Memory {
    distance: Cost,
    conflicts: Cost,
}

impl LinearConflict {
    pub fn new(shape: Shape) -> Self {
        LinearConflict { manhattan: Manhattan::new(shape), shape }
    }

    /// Returns the extra moves of the tiles that must leave the row.
    fn row_conflicts(&self, row: usize, tile_on: impl Fn(usize) -> usize) -> Cost {
        let columns = self.shape.columns;
        let belongs = |tile: &usize| *tile != self.shape.home && tile / columns == row;
        self.line_conflicts((row * columns..(row + 1) * columns).map(tile_on).filter(belongs))
    }

    fn column_conflicts(&self, column: usize, tile_on: impl Fn(usize) -> usize) -> Cost {
        let columns = self.shape.columns;
        let belongs = |tile: &usize| *tile != self.shape.home && tile % columns == column;
        self.line_conflicts((column..self.shape.cells()).step_by(columns).map(tile_on).filter(belongs))
    }

    /// Returns two moves for each tile outside a longest increasing subsequence. Patience sorting
    /// finds its length: `ends[k]` is the least end of an ascending sequence of k + 1 tiles.
    fn line_conflicts(&self, tiles: impl Iterator<Item = usize>) -> Cost {
        let mut ends = [usize::MAX; 32];
        let (mut longest, mut count) = (0, 0);
        for tile in tiles {
            let place = ends.partition_point(|&end| end < tile);
            // Lines with a longer ascending sequence are rare, and 0 is an admissible value.
            let Some(end) = ends.get_mut(place) else { return 0 };
            *end = tile;
            longest = longest.max(place + 1);
            count += 1;
        }
        2 * (count - longest as Cost)
    }
}

impl Heuristic for LinearConflict {
    type Memory = Memory;

    fn initial_memory(&self, tiles: &[u16]) -> Memory {
        let tile_on = |cell: usize| usize::from(tiles[cell]);
        let rows: Cost = (0..self.shape.rows).map(|row| self.row_conflicts(row, tile_on)).sum();
        let columns: Cost = (0..self.shape.columns).map(|column| self.column_conflicts(column, tile_on)).sum();
        Memory { distance: manhattan::distance(self.shape, tiles), conflicts: rows + columns }
    }

    #[inline(always)]
    fn value(&self, memory: &Memory) -> Cost {
        memory.distance + memory.conflicts
    }

    #[inline(always)]
    fn update(&self, memory: &Memory, slide: Slide, cells: &impl Cells, _: Cost) -> (Memory, Cost) {
        let Slide { tile, from, to } = slide;
        let tile_after = |cell: usize| cells.get(cell);
        let tile_before = |cell: usize| match cell {
            _ if cell == from => tile,
            _ if cell == to => self.shape.home,
            _ => cells.get(cell),
        };
        let columns = self.shape.columns;
        let (mut old_conflicts, mut new_conflicts) = (0, 0);
        // A move along a column keeps the order within the column and changes two rows; a move
        // along a row changes two columns.
        for cell in [from, to] {
            if from.abs_diff(to) == columns && columns > 1 {
                old_conflicts += self.row_conflicts(cell / columns, tile_before);
                new_conflicts += self.row_conflicts(cell / columns, tile_after);
            } else {
                old_conflicts += self.column_conflicts(cell % columns, tile_before);
                new_conflicts += self.column_conflicts(cell % columns, tile_after);
            }
        }
        let memory = Memory {
            distance: memory.distance.wrapping_add(self.manhattan.change(slide)),
            conflicts: memory.conflicts + new_conflicts - old_conflicts,
        };
        (memory, memory.distance + memory.conflicts)
    }
}
