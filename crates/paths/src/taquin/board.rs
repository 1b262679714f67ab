//! The text formats of boards: rows of numbers, one free cell, optionally a goal.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;
use std::sync::Arc;

use base::diagnostic::{Code, Diagnostic, Failure};
use base::document::Document;
use base::{sorting, words};
use puzzle::cells::{self, Mark, Token};
use rustc_hash::{FxHashMap, FxHashSet};

use super::shape::Shape;

/// Maximum number of cells of a board. The search stores a cell in a fixed number of bits.
pub const MAX_CELLS: usize = 1024;

/// A board and its goal. A tile is represented by its goal cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Board {
    pub shape: Shape,
    /// The tile on each cell; the blank is represented by its own goal cell, too.
    pub tiles: Vec<u16>,
    /// The label of each tile.
    pub labels: Arc<[String]>,
}

/// Omits the labels, which all boards of a puzzle share.
impl Hash for Board {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.tiles.hash(state);
    }
}

type Grid<'a> = Vec<Vec<Token<'a>>>;

/// Returns true for texts that can only stand for the free cell.
fn is_sign(text: &str) -> bool {
    matches!(text.trim(), "" | "." | "_" | "-" | "*" | "x" | "X" | "null" | "None" | "□" | "■" | "⬜" | "⬛" | "·")
}

/// Parses the number on a tile: decimal, or a single digit in base 36.
fn number(text: &str) -> Option<u64> {
    let digit = || text.chars().next().and_then(|letter| letter.to_digit(36)).filter(|_| text.len() == 1);
    text.parse().ok().or_else(|| digit().map(u64::from))
}

/// Returns true if the text consists of numbers, signs of the free cell and separators only.
pub fn looks_like_a_board(text: &str) -> bool {
    // Facts such as `x(1).` consist of the same characters.
    if text.contains(").") && asp::syntax::looks_like_a_program(text) {
        return false;
    }
    // Cells beside a bracket are the hallway of a burrow such as `..(10).(01)..`.
    let is_cell = |byte: &u8| byte.is_ascii_digit() || *byte == b'.';
    if text
        .as_bytes()
        .windows(2)
        .any(|pair| is_cell(&pair[0]) && pair[1] == b'(' || pair[0] == b')' && is_cell(&pair[1]))
    {
        return false;
    }
    let mut numbers = 0;
    let mut letters = 0;
    let mut has_label = false;
    let mut fits = true;
    cells::scan(text, &mut |mark| {
        if let Mark::Label(Token { text, .. }) = mark {
            has_label = true;
            // Labels of other puzzles.
            fits = !["mine", "Mine", "moves"].iter().any(|other| text.contains(other));
        } else if let Mark::Cell(Token { text, .. }) = mark {
            let is_number = text.bytes().all(|byte| byte.is_ascii_digit()) && !text.is_empty();
            // Such a word may be several cells without spaces between them.
            let is_packed = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-*".contains(&byte));
            numbers += usize::from(is_number);
            letters += usize::from(!is_number && !is_sign(text));
            fits = is_number || is_sign(text) || is_packed && text.len() <= MAX_DIGITS;
        }
        fits
    });
    let has_boards = || {
        let grids = grids(text);
        !grids.is_empty() && (letters == 0 || grids.iter().all(|grid| packed(&grid.rows).is_some()))
    };
    // A text of numbers and signs alone is accepted as a board, whatever its rows.
    fits && numbers + letters > 0 && (letters == 0 && !has_label || has_boards())
}

/// Returns the fraction of tokens that are numbers or signs of the free cell, or 0 if there are too
/// few numbers or too many signs.
pub fn board_token_share(text: &str) -> f64 {
    const MAX_TOKENS: usize = 10_000;
    let (mut numbers, mut signs, mut total) = (0, 0, 0);
    cells::scan(text, &mut |mark| {
        if let Mark::Cell(token) = mark {
            total += 1;
            numbers += usize::from(token.text.parse::<u64>().is_ok());
            signs += usize::from(is_sign(token.text));
        }
        total < MAX_TOKENS
    });
    if numbers > 2 && signs < 3 { (numbers + signs) as f64 / total as f64 } else { 0.0 }
}

/// Returns true for rows of prose around a board: at least half of the tokens are words.
fn is_prose(row: &[Token<'_>]) -> bool {
    let is_word = |token: &&Token<'_>| {
        let letters = token.text.trim_matches(|sign: char| sign.is_ascii_punctuation());
        letters.chars().count() > 1 && letters.chars().all(char::is_alphabetic) && !is_sign(letters)
    };
    row.len() > 1 && row.iter().filter(is_word).count() * 2 >= row.len()
}

