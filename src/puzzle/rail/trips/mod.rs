//! Configurations, trips, and what a trip says about the configurations behind it.

pub mod replay;
pub mod tally;

use std::cmp::Ordering;

use crate::puzzle::rail::network::{Color, Kind, Name, Network, NodeId, Way};
use crate::words::count;
use num_bigint::BigUint;

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

    /// An object with a value for each outcome.
    pub fn json(of: impl Fn(Outcome) -> serde_json::Value) -> serde_json::Value {
        let pair = |outcome: Outcome| (outcome.name().to_owned(), of(outcome));
        Outcome::ALL.into_iter().map(pair).collect::<serde_json::Map<_, _>>().into()
    }

    pub fn named(name: &str) -> Option<Outcome> {
        Outcome::ALL.into_iter().find(|outcome| outcome.name() == name)
    }
}

/// A number of configurations.
#[derive(Debug, Clone)]
pub enum Weight {
    Small(u128),
    Large(BigUint),
}

/// A trip that has come to its end, put together only if somebody wants it.
pub struct Leaf<'a> {
    pub outcome: Outcome,
    /// Of a cycle at most: where it was noticed.
    pub steps: usize,
    /// How many of the gates it crosses.
    pub gates: usize,
    /// How many configurations have it.
    pub weight: Weight,
    pub trip: &'a dyn Fn() -> Trip,
}

/// Which of the two encodings' rules hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GateRule {
    /// A trip is stuck at the first gate.
    NoGate,
    /// Crossing a gate moves the lever of its colour.
    DynamicGate,
}

/// A trip, and the configurations that have it: those that agree with `levers` and `gates`.
///
/// `None` stands for "any": a lever that no fork on the trip asks (or only forks whose ways all lead to one node), a
/// gate that the trip does not cross. The trip is the same whatever their values, because the trolley never sees them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trip {
    /// The nodes in order. A cycle ends with the node that is met for the second time with the same levers.
    pub nodes: Vec<NodeId>,
    pub outcome: Outcome,
    /// For each colour the state of its lever at the start, an index into `Color::states`.
    pub levers: Vec<Option<usize>>,
    /// For each gate its colour.
    pub gates: Vec<Option<usize>>,
    pub rules: GateRule,
    /// By rules of one's own: the states of the levers on arrival at each step, as far as the encoding tells them.
    pub told: Option<Vec<Vec<Option<usize>>>>,
}

impl Trip {
    /// How many configurations have this trip.
    pub fn configurations(&self, network: &Network) -> BigUint {
        open_configurations(network, &self.levers, &self.gates)
    }

    /// Bytes that it takes.
    pub fn bytes(&self) -> u64 {
        let values = self.levers.len() + self.gates.len();
        let told =
            self.told.as_ref().map_or(0, |told| told.len() * (24 + self.levers.len() * size_of::<Option<usize>>()));
        (size_of::<Trip>() + self.nodes.len() * size_of::<NodeId>() + values * size_of::<Option<usize>>() + told) as u64
    }

    /// How many of the gates it crosses.
    pub fn crossed(&self) -> usize {
        self.gates.iter().filter(|color| color.is_some()).count()
    }

    /// The ways that it takes, in order.
    pub fn taken(&self, network: &Network) -> Vec<Way> {
        let mut ways = Vec::new();
        self.each_step(network, |node, levers| match network.nodes[node].kind {
            Kind::Fork { color, .. } => ways.push((node, levers[color].unwrap_or(0))),
            Kind::Gate { .. } => ways.push((node, 0)),
            _ => {}
        });
        // At the last step it takes none any more.
        ways.truncate(self.nodes.len() - 1);
        ways
    }

