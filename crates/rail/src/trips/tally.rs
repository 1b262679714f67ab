//! Counts of configurations and trips by outcome.

use num_bigint::BigUint;
use prover::Certification;
use puzzle::{RunProof, UnsolvableCause};
use serde::{Serialize, Serializer};
use serde_json::json;

use super::{LazyTrip, Outcome, Weight};

/// A sum of weights. The summands for which `small` would overflow are in `large`.
#[derive(Debug, Clone, Default)]
pub struct WeightSum {
    small: u128,
    large: BigUint,
}

impl WeightSum {
    /// Adds the product of `weight` and `times`.
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

/// The numbers of configurations and of distinct trips by outcome.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    configurations: [WeightSum; 4],
    trips: [u64; 4],
}

impl Tally {
    pub fn count(&mut self, trip: &LazyTrip<'_>) {
        let index = trip.outcome as usize;
        self.configurations[index].add(&trip.weight, 1);
        self.trips[index] += 1;
    }

    /// Returns the number of configurations with this outcome.
    pub fn configurations(&self, outcome: Outcome) -> BigUint {
        self.configurations[outcome as usize].exact()
    }

    pub fn total(&self) -> BigUint {
        Outcome::ALL.into_iter().map(|outcome| self.configurations(outcome)).sum()
    }

    /// Returns the number of distinct trips with this outcome.
    pub fn trips(&self, outcome: Outcome) -> u64 {
        self.trips[outcome as usize]
    }
}

/// The counts of a run, with evidence for its verdict.
#[derive(Debug, Default)]
pub struct RailProof {
    pub tally: Tally,
    /// Number of configurations that match the run's pattern.
    pub all: BigUint,
    /// True if all answers were requested and the counts cover every configuration.
    pub counts_all: bool,
    /// The cause if no trip wins.
    pub cause: Option<UnsolvableCause>,
    /// The certificate that there are no other trips, if one was requested.
    pub certificate: Option<Certification>,
}

impl RunProof for RailProof {
    fn cause(&self) -> Option<&UnsolvableCause> {
        self.cause.as_ref()
    }

    fn certificate(&self) -> Option<&Certification> {
        self.certificate.as_ref()
    }
}

impl RailProof {
    /// Returns the number of configurations without a trip, which can be nonzero only for custom
    /// rules and for incomplete runs.
    pub fn configurations_without_trip(&self) -> BigUint {
        let total = self.tally.total();
        if total > self.all { BigUint::ZERO } else { &self.all - total }
    }
}

impl Serialize for RailProof {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut configurations = json!({ "all": self.all.to_string() });
        for outcome in Outcome::ALL {
            configurations[outcome.name()] = json!(self.tally.configurations(outcome).to_string());
        }
        let trips = Outcome::json(|outcome| json!(self.tally.trips(outcome)));
        json!({ "configurations": configurations, "trips": trips }).serialize(serializer)
    }
}
