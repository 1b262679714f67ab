//! Recognition of instances and encodings.

use asp::syntax;
use base::document::{Document, Notation};
use puzzle::{Role, json};

use super::network::fact::PREDICATES;
use super::network::lines;

/// The role of a document.
pub fn role(document: &Document) -> Role {
    let text = &document.text;
    match document.notation() {
        Notation::Json => {
            return Role::instance_if(text.contains("\"rel\"") || text.contains("\"track\""));
        }
        Notation::Svg => {
            return Role::instance_if(text.contains("<path") || text.contains("<line"));
        }
        Notation::Dot => return Role::instance_if(text.contains("->")),
        Notation::Program if lines::is_plan(document) => return Role::Instance,
        Notation::Program => {}
    }
    const TYPICAL: [&str; 7] = ["start", "target", "final_node", "color", "rel", "gate", "track"];
    if TYPICAL.iter().filter(|name| text.contains(**name)).count() < 2 {
        return Role::Neither;
    }
    let statements = syntax::statements(text);
    let has_fact = |name: &str| {
        let arity =
            PREDICATES.iter().find(|predicate| predicate.0 == name).map(|predicate| predicate.1.split(',').count());
        let head = arity.map(|arity| (name, arity));
        head.is_some() && statements.iter().any(|statement| statement.is_fact && statement.head == head)
    };
    let derives = |name: &str| statements.iter().any(|statement| statement.head == Some((name, 2)));
    let facts = TYPICAL.iter().filter(|name| has_fact(name)).count();
    if derives("game") {
        return if has_fact("rel") { Role::Neither } else { Role::Encoding };
    }
    let has_tracks = statements.iter().any(|statement| statement.head == Some(("track", 2)));
    Role::instance_if(has_tracks && facts >= 1 || has_fact("rel") && facts >= 2 || facts >= 4)
}

/// The similarity of an unrecognised document to an instance, from 0 to 1.
pub fn similarity(document: &Document) -> f64 {
    match document.notation() {
        Notation::Json => json::share_of_keys(document, &["start", "target", "color", "gate"]),
        Notation::Dot => 1.0,
        Notation::Program if lines::is_plan(document) => 1.0,
        Notation::Program | Notation::Svg => 0.0,
    }
}
