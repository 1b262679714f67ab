//! What the puzzles share that are solved by native search.

use std::ops::ControlFlow;

use serde::Serialize;
use serde_json::{Value, json};

use super::{Because, Found, Puzzle, Solved, Table};
use crate::diagnostic::{Diagnostic, Failure};
use crate::document::Document;
use crate::ending::{Ending, Verdict};
use crate::job::Job;
use crate::search::{Conclusion, Cost, Limits, Searched, Visit, Work};
use crate::stop::Reason;
pub use crate::words::count;

/// What a search proves besides its answer.
#[derive(Debug, Default, Serialize)]
pub struct Proof {
    /// No way costs less than this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lower_bound: Option<u64>,
    /// Why there is none, where the search was not needed to know.
    #[serde(rename = "reason", skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// The same, part by part.
    #[serde(skip)]
    pub because: Option<Because>,
    /// Ways that cost the least, where more than one was asked for.
    #[serde(rename = "solutions", skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// The goal that can be reached instead, as one asks for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub solvable_to: Option<&'static str>,
    /// Moves that the search has looked at, where it was one of ours.
    #[serde(skip)]
    pub nodes: Option<u64>,
}

impl Proof {
    /// That an answer is called the best, or a bound named, by what is proven; and that the answers differ, none better than
    /// another.
    pub fn vouch(&self, cost: Option<u64>, complete: bool, differ: bool) -> Result<(), String> {
        match (cost, self.lower_bound) {
            _ if !differ => Err("two answers are one, or one is better".to_owned()),
            (Some(cost), Some(bound)) if bound > cost => {
                Err(format!("it costs {cost}, but nothing costs less than {bound}"))
            }
            (Some(cost), bound) if complete && bound != Some(cost) => {
                Err(format!("it costs {cost}, and that nothing costs less was not shown"))
            }
            _ => Ok(()),
        }
    }
}

/// What a search may use, as the person said.
pub fn limits(job: &Job) -> Limits {
    Limits {
        stop: job.stop.clone(),
        nodes: job.limits.nodes,
        depth: job.limits.depth,
        memory: job.limits.memory,
        threads: job.threads(),
    }
}

/// Hands the answer of a search on and says how the search ended. `before` is what every way costs besides.
pub fn finish<M, A>(
    searched: Searched<M>,
    before: u64,
    job: &Job,
    answer: impl FnOnce(Vec<M>) -> A,
    found: Found<'_, A>,
) -> Result<Ending<Proof>, Failure> {
    let statistics = statistics(&searched.work, job.stats);
    let mut lower_bound = Some(before + u64::from(searched.lower_bound));
    let (verdict, complete) = match searched.outcome {
        Conclusion::Solved(plan) => {
            if plan.optimal {
                lower_bound = Some(before + u64::from(plan.cost));
            }
            let _: ControlFlow<()> = found(answer(plan.moves))?;
            (Verdict::Solved, plan.optimal)
        }
        Conclusion::Impossible => {
            lower_bound = None;
            (Verdict::Impossible, true)
        }
        Conclusion::GaveUp(reason) => (Verdict::GaveUp(reason), false),
    };
    let proof = Proof { lower_bound, nodes: Some(searched.work.generated()), ..Proof::default() };
    Ok(Ending { verdict, complete, proof, statistics, warnings: Vec::new() })
}

/// Whether more than one answer is asked for.
pub fn wants_more(job: &Job) -> bool {
    job.models.is_some_and(|models| models != 1)
}

/// Refuses to look for more than one answer where the means finds one alone.
pub fn finds_one(job: &Job, means: &str, all: &str) -> Result<(), Failure> {
    if !wants_more(job) {
        return Ok(());
    }
    let text = format!("{means} finds one best solution, not all of them");
    Err(Diagnostic::error(text).help(format!("--engine {all} finds them all")).into())
}

