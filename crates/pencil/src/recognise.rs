//! Recognises the puzzle of a text, and tells boards from programs.

use std::collections::BTreeSet;
use std::sync::Arc;

use asp::syntax;
use base::diagnostic::{Code, Diagnostic, Failure, Place};
use base::document::{Document, Notation};
use base::words::normalised;
use puzzle::recognise::unknown_name;
use puzzle::saved::SavedGame;
use puzzle::{AnyPuzzle, Describe, InputTexts, Recognition, Registry, Role, roles};

use super::board::GridBoard;
use super::builtin::FOLDER;
use super::definition::{Catalogue, LogicPuzzle};
use super::header::Header;
use super::lines::{only_line, scheme, title_line};
use super::written::{self, WrittenLine, WrittenNotation};
use super::{editors, files, game_id, link, sized, square};

impl LogicPuzzle {
    pub(super) fn role_of(&self, document: &Document) -> Role {
        if self.definition.is_program {
            // Any text is a program, and clingo reports its errors, unless it is empty or in a
            // notation of other puzzles.
            let is_program = document.notation() == Notation::Program && !syntax::is_blank(&document.text);
            return if is_program { Role::Program } else { Role::Neither };
        }
        let mut files = self.definition.encodings.iter().flat_map(|encoding| &*encoding.files);
        match puzzle_name_in(document, &self.catalogue) {
            Some(kind) if self.is_named(&kind) => Role::Instance,
            None if is_program(document) && files.any(|file| file.is_written_in(document)) => Role::Encoding,
            None if self.read_square(document).is_some_and(|(board, _)| square::is_unmistakable(&board)) => {
                Role::Instance
            }
            None if self.is_recognised_by_game_id(document) => Role::Instance,
            None if self.is_recognised_by_signs(document) || self.is_recognised_by_line(document) => Role::Instance,
            _ => Role::Neither,
        }
    }

    /// Returns false if [`LogicPuzzle::role_of`] does not return an instance for a text that names no
    /// puzzle. For embedded files this parses no header.
    pub(super) fn may_be_unnamed(&self, document: &Document) -> bool {
        let text = &document.text;
        self.has_unnamed_head("Plain") && !is_program(document) && square::read(document).is_some()
            || self.has_unnamed_head("Game") && game_id::looks_like(text)
            || self.has_unnamed_head("Known by") && self.has_known_sign(text)
            || self.has_unnamed_head("Line") && only_line(text).is_some()
    }

    /// Returns true if a text has a sign of the first kind under `Known by`. This rejects most long
    /// texts.
    fn has_known_sign(&self, text: &str) -> bool {
        let kinds = self.definition.header.paragraph("Known by");
        kinds
            .as_deref()
            .and_then(|kinds| kinds_of(kinds).next())
            .is_some_and(|kind| kind.chars().any(|sign| text.contains(sign)))
    }

    /// Returns true if a text is a game id whose parameters occur in no other game.
    fn is_recognised_by_game_id(&self, document: &Document) -> bool {
        game_id::looks_like(&document.text)
            && self
                .game_format(&document.text)
                .is_ok_and(|format| format.is_some_and(|format| format.recognises(&document.text)))
    }

    /// Returns true if a text has only signs of the puzzle, and at least one sign of each kind that
    /// the header lists under `Known by`.
    fn is_recognised_by_signs(&self, document: &Document) -> bool {
        let header = &self.definition.header;
        let (Some(known), Some(kinds)) = (header.paragraph("Signs"), header.paragraph("Known by")) else {
            return false;
        };
        // A cheap test. Letters may stand for the other signs.
        if !self.has_known_sign(&document.text) {
            return false;
        }
        let Some(rows) = WrittenNotation::of(header).map(|notation| notation.lines(&document.text)) else {
            return false;
        };
        let Ok(rows) = rows else { return false };
        let signs = rows.iter().filter_map(WrittenLine::row).flatten().map(|&(_, sign)| sign);
        let signs = signs.filter(|sign| !written::is_empty_cell(*sign));
        let found_signs: Option<BTreeSet<char>> = signs.map(|sign| lists_sign(&known, sign).then_some(sign)).collect();
        found_signs.is_some_and(|found_signs| {
            kinds_of(&kinds).all(|kind| kind.chars().any(|sign| found_signs.contains(&sign)))
        })
    }

