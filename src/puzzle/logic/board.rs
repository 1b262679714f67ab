//! A board of a puzzle on a grid, as a value and as the facts that a logic program reads.
//!
//! Rows and columns count from 1. What stands in a cell is `sign(R,C,V)`, a number where it is one, and `part(R,C,I,V)` where it
//! has several: `2<` is 2 and "<". How people write one is in [`text`](super::text), how players' notations do in
//! [`link`](super::link).

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::{self, Write};
use std::iter::once;
use std::ops::Range;

use crate::asp::{Symbol, Term, signature_of, to_text};
use crate::diagnostic::{Diagnostic, Failure, Place};
use crate::document::Document;
use crate::words;

/// More would not be solved, and a program about them not be grounded.
pub const MOST_CELLS: usize = 1_000_000;
/// A drawing has some 50 bytes for a cell at most.
pub const MOST_BYTES: usize = 64 * MOST_CELLS;
/// In bytes.
pub const LONGEST_SIGN: usize = 100;
/// Where clues stand beside a grid: the predicates' names. The first two have clues for rows.
pub const SIDES: [&str; 4] = ["left", "right", "top", "bottom"];

/// Grids beside that of the signs, by how they lie: on the corners of cells, on cells with the borders and corners between them
/// (2R-1 rows), and below the signs.
pub const GRIDS: [&str; 3] = ["corner", "between", "shade"];

/// Predicates of a board's size, walls and areas. All other facts of a board are clues.
pub const SHAPE: [(&str, usize); 4] = [("rows", 1), ("columns", 1), ("wall", 4), ("area", 3)];

/// What is wrong with a text, and where.
pub type Wrong = (String, Range<usize>);

pub fn failure(document: &Document, (what, range): Wrong) -> Failure {
    Diagnostic::error(what).at(Some(Place::of_range(&document.name, &document.text, range))).into()
}

/// Row and column, from 1.
pub type Cell = (usize, usize);
/// What stands in cells, or clues by line and index.
pub type Grid = BTreeMap<Cell, Sign>;

/// What a person wrote on a board, and may have written wrongly: not its size, its walls and its areas.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Clue {
    Sign(Cell),
    /// A line of the header.
    Header(String, Vec<Sign>),
    /// Beside the grid, or in a grid of that name.
    Named(String, Cell),
    /// What a player has marked, at row and column of one cell, or of two.
    Mark(Vec<usize>),
}

/// Where clues stand in the text.
pub type Places = BTreeMap<Clue, Range<usize>>;

/// What is written somewhere.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sign {
    Number(i32),
    Text(String),
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Board {
    pub rows: usize,
    pub columns: usize,
    /// The name of the puzzle, where the text says it.
    pub puzzle: Option<String>,
    pub signs: Grid,
    /// Pairs of cells that touch, the left or upper one first.
    pub walls: BTreeSet<(Cell, Cell)>,
    /// Empty where there are none; else numbers from 1, in reading order of the first cells.
    pub areas: BTreeMap<Cell, usize>,
    /// Left and right of rows, above and below columns: by row or column, and index.
    pub around: [Grid; 4],
    /// Other grids, by name.
    pub grids: BTreeMap<String, Grid>,
    /// Other header lines, as name and arguments of a fact.
    pub header: BTreeSet<(String, Vec<Sign>)>,
    /// What a player has marked by now, as literals, by row and column of one cell or of two.
    pub marks: BTreeMap<Vec<usize>, String>,
    /// The link that it was read from: a board has several.
    pub link: Option<String>,
}

impl Sign {
    /// `None` where nothing is written.
    pub fn read(text: &str) -> Result<Option<Sign>, String> {
        if matches!(text, "." | "_" | "-") {
            return Ok(None);
        }
        if text.len() > LONGEST_SIGN {
            return Err(format!(
                "`{}` has {} bytes; a sign can have {LONGEST_SIGN}",
                words::shortened(text),
                text.len()
            ));
        }
        let number =
            |text: &str| text.parse().map_err(|_| format!("the number {} is too large", words::shortened(text)));
        let digits = text.strip_prefix('-').unwrap_or(text);
        for run in text.split(|sign: char| !sign.is_ascii_digit()).filter(|run| !run.is_empty()) {
            number(run)?;
        }
        Ok(Some(match digits.bytes().all(|byte| byte.is_ascii_digit()) {
            true => Sign::Number(number(text)?),
            false => Sign::Text(text.to_owned()),
        }))
    }

