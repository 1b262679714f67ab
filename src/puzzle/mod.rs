//! What a puzzle is, and the list of those there are.
//!
//! An author implements [`Puzzle`] with types of her own; a blanket implementation turns it into [`Entry`], which the
//! rest of the program uses without knowing any puzzle. A new puzzle is a folder here and one line in [`ALL`].

pub mod amphipod;
mod desk;
pub mod game;
pub mod minesweeper;
mod native;
mod program;
mod rail;
pub mod taquin;

use std::ops::ControlFlow;
use std::sync::{Arc, PoisonError};

use clap::{ArgMatches, Args, Command, FromArgMatches};
use serde::Serialize;

use crate::asp;
use crate::cache::Cache;
use crate::diagnostic::{Diagnostic, Failure, Place};
use crate::document::Document;
use crate::ending::{Ending, Verdict};
use crate::graph::Graph;
use crate::picture::Picture;
use crate::report::{Format, Header, Slot, Style};
use crate::stop::{Reason, Stop};
use desk::Desk;

/// Every puzzle, in the order of `asp-solve list`. The last one takes any logic program that no other knows.
pub const ALL: &[&dyn Entry] = &[
    &rail::Rail, //
    &amphipod::Amphipod,
    &taquin::Taquin,
    &minesweeper::Minesweeper,
    &game::Game,
    &program::Program,
];

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

/// A logic program that ships with a puzzle.
#[derive(Debug, Clone, Copy)]
pub struct Encoding {
    /// For `-e`.
    pub name: &'static str,
    /// Below the folder of encodings.
    pub path: &'static str,
    /// The copy inside the program.
    pub text: &'static str,
}

/// What `asp-solve list` says of a puzzle.
#[derive(Debug, Clone, Copy)]
pub struct About {
    pub name: &'static str,
    pub summary: &'static str,
    /// What an instance looks like: what is looked for when a puzzle is recognised.
    pub input: &'static str,
    /// The first one is used unless another is asked for.
    pub encodings: &'static [Encoding],
    pub engines: &'static [&'static str],
    /// Its options also serve the formats that print answer sets, whatever the puzzle.
    pub has_options_for_answer_sets: bool,
    /// An instance fits a line, for --batch.
    pub fits_a_line: bool,
    /// The formats in which it can be looked at.
    pub pictures: &'static [Format],
}

/// What the person asked for, as far as it is the same for all puzzles.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// At most so many answers; `Some(0)` for all; `None` where `-n` was not given.
    pub models: Option<u64>,
    pub engine: Option<String>,
    /// The encodings to use: those of `-e`, else the puzzle's own.
    pub encodings: Vec<Document>,
    /// What `-e` said, word for word.
    pub encoding_names: Vec<String>,
    pub settings: asp::Settings,
    /// What is printed.
    pub format: Format,
    /// Statistics of the engine, with times.
    pub stats: bool,
    /// Bytes for what a native engine remembers.
    pub memory_limit: Option<u64>,
    /// Nodes that a native engine may expand.
    pub node_limit: Option<u64>,
    /// Cost of the ways that a native engine looks at.
    pub depth_limit: Option<u32>,
    /// The instance is one of many, a line each.
    pub is_batch: bool,
    /// Where tables are kept from one run to the next.
    pub cache: Cache,
}

/// One run, as the engine of a puzzle sees it.
pub struct Query<'a, O> {
    pub documents: &'a [Document],
    pub request: &'a Request,
    pub options: &'a O,
    pub stop: &'a Stop,
}

/// Takes an answer as it is found and says whether to go on.
pub type Found<'f, A> = &'f mut (dyn FnMut(A) -> Result<ControlFlow<()>, Failure> + Send);

/// What a command that makes or plays is given besides its options.
pub struct Job<'a> {
    pub threads: usize,
    pub stop: &'a Stop,
    pub style: Style,
    /// Told how much is done, of how much.
    pub progress: &'a (dyn Fn(u64, u64) + Sync),
    /// Shows a frame to a person who watches.
    pub show: &'a mut (dyn FnMut(&str) -> ControlFlow<()> + Send),
}

