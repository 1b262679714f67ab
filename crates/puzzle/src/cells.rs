//! Scanner for pasted grids, with any separators between cells and around rows.
//!
//! ```text
//!   1 2 3      +---+---+---+     [[1, 2, 3],      board: 1, 2, 3 / 8, ., 4 / 7, 6, 5
//!   8 . 4      | 1 | 2 | 3 |      [8, 0, 4],      % A comment.
//!   7 6 5      | 8 |   | 4 |      [7, 6, 5]]      # Another comment: `#` before words.
//! ```
//!
//! The scanner is independent of the puzzle: a cell is a piece of text with its position. Cells are
//! separated by blanks, commas, bars, quotes and brackets; a row ends with its line, a slash, a
//! semicolon or, inside brackets, with its bracket.

use std::ops::Range;

use base::diagnostic::{Code, Diagnostic, Place};
use base::document::Document;

/// A piece of the text with its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token<'a> {
    pub text: &'a str,
    pub range: Range<usize>,
}

/// An element of a scanned text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mark<'a> {
    /// A cell; empty for blanks between two bars, and for empty quotes.
    Cell(Token<'a>),
    /// The words before a colon or an equals sign
    Label(Token<'a>),
    /// The end of a row, or a change of the bracket level.
    Row,
    /// The end of a board: a blank line, two slashes, or the outermost closing bracket of nested
    /// brackets.
    Board,
}

/// Returns the trimmed lines of a text with their byte offsets, without quotation marks of emails
/// (`>`), code fences and comments. Blank lines remain, because they separate boards; lines that
/// contain only a comment are skipped.
pub fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut offset = 0;
    text.split_inclusive('\n').filter_map(move |line| {
        let begin = offset;
        offset += line.len();
        let inside = line.trim_start_matches(|character: char| character == '>' || character.is_whitespace());
        let code = without_comment(inside).trim_end();
        let is_fence = code.starts_with("```") || code.starts_with("~~~");
        let is_kept = inside.is_empty() || !code.is_empty() && !is_fence;
        is_kept.then_some((begin + line.len() - inside.len(), code))
    })
}

/// Removes a comment. A comment begins with a `%` after a blank, or with a `#` before words (`#`
/// alone may be a cell or a wall). "(1.5 %)" contains no comment.
fn without_comment(line: &str) -> &str {
    let has_words = has_word(line);
    if !has_words && !line.contains('%') {
        return line;
    }
    let begins_comment = |&(at, mark): &(usize, &str)| {
        let follows_blank = line[..at].chars().next_back().is_none_or(char::is_whitespace);
        let rest = &line[at + 1..];
        follows_blank
            && match mark {
                "%" => !rest.starts_with([')', '.', ',', ';']),
                _ => has_words && !line.ends_with('#') && has_word(rest),
            }
    };
    line.match_indices(['%', '#']).find(begins_comment).map_or(line, |(at, _)| &line[..at])
}

/// Returns true if `text` contains a word of at least three letters, not all of which can be cells.
pub fn has_word(text: &str) -> bool {
    const CELL_LETTERS: &str = "fmoxFMOX";
    text.split(|character: char| !character.is_alphabetic())
        .any(|word| word.chars().nth(2).is_some() && word.chars().any(|letter| !CELL_LETTERS.contains(letter)))
}

