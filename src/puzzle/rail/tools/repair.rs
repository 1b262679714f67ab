//! `asp-solve repair`: the least change of a railway that takes its cycles away, or gives it a solution.
//!
//! A change redirects arcs; with `--keep-forks` two ways of a fork that led to different nodes still do. Small networks go to
//! `asp/rail/repair.lp`, where clingo proves that no fewer arcs will do and, among as few, picks those that change the fewest wins.
//!
//! Others are searched. Some cyclic trip has to become another one, so at least one of the ways that it takes has to be
//! redirected: a tree whose branches are the ways of one cyclic trip and their new ends holds every repair. (Where a solution is
//! missing, the ways are those that any trip takes; where two ways of a fork have merged that should be kept apart, those of that
//! fork.) First a repair is *found* by taking the best branch again and again; then the tree is searched level by level below it,
//! as far as the patience goes. If a level is empty to its end, fewer arcs will not do, and the repair is the least; else it is
//! only called found.

use std::ops::ControlFlow;

use clap::{Args, ValueEnum};
use num_bigint::BigUint;
use rustc_hash::FxHashSet;
use serde_json::json;

use super::measure::{self, Depth, Measure, Most};
use super::{only_facts, only_shipped};
use crate::asp::{self, AnswerAtoms, AtomError, Term};
use crate::diagnostic::{Diagnostic, Failure};
use crate::ending::Verdict;
use crate::graph::Emphasis;
use crate::graph::layout::Layout;
use crate::job::{Job, Rules};
use crate::picture::Picture;
use crate::puzzle::rail::engines::{Effort, End, simulation};
use crate::puzzle::rail::network::facts::Facts;
use crate::puzzle::rail::network::plan::CIRCLE;
use crate::puzzle::rail::network::{Kind, Network, NodeId, Way};
use crate::puzzle::rail::network::{instance, writing};
use crate::puzzle::rail::output::drawing;
use crate::puzzle::rail::trips::{GateRule, Leaf, Outcome, Pattern, Trip};
use crate::puzzle::rail::{REPAIR, disagree, instance_program};
use crate::puzzle::{Console, Done, Encoding, Tool, has_options, names, native};
use crate::report::Format;
use crate::stop::{Reason, Stop};

#[derive(Debug, Clone, Copy)]
pub struct Repair;

#[derive(Debug, Clone, Args)]
pub struct Options {
    /// What the network should have afterwards
    #[arg(long, value_enum, default_value_t, value_name = "GOAL")]
    goal: Goal,
    /// Keep apart the ways of a fork that led to different nodes
    #[arg(long)]
    keep_forks: bool,
    /// The engine [default: asp if the expanded graph is small, otherwise search]
    #[arg(long, value_enum, value_name = "NAME")]
    engine: Option<Engine>,
    /// Networks that the search tries before it stops proving that fewer arcs are not enough
    #[arg(long, value_name = "N", default_value_t = 2_000_000)]
    patience: u64,
    /// How to place the nodes of the picture
    #[arg(long, value_enum, default_value_t, value_name = "LAYOUT")]
    layout: Layout,
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
enum Engine {
    Asp,
    Search,
}

/// The expanded graph may have so many states for clingo.
const GROUNDED_STATES: u32 = 6_000;
/// Networks that the search looks at when clingo says that fewer arcs will not do.
const PATIENCE_WITH_CLINGO: u64 = 200_000;
/// Distinct trips of a network that can be repaired by search.
const MOST_TRIPS: u64 = 2_000_000;
/// Branches of which the best is taken, where there are more.
const TRIED: usize = 3_000;
/// Arcs that are redirected at most before the search begins anew, and how often it does.
const MOST_REDIRECTED: usize = 40;
const ATTEMPTS: u64 = 20;

/// A way and its new end.
type Redirect = (Way, NodeId);

struct Repaired {
    redirects: Vec<Redirect>,
    /// No fewer arcs will do.
    is_least: bool,
}

impl Tool for Repair {
    has_options!(Options);

