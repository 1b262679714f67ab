//! One text as it was read: its name, and where clingo can read it again.

use std::path::PathBuf;
use std::sync::Arc;

/// An input file, the standard input, an encoding, or a few lines that a puzzle adds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// As the person gave it; `<stdin>` for the standard input.
    pub name: String,
    /// Where it lies on disk, if it does: clingo reads the file itself, so that its `#include`s resolve.
    pub path: Option<PathBuf>,
    /// Its text, shared by all clones. Bytes that are not UTF-8 are replaced.
    pub text: Arc<str>,
}

impl Document {
    /// Text that lies in no file.
    pub fn in_memory(name: impl Into<String>, text: impl Into<Arc<str>>) -> Self {
        Document { name: name.into(), path: None, text: text.into() }
    }
}
