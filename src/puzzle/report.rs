//! The receiver of answers, which finishes a run.
//!
//! The engine works in a thread of its own. What it has found is in a report that the watching thread can reach, so that
//! a run that is given up in the middle of grounding still prints what it has.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::answer_sets::AnswerSets;
use super::pipeline::Conclusion;
use crate::asp::Question;
use crate::diagnostic::{Diagnostic, Failure};
use crate::ending::{Uniqueness, Verdict};
use crate::job::Job;
use crate::picture::Picture;
use crate::report::{Format, Style};
use crate::stop::{Stop, Telling};

/// What the run is about.
#[derive(Debug, Clone)]
pub struct Header {
    pub puzzle: &'static str,
    pub instance: Vec<String>,
    pub engine: String,
    pub encoding: Vec<String>,
    /// Whose rules the run goes by, where rules ship with the puzzle.
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

/// What a run has to show.
#[derive(Default)]
pub struct Scene {
    /// The verdict for a person, and why there is no answer.
    pub words: String,
    /// The board without an answer, where there is none to show.
    pub board: Option<Picture>,
    /// In canonical order.
    pub answers: Vec<Answered>,
}

/// An answer that is shown.
pub struct Answered {
    /// For a person.
    pub text: String,
    /// What it consists of, where that is atoms.
    pub atoms: Vec<String>,
    /// What it costs, where that is atoms as well.
    pub costs: Vec<i64>,
    pub picture: Option<Picture>,
}

/// What a run has found so far.
pub trait Report: Send {
    /// Writes all that is still to be written, and gives the conclusion as it was told: what comes too late after the job was
    /// stopped is left out.
    fn finish(&mut self, conclusion: Conclusion) -> Result<Conclusion, Failure>;
    /// Whether something was written, so that the run cannot fail without a word in the output.
    fn is_begun(&self) -> bool {
        false
    }
    /// Hands out a picture of each answer, in canonical order.
    fn pictures(
        &mut self,
        conclusion: Conclusion,
        _take: &mut dyn FnMut(String) -> Result<(), Failure>,
    ) -> Result<Conclusion, Failure> {
        Ok(conclusion)
    }
    /// Hands on what is buffered, so that a reader sees answers as they come.
    fn flush(&mut self) -> io::Result<()>;
    /// How many answers there are so far.
    fn found(&self) -> u64;
    /// The exit code of the clingo command, where the search itself has come to its end.
    fn clingos_exit_code(&self) -> Option<i32> {
        None
    }
}

/// What came of writing. That nobody reads any more is told apart by an empty list.
pub fn written<T>(result: io::Result<T>) -> Result<T, Failure> {
    result.map_err(|error| match error.kind() {
        io::ErrorKind::BrokenPipe => Failure::default(),
        _ => Diagnostic::error(format!("cannot write the output: {error}")).into(),
    })
}

/// An output that a report writes to.
pub type Output = Box<dyn Write + Send>;

/// Shared between the engine and the one who watches it.
#[derive(Clone)]
pub struct Slot(Arc<Mutex<Inner>>);

struct Inner {
    output: Option<Output>,
    report: Option<Arc<Mutex<dyn Report>>>,
    pub format: Format,
    pub style: Style,
}

impl Slot {
    pub fn new(output: Output, format: Format, style: Style) -> Self {
        Slot(Arc::new(Mutex::new(Inner { output: Some(output), report: None, format, style })))
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens the report. It is made with the output, the format and the style of the run.
    pub fn open<R: Report + 'static>(&self, make: impl FnOnce(Output, Format, Style) -> R) -> Arc<Mutex<R>> {
        let mut inner = self.lock();
        let output = inner.output.take().expect("a run opens one report");
        let report = Arc::new(Mutex::new(make(output, inner.format, inner.style)));
        inner.report = Some(report.clone());
        report
    }

    /// The report, if the engine has come so far as to open one.
    pub fn report(&self) -> Option<Arc<Mutex<dyn Report>>> {
        self.lock().report.clone()
    }

    /// Finishes the run; one that never opened a report has a header and no answers.
    pub fn finish(&self, header: impl FnOnce() -> Header, conclusion: Conclusion) -> Result<Conclusion, Failure> {
        let report = match self.report() {
            Some(report) => report,
            None => self.open(Empty::opened(header())),
        };
        let mut report = report.lock().unwrap_or_else(PoisonError::into_inner);
        report.finish(conclusion)
    }

