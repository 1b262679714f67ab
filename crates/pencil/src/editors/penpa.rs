//! Drawings of penpa-edit: base64, raw deflate, then lines of settings, layers and cells.

use base::words;
use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use serde_json::Value;

use super::super::board::check_size;
use super::super::fields::{Field, is_empty, not_supported};
use super::editor_board::{EditorBoard, Item};

/// Maximum size of a decompressed drawing, in bytes.
const MAX_DECOMPRESSED: usize = 1 << 24;

/// Layers of drawings in penpa-edit that do not change the rules.
const COSMETIC_KEYS_OF_PENPA: [&str; 3] = ["command_redo", "command_undo", "command_replay"];

/// Expands the abbreviations of penpa-edit, which consist of `z` and a character.
fn expand_abbreviations(text: &str) -> String {
    const WORDS: [(char, &str); 29] = [
        ('9', "qa"),
        ('Q', "pu_q"),
        ('A', "pu_a"),
        ('G', "grid"),
        ('M', "edit_mode"),
        ('S', "surface"),
        ('L', "line"),
        ('E', "lineE"),
        ('W', "wall"),
        ('C', "cage"),
        ('N', "number"),
        ('Y', "symbol"),
        ('P', "special"),
        ('B', "board"),
        ('R', "command_redo"),
        ('U', "command_undo"),
        ('8', "command_replay"),
        ('1', "numberS"),
        ('F', "freeline"),
        ('2', "freelineE"),
        ('T', "thermo"),
        ('3', "arrows"),
        ('D', "direction"),
        ('0', "squareframe"),
        ('5', "polygon"),
        ('4', "deletelineE"),
        ('6', "killercages"),
        ('7', "nobulbthermo"),
        ('_', "__a"),
    ];
    let mut pieces = text.split('z');
    let mut expanded = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let mut rest = piece.chars();
        let letter = rest.next();
        match WORDS.iter().find(|(known, _)| Some(*known) == letter) {
            Some((_, word)) => expanded += &format!("\"{word}\"{}", rest.as_str()),
            None if letter == Some('O') => expanded += &format!("null{}", rest.as_str()),
            None if letter == Some('Z') => expanded += &format!("z{}", rest.as_str()),
            None => expanded += &format!("z{piece}"),
        }
    }
    expanded
}

fn damaged(what: &str) -> String {
    format!("an address of penpa-edit whose drawing cannot be decompressed: {what}")
}

/// Returns the lines of a drawing.
fn decompress(packed: &str) -> Result<String, String> {
    let config = GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    let bytes = GeneralPurpose::new(&STANDARD, config).decode(packed).map_err(|error| damaged(&error.to_string()))?;
    let bytes = miniz_oxide::inflate::decompress_to_vec_with_limit(&bytes, MAX_DECOMPRESSED)
        .map_err(|error| damaged(&error.to_string()))?;
    Ok(expand_abbreviations(&String::from_utf8(bytes).map_err(|_| damaged("not valid UTF-8"))?))
}

