//! How many layouts a component has, by their number of mines, and in how many of them each box has how many.
//!
//! Dynamic programming along an elimination order. A state is what each active witness still lacks, three bits and a guard
//! bit for each; taking k mines for a box subtracts k from all of its witnesses at once, and the guard bits tell whether one
//! of them went below zero. Subtracting the same number keeps states in order, so that the states after a box are the
//! merge of sorted lists, one for each k, and nothing is ever hashed:
//!
//! ```text
//!   states before     0012  0021  0111            lists for k = 0 and k = 1, both ascending
//!   box of witness 4  0012  0021  0111  │  0011  0020  0110   →  0011  0012  0020  0021  0110  0111
//! ```
//!
//! Forward, each state has the number of ways to reach it, by the mines used; backward, the weight of all ways to finish it.
//! Their product over an arrow is the weight of all layouts through that arrow. The weight of a finished component with m
//! mines (its *goal*) is what the rest of the board makes of it, so that both passes are linear in states and mines.

use super::elimination::Order;
use super::frontier::Component;
use super::weight::Weight;
use crate::job::Job;
use crate::stop::{Reason, Stop};

/// Weights by number of mines, from `least` on.
#[derive(Debug, Clone, PartialEq)]
pub struct Polynomial<W> {
    pub least: usize,
    pub weights: Vec<W>,
}

impl<W: Weight> Polynomial<W> {
    pub fn one() -> Self {
        Polynomial { least: 0, weights: vec![W::one()] }
    }

    pub fn get(&self, mines: usize) -> Option<&W> {
        self.weights.get(mines.checked_sub(self.least)?)
    }

    /// Up to `most` mines.
    pub fn times(&self, other: &Self, most: usize) -> Self {
        let least = self.least + other.least;
        let len = (self.weights.len() + other.weights.len()).saturating_sub(1).min((most + 1).saturating_sub(least));
        let mut weights = vec![W::zero(); len];
        for (index, weight) in self.weights.iter().enumerate().filter(|(_, weight)| !weight.is_zero()) {
            for (sum, factor) in weights.iter_mut().skip(index).zip(&other.weights) {
                sum.add_product(weight, factor);
            }
        }
        Polynomial { least, weights }
    }
}

/// Bytes that a count may take where nobody said.
const MEMORY: u64 = 16 << 30;

/// What a count may use.
#[derive(Clone)]
pub struct Budget {
    pub stop: Stop,
    /// Bytes.
    pub memory: u64,
}

impl Budget {
    /// What a job may take. A wide frontier would take all the memory there is, and the machine with it.
    pub fn of(job: &Job) -> Self {
        Budget { stop: job.stop.clone(), memory: job.limits.memory.unwrap_or(MEMORY) }
    }

    /// As much as it takes, for positions that are known to be small.
    pub fn none() -> Self {
        Budget { stop: Stop::new(), memory: u64::MAX }
    }
}

/// Ways of a state, by the mines used until then.
#[derive(Debug, Clone, Copy)]
struct Row {
    least: u32,
    len: u32,
    at: usize,
}

/// What the layouts say of a box.
#[derive(Debug, Clone)]
pub struct Mass<W> {
    /// Mines in the box, summed over the weights of all layouts.
    pub mines: W,
    /// A bit for each number of mines that it has in some layout.
    pub possible: u16,
}

impl<W> Mass<W> {
    pub fn is_safe(&self) -> bool {
        self.possible == 1
    }

    /// All of so many cells are mines in every layout.
    pub fn is_full(&self, cells: usize) -> bool {
        self.possible == 1 << cells
    }
}

/// All states of a component, and what leads to what.
#[derive(Clone)]
pub struct Chain<W> {
    boxes: Vec<u32>,
    sizes: Vec<u8>,
    /// Where the rows of each step begin; one more for the end.
    steps: Vec<usize>,
    rows: Vec<Row>,
    ways: Vec<W>,
    /// For each row and number of mines of its box the row that follows.
    arrows: Vec<u32>,
    arrow_steps: Vec<usize>,
    stop: Stop,
}

