//! Stable sorting, compiled once for all types.
//!
//! The compiler instantiates the standard library's sort for each type and each comparison, about
//! two thousand lines of LLVM IR each time. The functions here sort a list of indices with a single
//! instance of that sort, then move the items. Use them for lists that are short or sorted once per
//! run, and the standard library in hot loops.

use std::cmp::Ordering;

/// Sorts a list. Equal items keep their order.
pub fn sort<T: Ord>(items: &mut [T]) {
    sort_by(items, Ord::cmp);
}

/// Sorts a list by a key, which is computed for each comparison.
pub fn sort_by_key<T, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K) {
    sort_by(items, |first, second| key(first).cmp(&key(second)));
}

/// Sorts a list by a comparison function.
pub fn sort_by<T>(items: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    let mut order: Vec<usize> = (0..items.len()).collect();
    sort_indices(&mut order, &|first, second| compare(&items[first], &items[second]));
    // Follows each cycle of the permutation.
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

fn sort_indices(order: &mut [usize], compare: &dyn Fn(usize, usize) -> Ordering) {
    order.sort_by(|&first, &second| compare(first, second));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted_as_by_the_standard_library() {
        let mut random = fastrand::Rng::with_seed(57);
        for length in 0..200 {
            let list: Vec<(u8, usize)> = (0..length).map(|place| (random.u8(..20), place)).collect();
            let (mut sorted, mut expected) = (list.clone(), list);
            sort_by_key(&mut sorted, |item| item.0);
            expected.sort_by_key(|item| item.0);
            assert_eq!(sorted, expected, "equal items keep their order");
            sort_by(&mut sorted, |first, second| second.cmp(first));
            expected.sort_by(|first, second| second.cmp(first));
            assert_eq!(sorted, expected);
            sort(&mut sorted);
            expected.sort();
            assert_eq!(sorted, expected);
        }
    }
}
