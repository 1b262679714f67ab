//! The path from a job to a report, and the traits that a puzzle implements.
//!
//! A [`Job`](job::Job) is a request: documents, a question, limits, an output format. A puzzle opens
//! it as a [`Run`] with a parsed board and an engine. The run solves, checks each answer by the
//! puzzle's rules, verifies all other claims, and renders a report. No puzzle is in this crate: the
//! crates `pencil`, `rail`, `minesweeper`, `paths` and `games` are built on it, and the command
//! registers them.
//!
//! A puzzle implements the traits of `api.rs` with types of its own; a blanket implementation turns
//! a [`Puzzle`] into an [`AnyPuzzle`], which the command uses independently of the puzzle. Puzzles
//! whose answer is an optimal plan from a board to a goal implement the smaller trait
//! [`one_player::OnePlayer`], as `examples/stairs.rs` does. A new pencil puzzle needs no Rust: it is
//! a file in `asp/puzzles/`.
//!
//! From the top down, a file imports only lower ones:
//!
//! ```text
//!   entry                                   AnyPuzzle of a Puzzle
//!   planner, engines, playing, line         play, the engine `asp` and the text of one-player puzzles
//!   one_player, generated                   the trait of one-player puzzles; their generated boards
//!   program, native_answers                 logic programs: options, search, streamed answers
//!   typed_answers                           the answers of a run, rendered on demand
//!   puzzle_report, reasons, native, rate    what puzzles share
//!   pipeline                                open, solve, check, sort, verify
//!   recognise, registry                     the puzzle of a text, among those that a run knows
//!   api                                     what a puzzle is
//!   sampling, diversity                     answers that are drawn at random; answers that differ
//!   counting, splitting                     the number of answers of a logic program; its search in parts
//!   observed                                ground programs for other solvers than clingo
//!   certifying, cause                       certificates; why there is no solution
//!   tool, options, report_slot              commands and their options; the report of a running search
//!   any_answers                             answers without types
//!   answer_sets, closing, costs, report     answer sets in clingo's formats; what clingo has proven
//!   rules, job, any_result                  encodings, requests, results without types
//!   selection                               which answers are reported
//!   merging, merged_counts                  the results of the parts of a search
//!   cubes                                   a part of a search
//!   example, saved, cells, json, values     embedded boards; notations of boards and options
//! ```

#![forbid(unsafe_code)]

pub mod answer_sets;
pub mod any_answers;
pub mod any_result;
pub mod api;
pub mod cause;
pub mod cells;
pub mod certifying;
pub mod closing;
pub mod costs;
pub mod counting;
pub mod cube_session;
pub mod cubes;
pub mod diversity;
pub mod engines;
pub mod entry;
pub mod example;
pub mod format;
pub mod generated;
pub mod heuristic;
pub mod job;
pub mod json;
pub mod line;
pub mod merged_counts;
pub mod merging;
pub mod native;
pub mod native_answers;
pub mod observed;
pub mod one_player;
pub mod options;
pub mod pipeline;
pub mod planner;
pub mod playing;
pub mod program;
pub mod proof_chain;
pub mod puzzle_report;
pub mod rate;
pub mod reasons;
pub mod recognise;
pub mod registry;
pub mod report;
pub mod report_slot;
pub mod rules;
pub mod sampling;
pub mod saved;
pub mod selection;
pub mod splitting;
pub mod tool;
pub mod typed_answers;
pub mod values;

pub use any_answers::{AnyAnswers, CandidateAnswer};
pub use any_result::AnyRunResult;
pub use api::{
    About, AnswerSink, AnyPuzzle, Capabilities, ClingoProgram, CountSolutions, CountedProgram, Describe, Draw,
    DrawGraph, EngineOption, Explain, InputDocuments, InstanceUnit, OpenBoard, Playable, Puzzle, PuzzleFile, Role,
    RuleSupport, RunProof, RunResult, Table, Tabulate,
};
pub use api::{document_names, only_document, place_of_fact};
pub use cause::UnsolvableCause;
pub use example::Example;
pub use format::Format;
pub use native::{PathProof, finish_all};
pub use options::OptionDeclaration;
pub use pipeline::{Run, ignored_option, name_of, reads_encodings, require_format, unsupported_rules};
pub use program::{EnumMode, ProgramOptions};
pub use recognise::{annotate_guess, recognise, roles};
pub use registry::{InputTexts, Recogniser, Recognition, Registry};
pub use rules::{BuiltinFile, Encoding};
pub use selection::{DiversitySummary, SampleSummary, Selection, SelectionSummary};
pub use tool::{AnyRun, Console, Tool, ToolInput, ToolOutput};
