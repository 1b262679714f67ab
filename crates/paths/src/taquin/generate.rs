//! `asp-solve generate taquin`: generates boards whose shortest solution has a given number of
//! moves, which is proven.
//!
//! From every board along a shortest solution, the rest of that solution is a shortest one, too. A
//! board that needs more moves than requested therefore yields a board for every smaller number,
//! farther along its solution. So it suffices to find a board that needs at least the requested
//! number of moves:
//!
//! - frames with at most ten cells: all boards are enumerated by layers from the goal;
//! - otherwise, a random walk from the goal continues until the board needs enough moves;
//! - if walks do not get far enough (a random board of the 15-puzzle needs 53 moves, one in a
//!   hundred thousand 70), hill climbing: three tiles are exchanged, and the result is kept if it
//!   does not need fewer moves.

use base::diagnostic::{Code, Diagnostic, Failure};
use base::stop::StopReason;
use clap::Args;
use puzzle::generated::{Generated, GeneratedBoard};
use puzzle::job::{EngineSettings, Job};
use puzzle::one_player::{OnePlayer, Plan};
use puzzle::values::{Range, range, size};
use puzzle::{Console, OptionDeclaration, Tool, ToolInput, ToolOutput};
use statespace::search::Outcome;

use super::board::{Board, MAX_CELLS};
use super::options::{Options as TaquinOptions, Taquin, TaquinEngine};
use super::shape::{Cells, Direction, Shape};
use super::{solve, why};

#[derive(Debug, Clone, Copy)]
pub struct GenerateTaquin;

#[derive(Debug, Clone, Args)]
pub struct TaquinGeneratorOptions {
    /// Columns and rows
    #[arg(long, value_name = "CxR", default_value = "4x4", value_parser = size)]
    size: (usize, usize),
    /// Moves of the shortest solution: a number, or MIN..MAX (MIN is 1 unless given) [default: those
    /// of a shuffled board]
    #[arg(long, value_name = "N", value_parser = range::<usize>)]
    moves: Option<Range<usize>>,
    /// Include a shortest solution, in a line that begins with %
    #[arg(long)]
    solution: bool,
}

/// Frames up to this size have few enough boards to enumerate.
const MAX_CELLS_EXHAUSTIVE: usize = 10;
/// Maximum number of boards solved along a random walk from the goal, and then by hill climbing.
const WALK_BOARDS: usize = 100;
const CLIMBING_BOARDS: usize = 20_000;

/// Rows, columns and the maximum number of moves that a board needs (Korf, *Linear-time disk-based
/// implicit graph search*, 2008). Smaller frames are enumerated.
const MAX_MOVES: [(usize, usize, usize); 6] =
    [(2, 6, 80), (2, 7, 108), (2, 8, 140), (3, 4, 53), (3, 5, 84), (4, 4, 80)];

