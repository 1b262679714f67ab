//! Counts the layouts of a component by their number of mines, and the marginals of each group.
//!
//! The method is dynamic programming along an elimination order. A state holds the number of mines
//! that each active witness still needs, in three bits and a guard bit. Taking k mines for a group
//! subtracts k from all of its witnesses at once, and the guard bits show whether one of them fell
//! below zero. Subtracting the same number preserves the order of states, so the states after a
//! group are the merge of sorted lists, one for each k, and need no hashing:
//!
//! ```text
//!   states before     0012  0021  0111            lists for k = 0 and k = 1, both ascending
//!   group of witness 4
//!                     0012  0021  0111  │  0011  0020  0110   →  0011  0012  0020  0021  0110  0111
//! ```
//!
//! The states and their transitions are built first. States that cannot reach the end (on lattices
//! five of six) are pruned. The forward pass computes for each state the number of paths to it, by
//! the mines used. The backward pass computes the weight of all completions of the state. Their
//! product over a transition is the weight of all layouts that use it. The weight of a finished
//! component with m mines comes from the rest of the board (`coupling.rs`), so that both passes are
//! linear in states and mines.
//!
//! The forward pass would take nearly all of the memory. If it is large, only some of its steps
//! (checkpoints) are stored, and the backward pass recomputes the steps between two checkpoints.

use base::stop::{CancelToken, StopReason};
use puzzle::job::Job;

use super::elimination::Order;
use super::frontier::Component;
use super::weight::Weight;

/// Weights by number of mines, starting at `least`.
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

    /// Returns the product, truncated after `most` mines.
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

/// Default limit of the memory of a count, in bytes.
const DEFAULT_MEMORY: u64 = 2 << 30;

/// The frontier of a board is too wide to count its layouts in the default memory limit.
pub const WIDE_FRONTIER: StopReason = StopReason::Other("the frontier is too wide to be counted in 2 GiB");

/// The limits of a count.
#[derive(Clone)]
pub struct Budget {
    pub stop: CancelToken,
    /// Limit in bytes.
    pub memory: u64,
    /// The reason to report if the memory does not suffice.
    pub reason: StopReason,
}

impl Budget {
    /// Returns the limits of a job. Without a default limit, a wide frontier would use up all
    /// memory of the machine.
    pub fn of(job: &Job) -> Self {
        let (memory, reason) = match job.engine.limits.memory {
            Some(memory) => (memory, StopReason::MemoryLimit),
            None => (DEFAULT_MEMORY, WIDE_FRONTIER),
        };
        Budget { stop: job.stop.clone(), memory, reason }
    }

    /// Returns no limits, for positions that are known to be small.
    pub fn unlimited() -> Self {
        Budget { stop: CancelToken::new(), memory: u64::MAX, reason: WIDE_FRONTIER }
    }
}

/// A state. It has `len` forward counts, one for each number of mines used so far, from `least`.
/// `at` is the index of the first of them among the counts of all states.
#[derive(Debug, Clone, Copy)]
struct Row {
    least: u32,
    len: u32,
    at: usize,
}

/// A range of steps and its stored forward counts: those of the first step only, or those of all
/// steps for the last range.
#[derive(Clone)]
struct Checkpoint<W> {
    first: usize,
    forward: Vec<W>,
}

/// The marginal distribution of a group.
#[derive(Debug, Clone)]
pub struct Marginal<W> {
    /// The number of mines in the group, summed over all layouts with their weights.
    pub mines: W,
    /// Bit k is set if some layout has k mines in the group.
    pub possible: u16,
}

impl<W> Marginal<W> {
    pub fn is_safe(&self) -> bool {
        self.possible == 1
    }

    /// Returns true if all of `cells` cells are mines in every layout.
    pub fn is_full(&self, cells: usize) -> bool {
        self.possible == 1 << cells
    }
}

