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
//! The syntax tree gives the place of each change, and is printed with the new text in place of the
//! changed part.

use std::ops::Range;

use base::diagnostic::{Failure, Place};

use super::program::Program;
use super::statement::{Statement, statements_of};
use super::syntax;
use super::tree::{Aggregate, Atom, Element, Guard, Head, Literal, Part, Sign, Span, Term, TermKind};

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
    let with_changes = |statement: Statement| {
        let document = program.documents().find(|document| document.name == statement.place.file);
        let changes = changes(&statement, document.map_or("", |document| &document.text));
        (statement, changes)
    };
    let is_changed = |statement: &Statement| {
        matches!(statement.head, Head::Constraint | Head::Minimize { .. }) || statement.is_rule()
    };
    Ok(statements_of(program)?.into_iter().filter(is_changed).map(with_changes).collect())
}

fn changes(statement: &Statement, text: &str) -> Vec<Change> {
    let all =
        vec![Change { place: statement.place.clone(), from: statement.text.clone(), to: None, text: String::new() }];
    let mut changes = Changes { statement, text, all };
    match &statement.head {
        Head::Choice(choice) => changes.change_choice(choice),
        Head::Disjunction(elements) => changes.change_elements(elements),
        _ => {}
    }
    changes.change_literals(&statement.body);
    changes.all
}

/// Collects the changes of a statement in the order of its tree.
struct Changes<'t> {
    statement: &'t Statement,
    /// The text of the user that contains the statement.
    text: &'t str,
    all: Vec<Change>,
}

impl Changes<'_> {
    /// Adds the change of a part to `to`, or its removal. `inserted` is the new text of the
    /// statement there.
    fn add(&mut self, part: Part<'_>, to: Option<String>, inserted: &str) {
        let place = self.span(part).map_or_else(|| self.statement.place.clone(), |span| self.statement.place_of(span));
        let text = self.statement.text_with(part, inserted);
        self.all.push(Change { place, from: part.to_string(), to, text });
    }

    fn replace(&mut self, part: Part<'_>, replacement: String) {
        self.add(part, Some(replacement.clone()), &replacement);
    }

    fn change_choice(&mut self, choice: &Aggregate) {
        let part = Part::Aggregate(choice);
        if choice.left.is_some() {
            self.replace(part, Aggregate { left: None, ..choice.clone() }.to_string());
        }
        if choice.right.is_some() {
            self.replace(part, Aggregate { right: None, ..choice.clone() }.to_string());
        }
        self.change_bounds(choice);
        self.change_elements(&choice.elements);
    }

    fn change_literals(&mut self, literals: &[Literal]) {
        for literal in literals {
            self.add(Part::Literal(literal), None, "#true");
            if let Atom::Conditional(element) = &literal.atom {
                element.literal.iter().for_each(|literal| self.negate(literal));
                self.change_literals(&element.condition);
                continue;
            }
            self.negate(literal);
            match &literal.atom {
                Atom::Comparison(comparison) => self.change_comparison(literal, &comparison.1),
                Atom::Aggregate(aggregate) => {
                    self.change_bounds(aggregate);
                    for element in &aggregate.elements {
                        element.literal.iter().for_each(|literal| self.negate(literal));
                    }
                    self.change_elements(&aggregate.elements);
                }
                _ => {}
            }
        }
    }

    fn negate(&mut self, literal: &Literal) {
        let negated = match (literal.sign, &literal.atom) {
            (Sign::Positive, Atom::Comparison(comparison)) if let [guard] = &comparison.1[..] => {
                with_guards(literal, vec![Guard { relation: guard.relation.complement(), term: guard.term.clone() }])
            }
            (Sign::Positive, _) => Literal { sign: Sign::Negative, ..literal.clone() },
            (Sign::Negative, _) => Literal { sign: Sign::Positive, ..literal.clone() },
            (Sign::Double, _) => Literal { sign: Sign::Negative, ..literal.clone() },
        };
        self.replace(Part::Literal(literal), negated.to_string());
    }

    fn change_comparison(&mut self, literal: &Literal, guards: &[Guard]) {
        for (number, Guard { relation, term }) in guards.iter().enumerate() {
            match relation.other_boundary() {
                Some(relation) => {
                    let mut guards = guards.to_vec();
                    guards[number].relation = relation;
                    self.replace(Part::Literal(literal), with_guards(literal, guards).to_string());
                }
                None if !matches!(term.kind, TermKind::Variable(_)) => self.shift_by_one(term),
                None => {}
            }
        }
    }

    fn change_bounds(&mut self, aggregate: &Aggregate) {
        for guard in aggregate.left.iter().chain(&aggregate.right) {
            self.shift_by_one(&guard.term);
        }
    }

    /// Shifts a number, or a term that may be a number, by one.
    fn shift_by_one(&mut self, term: &Term) {
        let text = term.to_string();
        let [less, more] = match (&term.kind, text.parse::<i32>()) {
            (_, Ok(number)) => [number.wrapping_sub(1).to_string(), number.wrapping_add(1).to_string()],
            (TermKind::Variable(_) | TermKind::Unary(..) | TermKind::Binary(..), _) => {
                [format!("{text}-1"), format!("{text}+1")]
            }
            _ => return,
        };
        self.replace(Part::Term(term), less);
        self.replace(Part::Term(term), more);
    }

    fn change_elements(&mut self, elements: &[Element]) {
        for element in elements {
            if elements.len() > 1 {
                let separator = if element.condition.is_empty() { ": " } else { ", " };
                self.add(Part::Element(element), None, &format!("{element}{separator}#false"));
            }
            self.change_literals(&element.condition);
        }
    }

    /// Returns the span of a part. clingo reports only the span of the literal for a conditional
    /// literal, and no span for an element; their spans are computed from those of their children.
    fn span(&self, part: Part<'_>) -> Option<Span> {
        let reported = match part {
            Part::Literal(Literal { atom: Atom::Conditional(_), .. }) | Part::Element(_) => None,
            Part::Literal(literal) => Some(literal.span),
            Part::Aggregate(aggregate) => aggregate.span,
            Part::Term(term) => Some(term.span),
        };
        match reported {
            Some(span) if !span.is_reversed() && !span.is_empty() => return reported,
            Some(span) => {
                if let Some(negated) = negated_aggregate(span, self.text) {
                    return Some(negated);
                }
            }
            None => {}
        }
        let mut covering = None;
        part.for_each_child(&mut |child| {
            let span = self.span(child);
            covering = [covering, span].into_iter().flatten().reduce(Span::cover);
        });
        covering.or(reported)
    }
}

