//! Source excerpts with underlined ranges.

use std::borrow::Cow;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Element, Snippet};

use crate::diagnostic::Place;
use crate::words::sanitize;

/// Of a range that spans more lines than this, only the first line is shown.
const MAX_LINES: usize = 8;
/// Longer labels are elided in the middle, because the text around a long quotation names the
/// problem.
const MAX_BYTES: usize = 1200;
/// Number of bytes that are kept at the end of an elided label.
const LAST_BYTES: usize = 300;
/// Maximum length of an underlined range in bytes.
const MAX_UNDERLINED: usize = 400;

/// Consecutive lines of a file and the places in them. The text is empty if the file is no longer
/// readable.
pub struct Excerpt<'a> {
    pub text: String,
    first_line: usize,
    last_line: usize,
    pub places: Vec<&'a Place>,
}

/// Groups places into excerpts; nearby places share an excerpt.
pub fn excerpts<'t>(places: &[Place], text_of: impl Fn(&Place) -> Option<Cow<'t, str>>) -> Vec<Excerpt<'_>> {
    let mut excerpts: Vec<Excerpt<'_>> = Vec::new();
    for place in places {
        let is_long = place.end.line.saturating_sub(place.start.line) >= MAX_LINES;
        let (first, last) =
            (place.start.line, if is_long { place.start.line } else { place.end.line.max(place.start.line) });
        let near = excerpts.iter_mut().find(|excerpt| {
            excerpt.places[0].file == place.file
                && excerpt.first_line.max(first) - excerpt.last_line.min(last).min(first) < MAX_LINES
        });
        match near {
            Some(excerpt) => {
                excerpt.first_line = excerpt.first_line.min(first);
                excerpt.last_line = excerpt.last_line.max(last);
                excerpt.places.push(place);
            }
            None => {
                excerpts.push(Excerpt { text: String::new(), first_line: first, last_line: last, places: vec![place] })
            }
        }
    }
    for excerpt in &mut excerpts {
        if let Some(text) = text_of(excerpt.places[0]) {
            let lines = text
                .split_inclusive('\n')
                .skip(excerpt.first_line - 1)
                .take(excerpt.last_line - excerpt.first_line + 1);
            excerpt.text = lines.collect();
        }
    }
    excerpts
}

impl Excerpt<'_> {
    /// Converts the excerpt for rendering. Places that are not primary are marked as context.
    pub fn element(&self, is_primary: impl Fn(&Place) -> bool) -> Element<'_> {
        let path = sanitize(&self.places[0].file);
        let mut snippet = Snippet::source(self.text.as_str()).path(path).line_start(self.first_line);
        for place in &self.places {
            let kind = if is_primary(place) { AnnotationKind::Primary } else { AnnotationKind::Context };
            let annotation = kind.span(self.range_of(place));
            snippet = snippet.annotation(if place.label.is_empty() {
                annotation
            } else {
                annotation.label(sanitize(&elide_middle(&place.label)))
            });
        }
        snippet.into()
    }

    /// The byte range of a place in the excerpt's text.
    pub fn range_of(&self, place: &Place) -> Range<usize> {
        let start = self.offset_of(place.start.line, place.start.column);
        let end = if place.end.line <= self.last_line {
            self.offset_of(place.end.line, place.end.column)
        } else {
            self.end_of_line(place.start.line)
        };
        start..self.text.floor_char_boundary(end.clamp(start, start + MAX_UNDERLINED))
    }

    /// The byte offset of a position, rounded down to a character boundary.
    fn offset_of(&self, line: usize, column: usize) -> usize {
        let before: usize = self.text.split_inclusive('\n').take(line - self.first_line).map(str::len).sum();
        self.text.floor_char_boundary(before + column.saturating_sub(1))
    }

    fn end_of_line(&self, line: usize) -> usize {
        let before: usize = self.text.split_inclusive('\n').take(line - self.first_line + 1).map(str::len).sum();
        self.text[..before].trim_end().len()
    }
}

/// Replaces the middle of a very long text by its length.
pub fn elide_middle(text: &str) -> Cow<'_, str> {
    if text.len() <= MAX_BYTES {
        return text.into();
    }
    let first = text.floor_char_boundary(MAX_BYTES - LAST_BYTES);
    let last = text.ceil_char_boundary(text.len() - LAST_BYTES);
    format!("{}… ({} bytes) …{}", &text[..first], last - first, &text[last..]).into()
}
