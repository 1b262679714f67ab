//! What a caller of the library does with a puzzle: solve, check, hint, why, generate.

use std::ops::ControlFlow;

use clap::Command;

use super::{Console, Opened, Puzzle, Solved, Takes, Tool};
use crate::diagnostic::{Diagnostic, Failure};
use crate::document::Document;
use crate::ending::Verdict;
use crate::job::Job;
use crate::why::{Asks, Question, Told};

/// Solves an instance, written as the command reads it, or a whole [`Job`].
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
/// A job takes options, an engine and limits:
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
/// A pencil puzzle goes by its name; the question here is whether there is exactly one solution:
///
/// ```
/// use asp_solve::{Job, Logic, Uniqueness, solve};
///
/// let mut job = Job::of("1 . . .\n. 2 . .\n. . 3 .\n. . . 4");
/// job.asks_unique = true;
/// let solved = solve(Logic::named("sudoku")?, job)?;
/// assert_eq!(solved.unique(), Uniqueness::NotOne);
/// # Ok::<(), asp_solve::Failure>(())
/// ```
///
/// # Errors
/// What is wrong with the instance, with its line and column; or an answer that did not pass its check, which is a defect of
/// an engine.
pub fn solve<P: Puzzle>(puzzle: P, job: impl Into<Job>) -> Result<Solved<P>, Failure> {
    Opened::new(puzzle, job.into())?.solve()
}

/// Whether an answer keeps the puzzle's rules on an instance; the inner error says which rule it breaks.
///
/// ```
/// use asp_solve::{Taquin, check, solve};
///
/// let way = &solve(Taquin, "1 2 3\n4 5 6\n. 7 8")?.answers()[0].clone();
/// assert!(check(Taquin, "1 2 3\n4 5 6\n. 7 8", way)?.is_ok());
/// assert!(check(Taquin, "1 2 3\n4 5 6\n7 . 8", way)?.is_err());
/// # Ok::<(), asp_solve::Failure>(())
/// ```
///
/// # Errors
/// What is wrong with the instance, or rules of one's own, which no check knows.
pub fn check<P: Puzzle>(puzzle: P, job: impl Into<Job>, answer: &P::Answer) -> Result<Result<(), String>, Failure> {
    let opened = Opened::new(puzzle, job.into())?;
    match opened.job.rules.are_shipped() {
        true => puzzle.check_alone(&opened.board, &opened.job, answer),
        false => Err(super::knows_not("the check", &opened.job.rules).into()),
    }
}

/// Why there is no solution, or, about an atom, why it holds: words, and the JSON that the command prints.
///
/// ```
/// use asp_solve::{Logic, Verdict, why};
///
/// let told = why(Logic::named("sudoku")?, "1 1 . .\n. . . .\n. . . .\n. . . .", None)?;
/// assert_eq!(told.json["verdict"], "unsatisfiable");
/// assert_eq!(told.json["causes"][0].as_array().map(Vec::len), Some(2));
/// # Ok::<(), asp_solve::Failure>(())
/// ```
///
/// # Errors
/// What is wrong with the instance or with the atom.
pub fn why<P: Puzzle>(puzzle: P, job: impl Into<Job>, about: Option<&str>) -> Result<Told, Failure> {
    let asks = about.map_or(Asks::Nothing, |about| Asks::About(about.to_owned()));
    Opened::new(puzzle, job.into())?.why(&Question { asks, causes: 1, ..Question::default() })
}

/// What can be found next, and why.
///
/// ```
/// use asp_solve::{Logic, hint};
///
/// let told = hint(Logic::named("sudoku")?, "1 2 3 .\n. . . .\n. . . .\n. . . .")?;
/// assert_eq!(told.json["steps"][0]["follows"][0], "number(1,4,4)");
/// # Ok::<(), asp_solve::Failure>(())
/// ```
///
/// # Errors
/// What is wrong with the instance; or that there are no hints for the puzzle.
pub fn hint<P: Puzzle>(puzzle: P, job: impl Into<Job>) -> Result<Told, Failure> {
    let question = Question { asks: Asks::Steps { all: false }, ..Question::default() };
    Opened::new(puzzle, job.into())?.why(&question)
}

/// Makes a new instance, with options as the command takes them; the same seed makes the same instance.
///
/// ```
/// use asp_solve::{Job, Logic, Uniqueness, generate, solve};
///
/// let sudoku = Logic::named("sudoku")?;
/// let mut job = Job::of(&generate(sudoku, "--size 4x4", 7)?);
/// job.asks_unique = true;
/// assert_eq!(solve(sudoku, job)?.unique(), Uniqueness::One);
/// # Ok::<(), asp_solve::Failure>(())
/// ```
///
/// # Errors
/// Options that the generator does not have; or that nothing like it was found.
pub fn generate<P: Puzzle>(puzzle: P, options: &str, seed: u64) -> Result<String, Failure> {
    let name = puzzle.about().name;
    let generator = generator(Puzzle::tools(&puzzle))
        .ok_or_else(|| Diagnostic::error(format!("nothing generates instances of {name}")))?;
    let mut job = Job { seed, ..Job::default() };
    read_words(generator, name, options, &mut job)?;
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

/// The tool that makes instances.
pub fn generator(tools: &[&'static dyn Tool]) -> Option<&'static dyn Tool> {
    tools.iter().copied().find(|tool| tool.takes() == Takes::Seed)
}

/// Reads options of a tool as they are written on a command line.
pub fn read_words(tool: &dyn Tool, name: &str, words: &str, job: &mut Job) -> Result<(), Failure> {
    let command = tool.augment(Command::new(name.to_owned()).no_binary_name(true));
    let matches = command.try_get_matches_from(words.split_whitespace()).map_err(|error| {
        Diagnostic::error(format!("{name}: {}", error.to_string().trim_start_matches("error: ").trim_end()))
    })?;
    tool.read(&matches, &mut job.options)
}
