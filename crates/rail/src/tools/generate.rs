//! `asp-solve generate rail`: generates a network and proves that it has the requested properties.
//!
//! A random network is rarely a good puzzle: among networks of Deponia's size, about one in
//! thousands has a solution, not too many solutions, and no cycle. Simulated annealing at a
//! constant temperature T improves a network. The objective is a weighted sum of violations (cyclic
//! trips, too many or too few wins, nodes that no trip visits, …). A change exchanges the ends of
//! two arcs, which are usually arcs of a trip that causes a violation, and sometimes arbitrary
//! ones. A change is accepted if the sum rises by at most −T·ln U, with U uniform in (0, 1]. After
//! a number of changes, the search restarts from another random network.
//!
//! The result is verified from its text, like any input: the simulation and the encoding must find
//! the same trips, and each trip is replayed.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::str::FromStr;

use base::diagnostic::{Code, Diagnostic, Failure};
use base::document::Document;
use base::stop::{CancelToken, StopReason};
use clap::Args;
use num_bigint::BigUint;
use puzzle::generated::Generated;
use puzzle::job::{Job, Rules};
use puzzle::values::{Range, range};
use puzzle::{Console, Encoding, OptionDeclaration, Tool, ToolInput, ToolOutput, native};

use super::design::{self, Design, DesignChange, NetworkSize};
use super::measure::{self, Depth, Difficulty, Measure, TripLimits};
use crate::encodings::DYNAMIC_GATE;
use crate::engines::{clingo, fits_clingo, simulation};
use crate::network::instance::instance_program;
use crate::network::plan::Plan;
use crate::network::{Branch, Kind, Network, Node, NodeId, instance, lines, writing};
use crate::trips::{GateRule, LazyTrip, Outcome, Pattern, Trip, replay};

#[derive(Debug, Clone, Copy)]
pub struct GenerateNetwork;

#[derive(Debug, Clone, Args)]
pub struct NetworkGeneratorOptions {
    /// Number of forks
    #[arg(long, value_name = "N", default_value_t = 22)]
    forks: usize,
    /// Number of gates, each with two sides
    #[arg(long, value_name = "N", default_value_t = 2)]
    gates: usize,
    /// Number of colours
    #[arg(long, value_name = "N", default_value_t = 3)]
    colors: usize,
    /// States of each lever, which is also the number of ways at its forks: 2, 3, or 2..3 for a mix
    #[arg(long, value_name = "N", default_value = "2", value_parser = range::<usize>)]
    ways: Range<usize>,
    /// Number of configurations that win [default: 1 to a sixteenth of all]
    #[arg(long, value_name = "MIN..MAX", value_parser = range::<BigUint>)]
    wins: Option<Range<BigUint>>,
    /// Number of winning trips that differ in the nodes they visit
    #[arg(long, value_name = "MIN..MAX", value_parser = range::<u32>)]
    winning_paths: Option<Range<u32>>,
    /// Minimum number of nodes that every win visits
    #[arg(long, value_name = "N", default_value_t = 0)]
    min_steps: usize,
    /// Minimum number of gates that every win crosses
    #[arg(long, value_name = "K", default_value_t = 0)]
    through_gates: usize,
    /// Each gate decides on some winning trip: with another colour the trip is lost
    #[arg(long)]
    gates_matter: bool,
    /// Allow forks with two ways to the same node
    #[arg(long)]
    false_forks: bool,
    /// Allow forks and sides of gates that no trip visits
    #[arg(long)]
    unreachable: bool,
    /// Require that every fork and every side of a gate lies on some trip [default up to 1,000
    /// forks]
    #[arg(long, conflicts_with = "unreachable")]
    all_reachable: bool,
    // The default; kept for compatibility.
    #[arg(long, hide = true, conflicts_with = "false_forks")]
    no_false_forks: bool,
    /// A track without crossings: nodes have positions, and there are several losses
    #[arg(long)]
    planar: bool,
    /// A plan of tracks instead, in which trains also enter forks from behind and no tracks cross
    #[arg(long)]
    plan: bool,
    /// In bits, as `asp-solve rate` reports it
    #[arg(long, value_name = "MIN..MAX", value_parser = range::<Bits>)]
    difficulty: Option<Range<Bits>>,
}

/// A nonnegative, finite number of bits.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
struct Bits(f64);

impl FromStr for Bits {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        text.parse().ok().filter(|bits: &f64| bits.is_finite() && *bits >= 0.0).map(Bits).ok_or(())
    }
}

// Larger values are rejected.
const MAX_FORKS: usize = 100_000;
const MAX_COLORS: usize = 60;
const MAX_GATES: usize = 60;
const MAX_WAYS: usize = 9;
const MAX_PLAN_FORKS: usize = 1_000;
/// Maximum number of branches of a fork in a plan, whose tracks are drawn on a grid.
const MAX_PLAN_BRANCHES: usize = 3;

