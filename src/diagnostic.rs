//! What there is to say about an input, as a value: level, text, and the places in the source that it is about.

use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};

/// How bad it is. `Info` is clingo's word for what it passes over ("atom does not occur in any rule head").
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Level {
    Info,
    Warning,
    Error,
}

/// A line and a byte column, both from 1, as clingo counts them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Position {
    pub line: usize,
    pub column: usize,
}

/// A range in a source; `end` is exclusive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    pub file: String,
    pub start: Position,
    pub end: Position,
    /// What to write under the underlined text; may be empty.
    pub label: String,
}

/// One message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    pub level: Level,
    pub text: String,
    /// The first place is the one the message is about; the others help to understand it.
    pub places: Vec<Place>,
    /// What to do, or what was wanted.
    pub help: Option<String>,
}

impl Diagnostic {
    pub fn error(text: impl Into<String>) -> Self {
        Diagnostic { level: Level::Error, text: text.into(), places: Vec::new(), help: None }
    }

    pub fn warning(text: impl Into<String>) -> Self {
        Diagnostic { level: Level::Warning, ..Diagnostic::error(text) }
    }

    pub fn at(mut self, place: Option<Place>) -> Self {
        self.places.extend(place);
        self
    }

    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl Place {
    /// The place of a byte range in `text`.
    pub fn of_range(file: &str, text: &str, range: Range<usize>) -> Self {
        Place {
            file: file.to_owned(),
            start: position_of(text, range.start),
            end: position_of(text, range.end),
            label: String::new(),
        }
    }

    /// The bytes of the place in its text.
    pub fn range_in(&self, text: &str) -> Range<usize> {
        let offset = |position: Position| {
            let before: usize = text.split_inclusive('\n').take(position.line.saturating_sub(1)).map(str::len).sum();
            before + position.column.saturating_sub(1)
        };
        offset(self.start)..offset(self.end)
    }

    /// Whether another place begins inside.
    pub fn contains(&self, other: &Place) -> bool {
        let [start, at, end] = [self.start, other.start, self.end].map(|position| (position.line, position.column));
        self.file == other.file && (start..=end).contains(&at)
    }

    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }
}

fn position_of(text: &str, offset: usize) -> Position {
    let before = &text.as_bytes()[..offset.min(text.len())];
    let line_start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
    Position { line: before.iter().filter(|&&byte| byte == b'\n').count() + 1, column: before.len() - line_start + 1 }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Level::Info => "info",
            Level::Warning => "warning",
            Level::Error => "error",
        })
    }
}

/// One line, as compilers print it: `file:4:14: error: text`.
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = self.places.first() {
            write!(f, "{}:{}:{}: ", place.file, place.start.line, place.start.column)?;
        }
        write!(f, "{}: {}", self.level, self.text)
    }
}

/// One or more messages that end the work; the last error is what ended it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Failure(pub Vec<Diagnostic>);

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Self {
        Failure(vec![diagnostic])
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&lines.join("\n"))
    }
}

impl std::error::Error for Failure {}
