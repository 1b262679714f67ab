//! The command line interface: reads the input, recognises the puzzle, runs the job and prints the
//! result. All input and output of the program happens here.

mod args;
mod batch;
mod clingo_hints;
mod compare;
mod graph_args;
mod input;
mod lsp;
mod manual;
mod merge;
mod messages;
mod mutants;
mod output;
mod output_args;
mod profile;
mod runner;
#[cfg(feature = "studio")]
mod studio;
mod subprocess;
mod test;
mod tools;
mod verify;
mod watch;
mod why;

use std::collections::HashMap;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use clap::ArgMatches;

use crate::asp;
use crate::diagnostic::{Code, Diagnostic, Failure};
use crate::document::Document;
use crate::ending::{Certification, Verdict};
use crate::job::{self, CertifyMode, Job, Show};
use crate::puzzle::report::{Header, Report, ReportSlot, output_result};
use crate::puzzle::{self, AnyPuzzle, AnyRunResult, Role};
use crate::report::{Format, Style};
use crate::stop::{CancelToken, StopReason};
use crate::words::{self, count, sanitize};
use args::{Parsed, Solve, Sub};
use output_args::OutputArgs;
use runner::{Limits, Runner, TaskEnd};

pub use output::leave;

/// Runs the command and returns its exit code.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> i32 {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    // Shell completion includes the user's puzzles, without warnings about them.
    if let Some(words) = manual::words_to_complete(&arguments)
        && let Ok(files) = input::load_puzzles(words, |_| ())
    {
        puzzle::add_files(&files);
    }
    match manual::complete(&arguments) {
        Ok(false) => {}
        Ok(true) => return 0,
        Err(error) => return print_clap_error(&error),
    }
    if arguments.get(1).is_some_and(|word| word == "clingo") {
        return asp::main(arguments.into_iter().skip(2).collect());
    }
    // `--version` needs no puzzles and no options.
    if let [_, argument] = &arguments[..]
        && (argument == "--version" || argument == "-V")
    {
        return OutputArgs::default().conclude(&format!("asp-solve {}\n", args::version()), || 0);
    }
    asp::install_signal_handlers(runner::address_space() < u64::MAX);
    if let Err(failure) = input::load_puzzles(&arguments, messages::print_line).map(|files| puzzle::add_files(&files)) {
        return OutputArgs::default().fail(&failure, &[]);
    }
    let (cli, matches) = match args::parse(arguments) {
        Ok(Parsed::Solve(cli, matches)) => (cli, matches),
        Ok(Parsed::Verify(args, matches)) => return verify::verify(&args, &matches),
        Ok(Parsed::Play(player, args, matches)) => return tools::play(player, &args, &matches),
        Ok(Parsed::Generate(maker, args, matches)) => return tools::generate(maker, &args, &matches),
        Ok(Parsed::Watch(args, runs)) => return watch::watch(&args, &runs),
        Ok(Parsed::Inspect(entry, tool, args, matches)) => return tools::inspect(entry, tool, &args, &matches),
        Err(error) => return print_clap_error(&clingo_hints::add_hints(error)),
    };
    match cli.command {
        Some(Sub::List { name }) => OutputArgs::default().conclude(&sanitize(&list(name.as_deref())), || 0),
        Some(Sub::Merge(args)) => merge::merge(&args),
        Some(Sub::Verify(_)) => unreachable!("the arguments of `verify` are parsed with those of puzzles"),
        Some(Sub::Why(args)) => why::why(args),
        Some(Sub::Hint(args)) => why::hint(args),
        Some(Sub::Test(args)) => test::test(args),
        Some(Sub::Profile(args)) => profile::profile(args),
        Some(Sub::Compare(args)) => compare::compare(args),
        #[cfg(feature = "studio")]
        Some(Sub::Studio(args)) => studio::studio(&args),
        #[cfg(not(feature = "studio"))]
        Some(Sub::Studio(_)) => {
            let text = "asp-solve was built without the feature `studio`";
            OutputArgs::default().fail(&Diagnostic::error(Code::Usage, text).into(), &[])
        }
        Some(Sub::Lsp(args)) => lsp::lsp(&args),
        Some(Sub::Clingo { arguments }) => asp::main(arguments),
        Some(Sub::Completions { shell }) => manual::completions(shell),
        Some(Sub::Man { command, dir }) => manual::manual(&command, dir.as_deref()),
        None => solve(cli.solve, matches),
    }
}

