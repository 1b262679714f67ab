//! The taquin: tiles in a frame with one free cell, to be slid into order in the fewest moves.
//!
//! | file | what it holds |
//! |---|---|
//! | `board.rs` | a board as it is written, and what can be wrong with one |
//! | `shape.rs` | the frame, and boards packed in a word |
//! | `space.rs` | the taquin as a space to search |
//! | `automaton.rs` | sequences of moves that need not be followed |
//! | `manhattan.rs`, `linear_conflict.rs`, `walking_distance.rs` | heuristics that are reckoned out |
//! | `pattern.rs` | pattern databases; `direct.rs` and `additive.rs`: the heuristics over them; `tables.rs`: which, and from where |
//! | `pages.rs` | large tables in large pages |
//! | `solve.rs` | which search, with which heuristic |
//! | `grounded.rs` | the engine `asp` |
//! | `text.rs` | the output for a person |

mod additive;
#[cfg(test)]
mod admissible;
mod automaton;
mod board;
mod direct;
mod grounded;
mod linear_conflict;
mod manhattan;
mod pages;
mod pattern;
mod shape;
mod solve;
mod space;
mod tables;
mod text;
mod walking_distance;

use std::cmp::Ordering;

use clap::{Args, ValueEnum};
use serde::Serialize;
use serde_json::json;

use super::{About, Encoding, Found, Puzzle, Query, Role, native};
use crate::asp;
use crate::diagnostic::{Diagnostic, Failure};
use crate::document::{Document, Notation};
use crate::ending::{Ending, Verdict};
use crate::picture::Picture;
use crate::report::{Format, Style};
pub use board::Board;
pub use tables::Size;

#[derive(Debug, Clone, Copy)]
pub struct Taquin;

const SLIDING: Encoding =
    Encoding { name: "sliding", path: "taquin/sliding.lp", text: include_str!("../../../asp/taquin/sliding.lp") };

#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Options for taquin")]
pub struct Options {
    /// What cuts the search
    #[arg(long, value_name = "NAME", value_enum, default_value_t)]
    pub heuristic: Heuristic,
    /// How large the pattern databases may be
    #[arg(long, value_name = "SIZE", value_enum, default_value_t)]
    pub tables: Size,
    /// A good solution at once, with the proof how far from the best it may be
    #[arg(long)]
    pub quick: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Heuristic {
    /// The best one for the board
    #[default]
    Auto,
    Manhattan,
    LinearConflict,
    WalkingDistance,
    /// Additive pattern databases
    Pdb,
}

/// The cells whose tiles go to the free cell, one after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Way(pub Vec<u16>);

const ENGINES: &[&str] = &["idastar", "astar", "ids", "bfs", "asp"];

impl Puzzle for Taquin {
    type Options = Options;
    type Board = Board;
    type Answer = Way;

    fn about(&self) -> About {
        About {
            name: "taquin",
            summary: "the 15-puzzle and its kin: tiles slid into order in the fewest moves",
            input: "rows of numbers, one free cell (0, ., _ or x)",
            encodings: &[SLIDING],
            engines: ENGINES,
            has_options_for_answer_sets: false,
            fits_a_line: true,
            pictures: &[Format::Svg, Format::Html],
        }
    }

    fn recognise(&self, document: &Document) -> Role {
        if document.notation() == Notation::Program && board::looks_like_a_board(&document.text) {
            return Role::Instance;
        }
        Role::Neither
    }

    fn parse(&self, query: &Query<'_, Options>) -> Result<Board, Failure> {
        let document = super::only_document("taquin", query)?;
        Board::parse(document, query.request.is_batch)
    }

    fn engine(&self, _: &Board, query: &Query<'_, Options>) -> Result<&'static str, Failure> {
        native::engine("taquin", ENGINES, query)
    }

    fn program(&self, board: &Board, query: &Query<'_, Options>) -> Result<asp::Program, Failure> {
        Ok(grounded::program(board, &query.request.encodings))
    }

    fn solve(&self, board: &Board, query: &Query<'_, Options>, found: Found<'_, Way>) -> Result<Ending, Failure> {
        if let Some(reason) = board.why_unsolvable() {
            let statistics = json!({ "reason": reason });
            return Ok(Ending { verdict: Verdict::Impossible, complete: true, statistics, warnings: Vec::new() });
        }
        let engine = self.engine(board, query)?;
        if engine == "asp" {
            return grounded::solve(board, query, found);
        }
        if query.options.quick && engine != "idastar" {
            return Err(Diagnostic::error(format!(
                "--quick is a search of its own; it does not go with --engine {engine}"
            ))
            .into());
        }
        let (searched, heuristic, warnings) = solve::solve(board, engine, query)?;
        let mut ending = native::finish(searched, query.request, |cells| Ok(Way(cells)), found)?;
        ending.statistics["heuristic"] = json!(heuristic);
        ending.warnings = warnings;
        Ok(ending)
    }

    fn check(&self, board: &Board, way: &Way) -> Result<(), String> {
        let boards = board.follow(&way.0)?;
        let last = boards.last().expect("the first board is among them");
        match last.tiles.iter().enumerate().find(|&(cell, &tile)| usize::from(tile) != cell) {
            Some((cell, _)) => Err(format!("in the end cell {cell} has not the tile that belongs there")),
            None => Ok(()),
        }
    }

    fn compare(&self, a: &Way, b: &Way) -> Ordering {
        a.0.len().cmp(&b.0.len()).then_with(|| a.0.cmp(&b.0))
    }

    fn json(&self, board: &Board, way: &Way) -> impl Serialize {
        json!({ "length": way.0.len(), "moves": board.letters(&way.0) })
    }

    fn text(&self, board: &Board, ways: &[Way], ending: &Ending, style: &Style) -> String {
        text::page(board, ways, ending, style)
    }

    fn columns(&self, _: &Board) -> Vec<&'static str> {
        vec!["length", "moves"]
    }

    fn rows(&self, board: &Board, way: &Way) -> Vec<Vec<String>> {
        vec![vec![way.0.len().to_string(), board.letters(&way.0)]]
    }

    fn draw(&self, board: &Board, way: Option<&Way>) -> Option<Picture> {
        Some(text::picture(board, way.unwrap_or(&Way(Vec::new()))))
    }
}
