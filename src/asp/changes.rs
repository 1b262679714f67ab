//! What of a statement can be left out or turned round, one change at a time.
//!
//! | of a statement | is changed |
//! |---|---|
//! | a rule, a choice, a constraint, a preference | left out |
//! | a literal of a body or of a condition | left out, negated |
//! | a comparison | turned round; `<` for `<=` and the like; the number that something has to equal, by one |
//! | a bound of a choice or an aggregate | by one; of a choice also left out |
//! | an element of a choice, disjunction or aggregate that has several | left out |
//!
//! clingo tells where each node of a tree stands. So the tree of the person's text says which place a change is about, and the
//! tree of the statement as clingo prints it, which is the same, where the new text goes.

use std::ops::Range;

use super::Program;
use super::ffi::ast::{self, Attribute, Node, NodeKind};
use super::statement::{Called, Head, Statement, for_each, head_of};
use super::syntax;
use crate::diagnostic::{Diagnostic, Failure, Place};
use crate::document::Document;

/// One change of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// What it is about, in the person's text.
    pub place: Place,
    /// What is there, as clingo prints it.
    pub from: String,
    /// What comes instead; nothing where it is left out.
    pub to: Option<String>,
    /// The statement after the change; empty where it is left out. Its variables may be unsafe.
    pub text: String,
}

