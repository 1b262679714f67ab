//! Sudokus of f-puzzles: lz-string, then JSON.

use serde_json::Value;

use super::super::board::{Cell, Clue, check_size};
use super::super::fields::{Field, is_empty};
use super::boxes::standard_boxes;
use super::editor_board::{EditorBoard, Entries, pencil_marks};

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

/// Keys of cells in f-puzzles that do not change the rules: colours, and what its solver finds.
const COSMETIC_KEYS_OF_CELLS: [&str; 5] = ["c", "cArray", "highlight", "highlightArray", "candidates"];

/// Keys of the decorations in f-puzzles, which are drawn but have no meaning by themselves.
const DECORATIONS: [&str; 5] = ["line", "text", "circle", "rectangle", "cage"];

/// Keys of metadata in f-puzzles and SudokuPad that do not change the rules. (Other keys, such as
/// `antiknight` or `norowcol`, do.)
pub(super) const COSMETIC_METADATA: [&str; 14] = [
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

pub(super) fn decompress(packed: &str) -> Result<String, String> {
    if packed.len() > MAX_COMPRESSED {
        return Err(format!("a board of {} characters; a Sudoku has no more than {MAX_COMPRESSED}", packed.len()));
    }
    // In some addresses, plus signs have been replaced by blanks.
    let units = lz_str::decompress_from_base64(&packed.replace("%20", "+").replace(' ', "+"));
    units.and_then(|units| String::from_utf16(&units).ok()).ok_or_else(|| "its board cannot be decompressed".to_owned())
}

/// Creates the drawing of a Sudoku with these numbers.
pub(super) fn sudoku(side: usize, numbers: Vec<((usize, usize), usize)>) -> EditorBoard {
    let numbers = numbers.into_iter().map(|(cell, number)| (cell, number.to_string()));
    EditorBoard {
        names: vec!["sudoku".to_owned()],
        size: (side, side),
        numbers: numbers.collect(),
        ..EditorBoard::default()
    }
}

/// The row and the column of cells, counted from 1, and their values.
pub(super) type CellFields<'a> = Vec<((usize, usize), Field<'a>)>;

/// Reads the cells of a square board.
pub(super) fn square_cells<'a>(rows: &Field<'a>) -> Result<CellFields<'a>, String> {
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
        let mut entries = Entries::default();
        for (place, cell) in cells {
            let CellContent { number, area } = f_puzzles_cell(&cell, place, side, &mut entries)?;
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
        Ok(EditorBoard { constraints: others, ..sudoku(side, numbers).with_areas(areas).with_entries(entries) })
    })
}

/// The part of a cell that belongs to the puzzle.
struct CellContent {
    number: Option<usize>,
    area: Option<usize>,
}

/// Reads a cell. Adds what a player has entered in it to `entries`.
fn f_puzzles_cell(cell: &Field<'_>, place: Cell, side: usize, entries: &mut Entries) -> Result<CellContent, String> {
    cell.object(|cell| {
        cell.skip(&COSMETIC_KEYS_OF_CELLS);
        let is_given = cell.take("given").map_or(Ok(false), |given| given.flag())?;
        let value = cell.take_stated("value", "");
        let number = match &value {
            Some(value) if is_given => Some(value.natural_up_to(side)?),
            None if is_given => return Err(format!("`{}` is missing beside `given`", cell.path_of("value"))),
            _ => None,
        };
        // Numbers entered by a player are not clues.
        let entered = value.filter(|value| !is_given && value.natural() != Ok(0));
        let entered = entered.map(|value| value.natural_up_to(side)).transpose()?;
        let candidates = pencil_marks(cell.take_stated("centerPencilMarks", ""), side)?;
        entries.has_corner_marks |= !pencil_marks(cell.take_stated("cornerPencilMarks", ""), side)?.is_empty();
        if number.is_none() {
            entries.add(place, entered, candidates);
        }
        // A cell whose area is not its standard box has the number of its area, from 0.
        let area = cell.take("region").map(|region| {
            let number = region.natural().ok().filter(|number| *number < side);
            number.ok_or_else(|| region.wrong(&format!("the number of an area, from 0 to {}", side - 1)))
        });
        Ok(CellContent { number, area: area.transpose()? })
    })
}

/// Converts the name of a constraint to its key in f-puzzles: its letters and digits in lower case.
fn constraint_key(name: &str) -> String {
    name.chars().filter(|sign| sign.is_alphanumeric()).collect::<String>().to_ascii_lowercase()
}

pub(super) fn skip_metadata(metadata: Option<Field<'_>>) -> Result<(), String> {
    metadata.map_or(Ok(()), |metadata| {
        metadata.object(|metadata| {
            metadata.skip(&COSMETIC_METADATA);
            Ok(())
        })
    })
}
