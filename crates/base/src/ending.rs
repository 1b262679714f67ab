//! The end of a run: verdict, proof and warnings, without the answers.

use serde_json::Value;

use crate::diagnostic::Diagnostic;
use crate::stop::StopReason;

/// The result that an engine reports, with a proof of the puzzle's type.
#[derive(Debug, Clone)]
pub struct SearchEnd<P> {
    pub verdict: Verdict,
    /// All answers were found, or the optimum is proven.
    pub complete: bool,
    /// Counts, bounds and causes.
    pub proof: P,
    /// Search statistics, a JSON object.
    pub statistics: Value,
    pub warnings: Vec<Diagnostic>,
}

/// The result of a uniqueness check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Uniqueness {
    #[default]
    NotAsked,
    One,
    /// No solution, or at least two.
    NotOne,
    Unknown,
}

impl Uniqueness {
    /// Derives uniqueness from the verdict and the number of answers found.
    pub fn of(is_asked: bool, verdict: Verdict, complete: bool, found: u64) -> Self {
        match (verdict, found) {
            _ if !is_asked => Uniqueness::NotAsked,
            (Verdict::Impossible, _) | (_, 2..) => Uniqueness::NotOne,
            (Verdict::Solved, 1) if complete => Uniqueness::One,
            _ => Uniqueness::Unknown,
        }
    }
}

/// The outcome of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Solved,
    Impossible,
    GaveUp(StopReason),
}

impl Verdict {
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Solved => "solved",
            Verdict::Impossible => "impossible",
            Verdict::GaveUp(_) => "gave-up",
        }
    }

    /// Returns "Gave up: …", or an empty string for the other verdicts.
    pub fn gave_up_words(self) -> String {
        match self {
            Verdict::GaveUp(reason) => format!("Gave up: {}.", reason.words()),
            _ => String::new(),
        }
    }
}

impl<P: Default> SearchEnd<P> {
    /// Creates an end without proof, statistics and warnings.
    pub fn of(verdict: Verdict, complete: bool) -> Self {
        let statistics = Value::Object(Default::default());
        SearchEnd { verdict, complete, proof: P::default(), statistics, warnings: Vec::new() }
    }

    /// The end of a search that proved nothing.
    pub fn gave_up(reason: StopReason) -> Self {
        SearchEnd::of(Verdict::GaveUp(reason), false)
    }
}
