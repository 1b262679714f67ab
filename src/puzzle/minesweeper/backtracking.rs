//! Is there a layout? By search, which shares no code with the count of the native engine, nor with clingo.
//!
//! Numbers are sums of closed cells, in any neighbourhood. Cells that the same numbers see are alike: only how many
//! of them are mines matters, an interval at first. A sum narrows the intervals of its cells to what the others leave
//! (bounds propagation); where nothing more follows, one interval is tried value by value, and taken back (backtracking).
//!
//! ```text
//!   a b b c       1 = a + b     a in 0..1   b in 0..2      b ≤ 1, as the 1 has no more
//!     1 2 .       2 = b + c     c in 0..1                  b ≥ 1, as c is one cell: b = 1, a = 0, c = 1
//! ```
//!
//! Parts that have no number in common are searched one by one. The total couples them: for each part all numbers of mines
//! are tried that it may have, unless the free cells make up for any. The search ends when its nodes are used up, and says so.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::ops::RangeInclusive;

use rustc_hash::FxHashMap;

use crate::stop::Stop;

/// So many mines are among these cells, each of which is named once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Number {
    pub closed: Vec<usize>,
    pub mines: i64,
}

/// So many mines are among all cells that are not decided, be they named by a number or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Total {
    pub closed: usize,
    pub mines: i64,
}

/// What a layout has to fit.
#[derive(Debug, Clone, Default)]
pub struct Claim {
    pub numbers: Vec<Number>,
    /// Cells that are a mine, or none.
    pub given: Vec<(usize, bool)>,
    pub total: Option<Total>,
}

/// What a search may take.
#[derive(Clone)]
pub struct Nodes {
    left: u64,
    stop: Option<Stop>,
}

impl Nodes {
    /// So many, or fewer if somebody asks to stop.
    pub fn new(left: u64, stop: &Stop) -> Self {
        Nodes { left, stop: Some(stop.clone()) }
    }

    /// So many, which is a moment's work: for checks of what is told even after a request to stop.
    pub fn few(left: u64) -> Self {
        Nodes { left, stop: None }
    }

    fn spend(&mut self, spent: u64) -> bool {
        let left =
            self.left.checked_sub(spent).filter(|_| self.stop.as_ref().is_none_or(|stop| stop.requested().is_none()));
        self.left = left.unwrap_or(0);
        left.is_some()
    }
}

/// What came of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finding {
    /// The mines among the given cells and those around the numbers, ascending; the other mines of the total lie elsewhere.
    Layout(Vec<usize>),
    /// No layout fits.
    Nothing,
    /// The nodes were used up before, or somebody asked to stop.
    Open,
}

/// Looks for a layout. A node is a value that is tried, or a cell that is looked at.
pub fn find(claim: &Claim, nodes: &mut Nodes) -> Finding {
    let given: FxHashMap<usize, bool> = claim.given.iter().copied().collect();
    let mut lacks: Vec<i64> = claim.numbers.iter().map(|number| number.mines).collect();
    let mut numbers_of: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
    for (index, number) in claim.numbers.iter().enumerate() {
        for cell in &number.closed {
            match given.get(cell) {
                Some(&is_mine) => lacks[index] -= i64::from(is_mine),
                None => numbers_of.entry(*cell).or_default().push(index as u32),
            }
        }
    }
    if !nodes.spend(numbers_of.len() as u64) {
        return Finding::Open;
    }
    let mut mines: Vec<usize> = claim.given.iter().filter(|&&(_, is_mine)| is_mine).map(|&(cell, _)| cell).collect();
    // How many mines the cells around the numbers may have, so that the free cells make up for the rest.
    let room = claim.total.map(|total| {
        let left = total.mines - mines.len() as i64;
        left - (total.closed - given.len() - numbers_of.len()) as i64..=left
    });
    let parts = Part::all(&lacks, numbers_of);
    let mut is_open = false;
    let mut found: Vec<Vec<usize>> = Vec::with_capacity(parts.len());
    for part in &parts {
        match part.layout(None, nodes) {
            Finding::Layout(layout) => found.push(layout),
            Finding::Nothing => return Finding::Nothing,
            Finding::Open => is_open = true,
        }
    }
    if is_open {
        return Finding::Open;
    }
    let laid: usize = found.iter().map(Vec::len).sum();
    if let Some(room) = room
        && !room.contains(&(laid as i64))
    {
        match with_total(&parts, &room, nodes) {
            Ok(layouts) => found = layouts,
            Err(finding) => return finding,
        }
    }
    mines.extend(found.into_iter().flatten());
    mines.sort_unstable();
    Finding::Layout(mines)
}

