//! Puzzles that are logic programs.

pub mod board;
mod codecs;
pub mod game_id;
pub mod link;
mod steps;
