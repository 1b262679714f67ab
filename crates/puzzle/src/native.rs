//! Helpers for puzzles solved by native search.

use std::ops::ControlFlow;

use base::diagnostic::{Code, Diagnostic, Failure};
use base::document::Document;
use base::ending::{SearchEnd, Verdict};
use base::stop::StopReason;
pub use base::words::count;
use explain::Part;
use serde::Serialize;
use serde_json::{Value, json};
use statespace::search::{Cost, Limits, Outcome, PlanVisitor, SearchResult, SearchStats};

use super::api::{AnswerSink, Puzzle, RunProof, RunResult, Table, document_names};
use super::cause::UnsolvableCause;
use crate::job::Job;

/// The proof of a search for optimal plans.
#[derive(Debug, Default, Serialize)]
pub struct PathProof {
    /// No plan costs less than this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lower_bound: Option<u64>,
    /// The reason why there is no plan, if it is obvious without a search.
    #[serde(rename = "reason", skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The parts of the cause.
    #[serde(skip)]
    pub cause: Option<UnsolvableCause>,
    /// Number of optimal plans, if several were requested.
    #[serde(rename = "solutions", skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// The option value of a goal that is reachable instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub solvable_to: Option<&'static str>,
    /// Number of generated nodes of a native search.
    #[serde(skip)]
    pub nodes: Option<u64>,
}

impl RunProof for PathProof {
    fn cause(&self) -> Option<&UnsolvableCause> {
        self.cause.as_ref()
    }
}

impl PathProof {
    /// The proof that there is no plan: `parts` exclude every one. A `reason` sums them up.
    pub fn unsolvable(reason: Option<String>, parts: Vec<Part>, is_smallest: bool) -> PathProof {
        PathProof { reason, cause: Some(UnsolvableCause { parts, is_smallest }), ..PathProof::default() }
    }

    /// Checks that optimality and bounds agree with what is proven, and that the answers differ and
    /// are equally good.
    pub fn verify_claims(&self, cost: Option<u64>, complete: bool, are_distinct: bool) -> Result<(), String> {
        match (cost, self.lower_bound) {
            _ if !are_distinct => Err("two answers are one, or one is better".to_owned()),
            (Some(cost), Some(bound)) if bound > cost => {
                Err(format!("it costs {cost}, but nothing costs less than {bound}"))
            }
            (Some(cost), bound) if complete && bound != Some(cost) => {
                Err(format!("it costs {cost}, and it was not shown that nothing costs less"))
            }
            _ => Ok(()),
        }
    }
}

/// The limits of a search, from the job.
pub fn limits(job: &Job) -> Limits {
    Limits {
        stop: job.stop.clone(),
        nodes: job.engine.limits.nodes,
        depth: job.engine.limits.depth,
        memory: job.engine.limits.memory,
        threads: job.num_threads(),
    }
}

/// Passes the answer of a search to `sink`, and returns the end of the search. `before` is added
/// to the cost of every plan.
pub fn finish<M, A>(
    searched: SearchResult<M>,
    before: u64,
    job: &Job,
    answer: impl FnOnce(Vec<M>) -> A,
    sink: AnswerSink<'_, A>,
) -> Result<SearchEnd<PathProof>, Failure> {
    let statistics = statistics(&searched.stats, job.output.stats);
    let mut lower_bound = Some(before + u64::from(searched.lower_bound));
    let (verdict, complete) = match searched.outcome {
        Outcome::Solved(plan) => {
            if plan.optimal {
                lower_bound = Some(before + u64::from(plan.cost));
            }
            let _: ControlFlow<()> = sink(answer(plan.moves))?;
            (Verdict::Solved, plan.optimal)
        }
        Outcome::Impossible => {
            lower_bound = None;
            (Verdict::Impossible, true)
        }
        Outcome::GaveUp(reason) => (Verdict::GaveUp(reason), false),
    };
    let proof = PathProof { lower_bound, nodes: Some(searched.stats.generated()), ..PathProof::default() };
    Ok(SearchEnd { verdict, complete, proof, statistics, warnings: Vec::new() })
}

/// Returns true if more than one answer is requested.
pub fn wants_several(job: &Job) -> bool {
    job.question.models.is_some_and(|models| models != 1)
}

/// Rejects `-n` for engines that find a single answer.
pub fn reject_multiple(job: &Job, engine: &str, all: &str) -> Result<(), Failure> {
    if !wants_several(job) {
        return Ok(());
    }
    let text = format!("{engine} finds one optimal solution, not all");
    Err(Diagnostic::error(Code::Unsupported, text).help(format!("--engine {all} finds them all")).into())
}

