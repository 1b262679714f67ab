//! The words of a section and their meanings.

use super::super::board::GridBoard;
use super::marks::FileMarks;
use super::template::{Bindings, PairSide, Template};

/// Tables by name: the pairs, in which `P` is the predicate of the marks, and its default.
pub(super) const LAYOUTS: [(&str, &str, &str); 10] = [
    ("words", "", ""),
    ("number", r#""-" = "?", "{n}" = "{n}""#, ""),
    ("arrows", r##""#" = "#", "{d},{?}" = "{?}{d}""##, ""),
    ("shading", r##""#" = P(Y,X), "+" = not P(Y,X)"##, "shaded"),
    ("entries", r#""{n}" = P(Y,X,{n}), "+" =, "-" =, "=" =, "%" =, "c" ="#, "number"),
    ("walls", r#""1" = wall"#, ""),
    ("lines", r#""0" =, "-1" = not P(Y,X,Y',X'), "1" = P(Y,X,Y',X'), "{n}" = P(Y,X,Y',X')"#, "line"),
    (
        "directed",
        r#""0" =, "-1" = not P(Y,X,Y',X'), "1" = P(Y,X,Y',X'), "-{n}" = P(Y,X,Y',X'), "{n}" = P(Y,X,Y',X')"#,
        "line",
    ),
    ("borders", r#""0" =, "1" = open P(Y,X,Y',X'), "2" = open P(Y,X,Y',X'), "-1" = open not P(Y,X,Y',X')"#, "border"),
    ("skip", r#""{w}" ="#, ""),
];

/// A word and its meaning.
#[derive(Debug, Clone, PartialEq, Eq)]
struct WordMeaning {
    word: Template,
    sign: Option<Template>,
    literal: Option<Template>,
    /// Another literal that must hold if the word is written.
    also: Option<Template>,
    /// The word is written at each empty place of a solution that has no other mark.
    is_else: bool,
    /// The place is a wall, a shaded cell or a hole.
    is_special: bool,
    /// The cell is surrounded by walls.
    is_alone: bool,
    /// The literal is a mark only if the cell has no clue, or neither cell is a hole.
    is_open: bool,
}

/// A table of words. Words are looked up in its order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct WordTable {
    pairs: Vec<WordMeaning>,
    /// A letter for a direction at the end of a word is ignored.
    is_directed: bool,
    is_about_walls: bool,
}

/// The meaning of a word at a place.
#[derive(Debug, Clone, Default)]
pub(super) struct WordContent {
    pub sign: Option<String>,
    pub literal: Option<String>,
    pub is_special: bool,
    pub is_alone: bool,
    /// The literal is a mark only if the cell has no clue, or neither cell is a hole.
    pub is_open: bool,
}

impl WordTable {
    /// Returns true if the board has areas even if none of its borders is a wall.
    pub fn is_about_walls(&self) -> bool {
        self.is_about_walls
    }

    pub fn has_clues(&self) -> bool {
        self.pairs.iter().any(|pair| pair.sign.is_some() || pair.is_special)
    }

    /// Returns the predicates of marks that are not negated.
    pub fn predicates(&self) -> Vec<String> {
        let literals = self.pairs.iter().filter_map(|pair| pair.literal.as_ref()).map(|literal| literal.prefix(&[]));
        literals.filter_map(|text| Some(text.split_once('(')?.0.to_owned())).collect()
    }

    pub fn has_special(&self) -> bool {
        self.pairs.iter().any(|pair| pair.is_special)
    }

    /// Creates the table `layout` with further pairs, or with another predicate, as `arguments`.
    /// Returns `None` if there is no such layout.
    pub fn of(layout: &str, arguments: &[&str], empty: &str) -> Option<Result<WordTable, String>> {
        let (name, layout, default) = LAYOUTS.iter().find(|entry| entry.0 == layout)?;
        let has_predicate = arguments.first().is_some_and(|first| !first.contains('='));
        let predicate = if has_predicate { arguments[0] } else { default };
        let layout = layout.replace('P', predicate);
        let own = arguments[usize::from(has_predicate)..].iter().copied();
        // The first word without a meaning is written at empty places.
        let empty = format!("\"{empty}\" =");
        let all = own.chain([&*empty]).chain(split_outside(&layout, ','));
        let pairs = all.filter(|pair| !pair.is_empty()).map(parse_pair).collect::<Result<Vec<_>, _>>();
        Some(pairs.map(|pairs| WordTable { pairs, is_directed: *name == "directed", is_about_walls: *name == "walls" }))
    }

    /// Returns the meaning of a word, or `None` if it has none. Small numbers that a player noted
    /// are in square brackets after it, and are ignored.
    pub fn read(&self, word: &str, place: &[usize]) -> Option<WordContent> {
        let mut word = word.split_once('[').filter(|_| word.ends_with(']')).map_or(word, |(word, _)| word);
        if self.is_directed {
            word = word.trim_end_matches(['u', 'd', 'l', 'r']);
            word = if word.is_empty() { "0" } else { word };
        }
        let found = self.pairs.iter().find_map(|pair| Some((pair, pair.word.bind(word, PairSide::Word, place)?)));
        let (pair, bindings) = found?;
        let fill = |template: &Template| template.fill(&bindings, PairSide::Sign, place);
        let literal = match &pair.literal {
            Some(literal) if !place.is_empty() => Some(fill(literal)?),
            _ => None,
        };
        let sign = match &pair.sign {
            Some(sign) => Some(fill(sign)?),
            None => None,
        };
        let WordMeaning { is_special, is_alone, is_open, .. } = *pair;
        Some(WordContent { sign, literal, is_special, is_alone, is_open })
    }

    /// Returns the word for a clue, with the mark at its place if there is a word for both. Returns
    /// `None` if there is no word for the clue.
    pub fn write(
        &self,
        sign: Option<&str>,
        is_special: bool,
        place: &[usize],
        (board, marks): (&GridBoard, &FileMarks<'_>),
    ) -> Option<String> {
        let word_of = |pair: &WordMeaning, of_literal: Option<Bindings>| {
            let bindings = match (&pair.sign, sign) {
                (Some(template), Some(sign)) => template.bind(sign, PairSide::Sign, place)?,
                (None, None) => of_literal.unwrap_or_default(),
                _ => return None,
            };
            pair.word.fill(&bindings, PairSide::Word, place)
        };
        let pairs = || self.pairs.iter().filter(|pair| pair.is_special == is_special);
        let with_mark = |pair: &WordMeaning| {
            let bindings = marks.bind(board, pair.literal.as_ref()?, place)?;
            let holds = pair.also.as_ref().is_none_or(|also| marks.bind(board, also, place).is_some());
            if holds { word_of(pair, Some(bindings)) } else { None }
        };
        let without = |pair: &WordMeaning| if pair.literal.is_none() { word_of(pair, None) } else { None };
        let marked = if place.is_empty() { None } else { pairs().find_map(with_mark) };
        let is_solution = matches!(marks, FileMarks::Solution(_));
        let other = |pair: &WordMeaning| if pair.is_else && is_solution { word_of(pair, None) } else { None };
        marked.or_else(|| pairs().find_map(other)).or_else(|| pairs().find_map(without))
    }
}

/// Parses `"word" = "clue" literal`; each part of the right side may be missing.
fn parse_pair(text: &str) -> Result<WordMeaning, String> {
    let wrong = || format!("`{text}` is not a pair: \"word\" = \"clue\" or \"word\" = literal");
    let (word, rest) = take_quoted(text).ok_or_else(wrong)?;
    let meaning = rest.trim_start().strip_prefix('=').ok_or_else(wrong)?.trim();
    let (sign, meaning) = take_quoted(meaning).map_or((None, meaning), |(sign, rest)| (Some(sign), rest));
    let meaning = meaning.trim();
    let is_special = ["wall", "gray", "hole"].contains(&meaning);
    let is_alone = meaning == "alone";
    let (meaning, also) = meaning.split_once(" & ").map_or((meaning, None), |(one, other)| (one, Some(other)));
    let also = also.map(Template::parse_literal).transpose()?;
    let (meaning, is_else) = meaning.strip_prefix("else ").map_or((meaning, false), |meaning| (meaning, true));
    let (meaning, is_open) = meaning.strip_prefix("open ").map_or((meaning, false), |meaning| (meaning, true));
    let literal =
        (!meaning.is_empty() && !is_special && !is_alone).then(|| Template::parse_literal(meaning)).transpose()?;
    let sign = sign.map(Template::parse).transpose()?;
    Ok(WordMeaning { word: Template::parse(word)?, sign, literal, also, is_else, is_special, is_alone, is_open })
}

fn take_quoted(text: &str) -> Option<(&str, &str)> {
    text.trim_start().strip_prefix('"')?.split_once('"')
}

/// Splits a text at a separator outside of quotes and brackets.
pub(super) fn split_outside(text: &str, separator: char) -> Vec<&str> {
    let (mut depth, mut is_quoted, mut begin) = (0_i32, false, 0);
    let mut parts = Vec::new();
    for (at, sign) in text.char_indices() {
        match sign {
            '"' => is_quoted = !is_quoted,
            _ if is_quoted => {}
            '(' => depth += 1,
            ')' => depth -= 1,
            _ if sign == separator && depth == 0 => {
                parts.push(text[begin..at].trim());
                begin = at + sign.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(text[begin..].trim());
    parts
}
