//! Tests that the pages' commands print what the pages show. The commands of a page run in order in
//! one folder.
//!
//! | block | test |
//! |---|---|
//! | `console` | each line after `$ ` is run, and its output must be as shown: `…` alone on a line matches any lines, `…` in a line any text |
//! | `sh` | runs as a script that stops at the first failure; a line with a comment such as `# exit code 1` must end with that code |
//! | `sh not-run` | is not run, because it needs a network, a window, a cluster or an hour |
//!
//! `UPDATE_DOCS=1 cargo test --release documentation` writes the actual output into the pages.

use std::path::Path;
use std::process::Stdio;

use base::diagnostic::Code;

use crate::support;
use crate::support::process::*;

/// Folders that are copied for each page, as in a clone.
const FOLDERS: [&str; 5] = ["asp", "examples", "instances", "skins", "tests"];

#[test]
fn readme() {
    check_page("README.md");
}

/// Declares a test for each page, and one that checks the list of pages.
macro_rules! pages {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            check_page(&format!("docs/{}.md", stringify!($name).replace('_', "-")));
        })*

        #[test]
        fn every_page_has_a_test() {
            let files = std::fs::read_dir("docs").expect("docs").map(|entry| entry.expect("a file").path());
            let mut pages: Vec<String> = files
                .filter(|path| path.extension().is_some_and(|ending| ending == "md"))
                .map(|path| path.file_stem().expect("a name").to_string_lossy().into_owned())
                .collect();
            pages.sort();
            assert_eq!(pages, [$(stringify!($name).replace('_', "-")),*]);
        }
    };
}

pages! { amphipod architecture authors batches browser building certificates clingo counting drawing editors encodings figures formats games hints install json messages minesweeper own_puzzle profile puzzles python rail studio taquin tests why }

#[test]
fn the_page_about_messages_lists_all_codes() {
    let page = std::fs::read_to_string("docs/messages.md").expect("docs/messages.md");
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| `") && !line.contains(" `-f")).collect();
    let codes = Code::ALL.iter().map(|code| format!("| `{code}` | {} |", code.meaning()));
    assert!(rows.iter().filter(|row| !row.contains("](")).eq(codes.collect::<Vec<_>>().iter()), "{rows:#?}");
}

fn check_page(page: &str) {
    let text = std::fs::read_to_string(page).expect(page);
    let folder = support::folder();
    for name in FOLDERS {
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
        copy_folder(&from, &folder.path().join(name));
    }
    let mut written = String::new();
    let mut lines = text.split_inclusive('\n').enumerate().peekable();
    while let Some((number, line)) = lines.next() {
        written += line;
        let Some(kind) = line.trim_end().strip_prefix("```").filter(|kind| !kind.is_empty()) else { continue };
        let mut block = Vec::new();
        while let Some((_, line)) = lines.next_if(|(_, line)| !line.starts_with("```")) {
            block.push(line);
        }
        match kind {
            "console" => written += &updated_console_block(&format!("{page}:{}", number + 1), &block, folder.path()),
            "sh" => {
                run_script(&format!("{page}:{}", number + 1), &block, folder.path());
                written += &block.concat();
            }
            _ => written += &block.concat(),
        }
        written.extend(lines.next().map(|(_, end)| end));
    }
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(page, written).expect(page);
    } else {
        assert!(written == text, "{page} is out of date:\n{}", difference(&text, &written));
    }
}

/// Returns the block with the actual output.
fn updated_console_block(place: &str, block: &[&str], folder: &Path) -> String {
    let mut written = String::new();
    let mut lines = block.iter().copied().peekable();
    while let Some(line) = lines.next() {
        let command = line.strip_prefix("$ ").unwrap_or_else(|| panic!("{place}: output before a command: {line}"));
        written += line;
        let mut shown = String::new();
        while let Some(line) = lines.next_if(|line| !line.starts_with("$ ")) {
            shown += line;
        }
        assert_ne!(shown.trim(), "…", "{place}: {command}this shows nothing");
        let (code, printed) = bash(&format!("exec 2>&1\n{command}"), folder);
        assert!(code < 100, "{place}: {command}exit code {code}\n{printed}");
        written += if matches_shown(&shown, &printed) { &shown } else { &printed };
    }
    written
}

