//! Rechecks the results of an engine with an independent search: certain cells, and conflicts.
//!
//! A cell is confirmed as safe if no layout has a mine there. A few numbers around the cell nearly
//! always suffice: the numbers next to it are tried first, then also numbers that share cells with
//! them, up to twice the distance each time, and finally the whole board with its total.

use rustc_hash::FxHashSet;

use super::backtracking::{Constraints, LayoutOutcome, NodeBudget, NumberConstraint, TotalConstraint, find_layout};
use super::conflict::Conflict;
use super::grid::Cell;
use super::position::KnownPosition;

/// Maximum number of nodes for the recheck of an answer or a conflict of clingo.
pub const MAX_NODES: u64 = 20_000_000;
/// Maximum number of nodes for the recheck of a conflict of the native engine.
pub const MAX_CHECK_NODES: u64 = MAX_NODES / 10;

/// Returns the constraints of these numbered cells, with fixed cells and, if given, the total
/// number of mines.
pub fn constraints(
    position: &KnownPosition,
    numbers: &[usize],
    given: &[(usize, bool)],
    total: Option<TotalConstraint>,
) -> Constraints {
    let number = |&cell: &usize| {
        let Cell::Open(value) = position.cells[cell] else { return None };
        let mines = i64::from(value) - position.count_around(cell, Cell::Mine) as i64;
        Some(NumberConstraint { closed: position.cells_around(cell, Cell::Closed).collect(), mines })
    };
    Constraints { numbers: numbers.iter().filter_map(number).collect(), given: given.to_vec(), total }
}

/// Returns the constraint of the total on the closed cells.
pub fn total(position: &KnownPosition) -> Option<TotalConstraint> {
    let mines = position.mines? as i64 - position.count(Cell::Mine) as i64;
    Some(TotalConstraint { closed: position.count(Cell::Closed), mines })
}

/// The result of a recheck.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Recheck {
    /// Cells that have the other value in some layout.
    pub refuted: Vec<usize>,
    /// Cells for which the node budget did not suffice.
    pub undecided: Vec<usize>,
}

/// Rechecks cells that are claimed to be mines (`true`) or safe in all layouts of a position, which
/// must have a layout.
pub fn verify_certain(position: &KnownPosition, decided: &[(usize, bool)], nodes: &mut NodeBudget) -> Recheck {
    let numbers: Vec<usize> = position.numbers().collect();
    let total = total(position);
    let mut recheck = Recheck::default();
    for &(cell, is_mine) in decided {
        if position.cells[cell] == Cell::Mine {
            // A flag is a mine by definition.
            recheck.refuted.extend((!is_mine).then_some(cell));
            continue;
        }
        let given = [(cell, !is_mine)];
        let outcome = match find_layout_nearby(position, &given, nodes) {
            LayoutOutcome::Layout(_) | LayoutOutcome::Unknown if total.is_some() => {
                find_layout(&constraints(position, &numbers, &given, total), nodes)
            }
            outcome => outcome,
        };
        match outcome {
            LayoutOutcome::NoLayout => {}
            LayoutOutcome::Layout(_) => recheck.refuted.push(cell),
            LayoutOutcome::Unknown => recheck.undecided.push(cell),
        }
    }
    recheck
}

/// Searches for a layout of a growing set of numbers around a cell, up to all that are connected to
/// it.
fn find_layout_nearby(position: &KnownPosition, given: &[(usize, bool); 1], nodes: &mut NodeBudget) -> LayoutOutcome {
    let (mut numbers, mut cells) = (Vec::new(), vec![given[0].0]);
    let (mut visited_numbers, mut visited_cells) = (FxHashSet::default(), FxHashSet::from_iter(cells.iter().copied()));
    let mut steps = 1;
    loop {
        for _ in 0..steps {
            let adjacent = cells.iter().flat_map(|&cell| position.open_around(cell));
            let new: Vec<usize> = adjacent.filter(|&number| visited_numbers.insert(number)).collect();
            let closed = new.iter().flat_map(|&number| position.cells_around(number, Cell::Closed));
            cells = closed.filter(|&cell| visited_cells.insert(cell)).collect();
            numbers.extend(new);
        }
        match find_layout(&constraints(position, &numbers, given, None), nodes) {
            LayoutOutcome::NoLayout => return LayoutOutcome::NoLayout,
            outcome if cells.is_empty() => return outcome,
            _ => steps *= 2,
        }
    }
}

