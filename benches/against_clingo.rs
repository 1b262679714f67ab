//! Times whole runs of `asp-solve` and of a stock clingo, alternating, and prints the ratios.
//!
//! `CLINGO="python3 -m clingo" cargo bench --bench against_clingo`, with clingo's Python package
//! installed. Any other command line of clingo works as well; without one, `asp-solve clingo` is
//! measured. `-- --record` stores the figures. Output is discarded. Each row has the median time of
//! each program, and the median of the ratios of paired runs, which is more robust on a shared
//! machine.

#[path = "figures/mod.rs"]
mod figures;

use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use figures::measure::median;
use serde_json::json;

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
    let clingo = std::env::var("CLINGO").unwrap_or_else(|_| format!("{} clingo", env!("CARGO_BIN_EXE_asp-solve")));
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
    let lines = write(&folder, "lines.lp", written(&|index| format!("p({index}).\n")));
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
    let version = output_of(&format!("{clingo} --version"));
    let version = version.split_whitespace().find(|word| word.starts_with(|sign: char| sign.is_ascii_digit()));
    let version = version.unwrap_or("of an unknown version");
    println!("against clingo {version}");
    for row in &rows {
        let (mut ours, mut theirs, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..RUNS {
            let a = seconds(env!("CARGO_BIN_EXE_asp-solve"), &row.ours, row.times);
            let b = seconds(&clingo, &row.theirs, row.times);
            ours.push(a);
            theirs.push(b);
            ratios.push(a / b);
        }
        let values = json!({"asp-solve, s": median(ours), "clingo, s": median(theirs), "ratio": median(ratios)});
        figures::record("against_clingo", &format!("{}, against clingo {version}", row.name), values);
    }
    let _ = std::fs::remove_dir_all(folder);
}

fn write(folder: &Path, name: &str, text: String) -> String {
    let path = folder.join(name);
    std::fs::write(&path, text).expect("the temporary folder takes files");
    path.display().to_string()
}

/// Runs a command and returns its standard output.
fn output_of(line: &str) -> String {
    let mut words = line.split_whitespace();
    let output = Command::new(words.next().expect("a command has a first word")).args(words).output();
    output.map_or(String::new(), |output| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Runs a program `times` times and returns the mean duration in seconds.
fn seconds(program: &str, arguments: &str, times: usize) -> f64 {
    let mut words = program.split_whitespace().chain(arguments.split_whitespace());
    let program = words.next().expect("a command has a first word");
    let arguments: Vec<&str> = words.collect();
    let started = Instant::now();
    for _ in 0..times {
        let status = Command::new(program).args(&arguments).stdout(Stdio::null()).stderr(Stdio::null()).status();
        status.unwrap_or_else(|error| panic!("{program} does not start: {error}"));
    }
    started.elapsed().as_secs_f64() / times as f64
}
