//! `test`: runs the tests of encodings, each file separately, several tests at once.

use std::collections::{BTreeSet, VecDeque};
use std::io;
use std::ops::ControlFlow;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use asp::{Program, Settings, Symbol, syntax, to_text};
use author::coverage::{self, Coverage, CoverageLevel, Item};
use author::tests::{self, Suite, Test as OneTest, TestOutcome, TestVerdict};
use base::diagnostic::{Code, Diagnostic, Failure, Place, Severity};
use base::document::Document;
use base::stop::{CancelToken, StopReason};
use base::style::Style;
use base::underlined::elide_middle;
use base::words::count;
use clap::{Args, ValueEnum};
use drawing::Drawing;
use prover::CertifyMode;
use puzzle::report::{Output, output_result};
use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus, TestSuite, XmlString};
use serde_json::json;

use super::ci::TestFormat;
use super::folders::ProgramFiles;
use super::groups::{CommonArgs, MemoryArgs, ProgramArgs};
use super::mutants::{self, MutantOptions};
use super::runner::{self, Limits, Runner, TaskEnd, TaskEvent};
use super::terminal::escape_controls;
use super::{input, messages, output, sources};

#[derive(Debug, Clone, Args)]
#[command(mut_arg("time_limit", |option| option.help("Give up a test after S seconds")))]
#[command(mut_arg("threads", |option| option.help("Number of tests to run in parallel [default: one for each core]")))]
#[command(mut_arg("quiet", |option| option.help("Print only failures and the result")))]
pub struct Test {
    /// Files with tests, or folders of them; files without tests belong to the program of the
    /// others
    #[arg(value_name = "FILE|FOLDER", required = true)]
    pub files: Vec<PathBuf>,
    /// Run only tests whose names contain TEXT
    #[arg(short = 'k', long, value_name = "TEXT")]
    pub filter: Option<String>,
    /// Output format; with github and sarif, files without tests are checked for warnings
    #[arg(short, long, value_enum, value_name = "FORMAT", default_value_t)]
    pub format: TestFormat,
    /// Also write a JUnit XML report to a file
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// List rules that no test grounds or fires and constraints that never bite, or annotate the
    /// source
    #[arg(long, value_enum, value_name = "WHAT", num_args = 0..=1, require_equals = true, default_missing_value = "gaps")]
    pub coverage: Option<CoverageDetail>,
    /// Write coverage to a file in LCOV format, for genhtml and editors
    #[arg(long, value_name = "FILE")]
    pub lcov: Option<PathBuf>,
    /// Certify that there are no more answer sets, where a test rests on that
    #[arg(long, conflicts_with = "mutants")]
    pub certify: bool,
    /// Change each rule, literal and bound in turn, and list the changes that no test notices
    #[arg(long, conflicts_with_all = ["filter", "junit", "coverage", "lcov"])]
    pub mutants: bool,
    /// Run as a worker process, which tries the mutants whose numbers it reads from standard input
    #[arg(long, hide = true)]
    pub mutant_worker: bool,
    #[command(flatten)]
    pub program: ProgramArgs,
    #[command(flatten)]
    pub memory: MemoryArgs,
    #[command(flatten)]
    pub common: CommonArgs,
}

/// Detail of the coverage report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CoverageDetail {
    /// Only what no test uses
    Gaps,
    /// The whole source, with the number of tests that use each line
    Source,
}

/// The result of a test: its outcome, its duration, and its coverage if requested.
struct TestResult {
    outcome: Result<TestOutcome, Failure>,
    duration: Duration,
    coverage: Option<Vec<CoverageLevel>>,
}

impl TestResult {
    /// Runs a test, and again for its coverage if `covers` is set.
    fn of(
        suite: &Suite,
        test: usize,
        settings: &Settings,
        certify: CertifyMode,
        covers: bool,
        stop: &CancelToken,
    ) -> TestResult {
        let began = Instant::now();
        let mut outcome = suite.run_with_certificate(test, settings, certify, stop);
        let duration = began.elapsed();
        let mut coverage = None;
        if covers && outcome.is_ok() {
            match coverage::of_test(suite, test, settings, stop) {
                Ok(levels) => coverage = Some(levels),
                Err(failure) => outcome = Err(failure),
            }
        }
        TestResult { outcome, duration, coverage }
    }

    fn gave_up(suite: &Suite, test: usize, reason: StopReason) -> TestResult {
        TestResult::unfinished(Ok(TestOutcome::gave_up(reason, suite.tests()[test].place.clone())))
    }

