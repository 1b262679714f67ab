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
//! First the states are found and what leads to what; those from which no way leads to the end, on lattices five of six, are
//! left out. Then, forward, each state has the number of ways to reach it, by the mines used; backward, the weight of all ways to
//! finish it. Their product over an arrow is the weight of all layouts through that arrow. The weight of a finished component
//! with m mines (its *goal*) is what the rest of the board makes of it, so that both passes are linear in states and mines.
//!
//! Nearly all memory would go to the ways forward. Where they are many, only those of some steps are kept (checkpoints), and
//! the backward pass finds the others again along the arrows, a stretch of steps at a time.

use super::elimination::Order;
use super::frontier::Component;
use super::weight::Count;
use crate::job::Job;
use crate::stop::{Reason, Stop};

/// Weights by number of mines, from `least` on.
#[derive(Debug, Clone, PartialEq)]
pub struct Polynomial<W> {
    pub least: usize,
    pub weights: Vec<W>,
}

impl<W: Count> Polynomial<W> {
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
const MEMORY: u64 = 2 << 30;

/// What a count may use.
#[derive(Clone)]
pub struct Budget {
    pub stop: Stop,
    /// Bytes.
    pub memory: u64,
    /// Why a count ends that needs more.
    pub reason: Reason,
}

impl Budget {
    /// What a job may take. A wide frontier would take all the memory there is, and the machine with it.
    pub fn of(job: &Job) -> Self {
        let (memory, reason) = match job.limits.memory {
            Some(memory) => (memory, Reason::MemoryLimit),
            None => (MEMORY, Reason::WideFrontier),
        };
        Budget { stop: job.stop.clone(), memory, reason }
    }

    /// As much as it takes, for positions that are known to be small.
    pub fn none() -> Self {
        Budget { stop: Stop::new(), memory: u64::MAX, reason: Reason::WideFrontier }
    }
}

/// Ways of a state, by the mines used until then; `at` counts those of all states before it.
#[derive(Debug, Clone, Copy)]
struct Row {
    least: u32,
    len: u32,
    at: usize,
}

/// Steps of which nothing is kept but the ways of the first; of the last stretch, all.
#[derive(Clone)]
struct Stretch<W> {
    first: usize,
    ways: Vec<W>,
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

/// All states of a component from which it can be finished, and what leads to what.
#[derive(Clone)]
pub struct States {
    boxes: Vec<u32>,
    sizes: Vec<u8>,
    /// Where the rows of each step begin; one more for the end.
    steps: Vec<usize>,
    rows: Vec<Row>,
    /// For each row and number of mines of its box the row that follows.
    arrows: Vec<u32>,
    arrow_steps: Vec<usize>,
    stop: Stop,
}

/// States with the ways to reach them.
#[derive(Clone)]
pub struct Chain<W> {
    pub states: States,
    stretches: Vec<Stretch<W>>,
}

const NOWHERE: u32 = u32::MAX;
/// A stretch ends where its ways take so many bytes or this part of the memory, and so many times what its last step takes.
const STRETCH: u64 = 4 << 20;
const PART: u64 = 128;
const STEPS: usize = 8;
/// For each expected state, at the least. On lattices of 15×15 to 25×25 cells one state in 30 to 700 is reached, with
/// some 16 bytes for the row and its arrows.
const BYTES: f64 = 0.02;
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

/// States of one step and of the next, and for all until now from which number of mines to which they can be reached.
struct Layer<const N: usize> {
    keys: Vec<Key<N>>,
    next_keys: Vec<Key<N>>,
    ranges: Vec<(u32, u32)>,
}

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

impl States {
    /// The states of a component with at most `most` mines.
    ///
    /// No witness may lack more than seven mines: where eight are lacking, all cells around are mines, which is obvious.
    pub fn new(component: &Component, order: Order, most: usize, budget: &Budget) -> Result<Self, Reason> {
        debug_assert!(component.witnesses.iter().all(|witness| witness.need < 8 && witness.closed <= 8));
        // Where there is no hope, no memory is filled to find that out.
        if order.states * BYTES > budget.memory as f64 / 2.0 {
            return Err(budget.reason);
        }
        match order.width.div_ceil(16) {
            0 | 1 => Self::reached::<1>(component, order, most, budget),
            2 => Self::reached::<2>(component, order, most, budget),
            3..=4 => Self::reached::<4>(component, order, most, budget),
            5..=16 => Self::reached::<16>(component, order, most, budget),
            17..=64 => Self::reached::<64>(component, order, most, budget),
            _ => Err(Reason::WideFrontier),
        }
    }

