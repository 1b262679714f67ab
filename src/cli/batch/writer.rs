//! Writes objects in order, and bounds how many lines are in flight.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use base::diagnostic::{Code, Diagnostic};
use base::stop::{CancelToken, StopReason};
use base::underlined;
use base::words::count;
use parking_lot::{Condvar, Mutex};
use puzzle::AnyRunResult;
use puzzle::report::{Header, Output, write_json};

use super::counts::{LineOutcome, MAX_BYTES, MAX_LINES, OutputCounts};
use super::lines::BatchLine;
use super::resume::Rewrite;
use crate::cli::args::Solve;
use crate::cli::finish::fail;
use crate::cli::output;
use crate::cli::runner::{Control, TaskEnd, TaskEvent};
use crate::cli::terminal;

/// Maximal number of lines that no worker has started. They have no results yet, so these few may
/// exceed the size limit.
const MAX_AHEAD: usize = 1 << 9;

/// The lines that are read and not yet written. The reader blocks while the window is full, so
/// memory is bounded, whatever the input, and however long the first line takes. It resumes when
/// half of the window is free, so that it wakes rarely.
#[derive(Default)]
pub struct InFlightWindow {
    usage: Mutex<WindowUse>,
    freed: Condvar,
}

#[derive(Default)]
struct WindowUse {
    lines: usize,
    bytes: usize,
    /// The number of lines that no worker has started.
    ahead: usize,
    /// True while the reader is blocked.
    is_full: bool,
}

impl WindowUse {
    /// Returns true if at most `1 / part` of the window is used.
    fn fits(&self, divisor: usize) -> bool {
        let is_small = self.lines < MAX_LINES / divisor && self.bytes < MAX_BYTES / divisor;
        self.lines == 0 || is_small && self.ahead < MAX_AHEAD / divisor
    }
}

impl InFlightWindow {
    fn change(&self, change: impl FnOnce(&mut WindowUse)) {
        let mut usage = self.usage.lock();
        change(&mut usage);
        if usage.is_full && usage.fits(2) {
            usage.is_full = false;
            self.freed.notify_one();
        }
    }

    /// Blocks until the window has room for another line, and takes it.
    pub fn enter(&self, bytes: usize) {
        let mut usage = self.usage.lock();
        usage.is_full = !usage.fits(1);
        self.freed.wait_while(&mut usage, |usage| usage.is_full);
        *usage =
            WindowUse { lines: usage.lines + 1, bytes: usage.bytes + bytes, ahead: usage.ahead + 1, is_full: false };
    }

    /// Notes that a worker has started a line.
    pub fn begin(&self) {
        self.change(|usage| usage.ahead -= 1);
    }

    fn hold(&self, bytes: usize) {
        self.change(|usage| usage.bytes += bytes);
    }

    fn leave(&self, bytes: usize) {
        self.change(|usage| {
            usage.lines -= 1;
            usage.bytes -= bytes;
        });
    }
}

/// A line for a worker, and its position in the order of the output.
pub struct BatchTask {
    pub line: BatchLine,
    pub turn: u64,
}

/// Puts objects in order and writes them.
pub struct OrderedWriter {
    pub output: Output,
    /// What is rewritten before objects are appended.
    pub rewrite: Option<Rewrite>,
    pub window: Arc<InFlightWindow>,
    pub written: OutputCounts,
    /// True if progress is shown, since the objects are not written to a terminal.
    pub shows_progress: bool,
    /// True if the totals are printed at the end.
    pub prints_totals: bool,
    /// By turn: the objects that wait for earlier ones, each with its share of the window in bytes.
    pub waiting: BTreeMap<u64, (ResultObject, usize)>,
    pub next: u64,
    pub error: Option<io::Error>,
}

/// The result of a line.
pub struct ResultObject {
    text: Vec<u8>,
    outcome: LineOutcome,
}

