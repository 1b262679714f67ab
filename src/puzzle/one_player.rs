//! One-player puzzles: find an optimal plan from a board to a goal.
//!
//! A puzzle implements [`OnePlayer`]: a parser, the rules, the search with its space and lower
//! bound, the words of its sentences and a drawing. Everything else is shared: engines
//! (`engines.rs`), the replay of plans, a sanity check of claims, sentences, play, explanations.
//!
//! ```text
//!   rules    moves, apply, is_goal    replay, sanity check, play: no code shared with the search
//!   search   search, program          a state space for the engines of crate::search; a program
//!   for clingo
//! ```

use std::collections::BTreeMap;
use std::hash::Hash;
use std::sync::Arc;

use clap::{Args, FromArgMatches};
use rustc_hash::FxHashMap;
use serde_json::Value;

use super::engines::{self, Engine, PuzzleEngine};
use super::native::{self, PathProof};
use super::playing::{Piece, PlaySession};
use super::{About, AnswerSink, Puzzle, Role, RunResult, Table, Tool, UnsolvableCause, line, reasons};
use crate::asp::{self, AnswerAtoms, AtomError};
use crate::diagnostic::{Code, Diagnostic, Failure};
use crate::document::Document;
use crate::ending::{SearchEnd, Verdict};
use crate::graph::Graph;
use crate::job::{Job, Rules};
use crate::picture::Picture;
use crate::play;
use crate::report::Style;
use crate::sorting;
use crate::stop::CancelToken;
use crate::why::{ExplainQuery, Explanation, QueryKind};

/// A sequence of moves from a board to a goal. Several optimal plans are sorted by their moves.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Plan<M>(pub Vec<M>);

/// The words of a puzzle for its plans.
#[derive(Clone, Copy)]
pub struct PlanWords {
    /// The unit of cost, singular and plural.
    pub unit: [&'static str; 2],
    /// An optimal plan, singular and plural.
    pub best: [&'static str; 2],
    /// "Solved in", before the cost
    pub solved: &'static str,
    /// "no solution is shorter"
    pub optimality: &'static str,
    /// "No solution is shorter than", before the cost
    pub bound: &'static str,
}

impl PlanWords {
    /// Words for plans whose cost is the number of moves.
    pub const MOVES: PlanWords = PlanWords {
        unit: ["move", "moves"],
        best: ["shortest solution", "shortest solutions"],
        solved: "Solved in",
        optimality: "no solution is shorter",
        bound: "No solution is shorter than",
    };

    /// "3 moves"
    pub fn cost(&self, cost: u64) -> String {
        native::count(cost, self.unit[0], self.unit[1])
    }
}

/// A one-player puzzle.
pub trait OnePlayer: Copy + PartialEq + Send + Sync + 'static {
    type Options: Args + FromArgMatches + Default + Send + Sync;
    type Board: Clone + Eq + Hash + Send + Sync + 'static;
    type Move: Copy + Ord + Send + Sync + 'static;

    const WORDS: PlanWords;
    /// The engines, the default first; the default finds all optimal plans.
    const ENGINES: &'static [PuzzleEngine<Self>];
    /// True if its logic program is incremental, with a move in each step.
    const HAS_STEPS: bool = false;
    /// Number of boards expanded by the sanity check: few enough to take negligible time in a
    /// batch.
    const SANITY_BOARDS: usize = 20;

    fn about(&self) -> About;
    fn name(&self) -> &'static str {
        OnePlayer::about(self).name
    }
    /// The words for a board, if they depend on the board.
    fn words(&self, _board: &Self::Board) -> PlanWords {
        Self::WORDS
    }
    /// As [`Puzzle::supports_any_rules`].
    fn supports_any_rules(&self) -> bool {
        false
    }
    /// As [`Puzzle::has_alias`].
    fn has_alias(&self, name: &str) -> bool {
        OnePlayer::about(self).name == name
    }
    fn recognise(&self, document: &Document) -> Role;
    /// As [`Puzzle::recognises_unnamed`].
    fn recognises_unnamed(&self) -> bool {
        true
    }
    /// As [`Puzzle::programs`].
    fn programs(&self, documents: &[Document]) -> Vec<Document> {
        documents.to_vec()
    }
    fn similarity(&self, document: &Document) -> f64;
    fn parse(&self, job: &Job) -> Result<Self::Board, Failure>;

