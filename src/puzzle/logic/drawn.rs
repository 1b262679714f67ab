//! Boards in addresses of sites that draw: penpa-edit, SudokuPad, f-puzzles. Nothing is fetched.
//!
//! ```text
//!   https://swaroopg92.github.io/penpa-edit/#m=edit&p=…     base64, raw deflate, lines: size, margins, …, what is drawn
//!   https://www.f-puzzles.com/?load=…                       lz-string, JSON
//!   https://sudokupad.app/scl… or …/fpuz…                   lz-string, shortened JSON, or that of f-puzzles
//! ```
//!
//! A drawing has no types of clues: what a number, a circle or a black cell means the puzzle's header tells by its `Signs` and
//! `Input`, and what a cage or a thermometer means the header of a variant by its `Address`. What no puzzle here has is an error, as
//! the rules would be wrong.
//!
//! ```text
//!   Address    killercage: cage value cells      each object becomes a line `cage 15 r1c1 r1c2`
//!              arrow: arrow lines cells=1        one for each of its lines; it must have one cell
//!              ratio: black cells value=2        its value must be 2, or missing
//!              antiknight: variant antiknight    where it is true
//! ```

use std::collections::BTreeMap;

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use serde_json::{Map, Value};

use super::board::{Board, Grid, SIDES, Sign, check_size, numbered};
use super::header::Header;
use super::link::{characters, only_line};
use crate::words;

/// Of a drawing once it is unpacked, in bytes.
const MOST_UNPACKED: usize = 1 << 24;
/// Of packed lz-string, whose unpacked text may grow with the square of it.
const MOST_PACKED: usize = 1 << 14;

/// Rows of a Sudoku.
const MOST_SIDE: u64 = 1000;

/// What is drawn, before it is known what it means.
#[derive(Debug, Default)]
pub struct Drawn {
    /// The names that the puzzle may have.
    pub names: Vec<String>,
    size: (usize, usize),
    /// By row and column, from 1; others are beside the board.
    things: BTreeMap<(i64, i64), Vec<Thing>>,
    borders: Vec<((i64, i64), (i64, i64))>,
    /// By row and column, from 1.
    areas: Grid,
    /// What a Sudoku has besides, as f-puzzles writes it.
    others: Map<String, Value>,
}

#[derive(Debug, Clone)]
enum Thing {
    /// In a circle or a square, or not.
    Text(String, bool),
    /// Several numbers in a cell.
    Numbers(String),
    /// Above and below a diagonal.
    Half(usize, String),
    Black,
    Symbol(String, i64),
}

/// What an address carries, if it is one of such a site: a drawing, or what is wrong with it.
pub fn read(text: &str) -> Option<Result<Drawn, String>> {
    let line = only_line(text)?;
    const HOSTS: [&str; 5] = ["penpa-edit", "f-puzzles.", "sudokupad.", "crackingthecryptic.", "m="];
    if !HOSTS.iter().any(|host| line.text.contains(host)) {
        return None;
    }
    let address: String = characters(line).into_iter().map(|(_, character)| character).collect();
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
        let none = || "the address carries no board: a part `load=` was wanted".to_owned();
        return Some(parameter("load").ok_or_else(none).and_then(f_puzzles));
    }
    if host.ends_with("sudokupad.app") || host.ends_with("crackingthecryptic.com") {
        let id = parameter("puzzleid").unwrap_or_else(|| rest.trim_start_matches('/').trim_start_matches("sudoku/"));
        return Some(sudoku_pad(id.split(['?', '&']).next().unwrap_or_default()));
    }
    None
}

impl Drawn {
    /// With these areas, unless they are the usual ones.
    fn with_areas(mut self, areas: Grid) -> Self {
        self.areas = if numbered(&areas) == numbered(&boxes(self.size.0)) { Grid::new() } else { areas };
        self
    }