/// Returns true if a text is as shown: `…` matches any text, and any lines if it is alone on a
/// line.
fn matches_shown(shown: &str, printed: &str) -> bool {
    let shown = shown.replace("…\n", "…");
    let mut pieces = shown.split('…');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = printed.trim_end().strip_prefix(first.trim_end_matches('\n')) else {
        return printed.trim_end().is_empty() && first.trim_end().is_empty();
    };
    let mut is_open = false;
    for piece in pieces {
        let piece = piece.trim_end_matches('\n');
        match rest.find(piece) {
            Some(at) => rest = &rest[at + piece.len()..],
            None => return false,
        }
        is_open = piece.is_empty();
    }
    is_open || rest.trim_end().is_empty()
}

fn run_script(place: &str, block: &[&str], folder: &Path) {
    let line = |line: &&str| match line.trim_end().rsplit_once("# exit code ") {
        Some((command, code)) => format!("if {}; then exit 99; else [ $? = {code} ]; fi\n", before_comment(command)),
        None => (*line).to_owned(),
    };
    let (code, printed) = bash(&format!("exec 2>&1\nset -e\n{}", block.iter().map(line).collect::<String>()), folder);
    assert_eq!(code, 0, "{place}: a command failed:\n{}\n{printed}", block.concat());
}

fn before_comment(command: &str) -> &str {
    command.split_once("  #").map_or(command, |(command, _)| command)
}

fn bash(script: &str, folder: &Path) -> (i32, String) {
    let folder_of_executable =
        Path::new(env!("CARGO_BIN_EXE_asp-solve")).parent().expect("the executable is in a folder");
    let path = std::env::join_paths(
        [folder_of_executable.to_owned()]
            .into_iter()
            .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())),
    );
    let output = command_of("bash")
        .args(["-c", script])
        .current_dir(folder)
        .env("PATH", path.expect("a path"))
        .env("NO_COLOR", "1")
        .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"))
        .env_remove("ASP_SOLVE_DIR")
        .stdin(Stdio::null())
        .finished();
    (output.status.code().unwrap_or(101), String::from_utf8_lossy(&output.stdout).into_owned())
}

fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("the folder is created");
    for entry in std::fs::read_dir(from).expect("a folder of the project") {
        let path = entry.expect("an entry").path();
        let to = to.join(path.file_name().expect("a name"));
        // The sources of the tests are not needed.
        if path.is_dir() {
            if !path.ends_with("it") {
                copy_folder(&path, &to);
            }
        } else {
            std::fs::copy(&path, &to).expect("the file is copied");
        }
    }
}

fn difference(old: &str, new: &str) -> String {
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    let old = lines(old);
    let new = lines(new);
    let only = |lines: &[String], others: &[String], sign: char| -> String {
        lines.iter().filter(|line| !others.contains(line)).map(|line| format!("{sign} {line}\n")).collect()
    };
    only(&old, &new, '-') + &only(&new, &old, '+')
}

#[test]
fn ellipses_match_any_text() {
    for (shown, printed, expected) in [
        ("a\nb\n", "a\nb\n", true),
        ("a\n", "b\n", false),
        ("a\n…\nd\n", "a\nb\nc\nd\n", true),
        ("a\n…\nd\n", "a\nb\nc\n", false),
        ("in … s\n", "in 12 s\n", true),
        ("in … s\n", "in 12 ms\n", false),
        ("a\n…\n", "a\nb\n", true),
        ("", "", true),
        ("", "b\n", false),
    ] {
        assert_eq!(matches_shown(shown, printed), expected, "{shown:?} {printed:?}");
    }
}
