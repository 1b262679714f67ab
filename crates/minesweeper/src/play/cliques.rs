//! Cliques: sets of layouts of which no plan wins more than one.
//!
//! Two layouts are distinguished by a cell that is safe in both and shows different numbers. A
//! clique is a set of pairwise indistinguishable layouts. The cover is greedy: the first remaining
//! layout starts a clique and takes each one that is indistinguishable from all of its members.
//! Sets of layouts are bit sets, so that a layout is compared with 64 others at once. Since similar
//! layouts are adjacent and the most informative cells come first, few cells have to be compared.

/// What a column contains for a mine.
pub const MINE: u8 = 15;
/// A safe cell shows one of nine numbers.
pub const NUMBERS: usize = 9;

/// Returns an order of the layouts, and the index of the clique of each layout in that order. The
/// indices ascend from 0 without gaps. A column contains what one cell shows in each layout.
pub fn cliques(columns: &[Vec<u8>], layouts: usize) -> (Vec<usize>, Vec<u16>) {
    let words = layouts.div_ceil(64);
    let distinguished_by_cell: Vec<[Vec<u64>; NUMBERS]> =
        columns.iter().map(|column| distinguished_layouts(column, words)).collect();
    let mut free = vec![u64::MAX; words];
    if let (Some(last), rest @ 1..) = (free.last_mut(), layouts % 64) {
        *last = (1 << rest) - 1;
    }
    let (mut order, mut cliques) = (Vec::with_capacity(layouts), Vec::with_capacity(layouts));
    let mut clique = 0;
    // The indices of words, each with the layouts in the word that may still join the clique.
    let mut candidates: Vec<(usize, u64)> = Vec::new();
    let mut distinguished: Vec<&[u64]> = Vec::new();
    for first in 0..layouts {
        if free[first / 64] >> (first % 64) & 1 == 0 {
            continue;
        }
        candidates.clear();
        let mut next = Some(first);
        while let Some(layout) = next {
            free[layout / 64] &= !(1 << (layout % 64));
            order.push(layout);
            cliques.push(clique);
            distinguished.clear();
            for (column, by_number) in
                columns.iter().zip(&distinguished_by_cell).filter(|(column, _)| column[layout] != MINE)
            {
                distinguished.push(&by_number[column[layout] as usize][..]);
            }
            if layout == first {
                for (word, &free) in free.iter().enumerate().skip(first / 64) {
                    let remaining = indistinguishable(free, word, &distinguished);
                    if remaining != 0 {
                        candidates.push((word, remaining));
                    }
                }
            } else {
                candidates.retain_mut(|(word, remaining)| {
                    *remaining = indistinguishable(*remaining & free[*word], *word, &distinguished);
                    *remaining != 0
                });
            }
            next = candidates.first().map(|&(word, remaining)| word * 64 + remaining.trailing_zeros() as usize);
        }
        clique += 1;
    }
    (order, cliques)
}

/// Returns the layouts of a word that no cell distinguishes.
#[inline(always)]
fn indistinguishable(mut remaining: u64, word: usize, distinguished: &[&[u64]]) -> u64 {
    for layouts in distinguished {
        remaining &= !layouts[word];
        if remaining == 0 {
            break;
        }
    }
    remaining
}

/// For each number, returns the layouts in which the cell is safe and shows another number, or
/// nothing if no layout shows this number.
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
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert!(sorted.into_iter().eq(0..layouts));
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