impl OrderedWriter {
    /// Takes the result of a line. A line that was interrupted has none.
    pub fn on_event(&mut self, event: TaskEvent<BatchTask, Option<ResultObject>>) -> Control {
        let (written, shows_progress) = match event {
            TaskEvent::Ended(turn, end) => (self.take(&turn, end), false),
            TaskEvent::Tick => (self.output.flush(), self.shows_progress),
        };
        if let Err(error) = written {
            self.error = Some(error);
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(shows_progress.then(|| self.written.totals()))
    }

    /// Takes the result of a line, and writes all results whose turn has come.
    fn take(&mut self, BatchTask { line, turn }: &BatchTask, end: TaskEnd<Option<ResultObject>>) -> io::Result<()> {
        let object = match end {
            TaskEnd::Done(Some(object)) => object,
            // With `--resume` the line is solved again.
            TaskEnd::Done(None) | TaskEnd::Abandoned(StopReason::Interrupted) => return Ok(()),
            TaskEnd::Failed(diagnostic) => {
                ResultObject::invalid(line, &diagnostic.message, std::slice::from_ref(&diagnostic))
            }
            TaskEnd::Abandoned(reason) => ResultObject::gave_up(line, reason),
        };
        self.window.hold(object.text.len());
        let bytes = line.bytes + object.text.len();
        self.waiting.insert(*turn, (object, bytes));
        while let Some((object, bytes)) = self.waiting.remove(&self.next) {
            self.next += 1;
            self.write(&object, bytes)?;
        }
        Ok(())
    }

    fn write(&mut self, object: &ResultObject, bytes: usize) -> io::Result<()> {
        if let Some(rewrite) = &mut self.rewrite {
            rewrite.advance(&mut self.output)?;
        }
        self.output.write_all(&object.text)?;
        if let Some(rewrite) = self.rewrite.take_if(|rewrite| rewrite.is_done()) {
            rewrite.finish(&mut self.output)?;
        }
        self.written.count(object.outcome);
        self.window.leave(bytes);
        Ok(())
    }

    /// Finishes the output and returns the exit code: 2 if a line was invalid, else 3 if the engine
    /// gave up on one, else 0.
    pub fn end(mut self, args: &Solve, stop_reason: Option<StopReason>) -> i32 {
        let written = self.error.take().map_or(Ok(()), Err);
        let written = written.and_then(|()| match self.rewrite.take() {
            Some(rewrite) => rewrite.finish(&mut self.output),
            None => self.output.flush(),
        });
        match written {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return 0,
            Err(error) => {
                return fail(args, &[], &cannot_write(args.common.output_args.file(), &error).into());
            }
            Ok(()) => {}
        }
        let [invalid, gave_up] = [LineOutcome::Invalid, LineOutcome::GaveUp].map(|outcome| self.written.of(outcome));
        if let Some(reason) = stop_reason {
            let advice = if args.common.output_args.file().is_some() { "; continue with --resume" } else { "" };
            terminal::print_line(format_args!("{}: {} done{advice}", reason.words(), lines(self.written.objects)));
            return 3;
        }
        if self.prints_totals && self.written.objects > 0 {
            terminal::print_line(self.written.totals());
        }
        if !args.common.quiet && invalid > 0 {
            let are = if invalid == 1 { "is" } else { "are" };
            terminal::print_line(format_args!("error: {} {are} invalid; the output says why", lines(invalid)));
        }
        match (invalid, gave_up) {
            (0, 0) => 0,
            (0, _) => 3,
            _ => 2,
        }
    }
}

/// Returns the error of an output that could not be written to its end.
fn cannot_write(path: Option<&Path>, error: &io::Error) -> Diagnostic {
    // A device such as /dev/full has no lines to count, and no end.
    let Some(path) = path.filter(|path| path.is_file()) else {
        return Diagnostic::error(Code::UnwritableFile, format!("cannot write the output: {error}"));
    };
    let complete = File::open(path).map_or(0, |file| {
        let bytes = BufReader::new(file).bytes();
        bytes.map_while(Result::ok).filter(|&byte| byte == b'\n').count() as u64
    });
    let are = if complete == 1 { "is" } else { "are" };
    let help = format!("{} {are} done; when there is room, continue with --resume", lines(complete));
    output::unwritable(path, error).help(help)
}

fn lines(number: u64) -> String {
    count(number, "line", "lines")
}

impl ResultObject {
    /// Returns the object of an invalid line, which has the line number even if it has an id, so
    /// that the user can find the line.
    pub fn invalid(line: &BatchLine, error: &str, diagnostics: &[Diagnostic]) -> Self {
        let id = line.id.as_ref().map(|id| format!("\"id\":{},", id.get())).unwrap_or_default();
        let cube = cube_key(line);
        let error = serde_json::Value::from(underlined::elide_middle(error));
        let brief = |diagnostic: &Diagnostic| {
            let message = underlined::elide_middle(&diagnostic.message).into_owned();
            let help = diagnostic.help.as_deref().map(|help| underlined::elide_middle(help).into_owned());
            Diagnostic { message, help, ..diagnostic.clone() }.json()
        };
        let diagnostics: serde_json::Value = diagnostics.iter().map(brief).collect();
        let number = line.number;
        let text = format!("{{\"line\":{number},{id}{cube}\"error\":{error},\"diagnostics\":{diagnostics}}}\n");
        ResultObject { text: text.into_bytes(), outcome: LineOutcome::Invalid }
    }

    /// Returns the object of a line whose engine gave up.
    pub fn gave_up(line: &BatchLine, reason: StopReason) -> Self {
        let mut text = Vec::new();
        let header = line.header.get().map(Header::json).unwrap_or_default();
        let conclusion = AnyRunResult::gave_up(reason);
        let written = write_json(
            &mut text,
            header,
            std::iter::empty::<()>(),
            None,
            conclusion,
            &CancelToken::new().output_grace(),
        );
        debug_assert!(written.is_ok(), "writing to memory does not fail");
        ResultObject::whole(line, &text, LineOutcome::GaveUp)
    }

    /// Returns the object of a run as one line, with the id or number of the input line and the
    /// checksum of its instance.
    pub fn whole(line: &BatchLine, object: &[u8], outcome: LineOutcome) -> Self {
        let mut text = match &line.id {
            Some(id) => format!("{{\"id\":{},", id.get()).into_bytes(),
            None => format!("{{\"line\":{},", line.number).into_bytes(),
        };
        text.extend_from_slice(cube_key(line).as_bytes());
        // Newlines occur only between tokens, never within a string.
        let object = object.trim_ascii();
        let inside = object.strip_prefix(b"{").and_then(|rest| rest.strip_suffix(b"}")).unwrap_or_default();
        for part in inside.split(|&byte| byte == b'\n') {
            text.extend_from_slice(part.trim_ascii_start());
        }
        text.extend_from_slice(format!(",\"check_sum\":{}}}\n", line.check_sum).as_bytes());
        ResultObject { text, outcome }
    }

    /// Adds a key at the end.
    pub fn with_key(mut self, key: &str, value: &serde_json::Value) -> Self {
        self.text.truncate(self.text.len() - "}\n".len());
        self.text.extend_from_slice(format!(",\"{key}\":{value}}}\n").as_bytes());
        self
    }
}

/// Returns the key of the cube of a line, if it has one.
fn cube_key(line: &BatchLine) -> String {
    line.cube.as_ref().map(|cube| format!("\"cube\":{},", cube.get())).unwrap_or_default()
}
