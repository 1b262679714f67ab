//! A board of a puzzle on a grid, and its conversion to and from the facts of a logic program.
//!
//! Rows and columns count from 1. The clue in a cell is `sign(R,C,V)`, where V is a number or a
//! string, and `part(R,C,I,V)` for each of its parts: `2<` has the parts 2 and "<".
//! For the text format of boards, see [`text`](super::text); for links, [`link`](super::link).

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::{self, Write};
use std::iter::once;
use std::ops::Range;

use asp::{Symbol, Term, signature_of, to_text};
use base::diagnostic::{Code, Diagnostic, Failure, Place};
use base::document::Document;
use base::words;

/// Maximum number of cells. Larger boards cannot be grounded.
pub const MAX_CELLS: usize = 1_000_000;
/// Maximum length of a text board. A drawing needs at most about 50 bytes for each cell.
pub const MAX_BYTES: usize = 64 * MAX_CELLS;
/// The maximum length of a clue, in bytes.
pub const MAX_CLUE_LENGTH: usize = 100;
/// The names of the sides of a board that can have clues, which are also the names of their
/// predicates. The first two sides have clues for rows, the others for columns.
pub const SIDES: [&str; 4] = ["left", "right", "top", "bottom"];

/// The names of further grids: `corner` has a place for each corner of a cell, `between` one for
/// each cell and each border or corner between cells (2R-1 rows), and `shade` one for the
/// background of each cell.
pub const GRIDS: [&str; 3] = ["corner", "between", "shade"];

/// The predicates for a board's size, walls, areas and grids. All other facts of a board are clues.
pub const SHAPE_PREDICATES: [(&str, usize); 5] = [("rows", 1), ("columns", 1), ("wall", 4), ("area", 3), ("grid", 3)];

/// A message and the byte range that it refers to.
pub type SpanError = (String, Range<usize>);

pub fn failure(document: &Document, (what, range): SpanError) -> Failure {
    Diagnostic::error(Code::InvalidInstance, what)
        .at(Some(Place::of_range(&document.name, &document.text, range)))
        .into()
}

/// Row and column, counted from 1.
pub type Cell = (usize, usize);
/// Clues by cell; at the sides of a board, by line and index.
pub type ClueGrid = BTreeMap<Cell, Clue>;

/// The location of a clue. Clues are the parts of a board that may be wrong, so its size, walls and
/// areas are not clues.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum ClueLocation {
    Cell(Cell),
    /// A header line: its name and its words.
    Header(String, Vec<Clue>),
    /// The name of a side or grid, and the place of the clue in it.
    Named(String, Cell),
    /// A player's mark in a cell or between two cells: the row and column of each.
    Mark(Vec<usize>),
}

/// The byte ranges of clues in the text of a board.
pub type ClueRanges = BTreeMap<ClueLocation, Range<usize>>;

/// The value of a clue.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Clue {
    Number(i32),
    Text(String),
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GridBoard {
    pub rows: usize,
    pub columns: usize,
    /// The name of the puzzle, if the text states it.
    pub puzzle: Option<String>,
    pub signs: ClueGrid,
    /// Pairs of adjacent cells, the left or upper one first.
    pub walls: BTreeSet<(Cell, Cell)>,
    /// Areas, numbered from 1 in reading order of their first cells; empty if the board has none.
    pub areas: BTreeMap<Cell, usize>,
    /// The clues at each of [`SIDES`], by line (row or column) and index.
    pub around: [ClueGrid; 4],
    pub grids: BTreeMap<String, ClueGrid>,
    /// Header lines without a field of their own, each as the name and arguments of a fact.
    pub header: BTreeSet<(String, Vec<Clue>)>,
    /// The marks of a player: a literal for the row and column of a cell, or of two cells.
    pub player_marks: BTreeMap<Vec<usize>, String>,
    /// The link from which the board was read; several links can describe one board.
    pub link: Option<String>,
}

