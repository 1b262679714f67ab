//! Minesweeper: possible mines, their probabilities, explanations, and play.
//!
//! [`Minesweeper`] implements the traits of the crate `puzzle`. Its own engine counts the layouts of
//! mines exactly; clingo (crate `asp`) answers the same questions by a logic program, and a third
//! program checks what is certain. [`play`] has a bot, and [`window`] lets it play other programs.
//!
//! A bot can compute the probabilities of a [`KnownPosition`](position::KnownPosition) directly:
//!
//! ```
//! use minesweeper::count::Budget;
//! use minesweeper::grid::{Cell, Grid};
//! use minesweeper::position::KnownPosition;
//! use minesweeper::probability::likelihood;
//!
//! let grid = Grid { rows: 16, columns: 30 };
//! let mut position = KnownPosition::closed(grid, Some(99));
//! position.cells[grid.cell(7, 7)] = Cell::Open(2);
//! let likelihood = likelihood(&position, &Budget::unlimited()).expect("no limit").expect("some layout fits");
//! assert_eq!(likelihood.probabilities[grid.cell(7, 8)], 2.0 / 8.0);
//! assert_eq!(likelihood.probabilities[grid.cell(0, 0)], 97.0 / 471.0);
//! ```
//!
//! | file | contents |
//! |---|---|
//! | `grid.rs`, `position.rs` | the grid and its cells; the visible board |
//! | `board.rs`, `board_reader.rs` | boards, and reading them from text or facts |
//! | `adjacency.rs`, `neighbors.rs` | neighbourhoods: king, torus, knight, hexagons, custom |
//! | `encodings.rs` | the built-in encodings |
//! | `text_board.rs`, `replay.rs` | text formats of boards, and saved games of other programs |
//! | `obvious.rs`, `pattern.rs`, `probability.rs` | the three stages: single numbers, windows, the whole board |
//! | `frontier.rs`, `elimination.rs`, `count.rs`, `coupling.rs`, `weight.rs` | counting layouts |
//! | `sample.rs` | drawing a layout at random |
//! | `partial.rs` | certain cells of boards that cannot be counted |
//! | `layouts.rs` | enumerating few layouts |
//! | `conflict.rs`, `explain.rs` | minimal conflicts and reasons |
//! | `backtracking.rs`, `recheck.rs` | an independent check |
//! | `clingo.rs`, `certify.rs` | the engine `asp`, and certificates |
//! | `solve.rs`, `proof.rs` | running an engine, and why no layout exists |
//! | `puzzle_impl.rs` | the implementation of `Puzzle` |
//! | `why.rs` | explanations: contradictions, decided and undecided cells, guesses |
//! | `answer.rs`, `text.rs` | the answer, its check, and its output |
//! | `play/` | the game, and the bot |
//! | `session.rs` | playing by hand |
//! | `window/` | the bot at another program's window |
//! | `generate.rs` | boards, and boards that need no guess |

#![forbid(unsafe_code)]

pub mod adjacency;
mod answer;
mod backtracking;
pub mod board;
mod board_reader;
mod certify;
mod clingo;
mod conflict;
pub mod count;
mod coupling;
mod elimination;
mod encodings;
pub mod explain;
mod frontier;
mod generate;
pub mod grid;
mod layouts;
mod neighbors;
mod obvious;
mod partial;
mod pattern;
pub mod play;
pub mod position;
pub mod probability;
mod proof;
mod puzzle_impl;
mod recheck;
mod replay;
mod sample;
mod session;
mod solve;
mod text;
mod text_board;
mod weight;
mod why;
#[cfg(feature = "window")]
pub mod window;

pub use answer::Answer;
pub use board::Board;
pub use conflict::Conflict;
pub use proof::Proof;
pub use solve::MinesweeperEngine;

#[derive(Debug, Clone, Copy)]
pub struct Minesweeper;
