//! Statistics of a network as a puzzle: the outcomes of its trips, and its difficulty.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

use base::stop::{CancelToken, StopReason};
use base::words::count;
use num_bigint::BigUint;
use serde_json::{Value, json};

use crate::engines::{Completion, MemoryLimit, simulation};
use crate::network::{Branch, Network};
use crate::trips::tally::{Tally, WeightSum};
use crate::trips::{GateRule, LazyTrip, Outcome, Pattern, Trip, Weight};

/// A network has too many trips to follow all.
pub const TOO_MANY_TRIPS: StopReason = StopReason::Other("there are too many trips to follow all");

/// Statistics over all trips of a network.
#[derive(Debug, Clone, Default)]
pub struct Measure {
    pub tally: Tally,
    /// Number of nodes on the shortest winning trip.
    pub shortest_win: usize,
    /// Number of nodes on the longest winning trip.
    pub longest_win: usize,
    /// Number of nodes on the longest trip that does not win.
    pub longest_loss: usize,
    /// Sum of the numbers of steps over all configurations that do not win.
    loss_steps: WeightSum,
    /// Minimum number of gates that a winning trip crosses.
    pub fewest_gates: usize,
    /// Number of winning trips with fewer steps than required.
    pub short_wins: u64,
    /// Number of winning trips through fewer gates than required.
    pub shallow_wins: u64,
    /// True for the nodes that some trip visits.
    pub visited: Vec<bool>,
    /// For each node, true for the branches that some trip takes.
    taken: Vec<Vec<bool>>,
    /// A winning trip. The samples are starting points for changes of the network.
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

    /// Returns true if some trip takes the branch. If a fork does not depend on its lever, a trip
    /// that visits it counts as taking all its branches.
    pub fn is_taken(&self, (node, state): Branch) -> bool {
        self.taken[node].get(state).copied().unwrap_or(self.visited[node])
    }
}

/// The minimum numbers of steps and gates of winning trips.
#[derive(Debug, Clone, Copy, Default)]
pub struct Depth {
    pub steps: usize,
    pub gates: usize,
}

impl Depth {
    pub fn is_met_by(&self, trip: &LazyTrip<'_>) -> bool {
        trip.steps >= self.steps && trip.gates >= self.gates
    }
}

/// Limits on the trips that are followed.
#[derive(Debug, Clone, Copy)]
pub struct TripLimits {
    /// Maximum number of trips.
    pub trips: u64,
    /// Memory limit for each trip.
    pub memory: MemoryLimit,
}

impl TripLimits {
    pub fn trips(trips: u64) -> Self {
        TripLimits { trips, memory: MemoryLimit::PER_TRIP }
    }
}

/// Follows all trips of a network. Fails with the limit that was reached, if any.
///
/// `pick` returns true if a trip is to replace the current sample trip with the same outcome.
pub fn measure(
    network: &Network,
    depth: Depth,
    limits: TripLimits,
    stop: &CancelToken,
    pick: &mut dyn FnMut(&LazyTrip<'_>) -> bool,
) -> Result<Measure, StopReason> {
    let mut found = Measure { shortest_win: usize::MAX, fewest_gates: usize::MAX, ..Measure::default() };
    let mut trips = 0;
    let any = Pattern::any(network);
    let traced = simulation::trace(network, GateRule::DynamicGate, &any, limits.memory, stop, &mut |trip| {
        trips += 1;
        if trips > limits.trips {
            return Ok(ControlFlow::Break(()));
        }
        found.add(depth, trip, pick);
        Ok(ControlFlow::Continue(()))
    });
    // The callback never fails.
    let (_, end, traces) = traced.map_err(|_| StopReason::Unproven)?;
    (found.visited, found.taken) = (traces.visited, traces.taken);
    match end {
        Completion::Complete => Ok(found),
        Completion::Enough => Err(TOO_MANY_TRIPS),
        Completion::Limit(reason) => Err(reason),
    }
}

impl Measure {
    fn add(&mut self, depth: Depth, trip: &LazyTrip<'_>, pick: &mut dyn FnMut(&LazyTrip<'_>) -> bool) {
        self.tally.count(trip);
        let steps = trip.steps;
        let slot = match trip.outcome {
            Outcome::Win => {
                self.shortest_win = self.shortest_win.min(steps);
                self.longest_win = self.longest_win.max(steps);
                self.fewest_gates = self.fewest_gates.min(trip.gates);
                self.short_wins += u64::from(steps < depth.steps);
                self.shallow_wins += u64::from(trip.gates < depth.gates);
                &mut self.sample_win
            }
            Outcome::Cycle => {
                self.add_loss(&trip.weight, (trip.build)().nodes.len());
                &mut self.sample_cycle
            }
            Outcome::Loss | Outcome::Stuck => {
                self.add_loss(&trip.weight, steps);
                &mut self.sample_loss
            }
        };
        if pick(trip) || slot.is_none() {
            *slot = Some((trip.build)());
        }
    }

    fn add_loss(&mut self, weight: &Weight, steps: usize) {
        self.longest_loss = self.longest_loss.max(steps);
        self.loss_steps.add(weight, steps);
    }
}

