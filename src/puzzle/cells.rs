//! Reads rows of cells as people write, print and paste them, with anything between the cells and around the rows.
//!
//! ```text
//!   1 2 3      +---+---+---+     [[1, 2, 3],      board: 1, 2, 3 / 8, ., 4 / 7, 6, 5
//!   8 . 4      | 1 | 2 | 3 |      [8, 0, 4],      % A comment.
//!   7 6 5      | 8 |   | 4 |      [7, 6, 5]]      # So is this: words after a mark that no row has there.
//! ```
//!
//! No puzzle is known here: a cell is a piece of text and where it stands. What sets cells apart are blanks, commas, bars,
//! quotes and brackets; a row ends with its line, a slash, a semicolon or, inside brackets, with its bracket.

use std::ops::Range;

/// A piece of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token<'a> {
    pub text: &'a str,
    pub range: Range<usize>,
}

/// What a text is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mark<'a> {
    /// Blank where nothing but blanks stands between two bars, or between quotes.
    Cell(Token<'a>),
    /// The words before a colon or an equals sign.
    Label(Token<'a>),
    /// A row is over, or another level of brackets begins.
    Row,
    /// A board is over: a blank line, two slashes, or the last bracket of several.
    Board,
}

/// Lines without blanks around them, marks of quoted mail, fences of code, and comments. A blank line stays, as it sets
/// boards apart; of a line with nothing but a comment nothing stays.
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

/// A comment begins with `%` after a blank, or with `#` where words follow: cells and walls are `#` as well. In "(1.5 %)" there is
/// none.
fn without_comment(line: &str) -> &str {
    let has_words = has_word(line);
    if !has_words && !line.contains('%') {
        return line;
    }
    let begins = |&(at, mark): &(usize, &str)| {
        let is_first = line[..at].chars().next_back().is_none_or(char::is_whitespace);
        let rest = &line[at + 1..];
        is_first
            && match mark {
                "%" => !rest.starts_with([')', '.', ',', ';']),
                _ => has_words && !line.ends_with('#') && has_word(rest),
            }
    };
    line.match_indices(['%', '#']).find(begins).map_or(line, |(at, _)| &line[..at])
}

/// Whether there are three letters in a row that are not all signs of cells.
pub fn has_word(text: &str) -> bool {
    const SIGNS: &str = "fmoxFMOX";
    text.split(|character: char| !character.is_alphabetic())
        .any(|word| word.chars().nth(2).is_some() && word.chars().any(|letter| !SIGNS.contains(letter)))
}

/// Hands out what the text is made of, until `put` says that it is enough.
pub fn scan<'a>(text: &'a str, put: &mut dyn FnMut(Mark<'a>) -> bool) {
    let token = |range: Range<usize>| Token { text: &text[range.clone()], range };
    let (mut depth, mut deepest) = (0_usize, 0);
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
        let (mut begin, mut bar, mut slash, mut resume) = (None, None, None, 0);
        for (at, character) in line.char_indices().chain([(line.len(), '\n')]) {
            if at < resume {
                continue;
            }
            if !sets_apart(character) {
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
            let goes_on = match character {
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
                    let is_whole = depth == 0 && std::mem::take(&mut deepest) > 1;
                    put(if is_whole { Mark::Board } else { Mark::Row })
                }
                '/' if slash == Some(at) => put(Mark::Board),
                '/' | ';' => {
                    slash = Some(at + 1);
                    put(Mark::Row)
                }
                '\n' if depth == 0 => put(Mark::Row),
                _ => true,
            };
            if !goes_on {
                return;
            }
        }
    }
}

fn sets_apart(character: char) -> bool {
    character.is_whitespace()
        || matches!(character, ',' | ';' | '|' | '/' | '"' | '\'' | ':' | '=' | '[' | ']' | '{' | '}' | '(' | ')')
        || matches!(character, '\u{2500}'..='\u{257F}')
}

/// The length of a name with its colon or equals sign, if the text begins with one.
fn label(text: &str) -> Option<usize> {
    const MOST: usize = 100;
    let end = text[..text.floor_char_boundary(MOST)].find([':', '='])?;
    let name = text[..end].trim_end().trim_end_matches(['"', '\'']);
    let fits = |character: char| character.is_alphanumeric() || matches!(character, ' ' | '_' | '-' | '[' | ']');
    (name.contains(char::is_alphabetic) && name.chars().all(fits)).then_some(end + 1)
}

/// A line between rows: `+---+---+`, `|---|:-:|`, `=====`, or the lines of a terminal.
fn is_border(line: &str) -> bool {
    let is_part = |character: char| matches!(character, '+' | '-' | '=' | '|' | ':' | ' ' | '\u{2500}'..='\u{257F}');
    let has = |parts: [&str; 2]| parts.iter().all(|part| line.contains(part));
    line.chars().all(is_part)
        && (has(["+", "-"]) || has(["|", "--"]) || ["==", "──", "━━", "══"].iter().any(|run| line.contains(run)))
}

/// How much of a text is made of signs: from 0 to 1, blanks left out.
pub fn share(text: &str, is_sign: impl Fn(char) -> bool) -> f64 {
    const LOOKED_AT: usize = 10_000;
    let signs = || lines(text).flat_map(|(_, line)| line.chars()).filter(|sign| !sign.is_whitespace()).take(LOOKED_AT);
    signs().filter(|&sign| is_sign(sign)).count() as f64 / signs().count().max(1) as f64
}
