//! The elements of a drawing, before the header of a puzzle gives them a meaning.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::super::super::board::Cell;
use super::super::super::fields::{Field, is_empty, not_supported};
use super::file::DrawingFile;
use super::look::Look;
use super::points::{DrawnPlace, GridPoint, PointNumbering};

/// Styles of thick lines.
const THICK: [i64; 6] = [2, 21, 3, 5, 8, 9];
/// Styles of lines that look like those of the grid.
const GRID_LIKE: [i64; 5] = [0, 1, 11, 20, 80];

/// Layers that do not change the rules.
const COSMETIC_LAYERS: [&str; 3] = ["command_redo", "command_undo", "command_replay"];

/// A number or text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lettering {
    /// A text, and true if it is in a circle or a square.
    Text(String, bool),
    /// Several numbers.
    List(String),
    /// The number of a quarter of the cell, and its text.
    Quarter(u8, String),
    /// The number of a side of the cell, and its text.
    Side(u8, String),
}

/// What is drawn at a position.
#[derive(Debug, Clone, Default)]
pub struct DrawnSpot {
    pub letters: Vec<Lettering>,
    pub looks: Vec<Look>,
}

/// The elements of a drawing by position; the cell (R,C) is at (2R-1,2C-1).
#[derive(Debug, Default)]
pub struct DrawnElements {
    pub size: (usize, usize),
    /// Cells in the rectangle of the board that are not part of it.
    pub missing: BTreeSet<Cell>,
    pub spots: BTreeMap<DrawnPlace, DrawnSpot>,
    /// The middles of thick sides of cells.
    pub borders: BTreeSet<DrawnPlace>,
    /// The middles of other sides of cells that are drawn, for example dashed.
    pub dashes: BTreeSet<DrawnPlace>,
    /// The middles of sides of cells that are not drawn.
    pub erased: BTreeSet<DrawnPlace>,
    /// The ends of diagonals of cells, the upper end first.
    pub diagonals: BTreeSet<(DrawnPlace, DrawnPlace)>,
    /// The ends of lines between centres of cells, each with its style.
    pub lines: BTreeMap<(DrawnPlace, DrawnPlace), i64>,
    /// The centres of cells with lines to the middles of their sides, which are given by the numbers
    /// of [`GridPoint::Side`].
    pub pieces: BTreeMap<DrawnPlace, BTreeSet<u8>>,
    /// The ends of lines from side to side through a cell.
    pub bars: BTreeSet<(DrawnPlace, DrawnPlace)>,
    /// Positions with a cross on a line that is not drawn.
    pub crosses: BTreeSet<DrawnPlace>,
    /// Lists of positions by kind: thermometers, arrows, cages …
    pub lists: Vec<(String, Vec<DrawnPlace>)>,
}

impl DrawnElements {
    /// The layers of the puzzle.
    pub fn of_puzzle(file: &DrawingFile) -> Result<Self, String> {
        let mut drawing = DrawnElements::of(file, &file.layers)?;
        let (numbering, (rows, columns)) = file.board()?;
        let cells: BTreeSet<GridPoint> = file.cells.iter().filter_map(|&cell| numbering.point(cell)).collect();
        let all = (1..=rows).flat_map(|row| (1..=columns).map(move |column| (row, column)));
        drawing.missing = all.filter(|&cell| !cells.contains(&GridPoint::At(centre(cell)))).collect();
        drawing.check_colors(file, numbering)?;
        if file.kind == "kakuro" {
            // The first row and column are black even if they are not drawn as black.
            let black = (1..=rows).map(|row| (row, 1)).chain((2..=columns).map(|column| (1, column)));
            for cell in black {
                let spot = drawing.spots.entry(centre(cell)).or_default();
                if spot.looks.is_empty() {
                    spot.looks.push(Look::Symbol("kakuro".to_owned(), 2));
                }
            }
        }
        Ok(drawing)
    }

    /// If everything stands at corners of cells, takes the corners for the cells of a board.
    pub fn move_from_corners(&mut self) {
        let is_corner = |&(y, x): &DrawnPlace| y % 2 == 0 && x % 2 == 0;
        if self.spots.is_empty() || !self.spots.keys().all(is_corner) {
            return;
        }
        let spots = std::mem::take(&mut self.spots);
        self.spots = spots.into_iter().map(|((y, x), spot)| ((y + 1, x + 1), spot)).collect();
        self.size = (self.size.0 + 1, self.size.1 + 1);
        self.missing.clear();
    }

    /// The layers that a player has drawn.
    pub fn of_player(file: &DrawingFile) -> Result<Option<Self>, String> {
        if file.player_layers.is_null() { Ok(None) } else { DrawnElements::of(file, &file.player_layers).map(Some) }
    }

