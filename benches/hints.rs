//! Measures the solving steps of the shipped boards: their number, the number of reasons of the
//! hardest step, and the time.
//!
//! `cargo bench --bench hints`, or `-- sudoku masyu` for some of them; `-- --record` stores the
//! figures. `large` measures the steps of three large published boards.

#[path = "figures/mod.rs"]
mod figures;

use std::process::Command;

use serde_json::{Value, json};

#[rustfmt::skip]
const LARGE: [&str; 3] = [
    "https://puzz.link/p?heyawake/19/15/201480mhg2i40a8s192816704r503gk0m2g2oa0a18085010k046g0003hu0104000400fbvgvo005fu1800o0000000800600000003s0003c-1c140411g81ah8233",
    "https://puzz.link/p?lits/24/24/0000000o01lnmg5dvc0dntsq94ia94i814i914i976i94i294i294i8t4i90ci94ki94s294j094ia14i9pki944i94o1mregamtm0rddc00010002002dhm02i14080044vvvk6001os0001vvvq1g00a4000sfvvvsc003p80073fvvq700080000g3vvu100021g0087vvv8114102295g296oo",
    "https://puzz.link/p?shakashaka/30/30/kcodzzzgchbjbgbgbgbzzzobmcclbhblbobr.zkbncczzpbobgbgbscvczzu.lbgbgbobzgddkcsbzzndibiddbjbkcw.ztbzpbhbgbgbgb.zwbzgczzhegdobycgdlbhdx",
];

fn main() {
    let names = figures::arguments();
    for entry in asp_solve::builtin::registry().all().iter().map(|entry| entry.about()) {
        let is_program = entry.encodings.first().is_some_and(|encoding| encoding.files[0].path.starts_with("puzzles/"));
        if !is_program || !names.is_empty() && !names.iter().any(|name| name == entry.name) {
            continue;
        }
        let board = format!("instances/{}.txt", entry.name);
        let run = Command::new(env!("CARGO_BIN_EXE_asp-solve")).args(["rate", &board, "-f", "json"]).output();
        let rated: Value = serde_json::from_slice(&run.expect("the command starts").stdout).expect("JSON");
        let report = json!({
            "steps": rated["steps"], "largest": rated["largest"], "sum": rated["sum"], "seconds": rated["seconds"],
            "slowest step, s": rated["slowest"],
        });
        figures::record("hints", entry.name, report);
    }
    if names.is_empty() || names.iter().any(|name| name == "large") {
        LARGE.into_iter().for_each(all_steps);
    }
}

/// Measures all steps of a board, to the end or within the default limit of the command.
fn all_steps(link: &str) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let ran = figures::measure::run(folder.path(), &["hint", "--steps", "-f", "json", link], "");
    let report: Value = serde_json::from_str(&ran.output).expect("JSON");
    let steps = report["steps"].as_array().expect("steps");
    let largest = steps.iter().filter_map(|step| step["size"].as_u64()).max();
    let parts: Vec<&str> = link.split(['?', '/']).collect();
    let name = format!("{}, {}×{} cells", parts[4], parts[5], parts[6]);
    let report = json!({"steps": steps.len(), "largest": largest, "seconds": ran.seconds, "end": report["verdict"]});
    figures::record("hints", &name, report);
}
