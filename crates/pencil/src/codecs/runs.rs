//! Schemes that write runs of empty places together with the sign before or after them.

use super::super::board::{Clue, SpanError};
use super::super::cursor::Cursor;
use super::clues::cell_digits;
use super::codec::{Codec, letter};
use super::gaps::push_gap;

pub(super) fn decode_digits(
    codec: &Codec,
    text: &mut Cursor<'_>,
    places: usize,
) -> Result<Vec<Option<Clue>>, SpanError> {
    let mut signs = Vec::with_capacity(places);
    let mut is_after_sign = false;
    while signs.len() < places {
        let begin = text.at;
        if let Some(gap) = codec.take_gap(text)? {
            push_gap(text, gap - usize::from(is_after_sign), places, &mut signs)?;
            is_after_sign = false;
            continue;
        }
        while text.peek().is_some_and(|digit| digit.is_ascii_digit()) {
            text.at += 1;
        }
        if text.at == begin {
            return Err(text.expected(begin, "digits or a gap"));
        }
        let digits = text.characters[begin..text.at].iter().map(|&(_, digit)| digit.into());
        let words: Vec<String> = digits.map(|digit| if digit == "0" { "?".to_owned() } else { digit }).collect();
        signs.push(Some(Clue::text(&words.join(","))));
        is_after_sign = true;
    }
    text.skip('/');
    Ok(signs)
}

pub(super) fn encode_digits(codec: &Codec, signs: &[Option<&Clue>]) -> Result<String, usize> {
    let mut text = String::new();
    // A gap includes the cell of the sign before it.
    let mut gap = 0;
    for (index, sign) in signs.iter().enumerate() {
        let digits = sign.map(|sign| cell_digits(sign).ok_or(index)).transpose()?;
        gap += u32::from(digits.is_none());
        if digits.is_some() || gap == codec.longest_gap() {
            text.push_str(&codec.encode_gap(gap));
            gap = u32::from(digits.is_some());
        }
        text.extend(digits);
    }
    let ends_with_sign = signs.last().is_some_and(Option::is_some);
    text.push_str(&if ends_with_sign || gap == 0 { "/".to_owned() } else { codec.encode_gap(gap) });
    Ok(text)
}

pub(super) fn decode_stars(
    codec: &Codec,
    text: &mut Cursor<'_>,
    places: usize,
) -> Result<Vec<Option<Clue>>, SpanError> {
    let mut signs = Vec::with_capacity(places);
    while let Some(letter) = text.peek().filter(char::is_ascii_alphabetic) {
        let gap = letter.to_digit(36).unwrap_or(10) as usize - 10;
        push_gap(text, gap, places, &mut signs)?;
        text.at += 1;
        if letter != 'z' {
            if signs.len() == places {
                return Err(text.wrong(text.at - 1, &format!("goes beyond the last of {places} places")));
            }
            signs.push(Some(codec.sign(usize::from(letter.is_ascii_uppercase()))));
        }
    }
    signs.resize(places, None);
    Ok(signs)
}

pub(super) fn encode_stars(codec: &Codec, signs: &[Option<&Clue>]) -> Result<String, usize> {
    let mut text = String::new();
    let mut gap = 0;
    for (index, sign) in signs.iter().enumerate() {
        let Some(sign) = sign else {
            gap += 1;
            continue;
        };
        let kind = codec.index_of(sign, 2).ok_or(index)?;
        text.extend(std::iter::repeat_n('z', gap / 25));
        let letter = letter(10 + gap as u32 % 25);
        text.push(if kind == 0 { letter } else { letter.to_ascii_uppercase() });
        gap = 0;
    }
    Ok(text)
}

pub(super) fn decode_strides(
    codec: &Codec,
    text: &mut Cursor<'_>,
    places: usize,
) -> Result<Vec<Option<Clue>>, SpanError> {
    let mut signs = Vec::with_capacity(places);
    while signs.len() < places {
        let gap = text.digits(1, 36)? as usize;
        push_gap(text, gap, places, &mut signs)?;
        signs.extend((gap < 35 && signs.len() < places).then(|| Some(codec.sign(0))));
    }
    Ok(signs)
}

pub(super) fn encode_strides(codec: &Codec, signs: &[Option<&Clue>]) -> Result<String, usize> {
    let mut text = String::new();
    let mut gap = 0;
    for has_sign in only_sign(codec, signs)? {
        gap += u32::from(!has_sign);
        if has_sign || gap == 35 {
            text.push(letter(gap));
            gap = 0;
        }
    }
    text.extend((gap > 0).then(|| letter(gap)));
    Ok(text)
}

/// Decodes `gaps`, or `marks` if `has_last_gap`, which writes a gap even if there are no places.
pub(super) fn decode_gaps(
    codec: &Codec,
    has_last_gap: bool,
    text: &mut Cursor<'_>,
    places: usize,
) -> Result<Vec<Option<Clue>>, SpanError> {
    let mut signs = Vec::with_capacity(places);
    let begin = text.at;
    while (signs.len() < places || has_last_gap && text.at == begin)
        && text.peek().is_some_and(|next| next == '.' || next.is_ascii_alphanumeric())
    {
        let is_long = text.skip('.');
        let gap = if is_long { 36 } else { text.digits(1, 36)? as usize };
        push_gap(text, gap, places, &mut signs)?;
        signs.extend((!is_long && signs.len() < places).then(|| Some(codec.sign(0))));
    }
    signs.resize(places, None);
    Ok(signs)
}

