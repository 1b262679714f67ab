//! An instance as facts, from any of its three notations: a logic program, JSON, a Graphviz file.

use std::collections::BTreeSet;

use super::network::PREDICATES;
use crate::asp::{self, Symbol, Term, syntax};
use crate::diagnostic::{Diagnostic, Failure, Place};
use crate::document::Document;
use crate::stop::Stop;

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
    /// Reads every document in its own notation.
    pub fn read(documents: &[Document], settings: &asp::Settings, stop: &Stop) -> Result<Self, Failure> {
        let mut facts = BTreeSet::new();
        let (structured, programs): (Vec<_>, Vec<_>) =
            documents.iter().cloned().partition(|document| Notation::of(document) != Notation::Program);
        for document in &structured {
            facts.extend(match Notation::of(document) {
                Notation::Json => super::json::facts(document)?,
                _ => super::dot::facts(document)?,
            });
        }
        if !programs.is_empty() {
            facts.extend(from_programs(&programs, settings, stop)?);
        }
        Ok(Facts { facts: facts.into_iter().collect(), documents: documents.to_vec() })
    }

    /// Where the fact stands, if it is written out in one of the texts.
    pub fn place(&self, fact: &Fact) -> Option<Place> {
        self.documents.iter().find_map(|document| {
            syntax::find_fact(&document.text, &fact.text)
                .map(|range| Place::of_range(&document.name, &document.text, range))
        })
    }

    /// The facts as symbols, for handing them to clingo.
    pub fn symbols(&self) -> Vec<Symbol> {
        self.facts.iter().filter_map(|fact| asp::parse_term(&fact.text)).collect()
    }
}

/// How an instance is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notation {
    Program,
    Json,
    Dot,
}

impl Notation {
    /// JSON begins with a brace and a name or closing brace; a Graphviz file with `digraph` or `graph`.
    pub fn of(document: &Document) -> Notation {
        let text = document.text.trim_start();
        let after_brace = text.strip_prefix('{').map(str::trim_start);
        let word = text.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default().to_ascii_lowercase();
        let has_extension = |wanted: &str| {
            document.path.as_ref().is_some_and(|path| path.extension().is_some_and(|found| found == wanted))
        };
        if after_brace.is_some_and(|rest| rest.starts_with('"') || rest.starts_with('}')) || has_extension("json") {
            Notation::Json
        } else if matches!(word.as_str(), "digraph" | "graph" | "strict") || has_extension("dot") || has_extension("gv")
        {
            Notation::Dot
        } else {
            Notation::Program
        }
    }
}

/// Grounds the texts and takes the facts of the instance's predicates.
fn from_programs(programs: &[Document], settings: &asp::Settings, stop: &Stop) -> Result<Vec<Fact>, Failure> {
    let program = asp::Program { instance: programs.to_vec(), ..asp::Program::default() };
    let settings = asp::Settings { constants: settings.constants.clone(), ..asp::Settings::default() };
    let mut solver = asp::Solver::with_program(&program, &settings, stop)?;
    let atoms = solver.control().known_atoms().map_err(|error| Diagnostic::error(error.text))?;
    let mut facts = Vec::new();
    for (symbol, is_fact) in atoms {
        let Some((name, _)) = asp::signature_of(symbol) else { continue };
        if !PREDICATES.iter().any(|(known, _)| *known == name) {
            continue;
        }
        let text = asp::to_text(symbol);
        if !is_fact {
            return Err(Diagnostic::error(format!(
                "{text} is not a fact: a network is fixed, and this atom may hold or not"
            ))
            .help("give an encoding of your own with -e")
            .into());
        }
        let terms = symbol.arguments().unwrap_or_default().into_iter().map(Term::of).collect();
        facts.push(Fact { name: name.to_owned(), terms, text });
    }
    Ok(facts)
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
