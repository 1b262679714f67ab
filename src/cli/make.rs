//! `play`, `generate` and the tools: runs that do something else than solve.

use std::io::{self, IsTerminal, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use clap::parser::ValueSource;
use clap::{ArgMatches, FromArgMatches};

use super::args::{self, Common, Generate, Inspect, Play};
use super::runner::{self, Limits, Runner};
use super::writing::ended;
use super::{asked, certify_of, check_files, input, messages, output, read, write_proof};
use crate::asp;
use crate::diagnostic::{Diagnostic, Failure};
use crate::document::Document;
use crate::ending::Verdict;
use crate::job::{Job, Rules};
use crate::page;
use crate::puzzle::{self, Console, Done, Entry, Role, Tool};
use crate::report::{Format, Style};
use crate::stop::{Reason, Stop};

/// Between the moves that one watches.
const DELAY: Duration = Duration::from_millis(400);

/// Plays, prints the report and gives the exit code.
pub fn play(tool: &'static dyn Tool, args: &Play, matches: &ArgMatches) -> i32 {
    let asked = args.delay.map(Duration::from_millis);
    let delay = asked.unwrap_or(DELAY);
    // What one watches goes where the report for a person goes; JSON stays alone. On a terminal each frame replaces the last.
    let is_alone = args.printed.format == Format::Json;
    let is_terminal = if is_alone { io::stderr().is_terminal() } else { io::stdout().is_terminal() };
    let show = move |frame: &str| {
        let mut out: Box<dyn Write> = if is_alone { Box::new(io::stderr()) } else { Box::new(output::standard()) };
        let _cleared = messages::clear_progress();
        let clear = if is_terminal { "\x1b[H\x1b[2J" } else { "" };
        let shown = write!(out, "{clear}{frame}").and_then(|()| out.flush());
        if is_terminal {
            thread::sleep(delay);
        }
        if shown.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let (own, matches) = (args.clone(), matches.clone());
    let played = run(&args.common, GRACE, show, move |_, job, console| {
        job.format = own.printed.format;
        console.delay = asked;
        tool.read(&matches, &mut job.options)?;
        let done = tool.run(job, console)?;
        write(&own.common, &done.output)?;
        Ok(done)
    });
    code(&args.common, played)
}

/// Makes instances, prints them or writes their files, and gives the exit code.
pub fn generate(tool: &'static dyn Tool, args: &Generate, matches: &ArgMatches) -> i32 {
    let (own, matches) = (args.clone(), matches.clone());
    let show = |_: &str| ControlFlow::Continue(());
    // What a board was begun with is not worth waiting for longer than for the board; clingo's grounder hears of no wish to stop.
    let grace = args.common.time_limit.map_or(GRACE, |seconds| GRACE.min(Duration::from_secs_f64(seconds)));
    let made = run(&args.common, grace, show, move |_, job, console| {
        let output = own.common.writing.file();
        let is_one_file = output.is_none_or(|path| !path.to_string_lossy().contains("{n}"));
        let is_sheet = own.printed.format == Format::Html;
        if own.count > 1 && is_one_file && output.is_some() && !is_sheet {
            let text = "--count with --output: the name must have {n} in it, for the number of each file";
            return Err(Diagnostic::error(text).into());
        }
        if own.count > 1 && output.is_none() && own.printed.format == Format::Svg {
            let text = "--count with -f svg: standard output takes one picture";
            let help = "`-o board-{n}.svg` writes a file for each, `-f html -o sheet.html` a sheet of all";
            return Err(Diagnostic::error(text).help(help).into());
        }
        if let Some(proof) = &own.proof {
            check_proof(tool, proof, &own)?;
            job.certify = certify_of(proof);
        }
        let Some(last_number) = own.from.checked_add(own.count) else {
            return Err(Diagnostic::error(format!("--from {}: a seed has 2⁶⁴ instances", own.from)).into());
        };
        let mut last = Done::solved(String::new());
        let encodings = tool.encoding().map(|encoding| input::encoding(&encoding, own.folder.path()));
        job.encodings = encodings.transpose()?.unwrap_or_default();
        job.format = own.printed.format;
        tool.read(&matches, &mut job.options)?;
        let asked = matches.try_get_many::<String>("encoding").ok().flatten().into_iter().flatten();
        for variant in asked.filter_map(|name| tool.variants().iter().find(|variant| variant.name == name)) {
            for file in input::encoding(variant, own.folder.path())? {
                if !job.encodings.iter().any(|known| known.name == file.name) {
                    job.encodings.push(file);
                }
            }
        }
        // What a game's states are those of.
        if let Ok(Some(board)) = matches.try_get_one::<PathBuf>("board") {
            job.documents = read(std::slice::from_ref(board), &job.stop)?;
        }
        for number in own.from + 1..=last_number {
            let path = output.map(|path| output::numbered(path, number));
            job.seed = own.seed.wrapping_add(number - 1);
            last = tool.run(job, console)?;
            // What was made before a limit came is on the sheet.
            let is_last = number == last_number || last.verdict != Verdict::Solved;
            if is_sheet && !console.sheet.is_empty() && (!is_one_file || is_last) {
                last.output = page::printed(&std::mem::take(&mut console.sheet));
            }
            if !last.output.is_empty() {
                output::write(path.as_deref(), own.common.writing.color(), &last.output)?;
            }
            if let (Some(proof), Verdict::Solved) = (&own.proof, last.verdict) {
                write_proof(&output::numbered(proof, number), last.certificate.as_ref())?;
            }
            if last.verdict != Verdict::Solved {
                break;
            }
        }
        Ok(last)
    });
    code(&args.common, made)
}

/// Refuses a file for certificates that are not made, or that would all be written there.
fn check_proof(tool: &'static dyn Tool, proof: &Path, args: &Generate) -> Result<(), Failure> {
    if !tool.certifies() {
        let text = "--proof: only boards of puzzles that are logic programs have certificates";
        return Err(Diagnostic::error(text).into());
    }
    if args.count > 1 && !proof.to_string_lossy().contains("{n}") {
        let text = "--count with --proof: the name must have {n} in it, for the number of each file";
        return Err(Diagnostic::error(text).into());
    }
    check_files(args.common.writing.file(), proof)
}

/// Does what a tool does with an instance, prints it and gives the exit code.
pub fn inspect(entry: &'static dyn Entry, tool: &'static dyn Tool, args: &Inspect, matches: &ArgMatches) -> i32 {
    let (own, matches) = (args.clone(), matches.clone());
    let show = |_: &str| ControlFlow::Continue(());
    let result = run(&args.common, GRACE, show, move |documents, job, console| {
        inspected(entry, tool, &own, &matches, documents, job, console)
    });
    code(&args.common, result)
}

fn inspected(
    entry: &'static dyn Entry,
    tool: &'static dyn Tool,
    args: &Inspect,
    matches: &ArgMatches,
    documents: &mut Vec<Document>,
    job: &mut Job,
    console: &mut Console<'_>,
) -> Result<Done, Failure> {
    documents.extend(read(&args.files, &job.stop)?);
    let (name, puzzle) = (tool.name(), entry.about());
    job.format = args.printed.format;
    let is_given = |option: &str| matches.value_source(option) == Some(ValueSource::CommandLine);
    if !job.format.is_picture() && matches.try_contains_id("layout").is_ok() && is_given("layout") {
        return Err(Diagnostic::error("--layout: it goes with a format that draws").into());
    }
    let choice = match tool.takes_any_puzzle() {
        true => args::Choice::from_arg_matches(matches).expect("the command has these options"),
        false => args::Choice::default(),
    };
    let is_plain = choice.encoding.is_empty() && choice.puzzle.as_deref().is_none_or(|asked| asked == puzzle.name);
    let solve = args::Solve { choice, program: args.program.clone(), ..args::Solve::default() };
    let done = if is_plain && puzzle::roles(entry, documents).contains(&Role::Instance) {
        let known = Vec::from_iter(tool.encoding());
        for encoding in &known {
            job.encodings = input::encoding(encoding, args.program.folder.path())?;
        }
        job.rules = Rules::of(&known, puzzle.facts, &job.encodings, &entry.programs(documents));
        // What a tool tells of an instance must be what solving it tells.
        if let Some(usual) = puzzle.encodings.first() {
            let usual_rules = Rules::of(&[*usual], &[], &input::encoding(usual, args.program.folder.path())?, &[]);
            if !usual_rules.are_shipped() {
                return Err(puzzle::knows_not(name, &usual_rules).into());
            }
        }
        job.documents.clone_from(documents);
        documents.extend(job.encodings.iter().cloned());
        job.settings.constants.clone_from(&args.program.constants);
        tool.read(matches, &mut job.options)?;
        tool.run(job, console)?
    } else if tool.takes_any_puzzle() {
        let (entry, asked) = asked(&solve, documents, &job.stop)?;
        let mut asked = Job { format: job.format, style: job.style, settings: job.settings.clone(), ..asked };
        asked.settings.constants = solve.program.constants;
        tool.read(matches, &mut asked.options)?;
        tool.run_other(&*entry.open(asked)?)?
    } else {
        let names: Vec<&str> = documents.iter().map(|document| document.name.as_str()).collect();
        let text = format!("{}: {name} takes an instance of {}", names.join(", "), puzzle.name);
        return Err(Diagnostic::error(text).help(format!("looked for {}", puzzle.input)).into());
    };
    write(&args.common, &done.output)?;
    Ok(done)
}

/// Time for the work to end when it is asked to: it may have the best of what it found to check.
const GRACE: Duration = Duration::from_secs(2);

/// What became of the work, why it was given up or failed, and the texts that it read.
type Worked = (Result<Result<Done, Reason>, Failure>, Vec<Document>);

/// Runs `work` and watches it.
fn run(
    common: &Common,
    grace: Duration,
    mut show: impl FnMut(&str) -> ControlFlow<()> + Send + 'static,
    work: impl FnOnce(&mut Vec<Document>, &mut Job, &mut Console<'_>) -> Result<Done, Failure> + Send + 'static,
) -> Worked {
    let time = common.time_limit.map(Duration::from_secs_f64);
    let mut runner = Runner::new(Limits { time, memory: None, grace }, !common.quiet);
    let threads = runner::threads(common.threads);
    let style = Style { color: common.writing.color(), ..Style::default() };
    let counts = Arc::new([AtomicU64::new(0), AtomicU64::new(0)]);
    let told = counts.clone();
    let work = move |read: &mut Vec<Document>, stop: &Stop| {
        let progress = |done, all| {
            counts[0].store(done, Ordering::Relaxed);
            counts[1].store(all, Ordering::Relaxed);
        };
        let settings = asp::Settings { threads: Some(threads), ..asp::Settings::default() };
        let mut job = Job { settings, style, cache: input::cache(), stop: stop.clone(), ..Job::default() };
        work(read, &mut job, &mut Console { progress: &progress, show: &mut show, delay: None, sheet: Vec::new() })
    };
    let [done, all] = &*told;
    let how_far = || match all.load(Ordering::Relaxed) {
        0 => None,
        all => Some(format!("{} of {all}", done.load(Ordering::Relaxed))),
    };
    runner.attend(work, how_far)
}

/// To standard output or to a file, all or nothing.
fn write(common: &Common, text: &str) -> Result<(), Failure> {
    output::write(common.writing.file(), common.writing.color(), text)
}

/// Prints what there is to say, and gives the exit code.
fn code(common: &Common, (result, documents): Worked) -> i32 {
    match result {
        Ok(Ok(done)) => {
            common.warn(&done.warnings, &documents);
            ended(done.verdict)
        }
        Ok(Err(reason)) => ended(Verdict::GaveUp(reason)),
        Err(failure) => common.writing.fail(&failure, &documents),
    }
}
