//! A second opinion of what an engine says of a board: cells that are certain, and numbers that cannot hold together.
//!
//! A cell is confirmed as safe if no layout has a mine there. Nearly always a few numbers around it are enough to see
//! that: the numbers next to it are asked first, then those that share cells with them, twice as far each time; the whole
//! board with its total at the very last.

use rustc_hash::FxHashSet;

use super::backtracking::{Claim, Finding, Nodes, Number, Total, find};
use super::conflict::Conflict;
use super::grid::{Cell, Position};

/// What one answer, or one conflict, may take; and one that was looked at already, or whose numbers were counted.
pub const NODES: u64 = 20_000_000;
pub const FEW: u64 = NODES / 10;

/// What these numbers say, with what is given besides, and perhaps the total.
pub fn claim(position: &Position, numbers: &[usize], given: &[(usize, bool)], total: Option<Total>) -> Claim {
    let number = |&cell: &usize| {
        let Cell::Open(value) = position.cells[cell] else { return None };
        let mines = i64::from(value) - position.count_around(cell, Cell::Mine) as i64;
        Some(Number { closed: position.near(cell, Cell::Closed).collect(), mines })
    };
    Claim { numbers: numbers.iter().filter_map(number).collect(), given: given.to_vec(), total }
}

/// What the total says of the closed cells without a flag.
pub fn total(position: &Position) -> Option<Total> {
    let mines = position.mines? as i64 - position.count(Cell::Mine) as i64;
    Some(Total { closed: position.count(Cell::Closed), mines })
}

/// What was found out about cells that are said to be the same in all layouts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Second {
    /// Some layout has the other value there.
    pub wrong: Vec<usize>,
    /// The nodes were used up before.
    pub open: Vec<usize>,
}

/// Asks about cells that are said to be a mine (`true`) or safe in all layouts of a position that has one.
pub fn opinion(position: &Position, decided: &[(usize, bool)], nodes: &mut Nodes) -> Second {
    let numbers: Vec<usize> = position.numbers().collect();
    let total = total(position);
    let mut second = Second::default();
    for &(cell, is_mine) in decided {
        if position.cells[cell] == Cell::Mine {
            // The flag says so.
            second.wrong.extend((!is_mine).then_some(cell));
            continue;
        }
        let given = [(cell, !is_mine)];
        let finding = match find_near(position, &given, nodes) {
            Finding::Layout(_) | Finding::Open if total.is_some() => {
                find(&claim(position, &numbers, &given, total), nodes)
            }
            finding => finding,
        };
        match finding {
            Finding::Nothing => {}
            Finding::Layout(_) => second.wrong.push(cell),
            Finding::Open => second.open.push(cell),
        }
    }
    second
}

/// Looks for a layout of more and more numbers around a cell, up to all that hang together with it.
fn find_near(position: &Position, given: &[(usize, bool); 1], nodes: &mut Nodes) -> Finding {
    let (mut numbers, mut cells) = (Vec::new(), vec![given[0].0]);
    let (mut known, mut reached) = (FxHashSet::default(), FxHashSet::from_iter(cells.iter().copied()));
    let mut steps = 1;
    loop {
        for _ in 0..steps {
            let near = cells.iter().flat_map(|&cell| position.open_around(cell));
            let new: Vec<usize> = near.filter(|&number| known.insert(number)).collect();
            let closed = new.iter().flat_map(|&number| position.near(number, Cell::Closed));
            cells = closed.filter(|&cell| reached.insert(cell)).collect();
            numbers.extend(new);
        }
        match find(&claim(position, &numbers, given, None), nodes) {
            Finding::Nothing => return Finding::Nothing,
            finding if cells.is_empty() => return finding,
            _ => steps *= 2,
        }
    }
}

/// Whether it was seen that the numbers and flags of a conflict cannot hold together; an error if they can. It is not said
/// whether all of them are needed.
pub fn check_conflict(position: &Position, conflict: &Conflict, nodes: &mut Nodes) -> Result<bool, String> {
    let bare = position.without_flags();
    let total = total(&bare).filter(|_| conflict.needs_total);
    let flags = conflict.clues.iter().filter(|&&clue| position.cells[clue] == Cell::Mine);
    let flags: Vec<(usize, bool)> = flags.map(|&flag| (flag, true)).collect();
    match find(&claim(&bare, &conflict.clues, &flags, total), nodes) {
        Finding::Layout(_) => Err("some layout fits the numbers of the contradiction".to_owned()),
        finding => Ok(finding == Finding::Nothing),
    }
}