    pub fn text(text: &str) -> Sign {
        Sign::read(text).ok().flatten().unwrap_or_else(|| Sign::Text(text.to_owned()))
    }

    /// Cut where digits or question marks begin or end, and at commas.
    pub fn parts(&self) -> Vec<Sign> {
        let Sign::Text(text) = self else { return vec![self.clone()] };
        let kind = |sign: char| (sign.is_ascii_digit(), sign == '?');
        let chunks = text.split(',').flat_map(|chunk| {
            if let Sign::Number(_) = Sign::text(chunk) {
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
        chunks.filter(|chunk| !chunk.is_empty()).map(Sign::text).collect()
    }

    /// The cell that a word such as `r3c7` names.
    pub fn cell(&self) -> Option<Cell> {
        let Sign::Text(text) = self else { return None };
        let (row, column) = text.strip_prefix('r')?.split_once('c')?;
        let are_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let number = |text: &str| Some(text).filter(|text| are_digits(text))?.parse().ok();
        Some((number(row)?, number(column)?))
    }

    fn term(&self) -> Term {
        match self {
            Sign::Number(number) => Term::Number(*number),
            Sign::Text(text) => Term::Text(text.clone()),
        }
    }
}

impl From<i32> for Sign {
    fn from(number: i32) -> Sign {
        Sign::Number(number)
    }
}

impl fmt::Display for Sign {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(&match self {
            Sign::Number(number) => number.to_string(),
            Sign::Text(text) => text.clone(),
        })
    }
}

impl Board {
    /// An empty one.
    pub fn of_size(rows: usize, columns: usize) -> Board {
        Board { rows, columns, ..Board::default() }
    }

    pub fn puzzle(&self) -> Option<&str> {
        self.puzzle.as_deref()
    }

    /// All cells in reading order.
    pub fn cells(&self) -> impl Iterator<Item = Cell> + use<> {
        let columns = self.columns;
        (1..=self.rows).flat_map(move |row| (1..=columns).map(move |column| (row, column)))
    }

    /// Rows and columns of another grid.
    pub fn size_of(&self, grid: &str) -> (usize, usize) {
        match grid {
            "corner" => (self.rows + 1, self.columns + 1),
            "between" => (2 * self.rows - 1, 2 * self.columns - 1),
            _ => (self.rows, self.columns),
        }
    }

    /// The areas that the walls enclose.
    pub fn enclosed(&self) -> BTreeMap<Cell, usize> {
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

    /// The first cell of each area that the walls enclose.
    pub fn firsts(&self) -> Vec<Cell> {
        let mut firsts = BTreeMap::new();
        for (cell, area) in self.enclosed() {
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

    /// Sets areas by any names, and walls between them where there are none yet.
    pub fn set_areas(&mut self, names: &Grid) {
        self.areas = numbered(names);
        if self.walls.is_empty() {
            let pairs = self.cells().flat_map(|cell| self.neighbours(cell).map(move |other| (cell, other)));
            self.walls =
                pairs.filter(|(one, other)| one < other && self.areas.get(one) != self.areas.get(other)).collect();
        }
    }

    /// Turned and mirrored in each of the eight ways; as it is alone, where that would say something else: clues beside the grid,
    /// sums for the cells to the right and below, and marks.
    pub fn turns(&self, transposes: bool) -> Vec<Board> {
        let is_bound = |sign: &Sign| sign.to_string().contains(['\\', '/']);
        let has_sides = self.around.iter().chain(self.grids.values()).any(|grid| !grid.is_empty())
            || self.header.iter().flat_map(|(_, words)| words).any(|word| word.cell().is_some());
        let turns = match has_sides || !self.marks.is_empty() || self.signs.values().any(is_bound) {
            true => 1,
            false if transposes => 8,
            false => 4,
        };
        (0..turns).map(|turn| self.turned([turn & 1 > 0, turn & 2 > 0, turn & 4 > 0])).collect()
    }

    fn turned(&self, [upside_down, mirrored, transposed]: [bool; 3]) -> Board {
        let of = |&(row, column): &Cell| {
            let row = if upside_down { self.rows + 1 - row } else { row };
            let column = if mirrored { self.columns + 1 - column } else { column };
            if transposed { (column, row) } else { (row, column) }
        };
        let arrow = |sign: char| {
            let at = "^<v>".find(sign)?;
            let at = if at % 2 == 0 && upside_down || at % 2 == 1 && mirrored { (at + 2) % 4 } else { at };
            "^<v>".chars().nth(if transposed { at ^ 1 } else { at })
        };
        let sign = |sign: &Sign| match sign {
            Sign::Text(text) if text.starts_with(|first: char| first.is_ascii_digit() || first == '?') => {
                Sign::Text(text.chars().map(|one| arrow(one).unwrap_or(one)).collect())
            }
            _ => sign.clone(),
        };
        let (rows, columns) = if transposed { (self.columns, self.rows) } else { (self.rows, self.columns) };
        let areas: BTreeMap<Cell, usize> = self.areas.iter().map(|(cell, area)| (of(cell), *area)).collect();
        Board {
            rows,
            columns,
            areas: numbered(&areas),
            signs: self.signs.iter().map(|(cell, one)| (of(cell), sign(one))).collect(),
            walls: self.walls.iter().map(|(one, other)| (of(one).min(of(other)), of(one).max(of(other)))).collect(),
            ..self.clone()
        }
    }

    /// The board as a logic program of facts.
    pub fn facts(&self) -> String {
        self.facts_of_clues(|_| ())
    }

    /// Makes the words of a header line a fact each, with their numbers: `scramble R U` is scramble(1,"R") and scramble(2,"U").
    pub fn number(&mut self, name: &str, places: &mut Places) {
        let lines: Vec<_> = self.header.iter().filter(|(known, _)| known == name).cloned().collect();
        for (name, words) in lines {
            let place = places.remove(&Clue::Header(name.clone(), words.clone()));
            self.header.remove(&(name.clone(), words.clone()));
            for (number, word) in (1..).zip(words) {
                let numbered = vec![Sign::Number(number), word];
                place
                    .iter()
                    .for_each(|place| _ = places.insert(Clue::Header(name.clone(), numbered.clone()), place.clone()));
                self.header.insert((name.clone(), numbered));
            }
        }
    }

    /// The same, and tells of each line which clue its facts are, if they are one.
    pub fn facts_of_clues(&self, mut told: impl FnMut(Option<Clue>)) -> String {
        let mut facts = String::new();
        // A board may be a header alone.
        if self.rows > 0 {
            let _ = writeln!(facts, "rows({}). columns({}).", self.rows, self.columns);
            told(None);
        }
        let (mut line, mut last) = (0, "");
        for (name, arguments) in &self.header {
            let term = |sign: &Sign| match sign.cell() {
                Some((row, column)) => format!("({row},{column})"),
                None => sign.term().to_string(),
            };
            let terms: Vec<String> = arguments.iter().map(term).collect();
            if arguments.iter().any(|sign| sign.cell().is_some()) {
                // A list of cells.
                line = if name == last { line + 1 } else { 1 };
                last = name;
                let all = (1..).zip(terms).map(|(index, term)| format!("{name}({line},{index},{term})."));
                let _ = writeln!(facts, "{}", all.collect::<Vec<_>>().join(" "));
            } else {
                let _ = writeln!(facts, "{name}({}).", terms.join(","));
            }
            told(Some(Clue::Header(name.clone(), arguments.clone())));
        }
        for (&cell @ (row, column), sign) in &self.signs {
            let _ = write!(facts, "sign({row},{column},{}).", sign.term());
            for (part, sign) in sign.parts().iter().enumerate() {
                let _ = write!(facts, " part({row},{column},{},{}).", part + 1, sign.term());
            }
            facts.push('\n');
            told(Some(Clue::Sign(cell)));
        }
        for ((row, column), (other_row, other_column)) in &self.walls {
            let _ = writeln!(facts, "wall({row},{column},{other_row},{other_column}).");
            told(None);
        }
        for ((row, column), area) in &self.areas {
            let _ = writeln!(facts, "area({row},{column},{area}).");
            told(None);
        }
        let around = SIDES.into_iter().zip(&self.around);
        for (name, grid) in around.chain(self.grids.iter().map(|(name, grid)| (name.as_str(), grid))) {
            for (&place @ (line, index), sign) in grid {
                let _ = writeln!(facts, "{name}({line},{index},{}).", sign.term());
                told(Some(Clue::Named(name.to_owned(), place)));
            }
        }
        for (cells, mark) in &self.marks {
            let contrary = mark.strip_prefix("not ").map_or(format!("not {mark}"), str::to_owned);
            let (words, numbers) = (words_of_mark(cells), cells.iter().map(usize::to_string).collect::<Vec<_>>());
            let fact = format!("player_mark({})", numbers.join(","));
            let _ = writeln!(
                facts,
                "{fact}.\n%!trace {{\"{words}\"}} {fact}.\n%!trace_rule {{\"{words} is wrong\"}}.\n%!obvious\n:- {fact}, {contrary}."
            );
            told(Some(Clue::Mark(cells.clone())));
            (0..4).for_each(|_| told(None));
        }
        facts
    }

    /// What a clue says, for a person.
    pub fn words(&self, clue: &Clue) -> String {
        match clue {
            Clue::Sign((line, index)) => {
                let sign = self.signs.get(&(*line, *index)).map_or(String::new(), Sign::to_string);
                format!("{sign} in row {line}, column {index}")
            }
            Clue::Mark(cells) => words_of_mark(cells),
            Clue::Header(name, arguments) => {
                let arguments: Vec<String> = arguments.iter().map(Sign::to_string).collect();
                format!("{name} {}", arguments.join(" "))
            }
            Clue::Named(name, (line, index)) => {
                let side = SIDES.iter().position(|side| side == name);
                let grid = side.map(|side| &self.around[side]).or_else(|| self.grids.get(name));
                let sign = grid.and_then(|grid| grid.get(&(*line, *index))).map_or(String::new(), Sign::to_string);
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

    /// From true atoms of a program. What the board does not know is passed over, but for flags, variants, and an atom that is
    /// the only one of its name and has one plain argument, as a header line gives. Where a cell has parts and no sign, they are the sign.
    pub fn of_facts(atoms: &[Symbol]) -> Result<Board, String> {
        let mut board = Board::default();
        let (mut areas, mut others) = (Grid::new(), BTreeMap::<&str, Vec<Sign>>::new());
        let mut cells: Vec<(Symbol, Cell)> = Vec::new();
        let mut parts: BTreeMap<Cell, BTreeMap<usize, String>> = BTreeMap::new();
        for &atom in atoms {
            let Some((name, arity)) = signature_of(atom) else { continue };
            let arguments: Vec<Term> = atom.arguments().unwrap_or_default().into_iter().map(Term::of).collect();
            let natural = |index: usize| -> Result<usize, String> {
                let number = arguments[index].number().and_then(|number| usize::try_from(number).ok());
                number.filter(|&number| number > 0).ok_or_else(|| {
                    let text = to_text(atom);
                    format!("the atom {text} has {} where a number from 1 was wanted", arguments[index])
                })
            };
            let cell = |index: usize| Ok::<Cell, String>((natural(index)?, natural(index + 1)?));
            let sign = |index: usize| match &arguments[index] {
                Term::Number(number) => Sign::Number(*number),
                Term::Other(term) => Sign::text(&joined(*term)),
                other => Sign::Text(other.text()),
            };
            match (name, arity) {
                ("rows", 1) => board.rows = natural(0)?,
                ("columns", 1) => board.columns = natural(0)?,
                ("sign", 3) => {
                    cells.push((atom, cell(0)?));
                    board.signs.insert(cell(0)?, sign(2));
                }
                ("part", 4) => {
                    cells.push((atom, cell(0)?));
                    parts.entry(cell(0)?).or_default().insert(natural(2)?, sign(3).to_string());
                }
                ("area", 3) => {
                    cells.push((atom, cell(0)?));
                    areas.insert(cell(0)?, sign(2));
                }
                ("wall", 4) => {
                    cells.extend([(atom, cell(0)?), (atom, cell(2)?)]);
                    board.walls.insert((cell(0)?.min(cell(2)?), cell(0)?.max(cell(2)?)));
                }
                (_, 1) => others.entry(name).or_default().push(sign(0)),
                (_, 3) => {
                    if let Some(side) = SIDES.iter().position(|&side| side == name) {
                        let line = natural(0)?;
                        cells.push((atom, if side < 2 { (line, 1) } else { (1, line) }));
                        board.around[side].insert(cell(0)?, sign(2));
                    } else if GRIDS.contains(&name) {
                        board.grids.entry(name.to_owned()).or_default().insert(cell(0)?, sign(2));
                    }
                }
                _ => {}
            }
        }
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
            let sign = || Sign::text(&parts.into_values().collect::<String>());
            board.signs.entry(cell).or_insert_with(sign);
        }
        let has_walls = !board.walls.is_empty();
        if !areas.is_empty() {
            board.set_areas(&areas);
        } else if has_walls {
            board.areas = board.enclosed();
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

/// For each fact the number of the one that stands for its clue: for parts their sign, and for a list of cells its first fact.
pub fn clues_of_facts(facts: &[Symbol]) -> Vec<usize> {
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
    let stands_for_others = |fact: &Symbol| signature_of(*fact) == Some(("sign", 3));
    let mut first = HashMap::new();
    for (number, fact) in facts.iter().enumerate() {
        let Some(clue) = clue(fact) else { continue };
        let known = first.entry(clue).or_insert(number);
        if stands_for_others(fact) && !stands_for_others(&facts[*known]) {
            *known = number;
        }
    }
    let of = |(number, fact)| clue(fact).and_then(|clue| first.get(&clue).copied()).unwrap_or(number);
    facts.iter().enumerate().map(of).collect()
}

fn words_of_mark(cells: &[usize]) -> String {
    match cells {
        [row, column, other_row, other_column] => {
            format!("the player's mark between ({row},{column}) and ({other_row},{other_column})")
        }
        _ => format!("the player's mark at row {}, column {}", cells[0], cells[1]),
    }
}

/// Areas by any names, numbered from 1 in reading order of their first cells.
pub fn numbered<T: Ord>(names: &BTreeMap<Cell, T>) -> BTreeMap<Cell, usize> {
    let mut numbers = BTreeMap::new();
    let number = |(&cell, name)| {
        let next = numbers.len() + 1;
        (cell, *numbers.entry(name).or_insert(next))
    };
    names.iter().map(number).collect()
}

/// A tuple is its parts, one after the other: `(2,"^")` is `2^`.
fn joined(term: Symbol) -> String {
    match (signature_of(term), term.arguments()) {
        (Some(("", _)), Ok(parts)) => parts.into_iter().map(joined).collect(),
        _ => Term::of(term).text(),
    }
}

pub fn check_size(rows: usize, columns: usize) -> Result<(), String> {
    if (1..=MOST_CELLS).contains(&rows.saturating_mul(columns)) {
        return Ok(());
    }
    let (rows, columns) = (words::count(rows, "row", "rows"), words::count(columns, "column", "columns"));
    Err(format!("a board of {rows} and {columns}; it can have from 1 to {} cells", words::thousands(MOST_CELLS)))
}
