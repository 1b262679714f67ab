//! Backward search of the expanded graph, which has one copy of the network for each combination of
//! lever states and each colouring of the gates.
//!
//! In a copy, every node has at most one way out: a fork leads to the end that its lever selects,
//! and a gate leads to the copy in which the lever has moved. The railway thus becomes a graph of
//! *states* (a state is a node in a copy) with at most one arc out of each, and a trip follows the
//! arcs from a start. A breadth-first search runs against the arcs from all ends (targets, losses,
//! dead ends) and labels every state with its outcome and its distance from the end. A state
//! without a label leads into a cycle.
//!
//! ```text
//!            copy 111 RV              copy 211 RV
//!        a ─> b ─> e ─> g ─> p1l ★──────> j ─> l ─> … ─> t
//! ```
//!
//! A crossing changes levers but no gate colours, so each colouring is searched separately. The
//! labels need nodes × lever states × four bytes of memory, independently of the number of
//! colourings. Arcs are not stored: the predecessors of a state are computed from the network.

use std::ops::ControlFlow;

use base::diagnostic::{Code, Diagnostic, Failure};
use base::stop::{CancelToken, StopReason};
use rustc_hash::FxHashSet;

use super::{Completion, EngineStats, MemoryLimit};
use crate::network::{Kind, Network, NodeId};
use crate::trips::{GateRule, LazyTrip, Outcome, Pattern, Trip, Weight, configuration_text};

/// Maximum number of states of one colouring. Larger graphs are rejected.
pub const MAX_STATES: u64 = 100_000_000;
/// Maximum number of states of all colourings.
pub const MAX_TOTAL_STATES: u64 = 20_000_000_000;

/// Number of bytes for each state: for its label, and for its places in two queues.
const STATE_BYTES: u64 = 12;

/// The expanded graph. Within a colouring, a state has the number `node * lever_states + levers`.
pub struct ExpandedGraph<'a> {
    pub network: &'a Network,
    rules: GateRule,
    /// Number of combinations of lever states.
    pub lever_states: usize,
    /// For each colour, the place value of its lever's state in the number of a combination, which
    /// is a mixed-radix number.
    weights: Vec<usize>,
    /// For each node, the arcs of the network that lead to it.
    predecessors: Vec<Vec<Predecessor>>,
}

/// The beginning of an arc of the network.
#[derive(Debug, Clone, Copy)]
enum Predecessor {
    /// A fork, whose lever must be in `state`.
    Fork { node: NodeId, color: usize, state: usize },
    /// A side of a gate.
    Gate { node: NodeId, gate: usize },
}

/// The outcome of the trips that pass through a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Label {
    pub outcome: Outcome,
    /// Number of nodes from this state to the end, including both. 0 for a cycle.
    pub steps: u32,
}

/// The labels of all states of a colouring, in 32 bits each: 0 for a cycle, otherwise the number of
/// steps, and the outcome in the two lowest bits.
pub struct Labels(Vec<u32>);

impl Labels {
    pub fn of(&self, state: usize) -> Label {
        match self.0[state] {
            0 => Label { outcome: Outcome::Cycle, steps: 0 },
            label => Label { outcome: ENDS[(label & 3) as usize], steps: label >> 2 },
        }
    }
}

/// The outcomes other than a cycle, by their code in [`Labels`].
const ENDS: [Outcome; 3] = [Outcome::Win, Outcome::Loss, Outcome::Stuck];

impl<'a> ExpandedGraph<'a> {
    /// Creates the expanded graph. Fails if it exceeds the limits.
    pub fn new(network: &'a Network, rules: GateRule) -> Result<Self, Failure> {
        let mut weights = Vec::with_capacity(network.colors.len());
        let mut lever_states = 1_u64;
        for color in &network.colors {
            weights.push(lever_states as usize);
            lever_states = lever_states.saturating_mul(color.states.len() as u64);
            if lever_states.saturating_mul(network.nodes.len() as u64) > MAX_STATES {
                let text = format!(
                    "the expanded graph is too large to search: more than {MAX_STATES} states for each colouring of the gates \
                     ({} nodes, {} levers)",
                    network.nodes.len(),
                    network.colors.len()
                );
                return Err(Diagnostic::error(Code::Unsupported, text)
                    .help("--engine simulation explores only what trips visit")
                    .into());
            }
        }
        let colorings = u64::try_from(network.colorings()).unwrap_or(u64::MAX);
        if colorings.saturating_mul(lever_states * network.nodes.len() as u64) > MAX_TOTAL_STATES {
            let text = format!("the expanded graph is too large to search: more than {MAX_TOTAL_STATES} states");
            return Err(Diagnostic::error(Code::Unsupported, text)
                .help("--engine simulation explores only what trips visit")
                .into());
        }
        let mut predecessors = vec![Vec::new(); network.nodes.len()];
        for (node, description) in network.nodes.iter().enumerate() {
            match &description.kind {
                Kind::Fork { color, ways } => {
                    for (state, &to) in ways.iter().enumerate() {
                        predecessors[to].push(Predecessor::Fork { node, color: *color, state });
                    }
                }
                Kind::Gate { gate, next: Some(to) } if rules == GateRule::DynamicGate => {
                    predecessors[*to].push(Predecessor::Gate { node, gate: *gate });
                }
                _ => {}
            }
        }
        Ok(ExpandedGraph { network, rules, lever_states: lever_states as usize, weights, predecessors })
    }

