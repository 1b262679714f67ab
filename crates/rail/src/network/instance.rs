//! Reads an instance in any notation: a logic program, JSON or Graphviz. Plans can also be lines or
//! SVG drawings.

use std::collections::BTreeSet;

use asp::Term;
use base::diagnostic::{Code, Diagnostic, Failure};
use base::document::{Document, Notation};
use base::stop::CancelToken;
use rustc_hash::FxHashMap;

use super::{dot, json, lines, svg};
use crate::network::fact::{Fact, PLAN_PREDICATES, PREDICATES};
use crate::network::facts::Facts;

/// Reads the facts of the network that the documents contain or that follows from their plan.
pub fn read(documents: &[Document], settings: &asp::Settings, stop: &CancelToken) -> Result<Facts, Failure> {
    read_documents(documents, settings, stop)?.into_network()
}

/// Reads each document in its notation, without deriving a network from a plan.
pub fn read_documents(documents: &[Document], settings: &asp::Settings, stop: &CancelToken) -> Result<Facts, Failure> {
    let (mut facts, mut spans, mut programs) = (BTreeSet::new(), FxHashMap::default(), Vec::new());
    for (number, document) in documents.iter().enumerate() {
        let placed = match document.notation() {
            Notation::Json => json::facts(document)?,
            Notation::Dot => dot::facts(document)?,
            Notation::Svg => svg::facts(document)?,
            Notation::Program if lines::is_plan(document) || is_line_notation(&document.text) => {
                lines::facts(document)?
            }
            Notation::Program => {
                programs.push(document.clone());
                continue;
            }
        };
        for (fact, range) in placed {
            spans.entry(fact.text.clone()).or_insert((number, range));
            facts.insert(fact);
        }
    }
    if !programs.is_empty() {
        facts.extend(from_programs(&programs, settings, stop)?);
    }
    let facts = facts.into_iter().collect();
    Ok(Facts { facts, documents: documents.to_vec(), spans, ..Facts::default() })
}

/// Returns true if `text` has no sign of a logic program, so that it must be a plan in lines.
fn is_line_notation(text: &str) -> bool {
    let mut lines = text.lines().map(|line| line.split('%').next().unwrap_or_default());
    !asp::syntax::is_blank(text)
        && !lines.any(|line| line.contains(['(', '#', '{']) || line.contains(":-") || line.trim_end().ends_with('.'))
}

/// Returns the documents that are logic programs.
pub fn programs(documents: &[Document]) -> Vec<Document> {
    let is_program = |document: &&Document| document.notation() == Notation::Program && !lines::is_plan(document);
    documents.iter().filter(is_program).cloned().collect()
}

/// Grounds logic programs and collects the facts of the railway's predicates.
fn from_programs(programs: &[Document], settings: &asp::Settings, stop: &CancelToken) -> Result<Vec<Fact>, Failure> {
    let program = asp::Program::of(programs.to_vec());
    let settings = asp::Settings { constants: settings.constants.clone(), ..asp::Settings::default() };
    let mut solver = asp::Solver::with_program(&program, &settings, stop)?;
    let atoms = solver.control().known_atoms()?;
    let mut facts = Vec::new();
    for (symbol, is_fact) in atoms {
        let Some((name, _)) = asp::signature_of(symbol) else { continue };
        if !PREDICATES.iter().chain(&PLAN_PREDICATES).any(|(known, _)| *known == name) {
            continue;
        }
        let text = asp::to_text(symbol);
        if !is_fact {
            return Err(Diagnostic::error(
                Code::InvalidInstance,
                format!("{text} is not a fact: a network is fixed, and this atom may hold or not"),
            )
            .help("give an encoding of your own with -e")
            .into());
        }
        let terms = symbol.arguments().unwrap_or_default().into_iter().map(Term::of).collect();
        facts.push(Fact { name: name.to_owned(), terms, text });
    }
    Ok(facts)
}

/// Returns the instance for clingo: the documents if they are logic programs that describe a
/// network, otherwise the facts of the network.
pub fn instance_program(facts: &Facts, documents: &[Document]) -> asp::Program {
    if programs(documents).len() == documents.len() && facts.plan.is_none() {
        asp::Program::of(documents.to_vec())
    } else {
        asp::Program { facts: facts.symbols(), ..asp::Program::default() }
    }
}
