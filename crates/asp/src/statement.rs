//! The statements of a program, with their places in the user's texts.

use std::ops::Deref;
use std::sync::Arc;

use base::diagnostic::{Code, Diagnostic, Failure, Severity};
use base::document::Document;

use super::ffi::ast;
use super::message;
use super::program::{FINAL_PART_NAME, Program, can_be_included};
use super::repairs;
use super::syntax;
use super::tree::{Head, SyntaxTree};

/// A statement of any part of a program.
#[derive(Debug, Clone)]
pub struct Statement {
    pub tree: SyntaxTree,
    /// The global variables, in order of occurrence, preceded by the parameter of the step. Their
    /// values identify the instances of the statement.
    pub variables: Vec<String>,
    pub part: Arc<ProgramPart>,
}

impl Deref for Statement {
    type Target = SyntaxTree;

    fn deref(&self) -> &SyntaxTree {
        &self.tree
    }
}

/// `#program name(parameters).`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramPart {
    pub name: String,
    pub parameters: Vec<String>,
    /// True if the part is grounded: `base`, and in incremental programs the parts of the loop.
    pub is_grounded: bool,
}

impl Statement {
    /// Adds to a tree the part that contains it, and its variables.
    fn new(tree: SyntaxTree, part: Arc<ProgramPart>) -> Self {
        let is_directive = matches!(tree.head, Head::Program { .. });
        let mut variables = if part.is_grounded && !is_directive { part.parameters.clone() } else { Vec::new() };
        tree.body.iter().for_each(|literal| literal.collect_global_variables(&mut variables));
        if tree.is_rule() {
            tree.head.collect_global_variables(&mut variables);
        }
        Statement { tree, variables, part }
    }

    /// Returns true if its part is grounded by default.
    pub fn is_grounded(&self) -> bool {
        self.part.is_grounded
    }
}

impl ProgramPart {
    pub fn base() -> Self {
        ProgramPart { name: "base".to_owned(), parameters: Vec::new(), is_grounded: true }
    }

    fn new(name: &str, parameters: &[&str], is_incremental: bool) -> Self {
        let is_grounded = match (name, parameters.len()) {
            ("base", 0) => true,
            ("step" | "check", 1) | (FINAL_PART_NAME, 0) => is_incremental,
            _ => false,
        };
        let parameters = parameters.iter().map(|&parameter| parameter.to_owned()).collect();
        ProgramPart { name: name.to_owned(), parameters, is_grounded }
    }

    pub fn is_base(&self) -> bool {
        self.name == "base" && self.parameters.is_empty()
    }

    /// Returns the `#program` directive that begins the part.
    pub fn directive(&self) -> String {
        let ProgramPart { name, parameters, .. } = self;
        let parameters = if parameters.is_empty() { String::new() } else { format!("({})", parameters.join(",")) };
        format!("#program {name}{parameters}.")
    }
}

/// Maximum nesting of terms. Walking deeper trees would overflow the stack.
pub(super) const MAX_NESTING: usize = 1_000;

/// Returns all statements of a program's texts and of included files.
pub fn statements_of(program: &Program) -> Result<Vec<Statement>, Failure> {
    check_nesting(program)?;
    let is_incremental = program.is_incremental();
    let mut statements = Vec::new();
    let (files, texts): (Vec<&Document>, Vec<&Document>) =
        program.documents().partition(|document| can_be_included(document));
    let groups = [&files[..]].into_iter().chain(texts.chunks(1)).filter(|group| !group.is_empty());
    for group in groups {
        let name = || group[0].name.clone();
        let mut part = Arc::new(ProgramPart::base());
        let mut wrong = None;
        let parsed = ast::parse(group, |node| {
            if wrong.is_some() {
                return;
            }
            let mut tree = match node.to_tree() {
                Ok(Some(tree)) => tree,
                Ok(None) => return,
                Err(error) => return wrong = Some(error),
            };
            if tree.place.file == "<string>" {
                tree.place.file = name();
            }
            if let Head::Program { name, parameters } = &tree.head {
                part = Arc::new(ProgramPart::new(name, parameters, is_incremental));
                // clingo begins each text with `#program base.`
                if part.is_base() && statements.is_empty() {
                    return;
                }
            }
            statements.push(Statement::new(tree, part.clone()));
        });
        parsed.map_err(|(error, log)| {
            let mut messages: Vec<Diagnostic> = log
                .iter()
                .map(|raw| message::parse(raw).diagnostic)
                .filter(|document| document.severity == Severity::Error)
                .collect();
            for place in messages.iter_mut().flat_map(|message| &mut message.labels) {
                if place.file == "<string>" {
                    place.file = name();
                }
            }
            if messages.is_empty() {
                messages.push(Diagnostic::error(Code::SyntaxError, format!("{}: {}", name(), error.text)));
            }
            group.iter().fold(Failure(messages), |failure, document| repairs::explain_errors(failure, document))
        })?;
        if let Some(error) = wrong {
            return Err(Diagnostic::error(Code::SyntaxError, format!("{}: {}", name(), error.text)).into());
        }
    }
    Ok(statements)
}

