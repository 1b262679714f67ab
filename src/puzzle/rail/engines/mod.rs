//! Who finds the trips. All three hand out distinct trips as [leaves](super::trips::Leaf), each with all configurations that have it.

pub mod backward;
pub mod grounded;
pub mod simulation;

use serde_json::json;

use crate::ending::Certified;

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Engine {
    /// clingo, by the encoding
    Asp,
    /// Follows trips, and branches where the trolley first sees a lever or a gate
    Simulation,
    /// Searches the graph without state from its ends
    Backward,
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
