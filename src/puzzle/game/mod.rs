//! A one-player game on the positive integers: from a start, with moves such as n → 2n and n → n + 1, to a goal.
//!
//! | file | what it holds |
//! |---|---|
//! | `moves.rs` | moves as expressions that do not wrap |
//! | `numbers.rs` | the game as a space to search, and its heuristic |

mod moves;
mod numbers;

use std::cmp::Ordering;
use std::fmt::Write;

use clap::Args;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{About, Found, Puzzle, Query, Role, native};
use crate::asp;
use crate::diagnostic::{Diagnostic, Failure, Place};
use crate::document::{Document, Notation};
use crate::ending::{Ending, Verdict};
use crate::report::Style;
use crate::search;
use moves::Expression;

#[derive(Debug, Clone, Copy)]
pub struct Game;

#[derive(Debug, Clone, Default, Args)]
pub struct Options {}

/// What is written in the file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    start: u64,
    moves: Vec<String>,
    goal: Vec<u64>,
}

/// A game that was read: everything is positive, and every move is an expression in n.
pub struct Board {
    pub start: u64,
    pub moves: Vec<Expression>,
    /// Ascending.
    pub goals: Vec<u64>,
}

/// The numbers on the way, the start first.
pub struct Way(Vec<u64>);

const ENGINES: &[&str] = &["idastar", "ids", "bfs", "astar"];

impl Puzzle for Game {
    type Options = Options;
    type Board = Board;
    type Answer = Way;

    fn about(&self) -> About {
        About {
            name: "game",
            summary: "a one-player game on the positive integers: moves such as 2*n and n+1 from a start to a goal",
            input: "JSON {\"start\": 1, \"moves\": [\"2*n\", \"n+1\"], \"goal\": [42]}",
            encodings: &[],
            engines: ENGINES,
            has_options_for_answer_sets: false,
            fits_a_line: true,
            pictures: &[],
        }
    }

    fn recognise(&self, document: &Document) -> Role {
        let is_game = document.notation() == Notation::Json && document.text.contains("\"moves\"");
        if is_game { Role::Instance } else { Role::Neither }
    }

    fn parse(&self, query: &Query<'_, Options>) -> Result<Board, Failure> {
        let document = super::only_document("game", query)?;
        let wrong = |text: String, range: std::ops::Range<usize>| {
            Failure::from(Diagnostic::error(text).at(Some(Place::of_range(&document.name, &document.text, range))))
        };
        let written: Written = serde_json::from_str(&document.text).map_err(|error| {
            let line: usize =
                document.text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
            let offset = (line + error.column().saturating_sub(1)).min(document.text.len());
            let offset = (0..=offset).rev().find(|&offset| document.text.is_char_boundary(offset)).unwrap_or(0);
            let text = error.to_string();
            let text = text.rsplit_once(" at line ").map_or(text.as_str(), |(text, _)| text).to_owned();
            wrong(text, offset..offset)
        })?;
        let place_of = |quoted: &str| {
            let begin = document.text.find(quoted).unwrap_or(0);
            begin..begin + quoted.len()
        };
        if written.start == 0 || written.goal.contains(&0) {
            let key = if written.start == 0 { "\"start\"" } else { "\"goal\"" };
            return Err(wrong("found 0; a positive integer was wanted".to_owned(), place_of(key)));
        }
        if written.goal.is_empty() {
            return Err(wrong("there is no goal; at least one was wanted".to_owned(), place_of("\"goal\"")));
        }
        let parse = |text: &String| {
            Expression::parse(text)
                .map_err(|error| wrong(format!("the move {text}: {error}"), place_of(&json!(text).to_string())))
        };
        let moves = written.moves.iter().map(parse).collect::<Result<Vec<_>, _>>()?;
        let mut goals = written.goal;
        goals.sort_unstable();
        goals.dedup();
        Ok(Board { start: written.start, moves, goals })
    }

    fn engine(&self, _: &Board, query: &Query<'_, Options>) -> Result<&'static str, Failure> {
        native::engine("game", ENGINES, query)
    }

    fn program(&self, _: &Board, _: &Query<'_, Options>) -> Result<asp::Program, Failure> {
        Err(Diagnostic::error("game has no engine asp, and so no answer sets").into())
    }

    fn solve(&self, board: &Board, query: &Query<'_, Options>, found: Found<'_, Way>) -> Result<Ending, Failure> {
        let limits = native::limits(query.request, query.stop);
        let searched = match self.engine(board, query)? {
            "bfs" => numbers::search(board, &limits, search::bfs),
            "ids" => numbers::search(board, &limits, search::ids),
            "astar" => numbers::search(board, &limits, search::astar),
            _ => numbers::search(board, &limits, search::idastar),
        };
        let way = |moves: Vec<u64>| Ok(Way([board.start].into_iter().chain(moves).collect()));
        native::finish(searched, query.request, way, found)
    }

    fn check(&self, board: &Board, way: &Way) -> Result<(), String> {
        if way.0.first() != Some(&board.start) || !way.0.last().is_some_and(|last| board.goals.contains(last)) {
            return Err("it does not lead from the start to a goal".to_owned());
        }
        let leads = |pair: &[u64]| board.moves.iter().any(|expression| expression.value(pair[0]) == Ok(Some(pair[1])));
        match way.0.windows(2).find(|pair| !leads(pair)) {
            Some(pair) => Err(format!("no move leads from {} to {}", pair[0], pair[1])),
            None => Ok(()),
        }
    }

    fn compare(&self, a: &Way, b: &Way) -> Ordering {
        a.0.len().cmp(&b.0.len()).then_with(|| a.0.cmp(&b.0))
    }

    fn columns(&self, _: &Board) -> Vec<&'static str> {
        vec!["depth", "states"]
    }

    fn rows(&self, _: &Board, way: &Way) -> Vec<Vec<String>> {
        let states: Vec<String> = way.0.iter().map(u64::to_string).collect();
        vec![vec![(way.0.len() - 1).to_string(), states.join(" ")]]
    }

    fn json(&self, _: &Board, way: &Way) -> impl Serialize {
        json!({ "depth": way.0.len() - 1, "states": way.0 })
    }

    fn text(&self, board: &Board, ways: &[Way], ending: &Ending, style: &Style) -> String {
        let mut page = String::new();
        let bold = anstyle::Style::new().bold();
        let goals: Vec<String> = board.goals.iter().map(u64::to_string).collect();
        let summary = match (ways.first(), ending.verdict) {
            (Some(way), _) => {
                let best = if ending.complete {
                    "the fewest"
                } else {
                    "perhaps not the fewest: numbers beyond 64 bits were left out"
                };
                format!("{}, {best}{}.", native::count(way.0.len() as u64 - 1, "move", "moves"), native::nodes(ending))
            }
            (None, Verdict::GaveUp(_)) => {
                native::gave_up(ending, |bound| format!("It takes at least {}.", native::count(bound, "move", "moves")))
            }
            (None, _) => format!("{} cannot be reached from {}: proven.", goals.join(" or "), board.start),
        };
        let _ = writeln!(page, "{}", style.paint(bold, &summary));
        for way in ways.iter().filter(|_| !style.quiet) {
            let numbers: Vec<String> = way.0.iter().map(u64::to_string).collect();
            let _ = writeln!(page, "  {}", numbers.join(" "));
        }
        page
    }
}
