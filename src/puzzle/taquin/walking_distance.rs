//! The walking distance: how many vertical moves it takes if tiles are told apart by the row they belong in alone, and how
//! many horizontal moves if by the column (Ken'ichiro Takahashi, 2002).
//!
//! ```text
//!   row belonging to:  1  2  3  4      A table says how many tiles of each row are in each row. A vertical move takes a
//!   tiles in row 1     3  1  .  .      tile from the row above or below into the row with the free cell. A breadth-first
//!            row 2     1  2  1  .      search from the goal finds the least number of moves for every table:
//!            row 3     .  1  2  1      24,964 of them for four rows of four.
//!            row 4     .  .  1  2
//! ```

use rustc_hash::FxHashMap;

use super::shape::{Cells, Shape};
use super::space::{Heuristic, Slide};
use crate::search::Cost;

/// Admissible and consistent.
pub struct WalkingDistance {
    shape: Shape,
    vertical: Lines,
    horizontal: Lines,
}

/// Larger frames have more tables than are worth it.
const MOST_TABLES: usize = 2_000_000;
/// Rows of a table, and bits of a number in it.
const MOST_LINES: usize = 5;
const BITS: usize = 5;

/// All tables of one direction.
struct Lines {
    lines: usize,
    distances: Vec<u16>,
    /// For each table: the next one when the free cell goes to the line before (first) or after it, by the line that the
    /// tile belongs in.
    next: Vec<[[u32; MOST_LINES]; 2]>,
    numbers: FxHashMap<(u128, usize), u32>,
}

/// The numbers of the two tables.
#[derive(Clone, Copy)]
pub struct Memory {
    vertical: u32,
    horizontal: u32,
}

impl WalkingDistance {
    /// `None` for frames with too many tables.
    pub fn new(shape: Shape) -> Option<Self> {
        let vertical = Lines::new(shape.rows, shape.columns, shape.home / shape.columns)?;
        let horizontal = Lines::new(shape.columns, shape.rows, shape.home % shape.columns)?;
        Some(WalkingDistance { shape, vertical, horizontal })
    }
}

/// Adds to the number of tiles that are in a line and belong in another.
fn count(table: u128, line: usize, belongs: usize, more: i8) -> u128 {
    let one = 1 << ((line * MOST_LINES + belongs) * BITS);
    if more > 0 { table + one } else { table - one }
}

impl Lines {
    fn new(lines: usize, length: usize, home: usize) -> Option<Self> {
        if lines > MOST_LINES || length >= 1 << BITS {
            return None;
        }
        let mut goal = 0u128;
        for line in 0..lines {
            for _ in 0..length - usize::from(line == home) {
                goal = count(goal, line, line, 1);
            }
        }
        let mut all =
            Lines { lines, distances: vec![0], next: vec![[[u32::MAX; MOST_LINES]; 2]], numbers: FxHashMap::default() };
        all.numbers.insert((goal, home), 0);
        let mut queue = vec![(goal, home)];
        let mut head = 0;
        while let Some(&(table, free)) = queue.get(head) {
            for (side, line) in [(0, free.checked_sub(1)), (1, Some(free + 1).filter(|&line| line < lines))] {
                let Some(line) = line else { continue };
                for belongs in 0..lines {
                    if table >> ((line * MOST_LINES + belongs) * BITS) & ((1 << BITS) - 1) == 0 {
                        continue;
                    }
                    let after = (count(count(table, line, belongs, -1), free, belongs, 1), line);
                    let fresh = all.distances.len() as u32;
                    let number = *all.numbers.entry(after).or_insert(fresh);
                    if number == fresh {
                        if all.distances.len() == MOST_TABLES {
                            return None;
                        }
                        all.distances.push(all.distances[head] + 1);
                        all.next.push([[u32::MAX; MOST_LINES]; 2]);
                        queue.push(after);
                    }
                    all.next[head][side][belongs] = number;
                }
            }
            head += 1;
        }
        Some(all)
    }

    /// The table of a board: `(line of the cell, line where the tile belongs)` for each tile, and the free cell's line.
    fn number(&self, tiles: impl Iterator<Item = (usize, usize)>, free: usize) -> u32 {
        debug_assert!(free < self.lines);
        let table = tiles.fold(0, |table, (line, belongs)| count(table, line, belongs, 1));
        self.numbers[&(table, free)]
    }
}

impl Heuristic for WalkingDistance {
    type Memory = Memory;

    fn first(&self, tiles: &[u16]) -> Memory {
        let Shape { columns, home, .. } = self.shape;
        let free = tiles.iter().position(|&tile| usize::from(tile) == home).expect("a board has a free cell");
        let pairs = || {
            let tiles = tiles.iter().map(|&tile| usize::from(tile)).enumerate();
            tiles.filter(|&(_, tile)| tile != home)
        };
        let vertical = pairs().map(|(cell, tile)| (cell / columns, tile / columns));
        let horizontal = pairs().map(|(cell, tile)| (cell % columns, tile % columns));
        Memory {
            vertical: self.vertical.number(vertical, free / columns),
            horizontal: self.horizontal.number(horizontal, free % columns),
        }
    }

    #[inline(always)]
    fn value(&self, memory: &Memory) -> Cost {
        Cost::from(self.vertical.distances[memory.vertical as usize])
            + Cost::from(self.horizontal.distances[memory.horizontal as usize])
    }

    #[inline(always)]
    fn after(&self, memory: &Memory, Slide { tile, from, to }: Slide, _: &impl Cells, _: Cost) -> (Memory, Cost) {
        let columns = self.shape.columns;
        let side = usize::from(from > to);
        let mut memory = *memory;
        if from / columns != to / columns {
            memory.vertical = self.vertical.next[memory.vertical as usize][side][tile / columns];
        } else {
            memory.horizontal = self.horizontal.next[memory.horizontal as usize][side][tile % columns];
        }
        (memory, self.value(&memory))
    }
}
