//! `test --mutants`: finds the changes of a program that its tests do not detect.
//!
//! Grounding a mutant may not terminate, and only ending the process stops it. So this program
//! starts itself as workers. A worker reads a file of tests once. Each line of its standard input
//! is the number of a mutant, or `unchanged` for the original program; the worker answers with the
//! number of the test that detects it, or `null`. A worker that does not answer in time is killed
//! and replaced. A worker exits when its input ends.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fmt::Display;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use author::mutants::{Mutant, MutantStatus, mutants_of};
use author::tests::Suite;
use base::diagnostic::{Code, Diagnostic, Failure, Severity};
use base::document::Document;
use base::stop::CancelToken;
use base::words::count;
use parking_lot::Mutex;
use puzzle::report::output_result;
use serde_json::{Value, json};
use tempfile::NamedTempFile;

use super::ci::TestFormat;
use super::groups::{CommonArgs, MemoryArgs, ProgramArgs};
use super::runner::{self, Runner};
use super::worker_pool::Worker;
use super::{messages, subprocess};

/// Time limit of a mutant, in addition to ten times the time of all tests on the original program.
const BASE_TIMEOUT: Duration = Duration::from_secs(5);
/// Default memory limit of a worker, in megabytes.
const DEFAULT_MEMORY_MB: u64 = 1000;
const TICK: Duration = Duration::from_millis(50);
/// The request that runs the tests on the original program.
const UNCHANGED: &str = "unchanged";

/// The mutants of one test file, each with its status; `None` if the mutant was not tried in time.
#[derive(Default)]
struct SuiteMutants {
    mutants: Vec<Mutant>,
    statuses: Vec<Option<MutantStatus>>,
    /// Reports that a test fails on the original program or, as a warning, that the tests do not
    /// terminate on it. No mutant is tried then.
    failing: Option<Diagnostic>,
}

#[derive(Debug, Clone)]
pub struct MutantOptions {
    /// The files without tests, which are the program under test.
    pub program_files: Vec<PathBuf>,
    pub format: TestFormat,
    pub program: ProgramArgs,
    pub memory: MemoryArgs,
    pub common: CommonArgs,
}

/// Tries all mutants, reports those that survive, and returns the exit code.
pub fn run(options: &MutantOptions, suites: &Arc<Vec<Suite>>, runner: &mut Runner) -> Result<i32, Failure> {
    let began = Instant::now();
    let counts = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
    let work = {
        let (options, suites, counts) = (options.clone(), suites.clone(), counts.clone());
        move |_: &mut Vec<Document>, stop: &CancelToken| {
            suites.iter().map(|suite| try_mutants(&options, suite, &counts, stop)).collect()
        }
    };
    let progress = || {
        let [made, tried] = [&counts[0], &counts[1]].map(|number| number.load(Ordering::Relaxed));
        Some(format!("{tried} of {}", count(made, "mutant", "mutants")))
    };
    let all: Vec<SuiteMutants> = match runner.run_fallible(work, progress).0? {
        Ok(all) => all,
        Err(reason) => return Ok(messages::gave_up(reason)),
    };
    let report = Report::of(suites, &all);
    let output_args = &options.common.output_args;
    let text = match options.format {
        TestFormat::Json => format!("{:#}\n", report.json(began.elapsed())),
        TestFormat::Text => report.text(output_args.color(), began.elapsed()),
        format => {
            let (suites, diagnostics): (Vec<&Suite>, Vec<Diagnostic>) = report.diagnostics().into_iter().unzip();
            let documents: Vec<Document> = suites.iter().flat_map(|suite| suite.documents().to_vec()).collect();
            format.render(&diagnostics, &documents)
        }
    };
    Ok(output_args.conclude(&text, || report.exit_code()))
}

