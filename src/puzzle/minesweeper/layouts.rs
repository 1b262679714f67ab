//! All layouts of a position, one by one, where they are few.

use super::frontier::Component;
use super::grid::{Cell, Position};
use super::probability::Analysis;

/// Layouts of the closed cells that are not decided: bit i is set where `cells[i]` is a mine.
#[derive(Debug, Clone, Default)]
pub struct Layouts {
    pub cells: Vec<usize>,
    pub all: Vec<u128>,
}

/// A layout of a component, and its mines.
type Partial = (u128, usize);

/// The layouts of an analysed position, unless they are more than `most` or have more than 128 cells.
pub fn layouts(position: &Position, analysis: &Analysis<f64>, most: usize) -> Option<Layouts> {
    let frontier = &analysis.frontier;
    let mut cells: Vec<usize> = Vec::new();
    let mut first = Vec::new();
    for component in &frontier.components {
        first.push(cells.len());
        cells.extend(component.boxes.iter().flat_map(|class| &class.cells).map(|&cell| cell as usize));
    }
    let free = cells.len();
    cells.extend(frontier.free.iter().map(|&cell| cell as usize));
    if cells.len() > 128 {
        return None;
    }
    let mines = position.mines? - position.count(Cell::Mine);
    let mut parts: Vec<Vec<Partial>> = Vec::new();
    for (component, &first) in frontier.components.iter().zip(&first) {
        parts.push(part(component, first, most)?);
    }
    // From the back: with how many mines left the rest can be finished.
    let mut fits = vec![vec![false; mines + 1]];
    for (left, fits) in fits[0].iter_mut().enumerate() {
        *fits = left <= frontier.free.len();
    }
    for part in parts.iter().rev() {
        let after = &fits[fits.len() - 1];
        let now = (0..=mines)
            .map(|left| part.iter().any(|&(_, taken)| left.checked_sub(taken).is_some_and(|left| after[left])))
            .collect();
        fits.push(now);
    }
    fits.reverse();
    let free: Vec<usize> = (free..cells.len()).collect();
    let mut layouts = Layouts { cells, all: Vec::new() };
    join(&parts, &fits, 0, mines, &free, most, &mut layouts.all).then_some(layouts)
}

/// Appends every way to go on from `chosen` with `mines` left; `false` if there are too many.
fn join(
    parts: &[Vec<Partial>],
    fits: &[Vec<bool>],
    chosen: u128,
    mines: usize,
    free: &[usize],
    most: usize,
    all: &mut Vec<u128>,
) -> bool {
    let Some((part, rest)) = parts.split_first() else {
        return choose(free, mines, chosen, most, all);
    };
    part.iter()
        .filter(|&&(_, taken)| taken <= mines && fits[1][mines - taken])
        .all(|&(layout, taken)| join(rest, &fits[1..], chosen | layout, mines - taken, free, most, all))
}

/// Appends every choice of so many of the bits, besides those of `chosen`; `false` if there are more than `most`.
pub fn choose(bits: &[usize], taken: usize, chosen: u128, most: usize, all: &mut Vec<u128>) -> bool {
    if taken == 0 {
        all.push(chosen);
        return all.len() <= most;
    }
    (0..(bits.len() + 1).saturating_sub(taken))
        .all(|index| choose(&bits[index + 1..], taken - 1, chosen | 1 << bits[index], most, all))
}

/// The layouts of one component; its first cell has the bit `first`.
fn part(component: &Component, first: usize, most: usize) -> Option<Vec<Partial>> {
    let mut lacks: Vec<(u8, u8)> = component.witnesses.iter().map(|witness| (witness.need, witness.closed)).collect();
    let cells: Vec<usize> =
        component.boxes.iter().enumerate().flat_map(|(class, cells)| vec![class; cells.cells.len()]).collect();
    let mut found = Vec::new();
    // Nearly all branches that fit so far can be finished; the factor is for those that cannot.
    let mut work = most.saturating_mul(200);
    fill(component, &cells, 0, first, (0, 0), &mut lacks, &mut found, &mut work).then_some(found)
}

#[allow(clippy::too_many_arguments)] // A recursion whose state is all there is.
fn fill(
    component: &Component,
    cells: &[usize],
    next: usize,
    first: usize,
    (layout, mines): Partial,
    lacks: &mut [(u8, u8)],
    found: &mut Vec<Partial>,
    work: &mut usize,
) -> bool {
    let Some(&class) = cells.get(next) else {
        found.push((layout, mines));
        return true;
    };
    if *work == 0 {
        return false;
    }
    *work -= 1;
    let witnesses = component.boxes[class].witnesses;
    for is_mine in [false, true] {
        let mine = u8::from(is_mine);
        let fits = witnesses.iter().all(|witness| {
            let (need, closed) = lacks[witness];
            need >= mine && need - mine < closed
        });
        if !fits {
            continue;
        }
        for witness in witnesses.iter() {
            lacks[witness] = (lacks[witness].0 - mine, lacks[witness].1 - 1);
        }
        let now = (layout | u128::from(is_mine) << (first + next), mines + usize::from(is_mine));
        let all = fill(component, cells, next + 1, first, now, lacks, found, work);
        for witness in witnesses.iter() {
            lacks[witness] = (lacks[witness].0 + mine, lacks[witness].1 + 1);
        }
        if !all {
            return false;
        }
    }
    true
}
