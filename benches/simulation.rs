//! Measures the simulation on random networks of 2,000 forks, 12 colours and 10 gates: `cargo bench
//! --bench simulation`; `-- --record` stores the figures.
//!
//! Every branch leads to a random node, or with the given probability to one of the ends. Each
//! network has 2^12 · 12^10 configurations.

#[path = "figures/mod.rs"]
mod figures;

use std::fmt::Write;

use serde_json::json;

const FORKS: u64 = 2000;
const COLORS: u64 = 12;
const GATES: u64 = 10;

fn main() {
    let cache = tempfile::tempdir().expect("a temporary folder");
    for (seed, ends) in [(1, 1), (2, 2), (3, 5), (4, 5), (5, 10), (6, 10)] {
        let arguments = "- -n 0 -f json --outcome stuck --engine simulation --stats --time-limit 120";
        let arguments: Vec<&str> = arguments.split(' ').collect();
        let ran = figures::measure::run(cache.path(), &arguments, &network(seed, ends));
        let value: serde_json::Value = serde_json::from_str(&ran.output).expect("the command prints JSON");
        assert_eq!(value["complete"], true, "it gave up");
        let work = &value["statistics"]["search"];
        let steps_a_second = work["steps"].as_f64().map(|steps| (steps / ran.seconds).round() as u64);
        let values = json!({
            "distinct trips": work["trips"], "steps": work["steps"], "seconds": ran.seconds, "steps/s": steps_a_second,
            "peak MB": ran.megabytes,
        });
        figures::record("simulation", &format!("{ends} in 100 ways lead to an end, seed {seed}"), values);
    }
}

fn network(seed: u64, ends_in_percent: u64) -> String {
    let mut state = seed;
    let mut next = |bound: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % bound
    };
    let mut text = String::from("start(n0). target(t). final_node(s).\n");
    for fork in 0..FORKS {
        let color = if fork < COLORS { fork } else { next(COLORS) };
        let _ = write!(text, "color(n{fork},c{color}).");
        for label in 1..=2 {
            let target = if next(100) < ends_in_percent {
                if next(4) == 0 { "t".to_owned() } else { "s".to_owned() }
            } else {
                match next(FORKS + 2 * GATES) {
                    side @ 0..20 => format!("g{}_{}", side / 2, side % 2),
                    node => format!("n{}", node - 2 * GATES),
                }
            };
            let _ = write!(text, " rel(n{fork},{label},{target}).");
        }
        text.push('\n');
    }
    for gate in 0..GATES {
        for side in 0..2 {
            let _ = writeln!(text, "gate({gate},g{gate}_{side}). rel(g{gate}_{side},1,n{}).", next(FORKS));
        }
    }
    text
}
