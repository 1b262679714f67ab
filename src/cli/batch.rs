//! Many instances in one file, one in each line: a JSON object for each, in their order.
//!
//! ```text
//!   input ──> reader ──> workers (those of the runner) ──> writer ──> output
//!               ▲                                            │
//!               └────────── a credit for each object written ┘
//! ```
//!
//! The reader hands out a line only for a credit, and there are so many of them: what is read and not yet written is
//! bounded, whatever the input. A line that is no instance becomes an object with its error. Blank lines, and those that
//! begin with `%`, have none.
//!
//! An object has the check sum of its line, by which `--resume` knows the input again.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, IsTerminal, Read, Seek, SeekFrom, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use clap::ArgMatches;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use super::runner::{self, End, Heard, News, Runner};
use super::{Run, args, engine, messages, output, prepare};
use crate::diagnostic::{Diagnostic, Failure};
use crate::document::Document;
use crate::ending::{Ending, Verdict};
use crate::puzzle::Task;
use crate::report::{Format, Header, Output, Slot, Style, write_json_line};
use crate::stop::{Reason, Stop};

/// Lines that are read and not yet written.
const CREDITS: usize = 1024;
/// A line longer than this is no instance.
const LONGEST_LINE: u64 = 1 << 18;

/// Runs the batch and gives the exit code: 2 if a line was bad, else 3 if the engine gave up on one, else 0.
pub fn run(run: Run, matches: ArgMatches, mut runner: Runner) -> i32 {
    let run = Arc::new(run);
    let (credits, credit) = mpsc::channel();
    let _ = (0..CREDITS).try_for_each(|_| credits.send(()));
    let (lines, mut writer) = match open(&run, credits) {
        Ok(opened) => opened,
        Err(failure) => return run.fail(&failure),
    };
    let workers = runner::threads(run.args.threads);
    let tasks = read_ahead(lines, credit);
    let context = run.clone();
    let solve = move |line: &Line, stop: &Stop| solve_line(&context, &matches, workers, line, stop);
    let broken_off = runner.run_all(workers, tasks, solve, &mut |news| writer.hear(news));
    writer.end(&run, broken_off)
}

/// A line that is to be solved.
struct Line {
    /// As people count them, from 1.
    number: u64,
    /// Among those that are to be solved, from 0.
    turn: u64,
    text: Result<String, String>,
    check_sum: u32,
    /// What it is, as soon as it is known.
    header: OnceLock<Header>,
}

/// The lines of the input that have objects.
struct Lines {
    input: Box<dyn BufRead + Send>,
    number: u64,
    turn: u64,
    /// Of a line. It holds for reading one that does not end, too.
    time_limit: Option<Duration>,
}

impl Iterator for Lines {
    type Item = Line;

    fn next(&mut self) -> Option<Line> {
        loop {
            let mut bytes = Vec::new();
            let read = self.input.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut bytes);
            self.number += 1;
            let text = match read {
                Ok(0) => return None,
                Ok(_) if bytes.len() as u64 == LONGEST_LINE && bytes.last() != Some(&b'\n') => {
                    self.skip_line();
                    Err(format!("longer than {LONGEST_LINE} bytes"))
                }
                Ok(_) => Ok(String::from_utf8_lossy(&bytes).trim_end_matches(['\n', '\r']).to_owned()),
                Err(error) => {
                    self.input = Box::new(io::empty());
                    Err(format!("cannot be read: {error}"))
                }
            };
            let has_none = |text: &String| text.trim_start().is_empty() || text.trim_start().starts_with('%');
            if !text.as_ref().is_ok_and(has_none) {
                let check_sum = crc32fast::hash(text.as_ref().map_or(&bytes[..], |text| text.as_bytes()));
                self.turn += 1;
                return Some(Line {
                    number: self.number,
                    turn: self.turn - 1,
                    text,
                    check_sum,
                    header: OnceLock::new(),
                });
            }
        }
    }
}

