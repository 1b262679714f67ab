//! Times pencil puzzles: the published boards and a sample of each type, for each of which the
//! command proves that it has one solution or shows two; and the generation of boards of 8 by 8
//! cells, which have one solution and no redundant clue.
//!
//! `cargo bench --bench puzzles`, or `-- boards`, `-- starts`, `-- generate slither masyu` for a
//! part of it, and `-- shares` to compare the composition of generated boards of the usual size
//! with published ones; `-- --record` stores the figures. Whole commands are run one after the
//! other, each with one thread, and their processor times are added up. If there is a command
//! `clingo`, or `$CLINGO` has the command lines of some (`CLINGO="clingo; python3 -m clingo"`), each
//! is measured on the same proofs, with the boards as facts and the same encodings. clingo neither
//! reads links nor draws. `ASP_SOLVE=program` measures another binary than the one that was built.
//!
//! `cargo bench --bench puzzles -- hard` times hard published boards (`tests/data/hard.tsv`).
//! `BEFORE="command line"` measures another version of the command beside, in pairs: the ratio is
//! the geometric mean of five pairs, with its standard error in percent. A run ends after a minute.
//!
//! `SOLVER=program cargo bench --bench puzzles -- beside` compares with another solver, whose
//! argument is a link. It reports the ratio of processor times on the boards that both solve,
//! alternating, each the minimum of up to five runs. `PUBLISHED=file` adds the links of a file, one
//! on each line.

#[path = "figures/mod.rs"]
mod figures;

use std::collections::HashSet;
use std::process::Command;
use std::time::Instant;

use base::document::Document;
use figures::measure::{clingos, command_of, geometric_mean, median, run, run_any};
use pencil::board::GridBoard;
use pencil::link::{Link, link_type};
use serde_json::json;

/// No puzzle's `clues` setting was tuned on these seeds.
const SEEDS: std::ops::RangeInclusive<u64> = 1001..=1005;

fn main() {
    let arguments = figures::arguments();
    let (part, names) = arguments.split_first().map_or(("", &[][..]), |(part, names)| (part.as_str(), names));
    let folder = tempfile::tempdir().expect("a temporary folder");
    let is_selected = |name: &str| part == name || part.is_empty();
    if is_selected("boards") {
        boards(folder.path(), "the published boards, each with its proof", links().map(|(_, url)| url));
        boards(folder.path(), "the sample of each type, with its proof", samples());
        against_clingo(folder.path());
    }
    if is_selected("starts") {
        starts(folder.path());
    }
    if is_selected("generate") {
        generate(folder.path(), names);
    }
    if part == "beside" {
        compare_solvers(folder.path(), "the published boards", links().map(|(_, url)| url));
        compare_solvers(folder.path(), "the sample of each type", samples());
        let published = published();
        if !published.is_empty() {
            compare_solvers(folder.path(), "larger boards", published.lines());
        }
    }
    if part == "hard" {
        hard(folder.path(), names);
    }
    if part == "shares" {
        shares(folder.path(), names);
    }
}

/// Measures the processor time on small inputs: starting the command, a program and small boards that
/// name no puzzle, the published boards (each in a separate process), and Sudokus in a batch with one
/// thread.
fn starts(folder: &std::path::Path) {
    const TIMES: usize = 21;
    const SUDOKUS: usize = 1_000;
    const CERTIFIED: usize = 200;
    const SMALL: &str = "1 . . .\n. . 3 .\n. 4 . .\n. . . 2\n";
    let milliseconds = |arguments: &[&str], input: &str| {
        let ran = |_| {
            let ran = run(folder, arguments, input);
            assert_eq!(ran.code, 0, "{arguments:?}: {}", ran.errors);
            1e3 * ran.cpu_seconds
        };
        let times = if input.len() > 1_000 { 3 } else { TIMES };
        median((0..times).map(ran).collect())
    };
    let published: Vec<f64> = links().map(|(_, url)| milliseconds(&[url], "")).collect();
    let report = json!({
        "--version, ms": milliseconds(&["--version"], ""),
        "a program, ms": milliseconds(&["-"], "a. {b}.\n"),
        "a Sudoku of 16 cells, ms": milliseconds(&["-"], SMALL),
        "the same, unique and certified, ms": milliseconds(&["-", "--unique"], SMALL),
        "published boards, geometric mean, ms": geometric_mean(&published),
        "a Sudoku in a batch of 1000, ms": milliseconds(&["-", "--batch", "-t", "1"], &sudokus(SUDOKUS)) / SUDOKUS as f64,
        "the same with --unique, ms":
            milliseconds(&["-", "--batch", "-t", "1", "--unique"], &sudokus(SUDOKUS)) / SUDOKUS as f64,
        "certified in a batch of 200, ms":
            milliseconds(&["-", "--batch", "-t", "1", "--unique", "--certify"], &sudokus(CERTIFIED)) / CERTIFIED as f64,
    });
    figures::record("starts", "the start, and small boards", report);
}