/// A layout of each part, so that the mines of all are within `room`.
fn with_total(parts: &[Part], room: &RangeInclusive<i64>, nodes: &mut Nodes) -> Result<Vec<Vec<usize>>, Finding> {
    let fewest: i64 = parts.iter().map(Part::fewest).sum();
    let most: i64 = parts.iter().map(Part::most).sum();
    let mut choices: Vec<Vec<Vec<usize>>> = Vec::with_capacity(parts.len());
    let mut is_open = false;
    for part in parts {
        let mut layouts = Vec::new();
        // What the other parts cannot make up for need not be tried.
        let least = part.fewest().max(room.start() - (most - part.most()));
        for mines in least..=part.most().min(room.end() - (fewest - part.fewest())) {
            match part.layout(Some(mines), nodes) {
                Finding::Layout(layout) => layouts.push(layout),
                Finding::Nothing => {}
                Finding::Open => is_open = true,
            }
        }
        choices.push(layouts);
    }
    // For each sum of mines of the first parts, which choice of the last of them led there.
    let mut sums: Vec<BTreeMap<i64, usize>> = vec![BTreeMap::from([(0, 0)])];
    for (part, layouts) in choices.iter().enumerate() {
        let mut next = BTreeMap::new();
        for sum in sums[part].keys() {
            next.extend(layouts.iter().enumerate().map(|(choice, layout)| (sum + layout.len() as i64, choice)));
        }
        if !nodes.spend((sums[part].len() * layouts.len()) as u64) {
            return Err(Finding::Open);
        }
        sums.push(next);
    }
    let reached = sums[parts.len()].keys().find(|&sum| room.contains(sum));
    let Some(&(mut sum)) = reached else { return Err(if is_open { Finding::Open } else { Finding::Nothing }) };
    let mut layouts = Vec::with_capacity(parts.len());
    for (part, of_part) in choices.iter_mut().enumerate().rev() {
        let layout = of_part.swap_remove(sums[part + 1][&sum]);
        sum -= layout.len() as i64;
        layouts.push(layout);
    }
    Ok(layouts)
}

/// Numbers and cells that hang together.
#[derive(Default)]
struct Part {
    /// Cells that are alike.
    groups: Vec<Group>,
    sums: Vec<Sum>,
}

struct Group {
    cells: Vec<usize>,
    sums: Vec<u32>,
}

struct Sum {
    lacks: i64,
    groups: Vec<u32>,
}

