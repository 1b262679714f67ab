//! The claim of a certificate about a ground program, and its negation as clauses.
//!
//! This file is trusted, as is `completion.rs`. Every answer set that the claim excludes satisfies
//! all clauses. If the clauses are refuted, there is no such answer set.

use std::collections::BTreeSet;

use ground::{Completion, GroundProgram, ShownTerms, holds_in};

/// The claim that the listed answers are all answers. With a strict bound it claims instead that no
/// answer costs less than the bound.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Claim {
    /// The true atoms of each answer, in ascending order.
    pub answers: Vec<Vec<u32>>,
    /// Counts answers that show the same terms as one.
    pub projects_to_shown: bool,
    /// Restricts the claim to answers within the bound. The costs of the listed answers equal it.
    pub bound: Option<CostBound>,
}

/// An upper bound of the costs, compared lexicographically by priority, highest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CostBound {
    pub costs: Vec<i64>,
    pub is_strict: bool,
}

/// The cost of four million literals of the greatest weight.
const MAX_COST: u64 = 1 << 53;

/// Maximum number of literals in all clauses of a claim.
const MAX_CLAIM_LITERALS: usize = 50_000_000;

impl Claim {
    /// Adds the negation of the claim to the clauses of the program.
    ///
    /// - Without a bound: some answer differs from each listed one.
    /// - With a strict bound: some answer costs less than the bound. The clauses do not mention the
    ///   listed answers, whose costs equal the bound: a cheaper answer refutes the claim even if it
    ///   shows the same terms as one of them.
    /// - With a non-strict bound: some answer is within the bound, and it costs less than the bound
    ///   or differs from each listed answer.
    ///
    /// # Errors
    /// The reason why the claim has no translation.
    pub fn assert_negation(
        &self,
        ground: &GroundProgram,
        shown: &ShownTerms,
        completion: &mut Completion,
    ) -> Result<(), String> {
        let differences = self.assert_scope(ground, shown, completion)?;
        for clause in differences.of(&self.answers, shown)? {
            completion.add_clause(clause);
        }
        Ok(())
    }

    /// Adds the part of the negation that does not depend on the listed answers.
    ///
    /// # Errors
    /// The reason why the bound has no translation.
    pub fn assert_scope(
        &self,
        ground: &GroundProgram,
        shown: &ShownTerms,
        completion: &mut Completion,
    ) -> Result<Differences, String> {
        let less = self.bound.as_ref().map(|bound| bound.assert_bound(ground, completion)).transpose()?;
        let literals = if self.bound.as_ref().is_some_and(|bound| bound.is_strict) {
            None
        } else if self.projects_to_shown {
            Some(shown.values().map(|conditions| completion.any_of(conditions)).collect())
        } else {
            Some(completion.supports.keys().map(|&atom| atom as i32).collect())
        };
        Ok(Differences { literals, projects_to_shown: self.projects_to_shown, less })
    }
}

/// How other answers differ from the listed ones, as literals of a completion.
#[derive(Debug, Clone)]
pub struct Differences {
    /// The literals of the shown terms, or of the atoms; `None` if the claim does not mention the listed answers.
    literals: Option<Vec<i32>>,
    projects_to_shown: bool,
    /// True if the costs are below the bound.
    less: Option<i32>,
}

impl Differences {
    /// Returns a clause for each listed answer: something differs from it, or the costs are below the bound.
    ///
    /// # Errors
    /// The clauses are too large.
    pub fn of(&self, answers: &[Vec<u32>], shown: &ShownTerms) -> Result<Vec<Vec<i32>>, String> {
        let Some(literals) = &self.literals else { return Ok(Vec::new()) };
        if answers.len().saturating_mul(literals.len()) > MAX_CLAIM_LITERALS {
            return Err("there are too many answers".to_owned());
        }
        let clause = |answer: &Vec<u32>| {
            let true_atoms: BTreeSet<u32> = answer.iter().copied().collect();
            let holds = |literal: i32| holds_in(literal, |atom| true_atoms.contains(&atom));
            let is_shown = |conditions: &Vec<Vec<i32>>| {
                conditions.iter().any(|condition| condition.iter().all(|&literal| holds(literal)))
            };
            let signed = |literal: i32, is_true: bool| if is_true { -literal } else { literal };
            let clause: Vec<i32> = if self.projects_to_shown {
                let terms = literals.iter().zip(shown.values());
                terms.map(|(&literal, conditions)| signed(literal, is_shown(conditions))).collect()
            } else {
                literals.iter().map(|&atom| signed(atom, holds(atom))).collect()
            };
            clause.into_iter().chain(self.less).collect()
        };
        Ok(answers.iter().map(clause).collect())
    }
}

impl CostBound {
    /// Adds clauses that require the costs to be within the bound. Returns a literal that is
    /// equivalent to costs below the bound.
    ///
    /// # Errors
    /// The reason why the bound has no translation.
    pub fn assert_bound(&self, ground: &GroundProgram, completion: &mut Completion) -> Result<i32, String> {
        let CostBound { costs, is_strict } = self;
        if ground.costs.is_empty() {
            return Err("the claim has a bound, but the program has no costs".to_owned());
        }
        if costs.len() != ground.costs.len() {
            let (expected, found) = (ground.costs.len(), costs.len());
            return Err(format!("expected a bound with a cost for each of {expected} priorities, found {found}"));
        }
        if let Some(cost) = costs.iter().find(|cost| cost.unsigned_abs() > MAX_COST) {
            return Err(format!("expected a cost of at most {MAX_COST}, found {cost}"));
        }
        let (mut less, mut at_most) = (-completion.true_var, completion.true_var);
        for (level, &cost) in ground.costs.values().zip(costs.iter().rev()) {
            let (less_here, at_most_here) =
                (-completion.weight_constraint(level, cost)?, -completion.weight_constraint(level, cost + 1)?);
            let and_less = completion.conjunction(vec![at_most_here, less]);
            less = completion.disjunction([less_here, and_less]);
            if !is_strict {
                let and_at_most = completion.conjunction(vec![at_most_here, at_most]);
                at_most = completion.disjunction([less_here, and_at_most]);
            }
        }
        completion.add_clause(vec![if *is_strict { less } else { at_most }]);
        Ok(less)
    }
}
