//! Suggestions for syntax errors: missing tokens, and the syntax of older clingo versions and of
//! other systems.
//!
//! A suggestion is only made if clingo accepts the statement with it. A table of common mistakes is
//! therefore sufficient, and no grammar is needed.

use std::ops::Range;

use super::ffi::ast;
use super::functions;
use super::syntax::{self, Token};
use crate::diagnostic::{Code, Diagnostic, Edit, Failure, Fix, Place, Severity};
use crate::document::Document;

/// Operators of other languages, and the corresponding ones of clingo. Words only match whole
/// tokens; other operators also match parts of a token.
const FOREIGN_OPERATORS: [(&str, &str); 21] = [
    ("and", ","),
    ("or", "|"),
    ("v", "|"),
    ("is", "="),
    ("in", "="),
    ("if", ":-"),
    ("mod", "\\"),
    ("<-", ":-"),
    (":=", ":-"),
    ("...", ".."),
    ("=!", "!="),
    ("=<", "<="),
    ("=>", ">="),
    ("=\\=", "!="),
    ("\\=", "!="),
    ("=:=", "="),
    ("&&", ","),
    ("\\+", "not "),
    ("!", "not "),
    ("~", "not "),
    ("//", "%"),
];

/// Directives and words with `#` of older clingo versions and of other systems.
const REMOVED_DIRECTIVES: [(&str, &str); 11] = [
    ("#mod", "the remainder of a division is X \\ Y"),
    ("#div", "a quotient is X / Y, a whole number"),
    ("#abs", "an absolute value is |X|"),
    ("#hide", "#show. hides all atoms, and #show p/1. shows those of a predicate"),
    ("#domain", "there are no domains of variables any more: write their atom into each body"),
    ("#compute", "write :- not a. for an atom that has to hold"),
    ("#maxint", "write #const maxint = 10. and intervals up to maxint"),
    ("#int", "write an interval: X = 1..10"),
    ("#base", "write #program base."),
    ("#preference", PREFERENCES),
    ("#optimize", PREFERENCES),
];
/// Help for the preferences of asprin.
pub const PREFERENCES: &str = "preferences are asprin's; clingo has #minimize, and :~ with weights and levels";
const BRACKETS: &str =
    "weights stand in braces, each element with a tuple that tells it apart: #sum { 3,a : a; 4,b : b }";

/// Adds suggestions to the errors in a text.
pub fn explain_errors(Failure(errors): Failure, document: &Document) -> Failure {
    let is_inside = |error: &Diagnostic| error.labels.first().is_some_and(|place| place.file == document.name);
    // After memory has run out, an allocation may fail.
    if !errors.iter().any(is_inside) {
        return Failure(errors);
    }
    let mut diagnostics: Vec<Diagnostic> = Vec::new();
    // Drop follow-up errors in a statement that already has a suggestion.
    let mut explained: Vec<Range<usize>> = Vec::new();
    for error in errors {
        let place = error.labels.first().filter(|place| place.file == document.name);
        let Some(place) = place.filter(|_| error.severity == Severity::Error).cloned() else {
            diagnostics.push(error);
            continue;
        };
        let start = document.text.floor_char_boundary(place.range_in(&document.text).start);
        if explained.iter().any(|range| range.contains(&start)) {
            continue;
        }
        let faulty = FaultyStatement::of(document, start);
        let better = match error.code == Code::UnsafeVariable {
            true => faulty.arrow(&error).or_else(|| faulty.unsafe_variables(&error)),
            false => faulty
                .directive(&error)
                .or_else(|| faulty.period(&error, &place))
                .or_else(|| faulty.suggest_syntax(&error)),
        };
        if better.is_some() {
            explained.push(faulty.range.clone());
        }
        diagnostics.push(better.unwrap_or(error));
    }
    Failure(diagnostics)
}

/// A statement with an error.
struct FaultyStatement<'a> {
    document: &'a Document,
    /// The byte range of the statement in the document, and its text.
    range: Range<usize>,
    text: &'a str,
    /// The byte offset of the error in `text`.
    at: usize,
}

