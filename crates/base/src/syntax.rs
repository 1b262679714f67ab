//! Lexer of logic programs, and analyses of their tokens.
//!
//! clingo parses programs; this module locates facts, so that an error about a fact can underline
//! it, and lists the predicates of a text, so that a puzzle can be recognised before grounding.

use std::fmt;
use std::io::BufRead;
use std::ops::Range;
use std::str::FromStr;

/// A predicate.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Signature {
    /// False for classically negated predicates.
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

    /// Returns the signature of an atom in source notation.
    pub fn of(atom: &str) -> Option<Self> {
        let atom = atom.trim();
        let bare = atom.strip_prefix('-').unwrap_or(atom);
        let text = format!("{bare}.");
        let (name, arity) = statements(&text).first()?.head?;
        Some(Signature { is_positive: bare.len() == atom.len(), ..Signature::new(name, arity) })
    }

    /// Returns the name, with `-` before it if the predicate is negated.
    pub fn signed(&self) -> String {
        format!("{}{}", if self.is_positive { "" } else { "-" }, self.name)
    }

    /// Returns the atom with these arguments.
    pub fn atom(&self, arguments: &[String]) -> String {
        let name = self.signed();
        if arguments.is_empty() { name } else { format!("{name}({})", arguments.join(",")) }
    }
}

/// Parses a signature such as `-p/2`.
impl FromStr for Signature {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (name, arity) = text.split_once('/').ok_or(())?;
        let bare = name.strip_prefix('-').unwrap_or(name);
        let is_valid = is_name(bare) && bare.chars().all(is_word);
        let signature = Signature::new(bare, number(arity).ok_or(())?);
        let signature = if bare.len() == name.len() { signature } else { signature.negated() };
        if is_valid { Ok(signature) } else { Err(()) }
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.signed(), self.arity)
    }
}

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    /// White space
    Whitespace,
    /// `% …` or `#! …` up to the end of its line.
    Comment,
    /// `%* … *%`; comments may nest in it.
    BlockComment,
    /// A string, including its quotes
    Str,
    /// A name, a variable, a number, or a directive with its `#`
    Ident,
    /// An operator or a bracket
    Punct,
    /// An operator in a theory atom or in a theory definition, such as `<=` or `.-`.
    TheoryOperator,
    /// The code of a script, including its `#end`.
    Code,
    /// Not a token of clingo: an unknown character, an unknown directive, or the quote of a string
    /// that does not end in its line.
    Invalid,
}

impl TokenKind {
    /// Returns true for white space and comments.
    pub fn is_blank(self) -> bool {
        matches!(self, TokenKind::Whitespace | TokenKind::Comment | TokenKind::BlockComment)
    }
}

/// A token with its position in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token<'a> {
    pub kind: TokenKind,
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

/// Splits a text into tokens as clingo's lexer does. The concatenated tokens are the text. A
/// comment or a script without an end extends to the end of the text.
#[derive(Debug, Clone)]
pub struct Lexer<'a> {
    text: &'a str,
    /// Byte offset of the next token.
    pub at: usize,
    context: Context,
    /// Byte range of the last token that is neither white space nor a comment.
    before: Range<usize>,
}

/// The parts of the parser's state that determine how characters become tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Context {
    Program,
    /// `#script (lua`
    Script,
    /// Between `#script (lua)` and `#end`.
    Code,
    /// After the `&` of a theory atom
    AtomName,
    /// After the name of a theory atom, inside this many parentheses
    AtomArguments(usize),
    /// In the tuple of an element of a theory atom, inside this many brackets
    Element(usize),
    /// In the condition of an element
    Condition(usize),
    /// After the elements of a theory atom
    Guard,
    /// After the operator of a guard, inside this many brackets; true after a term
    GuardTerm(usize, bool),
    /// After `#theory`
    TheoryName,
    /// Inside the braces of a theory definition
    Definitions,
    /// Before an operator of a theory definition
    Operators,
    /// After an operator of a theory definition
    Operator,
    /// After an operator and `:`
    Arity,
}

impl Context {
    /// Returns true if a run of operator characters is a single token.
    fn has_theory_operators(self) -> bool {
        matches!(self, Context::Element(_) | Context::Guard | Context::GuardTerm(..) | Context::Operators)
    }

