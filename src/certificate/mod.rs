//! Certificates: that there is no answer but those that are known, by steps that are easy to check.
//!
//! | file | what it holds | trusted |
//! |---|---|---|
//! | `completion.rs` | a ground program as clauses | yes |
//! | `claim.rs` | what is claimed, and its opposite as clauses | yes |
//! | `verify.rs` | the checker of steps | yes |
//! | `text.rs` | certificates as text | where one is read |
//! | `veripb.rs` | proofs for VeriPB | no |
//! | `refute.rs`, `sources.rs` | the search that writes the steps | no |
//! | `certify.rs` | from a claim to its certificate | no |
//! | `answers.rs` | the same search for answers: all, or the best | no |

mod answers;
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

use crate::asp::{Checked, Ground, check_answer};

/// A certificate as it was read.
#[derive(Debug, Default)]
pub struct Certificate {
    pub ground: Ground,
    pub shown: Shown,
    pub claim: Claim,
    pub steps: Vec<Step>,
    /// The number of the first clause that a step adds; 0 without one.
    pub first: u32,
}

impl Certificate {
    /// Checks that the answers are answers, and that there are no others; gives the number of steps that were needed.
    ///
    /// # Errors
    /// What is wrong.
    pub fn check(&self) -> Result<usize, String> {
        let completion = denied(&self.ground, &self.shown, &self.claim)?;
        let wanted = completion.clauses.len() as u32 + 1;
        if ![0, wanted].contains(&self.first) {
            return Err(format!("the first step adds clause {}; the program has {} clauses", self.first, wanted - 1));
        }
        answers_are(&self.ground, &self.claim)?;
        verify(&self.ground, &completion, &self.steps)
    }
}

/// The clauses that are to be refuted.
pub fn denied(ground: &Ground, shown: &Shown, claim: &Claim) -> Result<Completion, String> {
    let mut completion = Completion::of(ground, shown)?;
    claim.deny(ground, shown, &mut completion)?;
    Ok(completion)
}

/// That the answers of a claim are answer sets, and cost what the bound says.
pub fn answers_are(ground: &Ground, claim: &Claim) -> Result<(), String> {
    let last = ground.last_atom();
    for (number, answer) in (1..).zip(&claim.answers) {
        let costs = claim.bound.as_ref().map_or(&[][..], |bound| &bound.costs);
        let holding: rustc_hash::FxHashSet<u32> = answer.iter().copied().collect();
        let wrong = |why: String| Err(format!("answer {number} is none: {why}"));
        if let Some(atom) = answer.iter().find(|atom| **atom > last) {
            return wrong(format!("{atom} is no atom"));
        }
        let holds = |literal: i32| holding.contains(&literal.unsigned_abs()) == (literal > 0);
        if let Some(literal) = ground.assumed.iter().find(|literal| !holds(**literal)) {
            return wrong(format!("the literal {literal}, which is assumed, does not hold"));
        }
        match check_answer(ground, |atom| holding.contains(&atom), costs) {
            Ok(Checked::Wholly) => {}
            Ok(Checked::ButForMinimality) => return wrong("its minimality was not decided".to_owned()),
            Err(flaw) => return wrong(flaw.to_string()),
        }
    }
    match &claim.bound {
        Some(_) if claim.answers.is_empty() => Err("no answer is listed that costs as much as the bound".to_owned()),
        _ => Ok(()),
    }
}

impl Certificate {
    /// What each answer shows.
    pub fn words(&self) -> Vec<Vec<&str>> {
        let shows = |answer: &Vec<u32>| {
            let holding: rustc_hash::FxHashSet<u32> = answer.iter().copied().collect();
            let holds = |literal: &i32| holding.contains(&literal.unsigned_abs()) == (*literal > 0);
            let is_shown = |conditions: &Vec<Vec<i32>>| conditions.iter().any(|condition| condition.iter().all(holds));
            let shown = self.shown.iter().filter(|(_, conditions)| is_shown(conditions));
            shown.map(|(text, _)| text.as_str()).collect()
        };
        self.claim.answers.iter().map(shows).collect()
    }
}
