//! The railway as a network of numbered nodes.
//!
//! ```text
//!          lever of red: 1          gate 1 (colour chosen)
//!   start ──> fork ───────> … ───> |p1l   p1r| ───> … ───> target
//!               └───2────> …          crossing it moves the lever of its colour
//! ```

mod derive;
pub mod dot;
pub mod fact;
pub mod facts;
pub mod instance;
pub mod json;
pub mod lines;
pub mod plan;
mod plan_reader;
pub mod svg;
pub mod writing;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Deref;

use asp::Term;
use base::diagnostic::{Code, Diagnostic, Failure};
use base::sorting;
use fact::{Fact, PREDICATES};
use facts::Facts;
use num_bigint::BigUint;

/// A node, as an index into [`Network::nodes`].
pub type NodeId = usize;

/// A valid railway, in which every fork has a way for each state of its lever.
#[derive(Debug, Clone)]
pub struct Network {
    pub nodes: Vec<Node>,
    /// Colours with their levers, in the order of configurations.
    pub colors: Vec<Color>,
    /// Names of the gates, in the order of configurations.
    pub gates: Vec<Name>,
    /// For each gate that sets a lever, the colour of the lever and the state. `None` for gates
    /// that move the lever of the colour that the player has chosen for them.
    pub sets: Vec<Option<(usize, usize)>>,
    /// The nodes at which trips can begin, in the order of their names.
    pub starts: Vec<NodeId>,
}

/// The name of a node, colour, state or gate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    pub term: Term,
    text: String,
}

impl Name {
    pub fn of(term: Term) -> Self {
        Name { text: term.text(), term }
    }

    /// Joins names with commas.
    pub fn list(names: &[Name]) -> String {
        names.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(", ")
    }

    /// Creates the names of all nodes, colours, states or gates. A string is quoted if its text
    /// alone would be ambiguous.
    fn all(terms: &[Term]) -> Vec<Self> {
        let mut readings = BTreeMap::<String, BTreeSet<&Term>>::new();
        for term in terms {
            readings.entry(term.text()).or_default().insert(term);
            readings.entry(term.to_string()).or_default().insert(term);
        }
        let name = |term: &Term| match term.text() {
            text if readings[&text].len() == 1 => Name { term: term.clone(), text },
            _ => Name { term: term.clone(), text: term.to_string() },
        };
        terms.iter().map(name).collect()
    }
}

impl Deref for Name {
    type Target = String;

    fn deref(&self) -> &String {
        &self.text
    }
}

impl fmt::Display for Name {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text.fmt(out)
    }
}

#[derive(Debug, Clone)]
pub struct Node {
    pub name: Name,
    pub kind: Kind,
    /// Position on the map; x to the right, y down.
    pub position: Option<(i32, i32)>,
}

/// The kind of a node, which determines how a trip continues from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// The trip is won.
    Target,
    /// The trip is lost.
    Loss,
    /// The trolley goes on to `ways[state]`, where `state` is the state of the lever of `color`.
    Fork { color: usize, ways: Vec<NodeId> },
    /// The trolley crosses `gate` and goes on to `next`, or is stuck if that is `None`. Each side
    /// of a gate is a node.
    Gate { gate: usize, next: Option<NodeId> },
    /// The trolley is stuck.
    DeadEnd,
}

#[derive(Debug, Clone)]
pub struct Color {
    pub name: Name,
    /// The letter for the colour in configurations.
    pub letter: char,
    /// Labels of the lever's states, in cyclic order.
    pub states: Vec<Name>,
    /// The initial state of the lever, if the player cannot choose it.
    pub fixed: Option<usize>,
    /// True if the lever belongs to a single fork. No gate can have this colour, but gates can set
    /// the lever.
    pub is_own: bool,
}

/// Maximum number of warnings about dead ends that occur in a single fact.
const MAX_LONE_ENDS: usize = 5;

