//! All states that can be reached, and how far each is from the nearest goal.
//!
//! Breadth-first search finds the states and keeps the edges; from the goals back, Dijkstra's algorithm finds the distances.

use std::collections::BTreeMap;
use std::hash::BuildHasher;
use std::ops::ControlFlow;

use super::{Cost, HashOfStates, Limits, Meter, Space, Step, UNREACHABLE};
use crate::stop::Reason;

/// The states in the order of their discovery, the start first.
pub struct Whole<M> {
    /// By which move each was found first, and from which state.
    found: Vec<Option<(u32, M)>>,
    /// How many of them are goals.
    pub goals: usize,
    /// How many there are at each depth, in moves from the start.
    pub layers: Vec<u64>,
    /// The cost of a best way from each to a goal; [`UNREACHABLE`] where there is none.
    pub distances: Vec<Cost>,
}

impl<M: Copy> Whole<M> {
    /// The largest distance from which a goal can be reached.
    pub fn farthest(&self) -> Option<Cost> {
        self.distances.iter().copied().filter(|&distance| distance != UNREACHABLE).max()
    }

    /// The fewest moves from the start to a state.
    pub fn moves_to(&self, mut state: usize) -> Vec<M> {
        let mut moves = Vec::new();
        while let Some((before, action)) = self.found[state] {
            moves.push(action);
            state = before as usize;
        }
        moves.reverse();
        moves
    }
}

/// States by their numbers, in the order of their discovery.
struct Numbers<S: Space> {
    states: Vec<S::State>,
    /// Numbers by the hash of their state, or of what comes after it; more than half of them free.
    slots: Vec<u32>,
}

impl<S: Space> Numbers<S> {
    const FREE: u32 = u32::MAX;

    fn slot(&self, state: &S::State) -> usize {
        HashOfStates.hash_one(state) as usize & (self.slots.len() - 1)
    }

    /// Room for so many more states, if the memory and the numbers suffice.
    fn reserve(&mut self, more: usize, memory: u64) -> bool {
        let wanted = (2 * (self.states.len() + more + 1)).next_power_of_two();
        if wanted <= self.slots.len() {
            return true;
        }
        let bytes = wanted * size_of::<u32>() + wanted / 2 * size_of::<S::State>();
        if wanted > Self::FREE as usize || bytes as u64 > memory {
            return false;
        }
        self.states.reserve(wanted / 2 - self.states.len());
        self.slots = vec![Self::FREE; wanted];
        for number in 0..self.states.len() {
            let mut slot = self.slot(&self.states[number]);
            while self.slots[slot] != Self::FREE {
                slot = (slot + 1) % wanted;
            }
            self.slots[slot] = number as u32;
        }
        true
    }

    /// The numbers of states, new ones for those that were not met before. Memory is slow and waits for many at once: all are
    /// looked up before the first is needed.
    fn of(&mut self, states: &[S::State], numbers: &mut Vec<u32>) {
        let slots: Vec<usize> = states.iter().map(|state| self.slot(state)).collect();
        numbers.clear();
        numbers.extend(slots.iter().map(|&slot| self.slots[slot]));
        let is_it = |&number: &u32, state: &S::State| number != Self::FREE && self.states[number as usize] == *state;
        let known: Vec<bool> = numbers.iter().zip(states).map(|(number, state)| is_it(number, state)).collect();
        for (at, state) in states.iter().enumerate().filter(|&(at, _)| !known[at]) {
            let mut slot = slots[at];
            while self.slots[slot] != Self::FREE && self.states[self.slots[slot] as usize] != *state {
                slot = (slot + 1) % self.slots.len();
            }
            if self.slots[slot] == Self::FREE {
                self.slots[slot] = self.states.len() as u32;
                self.states.push(state.clone());
            }
            numbers[at] = self.slots[slot];
        }
    }
}

