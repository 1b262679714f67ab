//! The places of words in a section of a file, row by row.

use super::super::board::{Cell, ClueGrid, ClueLocation, GridBoard, SIDES};

/// The places of a section. Sides are indices into [`SIDES`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FilePlaces {
    Cells,
    /// The cells without the first row and the first column.
    Inside,
    /// The borders to the right of cells, then those below them.
    Edges,
    /// The borders left and right of cells, then those above and below them.
    Frame,
    /// As `Frame`, but marks name the corners at the ends of a border.
    Lattice,
    Corners,
    /// The places of the grid `between`, each written as one character.
    Dots,
    /// The cells, with a clue for each line at these sides.
    Around(Vec<usize>),
    /// The cells, with a letter and a number for each line at these sides.
    Pairs(Vec<usize>),
    /// The cells, with a list of clues for each line at these sides, next to the cells.
    Lists(Vec<usize>),
}

/// The place of a word.
#[derive(Debug, Clone, Default)]
pub(super) struct FilePlace {
    /// Where its clue is on the board.
    pub clue: Option<ClueLocation>,
    /// The cells beside a border that may be a wall.
    pub wall: Option<(Cell, Cell)>,
    /// Row and column of a cell, of two cells, or of two corners; empty if the place has no marks.
    pub mark: Vec<usize>,
    pub is_outside: bool,
}

fn cell_place((row, column): Cell) -> FilePlace {
    FilePlace { clue: Some(ClueLocation::Cell((row, column))), mark: vec![row, column], ..FilePlace::default() }
}

fn between(row: usize, column: usize) -> Option<ClueLocation> {
    Some(ClueLocation::Named("between".to_owned(), (row, column)))
}

/// The border between two cells.
fn border_place((row, column): Cell, (other_row, other_column): Cell) -> FilePlace {
    FilePlace {
        clue: between(row + other_row - 1, column + other_column - 1),
        wall: Some(((row, column), (other_row, other_column))),
        mark: vec![row, column, other_row, other_column],
        is_outside: false,
    }
}

impl FilePlaces {
    /// Returns true if a word is a single character, without spaces between the words.
    pub fn is_dense(&self) -> bool {
        *self == FilePlaces::Dots
    }

    /// The word for an empty place, if the section names no other.
    pub fn empty_word(&self) -> &'static str {
        match self {
            FilePlaces::Edges | FilePlaces::Frame | FilePlaces::Lattice => "0",
            _ => ".",
        }
    }

    /// Returns the places of each line. `lists` are the clues at the sides of the board, if they are
    /// to be written.
    pub fn rows(&self, board: &GridBoard, lists: Option<&[ClueGrid; 4]>) -> Vec<Vec<FilePlace>> {
        let (rows, columns) = (board.rows, board.columns);
        match self {
            FilePlaces::Cells => grid_rows(rows, columns, cell_place),
            FilePlaces::Inside => grid_rows(rows - 1, columns - 1, |(row, column)| cell_place((row + 1, column + 1))),
            FilePlaces::Corners => grid_rows(rows + 1, columns + 1, |corner| FilePlace {
                clue: Some(ClueLocation::Named("corner".to_owned(), corner)),
                ..FilePlace::default()
            }),
            FilePlaces::Dots => grid_rows(2 * rows - 1, 2 * columns - 1, |(row, column)| FilePlace {
                clue: between(row, column),
                mark: if row % 2 + column % 2 == 2 { vec![row.div_ceil(2), column.div_ceil(2)] } else { Vec::new() },
                ..FilePlace::default()
            }),
            FilePlaces::Edges => {
                let right = |(row, column): Cell| border_place((row, column), (row, column + 1));
                let below = |(row, column): Cell| border_place((row, column), (row + 1, column));
                [grid_rows(rows, columns - 1, right), grid_rows(rows - 1, columns, below)].concat()
            }
            FilePlaces::Frame | FilePlaces::Lattice => {
                let of_corners = *self == FilePlaces::Lattice;
                let place = |(row, column): Cell, is_upright: bool| {
                    let [down, right] = if is_upright { [1, 0] } else { [0, 1] };
                    // The cell before the border is missing at the edge of the board.
                    let before = if is_upright { (row, column - 1) } else { (row - 1, column) };
                    let is_inside = before.0 > 0 && before.1 > 0 && row <= rows && column <= columns;
                    let outer = FilePlace { is_outside: !of_corners, ..FilePlace::default() };
                    let place = if is_inside { border_place(before, (row, column)) } else { outer };
                    let corners = || vec![row, column, row + down, column + right];
                    FilePlace { mark: if of_corners { corners() } else { place.mark }, ..place }
                };
                let upright = grid_rows(rows, columns + 1, |border| place(border, true));
                [upright, grid_rows(rows + 1, columns, |border| place(border, false))].concat()
            }
            FilePlaces::Around(sides) | FilePlaces::Pairs(sides) => ring(board, sides, [1; 4], lists, false),
            FilePlaces::Lists(sides) => {
                let (down, across) = (rows.div_ceil(2), columns.div_ceil(2));
                ring(board, sides, [across, across, down, down], lists, true)
            }
        }
    }
}

fn grid_rows(rows: usize, columns: usize, place: impl Fn(Cell) -> FilePlace) -> Vec<Vec<FilePlace>> {
    (1..=rows).map(|row| (1..=columns).map(|column| place((row, column))).collect()).collect()
}

/// Returns the cells with `depths` clues at each side of `sides`.
fn ring(
    board: &GridBoard,
    sides: &[usize],
    depths: [usize; 4],
    lists: Option<&[ClueGrid; 4]>,
    is_flush: bool,
) -> Vec<Vec<FilePlace>> {
    let [left, right, top, bottom] = [0, 1, 2, 3].map(|side| if sides.contains(&side) { depths[side] } else { 0 });
    let (rows, columns) = (board.rows, board.columns);
    let outside = |side: usize, line: usize, from_outside: usize| {
        // Lists are next to the cells. They are read from the outside, and gaps are closed later.
        let length = lists.map_or(depths[side], |lists| lists[side].range((line, 1)..(line + 1, 1)).count());
        let skipped = if is_flush { depths[side].saturating_sub(length) } else { 0 };
        let clue = (from_outside > skipped)
            .then(|| ClueLocation::Named(SIDES[side].to_owned(), (line, from_outside - skipped)));
        FilePlace { clue, is_outside: true, ..FilePlace::default() }
    };
    grid_rows(top + rows + bottom, left + columns + right, |(y, x)| {
        let row = y.checked_sub(top).filter(|row| (1..=rows).contains(row));
        let column = x.checked_sub(left).filter(|column| (1..=columns).contains(column));
        match (row, column) {
            (Some(row), Some(column)) => cell_place((row, column)),
            (Some(row), None) if x <= left => outside(0, row, x),
            (Some(row), None) => outside(1, row, left + columns + right + 1 - x),
            (None, Some(column)) if y <= top => outside(2, column, y),
            (None, Some(column)) => outside(3, column, top + rows + bottom + 1 - y),
            (None, None) => FilePlace { is_outside: true, ..FilePlace::default() },
        }
    })
}
