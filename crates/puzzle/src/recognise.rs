//! Recognises the puzzle of which the input texts are an instance.

use std::sync::Arc;

use base::diagnostic::{Code, Diagnostic, Failure, Place};
use base::document::Document;
use base::words::did_you_mean;

use super::api::{About, AnyPuzzle, Role, document_names};
use super::registry::{InputTexts, Recognition, Registry};
use super::rules::belongs_to_another_program;

/// The role of each text for a puzzle.
pub fn roles(entry: &dyn AnyPuzzle, documents: &[Document]) -> Vec<Role> {
    let is_of_another =
        |document| belongs_to_another_program(entry.about().encodings, &entry.input_predicates(), document, documents);
    let role = |document| match entry.recognise(document) {
        Role::Instance if is_of_another(document) => Role::Neither,
        role => role,
    };
    documents.iter().map(role).collect()
}

/// Returns the puzzle of `registry` of which the texts are an instance.
///
/// A board that names its puzzle belongs to that puzzle. Other boards are for the logic program
/// that reads them, if there is one among the texts or the custom `encodings`. The declaration of a
/// game may be in `included` texts.
pub fn recognise(
    registry: &Registry,
    documents: &[Document],
    encodings: &[Document],
    included: &[Document],
) -> Result<Recognition, Failure> {
    let texts = InputTexts { documents, encodings, included };
    for recognise in registry.recognisers() {
        if let Some(recognition) = recognise(registry, texts)? {
            return Ok(recognition);
        }
    }
    // A unique kind of board needs no name.
    for entry in registry.recognising_unnamed(documents) {
        let roles = roles(&**entry, documents);
        if roles.contains(&Role::Instance) {
            return Ok(Recognition { entry: entry.clone(), roles, is_guessed: false });
        }
    }
    let recognised = |entry: &Arc<dyn AnyPuzzle>| Recognition {
        entry: entry.clone(),
        roles: roles(&**entry, documents),
        is_guessed: false,
    };
    // A board of any other puzzle would name its puzzle.
    let all: Vec<Recognition> = registry.natives().iter().map(recognised).collect();
    let fits =
        |role: Role| -> Vec<&Recognition> { all.iter().filter(|candidate| candidate.roles.contains(&role)).collect() };
    let known = fits(Role::Instance);
    // clingo accepts a program that consists of comments.
    let is_commented_program = |document: &Document| document.name.ends_with(".lp") && !document.text.trim().is_empty();
    let is_empty = |document: &Document| asp::syntax::is_blank(&document.text) && !is_commented_program(document);
    match (if known.is_empty() { fits(Role::Program) } else { known })[..] {
        [only] if !only.roles.contains(&Role::Program) => Ok(only.clone()),
        [] if documents.iter().all(is_empty) => {
            let text = format!(
                "{}: nothing but white space and comments; expected a puzzle",
                document_names(documents).join(", ")
            );
            Err(Diagnostic::error(Code::UnrecognisedInstance, text).into())
        }
        [] => nearest(registry, documents, 0),
        [program] => match documents.iter().position(|document| !asp::syntax::looks_like_a_program(&document.text)) {
            Some(unrecognised) if !asp::syntax::is_blank(&documents[unrecognised].text) => {
                nearest(registry, documents, unrecognised)
            }
            _ => Ok(program.clone()),
        },
        [first, second, ..] => {
            let [first, second] = [first.entry.about(), second.entry.about()];
            let text = format!(
                "the input fits two puzzles: {} ({}) and {} ({})",
                first.name, first.input, second.name, second.input
            );
            Err(Diagnostic::error(Code::AmbiguousInstance, text).help("--puzzle NAME selects the puzzle").into())
        }
    }
}

/// Returns the error for an unknown puzzle name, and true if there is a similar name.
pub fn unknown_name(registry: &Registry, documents: &[Document], kind: &str) -> (Failure, bool) {
    let known: Vec<&str> = registry.all().iter().map(|entry| entry.name()).collect();
    let near = did_you_mean(kind, known.iter().copied());
    let text = format!("{}: there is no puzzle {kind}{near}", document_names(documents).join(", "));
    let help = format!("`asp-solve list` shows all {} puzzles", known.len());
    (Diagnostic::error(Code::UnrecognisedInstance, text).help(help).into(), !near.is_empty())
}