    fn unfinished(outcome: Result<TestOutcome, Failure>) -> TestResult {
        TestResult { outcome, duration: Duration::ZERO, coverage: None }
    }
}

/// A test to run: the index of its suite, its index within the suite, and its result, if it has
/// ended.
struct TestRun {
    suite: usize,
    test: usize,
    result: Option<TestResult>,
}

/// Returns the tests whose names contain `filter`.
fn selected_tests(suites: &[Suite], filter: Option<&str>) -> Vec<TestRun> {
    let is_selected = |test: &OneTest| filter.is_none_or(|text| test.name.contains(text));
    let runs_of = |(suite, tests): (usize, &Suite)| {
        let selected = tests.tests().iter().enumerate().filter(|(_, test)| is_selected(test));
        selected.map(|(test, _)| TestRun { suite, test, result: None }).collect::<Vec<_>>()
    };
    suites.iter().enumerate().flat_map(runs_of).collect()
}

/// Returns the coverage by all tests that have run.
fn coverage_of(suites: &[Suite], runs: &[TestRun]) -> Coverage {
    let mut coverage = Coverage::default();
    for run in runs {
        coverage.register(&suites[run.suite]);
        if let Some(levels) = run.result.as_ref().and_then(|result| result.coverage.as_ref()) {
            coverage.add(&suites[run.suite], levels);
        }
    }
    coverage
}

/// Runs tests, reports them, and returns the exit code.
pub fn test(args: Test) -> i32 {
    let output_args = args.common.output_args.clone();
    let limits = Limits {
        // With `--mutants` the limit applies to each mutant.
        time: args.common.time_limit.filter(|_| !args.mutants).map(Duration::from_secs_f64),
        memory: args.memory.bytes(),
        grace: Duration::from_millis(400),
    };
    let mut runner = Runner::new(limits, !args.common.quiet);
    let stop = CancelToken::new();
    let program_files = match without_tests(&args.files, &stop) {
        Ok(program_files) => program_files,
        Err(failure) => return output_args.fail(&failure, &[]),
    };
    let mut invalid = (args.format.is_of_messages() && !args.mutants).then(Vec::new);
    match suites(&args.files, &program_files, args.program.folder.path(), &mut invalid, &stop) {
        Ok(suites) => {
            let documents: Vec<Document> = suites.iter().flat_map(|suite| suite.documents().to_vec()).collect();
            let suites = Arc::new(suites);
            let Test { format, program, memory, common, .. } = args.clone();
            let options = MutantOptions { program_files, format, program, memory, common };
            let code = match (args.mutant_worker, args.mutants) {
                (true, _) => mutants::work(&options, &suites, &mut runner),
                (_, true) => mutants::run(&options, &suites, &mut runner),
                _ => run(&args, &options.program_files, suites, invalid.unwrap_or_default(), &mut runner),
            };
            code.unwrap_or_else(|failure| output_args.fail(&failure, &documents))
        }
        Err(_) if stop.requested() == Some(StopReason::MemoryLimit) => 3,
        Err((failure, documents)) => output_args.fail(&failure, &documents),
    }
}

fn ignore_broken_pipe(result: io::Result<()>) -> io::Result<()> {
    result.or_else(|error| if error.kind() == io::ErrorKind::BrokenPipe { Ok(()) } else { Err(error) })
}

/// Reads the tests of one file together with the files of its program and the files that these
/// include or go with.
pub fn suite(
    path: &Path,
    program_files: &[PathBuf],
    asp_dir: Option<&Path>,
    stop: &CancelToken,
) -> Result<Suite, (Failure, Vec<Document>)> {
    let mut read = Vec::new();
    let program = program(path, program_files, asp_dir, stop, &mut read).map_err(|failure| (failure, read.clone()))?;
    Suite::of(&program).map_err(|failure| (failure, read))
}

/// Returns the named files without tests, which are the program under test of the other files; none
/// if no named file has tests.
fn without_tests(paths: &[PathBuf], stop: &CancelToken) -> Result<Vec<PathBuf>, Failure> {
    let mut plain = Vec::new();
    for path in paths.iter().filter(|path| path.is_file()) {
        let document = input::read(path, stop)?;
        if !tests::may_have_tests(&document) && syntax::includes(&document.text).is_empty() {
            plain.push(path.clone());
        }
    }
    Ok(if plain.len() < paths.len() { plain } else { Vec::new() })
}

