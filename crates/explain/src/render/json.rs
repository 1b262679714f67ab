//! Explanations as JSON.

use asp::{Symbol, to_text, to_text_truncated};
use base::ending::Verdict;
use count::Count;
use serde_json::{Map, Value, json};

use crate::atom::{AtomFinding, AtomReport};
use crate::cause::SubsetResult;
use crate::contradiction::CauseReport;
use crate::derivation::{DerivationTree, TreeChildren};
use crate::exclusion::{ExcludedPart, ExclusionReport};
use crate::explanation::{AtomConclusion, NativeFinding, NativeReport, Step};
use crate::hint::StepReport;
use crate::part::Part;
use crate::rating::RatingReport;
use crate::steps::NextStep;
use crate::techniques::Technique;

impl Part {
    pub fn json(&self) -> Value {
        let mut object = json!({ "text": self.text, "kind": self.kind.name() });
        if let Some(place) = &self.place {
            object["file"] = json!(place.file);
            object["line"] = json!(place.start.line);
            object["column"] = json!(place.start.column);
        }
        object["words"] = json!(&*self.words);
        object
    }
}

impl Step {
    /// Returns the step as it appears in the command's JSON.
    pub fn json(&self) -> Value {
        let mut object = json!({
            "follows": self.conclusions.iter().map(AtomConclusion::to_string).collect::<Vec<_>>(),
            "because": self.because.iter().map(Part::json).collect::<Vec<_>>(),
            "size": self.because.len(),
        });
        if let Some(stage) = self.found_by {
            object["found_by"] = json!(stage);
        }
        object["words"] = json!(self.words);
        if let Some(Technique { name, values, cells, .. }) = &self.technique {
            object["technique"] = json!({ "name": name, "values": values, "cells": cells });
        }
        object
    }
}

pub fn causes(report: &CauseReport) -> Value {
    let list = |parts: &[Part]| parts.iter().map(Part::json).collect::<Value>();
    let verdict = match report.found {
        SubsetResult::Parts { .. } => "unsatisfiable",
        SubsetResult::Satisfiable => "satisfiable",
        SubsetResult::NotTheCause => "not-the-cause",
        SubsetResult::GaveUp(_) => "gave-up",
    };
    let mut object = json!({ "schema": 1, "verdict": verdict });
    if report.is_fix {
        object["cheapest"] = json!(report.is_least());
        object["cost"] = json!(report.cost);
        object["fix"] = list(&report.fix);
        return object;
    }
    object["smallest"] = json!(report.is_least());
    object["minimal"] = json!(matches!(report.found, SubsetResult::Parts { is_minimal: true, .. }));
    if report.ended.is_some() {
        object["complete"] = json!(report.is_complete());
    }
    if !report.trees.is_empty() {
        object["traces"] = report.trees.iter().map(tree).collect();
    }
    object["causes"] = report.causes.iter().map(|cause| list(&cause.parts)).collect();
    if !report.suspects.is_empty() {
        object["suspects"] = json!(report.suspects);
    }
    let clashes: Vec<&String> = report.causes.iter().filter_map(|cause| cause.clash.as_ref()).collect();
    if !clashes.is_empty() {
        object["clashes"] = json!(clashes);
    }
    if report.causes.iter().any(|cause| !cause.violated.is_empty()) {
        object["through"] = report.causes.iter().map(|cause| list(&cause.violated)).collect();
    }
    object
}

pub fn atom(AtomReport { atom, finding }: &AtomReport) -> Value {
    let parts = |parts: &[Part]| parts.iter().map(Part::json).collect::<Value>();
    let (holds, because, more) = match finding {
        AtomFinding::GaveUp(_) => {
            return json!({ "schema": 1, "atom": to_text(*atom), "holds": null, "verdict": "gave-up" });
        }
        AtomFinding::NoAnswer => {
            return json!({ "schema": 1, "atom": to_text(*atom), "holds": null, "verdict": "unsatisfiable" });
        }
        AtomFinding::Derived(derivation) => ("always", tree(derivation), json!({})),
        AtomFinding::Entailed { holds, parts: because, is_least, .. } => {
            (if *holds { "always" } else { "never" }, parts(because), json!({ "smallest": is_least }))
        }
        AtomFinding::Underivable(rules) => ("never", parts(rules), json!({})),
        AtomFinding::Undecided(pair) => {
            let texts = |atoms: &[Symbol]| atoms.iter().map(|&atom| to_text_truncated(atom)).collect::<Vec<_>>();
            let sign = |holds: bool| if holds { "" } else { "not " };
            let differences = pair.differences.iter();
            let differences: Vec<String> =
                differences.map(|&(atom, holds)| format!("{}{}", sign(holds), to_text_truncated(atom))).collect();
            let more = json!({
                "with": texts(&pair.with), "without": texts(&pair.without), "differ": differences,
                "fewest": pair.is_least,
            });
            ("sometimes", tree(&pair.tree), more)
        }
    };
    let mut json = json!({ "schema": 1, "atom": to_text(*atom), "holds": holds, "because": because });
    if let (Value::Object(json), Value::Object(more)) = (&mut json, more) {
        json.extend(more);
    }
    json
}