/// Returns true if the label announces a goal.
fn is_goal(label: &str) -> bool {
    let label = label.to_ascii_lowercase();
    ["goal", "target", "final", "end"].iter().any(|word| label.contains(word))
}

/// Maximum number of cells of a packed board: the number of digits in base 36.
const MAX_DIGITS: usize = 36;

/// The rows of a board and the label before it, such as `goal` or `4x4`.
#[derive(Default)]
struct LabelledGrid<'a> {
    label: Option<Token<'a>>,
    rows: Grid<'a>,
    /// True if each cell is a single digit in base 36.
    is_packed: bool,
}

/// Returns the boards in a text, those with the label of a goal last.
fn grids(text: &str) -> Vec<LabelledGrid<'_>> {
    let mut grids = vec![LabelledGrid::default()];
    let mut row = Vec::new();
    let mut is_over = false;
    cells::scan(text, &mut |mark| {
        let grid = grids.last_mut().expect("there is always a grid");
        match &mark {
            // Ignore the rest of a row that is longer than any board.
            Mark::Cell(_) if row.len() > MAX_CELLS => {}
            Mark::Cell(token) => row.push(token.clone()),
            _ if !row.is_empty() => grid.rows.push(std::mem::take(&mut row)),
            _ => {}
        }
        is_over = grid.rows.len() > MAX_CELLS;
        match mark {
            Mark::Label(token) => grids.push(LabelledGrid { label: Some(token), ..LabelledGrid::default() }),
            Mark::Board if !grid.rows.is_empty() => grids.push(LabelledGrid::default()),
            _ => {}
        }
        !is_over
    });
    if let (false, Some(grid)) = (row.is_empty(), grids.last_mut()) {
        grid.rows.push(row);
    }
    // A single labelled value, such as a width, is not a board.
    grids.retain(|grid| match grid.rows.iter().map(Vec::len).sum() {
        0 => false,
        1 => grid.label.is_none() || packed(&grid.rows).is_some(),
        _ => true,
    });
    for grid in &mut grids {
        grid.rows.retain(|row| !is_prose(row));
    }
    grids.retain(|grid| !grid.rows.is_empty());
    let is_goal = |grid: &LabelledGrid<'_>| grid.label.as_ref().is_some_and(|label| is_goal(label.text));
    sorting::sort_by_key(&mut grids, is_goal);
    for grid in &mut grids {
        infer_blank(text, &mut grid.rows);
        if let Some(rows) = packed(&grid.rows) {
            (grid.rows, grid.is_packed) = (rows, true);
        }
    }
    grids
}

/// Returns the byte offset of `place` within its line.
fn column(text: &str, place: usize) -> usize {
    place - text[..place].rfind('\n').map_or(0, |end| end + 1)
}

/// Splits rows into single characters, if these are all distinct digits in base 36 with no number
/// missing, such as `123456780` or four rows like `89ab`.
fn packed<'a>(rows: &Grid<'a>) -> Option<Grid<'a>> {
    let is_row = |row: &Vec<Token<'a>>| row.len() == 1 || row.iter().all(|token| token.text.len() == 1);
    let cells: usize = rows.iter().flatten().map(|token| token.text.len()).sum();
    if !(4..=MAX_DIGITS).contains(&cells) || !rows.iter().all(is_row) {
        return None;
    }
    let split = |token: &Token<'a>| -> Vec<Token<'a>> {
        let begin = token.range.start;
        let digit =
            |(at, letter): (usize, &'a str)| Token { text: letter, range: begin + at..begin + at + letter.len() };
        token.text.char_indices().map(|(at, letter)| digit((at, &token.text[at..at + letter.len_utf8()]))).collect()
    };
    let rows: Grid<'a> = rows.iter().map(|row| row.iter().flat_map(split).collect()).collect();
    let mut used = FxHashSet::default();
    let fits = rows.iter().flatten().all(|token| {
        let digit = number(token.text).filter(|_| !is_sign(token.text));
        digit.is_none_or(|digit| digit < cells as u64) && (digit.is_some() || is_sign(token.text)) && used.insert(digit)
    });
    fits.then_some(rows)
}

