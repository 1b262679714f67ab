//! What a puzzle is, and the list of those there are.
//!
//! An author implements [`Puzzle`] with types of her own; a blanket implementation turns it into an [`Entry`], which the
//! command uses without knowing any puzzle. A new puzzle is a file in `asp/puzzles/`, and nothing here ([`logic`]); one whose
//! answers native code finds or draws is a folder here and one line in the list. Where the answer is the best way from a board to a
//! goal, she implements [`one_player::OnePlayer`], which is less.

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
pub mod guided;
mod json;
mod line;
pub mod logic;
mod making;
pub mod minesweeper;
mod native;
mod native_answers;
pub mod one_player;
mod pipeline;
pub mod planning;
mod playing;
mod program;
pub mod rail;
mod reasons;
mod recognise;
pub mod report;
mod rules;
mod saved;
pub mod taquin;
mod telling;
mod tool;
mod values;

use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};

use clap::{Args, FromArgMatches, ValueEnum};
use serde::Serialize;
use serde_json::Value;

use crate::asp;
use crate::certificate::Certificate;
use crate::diagnostic::{Diagnostic, Failure, Place};
use crate::document::Document;
use crate::ending::{Certified, Ending, Uniqueness};
use crate::graph::Graph;
use crate::job::Job;
use crate::picture::Picture;
use crate::played;
use crate::report::{Format, Style};
use crate::why::{Question, Source, Told};
pub use engines::{Engine, Rung};
pub use entry::{Board, Entry, read_options};
pub use examples::EXAMPLES;
pub use facade::{check, generate, generator, hint, read_words, solve, why};
pub use native::{Proof, finish_all};
pub use pipeline::{Conclusion, Opened, Solved, knows_not, name_of, reads_encodings};
pub use planning::STEPS;
pub use program::Options as AnswerSetOptions;
pub use reasons::Because;
pub use recognise::{Recognised, about_a_guess, called, is_written_out, named, recognise, roles};
pub use rules::{Encoding, Shipped};
pub(crate) use tool::has_options;
pub use tool::{Console, Done, Takes, Tool};

/// The puzzles that are more than a logic program, and the one that takes any logic program that no other knows.
fn written_in_rust() -> &'static [&'static dyn Entry] {
    static PROGRAM: OnceLock<logic::Logic> = OnceLock::new();
    static WRITTEN: OnceLock<[&'static dyn Entry; 6]> = OnceLock::new();
    WRITTEN.get_or_init(|| {
        let program = PROGRAM.get_or_init(logic::Logic::program);
        [&rail::Rail, &amphipod::Amphipod, &taquin::Taquin, &minesweeper::Minesweeper, &game::Game, program]
    })
}

/// Lines for a first try, and what each is about.
pub const TO_TRY: [(&str, &str); 3] = [
    ("asp-solve list", "the puzzles; list NAME has an example to paste into a shell"),
    ("asp-solve slither/4/4/dgdh2c71", "a board: a file, or an address of puzz.link"),
    ("asp-solve generate sudoku", "a new board"),
];

static ALL: OnceLock<Vec<&'static dyn Entry>> = OnceLock::new();

/// Every puzzle, in the order of `asp-solve list`: those in Rust, and then those that are a file each.
pub fn all() -> &'static [&'static dyn Entry] {
    ALL.get_or_init(|| with_files(&[]))
}

/// Adds the puzzles of these files, before anybody has asked for [`all`].
pub fn add(files: &[OfFile]) {
    let _ = ALL.set(with_files(files));
}

/// Adds what a file in a folder describes.
fn with_files(files: &[OfFile]) -> Vec<&'static dyn Entry> {
    written_in_rust().iter().copied().chain(logic::entries(files)).chain(planning::entries(files)).collect()
}

/// A file that describes a puzzle, in a folder of encodings.
pub struct OfFile {
    /// One of [`FOLDERS`].
    pub folder: &'static str,
    pub name: String,
    pub text: Arc<str>,
}

