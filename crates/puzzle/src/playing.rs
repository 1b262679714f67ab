//! Play of one-player puzzles: the board after each move, and queries to the engines about the
//! remaining plan.

use std::sync::Arc;
use std::time::Instant;

use base::diagnostic::Failure;
use base::ending::Verdict;
use base::stop::StopReason;
use base::words::capitalized;
use picture::Picture;
use play::{Game, GameState, GameView, Move, Place, PlayQuery, QUERY_TIME_LIMIT, Rectangle, no_such_move};

use super::api::{Puzzle, RunResult};
use super::line::{frames_per_move, picture_of};
use super::one_player::{OnePlayer, Piece, Plan};
use super::pipeline::Run;
use crate::job::Job;

/// Runs the default engine with the interactive time limit.
pub fn solve_for_play<P: Puzzle>(puzzle: P, board: P::Board, job: &Job) -> Result<RunResult<P>, Failure> {
    let limited = job.stop.child_until(Instant::now().checked_add(QUERY_TIME_LIMIT));
    let job = Job { stop: limited.token.clone(), ..job.clone() };
    solve_board(puzzle, board, job)
}

fn solve_board<P: Puzzle>(puzzle: P, board: P::Board, job: Job) -> Result<RunResult<P>, Failure> {
    Run::with_board(puzzle, Arc::new(board), job)?.solve()
}

/// A board in play.
pub struct PlaySession<P: OnePlayer> {
    puzzle: P,
    start: P::Board,
    job: Job,
    /// The last plan found. No other plan is computed while the player follows it.
    plan: Option<RemainingPlan<P::Move>>,
}

/// A plan from a board in play to a goal.
#[derive(Clone)]
struct RemainingPlan<M> {
    /// The moves from the start to the board in play
    made: Vec<M>,
    rest: Plan<M>,
    /// The plan is proven optimal.
    is_best: bool,
    /// A proven lower bound of the cost
    bound: u64,
}

/// The result of an engine for a board in play.
enum Reachability<M> {
    Open(RemainingPlan<M>),
    /// The board is proven unsolvable, with the cause if it is known
    Lost(Option<String>),
    /// The engine gave up; with a lower bound of the cost
    Unknown(StopReason, u64),
}

/// The state of a game.
struct PlayState<P: OnePlayer> {
    puzzle: P,
    board: P::Board,
    made: Plan<P::Move>,
    /// The cost of the moves so far
    paid: u64,
    /// The name of the picked piece
    picked: Option<String>,
}

impl<P: OnePlayer> PlayState<P> {
    fn describe(&self, action: P::Move) -> Move {
        self.puzzle.describe_move(&self.board, action)
    }

    fn pieces(&self) -> Vec<Piece<P::Move>> {
        self.puzzle.plan_capabilities().pieces.map_or_else(Vec::new, |pieces| pieces.pieces(&self.board))
    }

    fn places(&self) -> Vec<Place> {
        let mut places = Vec::new();
        let mut goals = Vec::new();
        for Piece { at, words, moves, pick } in self.pieces() {
            let mut options: Vec<Move> = moves.iter().map(|(action, _)| self.describe(*action)).collect();
            let is_picked = pick.as_ref().is_some_and(|(name, _)| self.picked.as_ref() == Some(name));
            if let Some((name, words)) = pick.filter(|_| !moves.is_empty()) {
                let [before, after] = words;
                options.insert(0, Move::new(name, if is_picked { after } else { before }));
            }
            let next = (!options.is_empty()).then_some(0);
            places.push(Place { at, words, options, next, ..Place::default() });
            for (action, to) in moves.into_iter().filter(|_| is_picked) {
                let Some((at, words)) = to else { continue };
                goals.push(Place {
                    at,
                    words,
                    options: vec![self.describe(action)],
                    next: Some(0),
                    ..Place::default()
                });
            }
        }
        // A destination of the picked piece takes precedence over picking another piece there.
        places.retain(|place: &Place| goals.iter().all(|goal| goal.at != place.at));
        places.extend(goals);
        places
    }