/// Inserts the free cell if it is written as a gap: exactly one row is one cell short, and the gap
/// is between two commas or tabs, or at the only position at which each full row has a token that
/// is above none of the short row. Ambiguous gaps are left unchanged.
fn infer_blank<'a>(text: &'a str, rows: &mut Grid<'a>) {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let is_free = |token: &Token<'_>| is_sign(token.text) || number(token.text) == Some(0);
    let mut short = (0..rows.len()).filter(|&row| rows[row].len() != columns);
    let (Some(row), None) = (short.next(), short.next()) else { return };
    if rows[row].len() + 1 != columns || rows.iter().flatten().any(is_free) {
        return;
    }
    let span = |token: &Token<'_>| column(text, token.range.start)..column(text, token.range.start) + token.text.len();
    let is_below = |token: &Token<'_>, above: &Token<'_>| {
        let (lower, upper) = (span(token), span(above));
        lower.start < upper.end && upper.start < lower.end
    };
    let fits = |at: &usize| {
        let mut full = rows.iter().filter(|row| row.len() == columns);
        let fits_below = |above: &Vec<Token<'_>>| {
            let others = above.iter().enumerate().filter(|(column, _)| column != at).map(|(_, above)| above);
            rows[row].iter().zip(others).all(|(token, above)| is_below(token, above))
                && !rows[row].iter().any(|token| is_below(token, &above[*at]))
        };
        full.all(fits_below)
    };
    let line = rows[row].first().map_or("", |first| {
        let begin = first.range.start - column(text, first.range.start);
        text[begin..].lines().next().unwrap_or_default()
    });
    let mut fields = [',', '\t'].into_iter().map(|mark| line.split(mark).collect::<Vec<_>>());
    let between = fields.find(|fields| fields.len() == columns);
    let mut places = match &between {
        Some(fields) => (0..columns).filter(|&at| fields[at].trim().is_empty()).collect(),
        None => (0..columns).filter(fits).collect::<Vec<_>>(),
    }
    .into_iter();
    let (Some(at), None) = (places.next(), places.next()) else { return };
    let place = rows[row].get(at).map_or_else(|| rows[row][at - 1].range.end, |next| next.range.start);
    rows[row].insert(at, Token { text: "", range: place..place });
}

