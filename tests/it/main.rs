//! The program from outside, and clingo's driver from inside.

mod support;

mod amphipod;
mod bad_input;
mod batch;
mod browser;
mod clingo_driver;
mod encodings;
mod figures;
mod game;
mod limits;
mod merge;
mod minesweeper;
mod minesweeper_variants;
mod minesweeper_wide;
mod notations;
mod nothing_panics;
mod output;
mod own_rules;
mod program_runs;
mod rail_deponia;
mod rail_engines;
mod rail_expanded;
mod rail_generator;
mod rail_pictures;
mod rail_repair;
mod rail_terms;
mod search_engines;
mod snapshots;
mod taquin;
mod unsound_corners;
mod watch;
mod window;