impl Clue {
    /// Parses a clue. Returns `None` for the signs of an empty cell.
    pub fn read(text: &str) -> Result<Option<Clue>, String> {
        if matches!(text, "." | "_" | "-") {
            return Ok(None);
        }
        if text.len() > MAX_CLUE_LENGTH {
            return Err(format!(
                "`{}` has {} bytes; the maximum is {MAX_CLUE_LENGTH}",
                words::preview(text),
                text.len()
            ));
        }
        let number = |text: &str| text.parse().map_err(|_| format!("the number {} is too large", words::preview(text)));
        let digits = text.strip_prefix('-').unwrap_or(text);
        for run in text.split(|sign: char| !sign.is_ascii_digit()).filter(|run| !run.is_empty()) {
            number(run)?;
        }
        let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
        Ok(Some(if is_number { Clue::Number(number(text)?) } else { Clue::Text(text.to_owned()) }))
    }

    pub fn text(text: &str) -> Clue {
        Clue::read(text).ok().flatten().unwrap_or_else(|| Clue::Text(text.to_owned()))
    }

    /// Splits a clue at commas, and between digits, question marks and other characters.
    pub fn parts(&self) -> Vec<Clue> {
        let Clue::Text(text) = self else { return vec![self.clone()] };
        let kind = |sign: char| (sign.is_ascii_digit(), sign == '?');
        let chunks = text.split(',').flat_map(|chunk| {
            if let Clue::Number(_) = Clue::text(chunk) {
                return vec![chunk];
            }
            let cuts: Vec<usize> = chunk
                .char_indices()
                .zip(chunk.chars().skip(1))
                .filter(|&((_, sign), next)| kind(sign) != kind(next))
                .map(|((at, sign), _)| at + sign.len_utf8())
                .collect();
            let ends = cuts.clone().into_iter().chain([chunk.len()]);
            once(0).chain(cuts).zip(ends).map(|(begin, end)| &chunk[begin..end]).collect::<Vec<_>>()
        });
        chunks.filter(|chunk| !chunk.is_empty()).map(Clue::text).collect()
    }

    /// Returns the cell if the clue is a word such as `r3c7`.
    pub fn cell(&self) -> Option<Cell> {
        let Clue::Text(text) = self else { return None };
        let (row, column) = text.strip_prefix('r')?.split_once('c')?;
        let are_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let number = |text: &str| Some(text).filter(|text| are_digits(text))?.parse().ok();
        Some((number(row)?, number(column)?))
    }

    fn term(&self) -> Term {
        match self {
            Clue::Number(number) => Term::Number(*number),
            Clue::Text(text) => Term::Text(text.clone()),
        }
    }
}

impl From<i32> for Clue {
    fn from(number: i32) -> Clue {
        Clue::Number(number)
    }
}

impl fmt::Display for Clue {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(&match self {
            Clue::Number(number) => number.to_string(),
            Clue::Text(text) => text.clone(),
        })
    }
}

impl GridBoard {
    pub fn of_size(rows: usize, columns: usize) -> GridBoard {
        GridBoard { rows, columns, ..GridBoard::default() }
    }

    pub fn puzzle(&self) -> Option<&str> {
        self.puzzle.as_deref()
    }

    pub fn cells(&self) -> impl Iterator<Item = Cell> + use<> {
        let columns = self.columns;
        (1..=self.rows).flat_map(move |row| (1..=columns).map(move |column| (row, column)))
    }

    /// Returns the numbers of rows and columns of a named grid.
    pub fn grid_size(&self, grid: &str) -> (usize, usize) {
        match grid {
            "corner" => (self.rows + 1, self.columns + 1),
            "between" => (2 * self.rows - 1, 2 * self.columns - 1),
            _ => (self.rows, self.columns),
        }
    }

