//! What a puzzle is, and the list of those there are.
//!
//! An author implements [`Puzzle`] with types of her own; a blanket implementation turns it into an [`Entry`], which the
//! command uses without knowing any puzzle. A new puzzle is a file in `asp/puzzles/`, and nothing here ([`logic`]); one whose
//! answers native code finds or draws is a folder here and one line in the list.

pub mod amphipod;
mod answers;
mod cells;
pub mod game;
mod json;
pub mod logic;
pub mod minesweeper;
mod native;
mod playing;
mod program;
pub mod rail;
mod reasons;
mod rules;
mod solved;
pub mod taquin;
mod tool;
mod values;

use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock, PoisonError};

use clap::{Args, FromArgMatches, ValueEnum};
use serde::Serialize;
use serde_json::Value;

use crate::asp;
use crate::cache::Cache;
use crate::cli::{AnyTool, Entry};
use crate::diagnostic::{Diagnostic, Failure, Place};
use crate::document::Document;
use crate::ending::{Ending, Uniqueness, Verdict};
use crate::graph::Graph;
use crate::picture::Picture;
use crate::played;
use crate::report::{Format, Header, Slot, Style};
use crate::stop::Stop;
use crate::why::{self, Question, Source, Told};
use answers::Answers;
pub use program::{Options as AnswerSetOptions, Program};
pub use reasons::Because;
pub use rules::{Encoding, Rules, Shipped};
pub use solved::{Solve, Solved, solve};
pub use tool::{Done, Input, Means, Takes, Tool};

/// The puzzles that are more than a logic program. The last one takes any logic program that no other knows.
const WRITTEN_IN_RUST: &[&dyn Entry] = &[
    &rail::Rail, //
    &amphipod::Amphipod,
    &taquin::Taquin,
    &minesweeper::Minesweeper,
    &game::Game,
    &Program,
];

static ALL: OnceLock<Vec<&'static dyn Entry>> = OnceLock::new();

/// Every puzzle, in the order of `asp-solve list`: those in Rust, and then those that are a file each.
pub fn all() -> &'static [&'static dyn Entry] {
    ALL.get_or_init(|| with_files(&[]))
}

/// Adds the puzzles of these files (names and texts), before anybody has asked for [`all`].
pub fn add(files: &[(String, String)]) {
    let _ = ALL.set(with_files(files));
}

fn with_files(files: &[(String, String)]) -> Vec<&'static dyn Entry> {
    WRITTEN_IN_RUST.iter().copied().chain(logic::entries(files)).collect()
}

/// Whether the puzzle is there whatever files there are.
pub fn is_written_in_rust(name: &str) -> bool {
    WRITTEN_IN_RUST.iter().any(|entry| entry.about().name == name)
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
    /// An instance fits a line, for --batch.
    pub fits_a_line: bool,
    /// The formats in which it can be looked at.
    pub pictures: &'static [Format],
    /// Who reads an option that not every run of the puzzle does.
    pub read_by: &'static [(&'static str, Readers)],
}

/// Who reads an option: for everybody else it would do nothing, and is refused.
#[derive(Debug, Clone, Copy)]
pub enum Readers {
    Engines(&'static [&'static str]),
    Formats(&'static [Format]),
}

/// Options of searches: where a puzzle does not say who reads them, nobody does.
const OF_SEARCHES: [(&str, Readers); 2] =
    [("depth_limit", Readers::Engines(&[])), ("node_limit", Readers::Engines(&[]))];

/// What the person asked for, as far as it is the same for all puzzles.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// At most so many answers; `Some(0)` for all; `None` where `-n` was not given.
    pub models: Option<u64>,
    pub show: Show,
    pub engine: Option<String>,
    /// The encodings to use: those of `-e`, else the puzzle's own.
    pub encodings: Vec<Document>,
    /// The encodings were named, with `-e` or as files.
    pub names_encodings: bool,
    /// Logic programs that say how answers are drawn.
    pub draw: Vec<Document>,
    /// Whether there is exactly one solution is the question.
    pub asks_unique: bool,
    pub settings: asp::Settings,
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
    /// No puzzle recognised the instance: this one came nearest.
    pub is_a_guess: bool,
    /// Where tables are kept from one run to the next.
    pub cache: Cache,
}

