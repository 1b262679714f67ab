//! The signs that boards of a puzzle can have, as the header of its file lists them.
//!
//! ```text
//! % Signs       numbers, "o", "A".."Z"     in cells and beside the board
//! % Grid signs  "<", ">"                   in another grid: between cells, or at their corners
//! ```
//!
//! A character that is a sign of the puzzle is never a frame, a border, a separator, a title or the name of a line: a line that can
//! be a row of the puzzle's signs is one.

use std::ops::RangeInclusive;

use super::board::Sign;
use super::header::Header;

/// A line of signs that a paragraph of a header has.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listed {
    numbers: Vec<RangeInclusive<i32>>,
    /// Of letters, the first and the last one; of another sign, the sign twice.
    texts: Vec<(String, String)>,
}

impl Listed {
    /// Reads `numbers, 0..4, "?", "A".."Z"`. What a header says otherwise is no sign.
    pub fn parse(paragraph: &str) -> Listed {
        let mut listed = Listed::default();
        for known in paragraph.split(',').map(str::trim) {
            let (first, last) = known.split_once("..").unwrap_or((known, known));
            if known == "numbers" {
                listed.numbers.push(i32::MIN..=i32::MAX);
            } else if let (Some(first), Some(last)) = (quoted(first), quoted(last)) {
                listed.texts.push((first.to_owned(), last.to_owned()));
            } else if let (Ok(least), Ok(most)) = (first.parse(), last.parse()) {
                listed.numbers.push(least..=most);
            }
        }
        listed
    }

    /// Returns true if a part of a sign is listed.
    pub fn has(&self, part: &Sign) -> bool {
        match part {
            Sign::Number(number) => self.numbers.iter().any(|known| known.contains(number)),
            Sign::Text(text) => self
                .texts
                .iter()
                .any(|(first, last)| text == first || text.chars().count() == 1 && first <= text && text <= last),
        }
    }
}

fn quoted(text: &str) -> Option<&str> {
    text.strip_prefix('"')?.strip_suffix('"').filter(|sign| !sign.is_empty())
}

/// All signs of a puzzle, and the names that its lines and grids have.
#[derive(Debug, Clone, Default)]
pub struct Signs {
    /// The puzzle's own name, which a board may have as its title.
    pub puzzle: String,
    all: Listed,
    names: Vec<String>,
}

impl Signs {
    pub fn of(puzzle: &str, header: &Header) -> Signs {
        let paragraphs = ["Signs", "Grid signs"].map(|head| Listed::parse(&header.paragraph(head).unwrap_or_default()));
        let [mut all, of_grids] = paragraphs;
        all.numbers.extend(of_grids.numbers);
        all.texts.extend(of_grids.texts);
        Signs { puzzle: puzzle.to_owned(), all, names: header.inputs() }
    }

    /// Returns true if a character is a sign or the beginning of one.
    pub fn has_character(&self, character: char) -> bool {
        let text = character.to_string();
        let begins = |(first, last): &(String, String)| {
            first.starts_with(character) || first.chars().count() == 1 && *first <= text && text <= *last
        };
        !self.all.numbers.is_empty() && character.is_ascii_digit() || self.all.texts.iter().any(begins)
    }

    /// Returns true if a text has a character that is a sign.
    pub fn are_in(&self, text: &str) -> bool {
        text.chars().any(|character| self.has_character(character))
    }

    /// Returns true if a line has signs of the puzzle and empty cells alone: a character or a word for each cell. The name of an input
    /// is none.
    pub fn is_row(&self, line: &str) -> bool {
        let line = line.trim();
        let is_cell = |word: &str| match Sign::read(word) {
            Ok(None) => true,
            Ok(Some(sign)) => sign.parts().iter().all(|part| self.all.has(part)),
            Err(_) => false,
        };
        let is_named = || {
            let name = line.split_whitespace().next().unwrap_or_default();
            self.names.iter().any(|known| known == name)
        };
        let has_signs = !self.all.numbers.is_empty() || !self.all.texts.is_empty();
        let is_of_words = || line.split_whitespace().all(is_cell);
        let is_of_characters =
            || !line.contains(char::is_whitespace) && line.chars().all(|sign| is_cell(sign.encode_utf8(&mut [0; 4])));
        has_signs && !line.is_empty() && (is_of_words() || is_of_characters()) && !is_named()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_signs_of_the_header_alone() {
        let header = Header::of(
            "x",
            "% X: y.\n%\n% Input      sign(R,C,S)  a\n%            ooo(N)  b\n% Signs      0..4, \"o\", \"=\"\n% Grid signs  \"A\"..\"C\"\n",
        );
        let signs = Signs::of("x", &header);
        for row in ["o=..", "o4 = .", "-- ", "o", "ABC_", "3 . o"] {
            assert!(signs.is_row(row), "{row}");
        }
        for other in ["ooo", "ooo 3", "", "o|=", "5", "ox", "oo 3", "ABD"] {
            assert!(!signs.is_row(other), "{other}");
        }
        assert!(signs.are_in("+=+") && !signs.are_in("+-+|"));
    }
}
