//! Draws a board.

use serde_json::{Map, Value, json};

use super::super::super::board::{Cell, Clue, GridBoard};
use super::super::boxes::standard_boxes;
use super::drawing::centre;
use super::file::{DrawingFile, empty_layers};
use super::lists::{LineKind, VALUE_QUARTER, between, is_drawn, kind};
use super::look::{GridLines, Look, SignGrid, SignLooks};
use super::points::{DrawnPlace, GridPoint, PointNumbering};
use super::reading::{COMPASS, PIECES};

/// Styles of numbers: black, white, and in a white circle.
const BLACK: i64 = 1;
const WHITE: i64 = 4;
const CIRCLED: i64 = 6;

/// A drawing of a board.
pub struct BoardWriter<'a> {
    board: &'a GridBoard,
    looks: &'a SignLooks,
    numbering: PointNumbering,
    layers: Map<String, Value>,
}

/// Returns the modes of the grid, of its points and of its frame.
pub fn grid_modes(grid: GridLines) -> [&'static str; 3] {
    match grid {
        GridLines::Solid => ["1", "2", "1"],
        GridLines::Dashed => ["2", "2", "1"],
        GridLines::Open => ["2", "2", "2"],
        GridLines::Dots => ["3", "1", "2"],
        GridLines::None => ["3", "2", "2"],
    }
}

/// Draws a board. `about` is the title and the rules of the puzzle, and `name` its tag.
pub fn draw(
    board: &GridBoard,
    looks: &SignLooks,
    (title, rules): (&str, &str),
    name: &str,
) -> Result<(DrawingFile, PointNumbering), String> {
    let last = |side: usize| board.around[side].keys().map(|&(_, index)| index).max().unwrap_or(0) as i64;
    let has = |name: &str| board.header.iter().any(|(known, _)| known == name);
    let legend = i64::from(has("stars") || has("letters"));
    let margins = [
        last(2).max(legend) + i64::from(has("letters") && last(2) > 0),
        last(3).max(legend),
        last(0).max(legend),
        last(1).max(legend),
    ];
    let size = (board.columns as i64 + margins[2] + margins[3], board.rows as i64 + margins[0] + margins[1]);
    if size.0.max(size.1) > 1000 {
        return Err("a board of more than 1,000 rows or columns".to_owned());
    }
    let numbering = PointNumbering::new(size.0, size.1, (margins[0], margins[2]));
    let Value::Object(layers) = empty_layers() else { unreachable!("layers are an object") };
    let mut writer = BoardWriter { board, looks, numbering, layers };
    writer.draw_signs()?;
    writer.draw_sides();
    writer.draw_borders()?;
    let mut all_rules = vec![rules.to_owned()];
    for (name, words) in &board.header {
        if !writer.draw_header_line(name, words)? {
            let words: Vec<String> = words.iter().map(Clue::to_string).collect();
            all_rules.push(format!("{name}: {}", words.join(" ")));
        }
    }
    let cells = board.cells().map(|cell| numbering.number(GridPoint::At(centre(cell)))).collect();
    let file = DrawingFile {
        kind: "square".to_owned(),
        size,
        margins,
        title: title.to_owned(),
        rules: all_rules.join("\n"),
        tags: vec![name.to_owned()],
        cells,
        layers: Value::Object(writer.layers),
        ..DrawingFile::default()
    };
    Ok((file, numbering))
}

