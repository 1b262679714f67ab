//! The signs that are allowed on a puzzle's boards, as listed in the header of its file.
//!
//! ```text
//! % Signs       numbers, "o", "A".."Z"     in cells and at the sides of the board
//! % Grid signs  "<", ">"                   in another grid: between cells, or at their corners
//! ```
//!
//! A line that can be a row of the puzzle's signs is always read as a row, and never as a frame, a
//! border, a separator, a title or a header line.

use std::ops::RangeInclusive;

use super::board::{Clue, GRIDS, SIDES};
use super::header::Header;

/// A set of signs from a paragraph of a header.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SignSet {
    numbers: Vec<RangeInclusive<i32>>,
    /// The first and the last letter of each range. For a single sign, both are that sign.
    texts: Vec<(String, String)>,
}

impl SignSet {
    /// Parses `numbers, 0..4, "?", "A".."Z"`. Other words in the paragraph are ignored.
    pub fn parse(paragraph: &str) -> SignSet {
        let mut set = SignSet::default();
        for known in paragraph.split(',').map(str::trim) {
            let (first, last) = known.split_once("..").unwrap_or((known, known));
            if known == "numbers" {
                set.numbers.push(i32::MIN..=i32::MAX);
            } else if let (Some(first), Some(last)) = (quoted(first), quoted(last)) {
                set.texts.push((first.to_owned(), last.to_owned()));
            } else if let (Ok(least), Ok(most)) = (first.parse(), last.parse()) {
                set.numbers.push(least..=most);
            }
        }
        set
    }

    /// Returns true if the set contains `part`, a part of a clue.
    pub fn has(&self, part: &Clue) -> bool {
        match part {
            Clue::Number(number) => self.numbers.iter().any(|known| known.contains(number)),
            Clue::Text(text) => self
                .texts
                .iter()
                .any(|(first, last)| text == first || text.chars().count() == 1 && first <= text && text <= last),
        }
    }
}

fn quoted(text: &str) -> Option<&str> {
    text.strip_prefix('"')?.strip_suffix('"').filter(|sign| !sign.is_empty())
}

/// All signs of a puzzle, and the names of its header lines and grids.
#[derive(Debug, Clone, Default)]
pub struct PuzzleSigns {
    /// The puzzle's name. A board may have it as its title.
    pub puzzle: String,
    all: SignSet,
    names: Vec<String>,
}

impl PuzzleSigns {
    pub fn of(puzzle: &str, header: &Header) -> PuzzleSigns {
        let paragraphs =
            ["Signs", "Grid signs"].map(|head| SignSet::parse(&header.paragraph(head).unwrap_or_default()));
        let [mut all, of_grids] = paragraphs;
        all.numbers.extend(of_grids.numbers);
        all.texts.extend(of_grids.texts);
        PuzzleSigns { puzzle: puzzle.to_owned(), all, names: header.inputs().into_iter().map(str::to_owned).collect() }
    }

    /// Returns true if `character` is a sign or the first character of one.
    pub fn has_character(&self, character: char) -> bool {
        let text = character.to_string();
        let begins = |(first, last): &(String, String)| {
            first.starts_with(character) || first.chars().count() == 1 && *first <= text && text <= *last
        };
        !self.all.numbers.is_empty() && character.is_ascii_digit() || self.all.texts.iter().any(begins)
    }

    /// Returns true if `name` is a grid besides the clues of cells: a usual one, or an input of the
    /// puzzle.
    pub fn names_grid(&self, name: &str) -> bool {
        let is_line = ["rows", "columns"].contains(&name) || SIDES.contains(&name);
        GRIDS.contains(&name) || !is_line && self.names.iter().any(|known| known == name)
    }

    /// Returns true if `text` contains a character for which [`Self::has_character`] is true.
    pub fn occur_in(&self, text: &str) -> bool {
        text.chars().any(|character| self.has_character(character))
    }

    /// Returns true if a word is a sign of the puzzle or an empty cell.
    pub fn is_word(&self, word: &str) -> bool {
        match Clue::read(word) {
            Ok(None) => true,
            Ok(Some(sign)) => sign.parts().iter().all(|part| self.all.has(part)),
            Err(_) => false,
        }
    }

    /// Returns true if each word, or each character, of a line is a sign of the puzzle or an empty
    /// cell, and the line does not begin with the name of an input.
    pub fn is_row(&self, line: &str) -> bool {
        let line = line.trim();
        let is_cell = |word: &str| self.is_word(word);
        let begins_with_name = || {
            let name = line.split_whitespace().next().unwrap_or_default();
            self.names.iter().any(|known| known == name)
        };
        let has_signs = !self.all.numbers.is_empty() || !self.all.texts.is_empty();
        let has_sign_words = || line.split_whitespace().all(is_cell);
        let has_sign_characters =
            || !line.contains(char::is_whitespace) && line.chars().all(|sign| is_cell(sign.encode_utf8(&mut [0; 4])));
        has_signs && !line.is_empty() && (has_sign_words() || has_sign_characters()) && !begins_with_name()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_only_signs_of_the_header() {
        let header = Header::of(
            "x",
            "% X: y.\n%\n% Input      sign(R,C,S)  a\n%            ooo(N)  b\n% Signs      0..4, \"o\", \"=\"\n% Grid signs  \"A\"..\"C\"\n",
        );
        let signs = PuzzleSigns::of("x", &header);
        for row in ["o=..", "o4 = .", "-- ", "o", "ABC_", "3 . o"] {
            assert!(signs.is_row(row), "{row}");
        }
        for other in ["ooo", "ooo 3", "", "o|=", "5", "ox", "oo 3", "ABD"] {
            assert!(!signs.is_row(other), "{other}");
        }
        assert!(signs.occur_in("+=+") && !signs.occur_in("+-+|"));
    }
}
