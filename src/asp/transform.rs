//! Programs that are written anew: edits of statements, and the text that comes of them.
//!
//! | edit | of | makes |
//! |---|---|---|
//! | [`Statement::rule`] | a rule | one with another head and more literals |
//! | [`Statement::and`] | anything with a body | the same with more literals |
//! | [`Statement::switched`] | a rule | `{ on }. head :- body; on.` |
//! | [`Statement::unbounded`] | a choice | the choice without its bounds |
//! | [`Statement::where_broken`] | a constraint, a choice with bounds | `marker :- body.` or `marker :- body; not bounds.` |
//! | [`Statement::marker`] | an instance of anything | `name(K,(X,…))`, an atom that stands for it |
//!
//! Single changes of a statement, one at a time, are in `changes.rs`.

use super::statement::{Head, Literal, ProgramPart, Statement};
use super::syntax;
use crate::diagnostic::{Failure, Place};
use crate::document::Document;

/// The names of atoms that rewriting adds to a program begin so; those of the program itself do not.
pub const ADDED: &str = "__asp_solve_";

/// A tuple, whatever the number of its terms.
pub fn tuple(terms: &[impl AsRef<str>]) -> String {
    terms.iter().fold("(".to_owned(), |text, term| text + term.as_ref() + ",") + ")"
}

/// A rule; its literals are set apart by what ends conditions.
pub fn rule(head: &str, body: &[impl AsRef<str>]) -> String {
    let body: Vec<&str> = body.iter().map(AsRef::as_ref).collect();
    if body.is_empty() { format!("{head}.") } else { format!("{head} :- {}.", body.join("; ")) }
}

impl Statement {
    /// A rule with another head, and with these literals behind the body.
    pub fn rule(&self, head: &str, more: &[&str]) -> String {
        let body: Vec<&str> = self.body.iter().map(|literal| &*literal.text).chain(more.iter().copied()).collect();
        rule(head, &body)
    }

    /// The statement with these literals behind its body; none if it has no body, or if clingo prints that in an unknown form.
    pub fn and(&self, more: &[&str]) -> Option<String> {
        if self.is_rule() || matches!(self.head, Head::Nothing) {
            return Some(self.rule(&self.head.text(), more));
        }
        // Where a body stands in the others, clingo prints it as it prints that of a rule.
        let start = match self.head {
            Head::Minimize => Some(":~".len()).filter(|_| self.text.starts_with(":~"))?,
            _ => self.colon()?,
        };
        let body = self.body_text();
        let behind = self.text[start..].strip_prefix(' ')?.strip_prefix(body.as_str())?.strip_prefix('.')?;
        let whole: Vec<&str> = [&body].into_iter().map(String::as_str).chain(more.iter().copied()).collect();
        let whole = whole.join("; ");
        Some(format!("{} {}.{behind}", &self.text[..start], whole.trim_start_matches("; ")))
    }

    /// The byte behind the colon that a body follows.
    fn colon(&self) -> Option<usize> {
        let mut depth = 0;
        let mut tokens = syntax::tokens(&self.text);
        let colon = tokens.find(|token| {
            match token.text {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth -= 1,
                _ => {}
            }
            token.text == ":" && depth == 0
        });
        colon.map(|colon| colon.end())
    }

    /// The rule where an atom holds, which may hold or not.
    pub fn switched(&self, on: &str) -> String {
        format!("{{ {on} }}. {}", self.rule(&self.head.text(), &[on]))
    }

    /// A choice without its bounds; whatever else it is, itself.
    pub fn unbounded(&self) -> Statement {
        let mut free = self.clone();
        if let Head::Choice { left, right, .. } = &mut free.head {
            (*left, *right) = (None, None);
        }
        free
    }

    /// A rule for an atom that holds where a constraint, or the bounds of a choice, are broken; none where there are none.
    pub fn where_broken(&self, marker: &str) -> Option<String> {
        match &self.head {
            Head::Nothing => Some(self.rule(marker, &[])),
            head => head.bounds().map(|bounds| self.rule(marker, &[&format!("not {bounds}")])),
        }
    }

    /// An atom that stands for the instances of a statement, each told by the values of its variables.
    pub fn marker(&self, name: &str, number: usize) -> String {
        format!("{name}({number},{})", tuple(&self.variables))
    }

    /// The body as text, with a separator that ends conditions.
    pub fn body_text(&self) -> String {
        self.body.iter().map(|literal| literal.text.as_str()).collect::<Vec<_>>().join("; ")
    }
}

impl Head {
    /// A choice whose elements with a condition have one more; whatever else it is, itself.
    pub fn with_condition(&self, more: &str) -> Head {
        let mut head = self.clone();
        if let Head::Choice { elements, .. } = &mut head {
            for element in elements.iter_mut().filter(|element| !element.condition.is_empty()) {
                element.condition.push(Literal { text: more.to_owned(), ..element.condition[0].clone() });
            }
        }
        head
    }
}