impl OfFile {
    fn logic(&self) -> logic::Logic {
        logic::Logic::of_file(self.folder, Box::leak(self.name.clone().into_boxed_str()), self.text.clone())
    }
}

/// Where files describe a puzzle each.
pub const FOLDERS: [&str; 2] = [logic::FOLDER, planning::FOLDER];

/// Whether the puzzle is there whatever files there are.
pub fn is_written_in_rust(name: &str) -> bool {
    written_in_rust().iter().any(|entry| entry.name() == name)
}

/// What a text is to a puzzle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It is an instance of the puzzle.
    Instance,
    /// It is a logic program that derives the puzzle's answers.
    Encoding,
    /// It may be a logic program: an instance if no puzzle knows it better.
    Program,
    Neither,
}

/// What holds one instance of many in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fits {
    Line,
    /// Lines without a blank one in between.
    Paragraph,
    /// A JSON object.
    Object,
}

/// What `asp-solve list` says of a puzzle.
#[derive(Debug, Clone, Copy)]
pub struct About {
    pub name: &'static str,
    pub summary: &'static str,
    /// What an instance looks like: what is looked for when a puzzle is recognised.
    pub input: &'static str,
    /// What else its file says: words, and the lines about each.
    pub more: &'static [(&'static str, Vec<String>)],
    /// A line for a shell that solves one.
    pub example: &'static str,
    /// Its encodings for solving. The first one is used unless another is asked for.
    pub encodings: &'static [Encoding],
    /// The predicates of an instance, where it may be a logic program.
    pub facts: &'static [&'static str],
    /// Its options also serve the formats that print answer sets, whatever the puzzle.
    pub has_options_for_answer_sets: bool,
    /// What holds an instance, for --batch.
    pub fits: Fits,
    /// The formats in which it can be looked at.
    pub pictures: &'static [Format],
    /// Who reads an option that not every run of the puzzle does.
    pub read_by: &'static [(&'static str, Readers)],
}

impl About {
    /// Whether it is any logic program: it has no rules of its own.
    pub fn is_any_program(&self) -> bool {
        self.encodings.is_empty() && self.has_options_for_answer_sets
    }
}

/// Who reads an option: for everybody else it would do nothing, and is refused.
#[derive(Debug, Clone, Copy)]
pub enum Readers {
    Engines(&'static [&'static str]),
    Formats(&'static [Format]),
}

impl Readers {
    /// Formats that tell what is certified.
    const CERTIFIED: Readers = Readers::Formats(&[Format::Text, Format::Json, Format::Html]);
}

/// Answers as rows of a table.
#[derive(Default)]
pub struct Table {
    pub columns: Vec<String>,
    /// Each with the number of its answer, from 0.
    pub rows: Vec<(usize, Vec<String>)>,
    /// What one can set, and to what, where the first cells of a row are its setting.
    pub settings: Vec<(String, Vec<String>)>,
}

/// Takes an answer as it is found and says whether to go on.
pub type Found<'f, A> = &'f mut (dyn FnMut(A) -> Result<ControlFlow<()>, Failure> + Send);

