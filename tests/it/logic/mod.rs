//! Pencil puzzles, each a logic program.

mod addresses;
mod blamed_clues;
mod boards;
mod boards_of_all_types;
mod catalogues;
mod explained_puzzles;
mod files;
mod generated_boards;
mod html_pages;
mod links;
mod mutants;
mod notations;
mod penpa;
mod pictures;
mod puzzles;
mod samples;
mod signs;
pub mod types;
mod variants;
