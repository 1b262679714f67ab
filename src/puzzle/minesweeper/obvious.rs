//! Stage 1: what a single number says.
//!
//! A number that has all its mines makes the other cells around it safe; a number with as many closed cells as it lacks
//! mines makes them all mines. What was found may make more obvious, so that the search goes on with the numbers around.

use super::grid::{Cell, Position};

/// Numbers that cannot hold together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contradiction {
    pub numbers: Vec<usize>,
}

/// A cell that a number makes a mine or safe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Obvious {
    pub cell: usize,
    pub is_mine: bool,
    /// The number that says so.
    pub number: usize,
}

/// Marks all that is obvious, beginning with what the numbers of `queue` say, and hands each cell to `found`.
pub fn mark(
    position: &mut Position,
    queue: &mut Vec<usize>,
    mut found: impl FnMut(Obvious),
) -> Result<(), Contradiction> {
    while let Some(number) = queue.pop() {
        let Cell::Open(value) = position.cells[number] else { continue };
        let around = position.around(number);
        let (mut mines, mut closed) = (0, 0);
        for near in around {
            match position.cells[near] {
                Cell::Mine => mines += 1,
                Cell::Closed => closed += 1,
                _ => {}
            }
        }
        if mines > value || mines + closed < value {
            return Err(Contradiction { numbers: vec![number] });
        }
        if closed == 0 || mines < value && mines + closed > value {
            continue;
        }
        let is_mine = mines < value;
        for cell in around {
            if position.cells[cell] != Cell::Closed {
                continue;
            }
            position.prove(cell, is_mine, queue);
            found(Obvious { cell, is_mine, number });
        }
    }
    Ok(())
}

/// Marks all that is obvious on a board.
pub fn mark_all(position: &mut Position, found: impl FnMut(Obvious)) -> Result<(), Contradiction> {
    let mut queue: Vec<usize> = position.grid.cells().rev().collect();
    mark(position, &mut queue, found)
}