const NOWHERE: u32 = u32::MAX;
/// For each expected state, at the least. On lattices of 15×15 to 25×25 cells one state in 30 to 700 is reached, with a
/// kilobyte for its ways.
const BYTES: f64 = 3.0;
/// "Choose k of s" for boxes, which have at most eight cells.
const CHOOSE: [[u32; 9]; 9] = {
    let mut choose = [[0; 9]; 9];
    let mut at = 0;
    while at < 81 {
        let (size, taken) = (at / 9, at % 9);
        choose[size][taken] = match (size, taken) {
            (_, 0) => 1,
            (0, _) => 0,
            _ => choose[size - 1][taken - 1] + choose[size - 1][taken],
        };
        at += 1;
    }
    choose
};

/// What active witnesses lack: sixteen in a word, four bits each, the highest of them a guard.
type Key<const N: usize> = [u64; N];

/// What a box does to a state.
struct Step<const N: usize> {
    /// What witnesses lack that become active.
    wake: Key<N>,
    /// 1 for each witness of the box.
    one: Key<N>,
    guard: Key<N>,
    /// What they may still lack afterwards.
    room: Key<N>,
}

impl<const N: usize> Step<N> {
    /// The state after `taken` mines, if no witness lacks less than none or more than it can get.
    #[inline]
    fn after(&self, key: &Key<N>, taken: u64) -> Option<Key<N>> {
        let mut next = [0; N];
        let mut fits = true;
        for word in 0..N {
            let guard = self.guard[word];
            let rest = ((key[word] | self.wake[word]) | guard) - self.one[word] * taken;
            fits &= rest & guard == guard;
            let rest = rest & !guard;
            let spare = (self.room[word] | guard).wrapping_sub(rest & (self.one[word] * 7));
            fits &= spare & guard == guard;
            next[word] = rest;
        }
        fits.then_some(next)
    }

    fn all(component: &Component, order: &Order) -> Vec<Step<N>> {
        let mut slots: Vec<usize> = (0..N * 16).rev().collect();
        let mut slot_of = vec![usize::MAX; component.witnesses.len()];
        let mut left: Vec<u8> = component.witnesses.iter().map(|witness| witness.closed).collect();
        let mut steps = Vec::with_capacity(order.boxes.len());
        for &class in &order.boxes {
            let class = &component.boxes[class as usize];
            let mut step = Step { wake: [0; N], one: [0; N], guard: [0; N], room: [0; N] };
            let mut over = Vec::new();
            for index in class.witnesses.iter() {
                let witness = &component.witnesses[index];
                let is_new = slot_of[index] == usize::MAX;
                if is_new {
                    slot_of[index] = slots.pop().expect("a slot for each active witness");
                }
                let (word, shift) = (slot_of[index] / 16, slot_of[index] % 16 * 4);
                if is_new {
                    step.wake[word] |= u64::from(witness.need) << shift;
                }
                step.one[word] |= 1 << shift;
                step.guard[word] |= 8 << shift;
                left[index] -= class.cells.len() as u8;
                step.room[word] |= u64::from(left[index]) << shift;
                if left[index] == 0 {
                    over.push(slot_of[index]);
                }
            }
            slots.extend(over);
            steps.push(step);
        }
        steps
    }
}

impl<W: Weight> Chain<W> {
    /// Counts the layouts of a component with at most `most` mines.
    ///
    /// No witness may lack more than seven mines: where eight are lacking, all cells around are mines, which is obvious.
    pub fn new(component: &Component, order: Order, most: usize, budget: &Budget) -> Result<Self, Reason> {
        debug_assert!(component.witnesses.iter().all(|witness| witness.need < 8 && witness.closed <= 8));
        // Where there is no hope, no memory is filled to find that out.
        if order.states * BYTES > budget.memory as f64 / 4.0 {
            return Err(Reason::MemoryLimit);
        }
        match order.width.div_ceil(16) {
            0 | 1 => Self::forward::<1>(component, order, most, budget),
            2 => Self::forward::<2>(component, order, most, budget),
            3..=4 => Self::forward::<4>(component, order, most, budget),
            5..=16 => Self::forward::<16>(component, order, most, budget),
            17..=64 => Self::forward::<64>(component, order, most, budget),
            _ => Err(Reason::MemoryLimit),
        }
    }

