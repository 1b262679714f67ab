//! Numbers that cannot hold together, as few as possible: why a board is contradictory, or why a cell is safe.
//!
//! That a cell is safe follows from the numbers which, with a mine there, contradict each other. From a set that is too
//! large, halves, quarters, … and at last single numbers are left out as long as the rest still contradicts itself; then
//! none can be spared. Where a board is contradictory, all single numbers, pairs and triples are tried besides, so that a
//! set of up to three (on boards with at most [`MOST_FOR_TRIPLES`] numbers) is as small as any.

use super::adjacency::{Adjacency, Shape};
use super::count::Budget;
use super::grid::{Cell, Grid, Position};
use super::obvious::Contradiction;
use super::probability::fits;
use crate::stop::Reason;

/// Numbers, flags, and perhaps the total of mines, that cannot hold together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Conflict {
    /// The cells of the numbers and flags, ascending.
    pub clues: Vec<usize>,
    pub needs_total: bool,
}

impl Conflict {
    /// How many parts it has.
    pub fn size(&self) -> usize {
        self.clues.len() + usize::from(self.needs_total)
    }
}

/// Triples of more numbers would take too long.
const MOST_FOR_TRIPLES: usize = 400;
/// From more numbers none is left out one by one. With the total of mines the whole board is counted each time.
const MOST_TO_MINIMISE: usize = 400;
const MOST_WITH_TOTAL: usize = 60;

/// Some numbers and the cells that they count, as a board of one row.
pub struct Part {
    pub position: Position,
    /// What its cells are on the board, ascending.
    cells: Vec<usize>,
}

impl Part {
    /// The total of mines says nothing of a part. A clue that is no number is a closed cell that is taken for a mine.
    pub fn new(position: &Position, clues: &[usize]) -> Part {
        let numbers = || clues.iter().copied().filter(move |&clue| position.cells[clue].is_number());
        let mut cells = position.seen(&numbers().collect::<Vec<usize>>());
        cells.extend_from_slice(clues);
        cells.sort_unstable();
        cells.dedup();
        let grid = Grid { rows: 1, columns: cells.len() };
        let inside = |cell: usize| cells.binary_search(&cell).ok().map(|column| grid.cell(0, column));
        let counted = numbers().filter_map(|number| {
            let near = position.around(number).into_iter().filter(|&near| position.cells[near].is_covered());
            Some((inside(number)?, near.filter_map(inside).collect()))
        });
        let adjacency = Adjacency::table(Shape::Own, grid, counted).expect("no more than on the board");
        let mut part = Position { adjacency, ..Position::closed(grid, None) };
        for (column, &cell) in cells.iter().enumerate() {
            part.cells[grid.cell(0, column)] = position.cells[cell];
        }
        believe(&mut part, clues.iter().filter_map(|&clue| inside(clue)));
        Part { position: part, cells }
    }

    /// The cell of the part on the board.
    pub fn outside(&self, cell: usize) -> usize {
        self.cells[self.position.grid.place(cell)[1]]
    }
}

/// Takes closed cells for mines, as their flags say.
fn believe(position: &mut Position, clues: impl Iterator<Item = usize>) {
    for clue in clues {
        if position.cells[clue] == Cell::Closed {
            position.cells[clue] = Cell::Mine;
        }
    }
}

/// Whether no layout fits these numbers and flags, and the total if `with_total`.
fn contradicts(position: &Position, clues: &[usize], with_total: bool, budget: &Budget) -> Result<bool, Reason> {
    if !with_total {
        return Ok(!clues.is_empty() && !fits(Part::new(position, clues).position, budget)?);
    }
    let mut work = position.clone();
    position.numbers().for_each(|number| work.cells[number] = Cell::Safe);
    clues.iter().for_each(|&clue| work.cells[clue] = position.cells[clue]);
    believe(&mut work, clues.iter().copied());
    Ok(!fits(work, budget)?)
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
    Ok(Conflict { clues: numbers, needs_total })
}

/// Why nothing fits a contradictory position. `found` is what its analysis said.
pub fn smallest(position: &Position, found: &Contradiction, budget: &Budget) -> Result<Conflict, Reason> {
    let (bare, flags) = (position.without_flags(), position.all(Cell::Mine).collect::<Vec<usize>>());
    let mut touching: Vec<usize> = flags.clone();
    touching.extend(bare.numbers().filter(|&number| bare.count_around(number, Cell::Closed) > 0));
    touching.sort_unstable();
    if let Some(few) = few(&bare, &touching, &flags, budget)? {
        return Ok(Conflict { clues: few, needs_total: false });
    }
    let near = with_flags(position, &found.numbers);
    if !near.is_empty() && contradicts(&bare, &near, false, budget)? {
        return minimised(&bare, near, false, budget);
    }
    let needs_total = !contradicts(&bare, &touching, false, budget)?;
    minimised(&bare, touching, needs_total, budget)
}

