//! Reads squares of numbers as people paste them, with any separators of cells, boxes and rows and any sign for empty cells.
//!
//! ```text
//!   53..7....      5 3 _ | _ 7 _ | _ _ _      5,3,,,7,,,,      Easy, no. 12
//!   6..195...      6 _ _ | 1 9 5 | _ _ _      6,,,1,9,5,,,     53  7
//!   …              ------+-------+------      …                6  195
//! ```
//!
//! | what | how it is written |
//! |---|---|
//! | a number | in base 10; `A` to `G` for 10 to 16; `0` to `F` where another sign is empty and there is no `G`; letters from `A` alone for 1, 2, … |
//! | an empty cell | one of `.0_*xX?-#`, a blank, or nothing between commas; `X` is 24 where letters up to `Y` are numbers and another sign is empty |
//! | between cells | nothing, blanks, commas, semicolons, tabs, bars, brackets, quotes, slashes |
//! | around the board | up to [`MOST_PROSE`] lines of words before and after it; in a line, an address or other fields; in JSON, other values |
//!
//! The header of a puzzle whose boards are such squares has a paragraph `Plain  square`. A board without a name is one of
//! that puzzle if it is [`unmistakable`].

use std::collections::BTreeSet;

use serde_json::Value;

use super::board::{Board, Clue, Places, SIDES, Sign};
use super::text::{Line, lines};
use crate::document::Document;

/// Lines of words before the board, and after it.
const MOST_PROSE: usize = 6;
/// In bytes: the largest square has 625 cells.
const LONGEST: usize = 1 << 14;
const LARGEST: usize = 25;
/// Its place among the letters.
const X: usize = 24;
const EMPTY: &str = ".0_*xX?-#·•□☐";

/// Numbers that fill a square with boxes.
pub fn is_side(side: usize) -> bool {
    (4..=LARGEST).contains(&side) && (2..side).any(|divisor| side.is_multiple_of(divisor))
}

/// The side of a square of so many cells.
fn side_of(cells: usize) -> Option<usize> {
    Some(cells.isqrt()).filter(|&side| side * side == cells && is_side(side))
}

/// The board, and where its numbers stand.
pub fn read(document: &Document) -> Option<(Board, Places)> {
    let text = Some(&*document.text).filter(|text| text.len() <= LONGEST)?;
    if text.trim_start().starts_with('{') {
        return of_json(&serde_json::from_str(text).ok()?).map(|board| (board, Places::new()));
    }
    let all: Vec<Line<'_>> = lines(text).filter(|line| !is_fence(line.text)).collect();
    let is_written = |line: &&Line<'_>| !line.text.trim().is_empty();
    // What belongs to other puzzles, or draws areas, is for the general rule.
    let is_foreign = |line: &Line<'_>| is_header(line.text) || is_gapped_border(line.text);
    if all.iter().any(is_foreign) {
        return None;
    }
    let first = all.iter().position(|line| is_written(&line))?;
    let all = &all[first..];
    let prose = |lines: &mut dyn Iterator<Item = &Line<'_>>| {
        lines.take_while(|line| !is_written(line) || is_prose(line.text)).count().min(2 * MOST_PROSE)
    };
    let (before, after) = (prose(&mut all.iter()), prose(&mut all.iter().rev()));
    let parts = (0..=before).flat_map(|begin| (0..=after).map(move |end| (begin, end)));
    let parts = parts.filter(|(begin, end)| begin + end < all.len());
    let cells = parts.map(|(begin, end)| &all[begin..all.len() - end]).find_map(|part| {
        let written: Vec<Line<'_>> = part.iter().filter(is_written).copied().collect();
        let rows: Vec<Line<'_>> = written.iter().filter(|line| !is_separator(line.text)).copied().collect();
        fields(&rows)
            .or_else(|| blanks(part))
            .or_else(|| words(&rows))
            .or_else(|| characters(&rows))
            .or_else(|| characters(&written))
            .or_else(|| of_address(&written))
    })?;
    board(&cells)
}

