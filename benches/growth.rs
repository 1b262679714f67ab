//! Measures the time and memory of every engine as functions of the input size: `cargo bench
//! --bench growth`, optionally with the names of charts, such as `cargo bench --bench growth --
//! rail-forks amphipod-depth`. All charts together take ten minutes.
//!
//! Each point is the median processor time and peak memory of three runs of the command in a
//! separate process, on one thread. There is only one run if it takes a second. Random instances
//! differ between the runs. A curve ends when a run gives up after [`LIMIT`] seconds or with
//! [`MEGABYTES`], or when the command rejects the size. `-- --record` stores the points.

#[path = "figures/mod.rs"]
mod figures;

use std::fmt::Write;

use base::document::Document;
use figures::measure::{Ran, median, run};
use paths::amphipod::{Burrow, Detours};
use serde_json::{Value, json};
use statespace::search::{Limits, Outcome, astar};

const LIMIT: u32 = 5;
const MEGABYTES: u32 = 4000;

/// A chart with the input size on its axis and a curve for each engine.
struct Chart {
    name: &'static str,
    x: &'static str,
    /// Returns the instance of a size, with its position on the axis. The seed determines random
    /// instances.
    instance: Instance,
    engines: Vec<Engine>,
}

type Instance = Box<dyn Fn(usize, u64) -> (String, f64)>;

struct Engine {
    name: &'static str,
    arguments: &'static str,
    sizes: Vec<usize>,
    /// The reason why the curve ends after the last size, if there is no larger one.
    end: Option<&'static str>,
}

fn engine(name: &'static str, arguments: &'static str, sizes: impl IntoIterator<Item = usize>) -> Engine {
    Engine { name, arguments, sizes: sizes.into_iter().collect(), end: None }
}

fn ending(engine: Engine, end: &'static str) -> Engine {
    Engine { end: Some(end), ..engine }
}

/// Returns the engines for burrows. Each line of their input is an instance.
fn amphipods(sizes: std::ops::RangeInclusive<usize>, end: &'static str) -> Vec<Engine> {
    let of = |(name, arguments)| ending(engine(name, arguments, sizes.clone()), end);
    let engines = [
        ("astar", "--batch --engine astar"),
        ("idastar", "--batch --engine idastar"),
        ("memo", "--batch --engine memo"),
        ("backtracking", "--batch --engine backtracking"),
        ("asp", "--batch --engine asp"),
    ];
    engines.map(of).into()
}

/// Returns sizes that grow by a factor of about √10.
fn tens(from: usize, to: usize) -> impl Iterator<Item = usize> {
    std::iter::successors(Some((from, from * 3)), |&(size, next)| Some((next, size * 10)))
        .map(|pair| pair.0)
        .take_while(move |&size| size <= to)
}

/// Returns sizes of which each is twice the previous one.
fn twos(from: usize, to: usize) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(from), |size| Some(size * 2)).take_while(move |&size| size <= to)
}

fn main() {
    let selected = figures::arguments();
    let cache = tempfile::tempdir().expect("a temporary folder");
    let measure = |arguments: &str, text: &str| -> Ran {
        // The tool `expand` has its own memory limit.
        let memory = if arguments == "expand" { String::new() } else { format!("--memory-limit {MEGABYTES}") };
        let line = format!("{arguments} - --threads 1 --time-limit {LIMIT} {memory}");
        run(cache.path(), &line.split_whitespace().collect::<Vec<_>>(), text)
    };
    // Build the tables of the 15-puzzle before measuring.
    if selected.is_empty() || selected.iter().any(|name| name == "taquin-length") {
        measure("-q --heuristic pdb", "1 2 3 4/5 6 7 8/9 10 11 12/13 14 0 15");
    }
    for chart in
        charts().into_iter().filter(|chart| selected.is_empty() || selected.iter().any(|name| name == chart.name))
    {
        println!("{}", chart.name);
        for engine in &chart.engines {
            let mut points: Vec<[f64; 3]> = Vec::new();
            let mut end = engine.end.map(str::to_owned);
            let mut beyond = None;
            for &size in &engine.sizes {
                let (text, x) = (chart.instance)(size, 1);
                let mut ran = vec![measure(engine.arguments, &text)];
                let first = &ran[0];
                // If the engine `certain` gives up counting, it still reports the certain cells. In
                // a batch, the output has a line for each instance, which shows if it gave up.
                let gave_up = ["\"gave-up\"", "\"complete\":false"].iter().any(|sign| first.output.contains(sign));
                let is_answered =
                    matches!(first.code, 0 | 1) && !gave_up || engine.name == "certain" && first.code == 3;
                if !is_answered && first.code == 2 {
                    end = Some(first.errors.lines().next().unwrap_or_default().to_owned());
                    break;
                } else if !is_answered {
                    let is_full = first.megabytes > 0.9 * f64::from(MEGABYTES);
                    let is_late = first.seconds > 0.9 * f64::from(LIMIT);
                    let limit = match (is_full, is_late) {
                        (true, _) => "memory: more than 4 GB",
                        (_, true) => "time: more than 5 s",
                        _ => "the engine: it gives up",
                    };
                    beyond = Some(format!("{limit} at {x}"));
                    break;
                }
                if first.cpu_seconds < 1.0 {
                    ran.extend((2..=3).map(|seed| measure(engine.arguments, &(chart.instance)(size, seed).0)));
                }
                let of = |what: fn(&Ran) -> f64| {
                    let digits = 10_f64.powi(4);
                    (median(ran.iter().map(what).collect()) * digits).round() / digits
                };
                points.push([x, of(|ran| ran.cpu_seconds), of(|ran| ran.megabytes)]);
            }
            let mut row = json!({"x": chart.x, "points": points});
            for (key, words) in [("end", end), ("beyond", beyond)] {
                row.as_object_mut().expect("an object").extend(words.map(|words| (key.to_owned(), Value::from(words))));
            }
            figures::record(chart.name, engine.name, row);
        }
    }
}