/// Numbers that contradict each other as long as all flags are right, and those of the flags that are needed for it.
pub fn with_needed_flags(position: &Position, found: Conflict, budget: &Budget) -> Conflict {
    let Conflict { clues: numbers, needs_total } = found;
    let mut clues = with_flags(position, &numbers);
    if needs_total {
        clues = position.all(Cell::Mine).chain(numbers.iter().copied()).collect();
        clues.sort_unstable();
    }
    let bare = position.without_flags();
    let all = Conflict { clues: clues.clone(), needs_total };
    if clues == numbers { all } else { minimised(&bare, clues, needs_total, budget).unwrap_or(all) }
}

/// Numbers with the flags that they see.
fn with_flags(position: &Position, numbers: &[usize]) -> Vec<usize> {
    let mut clues = position.seen(numbers);
    clues.retain(|&cell| position.cells[cell] == Cell::Mine);
    clues.extend_from_slice(numbers);
    clues.sort_unstable();
    clues
}

/// One, two or three clues that contradict each other, on a board without its flags.
fn few(
    position: &Position,
    touching: &[usize],
    flags: &[usize],
    budget: &Budget,
) -> Result<Option<Vec<usize>>, Reason> {
    if let Some(number) = position.numbers().find(|&number| position.lacks(number).is_none()) {
        return Ok(Some(vec![number]));
    }
    // Those after a number that have closed cells in common with it.
    let near: Vec<Vec<usize>> = touching.iter().map(|&clue| sharing(position, clue, flags)).collect();
    let contradict = |numbers: &[usize]| contradicts(position, numbers, false, budget);
    for (&a, near) in touching.iter().zip(&near) {
        for &b in near {
            if contradict(&[a, b])? {
                return Ok(Some(vec![a, b]));
            }
        }
    }
    if touching.len() > MOST_FOR_TRIPLES {
        return Ok(None);
    }
    let is_near: Vec<Vec<bool>> =
        near.iter().map(|near| touching.iter().map(|other| near.binary_search(other).is_ok()).collect()).collect();
    for a in 0..touching.len() {
        for b in a + 1..touching.len() {
            for c in b + 1..touching.len() {
                let pairs = [is_near[a][b], is_near[a][c], is_near[b][c]];
                let triple = [a, b, c].map(|index| touching[index]);
                if pairs.iter().filter(|&&near| near).count() >= 2 && contradict(&triple)? {
                    return Ok(Some(triple.to_vec()));
                }
            }
        }
    }
    Ok(None)
}

/// The numbers after a clue that count a closed cell which it is about too, and the flags after it on such a cell; ascending.
fn sharing(position: &Position, clue: usize, flags: &[usize]) -> Vec<usize> {
    let mut cells: Vec<usize> = position.near(clue, Cell::Closed).collect();
    if !position.cells[clue].is_number() {
        cells = vec![clue];
    }
    let numbers = cells.iter().flat_map(|&near| position.open_around(near));
    let mut clues: Vec<usize> = numbers.chain(cells.iter().copied()).collect();
    clues.retain(|other| *other > clue && (position.cells[*other].is_number() || flags.binary_search(other).is_ok()));
    clues.sort_unstable();
    clues.dedup();
    clues
}

/// The numbers from which it follows that a cell is a mine, or is safe; those nearby are tried first.
pub fn reason(
    position: &Position,
    cell: usize,
    is_mine: bool,
    among: Option<&[usize]>,
    budget: &Budget,
) -> Result<Conflict, Reason> {
    let assumed = contrary(position, cell, is_mine);
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
    let assumed = contrary(position, cell, is_mine);
    let mut radius = 2;
    while radius <= reach {
        let near = position.grid.square(cell, radius).filter(|&number| touches(&assumed, cell, number));
        let near: Vec<usize> = near.collect();
        if contradicts(&assumed, &near, false, budget)? {
            return Ok(Some(minimised(&assumed, near, false, budget)?));
        }
        radius *= 2;
    }
    Ok(None)
}

/// With the contrary of what is said of a cell.
fn contrary(position: &Position, cell: usize, is_mine: bool) -> Position {
    let mut assumed = position.clone();
    assumed.cells[cell] = if is_mine { Cell::Safe } else { Cell::Mine };
    assumed
}

/// Whether a cell is a number that says something of closed cells, or of the one that is assumed.
fn touches(assumed: &Position, cell: usize, number: usize) -> bool {
    let around = |&near: &usize| near == cell || assumed.cells[near] == Cell::Closed;
    assumed.cells[number].is_number() && assumed.around(number).iter().any(around)
}