    fn reached<const N: usize>(
        component: &Component,
        order: Order,
        most: usize,
        budget: &Budget,
    ) -> Result<Self, Reason> {
        let steps = Step::<N>::all(component, &order);
        let size = |&class: &u32| component.boxes[class as usize].cells.len() as u8;
        let mut states = States {
            sizes: order.boxes.iter().map(size).collect(),
            boxes: order.boxes,
            steps: vec![0, 1],
            rows: Vec::new(),
            arrows: Vec::new(),
            arrow_steps: vec![0],
            stop: budget.stop.clone(),
        };
        let mut layer = Layer { keys: vec![[0; N]], next_keys: Vec::new(), ranges: vec![(0, 1)] };
        for (index, step) in steps.iter().enumerate() {
            states.advance(index, step, &mut layer, most, budget)?;
            std::mem::swap(&mut layer.keys, &mut layer.next_keys);
        }
        states.keep_finished(&layer.ranges);
        Ok(states)
    }

    /// Gives the states rows from which the component can be finished, and forgets the others.
    fn keep_finished(&mut self, ranges: &[(u32, u32)]) {
        let mut numbers = vec![NOWHERE; ranges.len()];
        numbers[self.steps[self.sizes.len()]..].fill(0);
        for step in (0..self.sizes.len()).rev() {
            let arrows = self.arrows[self.arrow_steps[step]..].chunks_exact(usize::from(self.sizes[step]) + 1);
            for (row, arrows) in (self.steps[step]..self.steps[step + 1]).zip(arrows) {
                if arrows.iter().any(|&arrow| arrow != NOWHERE && numbers[arrow as usize] != NOWHERE) {
                    numbers[row] = 0;
                }
            }
        }
        let (mut count, mut at) = (0, 0);
        for (number, &(least, end)) in numbers.iter_mut().zip(ranges).filter(|(number, _)| **number != NOWHERE) {
            *number = count;
            count += 1;
            let len = end - least;
            self.rows.push(Row { least, len, at });
            at += len as usize;
        }
        let mut kept = 0;
        for step in 0..self.sizes.len() {
            let (length, begin) = (usize::from(self.sizes[step]) + 1, self.arrow_steps[step]);
            self.arrow_steps[step] = kept;
            for (index, row) in (self.steps[step]..self.steps[step + 1]).enumerate() {
                if numbers[row] == NOWHERE {
                    continue;
                }
                for from in begin + index * length..begin + (index + 1) * length {
                    let arrow = self.arrows[from];
                    self.arrows[kept] = numbers.get(arrow as usize).copied().unwrap_or(NOWHERE);
                    kept += 1;
                }
            }
        }
        *self.arrow_steps.last_mut().expect("the end") = kept;
        self.arrows.truncate(kept);
        self.arrows.shrink_to_fit();
        let mut passed = 0;
        for step in 0..=self.sizes.len() {
            let before = std::mem::replace(&mut self.steps[step], passed);
            passed += numbers[before..self.steps[step + 1]].iter().filter(|&&number| number != NOWHERE).count();
        }
        *self.steps.last_mut().expect("the end") = passed;
    }

    /// One step: merges the sorted lists of what follows for each number of mines.
    fn advance<const N: usize>(
        &mut self,
        index: usize,
        step: &Step<N>,
        layer: &mut Layer<N>,
        most: usize,
        budget: &Budget,
    ) -> Result<(), Reason> {
        let Layer { keys, next_keys, ranges } = layer;
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
        loop {
            let mut least: Option<Key<N>> = None;
            for head in heads[..=size].iter().flatten() {
                if least.is_none_or(|least| *head < least) {
                    least = Some(*head);
                }
            }
            let Some(key) = least else { break };
            if ranges.len().is_multiple_of(1 << 12) {
                let others = (keys.len() + next_keys.len()) * size_of::<Key<N>>() + ranges.len() * 12;
                let bytes = (self.arrows.len() * 4 + others) as u64;
                if bytes > budget.memory / 4 * 3 || ranges.len() >= NOWHERE as usize - (1 << 13) {
                    return Err(budget.reason);
                }
                budget.stop.requested().map_or(Ok(()), Err)?;
            }
            let (mut least, mut end) = (u32::MAX, 0);
            for taken in (0..=size).filter(|&taken| heads[taken] == Some(key)) {
                let (from, to) = ranges[begin + at[taken]];
                least = least.min(from + taken as u32);
                end = end.max(to + taken as u32);
            }
            let end = end.min(u32::try_from(most).map_or(u32::MAX, |most| most.saturating_add(1)));
            let is_kept = least < end;
            for taken in 0..=size {
                if heads[taken] != Some(key) {
                    continue;
                }
                if is_kept {
                    self.arrows[arrow_begin + at[taken] * (size + 1) + taken] = ranges.len() as u32;
                }
                at[taken] += 1;
                heads[taken] = find(&mut at[taken], taken);
            }
            if is_kept {
                ranges.push((least, end));
                next_keys.push(key);
            }
        }
        self.steps.push(ranges.len());
        self.arrow_steps.push(self.arrows.len());
        Ok(())
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.rows.len()
    }

