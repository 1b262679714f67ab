//! A network in JSON: one key for each predicate of an instance, its facts as lists of arguments.
//!
//! ```json
//! {"start": ["a"], "target": ["t"], "final_node": ["s", "t"],
//!  "color": [["a", "green"]], "rel": [["a", 1, "b"], ["a", 2, "t"]], "gate": [[1, "p1l"]]}
//! ```

use serde_json::Value;

use crate::asp::Term;
use crate::diagnostic::{Diagnostic, Failure, Place, Position};
use crate::document::Document;
use crate::puzzle::rail::network::facts::{Fact, PREDICATES, fact, term};

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
            let terms: Option<Vec<Term>> = arguments.iter().map(|value| argument(name, value)).collect();
            let terms = terms
                .ok_or_else(|| wrong(format!("\"{name}\" has {row}; {wanted} was wanted, as texts or numbers")))?;
            found.push(fact(name, &terms));
        }
    }
    Ok(found)
}

fn argument(name: &str, value: &Value) -> Option<Term> {
    match value {
        // What looks like a constant is one; JSON has numbers of its own.
        Value::String(text) => Some(match term(text) {
            constant @ Term::Name(_) => constant,
            number @ Term::Number(_) if name == "position" => number,
            _ => Term::Text(text.clone()),
        }),
        Value::Number(number) => number.as_i64().and_then(|number| i32::try_from(number).ok()).map(Term::Number),
        _ => None,
    }
}