    /// The place of the picked piece.
    fn marked(&self) -> Vec<Rectangle> {
        let is_picked = |piece: &Piece<P::Move>| piece.pick.as_ref().map(|(name, _)| name) == self.picked.as_ref();
        let pieces = if self.picked.is_some() { self.pieces() } else { Vec::new() };
        pieces.into_iter().filter(is_picked).map(|piece| piece.at).collect()
    }

    /// The moves that are not offered on the board: all choices, or none if the player picks
    /// pieces.
    fn moves(&self) -> Vec<Move> {
        if self.pieces().iter().any(|piece| piece.pick.is_some()) {
            return Vec::new();
        }
        self.puzzle.choices(&self.board).into_iter().map(|(_, description)| description).collect()
    }

    /// Makes the named move, or picks the piece; `None` if there is no such move.
    fn make(&mut self, name: &str) -> Option<()> {
        let is_pick = |piece: &Piece<P::Move>| piece.pick.as_ref().is_some_and(|(pick, _)| pick == name);
        if self.pieces().iter().any(is_pick) {
            self.picked = (self.picked.as_deref() != Some(name)).then(|| name.to_owned());
            return Some(());
        }
        let (action, _) =
            self.puzzle.choices(&self.board).into_iter().find(|(_, description)| description.name == name)?;
        self.paid += self.puzzle.apply(&mut self.board, action).ok()?;
        self.made.0.push(action);
        self.picked = None;
        Some(())
    }
}

/// Answers a query if the distance to the goal is not known exactly, which `distance` says.
fn show_unknown(query: PlayQuery, reason: StopReason, distance: String, view: &mut GameView) {
    view.gave_up = Some(reason);
    match query {
        PlayQuery::Nothing => {}
        PlayQuery::Mistake => {
            view.words += &format!(" Whether there is a mistake is unknown: {}.", reason.words());
        }
        PlayQuery::Distance => view.distance = Some(distance),
        PlayQuery::Hint => {
            view.explanation = Some(distance);
            (view.marked, view.moves) = (Vec::new(), Vec::new());
        }
    }
}

impl<P: OnePlayer> PlaySession<P> {
    pub fn new(puzzle: P, start: P::Board, job: &Job) -> Self {
        PlaySession { puzzle, start, job: job.clone(), plan: None }
    }

    /// Describes the purpose of a plan's first move: the first later move that is possible directly
    /// after it, but not yet before it.
    fn purpose(&self, now: &PlayState<P>, plan: &Plan<P::Move>) -> String {
        let boards = self.puzzle.boards_along(&now.board, plan);
        let Some(after) = boards.get(1) else { return String::new() };
        let choices = |board: &P::Board| self.puzzle.choices(board).into_iter().map(|(_, description)| description);
        let mut enabled: Vec<Move> = choices(after).collect();
        // Another piece may already have a move of the same name or in the same words.
        for before in choices(&now.board) {
            enabled.retain(|after| after.name != before.name && after.words != before.words);
        }
        let mut later =
            boards.iter().zip(&plan.0).skip(1).map(|(board, &action)| self.puzzle.describe_move(board, action));
        let first = later.find(|description| enabled.contains(description));
        first.map_or(String::new(), |description| format!(" This enables: {}.", description.words))
    }

    /// The state after the named moves.
    fn replay(&self, moves: &[String]) -> Result<PlayState<P>, Failure> {
        let (puzzle, board) = (self.puzzle.clone(), self.start.clone());
        let mut now = PlayState { puzzle, board, made: Plan(Vec::new()), paid: 0, picked: None };
        for name in moves {
            now.make(name).ok_or_else(|| no_such_move(name))?;
        }
        Ok(now)
    }

    /// The board after some moves from the start.
    fn board_after(&self, made: &[P::Move]) -> P::Board {
        let mut board = self.start.clone();
        for &action in made {
            let _ = self.puzzle.apply(&mut board, action);
        }
        board
    }

