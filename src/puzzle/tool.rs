//! What can be done with a puzzle besides solving an instance.

use std::ops::ControlFlow;
use std::time::Duration;

use clap::{Args, FromArgMatches};
use serde_json::Value;

use super::{Encoding, Rules};
use crate::asp;
use crate::cache::Cache;
use crate::diagnostic::{Diagnostic, Failure};
use crate::document::Document;
use crate::ending::Verdict;
use crate::report::{Format, Style};
use crate::stop::{Reason, Stop};

/// A command of a puzzle, for its author.
pub trait Tool: Copy + Send + Sync + 'static {
    type Options: Args + FromArgMatches + Send + Sync;

    /// `asp-solve NAME FILE…`; those called `play` and `generate` have the puzzle's name behind.
    fn name(&self) -> &'static str;
    /// For the help.
    fn about(&self) -> &'static str;
    fn takes(&self) -> Takes {
        Takes::Instance
    }
    /// What it can print; the first is the usual one.
    fn formats(&self) -> &'static [Format] {
        &[Format::Text]
    }
    /// The encoding that it reads, if it reads one.
    fn encoding(&self) -> Option<Encoding> {
        None
    }
    /// Adds up what it has printed as JSON, each with the name of its file, if that can be added.
    fn merge(&self, _reports: &[(String, Value)], _format: Format) -> Option<Result<String, Failure>> {
        None
    }
    fn run(&self, options: &Self::Options, input: &Input<'_>, means: &mut Means<'_>) -> Result<Done, Failure>;
}

/// What a tool begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    Instance,
    /// Nothing: it plays games.
    Nothing,
    /// A seed: it makes instances.
    Seed,
}

/// An instance or a seed, and what is asked of a tool.
pub struct Input<'a> {
    pub documents: &'a [Document],
    /// The tool's encoding, as it was read.
    pub encodings: &'a [Document],
    pub rules: &'a Rules,
    pub settings: &'a asp::Settings,
    pub seed: u64,
    pub format: Format,
    /// Between the moves that one watches, if somebody said.
    pub delay: Option<Duration>,
}

/// What a tool may use, and whom it tells how far it is.
pub struct Means<'a> {
    pub threads: usize,
    pub stop: &'a Stop,
    pub style: Style,
    /// Where tables are kept from one run to the next.
    pub cache: Cache,
    /// Told how much is done, of how much.
    pub progress: &'a (dyn Fn(u64, u64) + Sync),
    /// Shows a frame to a person who watches.
    pub show: &'a mut (dyn FnMut(&str) -> ControlFlow<()> + Send),
}

/// What a tool prints, and how it ended.
pub struct Done {
    pub output: String,
    pub verdict: Verdict,
    pub warnings: Vec<Diagnostic>,
}

impl Done {
    pub fn solved(output: String) -> Self {
        Done { output, verdict: Verdict::Solved, warnings: Vec::new() }
    }

    /// The best so far, if there is any, and what about it is not as requested.
    pub fn short_of(complaint: &str, output: String, reason: Reason) -> Self {
        let warnings = vec![Diagnostic::warning(format!("not as requested: {complaint}"))];
        Done { output, verdict: Verdict::GaveUp(reason), warnings }
    }
}
