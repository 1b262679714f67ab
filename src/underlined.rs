//! Lines of source, with places in them underlined.

use std::borrow::Cow;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Element, Snippet};

use crate::diagnostic::Place;
use crate::words::shown;

/// A range over more lines is shown by its first line.
const MOST_LINES: usize = 8;
/// A text that quotes more of the input than this is cut in the middle: what stands around a quotation says what is wrong.
const MOST_BYTES: usize = 1200;
const LAST_BYTES: usize = 300;
const MOST_UNDERLINED: usize = 400;

/// Some lines of a file, and the places in them. Without text, where the file cannot be read any more.
pub struct Window<'a> {
    pub text: String,
    first_line: usize,
    last_line: usize,
    pub places: Vec<&'a Place>,
}

/// Places that stand close together share a window.
pub fn windows<'t>(places: &[Place], text_of: impl Fn(&Place) -> Option<Cow<'t, str>>) -> Vec<Window<'_>> {
    let mut windows: Vec<Window<'_>> = Vec::new();
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
        if let Some(text) = text_of(window.places[0]) {
            let lines =
                text.split_inclusive('\n').skip(window.first_line - 1).take(window.last_line - window.first_line + 1);
            window.text = lines.collect();
        }
    }
    windows
}

impl Window<'_> {
    /// The places that are not `primary` are marked as what helps to understand those that are.
    pub fn element(&self, is_primary: impl Fn(&Place) -> bool) -> Element<'_> {
        let path = shown(&self.places[0].file);
        let mut snippet = Snippet::source(self.text.as_str()).path(path).line_start(self.first_line);
        for place in &self.places {
            let kind = if is_primary(place) { AnnotationKind::Primary } else { AnnotationKind::Context };
            let annotation = kind.span(self.range_of(place));
            snippet = snippet.annotation(if place.label.is_empty() {
                annotation
            } else {
                annotation.label(shown(&cut(&place.label)))
            });
        }
        snippet.into()
    }

    /// The bytes of a place in the window's text.
    pub fn range_of(&self, place: &Place) -> Range<usize> {
        let start = self.offset_of(place.start.line, place.start.column);
        let end = if place.end.line <= self.last_line {
            self.offset_of(place.end.line, place.end.column)
        } else {
            self.end_of_line(place.start.line)
        };
        start..self.text.floor_char_boundary(end.clamp(start, start + MOST_UNDERLINED))
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

/// A text without the middle, if it is very long.
pub fn cut(text: &str) -> Cow<'_, str> {
    if text.len() <= MOST_BYTES {
        return text.into();
    }
    let first = text.floor_char_boundary(MOST_BYTES - LAST_BYTES);
    let last = text.ceil_char_boundary(text.len() - LAST_BYTES);
    format!("{}… ({} bytes) …{}", &text[..first], last - first, &text[last..]).into()
}