    /// The context after a token that is neither white space nor a comment.
    fn after(self, kind: TokenKind, text: &str) -> Self {
        let is_operator = kind == TokenKind::TheoryOperator || text == "not";
        let opens = matches!(text, "(" | "[" | "{");
        let closes = matches!(text, ")" | "]" | "}");
        match (self, text) {
            (Context::Script, ")") => Context::Code,
            (Context::Script, _) => Context::Script,
            (Context::Code, _) | (_, ".") => Context::Program,
            (Context::AtomName, _) if kind == TokenKind::Ident => Context::AtomArguments(0),
            (Context::AtomArguments(depth), "(") => Context::AtomArguments(depth + 1),
            (Context::AtomArguments(0), "{") => Context::Element(0),
            (Context::AtomArguments(depth @ 1..), ")") => Context::AtomArguments(depth - 1),
            (Context::AtomArguments(1..), _) => self,
            (Context::Element(0) | Context::Condition(0), "}") => Context::Guard,
            (Context::Element(0), ":") => Context::Condition(0),
            (Context::Condition(0), ";") => Context::Element(0),
            (Context::Element(depth), _) if opens => Context::Element(depth + 1),
            (Context::Element(depth), _) if closes => Context::Element(depth.saturating_sub(1)),
            (Context::Condition(depth), _) if opens => Context::Condition(depth + 1),
            (Context::Condition(depth), _) if closes => Context::Condition(depth.saturating_sub(1)),
            (Context::Element(_) | Context::Condition(_), _) => self,
            (Context::Guard | Context::GuardTerm(0, _), _) if is_operator => Context::GuardTerm(0, false),
            (Context::GuardTerm(0, false), _) if matches!(kind, TokenKind::Ident | TokenKind::Str) => {
                Context::GuardTerm(0, true)
            }
            (Context::GuardTerm(0, is_after_term), _) if text == "(" || opens && !is_after_term => {
                Context::GuardTerm(1, false)
            }
            (Context::GuardTerm(depth @ 1.., _), _) => match () {
                () if opens => Context::GuardTerm(depth + 1, false),
                () if closes => Context::GuardTerm(depth - 1, true),
                () => self,
            },
            (Context::TheoryName, "{") => Context::Definitions,
            (Context::TheoryName, _) => self,
            (Context::Definitions, "{") => Context::Operators,
            (Context::Operators | Context::Operator | Context::Arity, "}") => Context::Definitions,
            (Context::Operators, _) if is_operator => Context::Operator,
            (Context::Operator, ":") => Context::Arity,
            (Context::Operator, ",") | (Context::Arity, ";") => Context::Operators,
            (Context::Definitions, text) if text != "}" => self,
            (Context::Operators | Context::Operator | Context::Arity, _) => self,
            (_, "#script") => Context::Script,
            (_, "#theory") => Context::TheoryName,
            _ => Context::Program,
        }
    }
}

pub fn lex(text: &str) -> Lexer<'_> {
    Lexer { text, at: 0, context: Context::Program, before: 0..0 }
}

impl<'a> Iterator for Lexer<'a> {
    type Item = Token<'a>;

    #[inline]
    fn next(&mut self) -> Option<Token<'a>> {
        let rest = &self.text.as_bytes()[self.at..];
        let (kind, length) = match *rest.first()? {
            _ if self.context == Context::Code => (TokenKind::Code, code(rest)),
            byte if byte.is_ascii_alphabetic() => (TokenKind::Ident, run(rest, is_word_byte)),
            byte if is_blank_byte(byte) => (TokenKind::Whitespace, run(rest, is_blank_byte)),
            b'0'..=b'9' => (TokenKind::Ident, digits(rest)),
            b'_' | b'\'' => name(rest),
            b'%' if rest.get(1) == Some(&b'*') => (TokenKind::BlockComment, block_comment(rest)),
            b'%' => (TokenKind::Comment, line(rest)),
            b'#' if rest.get(1) == Some(&b'!') => (TokenKind::Comment, line(rest)),
            b'#' => directive(rest),
            b'"' => string(rest).map_or((TokenKind::Invalid, 1), |length| (TokenKind::Str, length)),
            byte if self.context.has_theory_operators() && is_theory_operator_byte(byte) => theory_operator(rest),
            byte if byte.is_ascii() => sign(rest),
            _ => (TokenKind::Invalid, self.text.ceil_char_boundary(self.at + 1) - self.at),
        };
        let start = self.at;
        self.at += length;
        let text = &self.text[start..self.at];
        if !kind.is_blank() {
            self.context = match (self.context, text) {
                (Context::Program, "&") if !ends_term(&self.text[self.before.clone()]) => Context::AtomName,
                (Context::Program, _) if !matches!(rest[0], b'#') => Context::Program,
                (context, text) => context.after(kind, text),
            };
            self.before = start..self.at;
        } else if self.context == Context::Script && kind != TokenKind::Whitespace {
            // clingo's lexer does not return to the script after a comment.
            self.context = Context::Program;
        }
        Some(Token { kind, start, text })
    }
}

