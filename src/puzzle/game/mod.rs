//! A one-player game on the positive integers: from a start, with moves such as n → 2n and n → n + 1, to a goal.
//!
//! | file | what it holds |
//! |---|---|
//! | `expression.rs` | moves as expressions that do not wrap |
//! | `replay.rs` | the same moves, read and evaluated in another way |
//! | `numbers.rs` | the game as a space to search, and its heuristic |
//! | `drawing.rs` | the way as a line of numbers |
//! | `played.rs` | the game in play |
//! | `why.rs` | why no goal can be reached |

mod drawing;
mod expression;
mod numbers;
mod played;
mod replay;
mod why;

use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::{About, Because, Found, Puzzle, Readers, Role, Solved, json, native, reasons};
use crate::diagnostic::Failure;
use crate::document::{Document, Notation};
use crate::ending::{Ending, Verdict};
use crate::graph::Graph;
use crate::job::Job;
use crate::picture::Picture;
use crate::puzzle::playing::Walk;
use crate::report::{Format, Style};
use crate::search::{self, Visit};
use crate::why::{Question, Told};
use expression::Expression;

#[derive(Debug, Clone, Copy)]
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
#[derive(Clone)]
pub struct Board {
    pub start: u64,
    pub moves: Vec<Expression>,
    /// Ascending.
    pub goals: Vec<u64>,
}

/// The numbers on the way, the start first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Way(Vec<u64>);

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Engine {
    Idastar,
    Ids,
    Bfs,
    Astar,
}

/// Numbers that the check of a verdict looks at.
const LOOKED_AT: usize = 10_000;

