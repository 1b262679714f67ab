//! The command: reads, recognises, runs, prints. All input and output of the program is here.

mod args;
mod batch;
mod child;
mod compare;
mod habits;
mod input;
mod lsp;
mod make;
mod manual;
mod merge;
mod messages;
mod mutants;
mod output;
mod profile;
mod runner;
#[cfg(feature = "studio")]
mod studio;
mod test;
mod verify;
mod watch;
mod why;
mod writing;

use std::collections::HashMap;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use clap::ArgMatches;

use crate::asp;
use crate::diagnostic::{Diagnostic, Failure};
use crate::document::Document;
use crate::ending::{Certified, Verdict};
use crate::job::{self, Certify, Job, Show};
use crate::puzzle::report::{Header, Report, Slot, written};
use crate::puzzle::{self, Conclusion, Entry, Role};
use crate::report::{Format, Style};
use crate::stop::{Reason, Stop};
use crate::words::{self, count, shown};
use args::{Parsed, Solve, Sub};
use runner::{End, Limits, Runner};
use writing::Writing;

pub use output::leave;

/// Runs the command and returns its exit code.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> i32 {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    // Shell completion includes the user's own puzzles, without warnings.
    if let Some(words) = manual::words_to_complete(&arguments)
        && let Ok(files) = input::puzzles(words, |_| ())
    {
        puzzle::add(&files);
    }
    match manual::complete(&arguments) {
        Ok(false) => {}
        Ok(true) => return 0,
        Err(error) => return refuse(&error),
    }
    if arguments.get(1).is_some_and(|word| word == "clingo") {
        return asp::main(arguments.into_iter().skip(2).collect());
    }
    // That takes no puzzle and no option.
    if let [_, only] = &arguments[..]
        && (only == "--version" || only == "-V")
    {
        return Writing::default().conclude(&format!("asp-solve {}\n", args::version()), || 0);
    }
    asp::mind_signals(runner::address_space() < u64::MAX);
    if let Err(failure) = input::puzzles(&arguments, messages::say).map(|files| puzzle::add(&files)) {
        return Writing::default().fail(&failure, &[]);
    }
    let (cli, matches) = match args::parse(arguments) {
        Ok(Parsed::Solve(cli, matches)) => (cli, matches),
        Ok(Parsed::Verify(args, matches)) => return verify::verify(&args, &matches),
        Ok(Parsed::Play(player, args, matches)) => return make::play(player, &args, &matches),
        Ok(Parsed::Generate(maker, args, matches)) => return make::generate(maker, &args, &matches),
        Ok(Parsed::Watch(args, runs)) => return watch::watch(&args, &runs),
        Ok(Parsed::Inspect(entry, tool, args, matches)) => return make::inspect(entry, tool, &args, &matches),
        Err(error) => return refuse(&habits::advise(error)),
    };
    match cli.command {
        Some(Sub::List { name }) => Writing::default().conclude(&shown(&list(name.as_deref())), || 0),
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
            Writing::default().fail(&Diagnostic::error(text).into(), &[])
        }
        Some(Sub::Lsp(args)) => lsp::lsp(&args),
        Some(Sub::Clingo { arguments }) => asp::main(arguments),
        Some(Sub::Completions { shell }) => manual::completions(shell),
        Some(Sub::Man { command, dir }) => manual::manual(&command, dir.as_deref()),
        None => solve(cli.solve, matches),
    }
}

/// Prints what the command line is refused for; or help, which was asked for.
fn refuse(error: &clap::Error) -> i32 {
    if error.use_stderr() {
        // A message that cannot be written has no other place to go.
        let _ = error.print();
        return error.exit_code();
    }
    let (writing, help) = (Writing::default(), error.render());
    let help = if writing.color() { help.ansi().to_string() } else { help.to_string() };
    writing.conclude(&help, || error.exit_code())
}

