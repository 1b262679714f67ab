//! A board as it is written: rows of numbers, one free cell, perhaps a goal.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use super::shape::Shape;
use crate::diagnostic::{Diagnostic, Failure, Place};
use crate::document::Document;

/// As many cells as the moves of the search can name.
pub const MOST_CELLS: usize = 1024;

/// A board and its goal. A tile is named by the cell where it belongs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Board {
    pub shape: Shape,
    /// The tile on each cell; the free cell has the name of its own goal.
    pub tiles: Vec<u16>,
    /// What is written on each tile.
    pub labels: Vec<String>,
}

/// A number or the free cell, and where it stands.
#[derive(Debug, Clone)]
struct Token<'a> {
    text: &'a str,
    range: Range<usize>,
}

impl Token<'_> {
    /// A sign that can mean nothing but the free cell.
    fn is_sign(&self) -> bool {
        is_sign(self.text)
    }
}

fn is_sign(text: &str) -> bool {
    matches!(text, "." | "_" | "x" | "X")
}

type Grid<'a> = Vec<Vec<Token<'a>>>;

/// Whether a text has nothing but numbers, signs of the free cell and slashes.
pub fn looks_like_a_board(text: &str) -> bool {
    let mut numbers = 0;
    let mut words =
        text.split(|character: char| character.is_whitespace() || character == '/').filter(|word| !word.is_empty());
    let fits = words.all(|word| {
        let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
        numbers += usize::from(is_number);
        is_number || is_sign(word)
    });
    fits && numbers > 0
}

