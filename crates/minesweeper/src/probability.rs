//! Stage 3: the probability of a mine in every closed cell, if all layouts that fit are equally
//! likely. If the total of mines is unknown, layouts are weighted by the density of mines; without
//! a density only certain cells have a probability.
//!
//! Obvious cells are marked first. The rest of the board splits into components, which are counted
//! one by one and coupled by the total of mines. The count uses numbers of 128 bits, far more than
//! the precision of the reported floats. The number of layouts is exact, however large.

use std::ops::Range;

use base::stop::StopReason;
use num_bigint::BigUint;

use super::count::{Budget, ForwardBackward, Polynomial, States};
use super::coupling::{BoardTotals, couple};
use super::elimination::order;
use super::frontier::Frontier;
use super::grid::Cell;
use super::obvious::{self, Contradiction};
use super::position::{Density, KnownPosition};
use super::weight::{Weight, WideFloat};

/// The counted components of a position.
pub struct Analysis<W> {
    pub frontier: Frontier,
    pub counts: Vec<ForwardBackward<W>>,
    pub totals: BoardTotals<W>,
    has_total: bool,
}

/// The values of some cells over all layouts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Certainty {
    Safe,
    Mines,
    /// Mines in some layouts only.
    Undecided,
}

#[cfg(test)]
thread_local! {
    /// Number of counts, for tests.
    pub static COUNTS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

impl<W: Weight> Analysis<W> {
    /// Counts a position in which all obvious cells are marked. `first` is the parameter of
    /// `couple`, with the number of free cells as its first argument. The outer error is a limit;
    /// the inner one means that no layout fits.
    pub fn new(
        position: &KnownPosition,
        budget: &Budget,
        first: impl Fn(usize, usize) -> W,
    ) -> Result<Result<Self, Contradiction>, StopReason> {
        #[cfg(test)]
        COUNTS.set(COUNTS.get() + 1);
        let mines_left = position.mines.map(|mines| mines.checked_sub(position.count(Cell::Mine)));
        let frontier = match (Frontier::new(position), mines_left) {
            (Ok(_), Some(None)) => return Ok(Err(Contradiction { numbers: Vec::new() })),
            (Ok(frontier), _) => frontier,
            (Err(contradiction), _) => return Ok(Err(contradiction)),
        };
        let mines_left = mines_left.flatten();
        let stride = position.grid.stride();
        let mut counts = Vec::with_capacity(frontier.components.len());
        let mut used = 0;
        for component in &frontier.components {
            let budget = Budget { memory: budget.memory.saturating_sub(used), ..budget.clone() };
            let order = order(component, stride);
            let count = ForwardBackward::new(
                States::new(component, order, mines_left.unwrap_or(usize::MAX - 1), &budget)?,
                &budget,
            )?;
            used += count.bytes();
            counts.push(count);
        }
        let profiles: Vec<Polynomial<W>> = counts.iter().map(ForwardBackward::profile).collect();
        let cells = position.grid.area() as u64;
        let terms: u64 = profiles
            .iter()
            .scan(1, |sum, profile| {
                *sum = (*sum + (profile.weights.len() as u64).saturating_sub(1)).min(cells);
                Some(*sum)
            })
            .sum();
        if terms.saturating_mul(size_of::<W>() as u64) > budget.memory / 4 {
            return Err(budget.reason);
        }
        let free = frontier.free.len();
        let totals = couple(&profiles, free, mines_left, position.density, |taken| first(free, taken));
        if totals.total_weight.is_zero() {
            let numbers_of =
                |component: usize| frontier.components[component].witnesses.iter().map(|witness| witness.cell);
            let contradictory = profiles.iter().position(|profile| profile.weights.is_empty());
            return Ok(Err(Contradiction {
                numbers: contradictory.map_or(Vec::new(), |contradictory| numbers_of(contradictory).collect()),
            }));
        }
        Ok(Ok(Analysis { frontier, counts, totals, has_total: mines_left.is_some() }))
    }

    /// Calls `visit` for each set of equivalent closed cells, with its certainty and the weight of
    /// its mines. Dividing the weight by the number of cells and the total weight gives the
    /// probability.
    pub fn marginals(&self, mut visit: impl FnMut(&[u32], Certainty, &W)) {
        for ((component, count), rest_weights) in
            self.frontier.components.iter().zip(&self.counts).zip(&self.totals.rest_weights)
        {
            for (group, marginal) in component.groups.iter().zip(count.marginals(rest_weights)) {
                let certainty = match marginal {
                    _ if marginal.is_safe() => Certainty::Safe,
                    _ if marginal.is_full(group.cells.len()) => Certainty::Mines,
                    _ => Certainty::Undecided,
                };
                visit(&group.cells, certainty, &marginal.mines);
            }
        }
        if !self.frontier.free.is_empty() {
            let certainty = match &self.totals {
                totals if totals.free_is_full => Certainty::Mines,
                totals if totals.free_mass.is_zero() && self.has_total => Certainty::Safe,
                _ => Certainty::Undecided,
            };
            visit(&self.frontier.free, certainty, &self.totals.free_mass);
        }
    }

    /// Returns the cells whose value is the same in all layouts, with `true` for a mine.
    pub fn decided(&self) -> Vec<(usize, bool)> {
        let mut decided = Vec::new();
        self.marginals(|cells, certainty, _| {
            if certainty != Certainty::Undecided {
                decided.extend(cells.iter().map(|&cell| (cell as usize, certainty == Certainty::Mines)));
            }
        });
        decided
    }
}

/// The probabilities of all closed cells.
#[derive(Debug, Clone, PartialEq)]
pub struct Likelihood {
    /// The probability of a mine for each cell; NaN if the cell is open or a wall, or if it is not
    /// certain and neither the total nor the density is known or implied by the numbers.
    pub probabilities: Vec<f64>,
    /// The number of layouts.
    pub configurations: BigUint,
    /// The sum of the odds of all layouts, if the density is known.
    pub odds: Option<WideFloat>,
    /// The smallest and the largest number of mines that a layout has.
    pub mines: [usize; 2],
    /// The number of states of the count.
    pub states: usize,
}

impl Analysis<WideFloat> {
    /// Marks the obvious cells of a position and counts the rest; also returns the marked position.
    /// The outer error is a limit; the inner one means that no layout fits.
    pub fn of_position(
        position: &KnownPosition,
        budget: &Budget,
    ) -> Result<Result<(KnownPosition, Self), Contradiction>, StopReason> {
        let mut work = position.clone();
        if let Err(contradiction) = obvious::mark_all(&mut work, |_| ()) {
            return Ok(Err(contradiction));
        }
        let analysis = Self::new(&work, budget, |_, _| WideFloat::one())?;
        Ok(analysis.map(|analysis| (work, analysis)))
    }
}

/// Computes the probabilities of a position. The outer error is a limit; the inner one means that
/// no layout fits.
pub fn likelihood(position: &KnownPosition, budget: &Budget) -> Result<Result<Likelihood, Contradiction>, StopReason> {
    let (work, analysis) = match Analysis::of_position(position, budget)? {
        Ok(analyzed) => analyzed,
        Err(contradiction) => return Ok(Err(contradiction)),
    };
    let mut probabilities = vec![f64::NAN; work.cells.len()];
    for cell in work.cells_of(Cell::Mine) {
        probabilities[cell] = 1.0;
    }
    for cell in work.cells_of(Cell::Safe) {
        probabilities[cell] = 0.0;
    }
    let mines = mines_of_layouts(&work, &analysis);
    let is_weighted = is_weighted(&work, mines);
    analysis.marginals(|cells, certainty, marginal_weight| {
        let mut all = WideFloat::zero();
        all.add_times(&analysis.totals.total_weight, cells.len() as u32);
        let ratio = match certainty {
            Certainty::Safe => 0.0,
            Certainty::Mines => 1.0,
            Certainty::Undecided if !is_weighted => f64::NAN,
            Certainty::Undecided if work.mines.is_none() && analysis.frontier.free.first() == cells.first() => {
                work.density.map_or(f64::NAN, Density::probability)
            }
            // An undecided cell is never rounded to 0 or 1.
            Certainty::Undecided => marginal_weight.ratio_to(all).clamp(f64::MIN_POSITIVE, 1.0_f64.next_down()),
        };
        for &cell in cells {
            probabilities[cell as usize] = ratio;
        }
    });
    budget.stop.requested().map_or(Ok(()), Err)?;
    let states = analysis.counts.iter().map(|count| count.states.count()).sum();
    let free = analysis.frontier.free.len();
    let odds = work.density.map(|density| odds(&work, density, &analysis));
    let counted = analysis.counts.into_iter().map(|count| (count.profile(), count.states)).collect();
    let configurations = configurations(&work, free, counted)?;
    Ok(Ok(Likelihood { probabilities, configurations, odds, mines, states }))
}

/// Returns true if the layouts of a position can be weighted: all with the right total equally, or
/// by the density of mines.
pub fn has_prior(position: &KnownPosition) -> bool {
    position.mines.is_some() || position.density.is_some()
}

/// Returns true if the layouts of a position can be weighted: there is a prior, or all have the same
/// number of mines. `mines` is the smallest and the largest number.
pub fn is_weighted(position: &KnownPosition, mines: [usize; 2]) -> bool {
    has_prior(position) || mines[0] == mines[1]
}

/// Returns the sum of the odds of all layouts.
fn odds(work: &KnownPosition, density: Density, analysis: &Analysis<WideFloat>) -> WideFloat {
    let ([by, divisor], [all, safe]) = (density.odds(), density.inverse_safety());
    // The weights of the components begin at 1 for their least number of mines.
    let least: usize = analysis.counts.iter().map(|count| count.profile().least).sum();
    let mines = work.count(Cell::Mine) + least;
    let known = (0..mines).fold(analysis.totals.total_weight, |sum, _| sum.scaled(by, divisor));
    // A free cell is safe, with the weight 1, or a mine, with the weight of the odds.
    analysis.frontier.free.iter().fold(known, |sum, _| sum.scaled(all, safe))
}

/// Returns the smallest and the largest number of mines that a layout has.
fn mines_of_layouts(work: &KnownPosition, analysis: &Analysis<WideFloat>) -> [usize; 2] {
    if let Some(mines) = work.mines {
        return [mines; 2];
    }
    let known = work.count(Cell::Mine);
    let profiles = analysis.counts.iter().map(ForwardBackward::profile);
    profiles.fold([known, known + analysis.frontier.free.len()], |[least, most], profile| {
        let mines = |at: Option<usize>| profile.least + at.unwrap_or(0);
        let is_possible = |weight: &WideFloat| !weight.is_zero();
        let [first, last] =
            [profile.weights.iter().position(is_possible), profile.weights.iter().rposition(is_possible)];
        [least + mines(first), most + mines(last)]
    })
}

/// Returns true if any layout fits.
pub fn has_layout(mut work: KnownPosition, budget: &Budget) -> Result<bool, StopReason> {
    // The weights of the density would become 0 in `f64`.
    work.density = None;
    Ok(obvious::mark_all(&mut work, |_| ()).is_ok() && Analysis::<f64>::new(&work, budget, |_, _| 1.0)?.is_ok())
}

/// Returns the exact number of layouts. Profiles below 2^127 are exact in [`WideFloat`]; others are
/// recounted.
fn configurations(
    work: &KnownPosition,
    free: usize,
    counted: Vec<(Polynomial<WideFloat>, States)>,
) -> Result<BigUint, StopReason> {
    let mines_left = work.mines.map(|mines| mines - work.count(Cell::Mine));
    let most = mines_left.unwrap_or(usize::MAX - 1);
    let mut combined = Polynomial::<BigUint>::one();
    for (profile, states) in counted {
        let integers: Option<Vec<BigUint>> =
            profile.weights.iter().map(|weight| Some(weight.to_integer()?.into())).collect();
        let exact = match integers {
            Some(weights) => Polynomial { least: profile.least, weights },
            None => states.profile::<BigUint>()?,
        };
        combined = combined.times(&exact, most);
    }
    let Some(mines_left) = mines_left else {
        return Ok(combined.weights.iter().sum::<BigUint>() << free);
    };
    // Sum over the mines of the components; each binomial of the free cells follows from the
    // previous one.
    let fits = |index: &usize| mines_left - combined.least - index <= free;
    let Some(last) = (0..combined.weights.len()).rfind(fits) else { return Ok(BigUint::ZERO) };
    let mut taken = mines_left - combined.least - last;
    let mut choices = binomial(free, taken);
    let mut sum = BigUint::ZERO;
    for weight in combined.weights[..=last].iter().rev() {
        if taken > free {
            break;
        }
        sum += weight * &choices;
        taken += 1;
        choices = choices.scaled((free + 1).saturating_sub(taken) as u64, taken as u64);
    }
    Ok(sum)
}

/// Returns "all choose taken". It is a quotient of two products, each of which is multiplied in
/// balanced halves, as boards may have millions of free cells.
fn binomial(all: usize, taken: usize) -> BigUint {
    let taken = taken.min(all - taken);
    product_of(all - taken + 1..all + 1) / product_of(1..taken + 1)
}

/// Returns the product of consecutive numbers.
fn product_of(factors: Range<usize>) -> BigUint {
    match factors.len() {
        0..=8 => factors.fold(BigUint::from(1_u32), |product, factor| product * factor),
        len => {
            let middle = factors.start + len / 2;
            product_of(factors.start..middle) * product_of(middle..factors.end)
        }
    }
}
