//! All states that can be reached, and how far each is from the nearest goal.
//!
//! Breadth-first search finds the states and keeps the edges; from the goals back, Dijkstra's algorithm finds the distances.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use super::{Cost, Limits, Meter, Space, Step, Store, UNREACHABLE};
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

/// All of a space.
///
/// # Errors
/// The limit that ended it before, and how many states were found by then.
pub fn whole<S: Space>(space: &S, limits: &Limits) -> Result<Whole<S::Move>, (Reason, usize)> {
    let mut meter = Meter::new(limits);
    let mut store: Store<S, Option<(u32, S::Move)>> = Store::new(limits);
    store.states.insert(space.start(), None);
    // Of each state its successors and the costs, from this place on.
    let (mut firsts, mut edges) = (vec![0], Vec::<(u32, Cost)>::new());
    let (mut layers, mut layer_end) = (vec![1], 1);
    while firsts.len() <= store.states.len() {
        let head = firsts.len() - 1;
        if head == layer_end {
            layers.push((store.states.len() - layer_end) as u64);
            layer_end = store.states.len();
        }
        if let ControlFlow::Break(reason) = meter.expand() {
            return Err((reason, store.states.len()));
        }
        let state = store.states.get_index(head).expect("the head is below the length").0.clone();
        let trail = space.no_trail(&state);
        let mut is_full = false;
        let flow = space.successors(&state, trail, None, |Step { action, cost, state, .. }| {
            let bytes = (edges.len() * 3 * size_of::<(u32, Cost)>()) as u64;
            let is_short = edges.len() == u32::MAX as usize || limits.memory.is_some_and(|memory| bytes > memory);
            if is_short || store.reserve().is_err() {
                is_full = true;
                return ControlFlow::Break(());
            }
            let entry = store.states.entry(state);
            edges.push((entry.index() as u32, cost));
            entry.or_insert(Some((head as u32, action)));
            ControlFlow::Continue(())
        });
        if flow.is_break() {
            return Err((if is_full { Reason::MemoryLimit } else { meter.broken_off() }, store.states.len()));
        }
        firsts.push(edges.len());
    }
    let (states, found): (Vec<S::State>, Vec<_>) = store.states.into_iter().unzip();
    let goals: Vec<usize> = (0..states.len()).filter(|&state| space.is_goal(&states[state])).collect();
    let distances = distances(&firsts, &edges, &goals).ok_or((Reason::Overflow, states.len()))?;
    Ok(Whole { found, goals: goals.len(), layers, distances })
}

/// The cost of a best way from each state to one of the goals; nothing if no number holds it.
fn distances(firsts: &[usize], edges: &[(u32, Cost)], goals: &[usize]) -> Option<Vec<Cost>> {
    let states = firsts.len() - 1;
    // The edges by the states that they lead to.
    let mut ends = vec![0_u32; states + 1];
    edges.iter().for_each(|&(to, _)| ends[to as usize + 1] += 1);
    (0..states).for_each(|state| ends[state + 1] += ends[state]);
    let mut next = ends.clone();
    let mut back = vec![(0, 0); edges.len()];
    for from in 0..states {
        for &(to, cost) in &edges[firsts[from]..firsts[from + 1]] {
            back[next[to as usize] as usize] = (from as u32, cost);
            next[to as usize] += 1;
        }
    }
    let mut distances = vec![UNREACHABLE; states];
    // By their distance; there are few distances and many states.
    let mut open: BTreeMap<Cost, Vec<u32>> = BTreeMap::new();
    for &goal in goals {
        distances[goal] = 0;
        open.entry(0).or_default().push(goal as u32);
    }
    while let Some((distance, mut level)) = open.pop_first() {
        while let Some(state) = level.pop() {
            if distance > distances[state as usize] {
                continue;
            }
            for &(before, cost) in &back[ends[state as usize] as usize..ends[state as usize + 1] as usize] {
                let farther = distance.checked_add(cost).filter(|&distance| distance != UNREACHABLE)?;
                if farther < distances[before as usize] {
                    distances[before as usize] = farther;
                    if cost == 0 { &mut level } else { open.entry(farther).or_default() }.push(before);
                }
            }
        }
    }
    Some(distances)
}
