//! Schemes that write the signs one by one, with letters for the gaps between them.

use super::super::board::{Clue, SpanError};
use super::super::cursor::Cursor;
use super::codec::Scheme::*;
use super::codec::{Codec, Key, Scheme, letter};
use super::gaps::push_gap;
use super::{clues, numbers};

pub(super) fn decode(codec: &Codec, text: &mut Cursor<'_>, places: usize) -> Result<Vec<Option<Clue>>, SpanError> {
    let mut signs = Vec::with_capacity(places);
    while signs.len() < places {
        let begin = text.at;
        if codec.is_short && text.peek().is_none() {
            signs.resize(places, None);
            break;
        }
        if let Some(gap) = codec.take_gap(text)? {
            push_gap(text, gap, places, &mut signs)?;
            continue;
        }
        let count = text.peek().and_then(|digit| digit.to_digit(10));
        if let Some((sign, count)) = codec.run.as_ref().zip(count) {
            text.at += 1;
            let end = signs.len() + 1 + count as usize;
            signs.resize(end.min(places), Some(sign.clone()));
            continue;
        }
        let (sign, gap) = read_sign(codec, text).map_err(|wrong| match text.characters.get(begin) {
            Some(_) => wrong,
            None => text.wrong(begin, &format!("after {} of {places} places", signs.len())),
        })?;
        signs.push(sign);
        // A gap that is encoded together with a sign may extend beyond the last place.
        signs.resize(places.min(signs.len() + gap), None);
    }
    Ok(signs)
}

pub(super) fn encode(codec: &Codec, signs: &[Option<&Clue>]) -> Result<String, usize> {
    let mut text = String::new();
    let longest = codec.longest_gap();
    let (mut gap, mut index) = (0, 0);
    while let Some(sign) = signs.get(index) {
        let is_in_gap = sign.is_none() && !writes_empty_places(codec.scheme);
        gap += u32::from(is_in_gap);
        if !is_in_gap || gap == longest {
            text.push_str(&codec.encode_gap(gap));
            gap = 0;
        }
        let is_run = |sign: &&Option<&Clue>| codec.run.is_some() && sign.cloned() == codec.run;
        let run = signs[index..].iter().take(10).take_while(is_run).count();
        if run > 0 {
            text.push_str(&(run - 1).to_string());
            index += run - 1;
        } else if !is_in_gap {
            if codec.scheme == Decimal && text.ends_with(|last: char| last.is_ascii_digit()) {
                text.push('_');
            }
            let empty = signs[index + 1..].iter().take_while(|sign| sign.is_none()).count();
            let (sign, with) = write_sign(codec, *sign, empty).ok_or(index)?;
            text.push_str(&sign);
            index += with;
        }
        index += 1;
    }
    text.push_str(&codec.encode_gap(gap));
    Ok(text)
}

/// Returns true for schemes that write each empty place as `.`.
fn writes_empty_places(scheme: Scheme) -> bool {
    matches!(scheme, Number36 | Each16 | Each32)
}

/// Returns true for schemes that read `.` as an empty place.
fn reads_empty_places(scheme: Scheme) -> bool {
    writes_empty_places(scheme) || scheme == Number46
}

/// Returns the character for the codec's sign without a number, which usually is unknown.
fn unknown_mark(scheme: Scheme) -> Option<char> {
    match scheme {
        Number4 | Number10 | Number16 | Counted | Tapa | Tapaloop | Abc => Some('.'),
        Number36 => Some('@'),
        Number46 => Some('_'),
        _ => None,
    }
}

/// Returns the number of signs and the longest gap that a character encodes together.
fn signs_with_gap(scheme: Scheme) -> Option<(usize, usize)> {
    match scheme {
        Number4 => Some((5, 2)),
        Dots => Some((2, 7)),
        _ => None,
    }
}

