//! Sudokus of f-puzzles and SudokuPad: lz-string, then JSON.

use base::words;
use serde_json::Value;

use super::super::board::{Clue, ClueGrid, check_size};
use super::super::fields::{Field, is_empty};
use super::boxes::standard_boxes;
use super::editor_board::EditorBoard;

/// Maximum length of lz-string data. The decompressed size can grow with the square of this length.
const MAX_COMPRESSED: usize = 1 << 14;

/// Keys of boards in f-puzzles that do not change the rules: names, texts, settings of its solver,
/// and a solution.
const COSMETIC_KEYS_OF_F_PUZZLES: [&str; 8] = [
    "title",
    "author",
    "ruleset",
    "solution",
    "successMessage",
    "highlightConflicts",
    "disabledlogic",
    "truecandidatesoptions",
];

/// Keys of cells in f-puzzles that do not change the rules: colours, and a player's notes.
const COSMETIC_KEYS_OF_CELLS: [&str; 7] =
    ["c", "cArray", "highlight", "highlightArray", "centerPencilMarks", "cornerPencilMarks", "candidates"];

/// Keys of the decorations in f-puzzles, which are drawn but have no meaning by themselves.
const DECORATIONS: [&str; 5] = ["line", "text", "circle", "rectangle", "cage"];

/// Keys of boards in SudokuPad that do not change the rules.
const COSMETIC_KEYS_OF_SUDOKU_PAD: [&str; 9] =
    ["id", "title", "author", "rules", "ruleset", "solution", "cellSize", "cs", "settings"];

/// Keys of cages and areas in SudokuPad that do not change the rules.
const COSMETIC_KEYS_OF_CAGES: [&str; 12] = [
    "style",
    "hidden",
    "fontC",
    "outlineC",
    "c",
    "color",
    "c1",
    "borderColor",
    "c2",
    "backgroundColor",
    "textColor",
    "fontSize",
];

/// Keys of metadata in f-puzzles and SudokuPad that do not change the rules. (Other keys, such as
/// `antiknight` or `norowcol`, do.)
const COSMETIC_METADATA: [&str; 14] = [
    "id",
    "title",
    "author",
    "rules",
    "ruleset",
    "source",
    "solution",
    "msgcorrect",
    "msgincorrect",
    "successMessage",
    "video",
    "bgimage",
    "bgimageopacity",
    "version",
];

fn decompress(packed: &str) -> Result<String, String> {
    if packed.len() > MAX_COMPRESSED {
        return Err(format!("a board of {} characters; a Sudoku has no more than {MAX_COMPRESSED}", packed.len()));
    }
    // In some addresses, plus signs have been replaced by blanks.
    let units = lz_str::decompress_from_base64(&packed.replace("%20", "+").replace(' ', "+"));
    units.and_then(|units| String::from_utf16(&units).ok()).ok_or_else(|| "its board cannot be decompressed".to_owned())
}

/// Creates the drawing of a Sudoku with these numbers.
fn sudoku(side: usize, numbers: Vec<((usize, usize), usize)>) -> EditorBoard {
    let numbers = numbers.into_iter().map(|(cell, number)| (cell, number.to_string()));
    EditorBoard {
        names: vec!["sudoku".to_owned()],
        size: (side, side),
        numbers: numbers.collect(),
        ..EditorBoard::default()
    }
}

/// The row and the column of cells, counted from 1, and their values.
type CellFields<'a> = Vec<((usize, usize), Field<'a>)>;

/// Reads the cells of a square board.
fn square_cells<'a>(rows: &Field<'a>) -> Result<CellFields<'a>, String> {
    let rows = rows.list()?;
    let side = rows.len();
    check_size(side.max(1), side.max(1))?;
    let mut cells = Vec::new();
    for (row, field) in (1..).zip(rows) {
        let row_cells = field.list()?;
        if row_cells.len() != side {
            return Err(format!("`{}` has {} cells, and the board {side} rows", field.path(), row_cells.len()));
        }
        cells.extend((1..).zip(row_cells).map(|(column, cell)| ((row, column), cell)));
    }
    if cells.is_empty() { Err("its board has no cells".to_owned()) } else { Ok(cells) }
}

