//! Tests of the command line: options, formats, limits, batches and invalid input.

mod bad_input;
mod batch;
mod clingo_command;
mod command_line;
mod count;
mod examples;
mod formats;
mod json_keys;
pub mod limits;
mod merge;
mod options;
mod output;
pub mod packaging;
mod robustness;
mod selection;
mod split;
pub mod watch;
