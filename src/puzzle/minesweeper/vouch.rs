//! A second opinion of what an engine says of a board: cells that are certain, and numbers that cannot hold together.
//!
//! That a cell is safe is vouched for if no layout has a mine there. Nearly always a few numbers around it are enough to see
//! that: the numbers next to it are asked first, then those that share cells with them, twice as far each time; the whole
//! board with its total at the very last.

use rustc_hash::{FxHashMap, FxHashSet};

use super::backtracking::{Claim, Finding, Number, Total, find};
use super::conflict::Conflict;
use super::grid::{Cell, Position};
use super::topology::Topology;

/// What one answer, or one conflict, may take.
pub const NODES: u64 = 20_000_000;

/// What these numbers say, with what is given besides, and perhaps the total.
pub fn claim(
    position: &Position,
    topology: Topology,
    numbers: &[usize],
    given: &[(usize, bool)],
    total: Option<Total>,
) -> Claim {
    let number = |&cell: &usize| {
        let Cell::Open(value) = position.cells[cell] else { return None };
        let mut closed = topology.neighbors(position.grid, cell);
        let flags = closed.iter().filter(|&&near| position.cells[near] == Cell::Mine).count();
        closed.retain(|&near| position.cells[near] == Cell::Closed);
        Some(Number { closed, mines: i64::from(value) - flags as i64 })
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
pub fn opinion(position: &Position, topology: Topology, decided: &[(usize, bool)], nodes: &mut u64) -> Second {
    let open = |cell: &usize| matches!(position.cells[*cell], Cell::Open(_));
    let numbers: Vec<usize> = position.grid.cells().filter(open).collect();
    let mut seen_by: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
    for &number in &numbers {
        for near in topology.neighbors(position.grid, number) {
            if position.cells[near] == Cell::Closed {
                seen_by.entry(near).or_default().push(number);
            }
        }
    }
    let total = total(position);
    let mut second = Second::default();
    for &(cell, is_mine) in decided {
        if position.cells[cell] == Cell::Mine {
            // The flag says so.
            second.wrong.extend((!is_mine).then_some(cell));
            continue;
        }
        let given = [(cell, !is_mine)];
        let near = Near { position, topology, seen_by: &seen_by };
        let finding = match near.find(&given, nodes) {
            Finding::Layout(_) | Finding::Open if total.is_some() => {
                find(&claim(position, topology, &numbers, &given, total), nodes)
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

struct Near<'a> {
    position: &'a Position,
    topology: Topology,
    seen_by: &'a FxHashMap<usize, Vec<usize>>,
}

impl Near<'_> {
    /// Looks for a layout of more and more numbers around a cell, up to all that hang together with it.
    fn find(&self, given: &[(usize, bool); 1], nodes: &mut u64) -> Finding {
        let mut numbers: Vec<usize> = Vec::new();
        let mut known: FxHashSet<usize> = FxHashSet::default();
        let mut cells = vec![given[0].0];
        let mut reached: FxHashSet<usize> = cells.iter().copied().collect();
        let mut steps = 1;
        loop {
            for _ in 0..steps {
                let seen_by = |cell: &usize| self.seen_by.get(cell).into_iter().flatten().copied();
                let new: Vec<usize> = cells.iter().flat_map(seen_by).filter(|&number| known.insert(number)).collect();
                let closed = |&number: &usize| self.topology.neighbors(self.position.grid, number);
                cells = new.iter().flat_map(closed).filter(|&cell| reached.insert(cell)).collect();
                numbers.extend(new);
            }
            let claim = claim(self.position, self.topology, &numbers, given, None);
            match find(&claim, nodes) {
                Finding::Nothing => return Finding::Nothing,
                finding if cells.is_empty() => return finding,
                _ => steps *= 2,
            }
        }
    }
}

/// How far a conflict is vouched for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Vouched {
    /// There is no layout, and there is one as soon as any of it is left out.
    Irreducible,
    /// There is no layout; some of it can be left out, or may be.
    Conflict,
    /// The nodes were used up before.
    Not,
}

/// Whether the numbers of a conflict cannot hold together; an error if they can.
pub fn check_conflict(
    position: &Position,
    topology: Topology,
    conflict: &Conflict,
    nodes: &mut u64,
) -> Result<Vouched, String> {
    let all = total(position).filter(|_| conflict.needs_total);
    let mut find = |numbers: &[usize], total| find(&claim(position, topology, numbers, &[], total), nodes);
    match find(&conflict.numbers, all) {
        Finding::Layout(_) => return Err("some layout fits the numbers of the contradiction".to_owned()),
        Finding::Open => return Ok(Vouched::Not),
        Finding::Nothing => {}
    }
    let without = |left_out: usize| {
        let numbers = conflict.numbers.iter().enumerate().filter(|&(index, _)| index != left_out);
        numbers.map(|(_, &number)| number).collect::<Vec<usize>>()
    };
    let is_irreducible = (0..conflict.numbers.len())
        .all(|index| matches!(find(&without(index), all), Finding::Layout(_)))
        && (all.is_none() || matches!(find(&conflict.numbers, None), Finding::Layout(_)));
    Ok(if is_irreducible { Vouched::Irreducible } else { Vouched::Conflict })
}
