//! Gaps, the runs of empty places between two signs, as letters.

use super::super::board::{Clue, SpanError};
use super::super::cursor::Cursor;
use super::codec::Scheme::*;
use super::codec::{Codec, letter};

/// The range of base-36 digits that encode gaps. The digit `first` is a gap of length `shortest`.
struct GapDigits {
    first: u32,
    last: u32,
    shortest: u32,
}

impl Codec {
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

    pub(super) fn longest_gap(&self) -> u32 {
        let GapDigits { first, last, shortest } = self.gaps();
        if self.scheme == Counted { 15 } else { (last + shortest).saturating_sub(first) }
    }

    pub(super) fn encode_gap(&self, gap: u32) -> String {
        let GapDigits { first, shortest, .. } = self.gaps();
        match gap {
            0 => String::new(),
            2.. if self.scheme == Counted => format!("i{gap:x}"),
            _ if gap < shortest => ".".to_owned(),
            _ => letter(first + gap - shortest).into(),
        }
    }

    /// Reads a gap. Returns `None` if the next character does not begin one.
    pub(super) fn take_gap(&self, text: &mut Cursor<'_>) -> Result<Option<usize>, SpanError> {
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
}

/// Adds a gap that ends before the character at the cursor.
pub(super) fn push_gap(
    text: &Cursor<'_>,
    gap: usize,
    places: usize,
    signs: &mut Vec<Option<Clue>>,
) -> Result<(), SpanError> {
    let left = places - signs.len();
    if gap > left {
        return Err(text.wrong(text.at - 1, &format!("is a gap of {gap}, where {left} of {places} places are left")));
    }
    signs.resize(signs.len() + gap, None);
    Ok(())
}
