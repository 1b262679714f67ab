//! Times the second search and the checker of certificates on boards, compared with clasp, and the
//! second search as the engine `native` on programs.
//!
//! `cargo bench --bench certificates`, or `-- sudoku masyu` for some types; `-- --record` stores
//! the figures. The boards are the published ones of `tests/data/links.tsv` and the shipped ones.
//! The command writes each certificate. Then its claim is refuted and checked again in this
//! process, in one thread. The time of clasp is the solving time that it reports, for finding one
//! solution and proving that there is no other.

#[path = "figures/mod.rs"]
mod figures;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use certificate::{negated_claim, read, verify};
use figures::measure::run;
use pencil::link::link_type;
use prover::{CdclOutcome, CdclSolver};
use serde_json::{Value, json};

/// The measurements of one board, or their sum over several boards.
#[derive(Clone, Copy, Default)]
struct Measurement {
    boards: usize,
    rules: usize,
    conflicts: u64,
    /// The times of clasp, of the translation, of the refutation and of the check, in seconds.
    times: [f64; 4],
}

impl Measurement {
    fn and(self, other: Measurement) -> Measurement {
        let times = std::array::from_fn(|at| self.times[at] + other.times[at]);
        let (rules, conflicts) = (self.rules + other.rules, self.conflicts + other.conflicts);
        Measurement { boards: self.boards + other.boards, rules, conflicts, times }
    }

    fn record(self, row: &str) {
        let [clasp, translating, refuting, checking] = self.times;
        let report = json!({
            "boards": self.boards, "rules": self.rules, "conflicts": self.conflicts, "clasp, s": clasp,
            "translating, s": translating, "refuting, s": refuting, "checking, s": checking,
            "refuting ÷ clasp": refuting / clasp, "checking ÷ refuting": checking / refuting,
        });
        figures::record("certificates", row, report);
    }
}

fn main() {
    let names = figures::arguments();
    let is_selected = |name: &str| names.is_empty() || names.iter().any(|selected| selected == name);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut largest = BTreeMap::<String, Measurement>::new();
    let mut all = Measurement::default();
    for (name, board) in boards().into_iter().filter(|(name, _)| is_selected(name)) {
        let Some(measured) = measured(folder.path(), &board) else { continue };
        println!(
            "{name:<14} {:>7} rules, {:>7} conflicts, {:.1?} ms",
            measured.rules,
            measured.conflicts,
            measured.times.map(|time| time * 1e3)
        );
        all = all.and(measured);
        let known = largest.entry(name).or_default();
        if known.rules < measured.rules {
            *known = measured;
        }
    }
    all.record("all boards");
    largest
        .values()
        .fold(Measurement::default(), |sum, measurement| sum.and(*measurement))
        .record("the largest of each type");
    for (name, options, program) in [
        ("9 pigeons in 8 holes", "", "1 { in(P,H) : H = 1..8 } 1 :- P = 1..9. :- in(P,H), in(Q,H), P < Q."),
        (
            "8 queens",
            "-n 0",
            "1 { q(R,C) : C = 1..8 } 1 :- R = 1..8. :- q(R,C), q(R',C'), R < R', |C-C'| = R'-R. :- q(R,C), q(R',C), R < R'.",
        ),
        (
            "dominating set of 6 × 6",
            "",
            "cell(1..6,1..6). { in(R,C) } :- cell(R,C). near(R,C,R',C') :- cell(R,C), cell(R',C'), |R-R'|+|C-C'| <= 1.\n\
             :- cell(R,C), not in(R',C') : near(R,C,R',C'). #minimize { 1,R,C : in(R,C) }.",
        ),
    ] {
        let seconds = |engine: &str| {
            let words = format!("- {options} --engine {engine} -q");
            let mut times: Vec<f64> = (0..3)
                .map(|_| run(folder.path(), &words.split_whitespace().collect::<Vec<_>>(), program).seconds)
                .collect();
            times.sort_by(f64::total_cmp);
            times[1]
        };
        let report = json!({ "asp, s": seconds("asp"), "native, s": seconds("native") });
        figures::record("engine native", name, report);
    }
}

/// Returns all boards: the type of each, and the input for the command.
fn boards() -> Vec<(String, String)> {
    let lines = include_str!("../tests/data/links.tsv").lines().filter(|line| !line.starts_with('%'));
    let links = lines.filter_map(|line| line.split('\t').nth(1));
    let mut boards: Vec<(String, String)> =
        links.map(|link| (link_type(link).expect("a link").to_owned(), link.to_owned())).collect();
    for file in std::fs::read_dir(figures::path("instances")).expect("instances") {
        let path = file.expect("a file").path();
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let name = text.lines().next().and_then(|line| line.strip_prefix("puzzle "));
        boards.extend(name.map(|name| (name.trim().to_owned(), path.display().to_string())));
    }
    boards.sort();
    boards
}

/// Measures a board. Returns `None` if it has no certificate, since it has two solutions or an
/// engine that writes none.
fn measured(folder: &Path, board: &str) -> Option<Measurement> {
    let file = folder.join("board.proof");
    let path = file.to_str().expect("UTF-8");
    let ran = run(folder, &[board, "--unique", "--proof", path, "--stats", "-f", "json"], "");
    let report: Value = serde_json::from_str(&ran.output).ok()?;
    if report["certificate"]["checked"] != true {
        println!("{board}: {}", report["certificate"]["why"]);
        return None;
    }
    let clasp = report.pointer("/statistics/clingo/summary/times/solve").and_then(Value::as_f64).unwrap_or(0.0);
    let certificate = read(&std::fs::read_to_string(&file).expect("a certificate")).expect("it can be read");
    let ground = &certificate.ground;
    let mut times = vec![clasp];
    let mut timed = |started: Instant| times.push(started.elapsed().as_secs_f64());
    let started = Instant::now();
    let completion = negated_claim(ground, &certificate.shown, &certificate.claim).expect("it can be translated");
    timed(started);
    let started = Instant::now();
    let mut search = CdclSolver::new(ground, &completion);
    let CdclOutcome::Refuted(steps) = search.run(&mut |_| false) else { panic!("{board} was refuted before") };
    timed(started);
    let started = Instant::now();
    verify(ground, &completion, &steps).expect("the steps are right");
    timed(started);
    let times = times.try_into().expect("four times");
    Some(Measurement { boards: 1, rules: ground.rules.len(), conflicts: search.conflicts, times })
}
