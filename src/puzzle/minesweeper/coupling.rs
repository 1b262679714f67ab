//! What the components have in common: the total of mines.
//!
//! A layout of the whole board is one of each component and a choice of cells that no number touches. With `mines` in all,
//! the weight of a layout with m mines in the components is the binomial of the free cells over `mines` − m. Going through
//! the components from both ends gives for each what all the others make of its own number of mines, at a cost of (mines so
//! far) × (range of the component).

use super::count::Polynomial;
use super::weight::Weight;

/// The whole board.
#[derive(Debug, Clone)]
pub struct Coupled<W> {
    /// The weight of all layouts.
    pub whole: W,
    /// The weight of all layouts, times their mines among the free cells.
    pub free_mass: W,
    /// In every layout all free cells are mines.
    pub free_is_full: bool,
    /// For each component the weight that the rest of the board gives to its number of mines.
    pub goals: Vec<Polynomial<W>>,
}

/// Couples the profiles of the components. `mines` is what is left for them and the `free` cells; `None` if the total is not
/// known, where all layouts count the same. Weights are up to a common factor, which `first` chooses: the weight of the
/// least possible number of mines among the free cells.
pub fn couple<W: Weight>(
    profiles: &[Polynomial<W>],
    free: usize,
    mines: Option<usize>,
    first: impl Fn(usize) -> W,
) -> Coupled<W> {
    let most = mines.unwrap_or(usize::MAX - 1);
    let mut before = vec![Polynomial::<W>::one()];
    for profile in profiles {
        before.push(before[before.len() - 1].times(profile, most));
    }
    let all = &before[profiles.len()];
    let mut after = choices(all, free, mines, first);
    let (mut free_mass, mut free_is_full) = (W::zero(), mines.is_some());
    for (index, (weight, choice)) in all.weights.iter().zip(&after.weights).enumerate() {
        if let Some(mines) = mines {
            let mut product = W::zero();
            product.add_product(weight, choice);
            let taken = mines - all.least - index;
            free_is_full &= product.is_zero() || taken == free;
            free_mass.add_times(&product, taken as u32);
        }
    }
    let mut goals = Vec::with_capacity(profiles.len());
    for (profile, before) in profiles.iter().zip(&before).rev() {
        goals.push(sums(profile.least, profile.weights.len(), before, &after));
        after = sums(before.least, before.weights.len(), profile, &after);
    }
    goals.reverse();
    let whole = after.get(0).cloned().unwrap_or_else(W::zero);
    Coupled { whole, free_mass, free_is_full, goals }
}

/// For each of `len` numbers of mines from `least` on: what `factors` and what comes `after` them make of it.
pub fn sums<W: Weight>(least: usize, len: usize, factors: &Polynomial<W>, after: &Polynomial<W>) -> Polynomial<W> {
    let mut weights = vec![W::zero(); len];
    for (index, sum) in weights.iter_mut().enumerate() {
        for (offset, factor) in factors.weights.iter().enumerate() {
            if let Some(weight) = after.get(least + index + factors.least + offset) {
                sum.add_product(factor, weight);
            }
        }
    }
    Polynomial { least, weights }
}

/// How many choices of free cells there are, by the mines in the components: "free over mines − m".
pub fn choices<W: Weight>(
    all: &Polynomial<W>,
    free: usize,
    mines: Option<usize>,
    first: impl Fn(usize) -> W,
) -> Polynomial<W> {
    let Some(mines) = mines else {
        return Polynomial { least: all.least, weights: vec![W::one(); all.weights.len()] };
    };
    // From the most mines in the components to the fewest, which is from the fewest among the free cells on.
    let mut weights = vec![W::zero(); all.weights.len()];
    let mut last: Option<W> = None;
    for (index, weight) in weights.iter_mut().enumerate().rev() {
        let taken = mines - all.least - index;
        if taken > free {
            break;
        }
        *weight = match &last {
            None => first(taken),
            Some(last) => last.scaled((free - taken + 1) as u64, taken as u64),
        };
        last = Some(weight.clone());
    }
    Polynomial { least: all.least, weights }
}
