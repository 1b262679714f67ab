//! `asp-solve rate`: rates the difficulty of a puzzle.

use crate::format::Format;
use base::diagnostic::Failure;
use explain::{ExplainQuery, QueryKind};

use super::options::OptionDeclaration;
use super::tool::{AnyRun, Console, Tool, ToolOutput};
use crate::job::Job;

/// The command `rate`. It belongs to a puzzle that rates its instances by itself; instances of all
/// other puzzles are rated by the steps of `hint`.
pub struct Rate {
    /// Rates an instance of the puzzle.
    pub own: fn(&Job) -> Result<ToolOutput, Failure>,
    /// The options for instances of the puzzle.
    pub options: fn() -> OptionDeclaration,
    /// Rejects these options for instances of other puzzles.
    pub check_other: fn(&Job) -> Result<(), Failure>,
}

impl Tool for Rate {
    fn name(&self) -> &'static str {
        "rate"
    }

    fn about(&self) -> &'static str {
        "Rate how hard a railway is, or how many steps of `hint` a puzzle takes"
    }

    fn options(&self) -> OptionDeclaration {
        (self.options)()
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
        (self.check_other)(job)?;
        let (kind, style) = (QueryKind::Rating, job.output.style);
        let explanation = board.why(&ExplainQuery { kind, style, ..ExplainQuery::default() })?;
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
