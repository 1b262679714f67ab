//! The text of a drawing in an address: base64, raw deflate, then lines of settings and layers.

use base::words;
use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use serde_json::{Value, json};

use super::super::super::board::check_size;
use super::points::{GridPoint, PointNumbering};

/// Maximum size of a decompressed drawing, in bytes.
const MAX_DECOMPRESSED: usize = 1 << 24;

/// Abbreviations of penpa-edit, which consist of `z` and a character, and the words in quotes that
/// they stand for.
const ABBREVIATIONS: [(char, &str); 29] = [
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

/// Characters that settings cannot contain, and their replacements.
const ESCAPES: [(&str, &str); 4] = [(",", "%2C"), ("\n", "%2D"), ("&", "%2E"), ("=", "%2F")];

fn expand_abbreviations(text: &str) -> String {
    let mut pieces = text.split('z');
    let mut expanded = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let mut rest = piece.chars();
        let letter = rest.next();
        match ABBREVIATIONS.iter().find(|(known, _)| Some(*known) == letter) {
            Some((_, word)) => expanded += &format!("\"{word}\"{}", rest.as_str()),
            None if letter == Some('O') => expanded += &format!("null{}", rest.as_str()),
            None if letter == Some('Z') => expanded += &format!("z{}", rest.as_str()),
            None => expanded += &format!("z{piece}"),
        }
    }
    expanded
}

fn abbreviate(text: &str) -> String {
    let mut text = text.replace('z', "zZ");
    for (letter, word) in ABBREVIATIONS {
        text = text.replace(&format!("\"{word}\""), &format!("z{letter}"));
    }
    text.replace("null", "zO")
}

pub fn damaged(what: &str) -> String {
    format!("an address of penpa-edit whose drawing cannot be decompressed: {what}")
}

fn base64() -> GeneralPurpose {
    let config = GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    GeneralPurpose::new(&STANDARD, config)
}

/// Decompresses a part of an address.
fn unpack(packed: &str) -> Result<String, String> {
    // In some addresses, plus signs have been replaced by blanks.
    let packed = packed.replace("%20", "+").replace(' ', "+");
    let bytes = base64().decode(packed).map_err(|error| damaged(&error.to_string()))?;
    let bytes = miniz_oxide::inflate::decompress_to_vec_with_limit(&bytes, MAX_DECOMPRESSED)
        .map_err(|error| damaged(&error.to_string()))?;
    String::from_utf8(bytes).map_err(|_| damaged("not valid UTF-8"))
}

fn pack(text: &str) -> String {
    base64().encode(miniz_oxide::deflate::compress_to_vec(text.as_bytes(), 9))
}

/// The parts of a drawing.
#[derive(Debug, Default)]
pub struct DrawingFile {
    /// The kind of grid: `square`, `sudoku` or `kakuro`.
    pub kind: String,
    /// The numbers of columns and rows, with the white space around the board.
    pub size: (i64, i64),
    /// The rows above the board, below it, and the columns left of it and right of it.
    pub margins: [i64; 4],
    pub title: String,
    pub rules: String,
    pub tags: Vec<String>,
    /// The numbers of the cells of the board.
    pub cells: Vec<i64>,
    /// The layers of the puzzle, and of the player's drawing, or `null`.
    pub layers: Value,
    pub player_layers: Value,
    /// Custom colours by layer, or `null`.
    pub colors: Value,
    /// The embedded solution, or `null`.
    pub solution: Value,
    /// The lists that any solution of several has, as the names of settings for the answer check.
    pub alternatives: Vec<String>,
}

