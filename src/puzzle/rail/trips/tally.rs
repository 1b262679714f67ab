//! How many configurations and trips there are, by outcome.

use num_bigint::BigUint;
use serde_json::{Map, Value, json};

use super::{Leaf, Outcome, Weight};

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

    pub fn json(&self, all: &BigUint) -> Map<String, Value> {
        let mut configurations = Map::from_iter([("all".to_owned(), json!(all.to_string()))]);
        let mut trips = Map::new();
        for outcome in Outcome::ALL {
            configurations.insert(outcome.name().to_owned(), json!(self.of(outcome).to_string()));
            trips.insert(outcome.name().to_owned(), json!(self.trips(outcome)));
        }
        Map::from_iter([("configurations".to_owned(), configurations.into()), ("trips".to_owned(), trips.into())])
    }
}
