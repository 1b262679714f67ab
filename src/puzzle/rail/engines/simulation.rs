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
//! A fork whose ways all lead to one node asks nothing, and does not branch. A gate that sets a lever asks for it as a fork does.
//!
//! Cycles. A crossing moves a lever by one state whether its first state is known or not, so the engine counts crossings
//! for each colour modulo the number of its states. Two steps have the same levers exactly if these counts agree, for
//! every configuration of the leaf alike. Between two crossings no lever moves: a node met twice there closes a cycle, and
//! an array with the last step at each node tells. A cycle over a crossing comes to the same side of a gate with the same
//! counts, so only sides of gates go into a hash set; where it began is found afterwards, for the trips that are shown.
//!
//! The counts themselves are not kept: a sum stands for them, to which each crossing adds a number of its colour. Equal counts
//! have equal sums; whether equal sums have equal counts, the crossings since then tell. So the memory is that of the network
//! and one trip, however many trips there are.
//!
//! `docs/notes/search.md` compares this with storing all steps, or all vectors of counts.

use std::ops::ControlFlow;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Effort, End, Memory};
use crate::diagnostic::Failure;
use crate::puzzle::rail::network::{Kind, Network, NodeId};
use crate::puzzle::rail::trips::{GateRule, Leaf, Outcome, Pattern, Trip, Weight};
use crate::stop::Stop;

