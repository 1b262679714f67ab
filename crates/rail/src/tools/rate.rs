//! `asp-solve rate`: rates the difficulty of a railway as a sum of parts.

use std::fmt::Write;

use base::diagnostic::{Code, Diagnostic, Failure};
use base::ending::Verdict;
use clap::Args;
use puzzle::Format;
use puzzle::job::Job;
use puzzle::rate::Rate;
use puzzle::{OptionDeclaration, ToolOutput, document_names, native};
use serde_json::json;

use super::measure::{self, Depth, Difficulty, TripLimits};
use super::require_builtin_rules;
use crate::network::{Network, instance};
use crate::trips::replay::check_failure;
use crate::trips::{Outcome, Pattern};

/// The command `rate`, with the rating of railways.
pub const RATE: Rate =
    Rate { own: rate, options: OptionDeclaration::of::<RailRatingOptions>, check_other: reject_trip_limit };

const MAX_TRIPS: u64 = 100_000_000;

#[derive(Debug, Clone, Args)]
pub struct RailRatingOptions {
    /// Give up on networks with more distinct trips [default: 100000000]
    #[arg(long, value_name = "N")]
    most_trips: Option<u64>,
}

fn reject_trip_limit(job: &Job) -> Result<(), Failure> {
    match job.tool_options::<RailRatingOptions>()?.most_trips {
        Some(_) => Err(Diagnostic::error(Code::Unsupported, "--most-trips: only railways have trips").into()),
        None => Ok(()),
    }
}

/// Rates a railway.
fn rate(job: &Job) -> Result<ToolOutput, Failure> {
    let max_trips = job.tool_options::<RailRatingOptions>()?.most_trips.unwrap_or(MAX_TRIPS);
    require_builtin_rules("rate", job)?;
    let facts = instance::read(&job.sources.documents, &job.engine.settings, &job.stop)?;
    let network = Network::from_facts(&facts)?;
    let found = measure::measure(&network, Depth::default(), TripLimits::trips(max_trips), &job.stop, &mut |_| false);
    let found = match found {
        Ok(found) => found,
        Err(reason) => {
            let verdict = Verdict::GaveUp(reason);
            return Ok(ToolOutput { output: String::new(), verdict, warnings: Vec::new(), certificate: None });
        }
    };
    if found.tally.total() != Pattern::any(&network).configurations(&network) {
        return Err(check_failure("the trips found do not stand for all configurations".to_owned()));
    }
    let has_win = found.has_win();
    let difficulty = has_win.then(|| Difficulty::of(&network, &found, &job.stop));
    let output = if job.output.format == Format::Json {
        let object = json!({
            "schema": 1, "puzzle": "rail", "instance": document_names(&job.sources.documents),
            "configurations": Outcome::json(|outcome| json!(found.tally.configurations(outcome).to_string())),
            "trips": Outcome::json(|outcome| json!(found.tally.trips(outcome))),
            "difficulty": difficulty.map(|difficulty| difficulty.json()),
        });
        format!("{object:#}\n")
    } else if let Some(difficulty) = difficulty {
        let mut text = format!("Difficulty {:.1} bits, the sum of:\n\n", difficulty.bits());
        for part in &difficulty.parts {
            let _ = writeln!(text, "  {:<9} {:>5.1}  {}", part.name, part.bits, part.value);
        }
        let cycles = found.tally.trips(Outcome::Cycle);
        if cycles > 0 {
            let cycles = native::count(cycles, "trip is a cycle", "trips are cycles");
            let _ = writeln!(text, "\n{cycles}: a defect of the puzzle (asp-solve repair removes it).");
        }
        let _ = writeln!(
            text,
            "\nLuck, variety, decoys and patience are logarithms: one more bit means twice as much. Each gate that matters adds a bit."
        );
        text
    } else {
        "No configuration wins: a puzzle without a solution has no difficulty.\n".to_owned()
    };
    let verdict = if has_win { Verdict::Solved } else { Verdict::Impossible };
    Ok(ToolOutput { output, verdict, warnings: Vec::new(), certificate: None })
}
