//! Minesweeper: where mines can be, how likely they are, why, and how to play.
//!
//! | file | what it holds |
//! |---|---|
//! | `grid.rs`, `board.rs` | cells and what is known of them; a board as it is written |
//! | `obvious.rs`, `pattern.rs`, `probability.rs` | the three stages: one number, a window, the whole board |
//! | `frontier.rs`, `elimination.rs`, `count.rs`, `coupling.rs`, `weight.rs` | how layouts are counted |
//! | `layouts.rs` | layouts one by one, where they are few |
//! | `conflict.rs`, `explain.rs` | why: the fewest numbers from which something follows |
//! | `topology.rs`, `backtracking.rs`, `vouch.rs` | a second opinion, for every neighbourhood that ships |
//! | `grounded.rs` | the engine `asp` |
//! | `answer.rs`, `text.rs` | what is said of a board, its check, and how it looks |
//! | `play/` | the game, and the bot that plays it |
//! | `generate.rs` | boards, and boards that need no guess |

mod answer;
mod backtracking;
pub mod board;
mod conflict;
pub mod count;
mod coupling;
mod elimination;
pub mod explain;
mod frontier;
mod generate;
pub mod grid;
mod grounded;
mod layouts;
mod obvious;
mod pattern;
pub mod play;
pub mod probability;
mod text;
mod topology;
mod vouch;
mod weight;

use std::cmp::Ordering;
use std::ops::ControlFlow;

use clap::Args;
use serde::Serialize;
use serde_json::{Value, json};

use super::{About, Encoding, Found, Puzzle, Query, Role, native};
use crate::asp::{self, syntax};
use crate::diagnostic::{Diagnostic, Failure};
use crate::document::{Document, Notation};
use crate::ending::{Ending, Verdict};
use crate::picture::Picture;
use crate::report::{Format, Style};
use crate::stop::Reason;
use answer::Answer;
use board::Board;
use conflict::Conflict;
use count::Budget;
use explain::Stage;
use grid::Cell;
use obvious::Contradiction;
use probability::Likelihood;

#[derive(Debug, Clone, Copy)]
pub struct Minesweeper;

const LAYOUT: Encoding = Encoding {
    name: "layout",
    path: "minesweeper/layout.lp",
    text: include_str!("../../../asp/minesweeper/layout.lp"),
};
const TORUS: Encoding =
    Encoding { name: "torus", path: "minesweeper/torus.lp", text: include_str!("../../../asp/minesweeper/torus.lp") };
const KNIGHT: Encoding = Encoding {
    name: "knight",
    path: "minesweeper/knight.lp",
    text: include_str!("../../../asp/minesweeper/knight.lp"),
};

const ENGINES: &[&str] = &["csp", "asp"];

/// Bytes that a count may take where nobody said: a wide frontier would take all there are, and the machine with them.
const MEMORY: u64 = 16 << 30;

#[derive(Debug, Clone, Default, Args)]
pub struct Options {}

impl Puzzle for Minesweeper {
    type Options = Options;
    type Board = Board;
    type Answer = Answer;

    fn about(&self) -> About {
        About {
            name: "minesweeper",
            summary: "mines below closed cells: what is certain, how likely the rest is, and why",
            input: "a line `mines N` and rows of 0-8 . ? # F, or facts cell/2, number/3, flag/2, mines/1",
            encodings: &[LAYOUT, TORUS, KNIGHT],
            engines: ENGINES,
            has_options_for_answer_sets: false,
            fits_a_line: true,
            pictures: &[Format::Svg, Format::Html],
        }
    }

    fn recognise(&self, document: &Document) -> Role {
        let text = &document.text;
        if document.notation() != Notation::Program {
            return Role::Neither;
        }
        if board::looks_like_a_board(text) || board::has_facts(text) {
            return Role::Instance;
        }
        if !text.contains("mine") || !text.contains("number") {
            return Role::Neither;
        }
        let derives =
            |statement: &syntax::Statement| statement.head.as_ref().is_some_and(|head| *head == ("mine".to_owned(), 2));
        let is_encoding = syntax::statements(text).iter().any(derives);
        if is_encoding { Role::Encoding } else { Role::Neither }
    }

    fn parse(&self, query: &Query<'_, Options>) -> Result<Board, Failure> {
        Board::parse(query)
    }

    fn engine(&self, board: &Board, query: &Query<'_, Options>) -> Result<&'static str, Failure> {
        engine(board.has_rules, query)
    }

    fn program(&self, board: &Board, query: &Query<'_, Options>) -> Result<asp::Program, Failure> {
        Ok(grounded::program(board, query))
    }

    fn solve(&self, board: &Board, query: &Query<'_, Options>, found: Found<'_, Answer>) -> Result<Ending, Failure> {
        if self.engine(board, query)? == "asp" {
            return grounded::solve(board, query, found);
        }
        let budget = Budget { stop: query.stop.clone(), memory: query.request.memory_limit.unwrap_or(MEMORY) };
        match probability::likelihood(&board.position, &budget) {
            Ok(Ok(likelihood)) => counted(board, likelihood, &budget, found),
            Ok(Err(contradiction)) => impossible(board, &contradiction, &budget),
            Err(reason) => uncounted(board, reason, query, found),
        }
    }

    fn check(&self, board: &Board, answer: &Answer) -> Result<(), String> {
        answer.check(board)
    }

    fn compare(&self, _: &Answer, _: &Answer) -> Ordering {
        // There is one.
        Ordering::Equal
    }

    fn json(&self, board: &Board, answer: &Answer) -> impl Serialize {
        answer.json(board)
    }

    fn text(&self, board: &Board, answers: &[Answer], ending: &Ending, style: &Style) -> String {
        text::page(board, answers, ending, style)
    }

    fn columns(&self, _: &Board) -> Vec<&'static str> {
        text::COLUMNS.to_vec()
    }

