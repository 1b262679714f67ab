//! A network in JSON: one key for each predicate. Its value is a list of facts, and each fact is a
//! list of arguments.
//!
//! ```json
//! {"start": ["a"], "target": ["t"], "final_node": ["s", "t"],
//!  "color": [["a", "green"]], "rel": [["a", 1, "b"], ["a", 2, "t"]], "gate": [[1, "p1l"]]}
//! ```
//!
//! In a plan, each end is a list too: `"track": [[["a", "stem"], ["s", "end"]]]`.

use std::fmt;

use asp::Term;
use base::diagnostic::Failure;
use base::document::Document;
use puzzle::json;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use super::fact::{NAMES, PLAN_PREDICATES, PREDICATES, SpannedFact, fact, term};
use super::plan::tuple;

/// Parses a JSON document.
pub fn facts(document: &Document) -> Result<Vec<SpannedFact>, Failure> {
    let Members(members) = json::read(document)?;
    let mut found = Vec::new();
    for (name, rows) in members {
        let Some((_, expected)) = PREDICATES.iter().chain(&PLAN_PREDICATES).find(|(known, _)| *known == name) else {
            let what = format!("unknown key \"{name}\"; expected one of {}", NAMES.join(", "));
            return Err(json::error_at(document, what, json::range_of_key(document, &name, rows)));
        };
        let list = json::list(rows);
        let list = list.ok_or_else(|| {
            json::error_at_value(document, format!("\"{name}\": expected a list, found {rows}"), rows)
        })?;
        for row in list {
            let terms: Option<Vec<Term>> =
                json::one_or_many(row).into_iter().map(|value| parse_argument(&name, &json::value(value)?)).collect();
            let what = || format!("\"{name}\": expected {expected} with strings or numbers, found {row}");
            let terms = terms.ok_or_else(|| json::error_at_value(document, what(), row))?;
            found.push((fact(&name, &terms), json::range(document, row)));
        }
    }
    Ok(found)
}

/// The members of an object in source order, duplicates included.
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

/// Converts a term to JSON. [`parse_argument`] is the inverse, unless JSON cannot express the term.
pub fn value(term: &Term) -> Value {
    term.number().map_or_else(|| term.text().into(), Value::from)
}

pub fn parse_argument(name: &str, value: &Value) -> Option<Term> {
    match value {
        // A string in the format of a constant is a constant. Numbers must be JSON numbers, except
        // in positions.
        Value::String(text) => Some(match term(text) {
            constant @ Term::Name(_) => constant,
            number @ Term::Number(_) if name == "position" => number,
            _ => Term::Text(text.clone()),
        }),
        // An end of a plan.
        Value::Array(parts) => {
            let parts: Option<Vec<Term>> = parts.iter().map(|part| parse_argument(name, part)).collect();
            let [thing, which] = <[Term; 2]>::try_from(parts?).ok()?;
            Some(tuple(&(thing, which)))
        }
        Value::Number(number) => number.as_i64().and_then(|number| i32::try_from(number).ok()).map(Term::Number),
        _ => None,
    }
}
