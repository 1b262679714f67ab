//! The trait of puzzles, and the list of all puzzles.
//!
//! An author implements [`Puzzle`] with the puzzle's types; a blanket implementation turns it into
//! an [`AnyPuzzle`], which the command uses independently of the puzzle. A new puzzle is a
//! file in `asp/puzzles/`, without a line of Rust ([`logic`]); a puzzle that native code solves or
//! draws is a folder here and a line in the list. Puzzles whose answer is an optimal plan from a
//! board to a goal implement the smaller trait [`one_player::OnePlayer`].

pub mod amphipod;
pub mod answer_sets;
mod cells;
mod certifying;
mod closing;
mod engines;
mod entry;
mod examples;
mod facade;
pub mod game;
mod generated;
pub mod heuristic;
mod json;
mod line;
pub mod logic;
pub mod minesweeper;
mod native;
mod native_answers;
pub mod one_player;
mod pipeline;
pub mod planning;
mod playing;
mod program;
mod puzzle_report;
pub mod rail;
mod reasons;
mod recognise;
pub mod report;
mod rules;
mod saved;
pub mod taquin;
mod tool;
mod values;

use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};

use clap::{Args, FromArgMatches, ValueEnum};
use serde::Serialize;
use serde_json::Value;

use crate::asp;
use crate::certificate::Certificate;
use crate::diagnostic::{Code, Diagnostic, Failure, Place};
use crate::document::Document;
use crate::ending::{Certification, SearchEnd, Uniqueness};
use crate::graph::Graph;
use crate::job::Job;
use crate::picture::Picture;
use crate::play;
use crate::report::{Format, Style};
use crate::why::{ExplainInput, ExplainQuery, Explanation};
pub use engines::{Engine, PuzzleEngine};
pub use entry::{AnyPuzzle, AnyRun, read_options};
pub use examples::EXAMPLES;
pub use facade::{
    Difficulty, GenerateRequest, all_hints, check, generate, generator, hint, parse_tool_options, solve, solve_each,
    why,
};
pub use native::{PathProof, finish_all};
pub use pipeline::{AnyRunResult, Run, RunResult, name_of, reads_encodings, unsupported_rules};
pub use planning::STEPS;
pub use program::ProgramOptions as AnswerSetOptions;
pub use reasons::UnsolvableCause;
pub use recognise::{Recognition, annotate_guess, by_any_name, by_name, is_inline_instance, recognise, roles};
pub use rules::{BuiltinFile, Encoding};
pub(crate) use tool::has_options;
pub use tool::{Console, Tool, ToolInput, ToolOutput, default_options};

/// The puzzles written in Rust, and the one for logic programs that no other puzzle recognises.
fn written_in_rust() -> &'static [&'static dyn AnyPuzzle] {
    static PROGRAM: OnceLock<logic::LogicPuzzle> = OnceLock::new();
    static WRITTEN: OnceLock<[&'static dyn AnyPuzzle; 6]> = OnceLock::new();
    WRITTEN.get_or_init(|| {
        let program = PROGRAM.get_or_init(logic::LogicPuzzle::program);
        [&rail::Rail, &amphipod::Amphipod, &taquin::Taquin, &minesweeper::Minesweeper, &game::Game, program]
    })
}

/// Command lines for a first try, with descriptions.
pub const FIRST_COMMANDS: [(&str, &str); 3] = [
    ("asp-solve list", "the puzzles; list NAME has an example to paste into a shell"),
    ("asp-solve slither/4/4/dgdh2c71", "a board: a file, or an address of puzz.link"),
    ("asp-solve generate sudoku", "a new board"),
];

static ALL: OnceLock<Vec<&'static dyn AnyPuzzle>> = OnceLock::new();

/// All puzzles, in the order of `asp-solve list`: those written in Rust, then those defined by
/// files.
pub fn all() -> &'static [&'static dyn AnyPuzzle] {
    ALL.get_or_init(|| with_files(&[]))
}