    fn rows(&self, board: &Board, answer: &Answer) -> Vec<Vec<String>> {
        text::rows(board, answer)
    }

    fn draw(&self, board: &Board, answer: Option<&Answer>) -> Option<Picture> {
        match answer {
            Some(answer) => Some(text::picture(board, answer)),
            None => board.conflict.get().map(|conflict| text::conflict_picture(board, conflict)),
        }
    }

    fn player(&self) -> Option<&'static dyn super::Player> {
        Some(&play::Player)
    }

    fn maker(&self) -> Option<&'static dyn super::Maker> {
        Some(&generate::Maker)
    }
}

/// Who names an encoding, or has edited it, or gives more than a board, wants clingo, which alone knows rules other than the
/// game's.
fn engine(has_rules: bool, query: &Query<'_, Options>) -> Result<&'static str, Failure> {
    let of_game = matches!(&query.request.encodings[..], [only] if *only.text == *LAYOUT.text);
    let is_named = !query.request.encoding_names.is_empty();
    if query.request.engine.is_none() && (has_rules || is_named || !of_game) {
        return Ok("asp");
    }
    let engine = native::engine("minesweeper", ENGINES, query)?;
    if engine == "csp" && (has_rules || is_named && !of_game) {
        let text = "the engine csp knows the rules of the game alone, and the input has others";
        return Err(Diagnostic::error(text).help("take --engine asp").into());
    }
    Ok(engine)
}

/// All probabilities are known.
fn counted(
    board: &Board,
    likelihood: Likelihood,
    budget: &Budget,
    found: Found<'_, Answer>,
) -> Result<Ending, Failure> {
    let position = &board.position;
    let closed = |cell: &usize| matches!(position.cells[*cell], Cell::Closed | Cell::Mine);
    let configurations = Some(likelihood.configurations);
    let mut answer = Answer { configurations, ..Answer::unknown(position) };
    let mut decided = Vec::new();
    for cell in position.grid.cells().filter(closed) {
        let probability = likelihood.of[cell];
        answer.probabilities[cell] = Some(probability);
        match probability {
            0.0 => answer.safe.push(cell),
            1.0 => answer.mines.push(cell),
            _ => continue,
        }
        if position.cells[cell] == Cell::Closed {
            decided.push((cell, probability == 1.0));
        }
    }
    let mut warnings = Vec::new();
    match explain::reasons(position, &decided, budget) {
        Ok(reasons) => answer.reasons = reasons,
        Err(reason) => warnings.push(Diagnostic::warning(format!("not all cells are explained: {}", reason.words()))),
    }
    answer.best = answer.safe.clone();
    let stages = answer.reasons.iter().filter(|reason| !reason.is_mine).map(|reason| reason.stage);
    answer.found_by = stages.min().unwrap_or(if answer.safe.is_empty() { Stage::Guess } else { Stage::Csp });
    if answer.safe.is_empty() {
        let guess = play::best_guess(position, &likelihood.of);
        answer.best = guess.iter().map(|guess| guess.cell).collect();
        answer.chance = guess.and_then(|guess| guess.chance);
    }
    let _: ControlFlow<()> = found(answer)?;
    let statistics = json!({ "states": likelihood.states });
    Ok(Ending { verdict: Verdict::Solved, complete: true, statistics, warnings })
}

/// Nothing fits.
fn impossible(board: &Board, contradiction: &Contradiction, budget: &Budget) -> Result<Ending, Failure> {
    let position = &board.position;
    // Where it cannot be made smaller in time, all that is known is to blame.
    let conflict = conflict::smallest(position, contradiction, budget).unwrap_or_else(|_| Conflict {
        numbers: position.grid.cells().filter(|&cell| matches!(position.cells[cell], Cell::Open(_))).collect(),
        needs_total: position.mines.is_some(),
    });
    contradictory(board, conflict, json!({}))
}

/// No answer, and why, as far as the second opinion does not object.
fn contradictory(board: &Board, conflict: Conflict, mut statistics: Value) -> Result<Ending, Failure> {
    let places: Vec<[usize; 2]> = conflict.numbers.iter().map(|&cell| board.position.grid.place(cell)).collect();
    statistics["contradiction"] = json!({ "numbers": places, "total": conflict.needs_total });
    if let Some(topology) = board.topology {
        let mut nodes = vouch::NODES;
        let vouched = vouch::check_conflict(&board.position, topology, &conflict, &mut nodes);
        let vouched =
            vouched.map_err(|error| Diagnostic::error(format!("the proof does not pass the check: {error}")))?;
        if vouched == vouch::Vouched::Not {
            statistics["contradiction"]["vouched"] = json!(false);
        }
    }
    let _ = board.conflict.set(conflict);
    Ok(Ending { verdict: Verdict::Impossible, complete: true, statistics, warnings: Vec::new() })
}

/// The frontier is too wide for the memory, or the time is over: clingo tells what is certain all the same.
fn uncounted(
    board: &Board,
    reason: Reason,
    query: &Query<'_, Options>,
    found: Found<'_, Answer>,
) -> Result<Ending, Failure> {
    let mut ending = grounded::certain(board, query, found)?;
    if ending.verdict == Verdict::Solved {
        ending.verdict = Verdict::GaveUp(reason);
        ending.complete = false;
    }
    Ok(ending)
}
