//! The Manhattan distance: each tile's steps home, as if the others were not there.

use super::shape::{Cells, Shape};
use super::space::{Heuristic, Slide};
use crate::search::Cost;

/// Admissible and consistent: a move takes one tile one step.
pub struct Manhattan {
    shape: Shape,
    /// Steps from a cell (second index, a byte so that none is out of range) home for a tile (first index); none for boards
    /// on which they are reckoned out.
    steps: Option<Box<Steps>>,
}

type Steps = [[u8; 256]; TABLED];

/// Boards up to so many cells have a table.
const TABLED: usize = 32;

impl Manhattan {
    pub fn new(shape: Shape) -> Self {
        let cells = shape.cells();
        let steps = (cells <= TABLED).then(|| {
            let mut steps = Box::new([[0; 256]; TABLED]);
            for (tile, steps) in steps.iter_mut().enumerate().take(cells) {
                for (cell, steps) in steps.iter_mut().enumerate().take(cells) {
                    *steps = shape.distance(cell, tile) as u8;
                }
            }
            steps
        });
        Manhattan { shape, steps }
    }

    /// Of a whole board.
    pub fn sum(&self, tiles: &[u16]) -> Cost {
        let tiles = tiles.iter().map(|&tile| usize::from(tile)).enumerate();
        tiles
            .filter(|&(_, tile)| tile != self.shape.home)
            .map(|(cell, tile)| self.shape.distance(cell, tile) as Cost)
            .sum()
    }

    #[inline(always)]
    pub fn change(&self, Slide { tile, from, to }: Slide) -> Cost {
        let change = match &self.steps {
            Some(steps) => {
                let steps = &steps[tile % TABLED];
                i32::from(steps[usize::from(to as u8)]) - i32::from(steps[usize::from(from as u8)])
            }
            None => self.reckon(tile, from, to),
        };
        // Two's complement: adding it wraps round to the right sum.
        change as Cost
    }

    #[cold]
    fn reckon(&self, tile: usize, from: usize, to: usize) -> i32 {
        self.shape.distance(to, tile) as i32 - self.shape.distance(from, tile) as i32
    }
}

impl Heuristic for Manhattan {
    type Memory = Cost;

    fn first(&self, tiles: &[u16]) -> Cost {
        self.sum(tiles)
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
