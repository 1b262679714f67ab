//! Many instances in one file, one in each line: a JSON object for each, in their order.
//!
//! The lines are read as they are wanted. Workers take the next one, each with an engine of its own; what they make is put in
//! order and written as soon as all before it is there. Nobody takes a line that is too far ahead, so that memory does not
//! grow with the file. A line that is no instance becomes an object with its error.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use clap::ArgMatches;
use serde_json::json;

use super::{Run, args, input, messages, prepare};
use crate::asp;
use crate::diagnostic::{Diagnostic, Failure};
use crate::document::Document;
use crate::ending::Ending;
use crate::puzzle::Task;
use crate::report::{Format, Slot, Style};
use crate::stop::{Reason, Stop};

/// Lines that a worker may be ahead of the output.
const AHEAD: u64 = 1024;
/// A line longer than this is no instance.
const LONGEST_LINE: u64 = 1 << 20;
/// Engines may recurse once for each move.
const STACK_BYTES: usize = 256 << 20;

/// Runs the batch and gives the exit code: 2 if a line was bad, else 3 if the engine gave up on one, else 0.
pub fn run(run: &Run, matches: ArgMatches) -> i32 {
    match Batch::open(run) {
        Ok(batch) => batch.work(run, &matches),
        Err(failure) => run.fail(&failure),
    }
}

struct Batch {
    lines: Mutex<Lines>,
    queue: Mutex<Queue>,
    /// Something was written, or is over.
    moved: Condvar,
    over: AtomicBool,
    /// Lines that the output has already.
    done: u64,
}

struct Lines {
    input: Box<dyn BufRead + Send>,
    name: String,
    next: u64,
    at_end: bool,
}

struct Queue {
    output: Box<dyn Write + Send>,
    /// Objects whose turn has not come.
    waiting: BTreeMap<u64, Vec<u8>>,
    next: u64,
    bad: u64,
    gave_up: u64,
    error: Option<io::Error>,
}

impl Batch {
    fn open(run: &Run) -> Result<Self, Failure> {
        let args = &run.args;
        let [path] = &args.files[..] else {
            return Err(Diagnostic::error("--batch takes one file at a time").into());
        };
        if !matches!(args.format, Format::Text | Format::Json) {
            return Err(Diagnostic::error("--batch writes JSON, one object a line; --format json says the same").into());
        }
        let wrong = |path: &Path, error: io::Error| {
            Failure::from(Diagnostic::error(format!("{}: cannot be read: {}", path.display(), error.kind())))
        };
        let input: Box<dyn BufRead + Send> = if path == Path::new("-") {
            Box::new(BufReader::new(io::stdin()))
        } else {
            if path.is_dir() {
                return Err(wrong(path, io::ErrorKind::IsADirectory.into()));
            }
            Box::new(BufReader::new(File::open(path).map_err(|error| wrong(path, error))?))
        };
        let (output, done): (Box<dyn Write + Send>, u64) = match &args.output {
            None => (Box::new(io::BufWriter::new(io::stdout())), 0),
            Some(path) => open_output(path, args.resume)?,
        };
        let name = if path == Path::new("-") { "<stdin>".to_owned() } else { path.display().to_string() };
        let next = 0;
        Ok(Batch {
            lines: Mutex::new(Lines { input, name, next, at_end: false }),
            queue: Mutex::new(Queue { output, waiting: BTreeMap::new(), next: 0, bad: 0, gave_up: 0, error: None }),
            moved: Condvar::new(),
            over: AtomicBool::new(false),
            done,
        })
    }