    fn forward<const N: usize>(
        component: &Component,
        order: Order,
        most: usize,
        budget: &Budget,
    ) -> Result<Self, Reason> {
        let steps = Step::<N>::all(component, &order);
        let sizes: Vec<u8> =
            order.boxes.iter().map(|&class| component.boxes[class as usize].cells.len() as u8).collect();
        let mut chain = Chain {
            boxes: order.boxes,
            sizes,
            steps: vec![0, 1],
            rows: vec![Row { least: 0, len: 1, at: 0 }],
            ways: vec![W::one()],
            arrows: Vec::new(),
            arrow_steps: vec![0],
            stop: budget.stop.clone(),
        };
        let (mut keys, mut next_keys) = (vec![[0; N]], Vec::new());
        for (index, step) in steps.iter().enumerate() {
            chain.advance(index, step, &keys, &mut next_keys, most, budget)?;
            std::mem::swap(&mut keys, &mut next_keys);
        }
        Ok(chain)
    }

    /// One step: merges the sorted lists of what follows for each number of mines.
    fn advance<const N: usize>(
        &mut self,
        index: usize,
        step: &Step<N>,
        keys: &[Key<N>],
        next_keys: &mut Vec<Key<N>>,
        most: usize,
        budget: &Budget,
    ) -> Result<(), Reason> {
        next_keys.clear();
        let size = usize::from(self.sizes[index]);
        let (begin, arrow_begin) = (self.steps[index], self.arrows.len());
        self.arrows.resize(arrow_begin + keys.len() * (size + 1), NOWHERE);
        // For each number of mines where its list stands, and the state there.
        let mut at = [0_usize; 9];
        let mut heads: [Option<Key<N>>; 9] = [None; 9];
        let find = |at: &mut usize, taken: usize| {
            while *at < keys.len() {
                if let Some(key) = step.after(&keys[*at], taken as u64) {
                    return Some(key);
                }
                *at += 1;
            }
            None
        };
        for taken in 0..=size {
            heads[taken] = find(&mut at[taken], taken);
        }
        while let Some(key) = heads[..=size].iter().flatten().min().copied() {
            if self.rows.len().is_multiple_of(1 << 12) {
                self.check(budget, keys.len() * N * 16)?;
            }
            let (mut least, mut end) = (u32::MAX, 0);
            for taken in (0..=size).filter(|&taken| heads[taken] == Some(key)) {
                let row = self.rows[begin + at[taken]];
                least = least.min(row.least + taken as u32);
                end = end.max(row.least + row.len + taken as u32);
            }
            let end = end.min(most as u32 + 1);
            let is_kept = least < end;
            let target = Row { least, len: end.saturating_sub(least), at: self.ways.len() };
            if is_kept {
                self.ways.resize(target.at + target.len as usize, W::zero());
            }
            for taken in 0..=size {
                if heads[taken] != Some(key) {
                    continue;
                }
                let source = at[taken];
                if is_kept {
                    self.arrows[arrow_begin + source * (size + 1) + taken] = self.rows.len() as u32;
                    let row = self.rows[begin + source];
                    let (before, now) = self.ways.split_at_mut(target.at);
                    let shift = (row.least + taken as u32 - least) as usize;
                    let ways = &before[row.at..row.at + row.len as usize];
                    for (sum, ways) in now.iter_mut().skip(shift).zip(ways) {
                        sum.add_times(ways, CHOOSE[size][taken]);
                    }
                }
                at[taken] += 1;
                heads[taken] = find(&mut at[taken], taken);
            }
            if is_kept {
                self.rows.push(target);
                next_keys.push(key);
            }
        }
        self.steps.push(self.rows.len());
        self.arrow_steps.push(self.arrows.len());
        Ok(())
    }

