//! The lints `overflow`, `empty-extremum` and `forced-conflict`: arithmetic that leaves the range of
//! 32 bits while clingo grounds, comparisons with the minimum or maximum of no element, and
//! constraints that facts violate.
//!
//! Rules that derive the operands are added to the program, and it is grounded again:
//!
//! ```text
//! __asp_solve_value(1,X,Y) :- the body of the statement with the term X*Y.
//! ```
//!
//! This happens only if the program has great numbers, such a comparison or such a constraint, and
//! few atoms.

use std::collections::BTreeSet;

use base::diagnostic::{Code, Diagnostic, Place};
use base::document::Document;
use base::stop::CancelToken;

use crate::ffi::{Control, Symbol, SymbolType, signature_of};
use crate::program::Program;
use crate::settings::Settings;
use crate::solver::Solver;
use crate::statement::Statement;
use crate::symbols::to_text;
use crate::syntax::{self, Signature};
use crate::transform::rule;
use crate::tree::{
    Aggregate, AggregateFunction, Atom, BinaryOperator, Guard, Head, Literal, Part, Relation, Sign, Term, TermKind,
};

/// Numbers from this size on may overflow.
const GREAT: i64 = 10_000;
/// Programs with more atoms or longer texts are not grounded again.
const MAX_ATOMS: usize = 5_000;
const LONGEST: usize = 1_000_000;
const VALUE: &str = "__asp_solve_value";
/// The variable for the value of an aggregate.
const EXTREMUM: &str = "ASPSOLVEVALUE";

/// A term whose values are checked.
pub struct CheckedTerm {
    place: Place,
    text: String,
    kind: CheckedKind,
    body: Vec<String>,
}

enum CheckedKind {
    Binary {
        operator: BinaryOperator,
        operands: [String; 2],
    },
    /// A minimum or maximum, and the term for its value.
    Extremum {
        is_minimum: bool,
        value: String,
    },
    /// Two atoms of a constraint, and the place of the rule that derives them.
    Conflict {
        atoms: [String; 2],
        derived: Place,
    },
}

/// Returns the terms of a statement whose values may be wrong.
pub fn checked_terms(statement: &Statement) -> Vec<CheckedTerm> {
    // The parameter of a step has a value only in that step.
    if !statement.part.parameters.is_empty() || !statement.is_grounded() {
        return Vec::new();
    }
    let mut terms = extrema(statement);
    // A comparison in an order binds no variable, and may fail because its operand has overflowed.
    let may_fail = |literal: &&Literal| match &literal.atom {
        Atom::Comparison(comparison) => {
            let mut operands = comparison.1.iter().map(|guard| &guard.term).chain([&comparison.0]);
            comparison.1.iter().all(|guard| guard.relation.is_ordered())
                && operands.any(|term| matches!(term.kind, TermKind::Binary(..)))
        }
        _ => false,
    };
    let body: Vec<String> =
        statement.body.iter().filter(|literal| !may_fail(literal)).map(ToString::to_string).collect();
    let mut add = |part: Part<'_>| products(part, statement, &body, &mut terms);
    statement.head.for_each_child(&mut add);
    statement.body.iter().for_each(|literal| add(Part::Literal(literal)));
    terms
}

/// Returns the predicate in a constraint that allows one of its atoms: `:- p(X,Y), p(X,Z), Y != Z.`
pub fn allows_one(statement: &Statement) -> Option<Signature> {
    if !matches!(statement.head, Head::Constraint) || !statement.part.parameters.is_empty() {
        return None;
    }
    let atoms: Vec<&Term> = statement.body.iter().filter_map(Literal::positive_atom).collect();
    let is_comparison = |literal: &&Literal| matches!(literal.atom, Atom::Comparison(_));
    match &atoms[..] {
        [one, other] if statement.body.iter().filter(is_comparison).count() + 2 == statement.body.len() => {
            one.signature().filter(|signature| other.signature().as_ref() == Some(signature))
        }
        _ => None,
    }
}

/// Returns the check of such a constraint; `derived` is the place of the rule that derives the atoms.
pub fn conflict(statement: &Statement, derived: Place) -> Option<CheckedTerm> {
    let atoms: Vec<String> =
        statement.body.iter().filter_map(Literal::positive_atom).map(ToString::to_string).collect();
    Some(CheckedTerm {
        place: statement.place.clone(),
        text: statement.text.clone(),
        kind: CheckedKind::Conflict { atoms: atoms.try_into().ok()?, derived },
        body: statement.body.iter().map(ToString::to_string).collect(),
    })
}

