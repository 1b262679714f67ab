//! ASP-WIDE's comments: from `%**` to `**%`, with one annotation in each.
//!
//! ```text
//! annotation = "@rule" "(" name ["," "block" "=" string] ")"            names the rule behind it
//!            | "@block" "(" name ["," "rules" "=" list] ")"
//!            | "@start-block" "(" name ")" … "@end-block"               names the rules in between
//!            | "@test" "(" name ["," "scope" "=" list] ["," "programFiles" "=" list] ["," "input" "=" string]
//!                      ["," "inputFiles" "=" list] "," "assert" "=" "{" assertion {"," assertion} "}" ")"
//! name       = "name" "=" string
//! list       = "{" string {"," string} "}"
//! assertion  = "@noAnswerSet"
//!            | "@trueInAll" "(" "atoms" "=" string ")"
//!            | ("@trueInAtLeast" | "@trueInAtMost" | "@trueInExactly") "(" "number" "=" number "," "atoms" "=" string ")"
//!            | as these two with "false"
//!            | "@constraintForAll" "(" "constraint" "=" string ")"
//!            | ("@constraintInAtLeast" | "@constraintInAtMost" | "@constraintInExactly")
//!              "(" "number" "=" number "," "constraint" "=" string ")"
//!            | "@bestModelCost" "(" "cost" "=" number "," "level" "=" number ")"
//! ```
//!
//! The paper's examples and its environment also write `"name" : "…"` for `name = "…"`, brackets for braces, braces for
//! parentheses, an assertion as a string (`"@trueInAll{ 'atoms' : 'a. b.' }"`), `@constraintInAll` for `@constraintForAll`, and
//! strings between single quotes, which need no `\"` for the quotes inside. All that is read, in any order. The scope may be left out.

use std::ops::Range;

use crate::asp::syntax::{self, Kind};
use crate::diagnostic::{Diagnostic, Failure, Place};
use crate::document::Document;

/// An annotation, and the bytes of its comment.
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
        /// Where the block ends that was opened here.
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

/// A string, and the byte at which its text begins.
#[derive(Debug, Clone)]
pub struct Text {
    pub text: String,
    pub range: Range<usize>,
}

/// `@name(key = value, …)`.
#[derive(Debug, Clone)]
pub struct Call {
    pub name: String,
    pub range: Range<usize>,
    arguments: Vec<(String, Value)>,
}

#[derive(Debug, Clone)]
enum Value {
    Text(Text),
    List(Vec<Value>),
    Call(Call),
}

impl Annotated {
    /// Whether it gives this name to rules.
    pub fn names(&self, text: &str) -> bool {
        match &self.annotation {
            Annotation::Rule { name, block } => name == text || block.as_deref() == Some(text),
            Annotation::Block { name, .. } => name == text,
            Annotation::Test { .. } => false,
        }
    }
}

/// A text's annotations; what other tools write between `%**` and `**%` is left alone.
pub fn all(document: &Document) -> Result<Vec<Annotated>, Failure> {
    let mut found: Vec<Annotated> = Vec::new();
    for token in syntax::lex(&document.text).filter(|token| token.kind == Kind::Block && token.text.len() > 5) {
        if !token.text.starts_with("%**") || !token.text.ends_with("**%") {
            continue;
        }
        let mut reader = Reader { document, at: token.start + 3, end: token.end() - 3, depth: 0 };
        reader.blanks();
        match if reader.next() == Some(b'@') { reader.annotation()? } else { Read::Nothing } {
            Read::Annotation(annotation) => found.push(Annotated { annotation, range: token.range() }),
            Read::End => {
                let ends = found.iter_mut().rev().filter_map(|one| match &mut one.annotation {
                    Annotation::Block { end, .. } => end.as_mut(),
                    _ => None,
                });
                ends.filter(|end| **end == usize::MAX).take(1).for_each(|end| *end = token.start);
            }
            Read::Nothing => {}
        }
    }
    Ok(found)
}

/// The files that a text's tests name.
pub fn files(document: &Document) -> Result<Vec<Text>, Failure> {
    let named = |annotated: Annotated| match annotated.annotation {
        Annotation::Test { files, .. } => files,
        _ => Vec::new(),
    };
    Ok(all(document)?.into_iter().flat_map(named).collect())
}

/// A text at the place where a document has it, for messages about it. The prefix stands in the line before, or where there is
/// none, in front of it.
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

enum Read {
    Annotation(Annotation),
    /// Of a block.
    End,
    /// Nothing that concerns tests.
    Nothing,
}

/// Deeper than any annotation nests.
const MAX_DEPTH: usize = 8;

