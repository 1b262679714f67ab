//! Puzzles of one player: from a board to a goal, by the best way there is.
//!
//! A puzzle gives what is its own ([`OnePlayer`]): a reader, the rules, the search with its space and lower bound, a table of
//! words and a drawing. The rest is written once: engines (`engines.rs`), the replay of a way, a smoke test of what is
//! claimed, sentences, play, reasons.
//!
//! ```text
//!   rules    moves, make, is_goal     replay, second look, play: they share nothing with the search
//!   search   search, program          a space, which the engines of crate::search go through; a program for clingo
//! ```

use std::collections::BTreeMap;
use std::hash::Hash;
use std::sync::Arc;

use clap::{Args, FromArgMatches};
use rustc_hash::FxHashMap;
use serde_json::Value;

use super::engines::{self, Engine, Rung};
use super::native::{self, Proof};
use super::playing::{Piece, Walk};
use super::{About, Because, Found, Puzzle, Role, Solved, Table, Tool, line, reasons};
use crate::asp::{self, AnswerAtoms, AtomError};
use crate::diagnostic::{Diagnostic, Failure};
use crate::document::Document;
use crate::ending::{Ending, Verdict};
use crate::graph::Graph;
use crate::job::{Job, Rules};
use crate::picture::Picture;
use crate::played;
use crate::report::Style;
use crate::sorting;
use crate::stop::Stop;
use crate::why::{Asks, Question, Told};

/// Moves from a board to a goal, one after the other. Several best ways are told in the order of their moves.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Way<M>(pub Vec<M>);

/// How a puzzle speaks of its ways.
#[derive(Clone, Copy)]
pub struct Words {
    /// What they cost: one, and several.
    pub unit: [&'static str; 2],
    /// A best way, and several.
    pub best: [&'static str; 2],
    /// "Solved in", before what it costs.
    pub solved: &'static str,
    /// "no solution is shorter"
    pub none_better: &'static str,
    /// "No solution is shorter than", before what it costs.
    pub bound: &'static str,
}

impl Words {
    /// Of solutions whose moves are counted.
    pub const MOVES: Words = Words {
        unit: ["move", "moves"],
        best: ["shortest solution", "shortest solutions"],
        solved: "Solved in",
        none_better: "no solution is shorter",
        bound: "No solution is shorter than",
    };

    /// "3 moves"
    pub fn cost(&self, cost: u64) -> String {
        native::count(cost, self.unit[0], self.unit[1])
    }
}

/// A puzzle of one player, for its author.
pub trait OnePlayer: Copy + PartialEq + Send + Sync + 'static {
    type Options: Args + FromArgMatches + Default + Send + Sync;
    type Board: Clone + Eq + Hash + Send + Sync + 'static;
    type Move: Copy + Ord + Send + Sync + 'static;

    const WORDS: Words;
    /// The usual one first; the usual one finds all of the best ways.
    const ENGINES: &'static [Rung<Self>];
    /// Whether its logic program is one in steps, of a move each.
    const HAS_STEPS: bool = false;
    /// Boards that the smoke test looks at; as many as take no time, in a batch of thousands too.
    const LOOKED_AT: usize = 20;

    fn about(&self) -> About;
    fn name(&self) -> &'static str {
        OnePlayer::about(self).name
    }
    /// The words for a board, where they are not the same for all.
    fn words(&self, _board: &Self::Board) -> Words {
        Self::WORDS
    }
    /// As [`Puzzle::knows_any_rules`].
    fn knows_any_rules(&self) -> bool {
        false
    }
    /// As [`Puzzle::is_called`].
    fn is_called(&self, name: &str) -> bool {
        OnePlayer::about(self).name == name
    }
    fn recognise(&self, document: &Document) -> Role;
    /// As [`Puzzle::needs_no_name`].
    fn needs_no_name(&self) -> bool {
        true
    }
    /// As [`Puzzle::programs`].
    fn programs(&self, documents: &[Document]) -> Vec<Document> {
        documents.to_vec()
    }
    fn resembles(&self, document: &Document) -> f64;
    fn parse(&self, job: &Job) -> Result<Self::Board, Failure>;