/// Number of changes for each arc before the search restarts.
const CHANGES_PER_ARC: usize = 150;
/// Number of random networks from which the search starts before it gives up.
const MAX_STARTS: usize = 100;
/// The temperature of the annealing, which is the mean rise that a change may cause. 0.8 was the
/// fastest of 0, 0.15, 0.4, 0.8 and 1.3, especially for planar networks.
const TEMPERATURE: f64 = 0.8;
/// Maximum number of forks for which `--all-reachable` is the default. For larger networks, it
/// takes minutes.
const MAX_FULLY_REACHED: usize = 1_000;
/// Maximum number of distinct trips. Networks with more are discarded.
const MAX_TRIPS: u64 = 200_000;
/// Maximum number of trips that are replayed and compared one by one.
const MAX_REPLAYED: usize = 20_000;

impl Tool for GenerateNetwork {
    fn name(&self) -> &'static str {
        "generate"
    }

    fn about(&self) -> &'static str {
        "Generate a railway with guaranteed properties"
    }

    fn options(&self) -> OptionDeclaration {
        OptionDeclaration::of::<NetworkGeneratorOptions>()
    }

    fn input(&self) -> ToolInput {
        ToolInput::Seed
    }

    fn encoding(&self) -> Option<&Encoding> {
        Some(&DYNAMIC_GATE)
    }

    fn run(&self, job: &Job, console: &mut Console<'_>) -> Result<ToolOutput, Failure> {
        let options = &*job.tool_options::<NetworkGeneratorOptions>()?;
        let rules = Rules::in_use(&[DYNAMIC_GATE], &[], &job.sources.encodings, &[]);
        if !rules.is_builtin() {
            return Err(puzzle::unsupported_rules("generate", &rules).into());
        }
        let required = Requirements::from_options(options)?;
        let mut random = fastrand::Rng::with_seed(job.seed);
        let none = |reason| Ok(ToolOutput::incomplete("no network could be measured", String::new(), reason));
        let (Candidate { design, measure, violations, .. }, reason) =
            match search(&required, &mut random, job, console).best() {
                Ok(best) => best,
                Err(reason) => return none(reason),
            };
        let Some(measure) = measure else { return none(reason.unwrap_or(StopReason::AttemptLimit)) };
        // The search may have ended at the time limit.
        let output = job.stop.for_output();
        let violations = match &violations[..] {
            [] => Vec::new(),
            known => required.all_violations(&design.network, &measure, known, &output.token),
        };
        let mut comments = comments(&design.network, &required, &measure, &violations, job.seed, &output.token);
        let text = to_text(&design, &comments)?;
        if let Some(reason) = reason {
            return Ok(ToolOutput::incomplete(&violations.join(", "), text, reason));
        }
        match certify(&design, &text, &required, &measure, &job.stop)? {
            Ok(proof) => {
                comments.push(proof);
                Ok(ToolOutput::solved(to_text(&design, &comments)?))
            }
            Err(reason) => Ok(ToolOutput::incomplete("the proof is incomplete", text, reason)),
        }
    }
}

/// The validated options, without requests that are obviously impossible.
struct Requirements {
    size: NetworkSize,
    /// By default, from 1 to a sixteenth of the configurations, or more if the winning paths need
    /// it.
    wins: Option<Range<BigUint>>,
    winning_paths: Option<Range<u32>>,
    depth: Depth,
    gates_matter: bool,
    no_false_forks: bool,
    all_reachable: bool,
    difficulty: Option<Range<Bits>>,
}

