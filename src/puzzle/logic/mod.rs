//! Puzzles that are logic programs.

pub mod board;
pub mod codecs;
pub mod game_id;
pub mod link;
pub mod steps;
pub mod text;
