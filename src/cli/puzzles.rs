//! The puzzles that the command knows: built in, or the user's.

use std::fmt::Write as _;
use std::sync::{Arc, OnceLock};

use base::diagnostic::{Code, Diagnostic};
use base::words::{nearest_name, normalised};
use puzzle::{AnyPuzzle, Example, PuzzleFile, Registry};

use crate::builtin;

/// The width of lists, in characters.
pub const LIST_WIDTH: usize = 100;

static REGISTRY: OnceLock<Registry> = OnceLock::new();

/// Makes the puzzles of `files` known to the command.
///
/// # Errors
/// The command knows its puzzles already.
pub fn load(files: &[PuzzleFile]) -> Result<(), Diagnostic> {
    let late = |_| Diagnostic::error(Code::Usage, "the puzzles of this process are already known: it runs one command");
    REGISTRY.set(builtin::registry_with(files)).map_err(late)
}

/// The puzzles that the command knows. Before [`load`] they are the built-in puzzles.
pub fn registry() -> &'static Registry {
    REGISTRY.get().unwrap_or_else(|| builtin::registry())
}

/// The puzzles by kind, each kind with its heading.
pub fn groups() -> impl Iterator<Item = (&'static str, &'static [Arc<dyn AnyPuzzle>])> {
    let groups = registry().all().chunk_by(|entry, next| kind(&**entry) == kind(&**next));
    groups.map(|group| (heading(kind(&*group[0])), group))
}

/// Returns the heading of the puzzles of a kind.
pub fn heading(kind: &str) -> &'static str {
    match kind {
        "native" => "Puzzles with engines of their own",
        "game" => "One-player games",
        _ => "Pencil puzzles",
    }
}

/// Returns how a puzzle is defined: `native`, `pencil` or `game`.
pub fn kind(entry: &dyn AnyPuzzle) -> &'static str {
    let about = entry.about();
    let folder = about.encodings.first().and_then(|encoding| encoding.files[0].path.split('/').next());
    match folder {
        _ if registry().is_native(about.name) => "native",
        Some(pencil::GAMES_FOLDER) => "game",
        _ => "pencil",
    }
}

/// Formats a heading with the number of names, and the names as indented lines.
pub fn section(heading: &str, names: &[&str]) -> String {
    format!("{heading} ({}):\n{}\n", names.len(), wrapped(names))
}

fn wrapped(names: &[&str]) -> String {
    let mut lines = vec!["  ".to_owned()];
    for name in names {
        let line = lines.last_mut().expect("there is always a line");
        if line.trim().is_empty() {
            line.push_str(name);
        } else if line.chars().count() + 2 + name.chars().count() < LIST_WIDTH {
            let _ = write!(line, ", {name}");
        } else {
            line.push(',');
            lines.push(format!("  {name}"));
        }
    }
    lines.join("\n")
}

/// The names by which boards are found: of puzzles, and of further files.
pub fn board_names() -> Vec<&'static str> {
    let of_puzzles = registry().all().iter().filter(|entry| entry.example().is_some()).map(|entry| entry.name());
    let mut names: Vec<&str> = of_puzzles.collect();
    names.extend(further_boards());
    names
}

/// The boards that are not the example of a puzzle.
pub fn further_boards() -> Vec<&'static str> {
    let of_puzzles: Vec<Example> = registry().all().iter().filter_map(|entry| entry.example()).collect();
    let is_of_puzzle = |name: &str| of_puzzles.iter().any(|example| example.file_name == name);
    Example::all().map(|example| example.file_name).filter(|name| !is_of_puzzle(name)).collect()
}

/// Returns puzzles that `name` may mean: those whose title contains it, else the one with the nearest
/// name or title, else some whose description contains a word of it.
pub fn similar_puzzles(name: &str) -> Vec<&'static str> {
    /// Shorter words are in many descriptions.
    const MIN_LETTERS: usize = 4;
    const MAX_SUGGESTIONS: usize = 5;
    let normal_name = normalised(name);
    let titles = registry().all().iter().map(|entry| (entry.name(), normalised(entry.about().display_title())));
    let titles: Vec<(&str, String)> = titles.collect();
    let containing = titles.iter().filter(|(_, title)| title.contains(&normal_name)).map(|(name, _)| *name);
    let containing: Vec<&str> = containing.take(MAX_SUGGESTIONS).collect();
    if normal_name.len() >= MIN_LETTERS && !containing.is_empty() {
        return containing;
    }
    if let Some(nearest) = nearest_name(&normal_name, titles.iter().map(|(name, _)| *name)) {
        return vec![nearest];
    }
    if let Some(nearest) = nearest_name(&normal_name, titles.iter().map(|(_, title)| title.as_str())) {
        return titles.iter().filter(|(_, title)| title == nearest).map(|(name, _)| *name).collect();
    }
    let lower_name = name.to_lowercase();
    let words = lower_name.split(|letter: char| !letter.is_alphabetic());
    let words: Vec<&str> = words.filter(|word| word.chars().count() >= MIN_LETTERS).collect();
    let has_word = |entry: &&Arc<dyn AnyPuzzle>| {
        let summary = entry.about().summary.to_lowercase();
        words.iter().any(|word| summary.contains(word))
    };
    registry().all().iter().filter(has_word).map(|entry| entry.name()).take(MAX_SUGGESTIONS).collect()
}

/// Returns the command that solves the example of a puzzle, in any folder.
pub fn solving_command(entry: &dyn AnyPuzzle) -> Option<String> {
    let example = entry.example()?;
    Some(format!("asp-solve examples {} | asp-solve - {}", entry.name(), example.options).trim_end().to_owned())
}
