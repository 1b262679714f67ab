//! `why` and `hint`: explain the result of a run.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use base::diagnostic::{Code, Diagnostic, Failure};
use base::document::Document;
use base::ending::Verdict;
use base::stop::{CancelToken, StopReason};
use base::style::Style;
use base::words::did_you_mean;
use explain::{ExplainQuery, Explanation, QueryKind};
use puzzle::Format;
use puzzle::ToolOutput;

use super::args::{ExplainArgs, Hint, Why};
use super::groups::CommonArgs;
use super::messages::verdict_exit_code;
use super::open::open;
use super::request::{JobRequest, build_job};
use super::runner::Runner;
use super::{input, sources, terminal};

/// Default time limit of the search for the smallest cause; the run gives up after twice that time.
pub const DEFAULT_TIME_LIMIT: Duration = Duration::from_secs(10);

/// Explains an instance and returns the exit code.
pub fn why(mut args: Why) -> i32 {
    if args.test.is_some() {
        // A test has a complete program, so no puzzle has to be recognised.
        args.explain_args.choice.puzzle = Some("program".to_owned());
    }
    let about = args.explain_args.take_atom();
    if let Some(atom) = about.as_ref().filter(|_| args.count) {
        let text = format!("{atom}: --count is not about an atom");
        return args.explain_args.common.output_args.fail(&Diagnostic::error(Code::Usage, text).into(), &[]);
    }
    let question = args.query(about);
    run_query(args.explain_args, args.test, question)
}

/// Prints the next step and returns the exit code.
pub fn hint(args: Hint) -> i32 {
    let question = args.query();
    run_query(args.explain_args, None, question)
}

impl Why {
    /// Returns the query about an atom, or about the verdict.
    pub fn query(&mut self, about: Option<String>) -> ExplainQuery {
        ExplainQuery {
            kind: if self.count { QueryKind::Counts } else { about.map_or(QueryKind::NoAnswer, QueryKind::About) },
            blame: std::mem::take(&mut self.blame),
            causes: self.causes.unwrap_or(1),
            fix: self.fix,
            weights: std::mem::take(&mut self.weight),
            ..ExplainQuery::default()
        }
    }
}

impl Hint {
    /// Returns the query for the next step, or for all.
    pub fn query(&self) -> ExplainQuery {
        ExplainQuery { kind: QueryKind::Steps { all: self.steps }, ..ExplainQuery::default() }
    }
}

/// Returns the time after which a query reports its best result so far. At the deadline, hints print
/// the steps found so far.
pub fn time_for_query(question: &ExplainQuery, limit: Option<Duration>) -> Duration {
    let is_hint = matches!(question.kind, QueryKind::Steps { .. });
    let default_limit = if is_hint { (2 * DEFAULT_TIME_LIMIT).mul_f64(0.8) } else { DEFAULT_TIME_LIMIT };
    limit.map_or(default_limit, |limit| limit.mul_f64(0.8))
}

fn run_query(args: ExplainArgs, test: Option<String>, mut question: ExplainQuery) -> i32 {
    let format = args.format_args.format;
    let list_key = match question.kind {
        QueryKind::Steps { .. } => "steps",
        QueryKind::Counts => "without",
        _ => "causes",
    };
    question.picture = format.picture_use();
    question.style = Style { verbose: args.verbose, ..args.common.style() };
    let limit = args.common.time_limit.map(Duration::from_secs_f64);
    question.deadline = Instant::now().checked_add(time_for_query(&question, limit));
    sources::record_named(&args.files);
    let mut limits = args.common.limits(args.memory);
    limits.time.get_or_insert(2 * DEFAULT_TIME_LIMIT);
    let mut runner = Runner::new(limits, !args.common.quiet);
    let task_args = args.clone();
    let work = move |read: &mut Vec<Document>, stop: &CancelToken| {
        let explanation = explain(&task_args, read, test.as_deref(), &question, stop)?;
        render(explanation, format, &question.style)
    };
    match runner.run_fallible(work, || None) {
        (Ok(Ok(output)), read) => print_output(&args.common, &read, &output),
        (Ok(Err(reason)), _) => {
            let json = serde_json::json!({ "schema": 1, "verdict": "gave-up", list_key: [] });
            let output = format!("{json:#}\n");
            let verdict = Verdict::GaveUp(reason);
            match format {
                Format::Json => print_output(&args.common, &[], &ToolOutput { verdict, ..ToolOutput::solved(output) }),
                _ => gave_up(&args.common, reason),
            }
        }
        (Err(failure), read) => args.common.output_args.fail(&failure, &read),
    }
}

