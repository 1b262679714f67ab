//! Compares the processor time of whole runs of `asp-solve` and of stock clingos, and of `asp-solve`
//! with other options.
//!
//! `CLINGO="clingo; python3 -m clingo" cargo bench --bench against_clingo` compares with both
//! command lines. `ASP_SOLVE=program` measures another binary than the one that was built;
//! `-- --record` stores the figures. Output is discarded. The programs alternate. Each row has the
//! median time of each program, and the median of the ratios of paired runs, which is more robust
//! on a shared machine.

#[path = "figures/mod.rs"]
mod figures;

use std::fmt::Write;
use std::path::Path;

use figures::measure::{asp_solve, clingos, cpu_seconds, median};
use serde_json::{Map, json};

const RUNS: usize = 5;

/// A row of the comparison.
struct Row {
    name: &'static str,
    /// The arguments of asp-solve.
    ours: String,
    /// The arguments of clingo.
    theirs: String,
    /// The number of runs within one measurement.
    times: usize,
}

fn main() {
    let folder = std::env::temp_dir().join(format!("asp-solve-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder can be made");
    let answers = write(&folder, "answers.lp", "{a(1..20)}.\n".to_owned());
    let facts = write(
        &folder,
        "facts.lp",
        (0..1_000_000).fold(String::new(), |mut text, index| {
            let _ = writeln!(text, "p({index},{}).", index % 1000);
            text
        }),
    );
    let written = |row: &dyn Fn(usize) -> String| (0..300_000).map(row).collect::<String>();
    let lines = write(&folder, "lines.lp", written_facts(300_000));
    let line = write(&folder, "line.lp", written(&|index| format!("p({index}). ")));
    let mixed = written(&|index| match index % 3 {
        0 => format!("q({index},\"x{index}\",f({},a)).\n", index % 7),
        _ => format!("p({index},{}).\n", index % 1000),
    });
    let rules = "r(X) :- p(X,Y), Y < 3.\ns(X,Z) :- q(X,_,f(Z,a)), Z > 3. % small\n#show r/1.\n";
    let mixed = write(&folder, "mixed.lp", mixed + rules);
    let deponia = "instances/deponia.lp asp/rail/dynamic_gate.lp asp/rail/railway.lp";
    let of_facts = |name, path: &str| Row { name, ours: format!("{path} -q"), theirs: format!("{path} -q"), times: 1 };
    let rows = [
        Row {
            name: "2^20 answers, quiet",
            ours: format!("{answers} -n 0 -f asp -q"),
            theirs: format!("{answers} -n 0 -q"),
            times: 1,
        },
        Row {
            name: "2^20 answers, printed",
            ours: format!("{answers} -n 0 -f asp"),
            theirs: format!("{answers} -n 0"),
            times: 1,
        },
        Row {
            name: "10^6 facts from a file",
            ours: format!("{facts} -f asp -q"),
            theirs: format!("{facts} -q"),
            times: 1,
        },
        of_facts("3·10^5 facts, one a line", &lines),
        of_facts("3·10^5 facts in one line", &line),
        of_facts("3·10^5 facts with rules", &mixed),
        Row {
            name: "Deponia, start to exit",
            ours: "instances/deponia.lp -n 0".to_owned(),
            theirs: format!("{deponia} -n 0"),
            times: 10,
        },
    ];
    let (program, clingos) = (asp_solve(), clingos());
    for row in &rows {
        let mut ours = Vec::new();
        let mut theirs = vec![Vec::new(); clingos.len()];
        for _ in 0..RUNS {
            ours.push(cpu_seconds(&format!("{program} {}", row.ours), row.times));
            for ((_, line), times) in clingos.iter().zip(&mut theirs) {
                times.push(cpu_seconds(&format!("{line} {}", row.theirs), row.times));
            }
        }
        let mut values = Map::from_iter([("asp-solve, s".to_owned(), json!(median(ours.clone())))]);
        for ((name, _), times) in clingos.iter().zip(theirs) {
            let ratios = ours.iter().zip(&times).map(|(ours, theirs)| ours / theirs).collect();
            values.insert(format!("{name}, s"), json!(median(times)));
            values.insert(format!("ratio to {name}"), json!(median(ratios)));
        }
        figures::record("against_clingo", row.name, values.into());
    }
    let rule = write(&folder, "rule.lp", written_facts(200_000) + "q(X) :- p(X), X < 3.\n");
    let alone = [
        ("2^20 answers as text, to -f asp", format!("{answers} -n 0"), format!("{answers} -n 0 -f asp")),
        ("2·10^5 facts and a rule, to asp-solve clingo", rule.clone(), format!("clingo {rule}")),
    ];
    for (name, ours, other) in alone {
        let run = |_| [&ours, &other].map(|arguments| cpu_seconds(&format!("{program} {arguments}"), 1));
        let times: Vec<[f64; 2]> = (0..RUNS).map(run).collect();
        let ratio = median(times.iter().map(|[ours, other]| ours / other).collect());
        let values = json!({"asp-solve, s": median(times.iter().map(|[ours, _]| *ours).collect()), "ratio": ratio});
        figures::record("against_clingo", name, values);
    }
    let _ = std::fs::remove_dir_all(folder);
}

/// Facts of numbers, one a line.
fn written_facts(count: usize) -> String {
    (0..count).map(|index| format!("p({index}).\n")).collect()
}

fn write(folder: &Path, name: &str, text: String) -> String {
    let path = folder.join(name);
    std::fs::write(&path, text).expect("the temporary folder takes files");
    path.display().to_string()
}
