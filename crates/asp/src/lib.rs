//! The interface to clingo; no other crate calls it.
//!
//! A [`Program`] consists of texts and facts. A [`Solver`] loads a program, grounds it and reports
//! its answers one by one, without storing them. Messages of clingo become [`Message`]s with file
//! and range.
//!
//! ```
//! use std::ops::ControlFlow;
//!
//! use asp::{Order, Program, Settings, Solver, to_text};
//! use base::document::Document;
//! use base::stop::CancelToken;
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
//! # Ok::<(), base::diagnostic::Failure>(())
//! ```
//!
//! | file | contents |
//! |---|---|
//! | `symbols.rs` | symbols as text, predicates of atoms |
//! | `program.rs` | programs: their texts, facts and parts |
//! | `settings.rs` | options of solvers and lints |
//! | `outcome.rs` | outcomes of searches |
//! | `solver.rs` | solvers: loading, grounding, solving |
//! | `solve_mode.rs` | reasoning mode, optimisation and projection, from the solver's configuration |
//! | `incremental.rs` | the loop of incremental programs |
//! | `message.rs` | clingo's messages as values |
//! | `tree.rs` | syntax trees of statements as values |
//! | `print.rs` | syntax trees as text |
//! | `statement.rs` | the statements of a program |
//! | `transform.rs` | rewriting of statements and programs |
//! | `changes.rs` | single changes of statements, for mutation testing |
//! | `arithmetic.rs` | warnings about arithmetic overflow in constant terms |
//! | `lexing.rs` | tests of the lexer against clingo's parser |
//! | `lints/` | warnings about programs that clingo accepts but that mean something else |
//! | `names.rs` | occurrences of predicates, functions, constants and variables in a text |
//! | `functions.rs` | the functions that programs may call as `@name(…)` |
//! | `repairs.rs` | suggestions for syntax errors |
//! | `observation.rs` | ground programs as values, observed during grounding |
//! | `ground_text.rs` | ground programs as texts |
//! | `check.rs` | the check that each answer of a solver is an answer set |
//! | `atoms.rs` | typed atoms of an answer, with errors that name the encoding |
//! | `costs.rs` | the costs of answers, in 64 bits |
//! | `maximized.rs` | the priorities that a program maximises |
//! | `ffi.rs`, `ffi/` | all calls into C; how the unsound functions of the crate `clingo` are avoided |
//! | `memory.rs`, `objects.rs` | files as memory; the memory allocator |
//! | `wasm.rs` | polls and requests, where there are no threads |
//!
//! Ctrl-C and limits arrive through a [`CancelToken`](base::stop::CancelToken), which ends solving
//! within a millisecond. clingo cannot interrupt grounding and parsing. To stop these, run the
//! solver in its own thread and exit the process at the limit ([`leave`]).

mod arithmetic;
mod atoms;
mod changes;
mod check;
mod costs;
#[allow(unsafe_code)]
mod ffi;
pub mod functions;
pub mod ground_text;
mod incremental;
#[cfg(test)]
mod lexing;
mod lints;
mod maximized;
#[allow(unsafe_code)]
pub mod memory;
mod message;
mod names;
// `objects` replaces `new` and `delete` of C++. Their mangled names differ on 32-bit targets.
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
#[allow(unsafe_code)]
pub mod objects;
mod observation;
mod outcome;
mod print;
mod program;
mod repairs;
mod settings;
mod solve_mode;
mod solver;
pub mod statement;
mod symbols;
pub mod transform;
pub mod tree;
#[cfg(target_family = "wasm")]
#[allow(unsafe_code)]
pub mod wasm;

pub use atoms::{AnswerAtoms, AtomError, Term};
pub use base::syntax::{self, Signature};
pub use changes::{Change, changes_of};
pub use check::AnswerChecker;
pub use ffi::{
    CallError, Control, FunctionCall, GroundPart, Model, Order, SolveResult, StoredModel, Symbol, SymbolType, function,
    function_of, id_of, install_signal_handlers, is_output_closed, leave, main, note_failed_allocation, number,
    parse_term, set_thread_stack, signature_of, string, text_of, version,
};
pub use incremental::{StepLimits, StopResult, solve_steps, solve_steps_by};
pub use lints::Lints;
pub use maximized::MaximizedPriorities;
pub use message::{MAY_END_EARLY, Message};
pub use names::{Name, NameKind, Names, Role};
pub use observation::{AspifStatement, Observer};
pub use outcome::{LoopEnd, LoopSummary, SolveOutcome};
pub use program::{FINAL_PART_DIRECTIVE, Program, is_incremental};
pub use repairs::add_directive;
pub use settings::{LINTS, Settings};
pub use solve_mode::{ReasoningMode, SolveMode};
pub use solver::{MAX_NESTING, Solver, clingo_version, is_safe};
pub use statement::{ProgramPart, Statement, statements_of};
pub use symbols::{ADDED_PREFIX, fact, is_added, is_deep, predicate_of, sort_by_symbols, to_text, to_text_truncated};
pub use transform::RewrittenProgram;
