//! `play`, `generate` and the other tools: commands that do something other than solve.

use std::io::{self, IsTerminal, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use base::diagnostic::{Code, Diagnostic, Failure};
use base::document::Document;
use base::ending::Verdict;
use base::stop::{CancelToken, StopReason};
use base::style::Style;
use picture::page::{self, PrintSheet};
use puzzle::Format;
use puzzle::job::{EngineSettings, Job, OptionSet, OutputSettings, Rules};
use puzzle::{About, Console, Role, Tool, ToolOutput};

use super::args::{Generate, Play, ToolCall};
use super::groups::{CommonArgs, Inspect};
use super::messages::verdict_exit_code;
use super::open::open;
use super::request::{JobRequest, build_job};
use super::runner::{self, Limits, Runner};
use super::{input, output, proof, terminal};

/// Default delay between displayed moves.
const DELAY: Duration = Duration::from_millis(400);

/// Plays games, prints the report and returns the exit code.
pub fn play(ToolCall { tool, options, .. }: ToolCall, args: &Play) -> i32 {
    let requested_delay = args.delay.map(Duration::from_millis);
    let delay = requested_delay.unwrap_or(DELAY);
    // Frames are printed on standard output, as a text report is. A JSON report must be alone
    // there, so that frames are then printed on standard error. On a terminal each frame replaces
    // the previous one.
    let prints_json = args.format_args.format == Format::Json;
    let is_terminal = if prints_json { io::stderr().is_terminal() } else { io::stdout().is_terminal() };
    let show = move |frame: &str| {
        let mut out: Box<dyn Write> = if prints_json { Box::new(io::stderr()) } else { Box::new(output::standard()) };
        let _cleared = terminal::clear_progress();
        let clear = if is_terminal { "\x1b[H\x1b[2J" } else { "" };
        let shown = write!(out, "{clear}{frame}").and_then(|()| out.flush());
        if is_terminal {
            thread::sleep(delay);
        }
        if shown.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let play_args = args.clone();
    let result = run(&args.common, GRACE, show, move |_, job, console| {
        job.output.format = play_args.format_args.format;
        job.options = options;
        console.delay = requested_delay;
        let output = tool.run(job, console)?;
        write(&play_args.common, &output.output)?;
        Ok(output)
    });
    report_exit_code(&args.common, result)
}

/// Generates instances, prints them or writes their files, and returns the exit code.
pub fn generate(ToolCall { entry, tool, options, .. }: ToolCall, args: &Generate) -> i32 {
    let generate_args = args.clone();
    let show = |_: &str| ControlFlow::Continue(());
    // Never wait longer than the limit itself: clingo cannot be cancelled while grounding.
    let grace = args.common.time_limit.map_or(GRACE, |seconds| GRACE.min(Duration::from_secs_f64(seconds)));
    let result = run(&args.common, grace, show, move |_, job, console| {
        check_outputs(&generate_args)?;
        if let Some(proof) = &generate_args.proof {
            check_proof(&*tool, proof, &generate_args)?;
            job.question.certify = proof::certificate_kind(proof);
        }
        let Some(last_number) = generate_args.from.checked_add(generate_args.count) else {
            let text = format!("--from {}: a seed has 2⁶⁴ instances", generate_args.from);
            return Err(Diagnostic::error(Code::Usage, text).into());
        };
        configure_generator(&*tool, options, &generate_args, job)?;
        let mut last = ToolOutput::solved(String::new());
        for number in generate_args.from + 1..=last_number {
            last = generate_one(&*tool, &entry.about(), &generate_args, number, job, console)?;
            if last.verdict != Verdict::Solved {
                break;
            }
        }
        Ok(last)
    });
    report_exit_code(&args.common, result)
}

/// Returns true if the output file, if there is one, takes all boards.
fn is_one_file(args: &Generate) -> bool {
    args.common.output_args.file().is_none_or(|path| !path.to_string_lossy().contains("{n}"))
}

/// Rejects several boards for an output that takes one.
fn check_outputs(args: &Generate) -> Result<(), Failure> {
    let output = args.common.output_args.file();
    let format = args.format_args.format;
    if args.count > 1 && is_one_file(args) && output.is_some() && format != Format::Html {
        let text = "--count with --output: the name must have {n} in it, for the number of each file";
        return Err(Diagnostic::error(Code::Usage, text).into());
    }
    if args.page_size.is_some() && format != Format::Html {
        let text = "--page-size: only a sheet to print has pages";
        return Err(Diagnostic::error(Code::Usage, text).help("add -f html").into());
    }
    if args.count > 1 && output.is_none() && format == Format::Svg {
        let text = "--count with -f svg: standard output takes one picture";
        let help = "`-o board-{n}.svg` writes a file for each, `-f html -o sheet.html` a sheet of all";
        return Err(Diagnostic::error(Code::Usage, text).help(help).into());
    }
    Ok(())
}

/// Gives `job` the options of a generator, with the encodings and the board that they name.
pub fn configure_generator(tool: &dyn Tool, options: OptionSet, args: &Generate, job: &mut Job) -> Result<(), Failure> {
    let encodings = tool.encoding().map(|encoding| input::encoding(encoding, args.folder.path()));
    job.sources.encodings = encodings.transpose()?.unwrap_or_default();
    job.output.format = args.format_args.format;
    job.options = options;
    for variant in tool.variants(job)? {
        for file in input::encoding(&variant, args.folder.path())? {
            if !job.sources.encodings.iter().any(|encoding| encoding.name == file.name) {
                job.sources.encodings.push(file);
            }
        }
    }
    // The generator uses the states of this board.
    if let Some(board) = tool.board(job)? {
        job.sources.documents = input::read_all(&[board], &job.stop)?;
    }
    Ok(())
}

/// Generates the board `number` of the puzzle that `about` describes, and writes it with its proof.
fn generate_one(
    tool: &dyn Tool,
    about: &About<'_>,
    args: &Generate,
    number: u64,
    job: &mut Job,
    console: &mut Console<'_>,
) -> Result<ToolOutput, Failure> {
    let path = args.common.output_args.file().map(|path| output::numbered(path, number));
    job.seed = args.seed.wrapping_add(number - 1);
    let mut made = tool.run(job, console)?;
    // The sheet contains the boards that were made before a limit was reached.
    let is_last = number == args.from + args.count || made.verdict != Verdict::Solved;
    let is_sheet = args.format_args.format == Format::Html;
    if is_sheet && !console.sheet.is_empty() && (!is_one_file(args) || is_last) {
        let boards = std::mem::take(&mut console.sheet);
        let last = number - u64::from(made.verdict != Verdict::Solved);
        made.output = page::print_sheet(&PrintSheet {
            name: about.display_title(),
            rules: about.rules(),
            first: last + 1 - boards.len() as u64,
            boards: &boards,
            page_size: args.page_size.unwrap_or_default(),
        });
    }
    if !made.output.is_empty() {
        output::write(path.as_deref(), args.common.output_args.color(), &made.output)?;
    }
    if let Some(proof) = &args.proof
        && made.verdict == Verdict::Solved
    {
        proof::write(&output::numbered(proof, number), made.certificate.as_ref())?;
    }
    Ok(made)
}

/// Rejects a certificate file if the tool makes no certificates, or if several would be written to
/// one file.
fn check_proof(tool: &dyn Tool, proof: &Path, args: &Generate) -> Result<(), Failure> {
    if !tool.certifies() {
        let text = "--proof: only boards of puzzles that are logic programs have certificates";
        return Err(Diagnostic::error(Code::Usage, text).into());
    }
    if args.count > 1 && !proof.to_string_lossy().contains("{n}") {
        let text = "--count with --proof: the name must have {n} in it, for the number of each file";
        return Err(Diagnostic::error(Code::Usage, text).into());
    }
    proof::check_paths(args.common.output_args.file(), proof)
}

/// Runs a tool on an instance, prints its output and returns the exit code.
pub fn inspect(call: ToolCall, args: &Inspect) -> i32 {
    let inspect_args = args.clone();
    let show = |_: &str| ControlFlow::Continue(());
    let result = run(&args.common, GRACE, show, move |documents, job, console| {
        documents.extend(input::read_all(&inspect_args.files, &job.stop)?);
        run_inspect(call, &inspect_args, documents, job, console)
    });
    report_exit_code(&args.common, result)
}

/// Runs a tool on `documents`, and writes its output.
pub fn run_inspect(
    ToolCall { entry, tool, options, choice, .. }: ToolCall,
    args: &Inspect,
    documents: &mut Vec<Document>,
    job: &mut Job,
    console: &mut Console<'_>,
) -> Result<ToolOutput, Failure> {
    let name = tool.name();
    let puzzle = entry.about();
    job.output.format = args.format_args.format;
    let is_plain = choice.encoding.is_empty() && choice.puzzle.as_deref().is_none_or(|name| name == puzzle.name);
    let result = if is_plain && puzzle::roles(&*entry, documents).contains(&Role::Instance) {
        let encodings = tool.encoding().map(std::slice::from_ref).unwrap_or_default();
        for encoding in encodings {
            job.sources.encodings = input::encoding(encoding, args.program.folder.path())?;
        }
        job.rules = Rules::in_use(
            encodings,
            &entry.input_predicates(),
            &job.sources.encodings,
            &entry.inputs().programs(documents),
        );
        // The tool's result must agree with that of solving, so both must use the same rules.
        if let Some(default) = puzzle.encodings.first() {
            let default_rules = Rules::in_use(
                std::slice::from_ref(default),
                &[],
                &input::encoding(default, args.program.folder.path())?,
                &[],
            );
            if !default_rules.is_builtin() {
                return Err(puzzle::unsupported_rules(name, &default_rules).into());
            }
        }
        job.sources.documents.clone_from(documents);
        documents.extend(job.sources.encodings.iter().cloned());
        job.engine.settings.constants.clone_from(&args.program.constants);
        job.options = options;
        tool.run(job, console)?
    } else if tool.takes_any_puzzle() {
        let request = JobRequest { choice, program: args.program.clone(), ..JobRequest::default() };
        let (entry, mut built) = build_job(&request, documents, &job.stop)?;
        built.output.format = job.output.format;
        built.output.style = job.output.style;
        built.engine.settings = asp::Settings { constants: request.program.constants, ..job.engine.settings.clone() };
        built.options = options;
        tool.run_other(&*open(&*entry, built)?)?
    } else {
        let names: Vec<&str> = documents.iter().map(|document| document.name.as_str()).collect();
        let text = format!("{}: {name} takes an instance of {}", names.join(", "), puzzle.name);
        return Err(Diagnostic::error(Code::MissingInstance, text).help(format!("looked for {}", puzzle.input)).into());
    };
    write(&args.common, &result.output)?;
    Ok(result)
}

/// Grace period after a request to stop, in which the work may have to check its best result so
/// far.
pub const GRACE: Duration = Duration::from_secs(2);

/// The result of the work (its output, the reason for giving up, or its failure), and the texts
/// that were read.
pub type WorkResult = (Result<Result<ToolOutput, StopReason>, Failure>, Vec<Document>);

/// Runs `work` under supervision.
pub fn run(
    common: &CommonArgs,
    grace: Duration,
    mut show: impl FnMut(&str) -> ControlFlow<()> + Send + 'static,
    work: impl FnOnce(&mut Vec<Document>, &mut Job, &mut Console<'_>) -> Result<ToolOutput, Failure> + Send + 'static,
) -> WorkResult {
    let time = common.time_limit.map(Duration::from_secs_f64);
    let mut runner = Runner::new(Limits { time, memory: None, grace }, !common.quiet);
    let threads = runner::threads(common.threads);
    let style = Style { color: common.output_args.color(), ..Style::default() };
    let counts = Arc::new([AtomicU64::new(0), AtomicU64::new(0)]);
    let progress_counts = counts.clone();
    let work = move |read: &mut Vec<Document>, stop: &CancelToken| {
        let progress = |done, all| {
            counts[0].store(done, Ordering::Relaxed);
            counts[1].store(all, Ordering::Relaxed);
        };
        let settings = asp::Settings { threads: Some(threads), ..asp::Settings::default() };
        let engine = EngineSettings { settings, cache: input::cache(), ..EngineSettings::default() };
        let output = OutputSettings { style, ..OutputSettings::default() };
        let mut job = Job { engine, output, stop: stop.clone(), ..Job::default() };
        work(read, &mut job, &mut Console { progress: &progress, show: &mut show, delay: None, sheet: Vec::new() })
    };
    let [done, all] = &*progress_counts;
    let progress_text = || match all.load(Ordering::Relaxed) {
        0 => None,
        all => Some(format!("{} of {all}", done.load(Ordering::Relaxed))),
    };
    runner.run_fallible(work, progress_text)
}

/// Writes to standard output, or atomically to a file.
pub fn write(common: &CommonArgs, text: &str) -> Result<(), Failure> {
    output::write(common.output_args.file(), common.output_args.color(), text)
}

/// Prints warnings and failures, and returns the exit code.
pub fn report_exit_code(common: &CommonArgs, (result, documents): WorkResult) -> i32 {
    match result {
        Ok(Ok(output)) => {
            common.warn(&output.warnings, &documents);
            verdict_exit_code(output.verdict)
        }
        Ok(Err(reason)) => verdict_exit_code(Verdict::GaveUp(reason)),
        Err(failure) => common.output_args.fail(&failure, &documents),
    }
}
