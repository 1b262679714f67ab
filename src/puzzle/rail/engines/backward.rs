//! The expanded graph, searched from its ends: one copy of the network for each state of all levers and each colouring of the gates.
//!
//! In a copy every node has one way out: a fork leads where its lever points, and a gate into the copy whose levers are moved. So
//! the railway without state is a graph of *states*, a node in a copy, with one arc from each, and a trip is what hangs on a state.
//! From each end (targets, losses, dead ends) a breadth-first search goes against the arcs and labels every state with its outcome
//! and its number of steps to it. What no end reaches leads into a cycle.
//!
//! ```text
//!            copy 111 RV              copy 211 RV
//!        a ─> b ─> e ─> g ─> p1l ★──────> j ─> l ─> … ─> t
//! ```
//!
//! Crossing a gate changes levers and no colours, so the copies of one colouring of the gates are searched by themselves, and the
//! memory is for nodes × lever states, four bytes each, however many colourings there are. Arcs are never stored: the states before
//! one follow from the network's.

use std::ops::ControlFlow;

use rustc_hash::FxHashSet;

use super::{Effort, End, Memory};
use crate::diagnostic::{Diagnostic, Failure};
use crate::puzzle::rail::network::{Kind, Network, NodeId};
use crate::puzzle::rail::trips::{GateRule, Leaf, Outcome, Pattern, Trip, Weight, configuration_text};
use crate::stop::{Reason, Stop};

/// States of one colouring, and of all: beyond these the search is refused.
pub const MOST_STATES: u64 = 100_000_000;
pub const MOST_WORK: u64 = 20_000_000_000;

/// Bytes for each of them: its label, and its places in two queues.
const STATE_BYTES: u64 = 12;

/// States as numbers: those of a colouring of the gates are `node * lever_states + levers`.
pub struct Expanded<'a> {
    pub network: &'a Network,
    rules: GateRule,
    /// All states of the levers, one lever after the other: that of a colour counts `weights[color]`.
    pub lever_states: usize,
    weights: Vec<usize>,
    /// For each node: the nodes that lead there.
    before: Vec<Vec<Before>>,
}

/// A way that leads to a node.
#[derive(Debug, Clone, Copy)]
enum Before {
    /// From a fork, if its lever is in that state.
    Fork { node: NodeId, color: usize, state: usize },
    /// From a gate, which has moved a lever.
    Gate { node: NodeId, gate: usize },
}

/// What a state leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Label {
    pub outcome: Outcome,
    /// Nodes of the trip from there on, the state's own included; 0 for what leads into a cycle.
    pub steps: u32,
}

/// The labels of all states of a colouring, each in 32 bits: 0 is a cycle, else the outcome in the lowest two and the steps.
pub struct Labels(Vec<u32>);

impl Labels {
    pub fn of(&self, state: usize) -> Label {
        match self.0[state] {
            0 => Label { outcome: Outcome::Cycle, steps: 0 },
            label => Label { outcome: ENDS[(label & 3) as usize], steps: label >> 2 },
        }
    }
}

/// The outcomes that have an end.
const ENDS: [Outcome; 3] = [Outcome::Win, Outcome::Loss, Outcome::Stuck];

impl<'a> Expanded<'a> {
    /// The error says how large the graph is, and how large it may be.
    pub fn new(network: &'a Network, rules: GateRule) -> Result<Self, Failure> {
        let mut weights = Vec::with_capacity(network.colors.len());
        let mut lever_states = 1_u64;
        for color in &network.colors {
            weights.push(lever_states as usize);
            lever_states = lever_states.saturating_mul(color.states.len() as u64);
            if lever_states.saturating_mul(network.nodes.len() as u64) > MOST_STATES {
                let text = format!(
                    "the expanded graph is too large to search: more than {MOST_STATES} states for each colouring of the gates \
                     ({} nodes, {} levers)",
                    network.nodes.len(),
                    network.colors.len()
                );
                return Err(Diagnostic::error(text).help("--engine simulation only looks at what trips meet").into());
            }
        }
        let colorings = u64::try_from(network.colorings()).unwrap_or(u64::MAX);
        if colorings.saturating_mul(lever_states * network.nodes.len() as u64) > MOST_WORK {
            let text = format!("the expanded graph is too large to search: more than {MOST_WORK} states");
            return Err(Diagnostic::error(text).help("--engine simulation only looks at what trips meet").into());
        }
        let mut before = vec![Vec::new(); network.nodes.len()];
        for (node, drawn) in network.nodes.iter().enumerate() {
            match &drawn.kind {
                Kind::Fork { color, ways } => {
                    for (state, &to) in ways.iter().enumerate() {
                        before[to].push(Before::Fork { node, color: *color, state });
                    }
                }
                Kind::Gate { gate, next: Some(to) } if rules == GateRule::DynamicGate => {
                    before[*to].push(Before::Gate { node, gate: *gate });
                }
                _ => {}
            }
        }
        Ok(Expanded { network, rules, lever_states: lever_states as usize, weights, before })
    }

