//! `asp-solve generate rail`: networks with what was asked for, proven.
//!
//! A random network seldom is a good puzzle: of Deponia's size about one in thousands has a solution, not too many, and no cycle. But
//! it can be mended. Again and again the ends of two arcs change places, and what is not worse is kept, or at times a little
//! worse (simulated annealing at one temperature); what is missing is a number (cyclic trips, wins too many or too few, nodes
//! that no trip meets, …). Which arcs: those of a trip that should not be as it is, mostly, and now and then any. After too many
//! changes another random network is begun.
//!
//! What comes out is checked as a stranger's network would be: by the simulation and by the encoding, which must find the same
//! trips, and by replaying each.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::str::FromStr;

use clap::Args;
use num_bigint::BigUint;

use super::design::{self, Change, Design, Size};
use super::measure::{self, Depth, Difficulty, Measure, Most};
use crate::asp;
use crate::diagnostic::{Diagnostic, Failure};
use crate::document::Document;
use crate::job::{Job, Rules};
use crate::puzzle::rail::engines::{grounded, simulation};
use crate::puzzle::rail::network::plan::Plan;
use crate::puzzle::rail::network::{Kind, Network, Node, NodeId, Way};
use crate::puzzle::rail::network::{instance, lines, writing};
use crate::puzzle::rail::trips::replay;
use crate::puzzle::rail::trips::{GateRule, Leaf, Outcome, Pattern, Trip};
use crate::puzzle::rail::{DYNAMIC_GATE, instance_program, takes_grounding};
use crate::puzzle::values::{Range, range};
use crate::puzzle::{self, Console, Done, Encoding, Takes, Tool, has_options, native};
use crate::stop::{Reason, Stop};

#[derive(Debug, Clone, Copy)]
pub struct Generate;

#[derive(Debug, Clone, Args)]
pub struct Options {
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
    /// Number of different ways to a target, by the nodes that they pass
    #[arg(long, value_name = "MIN..MAX", value_parser = range::<u32>)]
    winning_paths: Option<Range<u32>>,
    /// Least number of steps of every win
    #[arg(long, value_name = "N", default_value_t = 0)]
    min_steps: usize,
    /// Least number of gates that every win crosses
    #[arg(long, value_name = "K", default_value_t = 0)]
    through_gates: usize,
    /// Each gate decides on some winning trip: with another colour the trip is lost
    #[arg(long)]
    gates_matter: bool,
    /// Allow forks with two ways to the same node
    #[arg(long)]
    false_forks: bool,
    /// Allow forks and sides of gates that no trip meets
    #[arg(long)]
    unreachable: bool,
    /// Some trip meets every fork and every side of a gate [default up to 1,000 forks]
    #[arg(long, conflicts_with = "unreachable")]
    all_reachable: bool,
    // What is the default now, for those who have asked for it before.
    #[arg(long, hide = true, conflicts_with = "false_forks")]
    no_false_forks: bool,
    /// A track without crossings: nodes have positions, and there are several losses
    #[arg(long)]
    planar: bool,
    /// A plan of tracks instead: trains also come to forks from behind, and no tracks cross, with --planar or without it
    #[arg(long)]
    plan: bool,
    /// In bits, as `asp-solve rate` reports it
    #[arg(long, value_name = "MIN..MAX", value_parser = range::<Bits>)]
    difficulty: Option<Range<Bits>>,
}

/// A number that may have a fraction.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
struct Bits(f64);

impl FromStr for Bits {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        text.parse().ok().filter(|bits: &f64| bits.is_finite() && *bits >= 0.0).map(Bits).ok_or(())
    }
}

/// Sizes beyond these are refused.
const MOST_FORKS: usize = 100_000;
const MOST_COLORS: usize = 60;
const MOST_GATES: usize = 60;
const MOST_WAYS: usize = 9;
const MOST_PLANNED: usize = 1_000;
/// Of a fork whose tracks are drawn on a grid.
const MOST_BRANCHES: usize = 3;

