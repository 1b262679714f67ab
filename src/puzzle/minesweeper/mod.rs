//! Minesweeper: possible mines, their probabilities, explanations, and play.
//!
//! A bot can compute the probabilities of a [`KnownPosition`](grid::KnownPosition) directly:
//!
//! ```
//! use asp_solve::puzzle::minesweeper::count::Budget;
//! use asp_solve::puzzle::minesweeper::grid::{Cell, Grid, KnownPosition};
//! use asp_solve::puzzle::minesweeper::probability::likelihood;
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
//! | `grid.rs`, `board.rs` | cells and their state; boards, read from text or facts |
//! | `adjacency.rs`, `neighbors.rs` | neighbourhoods: king, torus, knight, hexagons, custom |
//! | `text_board.rs`, `replay.rs` | text formats of boards, and saved games of other programs |
//! | `obvious.rs`, `pattern.rs`, `probability.rs` | the three stages: single numbers, windows, the whole board |
//! | `frontier.rs`, `elimination.rs`, `count.rs`, `coupling.rs`, `weight.rs` | counting layouts |
//! | `sample.rs` | drawing a layout at random |
//! | `partial.rs` | certain cells of boards that cannot be counted |
//! | `layouts.rs` | enumerating few layouts |
//! | `conflict.rs`, `explain.rs` | minimal conflicts and reasons |
//! | `backtracking.rs`, `recheck.rs` | an independent check |
//! | `clingo.rs`, `certify.rs` | the engine `asp`, and certificates |
//! | `why.rs` | explanations: contradictions, decided and undecided cells, guesses |
//! | `answer.rs`, `text.rs` | the answer, its check, and its output |
//! | `play/` | the game, and the bot |
//! | `session.rs` | playing by hand |
//! | `window/` | the bot at another program's window |
//! | `generate.rs` | boards, and boards that need no guess |

pub mod adjacency;
mod answer;
mod backtracking;
pub mod board;
mod certify;
mod clingo;
mod conflict;
pub mod count;
mod coupling;
mod elimination;
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
pub mod probability;
mod recheck;
mod replay;
mod sample;
mod session;
mod text;
mod text_board;
mod weight;
mod why;
pub mod window;

use std::ops::ControlFlow;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use num_bigint::BigUint;
use serde::Serialize;
use serde_json::{Value, json};

use super::{
    About, AnswerSink, BuiltinFile, Encoding, InstanceUnit, OptionReaders, Puzzle, Role, RunResult, Table,
    UnsolvableCause, rules, unsupported_rules,
};
use crate::asp::{self, Signature, syntax};
use crate::certificate::Certificate;
use crate::diagnostic::{Code, Diagnostic, Failure};
use crate::document::{Document, Notation};
use crate::ending::{Certification, SearchEnd, Uniqueness, Verdict};
use crate::job::Job;
use crate::picture::Picture;
use crate::play::Game;
use crate::puzzle::Tool;
use crate::report::{Format, Style};
use crate::why::{ExplainInput, ExplainQuery, Explanation};
pub use answer::Answer;
pub use board::Board;
pub use conflict::Conflict;
use count::Budget;
use grid::Cell;
use obvious::Contradiction;
use probability::Likelihood;

#[derive(Debug, Clone, Copy)]
pub struct Minesweeper;

/// The rules of a layout. Each encoding adds a file that defines which cells a number counts.
const RULES: BuiltinFile = rules::builtin_file!("minesweeper/layout.lp");
const LAYOUT: Encoding = Encoding { name: "layout", files: &[RULES, rules::builtin_file!("minesweeper/king.lp")] };
const TORUS: Encoding = Encoding { name: "torus", files: &[RULES, rules::builtin_file!("minesweeper/torus.lp")] };
const HEXAGONS: Encoding =
    Encoding { name: "hexagons", files: &[RULES, rules::builtin_file!("minesweeper/hexagons.lp")] };
const KNIGHT: Encoding = Encoding { name: "knight", files: &[RULES, rules::builtin_file!("minesweeper/knight.lp")] };

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MinesweeperEngine {
    /// Counts all layouts
    Csp,
    /// clingo, by the encoding
    Asp,
}

/// The reason why no layout exists, and the certificate of the run.
#[derive(Debug, Default, Serialize)]
pub struct Proof {
    #[serde(skip)]
    conflict: Option<Conflict>,
    /// The conflict as JSON: the row and column of each number and flag, and whether the total is
    /// needed.
    #[serde(rename = "contradiction", skip_serializing_if = "Option::is_none")]
    contradiction_json: Option<Value>,
    #[serde(skip)]
    cause: Option<UnsolvableCause>,
    /// The certificate of the certain cells, or the reason for its absence.
    #[serde(skip)]
    certificate: Option<Certification>,
}