#[cfg(test)]
mod tests {
    use super::super::adjacency::{Adjacency, Shape, Torus};
    use super::super::grid::Grid;
    use super::*;
    use crate::stop::{Canceller, Reason};

    /// A position with holes, flags and numbers, some of them wrong, under some topology, and the cells of each number.
    fn random(seed: u64) -> (Position, Vec<(usize, Vec<usize>)>) {
        let mut random = fastrand::Rng::with_seed(seed);
        let grid = Grid { rows: random.usize(1..=4), columns: random.usize(1..=5) };
        let shapes = [Shape::King, Shape::Knight, Shape::Torus(Torus::whole(grid)), Shape::Hexagons { first_row: 0 }];
        let shape = shapes[seed as usize % 4];
        let sees = |number: usize, cell: usize| {
            let (a, b) = (grid.place(number), grid.place(cell));
            let [down, right] = [0, 1].map(|axis| {
                let (step, len) = (a[axis].abs_diff(b[axis]), [grid.rows, grid.columns][axis]);
                if matches!(shape, Shape::Torus(_)) { step.min(len - step) } else { step }
            });
            // The middle of a hexagon, in halves of its width.
            let middle = |[row, column]: [usize; 2]| 2 * column + row % 2;
            number != cell
                && match shape {
                    Shape::Knight => down * right == 2,
                    Shape::Hexagons { .. } => down < 2 && middle(a).abs_diff(middle(b)) == 2 - down,
                    _ => down.max(right) == 1,
                }
        };
        let adjacency = Adjacency::new(shape, grid).expect("eight at the most");
        let mut position = Position { adjacency, ..Position::closed(grid, None) };
        let is_mine: Vec<bool> = (0..grid.extent()).map(|_| random.u8(..3) == 0).collect();
        for cell in grid.cells() {
            let around = grid.cells().filter(|&near| sees(cell, near) && is_mine[near]).count();
            position.cells[cell] = match (random.u8(..10), is_mine[cell]) {
                (0, false) => Cell::Wall,
                (0, true) => Cell::Mine,
                (1..6, false) => Cell::Open((around + usize::from(random.u8(..12) == 0)) as u8),
                _ => Cell::Closed,
            };
        }
        let mines = grid.cells().filter(|&cell| is_mine[cell]).count();
        position.mines = random.bool().then(|| mines.saturating_sub(usize::from(random.u8(..8) == 0)));
        let cells_of = |number| (number, grid.cells().filter(|&cell| sees(number, cell)).collect());
        let numbers = position.numbers().map(cells_of).collect();
        (position, numbers)
    }

    /// All layouts of some numbers, one by one, as the mines among the closed cells.
    fn layouts(position: &Position, numbers: &[&(usize, Vec<usize>)], with_total: bool) -> Vec<Vec<usize>> {
        let closed: Vec<usize> = position.all(Cell::Closed).collect();
        let flags = position.count(Cell::Mine);
        let layouts = (0..1_u32 << closed.len()).map(|bits| {
            let mines = closed.iter().enumerate().filter(|(bit, _)| bits >> bit & 1 == 1);
            mines.map(|(_, &cell)| cell).collect::<Vec<usize>>()
        });
        layouts
            .filter(|mines| {
                let is_mine = |cell: &&usize| position.cells[**cell] == Cell::Mine || mines.contains(cell);
                let holds = |(number, near): &(usize, Vec<usize>)| {
                    position.cells[*number] == Cell::Open(near.iter().filter(is_mine).count() as u8)
                };
                numbers.iter().all(|number| holds(number))
                    && (!with_total || position.mines.is_none_or(|total| total == mines.len() + flags))
            })
            .collect()
    }

