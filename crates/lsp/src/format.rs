//! Formats white space as in the built-in files, and changes nothing else. Text that clingo does
//! not accept is left unchanged.
//!
//! Spaces surround conditions, comparisons and arrows and follow the commas of a body, but not
//! those of arguments. Alignment is kept. A statement begins on its own line. There is at most one
//! empty line in a row, and none at the ends.

use std::collections::BTreeMap;
use std::ops::Range;

use asp::Names;
use asp::syntax::{self, Token, TokenKind};
use serde_json::{Value, json};

use super::text::Text;

/// Returns the edit of a text: from the first line that differs to the last.
pub fn edits(text: &Text) -> Vec<Value> {
    let old = &*text.text;
    let new = formatted_with(old, text.names());
    if old == new {
        return Vec::new();
    }
    let (before, after): (Vec<&str>, Vec<&str>) =
        (old.split_inclusive('\n').collect(), new.split_inclusive('\n').collect());
    let first = before.iter().zip(&after).take_while(|(old_line, new_line)| old_line == new_line).count();
    let rest = before[first..].iter().rev().zip(after[first..].iter().rev());
    let last = rest.take_while(|(old_line, new_line)| old_line == new_line).count();
    let start: usize = before[..first].iter().map(|line| line.len()).sum();
    let end: usize = old.len() - before[before.len() - last..].iter().map(|line| line.len()).sum::<usize>();
    vec![json!({ "range": text.range(&(start..end)), "newText": after[first..after.len() - last].concat() })]
}

/// Formats a text.
pub fn formatted(text: &str) -> String {
    formatted_with(text, &Names::of(text))
}

fn formatted_with(text: &str, names: &Names) -> String {
    let mut writer = Writer { text, out: String::with_capacity(text.len()), arrows: BTreeMap::new() };
    let mut end = 0;
    for (range, _) in names.statements.iter().filter(|(range, whole)| *whole && range.start < range.end) {
        if range.start < end || is_foreign(&text[range.clone()]) {
            continue;
        }
        let (mut gap, is_first) = (&text[end..range.start], end == 0);
        let indent = gap.len() - gap.trim_end_matches([' ', '\t']).len();
        if gap[..gap.len() - indent].ends_with('\n') || is_first && gap.len() == indent {
            gap = &gap[..gap.len() - indent];
        }
        writer.out += gap;
        writer.statement(range);
        end = range.end;
    }
    writer.out += &text[end..];
    let new = collapse_blank_lines(&writer.aligned());
    // Only white space may differ.
    if syntax::have_same_tokens(&new, text) { new } else { text.to_owned() }
}

/// Returns true for scripts and theories, which have their own syntax.
fn is_foreign(source: &str) -> bool {
    let is_theory_atom = |(at, _): (usize, &str)| source[at + 1..].starts_with(|sign: char| sign.is_ascii_lowercase());
    source.starts_with("#script") || source.starts_with("#theory") || source.match_indices('&').any(is_theory_atom)
}

struct Writer<'a> {
    text: &'a str,
    out: String,
    /// Byte offset of each arrow in the output, with its column in the input.
    arrows: BTreeMap<usize, usize>,
}

const COMPARISONS: [&str; 6] = ["=", "!=", "<", "<=", ">", ">="];

impl Writer<'_> {
    fn statement(&mut self, range: &Range<usize>) {
        let source = &self.text[range.clone()];
        let (mut parentheses, mut braces, mut last) = (0_usize, 0_usize, None::<Token<'_>>);
        for token in syntax::tokens(source) {
            let word = token.text;
            if let Some(last) = last {
                let gap = &source[last.end()..token.start];
                if gap.contains(['\n', '%']) {
                    self.out += gap;
                } else {
                    // Several spaces align something and are kept; `aligned` aligns arrows.
                    match spacing(last.text, word, gap, (parentheses, braces)) {
                        " " if gap.len() > 1 && word != ":-" => self.out += gap,
                        space => self.out += space,
                    }
                }
            }
            parentheses = match word {
                "(" => parentheses + 1,
                ")" => parentheses.saturating_sub(1),
                _ => parentheses,
            };
            braces = match word {
                "{" | "[" => braces + 1,
                "}" | "]" => braces.saturating_sub(1),
                _ => braces,
            };
            if word == ":-" {
                let at = range.start + token.start;
                let line = self.text[..at].rfind('\n').map_or(0, |newline| newline + 1);
                self.arrows.insert(self.out.len(), self.text[line..at].chars().count());
            }
            self.out += word;
            last = Some(token);
        }
        self.out += &source[last.map_or(0, |last| last.end())..];
    }

    /// Aligns arrows that were aligned in the input.
    fn aligned(&self) -> String {
        let mut at = 0;
        // The first arrow of each line: its offset, its column in the input, and the characters
        // before it in the output.
        let arrow = |line: &str| {
            let start = at;
            at += line.len();
            let (&place, &column) = self.arrows.range(start..at).next()?;
            let width = self.out[start..place].chars().count();
            (width > 0).then_some((place - start, column, width))
        };
        let lines: Vec<_> = self.out.split_inclusive('\n').map(arrow).collect();
        let mut columns: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (_, column, width) in lines.iter().flatten() {
            columns.entry(*column).or_default().push(*width);
        }
        let mut out = String::with_capacity(self.out.len());
        for (line, arrow) in self.out.split_inclusive('\n').zip(&lines) {
            let (place, missing) = arrow.map_or((0, 0), |(place, column, width)| match &columns[&column][..] {
                [_] => (place, 0),
                widths => (place, widths.iter().copied().chain([column]).max().unwrap_or(width) - width),
            });
            out += &line[..place];
            out += &" ".repeat(missing);
            out += &line[place..];
        }
        out
    }
}