    /// Returns true if a text is a single line of the puzzle's signs that has the length, and
    /// contains the words, given under `Line` in the header.
    fn is_recognised_by_line(&self, document: &Document) -> bool {
        let header = &self.definition.header;
        let (known, line) = (header.paragraph("Signs"), header.paragraph("Line"));
        let expected = known.as_deref().zip(line.as_deref().and_then(|line| line.split_once(':')));
        expected.zip(only_line(&document.text)).is_some_and(|((known, (length, words)), line)| {
            let text = line.text.trim();
            length.parse() == Ok(text.chars().count())
                && text.chars().all(|sign| lists_sign(known, sign))
                && words.split(',').all(|word| text.contains(word.trim().trim_matches('"')))
        })
    }
}

/// The kinds of signs in a paragraph `Known by`.
fn kinds_of(paragraph: &str) -> impl Iterator<Item = &str> {
    paragraph.split(',').map(|kind| kind.trim().trim_matches('"'))
}

/// Returns true if `signs`, a list such as `"#", "A".."Z"`, contains `sign`.
fn lists_sign(signs: &str, sign: char) -> bool {
    let end = |text: &str| text.trim().trim_matches('"').chars().next();
    let ends = signs.split(',').map(|known| known.split_once("..").unwrap_or((known, known)));
    ends.map(|(first, last)| end(first)..=end(last)).any(|known| known.contains(&Some(sign)))
}

/// Fails if a text is an address or a saved game of a board and cannot be read, or a grid with a
/// size line that no text says how to read.
pub fn reject_unreadable_boards(texts: InputTexts<'_>) -> Result<Option<Recognition>, Failure> {
    let address = |document: &Document| {
        if files::file_type(&document.text).is_some() {
            return None;
        }
        link::explain_unreadable_address(&document.name, &document.text)
    };
    if let Some(error) = texts.documents.iter().find_map(address) {
        return Err(error.into());
    }
    let seed = |document: &Document| game_id::explain_seed(abbreviated(&document.name), &document.text);
    if let Some(error) = texts.documents.iter().find_map(seed) {
        return Err(error.into());
    }
    texts.documents.iter().try_for_each(|document| SavedGame::of(document).map(drop))?;
    let has_rules = !texts.encodings.is_empty() || texts.documents.iter().any(is_program);
    if let Some(document) = texts.documents.iter().find(|document| !has_rules && sized::names_no_puzzle(document)) {
        let text = format!("{}: this grid with a size line does not name its puzzle", document.name);
        let help = "-p NAME names it, or a first line `puzzle NAME`; `asp-solve list` shows the names";
        return Err(Diagnostic::error(Code::UnrecognisedInstance, text).help(help).into());
    }
    Ok(None)
}

/// Fails if a text is a frame of a puzzle that is recognised by its signs, but has others.
pub fn reject_unknown_letters(catalogue: &Catalogue, texts: InputTexts<'_>) -> Result<Option<Recognition>, Failure> {
    let has_rules = !texts.encodings.is_empty() || texts.documents.iter().any(is_program);
    let documents = texts.documents.iter().filter(|document| !has_rules && document.text.contains('#'));
    for document in documents.filter(|document| document.notation() == Notation::Program) {
        for puzzle in catalogue.puzzles() {
            let header = &puzzle.definition.header;
            let is_recognised = header.paragraph("Known by").is_some() && WrittenNotation::is_of(header);
            let Some(notation) = WrittenNotation::of(header).filter(|_| is_recognised) else { continue };
            let Some((range, sign)) = notation.stranger_in_frame(&document.text) else { continue };
            let input = header.lines("Input").iter().skip_while(|line| !line.starts_with("sign(")).map(String::as_str);
            let input = input.collect::<Vec<_>>().join(" ");
            let letters = input.split_once(": ").map_or("", |(_, letters)| letters);
            let text = format!("`{sign}` is not a sign of {}, whose boards have such a frame", puzzle.name);
            let help =
                format!("{} has {letters}; a blank, - and _ are floor; -p NAME names another puzzle", puzzle.name);
            let place = Place::of_range(&document.name, &document.text, range);
            return Err(Diagnostic::error(Code::UnrecognisedInstance, text).at(Some(place)).help(help).into());
        }
    }
    Ok(None)
}

/// Recognises texts that name a puzzle that a file defines.
pub fn recognise_named(
    registry: &Registry,
    catalogue: &Catalogue,
    texts: InputTexts<'_>,
) -> Result<Option<Recognition>, Failure> {
    let InputTexts { documents, encodings, .. } = texts;
    let by_name = documents.iter().find_map(|document| Some((document, puzzle_name_in(document, catalogue)?)));
    let Some((document, name)) = by_name else {
        return match documents.iter().find_map(|document| unnamed_drawing(document, catalogue)) {
            Some(error) => Err(error.into()),
            None => Ok(None),
        };
    };
    if let Some(entry) = registry.defined_as(&name) {
        let roles = roles(&**entry, documents);
        if roles.contains(&Role::Instance) {
            return Ok(Some(Recognition { entry: entry.clone(), roles, is_guessed: false }));
        }
    }
    // In a custom program the name may have another meaning.
    if is_program(document) || encodings.iter().any(reads_boards) {
        return Ok(None);
    }
    let Some(entry) = LogicPuzzle::without_rules(&name, catalogue) else {
        return Err(unknown_name(registry, documents, &name).0);
    };
    let has_rules = documents.iter().any(reads_boards);
    let roles = vec![Role::Instance; documents.len()];
    Ok((!has_rules).then_some(Recognition { entry: Arc::new(entry), roles, is_guessed: false }))
}

