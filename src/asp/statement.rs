//! The statements of a program as values, with their places in the user's texts.

use std::sync::Arc;

use super::ffi::CallError;
use super::ffi::ast::{self, Attribute, Node, NodeKind};
use super::message;
use super::program::{FINAL_PART_NAME, Program, can_be_included};
use super::repairs;
use super::syntax::{self, Signature};
use crate::diagnostic::{Code, Diagnostic, Failure, Place, Severity};
use crate::document::Document;

/// A statement of any part of a program.
#[derive(Debug, Clone)]
pub struct Statement {
    pub place: Place,
    /// The statement as clingo prints it.
    pub text: String,
    pub head: Head,
    /// The body of a rule, or of another statement with a body: `#minimize`, `#show`, `#external`,
    /// …
    pub body: Vec<Literal>,
    /// The global variables, in order of occurrence, preceded by the parameter of the step. Their
    /// values identify the instances of the statement.
    pub variables: Vec<String>,
    pub part: Arc<ProgramPart>,
}

/// `#program name(parameters).`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramPart {
    pub name: String,
    pub parameters: Vec<String>,
    /// True if the part is grounded: `base`, and in incremental programs the parts of the loop.
    pub is_grounded: bool,
}

/// The head of a rule, or the kind of another statement.
#[derive(Debug, Clone)]
pub enum Head {
    /// `#false`: an integrity constraint.
    Constraint,
    Atom {
        text: String,
        signature: Option<Signature>,
    },
    /// `left { elements } right`; with `function` a head aggregate such as `#count`.
    Choice {
        function: Option<String>,
        elements: Vec<Element>,
        left: Option<String>,
        right: Option<String>,
    },
    Disjunction {
        text: String,
        elements: Vec<Element>,
    },
    /// A theory atom, a negated atom or a comparison.
    Other(String),
    /// `#show name/arity.`; without a signature `#show.`
    Show(Option<Signature>),
    /// `#show term : body.`; without a signature if the term is not a function or a constant.
    ShowTerm {
        term: String,
        signature: Option<Signature>,
    },
    /// `#minimize`, `#maximize` or a weak constraint.
    Minimize,
    /// `#heuristic` or `#project`, which do not affect the set of answers.
    Heuristic,
    /// `#program`.
    Program,
    /// Any other directive: `#const`, `#external`, `#defined`, …
    Directive,
}

/// An element of a choice or of a disjunction: `terms : atom : condition`.
#[derive(Debug, Clone)]
pub struct Element {
    /// The tuple of a head aggregate's element, else empty.
    pub terms: String,
    pub atom: String,
    /// `None` if the element is not an atom, or a pool of atoms of several predicates.
    pub signature: Option<Signature>,
    pub condition: Vec<Literal>,
}

/// A literal of a body.
#[derive(Debug, Clone)]
pub struct Literal {
    pub text: String,
    pub sign: Sign,
    pub form: Form,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    Positive,
    Negative,
    /// `not not`.
    Double,
}

#[derive(Debug, Clone)]
pub enum Form {
    /// An atom, without its sign.
    Atom(String),
    /// An aggregate or a conditional literal: the literals of each element, including its
    /// condition.
    Elements(Vec<Vec<Literal>>),
    /// A comparison, a theory atom, a truth value.
    Other,
}

impl Statement {
    /// Returns true if its part is grounded by default.
    pub fn is_grounded(&self) -> bool {
        self.part.is_grounded
    }

    /// Returns true if the statement is a head atom without a body.
    pub fn is_fact(&self) -> bool {
        matches!(self.head, Head::Atom { .. }) && self.body.is_empty()
    }

    /// Returns true for rules other than constraints.
    pub fn is_rule(&self) -> bool {
        matches!(self.head, Head::Atom { .. } | Head::Choice { .. } | Head::Disjunction { .. } | Head::Other(_))
    }

