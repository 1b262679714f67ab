//! Configurations and trips.
//!
//! A configuration is the start, the initial state of each lever and the colour of each gate. It
//! determines the trip, but many configurations can have the same trip.

pub mod replay;
pub mod tally;

use std::cmp::Ordering;

use base::words::count;
use num_bigint::BigUint;

use crate::network::{Branch, Color, Kind, Name, Network, NodeId};

/// How a trip ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    Win,
    Loss,
    Cycle,
    Stuck,
}

impl Outcome {
    pub const ALL: [Outcome; 4] = [Outcome::Win, Outcome::Loss, Outcome::Cycle, Outcome::Stuck];

    pub fn name(self) -> &'static str {
        match self {
            Outcome::Win => "win",
            Outcome::Loss => "loss",
            Outcome::Cycle => "cycle",
            Outcome::Stuck => "stuck",
        }
    }

    /// Creates a JSON object with `value` of each outcome.
    pub fn json(value: impl Fn(Outcome) -> serde_json::Value) -> serde_json::Value {
        let pair = |outcome: Outcome| (outcome.name().to_owned(), value(outcome));
        Outcome::ALL.into_iter().map(pair).collect::<serde_json::Map<_, _>>().into()
    }

    pub fn from_name(name: &str) -> Option<Outcome> {
        Outcome::ALL.into_iter().find(|outcome| outcome.name() == name)
    }
}

/// The exact number of configurations.
#[derive(Debug, Clone)]
pub enum Weight {
    Small(u128),
    Large(BigUint),
}

/// A finished trip whose nodes are collected only when [`build`](Self::build) is called.
pub struct LazyTrip<'a> {
    pub outcome: Outcome,
    /// Number of nodes. For a cycle, this is an upper bound, since an engine may detect it late.
    pub steps: usize,
    /// Number of distinct gates crossed.
    pub gates: usize,
    /// Number of configurations with this trip.
    pub weight: Weight,
    pub build: &'a dyn Fn() -> Trip,
}

/// The effect of gates, which differs between the built-in encodings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GateRule {
    /// The trolley gets stuck at its first gate.
    NoGate,
    /// Crossing a gate moves the lever of its colour.
    DynamicGate,
}

/// A trip and its configurations, which are those that agree with `levers` and `gates`.
///
/// `None` matches any value: of a lever on which the trip does not depend (it visits no fork of
/// this colour, or only forks whose ways all lead to the same node), or of a gate that the trip
/// does not cross.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trip {
    /// The nodes in order. A cycle ends with the first node that is visited for the second time
    /// with the same lever states.
    pub nodes: Vec<NodeId>,
    pub outcome: Outcome,
    /// For each colour, the initial state of its lever as an index into `Color::states`.
    pub levers: Vec<Option<usize>>,
    /// For each gate, its colour as an index into `Network::colors`.
    pub gates: Vec<Option<usize>>,
    pub rules: GateRule,
    /// For custom rules, the lever states on arrival at each step, as far as the encoding reports
    /// them.
    pub reported_levers: Option<Vec<Vec<Option<usize>>>>,
}

impl Trip {
    /// Returns the number of configurations with this trip.
    pub fn configurations(&self, network: &Network) -> BigUint {
        count_open(network, &self.levers, &self.gates)
    }

    /// Returns the memory use in bytes.
    pub fn bytes(&self) -> u64 {
        let values = self.levers.len() + self.gates.len();
        let reported = self
            .reported_levers
            .as_ref()
            .map_or(0, |reported| reported.len() * (24 + self.levers.len() * size_of::<Option<usize>>()));
        (size_of::<Trip>() + self.nodes.len() * size_of::<NodeId>() + values * size_of::<Option<usize>>() + reported)
            as u64
    }

    /// Returns the number of distinct gates that the trip crosses.
    pub fn gates_crossed(&self) -> usize {
        self.gates.iter().filter(|color| color.is_some()).count()
    }

