//! Reads instances from files and standard input, and encodings from the first folder that has
//! them.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use asp::syntax;
use base::diagnostic::{Code, Diagnostic, Failure, Place};
use base::document::Document;
use base::stop::CancelToken;
use base::words::{did_you_mean, io_error};
use pencil::link::explain_unreadable_address;
use puzzle::{About, BuiltinFile, Encoding, PuzzleFile};
use statespace::cache::Cache;

use super::folders::ProgramFiles;
use super::memory::half_of_memory;
use super::sources::{self, MAX_BYTES, record_read, resolve_include};
use super::terminal;
use super::usage::CLINGO_COMMAND;

/// Reads a file, or standard input for `-`. Stops when `stop` is cancelled, since an input may be
/// endless.
pub fn read(path: &Path, stop: &CancelToken) -> Result<Document, Failure> {
    if path == Path::new("-") {
        let read = to_document("<stdin>".to_owned(), None, read_bytes("<stdin>", io::stdin().lock(), 0, stop)?)?;
        record_read(path, &read.text);
        return Ok(read);
    }
    let name = path.display().to_string();
    let wrong = |problem: String| Failure::from(Diagnostic::error(Code::UnreadableFile, format!("{name}: {problem}")));
    let size = match fs::metadata(path) {
        Err(_) if let Some(error) = explain_unreadable_address(&name[..name.floor_char_boundary(60)], &name) => {
            return Err(error.into());
        }
        // A short board may be given in place of a file name.
        Err(_) if pencil::is_link_or_id(&name) => return Ok(Document::in_memory(name.clone(), name)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let missing = Diagnostic::error(Code::UnreadableFile, format!("{name}: no such file"));
            // For clingo a bare number is the number of models.
            let is_number = name.parse::<u32>().is_ok();
            let help = format!("for the number of answers write `-n {name}`; {CLINGO_COMMAND}");
            return Err(if is_number { missing.help(help) } else { missing }.into());
        }
        Err(error) => return Err(wrong(format!("cannot be read: {}", io_error(&error)))),
        Ok(metadata) if metadata.is_dir() => return Err(wrong("is a directory, not a file".to_owned())),
        Ok(metadata) => metadata.is_file().then_some(metadata.len()),
    };
    let file = fs::File::open(path).map_err(|error| wrong(format!("cannot be read: {}", io_error(&error))))?;
    let bytes = read_bytes(&name, file, size.unwrap_or_default(), stop)?;
    // A pipe (`<(…)` in a shell) can be read only once, so the document has no path from which
    // clingo would read it again.
    let read = to_document(name, size.map(|_| path.to_owned()), bytes)?;
    record_read(path, &read.text);
    Ok(read)
}

/// Reads a file, or takes the text in `texts` that has its name.
pub fn read_or_take(path: &Path, texts: &[Document], stop: &CancelToken) -> Result<Document, Failure> {
    match texts.iter().find(|text| path.as_os_str() == &*text.name) {
        Some(text) => Ok(text.clone()),
        None => read(path, stop),
    }
}

/// Reads the files of a command.
pub fn read_all(files: &[PathBuf], stop: &CancelToken) -> Result<Vec<Document>, Failure> {
    read_or_take_all(files, &[], stop)
}

/// Reads the files of a command, or takes the texts in `texts` that have their names.
pub fn read_or_take_all(files: &[PathBuf], texts: &[Document], stop: &CancelToken) -> Result<Vec<Document>, Failure> {
    if files.iter().filter(|path| *path == Path::new("-")).count() > 1 {
        let text = "standard input can be read only once, but - was given twice";
        return Err(Diagnostic::error(Code::Usage, text).into());
    }
    files.iter().map(|path| read_or_take(path, texts, stop)).collect()
}