impl Board {
    /// Parses a board and optionally its goal, which follows a blank line or a label. `goal_option`
    /// is the goal given on the command line and takes precedence.
    pub fn parse(document: &Document, goal_option: Option<&Goal>) -> Result<Board, Failure> {
        let mut grids = grids(&document.text).into_iter();
        let Some(start) = grids.next() else {
            return Err(
                Diagnostic::error(Code::InvalidInstance, format!("{}: there is no board", document.name)).into()
            );
        };
        let goal = grids.next();
        if let Some(LabelledGrid { label: Some(label), .. }) = &goal
            && !is_goal(label.text)
        {
            let what = format!("a second board begins here, called {}; only a goal may follow", label.text);
            return Err(cells::error_at(document, what, &label.range).into());
        }
        if let Some(third) = grids.next() {
            let what = "expected a board and at most one goal, found a third board";
            return Err(cells::error_at(document, what, &third.rows[0][0].range).into());
        }
        let start = start.grid(None, document)?;
        let (rows, columns) = (start.len(), start[0].len());
        if rows * columns < 2 {
            return Err(cells::error_at(document, "a board has at least two cells", &start[0][0].range).into());
        }
        let cells = start.concat();
        let labels = labels(&cells, document)?;
        let parse_goal = |goal: LabelledGrid<'_>, document: &Document| {
            let goal = goal.grid(Some([rows, columns]), document)?;
            explicit_goal(&goal.concat(), &labels, document)
        };
        let goal = match (goal_option, goal) {
            (Some(Goal::Rows(document)), _) => {
                let grid = self::grids(&document.text).into_iter().next();
                parse_goal(grid.ok_or_else(|| cells::error_at(document, "there is no board", &(0..0)))?, document)?
            }
            (None, Some(goal)) => parse_goal(goal, document)?,
            (Some(named), _) => {
                let order = default_goal(&cells, &labels, document)?;
                let mut goal = vec![None; order.len()];
                for (label, cell) in order.into_iter().zip(named.cells(rows, columns)) {
                    goal[cell] = label;
                }
                goal
            }
            (None, _) => default_goal(&cells, &labels, document)?,
        };
        let names: FxHashMap<Option<u64>, u16> =
            goal.iter().enumerate().map(|(cell, &label)| (label, cell as u16)).collect();
        Ok(Board {
            shape: Shape { rows, columns, home: usize::from(names[&None]) },
            tiles: labels.iter().map(|label| names[label]).collect(),
            labels: goal.iter().map(|label| label.map_or_else(String::new, |label| label.to_string())).collect(),
        })
    }

    /// If the current goal is the default one, returns the board with each of the other usual goals.
    pub fn with_other_goals(&self) -> Vec<(Goal, Board)> {
        let last = self.tiles.len() - 1;
        let numbers = self.labels.iter().map(|label| label.parse::<u64>().ok());
        if self.shape.home != last || !numbers.take(last).is_sorted() {
            return Vec::new();
        }
        let mut boards: Vec<(Goal, Board)> = Vec::new();
        for goal in [Goal::FreeFirst, Goal::Spiral] {
            let cells = goal.cells(self.shape.rows, self.shape.columns);
            let mut labels = vec![String::new(); cells.len()];
            for (label, &cell) in self.labels.iter().zip(&cells) {
                labels[cell].clone_from(label);
            }
            let tiles = self.tiles.iter().map(|&tile| cells[usize::from(tile)] as u16).collect();
            let board = Board { shape: Shape { home: cells[last], ..self.shape }, tiles, labels: labels.into() };
            // On a single line the spiral is the default goal.
            if board != *self && boards.iter().all(|(_, other)| *other != board) {
                boards.push((goal, board));
            }
        }
        boards
    }

    /// Returns the sum of the distances of all tiles from their goal cells.
    pub fn distance(&self) -> usize {
        let blank = self.blank();
        let tiles = self.tiles.iter().enumerate().filter(|(cell, _)| *cell != blank);
        tiles.map(|(cell, &tile)| self.shape.distance(cell, usize::from(tile))).sum()
    }

    pub fn blank(&self) -> usize {
        let home = self.shape.home as u16;
        self.tiles.iter().position(|&tile| tile == home).expect("a board has a free cell")
    }

    /// Returns the boards along the path of the blank over `cells`, starting with this one.
    pub fn follow(&self, cells: &[u16]) -> Vec<Board> {
        let mut boards = vec![self.clone()];
        for (step, &cell) in cells.iter().enumerate() {
            let mut board = boards[step].clone();
            let blank = board.blank();
            board.tiles.swap(blank, usize::from(cell));
            boards.push(board);
        }
        boards
    }

    /// Returns a letter for each move: the direction in which the tile slides, or `*` if its cell
    /// is not adjacent to the blank, which custom rules may allow.
    pub fn letters(&self, cells: &[u16]) -> String {
        let mut blank = self.blank();
        let letter = |&cell: &u16| {
            let (from, to) = (std::mem::replace(&mut blank, usize::from(cell)), usize::from(cell));
            if self.shape.distance(from, to) == 1 { self.shape.direction(from, to).letter_of_tile() } else { '*' }
        };
        cells.iter().map(letter).collect()
    }

    /// Returns the label of the tile on a cell, or an empty text for the free cell.
    pub fn label(&self, cell: usize) -> &str {
        &self.labels[usize::from(self.tiles[cell])]
    }

    /// Formats each row as right-aligned labels, with a dot for the free cell.
    pub fn lines(&self) -> Vec<String> {
        let width = self.labels.iter().map(String::len).max().unwrap_or(1);
        let label = |cell: usize| match self.label(cell) {
            "" => format!("{:>width$}", "."),
            label => format!("{label:>width$}"),
        };
        let row = |row: usize| {
            let cells = row * self.shape.columns..(row + 1) * self.shape.columns;
            cells.map(label).collect::<Vec<_>>().join(" ")
        };
        (0..self.shape.rows).map(row).collect()
    }

    /// If the goal of the blank is a corner, reflects the board so that this becomes the last cell,
    /// for which the tables are built. Also returns the image of each cell; the reflection is its
    /// own inverse.
    pub fn normalised(&self) -> (Board, Vec<u16>) {
        let Shape { rows, columns, home } = self.shape;
        let (row, column) = (home / columns, home % columns);
        let is_corner = (row == 0 || row == rows - 1) && (column == 0 || column == columns - 1);
        let reflect = |cell: usize| {
            let (mut new_row, mut new_column) = (cell / columns, cell % columns);
            if is_corner && row == 0 {
                new_row = rows - 1 - new_row;
            }
            if is_corner && column == 0 {
                new_column = columns - 1 - new_column;
            }
            new_row * columns + new_column
        };
        let image: Vec<u16> = (0..rows * columns).map(|cell| reflect(cell) as u16).collect();
        let board = Board {
            shape: Shape { home: reflect(home), ..self.shape },
            tiles: image.iter().map(|&cell| image[usize::from(self.tiles[usize::from(cell)])]).collect(),
            labels: image.iter().map(|&cell| self.labels[usize::from(cell)].clone()).collect(),
        };
        (board, image)
    }
}

