//! clingo's syntax trees. They come from clingo's parser, so that statements mean the same here as
//! to the grounder.

use std::ffi::{CStr, CString, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::PathBuf;
use std::ptr::{NonNull, null_mut};
use std::sync::PoisonError;

use clingo_sys as sys;

use super::{CallError, CallResult, Log, RawMessage, c_string, check, log_message, place, symbols_lock};
use crate::diagnostic::Place;
use crate::document::Document;

/// The type of a node; types without a use here are `Other`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeKind {
    Variable,
    Function,
    Pool,
    SymbolicTerm,
    UnaryOperation,
    BinaryOperation,
    BooleanConstant,
    SymbolicAtom,
    Comparison,
    Guard,
    ConditionalLiteral,
    Aggregate,
    BodyAggregate,
    BodyAggregateElement,
    HeadAggregate,
    HeadAggregateElement,
    Disjunction,
    TheoryAtom,
    Literal,
    Rule,
    ShowSignature,
    ShowTerm,
    Minimize,
    Program,
    External,
    Heuristic,
    Project,
    Other,
}

/// An attribute of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attribute {
    Argument,
    Arguments,
    Arity,
    Atom,
    Body,
    Comparison,
    Condition,
    Elements,
    Function,
    Guards,
    Head,
    LeftGuard,
    Literal,
    Name,
    Parameters,
    Positive,
    Priority,
    RightGuard,
    Sign,
    Symbol,
    Term,
    Terms,
    Value,
    Weight,
}

/// A node of a syntax tree. It is not shared between threads, since clingo counts references
/// without atomic operations.
pub struct Node(NonNull<sys::clingo_ast_t>);

impl Drop for Node {
    fn drop(&mut self) {
        // SAFETY: each `Node` owns one reference to its AST.
        unsafe { sys::clingo_ast_release(self.0.as_ptr()) };
    }
}

/// Parses files, or one text in memory, and calls `visit` with the tree of each statement in order,
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
    let file = |path: &PathBuf| CString::new(path.as_os_str().as_encoded_bytes()).map_err(|_| super::nul_byte());
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
    parsed.map_err(|error| (error, std::mem::take(&mut *log.lock().unwrap_or_else(PoisonError::into_inner))))
}

impl Node {
    pub fn kind(&self) -> CallResult<NodeKind> {
        let mut kind = 0;
        // SAFETY: `self` holds a reference to the node; the same applies to all methods below.
        check(unsafe { sys::clingo_ast_get_type(self.0.as_ptr(), &mut kind) })?;
        Ok(match kind as u32 {
            sys::clingo_ast_type_e_clingo_ast_type_variable => NodeKind::Variable,
            sys::clingo_ast_type_e_clingo_ast_type_function => NodeKind::Function,
            sys::clingo_ast_type_e_clingo_ast_type_pool => NodeKind::Pool,
            sys::clingo_ast_type_e_clingo_ast_type_symbolic_term => NodeKind::SymbolicTerm,
            sys::clingo_ast_type_e_clingo_ast_type_unary_operation => NodeKind::UnaryOperation,
            sys::clingo_ast_type_e_clingo_ast_type_binary_operation => NodeKind::BinaryOperation,
            sys::clingo_ast_type_e_clingo_ast_type_boolean_constant => NodeKind::BooleanConstant,
            sys::clingo_ast_type_e_clingo_ast_type_symbolic_atom => NodeKind::SymbolicAtom,
            sys::clingo_ast_type_e_clingo_ast_type_comparison => NodeKind::Comparison,
            sys::clingo_ast_type_e_clingo_ast_type_guard => NodeKind::Guard,
            sys::clingo_ast_type_e_clingo_ast_type_conditional_literal => NodeKind::ConditionalLiteral,
            sys::clingo_ast_type_e_clingo_ast_type_aggregate => NodeKind::Aggregate,
            sys::clingo_ast_type_e_clingo_ast_type_body_aggregate => NodeKind::BodyAggregate,
            sys::clingo_ast_type_e_clingo_ast_type_body_aggregate_element => NodeKind::BodyAggregateElement,
            sys::clingo_ast_type_e_clingo_ast_type_head_aggregate => NodeKind::HeadAggregate,
            sys::clingo_ast_type_e_clingo_ast_type_head_aggregate_element => NodeKind::HeadAggregateElement,
            sys::clingo_ast_type_e_clingo_ast_type_disjunction => NodeKind::Disjunction,
            sys::clingo_ast_type_e_clingo_ast_type_theory_atom => NodeKind::TheoryAtom,
            sys::clingo_ast_type_e_clingo_ast_type_literal => NodeKind::Literal,
            sys::clingo_ast_type_e_clingo_ast_type_rule => NodeKind::Rule,
            sys::clingo_ast_type_e_clingo_ast_type_show_signature => NodeKind::ShowSignature,
            sys::clingo_ast_type_e_clingo_ast_type_show_term => NodeKind::ShowTerm,
            sys::clingo_ast_type_e_clingo_ast_type_minimize => NodeKind::Minimize,
            sys::clingo_ast_type_e_clingo_ast_type_program => NodeKind::Program,
            sys::clingo_ast_type_e_clingo_ast_type_external => NodeKind::External,
            sys::clingo_ast_type_e_clingo_ast_type_heuristic => NodeKind::Heuristic,
            sys::clingo_ast_type_e_clingo_ast_type_project_atom
            | sys::clingo_ast_type_e_clingo_ast_type_project_signature => NodeKind::Project,
            _ => NodeKind::Other,
        })
    }