    fn of(file: &DrawingFile, layers: &Value) -> Result<Self, String> {
        let (numbering, size) = file.board()?;
        let mut reader = LayerReader { numbering, drawing: DrawnElements { size, ..DrawnElements::default() } };
        Field::new("", layers).object(|layers| {
            layers.skip(&COSMETIC_LAYERS);
            // The lines around cages are drawn for the lists of their cells.
            let has_cages = layers.take("killercages").map_or(Ok(false), |field| {
                reader.read_lists(&field)?;
                Ok::<_, String>(!reader.drawing.lists.is_empty())
            })?;
            if has_cages {
                layers.skip(&["cage"]);
            }
            let outlines = layers.take("cage").map_or(Ok(Vec::new()), |layer| layer.entries())?;
            reader.read_outlines(&outlines)?;
            for list in ["thermo", "arrows", "direction", "squareframe", "nobulbthermo"] {
                layers.take(list).map_or(Ok(()), |field| reader.read_lists(&field))?;
            }
            let mut layer = |name: &str| layers.take(name).map_or(Ok(Vec::new()), |layer| layer.entries());
            for (key, field) in layer("number")? {
                reader.read_number(key, &field)?;
            }
            for (key, field) in layer("numberS")? {
                reader.read_small_number(key, &field)?;
            }
            for (key, field) in layer("symbol")? {
                reader.read_symbol(key, &field)?;
            }
            for (key, field) in layer("surface")? {
                reader.read_surface(key, &field)?;
            }
            for name in ["line", "freeline", "lineE", "freelineE", "wall", "deletelineE"] {
                for (key, field) in layer(name)? {
                    reader.read_line(name, key, &field)?;
                }
            }
            // Layers that are not read must be empty.
            let is_drawn = |layer: &Field<'_>| match layer.value {
                Value::Array(items) => !items.iter().all(is_empty),
                other => !is_empty(other),
            };
            layers
                .take_all()
                .iter()
                .find(|layer| is_drawn(layer))
                .map_or(Ok(()), |layer| Err(not_supported(layer.path())))
        })?;
        Ok(reader.drawing)
    }

    /// Fails if a cell or a symbol has a custom colour, whose meaning is not known.
    fn check_colors(&self, file: &DrawingFile, numbering: PointNumbering) -> Result<(), String> {
        for layer in ["surface", "symbol"] {
            for (key, color) in file.colors[layer].as_object().into_iter().flatten() {
                let is_drawn = file.layers[layer].get(key).is_some();
                if let (true, Some(color)) = (is_drawn, color.as_str().filter(|color| !is_plain(color))) {
                    let point = key.parse().ok().and_then(|number| numbering.point(number));
                    let place = point.map_or(String::new(), |point| format!(" {}", describe(point)));
                    return Err(format!("the colour {color}{place} is not supported: it may change the rules"));
                }
            }
        }
        Ok(())
    }
}

/// Returns true if a custom colour is black, white or transparent.
fn is_plain(color: &str) -> bool {
    ["", "#000000", "#000", "#ffffff", "#fff"].contains(&color.to_ascii_lowercase().as_str())
}

/// The position of the centre of a cell.
pub fn centre((row, column): Cell) -> DrawnPlace {
    (2 * row as i64 - 1, 2 * column as i64 - 1)
}

/// Describes a point for messages.
pub fn describe(point: GridPoint) -> String {
    let (GridPoint::At((y, x)) | GridPoint::Quarter((y, x), _) | GridPoint::Side((y, x), _)) = point;
    let cell = |y: i64, x: i64| format!("row {}, column {}", (y + 1).div_euclid(2), (x + 1).div_euclid(2));
    match (y.rem_euclid(2), x.rem_euclid(2)) {
        (1, 1) => format!("in {}", cell(y, x)),
        (0, 0) => format!("at the lower right corner of {}", cell(y - 1, x - 1)),
        (0, _) => format!("below {}", cell(y - 1, x)),
        _ => format!("right of {}", cell(y, x - 1)),
    }
}

struct LayerReader {
    numbering: PointNumbering,
    drawing: DrawnElements,
}

impl LayerReader {
    fn point(&self, key: &str, field: &Field<'_>) -> Result<GridPoint, String> {
        // An `E` marks what was drawn in the mode for edges.
        let number = key.strip_suffix('E').unwrap_or(key).parse().ok();
        number.and_then(|number| self.numbering.point(number)).ok_or_else(|| not_supported(field.path()))
    }

    fn position(&self, key: &str, field: &Field<'_>) -> Result<DrawnPlace, String> {
        match self.point(key, field)? {
            GridPoint::At(position) => Ok(position),
            _ => Err(not_supported(field.path())),
        }
    }

