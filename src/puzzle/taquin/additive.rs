//! The additive heuristic: the sum of pattern databases, seen from several sides.
//!
//! On a square board whose free cell ends in a corner of the diagonal, the mirror image at that diagonal is as far from the
//! goal as the board itself. The same tables give a second sum for it; the larger one counts. Other ways to part the tiles into patterns
//! give more of them.
//!
//! A move changes the place of one tile, and so one number in each sum, by one. Both may rise and fall by one alone, so that the heuristic is
//! consistent. The sums are asked one after the other, until one shows that the way is too long.

use std::sync::Arc;

use super::pattern::{Placement, Table};
use super::shape::{Cells, Shape};
use super::space::{Heuristic, Slide};
use crate::search::Cost;

/// The largest number of patterns.
pub const MOST_PATTERNS: usize = 4;

/// Patterns that share no tile and together have all, with their tables: what one look at a board sees.
pub struct View {
    fields: Vec<Field>,
    /// For each tile, its pattern.
    pattern: [u8; 32],
}

/// The table of a pattern, and the image of each cell in its frame.
struct Field {
    table: Arc<Table>,
    image: [u8; 32],
}

/// What is kept of a board for a view: the tiles of each pattern, and its number.
#[derive(Clone, Copy, Default)]
pub struct Sight {
    placements: [Placement; MOST_PATTERNS],
    numbers: [u8; MOST_PATTERNS],
}

impl View {
    /// `tables`: with the image of each cell in the frame of the table.
    pub fn new(tables: Vec<(Arc<Table>, [u8; 32])>) -> Self {
        assert!(tables.len() <= MOST_PATTERNS, "a sight has room for so many");
        let fields: Vec<Field> = tables.into_iter().map(|(table, image)| Field { table, image }).collect();
        let pattern_of = |tile: usize| {
            let has_it = |field: &Field| field.table.pattern().tiles.contains(&field.image[tile]);
            fields.iter().position(has_it).unwrap_or(0) as u8
        };
        View { pattern: std::array::from_fn(pattern_of), fields }
    }

    fn first(&self, shape: Shape, tiles: &[u16]) -> Sight {
        let mut sight = Sight::default();
        let free = tiles.iter().position(|&tile| usize::from(tile) == shape.home).expect("a board has a free cell");
        for (number, Field { table, image }) in self.fields.iter().enumerate() {
            let mut seen = [usize::MAX; 32];
            for (cell, &tile) in tiles.iter().enumerate() {
                if cell != free {
                    seen[usize::from(image[cell])] = usize::from(image[usize::from(tile)]);
                }
            }
            sight.placements[number] = table.pattern().placement(|cell| seen[cell]);
            sight.numbers[number] = table.number(sight.placements[number], usize::from(image[free]));
        }
        sight
    }

    #[inline(always)]
    fn after(&self, mut sight: Sight, Slide { tile, from, to }: Slide) -> Sight {
        let pattern = usize::from(self.pattern[tile % 32]) % MOST_PATTERNS;
        let Field { table, image } = &self.fields[pattern];
        let (from, to) = (usize::from(image[from % 32]), usize::from(image[to % 32]));
        let placement = sight.placements[pattern].slide(from, to);
        sight.placements[pattern] = placement;
        sight.numbers[pattern] = table.next_to(sight.numbers[pattern], placement, from);
        sight
    }
}

impl Sight {
    #[inline(always)]
    fn sum(&self) -> Cost {
        self.numbers.iter().map(|&number| Cost::from(number)).sum()
    }
}

/// Whether the mirror image at the diagonal is a board with the same goal.
pub fn is_symmetric(shape: Shape) -> bool {
    shape.rows == shape.columns && shape.home / shape.columns == shape.home % shape.columns
}

/// The greatest sum of so many views.
pub struct Additive<'v, const VIEWS: usize> {
    pub shape: Shape,
    pub views: [&'v View; VIEWS],
}

impl<const VIEWS: usize> Heuristic for Additive<'_, VIEWS> {
    type Memory = [Sight; VIEWS];

    fn first(&self, tiles: &[u16]) -> Self::Memory {
        self.views.map(|view| view.first(self.shape, tiles))
    }

    #[inline(always)]
    fn value(&self, memory: &Self::Memory) -> Cost {
        memory.iter().map(Sight::sum).max().unwrap_or(0)
    }

    #[inline(always)]
    fn after(&self, memory: &Self::Memory, slide: Slide, _: &impl Cells, most: Cost) -> (Self::Memory, Cost) {
        let (mut memory, mut value) = (*memory, 0);
        for (sight, view) in memory.iter_mut().zip(self.views) {
            *sight = view.after(*sight, slide);
            value = value.max(sight.sum());
            if value > most {
                break;
            }
        }
        (memory, value)
    }
}
