//! Generates a Sudoku for today, prints a first hint, solves it, and explains why another one has
//! no solution.

use asp_solve::{Failure, Job, LogicPuzzle, Uniqueness, generate, hint, solve, why};

fn main() -> Result<(), Failure> {
    let sudoku = LogicPuzzle::named("sudoku")?;
    let made = generate(sudoku, "--size 4x4", 20261123)?;
    println!("{made}");
    println!("{}", hint(sudoku, made.as_str())?.text);

    let mut job = Job::of(&made);
    job.asks_unique = true;
    let solved = solve(sudoku, job)?;
    assert_eq!(solved.unique(), Uniqueness::One);
    println!("{}", solved.text());

    let explanation = why(sudoku, "1 1 . .\n. . . .\n. . . .\n. . . .", None)?;
    println!("{}", explanation.text);
    println!("clingo {}", asp_solve::clingo_version());
    Ok(())
}
