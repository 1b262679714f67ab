//! Continues after the last complete object of an output.
//!
//! Each object of the output is matched to an input line, by its id or else by its line number, and
//! must have the checksum of that line. Lines that are skipped on the way have no object yet,
//! because they are new or were moved. These lines are stored, up to the number of lines that a run
//! has in flight, and solved first. Invalid lines are solved again, and their new objects take the
//! places of the old ones.

use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::Path;

use base::diagnostic::{Code, Diagnostic, Failure};
use puzzle::report::Output;
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::counts::{LineOutcome, MAX_BYTES, MAX_LINES, OutputCounts};
use super::lines::{BatchLine, LineReader};
use crate::cli::output::{self, PendingFile};

/// The fields of an object that identify its line and its outcome.
#[derive(Deserialize)]
struct OldObject {
    line: Option<u64>,
    #[serde(default, deserialize_with = "also_null")]
    id: Option<Box<RawValue>>,
    check_sum: Option<u32>,
    error: Option<IgnoredAny>,
    verdict: Option<String>,
    unique: Option<bool>,
}

/// Deserialises a value that is present; `null` is a value too.
fn also_null<'de, D: Deserializer<'de>>(json: D) -> Result<Option<Box<RawValue>>, D::Error> {
    Deserialize::deserialize(json).map(Some)
}

impl OldObject {
    fn is_about(&self, line: &BatchLine) -> bool {
        match (&self.id, &line.id) {
            (Some(id), Some(other)) => id.get() == other.get(),
            (None, None) => self.line == Some(line.number),
            _ => false,
        }
    }

    fn outcome(&self) -> LineOutcome {
        match (&self.error, self.verdict.as_deref(), self.unique) {
            (Some(_), _, _) => LineOutcome::Invalid,
            (_, Some("gave-up"), _) => LineOutcome::GaveUp,
            (_, Some("impossible"), _) => LineOutcome::Impossible,
            (_, _, Some(false)) => LineOutcome::Ambiguous,
            _ => LineOutcome::Solved,
        }
    }

    fn read(bytes: &[u8], path: &Path, number: u64) -> Result<Self, Failure> {
        let object = serde_json::from_slice(bytes).ok().filter(|object: &Self| !object.name().is_empty());
        object.ok_or_else(|| {
            let place = format!("{}:{number}", path.display());
            let text = format!("{place}: is not an object of a batch; --resume cannot continue from it");
            Diagnostic::error(Code::InvalidReport, text).into()
        })
    }

    fn name(&self) -> String {
        let number = self.line.map(|line| format!("line {line}")).unwrap_or_default();
        self.id.as_ref().map_or(number, |id| format!("the id {}", id.get()))
    }
}

/// An output that is continued.
pub struct ResumedOutput {
    /// The file, positioned at its end.
    pub file: File,
    /// What replaces invalid lines between others.
    pub rewrite: Option<Rewrite>,
    /// The input lines to solve before those that were not read: those whose objects are replaced,
    /// and others without an object that precede lines with one.
    pub lines: VecDeque<BatchLine>,
}

/// A part of an output that is rewritten; ranges are bytes of the old file.
enum Piece {
    Kept(Range<u64>),
    /// The object of an invalid line.
    Dropped(Range<u64>),
    /// The next new object.
    New,
}

/// A new version of an output, in which new objects stand where those of invalid lines stood. It
/// replaces the old one when it has as many objects.
pub struct Rewrite {
    old: File,
    pending: PendingFile,
    pieces: VecDeque<Piece>,
}

impl Rewrite {
    /// Copies the objects before the next new object.
    pub fn advance(&mut self, out: &mut Output) -> io::Result<()> {
        while let Some(Piece::Kept(_) | Piece::Dropped(_)) = self.pieces.front() {
            if let Some(Piece::Kept(range)) = self.pieces.pop_front() {
                self.copy(range, out)?;
            }
        }
        self.pieces.pop_front();
        Ok(())
    }

    /// Returns true if all new objects are written.
    pub fn is_done(&self) -> bool {
        !self.pieces.iter().any(|piece| matches!(piece, Piece::New))
    }

    /// Copies the rest, with the objects of invalid lines that were not solved again, and replaces
    /// the old file.
    pub fn finish(mut self, out: &mut Output) -> io::Result<()> {
        let is_done = self.is_done();
        while let Some(piece) = self.pieces.pop_front() {
            match piece {
                Piece::Kept(range) => self.copy(range, out)?,
                Piece::Dropped(range) if !is_done => self.copy(range, out)?,
                Piece::Dropped(_) | Piece::New => {}
            }
        }
        out.flush()?;
        // Windows replaces no open file. Elsewhere, the lock lasts until the file is replaced.
        #[cfg(windows)]
        drop(self.old);
        self.pending.persist()
    }

    fn copy(&mut self, Range { start, end }: Range<u64>, out: &mut Output) -> io::Result<()> {
        self.old.seek(SeekFrom::Start(start))?;
        io::copy(&mut (&self.old).take(end - start), out).map(drop)
    }
}

