//! All reachable states and their distances to the nearest goal.
//!
//! Breadth-first search finds the states and records the edges. Dijkstra's algorithm then computes
//! the distances backwards from the goals.

use std::collections::BTreeMap;
use std::hash::BuildHasher;
use std::ops::ControlFlow;

use base::stop::StopReason;

use super::{Cost, Limits, NodeBudget, Space, StateHasher, Step, UNREACHABLE};

/// The reachable states in order of discovery, the start first.
pub struct StateGraph<M> {
    /// For each state except the start, the state and the move from which it was discovered.
    parents: Vec<Option<(u32, M)>>,
    /// Number of goals.
    pub goals: usize,
    /// Number of states at each depth, in moves from the start.
    pub layers: Vec<u64>,
    /// For each state, the minimum cost to reach a goal; [`UNREACHABLE`] if no goal can be reached.
    pub distances: Vec<Cost>,
}

impl<M: Copy> StateGraph<M> {
    /// The largest finite distance.
    pub fn farthest(&self) -> Option<Cost> {
        self.distances.iter().copied().filter(|&distance| distance != UNREACHABLE).max()
    }

    /// Returns a shortest sequence of moves from the start to `state`.
    pub fn moves_to(&self, mut state: usize) -> Vec<M> {
        let mut moves = Vec::new();
        while let Some((before, action)) = self.parents[state] {
            moves.push(action);
            state = before as usize;
        }
        moves.reverse();
        moves
    }
}

/// Assigns numbers to states in order of discovery.
struct StateIndex<S: Space> {
    states: Vec<S::State>,
    /// A hash table of state numbers with linear probing; more than half of the slots are free.
    slots: Vec<u32>,
}

impl<S: Space> StateIndex<S> {
    const FREE: u32 = u32::MAX;

    fn slot(&self, state: &S::State) -> usize {
        StateHasher.hash_one(state) as usize & (self.slots.len() - 1)
    }

    /// Makes room for `more` more states. Returns false if they would exceed `memory` or the range
    /// of the numbers.
    fn reserve(&mut self, more: usize, memory: u64) -> bool {
        let size = (2 * (self.states.len() + more + 1)).next_power_of_two();
        if size <= self.slots.len() {
            return true;
        }
        let bytes = size * size_of::<u32>() + size / 2 * size_of::<S::State>();
        if size > Self::FREE as usize || bytes as u64 > memory {
            return false;
        }
        self.states.reserve(size / 2 - self.states.len());
        self.slots = vec![Self::FREE; size];
        for number in 0..self.states.len() {
            let mut slot = self.slot(&self.states[number]);
            while self.slots[slot] != Self::FREE {
                slot = (slot + 1) % size;
            }
            self.slots[slot] = number as u32;
        }
        true
    }

