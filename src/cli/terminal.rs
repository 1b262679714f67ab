//! The terminal: its width, the progress line, and lines on standard error.

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
#[cfg(windows)]
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use parking_lot::{Mutex, MutexGuard};

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
        Progress { is_wanted: is_wanted && io::stderr().is_terminal() && enable_escapes(), began, last: began }
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
        let Some(mut is_shown) = IS_PROGRESS_SHOWN.try_lock() else { return };
        *is_shown = true;
        let mut stderr = io::stderr();
        let _ = write!(stderr, "\r\x1b[2K{}, {:.1} s", progress(), elapsed.as_secs_f64()).and_then(|()| stderr.flush());
    }
}

/// Clears the progress line, and suppresses it until the guard is dropped.
pub fn clear_progress() -> MutexGuard<'static, bool> {
    cleared(IS_PROGRESS_SHOWN.lock())
}

/// Like `clear_progress`, without waiting for a terminal that does not read.
pub fn try_clear_progress() -> Option<MutexGuard<'static, bool>> {
    IS_PROGRESS_SHOWN.try_lock().map(cleared)
}

fn cleared(mut is_shown: MutexGuard<'static, bool>) -> MutexGuard<'static, bool> {
    if std::mem::take(&mut *is_shown) {
        let mut stderr = io::stderr();
        let _ = write!(stderr, "\r\x1b[2K").and_then(|()| stderr.flush());
    }
    is_shown
}

/// Prints a line on standard error, and ignores errors.
pub fn print_line(line: impl Display) {
    write_line(&line.to_string(), false);
}

/// Like `print_line`, with the colours of the text if `color` is set.
pub fn write_line(line: &str, color: bool) {
    let _cleared = try_clear_progress();
    let _ = writeln!(io::stderr(), "{}", escape_controls(line, color));
}

/// Makes the terminal interpret escape sequences, and returns true if it does. The consoles of
/// Windows before version 10 print them.
#[cfg(windows)]
pub fn enable_escapes() -> bool {
    static IS_ENABLED: LazyLock<bool> = LazyLock::new(|| enable_ansi_support::enable_ansi_support().is_ok());
    *IS_ENABLED
}

#[cfg(not(windows))]
pub fn enable_escapes() -> bool {
    true
}

/// Returns the width of the terminal that standard output goes to.
pub fn width() -> Option<usize> {
    #[cfg(not(target_family = "wasm"))]
    let size = terminal_size::terminal_size_of(io::stdout());
    // There it has no function for one stream, and knows no terminals.
    #[cfg(target_family = "wasm")]
    let size = terminal_size::terminal_size();
    let (terminal_size::Width(columns), _) = size?;
    Some(columns.into())
}

/// Replaces control characters by their pictures (`␛`), except newlines, tabs and, if `color` is
/// set, colours. Characters that change the direction of writing are shown by their code points.
pub fn escape_controls(text: &str, color: bool) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text.char_indices();
    while let Some((at, character)) = rest.next() {
        match character {
            '\n' | '\t' => shown.push(character),
            '\x1b' if color && let Some(length) = length_of_color(&text[at..]) => {
                shown.push_str(&text[at..at + length]);
                rest.nth(length - 2);
            }
            '\0'..='\x1f' => shown.extend(char::from_u32(0x2400 + u32::from(character))),
            '\x7f' => shown.push('␡'),
            '\u{80}'..='\u{9f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                shown.extend(character.escape_unicode());
            }
            _ => shown.push(character),
        }
    }
    shown
}

/// Returns the length of the colour sequence at the start of the text.
fn length_of_color(text: &str) -> Option<usize> {
    let parameters = text.strip_prefix("\x1b[")?;
    let end = parameters.find(|c: char| !c.is_ascii_digit() && c != ';')?;
    parameters[end..].starts_with('m').then_some(end + 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped_and_colours_kept_on_request() {
        assert_eq!(escape_controls("a\x1b[2Jb\u{9b}c\r\n\td\x7f", true), "a␛[2Jb\\u{9b}c␍\n\td␡");
        assert_eq!(escape_controls("\x1b[1;31mä\x1b[0m\x1b[0", true), "\x1b[1;31mä\x1b[0m␛[0");
        assert_eq!(escape_controls("\x1b[31mred", false), "␛[31mred");
    }
}
