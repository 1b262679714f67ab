//! The native engine: follows trips, and branches only where a trip depends on a lever or a gate
//! for the first time.
//!
//! A network with 12 levers and 10 gates of 12 colours has 10¹⁴ configurations, but a single trip
//! depends on few of the levers and gates. At first, all of them are open. At a fork whose lever is
//! open, the engine branches over the states of the lever; at a gate whose colour is open, over the
//! colours; everywhere else the trip is determined. Levers and gates on which the trip does not
//! depend stay open. A leaf of this search tree is therefore a trip with *all* its configurations,
//! and the leaves partition the set of configurations. The work is proportional to the number of
//! distinct trips and not of configurations.
//!
//! ```text
//!                 a ── green? ──┬─ 1 ── b ── yellow? ─┬─ 1 ── …
//!                               │                     └─ 2 ── d …
//!                               └─ 2 ── f ── red? ────┬─ 1 ── …
//! ```
//!
//! A fork whose ways all lead to the same node does not depend on its lever, so the search does not
//! branch there. At a gate that sets a lever it does, since the move depends on the lever's state.
//!
//! **Cycles.** A crossing moves a lever by one state even if its initial state is not known, so the
//! engine counts the crossings of each colour, modulo the number of states. Two steps of a trip
//! have the same lever states exactly if these counts are equal, in every configuration of the
//! leaf. Between two crossings no lever moves, so a node that is visited twice between them closes
//! a cycle; an array with the last visit of each node detects this. A cycle that contains a
//! crossing returns to the same side of a gate with the same counts, so a hash set stores only the
//! visits of gates. The step at which such a cycle closed is computed afterwards, for the trips
//! that are shown.
//!
//! Instead of the counts, the hash set stores a fingerprint: a sum to which each crossing adds a
//! constant that belongs to its colour. Equal counts have equal fingerprints. If fingerprints
//! match, the crossings since the earlier visit decide whether the counts are equal too. The engine
//! needs memory for the network and a single trip, independently of the number of trips.
//!
//! `docs/notes/search.md` compares this method with storing all steps, or all vectors of counts.

use std::ops::ControlFlow;

use base::diagnostic::Failure;
use base::stop::CancelToken;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Completion, EngineStats, MemoryLimit};
use crate::network::{Kind, Network, NodeId};
use crate::trips::{GateRule, LazyTrip, Outcome, Pattern, Trip, Weight};

