//! The lint `merged-tuples`: several elements of a sum with the same tuple.
//!
//! The elements of an aggregate are a set: `#sum { W : take(I), weight(I,W) }` counts two items of
//! weight 5 once, since both have the tuple `(5)`. That is intended if further terms distinguish
//! the elements, as in `W,I`, but usually not if the weight is the only term.
//!
//! The lint checks an answer. Its atoms become facts, and a rule derives for each tuple the values
//! of the variables that are not in it:
//!
//! ```text
//! tuple((globals),(5),(a)) :- the body's atoms, take(a), weight(a,5).
//! ```

use std::collections::{BTreeMap, BTreeSet};

use super::{info, walk};
use crate::asp::ffi::ast::{Attribute, Node, NodeKind};
use crate::asp::ffi::{Symbol, signature_of};
use crate::asp::program::Program;
use crate::asp::settings::Settings;
use crate::asp::solver::Solver;
use crate::asp::statement::{CallResult, Head, Statement, signature_of_term};
use crate::asp::symbols::{predicate_of, to_text};
use crate::asp::syntax::Signature;
use crate::asp::transform::tuple;
use crate::diagnostic::{Code, Diagnostic, Place};
use crate::document::Document;
use crate::stop::CancelToken;

/// An element of a sum. Its tuple contains no local variables except in the weight.
pub struct Sum {
    place: Place,
    /// The tuple as clingo prints it; `weight` is its first term with the level.
    tuple: Vec<String>,
    weight: String,
    globals: Vec<String>,
    /// The local variables that do not occur in the tuple.
    others: Vec<String>,
    /// The literals that bind the variables.
    body: Vec<String>,
    /// The predicates of these literals.
    signatures: BTreeSet<Signature>,
}

const TUPLE: &str = "__asp_solve_tuple";

/// Returns the elements of a statement that may have the same tuple several times.
pub fn sums_of(node: &Node, statement: &Statement) -> CallResult<Vec<Sum>> {
    let mut sums = Vec::new();
    // The parameter of a step has a value only in that step.
    if !statement.part.parameters.is_empty() {
        return Ok(sums);
    }
    if matches!(statement.head, Head::Minimize) {
        let body = node.nodes(Attribute::Body)?;
        let weight: Vec<Node> = node.nodes(Attribute::Weight)?;
        let level = node.node(Attribute::Priority)?;
        // Elements with different levels have different tuples.
        if !variables(level.as_slice())?.is_empty() {
            return Ok(sums);
        }
        let priority = level.map(|priority| priority.text()).transpose()?;
        sums.extend(sum(statement, &weight, priority, &node.nodes(Attribute::Terms)?, &body, &[])?);
        return Ok(sums);
    }
    for literal in node.nodes(Attribute::Body)? {
        let Some(atom) = literal.node(Attribute::Atom)? else { continue };
        // clingo's numbers: count, sum, sum+, min, max.
        if atom.kind()? != NodeKind::BodyAggregate || !matches!(atom.number(Attribute::Function)?, 1 | 2) {
            continue;
        }
        // Duplicates do not affect whether a sum is positive.
        let text = atom.text()?;
        if text.starts_with("0 < ") || text.starts_with("1 <= ") || text.ends_with(" > 0") || text.ends_with(" >= 1") {
            continue;
        }
        for element in atom.nodes(Attribute::Elements)? {
            let terms = element.nodes(Attribute::Terms)?;
            let Some((weight, terms)) = terms.split_first() else { continue };
            let condition = element.nodes(Attribute::Condition)?;
            let weight = std::slice::from_ref(weight);
            sums.extend(sum(statement, weight, None, terms, &condition, &node.nodes(Attribute::Body)?)?);
        }
    }
    Ok(sums)
}

fn variables(nodes: &[Node]) -> CallResult<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    for node in nodes {
        walk(node, &mut |node, kind| {
            if kind == NodeKind::Variable {
                names.insert(node.string(Attribute::Name)?);
            }
            Ok(())
        })?;
    }
    names.remove("_");
    Ok(names)
}

/// Returns true if a body literal is a positive atom.
fn is_atom(literal: &Node) -> CallResult<bool> {
    let Some(atom) = literal.node(Attribute::Atom)? else { return Ok(false) };
    Ok(atom.kind()? == NodeKind::SymbolicAtom && literal.number(Attribute::Sign)? == 0)
}

