//! Sorting that is compiled once.
//!
//! The standard library's sort is fast, and compiled anew for each type and each order: two thousand lines of intermediate code,
//! a hundred and fifty times. Lists that are short, or sorted once a run, are sorted here: their places are put in order by one
//! function for all types, and then the items follow. Hot loops use the standard library.

use std::cmp::Ordering;

/// Sorts a list; what compares equal stays in its order.
pub fn sort<T: Ord>(items: &mut [T]) {
    sort_by(items, Ord::cmp);
}

/// The same by a key, which is asked for at each comparison.
pub fn sort_by_key<T, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K) {
    sort_by(items, |one, other| key(one).cmp(&key(other)));
}

/// The same by an order of one's own.
pub fn sort_by<T>(items: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    let mut order: Vec<usize> = (0..items.len()).collect();
    sort_places(&mut order, &|one, other| compare(&items[one], &items[other]));
    // Along each cycle of the permutation.
    for start in 0..items.len() {
        let mut place = start;
        loop {
            let from = std::mem::replace(&mut order[place], place);
            if from == start {
                break;
            }
            items.swap(place, from);
            place = from;
        }
    }
}

fn sort_places(order: &mut [usize], compare: &dyn Fn(usize, usize) -> Ordering) {
    order.sort_by(|&one, &other| compare(one, other));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted_as_by_the_standard_library() {
        let mut random = fastrand::Rng::with_seed(57);
        for length in 0..200 {
            let list: Vec<(u8, usize)> = (0..length).map(|place| (random.u8(..20), place)).collect();
            let (mut own, mut wanted) = (list.clone(), list);
            sort_by_key(&mut own, |item| item.0);
            wanted.sort_by_key(|item| item.0);
            assert_eq!(own, wanted, "what compares equal stays in its order");
            sort_by(&mut own, |one, other| other.cmp(one));
            wanted.sort_by(|one, other| other.cmp(one));
            assert_eq!(own, wanted);
            sort(&mut own);
            wanted.sort();
            assert_eq!(own, wanted);
        }
    }
}
