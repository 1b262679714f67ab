//! Text formats of boards: the number of mines, and rows of signs.
//!
//! ```text
//!   mines 3       Mines: 3           10 mines            {"mines": 2,         (as this program prints it)
//!   1??           | 1 | ? | ? |      1️⃣ 🟦 🟦            "board": ["1__",            1  2  3
//!   2F?           | 2 | f | ? |      2️⃣ 🚩 🟦                      "2F_"]}       1   1 8% 92%
//! ```
//!
//! `mines ?` states that the number is unknown, as on boards without such a line; `mines 20%` or
//! `density 20` states the density of mines instead. `💣 3` is `mines 3`, and `mines left: 3` does not
//! count the mines that have a flag.
//!
//! | meaning | signs |
//! |---|---|
//! | open | `0` to `8`, `.` or `·` for `0`, 1️⃣; `3!` is a 3 in conflict |
//! | mine or flag | `F` `f` `M` `m` 🚩 ⚑ 💣 💥 |
//! | closed | `?` `#` `x` `X` `o` `!` `H`, coloured squares, a percentage |
//! | `0` or closed | `_` `-` ⬜ ⬛ □ ■: see below |
//! | mine or closed | `*`: closed if no other sign is |
//!
//! A sign of the fourth row means `0` if the board has another sign for closed cells, no cell with
//! the sign touches a closed cell, the numbers can be satisfied without mines in these cells, and
//! the resulting board is not contradictory. Otherwise it means closed. Text around the board,
//! numbers of its rows and columns, and its size are ignored. After a line `4 5 3`, the numbers of
//! rows, columns and mines, `-` is a closed cell.

use std::ops::Range;
use std::str::FromStr;

use base::diagnostic::{Code, Diagnostic, Failure};
use base::document::Document;
use base::stop::CancelToken;
use puzzle::cells::{self, Mark, Token};

use super::count::{Budget, WIDE_FRONTIER};
use super::grid::MAX_CELLS;
use super::grid::{Cell, Grid};
use super::position::{Density, KnownPosition};
use super::probability::likelihood;
use super::replay;

/// Maximum number of lines that are scanned for the number of mines or a row when a text is
/// recognized.
const MAX_SCANNED_LINES: usize = 2000;

/// Advice for boards that state neither the number of mines nor their density.
pub const TOTAL_HELP: &str = "add a line `mines N`, or `mines 20%` for a density";

/// Returns true if a text looks like a board: a line states the number of mines, or the rows cannot
/// be mistaken.
pub fn looks_like_a_board(document: &Document) -> bool {
    let text = &document.text;
    let mut lines = cells::lines(text).take(MAX_SCANNED_LINES);
    replay::is_replay(text)
        || lines.any(|(_, line)| line.split(['/', ',', '{', '}']).any(states_total))
        || is_board_without_total(document)
}

/// Returns true for at least two rows and columns of signs, among them a number and a closed cell or
/// flag, on which no number exceeds its neighbours. `.` is a blank cell in many puzzles: here, a game
/// has opened all cells around it.
fn is_board_without_total(document: &Document) -> bool {
    let text = &document.text;
    let is_sign = |sign: char| single(sign).is_some() || sign.is_whitespace() || "/|,%\u{FE0F}\u{20E3}".contains(sign);
    let is_covered = |sign: char| {
        let is_cover = matches!(single(sign), Some(CellSign::Is(Cell::Closed | Cell::Mine)));
        "?#F".contains(sign) || !sign.is_ascii() && is_cover
    };
    // Faster than to decode a long text.
    let may_be_covered = |byte: u8| !byte.is_ascii() || b"?#F".contains(&byte);
    if !text.bytes().any(may_be_covered)
        || !text.contains(is_covered)
        || !text.contains(|sign| ('1'..='8').contains(&sign))
        || !cells::lines(text).all(|(_, line)| line.chars().all(is_sign))
    {
        return false;
    }
    let Ok((position, ..)) = TextBoard::parse(document) else { return false };
    let has_dots = text.contains(['.', '·']);
    let fits = |number: usize| match position.cells[number] {
        Cell::Open(0) => !has_dots || position.count_around(number, Cell::Closed) == 0,
        Cell::Open(mines) => usize::from(mines) <= 8 - position.count_around(number, Cell::Wall),
        _ => true,
    };
    position.mines.is_none() && position.grid.rows.min(position.grid.columns) > 1 && position.numbers().all(fits)
}