/// Adds the sums, differences, products and powers in a part, with the conditions of elements in
/// their bodies.
fn products(part: Part<'_>, statement: &Statement, body: &[String], terms: &mut Vec<CheckedTerm>) {
    match part {
        Part::Element(element) => {
            let condition = element.condition.iter().map(ToString::to_string);
            let body: Vec<String> = body.iter().cloned().chain(condition).collect();
            part.for_each_child(&mut |child| products(child, statement, &body, terms));
        }
        Part::Term(term @ Term { kind: TermKind::Binary(operator, operands), .. })
            if matches!(
                operator,
                BinaryOperator::Plus | BinaryOperator::Minus | BinaryOperator::Times | BinaryOperator::Power
            ) =>
        {
            let mut has_variable = false;
            let mut is_simple = true;
            part.walk(&mut |part| {
                let Part::Term(term) = part else { return };
                has_variable |= term.variable().is_some();
                let is_external = matches!(term.kind, TermKind::Function { is_external: true, .. });
                is_simple &= !is_external && !matches!(term.kind, TermKind::Interval(_) | TermKind::Pool(_));
            });
            if has_variable && is_simple {
                terms.push(CheckedTerm {
                    place: statement.place_of(term.span),
                    text: without_brackets(term),
                    kind: CheckedKind::Binary {
                        operator: *operator,
                        operands: [operands.0.to_string(), operands.1.to_string()],
                    },
                    body: body.to_vec(),
                });
            }
            part.for_each_child(&mut |child| products(child, statement, body, terms));
        }
        _ => part.for_each_child(&mut |child| products(child, statement, body, terms)),
    }
}

/// Returns the text of a term without the brackets that clingo prints around it.
fn without_brackets(term: &Term) -> String {
    let text = term.to_string();
    text.strip_prefix('(').and_then(|text| text.strip_suffix(')')).map_or(text.clone(), str::to_owned)
}

/// Returns the minima and maxima in the body that are compared in an order.
fn extrema(statement: &Statement) -> Vec<CheckedTerm> {
    let mut ordered = BTreeSet::new();
    for literal in &statement.body {
        if let Atom::Comparison(comparison) = &literal.atom
            && comparison.1.iter().any(|guard| guard.relation.is_ordered())
        {
            let operands = comparison.1.iter().map(|guard| &guard.term).chain([&comparison.0]);
            ordered.extend(operands.filter_map(Term::variable));
        }
    }
    let mut terms = Vec::new();
    for (number, literal) in statement.body.iter().enumerate() {
        let Literal { sign: Sign::Positive, atom: Atom::Aggregate(aggregate), .. } = literal else { continue };
        let is_minimum = match aggregate.function {
            Some(AggregateFunction::Min) => true,
            Some(AggregateFunction::Max) => false,
            _ => continue,
        };
        let guards = || aggregate.left.iter().chain(&aggregate.right);
        let assigned = guards().find_map(|guard| guard.term.variable().filter(|_| guard.relation == Relation::Equal));
        let is_compared = guards().any(|guard| guard.relation.is_ordered());
        let value = match assigned {
            Some(name) if ordered.contains(name) => name,
            None if is_compared => EXTREMUM,
            _ => continue,
        };
        let span = aggregate.span.unwrap_or(literal.span);
        let mut body: Vec<String> = statement.body.iter().map(ToString::to_string).collect();
        if value == EXTREMUM {
            let variable = Term { span, kind: TermKind::Variable(EXTREMUM) };
            let right = Guard { relation: Relation::Equal, term: variable };
            let assigning = Aggregate { left: None, right: Some(right), ..(**aggregate).clone() };
            let atom = Atom::Aggregate(Box::new(assigning));
            body.insert(number, Literal { atom, ..literal.clone() }.to_string());
        }
        terms.push(CheckedTerm {
            place: statement.place_of(literal.span),
            text: format!("#{}", if is_minimum { "min" } else { "max" }),
            kind: CheckedKind::Extremum { is_minimum, value: value.to_owned() },
            body,
        });
    }
    terms
}

/// Returns the lints of the terms that have wrong values.
pub fn lints(
    terms: &[CheckedTerm],
    program: &Program,
    control: &Control,
    settings: &Settings,
    stop: &CancelToken,
) -> Vec<Diagnostic> {
    if terms.is_empty() {
        return Vec::new();
    }
    let Some(size) = greatest_number(program, control) else { return Vec::new() };
    let is_possible = |term: &CheckedTerm| match &term.kind {
        CheckedKind::Binary { operator: BinaryOperator::Power, .. } => size > 1,
        CheckedKind::Binary { .. } => size >= GREAT,
        CheckedKind::Extremum { .. } | CheckedKind::Conflict { .. } => true,
    };
    let checked: Vec<&CheckedTerm> = terms.iter().filter(|term| is_possible(term)).collect();
    if checked.is_empty() {
        return Vec::new();
    }
    values(&checked, program, settings, stop).unwrap_or_default()
}

