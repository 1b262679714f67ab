//! A one-player game on the positive integers: from a start to a goal, with moves such as n → 2n
//! and n → n + 1.
//!
//! | file | contents |
//! |---|---|
//! | `board.rs` | a parsed game |
//! | `expression.rs` | moves as expressions that do not wrap |
//! | `replay.rs` | independent parser and evaluator of moves |
//! | `numbers.rs` | the search space and its heuristic |
//! | `why.rs` | explanations of unreachable goals |

mod board;
mod expression;
mod numbers;
mod replay;
mod why;

use clap::Args;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::native::{self, PathProof};
use super::one_player::{ChooseMove, DrawPlan, ExplainBoard, OnePlayer, Plan, PlanCapabilities, PlanWords};
use super::{
    About, AnswerSink, Describe, DrawGraph, OpenBoard, OptionReaders, Role, RunResult, UnsolvableCause, json, line,
};
use crate::diagnostic::{Code, Diagnostic, Failure};
use crate::document::{Document, Notation};
use crate::ending::SearchEnd;
use crate::graph::Graph;
use crate::job::Job;
use crate::picture::Picture;
use crate::play;
use crate::report::{Format, Style};
use crate::search::PlanVisitor;
use crate::stop::CancelToken;
use crate::syntax;
pub use board::Board;
use expression::Expression;
use numbers::NumberEngine;
use replay::PostfixMove;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Game;

#[derive(Debug, Clone, Default, Args)]
pub struct NumberGameOptions {}

/// The JSON file of a game.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct GameFile<'a> {
    #[serde(borrow)]
    start: &'a RawValue,
    /// A single value or a list.
    #[serde(borrow)]
    moves: &'a RawValue,
    /// A single value or a list.
    #[serde(borrow)]
    goal: &'a RawValue,
}

impl Describe for Game {
    fn about(&self) -> About {
        About {
            name: "game",
            summary: "a one-player game on the positive integers: from a start to a goal by moves such as 2*n and n+1",
            input: "JSON {\"start\": 1, \"moves\": [\"2*n\", \"n+1\"], \"goal\": [42]}",
            example: r#"echo '{"start": 1, "moves": ["2*n", "n+1"], "goal": [42]}' | asp-solve -"#,
            pictures: &[Format::Svg, Format::Dot, Format::Html],
            read_by: &[
                ("depth_limit", OptionReaders::Engines(&["idastar", "ids", "bfs", "astar"])),
                ("node_limit", OptionReaders::Engines(&["idastar", "ids", "bfs", "astar"])),
                ("threads", OptionReaders::Engines(&["idastar"])),
                ("const", OptionReaders::Engines(&[])),
            ],
            ..About::default()
        }
    }

    fn recognise(&self, document: &Document) -> Role {
        let is_game = document.notation() == Notation::Json && document.text.contains("\"moves\"");
        if is_game { Role::Instance } else { Role::Neither }
    }

    fn similarity(&self, document: &Document) -> f64 {
        let is_json = document.notation() == Notation::Json;
        let keys = ["\"start\"", "\"moves\"", "\"goal\""];
        if is_json { keys.iter().filter(|key| document.text.contains(**key)).count() as f64 / 3.0 } else { 0.0 }
    }
}

impl OpenBoard for Game {
    type Options = NumberGameOptions;
    type Engine = NumberEngine;
    type Board = Board;

    fn parse(&self, job: &Job) -> Result<Board, Failure> {
        let document = super::only_document("game", job)?;
        if document.notation() != Notation::Json && syntax::looks_like_a_program(&document.text) {
            let text = format!("{}: a logic program; the puzzle `game` is a game on numbers, in JSON", document.name);
            let help = "a game that is a logic program needs no --puzzle";
            return Err(Diagnostic::error(Code::InvalidInstance, text).help(help).into());
        }
        let file: GameFile<'_> = json::read(document)?;
        let positive = |value: &RawValue| match json::value::<u64>(value) {
            Some(number @ 1..) => Ok(number),
            _ => Err(json::error_at_value(document, format!("expected a positive integer, found `{value}`"), value)),
        };
        let start = positive(file.start)?;
        let mut goals = json::one_or_many(file.goal).into_iter().map(positive).collect::<Result<Vec<u64>, _>>()?;
        if goals.is_empty() {
            return Err(json::error_at_value(document, "expected at least one goal, found none".to_owned(), file.goal));
        }
        let parse = |value: &RawValue| {
            let text: String = json::value(value).ok_or_else(|| {
                json::error_at_value(document, format!("expected a move such as \"2*n\", found `{value}`"), value)
            })?;
            let expression = Expression::parse(&text).map_err(|expression::ParseError { what, at }| {
                let all = json::range(document, value);
                // Without escapes, the text appears verbatim between its quotes.
                let is_verbatim = all.len() == text.len() + 2;
                let range = if is_verbatim { all.start + 1 + at.start..all.start + 1 + at.end } else { all };
                json::error_at(document, format!("the move {text}: {what}"), range)
            })?;
            Ok((expression, PostfixMove::new(text)))
        };
        let moves = json::one_or_many(file.moves).into_iter().map(parse).collect::<Result<Vec<_>, Failure>>()?;
        let (moves, postfix_moves): (Vec<Expression>, Vec<PostfixMove>) = moves.into_iter().unzip();
        goals.sort_unstable();
        goals.dedup();
        Ok(Board { start, moves: moves.into(), postfix_moves: postfix_moves.into(), goals: goals.into() })
    }
}

