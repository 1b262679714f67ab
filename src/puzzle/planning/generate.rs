//! `asp-solve generate NAME`: states of a board from which the shortest solution has so many moves, proven.
//!
//! Where the states that can be reached from a board are few enough to look at all, each is known by its distance from the goal.
//! Else moves that lead to a goal are taken back at random, as many as are wanted and then ever more, or moves are made at
//! random from the board. What comes of it is solved; of a solution that is too long the beginning is made.

use std::path::PathBuf;

use clap::Args;
use include_dir::{Dir, include_dir};
use rustc_hash::FxHashSet;

use super::search::{best, whole};
use super::{Board, Planning};
use crate::asp;
use crate::diagnostic::{Diagnostic, Failure};
use crate::document::Document;
use crate::job::Job;
use crate::puzzle::guided::Heuristic;
use crate::puzzle::making::Made;
use crate::puzzle::native;
use crate::puzzle::one_player::{OnePlayer, Way};
use crate::puzzle::values::{Range, range};
use crate::puzzle::{Console, Done, Encoding, Puzzle, Takes, Tool, has_options};
use crate::report::Style;
use crate::search::{Conclusion, Limits, UNREACHABLE, Whole};
use crate::stop::Reason;
use crate::words::count;

/// Boards of the games that ship.
static BOARDS: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/instances");

/// More states than this are not looked at, nor more memory.
pub(super) const MOST_STATES: u64 = 5_000_000;
const MOST_MEMORY: u64 = 2 << 30;
/// More than this are looked at only where walks do not lead so far from a goal as is wanted.
const FEW_STATES: u64 = 200_000;
/// Walks of each kind, the moves of the first from the board, and the nodes that the search for a solution of each may take.
const WALKS: usize = 25;
const FIRST_WALK: usize = 20;
const NODES: u64 = 1_000_000;

#[derive(Clone, Copy)]
pub struct Generate(pub Planning);

#[derive(Debug, Clone, Args)]
pub struct Options {
    /// The board whose states are searched [default: the one that ships]
    #[arg(long, value_name = "FILE")]
    board: Option<PathBuf>,
    /// Moves of the shortest solution, or its cost if moves have costs: a number, or MIN..MAX [default: as many as possible]
    #[arg(long, value_name = "N", value_parser = range::<u32>)]
    moves: Option<Range<u32>>,
    /// Include a shortest solution, in lines that begin with %
    #[arg(long)]
    solution: bool,
}

/// What whole games of so many states may use.
pub(super) fn limits(job: &Job, states: u64) -> Limits {
    let own = native::limits(job);
    Limits { memory: Some(own.memory.map_or(MOST_MEMORY, |memory| memory.min(MOST_MEMORY))), ..own.within(states) }
}

impl Tool for Generate {
    has_options!(Options);

