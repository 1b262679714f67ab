//! The program from outside, and clingo's driver from inside. Folders are named after rooms of the library and commands.

// Tests that call the library make their objects as the command does.
#[cfg(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64"))]
#[path = "../../src/objects.rs"]
mod objects;

mod asp;
mod author;
mod certificates;
mod cli;
mod drawing;
mod house;
mod logic;
mod lsp;
mod minesweeper;
mod native_engine;
mod one_player;
mod rail;
mod snapshots;
mod studio;
mod support;
mod why;
