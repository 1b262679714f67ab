//! clingo's messages, parsed from the text that its logger receives.

use std::collections::BTreeSet;

use base::diagnostic::{Code, Diagnostic, Place, Position, Severity};
use base::document::Document;
use base::words::nearest_name;

use super::ffi::RawMessage;
use super::repairs;
use super::symbols::ADDED_PREFIX;
use super::syntax::{self, Signature};

/// clingo's code for "operation undefined" and "interval undefined".
const OPERATION_UNDEFINED: i32 = 0;
/// clingo's code for "atom does not occur in any rule head" and "no atoms over signature occur in
/// program".
const ATOM_UNDEFINED: i32 = 2;
/// clingo's code for messages of the solver, which the clingo command prints as warnings.
const OTHER: i32 = 6;

/// One message of clingo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    pub diagnostic: Diagnostic,
    /// The predicate of an atom that no rule head has, if the message reports one.
    pub undefined: Option<Signature>,
}

impl Message {
    pub fn is_undefined_atom(&self) -> bool {
        self.diagnostic.code == Code::UndefinedAtom
    }
}

impl From<Diagnostic> for Message {
    fn from(diagnostic: Diagnostic) -> Self {
        Message { diagnostic, undefined: None }
    }
}

/// Reads the predicate in "atom does not occur in any rule head: rel(X,Y,Z)".
fn undefined_predicate(text: &str) -> Option<Signature> {
    let atom = text.rsplit_once(": ")?.1.trim_end_matches('.');
    // clingo prints brackets around a negated atom.
    let bare = atom.strip_prefix('(').and_then(|atom| atom.strip_suffix(')'));
    Signature::of(bare.unwrap_or(atom))
}

/// Adds advice and fixes to messages about undefined atoms: the known predicate that was perhaps
/// meant, and `#defined` for input that may be absent.
///
/// clingo reports each atom that no head matches, although other atoms of its predicate may exist;
/// `has_atoms` returns true for predicates that have atoms.
pub fn suggest_spelling(
    messages: &mut [Message],
    documents: &[Document],
    known: &[Signature],
    has_atoms: impl Fn(&Signature) -> bool,
) {
    let undefined = messages.iter().filter_map(|message| message.undefined.clone());
    let undefined: BTreeSet<Signature> = undefined.filter(|predicate| !has_atoms(predicate)).collect();
    let is_internal = |known: &Signature| known.name.starts_with(ADDED_PREFIX);
    let known: Vec<&Signature> =
        known.iter().filter(|known| !undefined.contains(known) && !is_internal(known)).collect();
    for message in messages {
        let Some(predicate) = &message.undefined else { continue };
        let diagnostic = &mut message.diagnostic;
        let place = diagnostic.labels.first().cloned();
        let source = place.as_ref().and_then(|place| documents.iter().find(|document| document.name == place.file));
        if undefined.contains(predicate) {
            let name = predicate.signed();
            let same_name: Vec<String> =
                known.iter().filter(|other| other.signed() == name).map(ToString::to_string).collect();
            let of_this_arity: Vec<String> =
                known.iter().filter(|other| other.arity == predicate.arity).map(|other| other.signed()).collect();
            let candidates = of_this_arity.iter().map(String::as_str).filter(|similar| could_mean(&name, similar));
            let similar = nearest_name(&name, candidates);
            diagnostic.help = match (same_name.is_empty(), similar) {
                (false, _) => Some(format!("{predicate} is defined nowhere; there is {}", same_name.join(", "))),
                (true, Some(similar)) => Some(format!("{predicate} is defined nowhere (did you mean {similar}?)")),
                (true, None) => None,
            };
            if similar.is_some() {
                diagnostic.severity = diagnostic.severity.max(Severity::Warning);
            }
            if let (Some(similar), Some(source), Some(place)) = (similar, source, &place) {
                diagnostic.fixes.extend(repairs::replace_token(
                    source,
                    place,
                    &predicate.name,
                    similar.trim_start_matches('-'),
                ));
            }
        }
        if let Some(source) = source {
            diagnostic.fixes.extend(repairs::add_directive(source, "#defined", &predicate.to_string()));
        }
    }
}

/// Returns true if a name may be a misspelling of another one. Names such as `fluent` and
/// `_fluent`, `model` and `models`, or `position` and `positionX` are distinct, as are names that
/// differ in more than a quarter of their letters.
fn could_mean(name: &str, other: &str) -> bool {
    let max_distance = (name.len() / 4).clamp(1, 2);
    let (short, long) = if name.len() < other.len() { (name, other) } else { (other, name) };
    let rest = long.strip_prefix(short).or_else(|| long.strip_suffix(short)).unwrap_or_default();
    let is_mark = |sign: char| !sign.is_ascii_lowercase() || sign == 's';
    strsim::damerau_levenshtein(name, other) <= max_distance && !rest.contains(is_mark)
}

