//! Who finds the trips. All three hand out distinct trips as [leaves](super::trips::Leaf), each with all configurations that have it.

pub mod backward;
pub mod grounded;
pub mod simulation;
