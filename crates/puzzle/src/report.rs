//! Reports: they receive answers and write the output of a run.

use std::io::{self, Write};

use base::diagnostic::{Code, Diagnostic, Failure};
use base::ending::{Uniqueness, Verdict};
use base::stop::OutputGrace;
use picture::Picture;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::any_result::AnyRunResult;
use super::selection::SelectionSummary;

/// The head of a report.
#[derive(Debug, Clone)]
pub struct Header {
    pub puzzle: String,
    pub instance: Vec<String>,
    pub engine: String,
    pub encoding: Vec<String>,
    /// The rules in effect, for puzzles with built-in rules.
    pub rules: Option<&'static str>,
}

impl Header {
    /// The first keys of the JSON object.
    pub fn json(&self) -> Map<String, Value> {
        let value = json!({
            "schema": 1, "puzzle": self.puzzle, "instance": self.instance, "engine": self.engine, "encoding": self.encoding,
        });
        let mut object = value.as_object().cloned().unwrap_or_default();
        object.extend(self.rules.map(|rules| ("rules".to_owned(), json!(rules))));
        object
    }
}

/// The results of a run in structured form.
#[derive(Default)]
pub struct RenderedRun {
    /// The verdict as text, with the cause of unsolvability
    pub words: String,
    /// The board alone, if there is no answer
    pub board: Option<Picture>,
    /// The answers in canonical order
    pub answers: Vec<RenderedAnswer>,
}

/// An answer in structured form.
pub struct RenderedAnswer {
    /// The text of the answer
    pub text: String,
    /// Its atoms, if it consists of atoms
    pub atoms: Vec<String>,
    /// Its costs, if it consists of atoms
    pub costs: Vec<i64>,
    pub picture: Option<Picture>,
}

/// The report of a run.
pub trait Report: Send {
    /// Writes the rest of the output, and returns the result without the answers that come too late
    /// after a cancellation, which are not written.
    fn finish(&mut self, conclusion: AnyRunResult) -> Result<AnyRunResult, Failure>;
    /// Returns true if output was written, and a failure must therefore be written too.
    fn is_begun(&self) -> bool {
        false
    }
    /// Passes a picture of each answer to `take`, in canonical order.
    fn pictures(
        &mut self,
        conclusion: AnyRunResult,
        _take: &mut dyn FnMut(String) -> Result<(), Failure>,
    ) -> Result<AnyRunResult, Failure> {
        Ok(conclusion)
    }
    /// Flushes the output, so that a reader sees answers as they are found.
    fn flush(&mut self) -> io::Result<()>;
    /// Number of answers so far.
    fn found(&self) -> u64;
    /// The costs of the best answer so far, if costs are minimised: "cost 3".
    fn best(&self) -> Option<String> {
        None
    }
    /// The exit code of the clingo command, if the search was not interrupted.
    fn clingo_exit_code(&self) -> Option<i32> {
        None
    }
}

/// Converts an I/O error of the output; a broken pipe becomes an empty [`Failure`].
pub fn output_result<T>(result: io::Result<T>) -> Result<T, Failure> {
    result.map_err(|error| match error.kind() {
        io::ErrorKind::BrokenPipe => Failure::default(),
        _ => Diagnostic::error(Code::UnwritableFile, format!("cannot write the output: {error}")).into(),
    })
}

/// The output of a report.
pub type Output = Box<dyn Write + Send>;

impl Report for Box<dyn Report> {
    fn finish(&mut self, conclusion: AnyRunResult) -> Result<AnyRunResult, Failure> {
        (**self).finish(conclusion)
    }

    fn pictures(
        &mut self,
        conclusion: AnyRunResult,
        take: &mut dyn FnMut(String) -> Result<(), Failure>,
    ) -> Result<AnyRunResult, Failure> {
        (**self).pictures(conclusion, take)
    }

    fn flush(&mut self) -> io::Result<()> {
        (**self).flush()
    }

    fn found(&self) -> u64 {
        (**self).found()
    }

    fn best(&self) -> Option<String> {
        (**self).best()
    }

    fn is_begun(&self) -> bool {
        (**self).is_begun()
    }

    fn clingo_exit_code(&self) -> Option<i32> {
        (**self).clingo_exit_code()
    }
}

/// Writes a JSON object with a line for each key and each answer. Answers that come too late after
/// a cancellation are omitted, and the object reports that it is incomplete.
pub fn write_json(
    out: &mut dyn Write,
    header: Map<String, Value>,
    answers: impl ExactSizeIterator<Item: Serialize>,
    cause: Option<Value>,
    mut conclusion: AnyRunResult,
    time: &OutputGrace<'_>,
) -> io::Result<AnyRunResult> {
    write_json_head(out, &header)?;
    let has_answers = answers.len() > 0;
    for (index, answer) in answers.enumerate() {
        if let Some(reason) = time.is_over() {
            conclusion = conclusion.truncated(reason);
            break;
        }
        out.write_all(if index == 0 { b"\n    " } else { b",\n    " })?;
        serde_json::to_writer(&mut *out, &answer)?;
    }
    write_json_tail(out, has_answers, cause, &conclusion)?;
    Ok(conclusion)
}

/// Writes the object up to the opening bracket of the answers.
pub fn write_json_head(out: &mut dyn Write, header: &Map<String, Value>) -> io::Result<()> {
    writeln!(out, "{{")?;
    for (key, value) in header {
        writeln!(out, "  \"{key}\": {value},")?;
    }
    write!(out, "  \"answers\": [")
}

/// Writes the object from the closing bracket of the answers.
pub fn write_json_tail(
    out: &mut dyn Write,
    has_answers: bool,
    cause: Option<Value>,
    conclusion: &AnyRunResult,
) -> io::Result<()> {
    let objects = |diagnostics: &[Diagnostic]| diagnostics.iter().map(Diagnostic::json).collect::<Value>();
    writeln!(out, "{}],", if has_answers { "\n  " } else { "" })?;
    writeln!(out, "  \"verdict\": \"{}\",", conclusion.verdict().name())?;
    writeln!(out, "  \"complete\": {},", conclusion.complete())?;
    let unique = match conclusion.unique() {
        Uniqueness::NotAsked => None,
        Uniqueness::One => Some("true"),
        Uniqueness::NotOne => Some("false"),
        Uniqueness::Unknown => Some("null"),
    };
    if let Some(unique) = unique {
        writeln!(out, "  \"unique\": {unique},")?;
    }
    if let Some(certified) = &conclusion.certificate {
        writeln!(out, "  \"certificate\": {},", certified.json())?;
    }
    if let Some((key, summary)) = conclusion.selection.as_ref().map(SelectionSummary::json) {
        writeln!(out, "  \"{key}\": {summary},")?;
    }
    if let Some(cause) = cause {
        writeln!(out, "  \"because\": {cause},")?;
    }
    match (&conclusion.error, conclusion.verdict()) {
        (Some(failure), _) => {
            writeln!(out, "  \"error\": {},", json!(conclusion.error_text()))?;
            writeln!(out, "  \"diagnostics\": {},", objects(&failure.0))?;
        }
        (None, Verdict::GaveUp(reason)) => writeln!(out, "  \"reason\": \"{}\",", reason.words())?,
        (None, _) => {}
    }
    if !conclusion.warnings.is_empty() {
        writeln!(out, "  \"warnings\": {},", objects(&conclusion.warnings))?;
    }
    writeln!(out, "  \"statistics\": {}", conclusion.statistics)?;
    writeln!(out, "}}")
}
