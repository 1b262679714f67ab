//! The clues of a Sudoku in SudokuPad, which has only drawings. They are read if they look as
//! SudokuPad draws the constraints of f-puzzles; any other drawing is an error, since it may change
//! the rules.
//!
//! | drawing | place | constraint |
//! |---|---|---|
//! | `X` or `V` | between two cells | `xv` |
//! | a small black or white disc | between two cells | `ratio`, `difference` |
//! | digits in a circle | between four cells | `quadruple` |
//! | a number on white, with or without an arrow | beside the board | `littlekillersum`, `sandwichsum` |
//! | a grey square or disc | in a cell | `even`, `odd` |
//! | a grey line, with or without a bulb | from cell to cell | `thermometer`, `palindrome` |
//! | a blue line | from corner to corner | `diagonal-`, `diagonal+` |

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::super::fields::{Field, Fields, not_supported};
use super::constraints::DIRECTIONS;

/// Keys of drawings that do not change the rules.
const COSMETIC_KEYS: [&str; 14] = [
    "fontSize",
    "fs",
    "borderSize",
    "stroke",
    "textStroke",
    "textColor",
    "opacity",
    "angle",
    "headLength",
    "hl",
    "target",
    "id",
    "class",
    "role",
];
const GREY: &str = "#CFCFCF";
const WHITE: &str = "#FFFFFF";
const BLUE: &str = "#34BBE6";

/// A point in half cells: the centre of the first cell is (1, 1).
type Point = (i64, i64);

/// A shape or a text.
struct Shape {
    path: String,
    center: Point,
    text: String,
    width: f64,
    is_rounded: bool,
    fill: String,
    border: String,
}

/// A line or an arrow.
struct DrawnPath {
    points: Vec<(f64, f64)>,
    color: String,
    thickness: f64,
}

/// Constraints of f-puzzles, by key.
#[derive(Default)]
pub(super) struct DrawnClues {
    lists: BTreeMap<String, Vec<Value>>,
    flags: BTreeSet<String>,
}

impl DrawnClues {
    /// Reads the drawings of a board.
    pub fn read(board: &mut Fields<'_>, side: usize) -> Result<DrawnClues, String> {
        let mut clues = DrawnClues::default();
        for name in list(board.take("global"))? {
            clues.add_global(&name)?;
        }
        let mut bulbs = BTreeSet::new();
        let mut outside = BTreeMap::new();
        for (key, short) in [("underlays", "u"), ("overlays", "o")] {
            for shape in list(board.take_either(key, short))? {
                let shape = read_shape(&shape)?;
                clues.add_shape(shape, side as i64, &mut bulbs, &mut outside)?;
            }
        }
        for arrow in list(board.take_either("arrows", "a"))? {
            clues.add_arrow(&arrow, &mut outside)?;
        }
        for (place, shape) in outside {
            if [&shape.fill, &shape.border].iter().any(|color| *color != WHITE) {
                return Err(not_supported(&shape.path));
            }
            clues.push("sandwichsum", json!({ "cell": cell_name(place), "value": shape.text }));
        }
        for line in list(board.take_either("lines", "l"))? {
            clues.add_line(&line, side as i64, &mut bulbs)?;
        }
        match bulbs.is_empty() {
            true => Ok(clues),
            false => Err("a bulb without a line, which may change the rules".to_owned()),
        }
    }

    /// Returns the constraints as keys and values of f-puzzles.
    pub fn constraints(self) -> impl Iterator<Item = (String, Value)> {
        let lists = self.lists.into_iter().map(|(key, list)| (key, Value::from(list)));
        lists.chain(self.flags.into_iter().map(|key| (key, Value::from(true))))
    }

    /// Adds a constraint without clues.
    pub fn add_flag(&mut self, key: &str) {
        self.flags.insert(key.to_owned());
    }

    fn push(&mut self, key: &str, value: Value) {
        self.lists.entry(key.to_owned()).or_default().push(value);
    }

