//! How many configurations and trips there are, by outcome.

use num_bigint::BigUint;
use serde::{Serialize, Serializer};
use serde_json::json;

use super::{Leaf, Outcome, Weight};

/// Configurations and trips, by outcome.
#[derive(Debug, Default)]
pub struct Tally {
    /// A configuration is counted once, so that what fits for all fits for each.
    small: [u128; 4],
    large: [BigUint; 4],
    trips: [u64; 4],
}

impl Tally {
    pub fn count(&mut self, ended: &Leaf<'_>) {
        let index = ended.outcome as usize;
        match &ended.weight {
            Weight::Small(weight) => self.small[index] += weight,
            Weight::Large(weight) => self.large[index] += weight,
        }
        self.trips[index] += 1;
    }

    /// Configurations that end so.
    pub fn of(&self, outcome: Outcome) -> BigUint {
        &self.large[outcome as usize] + self.small[outcome as usize]
    }

    pub fn total(&self) -> BigUint {
        Outcome::ALL.into_iter().map(|outcome| self.of(outcome)).sum()
    }

    pub fn trips_of(&self, outcome: Outcome) -> u64 {
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
        let trips = Outcome::json(|outcome| json!(self.tally.trips_of(outcome)));
        json!({ "configurations": configurations, "trips": trips }).serialize(serializer)
    }
}
