//! Clues of more than a number: an encoding and its inverse beside each other.

use super::super::board::{Clue, SpanError};
use super::super::cursor::Cursor;
use super::codec::{Codec, Scheme, letter};
use super::numbers::{self, read_sum, write_sum};

/// The arrows for directions 1 to 4 in links.
pub(super) const DIRECTIONS: &str = "^v<>";

/// Returns the numbers of a cell as digits: `2,?,3` as `203`.
pub(super) fn cell_digits(sign: &Clue) -> Option<String> {
    let digit = |word: &str| match word {
        "?" => Some('0'),
        _ => word.parse().ok().filter(|digit| ('1'..='9').contains(digit)),
    };
    sign.to_string().split(',').map(digit).collect()
}

/// Decodes a direction and a number, after a digit for the colour if the codec has colours.
pub(super) fn read_arrow(codec: &Codec, text: &mut Cursor<'_>) -> Result<Clue, SpanError> {
    if text.skip('+') {
        return Ok(Clue::text("#"));
    }
    let mut colour = "";
    if !codec.signs.is_empty() {
        let digit = text.digits(1, 10)? as usize;
        let expected = format!("a digit below {}", codec.signs.len());
        colour = codec.signs.get(digit).ok_or_else(|| text.expected(text.at - 1, &expected))?;
    }
    let is_long = text.skip('-');
    let direction = text.digits(1, 10)?;
    let number = match direction {
        _ if is_long => text.digits(3, 16)?.to_string(),
        5.. => text.digits(2, 16)?.to_string(),
        _ if text.skip('.') => "?".to_owned(),
        _ => text.digits(1, 16)?.to_string(),
    };
    let arrow = (direction % 5).checked_sub(1).filter(|&index| index >= 0);
    let arrow = arrow.and_then(|index| DIRECTIONS.chars().nth(index as usize)).map_or(String::new(), String::from);
    Ok(Clue::text(&format!("{colour}{number}{arrow}")))
}

pub(super) fn write_arrow(codec: &Codec, sign: &Clue) -> Option<String> {
    let text = sign.to_string();
    if text == "#" {
        return Some("+".to_owned());
    }
    // Choose the longest matching colour, since the name of a colour may be empty.
    let colours = codec.signs.iter().enumerate().filter(|(_, colour)| text.starts_with(colour.as_str()));
    let colour = colours.max_by_key(|(_, colour)| colour.len());
    let (prefix, rest) = match colour {
        Some((index, colour)) => (index.to_string(), &text[colour.len()..]),
        None if codec.signs.is_empty() => (String::new(), &text[..]),
        None => return None,
    };
    let arrow = rest.chars().last().and_then(|last| DIRECTIONS.find(last));
    let (direction, rest) = arrow.map_or((0, rest), |index| (index + 1, &rest[..rest.len() - 1]));
    Some(match rest.parse::<u32>() {
        Ok(number @ 0..16) => format!("{prefix}{direction}{number:x}"),
        Ok(number @ 16..256) => format!("{prefix}{}{number:x}", direction + 5),
        Ok(number @ 256..4096) => format!("{prefix}-{direction}{number:x}"),
        _ if rest == "?" => format!("{prefix}{direction}."),
        _ => return None,
    })
}

/// Reads a capital letter, after a digit if there are more than 26 letters.
pub(super) fn read_letter(text: &mut Cursor<'_>) -> Result<Clue, SpanError> {
    let digit = text.peek().filter(char::is_ascii_digit);
    text.at += usize::from(digit.is_some());
    let letter = text.next("a letter")?;
    if !letter.is_ascii_uppercase() {
        return Err(text.expected(text.at - 1, "a capital letter"));
    }
    Ok(Clue::text(&String::from_iter([letter].into_iter().chain(digit))))
}

pub(super) fn write_letter(sign: &Clue) -> Option<String> {
    let text = sign.to_string();
    let (letter, digit) = text.split_at_checked(1)?;
    let is_letter = letter.chars().all(|letter| letter.is_ascii_uppercase());
    let is_digit = digit.len() < 2 && digit.chars().all(|digit| digit.is_ascii_digit());
    (is_letter && is_digit).then(|| format!("{digit}{letter}"))
}

/// Reads a capital letter that is written in lower case.
pub(super) fn read_abc(text: &mut Cursor<'_>) -> Result<Clue, SpanError> {
    let letter = text.next("a letter")?;
    if !letter.is_ascii_lowercase() {
        return Err(text.expected(text.at - 1, "a lower-case letter or a gap"));
    }
    Ok(Clue::text(&letter.to_ascii_uppercase().to_string()))
}

pub(super) fn write_abc(sign: &Clue) -> Option<String> {
    let letter = sign.to_string();
    (letter.len() == 1 && letter.starts_with(|letter: char| letter.is_ascii_uppercase()))
        .then(|| letter.to_ascii_lowercase())
}

