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
    /// Answers that differ as much as possible in what they show.
    Diverse,
}

impl Selection {
    /// Returns the option of the command that selects, without the dashes.
    pub fn option(self) -> Option<&'static str> {
        match self {
            Selection::First => None,
            Selection::Sample { .. } => Some("sample"),
            Selection::Diverse => Some("diverse"),
        }
    }
}

/// The result of selecting answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SelectionSummary {
    Sample(SampleSummary),
    Diverse(DiversitySummary),
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

/// The result of selecting answers that differ. The distance of two answers is the number of terms
/// that exactly one of them shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiversitySummary {
    pub requested: u64,
    pub found: u64,
    /// The least distance of two of the answers; `None` if there are not two.
    pub distance: Option<u64>,
    /// Proven: any selection of as many answers as requested has two whose distance is at most this.
    pub at_most: Option<u64>,
    /// The reason why the search ended early.
    pub stopped: Option<StopReason>,
    /// The answers are optimal ones.
    pub is_of_optima: bool,
}

impl SelectionSummary {
    /// Returns the verdict of a run with this selection; `verdict` is that of other runs.
    pub fn verdict(&self, verdict: Verdict) -> Verdict {
        let (SelectionSummary::Sample(SampleSummary { stopped, drawn: found, .. })
        | SelectionSummary::Diverse(DiversitySummary { stopped, found, .. })) = self;
        match stopped {
            Some(reason) => Verdict::GaveUp(*reason),
            // A limit that came later changes nothing.
            None if *found > 0 => Verdict::Solved,
            None => verdict,
        }
    }

    /// Returns the closing sentences of a report; `None` if there is no answer, of which other
    /// sentences tell. `nouns` are the puzzle's words for answers.
    pub fn words(&self, nouns: [&str; 2], verdict: Verdict) -> Option<String> {
        let words = match self {
            SelectionSummary::Sample(sample) => sample.words(nouns)?,
            SelectionSummary::Diverse(diversity) => diversity.words(nouns)?,
        };
        Some(format!("{} {words}", verdict.gave_up_words()).trim_start().to_owned())
    }

    /// Returns the key and the value in JSON.
    pub fn json(&self) -> (&'static str, Value) {
        match self {
            SelectionSummary::Sample(SampleSummary { count, drawn, seed, .. }) => {
                let count = count.as_ref().map(ToString::to_string);
                ("sample", json!({ "of": count, "drawn": drawn, "seed": seed }))
            }
            SelectionSummary::Diverse(DiversitySummary { distance, at_most, .. }) => {
                ("diverse", json!({ "distance": distance, "at_most": at_most }))
            }
        }
    }
}

/// Returns a number of answers or of optimal answers in words.
fn count_answers(number: u64, [noun, nouns]: [&str; 2], is_of_optima: bool) -> String {
    let optimal = if is_of_optima { "optimal " } else { "" };
    count(number, &format!("{optimal}{noun}"), &format!("{optimal}{nouns}"))
}

impl SampleSummary {
    fn words(&self, nouns: [&str; 2]) -> Option<String> {
        let SampleSummary { count: all, drawn, seed, is_of_optima, .. } = self;
        let Some(all) = all else {
            return Some(format!("The {} could not be counted, so that none was drawn.", nouns[1]));
        };
        let drawn = count_answers(*drawn, nouns, *is_of_optima);
        (*all > BigUint::ZERO)
            .then(|| format!("{drawn} drawn uniformly at random from {} (seed {seed}).", thousands(all)))
    }
}

impl DiversitySummary {
    /// The summary before the search.
    pub fn of(requested: u64) -> Self {
        let (distance, at_most, stopped) = (None, None, None);
        DiversitySummary { requested, found: 0, distance, at_most, stopped, is_of_optima: false }
    }

    fn words(&self, nouns: [&str; 2]) -> Option<String> {
        let DiversitySummary { requested, found, distance, at_most, stopped, is_of_optima } = *self;
        if found == 0 {
            return stopped.map(|_| format!("No {} found.", nouns[0]));
        }
        let answers = count_answers(found, nouns, is_of_optima);
        if found < requested && stopped.is_none() {
            return Some(match found {
                1 => format!("{answers}, and no other shows something else (proven)."),
                _ => format!("{answers}, and no others show something else (proven)."),
            });
        }
        let differ = distance.map_or(answers.clone(), |distance| {
            let each = if found == 2 { "They differ" } else { "Any two differ" };
            format!("{answers}. {each} in {} or more shown atoms.", thousands(distance))
        });
        let bound = at_most.map_or(String::new(), |at_most| match distance {
            Some(distance) if distance == at_most && found == requested => {
                format!(" No {requested} {} differ more (proven).", nouns[1])
            }
            _ if requested == 2 => format!(" No 2 {} differ in more than {} (proven).", nouns[1], thousands(at_most)),
            _ => format!(" Proven: of any {requested} {}, two differ in at most {}.", nouns[1], thousands(at_most)),
        });
        Some(differ + &bound)
    }
}
