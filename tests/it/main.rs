//! Tests of the command and of the library. Their folders correspond to the crates and the
//! commands.

// Uses the allocator of the command in tests that call the library.
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
#[global_allocator]
static ALLOCATOR: ::asp::objects::Allocator = ::asp::objects::Allocator;

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
