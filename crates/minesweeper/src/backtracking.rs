//! Decides whether a layout exists, by backtracking. This search shares no code with the native
//! count or clingo.
//!
//! Each number is a sum over closed cells, in any neighbourhood. Cells that occur in the same
//! numbers form a group: only the number of mines in the group matters, which is represented by an
//! interval. A sum narrows the interval of each of its groups to the values that the other groups
//! permit (bounds propagation). When no interval can be narrowed further, the values of one
//! interval are tried in turn (backtracking).
//!
//! ```text
//!   a b b c       1 = a + b     a in 0..1   b in 0..2      b ≤ 1, as the 1 has no more
//!     1 2 .       2 = b + c     c in 0..1                  b ≥ 1, as c is one cell: b = 1, a = 0, c = 1
//! ```
//!
//! Subproblems that share no number are searched one by one. The total couples them: every possible
//! number of mines is tried for each subproblem, unless the free cells can hold any number of
//! remaining mines. The search ends with `Unknown` when its node budget is used up.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::ops::RangeInclusive;

use base::stop::CancelToken;
use rustc_hash::FxHashMap;

/// A number of mines among distinct cells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberConstraint {
    pub closed: Vec<usize>,
    pub mines: i64,
}

/// The number of mines among all undecided cells, whether or not a number counts them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TotalConstraint {
    pub closed: usize,
    pub mines: i64,
}

/// The constraints on a layout.
#[derive(Debug, Clone, Default)]
pub struct Constraints {
    pub numbers: Vec<NumberConstraint>,
    /// Cells with a fixed value; true for a mine.
    pub given: Vec<(usize, bool)>,
    pub total: Option<TotalConstraint>,
}

/// The node budget of a search, with a cancellation token if it may be interrupted.
#[derive(Clone)]
pub struct NodeBudget {
    remaining: u64,
    stop: Option<CancelToken>,
}

impl NodeBudget {
    /// Creates a budget of `remaining` nodes that ends early on cancellation.
    pub fn new(remaining: u64, stop: &CancelToken) -> Self {
        NodeBudget { remaining, stop: Some(stop.clone()) }
    }

    /// Creates a small budget that ignores cancellation, for checks of answers that are reported
    /// even if the run is cancelled.
    pub fn uninterruptible(remaining: u64) -> Self {
        NodeBudget { remaining, stop: None }
    }

    fn spend(&mut self, spent: u64) -> bool {
        let remaining = self
            .remaining
            .checked_sub(spent)
            .filter(|_| self.stop.as_ref().is_none_or(|stop| stop.requested().is_none()));
        self.remaining = remaining.unwrap_or(0);
        remaining.is_some()
    }
}

/// The result of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LayoutOutcome {
    /// The mines among the fixed cells and around the numbers, ascending. The remaining mines of
    /// the total are among the other cells.
    Layout(Vec<usize>),
    NoLayout,
    /// The node budget was used up, or the run was cancelled.
    Unknown,
}

/// Searches for a layout. A node is a value to try, or a cell to read.
pub fn find_layout(constraints: &Constraints, nodes: &mut NodeBudget) -> LayoutOutcome {
    let given: FxHashMap<usize, bool> = constraints.given.iter().copied().collect();
    let mut required: Vec<i64> = constraints.numbers.iter().map(|number| number.mines).collect();
    let mut numbers_of: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
    for (index, number) in constraints.numbers.iter().enumerate() {
        for cell in &number.closed {
            match given.get(cell) {
                Some(&is_mine) => required[index] -= i64::from(is_mine),
                None => numbers_of.entry(*cell).or_default().push(index as u32),
            }
        }
    }
    if !nodes.spend(numbers_of.len() as u64) {
        return LayoutOutcome::Unknown;
    }
    let mut mines: Vec<usize> =
        constraints.given.iter().filter(|&&(_, is_mine)| is_mine).map(|&(cell, _)| cell).collect();
    // The range of the number of mines around the numbers, if the free cells are to hold the rest
    // of the total.
    let mine_range = constraints.total.map(|total| {
        let remaining = total.mines - mines.len() as i64;
        remaining - (total.closed - given.len() - numbers_of.len()) as i64..=remaining
    });
    let parts = Subproblem::split(&required, numbers_of);
    let mut is_undecided = false;
    let mut layouts: Vec<Vec<usize>> = Vec::with_capacity(parts.len());
    for part in &parts {
        match part.layout(None, nodes) {
            LayoutOutcome::Layout(layout) => layouts.push(layout),
            LayoutOutcome::NoLayout => return LayoutOutcome::NoLayout,
            LayoutOutcome::Unknown => is_undecided = true,
        }
    }
    if is_undecided {
        return LayoutOutcome::Unknown;
    }
    let mine_count: usize = layouts.iter().map(Vec::len).sum();
    if let Some(mine_range) = mine_range
        && !mine_range.contains(&(mine_count as i64))
    {
        match find_with_total(&parts, &mine_range, nodes) {
            Ok(with_total) => layouts = with_total,
            Err(outcome) => return outcome,
        }
    }
    mines.extend(layouts.into_iter().flatten());
    mines.sort_unstable();
    LayoutOutcome::Layout(mines)
}