impl Requirements {
    fn from_options(options: &NetworkGeneratorOptions) -> Result<Self, Failure> {
        let wrong = |text: String| Err(Diagnostic::error(Code::Usage, text).into());
        let NetworkGeneratorOptions { forks, gates, colors, .. } = *options;
        let (fewest, most) = (options.ways.least.unwrap_or(2), options.ways.most.unwrap_or(MAX_WAYS));
        if forks == 0 || forks > MAX_FORKS {
            return wrong(format!("--forks {forks}: expected 1 to {MAX_FORKS}"));
        }
        if colors == 0 || colors > MAX_COLORS || colors > forks {
            return wrong(format!(
                "--colors {colors}: expected 1 to {}, since every colour needs a fork",
                forks.min(MAX_COLORS)
            ));
        }
        if gates > MAX_GATES {
            return wrong(format!("--gates {gates}: expected at most {MAX_GATES}"));
        }
        if fewest < 2 || !(2..=MAX_WAYS).contains(&most) {
            return wrong(format!("--ways: expected whole numbers from 2 to {MAX_WAYS}"));
        }
        if options.through_gates > gates {
            return wrong(format!("--through-gates {}: impossible with --gates {gates}", options.through_gates));
        }
        // This is an upper bound, since the number of states of each lever is random.
        let lever_states = BigUint::from(most).pow(colors as u32);
        let all = &lever_states * BigUint::from(colors).pow(gates as u32);
        if let Some(Range { least: Some(least), .. }) = &options.wins
            && *least > all
        {
            return wrong(format!("--wins: impossible, there are at most {all} configurations"));
        }
        if let Some(Range { most: Some(most), .. }) = &options.wins
            && *most == BigUint::ZERO
        {
            return wrong("--wins: expected at least one win".to_owned());
        }
        if options.winning_paths.as_ref().is_some_and(|paths| paths.most == Some(0)) {
            return wrong("--winning-paths: expected at least one".to_owned());
        }
        let paths = options.winning_paths.as_ref().and_then(|paths| paths.least).unwrap_or_default();
        let most_wins = options.wins.as_ref().and_then(|wins| wins.most.as_ref()).unwrap_or(&all);
        if BigUint::from(paths) > *most_wins {
            return wrong(format!("--winning-paths {paths}: cannot be met, at most {most_wins} configurations win"));
        }
        let ends = forks - 1 + 2 * gates + 2;
        if fewest > ends && !options.false_forks {
            let text = format!("--ways {fewest}: a fork can lead to {ends} other nodes");
            return Err(Diagnostic::error(Code::Usage, text).help("--false-forks allows two ways to one node").into());
        }
        let longest = lever_states * (forks + 2 * gates) + 1_u32;
        if BigUint::from(options.min_steps) > longest {
            return wrong(format!(
                "--min-steps {}: impossible, no trip without a cycle has more than {longest} steps",
                options.min_steps
            ));
        }
        if options.plan && forks > MAX_PLAN_FORKS {
            return wrong(format!("--forks {forks}: a plan has at most {MAX_PLAN_FORKS}"));
        }
        if options.plan && most > MAX_PLAN_BRANCHES {
            return wrong(format!("--ways {most}: a fork of a plan has at most {MAX_PLAN_BRANCHES} branches"));
        }
        let planar = options.planar || options.plan;
        let size = NetworkSize { forks, gates, colors, ways: (fewest, most), planar, plan: options.plan };
        Ok(Requirements {
            size,
            wins: options.wins.clone(),
            depth: Depth { steps: options.min_steps, gates: options.through_gates },
            winning_paths: options.winning_paths.clone(),
            gates_matter: options.gates_matter,
            no_false_forks: !options.false_forks,
            all_reachable: options.all_reachable || !options.unreachable && forks <= MAX_FULLY_REACHED,
            difficulty: options.difficulty.clone(),
        })
    }

    /// Returns the bounds on the number of wins for a network with `all` configurations. The upper
    /// bound is `None` if there is none.
    fn win_bounds(&self, all: &BigUint) -> (BigUint, Option<BigUint>) {
        let one = BigUint::from(1_u32);
        match &self.wins {
            None => {
                let paths = self.winning_paths.as_ref().and_then(|paths| paths.least).unwrap_or_default();
                (one.clone(), Some((all / 16_u32).max(one).max(BigUint::from(paths) * 2_u32)))
            }
            Some(Range { least, most }) => (least.clone().unwrap_or_default().max(one), most.clone()),
        }
    }

    /// Returns the requirements that a network violates. The costly ones are only checked if all
    /// others hold.
    fn violations(&self, network: &Network, found: &Measure, stop: &CancelToken) -> Vec<Violation> {
        let mut violations = self.violations_of_trips(found);
        violations.extend(self.violations_of_shape(network, found));
        let costly = [Self::violated_winning_paths, Self::violated_gates, Self::violated_difficulty];
        for check in costly {
            if violations.is_empty() {
                violations.extend(check(self, network, found, stop));
            }
        }
        violations
    }

    /// Describes all requirements that a network violates: first the costly ones, which need a win
    /// and time to measure it, beginning with the difficulty, then those in `known`.
    fn all_violations(
        &self,
        network: &Network,
        found: &Measure,
        known: &[Violation],
        stop: &CancelToken,
    ) -> Vec<String> {
        let mut violations = Vec::new();
        if found.has_win() && stop.requested().is_none() {
            violations.extend(self.violated_difficulty(network, found, stop));
            violations.extend(self.violated_winning_paths(network, found, stop));
            violations.extend(self.violated_gates(network, found, stop));
        }
        if stop.requested().is_some() {
            violations.clear();
        }
        violations.extend(known.iter().cloned());
        let mut words: Vec<String> = violations.into_iter().map(|violation| violation.words).collect();
        let mut seen = BTreeSet::new();
        words.retain(|words| seen.insert(words.clone()));
        words
    }

