//! What no number will ever tell: dead cells, and places whose two layouts look the same from outside.
//!
//! A cell is *dead* if its number is known before it is opened: no closed cell is around it, or just those that another number
//! counts already.
//!
//! ```text
//!   * 1 1 *      With mines at the four stars nothing outside tells whether the mine is at a or at b: every number that
//!   * a b *      sees one of them sees both. Sooner or later it is a guess, and half of the games in which it comes to that
//!   * 2 2 *      are lost. Who opens a now loses no more, and need not come back. The same holds for the two diagonals of
//!                a box of two by two cells, whose corners outside are mines or wall.
//! ```
//!
//! So a mine under a costs nothing in those layouts: they are credited to a, to b, and to each star that is not known to be
//! a mine, which decides the place if it is none. The credit is a chance, to be added to the cell's safety. David Hill's
//! solvers (`LongTermRiskHelper`) have it as "50/50 influence".

use super::super::adjacency::Adjacency;
use super::super::grid::{Cell, Position};

/// Whether the number of a cell would tell anything, if it is no mine.
pub fn is_living(position: &Position, cell: usize) -> bool {
    let closed = closed_around(position, cell, cell);
    let is_counted =
        |first: usize| position.open_around(first).any(|number| closed_around(position, number, cell) == closed);
    closed.into_iter().find(|&near| near != NONE).is_some_and(|first| !is_counted(first))
}

const NONE: usize = 0;

/// The closed cells around one, but for another; the first of eight.
fn closed_around(position: &Position, cell: usize, but: usize) -> [usize; 8] {
    let mut closed = [NONE; 8];
    for (place, near) in closed.iter_mut().zip(position.near(cell, Cell::Closed).filter(|&near| near != but)) {
        *place = near;
    }
    closed
}

/// A place with two layouts, of which this is one; and the cells outside that must not tell them apart. Rows and columns
/// from its first cell.
struct Place {
    mines: &'static [[i64; 2]],
    safe: &'static [[i64; 2]],
    outside: &'static [[i64; 2]],
}

const PLACES: [Place; 3] = [
    Place { mines: &[[0, 0]], safe: &[[0, 1]], outside: &[[-1, -1], [0, -1], [1, -1], [-1, 2], [0, 2], [1, 2]] },
    Place { mines: &[[0, 0]], safe: &[[1, 0]], outside: &[[-1, -1], [-1, 0], [-1, 1], [2, -1], [2, 0], [2, 1]] },
    Place { mines: &[[0, 0], [1, 1]], safe: &[[0, 1], [1, 0]], outside: &[[-1, -1], [-1, 2], [2, -1], [2, 2]] },
];

/// Cells outside that may still be closed, and how likely a place must be: by the risks of its cells alone, and counted.
const MOST_CLOSED: usize = 3;
const LIKELY: f64 = 0.01;
const COUNTED: f64 = 0.02;

/// By cell: the chance that it is a mine of such a place, or in its way. `risks` are by cell, those of `cells` between 0 and 1;
/// `chance` is that of a position with more mines and safe cells marked.
pub fn credits(
    position: &Position,
    cells: &[usize],
    risks: &[f64],
    chance: impl Fn(&mut Position, &[usize]) -> Option<f64>,
) -> Vec<f64> {
    let grid = position.grid;
    let mut credits = vec![0.0; grid.extent()];
    // The places are those of squares whose numbers count the eight around.
    if position.adjacency != Adjacency::King {
        return credits;
    }
    let places = cells.iter().flat_map(|&first| PLACES.iter().map(move |place| (first, place)));
    'places: for (first, place) in places {
        let [row, column] = grid.place(first);
        let find = |&[down, right]: &[i64; 2]| grid.find(row as i64 + down, column as i64 + right);
        let mut inside = Vec::with_capacity(place.mines.len() + place.safe.len());
        for at in place.mines.iter().chain(place.safe) {
            match find(at) {
                Some(cell) if position.cells[cell] == Cell::Closed => inside.push(cell),
                _ => continue 'places,
            }
        }
        let mut closed = Vec::with_capacity(place.outside.len());
        for cell in place.outside.iter().filter_map(find) {
            match position.cells[cell] {
                Cell::Mine => {}
                Cell::Closed => closed.push(cell),
                _ => continue 'places,
            }
        }
        if closed.len() > MOST_CLOSED {
            continue;
        }
        let (mut of_one, mut of_all) = (1.0_f64, 1.0);
        for &cell in &inside {
            of_one = of_one.min(risks[cell].min(1.0 - risks[cell]));
        }
        for &cell in &closed {
            of_all *= risks[cell];
        }
        if of_all * of_one < LIKELY {
            continue;
        }
        let mut next = position.clone();
        let (mines, safe) = inside.split_at(place.mines.len());
        mines.iter().chain(&closed).for_each(|&cell| next.cells[cell] = Cell::Mine);
        safe.iter().for_each(|&cell| next.cells[cell] = Cell::Safe);
        let changed: Vec<usize> = inside.into_iter().chain(closed).collect();
        // Of one of both layouts.
        let Some(chance) = chance(&mut next, &changed).filter(|&chance| chance >= COUNTED) else { continue };
        changed.into_iter().for_each(|cell| credits[cell] += chance);
    }
    credits
}