/// Finds a layout of each subproblem such that the number of their mines is in `mine_range`.
fn find_with_total(
    parts: &[Subproblem],
    mine_range: &RangeInclusive<i64>,
    nodes: &mut NodeBudget,
) -> Result<Vec<Vec<usize>>, LayoutOutcome> {
    let all_lower: i64 = parts.iter().map(Subproblem::mines_lower_bound).sum();
    let all_upper: i64 = parts.iter().map(Subproblem::mines_upper_bound).sum();
    let mut choices: Vec<Vec<Vec<usize>>> = Vec::with_capacity(parts.len());
    let mut is_undecided = false;
    for part in parts {
        let mut layouts = Vec::new();
        // Skip values that the other subproblems cannot complete.
        let least = part.mines_lower_bound().max(mine_range.start() - (all_upper - part.mines_upper_bound()));
        for mines in least..=part.mines_upper_bound().min(mine_range.end() - (all_lower - part.mines_lower_bound())) {
            match part.layout(Some(mines), nodes) {
                LayoutOutcome::Layout(layout) => layouts.push(layout),
                LayoutOutcome::NoLayout => {}
                LayoutOutcome::Unknown => is_undecided = true,
            }
        }
        choices.push(layouts);
    }
    // For each number of first subproblems, a map from their number of mines to the choice for the
    // last of them.
    let mut sums: Vec<BTreeMap<i64, usize>> = vec![BTreeMap::from([(0, 0)])];
    for (part, layouts) in choices.iter().enumerate() {
        let mut next = BTreeMap::new();
        for sum in sums[part].keys() {
            next.extend(layouts.iter().enumerate().map(|(choice, layout)| (sum + layout.len() as i64, choice)));
        }
        if !nodes.spend((sums[part].len() * layouts.len()) as u64) {
            return Err(LayoutOutcome::Unknown);
        }
        sums.push(next);
    }
    let reached = sums[parts.len()].keys().find(|&sum| mine_range.contains(sum));
    let Some(&(mut sum)) = reached else {
        return Err(if is_undecided { LayoutOutcome::Unknown } else { LayoutOutcome::NoLayout });
    };
    let mut layouts = Vec::with_capacity(parts.len());
    for (part, part_layouts) in choices.iter_mut().enumerate().rev() {
        let layout = part_layouts.swap_remove(sums[part + 1][&sum]);
        sum -= layout.len() as i64;
        layouts.push(layout);
    }
    Ok(layouts)
}

/// A connected set of sums and groups.
#[derive(Default)]
struct Subproblem {
    /// Sets of cells that occur in the same sums.
    groups: Vec<Group>,
    sums: Vec<SumConstraint>,
}

struct Group {
    cells: Vec<usize>,
    sums: Vec<u32>,
}

struct SumConstraint {
    required: i64,
    groups: Vec<u32>,
}

