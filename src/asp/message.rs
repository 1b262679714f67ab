//! clingo's messages, parsed from the text that its logger gets.

use super::ffi::RawMessage;
use super::syntax::Signature;
use crate::diagnostic::{Diagnostic, Level, Place, Position};
use crate::words::did_you_mean;

/// clingo's code for "atom does not occur in any rule head" and "no atoms over signature occur in program".
const ATOM_UNDEFINED: i32 = 2;
/// What the solver has to say, which the clingo command prints as a warning.
const OTHER: i32 = 6;

/// One message of clingo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    pub diagnostic: Diagnostic,
    /// Set when the message is that an atom is used and nothing defines it.
    pub undefined: bool,
}

impl Message {
    /// The predicate in "atom does not occur in any rule head: rel(X,Y,Z)".
    pub fn undefined_predicate(&self) -> Option<Signature> {
        let atom = self.diagnostic.text.rsplit_once(": ")?.1.trim_end_matches('.');
        // clingo sets a negated one in brackets.
        let bare = atom.strip_prefix('(').and_then(|atom| atom.strip_suffix(')'));
        Signature::of(bare.unwrap_or(atom))
    }
}

/// Adds to messages of what is defined nowhere which of the known predicates was perhaps meant. clingo sends them for each atom
/// that no head matches, though others of its predicate may be there: `has_atoms` tells.
pub fn say_what_is_near(messages: &mut [Message], known: &[Signature], has_atoms: impl Fn(&Signature) -> bool) {
    let undefined = messages.iter().filter_map(Message::undefined_predicate);
    let undefined: Vec<Signature> = undefined.filter(|predicate| !has_atoms(predicate)).collect();
    let is_own = |known: &Signature| known.name.starts_with(super::ADDED);
    let known: Vec<&Signature> = known.iter().filter(|known| !undefined.contains(known) && !is_own(known)).collect();
    for message in messages.iter_mut().filter(|message| message.undefined) {
        let predicate = message.undefined_predicate().filter(|predicate| undefined.contains(predicate));
        let Some(predicate) = predicate else { continue };
        let name = predicate.signed();
        let others = known.iter().filter(|other| other.signed() == name);
        let others: Vec<String> = others.map(ToString::to_string).collect();
        let of_this_arity: Vec<String> =
            known.iter().filter(|other| other.arity == predicate.arity).map(|other| other.signed()).collect();
        let near = did_you_mean(&name, of_this_arity.iter().map(String::as_str).filter(|near| could_mean(&name, near)));
        message.diagnostic.help = match (others.is_empty(), near.is_empty()) {
            (false, _) => Some(format!("{predicate} is defined nowhere; there is {}", others.join(", "))),
            (true, false) => Some(format!("{predicate} is defined nowhere{near}")),
            (true, true) => None,
        };
    }
}

/// Whether a name may be another one misspelt. `fluent` and `_fluent`, `model` and `models`, `position` and `positionX` are two
/// things, and so are names of which more than a quarter differs.
fn could_mean(name: &str, other: &str) -> bool {
    let most = (name.len() / 4).clamp(1, 2);
    let (short, long) = if name.len() < other.len() { (name, other) } else { (other, name) };
    let rest = long.strip_prefix(short).or_else(|| long.strip_suffix(short)).unwrap_or_default();
    let is_mark = |sign: char| !sign.is_ascii_lowercase() || sign == 's';
    strsim::damerau_levenshtein(name, other) <= most && !rest.contains(is_mark)
}

/// Adds to "interval undefined: 1..n" and its like which constant has no value.
pub fn say_what_has_no_value(messages: &mut [Message]) {
    for Message { diagnostic, .. } in messages {
        let undefined = ["interval undefined: ", "operation undefined: "];
        let Some(term) = undefined.iter().find_map(|start| diagnostic.text.strip_prefix(start)) else { continue };
        // `@f()`, for which there is no script.
        if term.starts_with("function ") {
            continue;
        }
        let is_word = |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '_' | '\'' | '(' | '"');
        let constant = term
            .split(|sign| !is_word(sign))
            .map(|word| word.trim_start_matches('('))
            .find(|word| word.starts_with(|first: char| first.is_ascii_lowercase()) && !word.contains(['(', '"']));
        diagnostic.help =
            constant.map(|name| format!("{name} has no number: #const {name} = 8. or -c {name}=8 gives it one"));
    }
}