/// All of a space.
///
/// # Errors
/// The limit that ended it before, and how many states were found by then.
pub fn whole<S: Space>(space: &S, limits: &Limits) -> Result<Whole<S::Move>, (Reason, usize)> {
    /// States that are expanded before those after them are looked up.
    const AT_ONCE: usize = 16;
    let mut meter = Meter::new(limits);
    let memory = limits.memory.unwrap_or(u64::MAX);
    let mut known: Numbers<S> = Numbers { states: vec![space.start()], slots: Vec::new() };
    let mut found = vec![None];
    // Of each state its successors and the costs, from this place on.
    let (mut firsts, mut edges) = (vec![0], Vec::<(u32, Cost)>::new());
    let (mut layers, mut layer_end) = (vec![1], 1);
    let (mut next, mut moves, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
    while firsts.len() <= known.states.len() {
        let head = firsts.len() - 1;
        if head == layer_end {
            layers.push((known.states.len() - layer_end) as u64);
            layer_end = known.states.len();
        }
        for (from, state) in (head..layer_end).zip(&known.states[head..]).take(AT_ONCE) {
            if let ControlFlow::Break(reason) = meter.expand() {
                return Err((reason, known.states.len()));
            }
            let flow = space.successors(state, space.no_trail(state), None, |Step { action, cost, state, .. }| {
                next.push(state);
                moves.push((from as u32, action, cost));
                ControlFlow::Continue(())
            });
            if flow.is_break() {
                return Err((meter.broken_off(), known.states.len()));
            }
            firsts.push(edges.len() + next.len());
        }
        let bytes = ((edges.len() + next.len()) * 3 * size_of::<(u32, Cost)>()) as u64;
        let is_short = edges.len() + next.len() >= u32::MAX as usize || bytes > memory;
        if is_short || !known.reserve(next.len(), memory) {
            return Err((Reason::MemoryLimit, known.states.len()));
        }
        known.of(&next, &mut numbers);
        next.clear();
        for ((from, action, cost), &number) in moves.drain(..).zip(&numbers) {
            edges.push((number, cost));
            if number as usize == found.len() {
                found.push(Some((from, action)));
            }
        }
    }
    let states = known.states;
    // The edges by the states that they lead to.
    let mut ends = vec![0_u32; states.len() + 1];
    edges.iter().for_each(|&(to, _)| ends[to as usize + 1] += 1);
    (0..states.len()).for_each(|state| ends[state + 1] += ends[state]);
    let mut next = ends.clone();
    let mut back = vec![(0, 0); edges.len()];
    for from in 0..states.len() {
        for &(to, cost) in &edges[firsts[from]..firsts[from + 1]] {
            back[next[to as usize] as usize] = (from as u32, cost);
            next[to as usize] += 1;
        }
    }
    let goals: Vec<u32> = (0..).zip(&states).filter(|(_, state)| space.is_goal(state)).map(|(goal, _)| goal).collect();
    let distances = distances(&ends, &back, &goals);
    match distances.contains(&MOST) {
        true => Err((Reason::Overflow, states.len())),
        false => Ok(Whole { found, goals: goals.len(), layers, distances }),
    }
}

/// Stands for greater distances too.
const MOST: Cost = UNREACHABLE - 1;

/// The cost of a best way from each state to one of the goals. Those from which an edge leads to a state stand in `back`, from
/// the place that `ends` has for it up to that of the next one.
pub fn distances(ends: &[u32], back: &[(u32, Cost)], goals: &[u32]) -> Vec<Cost> {
    let mut distances = vec![UNREACHABLE; ends.len() - 1];
    // By their distance; there are few distances and many states.
    let mut open: BTreeMap<Cost, Vec<u32>> = BTreeMap::from([(0, goals.to_vec())]);
    goals.iter().for_each(|&goal| distances[goal as usize] = 0);
    while let Some((distance, mut level)) = open.pop_first() {
        while let Some(state) = level.pop() {
            if distance > distances[state as usize] {
                continue;
            }
            for &(before, cost) in &back[ends[state as usize] as usize..ends[state as usize + 1] as usize] {
                let farther = distance.saturating_add(cost).min(MOST);
                if farther < distances[before as usize] {
                    distances[before as usize] = farther;
                    if cost == 0 { &mut level } else { open.entry(farther).or_default() }.push(before);
                }
            }
        }
    }
    distances
}
