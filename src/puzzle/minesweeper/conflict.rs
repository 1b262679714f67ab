//! Numbers that cannot hold together, as few as possible: why a board is contradictory, or why a cell is safe.
//!
//! That a cell is safe follows from the numbers which, with a mine there, contradict each other. From a set that is too
//! large, halves, quarters, … and at last single numbers are left out as long as the rest still contradicts itself; then
//! none can be spared. Where a board is contradictory, all single numbers, pairs and triples are tried besides, so that a
//! set of up to three (on boards with at most [`MOST_FOR_TRIPLES`] numbers) is as small as any.

use super::count::Budget;
use super::grid::{Cell, Grid, Position};
use super::obvious::{self, Contradiction};
use super::probability::Analysis;
use crate::stop::Reason;

/// Numbers, and perhaps the total of mines, that cannot hold together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// Ascending.
    pub numbers: Vec<usize>,
    pub needs_total: bool,
}

/// Triples of more numbers would take too long.
const MOST_FOR_TRIPLES: usize = 400;
/// From more numbers none is left out one by one. With the total of mines the whole board is counted each time.
const MOST_TO_MINIMISE: usize = 400;
const MOST_WITH_TOTAL: usize = 60;

/// A part of a board where only some numbers are believed; the others are safe cells.
pub struct Part {
    pub position: Position,
    /// Row and column of its first cell on the board.
    pub origin: [usize; 2],
}

impl Part {
    /// The rows and columns that the numbers see. The total of mines says nothing of a part.
    pub fn new(position: &Position, numbers: &[usize]) -> Part {
        let places = numbers.iter().map(|&number| position.grid.place(number));
        let (mut low, mut high) = ([usize::MAX; 2], [0; 2]);
        for place in places {
            for axis in 0..2 {
                low[axis] = low[axis].min(place[axis].saturating_sub(1));
                high[axis] = high[axis].max(place[axis] + 1);
            }
        }
        let last = [position.grid.rows - 1, position.grid.columns - 1];
        let grid = Grid {
            rows: (high[0].min(last[0]) + 1).saturating_sub(low[0]),
            columns: (high[1].min(last[1]) + 1).saturating_sub(low[1]),
        };
        let mut part = Part { position: Position::closed(grid, None), origin: low };
        for cell in grid.cells() {
            part.position.cells[cell] = believed(position.cells[part.outside(cell, position)]);
        }
        for &number in numbers {
            let inside = part.inside(number, position);
            part.position.cells[inside] = position.cells[number];
        }
        part
    }

    /// The cell of the part on the board.
    pub fn outside(&self, cell: usize, board: &Position) -> usize {
        let place = self.position.grid.place(cell);
        board.grid.cell(place[0] + self.origin[0], place[1] + self.origin[1])
    }

    fn inside(&self, cell: usize, board: &Position) -> usize {
        let place = board.grid.place(cell);
        self.position.grid.cell(place[0] - self.origin[0], place[1] - self.origin[1])
    }
}

fn believed(cell: Cell) -> Cell {
    if matches!(cell, Cell::Open(_)) { Cell::Safe } else { cell }
}

/// Whether no layout fits these numbers, and the total if `with_total`.
fn contradicts(position: &Position, numbers: &[usize], with_total: bool, budget: &Budget) -> Result<bool, Reason> {
    let mut work = if with_total {
        let mut work = position.clone();
        work.cells.iter_mut().for_each(|cell| *cell = believed(*cell));
        numbers.iter().for_each(|&number| work.cells[number] = position.cells[number]);
        work
    } else if numbers.is_empty() {
        return Ok(false);
    } else {
        Part::new(position, numbers).position
    };
    if obvious::mark_all(&mut work, |_| ()).is_err() {
        return Ok(true);
    }
    Ok(Analysis::<f64>::new(&work, budget, |_, _| 1.0)?.is_err())
}

/// Leaves out of contradicting numbers what can be spared.
fn minimised(
    position: &Position,
    mut numbers: Vec<usize>,
    needs_total: bool,
    budget: &Budget,
) -> Result<Conflict, Reason> {
    let most = if needs_total { MOST_WITH_TOTAL } else { MOST_TO_MINIMISE };
    let mut len = if numbers.len() > most { 0 } else { numbers.len().div_ceil(2) };
    while len > 0 {
        let mut begin = 0;
        while begin < numbers.len() {
            let end = (begin + len).min(numbers.len());
            let mut rest = numbers[..begin].to_vec();
            rest.extend_from_slice(&numbers[end..]);
            if contradicts(position, &rest, needs_total, budget)? {
                numbers = rest;
            } else {
                begin = end;
            }
        }
        len = if len == 1 { 0 } else { len.div_ceil(2) };
    }
    numbers.sort_unstable();
    Ok(Conflict { numbers, needs_total })
}

