//! A network in JSON: one key for each predicate of an instance, its facts as lists of arguments.
//!
//! ```json
//! {"start": ["a"], "target": ["t"], "final_node": ["s", "t"],
//!  "color": [["a", "green"]], "rel": [["a", 1, "b"], ["a", 2, "t"]], "gate": [[1, "p1l"]]}
//! ```
//!
//! In a plan an end is a list too: `"track": [[["a", "stem"], ["s", "end"]]]`.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use super::facts::{NAMES, PREDICATES, Placed, fact, term};
use super::plan::{self, tuple};
use crate::asp::Term;
use crate::diagnostic::Failure;
use crate::document::Document;
use crate::puzzle::json;

/// The facts of a JSON document.
pub fn facts(document: &Document) -> Result<Vec<Placed>, Failure> {
    let Members(members) = json::read(document)?;
    let mut found = Vec::new();
    for (name, rows) in members {
        let Some((_, wanted)) = PREDICATES.iter().chain(&plan::PREDICATES).find(|(known, _)| *known == name) else {
            let what = format!("unknown key \"{name}\"; wanted: {}", NAMES.join(", "));
            return Err(json::wrong_at(document, what, json::range_of_key(document, &name, rows)));
        };
        let list = json::list(rows);
        let list =
            list.ok_or_else(|| json::wrong(document, format!("\"{name}\" is {rows}; a list was wanted"), rows))?;
        for row in list {
            let terms: Option<Vec<Term>> =
                json::one_or_many(row).into_iter().map(|value| argument(&name, &json::value(value)?)).collect();
            let what = || format!("\"{name}\" has {row}; {wanted} was wanted, as texts or numbers");
            let terms = terms.ok_or_else(|| json::wrong(document, what(), row))?;
            found.push((fact(&name, &terms), json::range(document, row)));
        }
    }
    Ok(found)
}

/// What an object has, in its order.
struct Members<'a>(Vec<(String, &'a RawValue)>);

impl<'a> Deserialize<'a> for Members<'a> {
    fn deserialize<D: Deserializer<'a>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collect;
        impl<'a> Visitor<'a> for Collect {
            type Value = Members<'a>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<Members<'a>, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Collect)
    }
}

/// The value that reads as a term, if any does.
pub fn value(term: &Term) -> Value {
    term.number().map_or_else(|| term.text().into(), Value::from)
}

pub fn argument(name: &str, value: &Value) -> Option<Term> {
    match value {
        // What looks like a constant is one; JSON has numbers of its own.
        Value::String(text) => Some(match term(text) {
            constant @ Term::Name(_) => constant,
            number @ Term::Number(_) if name == "position" => number,
            _ => Term::Text(text.clone()),
        }),
        // An end.
        Value::Array(parts) => {
            let parts: Option<Vec<Term>> = parts.iter().map(|part| argument(name, part)).collect();
            let [thing, which] = <[Term; 2]>::try_from(parts?).ok()?;
            Some(tuple(&(thing, which)))
        }
        Value::Number(number) => number.as_i64().and_then(|number| i32::try_from(number).ok()).map(Term::Number),
        _ => None,
    }
}
