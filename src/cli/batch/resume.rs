//! Going on after the last whole object of an output.
//!
//! Each object of the output is looked for among the lines of the input, by its id if it has one and else by the number of
//! its line, and must have the check sum of what stands there. Lines that are passed on the way have no object yet: they are
//! new, or were moved. They are kept, as many as are in flight in a run, and solved first.

use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom};
use std::path::Path;

use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::lines::{Line, Lines};
use super::writer::{MOST_BYTES, MOST_LINES, Written};
use crate::cli::output;
use crate::diagnostic::{Diagnostic, Failure};

/// Of an object, what tells which line it is about, and how that ended.
#[derive(Deserialize)]
struct Object {
    line: Option<u64>,
    #[serde(default, deserialize_with = "also_null")]
    id: Option<Box<RawValue>>,
    check_sum: Option<u32>,
    error: Option<IgnoredAny>,
    verdict: Option<String>,
}

fn also_null<'de, D: Deserializer<'de>>(json: D) -> Result<Option<Box<RawValue>>, D::Error> {
    Deserialize::deserialize(json).map(Some)
}

impl Object {
    fn is_about(&self, line: &Line) -> bool {
        match (&self.id, &line.id) {
            (Some(id), Some(other)) => id.get() == other.get(),
            (None, None) => self.line == Some(line.number),
            _ => false,
        }
    }

    fn name(&self) -> String {
        let number = self.line.map(|line| format!("line {line}")).unwrap_or_default();
        self.id.as_ref().map_or(number, |id| format!("the id {}", id.get()))
    }
}

/// Opens an output to go on with it; what it has is counted, and lines that it passes over are left.
pub fn resume(
    path: &Path,
    input: &str,
    lines: &mut Lines,
    written: &mut Written,
) -> Result<(File, VecDeque<Line>), Failure> {
    let wrong = |error: io::Error| output::cannot_write(path, &error);
    let mut old = BufReader::new(OpenOptions::new().read(true).write(true).open(path).map_err(wrong)?);
    let (mut whole, mut bytes) = (0, Vec::new());
    let (mut passed, mut passed_bytes) = (VecDeque::<Line>::new(), 0);
    // A last line without an end was torn.
    while old.read_until(b'\n', &mut bytes).map_err(wrong)? > 0 && bytes.ends_with(b"\n") {
        let place = format!("{}:{}", path.display(), written.objects + 1);
        let object = serde_json::from_slice(&bytes).ok().filter(|object: &Object| !object.name().is_empty());
        let object = object.ok_or_else(|| {
            Diagnostic::error(format!("{place}: is not an object of a batch; --resume cannot continue from it"))
        })?;
        let at = passed.iter().position(|line| object.is_about(line)).or_else(|| {
            while passed.len() < MOST_LINES && passed_bytes < MOST_BYTES {
                passed.push_back(lines.next()?);
                let last = passed.back()?;
                passed_bytes += last.bytes;
                if object.is_about(last) {
                    return Some(passed.len() - 1);
                }
            }
            None
        });
        let line = at.and_then(|at| passed.remove(at));
        let is_same = |line: &Line| object.check_sum.is_none_or(|check_sum| check_sum == line.check_sum);
        let Some(line) = line.filter(is_same) else {
            let text = format!(
                "{place}: is not about {} of {input}; --resume goes on with the output of the same input",
                object.name()
            );
            return Err(Diagnostic::error(text).into());
        };
        passed_bytes -= line.bytes;
        written.count(object.error.is_some(), object.verdict.as_deref() == Some("gave-up"));
        whole += bytes.len() as u64;
        bytes.clear();
    }
    let is_torn_object = |bytes: &[u8]| {
        ["{\"line\":", "{\"id\":"].iter().any(|begin| {
            let length = begin.len().min(bytes.len());
            bytes[..length] == begin.as_bytes()[..length]
        })
    };
    if !is_torn_object(&bytes) {
        let text =
            format!("{}: the last line is not an object of a batch; --resume cannot continue from it", path.display());
        return Err(Diagnostic::error(text).into());
    }
    let mut file = old.into_inner();
    file.set_len(whole).and_then(|()| file.seek(SeekFrom::End(0))).map_err(wrong)?;
    Ok((file, passed))
}