impl Proof {
    fn from_conflict(board: &Board, conflict: Conflict) -> Self {
        let (numbers, flags): (Vec<usize>, Vec<usize>) =
            conflict.clues.iter().partition(|&&clue| board.position.cells[clue].is_number());
        let places = |cells: &[usize]| board.position.grid.places(cells);
        let mut json = json!({ "numbers": places(&numbers), "total": conflict.needs_total });
        if !flags.is_empty() {
            json["flags"] = json!(places(&flags));
        }
        Proof { conflict: Some(conflict), contradiction_json: Some(json), ..Proof::default() }
    }
}

#[derive(Debug, Clone, Default, Args)]
pub struct MinesweeperOptions {}

impl Puzzle for Minesweeper {
    type Options = MinesweeperOptions;
    type Engine = MinesweeperEngine;
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
            instance_unit: InstanceUnit::Line,
            pictures: &[Format::Svg, Format::Html],
            read_by: &[
                ("threads", OptionReaders::Engines(&["asp"])),
                ("certify", OptionReaders::CERTIFIED),
                ("proof", OptionReaders::CERTIFIED),
            ],
        }
    }

    fn recognise(&self, document: &Document) -> Role {
        let text = &document.text;
        if document.notation() == Notation::Json {
            let is_board = text.contains("mines") && text_board::looks_like_a_board(text);
            return if is_board { Role::Instance } else { Role::Neither };
        }
        if document.notation() != Notation::Program {
            return Role::Neither;
        }
        if text_board::looks_like_a_board(text) || board::has_facts(text) {
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

    fn similarity(&self, document: &Document) -> f64 {
        text_board::share_of_signs(&document.text)
    }

    fn parse(&self, job: &Job) -> Result<Board, Failure> {
        Board::parse(job)
    }

    /// Selects clingo if encodings are named and answer sets are requested.
    fn default_engine(&self, board: &Board, job: &Job) -> MinesweeperEngine {
        let wants_answer_sets = job.names_encodings && job.format.is_answer_sets();
        if board.is_plain && !wants_answer_sets { MinesweeperEngine::Csp } else { MinesweeperEngine::Asp }
    }

    fn program(&self, board: &Board, job: &Job) -> Result<asp::Program, Failure> {
        Ok(clingo::program(board, job))
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
        engine: MinesweeperEngine,
        job: &Job,
        sink: AnswerSink<'_, Answer>,
    ) -> Result<SearchEnd<Proof>, Failure> {
        let mut decided = Vec::new();
        let mut end = self.solve_unexplained(board, engine, job, &mut |answer| {
            decided = answer.decided(&board.position);
            sink(answer)
        })?;
        if job.certify.is_requested() {
            end.proof.certificate = Some(certify::certify(board, &decided, end.verdict, job)?);
        }
        if let Some(conflict) = &end.proof.conflict {
            let parts = why::parts(board, conflict, &job.documents);
            // `conflict::smallest_conflict` tries every set of one and of two clues.
            let is_smallest = parts.len() <= 2 && board.is_plain;
            end.proof.cause = (!parts.is_empty()).then_some(UnsolvableCause { parts, is_smallest });
        }
        Ok(end)
    }

    fn supports_rules(&self, board: &Board, _: &Job) -> bool {
        board.is_plain
    }

    fn check_answer(&self, board: &Board, answer: &Answer) -> Result<(), String> {
        answer.check(board)
    }

    /// Verifies that the clues of a contradiction have no layout, with a search that shares no code
    /// with the engines.
    fn verify_claims(&self, result: &RunResult<Self>) -> Result<(), String> {
        match &result.proof().conflict {
            Some(conflict) if result.board().is_plain => {
                let mut nodes = backtracking::NodeBudget::new(recheck::MAX_CHECK_NODES, &result.job.stop);
                recheck::check_conflict(&result.board().position, conflict, &mut nodes)?;
                Ok(())
            }
            None if result.verdict == Verdict::Impossible => Err("no conflict is reported".to_owned()),
            _ => Ok(()),
        }
    }

    fn source(&self, board: &Board, job: &Job) -> Result<ExplainInput, Failure> {
        let source = why::source(board, clingo::program(board, job), &job.documents);
        Ok(ExplainInput { shape: vec![Signature::new("cell", 2)], ..source })
    }

    fn why(&self, board: &Arc<Board>, job: &Job, question: &ExplainQuery) -> Result<Option<Explanation>, Failure> {
        why::explain(board, job, question)
    }

    fn game(&self, board: &Arc<Board>, job: &Job) -> Result<Option<Box<dyn Game>>, Failure> {
        Ok(Some(Box::new(session::Session::new(board, job)?)))
    }

    fn certificate<'a>(&self, result: &'a RunResult<Self>) -> Option<&'a Certification> {
        result.proof().certificate.as_ref()
    }

    fn cause<'a>(&self, result: &'a RunResult<Self>) -> Option<&'a UnsolvableCause> {
        result.proof().cause.as_ref()
    }

    /// A solution is a layout; one answer describes all layouts.
    fn uniqueness(&self, result: &RunResult<Self>) -> Uniqueness {
        let Some(answer) = result.answers.first().filter(|_| result.job.asks_unique) else {
            return result.uniqueness_of(0);
        };
        let is_certain = |cell: usize| matches!(answer.probabilities[cell], Some(0.0 | 1.0));
        match &answer.configurations {
            Some(layouts) if *layouts == BigUint::from(1_u8) => Uniqueness::One,
            Some(_) => Uniqueness::NotOne,
            None if !result.complete => Uniqueness::Unknown,
            None if result.board().position.cells_of(Cell::Closed).all(is_certain) => Uniqueness::One,
            None => Uniqueness::NotOne,
        }
    }

    fn json(&self, board: &Board, answer: &Answer) -> Value {
        json!(answer.json(board))
    }

    fn text(&self, result: &RunResult<Self>, style: &Style) -> String {
        text::page(result, style)
    }

    fn table(&self, board: &Board, answers: &[Answer]) -> Table {
        let rows = |(number, answer)| text::rows(board, answer).into_iter().map(move |row| (number, row));
        let columns = text::COLUMNS.map(str::to_owned).to_vec();
        Table { columns, rows: answers.iter().enumerate().flat_map(rows).collect(), ..Table::default() }
    }

    fn draw(&self, result: &RunResult<Self>, answer: Option<&Answer>) -> Result<Option<Picture>, Failure> {
        let conflict = || result.proof().conflict.as_ref().map(|conflict| text::conflict_picture(result, conflict));
        Ok(answer.map(|answer| text::picture(result.board(), answer)).or_else(conflict))
    }

    fn tools(&self) -> &'static [&'static dyn Tool] {
        &[&play::Player, &generate::GenerateField]
    }
}

