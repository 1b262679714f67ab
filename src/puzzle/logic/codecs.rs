//! Codecs, which encode signs as characters of a link or a game id. A puzzle's header names its
//! codecs.
//!
//! Most codecs write the signs in order, and a letter for each run of empty places (a "gap"). Each
//! codec has its own scheme. Arguments in brackets define the sign that is written as `.`, or the
//! signs that are written as numbers: `number16("o", 1 = "*")`. With `run = "o"`, the digit d means
//! d + 1 signs `o`. With `short`, the gap after the last sign may be missing.
//!
//! | codec | encoding of a sign | encoding of a gap |
//! |---|---|---|
//! | `number4` | 0 to 4, together with up to two empty places after it (`5` is 0 and a gap) | from `g` |
//! | `number10` | a digit | from `a` |
//! | `number16` | a digit in base 16; larger numbers begin with `-`, `+`, `=`, `@`, `*` or `$`: `-1f`, `+123` | from `g` |
//! | `number10or16` | as in `number10`; if a number exceeds 9, `-` and then all signs as in `number16` | |
//! | `number36` | a digit in base 36, `-` before two digits; `@` is unknown | `.` is one empty place |
//! | `number46` | 0 to 19 as 0 to j, 20 to 45 as A to Z; `_` is unknown | from `k`, a gap of two; `.` is one empty place |
//! | `counted` | as in `number16` | `i` and a digit in base 16; `n` is one empty place |
//! | `next16` | the number plus 1, as in `number16` | from `g` |
//! | `coloured` | as in `number16`: the tens give a colour, A to F, and the units the number plus 1, or 0: `35` is `C4`, `30` is `C` | from `g` |
//! | `halves` | as in `number16`: the first of two signs if even, the second if odd, followed by half the number: `4` is `o2`, `1` is `*` | from `g` |
//! | `turns` | as in `number16`: a digit for a direction, then digits for numbers: `2403` is `v4,?,3` | from `g` |
//! | `fractions` | numerator and denominator, as in `number16`: `1/2`; `.` after an integer, and `0.` is `#` | from `g`, in halves of a sign |
//! | `either16` | as in `number16`; a number of another kind, named in brackets, is `i` and a digit, `g` and two, or `h` if unknown | from `j` |
//! | `digits` | a digit for each number in a cell: `203` is `2,?,3` | from `a`; a gap after a sign includes the cell of the sign |
//! | `decimal` | a number in base 10, with `_` between two numbers | from `a` |
//! | `letters` | a capital letter, after a digit if there are more than 26 letters: `2A` is `A2` | from `a` |
//! | `abc` | a capital letter, written in lower case | from `0` to `9` |
//! | `arrows` | direction and number: `23` is `3v`; if brackets name signs, a digit before the direction chooses one | from `a` |
//! | `tapa` | up to four numbers in one or two characters | from `g` |
//! | `tapaloop` | as in `tapa`, for larger numbers; three begin with `+`, four with `-` | from `g` |
//! | `compass` | four numbers as in `number16`, or `.`: `2,?,2,1` | from `g` |
//! | `crossed` | down and across clues: `16\3` | from `k` |
//! | `crossed16` | as in `crossed`, as digits in base 16, `.` for none; `-`, `+` and `=` begin longer ones | from `g` |
//! | `crossed36` | as in `crossed16`, but a single clue is `@` (down) or `$` (across) and a digit in base 36, and `_` is neither | from `g` |
//! | `each16`, `each32` | a digit in base 16 or 32, `-` begins two | `.` is one empty place |
//! | `circles` | three places in a character, in base 3 | |
//! | `binary` | five places in a character | |
//! | `pairs` | one of two or three signs in each of two places, together as `number16` | from `g` |
//! | `dots` | one of two signs, together with up to seven empty places after it | from `g` |
//! | `sparse` | a character for the only sign, together with the gap after it | `i` to `z`, for a gap without a sign before it |
//! | `runs` | a letter for the only sign, together with the gap before it | |
//! | `stars` | a letter for one of two signs, together with the gap before it: lower case for the first sign, a capital for the second; `z` is a gap of 25 | |
//! | `gaps` | a digit in base 36 for the only sign, together with the gap before it; `.` is a gap of 36 | |
//! | `marks` | as in `gaps`; the gap after the last sign is written too | |
//! | `strides` | as in `gaps`, but `z` is a gap of 35; the gap after the last sign is written too | |

use std::ops::Range;

use super::board::{Clue, SpanError};

/// A cursor over the characters of a text.
pub struct Cursor<'a> {
    /// Each character with its byte range in the document.
    pub characters: &'a [(Range<usize>, char)],
    pub at: usize,
}

