//! Certificates of the published boards: how long the second search and the checker take, beside clasp.
//!
//! `cargo bench --bench certificates`, or `-- sudoku masyu` for some types; with `-- --record` for the figures. The command
//! writes each certificate; then its claim is refuted and checked anew in this process, in one thread. clasp's time is that
//! of solving alone, as it tells it, for one solution and the proof that there is no other.

#[path = "figures/mod.rs"]
mod figures;

use std::time::Instant;

use asp_solve::certificate::{Outcome, Search, denied, read, verify};
use asp_solve::puzzle::logic::link::type_of;
use figures::measure::run;
use serde_json::{Value, json};

fn main() {
    let names = figures::arguments();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("board.proof");
    let path = file.to_str().expect("UTF-8");
    let lines = include_str!("../tests/data/links.tsv").lines().filter(|line| !line.starts_with('%'));
    let (mut boards, mut sums) = (0, [0.0; 4]);
    for url in lines.filter_map(|line| line.split('\t').nth(1)) {
        let name = type_of(url).expect("a link");
        if !names.is_empty() && !names.iter().any(|wanted| wanted == name) {
            continue;
        }
        let ran = run(folder.path(), &[url, "--unique", "--proof", path, "--stats", "-f", "json"], "");
        let told: Value = serde_json::from_str(&ran.output).expect("JSON");
        if told["certificate"]["checked"] != true {
            println!("{name}: {}", told["certificate"]["why"]);
            continue;
        }
        let clasp = told.pointer("/statistics/clingo/summary/times/solve").and_then(Value::as_f64).unwrap_or(0.0);
        let certificate = read(&std::fs::read_to_string(&file).expect("a certificate")).expect("it can be read");
        let (ground, mut times) = (&certificate.ground, vec![clasp]);
        let mut timed = |began: Instant| times.push(began.elapsed().as_secs_f64());
        let began = Instant::now();
        let completion = denied(ground, &certificate.shown, &certificate.claim).expect("it can be translated");
        timed(began);
        let began = Instant::now();
        let mut search = Search::new(ground, &completion);
        let Outcome::Refuted(steps) = search.run(&mut || false) else { panic!("{name} was refuted before") };
        timed(began);
        let began = Instant::now();
        verify(ground, &completion, &steps).expect("the steps are right");
        timed(began);
        boards += 1;
        sums.iter_mut().zip(&times).for_each(|(sum, time)| *sum += time);
        let told = json!({
            "rules": ground.rules.len(), "clauses": completion.clauses.len(), "conflicts": search.conflicts,
            "clasp, s": times[0], "translating, s": times[1], "refuting, s": times[2], "checking, s": times[3],
        });
        figures::record("certificates", name, told);
    }
    let [clasp, translating, refuting, checking] = sums;
    let told = json!({
        "boards": boards, "clasp, s": clasp, "translating, s": translating, "refuting, s": refuting, "checking, s": checking,
    });
    figures::record("certificates", "all", told);
}
