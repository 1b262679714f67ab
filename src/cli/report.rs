//! Messages on standard error, each with the line of source that it is about, underlined.

use std::borrow::Cow;
use std::collections::HashSet;

use annotate_snippets::{AnnotationKind, Element, Group, Level as Shown, Renderer, Snippet};

use super::input;
use crate::diagnostic::{Diagnostic, Level, Place};
use crate::document::Document;

/// More messages than this are counted, not shown.
const MOST: usize = 20;
/// A range over more lines is shown by its first line.
const MOST_LINES: usize = 8;

/// Prints messages, errors last, each once.
pub fn print(diagnostics: &[Diagnostic], documents: &[Document], color: bool) {
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let mut seen = HashSet::new();
    let mut shown: Vec<&Diagnostic> = diagnostics.iter().filter(|diagnostic| seen.insert(diagnostic.to_string())).collect();
    shown.sort_by_key(|diagnostic| diagnostic.level);
    let dropped = shown.len().saturating_sub(MOST);
    for diagnostic in shown.iter().skip(dropped) {
        anstream::eprintln!("{}", render(diagnostic, documents, &renderer));
    }
    if dropped > 0 {
        eprintln!("… and {dropped} more messages");
    }
}

fn render(diagnostic: &Diagnostic, documents: &[Document], renderer: &Renderer) -> String {
    let level = match diagnostic.level {
        Level::Error => Shown::ERROR,
        Level::Warning | Level::Info => Shown::WARNING,
    };
    let windows: Vec<(&Place, Option<Window<'_>>)> = diagnostic.places.iter().map(|place| (place, Window::of(place, documents))).collect();
    // Control characters and the like are replaced by the renderer's own rules; the title is one line.
    let title = diagnostic.text.replace('\n', " ");
    let mut elements: Vec<Element<'_>> = Vec::new();
    for (index, (place, window)) in windows.iter().enumerate() {
        match window {
            Some(window) => {
                let kind = if index == 0 { AnnotationKind::Primary } else { AnnotationKind::Context };
                let annotation = kind.span(window.start..window.end);
                let annotation = if place.label.is_empty() { annotation } else { annotation.label(place.label.as_str()) };
                let snippet = Snippet::source(window.text.as_ref()).path(place.file.as_str()).line_start(window.line).annotation(annotation);
                elements.push(snippet.into());
            }
            None => {
                let origin = annotate_snippets::Origin::path(place.file.as_str()).line(place.start.line).char_column(place.start.column);
                elements.push(origin.into());
            }
        }
    }
    if let Some(help) = &diagnostic.help {
        elements.push(Shown::HELP.message(help.as_str()).into());
    }
    let group = Group::with_title(level.primary_title(title)).elements(elements);
    renderer.render(&[group])
}

/// The lines that a place is about, and the bytes in them to underline.
struct Window<'a> {
    text: Cow<'a, str>,
    line: usize,
    start: usize,
    end: usize,
}

impl<'a> Window<'a> {
    fn of(place: &Place, documents: &'a [Document]) -> Option<Self> {
        let text = input::text_of(place, documents)?;
        let lines = if place.end.line - place.start.line.min(place.end.line) < MOST_LINES { place.end.line } else { place.start.line };
        let mut begin = None;
        let mut last = 0;
        let mut offset = 0;
        for (index, line) in text.split_inclusive('\n').enumerate() {
            let number = index + 1;
            if number == place.start.line {
                begin = Some(offset);
            }
            offset += line.len();
            if number == lines {
                last = offset;
                break;
            }
        }
        // An error at the end of the input stands one line after the last.
        let (begin, last) = match begin {
            Some(begin) => (begin, last.max(begin)),
            None => (text.len(), text.len()),
        };
        let window = text.get(begin..last)?;
        let offset_of = |line: usize, column: usize| {
            let start = window.split_inclusive('\n').take(line - place.start.line).map(str::len).sum::<usize>();
            floor(window, start + column - 1)
        };
        let start = offset_of(place.start.line, place.start.column);
        let end = if lines == place.end.line { offset_of(place.end.line, place.end.column) } else { window.trim_end().len() };
        let end = end.max(start);
        let owned = match &text {
            Cow::Borrowed(text) => Cow::Borrowed(&text[begin..last]),
            Cow::Owned(text) => Cow::Owned(text[begin..last].to_owned()),
        };
        Some(Window { text: owned, line: place.start.line, start, end })
    }
}

/// The nearest character boundary at or before a byte.
fn floor(text: &str, mut at: usize) -> usize {
    at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