/// Returns true if `&` after this token is an operator of a term, and does not begin a theory atom.
fn ends_term(token: &str) -> bool {
    match token.as_bytes() {
        [b')' | b'|' | b'"', ..] => true,
        [b'#', ..] => ["#inf", "#infimum", "#sup", "#supremum"].contains(&token),
        [first, ..] => is_word_byte(*first) && token != "not",
        [] => false,
    }
}

/// Length of the leading bytes that satisfy `is_in`.
fn run(bytes: &[u8], is_in: impl Fn(u8) -> bool) -> usize {
    bytes.iter().position(|&byte| !is_in(byte)).unwrap_or(bytes.len())
}

/// Length of the rest of the line.
fn line(bytes: &[u8]) -> usize {
    // The fast search for a byte in a slice.
    let length = { bytes }.skip_until(b'\n').expect("memory can be read");
    length - usize::from(bytes[..length].ends_with(b"\n"))
}

/// Length of a number: `0`, `12`, `0x1F`, `0o17` or `0b10`. As in clingo, an octal number has no
/// digit 0.
fn digits(bytes: &[u8]) -> usize {
    let in_base = |is_digit: fn(u8) -> bool| 2 + run(&bytes[2..], is_digit);
    let length = match bytes {
        [b'0', b'x', ..] => in_base(|byte| byte.is_ascii_hexdigit()),
        [b'0', b'o', ..] => in_base(|byte| matches!(byte, b'1'..=b'7')),
        [b'0', b'b', ..] => in_base(|byte| matches!(byte, b'0' | b'1')),
        [b'0', ..] => 1,
        _ => run(bytes, |byte| byte.is_ascii_digit()),
    };
    if length > 2 || bytes[0] != b'0' { length } else { 1 }
}

/// Parses a number in clingo's notation.
fn number(word: &str) -> Option<usize> {
    let is_whole = word.starts_with(|first: char| first.is_ascii_digit()) && digits(word.as_bytes()) == word.len();
    let (base, digits) = match word.get(..2) {
        Some("0x") => (16, &word[2..]),
        Some("0o") => (8, &word[2..]),
        Some("0b") => (2, &word[2..]),
        _ => (10, word),
    };
    usize::from_str_radix(digits, base).ok().filter(|_| is_whole)
}

/// A name that begins with `_` or `'`.
fn name(bytes: &[u8]) -> (TokenKind, usize) {
    let prefix = run(bytes, |byte| matches!(byte, b'_' | b'\''));
    match bytes.get(prefix) {
        Some(byte) if byte.is_ascii_alphabetic() => (TokenKind::Ident, prefix + run(&bytes[prefix..], is_word_byte)),
        _ if bytes[0] == b'_' => (TokenKind::Ident, 1),
        _ => (TokenKind::Invalid, 1),
    }
}

fn directive(bytes: &[u8]) -> (TokenKind, usize) {
    let length = 1 + run(&bytes[1..], |byte| byte.is_ascii_alphanumeric() || byte == b'_');
    match &bytes[..length] {
        b"#sum" if bytes.get(length) == Some(&b'+') => (TokenKind::Ident, length + 1),
        // To clingo, `#showp/1.` is `#show p/1.`
        word if word.starts_with(b"#show") && is_signature(&bytes[b"#show".len()..]) => {
            (TokenKind::Ident, b"#show".len())
        }
        word if DIRECTIVES.iter().any(|known| known.as_bytes() == word) => (TokenKind::Ident, length),
        _ => (TokenKind::Invalid, length),
    }
}

