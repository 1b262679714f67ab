//! Trips as JSON (a stable format) and as table rows.

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::network::{Name, Network};
use crate::trips::{Pattern, Trip, configuration_text, label_text, levers_text};

/// A trip in the documented JSON format.
#[derive(Serialize)]
pub struct Answer<'a> {
    start: &'a str,
    configuration: String,
    /// Number of configurations, as a decimal string because it is unbounded.
    configurations: String,
    levers: Map<String, Value>,
    gates: Map<String, Value>,
    outcome: &'static str,
    steps: usize,
    trip: Vec<TripStep<'a>>,
}

#[derive(Serialize)]
struct TripStep<'a> {
    node: &'a str,
    levers: std::rc::Rc<str>,
}

/// Maximum number of configurations for which each has its own row. If there are more, all
/// configurations of a trip share a row.
const MAX_ROWS: u32 = 4096;

/// Returns the column titles of [`rows`].
pub fn columns(network: &Network) -> Vec<String> {
    let start = (network.starts.len() > 1).then_some("start");
    start.into_iter().chain(["configuration", "outcome", "nodes", "trip"]).map(str::to_owned).collect()
}

/// Returns the parts of a configuration, each with its possible values: the start (if there are
/// several), the state of each lever, and the colour of each gate.
pub fn choices(network: &Network) -> Vec<(String, Vec<String>)> {
    let mut settings = Vec::new();
    if network.starts.len() > 1 {
        let starts = network.starts.iter().map(|&start| network.nodes[start].name.to_string());
        settings.push(("start".to_owned(), starts.collect()));
    }
    for (number, color) in network.colors.iter().enumerate() {
        let states = color.fixed.map_or(0..color.states.len(), |fixed| fixed..fixed + 1);
        settings.push((color.name.to_string(), states.map(|state| label_text(network, number, Some(state))).collect()));
    }
    let letters: Vec<String> = network.gate_colors().map(|color| network.colors[color].letter.to_string()).collect();
    settings.extend(network.free_gates().map(|gate| (format!("gate {}", network.gates[gate]), letters.clone())));
    settings
}

/// Returns one row for each configuration of the trip, or a single row if there are too many.
pub fn rows(network: &Network, trip: &Trip) -> Vec<Vec<String>> {
    let pattern = Pattern { levers: trip.levers.clone(), gates: trip.gates.clone() };
    let all = Pattern::any(network).configurations(network);
    let configurations = if all <= MAX_ROWS.into() { pattern.all_configurations(network) } else { vec![pattern] };
    let name = |node: &usize| network.nodes[*node].name.to_string();
    let nodes: Vec<String> = trip.nodes.iter().map(name).collect();
    let start = (network.starts.len() > 1).then(|| name(&trip.nodes[0]));
    let row = |Pattern { levers, gates }: Pattern| {
        let cells = [
            configuration_text(network, &levers, &gates),
            trip.outcome.name().to_owned(),
            nodes.len().to_string(),
            nodes.join(" "),
        ];
        start.clone().into_iter().chain(cells).collect()
    };
    configurations.into_iter().map(row).collect()
}

/// Converts a trip to its JSON form.
pub fn answer<'a>(network: &'a Network, trip: &Trip) -> Answer<'a> {
    let value = |name: &Name| match name.term.number() {
        Some(number) => json!(number),
        // A plain "*" means any state.
        None if **name == "*" => json!("(*)"),
        None => json!(**name),
    };
    let levers = (network.colors.iter().zip(&trip.levers))
        .map(|(color, state)| (color.name.to_string(), state.map_or(json!("*"), |state| value(&color.states[state]))))
        .collect();
    let gates = (network.gates.iter().zip(&trip.gates))
        .map(|(gate, color)| (gate.to_string(), color.map_or(json!("*"), |color| value(&network.colors[color].name))))
        .collect();
    let mut steps = Vec::with_capacity(trip.nodes.len());
    let mut last: Option<(Vec<Option<usize>>, std::rc::Rc<str>)> = None;
    trip.for_each_step(network, |node, levers| {
        let text = match &last {
            Some((same, text)) if same == levers => text.clone(),
            _ => last.insert((levers.to_vec(), levers_text(network, levers).into())).1.clone(),
        };
        steps.push(TripStep { node: &network.nodes[node].name, levers: text });
    });
    Answer {
        start: &network.nodes[trip.nodes[0]].name,
        configuration: configuration_text(network, &trip.levers, &trip.gates),
        configurations: trip.configurations(network).to_string(),
        levers,
        gates,
        outcome: trip.outcome.name(),
        steps: trip.nodes.len(),
        trip: steps,
    }
}
