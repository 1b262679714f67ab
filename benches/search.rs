//! Measures native search on boards from the literature: `cargo bench --bench search`, optionally
//! with names of rows, such as `cargo bench --bench search -- manhattan korf100 hardest17 korf24
//! amphipod`; `--record` stores the figures.
//!
//! The times of the 15-puzzle are the search times that the command reports. Pattern databases are
//! stored in a folder that the rows share; separate rows measure building and reading them.
//! `manhattan` compares the easiest boards of Korf's hundred with the crate `pathfinding`;
//! `manhattan-all` runs all hundred, which takes minutes. Every length and energy is checked
//! against the published value.

#[path = "figures/mod.rs"]
mod figures;

use std::time::Instant;

use base::document::Document;
use paths::amphipod::{Burrow, Detours};
use serde_json::{Value, json};
use statespace::search::{Limits, Outcome, SearchResult, astar, idastar};

fn main() {
    let selected = figures::arguments();
    let wants =
        |name: &str, by_default: bool| selected.iter().any(|word| word == name) || selected.is_empty() && by_default;
    if wants("manhattan", true) {
        manhattan(2_000_000);
    }
    if wants("manhattan-all", false) {
        manhattan(u64::MAX);
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    if wants("korf100", true) {
        let exam = "instances/taquin_exam.txt --heuristic pdb";
        let ready = |name: &str, more: &str| {
            let arguments: Vec<&str> = exam.split(' ').chain(more.split_whitespace()).collect();
            let started = Instant::now();
            let (_, megabytes) = command(folder.path(), &arguments, "");
            row(name, 1, 0, started.elapsed().as_secs_f64(), megabytes);
        };
        ready("15-puzzle, small tables built", "");
        ready("15-puzzle, small tables read", "");
        boards(
            folder.path(),
            "15-puzzle, Korf's 100, small tables, one core",
            shortest("korf100", 100),
            &["--threads", "1"],
            &[],
        );
        for (cores, threads) in [("one core", "1"), ("two cores", "2")] {
            let name = format!("15-puzzle, a board of 80 moves, small tables, {cores}");
            boards(folder.path(), &name, shortest("hardest17", 1), &[], &["--threads", threads, "--heuristic", "pdb"]);
        }
        ready("15-puzzle, large tables built", "--tables large");
        ready("15-puzzle, large tables read", "");
        boards(
            folder.path(),
            "15-puzzle, Korf's 100, large tables, one core",
            shortest("korf100", 100),
            &["--threads", "1"],
            &[],
        );
    }
    if wants("hardest17", true) {
        // If the folder has no large tables, they are built when the first board turns out to be
        // slow.
        boards(
            folder.path(),
            "15-puzzle, the hardest 17, two cores",
            shortest("hardest17", 17),
            &[],
            &["--threads", "2"],
        );
    }
    if wants("korf24", false) {
        // These are the fastest of fifteen boards.
        let mut easy = table("korf24");
        easy.retain(|row| ["1", "25", "30", "32", "37", "38", "40", "44"].contains(&row[0].as_str()));
        boards(folder.path(), "24-puzzle, eight easy ones, two cores", easy, &[], &["--threads", "2"]);
    }
    if wants("amphipod", true) {
        let burrow = |row: &Vec<String>| Burrow::parse(&Document::in_memory("row", row[0].as_str())).expect("a burrow");
        let known: Vec<_> = table("amphipod").iter().map(|row| (burrow(row), row[1].clone())).collect();
        for depth in [2, 4] {
            let of_depth = known.iter().filter(|(burrow, _)| burrow.rooms.len() == 4 && burrow.depth == depth);
            amphipods(&format!("amphipods of depth {depth}"), &of_depth.cloned().collect::<Vec<_>>());
        }
        amphipods("the article's amphipods", &known[..1]);
        amphipods("the same, unfolded", &known[1..2]);
    }
}

fn row(name: &str, count: usize, nodes: u64, seconds: f64, megabytes: f64) {
    let mut values = json!({"boards": count, "seconds": seconds, "ms each": seconds * 1e3 / count as f64});
    if nodes > 0 {
        values["nodes"] = json!(nodes);
        values["nodes/s"] = json!((nodes as f64 / seconds).round() as u64);
    }
    if megabytes > 0.0 {
        values["peak MB"] = json!(megabytes.round());
    }
    figures::record("search", name, values);
}

/// Returns the fields of each row of a reference table, without comments and header.
fn table(name: &str) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(format!("tests/data/{name}.csv")).expect("the table is there");
    let lines = text.lines().filter(|line| !line.starts_with('#')).skip(1);
    lines.map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

/// Runs the command with its cache in the folder `cache`. Returns its output and its peak memory in
/// megabytes.
fn command(cache: &std::path::Path, arguments: &[&str], input: &str) -> (String, f64) {
    let ran = figures::measure::run(cache, arguments, input);
    (ran.output, ran.megabytes)
}

/// Returns the `count` boards of a table with the shortest solutions.
fn shortest(name: &str, count: usize) -> Vec<Vec<String>> {
    let mut table = table(name);
    table.sort_by_key(|row| row[3].parse::<u64>().expect("a length"));
    table.truncate(count);
    table
}

/// Runs the boards of a table: in one batch with the arguments `batch`, or if `alone` is not empty,
/// one by one with these arguments.
fn boards(cache: &std::path::Path, name: &str, table: Vec<Vec<String>>, batch: &[&str], alone: &[&str]) {
    let (mut nodes, mut seconds, mut megabytes) = (0, 0.0, 0.0_f64);
    let mut take = |row: &[String], object: &Value| {
        assert_eq!(object["answers"][0]["length"].to_string(), row[3], "{row:?}");
        nodes += object["statistics"]["generated"].as_u64().expect("a count");
        seconds += object["statistics"]["search_seconds"].as_f64().expect("seconds");
    };
    if alone.is_empty() {
        let lines: Vec<&str> = table.iter().map(|row| row[1].as_str()).collect();
        let arguments: Vec<&str> = ["-", "--batch", "--stats"].iter().chain(batch).copied().collect();
        let (output, peak) = command(cache, &arguments, &lines.join("\n"));
        megabytes = peak;
        for (row, line) in table.iter().zip(output.lines()) {
            take(row, &serde_json::from_str(line).expect("an object"));
        }
    } else {
        for row in &table {
            let cells: Vec<&str> = row[1].split(' ').collect();
            let board = cells.chunks(cells.len().isqrt()).map(|row| row.join(" ")).collect::<Vec<_>>().join("/");
            let arguments: Vec<&str> = ["-", "-f", "json", "--stats"].iter().chain(alone).copied().collect();
            let (output, peak) = command(cache, &arguments, &board);
            megabytes = megabytes.max(peak);
            take(row, &serde_json::from_str(&output).expect("an object"));
        }
    }
    row(name, table.len(), nodes, seconds, megabytes);
}

/// Measures IDA* with the Manhattan distance, and the crate `pathfinding` on the easiest boards.
fn manhattan(most_nodes: u64) {
    let mut table = table("korf100");
    table.sort_by_key(|row| row[4].parse::<u64>().expect("a count"));
    let few = most_nodes < u64::MAX;
    table.truncate(if few { 20 } else { 100 });
    let lines: Vec<&str> = table.iter().map(|row| row[1].as_str()).collect();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let arguments = ["-", "--batch", "--stats", "--threads", "1", "--heuristic", "manhattan"];
    let (output, megabytes) = command(folder.path(), &arguments, &lines.join("\n"));
    let (mut nodes, mut seconds) = (0, 0.0);
    for (row, line) in table.iter().zip(output.lines()) {
        let object: Value = serde_json::from_str(line).expect("an object");
        assert_eq!(object["answers"][0]["length"].to_string(), row[3]);
        let generated = object["statistics"]["generated"].as_u64().expect("a count");
        // Korf's numbers of nodes include the start.
        assert_eq!((generated + 1).to_string(), row[4]);
        nodes += generated;
        seconds += object["statistics"]["search_seconds"].as_f64().expect("seconds");
    }
    let which = if few { "the easiest 20 of Korf's 100" } else { "Korf's 100" };
    row(&format!("IDA\\* with the Manhattan distance, {which}"), table.len(), nodes, seconds, megabytes);
    if few {
        let started = Instant::now();
        for row in &table {
            let tiles: Vec<u8> = row[1].split(' ').map(|tile| tile.parse().expect("a tile")).collect();
            let start: [u8; 16] = tiles.try_into().expect("sixteen cells");
            let found =
                pathfinding::prelude::idastar(&start, successors, manhattan_of, |board| manhattan_of(board) == 0);
            assert_eq!(found.expect("a solution").1.to_string(), row[3]);
        }
        row("— the crate `pathfinding` on the same", table.len(), 0, started.elapsed().as_secs_f64(), 0.0);
    }
}

fn successors(board: &[u8; 16]) -> Vec<([u8; 16], u32)> {
    let free = board.iter().position(|&tile| tile == 0).expect("a free cell");
    let near = (0..16).filter(|&cell: &usize| (cell / 4).abs_diff(free / 4) + (cell % 4).abs_diff(free % 4) == 1);
    near.map(|cell| {
        let mut after = *board;
        after.swap(free, cell);
        (after, 1)
    })
    .collect()
}

fn manhattan_of(board: &[u8; 16]) -> u32 {
    let steps = |(cell, &tile): (usize, &u8)| {
        let home = usize::from(tile) - 1;
        (cell / 4).abs_diff(home / 4) + (cell % 4).abs_diff(home % 4)
    };
    board.iter().enumerate().filter(|&(_, &tile)| tile > 0).map(steps).sum::<usize>() as u32
}

/// Measures burrows of four rooms in this process. The result is the best of seven runs.
fn amphipods(whose: &str, burrows: &[(Burrow, String)]) {
    for (name, search, is_limited) in [
        ("A\\*", astar as fn(&Detours<4>, &Limits) -> SearchResult<_>, false),
        ("IDA\\*, at most 2 million nodes", idastar as fn(&Detours<4>, &Limits) -> SearchResult<_>, true),
    ] {
        let (mut nodes, mut seconds) = (0, 0.0);
        for (burrow, expected) in burrows {
            let (mut best, mut generated) = (f64::MAX, 0);
            for _ in 0..if is_limited { 1 } else { 7 } {
                let limits = Limits { nodes: is_limited.then_some(2_000_000), ..Limits::none() };
                let started = Instant::now();
                let space = Detours::<4>::new(burrow);
                let searched = search(&space, &limits);
                best = best.min(started.elapsed().as_secs_f64());
                let found = match &searched.outcome {
                    Outcome::Solved(plan) => (u64::from(plan.cost) + space.min_energy).to_string(),
                    Outcome::Impossible => "unsolvable".to_owned(),
                    Outcome::GaveUp(_) => expected.clone(),
                };
                assert_eq!(found, *expected, "{}", burrow.compact());
                generated = searched.stats.generated();
            }
            nodes += generated;
            seconds += best;
        }
        row(&format!("{whose}, {name}"), burrows.len(), nodes, seconds, 0.0);
    }
}
