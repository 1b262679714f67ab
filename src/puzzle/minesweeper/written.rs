//! A board as people write it: the number of mines, and rows of signs.
//!
//! ```text
//!   mines 3       Mines: 3           10 mines            {"mines": 2,         (as this program prints it)
//!   1??           | 1 | ? | ? |      1️⃣ 🟦 🟦            "board": ["1__",            1  2  3
//!   2F?           | 2 | f | ? |      2️⃣ 🚩 🟦                      "2F_"]}       1   1 8% 92%
//! ```
//!
//! | what it is | how it is written |
//! |---|---|
//! | open | `0` to `8`, `.` or `·` for `0`, 1️⃣; `3!` is a 3 in conflict |
//! | a mine, or a flag | `F` `f` `M` `m` 🚩 ⚑ 💣 💥 |
//! | closed | `?` `#` `x` `X` `o` `!` `H`, coloured squares, a percentage |
//! | closed, or else `0` | `_` `-` ⬜ ⬛ □ ■: taken for `0` if the board has another sign for closed cells, none of these touches a closed cell, and the numbers can be met without them |
//! | a mine, or else closed | `*`: closed if no other sign is |
//!
//! What is neither of these is read as closed; so is a `0` of the fourth row with which the board would contradict itself. Text around the board, numbers
//! of its rows and columns, and its size are passed over.

use std::ops::Range;

use super::board::MOST_CELLS;
use super::count::Budget;
use super::grid::{Cell, Grid, Position};
use super::probability::likelihood;
use super::replay;
use crate::diagnostic::{Diagnostic, Failure, Place};
use crate::document::Document;
use crate::puzzle::cells::{self, Mark, Token};
use crate::stop::{Reason, Stop};

/// Lines in which the number of mines, or a row, is looked for when a text is recognised.
const LOOKED_AT: usize = 2000;

/// Whether a text looks like a board: a line tells the number of mines, or it has nothing but signs, a closed cell among them.
pub fn looks_like_a_board(text: &str) -> bool {
    let is_sign = |sign: char| single(sign).is_some() || sign.is_whitespace() || "/|,%\u{FE0F}\u{20E3}".contains(sign);
    let is_plain = |sign: char| sign == '?' || !sign.is_ascii() && matches!(single(sign), Some(Sign::Is(Cell::Closed)));
    let mut lines = cells::lines(text).take(LOOKED_AT);
    replay::is_one(text)
        || lines.any(|(_, line)| line.split(['/', ',', '{', '}']).any(tells_total))
        || cells::lines(text).all(|(_, line)| line.chars().all(is_sign)) && text.contains(is_plain)
}

/// How much of a text is signs of cells.
pub fn share_of_signs(text: &str) -> f64 {
    // A number that no cell can have.
    let mut has_nine = false;
    cells::scan(text, &mut |mark| {
        has_nine = matches!(&mark, Mark::Cell(token) if token.text.contains('9') && sign(token.text).is_none());
        !has_nine
    });
    if has_nine {
        return 0.0;
    }
    cells::share(text, |sign| single(sign).is_some() || ",|/\u{FE0F}\u{20E3}".contains(sign))
}

/// Whether a line, or its first column, tells the number of mines and nothing else.
fn tells_total(line: &str) -> bool {
    if !["ine", "INE", "omb", "OMB"].iter().any(|part| line.contains(part)) {
        return false;
    }
    let first = line.trim().split("  ").next().unwrap_or_default();
    let mut words = first.split([' ', '\t', ':', '=', '"', '\'']).filter(|word| !word.is_empty());
    match (words.next(), words.next(), words.next()) {
        (Some(word), Some(number), None) if is_total(word) => {
            !number.contains(|sign: char| sign.is_alphabetic() || sign == '.' || sign == '}')
        }
        (Some(number), Some(word), None) => is_total(word) && number.parse::<usize>().is_ok(),
        (Some(_), Some(word), Some(number)) => {
            is_total(word) && number.parse::<usize>().is_ok() && line.contains([':', '='])
        }
        _ => false,
    }
}

/// "Mines: 3/10": flags that were set, of mines that there are.
fn flags_of_mines(line: &str) -> Option<usize> {
    let (word, numbers) = line.split_once([':', '='])?;
    let (flags, mines) = numbers.split_once('/')?;
    flags.trim().parse::<usize>().ok().filter(|_| is_total(word.trim()))?;
    mines.trim().parse().ok()
}