/// All states of a component that can reach the end, and their transitions.
#[derive(Clone)]
pub struct States {
    groups: Vec<u32>,
    sizes: Vec<u8>,
    /// Index of the first row of each step, and of the end.
    steps: Vec<usize>,
    rows: Vec<Row>,
    /// For each row and number of mines in its group, the next row.
    transitions: Vec<u32>,
    transition_steps: Vec<usize>,
    stop: CancelToken,
}

/// The states and the results of the forward pass.
#[derive(Clone)]
pub struct ForwardBackward<W> {
    pub states: States,
    checkpoints: Vec<Checkpoint<W>>,
}

const NO_ROW: u32 = u32::MAX;
/// A checkpoint is made once the forward counts since the last one take `CHECKPOINT_BYTES` or the
/// fraction 1/`MEMORY_DIVISOR` of the memory, and `CHECKPOINT_RATIO` times as much as the current
/// step.
const CHECKPOINT_BYTES: u64 = 4 << 20;
const MEMORY_DIVISOR: u64 = 128;
const CHECKPOINT_RATIO: usize = 8;
/// Lower bound on the bytes per expected state: on lattices of 15×15 to 25×25 cells one state in 30
/// to 700 is reached, with about 16 bytes for the row and its transitions.
const BYTES_PER_STATE: f64 = 0.02;
/// Binomial coefficients for groups, which have at most eight cells.
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

/// The needs of the active witnesses: sixteen per word, with four bits each, of which the highest
/// is a guard.
type Key<const N: usize> = [u64; N];

/// The states of a step and of the next one, and for all rows so far the range of mines used.
struct Layer<const N: usize> {
    keys: Vec<Key<N>>,
    next_keys: Vec<Key<N>>,
    ranges: Vec<(u32, u32)>,
}

/// The effect of a group on a state.
struct ForwardStep<const N: usize> {
    /// The needs of the witnesses that become active.
    wake: Key<N>,
    /// 1 for each witness of the group.
    unit: Key<N>,
    guard: Key<N>,
    /// The number of cells that each of these witnesses has left afterwards, an upper bound on its
    /// need.
    room: Key<N>,
}

impl<const N: usize> ForwardStep<N> {
    /// Returns the state after `taken` mines, or `None` if a witness would need fewer than zero
    /// mines or more than it has cells left.
    #[inline]
    fn after(&self, key: &Key<N>, taken: u64) -> Option<Key<N>> {
        let mut next = [0; N];
        let mut fits = true;
        for word in 0..N {
            let guard = self.guard[word];
            let rest = ((key[word] | self.wake[word]) | guard) - self.unit[word] * taken;
            fits &= rest & guard == guard;
            let rest = rest & !guard;
            let spare = (self.room[word] | guard).wrapping_sub(rest & (self.unit[word] * 7));
            fits &= spare & guard == guard;
            next[word] = rest;
        }
        fits.then_some(next)
    }

    fn all(component: &Component, order: &Order) -> Vec<ForwardStep<N>> {
        let mut slots: Vec<usize> = (0..N * 16).rev().collect();
        let mut slot_of = vec![usize::MAX; component.witnesses.len()];
        let mut cells_left: Vec<u8> = component.witnesses.iter().map(|witness| witness.closed).collect();
        let mut steps = Vec::with_capacity(order.groups.len());
        for &group in &order.groups {
            let group = &component.groups[group as usize];
            let mut step = ForwardStep { wake: [0; N], unit: [0; N], guard: [0; N], room: [0; N] };
            let mut finished_slots = Vec::new();
            for index in group.witnesses.iter() {
                let witness = &component.witnesses[index];
                let is_new = slot_of[index] == usize::MAX;
                if is_new {
                    slot_of[index] = slots.pop().expect("a slot for each active witness");
                }
                let (word, shift) = (slot_of[index] / 16, slot_of[index] % 16 * 4);
                if is_new {
                    step.wake[word] |= u64::from(witness.need) << shift;
                }
                step.unit[word] |= 1 << shift;
                step.guard[word] |= 8 << shift;
                cells_left[index] -= group.cells.len() as u8;
                step.room[word] |= u64::from(cells_left[index]) << shift;
                if cells_left[index] == 0 {
                    finished_slots.push(slot_of[index]);
                }
            }
            slots.extend(finished_slots);
            steps.push(step);
        }
        steps
    }
}

