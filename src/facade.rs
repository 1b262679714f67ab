//! The library's functions for puzzles: solve, check, count, hint, why, generate.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use base::diagnostic::{Code, Diagnostic, Failure};
use base::document::Document;
use base::ending::Verdict;
use base::stop::CancelToken;
use explain::{ExplainQuery, Explanation, QueryKind};
use puzzle::api::{Puzzle, RunResult};
use puzzle::counting::AnswerCount;
use puzzle::job::Job;
use puzzle::pipeline::{Run, unsupported_rules};
use puzzle::tool::{AnyRun, Console, Tool, ToolInput};

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
/// let network = "start(a). target(z). final_node(y). color(a,red). rel(a,1,y). rel(a,2,z).";
/// let solved = solve(Rail, Job::of(network).engine("simulation").all_answers())?;
/// assert_eq!(solved.json()["answers"][0]["configuration"], "2");
/// # Ok::<(), asp_solve::Failure>(())
/// ```
///
/// Some puzzles have options of their own: [`RailOptions`](crate::RailOptions),
/// [`TaquinOptions`](crate::TaquinOptions) and [`AmphipodOptions`](crate::AmphipodOptions).
///
/// ```
/// use asp_solve::{Job, Rail, RailOptions, solve};
///
/// let network = "start(a). target(z). final_node(y). color(a,red). rel(a,1,y). rel(a,2,z).";
/// let options = RailOptions { configuration: Some("1".to_owned()), ..RailOptions::default() };
/// let solved = solve(Rail, Job::of(network).puzzle_options(options))?;
/// assert_eq!(solved.json()["answers"][0]["outcome"], "loss");
/// # Ok::<(), asp_solve::Failure>(())
/// ```
///
/// A pencil puzzle is selected by name. Here the question is whether there is exactly one solution:
///
/// ```
/// use asp_solve::{Job, LogicPuzzle, Uniqueness, solve};
///
/// let job = Job::of("1 . . .\n. 2 . .\n. . 3 .\n. . . 4").unique();
/// assert_eq!(solve(LogicPuzzle::named("sudoku")?, job)?.unique(), Uniqueness::NotOne);
/// # Ok::<(), asp_solve::Failure>(())
/// ```
///
/// # Errors
/// Errors of the instance, with line and column; or an answer that fails its check, which is a
/// defect of an engine.
pub fn solve<P: Puzzle>(puzzle: P, job: impl Into<Job>) -> Result<RunResult<P>, Failure> {
    with_run(puzzle, job.into(), Run::solve)
}

/// Solves an instance and passes each answer to `each` as soon as it is found and checked, until
/// `each` returns [`ControlFlow::Break`]. Puzzles that ask for an optimal answer pass only that.
///
/// The answers are not stored: the result has the first one and their number.
///
/// ```
/// use std::ops::ControlFlow;
///
/// use asp_solve::{Job, LogicPuzzle, solve_each};
///
/// let mut found = Vec::new();
/// let solved = solve_each(LogicPuzzle::program(), Job::of("1 { a; b; c } 1.").all_answers(), |answer| {
///     found.extend(answer.atoms());
///     if found.len() == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
/// })?;
/// assert_eq!((found.len(), solved.num_answers(), solved.complete()), (2, 2, false));
/// # Ok::<(), asp_solve::Failure>(())
/// ```
///
/// # Errors
/// As [`solve`].
pub fn solve_each<P: Puzzle>(
    puzzle: P,
    job: impl Into<Job>,
    mut each: impl FnMut(&P::Answer) -> ControlFlow<()> + Send,
) -> Result<RunResult<P>, Failure> {
    with_run(puzzle, job.into(), |run| run.solve_each(&mut each))
}

