//! What to do: lenses above tests and programs, and changes that a message proposes.

use std::ops::Range;

use serde_json::{Value, json};

use super::server::Known;
use super::text::{Text, uri_of};
use crate::asp::{Message, Program, Role, What, syntax};
use crate::author::tests::{self, Suite};
use crate::diagnostic::Diagnostic;
use crate::document::Document;

/// What the server executes; the first argument is the address of a text. All but the last answer with a text.
pub const COMMANDS: [&str; 7] = [
    "asp-solve.solve",
    "asp-solve.picture",
    "asp-solve.why",
    "asp-solve.hint",
    "asp-solve.test",
    "asp-solve.mutants",
    "asp-solve.board",
];

/// Seconds that a command may take.
const TIME_LIMIT: &str = "60";

/// The command line for a command.
pub fn arguments(command: &str, file: String, about: Option<&str>, board: Option<String>) -> Option<Vec<String>> {
    let about = about.filter(|about| !about.is_empty()).map(str::to_owned);
    let (words, rest): (&[&str], Vec<String>) = match command.strip_prefix("asp-solve.")? {
        "solve" => (&[], Vec::new()),
        "picture" => (&[], vec!["--format=svg".to_owned()]),
        "why" => (&["why"], about.into_iter().collect()),
        "hint" => (&["hint"], Vec::new()),
        "test" => (&["test"], about.map(|name| format!("--filter={name}")).into_iter().collect()),
        "mutants" => (&["test", "--mutants"], Vec::new()),
        _ => return None,
    };
    let board = board.filter(|_| !words.contains(&"test"));
    let words = words.iter().map(|word| (*word).to_owned());
    let limit = ["--time-limit", TIME_LIMIT].map(str::to_owned);
    Some(words.chain(limit).chain([file]).chain(board).chain(rest).collect())
}

/// Above the first statement what can be done with a program, above each test that it can be run.
pub fn lenses(text: &Text, known: Option<&Known>) -> Vec<Value> {
    let Some(uri) = uri_of(&text.name) else { return Vec::new() };
    let lens = |range: Range<usize>, title: &str, command: &str, arguments: &[&str]| {
        let arguments: Vec<&str> = [uri.as_str()].into_iter().chain(arguments.iter().copied()).collect();
        let command = json!({ "title": title, "command": format!("asp-solve.{command}"), "arguments": arguments });
        json!({ "range": text.range(&range), "command": command })
    };
    let mut found = Vec::new();
    if let Some((first, _)) = text.names().statements.first() {
        let head = first.start..first.start;
        let has_board = known.is_some_and(|known| known.board.is_some());
        let board = if has_board { " this board" } else { "" };
        let words = [(format!("solve{board}"), "solve"), ("why".to_owned(), "why"), ("next hint".to_owned(), "hint")];
        found.extend(words.iter().map(|(title, command)| lens(head.clone(), title, command, &[])));
    }
    let document = Document::in_memory(&*text.name, &*text.text);
    if tests::may_have_tests(&document) {
        let suite = Suite::of(&Program::of([document]));
        for (number, test) in suite.iter().flat_map(Suite::tests).enumerate() {
            let place = text.bytes(&test.place);
            if number == 0 {
                found.push(lens(place.clone(), "run all tests", "test", &[]));
                found.push(lens(place.clone(), "mutants", "mutants", &[]));
            }
            found.push(lens(place, "run test", "test", &[&test.name]));
        }
    }
    found
}

/// A change that mends something: its title, the bytes to be replaced, and the new ones.
type Fix = (String, Range<usize>, String);

/// The changes that messages about these bytes propose.
pub fn actions(text: &Text, known: Option<&Known>, range: Range<usize>) -> Vec<Value> {
    let Some(uri) = uri_of(&text.name) else { return Vec::new() };
    let touches = |place: &Range<usize>| place.start <= range.end && range.start <= place.end;
    let found = known.iter().flat_map(|known| &known.found);
    let here = found.filter_map(|one| {
        let place = one.places.iter().find(|place| place.file == text.name)?;
        Some((one, text.bytes(place))).filter(|(_, place)| touches(place))
    });
    let fixes = here.flat_map(|(one, place)| fixes(text, one, place)).chain(shown(text, range.start));
    let mut told: Vec<Value> = Vec::new();
    for (title, range, new) in fixes {
        let edit = json!({ "changes": { uri.as_str(): [{ "range": text.range(&range), "newText": new }] } });
        let action = json!({ "title": title, "kind": "quickfix", "edit": edit });
        if !told.contains(&action) {
            told.push(action);
        }
    }
    told
}

