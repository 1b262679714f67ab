//! What can be said of a network as a puzzle: how trips end, and how hard it is.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

use num_bigint::BigUint;
use serde_json::{Value, json};

use crate::puzzle::rail::engines::{End, Memory, simulation};
use crate::puzzle::rail::network::{Network, Way};
use crate::puzzle::rail::trips::tally::{Sum, Tally};
use crate::puzzle::rail::trips::{GateRule, Leaf, Outcome, Pattern, Trip, Weight};
use crate::stop::{Reason, Stop};
use crate::words::count;

/// All trips of a network in numbers.
#[derive(Debug, Clone, Default)]
pub struct Measure {
    pub tally: Tally,
    /// Steps of the shortest and of the longest winning trip, and of the longest that is not: a cycle has those of its trip.
    pub shortest_win: usize,
    pub longest_win: usize,
    pub longest_loss: usize,
    /// Over all configurations that do not win.
    loss_steps: Sum,
    /// The fewest gates that a winning trip crosses.
    pub fewest_gates: usize,
    /// Winning trips with fewer steps, or over fewer gates, than were asked for.
    pub short_wins: u64,
    pub shallow_wins: u64,
    /// Whether some trip meets the node, and which of its ways some trip takes.
    pub is_met: Vec<bool>,
    is_taken: Vec<Vec<bool>>,
    /// Trips to mend, or to learn from, one of each kind.
    pub a_win: Option<Trip>,
    pub a_cycle: Option<Trip>,
    pub an_end: Option<Trip>,
}

impl Measure {
    pub fn has_win(&self) -> bool {
        self.tally.trips(Outcome::Win) > 0
    }

    pub fn distinct_trips(&self) -> u64 {
        Outcome::ALL.into_iter().map(|outcome| self.tally.trips(outcome)).sum()
    }

    /// Whether some trip takes the way; at a fork that asks nothing it takes them all.
    pub fn takes(&self, (node, state): Way) -> bool {
        self.is_taken[node].get(state).copied().unwrap_or(self.is_met[node])
    }
}

/// What winning trips should have at the least.
#[derive(Debug, Clone, Copy, Default)]
pub struct Depth {
    pub steps: usize,
    pub gates: usize,
}

impl Depth {
    pub fn is_met_by(&self, ended: &Leaf<'_>) -> bool {
        ended.steps >= self.steps && ended.gates >= self.gates
    }
}

/// How much of a network is followed.
#[derive(Debug, Clone, Copy)]
pub struct Most {
    pub trips: u64,
    /// For each trip.
    pub memory: Memory,
}

impl Most {
    pub fn trips(trips: u64) -> Self {
        Most { trips, memory: Memory::OF_A_TRIP }
    }
}

/// Follows all trips; the reason if a limit ends it, or there are more than `most` of them.
///
/// `pick` says whether a trip replaces the one of its kind that was kept.
pub fn measure(
    network: &Network,
    depth: Depth,
    most: Most,
    stop: &Stop,
    pick: &mut dyn FnMut(&Leaf<'_>) -> bool,
) -> Result<Measure, Reason> {
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
    // The receiver of trips never fails.
    let (_, end, traces) = traced.map_err(|_| Reason::Unproven)?;
    (found.is_met, found.is_taken) = (traces.is_met, traces.is_taken);
    match end {
        End::Complete => Ok(found),
        End::Enough => Err(Reason::ManyTrips),
        End::Limit(reason) => Err(reason),
    }
}

impl Measure {
    fn add(&mut self, depth: Depth, ended: &Leaf<'_>, pick: &mut dyn FnMut(&Leaf<'_>) -> bool) {
        self.tally.count(ended);
        let steps = ended.steps;
        let slot = match ended.outcome {
            Outcome::Win => {
                self.shortest_win = self.shortest_win.min(steps);
                self.longest_win = self.longest_win.max(steps);
                self.fewest_gates = self.fewest_gates.min(ended.gates);
                self.short_wins += u64::from(steps < depth.steps);
                self.shallow_wins += u64::from(ended.gates < depth.gates);
                &mut self.a_win
            }
            Outcome::Cycle => {
                self.add_loss(&ended.weight, (ended.trip)().nodes.len());
                &mut self.a_cycle
            }
            Outcome::Loss | Outcome::Stuck => {
                self.add_loss(&ended.weight, steps);
                &mut self.an_end
            }
        };
        if pick(ended) || slot.is_none() {
            *slot = Some((ended.trip)());
        }
    }

    fn add_loss(&mut self, weight: &Weight, steps: usize) {
        self.longest_loss = self.longest_loss.max(steps);
        self.loss_steps.add(weight, steps);
    }
}