/// Prints a clap error, or the help or version that was requested, and returns the exit code.
fn print_clap_error(error: &clap::Error) -> i32 {
    if error.use_stderr() {
        // A message that cannot be printed has nowhere else to go.
        let _ = error.print();
        return error.exit_code();
    }
    let output_args = OutputArgs::default();
    let help = error.render();
    let help = if output_args.color() { help.ansi().to_string() } else { help.to_string() };
    output_args.conclude(&help, || error.exit_code())
}

/// Renders the details of one puzzle, or one line per puzzle.
fn list(name: Option<&str>) -> String {
    const WIDTH: usize = 100;
    let mut out = String::new();
    if name.is_none() {
        let kind = |entry: &&'static dyn puzzle::AnyPuzzle| {
            let about = entry.about();
            let folder = about.encodings.first().and_then(|encoding| encoding.files[0].path.split('/').next());
            match folder {
                _ if about.more.is_empty() => "Puzzles with engines of their own",
                Some("games") => "One-player games",
                _ => "Pencil puzzles",
            }
        };
        for group in puzzle::all().chunk_by(|entry, next| kind(entry) == kind(next)) {
            let _ = writeln!(out, "{} ({}):", kind(&group[0]), group.len());
            for about in group.iter().map(|entry| entry.about()) {
                let _ =
                    writeln!(out, "{}", words::truncate_words(&format!("  {}: {}", about.name, about.summary), WIDTH));
            }
            out.push('\n');
        }
        return out + "asp-solve list NAME shows the input format, the engines and an example.\n";
    }
    for (entry, about) in puzzle::all().iter().map(|entry| (entry, entry.about())) {
        if name.is_some_and(|name| name != about.name) {
            continue;
        }
        let _ = writeln!(out, "{}: {}", about.name, about.summary);
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
        let is_whole = |encoding: &&puzzle::Encoding| !encoding.adds_to(&about.encodings[0]);
        let encodings: Vec<String> = about
            .encodings
            .iter()
            .filter(is_whole)
            .map(|encoding| format!("{} ({})", encoding.name, files(encoding)))
            .collect();
        if !encodings.is_empty() {
            let _ = writeln!(out, "  encodings  {}", encodings.join(", "));
        }
        let pictures: Vec<String> = about.pictures.iter().map(|format| format.name()).collect();
        if !pictures.is_empty() {
            let _ = writeln!(out, "  pictures   {}", pictures.join(", "));
        }
        let commands: Vec<&str> = entry.about().tools.iter().map(|tool| tool.name()).collect();
        if !commands.is_empty() {
            let _ = writeln!(out, "  commands   {}", commands.join(", "));
        }
        let _ = writeln!(out, "  example    {}", about.example);
    }
    out
}

/// Prints the failure and returns the exit code.
fn fail(args: &Solve, documents: &[Document], failure: &Failure) -> i32 {
    match args.common.output_args.fail(failure, documents) {
        2 if args.format.is_answer_sets() => 65,
        code => code,
    }
}

/// Like `fail`, for a run that may have printed part of its report: completes the report with the
/// error. In clingo's formats the result is then unknown, as in clingo.
fn fail_midway(args: &Solve, documents: &[Document], failure: &Failure, slot: &ReportSlot, header: Header) -> i32 {
    if args.common.output_args.file().is_none() && !failure.0.is_empty() {
        // The failure printed below matters more than an error of the output here.
        let _ = slot.fail(|| header, failure);
    }
    fail(args, documents, failure)
}

