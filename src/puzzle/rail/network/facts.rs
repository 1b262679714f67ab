//! An instance as facts, independent of its notation.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::plan::{self, Plan};
use crate::asp::{self, Symbol, Term};
use crate::diagnostic::{Failure, Place};
use crate::document::{Document, Notation};
use crate::puzzle::place_of_fact;

/// A ground atom of the instance.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fact {
    pub name: String,
    pub terms: Vec<Term>,
    /// The fact as clingo prints it.
    pub text: String,
}

/// A fact and its range in the document.
pub type SpannedFact = (Fact, Range<usize>);

/// All facts of an instance, and its documents.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    pub facts: Vec<Fact>,
    pub documents: Vec<Document>,
    /// For the text of each fact that is not from a logic program, the index of its document and
    /// its range.
    pub spans: FxHashMap<String, (usize, Range<usize>)>,
    /// The plan from which the facts are derived, if the documents have tracks.
    pub plan: Option<Arc<Plan>>,
    /// For the text of each derived fact, the text of the fact of the plan from which it follows.
    pub origins: FxHashMap<String, String>,
}

impl Facts {
    /// Returns the place of a fact, or of the fact from which it is derived, if a document contains
    /// it.
    pub fn place(&self, fact: &Fact) -> Option<Place> {
        let text = self.origins.get(&fact.text).unwrap_or(&fact.text);
        let Some((document, range)) = self.spans.get(text) else {
            return place_of_fact(&self.documents, text);
        };
        let document = &self.documents[*document];
        Some(Place::of_range(&document.name, &document.text, range.clone()))
    }

    /// Returns true if a fact, or the fact from which it is derived, is from a plan in lines.
    pub fn is_from_lines(&self, fact: &Fact) -> bool {
        let text = self.origins.get(&fact.text).unwrap_or(&fact.text);
        self.spans.get(text).is_some_and(|(document, _)| self.is_in_lines(*document))
    }

    /// Returns true if any fact is from a plan in lines.
    pub fn has_lines(&self) -> bool {
        self.spans.values().any(|(document, _)| self.is_in_lines(*document))
    }

    /// Returns true if the document with this index is a plan in lines. `document` must have spans,
    /// so even if it looks like a logic program, it is a plan.
    fn is_in_lines(&self, document: usize) -> bool {
        matches!(self.documents[document].notation(), Notation::Plan | Notation::Program)
    }

    /// Returns the facts of the network. If `self` has the facts of a plan, derives them.
    pub fn into_network(self) -> Result<Facts, Failure> {
        if !plan::is_plan(&self.facts) {
            return Ok(self);
        }
        let plan = Plan::read(&self)?;
        let derived = plan.network_facts(&self)?;
        let origin = |(fact, from): &(Fact, Option<Fact>)| Some((fact.text.clone(), from.as_ref()?.text.clone()));
        let origins = derived.iter().filter_map(origin).collect();
        let facts: BTreeSet<Fact> = derived.into_iter().map(|(fact, _)| fact).collect();
        Ok(Facts { facts: facts.into_iter().collect(), plan: Some(Arc::new(plan)), origins, ..self })
    }

    /// Returns the facts as clingo symbols.
    pub fn symbols(&self) -> Vec<Symbol> {
        self.facts.iter().filter_map(|fact| asp::parse_term(&fact.text)).collect()
    }
}

/// Creates a fact.
pub fn fact(name: &str, terms: &[Term]) -> Fact {
    let arguments: Vec<String> = terms.iter().map(Term::to_string).collect();
    Fact { name: name.to_owned(), terms: terms.to_vec(), text: format!("{name}({})", arguments.join(",")) }
}

/// Parses a term in clingo's output format. Any other text is a number if it parses as one,
/// otherwise a string.
pub fn term(text: &str) -> Term {
    let is_flat = asp::syntax::nesting_depth(text) <= asp::MAX_NESTING;
    match is_flat.then(|| asp::parse_term(text)).flatten().map(Term::of) {
        Some(term) if term.to_string() == text => term,
        _ => text.parse().map_or_else(|_| Term::Text(text.to_owned()), Term::Number),
    }
}

/// Formats a term so that [`term`] parses it: as a nonempty text in one line, without quotes if
/// possible.
pub fn term_source(value: &Term) -> String {
    let text = value.text();
    if !text.is_empty() && !text.contains('\n') && term(&text) == *value { text } else { value.to_string() }
}

/// The names of the predicates of a network, and their arguments.
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

/// The names of all predicates of networks and plans.
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
