//! `asp-solve repair`: finds the smallest change of a railway that removes its cycles or gives it a
//! solution.
//!
//! A repair is a set of redirected arcs. With `--keep-forks`, ways of a fork that led to different
//! nodes must still do so. Small networks are repaired by `asp/rail/repair.lp`: clingo proves that
//! fewer arcs do not suffice and, among the smallest repairs, chooses one that changes the fewest
//! wins.
//!
//! For larger networks, a search tree is used. Every cyclic trip has to change, so at least one of
//! the branches that it takes must be redirected. The tree whose children redirect the branches of
//! one cyclic trip to every new end therefore contains all repairs. (If there is no cycle but a
//! solution is missing, the branches are those that any trip takes. If ways of a fork that must
//! lead to different nodes lead to the same node, the branches are those of this fork.) A greedy
//! descent first finds some repair. Then the tree is searched by iterative deepening, within
//! `--patience`. If all smaller depths were searched completely, the repair is proven smallest.
//! Otherwise it is reported without this claim.

use std::ops::ControlFlow;

use asp::{AnswerAtoms, AtomError, Term};
use base::diagnostic::{Code, Diagnostic, Failure};
use base::ending::Verdict;
use base::stop::{CancelToken, StopReason};
use clap::{Args, ValueEnum};
use num_bigint::BigUint;
use picture::Picture;
use picture::graph::Emphasis;
use picture::graph::layout::Layout;
use puzzle::Format;
use puzzle::job::{Job, Rules};
use puzzle::{Console, Encoding, OptionDeclaration, Tool, ToolOutput, document_names, native};
use rustc_hash::FxHashSet;
use serde_json::json;

use super::measure::{self, Depth, Measure, TOO_MANY_TRIPS, TripLimits};
use super::{check_layout, require_builtin_rules, require_facts_only};
use crate::encodings::REPAIR;
use crate::engines::{Completion, EngineStats, simulation};
use crate::network::facts::Facts;
use crate::network::instance::instance_program;
use crate::network::plan::CIRCLE;
use crate::network::{Branch, Kind, Network, NodeId, instance, writing};
use crate::output::drawing;
use crate::trips::replay::check_failure;
use crate::trips::{GateRule, LazyTrip, Outcome, Pattern, Trip};

#[derive(Debug, Clone, Copy)]
pub struct Repair;

#[derive(Debug, Clone, Args)]
pub struct RepairOptions {
    /// The goal of the repair
    #[arg(long, value_enum, default_value_t, value_name = "GOAL")]
    goal: Goal,
    /// Keep apart the ways of a fork that led to different nodes
    #[arg(long)]
    keep_forks: bool,
    /// The engine [default: asp if the expanded graph is small, otherwise search]
    #[arg(long, value_enum, value_name = "NAME")]
    engine: Option<RepairEngine>,
    /// Networks that the search tries before it stops proving that fewer arcs are not enough
    #[arg(long, value_name = "N", default_value_t = 2_000_000)]
    patience: u64,
    /// How to place the nodes of the picture [default: map]
    #[arg(long, value_enum, value_name = "LAYOUT")]
    layout: Option<Layout>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum Goal {
    /// A solution and no cycle
    #[default]
    Both,
    /// No cycle
    NoCycle,
    /// A solution
    Solution,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum RepairEngine {
    Asp,
    Search,
}

/// Maximum number of states of the expanded graph for which clingo is the default engine.
const MAX_CLINGO_STATES: u32 = 6_000;
/// Maximum number of networks that the search tries to confirm clingo's claim that fewer arcs do
/// not suffice.
const PATIENCE_WITH_CLINGO: u64 = 200_000;
/// Maximum number of distinct trips of a network.
const MAX_TRIPS: u64 = 2_000_000;
/// Maximum number of redirects that are compared in a greedy step.
const MAX_TRIED: usize = 3_000;
/// Maximum number of redirects of a greedy descent.
const MAX_REDIRECTS: usize = 40;
/// Maximum number of greedy descents.
const ATTEMPTS: u64 = 20;

/// A branch and its new end.
type Redirect = (Branch, NodeId);

struct FoundRepair {
    redirects: Vec<Redirect>,
    /// True if it is proven that fewer redirects do not suffice.
    is_proven_smallest: bool,
}

impl Tool for Repair {
    fn name(&self) -> &'static str {
        "repair"
    }

    fn about(&self) -> &'static str {
        "Redirect the fewest arcs of a railway so that no trip is a cycle and one wins"
    }

    fn options(&self) -> OptionDeclaration {
        OptionDeclaration::of::<RepairOptions>()
    }

