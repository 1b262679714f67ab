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
use super::super::grid::Cell;
use super::super::position::KnownPosition;

/// Returns true if opening the cell gives information, provided that it is not a mine.
pub fn is_living(position: &KnownPosition, cell: usize) -> bool {
    let closed = closed_around(position, cell, cell);
    let is_counted =
        |first: usize| position.open_around(first).any(|number| closed_around(position, number, cell) == closed);
    closed.into_iter().find(|&neighbor| neighbor != NONE).is_some_and(|first| !is_counted(first))
}

const NONE: usize = 0;

/// Returns the closed cells around `cell` except `excluded`, padded with `NONE`.
fn closed_around(position: &KnownPosition, cell: usize, excluded: usize) -> [usize; 8] {
    let mut closed = [NONE; 8];
    for (slot, neighbor) in
        closed.iter_mut().zip(position.cells_around(cell, Cell::Closed).filter(|&neighbor| neighbor != excluded))
    {
        *slot = neighbor;
    }
    closed
}

/// A pattern of cells with two layouts that no number can distinguish. Cells are offsets in rows
/// and columns from the first cell of the pattern.
struct FiftyFifty {
    /// The mines of the first layout, which are safe in the second one.
    mines: &'static [[i64; 2]],
    /// The safe cells of the first layout, which are mines in the second one.
    safe: &'static [[i64; 2]],
    /// The cells around the pattern whose numbers would distinguish the layouts, so that they must
    /// be mines or off the board.
    outside: &'static [[i64; 2]],
}

const PATTERNS: [FiftyFifty; 3] = [
    FiftyFifty { mines: &[[0, 0]], safe: &[[0, 1]], outside: &[[-1, -1], [0, -1], [1, -1], [-1, 2], [0, 2], [1, 2]] },
    FiftyFifty { mines: &[[0, 0]], safe: &[[1, 0]], outside: &[[-1, -1], [-1, 0], [-1, 1], [2, -1], [2, 0], [2, 1]] },
    FiftyFifty { mines: &[[0, 0], [1, 1]], safe: &[[0, 1], [1, 0]], outside: &[[-1, -1], [-1, 2], [2, -1], [2, 2]] },
];

/// Maximum number of closed cells among the `outside` cells of a pattern.
const MAX_CLOSED_OUTSIDE: usize = 3;
/// Minimum probability of a pattern according to a bound from the risks of its cells.
const MIN_ESTIMATE: f64 = 0.01;
/// Minimum probability of a pattern according to a count.
const MIN_CHANCE: f64 = 0.02;

/// Returns, for each cell, the probability that it is a mine of a 50/50 pattern or one of the
/// closed cells among the `outside` cells of such a pattern. `risks` contains the probability of a
/// mine for each cell, between 0 and 1 for `cells`. `chance` returns the probability of a position
/// in which further mines and safe cells are marked, given the changed cells.
pub fn unavoidable_guesses(
    position: &KnownPosition,
    cells: &[usize],
    risks: &[f64],
    chance: impl Fn(&mut KnownPosition, &[usize]) -> Option<f64>,
) -> Vec<f64> {
    let grid = position.grid;
    let mut credits = vec![0.0; grid.extent()];
    // The patterns assume the neighbourhood of a king.
    if position.adjacency != Adjacency::King {
        return credits;
    }
    let candidates = cells.iter().flat_map(|&first| PATTERNS.iter().map(move |pattern| (first, pattern)));
    'candidates: for (first, pattern) in candidates {
        let [row, column] = grid.place(first);
        let find = |&[down, right]: &[i64; 2]| grid.find(row as i64 + down, column as i64 + right);
        let mut inside = Vec::with_capacity(pattern.mines.len() + pattern.safe.len());
        for at in pattern.mines.iter().chain(pattern.safe) {
            match find(at) {
                Some(cell) if position.cells[cell] == Cell::Closed => inside.push(cell),
                _ => continue 'candidates,
            }
        }
        let mut closed = Vec::with_capacity(pattern.outside.len());
        for cell in pattern.outside.iter().filter_map(find) {
            match position.cells[cell] {
                Cell::Mine => {}
                Cell::Closed => closed.push(cell),
                _ => continue 'candidates,
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
        let (mines, safe) = inside.split_at(pattern.mines.len());
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