/// Changes of one network before another is begun, for each of its arcs; networks that are begun before it is given up.
const CHANGES_PER_WAY: usize = 150;
const NETWORKS: usize = 100;
/// How much worse a network may become, on the average; of 0, 0.15, 0.4, 0.8 and 1.3 the fastest, most of all for plane networks.
const TEMPERATURE: f64 = 0.8;
/// Networks with more forks need not be met all over, if nobody asks: that would take minutes.
const MET_ALL_OVER: usize = 1_000;
/// A network with more distinct trips is no puzzle that can be mended.
const MOST_TRIPS: u64 = 200_000;
/// So many trips are replayed, and compared one by one.
const MOST_REPLAYED: usize = 20_000;

impl Tool for Generate {
    has_options!(Options);

    fn name(&self) -> &'static str {
        "generate"
    }

    fn about(&self) -> &'static str {
        "Generate a railway with guaranteed properties"
    }

    fn takes(&self) -> Takes {
        Takes::Seed
    }

    fn encoding(&self) -> Option<Encoding> {
        Some(DYNAMIC_GATE)
    }

    fn run(&self, job: &Job, console: &mut Console<'_>) -> Result<Done, Failure> {
        let options = &*job.options::<Options>();
        let rules = Rules::of(&[DYNAMIC_GATE], &[], &job.encodings, &[]);
        if !rules.are_shipped() {
            return Err(puzzle::knows_not("generate", &rules).into());
        }
        let wanted = Wanted::of(options)?;
        let mut random = fastrand::Rng::with_seed(job.seed);
        let (found, reason) = search(&wanted, &mut random, job, console);
        let Some(State { design, measure: Some(measure), lacks, .. }) = found else {
            let reason = reason.unwrap_or(Reason::Attempts);
            return Ok(Done::short_of("no network could be measured", String::new(), reason));
        };
        let lacks: Vec<String> = lacks.into_iter().map(|lack| lack.words).collect();
        let mut comments = comments(&design.network, &wanted, &measure, &lacks, job.seed, &job.stop);
        let text = written(&design, &comments)?;
        if !lacks.is_empty() {
            let reason = reason.unwrap_or(Reason::Attempts);
            return Ok(Done::short_of(&lacks.join(", "), text, reason));
        }
        match certify(&design, &text, &wanted, &measure, &job.stop)? {
            Ok(proof) => {
                comments.push(proof);
                Ok(Done::solved(written(&design, &comments)?))
            }
            Err(reason) => Ok(Done::short_of("it was not proven", text, reason)),
        }
    }
}

/// What was asked for, after it was found possible as far as one can tell beforehand.
struct Wanted {
    size: Size,
    /// 1 to a sixteenth of the configurations if nothing was said, or enough for the winning paths.
    wins: Option<Range<BigUint>>,
    winning_paths: Option<Range<u32>>,
    depth: Depth,
    gates_matter: bool,
    no_false_forks: bool,
    all_reachable: bool,
    difficulty: Option<Range<Bits>>,
}

