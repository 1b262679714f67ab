//! `asp-solve generate amphipod`: generates burrows whose cheapest plan has a given energy and
//! number of moves.
//!
//! Each amphipod that must leave its room makes two moves, so their number is known without a
//! search. Hill climbing exchanges pairs of amphipods and undoes an exchange that increases the
//! distance from the request.

use std::ops::ControlFlow;

use base::diagnostic::{Code, Diagnostic, Failure};
use base::ending::Verdict;
use base::stop::StopReason;
use clap::Args;
use puzzle::generated::{Generated, GeneratedBoard};
use puzzle::job::{Job, Limits};
use puzzle::one_player::{OnePlayer, Plan};
use puzzle::values::{Range, range};
use puzzle::{Console, OptionDeclaration, Tool, ToolInput, ToolOutput, native};

use super::burrow::{Burrow, Kind, MAX_DEPTH, MAX_ROOMS, step_cost};
use super::options::{Amphipod, AmphipodEngine, AmphipodPlan};
use super::text;

#[derive(Debug, Clone, Copy)]
pub struct GenerateBurrow;

#[derive(Debug, Clone, Args)]
pub struct BurrowGeneratorOptions {
    /// Number of rooms, one for each kind
    #[arg(long, value_name = "N", default_value_t = 4)]
    rooms: usize,
    /// Cells of each room
    #[arg(long, value_name = "N", default_value_t = 2)]
    depth: usize,
    /// Least energy that gets everyone home: a number, or MIN..MAX
    #[arg(long, value_name = "MIN..MAX", value_parser = range::<u64>)]
    energy: Option<Range<u64>>,
    /// Number of moves, two for each amphipod that must leave its room: a number, or MIN..MAX
    #[arg(long, value_name = "MIN..MAX", value_parser = range::<usize>)]
    moves: Option<Range<usize>>,
    /// Include a cheapest plan, in lines that begin with %
    #[arg(long)]
    solution: bool,
}

/// Maximum number of exchanges before a restart, and of restarts.
const SWAPS: usize = 400;
const RESTARTS: usize = 100;
/// Maximum number of nodes of a search; burrows that need more are skipped.
const MAX_NODES: u64 = 50_000;

impl Tool for GenerateBurrow {
    fn name(&self) -> &'static str {
        "generate"
    }

    fn about(&self) -> &'static str {
        "Generate a burrow with a given least energy and number of moves"
    }

    fn options(&self) -> OptionDeclaration {
        OptionDeclaration::of::<BurrowGeneratorOptions>()
    }

    fn input(&self) -> ToolInput {
        ToolInput::Seed
    }

    fn run(&self, job: &Job, console: &mut Console<'_>) -> Result<ToolOutput, Failure> {
        let options = &*job.tool_options::<BurrowGeneratorOptions>()?;
        validate(options).map_err(|error| Diagnostic::error(Code::Usage, error))?;
        let mut random = fastrand::Rng::with_seed(job.seed);
        let (Candidate { burrow, plan, .. }, reason) = match search(options, &mut random, job, console).best() {
            Ok(best) => best,
            Err(reason) => {
                let text = "no burrow was found from which all amphipods can get home";
                return Ok(ToolOutput::incomplete(text, String::new(), reason));
            }
        };
        let (energy, moves) = (burrow.energy(&plan), plan.0.len());
        let lack = reason.map(|reason| {
            let energy = (!fits(&options.energy, energy)).then(|| format!("it takes {energy} units of energy"));
            let moves = (!fits(&options.moves, moves)).then(|| format!("it takes {moves} moves"));
            (energy.into_iter().chain(moves).collect::<Vec<_>>().join(", "), reason)
        });
        let rooms = burrow.rooms.len();
        let line = |action| format!("  {}", text::move_words(rooms, action).join(" "));
        let (energy, moves) = (Amphipod::WORDS.cost(energy), native::count(moves as u64, "move", "moves"));
        let generated = GeneratedBoard {
            puzzle: &Amphipod,
            board: &burrow,
            plan: &plan,
            what: format!(
                "A burrow of {rooms} rooms with {} each",
                native::count(burrow.depth as u64, "cell", "cells")
            ),
            proven: format!("Everyone gets home for {energy} in {moves} (proven optimal by A*)"),
            solution: if options.solution { plan.0.iter().map(line).collect() } else { Vec::new() },
            lines: burrow.drawing(),
        };
        generated.output(job.seed, lack)
    }
}

fn fits<T: PartialOrd>(range: &Option<Range<T>>, value: T) -> bool {
    range.as_ref().is_none_or(|range| range.contains(&value))
}

