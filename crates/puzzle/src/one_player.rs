//! One-player puzzles: find an optimal plan from a board to a goal.
//!
//! A puzzle implements [`OnePlayer`]: the rules, the search with its space, the words of its
//! sentences; and, as capabilities, a lower bound, a logic program, explanations, a drawing, pieces
//! to click. Everything else is shared: the engine `asp` (`engines.rs`), the replay of plans and a
//! sanity check of claims (`planner.rs`), play (`playing.rs`), and sentences.
//!
//! ```text
//!   rules    moves, apply, is_goal    replay, sanity check, play: no code shared with the search
//!   search   search, program          a state space for the engines of statespace::search; a program
//!   for clingo
//! ```

use std::hash::Hash;

use asp::{AnswerAtoms, AtomError};
use base::diagnostic::Failure;
use base::ending::SearchEnd;
use base::stop::CancelToken;
use base::style::Style;
use explain::Explanation;
use picture::Picture;
use play::Rectangle;
use serde_json::{Value, json};

use super::api::{AnswerSink, ClingoProgram, OpenBoard, RunResult, Tabulate};
use super::native::{self, PathProof};
use crate::job::Job;

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
    /// "perhaps not the best", after a plan that may not be optimal
    pub unproven: &'static str,
    /// As `optimality` for custom rules, before "by the rules of mine.lp"; by default the same
    /// words.
    pub custom_optimality: Option<&'static str>,
}

impl PlanWords {
    /// Words for plans whose cost is the number of moves.
    pub const MOVES: PlanWords = PlanWords {
        unit: ["move", "moves"],
        best: ["shortest solution", "shortest solutions"],
        solved: "Solved in",
        optimality: "no solution is shorter",
        bound: "No solution is shorter than",
        unproven: "perhaps not the best",
        custom_optimality: None,
    };

    /// "3 moves"
    pub fn cost(&self, cost: u64) -> String {
        native::count(cost, self.unit[0], self.unit[1])
    }
}

/// A one-player puzzle. Its default engine finds all optimal plans.
pub trait OnePlayer: OpenBoard<Board: Clone + Eq + Hash> {
    type Move: Copy + Ord + Send + Sync + 'static;

    const WORDS: PlanWords = PlanWords::MOVES;
    /// Number of boards expanded by the sanity check: few enough to take negligible time in a
    /// batch.
    const SANITY_BOARDS: usize = 20;

    /// All legal moves.
    fn moves(&self, board: &Self::Board) -> Vec<Self::Move>;
    /// Makes a move if it is legal, and returns its cost.
    fn apply(&self, board: &mut Self::Board, action: Self::Move) -> Result<u64, String>;
    /// Checks that the board is a goal; the error describes what is missing.
    fn is_goal(&self, board: &Self::Board) -> Result<(), String>;
    /// Returns true if the board is a goal, without a description of what is missing.
    fn is_solved(&self, board: &Self::Board) -> bool {
        self.is_goal(board).is_ok()
    }
    /// The cost of a plan.
    fn cost(&self, _board: &Self::Board, plan: &Plan<Self::Move>) -> u64 {
        plan.0.len() as u64
    }
    /// Searches for an optimal plan, or for all optimal plans, by an engine. If the puzzle has a
    /// logic program, its engine `asp` is clingo and does not come here.
    fn search(
        &self,
        board: &Self::Board,
        engine: Self::Engine,
        job: &Job,
        sink: AnswerSink<'_, Plan<Self::Move>>,
    ) -> Result<SearchEnd<PathProof>, Failure>;

    /// Describes a move as a choice in play.
    fn describe_move(&self, board: &Self::Board, action: Self::Move) -> play::Move;
    /// The choices of a move in play: each legal move with its description.
    fn choices(&self, board: &Self::Board) -> Vec<(Self::Move, play::Move)> {
        self.moves(board).into_iter().map(|action| (action, self.describe_move(board, action))).collect()
    }
    /// The board, then the board after each move of a plan. Custom rules may allow moves that
    /// [`apply`](Self::apply) rejects; its errors are ignored.
    fn boards_along(&self, board: &Self::Board, plan: &Plan<Self::Move>) -> Vec<Self::Board> {
        let mut boards = vec![board.clone()];
        for &action in &plan.0 {
            let mut next = boards[boards.len() - 1].clone();
            let _ = self.apply(&mut next, action);
            boards.push(next);
        }
        boards
    }

    /// The words for a board, if they depend on the board.
    fn words(&self, _board: &Self::Board) -> PlanWords {
        Self::WORDS
    }
    /// A plan as JSON: by default its cost and the names of its moves.
    fn plan_json(&self, board: &Self::Board, plan: &Plan<Self::Move>) -> Value {
        let moves: Vec<String> = described_moves(self, board, plan).map(|described| described.name).collect();
        json!({ "cost": self.cost(board, plan), "moves": moves })
    }
    /// Formats plans as text: by default a line for each move.
    fn describe_plans(&self, board: &Self::Board, plans: &[Plan<Self::Move>], _style: &Style) -> String {
        list_moves(self, board, plans)
    }
    /// Returns the sentence about a board without a plan.
    fn describe_impossible(&self, result: &RunResult<Self>) -> String {
        let nodes = if result.proof().reason.is_none() { native::node_count(result.proof()) } else { String::new() };
        format!("{}.", result.rules().verdict_with("The goal cannot be reached", &nodes))
    }
    /// Returns the sentence about a plan that may not be optimal, with the gap or the reason.
    fn not_proven(&self, solved: &str, result: &RunResult<Self>) -> String {
        format!("{solved}, {}{}.", self.words(result.board()).unproven, native::nodes(result.proof()))
    }
    /// What the puzzle can do besides.
    fn plan_capabilities(&self) -> PlanCapabilities<'_, Self> {
        PlanCapabilities::default()
    }
}

