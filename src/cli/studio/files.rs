//! The files of the studio: those that were named, and no other.

use std::collections::VecDeque;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rustc_hash::FxHashMap;

use super::serve;
use crate::cli::{input, output};
use crate::diagnostic::{Diagnostic, Failure};
use crate::stop::Stop;
use crate::studio;

/// Where nothing was named there is an example, which lies nowhere.
pub const UNNAMED: &str = "program.lp";

/// A text that the page has.
pub struct Named {
    pub name: String,
    /// Where it is saved, if it is.
    pub path: Option<PathBuf>,
    /// What the page was told last, or has saved.
    text: Mutex<String>,
}

/// How a text lies on disk; the page knows nothing of it.
#[derive(Default)]
struct Form {
    has_mark: bool,
    /// For each line that ends, whether it does with `\r\n`.
    ends_with_cr: Vec<bool>,
}

/// Why a text was not saved.
pub enum Refused {
    /// The file has changed: what is in it now.
    Changed(String),
    Failed(Failure),
}

impl Named {
    /// Texts of these files; one that is not there yet is empty.
    pub fn all(paths: &[PathBuf]) -> Result<Vec<Named>, Failure> {
        let mut all: Vec<Named> = Vec::new();
        for path in paths {
            let named = Named::of(path)?;
            if !all.iter().any(|known| known.name == named.name) {
                all.push(named);
            }
        }
        if all.is_empty() {
            all.push(Named { name: UNNAMED.to_owned(), path: None, text: Mutex::new(studio::EXAMPLE.to_owned()) });
        }
        Ok(all)
    }

    fn of(path: &Path) -> Result<Named, Failure> {
        let name = path.display().to_string();
        let wrong = |what: String| Failure::from(Diagnostic::error(format!("{name}: {what}")));
        if path == Path::new("-") {
            return Err(wrong("standard input cannot be saved; give a file".to_owned()));
        }
        let is_there = path.exists();
        if !is_there && input::is_written_out(path) {
            return Ok(Named { text: Mutex::new(name.clone()), name, path: None });
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        if !is_there && folder.is_dir() {
            return Ok(Named { name, path: Some(path.to_owned()), text: Mutex::default() });
        }
        // What is wrong with it is told as elsewhere; but the text is the one on disk, to the last sign.
        input::read(path, &Stop::new())?;
        if !path.is_file() {
            return Err(wrong("is not a regular file and cannot be saved".to_owned()));
        }
        let (text, _) = read(path).map_err(|error| wrong(format!("cannot be read: {error}")))?;
        Ok(Named { name, path: Some(path.to_owned()), text: Mutex::new(text) })
    }

    pub fn text(&self) -> String {
        self.text.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What is on disk now, if that is not what the page knows.
    pub fn changed(&self) -> Option<String> {
        let (text, _) = read(self.path.as_deref()?).ok()?;
        let mut known = self.text.lock().unwrap_or_else(PoisonError::into_inner);
        if *known == text {
            return None;
        }
        known.clone_from(&text);
        Some(text)
    }

    /// Writes the text, whole or not at all, where the file is still what the page has begun with.
    pub fn save(&self, text: &str, base: &str) -> Result<(), Refused> {
        let Some(path) = &self.path else {
            let error = Diagnostic::error(format!(
                "{} is not a file and cannot be saved; start the studio with a file name",
                self.name
            ));
            return Err(Refused::Failed(error.into()));
        };
        if text.contains('\0') {
            let error =
                Diagnostic::error(format!("{}: contains a NUL character and could not be read again", self.name));
            return Err(Refused::Failed(error.into()));
        }
        let mut known = self.text.lock().unwrap_or_else(PoisonError::into_inner);
        let (there, form) = match read(path) {
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Default::default(),
            Err(error) => {
                let error = Diagnostic::error(format!("{} cannot be saved: {error}", self.name));
                return Err(Refused::Failed(error.into()));
            }
        };
        if there != base && there != text {
            known.clone_from(&there);
            return Err(Refused::Changed(there));
        }
        let mark = if form.has_mark { "\u{feff}" } else { "" };
        let whole = mark.to_owned() + &ended(text, &there, &form.ends_with_cr);
        output::save(path, &whole).map_err(Refused::Failed)?;
        known.clear();
        known.push_str(text);
        Ok(())
    }
}

/// The text as a browser has it, with `\n` at the ends of lines, and how it lies on disk.
fn read(path: &Path) -> io::Result<(String, Form)> {
    let not_utf8 = |_| io::Error::new(io::ErrorKind::InvalidData, "it is not valid UTF-8, so saving would change it");
    let there = fs::metadata(path)?;
    // A device may have no end, and a pipe is waited for.
    if !there.is_file() || there.len() > serve::MOST_BODY as u64 {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "it is not a regular file, or larger than 4 MB"));
    }
    let text = String::from_utf8(fs::read(path)?).map_err(not_utf8)?;
    let (text, has_mark) = text.strip_prefix('\u{feff}').map_or((&*text, false), |rest| (rest, true));
    let ends_with_cr =
        text.split_inclusive('\n').filter(|line| line.ends_with('\n')).map(|line| line.ends_with("\r\n"));
    let ends_with_cr = ends_with_cr.collect();
    Ok((text.replace("\r\n", "\n"), Form { has_mark, ends_with_cr }))
}

/// The text with its lines ended as in the file: those that stand there, and those in the place of one. A line that was added
/// ends as the line before it.
fn ended(text: &str, there: &str, ends_with_cr: &[bool]) -> String {
    let (lines, known): (Vec<&str>, Vec<&str>) = (text.split('\n').collect(), there.split('\n').collect());
    let before = lines.iter().zip(&known).take_while(|(line, known)| line == known).count();
    let (others, other_known) = (lines[before..].iter().rev(), known[before..].iter().rev());
    let behind = others.zip(other_known).take_while(|(line, known)| line == known).count();
    let mut moved: FxHashMap<&str, VecDeque<usize>> = FxHashMap::default();
    for (number, line) in known.iter().enumerate().take(known.len() - behind).skip(before) {
        moved.entry(line).or_default().push_back(number);
    }
    let (mut out, mut has_cr) = (String::with_capacity(text.len()), ends_with_cr.first() == Some(&true));
    for (number, line) in lines.iter().enumerate() {
        let was = match number {
            _ if number < before => Some(number),
            _ if number >= lines.len() - behind => Some(number + known.len() - lines.len()),
            _ => moved
                .get_mut(line)
                .and_then(VecDeque::pop_front)
                .or_else(|| (lines.len() == known.len()).then_some(number)),
        };
        has_cr = was.and_then(|was| ends_with_cr.get(was)).copied().unwrap_or(has_cr);
        out.push_str(line);
        if number + 1 < lines.len() {
            out.push_str(if has_cr { "\r\n" } else { "\n" });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::ended;

    #[test]
    fn lines_keep_their_ends() {
        let there = "a\nb\n\nc\n\nd\n";
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
            assert_eq!(ended(text, there, &crs), wanted, "{text:?}");
        }
        assert_eq!(ended("a\nb\n", "", &[]), "a\nb\n");
        assert_eq!(ended("a\nb\nc\n", "a\nb", &[true]), "a\r\nb\r\nc\r\n");
    }
}
