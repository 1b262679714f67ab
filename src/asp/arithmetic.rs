//! Arithmetic that wraps in silence, found in the text before clingo sees it.
//!
//! clingo's numbers have 32 bits. The constant parts of all terms are evaluated here as clingo would do it, `#const` and `-c`
//! included; what does not fit becomes a warning. Not seen: texts that clingo includes by itself, and what a rule computes
//! from other atoms, as `p(X*Y) :- q(X), r(Y).` does.

use std::collections::BTreeMap;
use std::ops::Range;

use super::syntax::{self, Kind, Lexer};
use crate::diagnostic::{Diagnostic, Level, Place};
use crate::document::Document;

/// The values of `#const` and `-c`, as far as they are numbers.
pub type Constants = BTreeMap<String, i32>;

/// Brackets nested deeper are read as if the inner ones stood alone.
const DEEPEST: usize = 200;
/// More messages would not be read, and each costs a pass over the text.
const MOST_FINDINGS: usize = 20;

/// What is wrong with the arithmetic of a text.
pub fn check(document: &Document, constants: &Constants) -> Vec<Diagnostic> {
    let text: &str = &document.text;
    let finding = |Finding { range, text: words }: Finding| Diagnostic {
        level: Level::Warning,
        text: words,
        places: vec![Place::of_range(&document.name, text, range)],
        help: None,
    };
    findings(text, constants).into_iter().map(finding).collect()
}

/// The value of a term, if it is a number.
pub fn value(term: &str, constants: &Constants) -> Option<i32> {
    let mut reader = Reader::new(term, constants);
    reader.term(0, 0).filter(|_| reader.token == Token::End)
}

/// Adds the constants that the texts define; those that are known stay.
pub fn define<'a>(constants: &mut Constants, documents: impl Iterator<Item = &'a Document>) {
    let mut definitions: Vec<(&str, &str)> = Vec::new();
    for document in documents.filter(|document| document.text.contains("#const")) {
        let text: &str = &document.text;
        let statements = syntax::ranges(text).map(|range| &text[range]);
        let bodies = statements.filter_map(|statement| statement.strip_prefix("#const")?.split_once('='));
        // Behind the period may stand `[default]`.
        let terms = bodies.filter_map(|(name, term)| {
            let period = syntax::tokens(term).find(|token| token.text == ".")?;
            Some((name.trim(), &term[..period.start]))
        });
        definitions.extend(terms);
    }
    // One may be defined by another that comes later.
    for _ in 0..definitions.len().min(DEEPEST) {
        let before = constants.len();
        for (name, term) in &definitions {
            if !constants.contains_key(*name)
                && let Some(value) = value(term, constants)
            {
                constants.insert((*name).to_owned(), value);
            }
        }
        if constants.len() == before {
            return;
        }
    }
}

struct Finding {
    range: Range<usize>,
    text: String,
}

fn findings(text: &str, constants: &Constants) -> Vec<Finding> {
    let mut reader = Reader::new(text, constants);
    while reader.token != Token::End && reader.findings.len() < MOST_FINDINGS {
        let start = reader.range.start;
        reader.term(0, 0);
        if reader.range.start == start {
            reader.pass();
        }
    }
    if !reader.findings.is_empty() && text.contains("#program") {
        let elsewhere = elsewhere(text);
        reader.findings.retain(|finding| !elsewhere.iter().any(|part| part.contains(&finding.range.start)));
    }
    reader.findings
}