    /// All moves that the rules allow.
    fn moves(&self, board: &Self::Board) -> Vec<Self::Move>;
    /// Makes a move if the rules allow it, and says what it costs.
    fn make(&self, board: &mut Self::Board, action: Self::Move) -> Result<u64, String>;
    /// An error says what is missing.
    fn is_goal(&self, board: &Self::Board) -> Result<(), String>;
    /// What a way costs, whatever its rules.
    fn cost(&self, _board: &Self::Board, way: &Way<Self::Move>) -> u64 {
        way.0.len() as u64
    }
    /// What every way costs at the least, at a glance.
    fn least(&self, _board: &Self::Board) -> u64 {
        0
    }
    /// What contradicts the verdict, by the puzzle's own means.
    fn contradiction(&self, _known: &Solved<Self>) -> Option<String> {
        None
    }

    /// Why there is no way, where a glance shows it.
    fn obstacle(&self, _board: &Self::Board) -> Option<Proof> {
        None
    }
    /// The engine that runs where none was asked for.
    fn usual(&self, _board: &Self::Board, _job: &Job) -> Engine {
        Self::ENGINES[0].0
    }
    /// Refuses options that do not go with an engine.
    fn takes(&self, _engine: Engine, _job: &Job) -> Result<(), Failure> {
        Ok(())
    }
    /// Looks for the best way, or for all that are as good, by any engine but `asp`.
    fn search(
        &self,
        board: &Self::Board,
        engine: Engine,
        job: &Job,
        found: Found<'_, Way<Self::Move>>,
    ) -> Result<Ending<Proof>, Failure>;
    /// Why there is no way, after the search has shown it.
    fn cause(&self, _board: &Self::Board, _stop: &Stop) -> Result<Option<Proof>, Failure> {
        Ok(None)
    }
    /// The whole logic program, if it has an engine `asp`.
    fn program(&self, _board: &Self::Board, _job: &Job) -> Result<asp::Program, Failure> {
        Err(Diagnostic::error(format!("{} has no engine asp, and so no answer sets", OnePlayer::about(self).name))
            .into())
    }
    /// The moves of its answer.
    fn read(&self, _board: &Self::Board, _atoms: &AnswerAtoms) -> Result<Vec<Self::Move>, AtomError> {
        Ok(Vec::new())
    }

    fn json(&self, board: &Self::Board, way: &Way<Self::Move>) -> Value;
    /// The ways for a person.
    fn ways(&self, board: &Self::Board, ways: &[Way<Self::Move>], style: &Style) -> String;
    /// That there is no way.
    fn impossible(&self, known: &Solved<Self>) -> String;
    /// That a way is the best, and what that rests on.
    fn proven(&self, solved: &str, board: &Self::Board, rules: &Rules) -> String {
        rules.verdict(&format!("{solved}, and {}", self.words(board).none_better))
    }
    /// What is said of a way that may not be the best: how much is missing, or why it is not known.
    fn not_proven(&self, solved: &str, known: &Solved<Self>) -> String;
    fn table(&self, board: &Self::Board, ways: &[Way<Self::Move>]) -> Table {
        native::table(ways.iter().map(|way| OnePlayer::json(self, board, way)))
    }
    /// As a rule a line of boards.
    fn picture(&self, board: &Self::Board, way: Option<&Way<Self::Move>>) -> Picture {
        line::picture(*self, board, way)
    }
    /// A board in that line, in a word; and the goals, for a line without a way.
    fn label(&self, _board: &Self::Board) -> String {
        String::new()
    }
    fn goals(&self, _board: &Self::Board) -> Vec<Self::Board> {
        Vec::new()
    }
    fn graph(&self, _board: &Self::Board, _way: Option<&Way<Self::Move>>) -> Option<Graph> {
        None
    }
    fn tools(&self) -> &'static [&'static dyn Tool] {
        &[]
    }
    /// How hard a board is, where that can be said.
    fn rate(&self, _board: &Self::Board, _job: &Job) -> Result<Option<Told>, Failure> {
        Ok(None)
    }
    /// What there is to say of a move, or of whatever else was asked about.
    fn reason(&self, _board: &Self::Board, _asked: &str) -> Result<Option<Told>, Failure> {
        Ok(None)
    }

    /// A move as one chooses it in play.
    fn told(&self, board: &Self::Board, action: Self::Move) -> played::Move;
    /// All that can be chosen.
    fn choices(&self, board: &Self::Board) -> Vec<(Self::Move, played::Move)> {
        self.moves(board).into_iter().map(|action| (action, self.told(board, action))).collect()
    }
    /// What lies on the board and can be clicked.
    fn pieces(&self, _board: &Self::Board) -> Vec<Piece<Self::Move>> {
        Vec::new()
    }
    /// The board in play, after some moves.
    fn picture_in_play(&self, _start: &Self::Board, _made: &Way<Self::Move>, now: &Self::Board) -> Picture {
        Picture { captions: Vec::new(), ..self.picture(now, None) }
    }
}

