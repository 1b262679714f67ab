//! The Manhattan distance: each tile's steps home, as if the others were not there.

use super::shape::{Cells, Direction, Shape};
use super::space::{Heuristic, Slide};
use crate::search::Cost;

/// Admissible and consistent: a move takes one tile one step.
pub struct Manhattan {
    shape: Shape,
    /// What a slide changes, by the cells and the tile; empty for boards on which it is reckoned out.
    changes: Vec<i8>,
}

/// Boards up to so many cells have a table; a power of two.
const TABLED: usize = 32;

impl Manhattan {
    pub fn new(shape: Shape) -> Self {
        let mut manhattan = Manhattan { shape, changes: Vec::new() };
        let cells = shape.cells();
        if cells <= TABLED {
            let mut changes = vec![0; TABLED * TABLED * TABLED];
            for (from, direction) in (0..cells).flat_map(|from| Direction::ALL.map(|direction| (from, direction))) {
                let Some(to) = shape.neighbour(from, direction) else { continue };
                for tile in 0..cells {
                    changes[index(Slide { tile, from, to })] = manhattan.reckon(tile, from, to) as i8;
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
            None => self.reckon(slide.tile, slide.from, slide.to),
        };
        // Two's complement: adding it wraps round to the right sum.
        change as Cost
    }

    #[cold]
    fn reckon(&self, tile: usize, from: usize, to: usize) -> i32 {
        self.shape.distance(to, tile) as i32 - self.shape.distance(from, tile) as i32
    }
}

/// Of a whole board.
pub fn distance(shape: Shape, tiles: &[u16]) -> Cost {
    let tiles = tiles.iter().map(|&tile| usize::from(tile)).enumerate();
    tiles.filter(|&(_, tile)| tile != shape.home).map(|(cell, tile)| shape.distance(cell, tile) as Cost).sum()
}

#[inline(always)]
fn index(Slide { tile, from, to }: Slide) -> usize {
    (to * TABLED + from) * TABLED + tile
}

impl Heuristic for Manhattan {
    type Memory = Cost;

    fn first(&self, tiles: &[u16]) -> Cost {
        distance(self.shape, tiles)
    }

    #[inline(always)]
    fn value(&self, memory: &Cost) -> Cost {
        *memory
    }

    #[inline(always)]
    fn after(&self, memory: &Cost, slide: Slide, _: &impl Cells, _: Cost) -> (Cost, Cost) {
        let sum = memory.wrapping_add(self.change(slide));
        (sum, sum)
    }
}
