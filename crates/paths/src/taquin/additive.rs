//! The additive heuristic: the maximum over several sums of disjoint pattern databases.
//!
//! On a square board, if the goal of the blank is a corner on the diagonal, reflecting the board in
//! that diagonal preserves the distance to the goal. So the same tables give a second sum, that of
//! the reflected board. Other partitions of the tiles give further sums.
//!
//! A move changes the position of one tile, so in each sum a single value changes, by one. The
//! maximum changes by at most one, and its parity changes with every move, so the heuristic is
//! consistent. The sums are evaluated one after the other until one exceeds the budget.

use std::sync::Arc;

use statespace::search::Cost;

use super::pattern::{BitTable, Placement};
use super::shape::{Cells, Shape};
use super::space::{Heuristic, Slide};

/// Maximum number of patterns in a partition.
pub const MAX_PATTERNS: usize = 4;

/// A partition of the tiles into patterns, with their databases.
pub struct DisjointPdbs {
    pdbs: Vec<Pdb>,
    /// Maps each tile to the index of its pattern in `pdbs`.
    pattern: [u8; 32],
}

/// A pattern database, and the image of each cell of the board in the frame of the database, which
/// symmetric patterns share.
struct Pdb {
    table: Arc<BitTable>,
    image: [u8; 32],
}

/// The incrementally updated state of a sum: for each pattern, the placement of its tiles and its
/// value.
#[derive(Clone, Copy, Default)]
pub struct PdbState {
    placements: [Placement; MAX_PATTERNS],
    values: [u8; MAX_PATTERNS],
}

impl DisjointPdbs {
    /// Creates a partition from its databases, each with the image of every cell in its frame.
    pub fn new(tables: Vec<(Arc<BitTable>, [u8; 32])>) -> Self {
        assert!(tables.len() <= MAX_PATTERNS, "a sight has room for so many");
        let pdbs: Vec<Pdb> = tables.into_iter().map(|(table, image)| Pdb { table, image }).collect();
        let pattern_of = |tile: usize| {
            let contains_tile = |pdb: &Pdb| pdb.table.pattern().tiles.contains(&pdb.image[tile]);
            pdbs.iter().position(contains_tile).unwrap_or(0) as u8
        };
        DisjointPdbs { pattern: std::array::from_fn(pattern_of), pdbs }
    }

    fn first(&self, shape: Shape, tiles: &[u16]) -> PdbState {
        let mut state = PdbState::default();
        let blank = tiles.iter().position(|&tile| usize::from(tile) == shape.home).expect("a board has a free cell");
        for (index, Pdb { table, image }) in self.pdbs.iter().enumerate() {
            let mut tile_at = [usize::MAX; 32];
            for (cell, &tile) in tiles.iter().enumerate() {
                if cell != blank {
                    tile_at[usize::from(image[cell])] = usize::from(image[usize::from(tile)]);
                }
            }
            state.placements[index] = table.pattern().placement(|cell| tile_at[cell]);
            state.values[index] = table.distance(state.placements[index], usize::from(image[blank]));
        }
        state
    }

    #[inline(always)]
    fn after(&self, mut state: PdbState, Slide { tile, from, to }: Slide) -> PdbState {
        let pattern = usize::from(self.pattern[tile % 32]) % MAX_PATTERNS;
        let Pdb { table, image } = &self.pdbs[pattern];
        let (from, to) = (usize::from(image[from % 32]), usize::from(image[to % 32]));
        let placement = state.placements[pattern].slide(from, to);
        state.placements[pattern] = placement;
        state.values[pattern] = table.adjacent_distance(state.values[pattern], placement, from);
        state
    }
}

impl PdbState {
    #[inline(always)]
    fn sum(&self) -> Cost {
        self.values.iter().map(|&number| Cost::from(number)).sum()
    }
}

/// Returns true if the reflection in the main diagonal preserves the goal.
pub fn is_symmetric(shape: Shape) -> bool {
    shape.rows == shape.columns && shape.home / shape.columns == shape.home % shape.columns
}

/// The maximum of `SETS` sums.
pub struct Additive<'v, const SETS: usize> {
    pub shape: Shape,
    pub pdb_sets: [&'v DisjointPdbs; SETS],
}

impl<const SETS: usize> Heuristic for Additive<'_, SETS> {
    type Memory = [PdbState; SETS];

    fn initial_memory(&self, tiles: &[u16]) -> Self::Memory {
        self.pdb_sets.map(|pdbs| pdbs.first(self.shape, tiles))
    }

    #[inline(always)]
    fn value(&self, memory: &Self::Memory) -> Cost {
        memory.iter().map(PdbState::sum).max().unwrap_or(0)
    }

    #[inline(always)]
    fn update(&self, memory: &Self::Memory, slide: Slide, _: &impl Cells, most: Cost) -> (Self::Memory, Cost) {
        let (mut memory, mut value) = (*memory, 0);
        for (state, pdbs) in memory.iter_mut().zip(self.pdb_sets) {
            *state = pdbs.after(*state, slide);
            value = value.max(state.sum());
            if value > most {
                break;
            }
        }
        (memory, value)
    }
}
