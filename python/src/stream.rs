//! Answers as they are found: the search runs in a thread and waits while a few answers are ahead.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex};

use asp_solve::stop::{Canceller, StopReason};
use asp_solve::untyped::{self, AnyAnswers, CallError};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::_native::{Answers, call_error, call_of};
use crate::supervise::{Limits, TICK, Watch, spawn};

/// Answers that are found before they are asked for.
const AHEAD: usize = 16;

enum Event {
    Answer(Arc<dyn AnyAnswers>),
    Ended(Result<Arc<dyn AnyAnswers>, CallError>),
}

/// An iterator over answers. Closing or dropping it ends the search.
#[pyclass(frozen)]
pub struct AnswerStream {
    canceller: Canceller,
    events: Mutex<Option<Receiver<Event>>>,
    watch: Watch,
    /// The end of the search, once it is known.
    end: Mutex<Option<Answers>>,
}

#[pymethods]
impl AnswerStream {
    #[new]
    fn new(
        words: Vec<OsString>,
        texts: BTreeMap<String, String>,
        limits: (Option<f64>, Option<u64>),
    ) -> PyResult<AnswerStream> {
        let canceller = Canceller::new();
        let stop = canceller.token();
        let (sender, events) = mpsc::sync_channel(AHEAD);
        let call = call_of(words, texts);
        spawn(move || {
            let mut each = |answer| match sender.send(Event::Answer(answer)) {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            };
            let done = catch_unwind(AssertUnwindSafe(|| untyped::solve_each(&call, &mut each, &stop)));
            // A panic closes the channel without an end.
            if let Ok(done) = done {
                drop(sender.send(Event::Ended(done)));
            }
        })?;
        let watch = Watch::start(Limits::new(limits));
        Ok(AnswerStream { canceller, events: Mutex::new(Some(events)), watch, end: Mutex::new(None) })
    }

    /// Returns the next answer alone, or `None` at the end.
    fn next(&self, py: Python<'_>) -> PyResult<Option<Answers>> {
        loop {
            // Another thread of Python may be waiting for the same stream.
            let event = py.detach(|| match self.events.lock() {
                Ok(events) => events.as_ref().map(|events| events.recv_timeout(TICK)),
                Err(_) => None,
            });
            match event {
                None => return Ok(None),
                Some(Ok(Event::Answer(answer))) => return Ok(Some(Answers(Some(answer), None))),
                Some(Ok(Event::Ended(Ok(end)))) => {
                    self.finish(Answers(Some(end), None));
                    return Ok(None);
                }
                Some(Ok(Event::Ended(Err(failure)))) => {
                    self.close();
                    return Err(call_error(py, &failure));
                }
                Some(Err(RecvTimeoutError::Disconnected)) => {
                    self.close();
                    return Err(PyRuntimeError::new_err("the engine failed; this is a defect of asp-solve"));
                }
                Some(Err(RecvTimeoutError::Timeout)) => {}
            }
            if let Err(interrupt) = py.check_signals() {
                self.close();
                return Err(interrupt);
            }
            if let Some(reason) = self.watch.exceeded() {
                self.canceller.request(reason);
                self.finish(Answers(None, Some(reason)));
                return Ok(None);
            }
        }
    }

    /// The result without the answers that were passed on; `None` before the end.
    fn result(&self) -> Option<Answers> {
        self.end.lock().ok()?.clone()
    }

    /// Ends the search.
    fn close(&self) {
        self.canceller.request(StopReason::Interrupted);
        if let Ok(mut events) = self.events.lock() {
            events.take();
        }
    }
}

impl AnswerStream {
    fn finish(&self, answers: Answers) {
        if let Ok(mut end) = self.end.lock() {
            *end = Some(answers);
        }
        self.close();
    }
}

impl Drop for AnswerStream {
    fn drop(&mut self) {
        self.close();
    }
}