impl DrawingFile {
    /// Reads the parts `p` and `a` of an address.
    pub fn read(packed: &str, packed_solution: Option<&str>) -> Result<Self, String> {
        let text = expand_abbreviations(&unpack(packed)?);
        let lines: Vec<&str> = text.split('\n').collect();
        let line = |number: usize| lines.get(number).copied().unwrap_or_default();
        let json = |number: usize| -> Result<Value, String> {
            serde_json::from_str(line(number)).map_err(|error| damaged(&error.to_string()))
        };
        let optional = |number: usize| serde_json::from_str(line(number)).unwrap_or(Value::Null);
        let head: Vec<&str> = line(0).split(',').collect();
        let setting = |at: usize| head.get(at).copied().unwrap_or_default();
        let kind = setting(0);
        if kind.starts_with(|first: char| first.is_ascii_digit()) {
            return Err("an address of an old version of penpa-edit: open it there and share it again".to_owned());
        }
        if !["square", "sudoku", "kakuro"].contains(&kind) {
            let kind = words::preview(kind);
            return Err(format!("a drawing of penpa-edit on a grid `{kind}`; expected a grid of squares"));
        }
        let natural = |at: usize| setting(at).parse::<i64>().ok().filter(|number| (1..=1000).contains(number));
        let (Some(columns), Some(rows)) = (natural(1), natural(2)) else { return Err(damaged("no size")) };
        if [(4, "0"), (5, "1"), (6, "1")].iter().any(|&(at, usual)| !["", usual].contains(&setting(at))) {
            return Err("a drawing of penpa-edit that is turned or mirrored; turn it back there".to_owned());
        }
        has_background_image(setting(21))?;
        let margins: Vec<i64> = serde_json::from_value(json(1)?).map_err(|error| damaged(&error.to_string()))?;
        let margins = <[i64; 4]>::try_from(margins).map_err(|_| damaged("no margins"))?;
        if margins.iter().any(|margin| !(0..1000).contains(margin)) {
            return Err(damaged("no margins"));
        }
        // The numbers of cells are written as differences.
        let mut cells: Vec<i64> = serde_json::from_value(json(5)?).map_err(|error| damaged(&error.to_string()))?;
        for index in 1..cells.len() {
            cells[index] = cells[index].saturating_add(cells[index - 1]);
        }
        let decode = |text: &str| ESCAPES.iter().fold(text.to_owned(), |text, (sign, code)| text.replace(code, sign));
        let solution = match packed_solution {
            Some(packed) => {
                let text = unpack(packed)?;
                serde_json::from_str(&text).map_err(|error| damaged(&format!("its solution: {error}")))?
            }
            None => Value::Null,
        };
        let is_one_of_several = setting(20) == "true";
        let chosen =
            |(name, value): (&String, &Value)| (*value == true).then(|| name.trim_start_matches("sol_or_").to_owned());
        let alternatives =
            optional(16).as_object().filter(|_| is_one_of_several).map(|it| it.iter().filter_map(chosen).collect());
        let has_colors = ["1", "true", "\"true\""].contains(&line(13));
        Ok(DrawingFile {
            kind: kind.to_owned(),
            size: (columns, rows),
            margins,
            title: decode(setting(15).trim_start_matches("Title:").trim()),
            rules: decode(setting(18)),
            tags: serde_json::from_value(optional(17)).unwrap_or_default(),
            cells,
            layers: json(3)?,
            player_layers: optional(4),
            colors: if has_colors { optional(14) } else { Value::Null },
            solution,
            alternatives: alternatives.unwrap_or_default(),
        })
    }

    /// Returns the numbering of points, in which the board begins at its first cell, and the
    /// numbers of rows and columns.
    pub fn board(&self) -> Result<(PointNumbering, (usize, usize)), String> {
        let numbering = PointNumbering::new(self.size.0, self.size.1, (0, 0));
        let cells: Option<Vec<(i64, i64)>> = self.cells.iter().map(|&cell| numbering.raw_cell(cell)).collect();
        let cells = cells.filter(|cells| !cells.is_empty()).ok_or_else(|| damaged("no cells"))?;
        let ends = |of: fn(&(i64, i64)) -> i64| {
            (cells.iter().map(of).min().unwrap_or_default(), cells.iter().map(of).max().unwrap_or_default())
        };
        let ((top, bottom), (left, right)) = (ends(|cell| cell.0), ends(|cell| cell.1));
        let (rows, columns) = ((bottom - top + 1) as usize, (right - left + 1) as usize);
        check_size(rows, columns)?;
        Ok((numbering.with_first_cell((top, left)), (rows, columns)))
    }