    fn formats(&self) -> &'static [Format] {
        &[Format::Text, Format::Json, Format::Svg]
    }

    fn encoding(&self) -> Option<&Encoding> {
        Some(&REPAIR)
    }

    fn run(&self, job: &Job, _console: &mut Console<'_>) -> Result<ToolOutput, Failure> {
        let options = &*job.tool_options::<RepairOptions>()?;
        check_layout(options.layout, job)?;
        require_facts_only("repair", job)?;
        let facts = instance::read(&job.sources.documents, &job.engine.settings, &job.stop)?;
        let network = Network::from_facts(&facts)?;
        check_constants(job)?;
        let gave_up = |reason: StopReason| Ok(without_repair(Verdict::GaveUp(reason), String::new(), job));
        let limits = TripLimits::trips(MAX_TRIPS);
        let before = match measure_network(&network, limits, &job.stop) {
            Ok(before) => before,
            Err(TOO_MANY_TRIPS) => {
                let text = format!("the network has more than {MAX_TRIPS} distinct trips");
                return Ok(ToolOutput {
                    warnings: vec![Diagnostic::warning(Code::OmittedAnswers, text)],
                    ..without_repair(Verdict::GaveUp(TOO_MANY_TRIPS), String::new(), job)
                });
            }
            Err(reason) => return gave_up(reason),
        };
        let states = network.lever_states() * network.colorings() * network.nodes.len();
        let fits_clingo = states <= MAX_CLINGO_STATES.into() || !job.rules.is_builtin();
        let engine = options.engine.unwrap_or(if fits_clingo { RepairEngine::Asp } else { RepairEngine::Search });
        if engine == RepairEngine::Search {
            require_builtin_rules("the engine search", job)?;
        }
        let mut search = RepairSearch {
            original: &network,
            options,
            wins: before.tally.configurations(Outcome::Win).max(1_u32.into()),
            stop: &job.stop,
            patience: if engine == RepairEngine::Asp { PATIENCE_WITH_CLINGO } else { options.patience },
            tried: 0,
            limits,
            limit: None,
        };
        let outcome = if job.rules.is_builtin() && options.goal.is_met_by(&before) {
            RepairOutcome::Found(FoundRepair { redirects: Vec::new(), is_proven_smallest: true })
        } else if engine == RepairEngine::Asp {
            let outcome = repair_with_clingo(&network, &facts, options, job, &job.stop)?;
            if job.rules.is_builtin() { search.confirm(outcome)? } else { outcome }
        } else {
            search.repair().map_or(RepairOutcome::GaveUp, RepairOutcome::Found)
        };
        let repaired = match outcome {
            RepairOutcome::Found(repaired) => repaired,
            RepairOutcome::Impossible => {
                let restriction = if options.keep_forks { " that keeps the ways of each fork apart" } else { "" };
                let proven = job.rules.proven();
                let words =
                    format!("% No repair is possible: no set of redirects{restriction} reaches the goal, {proven}.\n");
                return Ok(without_repair(Verdict::Impossible, words, job));
            }
            RepairOutcome::GaveUp => {
                return gave_up(job.stop.requested().or(search.limit).unwrap_or(StopReason::Unproven));
            }
        };
        let repaired_network = with_redirects(&network, &repaired.redirects);
        // Verify the repair, whichever engine found it.
        let after = match measure_network(&repaired_network, limits, &job.stop) {
            Ok(after) => after,
            Err(reason) => return gave_up(reason),
        };
        if job.rules.is_builtin() && !options.goal.is_met_by(&after) {
            let text = "the repaired network does not reach the goal".to_owned();
            return Err(native::wrong_answer(&job.sources.encodings, &text).into());
        }
        let found = [&before, &after];
        let program = writing::program(
            &repaired_network,
            &comments(&network, &repaired, &facts, options.keep_forks, &job.rules, found),
        );
        let output = match job.output.format {
            Format::Json => as_json(&network, &repaired, options.keep_forks, &program, found, job),
            Format::Svg => picture(&repaired_network, &repaired, options.layout.unwrap_or_default(), &job.stop).svg(),
            _ => program,
        };
        Ok(ToolOutput { output, verdict: Verdict::Solved, warnings: Vec::new(), certificate: None })
    }
}

impl Goal {
    fn is_met_by(self, found: &Measure) -> bool {
        (self == Goal::Solution || found.tally.trips(Outcome::Cycle) == 0) && (self == Goal::NoCycle || found.has_win())
    }
}

fn measure_network(network: &Network, limits: TripLimits, stop: &CancelToken) -> Result<Measure, StopReason> {
    measure::measure(network, Depth::default(), limits, stop, &mut |_| false)
}

