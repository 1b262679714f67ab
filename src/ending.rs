//! How a run ended: what is proven, and everything else to report apart from the answers.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::diagnostic::Diagnostic;
use crate::stop::Reason;
use crate::words::count;

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

/// What came of certifying what is said of the answers.
#[derive(Debug, Clone)]
pub struct Certified {
    /// What was to be certified: `none`, `no other`, `all` or `least`.
    pub of: &'static str,
    /// None where the proof was given up, or cannot be made.
    pub checked: Option<bool>,
    pub steps: usize,
    /// Why it is not certified.
    pub why: Option<String>,
    /// The certificate, if it is to be written.
    pub text: Option<Arc<str>>,
    /// The formula that the proof is about, where it stands in a file of its own.
    pub formula: Option<Arc<str>>,
}

impl Certified {
    /// Not certified.
    pub fn not(of: &'static str, why: impl Into<String>) -> Self {
        Certified { of, checked: None, steps: 0, why: Some(why.into()), text: None, formula: None }
    }

    /// Both of two things that are to be certified.
    pub fn and(self, other: Certified) -> Self {
        match (self.checked, other.checked) {
            (Some(true), Some(true)) => Certified { steps: self.steps + other.steps, ..self },
            (Some(true), _) => other,
            _ => self,
        }
    }

    /// A sentence that says what is proven, with what came of certifying it.
    pub fn said(&self, sentence: &str) -> String {
        match &self.why {
            Some(why) => format!("{sentence} Not certified: {why}."),
            None => {
                let steps = count(self.steps as u64, "step", "steps");
                format!("{}, and certified in {steps}.", sentence.trim_end_matches('.'))
            }
        }
    }

    /// The same as a sentence of its own, with a blank before it.
    pub fn words(&self) -> String {
        match &self.why {
            Some(why) => format!(" Not certified: {why}."),
            None => format!(" Certified in {}.", count(self.steps as u64, "step", "steps")),
        }
    }

    pub fn json(&self) -> Value {
        let mut object = json!({ "checked": self.checked, "of": self.of });
        match &self.why {
            Some(why) => object["why"] = json!(why),
            None => object["steps"] = json!(self.steps),
        }
        object
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
