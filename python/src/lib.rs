//! The native part of the Python package `asp_solve`: calls the library's functions in threads, and
//! returns their results as JSON, text and pictures. The package gives them types (`asp_solve/*.py`).
//!
//! The calling thread waits without Python's lock, and looks for signals and limits meanwhile. So
//! Ctrl-C raises `KeyboardInterrupt` while Rust or clingo runs.

#![forbid(unsafe_code)]

mod stream;
mod supervise;

#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
#[global_allocator]
static ALLOCATOR: asp::objects::Allocator = asp::objects::Allocator;

/// The functions and classes that Python sees.
#[pyo3::pymodule]
mod _native {
    use std::collections::BTreeMap;
    use std::ffi::OsString;
    use std::sync::Arc;

    use asp_solve::Severity;
    use asp_solve::stop::{CancelToken, StopReason};
    use asp_solve::untyped::{self, AnyAnswers, Call, CallError, CandidateAnswer, Format, Style};
    use asp_solve::{Diagnostic, Uniqueness, Verdict};
    use pyo3::exceptions::PyValueError;
    use pyo3::prelude::*;
    use serde_json::{Map, Value, json};

    #[pymodule_export]
    use crate::stream::AnswerStream;
    use crate::supervise::{Limits, supervise};

    /// The answers of a run, or that a run gave up before it had any.
    #[pyclass(frozen)]
    #[derive(Clone)]
    pub struct Answers(pub Option<Arc<dyn AnyAnswers>>, pub Option<StopReason>);

    #[pymethods]
    impl Answers {
        /// The keys of the command's JSON, without the answers.
        fn json(&self) -> String {
            let Some(answers) = &self.0 else {
                let reason = self.1.unwrap_or(StopReason::Interrupted);
                let object = json!({ "verdict": "gave-up", "complete": false, "found": 0, "reason": reason.words() });
                return object.to_string();
            };
            let mut object = answers.header().json();
            let result = answers.result();
            object.extend(object_of(json!({
                "verdict": result.verdict().name(),
                "complete": result.complete(),
                "found": answers.found(),
                "statistics": result.statistics,
                "warnings": result.warnings.iter().map(Diagnostic::json).collect::<Vec<_>>(),
            })));
            let unique = match result.unique() {
                Uniqueness::NotAsked | Uniqueness::Unknown => Value::Null,
                unique => json!(unique == Uniqueness::One),
            };
            object.insert("unique".to_owned(), unique);
            if let Verdict::GaveUp(reason) = result.verdict() {
                object.insert("reason".to_owned(), json!(reason.words()));
            }
            object.extend(answers.cause().map(|cause| ("because".to_owned(), cause)));
            if let Some(certificate) = &result.certificate {
                object.insert("certificate".to_owned(), certificate.json());
                object.insert("certificate_text".to_owned(), json!(certificate.text));
            }
            Value::Object(object).to_string()
        }

        fn __len__(&self) -> usize {
            self.0.as_ref().map_or(0, |answers| answers.stored())
        }

        /// An answer as in the command's JSON.
        fn answer_json(&self, index: usize) -> Option<String> {
            self.0.as_ref()?.json(index).map(|answer| answer.to_string())
        }

        /// A picture of an answer, or of the board alone.
        #[pyo3(signature = (index=None))]
        fn svg(&self, py: Python<'_>, index: Option<usize>) -> PyResult<Option<String>> {
            let Some(answers) = &self.0 else { return Ok(None) };
            py.detach(|| answers.svg(index)).map_err(|failure| error(py, failure.to_string(), &failure.0))
        }

        /// Returns the output of the command in this format; `drawn` is the number of the answer to draw.
        #[pyo3(signature = (format, drawn=None, width=None))]
        fn written(
            &self,
            py: Python<'_>,
            format: &str,
            drawn: Option<usize>,
            width: Option<usize>,
        ) -> PyResult<String> {
            let Some(answers) = &self.0 else {
                let reason = self.1.unwrap_or(StopReason::Interrupted);
                return Ok(format!("{}\n", Verdict::GaveUp(reason).gave_up_words()));
            };
            let named = Format::all().iter().find(|known| known.name() == format);
            let format = *named.ok_or_else(|| PyValueError::new_err(format!("there is no format {format:?}")))?;
            let style = Style { drawn, width, on_page: format == Format::Html, ..Style::default() };
            py.detach(|| answers.written(format, style)).map_err(|failure| error(py, failure.to_string(), &failure.0))
        }
    }

