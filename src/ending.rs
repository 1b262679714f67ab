//! How a run ended: what is proven, and what there is to say besides the answers.

use serde_json::Value;

use crate::diagnostic::Diagnostic;
use crate::stop::Reason;

/// How an engine says that solving ended, with the proof in the puzzle's own type.
#[derive(Debug, Clone)]
pub struct Ending<P> {
    pub verdict: Verdict,
    /// All answers were found, or the optimum is proven.
    pub complete: bool,
    /// What is known besides the answers: counts, bounds, causes.
    pub proof: P,
    /// What the engine did.
    pub statistics: Value,
    pub warnings: Vec<Diagnostic>,
}

/// Whether a puzzle has exactly one solution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Uniqueness {
    #[default]
    NotAsked,
    One,
    /// None, or two at least.
    NotOne,
    Unknown,
}

impl Uniqueness {
    /// As far as the verdict and the number of those that were found tell.
    pub fn of(is_asked: bool, verdict: Verdict, complete: bool, found: u64) -> Self {
        match (verdict, found) {
            _ if !is_asked => Uniqueness::NotAsked,
            (Verdict::Impossible, _) | (_, 2..) => Uniqueness::NotOne,
            (Verdict::Solved, 1) if complete => Uniqueness::One,
            _ => Uniqueness::Unknown,
        }
    }
}

/// A search has three outcomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Solved,
    Impossible,
    GaveUp(Reason),
}

impl Verdict {
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Solved => "solved",
            Verdict::Impossible => "impossible",
            Verdict::GaveUp(_) => "gave-up",
        }
    }

    /// "Gave up: …", or nothing.
    pub fn gave_up_words(self) -> String {
        match self {
            Verdict::GaveUp(reason) => format!("Gave up: {}.", reason.words()),
            _ => String::new(),
        }
    }
}

impl<P: Default> Ending<P> {
    /// Nothing but the verdict.
    pub fn of(verdict: Verdict, complete: bool) -> Self {
        let statistics = Value::Object(Default::default());
        Ending { verdict, complete, proof: P::default(), statistics, warnings: Vec::new() }
    }

    /// Stopped before anything was proven.
    pub fn gave_up(reason: Reason) -> Self {
        Ending::of(Verdict::GaveUp(reason), false)
    }
}
