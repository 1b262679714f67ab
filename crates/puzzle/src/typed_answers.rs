//! The answers of a run, which `entry.rs` passes on without the types of their puzzle.

use std::any::Any;

use base::diagnostic::Failure;
use base::style::Style;
use parking_lot::Mutex;
use serde_json::Value;

use super::any_answers::AnyAnswers;
use super::any_result::AnyRunResult;
use super::api::{Puzzle, RunResult};
use super::cause::UnsolvableCause;
use super::pipeline::Run;
use super::puzzle_report::written;
use super::report::Header;
use crate::format::Format;

/// The answers of a run.
pub struct TypedAnswers<P: Puzzle> {
    run: Run<P>,
    header: Header,
    result: AnyRunResult,
    /// Behind a lock, because answers and proofs need not be shareable
    solved: Mutex<RunResult<P>>,
}

impl<P: Puzzle> TypedAnswers<P> {
    pub fn new(run: Run<P>, header: Header, solved: RunResult<P>) -> Self {
        TypedAnswers { run, header, result: solved.erased(), solved: Mutex::new(solved) }
    }

    pub fn answer(&self, index: usize) -> Option<P::Answer> {
        self.solved.lock().answers.get(index).cloned()
    }
}

impl<P: Puzzle> AnyAnswers for TypedAnswers<P> {
    fn header(&self) -> &Header {
        &self.header
    }

    fn result(&self) -> &AnyRunResult {
        &self.result
    }

    fn found(&self) -> u64 {
        self.solved.lock().found
    }

    fn stored(&self) -> usize {
        self.solved.lock().answers.len()
    }

    fn cause(&self) -> Option<Value> {
        self.solved.lock().cause().map(UnsolvableCause::json)
    }

    fn json(&self, index: usize) -> Option<Value> {
        let solved = self.solved.lock();
        solved.answers.get(index).map(|answer| self.run.puzzle.json(&self.run.board, answer))
    }

    fn svg(&self, index: Option<usize>) -> Result<Option<String>, Failure> {
        let solved = self.solved.lock();
        let picture = solved.picture(index.and_then(|index| solved.answers.get(index)))?;
        Ok(picture.map(|picture| picture.svg()))
    }

    fn written(&self, format: Format, style: Style) -> Result<String, Failure> {
        written(&self.run, &self.header, &self.solved.lock(), format, style)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