/// Returns permutations of the Sudoku in Wikipedia's article: rows are exchanged within bands, and
/// digits are renamed.
fn sudokus(count: usize) -> String {
    const SIGNS: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
    let mut random = fastrand::Rng::with_seed(1);
    let rows: Vec<&str> = (0..9).map(|row| &SIGNS[9 * row..9 * row + 9]).collect();
    let mut permutation = || {
        let (mut numbers, mut order) = (*b"123456789", [0, 1, 2, 3, 4, 5, 6, 7, 8]);
        random.shuffle(&mut numbers);
        for band in order.chunks_mut(3) {
            random.shuffle(band);
        }
        let sign = |sign: char| sign.to_digit(10).map_or('.', |digit| char::from(numbers[digit as usize - 1]));
        order.iter().flat_map(|&row| rows[row].chars().map(sign)).chain(['\n']).collect::<String>()
    };
    (0..count).map(|_| permutation()).collect()
}

/// Returns the published boards: for each, the link paragraph of its puzzle's header and the link.
fn links() -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = include_str!("../tests/data/links.tsv").lines().filter(|line| !line.starts_with('%'));
    lines.map(|line| line.split_once('\t').expect("two columns"))
}

/// Returns the first sample of each type that has one solution, or the published board for types
/// without samples.
fn samples() -> impl Iterator<Item = &'static str> {
    let lines = include_str!("../tests/data/samples.tsv").lines().filter(|line| !line.starts_with('%'));
    let right = lines.filter_map(|line| line.split_once("\t\t").map(|(link, _)| link));
    let mut seen = HashSet::new();
    let name = |link| Some(asp_solve::builtin::registry().by_any_name(link_type(link)?)?.name());
    right.chain(links().map(|(_, url)| url)).filter(move |link| name(link).is_some_and(|name| seen.insert(name)))
}

/// Summarises times: the slowest board with its name, the median, and the total.
fn summed(seconds: &[(&str, f64)]) -> serde_json::Value {
    let (slowest, most) = seconds.iter().max_by(|a, b| a.1.total_cmp(&b.1)).expect("there are some");
    let times: Vec<f64> = seconds.iter().map(|(_, seconds)| *seconds).collect();
    let total: f64 = times.iter().sum();
    json!({"boards": times.len(), "seconds": total, "median, s": median(times), "slowest, s": most, "slowest": slowest})
}

fn boards(folder: &std::path::Path, title: &str, links: impl Iterator<Item = &'static str>) {
    let mut seconds = Vec::new();
    for link in links {
        let ran = run(folder, &[link, "--unique"], "");
        assert!(ran.code < 2, "{link}: {}", ran.errors);
        seconds.push((link_type(link).expect("a link"), ran.cpu_seconds));
    }
    figures::record("puzzles", title, summed(&seconds));
}

fn against_clingo(folder: &std::path::Path) {
    for (name, line) in clingos() {
        let seconds = published_by_clingo(folder, &line);
        figures::record("puzzles", &format!("the same by {name}, from facts"), summed(&seconds));
    }
}

/// Measures a clingo on the published boards.
fn published_by_clingo(folder: &std::path::Path, clingo: &str) -> Vec<(&'static str, f64)> {
    let mut seconds = Vec::new();
    for (paragraph, url) in links() {
        let name = link_type(url).expect("a link");
        let link = Link::parse(paragraph).expect("a header's paragraph");
        let board = link.read(&Document::in_memory(url, url)).unwrap_or_else(|failure| panic!("{failure}"));
        let facts = folder.join("board.lp");
        std::fs::write(&facts, board.facts()).expect("the temporary folder takes files");
        let files = &asp_solve::builtin::registry().by_name(name).expect("it ships").about().encodings[0].files;
        let mut command = command_of(clingo);
        command.arg(&facts).args(files.iter().map(|file| figures::path("asp").join(&*file.path)));
        let ran = run_any(command.args(["--project=show", "2"]), "");
        seconds.push((name, ran.cpu_seconds));
        let found = ran.output.matches("Answer: ").count();
        assert!((1..=2).contains(&found), "{name}: {}", ran.output);
    }
    seconds
}

/// Reads the links in the file `$PUBLISHED`, one on each line.
fn published() -> String {
    std::env::var("PUBLISHED").map_or_else(
        |_| String::new(),
        |path| std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}")),
    )
}

