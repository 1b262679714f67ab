//! `asp-solve rate`: rates the difficulty of a railway as a sum of parts.

use std::fmt::Write;

use clap::Args;
use serde_json::json;

use super::measure::{self, Depth, Difficulty, TripLimits};
use super::require_builtin_rules;
use crate::diagnostic::{Code, Diagnostic, Failure};
use crate::ending::Verdict;
use crate::job::Job;
use crate::puzzle::rail::network::Network;
use crate::puzzle::rail::network::instance;
use crate::puzzle::rail::trips::replay::check_failure;
use crate::puzzle::rail::trips::{Outcome, Pattern};
use crate::puzzle::{AnyRun, Console, Tool, ToolOutput, document_names, has_options, native};
use crate::report::Format;
use crate::why::{ExplainQuery, QueryKind};

#[derive(Debug, Clone, Copy)]
pub struct Rate;

#[derive(Debug, Clone, Args)]
pub struct RateOptions {
    /// Give up on networks with more distinct trips
    #[arg(long, value_name = "N", default_value_t = 100_000_000)]
    most_trips: u64,
}

impl Default for RateOptions {
    fn default() -> Self {
        crate::puzzle::default_options()
    }
}

impl Tool for Rate {
    has_options!(RateOptions);

    fn name(&self) -> &'static str {
        "rate"
    }

    fn about(&self) -> &'static str {
        "Rate how hard a railway is, or how many steps of `hint` a puzzle takes"
    }

    fn formats(&self) -> &'static [Format] {
        &[Format::Text, Format::Json]
    }

    fn takes_any_puzzle(&self) -> bool {
        true
    }

    /// Rates another puzzle by the steps of `hint`.
    fn run_other(&self, board: &dyn AnyRun) -> Result<ToolOutput, Failure> {
        let job = board.job();
        if job.options.is_given("most_trips") {
            return Err(Diagnostic::error(Code::Unsupported, "--most-trips: only railways have trips").into());
        }
        let (kind, format, style) = (QueryKind::Rating, job.format, job.style);
        let mut explanation = board.why(&ExplainQuery { kind, format, style, ..ExplainQuery::default() })?;
        explanation.json["rules"] = job.rules.name().into();
        let output = match job.format {
            Format::Json => format!("{:#}\n", explanation.json),
            _ => explanation.text + &job.rules.footnote(),
        };
        Ok(ToolOutput { output, verdict: explanation.verdict, warnings: explanation.warnings, certificate: None })
    }

    fn run(&self, job: &Job, _console: &mut Console<'_>) -> Result<ToolOutput, Failure> {
        let options = &*job.options::<RateOptions>();
        require_builtin_rules("rate", job)?;
        let facts = instance::read(&job.documents, &job.settings, &job.stop)?;
        let network = Network::from_facts(&facts)?;
        let found =
            measure::measure(&network, Depth::default(), TripLimits::trips(options.most_trips), &job.stop, &mut |_| {
                false
            });
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
        let output = if job.format == Format::Json {
            let object = json!({
                "schema": 1, "puzzle": "rail", "instance": document_names(&job.documents),
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
}