fn solve(args: Solve, matches: ArgMatches) -> i32 {
    let mut runner = Runner::new(limits(&args), !args.common.quiet);
    if args.batch {
        // The output is opened before these files are read.
        input::record_named(&args.files);
        return match Sources::read(&args, &CancelToken::new()) {
            Ok(sources) => batch::run(args, matches, sources, runner),
            Err(failure) => fail(&args, &[], &failure),
        };
    }
    let task_args = args.clone();
    let read_job = move |documents: &mut Vec<Document>, stop: &CancelToken| {
        *documents = read(&task_args.files, stop)?;
        let (entry, mut job) = build_job(&task_args, documents, stop)?;
        reject_foreign_option(&task_args, &entry.about(), &matches)?;
        check_picture_format(&task_args, &entry.about())?;
        entry.read(&matches, &mut job.options)?;
        Ok((entry, job))
    };
    match runner.run_fallible(read_job, || None) {
        (Ok(Ok((entry, job))), documents) => run_supervised(&args, entry, job, documents, &mut runner),
        (Err(failure), documents) => {
            let header = Header {
                puzzle: "program",
                instance: args.files.iter().map(|path| path.display().to_string()).collect(),
                engine: "asp".to_owned(),
                encoding: Vec::new(),
                rules: None,
            };
            match output::open(None, false) {
                Ok((output, _)) => {
                    let slot = ReportSlot::new(output, args.format, Style::default());
                    fail_midway(&args, &documents, &failure, &slot, header)
                }
                Err(_) => fail(&args, &documents, &failure),
            }
        }
        (Ok(Err(reason)), _) => {
            messages::print_line(format_args!("gave up before the input was read: {}", reason.words()));
            exit_code(&AnyRunResult::gave_up(reason), args.format, None)
        }
    }
}

/// Rejects options of puzzles other than the one that runs.
fn reject_foreign_option(args: &Solve, about: &puzzle::About, matches: &ArgMatches) -> Result<(), Failure> {
    let foreign = args::foreign_option(matches, about.name, args.format.is_answer_sets());
    let Some((option, owner)) = foreign else { return Ok(()) };
    let error =
        Diagnostic::error(Code::Usage, format!("{option} is an option of {owner}, but the input is {}", about.name));
    let is_for_answer_sets = puzzle::by_name(owner).is_some_and(|owner| owner.about().has_options_for_answer_sets);
    Err(if is_for_answer_sets {
        error.help("with --format asp or clingo-json it applies to every puzzle").into()
    } else if about.has_options_for_answer_sets {
        clingo_hints::with_hints(error, &option).into()
    } else {
        error.into()
    })
}

/// Grace period after a request to stop.
const GRACE: Duration = Duration::from_millis(600);

/// Returns the limits of a run, or of each line of a batch. Engines that poll the cancellation
/// token need only a short grace period.
fn limits(args: &Solve) -> Limits {
    Limits {
        time: args.common.time_limit.map(Duration::from_secs_f64),
        memory: args.memory.bytes(),
        // A run ends within twice its time limit plus `REPORT_GRACE`.
        grace: args.common.time_limit.map_or(GRACE, |limit| GRACE.min(Duration::from_secs_f64(limit) + REPORT_GRACE)),
    }
}

/// Rejects a picture format that the puzzle does not have, and options about pictures that do not
/// fit the format.
fn check_picture_format(args: &Solve, about: &puzzle::About) -> Result<(), Failure> {
    // Custom rules may draw a graph.
    let has_custom_rules = !args.draw.is_empty() || !args.choice.encoding.is_empty();
    let may_draw = args.format == Format::Dot && about.has_options_for_answer_sets && has_custom_rules;
    let text = if args.format.is_picture() && !about.pictures.contains(&args.format) && !may_draw {
        let known: Vec<String> = about.pictures.iter().map(|format| format.name()).collect();
        let known = if known.is_empty() { "cannot be drawn".to_owned() } else { format!("has {}", known.join(", ")) };
        format!("--format {}: {} {known}", args.format.name(), about.name)
    } else if args.answer.is_some() && !matches!(args.format, Format::Svg | Format::Dot | Format::Html) {
        "--answer requires --format svg, dot or html".to_owned()
    } else if args.answer.is_some() && args.writes_numbered_files() {
        "--answer draws one answer, but the name of --output has {n} in it, for all of them".to_owned()
    } else {
        return Ok(());
    };
    Err(Diagnostic::error(Code::Usage, text).into())
}

fn read(files: &[PathBuf], stop: &CancelToken) -> Result<Vec<Document>, Failure> {
    if files.iter().filter(|path| *path == Path::new("-")).count() > 1 {
        return Err(
            Diagnostic::error(Code::Usage, "standard input can be read only once, but - was given twice").into()
        );
    }
    files.iter().map(|path| input::read(path, stop)).collect()
}

