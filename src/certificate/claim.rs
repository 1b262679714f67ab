//! What a certificate says of a ground program, and the clauses that are its opposite.
//!
//! This file is trusted, as is `completion.rs`. An answer set that the claim excludes satisfies all clauses; where these are
//! refuted, there is none.

use std::collections::{BTreeMap, BTreeSet};

use super::completion::Completion;
use crate::asp::Ground;

/// There is no answer but those that are listed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Claim {
    /// The true atoms of each.
    pub answers: Vec<Vec<u32>>,
    /// Answers that show the same count as one.
    pub is_of_shown: bool,
    /// Answers that cost more do not count.
    pub bound: Option<Bound>,
}

/// Answers count that cost less than this, or at most this, by priority, highest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bound {
    pub costs: Vec<i64>,
    pub is_strict: bool,
}

/// What four million literals of the greatest weight cost.
const MOST_COST: u64 = 1 << 53;

/// What is shown where all literals of one of its conditions hold.
pub type Shown = BTreeMap<String, Vec<Vec<i32>>>;

impl Claim {
    /// Adds the opposite of the claim to the clauses of the program.
    ///
    /// # Errors
    /// Why it has no translation.
    pub fn deny(&self, ground: &Ground, shown: &Shown, to: &mut Completion) -> Result<(), String> {
        let told_apart_by: Vec<(i32, &[Vec<i32>])> = match self.is_of_shown {
            true => shown.values().map(|conditions| (to.any_of(conditions), &conditions[..])).collect(),
            false => to.supports.keys().map(|&atom| (atom as i32, &[][..])).collect(),
        };
        for answer in &self.answers {
            let holding: BTreeSet<u32> = answer.iter().copied().collect();
            let holds = |literal: i32| holding.contains(&literal.unsigned_abs()) == (literal > 0);
            let differs = told_apart_by.iter().map(|&(literal, conditions)| {
                let is_shown = conditions.iter().any(|condition| condition.iter().all(|&literal| holds(literal)));
                if if self.is_of_shown { is_shown } else { holds(literal) } { -literal } else { literal }
            });
            to.add(differs.collect());
        }
        self.bound.as_ref().map_or(Ok(()), |bound| bound.demand(ground, to))
    }
}

impl Bound {
    /// Adds clauses of answers that count.
    ///
    /// # Errors
    /// Why it has no translation.
    pub fn demand(&self, ground: &Ground, to: &mut Completion) -> Result<(), String> {
        let Bound { costs, is_strict } = self;
        if costs.len() != ground.costs.len() || costs.iter().any(|cost| cost.unsigned_abs() > MOST_COST) {
            return Err(format!("{costs:?} are no costs for {} priorities", ground.costs.len()));
        }
        let mut cheaper = if *is_strict { -to.always } else { to.always };
        for (level, &cost) in ground.costs.values().zip(costs.iter().rev()) {
            let (less, at_most) = (-to.sum(level, cost)?, -to.sum(level, cost + 1)?);
            let and_cheaper = to.conjunction(vec![at_most, cheaper]);
            cheaper = to.disjunction([less, and_cheaper]);
        }
        to.add(vec![cheaper]);
        Ok(())
    }
}

impl Completion {
    /// A literal that holds where one of these conditions does.
    pub fn any_of(&mut self, conditions: &[Vec<i32>]) -> i32 {
        let each: Vec<i32> = conditions.iter().map(|condition| self.conjunction(condition.clone())).collect();
        self.disjunction(each)
    }
}
