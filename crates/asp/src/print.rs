//! Prints syntax trees as clingo prints them.

use std::fmt;

use super::ffi::{Symbol, text_of};
use super::tree::{
    Aggregate, AggregateFunction, Atom, BinaryOperator, Element, Guard, Head, Literal, Part, Sign, SyntaxTree, Term,
    TermKind, UnaryOperator,
};

/// Implements `Display` for a part of a tree.
macro_rules! display {
    ($($part:ident)*) => { $(
        impl fmt::Display for $part {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                Part::$part(self).fmt(out)
            }
        }
    )* };
}

display!(Literal Aggregate Element Term);

impl fmt::Display for Part<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut printer = Printer::default();
        printer.part(*self);
        out.write_str(&printer.text)
    }
}

impl fmt::Display for Head {
    /// Formats the head of a rule; empty for other statements.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut printer = Printer::default();
        printer.head(self);
        out.write_str(&printer.text)
    }
}

impl fmt::Display for SyntaxTree {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut printer = Printer::default();
        printer.statement(self);
        out.write_str(&printer.text)
    }
}

impl SyntaxTree {
    /// Formats the statement with a text in place of one of its parts.
    pub fn text_with(&self, part: Part<'_>, replacement: &str) -> String {
        let mut printer = Printer { replaced: Some((part, replacement)), ..Printer::default() };
        printer.statement(self);
        printer.text
    }

    /// Formats the statement with the literals `more` after its body.
    pub fn text_with_literals(&self, more: &[&str]) -> String {
        let mut printer = Printer { literals: more, ..Printer::default() };
        printer.statement(self);
        printer.text
    }
}

impl Head {
    /// Formats a head with the condition `more` added to the elements of a choice that have a
    /// condition.
    pub fn text_with_condition(&self, more: &str) -> String {
        let condition = Some(more).filter(|_| matches!(self, Head::Choice(_)));
        let mut printer = Printer { condition, ..Printer::default() };
        printer.head(self);
        printer.text
    }
}

#[derive(Default)]
struct Printer<'a> {
    text: String,
    /// A part that is replaced by a text.
    replaced: Option<(Part<'a>, &'a str)>,
    /// A literal that is added to each condition.
    condition: Option<&'a str>,
    /// Literals that are added to the body.
    literals: &'a [&'a str],
}