/// Parses what clingo's logger was given, for instance
/// `rail.lp:4:14-15: error: syntax error, unexpected .` or, over two lines, `a.lp:2:1-3:5: info: …`.
pub fn parse((code, text): &RawMessage) -> Message {
    let text = text.trim_end();
    let (head, level, rest) = split_level(text).unwrap_or_else(|| {
        let level = if *code == OTHER { Level::Warning } else { Level::Error };
        ("", level, text)
    });
    let mut diagnostic = Diagnostic { level, text: String::new(), places: Vec::new(), help: None };
    diagnostic.places.extend(parse_place(head));
    let mut lines = rest.lines();
    let mut words = lines.next().unwrap_or_default().trim().to_owned();
    for line in lines {
        match split_note(line) {
            Some((place, note)) => diagnostic.places.extend(parse_place(place).map(|place| place.label(note))),
            None => {
                if !words.is_empty() {
                    words.push(' ');
                }
                words.push_str(line.trim());
            }
        }
    }
    // clingo's own mark of the program part, which nobody wrote.
    diagnostic.text = words.replace("[#inc_base];", "").replace(":-[#inc_base].", ".");
    Message { diagnostic, undefined: *code == ATOM_UNDEFINED }
}

/// `place: level: rest`; text without a level is about nowhere.
fn split_level(text: &str) -> Option<(&str, Level, &str)> {
    let (at, mark, level) = [(": error:", Level::Error), (": warning:", Level::Warning), (": info:", Level::Info)]
        .into_iter()
        .filter_map(|(mark, level)| text.find(mark).map(|at| (at, mark, level)))
        .min_by_key(|&(at, ..)| at)?;
    Some((&text[..at], level, &text[at + mark.len()..]))
}

/// `place: note: words`, as in the list of unsafe variables.
fn split_note(line: &str) -> Option<(&str, &str)> {
    line.split_once(": note: ")
}

/// `file:4:14-15` or `file:4:14-6:3`; a file's name may have colons of its own.
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
        let place = &message.diagnostic.places[0];
        assert_eq!(
            (place.file.as_str(), place.start.line, place.start.column, place.end.column),
            ("asp/rail/x.lp", 4, 14, 15)
        );
        assert_eq!(message.diagnostic.level, Level::Error);
        assert_eq!(message.diagnostic.text, "syntax error, unexpected .");
        assert!(!message.undefined);
    }

    #[test]
    fn what_the_solver_says_is_a_warning_and_what_ends_the_run_an_error() {
        let level =
            |code| parse(&(code, "Oversubscription: #Threads=4 exceeds logical CPUs=2.".to_owned())).diagnostic.level;
        assert_eq!((level(OTHER), level(1)), (Level::Warning, Level::Error));
    }

    #[test]
    fn notes_become_further_places() {
        let raw = "w.lp:1:1-18: error: unsafe variables in:\n  a(X):-[#inc_base];not b(X).\nw.lp:1:3-4: note: 'X' is unsafe\n";
        let message = parse(&(1, raw.to_owned()));
        assert_eq!(message.diagnostic.places.len(), 2);
        assert_eq!(message.diagnostic.places[1].label, "'X' is unsafe");
    }

    #[test]
    fn a_range_over_lines_and_a_name_with_colons_are_understood() {
        let message = parse(&(2, "a:b-c.lp:2:1-3:5: info: atom does not occur in any rule head:\n  d\n".to_owned()));
        let place = &message.diagnostic.places[0];
        assert_eq!((place.file.as_str(), place.end.line, place.end.column), ("a:b-c.lp", 3, 5));
        assert!(message.undefined);
    }
}