    /// Checks the numbers of cycles and wins, and the length of wins.
    fn violations_of_trips(&self, found: &Measure) -> Vec<Violation> {
        let mut violations = Vec::new();
        let mut add = |kind, weight: f64, words: String| violations.push(Violation { kind, weight, words });
        let cycles = found.tally.trips(Outcome::Cycle);
        if cycles > 0 {
            let words = native::count(cycles, "trip is a cycle", "trips are cycles");
            add(ViolationKind::CycleFree, 3.0 * cycles as f64, words);
        }
        let wins = found.tally.configurations(Outcome::Win);
        let winning = native::count(&wins, "configuration wins", "configurations win");
        let (least, most) = self.win_bounds(&found.tally.total());
        if wins < least {
            let weight = if found.has_win() { 2.0 + 4.0 * measure::log2_ratio(&least, &wins) } else { 30.0 };
            add(ViolationKind::Wins, weight, format!("{winning} (at least {least} requested)"));
        } else if let Some(most) = most
            && wins > most
        {
            let weight = 2.0 + 2.0 * measure::log2_ratio(&wins, &most);
            add(ViolationKind::Losses, weight, format!("{winning} (at most {most} requested)"));
        }
        if found.short_wins > 0 {
            let nodes = native::count(found.shortest_win as u64, "node", "nodes");
            let words = format!("a win visits {nodes} (at least {} requested)", self.depth.steps);
            add(ViolationKind::Losses, 4.0 * found.short_wins as f64, words);
        }
        if found.shallow_wins > 0 {
            let gates = native::count(found.fewest_gates as u64, "gate", "gates");
            let words = format!("a win crosses {gates} (at least {} requested)", self.depth.gates);
            add(ViolationKind::Losses, 4.0 * found.shallow_wins as f64, words);
        }
        violations
    }

    /// Checks that all ways of a fork differ, and that some trip visits every node.
    fn violations_of_shape(&self, network: &Network, found: &Measure) -> Vec<Violation> {
        let forks = if self.no_false_forks { false_forks(network).count() } else { 0 };
        let nodes = if self.all_reachable { unreached_nodes(network, found).count() } else { 0 };
        let words = [
            native::count(forks as u64, "fork leads to one node twice", "forks lead to one node twice"),
            native::count(nodes as u64, "node is never visited", "nodes are never visited"),
        ];
        let found = [(ViolationKind::TrueForks, forks), (ViolationKind::Reach, nodes)].into_iter().zip(words);
        found
            .filter(|((_, number), _)| *number > 0)
            .map(|((kind, number), words)| Violation { kind, weight: number as f64, words })
            .collect()
    }

    fn violated_winning_paths(&self, network: &Network, _: &Measure, stop: &CancelToken) -> Option<Violation> {
        let Range { least, most } = self.winning_paths.as_ref()?;
        // If the count is interrupted, the minimum counts as violated.
        let paths = measure::winning_paths(network, stop).unwrap_or_default();
        let (kind, required, bound) = match (least, most) {
            (Some(least), _) if paths < *least as usize => (ViolationKind::Wins, "at least", *least),
            (_, Some(most)) if paths > *most as usize => (ViolationKind::Losses, "at most", *most),
            _ => return None,
        };
        let words = format!("{required} {} (it has {paths})", native::count(bound, "winning path", "winning paths"));
        let weight = 2.0 + 2.0 * (f64::from(bound) / paths.max(1) as f64).log2().abs();
        Some(Violation { kind, weight, words })
    }

    fn violated_gates(&self, network: &Network, _: &Measure, stop: &CancelToken) -> Option<Violation> {
        if !self.gates_matter {
            return None;
        }
        let idle = network.gates.len() - measure::gates_that_matter(network, stop).0;
        let words = native::count(idle as u64, "gate decides on no win", "gates decide on no win");
        (idle > 0).then_some(Violation { kind: ViolationKind::Decisions, weight: 2.0 * idle as f64, words })
    }

    fn violated_difficulty(&self, network: &Network, found: &Measure, stop: &CancelToken) -> Option<Violation> {
        let Range { least, most } = self.difficulty.as_ref()?;
        let bits = Difficulty::of(network, found, stop).bits();
        let (below, above) =
            (least.as_ref().map_or(0.0, |least| least.0 - bits), most.as_ref().map_or(0.0, |most| bits - most.0));
        let off = below.max(above);
        let wanted = match (least, most) {
            (Some(least), Some(most)) if least == most => least.0.to_string(),
            (_, Some(most)) if above > below => format!("at most {}", most.0),
            (least, _) => format!("at least {}", least.as_ref().map_or(0.0, |least| least.0)),
        };
        let words = format!("the difficulty is {bits:.1} bits ({wanted} requested)");
        (off > 0.0).then_some(Violation { kind: ViolationKind::Difficulty, weight: off, words })
    }
}

