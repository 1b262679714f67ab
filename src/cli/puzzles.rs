//! The puzzles that the command knows: built in, or the user's.

use std::sync::OnceLock;

use base::diagnostic::{Code, Diagnostic};
use puzzle::{PuzzleFile, Registry};

use crate::builtin;

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
