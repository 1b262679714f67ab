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

use base::diagnostic::Failure;
use base::document::{Document, Notation};
use base::ending::SearchEnd;
use base::style::Style;
pub use board::Board;
use numbers::NumberEngine;
use puzzle::Format;
use puzzle::job::Job;
use puzzle::native::{self, PathProof};
use puzzle::one_player::{BoardNames, OnePlayer, Plan, PlanCapabilities, PlanWords};
use puzzle::{About, AnswerSink, Describe, EngineOption, Example, OpenBoard, Role, RunResult, json};
use replay::PostfixMove;
use serde_json::{Value, json};
use statespace::search::PlanVisitor;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Game;

impl Describe for Game {
    fn about(&self) -> About<'_> {
        About {
            name: "game",
            title: "Number game",
            summary: "a one-player game on the positive integers: from a start to a goal by moves such as 2*n and n+1",
            input: "JSON {\"start\": 1, \"moves\": [\"2*n\", \"n+1\"], \"goal\": [42]}",
            pictures: &[Format::Svg, Format::Dot, Format::Html],
            ..About::default()
        }
    }

    fn example(&self) -> Option<Example> {
        Example::named("game_42.json")
    }

    fn recognise(&self, document: &Document) -> Role {
        Role::instance_if(document.notation() == Notation::Json && document.text.contains("\"moves\""))
    }

    fn similarity(&self, document: &Document) -> f64 {
        json::share_of_keys(document, &["start", "moves", "goal"])
    }
}

impl OpenBoard for Game {
    type Options = ();
    type Engine = NumberEngine;
    type Board = Board;

    fn parse(&self, job: &Job) -> Result<Board, Failure> {
        Board::parse(puzzle::only_document("game", job)?)
    }

    fn reads(&self, engine: NumberEngine, option: EngineOption) -> bool {
        option != EngineOption::Constants && option.is_read_by_default(engine)
    }
}

impl OnePlayer for Game {
    /// The number that the move leads to.
    type Move = u64;

    const WORDS: PlanWords = PlanWords {
        best: ["shortest way", "shortest ways"],
        solved: "Reached in",
        optimality: "no way is shorter",
        bound: "It takes at least",
        unproven: "perhaps not the fewest: numbers beyond 64 bits were left out",
        ..PlanWords::MOVES
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
        format!("{} cannot be reached from {} (proven).", goals.join(" or "), known.board().start)
    }

    fn describe_move(&self, board: &Board, number: u64) -> play::Move {
        let choice = self.choices(board).into_iter().find(|(to, _)| *to == number);
        choice.expect("the move was replayed before").1
    }

    /// Lists every move, even if several moves lead to the same number.
    fn choices(&self, board: &Board) -> Vec<(u64, play::Move)> {
        let labelled = |postfix: &PostfixMove| Some((postfix.text.clone(), postfix.apply(board.start)?));
        let choice = |(rank, (text, number)): (usize, (String, u64))| {
            let described = play::Move::new(&text, format!("{text} gives {number}"));
            (number, if rank < 9 { described.on_key((rank + 1).to_string()) } else { described })
        };
        board.postfix_moves.iter().filter_map(labelled).enumerate().map(choice).collect()
    }

    fn plan_capabilities(&self) -> PlanCapabilities<'_, Self> {
        let names = BoardNames {
            label: |board: &Board| board.start.to_string(),
            goals: |board| board.goals.iter().map(|&start| Board { start, ..board.clone() }).collect(),
        };
        PlanCapabilities { explain: Some(self), names: Some(names), ..PlanCapabilities::default() }
    }
}

/// The start, then the number after each move.
fn numbers_along(board: &Board, plan: &Plan<u64>) -> Vec<u64> {
    [board.start].into_iter().chain(plan.0.iter().copied()).collect()
}