impl Lines {
    /// Reads to the end of a line; where it does not come in time, the input is over.
    fn skip_line(&mut self) {
        let began = Instant::now();
        let mut part = Vec::new();
        while !part.ends_with(b"\n") {
            part.clear();
            if !matches!(self.input.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut part), Ok(1..)) {
                break;
            }
            if self.time_limit.is_some_and(|limit| began.elapsed() > limit) {
                self.input = Box::new(io::empty());
            }
        }
    }
}

fn name(run: &Run) -> String {
    let path = &run.args.files[0];
    if path == Path::new("-") { "<stdin>".to_owned() } else { path.display().to_string() }
}

fn open(run: &Run, credits: Sender<()>) -> Result<(Lines, Writer), Failure> {
    let args = &run.args;
    let [path] = &args.files[..] else {
        return Err(Diagnostic::error("--batch takes one file at a time").into());
    };
    if !matches!(args.format, Format::Text | Format::Json) {
        return Err(Diagnostic::error("--batch writes JSON, one object a line; --format json says the same").into());
    }
    let input: Box<dyn BufRead + Send> = if path == Path::new("-") {
        Box::new(BufReader::new(io::stdin()))
    } else {
        let wrong = |error: io::Error| {
            Failure::from(Diagnostic::error(format!("{}: cannot be read: {}", path.display(), error.kind())))
        };
        if path.is_dir() {
            return Err(wrong(io::ErrorKind::IsADirectory.into()));
        }
        Box::new(BufReader::new(File::open(path).map_err(wrong)?))
    };
    let time_limit = args.time_limit.map(Duration::from_secs_f64);
    let mut lines = Lines { input, number: 0, turn: 0, time_limit };
    let mut written = Written::default();
    let output: Output = match &args.output {
        None if args.resume => {
            return Err(Diagnostic::error("--resume goes on with a file; --output - is standard output").into());
        }
        None => output::open(None, &[], false)?.0,
        Some(output) => {
            output::refuse_inputs(output, &[path])?;
            let file = if args.resume && output.exists() {
                resume(output, &name(run), &mut lines, &mut written)?
            } else {
                File::create(output).map_err(|error| output::cannot_write(output, &error))?
            };
            Box::new(BufWriter::new(file))
        }
    };
    let is_told = args.output.is_some() || !io::stdout().is_terminal();
    Ok((
        lines,
        Writer { output, waiting: BTreeMap::new(), next: written.objects, written, credits, error: None, is_told },
    ))
}

/// A thread that hands out a line for each credit.
fn read_ahead(lines: Lines, credit: Receiver<()>) -> Receiver<Arc<Line>> {
    let (sender, tasks) = mpsc::channel();
    thread::spawn(move || {
        for line in lines {
            if credit.recv().is_err() || sender.send(Arc::new(line)).is_err() {
                break;
            }
        }
    });
    tasks
}

/// What the output has.
#[derive(Default)]
struct Written {
    objects: u64,
    bad: u64,
    gave_up: u64,
}

impl Written {
    fn count(&mut self, is_bad: bool, gave_up: bool) {
        self.objects += 1;
        self.bad += u64::from(is_bad);
        self.gave_up += u64::from(gave_up);
    }
}

