//! What a certificate says of a ground program, and the clauses that are its opposite.
//!
//! This file is trusted, as is `completion.rs`. An answer set that the claim excludes satisfies all clauses; where these are
//! refuted, there is none.

use std::collections::{BTreeMap, BTreeSet};

use super::completion::Completion;
use crate::asp::Ground;

/// There is no answer but those that are listed. With a strict bound: no answer costs less than the bound.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Claim {
    /// The true atoms of each answer, in ascending order.
    pub answers: Vec<Vec<u32>>,
    /// Answers that show the same count as one.
    pub is_of_shown: bool,
    /// Answers that cost more do not count. The listed answers cost exactly this.
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

/// The number of literals that the clauses of a claim may have together.
const MOST_OF_CLAIM: usize = 50_000_000;

impl Claim {
    /// Adds the opposite of the claim to the clauses of the program.
    ///
    /// - Without a bound: an answer differs from each that is listed.
    /// - With a strict bound: an answer costs less. Listed answers cost as much as the bound, so that nothing need be said
    ///   of them: a cheaper answer counts, even if it shows the same as one of them.
    /// - With another bound: an answer costs at most this, and it costs less or differs from each that is listed.
    ///
    /// # Errors
    /// Why it has no translation.
    pub fn deny(&self, ground: &Ground, shown: &Shown, to: &mut Completion) -> Result<(), String> {
        let terms = if self.is_of_shown { shown.len() } else { to.supports.len() };
        if self.answers.len().saturating_mul(terms) > MOST_OF_CLAIM {
            return Err("the answers are too many".to_owned());
        }
        let less = match &self.bound {
            None => None,
            Some(bound) if bound.is_strict => return bound.demand(ground, to).map(|_| ()),
            Some(bound) => Some(bound.demand(ground, to)?),
        };
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
            to.add(differs.chain(less).collect());
        }
        Ok(())
    }
}

impl Bound {
    /// Adds clauses of answers that count. Returns a literal that holds where an answer costs less than the bound.
    ///
    /// # Errors
    /// Why it has no translation.
    pub fn demand(&self, ground: &Ground, to: &mut Completion) -> Result<i32, String> {
        let Bound { costs, is_strict } = self;
        if ground.costs.is_empty() {
            return Err("the claim has a bound, but the program has no costs".to_owned());
        }
        if costs.len() != ground.costs.len() {
            let (expected, found) = (ground.costs.len(), costs.len());
            return Err(format!("expected a bound with a cost for each of {expected} priorities, found {found}"));
        }
        if let Some(cost) = costs.iter().find(|cost| cost.unsigned_abs() > MOST_COST) {
            return Err(format!("expected a cost of at most {MOST_COST}, found {cost}"));
        }
        let (mut less, mut at_most) = (-to.always, to.always);
        for (level, &cost) in ground.costs.values().zip(costs.iter().rev()) {
            let (less_here, at_most_here) = (-to.sum(level, cost)?, -to.sum(level, cost + 1)?);
            let and_less = to.conjunction(vec![at_most_here, less]);
            less = to.disjunction([less_here, and_less]);
            if !is_strict {
                let and_at_most = to.conjunction(vec![at_most_here, at_most]);
                at_most = to.disjunction([less_here, and_at_most]);
            }
        }
        to.add(vec![if *is_strict { less } else { at_most }]);
        Ok(less)
    }
}

impl Completion {
    /// A literal that holds where one of these conditions does.
    pub fn any_of(&mut self, conditions: &[Vec<i32>]) -> i32 {
        let each: Vec<i32> = conditions.iter().map(|condition| self.conjunction(condition.clone())).collect();
        self.disjunction(each)
    }
}
