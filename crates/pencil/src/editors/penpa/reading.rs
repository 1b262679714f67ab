//! The meaning of a drawing as a board of a puzzle.

use std::collections::{BTreeMap, BTreeSet};

use super::super::super::board::{Cell, Clue, GridBoard, SIDES, numbered};
use super::super::super::header::Header;
use super::super::boxes::standard_boxes;
use super::drawing::{DrawnElements, DrawnSpot, Lettering, centre, describe};
use super::look::{Look, SignGrid, SignLooks};
use super::points::{DrawnPlace, GridPoint};

/// Colours that shade a cell.
const SHADES: [i64; 4] = [1, 3, 4, 8];
/// The numbers of the sides of a cell in the order of the parts of a compass: up, down, left, right.
pub const COMPASS: [u8; 4] = [0, 3, 2, 1];

/// Signs of given lines, and the sides of the cell to which they lead.
pub const PIECES: [(&str, &[u8]); 7] = [
    ("┼", &[0, 1, 2, 3]),
    ("│", &[0, 3]),
    ("─", &[1, 2]),
    ("└", &[0, 1]),
    ("┘", &[0, 2]),
    ("┐", &[2, 3]),
    ("┌", &[1, 3]),
];

/// Arrows and the shapes of their symbols.
pub const ARROWS: [(&str, i64); 4] = [("<", 1), ("^", 3), (">", 5), ("v", 7)];

/// Reads boards of a puzzle.
pub struct DrawingReader<'a> {
    pub drawing: &'a DrawnElements,
    pub header: &'a Header,
    /// The header of the puzzle and those of its variants.
    pub headers: &'a [&'a Header],
    pub looks: &'a SignLooks,
}

/// The letters of a cell.
#[derive(Default)]
struct CellLetters<'a> {
    /// The texts below and above a diagonal, by quarter.
    halves: BTreeMap<u8, &'a str>,
    sides: BTreeMap<u8, &'a str>,
    text: Option<&'a str>,
    is_framed: bool,
}

/// The looks of a cell as signs.
#[derive(Default)]
struct CellSigns<'a> {
    prefix: Option<&'a str>,
    /// True if a look stands for no prefix.
    has_none: bool,
    arrow: Option<&'a str>,
    is_framed: bool,
    /// True if a black cell or a compass is drawn.
    is_ground: bool,
}

