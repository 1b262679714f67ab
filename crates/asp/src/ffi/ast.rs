//! clingo's parser, and the conversion of its syntax trees.

use std::ffi::{CStr, CString, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::PathBuf;
use std::ptr::{NonNull, null_mut};

use base::diagnostic::Place;
use base::document::Document;
use base::lines::Position;
use base::syntax::Signature;
use clingo_sys as sys;

use self::attribute as at;
use super::call::{CallError, CallResult, check, nul_byte};
use super::symbol::Symbol;
use super::{Log, RawMessage, c_string, log_message, place, symbols_lock};
use crate::tree::{
    Aggregate, AggregateFunction, Atom, BinaryOperator, Element, Guard, Head, Literal, Relation, Sign, Span,
    SyntaxTree, Term, TermKind, TheoryAtom, UnaryOperator,
};

/// The types of nodes.
mod kind {
    pub use clingo_sys::{
        clingo_ast_type_e_clingo_ast_type_aggregate as AGGREGATE,
        clingo_ast_type_e_clingo_ast_type_binary_operation as BINARY_OPERATION,
        clingo_ast_type_e_clingo_ast_type_body_aggregate as BODY_AGGREGATE,
        clingo_ast_type_e_clingo_ast_type_boolean_constant as BOOLEAN_CONSTANT,
        clingo_ast_type_e_clingo_ast_type_comparison as COMPARISON,
        clingo_ast_type_e_clingo_ast_type_conditional_literal as CONDITIONAL_LITERAL,
        clingo_ast_type_e_clingo_ast_type_defined as DEFINED,
        clingo_ast_type_e_clingo_ast_type_definition as DEFINITION,
        clingo_ast_type_e_clingo_ast_type_disjunction as DISJUNCTION, clingo_ast_type_e_clingo_ast_type_edge as EDGE,
        clingo_ast_type_e_clingo_ast_type_external as EXTERNAL, clingo_ast_type_e_clingo_ast_type_function as FUNCTION,
        clingo_ast_type_e_clingo_ast_type_head_aggregate as HEAD_AGGREGATE,
        clingo_ast_type_e_clingo_ast_type_heuristic as HEURISTIC,
        clingo_ast_type_e_clingo_ast_type_interval as INTERVAL, clingo_ast_type_e_clingo_ast_type_minimize as MINIMIZE,
        clingo_ast_type_e_clingo_ast_type_pool as POOL, clingo_ast_type_e_clingo_ast_type_program as PROGRAM,
        clingo_ast_type_e_clingo_ast_type_project_atom as PROJECT_ATOM,
        clingo_ast_type_e_clingo_ast_type_project_signature as PROJECT_SIGNATURE,
        clingo_ast_type_e_clingo_ast_type_rule as RULE,
        clingo_ast_type_e_clingo_ast_type_show_signature as SHOW_SIGNATURE,
        clingo_ast_type_e_clingo_ast_type_show_term as SHOW_TERM,
        clingo_ast_type_e_clingo_ast_type_symbolic_atom as SYMBOLIC_ATOM,
        clingo_ast_type_e_clingo_ast_type_symbolic_term as SYMBOLIC_TERM,
        clingo_ast_type_e_clingo_ast_type_theory_atom as THEORY_ATOM,
        clingo_ast_type_e_clingo_ast_type_theory_function as THEORY_FUNCTION,
        clingo_ast_type_e_clingo_ast_type_theory_sequence as THEORY_SEQUENCE,
        clingo_ast_type_e_clingo_ast_type_theory_unparsed_term as THEORY_UNPARSED_TERM,
        clingo_ast_type_e_clingo_ast_type_unary_operation as UNARY_OPERATION,
        clingo_ast_type_e_clingo_ast_type_variable as VARIABLE,
    };
}

/// The attributes of nodes.
mod attribute {
    pub use clingo_sys::{
        clingo_ast_attribute_e_clingo_ast_attribute_argument as ARGUMENT,
        clingo_ast_attribute_e_clingo_ast_attribute_arguments as ARGUMENTS,
        clingo_ast_attribute_e_clingo_ast_attribute_arity as ARITY,
        clingo_ast_attribute_e_clingo_ast_attribute_atom as ATOM,
        clingo_ast_attribute_e_clingo_ast_attribute_bias as BIAS,
        clingo_ast_attribute_e_clingo_ast_attribute_body as BODY,
        clingo_ast_attribute_e_clingo_ast_attribute_comparison as COMPARISON,
        clingo_ast_attribute_e_clingo_ast_attribute_condition as CONDITION,
        clingo_ast_attribute_e_clingo_ast_attribute_elements as ELEMENTS,
        clingo_ast_attribute_e_clingo_ast_attribute_external as EXTERNAL,
        clingo_ast_attribute_e_clingo_ast_attribute_external_type as EXTERNAL_TYPE,
        clingo_ast_attribute_e_clingo_ast_attribute_function as FUNCTION,
        clingo_ast_attribute_e_clingo_ast_attribute_guard as GUARD,
        clingo_ast_attribute_e_clingo_ast_attribute_guards as GUARDS,
        clingo_ast_attribute_e_clingo_ast_attribute_head as HEAD,
        clingo_ast_attribute_e_clingo_ast_attribute_is_default as IS_DEFAULT,
        clingo_ast_attribute_e_clingo_ast_attribute_left as LEFT,
        clingo_ast_attribute_e_clingo_ast_attribute_left_guard as LEFT_GUARD,
        clingo_ast_attribute_e_clingo_ast_attribute_literal as LITERAL,
        clingo_ast_attribute_e_clingo_ast_attribute_location as LOCATION,
        clingo_ast_attribute_e_clingo_ast_attribute_modifier as MODIFIER,
        clingo_ast_attribute_e_clingo_ast_attribute_name as NAME,
        clingo_ast_attribute_e_clingo_ast_attribute_node_u as NODE_U,
        clingo_ast_attribute_e_clingo_ast_attribute_node_v as NODE_V,
        clingo_ast_attribute_e_clingo_ast_attribute_operator_type as OPERATOR_TYPE,
        clingo_ast_attribute_e_clingo_ast_attribute_parameters as PARAMETERS,
        clingo_ast_attribute_e_clingo_ast_attribute_positive as POSITIVE,
        clingo_ast_attribute_e_clingo_ast_attribute_priority as PRIORITY,
        clingo_ast_attribute_e_clingo_ast_attribute_right as RIGHT,
        clingo_ast_attribute_e_clingo_ast_attribute_right_guard as RIGHT_GUARD,
        clingo_ast_attribute_e_clingo_ast_attribute_sign as SIGN,
        clingo_ast_attribute_e_clingo_ast_attribute_symbol as SYMBOL,
        clingo_ast_attribute_e_clingo_ast_attribute_term as TERM,
        clingo_ast_attribute_e_clingo_ast_attribute_terms as TERMS,
        clingo_ast_attribute_e_clingo_ast_attribute_value as VALUE,
        clingo_ast_attribute_e_clingo_ast_attribute_weight as WEIGHT,
    };
}

/// A node of a syntax tree of clingo. It is not shared between threads, since clingo counts references
/// without atomic operations.
pub struct Node(NonNull<sys::clingo_ast_t>);

impl Drop for Node {
    fn drop(&mut self) {
        // SAFETY: each `Node` owns one reference to its AST.
        unsafe { sys::clingo_ast_release(self.0.as_ptr()) };
    }
}

/// Parses files, or one text in memory, and calls `visit` with each statement in order,
/// including the statements of included files. A file that occurs twice is parsed once.
///
/// # Errors
/// clingo's error and its messages.
pub fn parse(documents: &[&Document], mut visit: impl FnMut(Node)) -> Result<(), (CallError, Vec<RawMessage>)> {
    struct Callback<'f> {
        visit: &'f mut dyn FnMut(Node),
        panic: Option<Box<dyn std::any::Any + Send>>,
    }
    unsafe extern "C" fn take(ast: *mut sys::clingo_ast_t, data: *mut c_void) -> bool {
        // SAFETY: `data` is the `Callback` of the running `parse`.
        let callback = unsafe { &mut *data.cast::<Callback<'_>>() };
        let Some(raw) = NonNull::new(ast) else { return false };
        // SAFETY: clingo lends the tree for this call; the node acquires another reference.
        unsafe { sys::clingo_ast_acquire(raw.as_ptr()) };
        match catch_unwind(AssertUnwindSafe(|| (callback.visit)(Node(raw)))) {
            Ok(()) => true,
            Err(panic) => {
                callback.panic = Some(panic);
                false
            }
        }
    }
    const MESSAGES: u32 = 20;
    let log = Log::default();
    let mut callback = Callback { visit: &mut visit, panic: None };
    let data = (&raw mut callback).cast::<c_void>();
    let logged = (&raw const log).cast_mut().cast::<c_void>();
    let file = |path: &PathBuf| CString::new(path.as_os_str().as_encoded_bytes()).map_err(|_| nul_byte());
    // clingo parses the last file first.
    let files: Result<Vec<CString>, _> =
        documents.iter().rev().filter_map(|document| document.path.as_ref()).map(file).collect();
    let parsed = files.and_then(|files| {
        let text = documents.iter().find(|document| document.path.is_none());
        let text = text.map(|document| c_string(&document.text)).transpose()?;
        let names: Vec<*const c_char> = files.iter().map(|file| file.as_ptr()).collect();
        let log = Some(log_message as _);
        let _lock = symbols_lock();
        // SAFETY: texts, callback and log live through the call; no control is passed.
        check(unsafe {
            match &text {
                Some(text) => {
                    sys::clingo_ast_parse_string(text.as_ptr(), Some(take), data, null_mut(), log, logged, MESSAGES)
                }
                None => {
                    let (names, number) = (names.as_ptr(), names.len());
                    sys::clingo_ast_parse_files(names, number, Some(take), data, null_mut(), log, logged, MESSAGES)
                }
            }
        })
    });
    if let Some(panic) = callback.panic {
        resume_unwind(panic);
    }
    parsed.map_err(|error| (error, std::mem::take(&mut *log.lock())))
}

type Attribute = u32;

impl Node {
    fn kind(&self) -> CallResult<u32> {
        let mut kind = 0;
        // SAFETY: `self` holds a reference to the node; the same applies to all methods below.
        check(unsafe { sys::clingo_ast_get_type(self.0.as_ptr(), &mut kind) })?;
        Ok(kind as u32)
    }

    fn number(&self, attribute: Attribute) -> CallResult<i32> {
        let mut number = 0;
        // SAFETY: see `kind`.
        check(unsafe { sys::clingo_ast_attribute_get_number(self.0.as_ptr(), attribute as i32, &mut number) })?;
        Ok(number)
    }

    fn string(&self, attribute: Attribute) -> CallResult<&'static str> {
        let mut text = std::ptr::null();
        // SAFETY: see `kind`; the text ends with NUL and lives as long as clingo's table of names,
        // which is never freed.
        unsafe {
            check(sys::clingo_ast_attribute_get_string(self.0.as_ptr(), attribute as i32, &mut text))?;
            CStr::from_ptr(text).to_str().map_err(|_| unknown("name"))
        }
    }

    fn symbol(&self) -> CallResult<Symbol> {
        let mut symbol = 0;
        // SAFETY: see `kind`.
        check(unsafe { sys::clingo_ast_attribute_get_symbol(self.0.as_ptr(), at::SYMBOL as i32, &mut symbol) })?;
        Ok(Symbol(symbol))
    }

    /// Returns the child node of an attribute.
    fn node(&self, attribute: Attribute) -> CallResult<Node> {
        let mut child = null_mut();
        // SAFETY: see `kind`; the call transfers a reference to the child.
        check(unsafe { sys::clingo_ast_attribute_get_ast(self.0.as_ptr(), attribute as i32, &mut child) })?;
        NonNull::new(child).map(Node).ok_or_else(|| unknown("node"))
    }

    fn optional_node(&self, attribute: Attribute) -> CallResult<Option<Node>> {
        let mut child = null_mut();
        // SAFETY: see `kind`; the call transfers a reference to the child.
        check(unsafe { sys::clingo_ast_attribute_get_optional_ast(self.0.as_ptr(), attribute as i32, &mut child) })?;
        Ok(NonNull::new(child).map(Node))
    }

    /// Converts each child node of an attribute.
    fn each<T>(&self, attribute: Attribute, convert: impl Fn(&Node) -> CallResult<T>) -> CallResult<Vec<T>> {
        let (raw, attribute, mut size) = (self.0.as_ptr(), attribute as i32, 0);
        // SAFETY: see `kind`.
        check(unsafe { sys::clingo_ast_attribute_size_ast_array(raw, attribute, &mut size) })?;
        let mut all = Vec::with_capacity(size);
        for index in 0..size {
            let mut child = null_mut();
            // SAFETY: see `kind`; the call transfers a reference to the child.
            check(unsafe { sys::clingo_ast_attribute_get_ast_at(raw, attribute, index, &mut child) })?;
            all.push(convert(&NonNull::new(child).map(Node).ok_or_else(|| unknown("node"))?)?);
        }
        Ok(all)
    }

    fn location(&self) -> CallResult<sys::clingo_location> {
        let mut location = sys::clingo_location {
            begin_file: std::ptr::null(),
            end_file: std::ptr::null(),
            begin_line: 0,
            end_line: 0,
            begin_column: 0,
            end_column: 0,
        };
        // SAFETY: see `kind`.
        check(unsafe { sys::clingo_ast_attribute_get_location(self.0.as_ptr(), at::LOCATION as i32, &mut location) })?;
        Ok(location)
    }

    /// Returns the place of the node. clingo names a text in memory `<string>`.
    pub fn place(&self) -> CallResult<Place> {
        // SAFETY: the names of the location live as long as clingo's table of names.
        Ok(unsafe { place(&self.location()?) })
    }

    fn span(&self) -> CallResult<Span> {
        let location = self.location()?;
        let start = Position { line: location.begin_line, column: location.begin_column };
        Ok(Span::new(start, Position { line: location.end_line, column: location.end_column }))
    }

    /// Formats the node as clingo prints it.
    pub fn text(&self) -> CallResult<String> {
        let mut size = 0;
        // SAFETY: see `kind`; the buffer has the size that clingo asked for.
        unsafe {
            check(sys::clingo_ast_to_string_size(self.0.as_ptr(), &mut size))?;
            let mut bytes = vec![0_u8; size];
            check(sys::clingo_ast_to_string(self.0.as_ptr(), bytes.as_mut_ptr().cast(), size))?;
            bytes.truncate(size.saturating_sub(1));
            Ok(String::from_utf8_lossy(&bytes).into_owned())
        }
    }

    /// Converts a statement. Terms must not be nested deeply, since the conversion is recursive.
    /// Returns `None` for comments.
    pub fn to_tree(&self) -> CallResult<Option<SyntaxTree>> {
        let kind = self.kind()?;
        let head = match kind {
            kind::RULE => self.node(at::HEAD)?.head()?,
            kind::SHOW_SIGNATURE => Head::Show(Some(self.signature()?).filter(|signature| !signature.name.is_empty())),
            kind::SHOW_TERM => Head::ShowTerm(self.term_at(at::TERM)?),
            kind::MINIMIZE => Head::Minimize {
                weight: Box::new(self.term_at(at::WEIGHT)?),
                level: Box::new(self.term_at(at::PRIORITY)?),
                terms: self.each(at::TERMS, Node::term)?,
            },
            kind::HEURISTIC => Head::Heuristic {
                atom: self.node(at::ATOM)?.term_at(at::SYMBOL)?,
                bias: Box::new(self.term_at(at::BIAS)?),
                priority: Box::new(self.term_at(at::PRIORITY)?),
                modifier: Box::new(self.term_at(at::MODIFIER)?),
            },
            kind::PROJECT_SIGNATURE => Head::Project(self.signature()?),
            kind::PROJECT_ATOM => Head::ProjectAtom(self.node(at::ATOM)?.term_at(at::SYMBOL)?),
            kind::PROGRAM => Head::Program {
                name: self.string(at::NAME)?,
                parameters: self.each(at::PARAMETERS, |parameter| parameter.string(at::NAME))?,
            },
            kind::DEFINITION => Head::Const {
                name: self.string(at::NAME)?,
                value: self.term_at(at::VALUE)?,
                is_default: self.number(at::IS_DEFAULT)? != 0,
            },
            kind::EXTERNAL => Head::External {
                atom: self.node(at::ATOM)?.term_at(at::SYMBOL)?,
                value: self.term_at(at::EXTERNAL_TYPE)?,
            },
            kind::DEFINED => Head::Defined(self.signature()?),
            kind::EDGE => Head::Edge(Box::new((self.term_at(at::NODE_U)?, self.term_at(at::NODE_V)?))),
            _ => {
                let text = self.text()?;
                // Newer clingo versions also report comments as statements.
                if text.starts_with('%') || text.starts_with("#!") {
                    return Ok(None);
                }
                Head::Directive(text)
            }
        };
        let body = match kind {
            kind::RULE
            | kind::SHOW_TERM
            | kind::MINIMIZE
            | kind::EXTERNAL
            | kind::HEURISTIC
            | kind::PROJECT_ATOM
            | kind::EDGE => self.each(at::BODY, Node::literal)?,
            _ => Vec::new(),
        };
        let mut tree = SyntaxTree { place: self.place()?, text: String::new(), head, body };
        tree.text = tree.to_string();
        Ok(Some(tree))
    }

    /// Returns the predicate of `#show`, `#defined` or `#project`.
    fn signature(&self) -> CallResult<Signature> {
        let is_positive = self.number(at::POSITIVE)? != 0;
        let arity = self.number(at::ARITY)? as usize;
        Ok(Signature { is_positive, ..Signature::new(self.string(at::NAME)?, arity) })
    }

    fn head(&self) -> CallResult<Head> {
        Ok(match self.kind()? {
            kind::AGGREGATE | kind::HEAD_AGGREGATE => Head::Choice(Box::new(self.aggregate()?)),
            kind::DISJUNCTION => Head::Disjunction(self.each(at::ELEMENTS, Node::conditional_literal)?),
            kind::THEORY_ATOM => {
                let atom = Atom::Theory(Box::new(self.theory_atom()?));
                Head::Other(Literal { span: self.span()?, sign: Sign::Positive, atom })
            }
            _ => match self.literal()? {
                Literal { sign: Sign::Positive, atom: Atom::Boolean(false), .. } => Head::Constraint,
                literal if literal.positive_atom().is_some() => Head::Atom(literal),
                literal => Head::Other(literal),
            },
        })
    }

    /// Converts a literal of a body or of a condition.
    fn literal(&self) -> CallResult<Literal> {
        let span = self.span()?;
        if self.kind()? == kind::CONDITIONAL_LITERAL {
            let atom = Atom::Conditional(Box::new(self.conditional_literal()?));
            return Ok(Literal { span, sign: Sign::Positive, atom });
        }
        let sign = match self.number(at::SIGN)? {
            0 => Sign::Positive,
            1 => Sign::Negative,
            _ => Sign::Double,
        };
        let atom = self.node(at::ATOM)?;
        let atom = match atom.kind()? {
            kind::BOOLEAN_CONSTANT => Atom::Boolean(atom.number(at::VALUE)? != 0),
            kind::SYMBOLIC_ATOM => Atom::Symbolic(atom.term_at(at::SYMBOL)?),
            kind::COMPARISON => {
                Atom::Comparison(Box::new((atom.term_at(at::TERM)?, atom.each(at::GUARDS, Node::guard)?)))
            }
            kind::AGGREGATE | kind::BODY_AGGREGATE => Atom::Aggregate(Box::new(atom.aggregate()?)),
            kind::THEORY_ATOM => Atom::Theory(Box::new(atom.theory_atom()?)),
            _ => return Err(unknown("literal")),
        };
        Ok(Literal { span, sign, atom })
    }

    fn aggregate(&self) -> CallResult<Aggregate> {
        let kind = self.kind()?;
        let function = match kind {
            kind::AGGREGATE => None,
            _ => Some(match self.number(at::FUNCTION)? as u32 {
                sys::clingo_ast_aggregate_function_e_clingo_ast_aggregate_function_count => AggregateFunction::Count,
                sys::clingo_ast_aggregate_function_e_clingo_ast_aggregate_function_sum => AggregateFunction::Sum,
                sys::clingo_ast_aggregate_function_e_clingo_ast_aggregate_function_sump => AggregateFunction::SumPlus,
                sys::clingo_ast_aggregate_function_e_clingo_ast_aggregate_function_min => AggregateFunction::Min,
                sys::clingo_ast_aggregate_function_e_clingo_ast_aggregate_function_max => AggregateFunction::Max,
                _ => return Err(unknown("aggregate")),
            }),
        };
        let elements = match kind {
            kind::AGGREGATE => self.each(at::ELEMENTS, Node::conditional_literal)?,
            kind::HEAD_AGGREGATE => self.each(at::ELEMENTS, |element| {
                let terms = Some(element.each(at::TERMS, Node::term)?);
                Ok(Element { terms, ..element.node(at::CONDITION)?.conditional_literal()? })
            })?,
            _ => self.each(at::ELEMENTS, |element| {
                let terms = Some(element.each(at::TERMS, Node::term)?);
                Ok(Element { terms, literal: None, condition: element.each(at::CONDITION, Node::literal)? })
            })?,
        };
        let guard = |attribute| self.optional_node(attribute)?.map(|guard| guard.guard()).transpose();
        let (left, right) = (guard(at::LEFT_GUARD)?, guard(at::RIGHT_GUARD)?);
        // clingo does not locate a body aggregate with a function, only its literal.
        let span = if kind == kind::BODY_AGGREGATE { None } else { Some(self.span()?) };
        Ok(Aggregate { span, function, left, right, elements })
    }

    fn conditional_literal(&self) -> CallResult<Element> {
        let literal = Some(self.node(at::LITERAL)?.literal()?);
        Ok(Element { terms: None, literal, condition: self.each(at::CONDITION, Node::literal)? })
    }

    fn guard(&self) -> CallResult<Guard> {
        let relation = match self.number(at::COMPARISON)? as u32 {
            sys::clingo_ast_comparison_operator_e_clingo_ast_comparison_operator_greater_than => Relation::Greater,
            sys::clingo_ast_comparison_operator_e_clingo_ast_comparison_operator_less_than => Relation::Less,
            sys::clingo_ast_comparison_operator_e_clingo_ast_comparison_operator_less_equal => Relation::LessEqual,
            sys::clingo_ast_comparison_operator_e_clingo_ast_comparison_operator_greater_equal => {
                Relation::GreaterEqual
            }
            sys::clingo_ast_comparison_operator_e_clingo_ast_comparison_operator_not_equal => Relation::NotEqual,
            sys::clingo_ast_comparison_operator_e_clingo_ast_comparison_operator_equal => Relation::Equal,
            _ => return Err(unknown("comparison")),
        };
        Ok(Guard { relation, term: self.term_at(at::TERM)? })
    }

    fn theory_atom(&self) -> CallResult<TheoryAtom> {
        let mut terms = vec![self.term_at(at::TERM)?];
        let mut conditions = Vec::new();
        for element in self.each(at::ELEMENTS, |element| {
            let mut terms = Vec::new();
            for term in element.each(at::TERMS, Node::theory_terms)? {
                terms.extend(term);
            }
            Ok((terms, element.each(at::CONDITION, Node::literal)?))
        })? {
            terms.extend(element.0);
            conditions.extend(element.1);
        }
        if let Some(guard) = self.optional_node(at::GUARD)? {
            terms.extend(guard.node(at::TERM)?.theory_terms()?);
        }
        Ok(TheoryAtom { text: self.text()?, terms, conditions })
    }

    /// Returns the variables and symbols of a theory term.
    fn theory_terms(&self) -> CallResult<Vec<Term>> {
        let terms = match self.kind()? {
            kind::VARIABLE | kind::SYMBOLIC_TERM => return Ok(vec![self.term()?]),
            kind::THEORY_FUNCTION => self.each(at::ARGUMENTS, Node::theory_terms)?,
            kind::THEORY_UNPARSED_TERM => self.each(at::ELEMENTS, |element| element.node(at::TERM)?.theory_terms())?,
            kind::THEORY_SEQUENCE => self.each(at::TERMS, Node::theory_terms)?,
            _ => return Err(unknown("theory term")),
        };
        Ok(terms.into_iter().flatten().collect())
    }

    fn term_at(&self, attribute: Attribute) -> CallResult<Term> {
        self.node(attribute)?.term()
    }

    fn term(&self) -> CallResult<Term> {
        let operands = || Ok(Box::new((self.term_at(at::LEFT)?, self.term_at(at::RIGHT)?)));
        let kind = match self.kind()? {
            kind::VARIABLE => TermKind::Variable(self.string(at::NAME)?),
            kind::SYMBOLIC_TERM => TermKind::Symbol(self.symbol()?),
            kind::UNARY_OPERATION => {
                let operator = match self.number(at::OPERATOR_TYPE)? as u32 {
                    sys::clingo_ast_unary_operator_e_clingo_ast_unary_operator_minus => UnaryOperator::Minus,
                    sys::clingo_ast_unary_operator_e_clingo_ast_unary_operator_negation => UnaryOperator::Complement,
                    sys::clingo_ast_unary_operator_e_clingo_ast_unary_operator_absolute => UnaryOperator::Absolute,
                    _ => return Err(unknown("operator")),
                };
                TermKind::Unary(operator, Box::new(self.term_at(at::ARGUMENT)?))
            }
            kind::BINARY_OPERATION => TermKind::Binary(binary_operator(self.number(at::OPERATOR_TYPE)?)?, operands()?),
            kind::INTERVAL => TermKind::Interval(operands()?),
            kind::FUNCTION => TermKind::Function {
                name: self.string(at::NAME)?,
                arguments: self.each(at::ARGUMENTS, Node::term)?,
                is_external: self.number(at::EXTERNAL)? != 0,
            },
            kind::POOL => TermKind::Pool(self.each(at::ARGUMENTS, Node::term)?),
            _ => return Err(unknown("term")),
        };
        Ok(Term { span: self.span()?, kind })
    }
}

