//! The files that were read: their names, which no output may overwrite, and their texts, which
//! messages quote.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use asp::syntax;
use base::diagnostic::Place;
use base::document::Document;
use parking_lot::Mutex;

/// Larger inputs are rejected.
pub const MAX_BYTES: u64 = 1 << 30;

/// Every file opened for reading (`-` for standard input), and the files that these include.
static FILES_READ: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Returns the files that no output may overwrite.
pub fn files_read() -> Vec<PathBuf> {
    FILES_READ.lock().iter().cloned().collect()
}

/// Records a file that is read and the files that its text includes, which clingo reads.
pub fn record_read(path: &Path, text: &str) {
    FILES_READ.lock().insert(path.to_owned());
    let mut texts = vec![(path.to_owned(), Cow::Borrowed(text))];
    while let Some((path, text)) = texts.pop() {
        for path in syntax::possible_includes(&text).filter_map(|file| resolve_include(Some(&path), &file)) {
            let is_new = FILES_READ.lock().insert(path.clone());
            let is_read = is_new && fs::metadata(&path).is_ok_and(|file| file.len() <= MAX_BYTES);
            // clingo reports files that cannot be read.
            if let Some(Ok(bytes)) = is_read.then(|| fs::read(&path)) {
                texts.push((path, String::from_utf8_lossy(&bytes).into_owned().into()));
            }
        }
    }
}

/// Records files that are read later, or by a thread that may be abandoned before it reads them.
pub fn record_named<'a>(paths: impl IntoIterator<Item = &'a PathBuf>) {
    FILES_READ.lock().extend(paths.into_iter().cloned());
}

/// Joins a folder and the name of a file in it by `/`, as programs and clingo do, also on Windows:
/// its own separator would give a file two names, and reports of other machines others.
pub fn join(folder: &Path, name: impl AsRef<Path>) -> PathBuf {
    let (start, name) = (folder.as_os_str(), name.as_ref());
    let is_separated = start.as_encoded_bytes().last().is_none_or(|byte| matches!(byte, b'/' | b'\\' | b':'));
    if cfg!(unix) || is_separated || name.has_root() || name.is_absolute() {
        return folder.join(name);
    }
    let mut path = start.to_owned();
    path.push("/");
    path.push(name);
    path.into()
}

/// Resolves an included file as clingo does: in the current folder, then in the folder of the
/// including file.
pub fn resolve_include(path: Option<&Path>, file: &str) -> Option<PathBuf> {
    let folder = path.and_then(Path::parent);
    let paths = [Some(PathBuf::from(file)), folder.map(|folder| join(folder, file))];
    paths.into_iter().flatten().find(|path| path.is_file())
}

/// Returns the source text that a message refers to: the text of a document, or of a file that
/// clingo included.
pub fn source_text<'a>(place: &Place, documents: &'a [Document]) -> Option<Cow<'a, str>> {
    match documents.iter().find(|document| document.name == place.file) {
        Some(document) => Some((&*document.text).into()),
        // The file may be an endless device.
        None if fs::metadata(&place.file).is_ok_and(|file| file.is_file() && file.len() <= MAX_BYTES) => {
            fs::read(&place.file).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned().into())
        }
        None => None,
    }
}
