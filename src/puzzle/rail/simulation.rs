//! The native engine: follows trips, and branches only where the trolley first sees a lever or a gate.
//!
//! A configuration of a network with 12 levers and 10 gates of 12 colours is one of 10¹⁴, but a trip sees few of them.
//! The engine begins with nothing chosen. At a fork whose lever is not chosen yet it goes on once for each state; at a
//! gate whose colour is not chosen yet, once for each colour; everywhere else the trip is determined. What is never seen
//! stays open, so a leaf of this tree is a trip together with *all* configurations that have it, and the leaves split
//! the set of configurations: the work is the number of distinct trips, not of configurations.
//!
//! ```text
//!                 a ── green? ──┬─ 1 ── b ── yellow? ─┬─ 1 ── …
//!                               │                     └─ 2 ── d …
//!                               └─ 2 ── f ── red? ────┬─ 1 ── …
//! ```
//!
//! A fork whose ways all lead to one node asks nothing, and does not branch.
//!
//! Cycles. A crossing moves a lever by one state whether its first state is known or not, so the engine counts crossings
//! for each colour modulo the number of its states. Two steps have the same levers exactly if these counts agree, for
//! every configuration of the leaf alike. The counts are numbered as they come up, so that a step is two integers; a set
//! holds the steps of the present trip and gives them back when the search backs up.

use std::ops::ControlFlow;

use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

use super::network::{Kind, Network, NodeId};
use super::trip::{Outcome, Pattern, Rules, Trip};
use crate::diagnostic::Failure;
use crate::stop::Stop;

/// What the search has done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Work {
    pub trips: u64,
    /// Steps taken over all trips, common beginnings once.
    pub steps: u64,
    pub longest: usize,
}

/// Hands out every distinct trip of the configurations that agree with `pattern`, until `found` breaks or `stop` asks.
///
/// Returns the work done and whether the search came to its end.
pub fn simulate(
    network: &Network,
    rules: Rules,
    pattern: &Pattern,
    stop: &Stop,
    found: &mut dyn FnMut(Trip) -> Result<ControlFlow<()>, Failure>,
) -> Result<(Work, bool), Failure> {
    let mut search = Search {
        network,
        rules,
        counts: Counts::new(network),
        levers: pattern.levers.clone(),
        gates: pattern.gates.clone(),
        asked_levers: vec![false; network.colors.len()],
        asked_gates: vec![false; network.gates.len()],
        steps: Vec::new(),
        seen: HashSet::default(),
        closed: false,
        choices: Vec::new(),
        work: Work::default(),
    };
    for &start in &network.starts {
        let mut next = Some((start, 0));
        while let Some((node, count)) = next {
            if search.work.steps.is_multiple_of(4096) && stop.requested().is_some() {
                return Ok((search.work, false));
            }
            if let Some(outcome) = search.step(node, count) {
                search.work.trips += 1;
                search.work.longest = search.work.longest.max(search.steps.len());
                if found(search.trip(outcome))?.is_break() {
                    return Ok((search.work, false));
                }
                next = search.back_up();
            } else {
                next = Some(search.way_on());
            }
        }
    }
    Ok((search.work, true))
}

/// A lever or gate that the present trip was the first to see.
#[derive(Debug, Clone, Copy)]
struct Choice {
    what: Seen,
    /// How many steps the trip had when it was seen; `None` if the person fixed its value.
    steps: Option<usize>,
}

#[derive(Debug, Clone, Copy)]
enum Seen {
    Lever(usize),
    Gate(usize),
}

struct Search<'a> {
    network: &'a Network,
    rules: Rules,
    counts: Counts,
    levers: Vec<Option<usize>>,
    gates: Vec<Option<usize>>,
    /// Whether the present trip has asked for the lever, or crossed the gate.
    asked_levers: Vec<bool>,
    asked_gates: Vec<bool>,
    steps: Vec<(NodeId, u32)>,
    seen: HashSet<(NodeId, u32)>,
    /// Whether the last step repeats an earlier one.
    closed: bool,
    choices: Vec<Choice>,
    work: Work,
}

