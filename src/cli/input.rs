//! Reading: instances, the standard input, and encodings from the folder that comes first.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use sysinfo::{Process, ProcessRefreshKind, ProcessesToUpdate, System};

use super::runner::address_space;
use super::{args, habits, messages};
use crate::asp::syntax;
use crate::cache::Cache;
use crate::diagnostic::{Diagnostic, Failure, Place};
use crate::document::Document;
use crate::puzzle::logic::link::of_another_site;
use crate::puzzle::{self, About, Encoding, OfFile, Shipped};
use crate::stop::Stop;
use crate::words::did_you_mean;

/// More than this is no instance.
const MOST_BYTES: u64 = 1 << 30;

/// Every file that was opened for reading, `-` for the standard input, and all that these include.
static READ: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn known() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    READ.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What no output may replace.
pub fn files_read() -> Vec<PathBuf> {
    known().iter().cloned().collect()
}

/// Remembers a file that is read, and what its text includes, which clingo reads.
fn remember(path: &Path, text: &str) {
    known().insert(path.to_owned());
    let mut texts = vec![(path.to_owned(), Cow::Borrowed(text))];
    while let Some((path, text)) = texts.pop() {
        for path in syntax::possible_includes(&text).filter_map(|file| beside(Some(&path), &file)) {
            let is_new = known().insert(path.clone());
            let is_read = is_new && fs::metadata(&path).is_ok_and(|file| file.len() <= MOST_BYTES);
            // What cannot be read clingo tells.
            if let Some(Ok(bytes)) = is_read.then(|| fs::read(&path)) {
                texts.push((path, String::from_utf8_lossy(&bytes).into_owned().into()));
            }
        }
    }
}

/// Remembers files that are read later, or by a thread that may be left alone before it reads them.
pub fn remember_named<'a>(paths: impl IntoIterator<Item = &'a PathBuf>) {
    known().extend(paths.into_iter().cloned());
}

/// Where clingo looks for a file that another includes: here, then beside it.
pub fn beside(path: Option<&Path>, file: &str) -> Option<PathBuf> {
    let folder = path.and_then(Path::parent);
    let places = [Some(PathBuf::from(file)), folder.map(|folder| folder.join(file))];
    places.into_iter().flatten().find(|path| path.is_file())
}

/// Reads a file, or the standard input for `-`, until somebody wants to stop: not every input has an end.
pub fn read(path: &Path, stop: &Stop) -> Result<Document, Failure> {
    if path == Path::new("-") {
        let read = document("<stdin>".to_owned(), None, bytes_of("<stdin>", io::stdin().lock(), 0, stop)?)?;
        remember(path, &read.text);
        return Ok(read);
    }
    let name = path.display().to_string();
    let wrong = |what: String| Failure::from(Diagnostic::error(format!("{name}: {what}")));
    let size = match fs::metadata(path) {
        Err(_) if let Some(error) = of_another_site(&name[..name.floor_char_boundary(60)], &name) => {
            return Err(error.into());
        }
        // A board may be so short that it is said in place of a file.
        Err(_) if puzzle::is_written_out(&name) => return Ok(Document::in_memory(name.clone(), name)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let commands = args::command();
            let near = did_you_mean(&name, commands.get_subcommands().map(clap::Command::get_name));
            let missing = Diagnostic::error(format!("{name}{near}: no such file"));
            // To clingo, a bare number is that of the models.
            let is_number = name.parse::<u32>().is_ok();
            return Err(if is_number { habits::helped(missing, "") } else { missing }.into());
        }
        Err(error) => return Err(wrong(format!("cannot be read: {error}"))),
        Ok(metadata) if metadata.is_dir() => return Err(wrong("is a directory, not a file".to_owned())),
        Ok(metadata) => metadata.is_file().then_some(metadata.len()),
    };
    let file = fs::File::open(path).map_err(|error| wrong(format!("cannot be read: {error}")))?;
    let bytes = bytes_of(&name, file, size.unwrap_or_default(), stop)?;
    // A pipe (`<(…)` in a shell) can be read once, so that clingo must not read it again.
    let read = document(name, size.map(|_| path.to_owned()), bytes)?;
    remember(path, &read.text);
    Ok(read)
}

/// An input that is too large counts as a memory limit that was reached.
fn bytes_of(name: &str, mut input: impl Read, expected: u64, stop: &Stop) -> Result<Vec<u8>, Failure> {
    const PART: u64 = 1 << 20;
    let mut bytes = Vec::with_capacity(expected.min(PART) as usize + 1);
    loop {
        let read = input.by_ref().take(PART).read_to_end(&mut bytes);
        if read.map_err(|error| Diagnostic::error(format!("{name}: cannot be read: {error}")))? == 0 {
            return Ok(bytes);
        }
        let most = || MOST_BYTES.min(half_of_memory());
        if bytes.len() as u64 > PART && bytes.len() as u64 > most() {
            let most = most() / 1_000_000;
            messages::say(format_args!("error: {name}: is larger than {most} MB; no more is read"));
            stop.out_of_memory();
        }
        if stop.requested().is_some() {
            return Err(Failure::default());
        }
    }
}