    fn name(&self) -> &'static str {
        "repair"
    }

    fn about(&self) -> &'static str {
        "Redirect the fewest arcs of a railway so that no trip is a cycle and one wins"
    }

    fn formats(&self) -> &'static [Format] {
        &[Format::Text, Format::Json, Format::Svg]
    }

    fn encoding(&self) -> Option<Encoding> {
        Some(REPAIR)
    }

    fn run(&self, job: &Job, _console: &mut Console<'_>) -> Result<Done, Failure> {
        let options = &*job.options::<Options>();
        only_facts("repair", job)?;
        let facts = instance::read(&job.documents, &job.settings, &job.stop)?;
        let network = Network::from_facts(&facts)?;
        const OWN: [&str; 3] = ["no_cycles", "some_win", "keep_forks"];
        if let Some((name, _)) = &job.settings.constants.iter().find(|(name, _)| OWN.contains(&name.as_str())) {
            let text = format!("-c {name}: use --goal and --keep-forks to choose what a repair must reach");
            return Err(Diagnostic::error(text).into());
        }
        let none = |verdict: &str, words: String| match job.format {
            Format::Json => {
                let (instance, rules) = (names(&job.documents), &job.rules.name());
                let object =
                    json!({"schema": 1, "puzzle": "rail", "instance": instance, "rules": rules, "verdict": verdict});
                format!("{object:#}\n")
            }
            _ => words,
        };
        let gave_up = |reason: Reason| Done {
            output: none("gave-up", String::new()),
            verdict: Verdict::GaveUp(reason),
            warnings: Vec::new(),
            certificate: None,
        };
        let most = Most::trips(MOST_TRIPS);
        let before = match measured(&network, most, &job.stop) {
            Ok(before) => before,
            Err(Reason::ManyTrips) => {
                let text = format!("the network has more than {MOST_TRIPS} distinct trips");
                return Ok(Done { warnings: vec![Diagnostic::warning(text)], ..gave_up(Reason::ManyTrips) });
            }
            Err(reason) => return Ok(gave_up(reason)),
        };
        let states = network.lever_states() * network.colorings() * network.nodes.len();
        let takes_grounding = states <= GROUNDED_STATES.into() || !job.rules.are_shipped();
        let engine = options.engine.unwrap_or(if takes_grounding { Engine::Asp } else { Engine::Search });
        if engine == Engine::Search {
            only_shipped("the engine search", job)?;
        }
        let mut search = Mending {
            original: &network,
            options,
            wins: before.tally.of(Outcome::Win).max(1_u32.into()),
            stop: &job.stop,
            patience: if engine == Engine::Asp { PATIENCE_WITH_CLINGO } else { options.patience },
            looked: 0,
            most,
            limit: None,
        };
        let repaired = if job.rules.are_shipped() && options.goal.is_met_by(&before) {
            Some(Repaired { redirects: Vec::new(), is_least: true })
        } else if engine == Engine::Asp {
            let is_shipped = job.rules.are_shipped();
            match by_clingo(&network, &facts, options, job, &job.stop)? {
                // What clingo alone says is not proven.
                Clingo::Repaired(repaired) if is_shipped && repaired.is_least => {
                    let is_least = search.agrees(Some(repaired.redirects.len()))?;
                    Some(Repaired { is_least, ..repaired })
                }
                Clingo::Repaired(repaired) => Some(repaired),
                Clingo::Impossible if is_shipped && !search.agrees(None)? => None,
                Clingo::Impossible => {
                    let such = if options.keep_forks { " that keeps the ways of forks apart" } else { "" };
                    let proven = &job.rules.proven();
                    let output =
                        format!("% No repair is possible: no way of redirecting arcs{such} does it, {proven}.\n");
                    let output = none("impossible", output);
                    return Ok(Done { output, verdict: Verdict::Impossible, warnings: Vec::new(), certificate: None });
                }
                Clingo::GaveUp => None,
            }
        } else {
            search.repair()
        };
        let Some(repaired) = repaired else {
            return Ok(gave_up(job.stop.requested().or(search.limit).unwrap_or(Reason::Unproven)));
        };
        let mended = redirected(&network, &repaired.redirects);
        // Whoever found it, it is looked at again.
        let after = match measured(&mended, most, &job.stop) {
            Ok(after) => after,
            Err(reason) => return Ok(gave_up(reason)),
        };
        if job.rules.are_shipped() && !options.goal.is_met_by(&after) {
            let text = "the repaired network is not as it should be".to_owned();
            return Err(native::wrong_answer(&job.encodings, &text).into());
        }
        let found = [&before, &after];
        let program =
            writing::program(&mended, &words(&network, &repaired, &facts, options.keep_forks, &job.rules, found));
        let output = match job.format {
            Format::Json => as_json(&network, &repaired, options.keep_forks, &program, found, job),
            Format::Svg => picture(&mended, &repaired, options.layout, &job.stop).svg(),
            _ => program,
        };
        Ok(Done { output, verdict: Verdict::Solved, warnings: Vec::new(), certificate: None })
    }
}

