//! The command: reads, recognises, runs, prints. All input and output of the program is here.

mod args;
mod batch;
mod compare;
mod door;
mod habits;
mod input;
mod live;
mod make;
mod manual;
mod merge;
mod messages;
mod mutants;
mod output;
mod profile;
mod runner;
mod serve;
mod studio;
mod test;
mod watch;
mod why;

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use clap::ArgMatches;

use crate::asp;
use crate::diagnostic::{Diagnostic, Failure};
use crate::document::Document;
use crate::ending::{Ending, Uniqueness, Verdict};
use crate::puzzle::{self, Request, Role, Show, Task};
use crate::report::{Format, Header, Report, Slot, Style, shown, written};
use crate::stop::{Reason, Stop};
use crate::words::count;
use args::{ColorWhen, Parsed, Solve, Sub};
use runner::{End, Limits, Runner};

pub use door::{AnyTool, Entry};
pub use output::leave;

/// Runs the command and returns its exit code.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> i32 {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    match manual::complete(&arguments) {
        Ok(false) => {}
        Ok(true) => return 0,
        Err(error) => return refuse(&error),
    }
    if arguments.get(1).is_some_and(|word| word == "clingo") {
        return asp::main(arguments.into_iter().skip(2).collect());
    }
    asp::mind_signals(runner::address_space() < u64::MAX);
    if let Err(failure) = input::puzzles(&arguments).map(|files| puzzle::add(&files)) {
        return messages::fail(&failure, &[], wants_color(ColorWhen::Auto, &io::stderr()));
    }
    let (cli, matches) = match args::parse(arguments) {
        Ok(Parsed::Solve(cli, matches)) => (cli, matches),
        Ok(Parsed::Play(player, args, matches)) => return make::play(player, &args, &matches),
        Ok(Parsed::Generate(maker, args, matches)) => return make::generate(maker, &args, &matches),
        Ok(Parsed::Watch(args, runs)) => return watch::watch(&args, &runs),
        Ok(Parsed::Inspect(entry, tool, args, matches)) => return make::inspect(entry, tool, &args, &matches),
        Err(error) => return refuse(&habits::advise(error)),
    };
    match cli.command {
        Some(Sub::List { name }) => print_out(&shown(&list(name.as_deref()))),
        Some(Sub::Merge(args)) => merge::merge(&args),
        Some(Sub::Why(args)) => why::why(args),
        Some(Sub::Hint(args)) => why::hint(args),
        Some(Sub::Test(args)) => test::test(args),
        Some(Sub::Profile(args)) => profile::profile(args),
        Some(Sub::Compare(args)) => compare::compare(args),
        Some(Sub::Studio(args)) => studio::studio(&args),
        Some(Sub::Clingo { arguments }) => asp::main(arguments),
        Some(Sub::Completions { shell }) => manual::completions(shell),
        Some(Sub::Man { command, dir }) => manual::manual(&command, dir.as_deref()),
        None => solve(cli.solve, matches),
    }
}

fn refuse(error: &clap::Error) -> i32 {
    let _ = error.print();
    error.exit_code()
}

/// Prints to standard output; that nobody reads it is no failure.
fn print_out(text: &str) -> i32 {
    match io::stdout().lock().write_all(text.as_bytes()).and_then(|()| io::stdout().flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            messages::say(format_args!("error: cannot write the output: {error}"));
            2
        }
        _ => 0,
    }
}

/// What there is to know of a puzzle, or of each.
fn list(name: Option<&str>) -> String {
    let mut out = String::new();
    for (entry, about) in puzzle::all().iter().map(|entry| (entry, entry.about())) {
        if name.is_some_and(|name| name != about.name) {
            continue;
        }
        let _ = writeln!(out, "{}: {}", about.name, about.summary);
        // Of puzzles that are a file each there may be many.
        if !about.more.is_empty() && name.is_none() {
            continue;
        }
        let _ = writeln!(out, "  input      {}", about.input);
        for (word, lines) in about.more {
            for (number, line) in lines.iter().enumerate() {
                let _ = writeln!(out, "  {:<9}  {line}", if number == 0 { word } else { "" });
            }
        }
        let _ = writeln!(out, "  engines    {}", entry.engines().join(", "));
        let files = |encoding: &puzzle::Encoding| {
            encoding.files.iter().map(|file| format!("asp/{}", file.path)).collect::<Vec<_>>().join(", ")
        };
        let encodings: Vec<String> =
            about.encodings.iter().map(|encoding| format!("{} ({})", encoding.name, files(encoding))).collect();
        if !encodings.is_empty() {
            let _ = writeln!(out, "  encodings  {}", encodings.join(", "));
        }
        let pictures: Vec<String> = about.pictures.iter().map(|format| format.name()).collect();
        if !pictures.is_empty() {
            let _ = writeln!(out, "  pictures   {}", pictures.join(", "));
        }
        let commands: Vec<&str> = entry.tools().iter().map(|tool| tool.name()).collect();
        if !commands.is_empty() {
            let _ = writeln!(out, "  commands   {}", commands.join(", "));
        }
        let _ = writeln!(out, "  example    {}", about.example);
    }
    out
}

