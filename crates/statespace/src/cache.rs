//! Tables that are stored between runs in the user's cache directory.
//!
//! A file consists of a header (magic number, version, length of the table, checksum of its name
//! and content) and the table. Files are replaced atomically and never modified, so concurrent
//! processes do not disturb each other. A damaged table, or one stored under the wrong name, is
//! reported and rebuilt. If the directory is not writable, nothing is stored.
//!
//! A table can be mapped instead of read, so that concurrent processes share its pages and start
//! without delay. To avoid reading the whole table for its checksum in every process, a small file
//! beside it records what was verified: the table's inode, length and times. Any change through the
//! file system alters one of them (no program can set the inode's change time), and the table is
//! verified again. A record is written only for a table that has been unchanged for a while,
//! because another change within the same clock tick would not alter them. An attacker who can
//! forge the record could also forge the table.

use std::fs::{self, File, Metadata};
use std::io::{self, Read, Seek, SeekFrom, Write};
#[cfg(unix)]
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use base::diagnostic::{Code, Diagnostic};
use tempfile::NamedTempFile;

/// Incremented when the format of any table changes.
const VERSION: u32 = 2;
const MAGIC: [u8; 16] = *b"asp-solve table\n";
const HEADER_BYTES: usize = 32;

/// The cache directory; `None` disables the cache.
#[derive(Debug, Clone, Default)]
pub struct Cache(Option<PathBuf>);

impl Cache {
    pub fn in_folder(folder: Option<PathBuf>) -> Self {
        Cache(folder)
    }

    /// Opens the table `name` of `length` bytes, if it is cached. The error is a warning about a
    /// damaged file.
    pub fn load(&self, name: &str, length: usize) -> Result<Option<CachedTable>, Diagnostic> {
        let Some(path) = self.0.as_ref().map(|folder| folder.join(name)) else { return Ok(None) };
        let Ok(file) = File::open(&path) else { return Ok(None) };
        verify(CachedTable { file, length }, &path, name).map(Some).map_err(|what| {
            Diagnostic::warning(Code::RebuiltCache, format!("{}: {what}; the table is built again", path.display()))
        })
    }

    /// Returns true if a table of this name is cached.
    pub fn has(&self, name: &str) -> bool {
        self.0.as_ref().is_some_and(|folder| folder.join(name).exists())
    }

    /// Stores a table. Errors, such as a full disk or missing permissions, are ignored.
    pub fn save(&self, name: &str, bytes: &[u8]) {
        if let Some(folder) = &self.0 {
            let _ = write(folder, name, bytes);
        }
    }
}

/// An open cached table whose checksum was verified.
#[derive(Debug)]
pub struct CachedTable {
    file: File,
    length: usize,
}

impl CachedTable {
    /// Returns the file with the place and the length of the table in it, in bytes. The file is
    /// replaced, never modified, so that it can be mapped.
    pub fn place(&self) -> (&File, u64, usize) {
        (&self.file, HEADER_BYTES as u64, self.length)
    }

    /// Copies the table into `bytes`.
    pub fn read(mut self, bytes: &mut [u8]) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(HEADER_BYTES as u64))?;
        self.file.read_exact(bytes)
    }
}

fn header(length: usize, checksum: u32) -> [u8; HEADER_BYTES] {
    let mut header = [0; HEADER_BYTES];
    header[..16].copy_from_slice(&MAGIC);
    header[16..20].copy_from_slice(&VERSION.to_le_bytes());
    header[20..28].copy_from_slice(&(length as u64).to_le_bytes());
    header[28..].copy_from_slice(&checksum.to_le_bytes());
    header
}

/// Returns the checksum of a name and of all that can be read.
fn checksum(name: &str, table: &mut impl Read) -> io::Result<u32> {
    let mut sum = crc32fast::Hasher::new();
    sum.update(name.as_bytes());
    let mut buffer = vec![0; 1 << 18];
    loop {
        match table.read(&mut buffer)? {
            0 => return Ok(sum.finalize()),
            length => sum.update(&buffer[..length]),
        }
    }
}

