//! Reasons as lists, for a page that shows each as a line and leads to where it stands.

use super::{Kind, Part};

/// Reasons that belong together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct List {
    pub title: String,
    pub lines: Vec<Line>,
}

/// A reason, and what it is made of or follows from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Line {
    /// The atom that is derived.
    pub atom: Option<String>,
    /// What it says here, if its text does not.
    pub words: String,
    /// Where it stands.
    pub part: Option<Part>,
    pub below: Vec<Line>,
}

impl List {
    /// Parts in their order; instances of one rule or constraint are told below it.
    pub fn of(title: &str, parts: &[Part]) -> List {
        let mut lines: Vec<(&Part, Vec<&Part>)> = Vec::new();
        for part in parts {
            let is_same = |(first, _): &&mut (&Part, Vec<&Part>)| part.kind != Kind::Fact && first.place == part.place;
            match lines.iter_mut().find(is_same) {
                Some((_, others)) => others.push(part),
                None => lines.push((part, Vec::new())),
            }
        }
        let line = |(first, others): (&Part, Vec<&Part>)| match others[..] {
            [] => Line::of(first),
            _ => {
                let words = [first].into_iter().chain(others).map(|part| part.words.clone());
                let below = words.map(|words| Line { words, ..Line::default() }).collect();
                Line { part: Some(first.clone()), below, ..Line::default() }
            }
        };
        List { title: title.to_owned(), lines: lines.into_iter().map(line).collect() }
    }
}

impl Line {
    pub fn of(part: &Part) -> Line {
        let words = if part.words == part.text { String::new() } else { part.words.clone() };
        Line { words, part: Some(part.clone()), ..Line::default() }
    }
}
