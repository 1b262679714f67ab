//! Tools: further commands of a puzzle.

use std::ops::ControlFlow;
use std::time::Duration;

use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Command};
use serde_json::Value;

use super::any_result::AnyRunResult;
use super::report::{Header, RenderedRun};
use super::report_slot::ReportSlot;
use super::rules::Encoding;
use crate::asp;
use crate::certificate::Certificate;
use crate::diagnostic::{Code, Diagnostic, Failure};
use crate::ending::Verdict;
use crate::job::{Job, OptionSet};
use crate::play::Game;
use crate::prover::Certification;
use crate::report::Format;
use crate::stop::StopReason;
use crate::why::{ExplainQuery, Explanation};

/// A run without the types of its puzzle.
pub trait AnyRun: Send + Sync {
    fn header(&self) -> Header;
    fn job(&self) -> &Job;
    /// Solves, and opens the report in `slot`.
    fn solve(&self, slot: &ReportSlot) -> Result<AnyRunResult, Failure>;
    /// Solves, and returns all results as values.
    fn render(&self) -> Result<(RenderedRun, AnyRunResult), Failure>;
    /// Explains the verdict, an atom or the next step.
    fn why(&self, question: &ExplainQuery) -> Result<Explanation, Failure>;
    /// The complete logic program.
    fn program(&self) -> Result<asp::Program, Failure>;
    /// The first difference between the program of a certificate and the program of this board, or
    /// `None` if they are equal.
    fn certificate_difference(&self, certificate: &Certificate) -> Result<Option<String>, Failure>;
    /// The board in play.
    fn game(&self) -> Result<Box<dyn Game>, Failure>;
}

/// A command of a puzzle.
pub trait Tool: Send + Sync {
    /// The name in `asp-solve NAME FILE…`; `play` and `generate` are followed by the name of the
    /// puzzle.
    fn name(&self) -> &'static str;
    /// The description in the help.
    fn about(&self) -> &'static str;
    /// Adds its options to its command; `has_options!` implements this method and
    /// [`read`](Self::read).
    fn augment(&self, command: Command) -> Command;
    /// Reads its options.
    fn read(&self, matches: &ArgMatches, options: &mut OptionSet) -> Result<(), Failure>;
    fn input(&self) -> ToolInput {
        ToolInput::Instance
    }
    /// Returns true if it accepts instances of every puzzle, not only of its own.
    fn takes_any_puzzle(&self) -> bool {
        false
    }
    /// Its output formats, the default first.
    fn formats(&self) -> &'static [Format] {
        &[Format::Text]
    }
    /// The encoding that it uses.
    fn encoding(&self) -> Option<Encoding> {
        None
    }
    /// Returns true if it can write a certificate of its output.
    fn certifies(&self) -> bool {
        false
    }
    /// Encodings that can add rules to [`encoding`](Self::encoding).
    fn variants(&self) -> &'static [Encoding] {
        &[]
    }
    /// Merges JSON reports, given with the names of their files; `None` if its reports cannot be
    /// merged.
    fn merge(&self, _reports: &[(String, Value)], _format: Format) -> Option<Result<String, Failure>> {
        None
    }
    fn run(&self, job: &Job, console: &mut Console<'_>) -> Result<ToolOutput, Failure>;
    /// Runs on a board of another puzzle, if [`takes_any_puzzle`](Self::takes_any_puzzle).
    fn run_other(&self, board: &dyn AnyRun) -> Result<ToolOutput, Failure> {
        let text = format!("{} takes no instance of {}", self.name(), board.header().puzzle);
        Err(Diagnostic::error(Code::Usage, text).into())
    }
}

/// Reads options of type `O`, and records which options were given.
pub fn read_options<O: Args + Send + Sync + 'static>(
    matches: &ArgMatches,
    options: &mut OptionSet,
) -> Result<(), Failure> {
    let read = O::from_arg_matches(matches).map_err(|error| Diagnostic::error(Code::Usage, error.to_string()))?;
    options.set(read);
    let is_given = |name: &&clap::Id| matches.value_source(name.as_str()) == Some(ValueSource::CommandLine);
    options.set_given(matches.ids().filter(is_given).map(|name| name.to_string()));
    Ok(())
}

/// Implements the option methods of a tool by a type that derives [`clap::Args`].
macro_rules! has_options {
    ($options:ty) => {
        fn augment(&self, command: clap::Command) -> clap::Command {
            <$options as clap::Args>::augment_args(command)
        }

        fn read(
            &self,
            matches: &clap::ArgMatches,
            options: &mut crate::job::OptionSet,
        ) -> Result<(), crate::diagnostic::Failure> {
            crate::puzzle::read_options::<$options>(matches, options)
        }
    };
}
pub(crate) use has_options;

/// The defaults that the command line declares.
pub fn default_options<O: Args>() -> O {
    let matches = O::augment_args(Command::new("defaults")).get_matches_from(["defaults"]);
    O::from_arg_matches(&matches).expect("no tool has an option that must be given")
}

/// The input of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolInput {
    Instance,
    /// The tool has no input: it plays games
    Nothing,
    /// A seed: it generates instances
    Seed,
}

/// The interface of a tool to the terminal.
pub struct Console<'a> {
    /// Receives the progress: done and total
    pub progress: &'a (dyn Fn(u64, u64) + Sync),
    /// Shows a frame
    pub show: &'a mut (dyn FnMut(&str) -> ControlFlow<()> + Send),
    /// The requested delay between frames
    pub delay: Option<Duration>,
    /// The boards of a sheet to print: title, picture, and picture of the solution
    pub sheet: Vec<[String; 3]>,
}

/// The output of a tool, with its verdict.
pub struct ToolOutput {
    pub output: String,
    pub verdict: Verdict,
    pub warnings: Vec<Diagnostic>,
    pub certificate: Option<Certification>,
}

impl ToolOutput {
    pub fn solved(output: String) -> Self {
        ToolOutput { output, verdict: Verdict::Solved, warnings: Vec::new(), certificate: None }
    }

    /// Creates the output of a tool that gave up: the best output so far, which may be empty, with
    /// a warning about the unmet requirement `complaint`.
    pub fn incomplete(complaint: &str, output: String, reason: StopReason) -> Self {
        let warnings = vec![Diagnostic::warning(Code::Unfulfilled, format!("not as requested: {complaint}"))];
        ToolOutput { output, verdict: Verdict::GaveUp(reason), warnings, certificate: None }
    }
}