/// Opens an output to go on after its last whole object. Its objects must be about the first lines of the input.
fn resume(path: &Path, input: &str, lines: &mut Lines, written: &mut Written) -> Result<File, Failure> {
    #[derive(Deserialize)]
    struct Object {
        line: u64,
        check_sum: Option<u32>,
        error: Option<IgnoredAny>,
        verdict: Option<String>,
    }
    let wrong = |error: io::Error| output::cannot_write(path, &error);
    let mut old = BufReader::new(OpenOptions::new().read(true).write(true).open(path).map_err(wrong)?);
    let (mut whole, mut bytes) = (0, Vec::new());
    while old.read_until(b'\n', &mut bytes).map_err(wrong)? > 0 && bytes.ends_with(b"\n") {
        let place = format!("{}:{}", path.display(), written.objects + 1);
        let object: Object = serde_json::from_slice(&bytes).map_err(|_| {
            Diagnostic::error(format!("{place}: is no object of a batch; --resume cannot go on from it"))
        })?;
        let line = lines.next();
        let is_same = |line: &Line| {
            line.number == object.line && object.check_sum.is_none_or(|check_sum| check_sum == line.check_sum)
        };
        if !line.as_ref().is_some_and(is_same) {
            let text = format!(
                "{place}: is not about line {} of {}; --resume goes on with the output of the same input",
                line.map_or(object.line, |line| line.number),
                input
            );
            return Err(Diagnostic::error(text).into());
        }
        written.count(object.error.is_some(), object.verdict.as_deref() == Some("gave-up"));
        whole += bytes.len() as u64;
        bytes.clear();
    }
    let mut file = old.into_inner();
    file.set_len(whole).and_then(|()| file.seek(SeekFrom::End(0))).map_err(wrong)?;
    Ok(file)
}

/// Puts the objects in order and writes them.
struct Writer {
    output: Output,
    /// Objects whose turn has not come.
    waiting: BTreeMap<u64, Object>,
    next: u64,
    written: Written,
    /// For the reader: one for each object that is written.
    credits: Sender<()>,
    error: Option<io::Error>,
    /// A person can be told how many there are.
    is_told: bool,
}

/// What became of a line.
struct Object {
    text: Vec<u8>,
    is_bad: bool,
    gave_up: Option<Reason>,
}

impl Writer {
    fn hear(&mut self, news: News<Line, Object>) -> Heard {
        let (written, is_told) = match news {
            News::Ended(line, end) => (self.take(&line, end), false),
            News::Tick => (self.output.flush(), self.is_told),
        };
        if let Err(error) = written {
            self.error = Some(error);
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(is_told.then(|| lines(self.written.objects)))
    }

    /// Takes what became of a line, and writes all whose turn has come.
    fn take(&mut self, line: &Line, end: End<Object>) -> io::Result<()> {
        let object = match end {
            End::Done(object) => object,
            End::Failed(diagnostic) => Object::bad(line, &diagnostic.text),
            End::Abandoned(reason) => Object::gave_up(line, reason),
        };
        // Whoever goes on solves it again.
        if object.gave_up != Some(Reason::Interrupted) {
            self.waiting.insert(line.turn, object);
        }
        while let Some(object) = self.waiting.remove(&self.next) {
            self.output.write_all(&object.text)?;
            self.next += 1;
            self.written.count(object.is_bad, object.gave_up.is_some());
            // The reader may have come to the end.
            let _ = self.credits.send(());
        }
        Ok(())
    }

    fn end(mut self, run: &Run, broken_off: Option<Reason>) -> i32 {
        let flushed = self.output.flush();
        match self.error.take().map_or(flushed, Err) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return 0,
            Err(error) => {
                return run.fail(&Diagnostic::error(format!("cannot write the output: {error}")).into());
            }
            Ok(()) => {}
        }
        let Written { objects, bad, gave_up } = self.written;
        if let Some(reason) = broken_off {
            let how_on = if run.args.output.is_some() { "; --resume goes on after them" } else { "" };
            messages::say(format_args!("{}: {} done{how_on}", reason.words(), lines(objects)));
            return 3;
        }
        if !run.args.quiet && bad > 0 {
            let are = if bad == 1 { "is" } else { "are" };
            messages::say(format_args!("error: {} {are} no instance; their objects say why", lines(bad)));
        }
        match (bad, gave_up) {
            (0, 0) => 0,
            (0, _) => 3,
            _ => 2,
        }
    }
}

fn lines(count: u64) -> String {
    format!("{count} {}", if count == 1 { "line" } else { "lines" })
}

