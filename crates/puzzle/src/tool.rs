//! Tools: further commands of a puzzle.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::format::Format;
use base::diagnostic::{Code, Diagnostic, Failure};
use base::ending::Verdict;
use base::stop::StopReason;
use certificate::Certificate;
use explain::{ExplainQuery, Explanation};
use picture::page::PrintedBoard;
use play::Game;
use prover::Certification;
use serde_json::Value;

use super::any_answers::{AnyAnswers, CandidateAnswer, EachAnswer};
use super::any_result::AnyRunResult;
use super::counting::AnswerCount;
use super::options::OptionDeclaration;
use super::report::{Header, RenderedRun};
use super::report_slot::ReportSlot;
use super::rules::Encoding;
use crate::cubes::Cube;
use crate::job::Job;

/// A run without the types of its puzzle.
pub trait AnyRun: Send + Sync {
    fn header(&self) -> Header;
    fn job(&self) -> &Job;
    /// Solves, and opens the report in `slot`.
    fn solve(&self, slot: &ReportSlot) -> Result<AnyRunResult, Failure>;
    /// Solves, and returns all results as values.
    fn render(&self) -> Result<(RenderedRun, AnyRunResult), Failure>;
    /// Solves, and returns the answers, which are rendered on demand.
    fn answers(&self) -> Result<Arc<dyn AnyAnswers>, Failure>;
    /// As [`answers`](Self::answers), but passes each checked answer to `each` as it is found. The
    /// result stores only the first.
    fn answers_each(&self, each: EachAnswer<'_>) -> Result<Arc<dyn AnyAnswers>, Failure>;
    /// Checks an answer against the puzzle's rules.
    ///
    /// # Errors
    /// The answer breaks a rule, which the message names, or no check supports the rules.
    fn check(&self, answer: CandidateAnswer<'_>) -> Result<(), Failure>;
    /// Explains the verdict, an atom or the next step.
    fn why(&self, question: &ExplainQuery) -> Result<Explanation, Failure>;
    /// The complete logic program.
    fn program(&self) -> Result<asp::Program, Failure>;
    /// The first difference between the program of a certificate and the program of this board, or
    /// `None` if they are equal.
    fn certificate_difference(&self, certificate: &Certificate) -> Result<Option<String>, Failure>;
    /// Counts the answers of the logic program without enumerating them.
    fn count(&self) -> Result<AnswerCount, Failure>;
    /// The cube of all answers of the logic program.
    fn whole_cube(&self) -> Result<Cube, Failure>;
    /// Splits the search for the answers of the cubes `of` into `count` cubes.
    fn split(&self, of: &[Cube], count: usize) -> Result<Vec<Cube>, Failure>;
    /// The address of the board, if it has one.
    fn link(&self) -> Result<Option<String>, Failure>;
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
    /// Its options, which are [`Job::tool_options`] of its job.
    fn options(&self) -> OptionDeclaration;
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
    fn encoding(&self) -> Option<&Encoding> {
        None
    }
    /// Returns true if it can write a certificate of its output.
    fn certifies(&self) -> bool {
        false
    }
    /// Encodings that its options add to [`encoding`](Self::encoding).
    fn variants(&self, _job: &Job) -> Result<Vec<Encoding>, Failure> {
        Ok(Vec::new())
    }
    /// The file with an instance that its options name.
    fn board(&self, _job: &Job) -> Result<Option<PathBuf>, Failure> {
        Ok(None)
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

/// The input of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolInput {
    Instance,
    /// The tool has no input: it plays games
    Nothing,
    /// A seed: it generates instances
    Seed,
    /// An instance, which it splits into a batch; the command `split` splits other instances
    Batch,
}

/// The interface of a tool to the terminal.
pub struct Console<'a> {
    /// Receives the progress: done and total
    pub progress: &'a (dyn Fn(u64, u64) + Sync),
    /// Shows a frame
    pub show: &'a mut (dyn FnMut(&str) -> ControlFlow<()> + Send),
    /// The requested delay between frames
    pub delay: Option<Duration>,
    /// The boards of a sheet to print
    pub sheet: Vec<PrintedBoard>,
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