fn binary_operator(number: i32) -> CallResult<BinaryOperator> {
    Ok(match number as u32 {
        sys::clingo_ast_binary_operator_e_clingo_ast_binary_operator_xor => BinaryOperator::Xor,
        sys::clingo_ast_binary_operator_e_clingo_ast_binary_operator_or => BinaryOperator::Or,
        sys::clingo_ast_binary_operator_e_clingo_ast_binary_operator_and => BinaryOperator::And,
        sys::clingo_ast_binary_operator_e_clingo_ast_binary_operator_plus => BinaryOperator::Plus,
        sys::clingo_ast_binary_operator_e_clingo_ast_binary_operator_minus => BinaryOperator::Minus,
        sys::clingo_ast_binary_operator_e_clingo_ast_binary_operator_multiplication => BinaryOperator::Times,
        sys::clingo_ast_binary_operator_e_clingo_ast_binary_operator_division => BinaryOperator::Divide,
        sys::clingo_ast_binary_operator_e_clingo_ast_binary_operator_modulo => BinaryOperator::Modulo,
        sys::clingo_ast_binary_operator_e_clingo_ast_binary_operator_power => BinaryOperator::Power,
        _ => return Err(unknown("operator")),
    })
}

/// Returns the error for a tree of an unknown form.
fn unknown(what: &str) -> CallError {
    CallError { text: format!("clingo's syntax tree contains an unknown {what}"), out_of_memory: false }
}