/// Runs a worker, which tries the mutants whose numbers it reads from standard input.
pub fn work(options: &MutantOptions, suites: &Arc<Vec<Suite>>, runner: &mut Runner) -> Result<i32, Failure> {
    let settings = options.program.settings();
    // The suites of included files follow, if they have tests.
    let Some(suite) = suites.first().cloned() else { return Ok(0) };
    let requests = subprocess::requests();
    let work = move |_: &mut Vec<Document>, stop: &CancelToken| {
        let mutants = mutants_of(&suite, |file| is_changed(&suite, file))?;
        let mut order: VecDeque<usize> = (0..suite.tests().len()).collect();
        let mut result = subprocess::respond(json!("ready"));
        for line in requests {
            let status = match line.parse().ok().and_then(|number: usize| mutants.get(number)) {
                Some(mutant) => mutant.run_tests(&suite, order.make_contiguous(), &settings, stop),
                None => {
                    let fails = |&test: &usize| !suite.run(test, &settings, stop).is_ok_and(|outcome| outcome.passed());
                    (0..suite.tests().len()).find(fails).map_or(MutantStatus::Survived, MutantStatus::Killed)
                }
            };
            let killer = match status {
                MutantStatus::Killed(test) => {
                    // A test that detects one change of a rule often detects the next one.
                    order.retain(|&other| other != test);
                    order.push_front(test);
                    Some(test)
                }
                _ => None,
            };
            result = result.and_then(|()| subprocess::respond(json!(killer)));
        }
        output_result(result)
    };
    Ok(runner.run_fallible(work, || None).0?.map_or(3, |()| 0))
}

/// Returns true if the rules of a file are mutated. Companion files and the file of game steps have
/// their own tests.
fn is_changed(suite: &Suite, file: &str) -> bool {
    let companions = suite.documents().iter().flat_map(pencil::goes_with);
    !companions.chain([games::planning::STEPS.to_owned()]).any(|companion| Path::new(file).ends_with(companion))
}

