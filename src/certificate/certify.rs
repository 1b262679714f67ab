//! From a claim to what there is to say of it: the search, the check of its steps, and the certificate as a text.

use rustc_hash::{FxHashMap, FxHashSet};

use super::claim::{Claim, Shown};
use super::{Outcome, Search, answers_are, denied, export, verify, write_head, write_steps};
use crate::asp::{self, Ground, check_answer};
use crate::diagnostic::{Diagnostic, Failure};
use crate::ending::Certified;
use crate::stop::Stop;

/// Whether what is proven is certified by a proof that is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Certify {
    No,
    /// Where a puzzle's board is said to have one solution, and it costs little. It is counted in `MOST_WORK`, not in
    /// seconds, so that the same is certified on every machine.
    #[default]
    IfCheap,
    Check,
    /// The certificate is written, too.
    Write,
    /// The same as a formula and a proof for VeriPB.
    WriteVeriPb,
}

impl Certify {
    /// Somebody asked for it.
    pub fn is_asked(self) -> bool {
        !matches!(self, Certify::No | Certify::IfCheap)
    }
}

/// What is cheap: so many literals of the ground program, and watches that the search looks at (15,000 to 20,000 in a
/// millisecond). It takes 0.2 s at the most, or less than the grounding of a large program.
const MOST_LITERALS: usize = 300_000;
const MOST_WORK: u64 = 3_000_000;

/// What a program shows, and where.
pub fn shown_of(ground: &Ground) -> Shown {
    let mut shown = Shown::new();
    for (symbol, condition) in &ground.outputs {
        shown.entry(asp::to_text(*symbol)).or_default().push(condition.clone());
    }
    shown
}

/// The same for the atoms of `#project`: by their own names, or by their numbers where a name means something else, too.
pub fn projected_of(ground: &Ground, atoms: &[u32]) -> Shown {
    let names: FxHashMap<u32, String> = shown_of(ground)
        .into_iter()
        .filter_map(|(text, conditions)| match &conditions[..] {
            [condition] => Some((u32::try_from(*condition.first().filter(|_| condition.len() == 1)?).ok()?, text)),
            _ => None,
        })
        .collect();
    let name = |atom: u32| names.get(&atom).cloned().unwrap_or_else(|| format!("#{atom}"));
    atoms.iter().map(|&atom| (name(atom), vec![vec![atom as i32]])).collect()
}

/// Makes and checks the certificate of a claim. What is cheap at most, and is not certified, is nothing to talk about.
///
/// # Errors
/// What contradicts the claim.
pub fn certify(
    ground: &Ground,
    shown: &Shown,
    claim: &Claim,
    of: &'static str,
    how: Certify,
    stop: &Stop,
) -> Result<Certified, Contradiction> {
    let not = |why: &str| Ok(Certified::not(of, why));
    let is_cheap = how == Certify::IfCheap;
    let literals = || ground.rules.iter().map(|rule| rule.head.len() + rule.body.len()).sum::<usize>();
    if is_cheap && literals() > MOST_LITERALS {
        return not("the program is large");
    }
    let completion = match denied(ground, shown, claim) {
        Ok(completion) => completion,
        Err(why) => return not(&why),
    };
    let is_stopped = || stop.requested();
    let gave_up = || not(is_stopped().map_or("the search for a proof was given up", |reason| reason.words()));
    if is_stopped().is_some() {
        return gave_up();
    }
    let mut is_enough = |work: u64| is_stopped().is_some() || is_cheap && work > MOST_WORK;
    let steps = match Search::new(ground, &completion).run(&mut is_enough) {
        Outcome::Refuted(steps) => steps,
        Outcome::GaveUp => return gave_up(),
        Outcome::Answer(atoms) => return Err(Contradiction::Missed(shown_where(ground, &atoms))),
    };
    let in_time = steps.iter().take_while(|_| is_stopped().is_none());
    let checked = answers_are(ground, shown, claim).and_then(|()| verify(ground, &completion, in_time));
    let count = match checked {
        Ok(count) => count,
        Err(_) if is_stopped().is_some() => return gave_up(),
        Err(_) if let Some(why) = flaw_of(ground, claim) => return Err(Contradiction::NotAnAnswer(why)),
        Err(why) => return Ok(Certified { checked: Some(false), ..Certified::not(of, why) }),
    };
    let mut certified = Certified { of, checked: Some(true), steps: count, why: None, text: None, formula: None };
    if how == Certify::WriteVeriPb {
        let exported = export(ground, &completion, &steps).expect("the steps were verified");
        (certified.text, certified.formula) = (Some(exported.proof.into()), Some(exported.formula.into()));
    }
    if how == Certify::Write {
        let mut text = Vec::new();
        write_head(&mut text, ground, shown, claim)
            .and_then(|()| write_steps(&mut text, completion.clauses.len() as u32 + 1, &steps[..count]))
            .expect("memory can be written");
        certified.text = Some(String::from_utf8(text).expect("a certificate is text").into());
    }
    Ok(certified)
}

/// What contradicts a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Contradiction {
    /// An answer that it excludes: what it shows.
    Missed(String),
    /// A listed answer is not an answer set, or has another cost; the text gives the reason.
    NotAnAnswer(String),
}

/// Returns the reason why a listed answer is not an answer set; `None` if none of them is refuted.
fn flaw_of(ground: &Ground, claim: &Claim) -> Option<String> {
    let costs = claim.bound.as_ref().map_or(&[][..], |bound| &bound.costs);
    claim.answers.iter().find_map(|answer| {
        let holding: FxHashSet<u32> = answer.iter().copied().collect();
        Some(check_answer(ground, |atom| holding.contains(&atom), costs).err()?.to_string())
    })
}

fn shown_where(ground: &Ground, atoms: &[u32]) -> String {
    let holds = |literal: &i32| atoms.binary_search(&literal.unsigned_abs()).is_ok() == (*literal > 0);
    let shown = ground.outputs.iter().filter(|(_, condition)| condition.iter().all(holds));
    let words: Vec<String> = shown.map(|(symbol, _)| asp::to_text(*symbol)).collect();
    if words.is_empty() { "one that shows nothing".to_owned() } else { words.join(" ") }
}

/// As a rule clingo made the claim.
impl From<Contradiction> for Failure {
    fn from(contradiction: Contradiction) -> Self {
        let text = match contradiction {
            Contradiction::Missed(what) => format!("clingo has lost an answer, which passes the check: {what}"),
            Contradiction::NotAnAnswer(why) => format!("an answer of clingo does not pass the check: {why}"),
        };
        Diagnostic::error(text).help("do not trust what clingo says of this program").into()
    }
}
