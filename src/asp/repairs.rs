//! What to write instead of what clingo does not take: a missing period, and what older clingos and other systems have.
//!
//! A remedy is told if it was tried: the statement is parsed with it once more, and there must be no error left. So a table
//! of what people write needs no grammar of its own.

use std::ops::Range;

use super::ffi::ast;
use super::functions;
use super::syntax::{self, Token};
use crate::diagnostic::{Diagnostic, Failure, Level, Place};
use crate::document::Document;

/// What is written elsewhere, and what is written here. Words stand alone, signs anywhere.
const OTHERWISE: [(&str, &str); 21] = [
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

/// Directives and words with `#` that clingo no longer has, or that other systems have.
const ELSEWHERE: [(&str, &str); 11] = [
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
/// Of what belongs to asprin.
pub const PREFERENCES: &str = "preferences are asprin's; clingo has #minimize, and :~ with weights and levels";
const BRACKETS: &str =
    "weights stand in braces, each element with a tuple that tells it apart: #sum { 3,a : a; 4,b : b }";

/// Adds to errors in a text what to write instead, where that is known.
pub fn explained(Failure(errors): Failure, document: &Document) -> Failure {
    let mut told: Vec<Diagnostic> = Vec::new();
    // What follows from an error that is explained is no news.
    let mut explained: Vec<Range<usize>> = Vec::new();
    for error in errors {
        let place = error.places.first().filter(|place| place.file == document.name);
        let Some(place) = place.filter(|_| error.level == Level::Error).cloned() else {
            told.push(error);
            continue;
        };
        let start = document.text.floor_char_boundary(place.range_in(&document.text).start);
        if explained.iter().any(|range| range.contains(&start)) {
            continue;
        }
        let faulty = Faulty::of(document, start);
        let better = match error.text.starts_with("unsafe variables") {
            true => faulty.arrow(&error).or_else(|| faulty.unsafe_variables(&error)),
            false => {
                faulty.directive(&error).or_else(|| faulty.period(&error, &place)).or_else(|| faulty.otherwise(&error))
            }
        };
        if better.is_some() {
            explained.push(faulty.range.clone());
        }
        told.push(better.unwrap_or(error));
    }
    Failure(told)
}

/// A statement with an error.
struct Faulty<'a> {
    document: &'a Document,
    /// Its bytes in the document, and what stands there.
    range: Range<usize>,
    text: &'a str,
    /// Where the error stands in it.
    at: usize,
}

impl<'a> Faulty<'a> {
    fn of(document: &'a Document, start: usize) -> Self {
        let whole: &str = &document.text;
        let mut end = 0;
        let mut ranges = syntax::ranges(whole);
        let found = ranges.find(|range| {
            let contains = range.end > start;
            end = if contains { end } else { range.end };
            contains
        });
        // Three dots are meant for an interval, though the last of them ends the statement.
        let found = found.map(|range| match whole[..range.end].ends_with("...") {
            true => range.start..ranges.next().map_or(whole.len(), |next| next.end),
            false => range,
        });
        let range = found.map_or(end..whole.len(), |range| range.start.min(start)..range.end);
        let text = &whole[range.clone()];
        Faulty { document, at: start - range.start, range, text }
    }

    /// Whether clingo takes the statement with other words at a place.
    fn is_right_with(&self, range: Range<usize>, words: &str) -> bool {
        let mut text = self.text.to_owned();
        text.replace_range(range, words);
        parses(&text)
    }

    /// The period that ends the line before the one at which clingo was surprised.
    fn period(&self, error: &Diagnostic, place: &Place) -> Option<Diagnostic> {
        let last = self.tokens().map(|token| token.range()).take_while(|token| token.end <= self.at).last()?;
        let is_behind = self.text[last.end..self.at].contains('\n') || self.at == self.text.len();
        if !is_behind || !self.is_right_with(last.end..last.end, ".") {
            return None;
        }
        let missing = self.place(last);
        let behind = (self.at < self.text.len()).then(|| place.clone().label("clingo reads on to here"));
        let places = [missing].into_iter().chain(behind).collect();
        let text = "syntax error, a period is missing behind this".to_owned();
        Some(Diagnostic { text, places, ..error.clone() })
    }

    fn otherwise(&self, error: &Diagnostic) -> Option<Diagnostic> {
        let help = |words: String| Some(error.clone().help(words));
        let tokens: Vec<Token<'_>> = self.tokens().collect();
        let at = tokens.iter().position(|token| token.end() > self.at).unwrap_or(tokens.len());
        for (theirs, ours) in OTHERWISE {
            let is_word = theirs.starts_with(|first: char| first.is_ascii_alphabetic());
            // A sign may have been taken for another one first.
            let is_it = |token: &&Token<'_>| match is_word {
                true => token.start == self.at && token.text == theirs,
                false => self.text[token.start..].starts_with(theirs) && token.start <= self.at,
            };
            let found: Vec<&Token<'_>> = tokens.iter().filter(is_it).collect();
            let mut text = self.text.to_owned();
            for token in found.iter().rev() {
                text.replace_range(token.start..token.start + theirs.len(), ours);
            }
            if !found.is_empty() && parses(&text) {
                return help(format!("write {} for {theirs}", ours.trim_end()));
            }
        }
        if error.text == "lexer error, unexpected \"" {
            return help("the closing quote of the text is missing; a quote in a text is written \\\"".to_owned());
        }
        if error.text.ends_with("expecting [") {
            return help("a weak constraint ends with its weight and a tuple: :~ p(X). [1,X]".to_owned());
        }
        if error.text.ends_with("support not available") {
            let names = functions::names();
            return help(format!("scripts are not supported; these functions are built in: {names}"));
        }
        if error.text.ends_with("unexpected #") {
            return help("a comment begins with %".to_owned());
        }
        if let Some(arrow) = tokens.iter().find(|token| self.text[token.start..].starts_with("->"))
            && self.is_right_with(arrow.start..arrow.start + 2, ":-")
        {
            return help("write the head first, and :- behind it: b :- a".to_owned());
        }
        // What hides the rest of the line may have been meant to divide.
        let hides = self.text.find('%').filter(|&sign| sign < self.at && self.is_right_with(sign..sign + 1, "\\"));
        if hides.is_some() {
            return help("% begins a comment; the remainder of a division is X \\ Y".to_owned());
        }
        let (before, here) = (tokens[at.checked_sub(1)?], self.text[self.at..].chars().next());
        let (word, before) = (before.text, before.range());
        if word == ";" && self.is_right_with(before.clone(), ".") {
            return help("a rule ends with a period, not with ;".to_owned());
        }
        if self.text[..self.at].ends_with(':') && here == Some('=') {
            return help("a predicate has no value that is assigned: write the value as its argument, a(3)".to_owned());
        }
        let ends_in_digit = word.ends_with(|last: char| last.is_ascii_digit());
        let begins_with_digit = |rest: &str| rest.starts_with(|first: char| first.is_ascii_digit());
        match here {
            Some('.') if ends_in_digit && begins_with_digit(&self.whole()[self.range.start + self.at + 1..]) => {
                return help("numbers are whole: take a smaller unit, such as 15 for 1.5".to_owned());
            }
            Some('.') if word == "," && self.text[self.at..].starts_with("..") => {
                return help("an interval is written 1..5".to_owned());
            }
            Some('.') if word == "," && self.is_right_with(before.clone(), "") => {
                return help("no comma stands before the period".to_owned());
            }
            Some('(') if error.text.ends_with("expecting {") => {
                return help("elements stand in braces: #sum { W,X : p(X,W) }".to_owned());
            }
            Some(',') if self.is_right_with_all(",", ";") => {
                return help("write : before the conditions of an element, and ; between elements".to_owned());
            }
            Some('[') if !self.text.starts_with([':', '#']) || self.text.contains("imize") => {
                return help(BRACKETS.to_owned());
            }
            Some('(' | ':')
                if word.starts_with(|first: char| first.is_ascii_uppercase())
                    && (self.text[self.at..].starts_with(":-") || here == Some('(')) =>
            {
                let small = word[..1].to_ascii_lowercase() + &word[1..];
                if self.is_right_with(before.clone(), &small) {
                    return help(format!("what begins with a capital is a variable; the predicate is written {small}"));
                }
            }
            Some(':') if self.text[..self.at].contains('[') && self.is_right_with(self.at..self.at + 1, "@") => {
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
            Some(':') if self.is_right_with_all(":", ",") => {
                return help("write a comma between the conditions: a : b, c".to_owned());
            }
            _ => {}
        }
        for close in [")", "}"] {
            if self.is_right_with(before.end..before.end, close) {
                return help(format!("{close} is missing before this"));
            }
        }
        let ends_an_atom = word.ends_with(|last: char| last.is_alphanumeric() || last == ')');
        let is_inside = self.is_in_brackets() || self.text[..self.at].contains(":-");
        let (signs, what) = match is_inside {
            true => (", ", "a comma is"),
            false if self.is_right_with(self.at..self.at, ". ") => (":- ", "a period or :- is"),
            false => (":- ", ":- is"),
        };
        let is_missing = ends_an_atom && self.is_right_with(self.at..self.at, signs);
        is_missing.then(|| error.clone().help(format!("{what} missing before this")))
    }

    /// Whether a name stands before a parenthesis that is still open where the error is.
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
        let word = error.text.strip_prefix("lexer error, unexpected ").filter(|word| word.starts_with('#'))?;
        let gone = ELSEWHERE.iter().find(|(name, _)| *name == word).map(|(_, remedy)| (*remedy).to_owned());
        let most = if word.len() < 9 { 1 } else { 2 };
        let near = || syntax::DIRECTIVES.into_iter().find(|known| strsim::damerau_levenshtein(known, word) <= most);
        let remedy = gone.or_else(|| near().map(|near| format!("did you mean {near}?")))?;
        Some(error.clone().help(remedy))
    }

    /// What says which values the variables can have.
    fn unsafe_variables(&self, error: &Diagnostic) -> Option<Diagnostic> {
        // clingo's own names for intervals and sums are nobody's variables.
        let is_own = |place: &Place| ["'#Range", "'#Arith"].iter().any(|own| place.label.starts_with(own));
        let error = Diagnostic {
            places: error.places.iter().filter(|place| !is_own(place)).cloned().collect(),
            ..error.clone()
        };
        let labels =
            error.places.iter().filter_map(|place| place.label.strip_prefix('\'')?.strip_suffix("' is unsafe"));
        let names: Vec<&str> = labels.collect();
        let first = names.first()?;
        let source = self.text.trim_start();
        // How clingo writes the element or the statement: `3<#sum{W,X:}`, and `:~[p(X)@0]` of `#minimize { p(X) }`.
        let lacks_atoms = match error.text.split_once(":~") {
            Some((_, minimized)) => !source.starts_with(":~") && !minimized.contains(':'),
            None => error.text.contains(":}") || error.text.contains(":;"),
        };
        let is_inside = error.text.contains('{') && !error.text.contains(":-");
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
                    let to = if is_inside { "the conditions of the element, or to the body" } else { "the body" };
                    format!("add an atom that contains {} to {to}, without not", names.join(", "))
                }
            }),
        )
    }

    /// Whether a semicolon stands between arguments that are variables.
    fn has_pools(&self) -> bool {
        let (mut depth, mut last) = (0, "");
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

    /// The statement with other words for each of these signs, from here to the brace that closes.
    fn is_right_with_all(&self, sign: &str, words: &str) -> bool {
        let (mut depth, mut text) = (0, self.text.to_owned());
        let is_inside = |token: &Token<'_>| {
            match token.text {
                "(" | "{" => depth += 1,
                ")" | "}" => depth -= 1,
                _ => {}
            }
            depth >= 0
        };
        let behind = self.tokens().skip_while(|token| token.start < self.at).take_while(is_inside);
        let found: Vec<Range<usize>> = behind.filter(|token| token.text == sign).map(|token| token.range()).collect();
        for range in found.into_iter().rev() {
            text.replace_range(range, words);
        }
        parses(&text)
    }

    /// `p(X) <- q(X).` compares.
    fn arrow(&self, error: &Diagnostic) -> Option<Diagnostic> {
        let arrow = self.tokens().find(|token| self.text[token.start..].starts_with("<-"))?;
        let is_rule =
            !self.text[..arrow.start].contains([':', '{']) && self.is_right_with(arrow.start..arrow.start + 2, ":-");
        is_rule.then(|| error.clone().help("write :- for <-"))
    }

    fn tokens(&self) -> impl Iterator<Item = Token<'a>> {
        syntax::tokens(self.text)
    }

    fn whole(&self) -> &str {
        &self.document.text
    }

    fn place(&self, range: Range<usize>) -> Place {
        let range = range.start + self.range.start..range.end + self.range.start;
        Place::of_range(&self.document.name, &self.document.text, range)
    }
}

fn parses(text: &str) -> bool {
    ast::parse(&[&Document::in_memory("", text)], |_| ()).is_ok()
}