/// Rejects ground programs, and terms that are nested too deeply.
fn check_nesting(program: &Program) -> Result<(), Failure> {
    for document in program.documents() {
        let depth = syntax::nesting_depth(&document.text);
        let wrong = match () {
            () if syntax::is_ground_format(&document.text) => "a ground program (aspif) has no statements".to_owned(),
            () if depth > MAX_NESTING => {
                format!("terms nest {depth} deep; at most {MAX_NESTING} levels can be explained")
            }
            () => continue,
        };
        return Err(Diagnostic::error(Code::SyntaxError, format!("{}: {wrong}", document.name)).into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statements(text: &str) -> Vec<Statement> {
        statements_of(&Program::of([Document::in_memory("text", text)])).expect("a program")
    }

    #[test]
    fn variables_of_aggregates_and_conditions_are_local() {
        let variables = |text: &str| statements(text)[0].variables.join(",");
        assert_eq!(variables(":- a(X,Y), b(Z) : c(Z); not d(X,_)."), "X,Y");
        assert_eq!(variables(":- N = 1..3, { q(R,C) : r(R,C) } != N, s(R)."), "N,R");
        assert_eq!(variables("{ n(R,C,V) : v(V) } = K :- c(R,C), k(K)."), "R,C,K");
        assert_eq!(variables("a(X) ; b(Y) :- c(X,Y)."), "X,Y");
    }

    #[test]
    fn heads_are_classified_and_choices_lose_their_bounds() {
        let all = statements(
            "f(1..2;\"x\"). -g. :- f(1). 1 { a; b : f(1), f(2) } 2. 1 #count { X : c(X) : f(X) }. d; e. not f(9) :- a.",
        );
        assert_eq!(all[0].head.to_string(), "f((1..2);\"x\")");
        assert!(all[1].head.signature().is_some_and(|signature| signature.to_string() == "-g/0"));
        assert!(matches!(all[2].head, Head::Constraint));
        assert_eq!(all[3].without_bounds().head.to_string(), "{ a; b: f(1), f(2) }");
        assert_eq!(all[3].head.bounds().as_deref(), Some("1 <= { a; b: f(1), f(2) } <= 2"));
        assert_eq!(all[4].without_bounds().head.to_string(), "#count { X: c(X): f(X) }");
        assert_eq!(all[4].head.bounds().as_deref(), Some("1 <= #count { X: c(X), f(X) }"));
        assert!(matches!((&all[5].head, &all[6].head), (Head::Disjunction(_), Head::Other(_))));
    }

    #[test]
    fn a_pool_of_atoms_of_one_predicate_has_that_predicate() {
        let signature = |text: &str| statements(text)[0].head.signature().map(|signature| signature.to_string());
        assert_eq!(signature("p(a;b;c).").as_deref(), Some("p/1"));
        assert_eq!(signature("-p(1,a;2,b).").as_deref(), Some("-p/2"));
        assert_eq!(signature("p(a;b,c)."), None);
    }

    #[test]
    fn a_term_that_is_nested_too_deeply_is_rejected() {
        let text = format!("p({}a{}).", "f(".repeat(100_000), ")".repeat(100_000));
        let deep = Program::of([Document::in_memory("text", text)]);
        assert!(statements_of(&deep).is_err_and(|failure| failure.0[0].message.contains("nest 100001 deep")));
    }

    #[test]
    fn a_statement_has_its_place_and_part() {
        let all = statements("a.\n #program other(base,n).\nb :- a.\n#program base.\nc.");
        let lines: Vec<(usize, bool)> = all.iter().map(|one| (one.place.start.line, !one.is_grounded())).collect();
        assert_eq!(lines, [(1, false), (2, true), (3, true), (4, false), (5, false)]);
        assert_eq!((all[2].part.name.as_str(), all[2].part.parameters.join(" ")), ("other", "base n".to_owned()));
        assert_eq!(all[2].place.file, "text");
        let wrong = Program::of([Document::in_memory("text", "a.\nb :- .:")]);
        let failure = statements_of(&wrong).expect_err("no program");
        assert_eq!((failure.0[0].labels[0].file.as_str(), failure.0[0].labels[0].start.line), ("text", 2));
    }
}