fn charts() -> Vec<Chart> {
    let chart = |name, x, instance: Instance, engines| Chart { name, x, instance, engines };
    let (solution, board) = eighty_moves();
    vec![
        chart(
            "rail-forks",
            "forks of a ladder, 3 colours, 2 gates",
            Box::new(|forks, _| (ladder(forks), forks as f64)),
            vec![
                engine("asp", "-n 0 -q --engine asp", twos(25, 25_600)),
                engine("simulation", "-n 0 -q --engine simulation", tens(100, 1_000_000)),
                engine("backward", "-n 0 -q --engine backward", tens(100, 1_000_000)),
                engine("expand", "expand", tens(100, 1_000_000)),
            ],
        ),
        chart(
            "rail-trips",
            "distinct trips",
            Box::new(|colors, _| (chain(colors), f64::from(1 << colors))),
            vec![
                engine("asp", "-n 0 -q --engine asp", 4..=24),
                engine("simulation", "-n 0 -q --engine simulation", (4..=28).step_by(2)),
                engine("backward", "-n 0 -q --engine backward", (4..=28).step_by(2)),
                engine("expand", "expand", (4..=28).step_by(2)),
            ],
        ),
        chart(
            "minesweeper-cells",
            "cells, a fifth of them mines",
            Box::new(|side, seed| (field(side, 20, seed), (side * side) as f64)),
            vec![
                engine("csp", "-q", [10, 18, 32, 56, 100, 180, 320, 560, 1000]),
                engine("asp", "-q --engine asp", [10, 18, 32, 56, 100, 180, 320]),
            ],
        ),
        chart(
            "minesweeper-mines",
            "mines in 100 cells, on 50×50",
            Box::new(|percent, seed| (field(50, percent, seed), percent as f64)),
            vec![engine("csp", "-q", (5..=60).step_by(5)), engine("asp", "-q --engine asp", (5..=60).step_by(5))],
        ),
        chart(
            "minesweeper-frontier",
            "side of a square lattice of numbers",
            Box::new(|side, seed| (lattice(side, seed), side as f64)),
            vec![
                engine("csp", "-q", (7..=31).step_by(2)),
                engine("asp", "-q --engine asp", (7..=31).step_by(2)),
                engine("certain", "-q", (27..=61).step_by(6)),
            ],
        ),
        chart(
            "taquin-length",
            "moves to the goal, 15-puzzle",
            Box::new(move |length, _| (after(&board, &solution[..solution.len() - length]), length as f64)),
            vec![
                engine("Manhattan", "-q --heuristic manhattan", (20..=80).step_by(5)),
                engine("linear conflict", "-q --heuristic linear-conflict", (20..=80).step_by(5)),
                engine("pattern db", "-q --heuristic pdb", (20..=80).step_by(5)),
                engine("A*, Manhattan", "-q --engine astar --heuristic manhattan", (20..=80).step_by(5)),
                engine("bfs", "-q --engine bfs", (10..=80).step_by(4)),
                engine("quick", "-q --quick", (20..=80).step_by(5)),
                engine("asp", "-q --engine asp", (4..=40).step_by(4)),
            ],
        ),
        chart(
            "taquin-tiles",
            "tiles of a square board",
            Box::new(|side, seed| (shuffled(side, seed), (side * side - 1) as f64)),
            vec![
                ending(
                    engine("quick", "-q --quick", [3, 4, 5, 6, 8, 11, 16, 22, 32]),
                    "the size: 1,024 cells are the most that is read",
                ),
                engine("idastar", "-q --engine idastar", [2, 3, 4, 5]),
                engine("astar", "-q --engine astar", [2, 3, 4, 5]),
            ],
        ),
        chart(
            "amphipod-depth",
            "cells in each of four rooms, ten burrows",
            Box::new(|depth, seed| (burrows(4, depth, seed), depth as f64)),
            amphipods(1..=6, WHY_NO_DEEPER_BURROWS),
        ),
        chart(
            "amphipod-rooms",
            "rooms of two cells, ten burrows",
            Box::new(|rooms, seed| (burrows(rooms, 2, seed), rooms as f64)),
            amphipods(1..=8, WHY_NO_MORE_ROOMS),
        ),
        chart(
            "game",
            "goal, from 1 by 2n, 3n and n + 7",
            Box::new(|goal, _| {
                (json!({"start": 1, "moves": ["2*n", "3*n", "n+7"], "goal": [goal]}).to_string(), goal as f64)
            }),
            vec![
                engine("bfs", "-q --engine bfs", tens(1_000, usize::MAX / 100)),
                engine("ids", "-q --engine ids", tens(1_000, usize::MAX / 100)),
                engine("idastar", "-q --engine idastar", tens(1_000, usize::MAX / 100)),
                engine("astar", "-q --engine astar", tens(1_000, usize::MAX / 100)),
            ],
        ),
        chart(
            "program-rules",
            "ground rules: q(X,Y) :- p(X), p(Y).",
            Box::new(|side, _| (format!("p(1..{side}). q(X,Y) :- p(X), p(Y).\n"), (side * side + side) as f64)),
            vec![engine("one answer", "-q", [30, 100, 180, 320, 560, 1000, 1800, 3200, 5600])],
        ),
        chart(
            "program-answers",
            "answers of {a(1..n)}.",
            Box::new(|atoms, _| (format!("{{a(1..{atoms})}}.\n"), f64::from(1 << atoms))),
            vec![
                engine("counted", "-n 0 -q", (8..=28).step_by(2)),
                engine("printed", "-n 0", (8..=28).step_by(2)),
                engine("JSON", "-n 0 -f json", (8..=28).step_by(2)),
            ],
        ),
    ]
}