    fn name(&self) -> &'static str {
        "generate"
    }

    fn about(&self) -> &'static str {
        "Generate a state of a board from which the shortest solution has a given number of moves"
    }

    fn takes(&self) -> Takes {
        Takes::Seed
    }

    fn encoding(&self) -> Option<Encoding> {
        Puzzle::about(&self.0).encodings.first().copied()
    }

    fn run(&self, job: &Job, console: &mut Console<'_>) -> Result<Done, Failure> {
        let (options, name) = (&*job.options::<Options>(), Puzzle::about(&self.0).name);
        let documents = match &job.documents[..] {
            [] => {
                let shipped = BOARDS.get_file(format!("{name}.txt")).and_then(include_dir::File::contents_utf8);
                let missing = || Diagnostic::error(format!("no board of {name} ships; --board FILE was wanted"));
                vec![Document::in_memory(format!("{name}.txt"), shipped.ok_or_else(missing)?)]
            }
            known => known.to_vec(),
        };
        let job = Job { documents, ..job.clone() };
        let board = OnePlayer::parse(&self.0, &job)?;
        let mut random = fastrand::Rng::with_seed(job.seed);
        let (least, most) = options.moves.as_ref().map_or((None, None), |moves| (moves.least, moves.most));
        let (wanted, prepared) = ((least, most.unwrap_or(UNREACHABLE - 1)), &*board.prepared(&job.stop)?);
        let found = match whole(prepared, &limits(&job, least.map_or(MOST_STATES, |_| FEW_STATES))) {
            Ok(whole) => self.one_of(&whole, &board, wanted, &mut random, &job)?,
            Err((Reason::NodeLimit | Reason::MemoryLimit, _)) => {
                match self.far(&board, wanted, &mut random, &job, console)? {
                    Err((best, Reason::Unproven)) if least.is_some() => {
                        match whole(prepared, &limits(&job, MOST_STATES)) {
                            Ok(whole) => self.one_of(&whole, &board, wanted, &mut random, &job)?,
                            Err(_) => Err((best, Reason::Unproven)),
                        }
                    }
                    found => found,
                }
            }
            Err((reason, _)) => Err((None, reason)),
        };
        let ((state, way, seen), lack) = match found {
            Ok(found) => (found, None),
            Err((Some(best), reason)) => {
                let least = least.unwrap_or(1);
                let text = format!("the best solution found costs {}, not {least}", self.0.cost(&best.0, &best.1));
                (best, Some((text, reason)))
            }
            Err((None, reason)) => return Ok(Done::short_of("no state was solved", String::new(), reason)),
        };
        let moves = self.0.words(&state).cost(self.0.cost(&state, &way));
        let game = &state.game;
        let told = (1..).zip(&way.0).map(|(step, &action)| format!("{step}. {}", game.shown.of_move(action)));
        let solution = if options.solution { told.collect() } else { Vec::new() };
        let drawn = game.shown.drawing(std::slice::from_ref(&state.state))?.text(&Style::default());
        let mut lines: Vec<String> = drawn.lines().map(|line| format!("% {line}")).collect();
        lines.extend(self.facts(&job)?);
        lines.extend(
            state.state.iter().map(|&fluent| format!("start({}).", asp::to_text(game.ground.fluents[fluent as usize]))),
        );
        let made = Made {
            puzzle: self.0,
            board: &state,
            way: &way,
            what: format!("A state of {}. {seen}", self.of(&job)),
            proven: format!("Its shortest solution has {moves}: proven by search"),
            solution,
            lines,
        };
        made.told(job.seed, lack)
    }
}

/// A state, a shortest solution, and what was looked at.
type State = (Board, Way<u32>, String);

/// A state; else the best, and why there is no better one.
type Sought = Result<State, (Option<State>, Reason)>;

/// The least cost of a solution, if one was said, and the most.
type Wanted = (Option<u32>, u32);

impl Generate {
    fn of(&self, job: &Job) -> String {
        job.documents.iter().map(|document| document.name.as_str()).collect::<Vec<_>>().join(", ")
    }

    /// A shortest solution, if it is found within so many nodes.
    fn solved(&self, board: &Board, job: &Job, nodes: Option<u64>) -> Result<Option<Way<u32>>, Failure> {
        let own = native::limits(job);
        let limits = nodes.map_or(own.clone(), |nodes| own.within(nodes));
        let engine = self.0.usual(board, job);
        let found = best(&*board.prepared(&job.stop)?, engine, false, Heuristic::Auto, &limits);
        Ok(match found.outcome {
            Conclusion::Solved(plan) if plan.optimal => Some(Way(plan.moves)),
            _ => None,
        })
    }

    /// Any of all states that is so far from a goal; of those that are known, the farthest where nothing was said.
    fn one_of(
        &self,
        whole: &Whole<u32>,
        board: &Board,
        (least, most): Wanted,
        random: &mut fastrand::Rng,
        job: &Job,
    ) -> Result<Sought, Failure> {
        let Some(farthest) = whole.farthest() else {
            return Err(Diagnostic::error(format!("{}: its goal cannot be reached", self.of(job))).into());
        };
        let least = least.unwrap_or(farthest.min(most));
        let fit: Vec<usize> =
            (0..whole.distances.len()).filter(|&state| (least..=most).contains(&whole.distances[state])).collect();
        let Some(&state) = random.choice(&fit) else {
            let text = format!("--moves {least}: no state of {} needs that many", self.of(job));
            let most = format!("from the farthest one it takes {farthest}");
            return Err(Diagnostic::error(text).help(most).into());
        };
        let far = whole.distances[state];
        let state = board.after(&whole.moves_to(state));
        let states = count(whole.distances.len(), "state", "states");
        let seen = format!("All {states} that can be reached were looked at");
        let way = self.solved(&state, job, None)?;
        if let Some(cost) = way.as_ref().map(|way| self.0.cost(&state, way)).filter(|&cost| cost != u64::from(far)) {
            let text = format!("two searches disagree: a state is {far} from the goal by one, and {cost} by the other");
            return Err(Diagnostic::error(text).into());
        }
        Ok(way.map(|way| (state, way, seen)).ok_or((None, job.stop.requested().unwrap_or(Reason::Unproven))))
    }