struct Reader<'a> {
    document: &'a Document,
    at: usize,
    end: usize,
    depth: usize,
}

impl<'a> Reader<'a> {
    /// For errors alone.
    fn nowhere(document: &'a Document) -> Self {
        Reader { document, at: 0, end: 0, depth: 0 }
    }

    fn next(&self) -> Option<u8> {
        self.document.text.as_bytes()[..self.end].get(self.at).copied()
    }

    fn blanks(&mut self) {
        while self.next().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    /// Takes one of these signs, and the blanks behind it.
    fn take(&mut self, signs: &str) -> Option<u8> {
        let sign = self.next().filter(|&byte| signs.as_bytes().contains(&byte))?;
        self.at += 1;
        self.blanks();
        Some(sign)
    }

    fn word(&mut self) -> String {
        let start = self.at;
        while self.next().is_some_and(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte)) {
            self.at += 1;
        }
        let word = self.document.text[start..self.at].to_owned();
        self.blanks();
        word
    }

    fn wrong(&self, what: &str, range: Range<usize>) -> Failure {
        let place = Place::of_range(&self.document.name, &self.document.text, range);
        Diagnostic::error(what).at(Some(place)).into()
    }

    fn unexpected(&self, wanted: &str) -> Failure {
        let rest = &self.document.text[self.at..self.end];
        let width = rest.chars().next().map_or(0, char::len_utf8);
        let found = rest.chars().next().map_or("the end of the comment".to_owned(), |sign| format!("`{sign}`"));
        self.wrong(&format!("{wanted} was wanted, {found} was found"), self.at..self.at + width)
    }

    fn annotation(&mut self) -> Result<Read, Failure> {
        let start = self.at;
        self.at += 1;
        let name = self.word();
        if name == "end-block" {
            return Ok(Read::End);
        }
        if !matches!(name.as_str(), "rule" | "block" | "start-block" | "test") {
            return Ok(Read::Nothing);
        }
        let call = Call { arguments: self.arguments()?, range: start..self.at, name };
        if self.at < self.end {
            return Err(self.unexpected("`**%`"));
        }
        let known: &[&str] = match call.name.as_str() {
            "rule" => &["name", "block"],
            "test" => &["name", "scope", "programFiles", "file", "input", "inputFiles", "assert"],
            _ => &["name", "rules"],
        };
        self.all_known(&call, known)?;
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
                    Some(Value::List(values)) if !values.is_empty() => values.as_slice(),
                    Some(value @ (Value::Call(_) | Value::Text(_))) => std::slice::from_ref(value),
                    _ => return Err(self.wrong("the test has no `assert`, which says what is expected", call.range)),
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
        Ok(Read::Annotation(annotation))
    }

    /// A call, or a string that holds one.
    fn assertion(&self, value: &Value) -> Result<Call, Failure> {
        match value {
            Value::Call(call) => Ok(call.clone()),
            Value::Text(Text { range, .. }) if self.document.text[range.clone()].trim_start().starts_with('@') => {
                let mut inside = Reader { document: self.document, at: range.start, end: range.end, depth: self.depth };
                inside.blanks();
                let call = inside.call()?;
                if inside.at < inside.end { Err(inside.unexpected("the end of the assertion")) } else { Ok(call) }
            }
            Value::Text(Text { range, .. }) => Err(self.wrong("an assertion begins with `@`", range.clone())),
            Value::List(_) => Err(self.unexpected("an assertion")),
        }
    }

    fn call(&mut self) -> Result<Call, Failure> {
        let start = self.at;
        self.at += 1;
        let name = self.word();
        let end = self.at;
        let arguments = if matches!(self.next(), Some(b'(' | b'{')) { self.arguments()? } else { Vec::new() };
        let end = if arguments.is_empty() { end } else { self.at };
        let end = start + self.document.text[start..end].trim_end().len();
        Ok(Call { name, range: start..end, arguments })
    }

    /// `(key = value, …)`, in any of its forms.
    fn arguments(&mut self) -> Result<Vec<(String, Value)>, Failure> {
        let Some(open) = self.take("({") else { return Err(self.unexpected("`(`")) };
        let close = if open == b'(' { ")" } else { "}" };
        let mut arguments = Vec::new();
        loop {
            if self.take(close).is_some() {
                return Ok(arguments);
            }
            let quoted = matches!(self.next(), Some(b'"' | b'\''));
            let key = if quoted { self.string()?.text } else { self.word() };
            if key.is_empty() {
                return Err(self.unexpected("a name"));
            }
            if self.take("=:").is_none() {
                return Err(self.unexpected("`=`"));
            }
            arguments.push((key, self.value()?));
            if self.take(",").is_none() && self.next() != Some(close.as_bytes()[0]) {
                return Err(self.unexpected(&format!("`,` or `{close}`")));
            }
        }
    }