impl Tool for GenerateTaquin {
    fn name(&self) -> &'static str {
        "generate"
    }

    fn about(&self) -> &'static str {
        "Generate a sliding-tile puzzle whose shortest solution has a given number of moves"
    }

    fn options(&self) -> OptionDeclaration {
        OptionDeclaration::of::<TaquinGeneratorOptions>()
    }

    fn input(&self) -> ToolInput {
        ToolInput::Seed
    }

    fn run(&self, job: &Job, console: &mut Console<'_>) -> Result<ToolOutput, Failure> {
        let options = &*job.tool_options::<TaquinGeneratorOptions>()?;
        let usage_error = |text: String| Err(Diagnostic::error(Code::Usage, text).into());
        let (columns, rows) = options.size;
        let size_option = format!("--size {columns}x{rows}");
        let Some(cells) = columns.checked_mul(rows).filter(|&cells| cells <= MAX_CELLS) else {
            return usage_error(format!("{size_option}: a board has at most {MAX_CELLS} cells"));
        };
        if rows < 2 || columns < 2 {
            return usage_error(format!(
                "{size_option}: on a single line no tile can pass another; at least 2x2 is needed"
            ));
        }
        if options.moves.is_none() && cells > 16 {
            return usage_error(format!(
                "{size_option}: --moves is needed; solving a shuffled board of that size would take too long"
            ));
        }
        let (least, most) = options.moves.as_ref().map_or((None, None), |moves| (moves.least, moves.most));
        let mut random = fastrand::Rng::with_seed(job.seed);
        let shape = Shape { rows, columns, home: cells - 1 };
        // The solved board is excluded unless `--moves` allows it.
        let most = most.unwrap_or(usize::MAX);
        let least = least.unwrap_or(most.min(1));
        let layers = if cells <= MAX_CELLS_EXHAUSTIVE { layers(shape, most) } else { Vec::new() };
        let entry = MAX_MOVES.into_iter().find(|entry| (entry.0, entry.1) == (rows.min(columns), rows.max(columns)));
        let limit = if layers.is_empty() { entry.map(|entry| entry.2) } else { Some(layers.len() - 1) };
        if let Some(limit) = limit.filter(|&limit| least > limit) {
            return usage_error(format!("--moves {least}: no {columns}x{rows} board takes more than {limit} moves"));
        }
        let result = match (options.moves.is_some(), layers.is_empty()) {
            (false, true) => random_board(shape, &mut random, job),
            (true, true) => find_hard_board(shape, least, &mut random, job, console),
            (false, false) => solve_any(&layers[1..].concat(), shape, &mut random, job),
            (true, false) => solve_any(&layers[random.usize(least..layers.len())], shape, &mut random, job),
        };
        let (SolvedBoard { mut board, mut path }, reason) = match result.best() {
            Ok(best) => best,
            Err(reason) => return Ok(ToolOutput::incomplete("no board was solved", String::new(), reason)),
        };
        let length = path.len();
        if length > most {
            // Skip moves of the solution until the requested number remains.
            let rest = path.split_off(length - random.usize(least..=most));
            board = board.follow(&path).pop().expect("the first board is one of them");
            path = rest;
        }
        let lack = reason.map(|reason| {
            (format!("the longest of the shortest solutions found has {length} moves, not {least}"), reason)
        });
        let moves = Taquin::WORDS.cost(path.len() as u64);
        let solution = options.solution.then(|| format!("Tiles move: {}", board.letters(&path)));
        let generated = GeneratedBoard {
            puzzle: &Taquin,
            board: &board,
            plan: &Plan(path),
            what: format!("A sliding-tile puzzle of {rows} rows and {columns} columns"),
            proven: format!("Its shortest solution has {moves} (proven by IDA*)"),
            solution: solution.into_iter().collect(),
            lines: board.lines(),
        };
        generated.output(job.seed, lack)
    }
}

/// A board and a shortest solution.
struct SolvedBoard {
    board: Board,
    path: Vec<u16>,
}

fn goal_board(shape: Shape) -> Board {
    let labels = (1..shape.cells()).map(|label| label.to_string()).chain([String::new()]).collect();
    Board { shape, tiles: (0..shape.cells() as u16).collect(), labels }
}

/// Solves a board with the fewest moves, by IDA*.
fn solve_optimally(board: Board, job: &Job) -> Result<SolvedBoard, StopReason> {
    let EngineSettings { settings, cache, .. } = job.engine.clone();
    let engine = EngineSettings { settings, cache, ..EngineSettings::default() };
    let mut job = Job { engine, stop: job.stop.clone(), ..Job::default() };
    job.options.set(TaquinOptions::default());
    let (searched, ..) =
        solve::solve(&board, TaquinEngine::Idastar, &job).expect("the usual heuristic is for any board");
    match searched.outcome {
        Outcome::Solved(plan) => Ok(SolvedBoard { board, path: plan.moves }),
        Outcome::GaveUp(reason) => Err(reason),
        Outcome::Impossible => unreachable!("what was made by moves is undone by moves"),
    }
}

