//! A Sudoku for today: made, given a first hint, and solved; and why another one has no solution.

use asp_solve::{Failure, Job, Logic, Uniqueness, generate, hint, solve, why};

fn main() -> Result<(), Failure> {
    let sudoku = Logic::named("sudoku")?;
    let made = generate(sudoku, "--size 4x4", 20261123)?;
    println!("{made}");
    println!("{}", hint(sudoku, made.as_str())?.text);

    let mut job = Job::of(&made);
    job.asks_unique = true;
    let solved = solve(sudoku, job)?;
    assert_eq!(solved.unique(), Uniqueness::One);
    println!("{}", solved.text());

    let told = why(sudoku, "1 1 . .\n. . . .\n. . . .\n. . . .", None)?;
    println!("{}", told.text);
    println!("clingo {}", asp_solve::clingo_version());
    Ok(())
}
