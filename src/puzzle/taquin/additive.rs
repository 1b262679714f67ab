//! The additive heuristic: the sum of pattern databases, seen from two sides.
//!
//! On a square board whose free cell ends in a corner of the diagonal, the mirror image at that diagonal is as far from the
//! goal as the board itself. The same tables give a second sum for it; the larger one counts.
//!
//! A move changes the place of one tile, and so one number in each sum. What is kept of a board are its tiles' cells packed in
//! the order of the patterns, so that a placement is a field of bits and not put together.

use std::sync::Arc;

use super::manhattan::Manhattan;
use super::pattern::{Pattern, Ranked, bits_of_cell};
use super::shape::{Cells, Shape};
use super::space::{Heuristic, Slide};
use crate::search::Cost;

/// The largest number of patterns; their numbers are kept in one word.
pub const MOST_PATTERNS: usize = 8;

/// Pattern databases that share no tile and together have all, or nearly.
pub struct Additive {
    manhattan: Manhattan,
    shape: Shape,
    fields: Vec<Field>,
    views: [View; 2],
}

/// Where a pattern's placement lies in the packed word, and the table that knows it.
struct Field {
    table: Arc<Ranked>,
    /// The image of each cell in the frame of the table.
    image: [u8; 32],
    shift: u32,
    mask: usize,
}

/// The board as it is, or its mirror image.
pub struct View {
    /// The image of each cell.
    pub image: [u8; 32],
    /// For each tile, where its cell is packed, and its pattern.
    pub shift: [u8; 32],
    pub pattern: [u8; 32],
}

/// A word that holds the cells of all tiles.
pub trait Packed: Copy + Send + Sync {
    const ZERO: Self;
    fn flip(self, change: usize, shift: u32) -> Self;
    fn field(self, shift: u32, mask: usize) -> usize;
}

macro_rules! packed {
    ($word:ty) => {
        impl Packed for $word {
            const ZERO: Self = 0;

            #[inline(always)]
            fn flip(self, change: usize, shift: u32) -> Self {
                self ^ (change as $word) << shift
            }

            #[inline(always)]
            fn field(self, shift: u32, mask: usize) -> usize {
                (self >> shift) as usize & mask
            }
        }
    };
}

packed!(u64);
packed!(u128);

/// What is kept of a board: `W` is wide enough for all its cells.
#[derive(Clone, Copy)]
pub struct Memory<W> {
    steps: Cost,
    views: [W; 2],
    /// A byte for each pattern.
    excess: [u64; 2],
}

impl Additive {
    /// Up to [`MOST_PATTERNS`] patterns that share no tile; `table` gives the table of a canonical pattern.
    pub fn new<E>(
        shape: Shape,
        patterns: &[Pattern],
        mut table: impl FnMut(Pattern) -> Result<Arc<Ranked>, E>,
    ) -> Result<Self, E> {
        assert!(patterns.len() <= MOST_PATTERNS, "a word holds eight numbers");
        let bits = bits_of_cell(shape);
        let (mut fields, mut orders, mut shift) = (Vec::new(), Vec::new(), 0);
        for pattern in patterns {
            let (canonical, image) = pattern.canonical();
            let table = table(canonical)?;
            // The tiles in the order of the table.
            let original =
                |tile: &u8| *pattern.tiles.iter().find(|&&own| image[usize::from(own)] == *tile).expect("an image");
            orders.push(table.pattern.tiles.iter().map(original).collect::<Vec<u8>>());
            let tiles = pattern.tiles.len();
            fields.push(Field { table, image, shift, mask: (1 << (bits as usize * tiles)) - 1 });
            shift += bits * tiles as u32;
        }
        let tiles: Vec<&[u8]> = orders.iter().map(|tiles| &tiles[..]).collect();
        Ok(Additive { manhattan: Manhattan::new(shape), shape, fields, views: View::both(shape, bits, &tiles) })
    }
}