/// The text of a program that was written anew, where each line is known to come from a statement.
#[derive(Debug, Default)]
pub struct Rewritten {
    text: String,
    /// By line: the number of its statement.
    lines: Vec<usize>,
    /// What the text belongs to at its end, if not to `base`.
    part: Option<ProgramPart>,
}

/// What the text is called, until its messages are given the places of the source.
const REWRITTEN: &str = "<rewritten>";

impl Rewritten {
    /// Statements with their numbers, each as an edit makes it; what is empty goes.
    pub fn of<'a>(
        statements: impl IntoIterator<Item = (usize, &'a Statement)>,
        edit: impl Fn(usize, &Statement) -> String,
    ) -> Self {
        let mut all = Rewritten::default();
        for (number, statement) in statements.into_iter().filter(|(_, one)| !matches!(one.head, Head::Part)) {
            all.add(number, &statement.part, &edit(number, statement));
        }
        all
    }

    /// Adds what becomes of a statement, behind the mark of a part.
    pub fn add(&mut self, number: usize, part: &ProgramPart, text: &str) {
        if text.is_empty() {
            return;
        }
        let begun = self.text.len();
        if self.part.as_ref().map_or(!part.is_base(), |last| last != part) {
            self.text += &format!("{}\n", part.mark());
            self.part = Some(part.clone());
        }
        self.text += &format!("{}\n", text.trim_end());
        self.lines.extend(std::iter::repeat_n(number, self.text[begun..].matches('\n').count()));
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn document(&self) -> Document {
        Document::in_memory(REWRITTEN, self.text.as_str())
    }

    /// Messages about the text, at the places of its source.
    pub fn in_source(&self, mut failure: Failure, statements: &[Statement]) -> Failure {
        for diagnostic in &mut failure.0 {
            diagnostic.places.retain_mut(|place| {
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
    use super::*;
    use crate::asp::{Program, statements_of};
    use crate::diagnostic::Diagnostic;

    fn statements(text: &str) -> Vec<Statement> {
        statements_of(&Program::of([Document::in_memory("text", text)])).expect("a program")
    }

    #[test]
    fn edits_make_the_statements_that_they_say() {
        let all = statements("{ a(X) : b(X); c } = N :- d(N). :- a(X), X > 1. #minimize { X@2,Y : a(X,Y) }. e.");
        assert_eq!(all[0].switched("on(0)"), "{ on(0) }. N = { a(X): b(X); c } :- d(N); on(0).");
        assert_eq!(all[0].unbounded().and(&[]).as_deref(), Some("{ a(X): b(X); c } :- d(N)."));
        let [bounds, constraint] = [0, 1].map(|number| all[number].where_broken(&all[number].marker("m", number)));
        assert_eq!(bounds.as_deref(), Some("m(0,(N,)) :- d(N); not N = { a(X): b(X); c }."));
        assert_eq!(constraint.as_deref(), Some("m(1,(X,)) :- a(X); X > 1."));
        assert_eq!(all[2].and(&["f"]).as_deref(), Some(":~ a(X,Y); f. [X@2,Y]"));
        assert_eq!((all[3].where_broken("m"), all[3].and(&["f"]).as_deref()), (None, Some("e :- f.")));
        let within = all[0].head.with_condition("f").text();
        assert_eq!(within, "N = { a(X): b(X), f; c }");
    }

    #[test]
    fn a_literal_is_added_to_every_kind_of_body_and_to_nothing_else() {
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
            assert_eq!(all[0].and(&["z"]).as_deref(), expected, "{text}");
            // Another form than the one that is known changes nothing in silence.
            if !all[0].is_rule() {
                let other = Statement { text: all[0].text.replace(' ', ""), ..all[0].clone() };
                assert_eq!(other.and(&["z"]), None, "{text}");
            }
        }
    }

    #[test]
    fn what_is_rewritten_stands_in_its_part_and_knows_where_it_comes_from() {
        let all = statements("a.\n#program step(t).\nb(t) :- a.\nc(t).\n#program base.\nd.");
        let rewritten = Rewritten::of(all.iter().enumerate(), |_, statement| match statement.text.as_str() {
            "c(t)." => String::new(),
            text => text.to_owned(),
        });
        assert_eq!(rewritten.text(), "a.\n#program step(t).\nb(t) :- a.\n#program base.\nd.\n");
        let place = Place::of_range(REWRITTEN, rewritten.text(), 23..24);
        let told = rewritten.in_source(Diagnostic::error("wrong").at(Some(place)).into(), &all);
        assert_eq!((told.0[0].places[0].file.as_str(), told.0[0].places[0].start.line), ("text", 3));
    }
}
