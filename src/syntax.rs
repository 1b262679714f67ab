//! The surface of the language, without clingo: a lexer, and what can be told of a text from its tokens alone.
//!
//! clingo parses programs; this finds *where* a fact stands, so that an error about a fact can underline it, and which
//! predicates a text defines, so that a puzzle can be recognised before anything is grounded.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

/// A predicate.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Signature {
    /// Not classically negated.
    pub is_positive: bool,
    pub name: String,
    pub arity: usize,
}

impl Signature {
    pub fn new(name: impl Into<String>, arity: usize) -> Self {
        Signature { is_positive: true, name: name.into(), arity }
    }

    pub fn negated(self) -> Self {
        Signature { is_positive: !self.is_positive, ..self }
    }

    /// That of an atom, as it is written.
    pub fn of(atom: &str) -> Option<Self> {
        let atom = atom.trim();
        let bare = atom.strip_prefix('-').unwrap_or(atom);
        let text = format!("{bare}.");
        let (name, arity) = statements(&text).first()?.head?;
        Some(Signature { is_positive: bare.len() == atom.len(), ..Signature::new(name, arity) })
    }

    /// Its name with its sign.
    pub fn signed(&self) -> String {
        format!("{}{}", if self.is_positive { "" } else { "-" }, self.name)
    }

    /// Its atom with these arguments.
    pub fn atom(&self, arguments: &[String]) -> String {
        let name = self.signed();
        if arguments.is_empty() { name } else { format!("{name}({})", arguments.join(",")) }
    }
}

/// `-p/2`
impl FromStr for Signature {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (name, arity) = text.split_once('/').ok_or(())?;
        let bare = name.strip_prefix('-').unwrap_or(name);
        let is_right = is_name(bare) && bare.chars().all(is_word);
        let signature = Signature::new(bare, arity.parse().map_err(drop)?);
        let signature = if bare.len() == name.len() { signature } else { signature.negated() };
        if is_right { Ok(signature) } else { Err(()) }
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.signed(), self.arity)
    }
}

/// What a piece of a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// White space.
    Blank,
    /// `% …` up to the end of its line.
    Comment,
    /// `%* … *%`
    Block,
    /// A string with its quotes.
    Text,
    /// A name, a variable or a number; a directive with its `#`.
    Word,
    /// An operator or a bracket, or whatever else there is.
    Sign,
}

/// A piece of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token<'a> {
    pub kind: Kind,
    pub start: usize,
    pub text: &'a str,
}

impl Token<'_> {
    pub fn end(&self) -> usize {
        self.start + self.text.len()
    }

    pub fn range(&self) -> Range<usize> {
        self.start..self.end()
    }
}

/// Cuts a text into tokens, which together are the text. What lacks its end, such as a string, ends with the text.
#[derive(Debug, Clone)]
pub struct Lexer<'a> {
    text: &'a str,
    /// Where the next token begins.
    pub at: usize,
}

pub fn lex(text: &str) -> Lexer<'_> {
    Lexer { text, at: 0 }
}

impl<'a> Iterator for Lexer<'a> {
    type Item = Token<'a>;

    #[inline]
    fn next(&mut self) -> Option<Token<'a>> {
        let rest = &self.text.as_bytes()[self.at..];
        let up_to = |end: Option<usize>| end.unwrap_or(rest.len());
        let (kind, length) = match *rest.first()? {
            byte if is_word_byte(byte) => (Kind::Word, run(rest, is_word_byte)),
            byte if byte.is_ascii_whitespace() => (Kind::Blank, run(rest, |byte| byte.is_ascii_whitespace())),
            b'%' if rest.get(1) == Some(&b'*') => {
                let close = rest[2..].windows(2).position(|pair| pair == b"*%");
                (Kind::Block, up_to(close.map(|close| close + 4)))
            }
            b'%' => (Kind::Comment, up_to(rest.iter().position(|&byte| byte == b'\n'))),
            b'"' => {
                let mut is_escaped = false;
                let close = rest[1..].iter().position(|&byte| {
                    let closes = byte == b'"' && !is_escaped;
                    is_escaped = byte == b'\\' && !is_escaped;
                    closes
                });
                (Kind::Text, up_to(close.map(|close| close + 2)))
            }
            // `..` stands between numbers; a dot alone ends a statement.
            b'.' => (Kind::Sign, run(rest, |byte| byte == b'.')),
            b'#' if rest.get(1).is_some_and(u8::is_ascii_lowercase) => (Kind::Word, 1 + run(&rest[1..], is_word_byte)),
            byte if byte.is_ascii() => (Kind::Sign, if is_long_sign(rest) { 2 } else { 1 }),
            _ => (Kind::Sign, self.text.ceil_char_boundary(self.at + 1) - self.at),
        };
        let start = self.at;
        self.at += length;
        Some(Token { kind, start, text: &self.text[start..self.at] })
    }
}

