//! Which answers are reported, and what is known of the choice.

use base::ending::Verdict;
use base::stop::StopReason;
use base::words::{count, thousands};
use num_bigint::BigUint;
use serde_json::{Value, json};

/// Which answers are reported if there are more than requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Selection {
    /// The first that are found.
    #[default]
    First,
    /// Answers that are drawn at random, each with the same probability.
    Sample { seed: u64 },
}

impl Selection {
    /// Returns the option of the command that selects, without the dashes.
    pub fn option(self) -> Option<&'static str> {
        match self {
            Selection::First => None,
            Selection::Sample { .. } => Some("sample"),
        }
    }
}

/// The result of selecting answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SelectionSummary {
    Sample(SampleSummary),
}

/// The result of drawing answers at random.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SampleSummary {
    /// The number of answers that each draw chooses from; `None` if it is not known, and then nothing
    /// was drawn.
    pub count: Option<BigUint>,
    pub drawn: u64,
    pub seed: u64,
    /// The reason why there are fewer draws than requested.
    pub stopped: Option<StopReason>,
    /// The answers are optimal ones.
    pub is_of_optima: bool,
}

impl SelectionSummary {
    /// Returns the verdict of a run with this selection; `verdict` is that of other runs.
    pub fn verdict(&self, verdict: Verdict) -> Verdict {
        let SelectionSummary::Sample(SampleSummary { stopped, .. }) = self;
        stopped.map_or(verdict, Verdict::GaveUp)
    }

    /// Returns the closing sentence of a report; `None` if there is no answer, of which other
    /// sentences tell. `nouns` are the puzzle's words for answers.
    pub fn words(&self, [noun, nouns]: [&str; 2], verdict: Verdict) -> Option<String> {
        let SelectionSummary::Sample(SampleSummary { count: all, drawn, seed, is_of_optima, .. }) = self;
        let gave_up = verdict.gave_up_words();
        let Some(all) = all else {
            return Some(format!("{gave_up} The {nouns} could not be counted, so that none was drawn."));
        };
        let optimal = if *is_of_optima { "optimal " } else { "" };
        let drawn = count(*drawn, &format!("{optimal}{noun}"), &format!("{optimal}{nouns}"));
        let words = format!("{gave_up} {drawn} drawn uniformly at random from {} (seed {seed}).", thousands(all));
        (*all > BigUint::ZERO).then(|| words.trim_start().to_owned())
    }

    /// Returns the key and the value in JSON.
    pub fn json(&self) -> (&'static str, Value) {
        let SelectionSummary::Sample(SampleSummary { count, drawn, seed, .. }) = self;
        let count = count.as_ref().map(ToString::to_string);
        ("sample", json!({ "of": count, "drawn": drawn, "seed": seed }))
    }
}