/// What there is to know of a puzzle, or a line of each.
fn list(name: Option<&str>) -> String {
    const WIDTH: usize = 100;
    let mut out = String::new();
    if name.is_none() {
        let kind = |entry: &&'static dyn puzzle::Entry| {
            let about = entry.about();
            let folder = about.encodings.first().and_then(|encoding| encoding.files[0].path.split('/').next());
            match folder {
                _ if about.more.is_empty() => "Puzzles with engines of their own",
                Some("games") => "One-player games",
                _ => "Pencil puzzles",
            }
        };
        for group in puzzle::all().chunk_by(|one, other| kind(one) == kind(other)) {
            let _ = writeln!(out, "{} ({}):", kind(&group[0]), group.len());
            for about in group.iter().map(|entry| entry.about()) {
                let _ = writeln!(out, "{}", words::cut(&format!("  {}: {}", about.name, about.summary), WIDTH));
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
        let commands: Vec<&str> = entry.tools().iter().map(|tool| tool.name()).collect();
        if !commands.is_empty() {
            let _ = writeln!(out, "  commands   {}", commands.join(", "));
        }
        let _ = writeln!(out, "  example    {}", about.example);
    }
    out
}

/// Prints what ended a command and gives its exit code.
fn fail(args: &Solve, documents: &[Document], failure: &Failure) -> i32 {
    match args.common.writing.fail(failure, documents) {
        2 if args.format.is_answer_sets() => 65,
        code => code,
    }
}

/// Like `fail`, for a run that may have printed something: completes the document with the error in it. clingo's formats report
/// an unknown result, as clingo does.
fn fail_midway(args: &Solve, documents: &[Document], failure: &Failure, slot: &Slot, header: Header) -> i32 {
    if args.common.writing.file().is_none() && !failure.0.is_empty() {
        // That it cannot be written is less than what is told next.
        let _ = slot.fail(|| header, failure);
    }
    fail(args, documents, failure)
}

fn solve(args: Solve, matches: ArgMatches) -> i32 {
    let mut runner = Runner::new(limits(&args), !args.common.quiet);
    if args.batch {
        // Its output is opened before they are read.
        input::remember_named(&args.files);
        return match Sources::read(&args, &Stop::new()) {
            Ok(sources) => batch::run(args, matches, sources, runner),
            Err(failure) => fail(&args, &[], &failure),
        };
    }
    let own = args.clone();
    let reading = move |documents: &mut Vec<Document>, stop: &Stop| {
        *documents = read(&own.files, stop)?;
        let (entry, mut job) = asked(&own, documents, stop)?;
        refuse_foreign(&own, &entry.about(), &matches)?;
        check_picture(&own, &entry.about())?;
        entry.read(&matches, &mut job.options)?;
        Ok((entry, job))
    };
    match runner.attend(reading, || None) {
        (Ok(Ok((entry, job))), documents) => watched(&args, entry, job, documents, &mut runner),
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
                    let slot = Slot::new(output, args.format, Style::default());
                    fail_midway(&args, &documents, &failure, &slot, header)
                }
                Err(_) => fail(&args, &documents, &failure),
            }
        }
        (Ok(Err(reason)), _) => {
            messages::say(format_args!("gave up before the input was read: {}", reason.words()));
            exit_code(&Conclusion::gave_up(reason), args.format, None)
        }
    }
}

/// Refuses an option of another puzzle than the one that runs.
fn refuse_foreign(args: &Solve, about: &puzzle::About, matches: &ArgMatches) -> Result<(), Failure> {
    let foreign = args::foreign_option(matches, about.name, args.format.is_answer_sets());
    let Some((option, owner)) = foreign else { return Ok(()) };
    let error = Diagnostic::error(format!("{option} is an option of {owner}, but the input is {}", about.name));
    let is_for_answer_sets = puzzle::named(owner).is_some_and(|owner| owner.about().has_options_for_answer_sets);
    Err(match is_for_answer_sets {
        true => error.help("with --format asp or clingo-json it is for every puzzle").into(),
        false if about.has_options_for_answer_sets => habits::helped(error, &option).into(),
        false => error.into(),
    })
}

/// Time for the work to end when it is asked to.
const GRACE: Duration = Duration::from_millis(600);

/// What a run, or each line of a batch, may use; engines that poll the cancellation token need only a moment of grace.
fn limits(args: &Solve) -> Limits {
    Limits {
        time: args.common.time_limit.map(Duration::from_secs_f64),
        memory: args.memory.bytes(),
        // All is over after twice the limit, and a moment.
        grace: args.common.time_limit.map_or(GRACE, |limit| GRACE.min(Duration::from_secs_f64(limit) + LAST_WORDS)),
    }
}

