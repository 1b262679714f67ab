//! Tables that are kept from one run to the next, in the user's cache directory.
//!
//! A file is a header (what it is, its version, the length of what follows, and the check sum of its name and that) and the
//! table. It appears whole or not at all, so that two processes do each other no harm. What is damaged, or another table
//! under a wrong name, is said and built again; where nothing can be written, nothing is kept.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::PathBuf;

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

    /// Reads a table into `bytes` if it was kept, and says whether it was. The error is a warning: the file is damaged.
    pub fn load(&self, name: &str, bytes: &mut [u8]) -> Result<bool, Diagnostic> {
        let Some(path) = self.0.as_ref().map(|folder| folder.join(name)) else { return Ok(false) };
        let Ok(file) = File::open(&path) else { return Ok(false) };
        read(file, name, bytes)
            .map(|()| true)
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

fn read(mut file: File, name: &str, bytes: &mut [u8]) -> Result<(), String> {
    let mut found = [0; HEADER_BYTES];
    let length = file.metadata().map_err(|error| error.to_string())?.len();
    if length != (HEADER_BYTES + bytes.len()) as u64 {
        return Err(format!("has {length} bytes; {} were wanted", HEADER_BYTES + bytes.len()));
    }
    file.read_exact(&mut found)
        .and_then(|()| file.read_exact(bytes))
        .map_err(|error| format!("cannot be read: {error}"))?;
    if found != header(name, bytes) {
        return Err("is damaged, another table, or of another version".to_owned());
    }
    Ok(())
}

fn write(folder: &std::path::Path, name: &str, bytes: &[u8]) -> io::Result<()> {
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
        let mut bytes = [0; 3];
        assert_eq!((cache.load("first", &mut bytes), bytes), (Ok(true), [1, 2, 3]));
        fs::copy(folder.path().join("first"), folder.path().join("second")).expect("a copy");
        let warning = cache.load("second", &mut bytes).expect_err("it is the first table");
        assert!(warning.text.contains("the table is built again"), "{warning}");
    }
}
