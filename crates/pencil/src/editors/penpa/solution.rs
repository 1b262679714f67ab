//! Solutions and marks of players: atoms and what penpa-edit draws for them.

use std::collections::{BTreeMap, BTreeSet};

use asp::{Symbol, Term, signature_of};
use serde_json::{Value, json};

use super::super::super::board::{Cell, GridBoard};
use super::super::super::header::Header;
use super::drawing::{DrawnElements, DrawnSpot, Lettering, centre, describe};
use super::file::DrawingFile;
use super::look::Look;
use super::points::{DrawnPlace, GridPoint, PointNumbering};
use super::reading::beside;

/// The lists of a solution in penpa-edit: cells, lines, edges, bars, numbers and symbols.
pub type SolutionLists = [BTreeSet<String>; 6];

const CELLS: usize = 0;
const LINES: usize = 1;
const EDGES: usize = 2;
const BARS: usize = 3;
const NUMBERS: usize = 4;
const SYMBOLS: usize = 5;

/// Symbols of solutions: the predicate and the last argument of the atom, the symbol and its shape,
/// the letter of the answer check, and the name of its setting.
const SOLUTION_SYMBOLS: [(&str, &str, &str, i64, char, &str); 15] = [
    ("white", "", "circle_M", 1, 'A', "circle"),
    ("black", "", "circle_M", 2, 'A', "circle"),
    ("pillow", "", "circle_M", 1, 'A', "circle"),
    ("half", "nw", "tri", 1, 'B', "tri"),
    ("half", "sw", "tri", 2, 'B', "tri"),
    ("half", "se", "tri", 3, 'B', "tri"),
    ("half", "ne", "tri", 4, 'B', "tri"),
    ("arrow", "<", "arrow_S", 1, 'C', "arrow"),
    ("arrow", "^", "arrow_S", 3, 'C', "arrow"),
    ("arrow", ">", "arrow_S", 5, 'C', "arrow"),
    ("arrow", "v", "arrow_S", 7, 'C', "arrow"),
    ("star", "", "star", 1, 'E', "star"),
    ("tent", "", "tents", 2, 'F', "tent"),
    ("bulb", "", "sun_moon", 3, 'H', "akari"),
    ("mine", "", "sun_moon", 4, 'I', "mine"),
];

/// An element of a solution.
enum Element {
    Cell(Cell),
    /// A line between adjacent cells, single or double.
    Line(DrawnPlace, DrawnPlace, i32),
    Edge(DrawnPlace, DrawnPlace),
    Bar(DrawnPlace, DrawnPlace),
    Number(Cell, String),
    /// The index of a symbol in [`SOLUTION_SYMBOLS`].
    Symbol(Cell, usize),
}

