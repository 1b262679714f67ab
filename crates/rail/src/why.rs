//! Explains why no trip wins, or why a given trip does not win.
//!
//! **No trip wins.** A search against the arcs from the targets first reaches nodes that no trip
//! visits, then forks that some trip visits. Each of these forks leads towards a target in some
//! states of its lever, and no trip visits it with the lever in such a state; otherwise the trip
//! would visit the next node too. These forks form the explanation, each with the reason why its
//! lever is never in such a state: the trip has visited an earlier fork of the same colour, and no
//! gate has moved the lever since, or a gate has moved it.
//!
//! ```text
//!        trips arrive with 1 only       no trip arrives here
//!   … ───> z ──1──> y                        ┌───────┐
//!          └───2──────────────────────────────> u ──> t
//! ```
//!
//! **A given trip does not win.** The trip is followed back from its end to the last fork at which
//! another state of the lever would have made it win.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::Arc;

use base::diagnostic::{Code, Diagnostic, Failure};
use base::ending::Verdict;
use base::stop::{CancelToken, StopReason};
use explain::PictureUse;
use explain::{ExplainQuery, Explanation, NativeFinding, NativeReport, Part, PartKind, QueryKind};
use puzzle::job::Job;
use puzzle::{Explain, UnsolvableCause, reasons};
use serde_json::{Value, json};

use super::Rail;
use super::board::RailBoard;
use super::encodings::gate_rules;
use super::engines::{MemoryLimit, simulation};
use super::network::fact::fact;
use super::network::facts::Facts;
use super::network::{Branch, Kind, Network, NodeId};
use super::output::answer;
use super::trips::{GateRule, LazyTrip, Outcome, Pattern, Trip, configuration_text, replay};

/// Maximum number of trips that are followed to explain the states of levers.
const MAX_FOLLOWED: u64 = 100_000;
/// Maximum number of nodes that are listed by name, and of trips that are explained.
const MAX_NAMED: usize = 8;

impl Explain<Rail> for Rail {
    fn why(&self, board: &Arc<RailBoard>, job: &Job, question: &ExplainQuery) -> Result<Option<Explanation>, Failure> {
        let Some(rules) = gate_rules(&job.rules) else { return Ok(None) };
        match &question.kind {
            _ if !question.blame.is_empty() => reasons::of_verdict_alone(self, board, job, question),
            QueryKind::About(asked) => about(board, asked, rules, &job.stop).map(Some),
            QueryKind::NoAnswer if question.fix => {
                let text = "--fix does not remove facts of a railway";
                Err(Diagnostic::error(Code::NoSolution, text)
                    .help("asp-solve repair FILE --goal solution redirects the fewest arcs")
                    .into())
            }
            QueryKind::NoAnswer => no_win(board, rules, &job.stop, question).map(Some),
            _ => reasons::of_verdict_alone(self, board, job, question),
        }
    }
}

/// The explanation for the fact that no trip reaches a target.
pub struct BackwardReach {
    /// The nodes that lead to a target and that no trip visits, beginning with the targets.
    pub unreached: Vec<NodeId>,
    /// The branches into `unreached` from nodes that trips visit: from forks whose lever is never
    /// in that state, or from gates at which trips get stuck.
    pub blocking: Vec<Branch>,
    /// For each of these forks, the nodes at which trips last depended on its lever, or moved it,
    /// before they visited the fork.
    lever_uses: BTreeMap<NodeId, BTreeSet<NodeId>>,
}

/// The reason why an explanation was not completed.
pub enum Interruption {
    Limit(StopReason),
    Failed(Failure),
}

impl From<Failure> for Interruption {
    fn from(failure: Failure) -> Self {
        Interruption::Failed(failure)
    }
}

