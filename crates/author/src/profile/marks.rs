//! Instruments a program so that it reports the current statement while it is grounded.

use asp::tree::Head;
use asp::{RewrittenProgram, Statement};
use base::diagnostic::{Code, Diagnostic, Failure};

/// The function that is called when the grounder starts to search for instances of a statement.
pub const BEGIN: &str = "__begin";
/// The function that is called for each instance, with the values of its variables.
pub const INSTANCE: &str = "__instance";

/// Returns the instrumented program. Its calls identify statements by their indices.
///
/// # Errors
/// clingo prints a statement in an unknown form.
pub fn marked(statements: &[Statement]) -> Result<RewrittenProgram, Failure> {
    let text = |(number, statement): (usize, &Statement)| {
        with_marks(number, statement).ok_or_else(|| {
            let text = format!("this statement cannot be profiled: clingo prints it as `{}`", statement.text);
            Diagnostic::error(Code::InvalidAnnotation, text).at(Some(statement.place.clone()))
        })
    };
    let texts = statements.iter().enumerate().map(text).collect::<Result<Vec<String>, Diagnostic>>()?;
    Ok(RewrittenProgram::of(statements.iter().enumerate(), |number, _| texts[number].clone()))
}

/// Returns true for facts without ranges. These are not instrumented, since clingo reads all of
/// them before it grounds any rule.
fn is_plain_fact(statement: &Statement) -> bool {
    statement.is_fact() && !statement.text.contains("..")
}

/// Instruments a statement. Each element of a choice gets its own call of [`BEGIN`].
fn with_marks(number: usize, statement: &Statement) -> Option<String> {
    let is_rule = statement.is_rule() || matches!(statement.head, Head::Constraint);
    if !statement.is_grounded() || is_plain_fact(statement) || !statement.is_rule() && statement.body.is_empty() {
        return Some(statement.text.clone());
    }
    let begin = format!("0 = @{BEGIN}({number})");
    let values: String = statement.variables.iter().map(|name| format!(",{name}")).collect();
    let marks = [&*begin, &*format!("0 = @{INSTANCE}({number}{values})")];
    if is_rule {
        Some(statement.rule(&statement.head.text_with_condition(&begin), &marks))
    } else {
        statement.with_literals(&marks)
    }
}

#[cfg(test)]
mod tests {
    use asp::{Program, statements_of};
    use base::document::Document;

    use super::*;

    fn marks(text: &str) -> String {
        let statements = statements_of(&Program::of([Document::in_memory("text", text)])).expect("a program");
        marked(&statements).expect("all can be marked").text().trim_end().to_owned()
    }

    #[test]
    fn statements_with_instances_are_instrumented() {
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
