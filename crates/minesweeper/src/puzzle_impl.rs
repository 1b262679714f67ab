//! The puzzle `minesweeper`.

use asp::{Signature, syntax};
use base::diagnostic::Failure;
use base::document::{Document, Notation};
use base::ending::{SearchEnd, Uniqueness, Verdict};
use base::style::Style;
use certificate::Certificate;
use explain::ExplainInput;
use num_bigint::BigUint;
use puzzle::Format;
use puzzle::job::Job;
use puzzle::{
    About, AnswerSink, Capabilities, ClingoProgram, CountSolutions, Describe, EngineOption, Example, InputDocuments,
    OpenBoard, Puzzle, Role, RuleSupport, RunResult, Tool,
};
use serde_json::{Value, json};

use super::answer::Answer;
use super::board::{self, Board};
use super::encodings::{HEXAGONS, KNIGHT, LAYOUT, TORUS};
use super::grid::Cell;
use super::proof::Proof;
use super::solve::{self, MinesweeperEngine};
use super::{Minesweeper, backtracking, certify, clingo, generate, play, recheck, text, text_board, why};

impl Describe for Minesweeper {
    fn about(&self) -> About<'_> {
        About {
            name: "minesweeper",
            title: "Minesweeper",
            summary: "mines below closed cells: what is certain, how likely the rest is, and why",
            input: "rows of 0-8 . ? # F and a line `mines N`, or facts cell/2, number/3, flag/2, mines/1",
            encodings: &[LAYOUT, TORUS, KNIGHT, HEXAGONS],
            pictures: &[Format::Svg, Format::Html],
            ..About::default()
        }
    }

    fn example(&self) -> Option<Example> {
        Example::named("minesweeper.txt")
    }

    fn input_predicates(&self) -> Vec<&str> {
        vec!["cell", "number", "flag", "mines", "density"]
    }

    fn tools(&self) -> Vec<Box<dyn Tool>> {
        vec![Box::new(play::Player), Box::new(generate::GenerateField)]
    }

    fn recognise(&self, document: &Document) -> Role {
        let text = &document.text;
        if document.notation() == Notation::Json {
            let is_board = text.contains("mines") && text_board::looks_like_a_board(document);
            return Role::instance_if(is_board);
        }
        if document.notation() != Notation::Program {
            return Role::Neither;
        }
        if text_board::looks_like_a_board(document) || board::has_facts(text) {
            return Role::Instance;
        }
        if !text.contains("mine") || !text.contains("number") {
            return Role::Neither;
        }
        let is_encoding = syntax::statements(text).iter().any(|statement| statement.head == Some(("mine", 2)));
        if is_encoding { Role::Encoding } else { Role::Neither }
    }

    fn similarity(&self, document: &Document) -> f64 {
        text_board::share_of_signs(document)
    }

    fn inputs(&self) -> &dyn InputDocuments {
        self
    }
}

impl OpenBoard for Minesweeper {
    type Options = ();
    type Engine = MinesweeperEngine;
    type Board = Board;

    fn parse(&self, job: &Job) -> Result<Board, Failure> {
        Board::parse(job)
    }

    /// Selects clingo if encodings are named and answer sets are requested.
    fn default_engine(&self, board: &Board, job: &Job) -> MinesweeperEngine {
        let wants_answer_sets = job.sources.names_encodings && job.output.format.is_answer_sets();
        if board.is_plain && !wants_answer_sets { MinesweeperEngine::Csp } else { MinesweeperEngine::Asp }
    }

    fn reads(&self, engine: MinesweeperEngine, option: EngineOption) -> bool {
        option == EngineOption::Certificate || option.is_read_by_default(engine)
    }

    /// Custom rules are supported if they only change the neighbourhood.
    fn rule_support(&self, board: &Board) -> RuleSupport {
        if board.is_plain { RuleSupport::Any } else { RuleSupport::BuiltinOnly }
    }
}

impl Puzzle for Minesweeper {
    type Answer = Answer;
    type Proof = Proof;

    fn solve(
        &self,
        board: &Board,
        engine: MinesweeperEngine,
        job: &Job,
        sink: AnswerSink<'_, Answer>,
    ) -> Result<SearchEnd<Proof>, Failure> {
        solve::solve(board, engine, job, sink)
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

    fn json(&self, board: &Board, answer: &Answer) -> Value {
        json!(answer.json(board))
    }

    fn text(&self, result: &RunResult<Self>, style: &Style) -> String {
        text::page(result, style)
    }

    fn capabilities(&self) -> Capabilities<'_, Self> {
        Capabilities {
            program: Some(self),
            explain: Some(self),
            play: Some(self),
            draw: Some(self),
            table: Some(self),
            solutions: Some(self),
            ..Capabilities::default()
        }
    }
}

impl InputDocuments for Minesweeper {
    fn programs(&self, documents: &[Document]) -> Vec<Document> {
        if board::is_text(documents) { Vec::new() } else { documents.to_vec() }
    }
}

impl ClingoProgram<Minesweeper> for Minesweeper {
    fn program(&self, board: &Board, job: &Job) -> Result<asp::Program, Failure> {
        Ok(clingo::program(board, job))
    }

    fn source(&self, board: &Board, job: &Job) -> Result<ExplainInput, Failure> {
        let source = why::source(board, clingo::program(board, job), &job.sources.documents);
        Ok(ExplainInput { shape: vec![Signature::new("cell", 2)], ..source })
    }

    fn certificate_difference(
        &self,
        board: &Board,
        job: &Job,
        certificate: &Certificate,
    ) -> Result<Option<String>, Failure> {
        certify::difference(board, job, certificate)
    }
}

impl CountSolutions<Minesweeper> for Minesweeper {
    /// A solution is a layout; one answer describes all layouts.
    fn uniqueness(&self, result: &RunResult<Self>) -> Uniqueness {
        let Some(answer) = result.answers.first().filter(|_| result.job.question.is_unique) else {
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
}
