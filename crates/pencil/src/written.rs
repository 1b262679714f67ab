//! Boards in which every character is a cell, including full stops and blanks: levels of Sokoban.
//! A header with the line `Rows  as written` has such boards.
//!
//! ```text
//!   #####      4#|#-.#|#--3#       digits before a sign repeat it, and a bar ends a row,
//!   #@$.#      2(#-)#              unless digits or bars are signs of the puzzle
//!   #####
//! ```
//!
//! Other programs have other letters. Each line of the header's paragraph `Letters` translates the
//! letters of one of them: `"B" = "$", "&" = "@"`. The first line applies whose first letter the
//! board has and that leaves only signs of the puzzle; without such a line, letters remain.

use std::ops::Range;

use base::diagnostic::{Code, Diagnostic, Failure, Place};
use base::document::Document;

use super::board::{Clue, ClueLocation, ClueRanges, GridBoard, MAX_CELLS, SpanError, check_size, failure};
use super::header::Header;
use super::lines::lines;
use super::signs::SignSet;

/// How the boards of a puzzle are written.
pub struct WrittenNotation {
    signs: SignSet,
    /// For each line of the paragraph `Letters`, the letters and their signs.
    alphabets: Vec<Vec<(char, char)>>,
    has_runs: bool,
}

/// A character of a board, and its range in the text.
type Written = (Range<usize>, char);

pub enum WrittenLine {
    /// A blank line or a title.
    Separator,
    Row(Vec<Written>),
}

impl WrittenNotation {
    /// Returns true if a header has such boards.
    pub fn is_of(header: &Header) -> bool {
        header.paragraph("Rows").is_some_and(|rows| rows == "as written")
    }

    /// Returns `None` if the header lists no signs.
    pub fn of(header: &Header) -> Option<WrittenNotation> {
        let signs = SignSet::parse(&header.paragraph("Signs")?);
        let has = |sign: char| signs.has(&Clue::text(&sign.to_string()));
        let has_runs = WrittenNotation::is_of(header) && !('0'..='9').any(has) && !has('|');
        let pair = |pair: &str| {
            let (letter, sign) = pair.split_once('=')?;
            let only = |text: &str| text.trim().trim_matches('"').chars().next();
            Some((only(letter)?, only(sign)?))
        };
        let alphabets = header.lines("Letters").iter().map(|line| line.split(',').filter_map(pair).collect()).collect();
        Some(WrittenNotation { signs, alphabets, has_runs })
    }

    /// Returns true if the puzzle has this sign, or if it is an empty cell.
    pub fn has_sign(&self, sign: char) -> bool {
        is_empty_cell(sign) || self.signs.has(&Clue::text(&sign.to_string()))
    }

    /// Returns the lines of a text, with runs written out and letters translated.
    pub fn lines(&self, text: &str) -> Result<Vec<WrittenLine>, SpanError> {
        let mut all = Vec::new();
        let mut cells = 0;
        for line in lines(text) {
            let is_number = self.has_runs && line.text.trim().bytes().all(|sign| sign.is_ascii_digit());
            if is_board_separator(line.text) || is_number {
                all.push(WrittenLine::Separator);
                continue;
            }
            let signs: Vec<Written> = line
                .text
                .char_indices()
                .map(|(at, sign)| (line.offset + at..line.offset + at + sign.len_utf8(), sign))
                .collect();
            let rows = if self.has_runs && line.text.contains(is_of_run) { expanded(&signs)? } else { vec![signs] };
            cells += rows.iter().map(Vec::len).sum::<usize>();
            if cells > MAX_CELLS {
                return Err((format!("a board of more than {MAX_CELLS} cells"), line.range()));
            }
            all.extend(rows.into_iter().map(WrittenLine::Row));
        }
        let signs = || all.iter().filter_map(WrittenLine::row).flatten().map(|&(_, sign)| sign);
        let translated = |alphabet: &Vec<(char, char)>, sign: char| {
            alphabet.iter().find(|(letter, _)| *letter == sign).map_or(sign, |&(_, sign)| sign)
        };
        let applies = |alphabet: &&Vec<(char, char)>| {
            let first = alphabet.first().map(|&(letter, _)| letter);
            signs().any(|sign| Some(sign) == first) && signs().all(|sign| self.has_sign(translated(alphabet, sign)))
        };
        if let Some(alphabet) = self.alphabets.iter().find(applies) {
            for line in &mut all {
                let WrittenLine::Row(row) = line else { continue };
                row.iter_mut().for_each(|(_, sign)| *sign = translated(alphabet, *sign));
            }
        }
        Ok(all)
    }

    /// Reads a board, which a blank line or a title ends.
    pub fn read(&self, document: &Document) -> Result<(GridBoard, ClueRanges), Failure> {
        let (mut board, mut places) = (GridBoard::default(), ClueRanges::new());
        for line in lines(&document.text) {
            if let Some(("puzzle", name)) = line.text.trim().split_once(char::is_whitespace) {
                board.puzzle = Some(name.trim().to_ascii_lowercase());
            }
        }
        let mut has_ended = false;
        for line in self.lines(&document.text).map_err(|error| failure(document, error))? {
            let WrittenLine::Row(row) = line else {
                has_ended = board.rows > 0;
                continue;
            };
            if has_ended {
                let text = "expected one board; a second one begins here".to_owned();
                let range =
                    row.first().map_or(0, |(range, _)| range.start)..row.last().map_or(0, |(range, _)| range.end);
                let place = Place::of_range(&document.name, &document.text, range);
                let help = "--batch with --puzzle NAME solves one after the other";
                return Err(Diagnostic::error(Code::InvalidInstance, text).at(Some(place)).help(help).into());
            }
            board.rows += 1;
            for (column, (range, sign)) in (1..).zip(&row).filter(|(_, (_, sign))| !is_empty_cell(*sign)) {
                let cell = (board.rows, column);
                places.insert(ClueLocation::Cell(cell), range.clone());
                board.signs.insert(cell, Clue::Text(sign.to_string()));
            }
            board.columns = board.columns.max(row.len());
        }
        let size = check_size(board.rows, board.columns).and(match board.rows {
            0 => Err("no board: no rows of cells".to_owned()),
            _ => Ok(()),
        });
        size.map_err(|what| failure(document, (what, 0..0)))?;
        Ok((board, places))
    }