/// Reads an input in parts. An input that is too large counts as reaching the memory limit.
fn read_bytes(name: &str, mut input: impl Read, expected: u64, stop: &CancelToken) -> Result<Vec<u8>, Failure> {
    const PART: u64 = 1 << 20;
    let mut bytes = Vec::with_capacity(expected.min(PART) as usize + 1);
    loop {
        let read = input.by_ref().take(PART).read_to_end(&mut bytes);
        if read.map_err(|error| {
            Diagnostic::error(Code::UnreadableFile, format!("{name}: cannot be read: {}", io_error(&error)))
        })? == 0
        {
            return Ok(bytes);
        }
        let limit = || MAX_BYTES.min(half_of_memory());
        if bytes.len() as u64 > PART && bytes.len() as u64 > limit() {
            let limit = limit() / 1_000_000;
            terminal::print_line(format_args!("error: {name}: is larger than {limit} MB; no more is read"));
            stop.out_of_memory();
        }
        if stop.requested().is_some() {
            return Err(Failure::default());
        }
    }
}

/// Adds the files that the documents include, transitively. `find` takes the including document,
/// the file name, the place of the directive and the documents so far; it returns `None` for a file
/// that is one of these.
pub fn add_included(
    documents: &mut Vec<Document>,
    mut find: impl FnMut(&Document, &str, Place, &[Document]) -> Result<Option<Document>, Failure>,
) -> Result<(), Failure> {
    let mut next = 0;
    while let Some(document) = documents.get(next).cloned() {
        next += 1;
        for (range, file) in syntax::includes(&document.text) {
            let Some(file) = file else { continue };
            let place = Place::of_range(&document.name, &document.text, range);
            documents.extend(find(&document, &file, place, documents)?);
        }
    }
    Ok(())
}

/// Returns the files that the documents include, without those that cannot be read, which clingo
/// reports.
pub fn included_documents(documents: &[Document], stop: &CancelToken) -> Result<Vec<Document>, Failure> {
    let mut all = documents.to_vec();
    let given_paths = documents.iter().filter_map(|document| document.path.as_deref()?.canonicalize().ok());
    let mut visited: BTreeSet<PathBuf> = given_paths.collect();
    add_included(&mut all, |document, file, _, _| {
        let path = resolve_include(document.path.as_deref(), file);
        let is_new = |path: &PathBuf| path.canonicalize().is_ok_and(|path| visited.insert(path));
        Ok(path.filter(is_new).and_then(|path| read(&path, stop).ok()))
    })?;
    Ok(all.split_off(documents.len()))
}

/// Returns true if the argument is itself a board, not the name of a file.
pub fn is_inline_board(path: &Path) -> bool {
    path.to_str().is_some_and(pencil::is_link_or_id)
}

/// Returns the user's cache folder for tables.
pub fn cache() -> Cache {
    Cache::in_folder(dirs::cache_dir().map(|folder| folder.join("asp-solve")))
}

/// Decodes a document. Invalid UTF-8 is accepted (in comments, for example); a NUL byte means that
/// the file is binary.
fn to_document(name: String, path: Option<PathBuf>, bytes: Vec<u8>) -> Result<Document, Failure> {
    let document = Document::from_bytes(name, path, bytes);
    if let Some(nul) = document.text.find('\0') {
        let line = document.text[..nul].matches('\n').count() + 1;
        let text = format!("{}: expected text, found a binary file (NUL byte in line {line})", document.name);
        return Err(Diagnostic::error(Code::Usage, text).into());
    }
    Ok(document)
}