/// Returns the fraction of the text that consists of signs, or 0 for rows that would be read as a
/// board without being recognised: the closest match must explain what is wrong.
pub fn share_of_signs(document: &Document) -> f64 {
    let text = &document.text;
    // Words consist of letters that can be signs, and many boards of digits and dots.
    let is_closed = |sign: char| !sign.is_alphabetic() && matches!(single(sign), Some(CellSign::Is(Cell::Closed)));
    if !text.contains(is_closed) || !text.contains(|sign: char| sign.is_ascii_digit()) {
        return 0.0;
    }
    // A cell cannot have the number 9.
    let mut has_nine = false;
    cells::scan(text, &mut |mark| {
        has_nine = matches!(&mark, Mark::Cell(token) if token.text.contains('9') && sign(token.text).is_none());
        !has_nine
    });
    if has_nine || TextBoard::of(document).is_ok_and(|board| board.total.is_none()) {
        return 0.0;
    }
    cells::share(text, |sign| single(sign).is_some() || ",|/\u{FE0F}\u{20E3}".contains(sign))
}

/// Returns true if a line, or its first column, states the number of mines and nothing else.
fn states_total(line: &str) -> bool {
    if !["ine", "INE", "omb", "OMB", "💣", "ensity"].iter().any(|part| line.contains(part)) {
        return false;
    }
    if total_left(line).is_some() || stated_density(line).is_some() {
        return true;
    }
    let first = line.trim().split("  ").next().unwrap_or_default();
    let mut words = first.split([' ', '\t', ':', '=', '"', '\'']).filter(|word| !word.is_empty());
    match (words.next(), words.next(), words.next()) {
        (Some(word), Some(number), None) if is_bomb(word) => Total::parse(number).is_some(),
        (Some(word), Some(number), None) if is_total(word) => {
            Total::parse(number).is_some()
                || !number.contains(|sign: char| sign.is_alphabetic() || sign == '.' || sign == '}')
        }
        (Some(number), Some(word), None) => is_total(word) && Total::parse(number).is_some(),
        (Some(_), Some(word), Some(number)) => {
            is_total(word) && Total::parse(number).is_some() && line.contains([':', '='])
        }
        _ => false,
    }
}

/// Parses a count of flags and mines, such as "Mines: 3/10", and returns the number of mines.
fn total_after_flags(line: &str) -> Option<Total> {
    let (word, numbers) = line.split_once([':', '='])?;
    let (flags, mines) = numbers.split_once('/')?;
    flags.trim().parse::<usize>().ok().filter(|_| is_total(word.trim()))?;
    mines.trim().parse().map(Total::Mines).ok()
}

/// Parses a count of the mines without a flag: "Mines left: 3", "3 mines remaining".
fn total_left(line: &str) -> Option<Total> {
    let words: Vec<String> = words_of(line).map(str::to_ascii_lowercase).collect();
    let is_left = |word: &String| ["left", "remaining"].contains(&word.as_str());
    let is_complete = words.len() == 3 && words.iter().any(is_left) && words.iter().any(|word| is_total(word));
    words.iter().filter(|_| is_complete).find_map(|word| word.parse().ok()).map(Total::Left)
}

