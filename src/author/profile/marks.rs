//! A program that tells, while it is grounded, which of its statements is at work.

use crate::asp::Statement;
use crate::asp::statement::Head;

/// Called when instances of a statement begin to be looked for.
pub const BEGIN: &str = "__begin";
/// Called for each instance, with the values of its variables.
pub const INSTANCE: &str = "__instance";

/// The program with marks, its statements called by their numbers.
pub fn marked(statements: &[Statement]) -> String {
    let lines: Vec<String> = (0..).zip(statements).map(|(number, statement)| with_marks(number, statement)).collect();
    lines.join("\n")
}

/// Facts without ranges have no marks: clingo takes them all before it looks at anything else.
fn is_plain_fact(statement: &Statement) -> bool {
    statement.is_fact() && !statement.text.contains("..")
}

/// A statement with marks.
fn with_marks(number: usize, statement: &Statement) -> String {
    let begin = format!("0 = @{BEGIN}({number})");
    let body = statement.body_text();
    if statement.is_elsewhere() || is_plain_fact(statement) || !statement.is_rule() && body.is_empty() {
        return statement.text.clone();
    }
    let variables: String = statement.variables.iter().map(|name| format!(",{name}")).collect();
    let instance = format!("0 = @{INSTANCE}({number}{variables})");
    if statement.is_rule() || matches!(statement.head, Head::Nothing) {
        return statement.rule(&head(statement, &begin), &[&begin, &instance]);
    }
    // Where a body stands in the others, clingo prints it as it prints that of a rule.
    let separator = if matches!(statement.head, Head::Minimize) { ":~ " } else { " : " };
    let (before, marked) = (format!("{separator}{body}."), format!("{separator}{body}; {begin}; {instance}."));
    statement.text.replacen(&before, &marked, 1)
}

/// A choice looks for its elements apart.
fn head(statement: &Statement, begin: &str) -> String {
    let mut head = statement.head.clone();
    if let Head::Choice { elements, .. } = &mut head {
        for element in elements.iter_mut().filter(|element| !element.condition.is_empty()) {
            let mut mark = element.condition[0].clone();
            mark.text = begin.to_owned();
            element.condition.push(mark);
        }
    }
    head.text()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asp::{Program, statements_of};
    use crate::document::Document;

    fn marks(text: &str) -> String {
        let instance = vec![Document::in_memory("text", text)];
        marked(&statements_of(&Program { instance, ..Program::default() }).expect("a program"))
    }

    #[test]
    fn whatever_has_instances_is_marked_and_keeps_its_meaning() {
        for (text, expected) in [
            ("a(1).", "a(1)."),
            ("a(1..2).", "a((1..2)) :- 0 = @__begin(0); 0 = @__instance(0)."),
            ("a(X) :- b(X,Y).", "a(X) :- b(X,Y); 0 = @__begin(0); 0 = @__instance(0,X,Y)."),
            (":- a(X).", "#false :- a(X); 0 = @__begin(0); 0 = @__instance(0,X)."),
            ("{ a(X) : b(X); c }.", "{ a(X): b(X), 0 = @__begin(0); c } :- 0 = @__begin(0); 0 = @__instance(0)."),
            ("#minimize { X@2,Y : a(X,Y) }.", ":~ a(X,Y); 0 = @__begin(0); 0 = @__instance(0,X,Y). [X@2,Y]"),
            ("#show f(X) : a(X).", "#show f(X) : a(X); 0 = @__begin(0); 0 = @__instance(0,X)."),
            ("#external a(X) : b(X).", "#external a(X) : b(X); 0 = @__begin(0); 0 = @__instance(0,X). [false]"),
            ("#show a(X) : a(X).", "#show a(X) : a(X); 0 = @__begin(0); 0 = @__instance(0,X)."),
            (":~ a(X). [X@2,a(X)]", ":~ a(X); 0 = @__begin(0); 0 = @__instance(0,X). [X@2,a(X)]"),
            ("#show a/1.", "#show a/1."),
            ("#program p(t). a(t) :- b.", "#program p(t).\na(t) :- b."),
        ] {
            assert_eq!(marks(text), expected);
        }
    }
}
