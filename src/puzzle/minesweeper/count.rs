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

/// Ways of a state, by the mines used until then; `at` counts from where the ways of its stretch begin.
#[derive(Debug, Clone, Copy)]
struct Row {
    least: u32,
    len: u32,
    at: usize,
}

impl Row {
    /// Adds what leads here: the ways of the row before that takes so many mines, so many times. `ways` begin at `from`.
    #[inline]
    fn add<W: Count>(&self, ways: &mut [W], from: usize, row: &Row, before: &[W], taken: usize, times: u32) {
        let shift = (row.least + taken as u32 - self.least) as usize;
        let sums = &mut ways[self.at - from..][..self.len as usize];
        for (sum, ways) in sums.iter_mut().skip(shift).zip(&before[row.at..][..row.len as usize]) {
            sum.add_times(ways, times);
        }
    }
}

/// Steps whose ways stand one behind the other.
#[derive(Clone)]
struct Stretch<W> {
    first: usize,
    /// Those of the first step alone, but for the last stretch, which has all of them.
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

/// All states of a component, and what leads to what.
#[derive(Clone)]
pub struct Chain<W> {
    boxes: Vec<u32>,
    sizes: Vec<u8>,
    /// Where the rows of each step begin; one more for the end.
    steps: Vec<usize>,
    rows: Vec<Row>,
    stretches: Vec<Stretch<W>>,
    /// For each row and number of mines of its box the row that follows.
    arrows: Vec<u32>,
    arrow_steps: Vec<usize>,
    stop: Stop,
}

const NOWHERE: u32 = u32::MAX;
/// A stretch ends where its ways take this part of the memory, and so many times what its last step takes.
const STRETCH: u64 = 128;
const STEPS: usize = 12;
/// For each expected state, at the least. On lattices of 15×15 to 25×25 cells one state in 30 to 700 is reached, with a
/// kilobyte for its ways, of which one in eight is kept.
const BYTES: f64 = 0.375;
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

impl<W: Count> Chain<W> {
    /// Counts the layouts of a component with at most `most` mines.
    ///
    /// No witness may lack more than seven mines: where eight are lacking, all cells around are mines, which is obvious.
    pub fn new(component: &Component, order: Order, most: usize, budget: &Budget) -> Result<Self, Reason> {
        Self::counted(component, order, most, budget, true)
    }

    /// The layouts of a component by number of mines, with little memory.
    pub fn profile_of(
        component: &Component,
        order: Order,
        most: usize,
        budget: &Budget,
    ) -> Result<Polynomial<W>, Reason> {
        Ok(Self::counted(component, order, most, budget, false)?.profile())
    }

    fn counted(
        component: &Component,
        order: Order,
        most: usize,
        budget: &Budget,
        has_masses: bool,
    ) -> Result<Self, Reason> {
        debug_assert!(component.witnesses.iter().all(|witness| witness.need < 8 && witness.closed <= 8));
        // Where there is no hope, no memory is filled to find that out.
        if order.states * BYTES > budget.memory as f64 / 4.0 {
            return Err(Reason::MemoryLimit);
        }
        match order.width.div_ceil(16) {
            0 | 1 => Self::forward::<1>(component, order, most, budget, has_masses),
            2 => Self::forward::<2>(component, order, most, budget, has_masses),
            3..=4 => Self::forward::<4>(component, order, most, budget, has_masses),
            5..=16 => Self::forward::<16>(component, order, most, budget, has_masses),
            17..=64 => Self::forward::<64>(component, order, most, budget, has_masses),
            _ => Err(Reason::MemoryLimit),
        }
    }

    fn forward<const N: usize>(
        component: &Component,
        order: Order,
        most: usize,
        budget: &Budget,
        has_masses: bool,
    ) -> Result<Self, Reason> {
        let steps = Step::<N>::all(component, &order);
        let sizes: Vec<u8> =
            order.boxes.iter().map(|&class| component.boxes[class as usize].cells.len() as u8).collect();
        let mut chain = Chain {
            boxes: order.boxes,
            sizes,
            steps: vec![0, 1],
            rows: vec![Row { least: 0, len: 1, at: 0 }],
            stretches: vec![Stretch { first: 0, ways: vec![W::one()] }],
            arrows: Vec::new(),
            arrow_steps: vec![0],
            stop: budget.stop.clone(),
        };
        let (mut keys, mut next_keys) = (vec![[0; N]], Vec::new());
        for (index, step) in steps.iter().enumerate() {
            chain.advance(index, step, &keys, &mut next_keys, most, budget)?;
            if has_masses {
                chain.cut(index + 1, budget);
            } else {
                chain.forget(index + 1);
            }
            std::mem::swap(&mut keys, &mut next_keys);
        }
        Ok(chain)
    }

    /// The ways of the steps that are at hand.
    fn ways(&self) -> &Vec<W> {
        &self.stretches.last().expect("a first stretch").ways
    }