/// Parses a line such as "density 20", "density: 20%" or "density 0.2". The inner `None` is an
/// invalid density.
fn stated_density(line: &str) -> Option<Option<Total>> {
    let mut words = words_of(line).filter(|word| *word != "%");
    words.next().filter(|word| word.eq_ignore_ascii_case("density"))?;
    let number = words.next().filter(|_| words.next().is_none())?;
    let value: f64 = number.trim_end_matches('%').parse().ok()?;
    let percent = if value < 1.0 && !line.contains('%') { 100.0 * value } else { value };
    Some(format!("{percent}%").parse().map(Total::Density).ok())
}

fn words_of(line: &str) -> impl Iterator<Item = &str> {
    line.split([' ', '\t', ':', '=']).filter(|word| !word.is_empty())
}

fn is_bomb(word: &str) -> bool {
    word.trim_end_matches('\u{FE0F}') == "💣"
}

/// Parses a density with a blank before its percent sign, which is no comment here: "mines 20 %".
fn spaced_density(line: &str) -> Option<Total> {
    let mut words = words_of(line.trim().strip_suffix('%')?);
    match (words.next()?, words.next()?, words.next()) {
        (word, percent, None) if is_total(word) => Density::from_str(&format!("{percent}%")).map(Total::Density).ok(),
        _ => None,
    }
}

fn is_total(word: &str) -> bool {
    matches!(word.to_ascii_lowercase().as_str(), "mines" | "mine" | "bombs" | "bomb")
}

/// What a text states about the number of mines on its board.
#[derive(Debug, Clone, Copy)]
enum Total {
    Mines(usize),
    /// The number of mines without a flag.
    Left(usize),
    Density(Density),
    Unknown,
}

impl Total {
    fn parse(text: &str) -> Option<Total> {
        if ["?", "unknown", "null"].contains(&text) {
            return Some(Total::Unknown);
        }
        text.parse().map(Total::Mines).ok().or_else(|| text.parse().map(Total::Density).ok())
    }
}

const OPEN: Cell = Cell::Open(0);

/// Cells with an ambiguous sign.
type Ambiguous = Vec<(usize, CellSign)>;

/// The meaning of a sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CellSign {
    Is(Cell),
    /// Closed, or open with the number 0.
    Blank(char),
    /// A mine, or closed.
    Star,
}

fn single(sign: char) -> Option<CellSign> {
    Some(match sign {
        '0'..='8' => CellSign::Is(Cell::Open(sign as u8 - b'0')),
        '.' | '·' => CellSign::Is(OPEN),
        '?' | '#' | 'x' | 'X' | 'o' | '!' | 'H' | '❓' | '❔' => CellSign::Is(Cell::Closed),
        '🟥' | '🟧' | '🟨' | '🟩' | '🟦' | '🟪' | '🟫' | '░' | '▒' | '▓' | '█' => {
            CellSign::Is(Cell::Closed)
        }
        'F' | 'f' | 'M' | 'm' | '🚩' | '⚑' | '⛳' | '💣' | '💥' | '✹' => CellSign::Is(Cell::Mine),
        '_' | '-' | '⬜' | '⬛' | '◻' | '◼' | '◽' | '◾' | '□' | '■' | '▢' | '▣' => {
            CellSign::Blank(sign)
        }
        '*' => CellSign::Star,
        _ => return None,
    })
}

/// Returns the meaning of a token, if it is a single cell.
fn sign(text: &str) -> Option<CellSign> {
    let mut signs = text.chars();
    let first = single(signs.next()?);
    match signs.as_str() {
        "" | "\u{FE0F}" | "\u{FE0F}\u{20E3}" | "\u{20E3}" => first,
        "!" if matches!(first, Some(CellSign::Is(Cell::Open(_)))) => first,
        _ if is_percentage(text) => Some(CellSign::Is(Cell::Closed)),
        _ => None,
    }
}

fn is_percentage(text: &str) -> bool {
    text.strip_suffix('%').is_some_and(|number| number.parse::<u8>().is_ok_and(|percent| percent <= 100))
}

