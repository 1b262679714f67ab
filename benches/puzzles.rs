//! How long puzzles take that are a logic program each: the published boards, each proven to have one solution or shown to
//! have two; and new boards of 8 by 8 cells, which have one solution and no clue too many.
//!
//! `cargo bench --bench puzzles`, or `-- boards`, `-- generate slither masyu` for a part of it; with `-- --record` for the
//! figures. Whole commands, one after the other, each with one thread. Where there is a `clingo`, or `$CLINGO` names one
//! (`CLINGO="python3 -m clingo"`), it proves the same of the same boards, given as facts with the same encodings: it reads no
//! links and draws nothing.

#[path = "figures/mod.rs"]
mod figures;

use std::process::{Command, Stdio};
use std::time::Instant;

use asp_solve::document::Document;
use asp_solve::puzzle;
use asp_solve::puzzle::logic::link::{Link, type_of};
use figures::measure::{median, run};
use serde_json::json;

/// None of them has tuned a puzzle's part `clues`.
const SEEDS: std::ops::RangeInclusive<u64> = 1001..=1005;

fn main() {
    let arguments = figures::arguments();
    let (part, names) = arguments.split_first().map_or(("", &[][..]), |(part, names)| (part.as_str(), names));
    let folder = tempfile::tempdir().expect("a temporary folder");
    if part != "generate" {
        boards(folder.path());
        against_clingo(folder.path());
    }
    if part != "boards" {
        generate(folder.path(), names);
    }
}

/// What a header says of links, and a link.
fn links() -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = include_str!("../tests/data/links.tsv").lines().filter(|line| !line.starts_with('%'));
    lines.map(|line| line.split_once('\t').expect("two columns"))
}

/// The slowest of some, with its name; and all together.
fn summed(seconds: &[(&str, f64)]) -> serde_json::Value {
    let (slowest, most) = seconds.iter().max_by(|one, other| one.1.total_cmp(&other.1)).expect("there are some");
    let total: f64 = seconds.iter().map(|(_, seconds)| seconds).sum();
    json!({"boards": seconds.len(), "seconds": total, "slowest, s": most, "slowest": slowest})
}

fn boards(folder: &std::path::Path) {
    let mut seconds = Vec::new();
    for (_, url) in links() {
        let ran = run(folder, &[url, "--unique"], "");
        assert!(ran.code < 2, "{url}: {}", ran.errors);
        seconds.push((type_of(url).expect("a link"), ran.seconds));
    }
    figures::record("puzzles", "the published boards, each with its proof", summed(&seconds));
}

fn against_clingo(folder: &std::path::Path) {
    let clingo = std::env::var("CLINGO").unwrap_or_else(|_| "clingo".to_owned());
    let command = || {
        let mut words = clingo.split_whitespace();
        let mut command = Command::new(words.next().unwrap_or("clingo"));
        command.args(words).stderr(Stdio::null());
        command
    };
    let version = command().arg("--version").output().ok().filter(|output| output.status.success());
    let Some(version) = version else {
        println!("there is no {clingo} to compare with");
        return;
    };
    let version = String::from_utf8_lossy(&version.stdout).into_owned();
    let version = version.split_whitespace().find(|word| word.starts_with(|sign: char| sign.is_ascii_digit()));
    let mut seconds = Vec::new();
    for (paragraph, url) in links() {
        let name = type_of(url).expect("a link");
        let link = Link::parse(paragraph).expect("a header's paragraph");
        let board = link.read(&Document::in_memory(url, url)).unwrap_or_else(|failure| panic!("{failure}"));
        let facts = folder.join("board.lp");
        std::fs::write(&facts, board.facts()).expect("the temporary folder takes files");
        let files = puzzle::named(name).expect("it ships").about().encodings[0].files;
        let began = Instant::now();
        let output = command()
            .arg(&facts)
            .args(files.iter().map(|file| figures::path("asp").join(file.path)))
            .args(["--project=show", "2"])
            .output()
            .expect("clingo starts");
        seconds.push((name, began.elapsed().as_secs_f64()));
        let found = String::from_utf8_lossy(&output.stdout).matches("Answer: ").count();
        assert!((1..=2).contains(&found), "{name}: {}", String::from_utf8_lossy(&output.stdout));
    }
    let name = format!("the same by clingo {}, from facts", version.unwrap_or("of an unknown version"));
    figures::record("puzzles", &name, summed(&seconds));
}

fn generate(folder: &std::path::Path, names: &[String]) {
    for entry in puzzle::all().iter().filter(|entry| entry.tools().iter().any(|tool| tool.name() == "generate")) {
        let name = entry.about().name;
        if puzzle::is_written_in_rust(name) || !names.is_empty() && !names.iter().any(|wanted| wanted == name) {
            continue;
        }
        let (mut seconds, mut made) = (Vec::new(), 0);
        for seed in SEEDS {
            let seed = seed.to_string();
            let ran = run(folder, &["generate", name, "--size", "8x8", "--time-limit", "30", "--seed", &seed], "");
            assert!([0, 3].contains(&ran.code), "{name}: {}", ran.errors);
            made += u64::from(ran.code == 0);
            seconds.push(ran.seconds);
        }
        let most = seconds.iter().copied().fold(0.0, f64::max);
        let values = json!({"made": made, "of": SEEDS.count(), "seconds": median(seconds), "most": most});
        figures::record("puzzles made", &format!("{name}, 8×8"), values);
    }
}