fn is_total(word: &str) -> bool {
    matches!(word.to_ascii_lowercase().as_str(), "mines" | "mine" | "bombs" | "bomb")
}

const OPEN: Cell = Cell::Open(0);

/// Cells whose sign can be read in two ways.
type Doubtful = Vec<(usize, Sign)>;

/// What a sign says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sign {
    Is(Cell),
    /// Closed, or open with no number.
    Blank(char),
    /// A mine, or closed.
    Star,
}

fn single(sign: char) -> Option<Sign> {
    Some(match sign {
        '0'..='8' => Sign::Is(Cell::Open(sign as u8 - b'0')),
        '.' | '·' => Sign::Is(OPEN),
        '?' | '#' | 'x' | 'X' | 'o' | '!' | 'H' | '❓' | '❔' => Sign::Is(Cell::Closed),
        '🟥' | '🟧' | '🟨' | '🟩' | '🟦' | '🟪' | '🟫' | '░' | '▒' | '▓' | '█' => {
            Sign::Is(Cell::Closed)
        }
        'F' | 'f' | 'M' | 'm' | '🚩' | '⚑' | '⛳' | '💣' | '💥' | '✹' => Sign::Is(Cell::Mine),
        '_' | '-' | '⬜' | '⬛' | '◻' | '◼' | '◽' | '◾' | '□' | '■' | '▢' | '▣' => Sign::Blank(sign),
        '*' => Sign::Star,
        _ => return None,
    })
}

/// What a piece of text says, if it is one cell.
fn sign(text: &str) -> Option<Sign> {
    let mut signs = text.chars();
    let first = single(signs.next()?);
    match signs.as_str() {
        "" | "\u{FE0F}" | "\u{FE0F}\u{20E3}" | "\u{20E3}" => first,
        "!" if matches!(first, Some(Sign::Is(Cell::Open(_)))) => first,
        _ if is_percentage(text) => Some(Sign::Is(Cell::Closed)),
        _ => None,
    }
}

fn is_percentage(text: &str) -> bool {
    text.strip_suffix('%').is_some_and(|number| number.parse::<u8>().is_ok_and(|percent| percent <= 100))
}

/// A board, while it is read, and afterwards to say where something stands.
pub struct Written<'a> {
    document: &'a Document,
    rows: Vec<Vec<Token<'a>>>,
    /// There are numbers at the sides, as this program prints them.
    is_framed: bool,
    /// The number of mines, and where it stands.
    total: Option<(usize, Range<usize>)>,
}

impl<'a> Written<'a> {
    /// The board, and who knows its places.
    pub fn read(document: &'a Document, stop: &Stop) -> Result<(Position, Written<'a>), Failure> {
        let (closed, doubtful, written) = Written::parted(document)?;
        if doubtful.is_empty() {
            return Ok((closed, written));
        }
        let mut position = closed.clone();
        decide(&mut position, &doubtful);
        // What cannot be so has been read wrongly.
        let budget = Budget { stop: stop.clone(), memory: 64 << 20, reason: Reason::WideFrontier };
        let is_wrong = doubtful.iter().any(|&(cell, _)| position.cells[cell] == OPEN)
            && matches!(likelihood(&position, &budget), Ok(Err(_)));
        Ok((if is_wrong { closed } else { position }, written))
    }

