//! The lines of a batch: plain instances, or JSON objects that hold an instance and an id.
//!
//! ```text
//!   1 2 3/4 5 6/7 . 8                                     an instance that fits on a line
//!   {"start": 1, "moves": ["n+1"], "goal": [4]}           another: a game is JSON
//!   {"id": "k7", "instance": "1 2 3\n4 5 6\n7 . 8"}       any instance, and its id
//!   {"id": …, "instance": …, "cube": {…}}                a part of a search, as `split` writes it
//! ```
//!
//! A first line that is a table header, such as `puzzle,solution`, is skipped.
//!
//! An object is of the third kind if it has a key `id` or `instance`. Errors are reported under the
//! id, if it could be read before the error. An id is echoed verbatim, so that no number loses its
//! last digits.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::hash::{BuildHasherDefault, DefaultHasher, Hash, Hasher};
use std::io::{self, BufRead, Read};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use puzzle::report::Header;
use serde::Deserializer;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

/// Longer lines are rejected.
const MAX_LINE_BYTES: u64 = 16 << 20;
/// Byte order mark, which some editors write at the start of a file.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();
/// Number of ids that are remembered to detect duplicates: memory must not grow with the input.
const REMEMBERED_IDS: usize = 1 << 20;

/// An input line to solve.
pub struct BatchLine {
    /// Line number, from 1.
    pub number: u64,
    /// The id as JSON source, verbatim.
    pub id: Option<Box<RawValue>>,
    /// The instance, or the reason why the line has none.
    pub text: Result<String, String>,
    /// The part of the search to do, as JSON source; `None` for all of it.
    pub cube: Option<Box<RawValue>>,
    /// True if the instance is wrapped in an object, so that it may have several lines.
    pub is_wrapped: bool,
    /// CRC-32 of the instance, and of the cube if there is one.
    pub check_sum: u32,
    /// Length of the line.
    pub bytes: usize,
    /// The header of the result; set when the puzzle is recognised.
    pub header: OnceLock<Header>,
}

/// Reads the input lines that produce objects.
pub struct LineReader {
    input: Box<dyn BufRead + Send>,
    number: u64,
    /// Time limit of a line, which also applies to reading one that does not end.
    time_limit: Option<Duration>,
    /// True if instances span several lines and are separated by blank lines or titles.
    in_paragraphs: bool,
    ids: Ids,
}

impl LineReader {
    pub fn new(input: Box<dyn BufRead + Send>, time_limit: Option<Duration>, in_paragraphs: bool) -> Self {
        LineReader { input, number: 0, time_limit, in_paragraphs, ids: Ids::default() }
    }

    /// The number of the last line that was read.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Skips the rest of a line. If the line does not end within the time limit, treats the input
    /// as ended.
    fn skip_line(&mut self) {
        let began = Instant::now();
        while let Ok(part @ [_, ..]) = self.input.fill_buf() {
            let end = part.iter().position(|&byte| byte == b'\n');
            let length = end.map_or(part.len(), |end| end + 1);
            self.input.consume(length);
            if end.is_some() {
                break;
            }
            if self.time_limit.is_some_and(|limit| began.elapsed() > limit) {
                self.input = Box::new(io::empty());
            }
        }
    }

    fn line(&mut self, bytes: Vec<u8>) -> BatchLine {
        let number = self.number;
        let mut wrapped = LineObject::default();
        let is_json = bytes.trim_ascii_start().starts_with(b"{").then(|| wrapped.read(&bytes));
        let LineObject { id, instance, cube, has_known_key, .. } = wrapped;
        let text = match is_json {
            Some(read) if has_known_key => read.and_then(|()| instance.ok_or("has no key \"instance\"".to_owned())),
            _ => str::from_utf8(&bytes).map(str::to_owned).map_err(|error| {
                let before = String::from_utf8_lossy(&bytes[..error.valid_up_to()]).chars().count();
                format!("column {}: not valid UTF-8", before + 1)
            }),
        };
        let before = id.as_ref().and_then(|id| self.ids.insert(id, number));
        let text = match (text, before) {
            (Ok(_), Some(before)) => Err(format!("duplicate id, first used in line {before}")),
            (Ok(text), None) if text.contains('\0') => Err("contains a NUL byte".to_owned()),
            (text, _) => text,
        };
        let mut hasher = crc32fast::Hasher::new();
        hasher.update(text.as_ref().map_or(&bytes[..], |text| text.as_bytes()));
        if let (Ok(_), Some(cube)) = (&text, &cube) {
            hasher.update(cube.get().as_bytes());
        }
        let check_sum = hasher.finalize();
        BatchLine {
            number,
            id,
            text,
            cube,
            is_wrapped: has_known_key,
            check_sum,
            bytes: bytes.len(),
            header: OnceLock::new(),
        }
    }
}

impl Iterator for LineReader {
    type Item = BatchLine;

