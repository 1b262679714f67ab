//! Minesweeper: the time for all probabilities of a board, and games of the bot.
//!
//! `cargo bench --bench minesweeper` measures the boards of `tests/data/minesweeper.jsonl` by category (every answer is
//! compared with the file in the same run), lattices and boards of 200×200 cells. `-- play` plays 40,000 games on each
//! usual board with each strategy, on one core (minutes); `-- play GAMES` another number.
//!
//! Players are compared in pairs, on the same layouts with the same first click: `-- games expert safe SEED GAMES best` prints
//! a 1 for each game won and a 0 for each lost, a hundred games a line, and `-- pairs ONE OTHER` reads two such files (lines
//! with a `%` are comments) and says how much more of the games the first wins, with the sign test. Seeds by which a constant
//! was found claim nothing; those are 1 and 500 to 1004.

use std::time::{Duration, Instant};

use asp_solve::puzzle::minesweeper::count::Budget;
use asp_solve::puzzle::minesweeper::grid::{Cell, Grid, Position};
use asp_solve::puzzle::minesweeper::play::bot::Strategy;
use asp_solve::puzzle::minesweeper::play::game::{Setup, Start};
use asp_solve::puzzle::minesweeper::play::player::{Table, Tally};
use asp_solve::puzzle::minesweeper::play::report::interval;
use asp_solve::puzzle::minesweeper::probability::likelihood;
use serde_json::Value;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
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

/// The least of several runs.
fn time(position: &Position) -> Duration {
    let runs = |_| {
        let began = Instant::now();
        let counted = likelihood(position, &Budget::none());
        let elapsed = began.elapsed();
        drop(std::hint::black_box(counted));
        elapsed
    };
    (0..7).map(runs).min().expect("seven runs")
}

fn reference() {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/minesweeper.jsonl"));
    let mut categories: Vec<(String, Vec<Duration>)> = Vec::new();
    for line in text.expect("the reference file").lines() {
        let row: Value = serde_json::from_str(line).expect("JSON");
        let position = position(&row);
        compare(&row, &position);
        let category = row["category"].as_str().expect("a category");
        if categories.last().is_none_or(|(last, _)| last != category) {
            categories.push((category.to_owned(), Vec::new()));
        }
        categories.last_mut().expect("just pushed").1.push(time(&position));
    }
    println!("{:<16} {:>6} {:>12} {:>12}", "category", "boards", "mean µs", "max µs");
    for (category, times) in categories {
        let micros = |time: Duration| time.as_secs_f64() * 1e6;
        let mean = times.iter().copied().map(micros).sum::<f64>() / times.len() as f64;
        let most = times.iter().copied().map(micros).fold(0.0, f64::max);
        println!("{category:<16} {:>6} {mean:>12.1} {most:>12.1}", times.len());
    }
}