    /// A new stretch begins with this step, the last until now, where the ways of the one before have become many.
    fn cut(&mut self, step: usize, budget: &Budget) {
        let begin = self.steps[step];
        let Some(&Row { at, .. }) = self.rows.get(begin) else { return };
        let stretch = self.stretches.last_mut().expect("a first stretch");
        let bytes = stretch.ways.len() * size_of::<W>();
        if (bytes as u64) < budget.memory / STRETCH || stretch.ways.len() < STEPS * (stretch.ways.len() - at) {
            return;
        }
        let ways = stretch.ways.split_off(at);
        let second = self.rows[self.steps[stretch.first + 1]].at;
        stretch.ways.truncate(second);
        stretch.ways.shrink_to_fit();
        self.stretches.push(Stretch { first: step, ways });
        self.rows[begin..].iter_mut().for_each(|row| row.at -= at);
    }

    /// Nothing is kept but this step, the last until now.
    fn forget(&mut self, step: usize) {
        let begin = self.steps[step];
        let at = self.rows.get(begin).map_or(0, |row| row.at);
        self.rows.drain(..begin);
        self.rows.iter_mut().for_each(|row| row.at -= at);
        self.stretches[0].ways.drain(..at);
        self.arrows.clear();
        self.steps[step] = 0;
        self.steps[step + 1] = self.rows.len();
    }

    /// The ways of all steps of a stretch up to `end`, found again from those of its first step.
    fn remember(&self, stretch: &Stretch<W>, end: usize) -> Vec<W> {
        let mut ways = stretch.ways.clone();
        for step in stretch.first..end - 1 {
            let (begin, middle, end) = (self.steps[step], self.steps[step + 1], self.steps[step + 2]);
            let len: usize = self.rows[middle..end].iter().map(|row| row.len as usize).sum();
            let split = ways.len();
            ways.resize(split + len, W::zero());
            let (before, after) = ways.split_at_mut(split);
            let size = usize::from(self.sizes[step]);
            let arrows = self.arrows[self.arrow_steps[step]..self.arrow_steps[step + 1]].chunks_exact(size + 1);
            for (row, arrows) in self.rows[begin..middle].iter().zip(arrows) {
                for (taken, &arrow) in arrows.iter().enumerate().filter(|&(_, &arrow)| arrow != NOWHERE) {
                    self.rows[arrow as usize].add(after, split, row, before, taken, CHOOSE[size][taken]);
                }
            }
        }
        ways
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
            let ways = &mut self.stretches.last_mut().expect("a first stretch").ways;
            let target = Row { least, len: end.saturating_sub(least), at: ways.len() };
            if is_kept {
                ways.resize(target.at + target.len as usize, W::zero());
            }
            for taken in 0..=size {
                if heads[taken] != Some(key) {
                    continue;
                }
                let source = at[taken];
                if is_kept {
                    self.arrows[arrow_begin + source * (size + 1) + taken] = self.rows.len() as u32;
                    let (before, now) = ways.split_at_mut(target.at);
                    target.add(now, target.at, &self.rows[begin + source], before, taken, CHOOSE[size][taken]);
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
            + self.stretches.iter().map(|stretch| stretch.ways.capacity()).sum::<usize>() * size_of::<W>()
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
                Polynomial { least: row.least as usize, weights: self.ways()[row.at..][..row.len as usize].to_vec() }
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
        let mut stretches = self.stretches.iter().rev().peekable();
        let mut remembered;
        let mut ways = self.ways();
        for step in (0..self.sizes.len()).rev() {
            if self.stop.requested().is_some() {
                break;
            }
            if stretches.next_if(|stretch| step < stretch.first).is_some() {
                remembered = self.remember(stretches.peek().expect("a first stretch"), step + 1);
                ways = &remembered;
            }
            let rows = &self.rows[self.steps[step]..self.steps[step + 1]];
            let size = usize::from(self.sizes[step]);
            let at = rows[0].at;
            now.clear();
            now.resize(rows.last().map_or(at, |row| row.at + row.len as usize) - at, W::zero());
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
                    let mut through = ways[row.at..][..row.len as usize].iter().zip(finishes);
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
            let most = position.mines.expect("a total") - position.count(Cell::Mine);
            let analysed = |memory| {
                let budget = Budget { memory, ..Budget::none() };
                let analysis = Analysis::<Wide>::new(&position, &budget, |_, _| Wide::one());
                let analysis = analysis.expect("memory enough").expect("a layout");
                let mut masses = Vec::new();
                analysis.masses(|cells, certainty, mass| masses.push((cells.to_vec(), certainty, *mass)));
                for (component, chain) in analysis.frontier.components.iter().zip(&analysis.chains) {
                    let order = || super::super::elimination::order(component, grid.stride());
                    assert_eq!(Chain::profile_of(component, order(), most, &budget), Ok(chain.profile()));
                    let low = Chain::<Low<4>>::profile_of(component, order(), most, &budget).expect("memory");
                    let exact = Chain::<BigUint>::profile_of(component, order(), most, &budget).expect("memory");
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
