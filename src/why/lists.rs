//! Reasons as lists, for a page that shows each one as a line and links it to its source.

use super::{PartKind, Part};

/// Reasons that belong together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReasonList {
    pub title: String,
    pub lines: Vec<ReasonLine>,
}

/// A reason and the reasons below it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReasonLine {
    pub atom: Option<String>,
    /// The reason in words, if they differ from its text.
    pub words: String,
    /// The part and its place in the source.
    pub part: Option<Part>,
    pub children: Vec<ReasonLine>,
}

impl ReasonList {
    /// Lists parts in their order; further instances of the same rule or constraint become children
    /// of its line.
    pub fn of(title: &str, parts: &[Part]) -> ReasonList {
        let mut lines: Vec<(&Part, Vec<&Part>)> = Vec::new();
        for part in parts {
            let is_same = |(first, _): &&mut (&Part, Vec<&Part>)| part.kind != PartKind::Fact && first.place == part.place;
            match lines.iter_mut().find(is_same) {
                Some((_, others)) => others.push(part),
                None => lines.push((part, Vec::new())),
            }
        }
        let line = |(first, others): (&Part, Vec<&Part>)| match others[..] {
            [] => ReasonLine::of(first),
            _ => {
                let words = [first].into_iter().chain(others).map(|part| part.words.to_string());
                let below = words.map(|words| ReasonLine { words, ..ReasonLine::default() }).collect();
                ReasonLine { part: Some(first.clone()), children: below, ..ReasonLine::default() }
            }
        };
        ReasonList { title: title.to_owned(), lines: lines.into_iter().map(line).collect() }
    }
}

impl ReasonLine {
    pub fn of(part: &Part) -> ReasonLine {
        let words = if *part.words == *part.text { String::new() } else { part.words.to_string() };
        ReasonLine { words, part: Some(part.clone()), ..ReasonLine::default() }
    }
}