    /// The board that the drawing is to the puzzle of this header, whose variants have these addresses.
    pub fn board(&self, header: &Header, addresses: &[&str]) -> Result<Board, String> {
        let (rows, columns) = self.size;
        let signs = header.paragraph("Signs").unwrap_or_default();
        let knows = |sign: &str| signs.contains(&format!("\"{sign}\""));
        let inputs = header.inputs();
        let reads = |name: &str| inputs.iter().any(|known| known == name);
        let (rows_end, columns_end) = (rows as i64, columns as i64);
        let mut board = Board::of_size(rows, columns);
        let mut lists = [(); 4].map(|()| BTreeMap::<(usize, i64), Sign>::new());
        for (&(row, column), things) in &self.things {
            let is_row = (1..=rows_end).contains(&row);
            let is_column = (1..=columns_end).contains(&column);
            let halves: BTreeMap<usize, &str> = things
                .iter()
                .filter_map(|thing| if let Thing::Half(at, text) = thing { Some((*at, &**text)) } else { None })
                .collect();
            let text = things.iter().find_map(|thing| match thing {
                Thing::Text(text, is_framed) if text.is_empty() && !*is_framed => None,
                Thing::Text(text, _) => Some(text.clone()),
                Thing::Numbers(text) => Some(text.clone()),
                _ => None,
            });
            let symbol = things.iter().find_map(|thing| match thing {
                Thing::Symbol(name, 1) if name.starts_with("circle") && knows("o") => Some("o"),
                Thing::Symbol(name, 2) if name.starts_with("circle") && knows("*") => Some("*"),
                Thing::Symbol(name, _) if name == "tents" && knows("T") => Some("T"),
                Thing::Symbol(name, _) if name == "kakuro" && knows("#") => Some("#"),
                Thing::Black if knows("#") => Some("#"),
                _ => None,
            });
            let place = (row.max(0) as usize, column.max(0) as usize);
            if is_row && is_column {
                let sign = match (&text, symbol) {
                    _ if !halves.is_empty() && knows("\\") => {
                        let half = |at| halves.get(&at).copied().unwrap_or_default();
                        format!("{}\\{}", half(2), half(1))
                    }
                    (Some(text), _) if !text.is_empty() => text.clone(),
                    (_, Some(symbol)) => symbol.to_owned(),
                    (Some(_), None) if knows("?") => "?".to_owned(),
                    _ => continue,
                };
                board.signs.extend(Sign::read(&sign)?.map(|sign| (place, sign)));
            } else if let Some(text) = text.filter(|text| !text.is_empty()) {
                let sign = Sign::text(&text);
                let side = match (is_row, is_column) {
                    (true, _) => usize::from(column > columns_end),
                    (_, true) => 2 + usize::from(row > rows_end),
                    _ => SIDES.len(),
                };
                if let Some(list) = lists.get_mut(side).filter(|_| reads(SIDES[side])) {
                    list.insert(if is_row { (place.0, column) } else { (place.1, row) }, sign);
                } else if reads("stars") {
                    board.header.insert(("stars".to_owned(), vec![sign]));
                } else {
                    return Err(format!("`{text}` stands beside the board, where the puzzle has nothing"));
                }
            }
        }
        for (side, list) in lists.into_iter().enumerate() {
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
            board.areas = board.enclosed();
            if board.areas.values().all(|&area| area == 1) {
                board.areas.clear();
                board.walls.clear();
            }
        }
        if !self.areas.is_empty() {
            board.set_areas(&self.areas);
        }
        for (name, value) in self.others.iter().filter(|(_, value)| !is_nothing(value)) {
            let words = |name: &str| {
                let mut known = addresses.iter().filter_map(|line| line.split_once(": "));
                let address = known.find(|(known, _)| *known == name).map(|(_, words)| words);
                address.ok_or_else(|| format!("a Sudoku with `{name}`, whose rules are others"))
            };
            match value.as_array().and_then(|list| list.iter().map(Value::as_str).collect::<Option<Vec<_>>>()) {
                Some(named) => {
                    for one in named {
                        let name = format!("{name}={one}");
                        board.header.extend(lines_of(&name, &Value::from(true), words(&name)?)?);
                    }
                }
                None => board.header.extend(lines_of(name, value, words(name)?)?),
            }
        }
        Ok(board)
    }
}

fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Array(list) => list.is_empty(),
        Value::Object(map) => map.is_empty(),
        other => matches!(other, Value::Null | Value::Bool(false)),
    }
}

