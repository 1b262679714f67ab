//! Solves many instances in one file, one per line, and writes a JSON object for each, in order.
//!
//! ```text
//!   input ──> reader ──> workers (those of the runner) ──> writer ──> output
//!               ▲                                            │
//!               └──────────── room in the window ────────────┘
//! ```
//!
//! | file | content |
//! |---|---|
//! | `lines.rs` | input lines with and without ids, and their errors |
//! | `writer.rs` | objects, their order, and the window |
//! | `counts.rs` | outcomes of lines and their counts |
//! | `resume.rs` | continuing an interrupted run |
//!
//! Boards of games have several lines: if `--puzzle` names a game, a blank line or a title (`; 1`)
//! ends a board. An invalid line becomes an object with an error. Blank lines, and lines that begin
//! with `%`, produce none. An object has the id of its line or, without an id, its number; so the
//! objects of lines with ids are the same, however the input was split. It also has the checksum of
//! its instance, by which `--resume` matches the input. A line with a cube does a part of a search.

mod counts;
mod lines;
mod resume;
mod writer;

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, IsTerminal, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use base::diagnostic::{Code, Diagnostic, Failure};
use base::document::{Document, Notation};
use base::ending::{Uniqueness, Verdict};
use base::stop::{CancelToken, StopReason};
use base::style::Style;
use base::words::io_error;
use counts::{LineOutcome, OutputCounts};
use lines::{BatchLine, LineReader};
use parking_lot::Mutex;
use puzzle::cubes::Cube;
use puzzle::job::Job;
use puzzle::report::Output;
use puzzle::report_slot::ReportSlot;
use puzzle::{AnyPuzzle, AnyRunResult, Format, InstanceUnit, ProgramOptions};
use writer::{BatchTask, InFlightWindow, OrderedWriter, ResultObject};

use super::args::Solve;
use super::finish::{fail, fallback_header, open_and_solve};
use super::memory;
use super::open::open as open_board;
use super::output;
use super::puzzles::registry;
use super::request::{JobRequest, NamedRules, build_job_from};
use super::runner::{self, Runner};

/// Runs the batch and returns the exit code.
pub fn run(args: Solve, request: JobRequest, rules: NamedRules, mut runner: Runner) -> i32 {
    let (tasks, mut writer) = match open(&args) {
        Ok(opened) => opened,
        Err(failure) => return fail(&args, &[], &failure),
    };
    let workers = runner::threads(args.common.threads);
    let batch = Arc::new(Batch { args, request, rules, workers });
    let context = batch.clone();
    let window = writer.window.clone();
    let solve = move |task: &BatchTask, stop: &CancelToken| {
        window.begin();
        let object = context.object(&task.line, stop);
        // An interruption may have ended only the certificate.
        (stop.requested() != Some(StopReason::Interrupted)).then_some(object)
    };
    let stop_reason = runner.run_all(workers, tasks, solve, &mut |event| writer.on_event(event));
    writer.end(&batch.args, stop_reason)
}

fn input_name(args: &Solve) -> String {
    let path = &args.files[0];
    if path == Path::new("-") { "<stdin>".to_owned() } else { path.display().to_string() }
}

fn open(args: &Solve) -> Result<(Receiver<Arc<BatchTask>>, OrderedWriter), Failure> {
    let [path] = &args.files[..] else {
        let help = concat!(
            "this makes one of many, with their names as ids: ",
            r#"for f in *.txt; do jq -cRs --arg id "$f" '{id:$id,instance:.}' "$f"; done > all.jsonl"#
        );
        return Err(Diagnostic::error(Code::Usage, "--batch takes one file at a time").help(help).into());
    };
    if !matches!(args.format, Format::Text | Format::Json) {
        return Err(Diagnostic::error(Code::Usage, "--batch supports only --format json").into());
    }
    if args.question.proof.as_ref().is_some_and(|path| path != Path::new("-")) {
        let error = Diagnostic::error(Code::Usage, "--proof certifies one instance, but --batch has many");
        let help = "use --certify to certify each instance, or --proof - to write each certificate into its object";
        return Err(error.help(help).into());
    }
    if args.drawing.answer.is_some() {
        return Err(Diagnostic::error(Code::Usage, "--answer requires --format svg, dot or html, not --batch").into());
    }
    let input: Box<dyn BufRead + Send> = if path == Path::new("-") {
        Box::new(BufReader::new(io::stdin()))
    } else {
        let wrong = |error: io::Error| {
            Failure::from(Diagnostic::error(
                Code::UnreadableFile,
                format!("{}: cannot be read: {}", path.display(), io_error(&error)),
            ))
        };
        if path.is_dir() {
            return Err(wrong(io::ErrorKind::IsADirectory.into()));
        }
        Box::new(BufReader::new(File::open(path).map_err(wrong)?))
    };
    let puzzle = args.choice.puzzle.as_deref().and_then(|name| registry().by_name(name));
    let in_paragraphs = puzzle.is_some_and(|entry| entry.about().instance_unit == InstanceUnit::Paragraph);
    let mut lines = LineReader::new(input, args.common.time_limit.map(Duration::from_secs_f64), in_paragraphs);
    let mut written = OutputCounts::default();
    let mut skipped = Default::default();
    let mut rewrite = None;
    let output: Output = match args.common.output_args.file() {
        None if args.resume => {
            return Err(
                Diagnostic::error(Code::Usage, "--resume requires a file, but --output - is standard output").into()
            );
        }
        None => output::open(None, false)?.0,
        Some(output) => {
            output::reject_input_overwrite("--output", output)?;
            let file = if args.resume && output.exists() {
                let resumed = resume::resume(output, &input_name(args), &mut lines, &mut written)?;
                (skipped, rewrite) = (resumed.lines, resumed.rewrite);
                resumed.file
            } else {
                create(output)?
            };
            Box::new(BufWriter::new(file))
        }
    };
    let window = Arc::new(InFlightWindow::default());
    let writer = OrderedWriter {
        output,
        rewrite,
        window: window.clone(),
        written,
        shows_progress: args.common.output_args.file().is_some() || !io::stdout().is_terminal(),
        prints_totals: !args.common.quiet && (args.common.output_args.file().is_some() || io::stderr().is_terminal()),
        waiting: BTreeMap::new(),
        next: 0,
        error: None,
    };
    Ok((read_ahead(skipped.into_iter().chain(lines), window), writer))
}

