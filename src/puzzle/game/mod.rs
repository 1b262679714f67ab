//! A one-player game on the positive integers: from a start, with moves such as n → 2n and n → n + 1, to a goal.
//!
//! | file | what it holds |
//! |---|---|
//! | `expression.rs` | moves as expressions that do not wrap |
//! | `replay.rs` | the same moves, read and evaluated in another way |
//! | `numbers.rs` | the game as a space to search, and its heuristic |
//! | `why.rs` | why no goal can be reached |

mod expression;
mod numbers;
mod replay;
mod why;

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use clap::Args;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::engines::{Engine, Rung};
use super::native::{self, Proof};
use super::one_player::{OnePlayer, Way, Words};
use super::{About, Because, Fits, Found, Readers, Role, Solved, json, line};
use crate::diagnostic::{Diagnostic, Failure};
use crate::document::{Document, Notation};
use crate::ending::Ending;
use crate::graph::Graph;
use crate::job::Job;
use crate::picture::Picture;
use crate::played;
use crate::report::{Format, Style};
use crate::search::Visit;
use crate::stop::Stop;
use crate::syntax;
use expression::Expression;
use replay::Reading;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Game;

#[derive(Debug, Clone, Default, Args)]
pub struct Options {}

/// What is written in the file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written<'a> {
    #[serde(borrow)]
    start: &'a RawValue,
    /// One, or a list.
    #[serde(borrow)]
    moves: &'a RawValue,
    /// One, or a list.
    #[serde(borrow)]
    goal: &'a RawValue,
}

/// A game that was read: everything is positive, and every move is an expression in n.
#[derive(Clone, PartialEq, Eq)]
pub struct Board {
    pub start: u64,
    pub moves: Arc<[Expression]>,
    /// The same, for the replay.
    pub readings: Arc<[Reading]>,
    /// Ascending.
    pub goals: Arc<[u64]>,
}

/// Boards of one game differ in the start alone.
impl Hash for Board {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.start.hash(state);
    }
}

impl OnePlayer for Game {
    type Options = Options;
    type Board = Board;
    /// The number that it leads to.
    type Move = u64;

    const WORDS: Words = Words {
        unit: ["move", "moves"],
        best: ["shortest way", "shortest ways"],
        solved: "Reached in",
        none_better: "no way is shorter",
        bound: "It takes at least",
    };
    const ENGINES: &'static [Rung<Self>] =
        &[Rung::of(Engine::Astar), Rung::of(Engine::Idastar), Rung::of(Engine::Ids), Rung::of(Engine::Bfs)];
    const LOOKED_AT: usize = 100;

    fn about(&self) -> About {
        About {
            name: "game",
            summary: "a one-player game on the positive integers: from a start to a goal by moves such as 2*n and n+1",
            input: "JSON {\"start\": 1, \"moves\": [\"2*n\", \"n+1\"], \"goal\": [42]}",
            more: &[],
            example: r#"echo '{"start": 1, "moves": ["2*n", "n+1"], "goal": [42]}' | asp-solve -"#,
            encodings: &[],
            facts: &[],
            has_options_for_answer_sets: false,
            fits: Fits::Line,
            pictures: &[Format::Svg, Format::Dot, Format::Html],
            read_by: &[
                ("depth_limit", Readers::Engines(&["idastar", "ids", "bfs", "astar"])),
                ("node_limit", Readers::Engines(&["idastar", "ids", "bfs", "astar"])),
                ("threads", Readers::Engines(&["idastar"])),
                ("const", Readers::Engines(&[])),
            ],
        }
    }

    fn recognise(&self, document: &Document) -> Role {
        let is_game = document.notation() == Notation::Json && document.text.contains("\"moves\"");
        if is_game { Role::Instance } else { Role::Neither }
    }

    fn resembles(&self, document: &Document) -> f64 {
        let is_json = document.notation() == Notation::Json;
        let keys = ["\"start\"", "\"moves\"", "\"goal\""];
        if is_json { keys.iter().filter(|key| document.text.contains(**key)).count() as f64 / 3.0 } else { 0.0 }
    }

