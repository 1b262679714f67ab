//! Minimal conflicts: the clues that make a board contradictory, or a cell safe or a mine.
//!
//! A cell is safe if a mine there makes some numbers contradict each other. Halves, quarters, … and
//! finally single numbers are removed from a contradictory set as long as the rest is
//! contradictory; the result is minimal with respect to inclusion. On contradictory boards all
//! single numbers, pairs and triples are tried first, so that a conflict of up to three clues (on
//! boards with at most [`MAX_FOR_TRIPLES`] numbers) is as small as possible.

use base::stop::StopReason;

use super::adjacency::{Adjacency, Topology};
use super::count::Budget;
use super::grid::{Cell, Grid};
use super::obvious::Contradiction;
use super::position::KnownPosition;
use super::probability::has_layout;

/// Numbers, flags, and possibly the total of mines, that contradict each other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Conflict {
    /// The cells of the numbers and flags, ascending.
    pub clues: Vec<usize>,
    pub needs_total: bool,
}

impl Conflict {
    /// The number of clues, counting the total.
    pub fn size(&self) -> usize {
        self.clues.len() + usize::from(self.needs_total)
    }
}

/// Maximum number of clues on boards whose triples are tried; with more clues this would take too
/// long.
const MAX_FOR_TRIPLES: usize = 400;
/// Maximum size of a conflict to minimize, without and with the total. With the total, each step
/// counts the whole board.
const MAX_TO_MINIMIZE: usize = 400;
const MAX_WITH_TOTAL: usize = 60;

/// Some numbers and the cells that they count, as a board of one row.
pub struct Excerpt {
    pub position: KnownPosition,
    /// The cells on the original board, ascending.
    cells: Vec<usize>,
}

impl Excerpt {
    /// Builds a position without a total. A clue that is not a number is a closed cell, which is
    /// assumed to be a mine.
    pub fn new(position: &KnownPosition, clues: &[usize]) -> Excerpt {
        let numbers = || clues.iter().copied().filter(move |&clue| position.cells[clue].is_number());
        let mut cells = position.covered_around(&numbers().collect::<Vec<usize>>());
        cells.extend_from_slice(clues);
        cells.sort_unstable();
        cells.dedup();
        let grid = Grid { rows: 1, columns: cells.len() };
        let inside = |cell: usize| cells.binary_search(&cell).ok().map(|column| grid.cell(0, column));
        let counted = numbers().filter_map(|number| {
            let covered = position.around(number).into_iter().filter(|&neighbor| position.cells[neighbor].is_covered());
            Some((inside(number)?, covered.filter_map(inside).collect()))
        });
        let adjacency = Adjacency::from_lists(Topology::Custom, grid, counted).expect("no more than on the board");
        let mut excerpt = KnownPosition { adjacency, ..KnownPosition::closed(grid, None) };
        for (column, &cell) in cells.iter().enumerate() {
            excerpt.cells[grid.cell(0, column)] = position.cells[cell];
        }
        assume_flags(&mut excerpt, clues.iter().filter_map(|&clue| inside(clue)));
        Excerpt { position: excerpt, cells }
    }

    /// Maps a cell of the excerpt to the original board.
    pub fn board_cell(&self, cell: usize) -> usize {
        self.cells[self.position.grid.place(cell)[1]]
    }
}

/// Marks the closed cells among `clues` as mines.
fn assume_flags(position: &mut KnownPosition, clues: impl Iterator<Item = usize>) {
    for clue in clues {
        if position.cells[clue] == Cell::Closed {
            position.cells[clue] = Cell::Mine;
        }
    }
}

/// Returns true if no layout fits these numbers and flags, and the total if `with_total`.
fn contradicts(
    position: &KnownPosition,
    clues: &[usize],
    with_total: bool,
    budget: &Budget,
) -> Result<bool, StopReason> {
    if !with_total {
        return Ok(!clues.is_empty() && !has_layout(Excerpt::new(position, clues).position, budget)?);
    }
    let mut work = position.clone();
    for number in position.numbers() {
        work.cells[number] = Cell::Safe;
    }
    for &clue in clues {
        work.cells[clue] = position.cells[clue];
    }
    assume_flags(&mut work, clues.iter().copied());
    Ok(!has_layout(work, budget)?)
}

