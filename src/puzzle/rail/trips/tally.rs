//! How many configurations and trips there are, by outcome.

use num_bigint::BigUint;
use serde_json::{Map, Value, json};

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

    pub fn json(&self, all: &BigUint) -> Map<String, Value> {
        let mut configurations = Map::from_iter([("all".to_owned(), json!(all.to_string()))]);
        let mut trips = Map::new();
        for outcome in Outcome::ALL {
            configurations.insert(outcome.name().to_owned(), json!(self.of(outcome).to_string()));
            trips.insert(outcome.name().to_owned(), json!(self.trips[outcome as usize]));
        }
        Map::from_iter([("configurations".to_owned(), configurations.into()), ("trips".to_owned(), trips.into())])
    }
}