/// Returns true if the clues of a conflict are shown to contradict each other. Fails if they have a
/// layout. Does not check that the conflict is minimal.
pub fn check_conflict(position: &KnownPosition, conflict: &Conflict, nodes: &mut NodeBudget) -> Result<bool, String> {
    let bare = position.without_flags();
    let total = total(&bare).filter(|_| conflict.needs_total);
    let flags = conflict.clues.iter().filter(|&&clue| position.cells[clue] == Cell::Mine);
    let flags: Vec<(usize, bool)> = flags.map(|&flag| (flag, true)).collect();
    match find_layout(&constraints(&bare, &conflict.clues, &flags, total), nodes) {
        LayoutOutcome::Layout(_) => Err("some layout fits the numbers of the contradiction".to_owned()),
        outcome => Ok(outcome == LayoutOutcome::NoLayout),
    }
}

#[cfg(test)]
mod tests {
    use crate::adjacency::{Adjacency, Topology, Torus};
    use crate::grid::Grid;
    use base::stop::{Canceller, StopReason};

    use super::*;

    /// Returns a position with holes, flags and numbers, some of them wrong, in a topology that the
    /// seed selects, and the cells that each number counts.
    fn random_position(seed: u64) -> (KnownPosition, Vec<(usize, Vec<usize>)>) {
        let mut random = fastrand::Rng::with_seed(seed);
        let grid = Grid { rows: random.usize(1..=4), columns: random.usize(1..=5) };
        let shapes = [
            Topology::King,
            Topology::Knight,
            Topology::Torus(Torus::of_grid(grid)),
            Topology::Hexagons { first_row: 1 },
        ];
        let shape = shapes[seed as usize % 4];
        let counts = |number: usize, cell: usize| {
            let (a, b) = (grid.place(number), grid.place(cell));
            let [down, right] = [0, 1].map(|axis| {
                let (step, len) = (a[axis].abs_diff(b[axis]), [grid.rows, grid.columns][axis]);
                if matches!(shape, Topology::Torus(_)) { step.min(len - step) } else { step }
            });
            // The centre of a hexagon, in halves of its width.
            let middle = |[row, column]: [usize; 2]| 2 * column + row % 2;
            number != cell
                && match shape {
                    Topology::Knight => down * right == 2,
                    Topology::Hexagons { .. } => down < 2 && middle(a).abs_diff(middle(b)) == 2 - down,
                    _ => down.max(right) == 1,
                }
        };
        let adjacency = Adjacency::new(shape, grid).expect("at most eight neighbours");
        let mut position = KnownPosition { adjacency, ..KnownPosition::closed(grid, None) };
        let is_mine: Vec<bool> = (0..grid.extent()).map(|_| random.u8(..3) == 0).collect();
        for cell in grid.cells() {
            let around = grid.cells().filter(|&neighbor| counts(cell, neighbor) && is_mine[neighbor]).count();
            position.cells[cell] = match (random.u8(..10), is_mine[cell]) {
                (0, false) => Cell::Wall,
                (0, true) => Cell::Mine,
                (1..6, false) => Cell::Open((around + usize::from(random.u8(..12) == 0)) as u8),
                _ => Cell::Closed,
            };
        }
        let mines = grid.cells().filter(|&cell| is_mine[cell]).count();
        position.mines = random.bool().then(|| mines.saturating_sub(usize::from(random.u8(..8) == 0)));
        let cells_of = |number| (number, grid.cells().filter(|&cell| counts(number, cell)).collect());
        let numbers = position.numbers().map(cells_of).collect();
        (position, numbers)
    }

    /// Returns all layouts of some numbers as the mines among the closed cells, by brute force.
    fn layouts(position: &KnownPosition, numbers: &[&(usize, Vec<usize>)], with_total: bool) -> Vec<Vec<usize>> {
        let closed: Vec<usize> = position.cells_of(Cell::Closed).collect();
        let flags = position.count(Cell::Mine);
        let layouts = (0..1_u32 << closed.len()).map(|bits| {
            let mines = closed.iter().enumerate().filter(|(bit, _)| bits >> bit & 1 == 1);
            mines.map(|(_, &cell)| cell).collect::<Vec<usize>>()
        });
        layouts
            .filter(|mines| {
                let is_mine = |cell: &&usize| position.cells[**cell] == Cell::Mine || mines.contains(cell);
                let holds = |(number, neighbor): &(usize, Vec<usize>)| {
                    position.cells[*number] == Cell::Open(neighbor.iter().filter(is_mine).count() as u8)
                };
                numbers.iter().all(|number| holds(number))
                    && (!with_total || position.mines.is_none_or(|total| total == mines.len() + flags))
            })
            .collect()
    }

