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
