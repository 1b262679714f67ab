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
    let rows: String = crates.iter().map(|(name, (license, by))| format!("| {name} | {license} | {by} |\n")).collect();
    let rendered = format!("{head}{begin}| crate | licence | copyright |\n|---|---|---|\n{rows}{end}{tail}");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(FILE, rendered).expect(FILE);
    } else {
        assert!(rendered == text, "{FILE} does not name what Cargo.lock has; UPDATE_DOCS=1 writes it anew");
    }
}

/// Returns the licence and copyright holders of each linked crate by its name.
fn crates() -> BTreeMap<String, (String, String)> {
    let target = "x86_64-unknown-linux-gnu";
    let tree = cargo(&["tree", "--workspace", "-e", "normal", "--prefix", "none", "--target", target]);
    let linked: BTreeSet<&str> =
        tree.lines().filter(|line| !line.contains("(proc-macro)")).filter_map(|line| line.split(' ').next()).collect();
    let metadata: Value =
        serde_json::from_str(&cargo(&["metadata", "--format-version", "1", "--filter-platform", target]))
            .expect("cargo prints JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    packages
        .iter()
        .map(|package| (package["name"].as_str().expect("a name"), package))
        .filter(|(name, package)| linked.contains(name) && !package["source"].is_null())
        .map(|(name, package)| {
            let license = package["license"].as_str().unwrap_or_else(|| panic!("{name} has no licence"));
            let folder = Path::new(package["manifest_path"].as_str().expect("a path")).parent().expect("a folder");
            (name.to_owned(), (license.to_owned(), holders(folder)))
        })
        .collect()
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