/// An invalid file: its errors, and what was read.
type InvalidFile = (Failure, Vec<Document>);

/// Reads the suites of files and folders in the order given; an included file is tested before the
/// file that includes it, if it has tests. If there is a list for invalid files, these are added to
/// it, and files without tests have suites, too.
fn suites(
    paths: &[PathBuf],
    program_files: &[PathBuf],
    asp_dir: Option<&Path>,
    invalid: &mut Option<Vec<InvalidFile>>,
    stop: &CancelToken,
) -> Result<Vec<Suite>, (Failure, Vec<Document>)> {
    let keeps_all = invalid.is_some();
    let paths = || paths.iter().filter(|path| keeps_all || !program_files.contains(path));
    let mut suites: Vec<Suite> = Vec::new();
    let mut visited = BTreeSet::new();
    for path in paths() {
        let is_folder = path.is_dir();
        let mut files: VecDeque<PathBuf> = match is_folder {
            true => ProgramFiles::below(path, |name| name.starts_with('.'))
                .collect::<Result<_, _>>()
                .map_err(|failure| (failure, Vec::new()))?,
            false => [path.clone()].into(),
        };
        let mut has_tests = false;
        while let Some(file) = files.pop_front() {
            if !visited.insert(file.canonicalize().unwrap_or_else(|_| file.clone())) {
                has_tests = true;
                continue;
            }
            if is_folder
                && !keeps_all
                && !tests::may_have_tests(&input::read(&file, stop).map_err(|failure| (failure, Vec::new()))?)
            {
                continue;
            }
            let of_program = if program_files.contains(&file) { &[] } else { program_files };
            let suite = match (suite(&file, of_program, asp_dir, stop), &mut *invalid) {
                (Ok(suite), _) => suite,
                (Err(failure), Some(invalid)) => {
                    invalid.push(failure);
                    has_tests = true;
                    continue;
                }
                (Err(failure), None) => return Err(failure),
            };
            let included = suite.documents()[1..].iter().filter(|document| tests::may_have_tests(document));
            let included: Vec<PathBuf> = included.filter_map(|document| document.path.clone()).collect();
            if !suite.tests().is_empty() || keeps_all {
                has_tests = true;
                suites.push(suite);
            } else if file == *path && included.is_empty() {
                const HELP: &str = "a test is a part `#program test_…(base).` or a comment `%**@test(…)**%`";
                let text = format!("{}: has no tests", file.display());
                return Err((Diagnostic::error(Code::Usage, text).help(HELP).into(), Vec::new()));
            }
            for file in included.into_iter().rev() {
                files.push_front(file);
            }
        }
        if is_folder && !has_tests {
            let text = format!("{}: no file below has tests", path.display());
            return Err((Diagnostic::error(Code::Usage, text).into(), Vec::new()));
        }
    }
    Ok(suites)
}

/// Reads a file with the files that it includes and goes with, and the files that its tests name.
fn program(
    path: &Path,
    program_files: &[PathBuf],
    asp_dir: Option<&Path>,
    stop: &CancelToken,
    read: &mut Vec<Document>,
) -> Result<Program, Failure> {
    for path in [path].into_iter().chain(program_files.iter().map(PathBuf::as_path)) {
        read.push(input::read(path, stop)?);
    }
    let mut visited: BTreeSet<PathBuf> = path.canonicalize().into_iter().collect();
    input::add_included(read, |document, file, place, _| {
        let resolved = resolve_include(document, file, place)?;
        let is_new = resolved.canonicalize().is_ok_and(|path| visited.insert(path));
        is_new.then(|| input::read(&resolved, stop)).transpose()
    })?;
    let companions = input::companions(read, asp_dir, stop)?;
    read.extend(companions);
    let mut encoding = Vec::new();
    for (file, place) in tests::named_files(&read[0])? {
        let resolved = resolve_include(&read[0], &file, place)?;
        if resolved.canonicalize().is_ok_and(|path| visited.insert(path)) {
            encoding.push(input::read(&resolved, stop)?);
        }
    }
    Ok(Program { encoding, ..Program::of(read.clone()) })
}

/// Resolves an included file as clingo does: in the current folder, then in the folder of the
/// document.
fn resolve_include(document: &Document, file: &str, place: Place) -> Result<PathBuf, Failure> {
    let found = sources::resolve_include(document.path.as_deref(), file);
    let missing = || Diagnostic::error(Code::UnreadableFile, format!("{file}: no such file")).at(Some(place));
    Ok(shorten_path(found.ok_or_else(missing)?))
}

