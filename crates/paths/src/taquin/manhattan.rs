//! The Manhattan distance: each tile's distance to its goal, ignoring all others.

use statespace::search::Cost;

use super::shape::{Cells, Direction, Shape};
use super::space::{Heuristic, Slide};

/// The Manhattan distance, an admissible and consistent heuristic: a move changes the distance of
/// one tile by one.
pub struct Manhattan {
    shape: Shape,
    /// The change of the distance for each slide; empty for boards that are too large for a table.
    changes: Vec<i8>,
}

/// Maximum number of cells of a board with a table; a power of two.
const MAX_TABLED_CELLS: usize = 32;

impl Manhattan {
    pub fn new(shape: Shape) -> Self {
        let mut manhattan = Manhattan { shape, changes: Vec::new() };
        let cells = shape.cells();
        if cells <= MAX_TABLED_CELLS {
            let mut changes = vec![0; MAX_TABLED_CELLS * MAX_TABLED_CELLS * MAX_TABLED_CELLS];
            for (from, direction) in (0..cells).flat_map(|from| Direction::ALL.map(|direction| (from, direction))) {
                let Some(to) = shape.neighbour(from, direction) else { continue };
                for tile in 0..cells {
                    changes[index(Slide { tile, from, to })] = manhattan.compute(tile, from, to) as i8;
                }
            }
            manhattan.changes = changes;
        }
        manhattan
    }

    #[inline(always)]
    pub fn change(&self, slide: Slide) -> Cost {
        let change = match self.changes.get(index(slide)) {
            Some(&change) => i32::from(change),
            None => self.compute(slide.tile, slide.from, slide.to),
        };
        // Two's complement: a wrapping addition gives the right sum.
        change as Cost
    }

    #[cold]
    fn compute(&self, tile: usize, from: usize, to: usize) -> i32 {
        self.shape.distance(to, tile) as i32 - self.shape.distance(from, tile) as i32
    }
}

/// Computes the Manhattan distance of a whole board.
pub fn distance(shape: Shape, tiles: &[u16]) -> Cost {
    let tiles = tiles.iter().map(|&tile| usize::from(tile)).enumerate();
    tiles.filter(|&(_, tile)| tile != shape.home).map(|(cell, tile)| shape.distance(cell, tile) as Cost).sum()
}

#[inline(always)]
fn index(Slide { tile, from, to }: Slide) -> usize {
    (to * MAX_TABLED_CELLS + from) * MAX_TABLED_CELLS + tile
}

impl Heuristic for Manhattan {
    type Memory = Cost;

    fn initial_memory(&self, tiles: &[u16]) -> Cost {
        distance(self.shape, tiles)
    }

    #[inline(always)]
    fn value(&self, memory: &Cost) -> Cost {
        *memory
    }

    #[inline(always)]
    fn update(&self, memory: &Cost, slide: Slide, _: &impl Cells, _: Cost) -> (Cost, Cost) {
        let sum = memory.wrapping_add(self.change(slide));
        (sum, sum)
    }
}
