//! Tests of logic programs: the driver of clingo, the checks of its results, and the built-in files
//! in `asp/`.

pub mod answer_set_checker;
mod clingo_driver;
mod costs;
mod drawn_answers;
mod encodings;
mod lints;
mod notices;
mod custom_rules;
mod program_runs;
mod steps;
mod ffi_regressions;
