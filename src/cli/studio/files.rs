//! The files of the studio: only those that the command line names.

use std::collections::VecDeque;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use base::diagnostic::{Code, Diagnostic, Failure};
use base::stop::CancelToken;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use super::worker::UNNAMED;
use crate::cli::{input, output};
use studio::serve;

/// Returns true if the page gives this name to a new program, which is not on disk: `new.lp`,
/// `new2.lp` and so on.
pub fn is_new_program(name: &str) -> bool {
    let number = name.strip_prefix("new").and_then(|rest| rest.strip_suffix(".lp"));
    number.is_some_and(|number| number.bytes().all(|digit| digit.is_ascii_digit()))
}

/// A text that the page shows.
pub struct StudioFile {
    pub name: String,
    /// Path to save to; `None` if it cannot be saved.
    pub path: Option<PathBuf>,
    /// The text that the page received last, or saved.
    text: Mutex<String>,
}

/// The encoding of a text on disk, which is hidden from the page.
#[derive(Default)]
struct DiskFormat {
    has_byte_order_mark: bool,
    /// For each newline: true if it is `\r\n`.
    ends_with_cr: Vec<bool>,
}

pub enum SaveError {
    /// The file has changed; its current text.
    Changed(String),
    Failed(Failure),
}

impl StudioFile {
    /// Reads the files at `paths`; a file that does not exist yet is empty.
    pub fn all(paths: &[PathBuf]) -> Result<Vec<StudioFile>, Failure> {
        let mut all: Vec<StudioFile> = Vec::new();
        for path in paths {
            let named = StudioFile::of(path)?;
            if !all.iter().any(|file| file.name == named.name) {
                all.push(named);
            }
        }
        if all.is_empty() {
            all.push(StudioFile { name: UNNAMED.to_owned(), path: None, text: Mutex::new(studio::EXAMPLE.to_owned()) });
        }
        Ok(all)
    }

    fn of(path: &Path) -> Result<StudioFile, Failure> {
        let name = path.display().to_string();
        let wrong = |what: String| Failure::from(Diagnostic::error(Code::UnreadableFile, format!("{name}: {what}")));
        if path == Path::new("-") {
            return Err(wrong("standard input cannot be saved; give a file".to_owned()));
        }
        let is_there = path.exists();
        if !is_there && input::is_inline_board(path) {
            return Ok(StudioFile { text: Mutex::new(name.clone()), name, path: None });
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        if !is_there && folder.is_dir() {
            return Ok(StudioFile { name, path: Some(path.to_owned()), text: Mutex::default() });
        }
        // `input::read` reports errors as elsewhere, but the text must be the one on disk, to the
        // last character.
        input::read(path, &CancelToken::new())?;
        if !path.is_file() {
            return Err(wrong("is not a regular file and cannot be saved".to_owned()));
        }
        let (text, _) = read(path).map_err(|error| wrong(format!("cannot be read: {error}")))?;
        Ok(StudioFile { name, path: Some(path.to_owned()), text: Mutex::new(text) })
    }

    pub fn text(&self) -> String {
        self.text.lock().clone()
    }

    /// Returns the text on disk, if it differs from the text of the page.
    pub fn reload_if_changed(&self) -> Option<String> {
        let (text, _) = read(self.path.as_deref()?).ok()?;
        let mut page_text = self.text.lock();
        if *page_text == text {
            return None;
        }
        page_text.clone_from(&text);
        Some(text)
    }

    /// Writes the text atomically, unless the file on disk differs from `base`, the text that the
    /// page started from.
    pub fn save(&self, text: &str, base: &str) -> Result<(), SaveError> {
        let Some(path) = &self.path else {
            let error = Diagnostic::error(
                Code::UnwritableFile,
                format!("{} is not a file and cannot be saved; start the studio with a file name", self.name),
            );
            return Err(SaveError::Failed(error.into()));
        };
        if text.contains('\0') {
            let error = Diagnostic::error(
                Code::UnwritableFile,
                format!("{}: contains a NUL character and could not be read again", self.name),
            );
            return Err(SaveError::Failed(error.into()));
        }
        let mut page_text = self.text.lock();
        let (disk_text, format) = match read(path) {
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Default::default(),
            Err(error) => {
                let error = Diagnostic::error(Code::UnwritableFile, format!("{} cannot be saved: {error}", self.name));
                return Err(SaveError::Failed(error.into()));
            }
        };
        if disk_text != base && disk_text != text {
            page_text.clone_from(&disk_text);
            return Err(SaveError::Changed(disk_text));
        }
        let mark = if format.has_byte_order_mark { "\u{feff}" } else { "" };
        let whole = mark.to_owned() + &restore_line_ends(text, &disk_text, &format.ends_with_cr);
        output::save(path, &whole).map_err(SaveError::Failed)?;
        page_text.clear();
        page_text.push_str(text);
        Ok(())
    }
}

/// Reads a text with `\n` newlines, as a browser represents it, and its encoding on disk.
fn read(path: &Path) -> io::Result<(String, DiskFormat)> {
    let not_utf8 = |_| io::Error::new(io::ErrorKind::InvalidData, "it is not valid UTF-8, so saving would change it");
    let metadata = fs::metadata(path)?;
    // Reading a device may never end, and reading a pipe may block.
    if !metadata.is_file() || metadata.len() > serve::MAX_BODY as u64 {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "it is not a regular file, or larger than 4 MB"));
    }
    let text = String::from_utf8(fs::read(path)?).map_err(not_utf8)?;
    let (text, has_byte_order_mark) = text.strip_prefix('\u{feff}').map_or((&*text, false), |rest| (rest, true));
    let ends_with_cr =
        text.split_inclusive('\n').filter(|line| line.ends_with('\n')).map(|line| line.ends_with("\r\n"));
    let ends_with_cr = ends_with_cr.collect();
    Ok((text.replace("\r\n", "\n"), DiskFormat { has_byte_order_mark, ends_with_cr }))
}

