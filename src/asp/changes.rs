//! Single changes of statements: the mutation operators of mutation testing.
//!
//! | part of a statement | changes |
//! |---|---|
//! | a rule, a choice, a constraint, a weak constraint | removed |
//! | a literal of a body or of a condition | removed, negated |
//! | a comparison | negated; `<` replaced by `<=` and the like; a number in an equation shifted by one |
//! | a bound of a choice or an aggregate | shifted by one; the bound of a choice also removed |
//! | one of several elements of a choice, disjunction or aggregate | removed |
//!
//! The syntax tree of the user's text gives the place of each change. The tree of the statement as
//! clingo prints it, which has the same shape, gives the position of the new text.

use std::ops::Range;

use super::ffi::ast::{self, Attribute, Node, NodeKind};
use super::program::Program;
use super::statement::{CallResult, Head, Statement, for_each_statement, head_of};
use super::syntax;
use crate::diagnostic::{Code, Diagnostic, Failure, Place};
use crate::document::Document;

/// One change of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The changed part, in the user's text.
    pub place: Place,
    /// The original text, as clingo prints it.
    pub from: String,
    /// The new text; `None` if the part is removed.
    pub to: Option<String>,
    /// The statement after the change; empty if it is removed. Its variables may be unsafe.
    pub text: String,
}

/// Returns the rules, constraints and minimize statements of a program, each with its changes.
pub fn changes_of(program: &Program) -> Result<Vec<(Statement, Vec<Change>)>, Failure> {
    let mut all = Vec::new();
    for_each_statement(program, |node, statement| {
        if matches!(statement.head, Head::Constraint | Head::Minimize) || statement.is_rule() {
            let document = program.documents().find(|document| document.name == statement.place.file);
            let edits = edits_of(node, document.map_or("", |document| &document.text))?;
            all.push((statement, edits));
        }
        Ok(())
    })?;
    let changed = |(statement, edits)| {
        let changes = changes(&statement, edits)?;
        Ok((statement, changes))
    };
    all.into_iter().map(changed).collect()
}

fn changes(statement: &Statement, edits: Vec<Edit>) -> Result<Vec<Change>, Failure> {
    let Statement { place, text, .. } = statement;
    let mut changes = vec![Change { place: place.clone(), from: text.clone(), to: None, text: String::new() }];
    let to_failure = |error: super::ffi::CallError| {
        Failure::from(Diagnostic::error(Code::Clingo, error.text).at(Some(place.clone())))
    };
    let mut printed = Ok(Vec::new());
    // The last tree is the statement; clingo reports `#program base.` before it.
    ast::parse(&[&Document::in_memory("", text.as_str())], |node| printed = edits_of(&node, ""))
        .map_err(|(error, _)| to_failure(error))?;
    for (edit, Edit { place: at, .. }) in edits.into_iter().zip(printed.map_err(to_failure)?) {
        let range = range_of(&edit.from, at.start.column, text);
        let mut text = text.clone();
        text.replace_range(range, &edit.inserted);
        let place = Place { file: place.file.clone(), ..edit.place };
        changes.push(Change { place, from: edit.from, to: edit.replacement, text });
    }
    Ok(changes)
}

/// Returns the range of a part of a statement. It may begin with brackets before the column that
/// clingo reports.
fn range_of(part: &str, column: usize, text: &str) -> Range<usize> {
    let is_part = |&start: &usize| text.get(start..).is_some_and(|rest| rest.starts_with(part));
    let start = (0..column).rev().chain(column..text.len()).find(is_part);
    let start = start.expect("clingo prints a statement from what it prints of its parts");
    start..start + part.len()
}

/// A replacement of the text at a place.
struct Edit {
    place: Place,
    from: String,
    /// The new text; `None` if the text is removed.
    replacement: Option<String>,
    /// The inserted text: the replacement, or a neutral text, such as `#true`, if there is none.
    inserted: String,
}

/// Returns the edits of a statement in the order of its tree.
fn edits_of(statement: &Node, text: &str) -> CallResult<Vec<Edit>> {
    let mut edits = Edits { text, all: Vec::new() };
    if let Some(head) = statement.node(Attribute::Head)? {
        edits.edit_head(&head)?;
    }
    edits.edit_literals(&statement.nodes(Attribute::Body)?)?;
    Ok(edits.all)
}