/// What becomes of the answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Show {
    /// Each is told.
    #[default]
    Answers,
    /// They are counted, and the verdict alone is told.
    Verdict,
    /// The first is drawn, or each.
    Pictures,
    /// A page tells all there is to know.
    Page,
}

/// One run, as a puzzle sees it.
pub struct Query<'a, O> {
    pub documents: &'a [Document],
    pub request: &'a Request,
    pub options: &'a O,
    pub rules: &'a Rules,
    pub stop: &'a Stop,
}

/// What is known when a run has ended: what the output tells, and what is checked before.
pub struct Known<'a, P: Puzzle> {
    pub board: &'a P::Board,
    /// In canonical order; none where only the verdict is told.
    pub answers: &'a [P::Answer],
    pub verdict: Verdict,
    /// All answers were found, or the optimum is proven.
    pub complete: bool,
    pub proof: &'a P::Proof,
    pub rules: &'a Rules,
    /// Whether there is exactly one solution was the question.
    pub asks_unique: bool,
}

impl<P: Puzzle> Known<'_, P> {
    /// Whether there is exactly one solution, as far as the verdict and the number of those that were found tell.
    fn uniqueness(&self, found: usize) -> Uniqueness {
        match (self.verdict, found) {
            _ if !self.asks_unique => Uniqueness::NotAsked,
            (Verdict::Impossible, _) | (_, 2..) => Uniqueness::NotOne,
            (Verdict::Solved, 1) if self.complete => Uniqueness::One,
            _ => Uniqueness::Unknown,
        }
    }

    /// Whether there is one solution, in a sentence, if that is the question.
    fn uniqueness_words(&self, uniqueness: Uniqueness) -> Option<String> {
        let proven = |words: &str| format!("{}.", self.rules.verdict(words));
        Some(match (uniqueness, self.verdict) {
            (Uniqueness::NotAsked, _) => return None,
            (Uniqueness::One, _) => proven("One solution"),
            (Uniqueness::NotOne, Verdict::Impossible) => proven("There is no solution"),
            (Uniqueness::NotOne, _) => proven("More than one solution"),
            (Uniqueness::Unknown, verdict) => {
                format!("{} Whether there is one solution is not known.", verdict.gave_up_words()).trim().to_owned()
            }
        })
    }
}