/// The bytes of parts that are not grounded by default: those that are neither `base` nor of programs in steps.
fn elsewhere(text: &str) -> Vec<Range<usize>> {
    let marks = syntax::ranges(text).filter(|range| text[range.clone()].starts_with("#program"));
    let marks: Vec<Range<usize>> = marks.collect();
    let ends = marks.iter().skip(1).map(|mark| mark.start).chain([text.len()]);
    let is_elsewhere = |mark: &Range<usize>| {
        let name = syntax::tokens(&text[mark.clone()]).nth(1);
        !name.is_some_and(|name| matches!(name.text, "base" | "step" | "check"))
    };
    let parts = marks.iter().zip(ends).filter(|(mark, _)| is_elsewhere(mark));
    parts.map(|(mark, end)| mark.start..end).collect()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token {
    /// Digits, with what they are in base 10, or behind `0x`, `0o` or `0b`.
    Number,
    Name,
    Open,
    Close,
    /// An operator, or a sign that is none; `*` twice is a power, a dot twice an interval.
    Sign(u8),
    Power,
    Dots,
    /// Variables, strings, directives and signs of two letters.
    Other,
    End,
}

/// Reads terms, and what they are worth where that is constant.
struct Reader<'a> {
    text: &'a str,
    constants: &'a Constants,
    /// The token at hand, and where it stands.
    token: Token,
    range: Range<usize>,
    lexer: Lexer<'a>,
    /// Where the token before it ended.
    before: usize,
    findings: Vec<Finding>,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, constants: &'a Constants) -> Self {
        let (token, mut lexer, findings) = (Token::Other, syntax::lex(text), Vec::new());
        lexer.at = syntax::after_facts(text, 0);
        let mut reader = Reader { text, constants, token, range: 0..0, lexer, before: 0, findings };
        reader.next();
        reader
    }

    fn next(&mut self) {
        self.before = self.range.end;
        let next = self.lexer.find(|token| !token.kind.is_blank());
        self.range = next.map_or(self.text.len()..self.text.len(), |token| token.range());
        self.token = match next.map(|token| (token.text, token.kind)) {
            None => Token::End,
            Some((word, Kind::Word)) if word.starts_with(|first: char| first.is_ascii_digit()) => Token::Number,
            Some((word, Kind::Word)) if syntax::is_name(word) => Token::Name,
            Some(("(", _)) => Token::Open,
            Some((")", _)) => Token::Close,
            Some(("**", _)) => Token::Power,
            Some(("..", _)) => Token::Dots,
            Some((":-" | ":~", _) | (_, Kind::Word | Kind::Text | Kind::TheoryOperator | Kind::Code)) => Token::Other,
            Some((sign, _)) => Token::Sign(sign.as_bytes()[0]),
        };
    }

    /// Goes on behind a token that is no part of a term, and behind all of a theory.
    fn pass(&mut self) {
        match (self.token, self.text.get(self.range.clone()).unwrap_or_default()) {
            (Token::Sign(b'.'), _) => self.lexer.at = syntax::after_facts(self.text, self.lexer.at),
            (_, "#theory") | (Token::Sign(b'&'), _) => {
                // Its operators mean something else: up to the closing brace, or the end of the statement.
                while !matches!(self.token, Token::Sign(b'}' | b'.') | Token::End) {
                    self.next();
                }
            }
            _ => {}
        }
        self.next();
    }

    /// Reads a term whose operators bind tighter than `least`; the value if it is a constant number.
    fn term(&mut self, least: u8, depth: usize) -> Option<i32> {
        let start = self.range.start;
        let mut left = self.operand(depth);
        if self.range.start == start {
            return None;
        }
        while let Some((strength, right_first)) = strength(self.token).filter(|&(strength, _)| strength > least) {
            let operator = self.token;
            self.next();
            if depth > DEEPEST {
                return None;
            }
            let right = self.term(if right_first { strength - 1 } else { strength }, depth + 1);
            left = self.result(operator, left, right, start..self.before);
        }
        left
    }

    fn operand(&mut self, depth: usize) -> Option<i32> {
        let start = self.range.start;
        let mut signs = Vec::new();
        while let Token::Sign(sign @ (b'-' | b'~')) = self.token {
            signs.push(sign);
            self.next();
        }
        let range = self.range.clone();
        let mut value = match self.token {
            Token::Number => {
                let (value, fits) = number(&self.text[range.clone()]);
                // -2147483648 is one number, though 2147483648 is none.
                if value == i32::MIN && range.len() == 10 && signs.last() == Some(&b'-') {
                    signs.pop();
                } else if !fits {
                    self.wraps(range, value);
                }
                self.next();
                Some(value)
            }
            Token::Name => {
                self.next();
                if self.token == Token::Open {
                    self.brackets(depth);
                    None
                } else {
                    self.constants.get(&self.text[range]).copied()
                }
            }
            Token::Open => self.brackets(depth),
            Token::Sign(b'|') if depth <= DEEPEST => {
                self.next();
                let value = self.term(0, depth + 1);
                if self.token == Token::Sign(b'|') {
                    self.next();
                    value.map(|value| self.fitting(i64::from(value).abs(), start..self.before))
                } else {
                    None
                }
            }
            Token::Other if !self.text[range.clone()].starts_with(['#', ':']) => {
                self.next();
                None
            }
            _ => None,
        };
        for sign in signs.iter().rev() {
            value = value.map(|value| match sign {
                b'~' => !value,
                _ => self.fitting(-i64::from(value), start..self.before),
            });
        }
        value
    }

    /// Reads what is in brackets: a term, or several.
    fn brackets(&mut self, depth: usize) -> Option<i32> {
        self.next();
        if depth > DEEPEST {
            return None;
        }
        let mut value = self.term(0, depth + 1);
        while matches!(self.token, Token::Sign(b',' | b';')) {
            self.next();
            self.term(0, depth + 1);
            value = None;
        }
        if self.token != Token::Close {
            return None;
        }
        self.next();
        value
    }

    fn result(&mut self, operator: Token, left: Option<i32>, right: Option<i32>, range: Range<usize>) -> Option<i32> {
        if operator == Token::Dots {
            return None;
        }
        let (left, right) = (left?, right?);
        let (a, b) = (i64::from(left), i64::from(right));
        let exact = match operator {
            Token::Sign(b'+') => a + b,
            Token::Sign(b'-') => a - b,
            Token::Sign(b'*') => a * b,
            // Undefined, as a division by zero.
            Token::Sign(b'/' | b'\\') if (left, right) == (i32::MIN, -1) => return None,
            Token::Sign(b'/') => a.checked_div(b)?,
            Token::Sign(b'\\') => a.checked_rem(b)?,
            Token::Sign(b'&') => a & b,
            Token::Sign(b'?') => a | b,
            Token::Sign(b'^') => a ^ b,
            _ => match u32::try_from(right) {
                Ok(exponent) => match a.checked_pow(exponent) {
                    Some(power) => power,
                    None => {
                        let value = left.wrapping_pow(exponent);
                        self.wraps(range, value);
                        return Some(value);
                    }
                },
                Err(_) if left == 0 => return None,
                Err(_) => 0,
            },
        };
        Some(self.fitting(exact, range))
    }

    fn fitting(&mut self, exact: i64, range: Range<usize>) -> i32 {
        let value = exact as i32;
        if i64::from(value) != exact {
            self.wraps(range, value);
        }
        value
    }

    fn wraps(&mut self, range: Range<usize>, value: i32) {
        let words: String = self.text[range.clone()].chars().take(40).collect();
        let text = format!("{words} has more than 32 bits; clingo takes it for {value}");
        self.findings.push(Finding { range, text });
    }
}

