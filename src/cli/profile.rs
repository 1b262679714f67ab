//! `profile`: measures grounding and solving by source line.

use std::path::PathBuf;
use std::sync::mpsc::{self, Sender};

use asp::Settings;
use author::profile::{self, ProfileRecorder};
use base::diagnostic::Failure;
use base::document::Document;
use base::ending::Verdict;
use base::stop::CancelToken;
use base::style::Style;
use clap::Args;
use puzzle::Format;

use super::groups::{Inspect, MemoryArgs, PuzzleArgs, formats};
use super::messages::verdict_exit_code;
use super::request::{JobRequest, build_job};
use super::runner::Runner;
use super::values::whole_number;
use super::{input, sources};

// (Not a doc comment: clap would show it as the command's description.)
#[derive(Debug, Clone, Args)]
#[command(mut_arg("format", |option| formats(option, &[Format::Text, Format::Json])))]
pub struct Profile {
    #[command(flatten)]
    pub inspect: Inspect,
    #[command(flatten)]
    pub choice: PuzzleArgs,
    /// At most N answers, 0 for all [default: 1; for optimisation the optimum]
    #[arg(short = 'n', long, value_name = "N", allow_hyphen_values = true, value_parser = whole_number)]
    pub models: Option<u64>,
    #[command(flatten)]
    pub memory: MemoryArgs,
}

/// Profiles a run and returns the exit code.
pub fn profile(args: Profile) -> i32 {
    let Inspect { files, common, .. } = &args.inspect;
    let output_args = &common.output_args;
    let format = args.inspect.format_args.format;
    sources::record_named(files);
    let mut runner = Runner::new(common.limits(args.memory), !common.quiet);
    let record = ProfileRecorder::default();
    let task =
        ProfileTask { record: record.clone(), models: args.models, files: files.clone(), request: args.request() };
    // The report of an abandoned run needs the texts that it read.
    let (sender, documents) = mpsc::channel();
    let work = move |read: &mut Vec<Document>, stop: &CancelToken| {
        task.measure(read, stop, &sender).map(|()| stop.requested())
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
    let text_of = |place: &_| sources::source_text(place, &documents);
    let style = Style { width: None, ..common.style() };
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
    files: Vec<PathBuf>,
    request: JobRequest,
}

impl ProfileTask {
    fn measure(
        &self,
        read: &mut Vec<Document>,
        stop: &CancelToken,
        documents: &Sender<Vec<Document>>,
    ) -> Result<(), Failure> {
        *read = input::read_all(&self.files, stop)?;
        let (entry, job) = build_job(&self.request, read, stop)?;
        let settings = Settings { models: self.models, ..job.engine.settings.clone() };
        let program = entry.open(job)?.program()?;
        let _ = documents.send(read.iter().chain(program.documents()).cloned().collect());
        profile::profile(&program, &settings, stop, &self.record)
    }
}

impl Profile {
    fn request(&self) -> JobRequest {
        let Inspect { program, common, .. } = self.inspect.clone();
        let choice = self.choice.clone();
        JobRequest { choice, program, memory: self.memory, threads: common.threads, ..JobRequest::default() }
    }
}