    /// Calls `visit` with the node of each step and the states of the levers on arrival, as far as they are known.
    pub fn each_step(&self, network: &Network, mut visit: impl FnMut(NodeId, &[Option<usize>])) {
        if let Some(told) = &self.told {
            return self.nodes.iter().zip(told).for_each(|(&node, levers)| visit(node, levers));
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

    /// The states of the levers on arrival at each step, as far as they are known.
    pub fn levers_at(&self, network: &Network) -> Vec<Vec<Option<usize>>> {
        let mut levers_at = Vec::with_capacity(self.nodes.len());
        self.each_step(network, |_, levers| levers_at.push(levers.to_vec()));
        levers_at
    }

    /// "211R*: win in 10 steps"
    pub fn title(&self, network: &Network) -> String {
        let configuration = configuration_text(network, &self.levers, &self.gates);
        format!("{configuration}: {} in {}", self.outcome.name(), count(self.nodes.len(), "step", "steps"))
    }

    /// Where levers change: the step of each crossing, from 0, the colour of the lever, and what happens to it in words.
    pub fn marks(&self, network: &Network) -> Vec<(usize, usize, String)> {
        let mut marks = Vec::new();
        let moves = |color: usize, from: usize, to: usize| {
            let Color { name, states, .. } = &network.colors[color];
            format!("{name} {}→{}", states[from], states[to])
        };
        if let Some(told) = &self.told {
            for (step, pair) in told.windows(2).enumerate() {
                for (color, (from, to)) in pair[0].iter().zip(&pair[1]).enumerate() {
                    let moved = from.zip(*to).filter(|(from, to)| from != to);
                    marks.extend(moved.map(|(from, to)| (step, color, moves(color, from, to))));
                }
            }
            return marks;
        }
        let mut step = 0;
        self.each_step(network, |node, levers| {
            let is_last = step + 1 == self.nodes.len();
            if let (Kind::Gate { gate, .. }, false) = (&network.nodes[node].kind, is_last)
                && let Some(color) = self.gates[*gate]
                && levers[color].is_none_or(|state| network.after_gate(*gate, color, state) != state)
            {
                let words = match levers[color] {
                    Some(state) => moves(color, state, network.after_gate(*gate, color, state)),
                    None => format!("{} moves on", network.colors[color].name),
                };
                marks.push((step, color, words));
            }
            step += 1;
        });
        marks
    }

    /// By start, then as configurations are read, "any" last.
    pub fn compare(&self, other: &Trip) -> Ordering {
        fn key(trip: &Trip) -> impl Iterator<Item = usize> {
            trip.levers.iter().chain(&trip.gates).map(|value| value.unwrap_or(usize::MAX))
        }
        self.nodes[0].cmp(&other.nodes[0]).then_with(|| key(self).cmp(key(other)))
    }
}

/// How many ways there are to fill what is open.
fn open_configurations(network: &Network, levers: &[Option<usize>], gates: &[Option<usize>]) -> BigUint {
    let open_levers = levers.iter().zip(&network.colors).filter(|(lever, _)| lever.is_none());
    let levers: BigUint = open_levers.map(|(_, color)| BigUint::from(color.states.len())).product();
    let open_gates = gates.iter().filter(|gate| gate.is_none());
    let gates: BigUint = open_gates.map(|_| BigUint::from(network.gate_colors().count())).product();
    levers * gates
}

/// The states of levers as text, one character each where the labels allow it: `211`, `2*1`, `2(10)1`. A `*` stands for any
/// state, `(*)` for the one with that label.
pub fn levers_text(network: &Network, levers: &[Option<usize>]) -> String {
    levers.iter().enumerate().map(|(color, state)| label_text(network, color, *state)).collect()
}

/// The state of one of them.
pub fn label_text(network: &Network, color: usize, state: Option<usize>) -> String {
    let Some(state) = state else { return "*".to_owned() };
    let label = &network.colors[color].states[state];
    let is_plain = label.chars().count() == 1 && !label.contains(['*', '(', ')']);
    if is_plain { label.to_string() } else { format!("({label})") }
}

/// A configuration as text: the levers, then the letter of each gate's colour.
pub fn configuration_text(network: &Network, levers: &[Option<usize>], gates: &[Option<usize>]) -> String {
    let letters = network.free_gates().map(|gate| gates[gate].map_or('*', |color| network.colors[color].letter));
    levers_text(network, levers).chars().chain(letters).collect()
}

/// What a configuration must agree with; `None` where anything will do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    pub levers: Vec<Option<usize>>,
    pub gates: Vec<Option<usize>>,
}

impl Pattern {
    /// Agrees with every configuration: only what nobody may choose is there.
    pub fn any(network: &Network) -> Self {
        let levers = network.colors.iter().map(|color| color.fixed).collect();
        Pattern { levers, gates: network.sets.iter().map(|set| set.map(|(color, _)| color)).collect() }
    }

