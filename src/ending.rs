//! How a run ended: what is proven, and what there is to say besides the answers.

use serde_json::Value;

use crate::diagnostic::Diagnostic;
use crate::stop::Reason;

/// How solving ended.
#[derive(Debug, Clone)]
pub struct Ending {
    pub verdict: Verdict,
    /// All answers were found, or the optimum is proven.
    pub complete: bool,
    pub statistics: Value,
    pub warnings: Vec<Diagnostic>,
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
}

impl Ending {
    /// Stopped before anything was proven.
    pub fn gave_up(reason: Reason) -> Self {
        Ending {
            verdict: Verdict::GaveUp(reason),
            complete: false,
            statistics: Value::Object(Default::default()),
            warnings: Vec::new(),
        }
    }
}