/// Removes each `folder/..` from a path if the result names the same file.
fn shorten_path(path: PathBuf) -> PathBuf {
    let mut short = PathBuf::new();
    for part in path.components() {
        let ends_in_folder = matches!(short.components().next_back(), Some(Component::Normal(_)));
        if part == Component::ParentDir && ends_in_folder {
            short.pop()
        } else {
            short = sources::join(&short, part);
            true
        };
    }
    let is_same = short.canonicalize().ok().is_some_and(|short| path.canonicalize().is_ok_and(|path| path == short));
    if is_same { short } else { path }
}

fn run(
    args: &Test,
    program_files: &[PathBuf],
    suites: Arc<Vec<Suite>>,
    invalid: Vec<InvalidFile>,
    runner: &mut Runner,
) -> Result<i32, Failure> {
    let began = Instant::now();
    let output_args = &args.common.output_args;
    let [junit_file, lcov_file] = [&args.junit, &args.lcov].map(|path| path.as_deref().filter(|path| *path != "-"));
    let outputs = [("--output", output_args.file()), ("--junit", junit_file), ("--lcov", lcov_file)];
    for (option, path) in outputs {
        path.map_or(Ok(()), |path| output::reject_input_overwrite(option, path))?;
    }
    output::reject_duplicate_outputs(&outputs)?;
    let (out, file) = output::open(output_args.file(), output_args.color())?;
    let mut runs = selected_tests(&suites, args.filter.as_deref());
    let mut reporter =
        TestReporter { args, program_files, suites: &suites, invalid, style: args.common.style(), out, printed: 0 };

    let (sender, tasks) = mpsc::channel();
    for (number, TestRun { suite, test, .. }) in runs.iter().enumerate() {
        let _ = sender.send(Arc::new((number, *suite, *test)));
    }
    drop(sender);
    let settings = args.program.settings();
    let warnings = warnings(args, &suites, &settings, runner)?;
    if !args.format.is_of_messages() {
        suites.iter().zip(&warnings).for_each(|(suite, warnings)| args.common.warn(warnings, suite.documents()));
    }
    let certify = if args.certify { CertifyMode::Check } else { CertifyMode::No };
    let (worker_suites, covers) = (suites.clone(), args.coverage.is_some() || args.lcov.is_some());
    let work = move |&(_, suite, test): &(usize, usize, usize), stop: &CancelToken| {
        TestResult::of(&worker_suites[suite], test, &settings, certify, covers, stop)
    };
    let mut printed = Ok(());
    let workers = runner::threads(args.common.threads).min(runs.len().max(1));
    let stopped = runner.run_all(workers, tasks, work, &mut |event| {
        let TaskEvent::Ended(task, end) = event else { return ControlFlow::Continue(None) };
        let (number, suite, test) = *task;
        let result = match end {
            TaskEnd::Done(result) => result,
            TaskEnd::Abandoned(reason) => TestResult::gave_up(&suites[suite], test, reason),
            TaskEnd::Failed(diagnostic) => TestResult::unfinished(Err(diagnostic.into())),
        };
        runs[number].result = Some(result);
        printed = ignore_broken_pipe(reporter.print_ended(&runs));
        if printed.is_err() { ControlFlow::Break(()) } else { ControlFlow::Continue(None) }
    });
    output_result(printed)?;
    for run in runs.iter_mut().filter(|run| run.result.is_none()) {
        let reason = stopped.unwrap_or(StopReason::Interrupted);
        run.result = Some(TestResult::gave_up(&suites[run.suite], run.test, reason));
    }
    let coverage = coverage_of(&suites, &runs);
    let left_out = suites.iter().map(|suite| suite.tests().len()).sum::<usize>() - runs.len();
    let written = reporter
        .print_ended(&runs)
        .and_then(|()| reporter.conclude(&runs, &warnings.concat(), left_out, began.elapsed(), &coverage));
    output_result(ignore_broken_pipe(written.and_then(|()| file.map_or(Ok(()), output::PendingFile::persist))))?;
    if args.junit.is_some() {
        output::write(junit_file, false, &junit(&suites, &runs, began.elapsed())?)?;
    }
    if args.lcov.is_some() {
        output::write(lcov_file, false, &coverage.lcov())?;
    }
    let is_error = |diagnostic: &Diagnostic| diagnostic.severity == Severity::Error;
    let is_invalid = !reporter.invalid.is_empty() || warnings.iter().flatten().any(is_error);
    Ok(if is_invalid { 2 } else { Totals::of(&runs).exit_code() })
}

