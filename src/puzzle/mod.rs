//! Puzzles: what they are, the path from a job to a report, and a folder for each native puzzle.
//!
//! An author implements the traits of `api.rs` with the puzzle's types; a blanket implementation
//! turns a [`Puzzle`] into an [`AnyPuzzle`], which the command uses independently of the puzzle. A
//! new puzzle is a file in `asp/puzzles/`, without a line of Rust ([`logic`]); a puzzle that native
//! code solves or draws is a folder here and a line in `builtin.rs`. Puzzles whose answer is an
//! optimal plan from a board to a goal implement the smaller trait [`one_player::OnePlayer`].
//!
//! ```text
//!   builtin                                the built-in puzzles
//!   facade, entry                          library functions; AnyPuzzle of a Puzzle
//!   rail, minesweeper, taquin, ..., logic  the puzzles
//!   planner, engines, playing, line        what one-player puzzles share
//!   one_player                             the trait of one-player puzzles
//!   puzzle_report, reasons, native, rate   what puzzles share
//!   pipeline                               open, solve, check, sort, verify
//!   recognise, registry                    the puzzle of a text, among those that a run knows
//!   api                                    what a puzzle is
//!   tool, report, rules                    commands, reports, encodings
//! ```

pub mod amphipod;
pub mod answer_sets;
mod any_result;
mod api;
pub mod builtin;
mod cause;
mod cells;
mod certifying;
mod closing;
mod engines;
mod entry;
mod facade;
pub mod game;
mod generated;
mod heuristic;
mod json;
mod line;
pub mod logic;
pub mod minesweeper;
mod native;
mod native_answers;
pub mod one_player;
mod options;
mod pipeline;
mod planner;
pub mod planning;
mod playing;
mod program;
mod puzzle_report;
pub mod rail;
mod rate;
mod reasons;
mod recognise;
mod registry;
pub mod report;
pub mod report_slot;
mod rules;
mod saved;
pub mod taquin;
mod tool;
mod values;

pub use any_result::AnyRunResult;
pub use api::{
    About, AnswerSink, AnyPuzzle, Capabilities, ClingoProgram, CountSolutions, Describe, Draw, DrawGraph, EngineOption,
    Explain, InputDocuments, InstanceUnit, OpenBoard, Playable, Puzzle, PuzzleFile, Role, RuleSupport, RunProof,
    RunResult, Table, Tabulate,
};
pub(crate) use api::{document_names, only_document, place_of_fact};
pub use cause::UnsolvableCause;
pub use facade::{Difficulty, GenerateRequest, all_hints, check, generate, generator, hint, solve, solve_each, why};
pub use logic::is_link_or_id as is_inline_instance;
pub use native::{PathProof, finish_all};
pub use options::OptionDeclaration;
pub use pipeline::{Run, ignored_option, name_of, reads_encodings, require_format, unsupported_rules};
pub use planning::STEPS;
pub use program::{EnumMode, ProgramOptions};
pub use recognise::{annotate_guess, recognise, roles};
pub use registry::{InputTexts, Recogniser, Recognition, Registry};
pub use rules::{BuiltinFile, Encoding};
pub use tool::{AnyRun, Console, Tool, ToolInput, ToolOutput};