/// Answers as rows of a table.
pub struct Table {
    pub columns: Vec<String>,
    /// Each with the number of its answer, from 0.
    pub rows: Vec<(usize, Vec<String>)>,
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
    /// Whether a board that names its puzzle so is one of it.
    fn is_called(&self, name: &str) -> bool {
        self.about().name == name
    }
    fn recognise(&self, document: &Document) -> Role;
    /// Whether the texts are read by the puzzle alone, though they may look like a logic program that adds rules.
    fn reads_text(&self, _documents: &[Document]) -> bool {
        false
    }
    /// How much of a text that no puzzle recognises could be an instance: from 0 to 1.
    fn resembles(&self, _document: &Document) -> f64 {
        0.0
    }
    /// Refuses all that `solve` cannot take, with the place where it stands.
    fn parse(&self, query: &Query<'_, Self::Options>) -> Result<Self::Board, Failure>;
    /// Looks for answers until there are no more, or `found` breaks, or `query.stop` asks.
    fn solve(
        &self,
        board: &Self::Board,
        engine: Self::Engine,
        query: &Query<'_, Self::Options>,
        found: Found<'_, Self::Answer>,
    ) -> Result<Ending<Self::Proof>, Failure>;
    /// Replays an answer by the rules that ship; shares nothing with `solve`. The error says what is wrong.
    fn check(&self, board: &Self::Board, answer: &Self::Answer) -> Result<(), String>;
    /// Whether its check goes by the rules of the run, whoever wrote them.
    fn checks_any_rules(&self) -> bool {
        false
    }
    /// Vouches for all that is said besides the answers, by the rules that ship: impossible, optimal, all, counts.
    fn vouch(&self, known: &Known<'_, Self>) -> Result<(), String>;
    fn json(&self, board: &Self::Board, answer: &Self::Answer) -> Value;
    /// All of the output for a person.
    fn text(&self, known: &Known<'_, Self>, style: &Style) -> String;

    /// Which engine runs where none was asked for, by the rules that ship.
    fn usual_engine(&self, _board: &Self::Board, _query: &Query<'_, Self::Options>) -> Self::Engine {
        Self::Engine::value_variants()[0]
    }
    /// The whole logic program, if it has an engine `asp`.
    fn program(&self, _board: &Self::Board, _query: &Query<'_, Self::Options>) -> Result<asp::Program, Failure> {
        Err(Diagnostic::error(format!("{} has no engine asp, and so no answer sets", self.about().name)).into())
    }
    /// The logic program to explain, and where its facts stand in what the person wrote.
    fn source(&self, board: &Self::Board, query: &Query<'_, Self::Options>) -> Result<Source, Failure> {
        self.program(board, query).map(Source::from)
    }
    /// What the puzzle itself has to say to a question about why; else its logic program is explained.
    fn why(
        &self,
        _board: &Self::Board,
        _query: &Query<'_, Self::Options>,
        _question: &Question,
    ) -> Result<Option<Told>, Failure> {
        Ok(None)
    }
    /// The board in play, where the puzzle is more than its logic program; else that one is played.
    fn game(
        &self,
        _board: &Arc<Self::Board>,
        _query: &Query<'_, Self::Options>,
    ) -> Result<Option<Box<dyn played::Game>>, Failure> {
        Ok(None)
    }
    /// The board as the address of a page where it can be played, with the end of the line.
    fn link(&self, _board: &Self::Board) -> Result<Option<String>, Failure> {
        Ok(None)
    }
    /// Why it is impossible, if it is: each part checked by rules of its own.
    fn because<'a>(&self, _known: &Known<'a, Self>) -> Option<&'a Because> {
        None
    }
    /// Whether there is exactly one solution.
    fn uniqueness(&self, known: &Known<'_, Self>) -> Uniqueness {
        known.uniqueness(known.answers.len())
    }
    /// Puts answers into their canonical order.
    fn sort(&self, _answers: &mut [Self::Answer]) {}
    /// Answers as rows; as a rule one for each, with what stands in its JSON.
    fn table(&self, board: &Self::Board, answers: &[Self::Answer]) -> Table {
        native::table(answers.iter().map(|answer| self.json(board, answer)))
    }
    /// An answer as a picture, or the board alone, where the puzzle can be drawn.
    fn draw(&self, _known: &Known<'_, Self>, _answer: Option<&Self::Answer>) -> Result<Option<Picture>, Failure> {
        Ok(None)
    }
    /// The board as a graph, with an answer drawn in, where the puzzle is one.
    fn graph(&self, _board: &Self::Board, _answer: Option<&Self::Answer>) -> Option<Graph> {
        None
    }
    /// What else can be done with it.
    fn tools(&self) -> &'static [&'static dyn AnyTool] {
        &[]
    }
}

/// A run of some puzzle, as the command hands it over.
pub struct Task {
    pub documents: Vec<Document>,
    pub request: Request,
    pub format: Format,
    pub stop: Stop,
    pub slot: Slot,
}

/// Refuses what was given and would not be read.
pub fn refuse_unread(about: &About, engine: &str, task: &Task, is_given: &dyn Fn(&str) -> bool) -> Result<(), Failure> {
    let own = |option: &str| about.read_by.iter().any(|(own, _)| *own == option);
    let of_searches = OF_SEARCHES.iter().filter(|(option, _)| !own(option));
    // One thread is what an engine without threads has; those of a batch are its workers.
    let is_one_thread = task.request.settings.threads.is_none_or(|threads| threads == 1);
    for &(option, readers) in about.read_by.iter().chain(of_searches).filter(|(option, _)| is_given(option)) {
        let words = match readers {
            Readers::Engines(engines) if engines.contains(&engine) || option == "threads" && is_one_thread => continue,
            Readers::Engines([]) => format!("no engine of {} reads it", about.name),
            Readers::Engines(engines) => {
                format!("the engine {engine} of {} does not read it; wanted: {}", about.name, engines.join(", "))
            }
            Readers::Formats(formats) if formats.contains(&task.format) => continue,
            Readers::Formats(formats) => {
                let names: Vec<String> = formats.iter().map(|format| format.name()).collect();
                format!("it goes with --format {}", names.join(" or "))
            }
        };
        return Err(Diagnostic::error(format!("--{}: {words}", option.replace('_', "-"))).into());
    }
    Ok(())
}

