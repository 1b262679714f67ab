//! A board as it is written: a line `mines N` and rows of signs, or facts of a logic program.

use std::ops::Range;

use super::Options;
use super::grid::{Cell, Grid, Position};
use crate::asp::{self, Symbol, syntax};
use crate::diagnostic::{Diagnostic, Failure, Place};
use crate::document::{Document, Notation};
use crate::puzzle::{Query, place_of_fact};

/// More cells are no board that anybody looks at.
pub const MOST_CELLS: usize = 10_000_000;

/// What is on the table, and where it came from.
#[derive(Debug, Clone)]
pub struct Board {
    pub position: Position,
    /// Row and column of the first cell in the facts of the instance; 0 and 0 for a text.
    pub origin: [i32; 2],
    /// The instance is a logic program, which says perhaps more than the puzzle knows.
    pub is_program: bool,
}

/// Whether a text looks like a board: one of its first lines is `mines N`, or it has nothing but signs, `?` among them.
pub fn looks_like_a_board(text: &str) -> bool {
    let is_header = |(_, piece): (usize, &str)| piece.split_whitespace().next() == Some("mines");
    let is_row = |(_, piece): (usize, &str)| piece.chars().all(|sign| cell(sign).is_some());
    pieces(text).take(3).any(is_header) || text.contains('?') && pieces(text).all(is_row)
}

/// Whether a logic program has the facts of a board, and no more than an instance.
pub fn has_facts(text: &str) -> bool {
    if !text.contains("cell") || !text.contains("number") && !text.contains("mines") {
        return false;
    }
    let statements = syntax::statements(text);
    let has = |name: &str, arity: usize| {
        statements.iter().any(|statement| {
            statement.is_fact && statement.head.as_ref().is_some_and(|head| head.0 == name && head.1 == arity)
        })
    };
    has("cell", 2) && (has("number", 3) || has("mines", 1))
}

/// Lines and what slashes set apart in them, without comments and what is blank, with where they begin.
fn pieces(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut offset = 0;
    text.split_inclusive(['\n', '/']).filter_map(move |piece| {
        let at = offset;
        offset += piece.len();
        let piece = piece.trim_end_matches(['\n', '/', '\r']);
        let indent = piece.len() - piece.trim_start().len();
        let trimmed = piece.trim();
        (!trimmed.is_empty() && !trimmed.starts_with('%')).then_some((at + indent, trimmed))
    })
}

fn cell(sign: char) -> Option<Cell> {
    Some(match sign {
        '0'..='8' => Cell::Open(sign as u8 - b'0'),
        '.' => Cell::Open(0),
        '?' | '#' => Cell::Closed,
        'F' => Cell::Mine,
        _ => return None,
    })
}

impl Board {
    pub fn parse(query: &Query<'_, Options>) -> Result<Board, Failure> {
        if let [document] = query.documents
            && (looks_like_a_board(&document.text)
                || document.notation() != Notation::Program
                || !has_facts(&document.text))
        {
            return Board::of_text(document);
        }
        Board::of_facts(query)
    }

    fn of_text(document: &Document) -> Result<Board, Failure> {
        let text: &str = &document.text;
        let wrong = |what: String, range: Range<usize>| {
            Failure::from(Diagnostic::error(what).at(Some(Place::of_range(&document.name, text, range))))
        };
        let mut header: Option<(usize, Range<usize>)> = None;
        let mut rows: Vec<(usize, &str)> = Vec::new();
        for (at, piece) in pieces(text) {
            if !piece.starts_with("mines") {
                rows.push((at, piece));
                continue;
            }
            let range = at..at + piece.len();
            if header.is_some() {
                return Err(wrong("a second line \"mines\"; one was wanted".to_owned(), range));
            }
            let number = piece["mines".len()..].trim().parse();
            let number =
                number.map_err(|_| wrong("\"mines\" and a whole number were wanted".to_owned(), range.clone()))?;
            header = Some((number, range));
        }
        let Some((mines, header)) = header else {
            let text = format!("{}: no line \"mines N\", the number of mines on the whole board", document.name);
            return Err(Diagnostic::error(text).into());
        };
        let Some(&(_, first)) = rows.first() else {
            return Err(wrong("no board follows".to_owned(), header));
        };
        let grid = Grid { rows: rows.len(), columns: first.chars().count() };
        if grid.rows.checked_mul(grid.columns).is_none_or(|area| area > MOST_CELLS) {
            return Err(wrong(format!("the board has more than {MOST_CELLS} cells"), rows[0].0..rows[0].0 + 1));
        }
        let mut position = Position::closed(grid, Some(mines));
        let mut ranges = vec![0..0; grid.extent()];
        for (row, &(at, line)) in rows.iter().enumerate() {
            for (column, (offset, sign)) in line.char_indices().enumerate() {
                let range = at + offset..at + offset + sign.len_utf8();
                let place = format!("row {}, column {}", row + 1, column + 1);
                let Some(cell) = cell(sign) else {
                    let what = format!("{place}: found {sign}; 0 to 8, ., ?, # or F was wanted");
                    return Err(wrong(what, range));
                };
                if column == grid.columns {
                    let what = format!("{place}: row 1 has {} cells, and so must this", grid.columns);
                    return Err(wrong(what, range));
                }
                position.cells[grid.cell(row, column)] = cell;
                ranges[grid.cell(row, column)] = range;
            }
            let found = line.chars().count();
            if found < grid.columns {
                let what = format!("row {} has {found} cells; {} were wanted, as in row 1", row + 1, grid.columns);
                return Err(wrong(what, at + line.len()..at + line.len()));
            }
        }
        let board = Board { position, origin: [0, 0], is_program: false };
        board.sound().map_err(|error| match error {
            Unsound::Cell(cell, what) => wrong(what, ranges[cell].clone()),
            Unsound::Total(what) => wrong(what, header.clone()),
        })?;
        Ok(board)
    }