    /// Returns the branches that the trip takes, in order.
    pub fn branches_taken(&self, network: &Network) -> Vec<Branch> {
        let mut branches = Vec::new();
        self.for_each_step(network, |node, levers| match network.nodes[node].kind {
            Kind::Fork { color, .. } => branches.push((node, levers[color].unwrap_or(0))),
            Kind::Gate { .. } => branches.push((node, 0)),
            _ => {}
        });
        // The trolley does not leave the last node.
        branches.truncate(self.nodes.len() - 1);
        branches
    }

    /// Calls `visit` with each node and the lever states on arrival. A state is `None` if it is not
    /// known.
    pub fn for_each_step(&self, network: &Network, mut visit: impl FnMut(NodeId, &[Option<usize>])) {
        if let Some(reported) = &self.reported_levers {
            for (&node, levers) in self.nodes.iter().zip(reported) {
                visit(node, levers);
            }
            return;
        }
        let mut levers = self.levers.clone();
        for &node in &self.nodes {
            visit(node, &levers);
            if let (Kind::Gate { gate, .. }, GateRule::DynamicGate) = (&network.nodes[node].kind, self.rules)
                && let Some(color) = self.gates[*gate]
                && let Some(state) = &mut levers[color]
            {
                *state = network.after_gate(*gate, color, *state);
            }
        }
    }

    /// Returns the lever states on arrival at each step. A state is `None` if it is not known.
    pub fn levers_at(&self, network: &Network) -> Vec<Vec<Option<usize>>> {
        let mut levers_at = Vec::with_capacity(self.nodes.len());
        self.for_each_step(network, |_, levers| levers_at.push(levers.to_vec()));
        levers_at
    }

    /// Returns a title such as "211R*: win through 10 nodes".
    pub fn title(&self, network: &Network) -> String {
        let configuration = configuration_text(network, &self.levers, &self.gates);
        format!("{configuration}: {} through {}", self.outcome.name(), count(self.nodes.len(), "node", "nodes"))
    }

    /// Returns the lever changes on the trip: for each, the step of the crossing (from 0), the
    /// colour of the lever, and a description such as "red 2→1".
    pub fn lever_changes(&self, network: &Network) -> Vec<(usize, usize, String)> {
        let mut changes = Vec::new();
        let describe_change = |color: usize, from: usize, to: usize| {
            let Color { name, states, .. } = &network.colors[color];
            format!("{name} {}→{}", states[from], states[to])
        };
        if let Some(reported) = &self.reported_levers {
            for (step, pair) in reported.windows(2).enumerate() {
                for (color, (from, to)) in pair[0].iter().zip(&pair[1]).enumerate() {
                    let moved = from.zip(*to).filter(|(from, to)| from != to);
                    changes.extend(moved.map(|(from, to)| (step, color, describe_change(color, from, to))));
                }
            }
            return changes;
        }
        let mut step = 0;
        self.for_each_step(network, |node, levers| {
            let is_last = step + 1 == self.nodes.len();
            if let (Kind::Gate { gate, .. }, false) = (&network.nodes[node].kind, is_last)
                && let Some(color) = self.gates[*gate]
                && levers[color].is_none_or(|state| network.after_gate(*gate, color, state) != state)
            {
                let words = match levers[color] {
                    Some(state) => describe_change(color, state, network.after_gate(*gate, color, state)),
                    None => format!("{} moves on", network.colors[color].name),
                };
                changes.push((step, color, words));
            }
            step += 1;
        });
        changes
    }

    /// Orders trips by start, then by configuration, where `None` comes last.
    pub fn compare(&self, other: &Trip) -> Ordering {
        fn key(trip: &Trip) -> impl Iterator<Item = usize> {
            trip.levers.iter().chain(&trip.gates).map(|value| value.unwrap_or(usize::MAX))
        }
        self.nodes[0].cmp(&other.nodes[0]).then_with(|| key(self).cmp(key(other)))
    }
}

