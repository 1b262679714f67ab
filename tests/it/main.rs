//! The program from outside, and clingo's driver from inside.

mod support;

mod bad_input;
mod clingo_driver;
mod encodings;
mod limits;
mod nothing_panics;
mod program_runs;
mod rail_deponia;
mod rail_engines;
mod snapshots;
mod unsound_corners;