    pub fn state(&self, node: NodeId, levers: usize) -> usize {
        node * self.lever_states + levers
    }

    /// The node of a state, and the number of its levers.
    pub fn parts(&self, state: usize) -> (NodeId, usize) {
        (state / self.lever_states, state % self.lever_states)
    }

    pub fn levers(&self, number: usize) -> Vec<usize> {
        (0..self.weights.len()).map(|color| self.lever(number, color)).collect()
    }

    /// A copy in words: a whole configuration.
    pub fn copy_text(&self, levers: usize, gates: &[usize]) -> String {
        let some = |values: &[usize]| values.iter().copied().map(Some).collect::<Vec<_>>();
        configuration_text(self.network, &some(&self.levers(levers)), &some(gates))
    }

    fn lever(&self, levers: usize, color: usize) -> usize {
        levers / self.weights[color] % self.network.colors[color].states.len()
    }

    /// The levers with one of them in another state.
    fn with(&self, levers: usize, color: usize, state: usize) -> usize {
        levers - self.lever(levers, color) * self.weights[color] + state * self.weights[color]
    }

    /// The one way out of a state; `None` where a trip ends.
    pub fn after(&self, state: usize, gates: &[usize]) -> Option<usize> {
        let (node, levers) = self.parts(state);
        match &self.network.nodes[node].kind {
            Kind::Fork { color, ways } => Some(self.state(ways[self.lever(levers, *color)], levers)),
            Kind::Gate { gate, next: Some(next) } if self.rules == GateRule::DynamicGate => {
                let color = gates[*gate];
                let state = self.network.after_gate(*gate, color, self.lever(levers, color));
                Some(self.state(*next, self.with(levers, color, state)))
            }
            _ => None,
        }
    }

    /// Whether any state has its way out to this one.
    pub fn is_led_to(&self, state: usize, gates: &[usize]) -> bool {
        self.before_state(state, gates).next().is_some()
    }

    /// The states whose way out leads to this one.
    fn before_state(&self, state: usize, gates: &[usize]) -> impl Iterator<Item = usize> {
        let (node, levers) = self.parts(state);
        self.before[node].iter().flat_map(move |way| {
            // A gate that sets a lever is left in one state, whatever the state before it.
            let (node, color, states) = match *way {
                Before::Fork { node, color, state } => (node, color, state..state + 1),
                Before::Gate { node, gate } => (node, gates[gate], 0..self.network.colors[gates[gate]].states.len()),
            };
            let leads = move |state: &usize| match *way {
                Before::Fork { .. } => self.lever(levers, color) == *state,
                Before::Gate { gate, .. } => self.network.after_gate(gate, color, *state) == self.lever(levers, color),
            };
            states.filter(leads).map(move |state| self.state(node, self.with(levers, color, state)))
        })
    }

    /// The states of the levers in which trips may begin.
    pub fn first_levers(&self) -> impl Iterator<Item = usize> {
        let fixed = Pattern::any(self.network).levers;
        let is_so = move |levers: &usize| {
            fixed.iter().enumerate().all(|(color, state)| state.is_none_or(|state| self.lever(*levers, color) == state))
        };
        (0..self.lever_states).filter(is_so)
    }

    /// Every colouring of the gates that agrees with the pattern, one after the other.
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