/// Adds to "interval undefined: 1..n" and the like the constant that has no value, or the cause of
/// a value that is no number.
pub fn suggest_constants(messages: &mut [Message], documents: &[Document]) {
    for Message { diagnostic, .. } in messages {
        if diagnostic.code != Code::UndefinedOperation {
            continue;
        }
        let Some((_, term)) = diagnostic.message.split_once(" undefined: ") else { continue };
        // `@f()`, a function that does not exist.
        if term.starts_with("function ") {
            continue;
        }
        let is_word = |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '_' | '\'' | '(' | '"');
        let constant = term
            .split(|sign| !is_word(sign))
            .map(|word| word.trim_start_matches('('))
            .find(|word| word.starts_with(|first: char| first.is_ascii_lowercase()) && !word.contains(['(', '"']));
        let statement = diagnostic.labels.first().and_then(|place| statement_at(place, documents)).unwrap_or_default();
        diagnostic.help = match constant {
            Some(name) if is_used_as_variable(statement, name) => {
                let capital = name[..1].to_ascii_uppercase() + &name[1..];
                Some(format!("{name} is a constant; variables start with a capital letter: {capital}"))
            }
            Some(name) => Some(format!("{name} has no number: #const {name} = 8. or -c {name}=8 gives it one")),
            None => extremum_in(term, statement),
        };
    }
}

/// Returns the text of the statement at a place.
fn statement_at<'d>(place: &Place, documents: &'d [Document]) -> Option<&'d str> {
    /// Maximum length of a text in bytes; longer texts are generated.
    const LONGEST: usize = 100_000;
    let document = documents.iter().find(|document| document.name == place.file)?;
    let text: &str = &document.text;
    if text.len() > LONGEST {
        return None;
    }
    let start = place.range_in(text).start;
    let range = syntax::ranges(text).find(|range| range.contains(&start))?;
    Some(&text[range])
}

/// Returns true if a constant is an argument of its own in the body of a rule, and occurs in its
/// head.
fn is_used_as_variable(statement: &str, name: &str) -> bool {
    let tokens: Vec<&str> = syntax::tokens(statement).map(|token| token.text).collect();
    let Some(arrow) = tokens.iter().position(|token| *token == ":-") else { return false };
    let is_argument =
        |window: &[&str]| matches!(window[0], "(" | ",") && window[1] == name && matches!(window[2], ")" | ",");
    tokens[..arrow].contains(&name) && tokens[arrow..].windows(3).any(is_argument)
}

/// Returns help if a variable in a term without a value is the minimum or maximum of a set.
fn extremum_in(term: &str, statement: &str) -> Option<String> {
    let tokens: Vec<&str> = syntax::tokens(statement).map(|token| token.text).collect();
    let is_variable = |word: &&str| word.starts_with(|first: char| first.is_ascii_uppercase());
    for variable in syntax::words(term).filter(is_variable) {
        for (function, value) in [("#min", "#sup"), ("#max", "#inf")] {
            let assigns = |window: &[&str]| window == [variable, "=", function];
            if tokens.windows(3).any(assigns) {
                return Some(format!(
                    "{variable} is {value} if {function} has no element, and {value} is no number; add {variable} != {value}"
                ));
            }
        }
    }
    None
}

/// Parses a message of clingo's logger, for instance `rail.lp:4:14-15: error: syntax error,
/// unexpected .` or, over two lines, `a.lp:2:1-3:5: info: …`.
pub fn parse((code, text): &RawMessage) -> Message {
    let text = text.trim_end();
    let (head, level, rest) = split_level(text).unwrap_or_else(|| {
        let level = if *code == OTHER { Severity::Warning } else { Severity::Error };
        ("", level, text)
    });
    let mut diagnostic = Diagnostic { severity: level, ..Diagnostic::error(Code::Clingo, "") };
    diagnostic.labels.extend(parse_place(head));
    let mut lines = rest.lines();
    let mut words = lines.next().unwrap_or_default().trim().to_owned();
    for line in lines {
        match split_note(line) {
            Some((place, note)) => diagnostic.labels.extend(parse_place(place).map(|place| place.label(note))),
            None => {
                if !words.is_empty() {
                    words.push(' ');
                }
                words.push_str(line.trim());
            }
        }
    }
    if *code == OTHER
        && let Some((level, text)) = reword(&words)
    {
        (diagnostic.severity, words) = (level, text);
    }
    // clingo's internal literal for the program part.
    diagnostic.message = words.replace("[#inc_base];", "").replace(":-[#inc_base].", ".");
    let undefined = (*code == ATOM_UNDEFINED).then(|| undefined_predicate(&diagnostic.message)).flatten();
    diagnostic.code = match *code {
        ATOM_UNDEFINED => Code::UndefinedAtom,
        OPERATION_UNDEFINED if level == Severity::Info => Code::UndefinedOperation,
        _ if diagnostic.message.starts_with("unsafe variables") => Code::UnsafeVariable,
        _ if ["syntax error", "lexer error"].iter().any(|start| diagnostic.message.starts_with(start)) => {
            Code::SyntaxError
        }
        _ => Code::Clingo,
    };
    Message { diagnostic, undefined }
}

