//! The option `--heuristic`, whose values belong to several puzzles.

use clap::{Args, ValueEnum};

use super::pipeline::name_of;
use crate::diagnostic::{Code, Diagnostic, Failure};

#[derive(Debug, Clone, Default, Args)]
pub struct HeuristicArgs {
    #[arg(long)]
    heuristic: Option<String>,
}

impl HeuristicArgs {
    /// The heuristic among those of a puzzle, or the error for a heuristic of other puzzles.
    pub fn among<H: ValueEnum + Copy + Default>(&self, puzzle: &str) -> Result<H, Failure> {
        let Some(name) = &self.heuristic else { return Ok(H::default()) };
        H::from_str(name, false).map_err(|_| {
            let names: Vec<String> = H::value_variants().iter().map(|&known| name_of(known)).collect();
            let text = format!("--heuristic {name}: {puzzle} has {}", names.join(", "));
            Diagnostic::error(Code::Unsupported, text).into()
        })
    }
}
