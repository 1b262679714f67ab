//! Templates of words in a file, of clues and of literals. Variables in braces connect them.

use super::super::board::Clue;
use super::super::codecs;

/// The arrows of the direction digits 1 to 4 in files.
const ARROWS: [char; 4] = ['^', 'v', '<', '>'];

/// The values of the variables of a template.
#[derive(Debug, Clone, Default)]
pub(super) struct Bindings {
    number: Option<i32>,
    /// A number that may be unknown: `Some(None)`.
    estimate: Option<Option<i32>>,
    direction: Option<usize>,
    list: Option<Vec<Option<i32>>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum TemplatePiece {
    Text(String),
    /// `{n}`: a number.
    Number,
    /// `{?}`: a number, or the mark of an unknown one: `-` in words, `?` in clues.
    Estimate,
    /// `{A}`: a number from 1 as a letter.
    Letter,
    /// `{d}`: a direction, a digit from 0 to 4 in words; in clues an arrow, or nothing for 0.
    Direction,
    /// `{l}`: a list of numbers, some of which may be unknown.
    List,
    /// `{x}`: the sums across and down, in this order in words; `3\4` in clues.
    Crossed,
    /// `{c}`: four numbers: right, down, left and up in words; up, down, left and right in clues.
    Compass,
    /// `{w}`: any word, which has no meaning.
    Any,
    /// `Y`, `X`, `Y'` or `X'` in a literal, perhaps with `+1` or `-1`: an index into the numbers of a
    /// place, and the difference.
    Coordinate(usize, isize),
}

use TemplatePiece::*;

/// The side of a pair for which a template is used; some variables differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PairSide {
    Word,
    Sign,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Template(Vec<TemplatePiece>);

impl Template {
    pub fn parse(text: &str) -> Result<Template, String> {
        Template::of(text, false)
    }

    /// Parses a literal such as `number(Y,X,{n})`.
    pub fn parse_literal(text: &str) -> Result<Template, String> {
        Template::of(text, true)
    }

    fn of(text: &str, is_literal: bool) -> Result<Template, String> {
        let mut pieces = Vec::new();
        let mut plain = String::new();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let (piece, length) = match first {
                '{' => {
                    let end = rest.find('}').ok_or("a brace without its end")?;
                    (Some(variable(&rest[1..end])?), end + 1)
                }
                'Y' | 'X' if is_literal => {
                    let is_second = rest[1..].starts_with('\'');
                    let index = 2 * usize::from(is_second) + usize::from(first == 'X');
                    let length = 1 + usize::from(is_second);
                    let steps = [("+1", 1), ("-1", -1)];
                    let step = steps.into_iter().find(|(text, _)| rest[length..].starts_with(text));
                    (Some(Coordinate(index, step.map_or(0, |step| step.1))), length + step.map_or(0, |_| 2))
                }
                _ => (None, first.len_utf8()),
            };
            match piece {
                Some(piece) => {
                    if !plain.is_empty() {
                        pieces.push(Text(std::mem::take(&mut plain)));
                    }
                    pieces.push(piece);
                }
                None => plain.push_str(&rest[..length]),
            }
            rest = &rest[length..];
        }
        if !plain.is_empty() || pieces.is_empty() {
            pieces.push(Text(plain));
        }
        Ok(Template(pieces))
    }

    /// Returns the values of variables for which the template is `text`.
    pub fn bind(&self, text: &str, side: PairSide, place: &[usize]) -> Option<Bindings> {
        let mut bindings = Bindings::default();
        let mut rest = text;
        for piece in &self.0 {
            rest = take(piece, rest, side, place, &mut bindings)?;
        }
        rest.is_empty().then_some(bindings)
    }

    /// Returns the text for these values, or `None` if a variable has none.
    pub fn fill(&self, bindings: &Bindings, side: PairSide, place: &[usize]) -> Option<String> {
        let pieces = self.0.iter().map(|piece| put(piece, bindings, side, place));
        pieces.collect::<Option<Vec<_>>>().map(|pieces| pieces.concat())
    }

    /// Returns the text before the first variable.
    pub fn prefix(&self, place: &[usize]) -> String {
        let known = self.0.iter().take_while(|piece| matches!(piece, Text(_) | Coordinate(..)));
        known.filter_map(|piece| put(piece, &Bindings::default(), PairSide::Sign, place)).collect()
    }
}