fn explain(
    args: &ExplainArgs,
    read: &mut Vec<Document>,
    test: Option<&str>,
    question: &ExplainQuery,
    stop: &CancelToken,
) -> Result<Explanation, Failure> {
    *read = match test {
        Some(test) => test_program(args, read, test, stop)?,
        None => input::read_all(&args.files, stop)?,
    };
    let (entry, mut job) = build_job(&args.request(), read, stop)?;
    job.output.format = Format::Text;
    open(&*entry, job)?.why(question)
}

/// Reads the program of a test.
fn test_program(
    args: &ExplainArgs,
    read: &mut Vec<Document>,
    name: &str,
    stop: &CancelToken,
) -> Result<Vec<Document>, Failure> {
    let [file, program_files @ ..] = &args.files[..] else { return Ok(Vec::new()) };
    let suite =
        super::test::suite(file, program_files, args.program.folder.path(), stop).map_err(|(failure, documents)| {
            *read = documents;
            failure
        })?;
    let Some(number) = suite.tests().iter().position(|test| test.name == name) else {
        let names: Vec<&str> = suite.tests().iter().map(|test| test.name.as_str()).collect();
        let suggestion = did_you_mean(name, names.iter().copied());
        let text = format!("--test {name}{suggestion}: {} has no such test", file.display());
        return Err(Diagnostic::error(Code::UnknownName, text)
            .help(format!("the tests are {}", names.join(", ")))
            .into());
    };
    Ok(suite.program(number).instance)
}

/// Renders an explanation in the requested format.
fn render(explanation: Explanation, format: Format, style: &Style) -> Result<ToolOutput, Failure> {
    let missing = |what: &str| Diagnostic::error(Code::Unsupported, format!("--format {what} for this"));
    let output = match format {
        Format::Json => format!("{:#}\n", explanation.json()),
        Format::Html => explanation.html(style)?.ok_or_else(|| missing("html: there is no page"))?,
        Format::Svg => explanation.svg()?.ok_or_else(|| missing("svg: there is no picture"))?,
        _ => explanation.styled_text(style),
    };
    Ok(ToolOutput { output, verdict: explanation.verdict, warnings: explanation.warnings, certificate: None })
}

fn print_output(common: &CommonArgs, documents: &[Document], output: &ToolOutput) -> i32 {
    common.warn(&output.warnings, documents);
    common.output_args.conclude(&output.output, || match output.verdict {
        Verdict::GaveUp(reason) => gave_up(common, reason),
        verdict => verdict_exit_code(verdict),
    })
}

fn gave_up(common: &CommonArgs, reason: StopReason) -> i32 {
    let code = verdict_exit_code(Verdict::GaveUp(reason));
    if reason == StopReason::TimeLimit && common.time_limit.is_none() && !common.quiet {
        terminal::print_line("--time-limit SECONDS gives it more time");
    }
    code
}

impl ExplainArgs {
    /// Removes and returns the last argument if it names no file: the atom to explain.
    fn take_atom(&mut self) -> Option<String> {
        let is_file = |path: &PathBuf| path == Path::new("-") || path.exists() || input::is_inline_board(path);
        let last = self.files.pop_if(|path| !is_file(path))?;
        if self.files.is_empty() {
            self.files.push(last);
            return None;
        }
        Some(last.to_string_lossy().into_owned())
    }

    pub fn request(&self) -> JobRequest {
        let ExplainArgs { choice, program, memory, verbose, common, .. } = self.clone();
        JobRequest { choice, program, memory, verbose, threads: common.threads, ..JobRequest::default() }
    }
}
