//! Solves an instance with one of the engines, and confirms what clingo finds.

use std::ops::ControlFlow;

use base::diagnostic::Failure;
use base::ending::{SearchEnd, Verdict};
use base::stop::{CancelToken, StopReason};
use prover::Certification;
use puzzle::job::{Job, Show};
use puzzle::{AnswerSink, UnsolvableCause};
use serde_json::json;

use super::board::{RailBoard, RailOptions};
use super::encodings::gate_rules;
use super::engines::{Completion, EngineStats, MemoryLimit, TripEngine, backward, clingo, fits_clingo, simulation};
use super::network::instance::instance_program;
use super::trips::replay::{self, check_failure};
use super::trips::tally::{RailProof, Tally};
use super::trips::{GateRule, LazyTrip, Outcome, Trip};
use super::why;

pub fn solve(
    board: &RailBoard,
    engine: TripEngine,
    job: &Job,
    sink: AnswerSink<'_, Trip>,
) -> Result<SearchEnd<RailProof>, Failure> {
    let network = &board.network;
    let limit = answer_limit(board, job);
    let rules = gate_rules(&job.rules);
    let is_clingo = engine == TripEngine::Asp;
    let mut tally = Tally::default();
    let mut answers = 0;
    // Stored trips count against the memory limit too.
    let mut memory = job.engine.limits.memory.unwrap_or(u64::MAX);
    let mut is_full = false;
    let stores_trips = job.output.show != Show::Verdict || job.question.is_unique;
    let mut handle_trip = |leaf: &LazyTrip<'_>| {
        tally.count(leaf);
        let is_answer = board.accepted.contains(&leaf.outcome);
        answers += u64::from(is_answer);
        let is_last = is_answer && limit > 0 && answers >= limit;
        let flow = if board.shown.contains(&leaf.outcome) {
            let trip = (leaf.build)();
            let bytes = if stores_trips { trip.bytes() } else { 0 };
            is_full = bytes > memory;
            memory = memory.saturating_sub(bytes);
            sink(trip)?
        } else {
            // A trip from clingo is replayed even if it is only counted.
            if is_clingo && rules.is_some() {
                replay::check(network, &(leaf.build)()).map_err(check_failure)?;
            }
            ControlFlow::Continue(())
        };
        Ok(if is_last || is_full { ControlFlow::Break(()) } else { flow })
    };

    // Trips with other outcomes are needed only for counts over all trips.
    let outcomes = if limit == 0 || rules.is_none() { &[][..] } else { &board.shown };
    let (mut engine_stats, mut end, mut warnings) = find_trips(board, engine, outcomes, job, &mut handle_trip)?;
    if is_full {
        end = Completion::Limit(StopReason::MemoryLimit);
    }
    // Pictures show dead ends, so they need no warning.
    if matches!(job.output.show, Show::Answers | Show::Verdict) {
        warnings.extend(network.lone_ends(&board.facts));
    }
    if let (true, Completion::Complete, Some(rules), false) = (is_clingo, end, rules, outcomes.is_empty()) {
        match count_by_simulation(board, rules, &tally, &job.stop)? {
            Ok(counts) => tally = counts,
            Err(reason) => end = Completion::Limit(reason),
        }
    }
    let ended = end.is_complete();
    let certificate = certification(engine, answers, engine_stats.certificate.take(), job);
    let mut statistics = json!({});
    if limit == 0 || job.output.stats {
        statistics["search"] = engine_stats.json(engine, job.output.stats);
    }
    let verdict = match end.reason() {
        Some(reason) => Verdict::GaveUp(reason),
        _ if answers > 0 => Verdict::Solved,
        _ if ended => Verdict::Impossible,
        _ => Verdict::GaveUp(StopReason::Unproven),
    };
    let all = board.pattern.configurations(network);
    let cause = match (verdict, rules) {
        (Verdict::Impossible, Some(rules)) => cause(board, rules, &job.stop)?,
        _ => None,
    };
    let proof = RailProof { tally, all, counts_all: ended && limit == 0, cause, certificate };
    Ok(SearchEnd { verdict, complete: ended, proof, statistics, warnings })
}

/// Returns the number of answers after which a search ends, or 0 to find all trips.
fn answer_limit(board: &RailBoard, job: &Job) -> u64 {
    job.question.models.unwrap_or_else(|| match job.output.show {
        // `--configuration` asks for every trip that matches.
        _ if job.options::<RailOptions>().configuration.is_some() => 0,
        Show::Page => 0,
        // In small networks, find all trips, so that the first picture shows the first trip in
        // sorted order and not the first one found.
        Show::Pictures if fits_clingo(&board.network) => 0,
        _ => 1,
    })
}

