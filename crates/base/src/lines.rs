//! Byte offsets in a text as lines and columns, and back.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// A line and a byte column, both from 1, as clingo counts them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Position {
    pub line: usize,
    pub column: usize,
}

/// The lines of a text; each ends with a newline, which belongs to it, or with the text.
#[derive(Debug, Clone)]
pub struct LineIndex {
    /// The byte offset at which each line begins.
    starts: Vec<usize>,
    /// Length of the text in bytes.
    length: usize,
}

impl Default for LineIndex {
    fn default() -> Self {
        LineIndex::new("")
    }
}

impl LineIndex {
    pub fn new(text: &str) -> Self {
        let newlines = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let starts = std::iter::once(0).chain(newlines.map(|(newline, _)| newline + 1)).collect();
        LineIndex { starts, length: text.len() }
    }

    /// Number of lines. A text that ends with a newline has an empty last line.
    pub fn count(&self) -> usize {
        self.starts.len()
    }

    /// Returns the position of a byte offset; an offset beyond the text counts as its end.
    pub fn position(&self, offset: usize) -> Position {
        let offset = offset.min(self.length);
        let line = self.starts.partition_point(|&start| start <= offset);
        Position { line, column: offset - self.starts[line - 1] + 1 }
    }

    /// Returns the byte offset of a position. The column is not checked against the length of the
    /// line; a line beyond the text begins at its end.
    pub fn offset(&self, position: Position) -> usize {
        self.start(position.line) + position.column.saturating_sub(1)
    }

    /// Returns the byte range of a line without its newline. A line beyond the text is empty.
    pub fn range(&self, line: usize) -> Range<usize> {
        self.start(line)..self.starts.get(line).map_or(self.length, |next| next - 1)
    }

    fn start(&self, line: usize) -> usize {
        self.starts.get(line.saturating_sub(1)).copied().unwrap_or(self.length)
    }
}

/// Returns the number of UTF-16 units of a line before a byte column, from 0. The column is rounded
/// down to a character.
pub fn utf16_column(line: &str, column: usize) -> usize {
    let before = &line[..line.floor_char_boundary(column.saturating_sub(1).min(line.len()))];
    if before.is_ascii() { before.len() } else { before.encode_utf16().count() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_and_offsets_are_inverse() {
        for text in ["", "a", "a\n", "a\n\nbc\r\nd", "é\n𝄞x"] {
            let lines = LineIndex::new(text);
            assert_eq!(lines.count(), text.split('\n').count());
            for offset in 0..=text.len() {
                let position = lines.position(offset);
                assert_eq!(lines.offset(position), offset, "{text:?}");
                assert_eq!(position.line, text.as_bytes()[..offset].split(|&byte| byte == b'\n').count());
            }
            for (number, line) in text.split('\n').enumerate() {
                assert_eq!(&text[lines.range(number + 1)], line);
            }
            assert!(lines.range(lines.count() + 1).is_empty());
        }
    }
}
