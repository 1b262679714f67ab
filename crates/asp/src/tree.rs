//! Syntax trees of statements, as values.
//!
//! clingo's parser makes them (`ffi/ast.rs`), so that statements mean the same here as to the
//! grounder. Trees are printed as clingo prints them (`print.rs`).
//!
//! Names and symbols belong to clingo's tables, which live as long as the process.

use base::diagnostic::Place;
use base::lines::Position;

use super::ffi::{Symbol, function_of};
use super::syntax::{self, Signature};

/// The syntax tree of a statement.
#[derive(Debug, Clone)]
pub struct SyntaxTree {
    pub place: Place,
    /// The statement as clingo prints it.
    pub text: String,
    pub head: Head,
    /// The body of a rule, or of another statement with a body: `#minimize`, `#show`, `#external`,
    /// …
    pub body: Vec<Literal>,
}

/// A range in the file of a statement. It takes half of the memory of two [`Position`]s.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// The line and column of the start.
    start: (u32, u32),
    end: (u32, u32),
}

/// The head of a rule, or the kind of another statement.
#[derive(Debug, Clone)]
pub enum Head {
    /// `#false`: an integrity constraint.
    Constraint,
    /// A positive atom.
    Atom(Literal),
    /// A choice (`left { elements } right`) or a head aggregate such as `#count`.
    Choice(Box<Aggregate>),
    Disjunction(Vec<Element>),
    /// A theory atom, a negated atom or a comparison.
    Other(Literal),
    /// `#show name/arity.`; without a signature `#show.`
    Show(Option<Signature>),
    /// `#show term : body.`
    ShowTerm(Term),
    /// `#minimize`, `#maximize` or a weak constraint: the weight, the level, and the other terms of
    /// the tuple.
    Minimize {
        weight: Box<Term>,
        level: Box<Term>,
        terms: Vec<Term>,
    },
    /// `#heuristic atom : body. [bias@priority,modifier]`
    Heuristic {
        atom: Term,
        bias: Box<Term>,
        priority: Box<Term>,
        modifier: Box<Term>,
    },
    /// `#project name/arity.`
    Project(Signature),
    /// `#project atom : body.`
    ProjectAtom(Term),
    /// `#program name(parameters).`
    Program {
        name: &'static str,
        parameters: Vec<&'static str>,
    },
    /// `#const name = value.`
    Const {
        name: &'static str,
        value: Term,
        is_default: bool,
    },
    /// `#external atom : body. [value]`
    External {
        atom: Term,
        value: Term,
    },
    /// `#defined name/arity.`
    Defined(Signature),
    /// `#edge (u,v) : body.`
    Edge(Box<(Term, Term)>),
    /// Any other directive (`#theory`, `#script`), as text.
    Directive(String),
}

/// A literal of a body or of a condition, or the literal of a head.
#[derive(Debug, Clone)]
pub struct Literal {
    pub span: Span,
    pub sign: Sign,
    pub atom: Atom,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    Positive,
    Negative,
    /// `not not`.
    Double,
}

/// A literal without its sign.
#[derive(Debug, Clone)]
pub enum Atom {
    /// `#true` or `#false`.
    Boolean(bool),
    Symbolic(Term),
    /// `first < term < …`
    Comparison(Box<(Term, Vec<Guard>)>),
    /// Also `{ elements }` in a body, which counts its elements.
    Aggregate(Box<Aggregate>),
    /// `literal : condition` in a body; it has no sign.
    Conditional(Box<Element>),
    Theory(Box<TheoryAtom>),
}

