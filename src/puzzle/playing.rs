//! One-player games in play: a position after the other, and what the engines know of the way that is left.

use std::sync::Arc;
use std::time::Instant;

use super::{Opened, Puzzle, Solved, native};
use crate::diagnostic::Failure;
use crate::ending::Verdict;
use crate::job::Job;
use crate::picture::Picture;
use crate::played::{Asks, Game, Move, PATIENCE, Place, Played, Rectangle, State, no_such_move};

/// A position of a one-player game.
pub trait Stand: Clone + Send {
    type Puzzle: Puzzle<Proof = native::Proof>;

    fn puzzle(&self) -> Self::Puzzle;
    /// What is to be solved from here.
    fn board(&self) -> <Self::Puzzle as Puzzle>::Board;
    fn picture(&self) -> Picture;
    fn places(&self) -> Vec<Place>;
    /// What can be done besides what the places offer.
    fn moves(&self) -> Vec<Move>;
    /// What one is to look at now.
    fn marked(&self) -> Vec<Rectangle> {
        Vec::new()
    }
    /// After a move, if there is one of that name.
    fn after(&self, name: &str) -> Option<Self>;
    fn is_won(&self) -> bool;
    /// What was paid until now.
    fn paid(&self) -> u64;
    /// What a way costs from here, and the name of its first move.
    fn left(&self, way: &<Self::Puzzle as Puzzle>::Answer) -> (u64, Option<String>);
    /// "3 moves".
    fn cost(&self, cost: u64) -> String;
}

/// Runs the usual engine as long as a person waits.
pub fn solved<P: Puzzle>(puzzle: P, board: P::Board, job: &Job) -> Result<Solved<P>, Failure> {
    let soon = job.stop.by(Instant::now().checked_add(PATIENCE));
    let job = Job { stop: soon.stop.clone(), ..job.clone() };
    Opened::with(puzzle, Arc::new(board), job)?.solve()
}

/// A game that goes from position to position.
pub struct Walk<S> {
    start: S,
    job: Job,
}

impl<S: Stand> Walk<S> {
    pub fn new(start: S, job: &Job) -> Self {
        Walk { start, job: job.clone() }
    }

    /// What the engine says of the way that is left.
    fn tell(&self, now: &S, asks: Asks, played: &mut Played) -> Result<(), Failure> {
        let solved = solved(now.puzzle(), now.board(), &self.job)?;
        let bound = solved.proof.lower_bound.unwrap_or(0);
        let (left, first) = match (solved.answers.first(), solved.verdict) {
            (Some(way), _) => {
                let (cost, first) = now.left(way);
                let left = match solved.complete {
                    true => format!("{} from here, and nothing less will do.", now.cost(cost)),
                    false => format!("{} from here at the most, and {} at the least.", now.cost(cost), now.cost(bound)),
                };
                (left, first)
            }
            (None, Verdict::GaveUp(reason)) => {
                (format!("At least {} from here; more is not known: {}.", now.cost(bound), reason.words()), None)
            }
            (None, _) => {
                let cause = solved.proof.cause.as_ref().map_or(String::new(), |cause| format!(": {cause}"));
                played.state = State::Stuck;
                played.because = Some(format!("There is no way to the end from here{cause}. Take moves back."));
                return Ok(());
            }
        };
        match asks {
            Asks::Nothing => {}
            Asks::Mistake => played.words += " No mistake.",
            Asks::Distance => played.distance = Some(left),
            Asks::Hint => {
                let options = played.places.iter().flat_map(|place| &place.options).chain(&played.moves);
                let told = first.and_then(|name| options.into_iter().find(|option| option.name == name)).cloned();
                let is_there = |place: &&Place| told.as_ref().is_some_and(|told| place.options.contains(told));
                played.marked = played.places.iter().filter(is_there).map(|place| place.at).collect();
                let words = told.as_ref().map_or(String::new(), |told| format!("{}: ", told.words));
                played.because = Some(words + &left);
                played.moves = told.into_iter().collect();
            }
        }
        Ok(())
    }
}

impl<S: Stand> Game for Walk<S> {
    fn look(&mut self, moves: &[String], asks: Asks) -> Result<Played, Failure> {
        let mut now = self.start.clone();
        for name in moves {
            now = now.after(name).ok_or_else(|| no_such_move(name))?;
        }
        let paid = now.cost(now.paid());
        let mut played = Played {
            picture: Some(now.picture()),
            places: now.places(),
            moves: now.moves(),
            marked: now.marked(),
            ..Played::default()
        };
        let can_move = !played.moves.is_empty() || played.places.iter().any(|place| !place.options.is_empty());
        (played.state, played.words) = match can_move {
            _ if now.is_won() => (State::Won, format!("Solved: {paid}.")),
            true => (State::Open, format!("{paid} until now.")),
            false => (State::Stuck, format!("{paid}, and nothing can be done any more.")),
        };
        if asks != Asks::Nothing && !now.is_won() {
            self.tell(&now, asks, &mut played)?;
        }
        Ok(played)
    }
}
