//! A program's statements as values: what explanations rewrite, and where each stands in the person's text.

use std::sync::Arc;

use super::Program;
use super::ffi::CallError;
use super::ffi::ast::{self, Attribute, Node, NodeKind};
use super::incremental::LAST_PART;
use super::message;
use super::repairs;
use super::solver::can_be_included;
use super::syntax::{self, Signature};
use crate::diagnostic::{Diagnostic, Failure, Level, Place};
use crate::document::Document;

/// A statement of any part of a program.
#[derive(Debug, Clone)]
pub struct Statement {
    pub place: Place,
    /// As clingo prints it.
    pub text: String,
    pub head: Head,
    /// Of a rule, and of whatever else is there if a body holds: `#minimize`, `#show`, `#external`, …
    pub body: Vec<Literal>,
    /// The variables whose values tell its instances apart, in the order in which they are met; before them the step, where it
    /// is one of each. Those inside aggregates and conditions are not among them.
    pub variables: Vec<String>,
    /// The part of the program that it belongs to.
    pub part: Arc<ProgramPart>,
}

/// `#program name(parameters).`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramPart {
    pub name: String,
    pub parameters: Vec<String>,
    /// It is grounded: `base`, and in a program in steps the parts of those.
    pub is_grounded: bool,
}

/// What a statement says if its body holds.
#[derive(Debug, Clone)]
pub enum Head {
    /// Nothing may make the body hold: an integrity constraint.
    Nothing,
    Atom {
        text: String,
        signature: Option<Signature>,
    },
    /// `left { elements } right`; `function` where it is one of `#count` and its kin.
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
    /// `#show term : body.`; without a signature where the term is a variable or has a value to reckon out.
    ShowTerm {
        term: String,
        signature: Option<Signature>,
    },
    /// `#minimize` and its kin.
    Minimize,
    /// What concerns how answers are looked for and told: `#heuristic`, `#project`.
    Search,
    /// `#program`.
    Part,
    /// Whatever else is no rule: `#const`, `#external`, `#defined`, …
    Directive,
}

/// An element of a choice or of a disjunction: `terms : atom : condition`.
#[derive(Debug, Clone)]
pub struct Element {
    /// Empty but for `#count` and its kin.
    pub terms: String,
    pub atom: String,
    /// None for what is no atom, or a pool of atoms of several predicates.
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
    /// The atom without its sign.
    Atom(String),
    /// Literals of which some or all count: an aggregate's elements, a conditional literal. Each element: its literals, the
    /// condition's among them.
    Elements(Vec<Vec<Literal>>),
    /// A comparison, a theory atom, a truth value.
    Other,
}

impl Statement {
    /// It belongs to a part of the program that is grounded only if somebody asks for it.
    pub fn is_elsewhere(&self) -> bool {
        !self.part.is_grounded
    }

    /// A head atom and nothing else.
    pub fn is_fact(&self) -> bool {
        matches!(self.head, Head::Atom { .. }) && self.body.is_empty()
    }

    /// Whether it derives something: not a constraint and not a directive.
    pub fn is_rule(&self) -> bool {
        matches!(self.head, Head::Atom { .. } | Head::Choice { .. } | Head::Disjunction { .. } | Head::Other(_))
    }

    /// The atoms that it can derive, each with its condition.
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