/// The difficulty of a network in bits, as a sum of parts, each with a simple meaning.
///
/// Its ranking of railways is similar to that by the effort of a simulated player with a memory
/// (rank correlation 0.7 to 0.9, `benches/difficulty.rs`). Its agreement with the difficulty for
/// humans has not been measured.
#[derive(Debug, Clone)]
pub struct Difficulty {
    pub parts: Vec<DifficultyPart>,
}

#[derive(Debug, Clone)]
pub struct DifficultyPart {
    pub name: &'static str,
    /// A description of the measured value.
    pub value: String,
    pub bits: f64,
}

/// Maximum number of trips with a recoloured gate that are followed to determine which gates
/// matter.
const MAX_TRIED: usize = 20_000;

impl Difficulty {
    /// Computes the difficulty of a network that has a solution. If no trip loses, all parts are 0.
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

/// Returns the binary logarithm of a positive number.
fn log2(number: &BigUint) -> f64 {
    let shift = number.bits().saturating_sub(64);
    let leading = (number >> shift).iter_u64_digits().next().unwrap_or(1);
    (leading as f64).log2() + shift as f64
}

/// Returns log₂(`one` / `other`).
pub fn log2_ratio(one: &BigUint, other: &BigUint) -> f64 {
    log2(one) - log2(other)
}

/// Formats the quotient with one decimal, which is left out if it is 0.
fn quotient(one: &BigUint, other: &BigUint) -> String {
    let tenths: BigUint = (one * 20_u32 + other) / (other * 2_u32);
    let text = format!("{}.{}", &tenths / 10_u32, &tenths % 10_u32);
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}

/// Returns the number of node sequences of winning trips. (Several trips can have the same nodes,
/// but other levers and gates.) Returns `None` if a limit was reached.
pub fn winning_paths(network: &Network, stop: &CancelToken) -> Option<usize> {
    let mut paths = BTreeSet::new();
    let any = Pattern::any(network);
    let result = simulation::for_each_trip(network, &any, stop, |trip| {
        if trip.outcome == Outcome::Win {
            paths.insert((trip.build)().nodes);
        }
        ControlFlow::Continue(())
    });
    result.is_ok_and(|(_, end)| end.is_complete()).then_some(paths.len())
}

/// Returns the number of gates that matter: in another colour of the gate, some winning trip does
/// not win. Also returns true if the number is exact, and false if it is a lower bound.
pub fn gates_that_matter(network: &Network, stop: &CancelToken) -> (usize, bool) {
    let mut open: Vec<usize> = network.free_gates().collect();
    let tried = Cell::new(0);
    let matters = |trip: &Trip, gate: usize| {
        network.gate_colors().filter(|&color| trip.gates[gate] != Some(color)).any(|color| {
            tried.set(tried.get() + 1);
            let mut pattern = Pattern { levers: trip.levers.clone(), gates: trip.gates.clone() };
            pattern.gates[gate] = Some(color);
            let mut loses = false;
            // If a limit is reached, the result so far is used.
            let _ = simulation::for_each_trip(network, &pattern, stop, |other| {
                loses = other.outcome != Outcome::Win && (other.build)().nodes[0] == trip.nodes[0];
                if loses { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            loses
        })
    };
    let any = Pattern::any(network);
    let result = simulation::for_each_trip(network, &any, stop, |trip| {
        if trip.outcome == Outcome::Win && trip.gates > 0 {
            let win = (trip.build)();
            open.retain(|&gate| win.gates[gate].is_none() || !matters(&win, gate));
        }
        let is_enough = open.is_empty() || tried.get() >= MAX_TRIED;
        if is_enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    (network.free_gates().count() - open.len(), open.is_empty() || result.is_ok_and(|(_, end)| end.is_complete()))
}
