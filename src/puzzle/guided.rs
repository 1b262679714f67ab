//! The option `--heuristic` of the puzzles whose search it guides.

use clap::{Args, ValueEnum};

use super::name_of;
use crate::diagnostic::{Diagnostic, Failure};

#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Options of searches")]
pub struct Guided {
    /// The lower bound that guides the search
    #[arg(long, value_name = "NAME", value_enum, default_value_t)]
    pub heuristic: Heuristic,
}

/// All heuristics there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Heuristic {
    /// The best one for the board
    #[default]
    Auto,
    /// Of the taquin: the steps of the tiles
    Manhattan,
    /// Of the taquin: the same, with conflicts in lines
    LinearConflict,
    /// Pattern databases
    Pdb,
    /// Of games: none
    Blind,
    /// Of games: h-max
    Hmax,
    /// Of games: landmark cut
    Lmcut,
    /// Of games: potentials
    Potentials,
}

impl Heuristic {
    /// Refuses what a puzzle does not have.
    pub fn is_of(self, puzzle: &str, known: &[Heuristic]) -> Result<(), Failure> {
        if known.contains(&self) {
            return Ok(());
        }
        let names: Vec<String> = known.iter().map(|&known| name_of(known)).collect();
        let text = format!("--heuristic {}: {puzzle} has {}", name_of(self), names.join(", "));
        Err(Diagnostic::error(text).into())
    }
}