/// Returns true if a signature and a period follow, such as `-p/2.`
fn is_signature(bytes: &[u8]) -> bool {
    let blanks = |at: usize| run(&bytes[at..], is_blank_byte);
    let mut at = blanks(0);
    if matches!(bytes.get(at), Some(b'-' | b'$')) {
        at += 1;
        at += blanks(at);
    }
    let first = at + run(&bytes[at..], |byte| matches!(byte, b'_' | b'\''));
    if !bytes.get(first).is_some_and(u8::is_ascii_lowercase) {
        return false;
    }
    at = first + run(&bytes[first..], is_word_byte);
    at += blanks(at);
    if bytes.get(at) != Some(&b'/') {
        return false;
    }
    at += 1;
    at += blanks(at);
    if !bytes.get(at).is_some_and(u8::is_ascii_digit) {
        return false;
    }
    at += digits(&bytes[at..]);
    at += blanks(at);
    bytes.get(at) == Some(&b'.')
}

/// Length of a string. `None` if it does not end in its line or has an escape other than `\\`, `\"`
/// and `\n`.
fn string(bytes: &[u8]) -> Option<usize> {
    let mut at = 1;
    loop {
        match bytes[at..] {
            [b'"', ..] => return Some(at + 1),
            [b'\\', b'\\' | b'"' | b'n', ..] => at += 2,
            [] | [b'\\' | b'\n', ..] => return None,
            [_, ..] => at += 1,
        }
    }
}

/// Length of a block comment. Comments nest: inside a comment, `%*` opens another one, and the rest
/// of a line after `%` is skipped.
fn block_comment(bytes: &[u8]) -> usize {
    let mut at = 2;
    let mut depth = 1_usize;
    while depth > 0 && at < bytes.len() {
        at += match bytes[at..] {
            [b'*', b'%', ..] => {
                depth -= 1;
                2
            }
            [b'%', b'*', ..] => {
                depth += 1;
                2
            }
            [b'%', ..] => line(&bytes[at..]),
            _ => 1,
        };
    }
    at
}

/// Length of the code of a script and its `#end`.
fn code(bytes: &[u8]) -> usize {
    const END: &[u8] = b"#end";
    bytes.windows(END.len()).position(|window| window == END).map_or(bytes.len(), |end| end + END.len())
}

fn is_theory_operator_byte(byte: u8) -> bool {
    b"/!<=>+-*\\?&@|:;~^.".contains(&byte)
}

fn theory_operator(bytes: &[u8]) -> (TokenKind, usize) {
    let length = run(bytes, is_theory_operator_byte);
    let is_sign = matches!(&bytes[..length], b"." | b";" | b":" | b":-");
    (if is_sign { TokenKind::Punct } else { TokenKind::TheoryOperator }, length)
}

fn sign(bytes: &[u8]) -> (TokenKind, usize) {
    match bytes {
        [b':', b'-' | b'~', ..] | [b'!' | b'<' | b'>' | b'=', b'=', ..] => (TokenKind::Punct, 2),
        [b'*', b'*', ..] | [b'.', b'.', ..] | [b'<', b'>', ..] => (TokenKind::Punct, 2),
        [byte, ..] if b".:;,|[](){}+-*/\\<>=@&^~?".contains(byte) => (TokenKind::Punct, 1),
        _ => (TokenKind::Invalid, 1),
    }
}

/// The tokens without white space and comments.
pub fn tokens(text: &str) -> impl Iterator<Item = Token<'_>> + Clone {
    lex(text).filter(|token| !token.kind.is_blank())
}

/// The texts of [`tokens`].
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    tokens(text).map(|token| token.text)
}

/// Returns true if two texts differ only in white space and comments and so are the same program.
pub fn have_same_tokens(first: &str, second: &str) -> bool {
    words(first).eq(words(second))
}

fn is_blank_byte(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'\'')
}

pub fn is_word(character: char) -> bool {
    u8::try_from(character).is_ok_and(is_word_byte)
}

/// Returns true if a word can name a predicate, a function or a constant.
pub fn is_name(word: &str) -> bool {
    word.trim_start_matches(['_', '\'']).starts_with(|first: char| first.is_ascii_lowercase())
}

/// The name of an atom's predicate, including its sign.
pub fn name_of(atom: &str) -> &str {
    atom.split('(').next().unwrap_or_default().trim()
}

