//! The language server as a pure state machine: messages in, effects out. The command does its
//! input and output.
//!
//! ```text
//!   editor ── message ──> Server ── Effect ──> responses; a program to check; a command to run
//!                           ▲                         │
//!                           └──────── results ────────┘
//! ```
//!
//! Names are looked up in the current texts. Checks that need grounding are delegated to another
//! process ([`check()`]), which the next keystroke kills.
//!
//! | file | content |
//! |---|---|
//! | `server.rs` | messages, open texts, diagnostics |
//! | `state.rs` | the state of an open text |
//! | `text.rs` | a text: positions, its header, the files that it names |
//! | `workspace.rs` | which texts make up a program |
//! | `check.rs` | checks of a program |
//! | `navigation.rs` | definitions, references, renames, sections |
//! | `hover.rs` | hover texts and completions |
//! | `format.rs` | formatting |
//! | `actions.rs` | code lenses and quick fixes |
//!
//! `examples/diagnostics.rs` opens a program in memory and prints its diagnostics.

#![forbid(unsafe_code)]

mod actions;
mod check;
mod format;
mod hover;
mod navigation;
mod server;
mod state;
mod text;
mod workspace;

pub use check::{BoardProgram, CheckReport, Request, check};
pub use format::formatted;
pub use server::{CommandRun, Effect, Server};
pub use text::plain_name;
pub use workspace::Files;
