//! Tests the enumeration of answer sets against brute force: all of them, those that look
//! different, and the optimal ones.

#[path = "../../certificate/tests/claims/mod.rs"]
mod claims;

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use claims::{answers, costs, random_claims, random_program, seeds, shows};
use fastrand::Rng;
use ground::{GroundProgram, Optimisation};
use prover::{EnumerationMode, enumerate_answers as search};

/// Returns the answers of the search as sets of atoms: other answers, and those known to be
/// optimal.
fn search_answers(ground: &GroundProgram, shown: &ground::ShownTerms, mode: EnumerationMode) -> (Vec<u32>, Vec<u32>) {
    let (mut plain, mut optimal) = (Vec::new(), Vec::new());
    let outcome = search(ground, shown, mode, &mut |_| false, &mut |atoms, found_costs, is_optimal| {
        let set = atoms.iter().fold(0, |set, atom| set | 1 << atom);
        assert_eq!(found_costs, costs(ground, set));
        if is_optimal { &mut optimal } else { &mut plain }.push(set);
        ControlFlow::Continue(())
    });
    assert!(outcome.expect("the program is supported").is_exhausted);
    (plain, optimal)
}

fn against_brute_force(seeds: std::ops::Range<u64>) -> [usize; 3] {
    let mut counts = [0; 3];
    for seed in seeds {
        let random = &mut Rng::with_seed(seed);
        let ground = random_program(random);
        let (shown, _) = random_claims(random, &ground);
        let truth: BTreeSet<u32> = answers(&ground).into_iter().collect();
        let find = |optimisation, projects_to_shown| {
            search_answers(&ground, &shown, EnumerationMode { optimisation, projects_to_shown })
        };
        let (all, none) = find(Optimisation::None, false);
        assert_eq!(all.iter().copied().collect::<BTreeSet<u32>>(), truth, "seed {seed}");
        assert!(all.len() == truth.len() && none.is_empty(), "seed {seed}: an answer comes once");
        let (looks, _) = find(Optimisation::None, true);
        let different =
            |sets: &mut dyn Iterator<Item = u32>| sets.map(|set| shows(&shown, set)).collect::<BTreeSet<_>>();
        let distinct = different(&mut truth.iter().copied());
        assert_eq!(different(&mut looks.iter().copied()), distinct, "seed {seed}");
        assert_eq!(looks.len(), distinct.len(), "seed {seed}");
        counts[0] += truth.len();
        counts[1] += distinct.len();
        if ground.costs.is_empty() {
            continue;
        }
        let best = truth.iter().map(|&set| costs(&ground, set)).min();
        let optima: BTreeSet<u32> = truth.iter().copied().filter(|&set| Some(costs(&ground, set)) == best).collect();
        let (one, _) = find(Optimisation::One, false);
        assert_eq!(one.last().map(|&set| costs(&ground, set)), best, "seed {seed}");
        assert!(one.windows(2).all(|pair| costs(&ground, pair[1]) < costs(&ground, pair[0])), "seed {seed}");
        let (_, all) = find(Optimisation::All, false);
        assert_eq!(all.iter().copied().collect::<BTreeSet<u32>>(), optima, "seed {seed}");
        assert_eq!(all.len(), optima.len(), "seed {seed}");
        counts[2] += optima.len();
    }
    counts
}

#[test]
fn enumeration_agrees_with_brute_force() {
    let [answers, looks, optima] = against_brute_force(seeds(400));
    assert!(answers >= 200 && looks >= 140 && optima >= 60, "{answers} answers, {looks} looks, {optima} optima");
}

mod campaign {
    use super::*;

    #[test]
    #[ignore = "takes a minute"]
    fn enumeration_agrees_with_brute_force_on_many_programs() {
        println!("{:?}", against_brute_force(seeds(20_000)));
    }
}