    /// Returns the atoms that the rule can derive, each with its condition.
    pub fn heads(&self) -> Vec<(&str, &[Literal])> {
        fn of_element(element: &Element) -> (&str, &[Literal]) {
            (&element.atom, &element.condition)
        }
        match &self.head {
            Head::Atom { text, .. } => vec![(text, &[])],
            Head::Choice { elements, .. } | Head::Disjunction { elements, .. } => {
                elements.iter().map(of_element).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Returns the predicates of the atoms that the rule can derive.
    pub fn head_signatures(&self) -> Vec<&Signature> {
        match &self.head {
            Head::Atom { signature, .. } => signature.iter().collect(),
            Head::Choice { elements, .. } | Head::Disjunction { elements, .. } => {
                elements.iter().filter_map(|element| element.signature.as_ref()).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Returns the literals of the body and of the head's conditions, and the literals nested in
    /// these.
    pub fn literals(&self) -> impl Iterator<Item = &Literal> {
        let conditions = self.heads().into_iter().flat_map(|(_, condition)| condition);
        self.body.iter().chain(conditions).flat_map(|literal| {
            let inside = if let Form::Elements(elements) = &literal.form { &elements[..] } else { &[] };
            std::iter::once(literal).chain(inside.iter().flatten())
        })
    }
}

impl ProgramPart {
    pub fn base() -> Self {
        ProgramPart { name: "base".to_owned(), parameters: Vec::new(), is_grounded: true }
    }

    fn of(node: &Node, is_incremental: bool) -> CallResult<Self> {
        let parameters = node.nodes(Attribute::Parameters)?;
        let parameters: Vec<String> =
            parameters.iter().map(|parameter| parameter.string(Attribute::Name)).collect::<CallResult<_>>()?;
        let name = node.string(Attribute::Name)?;
        let is_grounded = match (name.as_str(), parameters.len()) {
            ("base", 0) => true,
            ("step" | "check", 1) | (FINAL_PART_NAME, 0) => is_incremental,
            _ => false,
        };
        Ok(ProgramPart { name, parameters, is_grounded })
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

impl Head {
    /// Formats the head in clingo's syntax; empty for statements that are not rules.
    pub fn text(&self) -> String {
        match self {
            Head::Constraint => "#false".to_owned(),
            Head::Atom { text, .. } | Head::Disjunction { text, .. } | Head::Other(text) => text.clone(),
            Head::Choice { left, right, .. } => {
                let [left, right] = [left, right].map(|bound| bound.as_deref().unwrap_or_default());
                format!("{left}{}{right}", self.braces(": "))
            }
            _ => String::new(),
        }
    }

    /// Returns the predicate of a head that is an atom.
    pub fn signature(&self) -> Option<&Signature> {
        if let Head::Atom { signature, .. } = self { signature.as_ref() } else { None }
    }

    /// Returns the bounds of a choice as a body literal; `None` without bounds.
    pub fn bounds(&self) -> Option<String> {
        let Head::Choice { function, left, right, .. } = self else { return None };
        if left.is_none() && right.is_none() {
            return None;
        }
        let [left, right] = [left, right].map(|bound| bound.as_deref().unwrap_or_default());
        Some(format!("{left}{}{right}", self.braces(if function.is_some() { ", " } else { ": " })))
    }

    /// Formats the elements of a choice. `separator` precedes a condition; heads and bodies differ
    /// there.
    fn braces(&self, separator: &str) -> String {
        let Head::Choice { function, elements, .. } = self else { return String::new() };
        let elements: Vec<String> = elements.iter().map(|element| element.text(separator)).collect();
        format!("{}{{ {} }}", function.as_deref().unwrap_or_default(), elements.join("; "))
    }
}

impl Element {
    fn text(&self, separator: &str) -> String {
        let condition: Vec<&str> = self.condition.iter().map(|literal| literal.text.as_str()).collect();
        let head = if self.terms.is_empty() { self.atom.clone() } else { format!("{} : {}", self.terms, self.atom) };
        if condition.is_empty() { head } else { format!("{head}{separator}{}", condition.join(", ")) }
    }
}

/// Maximum nesting of terms. Walking deeper trees would overflow the stack.
pub(super) const MAX_NESTING: usize = 1_000;

/// Returns all statements of a program's texts and of included files.
pub fn statements_of(program: &Program) -> Result<Vec<Statement>, Failure> {
    let mut statements = Vec::new();
    for_each_statement(program, |_, statement| {
        statements.push(statement);
        Ok(())
    })?;
    Ok(statements)
}

/// Calls `visit` with the syntax tree and the parsed form of each statement of a program.
pub(super) fn for_each_statement(
    program: &Program,
    mut visit: impl FnMut(&Node, Statement) -> CallResult<()>,
) -> Result<(), Failure> {
    let mut is_first = true;
    let is_incremental = program.is_incremental();
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
    let (files, texts): (Vec<&Document>, Vec<&Document>) =
        program.documents().partition(|document| can_be_included(document));
    let groups = [&files[..]].into_iter().chain(texts.chunks(1)).filter(|group| !group.is_empty());
    for group in groups {
        let name = || group[0].name.clone();
        let mut wrong = None;
        let mut part = Arc::new(ProgramPart::base());
        let parsed = ast::parse(group, |node| {
            if wrong.is_some() {
                return;
            }
            let result = statement(&node, &mut part, is_incremental).and_then(|statement| {
                let Some(mut statement) = statement else { return Ok(()) };
                if statement.place.file == "<string>" {
                    statement.place.file = name();
                }
                // clingo begins each text with `#program base.`
                let is_initial_directive = matches!(statement.head, Head::Program) && statement.part.is_base();
                if is_initial_directive && is_first {
                    return Ok(());
                }
                is_first = false;
                visit(&node, statement)
            });
            wrong = result.err();
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
    Ok(())
}

pub(super) type CallResult<T> = Result<T, CallError>;

/// Converts a statement of the part `part`, and updates `part` at a `#program` directive. Returns
/// `None` for comments.
fn statement(node: &Node, part: &mut Arc<ProgramPart>, is_incremental: bool) -> CallResult<Option<Statement>> {
    let kind = node.kind()?;
    let of_steps = part.is_grounded && kind != NodeKind::Program;
    let mut body = Vec::new();
    let mut variables = if of_steps { part.parameters.clone() } else { Vec::new() };
    let has_body = matches!(
        kind,
        NodeKind::Rule
            | NodeKind::ShowTerm
            | NodeKind::Minimize
            | NodeKind::External
            | NodeKind::Heuristic
            | NodeKind::Project
    );
    if has_body {
        for literal in node.nodes(Attribute::Body)? {
            collect_global_variables(&literal, &mut variables)?;
            body.push(body_literal(&literal)?);
        }
    }
    let head = match kind {
        NodeKind::Rule => {
            let Some(head) = node.node(Attribute::Head)? else { return Ok(None) };
            collect_global_variables(&head, &mut variables)?;
            head_of(&head)?
        }
        NodeKind::ShowSignature => {
            Head::Show(Some(shown_signature(node)?).filter(|signature| !signature.name.is_empty()))
        }
        NodeKind::ShowTerm => {
            let Some(term) = node.node(Attribute::Term)? else { return Ok(None) };
            Head::ShowTerm { term: term.text()?, signature: signature_of_term(&term)? }
        }
        NodeKind::Minimize => Head::Minimize,
        NodeKind::Heuristic | NodeKind::Project => Head::Heuristic,
        NodeKind::Program => {
            *part = Arc::new(ProgramPart::of(node, is_incremental)?);
            Head::Program
        }
        _ => Head::Directive,
    };
    let place = node.place()?;
    let text = node.text()?;
    // Newer clingo versions also report comments as statements.
    if text.starts_with('%') || text.starts_with("#!") {
        return Ok(None);
    }
    Ok(Some(Statement { place, text, head, body, variables, part: part.clone() }))
}

pub(super) fn head_of(head: &Node) -> CallResult<Head> {
    let text = head.text()?;
    Ok(match head.kind()? {
        NodeKind::Literal => {
            let Some(atom) = head.node(Attribute::Atom)? else { return Ok(Head::Other(text)) };
            match (atom.kind()?, head.number(Attribute::Sign)?) {
                (NodeKind::BooleanConstant, 0) if atom.number(Attribute::Value)? == 0 => Head::Constraint,
                (NodeKind::SymbolicAtom, 0) => Head::Atom { text, signature: signature(&atom)? },
                _ => Head::Other(text),
            }
        }
        NodeKind::Aggregate => {
            let elements = elements(head)?;
            let (left, right) = guards(head)?;
            Head::Choice { function: None, elements, left, right }
        }
        NodeKind::Disjunction => Head::Disjunction { text, elements: elements(head)? },
        NodeKind::HeadAggregate => {
            let mut elements = Vec::new();
            for node in head.nodes(Attribute::Elements)? {
                let terms = node.nodes(Attribute::Terms)?.iter().map(Node::text).collect::<CallResult<Vec<_>>>()?;
                let Some(conditional) = node.node(Attribute::Condition)? else { continue };
                let literal = conditional.node(Attribute::Literal)?;
                let (atom, signature) = literal.map_or(Ok(Default::default()), |literal| head_atom(&literal))?;
                let condition = literals(&conditional, Attribute::Condition)?;
                elements.push(Element { terms: terms.join(","), atom, signature, condition });
            }
            // clingo prints the function after the left guard.
            let function = text[text.find('#').unwrap_or_default()..].split([' ', '{']).next().unwrap_or_default();
            let (left, right) = guards(head)?;
            Head::Choice { function: Some(function.to_owned()), elements, left, right }
        }
        _ => Head::Other(text),
    })
}

/// Returns a head literal as text, and its predicate if it is an atom.
fn head_atom(literal: &Node) -> CallResult<(String, Option<Signature>)> {
    let is_positive = literal.number(Attribute::Sign).unwrap_or_default() == 0;
    let atom = literal.node(Attribute::Atom)?.filter(|_| is_positive);
    let atom = atom.map(|atom| Ok((atom.kind()? == NodeKind::SymbolicAtom).then_some(atom))).transpose()?.flatten();
    Ok((literal.text()?, atom.map_or(Ok(None), |atom| signature(&atom))?))
}

/// Converts the conditional literals of a choice or a disjunction.
fn elements(head: &Node) -> CallResult<Vec<Element>> {
    let element = |node: &Node| {
        let literal = node.node(Attribute::Literal)?;
        let (atom, signature) = literal.map_or(Ok(Default::default()), |literal| head_atom(&literal))?;
        Ok(Element { terms: String::new(), atom, signature, condition: literals(node, Attribute::Condition)? })
    };
    head.nodes(Attribute::Elements)?.iter().map(element).collect()
}

/// Returns the guards of an aggregate as text: `1 = ` and ` = 1`.
fn guards(aggregate: &Node) -> CallResult<(Option<String>, Option<String>)> {
    const SIGNS: [&str; 6] = [">", "<", "<=", ">=", "!=", "="];
    let guard = |attribute| -> CallResult<Option<(String, &str)>> {
        let Some(guard) = aggregate.node(attribute)? else { return Ok(None) };
        let sign = SIGNS[guard.number(Attribute::Comparison)? as usize % SIGNS.len()];
        Ok(guard.node(Attribute::Term)?.map(|term| term.text()).transpose()?.map(|term| (term, sign)))
    };
    let left = guard(Attribute::LeftGuard)?.map(|(term, sign)| format!("{term} {sign} "));
    let right = guard(Attribute::RightGuard)?.map(|(term, sign)| format!(" {sign} {term}"));
    Ok((left, right))
}

/// Returns the predicate of `#show`, `#defined` or `#project`.
pub(super) fn shown_signature(node: &Node) -> CallResult<Signature> {
    let is_positive = node.number(Attribute::Positive)? != 0;
    let arity = node.number(Attribute::Arity)? as usize;
    Ok(Signature { is_positive, ..Signature::new(node.string(Attribute::Name)?, arity) })
}

/// Returns the predicate of an atom; `None` for a pool of several predicates.
fn signature(atom: &Node) -> CallResult<Option<Signature>> {
    atom.node(Attribute::Symbol)?.map_or(Ok(None), |term| signature_of_term(&term))
}

pub(super) fn signature_of_term(term: &Node) -> CallResult<Option<Signature>> {
    let of_argument = || term.node(Attribute::Argument)?.map_or(Ok(None), |argument| signature_of_term(&argument));
    match term.kind()? {
        NodeKind::UnaryOperation => Ok(of_argument()?.map(Signature::negated)),
        NodeKind::Function => {
            Ok(Some(Signature::new(term.string(Attribute::Name)?, term.nodes(Attribute::Arguments)?.len())))
        }
        NodeKind::Pool => {
            let all = term.nodes(Attribute::Arguments)?;
            let all = all.iter().map(signature_of_term).collect::<CallResult<Option<Vec<Signature>>>>()?;
            Ok(all.filter(|all| all.windows(2).all(|pair| pair[0] == pair[1])).and_then(|all| all.into_iter().next()))
        }
        // Numbers and strings are symbolic terms, too.
        NodeKind::SymbolicTerm => {
            let text = term.text()?;
            Ok(syntax::is_name(&text).then(|| Signature::new(text, 0)))
        }
        _ => Ok(None),
    }
}

fn literals(node: &Node, attribute: Attribute) -> CallResult<Vec<Literal>> {
    node.nodes(attribute)?.iter().map(body_literal).collect()
}

fn body_literal(node: &Node) -> CallResult<Literal> {
    let text = node.text()?;
    if node.kind()? == NodeKind::ConditionalLiteral {
        let mut all = literals(node, Attribute::Literal)?;
        all.extend(literals(node, Attribute::Condition)?);
        return Ok(Literal { text, sign: Sign::Positive, form: Form::Elements(vec![all]) });
    }
    let sign = match node.number(Attribute::Sign).unwrap_or_default() {
        0 => Sign::Positive,
        1 => Sign::Negative,
        _ => Sign::Double,
    };
    let Some(atom) = node.node(Attribute::Atom)? else { return Ok(Literal { text, sign, form: Form::Other }) };
    let form = match atom.kind()? {
        NodeKind::SymbolicAtom => Form::Atom(atom.text()?),
        NodeKind::Aggregate | NodeKind::BodyAggregate => {
            let mut elements = Vec::new();
            for element in atom.nodes(Attribute::Elements)? {
                let mut all = literals(&element, Attribute::Literal)?;
                all.extend(literals(&element, Attribute::Condition)?);
                elements.push(all);
            }
            Form::Elements(elements)
        }
        _ => Form::Other,
    };
    Ok(Literal { text, sign, form })
}

/// Adds the global variables of a literal or a head: those that are not local to an aggregate's
/// element or a condition.
fn collect_global_variables(node: &Node, variables: &mut Vec<String>) -> CallResult<()> {
    match node.kind()? {
        NodeKind::Variable => {
            let name = node.string(Attribute::Name)?;
            if name != "_" && !variables.contains(&name) {
                variables.push(name);
            }
        }
        NodeKind::ConditionalLiteral if !node.nodes(Attribute::Condition)?.is_empty() => {}
        NodeKind::Aggregate | NodeKind::BodyAggregate | NodeKind::HeadAggregate | NodeKind::TheoryAtom => {
            for attribute in [Attribute::LeftGuard, Attribute::RightGuard] {
                node.nodes(attribute)?.iter().try_for_each(|guard| collect_global_variables(guard, variables))?;
            }
        }
        _ => node.children()?.iter().try_for_each(|child| collect_global_variables(child, variables))?,
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
        assert_eq!(all[0].head.text(), "f((1..2);\"x\")");
        assert!(all[1].head.signature().is_some_and(|signature| signature.to_string() == "-g/0"));
        assert!(matches!(all[2].head, Head::Constraint));
        assert_eq!(all[3].without_bounds().head.text(), "{ a; b: f(1), f(2) }");
        assert_eq!(all[3].head.bounds().as_deref(), Some("1 <= { a; b: f(1), f(2) } <= 2"));
        assert_eq!(all[4].without_bounds().head.text(), "#count{ X : c(X): f(X) }");
        assert_eq!(all[4].head.bounds().as_deref(), Some("1 <= #count{ X : c(X), f(X) }"));
        assert!(matches!((&all[5].head, &all[6].head), (Head::Disjunction { .. }, Head::Other(_))));
    }

    #[test]
    fn a_pool_of_atoms_of_one_predicate_has_that_predicate() {
        let signature = |text: &str| statements(text)[0].head.signature().map(ToString::to_string);
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