    fn reach(&self, made: &[P::Move], job: &Job) -> Result<Reachability<P::Move>, Failure> {
        let board = self.board_after(made);
        let solved = solve_board(self.puzzle.clone(), board, job.clone())?;
        let bound = solved.proof.lower_bound.unwrap_or(0);
        Ok(match (solved.answers.first(), solved.verdict) {
            (Some(plan), _) => Reachability::Open(RemainingPlan {
                made: made.to_vec(),
                rest: plan.clone(),
                is_best: solved.complete,
                bound,
            }),
            (None, Verdict::GaveUp(reason)) => Reachability::Unknown(reason, bound),
            (None, _) => Reachability::Lost(solved.proof.reason.clone()),
        })
    }

    /// Returns the rest of the last plan, if the player has followed it.
    fn rest(&self, now: &PlayState<P>) -> Option<RemainingPlan<P::Move>> {
        let plan = self.plan.as_ref()?;
        let followed = now.made.0.strip_prefix(&plan.made[..])?;
        let rest = plan.rest.0.strip_prefix(followed).filter(|rest| !rest.is_empty())?;
        let rest = Plan(rest.to_vec());
        let cost = |board, plan| self.puzzle.cost(board, plan);
        let before = self.board_after(&plan.made);
        let paid = cost(&before, &plan.rest).saturating_sub(cost(&now.board, &rest));
        let bound = plan.bound.saturating_sub(paid);
        Some(RemainingPlan { made: now.made.0.clone(), rest, is_best: plan.is_best, bound })
    }

    /// Finds the first move after which the goal is unreachable, by binary search: once it is
    /// unreachable, no move helps. The current board is proven unsolvable.
    fn first_losing_move(&self, now: &PlayState<P>, job: &Job) -> Result<String, Failure> {
        let made = &now.made.0;
        if made.is_empty() {
            return Ok("It was unreachable from the beginning.".to_owned());
        }
        let mut is_open = match self.reach(&[], job)? {
            Reachability::Lost(_) => return Ok("It was unreachable from the beginning.".to_owned()),
            Reachability::Open(_) => true,
            Reachability::Unknown(..) => false,
        };
        // After `open` moves the board was solvable, if `is_open`; after `lost` moves it is proven
        // unsolvable.
        let (mut open, mut lost) = (0, made.len());
        while lost - open > 1 {
            let middle = usize::midpoint(open, lost);
            match self.reach(&made[..middle], job)? {
                Reachability::Lost(_) => lost = middle,
                Reachability::Open(_) => (open, is_open) = (middle, true),
                Reachability::Unknown(..) => (open, is_open) = (middle, false),
            }
        }
        let before = self.board_after(&made[..lost - 1]);
        let description = self.puzzle.describe_move(&before, made[lost - 1]).words;
        Ok(if is_open {
            format!("Move {lost} made it unreachable: {description}. Undo that move.")
        } else {
            format!(
                "It has been unreachable since move {lost} at the latest: {description}. Whether it was reachable before is unknown."
            )
        })
    }

