//! The simulation on random networks of 2,000 forks, 12 colours and 10 gates: `cargo bench --bench simulation`.
//!
//! Every way leads to any node, or with the given chance to one of the ends; 2^12 · 12^10 configurations each.

use std::fmt::Write;
use std::process::Command;
use std::time::Instant;

const FORKS: u64 = 2000;
const COLORS: u64 = 12;
const GATES: u64 = 10;

fn main() {
    println!("{:>6}{:>12}{:>14}{:>18}{:>10}{:>16}", "seed", "ends in %", "trips", "steps", "seconds", "steps/s");
    for (seed, ends) in [(1, 1), (2, 2), (3, 5), (4, 5), (5, 10), (6, 10)] {
        let path = std::env::temp_dir().join(format!("asp-solve-bench-{}-{seed}.lp", std::process::id()));
        std::fs::write(&path, network(seed, ends)).expect("the temporary folder takes files");
        let began = Instant::now();
        let output = Command::new(env!("CARGO_BIN_EXE_asp-solve"))
            .arg(&path)
            .args([
                "-n",
                "0",
                "-f",
                "json",
                "--outcome",
                "stuck",
                "--engine",
                "simulation",
                "--stats",
                "--time-limit",
                "120",
            ])
            .output()
            .expect("the command starts");
        let seconds = began.elapsed().as_secs_f64();
        let _ = std::fs::remove_file(path);
        let value: serde_json::Value = serde_json::from_slice(&output.stdout).expect("the command prints JSON");
        let work = &value["statistics"]["search"];
        let steps = work["steps"].as_f64().unwrap_or(0.0);
        let gave_up = if value["complete"] == true { "" } else { "  gave up" };
        println!(
            "{seed:>6}{ends:>12}{:>14}{:>18}{seconds:>10.2}{:>16.0}{gave_up}",
            work["trips"].to_string(),
            work["steps"].to_string(),
            steps / seconds
        );
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
            let way = if next(100) < ends_in_percent {
                if next(4) == 0 { "t".to_owned() } else { "s".to_owned() }
            } else {
                match next(FORKS + 2 * GATES) {
                    side @ 0..20 => format!("g{}_{}", side / 2, side % 2),
                    node => format!("n{}", node - 2 * GATES),
                }
            };
            let _ = write!(text, " rel(n{fork},{label},{way}).");
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