/// Returns the encodings `names`, which are the values of `-e`; if there are none, the puzzle's
/// first encoding. Documents in `already_read` are not read again. If `verbose` is set, prints the
/// files of each built-in encoding.
pub fn encodings(
    names: &[PathBuf],
    about: &About<'_>,
    asp_dir: Option<&Path>,
    verbose: bool,
    already_read: &[Document],
    stop: &CancelToken,
) -> Result<Vec<Document>, Failure> {
    let folders = folders(asp_dir)?;
    let mut found: Vec<Document> = Vec::new();
    let default = about.encodings.first().filter(|_| names.is_empty());
    if let Some(encoding) = default {
        found.extend(resolve(encoding, &folders, verbose)?);
    }
    for name in names {
        let files = || about.encodings.iter().flat_map(|encoding| &*encoding.files);
        let documents = if let Some(encoding) =
            about.encodings.iter().find(|encoding| name.as_os_str() == &*encoding.name)
        {
            resolve(encoding, &folders, verbose)?
        } else if let Some(document) = already_read.iter().find(|document| document.name == name.to_string_lossy()) {
            vec![document.clone()]
        } else if name.exists() {
            vec![read(name, stop)?]
        } else if let Some(file) = files().find(|file| name.as_os_str() == &*file.path) {
            vec![resolve_file(file, &folders)?]
        } else {
            let known: Vec<&str> = about.encodings.iter().map(|encoding| &*encoding.name).collect();
            let nor_encoding = if known.is_empty() {
                String::new()
            } else {
                format!(", nor an encoding of {} ({})", about.name, known.join(", "))
            };
            let suggestion = did_you_mean(&name.to_string_lossy(), known.iter().copied());
            let missing = Diagnostic::error(
                Code::UnreadableFile,
                format!("--encoding {}{suggestion}: no such file{nor_encoding}", name.display()),
            );
            // clingo's `-e` is `--enum-mode`, with these values.
            let is_enum_mode = ["auto", "bt", "record", "domRec", "brave", "cautious", "query", "user"]
                .iter()
                .any(|mode| name.as_os_str().eq_ignore_ascii_case(mode));
            let help = format!("for clingo's -e write --enum-mode; {CLINGO_COMMAND}");
            return Err(if is_enum_mode { missing.help(help) } else { missing }.into());
        };
        // Two encodings may share a file.
        found.extend(
            documents
                .into_iter()
                .filter(|document| !found.iter().any(|other| other.name == document.name))
                .collect::<Vec<_>>(),
        );
    }
    Ok(found)
}

/// Reads a drawing program: a file, or a name such as `rail/drawing.lp` in the encoding folders or
/// among the built-in files.
pub fn drawing(path: &Path, asp_dir: Option<&Path>, stop: &CancelToken) -> Result<Document, Failure> {
    if path.exists() || path == Path::new("-") {
        return read(path, stop);
    }
    let name = path.to_string_lossy();
    find_in_folders(&name, pencil::builtin_text(&name), &folders(asp_dir)?)?
        .ok_or_else(|| Diagnostic::error(Code::UnreadableFile, format!("--draw {name}: no such file")).into())
}

/// Returns the companion files that the headers of encodings name ("Goes with"). Each is read from
/// the folder of its encoding, else from the encoding folders.
pub fn companions(
    encodings: &[Document],
    asp_dir: Option<&Path>,
    stop: &CancelToken,
) -> Result<Vec<Document>, Failure> {
    let mut found: Vec<Document> = Vec::new();
    for encoding in encodings {
        // The name of a text in an editor is the path of its file.
        let path = encoding.path.as_deref().unwrap_or(Path::new(&encoding.name));
        let encoding_folder = path.parent().unwrap_or(Path::new(""));
        for file in pencil::goes_with(encoding) {
            let is_named = |document: &Document| Path::new(&document.name).ends_with(&file);
            if encodings.iter().chain(&found).any(is_named) {
                continue;
            }
            let local = sources::join(encoding_folder, &file);
            let folders = folders(asp_dir)?;
            let in_folder = |folder| {
                let path = format!("{folder}/{file}");
                find_in_folders(&path, pencil::builtin_text(&path), &folders).transpose()
            };
            let document = if local.is_file() {
                Some(read(&local, stop)?)
            } else {
                pencil::builtin_folders().find_map(in_folder).transpose()?
            };
            found.push(document.ok_or_else(|| {
                Diagnostic::error(
                    Code::UnreadableFile,
                    format!("{}: goes with {file}, but there is no such file", encoding.name),
                )
            })?);
        }
    }
    Ok(found)
}

/// Reads a built-in encoding of a puzzle, each file from the first folder that has it.
pub fn encoding(encoding: &Encoding, asp_dir: Option<&Path>) -> Result<Vec<Document>, Failure> {
    resolve(encoding, &folders(asp_dir)?, false)
}

fn resolve(encoding: &Encoding, folders: &[PathBuf], verbose: bool) -> Result<Vec<Document>, Failure> {
    let documents: Vec<Document> =
        encoding.files.iter().map(|file| resolve_file(file, folders)).collect::<Result<_, _>>()?;
    if verbose {
        let names: Vec<&str> = documents.iter().map(|document| document.name.as_str()).collect();
        terminal::print_line(format_args!("encoding {}: {}", encoding.name, names.join(", ")));
    }
    Ok(documents)
}

