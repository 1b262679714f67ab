//! Parses annotations in the notation of ASP-WIDE: comments from `%**` to `**%`, each with one
//! annotation.
//!
//! ```text
//! annotation = "@rule" "(" name ["," "block" "=" string] ")"            names the following rule
//!            | "@block" "(" name ["," "rules" "=" list] ")"
//!            | "@start-block" "(" name ")" … "@end-block"               names the rules in between
//!            | "@test" "(" name ["," "scope" "=" list] ["," "programFiles" "=" list] ["," "input" "=" string]
//!                      ["," "inputFiles" "=" list] "," "assert" "=" "{" assertion {"," assertion} "}" ")"
//! name       = "name" "=" string
//! list       = "{" string {"," string} "}"
//! assertion  = "@noAnswerSet"
//!            | "@trueInAll" "(" "atoms" "=" string ")"
//!            | ("@trueInAtLeast" | "@trueInAtMost" | "@trueInExactly") "(" "number" "=" number "," "atoms" "=" string ")"
//!            | the same four with "false" in place of "true"
//!            | "@constraintForAll" "(" "constraint" "=" string ")"
//!            | ("@constraintInAtLeast" | "@constraintInAtMost" | "@constraintInExactly")
//!              "(" "number" "=" number "," "constraint" "=" string ")"
//!            | "@bestModelCost" "(" "cost" "=" number "," "level" "=" number ")"
//! ```
//!
//! The examples in the paper and the ASP-WIDE environment also write `"name" : "…"` for `name =
//! "…"`, brackets for braces, braces for parentheses, an assertion as a string (`"@trueInAll{
//! 'atoms' : 'a. b.' }"`), `@constraintInAll` for `@constraintForAll`, and strings in single
//! quotes, in which double quotes need no backslash. The parser accepts all these forms, and the
//! arguments in any order. The scope is optional.

use std::ops::Range;

use asp::syntax::{self, TokenKind};
use base::diagnostic::{Code, Diagnostic, Failure, Place};
use base::document::Document;

/// An annotation, and the byte range of its comment.
#[derive(Debug)]
pub struct Annotated {
    pub annotation: Annotation,
    pub range: Range<usize>,
}

#[derive(Debug)]
pub enum Annotation {
    Rule {
        name: String,
        block: Option<String>,
    },
    Block {
        name: String,
        rules: Vec<String>,
        /// For `@start-block`: the offset of its `@end-block`, or `usize::MAX` if there is none.
        end: Option<usize>,
    },
    Test {
        name: String,
        scope: Vec<Text>,
        files: Vec<Text>,
        input: Vec<Text>,
        assertions: Vec<Call>,
    },
}

/// A string and the byte range of its text.
#[derive(Debug, Clone)]
pub struct Text {
    pub text: String,
    pub range: Range<usize>,
}

/// A call `@name(key = value, …)`.
#[derive(Debug, Clone)]
pub struct Call {
    pub name: String,
    pub range: Range<usize>,
    arguments: Vec<(String, Argument)>,
}

#[derive(Debug, Clone)]
enum Argument {
    Text(Text),
    List(Vec<Argument>),
    Call(Call),
}

impl Annotated {
    /// Returns true if the annotation gives rules the name `text`.
    pub fn names(&self, text: &str) -> bool {
        match &self.annotation {
            Annotation::Rule { name, block } => name == text || block.as_deref() == Some(text),
            Annotation::Block { name, .. } => name == text,
            Annotation::Test { .. } => false,
        }
    }
}

/// Parses all annotations of a document. Other comments between `%**` and `**%` are ignored.
pub fn parse_all(document: &Document) -> Result<Vec<Annotated>, Failure> {
    let mut annotations: Vec<Annotated> = Vec::new();
    for token in
        syntax::lex(&document.text).filter(|token| token.kind == TokenKind::BlockComment && token.text.len() > 5)
    {
        if !token.text.starts_with("%**") || !token.text.ends_with("**%") {
            continue;
        }
        let mut parser = AnnotationParser { document, at: token.start + 3, end: token.end() - 3, depth: 0 };
        parser.skip_blanks();
        match if parser.peek() == Some(b'@') { parser.annotation()? } else { ParsedComment::Unrelated } {
            ParsedComment::Annotation(annotation) => annotations.push(Annotated { annotation, range: token.range() }),
            ParsedComment::BlockEnd => {
                let mut ends = annotations.iter_mut().rev().filter_map(|annotated| match &mut annotated.annotation {
                    Annotation::Block { end, .. } => end.as_mut(),
                    _ => None,
                });
                if let Some(end) = ends.find(|end| **end == usize::MAX) {
                    *end = token.start;
                }
            }
            ParsedComment::Unrelated => {}
        }
    }
    Ok(annotations)
}