impl Cursor<'_> {
    pub fn peek(&self) -> Option<char> {
        self.characters.get(self.at).map(|&(_, character)| character)
    }

    pub fn next(&mut self, expected: &str) -> Result<char, SpanError> {
        let next = self.peek().ok_or_else(|| self.expected(self.at, expected))?;
        self.at += 1;
        Ok(next)
    }

    pub fn skip(&mut self, character: char) -> bool {
        let is_next = self.peek() == Some(character);
        self.at += usize::from(is_next);
        is_next
    }

    pub fn digits(&mut self, count: usize, radix: u32) -> Result<i32, SpanError> {
        (0..count).try_fold(0, |number, _| {
            let expected = format!("a digit in base {radix}");
            let digit = self.next(&expected)?.to_digit(radix);
            let digit = digit.ok_or_else(|| self.expected(self.at - 1, &expected))?;
            Ok(number * radix as i32 + digit as i32)
        })
    }

    /// Reads a decimal number of any length.
    pub fn decimal(&mut self) -> Result<usize, SpanError> {
        let begin = self.at;
        while self.peek().is_some_and(|digit| digit.is_ascii_digit()) {
            self.at += 1;
        }
        let digits: String = self.characters[begin..self.at].iter().map(|&(_, digit)| digit).collect();
        if digits.is_empty() {
            return Err(self.expected(begin, "a number"));
        }
        let number = digits.parse().ok().filter(|&number| number <= i32::MAX as usize);
        number.ok_or_else(|| self.wrong(begin, "begins a number that is too large"))
    }

    /// Creates an error "character 12: expected X, found `y`", or a similar one if `at` is the end
    /// of the text.
    pub fn expected(&self, at: usize, what: &str) -> SpanError {
        match self.characters.get(at) {
            Some((range, character)) => {
                (format!("character {}: expected {what}, found `{character}`", at + 1), range.clone())
            }
            None => {
                let end = self.characters.last().map_or(0, |(range, _)| range.end);
                (format!("the text ends at character {}: expected {what}", self.characters.len()), end..end)
            }
        }
    }

    /// Creates an error "character 12, `x`, {what}", or a similar one if `at` is the end of the
    /// text.
    pub fn wrong(&self, at: usize, what: &str) -> SpanError {
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
pub enum Scheme {
    Number4,
    Number10,
    Number16,
    Number10or16,
    Number36,
    Number46,
    Counted,
    Next16,
    Coloured,
    Halves,
    Turns,
    Fractions,
    Either16,
    Digits,
    Decimal,
    Letters,
    Abc,
    Arrows,
    Tapa,
    Tapaloop,
    Compass,
    Crossed,
    Crossed16,
    Crossed36,
    Each16,
    Each32,
    Circles,
    Dots,
    Pairs,
    Binary,
    Sparse,
    Runs,
    Stars,
    Gaps,
    Marks,
    Strides,
}

use Scheme::*;

pub const SCHEMES: [(&str, Scheme); 36] = [
    ("number4", Number4),
    ("number10", Number10),
    ("number16", Number16),
    ("number10or16", Number10or16),
    ("number36", Number36),
    ("number46", Number46),
    ("counted", Counted),
    ("next16", Next16),
    ("coloured", Coloured),
    ("halves", Halves),
    ("turns", Turns),
    ("fractions", Fractions),
    ("either16", Either16),
    ("digits", Digits),
    ("decimal", Decimal),
    ("letters", Letters),
    ("abc", Abc),
    ("arrows", Arrows),
    ("tapa", Tapa),
    ("tapaloop", Tapaloop),
    ("compass", Compass),
    ("crossed", Crossed),
    ("crossed16", Crossed16),
    ("crossed36", Crossed36),
    ("each16", Each16),
    ("each32", Each32),
    ("circles", Circles),
    ("dots", Dots),
    ("pairs", Pairs),
    ("binary", Binary),
    ("sparse", Sparse),
    ("runs", Runs),
    ("stars", Stars),
    ("gaps", Gaps),
    ("marks", Marks),
    ("strides", Strides),
];

/// The arrows for directions 1 to 4 in links.
const DIRECTIONS: &str = "^v<>";

/// The code of a named sign: a character of the text, or a number in the scheme of the codec.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    Character(char),
    Number(i32),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Codec {
    pub scheme: Scheme,
    /// The signs by number, from 0; in other schemes, only the sign for `.`.
    pub signs: Vec<String>,
    pub keys: Vec<(Key, Clue)>,
    /// The letter for a gap of one place, if it differs from the scheme's own.
    pub gap: Option<char>,
    /// The sign whose runs are written as digits.
    pub run: Option<Clue>,
    /// True if the gap after the last sign may be missing.
    pub is_short: bool,
}

/// The range of base-36 digits that encode gaps. The digit `first` is a gap of length `shortest`.
struct GapDigits {
    first: u32,
    last: u32,
    shortest: u32,
}

impl Codec {
    pub fn of_name(name: &str) -> Option<Codec> {
        SCHEMES.iter().find(|entry| entry.0 == name).map(|entry| Codec::of_scheme(entry.1))
    }

    pub fn of_scheme(scheme: Scheme) -> Codec {
        Codec { scheme, signs: Vec::new(), keys: Vec::new(), gap: None, run: None, is_short: false }
    }

    /// Returns the sign with number `index`, counted from 0. Sign 0 is also the sign for `.`.
    pub fn sign(&self, index: usize) -> Clue {
        let default = match self.scheme {
            Circles | Dots | Stars | Halves => ["o", "*"][index],
            Binary | Sparse | Runs | Gaps | Marks | Strides => "#",
            _ => "?",
        };
        Clue::text(self.signs.get(index).map_or(default, String::as_str))
    }

    fn gaps(&self) -> GapDigits {
        let from_digit = |first: char| GapDigits { first: first.to_digit(36).unwrap_or(36), last: 35, shortest: 1 };
        if let Some(gap) = self.gap {
            return from_digit(gap);
        }
        match self.scheme {
            Number46 => GapDigits { shortest: 2, ..from_digit('k') },
            Counted => GapDigits { last: 23, ..from_digit('n') },
            Abc => GapDigits { last: 9, ..from_digit('0') },
            Number4 | Number16 | Tapa | Tapaloop | Compass | Crossed16 | Crossed36 | Dots => from_digit('g'),
            Number10 | Decimal | Letters | Arrows | Digits => from_digit('a'),
            Either16 => from_digit('j'),
            Crossed => from_digit('k'),
            _ => from_digit('!'),
        }
    }

    fn longest_gap(&self) -> u32 {
        let GapDigits { first, last, shortest } = self.gaps();
        if self.scheme == Counted { 15 } else { (last + shortest).saturating_sub(first) }
    }

    fn encode_gap(&self, gap: u32) -> String {
        let GapDigits { first, shortest, .. } = self.gaps();
        match gap {
            0 => String::new(),
            2.. if self.scheme == Counted => format!("i{gap:x}"),
            _ if gap < shortest => ".".to_owned(),
            _ => letter(first + gap - shortest).into(),
        }
    }

    /// Reads a gap. Returns `None` if the next character does not begin one.
    fn take_gap(&self, text: &mut Cursor<'_>) -> Result<Option<usize>, SpanError> {
        let GapDigits { first, last, shortest } = self.gaps();
        let next = text.peek();
        if self.scheme == Counted && text.skip('i') {
            return Ok(Some(text.digits(1, 16)? as usize));
        }
        let digit = next.filter(|letter| !letter.is_ascii_uppercase()).and_then(|letter| letter.to_digit(36));
        let gap = digit.filter(|digit| (first..=last).contains(digit)).map(|digit| (digit - first + shortest) as usize);
        text.at += usize::from(gap.is_some());
        Ok(gap)
    }

    /// Returns this codec with the scheme `number16`.
    fn as_base_16(&self) -> Codec {
        Codec { scheme: Number16, ..self.clone() }
    }

    /// Decodes the signs of `places` places, `None` for an empty place.
    pub fn decode(&self, text: &mut Cursor<'_>, places: usize) -> Result<Vec<Option<Clue>>, SpanError> {
        let mut signs = Vec::with_capacity(places);
        match self.scheme {
            Circles | Binary => {
                let (base, length) = if self.scheme == Circles { (3, 3) } else { (2, 5) };
                let values = unpack(text, base, length, places)?;
                signs.extend(values.into_iter().map(|value| (value > 0).then(|| self.sign(value as usize - 1))));
            }
            Number10or16 => {
                let scheme = if text.skip('-') { Number16 } else { Number10 };
                return Codec { scheme, ..self.clone() }.decode(text, places);
            }
            Pairs => {
                let begin = text.at;
                let base = self.signs.len() + 1;
                for pair in Codec::of_scheme(Number16).decode(text, places.div_ceil(2))? {
                    let value = match pair {
                        None => 0,
                        Some(Clue::Number(value)) if (0..(base * base) as i32).contains(&value) => value as usize,
                        Some(sign) => {
                            return Err(
                                text.wrong(begin, &format!("begins pairs of signs, and `{sign}` is not a pair"))
                            );
                        }
                    };
                    let sign = |value: usize| value.checked_sub(1).map(|index| self.sign(index));
                    signs.extend([value / base, value % base].map(sign));
                }
                signs.resize(places, None);
            }
            Fractions => {
                let begin = text.at;
                for halves in self.as_base_16().decode(text, 2 * places)?.chunks(2) {
                    signs.push(
                        join_fraction(halves)
                            .ok_or_else(|| text.wrong(begin, "begins halves of fractions that do not fit"))?,
                    );
                }
            }
            Next16 | Coloured | Halves | Turns => {
                let begin = text.at;
                for sign in self.as_base_16().decode(text, places)? {
                    let meaning = sign.as_ref().map(|sign| match sign {
                        Clue::Number(number) => self
                            .sign_for_number(*number)
                            .ok_or_else(|| text.wrong(begin, &format!("begins signs, and {number} is not one"))),
                        unknown if self.scheme == Halves => {
                            Err(text.wrong(begin, &format!("begins signs, and `{unknown}` is not one")))
                        }
                        named => Ok(named.clone()),
                    });
                    signs.push(meaning.transpose()?);
                }
            }
            Digits => {
                let mut is_after_sign = false;
                while signs.len() < places {
                    let begin = text.at;
                    if let Some(gap) = self.take_gap(text)? {
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
                    let words: Vec<String> =
                        digits.map(|digit| if digit == "0" { "?".to_owned() } else { digit }).collect();
                    signs.push(Some(Clue::text(&words.join(","))));
                    is_after_sign = true;
                }
                text.skip('/');
            }
            Strides => {
                while signs.len() < places {
                    let gap = text.digits(1, 36)? as usize;
                    push_gap(text, gap, places, &mut signs)?;
                    signs.extend((gap < 35 && signs.len() < places).then(|| Some(self.sign(0))));
                }
            }
            Sparse | Runs => self.decode_runs(text, places, &mut signs)?,
            Stars => {
                while let Some(letter) = text.peek().filter(char::is_ascii_alphabetic) {
                    let gap = letter.to_digit(36).unwrap_or(10) as usize - 10;
                    push_gap(text, gap, places, &mut signs)?;
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
            Gaps | Marks => {
                // `marks` writes a gap even if there are no places.
                let begin = text.at;
                while (signs.len() < places || self.scheme == Marks && text.at == begin)
                    && text.peek().is_some_and(|next| next == '.' || next.is_ascii_alphanumeric())
                {
                    let is_long = text.skip('.');
                    let gap = if is_long { 36 } else { text.digits(1, 36)? as usize };
                    push_gap(text, gap, places, &mut signs)?;
                    signs.extend((!is_long && signs.len() < places).then(|| Some(self.sign(0))));
                }
                signs.resize(places, None);
            }
            _ => {
                while signs.len() < places {
                    let begin = text.at;
                    if self.is_short && text.peek().is_none() {
                        signs.resize(places, None);
                        break;
                    }
                    if let Some(gap) = self.take_gap(text)? {
                        push_gap(text, gap, places, &mut signs)?;
                        continue;
                    }
                    let count = text.peek().and_then(|digit| digit.to_digit(10));
                    if let Some((sign, count)) = self.run.as_ref().zip(count) {
                        text.at += 1;
                        let end = signs.len() + 1 + count as usize;
                        signs.resize(end.min(places), Some(sign.clone()));
                        continue;
                    }
                    let (sign, gap) = self.decode_sign(text).map_err(|wrong| match text.characters.get(begin) {
                        Some(_) => wrong,
                        None => text.wrong(begin, &format!("after {} of {places} places", signs.len())),
                    })?;
                    signs.push(sign);
                    // A gap that is encoded together with a sign may extend beyond the last place.
                    signs.resize(places.min(signs.len() + gap), None);
                }
            }
        }
        Ok(signs)
    }

    /// Decodes a character that encodes a sign, perhaps together with a gap. Returns the sign and
    /// the length of the gap.
    fn decode_sign(&self, text: &mut Cursor<'_>) -> Result<(Option<Clue>, usize), SpanError> {
        let begin = text.at;
        let first = text.next("a sign")?;
        if let Some((_, sign)) = self.keys.iter().find(|(key, _)| *key == Key::Character(first)) {
            return Ok((Some(sign.clone()), 0));
        }
        let digit = |radix: u32, expected: &str| {
            let digit = if first.is_ascii_uppercase() { None } else { first.to_digit(radix) };
            digit.map(|digit| digit as i32).ok_or_else(|| text.expected(begin, expected))
        };
        let number = match (self.scheme, first) {
            (Number36 | Number46 | Each16 | Each32, '.') => return Ok((None, 0)),
            (Number4 | Number10 | Number16 | Counted | Tapa | Tapaloop | Abc, '.')
            | (Number36, '@' | '%')
            | (Number46, '_') => return Ok((Some(self.sign(0)), 0)),
            (Either16, 'g'..='i') => {
                let number = match first {
                    'h' => "?".to_owned(),
                    _ => text.digits(if first == 'g' { 2 } else { 1 }, 16)?.to_string(),
                };
                return Ok((Some(Clue::text(&format!("{}{number}", self.sign(0)))), 0));
            }
            (Either16, '.') => return Ok((Some(Clue::text("?")), 0)),
            (Abc, 'a'..='z') => return Ok((Some(Clue::text(&first.to_ascii_uppercase().to_string())), 0)),
            (Abc, _) => return Err(text.expected(begin, "a lower-case letter or a gap")),
            (Number4, _) => {
                let value = digit(15, "a number from 0 to 4 or a gap")?;
                return Ok((Some(self.sign_of(value % 5)), value as usize / 5));
            }
            (Dots, _) => {
                let value = digit(16, "a dot or a gap")?;
                return Ok((Some(self.sign(value as usize % 2)), value as usize / 2));
            }
            (Number10, _) => digit(10, "a digit or a gap")?,
            (Number16 | Counted | Either16 | Each16, '-') => text.digits(2, 16)?,
            (Each32, '-') => text.digits(2, 32)?,
            (Each32, _) => digit(32, "a number in base 32")?,
            (Number46, _) => {
                text.at = begin;
                decode_sum(text)?.unwrap_or_default()
            }
            (Number16, '+') => text.digits(3, 16)?,
            (Number16, '=') => text.digits(3, 16)? + 4096,
            (Number16, '%' | '@') => text.digits(3, 16)? + 8192,
            (Number16, '*') => text.digits(4, 16)? + 12240,
            (Number16, '$') => text.digits(5, 16)? + 77776,
            (Number16 | Counted | Either16 | Each16, _) => digit(16, "a number in base 16 or a gap")?,
            (Number36, '-') => text.digits(2, 36)?,
            (Number36, _) => digit(36, "a digit in base 36")?,
            (Decimal, _) => {
                text.at = begin;
                let number = text.decimal()? as i32;
                if text.skip('_') && !text.peek().is_some_and(|next| next.is_ascii_digit()) {
                    return Err(text.expected(text.at, "another number"));
                }
                number
            }
            (Letters, _) => {
                let digit = first.is_ascii_digit().then_some(first);
                let letter = if digit.is_some() { text.next("a letter")? } else { first };
                if !letter.is_ascii_uppercase() {
                    return Err(text.expected(text.at - 1, "a capital letter"));
                }
                return Ok((Some(Clue::text(&String::from_iter([letter].into_iter().chain(digit)))), 0));
            }
            (Arrows, _) => return Ok((Some(self.decode_arrow(text, begin)?), 0)),
            (Tapa | Tapaloop, '0'..='8') => digit(10, "")?,
            (Tapa, '9') => return Ok((Some(Clue::text("1,1,1,1")), 0)),
            (Tapa | Tapaloop, _) => {
                text.at = begin;
                return Ok((Some(decode_tapa(text, self.tapa_encodings())?), 0));
            }
            (Compass, _) => {
                text.at = begin;
                let numbers = Codec::of_scheme(Number16);
                let number = |_| Ok(numbers.decode_sign(text)?.0.map_or(String::new(), |sign| sign.to_string()));
                return Ok((Some(Clue::text(&(0..4).map(number).collect::<Result<Vec<_>, _>>()?.join(","))), 0));
            }
            (Crossed, '.') => return Ok((Some(Clue::text("#")), 0)),
            (Crossed, _) => {
                text.at = begin;
                let (down, across) = (decode_sum(text)?, decode_sum(text)?);
                return Ok((Some(join_crossed(down, across)), 0));
            }
            (Crossed36, '_') => return Ok((Some(join_crossed(None, None)), 0)),
            (Crossed36, '@' | '%' | '$') => {
                let sum = Some(text.digits(1, 36)?);
                return Ok((Some(if first == '$' { join_crossed(None, sum) } else { join_crossed(sum, None) }), 0));
            }
            (Crossed16 | Crossed36, _) => {
                text.at = begin + usize::from("-+=".contains(first));
                let mut sum = |length: usize| match text.skip('.') {
                    true => Ok(None),
                    false => text.digits(length, 16).map(Some),
                };
                let down = sum(if "+=".contains(first) { 2 } else { 1 })?;
                let across = sum(if "-=".contains(first) { 2 } else { 1 })?;
                return Ok((Some(join_crossed(down, across)), 0));
            }
            (
                Number10or16 | Next16 | Coloured | Halves | Turns | Fractions | Digits | Circles | Pairs | Binary
                | Sparse | Runs | Stars | Gaps | Marks | Strides,
                _,
            ) => unreachable!("these are no signs one by one"),
        };
        Ok((Some(self.sign_of(number)), 0))
    }

    fn sign_of(&self, number: i32) -> Clue {
        let named = self.keys.iter().find(|(key, _)| *key == Key::Number(number));
        named.map_or(Clue::Number(number), |(_, sign)| sign.clone())
    }

    fn tapa_encodings(&self) -> &'static [TapaEncoding] {
        if self.scheme == Tapa { &TAPA } else { &TAPALOOP }
    }

    /// Returns the sign that a number encodes in a scheme in which the sign is not the number
    /// itself.
    fn sign_for_number(&self, number: i32) -> Option<Clue> {
        Some(match self.scheme {
            Next16 => Clue::Number(number - 1),
            Coloured => {
                let colour = (number / 10).checked_sub(1).filter(|index| *index >= 0);
                let colour = colour.map_or(Some(""), |index| COLOURS.get(index as usize).copied())?;
                let number = (number % 10 > 0).then(|| (number % 10 - 1).to_string());
                Clue::text(&format!(
                    "{colour}{}",
                    number.unwrap_or(if colour.is_empty() { "?" } else { "" }.to_owned())
                ))
            }
            Halves => {
                let half = if number > 1 { (number / 2).to_string() } else { String::new() };
                Clue::text(&format!("{}{half}", self.sign(number as usize % 2)))
            }
            _ if number == 0 => Clue::text("?"),
            _ => {
                let digits = number.to_string();
                let direction = digits[..1].parse::<usize>().ok()?.checked_sub(1)?;
                let numbers = digits[1..].replace('0', "?");
                let numbers: Vec<String> = numbers.chars().map(String::from).collect();
                Clue::text(&format!("{}{}", DIRECTIONS.chars().nth(direction)?, numbers.join(",")))
            }
        })
    }

    /// Returns the number that encodes a sign, the inverse of [`Self::sign_for_number`].
    fn number_for_sign(&self, sign: &Clue) -> Option<i32> {
        let text = sign.to_string();
        match (self.scheme, sign) {
            (Next16, Clue::Number(number)) => Some(number + 1),
            (Coloured | Turns, _) if text == "?" => Some(0),
            (Coloured, _) => {
                let colour = COLOURS.iter().position(|colour| text.starts_with(colour));
                let digit = &text[usize::from(colour.is_some())..];
                let tens = colour.map_or(0, |index| 10 * (index as i32 + 1));
                if digit.is_empty() {
                    return (tens > 0).then_some(tens);
                }
                digit.parse::<i32>().ok().filter(|digit| (0..9).contains(digit)).map(|digit| tens + digit + 1)
            }
            (Halves, _) => {
                let (kind, half) = (0..2).find_map(|kind| {
                    let half = text.strip_prefix(&self.sign(kind as usize).to_string())?;
                    Some((kind, if half.is_empty() { 0 } else { half.parse().ok().filter(|half| *half > 0)? }))
                })?;
                i32::checked_add(i32::checked_mul(2, half)?, kind)
            }
            (Turns, _) => {
                let direction = DIRECTIONS.find(text.chars().next()?)?;
                format!("{}{}", direction + 1, cell_digits(&Clue::text(&text[1..]))?).parse().ok()
            }
            _ => None,
        }
    }

    /// Decodes a direction and a number, after a digit for the colour if the codec has colours.
    fn decode_arrow(&self, text: &mut Cursor<'_>, begin: usize) -> Result<Clue, SpanError> {
        text.at = begin;
        if text.skip('+') {
            return Ok(Clue::text("#"));
        }
        let mut colour = "";
        if !self.signs.is_empty() {
            let digit = text.digits(1, 10)? as usize;
            let expected = format!("a digit below {}", self.signs.len());
            colour = self.signs.get(digit).ok_or_else(|| text.expected(text.at - 1, &expected))?;
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

    fn decode_runs(
        &self,
        text: &mut Cursor<'_>,
        places: usize,
        signs: &mut Vec<Option<Clue>>,
    ) -> Result<(), SpanError> {
        // `runs` writes the last gap as if a sign followed it, one place beyond the end.
        let end = places + usize::from(self.scheme == Runs);
        while signs.len() < end {
            let at = text.at;
            let letter = text.next("a letter")?;
            let digit = letter.to_digit(36).filter(|_| !letter.is_ascii_uppercase());
            let (before, has_sign, after) = match (self.scheme, digit) {
                (Sparse, Some(digit @ 0..18)) => (0, true, digit),
                (Sparse, Some(digit)) => (digit - 17, false, 0),
                (_, None) if letter == '_' => (0, true, 0),
                (_, Some(35)) => (25, false, 0),
                (_, Some(digit @ 10..)) => (digit - 9, true, 0),
                _ => return Err(text.expected(at, "a letter")),
            };
            if signs.len() + (before + after) as usize + usize::from(has_sign) > end {
                return Err(text.wrong(at, &format!("goes beyond the last of {places} places")));
            }
            signs.resize(signs.len() + before as usize, None);
            signs.extend(has_sign.then(|| Some(self.sign(0))));
            signs.resize(signs.len() + after as usize, None);
        }
        signs.truncate(places);
        Ok(())
    }

    pub fn can_encode(&self, sign: &Clue) -> bool {
        self.encode(&[Some(sign)]).is_ok()
    }

    /// Encodes signs. The error is the index of a sign that the codec cannot encode.
    pub fn encode(&self, signs: &[Option<&Clue>]) -> Result<String, usize> {
        let mut text = String::new();
        match self.scheme {
            Circles | Binary => {
                let (base, length) = if self.scheme == Circles { (3, 3) } else { (2, 5) };
                let value = |(index, sign): (usize, &Option<&Clue>)| {
                    let value = |sign: &Clue| (1..base).find(|&value| self.sign(value as usize - 1) == *sign);
                    sign.map_or(Some(0), value).ok_or(index)
                };
                let values: Vec<u32> = signs.iter().enumerate().map(value).collect::<Result<_, _>>()?;
                text = pack(&values, base, length);
            }
            Number10or16 => {
                let [small, large] = [Number10, Number16].map(|scheme| Codec { scheme, ..self.clone() });
                return small.encode(signs).or_else(|_| Ok(format!("-{}", large.encode(signs)?)));
            }
            Pairs => {
                let base = self.signs.len() as i32 + 1;
                let value = |sign: &Option<&Clue>| match sign {
                    Some(sign) => (1..base).find(|&value| self.sign(value as usize - 1) == **sign),
                    None => Some(0),
                };
                let values: Vec<Option<i32>> = signs.iter().map(value).collect();
                if let Some(index) = values.iter().position(Option::is_none) {
                    return Err(index);
                }
                let values: Vec<i32> = values.into_iter().flatten().collect();
                let pair = |pair: &[i32]| pair[0] * base + pair.get(1).unwrap_or(&0);
                let pairs: Vec<Clue> = values.chunks(2).map(pair).map(Clue::Number).collect();
                let pairs: Vec<Option<&Clue>> =
                    pairs.iter().map(|pair| Some(pair).filter(|pair| **pair != Clue::Number(0))).collect();
                text = Codec::of_scheme(Number16).encode(&pairs)?;
            }
            Fractions => {
                let halves = |(index, sign): (usize, &Option<&Clue>)| split_fraction(*sign).ok_or(index);
                let halves: Vec<[Option<Clue>; 2]> = signs.iter().enumerate().map(halves).collect::<Result<_, _>>()?;
                let halves: Vec<Option<&Clue>> = halves.iter().flatten().map(Option::as_ref).collect();
                text = self.as_base_16().encode(&halves).map_err(|half| half / 2)?;
            }
            Next16 | Coloured | Halves | Turns => {
                let is_unknown = |sign: &Clue| self.scheme == Next16 && *sign == self.sign(0);
                let is_named = |sign: &Clue| is_unknown(sign) || self.keys.iter().any(|(_, named)| named == sign);
                let number = |(index, sign): (usize, &Option<&Clue>)| match sign {
                    Some(sign) if !is_named(sign) => {
                        self.number_for_sign(sign).map(Clue::Number).map(Some).ok_or(index)
                    }
                    other => Ok(other.cloned()),
                };
                let numbers: Vec<Option<Clue>> = signs.iter().enumerate().map(number).collect::<Result<_, _>>()?;
                text = self.as_base_16().encode(&numbers.iter().map(Option::as_ref).collect::<Vec<_>>())?;
            }
            Digits => {
                // A gap includes the cell of the sign before it.
                let mut gap = 0;
                for (index, sign) in signs.iter().enumerate() {
                    let digits = sign.map(|sign| cell_digits(sign).ok_or(index)).transpose()?;
                    gap += u32::from(digits.is_none());
                    if digits.is_some() || gap == self.longest_gap() {
                        text.push_str(&self.encode_gap(gap));
                        gap = u32::from(digits.is_some());
                    }
                    text.extend(digits);
                }
                text.push_str(&if gap > 1 { self.encode_gap(gap) } else { "/".to_owned() });
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
            Sparse | Runs | Gaps | Marks | Strides => {
                let index = |(index, sign): (usize, &Option<&Clue>)| {
                    sign.is_some_and(|sign| *sign != self.sign(0)).then_some(index)
                };
                if let Some(index) = signs.iter().enumerate().find_map(index) {
                    return Err(index);
                }
                text = encode_runs(self.scheme, &signs.iter().map(Option::is_some).collect::<Vec<_>>());
            }
            _ => {
                let longest = self.longest_gap();
                let (mut gap, mut index) = (0, 0);
                while let Some(sign) = signs.get(index) {
                    let is_empty = sign.is_none() && !matches!(self.scheme, Number36 | Each16 | Each32);
                    gap += u32::from(is_empty);
                    if !is_empty || gap == longest {
                        text.push_str(&self.encode_gap(gap));
                        gap = 0;
                    }
                    let is_run = |sign: &&Option<&Clue>| self.run.is_some() && sign.cloned() == self.run;
                    let run = signs[index..].iter().take(10).take_while(is_run).count();
                    if run > 0 {
                        text.push_str(&(run - 1).to_string());
                        index += run - 1;
                    } else if !is_empty {
                        if self.scheme == Decimal && text.ends_with(|last: char| last.is_ascii_digit()) {
                            text.push('_');
                        }
                        let most = if self.scheme == Dots { 7 } else { 2 };
                        let empty = signs[index + 1..].iter().take(most).take_while(|sign| sign.is_none()).count();
                        let (sign, with) = self.encode_sign(*sign, empty).ok_or(index)?;
                        text.push_str(&sign);
                        index += with;
                    }
                    index += 1;
                }
                text.push_str(&self.encode_gap(gap));
            }
        }
        Ok(text)
    }

    fn encode_sign(&self, sign: Option<&Clue>, gap: usize) -> Option<(String, usize)> {
        let Some(sign) = sign else { return Some((".".to_owned(), 0)) };
        if self.scheme == Dots {
            let value = (0..2).find(|&value| self.sign(value) == *sign)?;
            return Some((format!("{:x}", value + 2 * gap), gap));
        }
        let key = self.keys.iter().find(|(_, named)| named == sign).map(|&(key, _)| key);
        let number = match (sign, key) {
            (_, Some(Key::Character(character))) => return Some((character.to_string(), 0)),
            (_, Some(Key::Number(number))) | (&Clue::Number(number), None) => number,
            (sign, None)
                if !matches!(
                    self.scheme,
                    Letters | Abc | Arrows | Crossed | Crossed16 | Crossed36 | Compass | Tapa | Tapaloop | Either16
                ) =>
            {
                let unknown = match self.scheme {
                    Number36 => "@",
                    Number46 => "_",
                    _ => ".",
                };
                return (*sign == self.sign(0)).then(|| (unknown.to_owned(), 0));
            }
            _ => -1,
        };
        let text = match (self.scheme, number) {
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
                let parts: Vec<Clue> = text.split(',').map(Clue::text).collect();
                let numbers = Codec::of_scheme(Number16);
                let part = |part: &Clue| Some(numbers.encode_sign(Some(part), 0)?.0);
                parts.iter().map(part).collect::<Option<String>>().filter(|_| parts.len() == 4)?
            }
            (Abc, _) => match &sign.to_string()[..] {
                "?" => ".".to_owned(),
                letter if letter.len() == 1 && letter.starts_with(|letter: char| letter.is_ascii_uppercase()) => {
                    letter.to_ascii_lowercase()
                }
                _ => return None,
            },
            (Either16, _) if number < 0 => {
                let text = sign.to_string();
                match (text.strip_prefix(&self.sign(0).to_string()), &text[..]) {
                    (Some("?"), _) => "h".to_owned(),
                    (Some(rest), _) => match rest.parse().ok()? {
                        number @ 0..16_u8 => format!("i{number:x}"),
                        number => format!("g{number:x}"),
                    },
                    (None, "?") => ".".to_owned(),
                    (None, _) => return None,
                }
            }
            (Tapa | Tapaloop, 0..=8) => number.to_string(),
            (Tapa | Tapaloop, _) => encode_tapa(sign, self.tapa_encodings())?,
            (Crossed, _) => {
                let (down, across) = split_crossed(sign)?;
                match (down, across) {
                    (None, None) => ".".to_owned(),
                    _ => format!("{}{}", encode_sum(down)?, encode_sum(across)?),
                }
            }
            (Crossed36, _) if matches!(split_crossed(sign), Some((None, _) | (_, None))) => {
                match split_crossed(sign)? {
                    (None, None) => "_".to_owned(),
                    (Some(sum @ 0..36), None) => format!("@{}", letter(sum as u32)),
                    (None, Some(sum @ 0..36)) => format!("${}", letter(sum as u32)),
                    _ => return None,
                }
            }
            (Crossed16 | Crossed36, _) => {
                let (down, across) = split_crossed(sign)?;
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
            (Number4, 0..=4) => return Some((format!("{:x}", number + 5 * gap as i32), gap)),
            (Number10, 0..10) | (Decimal, _) => number.to_string(),
            (Number16 | Counted | Either16 | Each16, 0..16) => format!("{number:x}"),
            (Number16 | Counted | Either16 | Each16, 16..256) => format!("-{number:x}"),
            (Each32, 0..32) => letter(number as u32).into(),
            (Each32, 32..1024) => format!("-{}{}", letter(number as u32 / 32), letter(number as u32 % 32)),
            (Number46, 0..46) => encode_sum(Some(number))?,
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

    fn encode_arrow(&self, sign: &Clue) -> Option<String> {
        let text = sign.to_string();
        if text == "#" {
            return Some("+".to_owned());
        }
        // Choose the longest matching colour, since the name of a colour may be empty.
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

fn push_gap(text: &Cursor<'_>, gap: usize, places: usize, signs: &mut Vec<Option<Clue>>) -> Result<(), SpanError> {
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

/// The names of the colours in the scheme `coloured`.
const COLOURS: [&str; 6] = ["A", "B", "C", "D", "E", "F"];

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

fn cell_digits(sign: &Clue) -> Option<String> {
    let digit = |word: &str| match word {
        "?" => Some('0'),
        _ => word.parse().ok().filter(|digit| ('1'..='9').contains(digit)),
    };
    sign.to_string().split(',').map(digit).collect()
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

pub fn pack(values: &[u32], base: u32, length: usize) -> String {
    let digits = values.chunks(length).map(|chunk| {
        let places = (0..length).map(|place| chunk.get(place).copied().unwrap_or(0));
        places.fold(0, |number, value| number * base + value)
    });
    digits.map(letter).collect()
}

fn encode_runs(scheme: Scheme, has_sign: &[bool]) -> String {
    let mut text = String::new();
    let mut rest = has_sign;
    if scheme == Runs {
        let mut runs: Vec<usize> = has_sign.split(|&has_sign| has_sign).map(<[bool]>::len).collect();
        for run in &mut runs {
            text.extend(std::iter::repeat_n('z', *run / 25));
            text.push(if *run % 25 == 0 { '_' } else { letter(9 + *run as u32 % 25) });
        }
        return text;
    }
    if scheme == Gaps || scheme == Marks {
        for run in has_sign.split_inclusive(|&has_sign| has_sign) {
            let is_last = !run.ends_with(&[true]);
            let gap = run.len() - usize::from(!is_last);
            if is_last && scheme == Gaps {
                break;
            }
            text.extend(std::iter::repeat_n('.', gap / 36));
            text.extend((!is_last || gap % 36 > 0).then(|| letter(gap as u32 % 36)));
        }
        if scheme == Marks && text.is_empty() {
            text.push('0');
        }
        return text;
    }
    if scheme == Strides {
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

fn decode_tapa(text: &mut Cursor<'_>, encodings: &[TapaEncoding]) -> Result<Clue, SpanError> {
    let begin = text.at;
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

fn encode_tapa(sign: &Clue, encodings: &[TapaEncoding]) -> Option<String> {
    let text = sign.to_string();
    match text.as_str() {
        "?" => return Some(".".to_owned()),
        "1,1,1,1" if encodings[0].base == TAPA[0].base => return Some("9".to_owned()),
        _ => {}
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

/// Decodes a sum: `0` to `j` are 0 to 19, `A` to `Z` are 20 to 45, and `-` is no sum.
pub fn decode_sum(text: &mut Cursor<'_>) -> Result<Option<i32>, SpanError> {
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

pub fn encode_sum(sum: Option<i32>) -> Option<String> {
    let character = match sum {
        None => '-',
        Some(sum @ 0..20) => letter(sum as u32),
        Some(sum @ 20..46) => (b'A' + (sum - 20) as u8) as char,
        _ => return None,
    };
    Some(String::from(character))
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