/// The warning that a limit on the number of answers may end the search before the optimum.
pub const MAY_END_EARLY: &str = "with a limit on the number of answers, the search may end before the optimum";

/// Returns other words for warnings of clasp that speak of its own options.
fn reword(text: &str) -> Option<(Severity, String)> {
    if let Some(numbers) = text.strip_prefix("Oversubscription: #Threads=") {
        let (threads, processors) = numbers.trim_end_matches('.').split_once(" exceeds logical CPUs=")?;
        return Some((Severity::Warning, format!("{threads} threads share {processors} logical processors")));
    }
    if text.contains("#models not 0: optimality of last model not guaranteed") {
        return Some((Severity::Warning, MAY_END_EARLY.to_owned()));
    }
    let is_unbounded = text.contains("opt-mode=enum: No bound given");
    is_unbounded.then(|| (Severity::Info, "opt-mode enum lists all answers, whatever they cost".to_owned()))
}

/// Splits `place: level: rest`; a text without a level has no place.
fn split_level(text: &str) -> Option<(&str, Severity, &str)> {
    let (at, mark, level) =
        [(": error:", Severity::Error), (": warning:", Severity::Warning), (": info:", Severity::Info)]
            .into_iter()
            .filter_map(|(mark, level)| text.find(mark).map(|at| (at, mark, level)))
            .min_by_key(|&(at, ..)| at)?;
    Some((&text[..at], level, &text[at + mark.len()..]))
}

/// Splits `place: note: words`, as in the list of unsafe variables.
fn split_note(line: &str) -> Option<(&str, &str)> {
    line.split_once(": note: ")
}

/// Parses `file:4:14-15` or `file:4:14-6:3`; the file name may contain colons.
fn parse_place(text: &str) -> Option<Place> {
    let (from, to) = text.rsplit_once('-')?;
    let (rest, column) = from.rsplit_once(':')?;
    let (file, line) = rest.rsplit_once(':')?;
    let start = Position { line: line.parse().ok()?, column: column.parse().ok()? };
    let end = match to.split_once(':') {
        Some((line, column)) => Position { line: line.parse().ok()?, column: column.parse().ok()? },
        None => Position { line: start.line, column: to.parse().ok()? },
    };
    Some(Place { file: file.to_owned(), start, end, label: String::new() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_split_into_place_level_and_words() {
        let message = parse(&(1, "asp/rail/x.lp:4:14-15: error: syntax error, unexpected .\n".to_owned()));
        let place = &message.diagnostic.labels[0];
        assert_eq!(
            (place.file.as_str(), place.start.line, place.start.column, place.end.column),
            ("asp/rail/x.lp", 4, 14, 15)
        );
        assert_eq!(message.diagnostic.severity, Severity::Error);
        assert_eq!(message.diagnostic.message, "syntax error, unexpected .");
        assert_eq!((message.diagnostic.code, message.undefined), (Code::SyntaxError, None));
    }

    #[test]
    fn solver_messages_are_warnings_and_fatal_messages_are_errors() {
        let level = |code| {
            parse(&(code, "Oversubscription: #Threads=4 exceeds logical CPUs=2.".to_owned())).diagnostic.severity
        };
        assert_eq!((level(OTHER), level(1)), (Severity::Warning, Severity::Error));
    }

    #[test]
    fn warnings_of_clasp_about_its_own_options_are_reworded() {
        let words = |text: &str| parse(&(OTHER, text.to_owned())).diagnostic.message;
        let threads = words("Oversubscription: #Threads=4 exceeds logical CPUs=2.");
        assert_eq!(threads, "4 threads share 2 logical processors");
        let bound = "opt-mode=enum: No bound given, optimize statement ignored.";
        assert_eq!(words(bound), "opt-mode enum lists all answers, whatever they cost");
        assert_eq!(words("something else"), "something else");
    }

    #[test]
    fn notes_become_further_places() {
        let raw = "w.lp:1:1-18: error: unsafe variables in:\n  a(X):-[#inc_base];not b(X).\nw.lp:1:3-4: note: 'X' is unsafe\n";
        let message = parse(&(1, raw.to_owned()));
        assert_eq!(message.diagnostic.labels.len(), 2);
        assert_eq!(message.diagnostic.labels[1].label, "'X' is unsafe");
    }

    #[test]
    fn ranges_over_lines_and_names_with_colons_are_parsed() {
        let message = parse(&(2, "a:b-c.lp:2:1-3:5: info: atom does not occur in any rule head:\n  d\n".to_owned()));
        let place = &message.diagnostic.labels[0];
        assert_eq!((place.file.as_str(), place.end.line, place.end.column), ("a:b-c.lp", 3, 5));
        assert_eq!((message.diagnostic.code, message.undefined), (Code::UndefinedAtom, Signature::of("d")));
    }
}