impl OnePlayer for Game {
    /// The number that the move leads to.
    type Move = u64;

    const WORDS: PlanWords = PlanWords {
        unit: ["move", "moves"],
        best: ["shortest way", "shortest ways"],
        solved: "Reached in",
        optimality: "no way is shorter",
        bound: "It takes at least",
        custom_optimality: None,
    };
    const SANITY_BOARDS: usize = 100;

    fn moves(&self, board: &Board) -> Vec<u64> {
        board.postfix_moves.iter().filter_map(|postfix| postfix.apply(board.start)).collect()
    }

    fn apply(&self, board: &mut Board, number: u64) -> Result<u64, String> {
        if !board.postfix_moves.iter().any(|postfix| postfix.apply(board.start) == Some(number)) {
            return Err(format!("no move leads from {} to {number}", board.start));
        }
        board.start = number;
        Ok(1)
    }

    fn is_goal(&self, board: &Board) -> Result<(), String> {
        let is_goal = board.goals.contains(&board.start);
        is_goal.then_some(()).ok_or_else(|| format!("{} is not a goal", board.start))
    }

    fn search(
        &self,
        board: &Board,
        engine: NumberEngine,
        job: &Job,
        found: AnswerSink<'_, Plan<u64>>,
    ) -> Result<SearchEnd<PathProof>, Failure> {
        let limits = native::limits(job);
        let all = |cost, limits: &_, visit: PlanVisitor<'_, u64>| Ok(numbers::all_optimal(board, cost, limits, visit));
        native::finish_all(numbers::search(board, engine, &limits), 0, job, all, &limits, Plan, found)
    }

    fn plan_json(&self, board: &Board, plan: &Plan<u64>) -> Value {
        json!({ "depth": plan.0.len(), "states": numbers_along(board, plan) })
    }

    fn describe_plans(&self, board: &Board, plans: &[Plan<u64>], _: &Style) -> String {
        let line = |plan| numbers_along(board, plan).iter().map(|number| format!(" {number}")).collect::<String>();
        plans.iter().map(|plan| format!(" {}\n", line(plan))).collect()
    }

    fn describe_impossible(&self, known: &RunResult<Self>) -> String {
        let goals: Vec<String> = known.board().goals.iter().map(u64::to_string).collect();
        format!("{} cannot be reached from {}: proven.", goals.join(" or "), known.board().start)
    }

    fn not_proven(&self, solved: &str, known: &RunResult<Self>) -> String {
        let nodes = native::nodes(known.proof());
        format!("{solved}, perhaps not the fewest: numbers beyond 64 bits were left out{nodes}.")
    }

    fn describe_move(&self, board: &Board, number: u64) -> play::Move {
        let choice = self.choices(board).into_iter().flatten().find(|(to, _)| *to == number);
        choice.expect("the move was replayed before").1
    }

    fn plan_capabilities(&self) -> PlanCapabilities<'_, Self> {
        PlanCapabilities {
            explain: Some(self),
            draw: Some(self),
            graph: Some(self),
            choose: Some(self),
            ..PlanCapabilities::default()
        }
    }
}

impl ExplainBoard<Game> for Game {
    fn explain_unsolvable(&self, board: &Board, _: &CancelToken) -> Result<Option<PathProof>, Failure> {
        let parts = why::parts(board);
        let cause = (!parts.is_empty()).then_some(UnsolvableCause { parts, is_smallest: false });
        Ok(Some(PathProof { cause, ..PathProof::default() }))
    }
}

impl DrawPlan<Game> for Game {
    fn picture(&self, board: &Board, plan: Option<&Plan<u64>>) -> Picture {
        line::picture(*self, board, plan, &BOARD_NAMES)
    }

    fn picture_in_play(&self, start: &Board, made: &Plan<u64>, _: &Board) -> Picture {
        line::picture(*self, start, Some(made), &BOARD_NAMES).last_frame()
    }
}

impl DrawGraph<Game> for Game {
    fn graph(&self, board: &Board, plan: Option<&Plan<u64>>) -> Option<Graph> {
        Some(line::graph(*self, board, plan, &BOARD_NAMES))
    }
}

impl ChooseMove<Game> for Game {
    /// Lists every move, even if several moves lead to the same number.
    fn choices(&self, board: &Board) -> Option<Vec<(u64, play::Move)>> {
        let labelled = |postfix: &PostfixMove| Some((postfix.text.clone(), postfix.apply(board.start)?));
        let choice = |(rank, (text, number)): (usize, (String, u64))| {
            let described = play::Move::new(&text, format!("{text} gives {number}"));
            (number, if rank < 9 { described.on_key((rank + 1).to_string()) } else { described })
        };
        Some(board.postfix_moves.iter().filter_map(labelled).enumerate().map(choice).collect())
    }
}

const BOARD_NAMES: line::BoardNames<Board> = line::BoardNames {
    label: |board| board.start.to_string(),
    goals: |board| board.goals.iter().map(|&start| Board { start, ..board.clone() }).collect(),
};

/// The start, then the number after each move.
fn numbers_along(board: &Board, plan: &Plan<u64>) -> Vec<u64> {
    [board.start].into_iter().chain(plan.0.iter().copied()).collect()
}
