//! Replays a trip by the rules of the railway. Independent of the engines: shares only the network.

use crate::puzzle::rail::network::{Kind, Network, NodeId};
use crate::puzzle::rail::trips::{GateRule, Outcome, Pattern, Trip};

/// Checks that every configuration that the trip covers has exactly this trip. The error describes
/// the first difference.
///
/// Open levers and gates are checked twice: no node on the trip depends on them, and the trip is
/// replayed with several values in their place.
pub fn check(network: &Network, trip: &Trip) -> Result<(), String> {
    if !trip.nodes.first().is_some_and(|first| network.starts.contains(first)) {
        return Err("the trip does not begin at a start".to_owned());
    }
    let fixed = Pattern::any(network);
    let differs = |(wanted, found): (&Option<usize>, &Option<usize>)| wanted.is_some() && wanted != found;
    if fixed.levers.iter().zip(&trip.levers).any(differs) || fixed.gates.iter().zip(&trip.gates).any(differs) {
        return Err("a lever or a gate differs from the value that the network fixes".to_owned());
    }
    for (gate, color) in network.free_gates().filter_map(|gate| Some((gate, trip.gates[gate]?))) {
        if network.colors[color].is_own {
            let (gate, color) = (&network.gates[gate], &network.colors[color].name);
            return Err(format!("gate {gate} has the colour {color}, which no gate may have"));
        }
    }
    for &node in &trip.nodes[..trip.nodes.len() - 1] {
        let name = &network.nodes[node].name;
        match &network.nodes[node].kind {
            Kind::Fork { color, .. } if trip.levers[*color].is_none() && network.is_true_fork(node) => {
                return Err(format!(
                    "the lever of {} is left open, but fork {name} depends on it",
                    network.colors[*color].name
                ));
            }
            Kind::Gate { gate, .. } if network.sets[*gate].is_some_and(|(color, _)| trip.levers[color].is_none()) => {
                return Err(format!("a lever is left open, but the gate at {name} sets it"));
            }
            Kind::Gate { gate, .. } if trip.gates[*gate].is_none() => {
                return Err(format!(
                    "the colour of gate {} is left open, but the trip crosses it at {name}",
                    network.gates[*gate]
                ));
            }
            _ => {}
        }
    }
    let colors: Vec<usize> = network.gate_colors().collect();
    let is_open = trip.levers.iter().chain(&trip.gates).any(Option::is_none);
    for fill in 0..if is_open { 3 } else { 1 } {
        let pick =
            |value: &Option<usize>, index: usize, size: usize| value.unwrap_or([0, size - 1, (index + 1) % size][fill]);
        let levers = trip
            .levers
            .iter()
            .enumerate()
            .map(|(color, value)| pick(value, color, network.colors[color].states.len()))
            .collect();
        let gate =
            |(gate, value): (usize, &Option<usize>)| value.unwrap_or_else(|| colors[pick(&None, gate, colors.len())]);
        let gates: Vec<usize> = trip.gates.iter().enumerate().map(gate).collect();
        replay(network, trip, levers, &gates)?;
    }
    Ok(())
}

/// A node and the current lever states.
#[derive(Clone, PartialEq, Eq)]
struct TrainPosition {
    node: NodeId,
    levers: Vec<usize>,
}

impl TrainPosition {
    /// The outcome if the trip ends here.
    fn outcome(&self, network: &Network, rules: GateRule) -> Option<Outcome> {
        match &network.nodes[self.node].kind {
            Kind::Target => Some(Outcome::Win),
            Kind::Loss => Some(Outcome::Loss),
            Kind::DeadEnd | Kind::Gate { next: None, .. } => Some(Outcome::Stuck),
            Kind::Gate { .. } if rules == GateRule::NoGate => Some(Outcome::Stuck),
            Kind::Fork { .. } | Kind::Gate { .. } => None,
        }
    }

    /// Moves on to the next node. Panics at the end of a trip.
    fn advance(&mut self, network: &Network, gates: &[usize]) {
        match &network.nodes[self.node].kind {
            Kind::Fork { color, ways } => self.node = ways[self.levers[*color]],
            Kind::Gate { gate, next: Some(next) } => {
                match network.sets[*gate] {
                    Some((color, state)) => self.levers[color] = state,
                    None => {
                        let color = gates[*gate];
                        let lever = &mut self.levers[color];
                        *lever = if *lever + 1 == network.colors[color].states.len() { 0 } else { *lever + 1 };
                    }
                }
                self.node = *next;
            }
            _ => unreachable!("trips end there"),
        }
    }
}

/// Follows the trip by the rules. Positions are deterministic, so a trip that ends repeats none;
/// only the current one is stored, however long the trip is.
fn replay(network: &Network, trip: &Trip, levers: Vec<usize>, gates: &[usize]) -> Result<(), String> {
    let name = |node: usize| network.nodes[node].name.as_str();
    let start = TrainPosition { node: trip.nodes[0], levers };
    let (mut here, mut before) = (start.clone(), None);
    for (step, &claimed) in trip.nodes.iter().enumerate() {
        if claimed != here.node {
            return Err(format!(
                "step {} is {}, but by the rules the trolley is at {}",
                step + 1,
                name(claimed),
                name(here.node)
            ));
        }
        let is_last = step + 1 == trip.nodes.len();
        match here.outcome(network, trip.rules) {
            Some(outcome) if is_last && outcome == trip.outcome => return Ok(()),
            Some(outcome) => {
                return Err(format!(
                    "by the rules the trip ends in step {} at {} ({}), not as a {} in step {}",
                    step + 1,
                    name(here.node),
                    outcome.name(),
                    trip.outcome.name(),
                    trip.nodes.len()
                ));
            }
            None if is_last => break,
            None => {
                if step + 2 == trip.nodes.len() {
                    before = Some(here.clone());
                }
                here.advance(network, gates);
            }
        }
    }
    if trip.outcome == Outcome::Cycle && closes_cycle(network, &start, before.as_ref(), &here, trip.nodes.len(), gates) {
        return Ok(());
    }
    Err(format!(
        "the trip ends at {} ({}), but by the rules {}",
        name(here.node),
        trip.outcome.name(),
        if trip.outcome == Outcome::Cycle { "no cycle closes there" } else { "it goes on from there" }
    ))
}

/// Returns true if `last` is the first position of the trip that repeats. That holds if it occurred
/// exactly once before and with another predecessor: with the same predecessor, that one would have
/// repeated earlier.
fn closes_cycle(
    network: &Network,
    start: &TrainPosition,
    before: Option<&TrainPosition>,
    last: &TrainPosition,
    steps: usize,
    gates: &[usize],
) -> bool {
    let (mut here, mut one_behind) = (start.clone(), start.clone());
    let (mut met, mut is_entry) = (0, false);
    for step in 1..steps {
        if here == *last {
            met += 1;
            is_entry = step == 1 || before != Some(&one_behind);
        }
        if step > 1 {
            one_behind.advance(network, gates);
        }
        here.advance(network, gates);
    }
    met == 1 && is_entry
}