/// Passes trips to `on_trip` until it breaks. A limit is an error, because an explanation must
/// consider all trips.
fn for_each_trip(
    network: &Network,
    rules: GateRule,
    pattern: &Pattern,
    stop: &CancelToken,
    on_trip: &mut dyn FnMut(&LazyTrip<'_>) -> Result<ControlFlow<()>, Failure>,
) -> Result<(), Interruption> {
    let (_, end) = simulation::simulate(network, rules, pattern, stop, on_trip)?;
    end.reason().map_or(Ok(()), |reason| Err(Interruption::Limit(reason)))
}

/// Searches backward from the targets. Returns `None` if a trip wins.
pub fn backward_reach(
    network: &Network,
    rules: GateRule,
    pattern: &Pattern,
    stop: &CancelToken,
) -> Result<Option<BackwardReach>, Interruption> {
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
    for branch in network.branches() {
        before[network.end(branch).unwrap_or(branch.0)].push(branch);
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
        for &branch in &before[node] {
            if traces.visited[branch.0] {
                blocking.push(branch);
            } else if !std::mem::replace(&mut is_known[branch.0], true) {
                unreached.push(branch.0);
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

/// Records, for each visit of a fork in `blocking`, the node at which the trip last depended on its
/// lever or moved it.
fn record_lever_uses(
    network: &Network,
    trip: &Trip,
    blocking: &[Branch],
    lever_uses: &mut BTreeMap<NodeId, BTreeSet<NodeId>>,
) {
    let mut last: Vec<Option<NodeId>> = vec![None; network.colors.len()];
    for &node in &trip.nodes {
        match &network.nodes[node].kind {
            Kind::Fork { color, .. } => {
                if let (true, Some(last)) = (blocking.iter().any(|branch| branch.0 == node), last[*color]) {
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
    /// Checks that `blocking` has all branches into `unreached`. The check is independent of the
    /// search.
    pub fn check(&self, network: &Network) -> Result<(), String> {
        let is_unreached = |node: &NodeId| self.unreached.contains(node);
        if network.starts.iter().any(is_unreached) {
            return Err("a start is listed as unreached".to_owned());
        }
        let leads_to_unreached = |branch: &Branch| network.end(*branch).is_some_and(|end| is_unreached(&end));
        let is_missing = |branch: &&Branch| {
            leads_to_unreached(branch) && !is_unreached(&branch.0) && !self.blocking.contains(branch)
        };
        match network.branches().iter().find(is_missing) {
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
            return vec![Part::new(PartKind::Fact, "target", words)];
        };
        let target = fact("target", std::slice::from_ref(&network.nodes[target].name.term));
        let (target_names, other_names) = (names(&mut targets.iter().copied()), names(&mut between.iter().copied()));
        let words = match (self.blocking.is_empty(), between.is_empty()) {
            (true, true) => format!("nothing leads to {target_names}"),
            (true, false) => format!("only {other_names} lead to {target_names}, and no trip reaches them"),
            (false, true) => format!("the only ways into {target_names} are these"),
            (false, false) => {
                format!(
                    "{target_names} is reached through {other_names} only, which no trip reaches; the only ways into these nodes are"
                )
            }
        };
        let place = facts.place(&target);
        let mut parts = vec![Part::new(PartKind::Fact, target.text, words).at(place)];
        parts.extend(self.blocking.iter().map(|&way| self.part(network, facts, way)));
        parts
    }

    fn part(&self, network: &Network, facts: &Facts, branch: Branch) -> Part {
        let (name, next) = (|node: NodeId| &network.nodes[node].name, network.end(branch).unwrap_or(branch.0));
        let words = match &network.nodes[branch.0].kind {
            Kind::Fork { color, .. } => {
                let color = &network.colors[*color];
                let lever = format!("the lever of {} stands at {}", color.name, color.states[branch.1]);
                let (mut forks, mut gates) = (Vec::new(), Vec::new());
                for &node in self.lever_uses.get(&branch.0).into_iter().flatten() {
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
                format!(
                    "{} leads to {} if {lever}, but no trip arrives in this state{lever_uses}",
                    name(branch.0),
                    name(next)
                )
            }
            _ => format!("{} leads to {}, but trips are stuck at gates", name(branch.0), name(next)),
        };
        branch_part(network, facts, branch, words)
    }
}

/// Returns a branch as a part of an explanation, with the fact that states the branch.
fn branch_part(network: &Network, facts: &Facts, branch: Branch, words: String) -> Part {
    let term = |node: NodeId| network.nodes[node].name.term.clone();
    let next = network.end(branch).map(term);
    let states_branch = |fact: &&super::network::fact::Fact| {
        let label = match &network.nodes[branch.0].kind {
            Kind::Fork { color, .. } => Some(&network.colors[*color].states[branch.1].term),
            _ => None,
        };
        fact.name == "rel"
            && fact.terms.first() == Some(&term(branch.0))
            && label.is_none_or(|label| fact.terms.get(1) == Some(label))
            && fact.terms.get(2) == next.as_ref()
    };
    let fact = facts.facts.iter().find(states_branch);
    let text = fact.map_or_else(String::new, |fact| fact.text.clone());
    Part::new(PartKind::Fact, text, words).at(fact.and_then(|fact| facts.place(fact)))
}

/// A trip and, if it does not win, the changes that would make it win.
pub struct LostTrip {
    pub trip: Trip,
    /// The last fork at which another state of the lever would have made the trip win.
    pub fork: Option<DecisiveFork>,
    /// The winning trip whose configuration differs in the fewest levers and gates.
    pub nearest: Option<Trip>,
}

/// A fork at which another state of the lever would have made a trip win.
pub struct DecisiveFork {
    /// The index of the fork in the nodes of the trip.
    pub step: usize,
    pub color: usize,
    /// The state of the lever on the trip.
    pub state: usize,
    /// The state that would have made the trip win.
    pub winning: usize,
    /// The winning trip, beginning at this fork.
    pub trip: Trip,
}

/// Explains why no trip wins, or reports that a trip wins.
fn no_win(
    board: &RailBoard,
    rules: GateRule,
    stop: &CancelToken,
    question: &ExplainQuery,
) -> Result<Explanation, Failure> {
    let network = &board.network;
    let bold = |words: &str| format!("{}\n", question.style.paint(anstyle::Style::new().bold(), words));
    let picture = if question.picture == Some(PictureUse::Page) { Some(board.picture(stop)) } else { None };
    let explain = |verdict, cause: Option<&UnsolvableCause>, text| {
        reasons::verdict_explanation(&Rail, verdict, cause, text, picture)
    };
    let reach = match backward_reach(network, rules, &board.pattern, stop) {
        Ok(Some(reach)) => reach,
        Ok(None) => return Ok(explain(Verdict::Solved, None, bold("Some trip wins."))),
        Err(Interruption::Limit(reason)) => return Ok(explain(Verdict::GaveUp(reason), None, String::new())),
        Err(Interruption::Failed(failure)) => return Err(failure),
    };
    reach.check(network).map_err(|error| Diagnostic::error(Code::RejectedClaim, error))?;
    let cause = UnsolvableCause { parts: reach.parts(network, &board.facts), is_smallest: false };
    let mut text = bold("No trip wins (proven).") + &cause.lines();
    if !question.style.quiet {
        text += "asp-solve repair FILE --goal solution redirects the fewest arcs.\n";
    }
    Ok(explain(Verdict::Impossible, Some(&cause), text))
}

/// Explains the trips of a configuration.
fn about(board: &RailBoard, asked: &str, rules: GateRule, stop: &CancelToken) -> Result<Explanation, Failure> {
    let network = &board.network;
    let wrong = |error: String| Diagnostic::error(Code::Usage, format!("{asked}: expected a configuration; {error}"));
    let pattern = Pattern::parse(network, asked).map_err(wrong)?;
    let all = match analyse_losses(network, rules, &pattern, stop) {
        Ok(all) => all,
        Err(Interruption::Limit(reason)) => {
            let finding = NativeFinding::Other { json: json!({ "schema": 1 }), causes: Vec::new() };
            let verdict = Verdict::GaveUp(reason);
            return Ok(NativeReport { verdict, text: String::new(), finding, page: None }.into());
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
    let causes = all.iter().map(|lost| lost.parts(network, &board.facts)).collect();
    let finding = NativeFinding::Other { json, causes };
    Ok(NativeReport { verdict: Verdict::Solved, text, finding, page: reasons::page(&Rail, None) }.into())
}

/// Analyses the trips of the configurations that match `pattern`. The results for winning trips
/// have neither a fork nor a nearest trip.
pub fn analyse_losses(
    network: &Network,
    rules: GateRule,
    pattern: &Pattern,
    stop: &CancelToken,
) -> Result<Vec<LostTrip>, Interruption> {
    let mut all = Vec::new();
    for trip in trips(network, rules, pattern, MAX_NAMED, stop, |_| true)? {
        let (mut fork, mut nearest) = (None, None);
        if trip.outcome != Outcome::Win {
            fork = last_decisive_fork(network, &trip, stop)?;
            let mut best = usize::MAX;
            for_each_trip(network, rules, &Pattern::any(network), stop, &mut |leaf: &LazyTrip<'_>| {
                if leaf.outcome == Outcome::Win {
                    let other = (leaf.build)();
                    let distance = |(one, other): (&Option<usize>, &Option<usize>)| {
                        usize::from(one.is_some() && other.is_some() && one != other)
                    };
                    let levers: usize = trip.levers.iter().zip(&other.levers).map(distance).sum();
                    let distance = levers + trip.gates.iter().zip(&other.gates).map(distance).sum::<usize>();
                    if distance < best && other.nodes[0] == trip.nodes[0] {
                        // Keep the values of the losing trip where the winning trip has none.
                        let given = Pattern { levers: trip.levers.clone(), gates: trip.gates.clone() };
                        let levers =
                            other.levers.iter().zip(given.levers).map(|(other, given)| other.or(given)).collect();
                        let gates = other.gates.iter().zip(given.gates).map(|(other, given)| other.or(given)).collect();
                        (best, nearest) = (distance, Some(Trip { levers, gates, ..other }));
                    }
                }
                Ok(ControlFlow::Continue(()))
            })?;
        }
        all.push(LostTrip { trip, fork, nearest });
    }
    Ok(all)
}

/// Returns the first `max_trips` trips for which `passes` is true.
fn trips(
    network: &Network,
    rules: GateRule,
    pattern: &Pattern,
    max_trips: usize,
    stop: &CancelToken,
    passes: impl Fn(&LazyTrip<'_>) -> bool,
) -> Result<Vec<Trip>, Interruption> {
    let mut trips = Vec::new();
    for_each_trip(network, rules, pattern, stop, &mut |leaf: &LazyTrip<'_>| {
        trips.extend(passes(leaf).then(|| (leaf.build)()));
        Ok(if trips.len() == max_trips { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    })?;
    Ok(trips)
}

fn last_decisive_fork(
    network: &Network,
    trip: &Trip,
    stop: &CancelToken,
) -> Result<Option<DecisiveFork>, Interruption> {
    let levers_at = trip.levers_at(network);
    for (step, &node) in trip.nodes.iter().enumerate().rev() {
        let Kind::Fork { color, ways } = &network.nodes[node].kind else { continue };
        let (Some(state), true) = (levers_at[step][*color], network.is_true_fork(node)) else { continue };
        // Fixed levers may have been moved on the way to this fork.
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
                // The winning trip must replay.
                replay::check(&from_here, &won)
                    .map_err(|error| Failure::from(Diagnostic::error(Code::RejectedAnswer, error)))?;
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

    /// Formats the colours that the winning trip needs at gates that this trip does not cross.
    fn open_gates(&self, network: &Network, fork: &DecisiveFork) -> String {
        let needed = self.trip.gates.iter().zip(&fork.trip.gates).enumerate();
        let needed = needed.filter_map(|(gate, (current, needed))| {
            let color = needed.filter(|_| current.is_none())?;
            Some(format!(", with gate {} {},", network.gates[gate], network.colors[color].name))
        });
        needed.collect()
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
