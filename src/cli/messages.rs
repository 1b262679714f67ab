//! Messages on standard error, each with the line of source that it is about, underlined.

use std::collections::HashSet;
use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use annotate_snippets::{Element, Group, Level as Shown, Renderer};

use super::input;
use super::output::visible;
use crate::diagnostic::{Diagnostic, Level, Place};
use crate::document::Document;
use crate::stop::Reason;
use crate::underlined::{cut, windows};

/// More messages than this are counted, not shown.
const MOST: usize = 20;

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

/// The same, without waiting for a terminal that does not read.
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

/// Tells why a run was given up, and gives its exit code.
pub fn gave_up(reason: Reason) -> i32 {
    say(format_args!("gave up: {}", reason.words()));
    3
}

/// Prints a line on standard error; errors are ignored.
pub fn say(line: impl Display) {
    write_line(&line.to_string(), false);
}

fn write_line(line: &str, color: bool) {
    let _cleared = try_clear_progress();
    let _ = writeln!(io::stderr(), "{}", visible(line, color));
}

/// A message as it is printed, with its lines of source.
pub fn rendered(diagnostic: &Diagnostic, documents: &[Document], color: bool) -> String {
    render(diagnostic, documents, &if color { Renderer::styled() } else { Renderer::plain() })
}

/// Places in their lines of source, all of the same weight.
pub fn underlined(places: &[Place], documents: &[Document], color: bool) -> String {
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let windows = windows(places, |place| input::text_of(place, documents));
    renderer.render(&[Group::with_level(Shown::NOTE).elements(windows.iter().map(|window| window.element(|_| true)))])
}

fn render(diagnostic: &Diagnostic, documents: &[Document], renderer: &Renderer) -> String {
    let level = match diagnostic.level {
        Level::Error => Shown::ERROR,
        Level::Warning => Shown::WARNING,
        Level::Info => Shown::INFO,
    };
    // The title is one line.
    let title = visible(&cut(&diagnostic.text), false).replace('\n', " ");
    let windows = windows(&diagnostic.places, |place| input::text_of(place, documents));
    let is_primary = |place: &_| *place == diagnostic.places[0];
    let mut elements: Vec<Element<'_>> = windows.iter().map(|window| window.element(is_primary)).collect();
    if let Some(help) = &diagnostic.help {
        elements.push(Shown::HELP.message(visible(&cut(help), false)).into());
    }
    let group = Group::with_title(level.primary_title(title)).elements(elements);
    renderer.render(&[group])
}
