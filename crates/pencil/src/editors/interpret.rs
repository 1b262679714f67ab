//! The meaning of a drawing as a board of a puzzle.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::super::board::{Cell, Clue, GridBoard, SIDES};
use super::super::fields::{Field, is_empty, not_supported};
use super::super::header::Header;
use super::constraints::add_constraint;
use super::editor_board::{EditorBoard, Item};

/// The signs and the inputs of a puzzle.
struct PuzzleInputs<'a> {
    signs: String,
    inputs: Vec<&'a str>,
}

impl PuzzleInputs<'_> {
    fn has_sign(&self, sign: &str) -> bool {
        self.signs.contains(&format!("\"{sign}\""))
    }

    fn reads(&self, name: &str) -> bool {
        self.inputs.contains(&name)
    }
}

/// A place on the board, or beside it.
#[derive(Clone, Copy)]
struct DrawnPlace {
    row: i64,
    column: i64,
    is_row: bool,
    is_column: bool,
}

impl DrawnPlace {
    fn of((row, column): (i64, i64), (rows, columns): (usize, usize)) -> Self {
        let (is_row, is_column) = ((1..=rows as i64).contains(&row), (1..=columns as i64).contains(&column));
        DrawnPlace { row, column, is_row, is_column }
    }

    fn is_on_board(self) -> bool {
        self.is_row && self.is_column
    }

    /// Returns the index of the side in [`SIDES`], if a row or column ends at this place.
    fn side(self) -> Option<usize> {
        match (self.is_row, self.is_column) {
            (true, _) => Some(usize::from(self.column > 0)),
            (_, true) => Some(2 + usize::from(self.row > 0)),
            _ => None,
        }
    }

    /// Returns an error about something at this place.
    fn not_read(self, what: &str) -> String {
        let DrawnPlace { row, column, .. } = self;
        match self.is_on_board() {
            true => format!("{what} in row {row}, column {column}, which the puzzle does not have"),
            false => format!("{what} beside the board, where the puzzle has nothing"),
        }
    }
}

/// The items of a place as signs of a puzzle.
#[derive(Default)]
struct PlaceContent<'a> {
    /// The texts below and above a diagonal, by corner.
    halves: BTreeMap<usize, &'a str>,
    text: String,
    /// True if the text is in a circle or a square.
    is_framed: bool,
    symbol: Option<&'static str>,
}

impl<'a> PlaceContent<'a> {
    fn of(items: &'a [Item], place: DrawnPlace, puzzle: &PuzzleInputs<'_>) -> Result<Self, String> {
        let mut content = PlaceContent::default();
        for item in items {
            content.add(item, place, puzzle)?;
        }
        Ok(content)
    }

    fn add(&mut self, item: &'a Item, place: DrawnPlace, puzzle: &PuzzleInputs<'_>) -> Result<(), String> {
        let has_sign = |sign: &str| puzzle.has_sign(sign);
        match item {
            // Corners 1 and 2 are above and below a diagonal.
            Item::Half(at @ (1 | 2), half) if has_sign("\\") => {
                self.halves.insert(*at, half);
            }
            Item::Half(_, half) if half.is_empty() => {}
            Item::Half(_, half) => return Err(place.not_read(&format!("`{half}` in a corner"))),
            Item::Text(written, framed) if self.text.is_empty() => {
                self.text.clone_from(written);
                self.is_framed |= framed;
            }
            Item::Numbers(written) if self.text.is_empty() => self.text.clone_from(written),
            Item::Text(written, _) | Item::Numbers(written) => {
                return Err(place.not_read(&format!("a second text `{written}`")));
            }
            Item::Black if has_sign("#") => self.symbol = Some("#"),
            Item::Black => return Err(place.not_read("a black cell")),
            Item::Symbol(name, 1) if name.starts_with("circle") && has_sign("o") => self.symbol = Some("o"),
            Item::Symbol(name, 2) if name.starts_with("circle") && has_sign("*") => self.symbol = Some("*"),
            Item::Symbol(name, 1) if name.starts_with("circle") && !has_sign("o") => self.is_framed = true,
            Item::Symbol(name, _) if name == "tents" && has_sign("T") => self.symbol = Some("T"),
            Item::Symbol(name, _) if name == "kakuro" && has_sign("#") => self.symbol = Some("#"),
            // A star beside the board is only a legend: it says that the number beside it counts
            // stars.
            Item::Symbol(name, _) if name == "star" && puzzle.reads("stars") && !place.is_on_board() => {}
            Item::Symbol(name, _) => return Err(place.not_read(&format!("the symbol `{name}`"))),
        }
        Ok(())
    }

