//! Many instances in one file, one in each line: a JSON object for each, in their order.
//!
//! ```text
//!   input ──> reader ──> workers (those of the runner) ──> writer ──> output
//!               ▲                                            │
//!               └──────────── room in the window ────────────┘
//! ```
//!
//! | file | what it holds |
//! |---|---|
//! | `lines.rs` | lines, with ids or without, and what can be wrong with one |
//! | `writer.rs` | objects, their order, and the window |
//! | `resume.rs` | going on where an earlier run was broken off |
//!
//! Boards of games have several lines: where `--puzzle` says that it is a game, a blank line or a title (`; 1`) ends a board.
//! A line that is no instance becomes an object with its error. Blank lines, and those that begin with `%`, have none. An
//! object has the id of its line or, where it has none, its number; so the objects of lines with ids are the same, however
//! the input was cut into parts. It has the check sum of its instance, by which `--resume` knows the input again.

mod lines;
mod resume;
mod writer;

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, IsTerminal, Write};
use std::path::Path;
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use clap::ArgMatches;

use super::args::Solve;
use super::runner::{self, Runner};
use super::{Sources, args, asked_by, fail, header, output, solved};
use crate::diagnostic::{Diagnostic, Failure};
use crate::document::Document;
use crate::ending::Verdict;
use crate::puzzle::report::{Output, Slot};
use crate::puzzle::{self, Fits};
use crate::report::{Format, Style};
use crate::stop::Stop;
use crate::words::why;
use lines::{Line, Lines};
use writer::{Object, Turn, Window, Writer, Written};

/// Runs the batch and gives the exit code.
pub fn run(args: Solve, matches: ArgMatches, sources: Sources, mut runner: Runner) -> i32 {
    let (tasks, mut writer) = match open(&args) {
        Ok(opened) => opened,
        Err(failure) => return fail(&args, &[], &failure),
    };
    let workers = runner::threads(args.common.threads);
    let batch = Arc::new(Batch { args, matches, sources, workers, foreign: Mutex::default() });
    let context = batch.clone();
    let window = writer.window.clone();
    let solve = move |turn: &Turn, stop: &Stop| {
        window.begin();
        context.object(&turn.line, stop)
    };
    let broken_off = runner.run_all(workers, tasks, solve, &mut |news| writer.hear(news));
    writer.end(&batch.args, broken_off)
}

fn name(args: &Solve) -> String {
    let path = &args.files[0];
    if path == Path::new("-") { "<stdin>".to_owned() } else { path.display().to_string() }
}

fn open(args: &Solve) -> Result<(Receiver<Arc<Turn>>, Writer), Failure> {
    let [path] = &args.files[..] else {
        return Err(Diagnostic::error("--batch takes one file at a time").into());
    };
    if !matches!(args.format, Format::Text | Format::Json) {
        return Err(Diagnostic::error("--batch writes JSON, one object a line; --format json says the same").into());
    }
    if args.proof.is_some() {
        let error = Diagnostic::error("--proof: a certificate is of one instance, but --batch has many");
        return Err(error.help("--certify tells of each whether it is certified").into());
    }
    if args.answer.is_some() {
        return Err(Diagnostic::error("--answer goes with --format svg or dot").into());
    }
    let input: Box<dyn BufRead + Send> = if path == Path::new("-") {
        Box::new(BufReader::new(io::stdin()))
    } else {
        let wrong = |error: io::Error| {
            Failure::from(Diagnostic::error(format!("{}: cannot be read: {}", path.display(), why(error.kind()))))
        };
        if path.is_dir() {
            return Err(wrong(io::ErrorKind::IsADirectory.into()));
        }
        Box::new(BufReader::new(File::open(path).map_err(wrong)?))
    };
    let puzzle = args.choice.puzzle.as_deref().and_then(puzzle::named);
    let in_paragraphs = puzzle.is_some_and(|entry| entry.about().fits == Fits::Paragraph);
    let mut lines = Lines::new(input, args.common.time_limit.map(Duration::from_secs_f64), in_paragraphs);
    let (mut written, mut passed) = (Written::default(), Default::default());
    let output: Output = match args.common.writing.file() {
        None if args.resume => {
            return Err(Diagnostic::error("--resume goes on with a file; --output - is standard output").into());
        }
        None => output::open(None, false)?.0,
        Some(output) => {
            output::refuse_inputs("--output", output)?;
            let file = if args.resume && output.exists() {
                let (file, left) = resume::resume(output, &name(args), &mut lines, &mut written)?;
                passed = left;
                file
            } else {
                File::create(output).map_err(|error| output::cannot_write(output, &error))?
            };
            Box::new(BufWriter::new(file))
        }
    };
    let window = Arc::new(Window::default());
    let writer = Writer {
        output,
        window: window.clone(),
        written,
        is_told: args.common.writing.file().is_some() || !io::stdout().is_terminal(),
        waiting: BTreeMap::new(),
        next: 0,
        error: None,
    };
    Ok((read_ahead(passed.into_iter().chain(lines), window), writer))
}