impl Wanted {
    fn of(options: &Options) -> Result<Self, Failure> {
        let wrong = |text: String| Err(Diagnostic::error(text).into());
        let Options { forks, gates, colors, .. } = *options;
        let (fewest, most) = (options.ways.least.unwrap_or(2), options.ways.most.unwrap_or(MOST_WAYS));
        if forks == 0 || forks > MOST_FORKS {
            return wrong(format!("--forks {forks}: expected 1 to {MOST_FORKS}"));
        }
        if colors == 0 || colors > MOST_COLORS || colors > forks {
            return wrong(format!(
                "--colors {colors}: expected 1 to {}, since every colour needs a fork",
                forks.min(MOST_COLORS)
            ));
        }
        if gates > MOST_GATES {
            return wrong(format!("--gates {gates}: expected at most {MOST_GATES}"));
        }
        if fewest < 2 || !(2..=MOST_WAYS).contains(&most) {
            return wrong(format!("--ways: expected whole numbers from 2 to {MOST_WAYS}"));
        }
        if options.through_gates > gates {
            return wrong(format!("--through-gates {}: impossible with --gates {gates}", options.through_gates));
        }
        // At most as many as there are; how many there are the levers decide.
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
            return wrong("--winning-paths: at least one was wanted".to_owned());
        }
        let paths = options.winning_paths.as_ref().and_then(|paths| paths.least).unwrap_or_default();
        let most_wins = options.wins.as_ref().and_then(|wins| wins.most.as_ref()).unwrap_or(&all);
        if BigUint::from(paths) > *most_wins {
            return wrong(format!("--winning-paths {paths}: cannot be met, at most {most_wins} configurations win"));
        }
        let ends = forks - 1 + 2 * gates + 2;
        if fewest > ends && !options.false_forks {
            let text = format!("--ways {fewest}: a fork can lead to {ends} other nodes");
            return Err(Diagnostic::error(text).help("--false-forks allows two ways to one node").into());
        }
        let longest = lever_states * (forks + 2 * gates) + 1_u32;
        if BigUint::from(options.min_steps) > longest {
            return wrong(format!(
                "--min-steps {}: impossible, no trip without a cycle has more than {longest} steps",
                options.min_steps
            ));
        }
        if options.plan && forks > MOST_PLANNED {
            return wrong(format!("--forks {forks}: a plan has at most {MOST_PLANNED}"));
        }
        if options.plan && most > MOST_BRANCHES {
            return wrong(format!("--ways {most}: a fork of a plan has at most {MOST_BRANCHES} branches"));
        }
        let planar = options.planar || options.plan;
        let size = Size { forks, gates, colors, ways: (fewest, most), planar, plan: options.plan };
        Ok(Wanted {
            size,
            wins: options.wins.clone(),
            depth: Depth { steps: options.min_steps, gates: options.through_gates },
            winning_paths: options.winning_paths.clone(),
            gates_matter: options.gates_matter,
            no_false_forks: !options.false_forks,
            all_reachable: options.all_reachable || !options.unreachable && forks <= MET_ALL_OVER,
            difficulty: options.difficulty.clone(),
        })
    }

    /// The fewest and the most wins that a network with so many configurations may have; `None` for any number.
    fn wins(&self, all: &BigUint) -> (BigUint, Option<BigUint>) {
        let one = BigUint::from(1_u32);
        match &self.wins {
            None => {
                let paths = self.winning_paths.as_ref().and_then(|paths| paths.least).unwrap_or_default();
                (one.clone(), Some((all / 16_u32).max(one).max(BigUint::from(paths) * 2_u32)))
            }
            Some(Range { least, most }) => (least.clone().unwrap_or_default().max(one), most.clone()),
        }
    }

    /// What a network lacks; nothing if it is as was wanted.
    fn lacks(&self, network: &Network, found: &Measure, stop: &Stop) -> Vec<Lack> {
        let mut lacks = Vec::new();
        let mut lack = |kind, weight: f64, words: String| lacks.push(Lack { kind, weight, words });
        let cycles = found.tally.trips(Outcome::Cycle);
        if cycles > 0 {
            lack(
                Missing::CycleFree,
                3.0 * cycles as f64,
                format!("{} without end", native::count(cycles, "trip", "trips")),
            );
        }
        let wins = found.tally.of(Outcome::Win);
        let (least, most) = self.wins(&found.tally.total());
        if wins < least {
            let weight = if found.has_win() { 2.0 + 4.0 * measure::bits(&least, &wins) } else { 30.0 };
            lack(
                Missing::Wins,
                weight,
                format!(
                    "{} (at least {least} requested)",
                    native::count(&wins, "configuration wins", "configurations win")
                ),
            );
        } else if let Some(most) = most
            && wins > most
        {
            let weight = 2.0 + 2.0 * measure::bits(&wins, &most);
            lack(
                Missing::Losses,
                weight,
                format!(
                    "{} (at most {most} requested)",
                    native::count(&wins, "configuration wins", "configurations win")
                ),
            );
        }
        if found.short_wins > 0 {
            let words = format!(
                "a win has {} (at least {} requested)",
                native::count(found.shortest_win as u64, "step", "steps"),
                self.depth.steps
            );
            lack(Missing::Losses, 4.0 * found.short_wins as f64, words);
        }
        if found.shallow_wins > 0 {
            let words = format!(
                "a win crosses {} (at least {} requested)",
                native::count(found.fewest_gates as u64, "gate", "gates"),
                self.depth.gates
            );
            lack(Missing::Losses, 4.0 * found.shallow_wins as f64, words);
        }
        if self.no_false_forks {
            let number = false_forks(network).count();
            if number > 0 {
                let words =
                    native::count(number as u64, "fork leads to one node twice", "forks lead to one node twice");
                lack(Missing::TrueForks, number as f64, words);
            }
        }
        if self.all_reachable {
            let number = unmet(network, found).count();
            if number > 0 {
                let words = native::count(number as u64, "node is never met", "nodes are never met");
                lack(Missing::Reach, number as f64, words);
            }
        }
        if let (Some(Range { least, most }), true) = (&self.winning_paths, lacks.is_empty()) {
            // Whoever stopped it has not counted them all: the least is not reached, as far as anybody knows.
            let paths = measure::winning_paths(network, stop).unwrap_or_default();
            let (few, many) =
                (least.filter(|&least| paths < least as usize), most.filter(|&most| paths > most as usize));
            if let Some(bound) = few.or(many) {
                let (kind, wanted) =
                    if few.is_some() { (Missing::Wins, "at least") } else { (Missing::Losses, "at most") };
                let words =
                    format!("{wanted} {} (it has {paths})", native::count(bound, "winning path", "winning paths"));
                let weight = 2.0 + 2.0 * (f64::from(bound) / paths.max(1) as f64).log2().abs();
                lacks.push(Lack { kind, weight, words });
            }
        }
        if self.gates_matter && lacks.is_empty() {
            let idle = network.gates.len() - measure::gates_that_matter(network, stop).0;
            if idle > 0 {
                let words = format!("a use of {}", native::count(idle as u64, "gate", "gates"));
                lacks.push(Lack { kind: Missing::Decisions, weight: 2.0 * idle as f64, words });
            }
        }
        if let (Some(Range { least, most }), true) = (&self.difficulty, lacks.is_empty()) {
            let bits = Difficulty::of(network, found, stop).bits();
            let off = least.map_or(0.0, |least| least.0 - bits).max(most.map_or(0.0, |most| bits - most.0));
            if off > 0.0 {
                let words = format!("the difficulty is {bits:.1} bits");
                lacks.push(Lack { kind: Missing::Difficulty, weight: off, words });
            }
        }
        lacks
    }
}

