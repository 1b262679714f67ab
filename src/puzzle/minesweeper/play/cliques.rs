//! Cliques: sets of layouts of which no plan wins more than one.
//!
//! Two layouts are distinguished by a cell that is safe in both and shows different numbers. A
//! clique is a set of pairwise indistinguishable layouts. The cover is greedy: the first remaining
//! layout starts a clique and takes each one that is indistinguishable from all of its members.
//! Sets of layouts are bits, so that a layout is compared with 64 others at once; as similar
//! layouts are adjacent and the most informative cells come first, few cells have to be compared.

use super::endgame::{MINE, NUMBERS};

/// Returns an order of the layouts, and the clique of each in that order: the first is 0, each next
/// one the same or one more. Columns state what a cell shows in each layout.
pub fn cliques(columns: &[Vec<u8>], layouts: usize) -> (Vec<usize>, Vec<u16>) {
    let words = layouts.div_ceil(64);
    let distinguished_by_cell: Vec<[Vec<u64>; NUMBERS]> = columns.iter().map(|column| distinguished_layouts(column, words)).collect();
    let mut free = vec![u64::MAX; words];
    if let (Some(last), rest @ 1..) = (free.last_mut(), layouts % 64) {
        *last = (1 << rest) - 1;
    }
    let (mut order, mut cliques) = (Vec::with_capacity(layouts), Vec::with_capacity(layouts));
    let mut clique = 0;
    // Words, and the layouts in them that may still join.
    let mut near: Vec<(usize, u64)> = Vec::new();
    let mut distinguished: Vec<&[u64]> = Vec::new();
    for first in 0..layouts {
        if free[first / 64] >> (first % 64) & 1 == 0 {
            continue;
        }
        near.clear();
        let mut next = Some(first);
        while let Some(layout) = next {
            free[layout / 64] &= !(1 << (layout % 64));
            order.push(layout);
            cliques.push(clique);
            distinguished.clear();
            for (column, by_number) in columns.iter().zip(&distinguished_by_cell).filter(|(column, _)| column[layout] != MINE) {
                distinguished.push(&by_number[column[layout] as usize][..]);
            }
            if layout == first {
                for (word, &free) in free.iter().enumerate().skip(first / 64) {
                    let left = indistinguishable(free, word, &distinguished);
                    if left != 0 {
                        near.push((word, left));
                    }
                }
            } else {
                near.retain_mut(|(word, left)| {
                    *left = indistinguishable(*left & free[*word], *word, &distinguished);
                    *left != 0
                });
            }
            next = near.first().map(|&(word, left)| word * 64 + left.trailing_zeros() as usize);
        }
        clique += 1;
    }
    (order, cliques)
}

/// The layouts of a word that no cell distinguishes.
#[inline(always)]
fn indistinguishable(mut left: u64, word: usize, distinguished: &[&[u64]]) -> u64 {
    for layouts in distinguished {
        left &= !layouts[word];
        if left == 0 {
            break;
        }
    }
    left
}

/// By number: the layouts in which the cell is safe and shows another number; empty if no layout
/// shows this one.
fn distinguished_layouts(column: &[u8], words: usize) -> [Vec<u64>; NUMBERS] {
    let mut shows: [Vec<u64>; NUMBERS] = Default::default();
    let mut safe = vec![0; words];
    for (layout, &shown) in column.iter().enumerate().filter(|&(_, &shown)| shown != MINE) {
        let shows = &mut shows[shown as usize];
        shows.resize(words, 0);
        shows[layout / 64] |= 1 << (layout % 64);
        safe[layout / 64] |= 1 << (layout % 64);
    }
    for shows in &mut shows {
        for (shows, safe) in shows.iter_mut().zip(&safe) {
            *shows = safe & !*shows;
        }
    }
    shows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cliques_partition_the_layouts_into_indistinguishable_sets() {
        let mut random = fastrand::Rng::with_seed(1);
        for layouts in [1, 63, 64, 65, 300] {
            let mut shown = |_| if random.u8(..3) > 0 { MINE } else { random.u8(..2) };
            let columns: Vec<Vec<u8>> = (0..6).map(|_| (0..layouts).map(&mut shown).collect()).collect();
            let (order, cliques) = cliques(&columns, layouts);
            assert!(order.len() == layouts && cliques.len() == layouts && (layouts < 63 || cliques[layouts - 1] > 0));
            let mut met = order.clone();
            met.sort_unstable();
            assert!(met.into_iter().eq(0..layouts));
            assert!(cliques.windows(2).all(|pair| pair[1] == pair[0] || pair[1] == pair[0] + 1));
            for (a, b) in
                (0..layouts).flat_map(|b| (0..b).map(move |a| (a, b))).filter(|&(a, b)| cliques[a] == cliques[b])
            {
                let shows = |column: &Vec<u8>| [column[order[a]], column[order[b]]];
                assert!(columns.iter().map(shows).all(|[a, b]| a == b || a == MINE || b == MINE));
            }
        }
    }
}