/// Returns the number of values that the levers and gates that are `None` can have together.
fn count_open(network: &Network, levers: &[Option<usize>], gates: &[Option<usize>]) -> BigUint {
    let open_levers = levers.iter().zip(&network.colors).filter(|(lever, _)| lever.is_none());
    let levers: BigUint = open_levers.map(|(_, color)| BigUint::from(color.states.len())).product();
    let open_gates = gates.iter().filter(|gate| gate.is_none());
    let gates: BigUint = open_gates.map(|_| BigUint::from(network.gate_colors().count())).product();
    levers * gates
}

/// Formats lever states: `211`, `2*1`, `2(10)1`. Labels of more than one character are in
/// parentheses. `*` means any state, `(*)` the state with the label `*`.
pub fn levers_text(network: &Network, levers: &[Option<usize>]) -> String {
    levers.iter().enumerate().map(|(color, state)| label_text(network, color, *state)).collect()
}

/// Formats the state of one lever; see [`levers_text`].
pub fn label_text(network: &Network, color: usize, state: Option<usize>) -> String {
    let Some(state) = state else { return "*".to_owned() };
    let label = &network.colors[color].states[state];
    let is_plain = label.chars().count() == 1 && !label.contains(['*', '(', ')']);
    if is_plain { label.to_string() } else { format!("({label})") }
}

/// Formats a configuration: the lever states, then the letter of the colour of each free gate.
pub fn configuration_text(network: &Network, levers: &[Option<usize>], gates: &[Option<usize>]) -> String {
    let letters = network.free_gates().map(|gate| gates[gate].map_or('*', |color| network.colors[color].letter));
    levers_text(network, levers).chars().chain(letters).collect()
}

/// A partial configuration, in which `None` matches any value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    pub levers: Vec<Option<usize>>,
    pub gates: Vec<Option<usize>>,
}

impl Pattern {
    /// Returns the pattern that matches every configuration. It has values only for the levers and
    /// gates that the network fixes.
    pub fn any(network: &Network) -> Self {
        let levers = network.colors.iter().map(|color| color.fixed).collect();
        Pattern { levers, gates: network.sets.iter().map(|set| set.map(|(color, _)| color)).collect() }
    }

    /// Returns the number of matching configurations over all starts.
    pub fn configurations(&self, network: &Network) -> BigUint {
        count_open(network, &self.levers, &self.gates) * network.starts.len()
    }

    /// Returns all matching configurations in order. Their number is exponential in that of the
    /// open levers and gates.
    pub fn all_configurations(&self, network: &Network) -> Vec<Pattern> {
        let mut all = vec![self.clone()];
        for color in (0..self.levers.len()).filter(|&color| self.levers[color].is_none()) {
            all = expand_patterns(&all, 0..network.colors[color].states.len(), |pattern, state| {
                pattern.levers[color] = Some(state)
            });
        }
        for gate in (0..self.gates.len()).filter(|&gate| self.gates[gate].is_none()) {
            all = expand_patterns(&all, network.gate_colors(), |pattern, color| pattern.gates[gate] = Some(color));
        }
        all
    }

