//! `asp-solve rate`: rates the difficulty of a puzzle.

use std::marker::PhantomData;

use clap::{ArgMatches, Args, Command};

use super::tool::{AnyRun, Console, Tool, ToolOutput, read_options};
use crate::diagnostic::{Code, Diagnostic, Failure};
use crate::job::{Job, OptionSet};
use crate::report::Format;
use crate::why::{ExplainQuery, QueryKind};

/// The command `rate`. It belongs to a puzzle that rates its instances by itself, with options `O`;
/// instances of all other puzzles are rated by the steps of `hint`.
pub struct Rate<O> {
    /// Rates an instance of the puzzle.
    pub own: fn(&Job) -> Result<ToolOutput, Failure>,
    /// The reason why the options `O` do not apply to other puzzles.
    pub only: &'static str,
    pub options: PhantomData<fn() -> O>,
}

impl<O: Args + Send + Sync + 'static> Tool for Rate<O> {
    fn name(&self) -> &'static str {
        "rate"
    }

    fn about(&self) -> &'static str {
        "Rate how hard a railway is, or how many steps of `hint` a puzzle takes"
    }

    fn augment(&self, command: Command) -> Command {
        O::augment_args(command)
    }

    fn read(&self, matches: &ArgMatches, options: &mut OptionSet) -> Result<(), Failure> {
        read_options::<O>(matches, options)
    }

    fn formats(&self) -> &'static [Format] {
        &[Format::Text, Format::Json]
    }

    fn takes_any_puzzle(&self) -> bool {
        true
    }

    fn run(&self, job: &Job, _console: &mut Console<'_>) -> Result<ToolOutput, Failure> {
        (self.own)(job)
    }

    /// Rates another puzzle by the steps of `hint`.
    fn run_other(&self, board: &dyn AnyRun) -> Result<ToolOutput, Failure> {
        let job = board.job();
        let own_options = O::augment_args(Command::new("own"));
        let given = own_options.get_arguments().find(|option| job.options.is_given(option.get_id().as_str()));
        if let Some(option) = given.and_then(|option| option.get_long()) {
            return Err(Diagnostic::error(Code::Unsupported, format!("--{option}: {}", self.only)).into());
        }
        let (kind, format, style) = (QueryKind::Rating, job.output.format, job.output.style);
        let explanation = board.why(&ExplainQuery { kind, format, style, ..ExplainQuery::default() })?;
        let output = match job.output.format {
            Format::Json => {
                let mut json = explanation.json();
                json["rules"] = job.rules.name().into();
                format!("{json:#}\n")
            }
            _ => explanation.styled_text(&job.output.style) + &job.rules.footnote(),
        };
        Ok(ToolOutput { output, verdict: explanation.verdict, warnings: explanation.warnings, certificate: None })
    }
}
