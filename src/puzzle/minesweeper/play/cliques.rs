//! Layouts of which no plan wins more than one.
//!
//! Two layouts are told apart by a cell that is safe in both and shows different numbers. A clique is a set of layouts of which
//! no two are told apart. The cover is greedy: the first layout that is left begins a clique, and takes each that is not told
//! from those that it has. Sets of layouts are bits, so that a layout is compared with 64 others at once.

use super::endgame::Row;

/// An order of the layouts, and the clique of each in that order: the first is 0, the next the same or one more.
pub fn cliques<const CELLS: usize>(rows: &[Row<CELLS>]) -> (Vec<usize>, Vec<u16>) {
    let words = rows.len().div_ceil(64);
    let apart = Apart::new(rows, words);
    let mut free = vec![u64::MAX; words];
    if let (Some(last), rest @ 1..) = (free.last_mut(), rows.len() % 64) {
        *last = (1 << rest) - 1;
    }
    let (mut order, mut cliques) = (Vec::with_capacity(rows.len()), Vec::with_capacity(rows.len()));
    let mut clique = 0;
    // Words, and those of their layouts that may still join.
    let mut near: Vec<(usize, u64)> = Vec::new();
    for first in 0..rows.len() {
        if free[first / 64] >> (first % 64) & 1 == 0 {
            continue;
        }
        let from_first: Vec<&[u64]> = apart.from(&rows[first]).collect();
        near.clear();
        for (word, &free) in free.iter().enumerate().skip(first / 64) {
            let mut left = free;
            for apart in &from_first {
                left &= !apart[word];
                if left == 0 {
                    break;
                }
            }
            if left != 0 {
                near.push((word, left));
            }
        }
        for index in 0..near.len() {
            while let (word, left @ 1..) = near[index] {
                let layout = word * 64 + left.trailing_zeros() as usize;
                near[index].1 &= left - 1;
                free[word] &= !(1 << (layout % 64));
                order.push(layout);
                cliques.push(clique);
                for apart in apart.from(&rows[layout]).filter(|_| layout != first) {
                    near[index..].iter_mut().for_each(|(word, left)| *left &= !apart[*word]);
                }
            }
        }
        clique += 1;
    }
    (order, cliques)
}

/// For each cell and number the layouts in which the cell is safe and shows another number.
struct Apart {
    /// Cells that tell most pairs apart come first.
    cells: Vec<(usize, [Vec<u64>; 9])>,
}

impl Apart {
    fn new<const CELLS: usize>(rows: &[Row<CELLS>], words: usize) -> Self {
        let of = |cell: usize| {
            let seen = rows.iter().fold(0, |seen, row| seen | row[cell]);
            std::array::from_fn(|number| {
                let mut bits = vec![0; if seen >> number & 1 == 1 { words } else { 0 }];
                for (bits, rows) in bits.iter_mut().zip(rows.chunks(64)) {
                    let apart = |row: &Row<CELLS>| u64::from(row[cell] > 0 && row[cell] != 1 << number);
                    *bits = rows.iter().rev().fold(0, |bits, row| bits << 1 | apart(row));
                }
                bits
            })
        };
        let mut cells: Vec<(usize, [Vec<u64>; 9])> = (0..CELLS).map(|cell| (cell, of(cell))).collect();
        let told = |numbers: &[Vec<u64>; 9]| numbers.iter().flatten().map(|bits| bits.count_ones()).sum::<u32>();
        cells.sort_by_cached_key(|(_, numbers)| std::cmp::Reverse(told(numbers)));
        Apart { cells }
    }

    /// The layouts that are told from one, by cell.
    fn from<const CELLS: usize>(&self, row: &Row<CELLS>) -> impl Iterator<Item = &[u64]> {
        let safe = self.cells.iter().filter(|&&(cell, _)| row[cell] > 0);
        safe.map(|(cell, numbers)| &numbers[row[*cell].trailing_zeros() as usize][..])
    }
}