/// Whether the puzzle can be looked at in the format, and what was said about pictures fits it.
fn check_picture(args: &Solve, about: &puzzle::About) -> Result<(), Failure> {
    // Rules of the user may draw a graph.
    let has_own_rules = !args.draw.is_empty() || !args.choice.encoding.is_empty();
    let may_draw = args.format == Format::Dot && about.has_options_for_answer_sets && has_own_rules;
    let text = if args.format.is_picture() && !about.pictures.contains(&args.format) && !may_draw {
        let known: Vec<String> = about.pictures.iter().map(|format| format.name()).collect();
        let known = if known.is_empty() { "cannot be drawn".to_owned() } else { format!("has {}", known.join(", ")) };
        format!("--format {}: {} {known}", args.format.name(), about.name)
    } else if args.answer.is_some() && !matches!(args.format, Format::Svg | Format::Dot | Format::Html) {
        "--answer goes with --format svg, dot or html".to_owned()
    } else if args.answer.is_some() && args.numbers_files() {
        "--answer draws one answer, but the name of --output has {n} in it, for all of them".to_owned()
    } else {
        return Ok(());
    };
    Err(Diagnostic::error(text).into())
}

fn read(files: &[PathBuf], stop: &Stop) -> Result<Vec<Document>, Failure> {
    if files.iter().filter(|path| *path == Path::new("-")).count() > 1 {
        return Err(Diagnostic::error("standard input can be read only once, but - was given twice").into());
    }
    files.iter().map(|path| input::read(path, stop)).collect()
}

