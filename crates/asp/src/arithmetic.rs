//! Warnings about arithmetic overflow in constant terms.
//!
//! clingo's numbers have 32 bits, and arithmetic wraps silently. Before clingo reads a text, this
//! module evaluates the constant subterms as clingo does, including `#const` and `-c`, and warns
//! about values that do not fit. It does not check included texts and values that rules compute
//! from other atoms, such as `p(X*Y) :- q(X), r(Y).`

use std::collections::BTreeMap;
use std::ops::Range;

use base::diagnostic::{Code, Diagnostic, Place};
use base::document::Document;

use super::syntax::{self, Lexer, TokenKind};

/// The numeric values of `#const` and `-c`.
pub type Constants = BTreeMap<String, i32>;

/// Maximum nesting of brackets; deeper brackets are evaluated as separate terms.
const MAX_DEPTH: usize = 200;
/// Maximum number of warnings for a text; each needs a pass over the text.
const MAX_FINDINGS: usize = 20;

/// Returns warnings about the arithmetic of a text.
pub fn check(document: &Document, constants: &Constants) -> Vec<Diagnostic> {
    let text: &str = &document.text;
    let finding = |Finding { range, text: words }: Finding| {
        Diagnostic::warning(Code::Overflow, words).at(Some(Place::of_range(&document.name, text, range)))
    };
    findings(text, constants).into_iter().map(finding).collect()
}

/// Returns the value of a term if it is a number.
pub fn value(term: &str, constants: &Constants) -> Option<i32> {
    let mut reader = TermReader::new(term, constants);
    reader.term(0, 0).filter(|_| reader.token == Token::End)
}

/// Adds the constants that the texts define; does not replace existing ones.
pub fn define<'a>(constants: &mut Constants, documents: impl Iterator<Item = &'a Document>) {
    let mut definitions: Vec<(&str, &str)> = Vec::new();
    for document in documents.filter(|document| document.text.contains("#const")) {
        let text: &str = &document.text;
        let statements = syntax::ranges(text).map(|range| &text[range]);
        let bodies = statements.filter_map(|statement| statement.strip_prefix("#const")?.split_once('='));
        // `[default]` may follow the period.
        let terms = bodies.filter_map(|(name, term)| {
            let period = syntax::tokens(term).find(|token| token.text == ".")?;
            Some((name.trim(), &term[..period.start]))
        });
        definitions.extend(terms);
    }
    // A constant may depend on one that is defined later.
    for _ in 0..definitions.len().min(MAX_DEPTH) {
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
    let mut reader = TermReader::new(text, constants);
    while reader.token != Token::End && reader.findings.len() < MAX_FINDINGS {
        let start = reader.range.start;
        reader.term(0, 0);
        if reader.range.start == start {
            reader.skip();
        }
    }
    if !reader.findings.is_empty() && text.contains("#program") {
        let ungrounded = ungrounded_parts(text);
        reader.findings.retain(|finding| !ungrounded.iter().any(|part| part.contains(&finding.range.start)));
    }
    reader.findings
}

/// Returns the byte ranges of parts that are not grounded by default: all except `base`, `step` and
/// `check`.
fn ungrounded_parts(text: &str) -> Vec<Range<usize>> {
    let marks = syntax::ranges(text).filter(|range| text[range.clone()].starts_with("#program"));
    let marks: Vec<Range<usize>> = marks.collect();
    let ends = marks.iter().skip(1).map(|mark| mark.start).chain([text.len()]);
    let is_ungrounded = |mark: &Range<usize>| {
        let name = syntax::tokens(&text[mark.clone()]).nth(1);
        !name.is_some_and(|name| matches!(name.text, "base" | "step" | "check"))
    };
    let parts = marks.iter().zip(ends).filter(|(mark, _)| is_ungrounded(mark));
    parts.map(|(mark, end)| mark.start..end).collect()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token {
    /// A decimal number, or one with the prefix `0x`, `0o` or `0b`.
    Number,
    Name,
    Open,
    Close,
    /// An operator or punctuation character; `**` and `..` are separate tokens.
    Sign(u8),
    Power,
    Dots,
    /// Variables, strings, directives, and punctuation of two characters.
    Other,
    End,
}

/// Parses terms and evaluates constant ones.
struct TermReader<'a> {
    text: &'a str,
    constants: &'a Constants,
    /// The current token and its byte range.
    token: Token,
    range: Range<usize>,
    lexer: Lexer<'a>,
    /// The end of the previous token.
    before: usize,
    findings: Vec<Finding>,
}

impl<'a> TermReader<'a> {
    fn new(text: &'a str, constants: &'a Constants) -> Self {
        let token = Token::Other;
        let mut lexer = syntax::lex(text);
        let findings = Vec::new();
        lexer.at = syntax::end_of_facts(text, 0);
        let mut reader = TermReader { text, constants, token, range: 0..0, lexer, before: 0, findings };
        reader.next();
        reader
    }

    fn next(&mut self) {
        self.before = self.range.end;
        let next = self.lexer.find(|token| !token.kind.is_blank());
        self.range = next.map_or(self.text.len()..self.text.len(), |token| token.range());
        self.token = match next.map(|token| (token.text, token.kind)) {
            None => Token::End,
            Some((word, TokenKind::Ident)) if word.starts_with(|first: char| first.is_ascii_digit()) => Token::Number,
            Some((word, TokenKind::Ident)) if syntax::is_name(word) => Token::Name,
            Some(("(", _)) => Token::Open,
            Some((")", _)) => Token::Close,
            Some(("**", _)) => Token::Power,
            Some(("..", _)) => Token::Dots,
            Some(
                (":-" | ":~", _) | (_, TokenKind::Ident | TokenKind::Str | TokenKind::TheoryOperator | TokenKind::Code),
            ) => Token::Other,
            Some((sign, _)) => Token::Sign(sign.as_bytes()[0]),
        };
    }

    /// Skips a token that is not part of a term, or a theory atom or definition.
    fn skip(&mut self) {
        match (self.token, self.text.get(self.range.clone()).unwrap_or_default()) {
            (Token::Sign(b'.'), _) => self.lexer.at = syntax::end_of_facts(self.text, self.lexer.at),
            (_, "#theory") | (Token::Sign(b'&'), _) => {
                // The operators of a theory have other meanings. Skip to the closing brace or the
                // end of the statement.
                while !matches!(self.token, Token::Sign(b'}' | b'.') | Token::End) {
                    self.next();
                }
            }
            _ => {}
        }
        self.next();
    }

    /// Parses a term whose operators have a precedence above `least`. Returns its value if it is
    /// constant.
    fn term(&mut self, least: u8, depth: usize) -> Option<i32> {
        let start = self.range.start;
        let mut left = self.operand(depth);
        if self.range.start == start {
            return None;
        }
        while let Some((precedence, right_first)) = precedence(self.token).filter(|&(precedence, _)| precedence > least)
        {
            let operator = self.token;
            self.next();
            if depth > MAX_DEPTH {
                return None;
            }
            let right = self.term(if right_first { precedence - 1 } else { precedence }, depth + 1);
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
                // -2147483648 fits, although 2147483648 does not.
                if value == i32::MIN && range.len() == 10 && signs.last() == Some(&b'-') {
                    signs.pop();
                } else if !fits {
                    self.report_overflow(range, value);
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
            Token::Sign(b'|') if depth <= MAX_DEPTH => {
                self.next();
                let value = self.term(0, depth + 1);
                if self.token == Token::Sign(b'|') {
                    self.next();
                    value.map(|value| self.wrap(i64::from(value).abs(), start..self.before))
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
                _ => self.wrap(-i64::from(value), start..self.before),
            });
        }
        value
    }

    /// Parses the terms in brackets. Returns the value if there is exactly one term and it is
    /// constant.
    fn brackets(&mut self, depth: usize) -> Option<i32> {
        self.next();
        if depth > MAX_DEPTH {
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
            // Undefined, like a division by zero.
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
                        self.report_overflow(range, value);
                        return Some(value);
                    }
                },
                Err(_) if left == 0 => return None,
                Err(_) => 0,
            },
        };
        Some(self.wrap(exact, range))
    }

    fn wrap(&mut self, exact: i64, range: Range<usize>) -> i32 {
        let value = exact as i32;
        if i64::from(value) != exact {
            self.report_overflow(range, value);
        }
        value
    }

    fn report_overflow(&mut self, range: Range<usize>, value: i32) {
        let words: String = self.text[range.clone()].chars().take(40).collect();
        let text = format!("`{words}` exceeds 32 bits; clingo wraps it to {value}");
        self.findings.push(Finding { range, text });
    }
}

