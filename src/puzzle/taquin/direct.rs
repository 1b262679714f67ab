//! The additive heuristic over direct tables: for boards of up to 16 cells.
//!
//! The cells of all tiles are packed in one word, six tiles of a pattern in 24 bits. A number of the patterns is read at the
//! pattern's field of the word, behind those of the patterns before it.
//!
//! Tried and lost: the first look-ups of all moves of a board before the first is followed, so that memory is waited for
//! once (the bookkeeping took more than it saved); and a second set of patterns, asked where the first leaves a way open
//! (a third to a half of the nodes less on the hardest boards, and each of them twice as dear).

use std::thread;

use super::additive::View;
use super::pages::Pages;
use super::pattern::{Pattern, explore};
use super::shape::{Cells, Shape};
use super::space::{Heuristic, Slide};
use crate::search::Cost;

/// Tiles of every pattern but the last, and the bits of their field.
pub const TILES: usize = 6;
const FIELD_BITS: usize = 4 * TILES;

/// Patterns of six tiles, and a last one of what is left.
pub struct Tables {
    shape: Shape,
    patterns: usize,
    moves: Pages,
    views: [View; 2],
}

impl Tables {
    /// Bytes of the tables.
    pub fn bytes(patterns: &[Pattern]) -> usize {
        let last = patterns.last().map_or(0, |pattern| 1 << (4 * pattern.tiles.len()));
        (patterns.len().saturating_sub(1) << FIELD_BITS) + last
    }

    /// Builds the tables, each in a thread. `None` when `stop` says so, or there is no memory for them.
    pub fn build(shape: Shape, patterns: &[Pattern], stop: &(dyn Fn() -> bool + Sync)) -> Option<Self> {
        let mut moves = Pages::zeroed(Self::bytes(patterns))?;
        let is_built = thread::scope(|scope| {
            let mut threads = Vec::new();
            for (pattern, moves) in patterns.iter().zip(moves.chunks_mut(1 << FIELD_BITS)) {
                // A thread that cannot be started leaves the table unbuilt, as if the search had been stopped.
                let work = move || explore(pattern, stop, |placement, number| moves[placement] = number as u8);
                threads.push(thread::Builder::new().spawn_scoped(scope, work).ok());
            }
            threads
                .into_iter()
                .map(|thread| thread.and_then(|thread| thread.join().expect("building does not panic")))
                .collect::<Option<Vec<()>>>()
        });
        is_built.map(|_| Self::with(shape, patterns, moves))
    }

    /// From tables that were built before.
    pub fn with(shape: Shape, patterns: &[Pattern], moves: Pages) -> Self {
        assert_eq!(moves.len(), Self::bytes(patterns), "tables have an entry for each placement");
        let tiles: Vec<&[u8]> = patterns.iter().map(|pattern| &pattern.tiles[..]).collect();
        Tables { shape, patterns: patterns.len(), moves, views: View::both(shape, 4, &tiles) }
    }

    /// The entries, for a file.
    pub fn entries(&self) -> &[u8] {
        &self.moves
    }

    #[inline(always)]
    fn number(&self, view: u64, pattern: usize) -> u32 {
        let placement = (view >> (FIELD_BITS * pattern)) as usize & ((1 << FIELD_BITS) - 1);
        u32::from(self.moves[pattern << FIELD_BITS | placement])
    }
}

/// [`Tables`], with or without the mirror image.
pub struct Lookup<'t, const VIEWS: usize>(pub &'t Tables);

/// What is kept of a board: its tiles' cells, and a byte for the number of each pattern.
#[derive(Clone, Copy)]
pub struct Memory {
    views: [u64; 2],
    numbers: [u32; 2],
}

impl<const VIEWS: usize> Lookup<'_, VIEWS> {
    #[inline(always)]
    fn look(&self, memory: &Memory, Slide { tile, from, to }: Slide, number: usize) -> (u64, u32) {
        let view = &self.0.views[number];
        let change = u64::from(view.image[from % 32] ^ view.image[to % 32]);
        let packed = memory.views[number] ^ change << view.shift[tile % 32];
        let pattern = usize::from(view.pattern[tile % 32]);
        let shift = 8 * pattern;
        let fresh = self.0.number(packed, pattern);
        (packed, memory.numbers[number] & !(0xff << shift) | fresh << shift)
    }
}

/// They come together in the highest byte.
#[inline(always)]
fn sum_of_bytes(bytes: u32) -> Cost {
    bytes.wrapping_mul(0x0101_0101) >> 24
}

impl<const VIEWS: usize> Heuristic for Lookup<'_, VIEWS> {
    type Memory = Memory;

    fn first(&self, tiles: &[u16]) -> Memory {
        let mut memory = Memory { views: [0; 2], numbers: [0; 2] };
        for (number, view) in self.0.views.iter().enumerate().take(VIEWS) {
            for (cell, &tile) in tiles.iter().enumerate() {
                let tile = usize::from(tile);
                if tile != self.0.shape.home {
                    memory.views[number] ^= u64::from(view.image[cell]) << view.shift[tile];
                }
            }
            for pattern in 0..self.0.patterns {
                memory.numbers[number] |= self.0.number(memory.views[number], pattern) << (8 * pattern);
            }
        }
        memory
    }

    #[inline(always)]
    fn value(&self, memory: &Memory) -> Cost {
        (0..VIEWS).map(|number| sum_of_bytes(memory.numbers[number])).max().unwrap_or(0)
    }

    #[inline(always)]
    fn after(&self, memory: &Memory, slide: Slide, _: &impl Cells, most: Cost) -> (Memory, Cost) {
        let first = self.look(memory, slide, 0);
        let mut value = sum_of_bytes(first.1);
        let mut other = (0, 0);
        if VIEWS > 1 && value <= most {
            other = self.look(memory, slide, 1);
            value = value.max(sum_of_bytes(other.1));
        }
        (Memory { views: [first.0, other.0], numbers: [first.1, other.1] }, value)
    }
}