impl View {
    /// The board as it is and, where the frame is symmetric, its mirror image.
    pub fn both(shape: Shape, bits: u32, patterns: &[&[u8]]) -> [View; 2] {
        // Tiles that no pattern has share a place behind all others, which no look-up reads.
        let behind = bits as u8 * patterns.iter().map(|tiles| tiles.len()).sum::<usize>() as u8;
        let mut plain = View { image: [0; 32], shift: [behind; 32], pattern: [0; 32] };
        let mut shift = 0;
        for (number, tiles) in patterns.iter().enumerate() {
            for &tile in *tiles {
                plain.shift[usize::from(tile)] = shift;
                plain.pattern[usize::from(tile)] = number as u8;
                shift += bits as u8;
            }
        }
        let mut mirrored = View { ..plain };
        for cell in 0..shape.cells() {
            let image =
                if is_symmetric(shape) { cell % shape.columns * shape.columns + cell / shape.columns } else { cell };
            plain.image[cell] = cell as u8;
            mirrored.image[cell] = image as u8;
            mirrored.shift[cell] = plain.shift[image];
            mirrored.pattern[cell] = plain.pattern[image];
        }
        [plain, mirrored]
    }
}

/// Whether the mirror image at the diagonal is a board with the same goal.
pub fn is_symmetric(shape: Shape) -> bool {
    shape.rows == shape.columns && shape.home / shape.columns == shape.home % shape.columns
}

/// [`Additive`] for boards whose tiles' cells fit a word, and with or without the mirror image.
pub struct Sum<'a, W, const VIEWS: usize>(&'a Additive, std::marker::PhantomData<W>);

impl<'a, W, const VIEWS: usize> Sum<'a, W, VIEWS> {
    pub fn new(additive: &'a Additive) -> Self {
        Sum(additive, std::marker::PhantomData)
    }
}

impl<W: Packed, const VIEWS: usize> Sum<'_, W, VIEWS> {
    #[inline(always)]
    fn excess(&self, view: W, pattern: usize) -> u32 {
        let field = &self.0.fields[pattern];
        field.table.excess(view.field(field.shift, field.mask))
    }

    /// A view after a move, and its numbers.
    #[inline(always)]
    fn look(&self, memory: &Memory<W>, Slide { tile, from, to }: Slide, number: usize) -> (W, u64) {
        let view = &self.0.views[number];
        let pattern = usize::from(view.pattern[tile % 32]);
        let image = &self.0.fields[pattern].image;
        let cell = |cell: usize| image[usize::from(view.image[cell % 32]) % 32];
        let packed = memory.views[number].flip(usize::from(cell(from) ^ cell(to)), u32::from(view.shift[tile % 32]));
        let shift = 8 * pattern;
        let excess = u64::from(self.excess(packed, pattern));
        (packed, memory.excess[number] & !(0xff << shift) | excess << shift)
    }
}

impl<W: Packed, const VIEWS: usize> Heuristic for Sum<'_, W, VIEWS> {
    type Memory = Memory<W>;

    fn first(&self, tiles: &[u16]) -> Memory<W> {
        let mut memory = Memory { steps: self.0.manhattan.sum(tiles), views: [W::ZERO; 2], excess: [0; 2] };
        for (number, view) in self.0.views.iter().enumerate().take(VIEWS) {
            for (cell, &tile) in tiles.iter().enumerate() {
                let tile = usize::from(tile);
                if tile != self.0.shape.home {
                    let image = &self.0.fields[usize::from(view.pattern[tile])].image;
                    let cell = usize::from(image[usize::from(view.image[cell])]);
                    memory.views[number] = memory.views[number].flip(cell, u32::from(view.shift[tile]));
                }
            }
            for pattern in 0..self.0.fields.len() {
                memory.excess[number] |= u64::from(self.excess(memory.views[number], pattern)) << (8 * pattern);
            }
        }
        memory
    }

    #[inline(always)]
    fn value(&self, memory: &Memory<W>) -> Cost {
        let excess = (0..VIEWS).map(|number| sum_of_bytes(memory.excess[number])).max().unwrap_or(0);
        memory.steps + 2 * excess
    }

    #[inline(always)]
    fn after(&self, memory: &Memory<W>, slide: Slide, _: &impl Cells, most: Cost) -> (Memory<W>, Cost) {
        let mut memory = *memory;
        memory.steps = memory.steps.wrapping_add(self.0.manhattan.change(slide));
        let first = self.look(&memory, slide, 0);
        let mut value = memory.steps + 2 * sum_of_bytes(first.1);
        if VIEWS > 1 && value <= most {
            let other = self.look(&memory, slide, 1);
            (memory.views[1], memory.excess[1]) = other;
            value = value.max(memory.steps + 2 * sum_of_bytes(other.1));
        }
        (memory.views[0], memory.excess[0]) = first;
        (memory, value)
    }
}

/// They come together in the highest byte.
#[inline(always)]
fn sum_of_bytes(bytes: u64) -> u32 {
    (bytes.wrapping_mul(0x0101_0101_0101_0101) >> 56) as u32
}