    #[test]
    fn layouts_are_found_where_brute_force_finds_them_in_every_topology() {
        let (mut found, mut none) = (0, 0);
        for seed in 0..3000 {
            let (position, numbers) = random(seed);
            let mut random = fastrand::Rng::with_seed(seed);
            let believed: Vec<&(usize, Vec<usize>)> = numbers.iter().filter(|_| random.u8(..8) > 0).collect();
            let cells: Vec<usize> = believed.iter().map(|(number, _)| *number).collect();
            let given = position.all(Cell::Closed).filter(|_| random.u8(..6) == 0);
            let given: Vec<(usize, bool)> = given.map(|cell| (cell, cell % 3 == 0)).collect();
            let mut all = layouts(&position, &believed, true);
            all.retain(|mines| given.iter().all(|(cell, is_mine)| mines.contains(cell) == *is_mine));
            let claim = claim(&position, &cells, &given, total(&position));
            match find(&claim, &mut Nodes::few(100_000)) {
                Finding::Layout(mines) => {
                    found += 1;
                    // Cells that no number sees are left to the total.
                    let seen = |cell: &usize| {
                        given.iter().any(|(given, _)| given == cell)
                            || believed.iter().any(|(_, near)| near.contains(cell))
                    };
                    let same = |layout: &Vec<usize>| layout.iter().copied().filter(seen).eq(mines.iter().copied());
                    assert!(all.iter().any(same), "seed {seed}: {mines:?}");
                }
                Finding::Nothing => {
                    none += 1;
                    assert!(all.is_empty(), "seed {seed}: {all:?}");
                }
                Finding::Open => panic!("seed {seed}: a small board takes few nodes"),
            }
        }
        assert!(found > 500 && none > 500, "{found} {none}");
    }

    #[test]
    fn what_is_certain_and_what_contradicts_itself_is_as_brute_force_has_it() {
        let (mut right, mut wrong, mut conflicts) = (0, 0, 0);
        for seed in 0..1500 {
            let (position, numbers) = random(seed);
            let clues = numbers.iter().map(|(number, _)| *number).chain(position.all(Cell::Mine));
            let conflict = Conflict { clues: clues.collect(), needs_total: position.mines.is_some() };
            let all = layouts(&position, &numbers.iter().collect::<Vec<_>>(), true);
            if all.is_empty() {
                conflicts += 1;
                let vouched = check_conflict(&position, &conflict, &mut Nodes::few(100_000));
                assert_eq!(vouched, Ok(true), "seed {seed}");
                continue;
            }
            for (cell, is_mine) in position.all(Cell::Closed).flat_map(|cell| [(cell, false), (cell, true)]) {
                let is_certain = all.iter().all(|mines| mines.contains(&cell) == is_mine);
                let second = opinion(&position, &[(cell, is_mine)], &mut Nodes::few(100_000));
                assert_eq!((second.wrong.is_empty(), second.open.len()), (is_certain, 0), "seed {seed}, {cell}");
                *(if is_certain { &mut right } else { &mut wrong }) += 1;
            }
            assert!(check_conflict(&position, &conflict, &mut Nodes::few(100_000)).is_err(), "seed {seed}");
        }
        assert!(right > 500 && wrong > 500 && conflicts > 100, "{right} {wrong} {conflicts}");
    }

    #[test]
    fn a_search_whose_nodes_are_used_up_says_so() {
        // Every second cell of every second row shows 2.
        let grid = Grid { rows: 21, columns: 21 };
        let mut position = Position::closed(grid, None);
        for cell in grid.cells().filter(|&cell| grid.place(cell).iter().all(|at| at % 2 == 1)) {
            position.cells[cell] = Cell::Open(2);
        }
        let corner = grid.cell(0, 0);
        let second = opinion(&position, &[(corner, false)], &mut Nodes::few(50));
        assert_eq!(second, Second { wrong: Vec::new(), open: vec![corner] });
        let second = opinion(&position, &[(corner, false)], &mut Nodes::few(100_000));
        assert_eq!(second, Second { wrong: vec![corner], open: Vec::new() });
    }

    #[test]
    fn a_search_that_is_asked_to_stop_says_that_it_does_not_know() {
        let grid = Grid { rows: 1, columns: 3 };
        let mut position = Position::closed(grid, Some(2));
        position.cells[grid.cell(0, 1)] = Cell::Open(1);
        let conflict = Conflict { clues: vec![grid.cell(0, 1)], needs_total: true };
        let canceller = Canceller::new();
        let check = || check_conflict(&position, &conflict, &mut Nodes::new(NODES, &canceller.token()));
        assert_eq!(check(), Ok(true));
        canceller.request(Reason::TimeLimit);
        assert_eq!(check(), Ok(false));
    }
}