/// Recognises boards with custom rules for text boards, among the texts or the custom encodings.
/// Fails if the rules do not read the board.
pub fn recognise_rules(
    registry: &Registry,
    catalogue: &Catalogue,
    texts: InputTexts<'_>,
) -> Result<Option<Recognition>, Failure> {
    let recognition = recognise_board_with_rules(registry, catalogue, texts);
    // The error is cheaper to find than a puzzle that recognises the board.
    if let Err(unread) = reject_unread_board(texts) {
        let mut entries = registry.natives().iter().chain(registry.recognising_unnamed(texts.documents));
        if recognition.is_some() || !entries.any(|entry| recognises(entry, texts.documents)) {
            return Err(unread);
        }
    }
    Ok(recognition)
}

/// Returns true if a puzzle recognises one of the texts as its instance.
fn recognises(entry: &Arc<dyn AnyPuzzle>, documents: &[Document]) -> bool {
    roles(&**entry, documents).contains(&Role::Instance)
}

/// Fails if there are custom rules and a text board whose signs no rule uses.
fn reject_unread_board(texts: InputTexts<'_>) -> Result<(), Failure> {
    let InputTexts { documents, encodings, included } = texts;
    let named = || encodings.iter().chain(documents.iter().filter(|document| is_program(document)));
    let uses_signs = |document: &Document| syntax::uses_any(&document.text, &["sign", "part"]);
    // Shared files may read the board.
    let may_read = |document: &Document| uses_signs(document) || !goes_with(document).is_empty();
    if named().next().is_none() || named().any(may_read) || included.iter().any(uses_signs) {
        return Ok(());
    }
    let is_board = |document: &&Document| !is_program(document) && GridBoard::looks_like(document);
    let has_signs = |document: &&Document| GridBoard::read(document).is_ok_and(|board| !board.signs.is_empty());
    let Some(board) = documents.iter().filter(is_board).find(has_signs) else { return Ok(()) };
    let names: Vec<&str> = named().map(|document| document.name.as_str()).collect();
    let verb = if names.len() == 1 { "uses" } else { "use" };
    let text = format!(
        "{}: no puzzle is recognised, and {} {verb} neither sign/3 nor part/4, so the board's cells would be ignored",
        board.name,
        names.join(", ")
    );
    let help =
        "the sign V in row R and column C is the fact sign(R,C,V); a line such as `puzzle sudoku` names a puzzle";
    Err(Diagnostic::error(Code::UnrecognisedInstance, text).help(help).into())
}

fn recognise_board_with_rules(
    registry: &Registry,
    catalogue: &Catalogue,
    texts: InputTexts<'_>,
) -> Option<Recognition> {
    let InputTexts { documents, encodings, .. } = texts;
    let is_board = |document: &Document| !is_program(document);
    let reader = documents.iter().chain(encodings).find(|document| reads_boards(document))?;
    // Rules about rows or areas only may be for a board that native code supports.
    let is_for_text_boards = || {
        syntax::uses_any(&reader.text, &["sign", "part"])
            || !registry.natives().iter().any(|entry| recognises(entry, documents))
    };
    if !is_for_text_boards() || !documents.iter().any(is_board) {
        return None;
    }
    let entry = LogicPuzzle::from_document(FOLDER, reader, catalogue);
    let role = |document: &Document| if is_board(document) { Role::Instance } else { Role::Encoding };
    Some(Recognition { entry: Arc::new(entry), roles: documents.iter().map(role).collect(), is_guessed: false })
}

/// Returns true if a text is nothing but a link, a game id or a square of numbers.
pub fn is_link_or_id(text: &str) -> bool {
    let is_square =
        || square::read(&Document::in_memory("", text)).is_some_and(|(board, _)| square::is_unmistakable(&board));
    link::link_type(text).is_some()
        || files::file_type(text).is_some()
        || game_id::looks_like(text)
        || game_id::explain_seed("", text).is_some()
        || editors::read(text).is_some_and(|drawn| drawn.is_ok())
        || is_square()
}

