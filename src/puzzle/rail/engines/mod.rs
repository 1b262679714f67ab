//! Who finds the trips. All three hand out distinct trips as [leaves](super::trips::Leaf), each with all configurations that have it.

pub mod backward;
pub mod grounded;
pub mod simulation;

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Engine {
    /// clingo, by the encoding
    Asp,
    /// Follows trips, and branches where the trolley first sees a lever or a gate
    Simulation,
    /// Searches the graph without state from its ends
    Backward,
}
