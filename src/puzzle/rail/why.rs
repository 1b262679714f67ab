//! Why no trip wins, and why one does not.
//!
//! **The ends seen from behind.** Backwards from the targets, against the arcs, come nodes that no trip comes to, until there
//! are forks that trips do come to. Each of these forks leads on to the target in some states of its lever, and those are
//! never the ones that trips come with: else they would have gone on. So these few forks are all there is to tell, with the reason
//! why the lever never stands so: an earlier fork has asked for it, and no gate has moved it since.
//!
//! ```text
//!         trips come with 1 alone       no trip comes here
//!   … ───> z ──1──> y                        ┌───────┐
//!          └───2──────────────────────────────> u ──> t
//! ```
//!
//! **The last fork.** A trip that is lost is followed back from its end, to the last fork at which another state of the lever,
//! from then on, would have won.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use serde_json::{Value, json};

use super::engines::{Memory, simulation};
use super::network::facts::{Facts, fact};
use super::network::{Kind, Network, NodeId, Way};
use super::output::answer;
use super::trips::{GateRule, Leaf, Outcome, Pattern, Trip, configuration_text, replay};
use super::{Board, Rail};
use crate::diagnostic::{Diagnostic, Failure};
use crate::ending::Verdict;
use crate::puzzle::{Because, reasons};
use crate::report::Format;
use crate::stop::{Reason, Stop};
use crate::why::{self, Part, Question, Told};

/// Trips that are followed to say why a lever never stands so.
const MOST_FOLLOWED: u64 = 100_000;
/// Names of nodes that are told.
const TOLD: usize = 8;

/// Why no trip comes to a target.
pub struct Behind {
    /// Nodes that lead to a target and that no trip comes to, the targets first.
    pub unmet: Vec<NodeId>,
    /// Ways that lead there from forks that trips come to, but never with the lever so; or from gates, where they are stuck.
    pub never: Vec<Way>,
    /// For each such fork, where its lever was asked for, or moved, last before.
    settled: BTreeMap<NodeId, BTreeSet<NodeId>>,
}

/// What keeps a question from being answered.
pub enum Halt {
    Limit(Reason),
    Failed(Failure),
}

impl From<Failure> for Halt {
    fn from(failure: Failure) -> Self {
        Halt::Failed(failure)
    }
}

