//! Tests the check of certificates against brute force: a changed certificate is refused, or its
//! claim is true all the same.

mod claims;

use certificate::{Certificate, Claim, Section, check_listed_answers, read, write_head, write_steps};
use claims::{answers, atoms_of, is_true, random_change, random_claims, random_program, seeds};
use fastrand::Rng;

/// A certificate of the two answer sets of `1 { a; b } 1. c :- a. c :- b.`
const EITHER: &str = include_str!("../examples/either.proof");

fn checked(text: &str) -> Option<Certificate> {
    let certificate = read(text).ok()?;
    certificate.check().is_ok().then_some(certificate)
}

#[test]
fn changed_certificates_are_refused_or_prove_a_true_claim() {
    assert!(checked(EITHER).is_some(), "the certificate is valid");
    let (mut changed, mut accepted) = (0, 0);
    for seed in seeds(3000) {
        let random = &mut Rng::with_seed(seed);
        let mut text = random_change(random, EITHER);
        if random.bool() {
            text = random_change(random, &text);
        }
        changed += usize::from(text != EITHER);
        if let Some(Certificate { ground, shown, claim, .. }) = checked(&text)
            && ground.last_atom() < 12
        {
            assert!(is_true(&ground, &shown, &claim), "seed {seed}\n{text}");
            accepted += usize::from(text != EITHER);
        }
    }
    assert!(accepted > 0 && accepted * 2 < changed, "{accepted} of {changed} changed certificates were accepted");
}

#[test]
fn a_certificate_that_lists_one_answer_too_few_is_refused() {
    let lines: Vec<&str> = EITHER.lines().collect();
    let listed: Vec<usize> = (0..lines.len()).filter(|&at| lines[at].starts_with("a ")).collect();
    assert_eq!(listed.len(), 2);
    for at in listed {
        let text = [&lines[..at], &lines[at + 1..]].concat().join("\n") + "\n";
        let certificate = read(&text).expect("it is well formed");
        assert!(certificate.check().is_err(), "{text}");
    }
}

#[test]
fn exactly_lists_of_distinct_answers_are_accepted() {
    let (mut accepted, mut refused) = (0, 0);
    for seed in seeds(200) {
        let random = &mut Rng::with_seed(seed);
        let ground = random_program(random);
        let (shown, claims) = random_claims(random, &ground);
        let all: Vec<Vec<u32>> = answers(&ground).into_iter().map(atoms_of).collect();
        let set = random.u32(..1 << ground.last_atom()) << 1;
        let lists = [claims[0].answers.clone(), vec![atoms_of(set)], [&all[..], &all[..all.len().min(1)]].concat()];
        for list in lists {
            let claim = Claim { answers: list.clone(), ..Claim::default() };
            let are_distinct = (1..list.len()).all(|at| !list[..at].contains(&list[at]));
            let expected = are_distinct && list.iter().all(|answer| all.contains(answer));
            let found = check_listed_answers(&ground, &shown, &claim);
            assert_eq!(found.is_ok(), expected, "seed {seed}: {claim:?}: {found:?}");
            *if expected { &mut accepted } else { &mut refused } += 1;
        }
    }
    assert!(accepted > 100 && refused > 100, "{accepted} accepted, {refused} refused");
}

#[test]
fn what_is_written_is_read_back() {
    let certificate = read(EITHER).expect("it is well formed");
    let Certificate { ground, shown, claim, sections } = &certificate;
    let [Section { steps, first_clause, .. }] = &sections[..] else { panic!("{sections:?}") };
    let mut text = Vec::new();
    write_head(&mut text, ground, shown, claim).expect("memory can be written");
    write_steps(&mut text, first_clause.expect("a step"), steps).expect("memory can be written");
    assert_eq!(String::from_utf8(text).expect("a certificate is text"), EITHER);
}