fn with_redirects(network: &Network, redirects: &[Redirect]) -> Network {
    let mut repaired = network.clone();
    for &(branch, end) in redirects {
        repaired.redirect(branch, end);
    }
    repaired
}

/// Rejects constants that options set.
fn check_constants(job: &Job) -> Result<(), Failure> {
    const RESERVED: [&str; 3] = ["no_cycles", "some_win", "keep_forks"];
    if let Some((name, _)) = &job.engine.settings.constants.iter().find(|(name, _)| RESERVED.contains(&name.as_str())) {
        let text = format!("-c {name}: use --goal and --keep-forks to choose what a repair must reach");
        return Err(Diagnostic::error(Code::Usage, text).into());
    }
    Ok(())
}

/// Returns the output of a run that found no repair. In JSON it is an object, otherwise `words`.
fn without_repair(verdict: Verdict, words: String, job: &Job) -> ToolOutput {
    let name = if verdict == Verdict::Impossible { "impossible" } else { "gave-up" };
    let output = match job.output.format {
        Format::Json => {
            let (instance, rules) = (document_names(&job.sources.documents), &job.rules.name());
            let object = json!({"schema": 1, "puzzle": "rail", "instance": instance, "rules": rules, "verdict": name});
            format!("{object:#}\n")
        }
        _ => words,
    };
    ToolOutput { output, verdict, warnings: Vec::new(), certificate: None }
}

enum RepairOutcome {
    Found(FoundRepair),
    Impossible,
    GaveUp,
}

fn repair_with_clingo(
    network: &Network,
    facts: &Facts,
    options: &RepairOptions,
    job: &Job,
    stop: &CancelToken,
) -> Result<RepairOutcome, Failure> {
    let mut program = instance_program(facts, &job.sources.documents);
    program.encoding = job.sources.encodings.clone();
    // With several threads, the choice among equally good repairs would be nondeterministic.
    let mut settings = asp::Settings { threads: Some(1), ..job.engine.settings.clone() };
    let mut set = |name: &str, value: &str| settings.constants.push((name.to_owned(), value.to_owned()));
    match options.goal {
        Goal::Both => {}
        Goal::NoCycle => set("some_win", "0"),
        Goal::Solution => set("no_cycles", "0"),
    }
    if options.keep_forks {
        set("keep_forks", "1");
    }
    let mut solver = asp::Solver::with_program(&program, &settings, stop)?;
    // The program minimises, so the last answer is the best one.
    let mut best: Option<Result<Vec<Redirect>, AtomError>> = None;
    let solved = solver.solve(&[], |model| {
        let atoms = model.shown(asp::Order::AsFound).map_err(|error| AtomError(error.text));
        best = Some(atoms.and_then(|atoms| parse_redirects(network, &AnswerAtoms::new(atoms))));
        ControlFlow::Continue(())
    })?;
    let is_proven = solved.result.exhausted;
    match best {
        Some(Ok(redirects)) => Ok(RepairOutcome::Found(FoundRepair { redirects, is_proven_smallest: is_proven })),
        Some(Err(AtomError(text))) => Err(native::wrong_answer(&job.sources.encodings, &text).into()),
        None if is_proven => Ok(RepairOutcome::Impossible),
        None => Ok(RepairOutcome::GaveUp),
    }
}

fn parse_redirects(network: &Network, atoms: &AnswerAtoms) -> Result<Vec<Redirect>, AtomError> {
    let node = |name: &Term| {
        let found = network.nodes.iter().position(|node| node.name.term == *name);
        found.ok_or_else(|| AtomError(format!("an answer redirects {}, which the network does not have", name)))
    };
    let rows = atoms.rows::<3>("redirect", "redirect(Node, Label, End), a way that leads elsewhere")?;
    let mut redirects = Vec::new();
    for [from, label, to] in rows {
        let (from, to) = (node(&from)?, node(&to)?);
        let state = match &network.nodes[from].kind {
            Kind::Fork { color, .. } => network.colors[*color].states.iter().position(|state| state.term == label),
            Kind::Gate { .. } => Some(0),
            _ => None,
        };
        let state = state.ok_or_else(|| {
            AtomError(format!(
                "an answer redirects {} at {}, which is not one of its ways",
                network.nodes[from].name, label
            ))
        })?;
        redirects.push(((from, state), to));
    }
    redirects.sort_unstable();
    Ok(redirects)
}

/// The search for a repair with few redirects.
struct RepairSearch<'a> {
    original: &'a Network,
    options: &'a RepairOptions,
    /// Number of winning configurations before the repair, which a repair should change little.
    wins: BigUint,
    stop: &'a CancelToken,
    /// Maximum number of networks to try.
    patience: u64,
    /// The number of networks tried so far.
    tried: u64,
    limits: TripLimits,
    /// The last limit that a tried network reached.
    limit: Option<StopReason>,
}