/// A way out of a fork or a side of a gate: the node, and the state of its lever (0 for a gate).
pub type Branch = (NodeId, usize);

impl Network {
    /// Returns the node to which a branch leads. `None` if the node has no way out.
    pub fn end(&self, (node, state): Branch) -> Option<NodeId> {
        match &self.nodes[node].kind {
            Kind::Fork { ways, .. } => Some(ways[state]),
            Kind::Gate { next, .. } => *next,
            _ => None,
        }
    }

    /// Makes a branch lead to `end`.
    pub fn redirect(&mut self, (node, state): Branch, end: NodeId) {
        match &mut self.nodes[node].kind {
            Kind::Fork { ways, .. } => ways[state] = end,
            Kind::Gate { next, .. } => *next = Some(end),
            _ => unreachable!("ends have no ways"),
        }
    }

    pub fn fork_count(&self) -> usize {
        self.nodes.iter().filter(|node| matches!(node.kind, Kind::Fork { .. })).count()
    }

    /// Returns true if the networks are equal except for positions.
    pub fn is_same(&self, other: &Network) -> bool {
        let without_positions = |network: &Network| {
            let nodes: Vec<_> = network.nodes.iter().map(|node| (&node.name, &node.kind)).collect();
            format!("{nodes:?} {:?} {:?} {:?} {:?}", network.colors, network.gates, network.sets, network.starts)
        };
        without_positions(self) == without_positions(other)
    }

    /// Returns the number of combinations of lever states.
    pub fn lever_states(&self) -> BigUint {
        self.colors.iter().map(|color| BigUint::from(color.states.len())).product()
    }

    /// Returns the number of colourings of the free gates.
    pub fn colorings(&self) -> BigUint {
        BigUint::from(self.gate_colors().count()).pow(self.free_gates().count() as u32)
    }

    /// Returns the gates whose colour the player chooses.
    pub fn free_gates(&self) -> impl Iterator<Item = usize> {
        (0..self.gates.len()).filter(|&gate| self.sets[gate].is_none())
    }

    /// Returns the state of the lever of `color` after the trolley has crossed `gate`. The gate has
    /// this colour, or sets this lever.
    pub fn after_gate(&self, gate: usize, color: usize, state: usize) -> usize {
        match self.sets[gate] {
            Some((_, set)) => set,
            None => (state + 1) % self.colors[color].states.len(),
        }
    }

    /// Returns the colours that a gate can have.
    pub fn gate_colors(&self) -> impl Iterator<Item = usize> + Clone {
        (0..self.colors.len()).filter(|&color| !self.colors[color].is_own)
    }

    /// Returns the colour of the lever on which a trip depends at this node, if it is a true fork
    /// or a side of a gate that sets a lever.
    pub fn lever_used_at(&self, node: NodeId) -> Option<usize> {
        match self.nodes[node].kind {
            Kind::Fork { color, .. } if self.is_true_fork(node) => Some(color),
            Kind::Gate { gate, .. } => self.sets[gate].map(|(color, _)| color),
            _ => None,
        }
    }

    /// Returns all branches of forks and gates, in the order of nodes.
    pub fn branches(&self) -> Vec<Branch> {
        let branches_of = |(id, node): (NodeId, &Node)| match &node.kind {
            Kind::Fork { ways, .. } => (0..ways.len()).map(|state| (id, state)).collect(),
            Kind::Gate { .. } => vec![(id, 0)],
            _ => Vec::new(),
        };
        self.nodes.iter().enumerate().flat_map(branches_of).collect()
    }

    /// Returns true for a fork whose ways lead to different nodes.
    pub fn is_true_fork(&self, node: NodeId) -> bool {
        matches!(&self.nodes[node].kind, Kind::Fork { ways, .. } if ways.iter().any(|&way| way != ways[0]))
    }

