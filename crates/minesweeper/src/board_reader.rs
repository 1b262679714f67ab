//! Reads boards from a text or from the facts of a logic program, and rejects invalid ones.

use std::collections::BTreeSet;

use asp::Symbol;
use base::diagnostic::{Code, Diagnostic, Failure};
use base::document::Document;
use base::sorting;
use puzzle::cells;
use puzzle::job::Job;
use puzzle::place_of_fact;

use super::adjacency::{Adjacency, Topology, Torus};
use super::board::{Board, is_text};
use super::grid::{Cell, Grid, MAX_CELLS};
use super::neighbors;
use super::position::{Density, KnownPosition};
use super::text_board::TextBoard;

/// Advice for boards of other programs, where a dot is a closed cell.
const DOT_HELP: &str = "`.` is an open cell without mines around it; write ? or # for a closed one";

impl Board {
    /// Reads the board of a job.
    pub fn parse(job: &Job) -> Result<Board, Failure> {
        if let ([document], true) = (&job.sources.documents[..], is_text(&job.sources.documents)) {
            return Board::parse_text(document, job);
        }
        FactReader::read(job)?.board(job)
    }

    fn parse_text(document: &Document, job: &Job) -> Result<Board, Failure> {
        let (position, text_board) = TextBoard::read(document, &job.stop)?;
        let grid = position.grid;
        let board = Board::new(position).with_rules(job, Torus::of_grid(grid))?;
        board.validate().map_err(|error| match error {
            InvalidBoard::Cell(cell, what) => text_board.error_at(what, text_board.place(grid.place(cell))),
            InvalidBoard::Total(what) => {
                let error = cells::error_at(document, what, &text_board.place_of_total());
                let has_dots = document.text.contains(['.', '·']);
                if has_dots { error.help(DOT_HELP).into() } else { error.into() }
            }
        })?;
        Ok(board)
    }

    /// Replaces the neighbourhood by that of the rules of the job.
    fn with_rules(mut self, job: &Job, torus: Torus) -> Result<Board, Failure> {
        let adjacency = match Topology::of(&job.rules, torus, self.origin[0]) {
            Some(shape) => Adjacency::new(shape, self.position.grid),
            None => neighbors::of_numbers(&self, job)?,
        };
        self.is_plain = adjacency.is_some();
        self.position.adjacency = adjacency.unwrap_or(Adjacency::King);
        Ok(self)
    }

    /// Rejects invalid boards. Numbers that contradict each other are no error: the answer then is
    /// that no layout exists.
    fn validate(&self) -> Result<(), InvalidBoard> {
        let position = &self.position;
        let has_shape = self.is_plain && position.adjacency.topology() != Topology::Custom;
        for cell in position.numbers().filter(|_| has_shape) {
            let neighbors = 8 - position.count_around(cell, Cell::Wall);
            if let Cell::Open(number) = position.cells[cell]
                && usize::from(number) > neighbors
            {
                let has = count(neighbors, "neighbour");
                let what = format!("{}: found {number}, but the cell has {has}", self.describe_cell(cell));
                return Err(InvalidBoard::Cell(cell, what));
            }
        }
        let closed = position.count(Cell::Closed) + position.count(Cell::Mine);
        if let Some(mines) = position.mines {
            if mines > closed {
                return Err(InvalidBoard::Total(format!(
                    "{}, but {}",
                    count(mines, "mine"),
                    count(closed, "closed cell")
                )));
            }
            if let Some(flag) = position.cells_of(Cell::Mine).nth(mines) {
                let what = format!("{}: one flag too many for {}", self.describe_cell(flag), count(mines, "mine"));
                return Err(InvalidBoard::Cell(flag, what));
            }
        }
        if position.count(Cell::Closed) == 0 {
            let what = if closed == 0 { "no cell is closed" } else { "every closed cell has a flag" };
            return Err(InvalidBoard::Total(format!("{what}: there is nothing left to find")));
        }
        Ok(())
    }
}

