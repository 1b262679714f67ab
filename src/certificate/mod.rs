//! Certificates: that there is no answer but those that are known, by steps that are easy to check.
//!
//! | file | what it holds | trusted |
//! |---|---|---|
//! | `completion.rs` | a ground program as clauses | yes |
//! | `claim.rs` | what is claimed, and its opposite as clauses | yes |
//! | `verify.rs` | the checker of steps | yes |
//! | `mod.rs` | the check of a whole certificate: its answers, then its steps | yes |
//! | `../asp/checker.rs` | whether a listed answer is an answer set, and what it costs | yes |
//! | `../asp/ground.rs` | ground programs: weights, bounds, costs | yes |
//! | `text.rs` | certificates as text | where one is read |
//! | `binding.rs` | whether a certificate is about the ground program of some files | where files are given |
//! | `veripb.rs` | proofs for VeriPB | no |
//! | `refute.rs`, `sources.rs` | the search that writes the steps | no |
//! | `certify.rs` | from a claim to its certificate | no |
//! | `answers.rs` | the same search for answers: all, or the best | no |
//!
//! Where files are given, clingo's parser and grounder are trusted too, and what reads a board and writes its facts.

mod answers;
mod binding;
mod certify;
mod claim;
mod completion;
mod refute;
mod sources;
mod text;
mod verify;
mod veripb;

pub use answers::{Asked, Ended, answers};
pub use certify::{Certify, Contradiction, certify, projected_of, shown_of};
pub use claim::{Bound, Claim, Shown};
pub use completion::Completion;
pub use refute::{Outcome, Search};
pub use text::{TITLE, read, write_head, write_steps};
pub use verify::{Step, verify};
pub use veripb::{VeriPb, export};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::asp::{Checked, Flaw, Ground, check_answer};

/// A certificate as it was read.
#[derive(Debug, Default)]
pub struct Certificate {
    pub ground: Ground,
    pub shown: Shown,
    pub claim: Claim,
    pub steps: Vec<Step>,
    /// The number of the first clause that a step adds.
    pub first: Option<u32>,
}

impl Certificate {
    /// Checks that the listed answers are answers, that they differ and that there are no others. Returns the number of
    /// steps.
    ///
    /// # Errors
    /// What is wrong.
    pub fn check(&self) -> Result<usize, String> {
        let completion = denied(&self.ground, &self.shown, &self.claim)?;
        let next = completion.clauses.len() as u32 + 1;
        if let Some(first) = self.first.filter(|&first| first != next) {
            return Err(format!("the first step adds clause {first}; the program has {} clauses", next - 1));
        }
        answers_are(&self.ground, &self.shown, &self.claim)?;
        match verify(&self.ground, &completion, &self.steps)? {
            count if count == self.steps.len() => Ok(count),
            count => Err(format!("step {}: comes after the empty clause", count + 1)),
        }
    }

    /// What each answer shows.
    pub fn words(&self) -> Vec<Vec<&str>> {
        let terms: Vec<&str> = self.shown.keys().map(String::as_str).collect();
        let words = |answer: &Vec<u32>| shown_by(&self.shown, answer).into_iter().map(|place| terms[place as usize]);
        self.claim.answers.iter().map(|answer| words(answer).collect()).collect()
    }
}

/// The clauses that are to be refuted.
pub fn denied(ground: &Ground, shown: &Shown, claim: &Claim) -> Result<Completion, String> {
    let mut completion = Completion::of(ground, shown)?;
    claim.deny(ground, shown, &mut completion)?;
    Ok(completion)
}

/// Checks that the listed answers are answer sets, that they cost as much as the bound, and that no two are the same: by all
/// atoms, or by what they show if the claim is about that.
pub fn answers_are(ground: &Ground, shown: &Shown, claim: &Claim) -> Result<(), String> {
    let last = ground.last_atom();
    for (number, answer) in (1..).zip(&claim.answers) {
        let costs = claim.bound.as_ref().map_or(&[][..], |bound| &bound.costs);
        let holding: FxHashSet<u32> = answer.iter().copied().collect();
        let wrong = |why: String| Err(format!("answer {number} is not an answer set: {why}"));
        if let Some(pair) = answer.windows(2).find(|pair| pair[0] >= pair[1]) {
            let what = if pair[0] == pair[1] { "is listed twice" } else { "is not in ascending order" };
            return Err(format!("answer {number}: the atom {} {what}", pair[1]));
        }
        if let Some(atom) = answer.iter().find(|&&atom| atom > last || atom == 0) {
            return wrong(format!("{atom} is no atom"));
        }
        let holds = |literal: i32| holding.contains(&literal.unsigned_abs()) == (literal > 0);
        if let Some(literal) = ground.assumed.iter().find(|literal| !holds(**literal)) {
            return wrong(format!("the literal {literal}, which is assumed, does not hold"));
        }
        match check_answer(ground, |atom| holding.contains(&atom), costs) {
            Ok(Checked::Wholly) => {}
            Ok(Checked::ButForMinimality) => return wrong("its minimality was not decided".to_owned()),
            Err(Flaw::Costs { said, are }) => {
                return Err(format!("answer {number} costs {are:?}, but the claim says {said:?}"));
            }
            Err(flaw) => return wrong(flaw.to_string()),
        }
    }
    if claim.bound.is_some() && claim.answers.is_empty() {
        return Err("no answer is listed that costs as much as the bound".to_owned());
    }
    match claim.is_of_shown {
        true => all_differ(claim.answers.iter().map(|answer| shown_by(shown, answer)), "show the same"),
        false => all_differ(&claim.answers, "are the same"),
    }
}

/// The places of the terms that an answer shows.
fn shown_by(shown: &Shown, answer: &[u32]) -> Vec<u32> {
    let holding: FxHashSet<u32> = answer.iter().copied().collect();
    let holds = |literal: &i32| holding.contains(&literal.unsigned_abs()) == (*literal > 0);
    let is_shown = |conditions: &[Vec<i32>]| conditions.iter().any(|condition| condition.iter().all(holds));
    (0..).zip(shown.values()).filter(|(_, conditions)| is_shown(conditions)).map(|(place, _)| place).collect()
}

fn all_differ<T: std::hash::Hash + Eq>(answers: impl IntoIterator<Item = T>, what: &str) -> Result<(), String> {
    let mut numbers = FxHashMap::default();
    for (number, answer) in (1..).zip(answers) {
        if let Some(before) = numbers.insert(answer, number) {
            return Err(format!("the answers {before} and {number} {what}"));
        }
    }
    Ok(())
}
