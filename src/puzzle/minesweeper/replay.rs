//! Boards of other programs, which tell all mines: the position is the one after the first click that they tell.
//!
//! ```text
//!   RawVF_Version: Rev6          a replay of Arbiter, Viennasweeper and others (RAWVF)
//!   Board:
//!   00*0                         `*` is a mine
//!   0000
//!   Events:
//!   1.230 lr 1 2 (9 25)          the left button is let go above column 1, row 2
//!
//!   9x9:4,4,m0c1e5…              the id of a game of sgt-mines: the column and row of the first click, from 0, and a bit for
//!                                each cell, in hexadecimal digits, masked (m) or not (u)
//! ```
//!
//! The mask of sgt-mines is a Feistel network of two rounds over the halves of the bits; each round adds a stream that
//! SHA-1 makes of the other half and the numbers 0, 1, 2, …

use sha1::{Digest, Sha1};

use super::board::MOST_CELLS;
use super::grid::{Cell, Grid, Position};
use super::play::game::Game;
use crate::diagnostic::{Diagnostic, Failure, Place};
use crate::document::Document;
use crate::puzzle::cells;
use crate::puzzle::saved::Saved;

pub fn is_one(text: &str) -> bool {
    is_replay(text) || saved(text).is_some() || id_of(text).is_some()
}

/// A saved game of sgt-mines.
fn saved(text: &str) -> Option<Saved> {
    Saved::read(text)?.ok().filter(|saved| saved.game == "mines")
}

/// The position, if the text is one of these.
pub fn read(document: &Document) -> Result<Option<Position>, Failure> {
    let saved = saved(&document.text);
    let of_id = saved.as_ref().map(|saved| Document::in_memory(document.name.clone(), saved.id.as_str()));
    let document = of_id.as_ref().unwrap_or(document);
    let text = &document.text;
    let wrong = |what: &str, at: &str| {
        let begin = at.as_ptr() as usize - text.as_ptr() as usize;
        let place = Place::of_range(&document.name, text, begin..begin + at.len());
        Failure::from(Diagnostic::error(what).at(Some(place)))
    };
    let layout = if is_replay(text) {
        replay(text)
    } else if let Some((size, description)) = id_of(text) {
        id(size, description)
    } else {
        return Ok(None);
    };
    let Layout { grid, is_mine, click } = layout.map_err(|(what, at)| wrong(what, at))?;
    let mut mines = vec![false; grid.extent()];
    for (cell, is_mine) in grid.cells().zip(is_mine) {
        mines[cell] = is_mine;
    }
    let mut game = Game::new(grid, mines);
    if let Some(cell) = click.and_then(|[column, row]| grid.find(row, column)) {
        game.click(cell, &mut Vec::new());
    }
    for (letter, numbers) in saved.iter().flat_map(Saved::parts) {
        let [column, row] = numbers[..] else { continue };
        let Some(cell) = grid.find(row as i64, column as i64) else { continue };
        match (letter, game.position.cells[cell]) {
            ("O", Cell::Closed) => {
                game.click(cell, &mut Vec::new());
            }
            ("F", Cell::Closed) => game.position.cells[cell] = Cell::Mine,
            ("F", Cell::Mine) => game.position.cells[cell] = Cell::Closed,
            _ => {}
        }
    }
    Ok(Some(game.position))
}

/// All mines, row by row, and the column and row of the first click, from 0.
struct Layout {
    grid: Grid,
    is_mine: Vec<bool>,
    click: Option<[i64; 2]>,
}

/// What is wrong, and the part of the text.
type Wrong<'a> = (&'static str, &'a str);

fn is_replay(text: &str) -> bool {
    text.get(..8).is_some_and(|start| start.eq_ignore_ascii_case("RawVF_Ve"))
}

fn replay(text: &str) -> Result<Layout, Wrong<'_>> {
    let mut lines = cells::lines(text).map(|(_, line)| line);
    let begin = lines.find(|line| line.eq_ignore_ascii_case("board:")).ok_or(("no line \"Board:\"", &text[..8]))?;
    let is_row = |line: &&str| !line.is_empty() && line.bytes().all(|sign| matches!(sign, b'*' | b'0'));
    let mut rows: Vec<&str> = Vec::new();
    let mut end = None;
    for line in lines.by_ref() {
        if !is_row(&line) {
            end = Some(line);
            break;
        }
        rows.push(line);
    }
    let columns = rows.first().ok_or(("no row follows; * for a mine and 0 for none were wanted", begin))?.len();
    if let Some(odd) = rows.iter().find(|row| row.len() != columns) {
        return Err(("this row is not as long as the first", odd));
    }
    if let Some(odd) = end.filter(|line| !line.is_empty() && !line.ends_with(':')) {
        return Err(("* for a mine and 0 for none, or \"Events:\", were wanted", odd));
    }
    let is_mine = rows.iter().flat_map(|row| row.bytes().map(|sign| sign == b'*')).collect();
    let click = lines.find_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let number = |at: usize| words.get(at)?.parse::<i64>().ok().map(|number| number - 1);
        (words.get(1) == Some(&"lr")).then(|| Some([number(2)?, number(3)?])).flatten()
    });
    Ok(Layout { grid: Grid { rows: rows.len(), columns }, is_mine, click })
}

