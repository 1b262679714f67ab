//! Continues after the last complete object of an output.
//!
//! Each object of the output is matched to an input line, by its id or else by its line number, and
//! must have the checksum of that line. Lines that are skipped on the way have no object yet,
//! because they are new or were moved. These lines are stored, up to the number of lines that a run
//! has in flight, and solved first.

use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom};
use std::path::Path;

use base::diagnostic::{Code, Diagnostic, Failure};
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::lines::{BatchLine, LineReader};
use super::writer::{LineOutcome, MAX_BYTES, MAX_LINES, OutputCounts};
use crate::cli::output;

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

    fn name(&self) -> String {
        let number = self.line.map(|line| format!("line {line}")).unwrap_or_default();
        self.id.as_ref().map_or(number, |id| format!("the id {}", id.get()))
    }
}

/// Opens an output to continue it, and counts its objects in `written`. Returns the file, and the
/// input lines without an object that precede lines with one.
pub fn resume(
    path: &Path,
    input: &str,
    lines: &mut LineReader,
    written: &mut OutputCounts,
) -> Result<(File, VecDeque<BatchLine>), Failure> {
    let wrong = |error: io::Error| output::cannot_write(path, &error);
    let mut reader = BufReader::new(OpenOptions::new().read(true).write(true).open(path).map_err(wrong)?);
    let mut complete_bytes = 0;
    let mut bytes = Vec::new();
    let mut skipped = VecDeque::<BatchLine>::new();
    let mut skipped_bytes = 0;
    // A last line without a newline is incomplete.
    while reader.read_until(b'\n', &mut bytes).map_err(wrong)? > 0 && bytes.ends_with(b"\n") {
        let place = format!("{}:{}", path.display(), written.objects + 1);
        let object = serde_json::from_slice(&bytes).ok().filter(|object: &OldObject| !object.name().is_empty());
        let object = object.ok_or_else(|| {
            Diagnostic::error(
                Code::InvalidReport,
                format!("{place}: is not an object of a batch; --resume cannot continue from it"),
            )
        })?;
        let at = skipped.iter().position(|line| object.is_about(line)).or_else(|| {
            while skipped.len() < MAX_LINES && skipped_bytes < MAX_BYTES {
                skipped.push_back(lines.next()?);
                let last = skipped.back()?;
                skipped_bytes += last.bytes;
                if object.is_about(last) {
                    return Some(skipped.len() - 1);
                }
            }
            None
        });
        let line = at.and_then(|at| skipped.remove(at));
        let is_same = |line: &BatchLine| object.check_sum.is_none_or(|check_sum| check_sum == line.check_sum);
        let Some(line) = line.filter(is_same) else {
            let text =
                format!("{place}: does not match {} of {input}; --resume requires the same input", object.name());
            return Err(Diagnostic::error(Code::InvalidReport, text).into());
        };
        skipped_bytes -= line.bytes;
        written.count(object.outcome());
        complete_bytes += bytes.len() as u64;
        bytes.clear();
    }
    let is_partial_object = |bytes: &[u8]| {
        ["{\"line\":", "{\"id\":"].iter().any(|begin| {
            let length = begin.len().min(bytes.len());
            bytes[..length] == begin.as_bytes()[..length]
        })
    };
    if !is_partial_object(&bytes) {
        let text =
            format!("{}: the last line is not an object of a batch; --resume cannot continue from it", path.display());
        return Err(Diagnostic::error(Code::InvalidReport, text).into());
    }
    let mut file = reader.into_inner();
    file.set_len(complete_bytes).and_then(|()| file.seek(SeekFrom::End(0))).map_err(wrong)?;
    Ok((file, skipped))
}
