//! Measures a network as a puzzle: how its trips end, and how hard it is.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

use num_bigint::BigUint;
use serde_json::{Value, json};

use crate::puzzle::rail::engines::{Completion, MemoryLimit, simulation};
use crate::puzzle::rail::network::{Network, Branch};
use crate::puzzle::rail::trips::tally::{WeightSum, Tally};
use crate::puzzle::rail::trips::{GateRule, LazyTrip, Outcome, Pattern, Trip, Weight};
use crate::stop::{StopReason, CancelToken};
use crate::words::count;

/// Statistics over all trips of a network.
#[derive(Debug, Clone, Default)]
pub struct Measure {
    pub tally: Tally,
    /// Number of nodes on the shortest and longest winning trip, and on the longest other trip.
    pub shortest_win: usize,
    pub longest_win: usize,
    pub longest_loss: usize,
    /// Sum of the steps over all configurations that do not win.
    loss_steps: WeightSum,
    /// Minimum number of gates that a winning trip crosses.
    pub fewest_gates: usize,
    /// Number of winning trips with fewer steps, or through fewer gates, than required.
    pub short_wins: u64,
    pub shallow_wins: u64,
    /// For each node, whether some trip visits it, and which of its branches some trip takes.
    pub visited: Vec<bool>,
    taken: Vec<Vec<bool>>,
    /// A sample trip of each kind, as a starting point for changes.
    pub sample_win: Option<Trip>,
    pub sample_cycle: Option<Trip>,
    pub sample_loss: Option<Trip>,
}

impl Measure {
    pub fn has_win(&self) -> bool {
        self.tally.trips(Outcome::Win) > 0
    }

    pub fn distinct_trips(&self) -> u64 {
        Outcome::ALL.into_iter().map(|outcome| self.tally.trips(outcome)).sum()
    }

    /// Returns true if some trip takes the branch. All branches of a visited fork count if it does
    /// not depend on its lever.
    pub fn is_taken(&self, (node, state): Branch) -> bool {
        self.taken[node].get(state).copied().unwrap_or(self.visited[node])
    }
}

/// Minimum steps and gates of a winning trip.
#[derive(Debug, Clone, Copy, Default)]
pub struct Depth {
    pub steps: usize,
    pub gates: usize,
}

impl Depth {
    pub fn is_met_by(&self, ended: &LazyTrip<'_>) -> bool {
        ended.steps >= self.steps && ended.gates >= self.gates
    }
}

/// Limits on the trips to follow.
#[derive(Debug, Clone, Copy)]
pub struct TripLimits {
    pub trips: u64,
    /// Memory limit per trip.
    pub memory: MemoryLimit,
}

impl TripLimits {
    pub fn trips(trips: u64) -> Self {
        TripLimits { trips, memory: MemoryLimit::PER_TRIP }
    }
}

/// Follows all trips of a network. Fails with the limit that was reached.
///
/// `pick` returns true if a trip should replace the current sample of its kind.
pub fn measure(
    network: &Network,
    depth: Depth,
    most: TripLimits,
    stop: &CancelToken,
    pick: &mut dyn FnMut(&LazyTrip<'_>) -> bool,
) -> Result<Measure, StopReason> {
    let mut found = Measure { shortest_win: usize::MAX, fewest_gates: usize::MAX, ..Measure::default() };
    let mut trips = 0;
    let any = Pattern::any(network);
    let traced = simulation::trace(network, GateRule::DynamicGate, &any, most.memory, stop, &mut |ended| {
        trips += 1;
        if trips > most.trips {
            return Ok(ControlFlow::Break(()));
        }
        found.add(depth, ended, pick);
        Ok(ControlFlow::Continue(()))
    });
    // The callback never fails.
    let (_, end, traces) = traced.map_err(|_| StopReason::Unproven)?;
    (found.visited, found.taken) = (traces.visited, traces.taken);
    match end {
        Completion::Complete => Ok(found),
        Completion::Enough => Err(StopReason::TooManyTrips),
        Completion::Limit(reason) => Err(reason),
    }
}

impl Measure {
    fn add(&mut self, depth: Depth, ended: &LazyTrip<'_>, pick: &mut dyn FnMut(&LazyTrip<'_>) -> bool) {
        self.tally.count(ended);
        let steps = ended.steps;
        let slot = match ended.outcome {
            Outcome::Win => {
                self.shortest_win = self.shortest_win.min(steps);
                self.longest_win = self.longest_win.max(steps);
                self.fewest_gates = self.fewest_gates.min(ended.gates);
                self.short_wins += u64::from(steps < depth.steps);
                self.shallow_wins += u64::from(ended.gates < depth.gates);
                &mut self.sample_win
            }
            Outcome::Cycle => {
                self.add_loss(&ended.weight, (ended.build)().nodes.len());
                &mut self.sample_cycle
            }
            Outcome::Loss | Outcome::Stuck => {
                self.add_loss(&ended.weight, steps);
                &mut self.sample_loss
            }
        };
        if pick(ended) || slot.is_none() {
            *slot = Some((ended.build)());
        }
    }

    fn add_loss(&mut self, weight: &Weight, steps: usize) {
        self.longest_loss = self.longest_loss.max(steps);
        self.loss_steps.add(weight, steps);
    }
}

/// The difficulty of a network in bits, as a sum of parts with a simple meaning each.
///
/// It ranks railways like the effort of a simulated player with a memory (rank correlation 0.7 to
/// 0.9, `benches/difficulty.rs`). The agreement with human difficulty has not been measured.
#[derive(Debug, Clone)]
pub struct Difficulty {
    pub parts: Vec<DifficultyPart>,
}