/// Hands out every distinct trip of the configurations that agree with `pattern`, until `found` breaks or `stop` asks.
///
/// Returns the work done and whether the search came to its end.
pub fn simulate(
    network: &Network,
    rules: GateRule,
    pattern: &Pattern,
    stop: &Stop,
    found: &mut dyn FnMut(&Leaf<'_>) -> Result<ControlFlow<()>, Failure>,
) -> Result<(Effort, End), Failure> {
    simulate_within(network, rules, pattern, Memory::OF_A_TRIP, stop, found)
}

/// The same with a limit for a trip.
pub fn simulate_within(
    network: &Network,
    rules: GateRule,
    pattern: &Pattern,
    memory: Memory,
    stop: &Stop,
    found: &mut dyn FnMut(&Leaf<'_>) -> Result<ControlFlow<()>, Failure>,
) -> Result<(Effort, End), Failure> {
    let mut search = Simulation::<false>::new(network, rules, pattern);
    let ended = search.run(memory, stop, found)?;
    Ok((search.work, ended))
}

/// What the trips have met and taken.
pub struct Traces {
    pub is_met: Vec<bool>,
    /// For each fork, by the state of its lever. A fork that asks nothing has taken none.
    pub is_taken: Vec<Vec<bool>>,
}

/// As [`simulate_within`], and tells what the trips have met.
pub fn trace(
    network: &Network,
    rules: GateRule,
    pattern: &Pattern,
    memory: Memory,
    stop: &Stop,
    found: &mut dyn FnMut(&Leaf<'_>) -> Result<ControlFlow<()>, Failure>,
) -> Result<(Effort, End, Traces), Failure> {
    let mut search = Simulation::<true>::new(network, rules, pattern);
    let ended = search.run(memory, stop, found)?;
    let is_taken = |of: &Move| match *of {
        Move::Fork { color, ways } => search.taken[ways as usize..][..search.sizes[color as usize]].to_vec(),
        _ => Vec::new(),
    };
    let is_taken = search.moves.iter().map(is_taken).collect();
    Ok((search.work, ended, Traces { is_met: search.met, is_taken }))
}

impl<const TRACED: bool> Simulation<'_, TRACED> {
    fn run(
        &mut self,
        memory: Memory,
        stop: &Stop,
        found: &mut dyn FnMut(&Leaf<'_>) -> Result<ControlFlow<()>, Failure>,
    ) -> Result<End, Failure> {
        let search = self;
        let most_steps = (memory.bytes / STEP_BYTES).min(u64::from(NEVER) - LOOKED_AFTER) as usize;
        for &start in &search.network.starts {
            let mut next = Some(start as u32);
            while let Some(node) = next {
                if search.work.steps.is_multiple_of(LOOKED_AFTER) {
                    if search.steps.len() > most_steps {
                        return Ok(End::Limit(memory.reason));
                    }
                    if let Some(reason) = stop.requested() {
                        return Ok(End::Limit(reason));
                    }
                }
                if let Some(outcome) = search.step(node) {
                    search.work.trips += 1;
                    search.work.longest = search.work.longest.max(search.steps.len());
                    let trip = || search.trip(outcome);
                    let (steps, gates) = (search.steps.len(), search.crossed);
                    let flow = found(&Leaf { outcome, steps, gates, weight: search.weight(), trip: &trip })?;
                    // To look at a trip takes as long as it is.
                    if flow.is_break() {
                        return Ok(End::Enough);
                    }
                    if let Some(reason) = stop.requested() {
                        return Ok(End::Limit(reason));
                    }
                    next = search.back_up();
                } else {
                    next = Some(search.way_on());
                }
            }
        }
        Ok(End::Complete)
    }
}

/// What the trolley does at a node, in two words.
#[derive(Debug, Clone, Copy)]
enum Move {
    End(Outcome),
    /// All ways lead there.
    Straight(u32),
    /// The ways of a true fork begin at `ways` in [`Simulation::ways`].
    Fork {
        color: u32,
        ways: u32,
    },
    Gate {
        gate: u32,
        next: u32,
    },
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

/// A crossing on the present trip.
#[derive(Debug, Clone, Copy)]
struct Crossing {
    color: u32,
    /// By how many states it moved the lever.
    by: usize,
    /// How many steps the trip had after reaching the gate.
    steps: usize,
}

/// One step: where, and the step before at the same node (or [`NEVER`]).
#[derive(Debug, Clone, Copy)]
struct Step {
    node: u32,
    before: u32,
}

const NEVER: u32 = u32::MAX;

/// Bytes that a step takes at most: itself, its crossing with the side of the gate, and the trip that is handed out. Vectors
/// have room for twice as much.
const STEP_BYTES: u64 = 2 * (size_of::<Step>() + size_of::<Crossing>() + 16 + size_of::<NodeId>()) as u64;
/// The wish to stop is looked at after so many steps.
const LOOKED_AFTER: u64 = 4096;

/// With `TRACED` it remembers what its trips meet and take, which costs a store for each step.
struct Simulation<'a, const TRACED: bool> {
    network: &'a Network,
    rules: GateRule,
    moves: Vec<Move>,
    ways: Vec<u32>,
    sizes: Vec<usize>,
    /// The first colour that a gate may have, and how many there are.
    first_color: usize,
    gate_colors: usize,
    /// First states and colours, as far as they are chosen.
    levers: Vec<Option<usize>>,
    gates: Vec<Option<usize>>,
    /// Whether the present trip has asked for the lever, or crossed the gate.
    asked_levers: Vec<bool>,
    asked_gates: Vec<bool>,
    /// How many of the gates the present trip has crossed.
    crossed: usize,
    /// How far each lever was moved on the present trip.
    moved: Vec<usize>,
    /// The sum that stands for [`moved`](Self::moved).
    sum: u64,
    steps: Vec<Step>,
    /// The last step at each node.
    last: Vec<u32>,
    /// Nodes that some trip has met, and ways that some trip has taken.
    met: Vec<bool>,
    taken: Vec<bool>,
    crossings: Vec<Crossing>,
    /// Sides of gates on the present trip, each with the sum on arrival.
    sides: FxHashSet<u64>,
    choices: Vec<Choice>,
    /// How many configurations nothing is known of, if that fits.
    all: Option<u128>,
    work: Effort,
}

impl<'a, const TRACED: bool> Simulation<'a, TRACED> {
    fn new(network: &'a Network, rules: GateRule, pattern: &Pattern) -> Self {
        let mut ways = Vec::new();
        let moves = (0..network.nodes.len()).map(|node| compile(network, rules, node, &mut ways)).collect();
        let taken = vec![false; ways.len()];
        let fixed = |values: &[Option<usize>]| values.iter().filter(|value| value.is_some()).count();
        let free_gates = (network.gates.len() - fixed(&pattern.gates)) as u32;
        let levers = network.colors.iter().zip(&pattern.levers).filter(|(_, value)| value.is_none());
        let free_levers = levers.map(|(color, _)| color.states.len() as u128).try_fold(1_u128, u128::checked_mul);
        let gate_colors = network.gate_colors().count();
        let all = (gate_colors as u128).checked_pow(free_gates).and_then(|gates| gates.checked_mul(free_levers?));
        Simulation {
            network,
            rules,
            moves,
            ways,
            sizes: network.colors.iter().map(|color| color.states.len()).collect(),
            first_color: network.gate_colors().next().unwrap_or(0),
            gate_colors,
            levers: pattern.levers.clone(),
            gates: pattern.gates.clone(),
            asked_levers: vec![false; network.colors.len()],
            asked_gates: vec![false; network.gates.len()],
            crossed: 0,
            moved: vec![0; network.colors.len()],
            sum: 0,
            steps: Vec::new(),
            last: vec![NEVER; network.nodes.len()],
            met: vec![false; network.nodes.len()],
            taken,
            crossings: Vec::new(),
            sides: FxHashSet::default(),
            choices: Vec::new(),
            all,
            work: Effort::default(),
        }
    }

    /// Enters a node; the outcome if the trip ends there.
    fn step(&mut self, node: u32) -> Option<Outcome> {
        let before = std::mem::replace(&mut self.last[node as usize], self.steps.len() as u32);
        self.steps.push(Step { node, before });
        if TRACED {
            self.met[node as usize] = true;
        }
        self.work.steps += 1;
        if before != NEVER && self.crossings.last().is_none_or(|crossing| before as usize >= crossing.steps) {
            return Some(Outcome::Cycle);
        }
        match self.moves[node as usize] {
            Move::End(outcome) => Some(outcome),
            Move::Gate { .. } if before != NEVER && self.sides.contains(&self.side(node)) && self.is_back(node) => {
                Some(Outcome::Cycle)
            }
            _ => None,
        }
    }

    fn side(&self, node: u32) -> u64 {
        self.sum ^ scattered(u64::from(node))
    }

    /// Moves a lever by so many states.
    fn move_lever(&mut self, color: usize, by: usize) {
        let (size, moved) = (self.sizes[color], &mut self.moved[color]);
        let before = *moved;
        *moved = if before + by < size { before + by } else { before + by - size };
        let states = (*moved as u64).wrapping_sub(before as u64);
        self.sum = self.sum.wrapping_add(scattered(!(color as u64)).wrapping_mul(states));
    }

    /// Whether the trip was at that side of a gate before, with every lever where it is now: as the crossings since then say.
    fn is_back(&self, node: u32) -> bool {
        let mut moved = vec![0; self.sizes.len()];
        let mut apart = 0;
        self.crossings.iter().rev().any(|crossing| {
            let color = crossing.color as usize;
            apart += usize::from(moved[color] == 0);
            moved[color] = (moved[color] + crossing.by) % self.sizes[color];
            apart -= usize::from(moved[color] == 0);
            apart == 0 && self.steps[crossing.steps - 1].node == node
        })
    }

    /// The next node, choosing the first value of a lever or gate that is seen for the first time.
    fn way_on(&mut self) -> u32 {
        let node = self.steps.last().expect("a trip has a first step").node;
        match self.moves[node as usize] {
            Move::Straight(next) => next,
            Move::Fork { color, ways } => {
                let color = color as usize;
                let state = self.see(Seen::Lever(color)) + self.moved[color];
                let state = if state < self.sizes[color] { state } else { state - self.sizes[color] };
                if TRACED {
                    self.taken[ways as usize + state] = true;
                }
                self.ways[ways as usize + state]
            }
            Move::Gate { gate, next } => {
                let color = self.see(Seen::Gate(gate as usize));
                let by = match self.network.sets[gate as usize] {
                    None => 1,
                    // Whether two steps have the same levers depends on where this one begins: it is asked for.
                    Some((_, state)) => {
                        let size = self.sizes[color];
                        let now = (self.see(Seen::Lever(color)) + self.moved[color]) % size;
                        (state + size - now) % size
                    }
                };
                self.sides.insert(self.side(node));
                self.crossings.push(Crossing { color: color as u32, by, steps: self.steps.len() });
                self.move_lever(color, by);
                next
            }
            Move::End(_) => unreachable!("trips end there"),
        }
    }

    /// The value of a lever or gate on the present trip, chosen here if this is the first time that it is seen.
    fn see(&mut self, what: Seen) -> usize {
        let (value, first, asked) = match what {
            Seen::Lever(color) => (&mut self.levers[color], 0, &mut self.asked_levers[color]),
            Seen::Gate(gate) => (&mut self.gates[gate], self.first_color, &mut self.asked_gates[gate]),
        };
        if !std::mem::replace(asked, true) {
            self.crossed += usize::from(matches!(what, Seen::Gate(_)));
            self.choices.push(Choice { what, steps: value.is_none().then_some(self.steps.len()) });
        }
        *value.get_or_insert(first)
    }

    /// Gives the last choice its next value and returns the node after it; gives up choices that have no next value.
    fn back_up(&mut self) -> Option<u32> {
        let network = self.network;
        while let Some(choice) = self.choices.pop() {
            let (value, size, asked) = match choice.what {
                Seen::Lever(color) => (&mut self.levers[color], self.sizes[color], &mut self.asked_levers[color]),
                Seen::Gate(gate) => (&mut self.gates[gate], self.sizes.len(), &mut self.asked_gates[gate]),
            };
            if let Some(steps) = choice.steps {
                let may_be = |&next: &usize| matches!(choice.what, Seen::Lever(_)) || !network.colors[next].is_own;
                *value = value.and_then(|value| (value + 1..size).find(may_be));
                if value.is_some() {
                    self.choices.push(choice);
                    self.truncate(steps);
                    return Some(self.way_on());
                }
            }
            *asked = false;
            self.crossed -= usize::from(matches!(choice.what, Seen::Gate(_)));
        }
        self.truncate(0);
        None
    }

    /// Takes back the steps after the first `length`, and a crossing that the last of those made.
    fn truncate(&mut self, length: usize) {
        while let Some(crossing) = self.crossings.pop_if(|crossing| crossing.steps >= length) {
            let color = crossing.color as usize;
            self.move_lever(color, (self.sizes[color] - crossing.by) % self.sizes[color]);
            let side = self.side(self.steps[crossing.steps - 1].node);
            self.sides.remove(&side);
        }
        for step in self.steps.drain(length..).rev() {
            self.last[step.node as usize] = step.before;
        }
    }

    /// How many configurations have the present trip.
    fn weight(&self) -> Weight {
        let Some(mut weight) = self.all else {
            return Weight::Large(self.trip(Outcome::Win).configurations(self.network));
        };
        for choice in self.choices.iter().filter(|choice| choice.steps.is_some()) {
            weight /= match choice.what {
                Seen::Lever(color) => self.sizes[color] as u128,
                Seen::Gate(_) => self.gate_colors as u128,
            };
        }
        Weight::Small(weight)
    }

    fn trip(&self, outcome: Outcome) -> Trip {
        let mut nodes: Vec<NodeId> = self.steps.iter().map(|step| step.node as usize).collect();
        if outcome == Outcome::Cycle {
            nodes.truncate(self.end_of_cycle());
        }
        Trip { nodes, outcome, levers: self.levers.clone(), gates: self.gates.clone(), rules: self.rules, told: None }
    }

    /// The step that first repeats an earlier one: the cycle may have been noticed later, at a gate.
    fn end_of_cycle(&self) -> usize {
        let mut crossings = self.crossings.iter().peekable();
        let mut moved = vec![0; self.sizes.len()];
        let mut numbers = FxHashMap::from_iter([(moved.clone(), 0)]);
        let mut number = 0;
        let mut met = FxHashSet::default();
        for (index, step) in self.steps.iter().enumerate() {
            if !met.insert((step.node, number)) {
                return index + 1;
            }
            if let Some(crossing) = crossings.next_if(|crossing| crossing.steps == index + 1) {
                let color = crossing.color as usize;
                moved[color] = (moved[color] + crossing.by) % self.sizes[color];
                let fresh = numbers.len();
                number = *numbers.entry(moved.clone()).or_insert(fresh);
            }
        }
        self.steps.len()
    }
}

fn compile(network: &Network, rules: GateRule, node: NodeId, ways: &mut Vec<u32>) -> Move {
    match &network.nodes[node].kind {
        Kind::Target => Move::End(Outcome::Win),
        Kind::Loss => Move::End(Outcome::Loss),
        Kind::DeadEnd | Kind::Gate { next: None, .. } => Move::End(Outcome::Stuck),
        Kind::Gate { .. } if rules == GateRule::NoGate => Move::End(Outcome::Stuck),
        Kind::Gate { gate, next: Some(next) } => Move::Gate { gate: *gate as u32, next: *next as u32 },
        Kind::Fork { ways: own, .. } if own.iter().all(|&way| way == own[0]) => Move::Straight(own[0] as u32),
        Kind::Fork { color, ways: own } => {
            let first = ways.len() as u32;
            ways.extend(own.iter().map(|&way| way as u32));
            Move::Fork { color: *color as u32, ways: first }
        }
    }
}

/// A number without pattern for each number (the finish of splitmix64).
fn scattered(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}