/// Passes the elements of `text` to `put` until it returns false.
pub fn scan<'a>(text: &'a str, put: &mut dyn FnMut(Mark<'a>) -> bool) {
    let token = |range: Range<usize>| Token { text: &text[range.clone()], range };
    let mut depth = 0_usize;
    let mut deepest = 0;
    for (offset, line) in lines(text) {
        if line.is_empty() {
            if depth == 0 && !put(Mark::Board) {
                return;
            }
            continue;
        }
        if is_border(line) {
            continue;
        }
        let has_label = line.contains([':', '=']);
        let mut begin = None;
        let mut bar = None;
        let mut slash = None;
        let mut resume = 0;
        for (at, character) in line.char_indices().chain([(line.len(), '\n')]) {
            if at < resume {
                continue;
            }
            if !is_separator(character) {
                if begin.is_none()
                    && has_label
                    && let Some(length) = label(&line[at..])
                {
                    resume = at + length;
                    let name = line[at..resume].trim_end_matches([' ', '"', '\'', ':', '=']);
                    if !put(Mark::Label(token(offset + at..offset + at + name.len()))) {
                        return;
                    }
                } else if begin.is_none() {
                    begin = Some(at);
                }
                (bar, slash) = (None, None);
                continue;
            }
            if let Some(first) = begin.take()
                && !put(Mark::Cell(token(offset + first..offset + at)))
            {
                return;
            }
            let continues = match character {
                '|' | '│' | '┃' | '║' => match bar.replace(at + character.len_utf8()) {
                    Some(first) if first < at => put(Mark::Cell(token(offset + first..offset + at))),
                    _ => true,
                },
                '"' | '\'' if line[at + 1..].starts_with(character) => {
                    resume = at + 2;
                    put(Mark::Cell(token(offset + at + 1..offset + at + 1)))
                }
                '[' | '{' | '(' => {
                    depth += 1;
                    deepest = deepest.max(depth);
                    put(Mark::Row)
                }
                ']' | '}' | ')' => {
                    depth = depth.saturating_sub(1);
                    let ends_board = depth == 0 && std::mem::take(&mut deepest) > 1;
                    put(if ends_board { Mark::Board } else { Mark::Row })
                }
                '/' if slash == Some(at) => put(Mark::Board),
                '/' | ';' => {
                    slash = Some(at + 1);
                    put(Mark::Row)
                }
                '\n' if depth == 0 => put(Mark::Row),
                _ => true,
            };
            if !continues {
                return;
            }
        }
    }
}

fn is_separator(character: char) -> bool {
    character.is_whitespace()
        || matches!(character, ',' | ';' | '|' | '/' | '"' | '\'' | ':' | '=' | '[' | ']' | '{' | '}' | '(' | ')')
        || matches!(character, '\u{2500}'..='\u{257F}')
}

/// Returns the length of the label (a name with its colon or equals sign) with which the text
/// begins.
fn label(text: &str) -> Option<usize> {
    const MAX_BYTES: usize = 100;
    let end = text[..text.floor_char_boundary(MAX_BYTES)].find([':', '='])?;
    let name = text[..end].trim_end().trim_end_matches(['"', '\'']);
    let is_allowed = |character: char| character.is_alphanumeric() || matches!(character, ' ' | '_' | '-' | '[' | ']');
    (name.contains(char::is_alphabetic) && name.chars().all(is_allowed)).then_some(end + 1)
}

/// Returns true for a line between rows: `+---+---+`, `|---|:-:|`, `=====`, or box-drawing
/// characters.
fn is_border(line: &str) -> bool {
    let is_part = |character: char| matches!(character, '+' | '-' | '=' | '|' | ':' | ' ' | '\u{2500}'..='\u{257F}');
    let has = |parts: [&str; 2]| parts.iter().all(|part| line.contains(part));
    line.chars().all(is_part)
        && (has(["+", "-"]) || has(["|", "--"]) || ["==", "──", "━━", "══"].iter().any(|run| line.contains(run)))
}

/// Creates an error about a range of a board's text.
pub fn error_at(document: &Document, what: impl Into<String>, range: &Range<usize>) -> Diagnostic {
    let place = Place::of_range(&document.name, &document.text, range.clone());
    Diagnostic::error(Code::InvalidInstance, what).at(Some(place))
}

/// Returns the fraction of non-blank characters that satisfy `is_sign`, from 0 to 1. Only the
/// beginning of a long text is examined.
pub fn share(text: &str, is_sign: impl Fn(char) -> bool) -> f64 {
    const MAX_CHARS: usize = 10_000;
    let signs = || {
        lines(text).flat_map(|(_, line)| line.chars()).filter(|character| !character.is_whitespace()).take(MAX_CHARS)
    };
    signs().filter(|&sign| is_sign(sign)).count() as f64 / signs().count().max(1) as f64
}