#[derive(Debug, Clone)]
struct Lack {
    kind: Missing,
    weight: f64,
    words: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Missing {
    CycleFree,
    Wins,
    Losses,
    TrueForks,
    Reach,
    Decisions,
    Difficulty,
}

/// Forks all of whose ways lead to one node, or two of them.
fn false_forks(network: &Network) -> impl Iterator<Item = Way> {
    let repeated = |(node, drawn): (usize, &Node)| match &drawn.kind {
        Kind::Fork { ways, .. } => {
            (0..ways.len()).find(|&state| ways[..state].contains(&ways[state])).map(|state| (node, state))
        }
        _ => None,
    };
    network.nodes.iter().enumerate().filter_map(repeated)
}

/// Forks and sides of gates that no trip meets.
fn unmet(network: &Network, found: &Measure) -> impl Iterator<Item = usize> {
    let is_inner = |node: &usize| matches!(network.nodes[*node].kind, Kind::Fork { .. } | Kind::Gate { .. });
    (0..network.nodes.len()).filter(is_inner).filter(|&node| !found.is_met[node])
}

/// A network, what it lacks, and how much that is.
struct State {
    design: Design,
    measure: Option<Measure>,
    lacks: Vec<Lack>,
    weight: f64,
}

/// The best network that was found, and why the search was stopped if it was.
fn search(
    wanted: &Wanted,
    random: &mut fastrand::Rng,
    job: &Job,
    console: &Console<'_>,
) -> (Option<State>, Option<Reason>) {
    let mut best: Option<State> = None;
    for number in 0..NETWORKS {
        (console.progress)(number as u64, NETWORKS as u64);
        let Some(state) = mended(wanted, random, &job.stop) else { break };
        if best.as_ref().is_none_or(|best| state.weight < best.weight) {
            best = Some(state);
        }
        if job.stop.requested().is_some() || best.as_ref().is_some_and(|best| best.weight == 0.0) {
            break;
        }
    }
    (best, job.stop.requested())
}

/// A random network, changed until it lacks nothing or the changes are used up; the best on the way.
fn mended(wanted: &Wanted, random: &mut fastrand::Rng, stop: &Stop) -> Option<State> {
    let mut design = Design::random(&wanted.size, random, stop)?;
    let (mut measure, mut lacks, mut weight) = assessed(&design.network, wanted, random, stop);
    let mut best = State { design: design.clone(), measure: measure.clone(), lacks: lacks.clone(), weight };
    for _ in 0..CHANGES_PER_WAY * design.ways.len() {
        if weight == 0.0 || stop.requested().is_some() {
            break;
        }
        let change = proposal(&design, wanted, measure.as_ref(), &lacks, random);
        let Some(before) = design.change(change, random) else { continue };
        let (next, next_lacks, next_weight) = assessed(&design.network, wanted, random, stop);
        if next_weight <= weight - TEMPERATURE * random.f64().max(1e-9).ln() {
            (measure, lacks, weight) = (next, next_lacks, next_weight);
            if weight < best.weight {
                best = State { design: design.clone(), measure: measure.clone(), lacks: lacks.clone(), weight };
            }
        } else {
            design.undo(before);
        }
    }
    Some(best)
}

fn assessed(
    network: &Network,
    wanted: &Wanted,
    random: &mut fastrand::Rng,
    stop: &Stop,
) -> (Option<Measure>, Vec<Lack>, f64) {
    // Of the lost trips one is kept that could have been a win: long enough, and over enough gates.
    let mut has_deep = false;
    let mut pick = |ended: &Leaf<'_>| match ended.outcome {
        Outcome::Win | Outcome::Cycle => random.u8(..3) == 0,
        _ => {
            let is_deep = wanted.depth.is_met_by(ended);
            let picked = is_deep && (!has_deep || random.u8(..3) == 0);
            has_deep |= is_deep;
            picked
        }
    };
    let Ok(found) = measure::measure(network, wanted.depth, Most::trips(MOST_TRIPS), stop, &mut pick) else {
        return (None, Vec::new(), f64::INFINITY);
    };
    let lacks = wanted.lacks(network, &found, stop);
    let weight = lacks.iter().map(|lack| lack.weight).sum();
    (Some(found), lacks, weight)
}