type EncodingKey = (&'static str, Vec<PathBuf>);

/// The rules that the command line names. All instances of a batch share them, so they are read
/// once.
struct Sources {
    /// Encodings given as files.
    named: Vec<Document>,
    included: Vec<Document>,
    draw: Vec<Document>,
    encodings: Mutex<HashMap<EncodingKey, Vec<Document>>>,
    /// Companion files, by the names of the encodings that they go with.
    companions: Mutex<HashMap<Vec<String>, Vec<Document>>>,
}

impl Sources {
    fn read(args: &Solve, stop: &CancelToken) -> Result<Sources, Failure> {
        let paths = args.choice.encoding.iter().filter(|path| path.is_file());
        let named: Vec<Document> = paths.map(|path| input::read(path, stop)).collect::<Result<_, _>>()?;
        let draw = args.draw.iter().map(|path| input::drawing(path, args.program.folder.path(), stop));
        let draw = draw.collect::<Result<_, _>>()?;
        let included = input::included_documents(&named, stop)?;
        let named = detach_from_files(named, args);
        let draw = detach_from_files(draw, args);
        Ok(Sources { named, included, draw, encodings: Mutex::default(), companions: Mutex::default() })
    }

    /// Returns the encodings `names`, or the puzzle's first encoding if `names` is empty.
    fn encodings(
        &self,
        args: &Solve,
        names: Vec<PathBuf>,
        about: &puzzle::About,
        stop: &CancelToken,
    ) -> Result<Vec<Document>, Failure> {
        // Hold the lock while reading, so that other lines of the batch wait instead of reading
        // too.
        let mut cache = self.encodings.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (about.name, names);
        if let Some(encodings) = cache.get(&key) {
            return Ok(encodings.clone());
        }
        let encodings = input::encodings(&key.1, about, args.program.folder.path(), args.verbose, &self.named, stop)?;
        let encodings = detach_from_files(encodings, args);
        cache.insert(key, encodings.clone());
        Ok(encodings)
    }

    /// Returns the companion files of these encodings.
    fn companions(&self, args: &Solve, encodings: &[Document], stop: &CancelToken) -> Result<Vec<Document>, Failure> {
        let mut cache = self.companions.lock().unwrap_or_else(PoisonError::into_inner);
        let key: Vec<String> = encodings.iter().map(|encoding| encoding.name.clone()).collect();
        if let Some(companions) = cache.get(&key) {
            return Ok(companions.clone());
        }
        let companions = detach_from_files(input::companions(encodings, args.program.folder.path(), stop)?, args);
        cache.insert(key, companions.clone());
        Ok(companions)
    }
}

/// In a batch, makes clingo use the texts that were read, even if the files change later. A text
/// with includes stays a file, since clingo resolves includes relative to the file.
fn detach_from_files(mut documents: Vec<Document>, args: &Solve) -> Vec<Document> {
    let is_alone = |document: &&mut Document| asp::syntax::includes(&document.text).is_empty();
    for document in documents.iter_mut().filter(|_| args.batch).filter(is_alone) {
        document.path = None;
    }
    documents
}

/// Returns the puzzle of the input, and the job that the arguments describe. `read` contains the
/// texts of the instance; all other texts that are read are appended to it, so that messages can
/// quote them.
fn build_job(
    args: &Solve,
    read: &mut Vec<Document>,
    stop: &CancelToken,
) -> Result<(&'static dyn AnyPuzzle, Job), Failure> {
    build_job_from(&Sources::read(args, stop)?, args, read, stop)
}

/// Like `build_job`, but takes rules that were read before.
fn build_job_from(
    sources: &Sources,
    args: &Solve,
    read: &mut Vec<Document>,
    stop: &CancelToken,
) -> Result<(&'static dyn AnyPuzzle, Job), Failure> {
    let Sources { named, draw, .. } = sources;
    let mut included = input::included_documents(read, stop)?;
    let puzzle::Recognition { entry, roles, is_guessed } = match &args.choice.puzzle {
        Some(name) => {
            let entry = puzzle::by_name(name).expect("the command line knows the names");
            puzzle::Recognition { entry, roles: puzzle::roles(entry, read), is_guessed: false }
        }
        None => puzzle::recognise(read, named, &included)?,
    };
    included.extend(sources.included.iter().cloned());
    let about = entry.about();
    // A file that derives the puzzle's answers counts as an encoding, as if `-e` had named it.
    let mut encodings = Vec::new();
    let mut documents = Vec::new();
    for (document, role) in read.iter().cloned().zip(roles) {
        if role == Role::Encoding { &mut encodings } else { &mut documents }.push(document);
    }
    if documents.is_empty() {
        return Err(Diagnostic::error(
            Code::MissingInstance,
            format!("this is an encoding of {}, without an instance to solve", about.name),
        )
        .into());
    }
    let names_encodings = !encodings.is_empty() || !args.choice.encoding.is_empty();
    if encodings.is_empty() || !args.choice.encoding.is_empty() {
        let mut names = args.choice.encoding.clone();
        // A board may require additional built-in rules.
        if names.is_empty()
            || about.encodings.iter().any(|encoding| names.iter().any(|name| name.as_os_str() == encoding.name))
        {
            let required = entry.inputs().required_encodings(&documents);
            names.extend(required.into_iter().map(PathBuf::from).filter(|name| !args.choice.encoding.contains(name)));
        }
        let named = sources.encodings(args, names, &about, stop)?;
        read.extend(named.iter().cloned());
        encodings.extend(named);
    }
    let companions = sources.companions(args, &encodings, stop)?;
    read.extend(companions.iter().cloned());
    encodings.extend(companions);
    read.extend(draw.iter().cloned());
    // In a batch `--threads` is the number of workers.
    let threads = args.common.threads.filter(|_| !args.batch).map(usize::from);
    let mut settings = asp::Settings { threads, ..args.program.settings() };
    settings.options.extend(args.stats.then(|| "--stats=2".to_owned()));
    let has_own_search = || !entry.engines().iter().all(|engine| puzzle::reads_encodings(engine));
    let memory = args.memory.bytes().or_else(|| has_own_search().then(input::half_of_memory));
    let job = Job {
        documents,
        included,
        encodings,
        names_encodings,
        draw: draw.clone(),
        vocabulary: args.graph_args.vocabulary(),
        engine: args.engine.clone(),
        // Drawing the K-th answer, or each answer to its own file, requires all answers in order.
        models: args.models.or((!args.unique && (args.writes_numbered_files() || args.answer > Some(1))).then_some(0)),
        asks_unique: args.unique,
        certify: certify_mode(args),
        show: match args.format {
            Format::Html => Show::Page,
            format if format.is_picture() => Show::Pictures,
            Format::Text if args.common.quiet && !args.batch => Show::Verdict,
            _ => Show::Answers,
        },
        format: if args.batch { Format::Json } else { args.format },
        settings,
        stats: args.stats,
        limits: job::Limits { memory, nodes: args.node_limit, depth: args.depth_limit },
        is_batch: args.batch,
        is_guessed,
        cache: input::cache(),
        stop: stop.clone(),
        ..Job::default()
    };
    Ok((entry, job))
}

/// Returns the header of a run that ended before its engine could supply one.
fn fallback_header(entry: &dyn AnyPuzzle, job: &Job) -> Header {
    let engine = job.engine.clone().unwrap_or_else(|| entry.engines().swap_remove(0));
    let names = |documents: &[Document]| documents.iter().map(|document| document.name.clone()).collect();
    Header {
        puzzle: entry.about().name,
        instance: names(&job.documents),
        encoding: if puzzle::reads_encodings(&engine) { names(&job.encodings) } else { Vec::new() },
        engine,
        rules: None,
    }
}

/// Runs the job under supervision, reports its result, and returns the exit code.
fn run_supervised(
    args: &Solve,
    entry: &'static dyn AnyPuzzle,
    job: Job,
    documents: Vec<Document>,
    runner: &mut Runner,
) -> i32 {
    // Numbered files are written at the end, when all answers are known.
    let output_args = &args.common.output_args;
    let numbered = output_args.file().filter(|_| args.writes_numbered_files()).map(Path::to_owned);
    let opened = check_proof_paths(args)
        .and_then(|()| output::open(output_args.file().filter(|_| numbered.is_none()), output_args.color()));
    let (output, file) = match opened {
        Ok(opened) => opened,
        Err(failure) => return fail(args, &documents, &failure),
    };
    let on_page = args.format == Format::Html;
    let style = Style { verbose: args.verbose, drawn: args.answer, on_page, ..args.common.style() };
    let slot = ReportSlot::new(output, args.format, style);
    let began = Instant::now();
    let documents = Arc::new(documents);
    let header = fallback_header(entry, &job);
    let proof = args.proof.clone();
    let work = {
        let slot = slot.clone();
        let header = header.clone();
        let documents = documents.clone();
        let args = args.clone();
        let numbered = numbered.clone();
        move |stop: &CancelToken| {
            let conclusion = open_and_solve(entry, Job { stop: stop.clone(), style, ..job }, &slot)?;
            print_warnings(&args, &conclusion, &documents);
            proof.map_or(Ok(()), |path| write_proof(&path, conclusion.certificate.as_ref()))?;
            let reported = finish_report(&slot, header, conclusion.clone(), numbered.as_deref());
            Ok(RunOutcome {
                is_truncated: reported.as_ref().is_ok_and(|reported| reported.verdict() != conclusion.verdict()),
                conclusion,
                reported,
            })
        }
    };
    let mut answers = None;
    let progress = || {
        answers = poll_report(&slot).or(answers);
        Some(match answers {
            None | Some(0) => "no answer yet".to_owned(),
            Some(answers) => count(answers, "answer", "answers"),
        })
    };
    let RunOutcome { mut conclusion, reported, is_truncated } = match runner.run(work, progress) {
        TaskEnd::Done(Ok(outcome)) => outcome,
        TaskEnd::Done(Err(failure)) => return fail_midway(args, &documents, &failure, &slot, header),
        TaskEnd::Failed(diagnostic) => return fail_midway(args, &documents, &diagnostic.into(), &slot, header),
        TaskEnd::Abandoned(reason) => {
            let conclusion = AnyRunResult::gave_up(reason);
            print_warnings(args, &conclusion, &documents);
            // An engine that was abandoned while writing still holds the lock of its report.
            let is_free = slot.report().is_none_or(|report| report.try_lock().is_ok());
            if args.format == Format::Text && (!is_free || args.common.output_args.file().is_some()) {
                let _ = messages::gave_up(reason);
            }
            let reported =
                if is_free { finish_report(&slot, header, conclusion.clone(), None) } else { Ok(conclusion.clone()) };
            RunOutcome { conclusion, reported, is_truncated: false }
        }
    };
    if let Ok(reported) = &reported {
        conclusion = reported.clone();
    }
    if is_truncated && let Verdict::GaveUp(reason) = conclusion.verdict() {
        messages::print_line(format_args!("gave up: {}; the output is incomplete", reason.words()));
    }
    let written = reported.and_then(|_| output_result(file.map_or(Ok(()), output::PendingFile::persist)));
    if args.stats && args.format != Format::Json {
        messages::print_line(statistics_text(&conclusion, began.elapsed()).trim_end());
    }
    match written {
        Err(failure) if !failure.0.is_empty() => fail(args, &documents, &failure),
        _ => exit_code(&conclusion, args.format, slot.report()),
    }
}

/// Time to report partial results after an engine was abandoned.
const REPORT_GRACE: Duration = Duration::from_millis(150);

/// The result of solving, and the result of reporting it.
struct RunOutcome {
    conclusion: AnyRunResult,
    reported: Result<AnyRunResult, Failure>,
    /// True if the grace period ended before all answers were written.
    is_truncated: bool,
}

/// Checks the certificate files up front, so that a bad path does not surface only after the proof.
fn check_proof_paths(args: &Solve) -> Result<(), Failure> {
    args.proof.as_ref().map_or(Ok(()), |proof| check_output_paths(args.common.output_args.file(), proof))
}

fn check_output_paths(output: Option<&Path>, proof: &Path) -> Result<(), Failure> {
    let formula = (certificate_kind(proof) == CertifyMode::WriteVeriPb).then(|| proof.with_extension("opb"));
    let outputs = [("--output", output), ("--proof", Some(proof)), ("the formula of --proof", formula.as_deref())];
    output::reject_duplicate_outputs(&outputs)?;
    outputs.into_iter().skip(1).try_for_each(|(option, path)| path.map_or(Ok(()), |path| output::check(option, path)))
}

/// Returns the kind of certificate, by the file's extension.
fn certificate_kind(proof: &Path) -> CertifyMode {
    if proof.extension().is_some_and(|ending| ending == "pbp") { CertifyMode::WriteVeriPb } else { CertifyMode::Write }
}

/// Returns the certification mode. A batch certifies only on request, because that takes several
/// times as long as solving a board with a shared ground program.
fn certify_mode(args: &Solve) -> CertifyMode {
    match (&args.proof, args.certify) {
        (Some(path), _) => certificate_kind(path),
        (None, Some(args::When::Always)) => CertifyMode::Check,
        (None, Some(args::When::Never)) => CertifyMode::No,
        (None, None) if args.batch => CertifyMode::No,
        (None, None) => CertifyMode::IfCheap,
    }
}

fn write_proof(path: &Path, certificate: Option<&Certification>) -> Result<(), Failure> {
    match certificate {
        Some(Certification { text: Some(text), formula, .. }) => {
            if let Some(formula) = formula {
                output::write(Some(&path.with_extension("opb")), false, formula)?;
            }
            output::write(Some(path), false, text)
        }
        Some(Certification { why, .. }) => {
            let why = why.as_deref().unwrap_or("nothing is certified");
            messages::print_line(format_args!("{} is not written: {why}", path.display()));
            Ok(())
        }
        None => Ok(()),
    }
}

/// Prints the warnings of a run, and the reason if it gave up.
fn print_warnings(args: &Solve, conclusion: &AnyRunResult, documents: &[Document]) {
    args.common.warn(&conclusion.warnings, documents);
    if let Verdict::GaveUp(reason) = conclusion.verdict()
        && args.format != Format::Text
        && !args.common.quiet
    {
        messages::print_line(format_args!("gave up: {}", reason.words()));
    }
}

/// Opens and solves the instance. A failure after a request to stop counts as caused by it.
fn open_and_solve(entry: &dyn AnyPuzzle, job: Job, slot: &ReportSlot) -> Result<AnyRunResult, Failure> {
    let (stop, is_guessed) = (job.stop.clone(), job.is_guessed);
    entry.open(job).and_then(|board| board.solve(slot)).or_else(|failure| {
        let annotate = |failure| if is_guessed { puzzle::annotate_guess(entry, failure) } else { failure };
        stop.requested().map(AnyRunResult::gave_up).ok_or_else(|| annotate(failure))
    })
}

/// Flushes the report and returns its number of answers. The engine holds the lock only briefly,
/// unless the reader of the output is slow, so this function retries for a moment and then returns
/// `None`.
fn poll_report(slot: &ReportSlot) -> Option<u64> {
    let report = slot.report()?;
    for _ in 0..10_000 {
        match report.try_lock() {
            Ok(mut report) => {
                // The engine encounters the same error when it writes or finishes the report.
                let _ = report.flush();
                return Some(report.found());
            }
            Err(TryLockError::Poisoned(_)) => return None,
            Err(TryLockError::WouldBlock) => std::hint::spin_loop(),
        }
    }
    None
}

/// Writes the rest of the report, or a picture of each answer to its own file.
fn finish_report(
    slot: &ReportSlot,
    header: Header,
    conclusion: AnyRunResult,
    numbered: Option<&Path>,
) -> Result<AnyRunResult, Failure> {
    let (Some(path), Some(report)) = (numbered, slot.report()) else { return slot.finish(|| header, conclusion) };
    let mut number = 0;
    let mut report = report.lock().unwrap_or_else(PoisonError::into_inner);
    report.pictures(conclusion, &mut |picture| {
        number += 1;
        output::write(Some(&output::numbered(path, number)), false, &picture)
    })
}

/// Returns the exit code: 0 if there are answers, 1 if there is proven to be none, 3 if the run
/// gave up. In clingo's formats, returns clingo's code: 10 if there are answers, 20 if the search
/// was exhausted, 1 if it was interrupted.
fn exit_code(conclusion: &AnyRunResult, format: Format, report: Option<Arc<Mutex<dyn Report>>>) -> i32 {
    if !format.is_answer_sets() {
        return conclusion.exit_code();
    }
    let report = report.as_ref().and_then(|report| report.try_lock().ok());
    let (clingo_code, has_answers) =
        report.map_or((None, false), |report| (report.clingo_exit_code(), report.found() > 0));
    match (clingo_code, conclusion.verdict()) {
        (Some(code), _) => code,
        (None, Verdict::GaveUp(StopReason::MemoryLimit)) => 33,
        (None, _) => 1 + if has_answers { 10 } else { 0 },
    }
}

/// Renders the statistics as lines `path: value`, without zeros.
fn statistics_text(conclusion: &AnyRunResult, elapsed: Duration) -> String {
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
    /// Renders objects that have the same keys as a table.
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
    lines("", &conclusion.statistics, &mut out);
    let _ = writeln!(out, "seconds: {:.3}", elapsed.as_secs_f64());
    out
}
