//! `test --mutants`: which changes of a program its tests do not notice.
//!
//! A mutant may ground for ever, which nothing ends but the end of the process. So this program starts itself as workers.
//! A worker reads a file of tests once, and then the number of a mutant from each line of its standard input, or that nothing
//! is changed; it answers with the number of the test that notices it, or `null`. One that does not answer in time is ended, and
//! another takes its place. It ends by itself when its input ends.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fmt::Display;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::NamedTempFile;

use super::runner::{self, Runner};
use super::test::Test;
use super::{child, messages};
use crate::author::mutants::{Fate, Mutant, mutants_of};
use crate::author::tests::Suite;
use crate::diagnostic::{Diagnostic, Failure, Level};
use crate::document::Document;
use crate::puzzle;
use crate::puzzle::report::written;
use crate::report::Format;
use crate::stop::Stop;
use crate::words::count;

/// A mutant may take so long, and ten times as long as all tests take without a change.
const PATIENCE: Duration = Duration::from_secs(5);
/// A mutant may take so much memory, unless somebody says how much.
const MEGABYTES: u64 = 1000;
const TICK: Duration = Duration::from_millis(50);
/// What a worker is told in place of a mutant's number for the tests as they are.
const UNCHANGED: &str = "unchanged";

/// The mutants of one file of tests, each with what came of it; nothing where there was no time for it.
#[derive(Default)]
struct Tried {
    mutants: Vec<Mutant>,
    fates: Vec<Option<Fate>>,
    /// A test that fails without any change, or as a warning, that they do not end; then no mutant is tried.
    failing: Option<Diagnostic>,
}

/// Tries all mutants, tells of those that are not noticed, and gives the exit code.
pub fn run(args: &Test, format: Format, suites: &Arc<Vec<Suite>>, runner: &mut Runner) -> Result<i32, Failure> {
    let began = Instant::now();
    let ended = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
    let work = {
        let (args, suites, ended) = (args.clone(), suites.clone(), ended.clone());
        move |_: &mut Vec<Document>, stop: &Stop| suites.iter().map(|suite| tried(&args, suite, &ended, stop)).collect()
    };
    let how_far = || {
        let [made, met] = [&ended[0], &ended[1]].map(|number| number.load(Ordering::Relaxed));
        Some(format!("{met} of {}", count(made, "mutant", "mutants")))
    };
    let all: Vec<Tried> = match runner.attend(work, how_far).0? {
        Ok(all) => all,
        Err(reason) => return Ok(messages::gave_up(reason)),
    };
    let report = Report::of(suites, &all);
    let writing = &args.common.writing;
    let text = match format {
        Format::Json => format!("{:#}\n", report.json(began.elapsed())),
        _ => report.text(writing.color(), began.elapsed()),
    };
    Ok(writing.conclude(&text, || report.exit_code()))
}

/// Answers for the mutants of a file whose numbers come on standard input.
pub fn work(args: &Test, suites: &Arc<Vec<Suite>>, runner: &mut Runner) -> Result<i32, Failure> {
    let settings = args.program.settings();
    // What a file includes comes after it, if it has tests.
    let Some(suite) = suites.first().cloned() else { return Ok(0) };
    let questions = child::questions();
    let work = move |_: &mut Vec<Document>, stop: &Stop| {
        let mutants = mutants_of(&suite, |file| is_changed(&suite, file))?;
        let mut order: VecDeque<usize> = (0..suite.tests().len()).collect();
        let mut told = child::answer(json!("ready"));
        for line in questions {
            let fate = match line.parse().ok().and_then(|number: usize| mutants.get(number)) {
                Some(mutant) => mutant.meet(&suite, order.make_contiguous(), &settings, stop),
                None => {
                    let fails = |&test: &usize| !suite.run(test, &settings, stop).is_ok_and(|outcome| outcome.passed());
                    (0..suite.tests().len()).find(fails).map_or(Fate::Unnoticed, Fate::Noticed)
                }
            };
            let noticed = match fate {
                Fate::Noticed(test) => {
                    // What notices one change of a rule often notices the next.
                    order.retain(|&other| other != test);
                    order.push_front(test);
                    Some(test)
                }
                _ => None,
            };
            told = told.and_then(|()| child::answer(json!(noticed)));
        }
        written(told)
    };
    Ok(runner.attend(work, || None).0?.map_or(3, |()| 0))
}

/// Whether the rules of a file are changed. A file that others here say they go with has tests of its own, and what the atoms
/// of games mean is no game's matter.
fn is_changed(suite: &Suite, file: &str) -> bool {
    let companions = suite.documents().iter().flat_map(puzzle::logic::goes_with);
    !companions.chain([puzzle::STEPS.to_owned()]).any(|companion| Path::new(file).ends_with(companion))
}