/// Hands out trips until `found` breaks; a limit that is reached before is an error, as what is said then holds of all trips.
fn follow(
    network: &Network,
    rules: GateRule,
    pattern: &Pattern,
    stop: &Stop,
    found: &mut dyn FnMut(&Leaf<'_>) -> Result<ControlFlow<()>, Failure>,
) -> Result<(), Halt> {
    let (_, end) = simulation::simulate(network, rules, pattern, stop, found)?;
    end.reason().map_or(Ok(()), |reason| Err(Halt::Limit(reason)))
}

/// Looks at the targets from behind; `None` if a trip wins.
pub fn behind(network: &Network, rules: GateRule, pattern: &Pattern, stop: &Stop) -> Result<Option<Behind>, Halt> {
    let mut trips = 0_u64;
    let mut is_won = false;
    let (_, end, traces) =
        simulation::trace(network, rules, pattern, Memory::OF_A_TRIP, stop, &mut |leaf: &Leaf<'_>| {
            trips += 1;
            is_won |= leaf.outcome == Outcome::Win;
            Ok(if is_won { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
    if let Some(reason) = end.reason() {
        return Err(Halt::Limit(reason));
    }
    if is_won {
        return Ok(None);
    }
    let mut before: Vec<Vec<Way>> = vec![Vec::new(); network.nodes.len()];
    for way in network.ways() {
        before[network.end(way).unwrap_or(way.0)].push(way);
    }
    let is_target = |&node: &NodeId| network.nodes[node].kind == Kind::Target;
    let mut unmet: Vec<NodeId> = (0..network.nodes.len()).filter(is_target).collect();
    let mut is_known = vec![false; network.nodes.len()];
    unmet.iter().for_each(|&node| is_known[node] = true);
    let (mut never, mut next) = (Vec::new(), 0);
    while let Some(&node) = unmet.get(next) {
        next += 1;
        for &way in &before[node] {
            if traces.is_met[way.0] {
                never.push(way);
            } else if !std::mem::replace(&mut is_known[way.0], true) {
                unmet.push(way.0);
            }
        }
    }
    never.sort_unstable();
    let mut settled = BTreeMap::new();
    if trips <= MOST_FOLLOWED {
        follow(network, rules, pattern, stop, &mut |leaf: &Leaf<'_>| {
            settle(network, &(leaf.trip)(), &never, &mut settled);
            Ok(ControlFlow::Continue(()))
        })?;
    }
    Ok(Some(Behind { unmet, never, settled }))
}

/// Notes for each visit of a fork that is told of where its lever was asked for, or moved, last.
fn settle(network: &Network, trip: &Trip, never: &[Way], settled: &mut BTreeMap<NodeId, BTreeSet<NodeId>>) {
    let mut last: Vec<Option<NodeId>> = vec![None; network.colors.len()];
    for &node in &trip.nodes {
        match &network.nodes[node].kind {
            Kind::Fork { color, .. } => {
                if let (true, Some(last)) = (never.iter().any(|way| way.0 == node), last[*color]) {
                    settled.entry(node).or_default().insert(last);
                }
                if network.is_true_fork(node) {
                    last[*color] = Some(node);
                }
            }
            Kind::Gate { gate, .. } => {
                if let Some(color) = trip.gates[*gate] {
                    last[color] = Some(node);
                }
            }
            _ => {}
        }
    }
}

impl Behind {
    /// Follows every way backwards once more: whatever leads to a target is told of; an error if something is left out.
    pub fn check(&self, network: &Network) -> Result<(), String> {
        let is_told = |node: &NodeId| self.unmet.contains(node);
        if network.starts.iter().any(is_told) {
            return Err("a start is said to be met by no trip".to_owned());
        }
        let leads_there = |way: &Way| network.end(*way).is_some_and(|end| is_told(&end));
        let is_left_out = |way: &&Way| leads_there(way) && !is_told(&way.0) && !self.never.contains(way);
        match network.ways().iter().find(is_left_out) {
            Some(&(node, _)) => Err(format!("{} leads to a target, and is not told of", network.nodes[node].name)),
            None => Ok(()),
        }
    }

    pub fn parts(&self, network: &Network, facts: &Facts) -> Vec<Part> {
        let names = |nodes: &mut dyn Iterator<Item = NodeId>| {
            let names: Vec<&str> = nodes.map(|node| network.nodes[node].name.as_str()).collect();
            let more = if names.len() > TOLD { ", …" } else { "" };
            names[..names.len().min(TOLD)].join(", ") + more
        };
        let is_target = |&&node: &&NodeId| network.nodes[node].kind == Kind::Target;
        let targets = self.unmet.iter().filter(is_target).count();
        let (targets, between) = self.unmet.split_at(targets);
        let Some(&target) = targets.first() else {
            let words = "the network has no target".to_owned();
            return vec![Part { kind: why::Kind::Fact, text: "target".to_owned(), place: None, words }];
        };
        let target = fact("target", std::slice::from_ref(&network.nodes[target].name.term));
        let (which, over) = (names(&mut targets.iter().copied()), names(&mut between.iter().copied()));
        let words = match (self.never.is_empty(), between.is_empty()) {
            (true, true) => format!("nothing leads to {which}"),
            (true, false) => format!("only {over} lead to {which}, and no trip comes there"),
            (false, true) => format!("seen from behind, {which} is reached by these ways alone"),
            (false, false) => {
                format!(
                    "seen from behind, {which} is reached over {over}, where no trip comes, and there by these ways alone"
                )
            }
        };
        let mut parts = vec![Part { kind: why::Kind::Fact, place: facts.place(&target), text: target.text, words }];
        parts.extend(self.never.iter().map(|&way| self.part(network, facts, way)));
        parts
    }

    fn part(&self, network: &Network, facts: &Facts, way: Way) -> Part {
        let (name, next) = (|node: NodeId| &network.nodes[node].name, network.end(way).unwrap_or(way.0));
        let words = match &network.nodes[way.0].kind {
            Kind::Fork { color, .. } => {
                let color = &network.colors[*color];
                let lever = format!("the lever of {} stands at {}", color.name, color.states[way.1]);
                let (mut forks, mut gates) = (Vec::new(), Vec::new());
                for &node in self.settled.get(&way.0).into_iter().flatten() {
                    match network.nodes[node].kind {
                        Kind::Fork { .. } => forks.push(name(node).as_str()),
                        _ => gates.push(name(node).as_str()),
                    }
                }
                let settled = match (&forks[..], &gates[..]) {
                    ([], []) => String::new(),
                    (forks, []) => {
                        format!(": on the way {} asked for it, and only another state led here", forks.join(", "))
                    }
                    ([], gates) => format!(": it was moved at {}", gates.join(", ")),
                    (forks, gates) => {
                        format!(": on the way {} asked for it, or {} moved it", forks.join(", "), gates.join(", "))
                    }
                };
                format!("{} leads to {} if {lever}, but no trip comes with it so{settled}", name(way.0), name(next))
            }
            _ => format!("{} leads to {}, but trips are stuck at gates", name(way.0), name(next)),
        };
        way_part(network, facts, way, words)
    }
}

/// A way as a part of a reason, with the fact that says it.
fn way_part(network: &Network, facts: &Facts, way: Way, words: String) -> Part {
    let term = |node: NodeId| network.nodes[node].name.term.clone();
    let next = network.end(way).map(term);
    let is_it = |known: &&super::network::facts::Fact| {
        let label = match &network.nodes[way.0].kind {
            Kind::Fork { color, .. } => Some(&network.colors[*color].states[way.1].term),
            _ => None,
        };
        known.name == "rel"
            && known.terms.first() == Some(&term(way.0))
            && label.is_none_or(|label| known.terms.get(1) == Some(label))
            && known.terms.get(2) == next.as_ref()
    };
    let known = facts.facts.iter().find(is_it);
    let text = known.map_or_else(String::new, |known| known.text.clone());
    Part { kind: why::Kind::Fact, text, place: known.and_then(|known| facts.place(known)), words }
}

/// A trip, and the last fork at which another lever would have won.
pub struct Lost {
    pub trip: Trip,
    pub fork: Option<Fork>,
    /// The winning trip whose configurations differ in the fewest levers and gates.
    pub nearest: Option<Trip>,
}

pub struct Fork {
    /// From 0.
    pub step: usize,
    pub color: usize,
    pub state: usize,
    pub winning: usize,
    /// From the fork on.
    pub trip: Trip,
}

/// Tells why no trip wins, if none does.
pub fn no_win(board: &Board, rules: GateRule, stop: &Stop, question: &Question) -> Result<Told, Failure> {
    let network = &board.network;
    let bold = |words: &str| format!("{}\n", question.style.paint(anstyle::Style::new().bold(), words));
    let picture = if question.format == Format::Html { Some(board.picture(stop)) } else { None };
    let told = |verdict, because: Option<&Because>, text| reasons::told(Rail, verdict, because, text, picture.as_ref());
    let behind = match behind(network, rules, &board.pattern, stop) {
        Ok(Some(behind)) => behind,
        Ok(None) => return Ok(told(Verdict::Solved, None, bold("Some trip wins."))),
        Err(Halt::Limit(reason)) => return Ok(told(Verdict::GaveUp(reason), None, String::new())),
        Err(Halt::Failed(failure)) => return Err(failure),
    };
    behind.check(network).map_err(Diagnostic::error)?;
    let because = Because { parts: behind.parts(network, &board.facts), is_smallest: false };
    let mut text = bold("No trip wins: proven.") + &because.lines();
    if !question.style.quiet {
        text += "asp-solve repair FILE --goal solution tells the fewest arcs to redirect.\n";
    }
    Ok(told(Verdict::Impossible, Some(&because), text))
}

/// Answers a question about a configuration.
pub fn about(board: &Board, asked: &str, rules: GateRule, stop: &Stop) -> Result<Told, Failure> {
    let network = &board.network;
    let wrong = |error: String| Diagnostic::error(format!("{asked}: a configuration was wanted; {error}"));
    let pattern = Pattern::parse(network, asked).map_err(wrong)?;
    let all = match lost(network, rules, &pattern, stop) {
        Ok(all) => all,
        Err(Halt::Limit(reason)) => {
            return Ok(Told {
                verdict: Some(Verdict::GaveUp(reason)),
                json: json!({ "schema": 1 }),
                ..Told::default()
            });
        }
        Err(Halt::Failed(failure)) => return Err(failure),
    };
    let one = |lost: &Lost| {
        let parts = lost.parts(network, &board.facts);
        let mut object = json!({
            "answer": answer::answer(network, &lost.trip), "because": parts.iter().map(Part::json).collect::<Value>(),
        });
        if let Some(fork) = &lost.fork {
            let color = &network.colors[fork.color];
            object["last_fork"] = json!({
                "node": *network.nodes[lost.trip.nodes[fork.step]].name, "step": fork.step + 1, "lever": *color.name,
                "stood_at": *color.states[fork.state], "would_win_at": *color.states[fork.winning],
                "trip": fork.trip.nodes.iter().map(|&node| &*network.nodes[node].name).collect::<Vec<&String>>(),
            });
        }
        if let Some(nearest) = &lost.nearest {
            object["nearest"] = json!(configuration_text(network, &nearest.levers, &nearest.gates));
        }
        object
    };
    let json = json!({ "schema": 1, "configuration": asked, "trips": all.iter().map(one).collect::<Value>() });
    let text = all.iter().map(|lost| lost.words(network)).collect::<Vec<_>>().join("\n");
    Ok(reasons::with_page(Rail, Told { text, json, verdict: Some(Verdict::Solved), ..Told::default() }, None))
}

/// Why the trips of these configurations do not win; those that do have no fork and no nearest.
pub fn lost(network: &Network, rules: GateRule, pattern: &Pattern, stop: &Stop) -> Result<Vec<Lost>, Halt> {
    let mut all = Vec::new();
    for trip in trips(network, rules, pattern, TOLD, stop, |_| true)? {
        let (mut fork, mut nearest) = (None, None);
        if trip.outcome != Outcome::Win {
            fork = last_fork(network, &trip, stop)?;
            let mut best = usize::MAX;
            follow(network, rules, &Pattern::any(network), stop, &mut |leaf: &Leaf<'_>| {
                if leaf.outcome == Outcome::Win {
                    let other = (leaf.trip)();
                    let far = |(one, other): (&Option<usize>, &Option<usize>)| {
                        usize::from(one.is_some() && other.is_some() && one != other)
                    };
                    let levers: usize = trip.levers.iter().zip(&other.levers).map(far).sum();
                    let far = levers + trip.gates.iter().zip(&other.gates).map(far).sum::<usize>();
                    if far < best && other.nodes[0] == trip.nodes[0] {
                        // What it leaves open may stay as it is.
                        let keep = Pattern { levers: trip.levers.clone(), gates: trip.gates.clone() };
                        let levers = other.levers.iter().zip(keep.levers).map(|(other, keep)| other.or(keep)).collect();
                        let gates = other.gates.iter().zip(keep.gates).map(|(other, keep)| other.or(keep)).collect();
                        (best, nearest) = (far, Some(Trip { levers, gates, ..other }));
                    }
                }
                Ok(ControlFlow::Continue(()))
            })?;
        }
        all.push(Lost { trip, fork, nearest });
    }
    Ok(all)
}

/// The first trips of some configurations that pass.
fn trips(
    network: &Network,
    rules: GateRule,
    pattern: &Pattern,
    most: usize,
    stop: &Stop,
    passes: impl Fn(&Leaf<'_>) -> bool,
) -> Result<Vec<Trip>, Halt> {
    let mut trips = Vec::new();
    follow(network, rules, pattern, stop, &mut |leaf: &Leaf<'_>| {
        trips.extend(passes(leaf).then(|| (leaf.trip)()));
        Ok(if trips.len() == most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    })?;
    Ok(trips)
}

fn last_fork(network: &Network, trip: &Trip, stop: &Stop) -> Result<Option<Fork>, Halt> {
    let levers_at = trip.levers_at(network);
    for (step, &node) in trip.nodes.iter().enumerate().rev() {
        let Kind::Fork { color, ways } = &network.nodes[node].kind else { continue };
        let (Some(state), true) = (levers_at[step][*color], network.is_true_fork(node)) else { continue };
        // On the way levers may stand elsewhere than where they are fixed at first.
        let mut from_here = Network { starts: vec![node], ..network.clone() };
        from_here.colors.iter_mut().for_each(|color| color.fixed = None);
        for winning in (0..ways.len()).filter(|&winning| winning != state) {
            let mut levers = levers_at[step].clone();
            levers[*color] = Some(winning);
            let pattern = Pattern { levers, gates: trip.gates.clone() };
            let won = trips(&from_here, trip.rules, &pattern, 1, stop, |leaf| leaf.outcome == Outcome::Win)?;
            if let Some(won) = won.into_iter().next() {
                // By the rules alone.
                replay::check(&from_here, &won).map_err(|error| Failure::from(Diagnostic::error(error)))?;
                return Ok(Some(Fork { step, color: *color, state, winning, trip: won }));
            }
        }
    }
    Ok(None)
}

impl Lost {
    /// In sentences.
    pub fn words(&self, network: &Network) -> String {
        let name = |&node: &NodeId| network.nodes[node].name.as_str();
        let nodes = |trip: &Trip| trip.nodes.iter().map(name).collect::<Vec<_>>().join(" ");
        let mut text = format!("{}:\n  {}\n", self.trip.title(network), nodes(&self.trip));
        if self.trip.outcome == Outcome::Win {
            return text;
        }
        match &self.fork {
            Some(fork) => {
                let color = &network.colors[fork.color];
                let gates = self.open_gates(network, fork);
                text += &format!(
                    "The last fork at which another lever would have won is {}, step {}: the lever of {} stood at {}; at {}{gates} \
                     the trip would have gone on\n  {}\n",
                    name(&self.trip.nodes[fork.step]),
                    fork.step + 1,
                    color.name,
                    color.states[fork.state],
                    color.states[fork.winning],
                    nodes(&fork.trip)
                );
            }
            None => text += "At no fork of this trip would another state of its lever alone have won.\n",
        }
        match &self.nearest {
            Some(nearest) => {
                let configuration = configuration_text(network, &nearest.levers, &nearest.gates);
                text += &format!("The configuration nearest to it that wins is {configuration}.\n");
            }
            None => text += "No configuration wins.\n",
        }
        text
    }

    /// What the way that would have won wants of gates that this trip does not see.
    fn open_gates(&self, network: &Network, fork: &Fork) -> String {
        let wanted = self.trip.gates.iter().zip(&fork.trip.gates).enumerate();
        let wanted = wanted.filter_map(|(gate, (seen, wanted))| {
            let color = wanted.filter(|_| seen.is_none())?;
            Some(format!(", with gate {} {},", network.gates[gate], network.colors[color].name))
        });
        wanted.collect()
    }

    pub fn parts(&self, network: &Network, facts: &Facts) -> Vec<Part> {
        let Some(fork) = &self.fork else { return Vec::new() };
        let node = self.trip.nodes[fork.step];
        let part = |state: usize, words: &str| {
            let color = &network.colors[fork.color];
            let name = &network.nodes[node].name;
            let words =
                format!("{name}, step {}: the lever of {} {words} {}", fork.step + 1, color.name, color.states[state]);
            way_part(network, facts, (node, state), words)
        };
        vec![part(fork.state, "stood at"), part(fork.winning, "would have won at")]
    }
}
