//! `play`, `generate` and the tools: runs that do something else than solve.

use std::io::{self, IsTerminal, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use clap::ArgMatches;

use super::args::{Common, Generate, Inspect, Play, PlayFormat};
use super::guard::STACK_BYTES;
use super::messages::Progress;
use super::{input, messages, open_output, read, wants_color, write_opened};
use crate::asp;
use crate::diagnostic::{Diagnostic, Failure};
use crate::document::Document;
use crate::ending::Verdict;
use crate::puzzle::{self, Case, Entry, Job, Made, Maker, Player, Role, Rules, Tool};
use crate::report::Style;
use crate::stop::{Reason, Stop};

/// Plays, prints the report and gives the exit code.
pub fn play(player: &'static dyn Player, args: &Play, matches: &ArgMatches) -> i32 {
    let delay = Duration::from_millis(args.delay);
    // What one watches goes where the report for a person goes; JSON stays alone. On a terminal each frame replaces the last.
    let is_alone = args.format == PlayFormat::Json;
    let is_terminal = if is_alone { io::stderr().is_terminal() } else { io::stdout().is_terminal() };
    let mut show = |frame: &str| {
        let mut out: Box<dyn Write> = if is_alone { Box::new(io::stderr()) } else { Box::new(io::stdout()) };
        let clear = if is_terminal { "\x1b[H\x1b[2J" } else { "" };
        let shown = write!(out, "{clear}{frame}").and_then(|()| out.flush());
        if is_terminal {
            thread::sleep(delay);
        }
        if shown.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let played = run(&args.common, &mut show, |job| player.play(matches, job));
    let written = played.and_then(|played| {
        let text = match args.format {
            PlayFormat::Text => played.text,
            PlayFormat::Json => format!("{:#}\n", played.json),
        };
        write(args.common.output.as_deref(), &text)?;
        Ok(played.gave_up)
    });
    code(&args.common, written)
}

/// Makes instances, prints them or writes their files, and gives the exit code.
pub fn generate(maker: &'static dyn Maker, args: &Generate, matches: &ArgMatches) -> i32 {
    let mut show = |_: &str| ControlFlow::Continue(());
    let made = run(&args.common, &mut show, |job| {
        if args.count > 1 && args.common.output.as_deref().is_some_and(|path| !path.to_string_lossy().contains("{n}")) {
            let text = "--count with --output: the name must have {n} in it, for the number of each file";
            return Err(Diagnostic::error(text).into());
        }
        for number in 1..=args.count {
            let path = args.common.output.as_deref().map(|path| numbered(path, number));
            match maker.make(matches, args.seed.wrapping_add(number - 1), job)? {
                Made::Whole(text) => write(path.as_deref(), &text)?,
                Made::Short { best, lacks, reason } => {
                    if let Some(text) = best {
                        write(path.as_deref(), &text)?;
                    }
                    messages::say(format_args!("instance {number} lacks {lacks}"));
                    return Ok(Some(reason));
                }
            }
        }
        Ok(None)
    });
    code(&args.common, made)
}

/// The name of a file with its number in it.
pub fn numbered(path: &Path, number: u64) -> PathBuf {
    PathBuf::from(path.to_string_lossy().replace("{n}", &number.to_string()))
}

/// Does what a tool does with an instance, prints it and gives the exit code.
pub fn inspect(entry: &'static dyn Entry, tool: &'static dyn Tool, args: &Inspect, matches: &ArgMatches) -> i32 {
    let mut documents = Vec::new();
    let result = inspected(entry, tool, args, matches, &mut documents);
    let color = wants_color(args.common.color, &io::stderr());
    match result {
        Ok((verdict, warnings)) => {
            if !args.common.quiet {
                messages::print(&warnings, &documents, color);
            }
            match verdict {
                Verdict::Solved => 0,
                Verdict::Impossible => 1,
                Verdict::GaveUp(reason) => {
                    messages::say(format_args!("gave up: {}", reason.words()));
                    3
                }
            }
        }
        Err(failure) => messages::fail(&failure, &documents, color),
    }
}

fn inspected(
    entry: &'static dyn Entry,
    tool: &'static dyn Tool,
    args: &Inspect,
    matches: &ArgMatches,
    documents: &mut Vec<Document>,
) -> Result<(Verdict, Vec<Diagnostic>), Failure> {
    documents.extend(read(&args.files)?);
    let (name, puzzle) = (tool.name(), entry.about());
    if !puzzle::roles(entry, documents).contains(&Role::Instance) {
        let names: Vec<&str> = documents.iter().map(|document| document.name.as_str()).collect();
        let text = format!("{}: {name} takes an instance of {}", names.join(", "), puzzle.name);
        return Err(Diagnostic::error(text).help(format!("looked for {}", puzzle.input)).into());
    }
    let format = args.format.unwrap_or(tool.formats()[0]);
    if !tool.formats().contains(&format) {
        let known: Vec<String> = tool.formats().iter().map(|format| format.name()).collect();
        let text = format!("--format {}: {name} has {}", format.name(), known.join(", "));
        return Err(Diagnostic::error(text).into());
    }
    let known = Vec::from_iter(tool.encoding());
    let mut encodings = Vec::new();
    for encoding in &known {
        encodings = input::encoding(encoding, args.asp_dir.as_deref())?;
    }
    let rules = Rules::of(&known, puzzle.facts, &encodings, documents);
    let instance = documents.clone();
    documents.extend(encodings.iter().cloned());
    let settings = asp::Settings { constants: args.constants.clone(), ..asp::Settings::default() };
    let case =
        Case { documents: &instance, encodings: &encodings, rules: &rules, settings: &settings, format, matches };
    let mut show = |_: &str| ControlFlow::Continue(());
    let done = run(&args.common, &mut show, |job| tool.run(&case, job))?;
    write(args.common.output.as_deref(), &done.output)?;
    Ok((done.verdict, done.warnings))
}

/// Time for the work to end when it is asked to; clingo's grounder cannot be interrupted.
const GRACE: Duration = Duration::from_secs(2);

/// Runs `work` in a thread with a stack for deeply nested terms, and watches it: a limit, Ctrl-C and progress.
fn run<T: Send>(
    common: &Common,
    show: &mut (dyn FnMut(&str) -> ControlFlow<()> + Send),
    work: impl FnOnce(&mut Job<'_>) -> Result<T, Failure> + Send,
) -> Result<T, Failure> {
    let stop = Stop::new();
    let (began, asked) = (Instant::now(), stop.clone());
    let mut count = 0;
    // It can only fail where a handler is set already, which is as good.
    let _ = ctrlc::set_handler(move || {
        count += 1;
        if count > 1 {
            asp::leave(3);
        }
        asked.request(Reason::Interrupted);
    });
    let (done, all) = (&AtomicU64::new(0), &AtomicU64::new(0));
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let style =
        Style { color: common.output.is_none() && wants_color(common.color, &io::stdout()), ..Style::default() };
    let work = Mutex::new(Some((work, show)));
    thread::scope(|scope| {
        let (sender, results) = mpsc::channel();
        let started = STACK_BYTES.into_iter().any(|bytes| {
            let (stop, work, sender) = (&stop, &work, sender.clone());
            let worker = move || {
                let Some((work, show)) = work.lock().expect("nobody panics with it").take() else { return };
                let mut job = Job {
                    threads: common.threads.map_or(cores, usize::from),
                    stop,
                    style,
                    progress: &|now, of| {
                        done.store(now, Ordering::Relaxed);
                        all.store(of, Ordering::Relaxed);
                    },
                    show,
                };
                // The one who waits may have given up.
                let _ = sender.send(work(&mut job));
            };
            thread::Builder::new().stack_size(bytes).spawn_scoped(scope, worker).is_ok()
        });
        drop(sender);
        if !started {
            return Err(Diagnostic::error("no thread can be started").into());
        }
        let mut progress = Progress::new(!common.quiet, began);
        let mut asked_at = None;
        loop {
            match results.recv_timeout(TICK) {
                Ok(result) => {
                    progress.clear();
                    return result;
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Diagnostic::error("the work failed; this is a defect of asp-solve").into());
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            if common.time_limit.is_some_and(|limit| began.elapsed().as_secs_f64() >= limit) {
                stop.request(Reason::TimeLimit);
            }
            if let Some(reason) = stop.requested()
                && asked_at.get_or_insert_with(Instant::now).elapsed() > GRACE
            {
                progress.clear();
                messages::say(format_args!("gave up: {}", reason.words()));
                asp::leave(3);
            }
            let whole = all.load(Ordering::Relaxed);
            if whole > 0 {
                progress.show(|| format!("{} of {whole}", done.load(Ordering::Relaxed)));
            }
        }
    })
}

const TICK: Duration = Duration::from_millis(20);

/// To standard output or to a file, all or nothing.
fn write(path: Option<&Path>, text: &str) -> Result<(), Failure> {
    write_opened(open_output(path)?, path, text).map_err(|error| match error.kind() {
        io::ErrorKind::BrokenPipe => Failure::default(),
        _ => Diagnostic::error(format!("cannot write the output: {error}")).into(),
    })
}

/// 0, 3 if it gave up, 2 for an error; that nobody reads the output is none.
fn code(common: &Common, result: Result<Option<Reason>, Failure>) -> i32 {
    match result {
        Ok(None) => 0,
        Ok(Some(reason)) => {
            messages::say(format_args!("gave up: {}", reason.words()));
            3
        }
        Err(failure) => messages::fail(&failure, &[], wants_color(common.color, &io::stderr())),
    }
}
