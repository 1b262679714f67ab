//! The boards of `instances/`, embedded in the executable.

use include_dir::{Dir, File, include_dir};

static FILES: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../../instances");

/// A board that shows the notation of its puzzle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Example {
    /// The name of its file, for example `tents.txt`
    pub file_name: &'static str,
    pub text: &'static str,
    /// Options for solving it, for example `--unique`
    pub options: &'static str,
}

impl Example {
    /// Returns the embedded board with this file name.
    pub fn named(file_name: &str) -> Option<Example> {
        FILES.get_file(file_name).and_then(Example::of)
    }

    /// All embedded boards, sorted by file name. A puzzle may have several.
    pub fn all() -> impl Iterator<Item = Example> {
        FILES.files().filter_map(Example::of)
    }

    pub fn with_options(self, options: &'static str) -> Example {
        Example { options, ..self }
    }

    fn of(file: &'static File<'static>) -> Option<Example> {
        Some(Example { file_name: file.path().to_str()?, text: file.contents_utf8()?, options: "" })
    }
}
