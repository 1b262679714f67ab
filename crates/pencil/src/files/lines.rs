//! The lines and words of a file, and addresses that contain one.

use std::ops::Range;

use super::super::board::SpanError;
use super::super::lines::{self, TextLine, unescaped_characters};

/// The first line of a file, without the version.
const FIRST: &str = "pzprv3";

/// A word of a file and its byte range in the document.
#[derive(Debug, Clone)]
pub(super) struct FileWord {
    pub text: String,
    pub range: Range<usize>,
}

/// A cursor over the lines of a file. Only spaces and tabs separate words.
pub struct FileText {
    /// The number after `pzprv3.`, or 0.
    pub(super) version: u32,
    /// The name of the type.
    pub name: String,
    /// The number of rows, then the number of columns if the file has one.
    lines: Vec<Vec<FileWord>>,
    at: usize,
    /// Rules of a variant, `v:…`, which come before the first line.
    pub(super) variant: Option<FileWord>,
    end: usize,
}

impl FileText {
    /// Reads the first lines of a file. Returns `None` if the text is something else.
    pub fn of(text: &str) -> Option<FileText> {
        let characters = file_characters(text)?;
        let end = characters.last().map_or(0, |(range, _)| range.end);
        let mut lines = split_lines(&characters).into_iter().take_while(|line| !is_history(line));
        let mut first = lines.next()?.into_iter().next()?;
        let mut variant = None;
        if first.text.starts_with("v:") {
            variant = Some(first);
            first = lines.next()?.into_iter().next()?;
        }
        let rest = first.text.strip_prefix(FIRST)?;
        let version = match rest.strip_prefix('.') {
            Some(version) => version.parse().ok()?,
            None => rest.is_empty().then_some(0)?,
        };
        let name = lines.next()?.into_iter().next()?.text;
        let mut lines: Vec<_> = lines.collect();
        while lines.last().is_some_and(Vec::is_empty) {
            lines.pop();
        }
        Some(FileText { version, name, lines, at: 0, variant, end })
    }

    /// Returns true if no line with words is left.
    pub(super) fn is_at_end(&self) -> bool {
        self.lines[self.at.min(self.lines.len())..].iter().all(Vec::is_empty)
    }

    /// Returns the next line without advancing.
    pub(super) fn peek(&self) -> Option<&[FileWord]> {
        self.lines.get(self.at).map(Vec::as_slice)
    }

    pub(super) fn line(&mut self, what: &str) -> Result<&[FileWord], SpanError> {
        let end = self.end;
        self.at += 1;
        let line = self.lines.get(self.at - 1);
        line.map(Vec::as_slice).ok_or_else(|| (format!("the file ends here: expected {what}"), end..end))
    }

    /// Reads a line with a single word.
    pub(super) fn word(&mut self, what: &str) -> Result<FileWord, SpanError> {
        let end = self.end;
        match self.line(what)? {
            [word] => Ok(word.clone()),
            [] => Err((format!("expected {what}, found an empty line"), end..end)),
            [_, second, ..] => Err((format!("expected {what} alone on its line"), second.range.clone())),
        }
    }

    /// Reads a line with a number from 0.
    pub(super) fn number(&mut self, what: &str) -> Result<i32, SpanError> {
        let word = self.word(what)?;
        let number = word.text.parse().ok().filter(|number: &i32| *number >= 0);
        number.ok_or_else(|| (format!("expected {what}, found `{}`", word.text), word.range))
    }

    /// Reads a line of `count` words, or of `count` characters.
    pub(super) fn row(&mut self, count: usize, is_dense: bool) -> Result<Vec<FileWord>, SpanError> {
        let end = self.end;
        if count == 0 && self.at >= self.lines.len() {
            return Ok(Vec::new());
        }
        let noun = if is_dense { "characters" } else { "words" };
        let line = self.line(&format!("a line of {count} {noun}"))?;
        let words: Vec<FileWord> = if is_dense { line.iter().flat_map(characters_of).collect() } else { line.to_vec() };
        if words.len() == count {
            return Ok(words);
        }
        let range = match (words.first(), words.get(count)) {
            (_, Some(extra)) => extra.range.clone(),
            (Some(first), None) => first.range.start..words[words.len() - 1].range.end,
            (None, None) => end..end,
        };
        Err((format!("expected a line of {count} {noun}, found {}", words.len()), range))
    }

