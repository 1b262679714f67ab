//! The costs of an answer, in the words of its program.

use asp::{CallError, MaximizedPriorities, Model};

/// The costs of an answer, highest priority first; empty without optimisation.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AnswerCosts {
    /// As clingo reports them: a maximised value is negated.
    pub costs: Vec<i64>,
    are_values: Vec<bool>,
}

impl AnswerCosts {
    pub fn of(model: &Model<'_>, maximized: &MaximizedPriorities) -> Result<Self, CallError> {
        let costs = model.costs()?;
        let mut are_values = maximized.select(&model.priorities());
        are_values.resize(costs.len(), false);
        Ok(AnswerCosts { costs, are_values })
    }

    pub fn is_empty(&self) -> bool {
        self.costs.is_empty()
    }

    /// Returns what the program's statements add up to: the costs, with maximised values as they
    /// are. `None` if nothing is maximised.
    pub fn values(&self) -> Option<Vec<i64>> {
        let value = |(cost, is_value): (&i64, &bool)| if *is_value { cost.saturating_neg() } else { *cost };
        let values = || self.costs.iter().zip(&self.are_values).map(value).collect();
        self.are_values.contains(&true).then(values)
    }

    /// "cost 3", "value 13", or "value 7, cost 2, 0".
    pub fn words(&self) -> String {
        let values = self.values().unwrap_or_else(|| self.costs.clone());
        let mut words = Vec::new();
        let mut first = 0;
        for group in self.are_values.chunk_by(|one, next| one == next) {
            let kind = if group[0] { "value" } else { "cost" };
            words.push(format!("{kind} {}", numbers(&values[first..first + group.len()], ", ")));
            first += group.len();
        }
        words.join(", ")
    }

    /// "costs less than 3", "has a value of more than 13", or "is better than value 7, cost 2".
    pub fn better(&self) -> String {
        match (self.values(), self.are_values.contains(&false)) {
            (None, _) => format!("costs less than {}", numbers(&self.costs, ", ")),
            (Some(values), false) => format!("has a value of more than {}", numbers(&values, ", ")),
            (Some(_), true) => format!("is better than {}", self.words()),
        }
    }
}

/// Joins numbers.
pub fn numbers(numbers: &[i64], between: &str) -> String {
    numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(between)
}