    /// Returns warnings about dead ends that occur in a single fact, which are usually misspelt
    /// names.
    pub fn lone_ends(&self, facts: &Facts) -> Vec<Diagnostic> {
        let mut facts_of_node = BTreeMap::<&Term, Vec<&Fact>>::new();
        for fact in &facts.facts {
            let nodes = match (fact.name.as_str(), &fact.terms[..]) {
                ("rel", [node, _, next]) => vec![node, next],
                ("start", [node]) | ("position", [node, ..]) => vec![node],
                _ => Vec::new(),
            };
            for node in nodes {
                facts_of_node.entry(node).or_default().push(fact);
            }
        }
        let warning = |node: &Node| {
            let [fact] = facts_of_node.get(&node.name.term)?[..] else { return None };
            let text = format!(
                "node {} is named nowhere else: it leads nowhere, and is neither a target nor a final node",
                node.name.term
            );
            Some(Diagnostic::warning(Code::InvalidInstance, text).at(facts.place(fact)))
        };
        let ends = self.nodes.iter().filter(|node| node.kind == Kind::DeadEnd);
        ends.filter_map(warning).take(MAX_LONE_ENDS).collect()
    }

    /// Builds and validates the network. Each error refers to the place of the wrong fact.
    pub fn from_facts(facts: &Facts) -> Result<Self, Failure> {
        let mut builder = Builder { facts, errors: Vec::new() };
        let network = builder.network();
        if builder.errors.is_empty() { Ok(network) } else { Err(Failure(builder.errors)) }
    }
}

struct Builder<'a> {
    facts: &'a Facts,
    errors: Vec<Diagnostic>,
}