    /// The result of `why` or `hint`.
    #[pyclass(frozen)]
    struct Explanation(asp_solve::Explanation);

    #[pymethods]
    impl Explanation {
        fn json(&self) -> String {
            let mut object = object_of(self.0.json());
            let warnings = self.0.warnings.iter().map(Diagnostic::json).collect::<Vec<_>>();
            object.insert("warnings".to_owned(), json!(warnings));
            object.insert("found".to_owned(), json!(self.0.verdict == Verdict::Solved));
            Value::Object(object).to_string()
        }

        fn text(&self) -> String {
            self.0.text()
        }

        fn svg(&self, py: Python<'_>) -> PyResult<Option<String>> {
            self.0.svg().map_err(|failure| error(py, failure.to_string(), &failure.0))
        }

        /// A page of its own.
        fn html(&self, py: Python<'_>) -> PyResult<Option<String>> {
            let style = Style { on_page: true, ..Style::default() };
            self.0.html(&style).map_err(|failure| error(py, failure.to_string(), &failure.0))
        }
    }

    /// Text and JSON of the command.
    type Written = (String, String);

    /// Texts that stand in the place of files, by name.
    type Texts = BTreeMap<String, String>;

    /// Seconds, and megabytes by which the process may grow.
    type Bounds = (Option<f64>, Option<u64>);

    fn text_and_json(written: untyped::Written) -> Written {
        (written.text, written.json)
    }

    fn object_of(value: Value) -> Map<String, Value> {
        match value {
            Value::Object(object) => object,
            _ => Map::new(),
        }
    }

    /// Creates `asp_solve.AspSolveError` of these messages.
    fn error(py: Python<'_>, text: String, messages: &[Diagnostic]) -> PyErr {
        let messages = json!(messages.iter().map(Diagnostic::json).collect::<Vec<_>>()).to_string();
        let class = py.import("asp_solve._errors").and_then(|module| module.getattr("AspSolveError"));
        match class.and_then(|class| class.call_method1("_of", (text, messages))) {
            Ok(error) => PyErr::from_value(error),
            Err(error) => error,
        }
    }

    pub fn call_error(py: Python<'_>, call: &CallError) -> PyErr {
        error(py, call.to_string(), &call.failure.0)
    }

    pub fn call_of(words: Vec<OsString>, texts: Texts) -> Call {
        texts.iter().fold(Call::new(words), |call, (name, text)| call.text(name, text))
    }