    /// How many configurations agree, over all starts.
    pub fn configurations(&self, network: &Network) -> BigUint {
        open_configurations(network, &self.levers, &self.gates) * network.starts.len()
    }

    /// Every configuration that agrees, in the order in which they are read; there may be many.
    pub fn each(&self, network: &Network) -> Vec<Pattern> {
        let mut all = vec![self.clone()];
        for color in (0..self.levers.len()).filter(|&color| self.levers[color].is_none()) {
            all = with_each(&all, 0..network.colors[color].states.len(), |pattern, state| {
                pattern.levers[color] = Some(state)
            });
        }
        for gate in (0..self.gates.len()).filter(|&gate| self.gates[gate].is_none()) {
            all = with_each(&all, network.gate_colors(), |pattern, color| pattern.gates[gate] = Some(color));
        }
        all
    }

    /// Reads what [`configuration_text`] writes; `*` stands for anything. The error tells what is wrong at which place.
    pub fn parse(network: &Network, text: &str) -> Result<Self, String> {
        let mut pattern = Pattern::any(network);
        let parts = split(text);
        let free: Vec<usize> = network.free_gates().collect();
        let wanted = network.colors.len() + free.len();
        if parts.len() != wanted {
            let gates = free.len();
            let names: Vec<Name> = free.iter().map(|&gate| network.gates[gate].clone()).collect();
            return Err(format!(
                "it has {} places; expected {wanted}: {} for the levers ({}){}",
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

    /// Narrows a trip to the configurations that agree; `None` if there is none.
    pub fn narrow(&self, trip: &Trip) -> Option<Trip> {
        let meet = |wanted: &[Option<usize>], found: &[Option<usize>]| -> Option<Vec<Option<usize>>> {
            wanted
                .iter()
                .zip(found)
                .map(|(wanted, found)| match (wanted, found) {
                    (Some(wanted), Some(found)) if wanted != found => None,
                    (wanted, found) => Some(found.or(*wanted)),
                })
                .collect()
        };
        Some(Trip { levers: meet(&self.levers, &trip.levers)?, gates: meet(&self.gates, &trip.gates)?, ..trip.clone() })
    }
}

/// Each pattern once for each value of something that was open.
fn with_each(
    patterns: &[Pattern],
    values: impl Iterator<Item = usize> + Clone,
    set: impl Fn(&mut Pattern, usize),
) -> Vec<Pattern> {
    let with = |pattern: &Pattern, value: usize| {
        let mut pattern = pattern.clone();
        set(&mut pattern, value);
        pattern
    };
    patterns
        .iter()
        .flat_map(|pattern| values.clone().map(move |value| (pattern, value)))
        .map(|(pattern, value)| with(pattern, value))
        .collect()
}

/// Characters, and groups in parentheses without them; `None` for a `*` outside of a group.
fn split(text: &str) -> Vec<Option<String>> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if let Some((group, after)) = group(rest) {
            parts.push(Some(group.to_owned()));
            rest = after;
        } else {
            parts.push((first != '*').then(|| first.to_string()));
            rest = &rest[first.len_utf8()..];
        }
    }
    parts
}

/// The group that a text begins with, up to the parenthesis that closes it, and what follows.
fn group(text: &str) -> Option<(&str, &str)> {
    let inside = text.strip_prefix('(')?;
    let mut depth = 1;
    let end = inside.find(|sign| {
        depth += i32::from(sign == '(') - i32::from(sign == ')');
        depth == 0
    });
    // A label may be a parenthesis that nothing closes.
    let end = end.or_else(|| inside.find(')'))?;
    Some((&inside[..end], &inside[end + 1..]))
}