/// Whether nobody would take the board for another puzzle's: no number stands twice in a row, a column or a box, or it has the
/// largest that there is; and a fifth of its cells have numbers, or it has the usual size.
pub fn unmistakable(board: &Board) -> bool {
    let (side, clues) = (board.rows, board.signs.len());
    let height = (1..=side.isqrt()).rev().find(|height| side.is_multiple_of(*height)).unwrap_or(1);
    let mut seen = BTreeSet::new();
    let repeats = board.signs.iter().any(|(&(row, column), sign)| {
        let of_box = (row - 1) / height * height + (column - 1) / (side / height);
        [(0, row), (1, column), (2, of_box)].into_iter().any(|house| !seen.insert((house, sign)))
    });
    let has_last =
        side >= 9 && clues < side * side && board.signs.values().any(|sign| *sign == Sign::from(side as i32));
    let has_many = clues * 5 >= side * side;
    has_many && (!repeats || has_last) || side == 9 && clues > 0 && !repeats
}

/// Whether a text is a square but for a row that is missing, or one or two with cells too many or too few.
pub fn is_nearly_one(text: &str) -> bool {
    let is_row = |line: &Line<'_>| !line.text.trim().is_empty() && !is_separator(line.text) && !is_prose(line.text);
    let all: Vec<Line<'_>> = lines(text).filter(|line| !is_fence(line.text)).collect();
    let is_between = |sign: char| sign.is_whitespace() || ",;\"'[]".contains(sign) || is_bar(sign);
    let is_cell = |sign: char| sign.is_ascii_digit() || "._*-x".contains(sign) || is_between(sign);
    let rows: Vec<&str> = all.iter().filter(|line| is_row(line)).map(|line| line.text).collect();
    let length = |row: &&str| match row.matches(',').count() {
        0 => row.chars().filter(|&sign| !is_between(sign)).count(),
        commas => commas + 1,
    };
    let mut lengths: Vec<usize> = rows.iter().map(length).collect();
    lengths.sort_unstable();
    let Some(&usual) = lengths.get(lengths.len() / 2) else { return false };
    let others = lengths.iter().filter(|&&length| length != usual).count();
    let is_one_line = lengths.len() == 1 && (72..=90).contains(&usual);
    let is_square = usual > 4 && is_side(usual) && lengths.len().abs_diff(usual) <= 1 && others <= 2;
    let repeats = |row: &str| {
        let mut seen = BTreeSet::new();
        !is_one_line && row.chars().filter(|sign| ('1'..='9').contains(sign)).any(|sign| !seen.insert(sign))
    };
    let clues = rows.iter().flat_map(|row| row.chars()).filter(|sign| ('1'..='9').contains(sign)).count();
    (is_one_line || is_square)
        && clues * 5 >= lengths.iter().sum()
        && !all.iter().any(|line| is_header(line.text))
        && rows.iter().all(|row| row.chars().all(is_cell) && !repeats(row))
}

fn is_fence(line: &str) -> bool {
    line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~")
}

/// A line that other puzzles' boards have: the number of mines, clues at a side, areas.
fn is_header(line: &str) -> bool {
    let mut words = line.split(|sign: char| !sign.is_alphanumeric()).filter(|word| !word.is_empty());
    let first = words.clone().next().unwrap_or_default();
    let is_cell = |word: &str| Sign::text(word).cell().is_some();
    let is_of_cells = |word: &str| is_cell(word) || word == "?" || word.bytes().all(|byte| byte.is_ascii_digit());
    let mut blanks = line.split_whitespace().skip(1);
    let has_cells = blanks.clone().any(is_cell) && blanks.all(is_of_cells);
    SIDES.contains(&first)
        || has_cells
        || first == "variant"
        || ["area", "rows", "columns"].contains(&first)
        || words.any(|word| matches!(word.to_ascii_lowercase().as_str(), "mine" | "mines" | "bomb" | "bombs"))
}

