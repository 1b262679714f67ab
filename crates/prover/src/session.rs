//! Searches cubes of one program, one after the other, and proves that each has no answers but those found. A
//! search uses what those before it derived, so that nothing is derived twice.

use std::borrow::Cow;
use std::ops::ControlFlow;

use base::stop::CancelToken;
use certificate::{Claim, ProofStep, SectionChecker, write_cube, write_head, write_steps};
use ground::{GroundProgram, ShownTerms};

use super::refute::{CdclOutcome, CdclSolver};
use crate::CertifyMode;

/// The proofs of one program so far.
pub struct ProofSession {
    ground: GroundProgram,
    shown: ShownTerms,
    /// The claim without answers.
    scope: Claim,
    solver: CdclSolver<'static>,
    checker: SectionChecker<'static>,
    is_first: bool,
}

impl ProofSession {
    /// Starts a session for claims about all answers, told apart by the shown terms or by all atoms.
    ///
    /// # Errors
    /// The reason why the program has no translation.
    pub fn new(ground: GroundProgram, shown: ShownTerms, projects_to_shown: bool) -> Result<Self, String> {
        let scope = Claim { projects_to_shown, ..Claim::default() };
        let checker = SectionChecker::new(Cow::Owned(ground.clone()), Cow::Owned(shown.clone()), scope.clone())?;
        let solver = CdclSolver::owning(ground.clone(), checker.completion());
        Ok(ProofSession { ground, shown, scope, solver, checker, is_first: true })
    }

    /// Searches a cube, and calls `on_answer` with the true atoms of each answer until it breaks. Writes the
    /// certificate if `mode` says so.
    pub fn search(
        &mut self,
        cube: &[i32],
        mode: CertifyMode,
        stop: &CancelToken,
        on_answer: &mut dyn FnMut(&[u32]) -> ControlFlow<()>,
    ) -> SearchedCube {
        self.solver.restart();
        if let Err(why) = self.checker.begin(cube, &[]) {
            return SearchedCube::Refused(why);
        }
        let mut has_answers = false;
        let mut steps = loop {
            if self.checker.is_refuted() {
                break Vec::new();
            }
            match self.solver.run_under(cube, &mut |_| stop.requested().is_some()) {
                CdclOutcome::Refuted(steps) => break steps,
                CdclOutcome::GaveUp => return SearchedCube::GaveUp { is_over: has_answers },
                CdclOutcome::Answer(atoms) => {
                    if on_answer(&atoms).is_break() {
                        // The steps so far become part of the next section, but not the answers of this cube.
                        return SearchedCube::Broken { is_over: has_answers };
                    }
                    has_answers = true;
                    match self.checker.difference(&atoms) {
                        Ok(Some(clause)) => self.solver.exclude_answer(atoms, &clause),
                        Ok(None) => return SearchedCube::Refused("an answer differs from itself".to_owned()),
                        Err(why) => return SearchedCube::Refused(why),
                    }
                }
            }
        };
        let first_clause = self.checker.next_clause() as u32;
        let mut checked = 0;
        // The checker may see before the solver that a clause is empty.
        while checked < steps.len() && !self.checker.is_refuted() {
            if stop.requested().is_some() {
                return SearchedCube::GaveUp { is_over: true };
            }
            if let Err(why) = self.checker.apply(&steps[checked]) {
                return SearchedCube::Refused(why);
            }
            checked += 1;
        }
        steps.truncate(checked);
        if let Err(why) = self.checker.finish() {
            return SearchedCube::Refused(why);
        }
        let count = steps.iter().filter(|step| !matches!(step, ProofStep::Answer { .. })).count();
        let text = (mode == CertifyMode::Write).then(|| {
            let mut text = Vec::new();
            let is_first = std::mem::replace(&mut self.is_first, false);
            let head = if is_first { write_head(&mut text, &self.ground, &self.shown, &self.scope) } else { Ok(()) };
            head.and_then(|()| write_cube(&mut text, cube, &[]))
                .and_then(|()| write_steps(&mut text, first_clause, &steps))
                .expect("memory can be written");
            String::from_utf8(text).expect("a certificate is text")
        });
        SearchedCube::Proven { steps: count, text }
    }
}

/// The result of a search.
#[derive(Debug)]
pub enum SearchedCube {
    /// The cube has no answers but those found. The text is a section of a certificate, after the program if it is
    /// the first one.
    Proven { steps: usize, text: Option<String> },
    /// The callback ended the search. If the session is over, no other cube can be searched.
    Broken { is_over: bool },
    /// The search was stopped, or the minimality of an answer was not decided in time.
    GaveUp { is_over: bool },
    /// The checker refuses the proof. The session is over.
    Refused(String),
}