/// A board as text: its rows, with the source location of each cell.
pub struct TextBoard<'a> {
    document: &'a Document,
    rows: Vec<Vec<Token<'a>>>,
    /// True if the rows and columns are numbered, as in the output of this program.
    is_framed: bool,
    /// True if the text begins with a size line such as `4 5 3`. Then `-` is a closed cell, and `#` is
    /// an error.
    is_sized: bool,
    /// The number of mines and its range in the text.
    total: Option<(Total, Range<usize>)>,
}

impl<'a> TextBoard<'a> {
    /// Parses a position, and the text board that locates its cells.
    pub fn read(document: &'a Document, stop: &CancelToken) -> Result<(KnownPosition, TextBoard<'a>), Failure> {
        let (closed, ambiguous, text_board) = TextBoard::parse(document)?;
        if ambiguous.is_empty() {
            return Ok((closed, text_board));
        }
        let mut position = closed.clone();
        resolve_ambiguous(&mut position, &ambiguous);
        // If reading ambiguous signs as 0 makes the board contradictory, they are closed.
        let budget = Budget { stop: stop.clone(), memory: 64 << 20, reason: WIDE_FRONTIER };
        let is_wrong = ambiguous.iter().any(|&(cell, _)| position.cells[cell] == OPEN)
            && matches!(likelihood(&position, &budget), Ok(Err(_)));
        Ok((if is_wrong { closed } else { position }, text_board))
    }

