//! The option `--heuristic` of the puzzles whose search it guides.

use clap::{Args, ValueEnum};

use super::name_of;
use crate::diagnostic::{Diagnostic, Failure};

#[derive(Debug, Clone, Default, Args)]
pub struct Guided {
    /// Native search: the lower bound that guides it [default: auto]
    #[arg(long, value_name = "NAME", value_enum)]
    heuristic: Option<Heuristic>,
}

impl Guided {
    pub fn heuristic(&self) -> Heuristic {
        self.heuristic.unwrap_or_default()
    }
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
