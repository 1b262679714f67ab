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

mod clues;
mod codec;
mod converted;
mod gaps;
mod numbers;
mod packed;
mod runs;
mod signs;

use super::board::{Clue, SpanError};
use super::cursor::Cursor;
pub use clues::{join_crossed, split_crossed};
use codec::Scheme::*;
pub use codec::{Codec, Key, SCHEMES, Scheme};
pub use numbers::{read_sum, write_sum};
pub use packed::{pack, unpack};

impl Codec {
    /// Decodes the signs of `places` places, `None` for an empty place.
    pub fn decode(&self, text: &mut Cursor<'_>, places: usize) -> Result<Vec<Option<Clue>>, SpanError> {
        match self.scheme {
            Circles | Binary => packed::decode(self, text, places),
            Number10or16 => converted::decode_10_or_16(self, text, places),
            Pairs => converted::decode_pairs(self, text, places),
            Fractions => converted::decode_fractions(self, text, places),
            Next16 | Coloured | Halves | Turns => converted::decode_numbered(self, text, places),
            Digits => runs::decode_digits(self, text, places),
            Sparse => runs::decode_sparse(self, text, places),
            Runs => runs::decode_runs(self, text, places),
            Stars => runs::decode_stars(self, text, places),
            Gaps => runs::decode_gaps(self, false, text, places),
            Marks => runs::decode_gaps(self, true, text, places),
            Strides => runs::decode_strides(self, text, places),
            _ => signs::decode(self, text, places),
        }
    }

    /// Encodes signs. The error is the index of a sign that the codec cannot encode.
    pub fn encode(&self, signs: &[Option<&Clue>]) -> Result<String, usize> {
        match self.scheme {
            Circles | Binary => packed::encode(self, signs),
            Number10or16 => converted::encode_10_or_16(self, signs),
            Pairs => converted::encode_pairs(self, signs),
            Fractions => converted::encode_fractions(self, signs),
            Next16 | Coloured | Halves | Turns => converted::encode_numbered(self, signs),
            Digits => runs::encode_digits(self, signs),
            Sparse => runs::encode_sparse(self, signs),
            Runs => runs::encode_runs(self, signs),
            Stars => runs::encode_stars(self, signs),
            Gaps => runs::encode_gaps(self, false, signs),
            Marks => runs::encode_gaps(self, true, signs),
            Strides => runs::encode_strides(self, signs),
            _ => signs::encode(self, signs),
        }
    }

    pub fn can_encode(&self, sign: &Clue) -> bool {
        self.encode(&[Some(sign)]).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Encodes signs, decodes the text, and returns the signs that come back.
    fn read_back(codec: &Codec, signs: &[Option<&Clue>]) -> Option<Vec<Option<Clue>>> {
        let text = codec.encode(signs).ok()?;
        let characters: Vec<_> = text.chars().enumerate().map(|(at, sign)| (at..at + 1, sign)).collect();
        let mut cursor = Cursor { characters: &characters, at: 0 };
        let read = codec.decode(&mut cursor, signs.len()).unwrap_or_else(|wrong| panic!("{codec:?} {text}: {wrong:?}"));
        assert_eq!(cursor.at, characters.len(), "{codec:?} {text}");
        Some(read)
    }

    fn named(name: &str, signs: &[&str]) -> Codec {
        let signs = signs.iter().map(|&sign| sign.to_owned()).collect();
        Codec { signs, ..Codec::of_name(name).expect("a codec") }
    }

    #[test]
    fn every_number_of_a_scheme_is_read_back() {
        // The first number that each scheme cannot write.
        let ends = [
            ("number4", 5),
            ("number10", 10),
            ("number16", 1_126_352),
            ("number10or16", 1_126_352),
            ("number36", 1296),
            ("number46", 46),
            ("counted", 256),
            ("next16", 1_126_351),
            ("either16", 256),
            ("decimal", 2_000_000),
            ("each16", 256),
            ("each32", 1024),
            ("tapa", 9),
            ("tapaloop", 9),
            ("arrows", 4096),
        ];
        for (name, end) in ends {
            let codec = named(name, &[]);
            let numbers = (0..end).filter(|number| *number < 15_000 || number % 101 == 0 || *number == end - 1);
            for number in numbers {
                let read = read_back(&codec, &[Some(&Clue::Number(number))]);
                assert_eq!(read, Some(vec![Some(Clue::Number(number))]), "{name} {number}");
            }
            assert!(name == "decimal" || !codec.can_encode(&Clue::Number(end)), "{name}");
        }
    }

    #[test]
    fn every_scheme_reads_back_signs_and_gaps() {
        for (name, scheme) in SCHEMES {
            let (codec, signs): (Codec, &[&str]) = match scheme {
                Number4 | Number10 | Number16 | Number10or16 | Number36 | Number46 | Counted | Next16 => {
                    (named(name, &[]), &["0", "1", "4", "?"])
                }
                Each16 | Each32 | Decimal => (named(name, &[]), &["0", "9", "10", "31"]),
                Coloured => (named(name, &[]), &["?", "A", "C4", "F8", "0", "8"]),
                Halves => (named(name, &["o", "*"]), &["o", "*", "o2", "*17"]),
                Turns => (named(name, &[]), &["?", "^", "v4,?,3", ">1"]),
                Fractions => (named(name, &[]), &["#", "?", "3", "1/2", "17/?", "?/5"]),
                Either16 => (named(name, &["="]), &["0", "200", "?", "=?", "=0", "=15", "=16", "=255"]),
                Digits => (named(name, &[]), &["?", "5", "2,?,3", "9,9,9,9"]),
                Letters => (named(name, &[]), &["A", "Z", "A2", "Q9"]),
                Abc => (named(name, &[]), &["A", "Z", "?"]),
                Arrows => (named(name, &["", "o"]), &["3v", "15^", "o16<", "o255>", "256", "?", "o?v", "#"]),
                Tapa => (named(name, &[]), &["0", "8", "?", "1,1,1,1", "1,5", "?,?", "1,2,3", "?,?,?,1"]),
                Tapaloop => (named(name, &[]), &["0", "8", "?", "7,7", "6,6,6", "1,?,5,5"]),
                Compass => (named(name, &[]), &["0,1,2,3", "?,?,?,?", "255,?,4095,1"]),
                Crossed => (named(name, &[]), &["#", "16\\3", "\\45", "0\\"]),
                Crossed16 | Crossed36 => (named(name, &[]), &["#", "16\\3", "\\15", "35\\", "255\\200", "1\\16"]),
                Circles | Dots | Stars => (named(name, &["o", "*"]), &["o", "*"]),
                Pairs => (named(name, &["o", "*"]), &["o", "*"]),
                Binary | Sparse | Runs | Gaps | Marks | Strides => (named(name, &["#"]), &["#"]),
            };
            let signs: Vec<Clue> = signs.iter().map(|sign| Clue::text(sign)).collect();
            for (index, sign) in signs.iter().enumerate() {
                for gap in (0..80).chain([119, 120]) {
                    let other = &signs[(index + 1) % signs.len()];
                    let mut places = vec![Some(sign)];
                    places.extend(vec![None; gap]);
                    for end in [vec![], vec![Some(other)], vec![Some(other), Some(sign), None]] {
                        let places = [&places[..], &end[..]].concat();
                        let expected: Vec<Option<Clue>> = places.iter().map(|sign| sign.cloned()).collect();
                        assert_eq!(read_back(&codec, &places), Some(expected), "{name} {sign} {gap}");
                    }
                }
            }
        }
    }
}
