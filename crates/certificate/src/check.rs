//! The check of a whole certificate: its listed answers, then its steps.
//!
//! This file is trusted.

use std::borrow::Cow;
use std::ops::Range;

use ground::{AnswerCheck, Completion, FastMap, FastSet, Flaw, GroundProgram, ShownTerms, check_answer, holds_in};

use super::claim::{Claim, Differences};
use super::verify::{ProofStep, Verifier};

/// A certificate, as read from its text.
#[derive(Debug, Default)]
pub struct Certificate {
    pub ground: GroundProgram,
    pub shown: ShownTerms,
    /// The claim, with the answers of all sections.
    pub claim: Claim,
    /// The proof; in several sections if it is a proof about cubes.
    pub sections: Vec<Section>,
}

/// A part of a certificate: a proof that the cube has no answers but its own. It may use the clauses of all
/// sections before it.
#[derive(Debug, Default)]
pub struct Section {
    /// The literals that the claim assumes.
    pub cube: Vec<i32>,
    /// The places of its answers in the claim. Those among the steps come last.
    pub answers: Range<usize>,
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
        let Certificate { ground, shown, claim, sections } = self;
        let scope = Claim { answers: Vec::new(), ..claim.clone() };
        let mut checker = SectionChecker::new(Cow::Borrowed(ground), Cow::Borrowed(shown), scope)?;
        for Section { cube, answers, steps, first_clause } in sections {
            let is_answer = |step: &&ProofStep| matches!(step, ProofStep::Answer { .. });
            let first = answers.start..answers.end - steps.iter().filter(is_answer).count();
            checker.begin(cube, &claim.answers[first])?;
            let next = checker.next_clause();
            if let Some(first) = first_clause.filter(|&first| first as usize != next) {
                return Err(format!("the first step adds clause {first}; the program has {} clauses", next - 1));
            }
            steps.iter().try_for_each(|step| checker.apply(step))?;
            checker.finish()?;
        }
        Ok(checker.steps)
    }

    /// Returns true if the claim is about cubes.
    pub fn has_cubes(&self) -> bool {
        self.sections.len() > 1 || self.sections.iter().any(|section| !section.cube.is_empty())
    }

    /// Returns the shown terms of each answer.
    pub fn shown_terms(&self) -> Vec<Vec<&str>> {
        let terms: Vec<&str> = self.shown.keys().map(String::as_str).collect();
        let words =
            |answer: &Vec<u32>| shown_indices(&self.shown, answer).into_iter().map(|place| terms[place as usize]);
        self.claim.answers.iter().map(|answer| words(answer).collect()).collect()
    }
}

/// Checks the sections of a certificate, one after the other.
///
/// An answer set that no section has listed so far satisfies all clauses: those of the program, those that
/// exclude the listed answers, and those that the steps derived. If one of them says that some literal of the cube
/// does not hold, the cube has no answer but the listed ones.
#[derive(Debug)]
pub struct SectionChecker<'a> {
    verifier: Verifier<'a>,
    shown: Cow<'a, ShownTerms>,
    /// The claim without answers.
    scope: Claim,
    differences: Differences,
    is_refuted: bool,
    /// The cube of the current section.
    cube: Vec<i32>,
    /// What tells its answers apart: their atoms, or the indices of their shown terms.
    listed: FastSet<Vec<u32>>,
    /// The number of checked steps.
    steps: usize,
}