/// Replaces the words for which `new` returns a replacement. Strings and comments do not change.
pub fn rename_words<'a>(text: &'a str, mut new: impl FnMut(Token<'a>) -> Option<String>) -> String {
    let mut out = String::with_capacity(text.len());
    for token in lex(text) {
        match Some(token).filter(|token| token.kind == TokenKind::Ident).and_then(&mut new) {
            Some(word) => out += &word,
            None => out += token.text,
        }
    }
    out
}

/// One statement of a logic program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement<'a> {
    /// Byte range from the first character to the period, or to the bracket after it: `:~ a.
    /// [1@2]`.
    pub range: Range<usize>,
    /// Name and arity of a plain head; `None` for directives, constraints, choices, disjunctions,
    /// aggregates and negated atoms.
    pub head: Option<(&'a str, usize)>,
    /// True for a head without a body.
    pub is_fact: bool,
}

/// All statements of `text`, in order. Text without a final period is ignored.
pub fn statements(text: &str) -> Vec<Statement<'_>> {
    ranges(text).map(|range| statement(text, range)).collect()
}

/// The byte range of each statement, without parsing it.
pub fn ranges(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut tokens = tokens(text).peekable();
    std::iter::from_fn(move || {
        let first = tokens.next()?;
        let period = std::iter::once(first).chain(tokens.by_ref()).find(|token| token.text == ".")?;
        let mut end = period.end();
        // No statement begins with a bracket: this one belongs to `:~`, `#const`, `#external` or
        // `#heuristic`.
        if tokens.peek().is_some_and(|next| next.text == "[") {
            let mut ahead = tokens.clone();
            if let Some(close) = ahead.by_ref().take_while(|token| token.text != ".").find(|token| token.text == "]") {
                (tokens, end) = (ahead, close.end());
            }
        }
        Some(first.start..end)
    })
}

fn statement(text: &str, range: Range<usize>) -> Statement<'_> {
    let source = &text[range.clone()];
    let mut tokens = tokens(source);
    let head = tokens.next().filter(|first| is_name(first.text) && first.text != "not").and_then(|name| {
        let next = tokens.next()?;
        let (arity, length) = arguments(&source[next.start..]);
        let following = if length == 0 { Some(next) } else { self::tokens(&source[next.start + length..]).next() };
        Some((name.text, arity, following.map_or("", |token| token.text)))
    });
    let is_fact = matches!(head, Some((.., ".")));
    let head = head.filter(|(.., following)| is_fact || *following == ":-").map(|(name, arity, _)| (name, arity));
    Statement { range, head, is_fact }
}

/// Number of arguments and byte length of an argument list at the start of `text`.
pub fn arguments(text: &str) -> (usize, usize) {
    let mut depth = 0_usize;
    let mut commas = 0;
    let mut tokens = 0;
    let mut length = 0;
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

/// The byte range of the fact `atom` (as clingo prints it), without its period.
pub fn find_fact(text: &str, atom: &str) -> Option<Range<usize>> {
    let name = atom.split('(').next().unwrap_or(atom);
    statements(text).into_iter().filter(|statement| statement.is_fact).find_map(|Statement { range, .. }| {
        let source = text[range.clone()].strip_suffix('.')?.trim_end();
        let is_match = source.starts_with(name) && have_same_tokens(source, atom);
        is_match.then_some(range.start..range.start + source.len())
    })
}

/// Returns true if the word `name` occurs in `text` outside comments and strings.
pub fn uses(text: &str, name: &str) -> bool {
    uses_any(text, &[name])
}

/// As [`uses`], for any of several names.
pub fn uses_any(text: &str, names: &[&str]) -> bool {
    let is_used = |range: Range<usize>| tokens(&text[range]).any(|token| names.contains(&token.text));
    names.iter().any(|name| text.contains(name)) && ranges(text).any(is_used)
}

/// Replaces each run of white space and comments by one blank.
pub fn normalize_whitespace(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut end = 0;
    for token in tokens(text) {
        if token.start > end && !out.is_empty() {
            out.push(' ');
        }
        out += token.text;
        end = token.end();
    }
    out
}

/// Names with an argument list, outside comments and strings: predicates and functions, whose
/// syntax is the same.
pub fn predicates(text: &str) -> impl Iterator<Item = &str> {
    let following = tokens(text).skip(1);
    let is_open = |(name, following): &(Token<'_>, Token<'_>)| is_name(name.text) && following.text == "(";
    tokens(text).zip(following).filter(is_open).map(|(name, _)| name.text)
}

/// The signature of each `#show p/1.`; `None` for `#show a : b.`, which shows terms. For clingo
/// `#show p/1 %* *%.` shows the term `p/1`: a signature contains no comments.
pub fn shown_signatures(text: &str) -> impl Iterator<Item = Option<Signature>> {
    let ranges = text.contains("#show").then(|| ranges(text)).into_iter().flatten();
    ranges.filter_map(|range| {
        let mut tokens = lex(&text[range]);
        tokens.next().filter(|first| first.text == "#show")?;
        let mut shown = String::new();
        let mut has_comments = false;
        for token in tokens {
            if token.kind.is_blank() {
                has_comments |= token.kind != TokenKind::Whitespace
            } else {
                shown += token.text
            }
        }
        let signature = shown.strip_suffix('.').filter(|_| !has_comments).and_then(|shown| shown.parse().ok());
        (shown != ".").then_some(signature)
    })
}

/// Returns true for a ground program in gringo's own format (aspif).
pub fn is_ground_format(text: &str) -> bool {
    text.strip_prefix("asp ").is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()))
}

