//! The library's functions for puzzles: solve, check, hint, why, generate.

use std::ops::ControlFlow;

use clap::Command;

use super::{Console, Run, Puzzle, RunResult, ToolInput, Tool};
use crate::diagnostic::{Code, Diagnostic, Failure};
use crate::document::Document;
use crate::ending::Verdict;
use crate::job::Job;
use crate::why::{QueryKind, ExplainQuery, Explanation};

/// Solves an instance in the command's input format, or a whole [`Job`].
///
/// ```
/// use asp_solve::{Taquin, solve};
///
/// let solved = solve(Taquin, "1 2 3\n4 5 6\n. 7 8")?;
/// assert_eq!(solved.answers()[0].0.len(), 2);
/// assert!(solved.complete(), "no solution is shorter");
/// # Ok::<(), asp_solve::Failure>(())
/// ```
///
/// A job has options, an engine and limits:
///
/// ```
/// use asp_solve::{Job, Rail, solve};
///
/// let mut job = Job::of("start(a). target(z). final_node(y). color(a,red). rel(a,1,y). rel(a,2,z).");
/// job.engine = Some("simulation".to_owned());
/// job.models = Some(0);
/// let solved = solve(Rail, job)?;
/// assert_eq!(solved.json()["answers"][0]["configuration"], "2");
/// # Ok::<(), asp_solve::Failure>(())
/// ```
///
/// A pencil puzzle is selected by name. Here the question is whether there is exactly one solution:
///
/// ```
/// use asp_solve::{Job, LogicPuzzle, Uniqueness, solve};
///
/// let mut job = Job::of("1 . . .\n. 2 . .\n. . 3 .\n. . . 4");
/// job.asks_unique = true;
/// let solved = solve(LogicPuzzle::named("sudoku")?, job)?;
/// assert_eq!(solved.unique(), Uniqueness::NotOne);
/// # Ok::<(), asp_solve::Failure>(())
/// ```
///
/// # Errors
/// Errors of the instance, with line and column; or an answer that fails its check, which is a
/// defect of an engine.
pub fn solve<P: Puzzle>(puzzle: P, job: impl Into<Job>) -> Result<RunResult<P>, Failure> {
    Run::new(puzzle, job.into())?.solve()
}

/// Checks an answer against the puzzle's rules; the inner error names the broken rule.
///
/// ```
/// use asp_solve::{Taquin, check, solve};
///
/// let plan = &solve(Taquin, "1 2 3\n4 5 6\n. 7 8")?.answers()[0].clone();
/// assert!(check(Taquin, "1 2 3\n4 5 6\n. 7 8", plan)?.is_ok());
/// assert!(check(Taquin, "1 2 3\n4 5 6\n7 . 8", plan)?.is_err());
/// # Ok::<(), asp_solve::Failure>(())
/// ```
///
/// # Errors
/// Errors of the instance, or custom rules, which no check supports.
pub fn check<P: Puzzle>(puzzle: P, job: impl Into<Job>, answer: &P::Answer) -> Result<Result<(), String>, Failure> {
    let opened = Run::new(puzzle, job.into())?;
    if opened.job.rules.is_builtin() {
        puzzle.check_external(&opened.board, &opened.job, answer)
    } else {
        Err(super::unsupported_rules("the check", &opened.job.rules).into())
    }
}

/// Explains why there is no solution, or why an atom holds: as text, and as the command's JSON.
///
/// ```
/// use asp_solve::{LogicPuzzle, Verdict, why};
///
/// let explanation = why(LogicPuzzle::named("sudoku")?, "1 1 . .\n. . . .\n. . . .\n. . . .", None)?;
/// assert_eq!(explanation.json["verdict"], "unsatisfiable");
/// assert_eq!(explanation.json["causes"][0].as_array().map(Vec::len), Some(2));
/// # Ok::<(), asp_solve::Failure>(())
/// ```
///
/// # Errors
/// Errors of the instance or of the atom.
pub fn why<P: Puzzle>(puzzle: P, job: impl Into<Job>, about: Option<&str>) -> Result<Explanation, Failure> {
    let asks = about.map_or(QueryKind::NoAnswer, |about| QueryKind::About(about.to_owned()));
    Run::new(puzzle, job.into())?.why(&ExplainQuery { kind: asks, causes: 1, ..ExplainQuery::default() })
}

/// Returns the next step of a solution and its reason.
///
/// ```
/// use asp_solve::{LogicPuzzle, hint};
///
/// let explanation = hint(LogicPuzzle::named("sudoku")?, "1 2 3 .\n. . . .\n. . . .\n. . . .")?;
/// assert_eq!(explanation.json["steps"][0]["follows"][0], "number(1,4,4)");
/// # Ok::<(), asp_solve::Failure>(())
/// ```
///
/// # Errors
/// Errors of the instance, or a puzzle without hints.
pub fn hint<P: Puzzle>(puzzle: P, job: impl Into<Job>) -> Result<Explanation, Failure> {
    let question = ExplainQuery { kind: QueryKind::Steps { all: false }, ..ExplainQuery::default() };
    Run::new(puzzle, job.into())?.why(&question)
}

/// Generates an instance, with the command's options; the same seed yields the same instance.
///
/// ```
/// use asp_solve::{Job, LogicPuzzle, Uniqueness, generate, solve};
///
/// let sudoku = LogicPuzzle::named("sudoku")?;
/// let mut job = Job::of(&generate(sudoku, "--size 4x4", 7)?);
/// job.asks_unique = true;
/// assert_eq!(solve(sudoku, job)?.unique(), Uniqueness::One);
/// # Ok::<(), asp_solve::Failure>(())
/// ```
///
/// # Errors
/// Unknown options, or no instance that meets the requirements.
pub fn generate<P: Puzzle>(puzzle: P, options: &str, seed: u64) -> Result<String, Failure> {
    let name = puzzle.about().name;
    let generator = generator(Puzzle::tools(&puzzle))
        .ok_or_else(|| Diagnostic::error(Code::UnknownName, format!("nothing generates instances of {name}")))?;
    let mut job = Job { seed, ..Job::default() };
    parse_tool_options(generator, name, options, &mut job)?;
    if let Some(encoding) = generator.encoding() {
        job.encodings = encoding.files.iter().map(|file| Document::in_memory(file.path, file.text)).collect();
    }
    let mut show = |_: &str| ControlFlow::Continue(());
    let done =
        generator.run(&job, &mut Console { progress: &|_, _| {}, show: &mut show, delay: None, sheet: Vec::new() })?;
    match done.verdict {
        Verdict::Solved => Ok(done.output),
        _ => Err(Failure(done.warnings)),
    }
}

/// Returns the tool that generates instances.
pub fn generator(tools: &[&'static dyn Tool]) -> Option<&'static dyn Tool> {
    tools.iter().copied().find(|tool| tool.input() == ToolInput::Seed)
}

/// Parses options of a tool, given as on a command line.
pub fn parse_tool_options(tool: &dyn Tool, name: &str, words: &str, job: &mut Job) -> Result<(), Failure> {
    let command = tool.augment(Command::new(name.to_owned()).no_binary_name(true));
    let matches = command.try_get_matches_from(words.split_whitespace()).map_err(|error| {
        Diagnostic::error(Code::Usage, format!("{name}: {}", error.to_string().trim_start_matches("error: ").trim_end()))
    })?;
    tool.read(&matches, &mut job.options)
}