impl Printer<'_> {
    fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Prints items with separators.
    fn list<T>(&mut self, items: &[T], separator: &str, mut print: impl FnMut(&mut Self, &T)) {
        for (number, item) in items.iter().enumerate() {
            if number > 0 {
                self.push(separator);
            }
            print(self, item);
        }
    }

    fn statement(&mut self, tree: &SyntaxTree) {
        match &tree.head {
            Head::Show(Some(signature)) => self.push(&format!("#show {signature}.")),
            Head::Show(None) => self.push("#show."),
            Head::Project(signature) => self.push(&format!("#project {signature}.")),
            Head::Defined(signature) => self.push(&format!("#defined {signature}.")),
            Head::Program { name, parameters } => {
                let parameters =
                    if parameters.is_empty() { String::new() } else { format!("({})", parameters.join(", ")) };
                self.push(&format!("#program {name}{parameters}."));
            }
            Head::Const { name, value, is_default } => {
                self.push(&format!("#const {name} = "));
                self.term(value);
                self.push(if *is_default { "." } else { ". [override]" });
            }
            Head::Directive(text) => self.push(text),
            Head::ShowTerm(term) => {
                self.push("#show ");
                self.term(term);
                self.body(tree, " : ");
            }
            Head::ProjectAtom(atom) => {
                self.push("#project ");
                self.term(atom);
                self.body(tree, " : ");
            }
            Head::Edge(nodes) => {
                self.push("#edge (");
                self.term(&nodes.0);
                self.push(",");
                self.term(&nodes.1);
                self.push(")");
                self.body(tree, " : ");
            }
            Head::External { atom, value } => {
                self.push("#external ");
                self.term(atom);
                self.body(tree, " : ");
                self.push(" [");
                self.term(value);
                self.push("]");
            }
            Head::Heuristic { atom, bias, priority, modifier } => {
                self.push("#heuristic ");
                self.term(atom);
                self.body(tree, " : ");
                self.push(" [");
                self.term(bias);
                self.push("@");
                self.term(priority);
                self.push(",");
                self.term(modifier);
                self.push("]");
            }
            Head::Minimize { weight, level, terms } => {
                self.push(":~ ");
                self.body(tree, "");
                self.push(" [");
                self.term(weight);
                self.push("@");
                self.term(level);
                for term in terms {
                    self.push(",");
                    self.term(term);
                }
                self.push("]");
            }
            head => {
                self.head(head);
                self.body(tree, " :- ");
            }
        }
    }

    fn head(&mut self, head: &Head) {
        match head {
            Head::Constraint => self.push("#false"),
            Head::Atom(literal) | Head::Other(literal) => self.literal(literal),
            Head::Choice(aggregate) => self.part(Part::Aggregate(aggregate)),
            Head::Disjunction(elements) => self.elements(elements),
            _ => {}
        }
    }

    fn body(&mut self, tree: &SyntaxTree, before: &str) {
        if !tree.body.is_empty() || !self.literals.is_empty() {
            self.push(before);
        }
        self.list(&tree.body, "; ", Self::literal);
        for (number, literal) in self.literals.iter().enumerate() {
            if number > 0 || !tree.body.is_empty() {
                self.push("; ");
            }
            self.push(literal);
        }
        self.push(".");
    }

    /// Prints a part, or what replaces it.
    fn part(&mut self, part: Part<'_>) {
        if let Some((replaced, replacement)) = self.replaced
            && replaced.is(part)
        {
            return self.push(replacement);
        }
        match part {
            Part::Literal(literal) => {
                self.push(match literal.sign {
                    Sign::Positive => "",
                    Sign::Negative => "not ",
                    Sign::Double => "not not ",
                });
                self.atom(&literal.atom);
            }
            Part::Aggregate(aggregate) => self.aggregate(aggregate),
            Part::Element(element) => self.element(element),
            Part::Term(term) => self.term_kind(&term.kind),
        }
    }

    fn literal(&mut self, literal: &Literal) {
        self.part(Part::Literal(literal));
    }

    fn term(&mut self, term: &Term) {
        self.part(Part::Term(term));
    }

    fn elements(&mut self, elements: &[Element]) {
        self.list(elements, "; ", |printer, element| printer.part(Part::Element(element)));
    }

    fn atom(&mut self, atom: &Atom) {
        match atom {
            Atom::Boolean(value) => self.push(if *value { "#true" } else { "#false" }),
            Atom::Symbolic(term) => self.term(term),
            Atom::Comparison(comparison) => {
                self.term(&comparison.0);
                comparison.1.iter().for_each(|guard| self.right_guard(guard));
            }
            Atom::Aggregate(aggregate) => self.part(Part::Aggregate(aggregate)),
            Atom::Conditional(element) => self.part(Part::Element(element)),
            Atom::Theory(theory) => self.push(&theory.text),
        }
    }

    fn aggregate(&mut self, aggregate: &Aggregate) {
        if let Some(Guard { relation, term }) = &aggregate.left {
            self.term(term);
            self.push(&format!(" {} ", relation.text()));
        }
        self.push(match aggregate.function {
            None => "{",
            Some(AggregateFunction::Count) => "#count {",
            Some(AggregateFunction::Sum) => "#sum {",
            Some(AggregateFunction::SumPlus) => "#sum+ {",
            Some(AggregateFunction::Min) => "#min {",
            Some(AggregateFunction::Max) => "#max {",
        });
        if !aggregate.elements.is_empty() {
            self.push(" ");
            self.elements(&aggregate.elements);
        }
        self.push(" }");
        aggregate.right.iter().for_each(|guard| self.right_guard(guard));
    }

    fn right_guard(&mut self, Guard { relation, term }: &Guard) {
        self.push(&format!(" {} ", relation.text()));
        self.term(term);
    }

    fn element(&mut self, element: &Element) {
        if let Some(terms) = &element.terms {
            self.list(terms, ",", Self::term);
        }
        if let Some(literal) = &element.literal {
            if element.terms.is_some() {
                self.push(": ");
            }
            self.literal(literal);
        }
        if !element.condition.is_empty() {
            self.push(": ");
            self.list(&element.condition, ", ", Self::literal);
            if let Some(more) = self.condition {
                self.push(&format!(", {more}"));
            }
        }
    }

    fn term_kind(&mut self, kind: &TermKind) {
        match kind {
            TermKind::Variable(name) => self.push(name),
            TermKind::Symbol(symbol) => self.symbol(*symbol),
            TermKind::Unary(operator, argument) => {
                self.push(match operator {
                    UnaryOperator::Minus => "-",
                    UnaryOperator::Complement => "~",
                    UnaryOperator::Absolute => "|",
                });
                self.term(argument);
                if *operator == UnaryOperator::Absolute {
                    self.push("|");
                }
            }
            TermKind::Binary(operator, arguments) => {
                let sign = match operator {
                    BinaryOperator::Xor => "^",
                    BinaryOperator::Or => "?",
                    BinaryOperator::And => "&",
                    BinaryOperator::Plus => "+",
                    BinaryOperator::Minus => "-",
                    BinaryOperator::Times => "*",
                    BinaryOperator::Divide => "/",
                    BinaryOperator::Modulo => "\\",
                    BinaryOperator::Power => "**",
                };
                self.operation(arguments, sign);
            }
            TermKind::Interval(arguments) => self.operation(arguments, ".."),
            TermKind::Function { name, arguments, is_external } => {
                self.push(if *is_external { "@" } else { "" });
                self.push(name);
                if name.is_empty() || !arguments.is_empty() {
                    self.push("(");
                    self.list(arguments, ",", Self::term);
                    self.push(if name.is_empty() && arguments.len() == 1 { ",)" } else { ")" });
                }
            }
            TermKind::Pool(alternatives) => self.pool(alternatives),
        }
    }

    fn operation(&mut self, arguments: &(Term, Term), sign: &str) {
        self.push("(");
        self.term(&arguments.0);
        self.push(sign);
        self.term(&arguments.1);
        self.push(")");
    }

    /// Prints alternatives; those of one function as `name(a;b)`.
    fn pool(&mut self, alternatives: &[Term]) {
        let function = |term: &Term| match &term.kind {
            TermKind::Function { name, is_external, .. } => Some((*name, *is_external)),
            _ => None,
        };
        match alternatives {
            [] => self.push("(1/0)"),
            [only] => self.term(only),
            [first, others @ ..] => match function(first) {
                Some((name, is_external)) if others.iter().all(|term| function(term) == Some((name, is_external))) => {
                    self.push(if is_external { "@" } else { "" });
                    self.push(name);
                    self.push("(");
                    self.list(alternatives, ";", |printer, alternative| {
                        let TermKind::Function { arguments, .. } = &alternative.kind else { return };
                        printer.list(arguments, ",", Self::term);
                        printer.push(if name.is_empty() && arguments.len() == 1 { "," } else { "" });
                    });
                    self.push(")");
                }
                _ => {
                    self.push("(");
                    self.list(alternatives, ";", Self::term);
                    self.push(")");
                }
            },
        }
    }

    fn symbol(&mut self, symbol: Symbol) {
        let mut bytes = Vec::new();
        text_of(symbol, &mut bytes);
        self.push(&String::from_utf8_lossy(&bytes));
    }
}