impl DrawingReader<'_> {
    pub fn board(&self) -> Result<GridBoard, String> {
        let mut board = GridBoard::of_size(self.drawing.size.0, self.drawing.size.1);
        let mut beside = BTreeMap::<(usize, usize, i64), Clue>::new();
        for (&position, spot) in &self.drawing.spots {
            if self.is_inside(position) {
                self.add_spot(&mut board, position, spot)?;
            } else {
                self.add_beside(&mut board, &mut beside, position, spot)?;
            }
        }
        let mut counts = BTreeMap::<(usize, usize), usize>::new();
        for ((side, line, _), clue) in beside {
            let index = counts.entry((side, line)).or_insert(0);
            *index += 1;
            board.around[side].insert((line, *index), clue);
        }
        for &position in &self.drawing.erased {
            if let Some(sign) = self.looks.sign_of(SignGrid::Between, &Look::Symbol("erased".to_owned(), 0))
                && self.is_inner(position)
            {
                let place = (position.0 as usize, position.1 as usize);
                board.grids.entry("between".to_owned()).or_default().insert(place, Clue::text(sign));
            }
        }
        self.add_pieces(&mut board)?;
        self.add_unmarked_cells(&mut board);
        self.add_missing_cells(&mut board)?;
        self.add_borders(&mut board)?;
        Ok(board)
    }

    /// Adds given lines inside cells.
    fn add_pieces(&self, board: &mut GridBoard) -> Result<(), String> {
        for (&position, sides) in &self.drawing.pieces {
            let sign = PIECES.iter().find(|(_, known)| sides.iter().eq(known.iter())).map(|(sign, _)| *sign);
            let sign = sign.filter(|sign| self.looks.allows(SignGrid::Cells, sign) && self.is_inner(position));
            let sign = sign.ok_or_else(|| not_read("a line", position))?;
            board.signs.insert(cell_at(position), Clue::text(sign));
        }
        Ok(())
    }

    /// If cells without a sign have a look of their own, the others have the sign that looks like
    /// nothing.
    fn add_unmarked_cells(&self, board: &mut GridBoard) {
        let Some(empty) = &self.looks.empty else { return };
        let is_empty = |spot: &DrawnSpot| spot.looks.iter().any(|look| look.resembles(empty));
        let sign = self.looks.sign_of(SignGrid::Cells, &Look::Nothing);
        if let Some(sign) = sign.filter(|_| self.drawing.spots.values().any(is_empty)) {
            for cell in board.cells() {
                if !self.drawing.spots.get(&centre(cell)).is_some_and(is_empty) {
                    board.signs.entry(cell).or_insert_with(|| Clue::text(sign));
                }
            }
        }
    }

    /// Adds an arrow on the outer border: the way in or out.
    fn add_gate(&self, board: &mut GridBoard, (y, x): DrawnPlace, spot: &DrawnSpot) -> Result<(), String> {
        let (rows, columns) = (board.rows as i64, board.columns as i64);
        let (number, inward) = match (y, x) {
            (0, _) => ((x - 1) / 2, "v"),
            (_, 0) => (2 * columns + (y - 1) / 2, ">"),
            _ if y == 2 * rows => (columns + (x - 1) / 2, "^"),
            _ => (2 * columns + rows + (y - 1) / 2, "<"),
        };
        let outward = match inward {
            "v" => "^",
            "^" => "v",
            ">" => "<",
            _ => ">",
        };
        let points = |arrow: &str| {
            let shape = ARROWS.iter().find(|(known, _)| *known == arrow).map_or(0, |(_, shape)| *shape);
            spot.looks.iter().any(|look| look.resembles(&Look::Symbol("arrow_S".to_owned(), shape)))
        };
        let name = match (points(inward), points(outward)) {
            (true, _) => "in",
            (_, true) => "out",
            _ => return Err(not_read(&first_name(spot), (y, x))),
        };
        board.header.insert((name.to_owned(), vec![Clue::Number(number as i32)]));
        Ok(())
    }

    /// Returns true if the puzzle or a variant has clues at a side.
    fn reads_beside(&self, side: usize) -> bool {
        self.headers.iter().any(|header| header.inputs().contains(&SIDES[side]))
    }

    fn reads(&self, name: &str) -> bool {
        self.header.inputs().contains(&name)
    }

    /// Returns true for positions in the board, or on its outer border.
    fn is_inside(&self, (y, x): DrawnPlace) -> bool {
        (0..=2 * self.drawing.size.0 as i64).contains(&y) && (0..=2 * self.drawing.size.1 as i64).contains(&x)
    }

    /// Returns true for positions in the board that are not on its outer border.
    fn is_inner(&self, (y, x): DrawnPlace) -> bool {
        (1..2 * self.drawing.size.0 as i64).contains(&y) && (1..2 * self.drawing.size.1 as i64).contains(&x)
    }

    fn add_spot(&self, board: &mut GridBoard, position @ (y, x): DrawnPlace, spot: &DrawnSpot) -> Result<(), String> {
        let is_cell = y % 2 == 1 && x % 2 == 1;
        let is_corner = y % 2 == 0 && x % 2 == 0;
        if !self.is_inner(position) && !is_corner && self.reads("in") && self.reads("out") {
            return self.add_gate(board, position, spot);
        }
        if self.reads("between") && self.is_inner(position) && !(is_cell && self.reads("sign") && self.is_sign(spot)) {
            let grid = if is_cell { SignGrid::Centre } else { SignGrid::Between };
            if let Some(clue) = self.clue(grid, position, spot)? {
                board.grids.entry("between".to_owned()).or_default().insert((y as usize, x as usize), clue);
            }
            return Ok(());
        }
        if is_corner && self.reads("corner") {
            if let Some(clue) = self.clue(SignGrid::Corner, position, spot)? {
                let place = (y as usize / 2 + 1, x as usize / 2 + 1);
                board.grids.entry("corner".to_owned()).or_default().insert(place, clue);
            }
            return Ok(());
        }
        if !is_cell {
            return Err(not_read(&first_name(spot), position));
        }
        let cell = cell_at(position);
        let mut spot = spot.clone();
        if self.reads("shade") {
            let shade = spot.looks.iter().position(|look| self.looks.sign_of(SignGrid::Shade, look).is_some());
            if let Some(shade) = shade {
                let sign =
                    self.looks.sign_of(SignGrid::Shade, &spot.looks.remove(shade)).unwrap_or_default().to_owned();
                board.grids.entry("shade".to_owned()).or_default().insert(cell, Clue::text(&sign));
            }
        }
        let clue = self.clue(SignGrid::Cells, position, &spot)?;
        board.signs.extend(clue.map(|clue| (cell, clue)));
        Ok(())
    }

    /// Returns true if the looks of a spot are signs of cells.
    fn is_sign(&self, spot: &DrawnSpot) -> bool {
        let is_sign = |look: &Look| self.looks.sign_of(SignGrid::Cells, look).is_some();
        !spot.looks.iter().any(|look| self.looks.sign_of(SignGrid::Centre, look).is_some())
            && (spot.looks.iter().any(is_sign) || !spot.letters.is_empty())
    }

    /// Returns the clue of a spot, `None` if it shows nothing.
    fn clue(&self, grid: SignGrid, position: DrawnPlace, spot: &DrawnSpot) -> Result<Option<Clue>, String> {
        let letters = self.letters(grid, position, spot)?;
        let signs = self.signs(grid, position, spot, &letters)?;
        let Some(sign) = self.sign(grid, position, letters, signs)? else { return Ok(None) };
        let upper = sign.to_uppercase();
        let sign = match self.looks.allows(grid, &sign) {
            true => sign,
            false if self.looks.allows(grid, &upper) => upper,
            false => return Err(not_read(&format!("`{sign}`"), position)),
        };
        Clue::read(&sign)?.map(Some).ok_or_else(|| not_read(&format!("the text `{sign}`"), position))
    }

    fn letters<'s>(
        &self,
        grid: SignGrid,
        position: DrawnPlace,
        spot: &'s DrawnSpot,
    ) -> Result<CellLetters<'s>, String> {
        let mut letters = CellLetters::default();
        let has_halves = grid == SignGrid::Cells && self.looks.has_halves();
        for lettering in &spot.letters {
            let text = match lettering {
                Lettering::Quarter(_, text) if !has_halves && !text.is_empty() && !self.has_room_clues() => {
                    return Err(not_read(&format!("`{text}` in a corner"), position));
                }
                // The quarters ne and sw are above and below a diagonal.
                Lettering::Quarter(at @ (1 | 2), text) if has_halves => {
                    letters.halves.insert(*at, text);
                    continue;
                }
                Lettering::Side(at, text) => {
                    letters.sides.insert(*at, text);
                    continue;
                }
                Lettering::Text(text, is_framed) => {
                    letters.is_framed |= is_framed;
                    text
                }
                Lettering::List(text) | Lettering::Quarter(_, text) => text,
            };
            match letters.text {
                Some(known) if !known.is_empty() && !text.is_empty() => {
                    return Err(not_read(&format!("a second text `{text}`"), position));
                }
                Some(known) if !known.is_empty() => {}
                _ => letters.text = Some(text),
            }
        }
        Ok(letters)
    }

    fn signs(
        &self,
        grid: SignGrid,
        position: DrawnPlace,
        spot: &DrawnSpot,
        letters: &CellLetters<'_>,
    ) -> Result<CellSigns<'_>, String> {
        let mut signs = CellSigns::default();
        let has_text = letters.text.is_some_and(|text| !text.is_empty());
        for look in &spot.looks {
            let turned = turned(position, look);
            match (self.looks.sign_of(grid, &turned), look) {
                (None, look) if self.looks.empty.as_ref().is_some_and(|empty| empty.resembles(look)) => {}
                (Some(""), _) => signs.has_none = true,
                (Some("#"), _) => signs.is_ground = true,
                (Some(arrow @ ("^" | "v" | "<" | ">")), _) => signs.arrow = Some(arrow),
                (Some(sign), _) if signs.prefix.is_none_or(|known| known == sign) => signs.prefix = Some(sign),
                (None, Look::Symbol(name, shape)) if name.starts_with("circle") && matches!(shape, 1 | 6 | 8) => {
                    signs.is_framed = true;
                }
                (None, Look::Symbol(name, _)) if name == "kakuro" && self.looks.has_halves() => {
                    signs.is_ground = true;
                }
                (None, Look::Symbol(name, _)) if name == "compass" && !letters.sides.is_empty() => {}
                (None, Look::Symbol(name, 1)) if name.starts_with("square") => signs.is_framed = true,
                (None, Look::Surface(color)) if SHADES.contains(color) && has_text => {}
                (None, look) if self.looks.background.as_ref().is_some_and(|known| known.resembles(look)) => {}
                (_, Look::Surface(color)) => return Err(not_read(&format!("the colour {color} of a cell"), position)),
                (_, Look::Symbol(name, shape)) => {
                    return Err(not_read(&format!("the symbol `{name}` {shape}"), position));
                }
                (_, Look::Nothing) => {}
            }
        }
        Ok(signs)
    }

    fn sign(
        &self,
        grid: SignGrid,
        position: DrawnPlace,
        letters: CellLetters<'_>,
        signs: CellSigns<'_>,
    ) -> Result<Option<String>, String> {
        let CellLetters { halves, sides, text, is_framed } = letters;
        let CellSigns { prefix, has_none, arrow, is_framed: is_circled, is_ground } = signs;
        if !halves.is_empty() {
            return match text.filter(|text| !text.is_empty()).or(prefix) {
                Some(other) => Err(not_read(&format!("`{other}` with a diagonal"), position)),
                None => {
                    let half = |at| halves.get(&at).copied().unwrap_or_default();
                    Ok(Some(format!("{}\\{}", half(2), half(1))))
                }
            };
        }
        if !sides.is_empty() {
            let part = |side: u8| sides.get(&side).copied().filter(|part| !part.is_empty()).unwrap_or("?");
            return Ok(Some(COMPASS.map(part).join(",")));
        }
        let allows = |sign: &str| self.looks.allows(grid, sign);
        match text {
            Some(text) if !text.is_empty() && self.looks.has_halves() && !text.contains('\\') => {
                Err(not_read(&format!("`{text}`"), position))
            }
            Some(text) if !text.is_empty() => {
                let prefix = prefix.filter(|_| self.looks.style.is_none());
                let unmarked = self.looks.sign_of(grid, &Look::Nothing).filter(|_| !has_none && !is_ground);
                let prefix = prefix.or(unmarked).unwrap_or_default();
                Ok(Some(format!("{prefix}{text}{}", arrow.unwrap_or_default())))
            }
            _ if prefix.is_some() || arrow.is_some() => {
                let number = arrow.and_then(|_| self.missing_number()).unwrap_or_default();
                Ok(Some(format!("{}{number}{}", prefix.unwrap_or_default(), arrow.unwrap_or_default())))
            }
            _ if is_ground => Ok(Some(if allows("#") { "#" } else { "?" }.to_owned())),
            Some(_) if self.looks.has_blank_clues(grid) => Ok(Some("?".to_owned())),
            _ if is_framed || is_circled => match allows("?") && self.looks.style.is_some() {
                true => Ok(Some("?".to_owned())),
                false => Err(not_read("an empty circle or square", position)),
            },
            _ => Ok(None),
        }
    }

    /// Adds what is drawn beside the board: a clue of a row or column, or a number for the board.
    fn add_beside(
        &self,
        board: &mut GridBoard,
        beside: &mut BTreeMap<(usize, usize, i64), Clue>,
        (y, x): DrawnPlace,
        spot: &DrawnSpot,
    ) -> Result<(), String> {
        let (rows, columns) = (self.drawing.size.0 as i64, self.drawing.size.1 as i64);
        let (row, column) = ((y + 1).div_euclid(2), (x + 1).div_euclid(2));
        let is_cell = y.rem_euclid(2) == 1 && x.rem_euclid(2) == 1;
        // A star is only a legend: it says that the number beside it counts stars.
        let is_legend = |look: &Look| matches!(look, Look::Symbol(name, _) if name == "star") && self.reads("stars");
        // Numbers for the cells below and to the right can be drawn as those of cells.
        let is_frame =
            |look: &Look| matches!(look, Look::Symbol(name, _) if name == "kakuro") && self.looks.has_halves();
        if let Some(look) = spot.looks.iter().find(|look| !is_legend(look) && !is_frame(look)) {
            let name = match look {
                Look::Symbol(name, _) => format!("the symbol `{name}`"),
                _ => "a colour".to_owned(),
            };
            return Err(format!("{name} beside the board, where the puzzle has nothing"));
        }
        for lettering in &spot.letters {
            let (Lettering::Text(text, _)
            | Lettering::List(text)
            | Lettering::Quarter(_, text)
            | Lettering::Side(_, text)) = lettering;
            if text.is_empty() {
                continue;
            }
            let side = match ((1..=rows).contains(&row), (1..=columns).contains(&column)) {
                (true, false) => Some((usize::from(column > 0), row, column)),
                (false, true) => Some((2 + usize::from(row > 0), column, row)),
                _ => None,
            };
            let letters = text.strip_prefix("(A-").and_then(|rest| rest.strip_suffix(')')).map(|last| last.as_bytes());
            if let (Some(&[last @ b'A'..=b'Z']), true) = (letters, self.reads("letters")) {
                let count = Clue::Number(i32::from(last - b'A') + 1);
                board.header.insert(("letters".to_owned(), vec![count]));
            } else if let Some((side, line, distance)) = side.filter(|&(side, ..)| is_cell && self.reads_beside(side)) {
                beside.insert((side, line as usize, distance), Clue::text(text));
            } else if self.reads("stars") && !board.header.iter().any(|(name, _)| name == "stars") {
                board.header.insert(("stars".to_owned(), vec![Clue::text(text)]));
            } else {
                return Err(format!("`{text}` beside the board, where the puzzle has nothing"));
            }
        }
        Ok(())
    }

    /// Returns the number of a sign whose second part is an arrow, if it has only the arrow.
    fn missing_number(&self) -> Option<&'static str> {
        let is_second = self.header.lines("Input").iter().any(|line| line.starts_with("part(R,C,2,D)"));
        let inputs = self.header.paragraph("Input").unwrap_or_default();
        is_second.then(|| if inputs.contains("0 if there is none") { "0" } else { "?" })
    }

    /// Returns true if a sign is a clue of its room, which can be in a corner.
    fn has_room_clues(&self) -> bool {
        let is_of_room = |line: &String| {
            line.starts_with("sign(")
                && ["room of cell", "room of the cell", "area of the cell"].iter().any(|words| line.contains(words))
        };
        self.header.lines("Input").iter().any(is_of_room)
    }

    fn add_missing_cells(&self, board: &mut GridBoard) -> Result<(), String> {
        let Some(&(row, column)) = self.drawing.missing.first() else { return Ok(()) };
        let inputs = self.header.paragraph("Input").unwrap_or_default();
        let has_holes = ["\"#\" is not a cell", "is not part of the board"].iter().any(|words| inputs.contains(words));
        if !has_holes || !self.looks.allows(SignGrid::Cells, "#") {
            return Err(format!(
                "row {row}, column {column} is not a cell, and the puzzle has only rectangular boards"
            ));
        }
        for &cell in &self.drawing.missing {
            board.signs.entry(cell).or_insert_with(|| Clue::text("#"));
        }
        Ok(())
    }

    fn add_borders(&self, board: &mut GridBoard) -> Result<(), String> {
        let borders: BTreeSet<DrawnPlace> =
            self.drawing.borders.iter().copied().filter(|&border| self.is_inner(border)).collect();
        let dashes = self.drawing.dashes.iter().copied().filter(|&dash| self.is_inner(dash)).collect();
        let reads_borders = self.reads("area") || self.reads("wall");
        self.check_separators(board, if reads_borders { &dashes } else { &borders })?;
        self.check_separators(board, &dashes)?;
        let is_optional = |line: &&String| line.starts_with("area(") && !line.contains("optional");
        let needs_areas = self.header.lines("Input").iter().any(|line| is_optional(&line));
        if reads_borders && (needs_areas || !borders.is_empty()) {
            board.walls = borders.iter().map(|&border| beside(border)).collect();
            board.areas = board.enclosed_areas();
            // The standard boxes of a Sudoku need no areas.
            if !needs_areas && board.rows == board.columns && board.areas == numbered(&standard_boxes(board.rows)) {
                board.walls.clear();
                board.areas.clear();
            }
        }
        Ok(())
    }

    /// Checks lines that have no meaning: they may separate whole rows or columns, as in a
    /// nonogram, or outline cells with clues.
    fn check_separators(&self, board: &GridBoard, lines: &BTreeSet<DrawnPlace>) -> Result<(), String> {
        let (rows, columns) = (2 * self.drawing.size.0 as i64, 2 * self.drawing.size.1 as i64);
        for &(y, x) in lines {
            let is_whole = match y % 2 {
                1 => (1..rows).step_by(2).all(|y| lines.contains(&(y, x))),
                _ => (1..columns).step_by(2).all(|x| lines.contains(&(y, x))),
            };
            let (one, other) = beside((y, x));
            if !is_whole && !board.signs.contains_key(&one) && !board.signs.contains_key(&other) {
                let ((row, column), (other_row, other_column)) = (one, other);
                return Err(format!(
                    "a line between row {row}, column {column} and row {other_row}, column {other_column}, which the puzzle does not have"
                ));
            }
        }
        Ok(())
    }
}