/// Compares processor times with `$SOLVER`, which fails or prints an error if it does not support
/// the type.
fn compare_solvers<'a>(folder: &std::path::Path, title: &str, links: impl Iterator<Item = &'a str>) {
    const MAX_RUNS: usize = 5;
    const MAX_SECONDS: f64 = 2.0;
    let solver = std::env::var("SOLVER").expect("SOLVER names the other program");
    let mut ratios = Vec::new();
    for link in links {
        let link = if link.contains("://") { link.to_owned() } else { format!("https://puzz.link/p?{link}") };
        let (mut ours, mut theirs, mut times, started) = (f64::INFINITY, f64::INFINITY, 0, Instant::now());
        let mut is_solved = true;
        while times == 0 || is_solved && times < MAX_RUNS && started.elapsed().as_secs_f64() < MAX_SECONDS {
            let both = [run(folder, &[&link, "--unique"], ""), run_any(Command::new(&solver).arg(&link), "")];
            is_solved = both[0].code < 2 && both[1].code == 0 && both[1].errors.is_empty();
            (ours, theirs, times) = (ours.min(both[0].cpu_seconds), theirs.min(both[1].cpu_seconds), times + 1);
        }
        println!("{link:<80.80} {ours:.4} {theirs:.4}{}", if is_solved { "" } else { " not by both" });
        if is_solved {
            ratios.push((link_type(&link).expect("a link").to_owned(), ours / theirs));
        }
    }
    let mean = geometric_mean(&ratios.iter().map(|(_, ratio)| *ratio).collect::<Vec<_>>());
    let (name, most) = ratios.iter().max_by(|a, b| a.1.total_cmp(&b.1)).expect("there are some");
    let faster = ratios.iter().filter(|(_, ratio)| *ratio < 1.0).count();
    let values = json!({
        "boards": ratios.len(), "ratio, geometric mean": mean, "ours faster": faster, "largest ratio": most, "of": name,
    });
    figures::record("beside another solver", title, values);
}

/// Times hard boards, beside the command line `$BEFORE` if there is one. Each line of the file has a
/// title, the options and the link of a board.
fn hard(folder: &std::path::Path, names: &[String]) {
    const PAIRS: usize = 5;
    let before = std::env::var("BEFORE").ok();
    let lines = include_str!("../tests/data/hard.tsv").lines().filter(|line| !line.starts_with('%'));
    for line in lines {
        let [title, options, link] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}: three columns") };
        if !names.is_empty() && !names.iter().any(|name| title.contains(name.as_str())) {
            continue;
        }
        let arguments: Vec<&str> = options.split(' ').chain([link, "--time-limit", "60"]).collect();
        // Seconds, if the board was solved within the limit.
        let seconds = |mut command: Command| {
            let ran = run_any(command.env("XDG_CACHE_HOME", folder).args(&arguments), "");
            assert!([0, 1, 3].contains(&ran.code), "{title}: {}", ran.errors);
            (ran.code < 3).then_some(ran.cpu_seconds)
        };
        let pair = || {
            (
                seconds(Command::new(figures::measure::asp_solve())),
                before.as_deref().map(|line| seconds(command_of(line))),
            )
        };
        let shown = |time: Option<f64>| time.map_or_else(|| json!("none in 60 s"), |time| json!(time));
        let mut pairs = vec![pair()];
        if let (Some(_), None | Some(Some(_))) = pairs[0] {
            pairs.extend((1..PAIRS).map(|_| pair()));
        }
        let now: Vec<f64> = pairs.iter().filter_map(|(now, _)| *now).collect();
        let mut values = json!({"now, s": shown((!now.is_empty()).then(|| median(now.clone())))});
        if before.is_some() {
            let old: Vec<f64> = pairs.iter().filter_map(|(_, before)| before.flatten()).collect();
            values["before, s"] = shown((!old.is_empty()).then(|| median(old.clone())));
            if now.len() == PAIRS && old.len() == PAIRS {
                let logs: Vec<f64> = now.iter().zip(&old).map(|(now, old)| (now / old).ln()).collect();
                let mean = logs.iter().sum::<f64>() / PAIRS as f64;
                let variance = logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>() / (PAIRS - 1) as f64;
                values["ratio"] = json!(mean.exp());
                values["standard error, %"] = json!(100.0 * (variance / PAIRS as f64).sqrt());
            }
        }
        figures::record("hard boards", title, values);
    }
}

/// Formats the minimum, the median and the maximum.
fn spread(mut values: Vec<usize>) -> String {
    values.sort_unstable();
    match values[..] {
        [] => "–".to_owned(),
        [.., most] => format!("{} · {} · {most}", values[0], values[values.len() / 2]),
    }
}