    fn of_facts(query: &Query<'_, Options>) -> Result<Board, Failure> {
        let program = asp::Program { instance: query.documents.to_vec(), ..asp::Program::default() };
        let constants = query.request.settings.constants.clone();
        let settings = asp::Settings { constants, ..asp::Settings::default() };
        let mut solver = asp::Solver::with_program(&program, &settings, query.stop)?;
        let atoms = solver.control().known_atoms().map_err(|error| Diagnostic::error(error.text))?;
        let mut facts: Vec<(&str, Vec<i32>, Symbol)> = Vec::new();
        for (symbol, is_fact) in atoms {
            let Some((name, arity)) = asp::signature_of(symbol) else { continue };
            let of_board = |(known, _): &&(&str, usize)| known.split('(').next() == Some(name);
            let Some(&(known, wanted)) = PREDICATES.iter().find(of_board) else { continue };
            let text = asp::to_text(symbol);
            let wrong = |what: String| Failure::from(Diagnostic::error(what).at(place_of_fact(query.documents, &text)));
            if !is_fact {
                return Err(wrong(format!("{text} is not a fact: a board is given, and this atom may hold or not")));
            }
            let arguments = symbol.arguments().unwrap_or_default().into_iter().map(asp::Term::of);
            let numbers: Option<Vec<i32>> = arguments.map(|term| term.number()).collect();
            let numbers = numbers.filter(|_| arity == wanted);
            let numbers = numbers.ok_or_else(|| wrong(format!("{text}: {known} of whole numbers was wanted")))?;
            facts.push((name, numbers, symbol));
        }
        let wrong_at = |symbol: Symbol, what: String| {
            let text = asp::to_text(symbol);
            Failure::from(Diagnostic::error(format!("{text}: {what}")).at(place_of_fact(query.documents, &text)))
        };
        let places =
            || facts.iter().filter(|(name, ..)| *name != "mines").map(|(_, numbers, _)| [numbers[0], numbers[1]]);
        let Some(first) = places().next() else {
            return Err(Diagnostic::error("no cell: the board has no facts cell(R,C) or number(R,C,N)").into());
        };
        let (mut low, mut high) = (first, first);
        for place in places() {
            for axis in 0..2 {
                low[axis] = low[axis].min(place[axis]);
                high[axis] = high[axis].max(place[axis]);
            }
        }
        let [rows, columns] = [0, 1].map(|axis| (i64::from(high[axis]) - i64::from(low[axis]) + 1) as usize);
        if rows.checked_mul(columns).is_none_or(|area| area > MOST_CELLS) {
            let text = format!("the cells span {rows} rows and {columns} columns: more than {MOST_CELLS} cells");
            return Err(Diagnostic::error(text).into());
        }
        let grid = Grid { rows, columns };
        let mut position = Position { grid, cells: vec![Cell::Wall; grid.extent()], mines: None };
        let mut symbols: Vec<Option<Symbol>> = vec![None; grid.extent()];
        // Cells before numbers before flags.
        facts.sort_by_key(|&(name, ..)| ["cell", "number", "flag", "mines"].iter().position(|known| *known == name));
        let mut total: Option<Symbol> = None;
        for (name, numbers, symbol) in &facts {
            if *name == "mines" {
                if total.is_some() {
                    return Err(wrong_at(*symbol, "a second total; one fact mines(N) was wanted".to_owned()));
                }
                let mines = usize::try_from(numbers[0]);
                position.mines = Some(mines.map_err(|_| wrong_at(*symbol, "less than no mines".to_owned()))?);
                total = Some(*symbol);
                continue;
            }
            let cell = grid.cell((numbers[0] - low[0]) as usize, (numbers[1] - low[1]) as usize);
            position.cells[cell] = match (*name, position.cells[cell]) {
                ("cell", _) => Cell::Closed,
                ("number", Cell::Open(_)) => {
                    return Err(wrong_at(*symbol, "the cell has two numbers".to_owned()));
                }
                ("number", _) => match u8::try_from(numbers[2]) {
                    Ok(number @ 0..=8) => Cell::Open(number),
                    _ => return Err(wrong_at(*symbol, "0 to 8 was wanted".to_owned())),
                },
                (_, Cell::Open(_)) => return Err(wrong_at(*symbol, "an open cell has no flag".to_owned())),
                _ => Cell::Mine,
            };
            symbols[cell] = Some(*symbol);
        }
        let board = Board { position, origin: low, is_program: true };
        board.sound().map_err(|error| match error {
            Unsound::Cell(cell, what) => wrong_at(symbols[cell].expect("a cell comes from a fact"), what),
            Unsound::Total(what) => match total {
                Some(total) => wrong_at(total, what),
                None => Diagnostic::error(what).into(),
            },
        })?;
        Ok(board)
    }

