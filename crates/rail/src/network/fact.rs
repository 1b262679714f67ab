//! A fact of an instance, its terms, and the predicates of networks and plans.

use std::ops::Range;

use asp::Term;

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

/// The names of the predicates that only plans have, and their arguments.
pub const PLAN_PREDICATES: [(&str, &str); 6] = [
    ("track", "track(End, End)"),
    ("fork", "fork(Fork)"),
    ("gate", "gate(Gate)"),
    ("kind", "kind(Fork, Kind)"),
    ("crossing", "crossing(Crossing)"),
    ("name", "name(End, Node)"),
];

/// The names of all predicates of networks and plans.
pub const NAMES: [&str; PREDICATES.len() + PLAN_PREDICATES.len()] = {
    let (mut names, mut index) = ([""; PREDICATES.len() + PLAN_PREDICATES.len()], 0);
    while index < names.len() {
        names[index] = match index.checked_sub(PREDICATES.len()) {
            None => PREDICATES[index].0,
            Some(index) => PLAN_PREDICATES[index].0,
        };
        index += 1;
    }
    names
};
