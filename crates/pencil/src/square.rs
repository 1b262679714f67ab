//! Reads pasted squares of numbers, with any usual separators between cells, boxes and rows, and
//! any usual sign for empty cells.
//!
//! ```text
//!   53..7....      5 3 _ | _ 7 _ | _ _ _      5,3,,,7,,,,      Easy, no. 12
//!   6..195...      6 _ _ | 1 9 5 | _ _ _      6,,,1,9,5,,,     53  7
//!   …              ------+-------+------      …                6  195
//! ```
//!
//! | part | notation |
//! |---|---|
//! | a number | in base 10; `A` to `G` for 10 to 16; `0` to `F` for 1 to 16 if empty cells have another sign than `0` and there is no `G`; letters from `A` for 1, 2, … if there are no digits |
//! | an empty cell | one of `.0_*xX?-#`, a blank, or nothing between commas; `X` is 24 if the numbers are letters up to `Y` and empty cells have another sign |
//! | between cells | nothing, blanks, commas, semicolons, tabs, bars, brackets, quotes, slashes |
//! | around the board | up to [`MAX_PROSE_LINES`] lines of words before and after it, with a warning about those that look like entries; an address or other fields in the same line; other values in JSON |
//!
//! The header of a puzzle on such squares has a paragraph `Plain  square`. An unnamed board belongs
//! to that puzzle if it [`is_unmistakable`].

use std::collections::BTreeSet;

use base::document::Document;
use base::words::nearest_name;
use serde_json::Value;

use super::board::{Clue, ClueLocation, ClueRanges, GridBoard, SIDES};
use super::lines::{TextLine, is_name, lines};

/// Maximum number of prose lines before the board, and after it.
const MAX_PROSE_LINES: usize = 6;
/// Maximum length of a text, in bytes. The largest square has 625 cells.
const MAX_LENGTH: usize = 1 << 14;
const MAX_SIDE: usize = 25;
/// The number of the letter X in the alphabet.
const X: usize = 24;
const EMPTY: &str = ".0_*xX?-#·•□☐";

/// Returns true if a square of this side can be divided into boxes.
pub fn is_square_side(side: usize) -> bool {
    (4..=MAX_SIDE).contains(&side) && (2..side).any(|divisor| side.is_multiple_of(divisor))
}

/// Returns the side of a square with `cells` cells.
fn side_of(cells: usize) -> Option<usize> {
    Some(cells.isqrt()).filter(|&side| side * side == cells && is_square_side(side))
}

/// Returns the board and the ranges of its clues, or `None` if the document is not a square.
pub fn read(document: &Document) -> Option<(GridBoard, ClueRanges)> {
    let text = Some(&*document.text).filter(|text| text.len() <= MAX_LENGTH)?;
    if text.trim_start().starts_with('{') {
        return board_from_json(&serde_json::from_str(text).ok()?).map(|board| (board, ClueRanges::new()));
    }
    board_from_cells(&find_cells(text)?.cells)
}

/// The cells of a square, and the lines before and after them, which are not read.
struct SquareText<'a> {
    cells: Vec<TextLine<'a>>,
    around: Vec<TextLine<'a>>,
}