    /// Labels every state of a colouring; `None` if asked to stop.
    pub fn labels(&self, gates: &[usize], stop: &Stop) -> Option<Labels> {
        let mut labels = vec![0_u32; self.network.nodes.len() * self.lever_states];
        let mut queue: Vec<u32> = Vec::new();
        let mut steps = 1_u32;
        for (node, drawn) in self.network.nodes.iter().enumerate() {
            let end = match &drawn.kind {
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
                for before in self.before_state(state as usize, gates) {
                    // Each state has one way out, so that it is reached once.
                    labels[before] = steps << 2 | end;
                    next.push(before as u32);
                }
            }
            queue = next;
        }
        Some(Labels(labels))
    }
}

/// Hands out every distinct trip of the configurations that agree with `pattern`, until `found` breaks or a limit is reached.
///
/// Each trip follows the labels from its start; the search itself asks none of the other engines' questions.
pub fn trips(
    network: &Network,
    rules: GateRule,
    pattern: &Pattern,
    memory: Memory,
    stop: &Stop,
    found: &mut dyn FnMut(&Leaf<'_>) -> Result<ControlFlow<()>, Failure>,
) -> Result<(Effort, End), Failure> {
    let expanded = Expanded::new(network, rules)?;
    let mut work = Effort::default();
    let mut known = FxHashSet::default();
    let mut used = (network.nodes.len() * expanded.lever_states) as u64 * STATE_BYTES;
    if used > memory.bytes {
        return Ok((work, End::Limit(memory.reason)));
    }
    let stopped = |work| Ok((work, End::Limit(stop.requested().unwrap_or(Reason::Unproven))));
    for gates in expanded.colorings(pattern) {
        let labels = if stop.requested().is_some() { None } else { expanded.labels(&gates, stop) };
        let Some(labels) = labels else { return stopped(work) };
        work.states += labels.0.len() as u64;
        for &start in &network.starts {
            for number in 0..expanded.lever_states {
                let levers = expanded.levers(number);
                let agrees = |(wanted, state): (&Option<usize>, &usize)| wanted.is_none_or(|wanted| wanted == *state);
                if !pattern.levers.iter().zip(&levers).all(agrees) {
                    continue;
                }
                if stop.requested().is_some() {
                    return stopped(work);
                }
                let state = expanded.state(start, number);
                let Label { outcome, steps } = labels.of(state);
                let nodes = expanded.follow(state, &gates);
                if outcome != Outcome::Cycle && nodes.len() != steps as usize {
                    let text = format!("a trip of {} steps was labelled with {steps}", nodes.len());
                    return Err(Diagnostic::error(text).into());
                }
                let trip = seen(network, rules, nodes, outcome, &levers, &gates, pattern);
                if known.insert((trip.nodes.clone(), trip.levers.clone(), trip.gates.clone())) {
                    work.trips += 1;
                    work.longest = work.longest.max(trip.nodes.len());
                    used += trip.bytes();
                    if used > memory.bytes {
                        return Ok((work, End::Limit(memory.reason)));
                    }
                    let weight = Weight::Large(trip.configurations(network));
                    let (steps, gates) = (trip.nodes.len(), trip.crossed());
                    if found(&Leaf { outcome, steps, gates, weight, trip: &|| trip.clone() })?.is_break() {
                        return Ok((work, End::Enough));
                    }
                }
            }
        }
    }
    Ok((work, End::Complete))
}

impl Expanded<'_> {
    /// The nodes from a state on, to the end or to the first state that is met again.
    fn follow(&self, state: usize, gates: &[usize]) -> Vec<NodeId> {
        let mut met = FxHashSet::default();
        let mut nodes = vec![self.parts(state).0];
        let mut here = state;
        while met.insert(here)
            && let Some(next) = self.after(here, gates)
        {
            nodes.push(self.parts(next).0);
            here = next;
        }
        nodes
    }
}

/// The trip with what it does not see left open, as far as the pattern leaves it so.
fn seen(
    network: &Network,
    rules: GateRule,
    nodes: Vec<NodeId>,
    outcome: Outcome,
    levers: &[usize],
    gates: &[usize],
    pattern: &Pattern,
) -> Trip {
    let mut trip =
        Trip { levers: pattern.levers.clone(), gates: pattern.gates.clone(), nodes, outcome, rules, told: None };
    for &node in &trip.nodes[..trip.nodes.len() - 1] {
        if let Some(color) = network.asks(node) {
            trip.levers[color] = Some(levers[color]);
        }
        if let Kind::Gate { gate, .. } = network.nodes[node].kind {
            trip.gates[gate] = Some(gates[gate]);
        }
    }
    trip
}