    /// What it takes in memory, without what its weights hold elsewhere.
    pub fn bytes(&self) -> u64 {
        let bytes = self.rows.capacity() * size_of::<Row>()
            + self.ways.capacity() * size_of::<W>()
            + self.arrows.capacity() * 4;
        bytes as u64
    }

    fn check(&self, budget: &Budget, others: usize) -> Result<(), Reason> {
        // Vectors grow by doubling, with the old and the new one in memory for a moment.
        if self.bytes() + others as u64 > budget.memory / 4 || self.rows.len() >= NOWHERE as usize - (1 << 13) {
            return Err(Reason::MemoryLimit);
        }
        budget.stop.requested().map_or(Ok(()), Err)
    }

    /// Layouts by number of mines; none if the witnesses contradict each other.
    pub fn profile(&self) -> Polynomial<W> {
        match self.last() {
            Some(row) => {
                Polynomial { least: row.least as usize, weights: self.ways[row.at..row.at + row.len as usize].to_vec() }
            }
            None => Polynomial { least: 0, weights: Vec::new() },
        }
    }

    fn last(&self) -> Option<Row> {
        self.rows[self.steps[self.sizes.len()]..].first().copied()
    }

    /// States over all steps.
    pub fn states(&self) -> usize {
        self.rows.len()
    }

    /// For each box the sum over all layouts of its mines, times what the goal makes of the layout; and which numbers of
    /// mines it has in any. Nonsense if the run is stopped.
    pub fn masses(&self, goal: &Polynomial<W>) -> Vec<Mass<W>> {
        let mut masses = vec![Mass { mines: W::zero(), possible: 0 }; self.boxes.len()];
        let Some(last) = self.last() else { return masses };
        let mut later: Vec<W> = (0..last.len)
            .map(|index| goal.get((last.least + index) as usize).cloned().unwrap_or_else(W::zero))
            .collect();
        let mut later_at = last.at;
        let mut now: Vec<W> = Vec::new();
        for step in (0..self.sizes.len()).rev() {
            if self.stop.requested().is_some() {
                break;
            }
            let rows = &self.rows[self.steps[step]..self.steps[step + 1]];
            let size = usize::from(self.sizes[step]);
            let at = rows[0].at;
            now.clear();
            now.resize(later_at - at, W::zero());
            let arrows = self.arrows[self.arrow_steps[step]..self.arrow_steps[step + 1]].chunks_exact(size + 1);
            let mut mass = Mass { mines: W::zero(), possible: 0 };
            for (row, arrows) in rows.iter().zip(arrows) {
                for (taken, &arrow) in arrows.iter().enumerate() {
                    if arrow == NOWHERE {
                        continue;
                    }
                    let target = self.rows[arrow as usize];
                    let shift = (row.least + taken as u32 - target.least) as usize;
                    let (first, last) = (target.at - later_at + shift, target.at - later_at + target.len as usize);
                    let finishes = &later[first.min(last)..last];
                    let sums = &mut now[row.at - at..];
                    let choose = CHOOSE[size][taken];
                    for (sum, finish) in sums[..row.len as usize].iter_mut().zip(finishes) {
                        sum.add_times(finish, choose);
                    }
                    let mut through = self.ways[row.at..row.at + row.len as usize].iter().zip(finishes);
                    if taken > 0 {
                        let mut sum = W::zero();
                        through.for_each(|(ways, finish)| sum.add_product(ways, finish));
                        mass.mines.add_times(&sum, choose * taken as u32);
                        mass.possible |= u16::from(!sum.is_zero()) << taken;
                    } else if mass.possible & 1 == 0 {
                        mass.possible |= u16::from(through.any(|(ways, finish)| !ways.is_zero() && !finish.is_zero()));
                    }
                }
            }
            masses[self.boxes[step] as usize] = mass;
            std::mem::swap(&mut now, &mut later);
            later_at = at;
        }
        masses
    }
}
