//! Code lenses above tests and programs, and quick fixes for messages.

use std::ops::Range;

use asp::{NameKind, Program, Role};
use author::tests::{self, Suite};
use base::diagnostic::{Edit, Fix};
use base::document::Document;
use serde_json::{Value, json};

use super::state::DocumentState;
use super::text::{Text, uri_of};

/// The commands that the server executes. The first argument is the URI of a text. All but the last
/// respond with the text that the command prints.
pub const COMMANDS: [&str; 7] = [
    "asp-solve.solve",
    "asp-solve.picture",
    "asp-solve.why",
    "asp-solve.hint",
    "asp-solve.test",
    "asp-solve.mutants",
    "asp-solve.board",
];

/// Time limit of a command, in seconds.
const TIME_LIMIT: &str = "60";

/// Returns the command line of a command.
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

/// Returns lenses: commands for the program above its first statement, and one above each test.
pub fn lenses(text: &Text, state: Option<&DocumentState>) -> Vec<Value> {
    let Some(uri) = uri_of(&text.name) else { return Vec::new() };
    let lens = |range: Range<usize>, title: &str, command: &str, arguments: &[&str]| {
        let arguments: Vec<&str> = [uri.as_str()].into_iter().chain(arguments.iter().copied()).collect();
        let command = json!({ "title": title, "command": format!("asp-solve.{command}"), "arguments": arguments });
        json!({ "range": text.range(&range), "command": command })
    };
    let mut found = Vec::new();
    if let Some((first, _)) = text.names().statements.first() {
        let head = first.start..first.start;
        let has_board = state.is_some_and(|state| state.board.is_some());
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

/// Returns the quick fixes of the messages about a byte range.
pub fn actions(text: &Text, state: Option<&DocumentState>, range: Range<usize>) -> Vec<Value> {
    let Some(uri) = uri_of(&text.name) else { return Vec::new() };
    let touches = |place: &Range<usize>| place.start <= range.end && range.start <= place.end;
    let found = state.iter().filter(|state| state.is_current()).flat_map(|state| &state.diagnostics);
    let in_range = found.filter_map(|diagnostic| {
        let place = diagnostic.labels.iter().find(|place| place.file == text.name)?;
        Some((diagnostic, text.bytes(place))).filter(|(_, place)| touches(place))
    });
    let fixes =
        in_range.flat_map(|(diagnostic, _)| diagnostic.fixes.iter().cloned()).chain(show_directive(text, range.start));
    let mut actions: Vec<Value> = Vec::new();
    for Fix { title, edits } in fixes.filter(|fix| fix.edits.iter().all(|edit| edit.place.file == text.name)) {
        let edit = |edit: &Edit| json!({ "range": text.range(&text.bytes(&edit.place)), "newText": edit.replacement });
        let edits: Vec<Value> = edits.iter().map(edit).collect();
        let action = json!({ "title": title, "kind": "quickfix", "edit": { "changes": { uri.as_str(): edits } } });
        if !actions.contains(&action) {
            actions.push(action);
        }
    }
    actions
}

/// Suggests a `#show` for a predicate that is defined here and not shown, if other predicates are
/// shown.
fn show_directive(text: &Text, at: usize) -> Option<Fix> {
    let name = text.names().at(at).filter(|name| name.role == Role::Defines)?;
    let NameKind::Predicate(predicate) = &name.kind else { return None };
    let shows = |range: &Range<usize>| text.text[range.clone()].starts_with("#show");
    let mut shown = text.names().statements.iter().enumerate().filter(|(_, (range, _))| shows(range)).peekable();
    shown.peek()?;
    let mentions =
        |number: usize| text.names().all.iter().any(|other| other.statement == number && other.kind == name.kind);
    if shown.any(|(number, _)| mentions(number)) {
        return None;
    }
    asp::add_directive(&Document::in_memory(&*text.name, &*text.text), "#show", &predicate.to_string())
}
