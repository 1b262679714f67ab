//! `asp-solve count`: prints the number of answers without enumerating them.

use std::path::PathBuf;

use base::diagnostic::Failure;
use base::document::Document;
use base::ending::Verdict;
use base::stop::{CancelToken, StopReason};
use base::words::{count, thousands};
use clap::Args;
use count::{Estimate, Projection};
use puzzle::Format;
use puzzle::counting::AnswerCount;
use puzzle::report::Header;
use serde_json::json;

use super::groups::{CommonArgs, FormatArgs, MemoryArgs, ProgramArgs, PuzzleArgs, formats};
use super::input;
use super::messages::verdict_exit_code;
use super::options::PuzzleOptions;
use super::request::{JobRequest, build_job};
use super::runner::Runner;
use super::{memory, sources};

// (Not a doc comment: clap would show it as the command's description.)
#[derive(Debug, Clone, Args)]
#[command(mut_arg("format", |option| formats(option, &[Format::Text, Format::Json])))]
pub struct Count {
    /// The board or the program; - is standard input
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub choice: PuzzleArgs,
    #[command(flatten)]
    pub program: ProgramArgs,
    #[command(flatten)]
    pub format_args: FormatArgs,
    #[command(flatten)]
    pub memory: MemoryArgs,
    #[command(flatten)]
    pub common: CommonArgs,
    #[command(flatten)]
    pub options: PuzzleOptions,
}

/// Counts, prints the number and returns the exit code.
pub fn run(args: Count) -> i32 {
    let output_args = &args.common.output_args;
    sources::record_named(&args.files);
    let mut runner = Runner::new(args.common.limits(args.memory), !args.common.quiet);
    let task_args = args.clone();
    let work = move |read: &mut Vec<Document>, stop: &CancelToken| task_args.count(read, stop);
    let (counted, read) = runner.run_fallible(work, || None);
    match counted {
        Ok(Ok((header, counted))) => {
            args.common.warn(&counted.warnings, &read);
            let text = match args.format_args.format {
                Format::Json => format!("{:#}\n", counted.json(&header)),
                _ => text(&header, &counted),
            };
            output_args.conclude(&text, || match counted.verdict() {
                // The text contains the reason.
                Verdict::GaveUp(_) if args.format_args.format == Format::Text => 3,
                verdict => verdict_exit_code(verdict),
            })
        }
        Ok(Err(reason)) => {
            let text = match args.format_args.format {
                Format::Json => format!(
                    "{:#}\n",
                    json!({ "schema": 1, "verdict": Verdict::GaveUp(reason).name(), "reason": reason.words() })
                ),
                _ => String::new(),
            };
            output_args.conclude(&text, || verdict_exit_code(Verdict::GaveUp(reason)))
        }
        Err(failure) => output_args.fail(&failure, &read),
    }
}

impl Count {
    fn count(&self, read: &mut Vec<Document>, stop: &CancelToken) -> Result<(Header, AnswerCount), Failure> {
        *read = input::read_all(&self.files, stop)?;
        let Count { choice, program, memory, common, .. } = self.clone();
        let request = JobRequest { choice, program, memory, threads: common.threads, ..JobRequest::default() };
        let (entry, mut job) = build_job(&request, read, stop)?;
        self.options.apply(&*entry, &mut job)?;
        job.output.format = Format::Text;
        job.engine.limits.memory.get_or_insert_with(memory::half_of_memory);
        let board = entry.open(job)?;
        Ok((board.header(), board.count()?))
    }
}

/// Returns the words for the things that are counted.
fn nouns(header: &Header, counted: &AnswerCount) -> [&'static str; 2] {
    match (header.rules.is_some(), &counted.costs) {
        (true, None) => ["solution", "solutions"],
        (true, Some(_)) => ["best solution", "best solutions"],
        (false, None) => ["answer", "answers"],
        (false, Some(_)) => ["optimal answer", "optimal answers"],
    }
}

fn text(header: &Header, counted: &AnswerCount) -> String {
    let [one, many] = nouns(header, counted);
    let projection = match &counted.projection {
        Projection::None => "",
        // The solutions of a board always differ in what they show.
        Projection::Shown if header.rules.is_some() => "",
        Projection::Shown => " by what is shown",
        Projection::Atoms(_) => " by the atoms of #project",
    };
    let costs = match counted.costs.as_deref() {
        None | Some([]) => String::new(),
        Some(costs) => format!(" of cost {}", costs.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")),
    };
    let Some(number) = counted.exact() else {
        let (at_least, at_most) = (&counted.count.at_least, &counted.count.at_most);
        let reason = counted.count.stopped.unwrap_or(StopReason::Unproven).words();
        let at_least = count(at_least, one, many);
        let bounds =
            format!("At least {at_least}{costs}{projection}, and at most {} ({reason}).\n", thousands(at_most));
        return bounds + &counted.count.estimate.map_or(String::new(), |estimate| estimate_text(&estimate));
    };
    format!("{}{costs}{projection}.\n", count(number, one, many))
}

/// Returns the number in words, or its lower bound, without a period.
pub fn summary(header: &Header, counted: &AnswerCount) -> String {
    let [one, many] = nouns(header, counted);
    match counted.exact() {
        Some(number) => count(number, one, many),
        None => format!("at least {}", count(&counted.count.at_least, one, many)),
    }
}

fn estimate_text(estimate: &Estimate) -> String {
    let error = estimate.relative_error * 100.0;
    let probes = count(estimate.probes, "random probe", "random probes");
    format!("Estimate, not proven: {estimate}, standard error {error:.0} % ({probes}, seed {}).\n", estimate.seed)
}
