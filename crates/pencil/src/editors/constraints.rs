//! The constraints of f-puzzles as lines of a board's header, or as clues beside it.

use base::words;

use super::super::board::{Cell, Clue, GridBoard};
use super::super::fields::{Field, Fields};

/// Keys of constraints in f-puzzles that do not change the rules.
const COSMETIC_KEYS_OF_CONSTRAINTS: [&str; 7] = ["baseC", "outlineC", "fontC", "size", "width", "height", "angle"];

/// The directions of diagonals in f-puzzles, as steps down and to the right.
pub(super) const DIRECTIONS: [(&str, i64, i64); 4] = [("UL", -1, -1), ("UR", -1, 1), ("DL", 1, -1), ("DR", 1, 1)];

/// Adds a constraint of f-puzzles to a board. `words` is the rest of its `Address` line.
pub(super) fn add_constraint(board: &mut GridBoard, constraint: &Field<'_>, words: &str) -> Result<(), String> {
    let (line, words) =
        words.split_once(' ').ok_or_else(|| format!("`{}` has no words in the header", constraint.path()))?;
    if line == "variant" {
        board.header.extend(constraint.flag()?.then(|| (line.to_owned(), vec![Clue::text(words)])));
        return Ok(());
    }
    for object in constraint.list()? {
        if line == "side" {
            object.object(|fields| add_side_clue(board, fields))?;
            continue;
        }
        let (lists, first_cells) = object.object(|fields| {
            fields.skip(&COSMETIC_KEYS_OF_CONSTRAINTS);
            clue_lists(fields, words, (board.rows, board.columns))
        })?;
        if !lists.iter().all(|list| list.starts_with(&first_cells)) {
            return Err(object.wrong("lines that begin in `cells`"));
        }
        board.header.extend(lists.into_iter().map(|list| (line.to_owned(), list)));
    }
    Ok(())
}

/// Reads the words of each header line of a constraint, and the cells with which all lines must
/// begin.
fn clue_lists(fields: &mut Fields<'_>, words: &str, size: Cell) -> Result<(Vec<Vec<Clue>>, Vec<Clue>), String> {
    let mut lists = vec![Vec::new()];
    let mut first_cells = Vec::new();
    for word in words.split(' ') {
        match word.split_once('=').unwrap_or((word, "")) {
            ("value", "") => {
                let value = fields.take_stated("value", "").map(|value| value.natural()).transpose()?;
                lists[0].push(value.map_or(Clue::text("?"), |value| Clue::Number(value as i32)));
            }
            ("value", expected) => {
                let value = fields.take_stated("value", "");
                let other =
                    value.filter(|value| value.natural().ok().map(|it| it.to_string()).as_deref() != Some(expected));
                other.map_or(Ok(()), |other| Err(other.wrong(expected)))?;
            }
            ("letter", letters) => {
                let value = fields.require("value")?;
                let letter = value.text().ok().filter(|letter| letters.split('|').any(|known| known == *letter));
                lists[0].push(Clue::text(letter.ok_or_else(|| value.wrong(&letters.replace('|', " or ")))?));
            }
            ("values", _) => lists[0].push(digits(&fields.require("values")?)?),
            ("ray", _) => lists[0].extend(ray(fields, size)?),
            ("cell", _) => lists[0].push(f_puzzles_cell(&fields.require("cell")?)?),
            ("cells", "") => lists[0].extend(f_puzzles_cells(&fields.require("cells")?)?),
            // Each cell and its clone are a line.
            ("clones", _) => {
                let [cells, clones] = ["cells", "cloneCells"].map(|key| fields.require(key));
                let (cells, clones) = (f_puzzles_cells(&cells?)?, clones?);
                let others = f_puzzles_cells(&clones)?;
                if others.len() != cells.len() {
                    return Err(clones.wrong(&words::count(cells.len(), "cell", "cells")));
                }
                lists = cells.into_iter().zip(others).map(|(cell, other)| vec![cell, other]).collect();
            }
            ("pair", _) => {
                let cells = fields.require("cells")?;
                let pair = f_puzzles_cells(&cells)?;
                (pair.len() == 2).then_some(()).ok_or_else(|| cells.wrong("2 cells"))?;
                lists[0].extend(pair);
            }
            ("cells", count) => {
                let cells = fields.require("cells")?;
                first_cells = f_puzzles_cells(&cells)?;
                (first_cells.len().to_string() == count)
                    .then_some(())
                    .ok_or_else(|| cells.wrong(&words::count(count, "cell", "cells")))?;
            }
            ("lines", _) => {
                let lines = fields.require("lines")?;
                lists = lines.list()?.iter().map(f_puzzles_cells).collect::<Result<_, _>>()?;
                (!lists.is_empty()).then_some(()).ok_or_else(|| lines.wrong("a line"))?;
            }
            (other, _) => {
                return Err(format!("`{}` has the unknown word {other} in the header", fields.path_of("value")));
            }
        }
    }
    Ok((lists, first_cells))
}

