//! Sudokus of SudokuPad: lz-string, then abbreviated JSON, or JSON of f-puzzles.

use std::collections::BTreeSet;

use base::words;
use serde_json::Value;

use super::super::board::{Cell, Clue, ClueGrid};
use super::super::fields::{Field, Fields};
use super::boxes::standard_boxes;
use super::drawn_clues::DrawnClues;
use super::editor_board::{EditorBoard, Entries, pencil_marks};
use super::sudoku::{COSMETIC_METADATA, CellFields, decompress, f_puzzles, square_cells, sudoku};

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
    Field::new("", &board).object(sudoku_pad_board)
}

fn sudoku_pad_board(board: &mut Fields<'_>) -> Result<EditorBoard, String> {
    board.skip(&COSMETIC_KEYS_OF_SUDOKU_PAD);
    let mut flags = BTreeSet::new();
    if let Some(metadata) = board.take("metadata") {
        metadata.object(|metadata| {
            metadata.skip(&COSMETIC_METADATA);
            for key in ["norowcol", "antiknight", "antiking"] {
                let stated = metadata.take_stated(key, "");
                let is_on = stated.map_or(Ok(false), |stated| match stated.value.as_str() {
                    Some("true") => Ok(true),
                    Some("false") => Ok(false),
                    _ => stated.flag(),
                });
                flags.extend(is_on?.then_some(key));
            }
            Ok(())
        })?;
    }
    let has_houses = flags.remove("norowcol");
    let cells = square_cells(&board.take_either("cells", "ce").ok_or("its board has no `cells`")?)?;
    let side = cells.len().isqrt();
    let mut clues = DrawnClues::read(board, side)?;
    flags.into_iter().for_each(|key| clues.add_flag(key));
    let mut numbers = Vec::new();
    let mut entries = Entries::default();
    for (place, cell) in cells {
        let number = sudoku_pad_cell(&cell, place, side, &mut entries)?;
        numbers.extend(number.map(|number| (place, number)));
    }
    let regions = board.take_either("regions", "re");
    let regions = regions.map_or(Ok(Vec::new()), |regions| regions.list())?;
    let regions = regions.iter().map(|region| sudoku_pad_cells(region, side)).collect::<Result<Vec<_>, _>>()?;
    let cages = board.take_stated("cages", "ca").map_or(Ok(Vec::new()), |cages| cages.list())?;
    let cages = cages.iter().map(|cage| sudoku_pad_cage(cage, side)).collect::<Result<Vec<_>, _>>()?;
    let mut found = sudoku(side, numbers).with_entries(entries);
    let mut all_cages = Vec::new();
    let mut houses: Vec<Vec<Cell>> = Vec::new();
    for cage in cages.into_iter().flatten() {
        if has_houses && cage.is_house {
            houses.push(cage.cells);
        } else {
            all_cages.push(cage.constraint());
        }
    }
    if has_houses {
        houses.extend(regions.into_iter().map(|region| region.into_iter().map(|(place, _)| place).collect()));
        found.lines = grids_of(houses)?;
    } else if !regions.is_empty() {
        found = found.with_areas(areas_of(&regions, side)?);
    }
    found.constraints =
        [("killercage".to_owned(), Value::from(all_cages))].into_iter().chain(clues.constraints()).collect();
    Ok(found)
}

/// Reads the number of a cell. Adds what a player has entered in it to `entries`.
fn sudoku_pad_cell(cell: &Field<'_>, place: Cell, side: usize, entries: &mut Entries) -> Result<Option<usize>, String> {
    cell.object(|cell| {
        cell.skip(&["c", "color", "colour"]);
        let is_given = cell.take("given").map_or(Ok(true), |given| given.flag())?;
        let number = cell.take_stated("value", "v").map(|value| value.natural_up_to(side)).transpose()?;
        let candidates = pencil_marks(cell.take_stated("centremarks", ""), side)?;
        for key in ["cornermarks", "pencilMarks"] {
            entries.has_corner_marks |= !pencil_marks(cell.take_stated(key, ""), side)?.is_empty();
        }
        if number.is_none() || !is_given {
            entries.add(place, number, candidates);
        }
        Ok(number.filter(|_| is_given))
    })
}