/// Plays games of a puzzle: `asp-solve play NAME`.
pub trait Player: Sync {
    /// Adds the options of the games.
    fn augment(&self, command: Command) -> Command;
    fn play(&self, matches: &ArgMatches, job: &mut Job<'_>) -> Result<Played, Failure>;
}

/// The report of many games.
pub struct Played {
    pub json: serde_json::Value,
    pub text: String,
    /// Why not all games were played.
    pub gave_up: Option<Reason>,
}

/// Makes instances of a puzzle: `asp-solve generate NAME`.
pub trait Maker: Sync {
    /// Adds the options of the instances.
    fn augment(&self, command: Command) -> Command;
    /// The instance of a seed.
    fn make(&self, matches: &ArgMatches, seed: u64, job: &mut Job<'_>) -> Result<Made, Failure>;
}

/// What came of making an instance.
pub enum Made {
    /// A text that the puzzle reads, with everything that was asked for.
    Whole(String),
    /// The search has ended before. The best text so far, if there is any, and what it lacks.
    Short { best: Option<String>, lacks: String, reason: Reason },
}

/// Something else to do with an instance than to solve it: `asp-solve NAME FILE…`.
pub trait Tool: Sync {
    fn name(&self) -> &'static str;
    /// Adds the options, and tells what it does.
    fn augment(&self, command: Command) -> Command;
    /// What it can print; the first is the usual one.
    fn formats(&self) -> &'static [Format];
    /// The encoding that it reads, if it reads one.
    fn encoding(&self) -> Option<Encoding> {
        None
    }
    fn run(&self, case: &Case<'_>, job: &mut Job<'_>) -> Result<Done, Failure>;
}

/// An instance, and what is asked of a tool.
pub struct Case<'a> {
    pub documents: &'a [Document],
    /// The tool's encoding, as it was read.
    pub encodings: &'a [Document],
    pub settings: &'a asp::Settings,
    pub format: Format,
    pub matches: &'a ArgMatches,
}

impl Case<'_> {
    /// The tool's own options.
    pub fn options<O: FromArgMatches>(&self) -> Result<O, Failure> {
        O::from_arg_matches(self.matches).map_err(|error| Diagnostic::error(error.to_string()).into())
    }
}

/// What a tool prints, and how it ended.
pub struct Done {
    pub output: String,
    pub verdict: Verdict,
    pub warnings: Vec<Diagnostic>,
}

/// A puzzle, for its author.
pub trait Puzzle: Send + Sync + 'static {
    /// Options of the command that only this puzzle has.
    type Options: Args + FromArgMatches + Send + Sync;
    /// An instance after parsing: all that `solve` may rely on.
    type Board: Send + Sync + 'static;
    type Answer: Send + 'static;

    fn about(&self) -> About;
    fn recognise(&self, document: &Document) -> Role;
    /// Refuses all that `solve` cannot take, with the place where it stands.
    fn parse(&self, query: &Query<'_, Self::Options>) -> Result<Self::Board, Failure>;
    /// Looks for answers until there are no more, or `found` breaks, or `query.stop` asks.
    fn solve(
        &self,
        board: &Self::Board,
        query: &Query<'_, Self::Options>,
        found: Found<'_, Self::Answer>,
    ) -> Result<Ending, Failure>;
    /// Replays an answer by the rules alone; shares nothing with `solve`. The error says what is wrong.
    fn check(&self, board: &Self::Board, answer: &Self::Answer) -> Result<(), String>;
    /// The canonical order of answers.
    fn compare(&self, a: &Self::Answer, b: &Self::Answer) -> std::cmp::Ordering;
    fn json(&self, board: &Self::Board, answer: &Self::Answer) -> impl Serialize;
    /// All of the output for a person: `answers` in canonical order.
    fn text(&self, board: &Self::Board, answers: &[Self::Answer], ending: &Ending, style: &Style) -> String;
    /// The names of the columns of [`rows`](Puzzle::rows).
    fn columns(&self, board: &Self::Board) -> Vec<&'static str>;
    /// An answer as a row of a table; several where it stands for several.
    fn rows(&self, board: &Self::Board, answer: &Self::Answer) -> Vec<Vec<String>>;
    /// An answer as a picture, or the board alone, where the puzzle can be drawn.
    fn draw(&self, _board: &Self::Board, _answer: Option<&Self::Answer>) -> Option<Picture> {
        None
    }
    /// The board as a graph, with an answer drawn in, where the puzzle is one.
    fn graph(&self, _board: &Self::Board, _answer: Option<&Self::Answer>) -> Option<Graph> {
        None
    }
    /// Who plays it, where it can be played.
    fn player(&self) -> Option<&'static dyn Player> {
        None
    }
    /// Who makes instances of it.
    fn maker(&self) -> Option<&'static dyn Maker> {
        None
    }
    /// What else can be done with an instance.
    fn tools(&self) -> &'static [&'static dyn Tool] {
        &[]
    }
    /// The whole logic program, for the formats that print answer sets.
    fn program(&self, board: &Self::Board, query: &Query<'_, Self::Options>) -> Result<asp::Program, Failure>;
    /// Which engine will run, and which encodings it will read.
    fn engine(&self, board: &Self::Board, query: &Query<'_, Self::Options>) -> Result<&'static str, Failure>;
}

/// A run of some puzzle, as the command hands it over.
pub struct Task {
    pub documents: Vec<Document>,
    pub request: Request,
    pub matches: ArgMatches,
    pub format: Format,
    pub stop: Stop,
    pub slot: Slot,
}

/// A puzzle, for the rest of the program.
pub trait Entry: Sync {
    fn about(&self) -> About;
    fn recognise(&self, document: &Document) -> Role;
    /// Adds the options that only this puzzle has.
    fn augment(&self, command: Command) -> Command;
    /// As of [`Puzzle`].
    fn player(&self) -> Option<&'static dyn Player> {
        None
    }
    /// As of [`Puzzle`].
    fn maker(&self) -> Option<&'static dyn Maker> {
        None
    }
    /// As of [`Puzzle`].
    fn tools(&self) -> &'static [&'static dyn Tool] {
        &[]
    }
    /// Parses, solves, checks and leaves the answers in the task's slot.
    fn run(&self, task: &Task) -> Result<Ending, Failure>;
}