#[derive(Debug, Clone)]
struct Violation {
    kind: ViolationKind,
    weight: f64,
    words: String,
}

/// The kind of a violation, which determines the changes that are proposed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ViolationKind {
    CycleFree,
    Wins,
    Losses,
    TrueForks,
    Reach,
    Decisions,
    Difficulty,
}

/// Returns, for each fork with two ways to the same node, the second of these ways.
fn false_forks(network: &Network) -> impl Iterator<Item = Branch> {
    let repeated = |(node, drawn): (usize, &Node)| match &drawn.kind {
        Kind::Fork { ways, .. } => {
            (0..ways.len()).find(|&state| ways[..state].contains(&ways[state])).map(|state| (node, state))
        }
        _ => None,
    };
    network.nodes.iter().enumerate().filter_map(repeated)
}

/// Returns the forks and sides of gates that no trip visits.
fn unreached_nodes(network: &Network, found: &Measure) -> impl Iterator<Item = usize> {
    let is_inner = |node: &usize| matches!(network.nodes[*node].kind, Kind::Fork { .. } | Kind::Gate { .. });
    (0..network.nodes.len()).filter(is_inner).filter(|&node| !found.visited[node])
}

/// A network with its violations and their total weight.
struct Candidate {
    design: Design,
    measure: Option<Measure>,
    violations: Vec<Violation>,
    weight: f64,
}

/// Anneals random networks until one has no violations.
fn search(
    required: &Requirements,
    random: &mut fastrand::Rng,
    job: &Job,
    console: &Console<'_>,
) -> Generated<Candidate> {
    let mut best: Option<Candidate> = None;
    for number in 0..MAX_STARTS {
        (console.progress)(number as u64, MAX_STARTS as u64);
        let Some(state) = anneal(required, random, &job.stop) else { break };
        if best.as_ref().is_none_or(|best| state.weight < best.weight) {
            best = Some(state);
        }
        if job.stop.requested().is_some() || best.as_ref().is_some_and(|best| best.weight == 0.0) {
            break;
        }
    }
    let reason = job.stop.requested().unwrap_or(StopReason::AttemptLimit);
    Generated::of(best, |best| best.measure.is_some() && best.violations.is_empty(), reason)
}

/// Anneals a random network until it has no violations or the number of changes is exhausted.
/// Returns the best network that occurred.
fn anneal(required: &Requirements, random: &mut fastrand::Rng, stop: &CancelToken) -> Option<Candidate> {
    let mut design = Design::random(&required.size, random, stop)?;
    let (mut measure, mut violations, mut weight) = assess(&design.network, required, random, stop);
    let mut best =
        Candidate { design: design.clone(), measure: measure.clone(), violations: violations.clone(), weight };
    for _ in 0..CHANGES_PER_ARC * design.branches.len() {
        if weight == 0.0 || stop.requested().is_some() {
            break;
        }
        let change = propose_change(&design, required, measure.as_ref(), &violations, random);
        let Some(before) = design.change(change, random) else { continue };
        let (next, next_violations, next_weight) = assess(&design.network, required, random, stop);
        if next_weight <= weight - TEMPERATURE * random.f64().max(1e-9).ln() {
            (measure, violations, weight) = (next, next_violations, next_weight);
            if weight < best.weight {
                best = Candidate {
                    design: design.clone(),
                    measure: measure.clone(),
                    violations: violations.clone(),
                    weight,
                };
            }
        } else {
            design.undo(before);
        }
    }
    Some(best)
}

fn assess(
    network: &Network,
    required: &Requirements,
    random: &mut fastrand::Rng,
    stop: &CancelToken,
) -> (Option<Measure>, Vec<Violation>, f64) {
    // Prefer a losing sample trip that is long enough, and crosses enough gates, to become a win.
    let mut has_sample = false;
    let mut pick = |trip: &LazyTrip<'_>| match trip.outcome {
        Outcome::Win | Outcome::Cycle => random.u8(..3) == 0,
        _ => {
            let meets_depth = required.depth.is_met_by(trip);
            let is_picked = meets_depth && (!has_sample || random.u8(..3) == 0);
            has_sample |= meets_depth;
            is_picked
        }
    };
    let Ok(found) = measure::measure(network, required.depth, TripLimits::trips(MAX_TRIPS), stop, &mut pick) else {
        return (None, Vec::new(), f64::INFINITY);
    };
    let violations = required.violations(network, &found, stop);
    let weight = violations.iter().map(|violation| violation.weight).sum();
    (Some(found), violations, weight)
}