/// The value of `--goal`.
#[derive(Debug, Clone)]
pub enum Goal {
    FreeFirst,
    FreeLast,
    /// The tiles run clockwise from the upper left corner to the free cell.
    Spiral,
    Rows(Document),
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Goal::Rows(document) => f.write_str(&document.text),
            named => f.write_str(named.name().unwrap_or_default()),
        }
    }
}

impl Goal {
    /// Returns the name of a usual goal.
    pub fn name(&self) -> Option<&'static str> {
        match self {
            Goal::FreeFirst => Some("free-first"),
            Goal::FreeLast => Some("free-last"),
            Goal::Spiral => Some("spiral"),
            Goal::Rows(_) => None,
        }
    }

    /// Returns the cell of each tile in ascending order, and then that of the free cell. A goal in
    /// rows has no order, so the cells are those of `free-last`.
    fn cells(&self, rows: usize, columns: usize) -> Vec<usize> {
        let mut cells: Vec<usize> = (0..rows * columns).collect();
        match self {
            Goal::FreeFirst => cells.rotate_left(1),
            Goal::Spiral => {
                let (mut top, mut bottom, mut left, mut right) = (0, rows, 0, columns);
                cells.clear();
                while top < bottom && left < right {
                    cells.extend((left..right).map(|column| top * columns + column));
                    top += 1;
                    right -= 1;
                    cells.extend((top..bottom).map(|row| row * columns + right));
                    if top < bottom {
                        bottom -= 1;
                        cells.extend((left..right).rev().map(|column| bottom * columns + column));
                    }
                    if left < right {
                        cells.extend((top..bottom).rev().map(|row| row * columns + left));
                        left += 1;
                    }
                }
            }
            Goal::FreeLast | Goal::Rows(_) => {}
        }
        cells
    }

    /// Returns the goal in words.
    pub fn words(&self, board: &Board) -> String {
        if let Goal::Spiral = self {
            let rows = Board { tiles: (0..board.tiles.len() as u16).collect(), ..board.clone() }.lines();
            return format!("the spiral {}", rows.iter().map(|row| row.trim()).collect::<Vec<_>>().join(" / "));
        }
        // The labels of the tiles in the order of the goal.
        let labels = board.labels.iter().map(String::as_str);
        match &labels.filter(|label| !label.is_empty()).collect::<Vec<_>>()[..] {
            [first, second, _, .., last] => format!("free, {first}, {second}, …, {last}"),
            few => [&["free"], few].concat().join(", "),
        }
    }
}

impl FromStr for Goal {
    type Err = String;

    fn from_str(text: &str) -> Result<Goal, String> {
        match text {
            "free-first" => Ok(Goal::FreeFirst),
            "free-last" => Ok(Goal::FreeLast),
            "spiral" => Ok(Goal::Spiral),
            text if looks_like_a_board(text) => Ok(Goal::Rows(Document::in_memory("--goal", text))),
            _ => Err("expected free-first, free-last, spiral, or a board such as \"1 2 3/8 . 4/7 6 5\"".to_owned()),
        }
    }
}

/// The number on a tile; `None` for the free cell.
type Label = Option<u64>;

