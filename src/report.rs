//! Where answers go, and who finishes a run.
//!
//! The engine works in a thread of its own. What it has found is in a report that the watching thread can reach, so that
//! a run that is given up in the middle of grounding still prints what it has.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::answer_sets::AnswerSets;
use crate::asp::Question;
use crate::diagnostic::{Diagnostic, Failure};
use crate::ending::{Ending, Uniqueness, Verdict};
use crate::picture::Picture;
use crate::words::shown;

/// What standard output carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Format {
    /// For a person
    #[default]
    Text,
    /// One JSON object
    Json,
    /// What the clingo command prints
    Asp,
    /// What the clingo command prints with --outf=2
    ClingoJson,
    /// A line for each answer, its columns set apart by tabs
    Lines,
    /// A picture that plays by itself
    Svg,
    /// A graph for Graphviz
    Dot,
    /// The board as the address of a page where it can be played; nothing is solved
    Url,
    /// A page for a browser, in one file
    Html,
}

impl Format {
    /// Whether it prints answer sets as clingo does, with clingo's exit codes.
    pub fn is_answer_sets(self) -> bool {
        matches!(self, Format::Asp | Format::ClingoJson)
    }

    /// As one writes it after --format.
    pub fn name(self) -> String {
        let value = clap::ValueEnum::to_possible_value(&self).expect("every format can be asked for");
        value.get_name().to_owned()
    }

    /// Whether it shows what a puzzle looks like.
    pub fn is_picture(self) -> bool {
        matches!(self, Format::Svg | Format::Dot | Format::Html | Format::Url)
    }
}

/// How text is to look.
#[derive(Debug, Clone, Copy, Default)]
pub struct Style {
    pub color: bool,
    /// The verdict alone.
    pub quiet: bool,
    /// Every step of a solution.
    pub verbose: bool,
    /// The answer to draw, from 1; 0 for none. By default the first.
    pub drawn: Option<usize>,
    /// Columns of the terminal, where the output goes to one.
    pub width: Option<usize>,
}

impl Style {
    /// `text` in a style, or as it is where colours are off.
    pub fn paint(&self, style: anstyle::Style, text: &str) -> String {
        let text = shown(text);
        if self.color { format!("{style}{text}{style:#}") } else { text }
    }
}

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
    /// Writes all that is still to be written.
    fn finish(&mut self, ending: &Ending) -> Result<(), Failure>;
    /// Hands out a picture of each answer, in canonical order.
    fn pictures(
        &mut self,
        _ending: &Ending,
        _take: &mut dyn FnMut(String) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        Ok(())
    }
    /// All of it as values, for who shows them in a way of his own; nothing is written.
    fn scene(&mut self, _ending: &Ending) -> Result<Scene, Failure> {
        Ok(Scene::default())
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
pub fn written(result: io::Result<()>) -> Result<(), Failure> {
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

    /// Finishes a run that never opened a report.
    pub fn finish_empty(&self, header: Header, ending: &Ending) -> Result<(), Failure> {
        let mut inner = self.lock();
        let Some(output) = inner.output.take() else { return Ok(()) };
        let (format, style) = (inner.format, inner.style);
        drop(inner);
        if format.is_answer_sets() {
            return AnswerSets::new(header, Question::default())(output, format, style).finish(ending);
        }
        written(Slot::write_empty(output, format, header, ending))
    }

    fn write_empty(mut output: Output, format: Format, header: Header, ending: &Ending) -> io::Result<()> {
        match format {
            Format::Json => write_json(&mut output, header.json(), std::iter::empty::<Value>(), None, ending)?,
            Format::Text => writeln!(output, "{}", ending.verdict.gave_up_words())?,
            _ => {}
        }
        output.flush()
    }
}

/// One object: a line for each key, and one for each answer, which is made when its turn comes.
pub fn write_json(
    out: &mut dyn Write,
    header: Map<String, Value>,
    answers: impl ExactSizeIterator<Item: Serialize>,
    because: Option<Value>,
    ending: &Ending,
) -> io::Result<()> {
    write_json_head(out, &header)?;
    let has_answers = answers.len() > 0;
    for (index, answer) in answers.enumerate() {
        out.write_all(if index == 0 { b"\n    " } else { b",\n    " })?;
        serde_json::to_writer(&mut *out, &answer)?;
    }
    write_json_tail(out, has_answers, because, ending)
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
    ending: &Ending,
) -> io::Result<()> {
    let warnings: Vec<String> = ending.warnings.iter().map(ToString::to_string).collect();
    writeln!(out, "{}],", if has_answers { "\n  " } else { "" })?;
    writeln!(out, "  \"verdict\": \"{}\",", ending.verdict.name())?;
    writeln!(out, "  \"complete\": {},", ending.complete)?;
    let unique = match ending.proof {
        Uniqueness::NotAsked => None,
        Uniqueness::One => Some("true"),
        Uniqueness::NotOne => Some("false"),
        Uniqueness::Unknown => Some("null"),
    };
    if let Some(unique) = unique {
        writeln!(out, "  \"unique\": {unique},")?;
    }
    if let Some(because) = because {
        writeln!(out, "  \"because\": {because},")?;
    }
    if let Verdict::GaveUp(reason) = ending.verdict {
        writeln!(out, "  \"reason\": \"{}\",", reason.words())?;
    }
    if !warnings.is_empty() {
        writeln!(out, "  \"warnings\": {},", json!(warnings))?;
    }
    writeln!(out, "  \"statistics\": {}", ending.statistics)?;
    writeln!(out, "}}")
}
