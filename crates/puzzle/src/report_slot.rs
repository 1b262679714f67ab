//! The report of a run, shared between the engine and its watcher.
//!
//! The engine works in a separate thread. Its results are in a report that the watching thread can
//! access, so that a run that is abandoned, even during grounding, still prints its results so far.

use std::io;
use std::sync::Arc;

use crate::format::Format;
use asp::SolveMode;
use base::diagnostic::Failure;
use base::stop::CancelToken;
use base::style::Style;
use parking_lot::Mutex;
use serde_json::Value;

use super::answer_sets::AnswerSetReport;
use super::any_result::AnyRunResult;
use super::report::{Header, Output, Report, output_result, write_json};
use crate::job::Job;

/// The report of a run, shared between the engine and its watcher.
#[derive(Clone)]
pub struct ReportSlot(Arc<Mutex<Inner>>);

struct Inner {
    output: Option<Output>,
    report: Option<Arc<Mutex<dyn Report>>>,
    pub format: Format,
    pub style: Style,
}

impl ReportSlot {
    pub fn new(output: Output, format: Format, style: Style) -> Self {
        ReportSlot(Arc::new(Mutex::new(Inner { output: Some(output), report: None, format, style })))
    }

    /// Opens the report: calls `make` with the output, the format and the style of the run.
    pub fn open<R: Report + 'static>(&self, make: impl FnOnce(Output, Format, Style) -> R) -> Arc<Mutex<R>> {
        let mut inner = self.0.lock();
        let output = inner.output.take().expect("a run opens one report");
        let report = Arc::new(Mutex::new(make(output, inner.format, inner.style)));
        inner.report = Some(report.clone());
        report
    }

    /// The report, if the engine has opened one.
    pub fn report(&self) -> Option<Arc<Mutex<dyn Report>>> {
        self.0.lock().report.clone()
    }

    /// Finishes the run. If no report was opened, the output has a header and no answers.
    pub fn finish(&self, header: impl FnOnce() -> Header, conclusion: AnyRunResult) -> Result<AnyRunResult, Failure> {
        let report = match self.report() {
            Some(report) => report,
            None => self.open(EmptyReport::boxed(header())),
        };
        let mut report = report.lock();
        report.finish(conclusion)
    }

    /// Finishes the output of a failed run. Output that was not begun stays empty, except in
    /// clingo's formats.
    pub fn fail(&self, header: impl FnOnce() -> Header, failure: &Failure) -> Result<(), Failure> {
        let is_begun = self.report().is_some_and(|report| report.lock().is_begun());
        if is_begun || self.0.lock().format.is_answer_sets() {
            self.finish(header, AnyRunResult::failed(failure))?;
        }
        Ok(())
    }
}

/// The report of a run that ended before its board was parsed.
struct EmptyReport {
    header: Header,
    output: Output,
    format: Format,
}

impl EmptyReport {
    fn boxed(header: Header) -> impl FnOnce(Output, Format, Style) -> Box<dyn Report> {
        move |output, format, style| {
            if format.is_answer_sets() {
                Box::new(AnswerSetReport::new(header, &Job::default(), SolveMode::default())(output, format, style))
            } else {
                Box::new(EmptyReport { header, output, format })
            }
        }
    }
}

impl Report for EmptyReport {
    fn finish(&mut self, conclusion: AnyRunResult) -> Result<AnyRunResult, Failure> {
        let out = &mut self.output;
        let no_answers = std::iter::empty::<Value>();
        let written = match self.format {
            Format::Json => {
                write_json(out, self.header.json(), no_answers, None, conclusion, &CancelToken::new().output_grace())
            }
            Format::Text => writeln!(out, "{}", conclusion.verdict().gave_up_words()).map(|()| conclusion),
            _ => Ok(conclusion),
        };
        output_result(written.and_then(|written| out.flush().map(|()| written)))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }

    fn found(&self) -> u64 {
        0
    }
}