    fn last(&self) -> Option<Row> {
        self.rows.last().copied()
    }

    /// Where the ways of a step begin among all.
    fn place(&self, step: usize) -> usize {
        let end = || self.last().map_or(0, |row| row.at + row.len as usize);
        self.rows.get(self.steps[step]).map_or_else(end, |row| row.at)
    }

    fn ways_of(&self, step: usize) -> usize {
        self.place(step + 1) - self.place(step)
    }

    /// The rows of a step, and what follows each for each number of mines.
    fn step(&self, step: usize) -> impl Iterator<Item = (&Row, &[u32])> {
        let arrows = self.arrows[self.arrow_steps[step]..].chunks_exact(usize::from(self.sizes[step]) + 1);
        self.rows[self.steps[step]..self.steps[step + 1]].iter().zip(arrows)
    }

    /// Adds to the ways of the next step those that lead there.
    fn add_ways<W: Count>(&self, step: usize, before: &[W], after: &mut [W]) {
        let (from, to, size) = (self.place(step), self.place(step + 1), usize::from(self.sizes[step]));
        for (row, arrows) in self.step(step) {
            let ways = &before[row.at - from..][..row.len as usize];
            for (taken, &arrow) in arrows.iter().enumerate().filter(|&(_, &arrow)| arrow != NOWHERE) {
                let target = self.rows[arrow as usize];
                let shift = (row.least + taken as u32 - target.least) as usize;
                let sums = &mut after[target.at - to..][..target.len as usize];
                for (sum, ways) in sums.iter_mut().skip(shift).zip(ways) {
                    sum.add_times(ways, CHOOSE[size][taken]);
                }
            }
        }
    }

    /// The ways of a step by those of an earlier one, with little memory; nonsense if the run is stopped.
    fn ways_at<W: Count>(&self, step: usize, (first, ways): (usize, &[W])) -> Vec<W> {
        (first..step).fold(ways.to_vec(), |before, step| {
            let mut after = vec![W::zero(); self.ways_of(step + 1)];
            if self.stop.requested().is_none() {
                self.add_ways(step, &before, &mut after);
            }
            after
        })
    }

    /// The ways of a step and of those behind it up to `end`; nonsense if the run is stopped.
    fn ways_up_to<W: Count>(&self, end: usize, (first, ways): (usize, &[W])) -> Vec<W> {
        let from = self.place(first);
        let mut all = vec![W::zero(); self.place(end) - from];
        all[..ways.len()].clone_from_slice(ways);
        for step in (first..end - 1).take_while(|_| self.stop.requested().is_none()) {
            let (before, after) = all.split_at_mut(self.place(step + 1) - from);
            let (begin, len) = (self.place(step) - from, self.ways_of(step + 1));
            self.add_ways(step, &before[begin..], &mut after[..len]);
        }
        all
    }