/// The lines of a board's header that something of f-puzzles stands for.
fn lines_of(name: &str, value: &Value, words: &str) -> Result<Vec<(String, Vec<Sign>)>, String> {
    let wrong = |what: &str| format!("`{name}` of the Sudoku has {what}");
    let (line, words) = words.split_once(' ').ok_or_else(|| wrong("no words in the header"))?;
    let cell = |cell: &Value| {
        let sign = Sign::text(&cell.as_str().unwrap_or_default().to_ascii_lowercase());
        sign.cell().map(|_| sign).ok_or_else(|| wrong("something in place of a cell"))
    };
    let cells = |list: &Value| list.as_array().into_iter().flatten().map(cell).collect::<Result<Vec<_>, _>>();
    if *value == true {
        return Ok(vec![(line.to_owned(), vec![Sign::text(words)])]);
    }
    let mut all = Vec::new();
    for object in value.as_array().ok_or_else(|| wrong("no list"))? {
        let said = text_of_number(&object["value"]);
        let mut lists = vec![Vec::new()];
        for word in words.split(' ') {
            match word.split_once('=').unwrap_or((word, "")) {
                ("value", "") => lists[0].push(match &said {
                    Some(said) if said.bytes().all(|byte| byte.is_ascii_digit()) => Sign::text(said),
                    Some(said) => {
                        return Err(wrong(&format!("the value `{}`, which is no number", words::shortened(said))));
                    }
                    None => Sign::text("?"),
                }),
                ("value", wanted) => match &said {
                    Some(said) if said != wanted => {
                        return Err(wrong(&format!("the value `{}`", words::shortened(said))));
                    }
                    _ => {}
                },
                ("cell", _) => lists[0].push(cell(&object["cell"])?),
                ("cells", "") => lists[0].extend(cells(&object["cells"])?),
                ("cells", count) => {
                    let found = object["cells"].as_array().map_or(0, Vec::len);
                    if found.to_string() != count {
                        return Err(wrong(&format!("{found} cells where {count} was wanted")));
                    }
                }
                ("lines", _) => {
                    lists = object["lines"].as_array().into_iter().flatten().map(&cells).collect::<Result<_, _>>()?;
                }
                (other, _) => return Err(wrong(&format!("the unknown word {other} in the header"))),
            }
        }
        all.extend(lists.into_iter().map(|list| (line.to_owned(), list)));
    }
    Ok(all)
}

/// Words that penpa-edit shortens, by the letter behind a `z`.
fn lengthened(text: &str) -> String {
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
    let mut long = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let mut rest = piece.chars();
        let letter = rest.next();
        match WORDS.iter().find(|(known, _)| Some(*known) == letter) {
            Some((_, word)) => long += &format!("\"{word}\"{}", rest.as_str()),
            None if letter == Some('O') => long += &format!("null{}", rest.as_str()),
            None if letter == Some('Z') => long += &format!("z{}", rest.as_str()),
            None => long += &format!("z{piece}"),
        }
    }
    long
}