impl<'a> LabelledGrid<'a> {
    /// Returns rows of equal length. A board on one line is a square if possible, unless a label
    /// such as `4x1:` gives its size. For a goal, `wanted` is the size of the board, which its rows
    /// must have.
    fn grid(self, wanted: Option<[usize; 2]>, document: &Document) -> Result<Grid<'a>, Failure> {
        let is_number = |text: &str| self.is_packed || text.bytes().all(|byte| byte.is_ascii_digit());
        let is_strange = |token: &&Token<'_>| !is_sign(token.text) && !is_number(token.text);
        for (number, row) in self.rows.iter().enumerate() {
            if let Some(odd) = row.iter().find(|token| is_strange(token)) {
                let what = format!("expected a number, or 0 . _ x for the free cell, found `{}`", odd.text);
                return Err(cells::error_at(document, what, &odd.range).into());
            }
            let first = self.rows[0].len();
            if row.len() != first {
                let range = &row.get(first).unwrap_or(&row[row.len() - 1]).range;
                let what = format!(
                    "expected {} as in the first row, found {}",
                    words::count(first, "cell", "cells"),
                    row.len()
                );
                return Err(cells::error_at(document, what, range).into());
            }
            if (number + 1) * row.len() > MAX_CELLS {
                return Err(cells::error_at(
                    document,
                    format!("the board has more than {MAX_CELLS} cells"),
                    &row[0].range,
                )
                .into());
            }
        }
        let (rows, columns) = (self.rows.len(), self.rows[0].len());
        let named = self.label.as_ref().and_then(|label| {
            let (columns, rows) = label.text.split_once('x')?;
            Some([rows.trim().parse().ok()?, columns.trim().parse().ok()?])
        });
        let side = columns.isqrt();
        let shape = match wanted.or(named) {
            None if rows == 1 && side > 1 && side * side == columns => [side, side],
            None => [rows, columns],
            Some(shape) if rows == 1 && shape[0].checked_mul(shape[1]) == Some(columns) => shape,
            Some(shape) if shape == [rows, columns] => shape,
            Some(shape) => {
                let what = if wanted.is_some() { "the goal" } else { "the board" };
                let what = format!("expected {what} to be {} by {}, found {rows} by {columns}", shape[0], shape[1]);
                return Err(cells::error_at(document, what, &self.rows[0][0].range).into());
            }
        };
        let cells = self.rows.concat();
        Ok(cells.chunks(shape[1]).map(<[Token<'_>]>::to_vec).collect())
    }
}

/// Returns the default goal: 1, 2, …, n or 0, 1, …, n − 1, then the free cell.
fn default_goal(cells: &[Token<'_>], labels: &[Label], document: &Document) -> Result<Vec<Label>, Failure> {
    let n = cells.len() as u64 - 1;
    let first = if labels.contains(&Some(0)) { 0 } else { 1 };
    for (cell, label) in labels.iter().enumerate() {
        if let Some(label) = label.filter(|&label| label < first || label >= first + n) {
            let missing = (first..first + n).find(|wanted| !labels.contains(&Some(*wanted)));
            let missing = missing.map_or(String::new(), |missing| format!("; {missing} is missing"));
            let what = format!(
                "tile {label} on a board with tiles {first} to {}{missing} (another goal may follow after a blank line)",
                first + n - 1
            );
            return Err(cells::error_at(document, what, &cells[cell].range).into());
        }
    }
    Ok((first..first + n).map(Some).chain([None]).collect())
}

/// Parses a goal given by the user and checks that its tiles are those of the board.
fn explicit_goal(tokens: &[Token<'_>], board: &[Label], document: &Document) -> Result<Vec<Label>, Failure> {
    let goal = labels(tokens, document)?;
    if let Some(cell) = (0..goal.len()).find(|&cell| !board.contains(&goal[cell])) {
        let what = format!("the goal has tile {}, which the board does not have", tokens[cell].text);
        return Err(cells::error_at(document, what, &tokens[cell].range).into());
    }
    Ok(goal)
}

/// Parses the number on every cell; the free cell becomes `None`.
fn labels(cells: &[Token<'_>], document: &Document) -> Result<Vec<Label>, Failure> {
    let has_sign = cells.iter().any(|token| is_sign(token.text));
    let mut labels = Vec::new();
    let mut used = FxHashSet::default();
    for token in cells {
        let is_free = is_sign(token.text) || !has_sign && token.text.bytes().all(|byte| byte == b'0');
        let label = match number(token.text) {
            _ if is_free => None,
            Some(label) => Some(label),
            None => {
                return Err(
                    cells::error_at(document, format!("the number {} is too large", token.text), &token.range).into()
                );
            }
        };
        if !used.insert(label) {
            let what = match label {
                None => "expected one free cell, found a second one".to_owned(),
                Some(label) => format!("tile {label} appears twice"),
            };
            return Err(cells::error_at(document, what, &token.range).into());
        }
        labels.push(label);
    }
    if !used.contains(&None) {
        return Err(
            cells::error_at(document, "expected a free cell (0, ., _ or x), found none", &cells[0].range).into()
        );
    }
    Ok(labels)
}