    /// Walks, ever longer ones, until what they end at takes as many moves.
    fn far(
        &self,
        board: &Board,
        (least, most): Wanted,
        random: &mut fastrand::Rng,
        job: &Job,
        console: &mut Console<'_>,
    ) -> Result<Sought, Failure> {
        let goal = match (least, board.prepared(&job.stop)?.only_goal()) {
            (None, _) => None,
            (_, Some(fluents)) => Some(Board::of(board.game.clone(), fluents.into_iter().collect())),
            (_, None) => self.solved(board, job, Some(NODES))?.map(|way| board.after(&way.0)),
        };
        let from_goal = goal.as_ref().zip(least).map(|(goal, least)| {
            let length = move |walk: usize| least as usize + walk * (1 + least as usize / 4);
            (0..WALKS).map(move |walk| (goal, length(walk), true))
        });
        let from_board = (0..WALKS).map(|walk| (board, walk * FIRST_WALK, false));
        let mut longest: Option<(u64, State)> = None;
        for (number, (begin, length, goes_back)) in from_goal.into_iter().flatten().chain(from_board).enumerate() {
            (console.progress)(number as u64, 2 * WALKS as u64);
            if let Some(reason) = job.stop.requested() {
                return Ok(Err((longest.map(|(_, state)| state), reason)));
            }
            let (mut state, mut met) = (begin.clone(), FxHashSet::from_iter([begin.clone()]));
            for _ in 0..length {
                let next: Vec<Board> = match goes_back {
                    // A walk that comes back to where it was is a shorter one.
                    true => state.before().into_iter().filter(|state| !met.contains(state)).collect(),
                    false => OnePlayer::moves(&self.0, &state).iter().map(|&action| state.after(&[action])).collect(),
                };
                let Some(next) = random.choice(next) else { break };
                state = next;
                met.insert(state.clone());
            }
            let Some(way) = self.solved(&state, job, Some(NODES))? else { continue };
            // The rest of a shortest solution is one of the state that it begins at: as soon as it costs no more than the most.
            let rest = |made: usize| Way(way.0[made..].to_vec());
            let Some(made) = (0..=way.0.len()).find(|&made| self.0.cost(&state, &rest(made)) <= most.into()) else {
                continue;
            };
            let seen = match (goes_back, length) {
                (true, _) => format!("{} to a goal were taken back at random", count(met.len() - 1, "move", "moves")),
                (false, 0) if made == 0 => "It is the start of the board".to_owned(),
                (false, 0) => {
                    format!("A shortest solution of the board was begun: {}", count(made, "move", "moves"))
                }
                (false, _) => format!("{} were made at random", count(length, "move", "moves")),
            };
            let rest = rest(made);
            let cost = self.0.cost(&state, &rest);
            let found = (state.after(&way.0[..made]), rest, seen);
            if cost >= least.unwrap_or(1).into() {
                return Ok(Ok(found));
            }
            if longest.as_ref().is_none_or(|known| known.0 < cost) {
                longest = Some((cost, found));
            }
        }
        Ok(Err((longest.map(|(_, state)| state), Reason::Unproven)))
    }

    /// What the board is, but for its start.
    fn facts(&self, job: &Job) -> Result<Vec<String>, Failure> {
        let mut lines = vec![format!("puzzle({}).", Puzzle::about(&self.0).name)];
        for document in &job.documents {
            let text = self.0.0.facts_of(document)?;
            lines.extend(
                text.lines()
                    .filter(|line| !["start(", "puzzle("].iter().any(|fact| line.trim_start().starts_with(fact)))
                    .map(str::to_owned),
            );
        }
        Ok(lines)
    }
}