    fn work(self, run: &Run, matches: &ArgMatches) -> i32 {
        let threads =
            run.args.threads.map_or_else(|| thread::available_parallelism().map_or(1, usize::from), usize::from);
        let batch = Arc::new(self);
        let stops: Arc<Mutex<Vec<(Stop, Instant)>>> = Arc::default();
        let on_interrupt = {
            let (batch, stops) = (batch.clone(), stops.clone());
            move || {
                // The second time nobody is waited for.
                if batch.over.swap(true, Ordering::SeqCst) {
                    asp::leave(3);
                }
                batch.moved.notify_all();
                for (stop, _) in stops.lock().unwrap_or_else(PoisonError::into_inner).iter() {
                    stop.request(Reason::Interrupted);
                }
            }
        };
        // It can only fail where a handler is set already, which is as good.
        let _ = ctrlc::set_handler(on_interrupt);
        let ended = AtomicBool::new(false);
        thread::scope(|scope| {
            let worker = || {
                while let Some((number, line)) = batch.next_line() {
                    let stop = Stop::new();
                    if batch.over.load(Ordering::SeqCst) {
                        break;
                    }
                    stops.lock().unwrap_or_else(PoisonError::into_inner).push((stop.clone(), Instant::now()));
                    let name = batch.name();
                    let solve = || solve_line(run, matches, &name, number, line, &stop);
                    // Whatever happens to a line, the others are solved.
                    let done = catch_unwind(AssertUnwindSafe(solve))
                        .unwrap_or_else(|_| bad_line(number, "the engine failed; this is a defect of asp-solve"));
                    stops.lock().unwrap_or_else(PoisonError::into_inner).retain(|(other, _)| !other.is_same(&stop));
                    if batch.over.load(Ordering::SeqCst) || !batch.put(number, done) {
                        break;
                    }
                }
            };
            let workers: Vec<_> = (0..threads)
                .filter_map(|_| thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, worker).ok())
                .collect();
            if let Some(seconds) = run.args.time_limit {
                let limit = Duration::from_secs_f64(seconds);
                let (stops, ended) = (stops.clone(), &ended);
                scope.spawn(move || {
                    while !ended.load(Ordering::SeqCst) {
                        for (stop, began) in stops.lock().unwrap_or_else(PoisonError::into_inner).iter() {
                            if began.elapsed() >= limit {
                                stop.request(Reason::TimeLimit);
                            }
                        }
                        thread::sleep(Duration::from_millis(5));
                    }
                });
            }
            for worker in workers {
                let _ = worker.join();
            }
            ended.store(true, Ordering::SeqCst);
        });
        let mut queue = batch.queue.lock().unwrap_or_else(PoisonError::into_inner);
        let flushed = queue.output.flush();
        match queue.error.take().map_or(flushed, Err) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                run.fail(&Diagnostic::error(format!("cannot write the output: {error}")).into())
            }
            Err(_) => 0,
            Ok(()) => {
                if !run.args.quiet && queue.bad > 0 {
                    let lines = if queue.bad == 1 { "line is" } else { "lines are" };
                    messages::say(format_args!("error: {} {lines} no instance; their objects say why", queue.bad));
                }
                match (queue.bad, queue.gave_up) {
                    _ if batch.over.load(Ordering::SeqCst) => 3,
                    (0, 0) => 0,
                    (0, _) => 3,
                    _ => 2,
                }
            }
        }
    }

    fn name(&self) -> String {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).name.clone()
    }

    /// The next line that is not blank and not done, with its number from 1; waits while the output is far behind.
    fn next_line(&self) -> Option<(u64, Result<String, String>)> {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if lines.at_end || self.over.load(Ordering::SeqCst) {
                return None;
            }
            let mut bytes = Vec::new();
            let read = io::Read::take(&mut lines.input, LONGEST_LINE).read_until(b'\n', &mut bytes);
            let number = lines.next + 1;
            let line = match read {
                Ok(0) => {
                    lines.at_end = true;
                    return None;
                }
                Ok(_) if bytes.len() as u64 == LONGEST_LINE && bytes.last() != Some(&b'\n') => {
                    let mut rest = Vec::new();
                    while matches!(io::Read::take(&mut lines.input, LONGEST_LINE).read_until(b'\n', &mut rest), Ok(1..))
                    {
                        if rest.last() == Some(&b'\n') {
                            break;
                        }
                        rest.clear();
                    }
                    Err(format!("longer than {LONGEST_LINE} bytes"))
                }
                Ok(_) => Ok(String::from_utf8_lossy(&bytes).trim_end_matches(['\n', '\r']).to_owned()),
                Err(error) => {
                    lines.at_end = true;
                    Err(format!("cannot be read: {error}"))
                }
            };
            lines.next = number;
            // Blank lines have no object; those that are done have one already.
            let is_blank = line.as_ref().is_ok_and(|line| line.trim().is_empty());
            if is_blank || number <= self.done {
                let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
                queue.waiting.insert(number, Vec::new());
                queue.hand_out();
                continue;
            }
            let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
            while number > queue.next + AHEAD && !self.over.load(Ordering::SeqCst) {
                let waited = self.moved.wait_timeout(queue, Duration::from_millis(100));
                queue = waited.unwrap_or_else(PoisonError::into_inner).0;
            }
            return Some((number, line));
        }
    }

    /// Takes a finished object; `false` if nobody can read it.
    fn put(&self, number: u64, done: Done) -> bool {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        queue.bad += u64::from(done.is_bad);
        queue.gave_up += u64::from(done.gave_up);
        queue.waiting.insert(number, done.object);
        queue.hand_out();
        self.moved.notify_all();
        if queue.error.is_some() {
            self.over.store(true, Ordering::SeqCst);
        }
        queue.error.is_none()
    }
}

