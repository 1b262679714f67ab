//! Reading: instances, the standard input, and encodings from the folder that comes first.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::messages;
use crate::diagnostic::{Diagnostic, Failure, Place};
use crate::document::Document;
use crate::puzzle::{About, Encoding, Shipped};

/// Reads a file, or the standard input for `-`.
pub fn read(path: &Path) -> Result<Document, Failure> {
    if path == Path::new("-") {
        let mut bytes = Vec::new();
        io::stdin()
            .lock()
            .read_to_end(&mut bytes)
            .map_err(|error| Diagnostic::error(format!("cannot read the standard input: {error}")))?;
        return document("<stdin>".to_owned(), None, bytes);
    }
    let name = path.display().to_string();
    let wrong = |what: String| Failure::from(Diagnostic::error(format!("{name}: {what}")));
    let is_regular = match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(wrong("no such file".to_owned())),
        Err(error) => return Err(wrong(format!("cannot be read: {error}"))),
        Ok(metadata) if metadata.is_dir() => return Err(wrong("is a directory; a file was wanted".to_owned())),
        Ok(metadata) => metadata.is_file(),
    };
    let bytes = fs::read(path).map_err(|error| wrong(format!("cannot be read: {error}")))?;
    // A pipe (`<(…)` in a shell) can be read once, so that clingo must not read it again.
    document(name, is_regular.then(|| path.to_owned()), bytes)
}

/// Half of the memory that the system says is free, for searches that remember states and were given no limit; where the
/// system does not say, 2 GB.
pub fn half_of_memory() -> u64 {
    const UNKNOWN: u64 = 4_000_000_000;
    let available = || {
        let text = fs::read_to_string("/proc/meminfo").ok()?;
        let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
        let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
        Some(kilobytes * 1024)
    };
    available().unwrap_or(UNKNOWN) / 2
}

/// Text may hold bytes that are not UTF-8 (in comments, say); a NUL byte means that it is no text.
fn document(name: String, path: Option<PathBuf>, bytes: Vec<u8>) -> Result<Document, Failure> {
    let nul = bytes.iter().position(|&byte| byte == 0);
    let text = String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    if let Some(nul) = nul {
        let line = text.as_bytes().iter().take(nul).filter(|&&byte| byte == b'\n').count() + 1;
        return Err(Diagnostic::error(format!(
            "{name}: is a binary file (NUL byte in line {line}); a text was wanted"
        ))
        .into());
    }
    Ok(Document { name, path, text: text.into() })
}

/// The encodings that `-e` asks for, or the puzzle's first; `verbose` tells where each was found.
pub fn encodings(
    asked: &[String],
    about: &About,
    asp_dir: Option<&Path>,
    verbose: bool,
) -> Result<Vec<Document>, Failure> {
    let folders = folders(asp_dir)?;
    let mut found: Vec<Document> = Vec::new();
    let usual = about.encodings.first().filter(|_| asked.is_empty());
    if let Some(encoding) = usual {
        found.extend(resolve(encoding, &folders, verbose)?);
    }
    for name in asked {
        let files = || about.encodings.iter().flat_map(|encoding| encoding.files);
        let documents = if let Some(encoding) = about.encodings.iter().find(|encoding| encoding.name == name) {
            resolve(encoding, &folders, verbose)?
        } else if Path::new(name).exists() {
            vec![read(Path::new(name))?]
        } else if let Some(file) = files().find(|file| file.path == name) {
            vec![resolve_file(file, &folders)?]
        } else {
            let known: Vec<&str> = about.encodings.iter().map(|encoding| encoding.name).collect();
            let wanted = if known.is_empty() {
                String::new()
            } else {
                format!(", nor an encoding of {} ({})", about.name, known.join(", "))
            };
            return Err(Diagnostic::error(format!("--encoding {name}: no such file{wanted}")).into());
        };
        // Two encodings may have a file in common.
        found.extend(
            documents.into_iter().filter(|one| !found.iter().any(|other| other.name == one.name)).collect::<Vec<_>>(),
        );
    }
    Ok(found)
}

/// An encoding that ships with a puzzle, each file from the first folder that has it.
pub fn encoding(encoding: &Encoding, asp_dir: Option<&Path>) -> Result<Vec<Document>, Failure> {
    resolve(encoding, &folders(asp_dir)?, false)
}

fn resolve(encoding: &Encoding, folders: &[PathBuf], verbose: bool) -> Result<Vec<Document>, Failure> {
    let documents: Vec<Document> =
        encoding.files.iter().map(|file| resolve_file(file, folders)).collect::<Result<_, _>>()?;
    if verbose {
        let names: Vec<&str> = documents.iter().map(|document| document.name.as_str()).collect();
        messages::say(format_args!("encoding {}: {}", encoding.name, names.join(", ")));
    }
    Ok(documents)
}

fn resolve_file(file: &Shipped, folders: &[PathBuf]) -> Result<Document, Failure> {
    match folders.iter().map(|folder| folder.join(file.path)).find(|path| path.is_file()) {
        Some(path) => read(&path),
        None => Ok(Document::in_memory(format!("embedded:{}", file.path), file.text)),
    }
}

/// Folders of encodings, the first that has a file wins. One that was named must be there.
pub fn folders(asp_dir: Option<&Path>) -> Result<Vec<PathBuf>, Failure> {
    let from_environment = std::env::var_os("ASP_SOLVE_DIR").filter(|value| !value.is_empty()).map(PathBuf::from);
    let mut folders = Vec::new();
    for (named, by) in [(asp_dir.map(Path::to_owned), "--asp-dir"), (from_environment, "ASP_SOLVE_DIR")] {
        if let Some(folder) = named {
            fs::read_dir(&folder)
                .map_err(|error| Diagnostic::error(format!("{by} {}: cannot be read: {error}", folder.display())))?;
            folders.push(folder);
        }
    }
    folders.push(PathBuf::from("asp"));
    Ok(folders)
}

/// The text of a file that a message is about: one of those that were read, or one that clingo included.
pub fn text_of<'a>(place: &Place, documents: &'a [Document]) -> Option<std::borrow::Cow<'a, str>> {
    match documents.iter().find(|document| document.name == place.file) {
        Some(document) => Some((&*document.text).into()),
        None => fs::read(&place.file).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned().into()),
    }
}