/// Returns true if a text is a logic program rather than a board. An address is a board, whatever
/// the name of its file.
pub fn is_program(document: &Document) -> bool {
    let is_address = || only_line(&document.text).is_some_and(|line| scheme(line.text).is_some());
    let is_board = || {
        is_address()
            || files::file_type(&document.text).is_some()
            || !document.name.ends_with(".lp") && GridBoard::looks_like(document)
    };
    syntax::looks_like_a_program(&document.text) && !is_board()
}

/// Returns true if a logic program uses the facts of text boards.
pub fn reads_boards(document: &Document) -> bool {
    is_program(document) && syntax::uses_any(&document.text, &["sign", "part", "rows", "columns", "wall", "area"])
}

/// Returns the files under `Goes with` in a program's header, relative to the folder of puzzles.
pub fn goes_with(document: &Document) -> Vec<String> {
    Header::of("", &document.text).goes_with()
}

/// Returns the name of the puzzle that a text states: in a line, in a fact, or as the type of a
/// link. Titles are those of the puzzles in `catalogue`.
fn puzzle_name_in(document: &Document, catalogue: &Catalogue) -> Option<String> {
    if let Some(kind) = files::file_type(&document.text) {
        return Some(kind);
    }
    if let Some(Ok(drawn)) = editors::read(&document.text) {
        let mut names = drawn.names.iter().map(|name| normalised(name));
        let named = names.find(|name| catalogue.find(name).is_some());
        let only = || match &possible_puzzles(&drawn, catalogue)[..] {
            [only] => Some(only.name.to_string()),
            _ => None,
        };
        return named.or_else(only);
    }
    if let Some(kind) = link::link_type(&document.text) {
        return Some(kind.to_owned());
    }
    if let Some(Ok(saved)) = SavedGame::read(&document.text) {
        // Minesweeper is implemented in Rust.
        if saved.game == "mines" {
            return None;
        }
        // The parameters distinguish puzzles that share a game.
        let name = saved.game_with_parameters();
        let puzzle = catalogue.find_alias(&name);
        return Some(puzzle.map_or(saved.game, |puzzle| puzzle.name.to_string()));
    }
    if is_program(document) {
        if !document.text.contains("puzzle") {
            return None;
        }
        let range = syntax::statements(&document.text)
            .into_iter()
            .find(|statement| statement.is_fact && statement.head == Some(("puzzle", 1)))?
            .range;
        let fact: String = document.text[range].split_whitespace().collect();
        let name = fact.strip_prefix("puzzle(")?.trim_end_matches(").").trim_matches('"');
        // A fact `puzzle` alone is not enough: a board in facts also has a size, a start, or an
        // input of its puzzle.
        let puzzle = catalogue.find(name);
        let inputs = puzzle.as_ref().map(Describe::input_predicates).unwrap_or_default();
        let given = ["rows", "start"].into_iter().chain(inputs.into_iter().filter(|input| *input != "puzzle"));
        return syntax::uses_any(&document.text, &given.collect::<Vec<_>>()).then(|| name.to_owned());
    }
    let mut lines = document.text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('%'));
    lines
        .find_map(|line| line.strip_prefix("puzzle").filter(|rest| rest.starts_with(char::is_whitespace)))
        .map(|name| name.trim().to_ascii_lowercase())
        .or_else(|| Some(title_line(&document.text).filter(|(name, _)| catalogue.find(name).is_some())?.0))
}

/// Returns the puzzles as which a drawing without a known name can be read.
fn possible_puzzles(drawn: &editors::EditorBoard, catalogue: &Catalogue) -> Vec<LogicPuzzle> {
    catalogue.in_folder(FOLDER).filter(|puzzle| puzzle.can_be_drawn_as(drawn)).collect()
}

/// Returns an error if a text is a drawing whose puzzle is not known.
fn unnamed_drawing(document: &Document, catalogue: &Catalogue) -> Option<Diagnostic> {
    let drawn = editors::read(&document.text)?.ok()?;
    let text = format!("{}: neither the tags nor the title of the drawing name a puzzle", document.name);
    let names: Vec<String> = possible_puzzles(&drawn, catalogue).iter().map(|puzzle| puzzle.name.to_string()).collect();
    let help = match names.len() {
        0 => "no puzzle can have this drawing; -p PUZZLE says why that one cannot".to_owned(),
        1..=12 => format!("-p PUZZLE chooses it; the drawing can be one of {}", names.join(", ")),
        count => format!("-p PUZZLE chooses it; {count} puzzles can have this drawing"),
    };
    Some(Diagnostic::error(Code::UnrecognisedInstance, text).help(help))
}

/// Shortens a text that may be too long for a message.
pub(super) fn abbreviated(name: &str) -> &str {
    &name[..name.floor_char_boundary(60)]
}