/// Parses, solves, checks and leaves the answers in the task's slot.
pub fn run<P: Puzzle>(
    puzzle: P,
    options: &P::Options,
    answer_sets: &AnswerSetOptions,
    task: &Task,
    is_given: &dyn Fn(&str) -> bool,
) -> Result<Ending, Failure> {
    let about = puzzle.about();
    let mut with_options;
    let mut request = &task.request;
    if about.has_options_for_answer_sets && !task.format.is_answer_sets() {
        with_options = request.clone();
        answer_sets.add_to(&mut with_options.settings);
        request = &with_options;
    }
    let asked = request.engine.as_deref().map(|name| engine_named::<P>(about.name, name)).transpose()?;
    let rules = rules_of(puzzle, asked, request, &task.documents)?;
    let query = Query { documents: &task.documents, request, options, rules: &rules, stop: &task.stop };
    let board = Arc::new(puzzle.parse(&query)?);
    let engine = engine_of(puzzle, asked, &board, &query)?;
    if !request.draw.is_empty() && !about.has_options_for_answer_sets {
        // Somebody's program draws the answer sets of this one.
        let mut program = puzzle.program(&board, &query)?;
        program.additions.extend(request.draw.iter().cloned());
        let (puzzle, options, rules) = (logic::Logic::program(), &logic::Options {}, &rules);
        let query = Query { documents: &task.documents, request, options, rules, stop: &task.stop };
        let board = Arc::new(logic::Board::from(program));
        return solve_and_tell(puzzle, board, logic::Engine::Asp, &query, about.name, answer_sets, task);
    }
    refuse_unread(&about, &name_of(engine), task, is_given)?;
    solve_and_tell(puzzle, board, engine, &query, about.name, answer_sets, task)
}

/// Answers a question about why.
pub fn why<P: Puzzle>(puzzle: P, task: &Task, question: &Question) -> Result<Told, Failure> {
    let (request, options) = (&task.request, P::Options::default());
    let rules = rules_of(puzzle, None, request, &task.documents)?;
    let query = Query { documents: &task.documents, request, options: &options, rules: &rules, stop: &task.stop };
    let board = puzzle.parse(&query)?;
    match puzzle.why(&board, &query, question)? {
        Some(told) => Ok(told),
        None => why::explain(&puzzle.source(&board, &query)?, question, &means(task)),
    }
}

/// The logic program of a task.
pub fn program<P: Puzzle>(puzzle: P, task: &Task) -> Result<asp::Program, Failure> {
    let (request, options) = (&task.request, P::Options::default());
    let rules = rules_of(puzzle, None, request, &task.documents)?;
    let query = Query { documents: &task.documents, request, options: &options, rules: &rules, stop: &task.stop };
    puzzle.program(&puzzle.parse(&query)?, &query)
}

/// The board in play.
pub fn game<P: Puzzle>(puzzle: P, task: &Task) -> Result<Box<dyn played::Game>, Failure> {
    let (request, options) = (&task.request, P::Options::default());
    let rules = rules_of(puzzle, None, request, &task.documents)?;
    let query = Query { documents: &task.documents, request, options: &options, rules: &rules, stop: &task.stop };
    let board = Arc::new(puzzle.parse(&query)?);
    let own = if rules.are_shipped() { puzzle.game(&board, &query)? } else { None };
    match own {
        Some(game) => Ok(game),
        None => played::of_program(&puzzle.source(&board, &query)?, puzzle.about().name, &request.settings, &task.stop),
    }
}

fn means(task: &Task) -> why::Means<'_> {
    why::Means { settings: &task.request.settings, stop: &task.stop, documents: &task.documents }
}

