//! Rates the difficulty of a program by the sizes of the reasons in each round of steps.

use std::collections::BTreeMap;
use std::time::Instant;

use asp::Settings;
use base::diagnostic::Failure;
use base::ending::Verdict;
use base::stop::{CancelToken, StopReason};
use base::words::count;

use super::hint::relax_constraints;
use super::steps::{NextStep, Round, StepSearch};
use super::{ExplainContext, ExplainInput};

/// The name of steps without a technique, if the program names techniques.
const UNNAMED: &str = "harder reasoning";

/// Statistics of all rounds.
#[derive(Debug, Clone)]
pub struct Rating {
    /// The number of steps by the size of their reasons. The flag is true if the size is only a
    /// lower bound.
    pub sizes: BTreeMap<(usize, bool), usize>,
    /// The number of steps by level and technique; empty unless the program names techniques.
    pub names: BTreeMap<(i32, String), usize>,
    pub rounds: usize,
    /// Duration of the longest round in seconds.
    pub slowest_seconds: f64,
    pub end: NextStep,
}

impl Rating {
    /// Rates a program. Ends with the first round after which the rating `is_exceeded`.
    pub fn of(
        source: &ExplainInput,
        settings: &Settings,
        stop: &CancelToken,
        is_exceeded: impl Fn(&Rating) -> bool,
    ) -> Result<Rating, Failure> {
        let mut relaxed = relax_constraints(source, settings, stop)?;
        Rating::of_steps(&mut StepSearch::new(&mut relaxed, stop)?, is_exceeded)
    }

    fn of_steps(steps: &mut StepSearch<'_>, is_exceeded: impl Fn(&Rating) -> bool) -> Result<Rating, Failure> {
        let mut rating = Rating {
            sizes: BTreeMap::new(),
            names: BTreeMap::new(),
            rounds: 0,
            slowest_seconds: 0.0,
            end: NextStep::Solved,
        };
        loop {
            let started = Instant::now();
            let next = steps.next_round()?;
            rating.slowest_seconds = rating.slowest_seconds.max(started.elapsed().as_secs_f64());
            match next {
                Ok(Round { found, size, is_exact }) => {
                    *rating.sizes.entry((size, !is_exact)).or_default() += found.len();
                    for name in found.into_iter().filter(|_| steps.has_techniques()) {
                        let name = name.map_or((i32::MAX, UNNAMED.to_owned()), |name| (name.level, name.name));
                        *rating.names.entry(name).or_default() += 1;
                    }
                }
                Err(end) => return Ok(Rating { end, ..rating }),
            }
            rating.rounds += 1;
            if is_exceeded(&rating) {
                let reason = StopReason::Other("the difficulty is exceeded");
                return Ok(Rating { end: NextStep::Unknown(reason), ..rating });
            }
        }
    }

    /// Returns the number of steps.
    pub fn steps(&self) -> usize {
        self.sizes.values().sum()
    }

    /// Returns the number of reasons of all steps.
    pub fn reasons(&self) -> usize {
        self.sizes.iter().map(|(&(size, _), number)| size * number).sum()
    }

    pub fn is_solved(&self) -> bool {
        self.end == NextStep::Solved
    }

    /// Returns the number of reasons of the hardest step: a lower bound unless the rating is exact.
    pub fn largest(&self) -> usize {
        self.sizes.last_key_value().map_or(0, |(&(size, _), _)| size)
    }

    /// Returns the level of the hardest technique, if the program names techniques: 1 for easy, 2
    /// for medium, 3 or more for hard.
    pub fn level(&self) -> Option<i32> {
        self.names.last_key_value().map(|(&(level, _), _)| level)
    }

    /// Returns true if all sizes are exact, not lower bounds.
    pub fn is_exact(&self) -> bool {
        !self.sizes.keys().any(|&(_, is_bound)| is_bound)
    }

    /// Describes the hardest step, as in "3 reasons", "at least 3 reasons" or "3 reasons
    /// (swordfish)".
    pub fn hardest(&self) -> String {
        let name = self.names.last_key_value().filter(|((level, _), _)| *level < i32::MAX);
        let name = name.map_or(String::new(), |((_, name), _)| format!(" ({name})"));
        format!("{}{}{name}", at_least(!self.is_exact()), count(self.largest(), "reason", "reasons"))
    }
}

pub fn at_least(is_bound: bool) -> &'static str {
    if is_bound { "at least " } else { "" }
}

/// The rating of a program, and the time that it took.
#[derive(Debug, Clone)]
pub struct RatingReport {
    pub rating: Rating,
    /// Seconds before the first round, and of all rounds.
    pub preparation: f64,
    pub seconds: f64,
}

impl RatingReport {
    pub fn verdict(&self) -> Verdict {
        match self.rating.end {
            NextStep::Unknown(reason) => Verdict::GaveUp(reason),
            NextStep::Impossible => Verdict::Impossible,
            _ => Verdict::Solved,
        }
    }
}

/// Rates a program.
pub fn explain(source: &ExplainInput, context: &ExplainContext<'_>) -> Result<RatingReport, Failure> {
    let started = Instant::now();
    let mut relaxed = relax_constraints(source, context.settings, context.stop)?;
    let mut steps = StepSearch::new(&mut relaxed, context.stop)?;
    let preparation = started.elapsed().as_secs_f64();
    let started = Instant::now();
    let rating = Rating::of_steps(&mut steps, |_| false)?;
    Ok(RatingReport { rating, preparation, seconds: started.elapsed().as_secs_f64() })
}