/// The comparison operators in clingo's order, each with its complement and the operator that
/// differs from it for equal numbers only.
const COMPARISONS: [(&str, &str, Option<&str>); 6] = [
    (">", "<=", Some(">=")),
    ("<", ">=", Some("<=")),
    ("<=", ">", Some("<")),
    (">=", "<", Some(">")),
    ("!=", "=", None),
    ("=", "!=", None),
];

struct Edits<'t> {
    text: &'t str,
    all: Vec<Edit>,
}

impl Edits<'_> {
    fn replace(&mut self, node: &Node, replacement: String) -> CallResult<()> {
        let (place, from) = (span(node, self.text)?, node.text()?);
        self.all.push(Edit { place, from, inserted: replacement.clone(), replacement: Some(replacement) });
        Ok(())
    }

    fn remove(&mut self, node: &Node, filler: String) -> CallResult<()> {
        let (place, from) = (span(node, self.text)?, node.text()?);
        self.all.push(Edit { place, from, replacement: None, inserted: filler });
        Ok(())
    }

    fn edit_head(&mut self, head: &Node) -> CallResult<()> {
        match head_of(head)? {
            Head::Choice { function, elements, left, right } => {
                for (is_left, bound) in [(true, &left), (false, &right)] {
                    if bound.is_some() {
                        let without = Head::Choice {
                            function: function.clone(),
                            elements: elements.clone(),
                            left: left.clone().filter(|_| !is_left),
                            right: right.clone().filter(|_| is_left),
                        };
                        self.replace(head, without.text())?;
                    }
                }
                self.edit_bounds(head)?;
                self.edit_elements(head)
            }
            Head::Disjunction { .. } => self.edit_elements(head),
            _ => Ok(()),
        }
    }

    fn edit_literals(&mut self, literals: &[Node]) -> CallResult<()> {
        literals.iter().try_for_each(|literal| {
            self.remove(literal, "#true".to_owned())?;
            if literal.kind()? == NodeKind::ConditionalLiteral {
                literal.nodes(Attribute::Literal)?.iter().try_for_each(|inner| self.negate(inner))?;
                return self.edit_literals(&literal.nodes(Attribute::Condition)?);
            }
            self.negate(literal)?;
            let Some(atom) = literal.node(Attribute::Atom)? else { return Ok(()) };
            match atom.kind()? {
                NodeKind::Comparison => self.edit_comparison(literal, &atom),
                NodeKind::Aggregate | NodeKind::BodyAggregate => {
                    self.edit_bounds(&atom)?;
                    for element in atom.nodes(Attribute::Elements)? {
                        element.nodes(Attribute::Literal)?.iter().try_for_each(|literal| self.negate(literal))?;
                    }
                    self.edit_elements(&atom)
                }
                _ => Ok(()),
            }
        })
    }

    fn negate(&mut self, literal: &Node) -> CallResult<()> {
        let text = literal.text()?;
        let opposite = match (literal.number(Attribute::Sign)?, literal.node(Attribute::Atom)?) {
            (0, Some(atom)) if atom.kind()? == NodeKind::Comparison => match &guards_of(&atom)?[..] {
                [(comparison, term)] => {
                    let first = atom.node(Attribute::Term)?.map_or(Ok(String::new()), |term| term.text())?;
                    format!("{first} {} {}", COMPARISONS[*comparison].1, term.text()?)
                }
                _ => format!("not {text}"),
            },
            (0, _) => format!("not {text}"),
            _ => text.strip_prefix("not ").unwrap_or(&text).to_owned(),
        };
        self.replace(literal, opposite)
    }

    fn edit_comparison(&mut self, literal: &Node, atom: &Node) -> CallResult<()> {
        let Some(first) = atom.node(Attribute::Term)? else { return Ok(()) };
        let text = literal.text()?;
        let compared = guards_of(atom)?;
        let sign = text.strip_suffix(&atom.text()?).unwrap_or_default();
        for (changed, (comparison, term)) in compared.iter().enumerate() {
            match COMPARISONS[*comparison].2 {
                Some(variant) => {
                    let mut chain = format!("{sign}{}", first.text()?);
                    for (link, (comparison, term)) in compared.iter().enumerate() {
                        let operator = if link == changed { variant } else { COMPARISONS[*comparison].0 };
                        chain += &format!(" {operator} {}", term.text()?);
                    }
                    self.replace(literal, chain)?;
                }
                None if term.kind()? != NodeKind::Variable => self.shift_by_one(term)?,
                None => {}
            }
        }
        Ok(())
    }

    fn edit_bounds(&mut self, aggregate: &Node) -> CallResult<()> {
        for attribute in [Attribute::LeftGuard, Attribute::RightGuard] {
            if let Some(guard) = aggregate.node(attribute)?
                && let Some(term) = guard.node(Attribute::Term)?
            {
                self.shift_by_one(&term)?;
            }
        }
        Ok(())
    }

    /// Shifts a number, or a term that may be a number, by one.
    fn shift_by_one(&mut self, term: &Node) -> CallResult<()> {
        let text = term.text()?;
        let [less, more] = match (term.kind()?, text.parse::<i32>()) {
            (_, Ok(number)) => [number.wrapping_sub(1).to_string(), number.wrapping_add(1).to_string()],
            (NodeKind::Variable | NodeKind::UnaryOperation | NodeKind::BinaryOperation, _) => {
                [format!("{text}-1"), format!("{text}+1")]
            }
            _ => return Ok(()),
        };
        self.replace(term, less)?;
        self.replace(term, more)
    }

    fn edit_elements(&mut self, of: &Node) -> CallResult<()> {
        let elements = of.nodes(Attribute::Elements)?;
        for element in &elements {
            // An element of a head aggregate contains a conditional literal after its tuple.
            let conditional = match element.kind()? {
                NodeKind::HeadAggregateElement => element.node(Attribute::Condition)?,
                _ => None,
            };
            let conditional = conditional.as_ref().unwrap_or(element);
            let condition = conditional.nodes(Attribute::Condition)?;
            if elements.len() > 1 {
                let separator = if condition.is_empty() { ": " } else { ", " };
                self.remove(element, format!("{}{separator}#false", element.text()?))?;
            }
            self.edit_literals(&condition)?;
        }
        Ok(())
    }
}

