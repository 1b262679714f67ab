//! Which puzzle the texts are an instance of.

use super::rules::are_for_other_rules;
use super::saved::Saved;
use super::{About, Entry, Role, all, is_written_in_rust, logic, names, planning, written_in_rust};
use crate::asp;
use crate::diagnostic::{Diagnostic, Failure, Place};
use crate::document::Document;
use crate::words::did_you_mean;

/// Whether a text is a board in itself, as a link or an id that is said in place of a file.
pub fn is_written_out(text: &str) -> bool {
    logic::is_link_or_id(text)
}

/// The puzzle of that name.
pub fn named(name: &str) -> Option<&'static dyn Entry> {
    all().iter().copied().find(|entry| entry.name() == name)
}

/// The puzzle that somebody calls so: by its name, its title, or as links have it.
pub fn called(text: &str) -> Option<&'static dyn Entry> {
    named(text).or_else(|| logic::called(&logic::squeezed(text)))
}

/// A puzzle, and what each of the texts is to it.
#[derive(Clone)]
pub struct Recognised {
    pub entry: &'static dyn Entry,
    pub roles: Vec<Role>,
    /// None recognised it: this one came nearest.
    pub is_a_guess: bool,
}

/// What each text is to a puzzle.
pub fn roles(entry: &dyn Entry, documents: &[Document]) -> Vec<Role> {
    let about = entry.about();
    let role = |document| match entry.recognise(document) {
        Role::Instance if are_for_other_rules(&about, document, documents) => Role::Neither,
        role => role,
    };
    documents.iter().map(role).collect()
}

/// The puzzle that the texts are an instance of.
///
/// A board that names its puzzle is that puzzle's. One that does not is for the logic program that reads such boards, if
/// there is one among the texts or `own` encodings. A game may be written in what the texts include.
pub fn recognise(documents: &[Document], own: &[Document], included: &[Document]) -> Result<Recognised, Failure> {
    let address = |document: &Document| logic::link::of_another_site(&document.name, &document.text);
    if let Some(error) = documents.iter().find_map(address) {
        return Err(error.into());
    }
    documents.iter().try_for_each(|document| Saved::of(document).map(drop))?;
    let named = documents.iter().find_map(|document| Some((document, logic::named_in(document)?)));
    if let Some((document, kind)) = named {
        let recognised = logic::called(&kind).map(|entry| (entry, roles(entry, documents)));
        if let Some((entry, roles)) = recognised.filter(|(_, roles)| roles.contains(&Role::Instance)) {
            return Ok(Recognised { entry, roles, is_a_guess: false });
        }
        // In a program of somebody's own the word may mean anything.
        if !logic::is_program(document) && !own.iter().any(logic::reads_boards) {
            let Some(entry) = logic::Logic::without_rules(&kind) else { return Err(unknown(documents, &kind).0) };
            if !documents.iter().any(logic::reads_boards) {
                let roles = vec![Role::Instance; documents.len()];
                return Ok(Recognised { entry, roles, is_a_guess: false });
            }
        }
    }
    if let Some(game) = planning::game_in(documents, own, included) {
        let roles = vec![Role::Instance; documents.len()];
        return Ok(Recognised { entry: planning::of_document(game), roles, is_a_guess: false });
    }
    let is_board = |document: &Document| !logic::is_program(document);
    let reader = documents.iter().chain(own).find(|document| logic::reads_boards(document));
    // Rules that speak of rows or areas alone may be about a board that native code knows.
    let is_for = |reader: &Document| {
        let of_signs = asp::syntax::uses_any(&reader.text, &["sign", "part"]);
        let knows = |entry: &&'static dyn Entry| roles(*entry, documents).contains(&Role::Instance);
        of_signs || !written_in_rust().iter().any(knows)
    };
    if let (Some(reader), true) = (reader.filter(|reader| is_for(reader)), documents.iter().any(is_board)) {
        let entry = logic::Logic::of_document(logic::FOLDER, reader);
        let role = |document: &Document| if is_board(document) { Role::Instance } else { Role::Encoding };
        return Ok(Recognised { entry, roles: documents.iter().map(role).collect(), is_a_guess: false });
    }
    // A board that no other puzzle has needs no name.
    for &entry in all().iter().filter(|entry| entry.needs_no_name() && !is_written_in_rust(entry.name())) {
        let roles = roles(entry, documents);
        if roles.contains(&Role::Instance) {
            return Ok(Recognised { entry, roles, is_a_guess: false });
        }
    }
    let recognised =
        |&entry: &&'static dyn Entry| Recognised { entry, roles: roles(entry, documents), is_a_guess: false };
    // A board of another puzzle would have said so.
    let all: Vec<Recognised> = written_in_rust().iter().map(recognised).collect();
    let fits = |role: Role| -> Vec<&Recognised> { all.iter().filter(|one| one.roles.contains(&role)).collect() };
    let known = fits(Role::Instance);
    // clingo takes a program of comments alone.
    let is_commented = |document: &Document| document.name.ends_with(".lp") && !document.text.trim().is_empty();
    let is_nothing = |document: &Document| asp::syntax::is_blank(&document.text) && !is_commented(document);
    match (if known.is_empty() { fits(Role::Program) } else { known })[..] {
        [only] if !only.roles.contains(&Role::Program) => Ok(only.clone()),
        [] if documents.iter().all(is_nothing) => {
            let text =
                format!("{}: nothing but white space and comments; a puzzle was wanted", names(documents).join(", "));
            Err(Diagnostic::error(text).into())
        }
        [] => nearest(documents, 0),
        [program] => match documents.iter().position(|document| !asp::syntax::looks_like_a_program(&document.text)) {
            Some(stranger) if !asp::syntax::is_blank(&documents[stranger].text) => nearest(documents, stranger),
            _ => Ok(program.clone()),
        },
        [first, second, ..] => {
            let [first, second] = [first, second].map(|one| one.entry.about());
            let text = format!(
                "the input fits two puzzles: {} ({}) and {} ({})",
                first.name, first.input, second.name, second.input
            );
            Err(Diagnostic::error(text).help("--puzzle NAME says which it is").into())
        }
    }
}

