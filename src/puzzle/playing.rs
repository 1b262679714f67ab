//! Puzzles of one player in play: a board after the other, and what the engines know of the way that is left.

use std::sync::Arc;
use std::time::Instant;

use super::one_player::{OnePlayer, Way};
use super::{Opened, Puzzle, Solved};
use crate::diagnostic::Failure;
use crate::ending::Verdict;
use crate::job::Job;
use crate::picture::Picture;
use crate::played::{Asks, Game, Move, PATIENCE, Place, Played, Rectangle, State, no_such_move};
use crate::stop::Reason;

/// Something on the board that can be clicked.
pub struct Piece<M> {
    pub at: Rectangle,
    /// Where it is and what it is.
    pub words: String,
    /// What it can do; with the place that it goes to and that place's words, where it is clicked first and then its goal.
    pub moves: Vec<(M, Option<(Rectangle, String)>)>,
    /// How it is clicked first: a name, and words before and after.
    pub pick: Option<(String, [String; 2])>,
}

/// Runs the usual engine as long as a person waits.
pub fn solved<P: Puzzle>(puzzle: P, board: P::Board, job: &Job) -> Result<Solved<P>, Failure> {
    let soon = job.stop.by(Instant::now().checked_add(PATIENCE));
    let job = Job { stop: soon.stop.clone(), ..job.clone() };
    solved_within(puzzle, board, job)
}

fn solved_within<P: Puzzle>(puzzle: P, board: P::Board, job: Job) -> Result<Solved<P>, Failure> {
    Opened::with(puzzle, Arc::new(board), job)?.solve()
}

/// A board in play.
pub struct Walk<P: OnePlayer> {
    puzzle: P,
    start: P::Board,
    job: Job,
    /// The plan that was found last. Who follows it needs no other one.
    plan: Option<Plan<P::Move>>,
}

/// A way to the end from a board in play.
#[derive(Clone)]
struct Plan<M> {
    /// The moves from the start to that board.
    made: Vec<M>,
    way: Way<M>,
    /// No way costs less: proven.
    is_best: bool,
    /// What every way costs at the least: proven.
    bound: u64,
}

/// What the engine knows about the way to the end from a board.
enum Reach<M> {
    Open(Plan<M>),
    /// Proven: there is none. Perhaps why.
    Lost(Option<String>),
    /// The engine gave up. What every way costs at the least.
    Unknown(Reason, u64),
}

/// Where a game stands.
struct Stand<P: OnePlayer> {
    puzzle: P,
    board: P::Board,
    made: Way<P::Move>,
    /// What was paid until now.
    paid: u64,
    /// The piece that was clicked, by its name.
    picked: Option<String>,
}

impl<P: OnePlayer> Stand<P> {
    fn told(&self, action: P::Move) -> Move {
        self.puzzle.told(&self.board, action)
    }

    fn places(&self) -> Vec<Place> {
        let (mut places, mut goals) = (Vec::new(), Vec::new());
        for Piece { at, words, moves, pick } in self.puzzle.pieces(&self.board) {
            let mut options: Vec<Move> = moves.iter().map(|(action, _)| self.told(*action)).collect();
            let is_picked = pick.as_ref().is_some_and(|(name, _)| self.picked.as_ref() == Some(name));
            if let Some((name, words)) = pick.filter(|_| !moves.is_empty()) {
                let [before, after] = words;
                options.insert(0, Move::new(name, if is_picked { after } else { before }));
            }
            let next = (!options.is_empty()).then_some(0);
            places.push(Place { at, words, options, next, ..Place::default() });
            for (action, to) in moves.into_iter().filter(|_| is_picked) {
                let Some((at, words)) = to else { continue };
                goals.push(Place { at, words, options: vec![self.told(action)], next: Some(0), ..Place::default() });
            }
        }
        // Where the picked piece can go, no other one is picked.
        places.retain(|place: &Place| goals.iter().all(|goal| goal.at != place.at));
        places.extend(goals);
        places
    }

    /// Where the piece is that was clicked.
    fn marked(&self) -> Vec<Rectangle> {
        let is_picked = |piece: &Piece<P::Move>| piece.pick.as_ref().map(|(name, _)| name) == self.picked.as_ref();
        let pieces = if self.picked.is_some() { self.puzzle.pieces(&self.board) } else { Vec::new() };
        pieces.into_iter().filter(is_picked).map(|piece| piece.at).collect()
    }