/// A thread that hands out lines while there is room for them.
fn read_ahead(lines: impl Iterator<Item = Line> + Send + 'static, window: Arc<Window>) -> Receiver<Arc<Turn>> {
    let (sender, tasks) = mpsc::channel();
    thread::spawn(move || {
        for (turn, line) in (0..).zip(lines) {
            window.enter(line.bytes);
            if sender.send(Arc::new(Turn { line, turn })).is_err() {
                break;
            }
        }
    });
    tasks
}

/// What is the same for all lines.
struct Batch {
    args: Solve,
    matches: ArgMatches,
    sources: Sources,
    workers: usize,
    /// For each puzzle that was met, an option that is another's, and whose.
    foreign: Mutex<HashMap<&'static str, Option<(String, &'static str)>>>,
}

impl Batch {
    fn object(&self, line: &Line, stop: &Stop) -> Object {
        match self.solved(line, stop) {
            Ok((text, Verdict::GaveUp(reason))) if text.is_empty() => Object::gave_up(line, reason),
            Ok((text, Verdict::GaveUp(reason))) => Object::whole(line, &text, Some(reason)),
            Ok((text, _)) => Object::whole(line, &text, None),
            Err(failure) => {
                let said: Vec<String> = failure.0.iter().map(|diagnostic| said(line, diagnostic)).collect();
                Object::bad(line, &said.join("; "))
            }
        }
    }

    fn solved(&self, line: &Line, stop: &Stop) -> Result<(Vec<u8>, Verdict), Failure> {
        let text = line.text.as_ref().map_err(Diagnostic::error)?;
        let name = match &line.id {
            Some(id) => id.get().to_owned(),
            None => format!("{}:{}", name(&self.args), line.number),
        };
        let mut documents = vec![Document::from_bytes(name, None, text.clone().into_bytes())];
        let (entry, mut job) = asked_by(&self.sources, &self.args, &mut documents, stop)?;
        let about = entry.about();
        if let Some((option, owner)) = self.foreign_option(about.name) {
            let text = format!("{option} is an option of {owner}, but the input is {}", about.name);
            return Err(Diagnostic::error(text).into());
        }
        if about.fits != Fits::Line && !line.is_wrapped {
            let text = format!("a {} does not fit a line; {{\"id\": …, \"instance\": \"…\"}} takes it", about.name);
            return Err(Diagnostic::error(text).into());
        }
        entry.read(&self.matches, &mut job.options)?;
        // The workers share what there is.
        job.limits.memory = job.limits.memory.map(|bytes| bytes / self.workers as u64);
        // The watcher reads it if the line does not end in time.
        let _ = line.header.set(header(entry, &job));
        let (sink, text) = Shared::new();
        let slot = Slot::new(Box::new(sink), Format::Json, Style::default());
        let conclusion = solved(entry, job, &slot)?;
        match slot.report() {
            Some(report) => {
                let told = report.lock().unwrap_or_else(PoisonError::into_inner).finish(conclusion)?;
                Ok((text.take(), told.verdict()))
            }
            // It was stopped before there was one.
            None if matches!(conclusion.verdict(), Verdict::GaveUp(_)) => Ok((Vec::new(), conclusion.verdict())),
            None => Err(Diagnostic::error("the engine left no report").into()),
        }
    }

    fn foreign_option(&self, puzzle: &'static str) -> Option<(String, &'static str)> {
        let mut known = self.foreign.lock().unwrap_or_else(PoisonError::into_inner);
        known.entry(puzzle).or_insert_with(|| args::foreign_option(&self.matches, puzzle, false)).clone()
    }
}

/// What is wrong, and where.
fn said(line: &Line, diagnostic: &Diagnostic) -> String {
    match diagnostic.places.first().map(|place| place.start) {
        Some(start) if line.is_wrapped => format!("line {}, column {}: {}", start.line, start.column, diagnostic.text),
        Some(start) => format!("column {}: {}", start.column, diagnostic.text),
        None => diagnostic.text.clone(),
    }
}

/// A writer whose bytes can be taken afterwards.
#[derive(Clone)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Shared {
    fn new() -> (Self, Self) {
        let shared = Shared(Arc::default());
        (shared.clone(), shared)
    }

    fn take(&self) -> Vec<u8> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