impl Subproblem {
    /// Splits the constraints into connected subproblems. `numbers_of` maps each cell to its
    /// numbers; a number without cells forms a separate subproblem.
    fn split(required: &[i64], numbers_of: BTreeMap<usize, Vec<u32>>) -> Vec<Subproblem> {
        let mut cells_by_numbers: BTreeMap<Vec<u32>, Vec<usize>> = BTreeMap::new();
        for (cell, numbers) in numbers_of {
            cells_by_numbers.entry(numbers).or_default().push(cell);
        }
        let groups: Vec<(Vec<u32>, Vec<usize>)> = cells_by_numbers.into_iter().collect();
        let mut groups_of: Vec<Vec<usize>> = vec![Vec::new(); required.len()];
        for (group, (numbers, _)) in groups.iter().enumerate() {
            for &number in numbers {
                groups_of[number as usize].push(group);
            }
        }
        let mut index_of_sum: Vec<Option<u32>> = vec![None; required.len()];
        let mut index_of_group: Vec<Option<u32>> = vec![None; groups.len()];
        let mut parts = Vec::new();
        for first in 0..required.len() {
            if index_of_sum[first].is_some() {
                continue;
            }
            let mut part = Subproblem::default();
            let mut queue = vec![first];
            index_of_sum[first] = Some(0);
            let mut sum_count = 1;
            let mut next = 0;
            while let Some(&sum) = queue.get(next) {
                next += 1;
                let mut members = Vec::with_capacity(groups_of[sum].len());
                for &group in &groups_of[sum] {
                    members.push(*index_of_group[group].get_or_insert_with(|| {
                        let (numbers, cells) = &groups[group];
                        let sums = numbers.iter().map(|&number| {
                            *index_of_sum[number as usize].get_or_insert_with(|| {
                                queue.push(number as usize);
                                sum_count += 1;
                                sum_count - 1
                            })
                        });
                        part.groups.push(Group { sums: sums.collect(), cells: cells.clone() });
                        part.groups.len() as u32 - 1
                    }));
                }
                part.sums.push(SumConstraint { required: required[sum], groups: members });
            }
            parts.push(part);
        }
        parts
    }

    /// Returns a lower bound on the mines of a layout: the largest single sum.
    fn mines_lower_bound(&self) -> i64 {
        self.sums.iter().map(|sum| sum.required).max().unwrap_or(0)
    }

    /// Returns an upper bound on the mines of a layout: the sum of all sums, or the number of
    /// cells.
    fn mines_upper_bound(&self) -> i64 {
        let cells: usize = self.groups.iter().map(|group| group.cells.len()).sum();
        self.sums.iter().map(|sum| sum.required).sum::<i64>().min(cells as i64)
    }

    /// Searches for a layout, with exactly `mines` mines if given.
    fn layout(&self, mines: Option<i64>, nodes: &mut NodeBudget) -> LayoutOutcome {
        let mut search = BacktrackingSearch::new(self, mines);
        match search.run(nodes) {
            None => LayoutOutcome::Unknown,
            Some(false) => LayoutOutcome::NoLayout,
            Some(true) => {
                let layout = self
                    .groups
                    .iter()
                    .zip(&search.ranges)
                    .flat_map(|(group, range)| group.cells[..range.low as usize].iter().copied());
                LayoutOutcome::Layout(layout.collect())
            }
        }
    }

    /// Returns the decision order: repeatedly the groups of the sum with the fewest groups left,
    /// beginning with the first sum.
    fn order(&self) -> Vec<u32> {
        let mut remaining: Vec<usize> = self.sums.iter().map(|sum| sum.groups.len()).collect();
        let mut heap = BinaryHeap::from([(Reverse(0), 0)]);
        let mut is_placed = vec![false; self.groups.len()];
        let mut order = Vec::with_capacity(self.groups.len());
        while let Some((_, sum)) = heap.pop() {
            for &group in &self.sums[sum as usize].groups {
                if std::mem::replace(&mut is_placed[group as usize], true) {
                    continue;
                }
                order.push(group);
                for &other in &self.groups[group as usize].sums {
                    remaining[other as usize] -= 1;
                    heap.push((Reverse(remaining[other as usize]), other));
                }
            }
        }
        order
    }
}

/// A closed interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Interval {
    low: i64,
    high: i64,
}

/// A group whose values are tried in turn.
struct Decision {
    /// Index into the order.
    at: usize,
    next: i64,
    last: i64,
    /// Length of the trail before the decision.
    mark: usize,
}

struct BacktrackingSearch<'a> {
    part: &'a Subproblem,
    /// The required number of mines, if given: an additional sum over all groups, after the others.
    mines: Option<i64>,
    /// The possible numbers of mines in each group.
    ranges: Vec<Interval>,
    /// The size of the largest group.
    widest: i64,
    /// The bounds of each sum, given the ranges of its groups.
    bounds: Vec<Interval>,
    /// Overwritten ranges, for backtracking.
    trail: Vec<(u32, Interval)>,
    queue: Vec<u32>,
    is_queued: Vec<bool>,
}

