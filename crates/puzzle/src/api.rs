//! What a puzzle is: its description, its boards, how it is solved, and its optional capabilities.
//!
//! ```text
//!   Describe       name, recognition, tools          object-safe; `AnyPuzzle` builds on it
//!   OpenBoard      options, engines, boards, parse   shared by `Puzzle` and `OnePlayer`
//!   Puzzle         solve, check, verify, json, text, capabilities
//!   Capabilities   program, explain, play, draw, …   small traits, each read by one component
//! ```

use std::ops::ControlFlow;
use std::sync::Arc;

use crate::format::Format;
use base::diagnostic::{Code, Diagnostic, Failure, Place};
use base::document::Document;
use base::ending::{SearchEnd, Uniqueness, Verdict};
use base::style::Style;
use certificate::Certificate;
use clap::{Args, ValueEnum};
use explain::{ExplainInput, ExplainQuery, Explanation};
use picture::Picture;
use picture::graph::Graph;
use prover::Certification;
use serde::Serialize;
use serde_json::Value;

use super::any_result::{AnyRunResult, uniqueness_words};
use super::cause::UnsolvableCause;
use super::certifying;
use super::example::Example;
use super::options::OptionDeclaration;
use super::rules::Encoding;
use super::selection::SelectionSummary;
use super::tool::{AnyRun, Tool};
use crate::job::{CertifyMode, Job, Rules};

/// The role of a text for a puzzle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// An instance of the puzzle
    Instance,
    /// A logic program that derives the puzzle's answers
    Encoding,
    /// Possibly a logic program: an instance if no other puzzle recognises it.
    Program,
    Neither,
}

impl Role {
    /// The role of a text that is an instance or nothing else.
    pub fn instance_if(is_instance: bool) -> Role {
        if is_instance { Role::Instance } else { Role::Neither }
    }
}

/// The part of a batch file that contains one instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum InstanceUnit {
    #[default]
    Line,
    /// Consecutive non-blank lines
    Paragraph,
    /// A JSON object
    Object,
}

/// The rules that a puzzle's own code supports, apart from the engine `asp`, which takes any rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RuleSupport {
    /// Only the built-in rules
    #[default]
    BuiltinOnly,
    /// Answers are checked by any rules, but claims are verified only by the built-in ones.
    CheckOnly,
    /// Engines, check and claims take the rules from the program.
    Any,
}

impl RuleSupport {
    /// Returns true if engines, check and claims support the rules.
    pub fn supports(self, rules: &Rules) -> bool {
        self == RuleSupport::Any || rules.is_builtin()
    }

    /// Returns true if answers are checked by the rules.
    pub fn checks(self, rules: &Rules) -> bool {
        self == RuleSupport::CheckOnly || self.supports(rules)
    }
}

/// Description of a puzzle, as printed by `asp-solve list`.
#[derive(Clone, Copy, Default)]
pub struct About<'a> {
    pub name: &'a str,
    /// The name for people, such as `Double Choco`; empty if it is `name`.
    pub title: &'a str,
    pub summary: &'a str,
    /// Describes the notation of an instance, by which the puzzle is recognised.
    pub input: &'a str,
    /// Further entries of its file: keywords with their lines.
    pub more: &'a [(&'static str, Vec<String>)],
    /// Its encodings for solving, the default first.
    pub encodings: &'a [Encoding],
    pub rule_support: RuleSupport,
    /// True if its options also apply to every other puzzle when a format prints answer sets.
    pub has_options_for_answer_sets: bool,
    /// The unit of an instance, for `--batch`.
    pub instance_unit: InstanceUnit,
    /// The picture formats of the puzzle.
    pub pictures: &'a [Format],
}

impl About<'_> {
    /// The name for people.
    pub fn display_title(&self) -> &str {
        if self.title.is_empty() { self.name } else { self.title }
    }

    /// The summary without the title.
    pub fn rules(&self) -> &str {
        self.summary.strip_prefix(self.title).and_then(|rest| rest.strip_prefix(": ")).unwrap_or(self.summary)
    }

    /// Returns true for the puzzle of arbitrary logic programs, which has no built-in rules.
    pub fn is_any_program(&self) -> bool {
        self.encodings.is_empty() && self.has_options_for_answer_sets
    }
}

/// An option of solving that only some engines read; the command rejects it with the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EngineOption {
    DepthLimit,
    NodeLimit,
    Heuristic,
    Threads,
    Constants,
    Certificate,
    Selection,
}

