//! Detects failed trials that would fail again.
//!
//! A trial fails if propagation does not refute its assumptions. The variables that it has assigned
//! are its footprint. The trial fails again until some inference involves both a variable of the
//! footprint and a variable that was assigned later.

use prover::Assumptions;
use rustc_hash::FxHashMap;

/// Maximum number of stored variables, of all footprints together.
const MAX_STORED: usize = 1 << 24;

/// The subject of a trial.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum Trial {
    /// The negation of a literal.
    Negation(i32),
    /// A case distinction over the atoms of a constraint.
    Cases(u32),
}

/// The footprints of failed trials.
#[derive(Default)]
pub struct Footprints {
    /// The number of calls of [`Footprints::record_known`].
    time: u32,
    /// By variable: true if it is known, and the time of the last change in its neighbourhood.
    variables: Vec<(bool, u32)>,
    failed: FxHashMap<Trial, (u32, Vec<u32>)>,
    stored: usize,
    /// The footprint of the current trial.
    footprint: Vec<u32>,
}

impl Footprints {
    /// Records all currently assigned variables as known.
    pub fn record_known(&mut self, propagator: &Assumptions) {
        self.time += 1;
        self.variables.resize(propagator.variable_count(), (false, 0));
        let new: Vec<u32> = propagator.assigned().filter(|&variable| !self.variables[variable as usize].0).collect();
        for &variable in &new {
            self.variables[variable as usize].0 = true;
        }
        propagator.inference_neighbourhood(new.into_iter(), |variable| self.variables[variable as usize].1 = self.time);
    }

    /// Starts a footprint with the variables that the last level has assigned.
    pub fn start(&mut self, propagator: &Assumptions) {
        self.footprint.clear();
        self.extend(propagator);
    }

    /// Extends the footprint by the variables that the last level has assigned.
    pub fn extend(&mut self, propagator: &Assumptions) {
        self.footprint.extend(propagator.assigned_by_level());
    }

    /// Stores the footprint of the current trial, which has failed.
    pub fn mark_failed(&mut self, trial: Trial) {
        self.footprint.sort_unstable();
        self.footprint.dedup();
        let before = self.failed.remove(&trial).map_or(0, |(_, footprint)| footprint.len());
        self.stored = self.stored + self.footprint.len() - before;
        if self.stored <= MAX_STORED {
            self.failed.insert(trial, (self.time, self.footprint.clone()));
        } else {
            self.stored -= self.footprint.len();
        }
    }

    /// Returns true if the trial has failed and nothing in its neighbourhood has changed since.
    pub fn would_fail_again(&self, trial: Trial) -> bool {
        let failure = self.failed.get(&trial);
        failure.is_some_and(|(time, footprint)| {
            footprint.iter().all(|&variable| self.variables[variable as usize].1 <= *time)
        })
    }
}
