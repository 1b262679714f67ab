//! The program from outside, and clingo's driver from inside.

mod support;

mod snapshots;
mod encodings;
mod bad_input;
mod limits;
mod program_runs;
mod clingo_driver;
mod unsound_corners;
mod rail_deponia;
mod rail_engines;
mod nothing_panics;
