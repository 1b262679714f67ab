//! Measures Minesweeper: the time to compute all probabilities of a board, and games of the bot.
//!
//! `cargo bench --bench minesweeper` measures the boards of `tests/data/minesweeper.jsonl` by
//! category (checking every answer against the file), lattices, and boards of 200×200 cells. `--
//! play` plays 40,000 games on each standard board with each strategy, on one core, which takes
//! minutes; `-- play GAMES` plays another number. A final `--record` stores the figures.
//!
//! Players are compared in pairs, on the same layouts with the same first click: `-- games expert
//! safe SEED GAMES best` prints a 1 for each game won and a 0 for each game lost, a hundred games
//! on a line. `-- pairs ONE OTHER` reads two such files (lines with a `%` are comments) and reports
//! the difference of the win rates with the sign test. The seeds on which constants were tuned, 1
//! and 500 to 1004, must not be used.

#[path = "figures/mod.rs"]
mod figures;

use std::time::{Duration, Instant};

use minesweeper::count::Budget;
use minesweeper::grid::{Cell, Grid};
use minesweeper::play::bot::Strategy;
use minesweeper::play::game::{Setup, Start};
use minesweeper::play::report::{Tally, interval};
use minesweeper::play::round::RunConfig;
use minesweeper::position::KnownPosition;
use minesweeper::probability::likelihood;
use serde_json::{Value, json};

fn main() {
    let arguments = figures::arguments();
    match arguments.first().map(String::as_str) {
        Some("play") => play(arguments.get(1).and_then(|games| games.parse().ok()).unwrap_or(40_000)),
        Some("games") => games(&arguments[1..]),
        Some("pairs") => pairs(&arguments[1..]),
        _ => {
            reference();
            lattices();
            wide();
            large();
        }
    }
}

/// Returns the time to compute all probabilities: the minimum of several runs.
fn time(position: &KnownPosition) -> Duration {
    let runs = |_| {
        let started = Instant::now();
        let counted = likelihood(position, &Budget::unlimited());
        let elapsed = started.elapsed();
        drop(std::hint::black_box(counted));
        elapsed
    };
    (0..7).map(runs).min().expect("seven runs")
}

fn reference() {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/minesweeper.jsonl"));
    let mut categories: Vec<(String, Vec<(Duration, String)>)> = Vec::new();
    for line in text.expect("the reference file").lines() {
        let row: Value = serde_json::from_str(line).expect("JSON");
        let position = position(&row);
        compare(&row, &position);
        let category = row["category"].as_str().expect("a category");
        if categories.last().is_none_or(|(last, _)| last != category) {
            categories.push((category.to_owned(), Vec::new()));
        }
        let name = row["name"].as_str().expect("a name").to_owned();
        categories.last_mut().expect("just pushed").1.push((time(&position), name));
    }
    for (category, times) in categories {
        let micros = |time: &Duration| time.as_secs_f64() * 1e6;
        let mean = times.iter().map(|(time, _)| micros(time)).sum::<f64>() / times.len() as f64;
        let (most, slowest) = times.iter().max().expect("a category has boards");
        let name = format!("published, {}", category.replace(['_', '-'], " "));
        record(&name, times.len(), mean, micros(most), slowest);
    }
}

/// Records the time for all probabilities of a board, in microseconds.
fn record(name: &str, boards: usize, mean: f64, most: f64, slowest: &str) {
    let values = json!({"boards": boards, "mean µs": mean, "most µs": most, "slowest": slowest});
    figures::record("minesweeper", name, values);
}

fn position(row: &Value) -> KnownPosition {
    let rows: Vec<&str> = row["rows"].as_array().expect("rows").iter().filter_map(Value::as_str).collect();
    let grid = Grid { rows: rows.len(), columns: rows[0].len() };
    let mut position = KnownPosition::closed(grid, row["mines"].as_u64().map(|mines| mines as usize));
    for (number, line) in rows.iter().enumerate() {
        for (column, sign) in line.bytes().enumerate() {
            position.cells[grid.cell(number, column)] = match sign {
                b'?' => Cell::Closed,
                b'F' => Cell::Mine,
                digit => Cell::Open(digit - b'0'),
            };
        }
    }
    position
}

fn compare(row: &Value, position: &KnownPosition) {
    let name = row["name"].as_str().expect("a name");
    let counted = likelihood(position, &Budget::unlimited()).expect("no limit");
    assert_eq!(counted.is_ok(), row["consistent"] == true, "{name}");
    let Ok(counted) = counted else { return };
    assert_eq!(counted.configurations.to_string(), row["configurations"].as_str().expect("a number"), "{name}");
    for cell in position.grid.cells().filter(|&cell| !matches!(position.cells[cell], Cell::Open(_))) {
        let [number, column] = position.grid.place(cell);
        let expected = row["probabilities"][number][column].as_f64().expect("a probability");
        assert!((counted.probabilities[cell] - expected).abs() < 1e-9, "{name}: row {number}, column {column}");
    }
}