/// Returns the area of each cell.
fn areas_of(regions: &[CellFields<'_>], side: usize) -> Result<ClueGrid, String> {
    let mut areas = ClueGrid::new();
    for (number, region) in (1..).zip(regions) {
        for (place, cell) in region {
            if areas.insert(*place, Clue::Number(number)).is_some() {
                return Err(cell.wrong("a cell that is in no other area"));
            }
        }
    }
    match areas.len() == side * side {
        true => Ok(areas),
        false => Err("a Sudoku whose areas do not fill its board".to_owned()),
    }
}

/// Returns the header lines `grid` of the grids that have exactly these rows, columns and boxes.
fn grids_of(houses: Vec<Vec<Cell>>) -> Result<Vec<(String, Vec<Clue>)>, String> {
    let no_grids = "`metadata.norowcol`: expected the rows, columns and boxes of whole grids as regions and cages";
    let sorted = |mut house: Vec<Cell>| {
        house.sort_unstable();
        house
    };
    let houses: BTreeSet<Vec<Cell>> = houses.into_iter().map(sorted).collect();
    let side = houses.first().map_or(0, Vec::len);
    let mut lines = Vec::new();
    let mut explained = BTreeSet::new();
    for &(top, left) in houses.iter().filter_map(|house| house.first()).collect::<BTreeSet<_>>() {
        let of_grid = grid_houses((top, left), side);
        if of_grid.iter().all(|house| houses.contains(house)) {
            lines.push(("grid".to_owned(), vec![Clue::Number(side as i32), Clue::Text(format!("r{top}c{left}"))]));
            explained.extend(of_grid);
        }
    }
    if lines.is_empty() || explained != houses { Err(no_grids.to_owned()) } else { Ok(lines) }
}

/// Returns the rows, columns and boxes of a grid by its upper left cell.
pub(super) fn grid_houses((top, left): Cell, side: usize) -> Vec<Vec<Cell>> {
    let mut houses = vec![Vec::new(); 3 * side];
    for ((row, column), area) in standard_boxes(side) {
        let cell = (top + row - 1, left + column - 1);
        let Clue::Number(area) = area else { continue };
        for house in [row - 1, side + column - 1, 2 * side + area as usize] {
            houses[house].push(cell);
        }
    }
    houses
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

/// A cage of SudokuPad.
struct PadCage {
    cells: Vec<Cell>,
    /// `null` if the numbers of the cage have no sum.
    total: Value,
    /// True if the cage is a row or column of a grid.
    is_house: bool,
}

impl PadCage {
    /// Returns the cage as f-puzzles writes it.
    fn constraint(&self) -> Value {
        let names: Vec<String> = self.cells.iter().map(|(row, column)| format!("R{row}C{column}")).collect();
        serde_json::json!({ "value": self.total, "cells": names })
    }
}

/// Reads a cage. Returns `None` if it contains only metadata such as `title: …`.
fn sudoku_pad_cage(cage: &Field<'_>, side: usize) -> Result<Option<PadCage>, String> {
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
        let kind = fields.take("type");
        let is_other = |kind: &&Field<'_>| !["killer", "rowcol", "disjoint"].map(Value::from).contains(kind.value);
        if let Some(kind) = kind.as_ref().filter(is_other) {
            return Err(kind.wrong("\"killer\", \"rowcol\" or \"disjoint\""));
        }
        let total = match (&sum, &value) {
            (Some(sum), Some(value)) if sum.natural()? != value.natural()? => {
                return Err(value.wrong(&format!("{}, as `sum` has it", sum.natural()?)));
            }
            (Some(total), _) | (None, Some(total)) => Value::from(total.natural()?),
            (None, None) if is_unique => Value::Null,
            (None, None) => return Err(cage.wrong("a cage with `value`, `sum` or `unique`")),
        };
        let is_house = total.is_null() && kind.is_some_and(|kind| kind.value.as_str() == Some("rowcol"));
        let cells = cells.into_iter().map(|(place, _)| place).collect();
        Ok(Some(PadCage { cells, total, is_house }))
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
