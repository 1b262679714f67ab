//! Checks a trip by replaying it. The check is independent of the engines, with which it has only
//! the network in common.

use base::diagnostic::{Code, Diagnostic, Failure};

use crate::network::{Kind, Network, NodeId};
use crate::trips::{GateRule, Outcome, Pattern, Trip};

/// Checks that every configuration of the trip leads to exactly this trip. The error describes the
/// first difference.
///
/// Open levers and gates (those that are `None`) are checked in two ways: no node on the trip may
/// depend on them, and the trip is replayed with several values for them.
pub fn check(network: &Network, trip: &Trip) -> Result<(), String> {
    if !trip.nodes.first().is_some_and(|first| network.starts.contains(first)) {
        return Err("the trip does not begin at a start".to_owned());
    }
    let fixed = Pattern::any(network);
    let differ = |(fixed_value, found): (&Option<usize>, &Option<usize>)| fixed_value.is_some() && fixed_value != found;
    if fixed.levers.iter().zip(&trip.levers).any(differ) || fixed.gates.iter().zip(&trip.gates).any(differ) {
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
    for round in 0..if is_open { 3 } else { 1 } {
        let pick = |value: &Option<usize>, index: usize, size: usize| {
            value.unwrap_or([0, size - 1, (index + 1) % size][round])
        };
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

/// The state of a trip: the current node and lever states.
#[derive(Clone, PartialEq, Eq)]
struct TrainPosition {
    node: NodeId,
    levers: Vec<usize>,
}

impl TrainPosition {
    /// Returns the outcome if the trip ends here.
    fn outcome(&self, network: &Network, rules: GateRule) -> Option<Outcome> {
        match &network.nodes[self.node].kind {
            Kind::Target => Some(Outcome::Win),
            Kind::Loss => Some(Outcome::Loss),
            Kind::DeadEnd | Kind::Gate { next: None, .. } => Some(Outcome::Stuck),
            Kind::Gate { .. } if rules == GateRule::NoGate => Some(Outcome::Stuck),
            Kind::Fork { .. } | Kind::Gate { .. } => None,
        }
    }

    /// Moves to the next node. Panics at the end of a trip.
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

/// Checks that the rules lead from the first node of the trip, with these levers and gates, to the
/// same nodes and outcome. Only the current position is stored: since a position determines the
/// next one, a trip that ends repeats no position.
fn replay(network: &Network, trip: &Trip, levers: Vec<usize>, gates: &[usize]) -> Result<(), String> {
    let name = |node: usize| network.nodes[node].name.as_str();
    let start = TrainPosition { node: trip.nodes[0], levers };
    let (mut position, mut before) = (start.clone(), None);
    for (step, &claimed) in trip.nodes.iter().enumerate() {
        if claimed != position.node {
            return Err(format!(
                "node {} is {}, but by the rules the trolley is at {}",
                step + 1,
                name(claimed),
                name(position.node)
            ));
        }
        let is_last = step + 1 == trip.nodes.len();
        match position.outcome(network, trip.rules) {
            Some(outcome) if is_last && outcome == trip.outcome => return Ok(()),
            Some(outcome) => {
                return Err(format!(
                    "by the rules the trip ends in step {} at {} ({}), not as a {} in step {}",
                    step + 1,
                    name(position.node),
                    outcome.name(),
                    trip.outcome.name(),
                    trip.nodes.len()
                ));
            }
            None if is_last => break,
            None => {
                if step + 2 == trip.nodes.len() {
                    before = Some(position.clone());
                }
                position.advance(network, gates);
            }
        }
    }
    if trip.outcome == Outcome::Cycle
        && closes_cycle(network, &start, before.as_ref(), &position, trip.nodes.len(), gates)
    {
        return Ok(());
    }
    Err(format!(
        "the trip ends at {} ({}), but by the rules {}",
        name(position.node),
        trip.outcome.name(),
        if trip.outcome == Outcome::Cycle { "no cycle closes there" } else { "it goes on from there" }
    ))
}

/// Returns true if `last`, whose predecessor is `before`, is the first position of the trip that
/// repeats an earlier one. This is so if `last` occurred exactly once before, as the first position
/// or with a different predecessor. (If the predecessors were equal, the predecessor would be the
/// first position to repeat.)
fn closes_cycle(
    network: &Network,
    start: &TrainPosition,
    before: Option<&TrainPosition>,
    last: &TrainPosition,
    steps: usize,
    gates: &[usize],
) -> bool {
    let (mut position, mut predecessor) = (start.clone(), start.clone());
    let (mut num_visits, mut has_new_predecessor) = (0, false);
    for step in 1..steps {
        if position == *last {
            num_visits += 1;
            has_new_predecessor = step == 1 || before != Some(&predecessor);
        }
        if step > 1 {
            predecessor.advance(network, gates);
        }
        position.advance(network, gates);
    }
    num_visits == 1 && has_new_predecessor
}

/// Creates the error for a result that fails a consistency check.
pub fn check_failure(error: String) -> Failure {
    Diagnostic::error(Code::RejectedAnswer, format!("the result does not pass the check: {error}")).into()
}
