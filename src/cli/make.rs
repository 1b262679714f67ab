//! `play`, `generate` and the tools: runs that do something else than solve.

use std::io::{self, IsTerminal, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use clap::ArgMatches;

use super::args::{Common, Generate, Inspect, Play, PlayFormat};
use super::runner::{self, End, Limits, Runner};
use super::{input, messages, output, read, wants_color};
use crate::asp;
use crate::diagnostic::{Diagnostic, Failure};
use crate::document::Document;
use crate::ending::Verdict;
use crate::puzzle::{self, Case, Entry, Job, Made, Maker, Played, Player, Role, Rules, Tool};
use crate::report::Style;
use crate::stop::{Reason, Stop};

/// Plays, prints the report and gives the exit code.
pub fn play(player: &'static dyn Player, args: &Play, matches: &ArgMatches) -> i32 {
    let delay = Duration::from_millis(args.delay);
    // What one watches goes where the report for a person goes; JSON stays alone. On a terminal each frame replaces the last.
    let is_alone = args.format == PlayFormat::Json;
    let is_terminal = if is_alone { io::stderr().is_terminal() } else { io::stdout().is_terminal() };
    let show = move |frame: &str| {
        let mut out: Box<dyn Write> = if is_alone { Box::new(io::stderr()) } else { Box::new(io::stdout()) };
        let clear = if is_terminal { "\x1b[H\x1b[2J" } else { "" };
        let shown = write!(out, "{clear}{frame}").and_then(|()| out.flush());
        if is_terminal {
            thread::sleep(delay);
        }
        if shown.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let matches = matches.clone();
    let played = run(&args.common, show, move |job| player.play(&matches, job));
    let written = played.and_then(|played| {
        let Played { json, text, gave_up } = match played {
            Ok(played) => played,
            Err(reason) => return Ok(Some(reason)),
        };
        let text = match args.format {
            PlayFormat::Text => text,
            PlayFormat::Json => format!("{json:#}\n"),
        };
        write(&args.common, args.common.output.as_deref(), &[], &text)?;
        Ok(gave_up)
    });
    code(&args.common, written)
}

/// Makes instances, prints them or writes their files, and gives the exit code.
pub fn generate(maker: &'static dyn Maker, args: &Generate, matches: &ArgMatches) -> i32 {
    let (own, matches) = (args.clone(), matches.clone());
    let show = |_: &str| ControlFlow::Continue(());
    let made = run(&args.common, show, move |job| make(maker, &own, &matches, job));
    code(&args.common, made.map(|made| made.unwrap_or_else(Some)))
}

fn make(
    maker: &'static dyn Maker,
    args: &Generate,
    matches: &ArgMatches,
    job: &mut Job<'_>,
) -> Result<Option<Reason>, Failure> {
    let output = args.common.output.as_deref();
    if args.count > 1 && output.is_some_and(|path| !path.to_string_lossy().contains("{n}")) {
        let text = "--count with --output: the name must have {n} in it, for the number of each file";
        return Err(Diagnostic::error(text).into());
    }
    for number in 1..=args.count {
        let path = output.map(|path| output::numbered(path, number));
        let write = |text: &str| write(&args.common, path.as_deref(), &[], text);
        match maker.make(matches, args.seed.wrapping_add(number - 1), job)? {
            Made::Whole(text) => write(&text)?,
            Made::Short { best, lacks, reason } => {
                best.map_or(Ok(()), |text| write(&text))?;
                messages::say(format_args!("instance {number} lacks {lacks}"));
                return Ok(Some(reason));
            }
        }
    }
    Ok(None)
}

/// Does what a tool does with an instance, prints it and gives the exit code.
pub fn inspect(entry: &'static dyn Entry, tool: &'static dyn Tool, args: &Inspect, matches: &ArgMatches) -> i32 {
    let (own, matches) = (args.clone(), matches.clone());
    let show = |_: &str| ControlFlow::Continue(());
    let result = run(&args.common, show, move |job| {
        let mut documents = Vec::new();
        let result = inspected(entry, tool, &own, &matches, &mut documents, job);
        // Whatever failed while stopping failed because of it.
        Ok(match (result, job.stop.requested()) {
            (Err(_), Some(reason)) => (Ok((Verdict::GaveUp(reason), Vec::new())), documents),
            (result, _) => (result, documents),
        })
    });
    let color = wants_color(args.common.color, &io::stderr());
    let (result, documents) = match result {
        Ok(Ok(done)) => done,
        Ok(Err(reason)) => (Ok((Verdict::GaveUp(reason), Vec::new())), Vec::new()),
        Err(failure) => (Err(failure), Vec::new()),
    };
    match result {
        Ok((verdict, warnings)) => {
            if !args.common.quiet {
                messages::print(&warnings, &documents, color);
            }
            match verdict {
                Verdict::Solved => 0,
                Verdict::Impossible => 1,
                Verdict::GaveUp(reason) => code(&args.common, Ok(Some(reason))),
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
    job: &mut Job<'_>,
) -> Result<(Verdict, Vec<Diagnostic>), Failure> {
    documents.extend(read(&args.files, job.stop)?);
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
    let done = tool.run(&case, job)?;
    write(&args.common, args.common.output.as_deref(), &output::files(documents), &done.output)?;
    Ok((done.verdict, done.warnings))
}

/// Time for the work to end when it is asked to: it may have the best of what it found to check.
const GRACE: Duration = Duration::from_secs(2);

/// Runs `work` and watches it; the inner error is why it was abandoned.
fn run<T: Send + 'static>(
    common: &Common,
    mut show: impl FnMut(&str) -> ControlFlow<()> + Send + 'static,
    work: impl FnOnce(&mut Job<'_>) -> Result<T, Failure> + Send + 'static,
) -> Result<Result<T, Reason>, Failure> {
    let time = common.time_limit.map(Duration::from_secs_f64);
    let mut runner = Runner::new(Limits { time, memory: None, grace: GRACE }, !common.quiet);
    let threads = runner::threads(common.threads);
    let style =
        Style { color: common.output.is_none() && wants_color(common.color, &io::stdout()), ..Style::default() };
    let counts = Arc::new([AtomicU64::new(0), AtomicU64::new(0)]);
    let told = counts.clone();
    let work = move |stop: &Stop| {
        let progress = |done, all| {
            counts[0].store(done, Ordering::Relaxed);
            counts[1].store(all, Ordering::Relaxed);
        };
        work(&mut Job { threads, stop, style, progress: &progress, show: &mut show })
    };
    let [done, all] = &*told;
    let how_far = || match all.load(Ordering::Relaxed) {
        0 => None,
        all => Some(format!("{} of {all}", done.load(Ordering::Relaxed))),
    };
    match runner.run(work, how_far) {
        End::Done(result) => result.map(Ok),
        End::Abandoned(reason) => Ok(Err(reason)),
        End::Failed(diagnostic) => Err(diagnostic.into()),
    }
}

/// To standard output or to a file, all or nothing.
fn write(common: &Common, path: Option<&Path>, inputs: &[&Path], text: &str) -> Result<(), Failure> {
    output::write(path, inputs, wants_color(common.color, &io::stdout()), text)
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