    /// What can be done besides what the places offer: all moves, where none has to be clicked twice.
    fn moves(&self) -> Vec<Move> {
        if self.puzzle.pieces(&self.board).iter().any(|piece| piece.pick.is_some()) {
            return Vec::new();
        }
        self.puzzle.choices(&self.board).into_iter().map(|(_, told)| told).collect()
    }

    /// Makes the move of a name, or clicks the piece; `None` if there is no such now.
    fn make(&mut self, name: &str) -> Option<()> {
        let is_pick = |piece: &Piece<P::Move>| piece.pick.as_ref().is_some_and(|(pick, _)| pick == name);
        if self.puzzle.pieces(&self.board).iter().any(is_pick) {
            self.picked = (self.picked.as_deref() != Some(name)).then(|| name.to_owned());
            return Some(());
        }
        let (action, _) = self.puzzle.choices(&self.board).into_iter().find(|(_, told)| told.name == name)?;
        self.paid += self.puzzle.make(&mut self.board, action).ok()?;
        self.made.0.push(action);
        self.picked = None;
        Some(())
    }
}

impl<P: OnePlayer> Walk<P> {
    pub fn new(puzzle: P, start: P::Board, job: &Job) -> Self {
        Walk { puzzle, start, job: job.clone(), plan: None }
    }

    /// What the first move of a way is for: the first of the others that cannot be made yet.
    fn purpose(&self, now: &Stand<P>, way: &Way<P::Move>) -> String {
        let at_once: Vec<String> = self.puzzle.choices(&now.board).into_iter().map(|(_, told)| told.name).collect();
        let mut board = now.board.clone();
        for (step, &action) in way.0.iter().enumerate() {
            let told = self.puzzle.told(&board, action);
            if step > 0 && !at_once.contains(&told.name) {
                return format!(" It makes way for: {}.", told.words);
            }
            if self.puzzle.make(&mut board, action).is_err() {
                break;
            }
        }
        String::new()
    }

    fn reach(&self, made: &[P::Move], job: &Job) -> Result<Reach<P::Move>, Failure> {
        let mut board = self.start.clone();
        made.iter().for_each(|&action| drop(self.puzzle.make(&mut board, action)));
        let solved = solved_within(self.puzzle, board, job.clone())?;
        let bound = solved.proof.lower_bound.unwrap_or(0);
        Ok(match (solved.answers.first(), solved.verdict) {
            (Some(way), _) => {
                Reach::Open(Plan { made: made.to_vec(), way: way.clone(), is_best: solved.complete, bound })
            }
            (None, Verdict::GaveUp(reason)) => Reach::Unknown(reason, bound),
            (None, _) => Reach::Lost(solved.proof.cause.clone()),
        })
    }

    /// The rest of the plan that was found last, if all moves since then were its own.
    fn rest(&self, now: &Stand<P>) -> Option<Plan<P::Move>> {
        let plan = self.plan.as_ref()?;
        let since = now.made.0.strip_prefix(&plan.made[..])?;
        let rest = plan.way.0.strip_prefix(since).filter(|rest| !rest.is_empty())?;
        let rest = Way(rest.to_vec());
        let cost = |board, way| self.puzzle.cost(board, way);
        let mut before = self.start.clone();
        plan.made.iter().for_each(|&action| drop(self.puzzle.make(&mut before, action)));
        let paid = cost(&before, &plan.way).saturating_sub(cost(&now.board, &rest));
        let bound = plan.bound.saturating_sub(paid);
        Some(Plan { made: now.made.0.clone(), way: rest, is_best: plan.is_best, bound })
    }

    /// Since which move the end cannot be reached: once it cannot, no move helps. That it cannot be reached now is proven.
    fn since(&self, now: &Stand<P>, job: &Job) -> Result<String, Failure> {
        let made = &now.made.0;
        if made.is_empty() {
            return Ok("There was none from the beginning.".to_owned());
        }
        let mut is_open = match self.reach(&[], job)? {
            Reach::Lost(_) => return Ok("There was none from the beginning.".to_owned()),
            Reach::Open(_) => true,
            Reach::Unknown(..) => false,
        };
        // After `open` moves there was a way, if `is_open`; after `lost` moves there is none. Both are proven.
        let (mut open, mut lost) = (0, made.len());
        while lost - open > 1 {
            let middle = usize::midpoint(open, lost);
            match self.reach(&made[..middle], job)? {
                Reach::Lost(_) => lost = middle,
                Reach::Open(_) => (open, is_open) = (middle, true),
                Reach::Unknown(..) => (open, is_open) = (middle, false),
            }
        }
        let mut before = self.start.clone();
        made[..lost - 1].iter().for_each(|&action| drop(self.puzzle.make(&mut before, action)));
        let told = self.puzzle.told(&before, made[lost - 1]).words;
        Ok(match is_open {
            true => format!("There is none since move {lost}: {told}. Take moves back."),
            false => format!(
                "There is none since move {lost} at the latest: {told}. Whether there was one before is not known. Take moves back."
            ),
        })
    }

