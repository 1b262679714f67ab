//! What most other crates use: texts with positions, diagnostics, words and cancellation.
//!
//! | module | contents |
//! |---|---|
//! | [`document`] | a text that a user gave, with its name |
//! | [`lines`] | lines and columns of a text |
//! | [`syntax`] | the lexer of logic programs, and analyses of their tokens |
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
