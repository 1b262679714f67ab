//! The commands as functions, for callers that know the puzzle only at run time, such as bindings to
//! other languages.
//!
//! A [`Call`] has the words of a command line, and texts that stand in the place of files of their
//! names. Each function returns values where the command prints. Nothing is written.
//!
//! ```
//! use asp_solve::stop::CancelToken;
//! use asp_solve::untyped::{Call, solve};
//!
//! let board = ". . 4 .\n. . . 1\n4 . 2 .\n. . . .";
//! let call = Call::new(["--unique", "--", "board"]).text("board", board);
//! let answers = solve(&call, &CancelToken::new())?;
//! assert_eq!(answers.header().puzzle, "sudoku");
//! assert!(answers.json(0).is_some_and(|answer| answer["atoms"][0] == "number(1,1,1)"));
//!
//! let error = solve(&Call::new(["--", "rules.lp"]).text("rules.lp", "a :- b"), &CancelToken::new()).err();
//! assert!(error.is_some_and(|error| error.to_string().contains("rules.lp:1:6")));
//! # Ok::<(), asp_solve::untyped::CallError>(())
//! ```

use std::ffi::OsString;
use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use base::diagnostic::{Code, Diagnostic, Failure};
use base::document::Document;
use base::ending::Verdict;
use base::stop::CancelToken;
pub use base::style::Style;
use explain::{ExplainQuery, Explanation, PictureUse};
pub use puzzle::any_answers::EachAnswer;
pub use puzzle::{AnyAnswers, CandidateAnswer, Format};
use puzzle::{AnyRun, Console, Example};

use super::args::{self, Parsed, Sub};
use super::groups::{CommonArgs, OutputArgs};
use super::open::open;
use super::puzzles::registry;
use super::request::{JobRequest, build_job};
use super::{compare as comparison, input, messages, tools, verify as certificates, why as explanations};

/// The words of a command line after the name of the command, and texts in the place of files.
#[derive(Debug, Clone, Default)]
pub struct Call {
    words: Vec<OsString>,
    texts: Vec<Document>,
}

impl Call {
    pub fn new(words: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        Call { words: words.into_iter().map(Into::into).collect(), texts: Vec::new() }
    }

    /// Lets `text` stand in the place of a file.
    #[must_use]
    pub fn text(mut self, name: &str, text: &str) -> Self {
        self.texts.push(Document::from_bytes(name.to_owned(), None, text.as_bytes().to_vec()));
        self
    }

    fn parse(&self, command: &[&str]) -> Result<Parsed, Failure> {
        let words = ["asp-solve"].iter().chain(command).map(OsString::from);
        args::parse(words.chain(self.words.iter().cloned()).collect()).map_err(|error| {
            let text = error.to_string();
            let text = text.trim_start_matches("error: ").split("\n\nFor more information").next().unwrap_or_default();
            Diagnostic::error(Code::Usage, text.trim_end()).into()
        })
    }

    fn read(&self, files: &[std::path::PathBuf], stop: &CancelToken) -> Result<Vec<Document>, Failure> {
        input::read_or_take_all(files, &self.texts, stop)
    }
}

/// An error of a call: its messages, and the texts that they are about.
#[derive(Debug, Clone)]
pub struct CallError {
    pub failure: Failure,
    documents: Vec<Document>,
}

impl fmt::Display for CallError {
    /// Writes the messages as the command does, with their source lines.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rendered = |message| messages::rendered(message, &self.documents, false);
        f.write_str(&self.failure.0.iter().map(rendered).collect::<Vec<_>>().join("\n"))
    }
}

impl std::error::Error for CallError {}

/// Calls `work` with a list for the texts that it reads, and adds these to its error.
fn with_documents<T>(work: impl FnOnce(&mut Vec<Document>) -> Result<T, Failure>) -> Result<T, CallError> {
    let mut documents = Vec::new();
    work(&mut documents).map_err(|failure| CallError { failure, documents })
}