/// Adds what documents include, and what that includes in its turn. `find` gets the document, what it includes and where it
/// says so, and all that is there by then; it gives none for what is one of these.
pub fn included(
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

/// What documents include, as far as it is found; of the rest clingo tells.
pub fn all_included(documents: &[Document], stop: &Stop) -> Result<Vec<Document>, Failure> {
    let mut all = documents.to_vec();
    let given = documents.iter().filter_map(|document| document.path.as_deref()?.canonicalize().ok());
    let mut known: BTreeSet<PathBuf> = given.collect();
    included(&mut all, |document, file, _, _| {
        let path = beside(document.path.as_deref(), file);
        let is_new = |path: &PathBuf| path.canonicalize().is_ok_and(|path| known.insert(path));
        Ok(path.filter(is_new).and_then(|path| read(&path, stop).ok()))
    })?;
    Ok(all.split_off(documents.len()))
}

/// Whether a word that names no file is a board in itself.
pub fn is_written_out(path: &Path) -> bool {
    path.to_str().is_some_and(puzzle::is_written_out)
}

/// The user's folder for tables.
pub fn cache() -> Cache {
    Cache::in_folder(dirs::cache_dir().map(|folder| folder.join("asp-solve")))
}

/// Half of the memory that is free for this process, for searches that remember states and were given no limit; where
/// the system does not say, 2 GB.
pub fn half_of_memory() -> u64 {
    const UNKNOWN: u64 = 4_000_000_000;
    static HALF: OnceLock<u64> = OnceLock::new();
    *HALF.get_or_init(|| {
        let system = System::new().ok().map(|mut system| {
            system.refresh_memory();
            system
        });
        let free = system.as_ref().map(System::available_memory).filter(|&free| free > 0);
        // A container, and a group of processes in it, may be given less than there is.
        let in_group = system.and_then(|mut system| {
            let own = sysinfo::get_current_pid().ok()?;
            system.refresh_processes_specifics(ProcessesToUpdate::Some(&[own]), false, ProcessRefreshKind::nothing());
            let limits = [system.process(own).and_then(Process::cgroup_limits), system.cgroup_limits()];
            limits.into_iter().flatten().map(|limits| limits.free_memory).min()
        });
        free.unwrap_or(UNKNOWN).min(in_group.unwrap_or(u64::MAX)).min(address_space()) / 2
    })
}

/// Text may hold bytes that are not UTF-8 (in comments, say); a NUL byte means that it is no text.
fn document(name: String, path: Option<PathBuf>, bytes: Vec<u8>) -> Result<Document, Failure> {
    let document = Document::from_bytes(name, path, bytes);
    if let Some(nul) = document.text.find('\0') {
        let line = document.text[..nul].matches('\n').count() + 1;
        let text = format!("{}: is a binary file (NUL byte in line {line}); a text was wanted", document.name);
        return Err(Diagnostic::error(text).into());
    }
    Ok(document)
}

/// The encodings that `-e` asks for, those that are files read by now; or the puzzle's first. `verbose` tells where each was
/// found.
pub fn encodings(
    asked: &[PathBuf],
    about: &About,
    asp_dir: Option<&Path>,
    verbose: bool,
    read_by_now: &[Document],
    stop: &Stop,
) -> Result<Vec<Document>, Failure> {
    let folders = folders(asp_dir)?;
    let mut found: Vec<Document> = Vec::new();
    let usual = about.encodings.first().filter(|_| asked.is_empty());
    if let Some(encoding) = usual {
        found.extend(resolve(encoding, &folders, verbose)?);
    }
    for name in asked {
        let files = || about.encodings.iter().flat_map(|encoding| encoding.files);
        let documents =
            if let Some(encoding) = about.encodings.iter().find(|encoding| name.as_os_str() == encoding.name) {
                resolve(encoding, &folders, verbose)?
            } else if let Some(document) = read_by_now.iter().find(|known| known.name == name.to_string_lossy()) {
                vec![document.clone()]
            } else if name.exists() {
                vec![read(name, stop)?]
            } else if let Some(file) = files().find(|file| name.as_os_str() == file.path) {
                vec![resolve_file(file, &folders)?]
            } else {
                let known: Vec<&str> = about.encodings.iter().map(|encoding| encoding.name).collect();
                let wanted = if known.is_empty() {
                    String::new()
                } else {
                    format!(", nor an encoding of {} ({})", about.name, known.join(", "))
                };
                let near = did_you_mean(&name.to_string_lossy(), known.iter().copied());
                let missing = Diagnostic::error(format!("--encoding {}{near}: no such file{wanted}", name.display()));
                // To clingo, -e is --enum-mode.
                return Err(habits::helped(missing, "").into());
            };
        // Two encodings may have a file in common.
        found.extend(
            documents.into_iter().filter(|one| !found.iter().any(|other| other.name == one.name)).collect::<Vec<_>>(),
        );
    }
    Ok(found)
}

/// A program that draws: a file, or one that is in the folders of encodings or ships, as `rail/drawing.lp`.
pub fn drawing(path: &Path, asp_dir: Option<&Path>, stop: &Stop) -> Result<Document, Failure> {
    if path.exists() || path == Path::new("-") {
        return read(path, stop);
    }
    let name = path.to_string_lossy();
    in_folders(&name, puzzle::logic::shipped_text(&name), &folders(asp_dir)?)?
        .ok_or_else(|| Diagnostic::error(format!("--draw {name}: no such file")).into())
}

/// The files that the headers of encodings say they go with: beside each, else from the folders of encodings.
pub fn companions(encodings: &[Document], asp_dir: Option<&Path>, stop: &Stop) -> Result<Vec<Document>, Failure> {
    let mut found: Vec<Document> = Vec::new();
    for encoding in encodings {
        // A text that is being written is named as its file.
        let path = encoding.path.as_deref().unwrap_or(Path::new(&encoding.name));
        let beside = path.parent().unwrap_or(Path::new(""));
        for file in puzzle::logic::goes_with(encoding) {
            let is_there = |known: &Document| Path::new(&known.name).ends_with(&file);
            if encodings.iter().chain(&found).any(is_there) {
                continue;
            }
            let (own, folders) = (beside.join(&file), folders(asp_dir)?);
            let in_folder = |folder| {
                let path = format!("{folder}/{file}");
                in_folders(&path, puzzle::logic::shipped_text(&path), &folders).transpose()
            };
            let document = match own.is_file() {
                true => Some(read(&own, stop)?),
                false => puzzle::logic::shipped_folders().find_map(in_folder).transpose()?,
            };
            found.push(document.ok_or_else(|| {
                Diagnostic::error(format!("{}: goes with {file}, but there is no such file", encoding.name))
            })?);
        }
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
    // A puzzle on disk may name any file.
    let shipped = Some(file.text).filter(|text| !text.is_empty());
    in_folders(file.path, shipped, folders)?.ok_or_else(|| {
        let looked_in: Vec<String> = folders.iter().map(|folder| folder.display().to_string()).collect();
        let text = format!("{}: no such file in {}, and none ships", file.path, looked_in.join(", "));
        Diagnostic::error(text).into()
    })
}

/// A file below the folders of encodings: of the first that has it, else the copy inside the program, if there is one.
fn in_folders(path: &str, shipped: Option<&str>, folders: &[PathBuf]) -> Result<Option<Document>, Failure> {
    match folders.iter().map(|folder| folder.join(path)).find(|path| path.is_file()) {
        Some(path) => read(&path, &Stop::new()).map(Some),
        None => Ok(shipped.map(|text| Document::in_memory(format!("embedded:{path}"), text))),
    }
}

/// The folder that `--asp-dir` names. Behind `--` stand files.
fn named_folder(arguments: &[OsString]) -> Option<PathBuf> {
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

/// Puzzles that are a file each, in the folders of encodings that these arguments ask for.
pub fn puzzles(arguments: &[OsString], warn: impl Fn(String)) -> Result<Vec<OfFile>, Failure> {
    let named = named_folder(arguments);
    let mut found: Vec<OfFile> = Vec::new();
    let folders = folders(named.as_deref())?;
    for (path, folder) in folders.iter().flat_map(|path| puzzle::FOLDERS.map(|folder| (path, folder))) {
        let Ok(files) = fs::read_dir(path.join(folder)) else { continue };
        for path in files.filter_map(|file| Some(file.ok()?.path())) {
            let name = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default().to_owned();
            let is_name = name.chars().all(|sign| sign.is_alphanumeric() || sign == '_' || sign == '-');
            let is_puzzle = path.extension().is_some_and(|ending| ending == "lp") && path.is_file() && is_name;
            if !is_puzzle || name.is_empty() || found.iter().any(|known| known.name == name) {
                continue;
            }
            // Other puzzles can do without it.
            match read(&path, &Stop::new()) {
                _ if puzzle::is_written_in_rust(&name) => warn(format!(
                    "warning: {}: is not added, since there is a puzzle {name} already; use another name",
                    path.display()
                )),
                Ok(document) => found.push(OfFile { folder, name, text: document.text }),
                Err(failure) => warn(format!("warning: no puzzle: {failure}")),
            }
        }
    }
    Ok(found)
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
        // It may have no end.
        None if fs::metadata(&place.file).is_ok_and(|file| file.is_file() && file.len() <= MOST_BYTES) => {
            fs::read(&place.file).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned().into())
        }
        None => None,
    }
}