impl States {
    /// Builds the states of a component with at most `most` mines.
    ///
    /// No witness may need more than seven mines. If eight are missing, all cells around the number
    /// are mines, which is obvious.
    pub fn new(component: &Component, order: Order, most: usize, budget: &Budget) -> Result<Self, StopReason> {
        debug_assert!(component.witnesses.iter().all(|witness| witness.need < 8 && witness.closed <= 8));
        // Fail early instead of filling the memory first.
        if order.states * BYTES_PER_STATE > budget.memory as f64 / 2.0 {
            return Err(budget.reason);
        }
        match order.width.div_ceil(16) {
            0 | 1 => Self::explore::<1>(component, order, most, budget),
            2 => Self::explore::<2>(component, order, most, budget),
            3..=4 => Self::explore::<4>(component, order, most, budget),
            5..=16 => Self::explore::<16>(component, order, most, budget),
            17..=64 => Self::explore::<64>(component, order, most, budget),
            _ => Err(WIDE_FRONTIER),
        }
    }

    fn explore<const N: usize>(
        component: &Component,
        order: Order,
        most: usize,
        budget: &Budget,
    ) -> Result<Self, StopReason> {
        let steps = ForwardStep::<N>::all(component, &order);
        let size = |&group: &u32| component.groups[group as usize].cells.len() as u8;
        let mut states = States {
            sizes: order.groups.iter().map(size).collect(),
            groups: order.groups,
            steps: vec![0, 1],
            rows: Vec::new(),
            transitions: Vec::new(),
            transition_steps: vec![0],
            stop: budget.stop.clone(),
        };
        let mut layer = Layer { keys: vec![[0; N]], next_keys: Vec::new(), ranges: vec![(0, 1)] };
        for (index, step) in steps.iter().enumerate() {
            states.advance(index, step, &mut layer, most, budget)?;
            std::mem::swap(&mut layer.keys, &mut layer.next_keys);
        }
        states.prune_dead_ends(&layer.ranges);
        Ok(states)
    }

    /// Renumbers the rows that can reach the end and drops the others.
    fn prune_dead_ends(&mut self, ranges: &[(u32, u32)]) {
        let mut numbers = vec![NO_ROW; ranges.len()];
        numbers[self.steps[self.sizes.len()]..].fill(0);
        for step in (0..self.sizes.len()).rev() {
            let transitions =
                self.transitions[self.transition_steps[step]..].chunks_exact(usize::from(self.sizes[step]) + 1);
            for (row, transitions) in (self.steps[step]..self.steps[step + 1]).zip(transitions) {
                if transitions.iter().any(|&target_row| target_row != NO_ROW && numbers[target_row as usize] != NO_ROW)
                {
                    numbers[row] = 0;
                }
            }
        }
        let (mut count, mut at) = (0, 0);
        for (number, &(least, end)) in numbers.iter_mut().zip(ranges).filter(|(number, _)| **number != NO_ROW) {
            *number = count;
            count += 1;
            let len = end - least;
            self.rows.push(Row { least, len, at });
            at += len as usize;
        }
        let mut new_len = 0;
        for step in 0..self.sizes.len() {
            let (length, begin) = (usize::from(self.sizes[step]) + 1, self.transition_steps[step]);
            self.transition_steps[step] = new_len;
            for (index, row) in (self.steps[step]..self.steps[step + 1]).enumerate() {
                if numbers[row] == NO_ROW {
                    continue;
                }
                for from in begin + index * length..begin + (index + 1) * length {
                    let target_row = self.transitions[from];
                    self.transitions[new_len] = numbers.get(target_row as usize).copied().unwrap_or(NO_ROW);
                    new_len += 1;
                }
            }
        }
        *self.transition_steps.last_mut().expect("the end") = new_len;
        self.transitions.truncate(new_len);
        self.transitions.shrink_to_fit();
        let mut row_count = 0;
        for step in 0..=self.sizes.len() {
            let old_begin = std::mem::replace(&mut self.steps[step], row_count);
            row_count += numbers[old_begin..self.steps[step + 1]].iter().filter(|&&number| number != NO_ROW).count();
        }
        *self.steps.last_mut().expect("the end") = row_count;
    }