/// Proposes a change, usually of an arc that causes a violation.
fn propose_change(
    design: &Design,
    required: &Requirements,
    found: Option<&Measure>,
    violations: &[Violation],
    random: &mut fastrand::Rng,
) -> DesignChange {
    let any = |random: &mut fastrand::Rng| design.branches[random.usize(..design.branches.len())];
    let (mut one, mut other) = (any(random), any(random));
    let (Some(found), false) = (found, random.u8(..5) == 0) else {
        return DesignChange::Exchange(one, other);
    };
    if violations.is_empty() {
        return DesignChange::Exchange(one, other);
    }
    let mut end = None;
    let network = &design.network;
    let ends_at = |end: usize, random: &mut fastrand::Rng| {
        let branches: Vec<Branch> =
            design.branches.iter().copied().filter(|&branch| design.end(branch) == end).collect();
        random.choice(branches)
    };
    let choose_branch =
        |trip: &Option<Trip>, from: usize, is_suitable: &dyn Fn(Branch) -> bool, random: &mut fastrand::Rng| {
            let branches = trip.as_ref().map_or_else(Vec::new, |trip| trip.branches_taken(network));
            random.choice(branches.into_iter().skip(from).filter(|&branch| is_suitable(branch)).collect::<Vec<_>>())
        };
    let choice = match violations[random.usize(..violations.len())].kind {
        ViolationKind::CycleFree => choose_branch(&found.sample_cycle, 0, &|_| true, random),
        ViolationKind::Wins => {
            let target = network.nodes.iter().position(|node| node.kind == Kind::Target).expect("there is a target");
            if let Some(branch) = ends_at(target, random) {
                other = branch;
            }
            // An arc to the target must come after the minimum number of steps and gates.
            let first_step =
                found.sample_loss.as_ref().map_or(0, |trip| first_deep_step(network, trip, required.depth));
            end = Some(target).filter(|_| required.size.planar);
            choose_branch(&found.sample_loss, first_step, &|branch| design.may_lead(branch, target), random)
        }
        ViolationKind::Losses | ViolationKind::Decisions | ViolationKind::Difficulty => {
            choose_branch(&found.sample_win, 0, &|_| true, random)
        }
        ViolationKind::TrueForks => false_forks(network).nth(random.usize(..4)).or_else(|| false_forks(network).next()),
        ViolationKind::Reach => {
            let nodes: Vec<usize> = unreached_nodes(network, found).collect();
            let node = random.choice(nodes);
            match node.and_then(|node| ends_at(node, random)) {
                Some(branch) if !required.size.planar => other = branch,
                _ => end = node,
            }
            // Redirect a branch whose end is also the end of another branch that trips take.
            let may_lead = |branch: &Branch| node.is_none_or(|node| design.may_lead(*branch, node));
            let taken: Vec<Branch> = design.branches.iter().copied().filter(|&branch| found.is_taken(branch)).collect();
            let mut num_arriving = vec![0; network.nodes.len()];
            for &branch in &taken {
                num_arriving[design.end(branch)] += 1;
            }
            let is_replaceable = |branch: &Branch| num_arriving[design.end(*branch)] > 1 && may_lead(branch);
            let replaceable: Vec<Branch> = taken.iter().copied().filter(is_replaceable).collect();
            random.choice(if replaceable.is_empty() { taken } else { replaceable })
        }
    };
    if let Some(choice) = choice {
        one = choice;
    }
    end.map_or(DesignChange::Exchange(one, other), |end| DesignChange::Lead(one, end))
}

/// Returns the first step of a trip from which a branch to the target makes a win with the minimum
/// number of steps and gates.
fn first_deep_step(network: &Network, trip: &Trip, depth: Depth) -> usize {
    let mut gates = BTreeSet::new();
    for (step, &node) in trip.nodes.iter().enumerate() {
        if step + 2 >= depth.steps && gates.len() >= depth.gates {
            return step;
        }
        if let Kind::Gate { gate, .. } = network.nodes[node].kind {
            gates.insert(gate);
        }
    }
    0
}

/// Writes the network as a program, or its plan as lines.
fn to_text(design: &Design, comments: &[String]) -> Result<String, Failure> {
    let Some(tracks) = &design.tracks else { return Ok(writing::program(&design.network, comments)) };
    let plan = Plan::read(&tracks.facts(&design.network))?;
    Ok(format!("{}\n{}", writing::comment_lines(comments), lines::write(&plan, true)?))
}