    /// Returns the size of the board whose grid named `grid` has `rows` and `columns`. Returns `None`
    /// if no board has such a grid.
    pub fn size_of_board(grid: &str, (rows, columns): (usize, usize)) -> Option<(usize, usize)> {
        let (rows_of_board, columns_of_board) = match grid {
            "corner" => (rows.saturating_sub(1), columns.saturating_sub(1)),
            "between" => (rows.div_ceil(2), columns.div_ceil(2)),
            _ => (rows, columns),
        };
        let board = GridBoard::of_size(rows_of_board, columns_of_board);
        let fits = rows_of_board > 0 && columns_of_board > 0 && board.grid_size(grid) == (rows, columns);
        fits.then_some((rows_of_board, columns_of_board))
    }

    /// Returns the areas that the walls enclose.
    pub fn enclosed_areas(&self) -> BTreeMap<Cell, usize> {
        let mut areas = BTreeMap::new();
        let mut number = 0;
        for first in self.cells() {
            if areas.contains_key(&first) {
                continue;
            }
            number += 1;
            let mut open = vec![first];
            while let Some(cell) = open.pop() {
                if areas.insert(cell, number).is_none() {
                    open.extend(self.neighbours(cell).filter(|&other| {
                        !areas.contains_key(&other) && !self.walls.contains(&(cell.min(other), cell.max(other)))
                    }));
                }
            }
        }
        areas
    }

    /// Returns the first cell of each area that the walls enclose, in reading order.
    pub fn first_cells(&self) -> Vec<Cell> {
        let mut firsts = BTreeMap::new();
        for (cell, area) in self.enclosed_areas() {
            firsts.entry(area).or_insert(cell);
        }
        firsts.into_values().collect()
    }