/// Returns the warnings about each suite. Files without tests are grounded for that, within the time
/// limit, since nothing else grounds them.
fn warnings(
    args: &Test,
    suites: &Arc<Vec<Suite>>,
    settings: &Settings,
    runner: &mut Runner,
) -> Result<Vec<Vec<Diagnostic>>, Failure> {
    let of_texts = || suites.iter().map(|suite| suite.lints(settings)).collect();
    if !args.format.is_of_messages() || suites.iter().all(|suite| !suite.tests().is_empty()) {
        return Ok(of_texts());
    }
    let (suites, settings) = (suites.clone(), settings.clone());
    let work = move |_: &mut Vec<Document>, stop: &CancelToken| {
        let of = |suite: &Suite| {
            if suite.tests().is_empty() { suite.messages(&settings, stop) } else { suite.lints(&settings) }
        };
        Ok(suites.iter().map(of).collect())
    };
    Ok(runner.run_fallible(work, || None).0?.unwrap_or_else(|_| of_texts()))
}

#[derive(Default)]
struct Totals {
    passed: usize,
    failed: usize,
    gave_up: usize,
    /// Tests whose programs are invalid.
    broken: usize,
}

impl Totals {
    fn of(runs: &[TestRun]) -> Totals {
        let mut totals = Totals::default();
        for result in runs.iter().filter_map(|run| run.result.as_ref()) {
            *match result.outcome.as_ref().map(|outcome| outcome.verdict) {
                Ok(TestVerdict::Passed) => &mut totals.passed,
                Ok(TestVerdict::Failed) => &mut totals.failed,
                Ok(TestVerdict::GaveUp(_)) => &mut totals.gave_up,
                Err(_) => &mut totals.broken,
            } += 1;
        }
        totals
    }

    fn exit_code(&self) -> i32 {
        match self {
            Totals { broken: 1.., .. } => 2,
            Totals { failed: 1.., .. } => 1,
            Totals { gave_up: 1.., .. } => 3,
            _ => 0,
        }
    }
}

/// Prints tests in order, each as soon as those before it have ended.
struct TestReporter<'a> {
    args: &'a Test,
    /// The files without tests, which are the program under test.
    program_files: &'a [PathBuf],
    suites: &'a [Suite],
    invalid: Vec<InvalidFile>,
    style: Style,
    out: Output,
    /// The number of tests printed so far.
    printed: usize,
}

const GOOD: anstyle::Style = anstyle::AnsiColor::Green.on_default();
const BAD: anstyle::Style = anstyle::AnsiColor::Red.on_default().bold();
const UNKNOWN: anstyle::Style = anstyle::AnsiColor::Yellow.on_default();

