//! The command: reads, recognises, runs, prints. All input and output of the program is here.

mod args;
mod batch;
mod guard;
mod input;
mod make;
mod messages;
mod serve;
mod watch;

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use clap::ArgMatches;
use tempfile::NamedTempFile;

use crate::asp;
use crate::cache::Cache;
use crate::diagnostic::{Diagnostic, Failure};
use crate::document::Document;
use crate::ending::{Ending, Verdict};
use crate::puzzle::{self, Entry, Request, Role, Task};
use crate::report::{Format, Header, Output, Report, Slot, Style};
use crate::stop::{Reason, Stop};
use args::{ColorWhen, Parsed, Solve, Sub};
use guard::{End, Limits};

/// Runs the command and returns its exit code.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> i32 {
    asp::report_division();
    let (cli, matches) = match args::parse(arguments) {
        Ok(Parsed::Solve(cli, matches)) => (cli, matches),
        Ok(Parsed::Play(player, args, matches)) => return make::play(player, &args, &matches),
        Ok(Parsed::Generate(maker, args, matches)) => return make::generate(maker, &args, &matches),
        Ok(Parsed::Watch(args, runs)) => return watch::watch(&args, &runs),
        Ok(Parsed::Inspect(entry, tool, args, matches)) => return make::inspect(entry, tool, &args, &matches),
        Err(error) => {
            let _ = error.print();
            return error.exit_code();
        }
    };
    match cli.command {
        Some(Sub::List) => print_out(&list()),
        Some(Sub::Completions { shell }) => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut args::command(), "asp-solve", &mut script);
            print_out(&String::from_utf8_lossy(&script))
        }
        Some(Sub::Man) => {
            let mut page = Vec::new();
            let made = clap_mangen::Man::new(args::command()).render(&mut page);
            debug_assert!(made.is_ok(), "writing to memory does not fail");
            print_out(&String::from_utf8_lossy(&page))
        }
        None => solve(cli.solve, matches),
    }
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