impl<'a> FaultyStatement<'a> {
    fn of(document: &'a Document, start: usize) -> Self {
        let whole: &str = &document.text;
        let mut end = 0;
        let mut ranges = syntax::ranges(whole);
        let found = ranges.find(|range| {
            let contains = range.end > start;
            end = if contains { end } else { range.end };
            contains
        });
        // Three dots are probably an interval, although the lexer ends the statement there.
        let found = found.map(|range| {
            if whole[..range.end].ends_with("...") {
                range.start..ranges.next().map_or(whole.len(), |next| next.end)
            } else {
                range
            }
        });
        let range = found.map_or(end..whole.len(), |range| range.start.min(start)..range.end);
        let text = &whole[range.clone()];
        FaultyStatement { document, at: start - range.start, range, text }
    }

    /// Returns true if clingo accepts the statement with `words` in place of `range`.
    fn parses_with(&self, range: Range<usize>, words: &str) -> bool {
        let mut text = self.text.to_owned();
        text.replace_range(range, words);
        parses(&text)
    }

    /// Suggests a period at the end of the line before the unexpected token.
    fn period(&self, error: &Diagnostic, place: &Place) -> Option<Diagnostic> {
        let last = self.tokens().map(|token| token.range()).take_while(|token| token.end <= self.at).last()?;
        let is_on_next_line = self.text[last.end..self.at].contains('\n') || self.at == self.text.len();
        if !is_on_next_line || !self.parses_with(last.end..last.end, ".") {
            return None;
        }
        let missing = self.place(last.clone());
        let unexpected = (self.at < self.text.len()).then(|| place.clone().label("clingo reads on to here"));
        let places = [missing].into_iter().chain(unexpected).collect();
        let message = "syntax error, a period is missing after this".to_owned();
        let fix = self.fix(last.end..last.end, ".");
        Some(Diagnostic { code: Code::MissingPeriod, message, labels: places, ..error.clone() }.fix(Some(fix)))
    }

