//! From a job to its report and exit code.

use std::path::Path;
use std::sync::Arc;

use base::diagnostic::Failure;
use base::document::Document;
use base::ending::Verdict;
use base::stop::StopReason;
use base::words::count;
use parking_lot::Mutex;
use puzzle::Format;
use puzzle::job::Job;
use puzzle::report::{Header, Report};
use puzzle::report_slot::ReportSlot;
use puzzle::{AnyPuzzle, AnyRunResult};

use super::args::Solve;
use super::open::open;
use super::output;

/// Prints the failure and returns the exit code.
pub fn fail(args: &Solve, documents: &[Document], failure: &Failure) -> i32 {
    match args.common.output_args.fail(failure, documents) {
        2 if args.format.is_answer_sets() => 65,
        code => code,
    }
}

/// Like `fail`, for a run that may have printed part of its report: completes the report with the
/// error. In clingo's formats the result is then unknown, as in clingo.
pub fn fail_midway(args: &Solve, documents: &[Document], failure: &Failure, slot: &ReportSlot, header: Header) -> i32 {
    if args.common.output_args.file().is_none() && !failure.0.is_empty() {
        // The failure printed below matters more than an error of the output here.
        let _ = slot.fail(|| header, failure);
    }
    fail(args, documents, failure)
}

/// Returns the header of a run that ended before its engine could supply one.
pub fn fallback_header(entry: &dyn AnyPuzzle, job: &Job) -> Header {
    let engine = job.engine.name.clone().unwrap_or_else(|| entry.engines().swap_remove(0));
    let names = |documents: &[Document]| documents.iter().map(|document| document.name.clone()).collect();
    Header {
        puzzle: entry.name().to_owned(),
        instance: names(&job.sources.documents),
        encoding: if puzzle::reads_encodings(&engine) { names(&job.sources.encodings) } else { Vec::new() },
        engine,
        rules: None,
    }
}

/// Opens and solves the instance. A failure after a request to stop counts as caused by it.
pub fn open_and_solve(entry: &dyn AnyPuzzle, job: Job, slot: &ReportSlot) -> Result<AnyRunResult, Failure> {
    let (stop, is_guessed) = (job.stop.clone(), job.sources.is_guessed);
    let annotate = |failure| if is_guessed { puzzle::annotate_guess(entry, failure) } else { failure };
    let run = open(entry, job).map_err(annotate);
    run.and_then(|board| board.solve(slot))
        .or_else(|failure| stop.requested().map(AnyRunResult::gave_up).ok_or(failure))
}

/// Flushes the report and returns its number of answers in words, with the costs of the best. The
/// engine holds the lock only briefly, unless the reader of the output is slow, so this function
/// retries for a moment and then returns `None`.
pub fn poll_report(slot: &ReportSlot) -> Option<String> {
    let report = slot.report()?;
    for _ in 0..10_000 {
        if let Some(mut report) = report.try_lock() {
            // The engine encounters the same error when it writes or finishes the report.
            let _ = report.flush();
            let found = match report.found() {
                0 => "no answer yet".to_owned(),
                found => count(found, "answer", "answers"),
            };
            return Some(match report.best() {
                Some(best) => format!("{found}, the best of {best}"),
                None => found,
            });
        }
        std::hint::spin_loop();
    }
    None
}

/// Writes the rest of the report, or a picture of each answer to its own file.
pub fn finish_report(
    slot: &ReportSlot,
    header: Header,
    conclusion: AnyRunResult,
    numbered: Option<&Path>,
) -> Result<AnyRunResult, Failure> {
    let (Some(path), Some(report)) = (numbered, slot.report()) else { return slot.finish(|| header, conclusion) };
    let mut number = 0;
    let mut report = report.lock();
    report.pictures(conclusion, &mut |picture| {
        number += 1;
        output::write(Some(&output::numbered(path, number)), false, &picture)
    })
}

/// Returns the exit code: 0 if there are answers, 1 if there is proven to be none, 3 if the run
/// gave up. In clingo's formats, returns clingo's code: 10 if there are answers, 20 if the search
/// was exhausted, 1 if it was interrupted.
pub fn exit_code(conclusion: &AnyRunResult, format: Format, report: Option<Arc<Mutex<dyn Report>>>) -> i32 {
    if !format.is_answer_sets() {
        return conclusion.exit_code();
    }
    let report = report.as_ref().and_then(|report| report.try_lock());
    let (clingo_code, has_answers) =
        report.map_or((None, false), |report| (report.clingo_exit_code(), report.found() > 0));
    match (clingo_code, conclusion.verdict()) {
        (Some(code), _) => code,
        (None, Verdict::GaveUp(StopReason::MemoryLimit)) => 33,
        (None, _) => 1 + if has_answers { 10 } else { 0 },
    }
}
