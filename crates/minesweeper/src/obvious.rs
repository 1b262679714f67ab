//! Stage 1: single numbers.
//!
//! A number with all its mines makes the other cells around it safe; a number with as many closed
//! cells as missing mines makes them all mines. Each deduction may enable others, so the search
//! continues with the numbers that count the decided cell.

use super::grid::Cell;
use super::position::KnownPosition;

/// Numbers that contradict each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contradiction {
    pub numbers: Vec<usize>,
}

/// A cell that a single number decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deduction {
    pub cell: usize,
    pub is_mine: bool,
    /// The deciding number.
    pub number: usize,
}

/// Marks all cells that single numbers decide, beginning with the numbers of `queue`, and passes
/// each deduction to `visit`.
pub fn mark(
    position: &mut KnownPosition,
    queue: &mut Vec<usize>,
    mut visit: impl FnMut(Deduction),
) -> Result<(), Contradiction> {
    while let Some(number) = queue.pop() {
        let Cell::Open(value) = position.cells[number] else { continue };
        let around = position.around(number);
        let (mut mines, mut closed) = (0, 0);
        for neighbor in around {
            match position.cells[neighbor] {
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
            visit(Deduction { cell, is_mine, number });
        }
    }
    Ok(())
}

/// Marks all cells that single numbers decide on the board.
pub fn mark_all(position: &mut KnownPosition, visit: impl FnMut(Deduction)) -> Result<(), Contradiction> {
    let mut queue: Vec<usize> = position.grid.cells().rev().collect();
    mark(position, &mut queue, visit)
}