impl Part {
    /// `numbers_of` tells of each cell which numbers see it; a number that sees no cell is a part by itself.
    fn all(lacks: &[i64], numbers_of: BTreeMap<usize, Vec<u32>>) -> Vec<Part> {
        let mut alike: BTreeMap<Vec<u32>, Vec<usize>> = BTreeMap::new();
        for (cell, numbers) in numbers_of {
            alike.entry(numbers).or_default().push(cell);
        }
        let groups: Vec<(Vec<u32>, Vec<usize>)> = alike.into_iter().collect();
        let mut groups_of: Vec<Vec<usize>> = vec![Vec::new(); lacks.len()];
        for (group, (numbers, _)) in groups.iter().enumerate() {
            numbers.iter().for_each(|&number| groups_of[number as usize].push(group));
        }
        let mut name_of_sum: Vec<Option<u32>> = vec![None; lacks.len()];
        let mut name_of_group: Vec<Option<u32>> = vec![None; groups.len()];
        let mut parts = Vec::new();
        for first in 0..lacks.len() {
            if name_of_sum[first].is_some() {
                continue;
            }
            let mut part = Part::default();
            let mut queue = vec![first];
            name_of_sum[first] = Some(0);
            let mut named = 1;
            let mut next = 0;
            while let Some(&sum) = queue.get(next) {
                next += 1;
                let mut members = Vec::with_capacity(groups_of[sum].len());
                for &group in &groups_of[sum] {
                    members.push(*name_of_group[group].get_or_insert_with(|| {
                        let (numbers, cells) = &groups[group];
                        let sums = numbers.iter().map(|&number| {
                            *name_of_sum[number as usize].get_or_insert_with(|| {
                                queue.push(number as usize);
                                named += 1;
                                named - 1
                            })
                        });
                        part.groups.push(Group { sums: sums.collect(), cells: cells.clone() });
                        part.groups.len() as u32 - 1
                    }));
                }
                part.sums.push(Sum { lacks: lacks[sum], groups: members });
            }
            parts.push(part);
        }
        parts
    }

    /// A bound on the mines of its layouts: that of a number, whose cells are among them.
    fn fewest(&self) -> i64 {
        self.sums.iter().map(|sum| sum.lacks).max().unwrap_or(0)
    }

    /// As many as all its numbers lack together, or as it has cells.
    fn most(&self) -> i64 {
        let cells: usize = self.groups.iter().map(|group| group.cells.len()).sum();
        self.sums.iter().map(|sum| sum.lacks).sum::<i64>().min(cells as i64)
    }

    /// The mines of a layout, perhaps of one with so many mines.
    fn layout(&self, mines: Option<i64>, nodes: &mut Nodes) -> Finding {
        let mut search = Search::new(self, mines);
        match search.run(nodes) {
            None => Finding::Open,
            Some(false) => Finding::Nothing,
            Some(true) => {
                let laid = self
                    .groups
                    .iter()
                    .zip(&search.ranges)
                    .flat_map(|(group, range)| group.cells[..range.low as usize].iter().copied());
                Finding::Layout(laid.collect())
            }
        }
    }

    /// The groups in the order of their decision: always those of the number next that has the fewest left, from the first
    /// number on.
    fn order(&self) -> Vec<u32> {
        let mut left: Vec<usize> = self.sums.iter().map(|sum| sum.groups.len()).collect();
        let mut heap = BinaryHeap::from([(Reverse(0), 0)]);
        let mut is_placed = vec![false; self.groups.len()];
        let mut order = Vec::with_capacity(self.groups.len());
        while let Some((_, sum)) = heap.pop() {
            for &group in &self.sums[sum as usize].groups {
                if std::mem::replace(&mut is_placed[group as usize], true) {
                    continue;
                }
                order.push(group);
                for &near in &self.groups[group as usize].sums {
                    left[near as usize] -= 1;
                    heap.push((Reverse(left[near as usize]), near));
                }
            }
        }
        order
    }
}

/// From `low` to `high`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Range {
    low: i64,
    high: i64,
}

/// A group that is tried value by value.
struct Decision {
    /// Its place in the order.
    at: usize,
    next: i64,
    last: i64,
    /// How long the trail was before.
    mark: usize,
}

struct Search<'a> {
    part: &'a Part,
    /// Of all mines, if that is given: a sum behind the others that has all groups.
    mines: Option<i64>,
    /// Mines in each group, and cells in the largest.
    ranges: Vec<Range>,
    widest: i64,
    /// Mines of each sum, as the ranges of its groups have it.
    bounds: Vec<Range>,
    /// What ranges were before.
    trail: Vec<(u32, Range)>,
    queue: Vec<u32>,
    is_queued: Vec<bool>,
}

