//! True and false claims about random programs, and changes of certificates. Tests of several crates
//! include this file.

#![allow(dead_code, unused_imports, reason = "no test uses all of it")]

#[path = "../../../ground/tests/programs/mod.rs"]
mod programs;

use std::collections::BTreeSet;

use certificate::{Claim, CostBound};
use fastrand::Rng;
use ground::{GroundProgram, ShownTerms};

pub use programs::*;

/// Returns true if a claim holds, by brute force.
pub fn is_true(ground: &GroundProgram, shown: &ShownTerms, claim: &Claim) -> bool {
    let all = answers(ground);
    let listed: Vec<u32> =
        claim.answers.iter().map(|atoms| atoms.iter().fold(0, |set, atom| set | 1 << atom)).collect();
    let are_equal = |left: u32, right: u32| {
        if claim.projects_to_shown { shows(shown, left) == shows(shown, right) } else { left == right }
    };
    let all_differ =
        listed.iter().enumerate().all(|(place, &one)| listed[..place].iter().all(|&other| !are_equal(one, other)));
    if !all_differ || !listed.iter().all(|set| all.contains(set)) {
        return false;
    }
    let is_listed = |&set: &u32| listed.iter().any(|&other| are_equal(set, other));
    let Some(CostBound { costs: bound, is_strict }) = &claim.bound else { return all.iter().all(is_listed) };
    let costs = |&set: &u32| costs(ground, set);
    let no_less = all.iter().all(|set| costs(set) >= *bound);
    let of_bound = all.iter().filter(|set| costs(set) == *bound).copied().collect::<Vec<u32>>();
    let costs_it = |set: &u32| of_bound.contains(set);
    no_less && !listed.is_empty() && listed.iter().all(costs_it) && (*is_strict || of_bound.iter().all(is_listed))
}

/// Generates true and false claims with the terms they show.
pub fn random_claims(random: &mut Rng, ground: &GroundProgram) -> (ShownTerms, Vec<Claim>) {
    let mut all = answers(ground);
    random.shuffle(&mut all);
    let atoms = ground.last_atom().max(1);
    let mut shown = ShownTerms::new();
    for name in 0..random.usize(1..4) {
        let mut condition = || {
            let literal = |random: &mut Rng| random.u32(1..=atoms) as i32 * if random.f64() < 0.7 { 1 } else { -1 };
            (0..random.usize(0..3)).map(|_| literal(random)).collect()
        };
        let conditions = [condition(), condition()].to_vec();
        shown.insert(format!("f({name},\"x y\")"), conditions);
    }
    let list = |sets: &[u32]| -> Vec<Vec<u32>> { sets.iter().map(|&set| atoms_of(set)).collect() };
    let mut looks = BTreeSet::new();
    let different: Vec<u32> = all.iter().copied().filter(|&set| looks.insert(shows(&shown, set))).collect();
    let mut claims = vec![
        Claim { answers: list(&all), ..Claim::default() },
        Claim { answers: list(&all[..all.len() / 2]), ..Claim::default() },
        Claim { answers: list(&all[..all.len().min(1)]), projects_to_shown: true, bound: None },
        Claim { answers: list(&different), projects_to_shown: true, bound: None },
    ];
    if let (Some(&first), false) = (all.first(), ground.costs.is_empty()) {
        let best = all.iter().map(|&set| costs(ground, set)).min().expect("answers");
        let optima: Vec<u32> = all.iter().copied().filter(|&set| costs(ground, set) == best).collect();
        let bound = |costs: Vec<i64>, is_strict: bool| Some(CostBound { costs, is_strict });
        claims.push(Claim { answers: list(&optima[..1]), projects_to_shown: false, bound: bound(best.clone(), true) });
        claims.push(Claim { answers: list(&optima), projects_to_shown: false, bound: bound(best, false) });
        let projects_to_shown = random.bool();
        let bound = bound(costs(ground, first), random.bool());
        claims.push(Claim { answers: list(&all[..1]), projects_to_shown, bound });
    }
    (shown, claims)
}

/// Removes, repeats, swaps or changes a line or a number.
pub fn random_change(random: &mut Rng, text: &str) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let at = random.usize(2..lines.len());
    match random.u8(0..7) {
        0 => drop(lines.remove(at)),
        1 => lines.insert(random.usize(2..lines.len()), lines[at].clone()),
        2 => lines.swap(at, random.usize(2..at.max(2) + 1)),
        kind => {
            let mut words: Vec<String> = lines[at].split(' ').map(str::to_owned).collect();
            let word = random.usize(0..words.len());
            match (kind, words[word].parse::<i32>()) {
                (3, Ok(number)) => words[word] = (-number).to_string(),
                (4, Ok(number)) => words[word] = (number + random.i32(-2..3)).to_string(),
                (5, _) => drop(words.remove(word)),
                (_, Ok(_)) => words[word] = random.i32(-9..10).to_string(),
                _ => {}
            }
            lines[at] = words.join(" ");
        }
    }
    lines.join("\n") + "\n"
}
