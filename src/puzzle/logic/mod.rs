//! Puzzles that are logic programs.

pub mod board;
