//! Messages on standard error, each with the line of source that it is about, underlined.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use annotate_snippets::{AnnotationKind, Element, Group, Level as Shown, Renderer, Snippet};

use super::input;
use super::output::visible;
use crate::diagnostic::{Diagnostic, Failure, Level, Place};
use crate::document::Document;

/// More messages than this are counted, not shown.
const MOST: usize = 20;
/// A range over more lines is shown by its first line.
const MOST_LINES: usize = 8;
/// A text that quotes more of the input than this is cut in the middle: what stands around a quotation says what is wrong.
const MOST_BYTES: usize = 1200;
const LAST_BYTES: usize = 300;
const MOST_UNDERLINED: usize = 400;

/// Prints messages, errors last, each once.
pub fn print(diagnostics: &[Diagnostic], documents: &[Document], color: bool) {
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let mut seen = HashSet::new();
    let mut shown: Vec<&Diagnostic> =
        diagnostics.iter().filter(|diagnostic| seen.insert(diagnostic.to_string())).collect();
    shown.sort_by_key(|diagnostic| diagnostic.level);
    let dropped = shown.len().saturating_sub(MOST);
    for diagnostic in shown.iter().skip(dropped) {
        write_line(&render(diagnostic, documents, &renderer), color);
    }
    if dropped > 0 {
        say(format_args!("… and {dropped} more messages"));
    }
}

/// A run that takes longer tells how it goes on.
const QUIET: Duration = Duration::from_millis(500);

/// Whether the terminal shows a line that is to be written over, by whatever comes next.
static IS_PROGRESS_SHOWN: Mutex<bool> = Mutex::new(false);

/// A line on standard error, on a terminal only, that is written over.
pub struct Progress {
    is_wanted: bool,
    began: Instant,
    last: Instant,
}

impl Progress {
    pub fn new(is_wanted: bool, began: Instant) -> Self {
        Progress { is_wanted: is_wanted && io::stderr().is_terminal(), began, last: began }
    }

    /// Shows how far it is, and the time; not from the beginning, and not too often.
    pub fn show(&mut self, how_far: impl FnOnce() -> String) {
        let elapsed = self.began.elapsed();
        if !self.is_wanted || elapsed < QUIET || self.last.elapsed() < Duration::from_millis(100) {
            return;
        }
        self.last = Instant::now();
        // Somebody writes: it would stand in the middle.
        let Ok(mut is_shown) = IS_PROGRESS_SHOWN.try_lock() else { return };
        *is_shown = true;
        let mut stderr = io::stderr();
        let _ = write!(stderr, "\r\x1b[2K{}, {:.1} s", how_far(), elapsed.as_secs_f64()).and_then(|()| stderr.flush());
    }
}

/// Takes the line of progress away, and keeps it away until the guard is dropped.
pub fn clear_progress() -> MutexGuard<'static, bool> {
    cleared(IS_PROGRESS_SHOWN.lock().unwrap_or_else(PoisonError::into_inner))
}

/// The same where nobody waits for one who writes to a terminal that takes nothing.
pub fn try_clear_progress() -> Option<MutexGuard<'static, bool>> {
    IS_PROGRESS_SHOWN.try_lock().ok().map(cleared)
}

fn cleared(mut is_shown: MutexGuard<'static, bool>) -> MutexGuard<'static, bool> {
    if std::mem::take(&mut *is_shown) {
        let mut stderr = io::stderr();
        let _ = write!(stderr, "\r\x1b[2K").and_then(|()| stderr.flush());
    }
    is_shown
}

/// Prints what a command failed with, and gives its exit code: that nobody reads the output (no messages) is no failure.
pub fn fail(failure: &Failure, documents: &[Document], color: bool) -> i32 {
    print(&failure.0, documents, color);
    if failure.0.is_empty() { 0 } else { 2 }
}

/// Prints a line on standard error. That nobody can read it is no reason to end.
pub fn say(line: impl Display) {
    write_line(&line.to_string(), false);
}

fn write_line(line: &str, color: bool) {
    let _cleared = try_clear_progress();
    let _ = writeln!(io::stderr(), "{}", visible(line, color));
}

/// A text without the middle, if it is very long.
pub fn cut(text: &str) -> Cow<'_, str> {
    if text.len() <= MOST_BYTES {
        return text.into();
    }
    let first = text.floor_char_boundary(MOST_BYTES - LAST_BYTES);
    let last = text.ceil_char_boundary(text.len() - LAST_BYTES);
    format!("{}… ({} bytes) …{}", &text[..first], last - first, &text[last..]).into()
}

