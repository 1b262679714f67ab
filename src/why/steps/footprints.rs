//! What was tried in vain need not be tried again before something beside it has become known.
//!
//! A trial that propagation does not refute leaves a footprint: the variables that have got a value in it. The same comes out
//! again as long as no inference has something of the footprint and something that has become known since.

use rustc_hash::FxHashMap;

use crate::why::propagation::Propagation;

/// Variables in all footprints together: as many as are kept.
const MOST: usize = 1 << 24;

/// What was tried.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum Trial {
    /// The contrary of a literal.
    Contrary(i32),
    /// Cases over the atoms of a constraint.
    Cases(u32),
}

/// What trials have met.
#[derive(Default)]
pub struct Footprints {
    /// How often something became known.
    time: u32,
    /// By variable: whether it is known, and when something beside it became known.
    variables: Vec<(bool, u32)>,
    left: FxHashMap<Trial, (u32, Vec<u32>)>,
    kept: usize,
    /// Of the trial at hand.
    footprint: Vec<u32>,
}

impl Footprints {
    /// What has a value now is known.
    pub fn know(&mut self, propagation: &Propagation) {
        self.time += 1;
        self.variables.resize(propagation.variables(), (false, 0));
        let new: Vec<u32> = propagation.all().filter(|&variable| !self.variables[variable as usize].0).collect();
        new.iter().for_each(|&variable| self.variables[variable as usize].0 = true);
        propagation.beside(new.into_iter(), |variable| self.variables[variable as usize].1 = self.time);
    }

    /// A trial begins with what the last assumptions imply.
    pub fn begin(&mut self, propagation: &Propagation) {
        self.footprint.clear();
        self.go_on(propagation);
    }

    pub fn go_on(&mut self, propagation: &Propagation) {
        self.footprint.extend(propagation.given());
    }

    /// It was in vain.
    pub fn leave(&mut self, trial: Trial) {
        self.footprint.sort_unstable();
        self.footprint.dedup();
        let before = self.left.remove(&trial).map_or(0, |(_, footprint)| footprint.len());
        self.kept = self.kept + self.footprint.len() - before;
        if self.kept <= MOST {
            self.left.insert(trial, (self.time, self.footprint.clone()));
        } else {
            self.kept -= self.footprint.len();
        }
    }

    /// It was in vain, and would be so again.
    pub fn is_left_alone(&self, trial: Trial) -> bool {
        let left = self.left.get(&trial);
        left.is_some_and(|(time, footprint)| footprint.iter().all(|&one| self.variables[one as usize].1 <= *time))
    }
}