/// Returns a comparison with other guards.
fn with_guards(literal: &Literal, guards: Vec<Guard>) -> Literal {
    match &literal.atom {
        Atom::Comparison(comparison) => {
            Literal { atom: Atom::Comparison(Box::new((comparison.0.clone(), guards))), ..literal.clone() }
        }
        _ => literal.clone(),
    }
}

/// Returns the span of a negated aggregate, which clingo reports from the start of the aggregate to
/// the end of the first `not`.
fn negated_aggregate(span: Span, text: &str) -> Option<Span> {
    let Range { end: behind_not, start: aggregate } = span.place("").range_in(text);
    let start = behind_not.checked_sub("not".len()).filter(|_| span.is_reversed())?;
    let mut depth = 0;
    let end = syntax::tokens(text.get(aggregate..)?).find(|token| {
        depth += i32::from(matches!(token.text, "(" | "{")) - i32::from(matches!(token.text, ")" | "}"));
        depth == 0 && matches!(token.text, "," | ";" | ".")
    })?;
    let source = text.get(start..aggregate + end.start)?.trim_end();
    source.starts_with("not").then(|| {
        let Place { start, end, .. } = Place::of_range("", text, start..start + source.len());
        Span::new(start, end)
    })
}

#[cfg(test)]
mod tests {
    use base::document::Document;

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
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../asp");
        for folder in ["puzzles", "puzzles/shared", "rail", "minesweeper", "amphipod", "taquin"] {
            for entry in std::fs::read_dir(root.join(folder)).expect("a folder").flatten() {
                let Ok(text) = std::fs::read_to_string(entry.path()) else { continue };
                for Change { place, from, to, text } in changes(&text) {
                    assert!(place.start < place.end && Some(&from) != to.as_ref(), "{place:?}: {from}");
                    let whole = Program::of([Document::in_memory("text", text)]);
                    assert!(crate::statements_of(&whole).is_ok(), "{place:?}: {from}");
                }
            }
        }
    }
}
