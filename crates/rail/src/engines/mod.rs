//! The three engines that find trips. Each engine reports every distinct trip once, as a
//! [`LazyTrip`](super::trips::LazyTrip) with all its configurations.

pub mod backward;
pub mod clingo;
pub mod simulation;

use base::stop::StopReason;
use num_bigint::BigUint;
use prover::Certification;
use puzzle::job::Limits;
use serde_json::json;

use super::network::Network;
use super::trips::Pattern;

/// Maximum number of nodes for which clingo is the default engine. Grounding larger networks takes
/// long.
const MAX_CLINGO_NODES: usize = 300;
/// Maximum number of configurations for which clingo is the default engine.
const MAX_CLINGO_CONFIGURATIONS: u64 = 1_000_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum TripEngine {
    /// clingo with the encoding
    Asp,
    /// Follows trips and branches where the trolley first meets a lever or a gate
    Simulation,
    /// Searches the expanded graph backward from its ends
    Backward,
}

/// How a search for trips ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Completion {
    /// All trips were found.
    Complete,
    /// The receiver of the trips stopped the search.
    Enough,
    /// The search was cancelled or reached a limit.
    Limit(StopReason),
}

impl Completion {
    pub fn is_complete(self) -> bool {
        self == Completion::Complete
    }

    pub fn reason(self) -> Option<StopReason> {
        if let Completion::Limit(reason) = self { Some(reason) } else { None }
    }
}

/// A trip is too long to be stored.
pub const LONG_TRIP: StopReason = StopReason::Other("a trip has more steps than 2 GB hold");

/// A limit on the memory of a search.
#[derive(Debug, Clone, Copy)]
pub struct MemoryLimit {
    pub bytes: u64,
    /// The reason to report if the limit is exceeded.
    pub reason: StopReason,
}

impl MemoryLimit {
    /// The default limit for a single trip.
    pub const PER_TRIP: MemoryLimit = MemoryLimit { bytes: 2_000_000_000, reason: LONG_TRIP };

    /// Returns the memory limit of a job.
    pub fn of(limits: &Limits) -> Self {
        let unlimited = MemoryLimit { bytes: u64::MAX, reason: LONG_TRIP };
        limits.memory.map_or(unlimited, |bytes| MemoryLimit { bytes, reason: StopReason::MemoryLimit })
    }
}

/// Statistics of an engine.
#[derive(Debug, Clone, Default)]
pub struct EngineStats {
    pub trips: u64,
    /// Simulation: the number of steps over all trips, where common prefixes count once.
    pub steps: u64,
    /// Backward search: the number of states of the expanded graph.
    pub states: u64,
    /// Number of nodes on the longest trip.
    pub longest: usize,
    /// clingo: the last horizon.
    pub horizon: usize,
    /// clingo: its own statistics.
    pub clingo: serde_json::Value,
    /// clingo: the certificate that there are no other trips, if one was requested.
    pub certificate: Option<Certification>,
}

impl EngineStats {
    /// Returns the statistics that apply to `engine`. If `in_full`, includes those of clingo
    /// itself.
    pub fn json(&self, engine: TripEngine, in_full: bool) -> serde_json::Value {
        let EngineStats { trips, steps, states, longest, horizon, clingo, .. } = self;
        match engine {
            TripEngine::Simulation => json!({"trips": trips, "steps": steps, "longest": longest}),
            TripEngine::Backward => json!({"trips": trips, "states": states, "longest": longest}),
            TripEngine::Asp if in_full => {
                json!({"trips": trips, "longest": longest, "horizon": horizon, "clingo": clingo})
            }
            TripEngine::Asp => json!({"trips": trips, "longest": longest, "horizon": horizon}),
        }
    }
}

/// Returns true if clingo grounds the encoding for `network` within seconds.
pub fn fits_clingo(network: &Network) -> bool {
    network.nodes.len() <= MAX_CLINGO_NODES
        && Pattern::any(network).configurations(network) <= BigUint::from(MAX_CLINGO_CONFIGURATIONS)
}