/// Rejects options about output, which have no effect here.
fn reject_output_options(output: &OutputArgs, format: Format) -> Result<(), Failure> {
    if output.file().is_some() || format != Format::Text {
        let text = "--output and --format are options of the command: here, results are values";
        return Err(Diagnostic::error(Code::Usage, text).into());
    }
    Ok(())
}

fn other_command() -> Failure {
    Diagnostic::error(Code::Usage, "expected options of this command, found another command").into()
}

/// Opens the instance of `asp-solve solve`.
fn open_solve(call: &Call, documents: &mut Vec<Document>, stop: &CancelToken) -> Result<Box<dyn AnyRun>, Failure> {
    let Parsed::Solve(args) = call.parse(&["solve"])? else { return Err(other_command()) };
    reject_output_options(&args.common.output_args, args.format)?;
    if args.batch {
        return Err(Diagnostic::error(Code::Usage, "--batch is an option of the command").into());
    }
    *documents = call.read(&args.files, stop)?;
    let request = JobRequest { texts: call.texts.clone(), ..args.request() };
    let (entry, mut job) = build_job(&request, documents, stop)?;
    args.options.apply(&*entry, &mut job)?;
    let is_guessed = job.sources.is_guessed;
    let annotate = |failure| if is_guessed { puzzle::annotate_guess(&*entry, failure) } else { failure };
    open(&*entry, job).map_err(annotate)
}

/// Solves, as `asp-solve solve` does.
///
/// # Errors
/// Errors of the options and of the instance.
pub fn solve(call: &Call, stop: &CancelToken) -> Result<Arc<dyn AnyAnswers>, CallError> {
    with_documents(|documents| open_solve(call, documents, stop)?.answers())
}

/// Solves, and passes each answer to `each` as soon as it is found and checked.
///
/// # Errors
/// As [`solve`].
pub fn solve_each(call: &Call, each: EachAnswer<'_>, stop: &CancelToken) -> Result<Arc<dyn AnyAnswers>, CallError> {
    with_documents(|documents| open_solve(call, documents, stop)?.answers_each(each))
}

/// Checks an answer by the rules of the puzzle; takes the options of `asp-solve solve`.
///
/// # Errors
/// - [`Code::RejectedAnswer`]: the answer breaks a rule, which the message names;
/// - other codes: as [`solve`], or the rules are custom ones.
pub fn check(call: &Call, answer: CandidateAnswer<'_>, stop: &CancelToken) -> Result<(), CallError> {
    with_documents(|documents| open_solve(call, documents, stop)?.check(answer))
}

/// Explains why there is no answer, or why an atom holds, as `asp-solve why` does.
///
/// # Errors
/// Errors of the options, of the instance and of the atom.
pub fn why(call: &Call, about: Option<String>, stop: &CancelToken) -> Result<Explanation, CallError> {
    with_documents(|documents| {
        let Parsed::Command(Sub::Why(mut args)) = call.parse(&["why"])? else { return Err(other_command()) };
        let query = args.query(about);
        explain(call, query, &args.explain_args, documents, stop)
    })
}

/// Returns the next step of a solution, as `asp-solve hint` does.
///
/// # Errors
/// Errors of the options and of the instance.
pub fn hint(call: &Call, stop: &CancelToken) -> Result<Explanation, CallError> {
    with_documents(|documents| {
        let Parsed::Command(Sub::Hint(args)) = call.parse(&["hint"])? else { return Err(other_command()) };
        explain(call, args.query(), &args.explain_args, documents, stop)
    })
}