fn resolve_file(file: &BuiltinFile, folders: &[PathBuf]) -> Result<Document, Failure> {
    // The files that a puzzle file on disk names are not built in, and have no text here.
    let builtin = Some(file.text).filter(|text| !text.is_empty());
    find_in_folders(&file.path, builtin, folders)?.ok_or_else(|| {
        let searched: Vec<String> = folders.iter().map(|folder| folder.display().to_string()).collect();
        let text = format!("{}: no such file in {}, and none is built in", file.path, searched.join(", "));
        Diagnostic::error(Code::Usage, text).into()
    })
}

/// Finds a file in the encoding folders: the first folder that has it wins; `builtin` is the
/// fallback.
fn find_in_folders(path: &str, builtin: Option<&str>, folders: &[PathBuf]) -> Result<Option<Document>, Failure> {
    match folders.iter().map(|folder| sources::join(folder, path)).find(|path| path.is_file()) {
        Some(path) => read(&path, &CancelToken::new()).map(Some),
        None => Ok(builtin.map(|text| Document::in_memory(format!("embedded:{path}"), text))),
    }
}

/// Returns the value of `--asp-dir`. Arguments after `--` are files.
fn asp_dir_argument(arguments: &[OsString]) -> Option<PathBuf> {
    let mut words = arguments.iter().take_while(|word| *word != "--");
    while let Some(word) = words.next() {
        if word == "--asp-dir" {
            return words.next().map(PathBuf::from);
        }
        if let Some(folder) = word.to_string_lossy().strip_prefix("--asp-dir=") {
            return Some(PathBuf::from(folder));
        }
    }
    None
}

/// Loads the puzzles that consist of one file each from the encoding folders that the arguments
/// select.
pub fn load_puzzles(arguments: &[OsString], warn: impl Fn(String)) -> Result<Vec<PuzzleFile>, Failure> {
    let named = asp_dir_argument(arguments);
    let mut puzzles: Vec<PuzzleFile> = Vec::new();
    let folders = folders(named.as_deref())?;
    for (path, folder) in folders.iter().flat_map(|path| pencil::FOLDERS.map(|folder| (path, folder))) {
        // The folder need not exist.
        for path in ProgramFiles::below(&sources::join(path, folder), |_| true).flatten() {
            let name = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default().to_owned();
            let is_name = name.chars().all(|sign| sign.is_alphanumeric() || sign == '_' || sign == '-');
            if !is_name || name.is_empty() || puzzles.iter().any(|puzzle| puzzle.name == name) {
                continue;
            }
            // A file that cannot be read does not affect other puzzles.
            match read(&path, &CancelToken::new()) {
                _ if crate::builtin::is_native(&name) => warn(format!(
                    "warning: {}: ignored, because a puzzle {name} already exists; use another name",
                    path.display()
                )),
                Ok(document) => puzzles.push(PuzzleFile { folder, name, text: document.text }),
                Err(failure) => warn(format!("warning: puzzle not loaded: {failure}")),
            }
        }
    }
    Ok(puzzles)
}

/// Returns the encoding folders in order of precedence. A folder that was named explicitly must be
/// readable.
pub fn folders(asp_dir: Option<&Path>) -> Result<Vec<PathBuf>, Failure> {
    let from_environment = std::env::var_os("ASP_SOLVE_DIR").filter(|value| !value.is_empty()).map(PathBuf::from);
    let mut folders = Vec::new();
    for (named, option) in [(asp_dir.map(Path::to_owned), "--asp-dir"), (from_environment, "ASP_SOLVE_DIR")] {
        if let Some(folder) = named {
            fs::read_dir(&folder).map_err(|error| {
                Diagnostic::error(
                    Code::UnreadableFile,
                    format!("{option} {}: cannot be read: {}", folder.display(), io_error(&error)),
                )
            })?;
            folders.push(folder);
        }
    }
    folders.push(PathBuf::from("asp"));
    Ok(folders)
}
