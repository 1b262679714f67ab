//! What the puzzles share that are solved by native search.

use std::ops::ControlFlow;

use serde_json::{Value, json};

use super::{Found, Query, Request};
use crate::diagnostic::{Diagnostic, Failure};
use crate::document::Document;
use crate::ending::{Ending, Verdict};
use crate::report::gave_up_text;
use crate::search::{Limits, Outcome, Searched, Work};
use crate::stop::Stop;

/// What a search may use, as the person said.
pub fn limits(request: &Request, stop: &Stop) -> Limits {
    Limits {
        stop: stop.clone(),
        nodes: request.node_limit,
        depth: request.depth_limit,
        memory: request.memory_limit,
        threads: request.settings.threads.unwrap_or(1),
    }
}

/// The engine that was asked for, or the first one of the list.
pub fn engine<O>(
    puzzle: &str,
    engines: &'static [&'static str],
    query: &Query<'_, O>,
) -> Result<&'static str, Failure> {
    match &query.request.engine {
        None => Ok(engines[0]),
        Some(name) => engines.iter().copied().find(|engine| engine == name).ok_or_else(|| {
            let text = format!("{puzzle} has no engine {name}; wanted: {}", engines.join(", "));
            Diagnostic::error(text).into()
        }),
    }
}

/// Hands the answer of a search on and says how the search ended.
pub fn finish<M, A>(
    searched: Searched<M>,
    request: &Request,
    answer: impl FnOnce(Vec<M>) -> Result<A, Failure>,
    found: Found<'_, A>,
) -> Result<Ending, Failure> {
    let mut statistics = statistics(&searched.work, request.stats);
    let (verdict, complete) = match searched.outcome {
        Outcome::Solved(plan) => {
            let optimal = plan.optimal;
            let _: ControlFlow<()> = found(answer(plan.moves)?)?;
            (Verdict::Solved, optimal)
        }
        Outcome::Impossible => (Verdict::Impossible, true),
        Outcome::GaveUp(reason) => (Verdict::GaveUp(reason), false),
    };
    if !complete {
        statistics["lower_bound"] = json!(searched.lower_bound);
    }
    Ok(Ending { verdict, complete, statistics, warnings: Vec::new() })
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
pub fn gave_up(ending: &Ending, what_it_costs: impl Fn(u64) -> String) -> String {
    let mut text = gave_up_text(ending);
    if let Some(bound) = ending.statistics.get("lower_bound").and_then(Value::as_u64).filter(|&bound| bound > 0) {
        text += &format!(" {}", what_it_costs(bound));
    }
    text
}

/// "5 nodes", with the thousands set apart.
pub fn count(number: u64, one: &str, many: &str) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    format!("{text} {}", if number == 1 { one } else { many })
}

/// "(12,345 nodes)", or nothing where nobody counted.
pub fn nodes(ending: &Ending) -> String {
    let number = ending.statistics.get("generated").and_then(Value::as_u64);
    number.map_or(String::new(), |number| format!(" ({})", count(number, "node", "nodes")))
}