impl Goal {
    fn is_met_by(self, found: &Measure) -> bool {
        (self == Goal::Solution || found.tally.trips(Outcome::Cycle) == 0) && (self == Goal::NoCycle || found.has_win())
    }
}

fn measured(network: &Network, most: Most, stop: &Stop) -> Result<Measure, Reason> {
    measure::measure(network, Depth::default(), most, stop, &mut |_| false)
}

fn redirected(network: &Network, redirects: &[Redirect]) -> Network {
    let mut mended = network.clone();
    for &(way, end) in redirects {
        mended.redirect(way, end);
    }
    mended
}

enum Clingo {
    Repaired(Repaired),
    Impossible,
    GaveUp,
}

fn by_clingo(network: &Network, facts: &Facts, options: &Options, job: &Job, stop: &Stop) -> Result<Clingo, Failure> {
    let mut program = instance_program(facts, &job.documents);
    program.encoding = job.encodings.clone();
    // Of repairs that are equally good, threads would find one or another.
    let mut settings = asp::Settings { threads: Some(1), ..job.settings.clone() };
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
    // The last answer is the best.
    let mut best: Option<Result<Vec<Redirect>, AtomError>> = None;
    let solved = solver.solve(&[], |model| {
        let atoms = model.shown(asp::Order::AsFound).map_err(|error| AtomError(error.text));
        best = Some(atoms.and_then(|atoms| read(network, &AnswerAtoms::new(atoms))));
        ControlFlow::Continue(())
    })?;
    let is_proven = solved.result.exhausted;
    match best {
        Some(Ok(redirects)) => Ok(Clingo::Repaired(Repaired { redirects, is_least: is_proven })),
        Some(Err(AtomError(text))) => Err(native::wrong_answer(&job.encodings, &text).into()),
        None if is_proven => Ok(Clingo::Impossible),
        None => Ok(Clingo::GaveUp),
    }
}

fn read(network: &Network, atoms: &AnswerAtoms) -> Result<Vec<Redirect>, AtomError> {
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

/// The search for few redirects.
struct Mending<'a> {
    original: &'a Network,
    options: &'a Options,
    /// Winning configurations of the network as it was: afterwards there should be about as many.
    wins: BigUint,
    stop: &'a Stop,
    /// Networks that may be looked at, and that were.
    patience: u64,
    looked: u64,
    most: Most,
    /// The limit that some network on the way reached.
    limit: Option<Reason>,
}

/// A network that reaches a limit takes as long as so many others.
const LOOKS_OF_A_LIMIT: u64 = 20_000;

/// How far a network is from the goal: trips that should not be, and how far its wins are from what they were.
type Distance = (u64, BigUint);

