//! Steps for clues in notations of their own.

use super::super::board::{Cell, Clue, GridBoard, SIDES, SpanError};
use super::super::codecs::{self, Codec, Scheme};
use super::super::cursor::Cursor;
use super::places::Places;
use super::writer::BodyWriter;

/// Reads the number of the cell that gets `sign`.
pub(super) fn read_cell(text: &mut Cursor<'_>, board: &mut GridBoard, sign: &Clue) -> Result<(), SpanError> {
    let begin = text.at;
    let cell = board.cells().nth(text.decimal()?).filter(|cell| !board.signs.contains_key(cell));
    let cell = cell.ok_or_else(|| text.wrong(begin, "begins a number that is not the number of a free cell"))?;
    board.signs.insert(cell, sign.clone());
    Ok(())
}

pub(super) fn write_cell(writer: &mut BodyWriter<'_>, sign: &Clue) -> Result<(), String> {
    let cell = writer.unwritten.iter().find(|(_, other)| *other == sign).map(|(cell, _)| *cell);
    let cell = cell.ok_or_else(|| format!("a board without `{sign}`"))?;
    writer.unwritten.remove(&cell);
    writer.text.push_str(&((cell.0 - 1) * writer.board.columns + cell.1 - 1).to_string());
    Ok(())
}

/// Reads down and across clues. The cells of the link lie below the first row and to the right of
/// the first column, which have only clues.
pub(super) fn read_crossings(text: &mut Cursor<'_>, board: &mut GridBoard) -> Result<(), SpanError> {
    let codec = Codec::of_scheme(Scheme::Crossed);
    let cells: Vec<Cell> = board.cells().map(|(row, column)| (row + 1, column + 1)).collect();
    let signs = codec.decode(text, cells.len())?;
    board.signs = cells.into_iter().zip(signs).filter_map(|(cell, sign)| Some((cell, sign?))).collect();
    (board.rows, board.columns) = (board.rows + 1, board.columns + 1);
    for (clue, cell, is_down) in edge_clues(board) {
        let sum = if board.signs.contains_key(&cell) { None } else { codecs::read_sum(text)? };
        board
            .signs
            .insert(clue, if is_down { codecs::join_crossed(sum, None) } else { codecs::join_crossed(None, sum) });
    }
    board.signs.insert((1, 1), codecs::join_crossed(None, None));
    Ok(())
}

/// Returns the clues in the first row and column: the place of each, the cell below or to the right
/// of it, and true for a down clue.
fn edge_clues(board: &GridBoard) -> Vec<(Cell, Cell, bool)> {
    let above = (2..=board.columns).map(|column| ((1, column), (2, column), true));
    above.chain((2..=board.rows).map(|row| ((row, 1), (row, 2), false))).collect()
}

pub(super) fn write_crossings(writer: &mut BodyWriter<'_>) -> Result<(), String> {
    let BodyWriter { board, text, unwritten, size, .. } = writer;
    *size = (board.rows - 1, board.columns - 1);
    let inside: Vec<Cell> = board.cells().filter(|&(row, column)| row > 1 && column > 1).collect();
    let signs: Vec<Option<Clue>> = inside.iter().map(|cell| unwritten.remove(cell)).collect();
    let signs: Vec<Option<&Clue>> = signs.iter().map(Option::as_ref).collect();
    let body = Codec::of_scheme(Scheme::Crossed).encode(&signs);
    text.push_str(&body.map_err(|index| format!("`{}`", signs[index].expect("a sign")))?);
    for (clue, cell, is_down) in edge_clues(board) {
        let sign = unwritten.remove(&clue).unwrap_or(codecs::join_crossed(None, None));
        let sum = match codecs::split_crossed(&sign) {
            Some((sum, None)) if is_down => sum,
            Some((None, sum)) if !is_down => sum,
            _ => return Err(format!("`{sign}` at the board's edge")),
        };
        let is_black = board.signs.contains_key(&cell);
        if is_black && sum.is_some() {
            return Err(format!("`{sign}` beside a black cell"));
        }
        if !is_black {
            text.push_str(&codecs::write_sum(sum).ok_or_else(|| format!("`{sign}`"))?);
        }
    }
    unwritten.remove(&(1, 1));
    Ok(())
}