impl Object {
    fn bad(line: &Line, error: &str) -> Self {
        let object = json!({ "line": line.number, "error": messages::cut(error) });
        Object { text: format!("{object}\n").into_bytes(), is_bad: true, gave_up: None }
    }

    /// Of a line whose engine did not end in time.
    fn gave_up(line: &Line, reason: Reason) -> Self {
        let (sink, text) = Shared::new();
        let header = line.header.get().map(Header::json).unwrap_or_default();
        let answers = std::iter::empty::<Value>();
        let written = write_json_line(
            &mut (Box::new(sink) as Output),
            line.number as usize,
            header,
            answers,
            &Ending::gave_up(reason),
        );
        debug_assert!(written.is_ok(), "writing to memory does not fail");
        Object::whole(line, text.take(), Some(reason))
    }

    /// Adds the check sum of the line to its object.
    fn whole(line: &Line, mut text: Vec<u8>, gave_up: Option<Reason>) -> Self {
        text.truncate(text.trim_ascii_end().len() - 1);
        text.extend_from_slice(format!(",\"check_sum\":{}}}\n", line.check_sum).as_bytes());
        Object { text, is_bad: false, gave_up }
    }
}

fn solve_line(run: &Run, matches: &ArgMatches, workers: usize, line: &Line, stop: &Stop) -> Object {
    match solved(run, matches, workers, line, stop) {
        Ok((text, Verdict::GaveUp(reason))) if text.is_empty() => Object::gave_up(line, reason),
        Ok((text, Verdict::GaveUp(reason))) => Object::whole(line, text, Some(reason)),
        Ok((text, _)) => Object::whole(line, text, None),
        Err(failure) => {
            let said: Vec<String> = failure
                .0
                .iter()
                .map(|diagnostic| match diagnostic.places.first() {
                    Some(place) => format!("column {}: {}", place.start.column, diagnostic.text),
                    None => diagnostic.text.clone(),
                })
                .collect();
            Object::bad(line, &said.join("; "))
        }
    }
}

fn solved(
    run: &Run,
    matches: &ArgMatches,
    workers: usize,
    line: &Line,
    stop: &Stop,
) -> Result<(Vec<u8>, Verdict), Failure> {
    let text = line.text.as_ref().map_err(Diagnostic::error)?;
    let documents = vec![Document::in_memory(format!("{}:{}", name(run), line.number), text.as_str())];
    let mut one = Run { args: run.args.clone(), color_errors: false, documents };
    let mut prepared = prepare(&mut one, stop)?;
    let about = prepared.entry.about();
    if let Some((option, owner)) = args::foreign_option(matches, about.name, false) {
        let text = format!("{option} is an option of {owner}, but the input is {}", about.name);
        return Err(Diagnostic::error(text).into());
    }
    if !about.fits_a_line {
        let text = format!("a {} does not fit a line; --batch is for the compact forms", about.name);
        return Err(Diagnostic::error(text).into());
    }
    // The workers share what there is.
    prepared.request.memory_limit = prepared.request.memory_limit.map(|bytes| bytes / workers as u64);
    // The watcher reads it if the line does not end in time.
    let _ = line.header.set(prepared.header());
    let style = Style { line: Some(line.number as usize), ..Style::default() };
    let (sink, text) = Shared::new();
    let slot = Slot::new(Box::new(sink), Format::Json, style);
    let task = Task {
        documents: prepared.instance,
        request: prepared.request,
        format: Format::Json,
        stop: stop.clone(),
        slot: slot.clone(),
    };
    let ending = engine(prepared.entry, matches, &task)?;
    match slot.report() {
        Some(report) => {
            let mut report = report.lock().unwrap_or_else(PoisonError::into_inner);
            report.finish(&ending)?;
        }
        // It was stopped before there was one.
        None if matches!(ending.verdict, Verdict::GaveUp(_)) => {}
        None => return Err(Diagnostic::error("the engine left no report").into()),
    }
    Ok((text.take(), ending.verdict))
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
