//! The native engine: follows trips and branches only where the trolley first meets a lever or a
//! gate.
//!
//! A network with 12 levers and 10 gates of 12 colours has 10¹⁴ configurations, but a trip meets
//! few of its levers and gates. The engine starts with nothing chosen. At a fork whose lever is
//! open it branches over the states; at a gate whose colour is open, over the colours; everywhere
//! else the trip is determined. What the trip never meets stays open. A leaf of this tree is
//! therefore a trip with *all* its configurations, and the leaves partition the set of
//! configurations: the work is proportional to the number of distinct trips, not of configurations.
//!
//! ```text
//!                 a ── green? ──┬─ 1 ── b ── yellow? ─┬─ 1 ── …
//!                               │                     └─ 2 ── d …
//!                               └─ 2 ── f ── red? ────┬─ 1 ── …
//! ```
//!
//! A fork whose ways all lead to one node does not depend on its lever and does not branch. A gate
//! that sets a lever reads it as a fork does.
//!
//! **Cycles.** A crossing moves a lever by one state whether its initial state is known or not, so
//! the engine counts crossings per colour, modulo the number of states. Two steps have the same
//! lever states exactly if these counts agree, for every configuration of the leaf alike. Between
//! two crossings no lever moves, so a node visited twice there closes a cycle; an array with the
//! last visit of each node detects that. A cycle that contains a crossing returns to the same side
//! of a gate with the same counts, so only visits of gates go into a hash set. The step at which
//! such a cycle closed is recovered afterwards, for the trips that are shown.
//!
//! The set stores a fingerprint instead of the counts: a sum to which each crossing adds a constant
//! of its colour. Equal counts have equal fingerprints; on a match the crossings since the earlier
//! visit decide whether the counts are equal as well. Memory is that of the network and one trip,
//! however many trips there are.
//!
//! `docs/notes/search.md` compares this with storing all steps, or all vectors of counts.

use std::ops::ControlFlow;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{EngineStats, Completion, MemoryLimit};
use crate::diagnostic::Failure;
use crate::puzzle::rail::network::{Kind, Network, NodeId};
use crate::puzzle::rail::trips::{GateRule, LazyTrip, Outcome, Pattern, Trip, Weight};
use crate::stop::CancelToken;

