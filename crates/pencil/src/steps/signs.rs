//! The step that reads and writes signs with a codec.

use std::collections::BTreeMap;

use super::super::board::{Cell, Clue, ClueGrid, GridBoard, SpanError};
use super::super::codecs::Codec;
use super::super::cursor::Cursor;
use super::places::{CELLS, GridPlace, Places, grid_mut};
use super::writer::BodyWriter;

pub(super) fn read_signs(
    text: &mut Cursor<'_>,
    board: &mut GridBoard,
    codec: &Codec,
    places: &Places,
) -> Result<(), SpanError> {
    let at = places.resolve(board);
    let signs = codec.decode(text, at.len())?;
    let found = at.into_iter().zip(signs).filter_map(|(place, sign)| Some((place, sign?)));
    let (rows, columns) = board.grid_size("between");
    match places {
        Places::Shaded => shade_areas(board, found),
        Places::Holes => {
            for ((_, cell), sign) in found {
                dig_hole(board, cell, sign);
            }
        }
        // Signs on the outer border of the board have no meaning.
        Places::Sides => {
            insert_signs(board, found.filter(|((_, (row, column)), _)| *row <= rows && *column <= columns))
        }
        _ => insert_signs(board, found),
    }
    if let Places::Lists(sides) = places {
        for &side in sides {
            reverse_lists(&mut board.around[side]);
        }
    }
    Ok(())
}

fn insert_signs(board: &mut GridBoard, found: impl Iterator<Item = (GridPlace, Clue)>) {
    for ((grid, place), sign) in found {
        grid_mut(board, grid).insert(place, sign);
    }
}

/// Shades all cells of the areas whose first cells have signs.
fn shade_areas(board: &mut GridBoard, found: impl Iterator<Item = (GridPlace, Clue)>) {
    let of_area: BTreeMap<usize, Clue> =
        found.filter_map(|((_, cell), sign)| Some((*board.areas.get(&cell)?, sign))).collect();
    let shade = |(cell, area): (&Cell, &usize)| Some((*cell, of_area.get(area)?.clone()));
    let shaded: ClueGrid = board.areas.iter().filter_map(shade).collect();
    if !shaded.is_empty() {
        board.grids.insert("shade".to_owned(), shaded);
    }
}

/// Inserts a sign in a cell that is surrounded by borders.
fn dig_hole(board: &mut GridBoard, cell: Cell, sign: Clue) {
    board.signs.insert(cell, sign);
    let around = board.neighbours(cell).map(|other| (cell.min(other), cell.max(other)));
    board.walls.extend(around);
    board.areas = board.enclosed_areas();
}

/// Reverses the list of clues of each line. Its places were numbered from its end.
fn reverse_lists(side: &mut ClueGrid) {
    let mut lists = BTreeMap::<usize, Vec<Clue>>::new();
    for ((line, _), sign) in std::mem::take(side).into_iter().rev() {
        lists.entry(line).or_default().push(sign);
    }
    for (line, list) in lists {
        side.extend((1..).map(|index| (line, index)).zip(list));
    }
}

pub(super) fn write_signs(
    writer: &mut BodyWriter<'_>,
    codec: &Codec,
    places: &Places,
    is_optional: bool,
) -> Result<(), String> {
    let signs = match places {
        Places::Placeholders(mark) => replacements(writer, mark),
        Places::Areas => take_signs_of_areas(writer, codec, places),
        Places::Lists(_) => {
            let from_end = |(side, (line, from_end)): GridPlace| {
                let list = writer.board.around[side].range((line, 1)..(line + 1, 1));
                list.rev().nth(from_end - 1).map(|(_, sign)| sign.clone())
            };
            places.resolve(writer.board).into_iter().map(from_end).collect()
        }
        _ => take_signs(writer, codec, places),
    };
    writer.num_clues -= match places {
        Places::Shaded => writer.board.grids.get("shade").map_or(0, ClueGrid::len),
        Places::Areas | Places::Placeholders(_) => 0,
        _ => {
            let at = places.resolve(writer.board).into_iter().zip(&signs);
            at.filter(|((grid, _), sign)| *grid != CELLS && sign.is_some()).count()
        }
    };
    let is_missing = is_optional && signs.iter().all(Option::is_none);
    let signs: Vec<Option<&Clue>> = signs.iter().map(Option::as_ref).collect();
    let body = codec.encode(&signs).map_err(|index| format!("`{}`", signs[index].expect("a sign")))?;
    if is_missing {
        writer.pending.push_str(&body);
    } else {
        writer.text.push_str(&body);
    }
    Ok(())
}

/// Returns the sign that replaces each placeholder, `None` for a placeholder that is itself a sign
/// of the board.
fn replacements(writer: &BodyWriter<'_>, mark: &Clue) -> Vec<Option<Clue>> {
    let BodyWriter { board, replacements, .. } = writer;
    let marked = board.signs.iter().filter(|(cell, sign)| *sign == mark || replacements.contains_key(cell));
    marked.map(|(cell, _)| replacements.get(cell).cloned()).collect()
}

/// Takes the first sign of each area that the codec can encode.
fn take_signs_of_areas(writer: &mut BodyWriter<'_>, codec: &Codec, places: &Places) -> Vec<Option<Clue>> {
    let areas = writer.board.enclosed_areas();
    let mut signs = vec![None; places.resolve(writer.board).len()];
    for (cell, sign) in std::mem::take(&mut writer.unwritten) {
        let of_area: &mut Option<Clue> = &mut signs[areas[&cell] - 1];
        if of_area.is_none() && codec.can_encode(&sign) {
            *of_area = Some(sign);
        } else {
            writer.unwritten.insert(cell, sign);
        }
    }
    signs
}

/// Takes the signs of the places. Several steps may write signs of the same cells or edges, so signs
/// there that the codec cannot encode are left to other steps.
fn take_signs(writer: &mut BodyWriter<'_>, codec: &Codec, places: &Places) -> Vec<Option<Clue>> {
    let mut all = writer.board.clone();
    std::mem::swap(&mut all.signs, &mut writer.unwritten);
    let belongs_to_step = |number, sign: &Clue| number != CELLS && *places != Places::Edges || codec.can_encode(sign);
    let take = |(number, place): GridPlace| {
        let grid = grid_mut(&mut all, number);
        let belongs = grid.get(&place).is_some_and(|sign| belongs_to_step(number, sign));
        if belongs { grid.remove(&place) } else { None }
    };
    let signs = places.resolve(writer.board).into_iter().map(take).collect();
    writer.unwritten = all.signs;
    signs
}
