//! Tests the files for packages: completions in real shells, and manual pages.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::support::process::*;
use crate::support::programs::is_installed;
use crate::support::{command, file, folder, run, run_line, run_output};

/// Returns the completions of a shell for the last word.
fn completions(shell: &str, words: &[&str]) -> Vec<String> {
    let folder_of_executable =
        Path::new(env!("CARGO_BIN_EXE_asp-solve")).parent().expect("the executable is in a folder");
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths([folder_of_executable.to_owned()].into_iter().chain(std::env::split_paths(&paths)))
        .expect("paths");
    let last = words.len();
    let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    let words = quoted.join(" ");
    let (options, script) = match shell {
        "bash" => (
            &["--norc", "-c"][..],
            format!(
                "source <(asp-solve completions bash); COMP_TYPE=9 COMP_CWORD={last} COMP_WORDS=(asp-solve {words})
                read -r _ _ _ _ _ _ _ _ name _ < <(complete -p asp-solve)
                last=${{COMP_WORDS[-1]}}; $name asp-solve \"${{last#=}}\"; printf '%s\\n' \"${{COMPREPLY[@]}}\""
            ),
        ),
        "zsh" => (
            &["-f", "-c"][..],
            format!(
                "compdef() {{ name=$1 }}; _describe() {{ print -rl -- ${{(P)3}} }}; source <(asp-solve completions zsh)
                words=(asp-solve {words}); CURRENT=$(({last} + 1)); $name"
            ),
        ),
        _ => (
            &["--no-config", "-c"][..],
            format!("asp-solve completions fish | source; complete -C \"asp-solve {}\"", words.replace('\'', "")),
        ),
    };
    let mut command = command_of(shell);
    command.args(options).arg(script).env("PATH", path).current_dir(env!("CARGO_MANIFEST_DIR")).stdin(Stdio::null());
    let ran = run_output(command.finished());
    assert!(ran.err.is_empty(), "{shell} {words}: {}", ran.err);
    // A description follows each completion.
    ran.out.lines().map(|line| line.split(['\t', ':']).next().unwrap_or_default().to_owned()).collect()
}

fn assert_completions(shell: &str) {
    for (words, expected) in [
        (&["gen"][..], &["generate"][..]),
        (&["generate", "mines"], &["minesweeper", "mines"]),
        (&["generate", "rail", "--fo"], &["--forks", "--format"]),
        (&["play", "minesweeper", "--strat"], &["--strategy"]),
        (&["watch", "--node-l"], &["--node-limit"]),
        (&["expand", "--tr"], &["--trip"]),
        (&["instances/deponia.lp", "--engine", "back"], &["backtracking", "backward"]),
        (&["-p", "mines"], &["minesweeper", "mines"]),
        (&["-e", "no-"], &["no-gate"]),
        (&["-e", "instances/deponia."], &["instances/deponia.lp"]),
        (&["--heuristic", "lin"], &["linear-conflict"]),
        (&["-f", "cl"], &["clingo-json"]),
        (&["completions", "z"], &["zsh"]),
        (&["man", "prof"], &["profile"]),
        (&["man", "generate-ra"], &["generate-rail"]),
        (&["instances/deponia."], &["instances/deponia.lp"]),
        (&["clingo", "instances/deponia."], &["instances/deponia.lp"]),
    ] {
        assert_eq!(completions(shell, words), expected, "{shell} {words:?}");
    }
}

#[test]
fn bash_completes_commands_options_values_and_files() {
    assert_completions("bash");
    // bash splits this into three words; other shells replace the whole word.
    assert_eq!(completions("bash", &["--engine", "=", "backt"]), ["backtracking"]);
    assert!(completions("bash", &["--engine", "="]).contains(&"idastar".to_owned()));
}

#[test]
#[ignore = "needs zsh and fish"]
fn zsh_and_fish_complete_commands_options_values_and_files() {
    for shell in ["zsh", "fish"].into_iter().filter(|shell| is_installed(shell)) {
        assert_completions(shell);
    }
    if is_installed("zsh") {
        // zsh keeps the order of completions.
        let completions = completions("zsh", &["man", ""]);
        let position = |word: &str| completions.iter().position(|other| other == word).expect(word);
        assert!(position("profile") < position("--dir"), "{completions:?}");
    }
}

/// Writes the manual pages into a folder and returns their sorted paths.
fn manual_pages(folder: &Path) -> Vec<PathBuf> {
    let ran = run(["man", "--dir", folder.to_str().expect("UTF-8")]);
    assert_eq!((ran.code, ran.out.as_str()), (0, ""), "{}", ran.err);
    let mut names: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    names.sort();
    names
}

#[test]
#[ignore = "needs mandoc and man"]
fn mandoc_and_man_accept_the_manual_pages_without_warnings() {
    let folder = folder();
    let names = manual_pages(&folder.path().join("man"));
    if is_installed("mandoc") {
        let lint = command_of("mandoc").args(["-T", "lint", "-W", "warning"]).args(&names).finished();
        assert_eq!(String::from_utf8_lossy(&lint.stdout), "");
    }
    if is_installed("man") {
        let formatted = command_of("man").args(["-l", "--warnings"]).args(&names).finished();
        assert_eq!(String::from_utf8_lossy(&formatted.stderr), "");
    }
}