/// Creates or empties the output, unless another run writes it.
fn create(path: &Path) -> Result<File, Failure> {
    let wrong = |error: io::Error| output::cannot_write(path, &error);
    let file = output::open_alone(path, OpenOptions::new().write(true).create(true).truncate(false))?;
    if file.metadata().is_ok_and(|metadata| metadata.is_file()) {
        file.set_len(0).map_err(wrong)?;
    }
    Ok(file)
}

/// Starts a thread that hands out lines while the window has room.
fn read_ahead(
    lines: impl Iterator<Item = BatchLine> + Send + 'static,
    window: Arc<InFlightWindow>,
) -> Receiver<Arc<BatchTask>> {
    let (sender, tasks) = mpsc::channel();
    thread::spawn(move || {
        for (turn, line) in (0..).zip(lines) {
            window.enter(line.bytes);
            if sender.send(Arc::new(BatchTask { line, turn })).is_err() {
                break;
            }
        }
    });
    tasks
}

/// State shared by all lines.
struct Batch {
    args: Solve,
    request: JobRequest,
    rules: NamedRules,
    workers: usize,
}

impl Batch {
    fn object(&self, line: &BatchLine, stop: &CancelToken) -> ResultObject {
        let result = self.open_line(line, stop).and_then(|(entry, job)| match &job.cube {
            Some(cube) if cube.is_counted => self.count_line(line, &*entry, job),
            _ => solve_line(&*entry, job).map(|solved| solved.object(line)),
        });
        result.unwrap_or_else(|failure| {
            let messages: Vec<String> = failure.0.iter().map(|diagnostic| describe(line, diagnostic)).collect();
            ResultObject::invalid(line, &messages.join("; "), &failure.0)
        })
    }

    /// Returns the puzzle and the job of a line.
    fn open_line(&self, line: &BatchLine, stop: &CancelToken) -> Result<(Arc<dyn AnyPuzzle>, Job), Failure> {
        let text = line.text.as_ref().map_err(|error| Diagnostic::error(Code::Usage, error))?;
        let name = match &line.id {
            Some(id) => name_of_id(id.get()),
            None => format!("{}:{}", input_name(&self.args), line.number),
        };
        let mut documents = vec![Document::from_bytes(name, None, text.clone().into_bytes())];
        let (entry, mut job) = build_job_from(&self.rules, &self.request, &mut documents, stop)?;
        if let Some(cube) = &line.cube {
            let cube: Cube = serde_json::from_str(cube.get()).map_err(|error| {
                let text = format!("\"cube\": {}; expected an object as `asp-solve split` writes it", words_of(&error));
                Diagnostic::error(Code::Usage, text)
            })?;
            job.cube = Some(Arc::new(cube));
        }
        let about = entry.about();
        self.args.options.apply(&*entry, &mut job)?;
        if about.instance_unit != InstanceUnit::Line && !line.is_wrapped {
            let text = format!("a {} does not fit on a line; use {{\"id\": …, \"instance\": \"…\"}}", about.name);
            return Err(Diagnostic::error(Code::Usage, text).into());
        }
        // The workers share the memory.
        job.engine.limits.memory = job.engine.limits.memory.map(|bytes| bytes / self.workers as u64);
        // The watcher needs the header if the line is not solved in time.
        let _ = line.header.set(fallback_header(&*entry, &job));
        Ok((entry, job))
    }

