//! Certifies a claim: searches for a proof, checks its steps, and writes the certificate.

use base::diagnostic::{Code, Diagnostic, Failure};
use base::stop::CancelToken;
use certificate::{Claim, check_listed_answers, negated_claim_of, verify, write_head, write_steps};
use ground::{Completion, GroundProgram, ShownTerms, check_answer, holds_in};
use rustc_hash::{FxHashMap, FxHashSet};

use super::refute::{CdclOutcome, CdclSolver};
use super::veripb::export;
use crate::Certification;

/// The extent to which proven claims are certified.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CertifyMode {
    No,
    /// Certifies the unique solution of a puzzle's board, within `MAX_WORK`. That limit is not in
    /// seconds, so that every machine certifies the same boards.
    #[default]
    IfCheap,
    Check,
    /// Checks the proof and writes the certificate.
    Write,
    /// Checks the proof and writes a formula and a proof for VeriPB.
    WriteVeriPb,
}

impl CertifyMode {
    /// Returns true if the user requested certification.
    pub fn is_requested(self) -> bool {
        !matches!(self, CertifyMode::No | CertifyMode::IfCheap)
    }
}

/// Limits of [`CertifyMode::IfCheap`]: literals of the ground program, and watches that the solver
/// visits (15,000 to 20,000 per millisecond). Together they allow 0.2 s at most, or less than the
/// grounding of a large program takes.
const MAX_LITERALS: usize = 300_000;
const MAX_WORK: u64 = 3_000_000;

/// Returns the shown terms of a program with their conditions.
pub fn shown_terms(ground: &GroundProgram) -> ShownTerms {
    let mut shown = ShownTerms::new();
    for (term, condition) in &ground.outputs {
        shown.entry(term.clone()).or_default().push(condition.clone());
    }
    shown
}

/// Returns the atoms of `#project` as shown terms: by name, or by number if no name stands for
/// exactly this atom.
pub fn projected_terms(ground: &GroundProgram, atoms: &[u32]) -> ShownTerms {
    let names: FxHashMap<u32, String> = shown_terms(ground)
        .into_iter()
        .filter_map(|(text, conditions)| match &conditions[..] {
            [condition] => Some((u32::try_from(*condition.first().filter(|_| condition.len() == 1)?).ok()?, text)),
            _ => None,
        })
        .collect();
    let name = |atom: u32| names.get(&atom).cloned().unwrap_or_else(|| format!("#{atom}"));
    atoms.iter().map(|&atom| (name(atom), vec![vec![atom as i32]])).collect()
}

/// Searches for a certificate of a claim and checks it. `of` names the claim in the output.
///
/// # Errors
/// A contradiction of the claim.
pub fn certify(
    ground: &GroundProgram,
    shown: &ShownTerms,
    claim: &Claim,
    of: &'static str,
    mode: CertifyMode,
    stop: &CancelToken,
) -> Result<Certification, Contradiction> {
    certify_completed(ground, shown, || Completion::of(ground, shown), (claim, of), mode, stop)
}

