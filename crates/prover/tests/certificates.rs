//! Tests proofs against brute force: a certificate exists exactly if its claim is true, and a
//! changed certificate is rejected or its claim is true all the same.

#[path = "../../certificate/tests/claims/mod.rs"]
mod claims;

use base::stop::CancelToken;
use certificate::{Claim, ProofStep, negated_claim, read, verify, write_head, write_steps};
use claims::{is_answer, is_true, random_change, random_claims, random_program, seeds};
use fastrand::Rng;
use ground::{Completion, GroundProgram, ShownTerms};
use prover::{CdclOutcome, CdclSolver, CertifyMode, certify, certify_completed};

#[derive(Debug, Default)]
struct Tally {
    certified: usize,
    answers: usize,
    unfounded: usize,
    /// Unfounded sets with more than the set itself: sums and disjunctions.
    unfounded_with_reasons: usize,
    learnt: usize,
    cycles: usize,
    tampered: usize,
    rejected: usize,
}

fn certificate_text(
    ground: &GroundProgram,
    shown: &ShownTerms,
    claim: &Claim,
    completion: &Completion,
    steps: &[ProofStep],
) -> String {
    let mut text = Vec::new();
    write_head(&mut text, ground, shown, claim).expect("memory can be written");
    write_steps(&mut text, completion.clauses.len() as u32 + 1, steps).expect("memory can be written");
    String::from_utf8(text).expect("text")
}

fn against_brute_force(seeds: std::ops::Range<u64>) -> Tally {
    let mut tally = Tally::default();
    for seed in seeds {
        let random = &mut Rng::with_seed(seed);
        let ground = random_program(random);
        let (shown, claims) = random_claims(random, &ground);
        for claim in claims {
            let truth = is_true(&ground, &shown, &claim);
            let completion = negated_claim(&ground, &shown, &claim).expect("the program is supported");
            let steps = match CdclSolver::new(&ground, &completion).run(&mut |_| false) {
                CdclOutcome::Refuted(steps) => steps,
                CdclOutcome::Answer(atoms) => {
                    assert!(!truth, "seed {seed}: {claim:?}");
                    assert!(is_answer(&ground, atoms.iter().map(|atom| 1 << atom).sum()), "seed {seed}: {claim:?}");
                    tally.answers += 1;
                    continue;
                }
                CdclOutcome::GaveUp => panic!("seed {seed}: {claim:?}"),
            };
            assert!(truth, "seed {seed}: {claim:?}");
            let count = verify(&ground, &completion, &steps);
            let count = count.unwrap_or_else(|error| panic!("seed {seed}: {error}\n{claim:?}"));
            tally.certified += 1;
            for step in &steps {
                match step {
                    ProofStep::Rup { .. } => tally.learnt += 1,
                    ProofStep::LoopNogood { context, .. } if context.is_empty() => tally.unfounded += 1,
                    ProofStep::LoopNogood { .. } => tally.unfounded_with_reasons += 1,
                    ProofStep::Cycle { .. } => tally.cycles += 1,
                    ProofStep::Delete { .. } | ProofStep::Answer { .. } => {}
                }
            }
            let text = certificate_text(&ground, &shown, &claim, &completion, &steps[..count]);
            let certificate = read(&text).unwrap_or_else(|error| panic!("seed {seed}: {error:?}\n{text}"));
            certificate.check().unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
            let other = random_change(random, &text);
            if other == text {
                continue;
            }
            tally.tampered += 1;
            match read(&other).map_err(|(_, error)| error).and_then(|read| read.check().map(|_| read)) {
                Err(_) => tally.rejected += 1,
                Ok(read) => {
                    let is_small = read.ground.last_atom() < 12;
                    assert!(
                        !is_small || is_true(&read.ground, &read.shown, &read.claim),
                        "seed {seed}\n{text}\n{other}"
                    );
                }
            }
        }
    }
    tally
}

#[test]
fn certificates_agree_with_brute_force() {
    let tally = against_brute_force(seeds(400));
    println!("{tally:?}");
    assert!(tally.certified >= 1000 && tally.answers >= 150 && tally.learnt >= 2000, "{tally:?}");
    assert!(tally.unfounded >= 150 && tally.unfounded_with_reasons >= 2 && tally.cycles >= 10, "{tally:?}");
    assert!(tally.tampered >= 800 && tally.rejected * 2 > tally.tampered, "{tally:?}");
}

mod campaign {
    use super::*;

    #[test]
    #[ignore = "takes a minute"]
    fn certificates_of_many_programs_agree_with_brute_force() {
        println!("{:?}", against_brute_force(seeds(20_000)));
    }
}

#[test]
fn exactly_the_true_claims_are_certified() {
    let (mut certified, mut refused) = (0, 0);
    for seed in seeds(200) {
        let random = &mut Rng::with_seed(seed);
        let ground = random_program(random);
        let (shown, mut claims) = random_claims(random, &ground);
        // Any set of atoms in the place of an answer.
        let set = random.u32(..1 << ground.last_atom()) << 1;
        claims.push(Claim { answers: vec![claims::atoms_of(set)], ..Claim::default() });
        for claim in claims {
            let truth = is_true(&ground, &shown, &claim);
            let found = certify(&ground, &shown, &claim, "all", CertifyMode::Write, &CancelToken::new());
            let certification = found.as_ref().ok().filter(|certification| certification.checked == Some(true));
            assert_eq!(certification.is_some(), truth, "seed {seed}: {claim:?}: {found:?}");
            // Shared clauses prove the same claims once the external atoms have their values.
            let shared = || {
                let mut completion = Completion::of_any_externals(&ground, &shown)?;
                completion.fix_externals(&ground);
                Ok(completion)
            };
            let named = (&claim, "all");
            let shared = certify_completed(&ground, &shown, shared, named, CertifyMode::Check, &CancelToken::new());
            assert_eq!(shared.is_ok_and(|shared| shared.checked == Some(true)), truth, "seed {seed}: {claim:?}");
            let Some(certification) = certification else {
                refused += 1;
                continue;
            };
            let certificate = read(certification.text.as_ref().expect("a certificate")).expect("it is well formed");
            assert_eq!(certificate.check().map(Some), Ok(certification.steps), "seed {seed}: {claim:?}");
            assert_eq!(certificate.claim, claim, "seed {seed}");
            certified += 1;
        }
    }
    assert!(certified > 400 && refused > 200, "{certified} certified, {refused} refused");
}
