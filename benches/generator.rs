//! Times `generate rail`, as whole commands on one core.
//!
//! `cargo bench --bench generator`; `-- --record` stores the figures. The command proves every
//! result. A row has the number of results.

#[path = "figures/mod.rs"]
mod figures;

use std::process::Command;
use std::time::Instant;

use serde_json::json;

fn main() {
    let all = "--wins 1..5 --through-gates 1 --min-steps 8";
    let large = "--forks 1000 --colors 8 --gates 6";
    let rows = [
        ("of Deponia's size", "--count 100".to_owned()),
        ("the same with `--wins 1..5 --through-gates 1 --min-steps 8`", format!("--count 100 {all}")),
        ("the same, planar (without `--min-steps`)", "--count 20 --planar --wins 1..5 --through-gates 1".to_owned()),
        (
            "of Deponia's size with `--gates-matter --winning-paths 2..4`",
            "--count 100 --gates-matter --winning-paths 2..4".to_owned(),
        ),
        ("1,000 forks, 8 colours, 6 gates", format!("--count 10 {large}")),
        (
            "the same with `--through-gates 2 --min-steps 20`",
            format!("--count 10 {large} --through-gates 2 --min-steps 20"),
        ),
    ];
    for (name, options) in rows {
        let mut seconds: Vec<f64> = Vec::new();
        let mut generated = 0;
        // Five runs, each with other seeds.
        for run in 0..5 {
            let started = Instant::now();
            let output = Command::new(env!("CARGO_BIN_EXE_asp-solve"))
                .args([
                    "generate",
                    "rail",
                    "--threads",
                    "1",
                    "--time-limit",
                    "120",
                    "--seed",
                    &(1 + 1000 * run).to_string(),
                ])
                .args(options.split_whitespace())
                .output()
                .expect("the command starts");
            seconds.push(started.elapsed().as_secs_f64());
            let text = String::from_utf8_lossy(&output.stdout);
            generated += text.matches("% Checked by").count();
            if !output.status.success() {
                println!("{}", String::from_utf8_lossy(&output.stderr).trim_end());
            }
        }
        seconds.sort_by(f64::total_cmp);
        let values = json!({"made in five runs": generated, "seconds a run": seconds[2], "most": seconds[4]});
        figures::record("generator", name, values);
    }
}
