//! The option `--heuristic`, shared by several puzzles.

use clap::{Args, ValueEnum};

use super::name_of;
use crate::diagnostic::{Code, Diagnostic, Failure};

#[derive(Debug, Clone, Default, Args)]
pub struct HeuristicArgs {
    /// Native search: the lower bound that guides it [default: auto]
    #[arg(long, value_name = "NAME", value_enum)]
    heuristic: Option<Heuristic>,
}

impl HeuristicArgs {
    pub fn heuristic(&self) -> Heuristic {
        self.heuristic.unwrap_or_default()
    }
}

/// All heuristics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Heuristic {
    /// The best one for the board
    #[default]
    Auto,
    /// Taquin: Manhattan distance
    Manhattan,
    /// Taquin: Manhattan distance with linear conflicts
    LinearConflict,
    /// Pattern databases
    Pdb,
    /// Games: no heuristic
    Blind,
    /// Games: h-max
    Hmax,
    /// Games: landmark cut
    Lmcut,
    /// Games: potential heuristics
    Potentials,
}

impl Heuristic {
    /// Rejects heuristics that are not among the `known` ones of a puzzle.
    pub fn require_supported(self, puzzle: &str, known: &[Heuristic]) -> Result<(), Failure> {
        if known.contains(&self) {
            return Ok(());
        }
        let names: Vec<String> = known.iter().map(|&known| name_of(known)).collect();
        let text = format!("--heuristic {}: {puzzle} has {}", name_of(self), names.join(", "));
        Err(Diagnostic::error(Code::Unsupported, text).into())
    }
}