impl TestReporter<'_> {
    fn test(&self, run: &TestRun) -> &OneTest {
        &self.suites[run.suite].tests()[run.test]
    }

    fn print_ended(&mut self, runs: &[TestRun]) -> io::Result<()> {
        while let Some(run) = runs.get(self.printed)
            && let Some(result) = &run.result
        {
            let is_first = self.printed == 0 || runs[self.printed - 1].suite != run.suite;
            self.printed += 1;
            if self.args.format != TestFormat::Text || self.args.common.quiet {
                continue;
            }
            if is_first {
                let number = runs.iter().filter(|other| other.suite == run.suite).count();
                let file = self.test(run).place.file.clone();
                writeln!(self.out, "\nrunning {} of {file}", count(number, "test", "tests"))?;
            }
            let word = match result.outcome.as_ref().map(|outcome| outcome.verdict) {
                Ok(TestVerdict::Passed) => self.style.paint(GOOD, "ok") + &certificate_suffix(result),
                Ok(TestVerdict::Failed) => self.style.paint(BAD, "FAILED"),
                Ok(TestVerdict::GaveUp(reason)) => self.style.paint(UNKNOWN, &format!("gave up: {}", reason.words())),
                Err(_) => self.style.paint(BAD, "ERROR"),
            };
            let name = escape_controls(&self.test(run).name, false);
            writeln!(self.out, "test {name} ... {word}")?;
            self.out.flush()?;
        }
        Ok(())
    }

    /// Prints the failures and the totals.
    fn conclude(
        &mut self,
        runs: &[TestRun],
        warnings: &[Diagnostic],
        left_out: usize,
        elapsed: Duration,
        coverage: &Coverage,
    ) -> io::Result<()> {
        let totals = Totals::of(runs);
        if self.args.format.is_of_messages() {
            let text = self.messages(runs, warnings);
            return self.out.write_all(text.as_bytes()).and_then(|()| self.out.flush());
        }
        if self.args.format == TestFormat::Json {
            let tests: Vec<serde_json::Value> = runs.iter().filter_map(|run| self.json(run)).collect();
            let mut object = json!({
                "schema": 1, "passed": totals.passed, "failed": totals.failed, "gave_up": totals.gave_up, "errors": totals.broken,
                "filtered_out": left_out, "seconds": elapsed.as_secs_f64(), "tests": tests,
            });
            if self.args.coverage.is_some() {
                object["coverage"] = coverage.json();
            }
            return writeln!(self.out, "{object:#}").and_then(|()| self.out.flush());
        }
        let failures: Vec<&TestRun> = runs.iter().filter(|run| !run.has_passed()).collect();
        if !failures.is_empty() {
            writeln!(self.out, "\nfailures:")?;
        }
        for run in failures {
            let test = self.test(run);
            let text = format!("\n---- {} of {} ----\n", escape_controls(&test.name, false), test.place.file)
                + &self.failure(run);
            self.out.write_all(text.as_bytes())?;
        }
        let result =
            if totals.exit_code() == 0 { self.style.paint(GOOD, "ok") } else { self.style.paint(BAD, "FAILED") };
        let mut line = format!("\ntest result: {result}. {} passed; {} failed", totals.passed, totals.failed);
        for (number, words) in
            [(totals.gave_up, "given up"), (totals.broken, "with errors"), (left_out, "filtered out")]
        {
            if number > 0 {
                line += &format!("; {number} {words}");
            }
        }
        writeln!(self.out, "{line}; finished in {:.2} s", elapsed.as_secs_f64())?;
        if let Some(what) = self.args.coverage {
            self.out.write_all(self.coverage_text(coverage, what).as_bytes())?;
        }
        self.out.flush()
    }

    /// Renders the errors of invalid files, the warnings and the failures as messages.
    fn messages(&self, runs: &[TestRun], warnings: &[Diagnostic]) -> String {
        let mut diagnostics: Vec<Diagnostic> = Vec::new();
        let errors = self.invalid.iter().flat_map(|(failure, _)| &failure.0);
        let failures = runs.iter().filter(|run| !run.has_passed()).flat_map(|run| self.failed(run));
        for diagnostic in errors.chain(warnings).cloned().chain(failures) {
            // Suites share included files.
            if !diagnostics.contains(&diagnostic) {
                diagnostics.push(diagnostic);
            }
        }
        let of_suites = self.suites.iter().flat_map(|suite| suite.documents().to_vec());
        let documents: Vec<Document> =
            of_suites.chain(self.invalid.iter().flat_map(|(_, documents)| documents.clone())).collect();
        self.args.format.render(&diagnostics, &documents)
    }

    /// Returns the messages about a failed test.
    fn failed(&self, run: &TestRun) -> Vec<Diagnostic> {
        let outcome = match run.result.as_ref().map(|result| &result.outcome) {
            Some(Ok(outcome)) => outcome,
            Some(Err(failure)) => return failure.0.clone(),
            None => return Vec::new(),
        };
        let test = self.test(run);
        let (name, words, place) = (&test.name, &outcome.words, Some(outcome.place.clone()));
        if let TestVerdict::GaveUp(_) = outcome.verdict {
            let text = format!("the test {name} gave up: {words}");
            return vec![Diagnostic::warning(Code::UndecidedTest, text).at(place)];
        }
        let of_test = (test.place != outcome.place).then(|| test.place.clone().label("the test"));
        let failed = Diagnostic::error(Code::FailedTest, format!("the test {name} fails: {words}")).at(place);
        let shown = outcome.answer.as_ref().map(|answer| &answer.shown[..]).unwrap_or_default();
        let atoms: Vec<String> = shown.iter().map(|&atom| to_text(atom)).collect();
        let answer = match atoms.is_empty() {
            true => "the empty answer set breaks it".to_owned(),
            false => format!("the answer set {} breaks it", elide_middle(&atoms.join(" "))),
        };
        let has_answer = outcome.answer.is_some();
        let failed = failed.at(of_test);
        vec![if has_answer { failed.help(answer) } else { failed }]
    }

    /// Renders the coverage, file by file.
    fn coverage_text(&self, coverage: &Coverage, detail: CoverageDetail) -> String {
        let documents: Vec<Document> = self.suites.iter().flat_map(|suite| suite.documents().to_vec()).collect();
        let used = |items: &[&Item]| items.iter().filter(|item| item.used > 0).count();
        let files = coverage.files();
        let all: Vec<&Item> = files.iter().flat_map(|(_, items)| items.clone()).collect();
        let mut text = format!(
            "\ncoverage: {} of {} are used by tests\n",
            used(&all),
            count(all.len(), "rule, constraint or bound", "rules, constraints and bounds")
        );
        for (file, items) in files {
            text += &format!("\n{file}: {} of {}\n", used(&items), items.len());
            let document = documents.iter().find(|document| document.name == file);
            match (detail, document) {
                (CoverageDetail::Source, Some(document)) => text += &self.source(document, &items),
                _ => {
                    let unused = items.iter().filter_map(|item| Some(item.place.clone().label(item.unused_reason()?)));
                    let places: Vec<Place> = unused.collect();
                    if !places.is_empty() {
                        text += &(messages::underlined(&places, &documents, self.style.color) + "\n");
                    }
                }
            }
        }
        text
    }

    /// Renders the source, each line after the number of tests that use it.
    fn source(&self, document: &Document, items: &[&Item]) -> String {
        let line = |(number, line): (usize, &str)| {
            let of_line: Vec<&&Item> = items
                .iter()
                .filter(|item| (item.place.start.line..=item.place.end.line).contains(&(number + 1)))
                .collect();
            let used = of_line.iter().map(|item| item.used).min().map_or(String::new(), |used| used.to_string());
            let reasons: Vec<&str> = of_line
                .iter()
                .filter(|item| item.place.start.line == number + 1)
                .filter_map(|item| item.unused_reason())
                .collect();
            let is_unused = used == "0";
            let note = if reasons.is_empty() { String::new() } else { format!("  % {}", reasons.join(", ")) };
            let text = format!("{used:>6} | {}{note}", escape_controls(line, false));
            let text = text.trim_end();
            (if is_unused { self.style.paint(BAD, text) } else { text.to_owned() }) + "\n"
        };
        document.text.lines().enumerate().map(line).collect()
    }

    /// Describes a failed test: the expectation, the answer set that violates it, and the command
    /// that explains it.
    fn failure(&self, run: &TestRun) -> String {
        let test = self.test(run);
        let documents = self.suites[run.suite].documents();
        let underlined = |diagnostic: &Diagnostic| messages::rendered(diagnostic, documents, self.style.color) + "\n";
        let outcome = match run.result.as_ref().map(|result| &result.outcome) {
            Some(Ok(outcome)) => outcome,
            Some(Err(failure)) => return failure.0.iter().map(underlined).collect(),
            None => return String::new(),
        };
        if let TestVerdict::GaveUp(_) = outcome.verdict {
            return underlined(
                &Diagnostic::warning(Code::UndecidedTest, format!("gave up: {}", outcome.words))
                    .at(Some(outcome.place.clone())),
            );
        }
        let mut text =
            underlined(&Diagnostic::error(Code::FailedTest, outcome.words.clone()).at(Some(outcome.place.clone())));
        if let Some(answer) = &outcome.answer {
            let drawing = Drawing::of(&answer.atoms, &test.place.file).map(|(drawing, _)| drawing).unwrap_or_default();
            let is_listed = |atom: &&Symbol| !Drawing::is_draw_atom(**atom);
            let atoms: Vec<String> = answer.shown.iter().filter(is_listed).map(|&atom| to_text(atom)).collect();
            text += &match (atoms.is_empty(), !drawing.has_grid()) {
                (_, false) => format!("answer set:\n{}", drawing.text(&self.style)),
                (true, true) => "answer set: empty\n".to_owned(),
                (false, true) => {
                    format!("answer set:\n  {}\n", escape_controls(&elide_middle(&atoms.join(" ")), false))
                }
            };
        }
        let about = outcome.about.as_ref().map_or(String::new(), |about| format!(" {}", quoted(about)));
        let program_files = self.program_files.iter().map(|path| format!(" {}", quoted(&path.display().to_string())));
        let (file, name) = (quoted(&test.place.file) + &program_files.collect::<String>(), quoted(&test.name));
        text + &format!("why: asp-solve why {file} --test {name}{about}\n")
    }

    fn json(&self, run: &TestRun) -> Option<serde_json::Value> {
        let (test, result) = (self.test(run), run.result.as_ref()?);
        let mut object = match &result.outcome {
            Ok(outcome) => outcome.json(test),
            Err(failure) => json!({
                "name": test.name, "file": test.place.file, "line": test.place.start.line, "passed": null, "words": failure.to_string()
            }),
        };
        object["seconds"] = json!(result.duration.as_secs_f64());
        Some(object)
    }
}