/// clingo's words that begin with `#`.
pub const DIRECTIVES: [&str; 26] = [
    "#const",
    "#count",
    "#defined",
    "#edge",
    "#external",
    "#false",
    "#heuristic",
    "#include",
    "#inf",
    "#infimum",
    "#max",
    "#maximise",
    "#maximize",
    "#min",
    "#minimise",
    "#minimize",
    "#program",
    "#project",
    "#script",
    "#show",
    "#sum",
    "#sum+",
    "#sup",
    "#supremum",
    "#theory",
    "#true",
];

/// Returns true if the text has an optimisation statement or a weak constraint.
pub fn minimises(text: &str) -> bool {
    const WORDS: [&str; 5] = ["#minimize", "#minimise", "#maximize", "#maximise", ":~"];
    WORDS.iter().any(|word| text.contains(word)) && words(text).any(|word| WORDS.contains(&word))
}

/// Returns true if the beginning of `text` contains an arrow or a statement, which only logic
/// programs do.
pub fn looks_like_a_program(text: &str) -> bool {
    const MAX_BYTES: usize = 1 << 16;
    let text = &text[..text.floor_char_boundary(MAX_BYTES)];
    let begins_like_statement = |source| {
        let mut tokens = tokens(source).skip_while(|token| token.text == "-");
        let Some(first) = tokens.next() else { return false };
        let follows_name = |next: Token<'_>| next.text == "." || next.text.starts_with(['(', ';', ',', '|', ':']);
        first.text.starts_with(['&', '{'])
            || first.text.starts_with('#') && first.text[1..].starts_with(|next: char| next.is_ascii_lowercase())
            || is_name(first.text) && tokens.next().is_some_and(follows_name)
    };
    let is_statement = |range: Range<usize>| {
        let source = &text[range];
        // Consecutive dots are cells of a board.
        !source.ends_with("..") && (begins_like_statement(source) || source.contains(['{', '@']))
    };
    is_ground_format(text)
        || text.contains(":-")
        || text.contains(":~")
        || ranges(text).any(is_statement)
        || begins_like_statement(text) && tokens(text).any(|token| token.text == "(")
}

/// The byte range and the file of each `#include "file".`; `None` for `#include <incmode>.`
pub fn includes(text: &str) -> Vec<(Range<usize>, Option<String>)> {
    let mut found = Vec::new();
    if !text.contains("#include") {
        return found;
    }
    let mut tokens = tokens(text);
    while let Some(directive) = tokens.find(|token| token.text == "#include") {
        let first = tokens.next();
        let file = first.filter(|first| first.kind == TokenKind::Str).map(|first| unquote(first.text));
        let period = first.into_iter().chain(tokens.by_ref()).find(|token| token.text == ".");
        found.push((directive.start..period.map_or(text.len(), |period| period.end()), file));
    }
    found
}

/// The files that clingo may read when it reads a text. Unlike [`includes`], lists every string
/// that follows `#include`, also in comments, in scripts and after errors.
pub fn possible_includes(text: &str) -> impl Iterator<Item = String> + '_ {
    text.match_indices("#include").filter_map(|(at, word)| {
        let file = tokens(&text[at + word.len()..]).next()?;
        (file.kind == TokenKind::Str).then(|| unquote(file.text))
    })
}