/// The mutants of one file; `ended` counts them, and those that have been tried.
fn tried(args: &Test, suite: &Suite, ended: &[AtomicUsize; 2], stop: &Stop) -> Result<Tried, Failure> {
    let settings = args.program.settings();
    let limit = args.common.time_limit.map(Duration::from_secs_f64);
    let mutants = mutants_of(suite, |file| is_changed(suite, file))?;
    let unchanged = Worker::start(args, suite, stop)?;
    let began = Instant::now();
    let fate = unchanged.as_ref().and_then(|worker| worker.ask(UNCHANGED, limit.unwrap_or(Duration::MAX), stop));
    let failing = match fate {
        Some(Fate::Noticed(number)) => {
            // What is wrong with its program is told as that.
            suite.run(number, &settings, stop)?;
            let test = &suite.tests()[number];
            let text = format!("the test {} fails without any change", test.name);
            let help = "without --mutants the answer set is shown that breaks it";
            Some(Diagnostic::error(text).at(Some(test.place.clone())).help(help))
        }
        Some(Fate::Endless) => {
            let file = &suite.documents()[0].name;
            Some(Diagnostic::warning(format!("{file}: without any change the tests do not end within the limits")))
        }
        Some(Fate::Unnoticed) | None => None,
    };
    if failing.is_some() {
        return Ok(Tried { failing, ..Tried::default() });
    }
    let patience = limit.unwrap_or(PATIENCE + 10 * began.elapsed());
    drop(unchanged);
    ended[0].fetch_add(mutants.len(), Ordering::Relaxed);
    let (next, fates) = (AtomicUsize::new(0), Mutex::new(vec![None; mutants.len()]));
    let take_turns = || -> Result<(), Failure> {
        let mut worker = None;
        while stop.requested().is_none() {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= mutants.len() {
                break;
            }
            let at_work = worker.take().map_or_else(|| Worker::start(args, suite, stop), |worker| Ok(Some(worker)))?;
            let Some(at_work) = at_work else { break };
            let fate = at_work.ask(number, patience, stop);
            // Whoever is still at it is ended with its mutant.
            worker = (fate != Some(Fate::Endless)).then_some(at_work);
            fates.lock().unwrap_or_else(PoisonError::into_inner)[number] = fate;
            ended[1].fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    };
    thread::scope(|scope| {
        let turns: Vec<_> = (0..runner::threads(args.common.threads)).map(|_| scope.spawn(take_turns)).collect();
        let ended = turns.into_iter().map(|turn| turn.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        ended.collect::<Result<Vec<()>, Failure>>()
    })?;
    Ok(Tried { mutants, fates: fates.into_inner().unwrap_or_else(PoisonError::into_inner), failing: None })
}

/// A process that tries one mutant after the other; dropping it ends the process.
struct Worker {
    process: child::Worker,
    answers: Receiver<String>,
    /// The text, where it came by standard input.
    _copy: Option<NamedTempFile>,
}

impl Worker {
    /// None where it is to stop.
    fn start(args: &Test, suite: &Suite, stop: &Stop) -> Result<Option<Worker>, Failure> {
        let first = &suite.documents()[0];
        let failed = |error: io::Error| Diagnostic::error(format!("no process can be started: {error}"));
        // The standard input has been read.
        let copy = (first.name == "<stdin>").then(|| -> io::Result<NamedTempFile> {
            let mut copy = NamedTempFile::with_suffix(".lp")?;
            copy.write_all(first.text.as_bytes())?;
            Ok(copy)
        });
        let copy = copy.transpose().map_err(failed)?;
        let named = first.path.clone().unwrap_or_else(|| PathBuf::from(&first.name));
        let file = copy.as_ref().map_or(named, |copy| copy.path().to_owned());
        let mut options: Vec<OsString> = vec!["test".into(), "--mutant-worker".into(), "--memory-limit".into()];
        options.push(args.memory.memory_limit.unwrap_or(MEGABYTES).to_string().into());
        options.extend(args.program.constants.iter().map(|(name, value)| format!("--const={name}={value}").into()));
        options.extend(
            args.program.folder.asp_dir.iter().flat_map(|folder| ["--asp-dir".into(), folder.clone().into_os_string()]),
        );
        let (sender, answers) = mpsc::channel();
        let mut program = child::this_program().map_err(failed)?;
        let process =
            child::Worker::start(program.args(options).arg("--").arg(file).args(&args.beside), move |answer| {
                drop(sender.send(answer));
            });
        let process = process.map_err(failed)?;
        loop {
            match answers.recv_timeout(TICK) {
                Ok(_) => return Ok(Some(Worker { process, answers, _copy: copy })),
                Err(RecvTimeoutError::Timeout) if stop.requested().is_none() => {}
                Err(_) if is_stopping(stop) => return Ok(None),
                Err(_) => {
                    let text = "the process that tries the mutants has ended before the first";
                    return Err(Diagnostic::error(text).into());
                }
            }
        }
    }

    /// What comes of a mutant; nothing where it is asked to stop.
    fn ask(&self, mutant: impl Display, patience: Duration, stop: &Stop) -> Option<Fate> {
        let began = Instant::now();
        self.process.ask(mutant);
        loop {
            match self.answers.recv_timeout(TICK) {
                Ok(answer) => return Some(answer.parse().map_or(Fate::Unnoticed, Fate::Noticed)),
                Err(RecvTimeoutError::Timeout) if stop.requested().is_some() => return None,
                Err(RecvTimeoutError::Timeout) if began.elapsed() < patience => {}
                Err(_) => return (!is_stopping(stop)).then_some(Fate::Endless),
            }
        }
    }
}

/// Whether a worker that has ended may have done so because all is to stop: Ctrl-C comes to it as well, and perhaps first.
fn is_stopping(stop: &Stop) -> bool {
    thread::sleep(TICK);
    stop.requested().is_some()
}

/// What there is to say in the end.
#[derive(Default)]
struct Report<'a> {
    failing: Vec<(&'a Suite, &'a Diagnostic)>,
    made: usize,
    noticed: usize,
    endless: usize,
    listed: usize,
    untried: usize,
    unnoticed: Vec<(&'a Suite, &'a Mutant)>,
    /// Said to change nothing, and noticed.
    wrongly_listed: Vec<(&'a Suite, &'a Mutant, String)>,
}

impl<'a> Report<'a> {
    fn of(suites: &'a [Suite], all: &'a [Tried]) -> Self {
        let mut report = Report::default();
        for (suite, tried) in suites.iter().zip(all) {
            report.failing.extend(tried.failing.iter().map(|failing| (suite, failing)));
            report.made += tried.mutants.len();
            for (mutant, fate) in tried.mutants.iter().zip(&tried.fates) {
                match (fate, &mutant.equivalent) {
                    (None, _) => report.untried += 1,
                    (Some(Fate::Unnoticed), None) => report.unnoticed.push((suite, mutant)),
                    (Some(Fate::Unnoticed), Some(_)) => report.listed += 1,
                    (Some(Fate::Noticed(_) | Fate::Endless), None) => {
                        report.noticed += 1;
                        report.endless += usize::from(*fate == Some(Fate::Endless));
                    }
                    (Some(Fate::Noticed(test)), Some(_)) => {
                        let by = format!("the test {} notices this mutant", suite.tests()[*test].name);
                        report.wrongly_listed.push((suite, mutant, by));
                    }
                    (Some(Fate::Endless), Some(_)) => {
                        let by = "this mutant is noticed: it does not end".to_owned();
                        report.wrongly_listed.push((suite, mutant, by));
                    }
                }
            }
        }
        report
    }

    fn exit_code(&self) -> i32 {
        let unended = self.failing.iter().filter(|(_, failing)| failing.level == Level::Warning).count();
        let failing = self.failing.len() - unended;
        match (failing + self.unnoticed.len() + self.wrongly_listed.len(), self.untried + unended) {
            (1.., _) => 1,
            (0, 1..) => 3,
            (0, 0) => 0,
        }
    }

    fn text(&self, color: bool, took: Duration) -> String {
        let underlined = |suite: &Suite, told: Diagnostic| messages::rendered(&told, suite.documents(), color) + "\n\n";
        let mut text: String =
            self.failing.iter().map(|(suite, failing)| underlined(suite, (*failing).clone())).collect();
        for (suite, mutant) in &self.unnoticed {
            let told = Diagnostic::error(format!("no test notices that {}", mutant.words()));
            text += &underlined(suite, told.at(Some(mutant.change.place.clone())).help(mutant.name()));
        }
        for (suite, mutant, by) in &self.wrongly_listed {
            let place = mutant.equivalent.as_ref().map(|(_, place)| place.clone());
            text += &underlined(suite, Diagnostic::error(by).at(place).help("it must not be listed as equivalent"));
        }
        text += &format!("{}: {} noticed", count(self.made, "mutant", "mutants"), self.noticed);
        for (number, words) in [
            (self.endless, "of them because they do not end"),
            (self.listed, "listed, since they change nothing"),
            (self.wrongly_listed.len(), "listed and noticed"),
            (self.untried, "not tried"),
        ] {
            if number > 0 {
                text += &format!(", {number} {words}");
            }
        }
        text + &format!(", {} unnoticed; finished in {:.2} s\n", self.unnoticed.len(), took.as_secs_f64())
    }

    fn json(&self, took: Duration) -> Value {
        let told = |mutant: &Mutant| {
            let place = &mutant.change.place;
            json!({
                "file": place.file, "line": place.start.line, "column": place.start.column, "from": mutant.change.from,
                "to": mutant.change.to, "name": mutant.name(), "words": mutant.words(),
            })
        };
        json!({
            "schema": 1, "failing": self.failing.iter().map(|(_, failing)| &failing.text).collect::<Vec<_>>(), "mutants": self.made, "noticed": self.noticed, "endless": self.endless, "listed": self.listed,
            "not_tried": self.untried, "unnoticed": self.unnoticed.iter().map(|(_, mutant)| told(mutant)).collect::<Vec<_>>(),
            "wrongly_listed": self.wrongly_listed.iter().map(|(_, mutant, _)| told(mutant)).collect::<Vec<_>>(),
            "seconds": took.as_secs_f64(),
        })
    }
}