pub(super) fn f_puzzles(packed: &str) -> Result<EditorBoard, String> {
    let board: Value =
        serde_json::from_str(&decompress(packed)?).map_err(|error| format!("its board is not JSON: {error}"))?;
    Field::new("", &board).object(|board| {
        board.skip(&COSMETIC_KEYS_OF_F_PUZZLES);
        skip_metadata(board.take("metadata"))?;
        let cells = square_cells(&board.require("grid")?)?;
        let side = cells.len().isqrt();
        if let Some(size) = board.take("size").filter(|size| size.natural() != Ok(side)) {
            return Err(size.wrong(&format!("{side}, the number of rows of `grid`")));
        }
        let mut numbers = Vec::new();
        let mut areas = standard_boxes(side);
        for (place, cell) in cells {
            let (number, area) = cell.object(|cell| {
                cell.skip(&COSMETIC_KEYS_OF_CELLS);
                let is_given = cell.take("given").map_or(Ok(false), |given| given.flag())?;
                let value = cell.take_stated("value", "");
                // Numbers entered by a player are not clues.
                let number = match value {
                    Some(value) if is_given => Some(value.natural_up_to(side)?),
                    Some(value) if value.natural()? <= side => None,
                    Some(value) => return Err(value.wrong(&format!("a number from 1 to {side}"))),
                    None if is_given => return Err(format!("`{}` is missing beside `given`", cell.path_of("value"))),
                    None => None,
                };
                // A cell whose area is not its standard box has the number of its area, from 0.
                let area = cell.take("region").map(|region| {
                    let number = region.natural().ok().filter(|number| *number < side);
                    number.ok_or_else(|| region.wrong(&format!("the number of an area, from 0 to {}", side - 1)))
                });
                Ok((number, area.transpose()?))
            })?;
            numbers.extend(number.map(|number| (place, number)));
            if let Some(area) = area {
                areas.insert(place, Clue::Number(area as i32));
            }
        }
        let constraints = board.take_all();
        let has_constraint =
            |name: &str| constraints.iter().any(|constraint| constraint.path() == name && !is_empty(constraint.value));
        // Decorations that only draw a constraint of the board have no meaning of their own.
        let is_decoration = |constraint: &Field<'_>| {
            let name_of = |item: &Value| Some(constraint_key(item.get("fromConstraint")?.as_str()?));
            DECORATIONS.contains(&constraint.path())
                && constraint.list().is_ok_and(|items| {
                    items.iter().all(|item| name_of(item.value).is_some_and(|name| has_constraint(&name)))
                })
        };
        let others = constraints.iter().filter(|constraint| !is_decoration(constraint));
        let others = others.map(|constraint| (constraint.path().to_owned(), constraint.value.clone())).collect();
        Ok(EditorBoard { constraints: others, ..sudoku(side, numbers).with_areas(areas) })
    })
}

/// Converts the name of a constraint to its key in f-puzzles: its letters and digits in lower case.
fn constraint_key(name: &str) -> String {
    name.chars().filter(|sign| sign.is_alphanumeric()).collect::<String>().to_ascii_lowercase()
}

fn skip_metadata(metadata: Option<Field<'_>>) -> Result<(), String> {
    metadata.map_or(Ok(()), |metadata| {
        metadata.object(|metadata| {
            metadata.skip(&COSMETIC_METADATA);
            Ok(())
        })
    })
}