    /// Returns the value of a numeric attribute.
    pub fn number(&self, attribute: Attribute) -> CallResult<i32> {
        let mut number = 0;
        // SAFETY: see `kind`.
        check(unsafe { sys::clingo_ast_attribute_get_number(self.0.as_ptr(), attribute.raw(), &mut number) })?;
        Ok(number)
    }

    /// Returns the value of a string attribute.
    pub fn string(&self, attribute: Attribute) -> CallResult<String> {
        let mut text = std::ptr::null();
        // SAFETY: see `kind`; the text ends with NUL and lives as long as clingo's table of names.
        unsafe {
            check(sys::clingo_ast_attribute_get_string(self.0.as_ptr(), attribute.raw(), &mut text))?;
            Ok(CStr::from_ptr(text).to_string_lossy().into_owned())
        }
    }

    /// Returns the nodes of an attribute; empty if the node has no such attribute.
    pub fn nodes(&self, attribute: Attribute) -> CallResult<Vec<Node>> {
        self.nodes_of(attribute.raw())
    }

    /// Returns the only node of an attribute.
    pub fn node(&self, attribute: Attribute) -> CallResult<Option<Node>> {
        Ok(self.nodes(attribute)?.into_iter().next())
    }

    /// Returns the child nodes of all attributes.
    pub fn children(&self) -> CallResult<Vec<Node>> {
        let mut children = Vec::new();
        for attribute in 0..=sys::clingo_ast_attribute_e_clingo_ast_attribute_weight {
            children.extend(self.nodes_of(attribute as sys::clingo_ast_attribute_t)?);
        }
        Ok(children)
    }

    fn nodes_of(&self, attribute: sys::clingo_ast_attribute_t) -> CallResult<Vec<Node>> {
        let raw = self.0.as_ptr();
        let mut has = false;
        let mut kind = 0;
        // SAFETY: see `kind`; each getter matches the type of the attribute, and transfers a
        // reference to the node that it returns.
        unsafe {
            check(sys::clingo_ast_has_attribute(raw, attribute, &mut has))?;
            if !has {
                return Ok(Vec::new());
            }
            check(sys::clingo_ast_attribute_type(raw, attribute, &mut kind))?;
            let mut child = null_mut();
            match kind as u32 {
                sys::clingo_ast_attribute_type_e_clingo_ast_attribute_type_ast => {
                    check(sys::clingo_ast_attribute_get_ast(raw, attribute, &mut child))?;
                    Ok(NonNull::new(child).map(Node).into_iter().collect())
                }
                sys::clingo_ast_attribute_type_e_clingo_ast_attribute_type_optional_ast => {
                    check(sys::clingo_ast_attribute_get_optional_ast(raw, attribute, &mut child))?;
                    Ok(NonNull::new(child).map(Node).into_iter().collect())
                }
                sys::clingo_ast_attribute_type_e_clingo_ast_attribute_type_ast_array => {
                    let mut size = 0;
                    check(sys::clingo_ast_attribute_size_ast_array(raw, attribute, &mut size))?;
                    let mut nodes = Vec::with_capacity(size);
                    for index in 0..size {
                        check(sys::clingo_ast_attribute_get_ast_at(raw, attribute, index, &mut child))?;
                        nodes.extend(NonNull::new(child).map(Node));
                    }
                    Ok(nodes)
                }
                _ => Ok(Vec::new()),
            }
        }
    }

