//! A cursor over the characters of a link or a game id.

use std::ops::Range;

use super::board::SpanError;

/// A cursor over the characters of a text.
pub struct Cursor<'a> {
    /// Each character with its byte range in the document.
    pub characters: &'a [(Range<usize>, char)],
    pub at: usize,
}

impl Cursor<'_> {
    pub fn peek(&self) -> Option<char> {
        self.characters.get(self.at).map(|&(_, character)| character)
    }

    pub fn next(&mut self, expected: &str) -> Result<char, SpanError> {
        let next = self.peek().ok_or_else(|| self.expected(self.at, expected))?;
        self.at += 1;
        Ok(next)
    }

    pub fn skip(&mut self, character: char) -> bool {
        let is_next = self.peek() == Some(character);
        self.at += usize::from(is_next);
        is_next
    }

    /// Skips a character that must come next.
    pub fn expect(&mut self, character: char) -> Result<(), SpanError> {
        if self.skip(character) { Ok(()) } else { Err(self.expected(self.at, &format!("`{character}`"))) }
    }

    /// Reads a digit that is not a capital letter. `expected` describes it for errors.
    pub fn digit(&mut self, radix: u32, expected: &str) -> Result<u32, SpanError> {
        let digit = self.next(expected)?;
        let value = digit.to_digit(radix).filter(|_| !digit.is_ascii_uppercase());
        value.ok_or_else(|| self.expected(self.at - 1, expected))
    }

    /// Reads a number of `count` digits.
    pub fn digits(&mut self, count: usize, radix: u32) -> Result<i32, SpanError> {
        (0..count).try_fold(0, |number, _| {
            let expected = format!("a digit in base {radix}");
            let digit = self.next(&expected)?.to_digit(radix);
            let digit = digit.ok_or_else(|| self.expected(self.at - 1, &expected))?;
            Ok(number * radix as i32 + digit as i32)
        })
    }

    /// Reads a decimal number of any length.
    pub fn decimal(&mut self) -> Result<usize, SpanError> {
        let begin = self.at;
        while self.peek().is_some_and(|digit| digit.is_ascii_digit()) {
            self.at += 1;
        }
        let digits: String = self.characters[begin..self.at].iter().map(|&(_, digit)| digit).collect();
        if digits.is_empty() {
            return Err(self.expected(begin, "a number"));
        }
        let number = digits.parse().ok().filter(|&number| number <= i32::MAX as usize);
        number.ok_or_else(|| self.wrong(begin, "begins a number that is too large"))
    }

    /// Creates an error "character 12: expected X, found `y`", or a similar one if `at` is the end
    /// of the text.
    pub fn expected(&self, at: usize, what: &str) -> SpanError {
        match self.characters.get(at) {
            Some((range, character)) => {
                (format!("character {}: expected {what}, found `{character}`", at + 1), range.clone())
            }
            None => {
                let end = self.characters.last().map_or(0, |(range, _)| range.end);
                (format!("the text ends at character {}: expected {what}", self.characters.len()), end..end)
            }
        }
    }

    /// Creates an error "character 12, `x`, {what}", or a similar one if `at` is the end of the
    /// text.
    pub fn wrong(&self, at: usize, what: &str) -> SpanError {
        match self.characters.get(at) {
            Some((range, character)) => (format!("character {}, `{character}`, {what}", at + 1), range.clone()),
            None => {
                let end = self.characters.last().map_or(0, |(range, _)| range.end);
                (format!("the text ends at character {}, {what}", self.characters.len()), end..end)
            }
        }
    }
}
