//! The trait [`Puzzle`] for puzzles that a file defines.

use std::sync::Arc;

use base::diagnostic::{Code, Diagnostic, Failure};
use base::document::Document;
use base::ending::{SearchEnd, Uniqueness};
use base::style::Style;
use clap::ValueEnum;
use drawing::Drawing;
use explain::{ExplainInput, ExplainQuery, Explanation};
use picture::Picture;
use picture::graph::Graph;
use puzzle::Format;
use puzzle::job::Job;
use puzzle::{
    About, AnswerSink, Capabilities, ClingoProgram, CountSolutions, CountedProgram, Describe, Draw, DrawGraph,
    EngineOption, Example, Explain, InputDocuments, InstanceUnit, OpenBoard, ProgramOptions, Puzzle, Role, RuleSupport,
    RunResult, Selection, Table, Tabulate, Tool, ignored_option,
};
use serde_json::Value;

use super::definition::LogicPuzzle;
use super::header::Header;
use super::present::atoms_text;
use super::recognise::is_program;
use super::solve::{Answer, LogicProof, PuzzleBoard};
use super::{board, generate, square};

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Engine {
    Asp,
    #[value(hide = true)]
    Native,
}

impl Describe for LogicPuzzle {
    fn about(&self) -> About<'_> {
        let definition = &**self.definition;
        let (input, instance_unit) = if definition.is_program {
            ("a logic program that is not another puzzle", InstanceUnit::Object)
        } else {
            ("a text board with a line `puzzle NAME`, facts, or a link of puzz.link", InstanceUnit::Line)
        };
        About {
            name: &self.name,
            title: if definition.is_program { "Logic program" } else { &definition.header.title },
            summary: &definition.summary,
            input,
            more: &definition.more,
            encodings: &definition.encodings,
            rule_support: RuleSupport::CheckOnly,
            has_options_for_answer_sets: true,
            instance_unit,
            pictures: &definition.pictures,
        }
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn example(&self) -> Option<Example> {
        let (file_name, options) = if self.definition.is_program {
            ("queens.lp", "-n 0")
        } else {
            (&*format!("{}.txt", self.name), "--unique")
        };
        Some(Example::named(file_name)?.with_options(options))
    }

    fn input_predicates(&self) -> Vec<&str> {
        if self.definition.is_program {
            return Vec::new();
        }
        let general =
            ["puzzle", "start", "rows", "columns", "sign", "part", "wall", "area", "left", "right", "top", "bottom"];
        let variants = self.definition.variants.iter().map(|variant| &variant.header);
        let headers = [&self.definition.header].into_iter().chain(variants);
        general.into_iter().chain(headers.flat_map(Header::inputs)).collect()
    }

    fn tools(&self) -> Vec<Box<dyn Tool>> {
        if self.offers_generate() { vec![Box::new(generate::GeneratePuzzle(self.clone()))] } else { Vec::new() }
    }

    fn has_alias(&self, name: &str) -> bool {
        self.is_named(name)
    }

    fn may_recognise_unnamed(&self, document: &Document) -> bool {
        self.may_be_unnamed(document)
    }

    fn recognise(&self, document: &Document) -> Role {
        self.role_of(document)
    }

    fn similarity(&self, document: &Document) -> f64 {
        f64::from(u8::from(self.is_plain_square() && square::is_nearly_a_square(&document.text)))
    }

    fn inputs(&self) -> &dyn InputDocuments {
        self
    }
}

impl OpenBoard for LogicPuzzle {
    type Options = ProgramOptions;
    type Engine = Engine;
    type Board = PuzzleBoard;

    fn parse(&self, job: &Job) -> Result<PuzzleBoard, Failure> {
        self.parse_board(job)
    }

    fn reads(&self, engine: Engine, option: EngineOption) -> bool {
        match option {
            EngineOption::Certificate => true,
            EngineOption::Selection => engine == Engine::Asp,
            _ => option.is_read_by_default(engine),
        }
    }