/// How many bytes belong to what begins here.
fn run(bytes: &[u8], is_in: impl Fn(u8) -> bool) -> usize {
    bytes.iter().position(|&byte| !is_in(byte)).unwrap_or(bytes.len())
}

fn is_long_sign(bytes: &[u8]) -> bool {
    matches!(bytes, [b':', b'-' | b'~', ..] | [b'!' | b'<' | b'>', b'=', ..] | [b'*', b'*', ..])
}

/// The tokens that mean something: neither white space nor comments.
pub fn tokens(text: &str) -> impl Iterator<Item = Token<'_>> {
    lex(text).filter(|token| !matches!(token.kind, Kind::Blank | Kind::Comment | Kind::Block))
}

/// Their texts.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    tokens(text).map(|token| token.text)
}

/// Whether two texts differ in nothing but white space and comments, and so are the same program.
pub fn are_same(one: &str, other: &str) -> bool {
    words(one).eq(words(other))
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'\'')
}

pub fn is_word(character: char) -> bool {
    u8::try_from(character).is_ok_and(is_word_byte)
}

/// Whether a word can name a predicate, a function or a constant.
pub fn is_name(word: &str) -> bool {
    word.trim_start_matches('_').starts_with(|first: char| first.is_ascii_lowercase())
}

/// The name of an atom's predicate, with its sign.
pub fn name_of(atom: &str) -> &str {
    atom.split('(').next().unwrap_or_default().trim()
}

/// A text with other words for some of its own. Strings and comments stay as they are.
pub fn renamed<'a>(text: &'a str, mut new: impl FnMut(Token<'a>) -> Option<String>) -> String {
    let mut out = String::with_capacity(text.len());
    for token in lex(text) {
        match Some(token).filter(|token| token.kind == Kind::Word).and_then(&mut new) {
            Some(word) => out += &word,
            None => out += token.text,
        }
    }
    out
}

/// One statement of a logic program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement<'a> {
    /// Its bytes, from the first letter to the closing dot.
    pub range: Range<usize>,
    /// The name and the number of arguments of a plain head; `None` for directives, constraints, choices, disjunctions,
    /// aggregates and atoms that are negated.
    pub head: Option<(&'a str, usize)>,
    /// Whether it is a head and nothing else.
    pub is_fact: bool,
}

/// All statements of `text`, in order. What does not end with a dot is left out.
pub fn statements(text: &str) -> Vec<Statement<'_>> {
    ranges(text).map(|range| statement(text, range)).collect()
}

/// The bytes of each statement, without a look at what it says.
pub fn ranges(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut tokens = tokens(text);
    std::iter::from_fn(move || {
        let first = tokens.next()?;
        let last = std::iter::once(first).chain(tokens.by_ref()).find(|token| token.text == ".")?;
        Some(first.start..last.end())
    })
}

fn statement(text: &str, range: Range<usize>) -> Statement<'_> {
    let source = &text[range.clone()];
    let mut tokens = tokens(source);
    let head = tokens.next().filter(|first| is_name(first.text) && first.text != "not").and_then(|name| {
        let next = tokens.next()?;
        let (arity, length) = arguments(&source[next.start..]);
        let behind = if length == 0 { Some(next) } else { self::tokens(&source[next.start + length..]).next() };
        Some((name.text, arity, behind.map_or("", |token| token.text)))
    });
    let is_fact = matches!(head, Some((.., ".")));
    let head = head.filter(|(.., behind)| is_fact || *behind == ":-").map(|(name, arity, _)| (name, arity));
    Statement { range, head, is_fact }
}