    pub fn neighbours(&self, (row, column): Cell) -> impl Iterator<Item = Cell> + use<> {
        let (rows, columns) = (self.rows, self.columns);
        [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
            .into_iter()
            .filter(move |&(row, column)| (1..=rows).contains(&row) && (1..=columns).contains(&column))
    }

    /// Sets the areas; `names` has an arbitrary name for the area of each cell. If the board has no
    /// walls yet, adds walls between areas.
    pub fn set_areas(&mut self, names: &ClueGrid) {
        self.areas = numbered(names);
        if self.walls.is_empty() {
            let pairs = self.cells().flat_map(|cell| self.neighbours(cell).map(move |other| (cell, other)));
            self.walls =
                pairs.filter(|(one, other)| one < other && self.areas.get(one) != self.areas.get(other)).collect();
        }
    }

    /// Returns the rotations and reflections of the board: eight, or four without transposition.
    /// Returns only the board itself if it has clues whose meaning depends on the orientation:
    /// clues at the sides or in further grids, lists of cells, sums for the cells to the right and
    /// below, or a player's marks.
    pub fn orientations(&self, transposes: bool) -> Vec<GridBoard> {
        let has_direction = |sign: &Clue| sign.to_string().contains(['\\', '/']);
        let has_sides = self.around.iter().chain(self.grids.values()).any(|grid| !grid.is_empty())
            || self.header.iter().flat_map(|(_, words)| words).any(|word| word.cell().is_some());
        let is_fixed = has_sides || !self.player_marks.is_empty() || self.signs.values().any(has_direction);
        let num_orientations = match (is_fixed, transposes) {
            (true, _) => 1,
            (false, true) => 8,
            (false, false) => 4,
        };
        (0..num_orientations).map(|turn| self.transformed([turn & 1 > 0, turn & 2 > 0, turn & 4 > 0])).collect()
    }

    fn transformed(&self, [upside_down, mirrored, transposed]: [bool; 3]) -> GridBoard {
        let image = |&(row, column): &Cell| {
            let row = if upside_down { self.rows + 1 - row } else { row };
            let column = if mirrored { self.columns + 1 - column } else { column };
            if transposed { (column, row) } else { (row, column) }
        };
        let arrow = |sign: char| {
            let at = "^<v>".find(sign)?;
            let at = if at % 2 == 0 && upside_down || at % 2 == 1 && mirrored { (at + 2) % 4 } else { at };
            "^<v>".chars().nth(if transposed { at ^ 1 } else { at })
        };
        let sign = |sign: &Clue| match sign {
            Clue::Text(text) if text.starts_with(|first: char| first.is_ascii_digit() || first == '?') => {
                Clue::Text(text.chars().map(|character| arrow(character).unwrap_or(character)).collect())
            }
            _ => sign.clone(),
        };
        let (rows, columns) = if transposed { (self.columns, self.rows) } else { (self.rows, self.columns) };
        let areas: BTreeMap<Cell, usize> = self.areas.iter().map(|(cell, area)| (image(cell), *area)).collect();
        GridBoard {
            rows,
            columns,
            areas: numbered(&areas),
            signs: self.signs.iter().map(|(cell, clue)| (image(cell), sign(clue))).collect(),
            walls: self
                .walls
                .iter()
                .map(|(one, other)| (image(one).min(image(other)), image(one).max(image(other))))
                .collect(),
            ..self.clone()
        }
    }

    /// Returns the board as facts of a logic program.
    pub fn facts(&self) -> String {
        self.facts_with_clues(|_| ())
    }

    /// Replaces each header line `name` by one numbered fact for each of its words: `scramble R U`
    /// becomes scramble(1,"R") and scramble(2,"U").
    pub fn number_words(&mut self, name: &str, ranges: &mut ClueRanges) {
        let lines: Vec<_> = self.header.iter().filter(|(known, _)| known == name).cloned().collect();
        for (name, words) in lines {
            let range = ranges.remove(&ClueLocation::Header(name.clone(), words.clone()));
            self.header.remove(&(name.clone(), words.clone()));
            for (number, word) in (1..).zip(words) {
                let numbered = vec![Clue::Number(number), word];
                if let Some(range) = &range {
                    ranges.insert(ClueLocation::Header(name.clone(), numbered.clone()), range.clone());
                }
                self.header.insert((name.clone(), numbered));
            }
        }
    }

    /// Like [`Self::facts`], but also calls `report` for each line with the location of the clue
    /// that the line states, or `None`.
    pub fn facts_with_clues(&self, mut report: impl FnMut(Option<ClueLocation>)) -> String {
        let mut facts = String::new();
        // A board may consist of a header alone.
        if self.rows > 0 {
            let _ = writeln!(facts, "rows({}). columns({}).", self.rows, self.columns);
            report(None);
        }
        let mut line = 0;
        let mut last = "";
        for (name, arguments) in &self.header {
            let term = |sign: &Clue| match sign.cell() {
                Some((row, column)) => format!("({row},{column})"),
                None => sign.term().to_string(),
            };
            let terms: Vec<String> = arguments.iter().map(term).collect();
            if arguments.iter().any(|sign| sign.cell().is_some()) {
                line = if name == last { line + 1 } else { 1 };
                last = name;
                let all = (1..).zip(terms).map(|(index, term)| format!("{name}({line},{index},{term})."));
                let _ = writeln!(facts, "{}", all.collect::<Vec<_>>().join(" "));
            } else {
                let _ = writeln!(facts, "{name}({}).", terms.join(","));
            }
            report(Some(ClueLocation::Header(name.clone(), arguments.clone())));
        }
        for (&cell @ (row, column), sign) in &self.signs {
            let _ = write!(facts, "sign({row},{column},{}).", sign.term());
            for (part, sign) in sign.parts().iter().enumerate() {
                let _ = write!(facts, " part({row},{column},{},{}).", part + 1, sign.term());
            }
            facts.push('\n');
            report(Some(ClueLocation::Cell(cell)));
        }
        for ((row, column), (other_row, other_column)) in &self.walls {
            let _ = writeln!(facts, "wall({row},{column},{other_row},{other_column}).");
            report(None);
        }
        for ((row, column), area) in &self.areas {
            let _ = writeln!(facts, "area({row},{column},{area}).");
            report(None);
        }
        let around = SIDES.into_iter().zip(&self.around);
        for (name, grid) in around.chain(self.grids.iter().map(|(name, grid)| (name.as_str(), grid))) {
            for (&place @ (line, index), sign) in grid {
                let _ = writeln!(facts, "{name}({line},{index},{}).", sign.term());
                report(Some(ClueLocation::Named(name.to_owned(), place)));
            }
        }
        for (cells, mark) in &self.player_marks {
            let contrary = GridBoard::contrary(mark);
            let words = describe_mark(cells);
            let numbers = cells.iter().map(usize::to_string).collect::<Vec<_>>();
            let fact = format!("player_mark({})", numbers.join(","));
            let _ = writeln!(
                facts,
                "{fact}.\n%!trace {{\"{words}\"}} {fact}.\n%!trace_rule {{\"{words} is wrong\"}}.\n%!obvious\n:- {fact}, {contrary}."
            );
            report(Some(ClueLocation::Mark(cells.clone())));
            for _ in 0..4 {
                report(None);
            }
        }
        facts
    }

    /// Returns the literal that contradicts a player's mark.
    pub fn contrary(mark: &str) -> String {
        mark.strip_prefix("not ").map_or(format!("not {mark}"), str::to_owned)
    }

    /// Describes a clue for messages.
    pub fn describe(&self, clue: &ClueLocation) -> String {
        match clue {
            ClueLocation::Cell((line, index)) => {
                let sign = self.signs.get(&(*line, *index)).map_or(String::new(), Clue::to_string);
                format!("{sign} in row {line}, column {index}")
            }
            ClueLocation::Mark(cells) => describe_mark(cells),
            ClueLocation::Header(name, arguments) => {
                let arguments: Vec<String> = arguments.iter().map(Clue::to_string).collect();
                format!("{name} {}", arguments.join(" "))
            }
            ClueLocation::Named(name, (line, index)) => {
                let side = SIDES.iter().position(|side| side == name);
                let grid = side.map(|side| &self.around[side]).or_else(|| self.grids.get(name));
                let sign = grid.and_then(|grid| grid.get(&(*line, *index))).map_or(String::new(), Clue::to_string);
                match side {
                    Some(0) => format!("{sign} left of row {line}"),
                    Some(1) => format!("{sign} right of row {line}"),
                    Some(2) => format!("{sign} above column {line}"),
                    Some(_) => format!("{sign} below column {line}"),
                    None => format!("{name} {sign} in row {line}, column {index}"),
                }
            }
        }
    }

    /// Reads a board from the true atoms of a program. An unknown atom with one argument becomes a
    /// header line if it is a flag or a variant, or the only atom of its predicate, and so do the
    /// atoms of a list of cells such as `cage(1,2,(3,7))`. All other unknown atoms are ignored. A cell with parts but no sign gets the joined parts as its clue.
    pub fn of_facts(atoms: &[Symbol]) -> Result<GridBoard, String> {
        let mut reader = BoardFactReader::default();
        for &atom in atoms {
            reader.read(atom)?;
        }
        reader.into_board()
    }
}

/// The facts of a board that have been read.
#[derive(Default)]
struct BoardFactReader {
    board: GridBoard,
    /// The names of areas.
    areas: ClueGrid,
    /// The numbered parts of the clue in each cell.
    parts: BTreeMap<Cell, BTreeMap<usize, String>>,
    /// The arguments of the unknown atoms with one argument, by predicate.
    others: BTreeMap<&'static str, Vec<Clue>>,
    /// The words of possible header lines, by predicate, line and index.
    lists: BTreeMap<(&'static str, Symbol), BTreeMap<Symbol, Clue>>,
    /// The cells that must be on the board, each with the atom that names it.
    cells: Vec<(Symbol, Cell)>,
}

impl BoardFactReader {
    fn read(&mut self, atom: Symbol) -> Result<(), String> {
        let Some((name, arity)) = signature_of(atom) else { return Ok(()) };
        let fact = BoardFact::of(atom);
        match (name, arity) {
            ("rows", 1) => self.board.rows = fact.natural(0)?,
            ("columns", 1) => self.board.columns = fact.natural(0)?,
            ("sign", 3) => {
                let cell = self.cell(&fact, 0)?;
                self.board.signs.insert(cell, fact.clue(2));
            }
            ("part", 4) => {
                let cell = self.cell(&fact, 0)?;
                self.parts.entry(cell).or_default().insert(fact.natural(2)?, fact.clue(3).to_string());
            }
            ("area", 3) => {
                let cell = self.cell(&fact, 0)?;
                self.areas.insert(cell, fact.clue(2));
            }
            ("wall", 4) => {
                let (one, other) = (self.cell(&fact, 0)?, self.cell(&fact, 2)?);
                self.board.walls.insert((one.min(other), one.max(other)));
            }
            (_, 1) => self.others.entry(name).or_default().push(fact.clue(0)),
            (_, 3) => {
                if let Some(side) = SIDES.iter().position(|&side| side == name) {
                    let place @ (line, _) = fact.cell(0)?;
                    self.cells.push((atom, if side < 2 { (line, 1) } else { (1, line) }));
                    self.board.around[side].insert(place, fact.clue(2));
                } else if GRIDS.contains(&name) {
                    self.board.grids.entry(name.to_owned()).or_default().insert(fact.cell(0)?, fact.clue(2));
                } else if let [line, index, word] = atom.arguments().unwrap_or_default()[..] {
                    let words = self.lists.entry((name, line)).or_default();
                    words.insert(index, listed_cell(word).unwrap_or_else(|| fact.clue(2)));
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Returns a cell that must be on the board.
    fn cell(&mut self, fact: &BoardFact, index: usize) -> Result<Cell, String> {
        let cell = fact.cell(index)?;
        self.cells.push((fact.atom, cell));
        Ok(cell)
    }

    fn into_board(self) -> Result<GridBoard, String> {
        let BoardFactReader { mut board, areas, parts, others, lists, cells } = self;
        if board.rows == 0 || board.columns == 0 {
            return Err("a board has rows(R) and columns(C)".to_owned());
        }
        check_size(board.rows, board.columns)?;
        let is_outside = |&&(_, (row, column)): &&(Symbol, Cell)| row > board.rows || column > board.columns;
        if let Some((atom, _)) = cells.iter().find(is_outside) {
            let (rows, columns) = (board.rows, board.columns);
            return Err(format!("the atom {} is not on a board of {rows} rows and {columns} columns", to_text(*atom)));
        }
        for (cell, parts) in parts {
            let sign = || Clue::text(&parts.into_values().collect::<String>());
            board.signs.entry(cell).or_insert_with(sign);
        }
        let has_walls = !board.walls.is_empty();
        if !areas.is_empty() {
            board.set_areas(&areas);
        } else if has_walls {
            board.areas = board.enclosed_areas();
        }
        for ((name, _), words) in lists {
            let words: Vec<Clue> = words.into_values().collect();
            if words.iter().any(|word| word.cell().is_some()) {
                board.header.insert((name.to_owned(), words));
            }
        }
        for (name, signs) in others {
            // A board may have several flags and variants.
            if signs.len() == 1 || ["flag", "variant"].contains(&name) {
                board.header.extend(signs.into_iter().map(|sign| (name.to_owned(), vec![sign])));
            }
        }
        Ok(board)
    }
}

/// An atom about a board, with its arguments.
struct BoardFact {
    atom: Symbol,
    arguments: Vec<Term>,
}

impl BoardFact {
    fn of(atom: Symbol) -> Self {
        let arguments = atom.arguments().unwrap_or_default().into_iter().map(Term::of).collect();
        BoardFact { atom, arguments }
    }

    /// Returns the argument `index`, a number from 1.
    fn natural(&self, index: usize) -> Result<usize, String> {
        let argument = &self.arguments[index];
        let number = argument.number().and_then(|number| usize::try_from(number).ok());
        number.filter(|&number| number > 0).ok_or_else(|| {
            let text = to_text(self.atom);
            format!("the atom {text}: expected a number from 1, found {argument}")
        })
    }

    /// Returns the arguments `index` and `index + 1`, a row and a column.
    fn cell(&self, index: usize) -> Result<Cell, String> {
        Ok((self.natural(index)?, self.natural(index + 1)?))
    }

    fn clue(&self, index: usize) -> Clue {
        match &self.arguments[index] {
            Term::Number(number) => Clue::Number(*number),
            Term::Other(term) => Clue::text(&join_tuple(*term)),
            other => Clue::Text(other.text()),
        }
    }
}

/// Converts a cell in a list of cells to a word: `(3,7)` is `r3c7`.
fn listed_cell(term: Symbol) -> Option<Clue> {
    let cell = term.arguments().ok().filter(|_| signature_of(term) == Some(("", 2)))?;
    let [row, column] = cell[..] else { return None };
    Some(Clue::Text(format!("r{}c{}", row.number().ok()?, column.number().ok()?)))
}

/// Maps each fact to the index of the fact that represents its clue. The `sign` of a cell
/// represents its parts, and the first fact of a list of cells represents the others.
pub fn clue_of_each_fact(facts: &[Symbol]) -> Vec<usize> {
    let arguments = |fact: &Symbol| fact.arguments().unwrap_or_default();
    let is_cell = |term: &Symbol| signature_of(*term) == Some(("", 2));
    let lists: BTreeSet<&str> = facts
        .iter()
        .filter_map(|fact| signature_of(*fact).filter(|&(_, arity)| arity == 3 && is_cell(&arguments(fact)[2])))
        .map(|(name, _)| name)
        .filter(|name| *name != "sign")
        .collect();
    let clue = |fact: &Symbol| match signature_of(*fact)? {
        ("sign", 3) | ("part", 4) => Some(("sign", arguments(fact)[..2].to_vec())),
        (name, 3) if lists.contains(name) => Some((name, arguments(fact)[..1].to_vec())),
        _ => None,
    };
    let is_sign = |fact: &Symbol| signature_of(*fact) == Some(("sign", 3));
    let mut first = HashMap::new();
    for (number, fact) in facts.iter().enumerate() {
        let Some(clue) = clue(fact) else { continue };
        let known = first.entry(clue).or_insert(number);
        if is_sign(fact) && !is_sign(&facts[*known]) {
            *known = number;
        }
    }
    let representative = |(number, fact)| clue(fact).and_then(|clue| first.get(&clue).copied()).unwrap_or(number);
    facts.iter().enumerate().map(representative).collect()
}

fn describe_mark(cells: &[usize]) -> String {
    match cells {
        [row, column, other_row, other_column] => {
            format!("the player's mark between ({row},{column}) and ({other_row},{other_column})")
        }
        _ => format!("the player's mark at row {}, column {}", cells[0], cells[1]),
    }
}

/// Replaces the arbitrary names of areas by numbers from 1, in reading order of their first cells.
pub fn numbered<T: Ord>(names: &BTreeMap<Cell, T>) -> BTreeMap<Cell, usize> {
    let mut numbers = BTreeMap::new();
    let number = |(&cell, name)| {
        let next = numbers.len() + 1;
        (cell, *numbers.entry(name).or_insert(next))
    };
    names.iter().map(number).collect()
}

/// Concatenates the parts of a tuple: `(2,"^")` becomes `2^`.
fn join_tuple(term: Symbol) -> String {
    match (signature_of(term), term.arguments()) {
        (Some(("", _)), Ok(parts)) => parts.into_iter().map(join_tuple).collect(),
        _ => Term::of(term).text(),
    }
}

pub fn check_size(rows: usize, columns: usize) -> Result<(), String> {
    if (1..=MAX_CELLS).contains(&rows.saturating_mul(columns)) {
        return Ok(());
    }
    let (rows, columns) = (words::count(rows, "row", "rows"), words::count(columns, "column", "columns"));
    Err(format!("a board of {rows} and {columns}; it can have from 1 to {} cells", words::thousands(MAX_CELLS)))
}
