//! The option `--heuristic`, whose values belong to several puzzles.

use base::diagnostic::{Code, Diagnostic, Failure};
use clap::ValueEnum;

use super::pipeline::name_of;
use crate::job::Job;

/// Returns the heuristic that `job` names, or the default one.
///
/// # Errors
/// The puzzle does not have this heuristic.
pub fn heuristic_among<H: ValueEnum + Copy + Default>(puzzle: &str, job: &Job) -> Result<H, Failure> {
    let Some(name) = &job.engine.heuristic else { return Ok(H::default()) };
    H::from_str(name, false).map_err(|_| {
        let names: Vec<String> = H::value_variants().iter().map(|&known| name_of(known)).collect();
        let text = format!("--heuristic {name}: {puzzle} has {}", names.join(", "));
        Diagnostic::error(Code::Unsupported, text).into()
    })
}
