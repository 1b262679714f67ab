//! Boards in the addresses of puzzle editors: penpa-edit, SudokuPad and f-puzzles. An address
//! contains its whole board, so nothing is downloaded.
//!
//! ```text
//!   https://swaroopg92.github.io/penpa-edit/#m=edit&p=…     base64, raw deflate, lines: size, margins, …, layers
//!   https://www.f-puzzles.com/?load=…                       lz-string, JSON
//!   https://sudokupad.app/scl… or …/fpuz…                   lz-string, abbreviated JSON, or JSON of f-puzzles
//! ```
//!
//! A drawing does not define the meaning of a number, a circle or a black cell. The `Signs` and the
//! `Input` of the puzzle's header do. The meaning of a constraint such as a cage or a thermometer
//! is defined by the `Address` of a variant's header. Anything else in a drawing is an error, since
//! ignoring it could change the rules.
//!
//! ```text
//!   Address    killercage: cage value cells      each object becomes a header line `cage 15 r1c1 r1c2`
//!              arrow: arrow lines cells=1        each of its lines becomes one; they must begin in its only cell
//!              ratio: black pair value=2         the object must have two cells, and the value 2 or none
//!              antiknight: variant antiknight    selects the variant if the value is true
//! ```

use std::collections::{BTreeMap, BTreeSet};

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use serde_json::Value;

use super::board::{Clue, ClueGrid, GridBoard, SIDES, check_size, numbered};
use super::fields::{Field, is_empty, not_supported};
use super::header::Header;
use super::link::{one_line, unescaped_characters};
use crate::words;

/// Maximum size of a decompressed drawing, in bytes.
const MAX_DECOMPRESSED: usize = 1 << 24;
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
/// Keys of cells in f-puzzles that do not change the rules: colours, and a player's notes.
const COSMETIC_KEYS_OF_CELLS: [&str; 7] =
    ["c", "cArray", "highlight", "highlightArray", "centerPencilMarks", "cornerPencilMarks", "candidates"];
/// Keys of constraints in f-puzzles that do not change the rules.
const COSMETIC_KEYS_OF_CONSTRAINTS: [&str; 7] = ["baseC", "outlineC", "fontC", "size", "width", "height", "angle"];
/// Keys of the decorations in f-puzzles, which are drawn but have no meaning by themselves.
const DECORATIONS: [&str; 5] = ["line", "text", "circle", "rectangle", "cage"];
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
/// Layers of drawings in penpa-edit that do not change the rules.
const COSMETIC_KEYS_OF_PENPA: [&str; 3] = ["command_redo", "command_undo", "command_replay"];
/// Keys of metadata in f-puzzles and SudokuPad that do not change the rules. (Other keys, such as
/// `antiknight` or `norowcol`, do.)
const COSMETIC_METADATA: [&str; 14] = [
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

/// A drawing whose items have not been interpreted yet.
#[derive(Debug, Default)]
pub struct EditorBoard {
    /// Possible names of the puzzle.
    pub names: Vec<String>,
    size: (usize, usize),
    /// Items by row and column, counted from 1. Places outside the board are at its sides.
    items: BTreeMap<(i64, i64), Vec<Item>>,
    /// Pairs of adjacent cells with a border between them.
    borders: Vec<((i64, i64), (i64, i64))>,
    /// The area of each cell.
    areas: ClueGrid,
    /// Further constraints of a Sudoku, as keys and values of f-puzzles.
    constraints: Vec<(String, Value)>,
}

#[derive(Debug, Clone)]
enum Item {
    /// A text, with true if it is in a circle or a square.
    Text(String, bool),
    /// Several numbers in one cell.
    Numbers(String),
    /// The number of a corner, and a text above or below a diagonal of the cell.
    Half(usize, String),
    Black,
    /// The name and the shape of a symbol.
    Symbol(String, i64),
}

/// Reads the drawing in the address of an editor. Returns `None` if the text is not such an
/// address.
pub fn read(text: &str) -> Option<Result<EditorBoard, String>> {
    const MARKERS: [&str; 5] = ["penpa-edit", "f-puzzles.", "sudokupad.", "crackingthecryptic.", "m="];
    let line = one_line(text)?;
    let first_word = line.text.split_whitespace().next()?;
    // In an address that begins with http, plus signs may have been replaced by blanks.
    let is_address = first_word.len() == line.text.len() || first_word.starts_with("http");
    if !is_address || !MARKERS.iter().any(|marker| first_word.contains(marker)) {
        return None;
    }
    let address: String = unescaped_characters(line).into_iter().map(|(_, character)| character).collect();
    let (host, rest) = address
        .split_once("://")
        .map_or(("", &*address), |(_, rest)| rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len())));
    let parameter = |name: &str| {
        let mut pairs = rest.split(['?', '#', '&']).filter_map(|pair| pair.split_once('='));
        pairs.find(|(known, _)| *known == name).map(|(_, value)| value)
    };
    let is_mode = |mode: &str| matches!(mode, "edit" | "solve" | "solve_sol" | "compsolve");
    if let (Some(mode), Some(packed)) = (parameter("m"), parameter("p")) {
        return is_mode(mode).then(|| penpa(packed));
    }
    if host.ends_with("f-puzzles.com") {
        let none = || "the address contains no board: expected a part `load=`".to_owned();
        return Some(parameter("load").ok_or_else(none).and_then(f_puzzles));
    }
    if host.ends_with("sudokupad.app") || host.ends_with("crackingthecryptic.com") {
        let id = parameter("puzzleid").unwrap_or_else(|| rest.trim_start_matches('/').trim_start_matches("sudoku/"));
        return Some(sudoku_pad(id.split(['?', '&']).next().unwrap_or_default()));
    }
    None
}