    fn spot(&mut self, position: DrawnPlace) -> &mut DrawnSpot {
        self.drawing.spots.entry(position).or_default()
    }

    /// Reads an item of the layer `number`: a text, its style (colour and frame), and its kind.
    fn read_number(&mut self, key: &str, field: &Field<'_>) -> Result<(), String> {
        let expected = "a text, a style and a kind";
        let position = self.position(key, field)?;
        if let (Some("7"), Some(digits)) = (field.at(2).value.as_str(), field.at(0).value.as_array()) {
            // The candidates of a Sudoku: a single one is a number.
            let digits: Vec<usize> = (1..).zip(digits).filter(|(_, it)| **it == 1).map(|(digit, _)| digit).collect();
            let &[digit] = &digits[..] else { return Ok(()) };
            self.spot(position).letters.push(Lettering::Text(digit.to_string(), false));
            return Ok(());
        }
        let text = text_or_number(&field.at(0)).ok_or_else(|| field.wrong(expected))?;
        let style = field.at(1).value.as_i64().ok_or_else(|| field.wrong(expected))?;
        let is_framed = matches!(style, 5 | 6 | 7 | 11);
        let lettering = match field.at(2).value.as_str() {
            Some("4") => {
                let signs: Vec<String> = text.chars().filter(|it| !it.is_whitespace()).map(String::from).collect();
                Lettering::List(signs.join(","))
            }
            Some("2") => match text.rsplit_once('_') {
                None => Lettering::Text(text, is_framed),
                Some((number, direction)) => {
                    let arrow = direction.parse().ok().and_then(|at: usize| ["^", "<", ">", "v"].get(at).copied());
                    let arrow = arrow.ok_or_else(|| field.wrong("an arrow up, left, right or down"))?;
                    Lettering::Text(format!("{}{arrow}", number.trim()), is_framed)
                }
            },
            Some("1" | "5" | "6" | "8" | "10") => Lettering::Text(text, is_framed),
            _ => return Err(not_supported(field.path())),
        };
        self.spot(position).letters.push(lettering);
        Ok(())
    }

    fn read_small_number(&mut self, key: &str, field: &Field<'_>) -> Result<(), String> {
        let text = text_or_number(&field.at(0)).ok_or_else(|| field.wrong("a text"))?;
        match self.point(key, field)? {
            GridPoint::Quarter(cell, quarter) => self.spot(cell).letters.push(Lettering::Quarter(quarter, text)),
            GridPoint::Side(cell, side) => self.spot(cell).letters.push(Lettering::Side(side, text)),
            GridPoint::At(_) => return Err(not_supported(field.path())),
        }
        Ok(())
    }

    /// Reads an item of the layer `symbol`: a shape, as a number or as bits, and a name.
    fn read_symbol(&mut self, key: &str, field: &Field<'_>) -> Result<(), String> {
        let position = self.position(key, field)?;
        let shape = field.at(0);
        let shape = match shape.value.as_array() {
            Some(bits) => {
                let mut set = (1..).zip(bits).filter(|(_, bit)| **bit == 1).map(|(number, _)| number);
                // A shape of several bits is none of those that have a meaning.
                Some(set.next().filter(|_| set.next().is_none()).unwrap_or(-1))
            }
            None => shape.value.as_i64(),
        };
        let shape = shape.ok_or_else(|| field.wrong("a shape and the name of a symbol"))?;
        let name = field.at(1).text().map_err(|_| field.wrong("a shape and the name of a symbol"))?.to_owned();
        self.spot(position).looks.push(Look::Symbol(name, shape));
        Ok(())
    }

    fn read_surface(&mut self, key: &str, field: &Field<'_>) -> Result<(), String> {
        let position = self.position(key, field)?;
        let color = field.value.as_i64().ok_or_else(|| field.wrong("a colour, which is a number"))?;
        if color != 0 {
            self.spot(position).looks.push(Look::Surface(color));
        }
        Ok(())
    }

    /// Reads lists of cells.
    fn read_lists(&mut self, field: &Field<'_>) -> Result<(), String> {
        for list in field.list()? {
            if is_empty(list.value) {
                continue;
            }
            let list = list.list()?;
            let cells = list.iter().map(|cell| self.position(&cell.value.to_string(), cell));
            let cells = cells.collect::<Result<Vec<DrawnPlace>, _>>()?;
            self.drawing.lists.push((field.path().to_owned(), cells));
        }
        Ok(())
    }

