//! How long `generate rail` and `repair` take, as whole commands on one core.
//!
//! `cargo bench --bench generator`. Everything that comes out was proven by the command itself; a row counts what was made.

use std::process::Command;
use std::time::Instant;

fn main() {
    let all = "--no-false-forks --all-reachable --wins 1..5 --through-gates 1 --min-steps 8";
    let large = "--forks 1000 --colors 8 --gates 6";
    let rows = [
        ("100 of Deponia's size", "--count 100".to_owned()),
        ("100, every property", format!("--count 100 {all}")),
        (
            "20, planar, every property",
            "--count 20 --planar --no-false-forks --all-reachable --wins 1..5 --through-gates 1".to_owned(),
        ),
        ("1,000 forks, 8 colours, 6 gates", format!("--count 10 {large}")),
        (
            "the same, every property",
            format!("--count 10 {large} --no-false-forks --all-reachable --through-gates 2 --min-steps 20"),
        ),
    ];
    println!("{:<34} {:>6} {:>9} {:>12} {:>12}", "generate rail", "made", "seconds", "median s", "most s");
    for (name, options) in rows {
        let mut seconds: Vec<f64> = Vec::new();
        let mut made = 0;
        // Five times, each from other seeds.
        for run in 0..5 {
            let began = Instant::now();
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
            seconds.push(began.elapsed().as_secs_f64());
            let text = String::from_utf8_lossy(&output.stdout);
            made += text.matches("% Checked by").count();
            if !output.status.success() {
                println!("{}", String::from_utf8_lossy(&output.stderr).trim_end());
            }
        }
        seconds.sort_by(f64::total_cmp);
        println!("{name:<34} {made:>6} {:>9.2} {:>12.3} {:>12.3}", seconds.iter().sum::<f64>(), seconds[2], seconds[4]);
    }
}