/// Rejects requests that no burrow can satisfy.
fn validate(options: &BurrowGeneratorOptions) -> Result<(), String> {
    let BurrowGeneratorOptions { rooms, depth, ref energy, ref moves, .. } = *options;
    let (least, most) = moves.as_ref().map_or((None, None), |moves| (moves.least, moves.most));
    let (least_energy, most_energy) = energy.as_ref().map_or((None, None), |energy| (energy.least, energy.most));
    let most_moves = 2 * rooms.saturating_mul(depth);
    // At most, every amphipod goes up, along the whole hallway and back, and down.
    let steps = || 2 * (depth + 2 * rooms + 2) as u64 * depth as u64;
    let limit = || (0..rooms as Kind).map(|kind| step_cost(kind) * steps()).sum();
    Err(match (least, least_energy) {
        _ if !(2..=MAX_ROOMS).contains(&rooms) => format!("--rooms {rooms}: expected 2 to {MAX_ROOMS}"),
        _ if !(1..=MAX_DEPTH).contains(&depth) => format!("--depth {depth}: expected 1 to {MAX_DEPTH}"),
        (Some(least), _) if least > most_moves => {
            format!("--moves {least}: no amphipod moves more than twice, {most_moves} moves in all")
        }
        (Some(least), _) if Some(least) == most && least % 2 == 1 => {
            "--moves: everyone who leaves a room moves twice, so the number is even".to_owned()
        }
        _ if most.is_some_and(|most| most < 4) => {
            "--moves: at least two amphipods start away from home, so it takes 4 moves or more".to_owned()
        }
        _ if most_energy == Some(0) => {
            "--energy: at least two amphipods start away from home, so it takes some".to_owned()
        }
        (_, Some(least)) if least > limit() => {
            let limit = native::count(limit(), "unit", "units");
            format!("--energy {least}: no burrow of {rooms} rooms with {depth} cells takes more than {limit}")
        }
        _ => return Ok(()),
    })
}

/// A burrow, a cheapest plan, and the distance from the request.
struct Candidate {
    burrow: Burrow,
    plan: AmphipodPlan,
    distance: f64,
}

/// Climbs from random burrows until one satisfies the request.
fn search(
    options: &BurrowGeneratorOptions,
    random: &mut fastrand::Rng,
    job: &Job,
    console: &mut Console<'_>,
) -> Generated<Candidate> {
    let mut best: Option<Candidate> = None;
    let mut reason = StopReason::AttemptLimit;
    for number in 0..RESTARTS {
        (console.progress)(number as u64, RESTARTS as u64);
        let candidate = hill_climb(options, random, job);
        if candidate.distance.is_finite() && best.as_ref().is_none_or(|best| candidate.distance < best.distance) {
            best = Some(candidate);
        }
        if let Some(requested) = job.stop.requested() {
            reason = requested;
            break;
        }
        if best.as_ref().is_some_and(|best| best.distance == 0.0) {
            break;
        }
    }
    Generated::of(best, |best| best.distance == 0.0, reason)
}

/// Improves a random burrow by hill climbing until it satisfies the request or the exchanges are
/// used up.
fn hill_climb(options: &BurrowGeneratorOptions, random: &mut fastrand::Rng, job: &Job) -> Candidate {
    let BurrowGeneratorOptions { rooms, depth, .. } = *options;
    let mut kinds: Vec<Kind> = (0..rooms * depth).map(|cell| (cell / depth) as Kind).collect();
    random.shuffle(&mut kinds);
    let burrow = |kinds: &[Kind]| Burrow {
        depth,
        hallway: vec![None; rooms + 3],
        rooms: kinds.chunks(depth).map(|room| room.iter().copied().map(Some).collect()).collect(),
    };
    let mut best = evaluate(burrow(&kinds), options, job);
    for _ in 0..SWAPS {
        if best.distance == 0.0 || job.stop.requested().is_some() {
            break;
        }
        let (first, second) = (random.usize(..kinds.len()), random.usize(..kinds.len()));
        kinds.swap(first, second);
        let candidate = evaluate(burrow(&kinds), options, job);
        if candidate.distance <= best.distance {
            best = candidate;
        } else {
            kinds.swap(first, second);
        }
    }
    best
}

fn evaluate(burrow: Burrow, options: &BurrowGeneratorOptions, job: &Job) -> Candidate {
    let limits = Limits { nodes: Some(MAX_NODES), ..Limits::default() };
    let job = Job::default().limits(limits).cancel_token(job.stop.clone());
    let mut plan = Plan(Vec::new());
    let result = Amphipod.search(&burrow, AmphipodEngine::Astar, &job, &mut |candidate| {
        plan = candidate;
        Ok(ControlFlow::Continue(()))
    });
    if !result.is_ok_and(|end| end.verdict == Verdict::Solved && end.complete) {
        return Candidate { burrow, plan, distance: f64::INFINITY };
    }
    // Reject burrows that are already solved.
    let penalty = if plan.0.is_empty() { 10.0 } else { 0.0 };
    let distance = penalty
        + 2.0 * distance_outside(&options.moves, plan.0.len() as f64, |&moves| moves as f64)
        + 10.0
            * distance_outside(&options.energy, (burrow.energy(&plan) as f64).ln_1p(), |&energy| {
                (energy as f64).ln_1p()
            });
    Candidate { burrow, plan, distance }
}

/// Returns the distance of a value from a range.
fn distance_outside<T>(range: &Option<Range<T>>, value: f64, measure: impl Fn(&T) -> f64) -> f64 {
    let Some(Range { least, most }) = range else { return 0.0 };
    let below = least.as_ref().map_or(0.0, |least| measure(least) - value);
    let above = most.as_ref().map_or(0.0, |most| value - measure(most));
    below.max(above).max(0.0)
}
