//! Tests in the sources that engines obey the limits of their job.

use std::path::{Path, PathBuf};

fn sources(folder: &Path, all: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, all);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            all.push(path);
        }
    }
}

/// Returns the numbered lines of a source without comments and tests.
fn lines(path: &Path) -> Vec<(usize, String)> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let tests = text.find("#[cfg(test)]\nmod tests").unwrap_or(text.len());
    let is_code = |(_, line): &(usize, &str)| !line.trim_start().starts_with("//");
    text[..tests].lines().enumerate().filter(is_code).map(|(number, line)| (number + 1, line.to_owned())).collect()
}

#[test]
fn engines_and_drawings_use_the_token_and_the_budget_of_their_job() {
    let mut files = Vec::new();
    for room in ["crates/minesweeper/src", "crates/rail/src", "crates/drawing/src", "crates/picture/src/graph"] {
        sources(Path::new(room), &mut files);
    }
    assert!(files.len() > 50, "{files:?}");
    let mut found = Vec::new();
    for file in &files {
        for (number, line) in lines(file) {
            // The unlimited budget is for callers of the library.
            let is_definition = file.ends_with("minesweeper/src/count.rs") && line.contains("memory: u64::MAX");
            let makes_its_own = ["CancelToken::new()", "CancelToken::default()", "Budget::unlimited()"]
                .iter()
                .any(|own| line.contains(own));
            if makes_its_own && !is_definition {
                found.push(format!("{}:{number}: {line}", file.display()));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn only_the_allocator_and_reading_report_out_of_memory() {
    let mut files = Vec::new();
    sources(Path::new("src"), &mut files);
    sources(Path::new("crates"), &mut files);
    let reports = |file: &PathBuf| lines(file).iter().any(|(_, line)| line.contains(".out_of_memory()"));
    let mut found: Vec<String> =
        files.iter().filter(|file| reports(file)).map(|file| file.display().to_string()).collect();
    found.sort();
    assert_eq!(found, ["crates/asp/src/solver.rs", "crates/base/src/stop.rs", "src/cli/input.rs"]);
}