    pub fn state(&self, node: NodeId, levers: usize) -> usize {
        node * self.lever_states + levers
    }

    /// Returns the node of a state, and the number of its combination of lever states.
    pub fn split_state(&self, state: usize) -> (NodeId, usize) {
        (state / self.lever_states, state % self.lever_states)
    }

    pub fn levers(&self, number: usize) -> Vec<usize> {
        (0..self.weights.len()).map(|color| self.lever(number, color)).collect()
    }

    /// Formats the configuration of a copy.
    pub fn copy_text(&self, levers: usize, gates: &[usize]) -> String {
        let some = |values: &[usize]| values.iter().copied().map(Some).collect::<Vec<_>>();
        configuration_text(self.network, &some(&self.levers(levers)), &some(gates))
    }

    fn lever(&self, levers: usize, color: usize) -> usize {
        levers / self.weights[color] % self.network.colors[color].states.len()
    }

    /// Returns the number of the combination in which the lever of `color` is in `state`.
    fn with_lever(&self, levers: usize, color: usize, state: usize) -> usize {
        levers - self.lever(levers, color) * self.weights[color] + state * self.weights[color]
    }

    /// Returns the next state, or `None` if trips end in this one.
    pub fn successor(&self, state: usize, gates: &[usize]) -> Option<usize> {
        let (node, levers) = self.split_state(state);
        match &self.network.nodes[node].kind {
            Kind::Fork { color, ways } => Some(self.state(ways[self.lever(levers, *color)], levers)),
            Kind::Gate { gate, next: Some(next) } if self.rules == GateRule::DynamicGate => {
                let color = gates[*gate];
                let state = self.network.after_gate(*gate, color, self.lever(levers, color));
                Some(self.state(*next, self.with_lever(levers, color, state)))
            }
            _ => None,
        }
    }

    pub fn has_predecessor(&self, state: usize, gates: &[usize]) -> bool {
        self.predecessor_states(state, gates).next().is_some()
    }

    /// Returns the states whose successor is `state`.
    fn predecessor_states(&self, state: usize, gates: &[usize]) -> impl Iterator<Item = usize> {
        let (node, levers) = self.split_state(state);
        self.predecessors[node].iter().flat_map(move |predecessor| {
            // After a gate that sets a lever, several earlier states of the lever are possible.
            let (node, color, states) = match *predecessor {
                Predecessor::Fork { node, color, state } => (node, color, state..state + 1),
                Predecessor::Gate { node, gate } => {
                    (node, gates[gate], 0..self.network.colors[gates[gate]].states.len())
                }
            };
            let leads_here = move |state: &usize| match *predecessor {
                Predecessor::Fork { .. } => self.lever(levers, color) == *state,
                Predecessor::Gate { gate, .. } => {
                    self.network.after_gate(gate, color, *state) == self.lever(levers, color)
                }
            };
            states.filter(leads_here).map(move |state| self.state(node, self.with_lever(levers, color, state)))
        })
    }

    /// Returns the numbers of the combinations of lever states with which trips can begin.
    pub fn initial_levers(&self) -> impl Iterator<Item = usize> {
        let fixed = Pattern::any(self.network).levers;
        let is_possible = move |levers: &usize| {
            fixed.iter().enumerate().all(|(color, state)| state.is_none_or(|state| self.lever(*levers, color) == state))
        };
        (0..self.lever_states).filter(is_possible)
    }

    /// Returns the colourings of the gates that match the pattern.
    pub fn colorings(&self, pattern: &Pattern) -> impl Iterator<Item = Vec<usize>> {
        let colors: Vec<usize> = self.network.gate_colors().collect();
        let free: Vec<usize> = (0..pattern.gates.len()).filter(|&gate| pattern.gates[gate].is_none()).collect();
        let all = (colors.len() as u64).pow(free.len() as u32);
        let fixed: Vec<usize> = pattern.gates.iter().map(|color| color.unwrap_or(0)).collect();
        (0..all).map(move |mut number| {
            let mut gates = fixed.clone();
            for &gate in free.iter().rev() {
                gates[gate] = colors[(number % colors.len() as u64) as usize];
                number /= colors.len() as u64;
            }
            gates
        })
    }