    /// Computes the states of the next step: merges the sorted lists of successors, one for each
    /// number of mines.
    fn advance<const N: usize>(
        &mut self,
        index: usize,
        step: &ForwardStep<N>,
        layer: &mut Layer<N>,
        most: usize,
        budget: &Budget,
    ) -> Result<(), StopReason> {
        let Layer { keys, next_keys, ranges } = layer;
        next_keys.clear();
        let size = usize::from(self.sizes[index]);
        let (begin, transition_begin) = (self.steps[index], self.transitions.len());
        self.transitions.resize(transition_begin + keys.len() * (size + 1), NO_ROW);
        // For each number of mines, the position in its list and the state at this position.
        let mut at = [0_usize; 9];
        let mut heads: [Option<Key<N>>; 9] = [None; 9];
        let next_successor = |at: &mut usize, taken: usize| {
            while *at < keys.len() {
                if let Some(key) = step.after(&keys[*at], taken as u64) {
                    return Some(key);
                }
                *at += 1;
            }
            None
        };
        for taken in 0..=size {
            heads[taken] = next_successor(&mut at[taken], taken);
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
                let bytes = (self.transitions.len() * 4 + others) as u64;
                if bytes > budget.memory / 4 * 3 || ranges.len() >= NO_ROW as usize - (1 << 13) {
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
                    self.transitions[transition_begin + at[taken] * (size + 1) + taken] = ranges.len() as u32;
                }
                at[taken] += 1;
                heads[taken] = next_successor(&mut at[taken], taken);
            }
            if is_kept {
                ranges.push((least, end));
                next_keys.push(key);
            }
        }
        self.steps.push(ranges.len());
        self.transition_steps.push(self.transitions.len());
        Ok(())
    }

    /// Returns the number of states.
    pub fn count(&self) -> usize {
        self.rows.len()
    }

    fn last(&self) -> Option<Row> {
        self.rows.last().copied()
    }

    /// Returns the index of the first forward count of a step.
    fn offset(&self, step: usize) -> usize {
        let end = || self.last().map_or(0, |row| row.at + row.len as usize);
        self.rows.get(self.steps[step]).map_or_else(end, |row| row.at)
    }

    fn forward_len(&self, step: usize) -> usize {
        self.offset(step + 1) - self.offset(step)
    }

    /// Returns the rows of a step, each with its transitions by number of mines.
    fn step(&self, step: usize) -> impl Iterator<Item = (&Row, &[u32])> {
        let transitions =
            self.transitions[self.transition_steps[step]..].chunks_exact(usize::from(self.sizes[step]) + 1);
        self.rows[self.steps[step]..self.steps[step + 1]].iter().zip(transitions)
    }

    /// Adds the forward counts of a step to those of the next one.
    fn advance_forward<W: Weight>(&self, step: usize, before: &[W], after: &mut [W]) {
        let (from, to, size) = (self.offset(step), self.offset(step + 1), usize::from(self.sizes[step]));
        for (row, transitions) in self.step(step) {
            let forward = &before[row.at - from..][..row.len as usize];
            for (taken, &target_row) in transitions.iter().enumerate().filter(|&(_, &target_row)| target_row != NO_ROW)
            {
                let target = self.rows[target_row as usize];
                let shift = (row.least + taken as u32 - target.least) as usize;
                let sums = &mut after[target.at - to..][..target.len as usize];
                for (sum, forward) in sums.iter_mut().skip(shift).zip(forward) {
                    sum.add_times(forward, CHOOSE[size][taken]);
                }
            }
        }
    }

    /// Computes the forward counts of `step` from those of the step `first`, storing one step at a
    /// time. The result is meaningless if the run is cancelled.
    fn forward_at<W: Weight>(&self, step: usize, (first, forward): (usize, &[W])) -> Vec<W> {
        (first..step).fold(forward.to_vec(), |before, step| {
            let mut after = vec![W::zero(); self.forward_len(step + 1)];
            if self.stop.requested().is_none() {
                self.advance_forward(step, &before, &mut after);
            }
            after
        })
    }

    /// Computes the forward counts of all steps from `first` up to `end`, exclusive. The result is
    /// meaningless if the run is cancelled.
    fn forward_up_to<W: Weight>(&self, end: usize, (first, forward): (usize, &[W])) -> Vec<W> {
        let from = self.offset(first);
        let mut all = vec![W::zero(); self.offset(end) - from];
        all[..forward.len()].clone_from_slice(forward);
        for step in (first..end - 1).take_while(|_| self.stop.requested().is_none()) {
            let (before, after) = all.split_at_mut(self.offset(step + 1) - from);
            let (begin, len) = (self.offset(step) - from, self.forward_len(step + 1));
            self.advance_forward(step, &before[begin..], &mut after[..len]);
        }
        all
    }

    /// Returns the number of layouts by number of mines; empty if the witnesses contradict each
    /// other.
    pub fn profile<W: Weight>(&self) -> Result<Polynomial<W>, StopReason> {
        let Some(last) = self.last() else { return Ok(Polynomial { least: 0, weights: Vec::new() }) };
        let weights = self.forward_at(self.sizes.len(), (0, &[W::one()]));
        self.stop.requested().map_or(Ok(Polynomial { least: last.least as usize, weights }), Err)
    }
}