    #[test]
    fn the_search_agrees_with_brute_force_in_every_topology() {
        let (mut layout_count, mut no_layout_count) = (0, 0);
        for seed in 0..3000 {
            let (position, numbers) = random_position(seed);
            let mut random = fastrand::Rng::with_seed(seed);
            let considered: Vec<&(usize, Vec<usize>)> = numbers.iter().filter(|_| random.u8(..8) > 0).collect();
            let cells: Vec<usize> = considered.iter().map(|(number, _)| *number).collect();
            let given = position.cells_of(Cell::Closed).filter(|_| random.u8(..6) == 0);
            let given: Vec<(usize, bool)> = given.map(|cell| (cell, cell % 3 == 0)).collect();
            let mut all = layouts(&position, &considered, true);
            all.retain(|mines| given.iter().all(|(cell, is_mine)| mines.contains(cell) == *is_mine));
            let constraints = constraints(&position, &cells, &given, total(&position));
            match find_layout(&constraints, &mut NodeBudget::uninterruptible(100_000)) {
                LayoutOutcome::Layout(mines) => {
                    layout_count += 1;
                    // The search only returns cells that a number counts, or fixed ones.
                    let is_constrained = |cell: &usize| {
                        given.iter().any(|(given, _)| given == cell)
                            || considered.iter().any(|(_, neighbor)| neighbor.contains(cell))
                    };
                    let is_same =
                        |layout: &Vec<usize>| layout.iter().copied().filter(is_constrained).eq(mines.iter().copied());
                    assert!(all.iter().any(is_same), "seed {seed}: {mines:?}");
                }
                LayoutOutcome::NoLayout => {
                    no_layout_count += 1;
                    assert!(all.is_empty(), "seed {seed}: {all:?}");
                }
                LayoutOutcome::Unknown => panic!("seed {seed}: a small board takes few nodes"),
            }
        }
        assert!(layout_count > 500 && no_layout_count > 500, "{layout_count} {no_layout_count}");
    }

    #[test]
    fn rechecks_agree_with_brute_force() {
        let (mut right, mut wrong, mut conflicts) = (0, 0, 0);
        for seed in 0..1500 {
            let (position, numbers) = random_position(seed);
            let clues = numbers.iter().map(|(number, _)| *number).chain(position.cells_of(Cell::Mine));
            let conflict = Conflict { clues: clues.collect(), needs_total: position.mines.is_some() };
            let all = layouts(&position, &numbers.iter().collect::<Vec<_>>(), true);
            if all.is_empty() {
                conflicts += 1;
                let verified = check_conflict(&position, &conflict, &mut NodeBudget::uninterruptible(100_000));
                assert_eq!(verified, Ok(true), "seed {seed}");
                continue;
            }
            for (cell, is_mine) in position.cells_of(Cell::Closed).flat_map(|cell| [(cell, false), (cell, true)]) {
                let is_certain = all.iter().all(|mines| mines.contains(&cell) == is_mine);
                let recheck = verify_certain(&position, &[(cell, is_mine)], &mut NodeBudget::uninterruptible(100_000));
                assert_eq!(
                    (recheck.refuted.is_empty(), recheck.undecided.len()),
                    (is_certain, 0),
                    "seed {seed}, {cell}"
                );
                *(if is_certain { &mut right } else { &mut wrong }) += 1;
            }
            assert!(
                check_conflict(&position, &conflict, &mut NodeBudget::uninterruptible(100_000)).is_err(),
                "seed {seed}"
            );
        }
        assert!(right > 500 && wrong > 500 && conflicts > 100, "{right} {wrong} {conflicts}");
    }

    #[test]
    fn an_exhausted_node_budget_is_reported() {
        // Every second cell of every second row shows 2.
        let grid = Grid { rows: 21, columns: 21 };
        let mut position = KnownPosition::closed(grid, None);
        for cell in grid.cells().filter(|&cell| grid.place(cell).iter().all(|at| at % 2 == 1)) {
            position.cells[cell] = Cell::Open(2);
        }
        let corner = grid.cell(0, 0);
        let recheck = verify_certain(&position, &[(corner, false)], &mut NodeBudget::uninterruptible(50));
        assert_eq!(recheck, Recheck { refuted: Vec::new(), undecided: vec![corner] });
        let recheck = verify_certain(&position, &[(corner, false)], &mut NodeBudget::uninterruptible(100_000));
        assert_eq!(recheck, Recheck { refuted: vec![corner], undecided: Vec::new() });
    }

    #[test]
    fn a_cancelled_search_is_inconclusive() {
        let grid = Grid { rows: 1, columns: 3 };
        let mut position = KnownPosition::closed(grid, Some(2));
        position.cells[grid.cell(0, 1)] = Cell::Open(1);
        let conflict = Conflict { clues: vec![grid.cell(0, 1)], needs_total: true };
        let canceller = Canceller::new();
        let check = || check_conflict(&position, &conflict, &mut NodeBudget::new(MAX_NODES, &canceller.token()));
        assert_eq!(check(), Ok(true));
        canceller.request(StopReason::TimeLimit);
        assert_eq!(check(), Ok(false));
    }
}