#[derive(Debug, Clone)]
pub struct DifficultyPart {
    pub name: &'static str,
    /// Description of the measured value.
    pub value: String,
    pub bits: f64,
}

/// Maximum number of trips with a recoloured gate that are followed to find out which gates matter.
const MAX_TRIED: usize = 20_000;

impl Difficulty {
    /// Computes the difficulty of a network with a solution. If no trip loses, every part is 0.
    pub fn of(network: &Network, measure: &Measure, stop: &CancelToken) -> Self {
        let (all, wins) = (measure.tally.total(), measure.tally.configurations(Outcome::Win));
        let lost = &all - &wins;
        let steps = measure.loss_steps.exact();
        let trips = measure.distinct_trips();
        let part = |name, value, bits| DifficultyPart { name, value, bits };
        let mut parts = vec![
            part("luck", format!("1 in {} configurations wins", quotient(&all, &wins)), log2_ratio(&all, &wins)),
            part("variety", count(trips, "distinct trip", "distinct trips"), (trips as f64).log2()),
        ];
        if lost == BigUint::ZERO {
            parts[1].bits = 0.0;
            let nothing = |name| part(name, "no trip loses".to_owned(), 0.0);
            parts.extend(["decoys", "patience", "planning"].map(nothing));
            return Difficulty { parts };
        }
        let (gates, are_all) = gates_that_matter(network, stop);
        let verb = if gates == 1 { "matters" } else { "matter" };
        let at_least = if are_all { "" } else { "at least " };
        parts.extend([
            part(
                "decoys",
                format!("the longest losing trip visits {}", count(measure.longest_loss, "node", "nodes")),
                (measure.longest_loss as f64).log2(),
            ),
            part(
                "patience",
                format!("losing trips visit {} nodes on average", quotient(&steps, &lost)),
                log2_ratio(&steps, &lost),
            ),
            part(
                "planning",
                format!(
                    "{at_least}{gates} of {} {verb} on winning trips",
                    count(network.free_gates().count(), "gate", "gates")
                ),
                gates as f64,
            ),
        ]);
        Difficulty { parts }
    }

    pub fn bits(&self) -> f64 {
        self.parts.iter().map(|part| part.bits).sum()
    }

    pub fn json(&self) -> Value {
        let parts: serde_json::Map<String, Value> = self
            .parts
            .iter()
            .map(|part| (part.name.to_owned(), json!({"bits": round(part.bits), "because": part.value})))
            .collect();
        json!({"bits": round(self.bits()), "parts": parts})
    }
}

fn round(number: f64) -> f64 {
    (number * 100.0).round() / 100.0
}

/// The binary logarithm of a positive number.
fn log2(number: &BigUint) -> f64 {
    let shift = number.bits().saturating_sub(64);
    let leading = (number >> shift).iter_u64_digits().next().unwrap_or(1);
    (leading as f64).log2() + shift as f64
}

/// log₂(`one` / `other`).
pub fn log2_ratio(one: &BigUint, other: &BigUint) -> f64 {
    log2(one) - log2(other)
}

/// The quotient to one decimal; a decimal of 0 is left out.
fn quotient(one: &BigUint, other: &BigUint) -> String {
    let tenths: BigUint = (one * 20_u32 + other) / (other * 2_u32);
    let text = format!("{}.{}", &tenths / 10_u32, &tenths % 10_u32);
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}

/// Number of winning trips that differ in their nodes; several settings of levers and gates may
/// share one. `None` if a limit was reached.
pub fn winning_paths(network: &Network, stop: &CancelToken) -> Option<usize> {
    let mut paths = BTreeSet::new();
    let any = Pattern::any(network);
    let result = simulation::simulate(network, GateRule::DynamicGate, &any, stop, &mut |ended| {
        if ended.outcome == Outcome::Win {
            paths.insert((ended.build)().nodes);
        }
        Ok(ControlFlow::Continue(()))
    });
    result.is_ok_and(|(_, end)| end.is_complete()).then_some(paths.len())
}

/// Number of gates whose colour decides whether some winning trip wins, and whether that count is
/// exact (otherwise it is a lower bound).
pub fn gates_that_matter(network: &Network, stop: &CancelToken) -> (usize, bool) {
    let mut open: Vec<usize> = network.free_gates().collect();
    let tried = Cell::new(0);
    let matters = |trip: &Trip, gate: usize| {
        network.gate_colors().filter(|&color| trip.gates[gate] != Some(color)).any(|color| {
            tried.set(tried.get() + 1);
            let mut pattern = Pattern { levers: trip.levers.clone(), gates: trip.gates.clone() };
            pattern.gates[gate] = Some(color);
            let mut loses = false;
            // After a limit, the result so far is used.
            let _ = simulation::simulate(network, GateRule::DynamicGate, &pattern, stop, &mut |ended| {
                loses = ended.outcome != Outcome::Win && (ended.build)().nodes[0] == trip.nodes[0];
                Ok(if loses { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
            });
            loses
        })
    };
    let any = Pattern::any(network);
    let result = simulation::simulate(network, GateRule::DynamicGate, &any, stop, &mut |ended| {
        if ended.outcome == Outcome::Win && ended.gates > 0 {
            let trip = (ended.build)();
            open.retain(|&gate| trip.gates[gate].is_none() || !matters(&trip, gate));
        }
        let is_enough = open.is_empty() || tried.get() >= MAX_TRIED;
        Ok(if is_enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    });
    (network.free_gates().count() - open.len(), open.is_empty() || result.is_ok_and(|(_, end)| end.is_complete()))
}