/// Solves, checks and leaves the answers in the task's slot.
fn solve_and_tell<P: Puzzle>(
    puzzle: P,
    board: Arc<P::Board>,
    engine: P::Engine,
    query: &Query<'_, P::Options>,
    name: &'static str,
    answer_sets: &AnswerSetOptions,
    task: &Task,
) -> Result<Ending, Failure> {
    let (about, engine_name, request) = (puzzle.about(), name_of(engine), query.request);
    let is_clingo = engine_name == CLINGO;
    let encoding = if is_clingo { names(&request.encodings) } else { Vec::new() };
    // A program of which no puzzle is known has no rules but its own.
    let is_any_program = about.encodings.is_empty() && about.has_options_for_answer_sets;
    let header = Header {
        puzzle: name,
        instance: names(&task.documents),
        engine: engine_name.clone(),
        encoding,
        rules: (!is_any_program).then(|| query.rules.name()),
    };
    if task.format.is_answer_sets() {
        if !is_clingo {
            let text = format!(
                "the engine {engine_name} has no answer sets to print; take --format text or json, or --engine asp"
            );
            return Err(Diagnostic::error(text).into());
        }
        let program = puzzle.program(&board, query)?;
        return program::run(&program, header, answer_sets, task);
    }
    let report = task.slot.open(Answers::new(puzzle, board.clone(), header, query));
    let lock = || report.lock().unwrap_or_else(PoisonError::into_inner);
    if task.format == Format::Url {
        // The board is told, and nothing is solved.
        return lock().tell_link();
    }
    let ending = solve_checked(puzzle, &board, engine, query, |answer| lock().put(answer))?;
    Ok(lock().conclude(ending).map_err(|error| not_vouched_for(engine, error))?)
}

/// The engine that was asked for, or else the usual one for the board; rules that are not its own only clingo knows.
fn engine_of<P: Puzzle>(
    puzzle: P,
    asked: Option<P::Engine>,
    board: &P::Board,
    query: &Query<'_, P::Options>,
) -> Result<P::Engine, Failure> {
    match (asked, query.rules) {
        (Some(engine), _) => Ok(engine),
        (None, Rules::Yours(_)) => engine_named::<P>(puzzle.about().name, CLINGO),
        (None, Rules::Shipped(_)) => Ok(puzzle.usual_engine(board, query)),
    }
}

/// Looks for answers; none by rules that ship is put anywhere before its check has passed.
fn solve_checked<P: Puzzle>(
    puzzle: P,
    board: &P::Board,
    engine: P::Engine,
    query: &Query<'_, P::Options>,
    mut put: impl FnMut(P::Answer) + Send,
) -> Result<Ending<P::Proof>, Failure> {
    puzzle.solve(board, engine, query, &mut |answer| {
        if query.rules.are_shipped() || puzzle.checks_any_rules() {
            let wrong = |error| fails_the_check("an answer", engine, error);
            puzzle.check(board, &answer).map_err(wrong)?;
        }
        put(answer);
        Ok(ControlFlow::Continue(()))
    })
}

fn not_vouched_for(engine: impl ValueEnum, error: String) -> Diagnostic {
    fails_the_check("what is said", engine, error)
}

fn fails_the_check(what: &str, engine: impl ValueEnum, error: String) -> Diagnostic {
    Diagnostic::error(format!("{what} of the engine {} does not pass the check: {error}", name_of(engine)))
}

/// The engine that reads encodings.
const CLINGO: &str = "asp";

/// As one writes it after --engine.
pub fn name_of(engine: impl ValueEnum) -> String {
    engine.to_possible_value().expect("every engine can be asked for").get_name().to_owned()
}

fn engine_named<P: Puzzle>(puzzle: &str, name: &str) -> Result<P::Engine, Failure> {
    let known = P::Engine::value_variants();
    known.iter().copied().find(|&engine| name_of(engine) == name).ok_or_else(|| {
        let known: Vec<String> = known.iter().map(|&engine| name_of(engine)).collect();
        Diagnostic::error(format!("{puzzle} has no engine {name}; wanted: {}", known.join(", "))).into()
    })
}