/// A change from where something is wrong.
fn proposal(
    design: &Design,
    wanted: &Wanted,
    found: Option<&Measure>,
    lacks: &[Lack],
    random: &mut fastrand::Rng,
) -> Change {
    let any = |random: &mut fastrand::Rng| design.ways[random.usize(..design.ways.len())];
    let (mut one, mut other) = (any(random), any(random));
    let (Some(found), false) = (found, random.u8(..5) == 0) else {
        return Change::Exchange(one, other);
    };
    if lacks.is_empty() {
        return Change::Exchange(one, other);
    }
    let mut end = None;
    let network = &design.network;
    let ends_at = |end: usize, random: &mut fastrand::Rng| {
        let there: Vec<Way> = design.ways.iter().copied().filter(|&way| design.end(way) == end).collect();
        random.choice(there)
    };
    let on = |trip: &Option<Trip>, from: usize, may: &dyn Fn(Way) -> bool, random: &mut fastrand::Rng| {
        let ways = trip.as_ref().map_or_else(Vec::new, |trip| trip.taken(network));
        random.choice(ways.into_iter().skip(from).filter(|&way| may(way)).collect::<Vec<_>>())
    };
    let picked = match lacks[random.usize(..lacks.len())].kind {
        Missing::CycleFree => on(&found.a_cycle, 0, &|_| true, random),
        Missing::Wins => {
            let target = network.nodes.iter().position(|node| node.kind == Kind::Target).expect("there is a target");
            if let Some(there) = ends_at(target, random) {
                other = there;
            }
            // The way into the target comes after as many steps and gates as every win should have.
            let deep = found.an_end.as_ref().map_or(0, |trip| first_deep(network, trip, wanted.depth));
            end = Some(target).filter(|_| wanted.size.planar);
            on(&found.an_end, deep, &|way| design.may_lead(way, target), random)
        }
        Missing::Losses | Missing::Decisions | Missing::Difficulty => on(&found.a_win, 0, &|_| true, random),
        Missing::TrueForks => false_forks(network).nth(random.usize(..4)).or_else(|| false_forks(network).next()),
        Missing::Reach => {
            let nodes: Vec<usize> = unmet(network, found).collect();
            let node = random.choice(nodes);
            match node.and_then(|node| ends_at(node, random)) {
                Some(there) if !wanted.size.planar => other = there,
                _ => end = node,
            }
            // A way that is taken, to a node to which another one is taken as well.
            let may_lead = |way: &Way| node.is_none_or(|node| design.may_lead(*way, node));
            let taken: Vec<Way> = design.ways.iter().copied().filter(|&way| found.takes(way)).collect();
            let mut comes = vec![0; network.nodes.len()];
            taken.iter().for_each(|&way| comes[design.end(way)] += 1);
            let is_spare = |way: &Way| comes[design.end(*way)] > 1 && may_lead(way);
            let spare: Vec<Way> = taken.iter().copied().filter(is_spare).collect();
            random.choice(if spare.is_empty() { taken } else { spare })
        }
    };
    if let Some(picked) = picked {
        one = picked;
    }
    end.map_or(Change::Exchange(one, other), |end| Change::Lead(one, end))
}