impl<'a> BacktrackingSearch<'a> {
    fn new(part: &'a Subproblem, mines: Option<i64>) -> Self {
        let ranges: Vec<Interval> =
            part.groups.iter().map(|group| Interval { low: 0, high: group.cells.len() as i64 }).collect();
        let width = |groups: &[u32]| groups.iter().map(|&group| ranges[group as usize].high).sum();
        let mut bounds: Vec<Interval> =
            part.sums.iter().map(|sum| Interval { low: 0, high: width(&sum.groups) }).collect();
        bounds.extend(mines.map(|_| Interval { low: 0, high: ranges.iter().map(|range| range.high).sum() }));
        let queue = (0..bounds.len() as u32).collect();
        let is_queued = vec![true; bounds.len()];
        let widest = ranges.iter().map(|range| range.high).max().unwrap_or(0);
        BacktrackingSearch { part, mines, ranges, widest, bounds, trail: Vec::new(), queue, is_queued }
    }

    /// Returns true if there is a layout, which is then in `ranges`, or `None` if the nodes are
    /// used up.
    fn run(&mut self, nodes: &mut NodeBudget) -> Option<bool> {
        if !self.propagate() {
            return Some(false);
        }
        let order = self.part.order();
        let mut decisions: Vec<Decision> = Vec::new();
        let mut at = 0;
        loop {
            let is_open = |&&group: &&u32| self.ranges[group as usize].low < self.ranges[group as usize].high;
            let Some(skipped) = order[at..].iter().position(|group| is_open(&group)) else { return Some(true) };
            at += skipped;
            let Interval { low, high } = self.ranges[order[at] as usize];
            decisions.push(Decision { at, next: low, last: high, mark: self.trail.len() });
            loop {
                let Some(decision) = decisions.last_mut() else { return Some(false) };
                self.undo_to(decision.mark);
                if decision.next > decision.last {
                    decisions.pop();
                    continue;
                }
                if !nodes.spend(1) {
                    return None;
                }
                let value = decision.next;
                decision.next += 1;
                at = decision.at;
                self.narrow(order[at], Interval { low: value, high: value });
                if self.propagate() {
                    break;
                }
            }
        }
    }

    fn narrow(&mut self, group: u32, to: Interval) {
        let before = std::mem::replace(&mut self.ranges[group as usize], to);
        self.trail.push((group, before));
        self.update_sums(group, before, to, true);
    }

    fn undo_to(&mut self, mark: usize) {
        while self.trail.len() > mark
            && let Some((group, before)) = self.trail.pop()
        {
            let undone = std::mem::replace(&mut self.ranges[group as usize], before);
            self.update_sums(group, undone, before, false);
        }
    }

    /// Updates the bounds of all sums of a group.
    fn update_sums(&mut self, group: u32, from: Interval, to: Interval, enqueues: bool) {
        let total = self.mines.map(|_| self.part.sums.len() as u32);
        for sum in self.part.groups[group as usize].sums.iter().copied().chain(total) {
            let bound = &mut self.bounds[sum as usize];
            bound.low += to.low - from.low;
            bound.high += to.high - from.high;
            if enqueues && !std::mem::replace(&mut self.is_queued[sum as usize], true) {
                self.queue.push(sum);
            }
        }
    }

    /// Propagates bounds to the fixpoint; returns false if a sum cannot be reached.
    fn propagate(&mut self) -> bool {
        while let Some(sum) = self.queue.pop() {
            self.is_queued[sum as usize] = false;
            if !self.tighten(sum) {
                self.queue.drain(..).for_each(|sum| self.is_queued[sum as usize] = false);
                return false;
            }
        }
        true
    }

    fn tighten(&mut self, sum: u32) -> bool {
        let part = self.part;
        let constraint = part.sums.get(sum as usize);
        let required = constraint.map(|sum| sum.required).or(self.mines).unwrap_or(0);
        let len = constraint.map_or(part.groups.len(), |sum| sum.groups.len());
        for index in 0..=len {
            let Interval { low, high } = self.bounds[sum as usize];
            if required < low || required > high {
                return false;
            }
            if index == len || (required - low).min(high - required) >= self.widest {
                break;
            }
            let group = constraint.map_or(index as u32, |sum| sum.groups[index]);
            let old = self.ranges[group as usize];
            let new = Interval {
                low: old.low.max(old.high - (high - required)),
                high: old.high.min(old.low + required - low),
            };
            if new != old {
                self.narrow(group, new);
            }
        }
        true
    }
}