/// Whose rules a run goes by. A native engine knows those that ship, and reads no encoding that nobody named.
fn rules_of<P: Puzzle>(
    puzzle: P,
    asked: Option<P::Engine>,
    request: &Request,
    documents: &[Document],
) -> Result<Rules, Failure> {
    let about = puzzle.about();
    let programs = if puzzle.reads_text(documents) { &[] } else { documents };
    let native = asked.map(name_of).filter(|name| name != CLINGO);
    let rules = match (about.encodings.first(), &native) {
        (Some(usual), Some(_)) if !request.names_encodings => Rules::with(usual, about.facts, programs),
        _ => Rules::of(about.encodings, about.facts, &request.encodings, programs),
    };
    // What draws may do no more than that.
    let decides = request.draw.iter().filter(|draw| rules::decides(draw, &request.encodings));
    let decisive: Vec<String> = decides.map(|draw| draw.name.clone()).collect();
    let rules = if decisive.is_empty() || !rules.are_shipped() { rules } else { Rules::Yours(decisive) };
    match native {
        Some(native) if !rules.are_shipped() => Err(knows_not(&format!("the engine {native}"), &rules)),
        _ => Ok(rules),
    }
}

/// The error of a native engine that is asked to go by other rules than its own.
pub fn knows_not(engine: &str, rules: &Rules) -> Failure {
    let text = format!("{engine} only knows the rules that ship, but this run goes {}", rules.by());
    Diagnostic::error(text).help("--engine asp goes by any rules").into()
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

/// Whether a text is a board in itself, as a link or an id that is said in place of a file.
pub fn is_written_out(text: &str) -> bool {
    logic::is_link_or_id(text)
}

/// The puzzle of that name.
pub fn named(name: &str) -> Option<&'static dyn Entry> {
    all().iter().copied().find(|entry| entry.about().name == name)
}

/// A puzzle, and what each of the texts is to it.
#[derive(Clone)]
pub struct Recognised {
    pub entry: &'static dyn Entry,
    pub roles: Vec<Role>,
    /// None recognised it: this one came nearest.
    pub is_a_guess: bool,
}

/// What each text is to a puzzle.
pub fn roles(entry: &dyn Entry, documents: &[Document]) -> Vec<Role> {
    let about = entry.about();
    let role = |document| match entry.recognise(document) {
        Role::Instance if rules::chooses_of_its_own(&about, document) => Role::Neither,
        role => role,
    };
    documents.iter().map(role).collect()
}

/// The puzzle that the texts are an instance of.
///
/// A board that names its puzzle is that puzzle's. One that does not is for the logic program that reads such boards, if
/// there is one among the texts or `own` encodings.
pub fn recognise(documents: &[Document], own: &[Document]) -> Result<Recognised, Failure> {
    let named = documents.iter().find_map(|document| Some((document, logic::named_in(document)?)));
    if let Some((document, kind)) = named {
        let files = &all()[WRITTEN_IN_RUST.len()..];
        let recognised = files.iter().find(|entry| entry.is_called(&kind));
        let recognised = recognised.map(|&entry| (entry, roles(entry, documents)));
        if let Some((entry, roles)) = recognised.filter(|(_, roles)| roles.contains(&Role::Instance)) {
            return Ok(Recognised { entry, roles, is_a_guess: false });
        }
        // In a program of somebody's own the word may mean anything.
        if !logic::is_program(document) && !own.iter().any(logic::reads_boards) {
            let known: Vec<&str> = all().iter().map(|entry| entry.about().name).collect();
            let text = format!("{}: there is no puzzle {kind}", names(documents).join(", "));
            return Err(Diagnostic::error(text).help(format!("known are {}", known.join(", "))).into());
        }
    }
    let is_board = |document: &Document| !logic::is_program(document);
    let reader = documents.iter().chain(own).find(|document| logic::reads_boards(document));
    // Rules that speak of rows or areas alone may be about a board that native code knows.
    let is_for = |reader: &Document| {
        let of_signs = asp::syntax::uses_any(&reader.text, &["sign", "part"]);
        let knows = |entry: &&'static dyn Entry| roles(*entry, documents).contains(&Role::Instance);
        of_signs || !WRITTEN_IN_RUST.iter().any(knows)
    };
    if let (Some(reader), true) = (reader.filter(|reader| is_for(reader)), documents.iter().any(is_board)) {
        let entry = logic::Logic::of_document(reader);
        let role = |document: &Document| if is_board(document) { Role::Instance } else { Role::Encoding };
        return Ok(Recognised { entry, roles: documents.iter().map(role).collect(), is_a_guess: false });
    }
    let recognised =
        |&entry: &&'static dyn Entry| Recognised { entry, roles: roles(entry, documents), is_a_guess: false };
    // A board of another puzzle would have said so.
    let all: Vec<Recognised> = WRITTEN_IN_RUST.iter().map(recognised).collect();
    let fits = |role: Role| -> Vec<&Recognised> { all.iter().filter(|one| one.roles.contains(&role)).collect() };
    let known = fits(Role::Instance);
    match (if known.is_empty() { fits(Role::Program) } else { known })[..] {
        [only] if !only.roles.contains(&Role::Program) => Ok(only.clone()),
        [] if documents.iter().all(|document| asp::syntax::is_blank(&document.text)) => {
            let text =
                format!("{}: nothing but white space and comments; a puzzle was wanted", names(documents).join(", "));
            Err(Diagnostic::error(text).into())
        }
        [] => nearest(documents, 0),
        [program] => match documents.iter().position(|document| !asp::syntax::looks_like_a_program(&document.text)) {
            Some(stranger) if !asp::syntax::is_blank(&documents[stranger].text) => nearest(documents, stranger),
            _ => Ok(program.clone()),
        },
        [first, second, ..] => {
            let [first, second] = [first, second].map(|one| one.entry.about());
            let text = format!(
                "the input fits two puzzles: {} ({}) and {} ({})",
                first.name, first.input, second.name, second.input
            );
            Err(Diagnostic::error(text).help("--puzzle NAME says which it is").into())
        }
    }
}