/// How tight an operator binds, and whether the right one of two comes first.
fn strength(token: Token) -> Option<(u8, bool)> {
    Some(match token {
        Token::Dots => (1, false),
        Token::Sign(b'^') => (2, false),
        Token::Sign(b'?') => (3, false),
        Token::Sign(b'&') => (4, false),
        Token::Sign(b'+' | b'-') => (5, false),
        Token::Sign(b'*' | b'/' | b'\\') => (6, false),
        Token::Power => (7, true),
        _ => return None,
    })
}

/// The lowest 32 bits of a number as it is written, and whether those are all.
fn number(text: &str) -> (i32, bool) {
    let (base, digits) = match text.get(..2) {
        Some("0x") => (16, &text[2..]),
        Some("0o") => (8, &text[2..]),
        Some("0b") => (2, &text[2..]),
        _ => (10, text),
    };
    let (mut low, mut fits) = (0_u32, true);
    for digit in digits.chars().map_while(|digit| digit.to_digit(base)) {
        fits &= u64::from(low) * u64::from(base) + u64::from(digit) <= i32::MAX as u64;
        low = low.wrapping_mul(base).wrapping_add(digit);
    }
    (low as i32, fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> Vec<String> {
        let (document, mut constants) = (Document::in_memory("text", text), Constants::new());
        define(&mut constants, [&document].into_iter());
        check(&document, &constants).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn facts_are_passed_over_and_whatever_is_wrong_among_them_is_told() {
        let facts = "edge(1,b2,\"x y\"). p(999999999). q(-1).";
        assert!(said(facts).is_empty());
        for text in ["p(2147483648).", "p(0xffffffff).", "p(2**31).", "p(-c).", "q :- r(2**31)."] {
            assert_eq!(said(&format!("#const c = -2147483648. {facts} {text}\n{facts}")).len(), 1, "{text}");
        }
    }

    #[test]
    fn parts_that_nobody_grounds_are_passed_over() {
        const WRAPS: &str = "p(2**31).";
        assert!(said(&format!("a. #program other(n). {WRAPS} #program base. b.")).is_empty());
        for part in ["base", "step(t)"] {
            assert_eq!(said(&format!("#program other. a. #program {part}. {WRAPS}")).len(), 1);
        }
    }

    #[test]
    fn constant_terms_have_the_values_that_clingo_gives_them() {
        for (term, wanted) in [
            ("1+2*3", Some(7)),
            ("2**3**2", Some(512)),
            ("-2**2", Some(4)),
            ("7-2-1", Some(4)),
            ("-7/2", Some(-3)),
            ("-7\\2", Some(-1)),
            ("|3-5|", Some(2)),
            ("~0", Some(-1)),
            ("5&3?8^1", Some(8)),
            ("0xff+0b11+0o17", Some(273)),
            ("(1,2)", None),
            ("f(1)", None),
            ("n+1", Some(6)),
            ("-2147483648", Some(i32::MIN)),
            ("2**(-1)", Some(0)),
            ("1/0", None),
            ("X+1", None),
        ] {
            assert_eq!(value(term, &Constants::from([("n".to_owned(), 5)])), wanted, "{term}");
        }
    }

    #[test]
    fn what_wraps_is_told_and_what_does_not_is_not() {
        assert_eq!(
            said("a(1).\nb(65536*65536)."),
            ["text:2:3: warning: 65536*65536 has more than 32 bits; clingo takes it for 0"]
        );
        for (text, count) in [
            (
                "a(2147483648). b(99999999999999999999). c(2147483647+1). d(2**31). e(-(-2147483648)). f(|-2147483648|).",
                6,
            ),
            (
                "a(2147483647). b(-2147483648). c(-2147483647-1). d(2147483640..2147483647). f(-2147483648/(-1)). e(2147483647..1).",
                0,
            ),
            ("% 99999999999\n%* 1..2147483647 *% a(\"1..2147483647\").", 0),
            ("&diff { 0..2147483647 } <= 3. #theory t { x { .. : 1, binary, left } }.", 0),
            ("a :- b(X), X = 1..5, -1 < X-2147483647. :- -1 = 2.", 0),
        ] {
            assert_eq!(said(text).len(), count, "{text}: {:?}", said(text));
        }
    }

    #[test]
    fn unfinished_and_deep_text_does_not_overflow() {
        for text in ["", "(", "-", "1+", "|", "a(", "&", "#script", "0x", "1..", "é", "1**", "(1;", "\"", "%*"] {
            said(text);
        }
        for part in ["(", "-", "2**", "|", "f(", "1+(", "~"] {
            said(&part.repeat(300_000));
        }
    }
}