    /// All legal moves.
    fn moves(&self, board: &Self::Board) -> Vec<Self::Move>;
    /// Makes a move if it is legal, and returns its cost.
    fn apply(&self, board: &mut Self::Board, action: Self::Move) -> Result<u64, String>;
    /// Checks that the board is a goal; the error describes what is missing.
    fn is_goal(&self, board: &Self::Board) -> Result<(), String>;
    /// The cost of a plan.
    fn cost(&self, _board: &Self::Board, plan: &Plan<Self::Move>) -> u64 {
        plan.0.len() as u64
    }
    /// A cheap lower bound of the cost of every plan.
    fn lower_bound(&self, _board: &Self::Board) -> u64 {
        0
    }
    /// Describes an error in the verdict, if the puzzle can refute it.
    fn contradiction(&self, _result: &RunResult<Self>) -> Option<String> {
        None
    }

    /// The cause of unsolvability, if it is obvious without a search.
    fn obstacle(&self, _board: &Self::Board) -> Option<PathProof> {
        None
    }
    /// The default engine for a board.
    fn preferred_engine(&self, _board: &Self::Board, _job: &Job) -> Engine {
        Self::ENGINES[0].0
    }
    /// Rejects options that an engine does not support.
    fn check_options(&self, _engine: Engine, _job: &Job) -> Result<(), Failure> {
        Ok(())
    }
    /// Searches for an optimal plan, or for all optimal plans, by any engine except `asp`.
    fn search(
        &self,
        board: &Self::Board,
        engine: Engine,
        job: &Job,
        sink: AnswerSink<'_, Plan<Self::Move>>,
    ) -> Result<SearchEnd<PathProof>, Failure>;
    /// Explains why a board is unsolvable, after a search has proven it.
    fn explain_unsolvable(&self, _board: &Self::Board, _stop: &CancelToken) -> Result<Option<PathProof>, Failure> {
        Ok(None)
    }
    /// The complete logic program, if the puzzle has an engine `asp`.
    fn program(&self, _board: &Self::Board, _job: &Job) -> Result<asp::Program, Failure> {
        Err(Diagnostic::error(
            Code::Unsupported,
            format!("{} has no engine asp, and so no answer sets", OnePlayer::about(self).name),
        )
        .into())
    }
    /// Reads the moves from an answer set.
    fn read_moves(&self, _board: &Self::Board, _atoms: &AnswerAtoms) -> Result<Vec<Self::Move>, AtomError> {
        Ok(Vec::new())
    }

    fn json(&self, board: &Self::Board, plan: &Plan<Self::Move>) -> Value;
    /// Formats plans as text.
    fn describe_plans(&self, board: &Self::Board, plans: &[Plan<Self::Move>], style: &Style) -> String;
    /// Returns the sentence about a board without a plan.
    fn describe_impossible(&self, result: &RunResult<Self>) -> String;
    /// Returns the sentence about a plan that is proven optimal; it names the rules.
    fn proven(&self, solved: &str, board: &Self::Board, rules: &Rules) -> String {
        rules.verdict(&format!("{solved}, and {}", self.words(board).optimality))
    }
    /// Returns the sentence about a plan that may not be optimal, with the gap or the reason.
    fn not_proven(&self, solved: &str, result: &RunResult<Self>) -> String;
    fn table(&self, board: &Self::Board, plans: &[Plan<Self::Move>]) -> Table {
        native::table(plans.iter().map(|plan| OnePlayer::json(self, board, plan)))
    }
    /// A picture of a plan; by default a line of boards.
    fn picture(&self, board: &Self::Board, plan: Option<&Plan<Self::Move>>) -> Picture {
        line::picture(*self, board, plan)
    }
    /// A short name of a board in that line.
    fn label(&self, _board: &Self::Board) -> String {
        String::new()
    }
    /// The goal boards, which are drawn if there is no plan.
    fn goals(&self, _board: &Self::Board) -> Vec<Self::Board> {
        Vec::new()
    }
    fn graph(&self, _board: &Self::Board, _plan: Option<&Plan<Self::Move>>) -> Option<Graph> {
        None
    }
    fn tools(&self) -> &'static [&'static dyn Tool] {
        &[]
    }
    /// Rates the difficulty of a board, if supported.
    fn rate(&self, _board: &Self::Board, _job: &Job) -> Result<Option<Explanation>, Failure> {
        Ok(None)
    }
    /// Explains a move, or another subject of `why`.
    fn reason(&self, _board: &Self::Board, _subject: &str) -> Result<Option<Explanation>, Failure> {
        Ok(None)
    }

    /// Describes a move as a choice in play.
    fn describe_move(&self, board: &Self::Board, action: Self::Move) -> play::Move;
    /// All choices in play.
    fn choices(&self, board: &Self::Board) -> Vec<(Self::Move, play::Move)> {
        self.moves(board).into_iter().map(|action| (action, self.describe_move(board, action))).collect()
    }
    /// The clickable pieces on the board.
    fn pieces(&self, _board: &Self::Board) -> Vec<Piece<Self::Move>> {
        Vec::new()
    }
    /// The picture of a board in play.
    fn picture_in_play(&self, _start: &Self::Board, _made: &Plan<Self::Move>, now: &Self::Board) -> Picture {
        Picture { captions: Vec::new(), ..self.picture(now, None) }
    }
}

