//! Random ground programs and their answer sets by brute force. Tests of several crates include this
//! file.

#![allow(dead_code, reason = "no test uses all of it")]

use std::collections::BTreeSet;
use std::ops::Range;

use fastrand::Rng;
use ground::{GroundProgram, GroundRule, ShownTerms, Truth};

/// Returns as many seeds, from `$SEED` or a random one on. The test runner prints it if the test
/// fails.
pub fn seeds(count: u64) -> Range<u64> {
    let fresh = || u64::from(fastrand::u32(..));
    let first = std::env::var("SEED").map_or_else(|_| fresh(), |text| text.parse().expect("$SEED is a number"));
    println!("SEED={first} repeats the random cases");
    first..first + count
}

/// Returns the set of atoms as a list, in ascending order.
pub fn atoms_of(set: u32) -> Vec<u32> {
    (1..u32::BITS).filter(|atom| set >> atom & 1 > 0).collect()
}

/// Generates choices, disjunctions, sums, loops, external atoms, edges and costs.
pub fn random_program(random: &mut Rng) -> GroundProgram {
    let atoms = random.u32(3..8);
    let mut ground = GroundProgram::default();
    let atom = |random: &mut Rng| random.u32(1..=atoms);
    let positive = 0.25 + random.f64() * 0.7;
    let literal = |random: &mut Rng| {
        let atom = random.u32(1..=atoms) as i32;
        if random.f64() < positive { atom } else { -atom }
    };
    let has_disjunctions = random.f64() < 0.35;
    let has_sums = random.f64() < 0.6;
    for _ in 0..random.usize(3..14) {
        let (is_choice, heads) = match random.u8(0..10) {
            0..=4 => (false, 1),
            5 => (true, 1),
            6 => (true, random.usize(1..4)),
            7 if has_disjunctions => (false, random.usize(2..4)),
            8 if random.bool() => (false, 0),
            _ => (false, 1),
        };
        let head = (0..heads).map(|_| atom(random)).collect();
        let (body, bound) = if has_sums && random.f64() < 0.4 {
            let body = (0..random.usize(1..5)).map(|_| (literal(random), random.i32(0..4))).collect();
            (body, Some(random.i32(-1..6)))
        } else {
            let size = if random.f64() < 0.1 { 0 } else { random.usize(1..4) };
            ((0..size).map(|_| (literal(random), 1)).collect(), None)
        };
        ground.rules.push(GroundRule { is_choice, head, body, bound });
    }
    if random.f64() < 0.4 {
        for _ in 0..random.usize(1..3) {
            let priority = random.i32(0..3);
            let items = (0..random.usize(1..5)).map(|_| (literal(random), random.i32(-5..9)));
            ground.costs.entry(priority).or_default().extend(items);
        }
    }
    if random.f64() < 0.2 {
        for _ in 0..random.usize(1..4) {
            let value = random.choice([Truth::Free, Truth::True, Truth::False]).expect("a value");
            let atom = atom(random);
            ground.externals.insert(atom, value);
            if random.bool() {
                ground.frozen.insert(atom, random.bool());
            }
        }
    }
    if random.f64() < 0.15 {
        for _ in 0..random.usize(1..7) {
            let condition = (0..random.usize(0..3)).map(|_| literal(random)).collect();
            ground.edges.push((random.i32(0..4), random.i32(0..4), condition));
        }
    }
    if random.f64() < 0.1 {
        ground.assumed.push(literal(random));
    }
    ground
}

pub fn contains(set: u32, literal: i32) -> bool {
    set >> literal.unsigned_abs() & 1 > 0
}

pub fn holds(set: u32, literal: i32) -> bool {
    contains(set, literal) == (literal > 0)
}

/// Returns true if the set is an answer set by definition: it is a model of the reduct, and no
/// proper subset is.
pub fn is_answer(ground: &GroundProgram, set: u32) -> bool {
    let heads: BTreeSet<u32> = ground.rules.iter().flat_map(|rule| rule.head.clone()).collect();
    let mut given = 0;
    for (&atom, &value) in &ground.externals {
        if heads.contains(&atom) && ground.frozen.get(&atom) != Some(&true) {
            continue;
        }
        let is_true = contains(set, atom as i32);
        if value == Truth::True && !is_true || value == Truth::False && is_true {
            return false;
        }
        given |= u32::from(is_true) << atom;
    }
    let is_model_of_reduct = |part: u32| {
        let is_satisfied = |rule: &GroundRule| {
            let counts = |literal: i32| if literal > 0 { contains(part, literal) } else { !contains(set, literal) };
            let has = |atom: &u32| contains(part, *atom as i32);
            let has_head = if rule.is_choice {
                rule.head.iter().all(|atom| !contains(set, *atom as i32) || has(atom))
            } else {
                rule.head.iter().any(has)
            };
            has_head || rule.weight(counts) < rule.required_weight()
        };
        part & given == given && ground.rules.iter().all(is_satisfied)
    };
    let parts = std::iter::successors(Some(set), |&part| (part > 0).then(|| (part - 1) & set));
    if !is_model_of_reduct(set)
        || parts.skip(1).any(is_model_of_reduct)
        || !ground.assumed.iter().all(|&literal| holds(set, literal))
    {
        return false;
    }
    let is_there = |edge: &&(i32, i32, Vec<i32>)| edge.2.iter().all(|&literal| holds(set, literal));
    let edges: BTreeSet<(i32, i32)> = ground.edges.iter().filter(is_there).map(|edge| (edge.0, edge.1)).collect();
    let mut ways = edges.clone();
    loop {
        let longer =
            |&(from, to): &(i32, i32)| edges.iter().filter(move |edge| edge.0 == to).map(move |edge| (from, edge.1));
        let before = ways.len();
        ways.extend(ways.clone().iter().flat_map(longer));
        if ways.len() == before {
            return ways.iter().all(|(from, to)| from != to);
        }
    }
}

pub fn answers(ground: &GroundProgram) -> Vec<u32> {
    let last = ground.last_atom().max(ground.assumed.iter().map(|literal| literal.unsigned_abs()).max().unwrap_or(0));
    (0..1_u32 << last).map(|set| set << 1).filter(|&set| is_answer(ground, set)).collect()
}

pub fn shows(shown: &ShownTerms, set: u32) -> Vec<bool> {
    let is_shown =
        |conditions: &Vec<Vec<i32>>| conditions.iter().any(|all| all.iter().all(|&literal| holds(set, literal)));
    shown.values().map(is_shown).collect()
}

pub fn costs(ground: &GroundProgram, set: u32) -> Vec<i64> {
    ground.costs_where(|atom| contains(set, atom as i32))
}