/// The step of a trip from which on a way to the target makes a win that is deep enough.
fn first_deep(network: &Network, trip: &Trip, depth: Depth) -> usize {
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

/// The network as a program, or its plan as lines.
fn written(design: &Design, comments: &[String]) -> Result<String, Failure> {
    let Some(tracks) = &design.tracks else { return Ok(writing::program(&design.network, comments)) };
    let plan = Plan::read(&tracks.facts(&design.network))?;
    Ok(format!("{}\n{}", writing::head(comments), lines::write(&plan, true)?))
}

/// The certificate, as comments.
fn comments(
    network: &Network,
    wanted: &Wanted,
    found: &Measure,
    lacks: &[String],
    seed: u64,
    stop: &Stop,
) -> Vec<String> {
    let Size { gates, colors, .. } = wanted.size;
    let forks = network.forks();
    let of = |outcome: Outcome| found.tally.of(outcome);
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
        native::count(of(Outcome::Win), "wins", "win"),
        native::count(of(Outcome::Loss), "loses", "lose"),
        native::count(of(Outcome::Cycle), "goes on for ever", "go on for ever"),
        native::count(of(Outcome::Stuck), "gets stuck", "get stuck")
    ));
    if found.has_win() {
        lines.push(format!(
            "Wins take {} to {} steps and cross at least {}; the longest losing trip has {}.",
            found.shortest_win,
            found.longest_win,
            native::count(found.fewest_gates, "gate", "gates"),
            native::count(found.longest_loss, "step", "steps")
        ));
        let difficulty = Difficulty::of(network, found, stop);
        let parts: Vec<String> =
            difficulty.parts.iter().map(|part| format!("{} {:.1}", part.name, part.bits)).collect();
        lines.push(format!("Difficulty {:.1} bits: {}.", difficulty.bits(), parts.join(", ")));
    }
    if wanted.no_false_forks && false_forks(network).next().is_none() {
        lines.push("No fork has two ways to the same node.".to_owned());
    }
    if wanted.all_reachable && unmet(network, found).next().is_none() {
        lines.push("Every fork and every side of a gate is met by some trip.".to_owned());
    }
    if wanted.winning_paths.is_some()
        && let Some(paths) = measure::winning_paths(network, stop)
    {
        lines.push(format!("{} to a target, by the nodes passed.", native::count(paths, "way leads", "ways lead")));
    }
    if wanted.gates_matter && lacks.is_empty() {
        lines.push("On some winning trip each gate decides: in another colour the trip is lost.".to_owned());
    }
    if wanted.size.planar {
        let what = if wanted.size.plan { "tracks" } else { "arcs" };
        lines.push(format!("No two {what} cross when drawn as straight lines."));
    }
    if !lacks.is_empty() {
        lines.push(format!("NOT AS REQUESTED: {}.", lacks.join(", ")));
    }
    lines
}

