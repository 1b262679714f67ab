//! The steps of the shipped boards: how many, how many reasons the hardest has, and how long they take; and how many reasons a minimal
//! cause by plain deletion has, which is what a solver's core gives.
//!
//! `cargo bench --bench hints`, or `-- sudoku masyu` for some of them; with `-- --record` for the figures.

#[path = "figures/mod.rs"]
mod figures;

use std::process::Command;

use serde_json::{Value, json};

fn main() {
    let names = figures::arguments();
    for entry in asp_solve::puzzle::all().iter().map(|entry| entry.about()) {
        let is_program = entry.encodings.first().is_some_and(|one| one.files[0].path.starts_with("puzzles/"));
        if !is_program || !names.is_empty() && !names.iter().any(|name| name == entry.name) {
            continue;
        }
        let board = format!("instances/{}.txt", entry.name);
        let run =
            Command::new(env!("CARGO_BIN_EXE_asp-solve")).args(["rate", &board, "--deletion", "-f", "json"]).output();
        let rated: Value = serde_json::from_slice(&run.expect("the command starts").stdout).expect("JSON");
        let sizes: Vec<u64> = rated["deletion"].as_array().into_iter().flatten().filter_map(Value::as_u64).collect();
        let told = json!({
            "steps": rated["steps"], "largest": rated["largest"], "sum": rated["sum"], "seconds": rated["seconds"],
            "slowest step, s": rated["slowest"], "by deletion, median": sizes.get(sizes.len() / 2), "by deletion, largest": sizes.last(),
        });
        figures::record("hints", entry.name, told);
    }
}
