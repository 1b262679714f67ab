//! An instance as facts, independent of its notation.

use std::ops::Range;
use std::sync::Arc;

use asp::Symbol;
use base::diagnostic::Place;
use base::document::{Document, Notation};
use puzzle::place_of_fact;
use rustc_hash::FxHashMap;

use super::fact::Fact;
use super::plan::Plan;

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
        self.documents[document].notation() == Notation::Program
    }

    /// Returns the facts as clingo symbols.
    pub fn symbols(&self) -> Vec<Symbol> {
        self.facts.iter().filter_map(|fact| asp::parse_term(&fact.text)).collect()
    }
}
