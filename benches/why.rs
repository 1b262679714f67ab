//! Measures the search for causes of contradictory Sudokus: `cargo bench --bench why`.
//!
//! Each Sudoku has the 30 facts of the one in Wikipedia's article and a wrong fact, whose number
//! does not occur among the given numbers in its row, column or box. All wrong facts of this kind
//! are tried. The rules are five lines of plain ASP. For each Sudoku, the smallest cause is found
//! and proven, all in one process. Then the causes that are found in five seconds for the slowest
//! Sudoku are counted.
//!
//! If `$PYTHON` is an interpreter with clingexplaid 1.5 and musclingo 0.1, the causes that these
//! find in the same time are counted, too: `PYTHON=python3 cargo bench --bench why`. They cannot
//! search for a smallest cause. `-- --record` stores the figures.

#[path = "figures/mod.rs"]
mod figures;

use std::fmt::Write;
use std::ops::ControlFlow;
use std::process::Command;
use std::time::{Duration, Instant};

use asp::{Program, Settings};
use base::document::Document;
use base::stop::CancelToken;
use explain::cause::{SubsetResult, enumerate_muses, smallest_mus};
use explain::{Blame, RelaxedProgram};
use figures::measure::median;
use serde_json::json;

const SIGNS: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
const SOLUTION: &str = "534678912672195348198342567859761423426853791713924856961537284287419635345286179";
const RULES: &str = include_str!("../tests/data/sudoku.lp");
const PATIENCE: Duration = Duration::from_secs(5);

const PEER: &str = "
import sys, time, clingo
from clingexplaid.preprocessors import AssumptionPreprocessor, FilterSignature
from musclingo.algorithms import MARCO
from musclingo.lattice import AssumptionsLattice
from musclingo.shrink import LinearElimination
began = time.time()
control = clingo.Control()
facts = AssumptionPreprocessor(control=control, filters=[FilterSignature('given', 3)])
facts.process_files([sys.argv[1]])
control.ground([('base', [])])
literals = [control.symbolic_atoms[atom].literal for atom, _ in facts.assumptions if atom in control.symbolic_atoms]
sizes = []
for kind, parts in MARCO(AssumptionsLattice(literals, bias=True), LinearElimination(control)):
    if kind == 'mus': sizes.append(len(parts))
    if time.time() - began > float(sys.argv[2]): break
print(len(sizes))
";

fn main() {
    let signs: Vec<char> = SIGNS.chars().collect();
    let sees = |one: usize, other: usize| {
        let (rows, columns) = ((one / 9, other / 9), (one % 9, other % 9));
        rows.0 == rows.1 || columns.0 == columns.1 || rows.0 / 3 == rows.1 / 3 && columns.0 / 3 == columns.1 / 3
    };
    let mut facts = String::new();
    for (at, sign) in signs.iter().enumerate().filter(|(_, sign)| **sign != '.') {
        let _ = writeln!(facts, "given({},{},{sign}).", at / 9 + 1, at % 9 + 1);
    }
    let mut runs: Vec<(f64, usize, String)> = Vec::new();
    for (at, right) in SOLUTION.chars().enumerate().filter(|(at, _)| signs[*at] == '.') {
        for wrong in ('1'..='9').filter(|&wrong| wrong != right) {
            if (0..81).any(|other| signs[other] == wrong && sees(at, other)) {
                continue;
            }
            let text = format!("{facts}given({},{},{wrong}).\n{RULES}", at / 9 + 1, at % 9 + 1);
            let started = Instant::now();
            let found = smallest_mus(&mut relaxed(&text), &CancelToken::new());
            let Ok(SubsetResult::Parts { parts, is_least: true, .. }) = found else { panic!("{text}") };
            runs.push((started.elapsed().as_secs_f64(), parts.len(), text));
        }
    }
    runs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let seconds: Vec<f64> = runs.iter().map(|run| run.0).collect();
    let (least, most) = (runs.iter().map(|run| run.1).min(), runs.iter().map(|run| run.1).max());
    let values = json!({
        "boards": runs.len(), "smallest cause, facts": format!("{} to {}", least.unwrap_or(0), most.unwrap_or(0)),
        "proven, median, s": median(seconds.clone()), "slowest, s": seconds[seconds.len() - 1],
    });
    figures::record("why", "the Sudoku of Wikipedia's article and one wrong fact", values);

    let (_, size, hardest) = &runs[runs.len() - 1];
    let stop = CancelToken::new().child_until(Some(Instant::now() + PATIENCE));
    let mut causes = 0;
    let ended = enumerate_muses(&mut relaxed(hardest), &[], &stop.token, |_| {
        causes += 1;
        ControlFlow::Continue(())
    });
    println!("the slowest, whose smallest cause has {size} facts: {causes} causes in {PATIENCE:?} ({ended:?})");
    let mut values = json!({ "causes in 5 s": causes });
    if let Ok(python) = std::env::var("PYTHON") {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("sudoku.lp");
        std::fs::write(&path, hardest).expect("a file can be written");
        let ran = Command::new(python).args(["-c", PEER]).arg(path).arg(PATIENCE.as_secs().to_string()).output();
        let ran = ran.expect("Python starts");
        let found: u64 = String::from_utf8_lossy(&ran.stdout).trim().parse().expect("a number of causes");
        values["causes in 5 s by musclingo 0.1"] = json!(found);
    }
    figures::record("why_all", "the slowest of them", values);
}

fn relaxed(text: &str) -> RelaxedProgram {
    let program = Program { instance: vec![Document::in_memory("sudoku", text)], ..Program::default() };
    RelaxedProgram::new(&program.into(), &[Blame::Facts], &Settings::default(), &CancelToken::new()).expect("a program")
}