#[test]
fn each_command_has_a_manual_page() {
    let folder = folder();
    let pages = folder.path().join("man");
    let names = manual_pages(&pages);
    let page = |name: &str| std::fs::read_to_string(pages.join(name)).expect("the page exists");
    assert_eq!(page("asp-solve.1"), run_line("man").out);
    assert_eq!(page("asp-solve-generate-rail.1"), run_line("man generate rail").out);
    assert_eq!(page("asp-solve-generate-rail.1"), run_line("man generate-rail").out);
    assert!(page("asp-solve-generate-rail.1").contains("\\-\\-forks"));
    assert!(page("asp-solve-verify.1").contains("[\\fIFILE...\\fR]"), "{}", page("asp-solve-verify.1"));
    assert!(page("asp-solve.1").contains(".SH \"EXIT STATUS\"\n0 an answer was found, 1 proven that there is none"));
    let ran = run_line("man generate zzz");
    assert!(ran.code == 2 && ran.err.contains("no manual page for zzz; expected rail"), "{}", ran.err);
    // Each page has examples, and the command accepts every word of them.
    for name in &names {
        let page = std::fs::read_to_string(name).expect("a page");
        assert!(page.contains(".SH \"EXIT STATUS\"\n") && !page.contains(".SH EXTRA"), "{}", name.display());
        let (_, examples) = page.split_once(".SH EXAMPLES\n").unwrap_or_else(|| panic!("{}", name.display()));
        for line in examples.lines().filter(|line| line.starts_with("asp\\-solve")) {
            let line = line.replace("\\-", "-").replace('\'', "");
            let ran = run_line(&format!("{} --help", line.strip_prefix("asp-solve ").expect("the command")));
            assert!(ran.code == 0 && ran.err.is_empty(), "{line}: {}", ran.err);
        }
    }
    // Each page named by a page exists.
    let text: String = names.iter().map(|name| std::fs::read_to_string(name).expect("a page")).collect();
    let named: Vec<&str> = text.split(|c: char| c.is_whitespace()).filter(|word| word.ends_with("(1)")).collect();
    assert!(named.len() >= 10, "{named:?}");
    for name in named {
        assert!(pages.join(name.replace('\\', "").replace("(1)", ".1")).is_file(), "{name}");
    }
}

#[test]
fn help_is_also_a_command_and_shows_placeholders() {
    for (command, option) in
        [("help", "--help"), ("help generate", "generate --help"), ("help generate rail", "generate rail --help")]
    {
        let by_command = run_line(command);
        let by_option = run_line(option);
        assert_eq!((by_command.code, by_command.out), (0, by_option.out), "{command}");
    }
    for line in ["--help", "generate minesweeper --help", "man", "man generate minesweeper"] {
        let text = run_line(line).out;
        assert!(text.contains("{n}") && !text.contains('\u{1b}'), "{line}: {text}");
    }
    // A foreign variable has no effect.
    let ran = run_output(command().args(["list"]).env("COMPLETE", "bash").finished());
    assert!(ran.out.starts_with("Puzzles with engines of their own (6):\n  rail: "), "{}", ran.out);
}

#[test]
fn shells_complete_the_puzzles_of_a_custom_folder() {
    let folder = folder();
    let text = "% My puzzle: each cell is black or white.\n%\n% Input      rows(R), columns(C)\n% Answer     black(R,C)\n\
        { black(1..R,1..C) } :- rows(R), columns(C).\n";
    file(folder.path(), "puzzles/mypuzzle.lp", text);
    // A warning would appear in the middle of the line.
    file(folder.path(), "puzzles/minesweeper.lp", text);
    let dir = folder.path().to_str().expect("UTF-8");
    for (by_option, words) in [(false, &["-p", "myp"][..]), (true, &["--asp-dir", dir, "-p", "myp"])] {
        let mut command = command();
        command.env("ASP_SOLVE_COMPLETE", "bash").env("_CLAP_COMPLETE_INDEX", words.len().to_string());
        command.env("_CLAP_COMPLETE_COMP_TYPE", "9").env("_CLAP_IFS", "\n");
        if !by_option {
            command.env("ASP_SOLVE_DIR", dir);
        }
        let ran = run_output(command.args(["--", "asp-solve"]).args(words).finished());
        assert_eq!((ran.code, ran.out.trim(), ran.err.as_str()), (0, "mypuzzle", ""), "{words:?}");
    }
    // Arguments after `--` are files, and a misspelt option does not name a folder.
    for words in [&["--", "--asp-dir", "none"][..], &["--asp-dirx", "none", "x.txt"]] {
        let ran = run_output(command().args(words).finished());
        assert!(ran.code == 2 && !ran.err.contains("none: cannot be read"), "{words:?}: {}", ran.err);
    }
}