/// Returns the closest match for a text that no puzzle recognises.
fn nearest(registry: &Registry, documents: &[Document], unrecognised: usize) -> Result<Recognition, Failure> {
    let document = &documents[unrecognised];
    // A file with this extension is a program; clingo's error messages are the most helpful.
    let programs = || registry.natives().iter().find(|entry| entry.about().is_any_program());
    if let Some(entry) = programs().filter(|_| document.name.ends_with(".lp")) {
        return Ok(Recognition {
            entry: entry.clone(),
            roles: vec![Role::Program; documents.len()],
            is_guessed: false,
        });
    }
    let misspelt = registry.title_of(&document.text).map(|title| unknown_name(registry, documents, &title));
    if let Some((failure, true)) = misspelt {
        return Err(failure);
    }
    // The beginning of a long text suffices.
    const MAX_BYTES: usize = 100_000;
    let beginning = &document.text[..document.text.floor_char_boundary(MAX_BYTES)];
    let beginning = Document::in_memory(&*document.name, beginning);
    let similarities = registry.all().iter().map(|entry| (entry, entry.similarity(&beginning)));
    let nearest = similarities.max_by(|(_, first), (_, second)| first.total_cmp(second));
    if let Some((entry, _)) = nearest.filter(|(_, share)| *share >= 0.5) {
        let mut roles = roles(&**entry, documents);
        roles[unrecognised] = Role::Instance;
        return Ok(Recognition { entry: entry.clone(), roles, is_guessed: true });
    }
    // Many puzzles defined by files have the same notation.
    let mut names_by_input: Vec<(&str, Vec<&str>)> = Vec::new();
    for About { name, input, .. } in registry.all().iter().map(|entry| entry.about()) {
        match names_by_input.iter_mut().find(|(known, _)| *known == input) {
            Some((_, names)) => names.push(name),
            None => names_by_input.push((input, vec![name])),
        }
    }
    let named = |names: &[&str]| match names.len() {
        0..10 => names.join(", "),
        many => format!("{many} puzzles of `asp-solve list`"),
    };
    let expected: Vec<String> =
        names_by_input.iter().map(|(input, names)| format!("{}: {input}", named(names))).collect();
    let begin = document.text.len() - document.text.trim_start().len();
    let end = document.text[begin..].find('\n').map_or(document.text.len(), |end| begin + end);
    Err(Diagnostic::error(Code::UnrecognisedInstance, format!("{}: no puzzle is recognised", document.name))
        .at(Some(Place::of_range(&document.name, &document.text, begin..end)))
        .help(format!("--puzzle NAME selects the puzzle; expected one of\n{}", expected.join("\n")))
        .into())
}

/// Adds the note that no puzzle recognised the input to an error of the closest match, if the error
/// is about the input and not, for example, about an option.
pub fn annotate_guess(entry: &dyn AnyPuzzle, mut failure: Failure) -> Failure {
    let About { name, input, .. } = entry.about();
    let is_about_input = |error: &&mut Diagnostic| {
        let is_of_instance =
            matches!(error.code, Code::InvalidInstance | Code::InvalidJson | Code::InvalidLink | Code::MissingInstance);
        is_of_instance || !error.labels.is_empty()
    };
    if let Some(last) = failure.0.last_mut().filter(is_about_input) {
        // Without a label the message begins with the name of the file.
        let prefix =
            if last.labels.is_empty() { last.message.split_once(": ").map(|(file, _)| file.len() + 2) } else { None };
        let (file, message) = last.message.split_at(prefix.unwrap_or(0));
        last.message = format!("{file}no puzzle is recognised; the closest match is {name}: {message}");
        let own = last.help.take().map_or(String::new(), |help| format!("{help}; "));
        last.help = Some(format!("{own}{name} expects {input}; --puzzle NAME selects the puzzle"));
    }
    failure
}