    /// Finishes what a run has written that failed. What was not begun stays empty, but in clingo's own formats.
    pub fn fail(&self, header: impl FnOnce() -> Header, failure: &Failure) -> Result<(), Failure> {
        let is_begun =
            self.report().is_some_and(|report| report.lock().unwrap_or_else(PoisonError::into_inner).is_begun());
        if is_begun || self.lock().format.is_answer_sets() {
            self.finish(header, Conclusion::failed(failure))?;
        }
        Ok(())
    }
}

/// The report of a run that ended before there was a board.
struct Empty {
    header: Header,
    output: Output,
    format: Format,
}

impl Empty {
    fn opened(header: Header) -> impl FnOnce(Output, Format, Style) -> Box<dyn Report> {
        move |output, format, style| match format.is_answer_sets() {
            true => Box::new(AnswerSets::new(header, &Job::default(), Question::default())(output, format, style)),
            false => Box::new(Empty { header, output, format }),
        }
    }
}

impl Report for Empty {
    fn finish(&mut self, conclusion: Conclusion) -> Result<Conclusion, Failure> {
        let out = &mut self.output;
        let none = std::iter::empty::<Value>();
        let told = match self.format {
            Format::Json => write_json(out, self.header.json(), none, None, conclusion, &Stop::new().telling()),
            Format::Text => writeln!(out, "{}", conclusion.verdict().gave_up_words()).map(|()| conclusion),
            _ => Ok(conclusion),
        };
        written(told.and_then(|told| out.flush().map(|()| told)))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }

    fn found(&self) -> u64 {
        0
    }
}

impl Report for Box<dyn Report> {
    fn finish(&mut self, conclusion: Conclusion) -> Result<Conclusion, Failure> {
        (**self).finish(conclusion)
    }

    fn pictures(
        &mut self,
        conclusion: Conclusion,
        take: &mut dyn FnMut(String) -> Result<(), Failure>,
    ) -> Result<Conclusion, Failure> {
        (**self).pictures(conclusion, take)
    }

    fn flush(&mut self) -> io::Result<()> {
        (**self).flush()
    }

    fn found(&self) -> u64 {
        (**self).found()
    }

    fn is_begun(&self) -> bool {
        (**self).is_begun()
    }

    fn clingos_exit_code(&self) -> Option<i32> {
        (**self).clingos_exit_code()
    }
}

/// One object: a line for each key, and one for each answer, which is made when its turn comes. Answers that come too late
/// after the job was stopped are left out, and the object says so.
pub fn write_json(
    out: &mut dyn Write,
    header: Map<String, Value>,
    answers: impl ExactSizeIterator<Item: Serialize>,
    because: Option<Value>,
    mut conclusion: Conclusion,
    time: &Telling<'_>,
) -> io::Result<Conclusion> {
    write_json_head(out, &header)?;
    let has_answers = answers.len() > 0;
    for (index, answer) in answers.enumerate() {
        if let Some(reason) = time.is_over() {
            conclusion = conclusion.cut(reason);
            break;
        }
        out.write_all(if index == 0 { b"\n    " } else { b",\n    " })?;
        serde_json::to_writer(&mut *out, &answer)?;
    }
    write_json_tail(out, has_answers, because, &conclusion)?;
    Ok(conclusion)
}

/// Up to the opening bracket of the answers.
pub fn write_json_head(out: &mut dyn Write, header: &Map<String, Value>) -> io::Result<()> {
    writeln!(out, "{{")?;
    for (key, value) in header {
        writeln!(out, "  \"{key}\": {value},")?;
    }
    write!(out, "  \"answers\": [")
}

/// From the closing bracket of the answers on.
pub fn write_json_tail(
    out: &mut dyn Write,
    has_answers: bool,
    because: Option<Value>,
    conclusion: &Conclusion,
) -> io::Result<()> {
    let warnings: Vec<String> = conclusion.warnings.iter().map(ToString::to_string).collect();
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
    if let Some(because) = because {
        writeln!(out, "  \"because\": {because},")?;
    }
    match (&conclusion.error, conclusion.verdict()) {
        (Some(error), _) => writeln!(out, "  \"error\": {},", json!(error))?,
        (None, Verdict::GaveUp(reason)) => writeln!(out, "  \"reason\": \"{}\",", reason.words())?,
        (None, _) => {}
    }
    if !warnings.is_empty() {
        writeln!(out, "  \"warnings\": {},", json!(warnings))?;
    }
    writeln!(out, "  \"statistics\": {}", conclusion.statistics)?;
    writeln!(out, "}}")
}