/// What does not change while a run goes on.
struct Run {
    args: Solve,
    color_errors: bool,
    documents: Vec<Document>,
}

impl Run {
    fn print(&self, diagnostics: &[Diagnostic]) {
        messages::print(diagnostics, &self.documents, self.color_errors);
    }

    /// Prints what ended the run and gives its exit code.
    fn fail(&self, failure: &Failure) -> i32 {
        self.print(&failure.0);
        match failure.0.is_empty() {
            true => 0,
            false if self.args.format.is_answer_sets() => 65,
            false => 2,
        }
    }
}

impl Run {
    /// The same, where the readers of clingo's formats are told what clingo tells them: that nothing is known.
    fn fail_as_clingo(&self, failure: &Failure, slot: &Slot, header: Header) -> i32 {
        if self.args.format.is_answer_sets() && self.args.output.is_none() && !failure.0.is_empty() {
            // That it cannot be written is less than what is told next.
            let _ = finish(slot, header, &Ending::gave_up(Reason::Unproven), None, &[]);
        }
        self.fail(failure)
    }
}

fn solve(args: Solve, matches: ArgMatches) -> i32 {
    let color_errors = wants_color(args.color, &io::stderr());
    let mut run = Run { args, color_errors, documents: Vec::new() };
    let mut runner = Runner::new(limits(&run.args), !run.args.quiet);
    if run.args.batch {
        return batch::run(run, matches, runner);
    }
    let format = run.args.format;
    let reading = move |stop: &Stop| {
        let prepared = read(&run.args.files, stop).and_then(|documents| {
            run.documents = documents;
            prepare(&mut run, stop)
        });
        (run, prepared, stop.requested())
    };
    match runner.run(reading, || None) {
        End::Done((run, Ok(prepared), _)) => watched(&run, prepared, matches, &mut runner),
        End::Done((run, Err(failure), None)) => {
            let header = Header {
                puzzle: "program",
                instance: run.args.files.iter().map(|path| path.display().to_string()).collect(),
                engine: "asp".to_owned(),
                encoding: Vec::new(),
                rules: None,
            };
            match output::open(None, &[], false) {
                Ok((output, _)) => run.fail_as_clingo(&failure, &Slot::new(output, format, Style::default()), header),
                Err(_) => run.fail(&failure),
            }
        }
        End::Done((_, Err(_), Some(reason))) | End::Abandoned(reason) => {
            messages::say(format_args!("gave up before the input was read: {}", reason.words()));
            exit_code(&Ending::gave_up(reason), format, None)
        }
        End::Failed(diagnostic) => messages::fail(&diagnostic.into(), &[], color_errors),
    }
}

/// What a run, or each line of a batch, may use; a moment of grace is enough for engines that look at the wish to stop.
fn limits(args: &Solve) -> Limits {
    Limits {
        time: args.time_limit.map(Duration::from_secs_f64),
        memory: args.memory_limit.map(|megabytes| megabytes.saturating_mul(1_000_000)),
        grace: Duration::from_millis(400),
    }
}

/// Whether the puzzle can be looked at in the format, and what was said about pictures fits it.
fn check_picture(args: &Solve, about: &puzzle::About) -> Result<(), Failure> {
    let text = if args.format.is_picture() && !about.pictures.contains(&args.format) {
        let known: Vec<String> = about.pictures.iter().map(|format| format.name()).collect();
        let known = if known.is_empty() { "cannot be drawn".to_owned() } else { format!("has {}", known.join(", ")) };
        format!("--format {}: {} {known}", args.format.name(), about.name)
    } else if args.answer.is_some() && !matches!(args.format, Format::Svg | Format::Dot) {
        "--answer goes with --format svg or dot".to_owned()
    } else if args.answer.is_some() && args.numbers_files() {
        "--answer draws one answer, but the name of --output has {n} in it, for all of them".to_owned()
    } else {
        return Ok(());
    };
    Err(Diagnostic::error(text).into())
}