/// The searches of `statespace::search` that count nodes and moves.
const SEARCHES: [&str; 5] = ["astar", "bidirectional", "idastar", "ids", "bfs"];

impl EngineOption {
    pub const ALL: [EngineOption; 7] = [
        EngineOption::DepthLimit,
        EngineOption::NodeLimit,
        EngineOption::Heuristic,
        EngineOption::Threads,
        EngineOption::Constants,
        EngineOption::Certificate,
        EngineOption::Selection,
    ];

    /// Returns true if an engine reads the option by default: a search of `statespace::search`, or
    /// clingo, each known by its name.
    pub fn is_read_by_default(self, engine: impl ValueEnum) -> bool {
        let engine = engine.to_possible_value();
        let name = engine.as_ref().map_or("", |engine| engine.get_name());
        match self {
            EngineOption::DepthLimit | EngineOption::NodeLimit => SEARCHES.contains(&name),
            EngineOption::Threads => ["idastar", "asp"].contains(&name),
            EngineOption::Constants => true,
            EngineOption::Heuristic | EngineOption::Certificate | EngineOption::Selection => false,
        }
    }

    /// Returns the name of the option, without the dashes, if the job has it.
    pub fn given_in(self, job: &Job) -> Option<&'static str> {
        let engine = &job.engine;
        match self {
            EngineOption::DepthLimit => engine.limits.depth.map(|_| "depth-limit"),
            EngineOption::NodeLimit => engine.limits.nodes.map(|_| "node-limit"),
            EngineOption::Heuristic => engine.heuristic.as_ref().map(|_| "heuristic"),
            // An engine without threads accepts one thread.
            EngineOption::Threads => (job.num_threads() > 1).then_some("threads"),
            EngineOption::Constants => (!engine.settings.constants.is_empty()).then_some("const"),
            EngineOption::Certificate => match job.question.certify {
                CertifyMode::No | CertifyMode::IfCheap => None,
                CertifyMode::Check => Some("certify"),
                CertifyMode::Write | CertifyMode::WriteVeriPb => Some("proof"),
            },
            EngineOption::Selection => job.question.selection.option(),
        }
    }
}

/// A file that defines a puzzle, in a folder of encodings.
#[derive(Debug, Clone)]
pub struct PuzzleFile {
    /// One of `FOLDERS` of the crate `pencil`.
    pub folder: &'static str,
    pub name: String,
    pub text: Arc<str>,
}

/// Answers as rows of a table.
#[derive(Default)]
pub struct Table {
    pub columns: Vec<String>,
    /// Rows with the indices of their answers, from 0.
    pub rows: Vec<(usize, Vec<String>)>,
    /// The names and values of settings, if the first cells of a row are a setting.
    pub settings: Vec<(String, Vec<String>)>,
    /// On a page, each row is a step that leads to this number of further frames of its answer's
    /// picture; if 0, rows are no steps.
    pub frames_per_row: usize,
    /// The singular and plural noun of a row; by default "answer".
    pub nouns: Option<[String; 2]>,
    /// A remark about all rows.
    pub note: String,
}

impl Table {
    /// The rows of each answer.
    pub fn of<A>(columns: Vec<String>, answers: &[A], rows: impl Fn(&A) -> Vec<Vec<String>>) -> Table {
        let rows_of = |(number, answer)| rows(answer).into_iter().map(move |row| (number, row));
        Table { columns, rows: answers.iter().enumerate().flat_map(rows_of).collect(), ..Table::default() }
    }
}

/// Receives each answer as it is found, and decides whether the search continues.
pub type AnswerSink<'f, A> = &'f mut (dyn FnMut(A) -> Result<ControlFlow<()>, Failure> + Send);

/// The description of a puzzle, how it recognises its instances, and its tools.
pub trait Describe: Send + Sync {
    fn about(&self) -> About<'_>;
    fn name(&self) -> &str {
        self.about().name
    }
    /// The predicates of instances that are logic programs.
    fn input_predicates(&self) -> Vec<&str> {
        Vec::new()
    }
    /// A board of this puzzle that is embedded in the executable.
    fn example(&self) -> Option<Example> {
        None
    }
    /// Its further commands.
    fn tools(&self) -> Vec<Box<dyn Tool>> {
        Vec::new()
    }
    /// Returns true if a board may name this puzzle by `name`.
    fn has_alias(&self, name: &str) -> bool {
        self.name() == name
    }
    /// Returns false if a text that names no puzzle is no instance of this puzzle, which a file
    /// defines. This is cheaper than to recognise the text.
    fn may_recognise_unnamed(&self, _document: &Document) -> bool {
        false
    }
    fn recognise(&self, document: &Document) -> Role;
    /// The similarity of an unrecognised text to an instance, from 0 to 1.
    fn similarity(&self, _document: &Document) -> f64 {
        0.0
    }
    /// What the documents of an instance contain besides the board.
    fn inputs(&self) -> &dyn InputDocuments {
        &ProgramsOnly
    }
}