impl<W: Weight> ForwardBackward<W> {
    /// Runs the forward pass.
    pub fn new(states: States, budget: &Budget) -> Result<Self, StopReason> {
        let bytes = |forward: usize| (forward * size_of::<W>()) as u64;
        let end = states.sizes.len();
        let (mut firsts, mut first, mut stored_len, mut longest) = (vec![0], 0, 1, 0);
        for step in 1..=end {
            let (step_len, range_len) = (states.forward_len(step), states.offset(step + 1) - states.offset(first));
            longest = longest.max(range_len + 2 * step_len);
            if bytes(range_len) >= CHECKPOINT_BYTES.min(budget.memory / MEMORY_DIVISOR)
                && range_len >= CHECKPOINT_RATIO * step_len
            {
                firsts.push(step);
                first = step;
                stored_len += step_len;
            }
        }
        let mut count = ForwardBackward { states, checkpoints: Vec::with_capacity(firsts.len()) };
        if count.bytes() + bytes(stored_len + longest) > budget.memory / 4 * 3 {
            return Err(budget.reason);
        }
        let (states, mut forward) = (&count.states, (0, vec![W::one()]));
        if states.rows.is_empty() {
            return Ok(count);
        }
        for first in firsts.into_iter().skip(1) {
            let next = states.forward_at(first, (forward.0, &forward.1));
            count
                .checkpoints
                .push(Checkpoint { first: forward.0, forward: std::mem::replace(&mut forward, (first, next)).1 });
        }
        let last = states.forward_up_to(end + 1, (forward.0, &forward.1));
        count.checkpoints.push(Checkpoint { first: forward.0, forward: last });
        budget.stop.requested().map_or(Ok(count), Err)
    }

    /// Returns the memory in bytes, without heap storage of the weights.
    pub fn bytes(&self) -> u64 {
        let bytes = self.states.rows.len() * size_of::<Row>()
            + self.checkpoints.iter().map(|checkpoint| checkpoint.forward.len()).sum::<usize>() * size_of::<W>()
            + self.states.transitions.len() * 4;
        bytes as u64
    }