/// A border that is open somewhere: it draws areas.
fn is_gapped_border(line: &str) -> bool {
    line.contains("--") && line.contains("+ ") && line.contains(" +") && line.chars().all(|sign| "+- |".contains(sign))
}

/// A line between rows, or around them.
fn is_separator(line: &str) -> bool {
    let is_part = |sign: char| "+-=|*:. ".contains(sign) || ('\u{2500}'..='\u{257F}').contains(&sign);
    ["--", "- -", "==", "──", "━━", "══", "┄┄"].iter().any(|run| line.contains(run))
        && line.chars().all(is_part)
        && !line.trim().chars().all(|sign| sign == '-')
        || line.trim().chars().all(|sign| sign == '-') && line.trim().len() > LARGEST.isqrt()
}

/// Whether words stand in it.
fn is_prose(line: &str) -> bool {
    let line = line.trim();
    let letters = line.split(|sign: char| !sign.is_alphabetic()).map(|word| word.chars().count()).max();
    letters > Some(1) || line.starts_with('#') && !line.chars().all(|sign| sign == '#')
}

fn is_bar(sign: char) -> bool {
    sign == '|' || ('\u{2500}'..='\u{257F}').contains(&sign)
}

/// Pieces of a line, with where each stands.
fn split<'a>(line: Line<'a>, is_gap: impl Fn(char) -> bool) -> impl Iterator<Item = Line<'a>> {
    line.text
        .split(is_gap)
        .map(move |text| Line { offset: line.offset + (text.as_ptr() as usize - line.text.as_ptr() as usize), text })
}

fn trimmed<'a>(piece: Line<'a>, is_around: impl Fn(char) -> bool + Copy) -> Line<'a> {
    let text = piece.text.trim_start_matches(is_around);
    Line { offset: piece.offset + piece.text.len() - text.len(), text: text.trim_end_matches(is_around) }
}

/// Cells between commas, semicolons or tabs.
fn fields<'a>(rows: &[Line<'a>]) -> Option<Vec<Line<'a>>> {
    let comma = [',', ';', '\t'].into_iter().find(|&comma| rows.iter().any(|row| row.text.contains(comma)))?;
    let is_around = |sign: char| sign.is_whitespace() || "[]{}\"'".contains(sign);
    let mut cells = Vec::new();
    for &row in rows {
        // A tab at the end, or at the beginning, sets an empty cell apart.
        let row = if comma == '\t' { row } else { trimmed(row, char::is_whitespace) };
        let mut pieces: Vec<Line<'a>> =
            split(row, |sign| sign == comma).map(|piece| trimmed(piece, is_around)).collect();
        let surplus =
            if rows.len() == 1 { side_of(pieces.len() - 1).is_some() } else { pieces.len() == rows.len() + 1 };
        if surplus && pieces.last().is_some_and(|piece| piece.text.is_empty()) {
            pieces.pop();
        }
        // Blanks at the end of a line are lost before it is read.
        while comma == '\t' && rows.len() > 1 && pieces.len() < rows.len() {
            pieces.push(Line { offset: row.offset + row.text.len(), text: "" });
        }
        if rows.len() > 1 && pieces.len() != rows.len() {
            return None;
        }
        cells.extend(pieces);
    }
    are_cells(cells)
}