/// What the documents of an instance contain besides the board.
pub trait InputDocuments {
    /// The documents that clingo reads, which may add rules. Boards that the puzzle parses by
    /// itself are not among them, even if they look like logic programs.
    fn programs(&self, documents: &[Document]) -> Vec<Document> {
        documents.to_vec()
    }
    /// The names of the encodings with additional rules that the instance requires.
    fn required_encodings(&self, _documents: &[Document]) -> Vec<&str> {
        Vec::new()
    }
    /// Warnings about the documents, for every task.
    fn warnings(&self, _documents: &[Document]) -> Result<Vec<Diagnostic>, Failure> {
        Ok(Vec::new())
    }
}

/// Documents that clingo reads, and nothing else.
struct ProgramsOnly;

impl InputDocuments for ProgramsOnly {}

/// The types of a puzzle, and its parser.
pub trait OpenBoard: Describe + Clone + 'static {
    /// Command-line options of this puzzle only.
    type Options: Args + Default + Send + Sync;
    /// The engines, the default first. The engine named `asp` is clingo.
    type Engine: ValueEnum + Copy + PartialEq + Send + Sync;
    /// A parsed instance: all that an engine may rely on.
    type Board: Send + Sync + 'static;

    /// Parses the instance. Rejects everything that the engines cannot handle, with its place.
    fn parse(&self, job: &Job) -> Result<Self::Board, Failure>;
    /// The default engine for the built-in rules.
    fn default_engine(&self, _board: &Self::Board, _job: &Job) -> Self::Engine {
        Self::Engine::value_variants()[0]
    }
    /// Returns true if an engine reads an option. By default, this follows from its name.
    fn reads(&self, engine: Self::Engine, option: EngineOption) -> bool {
        option.is_read_by_default(engine)
    }
    /// Rejects the puzzle's own options that have no effect with the engine, the other options or the
    /// output format.
    fn check_options(&self, _engine: Self::Engine, _job: &Job) -> Result<(), Failure> {
        Ok(())
    }
    /// The rules that the puzzle's own code supports for a board.
    fn rule_support(&self, _board: &Self::Board) -> RuleSupport {
        self.about().rule_support
    }
}

/// A puzzle.
pub trait Puzzle: OpenBoard {
    type Answer: Clone + Send + 'static;
    type Proof: RunProof;

    /// Searches for answers until there are no more, `sink` breaks, or `job.stop` is set.
    fn solve(
        &self,
        board: &Self::Board,
        engine: Self::Engine,
        job: &Job,
        sink: AnswerSink<'_, Self::Answer>,
    ) -> Result<SearchEnd<Self::Proof>, Failure>;
    /// Replays an answer by the built-in rules; shares no code with `solve`. The error names the
    /// broken rule.
    fn check_answer(&self, board: &Self::Board, answer: &Self::Answer) -> Result<(), String>;
    /// Drops the data of a checked answer that only the check or other formats need.
    fn for_output(&self, answer: Self::Answer, _job: &Job) -> Self::Answer {
        answer
    }
    /// As [`Puzzle::check_answer`], for an answer that [`Puzzle::for_output`] returned.
    fn check_output(
        &self,
        board: &Arc<Self::Board>,
        _job: &Job,
        answer: &Self::Answer,
    ) -> Result<Result<(), String>, Failure> {
        Ok(self.check_answer(board, answer))
    }
    /// Verifies all claims other than the answers, by the built-in rules: impossible, optimal,
    /// complete, counts.
    fn verify_claims(&self, solved: &RunResult<Self>) -> Result<(), String>;
    fn json(&self, board: &Self::Board, answer: &Self::Answer) -> Value;
    /// The complete text output.
    fn text(&self, solved: &RunResult<Self>, style: &Style) -> String;
    /// What the puzzle can do besides.
    fn capabilities(&self) -> Capabilities<'_, Self> {
        Capabilities::default()
    }
}

