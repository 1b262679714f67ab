//! Finds external programs for tests. Tests that need one are ignored by default, with a reason.

use std::io::Write;
use std::path::PathBuf;
use std::process::Stdio;

use crate::support::process::command_of;

/// Reports that the current test, or a part of it, is skipped. Writes past the test runner, which
/// captures the output of tests.
pub fn skip(reason: &str) {
    let thread = std::thread::current();
    let name = thread.name().filter(|name| *name != "main").unwrap_or("a test");
    let _ = std::io::stderr().write_all(format!("\nSKIPPED {name}: {reason}\n").as_bytes());
}

/// Returns true if a program is installed. Panics if `$PROGRAMS` lists it and it is not.
pub fn is_installed(program: &str) -> bool {
    let status = command_of(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    // If signals are ignored, `env` starts the program and has these exit codes if it cannot.
    let found = status.is_ok_and(|status| !matches!(status.code(), Some(126 | 127)));
    let is_required = std::env::var("PROGRAMS").is_ok_and(|all| all.split_whitespace().any(|listed| listed == program));
    assert!(found || !is_required, "$PROGRAMS lists {program}, which is not installed");
    if !found {
        skip(&format!("{program} is not installed"));
    }
    found
}

/// Returns the first existing file with one of the names in the folders of `$PATH` or in another
/// folder.
pub fn find_program(names: &[&str], other: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain([PathBuf::from(other)]);
    folders.flat_map(|folder| names.iter().map(move |name| folder.join(name))).find(|candidate| candidate.is_file())
}

/// Returns `$CHROMIUM`, or a browser with one of the usual names.
pub fn chromium() -> Option<PathBuf> {
    let named = std::env::var_os("CHROMIUM").map(PathBuf::from);
    let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
    let browser = named.or_else(|| find_program(&names, "/usr/bin"));
    if browser.is_none() {
        skip("no Chromium is installed; $CHROMIUM may name one");
    }
    browser
}

/// Returns `$PYTHON`, or the usual interpreter.
pub fn python() -> Option<PathBuf> {
    let python = std::env::var_os("PYTHON").map(PathBuf::from).or_else(|| find_program(&["python3"], "/usr/bin"));
    if python.is_none() {
        skip("Python is not installed; $PYTHON may name it");
    }
    python
}

/// Returns `$VERIPB`, or the checker on `$PATH` or where cargo installs it.
pub fn veripb() -> Option<PathBuf> {
    let cargo = std::env::var("HOME").map(|home| home + "/.cargo/bin").unwrap_or_default();
    let veripb = std::env::var_os("VERIPB").map(PathBuf::from).or_else(|| find_program(&["veripb"], &cargo));
    if veripb.is_none() {
        skip("VeriPB is not installed; `cargo install veripb` does that, and $VERIPB may name it");
    }
    veripb
}