/// A character each, and a blank for an empty cell: with nothing between two, or a blank.
fn blanks<'a>(part: &[Line<'a>]) -> Option<Vec<Line<'a>>> {
    let is_row = |line: &&Line<'a>| line.text.is_empty() || !is_separator(line.text);
    let rows: Vec<Line<'a>> = part.iter().filter(is_row).copied().collect();
    let side = Some(rows.len()).filter(|&side| is_side(side))?;
    // In a text with another empty sign a short row is a mistake.
    let is_known = |sign: char| sign.is_ascii_alphanumeric() && sign != '0' || sign == ' ' || is_bar(sign);
    let has_blanks = rows.iter().any(|row| row.text.contains(' '));
    if !has_blanks || !rows.iter().all(|row| row.text.chars().all(is_known)) {
        return None;
    }
    let bars = |row: &Line<'_>| row.text.chars().filter(|&sign| is_bar(sign)).count();
    let most = rows.iter().map(bars).max()?;
    let is_framed = rows.iter().all(|row| row.text.trim_start().starts_with(is_bar));
    let mut cells = Vec::new();
    for &row in &rows {
        let mut segments: Vec<Line<'a>> = match most {
            0 => vec![row],
            _ => split(row, is_bar).collect(),
        };
        if is_framed {
            segments.remove(0);
            segments.pop_if(|last| last.text.trim().is_empty() && bars(&row) == most);
        }
        let count = most + 1 - if is_framed { 2 } else { 0 };
        if segments.len() > count || count == 0 || !side.is_multiple_of(count) {
            return None;
        }
        segments.resize(count, Line { offset: row.offset + row.text.len(), text: "" });
        let width = side / count;
        for (number, segment) in segments.into_iter().enumerate() {
            let length = segment.text.len();
            let (begin, step) = match (length <= width, width) {
                (_, 1) => {
                    cells.push(trimmed(segment, char::is_whitespace));
                    continue;
                }
                (true, _) => (0, 1),
                (false, _) => (usize::from(number > 0 || is_framed), 2),
            };
            let piece = |at: usize| segment.text.get(at..at + 1).unwrap_or_default();
            let own = |cell: usize| begin + step * cell;
            if !segment.text.is_ascii()
                || (0..length).any(|at| piece(at) != " " && !(0..width).any(|cell| own(cell) == at))
            {
                return None;
            }
            cells.extend(
                (0..width)
                    .map(|cell| Line { offset: segment.offset + own(cell).min(length), text: piece(own(cell)).trim() }),
            );
        }
    }
    are_cells(cells)
}

/// A word each.
fn words<'a>(rows: &[Line<'a>]) -> Option<Vec<Line<'a>>> {
    let is_gap = |sign: char| sign.is_whitespace() || sign == '/' || is_bar(sign);
    in_lines(rows.iter().map(|&row| split(row, is_gap).filter(|word| !word.text.is_empty()).collect()))
}

/// A character each, whatever stands between them.
fn characters<'a>(rows: &[Line<'a>]) -> Option<Vec<Line<'a>>> {
    let is_gap = |sign: char| sign.is_whitespace() || "/,;\"'[]".contains(sign) || is_bar(sign);
    in_lines(rows.iter().map(|&row| of_characters(row).filter(|sign| !sign.text.contains(is_gap)).collect()))
}

/// Cells in lines that are rows, several rows each, or a cell each; or in a text that is broken at some width. A row that has lost a
/// cell and another that has one too many are no board.
fn in_lines<'a>(lines: impl Iterator<Item = Vec<Line<'a>>>) -> Option<Vec<Line<'a>>> {
    let lines: Vec<Vec<Line<'a>>> = lines.filter(|line| !line.is_empty()).collect();
    let side = side_of(lines.iter().map(Vec::len).sum())?;
    let (last, rest) = lines.split_last()?;
    let width = rest.first().map_or(last.len(), Vec::len);
    let fits = match last.len() == width {
        true => width.is_multiple_of(side) || width == 1,
        false => side < width && last.len() < width,
    };
    if !fits || rest.iter().any(|line| line.len() != width) { None } else { are_cells(lines.concat()) }
}

fn of_characters<'a>(line: Line<'a>) -> impl Iterator<Item = Line<'a>> {
    let sign =
        move |(at, sign): (usize, char)| Line { offset: line.offset + at, text: &line.text[at..at + sign.len_utf8()] };
    line.text.char_indices().map(sign)
}