fn find_cells(text: &str) -> Option<SquareText<'_>> {
    let all: Vec<TextLine<'_>> = lines(text).filter(|line| !is_fence(line.text)).collect();
    let is_written = |line: &&TextLine<'_>| !line.text.trim().is_empty();
    // Header lines and drawn areas need the general reader of text boards.
    let is_foreign = |line: &TextLine<'_>| is_header(line.text) || is_gapped_border(line.text);
    if all.iter().any(is_foreign) {
        return None;
    }
    let first = all.iter().position(|line| is_written(&line))?;
    let all = &all[first..];
    let prose = |lines: &mut dyn Iterator<Item = &TextLine<'_>>| {
        lines.take_while(|line| !is_written(line) || is_prose(line.text)).count().min(2 * MAX_PROSE_LINES)
    };
    let (before, after) = (prose(&mut all.iter()), prose(&mut all.iter().rev()));
    let parts = (0..=before).flat_map(|begin| (0..=after).map(move |end| begin..all.len().saturating_sub(end)));
    parts.filter(|part| !part.is_empty()).find_map(|part| {
        let lines = &all[part.clone()];
        let written: Vec<TextLine<'_>> = lines.iter().filter(is_written).copied().collect();
        let rows: Vec<TextLine<'_>> = written.iter().filter(|line| !is_separator(line.text)).copied().collect();
        let cells = separated_cells(&rows)
            .or_else(|| cells_with_blanks(lines))
            .or_else(|| word_cells(&rows))
            .or_else(|| character_cells(&rows))
            .or_else(|| character_cells(&written))
            .or_else(|| cells_in_address(&written))?;
        Some(SquareText { cells, around: [&all[..part.start], &all[part.end..]].concat() })
    })
}

/// Returns the lines around a square that look like the entries of a text board, such as `speed 3`,
/// and not like prose: a name and numbers, or a word that resembles one of `inputs`.
pub fn ignored_entries<'a>(text: &'a str, inputs: &[&str]) -> Vec<TextLine<'a>> {
    let is_number = |word: &str| word.split(',').all(|number| number.parse::<i32>().is_ok());
    let is_entry = |line: &TextLine<'_>| {
        let mut words = line.text.split_whitespace();
        let name = words.next().unwrap_or_default().trim_end_matches([':', '=']);
        let has_numbers = words.clone().next().is_some() && words.all(is_number);
        is_name(name) && (has_numbers || nearest_name(name, inputs.iter().copied()).is_some())
    };
    let around = find_cells(text).map_or(Vec::new(), |found| found.around);
    around.into_iter().map(|line| line.trimmed()).filter(is_entry).collect()
}

/// Returns true if the board is unlikely to belong to another puzzle. Either at least a fifth of
/// its cells have numbers, and either no number repeats in a row, column or box, or it is an
/// incomplete board of at least 9x9 cells that contains the largest possible number. Or it is a 9x9
/// board that has a number and no repetition.
pub fn is_unmistakable(board: &GridBoard) -> bool {
    let side = board.rows;
    let clues = board.signs.len();
    let height = (1..=side.isqrt()).rev().find(|height| side.is_multiple_of(*height)).unwrap_or(1);
    let mut seen = BTreeSet::new();
    let repeats = board.signs.iter().any(|(&(row, column), sign)| {
        let box_index = (row - 1) / height * height + (column - 1) / (side / height);
        [(0, row), (1, column), (2, box_index)].into_iter().any(|house| !seen.insert((house, sign)))
    });
    let has_largest_number =
        side >= 9 && clues < side * side && board.signs.values().any(|sign| *sign == Clue::from(side as i32));
    let has_many_clues = clues * 5 >= side * side;
    has_many_clues && (!repeats || has_largest_number) || side == 9 && clues > 0 && !repeats
}