/// Returns the white space between two tokens of a line.
fn spacing(before: &str, word: &str, gap: &str, (parentheses, braces): (usize, usize)) -> &'static str {
    let existing = if gap.is_empty() { "" } else { " " };
    let is_condition = |sign: &str| parentheses == 0 && (sign == ":" || COMPARISONS.contains(&sign));
    match (before, word) {
        (_, "," | ";" | "." | ")") | ("(", _) => "",
        ("{", "}") => existing,
        (":-" | ":~" | "{", _) | (_, ":-" | "{" | "}" | "[") => " ",
        (",", _) if parentheses > 0 => "",
        // Tuples of an aggregate are written with or without a space.
        (",", _) if braces == 0 => " ",
        (";", _) if parentheses == 0 => " ",
        _ if is_condition(before) || is_condition(word) => " ",
        _ => existing,
    }
}

/// Removes trailing blanks and all but one of several empty lines. Strings and block comments are
/// left unchanged.
fn collapse_blank_lines(text: &str) -> String {
    let blanks = syntax::lex(text).filter(|token| token.kind == TokenKind::Whitespace);
    let ends = blanks.flat_map(|token| token.text.match_indices('\n').map(move |(at, _)| token.start + at));
    let (mut lines, mut start): (Vec<&str>, _) = (Vec::new(), 0);
    for end in ends.chain([text.len()]) {
        let line = text[start..end].trim_end_matches([' ', '\t']);
        if !(line.is_empty() && lines.last().is_none_or(|last| last.is_empty())) {
            lines.push(line);
        }
        start = end + 1;
    }
    lines.pop_if(|last| last.is_empty());
    lines.iter().map(|line| format!("{line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_matches_the_built_in_files() {
        for (text, expected) in [
            ("a(X , Y):-b( X ),c(Y).", "a(X,Y) :- b(X), c(Y).\n"),
            ("  p:-X=1 ,  q(X+1 ) , not r.  \n\n\n\n% c  \n:-p.", "p :- X = 1,  q(X+1), not r.\n\n% c\n:- p.\n"),
            ("{a(X):b(X);c}=1:-d.", "{ a(X) : b(X); c } = 1 :- d.\n"),
            ("a:-#count{X,Y:p(X,Y)}>=2.", "a :- #count { X,Y : p(X,Y) } >= 2.\n"),
            ("aa( X)  :- b.\nc       :-d.\n", "aa(X)   :- b.\nc       :- d.\n"),
            ("aa(X)  :- b.\nc :-d.\n", "aa(X) :- b.\nc :- d.\n"),
            ("#minimize{W@2,X:p(X,W)}. :~p. [ 1@2, X ]", "#minimize { W@2,X : p(X,W) }. :~ p. [ 1@2, X ]\n"),
            ("a :- b(.\nc:-d.\n", "a :- b(.\nc :- d.\n"),
            ("x(\"a , b  \").  %  c  ,  d\n", "x(\"a , b  \").  %  c  ,  d\n"),
            ("%* a  \n\n\n b *%\na.\n", "%* a  \n\n\n b *%\na.\n"),
            ("", ""),
        ] {
            let output = formatted(text);
            assert_eq!(output, expected, "{text:?}");
            assert_eq!(formatted(&output), output, "{text:?}");
        }
    }
}