/// The terms of the facts by predicate, each with its fact.
#[derive(Default)]
struct RawFacts<'a> {
    starts: BTreeMap<Term, &'a Fact>,
    targets: BTreeMap<Term, &'a Fact>,
    finals: BTreeMap<Term, &'a Fact>,
    colors: BTreeMap<Term, (Term, &'a Fact)>,
    ways: BTreeMap<Term, BTreeMap<Term, (Term, &'a Fact)>>,
    sides: BTreeMap<Term, (Term, &'a Fact)>,
    levers: Vec<(Term, Term, Term, &'a Fact)>,
    /// For each gate, the colour and the state that it sets.
    sets: BTreeMap<Term, (Term, Term, &'a Fact)>,
    /// For each colour, the initial state of its lever.
    fixed: BTreeMap<Term, (Term, &'a Fact)>,
    /// The colours whose levers belong to a single fork.
    own: BTreeMap<Term, &'a Fact>,
    positions: BTreeMap<Term, ((i32, i32), &'a Fact)>,
}

/// Inserts a value and its fact. Returns the previous ones of this key if the value differs.
fn insert_once<'a, V: PartialEq>(
    map: &mut BTreeMap<Term, (V, &'a Fact)>,
    key: &Term,
    value: V,
    fact: &'a Fact,
) -> Option<(V, &'a Fact)> {
    let before = map.remove(key);
    let differs = before.as_ref().is_some_and(|(other, _)| *other != value);
    map.insert(key.clone(), (value, fact));
    before.filter(|_| differs)
}

impl<'a> Builder<'a> {
    fn error(&mut self, text: String, facts: &[(&Fact, &str)], help: &str) {
        let mut diagnostic = Diagnostic::error(Code::InvalidInstance, text);
        for (fact, label) in facts {
            diagnostic.labels.extend(self.facts.place(fact).map(|place| place.label(*label)));
        }
        self.errors.push(if help.is_empty() { diagnostic } else { diagnostic.help(help) });
    }

    fn network(&mut self) -> Network {
        let raw = self.collect();
        if !self.errors.is_empty() {
            // The other checks require consistent facts.
            let (colors, gates, sets) = (Vec::new(), Vec::new(), Vec::new());
            return Network { nodes: Vec::new(), colors, gates, sets, starts: Vec::new() };
        }
        let states = self.states(&raw);
        let colors = self.colors(&raw, &states);
        self.check_ends(&raw);

        let mut names: Vec<Term> =
            raw.starts.keys().chain(raw.targets.keys()).chain(raw.finals.keys()).cloned().collect();
        names.extend(raw.colors.keys().chain(raw.sides.keys()).cloned());
        names.extend(
            raw.ways.iter().flat_map(|(node, ways)| {
                std::iter::once(node.clone()).chain(ways.values().map(|(next, _)| next.clone()))
            }),
        );
        names.sort();
        names.dedup();
        let id: BTreeMap<&Term, NodeId> = names.iter().enumerate().map(|(id, name)| (name, id)).collect();
        let mut gates: Vec<Term> = raw.sides.values().map(|(gate, _)| gate.clone()).collect();
        sorting::sort(&mut gates);
        gates.dedup();

        let nodes = (Name::all(&names).into_iter().zip(&names))
            .map(|(name, term)| Node {
                name,
                kind: self.kind(term, &raw, &states, &colors, &gates, &id),
                position: raw.positions.get(term).map(|(position, _)| *position),
            })
            .collect();
        let mut colors: Vec<Color> = colors.into_values().collect();
        let sets = self.sets(&raw, &gates, &mut colors);
        if let Some((gate, fact)) = raw.sides.values().find(|(gate, _)| !raw.sets.contains_key(gate))
            && states.keys().all(|color| raw.own.contains_key(color))
        {
            let why = match states.first_key_value() {
                None => "the network has no fork, and only forks define colours",
                Some(_) => "every lever belongs to a fork that sets it",
            };
            self.error(format!("gate {gate} can have no colour: {why}"), &[(fact, "")], "");
        }
        Network {
            nodes,
            colors,
            gates: Name::all(&gates),
            sets,
            starts: raw.starts.keys().map(|start| id[start]).collect(),
        }
    }

    fn collect(&mut self) -> RawFacts<'a> {
        let mut raw = RawFacts::default();
        let facts = self.facts;
        for fact in &facts.facts {
            match (fact.name.as_str(), &fact.terms[..]) {
                ("start", [node]) => drop(raw.starts.insert(node.clone(), fact)),
                ("target", [node]) => drop(raw.targets.insert(node.clone(), fact)),
                ("final_node", [node]) => drop(raw.finals.insert(node.clone(), fact)),
                ("color", [node, color]) => {
                    if let Some((other, first)) = insert_once(&mut raw.colors, node, color.clone(), fact) {
                        let text = format!("node {node} has two colours, {other} and {color}");
                        self.error(
                            text,
                            &[(fact, &color.to_string()), (first, &other.to_string())],
                            "a fork has one colour",
                        );
                    }
                }
                ("rel", [node, label, next]) => {
                    let ways = raw.ways.entry(node.clone()).or_default();
                    if let Some((other, first)) = insert_once(ways, label, next.clone(), fact) {
                        let text = format!("node {node} leads to two nodes at label {label}: {other} and {next}");
                        self.error(text, &[(fact, &format!("to {next}")), (first, &format!("to {other}"))], "");
                    }
                }
                ("gate", [gate, node]) => {
                    if let Some((other, first)) = insert_once(&mut raw.sides, node, gate.clone(), fact) {
                        let text = format!("node {node} is a side of two gates, {other} and {gate}");
                        self.error(text, &[(fact, ""), (first, "")], "");
                    }
                }
                ("lever", [rank, color, letter]) => {
                    raw.levers.push((rank.clone(), color.clone(), letter.clone(), fact))
                }
                ("sets", [gate, color, state]) => {
                    let set = (color.clone(), state.clone(), fact);
                    if let Some((.., first)) = raw.sets.insert(gate.clone(), set)
                        && first != fact
                    {
                        self.error(format!("gate {gate} sets two levers or states"), &[(fact, ""), (first, "")], "");
                    }
                }
                ("fixed", [color, state]) => {
                    if let Some((other, first)) = insert_once(&mut raw.fixed, color, state.clone(), fact) {
                        let text = format!("the lever of {color} is fixed in two states, {other} and {state}");
                        self.error(text, &[(fact, ""), (first, "")], "");
                    }
                }
                ("own", [color]) => drop(raw.own.insert(color.clone(), fact)),
                ("position", [node, x, y]) => {
                    let (Some(x), Some(y)) = (x.number(), y.number()) else {
                        let text = format!("{}: X and Y must be numbers", fact.text);
                        self.error(text, &[(fact, "")], "X is to the right and Y down, in any unit");
                        continue;
                    };
                    if let Some((_, first)) = insert_once(&mut raw.positions, node, (x, y), fact) {
                        self.error(format!("node {node} has two positions"), &[(fact, ""), (first, "")], "");
                    }
                }
                (name, terms) => {
                    if let Some((_, expected)) = PREDICATES.iter().find(|(known, _)| *known == name) {
                        let text = format!(
                            "{name} has {} argument{}; expected {expected}",
                            terms.len(),
                            if terms.len() == 1 { "" } else { "s" }
                        );
                        self.error(text, &[(fact, "")], "");
                    }
                }
            }
        }
        // Trips end at a target or a loss, so its ways, its colour and its gate are ignored.
        let is_not_end = |node: &Term| !raw.targets.contains_key(node) && !raw.finals.contains_key(node);
        raw.colors.retain(|node, _| is_not_end(node));
        raw.sides.retain(|node, _| is_not_end(node));
        raw.ways.retain(|node, _| is_not_end(node));
        raw
    }

    /// Returns the states of the lever of each colour, which are the labels of all its forks.
    fn states(&mut self, raw: &RawFacts<'_>) -> BTreeMap<Term, Vec<Term>> {
        let mut states = BTreeMap::<Term, Vec<Term>>::new();
        for (node, (color, fact)) in &raw.colors {
            if let Some((gate, side)) = raw.sides.get(node) {
                let text = format!("node {node} is a side of gate {gate} and has a colour, {color}");
                self.error(
                    text,
                    &[(fact, "the colour"), (side, "the gate")],
                    "the colour of a gate is the player's choice; drop the fact, or ask with --configuration",
                );
            } else {
                states
                    .entry(color.clone())
                    .or_default()
                    .extend(raw.ways.get(node).into_iter().flat_map(|ways| ways.keys().cloned()));
            }
        }
        for labels in states.values_mut() {
            labels.sort();
            labels.dedup();
        }
        for (color, labels) in &states {
            if labels.len() < 2
                && let Some((_, (_, fact))) = raw.colors.iter().find(|(_, (other, _))| other == color)
            {
                let found = labels.first().map_or("none".to_owned(), |label| format!("only {label}"));
                let text = format!("the lever of {color} has fewer than two states: its forks have {found} as label");
                self.error(
                    text,
                    &[(fact, "")],
                    "a fork has one way for each state: rel(Node, 1, Next) and rel(Node, 2, Other)",
                );
            }
        }
        states
    }

    /// Returns the colours by rank, which defines their order in a configuration.
    fn colors(&mut self, raw: &RawFacts<'_>, states: &BTreeMap<Term, Vec<Term>>) -> BTreeMap<usize, Color> {
        let mut order: Vec<(Term, Option<char>)> = Vec::new();
        if raw.levers.is_empty() {
            order.extend(states.keys().map(|color| (color.clone(), None)));
        } else {
            let mut levers: Vec<_> = raw.levers.iter().collect();
            sorting::sort_by_key(&mut levers, |(rank, color, ..)| (rank.clone(), color.clone()));
            for (index, (rank, color, letter, fact)) in levers.iter().enumerate() {
                let letter_text = letter.text();
                let mut letters = letter_text.chars();
                if !states.contains_key(color) {
                    let known: Vec<String> = states.keys().map(Term::to_string).collect();
                    let text =
                        format!("lever of {}: no fork has this colour; the forks have {}", color, known.join(", "));
                    self.error(text, &[(fact, "")], "");
                    continue;
                }
                let (Some(letter), None) = (letters.next(), letters.next()) else {
                    self.error(
                        format!("the letter of {color} is \"{letter_text}\"; expected one letter"),
                        &[(fact, "")],
                        "",
                    );
                    continue;
                };
                if letter == '*' {
                    self.error("the letter * is reserved for any colour".to_owned(), &[(fact, "")], "");
                }
                for (other_rank, other, other_letter, first) in &levers[..index] {
                    if other == color || other_rank == rank || other_letter.text() == letter_text {
                        let what = if other == color {
                            "the same colour"
                        } else if other_rank == rank {
                            "the same rank"
                        } else {
                            "the same letter"
                        };
                        let text = format!("two levers with {what}: {} and {}", fact.text, first.text);
                        self.error(text, &[(fact, "the second"), (first, "the first")], "");
                    }
                }
                order.push((color.clone(), Some(letter)));
            }
            for color in states.keys().filter(|color| !raw.levers.iter().any(|(_, named, ..)| named == *color)) {
                let text = format!("there are lever facts, but none for the colour {color}");
                self.error(text, &[(raw.levers[0].3, "the others are given here")], "");
            }
        }
        let mut taken: Vec<char> = order.iter().filter_map(|(_, letter)| *letter).collect();
        let mut colors = BTreeMap::new();
        for (rank, (color, letter)) in order.into_iter().enumerate() {
            let letter = letter.unwrap_or_else(|| free_letter(&color.text(), &taken));
            taken.push(letter);
            let labels = states.get(&color).map_or(&[][..], Vec::as_slice);
            colors.insert(
                rank,
                Color { name: Name::of(color), letter, states: Name::all(labels), fixed: None, is_own: false },
            );
        }
        let terms: Vec<Term> = colors.values().map(|color| color.name.term.clone()).collect();
        for (color, name) in colors.values_mut().zip(Name::all(&terms)) {
            color.name = name;
        }
        colors
    }

    /// Returns the lever and the state that each gate sets. Also marks fixed levers, and levers
    /// that belong to a single fork, in `colors`.
    fn sets(&mut self, raw: &RawFacts<'_>, gates: &[Term], colors: &mut [Color]) -> Vec<Option<(usize, usize)>> {
        for (color, fact) in &raw.own {
            match colors.iter_mut().find(|known| known.name.term == *color) {
                Some(known) => known.is_own = true,
                None => self.error(format!("no fork has the colour {color}"), &[(fact, "")], ""),
            }
        }
        let mut find_state = |color: &Term, state: &Term, fact: &Fact, colors: &[Color]| {
            let found = colors.iter().position(|known| known.name.term == *color);
            let known = found.map_or(&[][..], |found| &colors[found].states);
            let set = known.iter().position(|known| known.term == *state);
            if set.is_none() {
                let text = match found {
                    Some(_) => format!("the lever of {color} has no state {state}, but {}", Name::list(known)),
                    None => format!("no fork has the colour {color}"),
                };
                self.error(text, &[(fact, "")], "");
            }
            found.zip(set)
        };
        for (color, (state, fact)) in &raw.fixed {
            if let Some((color, state)) = find_state(color, state, fact, colors) {
                colors[color].fixed = Some(state);
            }
        }
        let mut set =
            |gate: &Term| raw.sets.get(gate).and_then(|(color, state, fact)| find_state(color, state, fact, colors));
        let sets = gates.iter().map(&mut set).collect();
        for (gate, (.., fact)) in raw.sets.iter().filter(|(gate, _)| !gates.contains(gate)) {
            self.error(format!("gate {gate} has no side, and sets a lever"), &[(fact, "")], "add gate(Gate, Node).");
        }
        sets
    }

    fn check_ends(&mut self, raw: &RawFacts<'_>) {
        if raw.starts.is_empty() {
            let help = if self.facts.has_lines() { "add a line `start NAME: end END`" } else { "add start(Node)." };
            self.error("the network has no start".to_owned(), &[], help);
        }
        if raw.targets.is_empty() {
            let help = if self.facts.has_lines() { "add a line `target NAME`" } else { "add target(Node)." };
            self.error("the network has no target".to_owned(), &[], help);
        }
        for (node, fact) in &raw.starts {
            let end = raw
                .targets
                .get(node)
                .map(|fact| (fact, "target"))
                .or(raw.finals.get(node).map(|fact| (fact, "final node")));
            if let Some((end, what)) = end {
                let text = format!("node {node} is both start and {what}: its trips would end before they begin");
                self.error(text, &[(fact, "the start"), (end, "the end")], "");
            }
        }
    }

    fn kind(
        &mut self,
        name: &Term,
        raw: &RawFacts<'_>,
        states: &BTreeMap<Term, Vec<Term>>,
        colors: &BTreeMap<usize, Color>,
        gates: &[Term],
        id: &BTreeMap<&Term, NodeId>,
    ) -> Kind {
        let none = BTreeMap::new();
        let ways = raw.ways.get(name).unwrap_or(&none);
        if raw.targets.contains_key(name) {
            return Kind::Target;
        }
        if raw.finals.contains_key(name) {
            return Kind::Loss;
        }
        if let Some((gate, side)) = raw.sides.get(name) {
            let mut ends: Vec<&(Term, &Fact)> = ways.values().collect();
            sorting::sort_by(&mut ends, |a, b| a.0.cmp(&b.0));
            ends.dedup_by(|a, b| a.0 == b.0);
            if let [first, second, ..] = ends[..] {
                let text = format!(
                    "node {} is a side of gate {} and leads to two nodes, {} and {}",
                    name, gate, first.0, second.0
                );
                self.error(
                    text,
                    &[(second.1, "one way"), (first.1, "another way"), (side, "the gate")],
                    "a side of a gate leads to one node, whatever the label",
                );
            }
            let gate = gates.iter().position(|known| known == gate).expect("every side's gate was listed");
            return Kind::Gate { gate, next: ends.first().map(|(next, _)| id[next]) };
        }
        if let Some((color, fact)) = raw.colors.get(name) {
            let labels = states.get(color).map_or(&[][..], Vec::as_slice);
            for label in labels.iter().filter(|label| !ways.contains_key(label)) {
                let listed: Vec<String> = labels.iter().map(Term::to_string).collect();
                let text = format!(
                    "fork {} has no way for label {}: the lever of {} has the states {}",
                    name,
                    label,
                    color,
                    listed.join(", ")
                );
                self.error(text, &[(fact, "")], &format!("add rel({name}, {label}, Next)."));
            }
            let ways = labels.iter().filter_map(|label| ways.get(label)).map(|(next, _)| id[next]).collect();
            return match colors.values().position(|known| known.name.term == *color) {
                Some(color) => Kind::Fork { color, ways },
                None => Kind::DeadEnd,
            };
        }
        if let Some((label, (_, fact))) = ways.first_key_value() {
            let text = format!("node {name} has a way at label {label} but is neither a fork with a colour nor a gate");
            self.error(text, &[(fact, "")], &format!("add color({name}, Color)."));
        }
        Kind::DeadEnd
    }
}

/// Returns the first letter of `name` that is not in `taken`, otherwise any letter that is not.
pub fn free_letter(name: &str, taken: &[char]) -> char {
    let of_name = name.chars().flat_map(char::to_uppercase).filter(|letter| letter.is_alphanumeric());
    let any = ('A'..='Z').chain('a'..='z').chain('0'..='9').chain('\u{391}'..='\u{10FFFF}');
    of_name.chain(any).find(|letter| !taken.contains(letter)).expect("there are more letters than colours")
}