/// Passes every distinct trip of the configurations that match `pattern` to `on_trip`, until
/// `on_trip` breaks or `stop` is cancelled.
pub fn simulate(
    network: &Network,
    rules: GateRule,
    pattern: &Pattern,
    stop: &CancelToken,
    on_trip: &mut dyn FnMut(&LazyTrip<'_>) -> Result<ControlFlow<()>, Failure>,
) -> Result<(EngineStats, Completion), Failure> {
    simulate_with_limit(network, rules, pattern, MemoryLimit::PER_TRIP, stop, on_trip)
}

/// Passes every distinct trip of the configurations that match `pattern`, by the rules with gates,
/// to `on_trip`, until it breaks or `stop` is cancelled.
pub fn for_each_trip(
    network: &Network,
    pattern: &Pattern,
    stop: &CancelToken,
    mut on_trip: impl FnMut(&LazyTrip<'_>) -> ControlFlow<()>,
) -> Result<(EngineStats, Completion), Failure> {
    simulate(network, GateRule::DynamicGate, pattern, stop, &mut |trip| Ok(on_trip(trip)))
}

/// Like [`simulate`], with the given memory limit for each trip.
pub fn simulate_with_limit(
    network: &Network,
    rules: GateRule,
    pattern: &Pattern,
    memory: MemoryLimit,
    stop: &CancelToken,
    on_trip: &mut dyn FnMut(&LazyTrip<'_>) -> Result<ControlFlow<()>, Failure>,
) -> Result<(EngineStats, Completion), Failure> {
    let mut search = Simulation::<false>::new(network, rules, pattern);
    let ended = search.run(memory, stop, on_trip)?;
    Ok((search.stats, ended))
}

/// The nodes visited and the branches taken by some trip.
pub struct Coverage {
    pub visited: Vec<bool>,
    /// For each fork, true for the states of its lever in which some trip visits it. Empty for
    /// forks that do not depend on their lever.
    pub taken: Vec<Vec<bool>>,
}

/// Like [`simulate_with_limit`], but also records coverage.
pub fn trace(
    network: &Network,
    rules: GateRule,
    pattern: &Pattern,
    memory: MemoryLimit,
    stop: &CancelToken,
    on_trip: &mut dyn FnMut(&LazyTrip<'_>) -> Result<ControlFlow<()>, Failure>,
) -> Result<(EngineStats, Completion, Coverage), Failure> {
    let mut search = Simulation::<true>::new(network, rules, pattern);
    let ended = search.run(memory, stop, on_trip)?;
    let taken = |action: &NodeAction| match *action {
        NodeAction::Fork { color, ways } => search.taken[ways as usize..][..search.sizes[color as usize]].to_vec(),
        _ => Vec::new(),
    };
    let taken = search.actions.iter().map(taken).collect();
    Ok((search.stats, ended, Coverage { visited: search.visited, taken }))
}

impl<const TRACED: bool> Simulation<'_, TRACED> {
    fn run(
        &mut self,
        memory: MemoryLimit,
        stop: &CancelToken,
        on_trip: &mut dyn FnMut(&LazyTrip<'_>) -> Result<ControlFlow<()>, Failure>,
    ) -> Result<Completion, Failure> {
        let search = self;
        let max_steps = (memory.bytes / VISIT_BYTES).min(u64::from(NO_VISIT) - POLL_INTERVAL) as usize;
        for &start in &search.network.starts {
            let mut next = Some(start as u32);
            while let Some(node) = next {
                if search.stats.steps.is_multiple_of(POLL_INTERVAL) {
                    if search.steps.len() > max_steps {
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
                    let flow = on_trip(&LazyTrip { outcome, steps, gates, weight: search.weight(), build: &trip })?;
                    // `on_trip` may take time proportional to the trip, so poll again.
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

/// The effect of a node on the trip: [`Kind`] in a compact form.
#[derive(Debug, Clone, Copy)]
enum NodeAction {
    End(Outcome),
    /// A fork whose ways all lead to the same node.
    Straight(u32),
    /// A fork that depends on its lever. Its ways start at index `ways` of [`Simulation::ways`].
    Fork {
        color: u32,
        ways: u32,
    },
    Gate {
        gate: u32,
        next: u32,
    },
}

/// A lever or gate on which the current trip depends.
#[derive(Debug, Clone, Copy)]
struct Choice {
    variable: Variable,
    /// Length of the trip when its value was first needed. `None` if the pattern fixes the value.
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
    /// Length of the trip up to and including the gate.
    steps: usize,
}

/// A step of the trip.
#[derive(Debug, Clone, Copy)]
struct Visit {
    node: u32,
    /// The index of the previous visit of this node, or [`NO_VISIT`].
    before: u32,
}

const NO_VISIT: u32 = u32::MAX;

/// Upper bound on the bytes for each step: the visit, its crossing with the gate's fingerprint, and
/// the node in the reported trip. All of this is doubled, because vectors grow by doubling.
const VISIT_BYTES: u64 = 2 * (size_of::<Visit>() + size_of::<Crossing>() + 16 + size_of::<NodeId>()) as u64;
/// Number of steps between two polls of the cancellation token.
const POLL_INTERVAL: u64 = 4096;

/// The state of the search. If `TRACED`, it records coverage, at the cost of one store for each
/// step.
struct Simulation<'a, const TRACED: bool> {
    network: &'a Network,
    rules: GateRule,
    actions: Vec<NodeAction>,
    ways: Vec<u32>,
    sizes: Vec<usize>,
    /// The first colour that a gate may have.
    first_color: usize,
    /// The number of colours that a gate may have.
    gate_colors: usize,
    /// The initial lever states that the pattern or the search has chosen.
    levers: Vec<Option<usize>>,
    /// The gate colours that the pattern or the search has chosen.
    gates: Vec<Option<usize>>,
    /// True for the levers that the current trip has read.
    seen_levers: Vec<bool>,
    /// True for the gates that the current trip has crossed.
    seen_gates: Vec<bool>,
    /// Number of distinct gates crossed by the current trip.
    crossed: usize,
    /// For each colour, the number of states by which the current trip has moved the lever, modulo
    /// the number of its states.
    moved: Vec<usize>,
    /// Fingerprint of [`moved`](Self::moved).
    fingerprint: u64,
    steps: Vec<Visit>,
    /// For each node, the index of its last visit on the current trip, or [`NO_VISIT`].
    last: Vec<u32>,
    /// If `TRACED`, true for the nodes that some trip visits.
    visited: Vec<bool>,
    /// If `TRACED`, true for the entries of `ways` that some trip takes.
    taken: Vec<bool>,
    crossings: Vec<Crossing>,
    /// The sides of gates on the current trip, each combined with the fingerprint on arrival.
    gate_visits: FxHashSet<u64>,
    choices: Vec<Choice>,
    /// Number of configurations that match the pattern, for each start. `None` if it overflows.
    open_configurations: Option<u128>,
    stats: EngineStats,
}

impl<'a, const TRACED: bool> Simulation<'a, TRACED> {
    fn new(network: &'a Network, rules: GateRule, pattern: &Pattern) -> Self {
        let mut ways = Vec::new();
        let actions = (0..network.nodes.len()).map(|node| compile(network, rules, node, &mut ways)).collect();
        let taken = vec![false; ways.len()];
        let fixed = |values: &[Option<usize>]| values.iter().filter(|value| value.is_some()).count();
        let free_gates = (network.gates.len() - fixed(&pattern.gates)) as u32;
        let levers = network.colors.iter().zip(&pattern.levers).filter(|(_, value)| value.is_none());
        let free_levers = levers.map(|(color, _)| color.states.len() as u128).try_fold(1_u128, u128::checked_mul);
        let gate_colors = network.gate_colors().count();
        let open_configurations =
            (gate_colors as u128).checked_pow(free_gates).and_then(|gates| gates.checked_mul(free_levers?));
        Simulation {
            network,
            rules,
            actions,
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
        match self.actions[node as usize] {
            NodeAction::End(outcome) => Some(outcome),
            NodeAction::Gate { .. }
                if before != NO_VISIT
                    && self.gate_visits.contains(&self.fingerprint_at(node))
                    && self.repeats_state(node) =>
            {
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

    /// Returns true if the trip has visited this side of a gate before with the same lever states.
    /// Adds up the crossings since each earlier visit, so the result is exact.
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

    /// Returns the next node. A lever or gate that is still open gets its first value.
    fn next_node(&mut self) -> u32 {
        let node = self.steps.last().expect("a trip has a first step").node;
        match self.actions[node as usize] {
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
                    // The number of states to the one that is set depends on the initial state, so
                    // the trip depends on the lever.
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
            NodeAction::End(_) => unreachable!("trips end there"),
        }
    }

    /// Returns the initial value of a lever or gate. Chooses the first value if it is open.
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

    /// Gives the last choice its next value, after dropping the choices that have none. Returns the
    /// node after the choice, or `None` if the search is complete.
    fn backtrack(&mut self) -> Option<u32> {
        let network = self.network;
        while let Some(choice) = self.choices.pop() {
            let (value, size, is_seen) = match choice.variable {
                Variable::Lever(color) => (&mut self.levers[color], self.sizes[color], &mut self.seen_levers[color]),
                Variable::Gate(gate) => (&mut self.gates[gate], self.sizes.len(), &mut self.seen_gates[gate]),
            };
            if let Some(steps) = choice.steps {
                let is_allowed =
                    |&next: &usize| matches!(choice.variable, Variable::Lever(_)) || !network.colors[next].is_own;
                *value = value.and_then(|value| (value + 1..size).find(is_allowed));
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

    /// Undoes all steps after the first `length`, and the crossing at the last of these.
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

    /// Returns the number of configurations with the current trip.
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
        Trip {
            nodes,
            outcome,
            levers: self.levers.clone(),
            gates: self.gates.clone(),
            rules: self.rules,
            reported_levers: None,
        }
    }

    /// Returns the length of the trip up to the step that closes the cycle. The search may detect
    /// the cycle later, at a gate.
    fn end_of_cycle(&self) -> usize {
        let mut crossings = self.crossings.iter().peekable();
        let mut moved = vec![0; self.sizes.len()];
        let mut state_numbers = FxHashMap::from_iter([(moved.clone(), 0)]);
        let mut state_number = 0;
        let mut visited = FxHashSet::default();
        for (index, step) in self.steps.iter().enumerate() {
            if !visited.insert((step.node, state_number)) {
                return index + 1;
            }
            if let Some(crossing) = crossings.next_if(|crossing| crossing.steps == index + 1) {
                let color = crossing.color as usize;
                moved[color] = (moved[color] + crossing.by) % self.sizes[color];
                let next_number = state_numbers.len();
                state_number = *state_numbers.entry(moved.clone()).or_insert(next_number);
            }
        }
        self.steps.len()
    }
}

fn compile(network: &Network, rules: GateRule, node: NodeId, ways: &mut Vec<u32>) -> NodeAction {
    match &network.nodes[node].kind {
        Kind::Target => NodeAction::End(Outcome::Win),
        Kind::Loss => NodeAction::End(Outcome::Loss),
        Kind::DeadEnd | Kind::Gate { next: None, .. } => NodeAction::End(Outcome::Stuck),
        Kind::Gate { .. } if rules == GateRule::NoGate => NodeAction::End(Outcome::Stuck),
        Kind::Gate { gate, next: Some(next) } => NodeAction::Gate { gate: *gate as u32, next: *next as u32 },
        Kind::Fork { ways: ends, .. } if ends.iter().all(|&way| way == ends[0]) => NodeAction::Straight(ends[0] as u32),
        Kind::Fork { color, ways: ends } => {
            let first = ways.len() as u32;
            ways.extend(ends.iter().map(|&way| way as u32));
            NodeAction::Fork { color: *color as u32, ways: first }
        }
    }
}

/// Hashes a number with the finaliser of splitmix64.
fn mix(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}