/// The facts of a board: predicate, arguments, and the atom itself.
struct FactReader<'a> {
    documents: &'a [Document],
    facts: Vec<(&'static str, Vec<i32>, Symbol)>,
}

impl<'a> FactReader<'a> {
    /// Grounds the program and collects its facts: cells before numbers, numbers before flags, the
    /// total last.
    fn read(job: &'a Job) -> Result<Self, Failure> {
        let documents = &job.sources.documents;
        let program = asp::Program::of(documents.to_vec());
        let constants = job.engine.settings.constants.clone();
        let settings = asp::Settings { constants, ..asp::Settings::default() };
        let mut solver = asp::Solver::with_program(&program, &settings, &job.stop)?;
        let atoms = solver.control().known_atoms()?;
        let mut facts = Vec::new();
        for (symbol, is_fact) in atoms {
            let Some((name, arity)) = asp::signature_of(symbol) else { continue };
            let has_name = |(predicate, _): &&(&str, usize)| predicate.split('(').next() == Some(name);
            let Some(&(predicate, expected_arity)) = PREDICATES.iter().find(has_name) else { continue };
            let text = asp::to_text(symbol);
            let error = |what: String| {
                Failure::from(Diagnostic::error(Code::InvalidInstance, what).at(place_of_fact(documents, &text)))
            };
            if !is_fact {
                return Err(error(format!("{text} is not a fact: the atoms of a board must be facts")));
            }
            let arguments = symbol.arguments().unwrap_or_default().into_iter().map(asp::Term::of);
            let numbers: Option<Vec<i32>> = arguments.map(|term| term.number()).collect();
            let numbers = numbers.filter(|_| arity == expected_arity);
            let numbers = numbers.ok_or_else(|| error(format!("{text}: expected {predicate} with integers")))?;
            facts.push((predicate, numbers, symbol));
        }
        sorting::sort_by_key(&mut facts, |&(predicate, ..)| {
            PREDICATES.iter().position(|&(other, _)| other == predicate)
        });
        Ok(FactReader { documents, facts })
    }

    fn error_at(&self, symbol: Symbol, what: impl std::fmt::Display) -> Failure {
        let text = asp::to_text(symbol);
        let place = place_of_fact(self.documents, &text);
        Diagnostic::error(Code::InvalidInstance, format!("{text}: {what}")).at(place).into()
    }

    /// Returns the smallest and the largest row and column of the facts whose predicate is
    /// included.
    fn span(&self, is_included: impl Fn(&str) -> bool) -> Option<[[i32; 2]; 2]> {
        let places = self
            .facts
            .iter()
            .filter(|(predicate, ..)| is_included(predicate))
            .map(|(_, numbers, _)| [numbers[0], numbers[1]]);
        places.map(|place| [place, place]).reduce(|[low, high], [place, _]| {
            [[low[0].min(place[0]), low[1].min(place[1])], [high[0].max(place[0]), high[1].max(place[1])]]
        })
    }