    /// Returns the first sign, with its range, of a board in a closed frame of `#` that the puzzle
    /// does not have. The frame has floor that is neither a dot nor a hallway as wide as the board.
    pub fn stranger_in_frame(&self, text: &str) -> Option<(Range<usize>, char)> {
        let lines = self.lines(text).ok()?;
        let rows: Vec<&[Written]> = lines.iter().filter_map(WrittenLine::row).map(trimmed).collect();
        let is_wall = |sign: &Written| sign.1 == '#';
        let is_side = |row: &&[Written]| row.iter().all(|sign| is_wall(sign) || is_empty_cell(sign.1)) && row.len() > 2;
        let is_row = |row: &&[Written]| row.first().is_some_and(is_wall) && row.last().is_some_and(is_wall);
        let [first, second, .., last] = &rows[..] else { return None };
        let is_framed = is_side(first) && is_side(last) && rows.iter().all(is_row);
        let inside = || rows[1..rows.len() - 1].iter().copied().flatten();
        let is_hallway = second.iter().skip(1).rev().skip(1).all(|sign| !is_wall(sign) && !is_empty_cell(sign.1));
        let has_floor = inside().any(|sign| is_empty_cell(sign.1));
        let stranger = inside().find(|sign| !self.has_sign(sign.1))?;
        (is_framed && has_floor && !is_hallway).then(|| stranger.clone())
    }
}

impl WrittenLine {
    pub fn row(&self) -> Option<&[Written]> {
        match self {
            WrittenLine::Separator => None,
            WrittenLine::Row(row) => Some(row),
        }
    }
}

fn trimmed(row: &[Written]) -> &[Written] {
    let is_sign = |(_, sign): &Written| !is_empty_cell(*sign);
    let begin = row.iter().position(is_sign).unwrap_or(row.len());
    let end = row.iter().rposition(is_sign).map_or(begin, |last| last + 1);
    &row[begin..end]
}

fn is_of_run(sign: char) -> bool {
    sign.is_ascii_digit() || matches!(sign, '|' | '(' | ')')
}

/// Writes out the runs and the groups in brackets of a line, and splits it at bars.
fn expanded(signs: &[Written]) -> Result<Vec<Vec<Written>>, SpanError> {
    let mut rows = vec![Vec::new()];
    // The number before each open bracket, and where its row begins to repeat.
    let mut open: Vec<(usize, usize, Range<usize>)> = Vec::new();
    let mut digits: Option<(String, Range<usize>)> = None;
    for (range, sign) in signs {
        if sign.is_ascii_digit() {
            let (number, begin) = digits.take().unwrap_or_else(|| (String::new(), range.clone()));
            digits = Some((format!("{number}{sign}"), begin.start..range.end));
            continue;
        }
        let too_long = |place: &Range<usize>| (format!("a run of more than {MAX_CELLS} cells"), place.clone());
        let number = match digits.take() {
            None => 1,
            Some((_, place)) if matches!(sign, '|' | ')') => {
                return Err(("a run length without a sign".to_owned(), place));
            }
            Some((number, place)) => {
                number.parse().ok().filter(|&number| number <= MAX_CELLS).ok_or_else(|| too_long(&place))?
            }
        };
        let row = rows.last_mut().expect("there is always a row");
        match sign {
            '|' if open.is_empty() => rows.push(Vec::new()),
            '|' => return Err(("a bar in brackets".to_owned(), range.clone())),
            '(' => open.push((number, row.len(), range.clone())),
            ')' => {
                let (number, begin, _) =
                    open.pop().ok_or_else(|| ("a bracket without its beginning".to_owned(), range.clone()))?;
                let group = row.split_off(begin);
                if number.saturating_mul(group.len()) > MAX_CELLS {
                    return Err(too_long(range));
                }
                row.extend(std::iter::repeat_n(group, number).flatten());
            }
            _ => row.extend(std::iter::repeat_n((range.clone(), *sign), number)),
        }
    }
    match (digits, open.pop()) {
        (Some((_, place)), _) => Err(("a run length without a sign".to_owned(), place)),
        (None, Some((_, _, place))) => Err(("a bracket without its end".to_owned(), place)),
        (None, None) => {
            rows.pop_if(|last| last.is_empty());
            Ok(rows)
        }
    }
}

/// Returns true if a line is blank or a title.
fn is_board_separator(line: &str) -> bool {
    let is_word = line.starts_with(|first: char| first.is_ascii_alphabetic()) && !line.contains('#');
    line.trim().is_empty() || line.starts_with(';') || is_word
}

/// Returns true for the characters of empty cells.
pub fn is_empty_cell(sign: char) -> bool {
    matches!(sign, ' ' | '-' | '_' | '\t')
}