/// Returns the certificate of clingo, or the reason why there is none.
fn certification(
    engine: TripEngine,
    answers: u64,
    certificate: Option<Certification>,
    job: &Job,
) -> Option<Certification> {
    match (engine, certificate) {
        (TripEngine::Simulation | TripEngine::Backward, _) if job.question.certify.is_requested() => {
            Some(Certification::uncertified("all", "no program stands behind this engine; --engine asp has one"))
        }
        (TripEngine::Asp, Some(_)) if job.question.is_unique && answers > 1 => {
            Some(Certification::uncertified("no other", "two answers that differ need no proof"))
        }
        (_, certificate) => certificate,
    }
}

/// Returns the reason why no trip wins, if wins are the only answers and no limit is reached.
fn cause(board: &RailBoard, rules: GateRule, stop: &CancelToken) -> Result<Option<UnsolvableCause>, Failure> {
    let RailBoard { network, pattern, accepted, facts, .. } = board;
    if accepted[..] != [Outcome::Win] {
        return Ok(None);
    }
    match why::backward_reach(network, rules, pattern, stop) {
        Ok(Some(reach)) => {
            reach.check(network).map_err(check_failure)?;
            Ok(Some(UnsolvableCause { parts: reach.parts(network, facts), is_smallest: false }))
        }
        // The verdict holds even if the search for its reasons reaches a limit.
        Ok(None) | Err(why::Interruption::Limit(_)) => Ok(None),
        Err(why::Interruption::Failed(failure)) => Err(failure),
    }
}

/// Passes every trip to `take`. Returns the statistics of the engine, whether it found all trips,
/// and warnings.
fn find_trips(
    board: &RailBoard,
    engine: TripEngine,
    outcomes: &[Outcome],
    job: &Job,
    take: clingo::TripSink<'_>,
) -> Result<(EngineStats, Completion, clingo::Warnings), Failure> {
    let RailBoard { network, pattern, .. } = board;
    let rules = gate_rules(&job.rules);
    let native = |(engine_stats, end)| (engine_stats, end, Vec::new());
    let memory = MemoryLimit::of(&job.engine.limits);
    match (engine, rules) {
        (TripEngine::Simulation, Some(rules)) => {
            simulation::simulate_with_limit(network, rules, pattern, memory, &job.stop, take).map(native)
        }
        (TripEngine::Backward, Some(rules)) => {
            backward::trips(network, rules, pattern, memory, &job.stop, take).map(native)
        }
        _ => {
            let program = instance_program(&board.facts, &job.sources.documents);
            let (engine_stats, ended, warnings) = clingo::trips(&trip_query(board, &program, outcomes, job), take)?;
            let end = match job.stop.requested() {
                _ if ended => Completion::Complete,
                Some(reason) => Completion::Limit(reason),
                None => Completion::Enough,
            };
            Ok((engine_stats, end, warnings))
        }
    }
}

pub fn trip_query<'a>(
    board: &'a RailBoard,
    program: &'a asp::Program,
    outcomes: &'a [Outcome],
    job: &'a Job,
) -> clingo::TripQuery<'a> {
    clingo::TripQuery {
        network: &board.network,
        program,
        encodings: &job.sources.encodings,
        settings: &job.engine.settings,
        rules: &job.rules,
        gate_rule: gate_rules(&job.rules),
        outcomes,
        pattern: &board.pattern,
        stop: &job.stop,
        job: Some(job),
    }
}

/// Confirms the counts in `found`, which come from clingo, by simulation. (Results of clingo are
/// reported as proven only if a second engine agrees.)
///
/// Returns the counts over all configurations, or the limit that ended the simulation. Fails if the
/// engines disagree.
fn count_by_simulation(
    board: &RailBoard,
    rules: GateRule,
    found: &Tally,
    stop: &CancelToken,
) -> Result<Result<Tally, StopReason>, Failure> {
    let mut counts = Tally::default();
    let mut count = |leaf: &LazyTrip<'_>| {
        counts.count(leaf);
        Ok(ControlFlow::Continue(()))
    };
    let (_, end) = simulation::simulate(&board.network, rules, &board.pattern, stop, &mut count)?;
    if let Some(reason) = end.reason() {
        return Ok(Err(reason));
    }
    if board.shown.iter().any(|&outcome| counts.configurations(outcome) != found.configurations(outcome)) {
        return Err(check_failure("clingo finds other trips than the simulation".to_owned()));
    }
    Ok(Ok(counts))
}
