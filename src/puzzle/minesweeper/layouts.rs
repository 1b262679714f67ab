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
    let beside = frontier.components.iter().flat_map(|component| &component.boxes).flat_map(|class| &class.cells);
    let cells: Vec<usize> = beside.chain(&frontier.free).map(|&cell| cell as usize).collect();
    if cells.len() > 128 {
        return None;
    }
    let mines = position.mines? - position.count(Cell::Mine);
    let (mut parts, mut first) = (Vec::new(), 0);
    for component in &frontier.components {
        parts.push(part(component, first, most)?);
        first += component.boxes.iter().map(|class| class.cells.len()).sum::<usize>();
    }
    // From the back: with how many mines left the rest can be finished.
    let mut fits = vec![(0..=mines).map(|left| left <= frontier.free.len()).collect::<Vec<bool>>()];
    for part in parts.iter().rev() {
        let after = &fits[fits.len() - 1];
        let is_finished = |left: usize| part.iter().any(|&(_, taken)| taken <= left && after[left - taken]);
        let now = (0..=mines).map(is_finished).collect();
        fits.push(now);
    }
    fits.reverse();
    let mut all = Vec::new();
    let free = (first..cells.len()).collect();
    let join = Join { parts, fits, free, most };
    join.go_on(0, 0, mines, &mut all).then_some(Layouts { cells, all })
}

struct Join {
    parts: Vec<Vec<Partial>>,
    /// Before each part, and at the end: whether so many mines can be left.
    fits: Vec<Vec<bool>>,
    free: Vec<usize>,
    most: usize,
}

impl Join {
    /// Appends every way to go on from `chosen` with `mines` left; `false` if there are too many.
    fn go_on(&self, part: usize, chosen: u128, mines: usize, all: &mut Vec<u128>) -> bool {
        let Some(layouts) = self.parts.get(part) else {
            return choose(&self.free, mines, chosen, self.most, all);
        };
        let fits = |taken: usize| taken <= mines && self.fits[part + 1][mines - taken];
        let mut layouts = layouts.iter().filter(|&&(_, taken)| fits(taken));
        layouts.all(|&(layout, taken)| self.go_on(part + 1, chosen | layout, mines - taken, all))
    }
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
    let boxes = component.boxes.iter().enumerate();
    let mut fill = Fill {
        component,
        cells: boxes.flat_map(|(index, class)| vec![index; class.cells.len()]).collect(),
        lacks: component.witnesses.iter().map(|witness| (witness.need, witness.closed)).collect(),
        found: Vec::new(),
        // Nearly all branches that fit so far can be finished; the factor is for those that cannot.
        work: most.saturating_mul(200),
    };
    fill.go_on(0, (0, 0), first).then_some(fill.found)
}

struct Fill<'a> {
    component: &'a Component,
    /// The box of each cell.
    cells: Vec<usize>,
    /// The mines that each witness lacks, and its cells that are not decided.
    lacks: Vec<(u8, u8)>,
    found: Vec<Partial>,
    /// Cells that may still be looked at.
    work: usize,
}

impl Fill<'_> {
    /// Finds every way to go on from a cell, which has the bit `bit`; `false` if that takes too long.
    fn go_on(&mut self, cell: usize, (layout, mines): Partial, bit: usize) -> bool {
        let Some(&class) = self.cells.get(cell) else {
            self.found.push((layout, mines));
            return true;
        };
        if self.work == 0 {
            return false;
        }
        self.work -= 1;
        let witnesses = self.component.boxes[class].witnesses;
        for mine in [0, 1] {
            let fits = witnesses.iter().all(|witness| {
                let (need, closed) = self.lacks[witness];
                need >= mine && need - mine < closed
            });
            if !fits {
                continue;
            }
            witnesses.iter().for_each(|witness| self.lacks[witness].0 -= mine);
            witnesses.iter().for_each(|witness| self.lacks[witness].1 -= 1);
            let now = (layout | u128::from(mine) << bit, mines + usize::from(mine));
            let all = self.go_on(cell + 1, now, bit + 1);
            witnesses.iter().for_each(|witness| self.lacks[witness].0 += mine);
            witnesses.iter().for_each(|witness| self.lacks[witness].1 += 1);
            if !all {
                return false;
            }
        }
        true
    }
}