    fn suggest_syntax(&self, error: &Diagnostic) -> Option<Diagnostic> {
        let help = |words: String| Some(error.clone().help(words));
        let tokens: Vec<Token<'_>> = self.tokens().collect();
        let at = tokens.iter().position(|token| token.end() > self.at).unwrap_or(tokens.len());
        for (theirs, ours) in FOREIGN_OPERATORS {
            let is_word = theirs.starts_with(|first: char| first.is_ascii_alphabetic());
            // The lexer may have read the beginning of an operator as another token.
            let is_match = |token: &&Token<'_>| {
                if is_word {
                    token.start == self.at && token.text == theirs
                } else {
                    self.text[token.start..].starts_with(theirs) && token.start <= self.at
                }
            };
            let found: Vec<&Token<'_>> = tokens.iter().filter(is_match).collect();
            let mut text = self.text.to_owned();
            for token in found.iter().rev() {
                text.replace_range(token.start..token.start + theirs.len(), ours);
            }
            if !found.is_empty() && parses(&text) {
                let edits = found.iter().map(|token| {
                    let range = token.start..token.start + theirs.len();
                    Edit { place: self.place(range), replacement: ours.to_owned() }
                });
                let title = format!("Replace `{theirs}` with `{}`", ours.trim_end());
                let fix = Fix { title, edits: edits.collect() };
                let better = Diagnostic { code: Code::ForeignOperator, ..error.clone() }.fix(Some(fix));
                return Some(better.help(format!("write {} instead of {theirs}", ours.trim_end())));
            }
        }
        if error.message == "lexer error, unexpected \"" {
            return help("the closing quote of the text is missing; a quote in a text is written \\\"".to_owned());
        }
        if error.message.ends_with("expecting [") {
            return help("a weak constraint ends with its weight and a tuple: :~ p(X). [1,X]".to_owned());
        }
        if error.message.ends_with("support not available") {
            let names = functions::names();
            return help(format!("scripts are not supported; these functions are built in: {names}"));
        }
        if error.message.ends_with("unexpected #") {
            return help("a comment begins with %".to_owned());
        }
        if let Some(arrow) = tokens.iter().find(|token| self.text[token.start..].starts_with("->"))
            && self.parses_with(arrow.start..arrow.start + 2, ":-")
        {
            return help("write the head first, and :- behind it: b :- a".to_owned());
        }
        // The `%` of a comment may be meant as the remainder operator.
        let hides = self.text.find('%').filter(|&sign| sign < self.at && self.parses_with(sign..sign + 1, "\\"));
        if hides.is_some() {
            return help("% begins a comment; the remainder of a division is X \\ Y".to_owned());
        }
        let before = tokens[at.checked_sub(1)?];
        let next_character = self.text[self.at..].chars().next();
        let word = before.text;
        let before = before.range();
        if word == ";" && self.parses_with(before.clone(), ".") {
            return help("a rule ends with a period, not with ;".to_owned());
        }
        if self.text[..self.at].ends_with(':') && next_character == Some('=') {
            return help("a predicate has no value that is assigned: write the value as its argument, a(3)".to_owned());
        }
        let ends_in_digit = word.ends_with(|last: char| last.is_ascii_digit());
        let begins_with_digit = |rest: &str| rest.starts_with(|first: char| first.is_ascii_digit());
        match next_character {
            Some('.') if ends_in_digit && begins_with_digit(&self.whole()[self.range.start + self.at + 1..]) => {
                return help("numbers are whole: take a smaller unit, such as 15 for 1.5".to_owned());
            }
            Some('.') if word == "," && self.text[self.at..].starts_with("..") => {
                return help("an interval is written 1..5".to_owned());
            }
            Some('.') if word == "," && self.parses_with(before.clone(), "") => {
                return help("no comma stands before the period".to_owned());
            }
            Some('(') if error.message.ends_with("expecting {") => {
                return help("elements stand in braces: #sum { W,X : p(X,W) }".to_owned());
            }
            Some(',') if self.parses_with_all(",", ";") => {
                return help("write : before the conditions of an element, and ; between elements".to_owned());
            }
            Some('[') if !self.text.starts_with([':', '#']) || self.text.contains("imize") => {
                return help(BRACKETS.to_owned());
            }
            Some('(' | ':')
                if word.starts_with(|first: char| first.is_ascii_uppercase())
                    && (self.text[self.at..].starts_with(":-") || next_character == Some('(')) =>
            {
                let small = word[..1].to_ascii_lowercase() + &word[1..];
                if self.parses_with(before.clone(), &small) {
                    let better = Diagnostic { code: Code::CapitalPredicate, ..error.clone() };
                    let fix = self.fix(before.clone(), &small);
                    let words =
                        format!("a name with a capital first letter is a variable; write the predicate as {small}");
                    return Some(better.help(words).fix(Some(fix)));
                }
            }
            Some(':') if self.text[..self.at].contains('[') && self.parses_with(self.at..self.at + 1, "@") => {
                return help("write weight@level: [1@2]".to_owned());
            }
            Some(':')
                if word != ":-" && self.text[self.at..].starts_with(":-") && self.text[..self.at].contains(":-") =>
            {
                return help("a rule has one :-, and a comma between its conditions".to_owned());
            }
            Some(':') if ["sum", "count", "min", "max"].iter().any(|name| self.calls(name)) => {
                return help("an aggregate is written with # and braces: #sum { X : p(X) }".to_owned());
            }
            Some(':') if self.parses_with_all(":", ",") => {
                return help("write a comma between the conditions: a : b, c".to_owned());
            }
            _ => {}
        }
        for close in [")", "}"] {
            if self.parses_with(before.end..before.end, close) {
                let better = Diagnostic { code: Code::MissingToken, ..error.clone() };
                let fix = self.fix(before.end..before.end, close);
                return Some(better.help(format!("{close} is missing before this")).fix(Some(fix)));
            }
        }
        let ends_an_atom = word.ends_with(|last: char| last.is_alphanumeric() || last == ')');
        let is_inside = self.is_in_brackets() || self.text[..self.at].contains(":-");
        let (signs, what) = match is_inside {
            true => (", ", "a comma is"),
            false if self.parses_with(self.at..self.at, ". ") => (":- ", "a period or :- is"),
            false => (":- ", ":- is"),
        };
        let is_missing = ends_an_atom && self.parses_with(self.at..self.at, signs);
        is_missing.then(|| {
            let better = Diagnostic { code: Code::MissingToken, ..error.clone() };
            better.help(format!("{what} missing before this")).fix(Some(self.fix(self.at..self.at, signs)))
        })
    }

    /// Returns true if `name(` precedes the error and is not the end of a longer name.
    fn calls(&self, name: &str) -> bool {
        let call = format!("{name}(");
        let opened = self.text[..self.at].rfind(&call);
        opened.is_some_and(|at| !self.text[..at].ends_with(|sign: char| sign.is_alphanumeric() || "#_@".contains(sign)))
    }

    fn is_in_brackets(&self) -> bool {
        let signs = self.tokens().take_while(|token| token.end() <= self.at);
        let depth = signs.map(|token| match token.text {
            "(" => 1,
            ")" => -1,
            _ => 0,
        });
        depth.sum::<i32>() > 0
    }

    fn directive(&self, error: &Diagnostic) -> Option<Diagnostic> {
        let word = error.message.strip_prefix("lexer error, unexpected ").filter(|word| word.starts_with('#'))?;
        let remedy = REMOVED_DIRECTIVES.iter().find(|(name, _)| *name == word).map(|(_, remedy)| (*remedy).to_owned());
        let max_distance = if word.len() < 9 { 1 } else { 2 };
        let similar =
            || syntax::DIRECTIVES.into_iter().find(|known| strsim::damerau_levenshtein(known, word) <= max_distance);
        let unknown = Diagnostic { code: Code::UnknownDirective, ..error.clone() };
        if let Some(remedy) = remedy {
            return Some(unknown.help(remedy));
        }
        let similar = similar()?;
        let token = self.tokens().find(|token| token.end() > self.at && token.text == word);
        let fix = token.map(|token| self.fix(token.range(), similar));
        Some(unknown.help(format!("did you mean {similar}?")).fix(fix))
    }

    /// Suggests how to make unsafe variables safe.
    fn unsafe_variables(&self, error: &Diagnostic) -> Option<Diagnostic> {
        // Drop clingo's auxiliary variables for intervals and arithmetic.
        let is_auxiliary = |place: &Place| ["'#Range", "'#Arith"].iter().any(|prefix| place.label.starts_with(prefix));
        let error = Diagnostic {
            labels: error.labels.iter().filter(|place| !is_auxiliary(place)).cloned().collect(),
            ..error.clone()
        };
        let labels =
            error.labels.iter().filter_map(|place| place.label.strip_prefix('\'')?.strip_suffix("' is unsafe"));
        let names: Vec<&str> = labels.collect();
        let first = names.first()?;
        let source = self.text.trim_start();
        // clingo prints an element without atoms as `3<#sum{W,X:}`, and `#minimize { p(X) }` as
        // `:~[p(X)@0]`.
        let lacks_atoms = match error.message.split_once(":~") {
            Some((_, minimized)) => !source.starts_with(":~") && !minimized.contains(':'),
            None => error.message.contains(":}") || error.message.contains(":;"),
        };
        let is_inside = error.message.contains('{') && !error.message.contains(":-");
        Some(
            error.clone().help(match source {
                _ if source.starts_with("#show") && !source.contains(':') => {
                    "all atoms of a predicate are shown by its number of arguments: #show p/1".to_owned()
                }
                _ if lacks_atoms => {
                    "an element begins with a tuple, and its atoms stand behind a colon: #sum { W,X : p(X,W) }"
                        .to_owned()
                }
                _ if self.has_pools() => {
                    "p(X;Y) in a body stands for two rules, one with p(X) and one with p(Y); for both write p(X), p(Y)"
                        .to_owned()
                }
                _ if first.starts_with("#Anon") => {
                    "_ cannot stand in a head; use a variable that occurs in the body".to_owned()
                }
                _ => {
                    let target = if is_inside { "the conditions of the element, or to the body" } else { "the body" };
                    format!("add an atom that contains {} to {target}, without not", names.join(", "))
                }
            }),
        )
    }

    /// Returns true if a semicolon follows a variable inside of parentheses.
    fn has_pools(&self) -> bool {
        let mut depth = 0;
        let mut last = "";
        self.tokens().any(|token| {
            match token.text {
                "(" => depth += 1,
                ")" => depth -= 1,
                _ => {}
            }
            let is_variable = last.starts_with(|first: char| first.is_ascii_uppercase());
            last = token.text;
            depth > 0 && token.text == ";" && is_variable
        })
    }

    /// Returns true if clingo accepts the statement with `words` in place of each token `sign` from
    /// the error to the closing brace.
    fn parses_with_all(&self, sign: &str, words: &str) -> bool {
        let mut depth = 0;
        let mut text = self.text.to_owned();
        let is_inside = |token: &Token<'_>| {
            match token.text {
                "(" | "{" => depth += 1,
                ")" | "}" => depth -= 1,
                _ => {}
            }
            depth >= 0
        };
        let following = self.tokens().skip_while(|token| token.start < self.at).take_while(is_inside);
        let ranges: Vec<Range<usize>> =
            following.filter(|token| token.text == sign).map(|token| token.range()).collect();
        for range in ranges.into_iter().rev() {
            text.replace_range(range, words);
        }
        parses(&text)
    }

    /// Suggests `:-` for the arrow in `p(X) <- q(X).`, which clingo reads as a comparison.
    fn arrow(&self, error: &Diagnostic) -> Option<Diagnostic> {
        let arrow = self.tokens().find(|token| self.text[token.start..].starts_with("<-"))?;
        let is_rule =
            !self.text[..arrow.start].contains([':', '{']) && self.parses_with(arrow.start..arrow.start + 2, ":-");
        is_rule.then(|| {
            let better = Diagnostic { code: Code::ForeignOperator, ..error.clone() };
            let fix = self.fix(arrow.start..arrow.start + 2, ":-");
            better.help("write :- instead of <-").fix(Some(fix))
        })
    }

    fn tokens(&self) -> impl Iterator<Item = Token<'a>> {
        syntax::tokens(self.text)
    }

    fn whole(&self) -> &str {
        &self.document.text
    }

    fn fix(&self, range: Range<usize>, replacement: &str) -> Fix {
        let old = &self.text[range.clone()];
        Fix::at(self.place(range), old, replacement)
    }

    fn place(&self, range: Range<usize>) -> Place {
        let range = range.start + self.range.start..range.end + self.range.start;
        Place::of_range(&self.document.name, &self.document.text, range)
    }
}