/// Returns the description of the network as comment lines.
fn comments(
    network: &Network,
    required: &Requirements,
    found: &Measure,
    violations: &[String],
    seed: u64,
    stop: &CancelToken,
) -> Vec<String> {
    let NetworkSize { gates, colors, .. } = required.size;
    let forks = network.fork_count();
    let configurations = |outcome: Outcome| found.tally.configurations(outcome);
    let mut lines = vec![
        format!(
            "A mine railway: {}, {}, {}. Made at random, seed {seed}.",
            native::count(forks, "fork", "forks"),
            native::count(colors, "colour", "colours"),
            native::count(gates, "gate", "gates")
        ),
        "".to_owned(),
    ];
    let trips = native::count(found.distinct_trips(), "distinct trip", "distinct trips");
    let paths = native::count(found.tally.trips(Outcome::Win), "of them wins", "of them win");
    lines.push(format!(
        "Of {}, {}, {}, {}, {}; {trips}, {paths}.",
        native::count(found.tally.total(), "configuration", "configurations"),
        native::count(configurations(Outcome::Win), "wins", "win"),
        native::count(configurations(Outcome::Loss), "loses", "lose"),
        native::count(configurations(Outcome::Cycle), "cycles", "cycle"),
        native::count(configurations(Outcome::Stuck), "gets stuck", "get stuck")
    ));
    if found.has_win() {
        lines.push(format!(
            "Wins visit {} and cross at least {}; the longest losing trip visits {}.",
            if found.shortest_win == found.longest_win {
                native::count(found.longest_win, "node", "nodes")
            } else {
                format!("{} to {} nodes", found.shortest_win, found.longest_win)
            },
            native::count(found.fewest_gates, "gate", "gates"),
            native::count(found.longest_loss, "node", "nodes")
        ));
        let difficulty = Difficulty::of(network, found, stop);
        let parts: Vec<String> =
            difficulty.parts.iter().map(|part| format!("{} {:.1}", part.name, part.bits)).collect();
        // Without time, some gates that matter are not counted.
        let bound = if stop.requested().is_some() { "at least " } else { "" };
        lines.push(format!("Difficulty {bound}{:.1} bits: {}.", difficulty.bits(), parts.join(", ")));
    }
    if required.no_false_forks && false_forks(network).next().is_none() {
        lines.push("No fork has two ways to the same node.".to_owned());
    }
    if required.all_reachable && unreached_nodes(network, found).next().is_none() {
        lines.push("Some trip visits every fork and every side of a gate.".to_owned());
    }
    if required.winning_paths.is_some()
        && let Some(paths) = measure::winning_paths(network, stop)
    {
        lines.push(format!("{}, counted by the nodes visited.", native::count(paths, "winning path", "winning paths")));
    }
    if required.gates_matter && violations.is_empty() {
        lines.push("On some winning trip each gate decides: in another colour the trip is lost.".to_owned());
    }
    if required.size.planar {
        let what = if required.size.plan { "tracks" } else { "arcs" };
        lines.push(format!("No two {what} cross when drawn as straight lines."));
    }
    if !violations.is_empty() {
        lines.push(format!("NOT AS REQUESTED: {}.", violations.join(", ")));
    }
    lines
}

/// Verifies the required properties from the written text: the encoding and the simulation find the
/// same trips, each trip is confirmed by replay, and the counts agree with `found`.
///
/// Returns the sentence for the comments, or the reason why the proof is incomplete. Fails if
/// a property does not hold, which is a defect of the generator.
fn certify(
    design: &Design,
    text: &str,
    required: &Requirements,
    found: &Measure,
    stop: &CancelToken,
) -> Result<Result<String, StopReason>, Failure> {
    let wrong = |text: &str| Err(defect(text));
    let network = &design.network;
    if required.size.planar && !design::is_plane(design) {
        return wrong("a network that should be planar has crossing arcs");
    }
    let program = program_of_text(design, text, stop)?;
    let mut trips = Vec::new();
    let any = Pattern::any(network);
    let (stats, end) = simulation::for_each_trip(network, &any, stop, |trip| {
        if trips.len() < MAX_REPLAYED {
            trips.push((trip.build)());
        }
        ControlFlow::Continue(())
    })?;
    if let Some(reason) = end.reason() {
        return Ok(Err(reason));
    }
    for trip in &trips {
        if let Err(error) = replay::check(network, trip) {
            return wrong(&format!("a trip does not pass the check: {error}"));
        }
    }
    if stats.trips != found.distinct_trips() || found.tally.trips(Outcome::Cycle) > 0 {
        return wrong("the simulation does not find the same trips again");
    }
    if !fits_clingo(network) || trips.len() < stats.trips as usize {
        return Ok(Ok(format!(
            "Checked by the simulation, and {} by replaying; too large for the encoding.",
            native::count(trips.len(), "trip", "trips")
        )));
    }
    let Some(mut clingo_trips) = trips_by_clingo(network, &program, stats.longest, stop)? else {
        return Ok(Err(stop.requested().unwrap_or(StopReason::Unproven)));
    };
    trips.sort_by(Trip::compare);
    clingo_trips.sort_by(Trip::compare);
    if trips != clingo_trips {
        return wrong("the encoding and the simulation do not find the same trips");
    }
    if let Some(requirement) = violated_requirement(required, network, &clingo_trips) {
        return wrong(&format!("by the trips that the encoding found, not {requirement}"));
    }
    Ok(
        Ok("Checked by the encoding and by the simulation, which find the same trips, and by replaying each."
            .to_owned()),
    )
}