/// The proof of a run: counts, a bound, the cause of unsolvability. Serialises as a JSON object.
pub trait RunProof: Default + Serialize + Send + 'static {
    /// The cause of unsolvability; each part is checked by the puzzle's own rules.
    fn cause(&self) -> Option<&UnsolvableCause> {
        None
    }
    /// The result of certification.
    fn certificate(&self) -> Option<&Certification> {
        None
    }
    /// How the answers were selected, if not as they were found.
    fn selection(&self) -> Option<&SelectionSummary> {
        None
    }
}

/// Writes a board in the notation `format`, perhaps with an answer. Returns `None` if the puzzle does
/// not have this notation.
pub type ExportBoard<P> =
    fn(&P, &<P as OpenBoard>::Board, Format, Option<&<P as Puzzle>::Answer>) -> Result<Option<String>, Failure>;

/// Returns the data of a playable page, if the answers are known and have the values for it.
pub type MakePlayable<P> = fn(&P, &RunResult<P>) -> Result<Option<Value>, Failure>;

/// Returns the table of answers for a page.
pub type MakePageTable<P> = fn(&P, &<P as OpenBoard>::Board, &[<P as Puzzle>::Answer]) -> Table;

/// Reads an answer from its atoms.
pub type AnswerReader<P> = fn(&[&str]) -> Result<<P as Puzzle>::Answer, Failure>;

/// The optional capabilities of a puzzle.
pub struct Capabilities<'a, P: Puzzle> {
    /// Its logic program, if it has an engine `asp`.
    pub program: Option<&'a dyn ClingoProgram<P>>,
    /// Its own explanations; otherwise its logic program is explained.
    pub explain: Option<&'a dyn Explain<P>>,
    /// Its own play; otherwise its logic program is played.
    pub play: Option<&'a dyn Playable<P>>,
    pub draw: Option<&'a dyn Draw<P>>,
    pub graph: Option<&'a dyn DrawGraph<P>>,
    /// Its tables of answers; otherwise a row for each answer has the values of its JSON.
    pub table: Option<&'a dyn Tabulate<P>>,
    /// The table on a page, beside the pictures of the answers; by default `table`.
    pub page_table: Option<MakePageTable<P>>,
    /// Writes the board in the notations for which [`Format::is_board`] is true, with a line end.
    pub export: Option<ExportBoard<P>>,
    /// Returns the data of a self-contained playable page, for `page::playable_page`. Requires known
    /// solutions that consist of the values that a player sets.
    pub playable_page: Option<MakePlayable<P>>,
    /// How answers count for uniqueness; otherwise each answer is a solution.
    pub solutions: Option<&'a dyn CountSolutions<P>>,
    /// Sorts answers canonically.
    pub sort: Option<fn(&mut [P::Answer])>,
    /// Reads an answer that is given by its atoms.
    pub answer_of_atoms: Option<AnswerReader<P>>,
}

impl<P: Puzzle> Default for Capabilities<'_, P> {
    fn default() -> Self {
        Capabilities {
            program: None,
            explain: None,
            play: None,
            draw: None,
            graph: None,
            table: None,
            page_table: None,
            export: None,
            playable_page: None,
            solutions: None,
            sort: None,
            answer_of_atoms: None,
        }
    }
}

impl<'a, P: Puzzle> Capabilities<'a, P> {
    /// The logic program, or the error for a puzzle without one.
    pub fn require_program(&self, puzzle: &P) -> Result<&'a dyn ClingoProgram<P>, Failure> {
        self.program.ok_or_else(|| {
            let text = format!("{} has no engine asp, and so no answer sets", puzzle.name());
            Diagnostic::error(Code::Unsupported, text).into()
        })
    }
}

/// A logic program whose answers are the solutions of a board.
pub struct CountedProgram {
    pub program: asp::Program,
    /// Answers that show the same are one answer, whatever the options say.
    pub is_projected: bool,
}

impl CountedProgram {
    /// Returns the settings of a search for these answers.
    pub fn settings(&self, given: &asp::Settings) -> asp::Settings {
        let mut settings = given.clone();
        if self.is_projected {
            settings.options.push("--project=show".to_owned());
        }
        settings
    }
}