impl<P: OnePlayer> Puzzle for P {
    type Options = P::Options;
    type Engine = Rung<P>;
    type Board = P::Board;
    type Answer = Way<P::Move>;
    type Proof = Proof;

    fn about(&self) -> About {
        OnePlayer::about(self)
    }

    fn name(&self) -> &'static str {
        OnePlayer::name(self)
    }

    fn is_called(&self, name: &str) -> bool {
        OnePlayer::is_called(self, name)
    }

    fn recognise(&self, document: &Document) -> Role {
        OnePlayer::recognise(self, document)
    }

    fn needs_no_name(&self) -> bool {
        OnePlayer::needs_no_name(self)
    }

    fn programs(&self, documents: &[Document]) -> Vec<Document> {
        OnePlayer::programs(self, documents)
    }

    fn knows_any_rules(&self) -> bool {
        OnePlayer::knows_any_rules(self)
    }

    fn usual_engine(&self, board: &P::Board, job: &Job) -> Rung<P> {
        Rung::of(self.usual(board, job))
    }

    fn resembles(&self, document: &Document) -> f64 {
        OnePlayer::resembles(self, document)
    }

    fn parse(&self, job: &Job) -> Result<P::Board, Failure> {
        OnePlayer::parse(self, job)
    }

    fn program(&self, board: &P::Board, job: &Job) -> Result<asp::Program, Failure> {
        OnePlayer::program(self, board, job)
    }

    fn solve(
        &self,
        board: &P::Board,
        rung: Rung<P>,
        job: &Job,
        found: Found<'_, Way<P::Move>>,
    ) -> Result<Ending<Proof>, Failure> {
        engines::solve(*self, board, rung.0, job, found)
    }

    fn check(&self, board: &P::Board, way: &Way<P::Move>) -> Result<(), String> {
        let mut now = board.clone();
        for (number, &action) in way.0.iter().enumerate() {
            self.make(&mut now, action).map_err(|error| format!("move {}: {error}", number + 1))?;
        }
        self.is_goal(&now).map_err(|error| format!("in the end {error}"))
    }

    fn vouch(&self, known: &Solved<Self>) -> Result<(), String> {
        let (board, ways) = (known.board(), known.answers());
        let cost = ways.first().map(|way| self.cost(board, way));
        let differ =
            |pair: &[Way<P::Move>]| pair[0] != pair[1] && self.cost(board, &pair[0]) == self.cost(board, &pair[1]);
        known.proof().vouch(cost, known.complete, ways.windows(2).all(differ))?;
        let least = self.least(board);
        match (cost, self.contradiction(known)) {
            (Some(cost), _) if cost < least => Err(format!("{cost} is less than any way costs, {least}")),
            (_, Some(contradiction)) => Err(contradiction),
            _ => second_look(*self, known),
        }
    }

    fn why(&self, board: &Arc<P::Board>, job: &Job, question: &Question) -> Result<Option<Told>, Failure> {
        let told = match &question.asks {
            Asks::Rating { .. } => self.rate(board, job)?,
            Asks::About(asked) => self.reason(board, asked)?,
            _ => None,
        };
        told.map_or_else(|| reasons::of_verdict_alone(*self, board, job, question), |told| Ok(Some(told)))
    }

    fn game(&self, board: &Arc<P::Board>, job: &Job) -> Result<Option<Box<dyn played::Game>>, Failure> {
        Ok(Some(Box::new(Walk::new(*self, P::Board::clone(board), job))))
    }

    fn because<'a>(&self, known: &'a Solved<Self>) -> Option<&'a Because> {
        known.proof().because.as_ref()
    }

    fn sort(&self, ways: &mut [Way<P::Move>]) {
        sorting::sort(ways);
    }

    fn json(&self, board: &P::Board, way: &Way<P::Move>) -> Value {
        OnePlayer::json(self, board, way)
    }

    fn text(&self, known: &Solved<Self>, style: &Style) -> String {
        let bold = anstyle::Style::new().bold();
        let mut page = format!("{}\n", style.paint(bold, &summary(*self, known)));
        if !style.quiet {
            page += &known.proof().because.as_ref().map_or(String::new(), Because::lines);
            page += &self.ways(known.board(), known.answers(), style);
        }
        page
    }

    fn table(&self, board: &P::Board, ways: &[Way<P::Move>]) -> Table {
        OnePlayer::table(self, board, ways)
    }

    fn draw(&self, known: &Solved<Self>, way: Option<&Way<P::Move>>) -> Result<Option<Picture>, Failure> {
        Ok(Some(self.picture(known.board(), way)))
    }

    fn graph(&self, board: &P::Board, way: Option<&Way<P::Move>>) -> Option<Graph> {
        OnePlayer::graph(self, board, way)
    }

    fn tools(&self) -> &'static [&'static dyn Tool] {
        OnePlayer::tools(self)
    }
}

