//! The three engines that find trips. Each passes on distinct trips as
//! [`LazyTrip`](super::trips::LazyTrip)s, each with all its configurations.

pub mod backward;
pub mod clingo;
pub mod simulation;

use serde_json::json;

use crate::ending::Certification;
use crate::job::Limits;
use crate::stop::StopReason;

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
    /// The receiver stopped the search.
    Enough,
    /// A limit was reached, either that of the job's token or one of the search itself.
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

/// Bytes that a search may use, and the reason to report if they are exceeded.
#[derive(Debug, Clone, Copy)]
pub struct MemoryLimit {
    pub bytes: u64,
    pub reason: StopReason,
}

impl MemoryLimit {
    /// Default limit for a single trip.
    pub const PER_TRIP: MemoryLimit = MemoryLimit { bytes: 2_000_000_000, reason: StopReason::LongTrip };

    /// The memory limit of a job.
    pub fn of(limits: &Limits) -> Self {
        let unlimited = MemoryLimit { bytes: u64::MAX, reason: StopReason::LongTrip };
        limits.memory.map_or(unlimited, |bytes| MemoryLimit { bytes, reason: StopReason::MemoryLimit })
    }
}

/// Statistics of an engine.
#[derive(Debug, Clone, Default)]
pub struct EngineStats {
    pub trips: u64,
    /// Simulation: steps over all trips, with common prefixes counted once.
    pub steps: u64,
    /// Backward search: states of the expanded graph.
    pub states: u64,
    /// Number of nodes on the longest trip.
    pub longest: usize,
    /// clingo: the last horizon, and clingo's own statistics.
    pub horizon: usize,
    pub clingo: serde_json::Value,
    /// clingo: the certificate that there are no other trips, if one was requested.
    pub certificate: Option<Certification>,
}

impl EngineStats {
    /// The statistics that apply to `engine`; `in_full` adds clingo's own.
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