    fn parse(&self, job: &Job) -> Result<Board, Failure> {
        let document = super::only_document("game", job)?;
        if document.notation() != Notation::Json && syntax::looks_like_a_program(&document.text) {
            let text =
                format!("{}: a logic program; the puzzle `game` is played on numbers, and is JSON", document.name);
            let help = "a game that is a logic program needs no --puzzle";
            return Err(Diagnostic::error(text).help(help).into());
        }
        let written: Written<'_> = json::read(document)?;
        let positive = |value: &RawValue| match json::value::<u64>(value) {
            Some(number @ 1..) => Ok(number),
            _ => Err(json::wrong(document, format!("found {value}; a positive integer was wanted"), value)),
        };
        let start = positive(written.start)?;
        let mut goals = json::one_or_many(written.goal).into_iter().map(positive).collect::<Result<Vec<u64>, _>>()?;
        if goals.is_empty() {
            return Err(json::wrong(document, "there is no goal; at least one was wanted".to_owned(), written.goal));
        }
        let parse = |value: &RawValue| {
            let text: String = json::value(value).ok_or_else(|| {
                json::wrong(document, format!("found {value}; a move such as \"2*n\" was wanted"), value)
            })?;
            let made = Expression::parse(&text).map_err(|expression::Wrong { what, at }| {
                let all = json::range(document, value);
                // Without escapes the text stands there as it is, between quotes.
                let is_plain = all.len() == text.len() + 2;
                let range = if is_plain { all.start + 1 + at.start..all.start + 1 + at.end } else { all };
                json::wrong_at(document, format!("the move {text}: {what}"), range)
            })?;
            Ok((made, Reading::new(text)))
        };
        let moves = json::one_or_many(written.moves).into_iter().map(parse).collect::<Result<Vec<_>, Failure>>()?;
        let (moves, readings): (Vec<Expression>, Vec<Reading>) = moves.into_iter().unzip();
        goals.sort_unstable();
        goals.dedup();
        Ok(Board { start, moves: moves.into(), readings: readings.into(), goals: goals.into() })
    }

    fn moves(&self, board: &Board) -> Vec<u64> {
        board.readings.iter().filter_map(|made| made.leads(board.start)).collect()
    }

    fn make(&self, board: &mut Board, number: u64) -> Result<u64, String> {
        if !board.readings.iter().any(|made| made.leads(board.start) == Some(number)) {
            return Err(format!("none leads from {} to {number}", board.start));
        }
        board.start = number;
        Ok(1)
    }

    fn is_goal(&self, board: &Board) -> Result<(), String> {
        let is_goal = board.goals.contains(&board.start);
        is_goal.then_some(()).ok_or_else(|| format!("there is {}, which is not a goal", board.start))
    }

    fn search(
        &self,
        board: &Board,
        engine: Engine,
        job: &Job,
        found: Found<'_, Way<u64>>,
    ) -> Result<Ending<Proof>, Failure> {
        let limits = native::limits(job);
        let all = |cost, limits: &_, visit: Visit<'_, u64>| Ok(numbers::all(board, cost, limits, visit));
        native::finish_all(numbers::search(board, engine, &limits), 0, job, all, &limits, Way, found)
    }

    fn cause(&self, board: &Board, _: &Stop) -> Result<Option<Proof>, Failure> {
        let parts = why::parts(board);
        let because = (!parts.is_empty()).then_some(Because { parts, is_smallest: false });
        Ok(Some(Proof { because, ..Proof::default() }))
    }

    fn json(&self, board: &Board, way: &Way<u64>) -> Value {
        json!({ "depth": way.0.len(), "states": numbers_of(board, way) })
    }

    fn ways(&self, board: &Board, ways: &[Way<u64>], _: &Style) -> String {
        let line = |way| numbers_of(board, way).iter().map(|number| format!(" {number}")).collect::<String>();
        ways.iter().map(|way| format!(" {}\n", line(way))).collect()
    }

    fn impossible(&self, known: &Solved<Self>) -> String {
        let goals: Vec<String> = known.board().goals.iter().map(u64::to_string).collect();
        format!("{} cannot be reached from {}: proven.", goals.join(" or "), known.board().start)
    }

    fn not_proven(&self, solved: &str, known: &Solved<Self>) -> String {
        let nodes = native::nodes(known.proof());
        format!("{solved}, perhaps not the fewest: numbers beyond 64 bits were left out{nodes}.")
    }

    fn label(&self, board: &Board) -> String {
        board.start.to_string()
    }

    fn goals(&self, board: &Board) -> Vec<Board> {
        board.goals.iter().map(|&start| Board { start, ..board.clone() }).collect()
    }

    fn graph(&self, board: &Board, way: Option<&Way<u64>>) -> Option<Graph> {
        Some(line::graph(*self, board, way))
    }

    fn told(&self, board: &Board, number: u64) -> played::Move {
        let told = self.choices(board).into_iter().find(|(to, _)| *to == number);
        told.expect("a way was replayed before it is told").1
    }

    /// Several moves may lead to one number.
    fn choices(&self, board: &Board) -> Vec<(u64, played::Move)> {
        let leads = |made: &Reading| Some((made.text.clone(), made.leads(board.start)?));
        let told = |(rank, (text, number)): (usize, (String, u64))| {
            let told = played::Move::new(&text, format!("{text} gives {number}"));
            (number, if rank < 9 { told.on_key((rank + 1).to_string()) } else { told })
        };
        board.readings.iter().filter_map(leads).enumerate().map(told).collect()
    }

    fn picture_in_play(&self, start: &Board, made: &Way<u64>, _: &Board) -> Picture {
        line::picture(*self, start, Some(made)).last_frame()
    }
}

/// The numbers on a way, the start first.
fn numbers_of(board: &Board, way: &Way<u64>) -> Vec<u64> {
    [board.start].into_iter().chain(way.0.iter().copied()).collect()
}