fn variable(name: &str) -> Result<TemplatePiece, String> {
    Ok(match name {
        "n" => Number,
        "?" => Estimate,
        "A" => Letter,
        "d" => Direction,
        "l" => List,
        "x" => Crossed,
        "c" => Compass,
        "w" => Any,
        _ => return Err(format!("`{{{name}}}` is not a variable; variables are n, ?, A, d, l, x, c and w")),
    })
}

/// Splits a number from the front of a text.
fn split_number(text: &str) -> Option<(i32, &str)> {
    let end = text.find(|digit: char| !digit.is_ascii_digit()).unwrap_or(text.len());
    Some((text[..end].parse().ok()?, &text[end..]))
}

/// Takes the text of a piece from the front of `text`, and returns the rest.
fn take<'a>(
    piece: &TemplatePiece,
    text: &'a str,
    side: PairSide,
    place: &[usize],
    bindings: &mut Bindings,
) -> Option<&'a str> {
    let is_word = side == PairSide::Word;
    match piece {
        Text(plain) => text.strip_prefix(&**plain),
        Coordinate(..) => text.strip_prefix(&*put(piece, bindings, side, place)?),
        Number => {
            let (number, rest) = split_number(text)?;
            bindings.number = Some(number);
            Some(rest)
        }
        Estimate => {
            let unknown = text.strip_prefix(if is_word { '-' } else { '?' });
            let (number, rest) = match unknown {
                Some(rest) => (None, rest),
                None => split_number(text).map(|(number, rest)| (Some(number), rest))?,
            };
            bindings.estimate = Some(number);
            Some(rest)
        }
        Letter => {
            let letter = text.chars().next().filter(char::is_ascii_alphabetic)?;
            let number = i32::from(letter.to_ascii_lowercase() as u8 - b'a') + 1;
            bindings.number = Some(if letter.is_ascii_lowercase() { number + 26 } else { number });
            Some(&text[1..])
        }
        Direction if is_word => {
            let direction = text.chars().next().and_then(|digit| digit.to_digit(5))?;
            bindings.direction = Some(direction as usize);
            Some(&text[1..])
        }
        Direction => {
            let direction = ARROWS.iter().position(|&arrow| text.starts_with(arrow));
            bindings.direction = Some(direction.map_or(0, |direction| direction + 1));
            Some(if direction.is_some() { &text[1..] } else { text })
        }
        List | Crossed | Compass => {
            bindings.list = Some(read_list(piece, text, is_word)?);
            Some("")
        }
        Any => is_word.then_some(""),
    }
}

/// Returns the text of a piece.
fn put(piece: &TemplatePiece, bindings: &Bindings, side: PairSide, place: &[usize]) -> Option<String> {
    let is_word = side == PairSide::Word;
    Some(match piece {
        Text(plain) => plain.clone(),
        Coordinate(index, step) => {
            let number = place.get(*index)?.checked_add_signed(*step);
            number.filter(|number| *number > 0)?.to_string()
        }
        Number => bindings.number?.to_string(),
        Estimate => match bindings.estimate? {
            Some(number) => number.to_string(),
            None if is_word => "-".to_owned(),
            None => "?".to_owned(),
        },
        Letter => match bindings.number? {
            number @ 1..=26 => char::from(b'A' + number as u8 - 1).to_string(),
            number @ 27..=52 => char::from(b'a' + number as u8 - 27).to_string(),
            _ => return None,
        },
        Direction if is_word => bindings.direction?.to_string(),
        Direction => bindings.direction?.checked_sub(1).map_or(String::new(), |arrow| ARROWS[arrow].to_string()),
        List | Crossed | Compass => write_list(piece, bindings.list.as_ref()?, is_word)?,
        Any => return None,
    })
}