pub(super) fn encode_gaps(codec: &Codec, has_last_gap: bool, signs: &[Option<&Clue>]) -> Result<String, usize> {
    let mut text = String::new();
    for run in only_sign(codec, signs)?.split_inclusive(|&has_sign| has_sign) {
        let is_last = !run.ends_with(&[true]);
        let gap = run.len() - usize::from(!is_last);
        if is_last && !has_last_gap {
            break;
        }
        text.extend(std::iter::repeat_n('.', gap / 36));
        text.extend((!is_last || gap % 36 > 0).then(|| letter(gap as u32 % 36)));
    }
    if has_last_gap && text.is_empty() {
        text.push('0');
    }
    Ok(text)
}

/// What a letter of `sparse` or `runs` stands for: empty places, perhaps a sign, and empty places
/// after it.
#[derive(Default)]
struct LetterRun {
    before: usize,
    has_sign: bool,
    after: usize,
}

/// Decodes a letter for each run up to the place `end`.
fn decode_letters(
    codec: &Codec,
    text: &mut Cursor<'_>,
    (places, end): (usize, usize),
    run_of: impl Fn(char) -> Option<LetterRun>,
) -> Result<Vec<Option<Clue>>, SpanError> {
    let mut signs = Vec::with_capacity(end);
    while signs.len() < end {
        let at = text.at;
        let LetterRun { before, has_sign, after } =
            run_of(text.next("a letter")?).ok_or_else(|| text.expected(at, "a letter"))?;
        if signs.len() + before + after + usize::from(has_sign) > end {
            return Err(text.wrong(at, &format!("goes beyond the last of {places} places")));
        }
        signs.resize(signs.len() + before, None);
        signs.extend(has_sign.then(|| Some(codec.sign(0))));
        signs.resize(signs.len() + after, None);
    }
    signs.truncate(places);
    Ok(signs)
}

fn lower_digit(letter: char) -> Option<usize> {
    letter.to_digit(36).filter(|_| !letter.is_ascii_uppercase()).map(|digit| digit as usize)
}

/// The longest gap after a sign in `sparse`.
const SPARSE_GAP: usize = 17;

pub(super) fn decode_sparse(
    codec: &Codec,
    text: &mut Cursor<'_>,
    places: usize,
) -> Result<Vec<Option<Clue>>, SpanError> {
    decode_letters(codec, text, (places, places), |letter| match lower_digit(letter) {
        Some(digit) if digit <= SPARSE_GAP => Some(LetterRun { has_sign: true, after: digit, ..LetterRun::default() }),
        Some(digit) => Some(LetterRun { before: digit - SPARSE_GAP, ..LetterRun::default() }),
        None if letter == '_' => Some(LetterRun { has_sign: true, ..LetterRun::default() }),
        None => None,
    })
}

pub(super) fn encode_sparse(codec: &Codec, signs: &[Option<&Clue>]) -> Result<String, usize> {
    let mut text = String::new();
    let all = only_sign(codec, signs)?;
    let mut rest = &all[..];
    while let Some(&has_sign) = rest.first() {
        let skipped = usize::from(has_sign);
        let longest = if has_sign { SPARSE_GAP } else { SPARSE_GAP + 1 };
        let gap = rest[skipped..].iter().take(longest).take_while(|has_sign| !**has_sign).count();
        text.push(letter((gap + if has_sign { 0 } else { SPARSE_GAP }) as u32));
        rest = &rest[gap + skipped..];
    }
    Ok(text)
}

/// Decodes `runs`, which writes the last gap as if a sign followed it, one place beyond the end.
pub(super) fn decode_runs(codec: &Codec, text: &mut Cursor<'_>, places: usize) -> Result<Vec<Option<Clue>>, SpanError> {
    decode_letters(codec, text, (places, places + 1), |letter| match lower_digit(letter) {
        Some(35) => Some(LetterRun { before: 25, ..LetterRun::default() }),
        Some(digit @ 10..) => Some(LetterRun { before: digit - 9, has_sign: true, after: 0 }),
        None if letter == '_' => Some(LetterRun { has_sign: true, ..LetterRun::default() }),
        _ => None,
    })
}

pub(super) fn encode_runs(codec: &Codec, signs: &[Option<&Clue>]) -> Result<String, usize> {
    let mut text = String::new();
    for run in only_sign(codec, signs)?.split(|&has_sign| has_sign).map(<[bool]>::len) {
        text.extend(std::iter::repeat_n('z', run / 25));
        text.push(if run % 25 == 0 { '_' } else { letter(9 + run as u32 % 25) });
    }
    Ok(text)
}

/// Returns which places have the codec's only sign. The error is the index of another sign.
fn only_sign(codec: &Codec, signs: &[Option<&Clue>]) -> Result<Vec<bool>, usize> {
    let sign = codec.sign(0);
    match signs.iter().position(|other| other.is_some_and(|other| *other != sign)) {
        Some(index) => Err(index),
        None => Ok(signs.iter().map(Option::is_some).collect()),
    }
}
