//! Objects on their way to the output, and how many may be on it.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use super::lines::Line;
use crate::cli::args::Solve;
use crate::cli::runner::{End, Heard, News};
use crate::cli::{fail, messages};
use crate::diagnostic::Diagnostic;
use crate::puzzle::Conclusion;
use crate::puzzle::report::{Header, Output, write_json};
use crate::stop::{Reason, Stop};
use crate::underlined;

/// Lines that are read and not yet written, and bytes of them and of objects that wait for their turn.
pub const MOST_LINES: usize = 1 << 14;
pub const MOST_BYTES: usize = 64 << 20;
/// Lines that no worker has begun. They have no objects yet, so that these few may come on top of what waits.
const MOST_AHEAD: usize = 1 << 9;

/// What is read and not yet written. The reader waits where it is full, so that memory is bounded, whatever the input, and
/// however long the first line takes. It goes on when half of the room is free again, so that it wakes seldom.
#[derive(Default)]
pub struct Window {
    held: Mutex<Held>,
    freed: Condvar,
}

#[derive(Default)]
struct Held {
    lines: usize,
    bytes: usize,
    ahead: usize,
    /// The reader waits.
    is_full: bool,
}

impl Held {
    /// Whether no more than a part of the room is taken.
    fn fits(&self, part: usize) -> bool {
        let is_little = self.lines < MOST_LINES / part && self.bytes < MOST_BYTES / part;
        self.lines == 0 || is_little && self.ahead < MOST_AHEAD / part
    }
}

impl Window {
    fn change(&self, change: impl FnOnce(&mut Held)) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut held);
        if held.is_full && held.fits(2) {
            held.is_full = false;
            self.freed.notify_one();
        }
    }

    /// Waits until there is room for another line, and takes it.
    pub fn enter(&self, bytes: usize) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.is_full = !held.fits(1);
        let mut held = self.freed.wait_while(held, |held| held.is_full).unwrap_or_else(PoisonError::into_inner);
        *held = Held { lines: held.lines + 1, bytes: held.bytes + bytes, ahead: held.ahead + 1, is_full: false };
    }

    /// A worker has begun a line.
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

/// A line that was handed out, and its place among all that were.
pub struct Turn {
    pub line: Line,
    pub turn: u64,
}

/// What the output has.
#[derive(Default)]
pub struct Written {
    pub objects: u64,
    bad: u64,
    gave_up: u64,
}

impl Written {
    pub fn count(&mut self, is_bad: bool, gave_up: bool) {
        self.objects += 1;
        self.bad += u64::from(is_bad);
        self.gave_up += u64::from(gave_up);
    }
}

/// Puts the objects in order, and writes them.
pub struct Writer {
    pub output: Output,
    pub window: Arc<Window>,
    pub written: Written,
    /// A person can be told how many there are.
    pub is_told: bool,
    /// Objects whose turn has not come, and what they hold of the window.
    pub waiting: BTreeMap<u64, (Object, usize)>,
    pub next: u64,
    pub error: Option<io::Error>,
}

/// What became of a line.
pub struct Object {
    text: Vec<u8>,
    is_bad: bool,
    gave_up: Option<Reason>,
}

impl Writer {
    pub fn hear(&mut self, news: News<Turn, Object>) -> Heard {
        let (written, is_told) = match news {
            News::Ended(turn, end) => (self.take(&turn, end), false),
            News::Tick => (self.output.flush(), self.is_told),
        };
        if let Err(error) = written {
            self.error = Some(error);
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(is_told.then(|| lines(self.written.objects)))
    }

    /// Takes what became of a line, and writes all whose turn has come.
    fn take(&mut self, Turn { line, turn }: &Turn, end: End<Object>) -> io::Result<()> {
        let object = match end {
            End::Done(object) => object,
            End::Failed(diagnostic) => Object::bad(line, &diagnostic.text),
            End::Abandoned(reason) => Object::gave_up(line, reason),
        };
        // Whoever goes on solves it again.
        if object.gave_up == Some(Reason::Interrupted) {
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

    fn write(&mut self, object: &Object, held: usize) -> io::Result<()> {
        self.output.write_all(&object.text)?;
        self.written.count(object.is_bad, object.gave_up.is_some());
        self.window.leave(held);
        Ok(())
    }

    /// The exit code: 2 if a line was bad, else 3 if the engine gave up on one, else 0.
    pub fn end(mut self, args: &Solve, broken_off: Option<Reason>) -> i32 {
        let flushed = self.output.flush();
        match self.error.take().map_or(flushed, Err) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return 0,
            Err(error) => {
                return fail(args, &[], &Diagnostic::error(format!("cannot write the output: {error}")).into());
            }
            Ok(()) => {}
        }
        let Written { objects, bad, gave_up } = self.written;
        if let Some(reason) = broken_off {
            let how_on = if args.common.writing.file().is_some() { "; --resume goes on after them" } else { "" };
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

impl Object {
    /// Has the number of the line besides the id: whoever mends it looks for it.
    pub fn bad(line: &Line, error: &str) -> Self {
        let id = line.id.as_ref().map(|id| format!("\"id\":{},", id.get())).unwrap_or_default();
        let error = serde_json::Value::from(underlined::cut(error));
        let text = format!("{{\"line\":{},{id}\"error\":{error}}}\n", line.number);
        Object { text: text.into_bytes(), is_bad: true, gave_up: None }
    }

    /// Of a line whose engine did not end in time.
    pub fn gave_up(line: &Line, reason: Reason) -> Self {
        let mut text = Vec::new();
        let header = line.header.get().map(Header::json).unwrap_or_default();
        let conclusion = Conclusion::gave_up(reason);
        let written = write_json(&mut text, header, std::iter::empty::<()>(), None, conclusion, &Stop::new().telling());
        debug_assert!(written.is_ok(), "writing to memory does not fail");
        Object::whole(line, &text, Some(reason))
    }

    /// The object of a run as one line, with what the line is called and the check sum of its instance.
    pub fn whole(line: &Line, object: &[u8], gave_up: Option<Reason>) -> Self {
        let mut text = match &line.id {
            Some(id) => format!("{{\"id\":{},", id.get()).into_bytes(),
            None => format!("{{\"line\":{},", line.number).into_bytes(),
        };
        // An end of a line stands between the parts of an object, never within a text.
        let object = object.trim_ascii();
        let inside = object.strip_prefix(b"{").and_then(|rest| rest.strip_suffix(b"}")).unwrap_or_default();
        inside.split(|&byte| byte == b'\n').for_each(|part| text.extend_from_slice(part.trim_ascii_start()));
        text.extend_from_slice(format!(",\"check_sum\":{}}}\n", line.check_sum).as_bytes());
        Object { text, is_bad: false, gave_up }
    }
}