/// Returns a board with random mines, on which exactly the cells that `is_open` selects are open.
fn board(grid: Grid, mines: usize, seed: u64, is_open: impl Fn(usize, usize) -> bool) -> KnownPosition {
    let place = |cell: usize| grid.place(cell);
    let mut cells: Vec<usize> = grid.cells().filter(|&cell| !is_open(place(cell)[0], place(cell)[1])).collect();
    fastrand::Rng::with_seed(seed).shuffle(&mut cells);
    let mined = &cells[..mines];
    let mut is_mine = vec![false; grid.extent()];
    for &cell in mined {
        is_mine[cell] = true;
    }
    let mut position = KnownPosition::closed(grid, Some(mines));
    for cell in grid.cells().filter(|&cell| is_open(place(cell)[0], place(cell)[1])) {
        let number = grid.around(cell).into_iter().filter(|&near| is_mine[near]).count();
        position.cells[cell] = Cell::Open(number as u8);
    }
    position
}

/// Measures lattices, on which every second cell of every second row is open: the widest frontiers
/// that numbers can form. The number of states depends on the numbers, so a single board would not
/// be representative.
fn lattices() {
    for (rows, columns) in [(9, 21), (15, 15), (21, 21), (25, 25)] {
        let grid = Grid { rows, columns };
        let times: Vec<(Duration, u64)> = (1..=20)
            .map(|seed| {
                let is_open = |row: usize, column: usize| row.is_multiple_of(2) && column.is_multiple_of(2);
                (time(&board(grid, grid.area() * 245 / 1000, seed, is_open)), seed)
            })
            .collect();
        let micros = |time: &Duration| time.as_secs_f64() * 1e6;
        let mean = times.iter().map(|(time, _)| micros(time)).sum::<f64>() / times.len() as f64;
        let (most, seed) = times.iter().max().expect("twenty boards");
        record(
            &format!("random lattices of {rows}×{columns}"),
            times.len(),
            mean,
            micros(most),
            &format!("seed {seed}"),
        );
    }
}

/// Measures whole runs of the command on lattices that are too wide to count, for which it reports
/// the certain cells.
fn wide() {
    let mut times = Vec::new();
    for seed in 1..=6 {
        let grid = Grid { rows: 41, columns: 41 };
        let position = board(grid, grid.area() * 245 / 1000, seed, |row, column| row % 2 == 0 && column % 2 == 0);
        let sign = |cell: usize| match position.cells[cell] {
            Cell::Open(number) => char::from(b'0' + number),
            _ => '?',
        };
        let row = |row: usize| (0..41).map(|column| sign(grid.cell(row, column))).collect::<String>();
        let rows: Vec<String> = (0..41).map(row).collect();
        let path = std::env::temp_dir().join(format!("wide-lattice-{seed}.txt"));
        std::fs::write(&path, format!("mines {}\n{}\n", grid.area() * 245 / 1000, rows.join("\n"))).expect("a file");
        let started = Instant::now();
        let ran = std::process::Command::new(env!("CARGO_BIN_EXE_asp-solve")).args(["-f", "json"]).arg(&path).output();
        let seconds = started.elapsed().as_secs_f64();
        let value: Value = serde_json::from_slice(&ran.expect("the command").stdout).expect("JSON");
        let len = |key: &str| value["answers"][0][key].as_array().map_or(0, Vec::len);
        times.push((seconds, seed));
        assert!(len("safe") + len("mines") > 0, "lattice {seed} has certain cells");
        let _ = std::fs::remove_file(path);
    }
    let mean = times.iter().map(|(seconds, _)| seconds).sum::<f64>() / times.len() as f64;
    let (most, seed) = times.iter().copied().max_by(|a, b| a.0.total_cmp(&b.0)).expect("six boards");
    let name = "random lattices of 41×41, too wide to count: what is certain";
    record(name, times.len(), mean * 1e6, most * 1e6, &format!("seed {seed}"));
}

/// Measures boards of 200×200 cells with 8,000 mines, after clicks on a percentage of the safe
/// cells.
fn large() {
    let grid = Grid { rows: 200, columns: 200 };
    for percent in [1, 5, 10, 20, 40, 70] {
        let rules = Setup { grid, mines: 8000, start: Start::Safe };
        let mut random = fastrand::Rng::with_seed(percent);
        let mut game = rules.game(&mut random, grid.cell(0, 0));
        let mut opened = Vec::new();
        for cell in grid.cells() {
            if !game.is_mine(cell) && random.u64(..100) < percent {
                game.click(cell, &mut opened);
            }
        }
        let micros = time(&game.position).as_secs_f64() * 1e6;
        record(&format!("200×200, 8,000 mines, after clicks on {percent} % of the free cells"), 1, micros, micros, "");
    }
}