fn wants_color(when: ColorWhen, stream: &impl anstream::stream::RawStream) -> bool {
    match when {
        ColorWhen::Always => true,
        ColorWhen::Never => false,
        ColorWhen::Auto => anstream::AutoStream::choice(stream) != anstream::ColorChoice::Never,
    }
}

/// The puzzle, its instance, and the question about it.
struct Prepared {
    entry: &'static dyn Entry,
    instance: Vec<Document>,
    request: Request,
}

impl Prepared {
    /// A run of it whose answers nobody prints.
    fn task(&self, format: Format, stop: &Stop) -> Task {
        let slot = Slot::new(Box::new(io::sink()), Format::Text, Style::default());
        let (documents, request) = (self.instance.clone(), self.request.clone());
        Task { documents, request, format, stop: stop.clone(), slot }
    }

    /// What a run is called that ended before its engine could say.
    fn header(&self) -> Header {
        let engine = self.request.engine.clone().unwrap_or_else(|| self.entry.engines().swap_remove(0));
        let names = |documents: &[Document]| documents.iter().map(|document| document.name.clone()).collect();
        Header {
            puzzle: self.entry.about().name,
            instance: names(&self.instance),
            encoding: if engine == "asp" { names(&self.request.encodings) } else { Vec::new() },
            engine,
            rules: None,
        }
    }
}

fn read(files: &[PathBuf], stop: &Stop) -> Result<Vec<Document>, Failure> {
    if files.iter().filter(|path| *path == Path::new("-")).count() > 1 {
        return Err(Diagnostic::error("the standard input can be read once, but - was given twice").into());
    }
    files.iter().map(|path| input::read(path, stop)).collect()
}

/// Finds out what the inputs are, and what is asked about them.
fn prepare(run: &mut Run, stop: &Stop) -> Result<Prepared, Failure> {
    let args = &run.args;
    let named_files = args.encoding.iter().filter(|path| path.is_file());
    let own: Vec<Document> = named_files.map(|path| input::read(path, stop)).collect::<Result<_, _>>()?;
    let draw: Vec<Document> =
        args.draw.iter().map(|path| input::drawing(path, args.asp_dir.as_deref(), stop)).collect::<Result<_, _>>()?;
    let puzzle::Recognised { entry, roles, is_a_guess } = match &args.puzzle {
        Some(name) => {
            let entry = puzzle::named(name).expect("the command line knows the names");
            puzzle::Recognised { entry, roles: puzzle::roles(entry, &run.documents), is_a_guess: false }
        }
        None => puzzle::recognise(&run.documents, &own)?,
    };
    let entry = puzzle::drawn(entry, run.documents.iter().chain(&own), !draw.is_empty() || args.format.is_picture());
    let about = entry.about();
    // A file that derives the puzzle's answers is an encoding, as if it had been named with -e.
    let (mut encodings, mut instance) = (Vec::new(), Vec::new());
    for (document, role) in run.documents.iter().cloned().zip(roles) {
        if role == Role::Encoding { &mut encodings } else { &mut instance }.push(document);
    }
    if instance.is_empty() {
        return Err(
            Diagnostic::error(format!("this is an encoding of {}, without an instance to solve", about.name)).into()
        );
    }
    let names_encodings = !encodings.is_empty() || !args.encoding.is_empty();
    if encodings.is_empty() || !args.encoding.is_empty() {
        let asked = input::encodings(&args.encoding, &about, args.asp_dir.as_deref(), args.verbose, &own, stop)?;
        run.documents.extend(asked.iter().cloned());
        encodings.extend(asked);
    }
    let companions = input::companions(&encodings, args.asp_dir.as_deref(), stop)?;
    run.documents.extend(companions.iter().cloned());
    encodings.extend(companions);
    let settings = asp::Settings {
        constants: args.constants.clone(),
        models: None,
        // The threads of a batch are its workers.
        threads: args.threads.filter(|_| !args.batch).map(usize::from),
        options: if args.stats { vec!["--stats=2".to_owned()] } else { Vec::new() },
        check: false,
    };
    let request = Request {
        // A picture of a later answer, or of each, is of all of them in their order.
        // Two answers tell that there is not one.
        models: args
            .models
            .or(args.unique.then_some(2))
            .or((args.numbers_files() || args.answer > Some(1)).then_some(0)),
        show: match args.format {
            Format::Html => Show::Page,
            format if format.is_picture() => Show::Pictures,
            Format::Text if args.quiet && !args.batch => Show::Verdict,
            _ => Show::Answers,
        },
        engine: args.engine.clone(),
        encodings,
        names_encodings,
        draw,
        asks_unique: args.unique,
        settings,
        stats: args.stats,
        memory_limit: Some(
            args.memory_limit.map_or_else(input::half_of_memory, |megabytes| megabytes.saturating_mul(1_000_000)),
        ),
        node_limit: args.node_limit,
        depth_limit: args.depth_limit,
        is_batch: args.batch,
        is_a_guess,
        cache: input::cache(),
    };
    Ok(Prepared { entry, instance, request })
}

