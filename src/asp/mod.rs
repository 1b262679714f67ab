//! The interface to clingo; no other module depends on it.
//!
//! A [`Program`] consists of texts and facts. A [`Solver`] loads a program, grounds it and reports
//! its answers one by one, without storing them. Messages of clingo become [`Message`]s with file
//! and range.
//!
//! ```
//! use std::ops::ControlFlow;
//!
//! use asp_solve::asp::{Order, Program, Settings, Solver, to_text};
//! use asp_solve::document::Document;
//! use asp_solve::stop::CancelToken;
//!
//! let text = Document::in_memory("colours", "1 { color(N, (red; green)) } 1 :- N = 1..2. :- color(1, C), color(2, C).");
//! let program = Program::of([text]);
//! let mut solver = Solver::with_program(&program, &Settings { models: Some(0), ..Settings::default() }, &CancelToken::new())?;
//! let mut answers = Vec::new();
//! solver.solve(&[], |model| {
//!     let atoms = model.shown(Order::Sorted).expect("memory");
//!     answers.push(atoms.map(to_text).collect::<Vec<_>>().join(" "));
//!     ControlFlow::Continue(())
//! })?;
//! answers.sort();
//! assert_eq!(answers, ["color(1,green) color(2,red)", "color(1,red) color(2,green)"]);
//! # Ok::<(), asp_solve::Failure>(())
//! ```
//!
//! | file | contents |
//! |---|---|
//! | `solver.rs` | programs and solvers: loading, grounding, solving |
//! | `solve_mode.rs` | reasoning mode, optimisation and projection, from the solver's configuration |
//! | `incremental.rs` | the loop of incremental programs |
//! | `message.rs` | clingo's messages as values |
//! | `statement.rs` | statements as values, from clingo's syntax tree |
//! | `transform.rs` | rewriting of statements and programs |
//! | `changes.rs` | single changes of statements, for mutation testing |
//! | `arithmetic.rs` | warnings about arithmetic overflow in constant terms |
//! | `lexing.rs` | tests of the lexer against clingo's parser |
//! | `lints/` | warnings about programs that clingo accepts but that mean something else |
//! | `names.rs` | occurrences of predicates, functions, constants and variables in a text |
//! | `functions.rs` | the functions that programs may call as `@name(…)` |
//! | `repairs.rs` | suggestions for syntax errors |
//! | `ground.rs` | ground programs as values |
//! | `checker.rs` | the check that an interpretation is an answer set |
//! | `check.rs` | the same check, applied to each answer of a solver |
//! | `atoms.rs` | typed atoms of an answer, with errors that name the encoding |
//! | `costs.rs` | the costs of answers, in 64 bits |
//! | `ffi.rs` | all calls into C; how the unsound functions of the crate `clingo` are avoided |
//!
//! Ctrl-C and limits arrive through a [`CancelToken`](crate::stop::CancelToken), which ends solving
//! within a millisecond. clingo cannot interrupt grounding and parsing. To stop these, run the
//! solver in its own thread and exit the process at the limit ([`leave`]).

mod arithmetic;
mod atoms;
mod changes;
mod check;
mod checker;
mod costs;
#[allow(unsafe_code)]
mod ffi;
pub(crate) mod functions;
mod ground;
mod incremental;
#[cfg(test)]
mod lexing;
mod lints;
mod message;
mod names;
mod repairs;
mod solve_mode;
mod solver;
pub mod statement;
pub mod transform;

pub use crate::syntax::{self, Signature};
pub use atoms::{AnswerAtoms, AtomError, Term};
pub use changes::{Change, changes_of};
pub use check::AnswerChecker;
pub use checker::{AnswerCheck, Flaw, check_answer, is_answer_set};
pub use ffi::{
    CallError, Control, FunctionCall, GroundPart, Model, Order, SolveResult, StoredModel, Symbol, SymbolType, Truth,
    function, function_of, id_of, install_signal_handlers, is_output_closed, leave, main, note_failed_allocation,
    number, parse_term, signature_of, string, text_of, version,
};
pub use ground::{AspifStatement, GroundProgram, GroundRule, Observer};
pub use incremental::{
    FINAL_PART_DIRECTIVE, LoopEnd, LoopSummary, StepLimits, StopResult, is_incremental, solve_steps, solve_steps_by,
};
pub use lints::{LINTS, Lints};
pub use message::Message;
pub use names::{Name, NameKind, Names, Role};
pub use repairs::add_directive;
pub use solve_mode::{Optimisation, ReasoningMode, SolveMode};
pub use solver::{MAX_NESTING, Program, Settings, SolveOutcome, Solver, clingo_version, is_safe};
pub use statement::{ProgramPart, Statement, statements_of};
pub use transform::{ADDED_PREFIX, RewrittenProgram};