impl EditorBoard {
    /// Sets the areas, unless they are the standard boxes.
    fn with_areas(mut self, areas: ClueGrid) -> Self {
        self.areas = if numbered(&areas) == numbered(&standard_boxes(self.size.0)) { ClueGrid::new() } else { areas };
        self
    }

    fn add_item(&mut self, place: (i64, i64), item: Item) {
        self.items.entry(place).or_default().push(item);
    }

    /// Checks the borders inside the board of a puzzle in which they have no meaning: they may only
    /// separate whole rows or columns, as in a nonogram.
    fn check_separators(&self) -> Result<(), String> {
        let (rows, columns) = (self.size.0 as i64, self.size.1 as i64);
        let is_on_board = |(row, column): (i64, i64)| (1..=rows).contains(&row) && (1..=columns).contains(&column);
        let borders: BTreeSet<_> = self.borders.iter().copied().collect();
        let has = |one: (i64, i64), other: (i64, i64)| borders.contains(&(one, other));
        for &(one, other) in self.borders.iter().filter(|(one, other)| is_on_board(*one) && is_on_board(*other)) {
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

    /// Interprets the drawing as a board of a puzzle. `header` is the header of the puzzle, and
    /// `addresses` are the `Address` lines of its variants.
    pub fn board(&self, header: &Header, addresses: &[&str]) -> Result<GridBoard, String> {
        let (rows, columns) = self.size;
        let signs = header.paragraph("Signs").unwrap_or_default();
        let has_sign = |sign: &str| signs.contains(&format!("\"{sign}\""));
        let inputs = header.inputs();
        let reads = |name: &str| inputs.iter().any(|known| known == name);
        let (rows_end, columns_end) = (rows as i64, columns as i64);
        let mut board = GridBoard::of_size(rows, columns);
        let mut side_clues = [(); 4].map(|()| BTreeMap::<(usize, i64), Clue>::new());
        for (&(row, column), items) in &self.items {
            let is_row = (1..=rows_end).contains(&row);
            let is_column = (1..=columns_end).contains(&column);
            let not_read = |what: &str| match is_row && is_column {
                true => format!("{what} in row {row}, column {column}, which the puzzle does not have"),
                false => format!("{what} beside the board, where the puzzle has nothing"),
            };
            let mut halves = BTreeMap::<usize, &str>::new();
            let mut text = String::new();
            let mut is_framed = false;
            let mut symbol = None;
            for item in items {
                match item {
                    // Corners 1 and 2 are above and below a diagonal.
                    Item::Half(at @ (1 | 2), half) if has_sign("\\") => _ = halves.insert(*at, half),
                    Item::Half(_, half) if half.is_empty() => {}
                    Item::Half(_, half) => return Err(not_read(&format!("`{half}` in a corner"))),
                    Item::Text(written, framed) if text.is_empty() => {
                        text.clone_from(written);
                        is_framed |= framed;
                    }
                    Item::Numbers(written) if text.is_empty() => text.clone_from(written),
                    Item::Text(written, _) | Item::Numbers(written) => {
                        return Err(not_read(&format!("a second text `{written}`")));
                    }
                    Item::Black if has_sign("#") => symbol = Some("#"),
                    Item::Black => return Err(not_read("a black cell")),
                    Item::Symbol(name, 1) if name.starts_with("circle") && has_sign("o") => symbol = Some("o"),
                    Item::Symbol(name, 2) if name.starts_with("circle") && has_sign("*") => symbol = Some("*"),
                    Item::Symbol(name, 1) if name.starts_with("circle") && !has_sign("o") => is_framed = true,
                    Item::Symbol(name, _) if name == "tents" && has_sign("T") => symbol = Some("T"),
                    Item::Symbol(name, _) if name == "kakuro" && has_sign("#") => symbol = Some("#"),
                    // A star beside the board is only a legend: it says that the number beside it
                    // counts stars.
                    Item::Symbol(name, _) if name == "star" && reads("stars") && !(is_row && is_column) => {}
                    Item::Symbol(name, _) => return Err(not_read(&format!("the symbol `{name}`"))),
                }
            }
            let place = (row.max(0) as usize, column.max(0) as usize);
            if is_row && is_column {
                let sign = match symbol {
                    _ if !halves.is_empty() && !text.is_empty() => {
                        return Err(not_read(&format!("`{text}` with a diagonal")));
                    }
                    None | Some("#") if !halves.is_empty() => {
                        let half = |at| halves.get(&at).copied().unwrap_or_default();
                        format!("{}\\{}", half(2), half(1))
                    }
                    // The clue of a black cell with a number is the number.
                    None | Some("#") if !text.is_empty() => text,
                    Some(symbol) if text.is_empty() && halves.is_empty() => symbol.to_owned(),
                    None if !is_framed => continue,
                    None if has_sign("?") => "?".to_owned(),
                    None => return Err(not_read("an empty circle or square")),
                    Some(_) => return Err(not_read(&format!("`{text}` with a symbol"))),
                };
                let read = Clue::read(&sign)?.ok_or_else(|| not_read(&format!("the text `{sign}`")))?;
                board.signs.insert(place, read);
            } else if symbol.is_some() || !halves.is_empty() {
                return Err(not_read("a symbol"));
            } else if !text.is_empty() {
                let sign = Clue::text(&text);
                let side = match (is_row, is_column) {
                    (true, _) => usize::from(column > columns_end),
                    (_, true) => 2 + usize::from(row > rows_end),
                    _ => SIDES.len(),
                };
                if let Some(list) = side_clues.get_mut(side).filter(|_| reads(SIDES[side])) {
                    list.insert(if is_row { (place.0, column) } else { (place.1, row) }, sign);
                } else if reads("stars") && !board.header.iter().any(|(name, _)| name == "stars") {
                    board.header.insert(("stars".to_owned(), vec![sign]));
                } else {
                    return Err(not_read(&format!("`{text}`")));
                }
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
        let is_on_board =
            |(row, column): (i64, i64)| (1..=rows_end).contains(&row) && (1..=columns_end).contains(&column);
        if reads("area") || reads("wall") {
            let cell = |(row, column): (i64, i64)| (row as usize, column as usize);
            let inside = self.borders.iter().filter(|(one, other)| is_on_board(*one) && is_on_board(*other));
            board.walls = inside.map(|&(one, other)| (cell(one), cell(other))).collect();
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
                        board.header.extend(header_lines(&Field::new(&name, &Value::from(true)), words(&name)?)?);
                    }
                }
                None => board.header.extend(header_lines(&Field::new(name, value), words(name)?)?),
            }
        }
        Ok(board)
    }
}

/// Converts a constraint of f-puzzles to header lines. `words` is the rest of its `Address` line.
fn header_lines(constraint: &Field<'_>, words: &str) -> Result<Vec<(String, Vec<Clue>)>, String> {
    let (line, words) =
        words.split_once(' ').ok_or_else(|| format!("`{}` has no words in the header", constraint.path()))?;
    if line == "variant" {
        let lines = constraint.flag()?.then(|| (line.to_owned(), vec![Clue::text(words)]));
        return Ok(lines.into_iter().collect());
    }
    let mut all = Vec::new();
    for object in constraint.list()? {
        let lists = object.object(|fields| {
            fields.skip(&COSMETIC_KEYS_OF_CONSTRAINTS);
            let mut lists = vec![Vec::new()];
            let mut first_cells = Vec::new();
            for word in words.split(' ') {
                match word.split_once('=').unwrap_or((word, "")) {
                    ("value", "") => {
                        let value = fields.take_stated("value", "").map(|value| value.natural()).transpose()?;
                        lists[0].push(value.map_or(Clue::text("?"), |value| Clue::Number(value as i32)));
                    }
                    ("value", expected) => {
                        let value = fields.take_stated("value", "");
                        let other = value
                            .filter(|value| value.natural().ok().map(|it| it.to_string()).as_deref() != Some(expected));
                        other.map_or(Ok(()), |other| Err(other.wrong(expected)))?;
                    }
                    ("cell", _) => lists[0].push(f_puzzles_cell(&fields.require("cell")?)?),
                    ("cells", "") => lists[0].extend(f_puzzles_cells(&fields.require("cells")?)?),
                    ("pair", _) => {
                        let cells = fields.require("cells")?;
                        lists[0].extend(f_puzzles_cells(&cells)?);
                        (lists[0].len() == 2).then_some(()).ok_or_else(|| cells.wrong("2 cells"))?;
                    }
                    ("cells", count) => {
                        let cells = fields.require("cells")?;
                        first_cells = f_puzzles_cells(&cells)?;
                        (first_cells.len().to_string() == count)
                            .then_some(())
                            .ok_or_else(|| cells.wrong(&words::count(count, "cell", "cells")))?;
                    }
                    ("lines", _) => {
                        let lines = fields.require("lines")?;
                        lists = lines.list()?.iter().map(f_puzzles_cells).collect::<Result<_, _>>()?;
                        (!lists.is_empty()).then_some(()).ok_or_else(|| lines.wrong("a line"))?;
                    }
                    (other, _) => {
                        return Err(format!("`{}` has the unknown word {other} in the header", constraint.path()));
                    }
                }
            }
            if lists.iter().all(|list| list.starts_with(&first_cells)) {
                Ok(lists)
            } else {
                Err(object.wrong("lines that begin in `cells`"))
            }
        })?;
        all.extend(lists.into_iter().map(|list| (line.to_owned(), list)));
    }
    Ok(all)
}

/// Parses a cell such as `R1C2`.
fn f_puzzles_cell(field: &Field<'_>) -> Result<Clue, String> {
    let sign = Clue::text(&field.text().unwrap_or_default().to_ascii_lowercase());
    sign.cell().map(|_| sign).ok_or_else(|| field.wrong("a cell such as R1C2"))
}

fn f_puzzles_cells(field: &Field<'_>) -> Result<Vec<Clue>, String> {
    let cells: Vec<Clue> = field.list()?.iter().map(f_puzzles_cell).collect::<Result<_, _>>()?;
    if cells.is_empty() { Err(field.wrong("a list of cells")) } else { Ok(cells) }
}

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

fn penpa(packed: &str) -> Result<EditorBoard, String> {
    let config = GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    let damaged = |what: &str| format!("an address of penpa-edit whose drawing cannot be decompressed: {what}");
    let bytes = GeneralPurpose::new(&STANDARD, config).decode(packed).map_err(|error| damaged(&error.to_string()))?;
    let bytes = miniz_oxide::inflate::decompress_to_vec_with_limit(&bytes, MAX_DECOMPRESSED)
        .map_err(|error| damaged(&error.to_string()))?;
    let text = expand_abbreviations(&String::from_utf8(bytes).map_err(|_| damaged("not valid UTF-8"))?);
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
    let mut names = Vec::new();
    // Tags can name the puzzle.
    for tag in serde_json::from_str::<Vec<String>>(line(17)).unwrap_or_default() {
        if kind == "sudoku" && !["classic", "sudoku"].contains(&&*tag) {
            return Err(format!("a Sudoku with the unsupported tag `{tag}`"));
        }
        names.push(tag.clone());
        names.extend(tag.split(|sign: char| !sign.is_alphanumeric() && sign != ' ').map(str::to_owned));
    }
    names.extend((kind != "square").then(|| kind.to_owned()));
    names.extend(
        line(0)
            .split("Title:")
            .nth(1)
            .and_then(|title| title.split(',').next())
            .into_iter()
            .flat_map(|title| title.split(|sign: char| !sign.is_alphanumeric()).map(str::to_owned).collect::<Vec<_>>()),
    );
    let mut result = EditorBoard { names, size: (rows, columns), ..EditorBoard::default() };
    // Two rows and columns of points surround the cells.
    let grid = PenpaGrid { width: width + 4, points: (width + 4) * (height + 4), margins: (margin(0), margin(2)) };
    Field::new("", &drawn).object(|layers| {
        layers.skip(&COSMETIC_KEYS_OF_PENPA);
        let mut layer = |name: &str| layers.take(name).map_or(Ok(Vec::new()), |layer| layer.entries());
        for (key, field) in layer("number")? {
            result.add_item(grid.cell(key, &field)?, penpa_number(&field)?);
        }
        for (key, field) in layer("numberS")? {
            // Each cell has four corners, whose numbers follow the first 4 · `points` numbers.
            let corner = grid.number(key).filter(|corner| (4 * grid.points..8 * grid.points).contains(corner));
            let corner = corner.ok_or_else(|| not_supported(field.path()))?;
            let text = text_or_number(&field.at(0)).ok_or_else(|| field.wrong("a text"))?;
            result.add_item(grid.place(corner / 4 - grid.points), Item::Half((corner % 4) as usize, text));
        }
        for (key, field) in layer("symbol")? {
            let shape = field.at(0);
            let bits = shape.value.as_array().map(|bits| bits.iter().position(|bit| *bit == 1));
            let shape = match bits {
                Some(bit) => Some(1 + bit.unwrap_or(0) as i64),
                None => shape.value.as_i64(),
            };
            let shape = shape.ok_or_else(|| field.wrong("a shape and the name of a symbol"))?;
            let name = field.at(1).text().map_err(|_| field.wrong("a shape and the name of a symbol"))?.to_owned();
            result.add_item(grid.cell(key, &field)?, Item::Symbol(name, shape));
        }
        for (key, field) in layer("surface")? {
            if *field.value != 4 {
                return Err(field.wrong("4, which is black: other colours are not supported"));
            }
            result.add_item(grid.cell(key, &field)?, Item::Black);
        }
        if kind == "kakuro" {
            // The first row and column are black even if they are not drawn as black.
            for row in 0..height {
                result.add_item(grid.place((row + 2) * (width + 4) + 2), Item::Symbol(kind.to_owned(), 0));
            }
            for column in 0..width {
                result.add_item(grid.place(2 * (width + 4) + column + 2), Item::Symbol(kind.to_owned(), 0));
            }
        }
        for (key, field) in layer("lineE")? {
            // The number of a corner is `points` plus the number of the cell to its upper left.
            let corner = |text: &str| {
                grid.number(text)
                    .and_then(|corner| corner.checked_sub(grid.points))
                    .filter(|corner| (0..grid.points).contains(corner))
            };
            let ends = key.split_once(',').and_then(|(one, other)| Some((corner(one)?, corner(other)?)));
            let (one, other) = ends.ok_or_else(|| not_supported(field.path()))?;
            let (one, other) = (grid.place(one.min(other)), grid.place(one.max(other)));
            result.borders.push(match (other.0 - one.0, other.1 - one.1) {
                (1, 0) => (other, (other.0, other.1 + 1)),
                (0, 1) => (other, (other.0 + 1, other.1)),
                _ => return Err(not_supported(field.path())),
            });
        }
        // Layers that are not read must be empty.
        let is_drawn = |layer: &Field<'_>| match layer.value {
            Value::Array(items) => !items.iter().all(is_empty),
            other => !is_empty(other),
        };
        layers.take_all().iter().find(|layer| is_drawn(layer)).map_or(Ok(()), |layer| Err(not_supported(layer.path())))
    })?;
    Ok(result)
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

fn decompress(packed: &str) -> Result<String, String> {
    if packed.len() > MAX_COMPRESSED {
        return Err(format!("a board of {} characters; a Sudoku has no more than {MAX_COMPRESSED}", packed.len()));
    }
    // In some addresses, plus signs have been replaced by blanks.
    let units = lz_str::decompress_from_base64(&packed.replace("%20", "+").replace(' ', "+"));
    units.and_then(|units| String::from_utf16(&units).ok()).ok_or_else(|| "its board cannot be decompressed".to_owned())
}

/// Creates the drawing of a Sudoku with these numbers.
fn sudoku(side: usize, numbers: Vec<((usize, usize), usize)>) -> EditorBoard {
    let items = numbers
        .into_iter()
        .map(|((row, column), number)| ((row as i64, column as i64), vec![Item::Text(number.to_string(), false)]));
    EditorBoard {
        names: vec!["sudoku".to_owned()],
        size: (side, side),
        items: items.collect(),
        ..EditorBoard::default()
    }
}

/// Returns the standard boxes of a Sudoku: the number of the box of each cell, from 0.
pub fn standard_boxes(side: usize) -> ClueGrid {
    let height = (1..=side.isqrt()).rev().find(|height| side.is_multiple_of(*height)).unwrap_or(1);
    let area = |(row, column): (usize, usize)| (row - 1) / height * height + (column - 1) / (side / height);
    GridBoard::of_size(side, side).cells().map(|cell| (cell, Clue::Number(area(cell) as i32))).collect()
}

/// The row and the column of cells, counted from 1, and their values.
type CellFields<'a> = Vec<((usize, usize), Field<'a>)>;