/// Runs what was prepared under the eyes of the watcher, and prints how it ended.
fn watched(run: &Run, prepared: Prepared, matches: ArgMatches, runner: &mut Runner) -> i32 {
    let (args, about, header) = (&run.args, prepared.entry.about(), prepared.header());
    if let Some((option, owner)) = args::foreign_option(&matches, about.name, args.format.is_answer_sets()) {
        let text = format!("{option} is an option of {owner}, but the input is {}", about.name);
        let error = Diagnostic::error(text);
        let is_for_answer_sets = puzzle::named(owner).is_some_and(|owner| owner.about().has_options_for_answer_sets);
        return run.fail(&match is_for_answer_sets {
            true => error.help("with --format asp or clingo-json it is for every puzzle").into(),
            false if about.has_options_for_answer_sets => habits::helped(error, &option).into(),
            false => error.into(),
        });
    }
    if let Err(failure) = check_picture(args, &about) {
        return run.fail(&failure);
    }
    // A file for each answer is written when all are known.
    let numbered = args.output.as_deref().filter(|_| args.numbers_files());
    let inputs: Vec<&Path> = args.files.iter().map(PathBuf::as_path).chain(output::files(&run.documents)).collect();
    let color = args.output.is_none() && wants_color(args.color, &io::stdout());
    let opened = output::open(args.output.as_deref().filter(|_| numbered.is_none()), &inputs, color);
    let (output, file) = match opened {
        Ok(opened) => opened,
        Err(failure) => return run.fail(&failure),
    };
    let width = args.output.is_none().then(output::width).flatten();
    let style = Style { color, quiet: args.quiet, verbose: args.verbose, drawn: args.answer, width };
    let slot = Slot::new(output, args.format, style);
    let Prepared { entry, instance, request } = prepared;

    let began = Instant::now();
    let (format, task_slot) = (args.format, slot.clone());
    let work = move |stop: &Stop| {
        engine(entry, &matches, &Task { documents: instance, request, format, stop: stop.clone(), slot: task_slot })
    };
    let mut found = None;
    let progress = || {
        found = touch(&slot).or(found);
        Some(match found {
            None | Some(0) => "no answer yet".to_owned(),
            Some(found) => count(found, "answer", "answers"),
        })
    };
    let ending = match runner.run(work, progress) {
        End::Done(Ok(ending)) => ending,
        End::Done(Err(failure)) => return run.fail_as_clingo(&failure, &slot, header),
        End::Failed(diagnostic) => return run.fail(&diagnostic.into()),
        End::Abandoned(reason) => Ending::gave_up(reason),
    };
    if !args.quiet {
        run.print(&ending.warnings);
        if let (Verdict::GaveUp(reason), true) = (ending.verdict, args.format != Format::Text) {
            messages::say(format_args!("gave up: {}", reason.words()));
        }
    }
    let written = finish(&slot, header, &ending, numbered, &inputs)
        .and_then(|()| written(file.map_or(Ok(()), output::Unfinished::keep)));
    if args.stats && args.format != Format::Json {
        messages::say(statistics_text(&ending, began.elapsed()).trim_end());
    }
    match written {
        Err(failure) if !failure.0.is_empty() => run.fail(&failure),
        _ => exit_code(&ending, args.format, slot.report()),
    }
}

/// Runs the engine. Whatever fails while stopping fails because of it.
fn engine(entry: &dyn Entry, matches: &ArgMatches, task: &Task) -> Result<Ending, Failure> {
    entry.run(matches, task).or_else(|failure| {
        let about = |failure| if task.request.is_a_guess { puzzle::about_a_guess(entry, failure) } else { failure };
        task.stop.requested().map(Ending::gave_up).ok_or_else(|| about(failure))
    })
}