impl Queue {
    /// Writes all whose turn has come.
    fn hand_out(&mut self) {
        let mut wrote = false;
        while let Some(object) = self.waiting.remove(&(self.next + 1)) {
            self.next += 1;
            wrote |= !object.is_empty();
            if let Err(error) = self.output.write_all(&object) {
                self.error.get_or_insert(error);
            }
        }
        if wrote && let Err(error) = self.output.flush() {
            self.error.get_or_insert(error);
        }
    }
}

/// What became of a line.
struct Done {
    object: Vec<u8>,
    is_bad: bool,
    gave_up: bool,
}

fn solve_line(
    run: &Run,
    matches: &ArgMatches,
    name: &str,
    number: u64,
    line: Result<String, String>,
    stop: &Stop,
) -> Done {
    let object = Arc::new(Mutex::new(Vec::new()));
    let solved = line.map_err(|error| Diagnostic::error(error).into()).and_then(|line| {
        let documents = vec![Document::in_memory(format!("{name}:{number}"), line)];
        let mut one = Run { args: run.args.clone(), color_errors: false, documents };
        let prepared = prepare(&mut one)?;
        let about = prepared.entry.about();
        if let Some((option, owner)) = args::foreign_option(matches, about.name, false) {
            return Err(Diagnostic::error(format!(
                "{option} is an option of {owner}, but the input is {}",
                about.name
            ))
            .into());
        }
        if !about.fits_a_line {
            return Err(Diagnostic::error(format!(
                "a {} does not fit a line; --batch is for the compact forms",
                about.name
            ))
            .into());
        }
        let style = Style { line: Some(number as usize), ..Style::default() };
        let slot = Slot::new(Box::new(Shared(object.clone())), Format::Json, style);
        let task = Task {
            documents: prepared.instance,
            request: prepared.request,
            matches: matches.clone(),
            format: Format::Json,
            stop: stop.clone(),
            slot: slot.clone(),
        };
        let ending = match (prepared.entry.run(&task), stop.requested()) {
            (Ok(ending), _) => ending,
            (Err(_), Some(reason)) => Ending::gave_up(reason),
            (Err(failure), None) => return Err(failure),
        };
        let report = slot.report().ok_or_else(|| Diagnostic::error("the engine left no report"))?;
        let mut report = report.lock().unwrap_or_else(PoisonError::into_inner);
        report.finish(&ending)?;
        Ok(ending)
    });
    match solved {
        Ok(ending) => {
            let gave_up = matches!(ending.verdict, crate::ending::Verdict::GaveUp(_));
            let object = std::mem::take(&mut *object.lock().unwrap_or_else(PoisonError::into_inner));
            Done { object, is_bad: false, gave_up }
        }
        Err(failure) => {
            let said: Vec<String> = failure
                .0
                .iter()
                .map(|diagnostic| match diagnostic.places.first() {
                    Some(place) => format!("column {}: {}", place.start.column, diagnostic.text),
                    None => diagnostic.text.clone(),
                })
                .collect();
            bad_line(number, &said.join("; "))
        }
    }
}

fn bad_line(number: u64, error: &str) -> Done {
    let object = format!("{}\n", json!({ "line": number, "error": error }));
    Done { object: object.into_bytes(), is_bad: true, gave_up: false }
}

/// A writer whose bytes can be taken afterwards.
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A new file, or with `resume` one that goes on after its last whole line; also the line of the input that it ends with. A
/// batch writes as it goes, so that what is done is not lost.
fn open_output(path: &Path, resume: bool) -> Result<(Box<dyn Write + Send>, u64), Failure> {
    let wrong = |error: io::Error| {
        Failure::from(Diagnostic::error(format!("cannot write {}: {}", path.display(), error.kind())))
    };
    let mut done = 0;
    let file = if resume && path.exists() {
        let document = input::read(path)?;
        let whole = document.text.rfind('\n').map_or(0, |end| end + 1);
        for (index, line) in document.text[..whole].lines().enumerate() {
            let object: Option<serde_json::Value> = serde_json::from_str(line).ok();
            let number = object.as_ref().and_then(|object| object["line"].as_u64());
            done = number.ok_or_else(|| {
                Diagnostic::error(format!(
                    "{}:{}: is no object of a batch; --resume cannot go on from it",
                    path.display(),
                    index + 1
                ))
            })?;
        }
        let file = OpenOptions::new().write(true).open(path).map_err(wrong)?;
        file.set_len(whole as u64).map_err(wrong)?;
        let mut file = file;
        io::Seek::seek(&mut file, io::SeekFrom::End(0)).map_err(wrong)?;
        file
    } else {
        File::create(path).map_err(wrong)?
    };
    Ok((Box::new(io::BufWriter::new(file)), done))
}
