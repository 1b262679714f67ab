//! How signs become characters in a link or a game id. A puzzle's header names its codecs.
//!
//! Nearly all write one sign after another, and a letter for a run of empty places (a "gap"). They differ in the alphabet.
//! Brackets say what `.` means, or which number is which sign: `number16("o", 1 = "*")`.
//!
//! | codec | a sign | letters of gaps |
//! |---|---|---|
//! | `number4` | 0 to 4, together with up to two empty places after it (`5` is 0 and a gap) | from `g` |
//! | `number10` | a digit | from `a` |
//! | `number16` | a digit in base 16; `-1f`, `+123`, `=`, `@`, `*`, `$` begin larger ones | from `g` |
//! | `number10or16` | `number10`, or `-` and then `number16` if a number exceeds 9 | |
//! | `number36` | a digit in base 36, `-` before two digits; `@` is unknown | `.` is one empty place |
//! | `decimal` | a number in base 10, with `_` between two numbers | from `a` |
//! | `letters` | a capital letter, with a digit before it where there are more than 26: `2A` is `A2` | from `a` |
//! | `arrows` | direction and number: `23` is `3v`; if brackets name signs, a digit before it chooses one | from `a` |
//! | `tapa` | up to four numbers in one or two characters | from `g` |
//! | `compass` | four numbers as in `number16`, or `.`: `2,?,2,1` | from `g` |
//! | `crossed` | down and across clue: `16\3` | from `k` |
//! | `crossed16` | the same as digits in base 16, `.` for none; `-`, `+` and `=` begin longer ones | from `g` |
//! | `each16` | a digit in base 16, `-` begins two | `.` is one empty place |
//! | `circles` | three places in a character, in base 3 | |
//! | `binary` | five places in a character | |
//! | `pairs` | one of three signs in each of two places, as `number16` | from `g` |
//! | `dots` | one of two signs, together with up to seven empty places after it | from `g` |
//! | `sparse` | one sign only, and the gap after it | `i` to `z`, if no sign comes first |
//! | `runs` | one sign only, and the gap before it | |
//! | `stars` | the gap before a sign, as a small letter for the first and a capital for the second; `z` is a gap of 25 | |
//! | `gaps` | one sign only, and the gap before it in base 36; `.` is a gap of 36 | |
//! | `strides` | one sign only, and the gap before it in base 36; `z` is a gap of 35, and what follows the last sign is one too | |

use std::ops::Range;

use super::board::{Sign, Wrong};

/// A text that is read from left to right, and where its characters lie in the document.
pub struct Cursor<'a> {
    pub characters: &'a [(Range<usize>, char)],
    pub at: usize,
}