/// Returns the names of files in the tests of a document.
pub fn files(document: &Document) -> Result<Vec<Text>, Failure> {
    let named = |annotated: Annotated| match annotated.annotation {
        Annotation::Test { files, .. } => files,
        _ => Vec::new(),
    };
    Ok(parse_all(document)?.into_iter().flat_map(named).collect())
}

/// Returns a document with `text` at its position `start` in `document`, so that messages have the
/// right position. `prefix` is on the previous line, or before the text if it is on the first line.
pub fn placed(document: &Document, start: usize, prefix: &str, text: &str) -> Document {
    let before = &document.text[..start];
    let lines = before.matches('\n').count();
    let column = before.len() - before.rfind('\n').map_or(0, |newline| newline + 1);
    let text = match lines {
        0 => format!("{prefix:column$}{text}"),
        _ => format!("{}{prefix}\n{:column$}{text}", "\n".repeat(lines - 1), ""),
    };
    Document::in_memory(document.name.clone(), text)
}

enum ParsedComment {
    Annotation(Annotation),
    BlockEnd,
    /// A comment that is not an annotation of ASP-WIDE.
    Unrelated,
}

/// Maximum nesting of lists.
const MAX_DEPTH: usize = 8;

struct AnnotationParser<'a> {
    document: &'a Document,
    at: usize,
    end: usize,
    depth: usize,
}

impl<'a> AnnotationParser<'a> {
    /// Returns a parser that is only used to report errors.
    fn for_errors(document: &'a Document) -> Self {
        AnnotationParser { document, at: 0, end: 0, depth: 0 }
    }

    fn peek(&self) -> Option<u8> {
        self.document.text.as_bytes()[..self.end].get(self.at).copied()
    }