fn defect(text: &str) -> Failure {
    Diagnostic::error(Code::Defect, format!("{text}; this is a defect of asp-solve")).into()
}

/// Returns the written text as an instance for clingo, which reads the text itself, or the facts
/// that follow from a plan. Fails if another network follows from it.
fn program_of_text(design: &Design, text: &str, stop: &CancelToken) -> Result<asp::Program, Failure> {
    let document = Document::in_memory("generated", text);
    if design.tracks.is_none() {
        return Ok(asp::Program::of([document]));
    }
    let read = |document: &Document| instance::read(std::slice::from_ref(document), &asp::Settings::default(), stop);
    let facts = read(&document)?;
    let expected = read(&Document::in_memory("network", writing::program(&design.network, &[])))?;
    if !Network::from_facts(&facts)?.is_same(&Network::from_facts(&expected)?) {
        return Err(defect("another network follows from the plan"));
    }
    Ok(instance_program(&facts, &[document]))
}

/// Returns the trips that the built-in encoding finds, or `None` if the run is stopped. `longest` is
/// the number of nodes of the longest trip.
fn trips_by_clingo(
    network: &Network,
    program: &asp::Program,
    longest: usize,
    stop: &CancelToken,
) -> Result<Option<Vec<Trip>>, Failure> {
    let encodings: Vec<Document> =
        DYNAMIC_GATE.files.iter().map(|file| Document::in_memory(&*file.path, file.text)).collect();
    // A longer trip that the simulation has not found would reach this horizon, and the search
    // would then extend the horizon.
    let horizon = ("horizon".to_owned(), (longest + 1).to_string());
    // A heuristic does not pay off for finding all answers of a small program.
    let options = vec!["--heuristic=none".to_owned()];
    let settings = asp::Settings { constants: vec![horizon], options, ..asp::Settings::default() };
    let rules = Rules::BuiltIn(DYNAMIC_GATE.name);
    let question = clingo::TripQuery {
        network,
        program,
        encodings: &encodings,
        settings: &settings,
        rules: &rules,
        gate_rule: Some(GateRule::DynamicGate),
        outcomes: &[],
        pattern: &Pattern::any(network),
        stop,
        job: None,
    };
    let mut trips = Vec::new();
    let (_, is_complete, _) = clingo::trips(&question, &mut |trip| {
        trips.push((trip.build)());
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(is_complete.then_some(trips))
}

/// Returns the first requirement on winning paths or gates that the trips violate, as a phrase.
fn violated_requirement(required: &Requirements, network: &Network, trips: &[Trip]) -> Option<&'static str> {
    let wins = || trips.iter().filter(|trip| trip.outcome == Outcome::Win);
    let paths: BTreeSet<&[NodeId]> = wins().map(|trip| &trip.nodes[..]).collect();
    if required.winning_paths.as_ref().is_some_and(|range| !range.contains(&(paths.len() as u32))) {
        return Some("as many winning paths as were asked for");
    }
    let agree = |one: &Option<usize>, other: &Option<usize>| one.is_none() || other.is_none() || one == other;
    // Returns true if a configuration of `win` has the trip `other` when the gate has another
    // colour.
    let decides = |gate: usize, win: &Trip, other: &Trip| {
        let levers = win.levers.iter().zip(&other.levers).all(|(one, other)| agree(one, other));
        let mut gates = win.gates.iter().zip(&other.gates).enumerate().filter(|(number, _)| *number != gate);
        win.nodes[0] == other.nodes[0] && levers && gates.all(|(_, (one, other))| agree(one, other))
    };
    let matters = |gate: usize| {
        wins()
            .filter(|win| win.gates[gate].is_some())
            .any(|win| trips.iter().any(|other| other.outcome != Outcome::Win && decides(gate, win, other)))
    };
    let is_idle = required.gates_matter && !(0..network.gates.len()).all(matters);
    is_idle.then_some("every gate decides on a winning trip")
}
