//! The certificate of a whole, from the certificates of its parts.
//!
//! This file is trusted. A part is a certificate of the program under assumptions, or a section of one:
//! about a cube. If the cubes cover all cases, each answer of the program is an answer of a part.

use std::collections::BTreeSet;

use ground::GroundProgram;

use super::check::{Certificate, Section};
use super::claim::Claim;

/// The checked parts of a certificate.
#[derive(Debug, Default)]
pub struct CertificateParts {
    /// The program without assumptions, its shown terms, and whether answers are compared by these terms.
    whole: Option<Certificate>,
    parts: Vec<Part>,
    steps: usize,
}

/// A checked part.
#[derive(Debug)]
struct Part {
    cube: Vec<i32>,
    claim: Claim,
    /// The key by which each answer is compared: its shown terms or its atoms.
    keys: Vec<Vec<u8>>,
}

impl CertificateParts {
    /// Checks the certificate of a part, or of several in sections, and adds it.
    ///
    /// # Errors
    /// Describes the first defect of the part.
    pub fn add(&mut self, part: Certificate) -> Result<(), String> {
        let projects_to_shown = part.claim.projects_to_shown;
        if let Some(whole) = &self.whole {
            if !is_same_program(&part.ground, &whole.ground) || part.shown != whole.shown {
                return Err("its program is not that of the first part".to_owned());
            }
            if projects_to_shown != whole.claim.projects_to_shown {
                return Err("it tells answers apart in another way than the first part".to_owned());
            }
        }
        self.steps += part.check()?;
        let keys: Vec<Vec<u8>> = if projects_to_shown {
            // Blanks occur in terms only within quotes.
            part.shown_terms().into_iter().map(|terms| terms.join(" ").into_bytes()).collect()
        } else {
            part.claim.answers.iter().map(|atoms| atoms.iter().flat_map(|atom| atom.to_be_bytes()).collect()).collect()
        };
        let Certificate { mut ground, shown, claim, sections } = part;
        let assumed = std::mem::take(&mut ground.assumed);
        for Section { cube, answers, .. } in sections {
            let cube = [&assumed[..], &cube].concat();
            let claim = Claim { answers: claim.answers[answers.clone()].to_vec(), ..claim.clone() };
            self.parts.push(Part { cube, claim, keys: keys[answers].to_vec() });
        }
        let claim = Claim { projects_to_shown, ..Claim::default() };
        self.whole.get_or_insert(Certificate { ground, shown, claim, sections: Vec::new() });
        Ok(())
    }

    /// The number of parts so far.
    pub fn count(&self) -> usize {
        self.parts.len()
    }

    /// Checks that the parts cover all cases. Returns the program with the whole claim, without steps,
    /// and the number of steps of all parts.
    ///
    /// # Errors
    /// The first case that is not covered, or the reason why the claims do not make one.
    pub fn finish(self) -> Result<(Certificate, usize), String> {
        let whole = self.whole.ok_or("there are no parts")?;
        check_cover(self.parts.iter().map(|part| &*part.cube))?;
        let claim = whole_claim(&self.parts, whole.claim.projects_to_shown)?;
        Ok((Certificate { claim, ..whole }, self.steps))
    }
}

/// Compares all of a program that a certificate states, except the assumptions.
fn is_same_program(one: &GroundProgram, other: &GroundProgram) -> bool {
    one.rules == other.rules
        && one.costs == other.costs
        && one.externals == other.externals
        && one.edges == other.edges
        && one.has_theory == other.has_theory
}

/// Checks that each interpretation satisfies all literals of some cube. If two cubes differ only in
/// the sign of their last literal, together they cover what the literals before it cover; and so on,
/// until a cube without literals covers everything.
fn check_cover<'c>(cubes: impl Iterator<Item = &'c [i32]>) -> Result<(), String> {
    // The longest first, so that a pair is complete before it is replaced.
    let mut open: BTreeSet<(usize, Vec<i32>)> = cubes.map(|cube| (cube.len(), cube.to_vec())).collect();
    while let Some((length, cube)) = open.pop_last() {
        let Some((last, before)) = cube.split_last() else { return Ok(()) };
        let sibling: Vec<i32> = before.iter().copied().chain([-last]).collect();
        if open.remove(&(length, sibling.clone())) {
            open.insert((length - 1, before.to_vec()));
        } else if !(0..length).any(|end| open.contains(&(end, cube[..end].to_vec()))) {
            let literals: Vec<String> = sibling.iter().map(ToString::to_string).collect();
            return Err(format!("no part has the assumptions {}", literals.join(" ")));
        }
    }
    Err("there are no parts".to_owned())
}

/// Returns what the claims of all parts say about the whole: all answers of the parts or, if they have
/// bounds, those of the least costs.
fn whole_claim(parts: &[Part], projects_to_shown: bool) -> Result<Claim, String> {
    let bounds = || parts.iter().filter_map(|part| part.claim.bound.as_ref());
    let least = bounds().min_by(|one, other| one.costs.cmp(&other.costs));
    let is_without_costs = |part: &Part| part.claim.bound.is_none() && !part.claim.answers.is_empty();
    if let Some(least) = least
        && (parts.iter().any(is_without_costs) || bounds().any(|bound| bound.is_strict != least.is_strict))
    {
        return Err("the claims of the parts are of different kinds".to_owned());
    }
    let mut claim = Claim { answers: Vec::new(), projects_to_shown, bound: least.cloned() };
    let mut known = BTreeSet::new();
    for part in parts.iter().filter(|part| part.claim.bound.as_ref() == least) {
        // Two parts may list the same answer if answers are compared by shown terms.
        let answers = part.claim.answers.iter().zip(&part.keys);
        claim.answers.extend(answers.filter(|(_, key)| known.insert(*key)).map(|(answer, _)| answer.clone()));
    }
    Ok(claim)
}
