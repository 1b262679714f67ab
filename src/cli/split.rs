//! `asp-solve split`: splits a hard board or program into a batch, whose results `merge` combines.
//!
//! Puzzles with a search of their own have a tool for that. The search for the answers of any other
//! logic program is split into cubes.

use std::ops::ControlFlow;
use std::path::PathBuf;

use base::diagnostic::{Code, Diagnostic, Failure};
use base::document::Document;
use base::stop::CancelToken;
use puzzle::cubes::Cube;
use puzzle::job::Job;
use puzzle::{Format, Role, ToolOutput, merging};
use serde_json::json;

use super::args::ToolCall;
use super::groups::{FormatArgs, Inspect, ScaleArgs, Split};
use super::merge::read_reports;
use super::open::open;
use super::request::{JobRequest, build_job};
use super::tools::{self, GRACE, report_exit_code, run_inspect};
use super::{input, sources};

/// The default number of cubes.
const CUBES: u32 = 64;

/// Splits an instance, prints the lines of the batch, and returns the exit code.
pub fn split(calls: Vec<ToolCall>, args: &Split) -> i32 {
    sources::record_named(&args.files);
    let task_args = args.clone();
    let show = |_: &str| ControlFlow::Continue(());
    let result = tools::run(&args.common, GRACE, show, move |documents, job, console| {
        *documents = input::read_all(&task_args.files, &job.stop)?;
        let is_of = |call: &ToolCall| {
            let name = task_args.choice.puzzle.as_deref();
            name.is_none_or(|name| name == call.entry.name())
                && puzzle::roles(&*call.entry, documents).contains(&Role::Instance)
        };
        match calls.iter().position(is_of) {
            Some(index) => {
                task_args.reject_options_of_cubes(&calls[index])?;
                let inspect = task_args.inspect();
                let call = calls.into_iter().nth(index).expect("the index of a call");
                run_inspect(call, &inspect, documents, job, console)
            }
            None => {
                reject_options_of_tools(&calls)?;
                let output = task_args.split_into_cubes(documents, job)?;
                tools::write(&task_args.common, &output.output)?;
                Ok(output)
            }
        }
    });
    report_exit_code(&args.common, result)
}

fn reject_options_of_tools(calls: &[ToolCall]) -> Result<(), Failure> {
    match calls.iter().find_map(|call| Some((call, call.given.first()?))) {
        Some((call, option)) => {
            let text = format!("{option}: only {} has this option", call.entry.name());
            Err(Diagnostic::error(Code::Usage, text).help("--into N sets the number of cubes").into())
        }
        None => Ok(()),
    }
}

impl Split {
    fn reject_options_of_cubes(&self, call: &ToolCall) -> Result<(), Failure> {
        let given = [("into", self.into.is_some()), ("again", !self.again.is_empty()), ("count", self.count)];
        match given.into_iter().find(|(_, is_given)| *is_given) {
            Some((option, _)) => {
                let text = format!("--{option}: {} is not split into cubes", call.entry.name());
                Err(Diagnostic::error(Code::Usage, text).into())
            }
            None => Ok(()),
        }
    }

    fn inspect(&self) -> Inspect {
        Inspect {
            files: self.files.clone(),
            format_args: FormatArgs::default(),
            scale_args: ScaleArgs::default(),
            program: self.program.clone(),
            common: self.common.clone(),
        }
    }

    fn split_into_cubes(&self, read: &mut Vec<Document>, job: &Job) -> Result<ToolOutput, Failure> {
        let again = match &self.again[..] {
            [] => Vec::new(),
            files => open_cubes(files, &job.stop)?,
        };
        let instance = one_text(read);
        let Split { choice, program, .. } = self.clone();
        let request = JobRequest { choice, program, ..JobRequest::default() };
        let mut documents = vec![instance.clone()];
        let built = build_job(&request, &mut documents, &job.stop);
        read.extend(documents);
        let (entry, mut job) = built?;
        job.output.format = Format::Text;
        let board = open(&*entry, job)?;
        let cubes = match again {
            cubes if cubes.is_empty() => vec![Cube { is_counted: self.count, ..board.whole_cube()? }],
            cubes => cubes,
        };
        let cubes = board.split(&cubes, self.into.unwrap_or(CUBES) as usize)?;
        let line =
            |cube: Cube| json!({ "id": cube.id(), "instance": &*instance.text, "cube": cube }).to_string() + "\n";
        Ok(ToolOutput::solved(cubes.into_iter().map(line).collect()))
    }
}

/// Returns the cubes that results leave open.
fn open_cubes(files: &[PathBuf], stop: &CancelToken) -> Result<Vec<Cube>, Failure> {
    let open = merging::merge_cubes(&read_reports(files, stop)?)?.open;
    if open.is_empty() {
        return Err(Diagnostic::error(Code::Usage, "--again: no cube with a result is open").into());
    }
    Ok(open)
}

/// Returns the text of an instance for a line of a batch. Several files are logic programs, each of
/// which begins in the part `base`.
fn one_text(documents: &[Document]) -> Document {
    if let [document] = documents {
        return Document::in_memory(document.name.clone(), &*document.text);
    }
    let names: Vec<&str> = documents.iter().map(|document| &*document.name).collect();
    let texts: Vec<&str> = documents.iter().map(|document| &*document.text).collect();
    Document::in_memory(names.join(", "), texts.join("\n#program base.\n"))
}