pub(super) fn sudoku_pad(id: &str) -> Result<EditorBoard, String> {
    let (format, packed) = match ["fpuzzles", "fpuz", "scl", "ctc"]
        .iter()
        .find_map(|name| Some((name, id.strip_prefix(name)?)))
    {
        Some((format, packed)) if packed.len() > 20 => (*format, packed),
        _ => {
            let id = words::preview(id);
            return Err(format!(
                "`{id}` is an id of a board on the server of SudokuPad; ids that contain their board begin with scl or fpuz"
            ));
        }
    };
    if format.starts_with("fpuz") {
        return f_puzzles(packed);
    }
    let text = decompress(packed)?;
    let board: Value = serde_json::from_str(&text)
        .or_else(|_| serde_json::from_str(&expand_json(&text)))
        .map_err(|error| format!("its board cannot be read: {error}"))?;
    Field::new("", &board).object(|board| {
        board.skip(&COSMETIC_KEYS_OF_SUDOKU_PAD);
        skip_metadata(board.take("metadata"))?;
        let cells = square_cells(&board.take_either("cells", "ce").ok_or("its board has no `cells`")?)?;
        let side = cells.len().isqrt();
        let mut numbers = Vec::new();
        for (place, cell) in cells {
            let number = cell.object(|cell| {
                cell.skip(&["c", "color", "colour"]);
                cell.take_stated("value", "v").map(|value| value.natural_up_to(side)).transpose()
            })?;
            numbers.extend(number.map(|number| (place, number)));
        }
        let mut areas = ClueGrid::new();
        if let Some(regions) = board.take_either("regions", "re") {
            for (number, region) in (1..).zip(regions.list()?) {
                for (place, cell) in sudoku_pad_cells(&region, side)? {
                    if areas.insert(place, Clue::Number(number)).is_some() {
                        return Err(cell.wrong("a cell that is in no other area"));
                    }
                }
            }
            if areas.len() != side * side {
                return Err("a Sudoku whose areas do not fill its board".to_owned());
            }
        }
        let mut cages = Vec::new();
        for cage in board.take_stated("cages", "ca").map_or(Ok(Vec::new()), |cages| cages.list())? {
            cages.extend(sudoku_pad_cage(&cage, side)?);
        }
        let others = vec![("killercage".to_owned(), Value::from(cages))];
        Ok(EditorBoard { constraints: others, ..sudoku(side, numbers).with_areas(areas) })
    })
}

/// Reads a list of cells, or the list `cells` of an object. Rows and columns in it count from 0.
fn sudoku_pad_cells<'a>(list: &Field<'a>, side: usize) -> Result<CellFields<'a>, String> {
    if list.value.is_object() {
        return list.object(|object| {
            object.skip(&COSMETIC_KEYS_OF_CAGES);
            let cells =
                object.take_either("cells", "ce").ok_or_else(|| format!("`{}` is missing", object.path_of("cells")))?;
            sudoku_pad_cells(&cells, side)
        });
    }
    let cell = |cell: Field<'a>| {
        let numbers = cell.list().unwrap_or_default();
        let numbers: Vec<usize> = numbers.iter().filter_map(|number| number.natural().ok()).collect();
        match numbers[..] {
            [row, column] if cell.list()?.len() == 2 && row < side && column < side => {
                Ok(((row + 1, column + 1), cell))
            }
            _ => Err(cell.wrong(&format!("a row and a column from 0 to {}", side - 1))),
        }
    };
    list.list()?.into_iter().map(cell).collect()
}