    /// Returns the address of the drawing. `checks` are the names of the settings for the answer
    /// check; `grid` has the modes of the grid, of its points and of its frame.
    pub fn address(&self, grid: [&str; 3], checks: &[&str]) -> String {
        let encode = |text: &str| ESCAPES.iter().fold(text.to_owned(), |text, (sign, code)| text.replace(sign, code));
        let (columns, rows) = self.size;
        let size = 38;
        // The point in the middle of the drawing, with the white space.
        let middle = PointNumbering::new(columns, rows, (0, 0)).number(GridPoint::At((rows, columns)));
        let head = format!(
            "{},{columns},{rows},{size},0,1,1,{},{},{middle},{middle},0,0,0,0,Title: {},Author: ,,{},OFF,false",
            self.kind,
            (columns + 1) * size,
            (rows + 1) * size,
            encode(&self.title),
            encode(&self.rules)
        );
        let differences: Vec<i64> =
            (0..self.cells.len()).map(|at| self.cells[at] - if at == 0 { 0 } else { self.cells[at - 1] }).collect();
        let mode = mode(grid);
        let has_solution = !self.solution.is_null();
        let (second, player) = if has_solution {
            (format!("{}~\"surface\"~[\"\",1]", json!(grid)), String::new())
        } else {
            (mode.to_string(), empty_layers().to_string())
        };
        let settings = |prefix: &str, names: &[&str], checks: &[&str]| {
            let settings = names.iter().map(|name| (format!("{prefix}{name}"), Value::from(checks.contains(name))));
            Value::Object(settings.collect()).to_string()
        };
        let colors = if self.colors.is_null() { empty_layers() } else { self.colors.clone() };
        let has_colors = if self.colors.is_null() { "0" } else { "1" };
        let lines = [
            head,
            json!(self.margins).to_string(),
            second,
            self.layers.to_string(),
            player,
            json!(differences).to_string(),
            "[]".to_owned(),
            settings("sol_", &CHECKS, checks),
            "\"x\"".to_owned(),
            "\"x\"".to_owned(),
            "[3,2,3]".to_owned(),
            mode.to_string(),
            "\"x\"".to_owned(),
            has_colors.to_owned(),
            colors.to_string(),
            if has_solution { "x".to_owned() } else { empty_layers().to_string() },
            settings("sol_or_", &CHECKS, &[]),
            json!(self.tags).to_string(),
            if has_solution { "false".to_owned() } else { String::new() },
        ];
        let drawing = pack(&abbreviate(&lines.join("\n")));
        const SITE: &str = "https://swaroopg92.github.io/penpa-edit/";
        if has_solution {
            return format!("{SITE}#m=solve&p={drawing}&a={}", pack(&self.solution.to_string()));
        }
        format!("{SITE}#m=edit&p={drawing}")
    }
}

/// The names of the settings for the answer check.
const CHECKS: [&str; 20] = [
    "surface_exact",
    "surface",
    "number",
    "loopline_exact",
    "loopline",
    "ignoreloopline",
    "loopedge_exact",
    "loopedge",
    "ignoreborder",
    "wall",
    "square",
    "circle",
    "tri",
    "arrow",
    "math",
    "battleship",
    "tent",
    "star",
    "akari",
    "mine",
];

/// Fails if a drawing has an image in its background.
fn has_background_image(packed: &str) -> Result<(), String> {
    let image: Value = match packed {
        "" => return Ok(()),
        packed => unpack(packed).ok().and_then(|text| serde_json::from_str(&text).ok()).unwrap_or(Value::Null),
    };
    match image["url"].as_str() {
        None | Some("") => Ok(()),
        Some(_) => Err("a drawing of penpa-edit with an image in its background, which cannot be read".to_owned()),
    }
}

/// Layers without contents.
pub fn empty_layers() -> Value {
    let list = || json!({ "__a": [] });
    json!({
        "command_redo": list(), "command_undo": list(), "command_replay": list(), "surface": {}, "number": {},
        "numberS": {}, "symbol": {}, "thermo": [], "arrows": [], "direction": [], "squareframe": [], "polygon": [],
        "line": {}, "lineE": {}, "wall": {}, "cage": {}, "deletelineE": {}, "killercages": [], "nobulbthermo": [],
    })
}

/// The tools that are chosen when the address is opened.
fn mode(grid: [&str; 3]) -> Value {
    let layer = |style: i32, number: i32| {
        json!({
            "edit_mode": "surface", "surface": ["", 1], "multicolor": ["", 1], "line": ["1", style],
            "lineE": ["1", style], "wall": ["", style], "cage": ["1", 10], "number": ["1", number],
            "symbol": ["circle_L", 1], "special": ["thermo", ""], "board": ["", ""], "move": ["1", ""],
            "combi": ["battleship", 3], "sudoku": ["1", number],
        })
    };
    json!({ "qa": "pu_a", "grid": grid, "pu_q": layer(2, 1), "pu_a": layer(3, 2) })
}
