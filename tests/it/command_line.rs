//! What the command understands of its own line, and what it says where it does not.

use crate::support::run_line;

#[test]
fn an_argument_too_many_is_named_whatever_its_letters() {
    for line in ["list sudoku é -q", "list sudoku -é", "list sudoku 棋盘", "why"] {
        let ran = run_line(line);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{line}: {}", ran.err);
        assert!(ran.err.contains(line.split(' ').nth(2).unwrap_or("<FILE>")), "{line}: {}", ran.err);
    }
}

#[test]
fn options_stand_before_or_behind_the_name_of_a_command() {
    for (before, behind) in [
        ("-q why -f json instances/queens.lp", "why instances/queens.lp -q -f json"),
        ("--time-limit 50 -f json why instances/queens.lp", "why instances/queens.lp --time-limit 50 -f json"),
        ("-qfjson hint instances/sudoku.txt", "hint instances/sudoku.txt -q -f json"),
        ("--steps -qf json hint instances/sudoku.txt", "hint --steps -q -f json instances/sudoku.txt"),
        ("--format=json --seed 7 generate sudoku --size 4x4", "generate sudoku --seed 7 --size 4x4 -f json"),
        (
            "-n 0 compare sudoku sudoku --runs 0 instances/sudoku.txt",
            "compare sudoku sudoku --runs 0 instances/sudoku.txt",
        ),
    ] {
        let [one, other] = [before, behind].map(run_line);
        assert_eq!((one.code, &one.out, &one.err), (other.code, &other.out, &other.err), "{before}");
    }
    for (line, wanted) in [
        ("-q list sudoku", "-q stands before list, which has no such option"),
        ("--engine asp why instances/queens.lp", "--engine stands before why, which has no such option"),
        ("-q --models 0 generate sudoku", "--models stands before generate sudoku, which has no such option"),
        ("-q clingo instances/queens.lp", "-q stands before clingo, which has no such option"),
        ("-q no-such-command x", "no-such-command: no such file"),
    ] {
        let ran = run_line(line);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{line}: {}", ran.err);
        assert!(ran.err.contains(wanted), "{line}: {}", ran.err);
    }
}
