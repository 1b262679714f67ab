//! Minesweeper: where mines can be, how likely they are, why, and how to play.
//!
//! A bot of one's own asks for probabilities alone, of a [`Position`](grid::Position) without any text:
//!
//! ```
//! use asp_solve::puzzle::minesweeper::count::Budget;
//! use asp_solve::puzzle::minesweeper::grid::{Cell, Grid, Position};
//! use asp_solve::puzzle::minesweeper::probability::likelihood;
//!
//! let grid = Grid { rows: 16, columns: 30 };
//! let mut position = Position::closed(grid, Some(99));
//! position.cells[grid.cell(7, 7)] = Cell::Open(2);
//! let likelihood = likelihood(&position, &Budget::none()).expect("no limit").expect("some layout fits");
//! assert_eq!(likelihood.of[grid.cell(7, 8)], 2.0 / 8.0);
//! assert_eq!(likelihood.of[grid.cell(0, 0)], 97.0 / 471.0);
//! ```
//!
//! | file | what it holds |
//! |---|---|
//! | `grid.rs`, `board.rs` | cells and what is known of them; a board, from a text or from facts |
//! | `adjacency.rs`, `neighbors.rs` | which cells a number counts: a king's, a torus', a knight's, hexagons, one's own |
//! | `written.rs`, `replay.rs` | a board as people write it, and as other programs keep a game |
//! | `obvious.rs`, `pattern.rs`, `probability.rs` | the three stages: one number, a window, the whole board |
//! | `frontier.rs`, `elimination.rs`, `count.rs`, `coupling.rs`, `weight.rs` | how layouts are counted |
//! | `sample.rs` | a layout drawn at random |
//! | `wide.rs` | what is certain where they are not |
//! | `layouts.rs` | layouts one by one, where they are few |
//! | `conflict.rs`, `explain.rs` | why: the fewest numbers from which something follows |
//! | `backtracking.rs`, `vouch.rs` | an independent check |
//! | `grounded.rs` | the engine `asp` |
//! | `why.rs` | why a board is contradictory, why a cell is decided or not, what a guess would tell |
//! | `answer.rs`, `text.rs` | what is said of a board, its check, and how it looks |
//! | `play/` | the game, and the bot that plays it |
//! | `played.rs` | a board in play, by a person |
//! | `window/` | the bot at the window of another program |
//! | `generate.rs` | boards, and boards that need no guess |

pub mod adjacency;
mod answer;
mod backtracking;
pub mod board;
mod certify;
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
mod neighbors;
mod obvious;
mod pattern;
pub mod play;
mod played;
pub mod probability;
mod replay;
mod sample;
mod text;
mod vouch;
mod weight;
mod why;
mod wide;
pub mod window;
mod written;

use std::ops::ControlFlow;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use num_bigint::BigUint;
use serde::Serialize;
use serde_json::{Value, json};

use super::{About, Because, Encoding, Fits, Found, Puzzle, Readers, Role, Shipped, Solved, Table, knows_not, rules};
use crate::asp::{self, Signature, syntax};
use crate::certificate::Certificate;
use crate::diagnostic::{Diagnostic, Failure};
use crate::document::{Document, Notation};
use crate::ending::{Certified, Ending, Uniqueness, Verdict};
use crate::job::Job;
use crate::picture::Picture;
use crate::played::Game;
use crate::puzzle::Tool;
use crate::report::{Format, Style};
use crate::why::{Question, Source, Told};
pub use answer::Answer;
pub use board::Board;
pub use conflict::Conflict;
use count::Budget;
use grid::Cell;
use obvious::Contradiction;
use probability::Likelihood;

#[derive(Debug, Clone, Copy)]
pub struct Minesweeper;

