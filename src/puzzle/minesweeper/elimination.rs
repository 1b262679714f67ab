//! The order in which the boxes of a component are decided.
//!
//! While boxes are decided one after the other, a witness is *active* from its first box to its last. What has to be
//! remembered is how many mines each active witness still lacks: that is the frontier, and its width decides what a count
//! costs, not the length of the component. Several orders are drawn up (along rows, along columns, and always the witness
//! next that is nearest to its end), and the one with the fewest expected states is taken.

use super::frontier::Component;

/// Boxes in the order of their decision, and what that is expected to cost.
#[derive(Debug, Clone)]
pub struct Order {
    pub boxes: Vec<u32>,
    /// Most witnesses that are active at once.
    pub width: usize,
    /// Expected states over all steps.
    pub states: f64,
}

/// The best order found. `stride` is that of the grid.
pub fn order(component: &Component, stride: usize) -> Order {
    let along_rows: Vec<u32> = (0..component.boxes.len() as u32).collect();
    if along_rows.len() <= 3 {
        let (states, width) = cost(component, &along_rows);
        return Order { boxes: along_rows, width, states };
    }
    let mut along_columns = along_rows.clone();
    let first = |class: u32| component.boxes[class as usize].cells[0] as usize;
    along_columns.sort_by_key(|&class| (first(class) % stride, first(class)));
    let right = along_columns[along_columns.len() - 1];
    let candidates = [nearest_end(component, 0), nearest_end(component, right), along_rows, along_columns];
    let costed = candidates.into_iter().map(|boxes| (cost(component, &boxes), boxes));
    let ((states, width), boxes) = costed.min_by(|(a, _), (b, _)| a.0.total_cmp(&b.0)).expect("four orders");
    Order { boxes, width, states }
}

/// From `start` on: the boxes of the active witness that lacks the fewest of them.
fn nearest_end(component: &Component, start: u32) -> Vec<u32> {
    let mut order = Vec::with_capacity(component.boxes.len());
    let mut is_done = vec![false; component.boxes.len()];
    let mut left: Vec<u8> = component.witnesses.iter().map(|witness| witness.boxes.iter().count() as u8).collect();
    let mut active: Vec<usize> = Vec::new();
    let mut next = Some(start as usize);
    while let Some(class) = next {
        is_done[class] = true;
        order.push(class as u32);
        for witness in component.boxes[class].witnesses.iter() {
            left[witness] -= 1;
            if !active.contains(&witness) {
                active.push(witness);
            }
        }
        active.retain(|&witness| left[witness] > 0);
        next = None;
        let Some((&first, others)) = active.split_first() else { continue };
        let mut witness = first;
        for &other in others {
            if left[other] < left[witness] {
                witness = other;
            }
        }
        // Of its boxes the one that wakes the fewest.
        let mut fewest = usize::MAX;
        for class in component.witnesses[witness].boxes.iter().filter(|&class| !is_done[class]) {
            let mut wakes = 0;
            for near in component.boxes[class].witnesses.iter() {
                wakes += usize::from(!active.contains(&near));
            }
            if wakes < fewest {
                (next, fewest) = (Some(class), wakes);
            }
        }
    }
    order
}

/// Expected states over all steps, and the greatest width.
fn cost(component: &Component, order: &[u32]) -> (f64, usize) {
    // Cells of each witness that are decided, and of those the logarithm of the values that it may have.
    let mut decided: Vec<(u8, f64)> = vec![(0, 0.0); component.witnesses.len()];
    let (mut active, mut width, mut logarithm, mut sum) = (0, 0, 0.0, 0.0);
    for &class in order {
        let class = &component.boxes[class as usize];
        let size = class.cells.len() as u8;
        active += class.witnesses.iter().filter(|&witness| decided[witness].0 == 0).count();
        width = width.max(active);
        for index in class.witnesses.iter() {
            let witness = &component.witnesses[index];
            let (cells, part) = &mut decided[index];
            *cells += size;
            let left = witness.closed - *cells;
            active -= usize::from(left == 0);
            let values = witness.need.min(*cells) - witness.need.saturating_sub(left) + 1;
            logarithm -= *part;
            *part = LOGARITHMS[usize::from(values)];
            logarithm += *part;
        }
        sum += f64::exp2(logarithm.min(500.0));
    }
    (sum, width)
}

/// To the base of two, of 0 (unused) to 9.
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
