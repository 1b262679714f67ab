//! Schemes that pack the signs of several places into a character.

use super::super::board::{Clue, SpanError};
use super::super::cursor::Cursor;
use super::codec::{Codec, Scheme, letter};

/// Returns the base of the numbers in a character, and how many there are.
fn base_and_length(codec: &Codec) -> (u32, usize) {
    if codec.scheme == Scheme::Circles { (3, 3) } else { (2, 5) }
}

pub(super) fn decode(codec: &Codec, text: &mut Cursor<'_>, places: usize) -> Result<Vec<Option<Clue>>, SpanError> {
    let (base, length) = base_and_length(codec);
    let values = unpack(text, base, length, places)?;
    Ok(values.into_iter().map(|value| (value > 0).then(|| codec.sign(value as usize - 1))).collect())
}

pub(super) fn encode(codec: &Codec, signs: &[Option<&Clue>]) -> Result<String, usize> {
    let (base, length) = base_and_length(codec);
    let values = values_of(codec, signs, base)?;
    Ok(pack(&values, base, length))
}

/// Returns the number of each sign: 0 for an empty place, and from 1 the codec's signs. The error is
/// the index of a sign that the codec does not have.
pub(super) fn values_of(codec: &Codec, signs: &[Option<&Clue>], base: u32) -> Result<Vec<u32>, usize> {
    let value = |(place, sign): (usize, &Option<&Clue>)| match sign {
        Some(sign) => codec.index_of(sign, base as usize - 1).map(|index| index as u32 + 1).ok_or(place),
        None => Ok(0),
    };
    signs.iter().enumerate().map(value).collect()
}

/// Decodes `count` numbers below `base`. Each character holds `length` numbers, as the digits of a
/// number in this base, the most significant one first.
pub fn unpack(text: &mut Cursor<'_>, base: u32, length: usize, count: usize) -> Result<Vec<u32>, SpanError> {
    let radix = base.pow(length as u32);
    let mut values = Vec::with_capacity(count);
    while values.len() < count {
        let digits = text.digits(1, radix)? as u32;
        values.extend((0..length).rev().map(|place| digits / base.pow(place as u32) % base).take(count - values.len()));
    }
    Ok(values)
}

/// Encodes numbers below `base`, the inverse of [`unpack`].
pub fn pack(values: &[u32], base: u32, length: usize) -> String {
    let digits = values.chunks(length).map(|chunk| {
        let places = (0..length).map(|place| chunk.get(place).copied().unwrap_or(0));
        places.fold(0, |number, value| number * base + value)
    });
    digits.map(letter).collect()
}