/// The rules of a layout; with each goes a file that says what a number counts.
const RULES: Shipped = rules::shipped!("minesweeper/layout.lp");
const LAYOUT: Encoding = Encoding { name: "layout", files: &[RULES, rules::shipped!("minesweeper/king.lp")] };
const TORUS: Encoding = Encoding { name: "torus", files: &[RULES, rules::shipped!("minesweeper/torus.lp")] };
const HEXAGONS: Encoding = Encoding { name: "hexagons", files: &[RULES, rules::shipped!("minesweeper/hexagons.lp")] };
const KNIGHT: Encoding = Encoding { name: "knight", files: &[RULES, rules::shipped!("minesweeper/knight.lp")] };

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Engine {
    /// Counts all layouts
    Csp,
    /// clingo, by the encoding
    Asp,
}

/// Why there is no layout, if there is none.
#[derive(Debug, Default, Serialize)]
pub struct Proof {
    #[serde(skip)]
    conflict: Option<Conflict>,
    /// The conflict for JSON: row and column of each number and flag, and whether the total is needed.
    #[serde(rename = "contradiction", skip_serializing_if = "Option::is_none")]
    told: Option<Value>,
    #[serde(skip)]
    because: Option<Because>,
    /// What came of certifying what is certain.
    #[serde(skip)]
    certificate: Option<Certified>,
}

impl Proof {
    fn of(board: &Board, conflict: Conflict) -> Self {
        let (numbers, flags): (Vec<usize>, Vec<usize>) =
            conflict.clues.iter().partition(|&&clue| board.position.cells[clue].is_number());
        let places = |cells: &[usize]| board.position.grid.places(cells);
        let mut told = json!({ "numbers": places(&numbers), "total": conflict.needs_total });
        if !flags.is_empty() {
            told["flags"] = json!(places(&flags));
        }
        Proof { conflict: Some(conflict), told: Some(told), ..Proof::default() }
    }
}

#[derive(Debug, Clone, Default, Args)]
pub struct Options {}

impl Puzzle for Minesweeper {
    type Options = Options;
    type Engine = Engine;
    type Board = Board;
    type Answer = Answer;
    type Proof = Proof;

    fn about(&self) -> About {
        About {
            name: "minesweeper",
            summary: "mines below closed cells: what is certain, how likely the rest is, and why",
            input: "a line `mines N` and rows of 0-8 . ? # F, or facts cell/2, number/3, flag/2, mines/1",
            more: &[],
            example: r"printf 'mines 2\n??1\n?2?\n' | asp-solve -",
            encodings: &[LAYOUT, TORUS, KNIGHT, HEXAGONS],
            facts: &["cell", "number", "flag", "mines"],
            has_options_for_answer_sets: false,
            fits: Fits::Line,
            pictures: &[Format::Svg, Format::Html],
            read_by: &[
                ("threads", Readers::Engines(&["asp"])),
                ("certify", Readers::CERTIFIED),
                ("proof", Readers::CERTIFIED),
            ],
        }
    }

    fn recognise(&self, document: &Document) -> Role {
        let text = &document.text;
        if document.notation() == Notation::Json {
            let is_board = text.contains("mines") && written::looks_like_a_board(text);
            return if is_board { Role::Instance } else { Role::Neither };
        }
        if document.notation() != Notation::Program {
            return Role::Neither;
        }
        if written::looks_like_a_board(text) || board::has_facts(text) {
            return Role::Instance;
        }
        if !text.contains("mine") || !text.contains("number") {
            return Role::Neither;
        }
        let is_encoding = syntax::statements(text).iter().any(|statement| statement.head == Some(("mine", 2)));
        if is_encoding { Role::Encoding } else { Role::Neither }
    }

    fn programs(&self, documents: &[Document]) -> Vec<Document> {
        if board::is_text(documents) { Vec::new() } else { documents.to_vec() }
    }

    fn resembles(&self, document: &Document) -> f64 {
        written::share_of_signs(&document.text)
    }

    fn parse(&self, job: &Job) -> Result<Board, Failure> {
        Board::parse(job)
    }