impl<P: OnePlayer> Puzzle for P {
    type Options = P::Options;
    type Engine = PuzzleEngine<P>;
    type Board = P::Board;
    type Answer = Plan<P::Move>;
    type Proof = PathProof;

    fn about(&self) -> About {
        OnePlayer::about(self)
    }

    fn name(&self) -> &'static str {
        OnePlayer::name(self)
    }

    fn has_alias(&self, name: &str) -> bool {
        OnePlayer::has_alias(self, name)
    }

    fn recognise(&self, document: &Document) -> Role {
        OnePlayer::recognise(self, document)
    }

    fn recognises_unnamed(&self) -> bool {
        OnePlayer::recognises_unnamed(self)
    }

    fn programs(&self, documents: &[Document]) -> Vec<Document> {
        OnePlayer::programs(self, documents)
    }

    fn supports_any_rules(&self) -> bool {
        OnePlayer::supports_any_rules(self)
    }

    fn default_engine(&self, board: &P::Board, job: &Job) -> PuzzleEngine<P> {
        PuzzleEngine::of(self.preferred_engine(board, job))
    }

    fn similarity(&self, document: &Document) -> f64 {
        OnePlayer::similarity(self, document)
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
        engine: PuzzleEngine<P>,
        job: &Job,
        sink: AnswerSink<'_, Plan<P::Move>>,
    ) -> Result<SearchEnd<PathProof>, Failure> {
        engines::solve(*self, board, engine.0, job, sink)
    }

    fn check_answer(&self, board: &P::Board, plan: &Plan<P::Move>) -> Result<(), String> {
        let mut now = board.clone();
        for (number, &action) in plan.0.iter().enumerate() {
            self.apply(&mut now, action).map_err(|error| format!("move {}: {error}", number + 1))?;
        }
        self.is_goal(&now).map_err(|error| format!("in the end {error}"))
    }

    fn verify_claims(&self, result: &RunResult<Self>) -> Result<(), String> {
        let (board, plans) = (result.board(), result.answers());
        let cost = plans.first().map(|plan| self.cost(board, plan));
        let differ =
            |pair: &[Plan<P::Move>]| pair[0] != pair[1] && self.cost(board, &pair[0]) == self.cost(board, &pair[1]);
        result.proof().verify_claims(cost, result.complete, plans.windows(2).all(differ))?;
        let least = self.lower_bound(board);
        match (cost, self.contradiction(result)) {
            (Some(cost), _) if cost < least => Err(format!("{cost} is less than any way costs, {least}")),
            (_, Some(contradiction)) => Err(contradiction),
            _ => sanity_check_bound(*self, result),
        }
    }

    fn why(&self, board: &Arc<P::Board>, job: &Job, question: &ExplainQuery) -> Result<Option<Explanation>, Failure> {
        let explanation = match &question.kind {
            QueryKind::Rating => self.rate(board, job)?,
            QueryKind::About(subject) => self.reason(board, subject)?,
            _ => None,
        };
        explanation
            .map_or_else(|| reasons::of_verdict_alone(*self, board, job, question), |explanation| Ok(Some(explanation)))
    }

    fn game(&self, board: &Arc<P::Board>, job: &Job) -> Result<Option<Box<dyn play::Game>>, Failure> {
        Ok(Some(Box::new(PlaySession::new(*self, P::Board::clone(board), job))))
    }

    fn cause<'a>(&self, result: &'a RunResult<Self>) -> Option<&'a UnsolvableCause> {
        result.proof().cause.as_ref()
    }

    fn sort(&self, plans: &mut [Plan<P::Move>]) {
        sorting::sort(plans);
    }

    fn json(&self, board: &P::Board, plan: &Plan<P::Move>) -> Value {
        OnePlayer::json(self, board, plan)
    }

    fn text(&self, result: &RunResult<Self>, style: &Style) -> String {
        let bold = anstyle::Style::new().bold();
        let mut page = format!("{}\n", style.paint(bold, &summary(*self, result)));
        if !style.quiet {
            page += &result.proof().cause.as_ref().map_or(String::new(), UnsolvableCause::lines);
            page += &self.describe_plans(result.board(), result.answers(), style);
        }
        page
    }

    fn table(&self, board: &P::Board, plans: &[Plan<P::Move>]) -> Table {
        OnePlayer::table(self, board, plans)
    }

    fn draw(&self, result: &RunResult<Self>, plan: Option<&Plan<P::Move>>) -> Result<Option<Picture>, Failure> {
        Ok(Some(self.picture(result.board(), plan)))
    }

    fn graph(&self, board: &P::Board, plan: Option<&Plan<P::Move>>) -> Option<Graph> {
        OnePlayer::graph(self, board, plan)
    }

    fn tools(&self) -> &'static [&'static dyn Tool] {
        OnePlayer::tools(self)
    }
}

