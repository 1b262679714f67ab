//! Writes a Sudoku as an address of SudokuPad. Most boards are written in the JSON of f-puzzles,
//! which states the rules of variants. Boards with several grids are written in SudokuPad's own.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::super::board::{Cell, Clue, GridBoard};
use super::super::header::Header;
use super::boxes::standard_boxes;
use super::constraints::DIRECTIONS;
use super::sudoku_pad::grid_houses;

const F_PUZZLES: &str = "https://sudokupad.app/fpuzzles";
const SUDOKU_PAD: &str = "https://sudokupad.app/scl";

/// Constraints that SudokuPad knows only as lines: their key, name and colour in f-puzzles.
const DRAWN_LINES: [(&str, &str, &str); 2] = [("renban", "Renban", "#F067F0"), ("whispers", "Whispers", "#67F067")];

/// A variant's name and header.
pub type NamedHeader<'a> = (&'a str, &'a Header);

/// Returns the address of a Sudoku. The error names what an address cannot express.
pub fn sudoku_pad_address(board: &GridBoard, variants: &[NamedHeader<'_>]) -> Result<String, String> {
    if board.rows != board.columns {
        return Err("a board that is not a square".to_owned());
    }
    let grids = grids(board, variants)?;
    let (prefix, json) = if grids.is_empty() {
        (F_PUZZLES, f_puzzles(board, variants)?)
    } else {
        (SUDOKU_PAD, several_grids(board, &grids, variants)?)
    };
    let packed = lz_str::compress_to_base64(&json.to_string());
    Ok(format!("{prefix}{}", packed.replace('+', "%2B").replace('/', "%2F").replace('=', "%3D")))
}

fn describe(name: &str, arguments: &[Clue]) -> String {
    let words: Vec<String> = arguments.iter().map(|argument| format!(" {argument}")).collect();
    format!("`{name}{}`", words.concat())
}

/// Returns the first cell and the side of each grid of a board with several grids. The layouts of a
/// variant are those that its header lists.
fn grids(board: &GridBoard, variants: &[NamedHeader<'_>]) -> Result<Vec<(Cell, usize)>, String> {
    const USUAL_SIDE: usize = 9;
    let mut grids = Vec::new();
    for (name, arguments) in &board.header {
        match (&name[..], &arguments[..]) {
            ("grid", [Clue::Number(side @ 1..), cells @ ..]) => {
                grids.extend(cells.iter().filter_map(Clue::cell).map(|cell| (cell, *side as usize)));
            }
            ("variant", [name]) => grids.extend(layout(name, variants).into_iter().map(|cell| (cell, USUAL_SIDE))),
            _ => {}
        }
    }
    let is_outside =
        |((row, column), side): &(Cell, usize)| row + side > board.rows + 1 || column + side > board.columns + 1;
    match grids.iter().find(|grid| is_outside(grid)) {
        Some(((row, column), _)) => Err(format!("the grid at r{row}c{column}, which is not on the board")),
        None => Ok(grids),
    }
}

/// Returns the first cells of the grids of a layout, none if the variant is not a layout.
fn layout(name: &Clue, variants: &[NamedHeader<'_>]) -> Vec<Cell> {
    let start = format!("variant(\"{name}\")");
    let mut lines = variants.iter().flat_map(|(_, header)| header.lines("Input"));
    let words = lines.find_map(|line| line.strip_prefix(&start)).unwrap_or_default();
    words.split(|sign: char| !sign.is_ascii_alphanumeric()).filter_map(|word| Clue::text(word).cell()).collect()
}

/// The cells with the numbers that `content` converts.
fn rows_of_cells(board: &GridBoard, content: impl Fn(Cell) -> Result<Value, String>) -> Result<Value, String> {
    let row = |row: usize| (1..=board.columns).map(|column| content((row, column))).collect::<Result<Vec<_>, _>>();
    Ok(Value::from((1..=board.rows).map(row).collect::<Result<Vec<_>, _>>()?))
}

fn given(board: &GridBoard, cell @ (row, column): Cell) -> Result<Option<i32>, String> {
    match board.signs.get(&cell) {
        Some(Clue::Number(number)) if *number > 0 => Ok(Some(*number)),
        Some(Clue::Text(sign)) if sign != "?" => Err(format!("`{sign}` in row {row}, column {column}")),
        _ => Ok(None),
    }
}

/// Returns the numbers that the player's mark in a cell allows.
fn entered(board: &GridBoard, (row, column): Cell) -> Vec<i32> {
    let Some(literal) = board.player_marks.get([row, column].as_slice()) else { return Vec::new() };
    let start = format!("number({row},{column},");
    let numbers = literal.split_once(&start).map_or("", |(_, rest)| rest);
    numbers.split(|sign: char| !sign.is_ascii_digit()).filter_map(|number| number.parse().ok()).collect()
}

fn name_of((row, column): Cell) -> String {
    format!("R{row}C{column}")
}

fn names(cells: &[Clue]) -> Value {
    cells.iter().filter_map(Clue::cell).map(name_of).collect()
}

fn f_puzzles(board: &GridBoard, variants: &[NamedHeader<'_>]) -> Result<Value, String> {
    let standard = standard_boxes(board.rows);
    let grid = rows_of_cells(board, |cell| {
        let mut content = Map::new();
        if let Some(number) = given(board, cell)? {
            content.extend([("value".to_owned(), json!(number)), ("given".to_owned(), json!(true))]);
        }
        match entered(board, cell)[..] {
            [] => {}
            [number] => _ = content.insert("value".to_owned(), json!(number)),
            ref several => _ = content.insert("centerPencilMarks".to_owned(), json!(several)),
        }
        if let Some(area) = board.areas.get(&cell).map(|area| area - 1)
            && standard.get(&cell) != Some(&Clue::Number(area as i32))
        {
            content.insert("region".to_owned(), json!(area));
        }
        Ok(Value::Object(content))
    })?;
    let mut all = Map::from_iter([("size".to_owned(), json!(board.rows)), ("grid".to_owned(), grid)]);
    for (name, arguments) in &board.header {
        add_line(&mut all, board, name, arguments, variants).ok_or_else(|| describe(name, arguments))?;
    }
    for (side, clues) in board.around.iter().enumerate() {
        let key = addresses(variants).find_map(|(key, words)| words.starts_with("side ").then_some(key));
        for (&(line, _), clue) in clues {
            let Clue::Number(number) = clue else { continue };
            let last = board.rows + 1;
            let place = [(line, 0), (line, last), (0, line), (last, line)][side];
            let key = key.ok_or_else(|| format!("{number} beside the board"))?;
            push(&mut all, key, json!({ "cell": name_of(place), "value": number.to_string() }));
        }
    }
    match board.grids.iter().find(|(_, grid)| !grid.is_empty()) {
        Some((name, _)) => Err(format!("a grid `{name}`")),
        None => Ok(Value::Object(all)),
    }
}

fn push(all: &mut Map<String, Value>, key: &str, value: Value) {
    if let Value::Array(list) = all.entry(key).or_insert_with(|| json!([])) {
        list.push(value);
    }
}

/// The keys and words of the `Address` lines.
fn addresses<'a>(variants: &[NamedHeader<'a>]) -> impl Iterator<Item = (&'a str, &'a str)> {
    let lines = variants.iter().flat_map(|(_, header)| header.lines("Address"));
    lines.filter_map(|line| line.split_once(": ")).collect::<Vec<_>>().into_iter()
}

/// Adds a header line. Returns `None` if no address expresses it.
fn add_line(
    all: &mut Map<String, Value>,
    board: &GridBoard,
    name: &str,
    arguments: &[Clue],
    variants: &[NamedHeader<'_>],
) -> Option<()> {
    if name == "variant" {
        return add_variant(all, board, &arguments.first()?.to_string(), variants);
    }
    let start = format!("{name} ");
    let (key, words) = addresses(variants).find_map(|(key, words)| Some((key, words.strip_prefix(&start)?)))?;
    let mut object = Map::new();
    let mut set = |key: &str, value: Value| _ = object.insert(key.to_owned(), value);
    let mut rest = arguments;
    let mut first_cells = None;
    for word in words.split(' ') {
        match word.split_once('=').unwrap_or((word, "")) {
            ("value" | "letter" | "values", stated) => {
                if word == "value" || stated.contains('|') || word == "values" {
                    let (value, cells) = rest.split_first()?;
                    rest = cells;
                    match (word, value) {
                        ("values", Clue::Number(number)) => set("values", digits(*number)),
                        ("values", _) => set("values", json!([])),
                        (_, value) if value.to_string() != "?" => set("value", json!(value.to_string())),
                        _ => {}
                    }
                }
            }
            // Each cell of the line has an object of its own.
            ("cell", _) => {
                let cells = rest.iter().filter_map(Clue::cell);
                cells.for_each(|cell| push(all, key, json!({ "cell": name_of(cell) })));
                return Some(());
            }
            ("clones", _) => {
                set("cells", names(rest.get(..1)?));
                set("cloneCells", names(rest.get(1..)?));
            }
            ("cells", "") | ("pair", _) => set("cells", names(rest)),
            ("cells", count) => first_cells = Some(names(rest.get(..count.parse().ok()?)?)),
            ("lines", _) => set("lines", json!([names(rest)])),
            ("ray", _) => {
                let (place, direction) = ray(rest, board.rows)?;
                set("cell", json!(place));
                set("direction", json!(direction));
                set("cells", names(rest));
            }
            _ => return None,
        }
    }
    if let Some(cells) = first_cells {
        set("cells", cells);
    }
    push(all, key, Value::Object(object));
    // SudokuPad draws these lines only as decorations.
    if let Some((_, title, color)) = DRAWN_LINES.iter().find(|(known, ..)| *known == key) {
        let line = json!({ "lines": [names(rest)], "outlineC": color, "width": 0.4, "fromConstraint": title });
        push(all, "line", line);
    }
    Some(())
}

/// Adds a variant without clues: its own address, or those of all parts of the variant file.
fn add_variant(
    all: &mut Map<String, Value>,
    board: &GridBoard,
    name: &str,
    variants: &[NamedHeader<'_>],
) -> Option<()> {
    let own = format!("variant {name}");
    let mut keys: Vec<&str> = addresses(variants).filter(|(_, words)| *words == own).map(|(key, _)| key).collect();
    if keys.is_empty() {
        let own_header: Vec<NamedHeader<'_>> = variants.iter().filter(|(known, _)| *known == name).copied().collect();
        let parts = addresses(&own_header).filter(|(key, words)| words.starts_with("variant ") && !key.contains('='));
        keys = parts.map(|(key, _)| key).collect();
    }
    // f-puzzles has no key for windows, but they are extra regions.
    if keys.is_empty() && name == "windoku" {
        let (key, _) = addresses(variants).find(|(_, words)| words.starts_with("region "))?;
        windows(board.rows).into_iter().for_each(|window| push(all, key, json!({ "cells": window })));
        return Some(());
    }
    // A variant that only allows clues needs no key.
    let reads_clues = || variants.iter().any(|(known, header)| *known == name && !header.lines("Address").is_empty());
    if keys.is_empty() && !reads_clues() && name != "irregular" {
        return None;
    }
    for key in keys {
        match key.split_once('=') {
            Some((list, value)) => push(all, list, json!(value)),
            None => _ = all.insert(key.to_owned(), json!(true)),
        }
    }
    Some(())
}

/// The windows of Windoku: as high and wide as boxes, with a row or column between them.
fn windows(side: usize) -> Vec<Vec<String>> {
    let mut boxes = BTreeMap::<Clue, BTreeSet<Cell>>::new();
    standard_boxes(side).into_iter().for_each(|(cell, area)| _ = boxes.entry(area).or_default().insert(cell));
    let Some(&(height, width)) = boxes.values().next().and_then(BTreeSet::last) else { return Vec::new() };
    let starts = |size: usize| (0..(side - 1) / (size + 1)).map(move |index| index * (size + 1) + 2);
    let window = |(top, left): Cell| {
        (top..top + height).flat_map(|row| (left..left + width).map(move |column| name_of((row, column)))).collect()
    };
    starts(height).flat_map(|top| starts(width).map(move |left| (top, left))).map(window).collect()
}

fn digits(number: i32) -> Value {
    number.to_string().chars().filter_map(|digit| digit.to_digit(10)).collect::<Vec<_>>().into()
}

/// Returns the place beside the board and the direction of a diagonal.
fn ray(cells: &[Clue], side: usize) -> Option<(String, &'static str)> {
    let cells: Vec<(i64, i64)> =
        cells.iter().filter_map(Clue::cell).map(|(row, column)| (row as i64, column as i64)).collect();
    let is_on_board =
        |(row, column): (i64, i64)| (1..=side as i64).contains(&row) && (1..=side as i64).contains(&column);
    let (&first, &last) = (cells.first()?, cells.last()?);
    let goes = |(_, down, right): &&(&str, i64, i64)| {
        cells.windows(2).all(|pair| pair[1] == (pair[0].0 + down, pair[0].1 + right))
            && !is_on_board((first.0 - down, first.1 - right))
            && !is_on_board((last.0 + down, last.1 + right))
    };
    let (name, down, right) = DIRECTIONS.iter().find(goes)?;
    let (row, column) = (first.0 - down, first.1 - right);
    (row >= 0 && column >= 0).then(|| (format!("R{row}C{column}"), *name))
}

/// The board in SudokuPad's own JSON: rows, columns and boxes of all grids are cages and regions.
fn several_grids(board: &GridBoard, grids: &[(Cell, usize)], variants: &[NamedHeader<'_>]) -> Result<Value, String> {
    let pairs = |cells: &[Cell]| cells.iter().map(|(row, column)| json!([row - 1, column - 1])).collect::<Value>();
    let cells = rows_of_cells(board, |cell| {
        let number = given(board, cell)?.map(|number| json!({ "value": number.to_string() }));
        Ok(number.unwrap_or_else(|| match entered(board, cell)[..] {
            [] => json!({}),
            [number] => json!({ "value": number.to_string(), "given": false }),
            ref several => json!({ "centremarks": several }),
        }))
    })?;
    let mut cages = Vec::new();
    let mut regions = BTreeSet::new();
    for &(first, side) in grids {
        let mut houses = grid_houses(first, side);
        regions.extend(houses.split_off(2 * side));
        let lines = houses.iter();
        cages.extend(
            lines.map(|house| json!({ "cells": pairs(house), "unique": true, "type": "rowcol", "hidden": true })),
        );
    }
    for (name, arguments) in &board.header {
        match (&name[..], arguments.split_first()) {
            ("grid", _) => {}
            ("variant", Some((variant, []))) if !layout(variant, variants).is_empty() => {}
            ("cage", Some((sum, cells))) => {
                let cells: Vec<Cell> = cells.iter().filter_map(Clue::cell).collect();
                let mut cage = json!({ "cells": pairs(&cells), "unique": true, "type": "killer" });
                if let Clue::Number(sum) = sum {
                    cage["value"] = json!(sum.to_string());
                }
                cages.push(cage);
            }
            _ => return Err(describe(name, arguments)),
        }
    }
    if board.around.iter().any(|side| !side.is_empty()) || !board.areas.is_empty() {
        return Err("sums or areas beside several grids".to_owned());
    }
    let regions: Vec<Value> = regions.iter().map(|region| pairs(region)).collect();
    Ok(json!({ "metadata": { "norowcol": true }, "cells": cells, "regions": regions, "cages": cages }))
}