/// Adds puzzles defined by files; has no effect after the first call of [`all`].
pub fn add_files(files: &[PuzzleFile]) {
    let _ = ALL.set(with_files(files));
}

/// The built-in puzzles, and those of `files`.
fn with_files(files: &[PuzzleFile]) -> Vec<&'static dyn AnyPuzzle> {
    written_in_rust().iter().copied().chain(logic::entries(files)).chain(planning::entries(files)).collect()
}

/// A file that defines a puzzle, in a folder of encodings.
pub struct PuzzleFile {
    /// One of [`FOLDERS`].
    pub folder: &'static str,
    pub name: String,
    pub text: Arc<str>,
}

impl PuzzleFile {
    fn logic(&self) -> logic::LogicPuzzle {
        logic::LogicPuzzle::from_file(self.folder, Box::leak(self.name.clone().into_boxed_str()), self.text.clone())
    }
}

/// The folders of files that define puzzles.
pub const FOLDERS: [&str; 2] = [logic::FOLDER, planning::FOLDER];

/// Returns true for puzzles written in Rust.
pub fn is_written_in_rust(name: &str) -> bool {
    written_in_rust().iter().any(|entry| entry.name() == name)
}

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

/// The part of a batch file that contains one instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InstanceUnit {
    Line,
    /// Consecutive non-blank lines
    Paragraph,
    /// A JSON object
    Object,
}

/// Description of a puzzle, as printed by `asp-solve list`.
#[derive(Debug, Clone, Copy)]
pub struct About {
    pub name: &'static str,
    pub summary: &'static str,
    /// Describes the notation of an instance, by which the puzzle is recognised.
    pub input: &'static str,
    /// Further entries of its file: keywords with their lines.
    pub more: &'static [(&'static str, Vec<String>)],
    /// A shell command that solves an instance.
    pub example: &'static str,
    /// Its encodings for solving, the default first.
    pub encodings: &'static [Encoding],
    /// The predicates of instances that are logic programs.
    pub facts: &'static [&'static str],
    /// True if its options also apply to every other puzzle when a format prints answer sets.
    pub has_options_for_answer_sets: bool,
    /// The unit of an instance, for `--batch`.
    pub instance_unit: InstanceUnit,
    /// The picture formats of the puzzle.
    pub pictures: &'static [Format],
    /// Options that only some engines or formats read.
    pub read_by: &'static [(&'static str, OptionReaders)],
}

impl About {
    /// Returns true for the puzzle of arbitrary logic programs, which has no built-in rules.
    pub fn is_any_program(&self) -> bool {
        self.encodings.is_empty() && self.has_options_for_answer_sets
    }
}

/// The engines or formats that read an option; with others it has no effect and is rejected.
#[derive(Debug, Clone, Copy)]
pub enum OptionReaders {
    Engines(&'static [&'static str]),
    Formats(&'static [Format]),
}

impl OptionReaders {
    /// The formats that report certification.
    const CERTIFIED: OptionReaders = OptionReaders::Formats(&[Format::Text, Format::Json, Format::Html]);
}

/// Answers as rows of a table.
#[derive(Default)]
pub struct Table {
    pub columns: Vec<String>,
    /// Rows with the indices of their answers, from 0.
    pub rows: Vec<(usize, Vec<String>)>,
    /// The names and values of settings, if the first cells of a row are a setting.
    pub settings: Vec<(String, Vec<String>)>,
}

/// Receives each answer as it is found, and decides whether the search continues.
pub type AnswerSink<'f, A> = &'f mut (dyn FnMut(A) -> Result<ControlFlow<()>, Failure> + Send);