fn list() -> String {
    let mut out = String::new();
    for (entry, about) in puzzle::ALL.iter().map(|entry| (entry, entry.about())) {
        let _ = writeln!(out, "{}: {}", about.name, about.summary);
        let _ = writeln!(out, "  input      {}", about.input);
        let _ = writeln!(out, "  engines    {}", about.engines.join(", "));
        let encodings: Vec<String> =
            about.encodings.iter().map(|encoding| format!("{} (asp/{})", encoding.name, encoding.path)).collect();
        if !encodings.is_empty() {
            let _ = writeln!(out, "  encodings  {}", encodings.join(", "));
        }
        let pictures: Vec<String> = about.pictures.iter().map(|format| format.name()).collect();
        if !pictures.is_empty() {
            let _ = writeln!(out, "  pictures   {}", pictures.join(", "));
        }
        let mut commands: Vec<&str> = entry.tools().iter().map(|tool| tool.name()).collect();
        commands.extend(entry.maker().map(|_| "generate"));
        commands.extend(entry.player().map(|_| "play"));
        if !commands.is_empty() {
            let _ = writeln!(out, "  commands   {}", commands.join(", "));
        }
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

fn solve(args: Solve, matches: ArgMatches) -> i32 {
    let color_errors = wants_color(args.color, &io::stderr());
    let mut run = Run { args, color_errors, documents: Vec::new() };
    if run.args.batch {
        return batch::run(&run, matches);
    }
    match read(&run.args.files).and_then(|documents| {
        run.documents = documents;
        prepare(&mut run)
    }) {
        Ok(prepared) => watched(&run, prepared, matches),
        Err(failure) => run.fail(&failure),
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

fn read(files: &[PathBuf]) -> Result<Vec<Document>, Failure> {
    if files.iter().filter(|path| *path == Path::new("-")).count() > 1 {
        return Err(Diagnostic::error("the standard input can be read once, but - was given twice").into());
    }
    files.iter().map(|path| input::read(path)).collect()
}

/// Finds out what the inputs are, and what is asked about them.
fn prepare(run: &mut Run) -> Result<Prepared, Failure> {
    let args = &run.args;
    let (entry, roles) = match &args.puzzle {
        Some(name) => {
            let entry = puzzle::named(name).expect("the command line knows the names");
            (entry, puzzle::roles(entry, &run.documents))
        }
        None => puzzle::recognise(&run.documents)?,
    };
    let about = entry.about();
    // A file that derives the puzzle's answers is an encoding, as if it had been named with -e.
    let (mut encodings, mut instance) = (Vec::new(), Vec::new());
    for (document, role) in run.documents.iter().cloned().zip(roles) {
        if role == Role::Encoding { &mut encodings } else { &mut instance }.push(document);
    }
    if instance.is_empty() {
        return Err(Diagnostic::error(format!("there is an encoding of {} but no instance", about.name)).into());
    }
    let encoding_names =
        encodings.iter().map(|document| document.name.clone()).chain(args.encoding.iter().cloned()).collect();
    if encodings.is_empty() || !args.encoding.is_empty() {
        let asked = input::encodings(&args.encoding, &about, args.asp_dir.as_deref(), args.verbose)?;
        run.documents.extend(asked.iter().cloned());
        encodings.extend(asked);
    }
    let settings = asp::Settings {
        constants: args.constants.clone(),
        models: None,
        // The threads of a batch are its workers.
        threads: args.threads.filter(|_| !args.batch).map(usize::from),
        options: if args.stats { vec!["--stats=2".to_owned()] } else { Vec::new() },
    };
    let request = Request {
        // A picture of a later answer, or of each, is of all of them in their order.
        models: args.models.or((args.numbers_files() || args.answer > Some(1)).then_some(0)),
        format: args.format,
        engine: args.engine.clone(),
        encodings,
        encoding_names,
        settings,
        stats: args.stats,
        memory_limit: Some(
            args.memory_limit.map_or_else(input::half_of_memory, |megabytes| megabytes.saturating_mul(1_000_000)),
        ),
        node_limit: args.node_limit,
        depth_limit: args.depth_limit,
        is_batch: args.batch,
        cache: Cache::in_folder(dirs::cache_dir().map(|folder| folder.join("asp-solve"))),
    };
    Ok(Prepared { entry, instance, request })
}

/// Runs what was prepared under the eyes of the watcher, and prints how it ended.
fn watched(run: &Run, Prepared { entry, instance, request }: Prepared, matches: ArgMatches) -> i32 {
    let (args, about) = (&run.args, entry.about());
    if let Some((option, owner)) = args::foreign_option(&matches, about.name, args.format.is_answer_sets()) {
        let text = format!("{option} is an option of {owner}, but the input is {}", about.name);
        return run.fail(&Diagnostic::error(text).into());
    }
    if let Err(failure) = check_picture(args, &about) {
        return run.fail(&failure);
    }
    // A file for each answer is written when all are known.
    let numbered = args.output.as_deref().filter(|_| args.numbers_files());
    let (output, file) = match open_output(args.output.as_deref().filter(|_| numbered.is_none())) {
        Ok(opened) => opened,
        Err(failure) => return run.fail(&failure),
    };
    let color = args.output.is_none() && wants_color(args.color, &io::stdout());
    let style = Style { color, quiet: args.quiet, verbose: args.verbose, line: None, drawn: args.answer };
    let slot = Slot::new(output, args.format, style);
    let stop = Stop::new();
    let limits = Limits {
        time: args.time_limit.map(Duration::from_secs_f64),
        memory: args.memory_limit.map(|megabytes| megabytes.saturating_mul(1_000_000)),
    };
    let names = |documents: &[Document]| documents.iter().map(|document| document.name.clone()).collect();
    let header = Header {
        puzzle: about.name,
        instance: names(&instance),
        engine: about.engines[0],
        encoding: names(&request.encodings),
    };

    let began = Instant::now();
    let task =
        Task { documents: instance, request, matches, format: args.format, stop: stop.clone(), slot: slot.clone() };
    let ending = match guard::run(move || entry.run(&task), &stop, &slot, limits, !args.quiet) {
        End::Done(Ok(ending)) => ending,
        End::Done(Err(failure)) => match stop.requested() {
            // Whatever failed while stopping failed because of it.
            Some(reason) => Ending::gave_up(reason),
            None => return run.fail(&failure),
        },
        End::Abandoned(reason) => Ending::gave_up(reason),
    };
    if !args.quiet {
        run.print(&ending.warnings);
        if let (Verdict::GaveUp(reason), true) = (ending.verdict, args.format != Format::Text) {
            messages::say(format_args!("gave up: {}", reason.words()));
        }
    }
    let written = finish(&slot, header, &ending, numbered)
        .and_then(|()| file.map_or(Ok(()), |file| keep_file(file, args.output.as_deref())));
    if args.stats && args.format != Format::Json {
        messages::say(statistics_text(&ending, began.elapsed()).trim_end());
    }
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            run.fail(&Diagnostic::error(format!("cannot write the output: {error}")).into())
        }
        _ => exit_code(&ending, args.format, &slot),
    }
}

/// Standard output, or a temporary file beside the one that was asked for. What is there and no regular file (a device, a
/// pipe) is written to as it is: it must not be replaced.
fn open_output(path: Option<&Path>) -> Result<(Output, Option<NamedTempFile>), Failure> {
    let Some(path) = path else {
        return Ok((Box::new(BufWriter::with_capacity(1 << 16, io::stdout())), None));
    };
    let wrong = |error: io::Error| {
        Failure::from(Diagnostic::error(format!("cannot write {}: {}", path.display(), error.kind())))
    };
    if path.is_dir() {
        return Err(wrong(io::ErrorKind::IsADirectory.into()));
    }
    if std::fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
        let device = std::fs::OpenOptions::new().write(true).open(path).map_err(wrong)?;
        return Ok((Box::new(BufWriter::with_capacity(1 << 16, device)), None));
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let file = NamedTempFile::new_in(folder).map_err(wrong)?;
    let writer = file.reopen().map_err(wrong)?;
    Ok((Box::new(BufWriter::with_capacity(1 << 16, writer)), Some(file)))
}

/// A whole file, all or nothing.
fn write_file(path: &Path, text: &str) -> io::Result<()> {
    let opened = open_output(Some(path)).map_err(|Failure(diagnostics)| {
        io::Error::other(diagnostics.first().map_or(String::new(), |diagnostic| diagnostic.text.clone()))
    })?;
    write_opened(opened, Some(path), text)
}

fn write_opened(
    (mut output, file): (Output, Option<NamedTempFile>),
    path: Option<&Path>,
    text: &str,
) -> io::Result<()> {
    output.write_all(text.as_bytes())?;
    output.flush()?;
    file.map_or(Ok(()), |file| keep_file(file, path))
}

/// Gives the finished file its name, with the permissions that a new file gets.
fn keep_file(file: NamedTempFile, path: Option<&Path>) -> io::Result<()> {
    let path = path.expect("a file was asked for");
    let permissions = std::fs::metadata(path).map(|metadata| metadata.permissions()).ok();
    let kept = file.persist(path).map_err(|error| error.error)?;
    match permissions {
        Some(permissions) => kept.set_permissions(permissions),
        None => readable(&kept),
    }
}

#[cfg(unix)]
fn readable(file: &std::fs::File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn readable(_file: &std::fs::File) -> io::Result<()> {
    Ok(())
}

/// Finishes the report, unless the engine that was left alone still holds it.
fn finish(slot: &Slot, header: Header, ending: &Ending, numbered: Option<&Path>) -> io::Result<()> {
    let Some(report) = slot.report() else { return slot.finish_empty(header, ending) };
    let finish = |report: &mut dyn Report| match numbered {
        None => report.finish(ending),
        Some(path) => {
            let mut number = 0;
            report.pictures(&mut |picture| {
                number += 1;
                write_file(&make::numbered(path, number), &picture)
            })
        }
    };
    let deadline = Instant::now() + Duration::from_secs(2);
    loop {
        match report.try_lock() {
            Ok(mut report) => return finish(&mut *report),
            Err(std::sync::TryLockError::Poisoned(poisoned)) => return finish(&mut *poisoned.into_inner()),
            Err(std::sync::TryLockError::WouldBlock) if Instant::now() > deadline => {
                return Err(io::Error::other("the output takes nothing more"));
            }
            Err(std::sync::TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(2)),
        }
    }
}

/// 0 answers, 1 proven none, 3 gave up; in clingo's formats its own: 10 answers, 20 exhausted, 1 interrupted.
fn exit_code(ending: &Ending, format: Format, slot: &Slot) -> i32 {
    if format.is_answer_sets() {
        let (ended, found) = slot.report().map_or((None, false), |report| {
            let report = report.lock().unwrap_or_else(PoisonError::into_inner);
            (report.clingos_exit_code(), report.found() > 0)
        });
        return match (ended, ending.verdict) {
            (Some(code), _) => code,
            (None, Verdict::GaveUp(Reason::MemoryLimit)) => 33,
            (None, _) => 1 + if found { 10 } else { 0 },
        };
    }
    match ending.verdict {
        Verdict::Solved => 0,
        Verdict::Impossible => 1,
        Verdict::GaveUp(_) => 3,
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