impl Cursor<'_> {
    pub fn peek(&self) -> Option<char> {
        self.characters.get(self.at).map(|&(_, character)| character)
    }

    pub fn next(&mut self, wanted: &str) -> Result<char, Wrong> {
        let next = self.peek().ok_or_else(|| self.wrong(self.at, &format!("where {wanted} was wanted")))?;
        self.at += 1;
        Ok(next)
    }

    pub fn skip(&mut self, character: char) -> bool {
        let is_next = self.peek() == Some(character);
        self.at += usize::from(is_next);
        is_next
    }

    pub fn digits(&mut self, count: usize, radix: u32) -> Result<i32, Wrong> {
        (0..count).try_fold(0, |number, _| {
            let wanted = format!("a digit in base {radix}");
            let digit = self.next(&wanted)?.to_digit(radix);
            let digit = digit.ok_or_else(|| self.wrong(self.at - 1, &format!("where {wanted} was wanted")))?;
            Ok(number * radix as i32 + digit as i32)
        })
    }

    /// A number in base 10, of any length.
    pub fn decimal(&mut self) -> Result<usize, Wrong> {
        let begin = self.at;
        while self.peek().is_some_and(|digit| digit.is_ascii_digit()) {
            self.at += 1;
        }
        let digits: String = self.characters[begin..self.at].iter().map(|&(_, digit)| digit).collect();
        digits.parse().ok().filter(|&number| number <= i32::MAX as usize).ok_or_else(|| match digits.is_empty() {
            true => self.wrong(begin, "where a number was wanted"),
            false => self.wrong(begin, "begins a number that is too large"),
        })
    }

    /// "character 12, `x`, …", or that the text ends there.
    pub fn wrong(&self, at: usize, what: &str) -> Wrong {
        match self.characters.get(at) {
            Some((range, character)) => (format!("character {}, `{character}`, {what}", at + 1), range.clone()),
            None => {
                let end = self.characters.last().map_or(0, |(range, _)| range.end);
                (format!("the text ends at character {}, {what}", self.characters.len()), end..end)
            }
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Alphabet {
    Number4,
    Number10,
    Number16,
    Number10or16,
    Number36,
    Decimal,
    Letters,
    Arrows,
    Tapa,
    Compass,
    Crossed,
    Crossed16,
    Each16,
    Circles,
    Dots,
    Pairs,
    Binary,
    Sparse,
    Runs,
    Stars,
    Gaps,
    Strides,
}

use Alphabet::*;

pub const ALPHABETS: [(&str, Alphabet); 22] = [
    ("number4", Number4),
    ("number10", Number10),
    ("number16", Number16),
    ("number10or16", Number10or16),
    ("number36", Number36),
    ("decimal", Decimal),
    ("letters", Letters),
    ("arrows", Arrows),
    ("tapa", Tapa),
    ("compass", Compass),
    ("crossed", Crossed),
    ("crossed16", Crossed16),
    ("each16", Each16),
    ("circles", Circles),
    ("dots", Dots),
    ("pairs", Pairs),
    ("binary", Binary),
    ("sparse", Sparse),
    ("runs", Runs),
    ("stars", Stars),
    ("gaps", Gaps),
    ("strides", Strides),
];

/// Directions in the order of their numbers in links, from 1.
const DIRECTIONS: &str = "^v<>";

/// What stands for a sign: a character of the text, or the number that the alphabet reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    Character(char),
    Number(i32),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Codec {
    pub alphabet: Alphabet,
    /// Signs in the order in which they are numbered, or the one for `.`.
    pub signs: Vec<String>,
    pub keys: Vec<(Key, Sign)>,
    /// The letter that is a gap of one place, where it is not the alphabet's own.
    pub gap: Option<char>,
}

impl Codec {
    pub fn of_name(name: &str) -> Option<Codec> {
        ALPHABETS.iter().find(|entry| entry.0 == name).map(|entry| Codec::of_alphabet(entry.1))
    }

    pub fn of_alphabet(alphabet: Alphabet) -> Codec {
        Codec { alphabet, signs: Vec::new(), keys: Vec::new(), gap: None }
    }

    /// What `.` is, or a sign by its number, from 0.
    fn sign(&self, index: usize) -> Sign {
        let usual = match self.alphabet {
            Circles | Dots | Stars => ["o", "*"][index],
            Binary | Sparse | Runs | Gaps | Strides => "#",
            _ => "?",
        };
        Sign::text(self.signs.get(index).map_or(usual, String::as_str))
    }

    /// The letter before that of a gap of one place, as a digit in base 36, and the longest gap.
    fn gaps(&self) -> (u32, u32) {
        let first = self.gap.or(match self.alphabet {
            Number4 | Number16 | Tapa | Compass | Crossed16 | Dots => Some('g'),
            Number10 | Decimal | Letters | Arrows => Some('a'),
            Crossed => Some('k'),
            _ => None,
        });
        let before = first.and_then(|first| first.to_digit(36)).map_or(36, |digit| digit - 1);
        (before, (35_u32).saturating_sub(before))
    }

    /// The signs of so many places.
    pub fn decode(&self, text: &mut Cursor<'_>, places: usize) -> Result<Vec<Option<Sign>>, Wrong> {
        let mut signs = Vec::with_capacity(places);
        match self.alphabet {
            Circles | Binary => {
                let (base, length) = if self.alphabet == Circles { (3, 3) } else { (2, 5) };
                let values = unpack(text, base, length, places)?;
                signs.extend(values.into_iter().map(|value| (value > 0).then(|| self.sign(value as usize - 1))));
            }
            Number10or16 => {
                let alphabet = if text.skip('-') { Number16 } else { Number10 };
                return Codec { alphabet, ..self.clone() }.decode(text, places);
            }
            Pairs => {
                let begin = text.at;
                for pair in Codec::of_alphabet(Number16).decode(text, (places / 2) | 1)? {
                    let value = match pair {
                        None => 0,
                        Some(Sign::Number(value @ 0..16)) => value as usize,
                        Some(sign) => {
                            return Err(text.wrong(begin, &format!("begins pairs, of which `{sign}` is none")));
                        }
                    };
                    signs
                        .extend([value / 4, value % 4].map(|value| value.checked_sub(1).map(|index| self.sign(index))));
                }
                signs.resize(places, None);
            }
            Strides => {
                while signs.len() < places {
                    let gap = text.digits(1, 36)? as usize;
                    gap_of(text, gap, places, &mut signs)?;
                    signs.extend((gap < 35 && signs.len() < places).then(|| Some(self.sign(0))));
                }
            }
            Sparse | Runs => self.decode_runs(text, places, &mut signs)?,
            Stars => {
                while let Some(letter) = text.peek().filter(char::is_ascii_alphabetic) {
                    let gap = letter.to_digit(36).unwrap_or(10) as usize - 10;
                    gap_of(text, gap, places, &mut signs)?;
                    text.at += 1;
                    if letter != 'z' {
                        if signs.len() == places {
                            return Err(text.wrong(text.at - 1, &format!("goes beyond the last of {places} places")));
                        }
                        signs.push(Some(self.sign(usize::from(letter.is_ascii_uppercase()))));
                    }
                }
                signs.resize(places, None);
            }
            Gaps => {
                while signs.len() < places
                    && text.peek().is_some_and(|next| next == '.' || next.is_ascii_alphanumeric())
                {
                    let is_long = text.skip('.');
                    let gap = if is_long { 36 } else { text.digits(1, 36)? as usize };
                    gap_of(text, gap, places, &mut signs)?;
                    signs.extend((!is_long && signs.len() < places).then(|| Some(self.sign(0))));
                }
                signs.resize(places, None);
            }
            _ => {
                let (before, _) = self.gaps();
                while signs.len() < places {
                    let begin = text.at;
                    let gap = text
                        .peek()
                        .filter(|letter| !letter.is_ascii_uppercase())
                        .and_then(|letter| letter.to_digit(36));
                    if let Some(gap) = gap.filter(|&gap| gap > before) {
                        text.at += 1;
                        gap_of(text, (gap - before) as usize, places, &mut signs)?;
                        continue;
                    }
                    let (sign, gap) = self.decode_sign(text).map_err(|wrong| match text.characters.get(begin) {
                        Some(_) => wrong,
                        None => text.wrong(begin, &format!("after {} of {places} places", signs.len())),
                    })?;
                    signs.push(sign);
                    // A gap that comes with a sign may reach beyond the last place.
                    signs.resize(places.min(signs.len() + gap), None);
                }
            }
        }
        Ok(signs)
    }

    /// A sign, and how many empty places come with it.
    fn decode_sign(&self, text: &mut Cursor<'_>) -> Result<(Option<Sign>, usize), Wrong> {
        let begin = text.at;
        let first = text.next("a sign")?;
        if let Some((_, sign)) = self.keys.iter().find(|(key, _)| *key == Key::Character(first)) {
            return Ok((Some(sign.clone()), 0));
        }
        let digit = |radix: u32, wanted: &str| {
            let digit = if first.is_ascii_uppercase() { None } else { first.to_digit(radix) };
            digit.map(|digit| digit as i32).ok_or_else(|| text.wrong(begin, &format!("where {wanted} was wanted")))
        };
        let number = match (self.alphabet, first) {
            (Number36 | Each16, '.') => return Ok((None, 0)),
            (Number4 | Number10 | Number16 | Tapa, '.') | (Number36, '@' | '%') => return Ok((Some(self.sign(0)), 0)),
            (Number4, _) => {
                let value = digit(15, "a number from 0 to 4 or a gap")?;
                return Ok((Some(self.sign_of(value % 5)), value as usize / 5));
            }
            (Dots, _) => {
                let value = digit(16, "a dot or a gap")?;
                return Ok((Some(self.sign(value as usize % 2)), value as usize / 2));
            }
            (Number10, _) => digit(10, "a digit or a gap")?,
            (Number16 | Each16, '-') => text.digits(2, 16)?,
            (Number16, '+') => text.digits(3, 16)?,
            (Number16, '=') => text.digits(3, 16)? + 4096,
            (Number16, '%' | '@') => text.digits(3, 16)? + 8192,
            (Number16, '*') => text.digits(4, 16)? + 12240,
            (Number16, '$') => text.digits(5, 16)? + 77776,
            (Number16 | Each16, _) => digit(16, "a number in base 16 or a gap")?,
            (Number36, '-') => text.digits(2, 36)?,
            (Number36, _) => digit(36, "a digit in base 36")?,
            (Decimal, _) => {
                text.at = begin;
                let number = text.decimal()? as i32;
                if text.skip('_') && !text.peek().is_some_and(|next| next.is_ascii_digit()) {
                    return Err(text.wrong(text.at, "where another number was wanted"));
                }
                number
            }
            (Letters, _) => {
                let digit = first.is_ascii_digit().then_some(first);
                let letter = if digit.is_some() { text.next("a letter")? } else { first };
                if !letter.is_ascii_uppercase() {
                    return Err(text.wrong(text.at - 1, "where a capital letter was wanted"));
                }
                return Ok((Some(Sign::text(&String::from_iter([letter].into_iter().chain(digit)))), 0));
            }
            (Arrows, _) => return Ok((Some(self.decode_arrow(text, begin)?), 0)),
            (Tapa, '0'..='8') => digit(10, "")?,
            (Tapa, '9') => return Ok((Some(Sign::text("1,1,1,1")), 0)),
            (Tapa, _) => {
                text.at = begin;
                return Ok((Some(decode_tapa(text)?), 0));
            }
            (Compass, _) => {
                text.at = begin;
                let numbers = Codec::of_alphabet(Number16);
                let number = |_| Ok(numbers.decode_sign(text)?.0.map_or(String::new(), |sign| sign.to_string()));
                return Ok((Some(Sign::text(&(0..4).map(number).collect::<Result<Vec<_>, _>>()?.join(","))), 0));
            }
            (Crossed, '.') => return Ok((Some(Sign::text("#")), 0)),
            (Crossed, _) => {
                text.at = begin;
                let (down, across) = (decode_sum(text)?, decode_sum(text)?);
                return Ok((Some(crossed(down, across)), 0));
            }
            (Crossed16, _) => {
                text.at = begin + usize::from("-+=".contains(first));
                let mut sum = |length: usize| match text.skip('.') {
                    true => Ok(None),
                    false => text.digits(length, 16).map(Some),
                };
                let down = sum(if "+=".contains(first) { 2 } else { 1 })?;
                let across = sum(if "-=".contains(first) { 2 } else { 1 })?;
                return Ok((Some(crossed(down, across)), 0));
            }
            (Number10or16 | Circles | Pairs | Binary | Sparse | Runs | Stars | Gaps | Strides, _) => {
                unreachable!("these are no signs one by one")
            }
        };
        Ok((Some(self.sign_of(number)), 0))
    }

    fn sign_of(&self, number: i32) -> Sign {
        let named = self.keys.iter().find(|(key, _)| *key == Key::Number(number));
        named.map_or(Sign::Number(number), |(_, sign)| sign.clone())
    }

    /// Direction and number; with a digit for a colour before it where there are several.
    fn decode_arrow(&self, text: &mut Cursor<'_>, begin: usize) -> Result<Sign, Wrong> {
        text.at = begin;
        if text.skip('+') {
            return Ok(Sign::text("#"));
        }
        let mut colour = "";
        if !self.signs.is_empty() {
            let digit = text.digits(1, 10)? as usize;
            let wanted = format!("where a digit below {} was wanted", self.signs.len());
            colour = self.signs.get(digit).ok_or_else(|| text.wrong(text.at - 1, &wanted))?;
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
        Ok(Sign::text(&format!("{colour}{number}{arrow}")))
    }

    fn decode_runs(&self, text: &mut Cursor<'_>, places: usize, signs: &mut Vec<Option<Sign>>) -> Result<(), Wrong> {
        // In `runs` the last sign may stand beyond the last place.
        let end = places + usize::from(self.alphabet == Runs);
        while signs.len() < end {
            let at = text.at;
            let letter = text.next("a letter")?;
            let digit = letter.to_digit(36).filter(|_| !letter.is_ascii_uppercase());
            let (before, has_sign, behind) = match (self.alphabet, digit) {
                (Sparse, Some(digit @ 0..18)) => (0, true, digit),
                (Sparse, Some(digit)) => (digit - 17, false, 0),
                (_, None) if letter == '_' => (0, true, 0),
                (_, Some(35)) => (25, false, 0),
                (_, Some(digit @ 10..)) => (digit - 9, true, 0),
                _ => return Err(text.wrong(at, "where a letter was wanted")),
            };
            if signs.len() + (before + behind) as usize + usize::from(has_sign) > end {
                return Err(text.wrong(at, &format!("goes beyond the last of {places} places")));
            }
            signs.resize(signs.len() + before as usize, None);
            signs.extend(has_sign.then(|| Some(self.sign(0))));
            signs.resize(signs.len() + behind as usize, None);
        }
        signs.truncate(places);
        Ok(())
    }

    /// The text of signs, or the index of one that has none.
    pub fn encode(&self, signs: &[Option<&Sign>]) -> Result<String, usize> {
        let mut text = String::new();
        match self.alphabet {
            Circles | Binary => {
                let (base, length) = if self.alphabet == Circles { (3, 3) } else { (2, 5) };
                let value = |(index, sign): (usize, &Option<&Sign>)| {
                    let value = |sign: &Sign| (1..base).find(|&value| self.sign(value as usize - 1) == *sign);
                    sign.map_or(Some(0), value).ok_or(index)
                };
                let values: Vec<u32> = signs.iter().enumerate().map(value).collect::<Result<_, _>>()?;
                text = pack(&values, base, length);
            }
            Number10or16 => {
                let [small, large] = [Number10, Number16].map(|alphabet| Codec { alphabet, ..self.clone() });
                return small.encode(signs).or_else(|_| Ok(format!("-{}", large.encode(signs)?)));
            }
            Pairs => {
                let value = |sign: &Option<&Sign>| match sign {
                    Some(sign) => {
                        (0..self.signs.len()).find(|&index| self.sign(index) == **sign).map(|index| index as i32 + 1)
                    }
                    None => Some(0),
                };
                let values: Vec<Option<i32>> = signs.iter().map(value).collect();
                if let Some(index) = values.iter().position(Option::is_none) {
                    return Err(index);
                }
                let values: Vec<i32> = values.into_iter().flatten().collect();
                let pair = |pair: &[i32]| pair[0] * 4 + pair.get(1).unwrap_or(&0);
                let pairs: Vec<Sign> = values.chunks(2).map(pair).map(Sign::Number).collect();
                let pairs: Vec<Option<&Sign>> =
                    pairs.iter().map(|pair| Some(pair).filter(|pair| **pair != Sign::Number(0))).collect();
                text = Codec::of_alphabet(Number16).encode(&pairs)?;
            }
            Stars => {
                let mut gap = 0;
                for (index, sign) in signs.iter().enumerate() {
                    let Some(sign) = sign else {
                        gap += 1;
                        continue;
                    };
                    let kind = (0..2).find(|&kind| self.sign(kind) == **sign).ok_or(index)?;
                    text.extend(std::iter::repeat_n('z', gap / 25));
                    let letter = letter(10 + gap as u32 % 25);
                    text.push(if kind == 0 { letter } else { letter.to_ascii_uppercase() });
                    gap = 0;
                }
            }
            Sparse | Runs | Gaps | Strides => {
                let index = |(index, sign): (usize, &Option<&Sign>)| {
                    sign.is_some_and(|sign| *sign != self.sign(0)).then_some(index)
                };
                if let Some(index) = signs.iter().enumerate().find_map(index) {
                    return Err(index);
                }
                text = encode_runs(self.alphabet, &signs.iter().map(Option::is_some).collect::<Vec<_>>());
            }
            _ => {
                let (before, most) = self.gaps();
                let (mut gap, mut index) = (0, 0);
                while let Some(sign) = signs.get(index) {
                    let is_empty = sign.is_none() && !matches!(self.alphabet, Number36 | Each16);
                    gap += u32::from(is_empty);
                    if !is_empty || gap == most {
                        text.extend(letter_of(gap, before));
                        gap = 0;
                    }
                    if !is_empty {
                        if self.alphabet == Decimal && text.ends_with(|last: char| last.is_ascii_digit()) {
                            text.push('_');
                        }
                        let most = if self.alphabet == Dots { 7 } else { 2 };
                        let empty = signs[index + 1..].iter().take(most).take_while(|sign| sign.is_none()).count();
                        let (sign, with) = self.encode_sign(*sign, empty).ok_or(index)?;
                        text.push_str(&sign);
                        index += with;
                    }
                    index += 1;
                }
                text.extend(letter_of(gap, before));
            }
        }
        Ok(text)
    }

    fn encode_sign(&self, sign: Option<&Sign>, empty: usize) -> Option<(String, usize)> {
        let Some(sign) = sign else { return Some((".".to_owned(), 0)) };
        if self.alphabet == Dots {
            let value = (0..2).find(|&value| self.sign(value) == *sign)?;
            return Some((format!("{:x}", value + 2 * empty), empty));
        }
        let key = self.keys.iter().find(|(_, named)| named == sign).map(|&(key, _)| key);
        let number = match (sign, key) {
            (_, Some(Key::Character(character))) => return Some((character.to_string(), 0)),
            (_, Some(Key::Number(number))) | (&Sign::Number(number), None) => number,
            (sign, None) if !matches!(self.alphabet, Letters | Arrows | Crossed | Crossed16 | Compass | Tapa) => {
                let unknown = if self.alphabet == Number36 { "@" } else { "." };
                return (*sign == self.sign(0)).then(|| (unknown.to_owned(), 0));
            }
            _ => -1,
        };
        let text = match (self.alphabet, number) {
            (Letters, _) => {
                let text = sign.to_string();
                let (letter, digit) = text.split_at_checked(1)?;
                let is_letter = letter.chars().all(|letter| letter.is_ascii_uppercase());
                let is_digit = digit.len() < 2 && digit.chars().all(|digit| digit.is_ascii_digit());
                (is_letter && is_digit).then(|| format!("{digit}{letter}"))?
            }
            (Arrows, _) => self.encode_arrow(sign)?,
            (Compass, _) => {
                let text = sign.to_string();
                let parts: Vec<Sign> = text.split(',').map(Sign::text).collect();
                let numbers = Codec::of_alphabet(Number16);
                let part = |part: &Sign| Some(numbers.encode_sign(Some(part), 0)?.0);
                parts.iter().map(part).collect::<Option<String>>().filter(|_| parts.len() == 4)?
            }
            (Tapa, 0..=8) => number.to_string(),
            (Tapa, _) => encode_tapa(sign)?,
            (Crossed, _) => {
                let (down, across) = crossing(sign)?;
                match (down, across) {
                    (None, None) => ".".to_owned(),
                    _ => format!("{}{}", encode_sum(down)?, encode_sum(across)?),
                }
            }
            (Crossed16, _) => {
                let (down, across) = crossing(sign)?;
                let [long_down, long_across] = [down, across].map(|sum| sum.is_some_and(|sum| sum > 15));
                let prefix = match (long_down, long_across) {
                    (false, false) => "",
                    (false, true) => "-",
                    (true, false) => "+",
                    (true, true) => "=",
                };
                let sum = |sum: Option<i32>| match sum {
                    None => Some(".".to_owned()),
                    Some(sum @ 0..256) => Some(format!("{sum:x}")),
                    Some(_) => None,
                };
                format!("{prefix}{}{}", sum(down)?, sum(across)?)
            }
            (_, ..0) => return None,
            (Number4, 0..=4) => return Some((format!("{:x}", number + 5 * empty as i32), empty)),
            (Number10, 0..10) | (Decimal, _) => number.to_string(),
            (Number16 | Each16, 0..16) => format!("{number:x}"),
            (Number16 | Each16, 16..256) => format!("-{number:x}"),
            (Number16, 256..4096) => format!("+{number:x}"),
            (Number16, 4096..8192) => format!("={:03x}", number - 4096),
            (Number16, 8192..12240) => format!("@{:03x}", number - 8192),
            (Number16, 12240..77776) => format!("*{:04x}", number - 12240),
            (Number16, 77776..1_126_352) => format!("${:05x}", number - 77776),
            (Number36, 0..36) => String::from(letter(number as u32)),
            (Number36, 36..1296) => format!("-{}{}", letter(number as u32 / 36), letter(number as u32 % 36)),
            _ => return None,
        };
        Some((text, 0))
    }

    fn encode_arrow(&self, sign: &Sign) -> Option<String> {
        let text = sign.to_string();
        if text == "#" {
            return Some("+".to_owned());
        }
        // The longest colour that fits: there may be an empty one.
        let colours = self.signs.iter().enumerate().filter(|(_, colour)| text.starts_with(colour.as_str()));
        let colour = colours.max_by_key(|(_, colour)| colour.len());
        let (prefix, rest) = match colour {
            Some((index, colour)) => (index.to_string(), &text[colour.len()..]),
            None if self.signs.is_empty() => (String::new(), &text[..]),
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
}

fn gap_of(text: &Cursor<'_>, gap: usize, places: usize, signs: &mut Vec<Option<Sign>>) -> Result<(), Wrong> {
    let left = places - signs.len();
    if gap > left {
        return Err(text.wrong(text.at - 1, &format!("is a gap of {gap}, where {left} of {places} places are left")));
    }
    signs.resize(signs.len() + gap, None);
    Ok(())
}

fn letter(digit: u32) -> char {
    char::from_digit(digit, 36).expect("a digit in base 36")
}

fn letter_of(gap: u32, before: u32) -> Option<char> {
    (gap > 0).then(|| letter(before + gap))
}

/// Numbers below `base`, so many in a character, the first one as the most significant digit.
pub fn unpack(text: &mut Cursor<'_>, base: u32, length: usize, count: usize) -> Result<Vec<u32>, Wrong> {
    let radix = base.pow(length as u32);
    let mut values = Vec::with_capacity(count);
    while values.len() < count {
        let digits = text.digits(1, radix)? as u32;
        values.extend((0..length).rev().map(|place| digits / base.pow(place as u32) % base).take(count - values.len()));
    }
    Ok(values)
}

pub fn pack(values: &[u32], base: u32, length: usize) -> String {
    let digits = values.chunks(length).map(|chunk| {
        let places = (0..length).map(|place| chunk.get(place).copied().unwrap_or(0));
        places.fold(0, |number, value| number * base + value)
    });
    digits.map(letter).collect()
}

fn encode_runs(alphabet: Alphabet, has_sign: &[bool]) -> String {
    let mut text = String::new();
    let mut rest = has_sign;
    if alphabet == Runs {
        let mut runs: Vec<usize> = has_sign.split(|&has_sign| has_sign).map(<[bool]>::len).collect();
        for run in &mut runs {
            text.extend(std::iter::repeat_n('z', *run / 25));
            text.push(if *run % 25 == 0 { '_' } else { letter(9 + *run as u32 % 25) });
        }
        return text;
    }
    if alphabet == Gaps {
        // What is behind the last sign is not written.
        let runs = has_sign.split_inclusive(|&has_sign| has_sign).filter(|run| run.ends_with(&[true]));
        for gap in runs.map(|run| run.len() - 1) {
            text.extend(std::iter::repeat_n('.', gap / 36));
            text.push(letter(gap as u32 % 36));
        }
        return text;
    }
    if alphabet == Strides {
        let mut gap = 0;
        for &has_sign in has_sign {
            gap += u32::from(!has_sign);
            if has_sign || gap == 35 {
                text.push(letter(gap));
                gap = 0;
            }
        }
        text.extend((gap > 0).then(|| letter(gap)));
        return text;
    }
    while let Some(&first) = rest.first() {
        let most = if first { 17 } else { 18 };
        let gap = rest[usize::from(first)..].iter().take(most).take_while(|has_sign| !**has_sign).count();
        text.push(letter(gap as u32 + if first { 0 } else { 17 }));
        rest = &rest[gap + usize::from(first)..];
    }
    text
}

/// The numbers of a tapa clue are digits of one number, each as large as it can be beside so many others; 0 is unknown.
const TAPA: [(i32, i32, usize); 3] = [(360, 6, 2), (396, 4, 3), (460, 2, 4)];

fn decode_tapa(text: &mut Cursor<'_>) -> Result<Sign, Wrong> {
    let begin = text.at;
    let code = text.digits(2, 36)?;
    let fits = TAPA.iter().rev().find(|&&(first, base, count)| (first..first + base.pow(count as u32)).contains(&code));
    let &(first, base, count) = fits.ok_or_else(|| text.wrong(begin, "is neither a clue nor a gap"))?;
    let digits = (0..count).rev().map(|place| (code - first) / base.pow(place as u32) % base);
    let words = digits.map(|digit| if digit == 0 { "?".to_owned() } else { digit.to_string() });
    Ok(Sign::text(&words.collect::<Vec<_>>().join(",")))
}

fn encode_tapa(sign: &Sign) -> Option<String> {
    let text = sign.to_string();
    match text.as_str() {
        "?" => return Some(".".to_owned()),
        "1,1,1,1" => return Some("9".to_owned()),
        _ => {}
    }
    let words: Vec<&str> = text.split(',').collect();
    let &(first, base, _) = TAPA.iter().find(|&&(_, _, count)| count == words.len())?;
    let code = words.iter().try_fold(0, |code, &word| {
        let digit = if word == "?" { 0 } else { word.parse().ok().filter(|digit| (1..base).contains(digit))? };
        Some(code * base + digit)
    })?;
    Some(format!("{}{}", letter((first + code) as u32 / 36), letter((first + code) as u32 % 36)))
}

/// 0 to 19 as 0 to j, 20 to 45 as A to Z, none as `-`.
pub fn decode_sum(text: &mut Cursor<'_>) -> Result<Option<i32>, Wrong> {
    let character = text.next("a sum")?;
    match character {
        '-' => Ok(None),
        'A'..='Z' => Ok(Some(20 + (character as i32 - 'A' as i32))),
        _ => {
            let digit = character.to_digit(20).ok_or_else(|| text.wrong(text.at - 1, "where a sum was wanted"))?;
            Ok(Some(digit as i32))
        }
    }
}

pub fn encode_sum(sum: Option<i32>) -> Option<String> {
    let character = match sum {
        None => '-',
        Some(sum @ 0..20) => letter(sum as u32),
        Some(sum @ 20..46) => (b'A' + (sum - 20) as u8) as char,
        _ => return None,
    };
    Some(String::from(character))
}

/// Two clues in a cell: down and across.
pub fn crossed(down: Option<i32>, across: Option<i32>) -> Sign {
    let [down, across] = [down, across].map(|sum| sum.map_or(String::new(), |sum| sum.to_string()));
    Sign::text(if down.is_empty() && across.is_empty() { "#".to_owned() } else { format!("{down}\\{across}") }.as_str())
}

pub fn crossing(sign: &Sign) -> Option<(Option<i32>, Option<i32>)> {
    let text = sign.to_string();
    if text == "#" {
        return Some((None, None));
    }
    let (down, across) = text.split_once('\\')?;
    let sum = |text: &str| if text.is_empty() { Some(None) } else { text.parse().ok().map(Some) };
    Some((sum(down)?, sum(across)?))
}