/// Returns the guards of a comparison: operators and the terms to their right.
fn guards_of(comparison: &Node) -> CallResult<Vec<(usize, Node)>> {
    let mut all = Vec::new();
    for guard in comparison.nodes(Attribute::Guards)? {
        let sign = guard.number(Attribute::Comparison)? as usize % COMPARISONS.len();
        all.extend(guard.node(Attribute::Term)?.map(|term| (sign, term)));
    }
    Ok(all)
}

/// Returns the place of a node. clingo reports only the place of the literal for a conditional
/// literal, and no place for an element; their places are computed from those of their children.
fn span(node: &Node, text: &str) -> CallResult<Place> {
    let reported = node.place();
    match &reported {
        Ok(place) if place.start < place.end && node.kind()? != NodeKind::ConditionalLiteral => return reported,
        Ok(place) if let Some(negated) = negated_aggregate(place, text) => return Ok(negated),
        _ => {}
    }
    let covering = node.children()?.iter().filter_map(|child| span(child, text).ok()).reduce(|first, second| Place {
        start: first.start.min(second.start),
        end: first.end.max(second.end),
        ..first
    });
    covering.map_or(reported, Ok)
}

/// Returns the place of a negated aggregate, which clingo reports from the start of the aggregate
/// to the end of the first `not`.
fn negated_aggregate(place: &Place, text: &str) -> Option<Place> {
    let Range { end: behind_not, start: aggregate } = place.range_in(text);
    let start = behind_not.checked_sub("not".len()).filter(|_| place.end < place.start)?;
    let mut depth = 0;
    let end = syntax::tokens(text.get(aggregate..)?).find(|token| {
        depth += i32::from(matches!(token.text, "(" | "{")) - i32::from(matches!(token.text, ")" | "}"));
        depth == 0 && matches!(token.text, "," | ";" | ".")
    })?;
    let source = text.get(start..aggregate + end.start)?.trim_end();
    source.starts_with("not").then(|| Place::of_range(&place.file, text, start..start + source.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changes(text: &str) -> Vec<Change> {
        let program = Program::of([Document::in_memory("text", text)]);
        changes_of(&program).expect("a program").into_iter().flat_map(|(_, changes)| changes).collect()
    }

    fn texts(text: &str) -> Vec<String> {
        changes(text).into_iter().map(|change| change.text).collect()
    }

    #[test]
    fn literals_are_removed_and_negated_and_comparisons_are_negated() {
        assert_eq!(
            texts("a :- b,   not c(X),X<f(X),  X  != 2 ."),
            [
                "",
                "a :- #true; not c(X); X < f(X); X != 2.",
                "a :- not b; not c(X); X < f(X); X != 2.",
                "a :- b; #true; X < f(X); X != 2.",
                "a :- b; c(X); X < f(X); X != 2.",
                "a :- b; not c(X); #true; X != 2.",
                "a :- b; not c(X); X >= f(X); X != 2.",
                "a :- b; not c(X); X <= f(X); X != 2.",
                "a :- b; not c(X); X < f(X); #true.",
                "a :- b; not c(X); X < f(X); X = 2.",
                "a :- b; not c(X); X < f(X); X != 1.",
                "a :- b; not c(X); X < f(X); X != 3.",
            ]
        );
    }

    #[test]
    fn each_link_of_a_chain_is_changed() {
        let all = texts("a(X) :- b(X,X2), 1 < X2 < X.");
        for expected in ["1 <= X2 < X", "1 < X2 <= X"] {
            assert!(all.contains(&format!("a(X) :- b(X,X2); {expected}.").as_str().into()), "{all:?}");
        }
    }

    #[test]
    fn bounds_are_shifted_by_one_and_elements_are_removed() {
        assert_eq!(
            texts("1 { a(X) : b(X); c } N+1."),
            [
                "",
                "{ a(X): b(X); c } <= (N+1).",
                "1 <= { a(X): b(X); c }.",
                "0 <= { a(X): b(X); c } <= (N+1).",
                "2 <= { a(X): b(X); c } <= (N+1).",
                "1 <= { a(X): b(X); c } <= (N+1)-1.",
                "1 <= { a(X): b(X); c } <= (N+1)+1.",
                "1 <= { a(X): b(X), #false; c } <= (N+1).",
                "1 <= { a(X): #true; c } <= (N+1).",
                "1 <= { a(X): not b(X); c } <= (N+1).",
                "1 <= { a(X): b(X); c: #false } <= (N+1).",
            ]
        );
        assert_eq!(
            texts(":- #sum { N+1,J : r(N); 1 } > K."),
            [
                "",
                "#false :- #true.",
                "#false :- not K < #sum { (N+1),J: r(N); 1 }.",
                "#false :- K-1 < #sum { (N+1),J: r(N); 1 }.",
                "#false :- K+1 < #sum { (N+1),J: r(N); 1 }.",
                "#false :- K < #sum { (N+1),J: r(N), #false; 1 }.",
                "#false :- K < #sum { (N+1),J: #true; 1 }.",
                "#false :- K < #sum { (N+1),J: not r(N); 1 }.",
                "#false :- K < #sum { (N+1),J: r(N); 1: #false }.",
            ]
        );
        assert_eq!(texts("a ; b.")[1..], ["a: #false; b.", "a; b: #false."]);
        assert_eq!(texts("#minimize { 1@2,N : p(N) }.")[1..], [":~ #true. [1@2,N]", ":~ not p(N). [1@2,N]"]);
    }

    #[test]
    fn a_change_has_a_place_in_the_users_text() {
        let text = "a.\n:- { p(X) : q(X) ; r } = (K-1) * 2,   not  1  < { b } , c : d, e .";
        let line = text.lines().nth(1).expect("two lines");
        let mut places: Vec<&str> = changes(text)
            .iter()
            .filter(|change| change.place.start.line == 2)
            .map(|change| &line[change.place.start.column - 1..change.place.end.column - 1])
            .collect();
        places.dedup();
        assert_eq!(
            places,
            [
                line,
                "{ p(X) : q(X) ; r } = (K-1) * 2",
                "(K-1) * 2",
                "p(X)",
                "r",
                "p(X) : q(X)",
                "q(X)",
                "r",
                "not  1  < { b }",
                "1",
                "b",
                "c : d, e",
                "c",
                "d",
                "e",
            ]
        );
    }

    #[test]
    fn every_change_of_a_built_in_encoding_parses_and_has_a_place() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("asp");
        for folder in ["puzzles", "puzzles/shared", "rail", "minesweeper", "amphipod", "taquin"] {
            for entry in std::fs::read_dir(root.join(folder)).expect("a folder").flatten() {
                let Ok(text) = std::fs::read_to_string(entry.path()) else { continue };
                for Change { place, from, to, text } in changes(&text) {
                    assert!(place.start < place.end && Some(&from) != to.as_ref(), "{place:?}: {from}");
                    let whole = Program::of([Document::in_memory("text", text)]);
                    assert!(crate::asp::statements_of(&whole).is_ok(), "{place:?}: {from}");
                }
            }
        }
    }
}
