//! Enumerates all layouts of a position if they are few.

use super::frontier::Component;
use super::grid::Cell;
use super::position::KnownPosition;
use super::probability::Analysis;

/// Layouts of the undecided closed cells: bit i is set if `cells[i]` is a mine.
#[derive(Debug, Clone, Default)]
pub struct Layouts {
    pub cells: Vec<usize>,
    pub all: Vec<u128>,
}

/// A layout of a component, and its number of mines.
type Partial = (u128, usize);

/// Returns the layouts of an analyzed position, or `None` if there are more than `most` layouts or
/// 128 cells.
pub fn layouts(position: &KnownPosition, analysis: &Analysis<f64>, most: usize) -> Option<Layouts> {
    let frontier = &analysis.frontier;
    let grouped = frontier.components.iter().flat_map(|component| &component.groups).flat_map(|group| &group.cells);
    let cells: Vec<usize> = grouped.chain(&frontier.free).map(|&cell| cell as usize).collect();
    if cells.len() > 128 {
        return None;
    }
    let mines = position.mines? - position.count(Cell::Mine);
    let mut parts = Vec::new();
    let mut first = 0;
    for component in &frontier.components {
        parts.push(component_layouts(component, first, most)?);
        first += component.groups.iter().map(|group| group.cells.len()).sum::<usize>();
    }
    // From the last component to the first: for each number of mines left, whether the rest can be
    // completed.
    let mut fits = vec![(0..=mines).map(|left| left <= frontier.free.len()).collect::<Vec<bool>>()];
    for part in parts.iter().rev() {
        let after = &fits[fits.len() - 1];
        let is_finished = |left: usize| part.iter().any(|&(_, taken)| taken <= left && after[left - taken]);
        let before = (0..=mines).map(is_finished).collect();
        fits.push(before);
    }
    fits.reverse();
    let mut all = Vec::new();
    let free = (first..cells.len()).collect();
    let product = ComponentProduct { parts, fits, free, most };
    product.extend(0, 0, mines, &mut all).then_some(Layouts { cells, all })
}

struct ComponentProduct {
    parts: Vec<Vec<Partial>>,
    /// For each component and for the end, by the number of mines left: whether the rest can be
    /// completed.
    fits: Vec<Vec<bool>>,
    free: Vec<usize>,
    most: usize,
}

impl ComponentProduct {
    /// Appends every completion of `chosen` with `mines` mines left; returns false if there are too
    /// many.
    fn extend(&self, part: usize, chosen: u128, mines: usize, all: &mut Vec<u128>) -> bool {
        let Some(layouts) = self.parts.get(part) else {
            return push_combinations(&self.free, mines, chosen, self.most, all);
        };
        let fits = |taken: usize| taken <= mines && self.fits[part + 1][mines - taken];
        let mut layouts = layouts.iter().filter(|&&(_, taken)| fits(taken));
        layouts.all(|&(layout, taken)| self.extend(part + 1, chosen | layout, mines - taken, all))
    }
}

/// Appends the union of `chosen` and each combination of `taken` of the bits. Returns false if
/// there are more than `most`.
pub fn push_combinations(bits: &[usize], taken: usize, chosen: u128, most: usize, all: &mut Vec<u128>) -> bool {
    if taken == 0 {
        all.push(chosen);
        return all.len() <= most;
    }
    (0..(bits.len() + 1).saturating_sub(taken))
        .all(|index| push_combinations(&bits[index + 1..], taken - 1, chosen | 1 << bits[index], most, all))
}

/// Returns the layouts of a component, whose first cell has the bit `first`.
fn component_layouts(component: &Component, first: usize, most: usize) -> Option<Vec<Partial>> {
    let groups = component.groups.iter().enumerate();
    let mut enumeration = ComponentEnumeration {
        component,
        cells: groups.flat_map(|(index, group)| vec![index; group.cells.len()]).collect(),
        needs: component.witnesses.iter().map(|witness| (witness.need, witness.closed)).collect(),
        layouts: Vec::new(),
        // Nearly all consistent branches can be completed; the factor allows for the others.
        work: most.saturating_mul(200),
    };
    enumeration.extend(0, (0, 0), first).then_some(enumeration.layouts)
}

struct ComponentEnumeration<'a> {
    component: &'a Component,
    /// The group of each cell.
    cells: Vec<usize>,
    /// For each witness, the number of mines that it still needs, and the number of its undecided
    /// cells.
    needs: Vec<(u8, u8)>,
    layouts: Vec<Partial>,
    /// The number of cells that may still be visited.
    work: usize,
}

impl ComponentEnumeration<'_> {
    /// Finds every completion of a layout from `cell`, which has the bit `bit`. Returns false if
    /// the work is used up.
    fn extend(&mut self, cell: usize, (layout, mines): Partial, bit: usize) -> bool {
        let Some(&group) = self.cells.get(cell) else {
            self.layouts.push((layout, mines));
            return true;
        };
        if self.work == 0 {
            return false;
        }
        self.work -= 1;
        let witnesses = self.component.groups[group].witnesses;
        for mine in [0, 1] {
            let fits = witnesses.iter().all(|witness| {
                let (need, closed) = self.needs[witness];
                need >= mine && need - mine < closed
            });
            if !fits {
                continue;
            }
            witnesses.iter().for_each(|witness| self.needs[witness].0 -= mine);
            witnesses.iter().for_each(|witness| self.needs[witness].1 -= 1);
            let extended = (layout | u128::from(mine) << bit, mines + usize::from(mine));
            let is_complete = self.extend(cell + 1, extended, bit + 1);
            witnesses.iter().for_each(|witness| self.needs[witness].0 += mine);
            witnesses.iter().for_each(|witness| self.needs[witness].1 += 1);
            if !is_complete {
                return false;
            }
        }
        true
    }
}
