//! A board: a position, with its coordinates and the nature of its rules.

use std::fmt;

use asp::{Symbol, syntax};
use base::document::{Document, Notation};

use super::grid::Cell;
use super::position::KnownPosition;
use super::text_board::looks_like_a_board;

/// A position, the coordinates of its first cell, and the nature of its rules.
#[derive(Debug, Clone)]
pub struct Board {
    pub position: KnownPosition,
    /// Row and column of the first cell in the facts of the instance; `[1, 1]` for a text.
    pub origin: [i32; 2],
    /// True if the board was read from the facts of a program.
    pub is_program: bool,
    /// True if the rules only state that numbers count mines, so that the position is the whole
    /// instance. False for custom rules that may constrain layouts in other ways, which only clingo
    /// can evaluate.
    pub is_plain: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fact {
    Cell([i32; 2]),
    Number([i32; 2], u8),
    Flag([i32; 2]),
    Mines(usize),
}

impl Fact {
    /// Returns the fact as a clingo symbol, or `None` if clingo rejects it.
    pub fn symbol(self) -> Option<Symbol> {
        let (name, arguments) = match self {
            Fact::Cell(place) => ("cell", place.to_vec()),
            Fact::Number([row, column], number) => ("number", vec![row, column, number.into()]),
            Fact::Flag(place) => ("flag", place.to_vec()),
            Fact::Mines(mines) => ("mines", vec![mines as i32]),
        };
        let arguments: Vec<Symbol> = arguments.into_iter().map(asp::number).collect();
        asp::function(name, &arguments)
    }
}

impl fmt::Display for Fact {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fact::Cell([row, column]) => write!(out, "cell({row},{column})"),
            Fact::Number([row, column], number) => write!(out, "number({row},{column},{number})"),
            Fact::Flag([row, column]) => write!(out, "flag({row},{column})"),
            Fact::Mines(mines) => write!(out, "mines({mines})"),
        }
    }
}

/// Returns true if a logic program is an instance with the facts of a board. `cell/2` and
/// `number/3` occur in many puzzles: if there are facts of other predicates, the text must also
/// contain "mine".
pub fn has_facts(text: &str) -> bool {
    if !text.contains("cell") || !text.contains("number") && !text.contains("mines") {
        return false;
    }
    let statements = syntax::statements(text);
    let has_fact = |head| statements.iter().any(|statement| statement.is_fact && statement.head == Some(head));
    let is_foreign = |statement: &syntax::Statement<'_>| {
        statement.is_fact
            && statement.head.is_some_and(|(name, _)| !["cell", "number", "flag", "density"].contains(&name))
    };
    has_fact(("cell", 2))
        && (has_fact(("number", 3)) || has_fact(("mines", 1)))
        && (text.contains("mine") || !statements.iter().any(is_foreign))
}

/// Returns true if the board is in a text format, which is read without clingo.
pub fn is_text(documents: &[Document]) -> bool {
    let [document] = documents else { return false };
    document.notation() != Notation::Program || looks_like_a_board(document) || !has_facts(&document.text)
}

impl Board {
    /// Creates a board under the built-in rules, with coordinates from 1.
    pub fn new(position: KnownPosition) -> Board {
        Board { position, origin: [1, 1], is_program: false, is_plain: true }
    }

    /// Returns "row 3, column 4", counted from 1, or as in the facts of a program.
    pub fn describe_cell(&self, cell: usize) -> String {
        let [row, column] = self.coordinates(cell);
        format!("row {row}, column {column}")
    }

    /// Returns the row and column as in the facts and in messages.
    pub fn coordinates(&self, cell: usize) -> [i32; 2] {
        let place = self.position.grid.place(cell);
        [place[0] as i32 + self.origin[0], place[1] as i32 + self.origin[1]]
    }

    /// Returns the board as facts: row by row each cell with its number or flag, then the total.
    /// All programs of a board are built from these facts, so that their rows and columns agree.
    pub fn facts(&self) -> impl Iterator<Item = Fact> {
        let cells = self.position.cells_where(|cell| cell != Cell::Wall);
        let has_clue = |cell: usize| matches!(self.position.cells[cell], Cell::Open(_) | Cell::Mine);
        let facts = cells.flat_map(move |cell| {
            let clue = has_clue(cell).then(|| self.clue(cell));
            std::iter::once(Fact::Cell(self.coordinates(cell))).chain(clue)
        });
        facts.chain(self.position.mines.map(Fact::Mines))
    }

    pub fn clues(&self) -> impl Iterator<Item = usize> {
        self.position.cells_where(|cell| matches!(cell, Cell::Open(_) | Cell::Mine))
    }

    pub fn clue(&self, cell: usize) -> Fact {
        match self.position.cells[cell] {
            Cell::Open(number) => Fact::Number(self.coordinates(cell), number),
            _ => Fact::Flag(self.coordinates(cell)),
        }
    }

    /// Returns the cell at a row and column of the facts, if it is on the board.
    pub fn cell(&self, row: i32, column: i32) -> Option<usize> {
        let from = |at: i32, axis: usize| i64::from(at) - i64::from(self.origin[axis]);
        self.position.grid.find(from(row, 0), from(column, 1))
    }
}
