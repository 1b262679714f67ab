//! The puzzle `minesweeper`.

use std::sync::Arc;

use num_bigint::BigUint;
use serde_json::{Value, json};

use super::answer::Answer;
use super::board::{self, Board};
use super::encodings::{HEXAGONS, KNIGHT, LAYOUT, TORUS};
use super::grid::Cell;
use super::proof::Proof;
use super::solve::{self, MinesweeperEngine};
use super::{Minesweeper, MinesweeperOptions};
use super::{backtracking, certify, clingo, generate, play, recheck, session, text, text_board, why};
use crate::asp::{self, Signature, syntax};
use crate::certificate::Certificate;
use crate::diagnostic::Failure;
use crate::document::{Document, Notation};
use crate::ending::{Certification, SearchEnd, Uniqueness, Verdict};
use crate::job::Job;
use crate::picture::Picture;
use crate::play::Game;
use crate::puzzle::{
    About, AnswerSink, InstanceUnit, OptionReaders, Puzzle, Role, RunResult, Table, Tool, UnsolvableCause,
};
use crate::report::{Format, Style};
use crate::why::{ExplainInput, ExplainQuery, Explanation};

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
        solve::solve(board, engine, job, sink)
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