    /// What the engine says of the way that is left.
    fn tell(&mut self, now: &Stand<P>, asks: Asks, played: &mut Played) -> Result<(), Failure> {
        // One limit for all that is looked for.
        let soon = self.job.stop.by(Instant::now().checked_add(PATIENCE));
        let job = Job { stop: soon.stop.clone(), ..self.job.clone() };
        let words = self.puzzle.words(&now.board);
        let plan = match self.rest(now) {
            Some(rest) => rest,
            None => match self.reach(&now.made.0, &job)? {
                Reach::Open(plan) => plan,
                Reach::Unknown(reason, bound) => {
                    let known =
                        format!("At least {} from here; more is not known: {}.", words.cost(bound), reason.words());
                    played.gave_up = Some(reason);
                    match asks {
                        Asks::Nothing => {}
                        Asks::Mistake => {
                            played.words += &format!(" Whether there is a mistake is not known: {}.", reason.words());
                        }
                        Asks::Distance => played.distance = Some(known),
                        Asks::Hint => {
                            played.because = Some(known);
                            (played.marked, played.moves) = (Vec::new(), Vec::new());
                        }
                    }
                    return Ok(());
                }
                Reach::Lost(cause) => {
                    let cause = cause.map_or(String::new(), |cause| format!(": {cause}"));
                    let since = self.since(now, &job)?;
                    played.state = State::Stuck;
                    played.because = Some(format!("There is no way to the end from here{cause}. {since}"));
                    if asks == Asks::Hint {
                        played.moves.clear();
                    }
                    return Ok(());
                }
            },
        };
        let cost = words.cost(self.puzzle.cost(&now.board, &plan.way));
        let mut left = match plan.is_best {
            true => format!("{cost} from here, and nothing less will do."),
            false => format!("{cost} from here at the most, and {} at the least.", words.cost(plan.bound)),
        };
        match asks {
            Asks::Nothing => {}
            Asks::Mistake => played.words += " No mistake.",
            Asks::Distance => played.distance = Some(left),
            Asks::Hint => {
                left += &self.purpose(now, &plan.way);
                let first = plan.way.0.first().map(|&action| now.told(action).name);
                let options = played.places.iter().flat_map(|place| &place.options).chain(&played.moves);
                let told = first.and_then(|name| options.into_iter().find(|option| option.name == name)).cloned();
                let is_there = |place: &&Place| told.as_ref().is_some_and(|told| place.options.contains(told));
                played.marked = played.places.iter().filter(is_there).map(|place| place.at).collect();
                let words = told.as_ref().map_or(String::new(), |told| format!("{}: ", told.words));
                played.because = Some(words + &left);
                played.moves = told.into_iter().collect();
            }
        }
        self.plan = Some(plan);
        Ok(())
    }
}

impl<P: OnePlayer> Game for Walk<P> {
    fn look(&mut self, moves: &[String], asks: Asks) -> Result<Played, Failure> {
        let (puzzle, board) = (self.puzzle, self.start.clone());
        let mut now = Stand { puzzle, board, made: Way(Vec::new()), paid: 0, picked: None };
        for name in moves {
            now.make(name).ok_or_else(|| no_such_move(name))?;
        }
        let paid = puzzle.words(&now.board).cost(now.paid);
        let is_won = puzzle.is_goal(&now.board).is_ok();
        let picture = puzzle.picture_in_play(&self.start, &now.made, &now.board);
        let mut played = Played {
            picture: Some(Picture { title: Puzzle::about(&puzzle).name.to_owned(), ..picture }),
            places: now.places(),
            moves: now.moves(),
            marked: now.marked(),
            ..Played::default()
        };
        let can_move = !played.moves.is_empty() || played.places.iter().any(|place| !place.options.is_empty());
        (played.state, played.words) = match can_move {
            _ if is_won => (State::Won, format!("Solved: {paid}.")),
            true => (State::Open, format!("{paid} until now.")),
            false => (State::Stuck, format!("{paid}, and nothing can be done any more.")),
        };
        if asks != Asks::Nothing && !is_won {
            self.tell(&now, asks, &mut played)?;
        }
        Ok(played)
    }
}
