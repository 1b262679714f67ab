//! JSON in and out.
//!
//! A network in JSON: one key for each predicate of an instance, its facts as lists of arguments.
//!
//! ```json
//! {"start": ["a"], "target": ["t"], "final_node": ["s", "t"],
//!  "color": [["a", "green"]], "rel": [["a", 1, "b"], ["a", 2, "t"]], "gate": [[1, "p1l"]]}
//! ```

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::facts::{Fact, fact, term};
use super::network::{Network, PREDICATES};
use super::trip::{Trip, configuration_text, levers_text};
use crate::asp::Term;
use crate::diagnostic::{Diagnostic, Failure, Place, Position};
use crate::document::Document;

/// The facts of a JSON document.
pub fn facts(document: &Document) -> Result<Vec<Fact>, Failure> {
    let value: Value = serde_json::from_str(&document.text).map_err(|error| {
        let at = Position { line: error.line().max(1), column: error.column().max(1) };
        let end = Position { column: at.column + 1, ..at };
        Diagnostic::error(format!("not JSON: {error}")).at(Some(Place {
            file: document.name.clone(),
            start: at,
            end,
            label: String::new(),
        }))
    })?;
    let wrong = |text: String| Failure::from(Diagnostic::error(format!("{}: {text}", document.name)));
    let Value::Object(object) = value else { return Err(wrong("an object was wanted".to_owned())) };
    let mut found = Vec::new();
    for (name, rows) in &object {
        let Some((_, wanted)) = PREDICATES.iter().find(|(known, _)| known == name) else {
            let known: Vec<&str> = PREDICATES.iter().map(|(known, _)| *known).collect();
            return Err(wrong(format!("unknown key \"{name}\"; wanted: {}", known.join(", "))));
        };
        let Value::Array(rows) = rows else { return Err(wrong(format!("\"{name}\" is {rows}; a list was wanted"))) };
        for row in rows {
            let arguments = if let Value::Array(arguments) = row { &arguments[..] } else { std::slice::from_ref(row) };
            let terms: Option<Vec<Term>> = arguments.iter().map(argument).collect();
            let terms = terms
                .ok_or_else(|| wrong(format!("\"{name}\" has {row}; {wanted} was wanted, as texts or numbers")))?;
            found.push(fact(name, &terms));
        }
    }
    Ok(found)
}

fn argument(value: &Value) -> Option<Term> {
    match value {
        Value::String(text) => Some(term(text)),
        Value::Number(number) => number.as_i64().and_then(|number| i32::try_from(number).ok()).map(Term::Number),
        _ => None,
    }
}

/// An answer, as the command's contract has it.
#[derive(Serialize)]
pub struct Answer<'a> {
    start: &'a str,
    configuration: String,
    /// How many configurations it stands for, in decimal: there is no bound.
    configurations: String,
    levers: Map<String, Value>,
    gates: Map<String, Value>,
    outcome: &'static str,
    steps: usize,
    trip: Vec<Step<'a>>,
}

#[derive(Serialize)]
struct Step<'a> {
    node: &'a str,
    levers: std::rc::Rc<str>,
}

/// Puts a trip into JSON.
pub fn answer<'a>(network: &'a Network, trip: &Trip) -> Answer<'a> {
    let value = |text: &str| text.parse::<i64>().map_or_else(|_| json!(text), |number| json!(number));
    let levers = (network.colors.iter().zip(&trip.levers))
        .map(|(color, state)| (color.name.clone(), state.map_or(json!("*"), |state| value(&color.states[state]))))
        .collect();
    let gates = (network.gates.iter().zip(&trip.gates))
        .map(|(gate, color)| (gate.clone(), color.map_or(json!("*"), |color| json!(network.colors[color].name))))
        .collect();
    let mut steps = Vec::with_capacity(trip.nodes.len());
    let mut last: Option<(Vec<Option<usize>>, std::rc::Rc<str>)> = None;
    trip.each_step(network, |node, levers| {
        let text = match &last {
            Some((same, text)) if same == levers => text.clone(),
            _ => last.insert((levers.to_vec(), levers_text(network, levers).into())).1.clone(),
        };
        steps.push(Step { node: &network.nodes[node].name, levers: text });
    });
    Answer {
        start: &network.nodes[trip.nodes[0]].name,
        configuration: configuration_text(network, &trip.levers, &trip.gates),
        configurations: trip.configurations(network).to_string(),
        levers,
        gates,
        outcome: trip.outcome.name(),
        steps: trip.nodes.len(),
        trip: steps,
    }
}
