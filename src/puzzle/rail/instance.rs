//! Reads an instance in any of its three notations: a logic program, JSON, a Graphviz file.

use std::collections::BTreeSet;

use super::facts::{Fact, Facts, PREDICATES};
use super::{dot, json};
use crate::asp::{self, Term};
use crate::diagnostic::{Diagnostic, Failure};
use crate::document::Document;
use crate::stop::Stop;

/// Reads every document in its own notation.
pub fn read(documents: &[Document], settings: &asp::Settings, stop: &Stop) -> Result<Facts, Failure> {
    let mut facts = BTreeSet::new();
    let (structured, programs): (Vec<_>, Vec<_>) =
        documents.iter().cloned().partition(|document| Notation::of(document) != Notation::Program);
    for document in &structured {
        facts.extend(match Notation::of(document) {
            Notation::Json => json::facts(document)?,
            _ => dot::facts(document)?,
        });
    }
    if !programs.is_empty() {
        facts.extend(from_programs(&programs, settings, stop)?);
    }
    Ok(Facts { facts: facts.into_iter().collect(), documents: documents.to_vec() })
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