/// Returns the size of the greatest number in the texts and atoms of a program, or `None` if the
/// program is too large.
fn greatest_number(program: &Program, control: &Control) -> Option<i64> {
    let in_text = |document: &Document| {
        let numbers = syntax::tokens(&document.text)
            .map(|token| token.text)
            .filter(|word| word.starts_with(|digit: char| digit.is_ascii_digit()));
        numbers.map(|word| word.parse::<i64>().unwrap_or(GREAT)).max()
    };
    if program.documents().map(|document| document.text.len()).sum::<usize>() > LONGEST {
        return None;
    }
    let mut greatest = program.documents().filter_map(in_text).max().unwrap_or(0);
    let mut left = MAX_ATOMS;
    for signature in control.signatures().ok()? {
        let atoms = control.atoms_of(&signature, left).ok()?;
        left = left.checked_sub(atoms.len()).filter(|&left| left > 0)?;
        let numbers = atoms.iter().flat_map(|atom| atom.arguments().unwrap_or_default());
        let numbers = numbers.filter_map(|value| value.number().ok());
        greatest = numbers.map(|number| i64::from(number).abs()).fold(greatest, i64::max);
    }
    Some(greatest)
}

fn values(
    terms: &[&CheckedTerm],
    program: &Program,
    settings: &Settings,
    stop: &CancelToken,
) -> Option<Vec<Diagnostic>> {
    let mut text = String::from("#program base.\n");
    for (number, term) in terms.iter().enumerate() {
        let head = match &term.kind {
            CheckedKind::Binary { operands: [left, right], .. } => format!("{VALUE}({number},({left}),({right}))"),
            CheckedKind::Extremum { value, .. } => format!("{VALUE}({number},({value}),0)"),
            CheckedKind::Conflict { atoms: [one, other], .. } => format!("{VALUE}({number},{one},{other})"),
        };
        text += &rule(&head, &term.body);
        text.push('\n');
    }
    let mut program = program.clone();
    program.additions.push(Document::in_memory("<values>", text));
    let mut solver = Solver::with_program(&program, settings, stop).ok()?;
    let mut found: Vec<Option<Diagnostic>> = vec![None; terms.len()];
    for (atom, is_fact) in solver.control().known_atoms().ok()? {
        if signature_of(atom) != Some((VALUE, 3)) {
            continue;
        }
        let arguments = atom.arguments().ok()?;
        let number = arguments[0].number().ok()? as usize;
        if found[number].is_none() {
            found[number] = terms[number].lint(arguments[1], arguments[2], is_fact);
        }
    }
    Some(found.into_iter().flatten().collect())
}

impl CheckedTerm {
    /// Returns the lint for these values, if they are wrong.
    fn lint(&self, left: Symbol, right: Symbol, is_fact: bool) -> Option<Diagnostic> {
        match &self.kind {
            CheckedKind::Binary { operator, .. } => {
                let (left, right) = (left.number().ok()?, right.number().ok()?);
                let (sign, exact, wrapped) = exact_and_wrapped(*operator, left, right)?;
                if exact == Some(i64::from(wrapped)) {
                    return None;
                }
                let text = &self.text;
                let message = format!(
                    "`{text}` is {left}{sign}{right} here, which exceeds 32 bits; clingo wraps it to {wrapped}"
                );
                Some(Diagnostic::warning(Code::Overflow, message).at(Some(self.place.clone())))
            }
            CheckedKind::Extremum { is_minimum, .. } => {
                let (kind, name, order) = match is_minimum {
                    true => (SymbolType::Supremum, "#sup", "greater"),
                    false => (SymbolType::Infimum, "#inf", "less"),
                };
                if !is_fact || left.symbol_type().ok()? != kind {
                    return None;
                }
                let message = format!(
                    "{} has no element here: its value is {name}, which is {order} than every number",
                    self.text
                );
                let help = "add an atom of the elements to the body, so that there is one";
                Some(Diagnostic::info(Code::EmptyExtremum, message).at(Some(self.place.clone())).help(help))
            }
            CheckedKind::Conflict { derived, .. } => {
                let (one, other) = (to_text(left.min(right)), to_text(left.max(right)));
                let message = format!("{one} and {other} hold in every answer, and this constraint forbids that");
                let head = one.split('(').next().unwrap_or(&one);
                let lint = Diagnostic::info(Code::ForcedConflict, message).at(Some(self.place.clone()));
                let lint = lint.at(Some(derived.clone().label("this rule derives all of them")));
                let help = format!("to choose one of several, write a choice: {{ {head}(…) : … }} = 1 :- ….");
                is_fact.then(|| lint.help(help))
            }
        }
    }
}

/// Returns the sign of an operator, the exact result if it has 64 bits, and clingo's result.
fn exact_and_wrapped(operator: BinaryOperator, left: i32, right: i32) -> Option<(&'static str, Option<i64>, i32)> {
    let (a, b) = (i64::from(left), i64::from(right));
    Some(match operator {
        BinaryOperator::Plus => ("+", Some(a + b), left.wrapping_add(right)),
        BinaryOperator::Minus => ("-", Some(a - b), left.wrapping_sub(right)),
        BinaryOperator::Times => ("*", Some(a * b), left.wrapping_mul(right)),
        BinaryOperator::Power => {
            let exponent = u32::try_from(right).ok()?;
            ("**", a.checked_pow(exponent), left.wrapping_pow(exponent))
        }
        _ => return None,
    })
}
