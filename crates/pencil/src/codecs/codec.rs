//! The schemes, and a codec as a header states it: a scheme and its signs.

use super::super::board::Clue;

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

    /// Returns this codec with another scheme.
    pub fn with_scheme(&self, scheme: Scheme) -> Codec {
        Codec { scheme, ..self.clone() }
    }

    /// Returns the index of a sign, the inverse of [`Self::sign`], among the first `count` signs.
    pub fn index_of(&self, sign: &Clue, count: usize) -> Option<usize> {
        (0..count).find(|&index| self.sign(index) == *sign)
    }

    /// Returns the sign that a number stands for: a named sign, or the number itself.
    pub fn sign_of(&self, number: i32) -> Clue {
        self.named(Key::Number(number)).unwrap_or(Clue::Number(number))
    }

    /// Returns the sign with this code.
    pub fn named(&self, key: Key) -> Option<Clue> {
        self.keys.iter().find(|(other, _)| *other == key).map(|(_, sign)| sign.clone())
    }

    /// Returns the code of a named sign.
    pub fn key_of(&self, sign: &Clue) -> Option<Key> {
        self.keys.iter().find(|(_, named)| named == sign).map(|&(key, _)| key)
    }
}

/// Returns a digit in base 36.
pub fn letter(digit: u32) -> char {
    char::from_digit(digit, 36).expect("a digit in base 36")
}