pub fn steps(report: &StepReport, steps: &[Step]) -> Value {
    step_list(report.end.as_ref().map_or("step", name), steps)
}

fn step_list(verdict: &str, steps: &[Step]) -> Value {
    json!({ "schema": 1, "verdict": verdict, "steps": steps.iter().map(Step::json).collect::<Vec<_>>() })
}

pub fn native(report: &NativeReport) -> Value {
    let list = |parts: &Vec<Part>| parts.iter().map(Part::json).collect::<Value>();
    let (mut json, details) = match &report.finding {
        NativeFinding::Verdict { of_board, cause, is_smallest } => {
            let verdict = match of_board {
                Verdict::Solved => "satisfiable",
                Verdict::Impossible if cause.is_none() => "not-the-cause",
                Verdict::Impossible => "unsatisfiable",
                Verdict::GaveUp(_) => "gave-up",
            };
            let causes: Value = cause.iter().map(list).collect();
            let mut json = json!({ "schema": 1, "verdict": verdict, "causes": causes });
            if cause.is_some() {
                json["smallest"] = json!(is_smallest);
            }
            return json;
        }
        NativeFinding::Moves { steps, end, .. } => return step_list(end, steps),
        NativeFinding::Deductions { steps, end, details, .. } => (step_list(end, steps), details),
        NativeFinding::Atom { atom, holds, because, details } => {
            let mut json = json!({ "schema": 1, "atom": atom, "holds": holds });
            if holds.is_some() {
                json["because"] = list(because);
            }
            (json, details)
        }
        NativeFinding::Other { json, .. } => return json.clone(),
    };
    if let Value::Object(json) = &mut json {
        json.extend(details.clone());
    }
    json
}

/// Returns the name of `end` in JSON.
fn name(end: &NextStep) -> &'static str {
    match end {
        NextStep::Step(_) => "step",
        NextStep::Solved => "solved",
        NextStep::Open(_) => "open",
        NextStep::Impossible => "impossible",
        NextStep::Unknown(_) => "gave-up",
    }
}

pub fn rating(RatingReport { rating, preparation, seconds }: &RatingReport) -> Value {
    let of_size = |(&(size, is_bound), number): (&(usize, bool), &usize)| {
        (format!("{size}{}", if is_bound { "+" } else { "" }), json!(number))
    };
    let mut json = json!({
        "schema": 1,
        "verdict": name(&rating.end),
        "steps": rating.steps(), "rounds": rating.rounds, "largest": rating.largest(),
        "sum": rating.reasons(), "exact": rating.is_exact(),
        "sizes": rating.sizes.iter().map(of_size).collect::<Map<_, _>>(),
        "seconds": rounded(*seconds), "slowest": rounded(rating.slowest_seconds), "preparation": rounded(*preparation),
    });
    if !rating.names.is_empty() {
        json["techniques"] = rating.names.iter().map(|((_, name), number)| (name.clone(), json!(number))).collect();
    }
    json
}

pub fn exclusion(report: &ExclusionReport) -> Value {
    let without = |ExcludedPart { part, count }: &ExcludedPart| with_count(part.json(), count);
    let verdict = if matches!(report.verdict(), Verdict::GaveUp(_)) { "gave-up" } else { "counted" };
    let mut json = with_count(json!({ "schema": 1, "verdict": verdict }), &report.count);
    json["without"] = report.parts.iter().map(without).collect();
    json
}

/// Adds a number of answers, or `null`, and its bounds to an object.
fn with_count(mut object: Value, count: &Count) -> Value {
    object["count"] = json!(count.exact().map(ToString::to_string));
    object["at_least"] = json!(count.at_least.to_string());
    object["at_most"] = json!(count.at_most.to_string());
    object
}

fn rounded(seconds: f64) -> f64 {
    (seconds * 1e4).round() / 1e4
}

/// Returns a tree with the keys of its rule; the key `because` has the children.
fn tree(derivation: &DerivationTree) -> Value {
    let mut object = json!({ "atom": to_text_truncated(derivation.atom) });
    if let (Value::Object(object), Some(Value::Object(part))) = (&mut object, derivation.part.as_ref().map(Part::json))
    {
        object.extend(part);
    }
    match &derivation.children {
        TreeChildren::Nodes(needs) => object["because"] = needs.iter().map(tree).collect(),
        TreeChildren::Given => object["given"] = json!(true),
        TreeChildren::Elsewhere => object["elsewhere"] = json!(true),
        TreeChildren::TooDeep => object["deeper"] = json!(true),
    }
    if let (1, total @ 2..) = derivation.number {
        object["derivations"] = json!(total);
        if !derivation.others.is_empty() {
            object["others"] = derivation.others.iter().map(tree).collect();
        }
    }
    object
}