    fn add_global(&mut self, name: &Field<'_>) -> Result<(), String> {
        match name.text()? {
            key @ ("antiknight" | "antiking" | "nonconsecutive") => self.add_flag(key),
            "disjoint" => self.add_flag("disjointgroups"),
            other => match other.strip_prefix("anti").filter(|key| ["xv", "ratio", "difference"].contains(key)) {
                Some(key) => self.push("negative", json!(key)),
                None => return Err(name.wrong("a rule such as antiknight")),
            },
        }
        Ok(())
    }

    /// Adds a shape, the bulb of a line, or a number beside the board.
    fn add_shape(
        &mut self,
        shape: Shape,
        side: i64,
        bulbs: &mut BTreeSet<Point>,
        outside: &mut BTreeMap<Point, Shape>,
    ) -> Result<(), String> {
        let (y, x) = shape.center;
        let is_inside = [y, x].iter().all(|at| (1..2 * side).contains(at));
        let is_wide = |width: f64| (shape.width - width).abs() < 0.01;
        let around = |at: i64| if at % 2 == 0 { vec![at / 2, at / 2 + 1] } else { vec![(at + 1) / 2] };
        let cells: Vec<String> = around(y)
            .into_iter()
            .flat_map(|row| around(x).into_iter().map(move |column| format!("R{row}C{column}")))
            .collect();
        match (&shape.text[..], cells.len()) {
            ("", 1) if is_inside && shape.fill != GREY && is_wide(1.0) && !shape.is_rounded => {}
            ("", 1) if is_inside && shape.fill == GREY && is_wide(0.7) => {
                self.push(if shape.is_rounded { "odd" } else { "even" }, json!({ "cell": cells[0] }));
            }
            ("", 1) if is_inside && shape.fill == GREY && is_wide(0.85) && shape.is_rounded => {
                bulbs.insert(shape.center);
            }
            ("X" | "V", 2) if is_inside => self.push("xv", json!({ "cells": cells, "value": shape.text })),
            (value, 2) if is_inside && shape.is_rounded && shape.width < 0.5 => {
                let key = match &shape.fill[..] {
                    "#000000" => "ratio",
                    WHITE => "difference",
                    _ => return Err(not_supported(&shape.path)),
                };
                self.push(key, json!({ "cells": cells, "value": value }));
            }
            (text, 4) if is_inside && shape.is_rounded && !text.is_empty() => {
                let signs = text.chars().filter(|sign| !sign.is_whitespace());
                let values: Option<Vec<u32>> = signs.map(|sign| sign.to_digit(10)).collect();
                let values = values.ok_or_else(|| not_supported(&shape.path))?;
                self.push("quadruple", json!({ "cells": cells, "values": values }));
            }
            (text, 1) if !is_inside && text.parse::<u32>().is_ok() => {
                outside.insert(shape.center, shape);
            }
            _ => return Err(not_supported(&shape.path)),
        }
        Ok(())
    }

    /// Adds the arrow of a number beside the board, and takes the number from `outside`.
    fn add_arrow(&mut self, arrow: &Field<'_>, outside: &mut BTreeMap<Point, Shape>) -> Result<(), String> {
        let DrawnPath { points, .. } = read_path(arrow)?;
        let [from, to] = points[..] else { return Err(not_supported(arrow.path())) };
        let place = (2 * from.0.floor() as i64 + 1, 2 * from.1.floor() as i64 + 1);
        let step = ((to.0 - from.0).signum() as i64, (to.1 - from.1).signum() as i64);
        let direction = DIRECTIONS.iter().find(|(_, down, right)| (*down, *right) == step);
        let clue = outside.remove(&place).zip(direction);
        let (shape, (name, ..)) = clue.ok_or_else(|| not_supported(arrow.path()))?;
        self.push("littlekillersum", json!({ "cell": cell_name(place), "direction": name, "value": shape.text }));
        Ok(())
    }