/// Maximum length of a text with fixes in bytes; longer texts are generated.
const LONGEST_TEXT: usize = 1_000_000;

/// Replaces the first token `old` inside `place`.
pub fn replace_token(document: &Document, place: &Place, old: &str, new: &str) -> Option<Fix> {
    let (text, within) = source(document, place)?;
    let token = syntax::tokens(text).find(|token| token.text == old)?;
    let range = within.start + token.start..within.start + token.end();
    Some(Fix::replace(&document.name, &document.text, range, new))
}

/// Replaces the first occurrence of the text `old` inside `place`.
pub fn replace_text(document: &Document, place: &Place, old: &str, new: &str) -> Option<Fix> {
    let (text, within) = source(document, place)?;
    let start = within.start + text.find(old)?;
    Some(Fix::replace(&document.name, &document.text, start..start + old.len(), new))
}

/// Replaces the text of `place`.
pub fn replace_place(document: &Document, place: &Place, new: &str) -> Option<Fix> {
    let (_, within) = source(document, place)?;
    Some(Fix::replace(&document.name, &document.text, within, new))
}

/// Adds `#show p/1.` or `#defined p/1.`: below the last directive of its kind, else above the first
/// statement.
pub fn add_directive(document: &Document, directive: &str, predicate: &str) -> Option<Fix> {
    let text: &str = &document.text;
    if text.len() > LONGEST_TEXT {
        return None;
    }
    let line = format!("{directive} {predicate}.");
    let statements: Vec<Range<usize>> = syntax::ranges(text).collect();
    let last = statements.iter().rfind(|range| text[(*range).clone()].starts_with(directive));
    let (at, new) = match (last, statements.first()) {
        (Some(last), _) => (last.end, format!("\n{line}")),
        (None, Some(first)) => (first.start, format!("{line}\n\n")),
        (None, None) => (text.len(), format!("{line}\n")),
    };
    let edit = Edit { place: Place::of_range(&document.name, text, at..at), replacement: new };
    Some(Fix { title: format!("Add `{line}`"), edits: vec![edit] })
}

/// Returns the text of `place`, and its byte range in the document.
fn source<'a>(document: &'a Document, place: &Place) -> Option<(&'a str, Range<usize>)> {
    if document.text.len() > LONGEST_TEXT {
        return None;
    }
    let range = place.range_in(&document.text);
    Some((document.text.get(range.clone())?, range))
}

fn parses(text: &str) -> bool {
    ast::parse(&[&Document::in_memory("", text)], |_| ()).is_ok()
}