/// Reads the cells of a square board.
fn square_cells<'a>(rows: &Field<'a>) -> Result<CellFields<'a>, String> {
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

fn f_puzzles(packed: &str) -> Result<EditorBoard, String> {
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
        for (place, cell) in cells {
            let (number, area) = cell.object(|cell| {
                cell.skip(&COSMETIC_KEYS_OF_CELLS);
                let is_given = cell.take("given").map_or(Ok(false), |given| given.flag())?;
                let value = cell.take_stated("value", "");
                // Numbers entered by a player are not clues.
                let number = match value {
                    Some(value) if is_given => Some(value.natural_up_to(side)?),
                    Some(value) if value.natural()? <= side => None,
                    Some(value) => return Err(value.wrong(&format!("a number from 1 to {side}"))),
                    None if is_given => return Err(format!("`{}` is missing beside `given`", cell.path_of("value"))),
                    None => None,
                };
                // A cell whose area is not its standard box has the number of its area, from 0.
                let area = cell.take("region").map(|region| {
                    let number = region.natural().ok().filter(|number| *number < side);
                    number.ok_or_else(|| region.wrong(&format!("the number of an area, from 0 to {}", side - 1)))
                });
                Ok((number, area.transpose()?))
            })?;
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
        Ok(EditorBoard { constraints: others, ..sudoku(side, numbers).with_areas(areas) })
    })
}