/// The composition of boards.
#[derive(Default)]
struct Shares {
    /// For each board, the percentage of its cells that have a clue.
    signs: Vec<usize>,
    /// For each board, the percentage of its cells that occur in the solution.
    found: Vec<usize>,
    /// For each board, the number of cells of its largest area.
    areas: Vec<usize>,
}

impl Shares {
    /// Solves a board and adds its composition.
    fn add(&mut self, folder: &std::path::Path, name: &str, board: &GridBoard, text: &str) {
        let ran = run(folder, &["-", "-p", name, "-f", "json", "--time-limit", "30"], text);
        let Ok(report) = serde_json::from_str::<serde_json::Value>(&ran.output) else { return };
        let Some(atoms) = report["answers"][0]["atoms"].as_array() else { return };
        let cell = |atom: &serde_json::Value| -> Option<(usize, usize)> {
            let mut numbers = atom.as_str()?.split_once('(')?.1.split([',', ')']);
            Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
        };
        let found: std::collections::BTreeSet<_> = atoms.iter().filter_map(cell).collect();
        let share = |number: usize| 100 * number / (board.rows * board.columns);
        self.signs.push(share(board.signs.len()));
        self.found.push(share(found.len()));
        let mut sizes = std::collections::BTreeMap::<usize, usize>::new();
        for &area in board.areas.values() {
            *sizes.entry(area).or_default() += 1;
        }
        self.areas.extend(sizes.into_values().max());
    }

    fn columns(self, of: &str) -> [(String, serde_json::Value); 4] {
        let boards = self.signs.len();
        let [signs, found, areas] = [self.signs, self.found, self.areas].map(spread);
        [
            (of.to_owned(), json!(boards)),
            (format!("{of}: signs, %"), json!(signs)),
            (format!("{of}: solution, %"), json!(found)),
            (format!("{of}: largest area"), json!(areas)),
        ]
    }
}

/// Compares generated boards of the usual size, with the seeds from 1 to `$SEEDS` (by default 100),
/// with published ones.
fn shares(folder: &std::path::Path, names: &[String]) {
    let most: u64 = std::env::var("SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(100);
    let published = published();
    for (paragraph, url) in links() {
        let name = link_type(url).expect("a link");
        if !names.is_empty() && !names.iter().any(|selected| selected == name) {
            continue;
        }
        let link = Link::parse(paragraph).expect("a header's paragraph");
        let is_of = |url: &&str| link_type(url).is_some_and(|kind| link.names().iter().any(|name| name == kind));
        let mut theirs = Shares::default();
        let mut ours = Shares::default();
        let mut seconds = Vec::new();
        let mut several = 0;
        for url in published.lines().filter(is_of).chain([url]) {
            if let Ok(board) = link.read(&Document::in_memory(url, url)) {
                theirs.add(folder, name, &board, url);
            }
        }
        for seed in 1..=most {
            let ran = run(folder, &["generate", name, "--time-limit", "60", "--seed", &seed.to_string()], "");
            seconds.push(ran.seconds);
            let Ok(board) = GridBoard::read(&Document::in_memory("made", ran.output.as_str())) else { continue };
            several += u64::from(run(folder, &["-", "--unique"], &ran.output).code != 0);
            ours.add(folder, name, &board, &ran.output);
        }
        let slowest = seconds.iter().copied().fold(0.0, f64::max);
        let times =
            [("seconds", median(seconds)), ("most", slowest)].map(|(name, value)| (name.to_owned(), json!(value)));
        let several = [("not unique".to_owned(), json!(several))];
        let columns = ours.columns("made").into_iter().chain(theirs.columns("published")).chain(several).chain(times);
        figures::record("boards made", name, columns.collect::<serde_json::Map<_, _>>().into());
    }
}

fn generate(folder: &std::path::Path, names: &[String]) {
    let all = asp_solve::builtin::registry().all();
    for entry in all.iter().filter(|entry| entry.tools().iter().any(|tool| tool.name() == "generate")) {
        let name = entry.about().name;
        if asp_solve::builtin::is_native(name) || !names.is_empty() && !names.iter().any(|selected| selected == name) {
            continue;
        }
        let mut seconds = Vec::new();
        let mut generated = 0;
        for seed in SEEDS {
            let seed = seed.to_string();
            let ran = run(folder, &["generate", name, "--size", "8x8", "--time-limit", "30", "--seed", &seed], "");
            assert!([0, 3].contains(&ran.code), "{name}: {}", ran.errors);
            generated += u64::from(ran.code == 0);
            seconds.push(ran.seconds);
        }
        let most = seconds.iter().copied().fold(0.0, f64::max);
        let values = json!({"made": generated, "of": SEEDS.count(), "seconds": median(seconds), "most": most});
        figures::record("puzzles made", &format!("{name}, 8×8"), values);
    }
}
