//! Tests the parsing of arguments and its error messages.

use crate::support::process::*;
use crate::support::{command, file, folder, run_line, run_output};

#[test]
fn unexpected_arguments_are_named_in_any_script() {
    for line in ["list sudoku é -q", "list sudoku -é", "list sudoku 棋盘", "why"] {
        let ran = run_line(line);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{line}: {}", ran.err);
        assert!(ran.err.contains(line.split(' ').nth(2).unwrap_or("<FILE>")), "{line}: {}", ran.err);
    }
}

#[test]
fn options_follow_the_name_of_a_command() {
    for (line, expected) in [
        ("-q why -f json instances/queens.lp", "the command why comes first, its options follow: asp-solve why"),
        ("--time-limit 50 hint instances/sudoku.txt", "the command hint comes first"),
        ("-f json generate sudoku --size 4x4", "the command generate comes first"),
        ("-q list sudoku", "the command list comes first"),
        ("-q clingo instances/queens.lp", "the command clingo comes first"),
        ("list -q sudoku", "unexpected argument '-q'"),
        ("why --engine asp instances/queens.lp", "unexpected argument '--engine'"),
        ("-q no-such-command x", "no-such-command: no such file"),
    ] {
        let ran = run_line(line);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{line}: {}", ran.err);
        assert!(ran.err.contains(expected), "{line}: {}", ran.err);
    }
}

/// Aliases are the names in links, titles and other collections.
#[test]
fn puzzles_have_aliases() {
    for (name, is) in [("galaxies", "tentaisho"), ("Sudoku", "sudoku"), ("Star Battle", "starbattle"), ("bag", "cave")]
    {
        let mut listed = command();
        let listed = listed.args(["list", name]).finished();
        assert!(String::from_utf8_lossy(&listed.stdout).contains(is), "{name}");
    }
    let ran = run_line("-p lightup instances/akari.txt");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let ran = run_line("list nosuchpuzzle");
    assert!(ran.code == 2 && ran.err.lines().count() < 8, "{}", ran.err);
}

#[test]
fn unknown_names_are_rejected_with_a_similar_name() {
    let folder = folder();
    let board = file(folder.path(), "board.txt", "puzzle soduko\n1.\n.1\n");
    let board = board.to_str().expect("UTF-8");
    for (line, expected) in [
        ("list sudko", "there is no puzzle sudko (did you mean sudoku?)"),
        ("list 8puzzle", "there is no puzzle 8puzzle (did you mean taquin?)"),
        ("list golf", "there is no puzzle golf (did you mean herugolf?)"),
        ("-p sudko instances/sudoku.txt", "--puzzle sudko: there is no puzzle sudko (did you mean sudoku?)"),
        ("why -p sudko instances/sudoku.txt", "there is no puzzle sudko (did you mean sudoku?)"),
        ("examples sudko", "there is no board sudko (did you mean sudoku?)"),
        ("generate sudokku", "generate sudokku: there is no such puzzle (did you mean sudoku?)"),
        (board, "there is no puzzle soduko (did you mean sudoku?)"),
        ("instances/deponia.lp -e nogate", "--encoding nogate (did you mean no-gate?): no such file"),
        ("instances/deponia.lp --engine simulaton", "no engine simulaton (did you mean simulation?)"),
        ("lst", "lst (did you mean list?): no such command or file"),
        ("slove x", "slove (did you mean solve?): no such command or file"),
        ("man hnt", "no manual page for hnt (did you mean hint?)"),
        ("compare sudoku sudoku --generate soduko", "--generate soduko (did you mean sudoku?)"),
    ] {
        let ran = run_line(line);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{line}: {}", ran.err);
        let lists =
            ["akari", "dynamic-gate", "backward", "profile"].iter().filter_map(|known| ran.err.find(known)).min();
        let position = ran.err.find(expected).unwrap_or_else(|| panic!("{line}: {}", ran.err));
        assert!(lists.is_none_or(|list| position < list), "{line}: {}", ran.err);
    }
}

