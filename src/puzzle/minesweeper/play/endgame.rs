//! The end of a game, exactly: the move that wins in most of the layouts that are left.
//!
//! A state of the game tree is the set of layouts that fit what is open; which cells are open beyond that makes no difference,
//! since a cell that is safe in all layouts costs nothing. Such cells are opened first; they part the layouts by the numbers
//! that they show. Otherwise each cell is tried, the safest first: it loses the layouts where it is a mine and parts the
//! others. As many layouts as a cell has without a mine is a bound on what it can win, so that most cells are never tried;
//! a table keeps what is known of each set.

use std::hash::Hash;
use std::ops::BitAnd;

use rustc_hash::FxHashMap;

use super::super::grid::{Cell, Position};
use super::super::layouts::Layouts;

/// The best move, unless it takes more work than was given. No cell is safe in all of the layouts.
pub fn best(position: &Position, layouts: &Layouts, work: u64) -> Option<Best> {
    match layouts.cells.len() {
        0..=32 => Tree::<u32>::new(position, layouts, work).best(),
        33..=64 => Tree::<u64>::new(position, layouts, work).best(),
        _ => Tree::<u128>::new(position, layouts, work).best(),
    }
}

/// In how many of the layouts the game is won after a click on the cell with that bit, which is safe in all of them.
pub fn wins_after(position: &Position, layouts: &Layouts, bit: usize) -> Option<u32> {
    match layouts.cells.len() {
        0..=32 => Tree::<u32>::new(position, layouts, u64::MAX).wins_after(bit),
        33..=64 => Tree::<u64>::new(position, layouts, u64::MAX).wins_after(bit),
        _ => Tree::<u128>::new(position, layouts, u64::MAX).wins_after(bit),
    }
}

/// A layout in as few bits as there are cells, or a few more: most of the time goes into reading them.
trait Word: Copy + Eq + Hash + Into<u128> + BitAnd<Output = Self> {
    fn of(layout: u128) -> Self;
    fn bit(self, bit: usize) -> u32;
    fn mines(self) -> usize;
}

macro_rules! words {
    ($($word:ty)*) => {$(
        impl Word for $word {
            fn of(layout: u128) -> Self {
                layout as $word
            }
            #[inline(always)]
            fn bit(self, bit: usize) -> u32 {
                (self >> bit & 1) as u32
            }
            #[inline(always)]
            fn mines(self) -> usize {
                self.count_ones() as usize
            }
        }
    )*};
}

words!(u32 u64 u128);

/// The game tree over some layouts.
struct Tree<W> {
    cells: Vec<usize>,
    /// For each cell the bits of those around it.
    around: Vec<u128>,
    all: Vec<W>,
    /// Layouts keep their order, so that a set has one spelling.
    table: FxHashMap<Box<[W]>, Known>,
    /// Layouts that may still be looked at.
    work: u64,
}

/// What is known of a set of layouts: how many of them can be won.
#[derive(Debug, Clone, Copy)]
struct Known {
    at_most: u32,
    is_exact: bool,
}

/// A move, and in how many of the layouts the game is won from there on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Best {
    pub cell: usize,
    pub wins: u32,
}

impl<W: Word> Tree<W> {
    fn new(position: &Position, layouts: &Layouts, work: u64) -> Self {
        let cells = layouts.cells.clone();
        let around = cells.iter().map(|&cell| {
            let around = position.grid.around(cell);
            cells.iter().enumerate().filter(|(_, near)| around.contains(near)).fold(0, |bits, (bit, _)| bits | 1 << bit)
        });
        let around = around.collect();
        let all = layouts.all.iter().map(|&layout| W::of(layout)).collect();
        debug_assert!(cells.iter().all(|&cell| position.cells[cell] == Cell::Closed));
        Tree { cells, around, all, table: FxHashMap::default(), work }
    }

    fn best(&mut self) -> Option<Best> {
        let layouts = &std::mem::take(&mut self.all)[..];
        let mut best: Option<Best> = None;
        for (bit, safe) in self.candidates(layouts) {
            let bound = best.map_or(0, |best| best.wins);
            if best.is_some() && safe <= bound {
                break;
            }
            let wins = self.after(layouts, bit, safe, bound)?;
            if best.is_none_or(|best| wins > best.wins) {
                best = Some(Best { cell: self.cells[bit], wins });
            }
        }
        best
    }