/// That there is no such puzzle, and whether there is one of nearly that name.
fn unknown(documents: &[Document], kind: &str) -> (Failure, bool) {
    let known: Vec<&str> = all().iter().map(|entry| entry.name()).collect();
    let near = did_you_mean(kind, known.iter().copied());
    let text = format!("{}: there is no puzzle {kind}{near}", names(documents).join(", "));
    let help = format!("`asp-solve list` shows all {} that there are", known.len());
    (Diagnostic::error(text).help(help).into(), !near.is_empty())
}

/// The puzzle whose instance a text could be that none recognised.
fn nearest(documents: &[Document], stranger: usize) -> Result<Recognised, Failure> {
    let document = &documents[stranger];
    // A file with that ending is a program, and clingo says best what is wrong with it.
    if let Some(entry) = named("program").filter(|_| document.name.ends_with(".lp")) {
        return Ok(Recognised { entry, roles: vec![Role::Program; documents.len()], is_a_guess: false });
    }
    let misspelt = logic::title(&document.text).map(|(kind, _)| unknown(documents, &kind));
    if let Some((failure, true)) = misspelt {
        return Err(failure);
    }
    // Of a long text the beginning tells as much.
    const LOOKED_AT: usize = 100_000;
    let beginning = &document.text[..document.text.floor_char_boundary(LOOKED_AT)];
    let beginning = Document::in_memory(&*document.name, beginning);
    let resembling = all().iter().map(|&entry| (entry, entry.resembles(&beginning)));
    let nearest = resembling.max_by(|(_, one), (_, other)| one.total_cmp(other));
    if let Some((entry, _)) = nearest.filter(|(_, share)| *share >= 0.5) {
        let mut roles = roles(entry, documents);
        roles[stranger] = Role::Instance;
        return Ok(Recognised { entry, roles, is_a_guess: true });
    }
    // Of puzzles that are a file each there may be many, and their boards look alike.
    let mut names_by_input: Vec<(&str, Vec<&str>)> = Vec::new();
    for About { name, input, .. } in all().iter().map(|entry| entry.about()) {
        match names_by_input.iter_mut().find(|(known, _)| *known == input) {
            Some((_, names)) => names.push(name),
            None => names_by_input.push((input, vec![name])),
        }
    }
    let named = |names: &[&str]| match names.len() {
        0..10 => names.join(", "),
        many => format!("{many} puzzles of `asp-solve list`"),
    };
    let looked_for: Vec<String> =
        names_by_input.iter().map(|(input, names)| format!("{} ({input})", named(names))).collect();
    let begin = document.text.len() - document.text.trim_start().len();
    let end = document.text[begin..].find('\n').map_or(document.text.len(), |end| begin + end);
    Err(Diagnostic::error(format!("{}: no puzzle is recognised", document.name))
        .at(Some(Place::of_range(&document.name, &document.text, begin..end)))
        .help(format!("looked for {}; --puzzle NAME says which it is", looked_for.join(", ")))
        .into())
}

/// What is wrong with an instance that no puzzle recognised.
pub fn about_a_guess(entry: &dyn Entry, mut failure: Failure) -> Failure {
    let About { name, input, .. } = entry.about();
    if let Some(last) = failure.0.last_mut() {
        let own = last.help.take().map_or(String::new(), |help| format!("{help}; "));
        last.help = Some(format!(
            "{own}no puzzle recognised this, and {name} came nearest ({input}); --puzzle NAME says which it is"
        ));
    }
    failure
}
