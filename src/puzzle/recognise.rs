//! Recognises the puzzle of which the input texts are an instance.

use super::api::{About, AnyPuzzle, Role, document_names};
use super::logic::LogicPuzzle;
use super::registry::Registry;
use super::rules::belongs_to_another_program;
use super::saved::SavedGame;
use super::{logic, planning};
use crate::asp;
use crate::diagnostic::{Code, Diagnostic, Failure, Place};
use crate::document::Document;
use crate::words::did_you_mean;

/// Returns true if a text is a link or an id of a board, which may be given instead of a file.
pub fn is_inline_instance(text: &str) -> bool {
    logic::is_link_or_id(text)
}

/// A recognised puzzle, and the role of each text.
#[derive(Clone)]
pub struct Recognition {
    pub entry: &'static dyn AnyPuzzle,
    pub roles: Vec<Role>,
    /// No puzzle recognised the texts; this is the closest match.
    pub is_guessed: bool,
}

impl Recognition {
    fn certain(entry: &'static dyn AnyPuzzle, roles: Vec<Role>) -> Self {
        Recognition { entry, roles, is_guessed: false }
    }
}

/// The role of each text for a puzzle.
pub fn roles(entry: &dyn AnyPuzzle, documents: &[Document]) -> Vec<Role> {
    let about = entry.about();
    let role = |document| match entry.recognise(document) {
        Role::Instance if belongs_to_another_program(about.encodings, about.facts, document, documents) => {
            Role::Neither
        }
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
    let address = |document: &Document| logic::link::explain_unreadable_address(&document.name, &document.text);
    if let Some(error) = documents.iter().find_map(address) {
        return Err(error.into());
    }
    documents.iter().try_for_each(|document| SavedGame::of(document).map(drop))?;
    let recogniser = Recogniser { registry, documents, encodings };
    if let Some(named) = recogniser.named_board()? {
        return Ok(named);
    }
    let by_notation = recogniser
        .declared_game(included)
        .or_else(|| recogniser.board_of_program())
        .or_else(|| recogniser.unnamed_board());
    match by_notation {
        Some(recognition) => Ok(recognition),
        // A board of any other puzzle would name its puzzle.
        None => recogniser.native_instance(),
    }
}

/// The texts to recognise, and the puzzles that may recognise them.
struct Recogniser<'a> {
    registry: &'a Registry,
    documents: &'a [Document],
    /// Custom encodings.
    encodings: &'a [Document],
}

