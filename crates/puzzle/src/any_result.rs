//! The result of a run without the types of its puzzle.

use base::diagnostic::{Diagnostic, Failure, Severity};
use base::ending::{SearchEnd, Uniqueness, Verdict};
use base::stop::StopReason;
use prover::Certification;
use serde_json::Value;

use super::selection::SelectionSummary;
use crate::job::Rules;

/// Returns a sentence about uniqueness, if the job asks for it.
pub fn uniqueness_words(unique: Uniqueness, verdict: Verdict, rules: &Rules) -> Option<String> {
    let proven = |words: &str| format!("{}.", rules.verdict(words));
    Some(match (unique, verdict) {
        (Uniqueness::NotAsked, _) => return None,
        (Uniqueness::One, _) => proven("One solution"),
        (Uniqueness::NotOne, Verdict::Impossible) => proven("There is no solution"),
        (Uniqueness::NotOne, _) => proven("More than one solution"),
        (Uniqueness::Unknown, verdict) => {
            format!("{} Whether there is one solution is not known.", verdict.gave_up_words()).trim().to_owned()
        }
    })
}

/// The result of a run without the puzzle's types: either derived from a verified result, or the
/// result of a run that gave up.
#[derive(Debug, Clone)]
pub struct AnyRunResult {
    verdict: Verdict,
    complete: bool,
    unique: Uniqueness,
    pub certificate: Option<Certification>,
    /// How the answers were selected, if not as they were found.
    pub selection: Option<SelectionSummary>,
    pub statistics: Value,
    pub warnings: Vec<Diagnostic>,
    /// The error that ended the run.
    pub error: Option<Failure>,
}

impl AnyRunResult {
    /// The result of a run that proved nothing.
    pub fn gave_up(reason: StopReason) -> Self {
        let statistics = Value::Object(Default::default());
        let verdict = Verdict::GaveUp(reason);
        let unique = Uniqueness::NotAsked;
        AnyRunResult {
            verdict,
            complete: false,
            unique,
            certificate: None,
            selection: None,
            statistics,
            warnings: Vec::new(),
            error: None,
        }
    }

    /// The result of a failed run, whose answers are unreliable.
    pub fn failed(failure: &Failure) -> Self {
        // A copy of the exact size: after memory has run out, a larger allocation may fail.
        let mut errors = failure.0.clone();
        errors.retain(|diagnostic| diagnostic.severity == Severity::Error);
        let error = Some(Failure(errors));
        AnyRunResult { error, ..AnyRunResult::gave_up(StopReason::Unproven) }
    }

    /// The messages of `error` on one line.
    pub fn error_text(&self) -> Option<String> {
        let text = |error: &Diagnostic| if error.labels.is_empty() { error.message.clone() } else { error.to_string() };
        self.error.as_ref().map(|failure| failure.0.iter().map(text).collect::<Vec<_>>().join("; "))
    }

    /// The result of writing the board without solving.
    pub fn board_only() -> Self {
        AnyRunResult { verdict: Verdict::Solved, ..AnyRunResult::gave_up(StopReason::Unproven) }
    }

    /// The result of a search that reports uniqueness as its proof.
    pub fn new(search_end: SearchEnd<Uniqueness>, certificate: Option<Certification>) -> Self {
        let SearchEnd { verdict, complete, proof: unique, statistics, warnings } = search_end;
        AnyRunResult { verdict, complete, unique, certificate, selection: None, statistics, warnings, error: None }
    }

    /// Records how the answers were selected.
    #[must_use]
    pub fn with_selection(self, selection: Option<SelectionSummary>) -> Self {
        AnyRunResult { selection, ..self }
    }

    /// Records that results were left out of the output.
    pub fn truncated(self, reason: StopReason) -> Self {
        let complete = self.complete && !matches!(self.verdict, Verdict::Solved);
        AnyRunResult { verdict: Verdict::GaveUp(reason), complete, ..self }
    }

    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// Returns true if all answers were found or the optimum is proven.
    pub fn complete(&self) -> bool {
        self.complete
    }

    pub fn unique(&self) -> Uniqueness {
        self.unique
    }

    /// The exit code: 0 for answers, 1 for a proof that there is none (or not exactly one), 3 for
    /// gave up.
    pub fn exit_code(&self) -> i32 {
        match (self.verdict, self.unique) {
            (Verdict::Solved, Uniqueness::Unknown) => 3,
            (Verdict::Solved, Uniqueness::NotOne) => 1,
            (Verdict::Solved, _) => 0,
            (Verdict::Impossible, _) => 1,
            (Verdict::GaveUp(_), _) => 3,
        }
    }
}