/// The number of tries as which a network that reaches a limit counts.
const TRIES_PER_LIMIT: u64 = 20_000;

/// The distance of a network from the goal: the number of violations, then the difference in the
/// number of wins.
type Distance = (u64, BigUint);

impl RepairSearch<'_> {
    /// Returns true if the search proves that no repair has fewer than `found` redirects, or, if
    /// `found` is `None`, that there is no repair. Returns false if a limit prevents the proof.
    /// Fails if the search finds a repair.
    fn confirms_minimum(&mut self, found: Option<usize>) -> Result<bool, Failure> {
        let max_depth = found.map_or(self.original.branches().len(), |number| number - 1);
        for depth in 1..=max_depth {
            let mut best = None;
            let is_complete = self.search_depth(depth, &mut best);
            if best.is_some() {
                return Err(check_failure(format!("a repair of {depth} arcs suffices")));
            }
            if !is_complete {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn repair(&mut self) -> Option<FoundRepair> {
        let mut found: Option<(Vec<Redirect>, BigUint)> = None;
        for attempt in 0..ATTEMPTS {
            let mut random = fastrand::Rng::with_seed(attempt + 1);
            if let Some((redirects, difference)) = self.greedy_descent(&mut random) {
                let is_better =
                    found.as_ref().is_none_or(|(best, least)| (redirects.len(), &difference) < (best.len(), least));
                if is_better {
                    found = Some((redirects, difference));
                }
            }
            if self.stop.requested().is_some() || self.tried > self.patience / 2 {
                break;
            }
        }
        // Search by iterative deepening for fewer redirects. Without a greedy repair, only small
        // depths are searched.
        let max_depth = found.as_ref().map_or(3, |(best, _)| best.len());
        let mut is_proven_smallest = found.is_some();
        for depth in 1..=max_depth {
            let mut best: Option<(Vec<Redirect>, BigUint)> = None;
            let is_complete = self.search_depth(depth, &mut best);
            if let Some(best) = best
                && found
                    .as_ref()
                    .is_none_or(|(redirects, difference)| (best.0.len(), &best.1) < (redirects.len(), difference))
            {
                found = Some(best);
            }
            let is_found = found.as_ref().is_some_and(|(redirects, _)| redirects.len() == depth);
            if is_found || !is_complete {
                // All smaller depths were searched completely.
                is_proven_smallest = is_found;
                break;
            }
        }
        let (mut redirects, _) = found?;
        redirects.sort_unstable();
        Some(FoundRepair { redirects, is_proven_smallest })
    }

    /// Applies the best redirect until the goal is met, then removes unnecessary redirects.
    fn greedy_descent(&mut self, random: &mut fastrand::Rng) -> Option<(Vec<Redirect>, BigUint)> {
        let network = self.original;
        let mut current = network.clone();
        let mut redirects: Vec<Redirect> = Vec::new();
        while redirects.len() < MAX_REDIRECTS {
            let found = self.try_measure(&current)?;
            if self.meets_goal(&current, &found) {
                break;
            }
            let mut candidates = self.candidate_redirects(&current, &redirects)?;
            random.shuffle(&mut candidates);
            candidates.truncate(MAX_TRIED);
            let mut best: Option<(Distance, Redirect)> = None;
            for (branch, end) in candidates {
                let before = current.end(branch)?;
                current.redirect(branch, end);
                let distance = self.distance(&current);
                current.redirect(branch, before);
                if let Some(distance) = distance
                    && best.as_ref().is_none_or(|(least, _)| distance < *least)
                {
                    best = Some((distance, (branch, end)));
                }
                if self.stop.requested().is_some() {
                    return None;
                }
            }
            let (_, (branch, end)) = best?;
            current.redirect(branch, end);
            redirects.push((branch, end));
        }
        let mut index = 0;
        while index < redirects.len() {
            let mut fewer = redirects.clone();
            fewer.remove(index);
            let repaired_network = with_redirects(network, &fewer);
            let found = self.try_measure(&repaired_network)?;
            if self.meets_goal(&repaired_network, &found) { redirects = fewer } else { index += 1 }
        }
        let repaired_network = with_redirects(network, &redirects);
        let found = self.try_measure(&repaired_network)?;
        let difference = self.win_difference(&found);
        self.meets_goal(&repaired_network, &found).then_some((redirects, difference))
    }

    /// Returns the difference in the number of wins to the original network.
    fn win_difference(&self, found: &Measure) -> BigUint {
        let wins = found.tally.configurations(Outcome::Win);
        if wins > self.wins { wins - &self.wins } else { &self.wins - wins }
    }

    fn meets_goal(&self, network: &Network, found: &Measure) -> bool {
        self.options.goal.is_met_by(found) && self.merged_forks(network).is_empty()
    }

    /// Returns the forks with two ways that lead to the same node, but led to different nodes in
    /// the original network. Returns none without `--keep-forks`.
    fn merged_forks(&self, network: &Network) -> Vec<NodeId> {
        let merges = |node: &NodeId| match (&network.nodes[*node].kind, &self.original.nodes[*node].kind) {
            (Kind::Fork { ways: now, .. }, Kind::Fork { ways: before, .. }) => (1..now.len())
                .any(|state| (0..state).any(|other| now[state] == now[other] && before[state] != before[other])),
            _ => false,
        };
        (0..network.nodes.len()).filter(|node| self.options.keep_forks && merges(node)).collect()
    }

    fn distance(&mut self, network: &Network) -> Option<Distance> {
        self.tried += 1;
        let found = self.try_measure(network)?;
        let cycles = if self.options.goal == Goal::Solution { 0 } else { found.tally.trips(Outcome::Cycle) };
        let lacks_win = self.options.goal != Goal::NoCycle && !found.has_win();
        let merged = self.merged_forks(network).len() as u64;
        Some((cycles + u64::from(lacks_win) + merged, self.win_difference(&found)))
    }

    /// Searches all repairs with `depth` redirects. Returns false if the search was not exhaustive.
    fn search_depth(&mut self, depth: usize, best: &mut Option<(Vec<Redirect>, BigUint)>) -> bool {
        self.search_subtree(&mut self.original.clone(), depth, &mut Vec::new(), &mut FxHashSet::default(), best)
    }

    /// Searches the repairs with `depth` more redirects that are not in `excluded`.
    ///
    /// As in hitting-set trees (Reiter 1987), the redirects of siblings that have been searched are
    /// excluded, since every repair with one of them is in the subtree of that sibling. The search
    /// thus visits each set of redirects once, and not once for each permutation.
    fn search_subtree(
        &mut self,
        network: &mut Network,
        depth: usize,
        taken: &mut Vec<Redirect>,
        excluded: &mut FxHashSet<Redirect>,
        best: &mut Option<(Vec<Redirect>, BigUint)>,
    ) -> bool {
        let Some(mut candidates) = self.candidate_redirects(network, taken) else { return false };
        candidates.retain(|redirect| !excluded.contains(redirect));
        let mut is_complete = true;
        for &(branch, end) in &candidates {
            if self.tried > self.patience || self.stop.requested().is_some() {
                is_complete = false;
                break;
            }
            let before = network.end(branch).expect("branches are ways");
            network.redirect(branch, end);
            taken.push((branch, end));
            is_complete &= match depth {
                1 => self.consider(network, taken, best),
                _ => self.search_subtree(network, depth - 1, taken, excluded, best),
            };
            taken.pop();
            network.redirect(branch, before);
            // Leaves have no subtree to prune.
            if depth > 1 {
                excluded.insert((branch, end));
            }
        }
        if depth > 1 {
            for redirect in &candidates {
                excluded.remove(redirect);
            }
        }
        is_complete
    }

    /// Records a network if it is the best repair so far. Returns false if a limit prevents the
    /// decision.
    fn consider(&mut self, network: &Network, taken: &[Redirect], best: &mut Option<(Vec<Redirect>, BigUint)>) -> bool {
        self.tried += 1;
        match self.is_repaired(network) {
            Some(true) => {
                let Some(found) = self.try_measure(network) else { return false };
                let difference = self.win_difference(&found);
                if best.as_ref().is_none_or(|(_, least)| difference < *least) {
                    *best = Some((taken.to_vec(), difference));
                }
                true
            }
            is_repaired => is_repaired.is_some(),
        }
    }

    /// Confirms what clingo claims by the built-in rules, with a search of its own.
    fn confirm(&mut self, outcome: RepairOutcome) -> Result<RepairOutcome, Failure> {
        match outcome {
            RepairOutcome::Found(repaired) if repaired.is_proven_smallest => {
                let is_proven_smallest = self.confirms_minimum(Some(repaired.redirects.len()))?;
                Ok(RepairOutcome::Found(FoundRepair { is_proven_smallest, ..repaired }))
            }
            RepairOutcome::Impossible if !self.confirms_minimum(None)? => Ok(RepairOutcome::GaveUp),
            outcome => Ok(outcome),
        }
    }

    /// Measures a network. Returns `None` if it reaches a limit, which does not end the search.
    fn try_measure(&mut self, network: &Network) -> Option<Measure> {
        measure_network(network, self.limits, self.stop).map_err(|reason| self.record_limit(reason)).ok()
    }

    fn simulate(
        &self,
        network: &Network,
        found: &mut dyn FnMut(&LazyTrip<'_>) -> Result<ControlFlow<()>, Failure>,
    ) -> Result<(EngineStats, Completion), Failure> {
        let (any, memory) = (Pattern::any(network), self.limits.memory);
        simulation::simulate_with_limit(network, GateRule::DynamicGate, &any, memory, self.stop, found)
    }

    fn record_limit(&mut self, reason: StopReason) {
        self.limit = Some(reason);
        self.tried += TRIES_PER_LIMIT;
    }

    /// Returns true if the network meets the goal. Stops at the first cycle. Returns `None` if the
    /// network reaches a limit.
    fn is_repaired(&mut self, network: &Network) -> Option<bool> {
        if !self.merged_forks(network).is_empty() {
            return Some(false);
        }
        let goal = self.options.goal;
        let (mut has_win, mut has_cycle, mut trips) = (false, false, 0);
        let result = self.simulate(network, &mut |trip| {
            trips += 1;
            has_win |= trip.outcome == Outcome::Win;
            has_cycle |= trip.outcome == Outcome::Cycle && goal != Goal::Solution;
            let is_enough = has_cycle || trips > MAX_TRIPS || has_win && goal == Goal::Solution;
            Ok(if is_enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        });
        let (_, end) = result.ok()?;
        match end {
            _ if has_cycle => Some(false),
            _ if has_win && goal == Goal::Solution => Some(true),
            Completion::Complete => Some(has_win || goal == Goal::NoCycle),
            Completion::Enough => {
                self.record_limit(TOO_MANY_TRIPS);
                None
            }
            Completion::Limit(reason) => {
                self.record_limit(reason);
                None
            }
        }
    }

    /// Returns redirects of which every repair contains at least one: those of the candidate
    /// branches to every new end.
    fn candidate_redirects(&mut self, network: &Network, taken: &[Redirect]) -> Option<Vec<Redirect>> {
        let candidates = self.candidate_branches(network)?;
        let mut redirects = Vec::new();
        let mut visited = Vec::new();
        for branch in candidates {
            // A branch is redirected only once. Its other ends belong to sibling subtrees.
            if visited.contains(&branch) || taken.iter().any(|(other, _)| *other == branch) {
                continue;
            }
            visited.push(branch);
            // A gate without a way out has no arc to redirect.
            let Some(old) = network.end(branch) else { continue };
            let ends = (0..network.nodes.len()).filter(|&end| end != branch.0 && end != old);
            redirects.extend(ends.map(|end| (branch, end)));
        }
        Some(redirects)
    }

    /// Returns branches of which every repair redirects at least one: the branches of merged forks
    /// if there are any, otherwise those of a cyclic trip, otherwise all that any trip takes.
    fn candidate_branches(&mut self, network: &Network) -> Option<Vec<Branch>> {
        let merged = self.merged_forks(network);
        if !merged.is_empty() {
            return Some(network.branches().into_iter().filter(|branch| merged.contains(&branch.0)).collect());
        }
        if self.options.goal != Goal::Solution
            && let Some(trip) = self.find_cycle(network)?
        {
            return Some(trip.branches_taken(network));
        }
        let found = self.try_measure(network)?;
        Some(network.branches().into_iter().filter(|&branch| found.is_taken(branch)).collect())
    }

    /// Finds a cyclic trip. The outer option is `None` if a limit prevents the search.
    fn find_cycle(&mut self, network: &Network) -> Option<Option<Trip>> {
        let mut sample_cycle = None;
        let result = self.simulate(network, &mut |trip| {
            if trip.outcome == Outcome::Cycle {
                sample_cycle = Some((trip.build)());
                return Ok(ControlFlow::Break(()));
            }
            Ok(ControlFlow::Continue(()))
        });
        if let Some(reason) = result.ok()?.1.reason() {
            self.record_limit(reason);
            return None;
        }
        Some(sample_cycle)
    }
}

fn branch_label((node, state): Branch, network: &Network) -> String {
    match &network.nodes[node].kind {
        Kind::Fork { color, .. } => format!("{} at {}", network.nodes[node].name, network.colors[*color].states[state]),
        _ => network.nodes[node].name.to_string(),
    }
}

/// Returns the description of the repair as comment lines.
fn comments(
    network: &Network,
    repaired: &FoundRepair,
    facts: &Facts,
    keep_forks: bool,
    rules: &Rules,
    [before, after]: [&Measure; 2],
) -> Vec<String> {
    let name = |node: NodeId| network.nodes[node].name.as_str();
    let number = repaired.redirects.len() as u64;
    let arcs = native::count(number, "arc", "arcs");
    let kept = if keep_forks { ", and two ways of a fork that led to different nodes still do" } else { "" };
    let mut lines = vec![match (number, repaired.is_proven_smallest) {
        (0, _) => "Nothing to repair.".to_owned(),
        (_, true) => format!("Repaired: {arcs} redirected{kept}; fewer do not suffice, {}.", rules.proven()),
        (_, false) => {
            format!("Repaired: {arcs} redirected{kept}. Whether fewer suffice is not proven.")
        }
    }];
    for &(way, end) in &repaired.redirects {
        let old = network.end(way).map_or("nowhere", name);
        lines.push(format!("  {}: from {old} to {}", branch_label(way, network), name(end)));
    }
    let is_circle = |&((node, _), _): &Redirect| network.nodes[node].name.as_str() == CIRCLE;
    if let (Some(plan), true) = (&facts.plan, repaired.redirects.iter().any(is_circle)) {
        let things: Vec<String> = plan.circle().iter().map(Term::text).collect();
        lines.push(format!("  ({CIRCLE}: a train goes round over {} for ever and meets nothing)", things.join(", ")));
    }
    let describe = |found: &Measure| {
        let of = |outcome: Outcome| found.tally.configurations(outcome);
        let (wins, losses, cycles) = (of(Outcome::Win), of(Outcome::Loss) + of(Outcome::Stuck), of(Outcome::Cycle));
        [(wins, "win", "wins"), (losses, "loss", "losses"), (cycles, "cycle", "cycles")]
            .map(|(number, one, many)| native::count(number, one, many))
            .join(", ")
    };
    lines.push(format!(
        "Before: {}. Now: {}, of {}.",
        describe(before),
        describe(after),
        native::count(after.tally.total(), "configuration", "configurations")
    ));
    lines
}

fn as_json(
    network: &Network,
    repaired: &FoundRepair,
    keep_forks: bool,
    program: &str,
    found: [&Measure; 2],
    job: &Job,
) -> String {
    let name = |node: NodeId| network.nodes[node].name.as_str();
    let redirect = |&((node, state), end): &Redirect| {
        let label = match &network.nodes[node].kind {
            Kind::Fork { color, .. } => json!(*network.colors[*color].states[state]),
            _ => json!(null),
        };
        json!({"node": name(node), "label": label, "from": network.end((node, state)).map(name), "to": name(end)})
    };
    let counts = |found: &Measure| Outcome::json(|outcome| json!(found.tally.configurations(outcome).to_string()));
    let object = json!({
        "schema": 1, "puzzle": "rail", "instance": document_names(&job.sources.documents), "verdict": "solved",
        "redirected": repaired.redirects.iter().map(redirect).collect::<Vec<_>>(),
        "rules": &job.rules.name(), "least": repaired.is_proven_smallest, "keep_forks": keep_forks,
        "before": counts(found[0]), "after": counts(found[1]),
        "program": program,
    });
    format!("{object:#}\n")
}

/// Draws the repaired network with the redirected arcs emphasised.
fn picture(repaired_network: &Network, repaired: &FoundRepair, layout: Layout, stop: &CancelToken) -> Picture {
    let mut graph = drawing::graph(repaired_network);
    let mut laid = drawing::lay_out(repaired_network, layout, stop);
    for &((node, state), _) in &repaired.redirects {
        if let Some(arc) = graph.arcs.iter_mut().filter(|arc| arc.from == node).nth(state) {
            arc.emphasis = Emphasis::Strong;
        }
    }
    let mut sprites = laid.draw(&graph);
    sprites.extend(drawing::entry_arrows(&repaired_network.starts, &laid.at));
    let caption = native::count(repaired.redirects.len() as u64, "arc redirected", "arcs redirected");
    Picture { title: caption.clone(), sprites, captions: vec![caption] }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::design::{Design, NetworkSize};
    use super::*;
    use crate::engines::{LONG_TRIP, MemoryLimit};

    fn options(goal: Goal) -> RepairOptions {
        RepairOptions { goal, keep_forks: false, engine: None, patience: u64::MAX, layout: None }
    }

    fn repair_search<'a>(
        original: &'a Network,
        options: &'a RepairOptions,
        limits: TripLimits,
        stop: &'a CancelToken,
    ) -> RepairSearch<'a> {
        let wins = 1_u32.into();
        RepairSearch { original, options, wins, stop, patience: u64::MAX, tried: 0, limits, limit: None }
    }

    fn random_network(forks: usize, gates: usize, random: &mut fastrand::Rng) -> Network {
        let size = NetworkSize { forks, gates, colors: 2, ways: (2, 2), planar: false, plan: false };
        Design::random(&size, random, &CancelToken::new()).expect("a network without a plan").network
    }

    /// Creates a network with several starts whose arcs mostly lead from fork to fork, so that one
    /// redirect does not repair it.
    fn cyclic_network(random: &mut fastrand::Rng) -> Network {
        let mut network = random_network(random.usize(3..=4), 0, random);
        let is_fork = |node: &NodeId| matches!(network.nodes[*node].kind, Kind::Fork { .. });
        let forks: Vec<NodeId> = (0..network.nodes.len()).filter(is_fork).collect();
        for way in network.branches() {
            let ends: Vec<NodeId> = forks.iter().copied().filter(|&end| end != way.0).collect();
            if let Some(&end) = random.choice(&ends).filter(|_| random.u8(..10) < 8) {
                network.redirect(way, end);
            }
        }
        network.starts = forks[..2].to_vec();
        network
    }

    /// Searches like `search_subtree`, but without excluding siblings, so that each set of
    /// redirects is visited in several orders.
    fn search_all_orders(
        search: &mut RepairSearch<'_>,
        network: &Network,
        depth: usize,
        taken: &mut Vec<Redirect>,
        visited: &mut BTreeSet<Vec<Redirect>>,
        best: &mut Option<(Vec<Redirect>, BigUint)>,
    ) {
        for (way, end) in search.candidate_redirects(network, taken).expect("no limit") {
            let next = with_redirects(network, &[(way, end)]);
            taken.push((way, end));
            if depth > 1 {
                search_all_orders(search, &next, depth - 1, taken, visited, best);
            } else {
                let mut set = taken.clone();
                set.sort_unstable();
                visited.insert(set);
                assert!(search.consider(&next, taken, best));
            }
            taken.pop();
        }
    }

    #[test]
    fn excluding_siblings_keeps_the_smallest_repairs() {
        let mut random = fastrand::Rng::with_seed(5);
        let (stop, limits) = (CancelToken::new(), TripLimits::trips(MAX_TRIPS));
        let (mut orders, mut tried, mut repairs) = (0, 0, 0);
        for round in 0..24 {
            let network = cyclic_network(&mut random);
            let options = options([Goal::Both, Goal::NoCycle, Goal::Solution][round % 3]);
            for depth in 1..=3 {
                let (mut best, mut visited) = (None, BTreeSet::new());
                let mut all = repair_search(&network, &options, limits, &stop);
                search_all_orders(&mut all, &network, depth, &mut Vec::new(), &mut visited, &mut best);
                let mut once = repair_search(&network, &options, limits, &stop);
                let mut found = None;
                assert!(once.search_depth(depth, &mut found));
                assert_eq!(found, best, "round {round}, {depth} arcs");
                assert!(once.tried <= visited.len() as u64, "round {round}, {depth} arcs");
                (orders, tried) = (orders + all.tried, tried + once.tried);
                if best.is_some() {
                    repairs += 1;
                    break;
                }
            }
        }
        assert!(repairs > 0 && tried < orders, "{repairs} {orders} {tried}");
    }

    #[test]
    fn the_search_skips_networks_over_a_limit() {
        let mut random = fastrand::Rng::with_seed(8);
        let stop = CancelToken::new();
        let goal = options(Goal::NoCycle);
        // The memory limit is checked every 4096 steps over all trips. With a limit of 0 bytes, the
        // check fails if a trip is in progress.
        let memory = MemoryLimit { bytes: 0, reason: LONG_TRIP };
        let is_skipped = |_: usize| {
            let size = NetworkSize { forks: 14, gates: 3, colors: 3, ways: (2, 3), planar: false, plan: false };
            let network = Design::random(&size, &mut random, &stop).expect("a network without a plan").network;
            let mut every = |_: &LazyTrip<'_>| Ok(ControlFlow::Continue(()));
            let any = Pattern::any(&network);
            let result = simulation::simulate(&network, GateRule::DynamicGate, &any, &stop, &mut every);
            if result.is_ok_and(|(work, _)| !(2500..4096).contains(&work.steps)) {
                return false;
            }
            let mut search =
                repair_search(&network, &goal, TripLimits { memory, ..TripLimits::trips(MAX_TRIPS) }, &stop);
            search.patience = 100_000;
            let is_repaired = search.repair().is_some();
            assert_eq!(stop.requested(), None);
            is_repaired && search.limit == Some(LONG_TRIP)
        };
        assert!((0..2000).any(is_skipped), "no network on the way to a repair is over the limit");
    }
}