    /// Returns the sign of a cell, `None` if the cell has none.
    fn cell_sign(self, place: DrawnPlace, puzzle: &PuzzleInputs<'_>) -> Result<Option<Clue>, String> {
        let PlaceContent { halves, text, is_framed, symbol } = self;
        let sign = match symbol {
            _ if !halves.is_empty() && !text.is_empty() => {
                return Err(place.not_read(&format!("`{text}` with a diagonal")));
            }
            None | Some("#") if !halves.is_empty() => {
                let half = |at| halves.get(&at).copied().unwrap_or_default();
                format!("{}\\{}", half(2), half(1))
            }
            // The clue of a black cell with a number is the number.
            None | Some("#") if !text.is_empty() => text,
            Some(symbol) if text.is_empty() && halves.is_empty() => symbol.to_owned(),
            None if !is_framed => return Ok(None),
            None if puzzle.has_sign("?") => "?".to_owned(),
            None => return Err(place.not_read("an empty circle or square")),
            Some(_) => return Err(place.not_read(&format!("`{text}` with a symbol"))),
        };
        let read = Clue::read(&sign)?;
        read.map(Some).ok_or_else(|| place.not_read(&format!("the text `{sign}`")))
    }
}

/// The clues at each side, by line and distance.
type SideClues = [BTreeMap<(usize, i64), Clue>; 4];

impl EditorBoard {
    /// Interprets the drawing as a board of a puzzle. `header` is the header of the puzzle, and
    /// `addresses` are the `Address` lines of its variants.
    pub fn board(&self, header: &Header, addresses: &[&str]) -> Result<GridBoard, String> {
        let puzzle = PuzzleInputs { signs: header.paragraph("Signs").unwrap_or_default(), inputs: header.inputs() };
        let mut board = GridBoard::of_size(self.size.0, self.size.1);
        let mut side_clues = SideClues::default();
        for (&(row, column), items) in &self.items {
            let place = DrawnPlace::of((row, column), self.size);
            let content = PlaceContent::of(items, place, &puzzle)?;
            if place.is_on_board() {
                let sign = content.cell_sign(place, &puzzle)?;
                board.signs.extend(sign.map(|sign| ((row as usize, column as usize), sign)));
            } else {
                add_side_clue(&mut board, &mut side_clues, content, place, &puzzle)?;
            }
        }
        for (side, list) in side_clues.into_iter().enumerate() {
            let mut next = BTreeMap::<usize, usize>::new();
            for ((line, _), sign) in list {
                let index = next.entry(line).or_insert(0);
                *index += 1;
                board.around[side].insert((line, *index), sign);
            }
        }
        self.add_areas(&mut board, puzzle.reads("area") || puzzle.reads("wall"))?;
        board.header.extend(self.lines.iter().cloned());
        self.add_constraints(&mut board, addresses)?;
        let mark = |(&(row, column), numbers): (&Cell, &Vec<usize>)| {
            (vec![row, column], number_literal((row, column), numbers))
        };
        board.player_marks = self.entries.iter().map(mark).collect();
        Ok(board)
    }