impl Minesweeper {
    fn solve_unexplained(
        self,
        board: &Board,
        engine: MinesweeperEngine,
        job: &Job,
        sink: AnswerSink<'_, Answer>,
    ) -> Result<SearchEnd<Proof>, Failure> {
        // Custom neighbourhoods are counted natively as well, unless `--engine asp` is given.
        let is_counted = board.is_plain && !job.rules.is_builtin() && job.engine.is_none();
        if engine == MinesweeperEngine::Asp && !is_counted {
            return clingo::solve(board, job, sink);
        }
        if !board.is_plain {
            return Err(unsupported_rules("the engine csp", &job.rules)
                .help("--engine asp works with any rules")
                .into());
        }
        let budget = Budget::of(job);
        match probability::likelihood(&board.position, &budget) {
            Ok(Ok(likelihood)) => report_probabilities(board, likelihood, &budget, sink),
            Ok(Err(contradiction)) => impossible(board, &contradiction, &budget),
            Err(reason) => partial::solve(board, reason, job, sink),
        }
    }
}

/// Reports the probabilities, the reasons of the certain cells and the best guess.
fn report_probabilities(
    board: &Board,
    likelihood: Likelihood,
    budget: &Budget,
    sink: AnswerSink<'_, Answer>,
) -> Result<SearchEnd<Proof>, Failure> {
    let position = &board.position;
    let mut answer = Answer::from_likelihood(position, &likelihood);
    let mut warnings = Vec::new();
    match explain::reasons(position, &answer.decided(position), budget) {
        Ok(reasons) => answer.reasons = reasons,
        Err(reason) => warnings
            .push(Diagnostic::warning(Code::Stopped, format!("not all cells are explained: {}", reason.words()))),
    }
    answer.choose_best();
    if answer.safe.is_empty() {
        let guess = play::best_guess(position, &likelihood.probabilities, budget);
        answer.best = guess.iter().map(|guess| guess.cell).collect();
        answer.chance = guess.and_then(|guess| guess.chance);
    }
    let _: ControlFlow<()> = sink(answer)?;
    let statistics = json!({ "states": likelihood.states });
    Ok(SearchEnd { verdict: Verdict::Solved, complete: true, proof: Proof::default(), statistics, warnings })
}

/// Reports that no layout fits, with a small conflict.
fn impossible(board: &Board, contradiction: &Contradiction, budget: &Budget) -> Result<SearchEnd<Proof>, Failure> {
    let position = &board.position;
    // If the budget ends before the conflict is minimized, all clues are reported.
    let all_clues = || position.cells_where(|cell| cell.is_number() || cell == Cell::Mine).collect();
    let conflict = conflict::smallest_conflict(position, contradiction, budget)
        .unwrap_or_else(|_| Conflict { clues: all_clues(), needs_total: position.mines.is_some() });
    Ok(SearchEnd { proof: Proof::from_conflict(board, conflict), ..SearchEnd::of(Verdict::Impossible, true) })
}