/// A puzzle, for its author.
pub trait Puzzle: Copy + Send + Sync + 'static {
    /// Options of the command that only this puzzle has.
    type Options: Args + FromArgMatches + Default + Send + Sync;
    /// Who can find its answers; the first one does unless another is asked for. The one called `asp` is clingo.
    type Engine: ValueEnum + Copy + PartialEq + Send + Sync;
    /// An instance after parsing: all that `solve` may rely on.
    type Board: Send + Sync + 'static;
    type Answer: Send + 'static;
    /// What a run proves besides its answers: counts, a bound, the cause why there is none. In JSON it is an object.
    type Proof: Default + Serialize + Send + 'static;

    fn about(&self) -> About;
    fn name(&self) -> &'static str {
        self.about().name
    }
    /// Whether it is any logic program, as [`About::is_any_program`].
    fn is_any_program(&self) -> bool {
        false
    }
    /// Whether a board that names its puzzle so is one of it.
    fn is_called(&self, name: &str) -> bool {
        self.name() == name
    }
    fn recognise(&self, document: &Document) -> Role;
    /// Whether it may recognise a board that does not name its puzzle.
    fn needs_no_name(&self) -> bool {
        true
    }
    /// The documents that clingo reads, which may add rules. A board that the puzzle reads by itself is not among them, even if it
    /// looks like a logic program.
    fn programs(&self, documents: &[Document]) -> Vec<Document> {
        documents.to_vec()
    }
    /// How much of a text that no puzzle recognises could be an instance: from 0 to 1.
    fn resembles(&self, _document: &Document) -> f64 {
        0.0
    }
    /// The encodings with more rules than the usual one that an instance asks for.
    fn asks_for(&self, _documents: &[Document]) -> Vec<&'static str> {
        Vec::new()
    }
    /// Refuses all that `solve` cannot take, with the place where it stands.
    fn parse(&self, job: &Job) -> Result<Self::Board, Failure>;
    /// What there is to say of the documents, whatever is done with them.
    fn warnings(&self, _job: &Job) -> Result<Vec<Diagnostic>, Failure> {
        Ok(Vec::new())
    }
    /// Looks for answers until there are no more, or `found` breaks, or `job.stop` asks.
    fn solve(
        &self,
        board: &Self::Board,
        engine: Self::Engine,
        job: &Job,
        found: Found<'_, Self::Answer>,
    ) -> Result<Ending<Self::Proof>, Failure>;
    /// Replays an answer by the rules that ship; shares nothing with `solve`. The error says what is wrong.
    fn check(&self, board: &Self::Board, answer: &Self::Answer) -> Result<(), String>;
    /// The same for an answer that comes from elsewhere.
    fn check_alone(
        &self,
        board: &Arc<Self::Board>,
        _job: &Job,
        answer: &Self::Answer,
    ) -> Result<Result<(), String>, Failure> {
        Ok(self.check(board, answer))
    }
    /// Whether engines and check read the rules from the program, whatever it says.
    fn knows_any_rules(&self) -> bool {
        false
    }
    /// Whether its own code knows the rules in use: as a rule those that ship.
    fn knows_rules(&self, _board: &Self::Board, job: &Job) -> bool {
        self.knows_any_rules() || job.rules.are_shipped()
    }
    /// Whether its check uses the rules of the run, shipped or not.
    fn checks_any_rules(&self) -> bool {
        false
    }
    /// Vouches for all that is said besides the answers, by the rules that ship: impossible, optimal, all, counts.
    fn vouch(&self, solved: &Solved<Self>) -> Result<(), String>;
    fn json(&self, board: &Self::Board, answer: &Self::Answer) -> Value;
    /// All of the output for a person.
    fn text(&self, solved: &Solved<Self>, style: &Style) -> String;

    /// Which engine runs where none was asked for, by the rules that ship.
    fn usual_engine(&self, _board: &Self::Board, _job: &Job) -> Self::Engine {
        Self::Engine::value_variants()[0]
    }
    /// The whole logic program, if it has an engine `asp`.
    fn program(&self, _board: &Self::Board, _job: &Job) -> Result<asp::Program, Failure> {
        Err(Diagnostic::error(format!("{} has no engine asp, and so no answer sets", self.about().name)).into())
    }
    /// The first difference between the program of a certificate and the one that a certificate of this board has; `None` if
    /// they are the same.
    fn certificate_difference(
        &self,
        board: &Self::Board,
        job: &Job,
        certificate: &Certificate,
    ) -> Result<Option<String>, Failure> {
        certifying::difference(certificate, &self.program(board, job)?, &job.settings, &job.stop)
    }
    /// The logic program to explain, and where its facts stand in what the person wrote.
    fn source(&self, board: &Self::Board, job: &Job) -> Result<Source, Failure> {
        self.program(board, job).map(Source::from)
    }
    /// What the puzzle itself has to say to a question about why; else its logic program is explained.
    fn why(&self, _board: &Arc<Self::Board>, _job: &Job, _question: &Question) -> Result<Option<Told>, Failure> {
        Ok(None)
    }
    /// The board in play, where the puzzle is more than its logic program; else that one is played.
    fn game(&self, _board: &Arc<Self::Board>, _job: &Job) -> Result<Option<Box<dyn played::Game>>, Failure> {
        Ok(None)
    }
    /// The board to be played on a page by itself, as `page::sheet` has it: where its solutions are known, and are what a player
    /// sets.
    fn sheet(&self, _solved: &Solved<Self>) -> Result<Option<Value>, Failure> {
        Ok(None)
    }
    /// The answers as a page lists them beside their pictures.
    fn listed(&self, board: &Self::Board, answers: &[Self::Answer]) -> Table {
        self.table(board, answers)
    }
    /// The board as the address of a page where it can be played, with the end of the line.
    fn link(&self, _board: &Self::Board) -> Result<Option<String>, Failure> {
        Ok(None)
    }
    /// Why it is impossible, if it is: each part checked by rules of its own.
    fn because<'a>(&self, _solved: &'a Solved<Self>) -> Option<&'a Because> {
        None
    }
    /// What came of certifying what is proven.
    fn certificate<'a>(&self, _solved: &'a Solved<Self>) -> Option<&'a Certified> {
        None
    }
    /// Whether there is exactly one solution.
    fn uniqueness(&self, solved: &Solved<Self>) -> Uniqueness {
        solved.uniqueness_of(solved.answers.len() as u64)
    }
    /// What is kept of a checked answer: what is shown of it.
    fn kept(&self, answer: Self::Answer, _job: &Job) -> Self::Answer {
        answer
    }
    /// Whether answers are told as they come, as clingo finds them, and none is kept.
    fn streams(&self, _board: &Self::Board, _job: &Job) -> bool {
        false
    }
    /// What a board in play is called.
    fn title(&self, _job: &Job) -> String {
        self.about().name.to_owned()
    }
    /// Puts answers into their canonical order.
    fn sort(&self, _answers: &mut [Self::Answer]) {}
    /// Answers as rows; as a rule one for each, with what stands in its JSON.
    fn table(&self, board: &Self::Board, answers: &[Self::Answer]) -> Table {
        native::table(answers.iter().map(|answer| self.json(board, answer)))
    }
    /// An answer as a picture, or the board alone, where the puzzle can be drawn.
    fn draw(&self, _solved: &Solved<Self>, _answer: Option<&Self::Answer>) -> Result<Option<Picture>, Failure> {
        Ok(None)
    }
    /// The board as a graph, with an answer drawn in, where the puzzle is one.
    fn graph(&self, _board: &Self::Board, _answer: Option<&Self::Answer>) -> Option<Graph> {
        None
    }
    /// What else can be done with it.
    fn tools(&self) -> &'static [&'static dyn Tool] {
        &[]
    }
}

/// The one text of a puzzle whose instance is one text.
fn only_document<'a>(puzzle: &str, job: &'a Job) -> Result<&'a Document, Failure> {
    match &job.documents[..] {
        [document] => Ok(document),
        documents => {
            let text = format!("{}: {puzzle} takes one file at a time", names(documents).join(", "));
            Err(Diagnostic::error(text).into())
        }
    }
}

/// Where a fact stands, if it is written out in one of the texts.
fn place_of_fact(documents: &[Document], fact: &str) -> Option<Place> {
    documents.iter().find_map(|document| {
        let range = asp::syntax::find_fact(&document.text, fact)?;
        Some(Place::of_range(&document.name, &document.text, range))
    })
}

fn names(documents: &[Document]) -> Vec<String> {
    documents.iter().map(|document| document.name.clone()).collect()
}
