//! Shows each function of the library, with a Sudoku of four rows and a small logic program.

use std::ops::ControlFlow;
use std::time::Duration;

use asp_solve::{
    Code, Difficulty, Failure, GenerateRequest, Job, LogicPuzzle, Uniqueness, Verdict, all_hints, check, generate,
    hint, solve, solve_each, why,
};

fn main() -> Result<(), Failure> {
    let sudoku = LogicPuzzle::named("sudoku")?;

    let request = GenerateRequest::with_seed(20261123).size(4, 4).difficulty(Difficulty::Easy);
    let board = generate(sudoku.clone(), request.clone())?;
    println!("{board}");
    let failure = generate(sudoku.clone(), request.option("mines", 3)).expect_err("a Sudoku has no mines");
    assert_eq!(failure.code(), Some(Code::Usage));

    let solved = solve(sudoku.clone(), Job::of(&board).unique().certify().time_limit(Duration::from_secs(60)))?;
    assert_eq!((solved.verdict(), solved.unique()), (Verdict::Solved, Uniqueness::One));
    assert_eq!(solved.certification().and_then(|certification| certification.checked), Some(true));
    println!("{}", solved.text());

    let solution = &solved.answers()[0];
    check(sudoku.clone(), &board, solution)?;
    let contradiction = "1 1 . .\n. . . .\n. . . .\n. . . .";
    let failure = check(sudoku.clone(), contradiction, solution).expect_err("1 occurs twice in its first row");
    assert_eq!(failure.code(), Some(Code::RejectedAnswer));

    let first = &hint(sudoku.clone(), &board)?.steps()[0];
    println!("{}", first.words);
    assert!(solution.atoms().contains(&first.conclusions[0].atom));
    assert!(!first.because.is_empty());
    let steps = all_hints(sudoku.clone(), &board)?.steps();
    assert_eq!(steps[0].words, first.words);
    println!("{} steps", steps.len());

    let explanation = why(sudoku, contradiction, None)?;
    println!("{}", explanation.text());
    assert!(explanation.is_smallest());
    assert_eq!(explanation.causes()[0].len(), 2);

    let program = "1 { color(N, red; N, green) } 1 :- node(N). node(1..n).";
    let coloring = Job::of(program).constant("n", 3);
    let solved = solve(LogicPuzzle::program(), coloring.clone().all_answers())?;
    assert_eq!((solved.answers().len(), solved.complete()), (8, true));

    let mut found = Vec::new();
    solve_each(LogicPuzzle::program(), coloring.all_answers(), |answer| {
        found.push(answer.atoms());
        if found.len() == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    assert_eq!(found.len(), 2);

    println!("clingo {}", asp_solve::clingo_version());
    Ok(())
}