impl Board {
    /// Rows are lines, or set apart by slashes. A blank line, or two slashes, set the goal apart.
    pub fn parse(document: &Document, one_line_is_a_square: bool) -> Result<Board, Failure> {
        let wrong = |what: String, range: Range<usize>| {
            Failure::from(Diagnostic::error(what).at(Some(Place::of_range(&document.name, &document.text, range))))
        };
        let mut grids = grids(&document.text, &wrong)?.into_iter();
        let Some(mut start) = grids.next() else {
            return Err(Diagnostic::error(format!("{}: there is no board", document.name)).into());
        };
        let goal = grids.next();
        if let Some(third) = grids.next() {
            let what = "a third board begins here; a board and perhaps a goal were wanted";
            return Err(wrong(what.to_owned(), third[0][0].range.clone()));
        }
        let side = start[0].len().isqrt();
        if one_line_is_a_square && start.len() == 1 && side > 1 && side * side == start[0].len() {
            start = start[0].chunks(side).map(<[Token<'_>]>::to_vec).collect();
        }
        let (rows, columns) = (start.len(), start[0].len());
        if rows * columns < 2 {
            return Err(wrong("a board has at least two cells".to_owned(), start[0][0].range.clone()));
        }
        if let Some(goal) = goal.as_ref().filter(|goal| goal.len() != rows || goal[0].len() != columns) {
            let what =
                format!("the goal has {} rows of {}; {rows} of {columns} were wanted", goal.len(), goal[0].len());
            return Err(wrong(what, goal[0][0].range.clone()));
        }
        let cells = start.concat();
        let labels = labels(&cells, &wrong)?;
        let goal = match goal {
            None => usual_goal(&cells, &labels, &wrong)?,
            Some(goal) => given_goal(&goal.concat(), &labels, &wrong)?,
        };
        let names: FxHashMap<Option<u64>, u16> =
            goal.iter().enumerate().map(|(cell, &label)| (label, cell as u16)).collect();
        Ok(Board {
            shape: Shape { rows, columns, home: usize::from(names[&None]) },
            tiles: labels.iter().map(|label| names[label]).collect(),
            labels: goal.iter().map(|label| label.map_or_else(String::new, |label| label.to_string())).collect(),
        })
    }

    /// Why there is no solution, if parity, or the order in a single line, shows it.
    pub fn why_unsolvable(&self) -> Option<String> {
        let Shape { rows, columns, home } = self.shape;
        if rows == 1 || columns == 1 {
            let in_order = self.tiles.iter().filter(|&&tile| usize::from(tile) != home).is_sorted();
            return (!in_order).then(|| {
                "on a single line the tiles cannot pass each other, and they are in another order".to_owned()
            });
        }
        let mut seen = vec![false; self.tiles.len()];
        let mut swaps = 0;
        for cell in 0..self.tiles.len() {
            let mut next = cell;
            let mut length = 0;
            while !std::mem::replace(&mut seen[next], true) {
                next = usize::from(self.tiles[next]);
                length += 1;
            }
            swaps += usize::saturating_sub(length, 1);
        }
        let distance = self.shape.distance(self.free(), home);
        let word = |number: usize| if number.is_multiple_of(2) { "even" } else { "odd" };
        (swaps % 2 != distance % 2).then(|| {
            format!(
                "the goal is an {} permutation of the board, but the free cell is an {} number of steps from its goal; \
                 every move changes both",
                word(swaps),
                word(distance)
            )
        })
    }

    pub fn free(&self) -> usize {
        let home = self.shape.home as u16;
        self.tiles.iter().position(|&tile| tile == home).expect("a board has a free cell")
    }

    /// The boards on the way of the free cell over these cells, the first one included.
    pub fn follow(&self, cells: &[u16]) -> Vec<Board> {
        let mut boards = vec![self.clone()];
        for (step, &cell) in cells.iter().enumerate() {
            let mut board = boards[step].clone();
            let free = board.free();
            board.tiles.swap(free, usize::from(cell));
            boards.push(board);
        }
        boards
    }

    /// The direction of the tile in each step; `*` where it does not come from beside, by rules of one's own.
    pub fn letters(&self, cells: &[u16]) -> String {
        let mut free = self.free();
        let letter = |&cell: &u16| {
            let (from, to) = (std::mem::replace(&mut free, usize::from(cell)), usize::from(cell));
            if self.shape.distance(from, to) == 1 { self.shape.direction(from, to).letter_of_tile() } else { '*' }
        };
        cells.iter().map(letter).collect()
    }

    /// What is written on a cell.
    pub fn label(&self, cell: usize) -> &str {
        &self.labels[usize::from(self.tiles[cell])]
    }

    /// Rows of labels, set right; the free cell is a dot.
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

    /// With rows or columns turned round so that the free cell's goal is the last cell, if it is a corner: tables are for
    /// that one. Also the cell of each cell, which is the same both ways.
    pub fn turned(&self) -> (Board, Vec<u16>) {
        let Shape { rows, columns, home } = self.shape;
        let (row, column) = (home / columns, home % columns);
        let is_corner = (row == 0 || row == rows - 1) && (column == 0 || column == columns - 1);
        let turn = |cell: usize| {
            let (mut row_now, mut column_now) = (cell / columns, cell % columns);
            if is_corner && row == 0 {
                row_now = rows - 1 - row_now;
            }
            if is_corner && column == 0 {
                column_now = columns - 1 - column_now;
            }
            row_now * columns + column_now
        };
        let turned: Vec<u16> = (0..rows * columns).map(|cell| turn(cell) as u16).collect();
        let mut board = Board { shape: Shape { home: turn(home), ..self.shape }, ..self.clone() };
        for (cell, &image) in turned.iter().enumerate() {
            board.tiles[usize::from(image)] = turned[usize::from(self.tiles[cell])];
            board.labels[usize::from(image)].clone_from(&self.labels[cell]);
        }
        (board, turned)
    }
}

/// Makes the error about a range of the text.
type Wrong<'a> = &'a dyn Fn(String, Range<usize>) -> Failure;

/// What is written on a tile; `None` for the free cell.
type Label = Option<u64>;

/// The boards of a text, each with as many cells in every row.
fn grids<'a>(text: &'a str, wrong: Wrong<'_>) -> Result<Vec<Grid<'a>>, Failure> {
    let mut grids: Vec<Grid<'_>> = vec![Vec::new()];
    for (offset, row) in rows(text) {
        let tokens = tokens(row, offset);
        if let Some(odd) = tokens.iter().find(|token| !looks_like_a_board(token.text) && !token.is_sign()) {
            let what = format!("found {}; a number, or 0 . _ x for the free cell, was wanted", odd.text);
            return Err(wrong(what, odd.range.clone()));
        }
        let grid = grids.last_mut().expect("there is always a grid");
        if tokens.is_empty() {
            if !grid.is_empty() {
                grids.push(Vec::new());
            }
            continue;
        }
        if let Some(first) = grid.first()
            && first.len() != tokens.len()
        {
            let range = tokens.get(first.len()).unwrap_or(&tokens[tokens.len() - 1]).range.clone();
            let what = format!("this row has {} cells; {} were wanted, as in the first", tokens.len(), first.len());
            return Err(wrong(what, range));
        }
        if (grid.len() + 1) * tokens.len() > MOST_CELLS {
            let what = format!("the board has more than {MOST_CELLS} cells");
            return Err(wrong(what, tokens[0].range.clone()));
        }
        grid.push(tokens);
    }
    grids.retain(|grid| !grid.is_empty());
    Ok(grids)
}

/// 1, 2, …, n or 0, 1, …, n − 1, then the free cell.
fn usual_goal(cells: &[Token<'_>], labels: &[Label], wrong: Wrong<'_>) -> Result<Vec<Label>, Failure> {
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
            return Err(wrong(what, cells[cell].range.clone()));
        }
    }
    Ok((first..first + n).map(Some).chain([None]).collect())
}

/// The goal as it is written, with the tiles of the board.
fn given_goal(tokens: &[Token<'_>], board: &[Label], wrong: Wrong<'_>) -> Result<Vec<Label>, Failure> {
    let goal = labels(tokens, wrong)?;
    if let Some(cell) = (0..goal.len()).find(|&cell| !board.contains(&goal[cell])) {
        let what = format!("the goal has tile {}, which the board has not", tokens[cell].text);
        return Err(wrong(what, tokens[cell].range.clone()));
    }
    Ok(goal)
}

/// Rows of the text with their offsets.
fn rows(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut offset = 0;
    text.split(['\n', '/']).map(move |row| {
        let begin = offset;
        offset += row.len() + 1;
        (begin, row)
    })
}

/// The tokens of a row; of a row that is too long for any board, not all.
fn tokens(row: &str, offset: usize) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut begin = None;
    for (place, character) in row.char_indices().chain([(row.len(), ' ')]) {
        match (character.is_whitespace(), begin) {
            (true, Some(first)) => {
                tokens.push(Token { text: &row[first..place], range: offset + first..offset + place });
                begin = None;
                if tokens.len() > MOST_CELLS {
                    break;
                }
            }
            (false, None) => begin = Some(place),
            _ => {}
        }
    }
    tokens
}

/// The number on every cell but one, which is free.
fn labels(cells: &[Token<'_>], wrong: Wrong<'_>) -> Result<Vec<Label>, Failure> {
    let has_sign = cells.iter().any(Token::is_sign);
    let (mut labels, mut seen) = (Vec::new(), FxHashSet::default());
    for token in cells {
        let is_free = token.is_sign() || !has_sign && token.text.bytes().all(|byte| byte == b'0');
        let label = match token.text.parse::<u64>() {
            _ if is_free => None,
            Ok(label) => Some(label),
            Err(_) => return Err(wrong(format!("the number {} is too large", token.text), token.range.clone())),
        };
        if !seen.insert(label) {
            let what = label.map_or_else(
                || "a second free cell; one was wanted".to_owned(),
                |label| format!("tile {label} is there twice"),
            );
            return Err(wrong(what, token.range.clone()));
        }
        labels.push(label);
    }
    if !seen.contains(&None) {
        return Err(wrong("there is no free cell; 0 . _ or x was wanted".to_owned(), cells[0].range.clone()));
    }
    Ok(labels)
}