/// Reads a number, or a number of the kind named in brackets, which follows that sign.
pub(super) fn read_either(codec: &Codec, text: &mut Cursor<'_>) -> Result<Clue, SpanError> {
    let number = if text.skip('.') {
        return Ok(Clue::text("?"));
    } else if text.skip('h') {
        "?".to_owned()
    } else if text.skip('i') {
        text.digits(1, 16)?.to_string()
    } else if text.skip('g') {
        text.digits(2, 16)?.to_string()
    } else {
        return numbers::read(Scheme::Either16, text).map(Clue::Number);
    };
    Ok(Clue::text(&format!("{}{number}", codec.sign(0))))
}

pub(super) fn write_either(codec: &Codec, sign: &Clue) -> Option<String> {
    if let Clue::Number(number) = sign {
        return numbers::write(Scheme::Either16, *number);
    }
    let text = sign.to_string();
    if text == "?" {
        return Some(".".to_owned());
    }
    match text.strip_prefix(&codec.sign(0).to_string())? {
        "?" => Some("h".to_owned()),
        number => match number.parse().ok()? {
            number @ 0..16_u8 => Some(format!("i{number:x}")),
            number => Some(format!("g{number:x}")),
        },
    }
}

/// Reads four numbers.
pub(super) fn read_compass(text: &mut Cursor<'_>) -> Result<Clue, SpanError> {
    let number = |_| match text.skip('.') {
        true => Ok("?".to_owned()),
        false => numbers::read(Scheme::Number16, text).map(|number| number.to_string()),
    };
    Ok(Clue::text(&(0..4).map(number).collect::<Result<Vec<_>, _>>()?.join(",")))
}

pub(super) fn write_compass(sign: &Clue) -> Option<String> {
    let text = sign.to_string();
    let part = |part: &str| match Clue::text(part) {
        Clue::Number(number) => numbers::write(Scheme::Number16, number),
        unknown => (unknown == Clue::text("?")).then(|| ".".to_owned()),
    };
    let parts: Vec<String> = text.split(',').map(part).collect::<Option<_>>()?;
    (parts.len() == 4).then(|| parts.concat())
}

/// The encoding of clues with `count` numbers in two base-36 characters, whose value is `first`
/// plus the numbers as digits in base `base`. The digit 0 is an unknown number.
struct TapaEncoding {
    /// The character before the two digits, if any.
    mark: &'static str,
    first: i32,
    base: i32,
    count: usize,
}

const fn tapa_encoding(mark: &'static str, first: i32, base: i32, count: usize) -> TapaEncoding {
    TapaEncoding { mark, first, base, count }
}

const TAPA: [TapaEncoding; 3] =
    [tapa_encoding("", 360, 6, 2), tapa_encoding("", 396, 4, 3), tapa_encoding("", 460, 2, 4)];
const TAPALOOP: [TapaEncoding; 3] =
    [tapa_encoding("", 360, 8, 2), tapa_encoding("+", 36, 7, 3), tapa_encoding("-", 36, 6, 4)];

/// The clue that `tapa` writes as `9`.
const FOUR_ONES: &str = "1,1,1,1";

fn tapa_encodings(scheme: Scheme) -> &'static [TapaEncoding] {
    if scheme == Scheme::Tapa { &TAPA } else { &TAPALOOP }
}

pub(super) fn read_tapa(scheme: Scheme, text: &mut Cursor<'_>) -> Result<Clue, SpanError> {
    let begin = text.at;
    let encodings = tapa_encodings(scheme);
    if let Some(digit) = text.peek().and_then(|first| first.to_digit(10)).filter(|digit| *digit <= 8) {
        text.at += 1;
        return Ok(Clue::Number(digit as i32));
    }
    if scheme == Scheme::Tapa && text.skip('9') {
        return Ok(Clue::text(FOUR_ONES));
    }
    let mark = encodings.iter().find(|encoding| encoding.mark.chars().next().is_some_and(|mark| text.skip(mark)));
    let mark = mark.map_or("", |encoding| encoding.mark);
    let code = text.digits(2, 36)?;
    let fits = |entry: &&TapaEncoding| {
        entry.mark == mark && (entry.first..entry.first + entry.base.pow(entry.count as u32)).contains(&code)
    };
    let encoding = encodings.iter().rev().find(fits).ok_or_else(|| text.wrong(begin, "is neither a clue nor a gap"))?;
    let digits = (0..encoding.count)
        .rev()
        .map(|place| (code - encoding.first) / encoding.base.pow(place as u32) % encoding.base);
    let words = digits.map(|digit| if digit == 0 { "?".to_owned() } else { digit.to_string() });
    Ok(Clue::text(&words.collect::<Vec<_>>().join(",")))
}