    /// Counts the answers of a line's cube.
    fn count_line(&self, line: &BatchLine, entry: &dyn AnyPuzzle, mut job: Job) -> Result<ResultObject, Failure> {
        reject_options_of_answers(&job)?;
        job.output.format = Format::Text;
        job.engine.limits.memory.get_or_insert_with(|| memory::half_of_memory() / self.workers as u64);
        let stop = job.stop.clone();
        let board = open_board(entry, job)?;
        match (board.count(), stop.requested()) {
            (Ok(counted), _) => {
                let outcome = match counted.verdict() {
                    Verdict::GaveUp(_) => LineOutcome::GaveUp,
                    Verdict::Impossible => LineOutcome::Impossible,
                    Verdict::Solved => LineOutcome::Solved,
                };
                let text = counted.json(&board.header()).to_string();
                Ok(ResultObject::whole(line, text.as_bytes(), outcome))
            }
            (Err(_), Some(reason)) => Ok(ResultObject::gave_up(line, reason)),
            (Err(failure), None) => Err(failure),
        }
    }
}

/// Solves a line.
fn solve_line(entry: &dyn AnyPuzzle, job: Job) -> Result<SolvedLine, Failure> {
    let is_projected = job.cube.is_some() && job.options::<ProgramOptions>().projects();
    let (sink, text) = SharedBuffer::new();
    let slot = ReportSlot::new(Box::new(sink), Format::Json, Style::default());
    let conclusion = open_and_solve(entry, job, &slot)?;
    match slot.report() {
        Some(report) => {
            let conclusion = report.lock().finish(conclusion)?;
            Ok(SolvedLine { text: text.take(), conclusion, is_projected })
        }
        // The run was stopped before it had a report.
        None if matches!(conclusion.verdict(), Verdict::GaveUp(_)) => {
            Ok(SolvedLine { text: Vec::new(), conclusion, is_projected })
        }
        None => Err(Diagnostic::error(Code::Defect, "the engine left no report").into()),
    }
}

/// Rejects the options that ask for something of answers, which a count does not list.
fn reject_options_of_answers(job: &Job) -> Result<(), Failure> {
    let question = &job.question;
    let given = [
        ("--unique", question.is_unique),
        ("--certify and --proof", question.certify.is_requested()),
        ("--sample and --diverse", question.selection.option().is_some()),
    ];
    match given.into_iter().find(|(_, is_given)| *is_given) {
        Some((option, _)) => {
            let text = format!("{option}: the answers of this cube are counted, not listed");
            Err(Diagnostic::error(Code::Usage, text).help("asp-solve split without --count lists them").into())
        }
        None => Ok(()),
    }
}

/// The result of a line.
struct SolvedLine {
    /// Its report.
    text: Vec<u8>,
    conclusion: AnyRunResult,
    /// The line is a part of a search in which answers that show the same count once.
    is_projected: bool,
}

impl SolvedLine {
    fn object(self, line: &BatchLine) -> ResultObject {
        let SolvedLine { text, conclusion, is_projected } = self;
        let outcome = match (conclusion.verdict(), conclusion.unique()) {
            (Verdict::GaveUp(reason), _) if text.is_empty() => return ResultObject::gave_up(line, reason),
            (Verdict::GaveUp(_), _) => LineOutcome::GaveUp,
            (Verdict::Impossible, _) => LineOutcome::Impossible,
            (Verdict::Solved, Uniqueness::NotOne) => LineOutcome::Ambiguous,
            (Verdict::Solved, _) => LineOutcome::Solved,
        };
        let mut object = ResultObject::whole(line, &text, outcome);
        if is_projected {
            object = object.with_key("projected", &true.into());
        }
        match conclusion.certificate.as_ref().and_then(|certified| certified.text.as_deref()) {
            Some(certificate) => object.with_key("proof", &certificate.into()),
            None => object,
        }
    }
}

/// The name of an instance with this id: a string without its quotes, except if it would name the
/// notation of a file.
fn name_of_id(id: &str) -> String {
    let string = serde_json::from_str(id).ok();
    let is_plain = |name: &String| Document::in_memory(name.clone(), "").notation() == Notation::Program;
    string.filter(is_plain).unwrap_or_else(|| id.to_owned())
}

/// Returns the words of an error of serde_json, without the line and column, which would be within a
/// part of the line.
fn words_of(error: &serde_json::Error) -> String {
    error.to_string().split(" at line ").next().unwrap_or_default().to_owned()
}

/// Formats a message with its position.
fn describe(line: &BatchLine, diagnostic: &Diagnostic) -> String {
    match diagnostic.labels.first().map(|place| place.start) {
        Some(start) if line.is_wrapped => {
            format!("line {}, column {}: {}", start.line, start.column, diagnostic.message)
        }
        Some(start) => format!("column {}: {}", start.column, diagnostic.message),
        None => diagnostic.message.clone(),
    }
}

/// A writer to a shared buffer.
#[derive(Clone)]
struct SharedBuffer(Arc<Mutex<Vec<u8>>>);

impl SharedBuffer {
    fn new() -> (Self, Self) {
        let shared = SharedBuffer(Arc::default());
        (shared.clone(), shared)
    }

    fn take(&self) -> Vec<u8> {
        std::mem::take(&mut *self.0.lock())
    }
}

impl Write for SharedBuffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