fn position(row: &Value) -> Position {
    let rows: Vec<&str> = row["rows"].as_array().expect("rows").iter().filter_map(Value::as_str).collect();
    let grid = Grid { rows: rows.len(), columns: rows[0].len() };
    let mut position = Position::closed(grid, row["mines"].as_u64().map(|mines| mines as usize));
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

fn compare(row: &Value, position: &Position) {
    let name = row["name"].as_str().expect("a name");
    let counted = likelihood(position, &Budget::none()).expect("no limit");
    assert_eq!(counted.is_ok(), row["consistent"] == true, "{name}");
    let Ok(counted) = counted else { return };
    assert_eq!(counted.configurations.to_string(), row["configurations"].as_str().expect("a number"), "{name}");
    for cell in position.grid.cells().filter(|&cell| !matches!(position.cells[cell], Cell::Open(_))) {
        let [number, column] = position.grid.place(cell);
        let wanted = row["probabilities"][number][column].as_f64().expect("a probability");
        assert!((counted.of[cell] - wanted).abs() < 1e-9, "{name}: row {number}, column {column}");
    }
}

/// A board with the numbers that `is_open` says, over random mines.
fn board(grid: Grid, mines: usize, seed: u64, is_open: impl Fn(usize, usize) -> bool) -> Position {
    let open = |cell: usize| grid.place(cell);
    let mut cells: Vec<usize> = grid.cells().filter(|&cell| !is_open(open(cell)[0], open(cell)[1])).collect();
    fastrand::Rng::with_seed(seed).shuffle(&mut cells);
    let mined = &cells[..mines];
    let mut is_mine = vec![false; grid.extent()];
    mined.iter().for_each(|&cell| is_mine[cell] = true);
    let mut position = Position::closed(grid, Some(mines));
    for cell in grid.cells().filter(|&cell| is_open(open(cell)[0], open(cell)[1])) {
        let number = grid.around(cell).into_iter().filter(|&near| is_mine[near]).count();
        position.cells[cell] = Cell::Open(number as u8);
    }
    position
}

/// Every second cell of every second row is open: the widest frontiers that numbers make.
fn lattices() {
    println!("\n{:<16} {:>12} {:>12}", "lattice", "ms", "states");
    for (rows, columns) in [(9, 21), (15, 15), (21, 21)] {
        let grid = Grid { rows, columns };
        let position = board(grid, grid.area() * 245 / 1000, 1, |row, column| row % 2 == 0 && column % 2 == 0);
        let counted = likelihood(&position, &Budget::none()).expect("no limit").expect("a layout");
        let millis = time(&position).as_secs_f64() * 1e3;
        println!("{:<16} {millis:>12.2} {:>12}", format!("{rows}x{columns}"), counted.states);
    }
}

/// Lattices too wide to count, by the command: what is certain, and samples. Seconds of a whole run, and certain cells.
fn wide() {
    println!("\n{:<16} {:>12} {:>12}", "wide lattice", "s", "certain");
    for seed in 1..=6 {
        let grid = Grid { rows: 31, columns: 31 };
        let position = board(grid, grid.area() * 245 / 1000, seed, |row, column| row % 2 == 0 && column % 2 == 0);
        let sign = |cell: usize| match position.cells[cell] {
            Cell::Open(number) => char::from(b'0' + number),
            _ => '?',
        };
        let row = |row: usize| (0..31).map(|column| sign(grid.cell(row, column))).collect::<String>();
        let rows: Vec<String> = (0..31).map(row).collect();
        let path = std::env::temp_dir().join(format!("wide-lattice-{seed}.txt"));
        std::fs::write(&path, format!("mines {}\n{}\n", grid.area() * 245 / 1000, rows.join("\n"))).expect("a file");
        let began = Instant::now();
        let ran = std::process::Command::new(env!("CARGO_BIN_EXE_asp-solve")).args(["-f", "json"]).arg(&path).output();
        let seconds = began.elapsed().as_secs_f64();
        let value: Value = serde_json::from_slice(&ran.expect("the command").stdout).expect("JSON");
        let len = |key: &str| value["answers"][0][key].as_array().map_or(0, Vec::len);
        println!("{:<16} {seconds:>12.2} {:>12}", format!("31x31, {seed}"), len("safe") + len("mines"));
        let _ = std::fs::remove_file(path);
    }
}

/// 200×200 cells, 8,000 mines, after clicks on so many of the cells without a mine.
fn large() {
    println!("\n{:<16} {:>12} {:>12}", "200x200, open", "ms", "closed");
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
        let millis = time(&game.position).as_secs_f64() * 1e3;
        println!("{:<16} {millis:>12.2} {:>12}", format!("{percent} %"), game.position.count(Cell::Closed));
    }
}

const LEVELS: [(&str, usize, usize, usize); 4] =
    [("small", 8, 8, 10), ("beginner", 9, 9, 10), ("intermediate", 16, 16, 40), ("expert", 30, 16, 99)];
const USAGE: &str = "games small|beginner|intermediate|expert safe|opening SEED GAMES best|article, or pairs ONE OTHER";