impl TestRun {
    fn has_passed(&self) -> bool {
        self.result.as_ref().is_some_and(|result| result.outcome.as_ref().is_ok_and(TestOutcome::passed))
    }
}

/// Renders the result of certification as a suffix of the verdict.
fn certificate_suffix(result: &TestResult) -> String {
    let certificate = result.outcome.as_ref().ok().and_then(|outcome| outcome.certificate.as_ref());
    certificate.map_or(String::new(), |certificate| match &certificate.why {
        Some(why) => format!(", not certified: {why}"),
        None => format!(", certified{}", certificate.in_steps()),
    })
}

/// Quotes a word for the shell if necessary.
fn quoted(word: &str) -> String {
    let is_plain = |sign: char| sign.is_ascii_alphanumeric() || "_-./:+=@,".contains(sign);
    let is_word = !word.is_empty() && !word.starts_with('-') && word.chars().all(is_plain);
    if is_word { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

/// Renders a JUnit report for CI servers. A test that gave up or whose program is invalid is
/// reported as an error, since JUnit has no other category.
fn junit(suites: &[Suite], runs: &[TestRun], elapsed: Duration) -> Result<String, Failure> {
    let mut report = quick_junit::Report::new("asp-solve test");
    report.set_time(elapsed);
    for (number, suite) in suites.iter().enumerate() {
        let mut ended =
            runs.iter().filter(|run| run.suite == number).filter_map(|run| Some((run, run.result.as_ref()?)));
        let cases: Vec<TestCase> =
            ended.clone().map(|(run, result)| junit_case(&suite.tests()[run.test], result)).collect();
        let duration = ended.clone().map(|(_, result)| result.duration).sum();
        let Some((first, _)) = ended.next() else { continue };
        let mut junit_suite = TestSuite::new(junit_attribute(&suite.tests()[first.test].place.file));
        junit_suite.set_time(duration).add_test_cases(cases);
        report.add_test_suite(junit_suite);
    }
    let failed = |error| Diagnostic::error(Code::System, format!("the JUnit report cannot be written: {error}"));
    Ok(report.to_string().map_err(failed)?)
}

/// Renders one test for `junit`.
fn junit_case(test: &OneTest, result: &TestResult) -> TestCase {
    let mut case = TestCase::new(junit_attribute(&test.name), junit_status(result));
    let file = XmlString::from(junit_attribute(&test.place.file));
    case.set_classname(file.clone()).set_time(result.duration);
    case.extra.insert("file".into(), file);
    case.extra.insert("line".into(), test.place.start.line.to_string().into());
    case
}

/// Returns the verdict with its message. The text of a failure is the place of the expectation and
/// the answer set that violates it.
fn junit_status(result: &TestResult) -> TestCaseStatus {
    let (kind, words, place) = match &result.outcome {
        Ok(outcome) if outcome.passed() => return TestCaseStatus::success(),
        Ok(outcome) => {
            let has_failed = outcome.verdict == TestVerdict::Failed;
            let kind = if has_failed { NonSuccessKind::Failure } else { NonSuccessKind::Error };
            (kind, outcome.words.clone(), format!("{}:{}", outcome.place.file, outcome.place.start.line))
        }
        Err(failure) => (NonSuccessKind::Error, failure.to_string(), String::new()),
    };
    let answer = result.outcome.as_ref().ok().and_then(|outcome| outcome.answer.as_ref());
    let atoms = answer.into_iter().flat_map(|answer| &answer.shown).map(|&atom| format!("\n{}", to_text(atom)));
    let text = format!("{place}{}", atoms.collect::<String>());
    let mut status = TestCaseStatus::non_success(kind);
    status.set_message(junit_attribute(&words)).set_description(escape_controls(&text, false));
    status
}

/// Returns a text as one line without control characters.
fn junit_attribute(text: &str) -> String {
    escape_controls(text, false).replace(['\n', '\t'], " ")
}