    /// Parses a text for the locations of its cells, regardless of the meaning of their signs.
    pub fn of(document: &'a Document) -> Result<TextBoard<'a>, Failure> {
        TextBoard::parse(document).map(|(.., text_board)| text_board)
    }

    /// Parses the board with all cells of ambiguous signs closed; also returns these cells.
    fn parse(document: &'a Document) -> Result<(KnownPosition, Ambiguous, TextBoard<'a>), Failure> {
        let mut text_board = TextBoard { document, rows: Vec::new(), is_framed: false, is_sized: false, total: None };
        if let Some(position) = replay::read(document)? {
            let mines = Total::Mines(position.mines.unwrap_or(0));
            text_board.total = Some((mines, 0..document.text.trim_end().len().min(1)));
            return Ok((position, Vec::new(), text_board));
        }
        text_board.split_text()?;
        let Some(first) = text_board.rows.first() else {
            return Err(text_board.error_at("no board follows".to_owned(), text_board.place_of_total()));
        };
        let grid = Grid { rows: text_board.rows.len(), columns: text_board.cells(first).count() };
        if grid.rows.checked_mul(grid.columns).is_none_or(|area| area > MAX_CELLS) {
            return Err(
                text_board.error_at(format!("the board has more than {MAX_CELLS} cells"), first[0].range.clone())
            );
        }
        let (mut position, ambiguous) = text_board.position(grid)?;
        match text_board.total {
            Some((Total::Mines(mines), _)) => position.mines = Some(mines),
            Some((Total::Left(left), _)) => position.mines = Some(left.saturating_add(position.count(Cell::Mine))),
            Some((Total::Density(density), _)) => position.density = Some(density),
            Some((Total::Unknown, _)) => {}
            None if position.numbers().next().is_some() => {}
            None => {
                let text = format!("{}: no line \"mines N\", the number of mines on the whole board", document.name);
                let help = "add a line such as \"mines 10\"";
                return Err(Diagnostic::error(Code::InvalidInstance, text).help(help).into());
            }
        }
        Ok((position, ambiguous, text_board))
    }

    pub fn error_at(&self, what: String, range: Range<usize>) -> Failure {
        cells::error_at(self.document, what, &range).into()
    }

    /// Returns the range of a cell in the text.
    pub fn place(&self, [row, column]: [usize; 2]) -> Range<usize> {
        let cell = self.rows.get(row).and_then(|row| self.cells(row).nth(column));
        cell.map_or_else(|| self.place_of_total(), |token| token.range)
    }

    pub fn place_of_total(&self) -> Range<usize> {
        self.total.as_ref().map_or(0..0, |(_, range)| range.clone())
    }

    /// Extracts the number of mines and the rows from the text.
    fn split_text(&mut self) -> Result<(), Failure> {
        let text: &'a str = &self.document.text;
        let (mut row, mut label): (Vec<Token<'a>>, Option<Token<'a>>) = (Vec::new(), None);
        let mut paragraphs: Vec<Vec<Vec<Token<'a>>>> = vec![Vec::new()];
        let mut result = Ok(());
        if text.contains([':', '=']) {
            self.total =
                cells::lines(text).find_map(|(at, line)| Some((total_after_flags(line)?, at..at + line.len())));
        }
        if text.contains(" %") {
            let mut end = 0;
            let mut lines = text.split_inclusive('\n').inspect(|line| end += line.len());
            let density = lines.find_map(|line| Some((spaced_density(line)?, line.len())));
            self.total = density.map(|(density, len)| (density, end - len..end)).or(self.total.take());
        }
        self.total = self.total.take().or(self.stated_total()?);
        let mut is_in_other_board = false;
        let total_range = self.total.as_ref().map_or(0..0, |(_, range)| range.clone());
        cells::scan(text, &mut |mark| {
            if matches!(&mark, Mark::Cell(_)) && is_in_other_board {
                return true;
            }
            if matches!(&mark, Mark::Cell(token) if total_range.contains(&token.range.start)) {
                return true;
            }
            let is_row = |token: &Token<'a>| text[..token.range.start].ends_with('"') && sign(token.text).is_none();
            let ends_row = !matches!(mark, Mark::Cell(_)) || matches!(&mark, Mark::Cell(token) if is_row(token));
            if ends_row && !row.is_empty() {
                result = self.add_row(std::mem::take(&mut row), &mut paragraphs);
            }
            match mark {
                Mark::Cell(token) => match &label {
                    None => row.push(token),
                    Some(name) if name.text.to_ascii_lowercase().split([' ', '_']).any(is_total) => {
                        result = self.add_row(vec![name.clone(), token], &mut paragraphs);
                        label = None;
                    }
                    // A value that is not a row.
                    Some(_) => {}
                },
                Mark::Label(name) => {
                    is_in_other_board = is_other_board(name.text);
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
            self.add_row(row, &mut paragraphs)?;
        }
        let is_clean = |row: &Vec<Token<'a>>| self.cells(row).all(|token| sign(token.text).is_some());
        if paragraphs.iter().flatten().any(is_clean) {
            paragraphs.retain(|rows| rows.iter().any(is_clean));
            for rows in &mut paragraphs {
                rows.retain(|row| !is_prose(row));
            }
        }
        self.take_bomb_count(&mut paragraphs);
        paragraphs.retain(|rows| !rows.is_empty());
        if let [_, second, ..] = &paragraphs[..]
            && paragraphs.iter().any(|rows| rows.len() > 1)
        {
            return Err(
                self.error_at("a second board begins here, expected one board".to_owned(), second[0][0].range.clone())
            );
        }
        self.rows = paragraphs.concat();
        self.strip_frame();
        self.strip_size();
        self.strip_size_line();
        Ok(())
    }

    /// Finds a line that states the density, or the number of mines without a flag.
    fn stated_total(&self) -> Result<Option<(Total, Range<usize>)>, Failure> {
        for (at, line) in cells::lines(&self.document.text) {
            let range = at..at + line.len();
            match stated_density(line) {
                Some(Some(density)) => return Ok(Some((density, range))),
                Some(None) => {
                    let what = format!("{line}: expected a density above 0% and below 100%");
                    return Err(self.error_at(what, range));
                }
                None => {}
            }
            if let Some(left) = total_left(line) {
                return Ok(Some((left, range)));
            }
        }
        Ok(None)
    }

    /// Removes a line such as `💣 3` that states the number of mines. On a board of two columns it is
    /// a row.
    fn take_bomb_count(&mut self, paragraphs: &mut [Vec<Vec<Token<'a>>>]) {
        let count = |row: &Vec<Token<'a>>| match &row[..] {
            [bomb, number] if is_bomb(bomb.text) => {
                Some((Total::parse(number.text)?, bomb.range.start..number.range.end))
            }
            _ => None,
        };
        let mut rows = paragraphs.iter().flatten();
        let Some(total) = rows.clone().find_map(count).filter(|_| self.total.is_none()) else { return };
        if rows.any(|row| count(row).is_none() && self.cells(row).count() == 2) {
            return;
        }
        let first = total.1.clone();
        self.total = Some(total);
        // A second such line is reported as a row that is too short.
        paragraphs.iter_mut().for_each(|rows| rows.retain(|row| count(row).is_none_or(|(_, range)| range != first)));
    }

    /// Adds a row, or the number of mines.
    fn add_row(&mut self, row: Vec<Token<'a>>, paragraphs: &mut [Vec<Vec<Token<'a>>>]) -> Result<(), Failure> {
        let (first, second) = (&row[0], row.get(1));
        let begins_with_word =
            is_total(first.text.rsplit([' ', '_']).next().unwrap_or_default()) || is_total(first.text);
        let ends_with_word = second.is_some_and(|second| is_total(second.text));
        let is_alone = match row.get(1..3) {
            Some([second, third]) => third.range.start - second.range.end > 1,
            _ => true,
        };
        if !is_alone || !(begins_with_word || ends_with_word) {
            paragraphs.last_mut().expect("there is always a paragraph").push(row);
            return Ok(());
        }
        let range = first.range.start..second.unwrap_or(first).range.end;
        match second.and_then(|second| Total::parse(if begins_with_word { second } else { first }.text)) {
            Some(_) if self.total.is_some() => {
                return Err(self.error_at("a second line \"mines\", expected one".to_owned(), range));
            }
            Some(total) => self.total = Some((total, range)),
            // Prose.
            None if self.total.is_some() => {}
            None => {
                let what = "expected \"mines\" and an integer, a density such as 20% (above 0% and below 100%), or ?";
                return Err(self.error_at(what.to_owned(), range));
            }
        }
        Ok(())
    }

    /// Removes the labels of columns and rows, which are numbers or letters.
    fn strip_frame(&mut self) {
        let Some((top, rows)) = self.rows.split_first().filter(|(top, rows)| top.len() > 1 && !rows.is_empty()) else {
            return;
        };
        let are_consecutive = |mut labels: Box<dyn Iterator<Item = &str> + '_>| {
            let Some(mut previous) = labels.next() else { return false };
            labels.all(|label| follows(std::mem::replace(&mut previous, label), label))
        };
        if are_consecutive(Box::new(top.iter().map(|token| token.text)))
            && rows.iter().all(|row| row.len() == top.len() + 1)
            && are_consecutive(Box::new(rows.iter().map(|row| row[0].text)))
        {
            self.rows.remove(0);
            for row in &mut self.rows {
                row.remove(0);
            }
            self.is_framed = true;
        }
    }

    /// Removes a line such as `9x9` or `9x9x10` that states the size of the board below, and
    /// possibly the number of mines.
    fn strip_size(&mut self) {
        let [top, rows @ ..] = &self.rows[..] else { return };
        let [token] = &top[..] else { return };
        let numbers: Option<Vec<usize>> = token.text.split('x').map(|number| number.parse().ok()).collect();
        let (Some(numbers), Some(below)) = (numbers, rows.first()) else { return };
        // An x can also be a closed cell.
        let has_x = rows.iter().flatten().any(|token| token.text.contains('x'));
        if !has_x && numbers.len() > 1 && numbers.len() < 4 && numbers[..2] == [self.cells(below).count(), rows.len()] {
            if let (Some(&mines), None) = (numbers.get(2), &self.total) {
                self.total = Some((Total::Mines(mines), token.range.clone()));
            }
            self.rows.remove(0);
        }
    }

    /// Removes a line `rows columns mines`, unless it can be a row of the board.
    fn strip_size_line(&mut self) {
        let [top, rows @ ..] = &self.rows[..] else { return };
        let numbers: Option<Vec<usize>> = top.iter().map(|token| token.text.parse().ok()).collect();
        let Some([stated_rows, stated_columns, mines]) = numbers.as_deref() else { return };
        if rows.is_empty() || rows.len() != *stated_rows || *stated_columns == top.len() {
            return;
        }
        if rows.iter().all(|row| self.cells(row).count() == *stated_columns) && self.total.is_none() {
            self.total = Some((Total::Mines(*mines), top[0].range.start..top[2].range.end));
            self.is_sized = true;
            self.rows.remove(0);
        }
    }

    /// Returns the cells of a row, which are separate tokens or adjacent single signs.
    fn cells<'r>(&'r self, row: &'r [Token<'a>]) -> impl Iterator<Item = Token<'a>> + 'r {
        let is_whole = move |token: &Token<'a>| {
            self.is_framed
                || row.len() > 1 && (sign(token.text).is_some() || is_word(token.text) || token.text.is_empty())
                // -1 stands for a closed cell in some programs and for a mine in others.
                || token.text.parse::<i64>().is_ok_and(|number| number < 0)
        };
        row.iter().flat_map(move |token| {
            let mut rest = if is_whole(token) { None } else { Some(token.clone()) };
            let mut single_token = if rest.is_none() { Some(token.clone()) } else { None };
            std::iter::from_fn(move || single_token.take().or_else(|| first_sign(&mut rest)))
        })
    }

    /// Returns the position with all cells of ambiguous signs closed, and these cells.
    fn position(&self, grid: Grid) -> Result<(KnownPosition, Vec<(usize, CellSign)>), Failure> {
        let mut position = KnownPosition::closed(grid, None);
        let mut ambiguous: Vec<(usize, CellSign)> = Vec::new();
        for (row, tokens) in self.rows.iter().enumerate() {
            let mut count = 0;
            for (column, token) in self.cells(tokens).enumerate() {
                let place = || format!("row {}, column {}", row + 1, column + 1);
                let is_estimate = self.is_framed && token.text.len() == 2 && token.text.parse::<u8>().is_ok();
                let sign = if is_estimate { Some(CellSign::Is(Cell::Closed)) } else { sign(token.text) };
                let Some(sign) = sign else {
                    let is_empty = token.text.trim().is_empty();
                    let found = if is_empty { "an empty cell".to_owned() } else { format!("`{}`", token.text) };
                    let what = format!("{}: expected 0 to 8, ., ?, # or F, found {found}", place());
                    return Err(self.error_at(what, token.range));
                };
                if column == grid.columns {
                    let what = format!("{}: row 1 has {column} cells, but this row has more", place());
                    return Err(self.error_at(what, token.range));
                }
                let cell = grid.cell(row, column);
                if self.is_sized && token.text == "#" {
                    let what =
                        format!("{}: cells that are not part of the board are not supported, found `#`", place());
                    return Err(self.error_at(what, token.range));
                }
                match sign {
                    CellSign::Blank('-') if self.is_sized => {}
                    CellSign::Is(known) => position.cells[cell] = known,
                    ambiguous_sign => ambiguous.push((cell, ambiguous_sign)),
                }
                count += 1;
            }
            if count < grid.columns {
                let what = format!("row {} has {count} cells, expected {} as in row 1", row + 1, grid.columns);
                let end = tokens.last().map_or(0, |token| token.range.end);
                return Err(self.error_at(what, end..end));
            }
        }
        Ok((position, ambiguous))
    }
}