/// Converts the name of a constraint to its key in f-puzzles: its letters and digits in lower case.
fn constraint_key(name: &str) -> String {
    name.chars().filter(|sign| sign.is_alphanumeric()).collect::<String>().to_ascii_lowercase()
}

fn skip_metadata(metadata: Option<Field<'_>>) -> Result<(), String> {
    metadata.map_or(Ok(()), |metadata| {
        metadata.object(|metadata| {
            metadata.skip(&COSMETIC_METADATA);
            Ok(())
        })
    })
}

fn sudoku_pad(id: &str) -> Result<EditorBoard, String> {
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
    Field::new("", &board).object(|board| {
        board.skip(&COSMETIC_KEYS_OF_SUDOKU_PAD);
        skip_metadata(board.take("metadata"))?;
        let cells = square_cells(&board.take_either("cells", "ce").ok_or("its board has no `cells`")?)?;
        let side = cells.len().isqrt();
        let mut numbers = Vec::new();
        for (place, cell) in cells {
            let number = cell.object(|cell| {
                cell.skip(&["c", "color", "colour"]);
                cell.take_stated("value", "v").map(|value| value.natural_up_to(side)).transpose()
            })?;
            numbers.extend(number.map(|number| (place, number)));
        }
        let mut areas = ClueGrid::new();
        if let Some(regions) = board.take_either("regions", "re") {
            for (number, region) in (1..).zip(regions.list()?) {
                for (place, cell) in sudoku_pad_cells(&region, side)? {
                    if areas.insert(place, Clue::Number(number)).is_some() {
                        return Err(cell.wrong("a cell that is in no other area"));
                    }
                }
            }
            if areas.len() != side * side {
                return Err("a Sudoku whose areas do not fill its board".to_owned());
            }
        }
        let mut cages = Vec::new();
        for cage in board.take_stated("cages", "ca").map_or(Ok(Vec::new()), |cages| cages.list())? {
            cages.extend(sudoku_pad_cage(&cage, side)?);
        }
        let others = vec![("killercage".to_owned(), Value::from(cages))];
        Ok(EditorBoard { constraints: others, ..sudoku(side, numbers).with_areas(areas) })
    })
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

/// Converts a cage of SudokuPad to one of f-puzzles. Returns `None` if the cage contains only
/// metadata such as `title: …`.
fn sudoku_pad_cage(cage: &Field<'_>, side: usize) -> Result<Option<Value>, String> {
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
        if let Some(kind) =
            fields.take("type").filter(|kind| !["killer", "rowcol"].map(Value::from).contains(kind.value))
        {
            return Err(kind.wrong("\"killer\" or \"rowcol\""));
        }
        let total = match (&sum, &value) {
            (Some(sum), Some(value)) if sum.natural()? != value.natural()? => {
                return Err(value.wrong(&format!("{}, as `sum` has it", sum.natural()?)));
            }
            (Some(total), _) | (None, Some(total)) => Value::from(total.natural()?),
            (None, None) if is_unique => Value::Null,
            (None, None) => return Err(cage.wrong("a cage with `value`, `sum` or `unique`")),
        };
        let names: Vec<String> = cells.iter().map(|((row, column), _)| format!("R{row}C{column}")).collect();
        Ok(Some(serde_json::json!({ "value": total, "cells": names })))
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