/// Opens an output to continue it, and counts its objects in `written`. Invalid lines are solved
/// again, since their encodings or the lines themselves may have been corrected.
pub fn resume(
    path: &Path,
    input: &str,
    lines: &mut LineReader,
    written: &mut OutputCounts,
) -> Result<ResumedOutput, Failure> {
    let wrong = |error: io::Error| output::cannot_write(path, &error);
    let mut file = output::open_alone(path, OpenOptions::new().read(true).write(true))?;
    let length = length_of_results(path, &file)?;
    file.rewind().map_err(wrong)?;
    let mut reader = BufReader::new(&file).take(length);
    let mut matcher = Matcher { lines, skipped: VecDeque::new(), skipped_bytes: 0 };
    let mut retried = VecDeque::new();
    let mut pieces = VecDeque::new();
    let mut kept = 0..0;
    let mut number = 0;
    let mut bytes = Vec::new();
    while reader.read_until(b'\n', &mut bytes).map_err(wrong)? > 0 {
        number += 1;
        let object = OldObject::read(&bytes, path, number)?;
        let end = kept.end + bytes.len() as u64;
        bytes.clear();
        if object.error.is_some() {
            pieces.extend([Piece::Kept(kept.clone()), Piece::Dropped(kept.end..end)]);
            if let Some(line) = matcher.invalid_line(&object) {
                retried.push_back(line);
                pieces.push_back(Piece::New);
            }
            kept = end..end;
            continue;
        }
        kept.end = end;
        let is_same = |line: &BatchLine| object.check_sum.is_none_or(|check_sum| check_sum == line.check_sum);
        if !matcher.line(&object).as_ref().is_some_and(is_same) {
            let place = format!("{}:{number}", path.display());
            let text =
                format!("{place}: does not match {} of {input}; --resume requires the same input", object.name());
            return Err(Diagnostic::error(Code::InvalidReport, text).into());
        }
        written.count(object.outcome());
    }
    retried.append(&mut matcher.skipped);
    if pieces.is_empty() {
        file.set_len(length).and_then(|()| file.seek(SeekFrom::End(0))).map_err(wrong)?;
        return Ok(ResumedOutput { file, rewrite: None, lines: retried });
    }
    pieces.push_back(Piece::Kept(kept));
    let (new, pending) = output::replacement(path)?;
    output::lock(path, &new)?;
    Ok(ResumedOutput { file: new, rewrite: Some(Rewrite { old: file, pending, pieces }), lines: retried })
}

/// Checks all objects, and returns the length of the output without invalid lines at its end.
fn length_of_results(path: &Path, file: &File) -> Result<u64, Failure> {
    let mut reader = BufReader::new(file);
    let (mut length, mut read, mut number) = (0, 0, 0);
    let mut bytes = Vec::new();
    // A last line without a newline is incomplete.
    while reader.read_until(b'\n', &mut bytes).map_err(|error| output::cannot_write(path, &error))? > 0
        && bytes.ends_with(b"\n")
    {
        number += 1;
        read += bytes.len() as u64;
        if OldObject::read(&bytes, path, number)?.error.is_none() {
            length = read;
        }
        bytes.clear();
    }
    let is_partial_object = ["{\"line\":", "{\"id\":"].iter().any(|begin| {
        let length = begin.len().min(bytes.len());
        bytes[..length] == begin.as_bytes()[..length]
    });
    if !is_partial_object {
        let text =
            format!("{}: the last line is not an object of a batch; --resume cannot continue from it", path.display());
        return Err(Diagnostic::error(Code::InvalidReport, text).into());
    }
    Ok(length)
}

/// Finds the input lines of objects.
struct Matcher<'a> {
    lines: &'a mut LineReader,
    /// The lines that were read and have no object yet.
    skipped: VecDeque<BatchLine>,
    skipped_bytes: usize,
}

impl Matcher<'_> {
    fn line(&mut self, object: &OldObject) -> Option<BatchLine> {
        let at = self.skipped.iter().position(|line| object.is_about(line));
        let at = at.or_else(|| self.read_until(|line| object.is_about(line)));
        self.take(at?)
    }

    /// Finds the input line of the object of an invalid line. A correction may have added an id to the
    /// line, or removed it.
    fn invalid_line(&mut self, object: &OldObject) -> Option<BatchLine> {
        let is_about = |line: &BatchLine| match (&object.id, &line.id) {
            (Some(id), Some(other)) => id.get() == other.get(),
            _ => object.line == Some(line.number),
        };
        if let Some(at) = self.skipped.iter().position(is_about) {
            return self.take(at);
        }
        if self.lines.number() >= object.line? {
            return None;
        }
        let at = self.read_until(|line| Some(line.number) >= object.line)?;
        if is_about(&self.skipped[at]) { self.take(at) } else { None }
    }

    /// Reads lines until one has a property, and returns its position.
    fn read_until(&mut self, is_sought: impl Fn(&BatchLine) -> bool) -> Option<usize> {
        while self.skipped.len() < MAX_LINES && self.skipped_bytes < MAX_BYTES {
            let line = self.lines.next()?;
            self.skipped_bytes += line.bytes;
            let is_found = is_sought(&line);
            self.skipped.push_back(line);
            if is_found {
                return Some(self.skipped.len() - 1);
            }
        }
        None
    }

    fn take(&mut self, at: usize) -> Option<BatchLine> {
        let line = self.skipped.remove(at)?;
        self.skipped_bytes -= line.bytes;
        Some(line)
    }
}
