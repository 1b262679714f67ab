//! Reads an instance in any of its notations: a logic program, JSON, a Graphviz file; for plans also lines and drawings.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::{dot, json, lines, plan, svg};
use crate::asp::{self, Term};
use crate::diagnostic::{Diagnostic, Failure};
use crate::document::{Document, Notation};
use crate::puzzle::rail::network::facts::{Fact, Facts, PREDICATES};
use crate::stop::Stop;

/// The network that the documents say, or that follows from their plan.
pub fn read(documents: &[Document], settings: &asp::Settings, stop: &Stop) -> Result<Facts, Failure> {
    written(documents, settings, stop)?.network()
}

/// Reads every document in its own notation.
pub fn written(documents: &[Document], settings: &asp::Settings, stop: &Stop) -> Result<Facts, Failure> {
    let (mut facts, mut places, mut programs) = (BTreeSet::new(), FxHashMap::default(), Vec::new());
    for (number, document) in documents.iter().enumerate() {
        let placed = match document.notation() {
            Notation::Json => json::facts(document)?,
            Notation::Dot => dot::facts(document)?,
            Notation::Plan => lines::facts(document)?,
            Notation::Svg => svg::facts(document)?,
            Notation::Program if is_in_lines(&document.text) => lines::facts(document)?,
            Notation::Program => {
                programs.push(document.clone());
                continue;
            }
        };
        for (fact, range) in placed {
            places.entry(fact.text.clone()).or_insert((number, range));
            facts.insert(fact);
        }
    }
    if !programs.is_empty() {
        facts.extend(from_programs(&programs, settings, stop)?);
    }
    let facts = facts.into_iter().collect();
    Ok(Facts { facts, documents: documents.to_vec(), places, ..Facts::default() })
}

/// Whether a text can only be lines: a program of facts, rules or `#include`s would have other signs.
fn is_in_lines(text: &str) -> bool {
    let mut said = text.lines().map(|line| line.split('%').next().unwrap_or_default());
    !asp::syntax::is_blank(text)
        && !said.any(|line| line.contains(['(', '#', '{']) || line.contains(":-") || line.trim_end().ends_with('.'))
}

/// Grounds the texts and takes the facts of the instance's predicates.
fn from_programs(programs: &[Document], settings: &asp::Settings, stop: &Stop) -> Result<Vec<Fact>, Failure> {
    let program = asp::Program::of(programs.to_vec());
    let settings = asp::Settings { constants: settings.constants.clone(), ..asp::Settings::default() };
    let mut solver = asp::Solver::with_program(&program, &settings, stop)?;
    let atoms = solver.control().known_atoms()?;
    let mut facts = Vec::new();
    for (symbol, is_fact) in atoms {
        let Some((name, _)) = asp::signature_of(symbol) else { continue };
        if !PREDICATES.iter().chain(&plan::PREDICATES).any(|(known, _)| *known == name) {
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