/// The board in some JSON: text, or rows of numbers; not its solution.
fn of_json(value: &Value) -> Option<Board> {
    let cell = |value: &Value| match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    };
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Array(rows) if rows.iter().all(|row| !row.is_object()) => {
            let row = |row: &Value| match row {
                Value::Array(cells) => cells.iter().map(cell).collect::<Vec<_>>().join(",") + "\n",
                Value::String(text) => text.clone() + "\n",
                other => cell(other) + ",",
            };
            rows.iter().map(row).collect()
        }
        Value::Array(values) => return values.iter().find_map(of_json),
        Value::Object(values) => return values.values().find_map(of_json),
        _ => return None,
    };
    let (board, _) = if text.starts_with('{') { None } else { read(&Document::in_memory("", text)) }?;
    (board.signs.len() < board.rows * board.columns).then_some(board)
}

/// The part of an address or of a line of fields that is a board: `…?bd=53..7….`, `53..7….,534678….`.
fn of_address<'a>(rows: &[Line<'a>]) -> Option<Vec<Line<'a>>> {
    let [only] = rows else { return None };
    let is_address = only.text.contains("://") || only.text.contains([',', ';', '\t']);
    let is_apart = |sign: char| "/?&=#,;\t\" ".contains(sign);
    let mut parts = split(*only, is_apart).filter(|_| is_address);
    parts.find_map(|part| are_cells(of_characters(part).collect()).filter(|cells| cells.len() >= 81))
}

/// What a cell says, as a number from 0 in base 36; none for an empty one.
fn value(cell: &str) -> Option<Option<usize>> {
    let mut signs = cell.chars();
    match (signs.next(), signs.as_str()) {
        (None, _) => Some(None),
        (Some(sign), "") if EMPTY.contains(sign) => Some(None),
        (Some(sign), "") => sign.to_digit(36).map(|digit| Some(digit as usize)),
        _ if cell.len() <= 2 => cell.parse().ok().filter(|&number: &usize| number > 9).map(Some),
        _ => None,
    }
}

/// That these are the cells of a square, all of which can be read.
fn are_cells(cells: Vec<Line<'_>>) -> Option<Vec<Line<'_>>> {
    side_of(cells.len())?;
    board(&cells).map(|_| cells)
}

fn board(cells: &[Line<'_>]) -> Option<(Board, Places)> {
    let side = side_of(cells.len())?;
    let is_letter = |text: &str| text.len() == 1 && text.bytes().all(|sign| sign.is_ascii_alphabetic());
    let has_numbers = cells.iter().any(|cell| cell.text.bytes().any(|sign| (b'1'..=b'9').contains(&sign)));
    // Where a sign that can be a number stands, and another sign is empty.
    let is_beside_empty = |sign: &str| {
        let is_it = |cell: &&Line<'_>| cell.text.eq_ignore_ascii_case(sign);
        cells.iter().any(|cell| is_it(&cell))
            && cells.iter().any(|cell| !is_it(&cell) && value(cell.text) == Some(None))
    };
    let greatest = cells.iter().filter_map(|cell| value(cell.text)?).max();
    let is_from_zero = has_numbers && greatest < Some(side) && is_beside_empty("0");
    if is_from_zero && side < 10 {
        // Nobody knows whether 0 is a number here.
        return None;
    }
    let is_x_a_number = side >= X && !has_numbers && is_beside_empty("X");
    let mut board = Board::of_size(side, side);
    let mut places = Places::new();
    for (at, cell) in cells.iter().enumerate() {
        let number = match value(cell.text)? {
            None if cell.text == "0" && is_from_zero => 1,
            None if cell.text.eq_ignore_ascii_case("X") && is_x_a_number => X,
            None => continue,
            Some(digit) if is_from_zero => digit + 1,
            Some(digit) if is_letter(cell.text) && !has_numbers => digit - 9,
            Some(digit) => digit,
        };
        if number > side {
            return None;
        }
        let place = (at / side + 1, at % side + 1);
        board.signs.insert(place, Sign::from(number as i32));
        places.insert(Clue::Sign(place), cell.offset..cell.offset + cell.text.len());
    }
    Some((board, places))
}