pub(super) fn penpa(packed: &str) -> Result<EditorBoard, String> {
    let text = decompress(packed)?;
    let lines: Vec<&str> = text.split('\n').collect();
    let line = |number: usize| lines.get(number).copied().unwrap_or_default();
    let head: Vec<&str> = line(0).split(',').collect();
    let kind = head[0];
    if !["square", "sudoku", "kakuro"].contains(&kind) {
        return Err(format!(
            "a drawing of penpa-edit on a grid `{}`; expected a grid of squares",
            words::preview(kind)
        ));
    }
    let natural = |at: usize| {
        head.get(at).and_then(|number| number.parse::<i64>().ok()).filter(|number| (1..=1000).contains(number))
    };
    let (Some(width), Some(height)) = (natural(1), natural(2)) else { return Err(damaged("no size")) };
    let margins: Vec<i64> = serde_json::from_str(line(1)).map_err(|error| damaged(&error.to_string()))?;
    let margins = margins.iter().all(|margin| (0..1000).contains(margin)).then_some(margins).filter(|it| it.len() == 4);
    let margins = margins.ok_or_else(|| damaged("no margins"))?;
    let margin = |at: usize| margins[at];
    // Settings for white cells around the board, and for diagonals.
    if kind == "sudoku" && [11, 12].iter().any(|&at| head.get(at).is_some_and(|setting| *setting != "0")) {
        return Err("a drawing of penpa-edit with unsupported Sudoku settings".to_owned());
    }
    let (rows, columns) = (height - margin(0) - margin(1), width - margin(2) - margin(3));
    let (Ok(rows), Ok(columns)) = (usize::try_from(rows), usize::try_from(columns)) else {
        return Err(damaged("no size"));
    };
    check_size(rows, columns)?;
    let drawn: Value = serde_json::from_str(line(3)).map_err(|error| damaged(&error.to_string()))?;
    // The cells of the grid, as differences between the numbers of successive cells.
    let cells: Vec<i64> = serde_json::from_str(line(5)).map_err(|error| damaged(&error.to_string()))?;
    if cells.len() != rows * columns {
        return Err(format!("a drawing of penpa-edit with {} cells on {}", cells.len(), words::size(rows, columns)));
    }
    let names = possible_names(kind, line(17), line(0))?;
    let mut result = EditorBoard { names, size: (rows, columns), ..EditorBoard::default() };
    // Two rows and columns of points surround the cells.
    let grid = PenpaGrid { width: width + 4, points: (width + 4) * (height + 4), margins: (margin(0), margin(2)) };
    read_layers(&mut result, grid, &drawn)?;
    if kind == "kakuro" {
        // The first row and column are black even if they are not drawn as black.
        let rows = (0..height).map(|row| (row + 2) * (width + 4) + 2);
        let columns = (0..width).map(|column| 2 * (width + 4) + column + 2);
        for point in rows.chain(columns) {
            result.add_item(grid.place(point), Item::Symbol(kind.to_owned(), 0));
        }
    }
    Ok(result)
}

/// Returns the possible names of the puzzle: its tags, the kind of its grid, and words of its title.
fn possible_names(kind: &str, tags: &str, head: &str) -> Result<Vec<String>, String> {
    let mut names = Vec::new();
    // Tags can name the puzzle.
    for tag in serde_json::from_str::<Vec<String>>(tags).unwrap_or_default() {
        if kind == "sudoku" && !["classic", "sudoku"].contains(&&*tag) {
            return Err(format!("a Sudoku with the unsupported tag `{tag}`"));
        }
        names.push(tag.clone());
        names.extend(tag.split(|sign: char| !sign.is_alphanumeric() && sign != ' ').map(str::to_owned));
    }
    names.extend((kind != "square").then(|| kind.to_owned()));
    names.extend(
        head.split("Title:")
            .nth(1)
            .and_then(|title| title.split(',').next())
            .into_iter()
            .flat_map(|title| title.split(|sign: char| !sign.is_alphanumeric()).map(str::to_owned).collect::<Vec<_>>()),
    );
    Ok(names)
}

fn read_layers(result: &mut EditorBoard, grid: PenpaGrid, drawn: &Value) -> Result<(), String> {
    Field::new("", drawn).object(|layers| {
        layers.skip(&COSMETIC_KEYS_OF_PENPA);
        let mut layer = |name: &str| layers.take(name).map_or(Ok(Vec::new()), |layer| layer.entries());
        for (key, field) in layer("number")? {
            result.add_item(grid.cell(key, &field)?, penpa_number(&field)?);
        }
        for (key, field) in layer("numberS")? {
            let (place, item) = penpa_corner(grid, key, &field)?;
            result.add_item(place, item);
        }
        for (key, field) in layer("symbol")? {
            let item = penpa_symbol(&field)?;
            result.add_item(grid.cell(key, &field)?, item);
        }
        for (key, field) in layer("surface")? {
            if *field.value != 4 {
                return Err(field.wrong("4, which is black: other colours are not supported"));
            }
            result.add_item(grid.cell(key, &field)?, Item::Black);
        }
        for (key, field) in layer("lineE")? {
            result.borders.push(penpa_border(grid, key, &field)?);
        }
        // Layers that are not read must be empty.
        let is_drawn = |layer: &Field<'_>| match layer.value {
            Value::Array(items) => !items.iter().all(is_empty),
            other => !is_empty(other),
        };
        layers.take_all().iter().find(|layer| is_drawn(layer)).map_or(Ok(()), |layer| Err(not_supported(layer.path())))
    })
}