/// Decides the meaning of the ambiguous signs.
fn resolve_ambiguous(position: &mut KnownPosition, ambiguous: &[(usize, CellSign)]) {
    let mut kinds: Vec<CellSign> = Vec::new();
    for &(_, sign) in ambiguous {
        if !kinds.contains(&sign) {
            kinds.push(sign);
        }
    }
    let cells_with = |kind: CellSign| ambiguous.iter().filter(move |&&(_, sign)| sign == kind).map(|&(cell, _)| cell);
    // At this point all ambiguous cells are closed.
    let has_other = |kind: CellSign| position.count(Cell::Closed) > cells_with(kind).count();
    let can_be_open = |kind: CellSign| {
        let cells: Vec<usize> = cells_with(kind).collect();
        let is_other_covered = |near: &usize| position.cells[*near].is_covered() && cells.binary_search(near).is_err();
        let count_other_covered =
            |cell: usize| position.around(cell).iter().filter(|near| is_other_covered(near)).count();
        let is_satisfiable =
            |cell| matches!(position.cells[cell], Cell::Open(number) if count_other_covered(cell) >= number.into());
        cells.iter().all(|&cell| count_other_covered(cell) == 0) && position.numbers().all(is_satisfiable)
    };
    let open: Vec<CellSign> = kinds
        .iter()
        .copied()
        .filter(|&kind| matches!(kind, CellSign::Blank(_)) && has_other(kind) && can_be_open(kind))
        .collect();
    let is_star = kinds.contains(&CellSign::Star) && has_other(CellSign::Star);
    for &(cell, sign) in ambiguous {
        match sign {
            CellSign::Star if is_star => position.cells[cell] = Cell::Mine,
            blank if open == [blank] => position.cells[cell] = OPEN,
            _ => {}
        }
    }
}