    /// Whoever names rules and wants answer sets wants clingo to decide.
    fn usual_engine(&self, board: &Board, job: &Job) -> Engine {
        let wants_answer_sets = job.names_encodings && job.format.is_answer_sets();
        if board.is_plain && !wants_answer_sets { Engine::Csp } else { Engine::Asp }
    }

    fn program(&self, board: &Board, job: &Job) -> Result<asp::Program, Failure> {
        Ok(grounded::program(board, job))
    }

    fn certificate_difference(
        &self,
        board: &Board,
        job: &Job,
        certificate: &Certificate,
    ) -> Result<Option<String>, Failure> {
        certify::difference(board, job, certificate)
    }

    fn solve(
        &self,
        board: &Board,
        engine: Engine,
        job: &Job,
        found: Found<'_, Answer>,
    ) -> Result<Ending<Proof>, Failure> {
        let mut decided = Vec::new();
        let mut ending = self.solve_unexplained(board, engine, job, &mut |answer| {
            decided = answer.decided(&board.position);
            found(answer)
        })?;
        if job.certify.is_asked() {
            ending.proof.certificate = Some(certify::certified(board, &decided, ending.verdict, job)?);
        }
        if let Some(conflict) = &ending.proof.conflict {
            let parts = why::parts(board, conflict, &job.documents);
            // All sets of one and of two are looked at.
            let is_smallest = parts.len() <= 2 && board.is_plain;
            ending.proof.because = (!parts.is_empty()).then_some(Because { parts, is_smallest });
        }
        Ok(ending)
    }

    fn knows_rules(&self, board: &Board, _: &Job) -> bool {
        board.is_plain
    }

    fn check(&self, board: &Board, answer: &Answer) -> Result<(), String> {
        answer.check(board)
    }

    /// The numbers of a contradiction have no layout, by a search that shares nothing with the engines.
    fn vouch(&self, known: &Solved<Self>) -> Result<(), String> {
        match &known.proof().conflict {
            Some(conflict) if known.board().is_plain => {
                let mut nodes = backtracking::Nodes::new(vouch::FEW, &known.job.stop);
                vouch::check_conflict(&known.board().position, conflict, &mut nodes)?;
                Ok(())
            }
            None if known.verdict == Verdict::Impossible => Err("nothing is said to be in conflict".to_owned()),
            _ => Ok(()),
        }
    }

    fn source(&self, board: &Board, job: &Job) -> Result<Source, Failure> {
        let source = why::source(board, grounded::program(board, job), &job.documents);
        Ok(Source { shape: vec![Signature::new("cell", 2)], ..source })
    }

    fn why(&self, board: &Arc<Board>, job: &Job, question: &Question) -> Result<Option<Told>, Failure> {
        why::why(board, job, question)
    }

    fn game(&self, board: &Arc<Board>, job: &Job) -> Result<Option<Box<dyn Game>>, Failure> {
        Ok(Some(Box::new(played::Swept::new(board, job)?)))
    }