    /// Labels every state of a colouring. Returns `None` if cancelled.
    pub fn labels(&self, gates: &[usize], stop: &CancelToken) -> Option<Labels> {
        let mut labels = vec![0_u32; self.network.nodes.len() * self.lever_states];
        let mut queue: Vec<u32> = Vec::new();
        let mut steps = 1_u32;
        for (node, description) in self.network.nodes.iter().enumerate() {
            let end = match &description.kind {
                Kind::Target => 0,
                Kind::Loss => 1,
                Kind::DeadEnd | Kind::Gate { next: None, .. } => 2,
                Kind::Gate { .. } if self.rules == GateRule::NoGate => 2,
                _ => continue,
            };
            for levers in 0..self.lever_states {
                let state = self.state(node, levers);
                labels[state] = steps << 2 | end;
                queue.push(state as u32);
            }
        }
        while !queue.is_empty() {
            if stop.requested().is_some() {
                return None;
            }
            steps += 1;
            let mut next = Vec::new();
            for &state in &queue {
                let end = labels[state as usize] & 3;
                for before in self.predecessor_states(state as usize, gates) {
                    // A state has only one successor, so it gets a label only once.
                    labels[before] = steps << 2 | end;
                    next.push(before as u32);
                }
            }
            queue = next;
        }
        Some(Labels(labels))
    }
}

/// Passes every distinct trip of the configurations that match `pattern` to `on_trip`, until it
/// breaks or a limit is reached.
pub fn trips(
    network: &Network,
    rules: GateRule,
    pattern: &Pattern,
    memory: MemoryLimit,
    stop: &CancelToken,
    on_trip: &mut dyn FnMut(&LazyTrip<'_>) -> Result<ControlFlow<()>, Failure>,
) -> Result<(EngineStats, Completion), Failure> {
    let expanded = ExpandedGraph::new(network, rules)?;
    let mut stats = EngineStats::default();
    let mut known = FxHashSet::default();
    let mut used_bytes = (network.nodes.len() * expanded.lever_states) as u64 * STATE_BYTES;
    if used_bytes > memory.bytes {
        return Ok((stats, Completion::Limit(memory.reason)));
    }
    let stopped = |stats| Ok((stats, Completion::Limit(stop.requested().unwrap_or(StopReason::Unproven))));
    for gates in expanded.colorings(pattern) {
        let labels = if stop.requested().is_some() { None } else { expanded.labels(&gates, stop) };
        let Some(labels) = labels else { return stopped(stats) };
        stats.states += labels.0.len() as u64;
        for &start in &network.starts {
            for number in 0..expanded.lever_states {
                let levers = expanded.levers(number);
                let agrees =
                    |(required, state): (&Option<usize>, &usize)| required.is_none_or(|required| required == *state);
                if !pattern.levers.iter().zip(&levers).all(agrees) {
                    continue;
                }
                if stop.requested().is_some() {
                    return stopped(stats);
                }
                let state = expanded.state(start, number);
                let Label { outcome, steps } = labels.of(state);
                let nodes = expanded.follow(state, &gates);
                if outcome != Outcome::Cycle && nodes.len() != steps as usize {
                    let text = format!("a trip of {} steps was labelled with {steps}", nodes.len());
                    return Err(Diagnostic::error(Code::Unsupported, text).into());
                }
                let trip = trip_with_open_values(network, rules, nodes, outcome, &levers, &gates, pattern);
                if known.insert((trip.nodes.clone(), trip.levers.clone(), trip.gates.clone())) {
                    stats.trips += 1;
                    stats.longest = stats.longest.max(trip.nodes.len());
                    used_bytes += trip.bytes();
                    if used_bytes > memory.bytes {
                        return Ok((stats, Completion::Limit(memory.reason)));
                    }
                    let weight = Weight::Large(trip.configurations(network));
                    let (steps, gates) = (trip.nodes.len(), trip.gates_crossed());
                    if on_trip(&LazyTrip { outcome, steps, gates, weight, build: &|| trip.clone() })?.is_break() {
                        return Ok((stats, Completion::Enough));
                    }
                }
            }
        }
    }
    Ok((stats, Completion::Complete))
}

impl ExpandedGraph<'_> {
    /// Returns the nodes from a state to the end of its trip, or to the first repeated state.
    fn follow(&self, state: usize, gates: &[usize]) -> Vec<NodeId> {
        let mut visited = FxHashSet::default();
        let mut nodes = vec![self.split_state(state).0];
        let mut current = state;
        while visited.insert(current)
            && let Some(next) = self.successor(current, gates)
        {
            nodes.push(self.split_state(next).0);
            current = next;
        }
        nodes
    }
}

/// Creates a trip whose levers and gates have values only if the trip depends on them or the
/// pattern fixes them.
fn trip_with_open_values(
    network: &Network,
    rules: GateRule,
    nodes: Vec<NodeId>,
    outcome: Outcome,
    levers: &[usize],
    gates: &[usize],
    pattern: &Pattern,
) -> Trip {
    let mut trip = Trip {
        levers: pattern.levers.clone(),
        gates: pattern.gates.clone(),
        nodes,
        outcome,
        rules,
        reported_levers: None,
    };
    for &node in &trip.nodes[..trip.nodes.len() - 1] {
        if let Some(color) = network.lever_used_at(node) {
            trip.levers[color] = Some(levers[color]);
        }
        if let Kind::Gate { gate, .. } = network.nodes[node].kind {
            trip.gates[gate] = Some(gates[gate]);
        }
    }
    trip
}