pub(super) fn write_tapa(scheme: Scheme, sign: &Clue) -> Option<String> {
    let encodings = tapa_encodings(scheme);
    if let Clue::Number(number @ 0..=8) = sign {
        return Some(number.to_string());
    }
    let text = sign.to_string();
    if scheme == Scheme::Tapa && text == FOUR_ONES {
        return Some("9".to_owned());
    }
    let words: Vec<&str> = text.split(',').collect();
    let encoding = encodings.iter().find(|encoding| encoding.count == words.len())?;
    let code = words.iter().try_fold(0, |code, &word| {
        let digit =
            if word == "?" { 0 } else { word.parse().ok().filter(|digit| (1..encoding.base).contains(digit))? };
        Some(code * encoding.base + digit)
    })?;
    let code = Some((encoding.first + code) as u32).filter(|&code| code < 36 * 36)?;
    Some(format!("{}{}{}", encoding.mark, letter(code / 36), letter(code % 36)))
}

/// Reads the down and across sums of `crossed`.
pub(super) fn read_crossed(text: &mut Cursor<'_>) -> Result<Clue, SpanError> {
    if text.skip('.') {
        return Ok(join_crossed(None, None));
    }
    Ok(join_crossed(read_sum(text)?, read_sum(text)?))
}

pub(super) fn write_crossed(sign: &Clue) -> Option<String> {
    match split_crossed(sign)? {
        (None, None) => Some(".".to_owned()),
        (down, across) => Some(format!("{}{}", write_sum(down)?, write_sum(across)?)),
    }
}

/// The prefixes of `crossed16`, each with the numbers of digits of the down and across sums.
const CROSSED_16: [(&str, [u32; 2]); 4] = [("", [1, 1]), ("-", [1, 2]), ("+", [2, 1]), ("=", [2, 2])];

pub(super) fn read_crossed16(text: &mut Cursor<'_>) -> Result<Clue, SpanError> {
    let prefixed = CROSSED_16[1..].iter().find(|(prefix, _)| prefix.chars().any(|prefix| text.skip(prefix)));
    let (_, lengths) = prefixed.unwrap_or(&CROSSED_16[0]);
    let mut sum = |length: u32| match text.skip('.') {
        true => Ok(None),
        false => text.digits(length as usize, 16).map(Some),
    };
    Ok(join_crossed(sum(lengths[0])?, sum(lengths[1])?))
}

pub(super) fn write_crossed16(sign: &Clue) -> Option<String> {
    let (down, across) = split_crossed(sign)?;
    let lengths = [down, across].map(|sum| if sum.is_some_and(|sum| sum > 15) { 2 } else { 1 });
    let (prefix, _) = CROSSED_16.iter().find(|entry| entry.1 == lengths)?;
    let sum = |sum: Option<i32>| match sum {
        None => Some(".".to_owned()),
        Some(sum @ 0..256) => Some(format!("{sum:x}")),
        Some(_) => None,
    };
    Some(format!("{prefix}{}{}", sum(down)?, sum(across)?))
}

/// Reads a clue of `crossed16`, or a single sum after `@` (down) or `$` (across).
pub(super) fn read_crossed36(text: &mut Cursor<'_>) -> Result<Clue, SpanError> {
    if text.skip('_') {
        return Ok(join_crossed(None, None));
    }
    // Some addresses have `%` instead of `@`.
    if text.skip('@') || text.skip('%') {
        return Ok(join_crossed(Some(text.digits(1, 36)?), None));
    }
    if text.skip('$') {
        return Ok(join_crossed(None, Some(text.digits(1, 36)?)));
    }
    read_crossed16(text)
}

pub(super) fn write_crossed36(sign: &Clue) -> Option<String> {
    match split_crossed(sign)? {
        (None, None) => Some("_".to_owned()),
        (Some(sum @ 0..36), None) => Some(format!("@{}", letter(sum as u32))),
        (None, Some(sum @ 0..36)) => Some(format!("${}", letter(sum as u32))),
        (Some(_), Some(_)) => write_crossed16(sign),
        _ => None,
    }
}

/// Joins the down and across sums of a cell to a clue such as `16\3`.
pub fn join_crossed(down: Option<i32>, across: Option<i32>) -> Clue {
    let [down, across] = [down, across].map(|sum| sum.map_or(String::new(), |sum| sum.to_string()));
    Clue::text(if down.is_empty() && across.is_empty() { "#".to_owned() } else { format!("{down}\\{across}") }.as_str())
}

pub fn split_crossed(sign: &Clue) -> Option<(Option<i32>, Option<i32>)> {
    let text = sign.to_string();
    if text == "#" {
        return Some((None, None));
    }
    let (down, across) = text.split_once('\\')?;
    let sum = |text: &str| if text.is_empty() { Some(None) } else { text.parse().ok().map(Some) };
    Some((sum(down)?, sum(across)?))
}