/// A puzzle and the names of its encodings.
type EncodingKey = (&'static str, Vec<PathBuf>);

/// The rules that a command line names: they are the same for all instances of a batch, and are read once.
struct Sources {
    /// Encodings that are files.
    named: Vec<Document>,
    /// Files that the named encodings include.
    included: Vec<Document>,
    draw: Vec<Document>,
    encodings: Mutex<HashMap<EncodingKey, Vec<Document>>>,
    /// By names of encodings: the files that go with them.
    companions: Mutex<HashMap<Vec<String>, Vec<Document>>>,
}

impl Sources {
    fn read(args: &Solve, stop: &Stop) -> Result<Sources, Failure> {
        let paths = args.choice.encoding.iter().filter(|path| path.is_file());
        let named: Vec<Document> = paths.map(|path| input::read(path, stop)).collect::<Result<_, _>>()?;
        let draw = args.draw.iter().map(|path| input::drawing(path, args.program.folder.path(), stop));
        let draw = draw.collect::<Result<_, _>>()?;
        let included = input::all_included(&named, stop)?;
        let (named, draw) = (held(named, args), held(draw, args));
        Ok(Sources { named, included, draw, encodings: Mutex::default(), companions: Mutex::default() })
    }

    /// The encodings of these names, or the puzzle's first.
    fn encodings(
        &self,
        args: &Solve,
        names: Vec<PathBuf>,
        about: &puzzle::About,
        stop: &Stop,
    ) -> Result<Vec<Document>, Failure> {
        // Locked while they are read: another line of the batch waits.
        let mut known = self.encodings.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (about.name, names);
        if let Some(found) = known.get(&key) {
            return Ok(found.clone());
        }
        let found = input::encodings(&key.1, about, args.program.folder.path(), args.verbose, &self.named, stop)?;
        let found = held(found, args);
        known.insert(key, found.clone());
        Ok(found)
    }

    /// The files that go with these encodings.
    fn companions(&self, args: &Solve, encodings: &[Document], stop: &Stop) -> Result<Vec<Document>, Failure> {
        let mut known = self.companions.lock().unwrap_or_else(PoisonError::into_inner);
        let key: Vec<String> = encodings.iter().map(|encoding| encoding.name.clone()).collect();
        if let Some(found) = known.get(&key) {
            return Ok(found.clone());
        }
        let found = held(input::companions(encodings, args.program.folder.path(), stop)?, args);
        known.insert(key, found.clone());
        Ok(found)
    }
}

/// In a batch, makes clingo take the texts that were read, not the files as they are later. A text with includes stays a file,
/// beside which clingo finds them.
fn held(mut documents: Vec<Document>, args: &Solve) -> Vec<Document> {
    let is_alone = |document: &&mut Document| asp::syntax::includes(&document.text).is_empty();
    documents.iter_mut().filter(|_| args.batch).filter(is_alone).for_each(|document| document.path = None);
    documents
}

/// The puzzle that the input is about, and the job that the arguments ask for. `read` has the texts of the instance; all
/// others that are read come to them, for messages.
fn asked(args: &Solve, read: &mut Vec<Document>, stop: &Stop) -> Result<(&'static dyn Entry, Job), Failure> {
    asked_by(&Sources::read(args, stop)?, args, read, stop)
}

/// The same by rules that were read before.
fn asked_by(
    sources: &Sources,
    args: &Solve,
    read: &mut Vec<Document>,
    stop: &Stop,
) -> Result<(&'static dyn Entry, Job), Failure> {
    let Sources { named: own, draw, .. } = sources;
    let mut included = input::all_included(read, stop)?;
    let puzzle::Recognised { entry, roles, is_a_guess } = match &args.choice.puzzle {
        Some(name) => {
            let entry = puzzle::named(name).expect("the command line knows the names");
            puzzle::Recognised { entry, roles: puzzle::roles(entry, read), is_a_guess: false }
        }
        None => puzzle::recognise(read, own, &included)?,
    };
    included.extend(sources.included.iter().cloned());
    let about = entry.about();
    // A file that derives the puzzle's answers is an encoding, as if it had been named with -e.
    let (mut encodings, mut documents) = (Vec::new(), Vec::new());
    for (document, role) in read.iter().cloned().zip(roles) {
        if role == Role::Encoding { &mut encodings } else { &mut documents }.push(document);
    }
    if documents.is_empty() {
        return Err(
            Diagnostic::error(format!("this is an encoding of {}, without an instance to solve", about.name)).into()
        );
    }
    let names_encodings = !encodings.is_empty() || !args.choice.encoding.is_empty();
    if encodings.is_empty() || !args.choice.encoding.is_empty() {
        let mut names = args.choice.encoding.clone();
        // A board may ask for rules that are added to those that ship.
        if names.is_empty()
            || about.encodings.iter().any(|known| names.iter().any(|name| name.as_os_str() == known.name))
        {
            let asked_for = entry.asks_for(&documents);
            names.extend(asked_for.into_iter().map(PathBuf::from).filter(|name| !args.choice.encoding.contains(name)));
        }
        let asked = sources.encodings(args, names, &about, stop)?;
        read.extend(asked.iter().cloned());
        encodings.extend(asked);
    }
    let companions = sources.companions(args, &encodings, stop)?;
    read.extend(companions.iter().cloned());
    encodings.extend(companions);
    read.extend(draw.iter().cloned());
    // The threads of a batch are its workers.
    let threads = args.common.threads.filter(|_| !args.batch).map(usize::from);
    let mut settings = asp::Settings { threads, ..args.program.settings() };
    settings.options.extend(args.stats.then(|| "--stats=2".to_owned()));
    let searches = || !entry.engines().iter().all(|engine| puzzle::reads_encodings(engine));
    let memory = args.memory.bytes().or_else(|| searches().then(input::half_of_memory));
    let job = Job {
        documents,
        included,
        encodings,
        names_encodings,
        draw: draw.clone(),
        vocabulary: args.vocabulary.clone(),
        engine: args.engine.clone(),
        // A picture of a later answer, or of each, is of all of them in their order.
        models: args.models.or((!args.unique && (args.numbers_files() || args.answer > Some(1))).then_some(0)),
        asks_unique: args.unique,
        certify: how_to_certify(args),
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
        is_a_guess,
        cache: input::cache(),
        stop: stop.clone(),
        ..Job::default()
    };
    Ok((entry, job))
}

/// What a run is called that ended before its engine could say.
fn header(entry: &dyn Entry, job: &Job) -> Header {
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

/// Does the job under the eyes of the watcher, tells what came of it, and gives the exit code.
fn watched(args: &Solve, entry: &'static dyn Entry, job: Job, documents: Vec<Document>, runner: &mut Runner) -> i32 {
    // A file for each answer is written when all are known.
    let writing = &args.common.writing;
    let numbered = writing.file().filter(|_| args.numbers_files()).map(Path::to_owned);
    let opened =
        check_proof(args).and_then(|()| output::open(writing.file().filter(|_| numbered.is_none()), writing.color()));
    let (output, file) = match opened {
        Ok(opened) => opened,
        Err(failure) => return fail(args, &documents, &failure),
    };
    let on_page = args.format == Format::Html;
    let style = Style { verbose: args.verbose, drawn: args.answer, on_page, ..args.common.style() };
    let slot = Slot::new(output, args.format, style);
    let (began, documents, header) = (Instant::now(), Arc::new(documents), header(entry, &job));
    let proof = args.proof.clone();
    let work = {
        let (slot, header, documents, args) = (slot.clone(), header.clone(), documents.clone(), args.clone());
        let numbered = numbered.clone();
        move |stop: &Stop| {
            let conclusion = solved(entry, Job { stop: stop.clone(), style, ..job }, &slot)?;
            warn(&args, &conclusion, &documents);
            proof.map_or(Ok(()), |path| write_proof(&path, conclusion.certificate.as_ref()))?;
            let told = finish(&slot, header, conclusion.clone(), numbered.as_deref());
            Ok(Told {
                is_cut: told.as_ref().is_ok_and(|told| told.verdict() != conclusion.verdict()),
                conclusion,
                told,
            })
        }
    };
    let mut found = None;
    let progress = || {
        found = touch(&slot).or(found);
        Some(match found {
            None | Some(0) => "no answer yet".to_owned(),
            Some(found) => count(found, "answer", "answers"),
        })
    };
    let Told { mut conclusion, told, is_cut } = match runner.run(work, progress) {
        End::Done(Ok(told)) => told,
        End::Done(Err(failure)) => return fail_midway(args, &documents, &failure, &slot, header),
        End::Failed(diagnostic) => return fail_midway(args, &documents, &diagnostic.into(), &slot, header),
        End::Abandoned(reason) => {
            let conclusion = Conclusion::gave_up(reason);
            warn(args, &conclusion, &documents);
            // An engine that was left alone in the middle of writing keeps its report.
            let is_free = slot.report().is_none_or(|report| report.try_lock().is_ok());
            if args.format == Format::Text && (!is_free || args.common.writing.file().is_some()) {
                let _ = messages::gave_up(reason);
            }
            let told = match is_free {
                true => finish(&slot, header, conclusion.clone(), None),
                false => Ok(conclusion.clone()),
            };
            Told { conclusion, told, is_cut: false }
        }
    };
    if let Ok(told) = &told {
        conclusion = told.clone();
    }
    if is_cut && let Verdict::GaveUp(reason) = conclusion.verdict() {
        messages::say(format_args!("gave up: {}; the output is incomplete", reason.words()));
    }
    let written = told.and_then(|_| written(file.map_or(Ok(()), output::Unfinished::keep)));
    if args.stats && args.format != Format::Json {
        messages::say(statistics_text(&conclusion, began.elapsed()).trim_end());
    }
    match written {
        Err(failure) if !failure.0.is_empty() => fail(args, &documents, &failure),
        _ => exit_code(&conclusion, args.format, slot.report()),
    }
}

/// Time for what is known where an engine was left alone.
const LAST_WORDS: Duration = Duration::from_millis(150);

/// How solving ended, and what came of telling it.
struct Told {
    conclusion: Conclusion,
    told: Result<Conclusion, Failure>,
    /// Not all was told in time.
    is_cut: bool,
}

/// Refuses files for a certificate that are found to be of no use only when all is proven.
fn check_proof(args: &Solve) -> Result<(), Failure> {
    args.proof.as_ref().map_or(Ok(()), |proof| check_files(args.common.writing.file(), proof))
}

fn check_files(output: Option<&Path>, proof: &Path) -> Result<(), Failure> {
    let formula = (certify_of(proof) == Certify::WriteVeriPb).then(|| proof.with_extension("opb"));
    let outputs = [("--output", output), ("--proof", Some(proof)), ("the formula of --proof", formula.as_deref())];
    output::refuse_twice(&outputs)?;
    outputs.into_iter().skip(1).try_for_each(|(option, path)| path.map_or(Ok(()), |path| output::check(option, path)))
}

/// What a file for a certificate is to hold.
fn certify_of(proof: &Path) -> Certify {
    if proof.extension().is_some_and(|ending| ending == "pbp") { Certify::WriteVeriPb } else { Certify::Write }
}

/// Unasked nothing of a batch is certified: it takes several times as long as to solve a board by a shared ground program.
fn how_to_certify(args: &Solve) -> Certify {
    match (&args.proof, args.certify) {
        (Some(path), _) => certify_of(path),
        (None, Some(args::When::Always)) => Certify::Check,
        (None, Some(args::When::Never)) => Certify::No,
        (None, None) if args.batch => Certify::No,
        (None, None) => Certify::IfCheap,
    }
}

/// Writes the certificate, if there is one.
fn write_proof(path: &Path, certificate: Option<&Certified>) -> Result<(), Failure> {
    match certificate {
        Some(Certified { text: Some(text), formula, .. }) => {
            if let Some(formula) = formula {
                output::write(Some(&path.with_extension("opb")), false, formula)?;
            }
            output::write(Some(path), false, text)
        }
        Some(Certified { why, .. }) => {
            let why = why.as_deref().unwrap_or("nothing is certified");
            messages::say(format_args!("{} is not written: {why}", path.display()));
            Ok(())
        }
        None => Ok(()),
    }
}

/// Prints what there is to say besides the answers.
fn warn(args: &Solve, conclusion: &Conclusion, documents: &[Document]) {
    args.common.warn(&conclusion.warnings, documents);
    if let (Verdict::GaveUp(reason), true) = (conclusion.verdict(), args.format != Format::Text && !args.common.quiet) {
        messages::say(format_args!("gave up: {}", reason.words()));
    }
}

/// Opens and solves. Whatever fails while stopping fails because of it.
fn solved(entry: &dyn Entry, job: Job, slot: &Slot) -> Result<Conclusion, Failure> {
    let (stop, is_a_guess) = (job.stop.clone(), job.is_a_guess);
    entry.open(job).and_then(|board| board.solve(slot)).or_else(|failure| {
        let about = |failure| if is_a_guess { puzzle::about_a_guess(entry, failure) } else { failure };
        stop.requested().map(Conclusion::gave_up).ok_or_else(|| about(failure))
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

/// Tells what is still to be told: in the output, or a picture of each answer in a file of its own.
fn finish(slot: &Slot, header: Header, conclusion: Conclusion, numbered: Option<&Path>) -> Result<Conclusion, Failure> {
    let (Some(path), Some(report)) = (numbered, slot.report()) else { return slot.finish(|| header, conclusion) };
    let mut number = 0;
    let mut report = report.lock().unwrap_or_else(PoisonError::into_inner);
    report.pictures(conclusion, &mut |picture| {
        number += 1;
        output::write(Some(&output::numbered(path, number)), false, &picture)
    })
}

/// 0 answers, 1 proven none, 3 gave up; in clingo's formats its own: 10 answers, 20 exhausted, 1 interrupted.
fn exit_code(conclusion: &Conclusion, format: Format, report: Option<Arc<Mutex<dyn Report>>>) -> i32 {
    if !format.is_answer_sets() {
        return conclusion.exit_code();
    }
    let report = report.as_ref().and_then(|report| report.try_lock().ok());
    let (ended, found) = report.map_or((None, false), |report| (report.clingos_exit_code(), report.found() > 0));
    match (ended, conclusion.verdict()) {
        (Some(code), _) => code,
        (None, Verdict::GaveUp(Reason::MemoryLimit)) => 33,
        (None, _) => 1 + if found { 10 } else { 0 },
    }
}

/// The statistics as `path: value` lines; what is zero is left out.
fn statistics_text(conclusion: &Conclusion, elapsed: Duration) -> String {
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
    lines("", &conclusion.statistics, &mut out);
    let _ = writeln!(out, "seconds: {:.3}", elapsed.as_secs_f64());
    out
}