/// Reads a list of numbers, in the order of words.
fn read_list(piece: &TemplatePiece, text: &str, is_word: bool) -> Option<Vec<Option<i32>>> {
    if *piece == Crossed && !is_word {
        let (down, across) = codecs::split_crossed(&Clue::text(text))?;
        return Some(vec![across, down]);
    }
    let unknown = match (is_word, piece) {
        (true, List) => "-",
        (true, _) => "-1",
        (false, _) => "?",
    };
    let number = |text: &str| match text {
        _ if text == unknown => Some(None),
        _ => split_number(text).filter(|(_, rest)| rest.is_empty()).map(|(number, _)| Some(number)),
    };
    let list = text.split(',').map(number).collect::<Option<Vec<_>>>()?;
    match (piece, &list[..]) {
        (List, _) | (Crossed, [_, _]) => Some(list),
        (Compass, [_, _, _, _]) if is_word => Some(list),
        (Compass, &[up, down, left, right]) => Some(vec![right, down, left, up]),
        _ => None,
    }
}

/// Writes a list of numbers that is in the order of words.
fn write_list(piece: &TemplatePiece, list: &[Option<i32>], is_word: bool) -> Option<String> {
    let unknown = match (is_word, piece) {
        (true, List) => "-",
        (true, _) => "-1",
        (false, _) => "?",
    };
    let list = match (piece, list) {
        (Crossed, &[across, down]) if !is_word => return Some(codecs::join_crossed(down, across).to_string()),
        (Compass, &[right, down, left, up]) if !is_word => vec![up, down, left, right],
        _ => list.to_vec(),
    };
    let texts = list.iter().map(|number| number.map_or(unknown.to_owned(), |number| number.to_string()));
    Some(texts.collect::<Vec<_>>().join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_become_clues_and_back() {
        let cases = [
            ("{n}", "{n}", "12", "12"),
            ("{d},{?}", "{?}{d}", "3,-", "?<"),
            ("{d},{?}", "{?}{d}", "0,7", "7"),
            ("{d},{?},1", "o{?}{d}", "1,4,1", "o4^"),
            ("{A}", "{n}", "b", "28"),
            ("{n},{?}", "{A},{?}", "2,5", "B,5"),
            ("{l}", "{l}", "1,-,3", "1,?,3"),
            ("{x}", "{x}", "12,23", "23\\12"),
            ("{x}", "{x}", "-1,3", "3\\"),
            ("{c}", "{c}", "1,-1,2,3", "3,?,2,1"),
            ("o{n}", "{n}", "o4", "4"),
        ];
        for (word_template, sign_template, word, sign) in cases {
            let [word_template, sign_template] =
                [word_template, sign_template].map(|text| Template::parse(text).expect("a template"));
            let bindings = word_template.bind(word, PairSide::Word, &[]).unwrap_or_else(|| panic!("{word}"));
            assert_eq!(sign_template.fill(&bindings, PairSide::Sign, &[]).as_deref(), Some(sign), "{word}");
            let bindings = sign_template.bind(sign, PairSide::Sign, &[]).unwrap_or_else(|| panic!("{sign}"));
            assert_eq!(word_template.fill(&bindings, PairSide::Word, &[]).as_deref(), Some(word), "{sign}");
        }
    }

    #[test]
    fn coordinates_of_a_literal_are_those_of_its_place() {
        let literal = Template::parse_literal("not slash(Y,X,Y',X',\"{A}\")").expect("a template");
        let bindings = Template::parse("{n}").expect("a template").bind("3", PairSide::Word, &[]).expect("a number");
        let text = "not slash(1,2,30,4,\"C\")";
        assert_eq!(literal.fill(&bindings, PairSide::Sign, &[1, 2, 30, 4]).as_deref(), Some(text));
        assert!(literal.bind(text, PairSide::Sign, &[1, 2, 30, 4]).is_some());
        assert!(literal.bind(text, PairSide::Sign, &[1, 2, 3, 4]).is_none());
        assert_eq!(literal.prefix(&[1, 2, 3, 4]), "not slash(1,2,3,4,\"");
    }

    #[test]
    fn words_that_do_not_fit_are_refused() {
        for (template, word) in [
            ("{n}", "-1"),
            ("{n}", ""),
            ("{n}", "1a"),
            ("{n}", "99999999999"),
            ("{d}", "5"),
            ("{x}", "1"),
            ("{c}", "1,2,3"),
        ] {
            assert!(Template::parse(template).expect("a template").bind(word, PairSide::Word, &[]).is_none(), "{word}");
        }
        assert!(Template::parse("{z}").is_err());
        assert!(Template::parse("{n").is_err());
    }
}
