//! Schemes that convert signs to numbers, which are written as in `number16`.

use super::super::board::{Clue, SpanError};
use super::super::cursor::Cursor;
use super::clues::{DIRECTIONS, cell_digits};
use super::codec::Codec;
use super::codec::Scheme::*;
use super::packed::values_of;
use super::signs;

/// Decodes signs in base 10, or after `-` in base 16.
pub(super) fn decode_10_or_16(
    codec: &Codec,
    text: &mut Cursor<'_>,
    places: usize,
) -> Result<Vec<Option<Clue>>, SpanError> {
    let scheme = if text.skip('-') { Number16 } else { Number10 };
    signs::decode(&codec.with_scheme(scheme), text, places)
}

pub(super) fn encode_10_or_16(codec: &Codec, signs: &[Option<&Clue>]) -> Result<String, usize> {
    let [small, large] = [Number10, Number16].map(|scheme| codec.with_scheme(scheme));
    signs::encode(&small, signs).or_else(|_| Ok(format!("-{}", signs::encode(&large, signs)?)))
}

pub(super) fn decode_pairs(
    codec: &Codec,
    text: &mut Cursor<'_>,
    places: usize,
) -> Result<Vec<Option<Clue>>, SpanError> {
    let begin = text.at;
    let base = codec.signs.len() + 1;
    let mut signs = Vec::with_capacity(places);
    for pair in signs::decode(&Codec::of_scheme(Number16), text, places.div_ceil(2))? {
        let value = match pair {
            None => 0,
            Some(Clue::Number(value)) if (0..(base * base) as i32).contains(&value) => value as usize,
            Some(sign) => {
                return Err(text.wrong(begin, &format!("begins pairs of signs, and `{sign}` is not a pair")));
            }
        };
        let sign = |value: usize| value.checked_sub(1).map(|index| codec.sign(index));
        signs.extend([value / base, value % base].map(sign));
    }
    signs.truncate(places);
    Ok(signs)
}

pub(super) fn encode_pairs(codec: &Codec, signs: &[Option<&Clue>]) -> Result<String, usize> {
    let base = codec.signs.len() as u32 + 1;
    let values = values_of(codec, signs, base)?;
    let pair = |pair: &[u32]| (pair[0] * base + pair.get(1).unwrap_or(&0)) as i32;
    let pairs: Vec<Option<Clue>> =
        values.chunks(2).map(pair).map(|value| (value > 0).then_some(Clue::Number(value))).collect();
    signs::encode(&Codec::of_scheme(Number16), &as_refs(&pairs))
}

pub(super) fn decode_fractions(
    codec: &Codec,
    text: &mut Cursor<'_>,
    places: usize,
) -> Result<Vec<Option<Clue>>, SpanError> {
    let begin = text.at;
    let halves = signs::decode(&codec.with_scheme(Number16), text, 2 * places)?;
    let fraction = |halves: &[Option<Clue>]| {
        join_fraction(halves).ok_or_else(|| text.wrong(begin, "begins halves of fractions that do not fit"))
    };
    halves.chunks(2).map(fraction).collect()
}

pub(super) fn encode_fractions(codec: &Codec, signs: &[Option<&Clue>]) -> Result<String, usize> {
    let halves = |(index, sign): (usize, &Option<&Clue>)| split_fraction(*sign).ok_or(index);
    let halves: Vec<[Option<Clue>; 2]> = signs.iter().enumerate().map(halves).collect::<Result<_, _>>()?;
    signs::encode(&codec.with_scheme(Number16), &as_refs(halves.as_flattened())).map_err(|half| half / 2)
}

/// Joins the numerator and the denominator of a fraction, which are decoded as separate signs.
fn join_fraction(halves: &[Option<Clue>]) -> Option<Option<Clue>> {
    let is_unknown = |half: &Clue| *half == Clue::text("?");
    let text = match halves {
        [None, None] => return Some(None),
        [Some(Clue::Number(0)), Some(unknown)] if is_unknown(unknown) => "#".to_owned(),
        [Some(whole), Some(unknown)] if is_unknown(unknown) => whole.to_string(),
        [Some(above), Some(below)] => format!("{above}/{below}"),
        [Some(above), None] => format!("{above}/?"),
        _ => return None,
    };
    Some(Some(Clue::text(&text)))
}

fn split_fraction(sign: Option<&Clue>) -> Option<[Option<Clue>; 2]> {
    let half = |text: &str| Some(Clue::text(text)).filter(|half| text == "?" || matches!(half, Clue::Number(0..)));
    let unknown = Clue::text("?");
    let Some(sign) = sign else { return Some([None, None]) };
    let text = sign.to_string();
    Some(match text.split_once('/') {
        Some((above, "?")) => [Some(half(above)?), None],
        Some((above, below)) => [Some(half(above)?), Some(half(below)?)],
        None if text == "#" => [Some(Clue::Number(0)), Some(unknown)],
        None => [Some(half(&text)?), Some(unknown)],
    })
}