    /// Runs a call in a thread. A run that was abandoned is an error with the code `stopped`.
    fn run<T: Send + 'static>(
        py: Python<'_>,
        limits: Limits,
        work: impl FnOnce(&CancelToken) -> Result<T, CallError> + Send + 'static,
    ) -> PyResult<T> {
        match supervise(py, limits, work)? {
            Ok(result) => result.map_err(|failure| call_error(py, &failure)),
            Err(reason) => {
                let text = format!("gave up: {}", reason.words());
                let stopped = Diagnostic::error(asp_solve::Code::Stopped, text);
                Err(error(py, stopped.to_string(), &[stopped]))
            }
        }
    }

    /// Solves; takes the words of `asp-solve solve`.
    #[pyfunction]
    fn solve(py: Python<'_>, words: Vec<OsString>, texts: Texts, limits: Bounds) -> PyResult<Answers> {
        let call = call_of(words, texts);
        let work = move |stop: &CancelToken| {
            // A failure after a request to stop was caused by it.
            untyped::solve(&call, stop).map(Ok).or_else(|failure| stop.requested().map(Err).ok_or(failure))
        };
        match supervise(py, Limits::new(limits), work)? {
            Ok(Ok(Ok(answers))) => Ok(Answers(Some(answers), None)),
            Ok(Ok(Err(reason))) | Err(reason) => Ok(Answers(None, Some(reason))),
            Ok(Err(failure)) => Err(call_error(py, &failure)),
        }
    }

    /// Returns `None` if the answer obeys the rules, else the rule that it breaks.
    #[pyfunction]
    #[pyo3(signature = (words, texts, limits, answers, index, atoms))]
    fn check(
        py: Python<'_>,
        words: Vec<OsString>,
        texts: Texts,
        limits: Bounds,
        answers: Option<Py<Answers>>,
        index: usize,
        atoms: Vec<String>,
    ) -> PyResult<Option<String>> {
        let call = call_of(words, texts);
        let stored = answers.and_then(|answers| answers.get().0.clone());
        let work = move |stop: &CancelToken| {
            let atoms: Vec<&str> = atoms.iter().map(String::as_str).collect();
            let candidate = match &stored {
                Some(stored) => CandidateAnswer::Stored(&**stored, index),
                None => CandidateAnswer::Atoms(&atoms),
            };
            match untyped::check(&call, candidate, stop) {
                Err(error) if error.failure.code() == Some(asp_solve::Code::RejectedAnswer) => {
                    let is_error = |message: &&Diagnostic| message.severity == Severity::Error;
                    Ok(error.failure.0.iter().rfind(is_error).map(|message| message.message.clone()))
                }
                checked => checked.map(|()| None),
            }
        };
        run(py, Limits::new(limits), work)
    }

    /// Explains why there is no answer, or why an atom holds.
    #[pyfunction]
    fn why(
        py: Python<'_>,
        words: Vec<OsString>,
        texts: Texts,
        limits: Bounds,
        about: Option<String>,
    ) -> PyResult<Explanation> {
        let call = call_of(words, texts);
        let limits = Limits::new(limits).or_time(untyped::default_explain_limit());
        run(py, limits, move |stop| untyped::why(&call, about, stop)).map(Explanation)
    }

    /// Returns the next steps.
    #[pyfunction]
    fn hint(py: Python<'_>, words: Vec<OsString>, texts: Texts, limits: Bounds) -> PyResult<Explanation> {
        let call = call_of(words, texts);
        let limits = Limits::new(limits).or_time(untyped::default_explain_limit());
        run(py, limits, move |stop| untyped::hint(&call, stop)).map(Explanation)
    }

    /// Generates an instance.
    #[pyfunction]
    fn generate(py: Python<'_>, puzzle: String, words: Vec<OsString>, limits: Bounds) -> PyResult<String> {
        let call = Call::new(words);
        run(py, Limits::new(limits), move |stop| untyped::generate(&puzzle, &call, stop))
    }

    /// Checks a certificate.
    #[pyfunction]
    fn verify(py: Python<'_>, words: Vec<OsString>, texts: Texts, limits: Bounds) -> PyResult<Written> {
        let call = call_of(words, texts);
        run(py, Limits::new(limits), move |stop| untyped::verify(&call, stop)).map(text_and_json)
    }

    /// Compares two encodings.
    #[pyfunction]
    fn compare(py: Python<'_>, words: Vec<OsString>, texts: Texts, limits: Bounds) -> PyResult<Written> {
        let call = call_of(words, texts);
        run(py, Limits::new(limits), move |stop| untyped::compare(&call, stop)).map(text_and_json)
    }

    /// The names of all puzzles.
    #[pyfunction]
    fn puzzles() -> Vec<String> {
        untyped::puzzles()
    }

    /// A board of the puzzle.
    #[pyfunction]
    fn example(name: &str) -> Option<&'static str> {
        untyped::example(name)
    }

    #[pyfunction]
    fn versions() -> (&'static str, String) {
        (env!("CARGO_PKG_VERSION"), asp_solve::clingo_version())
    }

    /// Runs the command and ends the process. `program` are the words that start the command again.
    #[pyfunction]
    fn main(py: Python<'_>, arguments: Vec<OsString>, program: Vec<OsString>) {
        py.detach(|| {
            asp_solve::set_program(program);
            let code = std::panic::catch_unwind(|| asp_solve::run(arguments)).unwrap_or(101);
            asp_solve::leave(code)
        })
    }
}