/// For each side of a cell: its letter, the sign of the border if the neighbour on this side is
/// smaller, and the offset of the border in the grid `between`.
const COMPARISONS: [(char, &str, (isize, isize)); 4] =
    [('U', "<", (-1, 0)), ('R', ">", (0, 1)), ('D', ">", (1, 0)), ('L', "<", (0, -1))];

fn border_at((row, column): Cell, (down, right): (isize, isize)) -> Cell {
    ((2 * row - 1).wrapping_add_signed(down), (2 * column - 1).wrapping_add_signed(right))
}

pub(super) fn read_comparisons(text: &mut Cursor<'_>, board: &mut GridBoard) -> Result<(), SpanError> {
    let (rows, columns) = board.grid_size("between");
    for cell in board.cells().collect::<Vec<_>>() {
        let number = text.decimal()?;
        if number > 0 {
            board.signs.insert(cell, Clue::Number(number as i32));
        }
        while let Some((_, sign, side)) =
            text.peek().and_then(|letter| COMPARISONS.iter().find(|known| known.0 == letter))
        {
            let border = border_at(cell, *side);
            if !(1..=rows).contains(&border.0) || !(1..=columns).contains(&border.1) {
                return Err(text.wrong(text.at, "is a side of the board"));
            }
            board.grids.entry("between".to_owned()).or_default().insert(border, Clue::text(sign));
            text.at += 1;
        }
        if !text.skip(',') && text.peek().is_some() {
            return Err(text.expected(text.at, "a comma"));
        }
    }
    Ok(())
}

pub(super) fn write_comparisons(writer: &mut BodyWriter<'_>) {
    let BodyWriter { board, text, unwritten, num_clues, .. } = writer;
    for cell in board.cells() {
        let number = unwritten.remove(&cell).unwrap_or(Clue::Number(0));
        text.push_str(&number.to_string());
        for (letter, sign, side) in COMPARISONS {
            let found = board.grids.get("between").and_then(|grid| grid.get(&border_at(cell, side)));
            if found == Some(&Clue::text(sign)) {
                text.push(letter);
                *num_clues -= 1;
            }
        }
        text.push(',');
    }
}

pub(super) fn read_decimals(text: &mut Cursor<'_>, board: &mut GridBoard, places: &Places) -> Result<(), SpanError> {
    let mut last = None;
    for (side, (line, index)) in places.resolve(board) {
        if let Places::Around(_) = places {
            if !text.skip(',') {
                return Err(text.expected(text.at, "a comma"));
            }
        } else if index > 1 {
            // Without a dot, the list of this line has ended.
            if !text.skip('.') {
                continue;
            }
        } else if last.replace((side, line)).is_some() && !text.skip('/') {
            return Err(text.expected(text.at, "`/`"));
        } else if matches!(text.peek(), None | Some('/' | ',')) {
            continue;
        }
        let number = Clue::Number(text.decimal()? as i32);
        board.around[side].insert((line, index), number);
    }
    Ok(())
}

pub(super) fn write_decimals(writer: &mut BodyWriter<'_>, places: &Places) -> Result<(), String> {
    let BodyWriter { board, text, num_clues, .. } = writer;
    let mut is_first = true;
    for (side, (line, index)) in places.resolve(board) {
        let clue = board.around[side].get(&(line, index));
        match (places, clue) {
            (Places::Lists(_), None) if index > 1 => continue,
            (Places::Lists(_), _) if index > 1 => text.push('.'),
            (Places::Lists(_), _) if !is_first => text.push('/'),
            (Places::Lists(_), _) => {}
            (_, None) => return Err(format!("no clue at the {} of line {line}", SIDES[side])),
            _ => text.push(','),
        }
        is_first = false;
        *num_clues -= usize::from(clue.is_some());
        text.extend(clue.map(Clue::to_string));
    }
    Ok(())
}