impl<P: Puzzle + Copy> Entry for P {
    fn about(&self) -> About {
        Puzzle::about(self)
    }

    fn recognise(&self, document: &Document) -> Role {
        Puzzle::recognise(self, document)
    }

    fn augment(&self, command: Command) -> Command {
        P::Options::augment_args(command)
    }

    fn player(&self) -> Option<&'static dyn Player> {
        Puzzle::player(self)
    }

    fn maker(&self) -> Option<&'static dyn Maker> {
        Puzzle::maker(self)
    }

    fn tools(&self) -> &'static [&'static dyn Tool] {
        Puzzle::tools(self)
    }

    fn run(&self, task: &Task) -> Result<Ending, Failure> {
        let options =
            P::Options::from_arg_matches(&task.matches).map_err(|error| Diagnostic::error(error.to_string()))?;
        let query = Query { documents: &task.documents, request: &task.request, options: &options, stop: &task.stop };
        let board = Arc::new(self.parse(&query)?);
        let engine = self.engine(&board, &query)?;
        let encoding = if engine == "asp" { names(&task.request.encodings) } else { Vec::new() };
        let header = Header { puzzle: Puzzle::about(self).name, instance: names(&task.documents), engine, encoding };
        if task.format.is_answer_sets() {
            if engine != "asp" {
                let text = format!(
                    "the engine {engine} has no answer sets to print; take --format text or json, or --engine asp"
                );
                return Err(Diagnostic::error(text).into());
            }
            let program = self.program(&board, &query)?;
            return program::run(&program, header, task);
        }
        let desk = task.slot.open(Desk::new(*self, board.clone(), header));
        self.solve(&board, &query, &mut |answer| {
            self.check(&board, &answer).map_err(|error| {
                Diagnostic::error(format!("an answer of the engine {engine} does not pass the check: {error}"))
                    .help("an encoding that was edited may have other rules than the puzzle")
            })?;
            Ok(desk.lock().unwrap_or_else(PoisonError::into_inner).put(answer))
        })
    }
}

/// The error of an output; that nobody reads any more is told apart by an empty list.
fn output_failure(error: &std::io::Error) -> Failure {
    if error.kind() == std::io::ErrorKind::BrokenPipe {
        return Failure::default();
    }
    Diagnostic::error(format!("cannot write the output: {error}")).into()
}

/// The one text of a puzzle whose instance is one text.
fn only_document<'a, O>(puzzle: &str, query: &Query<'a, O>) -> Result<&'a Document, Failure> {
    match query.documents {
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

/// The puzzle of that name.
pub fn named(name: &str) -> Option<&'static dyn Entry> {
    ALL.iter().copied().find(|entry| entry.about().name == name)
}

/// A puzzle, and what each of the texts is to it.
pub type Recognised = (&'static dyn Entry, Vec<Role>);

/// What each text is to a puzzle.
pub fn roles(entry: &dyn Entry, documents: &[Document]) -> Vec<Role> {
    documents.iter().map(|document| entry.recognise(document)).collect()
}

/// The puzzle that the texts are an instance of.
pub fn recognise(documents: &[Document]) -> Result<Recognised, Failure> {
    let all: Vec<Recognised> = ALL.iter().map(|&entry| (entry, roles(entry, documents))).collect();
    let fits = |role: Role| -> Vec<&Recognised> { all.iter().filter(|(_, roles)| roles.contains(&role)).collect() };
    let known = fits(Role::Instance);
    match (if known.is_empty() { fits(Role::Program) } else { known })[..] {
        [only] => Ok(only.clone()),
        [] if documents.iter().all(|document| asp::syntax::is_blank(&document.text)) => {
            let names: Vec<&str> = documents.iter().map(|document| document.name.as_str()).collect();
            let text = format!("{}: nothing but white space and comments; a puzzle was wanted", names.join(", "));
            Err(Diagnostic::error(text).into())
        }
        [] => {
            let names: Vec<&str> = documents.iter().map(|document| document.name.as_str()).collect();
            let wanted: Vec<String> =
                ALL.iter().map(|entry| format!("{} ({})", entry.about().name, entry.about().input)).collect();
            Err(Diagnostic::error(format!("{}: no puzzle is recognised", names.join(", ")))
                .help(format!("looked for {}; --puzzle NAME says which it is", wanted.join(", ")))
                .into())
        }
        [(first, _), (second, _), ..] => Err(Diagnostic::error(format!(
            "the input fits two puzzles: {} ({}) and {} ({})",
            first.about().name,
            first.about().input,
            second.about().name,
            second.about().input
        ))
        .help("--puzzle NAME says which it is")
        .into()),
    }
}
