//! Pencil puzzles, each a logic program.

mod addresses;
mod blamed_clues;
mod boards;
mod explained_puzzles;
mod generated_boards;
mod links;
mod mutants;
mod notations;
mod pictures;
mod puzzles;
mod samples;
mod sheets;
mod signs;
mod variants;
