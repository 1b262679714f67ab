//! Minesweeper: the time for all probabilities of a board, and games of the bot.
//!
//! `cargo bench --bench minesweeper` measures the boards of `tests/data/minesweeper.jsonl` by category (every answer is
//! compared with the file in the same run), lattices and boards of 200×200 cells. `-- play` plays 40,000 games on each
//! usual board with each strategy, on one core (minutes); `-- play GAMES` another number.

use std::time::{Duration, Instant};

use asp_solve::puzzle::minesweeper::count::Budget;
use asp_solve::puzzle::minesweeper::grid::{Cell, Grid, Position};
use asp_solve::puzzle::minesweeper::play::bot::Strategy;
use asp_solve::puzzle::minesweeper::play::game::{Setup, Start};
use asp_solve::puzzle::minesweeper::play::player::{Table, Tally, interval};
use asp_solve::puzzle::minesweeper::probability::likelihood;
use serde_json::Value;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    match arguments.first().map(String::as_str) {
        Some("play") => play(arguments.get(1).and_then(|games| games.parse().ok()).unwrap_or(40_000)),
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

/// Games on the usual boards: the strategies play the same ones.
fn play(games: u64) {
    println!(
        "{:<10} {:<8} {:<8} {:>8} {:>18} {:>10} {:>8}",
        "board", "start", "strategy", "won %", "95 %", "games/s", "guesses"
    );
    for start in [Start::Safe, Start::Opening] {
        for (columns, rows, mines) in [(8, 8, 10), (9, 9, 10), (16, 16, 40), (30, 16, 99)] {
            let rules = Setup { grid: Grid { rows, columns }, mines, start };
            let mut won: Vec<Vec<bool>> = Vec::new();
            for strategy in [Strategy::Article, Strategy::Best] {
                let table = Table::new(rules, strategy);
                let began = Instant::now();
                let mut sum = Tally::default();
                let mut wins = Vec::new();
                for game in 0..games {
                    let tally = table.play(&mut table.random(1, game));
                    wins.push(tally.wins == 1);
                    sum.add(&tally);
                }
                let seconds = began.elapsed().as_secs_f64();
                let [low, high] = interval(sum.wins, sum.games).map(|bound| 100.0 * bound);
                println!(
                    "{:<10} {:<8} {:<8} {:>8.2} {:>18} {:>10.0} {:>8.2}",
                    format!("{columns}x{rows}/{mines}"),
                    format!("{start:?}").to_lowercase(),
                    format!("{strategy:?}").to_lowercase(),
                    100.0 * sum.wins as f64 / games as f64,
                    format!("{low:.2} to {high:.2}"),
                    games as f64 / seconds,
                    sum.clicks[3] as f64 / games as f64,
                );
                won.push(wins);
            }
            // The same games, in pairs: only those that one of the two wins count.
            let only = |a: usize, b: usize| won[a].iter().zip(&won[b]).filter(|(a, b)| **a && !**b).count() as f64;
            let (article, best) = (only(0, 1), only(1, 0));
            println!(
                "{:<10} best wins {best} of them that article loses, and loses {article} that it wins: {:.1} standard deviations",
                "",
                (best - article) / (best + article).max(1.0).sqrt()
            );
        }
    }
}