/// Size and description of a game of sgt-mines.
fn id_of(text: &str) -> Option<(&str, &str)> {
    let text = text.trim();
    // Most texts end here, however long they are.
    let end = text.find(|c: char| !(c.is_ascii_digit() || "xna.".contains(c)))?;
    let (size, description) = (&text[..end], text[end..].strip_prefix([':', '#'])?);
    let is_size = size.contains('x') && size.starts_with(|first: char| first.is_ascii_digit());
    let is_seed = text.contains('#') && size.contains('n');
    let is_bits =
        |bits: &str| bits.starts_with(['m', 'u']) && bits.bytes().skip(1).all(|byte| byte.is_ascii_hexdigit());
    let is_random = description.starts_with('r') && description.contains(",u,");
    let fits = is_seed || is_random || description.rsplit(',').next().is_some_and(is_bits);
    (is_size && fits && !description.contains('\n')).then_some((size, description))
}

fn id<'a>(size: &'a str, description: &'a str) -> Result<Layout, Wrong<'a>> {
    const NO_LAYOUT: &str =
        "its mines are laid at the first click: after it, Game › Specific has an id that tells them";
    let size_of = |text: &str| text.split_once('x').map(|(columns, rows)| (columns.parse().ok(), leading(rows)));
    let Some((Some(columns), Some(rows))) = size_of(size) else {
        return Err(("a size such as 9x9 was wanted", size));
    };
    let grid = Grid { rows, columns };
    let mut parts: Vec<&str> = description.split(',').collect();
    let bits = parts.pop().filter(|bits| bits.starts_with(['m', 'u'])).ok_or((NO_LAYOUT, description))?;
    if parts.first().is_some_and(|part| part.starts_with('r')) {
        return Err((NO_LAYOUT, description));
    }
    let area = grid.rows.checked_mul(grid.columns).filter(|&area| area > 0 && area <= MOST_CELLS);
    let area = area.ok_or(("the board has no cells, or too many", size))?;
    if bits.len() - 1 != area.div_ceil(4) {
        return Err(("the size has another number of cells than these digits", bits));
    }
    let digit = |byte: u8| char::from(byte).to_digit(16).unwrap_or(0) as u8;
    let digits: Vec<u8> = bits.bytes().skip(1).map(digit).collect();
    let mut bytes: Vec<u8> = digits.chunks(2).map(|pair| pair[0] << 4 | pair.get(1).unwrap_or(&0)).collect();
    if bits.starts_with('m') {
        unmask(&mut bytes, area);
    }
    let is_mine = (0..area).map(|bit| bytes[bit / 8] & 0x80 >> (bit % 8) != 0).collect();
    let click = match parts[..] {
        [column, row] => column.parse().ok().zip(row.parse().ok()).map(|(column, row)| [column, row]),
        _ => None,
    };
    Ok(Layout { grid, is_mine, click })
}

/// The number at the beginning.
fn leading(text: &str) -> Option<usize> {
    text[..text.find(|character: char| !character.is_ascii_digit()).unwrap_or(text.len())].parse().ok()
}

fn unmask(bytes: &mut [u8], bits: usize) {
    let middle = bytes.len() / 2;
    let (first, second) = bytes.split_at_mut(middle);
    add_stream(first, second);
    if !bits.is_multiple_of(8) {
        // The bits that fill the last byte are none of the board.
        *second.last_mut().expect("there is a byte for each cell") &= 0xFF << (8 - bits % 8);
    }
    add_stream(second, first);
}

/// Adds to `target` what SHA-1 makes of the seed.
fn add_stream(seed: &[u8], target: &mut [u8]) {
    for (number, part) in target.chunks_mut(20).enumerate() {
        let stream = Sha1::new_with_prefix(seed).chain_update(number.to_string()).finalize();
        part.iter_mut().zip(stream).for_each(|(byte, add)| *byte ^= add);
    }
}
