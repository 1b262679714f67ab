//! The puzzle's type, its engines, its options and its plans.

use clap::{Args, ValueEnum};
use puzzle::one_player::Plan;

use super::burrow::Burrow;
use super::moves::Move;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Amphipod;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum AmphipodEngine {
    Astar,
    Idastar,
    Memo,
    Backtracking,
    Asp,
}

#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Options for amphipod")]
pub struct AmphipodOptions {
    /// Insert the two rows of part two of the task
    #[arg(long)]
    pub unfold: bool,
}

pub type AmphipodPlan = Plan<Move>;

impl Burrow {
    /// The total energy of a plan.
    pub fn energy(&self, plan: &AmphipodPlan) -> u64 {
        plan.0.iter().map(|action| action.energy(self.rooms.len())).sum()
    }
}
