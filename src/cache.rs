//! Tables that are kept from one run to the next, in the user's cache directory.
//!
//! A file is a header (what it is, its version, the length of what follows, and the check sum of its name and that) and the
//! table. It appears whole or not at all and is never written to afterwards, so that two processes do each other no harm.
//! What is damaged, or another table under a wrong name, is said and built again; where nothing can be written, nothing is
//! kept.
//!
//! A table can be mapped instead of read: processes that use it at the same time share its pages, and each begins at once. So
//! that not every one of them reads all of it for the check sum, a small file beside the table records what was checked: the table's
//! inode, length and times. Whatever is done to the table through the file system changes one of them (the time of the last
//! change of the inode is nobody's to set), and it is checked again. A record is only made of a table that has been as it is
//! for a while, since a change within one tick of the clock would leave no trace. Whoever can forge the record could as well
//! forge the table.

use std::fs::{self, File, Metadata};
use std::io::{self, Read, Seek, SeekFrom, Write};
#[cfg(unix)]
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use memmap2::{MmapMut, MmapOptions};
use tempfile::NamedTempFile;

use crate::diagnostic::Diagnostic;

/// Changes with the meaning of any table.
const VERSION: u32 = 2;
const MAGIC: [u8; 16] = *b"asp-solve table\n";
const HEADER_BYTES: usize = 32;

/// A folder, or nowhere.
#[derive(Debug, Clone, Default)]
pub struct Cache(Option<PathBuf>);

impl Cache {
    pub fn in_folder(folder: Option<PathBuf>) -> Self {
        Cache(folder)
    }

    /// A table of `length` bytes, if it was kept. The error is a warning: the file is damaged.
    pub fn load(&self, name: &str, length: usize) -> Result<Option<Kept>, Diagnostic> {
        let Some(path) = self.0.as_ref().map(|folder| folder.join(name)) else { return Ok(None) };
        let Ok(file) = File::open(&path) else { return Ok(None) };
        checked(Kept { file, length }, &path, name)
            .map(Some)
            .map_err(|what| Diagnostic::warning(format!("{}: {what}; the table is built again", path.display())))
    }

    /// Whether a table was kept under a name.
    pub fn has(&self, name: &str) -> bool {
        self.0.as_ref().is_some_and(|folder| folder.join(name).exists())
    }

    /// Keeps a table. That there is no room, or no permission, is no failure.
    pub fn save(&self, name: &str, bytes: &[u8]) {
        if let Some(folder) = &self.0 {
            let _ = write(folder, name, bytes);
        }
    }
}

/// A table that was kept, and checked.
#[derive(Debug)]
pub struct Kept {
    file: File,
    length: usize,
}

impl Kept {
    /// In pages that processes share; what is written to them stays in this one.
    #[allow(unsafe_code)]
    pub fn map(&self) -> io::Result<MmapMut> {
        // SAFETY: the mapping is private, and a table's file is replaced, never written to: its bytes do not change. Whoever
        // cuts it off by other means ends the processes that use it (SIGBUS); nothing else can come of it than a wrong number.
        unsafe { MmapOptions::new().offset(HEADER_BYTES as u64).len(self.length).map_copy(&self.file) }
    }

    /// Into memory of one's own.
    pub fn read(mut self, bytes: &mut [u8]) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(HEADER_BYTES as u64))?;
        self.file.read_exact(bytes)
    }
}

fn header(name: &str, bytes: &[u8]) -> [u8; HEADER_BYTES] {
    let mut header = [0; HEADER_BYTES];
    header[..16].copy_from_slice(&MAGIC);
    header[16..20].copy_from_slice(&VERSION.to_le_bytes());
    header[20..28].copy_from_slice(&(bytes.len() as u64).to_le_bytes());
    let mut sum = crc32fast::Hasher::new();
    sum.update(name.as_bytes());
    sum.update(bytes);
    header[28..].copy_from_slice(&sum.finalize().to_le_bytes());
    header
}

fn checked(mut kept: Kept, path: &Path, name: &str) -> Result<Kept, String> {
    let metadata = kept.file.metadata().map_err(|error| error.to_string())?;
    if metadata.len() != (HEADER_BYTES + kept.length) as u64 {
        return Err(format!("has {} bytes, not {}", metadata.len(), HEADER_BYTES + kept.length));
    }
    let mut found = [0; HEADER_BYTES];
    kept.file.read_exact(&mut found).map_err(|error| format!("cannot be read: {error}"))?;
    let (identity, recorded) = (identity(&metadata, &found), path.with_file_name(format!("{name}.checked")));
    if identity.is_none() || fs::read(&recorded).ok() != identity {
        let bytes = kept.map().map_err(|error| format!("cannot be mapped: {error}"))?;
        if found != header(name, &bytes) {
            return Err("is damaged, another table, or of another version".to_owned());
        }
        // Where it cannot be recorded, the next process checks again.
        let _ = identity.map(|identity| record(&identity, &metadata, &recorded));
    }
    Ok(kept)
}