    /// Looks up the numbers of `states`, and assigns numbers to new states. Reads all slots before
    /// it uses the first one, since main memory has a high latency but serves many requests at
    /// once.
    fn index_all(&mut self, states: &[S::State], numbers: &mut Vec<u32>) {
        let slots: Vec<usize> = states.iter().map(|state| self.slot(state)).collect();
        numbers.clear();
        numbers.extend(slots.iter().map(|&slot| self.slots[slot]));
        let is_match = |&number: &u32, state: &S::State| number != Self::FREE && self.states[number as usize] == *state;
        let is_known: Vec<bool> = numbers.iter().zip(states).map(|(number, state)| is_match(number, state)).collect();
        for (at, state) in states.iter().enumerate().filter(|&(at, _)| !is_known[at]) {
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

/// Explores the whole space.
///
/// # Errors
/// A limit was reached: the reason, and the number of states found by then.
pub fn explore_all<S: Space>(space: &S, limits: &Limits) -> Result<StateGraph<S::Move>, (StopReason, usize)> {
    /// Number of states whose successors are looked up together.
    const BATCH: usize = 16;
    let mut node_budget = NodeBudget::new(limits);
    let memory = limits.memory.unwrap_or(u64::MAX);
    let mut index: StateIndex<S> = StateIndex { states: vec![space.start()], slots: Vec::new() };
    let mut parents = vec![None];
    // The edges of each state in CSR form: their offsets, then (target, cost).
    let (mut offsets, mut edges) = (vec![0], Vec::<(u32, Cost)>::new());
    let (mut layers, mut layer_end) = (vec![1], 1);
    let (mut next, mut moves, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
    while offsets.len() <= index.states.len() {
        let head = offsets.len() - 1;
        if head == layer_end {
            layers.push((index.states.len() - layer_end) as u64);
            layer_end = index.states.len();
        }
        for (from, state) in (head..layer_end).zip(&index.states[head..]).take(BATCH) {
            if let ControlFlow::Break(reason) = node_budget.expand() {
                return Err((reason, index.states.len()));
            }
            let flow =
                space.successors(state, space.initial_pruning(state), None, |Step { action, cost, state, .. }| {
                    next.push(state);
                    moves.push((from as u32, action, cost));
                    ControlFlow::Continue(())
                });
            if flow.is_break() {
                return Err((node_budget.interruption(), index.states.len()));
            }
            offsets.push(edges.len() + next.len());
        }
        let bytes = ((edges.len() + next.len()) * 3 * size_of::<(u32, Cost)>()) as u64;
        let exceeds_memory = edges.len() + next.len() >= u32::MAX as usize || bytes > memory;
        if exceeds_memory || !index.reserve(next.len(), memory) {
            return Err((StopReason::MemoryLimit, index.states.len()));
        }
        index.index_all(&next, &mut numbers);
        next.clear();
        for ((from, action, cost), &number) in moves.drain(..).zip(&numbers) {
            edges.push((number, cost));
            if number as usize == parents.len() {
                parents.push(Some((from, action)));
            }
        }
    }
    let states = index.states;
    // The reverse edges, in CSR form.
    let mut ends = vec![0_u32; states.len() + 1];
    edges.iter().for_each(|&(to, _)| ends[to as usize + 1] += 1);
    (0..states.len()).for_each(|state| ends[state + 1] += ends[state]);
    let mut next = ends.clone();
    let mut back = vec![(0, 0); edges.len()];
    for from in 0..states.len() {
        for &(to, cost) in &edges[offsets[from]..offsets[from + 1]] {
            back[next[to as usize] as usize] = (from as u32, cost);
            next[to as usize] += 1;
        }
    }
    let goals: Vec<u32> = (0..).zip(&states).filter(|(_, state)| space.is_goal(state)).map(|(goal, _)| goal).collect();
    let distances = dijkstra(&ends, &back, &goals);
    if distances.contains(&MAX_DISTANCE) {
        return Err((StopReason::Overflow, states.len()));
    }
    Ok(StateGraph { parents, goals: goals.len(), layers, distances })
}

/// Saturated distance: also represents greater ones.
const MAX_DISTANCE: Cost = UNREACHABLE - 1;

/// Returns the minimum cost from each state to a goal. The predecessors of state s and the
/// costs of their edges are `back[ends[s]..ends[s + 1]]`.
pub fn dijkstra(ends: &[u32], back: &[(u32, Cost)], goals: &[u32]) -> Vec<Cost> {
    let mut distances = vec![UNREACHABLE; ends.len() - 1];
    // The queue has buckets by distance, since there are few distances and many states.
    let mut open: BTreeMap<Cost, Vec<u32>> = BTreeMap::from([(0, goals.to_vec())]);
    goals.iter().for_each(|&goal| distances[goal as usize] = 0);
    while let Some((distance, mut level)) = open.pop_first() {
        while let Some(state) = level.pop() {
            if distance > distances[state as usize] {
                continue;
            }
            for &(before, cost) in &back[ends[state as usize] as usize..ends[state as usize + 1] as usize] {
                let farther = distance.saturating_add(cost).min(MAX_DISTANCE);
                if farther < distances[before as usize] {
                    distances[before as usize] = farther;
                    if cost == 0 { &mut level } else { open.entry(farther).or_default() }.push(before);
                }
            }
        }
    }
    distances
}