/// A smoke test of what an engine claims: no goal among the first few boards, the cheapest first, may be cheaper than any is
/// said to be. It looks at no more than [`OnePlayer::LOOKED_AT`] boards, so that it proves nothing, and no sentence rests on it.
fn second_look<P: OnePlayer>(puzzle: P, known: &Solved<P>) -> Result<(), String> {
    let bound = match known.verdict() {
        Verdict::Impossible => u64::MAX,
        _ => known.proof().lower_bound.unwrap_or(0),
    };
    let start = known.board().clone();
    let mut met = FxHashMap::from_iter([(start.clone(), 0)]);
    // By cost, and among equals as they come. Each number is used once, since a board may be reached again.
    let mut open = BTreeMap::from([((0, 0), start)]);
    let mut next_number = 1;
    while let Some(((cost, _), board)) = open.pop_first() {
        if cost >= bound || met.len() > P::LOOKED_AT {
            break;
        }
        if puzzle.is_goal(&board).is_ok() {
            return Err(format!("a goal is reached for {cost} already"));
        }
        for action in puzzle.moves(&board) {
            let mut next = board.clone();
            let whole = puzzle.make(&mut next, action)?.saturating_add(cost);
            if met.get(&next).is_none_or(|&known| whole < known) {
                met.insert(next.clone(), whole);
                open.insert((whole, next_number), next);
                next_number += 1;
            }
        }
    }
    Ok(())
}

/// The verdict in a sentence or two.
fn summary<P: OnePlayer>(puzzle: P, known: &Solved<P>) -> String {
    let words = puzzle.words(known.board());
    let cost = known.answers().first().map(|way| words.cost(puzzle.cost(known.board(), way)));
    match (cost, known.verdict()) {
        (Some(cost), _) if known.proof().count.is_some() => native::all_of_the_best(known, words.best, &cost),
        (Some(cost), _) => {
            let solved = format!("{} {cost}", words.solved);
            match known.complete() {
                true => {
                    format!("{}{}.", puzzle.proven(&solved, known.board(), known.rules()), native::nodes(known.proof()))
                }
                false => puzzle.not_proven(&solved, known),
            }
        }
        (None, Verdict::GaveUp(_)) => native::gave_up(known, |bound| format!("{} {}", words.bound, words.cost(bound))),
        (None, _) => puzzle.impossible(known),
    }
}