    /// Returns the number of layouts by number of mines; empty if the witnesses contradict each
    /// other.
    pub fn profile(&self) -> Polynomial<W> {
        let forward = self.checkpoints.last().zip(self.states.last());
        forward.map_or(Polynomial { least: 0, weights: Vec::new() }, |(checkpoint, row)| Polynomial {
            least: row.least as usize,
            weights: checkpoint.forward[checkpoint.forward.len() - row.len as usize..].to_vec(),
        })
    }

    /// Runs the backward pass: returns the marginals of each group, where `rest_weights` weights the
    /// layouts by their number of mines. The result is meaningless if the run is cancelled.
    pub fn marginals(&self, rest_weights: &Polynomial<W>) -> Vec<Marginal<W>> {
        let states = &self.states;
        let mut marginals = vec![Marginal { mines: W::zero(), possible: 0 }; states.groups.len()];
        let Some(last) = states.last() else { return marginals };
        let mut later: Vec<W> = (0..last.len)
            .map(|index| rest_weights.get((last.least + index) as usize).cloned().unwrap_or_else(W::zero))
            .collect();
        let mut current: Vec<W> = Vec::new();
        let mut checkpoints = self.checkpoints.iter().rev();
        let mut checkpoint = checkpoints.next().expect("a first checkpoint");
        let mut recomputed;
        let mut forward = &checkpoint.forward;
        for step in (0..states.sizes.len()).rev() {
            if states.stop.requested().is_some() {
                break;
            }
            if step < checkpoint.first {
                checkpoint = checkpoints.next().expect("a first checkpoint");
                recomputed = states.forward_up_to(step + 1, (checkpoint.first, &checkpoint.forward));
                forward = &recomputed;
            }
            let (at, later_at, begin) = (states.offset(step), states.offset(step + 1), states.offset(checkpoint.first));
            let size = usize::from(states.sizes[step]);
            current.clear();
            current.resize(later_at - at, W::zero());
            let mut marginal = Marginal { mines: W::zero(), possible: 0 };
            for (row, transitions) in states.step(step) {
                for (taken, &target_row) in transitions.iter().enumerate() {
                    if target_row == NO_ROW {
                        continue;
                    }
                    let target = states.rows[target_row as usize];
                    let shift = (row.least + taken as u32 - target.least) as usize;
                    let (first, last) = (target.at - later_at + shift, target.at - later_at + target.len as usize);
                    let completions = &later[first.min(last)..last];
                    let sums = &mut current[row.at - at..];
                    let choose = CHOOSE[size][taken];
                    for (sum, completion) in sums[..row.len as usize].iter_mut().zip(completions) {
                        sum.add_times(completion, choose);
                    }
                    let mut through = forward[row.at - begin..][..row.len as usize].iter().zip(completions);
                    if taken > 0 {
                        let mut sum = W::zero();
                        through.for_each(|(forward, completion)| sum.add_product(forward, completion));
                        marginal.mines.add_times(&sum, choose * taken as u32);
                        marginal.possible |= u16::from(!sum.is_zero()) << taken;
                    } else if marginal.possible & 1 == 0 {
                        marginal.possible |=
                            u16::from(through.any(|(forward, completion)| !forward.is_zero() && !completion.is_zero()));
                    }
                }
            }
            marginals[states.groups[step] as usize] = marginal;
            std::mem::swap(&mut current, &mut later);
        }
        marginals
    }

