//! JSON values with their positions: each is parsed by itself, from its part of the text.

use std::ops::Range;

use base::diagnostic::{Code, Diagnostic, Failure, Place};
use base::document::{Document, Notation};
use base::lines::{LineIndex, Position};
use serde::Deserialize;
use serde_json::value::RawValue;

/// Parses the document.
pub fn read<'a, T: Deserialize<'a>>(document: &'a Document) -> Result<T, Failure> {
    serde_json::from_str(&document.text).map_err(|error| {
        let position = Position { line: error.line(), column: error.column() };
        let offset = LineIndex::new(&document.text).offset(position).min(document.text.len());
        let offset = document.text.floor_char_boundary(offset);
        let text = error.to_string();
        let text = text.rsplit_once(" at line ").map_or(text.as_str(), |(text, _)| text);
        let what = if error.is_data() { text.to_owned() } else { format!("not JSON: {text}") };
        error_at(document, what, offset..offset)
    })
}

/// The share of `keys` that occur in a JSON document; 0 for other documents.
pub fn share_of_keys(document: &Document, keys: &[&str]) -> f64 {
    let occurs = |key: &&&str| document.text.contains(&format!("\"{key}\""));
    let is_json = document.notation() == Notation::Json;
    if is_json { keys.iter().filter(occurs).count() as f64 / keys.len() as f64 } else { 0.0 }
}

/// The values of a list, or a single value.
pub fn one_or_many(value: &RawValue) -> Vec<&RawValue> {
    serde_json::from_str(value.get()).unwrap_or_else(|_| vec![value])
}

/// The values of a list; `None` for other values.
pub fn list(value: &RawValue) -> Option<Vec<&RawValue>> {
    serde_json::from_str(value.get()).ok()
}

/// Parses a value as `T`.
pub fn value<'a, T: Deserialize<'a>>(value: &'a RawValue) -> Option<T> {
    serde_json::from_str(value.get()).ok()
}

/// The byte range of a value in the document.
pub fn range(document: &Document, value: &RawValue) -> Range<usize> {
    let begin = (value.get().as_ptr() as usize).saturating_sub(document.text.as_ptr() as usize);
    begin..begin + value.get().len()
}

/// The byte range of the key of a value.
pub fn range_of_key(document: &Document, key: &str, value: &RawValue) -> Range<usize> {
    let end = range(document, value).start;
    let begin = document.text[..end].rfind(&format!("\"{key}\"")).unwrap_or(end);
    begin..end.min(begin + key.len() + 2)
}

/// An error about a value.
pub fn error_at_value(document: &Document, what: String, value: &RawValue) -> Failure {
    error_at(document, what, range(document, value))
}

pub fn error_at(document: &Document, what: String, range: Range<usize>) -> Failure {
    Diagnostic::error(Code::InvalidJson, what).at(Some(Place::of_range(&document.name, &document.text, range))).into()
}
