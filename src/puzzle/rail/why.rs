//! Explains why no trip wins, or why a given trip does not.
//!
//! **No trip wins.** A search against the arcs from the targets first reaches nodes that no trip
//! visits, then forks that some trip visits. Each of these forks leads to a target for some states
//! of its lever, and no trip arrives with the lever in such a state; otherwise it would have gone
//! on to the target. These forks form the explanation, each with the reason why its lever is never
//! in that state: an earlier fork has read the lever, and no gate has moved it since.
//!
//! ```text
//!        trips arrive with 1 only       no trip arrives here
//!   … ───> z ──1──> y                        ┌───────┐
//!          └───2──────────────────────────────> u ──> t
//! ```
//!
//! **A given trip.** A losing trip is followed back from its end to the last fork at which another
//! state of the lever would have won.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use serde_json::{Value, json};

use super::engines::{MemoryLimit, simulation};
use super::network::facts::{Facts, fact};
use super::network::{Kind, Network, NodeId, Branch};
use super::output::answer;
use super::trips::{GateRule, LazyTrip, Outcome, Pattern, Trip, configuration_text, replay};
use super::{RailBoard, Rail};
use crate::diagnostic::{Code, Diagnostic, Failure};
use crate::ending::Verdict;
use crate::puzzle::{Because, reasons};
use crate::report::Format;
use crate::stop::{StopReason, CancelToken};
use crate::why::{self, Part, ExplainQuery, Explanation};

/// Maximum number of trips followed to explain the states of levers.
const MAX_FOLLOWED: u64 = 100_000;
/// Maximum number of nodes listed by name, and of trips explained.
const MAX_NAMED: usize = 8;

/// The explanation of why no trip reaches a target.
pub struct BackwardReach {
    /// Nodes that lead to a target and that no trip visits, the targets first.
    pub unreached: Vec<NodeId>,
    /// Branches into `unreached` from forks that trips visit, but never with the lever in that
    /// state, or from gates, at which trips get stuck.
    pub blocking: Vec<Branch>,
    /// For each such fork, the nodes at which its lever was last read or moved before.
    lever_uses: BTreeMap<NodeId, BTreeSet<NodeId>>,
}

/// The reason why there is no explanation.
pub enum Interruption {
    Limit(StopReason),
    Failed(Failure),
}

impl From<Failure> for Interruption {
    fn from(failure: Failure) -> Self {
        Interruption::Failed(failure)
    }
}