/// Hands on all of the best answers, or as many as are asked for, where the search has found what the best one costs.
/// `enumerate` shows each, and tells the work that it was.
pub fn finish_all<M: Clone, A>(
    mut searched: Searched<M>,
    before: u64,
    job: &Job,
    enumerate: impl FnOnce(Cost, &Limits, Visit<'_, M>) -> Result<Searched<M>, Failure>,
    limits: &Limits,
    answer: impl Fn(Vec<M>) -> A,
    found: Found<'_, A>,
) -> Result<Ending<Proof>, Failure> {
    let plan = match &searched.outcome {
        Conclusion::Solved(plan) if plan.optimal && wants_more(job) => plan.clone(),
        _ => {
            let is_all = !wants_more(job) || !matches!(&searched.outcome, Conclusion::Solved(_));
            let ending = finish(searched, before, job, answer, found)?;
            // What may not be the best is not all of the best.
            return Ok(if is_all { ending } else { Ending { verdict: Verdict::GaveUp(Reason::Unproven), ..ending } });
        }
    };
    let limit = job.models.filter(|&models| models > 0);
    let nodes = limits.nodes.map(|nodes| nodes.saturating_sub(searched.work.expanded()));
    let (mut count, mut failure) = (0, None);
    let rest = enumerate(plan.cost, &Limits { nodes, ..limits.clone() }, &mut |moves| {
        count += 1;
        let flow = found(answer(moves.to_vec())).unwrap_or_else(|error| {
            failure = Some(error);
            ControlFlow::Break(())
        });
        if Some(count) == limit { ControlFlow::Break(()) } else { flow }
    })?;
    if let Some(failure) = failure {
        return Err(failure);
    }
    searched.work.iterations.extend(rest.work.iterations);
    let complete = matches!(rest.outcome, Conclusion::Impossible);
    assert!(!complete || count > 0, "the best way that is known is one of all");
    if count == 0 {
        count = 1;
        let _: ControlFlow<()> = found(answer(plan.moves))?;
    }
    let verdict = match rest.outcome {
        Conclusion::GaveUp(reason) if Some(count) != limit => Verdict::GaveUp(reason),
        _ => Verdict::Solved,
    };
    let lower_bound = Some(before + u64::from(plan.cost));
    let statistics = statistics(&searched.work, job.stats);
    let proof = Proof { lower_bound, count: Some(count), nodes: Some(searched.work.generated()), ..Proof::default() };
    Ok(Ending { verdict, complete, proof, statistics, warnings: Vec::new() })
}

/// A row for each answer: the values of its JSON, lists with blanks between.
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

/// An answer of clingo that is none of the puzzle, because of the encodings.
pub fn wrong_answer(encodings: &[Document], text: &str) -> Diagnostic {
    Diagnostic::error(format!("{}: {text}", super::names(encodings).join(", ")))
}

/// Without times, which differ from run to run, unless they are wanted.
pub fn statistics(work: &Work, in_full: bool) -> Value {
    if in_full {
        return work.json();
    }
    json!({ "expanded": work.expanded(), "generated": work.generated() })
}

/// "Gave up: the time limit was reached. No solution is shorter than 94 moves: proven."
pub fn gave_up<P: Puzzle<Proof = Proof>>(known: &Solved<P>, what_it_costs: impl Fn(u64) -> String) -> String {
    let text = known.verdict.gave_up_words();
    match known.proof().lower_bound.filter(|&bound| bound > 0) {
        Some(bound) => format!("{text} {}.", known.job.rules.verdict(&what_it_costs(bound))),
        None => text,
    }
}

/// "17 shortest solutions of 50 moves each, and no others: proven (12,345 nodes)."
pub fn all_of_the_best<P: Puzzle<Proof = Proof>>(known: &Solved<P>, [one, many]: [&str; 2], cost: &str) -> String {
    let number = known.proof().count.unwrap_or(1);
    let (each, other) = if number == 1 { ("", "other") } else { (" each", "others") };
    let best = format!("{} of {cost}{each}", count(number, one, many));
    let proven = |what: &str| format!("{}{}.", known.job.rules.verdict(what), nodes(known.proof()));
    match known.verdict {
        _ if known.complete => proven(&format!("{best}, and no {other}")),
        Verdict::GaveUp(reason) => format!("{} Gave up on the rest: {}.", proven(&best), reason.words()),
        _ => format!("{} There may be more{}.", proven(&best), known.job.style.advice("; -n 0 finds them all")),
    }
}

/// "(12,345 nodes)", or nothing where nobody counted.
pub fn nodes(proof: &Proof) -> String {
    proof.nodes.map_or(String::new(), |number| format!(" ({})", count(number, "node", "nodes")))
}
