//! Suggestions for syntax errors: missing tokens, and the syntax of older clingo versions and of
//! other systems.
//!
//! A suggestion is only made if clingo accepts the statement with it. A table of common mistakes is
//! therefore sufficient, and no grammar is needed.

use std::ops::Range;

use base::diagnostic::{Code, Diagnostic, Edit, Failure, Fix, Place, Severity};
use base::document::Document;

use super::ffi::ast;
use super::functions;
use super::syntax::{self, Token};

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
    let mut faulty_statements: Vec<Range<usize>> = Vec::new();
    for error in errors {
        let place = error.labels.first().filter(|place| place.file == document.name);
        let Some(place) = place.filter(|_| error.severity == Severity::Error).cloned() else {
            diagnostics.push(error);
            continue;
        };
        let start = document.text.floor_char_boundary(place.range_in(&document.text).start);
        let is_inside_earlier_error = |range: &Range<usize>| range.contains(&start);
        if explained.iter().any(is_inside_earlier_error) {
            continue;
        }
        // Behind an error, a sign that ends a sentence says nothing new.
        let ends_sentence =
            ["lexer error, unexpected !", "lexer error, unexpected ?"].contains(&error.message.as_str());
        if ends_sentence && faulty_statements.iter().any(is_inside_earlier_error) {
            continue;
        }
        let faulty = FaultyStatement::of(document, start);
        faulty_statements.push(faulty.range.clone());
        let better = match error.code == Code::UnsafeVariable {
            true => {
                faulty.arrow(&error).or_else(|| faulty.equation(&error)).or_else(|| faulty.unsafe_variables(&error))
            }
            false => faulty
                .directive(&error)
                .or_else(|| faulty.period(&error, &place))
                .or_else(|| faulty.suggest_syntax(&error))
                .or_else(|| faulty.stray_sign(&error)),
        };
        // After a sign that clingo does not know, the rest of the statement makes no sense to it.
        if better.is_some() || error.message.starts_with("lexer error") {
            let is_last = faulty.range.end == document.text.len();
            explained.push(faulty.range.start..faulty.range.end + usize::from(is_last));
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
        self.parses_with_each(&[range], words)
    }

    /// Suggests a period at the end of the line before the unexpected token.
    fn period(&self, error: &Diagnostic, place: &Place) -> Option<Diagnostic> {
        let last = self.token_before()?.range();
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

    /// Suggests how to correct a common mistake.
    fn suggest_syntax(&self, error: &Diagnostic) -> Option<Diagnostic> {
        if let Some(better) = self.foreign_operator(error) {
            return Some(better);
        }
        let words = help_for_message(&error.message).or_else(|| self.help_for_sign().map(str::to_owned));
        if let Some(words) = words {
            return Some(error.clone().help(words));
        }
        let before = self.token_before()?;
        if let Some(words) = self.help_for_neighbours(error, before) {
            return Some(error.clone().help(words));
        }
        let better = if self.continues_variable(before) {
            self.capital_predicate(error, before)
        } else {
            self.help_for_colon(before).map(|words| error.clone().help(words))
        };
        better.or_else(|| self.missing_bracket(error, before)).or_else(|| self.missing_comma(error, before))
    }

    /// Suggests clingo's operator in place of one of another language.
    fn foreign_operator(&self, error: &Diagnostic) -> Option<Diagnostic> {
        for (theirs, ours) in FOREIGN_OPERATORS {
            // Between two atoms it is an arrow.
            if theirs == "=>" && !self.text.contains([':', '{']) && self.starts_with_atom() {
                continue;
            }
            let is_word = theirs.starts_with(|first: char| first.is_ascii_alphabetic());
            // The lexer may have read the beginning of an operator as another token.
            let is_match = |token: &Token<'_>| {
                if is_word {
                    token.start == self.at && token.text == theirs
                } else {
                    self.text[token.start..].starts_with(theirs) && token.start <= self.at
                }
            };
            let found = self.tokens().filter(is_match);
            let ranges: Vec<Range<usize>> = found.map(|token| token.start..token.start + theirs.len()).collect();
            if !ranges.is_empty() && self.parses_with_each(&ranges, ours) {
                let edits =
                    ranges.into_iter().map(|range| Edit { place: self.place(range), replacement: ours.to_owned() });
                let title = format!("Replace `{theirs}` with `{}`", ours.trim_end());
                let fix = Fix { title, edits: edits.collect() };
                let better = Diagnostic { code: Code::ForeignOperator, ..error.clone() }.fix(Some(fix));
                return Some(better.help(format!("write {} instead of {theirs}", ours.trim_end())));
            }
        }
        None
    }

    /// Returns help for a sign that has another meaning in clingo.
    fn help_for_sign(&self) -> Option<&'static str> {
        let is_arrow = |token: &Token<'_>| ["->", "=>"].iter().any(|arrow| self.text[token.start..].starts_with(arrow));
        let arrow = self.tokens().find(is_arrow);
        if arrow.is_some_and(|arrow| self.parses_with(arrow.start..arrow.start + 2, ":-")) {
            return Some("write the head first, and :- behind it: b :- a");
        }
        // The `%` of a comment may be meant as the remainder operator.
        let remainder = self.text.find('%').filter(|&sign| sign < self.at);
        if remainder.is_some_and(|sign| self.parses_with(sign..sign + 1, "\\")) {
            return Some("% begins a comment; the remainder of a division is X \\ Y");
        }
        None
    }

    /// Returns help for an unexpected sign behind the token `before`, unless the sign is a colon.
    fn help_for_neighbours(&self, error: &Diagnostic, before: Token<'_>) -> Option<&'static str> {
        let word = before.text;
        if word == ";" && self.parses_with(before.range(), ".") {
            return Some("a rule ends with a period, not with ;");
        }
        let unexpected = self.following().chars().next()?;
        match unexpected {
            '=' if self.preceding().ends_with(':') => {
                Some("a predicate has no value that is assigned: write the value as its argument, a(3)")
            }
            '.' if self.is_in_decimal(before) => Some("numbers are whole: take a smaller unit, such as 15 for 1.5"),
            '.' if word == "," && self.following().starts_with("..") => Some("an interval is written 1..5"),
            '.' if word == "," && self.parses_with(before.range(), "") => Some("no comma stands before the period"),
            '(' if error.message.ends_with("expecting {") => Some("elements stand in braces: #sum { W,X : p(X,W) }"),
            ',' if self.parses_with_all(",", ";") => {
                Some("write : before the conditions of an element, and ; between elements")
            }
            '[' if !self.text.starts_with([':', '#']) || self.text.contains("imize") => Some(BRACKETS),
            _ => None,
        }
    }

    /// Returns true if the error is at the point between the digits of a number.
    fn is_in_decimal(&self, before: Token<'_>) -> bool {
        let mut following = self.whole()[self.range.start + self.at..].chars().skip(1);
        before.text.ends_with(|last: char| last.is_ascii_digit())
            && following.next().is_some_and(|next| next.is_ascii_digit())
    }

    /// Returns true if the token before the error is a variable that is used as a predicate.
    fn continues_variable(&self, before: Token<'_>) -> bool {
        let following = self.following();
        before.text.starts_with(|first: char| first.is_ascii_uppercase())
            && (following.starts_with('(') || following.starts_with(":-"))
    }

    /// Suggests a small first letter for the predicate before the error.
    fn capital_predicate(&self, error: &Diagnostic, before: Token<'_>) -> Option<Diagnostic> {
        let small = before.text[..1].to_ascii_lowercase() + &before.text[1..];
        self.parses_with(before.range(), &small).then(|| {
            let better = Diagnostic { code: Code::CapitalPredicate, ..error.clone() };
            let words = format!("a name with a capital first letter is a variable; write the predicate as {small}");
            better.help(words).fix(Some(self.fix(before.range(), &small)))
        })
    }

    /// Returns help for an unexpected colon behind the token `before`.
    fn help_for_colon(&self, before: Token<'_>) -> Option<&'static str> {
        let following = self.following();
        if !following.starts_with(':') {
            return None;
        }
        if self.preceding().contains('[') && self.parses_with(self.at..self.at + 1, "@") {
            return Some("write weight@level: [1@2]");
        }
        if before.text != ":-" && following.starts_with(":-") && self.preceding().contains(":-") {
            return Some("a rule has one :-, and a comma between its conditions");
        }
        if ["sum", "count", "min", "max"].iter().any(|name| self.calls(name)) {
            return Some("an aggregate is written with # and braces: #sum { X : p(X) }");
        }
        self.parses_with_all(":", ",").then_some("write a comma between the conditions: a : b, c")
    }

    /// Suggests a closing bracket behind the token `before`.
    fn missing_bracket(&self, error: &Diagnostic, before: Token<'_>) -> Option<Diagnostic> {
        let end = before.end();
        let close = [")", "}"].into_iter().find(|close| self.parses_with(end..end, close))?;
        let better = Diagnostic { code: Code::MissingToken, ..error.clone() };
        Some(better.help(format!("{close} is missing before this")).fix(Some(self.fix(end..end, close))))
    }

    /// Suggests a comma, a period or `:-` between the token `before`, which ends an atom, and the
    /// error.
    fn missing_comma(&self, error: &Diagnostic, before: Token<'_>) -> Option<Diagnostic> {
        let at = self.at..self.at;
        let is_in_body = self.is_in_brackets() || self.preceding().contains(":-");
        let (signs, what) = match is_in_body {
            true => (", ", "a comma is"),
            false if self.parses_with(at.clone(), ". ") => (":- ", "a period or :- is"),
            false => (":- ", ":- is"),
        };
        let ends_an_atom = before.text.ends_with(|last: char| last.is_alphanumeric() || last == ')');
        let is_missing = ends_an_atom && self.parses_with(at.clone(), signs);
        is_missing.then(|| {
            let better = Diagnostic { code: Code::MissingToken, ..error.clone() };
            better.help(format!("{what} missing before this")).fix(Some(self.fix(at, signs)))
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
        self.parses_with_each(&ranges, words)
    }

    /// Returns true if clingo accepts the statement with `words` in place of each of the ascending
    /// `ranges`.
    fn parses_with_each(&self, ranges: &[Range<usize>], words: &str) -> bool {
        let mut text = self.text.to_owned();
        for range in ranges.iter().rev() {
            text.replace_range(range.clone(), words);
        }
        parses(&text)
    }

    /// Suggests `:-` for the arrow in `p(X) <- q(X).`, which clingo reads as a comparison.
    fn arrow(&self, error: &Diagnostic) -> Option<Diagnostic> {
        let arrow = self.tokens().find(|token| self.text[token.start..].starts_with("<-"))?;
        let is_rule =
            !self.text[..arrow.start].contains([':', '{']) && self.parses_with(arrow.start..arrow.start + 2, ":-");
        is_rule.then(|| {
            let message = format!("unsafe variables in: {}", self.text.trim());
            let better = Diagnostic { code: Code::ForeignOperator, message, ..error.clone() };
            let fix = self.fix(arrow.start..arrow.start + 2, ":-");
            better.help("write :- instead of <-").fix(Some(fix))
        })
    }

    /// Returns true if the statement starts with the name of an atom.
    fn starts_with_atom(&self) -> bool {
        self.tokens().next().is_some_and(|first| syntax::is_name(first.text) && first.text != "not")
    }

    /// Suggests an arrow instead of a comparison between a head and a body: `p(X) = q(X).`
    fn equation(&self, error: &Diagnostic) -> Option<Diagnostic> {
        let sign = self.tokens().find(|token| ["=", "==", "<="].contains(&token.text))?;
        let is_rule =
            self.starts_with_atom() && !self.text.contains([':', '{']) && self.parses_with(sign.range(), ":-");
        is_rule.then(|| {
            let message = format!("unsafe variables in: {}", self.text.trim());
            let better = Diagnostic { code: Code::ForeignOperator, message, ..error.clone() };
            better
                .help(format!("`{}` compares two terms; between head and body write :-", sign.text))
                .fix(Some(self.fix(sign.range(), ":-")))
        })
    }

    /// Suggests a period instead of a sign that clingo does not know.
    fn stray_sign(&self, error: &Diagnostic) -> Option<Diagnostic> {
        let sign = error.message.strip_prefix("lexer error, unexpected ").filter(|sign| matches!(*sign, "!" | "?"))?;
        let range = self.at..self.at + sign.len();
        self.parses_with(range.clone(), ".").then(|| {
            let help = format!("a rule ends with a period, not with {sign}");
            error.clone().help(help).fix(Some(self.fix(range, ".")))
        })
    }

    fn tokens(&self) -> impl Iterator<Item = Token<'a>> {
        syntax::tokens(self.text)
    }

    /// Returns the last token that ends before the error.
    fn token_before(&self) -> Option<Token<'a>> {
        self.tokens().take_while(|token| token.end() <= self.at).last()
    }

    /// Returns the text of the statement before the error.
    fn preceding(&self) -> &'a str {
        &self.text[..self.at]
    }

    /// Returns the text of the statement from the error on.
    fn following(&self) -> &'a str {
        &self.text[self.at..]
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

/// Returns help for a message of clingo that allows only one cause.
fn help_for_message(message: &str) -> Option<String> {
    let help = match message {
        "lexer error, unexpected \"" => "the closing quote of the text is missing; a quote in a text is written \\\"",
        _ if message.ends_with("expecting [") => "a weak constraint ends with its weight and a tuple: :~ p(X). [1,X]",
        _ if message.ends_with("support not available") => {
            let names = functions::names();
            return Some(format!("scripts are not supported; these functions are built in: {names}"));
        }
        _ if message.ends_with("unexpected #") => "a comment begins with %",
        _ => return None,
    };
    Some(help.to_owned())
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