/// Number and length of an argument list at the start of `text`.
pub fn arguments(text: &str) -> (usize, usize) {
    let (mut depth, mut commas, mut tokens, mut length) = (0_usize, 0, 0, 0);
    if text.starts_with('(') {
        for token in self::tokens(text) {
            match token.text {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth -= 1,
                "," if depth == 1 => commas += 1,
                _ => {}
            }
            (tokens, length) = (tokens + 1, token.end());
            if depth == 0 {
                break;
            }
        }
    }
    (if tokens > 2 { commas + 1 } else { 0 }, length)
}

/// The bytes of the fact `atom` (as clingo prints it), without its dot.
pub fn find_fact(text: &str, atom: &str) -> Option<Range<usize>> {
    let name = atom.split('(').next().unwrap_or(atom);
    statements(text).into_iter().filter(|statement| statement.is_fact).find_map(|Statement { range, .. }| {
        let source = text[range.clone()].strip_suffix('.')?.trim_end();
        let is_it = source.starts_with(name) && are_same(source, atom);
        is_it.then_some(range.start..range.start + source.len())
    })
}

/// Whether `text` has `name` as a word outside comments and strings.
pub fn uses(text: &str, name: &str) -> bool {
    uses_any(text, &[name])
}

/// Whether it has one of the names so.
pub fn uses_any(text: &str, names: &[&str]) -> bool {
    let is_used = |range: Range<usize>| tokens(&text[range]).any(|token| names.contains(&token.text));
    names.iter().any(|name| text.contains(name)) && ranges(text).any(is_used)
}

/// With one blank for each run of white space and comments.
pub fn squeezed(text: &str) -> String {
    let (mut out, mut end) = (String::with_capacity(text.len()), 0);
    for token in tokens(text) {
        if token.start > end && !out.is_empty() {
            out.push(' ');
        }
        out += token.text;
        end = token.end();
    }
    out
}

/// Names with an argument list, outside comments and strings: predicates, and functions, which look the same.
pub fn predicates(text: &str) -> impl Iterator<Item = &str> {
    let behind = tokens(text).skip(1);
    let is_open = |(name, behind): &(Token<'_>, Token<'_>)| is_name(name.text) && behind.text == "(";
    tokens(text).zip(behind).filter(is_open).map(|(name, _)| name.text)
}

/// What each `#show p/1.` of a text shows; none of `#show a : b.`, which shows terms.
pub fn shown(text: &str) -> impl Iterator<Item = Option<Signature>> {
    let ranges = text.contains("#show").then(|| ranges(text)).into_iter().flatten();
    ranges.filter_map(|range| {
        let mut words = words(&text[range]);
        let shown: String = words.next().filter(|first| *first == "#show").map(|_| words.collect())?;
        (shown != ".").then(|| shown.trim_end_matches('.').parse().ok())
    })
}

/// Whether it is a ground program in gringo's own format (aspif).
pub fn is_ground_format(text: &str) -> bool {
    text.trim_start().starts_with("asp ")
}

/// Words of clingo that begin with `#`.
pub const DIRECTIVES: [&str; 20] = [
    "#const",
    "#count",
    "#defined",
    "#edge",
    "#external",
    "#false",
    "#heuristic",
    "#include",
    "#inf",
    "#max",
    "#maximize",
    "#min",
    "#minimize",
    "#program",
    "#project",
    "#script",
    "#show",
    "#sum",
    "#sup",
    "#theory",
];

