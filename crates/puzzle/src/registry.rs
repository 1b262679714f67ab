//! The puzzles that a run knows.

use std::sync::Arc;

use base::diagnostic::Failure;
use base::document::Document;
use base::words::normalised;

use super::api::{AnyPuzzle, Role};

/// The puzzles that a run knows: with code of their own, or defined by files.
#[derive(Default)]
pub struct Registry {
    /// Native puzzles, then puzzles that files define.
    puzzles: Vec<Arc<dyn AnyPuzzle>>,
    natives: usize,
    recognisers: Vec<Recogniser>,
    title_of: Option<fn(&str) -> Option<String>>,
}

/// The texts of a run, from which its puzzle is recognised.
#[derive(Clone, Copy)]
pub struct InputTexts<'a> {
    pub documents: &'a [Document],
    /// The custom encodings.
    pub encodings: &'a [Document],
    /// The texts that the documents include.
    pub included: &'a [Document],
}

/// Recognises texts that name their puzzle or contain its rules. Returns `None` if they do neither,
/// and fails if they cannot be an instance of any puzzle.
pub type Recogniser = Box<dyn Fn(&Registry, InputTexts<'_>) -> Result<Option<Recognition>, Failure> + Send + Sync>;

/// A recognised puzzle, and the role of each text.
#[derive(Clone)]
pub struct Recognition {
    pub entry: Arc<dyn AnyPuzzle>,
    pub roles: Vec<Role>,
    /// No puzzle recognised the texts; this is the closest match.
    pub is_guessed: bool,
}

impl Registry {
    /// Adds a puzzle with code of its own.
    pub fn add_native(&mut self, puzzle: impl AnyPuzzle + 'static) {
        self.puzzles.insert(self.natives, Arc::new(puzzle));
        self.natives += 1;
    }

    /// Adds a puzzle that a file defines.
    pub fn add_defined(&mut self, puzzle: impl AnyPuzzle + 'static) {
        self.puzzles.push(Arc::new(puzzle));
    }

    /// Adds a recogniser, which is tried after those added before, and before the puzzles.
    pub fn add_recogniser(&mut self, recogniser: Recogniser) {
        self.recognisers.push(recogniser);
    }

    /// Sets the function that returns the title of a text, which may be the misspelt name of a
    /// puzzle.
    pub fn set_title_of(&mut self, title_of: fn(&str) -> Option<String>) {
        self.title_of = Some(title_of);
    }

    pub fn recognisers(&self) -> &[Recogniser] {
        &self.recognisers
    }

    /// Returns the title of a text, normalised.
    pub fn title_of(&self, text: &str) -> Option<String> {
        self.title_of.and_then(|title_of| title_of(text))
    }

    /// All puzzles: native puzzles, then puzzles that files define, each in the order of addition.
    pub fn all(&self) -> &[Arc<dyn AnyPuzzle>] {
        &self.puzzles
    }

    pub fn natives(&self) -> &[Arc<dyn AnyPuzzle>] {
        &self.puzzles[..self.natives]
    }

    /// The puzzles that files define.
    pub fn defined(&self) -> &[Arc<dyn AnyPuzzle>] {
        &self.puzzles[self.natives..]
    }

    /// The puzzles that files define and of which a text that names no puzzle may be an instance.
    pub fn recognising_unnamed(&self, documents: &[Document]) -> impl Iterator<Item = &Arc<dyn AnyPuzzle>> {
        let may_recognise =
            |entry: &&Arc<dyn AnyPuzzle>| documents.iter().any(|document| entry.may_recognise_unnamed(document));
        self.defined().iter().filter(may_recognise)
    }

    /// Returns the puzzle of this name.
    pub fn by_name(&self, name: &str) -> Option<&Arc<dyn AnyPuzzle>> {
        self.puzzles.iter().find(|puzzle| puzzle.name() == name)
    }

    /// Returns the puzzle of this name, title, or link type.
    pub fn by_any_name(&self, text: &str) -> Option<&Arc<dyn AnyPuzzle>> {
        self.by_name(text).or_else(|| self.defined_as(&normalised(text)))
    }

    /// Returns the puzzle with this name or alias among those that files define.
    pub fn defined_as(&self, name: &str) -> Option<&Arc<dyn AnyPuzzle>> {
        // The aliases of a puzzle are only known after its file is parsed, so try them last.
        let defined = || self.defined().iter();
        defined().find(|puzzle| puzzle.name() == name).or_else(|| defined().find(|puzzle| puzzle.has_alias(name)))
    }

    /// Returns true for puzzles with code of their own.
    pub fn is_native(&self, name: &str) -> bool {
        self.natives().iter().any(|puzzle| puzzle.name() == name)
    }
}
