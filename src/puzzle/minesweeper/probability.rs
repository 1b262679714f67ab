//! Stage 3: every closed cell's probability of being a mine, where all layouts that fit are equally likely.
//!
//! What is obvious is marked first; the rest falls into components, which are counted one by one and coupled by the total of
//! mines. The count runs in numbers of 128 bits, which is far more than the floating point numbers keep in which probabilities
//! are told. The number of layouts is whole, however large.

use num_bigint::BigUint;

use super::count::{Budget, Chain, Polynomial, States};
use super::coupling::{Coupled, couple};
use super::elimination::order;
use super::frontier::Frontier;
use super::grid::{Cell, Position};
use super::obvious::{self, Contradiction};
use super::weight::{Count, Low, Weight, Wide};
use crate::sorting;
use crate::stop::Reason;

/// All components of a position, counted.
pub struct Analysis<W> {
    pub frontier: Frontier,
    pub chains: Vec<Chain<W>>,
    pub coupled: Coupled<W>,
    has_total: bool,
}

/// What all layouts have in common about some cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Certainty {
    Safe,
    Mines,
    /// They are mines in some layouts only.
    Open,
}

#[cfg(test)]
thread_local! {
    /// How often a board was counted.
    pub static COUNTS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

impl<W: Weight> Analysis<W> {
    /// `position` has nothing obvious left in it; `first` is as for `couple`.
    pub fn new(
        position: &Position,
        budget: &Budget,
        first: impl Fn(usize, usize) -> W,
    ) -> Result<Result<Self, Contradiction>, Reason> {
        #[cfg(test)]
        COUNTS.set(COUNTS.get() + 1);
        let left = position.mines.map(|mines| mines.checked_sub(position.count(Cell::Mine)));
        let frontier = match (Frontier::new(position), left) {
            (Ok(_), Some(None)) => return Ok(Err(Contradiction { numbers: Vec::new() })),
            (Ok(frontier), _) => frontier,
            (Err(contradiction), _) => return Ok(Err(contradiction)),
        };
        let left = left.flatten();
        let stride = position.grid.stride();
        let mut chains = Vec::with_capacity(frontier.components.len());
        let mut used = 0;
        for component in &frontier.components {
            let budget = Budget { memory: budget.memory.saturating_sub(used), ..budget.clone() };
            let order = order(component, stride);
            let chain = Chain::new(States::new(component, order, left.unwrap_or(usize::MAX - 1), &budget)?, &budget)?;
            used += chain.bytes();
            chains.push(chain);
        }
        let profiles: Vec<Polynomial<W>> = chains.iter().map(Chain::profile).collect();
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
        let coupled = couple(&profiles, free, left, |taken| first(free, taken));
        if coupled.whole.is_zero() {
            let of = |component: usize| frontier.components[component].witnesses.iter().map(|witness| witness.cell);
            let broken = profiles.iter().position(|profile| profile.weights.is_empty());
            return Ok(Err(Contradiction { numbers: broken.map_or(Vec::new(), |broken| of(broken).collect()) }));
        }
        Ok(Ok(Analysis { frontier, chains, coupled, has_total: left.is_some() }))
    }

    /// Hands on, for each set of closed cells that are alike, the cells, what is certain of them, and the weight of the
    /// mines among them: to be divided by the number of the cells and the weight of the whole.
    pub fn masses(&self, mut each: impl FnMut(&[u32], Certainty, &W)) {
        for ((component, chain), goal) in self.frontier.components.iter().zip(&self.chains).zip(&self.coupled.goals) {
            for (class, mass) in component.boxes.iter().zip(chain.masses(goal)) {
                let certainty = match mass {
                    _ if mass.is_safe() => Certainty::Safe,
                    _ if mass.is_full(class.cells.len()) => Certainty::Mines,
                    _ => Certainty::Open,
                };
                each(&class.cells, certainty, &mass.mines);
            }
        }
        if !self.frontier.free.is_empty() {
            let certainty = match &self.coupled {
                coupled if coupled.free_is_full => Certainty::Mines,
                coupled if coupled.free_mass.is_zero() && self.has_total => Certainty::Safe,
                _ => Certainty::Open,
            };
            each(&self.frontier.free, certainty, &self.coupled.free_mass);
        }
    }

    /// The cells that are the same in all layouts, and whether they are mines.
    pub fn decided(&self) -> Vec<(usize, bool)> {
        let mut decided = Vec::new();
        self.masses(|cells, certainty, _| {
            if certainty != Certainty::Open {
                decided.extend(cells.iter().map(|&cell| (cell as usize, certainty == Certainty::Mines)));
            }
        });
        decided
    }
}

/// What a position says of every closed cell.
#[derive(Debug, Clone, PartialEq)]
pub struct Likelihood {
    /// By cell; not a number where a cell is open or wall.
    pub of: Vec<f64>,
    /// Layouts that fit.
    pub configurations: BigUint,
    /// States that were counted.
    pub states: usize,
}

impl Analysis<Wide> {
    /// Marks the obvious cells of a position and analyzes the rest; returns the marked position, too. The outer error is a limit,
    /// the inner one says that nothing fits.
    pub fn of_position(
        position: &Position,
        budget: &Budget,
    ) -> Result<Result<(Position, Self), Contradiction>, Reason> {
        let mut work = position.clone();
        if let Err(contradiction) = obvious::mark_all(&mut work, |_| ()) {
            return Ok(Err(contradiction));
        }
        let analysis = Self::new(&work, budget, |_, _| Wide::one())?;
        Ok(analysis.map(|analysis| (work, analysis)))
    }
}

/// The probabilities of a position. The outer error is a limit, the inner one says that nothing fits.
pub fn likelihood(position: &Position, budget: &Budget) -> Result<Result<Likelihood, Contradiction>, Reason> {
    let (work, analysis) = match Analysis::of_position(position, budget)? {
        Ok(analyzed) => analyzed,
        Err(contradiction) => return Ok(Err(contradiction)),
    };
    let mut of = vec![f64::NAN; work.cells.len()];
    work.all(Cell::Mine).for_each(|cell| of[cell] = 1.0);
    work.all(Cell::Safe).for_each(|cell| of[cell] = 0.0);
    analysis.masses(|cells, certainty, mass| {
        let mut all = Wide::zero();
        all.add_times(&analysis.coupled.whole, cells.len() as u32);
        let ratio = match certainty {
            Certainty::Safe => 0.0,
            Certainty::Mines => 1.0,
            Certainty::Open if is_free_of_unknown_total(&work, &analysis.frontier, cells) => 0.5,
            // What is open is never told as certain, however little is missing.
            Certainty::Open => mass.over(all).nearest().clamp(f64::MIN_POSITIVE, 1.0_f64.next_down()),
        };
        for &cell in cells {
            of[cell as usize] = ratio;
        }
    });
    budget.stop.requested().map_or(Ok(()), Err)?;
    let states = analysis.chains.iter().map(|chain| chain.states.count()).sum();
    let counted = analysis.chains.into_iter().map(|chain| (chain.profile(), chain.states)).collect();
    let configurations = configurations(&work, analysis.frontier.free.len(), counted)?;
    Ok(Ok(Likelihood { of, configurations, states }))
}

/// Whether any layout fits.
pub fn fits(mut work: Position, budget: &Budget) -> Result<bool, Reason> {
    Ok(obvious::mark_all(&mut work, |_| ()).is_ok() && Analysis::<f64>::new(&work, budget, |_, _| 1.0)?.is_ok())
}

/// Without a total, cells that no number touches may be mines or not, as one likes.
fn is_free_of_unknown_total(work: &Position, frontier: &Frontier, cells: &[u32]) -> bool {
    work.mines.is_none() && frontier.free.first() == cells.first()
}

/// How many layouts fit. Profiles below 2^127 are whole in [`Wide`] already; the others are counted again.
fn configurations(work: &Position, free: usize, counted: Vec<(Polynomial<Wide>, States)>) -> Result<BigUint, Reason> {
    let left = work.mines.map(|mines| mines - work.count(Cell::Mine));
    let most = left.unwrap_or(usize::MAX - 1);
    let mut exact = Vec::with_capacity(counted.len());
    for (profile, states) in counted {
        let whole: Option<Vec<BigUint>> = profile.weights.iter().map(|weight| Some(weight.whole()?.into())).collect();
        exact.push(match whole {
            Some(weights) => Polynomial { least: profile.least, weights },
            None => match profile.weights.iter().map(|weight| weight.bits()).max() {
                Some(..=256) => exactly::<Low<4>>(&states)?,
                Some(..=512) => exactly::<Low<8>>(&states)?,
                _ => exactly::<BigUint>(&states)?,
            },
        });
    }
    let all = product(exact, most);
    let Some(left) = left else {
        return Ok(all.weights.iter().sum::<BigUint>() << free);
    };
    // Horner's rule over the binomials of the free cells: each follows from the one before.
    let fits = |index: &usize| left - all.least - index <= free;
    let Some(last) = (0..all.weights.len()).rfind(fits) else { return Ok(BigUint::ZERO) };
    let mut taken = left - all.least - last;
    let mut choices = binomial(free, taken);
    let mut sum = BigUint::ZERO;
    for weight in all.weights[..=last].iter().rev() {
        if taken > free {
            break;
        }
        sum += weight * &choices;
        taken += 1;
        choices = choices * (free + 1 - taken.min(free + 1)) / taken;
    }
    Ok(sum)
}

/// The layouts of a component, by number of mines.
fn exactly<W: Count + Into<BigUint>>(states: &States) -> Result<Polynomial<BigUint>, Reason> {
    let Polynomial { least, weights } = states.profile::<W>()?;
    Ok(Polynomial { least, weights: weights.into_iter().map(Into::into).collect() })
}

/// The product of all, pairs of short ones first.
fn product(mut factors: Vec<Polynomial<BigUint>>, most: usize) -> Polynomial<BigUint> {
    while factors.len() > 1 {
        sorting::sort_by_key(&mut factors, |factor| std::cmp::Reverse(factor.weights.len()));
        let mut pairs = Vec::with_capacity(factors.len() / 2 + 1);
        while let Some(one) = factors.pop() {
            pairs.push(match factors.pop() {
                Some(other) => multiplied(&one, &other, most),
                None => one,
            });
        }
        factors = pairs;
    }
    factors.pop().unwrap_or_else(Polynomial::one)
}

/// The product of two polynomials as that of two numbers (Kronecker's substitution): the coefficients stand side by side, far
/// enough from each other that no sum reaches the next.
fn multiplied(a: &Polynomial<BigUint>, b: &Polynomial<BigUint>, most: usize) -> Polynomial<BigUint> {
    let bits = |polynomial: &Polynomial<BigUint>| polynomial.weights.iter().map(BigUint::bits).max().unwrap_or(0);
    let terms = a.weights.len().min(b.weights.len());
    let words = (bits(a) + bits(b) + u64::from(terms.ilog2()) + 1).div_ceil(32) as usize;
    let packed = |polynomial: &Polynomial<BigUint>| {
        let mut digits = vec![0; polynomial.weights.len() * words];
        for (weight, place) in polynomial.weights.iter().zip(digits.chunks_exact_mut(words)) {
            let weight = weight.to_u32_digits();
            place[..weight.len()].copy_from_slice(&weight);
        }
        BigUint::new(digits)
    };
    let digits = (packed(a) * packed(b)).to_u32_digits();
    let least = a.least + b.least;
    let len = (a.weights.len() + b.weights.len() - 1).min((most + 1).saturating_sub(least));
    let digit = |index: usize| digits.get(index).copied().unwrap_or(0);
    let weight = |index: usize| BigUint::new((0..words).map(|word| digit(index * words + word)).collect());
    Polynomial { least, weights: (0..len).map(weight).collect() }
}

/// "all over taken": the product of its prime powers, whose exponents follow from Legendre's formula.
fn binomial(all: usize, taken: usize) -> BigUint {
    let mut is_composite = vec![false; all + 1];
    let mut factors = Vec::new();
    for prime in 2..=all {
        if is_composite[prime] {
            continue;
        }
        (prime * prime..=all).step_by(prime).for_each(|multiple| is_composite[multiple] = true);
        let mut power = prime;
        while power <= all {
            if all / power > taken / power + (all - taken) / power {
                factors.push(prime as u64);
            }
            power = power.saturating_mul(prime);
        }
    }
    product_of(&factors)
}

/// Halves first, so that factors are about as long as each other.
fn product_of(factors: &[u64]) -> BigUint {
    match factors.len() {
        0..=8 => factors.iter().fold(BigUint::from(1_u32), |product, &factor| product * factor),
        len => product_of(&factors[..len / 2]) * product_of(&factors[len / 2..]),
    }
}