/// Returns true if a text looks like a square with a mistake: it has one row too few or too many,
/// up to two rows of the wrong length, or a single line of nearly 81 cells.
pub fn is_nearly_a_square(text: &str) -> bool {
    let is_row = |line: &TextLine<'_>| !line.text.trim().is_empty() && !is_separator(line.text) && !is_prose(line.text);
    let all: Vec<TextLine<'_>> = lines(text).filter(|line| !is_fence(line.text)).collect();
    let is_between = |sign: char| sign.is_whitespace() || ",;\"'[]".contains(sign) || is_bar(sign);
    let is_cell = |sign: char| sign.is_ascii_digit() || "._*-x".contains(sign) || is_between(sign);
    let rows: Vec<&str> = all.iter().filter(|line| is_row(line)).map(|line| line.text).collect();
    let length = |row: &&str| match row.matches(',').count() {
        0 => row.chars().filter(|&sign| !is_between(sign)).count(),
        commas => commas + 1,
    };
    let mut lengths: Vec<usize> = rows.iter().map(length).collect();
    lengths.sort_unstable();
    let Some(&median) = lengths.get(lengths.len() / 2) else { return false };
    let others = lengths.iter().filter(|&&length| length != median).count();
    let is_one_line = lengths.len() == 1 && (72..=90).contains(&median);
    let is_square = median > 4 && is_square_side(median) && lengths.len().abs_diff(median) <= 1 && others <= 2;
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

/// Returns true for lines that plain squares do not have: a number of mines, clues at a side,
/// areas, variants, a list of cells.
fn is_header(line: &str) -> bool {
    let mut words = line.split(|sign: char| !sign.is_alphanumeric()).filter(|word| !word.is_empty());
    let first = words.clone().next().unwrap_or_default();
    let is_cell = |word: &str| Clue::text(word).cell().is_some();
    let is_list_item = |word: &str| is_cell(word) || word == "?" || word.bytes().all(|byte| byte.is_ascii_digit());
    let mut blanks = line.split_whitespace().skip(1);
    let has_cells = blanks.clone().any(is_cell) && blanks.all(is_list_item);
    SIDES.contains(&first)
        || has_cells
        || first == "variant"
        || ["area", "rows", "columns"].contains(&first)
        || words.any(|word| matches!(word.to_ascii_lowercase().as_str(), "mine" | "mines" | "bomb" | "bombs"))
}

/// Returns true for a drawn border with gaps, which belongs to a drawing of areas.
fn is_gapped_border(line: &str) -> bool {
    line.contains("--") && line.contains("+ ") && line.contains(" +") && line.chars().all(|sign| "+- |".contains(sign))
}

/// Returns true for a line between or around rows.
fn is_separator(line: &str) -> bool {
    let is_part = |sign: char| "+-=|*:. ".contains(sign) || ('\u{2500}'..='\u{257F}').contains(&sign);
    ["--", "- -", "==", "──", "━━", "══", "┄┄"].iter().any(|run| line.contains(run))
        && line.chars().all(is_part)
        && !line.trim().chars().all(|sign| sign == '-')
        || line.trim().chars().all(|sign| sign == '-') && line.trim().len() > MAX_SIDE.isqrt()
}

/// Returns true if a line contains a word of at least two letters, or is a comment after `#`.
fn is_prose(line: &str) -> bool {
    let line = line.trim();
    let letters = line.split(|sign: char| !sign.is_alphabetic()).map(|word| word.chars().count()).max();
    letters > Some(1) || line.starts_with('#') && !line.chars().all(|sign| sign == '#')
}

fn is_bar(sign: char) -> bool {
    sign == '|' || ('\u{2500}'..='\u{257F}').contains(&sign)
}

fn trimmed<'a>(piece: TextLine<'a>, is_around: impl Fn(char) -> bool + Copy) -> TextLine<'a> {
    piece.part(piece.text.trim_matches(is_around))
}

/// Reads cells that are separated by commas, semicolons or tabs.
fn separated_cells<'a>(rows: &[TextLine<'a>]) -> Option<Vec<TextLine<'a>>> {
    let comma = [',', ';', '\t'].into_iter().find(|&comma| rows.iter().any(|row| row.text.contains(comma)))?;
    let is_around = |sign: char| sign.is_whitespace() || "[]{}\"'".contains(sign);
    let mut cells = Vec::new();
    for &row in rows {
        // A tab at either end of a line delimits an empty cell.
        let row = if comma == '\t' { row } else { trimmed(row, char::is_whitespace) };
        let mut pieces: Vec<TextLine<'a>> =
            row.split(|sign| sign == comma).map(|piece| trimmed(piece, is_around)).collect();
        let surplus =
            if rows.len() == 1 { side_of(pieces.len() - 1).is_some() } else { pieces.len() == rows.len() + 1 };
        if surplus && pieces.last().is_some_and(|piece| piece.text.is_empty()) {
            pieces.pop();
        }
        // Tabs at the end of a line were trimmed, and with them its last empty cells.
        while comma == '\t' && rows.len() > 1 && pieces.len() < rows.len() {
            pieces.push(TextLine { offset: row.offset + row.text.len(), text: "" });
        }
        if rows.len() > 1 && pieces.len() != rows.len() {
            return None;
        }
        cells.extend(pieces);
    }
    valid_cells(cells)
}