#[derive(Debug, Clone)]
pub struct Aggregate {
    /// In bodies only known for aggregates without a function.
    pub span: Option<Span>,
    /// `None` for `{ elements }`.
    pub function: Option<AggregateFunction>,
    /// `term relation { … }`
    pub left: Option<Guard>,
    /// `{ … } relation term`
    pub right: Option<Guard>,
    pub elements: Vec<Element>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AggregateFunction {
    Count,
    Sum,
    SumPlus,
    Min,
    Max,
}

/// An element of a choice, a disjunction or an aggregate, or a conditional literal:
/// `terms : literal : condition`.
#[derive(Debug, Clone)]
pub struct Element {
    /// The tuple of an element of an aggregate with a function, else `None`.
    pub terms: Option<Vec<Term>>,
    /// `None` for elements of body aggregates with a function.
    pub literal: Option<Literal>,
    pub condition: Vec<Literal>,
}

/// A term that is compared, with the relation before or after it.
#[derive(Debug, Clone)]
pub struct Guard {
    pub relation: Relation,
    pub term: Term,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    Greater,
    Less,
    LessEqual,
    GreaterEqual,
    NotEqual,
    Equal,
}

/// A theory atom. Its meaning is unknown, so that it is text; its variables and constants are
/// known.
#[derive(Debug, Clone)]
pub struct TheoryAtom {
    pub text: String,
    /// The term after `&`, and the variables, numbers, strings and constants of the elements and
    /// the guard.
    pub terms: Vec<Term>,
    /// The literals of the conditions of all elements.
    pub conditions: Vec<Literal>,
}

#[derive(Debug, Clone)]
pub struct Term {
    pub span: Span,
    pub kind: TermKind,
}

#[derive(Debug, Clone)]
pub enum TermKind {
    Variable(&'static str),
    /// A number, a string, a constant, `#inf` or `#sup`.
    Symbol(Symbol),
    Unary(UnaryOperator, Box<Term>),
    Binary(BinaryOperator, Box<(Term, Term)>),
    /// `left..right`
    Interval(Box<(Term, Term)>),
    /// `name(arguments)`; a tuple has no name, and an external function (`@name`) is evaluated.
    Function {
        name: &'static str,
        arguments: Vec<Term>,
        is_external: bool,
    },
    /// Alternatives: `a;b`.
    Pool(Vec<Term>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnaryOperator {
    Minus,
    Complement,
    Absolute,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BinaryOperator {
    Xor,
    Or,
    And,
    Plus,
    Minus,
    Times,
    Divide,
    Modulo,
    Power,
}

/// A part of a syntax tree.
#[derive(Debug, Clone, Copy)]
pub enum Part<'t> {
    Literal(&'t Literal),
    Aggregate(&'t Aggregate),
    Element(&'t Element),
    Term(&'t Term),
}

impl<'t> Part<'t> {
    /// Calls `visit` with this part and all parts inside, in order.
    pub fn walk(self, visit: &mut dyn FnMut(Part<'t>)) {
        visit(self);
        self.for_each_child(&mut |child| child.walk(visit));
    }

    /// Calls `visit` with the direct children of this part, in order.
    pub fn for_each_child(self, visit: &mut dyn FnMut(Part<'t>)) {
        match self {
            Part::Literal(literal) => match &literal.atom {
                Atom::Boolean(_) => {}
                Atom::Symbolic(term) => visit(Part::Term(term)),
                Atom::Comparison(comparison) => {
                    visit(Part::Term(&comparison.0));
                    comparison.1.iter().for_each(|guard| visit(Part::Term(&guard.term)));
                }
                Atom::Aggregate(aggregate) => visit(Part::Aggregate(aggregate)),
                Atom::Conditional(element) => visit(Part::Element(element)),
                Atom::Theory(theory) => {
                    theory.terms.iter().for_each(|term| visit(Part::Term(term)));
                    theory.conditions.iter().for_each(|literal| visit(Part::Literal(literal)));
                }
            },
            Part::Aggregate(aggregate) => {
                aggregate.left.iter().for_each(|guard| visit(Part::Term(&guard.term)));
                aggregate.elements.iter().for_each(|element| visit(Part::Element(element)));
                aggregate.right.iter().for_each(|guard| visit(Part::Term(&guard.term)));
            }
            Part::Element(element) => {
                element.terms.iter().flatten().for_each(|term| visit(Part::Term(term)));
                element.literal.iter().for_each(|literal| visit(Part::Literal(literal)));
                element.condition.iter().for_each(|literal| visit(Part::Literal(literal)));
            }
            Part::Term(term) => match &term.kind {
                TermKind::Variable(_) | TermKind::Symbol(_) => {}
                TermKind::Unary(_, argument) => visit(Part::Term(argument)),
                TermKind::Binary(_, arguments) | TermKind::Interval(arguments) => {
                    visit(Part::Term(&arguments.0));
                    visit(Part::Term(&arguments.1));
                }
                TermKind::Function { arguments, .. } | TermKind::Pool(arguments) => {
                    arguments.iter().for_each(|argument| visit(Part::Term(argument)));
                }
            },
        }
    }

    /// Returns true if both are the same part of one tree.
    pub fn is(self, other: Part<'_>) -> bool {
        match (self, other) {
            (Part::Literal(one), Part::Literal(other)) => std::ptr::eq(one, other),
            (Part::Aggregate(one), Part::Aggregate(other)) => std::ptr::eq(one, other),
            (Part::Element(one), Part::Element(other)) => std::ptr::eq(one, other),
            (Part::Term(one), Part::Term(other)) => std::ptr::eq(one, other),
            _ => false,
        }
    }
}

impl SyntaxTree {
    /// Calls `visit` with all parts of the statement.
    pub fn walk<'t>(&'t self, visit: &mut dyn FnMut(Part<'t>)) {
        self.head.for_each_child(&mut |part| part.walk(visit));
        self.body.iter().for_each(|literal| Part::Literal(literal).walk(visit));
    }

    /// Returns the span of the statement.
    pub fn span(&self) -> Span {
        Span::new(self.place.start, self.place.end)
    }

    /// Returns the place of a part.
    pub fn place_of(&self, span: Span) -> Place {
        span.place(&self.place.file)
    }

    /// Returns true if the statement is a head atom without a body.
    pub fn is_fact(&self) -> bool {
        matches!(self.head, Head::Atom(_)) && self.body.is_empty()
    }

    /// Returns true for rules other than constraints.
    pub fn is_rule(&self) -> bool {
        matches!(self.head, Head::Atom(_) | Head::Choice(_) | Head::Disjunction(_) | Head::Other(_))
    }

    /// Returns the head literals that the rule can derive, each with its condition.
    pub fn heads(&self) -> Vec<(&Literal, &[Literal])> {
        match &self.head {
            Head::Atom(atom) => vec![(atom, &[])],
            head => head.elements().iter().filter_map(Element::head).collect(),
        }
    }

    /// Returns the predicates of the atoms that the rule can derive.
    pub fn head_signatures(&self) -> Vec<Signature> {
        self.heads().into_iter().filter_map(|(head, _)| head.signature()).collect()
    }

    /// Returns the literals of the body and of the head's conditions, and the literals in the
    /// elements of these.
    pub fn literals(&self) -> impl Iterator<Item = &Literal> {
        let conditions = self.heads().into_iter().flat_map(|(_, condition)| condition);
        self.body
            .iter()
            .chain(conditions)
            .flat_map(|literal| std::iter::once(literal).chain(literal.elements().iter().flat_map(Element::literals)))
    }
}

impl Head {
    /// Calls `visit` with the direct children of the head, in order.
    pub fn for_each_child<'t>(&'t self, visit: &mut dyn FnMut(Part<'t>)) {
        match self {
            Head::Atom(literal) | Head::Other(literal) => visit(Part::Literal(literal)),
            Head::Choice(aggregate) => visit(Part::Aggregate(aggregate)),
            Head::Disjunction(elements) => elements.iter().for_each(|element| visit(Part::Element(element))),
            Head::ShowTerm(term) | Head::ProjectAtom(term) | Head::Const { value: term, .. } => visit(Part::Term(term)),
            Head::Minimize { weight, level, terms } => {
                visit(Part::Term(weight));
                visit(Part::Term(level));
                terms.iter().for_each(|term| visit(Part::Term(term)));
            }
            Head::Heuristic { atom, bias, priority, modifier } => {
                [atom, &**bias, &**priority, &**modifier].into_iter().for_each(|term| visit(Part::Term(term)));
            }
            Head::External { atom, value } => [atom, value].into_iter().for_each(|term| visit(Part::Term(term))),
            Head::Edge(nodes) => [&nodes.0, &nodes.1].into_iter().for_each(|term| visit(Part::Term(term))),
            Head::Constraint
            | Head::Show(_)
            | Head::Project(_)
            | Head::Program { .. }
            | Head::Defined(_)
            | Head::Directive(_) => {}
        }
    }

    /// Returns the elements of a choice or a disjunction.
    pub fn elements(&self) -> &[Element] {
        match self {
            Head::Choice(aggregate) => &aggregate.elements,
            Head::Disjunction(elements) => elements,
            _ => &[],
        }
    }

    /// Returns the predicate of a head that is an atom.
    pub fn signature(&self) -> Option<Signature> {
        if let Head::Atom(literal) = self { literal.signature() } else { None }
    }
}

impl Literal {
    /// Returns the atom of a symbolic literal, positive or negative.
    pub fn atom(&self) -> Option<&Term> {
        if let Atom::Symbolic(term) = &self.atom { Some(term) } else { None }
    }

    /// Returns the atom of a positive symbolic literal.
    pub fn positive_atom(&self) -> Option<&Term> {
        self.atom().filter(|_| self.sign == Sign::Positive)
    }

    /// Returns the predicate of a positive atom; `None` for a pool of several predicates.
    pub fn signature(&self) -> Option<Signature> {
        self.positive_atom().and_then(Term::signature)
    }

    /// Returns the elements of an aggregate, or the only one of a conditional literal.
    pub fn elements(&self) -> &[Element] {
        match &self.atom {
            Atom::Aggregate(aggregate) => &aggregate.elements,
            Atom::Conditional(element) => std::slice::from_ref(element),
            _ => &[],
        }
    }

    /// Adds the global variables of the literal: those that are not local to an aggregate's element
    /// or a condition.
    pub fn collect_global_variables(&self, variables: &mut Vec<String>) {
        collect_global_variables(Part::Literal(self), variables);
    }
}

impl Head {
    /// Adds the global variables of the head of a rule.
    pub fn collect_global_variables(&self, variables: &mut Vec<String>) {
        self.for_each_child(&mut |part| collect_global_variables(part, variables));
    }
}

fn collect_global_variables(part: Part<'_>, variables: &mut Vec<String>) {
    match part {
        Part::Term(Term { kind: TermKind::Variable(name), .. }) => {
            if *name != "_" && !variables.iter().any(|known| known == name) {
                variables.push((*name).to_owned());
            }
        }
        Part::Aggregate(aggregate) => {
            for guard in aggregate.left.iter().chain(&aggregate.right) {
                collect_global_variables(Part::Term(&guard.term), variables);
            }
        }
        Part::Element(element) if !element.condition.is_empty() => {}
        Part::Literal(Literal { atom: Atom::Theory(_), .. }) => {}
        _ => part.for_each_child(&mut |child| collect_global_variables(child, variables)),
    }
}

impl Element {
    /// Returns the literal of a head's element, with its condition.
    fn head(&self) -> Option<(&Literal, &[Literal])> {
        self.literal.as_ref().map(|literal| (literal, &self.condition[..]))
    }

    /// Returns all literals of the element.
    pub fn literals(&self) -> impl Iterator<Item = &Literal> {
        self.literal.iter().chain(&self.condition)
    }
}

impl Relation {
    pub fn text(self) -> &'static str {
        match self {
            Relation::Greater => ">",
            Relation::Less => "<",
            Relation::LessEqual => "<=",
            Relation::GreaterEqual => ">=",
            Relation::NotEqual => "!=",
            Relation::Equal => "=",
        }
    }

    /// Returns the relation that holds if this one does not.
    pub fn complement(self) -> Relation {
        match self {
            Relation::Greater => Relation::LessEqual,
            Relation::Less => Relation::GreaterEqual,
            Relation::LessEqual => Relation::Greater,
            Relation::GreaterEqual => Relation::Less,
            Relation::NotEqual => Relation::Equal,
            Relation::Equal => Relation::NotEqual,
        }
    }

    /// Returns the relation of the exchanged operands.
    pub fn mirrored(self) -> Relation {
        match self {
            Relation::Greater => Relation::Less,
            Relation::Less => Relation::Greater,
            Relation::LessEqual => Relation::GreaterEqual,
            Relation::GreaterEqual => Relation::LessEqual,
            Relation::NotEqual | Relation::Equal => self,
        }
    }

    /// Returns the ordered relation that differs from this one for equal operands only.
    pub fn other_boundary(self) -> Option<Relation> {
        match self {
            Relation::Greater => Some(Relation::GreaterEqual),
            Relation::Less => Some(Relation::LessEqual),
            Relation::LessEqual => Some(Relation::Less),
            Relation::GreaterEqual => Some(Relation::Greater),
            Relation::NotEqual | Relation::Equal => None,
        }
    }

    /// Returns true for the four relations that order their operands.
    pub fn is_ordered(self) -> bool {
        self.other_boundary().is_some()
    }
}

impl Term {
    /// Returns the predicate of an atom, or the function of a term; `None` for numbers and strings,
    /// and for a pool of several predicates.
    pub fn signature(&self) -> Option<Signature> {
        match &self.kind {
            TermKind::Unary(_, argument) => argument.signature().map(Signature::negated),
            TermKind::Function { name, arguments, .. } => Some(Signature::new(*name, arguments.len())),
            TermKind::Pool(alternatives) => {
                let mut signatures = alternatives.iter().map(Term::signature);
                let first = signatures.next()??;
                signatures.all(|other| other.as_ref() == Some(&first)).then_some(first)
            }
            _ => self.constant().map(|name| Signature::new(name, 0)),
        }
    }

    /// Returns the predicates of all alternatives of an atom.
    pub fn signatures(&self) -> Vec<Signature> {
        match &self.kind {
            TermKind::Pool(alternatives) => alternatives.iter().flat_map(Term::signatures).collect(),
            TermKind::Unary(_, argument) => argument.signatures().into_iter().map(Signature::negated).collect(),
            _ => self.signature().into_iter().collect(),
        }
    }

    /// Returns the name of an atom, and true if it has no classical negation.
    pub fn name(&self) -> Option<(bool, &'static str)> {
        match &self.kind {
            TermKind::Unary(_, argument) => argument.name().map(|(is_positive, name)| (!is_positive, name)),
            TermKind::Function { name, .. } => Some((true, name)),
            TermKind::Pool(alternatives) => alternatives.first()?.name(),
            _ => self.constant().map(|name| (true, name)),
        }
    }

    /// Returns the name of a constant.
    pub fn constant(&self) -> Option<&'static str> {
        let TermKind::Symbol(symbol) = self.kind else { return None };
        function_of(symbol)
            .filter(|&(is_positive, name, size)| is_positive && size == 0 && syntax::is_name(name))
            .map(|(_, name, _)| name)
    }

    /// Returns the name of a variable; `None` for `_`.
    pub fn variable(&self) -> Option<&'static str> {
        if let TermKind::Variable(name) = self.kind { Some(name).filter(|name| *name != "_") } else { None }
    }
}

impl Span {
    pub fn new(start: Position, end: Position) -> Span {
        let pair = |position: Position| (position.line as u32, position.column as u32);
        Span { start: pair(start), end: pair(end) }
    }

    pub fn start(self) -> Position {
        Position { line: self.start.0 as usize, column: self.start.1 as usize }
    }

    pub fn end(self) -> Position {
        Position { line: self.end.0 as usize, column: self.end.1 as usize }
    }

    /// Returns the span as a place in a file.
    pub fn place(self, file: &str) -> Place {
        Place { file: file.to_owned(), start: self.start(), end: self.end(), label: String::new() }
    }

    /// Returns true if the span ends before it starts.
    pub fn is_reversed(self) -> bool {
        self.end < self.start
    }

    pub fn is_empty(self) -> bool {
        self.end == self.start
    }

    /// Returns the least span that contains both.
    pub fn cover(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}