    fn board(&self, job: &Job) -> Result<Board, Failure> {
        let Some([low, high]) = self.span(|predicate| ![TOTAL, DENSITY].contains(&predicate)) else {
            return Err(Diagnostic::error(
                Code::InvalidInstance,
                "no cell: the board has no facts cell(R,C) or number(R,C,N)",
            )
            .into());
        };
        let [rows, columns] = [0, 1].map(|axis| (i64::from(high[axis]) - i64::from(low[axis]) + 1) as usize);
        if rows.checked_mul(columns).is_none_or(|area| area > MAX_CELLS) {
            let text = format!("the cells span {rows} rows and {columns} columns: more than {MAX_CELLS} cells");
            return Err(Diagnostic::error(Code::InvalidInstance, text).into());
        }
        let grid = Grid { rows, columns };
        let mut position =
            KnownPosition { grid, cells: vec![Cell::Wall; grid.extent()], ..KnownPosition::closed(grid, None) };
        let mut symbols: Vec<Option<Symbol>> = vec![None; grid.extent()];
        let mut total: Option<Symbol> = None;
        for (predicate, numbers, symbol) in &self.facts {
            if *predicate == TOTAL {
                if total.is_some() {
                    return Err(self.error_at(*symbol, "a second total: expected one fact mines(N)"));
                }
                let mines = usize::try_from(numbers[0]);
                position.mines = Some(mines.map_err(|_| self.error_at(*symbol, "the number of mines is negative"))?);
                total = Some(*symbol);
                continue;
            }
            if *predicate == DENSITY {
                if position.mines.is_some() || position.density.is_some() {
                    return Err(self.error_at(*symbol, "a second total: expected mines(N) or density(P)"));
                }
                let density = u16::try_from(numbers[0]).ok().and_then(|percent| percent.checked_mul(100));
                let density = density.and_then(Density::new);
                position.density =
                    Some(density.ok_or_else(|| self.error_at(*symbol, "expected a percentage from 1 to 99"))?);
                continue;
            }
            let cell = grid.cell((numbers[0] - low[0]) as usize, (numbers[1] - low[1]) as usize);
            position.cells[cell] =
                apply_fact(predicate, numbers, position.cells[cell]).map_err(|what| self.error_at(*symbol, what))?;
            symbols[cell] = Some(*symbol);
        }
        let board = Board { origin: low, is_program: true, ..Board::new(position) };
        let board = board.with_rules(job, self.torus(low))?;
        board.validate().map_err(|error| match error {
            InvalidBoard::Cell(cell, what) => self.error_at(symbols[cell].expect("a cell comes from a fact"), what),
            InvalidBoard::Total(what) => match total {
                Some(total) => self.error_at(total, what),
                None => Diagnostic::error(Code::InvalidInstance, what).into(),
            },
        })?;
        Ok(board)
    }

    /// Returns the torus that the rows and columns with a fact `cell/2` form.
    fn torus(&self, origin: [i32; 2]) -> Torus {
        let is_cell = |predicate: &str| predicate == PREDICATES[0].0;
        let [first, _] = self.span(is_cell).unwrap_or([origin; 2]);
        let count = |axis: usize| {
            let cells = self.facts.iter().filter(|(predicate, ..)| is_cell(predicate));
            cells.map(|(_, numbers, _)| numbers[axis]).collect::<BTreeSet<i32>>().len() as i64
        };
        Torus { first: [0, 1].map(|axis| i64::from(first[axis]) - i64::from(origin[axis])), lens: [count(0), count(1)] }
    }
}

/// Returns the state of a cell after one more fact. Facts are applied in the order of `PREDICATES`.
fn apply_fact(predicate: &str, numbers: &[i32], before: Cell) -> Result<Cell, &'static str> {
    match (predicate, before) {
        ("cell(R,C)", _) => Ok(Cell::Closed),
        ("number(R,C,N)", Cell::Open(_)) => Err("the cell has two numbers"),
        ("number(R,C,N)", _) => match u8::try_from(numbers[2]) {
            Ok(number @ 0..=8) => Ok(Cell::Open(number)),
            _ => Err("expected a number from 0 to 8"),
        },
        (_, Cell::Open(_)) => Err("an open cell has no flag"),
        _ => Ok(Cell::Mine),
    }
}

/// The predicates of an instance and their arities.
const PREDICATES: [(&str, usize); 5] =
    [("cell(R,C)", 2), ("number(R,C,N)", 3), ("flag(R,C)", 2), (TOTAL, 1), (DENSITY, 1)];
const TOTAL: &str = "mines(N)";
const DENSITY: &str = "density(P)";

/// The reason why a board is invalid, at a cell or for the total.
enum InvalidBoard {
    Cell(usize, String),
    Total(String),
}

fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}
