//! Programs that tests need from outside. A test that needs one is ignored by default, with the reason.

use std::io::Write;
use std::path::PathBuf;
use std::process::Stdio;

use crate::support::process::command_of;

/// Says that the current test, or a part of it, is skipped: past the test runner, which captures what tests print.
pub fn skip(reason: &str) {
    let thread = std::thread::current();
    let name = thread.name().filter(|name| *name != "main").unwrap_or("a test");
    let _ = std::io::stderr().write_all(format!("\nSKIPPED {name}: {reason}\n").as_bytes());
}

/// Returns true if a program is installed; `$PROGRAMS` lists those that must be.
pub fn is_installed(program: &str) -> bool {
    let status = command_of(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    // Where signals are ignored, a shell's helper starts it, and ends so if it cannot.
    let found = status.is_ok_and(|status| !matches!(status.code(), Some(126 | 127)));
    let must = std::env::var("PROGRAMS").is_ok_and(|all| all.split_whitespace().any(|one| one == program));
    assert!(found || !must, "$PROGRAMS lists {program}, which is not installed");
    if !found {
        skip(&format!("{program} is not installed"));
    }
    found
}

/// The first of some names that is a file in the folders of `$PATH`, or in another one.
pub fn find_program(names: &[&str], other: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain([PathBuf::from(other)]);
    folders.flat_map(|folder| names.iter().map(move |name| folder.join(name))).find(|candidate| candidate.is_file())
}

/// `$CHROMIUM`, or what is found under the usual names.
pub fn chromium() -> Option<PathBuf> {
    let named = std::env::var_os("CHROMIUM").map(PathBuf::from);
    let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
    let browser = named.or_else(|| find_program(&names, "/usr/bin"));
    if browser.is_none() {
        skip("no Chromium is installed; $CHROMIUM may name one");
    }
    browser
}