/// Splits off the first sign of a token, with its variation selectors.
fn first_sign<'a>(rest: &mut Option<Token<'a>>) -> Option<Token<'a>> {
    let token = rest.as_mut().filter(|token| !token.text.is_empty())?;
    let first = token.text.chars().next().map_or(0, char::len_utf8);
    let tail = token.text[first..].trim_start_matches(['\u{FE0F}', '\u{20E3}', '\u{200D}']);
    let sign = &token.text[..token.text.len() - tail.len()];
    let begin = token.range.start;
    let end = begin + sign.len();
    *token = Token { text: tail, range: end..token.range.end };
    Some(Token { text: sign, range: begin..end })
}

/// Returns true for words: at least two letters, not all of which are signs.
fn is_word(text: &str) -> bool {
    text.len() > 1 && text.chars().all(char::is_alphabetic) && !text.chars().all(|sign| single(sign).is_some())
}

/// Returns true if most tokens are words.
fn is_prose(row: &[Token<'_>]) -> bool {
    row.iter().filter(|token| is_word(token.text.trim_end_matches(['.', ',', ':', '!']))).count() * 2 > row.len()
}

/// Returns true for labels of other boards than the one to solve.
fn is_other_board(label: &str) -> bool {
    let label = label.to_ascii_lowercase();
    ["solution", "answer", "previous", "next", "before", "mask"].iter().any(|word| label.contains(word))
}

/// Returns true for labels of the board.
fn is_board(label: &str) -> bool {
    ["board", "grid", "cells", "rows", "field", "map", "position"].contains(&label.to_ascii_lowercase().as_str())
}

/// Returns true if `label` follows `previous`: 5 after 4, B after A, or 0 after 99, since wide
/// labels lose their first digits.
fn follows(previous: &str, label: &str) -> bool {
    match (previous.parse::<usize>(), label.parse::<usize>()) {
        (Ok(previous), Ok(number)) => {
            number == previous + 1 || number == 0 && previous.to_string().bytes().all(|digit| digit == b'9')
        }
        _ => {
            let letter = |text: &str| text.bytes().next().filter(|byte| text.len() == 1 && byte.is_ascii_alphabetic());
            matches!((letter(previous), letter(label)), (Some(previous), Some(letter)) if letter == previous + 1)
        }
    }
}
