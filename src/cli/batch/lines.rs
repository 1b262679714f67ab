//! The lines of a batch: instances as they are, or each in a JSON object with an id.
//!
//! ```text
//!   1 2 3/4 5 6/7 . 8                                     an instance that fits a line
//!   {"start": 1, "moves": ["n+1"], "goal": [4]}           so is this: a game is JSON
//!   {"id": "k7", "instance": "1 2 3\n4 5 6\n7 . 8"}       any instance, and what it is called
//! ```
//!
//! A first line that names fields, as in `puzzle,solution`, is none of them.
//!
//! An object is of the third kind if it has a key `id` or `instance`. What is wrong with it is told under its id, where one
//! could be read before the fault. An id is given back as it is written, so that no number loses its last digits.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::hash::{BuildHasherDefault, DefaultHasher, Hash, Hasher};
use std::io::{self, BufRead, Read};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use serde::Deserializer;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::puzzle::report::Header;

/// A line with more bytes is no instance.
const LONGEST_LINE: u64 = 16 << 20;
/// What some editors write before the first line.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();
/// An id is known again among so many: memory must not grow with the input.
const REMEMBERED_IDS: usize = 1 << 20;

/// A line that is to be solved.
pub struct Line {
    /// As people count them, from 1.
    pub number: u64,
    /// JSON, as it is written.
    pub id: Option<Box<RawValue>>,
    /// The instance, or why there is none.
    pub text: Result<String, String>,
    /// The instance stands in an object, so that it need not fit a line.
    pub is_wrapped: bool,
    /// Of the instance.
    pub check_sum: u32,
    /// Of the line.
    pub bytes: usize,
    /// What it is, as soon as it is known.
    pub header: OnceLock<Header>,
}

/// The lines of the input that have objects.
pub struct Lines {
    input: Box<dyn BufRead + Send>,
    number: u64,
    /// Of a line. It holds for reading one that does not end, too.
    time_limit: Option<Duration>,
    /// Instances are several lines long, with blank lines or titles in between.
    in_paragraphs: bool,
    ids: Ids,
}

impl Lines {
    pub fn new(input: Box<dyn BufRead + Send>, time_limit: Option<Duration>, in_paragraphs: bool) -> Self {
        Lines { input, number: 0, time_limit, in_paragraphs, ids: Ids::default() }
    }

    /// Reads to the end of a line; where it does not come in time, the input is over.
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

    fn line(&mut self, bytes: Vec<u8>) -> Line {
        let number = self.number;
        let mut wrapped = Wrapped::default();
        let is_json = bytes.trim_ascii_start().starts_with(b"{").then(|| wrapped.read(&bytes));
        let Wrapped { id, instance, is_one, .. } = wrapped;
        let text = match is_json {
            Some(read) if is_one => read.and_then(|()| instance.ok_or("has no key \"instance\"".to_owned())),
            _ => str::from_utf8(&bytes).map(str::to_owned).map_err(|error| {
                let before = String::from_utf8_lossy(&bytes[..error.valid_up_to()]).chars().count();
                format!("column {}: not valid UTF-8", before + 1)
            }),
        };
        let before = id.as_ref().and_then(|id| self.ids.meet(id, number));
        let text = match (text, before) {
            (Ok(_), Some(before)) => Err(format!("the id was there before, in line {before}")),
            (Ok(text), None) if text.contains('\0') => Err("contains a NUL byte".to_owned()),
            (text, _) => text,
        };
        let check_sum = crc32fast::hash(text.as_ref().map_or(&bytes[..], |text| text.as_bytes()));
        Line { number, id, text, is_wrapped: is_one, check_sum, bytes: bytes.len(), header: OnceLock::new() }
    }
}

impl Iterator for Lines {
    type Item = Line;

