//! Tests that every linked crate is listed with its licence and authors, as the licences require.
//!
//! `UPDATE_DOCS=1 cargo test --release notices` updates the table.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;

use crate::support::process::*;

const FILE: &str = "THIRD-PARTY.md";

#[test]
fn third_party_notices_name_every_linked_crate() {
    let text = std::fs::read_to_string(FILE).expect(FILE);
    let begin = "<!-- crates -->\n";
    let end = "<!-- /crates -->";
    let (head, rest) = text.split_once(begin).expect("the start of the table");
    let (_, tail) = rest.split_once(end).expect("the end of the table");
    let crates = crates();
    assert!(crates.len() > 50, "{crates:?}");
    let row = |(name, notice): (&String, &Notice)| {
        format!("| {name} | {} | {} | {} |\n", notice.license, notice.holders, notice.systems())
    };
    let rows: String = crates.iter().map(row).collect();
    let rendered =
        format!("{head}{begin}| crate | licence | copyright | systems |\n|---|---|---|---|\n{rows}{end}{tail}");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(FILE, rendered).expect(FILE);
    } else {
        assert!(
            rendered == text,
            "{FILE} does not name what the programs of the release contain; UPDATE_DOCS=1 writes it anew"
        );
    }
}

/// A system with a program in the release, a target of Rust for it, and the options that select the
/// packages of the program.
const SYSTEMS: [(&str, &str, &[&str]); 4] = [
    ("Linux", "x86_64-unknown-linux-gnu", &["--workspace"]),
    ("Windows", "x86_64-pc-windows-gnu", &["--workspace"]),
    ("macOS", "aarch64-apple-darwin", &["--workspace"]),
    ("browsers", "wasm32-wasip1", &["--package", "asp-solve", "--no-default-features", "--features", "studio"]),
];

/// What THIRD-PARTY.md says of a crate.
#[derive(Debug)]
struct Notice {
    license: String,
    holders: String,
    systems: Vec<&'static str>,
}

impl Notice {
    /// Returns the systems whose programs contain the crate, such as "Linux, macOS", or "all".
    fn systems(&self) -> String {
        if self.systems.len() == SYSTEMS.len() { "all".to_owned() } else { self.systems.join(", ") }
    }
}

/// Returns each crate that a program of the release contains, by its name.
fn crates() -> BTreeMap<String, Notice> {
    let mut notices: BTreeMap<String, Notice> = BTreeMap::new();
    for (system, target, packages) in SYSTEMS {
        let tree = cargo(&[&["tree", "-e", "normal", "--prefix", "none", "--target", target], packages].concat());
        let linked: BTreeSet<&str> = tree
            .lines()
            .filter(|line| !line.contains("(proc-macro)"))
            .filter_map(|line| line.split(' ').next())
            .collect();
        let metadata: Value =
            serde_json::from_str(&cargo(&["metadata", "--format-version", "1", "--filter-platform", target]))
                .expect("cargo prints JSON");
        for package in metadata["packages"].as_array().expect("packages") {
            let name = package["name"].as_str().expect("a name");
            if !linked.contains(name) || package["source"].is_null() {
                continue;
            }
            let license = package["license"].as_str().unwrap_or_else(|| panic!("{name} has no licence"));
            let folder = Path::new(package["manifest_path"].as_str().expect("a path")).parent().expect("a folder");
            let notice = notices.entry(name.to_owned()).or_insert_with(|| Notice {
                license: license.to_owned(),
                holders: holders(folder),
                systems: Vec::new(),
            });
            // Two versions of a crate may be linked.
            if notice.systems.last() != Some(&system) {
                notice.systems.push(system);
            }
        }
    }
    notices
}

/// Returns the copyright holders, such as "2014 Paho Lurie-Gregg; 2018 others".
fn holders(folder: &Path) -> String {
    let mut holders = BTreeSet::new();
    for entry in std::fs::read_dir(folder).expect("the sources of a crate") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_uppercase();
        if !["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE"].iter().any(|prefix| name.starts_with(prefix)) {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let of = text.lines().map(str::trim).filter_map(|line| line.strip_prefix("Copyright "));
        // The Apache licence contains a template of a copyright line.
        let of = of.filter(|line| {
            (line.starts_with("(c) ") || line.contains(|sign: char| sign.is_ascii_digit())) && !line.contains("yyyy")
        });
        holders.extend(
            of.map(|line| line.trim_start_matches("(c) ").trim_start_matches("(C) ").trim_end_matches('.').to_owned()),
        );
    }
    holders.into_iter().collect::<Vec<_>>().join("; ")
}

fn cargo(arguments: &[&str]) -> String {
    let output = command_of(env!("CARGO"))
        .args(arguments)
        .args(["--locked", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .finished();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}