impl Puzzle for Game {
    type Options = Options;
    type Engine = Engine;
    type Board = Board;
    type Answer = Way;
    type Proof = native::Proof;

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
            fits_a_line: true,
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
            Expression::parse(&text).map_err(|expression::Wrong { what, at }| {
                let all = json::range(document, value);
                // Without escapes the text stands there as it is, between quotes.
                let is_plain = all.len() == text.len() + 2;
                let range = if is_plain { all.start + 1 + at.start..all.start + 1 + at.end } else { all };
                json::wrong_at(document, format!("the move {text}: {what}"), range)
            })
        };
        let moves = json::one_or_many(written.moves).into_iter().map(parse).collect::<Result<Vec<_>, _>>()?;
        goals.sort_unstable();
        goals.dedup();
        Ok(Board { start, moves, goals })
    }

    fn solve(
        &self,
        board: &Board,
        engine: Engine,
        job: &Job,
        found: Found<'_, Way>,
    ) -> Result<Ending<native::Proof>, Failure> {
        let limits = native::limits(job);
        let searched = match engine {
            Engine::Bfs => numbers::search(board, &limits, search::bfs),
            Engine::Ids => numbers::search(board, &limits, search::ids),
            Engine::Astar => numbers::search(board, &limits, search::astar),
            Engine::Idastar => numbers::search(board, &limits, search::idastar),
        };
        let way = |moves: Vec<u64>| Ok(Way([board.start].into_iter().chain(moves).collect()));
        let all = |cost, limits: &_, visit: Visit<'_, u64>| Ok(numbers::all(board, cost, limits, visit));
        let mut ending = native::finish_all(searched, 0, job, all, &limits, way, found)?;
        if ending.verdict == Verdict::Impossible {
            let parts = why::parts(board);
            ending.proof.because = (!parts.is_empty()).then_some(Because { parts, is_smallest: false });
        }
        Ok(ending)
    }

    fn check(&self, board: &Board, way: &Way) -> Result<(), String> {
        if way.0.first() != Some(&board.start) || !way.0.last().is_some_and(|last| board.goals.contains(last)) {
            return Err("it does not lead from the start to a goal".to_owned());
        }
        let leads = |pair: &[u64]| board.moves.iter().any(|made| replay::leads(&made.text, pair[0]) == Some(pair[1]));
        match way.0.windows(2).find(|pair| !leads(pair)) {
            Some(pair) => Err(format!("no move leads from {} to {}", pair[0], pair[1])),
            None => Ok(()),
        }
    }

    /// Goes through the numbers layer by layer, as far as a look takes no time: no goal may come sooner than was said.
    fn vouch(&self, known: &Solved<Self>) -> Result<(), String> {
        let (board, depth) = (known.board(), known.answers.first().map(|way| way.0.len() - 1));
        let differ = |pair: &[Way]| pair[0] != pair[1] && pair[0].0.len() == pair[1].0.len();
        known.proof().vouch(depth.map(|depth| depth as u64), known.complete, known.answers.windows(2).all(differ))?;
        let least = known.proof().lower_bound.map_or(usize::MAX, |bound| bound as usize);
        let (mut layer, mut met, mut length) = (vec![board.start], BTreeSet::from([board.start]), 0);
        while !layer.is_empty() && met.len() < LOOKED_AT && length < least {
            if let Some(goal) = layer.iter().find(|number| board.goals.contains(number)) {
                return Err(format!("{goal} is reached in {length} moves already"));
            }
            let next = |&number: &u64| board.moves.iter().filter_map(move |made| replay::leads(&made.text, number));
            layer = layer.iter().flat_map(next).filter(|&number| met.insert(number)).collect();
            length += 1;
        }
        Ok(())
    }

    fn why(&self, board: &Arc<Board>, job: &Job, question: &Question) -> Result<Option<Told>, Failure> {
        reasons::of_verdict_alone(*self, board, job, question)
    }

    fn game(&self, board: &Arc<Board>, job: &Job) -> Result<Option<Box<dyn crate::played::Game>>, Failure> {
        let start = played::Counted { board: Board::clone(board), way: vec![board.start] };
        Ok(Some(Box::new(Walk::new(start, job))))
    }

    fn because<'a>(&self, known: &'a Solved<Self>) -> Option<&'a Because> {
        known.proof().because.as_ref()
    }

    fn sort(&self, ways: &mut [Way]) {
        ways.sort_by(|way, other| way.0.cmp(&other.0));
    }

    fn json(&self, _: &Board, way: &Way) -> Value {
        json!({ "depth": way.0.len() - 1, "states": way.0 })
    }

    fn text(&self, known: &Solved<Self>, style: &Style) -> String {
        let mut page = String::new();
        let bold = anstyle::Style::new().bold();
        let goals: Vec<String> = known.board().goals.iter().map(u64::to_string).collect();
        let moves_of = |way: &Way| native::count(way.0.len() as u64 - 1, "move", "moves");
        let shortest = |way| native::all_of_the_best(known, ["shortest way", "shortest ways"], &moves_of(way));
        let summary = match (known.answers.first(), known.verdict) {
            (Some(way), _) if known.proof().count.is_some() => shortest(way),
            (Some(way), _) => {
                let best = match known.complete {
                    true => "and no way is shorter: proven",
                    false => "perhaps not the fewest: numbers beyond 64 bits were left out",
                };
                format!("Reached in {}, {best}{}.", moves_of(way), native::nodes(known.proof()))
            }
            (None, Verdict::GaveUp(_)) => {
                native::gave_up(known, |bound| format!("It takes at least {}", native::count(bound, "move", "moves")))
            }
            (None, _) => format!("{} cannot be reached from {}: proven.", goals.join(" or "), known.board().start),
        };
        let _ = writeln!(page, "{}", style.paint(bold, &summary));
        if !style.quiet {
            page += &known.proof().because.as_ref().map_or(String::new(), Because::lines);
        }
        for way in known.answers.iter().filter(|_| !style.quiet) {
            let numbers: Vec<String> = way.0.iter().map(u64::to_string).collect();
            let _ = writeln!(page, "  {}", numbers.join(" "));
        }
        page
    }

    fn draw(&self, known: &Solved<Self>, way: Option<&Way>) -> Result<Option<Picture>, Failure> {
        Ok(Some(drawing::picture(known.board(), way)))
    }

    fn graph(&self, board: &Board, way: Option<&Way>) -> Option<Graph> {
        Some(drawing::graph(board, way))
    }
}
