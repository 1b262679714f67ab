//! `asp-solve generate taquin`: boards that take so many moves and not one less, proven.
//!
//! A board on a shortest way home takes as many moves as are left of that way. So a board that takes more than is wanted gives one
//! of every smaller number: its way is cut. What remains is to find one that takes enough:
//!
//! - where a frame has at most ten cells, all boards are looked at, layer by layer from the goal;
//! - else a walk from the goal goes on until the board takes as many moves;
//! - where walks come no further (a shuffled board of the 15-puzzle takes 53 moves, one of a hundred thousand takes 70), three tiles
//!   change places, and what does not take fewer moves is kept.

use clap::Args;

use super::board::{Board, MOST_CELLS};
use super::shape::{Cells, Direction, Shape};
use super::{Engine, Taquin, Way, solve, why};
use crate::diagnostic::{Diagnostic, Failure};
use crate::job::Job;
use crate::puzzle::making::Made;
use crate::puzzle::one_player::OnePlayer;
use crate::puzzle::values::{Range, range, size};
use crate::puzzle::{Console, Done, Takes, Tool, has_options};
use crate::search::Conclusion;
use crate::stop::Reason;

#[derive(Debug, Clone, Copy)]
pub struct Generate;

#[derive(Debug, Clone, Args)]
pub struct Options {
    /// Columns and rows
    #[arg(long, value_name = "CxR", default_value = "4x4", value_parser = size)]
    size: (usize, usize),
    /// Moves of the shortest solution: a number, or MIN..MAX (MIN is 1 unless given) [default: those of a shuffled board]
    #[arg(long, value_name = "N", value_parser = range::<usize>)]
    moves: Option<Range<usize>>,
    /// Include a shortest solution, in a line that begins with %
    #[arg(long)]
    solution: bool,
}

/// Frames of so many cells have few enough boards to look at all.
const FEW_CELLS: usize = 10;
/// Walks from the goal, each a bit longer than the one before; and boards that are changed after that.
const WALKS: usize = 100;
const BOARDS: usize = 20_000;

/// Rows, columns and the moves that no board exceeds (Korf, *Linear-time disk-based implicit graph search*, 2008). What is
/// smaller is looked at.
const MOST_MOVES: [(usize, usize, usize); 6] =
    [(2, 6, 80), (2, 7, 108), (2, 8, 140), (3, 4, 53), (3, 5, 84), (4, 4, 80)];

impl Tool for Generate {
    has_options!(Options);

    fn name(&self) -> &'static str {
        "generate"
    }

    fn about(&self) -> &'static str {
        "Generate a taquin whose shortest solution has a given number of moves"
    }

    fn takes(&self) -> Takes {
        Takes::Seed
    }

    fn run(&self, job: &Job, console: &mut Console<'_>) -> Result<Done, Failure> {
        let options = &*job.options::<Options>();
        let wrong = |text: String| Err(Diagnostic::error(text).into());
        let (columns, rows) = options.size;
        let named = format!("--size {columns}x{rows}");
        let Some(cells) = columns.checked_mul(rows).filter(|&cells| cells <= MOST_CELLS) else {
            return wrong(format!("{named}: a taquin has at most {MOST_CELLS} cells"));
        };
        if rows < 2 || columns < 2 {
            return wrong(format!("{named}: on a single line no tile can pass another; at least 2x2 is needed"));
        }
        if options.moves.is_none() && cells > 16 {
            return wrong(format!(
                "{named}: --moves is needed; solving a shuffled board of that size would take too long"
            ));
        }
        let (least, most) = options.moves.as_ref().map_or((None, None), |moves| (moves.least, moves.most));
        let mut random = fastrand::Rng::with_seed(job.seed);
        let shape = Shape { rows, columns, home: cells - 1 };
        // The solved board is no puzzle, unless somebody asks for it.
        let most = most.unwrap_or(usize::MAX);
        let least = least.unwrap_or(most.min(1));
        let layers = if cells <= FEW_CELLS { layers(shape, most) } else { Vec::new() };
        let known = MOST_MOVES.into_iter().find(|known| (known.0, known.1) == (rows.min(columns), rows.max(columns)));
        let limit = if layers.is_empty() { known.map(|known| known.2) } else { Some(layers.len() - 1) };
        if let Some(limit) = limit.filter(|&limit| least > limit) {
            return wrong(format!("--moves {least}: no {columns}x{rows} board takes more than {limit} moves"));
        }
        let found = match (options.moves.is_some(), layers.is_empty()) {
            (false, true) => shuffled(shape, &mut random, job),
            (true, true) => far(shape, least, &mut random, job, console),
            (false, false) => one_of(&layers[1..].concat(), shape, &mut random, job),
            (true, false) => one_of(&layers[random.usize(least..layers.len())], shape, &mut random, job),
        };
        let (Found { mut board, mut way }, reason) = match found {
            Ok(found) => (found, None),
            Err((Some(best), reason)) => (best, Some(reason)),
            Err((None, reason)) => return Ok(Done::short_of("no board was solved", String::new(), reason)),
        };
        let taken = way.len();
        if taken > most {
            // The board on the way from which so many moves are left.
            let rest = way.split_off(taken - random.usize(least..=most));
            board = board.follow(&way).pop().expect("the first board is one of them");
            way = rest;
        }
        let lack = reason.map(|reason| {
            (format!("the longest of the shortest solutions found has {taken} moves, not {least}"), reason)
        });
        let moves = Taquin::WORDS.cost(way.len() as u64);
        let solution = options.solution.then(|| format!("Tiles move: {}", board.letters(&way)));
        let made = Made {
            puzzle: Taquin,
            board: &board,
            way: &Way(way),
            what: format!("A taquin of {rows} rows and {columns} columns"),
            proven: format!("Its shortest solution has {moves}: proven by IDA*"),
            solution: solution.into_iter().collect(),
            lines: board.lines(),
        };
        made.told(job.seed, lack)
    }
}

