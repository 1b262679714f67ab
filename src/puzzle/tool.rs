//! Tools: what a puzzle offers in addition to solving an instance.

use std::ops::ControlFlow;
use std::time::Duration;

use clap::{ArgMatches, Command};
use serde_json::Value;

use super::{Board, Encoding};
use crate::diagnostic::{Diagnostic, Failure};
use crate::ending::{Certified, Verdict};
use crate::job::{Job, Options};
use crate::report::Format;
use crate::stop::Reason;

/// A command of a puzzle.
pub trait Tool: Send + Sync {
    /// `asp-solve NAME FILE…`; those called `play` and `generate` have the puzzle's name behind.
    fn name(&self) -> &'static str;
    /// For the help.
    fn about(&self) -> &'static str;
    /// Adds its options to its command; `has_options!` writes this and the next.
    fn augment(&self, command: Command) -> Command;
    /// Reads them.
    fn read(&self, matches: &ArgMatches, options: &mut Options) -> Result<(), Failure>;
    fn takes(&self) -> Takes {
        Takes::Instance
    }
    /// Whether it takes instances of every puzzle; as a rule those of its own alone.
    fn takes_any_puzzle(&self) -> bool {
        false
    }
    /// What it can print; the first is the usual one.
    fn formats(&self) -> &'static [Format] {
        &[Format::Text]
    }
    /// The encoding that it reads, if it reads one.
    fn encoding(&self) -> Option<Encoding> {
        None
    }
    /// Whether it writes a certificate of what it has made, if that is wanted.
    fn certifies(&self) -> bool {
        false
    }
    /// Those that can be named to add rules to it.
    fn variants(&self) -> &'static [Encoding] {
        &[]
    }
    /// Adds up what it has printed as JSON, each with the name of its file, if that can be added.
    fn merge(&self, _reports: &[(String, Value)], _format: Format) -> Option<Result<String, Failure>> {
        None
    }
    fn run(&self, job: &Job, console: &mut Console<'_>) -> Result<Done, Failure>;
    /// Does the same with a board of another puzzle, where it takes any.
    fn run_other(&self, board: &dyn Board) -> Result<Done, Failure> {
        let text = format!("{} takes no instance of {}", self.name(), board.header().puzzle);
        Err(Diagnostic::error(text).into())
    }
}

/// The options of a tool or puzzle: a type that clap fills.
macro_rules! has_options {
    ($options:ty) => {
        fn augment(&self, command: clap::Command) -> clap::Command {
            <$options as clap::Args>::augment_args(command)
        }

        fn read(
            &self,
            matches: &clap::ArgMatches,
            options: &mut crate::job::Options,
        ) -> Result<(), crate::diagnostic::Failure> {
            crate::puzzle::read_options::<$options>(matches, options)
        }
    };
}
pub(crate) use has_options;

/// What a tool begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    Instance,
    /// Nothing: it plays games.
    Nothing,
    /// A seed: it makes instances.
    Seed,
}

/// The person who watches a tool.
pub struct Console<'a> {
    /// Told how much is done, of how much.
    pub progress: &'a (dyn Fn(u64, u64) + Sync),
    /// Shows a frame.
    pub show: &'a mut (dyn FnMut(&str) -> ControlFlow<()> + Send),
    /// Between the moves that are watched, where the person said how long.
    pub delay: Option<Duration>,
    /// To be printed on one sheet: what each board is called, its picture, and that of its solution.
    pub sheet: Vec<[String; 3]>,
}

/// What a tool prints, and how it ended.
pub struct Done {
    pub output: String,
    pub verdict: Verdict,
    pub warnings: Vec<Diagnostic>,
    pub certificate: Option<Certified>,
}

impl Done {
    pub fn solved(output: String) -> Self {
        Done { output, verdict: Verdict::Solved, warnings: Vec::new(), certificate: None }
    }

    /// The best so far, if there is any, and what about it is not as requested.
    pub fn short_of(complaint: &str, output: String, reason: Reason) -> Self {
        let warnings = vec![Diagnostic::warning(format!("not as requested: {complaint}"))];
        Done { output, verdict: Verdict::GaveUp(reason), warnings, certificate: None }
    }
}
