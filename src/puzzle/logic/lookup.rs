//! Finds pencil puzzles among all puzzles.

use crate::puzzle::{self, AnyPuzzle};

/// Finds the logic puzzle with this name or alias.
pub fn find_puzzle(name: &str) -> Option<&'static dyn AnyPuzzle> {
    // The aliases of a puzzle are only known after its file is parsed, so try them last.
    pencil_entries().find(|entry| entry.name() == name).or_else(|| pencil_entries().find(|entry| entry.has_alias(name)))
}

pub(super) fn pencil_entries() -> impl Iterator<Item = &'static dyn AnyPuzzle> {
    puzzle::all().iter().copied().filter(|entry| !puzzle::is_written_in_rust(entry.name()))
}
