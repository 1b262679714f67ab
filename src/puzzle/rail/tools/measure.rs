//! What can be said of a network as a puzzle: how trips end, and how hard it is.

use std::ops::ControlFlow;

use num_bigint::BigUint;
use serde_json::{Value, json};

use crate::puzzle::rail::engines::simulation;
use crate::puzzle::rail::network::{Network, Way};
use crate::puzzle::rail::trips::{Leaf, Outcome, Pattern, Rules, Trip, Weight};
use crate::stop::Stop;

/// All trips of a network in numbers.
#[derive(Debug, Clone, Default)]
pub struct Measure {
    pub all: f64,
    /// Configurations by outcome; floating point numbers, which are exact to 2⁵³.
    pub configurations: [f64; 4],
    pub trips: [u64; 4],
    /// Steps of the shortest and of the longest winning trip, and of the longest losing one.
    pub shortest_win: usize,
    pub longest_win: usize,
    pub longest_loss: usize,
    /// Over all losing configurations.
    pub loss_steps: f64,
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
    pub fn wins(&self) -> f64 {
        self.configurations[Outcome::Win as usize]
    }

    pub fn distinct_trips(&self) -> u64 {
        self.trips.iter().sum()
    }

    /// Whether some trip takes the way; at a fork that asks nothing it takes them all.
    pub fn takes(&self, (node, state): Way) -> bool {
        self.is_taken[node].get(state).copied().unwrap_or(self.is_met[node])
    }

    /// Mean steps of a losing configuration.
    pub fn mean_loss(&self) -> f64 {
        self.loss_steps / (self.all - self.wins()).max(1.0)
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

/// Follows all trips; `None` if asked to stop, or if there are more than `most` of them.
///
/// `pick` says whether a trip replaces the one of its kind that was kept.
pub fn measure(
    network: &Network,
    depth: Depth,
    most: u64,
    stop: &Stop,
    pick: &mut dyn FnMut(&Leaf<'_>) -> bool,
) -> Option<Measure> {
    let mut found = Measure { shortest_win: usize::MAX, fewest_gates: usize::MAX, ..Measure::default() };
    let mut trips = 0;
    let any = Pattern::any(network);
    let (_, ended, traces) = simulation::trace(network, Rules::DynamicGate, &any, stop, &mut |ended| {
        trips += 1;
        if trips > most {
            return Ok(ControlFlow::Break(()));
        }
        found.add(depth, ended, pick);
        Ok(ControlFlow::Continue(()))
    })
    .ok()?;
    (found.is_met, found.is_taken) = (traces.is_met, traces.is_taken);
    ended.then_some(found)
}

fn approximate(number: &BigUint) -> f64 {
    number.to_string().parse().unwrap_or(f64::INFINITY)
}

impl Measure {
    fn add(&mut self, depth: Depth, ended: &Leaf<'_>, pick: &mut dyn FnMut(&Leaf<'_>) -> bool) {
        let weight = match &ended.weight {
            Weight::Small(weight) => *weight as f64,
            Weight::Large(weight) => approximate(weight),
        };
        let (index, steps) = (ended.outcome as usize, ended.steps);
        self.all += weight;
        self.configurations[index] += weight;
        self.trips[index] += 1;
        let slot = match ended.outcome {
            Outcome::Win => {
                self.shortest_win = self.shortest_win.min(steps);
                self.longest_win = self.longest_win.max(steps);
                self.fewest_gates = self.fewest_gates.min(ended.gates);
                self.short_wins += u64::from(steps < depth.steps);
                self.shallow_wins += u64::from(ended.gates < depth.gates);
                &mut self.a_win
            }
            Outcome::Cycle => &mut self.a_cycle,
            Outcome::Loss | Outcome::Stuck => {
                self.longest_loss = self.longest_loss.max(steps);
                self.loss_steps += weight * steps as f64;
                &mut self.an_end
            }
        };
        if pick(ended) || slot.is_none() {
            *slot = Some((ended.trip)());
        }
    }
}

/// How hard a network is, in bits, as a sum of parts that a person can follow.
///
/// Nobody has measured how well it agrees with what people find hard: it orders puzzles of one kind, and says why.
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

/// Gates are tried on so many winning trips at most.
const MOST_WINS: usize = 200;

impl Difficulty {
    /// Of a network with a solution.
    pub fn of(network: &Network, measure: &Measure, stop: &Stop) -> Self {
        let gates = gates_that_matter(network, stop);
        let bits = |number: f64| number.max(1.0).log2();
        let part = |name, value, bits| Part { name, value, bits };
        let luck = measure.all / measure.wins().max(1.0);
        Difficulty {
            parts: vec![
                part("luck", format!("one configuration in {luck:.1} wins"), bits(luck)),
                part(
                    "variety",
                    format!("{} distinct trips", measure.distinct_trips()),
                    bits(measure.distinct_trips() as f64),
                ),
                part(
                    "decoys",
                    format!("the longest losing trip has {} steps", measure.longest_loss),
                    bits(measure.longest_loss as f64),
                ),
                part(
                    "patience",
                    format!("losing trips end after {:.1} steps on the average", measure.mean_loss()),
                    bits(measure.mean_loss()),
                ),
                part(
                    "planning",
                    format!("{gates} of {} gates matter on winning trips", network.gates.len()),
                    gates as f64,
                ),
            ],
        }
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

/// Gates that a winning trip crosses and whose colour decides whether it wins.
fn gates_that_matter(network: &Network, stop: &Stop) -> usize {
    let mut wins: Vec<Trip> = Vec::new();
    let any = Pattern::any(network);
    // Whoever stops it gets what was found until then.
    let _ = simulation::simulate(network, Rules::DynamicGate, &any, stop, &mut |ended| {
        if ended.outcome == Outcome::Win {
            wins.push((ended.trip)());
        }
        let is_enough = wins.len() >= MOST_WINS;
        Ok(if is_enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    });
    let loses = |trip: &Trip, gate: usize, color: usize| {
        let fill = |values: &[Option<usize>]| values.iter().map(|value| Some(value.unwrap_or(0))).collect::<Vec<_>>();
        let mut pattern = Pattern { levers: fill(&trip.levers), gates: fill(&trip.gates) };
        pattern.gates[gate] = Some(color);
        let mut loses = false;
        let _ = simulation::simulate(network, Rules::DynamicGate, &pattern, stop, &mut |ended| {
            loses |= ended.outcome != Outcome::Win && (ended.trip)().nodes[0] == trip.nodes[0];
            Ok(ControlFlow::Continue(()))
        });
        loses
    };
    let matters = |gate: usize| {
        let crossing = wins.iter().filter(|trip| trip.gates[gate].is_some());
        crossing.into_iter().any(|trip| (0..network.colors.len()).any(|color| loses(trip, gate, color)))
    };
    (0..network.gates.len()).filter(|&gate| matters(gate)).count()
}