    fn check_options(&self, engine: Engine, job: &Job) -> Result<(), Failure> {
        let reads = |engine| engine == Engine::Asp;
        if !reads(engine) && !job.options::<ProgramOptions>().clingo.is_empty() {
            return Err(ignored_option(self, engine, "clingo", reads).into());
        }
        Ok(())
    }
}

impl Puzzle for LogicPuzzle {
    type Answer = Answer;
    type Proof = LogicProof;

    fn solve(
        &self,
        board: &PuzzleBoard,
        _engine: Engine,
        job: &Job,
        sink: AnswerSink<'_, Answer>,
    ) -> Result<SearchEnd<LogicProof>, Failure> {
        let embedded = job.sources.documents.iter().find_map(|document| self.embedded_solution(document));
        let (Some(embedded), Some(grid)) = (embedded, &board.grid) else { return self.solve_board(board, job, sink) };
        // Whether some answer is the solution in the address, and the first difference if none is.
        let (mut is_found, mut difference) = (false, None);
        let mut search_end = self.solve_board(board, job, &mut |answer| {
            match embedded.difference(&answer.atoms, grid) {
                None => is_found = true,
                other => difference = difference.take().or(other),
            }
            sink(answer)
        })?;
        if let Some(difference) = difference.filter(|_| !is_found) {
            let text = format!("the solution in the address differs from ours: {difference}");
            search_end.warnings.push(Diagnostic::warning(Code::InvalidInstance, text));
        }
        Ok(search_end)
    }

    /// Checks that the answer is an answer set of the ground program. There is no other definition
    /// of the puzzle to check it against.
    fn check_answer(&self, board: &PuzzleBoard, answer: &Answer) -> Result<(), String> {
        let (Some(ground), Some(true_atoms)) = (board.ground.get(), &answer.true_atoms) else { return Ok(()) };
        let ground = ground.lock();
        let checked = ground::check_answer(&ground, |atom| true_atoms.contains(&atom), &answer.costs.costs);
        checked.map(|_| ()).map_err(|flaw| flaw.to_string())
    }

    fn for_output(&self, answer: Answer, job: &Job) -> Answer {
        let drawing = if job.output.format == Format::Lines { Drawing::default() } else { answer.drawing };
        Answer { true_atoms: None, drawing, ..answer }
    }

    fn check_output(
        &self,
        board: &Arc<PuzzleBoard>,
        job: &Job,
        answer: &Answer,
    ) -> Result<Result<(), String>, Failure> {
        self.find_shown_atoms(board, job, answer)
    }

    /// Checks that no two solutions of a puzzle show the same atoms, unless they are drawn at random.
    fn verify_claims(&self, known: &RunResult<Self>) -> Result<(), String> {
        if matches!(known.job.question.selection, Selection::Sample { .. }) {
            return Ok(());
        }
        match known.answers.windows(2).find(|pair| pair[0].atoms == pair[1].atoms) {
            Some(_) if !self.definition.is_program => Err("two solutions are equal".to_owned()),
            _ => Ok(()),
        }
    }

    fn json(&self, _: &PuzzleBoard, answer: &Answer) -> Value {
        self.json_of_answer(answer)
    }

    fn text(&self, known: &RunResult<Self>, style: &Style) -> String {
        self.text_of_run(known, style)
    }

    fn capabilities(&self) -> Capabilities<'_, Self> {
        Capabilities {
            program: Some(self),
            explain: Some(self),
            draw: Some(self),
            graph: Some(self),
            table: Some(self),
            page_table: Some(|puzzle, _, answers| puzzle.page_table(answers)),
            export: Some(LogicPuzzle::export_board),
            playable_page: Some(LogicPuzzle::page_for_play),
            solutions: Some(self),
            sort: Some(sort_answers),
            answer_of_atoms: Some(Answer::of),
            ..Capabilities::default()
        }
    }
}

impl InputDocuments for LogicPuzzle {
    fn programs(&self, documents: &[Document]) -> Vec<Document> {
        documents.iter().filter(|document| is_program(document)).cloned().collect()
    }