    pub(super) fn skip_rest(&mut self) {
        self.at = self.lines.len();
    }

    /// Fails if a line with words is left.
    pub(super) fn expect_end(&self) -> Result<(), SpanError> {
        let left = self.lines.iter().skip(self.at).flatten().next();
        match left {
            Some(word) => {
                Err((format!("`{}` comes after the last section of the file", word.text), word.range.clone()))
            }
            None => Ok(()),
        }
    }
}

/// Returns the name of the type if a text begins as a file does.
pub fn file_type(text: &str) -> Option<String> {
    /// The first lines are in this number of bytes.
    const MAX_HEAD: usize = 1 << 10;
    let text = without_comments(text);
    FileText::of(&text[..text.floor_char_boundary(MAX_HEAD)]).map(|file| file.name)
}

/// Returns the characters of a file. Returns `None` if the text is something else.
fn file_characters(text: &str) -> Option<Vec<(Range<usize>, char)>> {
    let start = text.len() - without_comments(text).len();
    let head = &text[start..start + text[start..].find(['\n', '/']).unwrap_or(text.len() - start)];
    if head.starts_with(FIRST) || head.starts_with("v:") && text[start..].contains(FIRST) {
        let characters = text[start..].char_indices();
        return Some(characters.map(|(at, sign)| (start + at..start + at + sign.len_utf8(), sign)).collect());
    }
    // An address.
    if !text.contains("://") || !text.contains(FIRST) {
        return None;
    }
    let line @ TextLine { text, .. } = lines::one_line(text)?;
    let at = text.find(FIRST).filter(|&at| text[..at].ends_with(['?', '&']))?;
    Some(with_spaces(unescaped_characters(line.part(&text[at..]))))
}

/// Returns a text without blank lines, comments and a code fence at its beginning.
fn without_comments(text: &str) -> &str {
    let mut rest = text.trim_start();
    while rest.starts_with('%') || rest.starts_with("```") {
        rest = rest.find('\n').map_or("", |end| rest[end..].trim_start());
    }
    rest
}

/// Replaces each `%20` by a space.
fn with_spaces(characters: Vec<(Range<usize>, char)>) -> Vec<(Range<usize>, char)> {
    let mut spaced: Vec<(Range<usize>, char)> = Vec::with_capacity(characters.len());
    for (range, character) in characters {
        spaced.push((range, character));
        if let [.., (begin, '%'), (_, '2'), (end, '0')] = &spaced[..] {
            let whole = begin.start..end.end;
            spaced.truncate(spaced.len() - 3);
            spaced.push((whole, ' '));
        }
    }
    spaced
}

/// Splits characters into lines of words. A slash ends a line, too.
fn split_lines(characters: &[(Range<usize>, char)]) -> Vec<Vec<FileWord>> {
    let lines = characters.split(|(_, character)| matches!(character, '\n' | '/'));
    let words = |line: &[(Range<usize>, char)]| {
        let words = line.split(|(_, character)| character.is_whitespace()).filter(|word| !word.is_empty());
        let word = |word: &[(Range<usize>, char)]| FileWord {
            text: word.iter().map(|&(_, character)| character).collect(),
            range: word[0].0.start..word[word.len() - 1].0.end,
        };
        words.map(word).collect()
    };
    lines.map(words).collect()
}

/// Returns true for the first line after the board: the board before a trial, the moves, other data about the puzzle, the
/// address that old files end with, or a code fence.
fn is_history(line: &[FileWord]) -> bool {
    const BEGINS: [&str; 7] = ["TrialData", "info:", "history:", "__HISTORY__", "http:", "https:", "```"];
    line.first().is_some_and(|word| BEGINS.iter().any(|begin| word.text.starts_with(begin)))
}

fn characters_of(word: &FileWord) -> impl Iterator<Item = FileWord> {
    let start = word.range.start;
    word.text.char_indices().map(move |(at, character)| FileWord {
        text: character.to_string(),
        range: start + at..start + at + character.len_utf8(),
    })
}
