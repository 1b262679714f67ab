//! The counts of the cubes of a search, as one count.

use base::diagnostic::Failure;
use base::ending::Verdict;
use base::stop::StopReason;
use base::words::{count, thousands};
use num_bigint::BigUint;
use serde_json::{Value, json};

use crate::cubes::invalid;

/// The number of answers of a cube.
#[derive(Debug, PartialEq, Eq)]
pub struct CubeCount {
    at_least: BigUint,
    /// `None` if the search ended before it was known.
    at_most: Option<BigUint>,
    costs: Costs,
}

/// The least costs of a cube's answers; only answers with these count.
#[derive(Debug, PartialEq, Eq)]
enum Costs {
    /// Nothing is minimised.
    None,
    Known(Vec<i64>),
    Unknown,
}

impl CubeCount {
    /// Reads the result of a cube. `name` is for messages.
    pub fn of(name: &str, report: &Value) -> Result<Self, Failure> {
        let expected = |what: &str| invalid(name, format!("expected {what}"));
        let number = |key: &str| match &report[key] {
            Value::Null => Ok(None),
            value => {
                let digits = value.as_str().and_then(|digits| digits.parse().ok());
                digits.map(Some).ok_or_else(|| expected(&format!("a number as a string at \"{key}\"")))
            }
        };
        let [exact, at_least, at_most] = [number("count")?, number("at_least")?, number("at_most")?];
        let costs = match report.get("costs") {
            None => Costs::None,
            Some(Value::Null) => Costs::Unknown,
            Some(costs) => serde_json::from_value(costs.clone())
                .map(Costs::Known)
                .map_err(|_| expected("a list of integers at \"costs\""))?,
        };
        let verdict = report["verdict"].as_str().unwrap_or_default();
        let is_consistent = match &exact {
            Some(exact) => {
                at_least.as_ref() == Some(exact)
                    && at_most.as_ref() == Some(exact)
                    && costs != Costs::Unknown
                    && verdict == if *exact == BigUint::ZERO { "impossible" } else { "solved" }
            }
            None => verdict == "gave-up" && at_most.as_ref().is_none_or(|most| at_least.as_ref() <= Some(most)),
        };
        if !is_consistent {
            return Err(invalid(name, "its verdict contradicts its count"));
        }
        Ok(CubeCount { at_least: at_least.unwrap_or_default(), at_most, costs })
    }

    pub fn is_exact(&self) -> bool {
        self.costs != Costs::Unknown && self.at_most.as_ref() == Some(&self.at_least)
    }

    /// Returns true if not both counts of the same cube can be right.
    pub fn contradicts(&self, other: &Self) -> bool {
        let is_above = |one: &Self, other: &Self| other.at_most.as_ref().is_some_and(|most| one.at_least > *most);
        let are_both_known =
            |(one, other): (&Costs, &Costs)| matches!((one, other), (Costs::Known(_), Costs::Known(_)));
        let differ = are_both_known((&self.costs, &other.costs)) && self.costs != other.costs;
        differ || self.costs == other.costs && (is_above(self, other) || is_above(other, self))
    }
}

/// The number of answers of a search that was split.
#[derive(Debug)]
pub struct MergedCount {
    at_least: BigUint,
    at_most: Option<BigUint>,
    /// The least known costs, if costs are minimised.
    costs: Option<Vec<i64>>,
}

impl MergedCount {
    /// Adds the counts of cubes. `is_whole` is false if some cube has no result.
    pub fn of(counts: &[&CubeCount], is_whole: bool) -> Self {
        if counts.iter().all(|count| count.costs == Costs::None) {
            let at_most = counts.iter().map(|count| count.at_most.as_ref()).sum::<Option<BigUint>>();
            let at_least = counts.iter().map(|count| &count.at_least).sum();
            return MergedCount { at_least, at_most: at_most.filter(|_| is_whole), costs: None };
        }
        let known = counts.iter().filter_map(|count| match &count.costs {
            Costs::Known(costs) if !costs.is_empty() => Some(costs),
            _ => None,
        });
        let least = known.min().cloned();
        // A cube whose costs are not known may have a better answer, which alone would count.
        let is_least = is_whole && counts.iter().all(|count| matches!(count.costs, Costs::Known(_)));
        if !is_least {
            let has_answer = counts.iter().any(|count| count.at_least > BigUint::ZERO);
            return MergedCount { at_least: u32::from(has_answer).into(), at_most: None, costs: least };
        }
        let best =
            counts.iter().filter(|count| matches!(&count.costs, Costs::Known(costs) if Some(costs) == least.as_ref()));
        let at_most = best.clone().map(|count| count.at_most.as_ref()).sum();
        MergedCount {
            at_least: best.map(|count| &count.at_least).sum(),
            at_most,
            costs: Some(least.unwrap_or_default()),
        }
    }

    fn exact(&self) -> Option<&BigUint> {
        Some(&self.at_least).filter(|number| self.at_most.as_ref() == Some(*number))
    }

    pub fn verdict(&self) -> Verdict {
        match self.exact() {
            Some(number) if *number == BigUint::ZERO => Verdict::Impossible,
            Some(_) => Verdict::Solved,
            None => Verdict::GaveUp(StopReason::Unproven),
        }
    }

    pub fn json(&self) -> Value {
        json!({
            "count": self.exact().map(ToString::to_string),
            "at_least": self.at_least.to_string(),
            "at_most": self.at_most.as_ref().map(ToString::to_string),
            "costs": self.costs,
            "verdict": self.verdict().name(),
            "complete": self.exact().is_some(),
        })
    }

    /// Returns the result in words. `noun` is that of an answer, `cubes` is their number in words, and `open`
    /// says which of them are open.
    pub fn text(&self, noun: &str, cubes: &str, open: &str) -> String {
        let costs = self.costs.iter().flatten().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let (noun, of_costs) = match &*costs {
            "" => (noun.to_owned(), String::new()),
            costs => (format!("optimal {noun}"), format!(" of cost {costs}")),
        };
        let number = |number: &BigUint| count(number, &noun, &format!("{noun}s"));
        match (self.exact(), &self.at_most) {
            (Some(exact), _) => format!("{}{of_costs} (in {cubes}).\n", number(exact)),
            (None, Some(most)) => {
                format!("At least {}{of_costs}, and at most {}: {open}.\n", number(&self.at_least), thousands(most))
            }
            (None, None) if !costs.is_empty() => format!("At best cost {costs} so far: {open}.\n"),
            (None, None) => format!("At least {}: {open}.\n", number(&self.at_least)),
        }
    }
}