    /// The predicates of the atoms that it can derive.
    pub fn head_signatures(&self) -> Vec<&Signature> {
        match &self.head {
            Head::Atom { signature, .. } => signature.iter().collect(),
            Head::Choice { elements, .. } | Head::Disjunction { elements, .. } => {
                elements.iter().filter_map(|element| element.signature.as_ref()).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The literals of the body and of the head's conditions, and those inside their elements.
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

    fn of(node: &Node, in_steps: bool) -> Called<Self> {
        let parameters = node.nodes(Attribute::Parameters)?;
        let parameters: Vec<String> =
            parameters.iter().map(|parameter| parameter.string(Attribute::Name)).collect::<Called<_>>()?;
        let name = node.string(Attribute::Name)?;
        let is_grounded = match (name.as_str(), parameters.len()) {
            ("base", 0) => true,
            ("step" | "check", 1) | (LAST_PART, 0) => in_steps,
            _ => false,
        };
        Ok(ProgramPart { name, parameters, is_grounded })
    }

    pub fn is_base(&self) -> bool {
        self.name == "base" && self.parameters.is_empty()
    }

    /// The statement behind which its own stand.
    pub fn mark(&self) -> String {
        let ProgramPart { name, parameters, .. } = self;
        let parameters = if parameters.is_empty() { String::new() } else { format!("({})", parameters.join(",")) };
        format!("#program {name}{parameters}.")
    }
}

impl Head {
    /// As clingo reads it.
    pub fn text(&self) -> String {
        match self {
            Head::Nothing => "#false".to_owned(),
            Head::Atom { text, .. } | Head::Disjunction { text, .. } | Head::Other(text) => text.clone(),
            Head::Choice { left, right, .. } => {
                let [left, right] = [left, right].map(|bound| bound.as_deref().unwrap_or_default());
                format!("{left}{}{right}", self.braces(": "))
            }
            _ => String::new(),
        }
    }

    /// The predicate of an atom.
    pub fn signature(&self) -> Option<&Signature> {
        if let Head::Atom { signature, .. } = self { signature.as_ref() } else { None }
    }

    /// What the bounds of a choice want, as a literal of a body.
    pub fn bounds(&self) -> Option<String> {
        let Head::Choice { function, left, right, .. } = self else { return None };
        if left.is_none() && right.is_none() {
            return None;
        }
        let [left, right] = [left, right].map(|bound| bound.as_deref().unwrap_or_default());
        Some(format!("{left}{}{right}", self.braces(if function.is_some() { ", " } else { ": " })))
    }

    /// A choice's elements, their conditions set apart as a head or a body has them.
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

/// Brackets that nest deeper make trees that nobody wants to be told about, and whose walk would need a stack of its own.
pub(super) const MAX_NESTING: usize = 1_000;

/// All statements of a program's texts, those of included files among them.
pub fn statements_of(program: &Program) -> Result<Vec<Statement>, Failure> {
    let mut statements = Vec::new();
    for_each(program, |_, statement| {
        statements.push(statement);
        Ok(())
    })?;
    Ok(statements)
}

/// Calls with each statement of a program's texts, and with its tree.
pub(super) fn for_each(
    program: &Program,
    mut found: impl FnMut(&Node, Statement) -> Called<()>,
) -> Result<(), Failure> {
    let (mut is_first, in_steps) = (true, program.is_in_steps());
    for document in program.documents() {
        let depth = syntax::nesting_depth(&document.text);
        let wrong = match () {
            () if syntax::is_ground_format(&document.text) => {
                "a ground program (aspif), which has no statements to look at".to_owned()
            }
            () if depth > MAX_NESTING => {
                format!("terms nest {depth} deep; at most {MAX_NESTING} levels can be explained")
            }
            () => continue,
        };
        return Err(Diagnostic::error(format!("{}: {wrong}", document.name)).into());
    }
    let (files, texts): (Vec<&Document>, Vec<&Document>) = program.documents().partition(|one| can_be_included(one));
    let groups = [&files[..]].into_iter().chain(texts.chunks(1)).filter(|group| !group.is_empty());
    for group in groups {
        let name = || group[0].name.clone();
        let (mut wrong, mut part) = (None, Arc::new(ProgramPart::base()));
        let parsed = ast::parse(group, |node| {
            if wrong.is_some() {
                return;
            }
            let told = statement(&node, &mut part, in_steps).and_then(|statement| {
                let Some(mut statement) = statement else { return Ok(()) };
                if statement.place.file == "<string>" {
                    statement.place.file = name();
                }
                // clingo begins each text with one of its own.
                let is_mark = matches!(statement.head, Head::Part) && statement.part.is_base();
                if is_mark && is_first {
                    return Ok(());
                }
                is_first = false;
                found(&node, statement)
            });
            wrong = told.err();
        });
        parsed.map_err(|(error, log)| {
            let mut messages: Vec<Diagnostic> =
                log.iter().map(|raw| message::parse(raw).diagnostic).filter(|one| one.level == Level::Error).collect();
            for place in messages.iter_mut().flat_map(|message| &mut message.places) {
                if place.file == "<string>" {
                    place.file = name();
                }
            }
            if messages.is_empty() {
                messages.push(Diagnostic::error(format!("{}: {}", name(), error.text)));
            }
            group.iter().fold(Failure(messages), |failure, document| repairs::explained(failure, document))
        })?;
        if let Some(error) = wrong {
            return Err(Diagnostic::error(format!("{}: {}", name(), error.text)).into());
        }
    }
    Ok(())
}

pub(super) type Called<T> = Result<T, CallError>;

/// A statement of a part, which another follows where it says so.
fn statement(node: &Node, part: &mut Arc<ProgramPart>, in_steps: bool) -> Called<Option<Statement>> {
    let kind = node.kind()?;
    let of_steps = part.is_grounded && kind != NodeKind::Program;
    let (mut body, mut variables) = (Vec::new(), if of_steps { part.parameters.clone() } else { Vec::new() });
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
            globals(&literal, &mut variables)?;
            body.push(body_literal(&literal)?);
        }
    }
    let head = match kind {
        NodeKind::Rule => {
            let Some(head) = node.node(Attribute::Head)? else { return Ok(None) };
            globals(&head, &mut variables)?;
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
        NodeKind::Heuristic | NodeKind::Project => Head::Search,
        NodeKind::Program => {
            *part = Arc::new(ProgramPart::of(node, in_steps)?);
            Head::Part
        }
        _ => Head::Directive,
    };
    let (place, text) = (node.place()?, node.text()?);
    // Comments are nodes too.
    if text.starts_with('%') || text.starts_with("#!") {
        return Ok(None);
    }
    Ok(Some(Statement { place, text, head, body, variables, part: part.clone() }))
}

pub(super) fn head_of(head: &Node) -> Called<Head> {
    let text = head.text()?;
    Ok(match head.kind()? {
        NodeKind::Literal => {
            let Some(atom) = head.node(Attribute::Atom)? else { return Ok(Head::Other(text)) };
            match (atom.kind()?, head.number(Attribute::Sign)?) {
                (NodeKind::BooleanConstant, 0) if atom.number(Attribute::Value)? == 0 => Head::Nothing,
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
                let terms = node.nodes(Attribute::Terms)?.iter().map(Node::text).collect::<Called<Vec<_>>>()?;
                let Some(conditional) = node.node(Attribute::Condition)? else { continue };
                let literal = conditional.node(Attribute::Literal)?;
                let (atom, signature) = literal.map_or(Ok(Default::default()), |literal| head_atom(&literal))?;
                let condition = literals(&conditional, Attribute::Condition)?;
                elements.push(Element { terms: terms.join(","), atom, signature, condition });
            }
            // The function is the first word of what clingo prints behind the left guard.
            let function = text[text.find('#').unwrap_or_default()..].split([' ', '{']).next().unwrap_or_default();
            let (left, right) = guards(head)?;
            Head::Choice { function: Some(function.to_owned()), elements, left, right }
        }
        _ => Head::Other(text),
    })
}

/// A literal of a head, and its predicate if it is an atom.
fn head_atom(literal: &Node) -> Called<(String, Option<Signature>)> {
    let is_positive = literal.number(Attribute::Sign).unwrap_or_default() == 0;
    let atom = literal.node(Attribute::Atom)?.filter(|_| is_positive);
    let atom = atom.map(|atom| Ok((atom.kind()? == NodeKind::SymbolicAtom).then_some(atom))).transpose()?.flatten();
    Ok((literal.text()?, atom.map_or(Ok(None), |atom| signature(&atom))?))
}

/// Literals with conditions.
fn elements(head: &Node) -> Called<Vec<Element>> {
    let element = |node: &Node| {
        let literal = node.node(Attribute::Literal)?;
        let (atom, signature) = literal.map_or(Ok(Default::default()), |literal| head_atom(&literal))?;
        Ok(Element { terms: String::new(), atom, signature, condition: literals(node, Attribute::Condition)? })
    };
    head.nodes(Attribute::Elements)?.iter().map(element).collect()
}

/// `1 =` and `= 1`, as they stand around the braces.
fn guards(aggregate: &Node) -> Called<(Option<String>, Option<String>)> {
    const SIGNS: [&str; 6] = [">", "<", "<=", ">=", "!=", "="];
    let guard = |attribute| -> Called<Option<(String, &str)>> {
        let Some(guard) = aggregate.node(attribute)? else { return Ok(None) };
        let sign = SIGNS[guard.number(Attribute::Comparison)? as usize % SIGNS.len()];
        Ok(guard.node(Attribute::Term)?.map(|term| term.text()).transpose()?.map(|term| (term, sign)))
    };
    let left = guard(Attribute::LeftGuard)?.map(|(term, sign)| format!("{term} {sign} "));
    let right = guard(Attribute::RightGuard)?.map(|(term, sign)| format!(" {sign} {term}"));
    Ok((left, right))
}

/// What `#show`, `#defined` and `#project` name.
pub(super) fn shown_signature(node: &Node) -> Called<Signature> {
    let is_positive = node.number(Attribute::Positive)? != 0;
    let arity = node.number(Attribute::Arity)? as usize;
    Ok(Signature { is_positive, ..Signature::new(node.string(Attribute::Name)?, arity) })
}

/// The predicate of an atom; none where a pool gives it several.
fn signature(atom: &Node) -> Called<Option<Signature>> {
    atom.node(Attribute::Symbol)?.map_or(Ok(None), |term| signature_of_term(&term))
}

pub(super) fn signature_of_term(term: &Node) -> Called<Option<Signature>> {
    let below = || term.node(Attribute::Argument)?.map_or(Ok(None), |below| signature_of_term(&below));
    match term.kind()? {
        NodeKind::UnaryOperation => Ok(below()?.map(Signature::negated)),
        NodeKind::Function => {
            Ok(Some(Signature::new(term.string(Attribute::Name)?, term.nodes(Attribute::Arguments)?.len())))
        }
        NodeKind::Pool => {
            let all = term.nodes(Attribute::Arguments)?;
            let all = all.iter().map(signature_of_term).collect::<Called<Option<Vec<Signature>>>>()?;
            Ok(all.filter(|all| all.windows(2).all(|pair| pair[0] == pair[1])).and_then(|all| all.into_iter().next()))
        }
        // A number and a string are no constants.
        NodeKind::SymbolicTerm => {
            let text = term.text()?;
            Ok(syntax::is_name(&text).then(|| Signature::new(text, 0)))
        }
        _ => Ok(None),
    }
}

fn literals(node: &Node, attribute: Attribute) -> Called<Vec<Literal>> {
    node.nodes(attribute)?.iter().map(body_literal).collect()
}

fn body_literal(node: &Node) -> Called<Literal> {
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

/// Adds the variables of a literal or a head that are not local to an aggregate's element or a condition.
fn globals(node: &Node, variables: &mut Vec<String>) -> Called<()> {
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
                node.nodes(attribute)?.iter().try_for_each(|guard| globals(guard, variables))?;
            }
        }
        _ => node.children()?.iter().try_for_each(|child| globals(child, variables))?,
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
    fn variables_of_aggregates_and_conditions_are_no_names_of_instances() {
        let variables = |text: &str| statements(text)[0].variables.join(",");
        assert_eq!(variables(":- a(X,Y), b(Z) : c(Z); not d(X,_)."), "X,Y");
        assert_eq!(variables(":- N = 1..3, { q(R,C) : r(R,C) } != N, s(R)."), "N,R");
        assert_eq!(variables("{ n(R,C,V) : v(V) } = K :- c(R,C), k(K)."), "R,C,K");
        assert_eq!(variables("a(X) ; b(Y) :- c(X,Y)."), "X,Y");
    }

    #[test]
    fn heads_are_told_apart_and_choices_lose_their_bounds() {
        let all = statements(
            "f(1..2;\"x\"). -g. :- f(1). 1 { a; b : f(1), f(2) } 2. 1 #count { X : c(X) : f(X) }. d; e. not f(9) :- a.",
        );
        assert_eq!(all[0].head.text(), "f((1..2);\"x\")");
        assert!(all[1].head.signature().is_some_and(|signature| signature.to_string() == "-g/0"));
        assert!(matches!(all[2].head, Head::Nothing));
        assert_eq!(all[3].unbounded().head.text(), "{ a; b: f(1), f(2) }");
        assert_eq!(all[3].head.bounds().as_deref(), Some("1 <= { a; b: f(1), f(2) } <= 2"));
        assert_eq!(all[4].unbounded().head.text(), "#count{ X : c(X): f(X) }");
        assert_eq!(all[4].head.bounds().as_deref(), Some("1 <= #count{ X : c(X), f(X) }"));
        assert!(matches!((&all[5].head, &all[6].head), (Head::Disjunction { .. }, Head::Other(_))));
    }

    #[test]
    fn a_pool_of_atoms_of_one_predicate_is_of_it() {
        let signature = |text: &str| statements(text)[0].head.signature().map(ToString::to_string);
        assert_eq!(signature("p(a;b;c).").as_deref(), Some("p/1"));
        assert_eq!(signature("-p(1,a;2,b).").as_deref(), Some("-p/2"));
        assert_eq!(signature("p(a;b,c)."), None);
    }

    #[test]
    fn a_term_that_nests_too_deep_is_refused() {
        let text = format!("p({}a{}).", "f(".repeat(100_000), ")".repeat(100_000));
        let deep = Program::of([Document::in_memory("text", text)]);
        assert!(statements_of(&deep).is_err_and(|failure| failure.0[0].text.contains("nest 100001 deep")));
    }

    #[test]
    fn a_statement_knows_its_place_and_its_part() {
        let all = statements("a.\n #program other(base,n).\nb :- a.\n#program base.\nc.");
        let lines: Vec<(usize, bool)> = all.iter().map(|one| (one.place.start.line, one.is_elsewhere())).collect();
        assert_eq!(lines, [(1, false), (2, true), (3, true), (4, false), (5, false)]);
        assert_eq!((all[2].part.name.as_str(), all[2].part.parameters.join(" ")), ("other", "base n".to_owned()));
        assert_eq!(all[2].place.file, "text");
        let wrong = Program::of([Document::in_memory("text", "a.\nb :- .:")]);
        let failure = statements_of(&wrong).expect_err("no program");
        assert_eq!((failure.0[0].places[0].file.as_str(), failure.0[0].places[0].start.line), ("text", 2));
    }
}
