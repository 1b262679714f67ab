//! Writes objects in order, and bounds how many lines are in flight.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use super::lines::BatchLine;
use crate::cli::args::Solve;
use crate::cli::runner::{TaskEnd, Control, TaskEvent};
use crate::cli::{fail, messages};
use crate::diagnostic::{Code, Diagnostic};
use crate::puzzle::AnyRunResult;
use crate::puzzle::report::{Header, Output, write_json};
use crate::stop::{StopReason, CancelToken};
use crate::underlined;

/// Maximal number of lines that are read and not yet written, and maximal size of these lines and
/// of objects that wait for their turn.
pub const MOST_LINES: usize = 1 << 14;
pub const MOST_BYTES: usize = 64 << 20;
/// Maximal number of lines that no worker has started. They have no objects yet, so these few may
/// exceed the size limit.
const MAX_AHEAD: usize = 1 << 9;

/// The lines that are read and not yet written. The reader blocks while the window is full, so
/// memory is bounded, whatever the input, and however long the first line takes. It resumes when
/// half of the window is free, so that it wakes seldom.
#[derive(Default)]
pub struct InFlightWindow {
    held: Mutex<WindowUse>,
    freed: Condvar,
}

#[derive(Default)]
struct WindowUse {
    lines: usize,
    bytes: usize,
    ahead: usize,
    /// The reader is blocked.
    is_full: bool,
}

impl WindowUse {
    /// Returns true if at most `1 / part` of the window is used.
    fn fits(&self, part: usize) -> bool {
        let is_little = self.lines < MOST_LINES / part && self.bytes < MOST_BYTES / part;
        self.lines == 0 || is_little && self.ahead < MAX_AHEAD / part
    }
}

impl InFlightWindow {
    fn change(&self, change: impl FnOnce(&mut WindowUse)) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut held);
        if held.is_full && held.fits(2) {
            held.is_full = false;
            self.freed.notify_one();
        }
    }

    /// Blocks until the window has room for another line, and takes it.
    pub fn enter(&self, bytes: usize) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.is_full = !held.fits(1);
        let mut held = self.freed.wait_while(held, |held| held.is_full).unwrap_or_else(PoisonError::into_inner);
        *held = WindowUse { lines: held.lines + 1, bytes: held.bytes + bytes, ahead: held.ahead + 1, is_full: false };
    }

    /// A worker has started a line.
    pub fn begin(&self) {
        self.change(|held| held.ahead -= 1);
    }

    fn hold(&self, bytes: usize) {
        self.change(|held| held.bytes += bytes);
    }

    fn leave(&self, bytes: usize) {
        self.change(|held| {
            held.lines -= 1;
            held.bytes -= bytes;
        });
    }
}

/// A line that was handed out, and its position in that order.
pub struct BatchTask {
    pub line: BatchLine,
    pub turn: u64,
}

/// Counts of the objects in the output.
#[derive(Default)]
pub struct OutputCounts {
    pub objects: u64,
    bad: u64,
    gave_up: u64,
}

impl OutputCounts {
    pub fn count(&mut self, is_bad: bool, gave_up: bool) {
        self.objects += 1;
        self.bad += u64::from(is_bad);
        self.gave_up += u64::from(gave_up);
    }
}

/// Puts objects in order and writes them.
pub struct OrderedWriter {
    pub output: Output,
    pub window: Arc<InFlightWindow>,
    pub written: OutputCounts,
    /// Progress is shown, because the objects are not written to a terminal.
    pub shows_progress: bool,
    /// Objects that wait for earlier ones, and their share of the window in bytes.
    pub waiting: BTreeMap<u64, (ResultObject, usize)>,
    pub next: u64,
    pub error: Option<io::Error>,
}

/// The result of a line.
pub struct ResultObject {
    text: Vec<u8>,
    is_bad: bool,
    gave_up: Option<StopReason>,
}