    fn certificate<'a>(&self, known: &'a Solved<Self>) -> Option<&'a Certified> {
        known.proof().certificate.as_ref()
    }

    fn because<'a>(&self, known: &'a Solved<Self>) -> Option<&'a Because> {
        known.proof().because.as_ref()
    }

    /// A solution is a layout, and an answer tells of all of them.
    fn uniqueness(&self, known: &Solved<Self>) -> Uniqueness {
        let Some(answer) = known.answers.first().filter(|_| known.job.asks_unique) else {
            return known.uniqueness_of(0);
        };
        let is_certain = |cell: usize| matches!(answer.probabilities[cell], Some(0.0 | 1.0));
        match &answer.configurations {
            Some(layouts) if *layouts == BigUint::from(1_u8) => Uniqueness::One,
            Some(_) => Uniqueness::NotOne,
            None if !known.complete => Uniqueness::Unknown,
            None if known.board().position.all(Cell::Closed).all(is_certain) => Uniqueness::One,
            None => Uniqueness::NotOne,
        }
    }

    fn json(&self, board: &Board, answer: &Answer) -> Value {
        json!(answer.json(board))
    }

    fn text(&self, known: &Solved<Self>, style: &Style) -> String {
        text::page(known, style)
    }

    fn table(&self, board: &Board, answers: &[Answer]) -> Table {
        let rows = |(number, answer)| text::rows(board, answer).into_iter().map(move |row| (number, row));
        let columns = text::COLUMNS.map(str::to_owned).to_vec();
        Table { columns, rows: answers.iter().enumerate().flat_map(rows).collect(), ..Table::default() }
    }

    fn draw(&self, known: &Solved<Self>, answer: Option<&Answer>) -> Result<Option<Picture>, Failure> {
        let conflict = || known.proof().conflict.as_ref().map(|conflict| text::conflict_picture(known, conflict));
        Ok(answer.map(|answer| text::picture(known.board(), answer)).or_else(conflict))
    }

    fn tools(&self) -> &'static [&'static dyn Tool] {
        &[&play::Player, &generate::Generate]
    }
}

impl Minesweeper {
    fn solve_unexplained(
        self,
        board: &Board,
        engine: Engine,
        job: &Job,
        found: Found<'_, Answer>,
    ) -> Result<Ending<Proof>, Failure> {
        // Neighbours of one's own are counted as all others are, unless clingo is asked for by its name.
        let is_counted = board.is_plain && !job.rules.are_shipped() && job.engine.is_none();
        if engine == Engine::Asp && !is_counted {
            return grounded::solve(board, job, found);
        }
        if !board.is_plain {
            return Err(knows_not("the engine csp", &job.rules).help("--engine asp works with any rules").into());
        }
        let budget = Budget::of(job);
        match probability::likelihood(&board.position, &budget) {
            Ok(Ok(likelihood)) => counted(board, likelihood, &budget, found),
            Ok(Err(contradiction)) => impossible(board, &contradiction, &budget),
            Err(reason) => wide::solve(board, reason, job, found),
        }
    }
}

/// All probabilities are known.
fn counted(
    board: &Board,
    likelihood: Likelihood,
    budget: &Budget,
    found: Found<'_, Answer>,
) -> Result<Ending<Proof>, Failure> {
    let position = &board.position;
    let mut answer = Answer::of(position, &likelihood);
    let mut warnings = Vec::new();
    match explain::reasons(position, &answer.decided(position), budget) {
        Ok(reasons) => answer.reasons = reasons,
        Err(reason) => warnings.push(Diagnostic::warning(format!("not all cells are explained: {}", reason.words()))),
    }
    answer.choose();
    if answer.safe.is_empty() {
        let guess = play::best_guess(position, &likelihood.of, budget);
        answer.best = guess.iter().map(|guess| guess.cell).collect();
        answer.chance = guess.and_then(|guess| guess.chance);
    }
    let _: ControlFlow<()> = found(answer)?;
    let statistics = json!({ "states": likelihood.states });
    Ok(Ending { verdict: Verdict::Solved, complete: true, proof: Proof::default(), statistics, warnings })
}

/// Nothing fits.
fn impossible(board: &Board, contradiction: &Contradiction, budget: &Budget) -> Result<Ending<Proof>, Failure> {
    let position = &board.position;
    // Where it cannot be made smaller in time, all that is known is to blame.
    let all = || position.cells_that(|cell| cell.is_number() || cell == Cell::Mine).collect();
    let conflict = conflict::smallest(position, contradiction, budget)
        .unwrap_or_else(|_| Conflict { clues: all(), needs_total: position.mines.is_some() });
    Ok(Ending { proof: Proof::of(board, conflict), ..Ending::of(Verdict::Impossible, true) })
}