/// Checks an answer against the puzzle's rules.
///
/// ```
/// use asp_solve::{Code, Taquin, check, solve};
///
/// let solved = solve(Taquin, "1 2 3\n4 5 6\n. 7 8")?;
/// let plan = &solved.answers()[0];
/// check(Taquin, "1 2 3\n4 5 6\n. 7 8", plan)?;
/// let broken_rule = check(Taquin, "1 2 3\n4 5 6\n7 . 8", plan).unwrap_err();
/// assert_eq!(broken_rule.code(), Some(Code::RejectedAnswer));
/// let bad_board = check(Taquin, "1 2 3\n4 5 6\n7 7 8", plan).unwrap_err();
/// assert_ne!(bad_board.code(), Some(Code::RejectedAnswer));
/// # Ok::<(), asp_solve::Failure>(())
/// ```
///
/// # Errors
/// - [`Code::RejectedAnswer`]: the answer breaks a rule, which the message names;
/// - [`Code::Unsupported`]: the job has custom rules, which no check supports;
/// - other codes: errors of the instance.
pub fn check<P: Puzzle>(puzzle: P, job: impl Into<Job>, answer: &P::Answer) -> Result<(), Failure> {
    with_run(puzzle, job.into(), |run| {
        if !run.job.rules.is_builtin() {
            return Err(unsupported_rules("the check", &run.job.rules).into());
        }
        let broken_rule =
            |error: String| Diagnostic::error(Code::RejectedAnswer, format!("the answer breaks a rule: {error}"));
        let checked = run.puzzle.check_output(&run.board, &run.job, answer)?;
        Ok(checked.map_err(broken_rule)?)
    })
}

/// Counts the solutions of a board or the answers of a program, without enumerating them. If the
/// program minimises, it counts the optima.
///
/// ```
/// use asp_solve::{Job, LogicPuzzle, count};
///
/// let counted = count(LogicPuzzle::named("sudoku")?, ". . . .\n. . . .\n. . . .\n. . . .")?;
/// assert_eq!(counted.exact().map(ToString::to_string).as_deref(), Some("288"));
/// let counted = count(LogicPuzzle::program(), "{ a(1..100) }. :- a(1), a(2).")?;
/// assert_eq!(counted.exact(), Some(&(3_u32 * num_bigint::BigUint::from(2_u32).pow(98))));
/// # Ok::<(), asp_solve::Failure>(())
/// ```
///
/// A limit that was reached leaves bounds:
///
/// ```
/// use asp_solve::{Job, Limits, LogicPuzzle, count};
///
/// let limits = Limits { nodes: Some(1), ..Limits::default() };
/// let counted = count(LogicPuzzle::program(), Job::of("1 { a(1..100) }.").limits(limits))?;
/// assert_eq!(counted.exact(), None);
/// assert!(counted.count.at_least < counted.count.at_most);
/// # Ok::<(), asp_solve::Failure>(())
/// ```
///
/// # Errors
/// Errors of the instance; a puzzle without a logic program; or a program that cannot be counted,
/// such as one in steps.
pub fn count<P: Puzzle>(puzzle: P, job: impl Into<Job>) -> Result<AnswerCount, Failure> {
    with_run(puzzle, job.into(), AnyRun::count)
}

/// Explains why there is no solution, or why an atom holds.
///
/// ```
/// use asp_solve::{LogicPuzzle, Verdict, why};
///
/// let explanation = why(LogicPuzzle::named("sudoku")?, "1 1 . .\n. . . .\n. . . .\n. . . .", None)?;
/// assert_eq!(explanation.verdict, Verdict::Solved, "a cause was found");
/// assert!(explanation.is_smallest());
/// let words: Vec<&str> = explanation.causes()[0].iter().map(|part| &*part.words).collect();
/// assert_eq!(words, ["row 1, column 1 shows 1", "row 1, column 2 shows 1"]);
/// # Ok::<(), asp_solve::Failure>(())
/// ```
///
/// With a [time limit](Job::time_limit()), the cause may not be a smallest one.
///
/// # Errors
/// Errors of the instance or of the atom.
pub fn why<P: Puzzle>(puzzle: P, job: impl Into<Job>, about: Option<&str>) -> Result<Explanation, Failure> {
    let kind = about.map_or(QueryKind::NoAnswer, |about| QueryKind::About(about.to_owned()));
    explain(puzzle, job.into(), kind)
}

