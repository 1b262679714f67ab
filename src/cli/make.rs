//! `play` and `generate`: runs that have no instance to read.

use std::io::{self, IsTerminal, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use clap::ArgMatches;

use super::args::{Common, Generate, Play, PlayFormat};
use super::{keep_file, messages, open_output, wants_color};
use crate::asp;
use crate::diagnostic::{Diagnostic, Failure};
use crate::puzzle::{Job, Maker, Player};
use crate::report::Style;
use crate::stop::{Reason, Stop};

/// A run that takes longer tells how it goes on.
const QUIET: Duration = Duration::from_millis(500);

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
            let text = match maker.make(matches, args.seed.wrapping_add(number - 1), job)? {
                Ok(text) => text,
                Err(reason) => return Ok(Some(reason)),
            };
            let path = args.common.output.as_deref().map(|path| numbered(path, number));
            write(path.as_deref(), &text)?;
        }
        Ok(None)
    });
    code(&args.common, made)
}

/// The name of a file with its number in it.
pub fn numbered(path: &Path, number: u64) -> PathBuf {
    PathBuf::from(path.to_string_lossy().replace("{n}", &number.to_string()))
}

/// Runs `work` with a limit, Ctrl-C and progress.
fn run<T>(
    common: &Common,
    show: &mut dyn FnMut(&str) -> ControlFlow<()>,
    work: impl FnOnce(&mut Job<'_>) -> Result<T, Failure>,
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
    let is_over = Mutex::new(false);
    let (over, waked) = (&is_over, &std::sync::Condvar::new());
    let (done, all) = (AtomicU64::new(0), AtomicU64::new(0));
    let wants_progress = !common.quiet && io::stderr().is_terminal();
    thread::scope(|scope| {
        let (watched, done, all) = (stop.clone(), &done, &all);
        scope.spawn(move || {
            let mut shown = false;
            let mut over = over.lock().expect("nobody panics with it");
            while !*over {
                over = waked.wait_timeout(over, Duration::from_millis(20)).expect("nobody panics with it").0;
                if common.time_limit.is_some_and(|limit| began.elapsed().as_secs_f64() >= limit) {
                    watched.request(Reason::TimeLimit);
                }
                let whole = all.load(Ordering::Relaxed);
                if wants_progress && !*over && whole > 0 && began.elapsed() > QUIET {
                    shown = true;
                    let seconds = began.elapsed().as_secs_f64();
                    let mut stderr = io::stderr();
                    let _ = write!(stderr, "\r\x1b[2K{} of {whole}, {seconds:.1} s", done.load(Ordering::Relaxed))
                        .and_then(|()| stderr.flush());
                }
            }
            if shown {
                let _ = write!(io::stderr(), "\r\x1b[2K");
            }
        });
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let mut job = Job {
            threads: common.threads.map_or(cores, usize::from),
            stop: &stop,
            style: Style { color: wants_color(common.color, &io::stdout()), ..Style::default() },
            progress: &|now, of| {
                done.store(now, Ordering::Relaxed);
                all.store(of, Ordering::Relaxed);
            },
            show,
        };
        let result = work(&mut job);
        *over.lock().expect("nobody panics with it") = true;
        waked.notify_all();
        result
    })
}

/// To standard output or to a file, all or nothing.
fn write(path: Option<&Path>, text: &str) -> Result<(), Failure> {
    let (mut output, file) = open_output(path)?;
    let written = output.write_all(text.as_bytes()).and_then(|()| output.flush());
    let written = written.and_then(|()| file.map_or(Ok(()), |file| keep_file(file, path)));
    written.map_err(|error| match error.kind() {
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
        Err(failure) => {
            messages::print(&failure.0, &[], wants_color(common.color, &io::stderr()));
            if failure.0.is_empty() { 0 } else { 2 }
        }
    }
}
