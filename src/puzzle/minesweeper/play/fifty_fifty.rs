//! Guesses that no number can help: dead cells, and 50/50s.
//!
//! A cell is *dead* if its number is known before it is opened: no closed cell is around it, or
//! exactly the closed cells that another number already counts.
//!
//! ```text
//!   * 1 1 *      With mines at the four stars, the mine is at a or at b, and every number that sees one
//!   * a b *      of them sees both. Sooner or later it must be guessed, and half of the games that come
//!   * 2 2 *      to that are lost. Guessing a now loses no more than guessing it later. The same holds
//!                for the two diagonals of a square of 2×2 cells whose outer corners are mines or wall.
//! ```
//!
//! A mine at a therefore costs nothing in those layouts: they are credited to a, to b, and to each
//! star that is not a known mine, which resolves the 50/50 if it is safe. The credit is a
//! probability, to be added to the cell's safety. David Hill's solvers (`LongTermRiskHelper`) call
//! it "50/50 influence".

use super::super::adjacency::Adjacency;
use super::super::grid::{Cell, KnownPosition};

/// Returns true if opening the cell could give information, in case it is not a mine.
pub fn is_living(position: &KnownPosition, cell: usize) -> bool {
    let closed = closed_around(position, cell, cell);
    let is_counted =
        |first: usize| position.open_around(first).any(|number| closed_around(position, number, cell) == closed);
    closed.into_iter().find(|&near| near != NONE).is_some_and(|first| !is_counted(first))
}

const NONE: usize = 0;

/// The closed cells around `cell` except `but`, padded with `NONE`.
fn closed_around(position: &KnownPosition, cell: usize, but: usize) -> [usize; 8] {
    let mut closed = [NONE; 8];
    for (place, near) in closed.iter_mut().zip(position.near(cell, Cell::Closed).filter(|&near| near != but)) {
        *place = near;
    }
    closed
}

/// A pattern of cells with two layouts, of which this is one, and the cells outside that must not
/// distinguish them; offsets in rows and columns from its first cell.
struct FiftyFifty {
    mines: &'static [[i64; 2]],
    safe: &'static [[i64; 2]],
    outside: &'static [[i64; 2]],
}

const PATTERNS: [FiftyFifty; 3] = [
    FiftyFifty { mines: &[[0, 0]], safe: &[[0, 1]], outside: &[[-1, -1], [0, -1], [1, -1], [-1, 2], [0, 2], [1, 2]] },
    FiftyFifty { mines: &[[0, 0]], safe: &[[1, 0]], outside: &[[-1, -1], [-1, 0], [-1, 1], [2, -1], [2, 0], [2, 1]] },
    FiftyFifty { mines: &[[0, 0], [1, 1]], safe: &[[0, 1], [1, 0]], outside: &[[-1, -1], [-1, 2], [2, -1], [2, 2]] },
];

/// Closed cells that may remain outside, and the smallest probability of a 50/50: by a bound from
/// the risks of its cells, and by count.
const MAX_CLOSED_OUTSIDE: usize = 3;
const MIN_ESTIMATE: f64 = 0.01;
const MIN_CHANCE: f64 = 0.02;

/// By cell: the probability that it is a mine of a 50/50, or of its outside. `risks` are by cell,
/// between 0 and 1 for `cells`; `chance` is the probability of a position with more mines and safe
/// cells marked.
pub fn unavoidable_guesses(
    position: &KnownPosition,
    cells: &[usize],
    risks: &[f64],
    chance: impl Fn(&mut KnownPosition, &[usize]) -> Option<f64>,
) -> Vec<f64> {
    let grid = position.grid;
    let mut credits = vec![0.0; grid.extent()];
    // The patterns assume a king's neighbourhood.
    if position.adjacency != Adjacency::King {
        return credits;
    }
    let places = cells.iter().flat_map(|&first| PATTERNS.iter().map(move |place| (first, place)));
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
        if closed.len() > MAX_CLOSED_OUTSIDE {
            continue;
        }
        let (mut inside_bound, mut outside_product) = (1.0_f64, 1.0);
        for &cell in &inside {
            inside_bound = inside_bound.min(risks[cell].min(1.0 - risks[cell]));
        }
        for &cell in &closed {
            outside_product *= risks[cell];
        }
        if outside_product * inside_bound < MIN_ESTIMATE {
            continue;
        }
        let mut next = position.clone();
        let (mines, safe) = inside.split_at(place.mines.len());
        for &cell in mines.iter().chain(&closed) {
            next.cells[cell] = Cell::Mine;
        }
        for &cell in safe {
            next.cells[cell] = Cell::Safe;
        }
        let changed: Vec<usize> = inside.into_iter().chain(closed).collect();
        // The probability of one of the two layouts.
        let Some(chance) = chance(&mut next, &changed).filter(|&chance| chance >= MIN_CHANCE) else { continue };
        for cell in changed {
            credits[cell] += chance;
        }
    }
    credits
}