    fn next(&mut self) -> Option<Line> {
        let (mut paragraph, mut begins) = (Vec::new(), 0);
        let whole = |lines: &mut Lines, paragraph, number| Line { number, is_wrapped: true, ..lines.line(paragraph) };
        loop {
            let mut bytes = Vec::new();
            let read = self.input.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut bytes);
            self.number += 1;
            let fault = match read {
                Ok(0) if paragraph.is_empty() || is_about_a_level(&paragraph) => return None,
                Ok(0) => return Some(whole(self, paragraph, begins)),
                Ok(_) if bytes.len() as u64 == LONGEST_LINE && bytes.last() != Some(&b'\n') => {
                    self.skip_line();
                    Some(format!("longer than {LONGEST_LINE} bytes"))
                }
                Ok(_) if (paragraph.len() + bytes.len()) as u64 > LONGEST_LINE => {
                    Some(format!("a board of more than {LONGEST_LINE} bytes"))
                }
                Ok(_) => None,
                Err(error) => {
                    self.input = Box::new(io::empty());
                    Some(format!("cannot be read: {error}"))
                }
            };
            let blanks = bytes.trim_ascii_end().len();
            bytes.truncate(blanks);
            if self.number == 1 && bytes.starts_with(BYTE_ORDER_MARK) {
                bytes.drain(..BYTE_ORDER_MARK.len());
            }
            if let Some(fault) = fault {
                return Some(Line { text: Err(fault), ..self.line(Vec::new()) });
            }
            match bytes.trim_ascii_start() {
                [] | [b';', ..] if is_about_a_level(&paragraph) => paragraph.clear(),
                [] | [b';', ..] if !paragraph.is_empty() => return Some(whole(self, paragraph, begins)),
                [] | [b'%', ..] => {}
                line if self.number == 1 && names_fields(line) => {}
                [b';', ..] if self.in_paragraphs => {}
                [first, ..] if self.in_paragraphs && (*first != b'{' || !paragraph.is_empty()) => {
                    begins = if paragraph.is_empty() { self.number } else { begins };
                    paragraph.append(&mut bytes);
                    paragraph.push(b'\n');
                }
                _ => return Some(self.line(bytes)),
            }
        }
    }
}

/// Whether lines say something of a level, as `Title: …` and `Author: …` do, and are no board.
fn is_about_a_level(paragraph: &[u8]) -> bool {
    let is_field = |line: &[u8]| {
        let name = line.iter().position(|sign| *sign == b':').map_or(&[][..], |colon| &line[..colon]);
        name.first().is_some_and(u8::is_ascii_uppercase) && name.iter().all(u8::is_ascii_alphabetic)
    };
    !paragraph.is_empty() && paragraph.trim_ascii_end().split(|sign| *sign == b'\n').all(is_field)
}

/// Whether a line is the head of a table: `puzzle,solution`.
fn names_fields(line: &[u8]) -> bool {
    let is_name = |field: &[u8]| {
        let is_known = |sign: &u8| sign.is_ascii_alphabetic() || b"_ ".contains(sign);
        field.len() > 1 && field.iter().all(is_known)
    };
    line.contains(&b',') && line.split(|sign| *sign == b',').all(|field| is_name(field.trim_ascii()))
}

/// What is read of an object, also of one that breaks off.
#[derive(Default)]
struct Wrapped {
    id: Option<Box<RawValue>>,
    instance: Option<String>,
    /// It has one of the keys.
    is_one: bool,
    fault: Option<String>,
}

impl Wrapped {
    fn read(&mut self, bytes: &[u8]) -> Result<(), String> {
        let mut json = serde_json::Deserializer::from_slice(bytes);
        json.deserialize_map(&mut *self).and_then(|()| json.end()).map_err(|error| {
            let words = error.to_string();
            // The line is not the first one, nor is the text of the instance what the place is in.
            let words = words.split(" at line ").next().unwrap_or_default();
            format!("column {}: {words}; {{\"id\": …, \"instance\": \"…\"}} was wanted", error.column())
        })?;
        self.fault.take().map_or(Ok(()), Err)
    }
}

impl<'de> Visitor<'de> for &mut Wrapped {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            let is_twice = match key.as_str() {
                "id" => {
                    self.is_one = true;
                    self.id.replace(map.next_value()?).is_some()
                }
                "instance" => {
                    self.is_one = true;
                    self.instance.replace(map.next_value()?).is_some()
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                    self.fault
                        .get_or_insert(format!("has an unknown key {key:?}; \"id\" and \"instance\" were wanted"));
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

/// The last ids, by a hash of 64 bits, and the lines where they were: two of a million ids are taken for the same once in
/// forty million inputs.
#[derive(Default)]
struct Ids {
    lines: HashMap<u64, u64, BuildHasherDefault<DefaultHasher>>,
    order: VecDeque<u64>,
}

impl Ids {
    /// The line in which the id was met before.
    fn meet(&mut self, id: &RawValue, line: u64) -> Option<u64> {
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