fn sum(
    statement: &Statement,
    weight: &[Node],
    priority: Option<String>,
    terms: &[Node],
    condition: &[Node],
    body: &[Node],
) -> CallResult<Option<Sum>> {
    let [weight_term] = weight else { return Ok(None) };
    let term_variables = variables(terms)?;
    let weight_variables = variables(weight)?;
    let condition_variables = variables(condition)?;
    let is_local = |name: &String| body.is_empty() || !statement.variables.contains(name);
    let others: Vec<String> = condition_variables
        .iter()
        .filter(|name| is_local(name) && !weight_variables.contains(*name))
        .cloned()
        .collect();
    if others.is_empty() || term_variables.iter().any(is_local) {
        return Ok(None);
    }
    let element_variables: BTreeSet<&String> =
        term_variables.iter().chain(&weight_variables).chain(&condition_variables).collect();
    let globals: Vec<String> = element_variables.into_iter().filter(|name| !is_local(name)).cloned().collect();
    let mut bound = BTreeSet::new();
    for literal in body {
        bound.extend(if is_atom(literal)? { variables(std::slice::from_ref(literal))? } else { BTreeSet::new() });
    }
    let mut literals = Vec::new();
    let mut signatures = BTreeSet::new();
    for (literal, is_condition) in
        condition.iter().map(|node| (node, true)).chain(body.iter().map(|node| (node, false)))
    {
        let is_plain = literal.kind()? == NodeKind::Literal;
        let Some(atom) = literal.node(Attribute::Atom)?.filter(|_| is_plain) else {
            if is_condition { return Ok(None) } else { continue }
        };
        let is_positive = literal.number(Attribute::Sign)? == 0;
        match atom.kind()? {
            NodeKind::SymbolicAtom if is_condition || is_positive => {
                walk(&atom, &mut |node, kind| {
                    if matches!(kind, NodeKind::Function | NodeKind::SymbolicTerm) {
                        signatures.extend(signature_of_term(node)?);
                    }
                    Ok(())
                })?;
            }
            NodeKind::Comparison if is_condition || variables(std::slice::from_ref(literal))?.is_subset(&bound) => {}
            // Other literals are not supported in conditions. A body is approximated by its atoms.
            _ if is_condition => return Ok(None),
            _ => continue,
        }
        literals.push(literal.text()?);
    }
    let last = terms.last().unwrap_or(weight_term);
    let place = Place { file: statement.place.file.clone(), end: last.place()?.end, ..weight_term.place()? };
    // clingo reports the weight of `#maximize` as its negation, at the same place.
    let argument = weight_term.node(Attribute::Argument)?;
    let is_maximised = |argument: &Node| Ok(argument.place()?.start == weight_term.place()?.start);
    let weight = match argument.as_ref().map(is_maximised).transpose()? {
        Some(true) => argument.map_or_else(|| weight_term.text(), |argument| argument.text())?,
        _ => weight_term.text()?,
    };
    let mut tuple = vec![weight.clone()];
    for term in terms {
        tuple.push(term.text()?);
    }
    let weight = priority.filter(|level| level != "0").map_or(weight.clone(), |level| format!("{weight}@{level}"));
    Ok(Some(Sum { place, tuple, weight, globals, others, body: literals, signatures }))
}

impl Sum {
    pub fn is_about(&self, atom: Symbol) -> bool {
        let is_relevant = |signature| self.signatures.contains(&Signature { is_positive: true, ..signature });
        predicate_of(atom).is_some_and(is_relevant)
    }

    /// Returns a diagnostic if elements share a tuple in an answer.
    pub fn lint(
        &self,
        definitions: &str,
        answer: &[Symbol],
        settings: &Settings,
        stop: &CancelToken,
    ) -> Option<Diagnostic> {
        let head = [&self.globals, &self.tuple, &self.others].map(|terms| tuple(terms)).join(",");
        let text = format!("{definitions}{TUPLE}({head}) :- {}.", self.body.join(", "));
        let program = Program { facts: answer.to_vec(), ..Program::of([Document::in_memory("sum", text)]) };
        let mut solver = Solver::with_program(&program, settings, stop).ok()?;
        let atoms = solver.control().known_atoms().ok()?;
        let mut others_by_key: BTreeMap<Vec<Symbol>, BTreeSet<Symbol>> = BTreeMap::new();
        for (atom, _) in atoms.into_iter().filter(|&(atom, _)| signature_of(atom) == Some((TUPLE, 3))) {
            let mut arguments = atom.arguments().ok()?;
            let others = arguments.pop()?;
            others_by_key.entry(arguments).or_default().insert(others);
        }
        let has_zero_weight = |key: &[Symbol]| {
            let weight = key.get(1).and_then(|tuple| tuple.arguments().ok()?.first()?.number().ok());
            weight == Some(0)
        };
        let (key, others_of_key) =
            others_by_key.into_iter().find(|(key, others)| others.len() > 1 && !has_zero_weight(key))?;
        let [one, other] = others_of_key
            .into_iter()
            .take(2)
            .map(|others| others.arguments().ok())
            .collect::<Option<Vec<_>>>()?
            .try_into()
            .ok()?;
        let value = to_text(*key.get(1)?);
        let value = value.strip_suffix(",)").map_or(value.clone(), |value| format!("{value})"));
        let differing: Vec<usize> = (0..self.others.len()).filter(|&at| one.get(at) != other.get(at)).collect();
        let words = |values: &[Symbol]| {
            let each = differing.iter().map(|&at| format!("{} = {}", self.others[at], to_text(values[at])));
            each.collect::<Vec<_>>().join(", ")
        };
        let (one, other) = (words(&one), words(&other));
        let tuple_text = [std::slice::from_ref(&self.weight), &self.tuple[1..]].concat().join(",");
        let text = format!("{one} and {other} both give the tuple {value} in an answer, which counts once");
        Some(
            info(Code::MergedTuples, text, self.place.clone())
                .help(format!("{tuple_text},{} counts each", self.others.join(","))),
        )
    }
}