    /// Layouts by number of mines; none if the witnesses contradict each other.
    pub fn profile<W: Count>(&self) -> Result<Polynomial<W>, Reason> {
        let Some(last) = self.last() else { return Ok(Polynomial { least: 0, weights: Vec::new() }) };
        let weights = self.ways_at(self.sizes.len(), (0, &[W::one()]));
        self.stop.requested().map_or(Ok(Polynomial { least: last.least as usize, weights }), Err)
    }
}

impl<W: Count> Chain<W> {
    /// Counts the layouts of a component.
    pub fn new(states: States, budget: &Budget) -> Result<Self, Reason> {
        let bytes = |ways: usize| (ways * size_of::<W>()) as u64;
        let end = states.sizes.len();
        let (mut firsts, mut first, mut kept, mut longest) = (vec![0], 0, 1, 0);
        for step in 1..=end {
            let (own, begun) = (states.ways_of(step), states.place(step + 1) - states.place(first));
            longest = longest.max(begun + 2 * own);
            if bytes(begun) >= STRETCH.min(budget.memory / PART) && begun >= STEPS * own {
                firsts.push(step);
                first = step;
                kept += own;
            }
        }
        let mut chain = Chain { states, stretches: Vec::with_capacity(firsts.len()) };
        if chain.bytes() + bytes(kept + longest) > budget.memory / 4 * 3 {
            return Err(budget.reason);
        }
        let (states, mut ways) = (&chain.states, (0, vec![W::one()]));
        if states.rows.is_empty() {
            return Ok(chain);
        }
        for first in firsts.into_iter().skip(1) {
            let next = states.ways_at(first, (ways.0, &ways.1));
            chain.stretches.push(Stretch { first: ways.0, ways: std::mem::replace(&mut ways, (first, next)).1 });
        }
        let last = states.ways_up_to(end + 1, (ways.0, &ways.1));
        chain.stretches.push(Stretch { first: ways.0, ways: last });
        budget.stop.requested().map_or(Ok(chain), Err)
    }

    /// What it takes in memory, without what its weights hold elsewhere.
    pub fn bytes(&self) -> u64 {
        let bytes = self.states.rows.len() * size_of::<Row>()
            + self.stretches.iter().map(|stretch| stretch.ways.len()).sum::<usize>() * size_of::<W>()
            + self.states.arrows.len() * 4;
        bytes as u64
    }

    /// Layouts by number of mines; none if the witnesses contradict each other.
    pub fn profile(&self) -> Polynomial<W> {
        let ways = self.stretches.last().zip(self.states.last());
        ways.map_or(Polynomial { least: 0, weights: Vec::new() }, |(stretch, row)| Polynomial {
            least: row.least as usize,
            weights: stretch.ways[stretch.ways.len() - row.len as usize..].to_vec(),
        })
    }