/// Hands on what is buffered and counts the answers. The engine holds the report for moments only, unless the reader of
/// the output is slow; it is not waited for.
fn touch(slot: &Slot) -> Option<u64> {
    let report = slot.report()?;
    for _ in 0..10_000 {
        match report.try_lock() {
            Ok(mut report) => {
                // An error of the output comes up again when the engine writes or the report is finished.
                let _ = report.flush();
                return Some(report.found());
            }
            Err(TryLockError::Poisoned(_)) => return None,
            Err(TryLockError::WouldBlock) => std::hint::spin_loop(),
        }
    }
    None
}

/// Finishes the report, unless the engine that was left alone still holds it.
fn finish(
    slot: &Slot,
    header: Header,
    ending: &Ending,
    numbered: Option<&Path>,
    inputs: &[&Path],
) -> Result<(), Failure> {
    let Some(report) = slot.report() else { return slot.finish_empty(header, ending) };
    let finish = |report: &mut dyn Report| match numbered {
        None => report.finish(ending),
        Some(path) => {
            let mut number = 0;
            report.pictures(ending, &mut |picture| {
                number += 1;
                output::write(Some(&output::numbered(path, number)), inputs, false, &picture)
            })
        }
    };
    let deadline = Instant::now() + Duration::from_secs(2);
    loop {
        match report.try_lock() {
            Ok(mut report) => return finish(&mut *report),
            Err(TryLockError::Poisoned(poisoned)) => return finish(&mut *poisoned.into_inner()),
            Err(TryLockError::WouldBlock) if Instant::now() > deadline => {
                return written(Err(io::Error::other("nobody takes it")));
            }
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(2)),
        }
    }
}

/// 0 answers, 1 proven none, 3 gave up; in clingo's formats its own: 10 answers, 20 exhausted, 1 interrupted.
fn exit_code(ending: &Ending, format: Format, report: Option<Arc<Mutex<dyn Report>>>) -> i32 {
    if format.is_answer_sets() {
        let (ended, found) = report.map_or((None, false), |report| {
            let report = report.lock().unwrap_or_else(PoisonError::into_inner);
            (report.clingos_exit_code(), report.found() > 0)
        });
        return match (ended, ending.verdict) {
            (Some(code), _) => code,
            (None, Verdict::GaveUp(Reason::MemoryLimit)) => 33,
            (None, _) => 1 + if found { 10 } else { 0 },
        };
    }
    match (ending.verdict, ending.proof) {
        (Verdict::Solved, Uniqueness::Unknown) => 3,
        (Verdict::Solved, Uniqueness::NotOne) => 1,
        (Verdict::Solved, _) => 0,
        (Verdict::Impossible, _) => 1,
        (Verdict::GaveUp(_), _) => 3,
    }
}

/// The statistics as `path: value` lines; what is zero is left out.
fn statistics_text(ending: &Ending, elapsed: Duration) -> String {
    fn lines(path: &str, value: &serde_json::Value, out: &mut String) {
        match value {
            serde_json::Value::Object(object) => {
                for (key, value) in object {
                    lines(&if path.is_empty() { key.clone() } else { format!("{path}.{key}") }, value, out);
                }
            }
            serde_json::Value::Array(items) if items.len() > 1 && items.iter().all(serde_json::Value::is_object) => {
                let _ = writeln!(out, "{path}:");
                table(items, out);
            }
            serde_json::Value::Array(items) => {
                for (index, value) in items.iter().enumerate() {
                    lines(&format!("{path}.{index}"), value, out);
                }
            }
            value if value.as_f64() == Some(0.0) || value.is_null() => {}
            value => drop(writeln!(out, "{path}: {}", value.as_str().map_or_else(|| value.to_string(), str::to_owned))),
        }
    }
    /// Objects with the same keys, a line each.
    fn table(items: &[serde_json::Value], out: &mut String) {
        let keys: Vec<&String> = items[0].as_object().into_iter().flat_map(serde_json::Map::keys).collect();
        for key in &keys {
            let _ = write!(out, "{key:>17}");
        }
        out.push('\n');
        for item in items {
            for key in &keys {
                let _ = write!(out, "{:>17}", item[key.as_str()].to_string());
            }
            out.push('\n');
        }
    }
    let mut out = String::new();
    lines("", &ending.statistics, &mut out);
    let _ = writeln!(out, "seconds: {:.3}", elapsed.as_secs_f64());
    out
}
