//! The puzzle's type, its options, engines and heuristics.

use base::diagnostic::Failure;
use clap::{Args, ValueEnum};
use puzzle::heuristic::heuristic_among;
use puzzle::job::Job;

use super::board::Goal;
use super::tables::Size;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Taquin;

#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Options for taquin")]
pub struct Options {
    /// Size of the pattern databases [default: default]
    #[arg(long, value_name = "SIZE", value_enum)]
    pub tables: Option<Size>,
    /// The goal: free-first, free-last, spiral, or a board in one line such as "1 2 3/8 . 4/7 6 5"
    #[arg(long, value_name = "GOAL")]
    pub goal: Option<Goal>,
    /// Find a good solution quickly, with a proven bound on its excess length
    #[arg(long)]
    pub quick: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum TaquinHeuristic {
    /// The best one for the board
    #[default]
    Auto,
    /// Taquin: Manhattan distance
    Manhattan,
    /// Taquin: Manhattan distance with linear conflicts
    LinearConflict,
    /// Pattern databases
    Pdb,
}

/// The heuristic that the job names.
pub fn heuristic_of(job: &Job) -> Result<TaquinHeuristic, Failure> {
    heuristic_among("taquin", job)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TaquinEngine {
    Idastar,
    Astar,
    Ids,
    Bfs,
    Asp,
}
