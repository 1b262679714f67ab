//! The forms in which schemes write numbers: one table, for reading and for writing.

use super::super::board::SpanError;
use super::super::cursor::Cursor;
use super::codec::{Scheme, letter};

/// A form of numbers: a prefix, and a number of digits in base `radix`, to whose value `offset` is
/// added.
pub(super) struct NumberForm {
    prefix: Option<char>,
    digits: u32,
    radix: u32,
    offset: i32,
}

const fn form(prefix: Option<char>, digits: u32, radix: u32, offset: i32) -> NumberForm {
    NumberForm { prefix, digits, radix, offset }
}

/// The forms of numbers in base 16, in increasing order of the numbers that are written in them.
const BASE_16: [NumberForm; 7] = [
    form(None, 1, 16, 0),
    form(Some('-'), 2, 16, 0),
    form(Some('+'), 3, 16, 0),
    form(Some('='), 3, 16, 4096),
    form(Some('@'), 3, 16, 8192),
    form(Some('*'), 4, 16, 12240),
    form(Some('$'), 5, 16, 77776),
];
const BASE_10: [NumberForm; 1] = [form(None, 1, 10, 0)];
const BASE_32: [NumberForm; 2] = [form(None, 1, 32, 0), form(Some('-'), 2, 32, 0)];
const BASE_36: [NumberForm; 2] = [form(None, 1, 36, 0), form(Some('-'), 2, 36, 0)];

/// Returns the forms of a scheme's numbers, and their description for errors.
fn forms(scheme: Scheme) -> (&'static [NumberForm], &'static str) {
    match scheme {
        Scheme::Number10 => (&BASE_10, "a digit or a gap"),
        Scheme::Number16 => (&BASE_16, "a number in base 16 or a gap"),
        Scheme::Counted | Scheme::Either16 | Scheme::Each16 => (&BASE_16[..2], "a number in base 16 or a gap"),
        Scheme::Each32 => (&BASE_32, "a number in base 32"),
        Scheme::Number36 => (&BASE_36, "a digit in base 36"),
        _ => (&[], "a number"),
    }
}

impl NumberForm {
    /// The least number that is written in this form, which has no leading zero.
    fn least(&self) -> i32 {
        if self.digits > 1 { self.offset.max(self.radix.pow(self.digits - 1) as i32) } else { self.offset }
    }

    fn holds(&self, number: i32) -> bool {
        (self.offset..self.offset + self.radix.pow(self.digits) as i32).contains(&number)
    }

    fn write(&self, number: i32) -> String {
        let value = (number - self.offset) as u32;
        let digits = (0..self.digits).rev().map(|place| letter(value / self.radix.pow(place) % self.radix));
        self.prefix.into_iter().chain(digits).collect()
    }
}

/// Reads a number of a scheme.
pub(super) fn read(scheme: Scheme, text: &mut Cursor<'_>) -> Result<i32, SpanError> {
    match scheme {
        Scheme::Number46 => return Ok(read_sum(text)?.unwrap_or_default()),
        Scheme::Decimal => return read_decimal(text),
        _ => {}
    }
    let (forms, expected) = forms(scheme);
    let begin = text.at;
    // Some addresses have `%` instead of `@`.
    let first = match text.next("a sign")? {
        '%' => '@',
        first => first,
    };
    match forms.iter().find(|form| form.prefix == Some(first)) {
        Some(form) => Ok(text.digits(form.digits as usize, form.radix)? + form.offset),
        None => {
            text.at = begin;
            let radix = forms.first().map_or(10, |form| form.radix);
            Ok(text.digit(radix, expected)? as i32)
        }
    }
}

/// Writes a number, the inverse of [`read`]. Returns `None` if the scheme has no form for it.
pub(super) fn write(scheme: Scheme, number: i32) -> Option<String> {
    match scheme {
        Scheme::Number46 => return write_sum(Some(number)),
        Scheme::Decimal => return (number >= 0).then(|| number.to_string()),
        _ => {}
    }
    let form = forms(scheme).0.iter().rfind(|form| form.least() <= number)?;
    form.holds(number).then(|| form.write(number))
}

/// Reads a decimal number, and `_` between two numbers.
fn read_decimal(text: &mut Cursor<'_>) -> Result<i32, SpanError> {
    let number = text.decimal()? as i32;
    if text.skip('_') && !text.peek().is_some_and(|next| next.is_ascii_digit()) {
        return Err(text.expected(text.at, "another number"));
    }
    Ok(number)
}

/// Reads a sum: `0` to `j` are 0 to 19, `A` to `Z` are 20 to 45, and `-` is no sum.
pub fn read_sum(text: &mut Cursor<'_>) -> Result<Option<i32>, SpanError> {
    let character = text.next("a sum")?;
    match character {
        '-' => Ok(None),
        'A'..='Z' => Ok(Some(20 + (character as i32 - 'A' as i32))),
        _ => {
            let digit = character.to_digit(20).ok_or_else(|| text.expected(text.at - 1, "a sum"))?;
            Ok(Some(digit as i32))
        }
    }
}

pub fn write_sum(sum: Option<i32>) -> Option<String> {
    let character = match sum {
        None => '-',
        Some(sum @ 0..20) => letter(sum as u32),
        Some(sum @ 20..46) => (b'A' + (sum - 20) as u8) as char,
        _ => return None,
    };
    Some(String::from(character))
}
