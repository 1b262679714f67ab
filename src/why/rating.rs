//! How hard a program is: what each round of steps finds, how large its reasons are, and how large those of plain deletion would be.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Instant;

use serde_json::{Map, json};

use super::hint::{ending, name, taken_apart};
use super::steps::{Next, Round, Steps};
use super::{Asks, Question, Source, Told};
use crate::asp::Settings;
use crate::diagnostic::Failure;
use crate::ending::Verdict;
use crate::job::Job;
use crate::stop::Stop;
use crate::words::count;

/// Of steps that no technique with a name finds, where others have one.
const NAMELESS: &str = "harder reasoning";

/// What follows, round by round, and from how many reasons.
pub struct Rating {
    /// Steps by the size of their reasons, which may be a lower bound: sizes that are exact come first.
    sizes: BTreeMap<(usize, bool), usize>,
    /// Steps by how hard people find them and what they call them, where the program knows that: the easiest come first.
    names: BTreeMap<(i32, String), usize>,
    rounds: usize,
    /// That of the longest round, in seconds.
    slowest: f64,
    end: Next,
}

impl Rating {
    pub fn of(source: &Source, settings: &Settings, stop: &Stop) -> Result<Rating, Failure> {
        let mut switched = taken_apart(source, settings, stop)?;
        Rating::of_steps(&mut Steps::new(&mut switched, stop)?)
    }

    fn of_steps(steps: &mut Steps<'_>) -> Result<Rating, Failure> {
        let mut rating =
            Rating { sizes: BTreeMap::new(), names: BTreeMap::new(), rounds: 0, slowest: 0.0, end: Next::Solved };
        loop {
            let begun = Instant::now();
            let next = steps.next_round()?;
            rating.slowest = rating.slowest.max(begun.elapsed().as_secs_f64());
            match next {
                Ok(Round { found, size, is_exact }) => {
                    *rating.sizes.entry((size, !is_exact)).or_default() += found.len();
                    for name in found {
                        let name = name.map_or((i32::MAX, NAMELESS.to_owned()), |name| (name.level, name.name));
                        *rating.names.entry(name).or_default() += 1;
                    }
                }
                Err(end) => {
                    rating.names = if steps.have_names() { rating.names } else { BTreeMap::new() };
                    return Ok(Rating { end, ..rating });
                }
            }
            rating.rounds += 1;
        }
    }

    pub fn is_solved(&self) -> bool {
        self.end == Next::Solved
    }

    /// How many reasons the hardest step needs; at least so many, if the rating is not exact.
    pub fn largest(&self) -> usize {
        self.sizes.last_key_value().map_or(0, |(&(size, _), _)| size)
    }

    /// How hard people find the hardest step, where the program knows that: 1 easy, 2 medium, 3 and more hard.
    pub fn level(&self) -> Option<i32> {
        self.names.last_key_value().map(|(&(level, _), _)| level)
    }

    /// Whether every size is one, and none a lower bound.
    pub fn is_exact(&self) -> bool {
        !self.sizes.keys().any(|&(_, is_bound)| is_bound)
    }

    /// `3 reasons`, `at least 3 reasons`; `3 reasons (swordfish)`.
    pub fn hardest(&self) -> String {
        let name = self.names.last_key_value().filter(|((level, _), _)| *level < i32::MAX);
        let name = name.map_or(String::new(), |((_, name), _)| format!(" ({name})"));
        format!("{}{}{name}", at_least(!self.is_exact()), count(self.largest(), "reason", "reasons"))
    }
}

fn at_least(is_bound: bool) -> &'static str {
    if is_bound { "at least " } else { "" }
}

/// Tells the rating of a program.
pub fn explain(source: &Source, question: &Question, job: &Job) -> Result<Told, Failure> {
    let begun = Instant::now();
    let mut switched = taken_apart(source, &job.settings, &job.stop)?;
    let mut steps = Steps::new(&mut switched, &job.stop)?;
    let deletion = match question.asks {
        Asks::Rating { deletion: true } => Some(steps.by_deletion()?),
        _ => None,
    };
    let preparation = begun.elapsed().as_secs_f64();
    let begun = Instant::now();
    let rating = Rating::of_steps(&mut steps)?;
    let seconds = begun.elapsed().as_secs_f64();
    let Rating { sizes, names, rounds, slowest, end } = &rating;
    let number: usize = sizes.values().sum();
    let sum: usize = sizes.iter().map(|(&(size, _), number)| size * number).sum();
    let mut text = format!(
        "{} in {}: the hardest needs {}, all together {}{sum}.\n",
        count(number, "step", "steps"),
        count(*rounds, "round", "rounds"),
        rating.hardest(),
        at_least(!rating.is_exact()),
    );
    for (&(size, is_bound), number) in sizes {
        let (steps, reasons) = (count(*number, "step", "steps"), count(size, "reason", "reasons"));
        let _ = writeln!(text, "  {steps} of {}{reasons}", at_least(is_bound));
    }
    if !names.is_empty() {
        let told: Vec<String> = names.iter().map(|((_, name), number)| format!("{name} {number}")).collect();
        let _ = writeln!(text, "Techniques: {}.", told.join(", "));
    }
    if !rating.is_solved() {
        let _ = writeln!(text, "{}", ending(end, number));
    }
    if let Some(sizes) = &deletion
        && let (Some(smallest), Some(largest)) = (sizes.first(), sizes.last())
    {
        let median = sizes[sizes.len() / 2];
        let _ = writeln!(
            text,
            "Plain deletion has {smallest} to {largest} reasons for what is to be found, in the middle {median}."
        );
    }
    let of_size = |(&(size, is_bound), number): (&(usize, bool), &usize)| {
        (format!("{size}{}", if is_bound { "+" } else { "" }), json!(number))
    };
    let mut json = json!({
        "schema": 1,
        "verdict": name(end),
        "steps": number, "rounds": rounds, "largest": rating.largest(), "sum": sum, "exact": rating.is_exact(),
        "sizes": sizes.iter().map(of_size).collect::<Map<_, _>>(),
        "seconds": rounded(seconds), "slowest": rounded(*slowest), "preparation": rounded(preparation),
    });
    if !names.is_empty() {
        json["techniques"] = names.iter().map(|((_, name), number)| (name.clone(), json!(number))).collect();
    }
    if let Some(sizes) = deletion {
        json["deletion"] = json!(sizes);
    }
    let verdict = match end {
        Next::Unknown(reason) => Verdict::GaveUp(*reason),
        Next::Impossible => Verdict::Impossible,
        _ => Verdict::Solved,
    };
    Ok(Told { text, json, verdict: Some(verdict), ..Told::default() })
}

fn rounded(seconds: f64) -> f64 {
    (seconds * 1e4).round() / 1e4
}