    /// Reads the outlines of cages, as lines between quarters of cells.
    fn read_outlines(&mut self, outlines: &[(&str, Field<'_>)]) -> Result<(), String> {
        // The cells of each cage, which grow together.
        let mut cages: Vec<BTreeSet<DrawnPlace>> = Vec::new();
        for (key, field) in outlines {
            let (one, other) = key.split_once(',').ok_or_else(|| not_supported(field.path()))?;
            let (GridPoint::Quarter(one, _), GridPoint::Quarter(other, _)) =
                (self.point(one, field)?, self.point(other, field)?)
            else {
                return Err(not_supported(field.path()));
            };
            let mut cage = BTreeSet::from([one, other]);
            cages.retain(|known| {
                let is_other = known.is_disjoint(&cage);
                if !is_other {
                    cage.extend(known);
                }
                is_other
            });
            cages.push(cage);
        }
        for mut cage in cages {
            // A cell in the middle of a cage has no outline.
            let sides = |(y, x): DrawnPlace| [(y - 2, x), (y + 2, x), (y, x - 2), (y, x + 2)];
            let near: BTreeSet<DrawnPlace> = cage.iter().flat_map(|&cell| sides(cell)).collect();
            let inner: Vec<DrawnPlace> =
                near.into_iter().filter(|&cell| sides(cell).iter().all(|side| cage.contains(side))).collect();
            cage.extend(inner);
            self.drawing.lists.push(("killercages".to_owned(), cage.into_iter().collect()));
        }
        Ok(())
    }

    /// Reads an item of a layer of lines: its ends, and its style.
    fn read_line(&mut self, layer: &str, key: &str, field: &Field<'_>) -> Result<(), String> {
        let style = field.value.as_i64().ok_or_else(|| field.wrong("a style, which is a number"))?;
        let Some((one, other)) = key.split_once(',') else {
            let position = self.position(key, field)?;
            return if style == 98 {
                Ok(_ = self.drawing.crosses.insert(position))
            } else {
                Err(not_supported(field.path()))
            };
        };
        let (one, other) = (self.position(one, field)?, self.position(other, field)?);
        let (one, other) = (one.min(other), one.max(other));
        if layer == "line" && self.add_piece(one, other) {
            return Ok(());
        }
        let (down, right) = (other.0 - one.0, other.1 - one.1);
        let steps = down.max(right.abs()) / 2;
        let is_straight = down == 0 || right == 0 || down == right.abs();
        if steps == 0 || steps > 1000 || !is_straight || down % 2 != 0 || right % 2 != 0 {
            return Err(not_supported(field.path()));
        }
        let step = (down / steps, right / steps);
        for at in 0..steps {
            let from = (one.0 + at * step.0, one.1 + at * step.1);
            self.add_step(layer, (from, (from.0 + step.0, from.1 + step.1)), style)
                .ok_or_else(|| not_supported(field.path()))?;
        }
        Ok(())
    }

    /// Adds a line from the centre of a cell to the middle of its side. Returns false for others.
    fn add_piece(&mut self, one: DrawnPlace, other: DrawnPlace) -> bool {
        let is_centre = |(y, x): DrawnPlace| y.rem_euclid(2) == 1 && x.rem_euclid(2) == 1;
        let (cell, side) = match (is_centre(one), is_centre(other), (other.0 - one.0, other.1 - one.1)) {
            (true, false, (0, 1)) => (one, 1),
            (true, false, (1, 0)) => (one, 3),
            (false, true, (0, 1)) => (other, 2),
            (false, true, (1, 0)) => (other, 0),
            _ => return false,
        };
        self.drawing.pieces.entry(cell).or_default().insert(side);
        true
    }

    /// Adds a line to the next cell, corner or side.
    fn add_step(&mut self, layer: &str, (from, to): (DrawnPlace, DrawnPlace), style: i64) -> Option<()> {
        let middle = ((from.0 + to.0) / 2, (from.1 + to.1) / 2);
        let is_diagonal = from.0 != to.0 && from.1 != to.1;
        let drawing = &mut self.drawing;
        match (layer, from.0.rem_euclid(2), from.1.rem_euclid(2)) {
            ("deletelineE", 0, 0) if !is_diagonal => _ = drawing.erased.insert(middle),
            ("lineE" | "freelineE", 0, 0) if is_diagonal => _ = drawing.diagonals.insert((from, to)),
            ("lineE" | "freelineE", 0, 0) if GRID_LIKE.contains(&style) => {}
            ("lineE" | "freelineE", 0, 0) if THICK.contains(&style) => _ = drawing.borders.insert(middle),
            ("lineE" | "freelineE", 0, 0) => _ = drawing.dashes.insert(middle),
            ("line" | "freeline", 1, 1) => _ = drawing.lines.insert((from, to), style),
            ("wall", ..) if !is_diagonal => _ = drawing.bars.insert((from, to)),
            _ => return None,
        }
        Some(())
    }
}

fn text_or_number(field: &Field<'_>) -> Option<String> {
    match field.value {
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}