/// Reads rows with one character for each cell, which is a blank if the cell is empty. There may be
/// a blank between any two cells.
fn cells_with_blanks<'a>(part: &[TextLine<'a>]) -> Option<Vec<TextLine<'a>>> {
    let is_row = |line: &&TextLine<'a>| line.text.is_empty() || !is_separator(line.text);
    let rows: Vec<TextLine<'a>> = part.iter().filter(is_row).copied().collect();
    let side = Some(rows.len()).filter(|&side| is_square_side(side))?;
    // If empty cells have another sign than a blank, blanks are only separators.
    let is_known = |sign: char| sign.is_ascii_alphanumeric() && sign != '0' || sign == ' ' || is_bar(sign);
    let has_blanks = rows.iter().any(|row| row.text.contains(' '));
    if !has_blanks || !rows.iter().all(|row| row.text.chars().all(is_known)) {
        return None;
    }
    let bars = |row: &TextLine<'_>| row.text.chars().filter(|&sign| is_bar(sign)).count();
    let max_bars = rows.iter().map(bars).max()?;
    let is_framed = rows.iter().all(|row| row.text.trim_start().starts_with(is_bar));
    let mut cells = Vec::new();
    for &row in &rows {
        let mut segments: Vec<TextLine<'a>> = match max_bars {
            0 => vec![row],
            _ => row.split(is_bar).collect(),
        };
        if is_framed {
            segments.remove(0);
            segments.pop_if(|last| last.text.trim().is_empty() && bars(&row) == max_bars);
        }
        let count = max_bars + 1 - if is_framed { 2 } else { 0 };
        if segments.len() > count || count == 0 || !side.is_multiple_of(count) {
            return None;
        }
        segments.resize(count, TextLine { offset: row.offset + row.text.len(), text: "" });
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
            let position = |cell: usize| begin + step * cell;
            if !segment.text.is_ascii()
                || (0..length).any(|at| piece(at) != " " && !(0..width).any(|cell| position(cell) == at))
            {
                return None;
            }
            cells.extend((0..width).map(|cell| TextLine {
                offset: segment.offset + position(cell).min(length),
                text: piece(position(cell)).trim(),
            }));
        }
    }
    valid_cells(cells)
}

/// Reads rows with one word for each cell.
fn word_cells<'a>(rows: &[TextLine<'a>]) -> Option<Vec<TextLine<'a>>> {
    let is_gap = |sign: char| sign.is_whitespace() || sign == '/' || is_bar(sign);
    cells_in_lines(rows.iter().map(|&row| row.split(is_gap).filter(|word| !word.text.is_empty()).collect()))
}

/// Reads rows with one character for each cell, and ignores separators.
fn character_cells<'a>(rows: &[TextLine<'a>]) -> Option<Vec<TextLine<'a>>> {
    let is_gap = |sign: char| sign.is_whitespace() || "/,;\"'[]".contains(sign) || is_bar(sign);
    cells_in_lines(rows.iter().map(|&row| row.characters().filter(|sign| !sign.text.contains(is_gap)).collect()))
}

/// Joins the cells of lines. Each line must be a row, several rows or a single cell, or the text
/// must be wrapped at some width. Returns `None` for rows of different lengths, even if the number
/// of cells is right.
fn cells_in_lines<'a>(lines: impl Iterator<Item = Vec<TextLine<'a>>>) -> Option<Vec<TextLine<'a>>> {
    let lines: Vec<Vec<TextLine<'a>>> = lines.filter(|line| !line.is_empty()).collect();
    let side = side_of(lines.iter().map(Vec::len).sum())?;
    let (last, rest) = lines.split_last()?;
    let width = rest.first().map_or(last.len(), Vec::len);
    let fits =
        if last.len() == width { width.is_multiple_of(side) || width == 1 } else { side < width && last.len() < width };
    if !fits || rest.iter().any(|line| line.len() != width) { None } else { valid_cells(lines.concat()) }
}