fn verify(mut table: CachedTable, path: &Path, name: &str) -> Result<CachedTable, String> {
    let metadata = table.file.metadata().map_err(|error| error.to_string())?;
    if metadata.len() != (HEADER_BYTES + table.length) as u64 {
        return Err(format!("has {} bytes, not {}", metadata.len(), HEADER_BYTES + table.length));
    }
    let mut stored_header = [0; HEADER_BYTES];
    table.file.read_exact(&mut stored_header).map_err(|error| format!("cannot be read: {error}"))?;
    let identity = identity(&metadata, &stored_header);
    let record_path = path.with_file_name(format!("{name}.checked"));
    if identity.is_none() || fs::read(&record_path).ok() != identity {
        let checksum = checksum(name, &mut table.file).map_err(|error| format!("cannot be read: {error}"))?;
        if stored_header != header(table.length, checksum) {
            return Err("is damaged, another table, or of another version".to_owned());
        }
        // If the record cannot be written, the next process verifies the table again.
        let _ = identity.map(|identity| record(&identity, &metadata, &record_path));
    }
    Ok(table)
}

/// Age of a file in seconds at which any later change has a different time stamp.
#[cfg(unix)]
const MIN_AGE: i64 = 2;

/// The content of the record: the header of the table, and metadata that every change alters.
#[cfg(unix)]
fn identity(table: &Metadata, header: &[u8]) -> Option<Vec<u8>> {
    let place = (table.dev(), table.ino(), table.len());
    let times = (table.mtime(), table.mtime_nsec(), table.ctime(), table.ctime_nsec());
    Some([header, format!("{place:?} {times:?}\n").as_bytes()].concat())
}

/// Records that a table was verified, if it is older than [`MIN_AGE`] by the clock of its file
/// system.
#[cfg(unix)]
fn record(identity: &[u8], table: &Metadata, path: &Path) -> io::Result<()> {
    let mut file = NamedTempFile::new_in(path.parent().unwrap_or(Path::new("")))?;
    file.write_all(identity)?;
    if file.as_file().metadata()?.mtime() - table.ctime() > MIN_AGE {
        file.persist(path).map_err(|error| error.error)?;
    }
    Ok(())
}

/// Without this metadata each process verifies the table itself.
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
    file.write_all(&header(bytes.len(), checksum(name, &mut &*bytes)?))?;
    file.write_all(bytes)?;
    file.persist(folder.join(name)).map_err(|error| error.error)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(table: CachedTable) -> [u8; 3] {
        let mut bytes = [0; 3];
        table.read(&mut bytes).expect("it can be read");
        bytes
    }

    #[test]
    fn a_table_under_a_wrong_name_is_rejected() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let cache = Cache::in_folder(Some(folder.path().to_owned()));
        cache.save("first", &[1, 2, 3]);
        let loaded = cache.load("first", 3).expect("it is whole").expect("it was kept");
        assert_eq!(content(loaded), [1, 2, 3]);
        fs::copy(folder.path().join("first"), folder.path().join("second")).expect("a copy");
        let warning = cache.load("second", 3).expect_err("it is the first table");
        assert!(warning.message.contains("the table is built again"), "{warning}");
    }

    #[cfg(unix)]
    #[test]
    fn a_verified_table_is_verified_again_only_after_a_change() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (path, record) = (folder.path().join("table"), folder.path().join("table.checked"));
        let cache = Cache::in_folder(Some(folder.path().to_owned()));
        cache.save("table", &[1, 2, 3]);
        assert!(cache.load("table", 3).is_ok_and(|table| table.is_some()));
        assert!(!record.exists(), "it is too young");
        // Simulates a check some time later.
        let record_of = |path: &Path| {
            let bytes = fs::read(path).expect("the table is there");
            let metadata = fs::metadata(path).expect("the table is there");
            identity(&metadata, &bytes[..HEADER_BYTES]).expect("a system that tells")
        };
        fs::write(&record, record_of(&path)).expect("a record");
        assert!(cache.load("table", 3).is_ok_and(|table| table.is_some()));
        // The same length and modification time; the inode's change time cannot be set.
        let modified = fs::metadata(&path).and_then(|metadata| metadata.modified()).expect("a time");
        let mut damaged = fs::read(&path).expect("the table is there");
        damaged[HEADER_BYTES + 1] ^= 1;
        std::thread::sleep(std::time::Duration::from_millis(50));
        fs::write(&path, &damaged).expect("the table can be written");
        File::options().write(true).open(&path).and_then(|file| file.set_modified(modified)).expect("the time is set");
        assert!(cache.load("table", 3).is_err());
        // The record is trusted: a table with a valid record is not verified again.
        fs::write(&record, record_of(&path)).expect("a record");
        let loaded = cache.load("table", 3).expect("it is known").expect("it is there");
        assert_eq!(content(loaded), [1, 3, 3]);
    }
}
