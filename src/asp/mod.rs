//! The one place that knows clingo.
//!
//! A [`Program`] is texts and facts; a [`Solver`] takes one, grounds it and hands out its answers one by one, without
//! storing them. Whatever clingo has to say on the way becomes a [`Message`] with file and range.
//!
//! ```
//! use std::ops::ControlFlow;
//!
//! use asp_solve::asp::{Order, Program, Settings, Solver, to_text};
//! use asp_solve::document::Document;
//! use asp_solve::stop::Stop;
//!
//! let text = Document::in_memory("colours", "1 { color(N, (red; green)) } 1 :- N = 1..2. :- color(1, C), color(2, C).");
//! let program = Program::of([text]);
//! let mut solver = Solver::with_program(&program, &Settings { models: Some(0), ..Settings::default() }, &Stop::new())?;
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
//! | file | what it holds |
//! |---|---|
//! | `solver.rs` | a program from its texts to its answers |
//! | `question.rs` | what was asked, as the solver's configuration has it |
//! | `incremental.rs` | the loop of programs in steps |
//! | `message.rs` | clingo's messages as values |
//! | `statement.rs` | statements as values, from clingo's own syntax tree |
//! | `transform.rs` | statements and programs that are written anew |
//! | `changes.rs` | what of a statement can be left out or turned round |
//! | `arithmetic.rs` | what clingo would not survive |
//! | `lexing.rs` | tests of the lexer against clingo's parser |
//! | `lints/` | warnings about programs that clingo accepts but that mean something else |
//! | `names.rs` | where a text names predicates, constants and variables |
//! | `functions.rs` | the functions that programs may call |
//! | `repairs.rs` | what to write instead of what clingo does not take |
//! | `ground.rs` | a ground program as a value |
//! | `checker.rs` | whether an interpretation is an answer set |
//! | `check.rs` | answers checked while they are found |
//! | `atoms.rs` | typed atoms of an answer, with errors that name the encoding |
//! | `costs.rs` | what answers cost, in 64 bits |
//! | `ffi.rs` | all calls into C; how the crate's unsound corners are avoided |
//!
//! Ctrl-C and limits come in through [`Stop`](crate::stop::Stop). Solving ends within a millisecond of it. Grounding and
//! parsing cannot be interrupted inside clingo: who must end there runs the solver in a thread of its own and leaves the
//! process when the limit has come ([`leave`]).

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
mod question;
mod repairs;
mod solver;
pub mod statement;
pub mod transform;

pub use crate::syntax::{self, Signature};
pub use atoms::{AnswerAtoms, AtomError, Term};
pub use changes::{Change, changes_of};
pub use check::Check;
pub use checker::{Checked, Flaw, check_answer, is_answer_set};
pub use ffi::{
    Call, CallError, Control, Known, Model, Order, Part, SolveResult, Symbol, SymbolType, Truth, function, function_of,
    id_of, is_output_closed, leave, main, mind_signals, note_failed_allocation, number, parse_term, signature_of,
    string, text_of, version,
};
pub use ground::{Ground, GroundRule, Observer, Piece};
pub use incremental::{BEHIND_ALL, LoopEnd, Steps, StepsEnd, Until, is_incremental, solve_steps, solve_steps_by};
pub use lints::{Lints, NAMES as LINTS};
pub use message::Message;
pub use names::{Name, Names, Role, What};
pub use question::{Mode, Optimisation, Question};
pub use solver::{MAX_NESTING, Program, Settings, Solved, Solver, clingo_version, is_safe};
pub use statement::{ProgramPart, Statement, statements_of};
pub use transform::{ADDED, Rewritten};

/// The predicate of an atom.
pub fn predicate_of(atom: Symbol) -> Option<Signature> {
    let (is_positive, name, arity) = function_of(atom)?;
    Some(Signature { is_positive, ..Signature::new(name, arity) })
}

/// Whether an atom was added to the program by rewriting it.
pub fn is_added(atom: Symbol) -> bool {
    signature_of(atom).is_some_and(|(name, _)| name.starts_with(ADDED))
}

/// Whether the library takes an option, such as `--seed=3`; not all that the clingo command takes are the library's.
pub fn takes_option(option: &str) -> bool {
    let settings = Settings { options: vec![option.to_owned()], ..Settings::default() };
    Solver::new(&settings, &crate::stop::Stop::new()).is_ok()
}

/// An atom whose arguments are natural numbers.
pub fn fact(name: &str, arguments: &[usize]) -> Option<Symbol> {
    let arguments: Vec<Symbol> = arguments.iter().map(|&argument| number(argument as i32)).collect();
    function(name, &arguments)
}

/// A symbol as the clingo command prints it.
pub fn to_text(symbol: Symbol) -> String {
    let mut bytes = Vec::new();
    text_of(symbol, &mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Terms may not nest deeper, since clingo compares and prints them by recursion.
const DEEPEST: usize = 50;
/// The same of terms with more subterms, each counted as often as it occurs.
const LARGEST: usize = 10_000;

/// Whether a term is too deep or too large to be read.
pub fn is_deep(symbol: Symbol) -> bool {
    fn is_within(symbol: Symbol, depth: usize, left: &mut usize) -> bool {
        *left = left.saturating_sub(1);
        let within = depth > 0 && *left > 0;
        within && symbol.arguments().unwrap_or_default().into_iter().all(|inner| is_within(inner, depth - 1, left))
    }
    !is_within(symbol, DEEPEST, &mut LARGEST.clone())
}

/// A symbol with `…` for what is deeper or more than anybody reads: clingo prints by recursion, for which a stack may be too
/// small.
pub fn brief(symbol: Symbol) -> String {
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
    match is_deep(symbol) {
        true => shallow(symbol, DEEPEST, &mut LARGEST.clone()).map_or_else(|| "…".to_owned(), to_text),
        false => to_text(symbol),
    }
}

/// What comes first in the order of clingo, where that can be told by a look; deep terms stay as they are, behind the others.
pub fn sort_by_symbols<T, K: Ord>(items: &mut Vec<T>, is_deep: impl Fn(&T) -> bool, key: impl Fn(&T) -> K) {
    let (mut shallow, deep): (Vec<T>, Vec<T>) = std::mem::take(items).into_iter().partition(|item| !is_deep(item));
    shallow.sort_by_cached_key(key);
    *items = shallow;
    items.extend(deep);
}
