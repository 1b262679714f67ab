//! What a puzzle is, and the path of a board from a job to a report.
//!
//! An author implements the traits of `api.rs` with the puzzle's types; a blanket implementation
//! turns a [`Puzzle`] into an [`AnyPuzzle`], which the command uses independently of the puzzle.
//! Puzzles whose answer is an optimal plan from a board to a goal implement the smaller trait
//! [`one_player::OnePlayer`]. No puzzle is named here: a [`Registry`] is filled by the program that
//! uses it.
//!
//! ```text
//!   job                                    the request for a run
//!   entry                                  AnyPuzzle of a Puzzle
//!   planner, engines, playing, line        what one-player puzzles share
//!   one_player                             the trait of one-player puzzles
//!   puzzle_report, reasons, native, rate   what puzzles share
//!   pipeline                               open, solve, check, sort, verify
//!   recognise, registry                    the puzzle of a text, among those that a run knows
//!   api                                    what a puzzle is
//!   tool, options, report, rules           commands, options, reports, encodings
//! ```

#![forbid(unsafe_code)]

pub mod answer_sets;
pub mod any_result;
pub mod api;
pub mod cause;
pub mod cells;
pub mod certifying;
pub mod closing;
pub mod engines;
pub mod entry;
pub mod format;
pub mod generated;
pub mod heuristic;
pub mod job;
pub mod json;
pub mod line;
pub mod native;
pub mod native_answers;
pub mod one_player;
pub mod options;
pub mod pipeline;
pub mod planner;
pub mod playing;
pub mod program;
pub mod puzzle_report;
pub mod rate;
pub mod reasons;
pub mod recognise;
pub mod registry;
pub mod report;
pub mod report_slot;
pub mod rules;
pub mod saved;
pub mod tool;
pub mod values;

pub use any_result::AnyRunResult;
pub use api::{
    About, AnswerSink, AnyPuzzle, Capabilities, ClingoProgram, CountSolutions, Describe, Draw, DrawGraph, EngineOption,
    Explain, InputDocuments, InstanceUnit, OpenBoard, Playable, Puzzle, PuzzleFile, Role, RuleSupport, RunProof,
    RunResult, Table, Tabulate,
};
pub use api::{document_names, only_document, place_of_fact};
pub use cause::UnsolvableCause;
pub use format::Format;
pub use native::{PathProof, finish_all};
pub use options::OptionDeclaration;
pub use pipeline::{Run, ignored_option, name_of, reads_encodings, require_format, unsupported_rules};
pub use program::{EnumMode, ProgramOptions};
pub use recognise::{annotate_guess, recognise, roles};
pub use registry::{InputTexts, Recogniser, Recognition, Registry};
pub use rules::{BuiltinFile, Encoding};
pub use tool::{AnyRun, Console, Tool, ToolInput, ToolOutput};