    /// Draws a layout with `mines` mines from the end to the beginning and returns the mines of
    /// each group. `pick` receives the weights of the possible predecessors of a state and chooses
    /// one. The result is meaningless if the run is cancelled.
    pub fn sample(&self, mines: usize, mut pick: impl FnMut(&[W]) -> usize) -> Vec<u8> {
        let states = &self.states;
        let mut drawn = vec![0; states.groups.len()];
        let mut checkpoints = self.checkpoints.iter().rev();
        let Some(mut checkpoint) = checkpoints.next() else { return drawn };
        let mut recomputed;
        let mut forward = &checkpoint.forward;
        // The row after the current step, and the mines used up to it.
        let (mut after, mut mines) = (states.rows.len() - 1, mines as u32);
        for step in (0..states.sizes.len()).rev() {
            if states.stop.requested().is_some() {
                break;
            }
            if step < checkpoint.first {
                checkpoint = checkpoints.next().expect("a first checkpoint");
                recomputed = states.forward_up_to(step + 1, (checkpoint.first, &checkpoint.forward));
                forward = &recomputed;
            }
            let (begin, size) = (states.offset(checkpoint.first), usize::from(states.sizes[step]));
            let (mut predecessors, mut weights) = (Vec::new(), Vec::new());
            for (row, (state, transitions)) in (states.steps[step]..).zip(states.step(step)) {
                for taken in (0..=size).filter(|&taken| transitions[taken] as usize == after) {
                    let index = (mines as usize).checked_sub(taken + state.least as usize);
                    if let Some(index) = index.filter(|&index| index < state.len as usize) {
                        let mut weight = W::zero();
                        weight.add_times(&forward[state.at - begin + index], CHOOSE[size][taken]);
                        predecessors.push((row, taken as u8));
                        weights.push(weight);
                    }
                }
            }
            let Some(&(row, taken)) = predecessors.get(pick(&weights)) else { break };
            drawn[states.groups[step] as usize] = taken;
            (after, mines) = (row, mines - u32::from(taken));
        }
        drawn
    }
}

#[cfg(test)]
mod tests {
    use crate::elimination::order;
    use crate::frontier::Frontier;
    use crate::grid::{Cell, Grid};
    use crate::obvious;
    use crate::position::KnownPosition;
    use crate::weight::WideFloat;
    use num_bigint::BigUint;

    use super::*;

    #[test]
    fn marginals_do_not_depend_on_the_checkpoints() {
        let mut random = fastrand::Rng::with_seed(7);
        let grid = Grid { rows: 7, columns: 13 };
        for _ in 0..20 {
            let is_number = |cell: usize| grid.place(cell).iter().all(|at| at.is_multiple_of(2));
            let mut is_mine = vec![false; grid.extent()];
            for cell in grid.cells() {
                is_mine[cell] = !is_number(cell) && random.u8(..) < 90;
            }
            let mut position = KnownPosition::closed(grid, Some(is_mine.iter().filter(|&&is_mine| is_mine).count()));
            for cell in grid.cells().filter(|&cell| is_number(cell)) {
                let number = grid.around(cell).into_iter().filter(|&neighbor| is_mine[neighbor]).count();
                position.cells[cell] = Cell::Open(number as u8);
            }
            obvious::mark_all(&mut position, |_| ()).expect("a layout");
            let frontier = Frontier::new(&position).expect("no obvious contradiction");
            let mines_left = position.mines.expect("a total") - position.count(Cell::Mine);
            let analyze = |memory| {
                let budget = Budget { memory, ..Budget::unlimited() };
                let (mut marginals, mut checkpoints) = (Vec::new(), 0);
                for component in &frontier.components {
                    let states = States::new(component, order(component, grid.stride()), mines_left, &budget);
                    let count = ForwardBackward::<WideFloat>::new(states.expect("enough memory"), &budget);
                    let count = count.expect("enough memory");
                    let profile = count.profile();
                    let rest_weights = Polynomial { weights: vec![WideFloat::one(); profile.weights.len()], ..profile };
                    marginals.extend(count.marginals(&rest_weights).into_iter().map(|it| (it.mines, it.possible)));
                    checkpoints = checkpoints.max(count.checkpoints.len());
                    assert_eq!(count.states.profile(), Ok(count.profile()));
                    let exact = count.states.profile::<BigUint>().expect("not cancelled");
                    let wide = count.profile().weights;
                    assert!(exact.weights.iter().map(WideFloat::from).eq(wide));
                }
                (marginals, checkpoints)
            };
            let (all, few) = (analyze(u64::MAX), analyze(1 << 18));
            assert_eq!(all.0, few.0);
            assert_eq!(all.1, 1);
            assert!(few.1 > 1, "{}", few.1);
        }
    }
}