/// Converts a cage of SudokuPad to one of f-puzzles. Returns `None` if the cage contains only
/// metadata such as `title: …`.
fn sudoku_pad_cage(cage: &Field<'_>, side: usize) -> Result<Option<Value>, String> {
    cage.object(|fields| {
        // SudokuPad leaves out empty objects.
        if fields.is_empty() {
            return Ok(None);
        }
        fields.skip(&COSMETIC_KEYS_OF_CAGES);
        let cells = fields.take_stated("cells", "ce").map_or(Ok(Vec::new()), |cells| sudoku_pad_cells(&cells, side))?;
        let value = fields.take_stated("value", "v");
        if cells.is_empty() {
            let is_cosmetic = |text: &str| {
                let key = text.split(':').next().unwrap_or_default().trim();
                text.contains(':') && COSMETIC_METADATA.contains(&key)
            };
            return match value {
                Some(value) if !is_cosmetic(value.text()?) => {
                    Err(value.wrong("a number beside `cells`, or a text such as `title: …`"))
                }
                Some(_) => Ok(None),
                None => Err(format!("`{}` is missing", fields.path_of("cells"))),
            };
        }
        let sum = fields.take_stated("sum", "");
        let is_unique = fields.take("unique").map(|unique| match unique.flag()? {
            true => Ok(true),
            false => Err(unique.wrong("true: cages with equal numbers are not supported")),
        });
        let is_unique = is_unique.transpose()?.unwrap_or(false);
        if let Some(kind) =
            fields.take("type").filter(|kind| !["killer", "rowcol"].map(Value::from).contains(kind.value))
        {
            return Err(kind.wrong("\"killer\" or \"rowcol\""));
        }
        let total = match (&sum, &value) {
            (Some(sum), Some(value)) if sum.natural()? != value.natural()? => {
                return Err(value.wrong(&format!("{}, as `sum` has it", sum.natural()?)));
            }
            (Some(total), _) | (None, Some(total)) => Value::from(total.natural()?),
            (None, None) if is_unique => Value::Null,
            (None, None) => return Err(cage.wrong("a cage with `value`, `sum` or `unique`")),
        };
        let names: Vec<String> = cells.iter().map(|((row, column), _)| format!("R{row}C{column}")).collect();
        Ok(Some(serde_json::json!({ "value": total, "cells": names })))
    })
}

/// Expands SudokuPad's abbreviated JSON, in which names have no quotes and empty objects are left
/// out.
fn expand_json(text: &str) -> String {
    let marks = "[]{},:";
    let mut json = String::with_capacity(2 * text.len());
    let mut rest = text.trim_start();
    let mut is_open = false;
    while let Some(first) = rest.chars().next() {
        let is_mark = marks.contains(first);
        let is_quote = matches!(first, '"' | '\'');
        let length = match first {
            _ if is_quote => {
                let mut is_escaped = false;
                let is_end = |sign: char| {
                    let ends = sign == first && !is_escaped;
                    is_escaped = sign == '\\' && !is_escaped;
                    ends
                };
                rest[1..].find(is_end).map_or(rest.len(), |end| end + 2)
            }
            _ if is_mark => 1,
            _ => rest.find(|sign| marks.contains(sign)).unwrap_or(rest.len()),
        };
        let (piece, after) = rest.split_at(length);
        let (piece, after) = (piece.trim_end(), after.trim_start());
        // A missing element is an empty object.
        if is_open && (piece == "," || piece == "]" && !json.ends_with('[')) {
            json += "{}";
        }
        is_open = piece == "[" || piece == ",";
        let is_name = after.starts_with(':');
        match piece {
            _ if is_mark || first == '"' => json += piece,
            _ if is_quote => json += &Value::from(parse_single_quoted(piece)).to_string(),
            "t" if !is_name => json += "true",
            "f" if !is_name => json += "false",
            number if !is_name && serde_json::from_str::<Value>(number).is_ok() => json += number,
            word => json += &Value::from(word).to_string(),
        }
        rest = after;
    }
    json
}

/// Parses a text in single quotes, in which `\'` stands for a single quote. Other escapes are those
/// of JSON.
fn parse_single_quoted(piece: &str) -> String {
    let inside = piece.strip_prefix('\'').and_then(|piece| piece.strip_suffix('\'')).unwrap_or(piece);
    let json = format!("\"{}\"", inside.replace("\\'", "'").replace('"', "\\\""));
    serde_json::from_str(&json).unwrap_or_else(|_| inside.to_owned())
}