impl Mending<'_> {
    /// Whether it is shown that no repair has fewer arcs than so many, or that there is none at all; an error if there is one.
    fn agrees(&mut self, found: Option<usize>) -> Result<bool, Failure> {
        let most = found.map_or(self.original.ways().len(), |number| number - 1);
        for level in 1..=most {
            let mut best = None;
            let is_whole = self.level(level, &mut best);
            if best.is_some() {
                return Err(disagree(format!("a repair of {level} arcs does as well")));
            }
            if !is_whole {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn repair(&mut self) -> Option<Repaired> {
        let mut found: Option<(Vec<Redirect>, BigUint)> = None;
        for attempt in 0..ATTEMPTS {
            let mut random = fastrand::Rng::with_seed(attempt + 1);
            if let Some((redirects, off)) = self.descend(&mut random) {
                let is_better =
                    found.as_ref().is_none_or(|(best, least)| (redirects.len(), &off) < (best.len(), least));
                if is_better {
                    found = Some((redirects, off));
                }
            }
            if self.stop.requested().is_some() || self.looked > self.patience / 2 {
                break;
            }
        }
        // Fewer arcs, level by level, as far as the patience goes. Without a repair so far any number is welcome.
        let most = found.as_ref().map_or(3, |(best, _)| best.len());
        let mut is_least = found.is_some();
        for level in 1..=most {
            let mut best: Option<(Vec<Redirect>, BigUint)> = None;
            let is_whole = self.level(level, &mut best);
            if let Some(best) = best
                && found.as_ref().is_none_or(|(redirects, off)| (best.0.len(), &best.1) < (redirects.len(), off))
            {
                found = Some(best);
            }
            let is_found = found.as_ref().is_some_and(|(redirects, _)| redirects.len() == level);
            if is_found || !is_whole {
                // The levels below were searched through.
                is_least = is_found;
                break;
            }
        }
        let (mut redirects, _) = found?;
        redirects.sort_unstable();
        Some(Repaired { redirects, is_least })
    }

    /// Takes the best branch until the goal is met, then takes back what was not needed.
    fn descend(&mut self, random: &mut fastrand::Rng) -> Option<(Vec<Redirect>, BigUint)> {
        let network = self.original;
        let mut now = network.clone();
        let mut redirects: Vec<Redirect> = Vec::new();
        while redirects.len() < MOST_REDIRECTED {
            let found = self.measured(&now)?;
            if self.is_right(&now, &found) {
                break;
            }
            let mut branches = self.branches(&now, &redirects)?;
            random.shuffle(&mut branches);
            branches.truncate(TRIED);
            let mut best: Option<(Distance, Redirect)> = None;
            for (way, end) in branches {
                let before = now.end(way)?;
                now.redirect(way, end);
                let distance = self.distance(&now);
                now.redirect(way, before);
                if let Some(distance) = distance
                    && best.as_ref().is_none_or(|(least, _)| distance < *least)
                {
                    best = Some((distance, (way, end)));
                }
                if self.stop.requested().is_some() {
                    return None;
                }
            }
            let (_, (way, end)) = best?;
            now.redirect(way, end);
            redirects.push((way, end));
        }
        let mut index = 0;
        while index < redirects.len() {
            let mut fewer = redirects.clone();
            fewer.remove(index);
            let mended = redirected(network, &fewer);
            let found = self.measured(&mended)?;
            if self.is_right(&mended, &found) { redirects = fewer } else { index += 1 }
        }
        let mended = redirected(network, &redirects);
        let found = self.measured(&mended)?;
        let off = self.off(&found);
        self.is_right(&mended, &found).then_some((redirects, off))
    }

    /// How far the number of wins is from what it was.
    fn off(&self, found: &Measure) -> BigUint {
        let wins = found.tally.of(Outcome::Win);
        if wins > self.wins { wins - &self.wins } else { &self.wins - wins }
    }

    fn is_right(&self, network: &Network, found: &Measure) -> bool {
        self.options.goal.is_met_by(found) && self.merged_forks(network).is_empty()
    }

    /// Forks two ways of which lead to one node now, and did not; none if that may be.
    fn merged_forks(&self, network: &Network) -> Vec<NodeId> {
        let merges = |node: &NodeId| match (&network.nodes[*node].kind, &self.original.nodes[*node].kind) {
            (Kind::Fork { ways: now, .. }, Kind::Fork { ways: before, .. }) => (1..now.len())
                .any(|state| (0..state).any(|other| now[state] == now[other] && before[state] != before[other])),
            _ => false,
        };
        (0..network.nodes.len()).filter(|node| self.options.keep_forks && merges(node)).collect()
    }

    fn distance(&mut self, network: &Network) -> Option<Distance> {
        self.looked += 1;
        let found = self.measured(network)?;
        let cycles = if self.options.goal == Goal::Solution { 0 } else { found.tally.trips(Outcome::Cycle) };
        let lacks_win = self.options.goal != Goal::NoCycle && !found.has_win();
        let merged = self.merged_forks(network).len() as u64;
        Some((cycles + u64::from(lacks_win) + merged, self.off(&found)))
    }

    /// Looks for repairs that redirect `level` ways; false if some of them were not looked at.
    fn level(&mut self, level: usize, best: &mut Option<(Vec<Redirect>, BigUint)>) -> bool {
        self.below(&mut self.original.clone(), level, &mut Vec::new(), &mut FxHashSet::default(), best)
    }

    /// Every repair that redirects `level` more ways, and none of `excluded`. Redirects of siblings that were searched through are
    /// excluded, as in trees of hitting sets (Reiter 1987): every repair with one of them was found there, and a set of redirects is
    /// reached once instead of once for each of its orders.
    fn below(
        &mut self,
        network: &mut Network,
        level: usize,
        taken: &mut Vec<Redirect>,
        excluded: &mut FxHashSet<Redirect>,
        best: &mut Option<(Vec<Redirect>, BigUint)>,
    ) -> bool {
        let Some(mut branches) = self.branches(network, taken) else { return false };
        branches.retain(|branch| !excluded.contains(branch));
        let mut is_whole = true;
        for &(way, end) in &branches {
            if self.looked > self.patience || self.stop.requested().is_some() {
                is_whole = false;
                break;
            }
            let before = network.end(way).expect("branches are ways");
            network.redirect(way, end);
            taken.push((way, end));
            is_whole &= match level {
                1 => self.look(network, taken, best),
                _ => self.below(network, level - 1, taken, excluded, best),
            };
            taken.pop();
            network.redirect(way, before);
            // Nothing is below the last level.
            if level > 1 {
                excluded.insert((way, end));
            }
        }
        if level > 1 {
            branches.iter().for_each(|branch| _ = excluded.remove(branch));
        }
        is_whole
    }

    /// Keeps a network if it is the best repair so far; false if a limit leaves that open.
    fn look(&mut self, network: &Network, taken: &[Redirect], best: &mut Option<(Vec<Redirect>, BigUint)>) -> bool {
        self.looked += 1;
        match self.is_mended(network) {
            Some(true) => {
                let Some(found) = self.measured(network) else { return false };
                let off = self.off(&found);
                if best.as_ref().is_none_or(|(_, least)| off < *least) {
                    *best = Some((taken.to_vec(), off));
                }
                true
            }
            is_mended => is_mended.is_some(),
        }
    }

    /// All trips of a network on the way; `None` if it reaches a limit, which is no reason to look at no other.
    fn measured(&mut self, network: &Network) -> Option<Measure> {
        measured(network, self.most, self.stop).map_err(|reason| self.reached(reason)).ok()
    }

    fn simulate(
        &self,
        network: &Network,
        found: &mut dyn FnMut(&Leaf<'_>) -> Result<ControlFlow<()>, Failure>,
    ) -> Result<(Effort, End), Failure> {
        let (any, memory) = (Pattern::any(network), self.most.memory);
        simulation::simulate_within(network, GateRule::DynamicGate, &any, memory, self.stop, found)
    }

    fn reached(&mut self, reason: Reason) {
        self.limit = Some(reason);
        self.looked += LOOKS_OF_A_LIMIT;
    }

    /// Whether the goal is met; a cycle ends the question at once. `None` if the network reaches a limit.
    fn is_mended(&mut self, network: &Network) -> Option<bool> {
        if !self.merged_forks(network).is_empty() {
            return Some(false);
        }
        let goal = self.options.goal;
        let (mut has_win, mut has_cycle, mut trips) = (false, false, 0);
        let simulated = self.simulate(network, &mut |ended| {
            trips += 1;
            has_win |= ended.outcome == Outcome::Win;
            has_cycle |= ended.outcome == Outcome::Cycle && goal != Goal::Solution;
            let is_enough = has_cycle || trips > MOST_TRIPS || has_win && goal == Goal::Solution;
            Ok(if is_enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        });
        let (_, end) = simulated.ok()?;
        match end {
            _ if has_cycle => Some(false),
            _ if has_win && goal == Goal::Solution => Some(true),
            End::Complete => Some(has_win || goal == Goal::NoCycle),
            End::Enough => {
                self.reached(Reason::ManyTrips);
                None
            }
            End::Limit(reason) => {
                self.reached(reason);
                None
            }
        }
    }

    /// The ways one of which has to be redirected, each with every new end.
    fn branches(&mut self, network: &Network, taken: &[Redirect]) -> Option<Vec<Redirect>> {
        let candidates = self.candidates(network)?;
        let mut branches = Vec::new();
        let mut known = Vec::new();
        for way in candidates {
            // What was redirected once stays: another end would have been another branch.
            if known.contains(&way) || taken.iter().any(|(other, _)| *other == way) {
                continue;
            }
            known.push(way);
            // A gate that leads nowhere has no arc to redirect.
            let Some(old) = network.end(way) else { continue };
            let ends = (0..network.nodes.len()).filter(|&end| end != way.0 && end != old);
            branches.extend(ends.map(|end| (way, end)));
        }
        Some(branches)
    }

    /// Those of forks whose ways have merged, whether or not a trip takes them; else of a cyclic trip; else of any trip.
    fn candidates(&mut self, network: &Network) -> Option<Vec<Way>> {
        let merged = self.merged_forks(network);
        if !merged.is_empty() {
            return Some(network.ways().into_iter().filter(|way| merged.contains(&way.0)).collect());
        }
        if self.options.goal != Goal::Solution
            && let Some(trip) = self.a_cycle(network)?
        {
            return Some(trip.taken(network));
        }
        let found = self.measured(network)?;
        Some(network.ways().into_iter().filter(|&way| found.takes(way)).collect())
    }

    /// The first cyclic trip, if there is one; `None` if a limit leaves that open.
    fn a_cycle(&mut self, network: &Network) -> Option<Option<Trip>> {
        let mut a_cycle = None;
        let simulated = self.simulate(network, &mut |ended| {
            if ended.outcome == Outcome::Cycle {
                a_cycle = Some((ended.trip)());
                return Ok(ControlFlow::Break(()));
            }
            Ok(ControlFlow::Continue(()))
        });
        if let Some(reason) = simulated.ok()?.1.reason() {
            self.reached(reason);
            return None;
        }
        Some(a_cycle)
    }
}

fn label((node, state): Way, network: &Network) -> String {
    match &network.nodes[node].kind {
        Kind::Fork { color, .. } => format!("{} at {}", network.nodes[node].name, network.colors[*color].states[state]),
        _ => network.nodes[node].name.to_string(),
    }
}

/// The repair, as comments.
fn words(
    network: &Network,
    repaired: &Repaired,
    facts: &Facts,
    keep_forks: bool,
    rules: &Rules,
    [before, after]: [&Measure; 2],
) -> Vec<String> {
    let name = |node: NodeId| network.nodes[node].name.as_str();
    let number = repaired.redirects.len() as u64;
    let arcs = native::count(number, "arc", "arcs");
    let kept = if keep_forks { ", and two ways of a fork that led to different nodes still do" } else { "" };
    let mut lines = vec![match (number, repaired.is_least) {
        (0, _) => "Nothing to repair.".to_owned(),
        (_, true) => format!("Repaired: {arcs} redirected{kept}; fewer would not do, {}.", rules.proven()),
        (_, false) => {
            format!("Repaired: {arcs} redirected{kept}. Whether fewer would do is not proven.")
        }
    }];
    for &(way, end) in &repaired.redirects {
        let old = network.end(way).map_or("nowhere", name);
        lines.push(format!("  {}: from {old} to {}", label(way, network), name(end)));
    }
    let is_circle = |&((node, _), _): &Redirect| network.nodes[node].name.as_str() == CIRCLE;
    if let (Some(plan), true) = (&facts.plan, repaired.redirects.iter().any(is_circle)) {
        let things: Vec<String> = plan.circle().iter().map(Term::text).collect();
        lines.push(format!("  ({CIRCLE}: where a train goes round over {} and meets nothing)", things.join(", ")));
    }
    let told = |found: &Measure| {
        let of = |outcome: Outcome| found.tally.of(outcome);
        let (wins, losses, cycles) = (of(Outcome::Win), of(Outcome::Loss) + of(Outcome::Stuck), of(Outcome::Cycle));
        [(wins, "win", "wins"), (losses, "loss", "losses"), (cycles, "cycle", "cycles")]
            .map(|(number, one, many)| native::count(number, one, many))
            .join(", ")
    };
    lines.push(format!(
        "Before: {}. Now: {}, of {}.",
        told(before),
        told(after),
        native::count(after.tally.total(), "configuration", "configurations")
    ));
    lines
}

fn as_json(
    network: &Network,
    repaired: &Repaired,
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
    let counts = |found: &Measure| Outcome::json(|outcome| json!(found.tally.of(outcome).to_string()));
    let object = json!({
        "schema": 1, "puzzle": "rail", "instance": names(&job.documents), "verdict": "solved",
        "redirected": repaired.redirects.iter().map(redirect).collect::<Vec<_>>(),
        "rules": &job.rules.name(), "least": repaired.is_least, "keep_forks": keep_forks,
        "before": counts(found[0]), "after": counts(found[1]),
        "program": program,
    });
    format!("{object:#}\n")
}

/// The repaired network, with what leads elsewhere drawn strong.
fn picture(mended: &Network, repaired: &Repaired, layout: Layout, stop: &Stop) -> Picture {
    let mut graph = drawing::graph(mended);
    let mut laid = drawing::laid(mended, layout, stop);
    for &((node, state), _) in &repaired.redirects {
        if let Some(arc) = graph.arcs.iter_mut().filter(|arc| arc.from == node).nth(state) {
            arc.emphasis = Emphasis::Strong;
        }
    }
    let mut sprites = laid.draw(&graph);
    sprites.extend(drawing::arrivals(&mended.starts, &laid.at));
    let caption = native::count(repaired.redirects.len() as u64, "arc redirected", "arcs redirected");
    Picture { title: caption.clone(), sprites, captions: vec![caption] }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::design::{Design, Size};
    use super::*;
    use crate::puzzle::rail::engines::Memory;

    fn options(goal: Goal) -> Options {
        Options { goal, keep_forks: false, engine: None, patience: u64::MAX, layout: Layout::default() }
    }

    fn mending<'a>(original: &'a Network, options: &'a Options, most: Most, stop: &'a Stop) -> Mending<'a> {
        let wins = 1_u32.into();
        Mending { original, options, wins, stop, patience: u64::MAX, looked: 0, most, limit: None }
    }

    fn random_network(forks: usize, gates: usize, random: &mut fastrand::Rng) -> Network {
        let size = Size { forks, gates, colors: 2, ways: (2, 2), planar: false, plan: false };
        Design::random(&size, random, &Stop::new()).expect("no plan is wanted").network
    }

    /// A network with several starts whose arcs mostly lead from fork to fork, so that one redirect does not mend it.
    fn cyclic_network(random: &mut fastrand::Rng) -> Network {
        let mut network = random_network(random.usize(3..=4), 0, random);
        let is_fork = |node: &NodeId| matches!(network.nodes[*node].kind, Kind::Fork { .. });
        let forks: Vec<NodeId> = (0..network.nodes.len()).filter(is_fork).collect();
        for way in network.ways() {
            let ends: Vec<NodeId> = forks.iter().copied().filter(|&end| end != way.0).collect();
            if let Some(&end) = random.choice(&ends).filter(|_| random.u8(..10) < 8) {
                network.redirect(way, end);
            }
        }
        network.starts = forks[..2].to_vec();
        network
    }

    /// The same search without excluded siblings, which meets the same sets of redirects in many orders.
    fn in_all_orders(
        mending: &mut Mending<'_>,
        network: &Network,
        level: usize,
        taken: &mut Vec<Redirect>,
        met: &mut BTreeSet<Vec<Redirect>>,
        best: &mut Option<(Vec<Redirect>, BigUint)>,
    ) {
        for (way, end) in mending.branches(network, taken).expect("no limit") {
            let next = redirected(network, &[(way, end)]);
            taken.push((way, end));
            if level > 1 {
                in_all_orders(mending, &next, level - 1, taken, met, best);
            } else {
                let mut set = taken.clone();
                set.sort_unstable();
                met.insert(set);
                assert!(mending.look(&next, taken, best));
            }
            taken.pop();
        }
    }

    #[test]
    fn excluded_siblings_leave_the_least_repairs_as_they_are() {
        let mut random = fastrand::Rng::with_seed(5);
        let (stop, most) = (Stop::new(), Most::trips(MOST_TRIPS));
        let (mut orders, mut looked, mut repairs) = (0, 0, 0);
        for round in 0..24 {
            let network = cyclic_network(&mut random);
            let options = options([Goal::Both, Goal::NoCycle, Goal::Solution][round % 3]);
            for level in 1..=3 {
                let (mut best, mut met) = (None, BTreeSet::new());
                let mut all = mending(&network, &options, most, &stop);
                in_all_orders(&mut all, &network, level, &mut Vec::new(), &mut met, &mut best);
                let mut once = mending(&network, &options, most, &stop);
                let mut found = None;
                assert!(once.level(level, &mut found));
                assert_eq!(found, best, "round {round}, {level} arcs");
                assert!(once.looked <= met.len() as u64, "round {round}, {level} arcs");
                (orders, looked) = (orders + all.looked, looked + once.looked);
                if best.is_some() {
                    repairs += 1;
                    break;
                }
            }
        }
        assert!(repairs > 0 && looked < orders, "{repairs} {orders} {looked}");
    }

    #[test]
    fn a_network_over_a_limit_is_passed_over_and_the_search_goes_on() {
        let mut random = fastrand::Rng::with_seed(8);
        let (stop, goal) = (Stop::new(), options(Goal::NoCycle));
        // No trip may be on its way when the memory is looked at, which is after every 4096 steps of all trips together.
        let memory = Memory { bytes: 0, reason: Reason::LongTrip };
        let is_passed_over = |_: usize| {
            let size = Size { forks: 14, gates: 3, colors: 3, ways: (2, 3), planar: false, plan: false };
            let network = Design::random(&size, &mut random, &stop).expect("no plan is wanted").network;
            let mut every = |_: &Leaf<'_>| Ok(ControlFlow::Continue(()));
            let any = Pattern::any(&network);
            let simulated = simulation::simulate(&network, GateRule::DynamicGate, &any, &stop, &mut every);
            if simulated.is_ok_and(|(work, _)| !(2500..4096).contains(&work.steps)) {
                return false;
            }
            let mut search = mending(&network, &goal, Most { memory, ..Most::trips(MOST_TRIPS) }, &stop);
            search.patience = 100_000;
            let is_repaired = search.repair().is_some();
            assert_eq!(stop.requested(), None);
            is_repaired && search.limit == Some(Reason::LongTrip)
        };
        assert!((0..2000).any(is_passed_over), "no network on the way to a repair is over the limit");
    }
}