/// Proves what is promised, from the written text: the encoding and the simulation find the same trips, the rules alone lead to
/// each, and the numbers are those of the comments. The inner error says why it was not brought to its end.
fn certify(
    design: &Design,
    text: &str,
    wanted: &Wanted,
    found: &Measure,
    stop: &Stop,
) -> Result<Result<String, Reason>, Failure> {
    let wrong = |text: &str| Err(Diagnostic::error(format!("{text}; this is a defect of asp-solve")).into());
    let network = &design.network;
    if wanted.size.planar && !design::is_plane(design) {
        return wrong("a network that should be planar has crossing arcs");
    }
    let document = Document::in_memory("generated", text);
    // clingo reads the text as anybody would; of a plan, the facts that follow from it.
    let program = if design.tracks.is_some() {
        let read =
            |document: &Document| instance::read(std::slice::from_ref(document), &asp::Settings::default(), stop);
        let (facts, said) = (read(&document)?, read(&Document::in_memory("network", writing::program(network, &[])))?);
        if !Network::from_facts(&facts)?.is_same(&Network::from_facts(&said)?) {
            return wrong("another network follows from the plan");
        }
        instance_program(&facts, &[document])
    } else {
        asp::Program::of([document])
    };
    let mut trips = Vec::new();
    let any = Pattern::any(network);
    let (work, end) = simulation::simulate(network, GateRule::DynamicGate, &any, stop, &mut |ended| {
        if trips.len() < MOST_REPLAYED {
            trips.push((ended.trip)());
        }
        Ok(ControlFlow::Continue(()))
    })?;
    if let Some(reason) = end.reason() {
        return Ok(Err(reason));
    }
    for trip in &trips {
        if let Err(error) = replay::check(network, trip) {
            return wrong(&format!("a trip does not pass the check: {error}"));
        }
    }
    if work.trips != found.distinct_trips() || found.tally.trips(Outcome::Cycle) > 0 {
        return wrong("the simulation does not find the same trips again");
    }
    if !takes_grounding(network) || trips.len() < work.trips as usize {
        return Ok(Ok(format!(
            "Checked by the simulation, and {} by replaying; too large for the encoding.",
            native::count(trips.len(), "trip", "trips")
        )));
    }
    let encodings: Vec<Document> =
        DYNAMIC_GATE.files.iter().map(|file| Document::in_memory(file.path, file.text)).collect();
    // A trip that the simulation has missed would reach the horizon, and be looked at again further on.
    let horizon = ("horizon".to_owned(), (work.longest + 1).to_string());
    // All answers of a small program: choosing well costs more than it saves.
    let options = vec!["--heuristic=none".to_owned()];
    let settings = asp::Settings { constants: vec![horizon], options, ..asp::Settings::default() };
    let rules = Rules::Shipped(DYNAMIC_GATE.name);
    let question = grounded::Question {
        network,
        program: &program,
        encodings: &encodings,
        settings: &settings,
        rules: &rules,
        gates: Some(GateRule::DynamicGate),
        outcomes: &[],
        pattern: &any,
        stop,
        job: None,
    };
    let mut others = Vec::new();
    let (_, ended, _) = grounded::trips(&question, &mut |ended| {
        others.push((ended.trip)());
        Ok(ControlFlow::Continue(()))
    })?;
    if !ended {
        return Ok(Err(stop.requested().unwrap_or(Reason::Unproven)));
    }
    trips.sort_by(Trip::compare);
    others.sort_by(Trip::compare);
    if trips != others {
        return wrong("the encoding and the simulation do not find the same trips");
    }
    if let Some(promise) = broken_promise(wanted, network, &others) {
        return wrong(&format!("by the trips that the encoding found, not {promise}"));
    }
    Ok(
        Ok("Checked by the encoding and by the simulation, which find the same trips, and by replaying each."
            .to_owned()),
    )
}

/// What was promised of winning paths and gates, and does not hold of all trips as the encoding has them.
fn broken_promise(wanted: &Wanted, network: &Network, trips: &[Trip]) -> Option<&'static str> {
    let wins = || trips.iter().filter(|trip| trip.outcome == Outcome::Win);
    let paths: BTreeSet<&[NodeId]> = wins().map(|trip| &trip.nodes[..]).collect();
    if wanted.winning_paths.as_ref().is_some_and(|range| !range.contains(&(paths.len() as u32))) {
        return Some("as many winning paths as were asked for");
    }
    let agree = |one: &Option<usize>, other: &Option<usize>| one.is_none() || other.is_none() || one == other;
    // Some configuration of the win has the other trip once the gate has another colour.
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
    let is_idle = wanted.gates_matter && !(0..network.gates.len()).all(matters);
    is_idle.then_some("every gate decides on a winning trip")
}