    fn next(&mut self) -> Option<BatchLine> {
        let mut paragraph = Vec::new();
        let mut first_line = 0;
        let paragraph_line =
            |lines: &mut LineReader, paragraph, number| BatchLine { number, is_wrapped: true, ..lines.line(paragraph) };
        loop {
            let mut bytes = Vec::new();
            let read = self.input.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut bytes);
            self.number += 1;
            let error_text = match read {
                Ok(0) if paragraph.is_empty() || is_level_metadata(&paragraph) => return None,
                Ok(0) => return Some(paragraph_line(self, paragraph, first_line)),
                Ok(_) if bytes.len() as u64 == MAX_LINE_BYTES && bytes.last() != Some(&b'\n') => {
                    self.skip_line();
                    Some(format!("longer than {MAX_LINE_BYTES} bytes"))
                }
                Ok(_) if (paragraph.len() + bytes.len()) as u64 > MAX_LINE_BYTES => {
                    Some(format!("a board of more than {MAX_LINE_BYTES} bytes"))
                }
                Ok(_) => None,
                Err(error) => {
                    self.input = Box::new(io::empty());
                    Some(format!("cannot be read: {error}"))
                }
            };
            let trimmed_length = bytes.trim_ascii_end().len();
            bytes.truncate(trimmed_length);
            if self.number == 1 && bytes.starts_with(BYTE_ORDER_MARK) {
                bytes.drain(..BYTE_ORDER_MARK.len());
            }
            if let Some(error_text) = error_text {
                return Some(BatchLine { text: Err(error_text), ..self.line(Vec::new()) });
            }
            match bytes.trim_ascii_start() {
                [] | [b';', ..] if is_level_metadata(&paragraph) => paragraph.clear(),
                [] | [b';', ..] if !paragraph.is_empty() => return Some(paragraph_line(self, paragraph, first_line)),
                [] | [b'%', ..] => {}
                line if self.number == 1 && is_table_header(line) => {}
                [b';', ..] if self.in_paragraphs => {}
                [first, ..] if self.in_paragraphs && (*first != b'{' || !paragraph.is_empty()) => {
                    first_line = if paragraph.is_empty() { self.number } else { first_line };
                    paragraph.append(&mut bytes);
                    paragraph.push(b'\n');
                }
                _ => return Some(self.line(bytes)),
            }
        }
    }
}

/// Returns true if all lines have the form `Title: …` or `Author: …`: they describe a level and are
/// not a board.
fn is_level_metadata(paragraph: &[u8]) -> bool {
    let is_field = |line: &[u8]| {
        let name = line.iter().position(|sign| *sign == b':').map_or(&[][..], |colon| &line[..colon]);
        name.first().is_some_and(u8::is_ascii_uppercase) && name.iter().all(u8::is_ascii_alphabetic)
    };
    !paragraph.is_empty() && paragraph.trim_ascii_end().split(|sign| *sign == b'\n').all(is_field)
}

/// Returns true for a table header such as `puzzle,solution` or `"puzzle","solution"`.
fn is_table_header(line: &[u8]) -> bool {
    let is_name = |field: &[u8]| {
        let field = field.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\"")).unwrap_or(field);
        let is_known = |sign: &u8| sign.is_ascii_alphabetic() || b"_ ".contains(sign);
        field.len() > 1 && field.iter().all(is_known)
    };
    line.contains(&b',') && line.split(|sign| *sign == b',').all(|field| is_name(field.trim_ascii()))
}

/// The parts of an object that were read before its end or the first error.
#[derive(Default)]
struct LineObject {
    id: Option<Box<RawValue>>,
    instance: Option<String>,
    cube: Option<Box<RawValue>>,
    /// True if the object has one of the two keys.
    has_known_key: bool,
    fault: Option<String>,
}

impl LineObject {
    fn read(&mut self, bytes: &[u8]) -> Result<(), String> {
        let mut json = serde_json::Deserializer::from_slice(bytes);
        json.deserialize_map(&mut *self).and_then(|()| json.end()).map_err(|error| {
            let words = error.to_string();
            // serde_json's line number would be wrong: it counts from this line, or within the text
            // of the instance.
            let words = words.split(" at line ").next().unwrap_or_default();
            format!("column {}: {words}; expected {{\"id\": …, \"instance\": \"…\"}}", error.column())
        })?;
        self.fault.take().map_or(Ok(()), Err)
    }
}

impl<'de> Visitor<'de> for &mut LineObject {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            let is_twice = match key.as_str() {
                "id" => {
                    self.has_known_key = true;
                    self.id.replace(map.next_value()?).is_some()
                }
                "instance" => {
                    self.has_known_key = true;
                    self.instance.replace(map.next_value()?).is_some()
                }
                "cube" => self.cube.replace(map.next_value()?).is_some(),
                _ => {
                    map.next_value::<IgnoredAny>()?;
                    self.fault.get_or_insert(format!("has an unknown key {key:?}; expected \"id\" and \"instance\""));
                    false
                }
            };
            if is_twice {
                self.fault = Some(format!("has the key {key:?} twice"));
            }
        }
        Ok(())
    }
}

/// The last ids, by 64-bit hash, with their line numbers. Two of a million ids collide in one of
/// forty million inputs.
#[derive(Default)]
struct Ids {
    lines: HashMap<u64, u64, BuildHasherDefault<DefaultHasher>>,
    order: VecDeque<u64>,
}

impl Ids {
    /// Adds the id of a line. Returns the earlier line with the same id, if there is one.
    fn insert(&mut self, id: &RawValue, line: u64) -> Option<u64> {
        let mut hasher = DefaultHasher::new();
        id.get().hash(&mut hasher);
        let hash = hasher.finish();
        if let Some(&before) = self.lines.get(&hash) {
            return Some(before);
        }
        if self.order.len() == REMEMBERED_IDS
            && let Some(oldest) = self.order.pop_front()
        {
            self.lines.remove(&oldest);
        }
        self.order.push_back(hash);
        self.lines.insert(hash, line);
        None
    }
}
