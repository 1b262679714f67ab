//! The end of a run: verdict, proof, certificate and warnings, without the answers.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::diagnostic::Diagnostic;
use crate::stop::StopReason;
use crate::words::count;

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

/// The result of certifying a claim about the answers.
#[derive(Debug, Clone)]
pub struct Certification {
    /// The claim: `none`, `no other`, `all` or `least`.
    pub claim: &'static str,
    /// True if the certificate passed the check, false if it did not; `None` if there is none.
    pub checked: Option<bool>,
    pub steps: usize,
    /// The reason if the claim is not certified.
    pub why: Option<String>,
    /// The certificate, if one was requested.
    pub text: Option<Arc<str>>,
    /// The formula of the proof, if it is written to a separate file.
    pub formula: Option<Arc<str>>,
}

impl Certification {
    /// Creates the result of a failed certification.
    pub fn uncertified(of: &'static str, why: impl Into<String>) -> Self {
        Certification { claim: of, checked: None, steps: 0, why: Some(why.into()), text: None, formula: None }
    }

    /// Combines two certifications; the result is certified only if both are.
    pub fn and(self, other: Certification) -> Self {
        match (self.checked, other.checked) {
            (Some(true), Some(true)) => Certification { steps: self.steps + other.steps, ..self },
            (Some(true), _) => other,
            _ => self,
        }
    }

    /// Appends the result to a sentence that states the claim.
    pub fn describe(&self, sentence: &str) -> String {
        match &self.why {
            Some(why) => format!("{sentence} Not certified: {why}."),
            None => {
                let steps = count(self.steps as u64, "step", "steps");
                format!("{}, and certified in {steps}.", sentence.trim_end_matches('.'))
            }
        }
    }

    /// The result as a separate sentence, with a leading blank.
    pub fn words(&self) -> String {
        match &self.why {
            Some(why) => format!(" Not certified: {why}."),
            None => format!(" Certified in {}.", count(self.steps as u64, "step", "steps")),
        }
    }

    pub fn json(&self) -> Value {
        let mut object = json!({ "checked": self.checked, "of": self.claim });
        match &self.why {
            Some(why) => object["why"] = json!(why),
            None => object["steps"] = json!(self.steps),
        }
        object
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