const WHY_NO_MORE_ROOMS: &str = "the size: eight rooms are the most that is read";
const WHY_NO_DEEPER_BURROWS: &str = "the hallway: of 3,000 random burrows of seven cells none can be solved";

/// Returns a network of two rows of forks. The branches of a fork lead to the next forks in both
/// rows. At one third and two thirds of the length, both rows pass through a gate.
fn ladder(forks: usize) -> String {
    let rungs = forks / 2;
    let mut text = String::from("start(a0). target(t). final_node(s).\n");
    for rung in 0..rungs {
        let gate = (1..=2).find(|third| rung == rungs * third / 3);
        for (side, row) in ["a", "b"].into_iter().enumerate() {
            let to = |row: &str, end: &str| match gate {
                Some(gate) => format!("g{gate}{row}"),
                None if rung + 1 == rungs => end.to_owned(),
                None => format!("{row}{}", rung + 1),
            };
            let color = (2 * rung + side) % 3;
            let _ = writeln!(
                text,
                "color({row}{rung},c{color}). rel({row}{rung},1,{}). rel({row}{rung},2,{}).",
                to("a", "t"),
                to("b", "s")
            );
            if let Some(gate) = gate {
                let _ = writeln!(text, "gate({gate},g{gate}{row}). rel(g{gate}{row},1,{row}{}).", rung + 1);
            }
        }
    }
    text
}

/// Returns a chain of pairs of forks, one pair for each colour. Every configuration has a different
/// trip, and the last lever determines the outcome.
fn chain(colors: usize) -> String {
    let mut text = String::from("start(f0). target(t). final_node(s).\n");
    for color in 0..colors {
        let next = |end: &str| if color + 1 == colors { end.to_owned() } else { format!("f{}", color + 1) };
        let _ = writeln!(
            text,
            "color(f{color},c{color}). rel(f{color},1,{}). rel(f{color},2,h{color}). \
             color(h{color},c{color}). rel(h{color},1,s). rel(h{color},2,{}).",
            next("t"),
            next("s")
        );
    }
    text
}

