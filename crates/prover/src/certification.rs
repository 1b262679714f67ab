//! The result of certifying a claim, for output.

use std::sync::Arc;

use base::words::count;
use serde_json::{Value, json};

/// How a sentence says that its claim is proven.
const PROVEN: &str = "(proven)";

/// The result of certifying a claim about the answers.
#[derive(Debug, Clone)]
pub struct Certification {
    /// The claim: `none`, `no other`, `all` or `least`.
    pub claim: &'static str,
    /// The result of the check; `None` if there is no certificate.
    pub checked: Option<bool>,
    /// The number of steps; `None` if it depends on other boards with the same ground program.
    pub steps: Option<usize>,
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
        Certification { claim: of, checked: None, steps: None, why: Some(why.into()), text: None, formula: None }
    }

    /// Combines two certifications; the result is certified only if both are.
    pub fn and(self, other: Certification) -> Self {
        match (self.checked, other.checked) {
            (Some(true), Some(true)) => {
                Certification { steps: self.steps.zip(other.steps).map(|(one, other)| one + other), ..self }
            }
            (Some(true), _) => other,
            _ => self,
        }
    }

    /// Appends the result to a sentence that states the claim.
    pub fn describe(&self, sentence: &str) -> String {
        match &self.why {
            Some(why) => format!("{sentence} Not certified: {why}."),
            None => {
                let steps = self.in_steps();
                match sentence.contains(PROVEN) {
                    true => sentence.replacen(PROVEN, &format!("(proven, certified{steps})"), 1),
                    false => format!("{} (certified{steps}).", sentence.trim_end_matches('.')),
                }
            }
        }
    }

    /// The result as a separate sentence, with a leading blank.
    pub fn words(&self) -> String {
        match &self.why {
            Some(why) => format!(" Not certified: {why}."),
            None => format!(" Certified{}.", self.in_steps()),
        }
    }

    /// The number of steps after "certified", with a leading blank.
    pub fn in_steps(&self) -> String {
        self.steps.map_or_else(String::new, |steps| format!(" in {}", count(steps as u64, "step", "steps")))
    }

    pub fn json(&self) -> Value {
        let mut object = json!({ "checked": self.checked, "of": self.claim });
        match &self.why {
            Some(why) => object["why"] = json!(why),
            None => {
                if let Some(steps) = self.steps {
                    object["steps"] = json!(steps);
                }
            }
        }
        object
    }
}