/// Whether the beginning of `text` has what only a logic program has: an arrow, or a statement that begins like one.
pub fn looks_like_a_program(text: &str) -> bool {
    const LOOKED_AT: usize = 1 << 16;
    let text = &text[..text.floor_char_boundary(LOOKED_AT)];
    let begins_like_one = |source| {
        let mut tokens = tokens(source).skip_while(|token| token.text == "-");
        let Some(first) = tokens.next() else { return false };
        let is_behind_a_name = |next: Token<'_>| next.text.starts_with(['(', '.', ';', ',', '|', ':']);
        first.text.starts_with(['&', '{'])
            || first.text.starts_with('#') && first.kind == Kind::Word
            || is_name(first.text) && tokens.next().is_some_and(is_behind_a_name)
    };
    let is_statement = |range: Range<usize>| {
        let source = &text[range];
        begins_like_one(source) || source.contains(['{', '@'])
    };
    is_ground_format(text)
        || text.contains(":-")
        || text.contains(":~")
        || ranges(text).any(is_statement)
        || begins_like_one(text) && tokens(text).any(|token| token.text == "(")
}

/// The bytes of each `#include "file".`, and the file; none for `#include <incmode>.`
pub fn includes(text: &str) -> Vec<(Range<usize>, Option<String>)> {
    let mut found = Vec::new();
    if !text.contains("#include") {
        return found;
    }
    let mut tokens = tokens(text);
    while let Some(directive) = tokens.find(|token| token.text == "#include") {
        let first = tokens.next();
        let file = first.and_then(|first| first.text.strip_prefix('"')?.strip_suffix('"'));
        let file = file.map(|file| file.replace("\\\"", "\"").replace("\\\\", "\\"));
        let period = first.into_iter().chain(tokens.by_ref()).find(|token| token.text.starts_with('.'));
        found.push((directive.start..period.map_or(text.len(), |period| period.end()), file));
    }
    found
}

/// The bytes at which lines begin.
pub fn line_starts(text: &str) -> Vec<usize> {
    std::iter::once(0).chain(text.match_indices('\n').map(|(newline, _)| newline + 1)).collect()
}

/// What the statements that follow nothing else belong to.
pub const BASE: &str = "#program base.";

/// A text whose includes have been read, or some of them. As in clingo, what follows one belongs to the part `base`.
pub fn without_includes(text: &str, is_read: impl Fn(Option<&str>) -> bool) -> String {
    let mut left = text.to_owned();
    for (range, _) in includes(text).into_iter().rev().filter(|(_, file)| is_read(file.as_deref())) {
        let newlines = text[range.clone()].matches('\n').count();
        let length = range.len() - newlines;
        left.replace_range(range, &format!("{BASE:length$}{}", "\n".repeat(newlines)));
    }
    left
}

/// The text with blanks for some of its bytes; lines stay lines.
pub fn blanked(text: &str, ranges: impl IntoIterator<Item = Range<usize>>) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for byte in ranges.into_iter().flatten() {
        if bytes[byte] != b'\n' {
            bytes[byte] = b' ';
        }
    }
    // Statements begin and end with whole characters.
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A comment that tells a tool something: `%!word rest`, on a line of its own.
#[derive(Debug, Clone)]
pub struct Remark<'a> {
    /// Its bytes, from `%` to the last sign.
    pub range: Range<usize>,
    pub word: &'a str,
    pub rest: &'a str,
}

/// The remarks of a text. What stands in a block comment or in a string is none of them.
pub fn remarks(text: &str) -> impl Iterator<Item = Remark<'_>> {
    lex(text).filter(|token| token.kind == Kind::Comment).filter_map(|token| {
        let said = token.text.strip_prefix("%!")?.trim_end();
        let (word, rest) = said.split_at(said.find([' ', '{', '.']).unwrap_or(said.len()));
        let line = text[..token.start].rsplit('\n').next().unwrap_or_default();
        let range = token.start..token.start + "%!".len() + said.len();
        line.trim().is_empty().then_some(Remark { range, word, rest })
    })
}

/// Whether `text` has nothing but white space and comments.
pub fn is_blank(text: &str) -> bool {
    tokens(text).next().is_none()
}

/// Where the facts end that begin here, between two statements: those of words, strings, numbers of up to nine digits and a few
/// brackets. What reads rules passes over them at the speed of memory.
pub fn after_facts(text: &str, from: usize) -> usize {
    const FEW: usize = 50;
    let (mut end, mut before, mut digits, mut depth, mut is_quoted) = (from, b'.', 0, 0, false);
    let bytes = text.as_bytes();
    for (at, &byte) in bytes.iter().enumerate().skip(from) {
        digits = if byte.is_ascii_digit() { digits + 1 } else { 0 };
        match byte {
            b'"' => is_quoted = !is_quoted,
            b'\\' => return end,
            b'\n' if is_quoted => return end,
            _ if is_quoted || byte.is_ascii_whitespace() => continue,
            // 0x10 is a number in another base.
            b'a'..=b'z' | b'A'..=b'Z' if !before.is_ascii_digit() => {}
            b'0'..=b'9' if digits < 10 => {}
            b'(' if depth < FEW => depth += 1,
            b')' if depth > 0 => depth -= 1,
            // The negative of a constant may have more than 32 bits.
            b'-' if matches!(before, b'(' | b',') && bytes.get(at + 1).is_some_and(u8::is_ascii_digit) => {}
            b'.' if before != b'.' && depth == 0 && bytes.get(at + 1) != Some(&b'.') => end = at + 1,
            b',' | b'_' | b'\'' => {}
            _ => return end,
        }
        before = byte;
    }
    end
}