/// A puzzle whose instances are logic programs for clingo.
pub trait ClingoProgram<P: Puzzle> {
    /// The complete logic program.
    fn program(&self, board: &P::Board, job: &Job) -> Result<asp::Program, Failure>;
    /// The logic program to explain, with the positions of its facts in the input.
    fn source(&self, board: &P::Board, job: &Job) -> Result<ExplainInput, Failure> {
        self.program(board, job).map(ExplainInput::from)
    }
    /// The first difference between the program of a certificate and the program that a certificate
    /// of this board has, or `None` if they are equal.
    fn certificate_difference(
        &self,
        board: &P::Board,
        job: &Job,
        certificate: &Certificate,
    ) -> Result<Option<String>, Failure> {
        certifying::difference(certificate, &self.program(board, job)?, &job.engine.settings, &job.stop)
    }
    /// The program whose answers are counted.
    ///
    /// # Errors
    /// The program does not have the rules of the puzzle.
    fn counted(&self, board: &P::Board, job: &Job) -> Result<CountedProgram, Failure> {
        Ok(CountedProgram { program: self.program(board, job)?, is_projected: false })
    }
    /// Returns true if clingo's search for the answers can be split into cubes.
    fn has_cubes(&self) -> bool {
        false
    }
    /// Returns true if answers are printed as clingo finds them, without being stored.
    fn streams_answers(&self, _board: &P::Board, _job: &Job) -> bool {
        false
    }
}

/// A puzzle with explanations of its own.
pub trait Explain<P: Puzzle> {
    /// Explains the verdict, an atom or the next step; `None` to explain the logic program.
    fn why(&self, board: &Arc<P::Board>, job: &Job, question: &ExplainQuery) -> Result<Option<Explanation>, Failure>;
}

/// A puzzle that is played by rules that its own code supports.
pub trait Playable<P: Puzzle> {
    fn game(&self, board: &Arc<P::Board>, job: &Job) -> Result<Box<dyn play::Game>, Failure>;
}

/// A puzzle with pictures.
pub trait Draw<P: Puzzle> {
    /// Draws an answer, or the board alone; `None` if there is nothing to draw.
    fn draw(&self, solved: &RunResult<P>, answer: Option<&P::Answer>) -> Result<Option<Picture>, Failure>;
}

/// A puzzle whose boards or answers are graphs.
pub trait DrawGraph<P: Puzzle> {
    /// The board as a graph with an answer; `None` if it is not a graph.
    fn graph(&self, board: &P::Board, answer: Option<&P::Answer>) -> Option<Graph>;
}

/// A puzzle with tables of answers.
pub trait Tabulate<P: Puzzle> {
    fn table(&self, board: &P::Board, answers: &[P::Answer]) -> Table;
}

/// A puzzle whose answers are not its solutions one by one.
pub trait CountSolutions<P: Puzzle> {
    /// Returns whether there is exactly one solution.
    fn uniqueness(&self, solved: &RunResult<P>) -> Uniqueness;
}

/// A puzzle without its types.
pub trait AnyPuzzle: Describe {
    /// The names of its engines, the default first.
    fn engines(&self) -> Vec<String>;
    /// Its options. Options that several puzzles declare belong to the first of them.
    fn options(&self) -> OptionDeclaration;
    /// Parses the instance.
    ///
    /// # Errors
    /// The instance or the job is invalid. Errors of the instance have their places.
    fn open(&self, job: Job) -> Result<Box<dyn AnyRun>, Failure>;
}

/// The checked result of a run: answers in canonical order, and verified claims.
pub struct RunResult<P: Puzzle> {
    pub puzzle: P,
    pub board: Arc<P::Board>,
    pub job: Arc<Job>,
    /// All answers, or only the first if the output is the verdict alone.
    pub answers: Vec<P::Answer>,
    /// Number of answers found.
    pub found: u64,
    pub verdict: Verdict,
    pub complete: bool,
    pub proof: P::Proof,
    pub statistics: Value,
    pub warnings: Vec<Diagnostic>,
}

impl<P: Puzzle> RunResult<P> {
    /// The parsed instance.
    pub fn board(&self) -> &P::Board {
        &self.board
    }

    /// The answers in canonical order; if they were selected, in the order of selection. With built-in
    /// rules each is checked.
    pub fn answers(&self) -> &[P::Answer] {
        &self.answers
    }

    /// Truncates the answers and sets their number. Tests use it to simulate a defective engine.
    #[doc(hidden)]
    pub fn corrupt(&mut self, answers: usize, found: u64) {
        self.answers.truncate(answers);
        self.found = found;
    }

    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// Returns true if all answers were found or the optimum is proven.
    pub fn complete(&self) -> bool {
        self.complete
    }