fn fixes(text: &Text, found: &Diagnostic, place: Range<usize>) -> Vec<Fix> {
    let mut fixes: Vec<Fix> = Vec::new();
    let tokens = |within: Range<usize>| {
        let tokens = syntax::tokens(&text.text[within.clone()]).collect::<Vec<_>>();
        tokens.into_iter().map(move |token| within.start + token.start..within.start + token.end())
    };
    let help = found.help.as_deref().unwrap_or_default();
    let mut replace = |range: Range<usize>, new: &str| {
        let old = &text.text[range.clone()];
        let title = if old.is_empty() { format!("Insert {}", new.trim()) } else { format!("Replace {old} by {new}") };
        fixes.push((title, range, new.to_owned()));
    };
    if found.text.ends_with("a period is missing behind this") {
        replace(place.end..place.end, ".");
    }
    let statement = text.names().statement_at(place.start).map_or(place.clone(), |number| {
        let (range, _) = &text.names().statements[number];
        range.start..range.end.max(place.end)
    });
    let between = |before: &str, behind: &str| {
        help.split_once(before).and_then(|(_, rest)| rest.split_once(behind)).map(|(word, _)| word)
    };
    if let Some(near) = between("did you mean ", "?") {
        let distance = |token: &Range<usize>| strsim::damerau_levenshtein(&text.text[token.clone()], near);
        let nearest = tokens(place.clone()).filter(|token| (1..=3).contains(&distance(token)) && token.len() > 1);
        nearest.min_by_key(distance).into_iter().for_each(|token| replace(token, near));
    }
    if let Some((ours, theirs)) = help.strip_prefix("write ").and_then(|words| words.split_once(" for ")) {
        let all = text.text[statement.clone()].match_indices(theirs).map(|(at, _)| statement.start + at);
        // The one at which clingo was surprised, or the last before it.
        let nearest = all.min_by_key(|at| at.abs_diff(place.start));
        nearest.into_iter().for_each(|at| replace(at..at + theirs.len(), ours));
    }
    if let Some((missing, _)) = help.split_once(" is missing before this") {
        let (missing, at) = match missing {
            "a comma" => (", ", place.start),
            ":-" => (":- ", place.start),
            close => (close, tokens(statement.start..place.start).next_back().map_or(place.start, |token| token.end)),
        };
        replace(at..at, missing);
    }
    if let Some((_, small)) = help.split_once("the predicate is written ") {
        let is_it = |token: &Range<usize>| text.text[token.clone()].eq_ignore_ascii_case(small);
        tokens(statement.start..place.end).rfind(is_it).into_iter().for_each(|token| replace(token, small));
    }
    if let Some(variable) = found.text.strip_prefix("the variable ").and_then(|words| words.split(' ').next()) {
        let near = between("write ", ",").unwrap_or("_");
        let token = tokens(place.clone()).find(|token| &text.text[token.clone()] == variable);
        for new in [near, "_"] {
            token.clone().into_iter().for_each(|token| replace(token, new));
        }
    }
    if found.text.starts_with("`<-` is not an arrow") {
        let arrow = text.text[place.clone()].find("<-").map(|at| place.start + at);
        arrow.into_iter().for_each(|at| replace(at..at + 2, ":-"));
    }
    let undefined = found.text.starts_with("atom does not occur in any rule head");
    let message = Message { diagnostic: found.clone(), undefined };
    if let Some(predicate) = message.undefined_predicate().filter(|_| undefined) {
        let line = format!("#defined {predicate}.");
        let (at, new) = beside(text, "#defined", &line);
        fixes.push((format!("Add {line}"), at..at, new));
    }
    fixes
}

/// A predicate that is defined here and not shown, where others are.
fn shown(text: &Text, at: usize) -> Option<Fix> {
    let name = text.names().at(at).filter(|name| name.role == Role::Defines)?;
    let What::Predicate(predicate) = &name.what else { return None };
    let shows = |range: &Range<usize>| text.text[range.clone()].starts_with("#show");
    let mut shown = text.names().statements.iter().enumerate().filter(|(_, (range, _))| shows(range)).peekable();
    shown.peek()?;
    let is_it = |number: usize| text.names().all.iter().any(|one| one.statement == number && one.what == name.what);
    if shown.any(|(number, _)| is_it(number)) {
        return None;
    }
    let line = format!("#show {predicate}.");
    let (at, new) = beside(text, "#show", &line);
    Some((format!("Add {line}"), at..at, new))
}

/// Where a line goes: below the last of its kind, else above the first statement.
fn beside(text: &Text, kind: &str, line: &str) -> (usize, String) {
    let statements = &text.names().statements;
    let last = statements.iter().rfind(|(range, _)| text.text[range.clone()].starts_with(kind));
    match (last, statements.first()) {
        (Some((range, _)), _) => (range.end, format!("\n{line}")),
        (None, Some((range, _))) => (range.start, format!("{line}\n\n")),
        (None, None) => (text.text.len(), format!("{line}\n")),
    }
}