    /// Who knows the places of the board, whatever its signs mean.
    pub fn of(document: &'a Document) -> Result<Written<'a>, Failure> {
        Written::parted(document).map(|(.., written)| written)
    }

    /// The board with all signs closed that can be read in two ways, and these.
    fn parted(document: &'a Document) -> Result<(Position, Doubtful, Written<'a>), Failure> {
        let mut written = Written { document, rows: Vec::new(), is_framed: false, total: None };
        if let Some(position) = replay::read(document)? {
            written.total = Some((position.mines.unwrap_or(0), 0..document.text.trim_end().len().min(1)));
            return Ok((position, Vec::new(), written));
        }
        written.part()?;
        let Some(first) = written.rows.first() else {
            return Err(written.wrong("no board follows".to_owned(), written.place_of_total()));
        };
        let grid = Grid { rows: written.rows.len(), columns: written.cells(first).count() };
        if grid.rows.checked_mul(grid.columns).is_none_or(|area| area > MOST_CELLS) {
            return Err(written.wrong(format!("the board has more than {MOST_CELLS} cells"), first[0].range.clone()));
        }
        let (mut position, doubtful) = written.position(grid)?;
        let Some((mines, _)) = written.total else {
            let text = format!("{}: no line \"mines N\", the number of mines on the whole board", document.name);
            return Err(Diagnostic::error(text).help("add a line such as \"mines 10\"").into());
        };
        position.mines = Some(mines);
        Ok((position, doubtful, written))
    }

    pub fn wrong(&self, what: String, range: Range<usize>) -> Failure {
        Diagnostic::error(what).at(Some(Place::of_range(&self.document.name, &self.document.text, range))).into()
    }

    /// Where a cell stands.
    pub fn place(&self, [row, column]: [usize; 2]) -> Range<usize> {
        let cell = self.rows.get(row).and_then(|row| self.cells(row).nth(column));
        cell.map_or_else(|| self.place_of_total(), |token| token.range)
    }

    pub fn place_of_total(&self) -> Range<usize> {
        self.total.as_ref().map_or(0..0, |(_, range)| range.clone())
    }

    /// Tells the number of mines, rows, and all else apart.
    fn part(&mut self) -> Result<(), Failure> {
        let text: &'a str = &self.document.text;
        let (mut row, mut label): (Vec<Token<'a>>, Option<Token<'a>>) = (Vec::new(), None);
        let mut paragraphs: Vec<Vec<Vec<Token<'a>>>> = vec![Vec::new()];
        let mut result = Ok(());
        if text.contains([':', '=']) {
            self.total = cells::lines(text).find_map(|(at, line)| Some((flags_of_mines(line)?, at..at + line.len())));
        }
        let mut is_other = false;
        let counter = self.total.as_ref().map_or(0..0, |(_, range)| range.clone());
        cells::scan(text, &mut |mark| {
            if matches!(&mark, Mark::Cell(_)) && is_other {
                return true;
            }
            if matches!(&mark, Mark::Cell(token) if counter.contains(&token.range.start)) {
                return true;
            }
            let is_row = |token: &Token<'a>| text[..token.range.start].ends_with('"') && sign(token.text).is_none();
            let ends = !matches!(mark, Mark::Cell(_)) || matches!(&mark, Mark::Cell(token) if is_row(token));
            if ends && !row.is_empty() {
                result = self.put(std::mem::take(&mut row), &mut paragraphs);
            }
            match mark {
                Mark::Cell(token) => match &label {
                    None => row.push(token),
                    Some(name) if name.text.to_ascii_lowercase().split([' ', '_']).any(is_total) => {
                        result = self.put(vec![name.clone(), token], &mut paragraphs);
                        label = None;
                    }
                    // A value that is no row.
                    Some(_) => {}
                },
                Mark::Label(name) => {
                    is_other = is_other_board(name.text);
                    label = Some(name).filter(|name| !is_board(name.text));
                }
                Mark::Row => label = None,
                Mark::Board => {
                    label = None;
                    paragraphs.push(Vec::new());
                }
            }
            result.is_ok()
        });
        result?;
        if !row.is_empty() {
            self.put(row, &mut paragraphs)?;
        }
        let is_clean = |row: &Vec<Token<'a>>| self.cells(row).all(|token| sign(token.text).is_some());
        if paragraphs.iter().flatten().any(is_clean) {
            paragraphs.retain(|rows| rows.iter().any(is_clean));
            paragraphs.iter_mut().for_each(|rows| rows.retain(|row| !is_prose(row)));
        }
        paragraphs.retain(|rows| !rows.is_empty());
        if let [_, second, ..] = &paragraphs[..]
            && paragraphs.iter().any(|rows| rows.len() > 1)
        {
            return Err(self.wrong("a second board begins here; one was wanted".to_owned(), second[0][0].range.clone()));
        }
        self.rows = paragraphs.concat();
        self.frame();
        self.size();
        Ok(())
    }

    /// A row, or the number of mines.
    fn put(&mut self, row: Vec<Token<'a>>, paragraphs: &mut [Vec<Vec<Token<'a>>>]) -> Result<(), Failure> {
        let (first, second) = (&row[0], row.get(1));
        let begins = is_total(first.text.rsplit([' ', '_']).next().unwrap_or_default()) || is_total(first.text);
        let ends = second.is_some_and(|second| is_total(second.text));
        let is_alone = match row.get(1..3) {
            Some([second, third]) => third.range.start - second.range.end > 1,
            _ => true,
        };
        if !is_alone || !(begins || ends) {
            paragraphs.last_mut().expect("there is always a paragraph").push(row);
            return Ok(());
        }
        let range = first.range.start..second.unwrap_or(first).range.end;
        match second.and_then(|second| if begins { second } else { first }.text.parse().ok()) {
            Some(_) if self.total.is_some() => {
                return Err(self.wrong("a second line \"mines\"; one was wanted".to_owned(), range));
            }
            Some(number) => self.total = Some((number, range)),
            // Words.
            None if self.total.is_some() => {}
            None => return Err(self.wrong("\"mines\" and a whole number were wanted".to_owned(), range)),
        }
        Ok(())
    }