/// Finds a board in JSON, as a string or as rows of numbers. Skips complete boards, which are
/// solutions.
fn board_from_json(value: &Value) -> Option<GridBoard> {
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
        Value::Array(values) => return values.iter().find_map(board_from_json),
        Value::Object(values) => return values.values().find_map(board_from_json),
        _ => return None,
    };
    let (board, _) = if text.starts_with('{') { None } else { read(&Document::in_memory("", text)) }?;
    (board.signs.len() < board.rows * board.columns).then_some(board)
}

/// Finds a board in an address such as `…?bd=53..7….`, or in a line of fields such as
/// `53..7….,534678….`.
fn cells_in_address<'a>(rows: &[TextLine<'a>]) -> Option<Vec<TextLine<'a>>> {
    let [only] = rows else { return None };
    let is_address = only.text.contains("://") || only.text.contains([',', ';', '\t']);
    let is_delimiter = |sign: char| "/?&=#,;\t\" ".contains(sign);
    let mut parts = only.split(is_delimiter).filter(|_| is_address);
    parts.find_map(|part| valid_cells(part.characters().collect()).filter(|cells| cells.len() >= 81))
}

/// Parses a cell: a digit in base 36, or a decimal number of two digits. Returns `Some(None)` for
/// an empty cell, and `None` for anything else.
fn cell_value(cell: &str) -> Option<Option<usize>> {
    let mut signs = cell.chars();
    match (signs.next(), signs.as_str()) {
        (None, _) => Some(None),
        (Some(sign), "") if EMPTY.contains(sign) => Some(None),
        (Some(sign), "") => sign.to_digit(36).map(|digit| Some(digit as usize)),
        _ if cell.len() <= 2 => cell.parse().ok().filter(|&number: &usize| number > 9).map(Some),
        _ => None,
    }
}

/// Returns the cells if they form a valid square.
fn valid_cells(cells: Vec<TextLine<'_>>) -> Option<Vec<TextLine<'_>>> {
    side_of(cells.len())?;
    board_from_cells(&cells).map(|_| cells)
}

fn board_from_cells(cells: &[TextLine<'_>]) -> Option<(GridBoard, ClueRanges)> {
    let side = side_of(cells.len())?;
    let is_letter = |text: &str| text.len() == 1 && text.bytes().all(|sign| sign.is_ascii_alphabetic());
    let has_numbers = cells.iter().any(|cell| cell.text.bytes().any(|sign| (b'1'..=b'9').contains(&sign)));
    // True if `sign` occurs in cells and empty cells have another sign.
    let is_value = |sign: &str| {
        let has_sign = |cell: &&TextLine<'_>| cell.text.eq_ignore_ascii_case(sign);
        cells.iter().any(|cell| has_sign(&cell))
            && cells.iter().any(|cell| !has_sign(&cell) && cell_value(cell.text) == Some(None))
    };
    let largest = cells.iter().filter_map(|cell| cell_value(cell.text)?).max();
    let is_from_zero = has_numbers && largest < Some(side) && is_value("0");
    if is_from_zero && side < 10 {
        // It is ambiguous if 0 is a number or an empty cell.
        return None;
    }
    let is_x_a_number = side >= X && !has_numbers && is_value("X");
    let mut board = GridBoard::of_size(side, side);
    let mut places = ClueRanges::new();
    for (at, cell) in cells.iter().enumerate() {
        let number = match cell_value(cell.text)? {
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
        board.signs.insert(place, Clue::from(number as i32));
        places.insert(ClueLocation::Cell(place), cell.offset..cell.offset + cell.text.len());
    }
    Some((board, places))
}
