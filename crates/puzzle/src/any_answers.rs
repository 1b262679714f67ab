//! Checked answers without the types of their puzzle, for callers that render them on demand.

use std::any::Any;
use std::ops::ControlFlow;
use std::sync::Arc;

use base::diagnostic::Failure;
use base::style::Style;
use serde_json::Value;

use super::any_result::AnyRunResult;
use super::report::Header;
use crate::format::Format;

/// Receives each answer as it is found, alone, and decides whether the search continues.
pub type EachAnswer<'f> = &'f mut (dyn FnMut(Arc<dyn AnyAnswers>) -> ControlFlow<()> + Send);

/// The checked answers of a run without the types of its puzzle.
pub trait AnyAnswers: Send + Sync {
    fn header(&self) -> &Header;
    /// The verdict and the other claims.
    fn result(&self) -> &AnyRunResult;
    /// Number of answers found; of a run that passed its answers on, only the first is stored.
    fn found(&self) -> u64;
    /// Number of answers stored.
    fn stored(&self) -> usize;
    /// Why there is no answer, if this is known: a list of parts in JSON.
    fn cause(&self) -> Option<Value>;
    /// An answer as in the command's JSON.
    fn json(&self, index: usize) -> Option<Value>;
    /// A picture of an answer, or of the board alone, if something is drawn.
    ///
    /// # Errors
    /// The drawing is faulty.
    fn svg(&self, index: Option<usize>) -> Result<Option<String>, Failure>;
    /// Returns the command's output in this format.
    ///
    /// # Errors
    /// The puzzle has no such format.
    fn written(&self, format: Format, style: Style) -> Result<String, Failure>;
    fn as_any(&self) -> &dyn Any;
}

/// An answer to be checked.
#[derive(Clone, Copy)]
pub enum CandidateAnswer<'a> {
    /// An answer of a run of the same puzzle, perhaps on another board
    Stored(&'a dyn AnyAnswers, usize),
    /// The shown atoms
    Atoms(&'a [&'a str]),
}