/// Returns the elements for an atom of an answer.
fn elements(atom: Symbol) -> Vec<Element> {
    let Some((name, _)) = signature_of(atom) else { return Vec::new() };
    let arguments: Vec<Term> = atom.arguments().unwrap_or_default().into_iter().map(Term::of).collect();
    let numbers: Vec<usize> = arguments.iter().map_while(|term| usize::try_from(term.number()?).ok()).collect();
    let corner = |row: usize, column: usize| (2 * row as i64 - 2, 2 * column as i64 - 2);
    let last = arguments.last().map(Term::text).unwrap_or_default();
    match (name, &numbers[..]) {
        ("shaded", &[row, column]) => vec![Element::Cell((row, column))],
        ("line", &[row, column, other_row, other_column]) => {
            vec![Element::Line(centre((row, column)), centre((other_row, other_column)), 1)]
        }
        ("bridges", &[row, column, other_row, other_column, count]) => {
            let (from, to) = (centre((row, column)), centre((other_row, other_column)));
            let step = (2 * (to.0 - from.0).signum(), 2 * (to.1 - from.1).signum());
            let steps = ((to.0 - from.0).abs().max((to.1 - from.1).abs())) / 2;
            let at = |index: i64| (from.0 + index * step.0, from.1 + index * step.1);
            (0..steps).map(|index| Element::Line(at(index), at(index + 1), count as i32)).collect()
        }
        ("edge", &[row, column, other_row, other_column]) => {
            vec![Element::Edge(corner(row, column), corner(other_row, other_column))]
        }
        ("border", &[row, column, other_row, other_column]) => vec![border((row, column), (other_row, other_column))],
        ("rectangle", &[top, left, bottom, right]) => {
            let right_side = (top..=bottom).map(|row| border((row, right), (row, right + 1)));
            let lower_side = (left..=right).map(|column| border((bottom, column), (bottom + 1, column)));
            right_side.chain(lower_side).collect()
        }
        ("slash", &[row, column]) if last == "\\" => {
            vec![Element::Edge(corner(row, column), corner(row + 1, column + 1))]
        }
        ("slash", &[row, column]) => vec![Element::Edge(corner(row, column + 1), corner(row + 1, column))],
        ("bar", &[row, column]) => {
            let (y, x) = centre((row, column));
            let (from, to) = if last == "-" { ((y, x - 1), (y, x + 1)) } else { ((y - 1, x), (y + 1, x)) };
            vec![Element::Bar(from, to)]
        }
        ("number" | "digit", &[row, column, _]) | ("letter", &[row, column]) => {
            vec![Element::Number((row, column), last)]
        }
        (_, &[row, column]) => {
            let last = if arguments.len() > 2 { last } else { String::new() };
            let known = SOLUTION_SYMBOLS.iter().position(|&(known, value, ..)| known == name && value == last);
            known.map(|index| Element::Symbol((row, column), index)).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

fn border(one: Cell, other: Cell) -> Element {
    let ((y, x), (v, u)) = (centre(one), centre(other));
    if y == v {
        Element::Edge((y - 1, (x + u) / 2), (y + 1, (x + u) / 2))
    } else {
        Element::Edge(((y + v) / 2, x - 1), ((y + v) / 2, x + 1))
    }
}

/// Returns the lists of a solution, and the settings of its answer check.
pub fn lists(
    atoms: &[Symbol],
    board: &GridBoard,
    numbering: PointNumbering,
    has_frame: bool,
) -> (SolutionLists, Vec<&'static str>) {
    let mut lists = SolutionLists::default();
    let mut checks = BTreeSet::new();
    let (rows, columns) = (2 * board.rows as i64, 2 * board.columns as i64);
    let is_on_board = |(y, x): DrawnPlace| (0..=rows).contains(&y) && (0..=columns).contains(&x);
    let is_inner = |(y, x): DrawnPlace| (1..rows).contains(&y) && (1..columns).contains(&x);
    let key = |from: DrawnPlace, to: DrawnPlace| {
        let [one, other] = [from, to].map(|end| numbering.number(GridPoint::At(end)));
        format!("{},{}", one.min(other), one.max(other))
    };
    for element in atoms.iter().flat_map(|&atom| elements(atom)) {
        let number = |cell: Cell| numbering.number(GridPoint::At(centre(cell)));
        let (list, text, check) = match element {
            Element::Cell(cell) => (CELLS, number(cell).to_string(), "surface"),
            Element::Line(from, to, count) if is_on_board(from) && is_on_board(to) => {
                (LINES, format!("{},{count}", key(from, to)), "loopline")
            }
            Element::Edge(from, to) => {
                let middle @ (y, x) = ((from.0 + to.0) / 2, (from.1 + to.1) / 2);
                // Given borders and the frame are not checked.
                let is_given = (y + x) % 2 == 1 && is_inner(middle) && board.walls.contains(&beside(middle));
                if is_given || has_frame && !is_inner(middle) {
                    continue;
                }
                (EDGES, format!("{},1", key(from, to)), "loopedge")
            }
            Element::Bar(from, to) => (BARS, key(from, to), "wall"),
            Element::Number(cell, text) if !board.signs.contains_key(&cell) => {
                (NUMBERS, format!("{},{text}", number(cell)), "number")
            }
            Element::Symbol(cell, index) => {
                let (_, _, _, shape, letter, check) = SOLUTION_SYMBOLS[index];
                (SYMBOLS, format!("{},{shape}{letter}", number(cell)), check)
            }
            Element::Line(..) | Element::Number(..) => continue,
        };
        lists[list].insert(text);
        checks.insert(check);
    }
    (lists, checks.into_iter().collect())
}

/// Returns the lists as JSON. JavaScript sorts texts by their UTF-16 units, as these ASCII texts are.
pub fn to_json(lists: &SolutionLists) -> Value {
    json!(lists)
}

/// Reads the solution in an address. Returns `None` if there is none.
pub fn read(file: &DrawingFile) -> Result<Option<SolutionLists>, String> {
    if file.solution.is_null() {
        return Ok(None);
    }
    let wrong = || "an address of penpa-edit whose solution cannot be read".to_owned();
    let given = file.solution.as_array().ok_or_else(wrong)?;
    let mut lists = SolutionLists::default();
    for (index, list) in given.iter().enumerate() {
        let list = list.as_array().ok_or_else(wrong)?;
        let target = match file.alternatives.get(index) {
            // Only the first of several ways to write the solution is read.
            Some(_) if index > 0 => break,
            Some(name) => list_of(name).ok_or_else(wrong)?,
            None => index,
        };
        let text = |item: &Value| match item {
            Value::String(text) => Some(text.clone()),
            // A cell and its exact colour.
            Value::Array(parts) => parts.first().map(Value::to_string),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        };
        let texts = list.iter().map(text).collect::<Option<BTreeSet<String>>>().ok_or_else(wrong)?;
        lists.get_mut(target).ok_or_else(wrong)?.extend(texts);
    }
    Ok(Some(lists))
}

/// Returns the list of a solution that a setting of the answer check names.
fn list_of(check: &str) -> Option<usize> {
    Some(match check {
        "surface" | "surface_exact" | "square" => CELLS,
        "loopline" | "loopline_exact" => LINES,
        "loopedge" | "loopedge_exact" => EDGES,
        "wall" => BARS,
        "number" => NUMBERS,
        _ => return None,
    })
}

/// Returns what the author has drawn of a solution. Returns `None` if it is nothing.
pub fn drawn(file: &DrawingFile) -> Option<SolutionLists> {
    let mut lists = SolutionLists::default();
    let layer = |name: &str| file.player_layers[name].as_object().into_iter().flatten();
    for (key, color) in layer("surface") {
        if [1, 3, 4, 8].iter().any(|shade| *color == json!(shade)) {
            lists[CELLS].insert(key.clone());
        }
    }
    for (list, name) in [(LINES, "line"), (EDGES, "lineE")] {
        let is_given = |key: &String| file.layers[name].get(key).is_some();
        let ends = layer(name).filter(|(key, _)| key.contains(',') && !is_given(key));
        lists[list].extend(ends.map(|(key, style)| format!("{key},{}", if *style == json!(30) { 2 } else { 1 })));
    }
    lists[BARS].extend(layer("wall").map(|(key, _)| key.clone()));
    for (key, value) in layer("number") {
        let text = match (&value[0], value[2].as_str()) {
            (Value::String(text), Some("1" | "10")) => text.trim().to_owned(),
            (Value::Number(number), Some("1" | "10")) => number.to_string(),
            _ => continue,
        };
        lists[NUMBERS].insert(format!("{key},{text}"));
    }
    for (key, value) in layer("symbol") {
        let known = SOLUTION_SYMBOLS.iter().find(|&&(_, _, name, shape, ..)| value[1] == name && value[0] == shape);
        lists[SYMBOLS].extend(known.map(|(_, _, _, shape, letter, _)| format!("{key},{shape}{letter}")));
    }
    lists.iter().any(|list| !list.is_empty()).then_some(lists)
}

/// Returns the parts of two solutions that can be compared: without given numbers, and without the
/// frame of the board unless both have a part of it.
pub fn comparable(
    theirs: &SolutionLists,
    ours: &SolutionLists,
    board: &GridBoard,
    numbering: PointNumbering,
) -> [SolutionLists; 2] {
    let (rows, columns) = (2 * board.rows as i64, 2 * board.columns as i64);
    let position = |text: &str| match numbering.point(text.parse().ok()?)? {
        GridPoint::At(position) => Some(position),
        _ => None,
    };
    let middle = |edge: &String| {
        let mut ends = edge.split(',').map_while(position);
        let (from, to) = (ends.next()?, ends.next()?);
        Some(((from.0 + to.0) / 2, (from.1 + to.1) / 2))
    };
    let is_inner = |(y, x): DrawnPlace| (1..rows).contains(&y) && (1..columns).contains(&x);
    let has_frame = |lists: &SolutionLists| lists[EDGES].iter().filter_map(middle).any(|middle| !is_inner(middle));
    let have_frame = has_frame(theirs) && has_frame(ours);
    let is_compared = |edge: &String| {
        middle(edge).is_none_or(|middle| {
            let is_given = is_inner(middle) && (middle.0 + middle.1) % 2 == 1 && board.walls.contains(&beside(middle));
            !is_given && (have_frame || is_inner(middle))
        })
    };
    let is_found = |number: &String| {
        let at = number.split(',').next().and_then(position);
        at.is_none_or(|(y, x)| {
            !is_inner((y, x)) || !board.signs.contains_key(&((y as usize).div_ceil(2), (x as usize).div_ceil(2)))
        })
    };
    [theirs, ours].map(|lists| {
        let mut lists = lists.clone();
        lists[EDGES].retain(is_compared);
        lists[NUMBERS].retain(is_found);
        lists
    })
}

/// Compares a solution with an answer. Returns the first difference: `Ok` if there is one, `Err` if
/// they have nothing in common that could be compared. If `is_partial`, nothing is missing in
/// `theirs`.
pub fn difference(
    theirs: &SolutionLists,
    ours: &SolutionLists,
    numbering: PointNumbering,
    is_partial: bool,
) -> Option<Result<String, ()>> {
    let place = |text: &str| {
        let number = text.split(',').next().and_then(|number| number.parse().ok());
        number.and_then(|number| numbering.point(number)).map_or(String::new(), describe)
    };
    const NOUNS: [&str; 6] = ["a shaded cell", "a line", "an edge", "a bar", "a number", "a symbol"];
    let mut compared = false;
    for (list, noun) in NOUNS.iter().enumerate() {
        if theirs[list].is_empty() || ours[list].is_empty() {
            continue;
        }
        compared = true;
        if let Some(extra) = theirs[list].difference(&ours[list]).next() {
            return Some(Ok(format!("it has {noun} {}, and ours does not", place(extra))));
        }
        if let Some(missing) = ours[list].difference(&theirs[list]).next().filter(|_| !is_partial) {
            return Some(Ok(format!("ours has {noun} {}, and it does not", place(missing))));
        }
    }
    let is_empty = |lists: &SolutionLists| lists.iter().all(BTreeSet::is_empty);
    (!compared && !is_empty(theirs)).then_some(Err(()))
}

/// Returns the marks of a player as literals. Notes and colours are no marks.
pub fn marks(drawing: &DrawnElements, header: &Header) -> BTreeMap<Vec<usize>, String> {
    let shown: Vec<&str> =
        header.lines("Output").iter().filter_map(|line| asp::syntax::predicates(line).next()).collect();
    let has = |name: &str| shown.contains(&name);
    let mut marks = BTreeMap::new();
    let on_board =
        |(y, x): DrawnPlace| (1..2 * drawing.size.0 as i64).contains(&y) && (1..2 * drawing.size.1 as i64).contains(&x);
    for (&position, spot) in drawing.spots.iter().filter(|(position, _)| on_board(**position)) {
        if position.0 % 2 == 0 || position.1 % 2 == 0 {
            continue;
        }
        let cell = ((position.0 as usize).div_ceil(2), (position.1 as usize).div_ceil(2));
        if let Some(literal) = literal_of_cell(cell, spot, &shown) {
            marks.insert(vec![cell.0, cell.1], literal);
        }
    }
    let mut pair = |name: &str, one: Cell, other: Cell, is_true: bool| {
        let not = if is_true { "" } else { "not " };
        let cells = vec![one.0, one.1, other.0, other.1];
        marks.entry(cells).or_insert_with(|| format!("{not}{name}({},{},{},{})", one.0, one.1, other.0, other.1));
    };
    let cell = |(y, x): DrawnPlace| ((y as usize).div_ceil(2), (x as usize).div_ceil(2));
    if has("line") {
        let steps = drawing.lines.keys().filter(|(from, to)| on_board(*from) && on_board(*to));
        steps.for_each(|&(from, to)| pair("line", cell(from), cell(to), true));
    }
    let edges = || drawing.borders.iter().chain(&drawing.dashes);
    let corners = |(y, x): DrawnPlace| {
        let corner = |y: i64, x: i64| (y as usize / 2 + 1, x as usize / 2 + 1);
        if y % 2 == 0 { (corner(y, x - 1), corner(y, x + 1)) } else { (corner(y - 1, x), corner(y + 1, x)) }
    };
    let inside = |&&(y, x): &&DrawnPlace| {
        (0..=2 * drawing.size.0 as i64).contains(&y) && (0..=2 * drawing.size.1 as i64).contains(&x)
    };
    let sides = || drawing.crosses.iter().filter(inside).filter(|(y, x)| (y + x) % 2 == 1);
    if has("edge") {
        edges().filter(inside).for_each(|&edge| {
            let (one, other) = corners(edge);
            pair("edge", one, other, true);
        });
        sides().for_each(|&edge| {
            let (one, other) = corners(edge);
            pair("edge", one, other, false);
        });
    } else if let Some(name) = ["border", "line"].into_iter().find(|name| has(name)) {
        if name == "border" {
            edges().filter(|edge| on_board(**edge)).for_each(|&edge| {
                let (one, other) = beside(edge);
                pair("border", one, other, true);
            });
        }
        sides().filter(|edge| on_board(**edge)).for_each(|&edge| {
            let (one, other) = beside(edge);
            pair(name, one, other, false);
        });
    }
    marks
}

/// Returns the literal that a player's mark in a cell states.
fn literal_of_cell((row, column): Cell, spot: &DrawnSpot, shown: &[&str]) -> Option<String> {
    let has = |name: &str| shown.contains(&name);
    if let Some(name) = ["number", "digit", "letter"].into_iter().find(|name| has(name)) {
        let text = spot.letters.iter().find_map(|it| if let Lettering::Text(text, _) = it { Some(text) } else { None });
        if let Some(text) = text {
            let is_number = !text.is_empty() && text.len() < 6 && text.bytes().all(|digit| digit.is_ascii_digit());
            let is_letter = name == "letter" && text.len() == 1 && text.bytes().all(|it| it.is_ascii_alphabetic());
            return match (is_number, is_letter) {
                (true, _) if name != "letter" => Some(format!("{name}({row},{column},{text})")),
                (_, true) => Some(format!("{name}({row},{column},\"{}\")", text.to_uppercase())),
                _ => None,
            };
        }
    }
    for look in &spot.looks {
        let shaded = has("shaded").then_some("shaded");
        let placed = ["star", "bulb", "tent", "mine"].into_iter().find(|name| has(name)).or(shaded);
        let literal = match look {
            Look::Surface(1 | 3 | 4 | 8) => shaded.map(|name| format!("{name}({row},{column})")),
            Look::Surface(2) => shaded.map(|name| format!("not {name}({row},{column})")),
            Look::Symbol(name, 2) if name == "square_LL" => shaded.map(|name| format!("{name}({row},{column})")),
            // A cross or a dot.
            Look::Symbol(name, shape)
                if (name.as_str(), *shape) == ("star", 0) || name.starts_with("ox_") && matches!(shape, 4 | 8) =>
            {
                placed.map(|name| format!("not {name}({row},{column})"))
            }
            Look::Symbol(name, shape) => SOLUTION_SYMBOLS.iter().find_map(|&(predicate, value, symbol, known, ..)| {
                let is_star = symbol == "star" && (1..=3).contains(shape);
                let is_same = symbol == name && (known == *shape || is_star);
                let value = match value {
                    "" => String::new(),
                    "nw" | "ne" | "sw" | "se" => format!(",{value}"),
                    _ => format!(",\"{value}\""),
                };
                (is_same && has(predicate)).then(|| format!("{predicate}({row},{column}{value})"))
            }),
            _ => None,
        };
        if literal.is_some() {
            return literal;
        }
    }
    None
}