/// The statements of a program that derive, forbid or prefer something, each with its changes.
pub fn changes_of(program: &Program) -> Result<Vec<(Statement, Vec<Change>)>, Failure> {
    let mut all = Vec::new();
    for_each(program, |node, statement| {
        if matches!(statement.head, Head::Nothing | Head::Minimize) || statement.is_rule() {
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
    let told = |error: super::CallError| Failure::from(Diagnostic::error(error.text).at(Some(place.clone())));
    let mut printed = Ok(Vec::new());
    // The last tree is the statement's; before it clingo tells that the base begins.
    ast::parse(&[&Document::in_memory("", text.as_str())], |node| printed = edits_of(&node, ""))
        .map_err(|(error, _)| told(error))?;
    for (edit, Edit { place: at, .. }) in edits.into_iter().zip(printed.map_err(told)?) {
        let range = range_of(&edit.from, at.start.column, text);
        let mut text = text.clone();
        text.replace_range(range, &edit.with);
        let place = Place { file: place.file.clone(), ..edit.place };
        changes.push(Change { place, from: edit.from, to: edit.to, text });
    }
    Ok(changes)
}

/// Where a part of a statement stands in its line: it may begin with brackets before the column that clingo tells.
fn range_of(part: &str, column: usize, text: &str) -> Range<usize> {
    let is_part = |&start: &usize| text.get(start..).is_some_and(|rest| rest.starts_with(part));
    let start = (0..column).rev().chain(column..text.len()).find(is_part);
    let start = start.expect("clingo prints a statement from what it prints of its parts");
    start..start + part.len()
}

/// What stands at a place, and what comes instead.
struct Edit {
    place: Place,
    from: String,
    to: Option<String>,
    /// The text that is as good as `to` where that is nothing.
    with: String,
}

/// The edits below a statement of a text, in the order of its tree.
fn edits_of(statement: &Node, text: &str) -> Called<Vec<Edit>> {
    let mut edits = Edits { text, all: Vec::new() };
    if let Some(head) = statement.node(Attribute::Head)? {
        edits.of_head(&head)?;
    }
    edits.of_literals(&statement.nodes(Attribute::Body)?)?;
    Ok(edits.all)
}

/// How numbers are compared, in clingo's order: the sign, what is its opposite, and what differs from it for equal numbers only.
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
    fn replace(&mut self, node: &Node, to: String) -> Called<()> {
        self.all.push(Edit { place: span(node, self.text)?, from: node.text()?, with: to.clone(), to: Some(to) });
        Ok(())
    }

    fn leave_out(&mut self, node: &Node, with: String) -> Called<()> {
        self.all.push(Edit { place: span(node, self.text)?, from: node.text()?, to: None, with });
        Ok(())
    }

    fn of_head(&mut self, head: &Node) -> Called<()> {
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
                self.of_bounds(head)?;
                self.of_elements(head)
            }
            Head::Disjunction { .. } => self.of_elements(head),
            _ => Ok(()),
        }
    }

    fn of_literals(&mut self, literals: &[Node]) -> Called<()> {
        literals.iter().try_for_each(|literal| {
            self.leave_out(literal, "#true".to_owned())?;
            if literal.kind()? == NodeKind::ConditionalLiteral {
                literal.nodes(Attribute::Literal)?.iter().try_for_each(|inner| self.negate(inner))?;
                return self.of_literals(&literal.nodes(Attribute::Condition)?);
            }
            self.negate(literal)?;
            let Some(atom) = literal.node(Attribute::Atom)? else { return Ok(()) };
            match atom.kind()? {
                NodeKind::Comparison => self.of_comparison(literal, &atom),
                NodeKind::Aggregate | NodeKind::BodyAggregate => {
                    self.of_bounds(&atom)?;
                    for element in atom.nodes(Attribute::Elements)? {
                        element.nodes(Attribute::Literal)?.iter().try_for_each(|literal| self.negate(literal))?;
                    }
                    self.of_elements(&atom)
                }
                _ => Ok(()),
            }
        })
    }

    fn negate(&mut self, literal: &Node) -> Called<()> {
        let text = literal.text()?;
        let opposite = match (literal.number(Attribute::Sign)?, literal.node(Attribute::Atom)?) {
            (0, Some(atom)) if atom.kind()? == NodeKind::Comparison => match &compared(&atom)?[..] {
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

    fn of_comparison(&mut self, literal: &Node, atom: &Node) -> Called<()> {
        let Some(first) = atom.node(Attribute::Term)? else { return Ok(()) };
        let (text, compared) = (literal.text()?, compared(atom)?);
        let sign = text.strip_suffix(&atom.text()?).unwrap_or_default();
        for (changed, (comparison, term)) in compared.iter().enumerate() {
            match COMPARISONS[*comparison].2 {
                Some(almost) => {
                    let mut chain = format!("{sign}{}", first.text()?);
                    for (link, (comparison, term)) in compared.iter().enumerate() {
                        let how = if link == changed { almost } else { COMPARISONS[*comparison].0 };
                        chain += &format!(" {how} {}", term.text()?);
                    }
                    self.replace(literal, chain)?;
                }
                None if term.kind()? != NodeKind::Variable => self.by_one(term)?,
                None => {}
            }
        }
        Ok(())
    }

    fn of_bounds(&mut self, aggregate: &Node) -> Called<()> {
        for attribute in [Attribute::LeftGuard, Attribute::RightGuard] {
            if let Some(guard) = aggregate.node(attribute)?
                && let Some(term) = guard.node(Attribute::Term)?
            {
                self.by_one(&term)?;
            }
        }
        Ok(())
    }

    /// A number, or a term that may be one.
    fn by_one(&mut self, term: &Node) -> Called<()> {
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

    fn of_elements(&mut self, of: &Node) -> Called<()> {
        let elements = of.nodes(Attribute::Elements)?;
        for element in &elements {
            // Of a head with `#count` and its kin the element is a literal with a condition, behind terms.
            let conditional = match element.kind()? {
                NodeKind::HeadAggregateElement => element.node(Attribute::Condition)?,
                _ => None,
            };
            let conditional = conditional.as_ref().unwrap_or(element);
            let condition = conditional.nodes(Attribute::Condition)?;
            if elements.len() > 1 {
                let separator = if condition.is_empty() { ": " } else { ", " };
                self.leave_out(element, format!("{}{separator}#false", element.text()?))?;
            }
            self.of_literals(&condition)?;
        }
        Ok(())
    }
}

/// What a comparison's first term is compared with, and how.
fn compared(comparison: &Node) -> Called<Vec<(usize, Node)>> {
    let mut all = Vec::new();
    for guard in comparison.nodes(Attribute::Guards)? {
        let sign = guard.number(Attribute::Comparison)? as usize % COMPARISONS.len();
        all.extend(guard.node(Attribute::Term)?.map(|term| (sign, term)));
    }
    Ok(all)
}

/// Where a node stands; of a literal with a condition clingo tells only where the literal does, and of elements nothing: so
/// where all below them stands.
fn span(node: &Node, text: &str) -> Called<Place> {
    let own = node.place();
    match &own {
        Ok(place) if place.start < place.end && node.kind()? != NodeKind::ConditionalLiteral => return own,
        Ok(place) if let Some(negated) = negated_aggregate(place, text) => return Ok(negated),
        _ => {}
    }
    let below = node.children()?.iter().filter_map(|child| span(child, text).ok()).reduce(|one, other| Place {
        start: one.start.min(other.start),
        end: one.end.max(other.end),
        ..one
    });
    below.map_or(own, Ok)
}

/// Of a negated aggregate clingo tells where the aggregate begins, and as its end that of the first `not`.
fn negated_aggregate(told: &Place, text: &str) -> Option<Place> {
    let Range { end: behind_not, start: aggregate } = told.range_in(text);
    let start = behind_not.checked_sub("not".len()).filter(|_| told.end < told.start)?;
    let mut depth = 0;
    let end = syntax::tokens(text.get(aggregate..)?).find(|token| {
        depth += i32::from(matches!(token.text, "(" | "{")) - i32::from(matches!(token.text, ")" | "}"));
        depth == 0 && matches!(token.text, "," | ";" | ".")
    })?;
    let source = text.get(start..aggregate + end.start)?.trim_end();
    source.starts_with("not").then(|| Place::of_range(&told.file, text, start..start + source.len()))
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
    fn literals_are_left_out_and_negated_and_comparisons_turned_round() {
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
        for wanted in ["1 <= X2 < X", "1 < X2 <= X"] {
            assert!(all.contains(&format!("a(X) :- b(X,X2); {wanted}.").as_str().into()), "{all:?}");
        }
    }

    #[test]
    fn bounds_move_by_one_and_elements_are_left_out() {
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
    fn a_change_is_about_a_place_in_the_person_s_text() {
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
    fn every_change_of_a_shipped_encoding_is_one_and_has_a_place() {
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
