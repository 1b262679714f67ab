//! An instance as facts, wherever they come from.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::plan::{self, Plan};
use crate::asp::{self, Symbol, Term};
use crate::diagnostic::{Failure, Place};
use crate::document::Document;
use crate::puzzle::place_of_fact;

/// A ground atom of the instance.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fact {
    pub name: String,
    pub terms: Vec<Term>,
    /// As clingo prints it.
    pub text: String,
}

/// A fact, and where its document says it.
pub type Placed = (Fact, Range<usize>);

/// All facts of an instance, and the texts that they came from.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    pub facts: Vec<Fact>,
    pub documents: Vec<Document>,
    /// Of those in JSON and in Graphviz, by their texts: the number of the document, and where.
    pub places: FxHashMap<String, (usize, Range<usize>)>,
    /// The plan from which the facts follow, if the texts have tracks.
    pub plan: Option<Arc<Plan>>,
    /// Then, for facts that the texts do not have, those that they follow from, as texts.
    pub origins: FxHashMap<String, String>,
}

impl Facts {
    /// Where the fact stands, if it is written out in one of the texts.
    pub fn place(&self, fact: &Fact) -> Option<Place> {
        let text = self.origins.get(&fact.text).unwrap_or(&fact.text);
        let Some((document, range)) = self.places.get(text) else {
            return place_of_fact(&self.documents, text);
        };
        let document = &self.documents[*document];
        Some(Place::of_range(&document.name, &document.text, range.clone()))
    }

    /// The facts of the network: those that follow where these are a plan.
    pub fn network(self) -> Result<Facts, Failure> {
        if !plan::is_plan(&self.facts) {
            return Ok(self);
        }
        let plan = Plan::read(&self)?;
        let derived = plan.network(&self)?;
        let origin = |(fact, from): &(Fact, Option<Fact>)| Some((fact.text.clone(), from.as_ref()?.text.clone()));
        let origins = derived.iter().filter_map(origin).collect();
        let facts: BTreeSet<Fact> = derived.into_iter().map(|(fact, _)| fact).collect();
        Ok(Facts { facts: facts.into_iter().collect(), plan: Some(Arc::new(plan)), origins, ..self })
    }

    /// The facts as symbols, for handing them to clingo.
    pub fn symbols(&self) -> Vec<Symbol> {
        self.facts.iter().filter_map(|fact| asp::parse_term(&fact.text)).collect()
    }
}

/// A fact as clingo prints it.
pub fn fact(name: &str, terms: &[Term]) -> Fact {
    let arguments: Vec<String> = terms.iter().map(Term::to_string).collect();
    Fact { name: name.to_owned(), terms: terms.to_vec(), text: format!("{name}({})", arguments.join(",")) }
}

/// The term that clingo would print so; any other text is a number, or else a string.
pub fn term(text: &str) -> Term {
    let is_flat = asp::syntax::nesting_depth(text) <= asp::MAX_NESTING;
    match is_flat.then(|| asp::parse_term(text)).flatten().map(Term::of) {
        Some(term) if term.to_string() == text => term,
        _ => text.parse().map_or_else(|_| Term::Text(text.to_owned()), Term::Number),
    }
}

/// A text of which [`term`] makes this term: without quotes if that is possible, in one line, and never empty.
pub fn free_text(wanted: &Term) -> String {
    let text = wanted.text();
    if !text.is_empty() && !text.contains('\n') && term(&text) == *wanted { text } else { wanted.to_string() }
}

/// The predicates of an instance, and what their arguments are.
pub const PREDICATES: [(&str, &str); 11] = [
    ("start", "start(Node)"),
    ("target", "target(Node)"),
    ("final_node", "final_node(Node)"),
    ("color", "color(Node, Color)"),
    ("rel", "rel(Node, Label, Next)"),
    ("gate", "gate(Gate, Node)"),
    ("sets", "sets(Gate, Color, State)"),
    ("fixed", "fixed(Color, State)"),
    ("own", "own(Color)"),
    ("lever", "lever(Rank, Color, Letter)"),
    ("position", "position(Node, X, Y)"),
];

/// The names of the predicates of networks and plans.
pub const NAMES: [&str; PREDICATES.len() + plan::PREDICATES.len()] = {
    let (mut names, mut index) = ([""; PREDICATES.len() + plan::PREDICATES.len()], 0);
    while index < names.len() {
        names[index] = match index.checked_sub(PREDICATES.len()) {
            None => PREDICATES[index].0,
            Some(index) => plan::PREDICATES[index].0,
        };
        index += 1;
    }
    names
};
