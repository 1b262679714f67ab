//! Estimates the number of models by random probes, for counts that were stopped.
//!
//! A probe decides one variable after the other. If both values pass unit propagation, it chooses
//! one of them at random and counts for twice as much. The expected value of a probe is the number
//! of models (Knuth, "Estimating the efficiency of backtrack programs", 1975). It is no claim: most
//! probes may miss most models.

use std::fmt;

use fastrand::Rng;
use ground::Literal;

use super::formula::{Formula, Role};
use super::propagation::Propagation;

/// The seed of the probes.
const SEED: u64 = 1;
const MAX_PROBES: usize = 1_000;
/// Maximum number of literals that the probes assign: less than the time that the command grants for
/// the report of a stopped run.
const MAX_WORK: usize = 200_000;

/// An estimate, with its standard error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The binary logarithm of the estimate.
    pub log2: f64,
    /// The standard error, as a part of the estimate.
    pub relative_error: f64,
    pub probes: usize,
    pub seed: u64,
}

impl Estimate {
    /// Returns the decimal mantissa, from 1 to less than 10, and the exponent.
    pub fn decimal(&self) -> (f64, i64) {
        let log10 = self.log2 * 2_f64.log10();
        let exponent = log10.floor();
        (10_f64.powf(log10 - exponent), exponent as i64)
    }
}

impl fmt::Display for Estimate {
    /// Writes three digits and the exponent, such as `1.23e45`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mantissa, exponent) = self.decimal();
        // A mantissa of 9.996 is rounded to ten.
        if mantissa >= 9.995 {
            write!(formatter, "1.00e{}", exponent + 1)
        } else {
            write!(formatter, "{mantissa:.2}e{exponent}")
        }
    }
}

/// Estimates the number of models. Returns `None` if each probe failed, or too few ended within the
/// limit of work, or some variables are existential. `variables` are in the order of decisions.
pub fn estimate(formula: &Formula, propagation: &mut Propagation, variables: &[u32]) -> Option<Estimate> {
    if formula.roles.contains(&Role::Existential) {
        return None;
    }
    let mut random = Rng::with_seed(SEED);
    let mut work = 0;
    // The logarithms of the probes that ended in a model.
    let mut found = Vec::new();
    let mut probes = 0;
    while probes < MAX_PROBES {
        let log2 = probe(formula, propagation, variables, &mut random, &mut work);
        if work > MAX_WORK {
            break;
        }
        probes += 1;
        found.extend(log2.map(|log2| log2 as f64));
    }
    let greatest = found.iter().copied().reduce(f64::max).filter(|_| probes > 1)?;
    let values: Vec<f64> = found.iter().map(|log2| (log2 - greatest).exp2()).collect();
    let mean = values.iter().sum::<f64>() / probes as f64;
    let failed = (probes - values.len()) as f64 * mean * mean;
    let squares = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() + failed;
    let error = (squares / (probes * (probes - 1)) as f64).sqrt();
    Some(Estimate { log2: greatest + mean.log2(), relative_error: error / mean, probes, seed: SEED })
}

/// Returns the binary logarithm of a probe's value; `None` if it ends without a model.
fn probe(
    formula: &Formula,
    propagation: &mut Propagation,
    variables: &[u32],
    random: &mut Rng,
    work: &mut usize,
) -> Option<u64> {
    let start = propagation.trail_len();
    let mut log2 = Some(0);
    for &variable in variables {
        if propagation.is_assigned(variable) || formula.roles[variable as usize] == Role::Copy {
            continue;
        }
        let before = propagation.trail_len();
        let literal = Literal::positive(variable);
        let literal = if random.bool() { literal } else { !literal };
        // The value that is not chosen first.
        let is_other_possible = propagation.decide(!literal);
        *work += propagation.trail_len() - before;
        propagation.undo(before);
        let is_possible = propagation.decide(literal);
        *work += propagation.trail_len() - before;
        match (is_possible, is_other_possible) {
            (true, true) => log2 = log2.map(|log2| log2 + 1),
            (true, false) => {}
            (false, true) => {
                propagation.undo(before);
                propagation.decide(!literal);
            }
            (false, false) => log2 = None,
        }
        if log2.is_none() || *work > MAX_WORK {
            break;
        }
    }
    // A copy that propagation has not assigned belongs to an atom that is not founded.
    let is_open = |&variable: &u32| !propagation.is_assigned(variable);
    if variables.iter().any(is_open) {
        log2 = None;
    }
    propagation.undo(start);
    log2
}