/// Returns a square board with `mines` random mines in the cells that `is_mined` selects. The cells
/// that `is_open` selects are open unless they have a mine.
fn board(
    side: usize,
    mines: usize,
    seed: u64,
    is_mined: impl Fn(usize) -> bool,
    is_open: impl Fn(usize) -> bool,
) -> String {
    let mut cells: Vec<usize> = (0..side * side).filter(|&cell| is_mined(cell)).collect();
    fastrand::Rng::with_seed(seed).shuffle(&mut cells);
    let mut is_mine = vec![false; side * side];
    for &cell in &cells[..mines] {
        is_mine[cell] = true;
    }
    let near = |place: usize| place.saturating_sub(1)..=(place + 1).min(side - 1);
    let number = |cell: usize| {
        let columns = near(cell % side);
        let cells = near(cell / side).flat_map(|row| columns.clone().map(move |column| row * side + column));
        cells.filter(|&cell| is_mine[cell]).count()
    };
    let mut text = format!("mines {mines}");
    for (cell, is_mine) in is_mine.iter().enumerate() {
        text.push_str(if cell.is_multiple_of(side) { "\n" } else { "" });
        text += &if is_open(cell) && !is_mine { number(cell).to_string() } else { "?".to_owned() };
    }
    text + "\n"
}

/// Returns a board on which a random fifth of the cells is open.
fn field(side: usize, percent: usize, seed: u64) -> String {
    let mut random = fastrand::Rng::with_seed(seed + 100);
    let is_open: Vec<bool> = (0..side * side).map(|_| random.u8(..5) == 0).collect();
    board(side, side * side * percent / 100, seed, |_| true, |cell| is_open[cell])
}

/// Returns a board on which every second cell of every second row is open.
fn lattice(side: usize, seed: u64) -> String {
    let is_open = move |cell: usize| (cell / side).is_multiple_of(2) && (cell % side).is_multiple_of(2);
    board(side, side * side * 245 / 1000, seed, move |cell| !is_open(cell), is_open)
}

/// Returns a shortest solution of a board that needs 80 moves, the maximum, and the board. The
/// suffixes of the solution are shortest solutions, too.
fn eighty_moves() -> (Vec<u8>, Vec<usize>) {
    const MOVES: &str = "UUULLLDDRRURULLLDDRDRUULDRURULLDLDRDLURDRUULDRRDLURUULLDLDRRRUULLLDRDDRRUUULLDLU";
    let tiles = [0, 12, 9, 13, 15, 11, 10, 14, 3, 7, 2, 5, 4, 8, 6, 1];
    (MOVES.bytes().collect(), tiles.to_vec())
}

/// Returns the board after moves of tiles, as text.
fn after(board: &[usize], moves: &[u8]) -> String {
    let mut board = board.to_vec();
    for direction in moves {
        let free = board.iter().position(|&tile| tile == 0).expect("a free cell");
        let tile = match direction {
            b'L' => free + 1,
            b'R' => free - 1,
            b'U' => free + 4,
            _ => free - 4,
        };
        board.swap(free, tile);
    }
    text_of(&board, 4)
}

fn text_of(board: &[usize], side: usize) -> String {
    let row = |row: &[usize]| row.iter().map(usize::to_string).collect::<Vec<_>>().join(" ");
    board.chunks(side).map(row).collect::<Vec<_>>().join("\n") + "\n"
}

/// Returns a random solvable board.
fn shuffled(side: usize, seed: u64) -> String {
    let mut board: Vec<usize> = (1..side * side).collect();
    fastrand::Rng::with_seed(seed).shuffle(&mut board);
    let pairs = (0..board.len()).flat_map(|later| (0..later).map(move |earlier| (later, earlier)));
    if pairs.filter(|&(later, earlier)| board[later] < board[earlier]).count() % 2 == 1 {
        board.swap(0, 1);
    }
    board.push(0);
    text_of(&board, side)
}

/// Returns ten random burrows, one on each line. If they have four rooms, they are solvable.
fn burrows(rooms: usize, depth: usize, seed: u64) -> String {
    let mut random = fastrand::Rng::with_seed(seed);
    let burrow = || {
        let mut all: Vec<usize> = (0..rooms * depth).map(|cell| cell / depth).collect();
        random.shuffle(&mut all);
        let rooms =
            all.chunks(depth).map(|room| format!("({})", room.iter().map(usize::to_string).collect::<String>()));
        format!("..{}..\n", rooms.collect::<Vec<_>>().join("."))
    };
    let is_solved = |text: &String| {
        let burrow = Burrow::parse(&Document::in_memory("burrow", text.as_str())).expect("a burrow");
        rooms != 4 || matches!(astar(&Detours::<4>::new(&burrow), &Limits::none()).outcome, Outcome::Solved(_))
    };
    std::iter::repeat_with(burrow).filter(is_solved).take(10).collect()
}
