//! Couples the components by the total of mines.
//!
//! A layout of the board is a layout of each component and a choice among the free cells, which no
//! number counts. If the total is `mines`, a layout with m mines in the components has the weight
//! "free cells choose `mines` − m". Passing over the components from both ends gives each one the
//! weight of all others by its own number of mines, at a cost of (mines so far) × (range of the
//! component).

use super::count::Polynomial;
use super::position::Density;
use super::weight::Weight;

/// The totals of the board.
#[derive(Debug, Clone)]
pub struct BoardTotals<W> {
    pub total_weight: W,
    /// The weight of all layouts, times their mines among the free cells.
    pub free_mass: W,
    /// True if all free cells are mines in every layout.
    pub free_is_full: bool,
    /// For each component, the weight of the rest of the board, by the number of mines in the
    /// component.
    pub rest_weights: Vec<Polynomial<W>>,
}

/// Couples the profiles of the components. `mines` is the number of mines left for them and the
/// `free` cells; `None` if the total is unknown. The weight of a layout then depends on its mines and the `density`;
/// without a density, all layouts have the same weight.
/// All weights have a common factor, which `first` determines: it returns the weight of a number of
/// mines among the free cells, and receives the smallest possible one.
pub fn couple<W: Weight>(
    profiles: &[Polynomial<W>],
    free: usize,
    mines: Option<usize>,
    density: Option<Density>,
    first: impl Fn(usize) -> W,
) -> BoardTotals<W> {
    let most = mines.unwrap_or(usize::MAX - 1);
    let mut before = vec![Polynomial::<W>::one()];
    for profile in profiles {
        before.push(before[before.len() - 1].times(profile, most));
    }
    let combined = &before[profiles.len()];
    let mut after = free_cell_choices(combined, free, mines, density, first);
    let mut free_mass = W::zero();
    let mut free_is_full = mines.is_some();
    for (index, (weight, choice)) in combined.weights.iter().zip(&after.weights).enumerate() {
        if let Some(mines) = mines {
            let mut product = W::zero();
            product.add_product(weight, choice);
            let taken = mines - combined.least - index;
            free_is_full &= product.is_zero() || taken == free;
            free_mass.add_times(&product, taken as u32);
        }
    }
    let mut rest_weights = Vec::with_capacity(profiles.len());
    for (profile, before) in profiles.iter().zip(&before).rev() {
        rest_weights.push(correlate(profile.least, profile.weights.len(), before, &after));
        after = correlate(before.least, before.weights.len(), profile, &after);
    }
    rest_weights.reverse();
    let total_weight = after.get(0).cloned().unwrap_or_else(W::zero);
    BoardTotals { total_weight, free_mass, free_is_full, rest_weights }
}

/// For each of `len` numbers of mines from `least`, returns the sum over the terms of `factors` of
/// the term times the weight in `after` of the sum of both numbers of mines.
pub fn correlate<W: Weight>(least: usize, len: usize, factors: &Polynomial<W>, after: &Polynomial<W>) -> Polynomial<W> {
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

/// Returns the number of choices of free cells by the number m of mines in the components: "free
/// choose mines − m". If the total is unknown, the weight is the m-th power of the odds of a mine.
pub fn free_cell_choices<W: Weight>(
    all: &Polynomial<W>,
    free: usize,
    mines: Option<usize>,
    density: Option<Density>,
    first: impl Fn(usize) -> W,
) -> Polynomial<W> {
    let Some(mines) = mines else {
        let [by, divisor] = density.map_or([1, 1], Density::odds);
        let powers = std::iter::successors(Some(W::one()), |power| Some(power.scaled(by, divisor)));
        return Polynomial { least: all.least, weights: powers.take(all.weights.len()).collect() };
    };
    // Iterate from the most mines in the components to the fewest, that is from the fewest mines
    // among the free cells.
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