/// A board, and a shortest way home.
struct Found {
    board: Board,
    way: Vec<u16>,
}

/// The board, or the best so far and why there is no better one.
type Searched = Result<Found, (Option<Found>, Reason)>;

fn home(shape: Shape) -> Board {
    let labels = (1..shape.cells()).map(|label| label.to_string()).chain([String::new()]).collect();
    Board { shape, tiles: (0..shape.cells() as u16).collect(), labels }
}

/// The fewest moves, by IDA*.
fn solved(board: Board, job: &Job) -> Result<Found, Reason> {
    let (settings, cache) = (job.settings.clone(), job.cache.clone());
    let mut job = Job { settings, cache, stop: job.stop.clone(), ..Job::default() };
    job.options.set(super::Options::default());
    let (searched, ..) = solve::solve(&board, Engine::Idastar, &job).expect("the usual heuristic is for any board");
    match searched.outcome {
        Conclusion::Solved(plan) => Ok(Found { board, way: plan.moves }),
        Conclusion::GaveUp(reason) => Err(reason),
        Conclusion::Impossible => unreachable!("what was made by moves is undone by moves"),
    }
}

/// Makes so many moves, none of which undoes the one before.
fn walk(board: &mut Board, moves: usize, random: &mut fastrand::Rng) {
    let (mut here, mut before) = (board.free(), None);
    for _ in 0..moves {
        let next = Taquin.moves(board).into_iter().map(usize::from).filter(|&next| Some(next) != before);
        let next = *random.choice(&next.collect::<Vec<_>>()).expect("no cell of a frame is a blind alley");
        board.tiles.swap(here, next);
        before = Some(std::mem::replace(&mut here, next));
    }
}

fn shuffled(shape: Shape, random: &mut fastrand::Rng, job: &Job) -> Searched {
    let mut board = home(shape);
    random.shuffle(&mut board.tiles);
    if why::cause(&board).is_some() || Taquin.is_goal(&board).is_ok() {
        return shuffled(shape, random, job);
    }
    solved(board, job).map_err(|reason| (None, reason))
}

/// A board that takes at least so many moves.
fn far(shape: Shape, least: usize, random: &mut fastrand::Rng, job: &Job, console: &Console<'_>) -> Searched {
    let mut walked = home(shape);
    let mut best = Found { board: walked.clone(), way: Vec::new() };
    for number in 0..WALKS + BOARDS {
        if best.way.len() >= least {
            return Ok(best);
        }
        (console.progress)(number as u64, (WALKS + BOARDS) as u64);
        let board = if number < WALKS {
            // No further than it may go, lest it takes too long to solve.
            walk(&mut walked, (least - best.way.len()).max(4), random);
            walked.clone()
        } else {
            let mut board = best.board.clone();
            let free = board.free();
            let mut cells: Vec<usize> = (0..board.tiles.len()).filter(|&cell| cell != free).collect();
            random.shuffle(&mut cells);
            board.tiles.swap(cells[0], cells[1]);
            board.tiles.swap(cells[1], cells[2]);
            board
        };
        match solved(board, job) {
            Ok(found) if found.way.len() >= best.way.len() => best = found,
            Ok(_) => {}
            Err(reason) => return Err((Some(best), reason)),
        }
    }
    Err((Some(best), Reason::Attempts))
}

fn one_of(boards: &[u64], shape: Shape, random: &mut fastrand::Rng, job: &Job) -> Searched {
    let packed = *random.choice(boards).expect("no layer is empty");
    let tiles = (0..shape.cells()).map(|cell| packed.get(cell) as u16).collect();
    solved(Board { tiles, ..home(shape) }, job).map_err(|reason| (None, reason))
}

/// For each number of moves, the boards that take so many.
fn layers(shape: Shape, most: usize) -> Vec<Vec<u64>> {
    let neighbours = |&board: &u64| {
        let to = (0..shape.cells()).find(|&cell| board.get(cell) == shape.home).expect("a board has a free cell");
        let from = Direction::ALL.into_iter().filter_map(move |direction| shape.neighbour(to, direction));
        from.map(move |from| board.slide(board.get(from), from, to, shape.home))
    };
    let mut layers = vec![vec![u64::pack(&home(shape).tiles)]];
    while layers.len() <= most {
        let mut next: Vec<u64> = layers[layers.len() - 1].iter().flat_map(neighbours).collect();
        next.sort_unstable();
        next.dedup();
        // A move leads to the layer before or to the next one.
        if let Some(before) = layers.len().checked_sub(2) {
            next.retain(|board| layers[before].binary_search(board).is_err());
        }
        if next.is_empty() {
            break;
        }
        layers.push(next);
    }
    layers
}