impl<'a> Search<'a> {
    fn new(part: &'a Part, mines: Option<i64>) -> Self {
        let ranges: Vec<Range> =
            part.groups.iter().map(|group| Range { low: 0, high: group.cells.len() as i64 }).collect();
        let width = |groups: &[u32]| groups.iter().map(|&group| ranges[group as usize].high).sum();
        let mut bounds: Vec<Range> = part.sums.iter().map(|sum| Range { low: 0, high: width(&sum.groups) }).collect();
        bounds.extend(mines.map(|_| Range { low: 0, high: ranges.iter().map(|range| range.high).sum() }));
        let queue = (0..bounds.len() as u32).collect();
        let is_queued = vec![true; bounds.len()];
        let widest = ranges.iter().map(|range| range.high).max().unwrap_or(0);
        Search { part, mines, ranges, widest, bounds, trail: Vec::new(), queue, is_queued }
    }

    /// Whether there is a layout, which is then in the ranges; `None` once the nodes are used up.
    fn run(&mut self, nodes: &mut Nodes) -> Option<bool> {
        if !self.propagates() {
            return Some(false);
        }
        let order = self.part.order();
        let mut decisions: Vec<Decision> = Vec::new();
        let mut at = 0;
        loop {
            let is_open = |&&group: &&u32| self.ranges[group as usize].low < self.ranges[group as usize].high;
            let Some(skipped) = order[at..].iter().position(|group| is_open(&group)) else { return Some(true) };
            at += skipped;
            let Range { low, high } = self.ranges[order[at] as usize];
            decisions.push(Decision { at, next: low, last: high, mark: self.trail.len() });
            loop {
                let Some(decision) = decisions.last_mut() else { return Some(false) };
                self.take_back(decision.mark);
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
                self.narrow(order[at], Range { low: value, high: value });
                if self.propagates() {
                    break;
                }
            }
        }
    }

    fn narrow(&mut self, group: u32, to: Range) {
        let before = std::mem::replace(&mut self.ranges[group as usize], to);
        self.trail.push((group, before));
        self.shift(group, before, to, true);
    }

    fn take_back(&mut self, mark: usize) {
        while self.trail.len() > mark
            && let Some((group, before)) = self.trail.pop()
        {
            let now = std::mem::replace(&mut self.ranges[group as usize], before);
            self.shift(group, now, before, false);
        }
    }

    /// Corrects the sums of a group.
    fn shift(&mut self, group: u32, from: Range, to: Range, queues: bool) {
        let total = self.mines.map(|_| self.part.sums.len() as u32);
        for sum in self.part.groups[group as usize].sums.iter().copied().chain(total) {
            let bound = &mut self.bounds[sum as usize];
            bound.low += to.low - from.low;
            bound.high += to.high - from.high;
            if queues && !std::mem::replace(&mut self.is_queued[sum as usize], true) {
                self.queue.push(sum);
            }
        }
    }

    /// Narrows ranges until nothing more follows; `false` if a sum cannot be reached.
    fn propagates(&mut self) -> bool {
        while let Some(sum) = self.queue.pop() {
            self.is_queued[sum as usize] = false;
            if !self.holds(sum) {
                self.queue.drain(..).for_each(|sum| self.is_queued[sum as usize] = false);
                return false;
            }
        }
        true
    }

    fn holds(&mut self, sum: u32) -> bool {
        let part = self.part;
        let of_number = part.sums.get(sum as usize);
        let lacks = of_number.map(|sum| sum.lacks).or(self.mines).unwrap_or(0);
        let len = of_number.map_or(part.groups.len(), |sum| sum.groups.len());
        for index in 0..=len {
            let Range { low, high } = self.bounds[sum as usize];
            if lacks < low || lacks > high {
                return false;
            }
            if index == len || (lacks - low).min(high - lacks) >= self.widest {
                break;
            }
            let group = of_number.map_or(index as u32, |sum| sum.groups[index]);
            let now = self.ranges[group as usize];
            let next = Range { low: now.low.max(now.high - (high - lacks)), high: now.high.min(now.low + lacks - low) };
            if next != now {
                self.narrow(group, next);
            }
        }
        true
    }
}