fn cell_at((y, x): DrawnPlace) -> Cell {
    ((y as usize).div_ceil(2), (x as usize).div_ceil(2))
}

/// Signs on borders mean an arrow to the left or right, and on borders below cells one that is
/// turned to the right.
pub fn turned((y, x): DrawnPlace, look: &Look) -> Look {
    match look {
        Look::Symbol(name, shape @ (3 | 7)) if name.starts_with("arrow") && y % 2 == 0 && x % 2 == 1 => {
            Look::Symbol(name.clone(), shape - 2)
        }
        other => other.clone(),
    }
}

/// Returns the cells on both sides of a border.
pub fn beside((y, x): DrawnPlace) -> (Cell, Cell) {
    let cell = |y: i64, x: i64| ((y as usize).div_ceil(2), (x as usize).div_ceil(2));
    if y % 2 == 0 { (cell(y - 1, x), cell(y + 1, x)) } else { (cell(y, x - 1), cell(y, x + 1)) }
}

/// Returns an error about something that the puzzle does not have.
pub fn not_read(what: &str, position: DrawnPlace) -> String {
    format!("{what} {}, which the puzzle does not have", describe(GridPoint::At(position)))
}

/// Names the first element of a spot.
fn first_name(spot: &DrawnSpot) -> String {
    match (spot.letters.first(), spot.looks.first()) {
        (
            Some(
                Lettering::Text(text, _)
                | Lettering::List(text)
                | Lettering::Quarter(_, text)
                | Lettering::Side(_, text),
            ),
            _,
        ) => {
            format!("`{text}`")
        }
        (None, Some(Look::Symbol(name, shape))) => format!("the symbol `{name}` {shape}"),
        (None, Some(Look::Surface(color))) => format!("the colour {color}"),
        _ => "something".to_owned(),
    }
}
