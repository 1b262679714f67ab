//! The places of a step's signs, and the order in which a link has them.

use super::super::board::{Cell, Clue, ClueGrid, GRIDS, GridBoard, SIDES};

/// The places of signs on a board. Sides are indices into [`SIDES`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Places {
    Cells,
    Holes,
    CellsAround(Vec<usize>),
    Areas,
    Shaded,
    Placeholders(Clue),
    Bricks,
    Triangles,
    Grid(&'static str),
    /// The places of the grid `corner` that are not on the edge of the board.
    Inner,
    Edges,
    Sides,
    Around(Vec<usize>),
    Twice(Vec<usize>),
    Seconds(Vec<usize>),
    Lists(Vec<usize>),
}

/// The index of a grid and a place in it. Grids are numbered in this order: the sides, the cells,
/// then [`GRIDS`].
pub(super) type GridPlace = (usize, Cell);
pub(super) const CELLS: usize = SIDES.len();

pub(super) fn grid_mut(board: &mut GridBoard, grid: usize) -> &mut ClueGrid {
    match grid.checked_sub(CELLS + 1) {
        Some(other) => board.grids.entry(GRIDS[other].to_owned()).or_default(),
        None => board.around.get_mut(grid).unwrap_or(&mut board.signs),
    }
}

impl Places {
    /// Returns the places in the order in which a link has their signs.
    pub(super) fn resolve(&self, board: &GridBoard) -> Vec<GridPlace> {
        let lines = |side: usize| if side < 2 { board.rows } else { board.columns };
        let number = |name: &str| CELLS + 1 + GRIDS.iter().position(|grid| *grid == name).expect("a known grid");
        match self {
            Places::Cells | Places::Holes => board.cells().map(|cell| (CELLS, cell)).collect(),
            Places::CellsAround(sides) => {
                [Places::Cells.resolve(board), Places::Around(sides.clone()).resolve(board)].concat()
            }
            Places::Areas => board.first_cells().into_iter().map(|cell| (CELLS, cell)).collect(),
            Places::Shaded => board.first_cells().into_iter().map(|cell| (number("shade"), cell)).collect(),
            Places::Placeholders(mark) => {
                let marked = board.signs.iter().filter(|(_, sign)| *sign == mark);
                marked.map(|(cell, _)| (CELLS, *cell)).collect()
            }
            // The half bricks at the ends of rows have no signs.
            Places::Bricks => {
                let is_brick = |&(row, column): &Cell| {
                    column < board.columns && !board.walls.contains(&((row, column), (row, column + 1)))
                };
                board.first_cells().into_iter().filter(is_brick).map(|cell| (CELLS, cell)).collect()
            }
            Places::Triangles => {
                let middle = board.cells().filter(|&(row, column)| row % 3 == 2 && column % 3 == 2);
                let around =
                    |(row, column): Cell| [(row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column)];
                middle.flat_map(around).map(|cell| (CELLS, cell)).collect()
            }
            Places::Grid(name) => {
                let (rows, columns) = board.grid_size(name);
                GridBoard::of_size(rows, columns).cells().map(|cell| (number(name), cell)).collect()
            }
            Places::Inner => {
                let inside = board.cells().filter(|&(row, column)| row > 1 && column > 1);
                inside.map(|cell| (number("corner"), cell)).collect()
            }
            Places::Edges => {
                let middle = |((row, column), (other_row, other_column)): (Cell, Cell)| {
                    (number("between"), (row + other_row - 1, column + other_column - 1))
                };
                borders(board).into_iter().flatten().map(middle).collect()
            }
            Places::Sides => {
                let mut places: Vec<GridPlace> = board
                    .cells()
                    .flat_map(|(row, column)| [(2 * row - 1, 2 * column), (2 * row, 2 * column - 1)])
                    .map(|border| (number("between"), border))
                    .collect();
                places.truncate(places.len() - 2);
                places
            }
            Places::Around(sides) => {
                sides.iter().flat_map(|&side| (1..=lines(side)).map(move |line| (side, (line, 1)))).collect()
            }
            Places::Twice(sides) => {
                let both = |&(side, (line, _)): &GridPlace| [(side, (line, 2)), (side, (line, 1))];
                Places::Around(sides.clone()).resolve(board).iter().flat_map(both).collect()
            }
            Places::Seconds(sides) => {
                let clues =
                    sides.iter().flat_map(|&side| board.around[side].keys().map(move |&(line, at)| (side, (line, at))));
                clues.filter(|&(_, (_, at))| at == 1).map(|(side, (line, _))| (side, (line, 2))).collect()
            }
            Places::Lists(sides) => {
                let half = |side: usize| (board.rows + board.columns - lines(side)).div_ceil(2);
                let list = |(side, line)| (1..=half(side)).map(move |from_end| (side, (line, from_end)));
                sides.iter().flat_map(|&side| (1..=lines(side)).map(move |line| (side, line))).flat_map(list).collect()
            }
        }
    }
}

/// Returns the borders to the right of cells, and those below cells. The two groups are packed
/// separately.
pub(super) fn borders(board: &GridBoard) -> [Vec<(Cell, Cell)>; 2] {
    let right = board.cells().filter(|cell| cell.1 < board.columns).map(|cell| (cell, (cell.0, cell.1 + 1)));
    let below = board.cells().filter(|cell| cell.0 < board.rows).map(|cell| (cell, (cell.0 + 1, cell.1)));
    [right.collect(), below.collect()]
}