fn penpa(packed: &str) -> Result<Drawn, String> {
    let config = GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    let damaged = |what: &str| format!("an address of penpa-edit whose drawing cannot be unpacked: {what}");
    let bytes = GeneralPurpose::new(&STANDARD, config).decode(packed).map_err(|error| damaged(&error.to_string()))?;
    let bytes = miniz_oxide::inflate::decompress_to_vec_with_limit(&bytes, MOST_UNPACKED)
        .map_err(|error| damaged(&error.to_string()))?;
    let text = lengthened(&String::from_utf8(bytes).map_err(|_| damaged("not valid UTF-8"))?);
    let lines: Vec<&str> = text.split('\n').collect();
    let line = |number: usize| lines.get(number).copied().unwrap_or_default();
    let head: Vec<&str> = line(0).split(',').collect();
    let kind = head[0];
    if !["square", "sudoku", "kakuro"].contains(&kind) {
        return Err(format!(
            "a drawing of penpa-edit on a grid `{}`; one of squares was wanted",
            words::shortened(kind)
        ));
    }
    let natural = |at: usize| {
        head.get(at).and_then(|number| number.parse::<i64>().ok()).filter(|number| (1..=1000).contains(number))
    };
    let (Some(width), Some(height)) = (natural(1), natural(2)) else { return Err(damaged("no size")) };
    let margins: Vec<i64> = serde_json::from_str(line(1)).unwrap_or_default();
    let margin = |at: usize| margins.get(at).copied().filter(|margin| (0..1000).contains(margin)).unwrap_or(0);
    let (rows, columns) = (height - margin(0) - margin(1), width - margin(2) - margin(3));
    let (Ok(rows), Ok(columns)) = (usize::try_from(rows), usize::try_from(columns)) else {
        return Err(damaged("no size"));
    };
    check_size(rows, columns)?;
    let drawn: Map<String, Value> = serde_json::from_str(line(3)).map_err(|error| damaged(&error.to_string()))?;
    for name in [
        "thermo",
        "nobulbthermo",
        "arrows",
        "direction",
        "squareframe",
        "polygon",
        "killercages",
        "cage",
        "wall",
        "line",
        "freeline",
    ] {
        let is_there = drawn.get(name).is_some_and(|things| match things {
            Value::Array(things) => things.iter().any(|thing| thing.as_array().is_none_or(|thing| !thing.is_empty())),
            Value::Object(things) => !things.is_empty(),
            _ => false,
        });
        if is_there {
            return Err(format!("a drawing of penpa-edit with `{name}`, which no puzzle here has"));
        }
    }
    let mut names = Vec::new();
    // The line of tags.
    for tag in serde_json::from_str::<Vec<String>>(line(17)).unwrap_or_default() {
        if kind == "sudoku" && !["classic", "sudoku"].contains(&&*tag) {
            return Err(format!("a Sudoku with the tag `{tag}`, whose rules are others"));
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
    let mut result = Drawn { names, size: (rows, columns), ..Drawn::default() };
    // Two rows and columns of points lie around all cells.
    let points = (width + 4) * (height + 4);
    let place = |point: i64| (point / (width + 4) - 1 - margin(0), point % (width + 4) - 1 - margin(2));
    let layer = |name: &str| drawn.get(name).and_then(Value::as_object).into_iter().flatten();
    let text_of = |value: &Value| match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        _ => String::new(),
    };
    let mut put = |point: i64, thing: Thing| result.things.entry(place(point)).or_default().push(thing);
    for (key, value) in layer("number") {
        let Some(point) = key.parse().ok().filter(|point: &i64| (0..points).contains(point)) else { continue };
        let text = text_of(&value[0]);
        put(
            point,
            match value[2].as_str() {
                Some("4") => Thing::Numbers(
                    text.chars().filter(|sign| !sign.is_whitespace()).map(String::from).collect::<Vec<_>>().join(","),
                ),
                Some("2") => {
                    let (number, way) = text.split_once('_').unwrap_or((&text, ""));
                    let arrow = ["^", "<", ">", "v"].get(way.parse().unwrap_or(9)).copied().unwrap_or_default();
                    Thing::Text(format!("{number}{arrow}"), false)
                }
                _ => Thing::Text(text, value[1].as_i64().is_some_and(|style| matches!(style, 5 | 6 | 7 | 11))),
            },
        );
    }
    for (key, value) in layer("numberS") {
        let point = key.parse::<i64>().ok().filter(|&point| point >= 4 * points);
        if let Some(point) = point {
            put(point / 4 - points, Thing::Half((point % 4) as usize, text_of(&value[0])));
        }
    }
    for (key, value) in layer("symbol") {
        let shape = value[0].as_i64().or_else(|| {
            value[0].as_array().map(|shapes| 1 + shapes.iter().position(|shape| *shape == 1).unwrap_or(0) as i64)
        });
        if let (Ok(point), Some(name)) = (key.parse(), value[1].as_str()) {
            put(point, Thing::Symbol(name.to_owned(), shape.unwrap_or(0)));
        }
    }
    for (key, _) in layer("surface").filter(|(_, color)| **color == 4) {
        key.parse().into_iter().for_each(|point| put(point, Thing::Black));
    }
    if kind == "kakuro" {
        // The first row and column are black without being so drawn.
        (0..height).for_each(|row| put((row + 2) * (width + 4) + 2, Thing::Symbol(kind.to_owned(), 0)));
        (0..width).for_each(|column| put(2 * (width + 4) + column + 2, Thing::Symbol(kind.to_owned(), 0)));
    }
    for (key, _) in layer("lineE") {
        let ends = key.split_once(',').map(|(one, other)| (one.parse::<i64>(), other.parse::<i64>()));
        let Some((Ok(one), Ok(other))) = ends else { continue };
        // A corner has the number of the cell left above it.
        let (one, other) = (place(one.min(other) - points), place(one.max(other) - points));
        match (other.0 - one.0, other.1 - one.1) {
            (1, 0) => result.borders.push((other, (other.0, other.1 + 1))),
            (0, 1) => result.borders.push((other, (other.0 + 1, other.1))),
            _ => {}
        }
    }
    Ok(result)
}

fn unpacked(packed: &str) -> Result<String, String> {
    if packed.len() > MOST_PACKED {
        return Err(format!("a board of {} characters; a Sudoku has no more than {MOST_PACKED}", packed.len()));
    }
    // A plus sign is a blank in some addresses.
    let units = lz_str::decompress_from_base64(&packed.replace(' ', "+"));
    units.and_then(|units| String::from_utf16(&units).ok()).ok_or_else(|| "its board cannot be unpacked".to_owned())
}

/// A plain Sudoku of so many numbers.
fn sudoku(rows: &[Value], number: impl Fn(&Value) -> Option<String>) -> Result<Drawn, String> {
    let side = rows.len();
    check_size(side.max(1), side.max(1))?;
    let mut drawn = Drawn { names: vec!["sudoku".to_owned()], size: (side, side), ..Drawn::default() };
    for (row, cells) in (1..).zip(rows) {
        let cells = cells.as_array().filter(|cells| cells.len() == side);
        for (column, cell) in (1..).zip(cells.ok_or("its cells are no square")?) {
            drawn.things.extend(number(cell).map(|text| ((row, column), vec![Thing::Text(text, false)])));
        }
    }
    Ok(drawn)
}

/// The usual areas of a Sudoku, numbered from 0.
fn boxes(side: usize) -> Grid {
    let height = (1..=side.isqrt()).rev().find(|height| side.is_multiple_of(*height)).unwrap_or(1);
    let area = |(row, column): (usize, usize)| (row - 1) / height * height + (column - 1) / (side / height);
    Board::of_size(side, side).cells().map(|cell| (cell, Sign::Number(area(cell) as i32))).collect()
}

fn text_of_number(value: &Value) -> Option<String> {
    let text = value.as_str().map(str::to_owned).or_else(|| value.as_u64().map(|number| number.to_string()));
    text.filter(|text| !text.is_empty())
}

fn f_puzzles(packed: &str) -> Result<Drawn, String> {
    let board: Value =
        serde_json::from_str(&unpacked(packed)?).map_err(|error| format!("its board is not JSON: {error}"))?;
    const PLAIN: [&str; 12] = [
        "size",
        "grid",
        "title",
        "author",
        "ruleset",
        "solution",
        "metadata",
        "highlightConflicts",
        "successMessage",
        "disabledlogic",
        "truecandidatesoptions",
        "cosmetic",
    ];
    let others = board.as_object().ok_or("its board is not an object")?.clone().into_iter();
    let rows = board["grid"].as_array().ok_or("its board has no grid")?;
    let drawn = sudoku(rows, |cell| {
        cell["given"].as_bool().filter(|&given| given).and_then(|_| text_of_number(&cell["value"]))
    })?;
    // A cell says its area, from 0, where it is not the usual one.
    let mut areas = boxes(rows.len());
    for (&(row, column), area) in &mut areas {
        let region = rows[row - 1][column - 1].get("region").filter(|region| !region.is_null());
        if let Some(region) = region {
            let number = region.as_u64().filter(|&region| region < rows.len() as u64);
            *area = Sign::Number(number.ok_or("a cell's `region` is no number of an area")? as i32);
        }
    }
    // Of what is only drawn, the look of another thing says nothing that this does not say itself.
    let is_look = |name: &str, value: &Value| {
        let mut things = value.as_array().into_iter().flatten().peekable();
        ["line", "text", "circle", "rectangle", "cage"].contains(&name)
            && things.peek().is_some()
            && things.all(|thing| thing.get("fromConstraint").is_some())
    };
    let others = others.filter(|(name, value)| !PLAIN.contains(&name.as_str()) && !is_look(name, value)).collect();
    Ok(Drawn { others, ..drawn.with_areas(areas) })
}

fn sudoku_pad(id: &str) -> Result<Drawn, String> {
    let (format, packed) = match ["fpuzzles", "fpuz", "scl", "ctc"]
        .iter()
        .find_map(|name| Some((name, id.strip_prefix(name)?)))
    {
        Some((format, packed)) if packed.len() > 20 => (*format, packed),
        _ => {
            let id = words::shortened(id);
            return Err(format!(
                "`{id}` is an id of SudokuPad that stands for a board on its server; one that carries its board begins with scl or fpuz"
            ));
        }
    };
    if format.starts_with("fpuz") {
        return f_puzzles(packed);
    }
    let text = unzipped(&unpacked(packed)?);
    let board: Value = serde_json::from_str(&text).map_err(|error| format!("its board cannot be read: {error}"))?;
    let board = board.as_object().ok_or("its board is not an object")?;
    let drawn_over = ["l", "lines", "a", "arrows", "o", "overlays", "u", "underlays"];
    if let Some((name, _)) =
        board.iter().find(|(name, value)| drawn_over.contains(&name.as_str()) && !is_nothing(value))
    {
        return Err(format!("a Sudoku with `{name}`, whose rules are others"));
    }
    let of = |long: &str, short: &str| board.get(long).or_else(|| board.get(short)).and_then(Value::as_array);
    // Row and column, from 0.
    let cell = |cell: &Value| {
        let [row, column] = [0, 1].map(|at| cell.get(at).and_then(Value::as_u64).filter(|&at| at < MOST_SIDE));
        Some((row? + 1, column? + 1))
    };
    let cells = |of: &Value| {
        let list = ["cells", "ce"].iter().find_map(|name| of.get(name)).or(Some(of).filter(|of| of.is_array()));
        list.and_then(Value::as_array).into_iter().flatten().map(cell).collect::<Option<Vec<_>>>()
    };
    let mut cages = Vec::new();
    for cage in of("cages", "ca").into_iter().flatten() {
        let value = cage.get("value").or_else(|| cage.get("v")).cloned().unwrap_or_default();
        // What has no cells, or no sum, says something else: a title, a look.
        let cells = cells(cage).ok_or("a cage's cells cannot be read")?;
        if !cells.is_empty() && !value.is_null() {
            let names: Vec<String> = cells.into_iter().map(|(row, column)| format!("R{row}C{column}")).collect();
            cages.push(serde_json::json!({ "value": value, "cells": names }));
        }
    }
    let mut areas = Grid::new();
    for (number, region) in (1..).zip(of("regions", "re").into_iter().flatten()) {
        let cells = cells(region).ok_or("an area's cells cannot be read")?;
        areas.extend(cells.into_iter().map(|(row, column)| ((row as usize, column as usize), Sign::Number(number))));
    }
    let rows = of("cells", "ce").ok_or("its board has no cells")?;
    let drawn = sudoku(rows, |cell| text_of_number(cell.get("value").or_else(|| cell.get("v"))?))?;
    let side = rows.len();
    if !areas.is_empty() && (areas.len() != side * side || areas.keys().any(|&(row, column)| row.max(column) > side)) {
        return Err("a Sudoku whose areas do not fill its board".to_owned());
    }
    let others = Map::from_iter([("killercage".to_owned(), Value::from(cages))]);
    Ok(Drawn { others, ..drawn.with_areas(areas) })
}

/// JSON without quotes around names, and with nothing for an empty object, as SudokuPad shortens it.
fn unzipped(text: &str) -> String {
    let text = if text.contains('"') {
        text.to_owned()
    } else {
        text.replace("\\'", "’").replace('\'', "\"").replace('’', "'")
    };
    let (mut json, mut rest, mut is_open) = (String::with_capacity(2 * text.len()), &*text, false);
    while let Some(first) = rest.chars().next() {
        let mark = "[]{},:".contains(first);
        let length = match first {
            '"' => {
                let mut is_escaped = false;
                let is_end = |sign: char| {
                    let ends = sign == '"' && !is_escaped;
                    is_escaped = sign == '\\' && !is_escaped;
                    ends
                };
                rest[1..].find(is_end).map_or(rest.len(), |end| end + 2)
            }
            _ if mark => 1,
            _ => rest.find(|sign| "[]{},:".contains(sign)).unwrap_or(rest.len()),
        };
        let (piece, behind) = rest.split_at(length);
        // Where an element was wanted there is none.
        if is_open && (piece == "," || piece == "]") && !json.ends_with('[') | (piece == ",") {
            json += "{}";
        }
        is_open = piece == "[" || piece == ",";
        let is_name = behind.starts_with(':');
        match piece {
            _ if mark || first == '"' => json += piece,
            "t" if !is_name => json += "true",
            "f" if !is_name => json += "false",
            number if !is_name && serde_json::from_str::<Value>(number).is_ok() => json += number,
            word => json += &Value::from(word).to_string(),
        }
        rest = behind;
    }
    json
}
