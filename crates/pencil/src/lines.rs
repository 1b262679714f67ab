//! The lines of texts, and addresses in a single line.

use std::ops::Range;

use base::words::normalised;

use super::board::MAX_BYTES;

/// A line of a text, or a part of a line, and its byte offset.
#[derive(Clone, Copy)]
pub struct TextLine<'a> {
    pub offset: usize,
    pub text: &'a str,
}

impl<'a> TextLine<'a> {
    pub fn range(&self) -> Range<usize> {
        self.offset..self.offset + self.text.len()
    }

    /// Returns `text`, which must be a slice of the line, with its offset.
    pub fn part(self, text: &'a str) -> TextLine<'a> {
        TextLine { offset: self.offset + (text.as_ptr() as usize - self.text.as_ptr() as usize), text }
    }

    pub fn trimmed(self) -> TextLine<'a> {
        self.part(self.text.trim_start())
    }

    /// Returns the pieces between the characters for which `is_gap` is true.
    pub fn split(self, is_gap: impl Fn(char) -> bool) -> impl Iterator<Item = TextLine<'a>> {
        self.text.split(is_gap).map(move |piece| self.part(piece))
    }

    /// Returns each character of the line.
    pub fn characters(self) -> impl Iterator<Item = TextLine<'a>> {
        self.text.char_indices().map(move |(at, sign)| self.part(&self.text[at..at + sign.len_utf8()]))
    }

    /// Returns the words of the line.
    pub fn words(self) -> impl Iterator<Item = TextLine<'a>> {
        self.cells(false)
    }

    /// Returns the words of the line. If `is_barred`, bars separate words too.
    pub fn cells(self, is_barred: bool) -> impl Iterator<Item = TextLine<'a>> {
        let is_gap = move |sign: char| sign.is_whitespace() || is_barred && sign == '|';
        self.split(is_gap).filter(|word| !word.text.is_empty())
    }
}

/// Returns the lines of a text without trailing blanks. Comments are left out.
pub fn lines(text: &str) -> impl Iterator<Item = TextLine<'_>> {
    let mut offset = 0;
    let all = text.split_inclusive('\n').map(move |line| {
        offset += line.len();
        TextLine { offset: offset - line.len(), text: line.trim_end() }
    });
    all.filter(|line| !line.text.trim_start().starts_with('%'))
}

/// Returns true if `text` can be the name of a header line or grid: the name of a predicate that is
/// longer than a character. (A single character is a clue.)
pub fn is_name(text: &str) -> bool {
    text.len() > 1
        && text.starts_with(|first: char| first.is_ascii_lowercase())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Returns the first line of a text as a normalised name, and the offset of the line, if it can be
/// the name of a puzzle: it has only letters, does not begin with the word `puzzle`, and is not the
/// only line.
pub fn title_line(text: &str) -> Option<(String, usize)> {
    const MAX_LENGTH: usize = 30;
    let mut lines = lines(text).filter(|line| !line.text.trim().is_empty());
    let line = lines.next().filter(|line| line.text.len() <= MAX_LENGTH)?;
    let words = line.text.trim().trim_end_matches([':', '.']);
    let fits = |sign: char| sign.is_ascii_alphabetic() || sign == ' ' || sign == '-';
    let name = normalised(words);
    let is_alone = words.chars().all(fits) && words.split_whitespace().next() != Some("puzzle");
    (is_alone && name.len() > 2 && lines.next().is_some()).then_some((name, line.offset))
}

/// Returns the line of a text with a single line, if it is short enough for a board and has no
/// blanks, or is an address such as `file:///C:/My Puzzles/p.html?…`.
pub fn only_line(text: &str) -> Option<TextLine<'_>> {
    one_line(text).filter(|line| !line.text.contains(char::is_whitespace) || scheme(line.text).is_some())
}

/// Returns the scheme of an address: `https` of `https://puzz.link`.
pub fn scheme(text: &str) -> Option<&str> {
    let (scheme, _) = text.split_once("://")?;
    (!scheme.is_empty() && scheme.bytes().all(|byte| byte.is_ascii_alphabetic())).then_some(scheme)
}

/// Returns the line of a text with a single line, if it is short enough for a board.
pub fn one_line(text: &str) -> Option<TextLine<'_>> {
    if text.len() > MAX_BYTES / 8 {
        return None;
    }
    let mut lines = lines(text).filter(|line| !line.text.trim().is_empty());
    let line = lines.next()?.trimmed();
    lines.next().is_none().then_some(line)
}

/// Decodes percent-encoded punctuation such as `%2B`. Returns each character with its range in the
/// document. Only punctuation is encoded in links; `%123` is a number in old links.
pub fn unescaped_characters(line: TextLine<'_>) -> Vec<(Range<usize>, char)> {
    let mut characters = Vec::with_capacity(line.text.len());
    let mut rest = line.text.char_indices();
    while let Some((at, mut character)) = rest.next() {
        let mut end = at + character.len_utf8();
        let digits = line.text.get(at + 1..at + 3).filter(|_| character == '%');
        let escaped = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()).map(char::from);
        if let Some(escaped) = escaped.filter(char::is_ascii_punctuation) {
            (character, end) = (escaped, end + 2);
            rest.nth(1);
        }
        characters.push((line.offset + at..line.offset + end, character));
    }
    characters
}
