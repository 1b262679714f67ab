//! Writes the files of a page that needs no server: the program runs in the browser.

use std::fs;
use std::path::Path;

use base::diagnostic::{Code, Diagnostic, Failure};
use serde_json::json;

use super::gallery::Gallery;
use super::worker::UNNAMED;
use crate::cli::output;

/// Writes the page and a copy of the program `wasm` into a folder, which is created.
pub fn write(folder: &Path, wasm: &Path) -> Result<(), Failure> {
    let unreadable = |words: String| Diagnostic::error(Code::UnreadableFile, format!("{}: {words}", wasm.display()));
    let program = fs::read(wasm).map_err(|error| unreadable(error.to_string()))?;
    if !program.starts_with(b"\0asm") {
        return Err(unreadable("expected a program in WebAssembly".to_owned()).into());
    }
    let start = json!({ "files": [{ "name": UNNAMED, "text": studio::EXAMPLE }], "examples": Gallery::new().entries });
    // The texts of the page depend on this program.
    let mut version = crc32fast::Hasher::new();
    version.update(&program);
    for (_, text) in studio::static_files(&start, "") {
        version.update(text.as_bytes());
    }
    fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
    for (name, text) in studio::static_files(&start, &format!("{:08x}", version.finalize())) {
        output::save(&folder.join(name), &text)?;
    }
    let copy = folder.join(studio::WASM);
    fs::write(&copy, program).map_err(|error| unwritable(&copy, &error).into())
}

fn unwritable(path: &Path, error: &std::io::Error) -> Diagnostic {
    Diagnostic::error(Code::UnwritableFile, format!("{} cannot be written: {error}", path.display()))
}