/// A change this many seconds ago is not taken for one of this moment.
const SETTLED: i64 = 2;

/// What a table is known by again: its header, and what no change leaves as it is.
#[cfg(unix)]
fn identity(table: &Metadata, header: &[u8]) -> Option<Vec<u8>> {
    let place = (table.dev(), table.ino(), table.len());
    let times = (table.mtime(), table.mtime_nsec(), table.ctime(), table.ctime_nsec());
    Some([header, format!("{place:?} {times:?}\n").as_bytes()].concat())
}

/// Records that a table was found whole, if it has been as it is for a while by the clock of its file system.
#[cfg(unix)]
fn record(identity: &[u8], table: &Metadata, path: &Path) -> io::Result<()> {
    let mut file = NamedTempFile::new_in(path.parent().unwrap_or(Path::new("")))?;
    file.write_all(identity)?;
    if file.as_file().metadata()?.mtime() - table.ctime() > SETTLED {
        file.persist(path).map_err(|error| error.error)?;
    }
    Ok(())
}

/// Where a system does not tell as much of a file, each process checks for itself.
#[cfg(not(unix))]
fn identity(_: &Metadata, _: &[u8]) -> Option<Vec<u8>> {
    None
}

#[cfg(not(unix))]
fn record(_: &[u8], _: &Metadata, _: &Path) -> io::Result<()> {
    Ok(())
}

fn write(folder: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let mut file = NamedTempFile::new_in(folder)?;
    file.write_all(&header(name, bytes))?;
    file.write_all(bytes)?;
    file.persist(folder.join(name)).map_err(|error| error.error)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_under_the_name_of_another_is_not_taken() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let cache = Cache::in_folder(Some(folder.path().to_owned()));
        cache.save("first", &[1, 2, 3]);
        let loaded = cache.load("first", 3).expect("it is whole").expect("it was kept");
        assert_eq!(loaded.map().expect("it can be mapped")[..], [1, 2, 3]);
        let mut own = [0; 3];
        loaded.read(&mut own).expect("it can be read");
        assert_eq!(own, [1, 2, 3]);
        fs::copy(folder.path().join("first"), folder.path().join("second")).expect("a copy");
        let warning = cache.load("second", 3).expect_err("it is the first table");
        assert!(warning.text.contains("the table is built again"), "{warning}");
    }

    #[cfg(unix)]
    #[test]
    fn a_table_that_was_checked_is_checked_again_when_it_has_changed_and_only_then() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (path, record) = (folder.path().join("table"), folder.path().join("table.checked"));
        let cache = Cache::in_folder(Some(folder.path().to_owned()));
        cache.save("table", &[1, 2, 3]);
        assert!(cache.load("table", 3).is_ok_and(|table| table.is_some()));
        assert!(!record.exists(), "it is too young");
        // As if it had been checked some time later.
        let known = |path: &Path| {
            let bytes = fs::read(path).expect("the table is there");
            let metadata = fs::metadata(path).expect("the table is there");
            identity(&metadata, &bytes[..HEADER_BYTES]).expect("a system that tells")
        };
        fs::write(&record, known(&path)).expect("a record");
        assert!(cache.load("table", 3).is_ok_and(|table| table.is_some()));
        // The same length and, as far as one can set it, the same time.
        let modified = fs::metadata(&path).and_then(|metadata| metadata.modified()).expect("a time");
        let mut damaged = fs::read(&path).expect("the table is there");
        damaged[HEADER_BYTES + 1] ^= 1;
        std::thread::sleep(std::time::Duration::from_millis(50));
        fs::write(&path, &damaged).expect("the table can be written");
        File::options().write(true).open(&path).and_then(|file| file.set_modified(modified)).expect("the time is set");
        assert!(cache.load("table", 3).is_err());
        // The record is believed: whoever says that this file was checked is not asked twice.
        fs::write(&record, known(&path)).expect("a record");
        let loaded = cache.load("table", 3).expect("it is known").expect("it is there");
        assert_eq!(loaded.map().expect("it can be mapped")[..], [1, 3, 3]);
    }
}