    /// Returns the place of the node. clingo names a text in memory `<string>`.
    pub fn place(&self) -> CallResult<Place> {
        let mut location = sys::clingo_location {
            begin_file: std::ptr::null(),
            end_file: std::ptr::null(),
            begin_line: 0,
            end_line: 0,
            begin_column: 0,
            end_column: 0,
        };
        let attribute = sys::clingo_ast_attribute_e_clingo_ast_attribute_location as sys::clingo_ast_attribute_t;
        // SAFETY: see `kind`; the name ends with NUL and lives as long as clingo's table of names.
        unsafe {
            check(sys::clingo_ast_attribute_get_location(self.0.as_ptr(), attribute, &mut location))?;
            Ok(place(&location))
        }
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
}

impl Attribute {
    fn raw(self) -> sys::clingo_ast_attribute_t {
        let attribute = match self {
            Attribute::Argument => sys::clingo_ast_attribute_e_clingo_ast_attribute_argument,
            Attribute::Arguments => sys::clingo_ast_attribute_e_clingo_ast_attribute_arguments,
            Attribute::Arity => sys::clingo_ast_attribute_e_clingo_ast_attribute_arity,
            Attribute::Atom => sys::clingo_ast_attribute_e_clingo_ast_attribute_atom,
            Attribute::Body => sys::clingo_ast_attribute_e_clingo_ast_attribute_body,
            Attribute::Comparison => sys::clingo_ast_attribute_e_clingo_ast_attribute_comparison,
            Attribute::Condition => sys::clingo_ast_attribute_e_clingo_ast_attribute_condition,
            Attribute::Elements => sys::clingo_ast_attribute_e_clingo_ast_attribute_elements,
            Attribute::Function => sys::clingo_ast_attribute_e_clingo_ast_attribute_function,
            Attribute::Guards => sys::clingo_ast_attribute_e_clingo_ast_attribute_guards,
            Attribute::Head => sys::clingo_ast_attribute_e_clingo_ast_attribute_head,
            Attribute::LeftGuard => sys::clingo_ast_attribute_e_clingo_ast_attribute_left_guard,
            Attribute::Literal => sys::clingo_ast_attribute_e_clingo_ast_attribute_literal,
            Attribute::Name => sys::clingo_ast_attribute_e_clingo_ast_attribute_name,
            Attribute::Parameters => sys::clingo_ast_attribute_e_clingo_ast_attribute_parameters,
            Attribute::Positive => sys::clingo_ast_attribute_e_clingo_ast_attribute_positive,
            Attribute::Priority => sys::clingo_ast_attribute_e_clingo_ast_attribute_priority,
            Attribute::RightGuard => sys::clingo_ast_attribute_e_clingo_ast_attribute_right_guard,
            Attribute::Sign => sys::clingo_ast_attribute_e_clingo_ast_attribute_sign,
            Attribute::Symbol => sys::clingo_ast_attribute_e_clingo_ast_attribute_symbol,
            Attribute::Term => sys::clingo_ast_attribute_e_clingo_ast_attribute_term,
            Attribute::Terms => sys::clingo_ast_attribute_e_clingo_ast_attribute_terms,
            Attribute::Value => sys::clingo_ast_attribute_e_clingo_ast_attribute_value,
            Attribute::Weight => sys::clingo_ast_attribute_e_clingo_ast_attribute_weight,
        };
        attribute as sys::clingo_ast_attribute_t
    }
}