/// The same puzzle, or the one that draws any logic program, where that is wanted.
pub fn drawn<'a>(
    entry: &'static dyn Entry,
    mut documents: impl Iterator<Item = &'a Document>,
    is_wanted: bool,
) -> &'static dyn Entry {
    static DRAWN: OnceLock<logic::Logic> = OnceLock::new();
    let is_any = entry.about().name == Program.about().name;
    match is_any && (is_wanted || documents.any(logic::draws)) {
        true => DRAWN.get_or_init(logic::Logic::program),
        false => entry,
    }
}

/// The puzzle whose instance a text could be that none recognised.
fn nearest(documents: &[Document], stranger: usize) -> Result<Recognised, Failure> {
    let document = &documents[stranger];
    let resembles = |entry: &&'static dyn Entry| entry.resembles(document);
    let nearest = all().iter().copied().max_by(|one, other| resembles(one).total_cmp(&resembles(other)));
    if let Some(entry) = nearest.filter(|entry| resembles(entry) >= 0.5) {
        let mut roles = roles(entry, documents);
        roles[stranger] = Role::Instance;
        return Ok(Recognised { entry, roles, is_a_guess: true });
    }
    // Of puzzles that are a file each there may be many, and their boards look alike.
    let mut names_by_input: Vec<(&str, Vec<&str>)> = Vec::new();
    for About { name, input, .. } in all().iter().map(|entry| entry.about()) {
        match names_by_input.iter_mut().find(|(known, _)| *known == input) {
            Some((_, names)) => names.push(name),
            None => names_by_input.push((input, vec![name])),
        }
    }
    let looked_for: Vec<String> =
        names_by_input.iter().map(|(input, names)| format!("{} ({input})", names.join(", "))).collect();
    let begin = document.text.len() - document.text.trim_start().len();
    let end = document.text[begin..].find('\n').map_or(document.text.len(), |end| begin + end);
    Err(Diagnostic::error(format!("{}: no puzzle is recognised", document.name))
        .at(Some(Place::of_range(&document.name, &document.text, begin..end)))
        .help(format!("looked for {}; --puzzle NAME says which it is", looked_for.join(", ")))
        .into())
}

/// What is wrong with an instance that no puzzle recognised.
pub fn about_a_guess(entry: &dyn Entry, mut failure: Failure) -> Failure {
    let About { name, input, .. } = entry.about();
    if let Some(last) = failure.0.last_mut() {
        let own = last.help.take().map_or(String::new(), |help| format!("{help}; "));
        last.help = Some(format!(
            "{own}no puzzle recognised this, and {name} came nearest ({input}); --puzzle NAME says which it is"
        ));
    }
    failure
}
