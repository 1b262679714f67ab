//! How many configurations and trips there are, by outcome.

use num_bigint::BigUint;
use serde::{Serialize, Serializer};
use serde_json::json;

use super::{Leaf, Outcome, Weight};
use crate::ending::Certified;
use crate::puzzle::Because;

/// A sum of weights, fast as long as it fits.
#[derive(Debug, Clone, Default)]
pub struct Sum {
    small: u128,
    large: BigUint,
}

impl Sum {
    /// Adds the weight so many times.
    pub fn add(&mut self, weight: &Weight, times: usize) {
        let added = match weight {
            Weight::Small(weight) => weight.checked_mul(times as u128).and_then(|added| self.small.checked_add(added)),
            Weight::Large(_) => None,
        };
        match (added, weight) {
            (Some(sum), _) => self.small = sum,
            (None, Weight::Small(weight)) => self.large += BigUint::from(*weight) * times,
            (None, Weight::Large(weight)) => self.large += weight * times,
        }
    }

    pub fn exact(&self) -> BigUint {
        &self.large + self.small
    }
}

/// Configurations and trips, by outcome.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    configurations: [Sum; 4],
    trips: [u64; 4],
}

impl Tally {
    pub fn count(&mut self, ended: &Leaf<'_>) {
        let index = ended.outcome as usize;
        self.configurations[index].add(&ended.weight, 1);
        self.trips[index] += 1;
    }

    /// Configurations that end so.
    pub fn of(&self, outcome: Outcome) -> BigUint {
        self.configurations[outcome as usize].exact()
    }

    pub fn total(&self) -> BigUint {
        Outcome::ALL.into_iter().map(|outcome| self.of(outcome)).sum()
    }

    /// Distinct trips that end so.
    pub fn trips(&self, outcome: Outcome) -> u64 {
        self.trips[outcome as usize]
    }
}

/// What a run proves of a network: how its trips end.
#[derive(Debug, Default)]
pub struct Proof {
    pub tally: Tally,
    /// All configurations that the question is about.
    pub all: BigUint,
    /// The counts are asked for, and are those of all configurations.
    pub counts_all: bool,
    /// Why no trip wins.
    pub because: Option<Because>,
    /// What came of certifying that there are no other trips.
    pub certificate: Option<Certified>,
}

impl Proof {
    /// Configurations of which nothing was found. There are some only by rules of one's own, and where a run was not whole.
    pub fn without_trip(&self) -> BigUint {
        let total = self.tally.total();
        if total > self.all { BigUint::ZERO } else { &self.all - total }
    }
}

impl Serialize for Proof {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut configurations = json!({ "all": self.all.to_string() });
        for outcome in Outcome::ALL {
            configurations[outcome.name()] = json!(self.tally.of(outcome).to_string());
        }
        let trips = Outcome::json(|outcome| json!(self.tally.trips(outcome)));
        json!({ "configurations": configurations, "trips": trips }).serialize(serializer)
    }
}
