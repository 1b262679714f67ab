//! Who finds the trips. All three hand out distinct trips as [leaves](super::trips::Leaf), each with all configurations that have it.

pub mod backward;
pub mod grounded;
pub mod simulation;

use serde_json::json;

use crate::ending::Certified;
use crate::job::Limits;
use crate::stop::Reason;

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Engine {
    /// clingo, by the encoding
    Asp,
    /// Follows trips, and branches where the trolley first sees a lever or a gate
    Simulation,
    /// Searches the graph without state from its ends
    Backward,
}

/// How a search for trips ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// All trips were found.
    Complete,
    /// The receiver wanted no more.
    Enough,
    /// A limit was reached: that of the job, which its token tells, or one of the search itself.
    Limit(Reason),
}

impl End {
    pub fn is_complete(self) -> bool {
        self == End::Complete
    }

    pub fn reason(self) -> Option<Reason> {
        if let End::Limit(reason) = self { Some(reason) } else { None }
    }
}

/// Bytes that a search may use, and what it gives as the reason where they do not do.
#[derive(Debug, Clone, Copy)]
pub struct Memory {
    pub bytes: u64,
    pub reason: Reason,
}

impl Memory {
    /// Bytes for a trip where no limit is given.
    pub const OF_A_TRIP: Memory = Memory { bytes: 2_000_000_000, reason: Reason::LongTrip };

    /// The memory limit of a job.
    pub fn of(limits: &Limits) -> Self {
        let whole = Memory { bytes: u64::MAX, reason: Reason::LongTrip };
        limits.memory.map_or(whole, |bytes| Memory { bytes, reason: Reason::MemoryLimit })
    }
}

/// What an engine has done.
#[derive(Debug, Clone, Default)]
pub struct Effort {
    pub trips: u64,
    /// Of the simulation: steps over all trips, common beginnings once.
    pub steps: u64,
    /// Of the search from the ends: states of the graph without state.
    pub states: u64,
    /// Steps of the longest trip.
    pub longest: usize,
    /// Of clingo: how far the trips were drawn, and its own statistics.
    pub horizon: usize,
    pub clingo: serde_json::Value,
    /// Of clingo: what came of certifying that there are no other trips.
    pub certificate: Option<Certified>,
}

impl Effort {
    /// What there is to tell of an engine; clingo's own statistics if they are wanted.
    pub fn json(&self, engine: Engine, in_full: bool) -> serde_json::Value {
        let Effort { trips, steps, states, longest, horizon, clingo, .. } = self;
        match engine {
            Engine::Simulation => json!({"trips": trips, "steps": steps, "longest": longest}),
            Engine::Backward => json!({"trips": trips, "states": states, "longest": longest}),
            Engine::Asp if in_full => {
                json!({"trips": trips, "longest": longest, "horizon": horizon, "clingo": clingo})
            }
            Engine::Asp => json!({"trips": trips, "longest": longest, "horizon": horizon}),
        }
    }
}