/// The optional capabilities of a one-player puzzle.
pub struct PlanCapabilities<'a, P: OnePlayer> {
    pub bounds: Option<&'a dyn PlanBounds<P>>,
    /// The logic program of the engine `asp`
    pub program: Option<&'a dyn PlanProgram<P>>,
    pub explain: Option<&'a dyn ExplainBoard<P>>,
    /// Its pictures; otherwise a plan is a line of boards.
    pub draw: Option<&'a dyn DrawPlan<P>>,
    /// The names of boards in that line, which is also a graph.
    pub names: Option<BoardNames<P::Board>>,
    pub table: Option<&'a dyn Tabulate<P>>,
    /// Pieces to click; otherwise moves are chosen from a list.
    pub pieces: Option<&'a dyn BoardPieces<P>>,
}

impl<P: OnePlayer> Default for PlanCapabilities<'_, P> {
    fn default() -> Self {
        PlanCapabilities {
            bounds: None,
            program: None,
            explain: None,
            draw: None,
            names: None,
            table: None,
            pieces: None,
        }
    }
}

/// The names of boards in a line of boards.
pub struct BoardNames<B> {
    /// A short name
    pub label: fn(&B) -> String,
    /// The goal boards, which are drawn if there is no plan
    pub goals: fn(&B) -> Vec<B>,
}

impl<B> Default for BoardNames<B> {
    fn default() -> Self {
        BoardNames { label: |_| String::new(), goals: |_| Vec::new() }
    }
}

/// Knowledge about the costs of plans that shares no code with the search.
pub trait PlanBounds<P: OnePlayer> {
    /// A cheap lower bound of the cost of every plan.
    fn lower_bound(&self, board: &P::Board) -> u64;
    /// Describes an error in the verdict, if the puzzle can refute it.
    fn contradiction(&self, _result: &RunResult<P>) -> Option<String> {
        None
    }
}

/// A one-player puzzle with the engine `asp`.
pub trait PlanProgram<P: OnePlayer>: ClingoProgram<P> + Sync {
    /// Returns true if the program is incremental, with a move in each step.
    fn has_steps(&self) -> bool {
        false
    }
    /// Reads the moves from an answer set.
    fn read_moves(&self, board: &P::Board, atoms: &AnswerAtoms) -> Result<Vec<P::Move>, AtomError>;
}

/// A one-player puzzle with explanations of its own.
pub trait ExplainBoard<P: OnePlayer> {
    /// The cause of unsolvability, if it is obvious without a search.
    fn obstacle(&self, _board: &P::Board) -> Option<PathProof> {
        None
    }
    /// Explains why a board is unsolvable, after a search has proven it.
    fn explain_unsolvable(&self, _board: &P::Board, _stop: &CancelToken) -> Result<Option<PathProof>, Failure> {
        Ok(None)
    }
    /// Rates the difficulty of a board, if supported.
    fn rate(&self, _board: &P::Board, _job: &Job) -> Result<Option<Explanation>, Failure> {
        Ok(None)
    }
    /// Explains a move, or another subject of `why`, if supported.
    fn reason(&self, _board: &P::Board, _subject: &str) -> Result<Option<Explanation>, Failure> {
        Ok(None)
    }
}

/// A one-player puzzle with pictures of its own.
pub trait DrawPlan<P: OnePlayer> {
    fn picture(&self, board: &P::Board, plan: Option<&Plan<P::Move>>) -> Picture;
    /// The number of frames that a move adds to the picture of a plan.
    fn frames_per_move(&self) -> usize {
        1
    }
    /// The picture of a board in play.
    fn picture_in_play(&self, _start: &P::Board, _made: &Plan<P::Move>, now: &P::Board) -> Picture {
        Picture { captions: Vec::new(), ..self.picture(now, None) }
    }
}

/// A one-player puzzle with clickable pieces on its board.
pub trait BoardPieces<P: OnePlayer> {
    fn pieces(&self, board: &P::Board) -> Vec<Piece<P::Move>>;
}

/// A clickable piece on the board.
pub struct Piece<M> {
    pub at: Rectangle,
    /// Describes its place and kind.
    pub words: String,
    /// Its moves. If a player clicks the piece and then its destination, each move has the place
    /// and the description of the destination.
    pub moves: Vec<(M, Option<(Rectangle, String)>)>,
    /// For such a piece, the name of the pick, and its descriptions while the piece is not picked
    /// and while it is.
    pub pick: Option<(String, [String; 2])>,
}

/// The moves of a plan, each described at its board.
pub(crate) fn described_moves<P: OnePlayer>(
    puzzle: &P,
    board: &P::Board,
    plan: &Plan<P::Move>,
) -> impl Iterator<Item = play::Move> {
    let boards = puzzle.boards_along(board, plan);
    boards.into_iter().zip(&plan.0).map(move |(board, &action)| puzzle.describe_move(&board, action))
}

/// A numbered line for each move of each plan.
pub fn list_moves<P: OnePlayer>(puzzle: &P, board: &P::Board, plans: &[Plan<P::Move>]) -> String {
    let mut text = String::new();
    for (number, plan) in plans.iter().enumerate() {
        if plans.len() > 1 {
            text += &format!("\nSolution {}\n", number + 1);
        }
        let width = plan.0.len().to_string().len();
        for (step, described) in (1..).zip(described_moves(puzzle, board, plan)) {
            text += &format!("  {step:width$}. {}\n", described.words);
        }
    }
    text
}
