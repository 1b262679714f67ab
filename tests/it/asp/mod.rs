//! Tests of logic programs: the driver of clingo, the checks of its results, and the built-in files
//! in `asp/`.

pub mod answer_set_checker;
mod clingo_driver;
mod costs;
mod custom_rules;
mod drawn_answers;
mod encodings;
mod ffi_regressions;
mod lints;
mod notices;
mod program_runs;
mod steps;
