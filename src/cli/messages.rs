//! Prints messages on standard error, each with the source lines that it refers to, underlined.

use std::collections::HashSet;
use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use annotate_snippets::{Element, Group, Level, Renderer};

use super::input;
use super::output::escape_controls;
use crate::diagnostic::{Diagnostic, Place, Severity};
use crate::document::Document;
use crate::stop::StopReason;
use crate::underlined::{elide_middle, excerpts};

/// Maximum number of messages shown; further ones are only counted.
const MAX_MESSAGES: usize = 20;

/// Prints each distinct message once, the errors last.
pub fn print(diagnostics: &[Diagnostic], documents: &[Document], color: bool) {
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let mut seen = HashSet::new();
    let mut shown: Vec<&Diagnostic> =
        diagnostics.iter().filter(|diagnostic| seen.insert(diagnostic.to_string())).collect();
    shown.sort_by_key(|diagnostic| diagnostic.severity);
    let dropped = shown.len().saturating_sub(MAX_MESSAGES);
    for diagnostic in shown.iter().skip(dropped) {
        write_line(&render(diagnostic, documents, &renderer), color);
    }
    if dropped > 0 {
        print_line(format_args!("… and {dropped} more messages"));
    }
}

/// Delay before a run shows its progress.
const PROGRESS_DELAY: Duration = Duration::from_millis(500);

/// True while the terminal shows a progress line, which the next output must overwrite.
static IS_PROGRESS_SHOWN: Mutex<bool> = Mutex::new(false);

/// A progress line on standard error, if that is a terminal; it is overwritten in place.
pub struct Progress {
    is_wanted: bool,
    began: Instant,
    last: Instant,
}

impl Progress {
    pub fn new(is_wanted: bool, began: Instant) -> Self {
        Progress { is_wanted: is_wanted && io::stderr().is_terminal(), began, last: began }
    }

    /// Shows the progress and the elapsed time, but not at the start and not too often.
    pub fn show(&mut self, progress: impl FnOnce() -> String) {
        let elapsed = self.began.elapsed();
        if !self.is_wanted || elapsed < PROGRESS_DELAY || self.last.elapsed() < Duration::from_millis(100) {
            return;
        }
        self.last = Instant::now();
        // If the lock is held, another thread is printing, and the progress would corrupt its
        // output.
        let Ok(mut is_shown) = IS_PROGRESS_SHOWN.try_lock() else { return };
        *is_shown = true;
        let mut stderr = io::stderr();
        let _ = write!(stderr, "\r\x1b[2K{}, {:.1} s", progress(), elapsed.as_secs_f64()).and_then(|()| stderr.flush());
    }
}

/// Clears the progress line, and suppresses it until the guard is dropped.
pub fn clear_progress() -> MutexGuard<'static, bool> {
    cleared(IS_PROGRESS_SHOWN.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Like `clear_progress`, without waiting for a terminal that does not read.
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

/// Prints why a run gave up, and returns its exit code.
pub fn gave_up(reason: StopReason) -> i32 {
    print_line(format_args!("gave up: {}", reason.words()));
    3
}

/// Prints a line on standard error, and ignores errors.
pub fn print_line(line: impl Display) {
    write_line(&line.to_string(), false);
}

fn write_line(line: &str, color: bool) {
    let _cleared = try_clear_progress();
    let _ = writeln!(io::stderr(), "{}", escape_controls(line, color));
}

/// Renders a message with its source lines.
pub fn rendered(diagnostic: &Diagnostic, documents: &[Document], color: bool) -> String {
    render(diagnostic, documents, &if color { Renderer::styled() } else { Renderer::plain() })
}

/// Renders the source lines of places, and underlines all places alike.
pub fn underlined(places: &[Place], documents: &[Document], color: bool) -> String {
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let excerpts = excerpts(places, |place| input::source_text(place, documents));
    renderer
        .render(&[Group::with_level(Level::NOTE).elements(excerpts.iter().map(|excerpt| excerpt.element(|_| true)))])
}

fn render(diagnostic: &Diagnostic, documents: &[Document], renderer: &Renderer) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Info => Level::INFO,
    };
    // The renderer expects a title of one line.
    let title = escape_controls(&elide_middle(&diagnostic.message), false).replace('\n', " ");
    let excerpts = excerpts(&diagnostic.labels, |place| input::source_text(place, documents));
    let is_primary = |place: &_| *place == diagnostic.labels[0];
    let mut elements: Vec<Element<'_>> = excerpts.iter().map(|excerpt| excerpt.element(is_primary)).collect();
    if let Some(help) = &diagnostic.help {
        elements.push(Level::HELP.message(escape_controls(&elide_middle(help), false)).into());
    }
    let group = Group::with_title(level.primary_title(title)).elements(elements);
    renderer.render(&[group])
}