/// Returns the precedence of a binary operator, and true if it is right-associative.
fn precedence(token: Token) -> Option<(u8, bool)> {
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

/// Parses a number. Returns its lowest 32 bits, and true if it fits.
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

    fn warnings(text: &str) -> Vec<String> {
        let document = Document::in_memory("text", text);
        let mut constants = Constants::new();
        define(&mut constants, [&document].into_iter());
        check(&document, &constants).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn overflow_is_reported_between_facts() {
        let facts = "edge(1,b2,\"x y\"). p(999999999). q(-1).";
        assert!(warnings(facts).is_empty());
        for text in ["p(2147483648).", "p(0xffffffff).", "p(2**31).", "p(-c).", "q :- r(2**31)."] {
            assert_eq!(warnings(&format!("#const c = -2147483648. {facts} {text}\n{facts}")).len(), 1, "{text}");
        }
    }

    #[test]
    fn parts_that_are_not_grounded_are_skipped() {
        const WRAPS: &str = "p(2**31).";
        assert!(warnings(&format!("a. #program other(n). {WRAPS} #program base. b.")).is_empty());
        for part in ["base", "step(t)"] {
            assert_eq!(warnings(&format!("#program other. a. #program {part}. {WRAPS}")).len(), 1);
        }
    }

    #[test]
    fn constant_terms_have_the_same_values_as_in_clingo() {
        for (term, expected) in [
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
            assert_eq!(value(term, &Constants::from([("n".to_owned(), 5)])), expected, "{term}");
        }
    }

    #[test]
    fn only_overflow_is_reported() {
        assert_eq!(
            warnings("a(1).\nb(65536*65536)."),
            ["text:2:3: warning: `65536*65536` exceeds 32 bits; clingo wraps it to 0"]
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
            assert_eq!(warnings(text).len(), count, "{text}: {:?}", warnings(text));
        }
    }

    #[test]
    fn unfinished_and_deep_text_does_not_overflow() {
        for text in ["", "(", "-", "1+", "|", "a(", "&", "#script", "0x", "1..", "é", "1**", "(1;", "\"", "%*"] {
            warnings(text);
        }
        for part in ["(", "-", "2**", "|", "f(", "1+(", "~"] {
            warnings(&part.repeat(300_000));
        }
    }
}