/// Why nothing fits a contradictory position. `found` is what its analysis said.
pub fn smallest(position: &Position, found: &Contradiction, budget: &Budget) -> Result<Conflict, Reason> {
    let open = |cell: &usize| matches!(position.cells[*cell], Cell::Open(_));
    let all: Vec<usize> = position.grid.cells().filter(open).collect();
    let touching: Vec<usize> =
        all.iter().copied().filter(|&cell| position.count_around(cell, Cell::Closed) > 0).collect();
    if let Some(few) = few(position, &all, &touching, budget)? {
        return Ok(Conflict { numbers: few, needs_total: false });
    }
    if !found.numbers.is_empty() && contradicts(position, &found.numbers, false, budget)? {
        return minimised(position, found.numbers.clone(), false, budget);
    }
    let needs_total = !contradicts(position, &touching, false, budget)?;
    minimised(position, touching, needs_total, budget)
}

/// One, two or three numbers that contradict each other.
fn few(position: &Position, all: &[usize], touching: &[usize], budget: &Budget) -> Result<Option<Vec<usize>>, Reason> {
    for &number in all {
        let Cell::Open(value) = position.cells[number] else { continue };
        let mines = position.count_around(number, Cell::Mine);
        let closed = position.count_around(number, Cell::Closed);
        if !(mines..=mines + closed).contains(&usize::from(value)) {
            return Ok(Some(vec![number]));
        }
    }
    // Numbers have cells in common where they are at most two rows and columns apart.
    let is_near = |a: usize, b: usize| {
        let ([row, column], other) = (position.grid.place(a), position.grid.place(b));
        row.abs_diff(other[0]) <= 2 && column.abs_diff(other[1]) <= 2
    };
    let after = |at: usize, number: usize| {
        let last = number + 2 * position.grid.stride() + 2;
        touching[at + 1..].iter().copied().take_while(move |&other| other <= last)
    };
    for (at, &a) in touching.iter().enumerate() {
        for b in after(at, a).filter(|&b| is_near(a, b)) {
            if contradicts(position, &[a, b], false, budget)? {
                return Ok(Some(vec![a, b]));
            }
        }
    }
    if touching.len() > MOST_FOR_TRIPLES {
        return Ok(None);
    }
    for (at, &a) in touching.iter().enumerate() {
        for (next, &b) in touching.iter().enumerate().skip(at + 1) {
            for &c in &touching[next + 1..] {
                let pairs = [is_near(a, b), is_near(a, c), is_near(b, c)];
                if pairs.iter().filter(|&&near| near).count() >= 2 && contradicts(position, &[a, b, c], false, budget)?
                {
                    return Ok(Some(vec![a, b, c]));
                }
            }
        }
    }
    Ok(None)
}

/// The numbers from which it follows that a cell is a mine, or is safe; those nearby are tried first.
pub fn reason(
    position: &Position,
    cell: usize,
    is_mine: bool,
    among: Option<&[usize]>,
    budget: &Budget,
) -> Result<Conflict, Reason> {
    let mut assumed = position.clone();
    assumed.cells[cell] = if is_mine { Cell::Safe } else { Cell::Mine };
    if let Some(among) = among {
        return minimised(&assumed, among.to_vec(), false, budget);
    }
    let most = position.grid.rows.max(position.grid.columns);
    if let Some(conflict) = near(position, cell, is_mine, 2 * most, budget)? {
        return Ok(conflict);
    }
    let all = position.grid.cells().filter(|&number| touches(&assumed, cell, number)).collect();
    minimised(&assumed, all, true, budget)
}

/// Numbers up to so many rows and columns away from which it follows that a cell is a mine, or is safe.
pub fn near(
    position: &Position,
    cell: usize,
    is_mine: bool,
    reach: usize,
    budget: &Budget,
) -> Result<Option<Conflict>, Reason> {
    let mut assumed = position.clone();
    assumed.cells[cell] = if is_mine { Cell::Safe } else { Cell::Mine };
    let grid = position.grid;
    let [row, column] = grid.place(cell);
    let mut radius = 2;
    while radius <= reach {
        let rows = row.saturating_sub(radius)..(row + radius + 1).min(grid.rows);
        let columns = column.saturating_sub(radius)..(column + radius + 1).min(grid.columns);
        let near = rows.flat_map(|row| columns.clone().map(move |column| grid.cell(row, column)));
        let near: Vec<usize> = near.filter(|&number| touches(&assumed, cell, number)).collect();
        if contradicts(&assumed, &near, false, budget)? {
            return Ok(Some(minimised(&assumed, near, false, budget)?));
        }
        radius *= 2;
    }
    Ok(None)
}

/// Whether a cell is a number that says something of closed cells, or of the one that is assumed.
fn touches(assumed: &Position, cell: usize, number: usize) -> bool {
    let around = |&near: &usize| near == cell || assumed.cells[near] == Cell::Closed;
    matches!(assumed.cells[number], Cell::Open(_)) && assumed.grid.around(number).iter().any(around)
}