/// Makes `moves` random moves, none of which undoes the previous one.
fn walk(board: &mut Board, moves: usize, random: &mut fastrand::Rng) {
    let mut blank = board.blank();
    let mut previous = None;
    for _ in 0..moves {
        let next = Taquin.moves(board).into_iter().map(usize::from).filter(|&next| Some(next) != previous);
        let next = *random.choice(&next.collect::<Vec<_>>()).expect("no cell of a frame is a blind alley");
        board.tiles.swap(blank, next);
        previous = Some(std::mem::replace(&mut blank, next));
    }
}

fn random_board(shape: Shape, random: &mut fastrand::Rng, job: &Job) -> Generated<SolvedBoard> {
    let mut board = goal_board(shape);
    random.shuffle(&mut board.tiles);
    if why::cause(&board).is_some() || Taquin.is_goal(&board).is_ok() {
        return random_board(shape, random, job);
    }
    solve_optimally(board, job).into()
}

/// Finds a board that needs at least `least` moves.
fn find_hard_board(
    shape: Shape,
    least: usize,
    random: &mut fastrand::Rng,
    job: &Job,
    console: &Console<'_>,
) -> Generated<SolvedBoard> {
    let mut walk_board = goal_board(shape);
    let mut best = SolvedBoard { board: walk_board.clone(), path: Vec::new() };
    for number in 0..WALK_BOARDS + CLIMBING_BOARDS {
        if best.path.len() >= least {
            return Generated::Done(best);
        }
        (console.progress)(number as u64, (WALK_BOARDS + CLIMBING_BOARDS) as u64);
        let board = if number < WALK_BOARDS {
            // Stop at the requested depth; deeper boards take too long to solve.
            walk(&mut walk_board, (least - best.path.len()).max(4), random);
            walk_board.clone()
        } else {
            let mut board = best.board.clone();
            let blank = board.blank();
            let mut cells: Vec<usize> = (0..board.tiles.len()).filter(|&cell| cell != blank).collect();
            random.shuffle(&mut cells);
            board.tiles.swap(cells[0], cells[1]);
            board.tiles.swap(cells[1], cells[2]);
            board
        };
        match solve_optimally(board, job) {
            Ok(candidate) if candidate.path.len() >= best.path.len() => best = candidate,
            Ok(_) => {}
            Err(reason) => return Generated::Best(best, reason),
        }
    }
    Generated::Best(best, StopReason::AttemptLimit)
}

fn solve_any(boards: &[u64], shape: Shape, random: &mut fastrand::Rng, job: &Job) -> Generated<SolvedBoard> {
    let packed = *random.choice(boards).expect("no layer is empty");
    let tiles = (0..shape.cells()).map(|cell| packed.get(cell) as u16).collect();
    solve_optimally(Board { tiles, ..goal_board(shape) }, job).into()
}

/// Returns, for each number of moves up to `most`, the boards that need exactly that many.
pub fn layers(shape: Shape, most: usize) -> Vec<Vec<u64>> {
    let neighbours = |&board: &u64| {
        let to = (0..shape.cells()).find(|&cell| board.get(cell) == shape.home).expect("a board has a free cell");
        let from = Direction::ALL.into_iter().filter_map(move |direction| shape.neighbour(to, direction));
        from.map(move |from| board.slide(board.get(from), from, to, shape.home))
    };
    let mut layers = vec![vec![u64::pack(&goal_board(shape).tiles)]];
    while layers.len() <= most {
        let mut next: Vec<u64> = layers[layers.len() - 1].iter().flat_map(neighbours).collect();
        next.sort_unstable();
        next.dedup();
        // A move leads to the previous layer or the next one.
        if let Some(previous) = layers.len().checked_sub(2) {
            next.retain(|board| layers[previous].binary_search(board).is_err());
        }
        if next.is_empty() {
            break;
        }
        layers.push(next);
    }
    layers
}