/// Removes clues until none can be removed without losing the contradiction.
fn minimize(
    position: &KnownPosition,
    mut numbers: Vec<usize>,
    needs_total: bool,
    budget: &Budget,
) -> Result<Conflict, StopReason> {
    let most = if needs_total { MAX_WITH_TOTAL } else { MAX_TO_MINIMIZE };
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

/// Returns a small conflict of a contradictory position. `contradiction` comes from its analysis.
pub fn smallest_conflict(
    position: &KnownPosition,
    contradiction: &Contradiction,
    budget: &Budget,
) -> Result<Conflict, StopReason> {
    let bare = position.without_flags();
    let flags = position.cells_of(Cell::Mine).collect::<Vec<usize>>();
    let mut constraining: Vec<usize> = flags.clone();
    constraining.extend(bare.numbers().filter(|&number| bare.count_around(number, Cell::Closed) > 0));
    constraining.sort_unstable();
    if let Some(small_conflict) = small_conflict(&bare, &constraining, &flags, budget)? {
        return Ok(Conflict { clues: small_conflict, needs_total: false });
    }
    let nearby = with_adjacent_flags(position, &contradiction.numbers);
    if !nearby.is_empty() && contradicts(&bare, &nearby, false, budget)? {
        return minimize(&bare, nearby, false, budget);
    }
    let needs_total = !contradicts(&bare, &constraining, false, budget)?;
    minimize(&bare, constraining, needs_total, budget)
}

/// Extends a conflict that depends on the flags of the board by those flags that it needs.
pub fn with_needed_flags(position: &KnownPosition, conflict: Conflict, budget: &Budget) -> Conflict {
    let Conflict { clues: numbers, needs_total } = conflict;
    let mut clues = with_adjacent_flags(position, &numbers);
    if needs_total {
        clues = position.cells_of(Cell::Mine).chain(numbers.iter().copied()).collect();
        clues.sort_unstable();
    }
    let bare = position.without_flags();
    let all = Conflict { clues: clues.clone(), needs_total };
    if clues == numbers { all } else { minimize(&bare, clues, needs_total, budget).unwrap_or(all) }
}

/// Returns `numbers` and the flags around them, ascending.
fn with_adjacent_flags(position: &KnownPosition, numbers: &[usize]) -> Vec<usize> {
    let mut clues = position.covered_around(numbers);
    clues.retain(|&cell| position.cells[cell] == Cell::Mine);
    clues.extend_from_slice(numbers);
    clues.sort_unstable();
    clues
}

/// Finds a conflict of one, two or three clues on a board without its flags.
fn small_conflict(
    position: &KnownPosition,
    constraining: &[usize],
    flags: &[usize],
    budget: &Budget,
) -> Result<Option<Vec<usize>>, StopReason> {
    if let Some(number) = position.numbers().find(|&number| position.missing_mines(number).is_none()) {
        return Ok(Some(vec![number]));
    }
    // For each clue, the later clues that share a closed cell with it.
    let sharing: Vec<Vec<usize>> =
        constraining.iter().map(|&clue| clues_sharing_cells(position, clue, flags)).collect();
    let contradict = |numbers: &[usize]| contradicts(position, numbers, false, budget);
    for (&a, sharing) in constraining.iter().zip(&sharing) {
        for &b in sharing {
            if contradict(&[a, b])? {
                return Ok(Some(vec![a, b]));
            }
        }
    }
    if constraining.len() > MAX_FOR_TRIPLES {
        return Ok(None);
    }
    let share_cell: Vec<Vec<bool>> = sharing
        .iter()
        .map(|sharing| constraining.iter().map(|other| sharing.binary_search(other).is_ok()).collect())
        .collect();
    for a in 0..constraining.len() {
        for b in a + 1..constraining.len() {
            for c in b + 1..constraining.len() {
                let pairs = [share_cell[a][b], share_cell[a][c], share_cell[b][c]];
                let triple = [a, b, c].map(|index| constraining[index]);
                if pairs.iter().filter(|&&sharing| sharing).count() >= 2 && contradict(&triple)? {
                    return Ok(Some(triple.to_vec()));
                }
            }
        }
    }
    Ok(None)
}

/// Returns the later numbers that count a closed cell of `clue`, and the later flags on such a
/// cell; ascending.
fn clues_sharing_cells(position: &KnownPosition, clue: usize, flags: &[usize]) -> Vec<usize> {
    let mut cells: Vec<usize> = position.cells_around(clue, Cell::Closed).collect();
    if !position.cells[clue].is_number() {
        cells = vec![clue];
    }
    let numbers = cells.iter().flat_map(|&shared| position.open_around(shared));
    let mut clues: Vec<usize> = numbers.chain(cells.iter().copied()).collect();
    clues.retain(|other| *other > clue && (position.cells[*other].is_number() || flags.binary_search(other).is_ok()));
    clues.sort_unstable();
    clues.dedup();
    clues
}

/// Returns the clues that imply the value of a cell; nearby numbers are tried first. If `among` is
/// given, only its clues are used.
pub fn reason(
    position: &KnownPosition,
    cell: usize,
    is_mine: bool,
    among: Option<&[usize]>,
    budget: &Budget,
) -> Result<Conflict, StopReason> {
    let assumed = assume_opposite(position, cell, is_mine);
    if let Some(among) = among {
        return minimize(&assumed, among.to_vec(), false, budget);
    }
    let most = position.grid.rows.max(position.grid.columns);
    if let Some(conflict) = nearby_reason(position, cell, is_mine, 2 * most, budget)? {
        return Ok(conflict);
    }
    let constraining = position.grid.cells().filter(|&number| constrains(&assumed, cell, number)).collect();
    minimize(&assumed, constraining, true, budget)
}

/// Like `reason`, but with numbers at most `reach` rows and columns away; `None` if these do not
/// suffice.
pub fn nearby_reason(
    position: &KnownPosition,
    cell: usize,
    is_mine: bool,
    reach: usize,
    budget: &Budget,
) -> Result<Option<Conflict>, StopReason> {
    let assumed = assume_opposite(position, cell, is_mine);
    let mut radius = 2;
    while radius <= reach {
        let nearby = position.grid.square_around(cell, radius).filter(|&number| constrains(&assumed, cell, number));
        let nearby: Vec<usize> = nearby.collect();
        if contradicts(&assumed, &nearby, false, budget)? {
            return Ok(Some(minimize(&assumed, nearby, false, budget)?));
        }
        radius *= 2;
    }
    Ok(None)
}

/// Returns the position with the opposite value at a cell.
fn assume_opposite(position: &KnownPosition, cell: usize, is_mine: bool) -> KnownPosition {
    let mut assumed = position.clone();
    assumed.cells[cell] = if is_mine { Cell::Safe } else { Cell::Mine };
    assumed
}

/// Returns true if `number` counts a closed cell, or the assumed one.
fn constrains(assumed: &KnownPosition, cell: usize, number: usize) -> bool {
    let is_constrained = |&neighbor: &usize| neighbor == cell || assumed.cells[neighbor] == Cell::Closed;
    assumed.cells[number].is_number() && assumed.around(number).iter().any(is_constrained)
}