#[test]
fn play_says_which_puzzles_have_a_bot_and_how_to_play_the_others() {
    for puzzle in ["sudoku", "slither", "klotski", "taquin", "amphipod"] {
        let ran = run_line(&format!("play {puzzle}"));
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{puzzle}: {}", ran.err);
        let start = format!("error: play {puzzle}: `play` lets a bot play, and it plays only minesweeper\n");
        assert!(ran.err.starts_with(&start), "{}", ran.err);
        let page = format!("  asp-solve examples {puzzle} | asp-solve - -f html > {puzzle}.html\n  asp-solve studio\n");
        assert!(ran.err.contains(&page), "{}", ran.err);
    }
    let unknown = run_line("play nosuchpuzzle");
    assert!(unknown.err.contains("there is no such puzzle"), "{}", unknown.err);
}

#[test]
fn the_name_of_a_puzzle_is_no_file_and_far_names_are_not_suggested() {
    for line in ["tents", "solve tents"] {
        let ran = run_line(line);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{line}: {}", ran.err);
        assert!(ran.err.starts_with("error: tents is a puzzle, not a file."), "{line}: {}", ran.err);
        assert!(ran.err.contains("  asp-solve list tents\n  asp-solve examples tents | asp-solve -"), "{}", ran.err);
    }
    for line in ["https://puzz.link/p?foobar/4/4/zzzz", "list foobar", "generate foobar", "foobar"] {
        let ran = run_line(line);
        assert!(ran.code == 2 && !ran.err.contains("lookair"), "{line}: {}", ran.err);
    }
}

#[test]
fn solve_is_a_command_that_may_be_left_out() {
    for line in ["instances/tents.txt --unique", "instances/queens.lp -n 0 -f json", "-q instances/deponia.lp"] {
        let (with, without) = (run_line(&format!("solve {line}")), run_line(line));
        assert_eq!((with.code, with.out, with.err), (without.code, without.out, without.err), "{line}");
    }
    let folder = folder();
    file(folder.path(), "solve", "a.");
    let ran = run_output(command().arg("./solve").current_dir(folder.path()).finished());
    assert_eq!((ran.code, ran.out.contains('a')), (0, true), "{}", ran.err);
}

#[test]
fn the_help_groups_commands_and_options() {
    for line in ["-h", "--help"] {
        let help = run_line(line).out;
        let position = |words: &str| help.find(words).unwrap_or_else(|| panic!("{words} is not in\n{help}"));
        let headings = ["Solve:\n", "Explain:\n", "Create:\n", "Develop:\n", "Railways:\n", "Options:\n"];
        assert!(headings.map(position).is_sorted(), "{help}");
        assert!(position("Options for drawings:") < position("--prefix"), "{help}");
        assert!(position("--unique") < position("Options for drawings:"), "{help}");
        for command in ["solve", "generate", "watch", "expand", "completions"] {
            assert_eq!(help.matches(&format!("\n  {command} ")).count(), 1, "{command}: {help}");
        }
    }
}

#[test]
fn generate_alone_lists_its_puzzles_in_groups() {
    let ran = run_line("generate");
    assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{}", ran.err);
    assert!(ran.err.lines().all(|line| line.chars().count() <= 100), "{}", ran.err);
    for words in ["\nPuzzles with engines of their own (4):\n  rail, ", "\nPencil puzzles (", "sudoku", "wolf\n"] {
        assert!(ran.err.contains(words), "{words}: {}", ran.err);
    }
}

#[test]
fn without_arguments_the_command_prints_examples() {
    let ran = run_line("");
    assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{}", ran.err);
    let tries: Vec<&str> = ran.err.lines().filter_map(|line| line.strip_prefix("  asp-solve ")).collect();
    assert_eq!(tries.len(), 3, "{}", ran.err);
    for line in tries {
        let arguments = line.split("  ").next().expect("a command");
        let tried = run_line(arguments);
        assert_eq!(tried.code, 0, "{arguments}: {}", tried.err);
    }
}