    /// Drops the numbers, or letters, of columns and rows.
    fn frame(&mut self) {
        let Some((top, rows)) = self.rows.split_first().filter(|(top, rows)| top.len() > 1 && !rows.is_empty()) else {
            return;
        };
        let is_count = |mut names: Box<dyn Iterator<Item = &str> + '_>| {
            let Some(mut before) = names.next() else { return false };
            names.all(|name| follows(std::mem::replace(&mut before, name), name))
        };
        if is_count(Box::new(top.iter().map(|token| token.text)))
            && rows.iter().all(|row| row.len() == top.len() + 1)
            && is_count(Box::new(rows.iter().map(|row| row[0].text)))
        {
            self.rows.remove(0);
            for row in &mut self.rows {
                row.remove(0);
            }
            self.is_framed = true;
        }
    }

    /// Drops a line such as `9x9` or `9x9x10` that tells the size of the board below, and perhaps the number of mines.
    fn size(&mut self) {
        let [top, rows @ ..] = &self.rows[..] else { return };
        let [token] = &top[..] else { return };
        let numbers: Option<Vec<usize>> = token.text.split('x').map(|number| number.parse().ok()).collect();
        let (Some(numbers), Some(below)) = (numbers, rows.first()) else { return };
        // An x may be a closed cell as well.
        let has_x = rows.iter().flatten().any(|token| token.text.contains('x'));
        if !has_x && numbers.len() > 1 && numbers.len() < 4 && numbers[..2] == [self.cells(below).count(), rows.len()] {
            if let (Some(&mines), None) = (numbers.get(2), &self.total) {
                self.total = Some((mines, token.range.clone()));
            }
            self.rows.remove(0);
        }
    }

    /// The cells of a row: pieces that are set apart, or else signs side by side.
    fn cells<'r>(&'r self, row: &'r [Token<'a>]) -> impl Iterator<Item = Token<'a>> + 'r {
        let is_whole = move |token: &Token<'a>| {
            self.is_framed
                || row.len() > 1 && (sign(token.text).is_some() || is_word(token.text) || token.text.is_empty())
                // In some programs -1 is a closed cell, in others a mine.
                || token.text.parse::<i64>().is_ok_and(|number| number < 0)
        };
        row.iter().flat_map(move |token| {
            let mut rest = if is_whole(token) { None } else { Some(token.clone()) };
            let mut whole = if rest.is_none() { Some(token.clone()) } else { None };
            std::iter::from_fn(move || whole.take().or_else(|| first_sign(&mut rest)))
        })
    }

    /// The cells, those closed that can be read in two ways; and which these are.
    fn position(&self, grid: Grid) -> Result<(Position, Vec<(usize, Sign)>), Failure> {
        let mut position = Position::closed(grid, None);
        let mut doubtful: Vec<(usize, Sign)> = Vec::new();
        for (row, tokens) in self.rows.iter().enumerate() {
            let mut found = 0;
            for (column, token) in self.cells(tokens).enumerate() {
                let place = || format!("row {}, column {}", row + 1, column + 1);
                let is_estimate = self.is_framed && token.text.len() == 2 && token.text.parse::<u8>().is_ok();
                let sign = if is_estimate { Some(Sign::Is(Cell::Closed)) } else { sign(token.text) };
                let Some(sign) = sign else {
                    let found = if token.text.trim().is_empty() { "an empty cell" } else { token.text };
                    let what = format!("{}: found {found}; 0 to 8, ., ?, # or F was wanted", place());
                    return Err(self.wrong(what, token.range));
                };
                if column == grid.columns {
                    let what = format!("{}: row 1 has {column} cells, and so must this", place());
                    return Err(self.wrong(what, token.range));
                }
                let cell = grid.cell(row, column);
                match sign {
                    Sign::Is(known) => position.cells[cell] = known,
                    doubt => doubtful.push((cell, doubt)),
                }
                found += 1;
            }
            if found < grid.columns {
                let what = format!("row {} has {found} cells; {} were wanted, as in row 1", row + 1, grid.columns);
                let end = tokens.last().map_or(0, |token| token.range.end);
                return Err(self.wrong(what, end..end));
            }
        }
        Ok((position, doubtful))
    }
}

