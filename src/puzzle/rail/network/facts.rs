//! An instance as facts, wherever they come from.

use crate::asp::{self, Symbol, Term};
use crate::diagnostic::Place;
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

/// All facts of an instance, and the texts that they came from.
#[derive(Debug, Clone)]
pub struct Facts {
    pub facts: Vec<Fact>,
    pub documents: Vec<Document>,
}

impl Facts {
    /// Where the fact stands, if it is written out in one of the texts.
    pub fn place(&self, fact: &Fact) -> Option<Place> {
        place_of_fact(&self.documents, &fact.text)
    }

    /// The facts as symbols, for handing them to clingo.
    pub fn symbols(&self) -> Vec<Symbol> {
        self.facts.iter().filter_map(|fact| asp::parse_term(&fact.text)).collect()
    }
}

/// A fact from texts, quoted where clingo needs it.
pub fn fact(name: &str, terms: &[Term]) -> Fact {
    let arguments: Vec<String> = terms.iter().map(quoted).collect();
    Fact { name: name.to_owned(), terms: terms.to_vec(), text: format!("{name}({})", arguments.join(",")) }
}

/// A term from free text: a number, a constant, or else a string.
pub fn term(text: &str) -> Term {
    text.parse().map_or_else(|_| Term::Name(text.to_owned()), Term::Number)
}

fn quoted(term: &Term) -> String {
    match term {
        Term::Number(number) => number.to_string(),
        Term::Name(name) => {
            let is_constant = name.starts_with(|c: char| c.is_ascii_lowercase())
                && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
                && name != "not";
            if is_constant {
                name.clone()
            } else {
                format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
            }
        }
    }
}

/// The predicates of an instance, and what their arguments are.
pub const PREDICATES: [(&str, &str); 8] = [
    ("start", "start(Node)"),
    ("target", "target(Node)"),
    ("final_node", "final_node(Node)"),
    ("color", "color(Node, Color)"),
    ("rel", "rel(Node, Label, Next)"),
    ("gate", "gate(Gate, Node)"),
    ("lever", "lever(Rank, Color, Letter)"),
    ("position", "position(Node, X, Y)"),
];