    fn required_encodings(&self, documents: &[Document]) -> Vec<&str> {
        self.mentioned_variants(documents)
    }

    fn warnings(&self, documents: &[Document]) -> Result<Vec<Diagnostic>, Failure> {
        self.input_warnings(documents)
    }
}

impl ClingoProgram<LogicPuzzle> for LogicPuzzle {
    fn program(&self, board: &PuzzleBoard, _: &Job) -> Result<asp::Program, Failure> {
        Ok(board.program.clone())
    }

    fn source(&self, board: &PuzzleBoard, job: &Job) -> Result<ExplainInput, Failure> {
        let program = self.program(board, job)?;
        let boards = self.located_clues(&job.sources.documents)?;
        // In a custom program, predicates such as `rows` or `wall` may have any meaning.
        if self.definition.is_program {
            return Ok(ExplainInput { program, boards, ..ExplainInput::default() });
        }
        let shape = board::SHAPE_PREDICATES.map(|(name, arity)| asp::Signature::new(name, arity)).to_vec();
        Ok(ExplainInput { program, boards, shape, clues: Some(board::clue_of_each_fact) })
    }

    fn counted(&self, board: &PuzzleBoard, job: &Job) -> Result<CountedProgram, Failure> {
        if self.lacks_rules(job) {
            let text = format!("the rules of {} are not included", self.name);
            return Err(Diagnostic::error(Code::Unsupported, text).help("-e FILE adds yours").into());
        }
        Ok(CountedProgram { program: self.program(board, job)?, is_projected: self.projects_answers(&board.program) })
    }

    fn has_cubes(&self) -> bool {
        true
    }

    fn streams_answers(&self, board: &PuzzleBoard, job: &Job) -> bool {
        self.definition.is_program && (!board.is_drawn || job.output.format == Format::Lines)
    }
}

impl Explain<LogicPuzzle> for LogicPuzzle {
    fn why(
        &self,
        board: &Arc<PuzzleBoard>,
        job: &Job,
        question: &ExplainQuery,
    ) -> Result<Option<Explanation>, Failure> {
        self.explain_board(board, job, question)
    }
}

impl Draw<LogicPuzzle> for LogicPuzzle {
    fn draw(&self, known: &RunResult<Self>, answer: Option<&Answer>) -> Result<Option<Picture>, Failure> {
        self.picture_of(known, answer)
    }
}

impl DrawGraph<LogicPuzzle> for LogicPuzzle {
    fn graph(&self, _: &PuzzleBoard, answer: Option<&Answer>) -> Option<Graph> {
        answer.and_then(|answer| answer.drawing.graph(&self.name))
    }
}

impl Tabulate<LogicPuzzle> for LogicPuzzle {
    fn table(&self, _: &PuzzleBoard, answers: &[Answer]) -> Table {
        let row = |answer: &Answer| vec![atoms_text(answer)];
        Table {
            columns: vec!["answer".to_owned()],
            rows: answers.iter().map(row).enumerate().collect(),
            ..Table::default()
        }
    }
}

impl CountSolutions<LogicPuzzle> for LogicPuzzle {
    /// A single answer with a cost proves nothing about uniqueness: solutions with a higher cost
    /// were not searched for.
    fn uniqueness(&self, known: &RunResult<Self>) -> Uniqueness {
        let has_costs = known.answers.iter().any(|answer| !answer.costs.is_empty());
        match known.uniqueness_of(known.answers.len() as u64) {
            Uniqueness::One if has_costs => Uniqueness::Unknown,
            // `answers` includes those of earlier steps.
            Uniqueness::One | Uniqueness::NotOne if known.proof().earlier > 0 => Uniqueness::Unknown,
            uniqueness => uniqueness,
        }
    }
}

/// Sorts answers by their atoms.
fn sort_answers(answers: &mut [Answer]) {
    answers.sort_by(|one, other| one.atoms.cmp(&other.atoms));
}