/// Counts the solutions of a board without each clue, or the answers of a program without each
/// constraint: which of them excludes how many. [`Explanation::exclusion`] has the numbers.
///
/// ```
/// use asp_solve::{LogicPuzzle, count_without};
///
/// let board = "1 . . .\n. . 2 .\n. 3 . .\n. . . 4";
/// let explanation = count_without(LogicPuzzle::named("sudoku")?, board)?;
/// let report = explanation.exclusion().expect("numbers");
/// assert_eq!(report.count.exact(), Some(&1_u32.into()));
/// let clue = &report.parts[0];
/// assert_eq!((&*clue.part.words, clue.count.exact()), ("row 1, column 1 shows 1", Some(&3_u32.into())));
/// # Ok::<(), asp_solve::Failure>(())
/// ```
///
/// With a [time limit](Job::time_limit()), some numbers may have bounds only.
///
/// # Errors
/// Errors of the instance; a puzzle without a logic program; or a program that cannot be counted.
pub fn count_without<P: Puzzle>(puzzle: P, job: impl Into<Job>) -> Result<Explanation, Failure> {
    explain(puzzle, job.into(), QueryKind::Counts)
}

/// Returns the next step of a solution and its reason.
///
/// ```
/// use asp_solve::{LogicPuzzle, hint};
///
/// let explanation = hint(LogicPuzzle::named("sudoku")?, "1 2 3 .\n. . . .\n. . . .\n. . . .")?;
/// let step = &explanation.steps()[0];
/// assert_eq!((step.conclusions[0].atom.as_str(), step.conclusions[0].holds), ("number(1,4,4)", true));
/// assert_eq!(step.technique.as_ref().map(|technique| technique.name.as_str()), Some("naked single"));
/// assert_eq!(&*step.because[0].words, "row 1, column 4 would have no number left");
/// # Ok::<(), asp_solve::Failure>(())
/// ```
///
/// # Errors
/// Errors of the instance, or a puzzle without hints.
pub fn hint<P: Puzzle>(puzzle: P, job: impl Into<Job>) -> Result<Explanation, Failure> {
    explain(puzzle, job.into(), QueryKind::Steps { all: false })
}

/// As [`hint`], but returns all steps, to the solution or to the last one that can be deduced.
///
/// ```
/// use asp_solve::{LogicPuzzle, all_hints};
///
/// let explanation = all_hints(LogicPuzzle::named("sudoku")?, ". . 4 .\n. . . 1\n4 . 2 .\n. . . .")?;
/// assert_eq!(explanation.steps().len(), 12, "one for each empty cell");
/// # Ok::<(), asp_solve::Failure>(())
/// ```
///
/// # Errors
/// As [`hint`].
pub fn all_hints<P: Puzzle>(puzzle: P, job: impl Into<Job>) -> Result<Explanation, Failure> {
    explain(puzzle, job.into(), QueryKind::Steps { all: true })
}

fn explain<P: Puzzle>(puzzle: P, job: Job, kind: QueryKind) -> Result<Explanation, Failure> {
    // The rest of the time is for the output, and for steps that cannot be interrupted.
    let limit = job.time_limit.map(|limit| limit.mul_f64(0.8));
    let deadline = limit.and_then(|limit| Instant::now().checked_add(limit));
    with_run(puzzle, job, |run| run.why(&ExplainQuery { kind, causes: 1, deadline, ..ExplainQuery::default() }))
}

/// Opens a job and runs `work`. The job's time limit begins now.
fn with_run<P: Puzzle, T>(
    puzzle: P,
    mut job: Job,
    work: impl FnOnce(&Run<P>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let deadline = job.time_limit.and_then(|limit| Instant::now().checked_add(limit));
    let limited = deadline.map(|deadline| job.stop.child_until(Some(deadline)));
    if let Some(limited) = &limited {
        job.stop = limited.token.clone();
    }
    work(&Run::new(puzzle, job)?)
}

/// A request for an instance, with the options of `asp-solve generate PUZZLE`.
///
/// ```
/// use asp_solve::{Code, GenerateRequest, Minesweeper, generate};
///
/// let request = GenerateRequest::with_seed(1).size(8, 8).option("mines", 9).flag("no-guess");
/// assert!(generate(Minesweeper, request)?.contains("mines 9"));
/// let unknown = generate(Minesweeper, GenerateRequest::with_seed(1).option("clues", 9));
/// assert_eq!(unknown.unwrap_err().code(), Some(Code::Usage));
/// # Ok::<(), asp_solve::Failure>(())
/// ```
#[derive(Clone, Default)]
pub struct GenerateRequest {
    seed: u64,
    /// The options as words of a command line.
    words: Vec<String>,
    time_limit: Option<Duration>,
    stop: CancelToken,
}

/// The difficulty of a pencil puzzle: the number of reasons that its hardest step needs, or the
/// level of its hardest technique if the puzzle names techniques.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Difficulty {
    /// At most two reasons, or a technique of level 1
    Easy,
    /// Three or four reasons, or level 2
    Medium,
    /// Five reasons or more, or a level above 2
    Hard,
}

