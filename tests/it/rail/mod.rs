//! Railways.

mod deponia;
pub mod engines;
mod expanded;
mod generator;
mod pictures;
mod plans;
mod repair;
mod terms;
mod verified_claims;
