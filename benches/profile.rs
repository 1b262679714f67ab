//! Measures the overhead of `profile` over grounding: `cargo bench --bench profile`, or `-- join`
//! for some programs.
//!
//! Each program is alternately grounded with and without the instrumentation of a profile, in this
//! process. The ratio is the median over the pairs, so that other load on the machine affects both
//! runs of a pair equally.
//! `-- --record` stores the figures.

#[path = "figures/mod.rs"]
mod figures;

use std::time::Instant;

use asp::{Program, Settings, Solver};
use author::profile::{ProfileRecorder, profile};
use base::document::Document;
use base::stop::CancelToken;
use figures::measure::median;
use serde_json::json;

const PAIRS: usize = 15;

/// The programs: one with many instances of cheap rules, one with many tuples that a body rejects,
/// and a recursive one.
const PROGRAMS: [(&str, &str); 3] = [
    (
        "grid",
        "cell(1..400,1..400). { on(X,Y) } :- cell(X,Y). beside(X,Y,X+1,Y) :- cell(X,Y), cell(X+1,Y). \
         beside(X,Y,X,Y+1) :- cell(X,Y), cell(X,Y+1). :- beside(X,Y,V,W), on(X,Y), on(V,W).",
    ),
    (
        "join",
        "edge(X,(X*7+K*K*13) \\ 3000) :- X = 0..2999, K = 1..30. \
         triangle(X,Y,Z) :- edge(X,Y), edge(Y,Z), edge(Z,X), X < Y, Y < Z.",
    ),
    (
        "recursion",
        "edge(X,(X*3+K) \\ 700) :- X = 0..699, K = 1..2. { start(0..699) } = 1. \
         reach(X,X) :- start(X). reach(X,Z) :- reach(X,Y), edge(Y,Z).",
    ),
];

fn main() {
    let names = figures::arguments();
    let is_selected = |name: &str| names.is_empty() || names.iter().any(|selected| name.contains(selected.as_str()));
    for (name, text) in PROGRAMS.into_iter().filter(|(name, _)| is_selected(name)) {
        let program = Program { instance: vec![Document::in_memory(name, text)], ..Program::default() };
        let settings = Settings { models: Some(1), ..Settings::default() };
        let ground_plainly = || {
            let mut solver = Solver::new(&settings, &CancelToken::new()).expect("clingo starts");
            solver.load(&program).expect("it is a program");
            let started = Instant::now();
            solver.ground(&[("base", &[])]).expect("it grounds");
            started.elapsed().as_secs_f64()
        };
        let ground_instrumented = || {
            let record = ProfileRecorder::default();
            profile(&program, &settings, &CancelToken::new(), &record).expect("it is a program");
            let profile = record.profile();
            let tried: u64 = profile.costs.iter().map(|cost| cost.tried).sum();
            (profile.grounding.as_secs_f64(), tried)
        };
        let pairs: Vec<(f64, (f64, u64))> = (0..PAIRS).map(|_| (ground_plainly(), ground_instrumented())).collect();
        let of = |value: fn(&(f64, (f64, u64))) -> f64| median(pairs.iter().map(value).collect());
        let values = json!({
            "tried": pairs[0].1.1, "grounding, s": of(|pair| pair.0), "with marks, s": of(|pair| pair.1.0),
            "ratio": of(|pair| pair.1.0 / pair.0),
        });
        figures::record("profile", name, values);
    }
}