impl GenerateRequest {
    /// Creates a request without options. The same seed and options yield the same instance.
    pub fn with_seed(seed: u64) -> Self {
        GenerateRequest { seed, ..GenerateRequest::default() }
    }

    /// Requests a board of this size, in cells.
    #[must_use]
    pub fn size(self, columns: usize, rows: usize) -> Self {
        self.option("size", format!("{columns}x{rows}"))
    }

    /// Requests a pencil puzzle of this difficulty. For a range of reasons, use
    /// `option("difficulty", "3..4")`.
    #[must_use]
    pub fn difficulty(self, difficulty: Difficulty) -> Self {
        let name = match difficulty {
            Difficulty::Easy => "easy",
            Difficulty::Medium => "medium",
            Difficulty::Hard => "hard",
        };
        self.option("difficulty", name)
    }

    /// Sets an option by its name on the command line, without the dashes.
    #[must_use]
    pub fn option(mut self, name: &str, value: impl ToString) -> Self {
        self.words.push(format!("--{name}={}", value.to_string()));
        self
    }

    /// Sets an option without a value, such as `symmetric`.
    #[must_use]
    pub fn flag(mut self, name: &str) -> Self {
        self.words.push(format!("--{name}"));
        self
    }

    /// Ends the search after this time with an error.
    #[must_use]
    pub fn time_limit(self, limit: Duration) -> Self {
        GenerateRequest { time_limit: Some(limit), ..self }
    }

    /// Sets the token that ends the search early, from any thread.
    #[must_use]
    pub fn cancel_token(self, stop: CancelToken) -> Self {
        GenerateRequest { stop, ..self }
    }
}

/// Generates an instance in the command's input format.
///
/// ```
/// use asp_solve::{Difficulty, GenerateRequest, Job, LogicPuzzle, Uniqueness, generate, solve};
///
/// let sudoku = LogicPuzzle::named("sudoku")?;
/// let board = generate(sudoku.clone(), GenerateRequest::with_seed(7).size(4, 4).difficulty(Difficulty::Easy))?;
/// assert_eq!(solve(sudoku, Job::of(&board).unique())?.unique(), Uniqueness::One);
/// # Ok::<(), asp_solve::Failure>(())
/// ```
///
/// # Errors
/// - [`Code::UnknownName`]: nothing generates instances of the puzzle;
/// - [`Code::Usage`]: the puzzle has no such option, or its value is wrong;
/// - [`Code::Unfulfilled`]: no instance that meets the requirements was found.
pub fn generate<P: Puzzle>(puzzle: P, request: GenerateRequest) -> Result<String, Failure> {
    let name = puzzle.name();
    let generator = generator(puzzle.tools())
        .ok_or_else(|| Diagnostic::error(Code::UnknownName, format!("nothing generates instances of {name}")))?;
    let deadline = request.time_limit.and_then(|limit| Instant::now().checked_add(limit));
    let limited = request.stop.child_until(deadline);
    let options = generator.options().parse(name, request.words)?;
    let mut job = Job { seed: request.seed, stop: limited.token.clone(), options, ..Job::default() };
    if let Some(encoding) = generator.encoding() {
        job.sources.encodings = encoding.files.iter().map(|file| Document::in_memory(&*file.path, file.text)).collect();
    }
    let mut show = |_: &str| ControlFlow::Continue(());
    let done =
        generator.run(&job, &mut Console { progress: &|_, _| {}, show: &mut show, delay: None, sheet: Vec::new() })?;
    let unfulfilled = match done.verdict {
        Verdict::Solved => return Ok(done.output),
        Verdict::Impossible => "there is no such instance".to_owned(),
        Verdict::GaveUp(reason) => format!("found no such instance: {}", reason.words()),
    };
    let error = Diagnostic::error(Code::Unfulfilled, format!("{name}: {unfulfilled}"));
    Err(Failure(done.warnings.into_iter().chain([error]).collect()))
}

/// Returns the tool that generates instances.
pub fn generator(tools: Vec<Box<dyn Tool>>) -> Option<Box<dyn Tool>> {
    tools.into_iter().find(|tool| tool.input() == ToolInput::Seed)
}
