//! Boards in formats of other programs that contain all mines. The position is that after the
//! recorded first click.
//!
//! ```text
//!   RawVF_Version: Rev6          a replay of Arbiter, Viennasweeper and others (RAWVF)
//!   Board:
//!   00*0                         `*` is a mine
//!   0000
//!   Events:
//!   1.230 lr 1 2 (9 25)          the left button is released above column 1, row 2
//!
//!   9x9:4,4,m0c1e5…              the id of a game of sgt-mines: the column and row of the first click,
//!                                from 0, and a bit for each cell, in hexadecimal digits, masked (m)
//!                                or not (u)
//! ```
//!
//! The mask of sgt-mines is a Feistel network of two rounds over the halves of the bits; each round
//! XORs a stream that SHA-1 derives from the other half and the numbers 0, 1, 2, …

use base::diagnostic::{Code, Diagnostic, Failure, Place};
use base::document::Document;
use puzzle::cells;
use puzzle::saved::SavedGame;
use sha1::{Digest, Sha1};

use super::grid::MAX_CELLS;
use super::grid::{Cell, Grid};
use super::play::game::Game;
use super::position::KnownPosition;

pub fn is_replay(text: &str) -> bool {
    is_rawvf(text) || saved_game(text).is_some() || split_game_id(text).is_some()
}

fn saved_game(text: &str) -> Option<SavedGame> {
    SavedGame::read(text)?.ok().filter(|saved| saved.game == "mines")
}

/// Parses a replay in RAWVF, or an id or a saved game of sgt-mines. Returns `None` if the text is
/// in another format.
pub fn read(document: &Document) -> Result<Option<KnownPosition>, Failure> {
    let saved = saved_game(&document.text);
    let game_id = saved.as_ref().map(|saved| Document::in_memory(document.name.clone(), saved.id.as_str()));
    let document = game_id.as_ref().unwrap_or(document);
    let text = &document.text;
    let error_at = |what: &str, at: &str| {
        let begin = at.as_ptr() as usize - text.as_ptr() as usize;
        let place = Place::of_range(&document.name, text, begin..begin + at.len());
        Failure::from(Diagnostic::error(Code::InvalidInstance, what).at(Some(place)))
    };
    let layout = if is_rawvf(text) {
        parse_rawvf(text)
    } else if let Some((size, description)) = split_game_id(text) {
        parse_game_id(size, description)
    } else {
        return Ok(None);
    };
    let Layout { grid, is_mine, click } = layout.map_err(|(what, at)| error_at(what, at))?;
    let mut mines = vec![false; grid.extent()];
    for (cell, is_mine) in grid.cells().zip(is_mine) {
        mines[cell] = is_mine;
    }
    let mut game = Game::new(grid, mines);
    if let Some(cell) = click.and_then(|[column, row]| grid.find(row, column)) {
        game.click(cell, &mut Vec::new());
    }
    for (letter, numbers) in saved.iter().flat_map(SavedGame::move_parts) {
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

/// The mines, row by row, and the column and row of the first click, from 0.
struct Layout {
    grid: Grid,
    is_mine: Vec<bool>,
    click: Option<[i64; 2]>,
}

/// A message and the part of the text that it is about.
type SpannedError<'a> = (&'static str, &'a str);

fn is_rawvf(text: &str) -> bool {
    text.get(..8).is_some_and(|start| start.eq_ignore_ascii_case("RawVF_Ve"))
}

fn parse_rawvf(text: &str) -> Result<Layout, SpannedError<'_>> {
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
    let columns = rows.first().ok_or(("no row follows: expected * for a mine and 0 for any other cell", begin))?.len();
    if let Some(bad_line) = rows.iter().find(|row| row.len() != columns) {
        return Err(("this row is not as long as the first", bad_line));
    }
    if let Some(bad_line) = end.filter(|line| !line.is_empty() && !line.ends_with(':')) {
        return Err(("expected * for a mine, 0 for any other cell, or \"Events:\"", bad_line));
    }
    let is_mine = rows.iter().flat_map(|row| row.bytes().map(|sign| sign == b'*')).collect();
    let click = lines.find_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let number = |at: usize| words.get(at)?.parse::<i64>().ok().map(|number| number - 1);
        (words.get(1) == Some(&"lr")).then(|| Some([number(2)?, number(3)?])).flatten()
    });
    Ok(Layout { grid: Grid { rows: rows.len(), columns }, is_mine, click })
}

/// Splits the id of a game of sgt-mines into size and description.
fn split_game_id(text: &str) -> Option<(&str, &str)> {
    let text = text.trim();
    // Reject most texts quickly, however long they are.
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

fn parse_game_id<'a>(size: &'a str, description: &'a str) -> Result<Layout, SpannedError<'a>> {
    const NO_LAYOUT: &str =
        "the mines are placed at the first click; after it, Game › Specific shows an id that contains them";
    let size_of = |text: &str| text.split_once('x').map(|(columns, rows)| (columns.parse().ok(), leading_number(rows)));
    let Some((Some(columns), Some(rows))) = size_of(size) else {
        return Err(("expected a size such as 9x9", size));
    };
    let grid = Grid { rows, columns };
    let mut parts: Vec<&str> = description.split(',').collect();
    let bits = parts.pop().filter(|bits| bits.starts_with(['m', 'u'])).ok_or((NO_LAYOUT, description))?;
    if parts.first().is_some_and(|part| part.starts_with('r')) {
        return Err((NO_LAYOUT, description));
    }
    let area = grid.rows.checked_mul(grid.columns).filter(|&area| area > 0 && area <= MAX_CELLS);
    let area = area.ok_or(("the board has no cells, or too many", size))?;
    if bits.len() - 1 != area.div_ceil(4) {
        return Err(("the number of digits does not match the size", bits));
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

fn leading_number(text: &str) -> Option<usize> {
    text[..text.find(|character: char| !character.is_ascii_digit()).unwrap_or(text.len())].parse().ok()
}

fn unmask(bytes: &mut [u8], bits: usize) {
    let middle = bytes.len() / 2;
    let (first, second) = bytes.split_at_mut(middle);
    xor_stream(first, second);
    if !bits.is_multiple_of(8) {
        // The padding bits of the last byte are not part of the board.
        *second.last_mut().expect("there is a byte for each cell") &= 0xFF << (8 - bits % 8);
    }
    xor_stream(second, first);
}

/// XORs `target` with the stream that SHA-1 derives from `seed`.
fn xor_stream(seed: &[u8], target: &mut [u8]) {
    for (number, part) in target.chunks_mut(20).enumerate() {
        let stream = Sha1::new_with_prefix(seed).chain_update(number.to_string()).finalize();
        for (byte, add) in part.iter_mut().zip(stream) {
            *byte ^= add;
        }
    }
}