/// Returns the predicate of an atom.
pub fn predicate_of(atom: Symbol) -> Option<Signature> {
    let (is_positive, name, arity) = function_of(atom)?;
    Some(Signature { is_positive, ..Signature::new(name, arity) })
}

/// Returns true if rewriting has added the atom to the program.
pub fn is_added(atom: Symbol) -> bool {
    signature_of(atom).is_some_and(|(name, _)| name.starts_with(ADDED_PREFIX))
}

/// Returns true if the library accepts an option, such as `--seed=3`. Some options of the clingo
/// command are not options of the library.
pub fn accepts_option(option: &str) -> bool {
    let settings = Settings { options: vec![option.to_owned()], ..Settings::default() };
    Solver::new(&settings, &crate::stop::CancelToken::new()).is_ok()
}

/// Returns an atom whose arguments are natural numbers.
pub fn fact(name: &str, arguments: &[usize]) -> Option<Symbol> {
    let arguments: Vec<Symbol> = arguments.iter().map(|&argument| number(argument as i32)).collect();
    function(name, &arguments)
}

/// Formats a symbol as the clingo command prints it.
pub fn to_text(symbol: Symbol) -> String {
    let mut bytes = Vec::new();
    text_of(symbol, &mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Maximum nesting depth of a term, since clingo compares and prints terms recursively.
const MAX_DEPTH: usize = 50;
/// Maximum number of subterms of a term, each counted as often as it occurs.
const MAX_SUBTERMS: usize = 10_000;

/// Returns true if a term exceeds `MAX_DEPTH` or `MAX_SUBTERMS`.
pub fn is_deep(symbol: Symbol) -> bool {
    fn is_within(symbol: Symbol, depth: usize, left: &mut usize) -> bool {
        *left = left.saturating_sub(1);
        let within = depth > 0 && *left > 0;
        within && symbol.arguments().unwrap_or_default().into_iter().all(|inner| is_within(inner, depth - 1, left))
    }
    !is_within(symbol, MAX_DEPTH, &mut MAX_SUBTERMS.clone())
}

/// Formats a symbol with `…` for subterms beyond `MAX_DEPTH` or `MAX_SUBTERMS`. clingo prints
/// recursively, which may overflow the stack for deeper terms.
pub fn to_text_truncated(symbol: Symbol) -> String {
    fn shallow(symbol: Symbol, depth: usize, left: &mut usize) -> Option<Symbol> {
        let arguments = symbol.arguments().unwrap_or_default();
        if arguments.is_empty() {
            return Some(symbol);
        }
        *left = left.saturating_sub(1);
        if depth == 0 || *left == 0 {
            return function("…", &[]);
        }
        let (name, _) = signature_of(symbol)?;
        let arguments: Option<Vec<Symbol>> =
            arguments.into_iter().map(|inner| shallow(inner, depth - 1, left)).collect();
        function(name, &arguments?)
    }
    if is_deep(symbol) {
        shallow(symbol, MAX_DEPTH, &mut MAX_SUBTERMS.clone()).map_or_else(|| "…".to_owned(), to_text)
    } else {
        to_text(symbol)
    }
}

/// Sorts by clingo's term order. Items with deeply nested terms are not compared: they follow the
/// others in their original order.
pub fn sort_by_symbols<T, K: Ord>(items: &mut Vec<T>, is_deep: impl Fn(&T) -> bool, key: impl Fn(&T) -> K) {
    let (mut shallow, deep): (Vec<T>, Vec<T>) = std::mem::take(items).into_iter().partition(|item| !is_deep(item));
    shallow.sort_by_cached_key(key);
    *items = shallow;
    items.extend(deep);
}