/// Parses an item of the layer `numberS`. Each cell has four corners, whose numbers follow the first
/// 4 · `points` numbers.
fn penpa_corner(grid: PenpaGrid, key: &str, field: &Field<'_>) -> Result<((i64, i64), Item), String> {
    let corner = grid.number(key).filter(|corner| (4 * grid.points..8 * grid.points).contains(corner));
    let corner = corner.ok_or_else(|| not_supported(field.path()))?;
    let text = text_or_number(&field.at(0)).ok_or_else(|| field.wrong("a text"))?;
    Ok((grid.place(corner / 4 - grid.points), Item::Half((corner % 4) as usize, text)))
}

/// Parses an item of the layer `symbol`: a shape, as a number or as bits, and a name.
fn penpa_symbol(field: &Field<'_>) -> Result<Item, String> {
    let shape = field.at(0);
    let bits = shape.value.as_array().map(|bits| bits.iter().position(|bit| *bit == 1));
    let shape = match bits {
        Some(bit) => Some(1 + bit.unwrap_or(0) as i64),
        None => shape.value.as_i64(),
    };
    let shape = shape.ok_or_else(|| field.wrong("a shape and the name of a symbol"))?;
    let name = field.at(1).text().map_err(|_| field.wrong("a shape and the name of a symbol"))?.to_owned();
    Ok(Item::Symbol(name, shape))
}

/// The row and column of a corner of cells.
type Corner = (i64, i64);

/// Parses an item of the layer `lineE`, a border between two cells.
fn penpa_border(grid: PenpaGrid, key: &str, field: &Field<'_>) -> Result<(Corner, Corner), String> {
    // The number of a corner is `points` plus the number of the cell to its upper left.
    let corner = |text: &str| {
        let corner = grid.number(text)?.checked_sub(grid.points)?;
        (0..grid.points).contains(&corner).then_some(corner)
    };
    let ends = key.split_once(',').and_then(|(one, other)| Some((corner(one)?, corner(other)?)));
    let (one, other) = ends.ok_or_else(|| not_supported(field.path()))?;
    let (one, other) = (grid.place(one.min(other)), grid.place(one.max(other)));
    match (other.0 - one.0, other.1 - one.1) {
        (1, 0) => Ok((other, (other.0, other.1 + 1))),
        (0, 1) => Ok((other, (other.0 + 1, other.1))),
        _ => Err(not_supported(field.path())),
    }
}

/// The numbers that penpa-edit assigns to cells, and to the corners and borders between them.
#[derive(Clone, Copy)]
struct PenpaGrid {
    /// The number of points in a row.
    width: i64,
    /// The total number of points.
    points: i64,
    /// The number of rows above the board, and of columns to its left.
    margins: (i64, i64),
}

impl PenpaGrid {
    fn number(self, key: &str) -> Option<i64> {
        key.parse().ok().filter(|number| *number >= 0)
    }

    /// Returns the row and the column of a point, counted from 1.
    fn place(self, point: i64) -> (i64, i64) {
        (point / self.width - 1 - self.margins.0, point % self.width - 1 - self.margins.1)
    }

    /// Returns the cell with the number `key`. Fails if it is the number of a corner or a border.
    fn cell(self, key: &str, field: &Field<'_>) -> Result<(i64, i64), String> {
        let point = self.number(key).filter(|point| *point < self.points);
        point.map(|point| self.place(point)).ok_or_else(|| not_supported(field.path()))
    }
}

fn text_or_number(field: &Field<'_>) -> Option<String> {
    match field.value {
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Parses an item of the layer `number`: a text, its style (colour and frame), and its kind.
fn penpa_number(field: &Field<'_>) -> Result<Item, String> {
    let text = text_or_number(&field.at(0)).ok_or_else(|| field.wrong("a text, a style and a kind"))?;
    let style = field.at(1).value.as_i64().ok_or_else(|| field.wrong("a text, a style and a kind"))?;
    match field.at(2).value.as_str() {
        Some("4") => Ok(Item::Numbers(
            text.chars().filter(|sign| !sign.is_whitespace()).map(String::from).collect::<Vec<_>>().join(","),
        )),
        Some("2") => {
            let Some((number, direction)) = text.split_once('_') else { return Ok(Item::Text(text, false)) };
            let arrow =
                direction.parse().ok().and_then(|direction: usize| ["^", "<", ">", "v"].get(direction).copied());
            Ok(Item::Text(
                format!("{number}{}", arrow.ok_or_else(|| field.wrong("an arrow up, left, right or down"))?),
                false,
            ))
        }
        Some("1" | "5" | "6" | "8" | "10") => Ok(Item::Text(text, matches!(style, 5 | 6 | 7 | 11))),
        _ => Err(not_supported(field.path())),
    }
}