    fn add_line(&mut self, line: &Field<'_>, side: i64, bulbs: &mut BTreeSet<Point>) -> Result<(), String> {
        let DrawnPath { points, color, thickness } = read_path(line)?;
        let points: Vec<Point> =
            points.into_iter().map(|(y, x)| ((2.0 * y).round() as i64, (2.0 * x).round() as i64)).collect();
        let end = 2 * side;
        match points[..] {
            [(0, 0), (bottom, right)] if color == BLUE && bottom == end && right == end => self.add_flag("diagonal-"),
            [(0, right), (bottom, 0)] if color == BLUE && bottom == end && right == end => self.add_flag("diagonal+"),
            [first, ..] if color == GREY && points.iter().all(|(y, x)| y % 2 == 1 && x % 2 == 1) => {
                let is_step = |pair: &[Point]| {
                    let distance = (pair[0].0 - pair[1].0).abs().max((pair[0].1 - pair[1].1).abs());
                    distance == 2
                };
                let key = match thickness as i64 {
                    21 if bulbs.remove(&first) => "thermometer",
                    16 => "palindrome",
                    _ => return Err(not_supported(line.path())),
                };
                if !points.windows(2).all(is_step) {
                    return Err(line.wrong("a line from each cell to a neighbour"));
                }
                let cells: Vec<String> = points.into_iter().map(cell_name).collect();
                self.push(key, json!({ "lines": [cells] }));
            }
            _ => return Err(not_supported(line.path())),
        }
        Ok(())
    }
}

fn list(field: Option<Field<'_>>) -> Result<Vec<Field<'_>>, String> {
    field.map_or(Ok(Vec::new()), |field| field.list())
}

/// The name of a cell in f-puzzles, by its centre. Places beside the board have names, too.
fn cell_name((y, x): Point) -> String {
    format!("R{}C{}", (y + 1) / 2, (x + 1) / 2)
}

/// Reads a list of two numbers, a place in cells.
fn coordinates(field: &Field<'_>) -> Result<(f64, f64), String> {
    let numbers: Option<Vec<f64>> = field.value.as_array().and_then(|list| list.iter().map(Value::as_f64).collect());
    match numbers.as_deref() {
        Some(&[y, x]) if y.abs() < 1e6 && x.abs() < 1e6 => Ok((y, x)),
        _ => Err(field.wrong("two numbers")),
    }
}

fn read_shape(shape: &Field<'_>) -> Result<Shape, String> {
    let path = shape.path().to_owned();
    shape.object(|fields| {
        fields.skip(&COSMETIC_KEYS);
        fields.skip(&["color", "c", "thickness", "th"]);
        let center =
            fields.take_either("center", "ct").ok_or_else(|| format!("`{}` is missing", fields.path_of("center")))?;
        let (y, x) = coordinates(&center)?;
        if [y, x].iter().any(|at| (2.0 * at - (2.0 * at).round()).abs() > 0.05) {
            return Err(not_supported(&path));
        }
        let center = ((2.0 * y).round() as i64, (2.0 * x).round() as i64);
        let mut word = |key: &str, short: &str| -> Result<String, String> {
            let field = fields.take_stated(key, short);
            field.map_or(Ok(String::new()), |field| match field.value {
                Value::Number(number) => Ok(number.to_string()),
                _ => field.text().map(str::to_owned),
            })
        };
        let (text, fill, border) = (word("text", "te")?, word("backgroundColor", "c2")?, word("borderColor", "c1")?);
        let width = fields.take_either("width", "w").and_then(|width| width.value.as_f64()).unwrap_or_default();
        fields.skip(&["height", "h"]);
        let is_rounded = fields.take_either("rounded", "r").map_or(Ok(false), |rounded| rounded.flag())?;
        let [fill, border] = [fill, border].map(|color| color.to_ascii_uppercase());
        Ok(Shape { path, center, text, width, is_rounded, fill, border })
    })
}

fn read_path(line: &Field<'_>) -> Result<DrawnPath, String> {
    line.object(|fields| {
        fields.skip(&COSMETIC_KEYS);
        let points = fields.take_either("wayPoints", "wp");
        let points = points.ok_or_else(|| format!("`{}` is missing", fields.path_of("wayPoints")))?;
        let points = points.list()?.iter().map(coordinates).collect::<Result<_, _>>()?;
        let color = fields.take_either("color", "c").and_then(|color| color.text().ok()).unwrap_or_default();
        let thickness = fields.take_either("thickness", "th").and_then(|thickness| thickness.value.as_f64());
        Ok(DrawnPath { points, color: color.to_ascii_uppercase(), thickness: thickness.unwrap_or_default() })
    })
}
