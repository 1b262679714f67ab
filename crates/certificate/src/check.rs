//! The check of a whole certificate: its listed answers, then its steps.
//!
//! This file is trusted.

use ground::{AnswerCheck, Completion, FastMap, FastSet, Flaw, GroundProgram, ShownTerms, check_answer, holds_in};

use super::claim::Claim;
use super::verify::{ProofStep, verify};

/// A certificate, as read from its text.
#[derive(Debug, Default)]
pub struct Certificate {
    pub ground: GroundProgram,
    pub shown: ShownTerms,
    pub claim: Claim,
    pub steps: Vec<ProofStep>,
    /// The number of the first clause that a step adds; `None` if no step adds one.
    pub first_clause: Option<u32>,
}

impl Certificate {
    /// Checks that the listed answers are distinct answer sets and that there are no others.
    /// Returns the number of steps.
    ///
    /// # Errors
    /// Describes the first defect of the certificate.
    pub fn check(&self) -> Result<usize, String> {
        let completion = negated_claim(&self.ground, &self.shown, &self.claim)?;
        let next = completion.clauses.len() as u32 + 1;
        if let Some(first) = self.first_clause.filter(|&first| first != next) {
            return Err(format!("the first step adds clause {first}; the program has {} clauses", next - 1));
        }
        check_listed_answers(&self.ground, &self.shown, &self.claim)?;
        match verify(&self.ground, &completion, &self.steps)? {
            count if count == self.steps.len() => Ok(count),
            count => Err(format!("step {}: comes after the empty clause", count + 1)),
        }
    }

    /// Returns the shown terms of each answer.
    pub fn shown_terms(&self) -> Vec<Vec<&str>> {
        let terms: Vec<&str> = self.shown.keys().map(String::as_str).collect();
        let words =
            |answer: &Vec<u32>| shown_indices(&self.shown, answer).into_iter().map(|place| terms[place as usize]);
        self.claim.answers.iter().map(|answer| words(answer).collect()).collect()
    }
}

/// Returns the clauses to refute: the completion of the program and the negation of the claim.
pub fn negated_claim(ground: &GroundProgram, shown: &ShownTerms, claim: &Claim) -> Result<Completion, String> {
    negated_claim_of(Completion::of(ground, shown)?, ground, shown, claim)
}

/// As [`negated_claim`], with the completion of the program.
pub fn negated_claim_of(
    mut completion: Completion,
    ground: &GroundProgram,
    shown: &ShownTerms,
    claim: &Claim,
) -> Result<Completion, String> {
    claim.assert_negation(ground, shown, &mut completion)?;
    Ok(completion)
}

/// Checks that the listed answers are answer sets, that their costs equal the bound, and that they
/// are pairwise distinct: in all atoms, or in the shown terms if the claim projects to these.
pub fn check_listed_answers(ground: &GroundProgram, shown: &ShownTerms, claim: &Claim) -> Result<(), String> {
    let last = ground.last_atom();
    for (number, answer) in (1..).zip(&claim.answers) {
        let costs = claim.bound.as_ref().map_or(&[][..], |bound| &bound.costs);
        let true_atoms: FastSet<u32> = answer.iter().copied().collect();
        let wrong = |why: String| Err(format!("answer {number} is not an answer set: {why}"));
        if let Some(pair) = answer.windows(2).find(|pair| pair[0] >= pair[1]) {
            let what = if pair[0] == pair[1] { "is listed twice" } else { "is not in ascending order" };
            return Err(format!("answer {number}: the atom {} {what}", pair[1]));
        }
        if let Some(atom) = answer.iter().find(|&&atom| atom > last || atom == 0) {
            return wrong(format!("there is no atom {atom}"));
        }
        let holds = |literal: i32| holds_in(literal, |atom| true_atoms.contains(&atom));
        if let Some(literal) = ground.assumed.iter().find(|literal| !holds(**literal)) {
            return wrong(format!("the assumed literal {literal} does not hold"));
        }
        match check_answer(ground, |atom| true_atoms.contains(&atom), costs) {
            Ok(AnswerCheck::Complete) => {}
            Ok(AnswerCheck::ExceptMinimality) => return wrong("its minimality could not be decided".to_owned()),
            Err(Flaw::Costs { claimed, actual }) => {
                return Err(format!("answer {number} costs {actual:?}, but the claim says {claimed:?}"));
            }
            Err(flaw) => return wrong(flaw.to_string()),
        }
    }
    if claim.bound.is_some() && claim.answers.is_empty() {
        return Err("no listed answer has the costs of the bound".to_owned());
    }
    if claim.projects_to_shown {
        check_distinct(claim.answers.iter().map(|answer| shown_indices(shown, answer)), "show the same")
    } else {
        check_distinct(&claim.answers, "are the same")
    }
}

/// Returns the indices of the terms that an answer shows.
fn shown_indices(shown: &ShownTerms, answer: &[u32]) -> Vec<u32> {
    let true_atoms: FastSet<u32> = answer.iter().copied().collect();
    let holds = |literal: &i32| holds_in(*literal, |atom| true_atoms.contains(&atom));
    let is_shown = |conditions: &[Vec<i32>]| conditions.iter().any(|condition| condition.iter().all(holds));
    (0..).zip(shown.values()).filter(|(_, conditions)| is_shown(conditions)).map(|(place, _)| place).collect()
}

fn check_distinct<T: std::hash::Hash + Eq>(answers: impl IntoIterator<Item = T>, what: &str) -> Result<(), String> {
    let mut numbers = FastMap::default();
    for (number, answer) in (1..).zip(answers) {
        if let Some(before) = numbers.insert(answer, number) {
            return Err(format!("the answers {before} and {number} {what}"));
        }
    }
    Ok(())
}
