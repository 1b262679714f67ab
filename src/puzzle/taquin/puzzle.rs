//! The puzzle's type and its options.

use clap::Args;

use super::board::Goal;
use super::tables::Size;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Taquin;

#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Options for taquin")]
pub struct Options {
    /// Size of the pattern databases
    #[arg(long, value_name = "SIZE", value_enum, default_value_t)]
    pub tables: Size,
    /// The goal: free-first, free-last, or a board in one line such as "1 2 3/8 . 4/7 6 5"
    #[arg(long, value_name = "GOAL")]
    pub goal: Option<Goal>,
    /// Find a good solution quickly, with a proven bound on its excess length
    #[arg(long)]
    pub quick: bool,
}
