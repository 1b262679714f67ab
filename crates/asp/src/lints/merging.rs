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

use base::diagnostic::{Code, Diagnostic, Place};
use base::document::Document;
use base::stop::CancelToken;
use base::syntax::Signature;

use crate::ffi::{Symbol, signature_of};
use crate::program::Program;
use crate::settings::Settings;
use crate::solver::Solver;
use crate::statement::Statement;
use crate::symbols::{predicate_of, to_text};
use crate::transform::tuple;
use crate::tree::{
    Aggregate, AggregateFunction, Atom, Guard, Head, Literal, Part, Relation, Sign, Term, TermKind, UnaryOperator,
};

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
pub fn sums_of(statement: &Statement) -> Vec<Sum> {
    // The parameter of a step has a value only in that step.
    if !statement.part.parameters.is_empty() {
        return Vec::new();
    }
    if let Head::Minimize { weight, level, terms } = &statement.head {
        // Elements with different levels have different tuples.
        let is_constant = variables([Part::Term(level)]).is_empty();
        let sum = is_constant.then(|| sum(statement, weight, Some(level), terms, &statement.body, &[]));
        return sum.flatten().into_iter().collect();
    }
    let mut sums = Vec::new();
    for literal in &statement.body {
        let Atom::Aggregate(aggregate) = &literal.atom else { continue };
        let is_sum = matches!(aggregate.function, Some(AggregateFunction::Sum | AggregateFunction::SumPlus));
        if !is_sum || compares_with_zero(aggregate) {
            continue;
        }
        for element in &aggregate.elements {
            let Some((weight, terms)) = element.terms.as_deref().and_then(<[Term]>::split_first) else { continue };
            sums.extend(sum(statement, weight, None, terms, &element.condition, &statement.body));
        }
    }
    sums
}

/// Returns true if a bound of an aggregate implies that it is positive. Duplicates do not matter.
fn compares_with_zero(aggregate: &Aggregate) -> bool {
    let is_number = |term: &Term, number: i32| matches!(term.kind, TermKind::Symbol(symbol) if symbol.number().is_ok_and(|value| value == number));
    let is_positive = |relation: Relation, term: &Term| match relation {
        Relation::Greater => is_number(term, 0),
        Relation::GreaterEqual => is_number(term, 1),
        _ => false,
    };
    let left = aggregate.left.as_ref().map(|Guard { relation, term }| is_positive(relation.mirrored(), term));
    let right = aggregate.right.as_ref().map(|Guard { relation, term }| is_positive(*relation, term));
    left == Some(true) || right == Some(true)
}

fn variables<'t>(parts: impl IntoIterator<Item = Part<'t>>) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for part in parts {
        part.walk(&mut |part| {
            if let Part::Term(term) = part {
                names.extend(term.variable().map(str::to_owned));
            }
        });
    }
    names
}

fn sum(
    statement: &Statement,
    weight: &Term,
    level: Option<&Term>,
    terms: &[Term],
    condition: &[Literal],
    body: &[Literal],
) -> Option<Sum> {
    let term_variables = variables(terms.iter().map(Part::Term));
    let weight_variables = variables([Part::Term(weight)]);
    let condition_variables = variables(condition.iter().map(Part::Literal));
    let is_local = |name: &String| body.is_empty() || !statement.variables.contains(name);
    let others: Vec<String> = condition_variables
        .iter()
        .filter(|name| is_local(name) && !weight_variables.contains(*name))
        .cloned()
        .collect();
    if others.is_empty() || term_variables.iter().any(is_local) {
        return None;
    }
    let element_variables: BTreeSet<&String> =
        term_variables.iter().chain(&weight_variables).chain(&condition_variables).collect();
    let globals: Vec<String> = element_variables.into_iter().filter(|name| !is_local(name)).cloned().collect();
    let atoms = body.iter().filter(|literal| literal.positive_atom().is_some());
    let bound = variables(atoms.map(Part::Literal));
    let mut literals = Vec::new();
    let mut signatures = BTreeSet::new();
    for (literal, is_condition) in
        condition.iter().map(|literal| (literal, true)).chain(body.iter().map(|literal| (literal, false)))
    {
        match &literal.atom {
            Atom::Symbolic(atom) if is_condition || literal.sign == Sign::Positive => {
                Part::Term(atom).walk(&mut |part| {
                    if let Part::Term(term @ Term { kind: TermKind::Function { .. } | TermKind::Symbol(_), .. }) = part
                    {
                        signatures.extend(term.signature());
                    }
                });
            }
            Atom::Comparison(_) if is_condition || variables([Part::Literal(literal)]).is_subset(&bound) => {}
            // Other literals are not supported in conditions. A body is approximated by its atoms.
            _ if is_condition => return None,
            _ => continue,
        }
        literals.push(literal.to_string());
    }
    let last = terms.last().unwrap_or(weight);
    let place = statement.place_of(weight.span.cover(last.span));
    // clingo reports the weight of `#maximize` as its negation, at the same place.
    let weight = match &weight.kind {
        TermKind::Unary(UnaryOperator::Minus, argument) if argument.span.start() == weight.span.start() => &**argument,
        _ => weight,
    };
    let weight = weight.to_string();
    let tuple = std::iter::once(weight.clone()).chain(terms.iter().map(ToString::to_string)).collect();
    let level = level.map(ToString::to_string).filter(|level| level != "0");
    let weight = level.map_or(weight.clone(), |level| format!("{weight}@{level}"));
    Some(Sum { place, tuple, weight, globals, others, body: literals, signatures })
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
            Diagnostic::info(Code::MergedTuples, text)
                .at(Some(self.place.clone()))
                .help(format!("{tuple_text},{} counts each", self.others.join(","))),
        )
    }
}