    fn skip_blanks(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    /// Consumes one of the characters in `signs` and the whitespace after it.
    fn take(&mut self, signs: &str) -> Option<u8> {
        let sign = self.peek().filter(|&byte| signs.as_bytes().contains(&byte))?;
        self.at += 1;
        self.skip_blanks();
        Some(sign)
    }

    /// Consumes a word, which may be empty, and the whitespace after it.
    fn word(&mut self) -> String {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte)) {
            self.at += 1;
        }
        let word = self.document.text[start..self.at].to_owned();
        self.skip_blanks();
        word
    }

    fn error_at(&self, what: &str, range: Range<usize>) -> Failure {
        let place = Place::of_range(&self.document.name, &self.document.text, range);
        Diagnostic::error(Code::InvalidAnnotation, what).at(Some(place)).into()
    }

    fn unexpected(&self, expected: &str) -> Failure {
        let rest = &self.document.text[self.at..self.end];
        let width = rest.chars().next().map_or(0, char::len_utf8);
        let found = rest.chars().next().map_or("the end of the comment".to_owned(), |sign| format!("`{sign}`"));
        self.error_at(&format!("expected {expected}, found {found}"), self.at..self.at + width)
    }

    fn annotation(&mut self) -> Result<ParsedComment, Failure> {
        let start = self.at;
        self.at += 1;
        let name = self.word();
        if name == "end-block" {
            return Ok(ParsedComment::BlockEnd);
        }
        if !matches!(name.as_str(), "rule" | "block" | "start-block" | "test") {
            return Ok(ParsedComment::Unrelated);
        }
        let call = Call { arguments: self.arguments()?, range: start..self.at, name };
        if self.at < self.end {
            return Err(self.unexpected("`**%`"));
        }
        let keys: &[&str] = match call.name.as_str() {
            "rule" => &["name", "block"],
            "test" => &["name", "scope", "programFiles", "file", "input", "inputFiles", "assert"],
            _ => &["name", "rules"],
        };
        self.check_keys(&call, keys)?;
        let annotation = match call.name.as_str() {
            "rule" => Annotation::Rule {
                name: self.required(&call, "name")?.text,
                block: self.text(&call, "block")?.map(|block| block.text),
            },
            "test" => {
                let name = self.required(&call, "name")?.text;
                let scope = self.texts(&call, "scope")?;
                let mut files = Vec::new();
                for key in ["programFiles", "file", "inputFiles"] {
                    files.extend(self.texts(&call, key)?);
                }
                let input = self.texts(&call, "input")?;
                let assertions = match call.get("assert") {
                    Some(Argument::List(values)) if !values.is_empty() => values.as_slice(),
                    Some(value @ (Argument::Call(_) | Argument::Text(_))) => std::slice::from_ref(value),
                    _ => return Err(self.error_at("the test has no `assert`, which says what is expected", call.range)),
                };
                let assertions = assertions.iter().map(|value| self.assertion(value)).collect::<Result<_, _>>()?;
                Annotation::Test { name, scope, files, input, assertions }
            }
            opening => {
                let end = (opening == "start-block").then_some(usize::MAX);
                let rules = self.texts(&call, "rules")?.into_iter().map(|rule| rule.text).collect();
                Annotation::Block { name: self.required(&call, "name")?.text, rules, end }
            }
        };
        Ok(ParsedComment::Annotation(annotation))
    }

    /// Parses an assertion: a call, or a string that contains one.
    fn assertion(&self, value: &Argument) -> Result<Call, Failure> {
        match value {
            Argument::Call(call) => Ok(call.clone()),
            Argument::Text(Text { range, .. }) if self.document.text[range.clone()].trim_start().starts_with('@') => {
                let mut parser =
                    AnnotationParser { document: self.document, at: range.start, end: range.end, depth: self.depth };
                parser.skip_blanks();
                let call = parser.call()?;
                if parser.at < parser.end { Err(parser.unexpected("the end of the assertion")) } else { Ok(call) }
            }
            Argument::Text(Text { range, .. }) => Err(self.error_at("an assertion begins with `@`", range.clone())),
            Argument::List(_) => Err(self.unexpected("an assertion")),
        }
    }

    fn call(&mut self) -> Result<Call, Failure> {
        let start = self.at;
        self.at += 1;
        let name = self.word();
        let end = self.at;
        let arguments = if matches!(self.peek(), Some(b'(' | b'{')) { self.arguments()? } else { Vec::new() };
        let end = if arguments.is_empty() { end } else { self.at };
        let end = start + self.document.text[start..end].trim_end().len();
        Ok(Call { name, range: start..end, arguments })
    }

    /// Parses the arguments `(key = value, …)` in any of the accepted forms.
    fn arguments(&mut self) -> Result<Vec<(String, Argument)>, Failure> {
        let Some(open) = self.take("({") else { return Err(self.unexpected("`(`")) };
        let close = if open == b'(' { ")" } else { "}" };
        let mut arguments = Vec::new();
        loop {
            if self.take(close).is_some() {
                return Ok(arguments);
            }
            let quoted = matches!(self.peek(), Some(b'"' | b'\''));
            let key = if quoted { self.string()?.text } else { self.word() };
            if key.is_empty() {
                return Err(self.unexpected("a name"));
            }
            if self.take("=:").is_none() {
                return Err(self.unexpected("`=`"));
            }
            arguments.push((key, self.value()?));
            if self.take(",").is_none() && self.peek() != Some(close.as_bytes()[0]) {
                return Err(self.unexpected(&format!("`,` or `{close}`")));
            }
        }
    }

    fn value(&mut self) -> Result<Argument, Failure> {
        match self.peek() {
            Some(b'"' | b'\'') => self.string().map(Argument::Text),
            Some(b'@') => self.call().map(Argument::Call),
            Some(open @ (b'{' | b'[')) if self.depth < MAX_DEPTH => {
                let close = if open == b'{' { "}" } else { "]" };
                self.take("{[");
                self.depth += 1;
                let mut values = Vec::new();
                while self.take(close).is_none() {
                    values.push(self.value()?);
                    if self.take(",").is_none() && self.peek() != Some(close.as_bytes()[0]) {
                        return Err(self.unexpected(&format!("`,` or `{close}`")));
                    }
                }
                self.depth -= 1;
                Ok(Argument::List(values))
            }
            _ => {
                let start = self.at;
                let text = self.word();
                if text.is_empty() {
                    Err(self.unexpected("a value"))
                } else {
                    Ok(Argument::Text(Text { range: start..start + text.len(), text }))
                }
            }
        }
    }

    /// Parses a string in single or double quotes, in which a backslash escapes quotes and
    /// backslashes.
    fn string(&mut self) -> Result<Text, Failure> {
        let quote = self.peek();
        let start = self.at + 1;
        let rest = &self.document.text[start..self.end];
        let mut text = String::new();
        let mut signs = rest.char_indices().peekable();
        while let Some((at, sign)) = signs.next() {
            if quote == Some(sign as u8) && sign.is_ascii() {
                self.at = start + at + 1;
                self.skip_blanks();
                return Ok(Text { text, range: start..start + at });
            }
            match signs.next_if(|&(_, next)| sign == '\\' && matches!(next, '"' | '\'' | '\\')) {
                Some((_, escaped)) => text.push(escaped),
                None => text.push(sign),
            }
        }
        Err(self.error_at("unterminated string", start - 1..self.end))
    }

    fn required(&self, call: &Call, key: &str) -> Result<Text, Failure> {
        let range = call.range.clone();
        self.text(call, key)?.ok_or_else(|| self.error_at(&format!("`{key}` is missing"), range))
    }

    fn text(&self, call: &Call, key: &str) -> Result<Option<Text>, Failure> {
        let mut texts = self.texts(call, key)?.into_iter();
        match (texts.next(), texts.next()) {
            (text, None) => Ok(text),
            (_, Some(second)) => Err(self.error_at(&format!("`{key}` takes one value"), second.range)),
        }
    }

    /// Returns the strings of the value of `key`: a list, or a single string. Returns none if the
    /// key is absent.
    fn texts(&self, call: &Call, key: &str) -> Result<Vec<Text>, Failure> {
        let values = match call.get(key) {
            None => return Ok(Vec::new()),
            Some(Argument::List(values)) => values.as_slice(),
            Some(value) => std::slice::from_ref(value),
        };
        let text = |value: &Argument| match value {
            Argument::Text(text) => Ok(text.clone()),
            _ => Err(self.error_at(&format!("expected strings for `{key}`"), call.range.clone())),
        };
        values.iter().map(text).collect()
    }

    fn check_keys(&self, call: &Call, known: &[&str]) -> Result<(), Failure> {
        let unknown = call.arguments.iter().find(|(key, _)| !known.contains(&key.as_str()));
        unknown.map_or(Ok(()), |(key, _)| {
            let text = format!("@{} has no `{key}`; it has {}", call.name, known.join(", "));
            Err(self.error_at(text.trim_end_matches("; it has "), call.range.clone()))
        })
    }
}

impl Call {
    fn get(&self, key: &str) -> Option<&Argument> {
        self.arguments.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// Returns the strings of the first key in `names` that is present.
    pub fn texts(&self, document: &Document, names: &[&str]) -> Result<Vec<Text>, Failure> {
        let parser = AnnotationParser::for_errors(document);
        for name in names {
            let texts = parser.texts(self, name)?;
            if !texts.is_empty() {
                return Ok(texts);
            }
        }
        Err(parser.error_at(&format!("`{}` is missing", names[0]), self.range.clone()))
    }

    pub fn number<T: std::str::FromStr>(&self, document: &Document, name: &str) -> Result<T, Failure> {
        let parser = AnnotationParser::for_errors(document);
        let text = parser.required(self, name)?;
        text.text
            .trim()
            .parse()
            .map_err(|_| parser.error_at(&format!("expected a number, found `{}`", text.text), text.range))
    }

    /// Rejects keys that are not in `known`.
    pub fn check_keys(&self, document: &Document, known: &[&str]) -> Result<(), Failure> {
        AnnotationParser::for_errors(document).check_keys(self, known)
    }
}