    fn add_areas(&self, board: &mut GridBoard, reads_borders: bool) -> Result<(), String> {
        if reads_borders {
            let cell = |(row, column): (i64, i64)| (row as usize, column as usize);
            board.walls = self.inner_borders().map(|(one, other)| (cell(one), cell(other))).collect();
            board.areas = board.enclosed_areas();
            if board.areas.values().all(|&area| area == 1) {
                board.areas.clear();
                board.walls.clear();
            }
        } else {
            self.check_separators()?;
        }
        if !self.areas.is_empty() {
            board.set_areas(&self.areas);
        }
        Ok(())
    }

    fn add_constraints(&self, board: &mut GridBoard, addresses: &[&str]) -> Result<(), String> {
        for (name, value) in self.constraints.iter().filter(|(_, value)| !is_empty(value)) {
            let words = |name: &str| {
                let mut known = addresses.iter().filter_map(|line| line.split_once(": "));
                let address = known.find(|(known, _)| *known == name).map(|(_, words)| words);
                address.ok_or_else(|| not_supported(name))
            };
            match value.as_array().and_then(|list| list.iter().map(Value::as_str).collect::<Option<Vec<_>>>()) {
                Some(values) => {
                    for value in values {
                        let name = format!("{name}={value}");
                        add_constraint(board, &Field::new(&name, &Value::from(true)), words(&name)?)?;
                    }
                }
                None => add_constraint(board, &Field::new(name, value), words(name)?)?,
            }
        }
        Ok(())
    }

    /// Returns the borders between two cells of the board.
    fn inner_borders(&self) -> impl Iterator<Item = ((i64, i64), (i64, i64))> {
        let is_on_board = |place| DrawnPlace::of(place, self.size).is_on_board();
        self.borders.iter().copied().filter(move |&(one, other)| is_on_board(one) && is_on_board(other))
    }

    /// Checks the borders inside the board of a puzzle in which they have no meaning: they may only
    /// separate whole rows or columns, as in a nonogram.
    fn check_separators(&self) -> Result<(), String> {
        let (rows, columns) = (self.size.0 as i64, self.size.1 as i64);
        let borders: BTreeSet<_> = self.borders.iter().copied().collect();
        let has = |one: (i64, i64), other: (i64, i64)| borders.contains(&(one, other));
        for (one, other) in self.inner_borders() {
            let is_whole = if one.0 == other.0 {
                (1..=rows).all(|row| has((row, one.1), (row, other.1)))
            } else {
                (1..=columns).all(|column| has((one.0, column), (other.0, column)))
            };
            if !is_whole {
                let ((row, column), (other_row, other_column)) = (one, other);
                return Err(format!(
                    "a line between row {row}, column {column} and row {other_row}, column {other_column}, which the puzzle does not have"
                ));
            }
        }
        Ok(())
    }
}

/// Returns a literal that holds if the cell has one of these numbers.
fn number_literal((row, column): Cell, numbers: &[usize]) -> String {
    let all = numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(";");
    match numbers {
        [_] => format!("number({row},{column},{all})"),
        _ => format!("1 {{ number({row},{column},({all})) }}"),
    }
}

/// Adds what is drawn beside the board: a clue of a row or column, or the number of stars.
fn add_side_clue(
    board: &mut GridBoard,
    side_clues: &mut SideClues,
    content: PlaceContent<'_>,
    place: DrawnPlace,
    puzzle: &PuzzleInputs<'_>,
) -> Result<(), String> {
    let PlaceContent { halves, text, symbol, .. } = content;
    if symbol.is_some() || !halves.is_empty() {
        return Err(place.not_read("a symbol"));
    }
    if text.is_empty() {
        return Ok(());
    }
    let sign = Clue::text(&text);
    if let Some(side) = place.side().filter(|&side| puzzle.reads(SIDES[side])) {
        let (line, distance) = if place.is_row { (place.row, place.column) } else { (place.column, place.row) };
        side_clues[side].insert((line as usize, distance), sign);
    } else if puzzle.reads("stars") && !board.header.iter().any(|(name, _)| name == "stars") {
        board.header.insert(("stars".to_owned(), vec![sign]));
    } else {
        return Err(place.not_read(&format!("`{text}`")));
    }
    Ok(())
}