/// Decodes signs each of which stands for a number of its own.
pub(super) fn decode_numbered(
    codec: &Codec,
    text: &mut Cursor<'_>,
    places: usize,
) -> Result<Vec<Option<Clue>>, SpanError> {
    let begin = text.at;
    let numbers = signs::decode(&codec.with_scheme(Number16), text, places)?;
    let sign = |number: Option<Clue>| match number {
        Some(Clue::Number(number)) => match sign_for_number(codec, number) {
            Some(sign) => Ok(Some(sign)),
            None => Err(text.wrong(begin, &format!("begins signs, and {number} is not one"))),
        },
        Some(unknown) if codec.scheme == Halves => {
            Err(text.wrong(begin, &format!("begins signs, and `{unknown}` is not one")))
        }
        other => Ok(other),
    };
    numbers.into_iter().map(sign).collect()
}

pub(super) fn encode_numbered(codec: &Codec, signs: &[Option<&Clue>]) -> Result<String, usize> {
    let is_unknown = |sign: &Clue| codec.scheme == Next16 && *sign == codec.sign(0);
    let number = |(index, sign): (usize, &Option<&Clue>)| match sign {
        Some(sign) if !is_unknown(sign) && codec.key_of(sign).is_none() => {
            number_for_sign(codec, sign).map(|number| Some(Clue::Number(number))).ok_or(index)
        }
        other => Ok(other.cloned()),
    };
    let numbers: Vec<Option<Clue>> = signs.iter().enumerate().map(number).collect::<Result<_, _>>()?;
    signs::encode(&codec.with_scheme(Number16), &as_refs(&numbers))
}

fn as_refs(signs: &[Option<Clue>]) -> Vec<Option<&Clue>> {
    signs.iter().map(Option::as_ref).collect()
}

/// Returns the sign that a number encodes in a scheme in which the sign is not the number itself.
fn sign_for_number(codec: &Codec, number: i32) -> Option<Clue> {
    match codec.scheme {
        Next16 => Some(Clue::Number(number - 1)),
        Coloured => coloured_sign(number),
        Halves => Some(half_sign(codec, number)),
        _ => turn_sign(number),
    }
}

/// Returns the number that encodes a sign, the inverse of [`sign_for_number`].
fn number_for_sign(codec: &Codec, sign: &Clue) -> Option<i32> {
    match (codec.scheme, sign) {
        (Next16, Clue::Number(number)) => Some(number + 1),
        (Next16, _) => None,
        (Coloured, _) => coloured_number(&sign.to_string()),
        (Halves, _) => half_number(codec, &sign.to_string()),
        _ => turn_number(&sign.to_string()),
    }
}

/// The names of the colours in the scheme `coloured`.
const COLOURS: [&str; 6] = ["A", "B", "C", "D", "E", "F"];

fn coloured_sign(number: i32) -> Option<Clue> {
    let colour = match usize::try_from(number / 10).ok()? {
        0 => "",
        tens => *COLOURS.get(tens - 1)?,
    };
    let digit = match number % 10 {
        0 if colour.is_empty() => "?".to_owned(),
        0 => String::new(),
        digit => (digit - 1).to_string(),
    };
    Some(Clue::text(&format!("{colour}{digit}")))
}

fn coloured_number(sign: &str) -> Option<i32> {
    if sign == "?" {
        return Some(0);
    }
    let colour = COLOURS.iter().position(|colour| sign.starts_with(colour));
    let digit = &sign[usize::from(colour.is_some())..];
    let tens = colour.map_or(0, |index| 10 * (index as i32 + 1));
    if digit.is_empty() {
        return (tens > 0).then_some(tens);
    }
    digit.parse::<i32>().ok().filter(|digit| (0..9).contains(digit)).map(|digit| tens + digit + 1)
}

fn half_sign(codec: &Codec, number: i32) -> Clue {
    let half = if number > 1 { (number / 2).to_string() } else { String::new() };
    Clue::text(&format!("{}{half}", codec.sign(number as usize % 2)))
}

fn half_number(codec: &Codec, sign: &str) -> Option<i32> {
    let kinds = (0..2).map(|kind| (kind, codec.sign(kind as usize).to_string()));
    let (kind, half) = kinds.filter_map(|(kind, name)| Some((kind, sign.strip_prefix(&name)?.to_owned()))).next()?;
    let half = match &half[..] {
        "" => 0,
        half => half.parse().ok().filter(|half| *half > 0)?,
    };
    i32::checked_add(i32::checked_mul(2, half)?, kind)
}

fn turn_sign(number: i32) -> Option<Clue> {
    if number == 0 {
        return Some(Clue::text("?"));
    }
    let digits = number.to_string();
    let direction = digits[..1].parse::<usize>().ok()?.checked_sub(1)?;
    let numbers = digits[1..].replace('0', "?");
    let numbers: Vec<String> = numbers.chars().map(String::from).collect();
    Some(Clue::text(&format!("{}{}", DIRECTIONS.chars().nth(direction)?, numbers.join(","))))
}

fn turn_number(sign: &str) -> Option<i32> {
    if sign == "?" {
        return Some(0);
    }
    let direction = DIRECTIONS.find(sign.chars().next()?)?;
    let digits = match &sign[1..] {
        "" => String::new(),
        numbers => cell_digits(&Clue::text(numbers))?,
    };
    format!("{}{digits}", direction + 1).parse().ok()
}