/// Tries the mutants of one file. `counts` holds the number of mutants and the number of those that
/// have been tried.
fn try_mutants(
    options: &MutantOptions,
    suite: &Suite,
    counts: &[AtomicUsize; 2],
    stop: &CancelToken,
) -> Result<SuiteMutants, Failure> {
    let settings = options.program.settings();
    let limit = options.common.time_limit.map(Duration::from_secs_f64);
    let mutants = mutants_of(suite, |file| is_changed(suite, file))?;
    let copy = copy_of_stdin(suite)?;
    let first = &suite.documents()[0];
    let named = first.path.clone().unwrap_or_else(|| PathBuf::from(&first.name));
    let file = copy.as_ref().map_or(&*named, NamedTempFile::path);
    let mut unchanged = start_worker(options, file, stop)?;
    let began = Instant::now();
    let status = unchanged.as_mut().and_then(|worker| ask(worker, UNCHANGED, limit.unwrap_or(Duration::MAX), stop));
    let failing = match status {
        Some(MutantStatus::Killed(number)) => {
            // An invalid program is reported as such.
            suite.run(number, &settings, stop)?;
            let test = &suite.tests()[number];
            let text = format!("the test {} fails without any change", test.name);
            let help = "without --mutants the answer set is shown that breaks it";
            Some(Diagnostic::error(Code::FailedTest, text).at(Some(test.place.clone())).help(help))
        }
        Some(MutantStatus::TimedOut) => {
            let file = &suite.documents()[0].name;
            Some(Diagnostic::warning(
                Code::UndecidedTest,
                format!("{file}: without any change the tests do not end within the limits"),
            ))
        }
        Some(MutantStatus::Survived) | None => None,
    };
    if failing.is_some() {
        return Ok(SuiteMutants { failing, ..SuiteMutants::default() });
    }
    let timeout = limit.unwrap_or(BASE_TIMEOUT + 10 * began.elapsed());
    drop(unchanged);
    counts[0].fetch_add(mutants.len(), Ordering::Relaxed);
    let (next, statuses) = (AtomicUsize::new(0), Mutex::new(vec![None; mutants.len()]));
    let try_next_mutants = || -> Result<(), Failure> {
        let mut worker = None;
        while stop.requested().is_none() {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= mutants.len() {
                break;
            }
            let current = worker.take().map_or_else(|| start_worker(options, file, stop), |worker| Ok(Some(worker)))?;
            let Some(mut current) = current else { break };
            let status = ask(&mut current, number, timeout, stop);
            // A worker that is still busy is killed together with its mutant.
            worker = (status != Some(MutantStatus::TimedOut)).then_some(current);
            statuses.lock()[number] = status;
            counts[1].fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    };
    thread::scope(|scope| {
        let threads: Vec<_> =
            (0..runner::threads(options.common.threads)).map(|_| scope.spawn(try_next_mutants)).collect();
        let results =
            threads.into_iter().map(|handle| handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        results.collect::<Result<Vec<()>, Failure>>()
    })?;
    Ok(SuiteMutants { mutants, statuses: statuses.into_inner(), failing: None })
}

/// Copies a text that came from standard input, which workers cannot read again.
fn copy_of_stdin(suite: &Suite) -> Result<Option<NamedTempFile>, Failure> {
    let first = &suite.documents()[0];
    let copy = (first.name == "<stdin>").then(|| -> io::Result<NamedTempFile> {
        let mut copy = NamedTempFile::with_suffix(".lp")?;
        copy.write_all(first.text.as_bytes())?;
        Ok(copy)
    });
    Ok(copy.transpose().map_err(cannot_start)?)
}

fn cannot_start(error: io::Error) -> Diagnostic {
    Diagnostic::error(Code::System, format!("cannot start a process: {error}"))
}

/// Starts a worker that reads the suite in `file` and waits until it is ready. Returns `None` if
/// the run is to stop.
fn start_worker(
    options: &MutantOptions,
    file: &Path,
    stop: &CancelToken,
) -> Result<Option<Worker<Receiver<String>>>, Failure> {
    let mut arguments: Vec<OsString> = vec!["test".into(), "--mutant-worker".into(), "--memory-limit".into()];
    arguments.push(options.memory.memory_limit.unwrap_or(DEFAULT_MEMORY_MB).to_string().into());
    arguments.extend(options.program.constants.iter().map(|(name, value)| format!("--const={name}={value}").into()));
    let folders = options.program.folder.asp_dir.iter();
    arguments.extend(folders.flat_map(|folder| ["--asp-dir".into(), folder.clone().into_os_string()]));
    let (sender, answers) = mpsc::channel();
    let mut program = subprocess::this_program().map_err(cannot_start)?;
    let command = program.args(arguments).arg("--").arg(file).args(&options.program_files);
    let process = subprocess::LineProcess::start(command, move |answer| drop(sender.send(answer)));
    let process = process.map_err(cannot_start)?;
    loop {
        match answers.recv_timeout(TICK) {
            Ok(_) => return Ok(Some(Worker::new(process, answers))),
            Err(RecvTimeoutError::Timeout) if stop.requested().is_none() => {}
            Err(_) if is_stopping(stop) => return Ok(None),
            Err(_) => {
                let text = "the process that tries the mutants ended before the first one";
                return Err(Diagnostic::error(Code::Usage, text).into());
            }
        }
    }
}

/// Returns the status of a mutant, or `None` if the run is to stop.
fn ask(
    worker: &mut Worker<Receiver<String>>,
    mutant: impl Display,
    timeout: Duration,
    stop: &CancelToken,
) -> Option<MutantStatus> {
    let began = Instant::now();
    worker.send(mutant);
    loop {
        match worker.answers.recv_timeout(TICK) {
            Ok(answer) => return Some(answer.parse().map_or(MutantStatus::Survived, MutantStatus::Killed)),
            Err(RecvTimeoutError::Timeout) if stop.requested().is_some() => return None,
            Err(RecvTimeoutError::Timeout) if began.elapsed() < timeout => {}
            Err(_) => return (!is_stopping(stop)).then_some(MutantStatus::TimedOut),
        }
    }
}

/// Returns true if a worker may have ended because the run is stopping: Ctrl-C also reaches the
/// worker, and perhaps first.
fn is_stopping(stop: &CancelToken) -> bool {
    thread::sleep(TICK);
    stop.requested().is_some()
}

/// The final report.
#[derive(Default)]
struct Report<'a> {
    failing: Vec<(&'a Suite, &'a Diagnostic)>,
    total: usize,
    killed: usize,
    timed_out: usize,
    /// The number of surviving mutants that are listed as equivalent.
    listed: usize,
    not_tried: usize,
    survived: Vec<(&'a Suite, &'a Mutant)>,
    /// Mutants that are listed as equivalent, but killed; the text says by which test.
    wrongly_listed: Vec<(&'a Suite, &'a Mutant, String)>,
}

impl<'a> Report<'a> {
    fn of(suites: &'a [Suite], all: &'a [SuiteMutants]) -> Self {
        let mut report = Report::default();
        for (suite, tried) in suites.iter().zip(all) {
            report.failing.extend(tried.failing.iter().map(|failing| (suite, failing)));
            report.total += tried.mutants.len();
            for (mutant, status) in tried.mutants.iter().zip(&tried.statuses) {
                match (status, &mutant.equivalent) {
                    (None, _) => report.not_tried += 1,
                    (Some(MutantStatus::Survived), None) => report.survived.push((suite, mutant)),
                    (Some(MutantStatus::Survived), Some(_)) => report.listed += 1,
                    (Some(MutantStatus::Killed(_) | MutantStatus::TimedOut), None) => {
                        report.killed += 1;
                        report.timed_out += usize::from(*status == Some(MutantStatus::TimedOut));
                    }
                    (Some(MutantStatus::Killed(test)), Some(_)) => {
                        let reason = format!("the test {} notices this mutant", suite.tests()[*test].name);
                        report.wrongly_listed.push((suite, mutant, reason));
                    }
                    (Some(MutantStatus::TimedOut), Some(_)) => {
                        let reason = "this mutant is noticed: it does not end".to_owned();
                        report.wrongly_listed.push((suite, mutant, reason));
                    }
                }
            }
        }
        report
    }

    fn exit_code(&self) -> i32 {
        let timeouts = self.failing.iter().filter(|(_, failing)| failing.severity == Severity::Warning).count();
        let failing = self.failing.len() - timeouts;
        match (failing + self.survived.len() + self.wrongly_listed.len(), self.not_tried + timeouts) {
            (1.., _) => 1,
            (0, 1..) => 3,
            (0, 0) => 0,
        }
    }

    /// Returns the messages, each with the suite that it is about.
    fn diagnostics(&self) -> Vec<(&'a Suite, Diagnostic)> {
        let failing = self.failing.iter().map(|(suite, failing)| (*suite, (*failing).clone()));
        let survived = self.survived.iter().map(|(suite, mutant)| {
            let diagnostic =
                Diagnostic::error(Code::SurvivingMutant, format!("no test notices that {}", mutant.words()));
            (*suite, diagnostic.at(Some(mutant.change.place.clone())).help(mutant.name()))
        });
        let wrongly_listed = self.wrongly_listed.iter().map(|(suite, mutant, reason)| {
            let place = mutant.equivalent.as_ref().map(|(_, place)| place.clone());
            let diagnostic = Diagnostic::error(Code::InvalidMutants, reason).at(place);
            (*suite, diagnostic.help("it must not be listed as equivalent"))
        });
        failing.chain(survived).chain(wrongly_listed).collect()
    }

    fn text(&self, color: bool, elapsed: Duration) -> String {
        let underlined = |(suite, diagnostic): (&Suite, Diagnostic)| {
            messages::rendered(&diagnostic, suite.documents(), color) + "\n\n"
        };
        let mut text: String = self.diagnostics().into_iter().map(underlined).collect();
        text += &format!("{}: {} noticed", count(self.total, "mutant", "mutants"), self.killed);
        for (number, words) in [
            (self.timed_out, "of them because they do not end"),
            (self.listed, "listed, since they change nothing"),
            (self.wrongly_listed.len(), "listed and noticed"),
            (self.not_tried, "not tried"),
        ] {
            if number > 0 {
                text += &format!(", {number} {words}");
            }
        }
        text + &format!(", {} unnoticed; finished in {:.2} s\n", self.survived.len(), elapsed.as_secs_f64())
    }

    fn json(&self, elapsed: Duration) -> Value {
        let mutant_json = |mutant: &Mutant| {
            let place = &mutant.change.place;
            json!({
                "file": place.file, "line": place.start.line, "column": place.start.column, "from": mutant.change.from,
                "to": mutant.change.to, "name": mutant.name(), "words": mutant.words(),
            })
        };
        json!({
            "schema": 1, "failing": self.failing.iter().map(|(_, failing)| &failing.message).collect::<Vec<_>>(), "mutants": self.total, "noticed": self.killed, "endless": self.timed_out, "listed": self.listed,
            "not_tried": self.not_tried, "unnoticed": self.survived.iter().map(|(_, mutant)| mutant_json(mutant)).collect::<Vec<_>>(),
            "wrongly_listed": self.wrongly_listed.iter().map(|(_, mutant, _)| mutant_json(mutant)).collect::<Vec<_>>(),
            "seconds": elapsed.as_secs_f64(),
        })
    }
}
