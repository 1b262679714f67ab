//! Source excerpts with underlined ranges.

use std::borrow::Cow;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Element, Snippet};

use crate::diagnostic::Place;
use crate::lines::{LineIndex, Position};
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
        let lines = LineIndex::new(&self.text);
        let offset = |position: Position| {
            let line = position.line - self.first_line + 1;
            self.text.floor_char_boundary(lines.offset(Position { line, ..position }))
        };
        let start = offset(place.start);
        let end = if place.end.line <= self.last_line {
            offset(place.end)
        } else {
            let line = lines.range(place.start.line - self.first_line + 1);
            line.start + self.text[line].trim_end().len()
        };
        start..self.text.floor_char_boundary(end.clamp(start, start + MAX_UNDERLINED))
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