/// The value of a string in source notation, with quotes and escapes.
pub fn unquote(string: &str) -> String {
    let inside = string.strip_prefix('"').and_then(|string| string.strip_suffix('"')).unwrap_or(string);
    let mut value = String::with_capacity(inside.len());
    let mut characters = inside.chars();
    while let Some(character) = characters.next() {
        value.push(match character {
            '\\' => match characters.next() {
                Some('n') => '\n',
                Some(escaped) => escaped,
                None => '\\',
            },
            _ => character,
        });
    }
    value
}

/// The directive of the default program part.
pub const BASE: &str = "#program base.";

/// Replaces includes for which `is_read` returns true by [`BASE`]: in clingo, statements after an
/// include belong to the part `base`. Positions in the text stay the same.
pub fn without_includes(text: &str, is_read: impl Fn(Option<&str>) -> bool) -> String {
    let mut result = text.to_owned();
    for (range, _) in includes(text).into_iter().rev().filter(|(_, file)| is_read(file.as_deref())) {
        let newlines = text[range.clone()].matches('\n').count();
        let length = range.len() - newlines;
        result.replace_range(range, &format!("{BASE:length$}{}", "\n".repeat(newlines)));
    }
    result
}

/// Replaces byte ranges by blanks, and keeps line ends.
pub fn blank_out(text: &str, ranges: impl IntoIterator<Item = Range<usize>>) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for byte in ranges.into_iter().flatten() {
        if bytes[byte] != b'\n' {
            bytes[byte] = b' ';
        }
    }
    // Ranges of statements end at character boundaries.
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A comment with instructions for a tool, on its own line: `%!word rest`.
#[derive(Debug, Clone)]
pub struct Annotation<'a> {
    /// Byte range from `%` to the last character.
    pub range: Range<usize>,
    pub word: &'a str,
    pub rest: &'a str,
}

/// The annotations of a text, outside block comments and strings.
pub fn annotations(text: &str) -> impl Iterator<Item = Annotation<'_>> {
    lex(text).filter(|token| token.kind == TokenKind::Comment).filter_map(|token| {
        let content = token.text.strip_prefix("%!")?.trim_end();
        let (word, rest) = content.split_at(content.find([' ', '{', '.']).unwrap_or(content.len()));
        let line = text[..token.start].rsplit('\n').next().unwrap_or_default();
        let range = token.start..token.start + "%!".len() + content.len();
        line.trim().is_empty().then_some(Annotation { range, word, rest })
    })
}

/// Returns true if `text` consists of white space and comments.
pub fn is_blank(text: &str) -> bool {
    tokens(text).next().is_none()
}

/// Returns the end of the simple facts that begin at `from`, a position between two statements.
/// Simple facts consist of words, strings, numbers of up to nine digits and a few brackets.
/// Analyses of rules skip them quickly.
pub fn end_of_facts(text: &str, from: usize) -> usize {
    const MAX_DEPTH: usize = 50;
    const MAX_DIGITS: usize = 9;
    let bytes = text.as_bytes();
    let mut end = from;
    let mut at = from;
    let mut before = b'.';
    let mut depth = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'0'..=b'9' => {
                let digits = run(&bytes[at..], |byte| byte.is_ascii_digit());
                if digits > MAX_DIGITS {
                    return end;
                }
                at += digits - 1;
            }
            // 0x10 is a number in another base.
            b'a'..=b'z' | b'A'..=b'Z' if !before.is_ascii_digit() => {}
            b'(' if depth < MAX_DEPTH => depth += 1,
            b')' if depth > 0 => depth -= 1,
            // The negative of a constant may have more than 32 bits.
            b'-' if matches!(before, b'(' | b',') && bytes.get(at + 1).is_some_and(u8::is_ascii_digit) => {}
            b'.' if before != b'.' && depth == 0 && bytes.get(at + 1) != Some(&b'.') => end = at + 1,
            b',' | b'_' | b'\'' => {}
            b'"' => {
                at += 1 + run(&bytes[at + 1..], |byte| !matches!(byte, b'"' | b'\\' | b'\n'));
                if bytes.get(at) != Some(&b'"') {
                    return end;
                }
            }
            _ if is_blank_byte(byte) => {
                at += 1;
                continue;
            }
            _ => return end,
        }
        before = byte;
        at += 1;
    }
    end
}