    /// Answers a query about the remaining plan in `view`.
    fn answer_query(&mut self, now: &PlayState<P>, query: PlayQuery, view: &mut GameView) -> Result<(), Failure> {
        // One time limit for all searches.
        let limited = self.job.stop.child_until(Instant::now().checked_add(QUERY_TIME_LIMIT));
        let job = Job { stop: limited.token.clone(), ..self.job.clone() };
        let words = self.puzzle.words(&now.board);
        let plan = match self.rest(now) {
            Some(rest) => rest,
            None => match self.reach(&now.made.0, &job)? {
                Reachability::Open(plan) => plan,
                Reachability::Unknown(reason, bound) => {
                    let distance = format!(
                        "At least {} to go; the exact distance is unknown: {}.",
                        words.cost(bound),
                        reason.words()
                    );
                    show_unknown(query, reason, distance, view);
                    return Ok(());
                }
                Reachability::Lost(cause) => {
                    // One sentence has one colon.
                    let cause = match cause {
                        Some(cause) if cause.contains(": ") => format!(". {}", capitalized(&cause)),
                        Some(cause) => format!(": {cause}"),
                        None => String::new(),
                    };
                    let losing_move = self.first_losing_move(now, &job)?;
                    view.state = GameState::Stuck;
                    view.explanation = Some(format!("The goal cannot be reached from here{cause}. {losing_move}"));
                    if query == PlayQuery::Hint {
                        view.moves.clear();
                    }
                    return Ok(());
                }
            },
        };
        self.show_plan(now, query, &plan, view);
        self.plan = Some(plan);
        Ok(())
    }

    /// Answers a query by the remaining plan.
    fn show_plan(&self, now: &PlayState<P>, query: PlayQuery, plan: &RemainingPlan<P::Move>, view: &mut GameView) {
        let words = self.puzzle.words(&now.board);
        let cost = words.cost(self.puzzle.cost(&now.board, &plan.rest));
        let mut remaining = if plan.is_best {
            format!("{cost} to go; {}.", words.optimality)
        } else {
            format!("At most {cost} to go, at least {}.", words.cost(plan.bound))
        };
        match query {
            PlayQuery::Nothing => {}
            PlayQuery::Mistake => view.words += " No mistake.",
            PlayQuery::Distance => view.distance = Some(remaining),
            PlayQuery::Hint => {
                remaining += &self.purpose(now, &plan.rest);
                let first = plan.rest.0.first().map(|&action| now.describe(action).name);
                let options = view.places.iter().flat_map(|place| &place.options).chain(&view.moves);
                let description =
                    first.and_then(|name| options.into_iter().find(|option| option.name == name)).cloned();
                let has_option = |place: &&Place| {
                    description.as_ref().is_some_and(|description| place.options.contains(description))
                };
                view.marked = view.places.iter().filter(has_option).map(|place| place.at).collect();
                let words = description
                    .as_ref()
                    .map_or(String::new(), |description| format!("{}: ", capitalized(&description.words)));
                view.explanation = Some(words + &remaining);
                view.moves = description.into_iter().collect();
            }
        }
    }
}

impl<P: OnePlayer> Game for PlaySession<P> {
    fn view_after(&mut self, moves: &[String], query: PlayQuery) -> Result<GameView, Failure> {
        let now = self.replay(moves)?;
        let puzzle = &self.puzzle;
        let paid = puzzle.words(&now.board).cost(now.paid);
        let is_won = puzzle.is_solved(&now.board);
        let picture = match puzzle.plan_capabilities().draw {
            Some(draw) => draw.picture_in_play(&self.start, &now.made, &now.board),
            None => picture_of(puzzle, &self.start, Some(&now.made)).last_frame(),
        };
        let mut view = GameView {
            picture: Some(Picture { title: puzzle.name().to_owned(), ..picture }),
            places: now.places(),
            moves: now.moves(),
            marked: now.marked(),
            ..GameView::default()
        };
        let can_move = !view.moves.is_empty() || view.places.iter().any(|place| !place.options.is_empty());
        (view.state, view.words) = match can_move {
            _ if is_won => (GameState::Won, format!("Solved: {paid}.")),
            true => (GameState::Open, format!("{paid} so far.")),
            false => (GameState::Stuck, format!("{paid} so far; no move is possible.")),
        };
        if query != PlayQuery::Nothing && !is_won {
            self.answer_query(&now, query, &mut view)?;
        }
        Ok(view)
    }

    fn picture_of_moves(&self, moves: &[String]) -> Option<(Picture, usize)> {
        let made = self.replay(moves).ok()?.made;
        Some((picture_of(&self.puzzle, &self.start, Some(&made)), frames_per_move(&self.puzzle)))
    }
}
