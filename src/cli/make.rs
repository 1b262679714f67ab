//! `play`, `generate` and the tools: runs that do something else than solve.

use std::io::{self, IsTerminal, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use clap::ArgMatches;
use clap::parser::ValueSource;

use super::args::{Common, Generate, Inspect, Play};
use super::door::{AnyTool, Entry};
use super::runner::{self, End, Limits, Runner};
use super::{input, messages, output, read, wants_color};
use crate::asp;
use crate::diagnostic::{Diagnostic, Failure};
use crate::document::Document;
use crate::ending::Verdict;
use crate::puzzle::{self, Done, Input, Means, Role, Rules};
use crate::report::{Format, Style};
use crate::stop::{Reason, Stop};

/// Between the moves that one watches.
const DELAY: Duration = Duration::from_millis(400);

/// Plays, prints the report and gives the exit code.
pub fn play(tool: &'static dyn AnyTool, args: &Play, matches: &ArgMatches) -> i32 {
    let asked = args.delay.map(Duration::from_millis);
    let delay = asked.unwrap_or(DELAY);
    // What one watches goes where the report for a person goes; JSON stays alone. On a terminal each frame replaces the last.
    let is_alone = args.format == Some(Format::Json);
    let is_terminal = if is_alone { io::stderr().is_terminal() } else { io::stdout().is_terminal() };
    let show = move |frame: &str| {
        let mut out: Box<dyn Write> = if is_alone { Box::new(io::stderr()) } else { Box::new(io::stdout()) };
        let _cleared = messages::clear_progress();
        let clear = if is_terminal { "\x1b[H\x1b[2J" } else { "" };
        let shown = write!(out, "{clear}{frame}").and_then(|()| out.flush());
        if is_terminal {
            thread::sleep(delay);
        }
        if shown.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let (own, matches) = (args.clone(), matches.clone());
    let played = run(&args.common, GRACE, show, move |means| {
        let input = Input { format: format(tool, own.format)?, delay: asked, ..nothing() };
        let done = tool.run(&matches, &input, means)?;
        write(&own.common, own.common.output.as_deref(), &[], &done.output)?;
        Ok(done)
    });
    code(&args.common, played, &[])
}

/// Makes instances, prints them or writes their files, and gives the exit code.
pub fn generate(tool: &'static dyn AnyTool, args: &Generate, matches: &ArgMatches) -> i32 {
    let (own, matches) = (args.clone(), matches.clone());
    let show = |_: &str| ControlFlow::Continue(());
    // What a board was begun with is not worth waiting for longer than for the board; clingo's grounder hears of no wish to stop.
    let grace = args.common.time_limit.map_or(GRACE, |seconds| GRACE.min(Duration::from_secs_f64(seconds)));
    let made = run(&args.common, grace, show, move |means| {
        let output = own.common.output.as_deref();
        if own.count > 1 && output.is_some_and(|path| !path.to_string_lossy().contains("{n}")) {
            let text = "--count with --output: the name must have {n} in it, for the number of each file";
            return Err(Diagnostic::error(text).into());
        }
        let Some(last_number) = own.from.checked_add(own.count) else {
            return Err(Diagnostic::error(format!("--from {}: a seed has 2⁶⁴ instances", own.from)).into());
        };
        let mut last = Done::solved(String::new());
        let encodings = tool.encoding().map(|encoding| input::encoding(&encoding, own.asp_dir.as_deref()));
        let encodings = encodings.transpose()?.unwrap_or_default();
        let format = format(tool, own.format)?;
        for number in own.from + 1..=last_number {
            let path = output.map(|path| output::numbered(path, number));
            let seed = own.seed.wrapping_add(number - 1);
            let input = Input { seed, format, encodings: &encodings, ..nothing() };
            last = tool.run(&matches, &input, means)?;
            if !last.output.is_empty() {
                write(&own.common, path.as_deref(), &[], &last.output)?;
            }
            if last.verdict != Verdict::Solved {
                break;
            }
        }
        Ok(last)
    });
    code(&args.common, made, &[])
}

/// The input of a tool that has none.
pub fn nothing() -> Input<'static> {
    static SETTINGS: asp::Settings =
        asp::Settings { constants: Vec::new(), models: None, threads: None, options: Vec::new(), check: false };
    Input {
        documents: &[],
        encodings: &[],
        rules: &Rules::Shipped(""),
        settings: &SETTINGS,
        seed: 0,
        format: Format::Text,
        delay: None,
    }
}

/// The format that was asked for, or the tool's first.
fn format(tool: &dyn AnyTool, asked: Option<Format>) -> Result<Format, Failure> {
    let format = asked.unwrap_or(tool.formats()[0]);
    if tool.formats().contains(&format) {
        return Ok(format);
    }
    let known: Vec<String> = tool.formats().iter().map(|format| format.name()).collect();
    Err(Diagnostic::error(format!("--format {}: {} has {}", format.name(), tool.name(), known.join(", "))).into())
}

/// Does what a tool does with an instance, prints it and gives the exit code.
pub fn inspect(entry: &'static dyn Entry, tool: &'static dyn AnyTool, args: &Inspect, matches: &ArgMatches) -> i32 {
    let (own, matches) = (args.clone(), matches.clone());
    let show = |_: &str| ControlFlow::Continue(());
    let result = run(&args.common, GRACE, show, move |means| {
        let mut documents = Vec::new();
        let result = inspected(entry, tool, &own, &matches, &mut documents, means);
        // Whatever failed while stopping failed because of it.
        Ok(match (result, means.stop.requested()) {
            (Err(_), Some(reason)) => (Ok(gave_up(reason)), documents),
            (result, _) => (result, documents),
        })
    });
    match result {
        Ok(Ok((result, documents))) => code(&args.common, result.map(Ok), &documents),
        Ok(Err(reason)) => code(&args.common, Ok(Err(reason)), &[]),
        Err(failure) => code(&args.common, Err(failure), &[]),
    }
}

fn gave_up(reason: Reason) -> Done {
    Done { verdict: Verdict::GaveUp(reason), ..Done::solved(String::new()) }
}

fn inspected(
    entry: &'static dyn Entry,
    tool: &'static dyn AnyTool,
    args: &Inspect,
    matches: &ArgMatches,
    documents: &mut Vec<Document>,
    means: &mut Means<'_>,
) -> Result<Done, Failure> {
    documents.extend(read(&args.files, means.stop)?);
    let (name, puzzle) = (tool.name(), entry.about());
    let is_given = |option: &str| matches.value_source(option) == Some(ValueSource::CommandLine);
    if name == "rate" && !puzzle::roles(entry, documents).contains(&Role::Instance) {
        if is_given("most_trips") {
            return Err(Diagnostic::error("--most-trips: only railways have trips").into());
        }
        let format = format(tool, args.format)?;
        let done = super::why::rate(args, format, matches.get_flag("deletion"), documents, means)?;
        write(&args.common, args.common.output.as_deref(), &output::files(documents), &done.output)?;
        return Ok(done);
    }
    if !puzzle::roles(entry, documents).contains(&Role::Instance) {
        let names: Vec<&str> = documents.iter().map(|document| document.name.as_str()).collect();
        let text = format!("{}: {name} takes an instance of {}", names.join(", "), puzzle.name);
        return Err(Diagnostic::error(text).help(format!("looked for {}", puzzle.input)).into());
    }
    let format = format(tool, args.format)?;
    if !format.is_picture() && matches.try_contains_id("layout").is_ok() && is_given("layout") {
        return Err(Diagnostic::error("--layout: it goes with a format that draws").into());
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
    let input = Input {
        documents: &instance,
        encodings: &encodings,
        rules: &rules,
        settings: &settings,
        seed: 0,
        format,
        delay: None,
    };
    let done = tool.run(matches, &input, means)?;
    write(&args.common, args.common.output.as_deref(), &output::files(documents), &done.output)?;
    Ok(done)
}

/// Time for the work to end when it is asked to: it may have the best of what it found to check.
const GRACE: Duration = Duration::from_secs(2);

/// Runs `work` and watches it; the inner error is why it was abandoned.
fn run<T: Send + 'static>(
    common: &Common,
    grace: Duration,
    mut show: impl FnMut(&str) -> ControlFlow<()> + Send + 'static,
    work: impl FnOnce(&mut Means<'_>) -> Result<T, Failure> + Send + 'static,
) -> Result<Result<T, Reason>, Failure> {
    let time = common.time_limit.map(Duration::from_secs_f64);
    let mut runner = Runner::new(Limits { time, memory: None, grace }, !common.quiet);
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
        work(&mut Means { threads, stop, style, cache: input::cache(), progress: &progress, show: &mut show })
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

/// Prints what there is to say; 0, 1 if there is none, 3 if it gave up, 2 for an error; that nobody reads the output is none.
fn code(common: &Common, result: Result<Result<Done, Reason>, Failure>, documents: &[Document]) -> i32 {
    let color = wants_color(common.color, &io::stderr());
    let Done { verdict, warnings, .. } = match result {
        Ok(done) => done.unwrap_or_else(gave_up),
        Err(failure) => return messages::fail(&failure, documents, color),
    };
    if !common.quiet {
        messages::print(&warnings, documents, color);
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