/// How hard a network is, in bits, as a sum of parts that a person can follow.
///
/// It orders railways as the work of a simulated player does who remembers what was seen (rank correlation 0.7 to 0.9,
/// `benches/difficulty.rs`); nobody has measured how well it agrees with what people find hard.
#[derive(Debug, Clone)]
pub struct Difficulty {
    pub parts: Vec<Part>,
}

#[derive(Debug, Clone)]
pub struct Part {
    pub name: &'static str,
    /// The measured value in words.
    pub value: String,
    pub bits: f64,
}

/// So many trips with a gate in another colour are followed to find out which gates matter.
const MOST_TRIED: usize = 20_000;

impl Difficulty {
    /// Of a network with a solution. Where no trip loses there is nothing to find: every part is 0.
    pub fn of(network: &Network, measure: &Measure, stop: &Stop) -> Self {
        let (all, wins) = (measure.tally.total(), measure.tally.of(Outcome::Win));
        let lost = &all - &wins;
        let steps = measure.loss_steps.exact();
        let trips = measure.distinct_trips();
        let part = |name, value, bits| Part { name, value, bits };
        let mut parts = vec![
            part("luck", format!("1 in {} configurations wins", quotient(&all, &wins)), bits(&all, &wins)),
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
                format!("the longest losing trip has {}", count(measure.longest_loss, "step", "steps")),
                (measure.longest_loss as f64).log2(),
            ),
            part(
                "patience",
                format!("losing trips end after {} steps on average", quotient(&steps, &lost)),
                bits(&steps, &lost),
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

/// Of a number that is not 0.
fn log2(number: &BigUint) -> f64 {
    let shift = number.bits().saturating_sub(64);
    let leading = (number >> shift).iter_u64_digits().next().unwrap_or(1);
    (leading as f64).log2() + shift as f64
}

/// How many times as many, as a logarithm.
pub fn bits(one: &BigUint, other: &BigUint) -> f64 {
    log2(one) - log2(other)
}

/// To one decimal, unless that is 0.
fn quotient(one: &BigUint, other: &BigUint) -> String {
    let tenths: BigUint = (one * 20_u32 + other) / (other * 2_u32);
    let text = format!("{}.{}", &tenths / 10_u32, &tenths % 10_u32);
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}

/// How many ways lead to a target, by the nodes that they pass: trips that differ in levers and gates may have one way. `None` if
/// a limit was reached before all were counted.
pub fn winning_paths(network: &Network, stop: &Stop) -> Option<usize> {
    let mut paths = BTreeSet::new();
    let any = Pattern::any(network);
    let simulated = simulation::simulate(network, GateRule::DynamicGate, &any, stop, &mut |ended| {
        if ended.outcome == Outcome::Win {
            paths.insert((ended.trip)().nodes);
        }
        Ok(ControlFlow::Continue(()))
    });
    simulated.is_ok_and(|(_, end)| end.is_complete()).then_some(paths.len())
}

/// Gates that a winning trip crosses and whose colour decides whether it wins; and whether all winning trips were looked at.
pub fn gates_that_matter(network: &Network, stop: &Stop) -> (usize, bool) {
    let mut open: Vec<usize> = network.free_gates().collect();
    let tried = Cell::new(0);
    let matters = |trip: &Trip, gate: usize| {
        network.gate_colors().filter(|&color| trip.gates[gate] != Some(color)).any(|color| {
            tried.set(tried.get() + 1);
            let mut pattern = Pattern { levers: trip.levers.clone(), gates: trip.gates.clone() };
            pattern.gates[gate] = Some(color);
            let mut loses = false;
            // A limit leaves what was found until then.
            let _ = simulation::simulate(network, GateRule::DynamicGate, &pattern, stop, &mut |ended| {
                loses = ended.outcome != Outcome::Win && (ended.trip)().nodes[0] == trip.nodes[0];
                Ok(if loses { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
            });
            loses
        })
    };
    let any = Pattern::any(network);
    let simulated = simulation::simulate(network, GateRule::DynamicGate, &any, stop, &mut |ended| {
        if ended.outcome == Outcome::Win && ended.gates > 0 {
            let trip = (ended.trip)();
            open.retain(|&gate| trip.gates[gate].is_none() || !matters(&trip, gate));
        }
        let is_enough = open.is_empty() || tried.get() >= MOST_TRIED;
        Ok(if is_enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    });
    (network.free_gates().count() - open.len(), open.is_empty() || simulated.is_ok_and(|(_, end)| end.is_complete()))
}