/// Certifies a claim like [`certify`], with given clauses of the program. Boards that share clauses
/// pass a copy after [`Completion::fix_externals`]. `claim` is the claim and its name.
///
/// # Errors
/// A contradiction of the claim.
pub fn certify_completed(
    ground: &GroundProgram,
    shown: &ShownTerms,
    completion: impl FnOnce() -> Result<Completion, String>,
    (claim, of): (&Claim, &'static str),
    mode: CertifyMode,
    stop: &CancelToken,
) -> Result<Certification, Contradiction> {
    let not_certified = |why: &str| Ok(Certification::uncertified(of, why));
    let is_cheap = mode == CertifyMode::IfCheap;
    let literals = || ground.rules.iter().map(|rule| rule.head.len() + rule.body.len()).sum::<usize>();
    if is_cheap && literals() > MAX_LITERALS {
        return not_certified("the program is large");
    }
    let completion = match completion().and_then(|program| negated_claim_of(program, ground, shown, claim)) {
        Ok(completion) => completion,
        Err(why) => return not_certified(&why),
    };
    let is_stopped = || stop.requested();
    let gave_up = || not_certified(is_stopped().map_or("the search for a proof was given up", |reason| reason.words()));
    if is_stopped().is_some() {
        return gave_up();
    }
    let mut should_stop = |work: u64| is_stopped().is_some() || is_cheap && work > MAX_WORK;
    let steps = match CdclSolver::new(ground, &completion).run(&mut should_stop) {
        CdclOutcome::Refuted(steps) => steps,
        CdclOutcome::GaveUp => return gave_up(),
        CdclOutcome::Answer(atoms) => return Err(Contradiction::MissedAnswer(shown_text(ground, &atoms))),
    };
    let in_time = steps.iter().take_while(|_| is_stopped().is_none());
    let checked = check_listed_answers(ground, shown, claim).and_then(|()| verify(ground, &completion, in_time));
    let count = match checked {
        Ok(count) => count,
        Err(_) if is_stopped().is_some() => return gave_up(),
        Err(_) if let Some(why) = first_flaw(ground, claim) => return Err(Contradiction::NotAnAnswer(why)),
        Err(why) => return Ok(Certification { checked: Some(false), ..Certification::uncertified(of, why) }),
    };
    let mut certified =
        Certification { claim: of, checked: Some(true), steps: Some(count), why: None, text: None, formula: None };
    if mode == CertifyMode::WriteVeriPb {
        let exported = export(ground, &completion, &steps).expect("the steps were verified");
        (certified.text, certified.formula) = (Some(exported.proof.into()), Some(exported.formula.into()));
    }
    if mode == CertifyMode::Write {
        let mut text = Vec::new();
        write_head(&mut text, ground, shown, claim)
            .and_then(|()| write_steps(&mut text, completion.clauses.len() as u32 + 1, &steps[..count]))
            .expect("memory can be written");
        certified.text = Some(String::from_utf8(text).expect("a certificate is text").into());
    }
    Ok(certified)
}

/// A contradiction of a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Contradiction {
    /// The shown terms of an answer set that the claim excludes.
    MissedAnswer(String),
    /// A listed answer is not an answer set, or has another cost; the text gives the reason.
    NotAnAnswer(String),
}

/// Returns the reason why a listed answer is not an answer set; `None` if none of them is refuted.
fn first_flaw(ground: &GroundProgram, claim: &Claim) -> Option<String> {
    let costs = claim.bound.as_ref().map_or(&[][..], |bound| &bound.costs);
    claim.answers.iter().find_map(|answer| {
        let true_atoms: FxHashSet<u32> = answer.iter().copied().collect();
        Some(check_answer(ground, |atom| true_atoms.contains(&atom), costs).err()?.to_string())
    })
}

fn shown_text(ground: &GroundProgram, atoms: &[u32]) -> String {
    let holds = |literal: &i32| holds_in(*literal, |atom| atoms.binary_search(&atom).is_ok());
    let shown = ground.outputs.iter().filter(|(_, condition)| condition.iter().all(holds));
    let words: Vec<&str> = shown.map(|(term, _)| &**term).collect();
    if words.is_empty() { "one that shows nothing".to_owned() } else { words.join(" ") }
}

/// Blames clingo, which usually made the claim.
impl From<Contradiction> for Failure {
    fn from(contradiction: Contradiction) -> Self {
        let text = match contradiction {
            Contradiction::MissedAnswer(what) => format!("clingo missed an answer that passes the check: {what}"),
            Contradiction::NotAnAnswer(why) => format!("an answer of clingo does not pass the check: {why}"),
        };
        Diagnostic::error(Code::RejectedClaim, text).help("do not trust the results of clingo for this program").into()
    }
}