impl OrderedWriter {
    pub fn on_event(&mut self, news: TaskEvent<BatchTask, ResultObject>) -> Control {
        let (written, shows_progress) = match news {
            TaskEvent::Ended(turn, end) => (self.take(&turn, end), false),
            TaskEvent::Tick => (self.output.flush(), self.shows_progress),
        };
        if let Err(error) = written {
            self.error = Some(error);
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(shows_progress.then(|| lines(self.written.objects)))
    }

    /// Takes the result of a line, and writes all results whose turn has come.
    fn take(&mut self, BatchTask { line, turn }: &BatchTask, end: TaskEnd<ResultObject>) -> io::Result<()> {
        let object = match end {
            TaskEnd::Done(object) => object,
            TaskEnd::Failed(diagnostic) => ResultObject::bad(line, &diagnostic.message, std::slice::from_ref(&diagnostic)),
            TaskEnd::Abandoned(reason) => ResultObject::gave_up(line, reason),
        };
        // `--resume` solves it again.
        if object.gave_up == Some(StopReason::Interrupted) {
            return Ok(());
        }
        self.window.hold(object.text.len());
        let held = line.bytes + object.text.len();
        self.waiting.insert(*turn, (object, held));
        while let Some((object, held)) = self.waiting.remove(&self.next) {
            self.next += 1;
            self.write(&object, held)?;
        }
        Ok(())
    }

    fn write(&mut self, object: &ResultObject, held: usize) -> io::Result<()> {
        self.output.write_all(&object.text)?;
        self.written.count(object.is_bad, object.gave_up.is_some());
        self.window.leave(held);
        Ok(())
    }

    /// Finishes the output and returns the exit code: 2 if a line was bad, else 3 if the engine
    /// gave up on one, else 0.
    pub fn end(mut self, args: &Solve, broken_off: Option<StopReason>) -> i32 {
        let flushed = self.output.flush();
        match self.error.take().map_or(flushed, Err) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return 0,
            Err(error) => {
                return fail(args, &[], &Diagnostic::error(Code::UnwritableFile, format!("cannot write the output: {error}")).into());
            }
            Ok(()) => {}
        }
        let OutputCounts { objects, bad, gave_up } = self.written;
        if let Some(reason) = broken_off {
            let how_on = if args.common.writing.file().is_some() { "; continue with --resume" } else { "" };
            messages::say(format_args!("{}: {} done{how_on}", reason.words(), lines(objects)));
            return 3;
        }
        if !args.common.quiet && bad > 0 {
            let are = if bad == 1 { "is" } else { "are" };
            messages::say(format_args!("error: {} {are} invalid; the output says why", lines(bad)));
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

impl ResultObject {
    /// Returns the object of an invalid line, which has the line number even beside an id, so that
    /// the user can find the line.
    pub fn bad(line: &BatchLine, error: &str, diagnostics: &[Diagnostic]) -> Self {
        let id = line.id.as_ref().map(|id| format!("\"id\":{},", id.get())).unwrap_or_default();
        let error = serde_json::Value::from(underlined::elide_middle(error));
        let diagnostics: serde_json::Value = diagnostics.iter().map(Diagnostic::json).collect();
        let number = line.number;
        let text = format!("{{\"line\":{number},{id}\"error\":{error},\"diagnostics\":{diagnostics}}}\n");
        ResultObject { text: text.into_bytes(), is_bad: true, gave_up: None }
    }

    /// Returns the object of a line whose engine gave up.
    pub fn gave_up(line: &BatchLine, reason: StopReason) -> Self {
        let mut text = Vec::new();
        let header = line.header.get().map(Header::json).unwrap_or_default();
        let conclusion = AnyRunResult::gave_up(reason);
        let written = write_json(&mut text, header, std::iter::empty::<()>(), None, conclusion, &CancelToken::new().output_grace());
        debug_assert!(written.is_ok(), "writing to memory does not fail");
        ResultObject::whole(line, &text, Some(reason))
    }

    /// Returns the object of a run as one line, with the id or number of the input line and the
    /// checksum of its instance.
    pub fn whole(line: &BatchLine, object: &[u8], gave_up: Option<StopReason>) -> Self {
        let mut text = match &line.id {
            Some(id) => format!("{{\"id\":{},", id.get()).into_bytes(),
            None => format!("{{\"line\":{},", line.number).into_bytes(),
        };
        // Newlines occur only between tokens, never within a string.
        let object = object.trim_ascii();
        let inside = object.strip_prefix(b"{").and_then(|rest| rest.strip_suffix(b"}")).unwrap_or_default();
        for part in inside.split(|&byte| byte == b'\n') {
            text.extend_from_slice(part.trim_ascii_start());
        }
        text.extend_from_slice(format!(",\"check_sum\":{}}}\n", line.check_sum).as_bytes());
        ResultObject { text, is_bad: false, gave_up }
    }
}