fn render(diagnostic: &Diagnostic, documents: &[Document], renderer: &Renderer) -> String {
    let level = match diagnostic.level {
        Level::Error => Shown::ERROR,
        Level::Warning => Shown::WARNING,
        Level::Info => Shown::INFO,
    };
    // The title is one line.
    let title = visible(&cut(&diagnostic.text), false).replace('\n', " ");
    let windows = windows(&diagnostic.places, documents);
    let mut elements: Vec<Element<'_>> = Vec::new();
    for window in &windows {
        elements.push(window.element(&diagnostic.places[0]));
    }
    if let Some(help) = &diagnostic.help {
        elements.push(Shown::HELP.message(visible(&cut(help), false)).into());
    }
    let group = Group::with_title(level.primary_title(title)).elements(elements);
    renderer.render(&[group])
}

/// Some lines of a file, and the places in them. Without text, where the file cannot be read any more.
struct Window<'a> {
    text: String,
    first_line: usize,
    last_line: usize,
    places: Vec<&'a Place>,
}

/// Places that stand close together share a window.
fn windows<'a>(places: &'a [Place], documents: &'a [Document]) -> Vec<Window<'a>> {
    let mut windows: Vec<Window<'a>> = Vec::new();
    for place in places {
        let long = place.end.line.saturating_sub(place.start.line) >= MOST_LINES;
        let (first, last) =
            (place.start.line, if long { place.start.line } else { place.end.line.max(place.start.line) });
        let near = windows.iter_mut().find(|window| {
            window.places[0].file == place.file
                && window.first_line.max(first) - window.last_line.min(last).min(first) < MOST_LINES
        });
        match near {
            Some(window) => {
                window.first_line = window.first_line.min(first);
                window.last_line = window.last_line.max(last);
                window.places.push(place);
            }
            None => {
                windows.push(Window { text: String::new(), first_line: first, last_line: last, places: vec![place] })
            }
        }
    }
    for window in &mut windows {
        if let Some(text) = input::text_of(window.places[0], documents) {
            let lines =
                text.split_inclusive('\n').skip(window.first_line - 1).take(window.last_line - window.first_line + 1);
            window.text = lines.collect();
        }
    }
    windows
}

impl<'a> Window<'a> {
    fn element(&'a self, primary: &Place) -> Element<'a> {
        let path = visible(&self.places[0].file, false);
        let mut snippet = Snippet::source(self.text.as_str()).path(path).line_start(self.first_line);
        for place in &self.places {
            let kind = if *place == primary { AnnotationKind::Primary } else { AnnotationKind::Context };
            let start = self.offset_of(place.start.line, place.start.column);
            let end = if place.end.line <= self.last_line {
                self.offset_of(place.end.line, place.end.column)
            } else {
                self.end_of_line(place.start.line)
            };
            let end = self.text.floor_char_boundary(end.clamp(start, start + MOST_UNDERLINED));
            let annotation = kind.span(start..end);
            snippet = snippet.annotation(if place.label.is_empty() {
                annotation
            } else {
                annotation.label(visible(&cut(&place.label), false))
            });
        }
        snippet.into()
    }

    /// The byte of a position, moved to the nearest character boundary inside the window.
    fn offset_of(&self, line: usize, column: usize) -> usize {
        let before: usize = self.text.split_inclusive('\n').take(line - self.first_line).map(str::len).sum();
        self.text.floor_char_boundary(before + column.saturating_sub(1))
    }

    fn end_of_line(&self, line: usize) -> usize {
        let before: usize = self.text.split_inclusive('\n').take(line - self.first_line + 1).map(str::len).sum();
        self.text[..before].trim_end().len()
    }
}