impl Search<'_> {
    /// Enters a node; the outcome if the trip ends there.
    fn step(&mut self, node: NodeId, count: u32) -> Option<Outcome> {
        self.steps.push((node, count));
        self.work.steps += 1;
        if !self.seen.insert((node, count)) {
            self.closed = true;
            return Some(Outcome::Cycle);
        }
        match self.network.nodes[node].kind {
            Kind::Target => Some(Outcome::Win),
            Kind::Loss => Some(Outcome::Loss),
            Kind::DeadEnd | Kind::Gate { next: None, .. } => Some(Outcome::Stuck),
            Kind::Gate { .. } if self.rules == Rules::NoGate => Some(Outcome::Stuck),
            Kind::Gate { .. } | Kind::Fork { .. } => None,
        }
    }

    /// The next step from the last node, choosing the first value of a lever or gate that is seen for the first time.
    fn way_on(&mut self) -> (NodeId, u32) {
        let (node, count) = *self.steps.last().expect("a trip has a first step");
        match &self.network.nodes[node].kind {
            Kind::Fork { color, ways } => {
                if ways.iter().all(|&way| way == ways[0]) {
                    return (ways[0], count);
                }
                if !self.asked_levers[*color] {
                    self.asked_levers[*color] = true;
                    let is_open = self.levers[*color].is_none();
                    self.choices.push(Choice { what: Seen::Lever(*color), steps: is_open.then_some(self.steps.len()) });
                    self.levers[*color].get_or_insert(0);
                }
                let first = self.levers[*color].expect("the lever was chosen");
                (ways[self.counts.state(count, *color, first)], count)
            }
            Kind::Gate { gate, next } => {
                if !self.asked_gates[*gate] {
                    self.asked_gates[*gate] = true;
                    let is_open = self.gates[*gate].is_none();
                    self.choices.push(Choice { what: Seen::Gate(*gate), steps: is_open.then_some(self.steps.len()) });
                    self.gates[*gate].get_or_insert(0);
                }
                let color = self.gates[*gate].expect("the gate's colour was chosen");
                (next.expect("a gate without a way on ends the trip"), self.counts.moved(count, color))
            }
            _ => unreachable!("trips end at all other nodes"),
        }
    }

    /// Gives the last choice its next value and returns the step after it; gives up choices that have no next value.
    fn back_up(&mut self) -> Option<(NodeId, u32)> {
        while let Some(choice) = self.choices.pop() {
            let (value, size, asked) = match choice.what {
                Seen::Lever(color) => {
                    (&mut self.levers[color], self.network.colors[color].states.len(), &mut self.asked_levers[color])
                }
                Seen::Gate(gate) => (&mut self.gates[gate], self.network.colors.len(), &mut self.asked_gates[gate]),
            };
            if let Some(steps) = choice.steps {
                *value = value.map(|value| value + 1).filter(|&next| next < size);
                if value.is_some() {
                    self.choices.push(choice);
                    self.truncate(steps);
                    return Some(self.way_on());
                }
            }
            *asked = false;
        }
        self.truncate(0);
        None
    }

    /// Takes back the steps after the first `length`.
    fn truncate(&mut self, length: usize) {
        if std::mem::take(&mut self.closed) {
            // The last step of a cycle is in the set on account of its first visit.
            self.steps.pop();
        }
        for step in self.steps.drain(length..) {
            self.seen.remove(&step);
        }
    }

    fn trip(&self, outcome: Outcome) -> Trip {
        Trip {
            nodes: self.steps.iter().map(|&(node, _)| node).collect(),
            outcome,
            levers: self.levers.clone(),
            gates: self.gates.clone(),
            rules: self.rules,
        }
    }
}

/// Crossings by colour, each modulo the lever's number of states; a vector of them has a number.
struct Counts {
    sizes: Vec<usize>,
    vectors: Vec<Vec<usize>>,
    numbers: HashMap<Vec<usize>, u32>,
    /// `after[number * colours + colour]`: the number after one more crossing; `u32::MAX` where not yet known.
    after: Vec<u32>,
}

impl Counts {
    fn new(network: &Network) -> Self {
        let sizes: Vec<usize> = network.colors.iter().map(|color| color.states.len()).collect();
        let zero = vec![0; sizes.len()];
        Counts { after: vec![u32::MAX; sizes.len()], numbers: HashMap::from_iter([(zero.clone(), 0)]), vectors: vec![zero], sizes }
    }

    /// The state of a lever that began in state `first`.
    fn state(&self, number: u32, color: usize, first: usize) -> usize {
        (first + self.vectors[number as usize][color]) % self.sizes[color]
    }

    fn moved(&mut self, number: u32, color: usize) -> u32 {
        let slot = number as usize * self.sizes.len() + color;
        if self.after[slot] == u32::MAX {
            let mut vector = self.vectors[number as usize].clone();
            vector[color] = (vector[color] + 1) % self.sizes[color];
            let fresh = self.vectors.len() as u32;
            let next = *self.numbers.entry(vector.clone()).or_insert(fresh);
            if next == fresh {
                self.vectors.push(vector);
                self.after.extend(std::iter::repeat_n(u32::MAX, self.sizes.len()));
            }
            self.after[slot] = next;
        }
        self.after[slot]
    }
}