/// Passes trips to `found` until it breaks. A limit is an error, because explanations are about all
/// trips.
fn for_each_trip(
    network: &Network,
    rules: GateRule,
    pattern: &Pattern,
    stop: &CancelToken,
    found: &mut dyn FnMut(&LazyTrip<'_>) -> Result<ControlFlow<()>, Failure>,
) -> Result<(), Interruption> {
    let (_, end) = simulation::simulate(network, rules, pattern, stop, found)?;
    end.reason().map_or(Ok(()), |reason| Err(Interruption::Limit(reason)))
}

/// Searches backward from the targets; `None` if a trip wins.
pub fn backward_reach(network: &Network, rules: GateRule, pattern: &Pattern, stop: &CancelToken) -> Result<Option<BackwardReach>, Interruption> {
    let mut trips = 0_u64;
    let mut is_won = false;
    let (_, end, traces) =
        simulation::trace(network, rules, pattern, MemoryLimit::PER_TRIP, stop, &mut |leaf: &LazyTrip<'_>| {
            trips += 1;
            is_won |= leaf.outcome == Outcome::Win;
            Ok(if is_won { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
    if let Some(reason) = end.reason() {
        return Err(Interruption::Limit(reason));
    }
    if is_won {
        return Ok(None);
    }
    let mut before: Vec<Vec<Branch>> = vec![Vec::new(); network.nodes.len()];
    for way in network.ways() {
        before[network.end(way).unwrap_or(way.0)].push(way);
    }
    let is_target = |&node: &NodeId| network.nodes[node].kind == Kind::Target;
    let mut unreached: Vec<NodeId> = (0..network.nodes.len()).filter(is_target).collect();
    let mut is_known = vec![false; network.nodes.len()];
    for &node in &unreached {
        is_known[node] = true;
    }
    let (mut blocking, mut next) = (Vec::new(), 0);
    while let Some(&node) = unreached.get(next) {
        next += 1;
        for &way in &before[node] {
            if traces.visited[way.0] {
                blocking.push(way);
            } else if !std::mem::replace(&mut is_known[way.0], true) {
                unreached.push(way.0);
            }
        }
    }
    blocking.sort_unstable();
    let mut lever_uses = BTreeMap::new();
    if trips <= MAX_FOLLOWED {
        for_each_trip(network, rules, pattern, stop, &mut |leaf: &LazyTrip<'_>| {
            record_lever_uses(network, &(leaf.build)(), &blocking, &mut lever_uses);
            Ok(ControlFlow::Continue(()))
        })?;
    }
    Ok(Some(BackwardReach { unreached, blocking, lever_uses }))
}

/// For each visit of a fork in `blocking`, records the node at which its lever was last read or
/// moved.
fn record_lever_uses(network: &Network, trip: &Trip, blocking: &[Branch], lever_uses: &mut BTreeMap<NodeId, BTreeSet<NodeId>>) {
    let mut last: Vec<Option<NodeId>> = vec![None; network.colors.len()];
    for &node in &trip.nodes {
        match &network.nodes[node].kind {
            Kind::Fork { color, .. } => {
                if let (true, Some(last)) = (blocking.iter().any(|way| way.0 == node), last[*color]) {
                    lever_uses.entry(node).or_default().insert(last);
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

impl BackwardReach {
    /// Checks independently that no branch into `unreached` was left out.
    pub fn check(&self, network: &Network) -> Result<(), String> {
        let is_unreached = |node: &NodeId| self.unreached.contains(node);
        if network.starts.iter().any(is_unreached) {
            return Err("a start is listed as unreached".to_owned());
        }
        let leads_there = |way: &Branch| network.end(*way).is_some_and(|end| is_unreached(&end));
        let is_left_out = |way: &&Branch| leads_there(way) && !is_unreached(&way.0) && !self.blocking.contains(way);
        match network.ways().iter().find(is_left_out) {
            Some(&(node, _)) => Err(format!("{} leads to a target but is not listed", network.nodes[node].name)),
            None => Ok(()),
        }
    }

    pub fn parts(&self, network: &Network, facts: &Facts) -> Vec<Part> {
        let names = |nodes: &mut dyn Iterator<Item = NodeId>| {
            let names: Vec<&str> = nodes.map(|node| network.nodes[node].name.as_str()).collect();
            let more = if names.len() > MAX_NAMED { ", …" } else { "" };
            names[..names.len().min(MAX_NAMED)].join(", ") + more
        };
        let is_target = |&&node: &&NodeId| network.nodes[node].kind == Kind::Target;
        let targets = self.unreached.iter().filter(is_target).count();
        let (targets, between) = self.unreached.split_at(targets);
        let Some(&target) = targets.first() else {
            let words = "the network has no target".to_owned();
            return vec![Part { kind: why::PartKind::Fact, text: "target".to_owned(), place: None, words: words.into() }];
        };
        let target = fact("target", std::slice::from_ref(&network.nodes[target].name.term));
        let (which, over) = (names(&mut targets.iter().copied()), names(&mut between.iter().copied()));
        let words = match (self.blocking.is_empty(), between.is_empty()) {
            (true, true) => format!("nothing leads to {which}"),
            (true, false) => format!("only {over} lead to {which}, and no trip reaches them"),
            (false, true) => format!("the only ways into {which} are these"),
            (false, false) => {
                format!(
                    "{which} is reached through {over} only, which no trip reaches; the only ways into these nodes are"
                )
            }
        };
        let mut parts = vec![Part { kind: why::PartKind::Fact, place: facts.place(&target), text: target.text, words: words.into() }];
        parts.extend(self.blocking.iter().map(|&way| self.part(network, facts, way)));
        parts
    }

    fn part(&self, network: &Network, facts: &Facts, way: Branch) -> Part {
        let (name, next) = (|node: NodeId| &network.nodes[node].name, network.end(way).unwrap_or(way.0));
        let words = match &network.nodes[way.0].kind {
            Kind::Fork { color, .. } => {
                let color = &network.colors[*color];
                let lever = format!("the lever of {} stands at {}", color.name, color.states[way.1]);
                let (mut forks, mut gates) = (Vec::new(), Vec::new());
                for &node in self.lever_uses.get(&way.0).into_iter().flatten() {
                    match network.nodes[node].kind {
                        Kind::Fork { .. } => forks.push(name(node).as_str()),
                        _ => gates.push(name(node).as_str()),
                    }
                }
                let lever_uses = match (&forks[..], &gates[..]) {
                    ([], []) => String::new(),
                    (forks, []) => {
                        format!(": {} read it earlier, and only another state led here", forks.join(", "))
                    }
                    ([], gates) => format!(": {} moved it", gates.join(", ")),
                    (forks, gates) => {
                        format!(": {} read it earlier, or {} moved it", forks.join(", "), gates.join(", "))
                    }
                };
                format!("{} leads to {} if {lever}, but no trip arrives in this state{lever_uses}", name(way.0), name(next))
            }
            _ => format!("{} leads to {}, but trips are stuck at gates", name(way.0), name(next)),
        };
        branch_part(network, facts, way, words)
    }
}

/// A branch as a part of an explanation, with the fact that states it.
fn branch_part(network: &Network, facts: &Facts, way: Branch, words: String) -> Part {
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
    Part { kind: why::PartKind::Fact, text, place: known.and_then(|known| facts.place(known)), words: words.into() }
}

/// A trip and, if it does not win, what would have to change.
pub struct LostTrip {
    pub trip: Trip,
    pub fork: Option<DecisiveFork>,
    /// The winning trip whose configuration differs in the fewest levers and gates.
    pub nearest: Option<Trip>,
}

pub struct DecisiveFork {
    /// Index into the nodes of the trip.
    pub step: usize,
    pub color: usize,
    pub state: usize,
    pub winning: usize,
    /// The winning trip, from this fork on.
    pub trip: Trip,
}

/// Explains why no trip wins, if none does.
pub fn no_win(board: &RailBoard, rules: GateRule, stop: &CancelToken, question: &ExplainQuery) -> Result<Explanation, Failure> {
    let network = &board.network;
    let bold = |words: &str| format!("{}\n", question.style.paint(anstyle::Style::new().bold(), words));
    let picture = if question.format == Format::Html { Some(board.picture(stop)) } else { None };
    let explain = |verdict, because: Option<&Because>, text| reasons::told(Rail, verdict, because, text, picture.as_ref());
    let behind = match backward_reach(network, rules, &board.pattern, stop) {
        Ok(Some(behind)) => behind,
        Ok(None) => return Ok(explain(Verdict::Solved, None, bold("Some trip wins."))),
        Err(Interruption::Limit(reason)) => return Ok(explain(Verdict::GaveUp(reason), None, String::new())),
        Err(Interruption::Failed(failure)) => return Err(failure),
    };
    behind.check(network).map_err(|error| Diagnostic::error(Code::RejectedClaim, error))?;
    let because = Because { parts: behind.parts(network, &board.facts), is_smallest: false };
    let mut text = bold("No trip wins: proven.") + &because.lines();
    if !question.style.quiet {
        text += "asp-solve repair FILE --goal solution redirects the fewest arcs.\n";
    }
    Ok(explain(Verdict::Impossible, Some(&because), text))
}

/// Explains the trips of a configuration.
pub fn about(board: &RailBoard, asked: &str, rules: GateRule, stop: &CancelToken) -> Result<Explanation, Failure> {
    let network = &board.network;
    let wrong = |error: String| Diagnostic::error(Code::Usage, format!("{asked}: expected a configuration; {error}"));
    let pattern = Pattern::parse(network, asked).map_err(wrong)?;
    let all = match analyse_losses(network, rules, &pattern, stop) {
        Ok(all) => all,
        Err(Interruption::Limit(reason)) => {
            return Ok(Explanation {
                verdict: Some(Verdict::GaveUp(reason)),
                json: json!({ "schema": 1 }),
                ..Explanation::default()
            });
        }
        Err(Interruption::Failed(failure)) => return Err(failure),
    };
    let one = |lost: &LostTrip| {
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
    Ok(reasons::with_page(Rail, Explanation { text, json, verdict: Some(Verdict::Solved), ..Explanation::default() }, None))
}

/// Analyses the trips of the configurations that match `pattern`. Winning trips have neither a fork
/// nor a nearest trip.
pub fn analyse_losses(network: &Network, rules: GateRule, pattern: &Pattern, stop: &CancelToken) -> Result<Vec<LostTrip>, Interruption> {
    let mut all = Vec::new();
    for trip in trips(network, rules, pattern, MAX_NAMED, stop, |_| true)? {
        let (mut fork, mut nearest) = (None, None);
        if trip.outcome != Outcome::Win {
            fork = last_decisive_fork(network, &trip, stop)?;
            let mut best = usize::MAX;
            for_each_trip(network, rules, &Pattern::any(network), stop, &mut |leaf: &LazyTrip<'_>| {
                if leaf.outcome == Outcome::Win {
                    let other = (leaf.build)();
                    let far = |(one, other): (&Option<usize>, &Option<usize>)| {
                        usize::from(one.is_some() && other.is_some() && one != other)
                    };
                    let levers: usize = trip.levers.iter().zip(&other.levers).map(far).sum();
                    let far = levers + trip.gates.iter().zip(&other.gates).map(far).sum::<usize>();
                    if far < best && other.nodes[0] == trip.nodes[0] {
                        // Keep the given values wherever the winning trip is open.
                        let keep = Pattern { levers: trip.levers.clone(), gates: trip.gates.clone() };
                        let levers = other.levers.iter().zip(keep.levers).map(|(other, keep)| other.or(keep)).collect();
                        let gates = other.gates.iter().zip(keep.gates).map(|(other, keep)| other.or(keep)).collect();
                        (best, nearest) = (far, Some(Trip { levers, gates, ..other }));
                    }
                }
                Ok(ControlFlow::Continue(()))
            })?;
        }
        all.push(LostTrip { trip, fork, nearest });
    }
    Ok(all)
}

/// The first `most` trips that pass.
fn trips(
    network: &Network,
    rules: GateRule,
    pattern: &Pattern,
    most: usize,
    stop: &CancelToken,
    passes: impl Fn(&LazyTrip<'_>) -> bool,
) -> Result<Vec<Trip>, Interruption> {
    let mut trips = Vec::new();
    for_each_trip(network, rules, pattern, stop, &mut |leaf: &LazyTrip<'_>| {
        trips.extend(passes(leaf).then(|| (leaf.build)()));
        Ok(if trips.len() == most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    })?;
    Ok(trips)
}

fn last_decisive_fork(network: &Network, trip: &Trip, stop: &CancelToken) -> Result<Option<DecisiveFork>, Interruption> {
    let levers_at = trip.levers_at(network);
    for (step, &node) in trip.nodes.iter().enumerate().rev() {
        let Kind::Fork { color, ways } = &network.nodes[node].kind else { continue };
        let (Some(state), true) = (levers_at[step][*color], network.is_true_fork(node)) else { continue };
        // Fixed levers may have moved on the way.
        let mut from_here = Network { starts: vec![node], ..network.clone() };
        for color in &mut from_here.colors {
            color.fixed = None;
        }
        for winning in (0..ways.len()).filter(|&winning| winning != state) {
            let mut levers = levers_at[step].clone();
            levers[*color] = Some(winning);
            let pattern = Pattern { levers, gates: trip.gates.clone() };
            let won = trips(&from_here, trip.rules, &pattern, 1, stop, |leaf| leaf.outcome == Outcome::Win)?;
            if let Some(won) = won.into_iter().next() {
                // Replay by the rules.
                replay::check(&from_here, &won).map_err(|error| Failure::from(Diagnostic::error(Code::RejectedAnswer, error)))?;
                return Ok(Some(DecisiveFork { step, color: *color, state, winning, trip: won }));
            }
        }
    }
    Ok(None)
}

impl LostTrip {
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

    /// The colours that the winning continuation needs at gates which this trip does not meet.
    fn open_gates(&self, network: &Network, fork: &DecisiveFork) -> String {
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
            branch_part(network, facts, (node, state), words)
        };
        vec![part(fork.state, "stood at"), part(fork.winning, "would have won at")]
    }
}