    /// Parses a text in the format of [`configuration_text`]. The error names the position.
    pub fn parse(network: &Network, text: &str) -> Result<Self, String> {
        let mut pattern = Pattern::any(network);
        let parts = split_places(text);
        let free: Vec<usize> = network.free_gates().collect();
        let num_places = network.colors.len() + free.len();
        if parts.len() != num_places {
            let gates = free.len();
            let names: Vec<Name> = free.iter().map(|&gate| network.gates[gate].clone()).collect();
            return Err(format!(
                "expected {}, found {}: {} for the levers ({}){}",
                count(num_places, "place", "places"),
                parts.len(),
                network.colors.len(),
                network.colors.iter().map(|color| color.name.as_str()).collect::<Vec<_>>().join(", "),
                if gates == 0 {
                    String::new()
                } else {
                    format!(", then {gates} for the gates ({})", Name::list(&names))
                }
            ));
        }
        for (place, part) in parts.iter().enumerate().filter_map(|(place, part)| Some((place, part.as_ref()?))) {
            if let Some(color) = network.colors.get(place) {
                let found = color.states.iter().position(|state| **state == *part);
                if let (Some(fixed), true) = (color.fixed, found.is_some() && found != color.fixed) {
                    let fixed = &color.states[fixed];
                    return Err(format!(
                        "place {} is \"{part}\"; the lever of {} is fixed at {fixed}",
                        place + 1,
                        color.name
                    ));
                }
                pattern.levers[place] = Some(found.ok_or_else(|| {
                    format!(
                        "place {} is \"{part}\"; expected a state of the lever of {}: {}",
                        place + 1,
                        color.name,
                        Name::list(&color.states)
                    )
                })?);
            } else {
                let gate = free[place - network.colors.len()];
                let found = network.gate_colors().find(|&color| *part == network.colors[color].letter.to_string());
                pattern.gates[gate] = Some(found.ok_or_else(|| {
                    let colors = network.gate_colors().map(|color| &network.colors[color]);
                    let letters: Vec<String> =
                        colors.map(|color| format!("{} ({})", color.letter, color.name)).collect();
                    format!(
                        "place {} is \"{part}\"; expected the letter of a colour for gate {}: {}",
                        place + 1,
                        network.gates[gate],
                        letters.join(", ")
                    )
                })?);
            }
        }
        Ok(pattern)
    }

    /// Restricts a trip to the configurations that match. Returns `None` if none of them does.
    pub fn narrow(&self, trip: &Trip) -> Option<Trip> {
        let intersect = |required: &[Option<usize>], found: &[Option<usize>]| -> Option<Vec<Option<usize>>> {
            required
                .iter()
                .zip(found)
                .map(|(required, found)| match (required, found) {
                    (Some(required), Some(found)) if required != found => None,
                    (required, found) => Some(found.or(*required)),
                })
                .collect()
        };
        Some(Trip {
            levers: intersect(&self.levers, &trip.levers)?,
            gates: intersect(&self.gates, &trip.gates)?,
            ..trip.clone()
        })
    }
}

/// Replaces each pattern by one copy for each value in `values`, modified by `set`.
fn expand_patterns(
    patterns: &[Pattern],
    values: impl Iterator<Item = usize> + Clone,
    set: impl Fn(&mut Pattern, usize),
) -> Vec<Pattern> {
    let with_value = |pattern: &Pattern, value: usize| {
        let mut pattern = pattern.clone();
        set(&mut pattern, value);
        pattern
    };
    patterns
        .iter()
        .flat_map(|pattern| values.clone().map(move |value| (pattern, value)))
        .map(|(pattern, value)| with_value(pattern, value))
        .collect()
}

/// Splits a configuration into places: characters, and groups in parentheses, whose parentheses are
/// removed. A place is `None` for a `*` outside a group.
fn split_places(text: &str) -> Vec<Option<String>> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if let Some((group, after)) = leading_group(rest) {
            parts.push(Some(group.to_owned()));
            rest = after;
        } else {
            parts.push((first != '*').then(|| first.to_string()));
            rest = &rest[first.len_utf8()..];
        }
    }
    parts
}

/// Returns the contents of the group in parentheses at the start of `text`, and the rest.
fn leading_group(text: &str) -> Option<(&str, &str)> {
    let inside = text.strip_prefix('(')?;
    let mut depth = 1;
    let end = inside.find(|sign| {
        depth += i32::from(sign == '(') - i32::from(sign == ')');
        depth == 0
    });
    // If the parentheses are not balanced, the label itself contains one.
    let end = end.or_else(|| inside.find(')'))?;
    Some((&inside[..end], &inside[end + 1..]))
}