/// A puzzle.
pub trait Puzzle: Copy + Send + Sync + 'static {
    /// Command-line options of this puzzle only.
    type Options: Args + FromArgMatches + Default + Send + Sync;
    /// The engines, the default first. The engine named `asp` is clingo.
    type Engine: ValueEnum + Copy + PartialEq + Send + Sync;
    /// A parsed instance: all that `solve` may rely on.
    type Board: Send + Sync + 'static;
    type Answer: Send + 'static;
    /// The proof of a run: counts, a bound, the cause of unsolvability. Serialises as a JSON
    /// object.
    type Proof: Default + Serialize + Send + 'static;

    fn about(&self) -> About;
    fn name(&self) -> &'static str {
        self.about().name
    }
    /// As [`About::is_any_program`].
    fn is_any_program(&self) -> bool {
        false
    }
    /// Returns true if a board may name this puzzle by `name`.
    fn has_alias(&self, name: &str) -> bool {
        self.name() == name
    }
    fn recognise(&self, document: &Document) -> Role;
    /// Returns true if the puzzle may recognise boards that do not name it.
    fn recognises_unnamed(&self) -> bool {
        true
    }
    /// The documents that clingo reads, which may add rules. Boards that the puzzle parses by
    /// itself are not among them, even if they look like logic programs.
    fn programs(&self, documents: &[Document]) -> Vec<Document> {
        documents.to_vec()
    }
    /// The similarity of an unrecognised text to an instance, from 0 to 1.
    fn similarity(&self, _document: &Document) -> f64 {
        0.0
    }
    /// The names of the encodings with additional rules that an instance requires.
    fn required_encodings(&self, _documents: &[Document]) -> Vec<&'static str> {
        Vec::new()
    }
    /// Parses the instance. Rejects everything that `solve` cannot handle, with its place.
    fn parse(&self, job: &Job) -> Result<Self::Board, Failure>;
    /// Warnings about the documents, for every task.
    fn warnings(&self, _job: &Job) -> Result<Vec<Diagnostic>, Failure> {
        Ok(Vec::new())
    }
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
    /// As [`check_answer`](Self::check_answer), for an answer from another source.
    fn check_external(
        &self,
        board: &Arc<Self::Board>,
        _job: &Job,
        answer: &Self::Answer,
    ) -> Result<Result<(), String>, Failure> {
        Ok(self.check_answer(board, answer))
    }
    /// Returns true if engines and check take the rules from the program, and so support any rules.
    fn supports_any_rules(&self) -> bool {
        false
    }
    /// Returns true if the puzzle's own code supports the rules in effect: usually the built-in
    /// ones only.
    fn supports_rules(&self, _board: &Self::Board, job: &Job) -> bool {
        self.supports_any_rules() || job.rules.is_builtin()
    }
    /// Returns true if its check uses the rules in effect, built-in or custom.
    fn checks_any_rules(&self) -> bool {
        false
    }
    /// Verifies all claims other than the answers, by the built-in rules: impossible, optimal,
    /// complete, counts.
    fn verify_claims(&self, solved: &RunResult<Self>) -> Result<(), String>;
    fn json(&self, board: &Self::Board, answer: &Self::Answer) -> Value;
    /// The complete text output.
    fn text(&self, solved: &RunResult<Self>, style: &Style) -> String;

    /// The default engine for the built-in rules.
    fn default_engine(&self, _board: &Self::Board, _job: &Job) -> Self::Engine {
        Self::Engine::value_variants()[0]
    }
    /// The complete logic program, if the puzzle has an engine `asp`.
    fn program(&self, _board: &Self::Board, _job: &Job) -> Result<asp::Program, Failure> {
        Err(Diagnostic::error(
            Code::Unsupported,
            format!("{} has no engine asp, and so no answer sets", self.about().name),
        )
        .into())
    }
    /// The first difference between the program of a certificate and the program that a certificate
    /// of this board has, or `None` if they are equal.
    fn certificate_difference(
        &self,
        board: &Self::Board,
        job: &Job,
        certificate: &Certificate,
    ) -> Result<Option<String>, Failure> {
        certifying::difference(certificate, &self.program(board, job)?, &job.settings, &job.stop)
    }
    /// The logic program to explain, with the positions of its facts in the input.
    fn source(&self, board: &Self::Board, job: &Job) -> Result<ExplainInput, Failure> {
        self.program(board, job).map(ExplainInput::from)
    }
    /// The puzzle's own explanation; `None` to explain its logic program.
    fn why(
        &self,
        _board: &Arc<Self::Board>,
        _job: &Job,
        _question: &ExplainQuery,
    ) -> Result<Option<Explanation>, Failure> {
        Ok(None)
    }
    /// The puzzle's own game; `None` to play its logic program.
    fn game(&self, _board: &Arc<Self::Board>, _job: &Job) -> Result<Option<Box<dyn play::Game>>, Failure> {
        Ok(None)
    }
    /// The data of a self-contained playable page, for
    /// `page::playable_page`. Requires known solutions that consist
    /// of the values that a player sets.
    fn playable_page(&self, _solved: &RunResult<Self>) -> Result<Option<Value>, Failure> {
        Ok(None)
    }
    /// The table of answers on a page, beside their pictures.
    fn page_table(&self, board: &Self::Board, answers: &[Self::Answer]) -> Table {
        self.table(board, answers)
    }
    /// The address of a web page where the board can be played, with a line end.
    fn link(&self, _board: &Self::Board) -> Result<Option<String>, Failure> {
        Ok(None)
    }
    /// The cause of unsolvability; each part is checked by the puzzle's own rules.
    fn cause<'a>(&self, _solved: &'a RunResult<Self>) -> Option<&'a UnsolvableCause> {
        None
    }
    /// The result of certification.
    fn certificate<'a>(&self, _solved: &'a RunResult<Self>) -> Option<&'a Certification> {
        None
    }
    /// Returns whether there is exactly one solution.
    fn uniqueness(&self, solved: &RunResult<Self>) -> Uniqueness {
        solved.uniqueness_of(solved.answers.len() as u64)
    }
    /// Reduces a checked answer to the part that the output shows.
    fn for_output(&self, answer: Self::Answer, _job: &Job) -> Self::Answer {
        answer
    }
    /// Returns true if answers are printed as clingo finds them, without being stored.
    fn streams_answers(&self, _board: &Self::Board, _job: &Job) -> bool {
        false
    }
    /// The title of a board in play.
    fn title(&self, _job: &Job) -> String {
        self.about().name.to_owned()
    }
    /// Sorts answers canonically.
    fn sort(&self, _answers: &mut [Self::Answer]) {}
    /// The table of answers; by default a row for each, with the values of its JSON.
    fn table(&self, board: &Self::Board, answers: &[Self::Answer]) -> Table {
        native::table(answers.iter().map(|answer| self.json(board, answer)))
    }
    /// Draws an answer, or the board alone; `None` if the puzzle has no pictures.
    fn draw(&self, _solved: &RunResult<Self>, _answer: Option<&Self::Answer>) -> Result<Option<Picture>, Failure> {
        Ok(None)
    }
    /// The board as a graph with an answer; `None` if the puzzle is not a graph.
    fn graph(&self, _board: &Self::Board, _answer: Option<&Self::Answer>) -> Option<Graph> {
        None
    }
    /// The tools of the puzzle.
    fn tools(&self) -> &'static [&'static dyn Tool] {
        &[]
    }
}

/// Returns the single document of a job, for puzzles whose instance is one text.
fn only_document<'a>(puzzle: &str, job: &'a Job) -> Result<&'a Document, Failure> {
    match &job.documents[..] {
        [document] => Ok(document),
        documents => {
            let text = format!("{}: {puzzle} takes one file at a time", document_names(documents).join(", "));
            Err(Diagnostic::error(Code::Usage, text).into())
        }
    }
}

/// Locates a fact in the documents.
fn place_of_fact(documents: &[Document], fact: &str) -> Option<Place> {
    documents.iter().find_map(|document| {
        let range = asp::syntax::find_fact(&document.text, fact)?;
        Some(Place::of_range(&document.name, &document.text, range))
    })
}

fn document_names(documents: &[Document]) -> Vec<String> {
    documents.iter().map(|document| document.name.clone()).collect()
}
