//! Reasons as nested lists, for a page that shows each reason on a line and links it to its source.

use super::part::{Part, PartKind};

/// Reasons under a common title.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReasonList {
    pub title: String,
    pub lines: Vec<ReasonLine>,
}

/// A reason and, as its children, the reasons on which it depends or its instances.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReasonLine {
    pub atom: Option<String>,
    /// The reason in words; empty if the words are the text of `part`.
    pub words: String,
    /// The part and its place in the source.
    pub part: Option<Part>,
    pub children: Vec<ReasonLine>,
}

impl ReasonList {
    /// Lists `parts` in their order. If a rule or constraint has several instances, they become
    /// children of its line.
    pub fn of(title: &str, parts: &[Part]) -> ReasonList {
        let mut lines: Vec<(&Part, Vec<&Part>)> = Vec::new();
        for part in parts {
            let is_same =
                |(first, _): &&mut (&Part, Vec<&Part>)| part.kind != PartKind::Fact && first.place == part.place;
            match lines.iter_mut().find(is_same) {
                Some((_, others)) => others.push(part),
                None => lines.push((part, Vec::new())),
            }
        }
        let line = |(first, others): (&Part, Vec<&Part>)| match others[..] {
            [] => ReasonLine::of(first),
            _ => {
                let words = [first].into_iter().chain(others).map(|part| part.words.to_string());
                let children = words.map(|words| ReasonLine { words, ..ReasonLine::default() }).collect();
                ReasonLine { part: Some(first.clone()), children, ..ReasonLine::default() }
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