    /// What no solver needs to look at. That numbers contradict each other is no error: it is an answer.
    fn sound(&self) -> Result<(), Unsound> {
        let (position, grid) = (&self.position, self.position.grid);
        for cell in grid.cells() {
            let neighbors = 8 - position.count_around(cell, Cell::Wall);
            if let Cell::Open(number) = position.cells[cell]
                && usize::from(number) > neighbors
            {
                let what =
                    format!("{}: found {number}, but the cell has {}", self.words(cell), count(neighbors, "neighbour"));
                return Err(Unsound::Cell(cell, what));
            }
        }
        let closed = position.count(Cell::Closed) + position.count(Cell::Mine);
        if let Some(mines) = position.mines {
            if mines > closed {
                return Err(Unsound::Total(format!("{}, but {}", count(mines, "mine"), count(closed, "closed cell"))));
            }
            if let Some(flag) = grid.cells().filter(|&cell| position.cells[cell] == Cell::Mine).nth(mines) {
                let what = format!("{}: a flag too many for {}", self.words(flag), count(mines, "mine"));
                return Err(Unsound::Cell(flag, what));
            }
        }
        if position.count(Cell::Closed) == 0 {
            let what = if closed == 0 { "no cell is closed" } else { "every closed cell has a flag" };
            return Err(Unsound::Total(format!("{what}: there is nothing left to find")));
        }
        Ok(())
    }

    /// "row 3, column 4": from 1, or as the facts count.
    pub fn words(&self, cell: usize) -> String {
        let [row, column] = self.place(cell);
        format!("row {row}, column {column}")
    }

    /// Row and column as a person counts them.
    pub fn place(&self, cell: usize) -> [i64; 2] {
        let place = self.position.grid.place(cell);
        let first = if self.is_program { self.origin.map(i64::from) } else { [1, 1] };
        [place[0] as i64 + first[0], place[1] as i64 + first[1]]
    }

    /// Row and column as the facts have them.
    pub fn coordinates(&self, cell: usize) -> [i32; 2] {
        let place = self.position.grid.place(cell);
        [place[0] as i32 + self.origin[0], place[1] as i32 + self.origin[1]]
    }

    /// The cell of a row and column of the facts.
    pub fn cell(&self, row: i32, column: i32) -> Option<usize> {
        let grid = self.position.grid;
        let row = usize::try_from(row.checked_sub(self.origin[0])?).ok().filter(|&row| row < grid.rows)?;
        let column =
            usize::try_from(column.checked_sub(self.origin[1])?).ok().filter(|&column| column < grid.columns)?;
        Some(grid.cell(row, column))
    }
}

/// The predicates of an instance, and how many arguments they have.
const PREDICATES: [(&str, usize); 4] = [("cell(R,C)", 2), ("number(R,C,N)", 3), ("flag(R,C)", 2), ("mines(N)", 1)];

/// What makes a board no board.
enum Unsound {
    Cell(usize, String),
    Total(String),
}

/// "1 mine", "2 mines".
fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}