impl<'a> SectionChecker<'a> {
    /// Starts with the clauses of the program. `scope` is a claim without answers.
    ///
    /// # Errors
    /// The reason why the program or the claim has no translation.
    pub fn new(
        ground: Cow<'a, GroundProgram>,
        shown: Cow<'a, ShownTerms>,
        scope: Claim,
    ) -> Result<SectionChecker<'a>, String> {
        let mut completion = Completion::of(&ground, &shown)?;
        let differences = scope.assert_scope(&ground, &shown, &mut completion)?;
        let is_refuted = completion.clauses.iter().any(|clause| clause.is_empty());
        let verifier = Verifier::new(ground, Cow::Owned(completion));
        Ok(SectionChecker {
            verifier,
            shown,
            scope,
            differences,
            is_refuted,
            cube: Vec::new(),
            listed: FastSet::default(),
            steps: 0,
        })
    }

    /// The clauses of the program.
    pub fn completion(&self) -> &Completion {
        self.verifier.completion()
    }

    /// The number of the next clause.
    pub fn next_clause(&self) -> usize {
        self.verifier.next_clause()
    }

    /// Returns true if the empty clause was derived: there are no other answers at all.
    pub fn is_refuted(&self) -> bool {
        self.is_refuted
    }

    /// Begins the section about a cube, with its answers that are listed before the steps.
    ///
    /// # Errors
    /// The first wrong answer, or the reason why the claim has no clauses.
    pub fn begin(&mut self, cube: &[i32], answers: &[Vec<u32>]) -> Result<(), String> {
        if self.scope.bound.is_some() && !cube.is_empty() {
            return Err("a claim about costs has no cubes".to_owned());
        }
        let has_atom = |literal: &&i32| self.completion().supports.contains_key(&literal.unsigned_abs());
        if let Some(literal) = cube.iter().find(|literal| !has_atom(literal)) {
            return Err(format!("the literal {literal} of the cube is of no atom"));
        }
        self.cube = cube.to_vec();
        self.listed.clear();
        self.add_answers(answers)
    }

    /// Returns the clause that something differs from an answer.
    ///
    /// # Errors
    /// The clause is too large.
    pub fn difference(&self, answer: &[u32]) -> Result<Option<Box<[i32]>>, String> {
        let clauses = self.differences.of(&[answer.to_vec()], &self.shown)?;
        Ok(clauses.into_iter().next().and_then(|clause| Completion::normalize(clause, self.completion().true_var)))
    }

    /// Checks answers of the cube, and adds clauses that exclude them.
    fn add_answers(&mut self, answers: &[Vec<u32>]) -> Result<(), String> {
        let clauses = self.differences.of(answers, &self.shown)?;
        let claim = Claim { answers: answers.to_vec(), ..self.scope.clone() };
        check_listed_answers(self.verifier.ground(), &self.shown, &claim)?;
        for (number, answer) in (1..).zip(answers) {
            let holds = |literal: i32| holds_in(literal, |atom| answer.binary_search(&atom).is_ok());
            if let Some(literal) = self.cube.iter().find(|literal| !holds(**literal)) {
                return Err(format!("answer {number}: the literal {literal} of the cube does not hold"));
            }
            let projects = self.scope.projects_to_shown;
            if !self.listed.insert(if projects { shown_indices(&self.shown, answer) } else { answer.clone() }) {
                return Err("two answers of the cube are the same, or show the same".to_owned());
            }
        }
        for clause in clauses {
            self.verifier.add_claimed(clause);
            self.is_refuted |= self.verifier.last_clause().is_some_and(<[i32]>::is_empty);
        }
        Ok(())
    }

    /// Checks a step.
    ///
    /// # Errors
    /// The number of the step, and what is wrong with it.
    pub fn apply(&mut self, step: &ProofStep) -> Result<(), String> {
        if let ProofStep::Answer { atoms } = step {
            return self.add_answers(&[atoms.to_vec()]);
        }
        self.steps += 1;
        if self.is_refuted {
            return Err(format!("step {}: comes after the empty clause", self.steps));
        }
        self.is_refuted = self.verifier.apply(step).map_err(|why| format!("step {}: {why}", self.steps))?;
        Ok(())
    }

    /// Checks that the last clause excludes further answers of the cube.
    ///
    /// # Errors
    /// It does not.
    pub fn finish(&self) -> Result<(), String> {
        let excludes = |clause: &[i32]| clause.iter().all(|literal| self.cube.contains(&-literal));
        match self.is_refuted || self.verifier.last_clause().is_some_and(excludes) {
            true => Ok(()),
            false if self.cube.is_empty() => Err("the steps do not lead to the empty clause".to_owned()),
            false => Err("the steps do not lead to a clause that the cube contradicts".to_owned()),
        }
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
