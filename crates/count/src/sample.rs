//! Draws models at random, each with the same probability.
//!
//! First the models are counted. A draw then decides one variable after the other, as the count did:
//! it chooses a value with a probability that is proportional to the number of models with this
//! value. These numbers follow from the counts of components in the cache; those that the cache has
//! dropped are counted again. Components without common variables are independent, and variables
//! without clauses have both values equally often. The probability of a model is thus the product of
//! ratios in which all numbers but the first and the last cancel: one divided by the number of
//! models. All ratios are exact: only the generator of random numbers could favour a model.

use std::ops::ControlFlow;

use base::stop::StopReason;
use fastrand::Rng;
use ground::Literal;
use num_bigint::BigUint;

use super::components::Component;
use super::counter::{Count, CountLimits, Counter};
use super::formula::{Formula, Role};
use super::simplify::simplify;

/// The result of drawing models.
#[derive(Debug, Clone)]
pub struct Sampling {
    /// The number of models. If it is not known, nothing was drawn.
    pub count: Count,
    pub drawn: u64,
    /// The reason why there are fewer draws than requested, unless `each` ended them or there is no
    /// model.
    pub stopped: Option<StopReason>,
}

/// Draws models independently of each other, so that one may occur twice. Calls `each` with the values
/// of a model, indexed by variable; they are meaningful for atoms in rule heads and for external atoms.
/// The same seed draws the same models.
pub fn sample(
    formula: &Formula,
    limits: &CountLimits,
    (draws, seed): (u64, u64),
    each: &mut dyn FnMut(&[bool]) -> ControlFlow<()>,
) -> Sampling {
    let simplified = simplify(formula, &limits.stop);
    let formula = &simplified.formula;
    let Some(mut counter) = Counter::start(formula, limits) else {
        return Sampling { count: Count::none(), drawn: 0, stopped: None };
    };
    let count = counter.count();
    let mut sampling = Sampling { stopped: count.stopped, count, drawn: 0 };
    if sampling.count.exact().is_none_or(|number| *number == BigUint::ZERO) {
        return sampling;
    }
    let mut random = Rng::with_seed(seed);
    let start = counter.propagation.trail_len();
    while sampling.drawn < draws {
        if let Err(reason) = counter.draw(&mut random) {
            sampling.stopped = Some(reason);
            break;
        }
        let is_true = |variable| counter.propagation.is_true(Literal::positive(variable));
        let mut values: Vec<bool> = (0..formula.roles.len() as u32).map(is_true).collect();
        counter.propagation.undo(start);
        simplified.extend(&mut values);
        sampling.drawn += 1;
        if each(&values).is_break() {
            break;
        }
    }
    sampling
}

impl Counter<'_> {
    /// Assigns variables until they determine a model.
    fn draw(&mut self, random: &mut Rng) -> Result<(), StopReason> {
        let mut open = self.parts(&self.whole());
        while let Some(component) = open.pop() {
            if let Some(reason) = self.stop_requested() {
                return Err(reason);
            }
            let literal = match component.variables[..] {
                // A variable without clauses. The values of others than counted ones do not matter.
                [variable] => {
                    let literal = Literal::positive(variable);
                    if self.role(variable) == Role::Counted && random.bool() { literal } else { !literal }
                }
                _ => self.draw_case(&component, random)?,
            };
            let is_consistent = self.propagation.decide(literal);
            debug_assert!(is_consistent, "only values with models are drawn");
            open.extend(self.parts(&component));
        }
        Ok(())
    }

    /// Draws the case of the next decision in a component that has models.
    fn draw_case(&mut self, component: &Component, random: &mut Rng) -> Result<Literal, StopReason> {
        let total = self.count_part(component.clone())?;
        let mut number = number_below(&total, random);
        for literal in self.cases(component, self.is_existential(component)) {
            let count = self.count_with(component, literal)?;
            if number < count {
                return Ok(literal);
            }
            number -= count;
        }
        unreachable!("the cases have all models")
    }

    /// Returns the number of models of a component in which a literal is true.
    fn count_with(&mut self, component: &Component, literal: Literal) -> Result<BigUint, StopReason> {
        let trail_len = self.propagation.trail_len();
        let counted = match self.propagation.decide(literal) {
            true => self.count_part(component.clone()),
            false => Ok(BigUint::ZERO),
        };
        self.propagation.undo(trail_len);
        counted
    }

    /// Returns the components of what the current assignment leaves of a component.
    fn parts(&mut self, component: &Component) -> Vec<Component> {
        let Counter { components, propagation, .. } = self;
        components.start();
        let parts = component.variables.iter().filter_map(|&variable| components.component_of(variable, propagation));
        parts.collect()
    }
}

/// Draws a number below a positive bound, each with the same probability.
fn number_below(bound: &BigUint, random: &mut Rng) -> BigUint {
    let excess = (32 - bound.bits() % 32) % 32;
    loop {
        let mut digits: Vec<u32> = (0..bound.bits().div_ceil(32)).map(|_| random.u32(..)).collect();
        if let Some(highest) = digits.last_mut() {
            *highest >>= excess;
        }
        let number = BigUint::new(digits);
        // A bound has more than half of the numbers of as many bits below it.
        if number < *bound {
            return number;
        }
    }
}