/// Reads a sign, perhaps together with a gap. Returns the sign and the length of the gap.
fn read_sign(codec: &Codec, text: &mut Cursor<'_>) -> Result<(Option<Clue>, usize), SpanError> {
    let begin = text.at;
    let first = text.next("a sign")?;
    if let Some(sign) = codec.named(Key::Character(first)) {
        return Ok((Some(sign), 0));
    }
    if first == '.' && reads_empty_places(codec.scheme) {
        return Ok((None, 0));
    }
    // Some addresses have `%` instead of `@`.
    let mark = if first == '%' { '@' } else { first };
    if unknown_mark(codec.scheme) == Some(mark) {
        return Ok((Some(codec.sign(0)), 0));
    }
    text.at = begin;
    if let Some((signs, longest)) = signs_with_gap(codec.scheme) {
        let expected = if codec.scheme == Dots { "a dot or a gap" } else { "a number from 0 to 4 or a gap" };
        let value = text.digit((signs * (longest + 1)) as u32, expected)? as usize;
        let sign = value % signs;
        let sign = if codec.scheme == Dots { codec.sign(sign) } else { codec.sign_of(sign as i32) };
        return Ok((Some(sign), value / signs));
    }
    let clue = match read_clue(codec, text)? {
        Clue::Number(number) => codec.sign_of(number),
        clue => clue,
    };
    Ok((Some(clue), 0))
}

/// Writes a sign, perhaps together with a part of the `empty` places after it. Returns the text and
/// the number of these places. Returns `None` if the codec cannot encode the sign.
fn write_sign(codec: &Codec, sign: Option<&Clue>, empty: usize) -> Option<(String, usize)> {
    let Some(sign) = sign else { return Some((".".to_owned(), 0)) };
    if codec.scheme == Dots {
        return write_with_gap(codec.scheme, codec.index_of(sign, 2)?, empty);
    }
    let sign = match codec.key_of(sign) {
        Some(Key::Character(character)) => return Some((character.into(), 0)),
        Some(Key::Number(number)) => &Clue::Number(number),
        None => sign,
    };
    let is_unknown = !matches!(sign, Clue::Number(_)) && *sign == codec.sign(0);
    if let Some(mark) = unknown_mark(codec.scheme).filter(|_| is_unknown) {
        return Some((mark.into(), 0));
    }
    match sign {
        Clue::Number(number) if codec.scheme == Number4 => {
            write_with_gap(codec.scheme, usize::try_from(*number).ok()?, empty)
        }
        sign => Some((write_clue(codec, sign)?, 0)),
    }
}

fn write_with_gap(scheme: Scheme, sign: usize, empty: usize) -> Option<(String, usize)> {
    let (signs, longest) = signs_with_gap(scheme).filter(|(signs, _)| sign < *signs)?;
    let gap = empty.min(longest);
    Some((letter((sign + signs * gap) as u32).into(), gap))
}

/// Reads a clue: a number, or what the scheme has in its place.
fn read_clue(codec: &Codec, text: &mut Cursor<'_>) -> Result<Clue, SpanError> {
    match codec.scheme {
        Letters => clues::read_letter(text),
        Abc => clues::read_abc(text),
        Arrows => clues::read_arrow(codec, text),
        Compass => clues::read_compass(text),
        Tapa | Tapaloop => clues::read_tapa(codec.scheme, text),
        Crossed => clues::read_crossed(text),
        Crossed16 => clues::read_crossed16(text),
        Crossed36 => clues::read_crossed36(text),
        Either16 => clues::read_either(codec, text),
        scheme => numbers::read(scheme, text).map(Clue::Number),
    }
}

/// Writes a clue, the inverse of [`read_clue`].
fn write_clue(codec: &Codec, clue: &Clue) -> Option<String> {
    match (codec.scheme, clue) {
        (Letters, _) => clues::write_letter(clue),
        (Abc, _) => clues::write_abc(clue),
        (Arrows, _) => clues::write_arrow(codec, clue),
        (Compass, _) => clues::write_compass(clue),
        (Tapa | Tapaloop, _) => clues::write_tapa(codec.scheme, clue),
        (Crossed, _) => clues::write_crossed(clue),
        (Crossed16, _) => clues::write_crossed16(clue),
        (Crossed36, _) => clues::write_crossed36(clue),
        (Either16, _) => clues::write_either(codec, clue),
        (scheme, Clue::Number(number)) => numbers::write(scheme, *number),
        _ => None,
    }
}
