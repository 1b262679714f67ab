//! Tests certificates about cubes against brute force.

#[path = "../../certificate/tests/claims/mod.rs"]
mod claims;

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use base::stop::CancelToken;
use certificate::{Certificate, CertificateParts, read};
use claims::{answers, random_change, random_claims, random_program, seeds, shows};
use fastrand::Rng;
use ground::GroundProgram;
use prover::{CertifyMode, ProofSession, SearchedCube};

/// Splits everything into cubes, in any order.
fn random_cubes(random: &mut Rng, ground: &GroundProgram) -> Vec<Vec<i32>> {
    let mut cubes: Vec<Vec<i32>> = vec![Vec::new()];
    let mut atoms: Vec<u32> = ground.atoms().collect();
    for _ in 0..random.usize(0..6) {
        let cube = cubes.swap_remove(random.usize(0..cubes.len()));
        random.shuffle(&mut atoms);
        let open = |atom: &&u32| !cube.iter().any(|literal: &i32| literal.unsigned_abs() == **atom);
        match atoms.iter().find(open) {
            Some(&atom) => cubes.extend([1, -1].map(|sign| [&cube[..], &[sign * atom as i32]].concat())),
            None => cubes.push(cube),
        }
    }
    random.shuffle(&mut cubes);
    cubes
}

fn is_in(cube: &[i32], set: u32) -> bool {
    cube.iter().all(|literal| (set >> literal.unsigned_abs() & 1 == 1) == (*literal > 0))
}

/// Returns true if the claims of all sections hold: no cube has answers but those that it or a cube before it lists.
fn is_true(certificate: &Certificate) -> bool {
    let Certificate { ground, shown, claim, sections } = certificate;
    let all = answers(ground);
    let sets: Vec<u32> = claim.answers.iter().map(|atoms| atoms.iter().map(|atom| 1 << atom).sum()).collect();
    sections.iter().all(|section| {
        let are_answers =
            sets[section.answers.clone()].iter().all(|&set| all.contains(&set) && is_in(&section.cube, set));
        let is_listed = |&set: &u32| {
            sets[..section.answers.end].iter().any(|&other| {
                if claim.projects_to_shown { shows(shown, set) == shows(shown, other) } else { set == other }
            })
        };
        are_answers && all.iter().filter(|&&set| is_in(&section.cube, set)).all(is_listed)
    })
}

#[test]
fn certificates_about_cubes_agree_with_brute_force() {
    let (mut with_steps, mut found, mut broken, mut changed, mut accepted) = (0, 0, 0, 0, 0);
    for seed in seeds(1500) {
        let random = &mut Rng::with_seed(seed);
        let ground = GroundProgram { assumed: Vec::new(), ..random_program(random) };
        let (shown, _) = random_claims(random, &ground);
        let all = answers(&ground);
        let projects_to_shown = random.bool();
        let looks = |sets: &[u32]| -> BTreeSet<Result<u32, Vec<bool>>> {
            sets.iter().map(|&set| if projects_to_shown { Err(shows(&shown, set)) } else { Ok(set) }).collect()
        };
        let mut session =
            ProofSession::new(ground.clone(), shown.clone(), projects_to_shown).expect("the program is supported");
        let mut text = String::new();
        let mut is_over = false;
        let cubes = random_cubes(random, &ground);
        for cube in &cubes {
            let in_cube: Vec<u32> = all.iter().copied().filter(|&set| is_in(cube, set)).collect();
            let limit = if random.u8(0..10) == 0 { random.usize(1..4) } else { usize::MAX };
            let mut sets = Vec::new();
            let searched = session.search(cube, CertifyMode::Write, &CancelToken::new(), &mut |atoms| {
                sets.push(atoms.iter().map(|atom| 1 << atom).sum());
                if sets.len() < limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            });
            assert!(sets.iter().all(|set| in_cube.contains(set)), "seed {seed}: {cube:?}: {sets:?}");
            assert_eq!(looks(&sets).len(), sets.len(), "seed {seed}: {cube:?}: {sets:?}");
            found += sets.len();
            match searched {
                SearchedCube::Proven { steps, text: section } => {
                    with_steps += usize::from(steps > 1);
                    text += &section.expect("it is written");
                }
                SearchedCube::Broken { is_over: ended } => {
                    assert!(sets.len() == limit && ended == (limit > 1), "seed {seed}: {cube:?}: {sets:?}");
                    broken += 1;
                    is_over = ended;
                    if ended {
                        break;
                    }
                    // The cube is searched again.
                    let again = session
                        .search(cube, CertifyMode::Write, &CancelToken::new(), &mut |_| ControlFlow::Continue(()));
                    let SearchedCube::Proven { text: Some(section), .. } = again else {
                        panic!("seed {seed}: {cube:?}: {again:?}")
                    };
                    text += &section;
                }
                other => panic!("seed {seed}: {cube:?}: {other:?}\n{text}"),
            }
        }
        if text.is_empty() {
            continue;
        }
        let certificate = read(&text).unwrap_or_else(|error| panic!("seed {seed}: {error:?}\n{text}"));
        certificate.check().unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        assert!(is_true(&certificate), "seed {seed}\n{text}");
        let mut parts = CertificateParts::default();
        parts.add(certificate).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        match parts.finish() {
            Ok((whole, _)) => {
                let sets: Vec<u32> =
                    whole.claim.answers.iter().map(|atoms| atoms.iter().map(|atom| 1 << atom).sum()).collect();
                assert_eq!(looks(&sets), looks(&all), "seed {seed}\n{text}");
                assert_eq!(sets.len(), looks(&sets).len(), "seed {seed}\n{text}");
            }
            Err(why) => assert!(is_over, "seed {seed}: {why}\n{text}"),
        }
        for _ in 0..3 {
            let other = random_change(random, &text);
            let Ok(certificate) = read(&other) else { continue };
            changed += usize::from(other != text);
            if other != text && certificate.check().is_ok() && certificate.ground.last_atom() < 12 {
                assert!(is_true(&certificate), "seed {seed}\n{text}\n{other}");
                accepted += 1;
            }
        }
    }
    let tally = format!("{with_steps} {found} {broken} {changed} {accepted}");
    println!("{tally}");
    assert!(with_steps > 500 && found > 600 && broken > 15 && changed > 800 && accepted * 4 < changed * 3, "{tally}");
}