impl Recogniser<'_> {
    /// Returns the puzzle that a text names.
    fn named_board(&self) -> Result<Option<Recognition>, Failure> {
        let Recogniser { registry, documents, encodings } = *self;
        let name_in = |document| Some((document, logic::puzzle_name_in(document, registry.catalogue())?));
        let Some((document, kind)) = documents.iter().find_map(name_in) else { return Ok(None) };
        if let Some(entry) = registry.defined_as(&kind) {
            let roles = roles(entry, documents);
            if roles.contains(&Role::Instance) {
                return Ok(Some(Recognition::certain(entry, roles)));
            }
        }
        // In a custom program the name may have another meaning.
        if logic::is_program(document) || encodings.iter().any(logic::reads_boards) {
            return Ok(None);
        }
        let Some(entry) = LogicPuzzle::without_rules(&kind, registry.catalogue()) else {
            return Err(self.unknown(&kind).0);
        };
        let is_read = documents.iter().any(logic::reads_boards);
        Ok((!is_read).then(|| self.only_instances(entry)))
    }

    /// Returns the game that a text declares.
    fn declared_game(&self, included: &[Document]) -> Option<Recognition> {
        let game = planning::find_game(self.documents, self.encodings, included)?;
        let game = LogicPuzzle::from_document(logic::GAMES_FOLDER, game, self.registry.catalogue());
        Some(self.only_instances(planning::game_of(game)))
    }

    /// Returns the puzzle of a logic program that reads the boards among the texts.
    fn board_of_program(&self) -> Option<Recognition> {
        let Recogniser { registry, documents, encodings } = *self;
        let reader = documents.iter().chain(encodings).find(|document| logic::reads_boards(document))?;
        // Rules about rows or areas only may be for a board that native code supports.
        let of_signs = asp::syntax::uses_any(&reader.text, &["sign", "part"]);
        let is_native = || registry.natives().iter().any(|entry| roles(*entry, documents).contains(&Role::Instance));
        let is_board = |document: &Document| !logic::is_program(document);
        if !documents.iter().any(is_board) || !of_signs && is_native() {
            return None;
        }
        let entry = LogicPuzzle::from_document(logic::FOLDER, reader, registry.catalogue());
        let role = |document: &Document| if is_board(document) { Role::Instance } else { Role::Encoding };
        Some(Recognition::certain(entry, documents.iter().map(role).collect()))
    }

    /// Returns the puzzle of a unique kind of board, which needs no name.
    fn unnamed_board(&self) -> Option<Recognition> {
        let unnamed = self.registry.defined().iter().filter(|entry| entry.about().is_recognised_unnamed);
        let mut all = unnamed.map(|&entry| Recognition::certain(entry, roles(entry, self.documents)));
        all.find(|candidate| candidate.roles.contains(&Role::Instance))
    }

    /// Returns the native puzzle of which the texts are an instance or a program.
    fn native_instance(&self) -> Result<Recognition, Failure> {
        let recognised = |&entry: &&'static dyn AnyPuzzle| Recognition::certain(entry, roles(entry, self.documents));
        let all: Vec<Recognition> = self.registry.natives().iter().map(recognised).collect();
        let fits = |role: Role| -> Vec<&Recognition> {
            all.iter().filter(|candidate| candidate.roles.contains(&role)).collect()
        };
        let known = fits(Role::Instance);
        match (if known.is_empty() { fits(Role::Program) } else { known })[..] {
            [only] if !only.roles.contains(&Role::Program) => Ok(only.clone()),
            [] if self.documents.iter().all(is_without_content) => {
                let names = document_names(self.documents).join(", ");
                let text = format!("{names}: nothing but white space and comments; expected a puzzle");
                Err(Diagnostic::error(Code::UnrecognisedInstance, text).into())
            }
            [] => self.nearest(0),
            [program] => {
                let is_other = |document: &Document| !asp::syntax::looks_like_a_program(&document.text);
                match self.documents.iter().position(is_other) {
                    Some(unrecognised) if !asp::syntax::is_blank(&self.documents[unrecognised].text) => {
                        self.nearest(unrecognised)
                    }
                    _ => Ok(program.clone()),
                }
            }
            [first, second, ..] => {
                let [first, second] = [first, second].map(|candidate| candidate.entry.about());
                let text = format!(
                    "the input fits two puzzles: {} ({}) and {} ({})",
                    first.name, first.input, second.name, second.input
                );
                Err(Diagnostic::error(Code::AmbiguousInstance, text).help("--puzzle NAME selects the puzzle").into())
            }
        }
    }

    /// Returns the recognition of `entry` with all texts as its instance.
    fn only_instances(&self, entry: &'static dyn AnyPuzzle) -> Recognition {
        Recognition::certain(entry, vec![Role::Instance; self.documents.len()])
    }

    /// Returns the error for an unknown puzzle name, and true if there is a similar name.
    fn unknown(&self, kind: &str) -> (Failure, bool) {
        let known: Vec<&str> = self.registry.all().iter().map(|entry| entry.name()).collect();
        let near = did_you_mean(kind, known.iter().copied());
        let text = format!("{}: there is no puzzle {kind}{near}", document_names(self.documents).join(", "));
        let help = format!("`asp-solve list` shows all {} puzzles", known.len());
        (Diagnostic::error(Code::UnrecognisedInstance, text).help(help).into(), !near.is_empty())
    }

    /// Returns the closest match for a text that no puzzle recognises.
    fn nearest(&self, unrecognised: usize) -> Result<Recognition, Failure> {
        let document = &self.documents[unrecognised];
        // A file with this extension is a program; clingo's error messages are the most helpful.
        if let Some(entry) = self.registry.by_name(logic::PROGRAM).filter(|_| document.name.ends_with(".lp")) {
            return Ok(Recognition::certain(entry, vec![Role::Program; self.documents.len()]));
        }
        let misspelt = logic::title_line(&document.text).map(|(kind, _)| self.unknown(&kind));
        if let Some((failure, true)) = misspelt {
            return Err(failure);
        }
        // The beginning of a long text suffices.
        const MAX_BYTES: usize = 100_000;
        let beginning = &document.text[..document.text.floor_char_boundary(MAX_BYTES)];
        let beginning = Document::in_memory(&*document.name, beginning);
        let similarities = self.registry.all().iter().map(|&entry| (entry, entry.similarity(&beginning)));
        let nearest = similarities.max_by(|(_, first), (_, second)| first.total_cmp(second));
        if let Some((entry, _)) = nearest.filter(|(_, share)| *share >= 0.5) {
            let mut roles = roles(entry, self.documents);
            roles[unrecognised] = Role::Instance;
            return Ok(Recognition { entry, roles, is_guessed: true });
        }
        let begin = document.text.len() - document.text.trim_start().len();
        let end = document.text[begin..].find('\n').map_or(document.text.len(), |end| begin + end);
        Err(Diagnostic::error(Code::UnrecognisedInstance, format!("{}: no puzzle is recognised", document.name))
            .at(Some(Place::of_range(&document.name, &document.text, begin..end)))
            .help(format!("expected one of: {}; --puzzle NAME selects the puzzle", self.notations()))
            .into())
    }

    /// Returns the names of all puzzles with their notations, for a message.
    fn notations(&self) -> String {
        // Many puzzles defined by files have the same notation.
        let mut names_by_input: Vec<(&str, Vec<&str>)> = Vec::new();
        for About { name, input, .. } in self.registry.all().iter().map(|entry| entry.about()) {
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
            names_by_input.iter().map(|(input, names)| format!("{} ({input})", named(names))).collect();
        expected.join(", ")
    }
}

/// Returns true if a text has only white space and comments. clingo accepts a program that consists
/// of comments.
fn is_without_content(document: &Document) -> bool {
    let is_commented_program = document.name.ends_with(".lp") && !document.text.trim().is_empty();
    asp::syntax::is_blank(&document.text) && !is_commented_program
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
