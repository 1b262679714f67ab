//! Rewriting of programs: edits of statements, and the resulting text.
//!
//! | edit | of | result |
//! |---|---|---|
//! | [`Statement::rule`] | a rule | a rule with another head and more literals |
//! | [`Statement::with_literals`] | a statement with a body | the statement with more literals |
//! | [`Statement::with_selector`] | a rule | `{ on }. head :- body; on.` |
//! | [`Statement::without_bounds`] | a choice | the choice without its bounds |
//! | [`Statement::violation_rule`] | a constraint, a choice with bounds | `marker :- body.` or `marker :- body; not bounds.` |
//! | [`Statement::instance_atom`] | any statement | `name(K,(X,…))`, an atom that identifies its instances |
//!
//! The mutations of a statement are in `changes.rs`.

use base::diagnostic::{Failure, Place};
use base::document::Document;

use super::statement::{ProgramPart, Statement};
use super::tree::{Aggregate, Element, Head};

/// Formats a tuple; `(X,)` is a tuple with one term.
pub fn tuple(terms: &[impl AsRef<str>]) -> String {
    terms.iter().fold("(".to_owned(), |text, term| text + term.as_ref() + ",") + ")"
}

/// Formats a rule. A semicolon separates the literals, since it also ends the condition of a
/// conditional literal.
pub fn rule(head: &str, body: &[impl AsRef<str>]) -> String {
    let body: Vec<&str> = body.iter().map(AsRef::as_ref).collect();
    if body.is_empty() { format!("{head}.") } else { format!("{head} :- {}.", body.join("; ")) }
}

impl Statement {
    /// Returns a rule with another head, and with the literals `more` after the body.
    pub fn rule(&self, head: &str, more: &[&str]) -> String {
        let body = self.body.iter().map(ToString::to_string);
        rule(head, &body.chain(more.iter().map(|&literal| literal.to_owned())).collect::<Vec<String>>())
    }

    /// Returns the statement with the literals `more` after its body. `None` if it has no body.
    pub fn with_literals(&self, more: &[&str]) -> Option<String> {
        let has_body = match self.head {
            Head::Minimize { .. } => true,
            _ => self.is_rule() || matches!(self.head, Head::Constraint) || !self.body.is_empty(),
        };
        has_body.then(|| self.tree.text_with_literals(more))
    }

    /// Returns a choice of the selector atom `on`, and the rule with `on` in its body.
    pub fn with_selector(&self, on: &str) -> String {
        format!("{{ {on} }}. {}", self.rule(&self.head.to_string(), &[on]))
    }

    /// Returns a choice without its bounds, and any other statement unchanged.
    pub fn without_bounds(&self) -> Statement {
        let mut free = self.clone();
        if let Head::Choice(choice) = &mut free.tree.head {
            (choice.left, choice.right) = (None, None);
        }
        free
    }

    /// Returns a rule that derives `marker` if a constraint or the bounds of a choice are violated.
    /// `None` for other statements.
    pub fn violation_rule(&self, marker: &str) -> Option<String> {
        match &self.head {
            Head::Constraint => Some(self.rule(marker, &[])),
            head => head.bounds().map(|bounds| self.rule(marker, &[&format!("not {bounds}")])),
        }
    }

    /// Returns an atom that identifies the instances of a statement by the values of its variables.
    pub fn instance_atom(&self, name: &str, number: usize) -> String {
        format!("{name}({number},{})", tuple(&self.variables))
    }

    /// Formats the body. A semicolon separates its literals.
    pub fn body_text(&self) -> String {
        self.body.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
    }
}

impl Head {
    /// Returns the bounds of a choice as a body literal; `None` without bounds.
    pub fn bounds(&self) -> Option<String> {
        let Head::Choice(choice) = self else { return None };
        if choice.left.is_none() && choice.right.is_none() {
            return None;
        }
        if choice.function.is_none() {
            return Some(choice.to_string());
        }
        // In bodies, the literal of an element is part of its condition.
        let element = |Element { terms, literal, condition }: &Element| Element {
            terms: terms.clone(),
            literal: None,
            condition: literal.iter().chain(condition).cloned().collect(),
        };
        let elements = choice.elements.iter().map(element).collect();
        Some(Aggregate { elements, ..(**choice).clone() }.to_string())
    }
}

/// The text of a rewritten program. It maps each line to a statement of the source.
#[derive(Debug, Default)]
pub struct RewrittenProgram {
    text: String,
    /// The number of the statement of each line.
    lines: Vec<usize>,
    /// The program part at the end of the text, if the text contains a directive.
    part: Option<ProgramPart>,
}

/// Name of the text in messages before their places are mapped to the source.
const REWRITTEN: &str = "<rewritten>";

impl RewrittenProgram {
    /// Rewrites numbered statements with `edit`. Statements whose result is empty are dropped.
    pub fn of<'a>(
        statements: impl IntoIterator<Item = (usize, &'a Statement)>,
        edit: impl Fn(usize, &Statement) -> String,
    ) -> Self {
        let mut all = RewrittenProgram::default();
        for (number, statement) in statements.into_iter().filter(|(_, one)| !matches!(one.head, Head::Program { .. })) {
            all.add(number, &statement.part, &edit(number, statement));
        }
        all
    }