fn explain(
    call: &Call,
    mut query: ExplainQuery,
    args: &args::ExplainArgs,
    documents: &mut Vec<Document>,
    stop: &CancelToken,
) -> Result<Explanation, Failure> {
    reject_output_options(&args.common.output_args, args.format_args.format)?;
    let time = explanations::time_for_query(&query, args.common.time_limit.map(Duration::from_secs_f64));
    query.deadline = Instant::now().checked_add(time);
    query.picture = Some(PictureUse::Image);
    *documents = call.read(&args.files, stop)?;
    let request = JobRequest { texts: call.texts.clone(), ..args.request() };
    let (entry, job) = build_job(&request, documents, stop)?;
    open(&*entry, job)?.why(&query)
}

/// Returns the time limit of `why` and `hint` if none is given.
pub fn default_explain_limit() -> Duration {
    2 * explanations::DEFAULT_TIME_LIMIT
}

/// Generates an instance of the puzzle, as `asp-solve generate PUZZLE` does.
///
/// # Errors
/// Errors of the options, or no instance that meets the requirements was found.
pub fn generate(puzzle: &str, call: &Call, stop: &CancelToken) -> Result<String, CallError> {
    with_documents(|_| {
        let Parsed::Generate(generator, args) = call.parse(&["generate", puzzle])? else { return Err(other_command()) };
        reject_output_options(&args.common.output_args, args.format_args.format)?;
        let mut job = puzzle::job::Job { stop: stop.clone(), seed: args.seed, ..Default::default() };
        tools::configure_generator(&*generator.tool, generator.options, &args, &mut job)?;
        job.engine.cache = input::cache();
        let mut show = |_: &str| ControlFlow::Continue(());
        let console = &mut Console { progress: &|_, _| {}, show: &mut show, delay: None, sheet: Vec::new() };
        let made = generator.tool.run(&job, console)?;
        let problem = match made.verdict {
            Verdict::Solved => return Ok(made.output),
            Verdict::Impossible => "there is no such instance".to_owned(),
            Verdict::GaveUp(reason) => format!("found no such instance: {}", reason.words()),
        };
        let error = Diagnostic::error(Code::Unfulfilled, format!("{puzzle}: {problem}"));
        Err(Failure(made.warnings.into_iter().chain([error]).collect()))
    })
}

/// The output of a command, as text and as JSON.
#[derive(Debug, Clone)]
pub struct Written {
    pub text: String,
    pub json: String,
}

impl From<[String; 2]> for Written {
    fn from([text, json]: [String; 2]) -> Self {
        Written { text, json }
    }
}

/// Checks a certificate, as `asp-solve verify` does.
///
/// # Errors
/// The text is no certificate, or errors of the options and of the files. A certificate that is
/// refused is no error.
pub fn verify(call: &Call, stop: &CancelToken) -> Result<Written, CallError> {
    with_documents(|documents| {
        let Parsed::Command(Sub::Verify(args)) = call.parse(&["verify"])? else { return Err(other_command()) };
        certificates::written(&args, &call.texts, documents, stop).map(Written::from)
    })
}

/// Compares two encodings, as `asp-solve compare` does.
///
/// # Errors
/// Errors of the options and of the programs.
pub fn compare(call: &Call, stop: &CancelToken) -> Result<Written, CallError> {
    with_documents(|documents| {
        documents.clone_from(&call.texts);
        let Parsed::Command(Sub::Compare(mut args)) = call.parse(&["compare"])? else { return Err(other_command()) };
        let CommonArgs { output_args, .. } = &args.common;
        reject_output_options(output_args, args.format_args.format)?;
        args.texts.clone_from(&call.texts);
        comparison::written(&args, stop).map(Written::from)
    })
}

/// Returns the names of all puzzles.
pub fn puzzles() -> Vec<String> {
    registry().all().iter().map(|entry| entry.name().to_owned()).collect()
}

/// Returns a board of the puzzle, or another board of `asp-solve examples` by its name.
pub fn example(name: &str) -> Option<&'static str> {
    let of_puzzle = registry().by_any_name(name).and_then(|entry| entry.example());
    let named = || Example::all().find(|example| example.file_name.split('.').next() == Some(name));
    of_puzzle.or_else(named).map(|example| example.text)
}