/// Checks an engine's claims on a few boards, in the order of their cost: no goal among them may be
/// cheaper than the claimed optimum or bound. It expands at most [`OnePlayer::SANITY_BOARDS`]
/// boards, so it proves nothing, and no output depends on it.
fn sanity_check_bound<P: OnePlayer>(puzzle: P, result: &RunResult<P>) -> Result<(), String> {
    let bound = match result.verdict() {
        Verdict::Impossible => u64::MAX,
        _ => result.proof().lower_bound.unwrap_or(0),
    };
    let start = result.board().clone();
    let mut costs = FxHashMap::from_iter([(start.clone(), 0)]);
    // Sorted by cost, then by time of discovery. Numbers are unique, since a board may be reached
    // again.
    let mut open = BTreeMap::from([((0, 0), start)]);
    let mut next_number = 1;
    while let Some(((cost, _), board)) = open.pop_first() {
        if cost >= bound || costs.len() > P::SANITY_BOARDS {
            break;
        }
        if puzzle.is_goal(&board).is_ok() {
            return Err(format!("a goal is reached for {cost} already"));
        }
        for action in puzzle.moves(&board) {
            let mut next = board.clone();
            let total = puzzle.apply(&mut next, action)?.saturating_add(cost);
            if costs.get(&next).is_none_or(|&best| total < best) {
                costs.insert(next.clone(), total);
                open.insert((total, next_number), next);
                next_number += 1;
            }
        }
    }
    Ok(())
}

/// The verdict in one or two sentences.
fn summary<P: OnePlayer>(puzzle: P, result: &RunResult<P>) -> String {
    let words = puzzle.words(result.board());
    let cost = result.answers().first().map(|plan| words.cost(puzzle.cost(result.board(), plan)));
    match (cost, result.verdict()) {
        (Some(cost), _) if result.proof().count.is_some() => native::optimal_solutions_text(result, words.best, &cost),
        (Some(cost), _) => {
            let solved = format!("{} {cost}", words.solved);
            if result.complete() {
                format!("{}{}.", puzzle.proven(&solved, result.board(), result.rules()), native::nodes(result.proof()))
            } else {
                puzzle.not_proven(&solved, result)
            }
        }
        (None, Verdict::GaveUp(_)) => native::gave_up(result, |bound| format!("{} {}", words.bound, words.cost(bound))),
        (None, _) => puzzle.describe_impossible(result),
    }
}
