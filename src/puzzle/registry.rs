//! The puzzles that a run knows.

use super::api::{AnyPuzzle, Describe};
use super::logic::{Catalogue, normalised};

/// The puzzles that a run knows: with code of their own, or defined by files.
pub struct Registry {
    /// Native puzzles, then puzzles that files define.
    puzzles: Vec<&'static dyn AnyPuzzle>,
    natives: usize,
    catalogue: &'static Catalogue,
}

impl Registry {
    /// A registry without puzzles. [`add_defined`](Registry::add_defined) adds those in `catalogue`.
    pub fn new(catalogue: &'static Catalogue) -> Registry {
        Registry { puzzles: Vec::new(), natives: 0, catalogue }
    }

    /// Adds a puzzle with code of its own.
    pub fn add_native(&mut self, puzzle: &'static dyn AnyPuzzle) {
        self.puzzles.insert(self.natives, puzzle);
        self.natives += 1;
    }

    /// Adds a puzzle that a file defines.
    pub fn add_defined(&mut self, puzzle: &'static dyn AnyPuzzle) {
        self.puzzles.push(puzzle);
    }

    /// All puzzles: native puzzles, then puzzles that files define, each in the order of addition.
    pub fn all(&self) -> &[&'static dyn AnyPuzzle] {
        &self.puzzles
    }

    pub fn natives(&self) -> &[&'static dyn AnyPuzzle] {
        &self.puzzles[..self.natives]
    }

    /// The puzzles that files define.
    pub fn defined(&self) -> &[&'static dyn AnyPuzzle] {
        &self.puzzles[self.natives..]
    }

    /// The definitions of the puzzles that files define.
    pub fn catalogue(&self) -> &'static Catalogue {
        self.catalogue
    }

    /// Returns the puzzle of this name.
    pub fn by_name(&self, name: &str) -> Option<&'static dyn AnyPuzzle> {
        self.puzzles.iter().copied().find(|puzzle| puzzle.name() == name)
    }

    /// Returns the puzzle of this name, title, or link type.
    pub fn by_any_name(&self, text: &str) -> Option<&'static dyn AnyPuzzle> {
        self.by_name(text).or_else(|| self.defined_as(&normalised(text)))
    }

    /// Returns the puzzle with this name or alias among those that files define.
    pub fn defined_as(&self, name: &str) -> Option<&'static dyn AnyPuzzle> {
        let name = self.catalogue.find(name)?.name();
        self.defined().iter().copied().find(|puzzle| puzzle.name() == name)
    }

    /// Returns true for puzzles with code of their own.
    pub fn is_native(&self, name: &str) -> bool {
        self.natives().iter().any(|puzzle| puzzle.name() == name)
    }
}