fn table(columns: usize, rows: usize, mines: usize, start: Start, strategy: Strategy) -> Table {
    Table::new(Setup { grid: Grid { rows, columns }, mines, start }, strategy)
}

/// Which of the games of a seed are won, and what was done in all.
fn won(table: &Table, seed: u64, games: u64) -> (Vec<bool>, Tally) {
    let mut sum = Tally::default();
    let wins = (0..games).map(|game| {
        let tally = table.play(&mut table.random(seed, game));
        sum.add(&tally);
        tally.wins == 1
    });
    (wins.collect(), sum)
}

/// Each game's result.
fn games(arguments: &[String]) {
    let [level, start, seed, games, strategy] = arguments else { panic!("wanted: {USAGE}") };
    let (_, columns, rows, mines) = LEVELS.into_iter().find(|(name, ..)| name == level).expect(USAGE);
    let start = <Start as clap::ValueEnum>::from_str(start, false).expect(USAGE);
    let strategy = <Strategy as clap::ValueEnum>::from_str(strategy, false).expect(USAGE);
    let table = table(columns, rows, mines, start, strategy);
    let (wins, sum) = won(&table, seed.parse().expect(USAGE), games.parse().expect(USAGE));
    println!("% {}: {} of {games} won", arguments.join(" "), sum.wins);
    for line in wins.chunks(100) {
        println!("{}", line.iter().map(|&won| if won { '1' } else { '0' }).collect::<String>());
    }
}

/// Two files of results.
fn pairs(files: &[String]) {
    let [one, other] = files else { panic!("wanted: {USAGE}") };
    let read = |file: &String| -> Vec<bool> {
        let text = std::fs::read_to_string(file).expect("a file of results");
        let lines = text.lines().filter(|line| !line.starts_with('%'));
        lines.flat_map(|line| line.trim().bytes()).map(|sign| sign == b'1').collect()
    };
    println!("{}", compared(&read(one), &read(other)));
}

/// The sign test, over the games that only one of the two won.
fn compared(one: &[bool], other: &[bool]) -> String {
    let games = one.len().min(other.len());
    let only = |a: &[bool], b: &[bool]| a.iter().zip(b).filter(|(a, b)| **a && !**b).count() as f64;
    let (first, second) = (only(one, other), only(other, one));
    let (more, apart) = (first - second, (first + second).sqrt());
    format!(
        "{games} games: only the first wins {first}, only the second {second}: {:+.3} ± {:.3} points, {:+.1} standard errors",
        100.0 * more / games as f64,
        100.0 * apart / games as f64,
        more / apart.max(1.0)
    )
}

/// No constant was found by its games.
const SEED: u64 = 20_261_122;

/// Games on the usual boards: the strategies play the same ones.
fn play(games: u64) {
    println!(
        "{:<14} {:<8} {:<8} {:>8} {:>18} {:>10} {:>8}",
        "board", "start", "strategy", "won %", "95 %", "games/s", "guesses"
    );
    for start in [Start::Safe, Start::Opening] {
        for (level, columns, rows, mines) in LEVELS {
            let mut both: Vec<Vec<bool>> = Vec::new();
            for strategy in [Strategy::Best, Strategy::Article] {
                let table = table(columns, rows, mines, start, strategy);
                let began = Instant::now();
                let (wins, sum) = won(&table, SEED, games);
                let seconds = began.elapsed().as_secs_f64();
                let [low, high] = interval(sum.wins, sum.games).map(|bound| 100.0 * bound);
                println!(
                    "{level:<14} {:<8} {:<8} {:>8.2} {:>18} {:>10.0} {:>8.2}",
                    format!("{start:?}").to_lowercase(),
                    format!("{strategy:?}").to_lowercase(),
                    100.0 * sum.wins as f64 / games as f64,
                    format!("{low:.2} to {high:.2}"),
                    games as f64 / seconds,
                    sum.clicks[3] as f64 / games as f64,
                );
                both.push(wins);
            }
            println!("{:<14} {}", "", compared(&both[0], &both[1]));
        }
    }
}