    /// Adds the text of a statement, with a directive for its part if necessary.
    pub fn add(&mut self, number: usize, part: &ProgramPart, text: &str) {
        if text.is_empty() {
            return;
        }
        let start = self.text.len();
        if self.part.as_ref().map_or(!part.is_base(), |last| last != part) {
            self.text += &format!("{}\n", part.directive());
            self.part = Some(part.clone());
        }
        self.text += &format!("{}\n", text.trim_end());
        self.lines.extend(std::iter::repeat_n(number, self.text[start..].matches('\n').count()));
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn document(&self) -> Document {
        Document::in_memory(REWRITTEN, self.text.as_str())
    }

    /// Maps the places of messages about this text to the source.
    pub fn map_to_source(&self, mut failure: Failure, statements: &[Statement]) -> Failure {
        for diagnostic in &mut failure.0 {
            diagnostic.labels.retain_mut(|place| {
                if place.file == REWRITTEN {
                    let Some(&statement) = self.lines.get(place.start.line - 1) else { return false };
                    *place = Place { label: std::mem::take(&mut place.label), ..statements[statement].place.clone() };
                }
                true
            });
        }
        failure
    }
}

#[cfg(test)]
mod tests {
    use base::diagnostic::{Code, Diagnostic};

    use super::*;
    use crate::program::Program;
    use crate::statement::statements_of;

    fn statements(text: &str) -> Vec<Statement> {
        statements_of(&Program::of([Document::in_memory("text", text)])).expect("a program")
    }

    #[test]
    fn edits_produce_the_documented_statements() {
        let all = statements("{ a(X) : b(X); c } = N :- d(N). :- a(X), X > 1. #minimize { X@2,Y : a(X,Y) }. e.");
        assert_eq!(all[0].with_selector("on(0)"), "{ on(0) }. N = { a(X): b(X); c } :- d(N); on(0).");
        assert_eq!(all[0].without_bounds().with_literals(&[]).as_deref(), Some("{ a(X): b(X); c } :- d(N)."));
        let [bounds, constraint] =
            [0, 1].map(|number| all[number].violation_rule(&all[number].instance_atom("m", number)));
        assert_eq!(bounds.as_deref(), Some("m(0,(N,)) :- d(N); not N = { a(X): b(X); c }."));
        assert_eq!(constraint.as_deref(), Some("m(1,(X,)) :- a(X); X > 1."));
        assert_eq!(all[2].with_literals(&["f"]).as_deref(), Some(":~ a(X,Y); f. [X@2,Y]"));
        assert_eq!((all[3].violation_rule("m"), all[3].with_literals(&["f"]).as_deref()), (None, Some("e :- f.")));
        let within = all[0].head.text_with_condition("f");
        assert_eq!(within, "N = { a(X): b(X), f; c }");
    }

    #[test]
    fn a_literal_is_added_to_every_kind_of_body_only() {
        for (text, expected) in [
            ("#show f(\" : a(X).\",X) : a(X).", Some("#show f(\" : a(X).\",X) : a(X); z.")),
            ("#show f.", None),
            ("#external a(X) : b(X), c. [true]", Some("#external a(X) : b(X); c; z. [true]")),
            ("#external a. [true]", None),
            (
                "#heuristic a(\":\",X) : b(X), not c. [X@1,true]",
                Some("#heuristic a(\":\",X) : b(X); not c; z. [X@1,true]"),
            ),
            ("#project a(X) : b(X).", Some("#project a(X) : b(X); z.")),
            ("#minimize { X@1,Y : a(X,Y), \" : \" != X }.", Some(":~ a(X,Y); \" : \" != X; z. [X@1,Y]")),
            (":~ . [1@0]", Some(":~ z. [1@0]")),
            ("#const a = 1.", None),
            ("a(X) : b(X) :- c.", Some("a(X): b(X) :- c; z.")),
        ] {
            let all = statements(text);
            assert_eq!(all[0].with_literals(&["z"]).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn rewritten_statements_keep_their_part_and_source() {
        let all = statements("a.\n#program step(t).\nb(t) :- a.\nc(t).\n#program base.\nd.");
        let rewritten = RewrittenProgram::of(all.iter().enumerate(), |_, statement| match statement.text.as_str() {
            "c(t)." => String::new(),
            text => text.to_owned(),
        });
        assert_eq!(rewritten.text(), "a.\n#program step(t).\nb(t) :- a.\n#program base.\nd.\n");
        let place = Place::of_range(REWRITTEN, rewritten.text(), 23..24);
        let failure =
            rewritten.map_to_source(Diagnostic::error(Code::SyntaxError, "wrong").at(Some(place)).into(), &all);
        assert_eq!((failure.0[0].labels[0].file.as_str(), failure.0[0].labels[0].start.line), ("text", 3));
    }
}