/// Passes every distinct trip of the configurations that match `pattern` to `found`, until `found`
/// breaks or `stop` is cancelled.
pub fn simulate(
    network: &Network,
    rules: GateRule,
    pattern: &Pattern,
    stop: &CancelToken,
    found: &mut dyn FnMut(&LazyTrip<'_>) -> Result<ControlFlow<()>, Failure>,
) -> Result<(EngineStats, Completion), Failure> {
    simulate_with_limit(network, rules, pattern, MemoryLimit::PER_TRIP, stop, found)
}

/// Like [`simulate`], with a memory limit per trip.
pub fn simulate_with_limit(
    network: &Network,
    rules: GateRule,
    pattern: &Pattern,
    memory: MemoryLimit,
    stop: &CancelToken,
    found: &mut dyn FnMut(&LazyTrip<'_>) -> Result<ControlFlow<()>, Failure>,
) -> Result<(EngineStats, Completion), Failure> {
    let mut search = Simulation::<false>::new(network, rules, pattern);
    let ended = search.run(memory, stop, found)?;
    Ok((search.stats, ended))
}

/// The nodes visited and the branches taken by some trip.
pub struct Coverage {
    pub visited: Vec<bool>,
    /// For each fork, by the state of its lever. Empty for forks that do not depend on their lever.
    pub taken: Vec<Vec<bool>>,
}

/// Like [`simulate_with_limit`], and also records coverage.
pub fn trace(
    network: &Network,
    rules: GateRule,
    pattern: &Pattern,
    memory: MemoryLimit,
    stop: &CancelToken,
    found: &mut dyn FnMut(&LazyTrip<'_>) -> Result<ControlFlow<()>, Failure>,
) -> Result<(EngineStats, Completion, Coverage), Failure> {
    let mut search = Simulation::<true>::new(network, rules, pattern);
    let ended = search.run(memory, stop, found)?;
    let taken = |of: &NodeAction| match *of {
        NodeAction::Fork { color, ways } => search.taken[ways as usize..][..search.sizes[color as usize]].to_vec(),
        _ => Vec::new(),
    };
    let taken = search.moves.iter().map(taken).collect();
    Ok((search.stats, ended, Coverage { visited: search.visited, taken }))
}

impl<const TRACED: bool> Simulation<'_, TRACED> {
    fn run(
        &mut self,
        memory: MemoryLimit,
        stop: &CancelToken,
        found: &mut dyn FnMut(&LazyTrip<'_>) -> Result<ControlFlow<()>, Failure>,
    ) -> Result<Completion, Failure> {
        let search = self;
        let most_steps = (memory.bytes / VISIT_BYTES).min(u64::from(NO_VISIT) - POLL_INTERVAL) as usize;
        for &start in &search.network.starts {
            let mut next = Some(start as u32);
            while let Some(node) = next {
                if search.stats.steps.is_multiple_of(POLL_INTERVAL) {
                    if search.steps.len() > most_steps {
                        return Ok(Completion::Limit(memory.reason));
                    }
                    if let Some(reason) = stop.requested() {
                        return Ok(Completion::Limit(reason));
                    }
                }
                if let Some(outcome) = search.step(node) {
                    search.stats.trips += 1;
                    search.stats.longest = search.stats.longest.max(search.steps.len());
                    let trip = || search.trip(outcome);
                    let (steps, gates) = (search.steps.len(), search.crossed);
                    let flow = found(&LazyTrip { outcome, steps, gates, weight: search.weight(), build: &trip })?;
                    // `found` may take time proportional to the trip, so poll again.
                    if flow.is_break() {
                        return Ok(Completion::Enough);
                    }
                    if let Some(reason) = stop.requested() {
                        return Ok(Completion::Limit(reason));
                    }
                    next = search.backtrack();
                } else {
                    next = Some(search.next_node());
                }
            }
        }
        Ok(Completion::Complete)
    }
}

/// What the trolley does at a node; at most two words of payload.
#[derive(Debug, Clone, Copy)]
enum NodeAction {
    Completion(Outcome),
    /// A fork whose ways all lead to this node.
    Straight(u32),
    /// A true fork. Its ways start at index `ways` of [`Simulation::ways`].
    Fork {
        color: u32,
        ways: u32,
    },
    Gate {
        gate: u32,
        next: u32,
    },
}

/// A lever or gate that the current trip has met.
#[derive(Debug, Clone, Copy)]
struct Choice {
    variable: Variable,
    /// Length of the trip at that point; `None` if the pattern fixes the value.
    steps: Option<usize>,
}

#[derive(Debug, Clone, Copy)]
enum Variable {
    Lever(usize),
    Gate(usize),
}

/// A gate crossing on the current trip.
#[derive(Debug, Clone, Copy)]
struct Crossing {
    color: u32,
    /// Number of states by which the lever moved.
    by: usize,
    /// Length of the trip, the gate included.
    steps: usize,
}

/// A step of the trip: the node, and the index of its previous visit (or [`NO_VISIT`]).
#[derive(Debug, Clone, Copy)]
struct Visit {
    node: u32,
    before: u32,
}

const NO_VISIT: u32 = u32::MAX;

/// Upper bound on the bytes per step: the visit, its crossing with the gate's fingerprint, and the
/// node in the trip passed on. Twice that, because vectors grow by doubling.
const VISIT_BYTES: u64 = 2 * (size_of::<Visit>() + size_of::<Crossing>() + 16 + size_of::<NodeId>()) as u64;
/// Steps between two polls of the cancellation token.
const POLL_INTERVAL: u64 = 4096;

/// The state of the search. `TRACED` records coverage, at the cost of one store per step.
struct Simulation<'a, const TRACED: bool> {
    network: &'a Network,
    rules: GateRule,
    moves: Vec<NodeAction>,
    ways: Vec<u32>,
    sizes: Vec<usize>,
    /// The first colour that a gate may have, and the number of such colours.
    first_color: usize,
    gate_colors: usize,
    /// Initial lever states and gate colours chosen so far.
    levers: Vec<Option<usize>>,
    gates: Vec<Option<usize>>,
    /// True if the current trip has read the lever, or crossed the gate.
    seen_levers: Vec<bool>,
    seen_gates: Vec<bool>,
    /// Number of distinct gates crossed by the current trip.
    crossed: usize,
    /// For each colour, the states by which the current trip has moved the lever (modulo its size).
    moved: Vec<usize>,
    /// Fingerprint of [`moved`](Self::moved).
    fingerprint: u64,
    steps: Vec<Visit>,
    /// For each node, the index of its last visit on the current trip.
    last: Vec<u32>,
    /// Nodes visited and ways taken by some trip (if `TRACED`).
    visited: Vec<bool>,
    taken: Vec<bool>,
    crossings: Vec<Crossing>,
    /// Sides of gates on the current trip, each combined with the fingerprint on arrival.
    gate_visits: FxHashSet<u64>,
    choices: Vec<Choice>,
    /// Number of configurations that match the pattern, if it fits.
    open_configurations: Option<u128>,
    stats: EngineStats,
}

impl<'a, const TRACED: bool> Simulation<'a, TRACED> {
    fn new(network: &'a Network, rules: GateRule, pattern: &Pattern) -> Self {
        let mut ways = Vec::new();
        let moves = (0..network.nodes.len()).map(|node| compile(network, rules, node, &mut ways)).collect();
        let taken = vec![false; ways.len()];
        let fixed = |values: &[Option<usize>]| values.iter().filter(|value| value.is_some()).count();
        let free_gates = (network.gates.len() - fixed(&pattern.gates)) as u32;
        let levers = network.colors.iter().zip(&pattern.levers).filter(|(_, value)| value.is_none());
        let free_levers = levers.map(|(color, _)| color.states.len() as u128).try_fold(1_u128, u128::checked_mul);
        let gate_colors = network.gate_colors().count();
        let open_configurations = (gate_colors as u128).checked_pow(free_gates).and_then(|gates| gates.checked_mul(free_levers?));
        Simulation {
            network,
            rules,
            moves,
            ways,
            sizes: network.colors.iter().map(|color| color.states.len()).collect(),
            first_color: network.gate_colors().next().unwrap_or(0),
            gate_colors,
            levers: pattern.levers.clone(),
            gates: pattern.gates.clone(),
            seen_levers: vec![false; network.colors.len()],
            seen_gates: vec![false; network.gates.len()],
            crossed: 0,
            moved: vec![0; network.colors.len()],
            fingerprint: 0,
            steps: Vec::new(),
            last: vec![NO_VISIT; network.nodes.len()],
            visited: vec![false; network.nodes.len()],
            taken,
            crossings: Vec::new(),
            gate_visits: FxHashSet::default(),
            choices: Vec::new(),
            open_configurations,
            stats: EngineStats::default(),
        }
    }

    /// Enters a node. Returns the outcome if the trip ends there.
    fn step(&mut self, node: u32) -> Option<Outcome> {
        let before = std::mem::replace(&mut self.last[node as usize], self.steps.len() as u32);
        self.steps.push(Visit { node, before });
        if TRACED {
            self.visited[node as usize] = true;
        }
        self.stats.steps += 1;
        if before != NO_VISIT && self.crossings.last().is_none_or(|crossing| before as usize >= crossing.steps) {
            return Some(Outcome::Cycle);
        }
        match self.moves[node as usize] {
            NodeAction::Completion(outcome) => Some(outcome),
            NodeAction::Gate { .. } if before != NO_VISIT && self.gate_visits.contains(&self.fingerprint_at(node)) && self.repeats_state(node) => {
                Some(Outcome::Cycle)
            }
            _ => None,
        }
    }

    fn fingerprint_at(&self, node: u32) -> u64 {
        self.fingerprint ^ mix(u64::from(node))
    }

    /// Moves a lever forward by `by` states.
    fn move_lever(&mut self, color: usize, by: usize) {
        let (size, moved) = (self.sizes[color], &mut self.moved[color]);
        let before = *moved;
        *moved = if before + by < size { before + by } else { before + by - size };
        let states = (*moved as u64).wrapping_sub(before as u64);
        self.fingerprint = self.fingerprint.wrapping_add(mix(!(color as u64)).wrapping_mul(states));
    }

    /// Returns true if the trip was at this side of a gate before with the same lever states.
    /// Exact: adds up the crossings since then.
    fn repeats_state(&self, node: u32) -> bool {
        let mut moved = vec![0; self.sizes.len()];
        let mut differing = 0;
        self.crossings.iter().rev().any(|crossing| {
            let color = crossing.color as usize;
            differing += usize::from(moved[color] == 0);
            moved[color] = (moved[color] + crossing.by) % self.sizes[color];
            differing -= usize::from(moved[color] == 0);
            differing == 0 && self.steps[crossing.steps - 1].node == node
        })
    }

    /// Returns the next node. A lever or gate met for the first time gets its first value.
    fn next_node(&mut self) -> u32 {
        let node = self.steps.last().expect("a trip has a first step").node;
        match self.moves[node as usize] {
            NodeAction::Straight(next) => next,
            NodeAction::Fork { color, ways } => {
                let color = color as usize;
                let state = self.value_of(Variable::Lever(color)) + self.moved[color];
                let state = if state < self.sizes[color] { state } else { state - self.sizes[color] };
                if TRACED {
                    self.taken[ways as usize + state] = true;
                }
                self.ways[ways as usize + state]
            }
            NodeAction::Gate { gate, next } => {
                let color = self.value_of(Variable::Gate(gate as usize));
                let by = match self.network.sets[gate as usize] {
                    None => 1,
                    // The distance to the set state depends on the initial state, so the lever is
                    // read.
                    Some((_, state)) => {
                        let size = self.sizes[color];
                        let now = (self.value_of(Variable::Lever(color)) + self.moved[color]) % size;
                        (state + size - now) % size
                    }
                };
                self.gate_visits.insert(self.fingerprint_at(node));
                self.crossings.push(Crossing { color: color as u32, by, steps: self.steps.len() });
                self.move_lever(color, by);
                next
            }
            NodeAction::Completion(_) => unreachable!("trips end there"),
        }
    }

    /// Returns the initial value of a lever or gate, choosing it on the first encounter.
    fn value_of(&mut self, variable: Variable) -> usize {
        let (value, first, is_seen) = match variable {
            Variable::Lever(color) => (&mut self.levers[color], 0, &mut self.seen_levers[color]),
            Variable::Gate(gate) => (&mut self.gates[gate], self.first_color, &mut self.seen_gates[gate]),
        };
        if !std::mem::replace(is_seen, true) {
            self.crossed += usize::from(matches!(variable, Variable::Gate(_)));
            self.choices.push(Choice { variable, steps: value.is_none().then_some(self.steps.len()) });
        }
        *value.get_or_insert(first)
    }

    /// Advances the last choice that has a next value, dropping exhausted ones. Returns the node
    /// after it, or `None` if the search is complete.
    fn backtrack(&mut self) -> Option<u32> {
        let network = self.network;
        while let Some(choice) = self.choices.pop() {
            let (value, size, is_seen) = match choice.variable {
                Variable::Lever(color) => (&mut self.levers[color], self.sizes[color], &mut self.seen_levers[color]),
                Variable::Gate(gate) => (&mut self.gates[gate], self.sizes.len(), &mut self.seen_gates[gate]),
            };
            if let Some(steps) = choice.steps {
                let may_be = |&next: &usize| matches!(choice.variable, Variable::Lever(_)) || !network.colors[next].is_own;
                *value = value.and_then(|value| (value + 1..size).find(may_be));
                if value.is_some() {
                    self.choices.push(choice);
                    self.truncate(steps);
                    return Some(self.next_node());
                }
            }
            *is_seen = false;
            self.crossed -= usize::from(matches!(choice.variable, Variable::Gate(_)));
        }
        self.truncate(0);
        None
    }

    /// Undoes all steps after the first `length`, and the crossing made by the last remaining one.
    fn truncate(&mut self, length: usize) {
        while let Some(crossing) = self.crossings.pop_if(|crossing| crossing.steps >= length) {
            let color = crossing.color as usize;
            self.move_lever(color, (self.sizes[color] - crossing.by) % self.sizes[color]);
            let side = self.fingerprint_at(self.steps[crossing.steps - 1].node);
            self.gate_visits.remove(&side);
        }
        for step in self.steps.drain(length..).rev() {
            self.last[step.node as usize] = step.before;
        }
    }

    /// Number of configurations with the current trip.
    fn weight(&self) -> Weight {
        let Some(mut weight) = self.open_configurations else {
            return Weight::Large(self.trip(Outcome::Win).configurations(self.network));
        };
        for choice in self.choices.iter().filter(|choice| choice.steps.is_some()) {
            weight /= match choice.variable {
                Variable::Lever(color) => self.sizes[color] as u128,
                Variable::Gate(_) => self.gate_colors as u128,
            };
        }
        Weight::Small(weight)
    }

    fn trip(&self, outcome: Outcome) -> Trip {
        let mut nodes: Vec<NodeId> = self.steps.iter().map(|step| step.node as usize).collect();
        if outcome == Outcome::Cycle {
            nodes.truncate(self.end_of_cycle());
        }
        Trip { nodes, outcome, levers: self.levers.clone(), gates: self.gates.clone(), rules: self.rules, reported_levers: None }
    }

    /// Length of the trip up to the first repeated step. A cycle may be noticed later, at a gate.
    fn end_of_cycle(&self) -> usize {
        let mut crossings = self.crossings.iter().peekable();
        let mut moved = vec![0; self.sizes.len()];
        let mut numbers = FxHashMap::from_iter([(moved.clone(), 0)]);
        let mut number = 0;
        let mut met = FxHashSet::default();
        for (index, step) in self.steps.iter().enumerate() {
            if !met.insert((step.node, number)) {
                return index + 1;
            }
            if let Some(crossing) = crossings.next_if(|crossing| crossing.steps == index + 1) {
                let color = crossing.color as usize;
                moved[color] = (moved[color] + crossing.by) % self.sizes[color];
                let fresh = numbers.len();
                number = *numbers.entry(moved.clone()).or_insert(fresh);
            }
        }
        self.steps.len()
    }
}

fn compile(network: &Network, rules: GateRule, node: NodeId, ways: &mut Vec<u32>) -> NodeAction {
    match &network.nodes[node].kind {
        Kind::Target => NodeAction::Completion(Outcome::Win),
        Kind::Loss => NodeAction::Completion(Outcome::Loss),
        Kind::DeadEnd | Kind::Gate { next: None, .. } => NodeAction::Completion(Outcome::Stuck),
        Kind::Gate { .. } if rules == GateRule::NoGate => NodeAction::Completion(Outcome::Stuck),
        Kind::Gate { gate, next: Some(next) } => NodeAction::Gate { gate: *gate as u32, next: *next as u32 },
        Kind::Fork { ways: own, .. } if own.iter().all(|&way| way == own[0]) => NodeAction::Straight(own[0] as u32),
        Kind::Fork { color, ways: own } => {
            let first = ways.len() as u32;
            ways.extend(own.iter().map(|&way| way as u32));
            NodeAction::Fork { color: *color as u32, ways: first }
        }
    }
}

/// The finaliser of splitmix64.
fn mix(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}