    /// Counts, a bound, the cause of unsolvability.
    pub fn proof(&self) -> &P::Proof {
        &self.proof
    }

    /// The rules in effect.
    pub fn rules(&self) -> &Rules {
        &self.job.rules
    }

    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// The cause of unsolvability.
    pub fn cause(&self) -> Option<&UnsolvableCause> {
        self.proof.cause()
    }

    /// Returns whether there is exactly one solution, if the job asks for uniqueness.
    pub fn unique(&self) -> Uniqueness {
        match self.puzzle.capabilities().solutions {
            Some(solutions) => solutions.uniqueness(self),
            None => self.uniqueness_of(self.answers.len() as u64),
        }
    }

    /// The result of certification, if it was requested or cheap.
    pub fn certification(&self) -> Option<&Certification> {
        self.proof.certificate()
    }

    /// How the answers were selected, if they were not reported as they were found.
    pub fn selection(&self) -> Option<&SelectionSummary> {
        self.proof.selection()
    }

    /// The number of answers found. [`answers`](Self::answers()) may store only the first.
    pub fn num_answers(&self) -> u64 {
        self.found
    }

    /// Verdict and answers as in the command's `--format json`.
    pub fn json(&self) -> Value {
        let answers: Vec<Value> = self.answers.iter().map(|answer| self.puzzle.json(&self.board, answer)).collect();
        serde_json::json!({ "verdict": self.verdict.name(), "complete": self.complete, "answers": answers })
    }

    /// The command's text output.
    pub fn text(&self) -> String {
        self.puzzle.text(self, &Style::default())
    }

    /// Draws an answer, or the board alone; `None` if the puzzle has no pictures. [`Picture::svg`]
    /// converts the picture.
    ///
    /// # Errors
    /// The requested layout is not available.
    pub fn picture(&self, answer: Option<&P::Answer>) -> Result<Option<Picture>, Failure> {
        self.puzzle.capabilities().draw.map_or(Ok(None), |draw| draw.draw(self, answer))
    }

    /// The result without the puzzle's types.
    pub fn erased(&self) -> AnyRunResult {
        let mut statistics = self.statistics.clone();
        if let (Some(object), Ok(Value::Object(proof))) =
            (statistics.as_object_mut(), serde_json::to_value(&self.proof))
        {
            // The proof comes first.
            let work = std::mem::replace(object, proof);
            object.extend(work);
        }
        let search_end = SearchEnd {
            verdict: self.verdict,
            complete: self.complete,
            proof: self.unique(),
            statistics,
            warnings: self.warnings.clone(),
        };
        AnyRunResult::new(search_end, self.proof.certificate().cloned()).with_selection(self.proof.selection().cloned())
    }

    /// Returns true if all answers found are stored.
    pub fn stores_all_answers(&self) -> bool {
        self.answers.len() as u64 == self.found
    }

    /// Derives uniqueness from the verdict and the number of answers.
    pub fn uniqueness_of(&self, found: u64) -> Uniqueness {
        Uniqueness::of(self.job.question.is_unique, self.verdict, self.complete, found)
    }

    /// Returns a sentence about uniqueness, if the job asks for it.
    pub fn uniqueness_words(&self) -> Option<String> {
        let words = uniqueness_words(self.unique(), self.verdict, &self.job.rules)?;
        let certificate = self.proof.certificate().filter(|_| self.unique() != Uniqueness::Unknown);
        Some(certificate.map_or(words.clone(), |certified| certified.describe(&words)))
    }
}

/// Returns the single document of a job, for puzzles whose instance is one text.
pub fn only_document<'a>(puzzle: &str, job: &'a Job) -> Result<&'a Document, Failure> {
    match &job.sources.documents[..] {
        [document] => Ok(document),
        documents => {
            let text = format!("{}: {puzzle} takes one file at a time", document_names(documents).join(", "));
            Err(Diagnostic::error(Code::Usage, text).into())
        }
    }
}

/// Locates a fact in the documents.
pub fn place_of_fact(documents: &[Document], fact: &str) -> Option<Place> {
    documents.iter().find_map(|document| {
        let range = asp::syntax::find_fact(&document.text, fact)?;
        Some(Place::of_range(&document.name, &document.text, range))
    })
}

pub fn document_names(documents: &[Document]) -> Vec<String> {
    documents.iter().map(|document| document.name.clone()).collect()
}
