//! The language server: what an editor says, as values, and what is answered. The command reads and writes for it.
//!
//! ```text
//!   editor ── message ──> Server ── Effect ──> messages back; a program to be checked; a command to be run
//!                           ▲                         │
//!                           └── what came of it ──────┘
//! ```
//!
//! Names are looked up in the texts as they are at that moment. What needs grounding is asked of another process ([`check()`]),
//! which the next keystroke ends.
//!
//! | file | what it holds |
//! |---|---|
//! | `server.rs` | messages, open texts, diagnostics |
//! | `text.rs` | a text: positions, its header, the files that it names |
//! | `workspace.rs` | which texts make a program |
//! | `check.rs` | what there is to say of a program |
//! | `navigation.rs` | definitions, references, new names, sections |
//! | `hover.rs` | what is known of a name; how a word may go on |
//! | `format.rs` | white space as the shipped files have it |
//! | `actions.rs` | what to do: lenses, and changes that a message proposes |

mod actions;
mod check;
mod format;
mod hover;
mod navigation;
mod server;
mod text;
mod workspace;

pub use check::{Answer, Chosen, Request, check};
pub use format::formatted;
pub use server::{Effect, Run, Server};
pub use workspace::Files;
