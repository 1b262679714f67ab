//! `profile`: measures grounding and solving by source line.

use std::sync::mpsc::{self, Sender};

use clap::Args;

use super::args::{self, Inspect};
use super::output_args::{formats, verdict_exit_code};
use super::runner::Runner;
use super::{build_job, input, limits};
use crate::asp::Settings;
use crate::author::profile::{self, ProfileRecorder};
use crate::diagnostic::Failure;
use crate::document::Document;
use crate::ending::Verdict;
use crate::report::{Format, Style};
use crate::stop::CancelToken;

// (Not a doc comment: clap would show it as the command's description.)
#[derive(Debug, Clone, Args)]
#[command(mut_arg("format", |option| formats(option, &[Format::Text, Format::Json])))]
pub struct Profile {
    #[command(flatten)]
    pub inspect: Inspect,
    #[command(flatten)]
    pub choice: args::PuzzleArgs,
    /// At most N answers, 0 for all [default: 1; for optimisation the optimum]
    #[arg(short = 'n', long, value_name = "N", allow_hyphen_values = true, value_parser = args::whole_number)]
    pub models: Option<u64>,
    #[command(flatten)]
    pub memory: args::MemoryArgs,
}

/// Profiles a run and returns the exit code.
pub fn profile(args: Profile) -> i32 {
    let solve = args.solve();
    let output_args = &solve.common.output_args;
    let format = args.inspect.format_args.format;
    input::record_named(&solve.files);
    let mut runner = Runner::new(limits(&solve), !solve.common.quiet);
    let record = ProfileRecorder::default();
    let task = ProfileTask { record: record.clone(), models: args.models };
    // The report of an abandoned run needs the texts that it read.
    let (sender, documents) = mpsc::channel();
    let solve_args = solve.clone();
    let work = move |read: &mut Vec<Document>, stop: &CancelToken| {
        task.measure(&solve_args, read, stop, &sender).map(|()| stop.requested())
    };
    let reason = match runner.run_fallible(work, || Some(record.profile().progress())) {
        (Ok(stop_reason), _) => stop_reason.unwrap_or_else(Some),
        (Err(failure), documents) => return output_args.fail(&failure, &documents),
    };
    let documents = documents.try_iter().last().unwrap_or_default();
    let profile = record.profile();
    let reason = reason.or(match profile.search.as_ref().map(|search| search.verdict) {
        Some(Verdict::GaveUp(reason)) => Some(reason),
        _ => None,
    });
    let text_of = |place: &_| input::source_text(place, &documents);
    let style = Style { width: None, ..solve.common.style() };
    let text = match format {
        Format::Json => format!("{:#}\n", profile.json(&text_of)),
        _ => profile.text(reason, &text_of, &style),
    };
    output_args.conclude(&text, || match reason {
        // The text contains the reason.
        Some(_) if format == Format::Text => 3,
        Some(reason) => verdict_exit_code(Verdict::GaveUp(reason)),
        None => verdict_exit_code(profile.search.as_ref().map_or(Verdict::Solved, |search| search.verdict)),
    })
}

/// The inputs of the measuring thread.
struct ProfileTask {
    record: ProfileRecorder,
    models: Option<u64>,
}

impl ProfileTask {
    fn measure(
        &self,
        args: &args::Solve,
        read: &mut Vec<Document>,
        stop: &CancelToken,
        documents: &Sender<Vec<Document>>,
    ) -> Result<(), Failure> {
        *read = super::read(&args.files, stop)?;
        let (entry, job) = build_job(args, read, stop)?;
        let settings = Settings { models: self.models, ..job.settings.clone() };
        let program = entry.open(job)?.program()?;
        let _ = documents.send(read.iter().chain(program.documents()).cloned().collect());
        profile::profile(&program, &settings, stop, &self.record)
    }
}

impl Profile {
    fn solve(&self) -> args::Solve {
        let Inspect { files, program, common, .. } = self.inspect.clone();
        let (choice, memory) = (self.choice.clone(), self.memory);
        args::Solve { files, choice, program, common, memory, ..args::Solve::default() }
    }
}
