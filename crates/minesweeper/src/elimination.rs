//! The elimination order, in which the groups of a component are decided.
//!
//! A witness is *active* from its first group to its last. A state records how many mines each
//! active witness still needs. The cost of a count depends on the number of active witnesses, the
//! width of the frontier, rather than on the length of the component. Several orders are compared
//! (along rows, along columns, and by the witness that is nearest to completion), and the one with
//! the fewest expected states is used.

use super::frontier::Component;

/// A decision order of the groups and its estimated cost.
#[derive(Debug, Clone)]
pub struct Order {
    pub groups: Vec<u32>,
    /// Largest number of witnesses that are active at once.
    pub width: usize,
    /// Expected number of states over all steps.
    pub states: f64,
}

/// Returns the best order found. `stride` is that of the grid.
pub fn order(component: &Component, stride: usize) -> Order {
    let along_rows: Vec<u32> = (0..component.groups.len() as u32).collect();
    if along_rows.len() <= 3 {
        let (states, width) = cost(component, &along_rows);
        return Order { groups: along_rows, width, states };
    }
    let mut along_columns = along_rows.clone();
    let first = |group: u32| component.groups[group as usize].cells[0] as usize;
    along_columns.sort_by_key(|&group| (first(group) % stride, first(group)));
    let right = along_columns[along_columns.len() - 1];
    let candidates =
        [nearest_completion_order(component, 0), nearest_completion_order(component, right), along_rows, along_columns];
    let costed = candidates.into_iter().map(|groups| (cost(component, &groups), groups));
    let ((states, width), groups) = costed.min_by(|(a, _), (b, _)| a.0.total_cmp(&b.0)).expect("four orders");
    Order { groups, width, states }
}

/// Returns the order that begins with the group `start` and always continues with a group of the
/// active witness that has the fewest groups left.
fn nearest_completion_order(component: &Component, start: u32) -> Vec<u32> {
    let mut order = Vec::with_capacity(component.groups.len());
    let mut is_done = vec![false; component.groups.len()];
    let mut groups_left: Vec<u8> =
        component.witnesses.iter().map(|witness| witness.groups.iter().count() as u8).collect();
    let mut active: Vec<usize> = Vec::new();
    let mut next = Some(start as usize);
    while let Some(group) = next {
        is_done[group] = true;
        order.push(group as u32);
        for witness in component.groups[group].witnesses.iter() {
            groups_left[witness] -= 1;
            if !active.contains(&witness) {
                active.push(witness);
            }
        }
        active.retain(|&witness| groups_left[witness] > 0);
        next = None;
        let Some((&first, others)) = active.split_first() else { continue };
        let mut witness = first;
        for &other in others {
            if groups_left[other] < groups_left[witness] {
                witness = other;
            }
        }
        // Of the groups of this witness, choose the one that activates the fewest witnesses.
        let mut fewest = usize::MAX;
        for group in component.witnesses[witness].groups.iter().filter(|&group| !is_done[group]) {
            let mut activated = 0;
            for other_witness in component.groups[group].witnesses.iter() {
                activated += usize::from(!active.contains(&other_witness));
            }
            if activated < fewest {
                (next, fewest) = (Some(group), activated);
            }
        }
    }
    order
}

/// Returns the expected number of states over all steps, and the width.
fn cost(component: &Component, order: &[u32]) -> (f64, usize) {
    // For each witness, the number of its decided cells, and the logarithm of the number of
    // possible values of their sum.
    let mut decided: Vec<(u8, f64)> = vec![(0, 0.0); component.witnesses.len()];
    let mut active = 0;
    let mut width = 0;
    let mut logarithm = 0.0;
    let mut sum = 0.0;
    for &group in order {
        let group = &component.groups[group as usize];
        let size = group.cells.len() as u8;
        active += group.witnesses.iter().filter(|&witness| decided[witness].0 == 0).count();
        width = width.max(active);
        for index in group.witnesses.iter() {
            let witness = &component.witnesses[index];
            let (cells, part) = &mut decided[index];
            *cells += size;
            let cells_left = witness.closed - *cells;
            active -= usize::from(cells_left == 0);
            let values = witness.need.min(*cells) - witness.need.saturating_sub(cells_left) + 1;
            logarithm -= *part;
            *part = LOGARITHMS[usize::from(values)];
            logarithm += *part;
        }
        sum += f64::exp2(logarithm.min(500.0));
    }
    (sum, width)
}

/// Binary logarithms of 0 (unused) to 9.
const LOGARITHMS: [f64; 10] = [
    0.0,
    0.0,
    1.0,
    1.584_962_500_721_156,
    2.0,
    2.321_928_094_887_362,
    2.584_962_500_721_156,
    2.807_354_922_057_604,
    3.0,
    3.169_925_001_442_312,
];