/// The nesting depth of the terms of `text` outside comments and strings: brackets plus consecutive
/// operators. Simple facts are skipped.
pub fn nesting_depth(text: &str) -> usize {
    let mut depth = 0_usize;
    let mut operators = 0;
    let mut deepest = 0;
    let mut lexer = lex(text);
    lexer.at = end_of_facts(text, 0);
    while let Some(token) = lexer.next() {
        match token.text {
            _ if token.kind.is_blank() => continue,
            "." => {
                operators = 0;
                lexer.at = end_of_facts(text, lexer.at);
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
    fn facts_are_skipped_and_nothing_else() {
        let facts = "p(1,a_B',\"x: %{-}\").\n\n q(-12, f((2))).  r.\ns(X,\n 3).";
        let end = |rest: &str| end_of_facts(&format!("{facts}{rest}"), 0) - facts.len();
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
        assert_eq!(end_of_facts("p :- q. r.\ns.", 7), 13);
        assert_eq!(nesting_depth(&format!("{facts}p(f(g(1))) :- q(1+2+3+4). r(((0))).\n")), 4);
    }

    fn heads(text: &str) -> Vec<(&str, usize, bool)> {
        let heads = statements(text).into_iter();
        heads.filter_map(|statement| statement.head.map(|(name, arity)| (name, arity, statement.is_fact))).collect()
    }

    #[test]
    fn tokens_cover_any_text() {
        let text = "p(X,\"% \\\"\"):-q'(1..2) ,X<=-3**2,#sum{1:é}!=0.%!a\n%*b\n\"*%:~...\"c";
        let all: Vec<Token<'_>> = lex(text).collect();
        assert_eq!(all.iter().map(|token| token.text).collect::<String>(), text);
        assert!(all.iter().all(|token| &text[token.range()] == token.text && !token.text.is_empty()));
        let significant: Vec<&str> = tokens(text).map(|token| token.text).collect();
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
            "..",
            ".",
            "\"",
            "c",
        ];
        assert_eq!(significant, wanted);
    }

    #[test]
    fn a_signature_is_read_from_an_atom_and_printed_as_it_is_shown() {
        let printed = |atom| Signature::of(atom).map(|signature| signature.to_string());
        assert_eq!(printed(" -p (a, f(b,c))").as_deref(), Some("-p/2"));
        assert_eq!(printed("_q").as_deref(), Some("_q/0"));
        assert_eq!((printed("X"), printed("p(1"), printed("a, b")), (None, None, None));
        assert_eq!(Signature::new("p", 1).negated().atom(&["X".to_owned()]), "-p(X)");
    }

    #[test]
    fn facts_and_rules_are_distinguished() {
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
    fn show_statements_without_a_signature_show_terms() {
        for (text, wanted) in [
            ("#show. #show p/1. #show -q/2. #show r / 0.", false),
            ("% #show a.\n\"#show a.\" #show p/1.", false),
            ("#show a.", true),
            ("p. #show p(X)/1 : q(X).", true),
            ("#show p %* *% /1.", true),
            ("#show p/1 % \n.", true),
            ("#show p/+1.", true),
            ("#show % \n.", false),
            ("#show p/0x1.", false),
            ("#show -1.", true),
            ("#show", false),
        ] {
            assert_eq!(shown_signatures(text).any(|shown| shown.is_none()), wanted, "{text}");
        }
    }

    #[test]
    fn a_fact_in_a_nested_comment_is_not_found() {
        let text = "%* %* *% p(1). *% #! p(1).\n:~ q. [1@2] p(1). r.";
        assert_eq!(find_fact(text, "p(1)"), Some(39..43));
        assert_eq!(heads(text), [("p", 1, true), ("r", 0, true)]);
        assert!(!uses("%* %* *% a. *% b.", "a") && uses("%* %* *% a. *% b.", "b"));
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
        assert_eq!(normalize_whitespace("a.  % one\n%* two *% b(\"% c\")."), "a. b(\"% c\").");
        assert!(have_same_tokens("a.  % one\n%* two *% b(\"% c\").", "a.\n\n b(\"% c\"). % three"));
        assert!(!have_same_tokens(":- not b.", ":- notb.") && !have_same_tokens("a.", "a. b."));
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