/// Restores the line ends of the file: unchanged and replaced lines keep theirs, and an added line
/// gets that of the line before it.
fn restore_line_ends(text: &str, old_text: &str, ends_with_cr: &[bool]) -> String {
    let lines: Vec<&str> = text.split('\n').collect();
    let old_lines: Vec<&str> = old_text.split('\n').collect();
    let common_start = lines.iter().zip(&old_lines).take_while(|(line, old_line)| line == old_line).count();
    let others = lines[common_start..].iter().rev();
    let other_known = old_lines[common_start..].iter().rev();
    let common_end = others.zip(other_known).take_while(|(line, old_line)| line == old_line).count();
    let mut moved: FxHashMap<&str, VecDeque<usize>> = FxHashMap::default();
    for (number, line) in old_lines.iter().enumerate().take(old_lines.len() - common_end).skip(common_start) {
        moved.entry(line).or_default().push_back(number);
    }
    let mut out = String::with_capacity(text.len());
    let mut has_cr = ends_with_cr.first() == Some(&true);
    for (number, line) in lines.iter().enumerate() {
        let old_number = match number {
            _ if number < common_start => Some(number),
            _ if number >= lines.len() - common_end => Some(number + old_lines.len() - lines.len()),
            _ => moved
                .get_mut(line)
                .and_then(VecDeque::pop_front)
                .or_else(|| (lines.len() == old_lines.len()).then_some(number)),
        };
        has_cr = old_number.and_then(|old_number| ends_with_cr.get(old_number)).copied().unwrap_or(has_cr);
        out.push_str(line);
        if number + 1 < lines.len() {
            out.push_str(if has_cr { "\r\n" } else { "\n" });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::restore_line_ends;

    #[test]
    fn saving_keeps_line_ends() {
        let old_text = "a\nb\n\nc\n\nd\n";
        let crs = [false, true, false, false, true, false];
        for (text, wanted) in [
            ("a\nb\n\nc\n\nd\n", "a\nb\r\n\nc\n\r\nd\n"),
            ("a\nx\n\nc\n\nd\n", "a\nx\r\n\nc\n\r\nd\n"),
            ("x\na\nb\n\nc\n\nd", "x\na\nb\r\n\nc\n\r\nd"),
            ("a\nb\nx\n\nd\n", "a\nb\r\nx\r\n\r\nd\n"),
            ("a\nb\n\nc\n\nd\ne\n", "a\nb\r\n\nc\n\r\nd\ne\n"),
            ("x\nb\n\nc\n\ny\nz", "x\nb\r\n\nc\n\r\ny\nz"),
            ("", ""),
        ] {
            assert_eq!(restore_line_ends(text, old_text, &crs), wanted, "{text:?}");
        }
        assert_eq!(restore_line_ends("a\nb\n", "", &[]), "a\nb\n");
        assert_eq!(restore_line_ends("a\nb\nc\n", "a\nb", &[true]), "a\r\nb\r\nc\r\n");
    }
}