    /// For each box the sum over all layouts of its mines, times what the goal makes of the layout; and which numbers of
    /// mines it has in any. Nonsense if the run is stopped.
    pub fn masses(&self, goal: &Polynomial<W>) -> Vec<Mass<W>> {
        let states = &self.states;
        let mut masses = vec![Mass { mines: W::zero(), possible: 0 }; states.boxes.len()];
        let Some(last) = states.last() else { return masses };
        let mut later: Vec<W> = (0..last.len)
            .map(|index| goal.get((last.least + index) as usize).cloned().unwrap_or_else(W::zero))
            .collect();
        let mut now: Vec<W> = Vec::new();
        let mut stretches = self.stretches.iter().rev();
        let mut stretch = stretches.next().expect("a first stretch");
        let mut remembered;
        let mut ways = &stretch.ways;
        for step in (0..states.sizes.len()).rev() {
            if states.stop.requested().is_some() {
                break;
            }
            if step < stretch.first {
                stretch = stretches.next().expect("a first stretch");
                remembered = states.ways_up_to(step + 1, (stretch.first, &stretch.ways));
                ways = &remembered;
            }
            let (at, later_at, begin) = (states.place(step), states.place(step + 1), states.place(stretch.first));
            let size = usize::from(states.sizes[step]);
            now.clear();
            now.resize(later_at - at, W::zero());
            let mut mass = Mass { mines: W::zero(), possible: 0 };
            for (row, arrows) in states.step(step) {
                for (taken, &arrow) in arrows.iter().enumerate() {
                    if arrow == NOWHERE {
                        continue;
                    }
                    let target = states.rows[arrow as usize];
                    let shift = (row.least + taken as u32 - target.least) as usize;
                    let (first, last) = (target.at - later_at + shift, target.at - later_at + target.len as usize);
                    let finishes = &later[first.min(last)..last];
                    let sums = &mut now[row.at - at..];
                    let choose = CHOOSE[size][taken];
                    for (sum, finish) in sums[..row.len as usize].iter_mut().zip(finishes) {
                        sum.add_times(finish, choose);
                    }
                    let mut through = ways[row.at - begin..][..row.len as usize].iter().zip(finishes);
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
            masses[states.boxes[step] as usize] = mass;
            std::mem::swap(&mut now, &mut later);
        }
        masses
    }

    /// Draws a layout with so many mines from the end to the beginning: the mines of each box. `pick` gets the weights of what
    /// may come before a state, and chooses one. Nonsense if the run is stopped.
    pub fn draw(&self, mines: usize, mut pick: impl FnMut(&[W]) -> usize) -> Vec<u8> {
        let states = &self.states;
        let mut drawn = vec![0; states.boxes.len()];
        let mut stretches = self.stretches.iter().rev();
        let Some(mut stretch) = stretches.next() else { return drawn };
        let mut remembered;
        let mut ways = &stretch.ways;
        // What is reached behind the step: a state, and the mines until then.
        let (mut after, mut mines) = (states.rows.len() - 1, mines as u32);
        for step in (0..states.sizes.len()).rev() {
            if states.stop.requested().is_some() {
                break;
            }
            if step < stretch.first {
                stretch = stretches.next().expect("a first stretch");
                remembered = states.ways_up_to(step + 1, (stretch.first, &stretch.ways));
                ways = &remembered;
            }
            let (begin, size) = (states.place(stretch.first), usize::from(states.sizes[step]));
            let (mut before, mut weights) = (Vec::new(), Vec::new());
            for (row, (state, arrows)) in (states.steps[step]..).zip(states.step(step)) {
                for taken in (0..=size).filter(|&taken| arrows[taken] as usize == after) {
                    let index = (mines as usize).checked_sub(taken + state.least as usize);
                    if let Some(index) = index.filter(|&index| index < state.len as usize) {
                        let mut weight = W::zero();
                        weight.add_times(&ways[state.at - begin + index], CHOOSE[size][taken]);
                        before.push((row, taken as u8));
                        weights.push(weight);
                    }
                }
            }
            let Some(&(row, taken)) = before.get(pick(&weights)) else { break };
            drawn[states.boxes[step] as usize] = taken;
            (after, mines) = (row, mines - u32::from(taken));
        }
        drawn
    }
}

#[cfg(test)]
mod tests {
    use super::super::grid::{Cell, Grid, Position};
    use super::super::obvious;
    use super::super::probability::Analysis;
    use super::super::weight::{Low, Wide};
    use super::*;
    use num_bigint::BigUint;

    #[test]
    fn masses_do_not_depend_on_which_ways_are_kept() {
        let mut random = fastrand::Rng::with_seed(7);
        let grid = Grid { rows: 7, columns: 13 };
        for _ in 0..20 {
            let is_number = |cell: usize| grid.place(cell).iter().all(|place| place.is_multiple_of(2));
            let mut is_mine = vec![false; grid.extent()];
            grid.cells().for_each(|cell| is_mine[cell] = !is_number(cell) && random.u8(..) < 90);
            let mut position = Position::closed(grid, Some(is_mine.iter().filter(|&&is_mine| is_mine).count()));
            for cell in grid.cells().filter(|&cell| is_number(cell)) {
                let number = grid.around(cell).into_iter().filter(|&near| is_mine[near]).count();
                position.cells[cell] = Cell::Open(number as u8);
            }
            obvious::mark_all(&mut position, |_| ()).expect("a layout");
            let analysed = |memory| {
                let budget = Budget { memory, ..Budget::none() };
                let analysis = Analysis::<Wide>::new(&position, &budget, |_, _| Wide::one());
                let analysis = analysis.expect("memory enough").expect("a layout");
                let mut masses = Vec::new();
                analysis.masses(|cells, certainty, mass| masses.push((cells.to_vec(), certainty, *mass)));
                for chain in &analysis.chains {
                    assert_eq!(chain.states.profile(), Ok(chain.profile()));
                    let low = chain.states.profile::<Low<4>>().expect("no wish to stop");
                    let exact = chain.states.profile::<BigUint>().expect("no wish to stop");
                    assert_eq!(low.weights.into_iter().map(BigUint::from).collect::<Vec<_>>(), exact.weights);
                }
                (masses, analysis.chains.iter().map(|chain| chain.stretches.len()).max())
            };
            let (all, few) = (analysed(u64::MAX), analysed(1 << 18));
            assert_eq!(all.0, few.0);
            assert_eq!(all.1, Some(1));
            assert!(few.1 > Some(1), "{:?}", few.1);
        }
    }
}