/// Passes all optimal answers to `sink`, or as many as requested, once the search has found the
/// optimal cost. `enumerate` visits each optimal plan and returns its own statistics.
pub fn finish_all<M: Clone, A>(
    mut searched: SearchResult<M>,
    before: u64,
    job: &Job,
    enumerate: impl FnOnce(Cost, &Limits, PlanVisitor<'_, M>) -> Result<SearchResult<M>, Failure>,
    limits: &Limits,
    answer: impl Fn(Vec<M>) -> A,
    sink: AnswerSink<'_, A>,
) -> Result<SearchEnd<PathProof>, Failure> {
    let plan = match &searched.outcome {
        Outcome::Solved(plan) if plan.optimal && wants_several(job) => plan.clone(),
        _ => {
            let is_enough = !wants_several(job) || !matches!(&searched.outcome, Outcome::Solved(_));
            let ending = finish(searched, before, job, answer, sink)?;
            // A plan that may not be optimal is not the set of all optimal plans.
            return Ok(if is_enough {
                ending
            } else {
                SearchEnd { verdict: Verdict::GaveUp(StopReason::Unproven), ..ending }
            });
        }
    };
    let limit = job.question.models.filter(|&models| models > 0);
    let nodes = limits.nodes.map(|nodes| nodes.saturating_sub(searched.stats.expanded()));
    let mut count = 0;
    let mut failure = None;
    let rest = enumerate(plan.cost, &Limits { nodes, ..limits.clone() }, &mut |moves| {
        count += 1;
        let flow = sink(answer(moves.to_vec())).unwrap_or_else(|error| {
            failure = Some(error);
            ControlFlow::Break(())
        });
        if Some(count) == limit { ControlFlow::Break(()) } else { flow }
    })?;
    if let Some(failure) = failure {
        return Err(failure);
    }
    searched.stats.iterations.extend(rest.stats.iterations);
    let complete = matches!(rest.outcome, Outcome::Impossible);
    assert!(!complete || count > 0, "the best way that is known is one of all");
    if count == 0 {
        count = 1;
        let _: ControlFlow<()> = sink(answer(plan.moves))?;
    }
    let verdict = match rest.outcome {
        Outcome::GaveUp(reason) if Some(count) != limit => Verdict::GaveUp(reason),
        _ => Verdict::Solved,
    };
    let lower_bound = Some(before + u64::from(plan.cost));
    let statistics = statistics(&searched.stats, job.output.stats);
    let proof =
        PathProof { lower_bound, count: Some(count), nodes: Some(searched.stats.generated()), ..PathProof::default() };
    Ok(SearchEnd { verdict, complete, proof, statistics, warnings: Vec::new() })
}

/// A row for each answer with the values of its JSON; lists are joined by blanks.
pub fn table(answers: impl Iterator<Item = Value>) -> Table {
    let mut table = Table::default();
    let cell = |value: &Value| match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(Value::to_string).collect::<Vec<_>>().join(" "),
        other => other.to_string(),
    };
    for (number, answer) in answers.enumerate() {
        let Value::Object(object) = answer else { continue };
        table.rows.push((number, object.values().map(cell).collect()));
        table.columns = object.into_iter().map(|(key, _)| key).collect();
    }
    table
}

/// The error for an answer set that is not an answer of the puzzle; it names the encodings.
pub fn wrong_answer(encodings: &[Document], text: &str) -> Diagnostic {
    Diagnostic::error(Code::RejectedAnswer, format!("{}: {text}", document_names(encodings).join(", ")))
}

/// Search statistics; without times, which vary between runs, unless `in_full`.
pub fn statistics(stats: &SearchStats, in_full: bool) -> Value {
    if in_full {
        return stats.json();
    }
    json!({ "expanded": stats.expanded(), "generated": stats.generated() })
}

/// Describes a search that gave up, with the proven bound: "Gave up: the time limit was reached. No
/// solution is shorter than 94 moves (proven)."
pub fn gave_up<P: Puzzle<Proof = PathProof>>(result: &RunResult<P>, describe_bound: impl Fn(u64) -> String) -> String {
    let text = result.verdict.gave_up_words();
    match result.proof().lower_bound.filter(|&bound| bound > 0) {
        Some(bound) => format!("{text} {}.", result.job.rules.verdict(&describe_bound(bound))),
        None => text,
    }
}

/// Describes the optimal solutions: "17 shortest solutions of 50 moves each, and no others (proven;
/// 12,345 nodes)."
pub fn optimal_solutions_text<P: Puzzle<Proof = PathProof>>(
    result: &RunResult<P>,
    [singular, plural]: [&str; 2],
    cost: &str,
) -> String {
    let number = result.proof().count.unwrap_or(1);
    let (each, other) = if number == 1 { ("", "other") } else { (" each", "others") };
    let best = format!("{} of {cost}{each}", count(number, singular, plural));
    let proven = |what: &str| format!("{}.", result.job.rules.verdict_with(what, &node_count(result.proof())));
    match result.verdict {
        _ if result.complete => proven(&format!("{best}, and no {other}")),
        Verdict::GaveUp(reason) => format!("{} Gave up on the rest: {}.", proven(&best), reason.words()),
        _ => format!("{} There may be more{}.", proven(&best), result.job.output.style.advice("; -n 0 finds them all")),
    }
}

/// "12,345 nodes", or an empty string without a count.
pub fn node_count(proof: &PathProof) -> String {
    proof.nodes.map_or(String::new(), |number| count(number, "node", "nodes"))
}

/// " (12,345 nodes)", or an empty string without a count.
pub fn nodes(proof: &PathProof) -> String {
    proof.nodes.map_or(String::new(), |_| format!(" ({})", node_count(proof)))
}