/// How deep the terms of `text` nest, comments and strings left out: brackets, and operators one after the other. Facts that
/// nest a little are passed over.
pub fn nesting_depth(text: &str) -> usize {
    let (mut depth, mut operators, mut deepest) = (0_usize, 0, 0);
    let mut lexer = Lexer { text, at: after_facts(text, 0) };
    while let Some(token) = lexer.next() {
        match token.text {
            _ if matches!(token.kind, Kind::Blank | Kind::Comment | Kind::Block) => continue,
            "." => {
                operators = 0;
                lexer.at = after_facts(text, lexer.at);
            }
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            "+" | "-" | "*" | "**" | "/" | "\\" | "&" | "?" | "^" | "~" => operators += 1,
            "," | ";" | ":" | ":-" | ":~" | ".." => operators = 0,
            _ => {}
        }
        deepest = deepest.max(depth + operators);
    }
    deepest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_passed_over_and_nothing_else() {
        let facts = "p(1,a_B',\"x: %{-}\").\n\n q(-12, f((2))).  r.\ns(X,\n 3).";
        let end = |rest: &str| after_facts(&format!("{facts}{rest}"), 0) - facts.len();
        assert_eq!(end("p(123456789)."), 13);
        let rules = [
            "p(1) :- q.",
            "p(1..2).",
            "p(1;2).",
            "p(1+1).",
            "p(2-1).",
            "p(-c).",
            "p(--1).",
            "p(1234567890).",
            "p(0x10).",
            "p(1/0).",
            "p(1\\0).",
            "p(2**31).",
            "p(~0).",
            "p(|1|).",
            "p(1)",
            "p(\"a",
            "p(\"a\n\").",
            "p(\"\\\"\").",
            "% a.",
            "%* a.\n*%",
            "#const c = 1.",
            "p(1)).",
            "p(1.",
            "p(é).",
        ];
        for rule in rules {
            assert_eq!(end(rule), 0, "{rule}");
            assert_eq!(end(&format!("\nq. {rule}\n")), 3, "{rule}");
        }
        assert_eq!(after_facts("p :- q. r.\ns.", 7), 13);
        assert_eq!(nesting_depth(&format!("{facts}p(f(g(1))) :- q(1+2+3+4). r(((0))).\n")), 4);
    }

    fn heads(text: &str) -> Vec<(&str, usize, bool)> {
        let heads = statements(text).into_iter();
        heads.filter_map(|statement| statement.head.map(|(name, arity)| (name, arity, statement.is_fact))).collect()
    }

    #[test]
    fn tokens_are_all_of_a_text_whatever_it_is() {
        let text = "p(X,\"% \\\"\"):-q'(1..2) ,X<=-3**2,#sum{1:é}!=0.%!a\n%*b\n\"*%:~...\"c";
        let all: Vec<Token<'_>> = lex(text).collect();
        assert_eq!(all.iter().map(|token| token.text).collect::<String>(), text);
        assert!(all.iter().all(|token| &text[token.range()] == token.text && !token.text.is_empty()));
        let meaning: Vec<&str> = tokens(text).map(|token| token.text).collect();
        let wanted = [
            "p",
            "(",
            "X",
            ",",
            "\"% \\\"\"",
            ")",
            ":-",
            "q'",
            "(",
            "1",
            "..",
            "2",
            ")",
            ",",
            "X",
            "<=",
            "-",
            "3",
            "**",
            "2",
            ",",
            "#sum",
            "{",
            "1",
            ":",
            "é",
            "}",
            "!=",
            "0",
            ".",
            ":~",
            "...",
            "\"c",
        ];
        assert_eq!(meaning, wanted);
    }

    #[test]
    fn a_signature_is_read_from_an_atom_and_printed_as_it_is_shown() {
        let told = |atom| Signature::of(atom).map(|signature| signature.to_string());
        assert_eq!(told(" -p (a, f(b,c))").as_deref(), Some("-p/2"));
        assert_eq!(told("_q").as_deref(), Some("_q/0"));
        assert_eq!((told("X"), told("p(1"), told("a, b")), (None, None, None));
        assert_eq!(Signature::new("p", 1).negated().atom(&["X".to_owned()]), "-p(X)");
    }

    #[test]
    fn facts_and_rules_are_told_apart() {
        assert!(heads("not a. not b(1).\nnot\tnot c. %*x*%not d.").is_empty());
        let found = heads("notable. a. b(1, f(2,3)) . c(X) :- d(X). { e }. :- f. g(1..3). #show h/1. \"x.\" .");
        assert_eq!(found, [("notable", 0, true), ("a", 0, true), ("b", 2, true), ("c", 1, false), ("g", 1, true)]);
    }

    #[test]
    fn comments_and_strings_hide_dots() {
        let found = heads("% a. b.\nc(\"% . \\\" d.\"). %* e.\n f. *% g.");
        assert_eq!(found.iter().map(|head| head.0).collect::<Vec<_>>(), ["c", "g"]);
    }

    #[test]
    fn a_fact_is_found_however_it_is_spaced() {
        let text = "x. color( b ,\n  red ) . color(b,yellow).";
        assert_eq!(find_fact(text, "color(b,red)").map(|range| &text[range]), Some("color( b ,\n  red )"));
        assert_eq!(find_fact(text, "color(b,green)"), None);
    }

    #[test]
    fn terms_are_shown_where_it_is_no_signature() {
        for (text, wanted) in [
            ("#show. #show p/1. #show -q/2. #show r / 0.", false),
            ("% #show a.\n\"#show a.\" #show p/1.", false),
            ("#show a.", true),
            ("p. #show p(X)/1 : q(X).", true),
            ("#show -1.", true),
            ("#show", false),
        ] {
            assert_eq!(shown(text).any(|shown| shown.is_none()), wanted, "{text}");
        }
    }

    #[test]
    fn words_in_comments_and_strings_are_not_used() {
        let text = "a :- b'c, \"x\", not d. % e\n%* f. *% g(h)..i. j";
        let used = ["a", "b'c", "d", "g", "h", "i"];
        assert!(used.iter().all(|name| uses(text, name)));
        assert!(!uses_any(text, &["b", "c", "x", "e", "f", "j"]) && uses_any(text, &["x", "d"]));
    }

    #[test]
    fn a_program_is_the_same_whatever_its_comments() {
        assert_eq!(squeezed("a.  % one\n%* two *% b(\"% c\")."), "a. b(\"% c\").");
        assert!(are_same("a.  % one\n%* two *% b(\"% c\").", "a.\n\n b(\"% c\"). % three"));
        assert!(!are_same(":- not b.", ":- notb.") && !are_same("a.", "a. b."));
        assert_eq!(predicates("a :- not b (X), \"c(1)\" < X. % d(1)\n{ e'(1) : f }.").collect::<Vec<_>>(), ["b", "e'"]);
    }

    #[test]
    fn includes_are_found_between_other_statements() {
        let text = ":~ a. [1@2]\n#include \"b/../c.lp\" .\n% #include \"d\".\n#include <incmode>. e(\"#include \").";
        let found: Vec<(&str, Option<String>)> =
            includes(text).into_iter().map(|(range, file)| (&text[range], file)).collect();
        assert_eq!(found, [("#include \"b/../c.lp\" .", Some("b/../c.lp".to_owned())), ("#include <incmode>.", None)]);
    }

    #[test]
    fn comments_hide_no_include() {
        let text = "#include%*.*% \"a\". #include % .\n\"b\"%*.*%. #include%*\"c\".*%<incmode>. c.";
        let found: Vec<(&str, Option<String>)> =
            includes(text).into_iter().map(|(range, file)| (&text[range], file)).collect();
        let named = |name: &str| Some(name.to_owned());
        let [a, b, c] = ["#include%*.*% \"a\".", "#include % .\n\"b\"%*.*%.", "#include%*\"c\".*%<incmode>."];
        assert_eq!(found, [(a, named("a")), (b, named("b")), (c, None)]);
    }

    #[test]
    fn unfinished_text_does_not_panic() {
        for text in [
            "",
            "a",
            "\"",
            "%*",
            "(",
            "a(",
            ".",
            "..",
            "a(\"",
            "é.",
            "a(é",
            "%* *",
            "\\",
            "#include",
            "#include \"",
            "#include \"é",
            "é#include<",
        ] {
            includes(text);
            statements(text);
            nesting_depth(text);
            uses(text, "a");
        }
    }
}