    fn value(&mut self) -> Result<Value, Failure> {
        match self.next() {
            Some(b'"' | b'\'') => self.string().map(Value::Text),
            Some(b'@') => self.call().map(Value::Call),
            Some(open @ (b'{' | b'[')) if self.depth < MAX_DEPTH => {
                let close = if open == b'{' { "}" } else { "]" };
                self.take("{[");
                self.depth += 1;
                let mut values = Vec::new();
                while self.take(close).is_none() {
                    values.push(self.value()?);
                    if self.take(",").is_none() && self.next() != Some(close.as_bytes()[0]) {
                        return Err(self.unexpected(&format!("`,` or `{close}`")));
                    }
                }
                self.depth -= 1;
                Ok(Value::List(values))
            }
            _ => {
                let start = self.at;
                let text = self.word();
                if text.is_empty() {
                    Err(self.unexpected("a value"))
                } else {
                    Ok(Value::Text(Text { range: start..start + text.len(), text }))
                }
            }
        }
    }

    /// Between quotes of either kind; a backslash takes the next quote or backslash as it is.
    fn string(&mut self) -> Result<Text, Failure> {
        let (quote, start) = (self.next(), self.at + 1);
        let rest = &self.document.text[start..self.end];
        let (mut text, mut signs) = (String::new(), rest.char_indices().peekable());
        while let Some((at, sign)) = signs.next() {
            if quote == Some(sign as u8) && sign.is_ascii() {
                self.at = start + at + 1;
                self.blanks();
                return Ok(Text { text, range: start..start + at });
            }
            match signs.next_if(|&(_, next)| sign == '\\' && matches!(next, '"' | '\'' | '\\')) {
                Some((_, escaped)) => text.push(escaped),
                None => text.push(sign),
            }
        }
        Err(self.wrong("the string does not end", start - 1..self.end))
    }

    fn required(&self, call: &Call, key: &str) -> Result<Text, Failure> {
        let range = call.range.clone();
        self.text(call, key)?.ok_or_else(|| self.wrong(&format!("`{key}` is missing"), range))
    }

    fn text(&self, call: &Call, key: &str) -> Result<Option<Text>, Failure> {
        let mut texts = self.texts(call, key)?.into_iter();
        match (texts.next(), texts.next()) {
            (text, None) => Ok(text),
            (_, Some(second)) => Err(self.wrong(&format!("`{key}` has one value"), second.range)),
        }
    }

    /// One string or a list of them.
    fn texts(&self, call: &Call, key: &str) -> Result<Vec<Text>, Failure> {
        let values = match call.get(key) {
            None => return Ok(Vec::new()),
            Some(Value::List(values)) => values.as_slice(),
            Some(value) => std::slice::from_ref(value),
        };
        let text = |value: &Value| match value {
            Value::Text(text) => Ok(text.clone()),
            _ => Err(self.wrong(&format!("`{key}` wants strings"), call.range.clone())),
        };
        values.iter().map(text).collect()
    }

    fn all_known(&self, call: &Call, known: &[&str]) -> Result<(), Failure> {
        let unknown = call.arguments.iter().find(|(key, _)| !known.contains(&key.as_str()));
        unknown.map_or(Ok(()), |(key, _)| {
            let text = format!("@{} has no `{key}`; it has {}", call.name, known.join(", "));
            Err(self.wrong(text.trim_end_matches("; it has "), call.range.clone()))
        })
    }
}

impl Call {
    fn get(&self, key: &str) -> Option<&Value> {
        self.arguments.iter().find(|(known, _)| known == key).map(|(_, value)| value)
    }

    /// What the first of these names that is there was given.
    pub fn texts(&self, document: &Document, names: &[&str]) -> Result<Vec<Text>, Failure> {
        let reader = Reader::nowhere(document);
        for name in names {
            let texts = reader.texts(self, name)?;
            if !texts.is_empty() {
                return Ok(texts);
            }
        }
        Err(reader.wrong(&format!("`{}` is missing", names[0]), self.range.clone()))
    }

    pub fn number<T: std::str::FromStr>(&self, document: &Document, name: &str) -> Result<T, Failure> {
        let reader = Reader::nowhere(document);
        let text = reader.required(self, name)?;
        text.text.trim().parse().map_err(|_| reader.wrong("a number was wanted", text.range))
    }

    /// An error where something else was given.
    pub fn all_known(&self, document: &Document, known: &[&str]) -> Result<(), Failure> {
        Reader::nowhere(document).all_known(self, known)
    }
}