impl BoardWriter<'_> {
    fn put(&mut self, layer: &str, key: String, value: Value) {
        if let Some(layer) = self.layers.get_mut(layer).and_then(Value::as_object_mut) {
            layer.insert(key, value);
        }
    }

    fn put_at(&mut self, layer: &str, point: GridPoint, value: Value) {
        self.put(layer, self.numbering.number(point).to_string(), value);
    }

    fn put_line(&mut self, layer: &str, from: DrawnPlace, to: DrawnPlace, style: i64) {
        let [one, other] = [from, to].map(|end| self.numbering.number(GridPoint::At(end)));
        self.put(layer, format!("{},{}", one.min(other), one.max(other)), json!(style));
    }

    fn put_look(&mut self, position: DrawnPlace, look: &Look) {
        match look {
            Look::Nothing => {}
            Look::Surface(color) => self.put_at("surface", GridPoint::At(position), json!(color)),
            Look::Symbol(name, _) if name == "erased" => {
                let (y, x) = position;
                let (from, to) = if y % 2 == 0 { ((y, x - 1), (y, x + 1)) } else { ((y - 1, x), (y + 1, x)) };
                self.put_line("deletelineE", from, to, 1);
            }
            Look::Symbol(name, shape) => self.put_at("symbol", GridPoint::At(position), json!([shape, name, 1])),
        }
    }

    fn draw_signs(&mut self) -> Result<(), String> {
        let board = self.board;
        for (&cell, sign) in &board.signs {
            self.draw_sign(SignGrid::Cells, centre(cell), &sign.to_string())?;
        }
        for cell in board.cells().filter(|cell| !board.signs.contains_key(cell)) {
            if let Some(look) = &self.looks.empty {
                self.put_look(centre(cell), look);
            }
        }
        for (name, grid) in &board.grids {
            for (&(row, column), sign) in grid {
                let (y, x) = (row as i64, column as i64);
                let (grid, position) = match name.as_str() {
                    "corner" => (SignGrid::Corner, (2 * y - 2, 2 * x - 2)),
                    "shade" => (SignGrid::Shade, centre((row, column))),
                    "between" if row % 2 == 1 && column % 2 == 1 => (SignGrid::Centre, (y, x)),
                    _ => (SignGrid::Between, (y, x)),
                };
                self.draw_sign(grid, position, &sign.to_string())?;
            }
        }
        Ok(())
    }

    fn draw_sign(&mut self, grid: SignGrid, position: DrawnPlace, sign: &str) -> Result<(), String> {
        let looks = self.looks;
        let of_number = looks.number_background.as_ref().filter(|_| sign.starts_with(|it: char| it.is_ascii_digit()));
        let background = looks.background.as_ref().or(of_number).filter(|_| grid == SignGrid::Cells);
        if let Some(look) = background {
            self.put_look(position, look);
        }
        if let Some(look) = looks.look_of(grid, sign) {
            match look {
                // An arrow on a border below a cell is turned.
                Look::Symbol(name, shape)
                    if name.starts_with("arrow") && position.0 % 2 == 0 && position.1 % 2 == 1 =>
                {
                    self.put_look(position, &Look::Symbol(name.clone(), shape + 2));
                }
                _ => self.put_look(position, look),
            }
            return Ok(());
        }
        if let Some((_, sides)) = PIECES.iter().find(|(known, _)| *known == sign) {
            self.draw_piece(position, sides);
            return Ok(());
        }
        if grid == SignGrid::Cells {
            if let Some((below, right)) = sign.split_once('\\') {
                self.draw_halves(position, below, right);
                return Ok(());
            }
            let parts: Vec<&str> = sign.split(',').collect();
            if parts.len() > 1 || looks.has_lists {
                return self.draw_list(position, &parts);
            }
        }
        let mut text = sign;
        // A sign such as `o` before a number, or an arrow behind it, can be a symbol.
        let first = text.chars().next().map_or("", |first| &text[..first.len_utf8()]);
        let is_prefix = first.chars().all(|first| !first.is_ascii_digit() && !"?^v<>".contains(first));
        let prefix = looks.look_of(grid, first).filter(|_| is_prefix && text.len() > first.len());
        let look = prefix.or_else(|| looks.look_of(grid, ""));
        text = if prefix.is_some() { &text[first.len()..] } else { text };
        let mut is_on_black = background == Some(&Look::Surface(4));
        if let Some(look) = look {
            is_on_black |= matches!(look, Look::Surface(4) | Look::Symbol(_, 2));
            self.put_look(position, look);
        }
        let color = if is_on_black { WHITE } else { BLACK };
        self.draw_text(grid, position, text, color);
        Ok(())
    }

    /// Draws lines from the centre of a cell to its sides.
    fn draw_piece(&mut self, (y, x): DrawnPlace, sides: &[u8]) {
        for side in sides {
            let end = match side {
                0 => (y - 1, x),
                1 => (y, x + 1),
                2 => (y, x - 1),
                _ => (y + 1, x),
            };
            self.put_line("line", (y, x), end, 2);
        }
    }

    /// Draws an arrow on the outer border, into the board or out of it. Returns false if there is no
    /// such side.
    fn draw_gate(&mut self, number: i64, is_in: bool) -> bool {
        let (rows, columns) = (self.board.rows as i64, self.board.columns as i64);
        let (position, shape) = match number {
            _ if number < columns => ((0, 2 * number + 1), 7),
            _ if number < 2 * columns => ((2 * rows, 2 * (number - columns) + 1), 3),
            _ if number < 2 * columns + rows => ((2 * (number - 2 * columns) + 1, 0), 5),
            _ if number < 2 * (columns + rows) => ((2 * (number - 2 * columns - rows) + 1, 2 * columns), 1),
            _ => return false,
        };
        let shape = if is_in { shape } else { (shape + 3) % 8 + 1 };
        self.put_look(position, &Look::Symbol("arrow_S".to_owned(), shape));
        true
    }

    /// Draws a text, possibly with an arrow.
    fn draw_text(&mut self, grid: SignGrid, position: DrawnPlace, text: &str, color: i64) {
        let looks = self.looks;
        let arrow = text.chars().next_back().map_or("", |last| &text[text.len() - last.len_utf8()..]);
        let number = &text[..text.len() - arrow.len()];
        let direction = ["^", "<", ">", "v"].iter().position(|known| *known == arrow && !number.is_empty());
        let (style, kind) = match grid {
            SignGrid::Cells => {
                let is_number = text.starts_with(|first: char| first.is_ascii_digit() || first == '?');
                (looks.style.filter(|_| is_number).unwrap_or(color), "1")
            }
            _ => (CIRCLED, "6"),
        };
        let value = match direction {
            Some(_) if looks.has_own_arrows() => {
                if let Some(look) = looks.look_of(grid, arrow) {
                    self.put_look(position, look);
                }
                json!([number, style, kind])
            }
            Some(direction) => json!([format!("{number}_{direction}"), style, "2"]),
            None if text == "?" && style == CIRCLED => json!([" ", style, kind]),
            None => json!([text, style, kind]),
        };
        self.put_at("number", GridPoint::At(position), value);
    }

    /// Draws a black cell with the numbers below and above its diagonal.
    fn draw_halves(&mut self, position: DrawnPlace, below: &str, right: &str) {
        self.put_at("symbol", GridPoint::At(position), json!([1, "kakuro", 2]));
        let is_blank = below.is_empty() && right.is_empty();
        for (quarter, text) in [(1, right), (2, below)] {
            if is_blank || !text.is_empty() {
                let text = if text.is_empty() { " " } else { text };
                self.put_at("numberS", GridPoint::Quarter(position, quarter), json!([text, WHITE]));
            }
        }
    }

    /// Draws several numbers in a cell: four around a cross, or in the manner of Tapa.
    fn draw_list(&mut self, position: DrawnPlace, parts: &[&str]) -> Result<(), String> {
        if !self.looks.has_lists && parts.len() == COMPASS.len() {
            self.put_at("symbol", GridPoint::At(position), json!([1, "compass", 1]));
            for (side, part) in COMPASS.into_iter().zip(parts) {
                let text = if *part == "?" { " " } else { part };
                self.put_at("numberS", GridPoint::Side(position, side), json!([text, BLACK]));
            }
            return Ok(());
        }
        if let Some(long) = parts.iter().find(|part| part.chars().count() != 1) {
            return Err(format!("`{long}` in a list of numbers"));
        }
        self.put_at("number", GridPoint::At(position), json!([parts.concat(), BLACK, "4"]));
        Ok(())
    }

    /// Draws the clues beside the board, next to it.
    fn draw_sides(&mut self) {
        let board = self.board;
        for (side, clues) in board.around.iter().enumerate() {
            for (&(line, index), clue) in clues {
                let last =
                    clues.range((line, 1)..=(line, usize::MAX)).next_back().map_or(index, |(&(_, last), _)| last);
                let (line, index) = (2 * line as i64 - 1, index as i64);
                // Lists at the left and at the top end beside the board.
                let before = 2 * (index - last as i64) - 1;
                let (rows, columns) = (2 * board.rows as i64 - 1, 2 * board.columns as i64 - 1);
                let position = match side {
                    0 => (line, before),
                    1 => (line, columns + 2 * index),
                    2 => (before, line),
                    _ => (rows + 2 * index, line),
                };
                self.put_at("number", GridPoint::At(position), json!([clue.to_string(), BLACK, "1"]));
            }
        }
    }

    fn draw_borders(&mut self) -> Result<(), String> {
        let board = self.board;
        if !board.areas.is_empty() && board.areas != board.enclosed_areas() {
            return Err("areas that no borders enclose".to_owned());
        }
        let mut walls: Vec<(Cell, Cell)> = board.walls.iter().copied().collect();
        if self.looks.has_standard_boxes && walls.is_empty() && board.rows == board.columns {
            let mut boxes = board.clone();
            boxes.set_areas(&standard_boxes(board.rows));
            walls.extend(boxes.walls);
        }
        for (one, other) in walls {
            let Some((y, x)) = between(one, other) else { continue };
            let (from, to) = if y % 2 == 0 { ((y, x - 1), (y, x + 1)) } else { ((y - 1, x), (y + 1, x)) };
            self.put_line("lineE", from, to, 2);
        }
        Ok(())
    }

    /// Draws a header line. Returns false if the rules should state it.
    fn draw_header_line(&mut self, name: &str, words: &[Clue]) -> Result<bool, String> {
        let (rows, columns) = (2 * self.board.rows as i64, 2 * self.board.columns as i64);
        match (name, words) {
            ("in" | "out", &[Clue::Number(number @ 0..)]) => return Ok(self.draw_gate(i64::from(number), name == "in")),
            ("stars", [count]) => {
                self.put_at("number", GridPoint::At((-1, columns - 1)), json!([count.to_string(), BLACK, "1"]));
                self.put_at("symbol", GridPoint::At((-1, columns + 1)), json!([2, "star", 2]));
            }
            ("letters", [Clue::Number(count @ 1..=26)]) => {
                let last = char::from(b'A' + (*count - 1) as u8);
                let top = if self.board.around[2].is_empty() { -1 } else { -3 };
                self.put_at("number", GridPoint::At((top, columns - 1)), json!([format!("(A-{last})"), BLACK, "8"]));
            }
            ("variant", [name]) => {
                let name = name.to_string();
                for at in 0..rows / 2 {
                    let (y, end) = (2 * at, 2 * at + 2);
                    if ["diagonal", "diagonal_down"].contains(&name.as_str()) {
                        self.put_line("lineE", (y, y), (end, end), 12);
                    }
                    if ["diagonal", "diagonal_up"].contains(&name.as_str()) {
                        self.put_line("lineE", (y, columns - y), (end, columns - end), 12);
                    }
                }
                return Ok(false);
            }
            _ => {
                let line = self.looks.lines.iter().find(|(known, _)| known == name);
                let Some(kind) = line.and_then(|(_, words)| kind(words)) else { return Ok(is_drawn(name, self.looks)) };
                let earlier = self.board.header.range(..(name.to_owned(), words.to_vec()));
                let number = earlier.filter(|(known, _)| known == name).count();
                self.draw_list_of_cells(&kind, words, number)?;
            }
        }
        Ok(true)
    }

    /// Draws a header line, the one with this number among those of its name.
    fn draw_list_of_cells(&mut self, kind: &LineKind, words: &[Clue], number: usize) -> Result<(), String> {
        /// Colours for further areas of the same kind.
        const COLORS: [i64; 5] = [5, 7, 10, 11, 12];
        let cells: Vec<Cell> = words.iter().filter_map(Clue::cell).collect();
        let numbers: Vec<i64> = cells.iter().map(|&cell| self.numbering.number(GridPoint::At(centre(cell)))).collect();
        match (kind, &cells[..]) {
            (LineKind::List(layer, has_value), _) => {
                if let Some(list) = self.layers.get_mut(layer).and_then(Value::as_array_mut) {
                    list.push(json!(numbers));
                }
                if layer == "killercages" {
                    self.draw_cage(&cells);
                }
                let value = words.first().filter(|word| *has_value && word.cell().is_none());
                if let (Some(value), Some(&first)) =
                    (value.filter(|value| value.to_string() != "?"), cells.iter().min())
                {
                    let point = GridPoint::Quarter(centre(first), VALUE_QUARTER);
                    self.put_at("numberS", point, json!([value.to_string(), BLACK]));
                }
            }
            (LineKind::Cell(look), _) => {
                for &cell in &cells {
                    self.put_look(centre(cell), look);
                }
            }
            (LineKind::Pair(look), &[one, other]) => {
                let position = between(one, other).ok_or("a pair of cells that are not adjacent")?;
                self.put_look(position, look);
            }
            (LineKind::Surface(color), _) => {
                let color = if number == 0 { color } else { &COLORS[(number - 1) % COLORS.len()] };
                for &cell in &cells {
                    self.put_look(centre(cell), &Look::Surface(*color));
                }
            }
            _ => return Err("a header line with another number of cells".to_owned()),
        }
        Ok(())
    }

    /// Draws the outline of a cage, inside its cells.
    fn draw_cage(&mut self, cells: &[Cell]) {
        let has = |row: usize, column: usize| cells.contains(&(row, column));
        for &(row, column) in cells {
            let quarter = |cell: Cell, at: u8| GridPoint::Quarter(centre(cell), at);
            let [up, left, right, down] =
                [has(row - 1, column), has(row, column - 1), has(row, column + 1), has(row + 1, column)];
            let cell = (row, column);
            let mut line = |from: GridPoint, to: GridPoint| {
                let [from, to] = [from, to].map(|end| self.numbering.number(end));
                self.layers["cage"][format!("{},{}", from.min(to), from.max(to))] = json!(10);
            };
            for (is_open, from, to) in [(up, 0, 1), (left, 0, 2), (right, 1, 3), (down, 2, 3)] {
                if !is_open {
                    line(quarter(cell, from), quarter(cell, to));
                }
            }
            // The outline goes on in the next cell to the right and below.
            for (is_open, is_there, from, to, next) in [
                (up && has(row - 1, column + 1), right, 1, 0, (row, column + 1)),
                (down && has(row + 1, column + 1), right, 3, 2, (row, column + 1)),
                (left && has(row + 1, column - 1), down, 2, 0, (row + 1, column)),
                (right && has(row + 1, column + 1), down, 3, 1, (row + 1, column)),
            ] {
                if is_there && !is_open {
                    line(quarter(cell, from), quarter(next, to));
                }
            }
        }
    }
}
