//! What most other crates use: texts with positions, diagnostics, words and cancellation.
//!
//! A [`Document`](document::Document) is a text that a user gave. Errors about it are
//! [`Diagnostic`](diagnostic::Diagnostic)s: a stable code, a message, and places as lines and columns;
//! a [`Failure`](diagnostic::Failure) is a list of them. A [`CancelToken`](stop::CancelToken) ends a
//! computation from another thread, with a [`StopReason`](stop::StopReason). Nothing here calls clingo
//! or knows a puzzle, and nothing reads files or prints.
//!
//! ```
//! use base::diagnostic::{Code, Diagnostic, Place};
//!
//! let text = "p :- q.\nr <- p.";
//! let place = Place::of_range("rules.lp", text, 10..12);
//! let warning = Diagnostic::warning(Code::Arrow, "`<-` is a comparison").at(Some(place));
//! assert_eq!(warning.json()["line"], 2);
//! assert_eq!(warning.json()["column"], 3);
//! ```
//!
//! | module | contents |
//! |---|---|
//! | [`document`] | a text that a user gave, with its name |
//! | [`lines`] | lines and columns of a text |
//! | [`syntax`] | the lexer of logic programs, and readers for numbers and names |
//! | [`diagnostic`] | messages with codes, places and fixes |
//! | [`underlined`] | messages with the underlined source they are about |
//! | [`ending`] | the end of a run: verdict, proof and warnings |
//! | [`stop`] | tokens that cancel a run, and the reasons |
//! | [`style`] | the style of text output |
//! | [`words`] | numbers, sizes and names in sentences |
//! | [`sorting`] | sorting that is compiled once |

#![forbid(unsafe_code)]

pub mod diagnostic;
pub mod document;
pub mod ending;
pub mod lines;
pub mod sorting;
pub mod stop;
pub mod style;
pub mod syntax;
pub mod underlined;
pub mod words;
