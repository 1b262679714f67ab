//! The command without a name: solves an instance, or each line of a batch.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use base::diagnostic::{Code, Diagnostic, Failure};
use base::document::Document;
use base::ending::Verdict;
use base::stop::{CancelToken, StopReason};
use base::style::Style;
use puzzle::Format;
use puzzle::job::Job;
use puzzle::report::{Header, output_result};
use puzzle::report_slot::ReportSlot;
use puzzle::{About, AnyPuzzle, AnyRunResult};

use super::args::Solve;
use super::finish::{exit_code, fail, fail_midway, fallback_header, finish_report, open_and_solve, poll_report};
use super::request::{NamedRules, build_job};
use super::runner::{Runner, TaskEnd};
use super::{batch, input, messages, output, proof, sources, statistics, terminal};

/// Solves, prints the report and returns the exit code.
pub fn solve(args: Solve) -> i32 {
    let mut runner = Runner::new(args.common.limits(args.memory), !args.common.quiet);
    let request = args.request();
    if args.batch {
        // The output is opened before these files are read.
        sources::record_named(&args.files);
        return match NamedRules::read(&request, &CancelToken::new()) {
            Ok(rules) => batch::run(args, request, rules, runner),
            Err(failure) => fail(&args, &[], &failure),
        };
    }
    let task_args = args.clone();
    let read_job = move |documents: &mut Vec<Document>, stop: &CancelToken| {
        *documents = input::read_all(&task_args.files, stop)?;
        let (entry, mut job) = build_job(&request, documents, stop)?;
        task_args.options.apply(&*entry, &mut job)?;
        check_picture_format(&task_args, &entry.about())?;
        Ok((entry, job))
    };
    match runner.run_fallible(read_job, || None) {
        (Ok(Ok((entry, job))), documents) => run_supervised(&args, entry, job, documents, &mut runner),
        (Err(failure), documents) => {
            let header = Header {
                puzzle: "program".to_owned(),
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
            terminal::print_line(format_args!("gave up before the input was read: {}", reason.words()));
            exit_code(&AnyRunResult::gave_up(reason), args.format, None)
        }
    }
}

/// Rejects a picture format that the puzzle does not have, and options about pictures that do not
/// fit the format.
fn check_picture_format(args: &Solve, about: &About<'_>) -> Result<(), Failure> {
    // Custom rules may draw a graph.
    let has_custom_rules = !args.drawing.draw.is_empty() || !args.choice.encoding.is_empty();
    let may_draw = args.format == Format::Dot && about.has_options_for_answer_sets && has_custom_rules;
    let text = if args.format.is_picture() && !about.pictures.contains(&args.format) && !may_draw {
        let known: Vec<String> = about.pictures.iter().map(|format| format.name()).collect();
        let known = if known.is_empty() { "cannot be drawn".to_owned() } else { format!("has {}", known.join(", ")) };
        format!("--format {}: {} {known}", args.format.name(), about.name)
    } else if args.drawing.answer.is_some() && !args.format.shows_answer() {
        "--answer requires --format svg, dot, html, penpa or pzprv3".to_owned()
    } else if args.drawing.answer.is_some() && args.writes_numbered_files() {
        "--answer draws one answer, but the name of --output has {n} in it, for all of them".to_owned()
    } else {
        return Ok(());
    };
    Err(Diagnostic::error(Code::Usage, text).into())
}

/// Runs the job under supervision, reports its result, and returns the exit code.
fn run_supervised(
    args: &Solve,
    entry: Arc<dyn AnyPuzzle>,
    mut job: Job,
    documents: Vec<Document>,
    runner: &mut Runner,
) -> i32 {
    // Numbered files are written at the end, when all answers are known.
    let output_args = &args.common.output_args;
    let numbered = output_args.file().filter(|_| args.writes_numbered_files()).map(Path::to_owned);
    let checked = args.question.proof.as_ref().map_or(Ok(()), |proof| proof::check_paths(output_args.file(), proof));
    let opened =
        checked.and_then(|()| output::open(output_args.file().filter(|_| numbered.is_none()), output_args.color()));
    let (output, file) = match opened {
        Ok(opened) => opened,
        Err(failure) => return fail(args, &documents, &failure),
    };
    let on_page = args.format == Format::Html;
    let style = Style { verbose: args.verbose, drawn: args.drawing.answer, on_page, ..args.common.style() };
    let slot = ReportSlot::new(output, args.format, style);
    let began = Instant::now();
    job.output.style = style;
    let documents = Arc::new(documents);
    let header = fallback_header(&*entry, &job);
    let proof = args.question.proof.clone();
    let work = {
        let slot = slot.clone();
        let header = header.clone();
        let documents = documents.clone();
        let args = args.clone();
        let numbered = numbered.clone();
        move |stop: &CancelToken| {
            let conclusion = open_and_solve(&*entry, Job { stop: stop.clone(), ..job }, &slot)?;
            print_warnings(&args, &conclusion, &documents);
            proof.map_or(Ok(()), |path| proof::write(&path, conclusion.certificate.as_ref()))?;
            let reported = finish_report(&slot, header, conclusion.clone(), numbered.as_deref());
            Ok(RunOutcome {
                is_truncated: reported.as_ref().is_ok_and(|reported| reported.verdict() != conclusion.verdict()),
                conclusion,
                reported,
            })
        }
    };
    let mut answers = "no answer yet".to_owned();
    let progress = || {
        if let Some(found) = poll_report(&slot) {
            answers = found;
        }
        Some(answers.clone())
    };
    let RunOutcome { mut conclusion, reported, is_truncated } = match runner.run(work, progress) {
        TaskEnd::Done(Ok(outcome)) => outcome,
        TaskEnd::Done(Err(failure)) => return fail_midway(args, &documents, &failure, &slot, header),
        TaskEnd::Failed(diagnostic) => return fail_midway(args, &documents, &diagnostic.into(), &slot, header),
        TaskEnd::Abandoned(reason) => report_abandoned(args, reason, &documents, &slot, header),
    };
    if let Ok(reported) = &reported {
        conclusion = reported.clone();
    }
    if is_truncated && let Verdict::GaveUp(reason) = conclusion.verdict() {
        terminal::print_line(format_args!("gave up: {}; the output is incomplete", reason.words()));
    }
    let written = reported.and_then(|_| output_result(file.map_or(Ok(()), output::PendingFile::persist)));
    if args.engine.stats && args.format != Format::Json {
        terminal::print_line(statistics::text(&conclusion, began.elapsed()).trim_end());
    }
    match written {
        Err(failure) if !failure.0.is_empty() => fail(args, &documents, &failure),
        _ => exit_code(&conclusion, args.format, slot.report()),
    }
}

/// Completes the report of an engine that did not end when it was asked to.
fn report_abandoned(
    args: &Solve,
    reason: StopReason,
    documents: &[Document],
    slot: &ReportSlot,
    header: Header,
) -> RunOutcome {
    let conclusion = AnyRunResult::gave_up(reason);
    print_warnings(args, &conclusion, documents);
    // An engine that was abandoned while writing still holds the lock of its report.
    let is_free = slot.report().is_none_or(|report| report.try_lock().is_some());
    if args.format == Format::Text && (!is_free || args.common.output_args.file().is_some()) {
        let _ = messages::gave_up(reason);
    }
    let reported = if is_free { finish_report(slot, header, conclusion.clone(), None) } else { Ok(conclusion.clone()) };
    RunOutcome { conclusion, reported, is_truncated: false }
}

/// The result of solving, and the result of reporting it.
struct RunOutcome {
    conclusion: AnyRunResult,
    reported: Result<AnyRunResult, Failure>,
    /// True if the grace period ended before all answers were written.
    is_truncated: bool,
}

/// Prints the warnings of a run, and the reason if it gave up.
fn print_warnings(args: &Solve, conclusion: &AnyRunResult, documents: &[Document]) {
    args.common.warn(&conclusion.warnings, documents);
    if let Verdict::GaveUp(reason) = conclusion.verdict()
        && args.format != Format::Text
        && !args.common.quiet
    {
        terminal::print_line(format_args!("gave up: {}", reason.words()));
    }
}