/// Adds the number at the end of a row or column, unless it has none.
fn add_side_clue(board: &mut GridBoard, fields: &mut Fields<'_>) -> Result<(), String> {
    fields.skip(&COSMETIC_KEYS_OF_CONSTRAINTS);
    let place = fields.require("cell")?;
    let (bottom, right) = (board.rows + 1, board.columns + 1);
    let side = match f_puzzles_cell(&place)?.cell() {
        Some((row, 0)) if (1..bottom).contains(&row) => Some((0, row)),
        Some((row, column)) if column == right && (1..bottom).contains(&row) => Some((1, row)),
        Some((0, column)) if (1..right).contains(&column) => Some((2, column)),
        Some((row, column)) if row == bottom && (1..right).contains(&column) => Some((3, column)),
        _ => None,
    };
    let (side, line) = side.ok_or_else(|| place.wrong("a place at the end of a row or column, such as R0C1"))?;
    let Some(value) = fields.take_stated("value", "") else { return Ok(()) };
    match board.around[side].insert((line, 1), Clue::Number(value.natural()? as i32)) {
        Some(_) => Err(place.wrong("a place without another number")),
        None => Ok(()),
    }
}

/// Reads a list of digits as one number: `[1, 3]` is 13.
fn digits(field: &Field<'_>) -> Result<Clue, String> {
    let values = field.list()?;
    let digits: Vec<usize> = values.iter().map(|value| value.natural_up_to(9)).collect::<Result<_, _>>()?;
    match digits.len() {
        0 => Ok(Clue::text("?")),
        1..=4 => Ok(Clue::Number(digits.iter().fold(0, |number, digit| 10 * number + *digit as i32))),
        _ => Err(field.wrong("at most 4 numbers")),
    }
}

/// Reads a diagonal, as a place beside the board and a direction. Its list of cells may be missing.
fn ray(fields: &mut Fields<'_>, (rows, columns): Cell) -> Result<Vec<Clue>, String> {
    let place = fields.require("cell")?;
    let direction = fields.require("direction")?;
    let (row, column) = f_puzzles_cell(&place)?.cell().ok_or_else(|| place.wrong("a cell such as R0C2"))?;
    let step = DIRECTIONS.iter().find(|(name, ..)| direction.text() == Ok(name));
    let &(_, down, right) = step.ok_or_else(|| direction.wrong("UL, UR, DL or DR"))?;
    let is_on_board =
        |(row, column): (i64, i64)| (1..=rows as i64).contains(&row) && (1..=columns as i64).contains(&column);
    let mut at = (row as i64, column as i64);
    if !is_on_board(at) {
        at = (at.0 + down, at.1 + right);
    }
    let mut found = Vec::new();
    while is_on_board(at) {
        found.push(Clue::Text(format!("r{}c{}", at.0, at.1)));
        at = (at.0 + down, at.1 + right);
    }
    if found.is_empty() {
        return Err(place.wrong(&format!("a place from which a diagonal of the board goes {}", direction.text()?)));
    }
    match fields.take("cells") {
        Some(cells) if f_puzzles_cells(&cells)? != found => Err(cells.wrong("the cells from `cell` in `direction`")),
        _ => Ok(found),
    }
}

/// Parses a cell such as `R1C2`.
fn f_puzzles_cell(field: &Field<'_>) -> Result<Clue, String> {
    let sign = Clue::text(&field.text().unwrap_or_default().to_ascii_lowercase());
    sign.cell().map(|_| sign).ok_or_else(|| field.wrong("a cell such as R1C2"))
}

fn f_puzzles_cells(field: &Field<'_>) -> Result<Vec<Clue>, String> {
    let cells: Vec<Clue> = field.list()?.iter().map(f_puzzles_cell).collect::<Result<_, _>>()?;
    if cells.is_empty() { Err(field.wrong("a list of cells")) } else { Ok(cells) }
}