    fn wins_after(&mut self, bit: usize) -> Option<u32> {
        let layouts = &std::mem::take(&mut self.all)[..];
        self.parted(layouts, bit, layouts.len() as u32, 0)
    }

    /// In how many layouts the game is won: exactly if it is more than `bound`, else no more than the result, which is at
    /// most `bound`. `None` if the work is used up.
    fn wins(&mut self, layouts: &[W], bound: u32) -> Option<u32> {
        let count = layouts.len() as u32;
        if count <= 1 || count <= bound {
            return Some(count);
        }
        let (mut any, mut all) = (0, u128::MAX);
        for &layout in layouts {
            any |= layout.into();
            all &= layout.into();
        }
        // A cell that is safe, and tells something.
        let mut safe = !any & self.mask();
        while safe != 0 {
            let bit = safe.trailing_zeros() as usize;
            safe &= safe - 1;
            let near = W::of(self.around[bit] & any & !all);
            let shown = |layout: &W| (*layout & near).mines();
            let first = shown(&layouts[0]);
            if near != W::of(0) && layouts.iter().any(|layout| shown(layout) != first) {
                return self.parted(layouts, bit, count, bound);
            }
        }
        if let Some(known) = self.table.get(layouts)
            && (known.is_exact || known.at_most <= bound)
        {
            return Some(known.at_most);
        }
        self.work = self.work.checked_sub(u64::from(count) * 4)?;
        let (mut best, mut rest) = (0, 0);
        for (bit, safe) in self.candidates(layouts) {
            if safe <= best.max(bound) {
                // None of those to come wins more.
                rest = rest.max(safe);
                break;
            }
            let wins = self.after(layouts, bit, safe, best.max(bound))?;
            if wins > bound {
                best = best.max(wins);
            } else {
                rest = rest.max(wins);
            }
        }
        let known = if best > bound {
            Known { at_most: best, is_exact: true }
        } else {
            Known { at_most: best.max(rest).min(bound), is_exact: false }
        };
        self.table.insert(layouts.into(), known);
        Some(known.at_most)
    }

    /// Cells that are a mine in some layouts and not in all, and in how many they are safe: the safest first.
    fn candidates(&mut self, layouts: &[W]) -> Vec<(usize, u32)> {
        let mut candidates: Vec<(usize, u32)> = Vec::with_capacity(self.cells.len());
        for bit in 0..self.cells.len() {
            let mines: u32 = layouts.iter().map(|layout| layout.bit(bit)).sum();
            if mines > 0 && mines < layouts.len() as u32 {
                candidates.push((bit, layouts.len() as u32 - mines));
            }
        }
        self.work = self.work.saturating_sub((layouts.len() * self.cells.len() / 8) as u64);
        candidates.sort_by_key(|&(bit, safe)| (std::cmp::Reverse(safe), bit));
        candidates
    }

    /// Wins after a click on a cell that is safe in `safe` of the layouts.
    fn after(&mut self, layouts: &[W], bit: usize, safe: u32, bound: u32) -> Option<u32> {
        let kept: Vec<W> = layouts.iter().copied().filter(|layout| layout.bit(bit) == 0).collect();
        self.parted(&kept, bit, safe, bound)
    }

    /// Wins once a cell that is safe in all layouts shows its number.
    fn parted(&mut self, layouts: &[W], bit: usize, count: u32, bound: u32) -> Option<u32> {
        self.work = self.work.checked_sub(u64::from(count))?;
        let near = W::of(self.around[bit]);
        let mut sizes = [0_usize; 10];
        for &layout in layouts {
            sizes[(layout & near).mines() + 1] += 1;
        }
        for value in 1..10 {
            sizes[value] += sizes[value - 1];
        }
        let begins = sizes;
        let mut parted = layouts.to_vec();
        for &layout in layouts {
            let value = (layout & near).mines();
            parted[sizes[value]] = layout;
            sizes[value] += 1;
        }
        // What can still be won: all of the groups to come.
        let mut open = count;
        let mut wins = 0;
        for value in 0..9 {
            let group = &parted[begins[value]..begins[value + 1]];
            if group.is_empty() {
                continue;
            }
            open -= group.len() as u32;
            let needed = bound.saturating_sub(wins + open);
            wins += self.wins(group, needed)?;
            if wins + open <= bound {
                return Some(wins + open);
            }
        }
        Some(wins)
    }

    fn mask(&self) -> u128 {
        u128::MAX >> (128 - self.cells.len())
    }
}
