//! Replays a trip by the rules of the railway alone. Shares nothing with the engines but the network.

use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

use crate::puzzle::rail::network::{Kind, Network};
use crate::puzzle::rail::trips::{GateRule, Outcome, Trip};

/// Checks that every configuration the trip stands for has exactly this trip; the error says what happens instead.
///
/// Open levers and gates are proven irrelevant twice: nothing on the way asks for them, and the trip is replayed with
/// several values in their place.
pub fn check(network: &Network, trip: &Trip) -> Result<(), String> {
    if !trip.nodes.first().is_some_and(|first| network.starts.contains(first)) {
        return Err("the trip does not begin at a start".to_owned());
    }
    for &node in &trip.nodes[..trip.nodes.len() - 1] {
        let name = &network.nodes[node].name;
        match &network.nodes[node].kind {
            Kind::Fork { color, .. } if trip.levers[*color].is_none() && network.is_true_fork(node) => {
                return Err(format!(
                    "the lever of {} is said not to matter, but fork {name} asks for it",
                    network.colors[*color].name
                ));
            }
            Kind::Gate { gate, .. } if trip.gates[*gate].is_none() => {
                return Err(format!(
                    "the colour of gate {} is said not to matter, but the trip crosses it at {name}",
                    network.gates[*gate]
                ));
            }
            _ => {}
        }
    }
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
        let gates: Vec<usize> =
            trip.gates.iter().enumerate().map(|(gate, value)| pick(value, gate, network.colors.len())).collect();
        replay(network, trip, levers, &gates)?;
    }
    Ok(())
}

fn replay(network: &Network, trip: &Trip, mut levers: Vec<usize>, gates: &[usize]) -> Result<(), String> {
    let name = |node: usize| network.nodes[node].name.as_str();
    // All positions of the levers that were seen, each with the nodes that were met in it.
    let mut met: HashMap<Vec<usize>, HashSet<usize>> = HashMap::default();
    let mut met_now = HashSet::default();
    let mut here = trip.nodes[0];
    for (step, &claimed) in trip.nodes.iter().enumerate() {
        if claimed != here {
            return Err(format!(
                "step {} is {}, but by the rules the trolley is at {}",
                step + 1,
                name(claimed),
                name(here)
            ));
        }
        let repeats = !met_now.insert(here);
        let (outcome, next) = match &network.nodes[here].kind {
            _ if repeats => (Some(Outcome::Cycle), None),
            Kind::Target => (Some(Outcome::Win), None),
            Kind::Loss => (Some(Outcome::Loss), None),
            Kind::DeadEnd => (Some(Outcome::Stuck), None),
            Kind::Fork { color, ways } => (None, Some(ways[levers[*color]])),
            Kind::Gate { next: None, .. } => (Some(Outcome::Stuck), None),
            Kind::Gate { .. } if trip.rules == GateRule::NoGate => (Some(Outcome::Stuck), None),
            Kind::Gate { gate, next } => {
                met.insert(levers.clone(), met_now);
                let lever = &mut levers[gates[*gate]];
                *lever = if *lever + 1 == network.colors[gates[*gate]].states.len() { 0 } else { *lever + 1 };
                met_now = met.remove(&levers).unwrap_or_default();
                (None, *next)
            }
        };
        let is_last = step + 1 == trip.nodes.len();
        match (outcome, next, is_last) {
            (Some(outcome), _, true) if outcome == trip.outcome => return Ok(()),
            (Some(outcome), ..) => {
                return Err(format!(
                    "by the rules the trip ends in step {} at {} ({}), not as a {} in step {}",
                    step + 1,
                    name(here),
                    outcome.name(),
                    trip.outcome.name(),
                    trip.nodes.len()
                ));
            }
            (None, _, true) => {
                return Err(format!(
                    "it is said to end at {} ({}), but by the rules it goes on from there",
                    name(here),
                    trip.outcome.name()
                ));
            }
            (None, next, false) => here = next.expect("a trip that has not ended goes on"),
        }
    }
    unreachable!("the last step returns")
}