/// What the signs mean that can be read in two ways.
fn decide(position: &mut Position, doubtful: &[(usize, Sign)]) {
    let mut kinds: Vec<Sign> = Vec::new();
    for &(_, sign) in doubtful {
        if !kinds.contains(&sign) {
            kinds.push(sign);
        }
    }
    let among = |kind: Sign| doubtful.iter().filter(move |&&(_, sign)| sign == kind).map(|&(cell, _)| cell);
    // Until it is known, all of them are closed.
    let has_other = |kind: Sign| position.count(Cell::Closed) > among(kind).count();
    let can_be_open = |kind: Sign| {
        let own: Vec<usize> = among(kind).collect();
        let is_foreign = |near: &usize| position.cells[*near].is_covered() && own.binary_search(near).is_err();
        let foreign = |cell: usize| position.around(cell).iter().filter(|near| is_foreign(near)).count();
        let has_room = |cell| matches!(position.cells[cell], Cell::Open(number) if foreign(cell) >= number.into());
        own.iter().all(|&cell| foreign(cell) == 0) && position.numbers().all(has_room)
    };
    let open: Vec<Sign> = kinds
        .iter()
        .copied()
        .filter(|&kind| matches!(kind, Sign::Blank(_)) && has_other(kind) && can_be_open(kind))
        .collect();
    let is_star = kinds.contains(&Sign::Star) && has_other(Sign::Star);
    for &(cell, sign) in doubtful {
        match sign {
            Sign::Star if is_star => position.cells[cell] = Cell::Mine,
            blank if open == [blank] => position.cells[cell] = OPEN,
            _ => {}
        }
    }
}

/// The first sign of a piece of text, with what belongs to it; the rest stays.
fn first_sign<'a>(rest: &mut Option<Token<'a>>) -> Option<Token<'a>> {
    let token = rest.as_mut().filter(|token| !token.text.is_empty())?;
    let first = token.text.chars().next().map_or(0, char::len_utf8);
    let tail = token.text[first..].trim_start_matches(['\u{FE0F}', '\u{20E3}', '\u{200D}']);
    let (sign, begin) = (&token.text[..token.text.len() - tail.len()], token.range.start);
    let end = begin + sign.len();
    *token = Token { text: tail, range: end..token.range.end };
    Some(Token { text: sign, range: begin..end })
}

/// Letters that are not all signs.
fn is_word(text: &str) -> bool {
    text.len() > 1 && text.chars().all(char::is_alphabetic) && !text.chars().all(|sign| single(sign).is_some())
}

/// Mostly words.
fn is_prose(row: &[Token<'_>]) -> bool {
    row.iter().filter(|token| is_word(token.text.trim_end_matches(['.', ',', ':', '!']))).count() * 2 > row.len()
}

/// What another board than the one to solve is called.
fn is_other_board(label: &str) -> bool {
    let label = label.to_ascii_lowercase();
    ["solution", "answer", "previous", "next", "before", "mask"].iter().any(|word| label.contains(word))
}

/// What a board is called.
fn is_board(label: &str) -> bool {
    ["board", "grid", "cells", "rows", "field", "map", "position"].contains(&label.to_ascii_lowercase().as_str())
}

/// 4 and 5, 99 and 00 (of which the first digits are left out), A and B.
fn follows(before: &str, name: &str) -> bool {
    match (before.parse::<usize>(), name.parse::<usize>()) {
        (Ok(before), Ok(number)) => {
            number == before + 1 || number == 0 && before.to_string().bytes().all(|digit| digit == b'9')
        }
        _ => {
            let letter = |text: &str| text.bytes().next().filter(|byte| text.len() == 1 && byte.is_ascii_alphabetic());
            matches!((letter(before), letter(name)), (Some(before), Some(letter)) if letter == before + 1)
        }
    }
}