const LEVELS: [(&str, usize, usize, usize); 4] =
    [("small", 8, 8, 10), ("beginner", 9, 9, 10), ("intermediate", 16, 16, 40), ("expert", 30, 16, 99)];
const USAGE: &str = "games small|beginner|intermediate|expert safe|opening SEED GAMES best|article, or pairs ONE OTHER";

fn run_config(columns: usize, rows: usize, mines: usize, start: Start, strategy: Strategy) -> RunConfig {
    RunConfig::new(Setup { grid: Grid { rows, columns }, mines, start }, strategy, &Budget::unlimited())
}

/// Plays the games of a seed. Returns true for each game won, and the total of all games.
fn won(config: &RunConfig, seed: u64, games: u64) -> (Vec<bool>, Tally) {
    let mut sum = Tally::default();
    let wins = (0..games).map(|game| {
        let tally = config.play(&mut config.random(seed, game)).expect("no limit");
        sum.add(&tally);
        tally.wins == 1
    });
    (wins.collect(), sum)
}

/// Prints the result of each game.
fn games(arguments: &[String]) {
    let [level, start, seed, games, strategy] = arguments else { panic!("expected: {USAGE}") };
    let (_, columns, rows, mines) = LEVELS.into_iter().find(|(name, ..)| name == level).expect(USAGE);
    let start = <Start as clap::ValueEnum>::from_str(start, false).expect(USAGE);
    let strategy = <Strategy as clap::ValueEnum>::from_str(strategy, false).expect(USAGE);
    let config = run_config(columns, rows, mines, start, strategy);
    let (wins, sum) = won(&config, seed.parse().expect(USAGE), games.parse().expect(USAGE));
    println!("% {}: {} of {games} won", arguments.join(" "), sum.wins);
    for line in wins.chunks(100) {
        println!("{}", line.iter().map(|&won| if won { '1' } else { '0' }).collect::<String>());
    }
}

/// Compares two files of results.
fn pairs(files: &[String]) {
    let [one, other] = files else { panic!("expected: {USAGE}") };
    let read = |file: &String| -> Vec<bool> {
        let text = std::fs::read_to_string(file).expect("a file of results");
        let lines = text.lines().filter(|line| !line.starts_with('%'));
        lines.flat_map(|line| line.trim().bytes()).map(|sign| sign == b'1').collect()
    };
    println!("{}", compared(&read(one), &read(other)));
}

/// Describes the sign test over the games that only one of two players wins.
fn compared(one: &[bool], other: &[bool]) -> String {
    let (more, error, [first, second]) = difference(one, other);
    format!(
        "{} games: only the first wins {first}, only the second {second}: {more:+.3} ± {error:.3} points, {:+.1} standard errors",
        one.len().min(other.len()),
        more / error.max(1e-9)
    )
}

/// Returns the difference of the win rates in percentage points, its standard error, and the
/// numbers of games that only the first or only the second player wins.
fn difference(one: &[bool], other: &[bool]) -> (f64, f64, [f64; 2]) {
    let only = |a: &[bool], b: &[bool]| a.iter().zip(b).filter(|(a, b)| **a && !**b).count() as f64;
    let (first, second) = (only(one, other), only(other, one));
    let points = 100.0 / one.len().min(other.len()) as f64;
    (points * (first - second), points * (first + second).sqrt(), [first, second])
}

/// The seed of the games. No constant was tuned on them.
const SEED: u64 = 20_261_122;

/// Plays games on the standard boards. All strategies play the same games.
fn play(games: u64) {
    for start in [Start::Safe, Start::Opening] {
        for (_, columns, rows, mines) in LEVELS {
            let name = format!("{columns}×{rows}, {mines} mines, {}", format!("{start:?}").to_lowercase());
            let mut values = json!({"games": games});
            let mut both: Vec<Vec<bool>> = Vec::new();
            for strategy in [Strategy::Best, Strategy::Article] {
                let config = run_config(columns, rows, mines, start, strategy);
                let started = Instant::now();
                let (wins, sum) = won(&config, SEED, games);
                let seconds = started.elapsed().as_secs_f64();
                let [low, high] = interval(sum.wins, sum.games).map(|bound| 100.0 * bound);
                let rate = 100.0 * sum.wins as f64 / games as f64;
                if strategy == Strategy::Best {
                    values["best, % (95 %)"] = json!(format!("{rate:.2} ({low:.2} to {high:.2})"));
                    values["games/s"] = json!((games as f64 / seconds).round() as u64);
                    values["guesses a game"] = json!(sum.clicks[3] as f64 / games as f64);
                } else {
                    values["article, %"] = json!(format!("{rate:.2}"));
                }
                both.push(wins);
            }
            let (more, error, _) = difference(&both[0], &both[1]);
            values["best − article, points"] = json!(format!("{more:+.3} ± {error:.3}"));
            figures::record("games", &name, values);
        }
    }
}
